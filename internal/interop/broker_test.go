//go:build interop

package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
)

// broker is one broker that the tests run on: how it is started, and what a Go
// client must know of it that is not the same for all.
type broker struct {
	name    string // as in the head of a table
	product string
	version string // or how it begins
	// start starts it and returns host and port.
	start func(t testing.TB) string

	// What a Go client puts before a name to make an address. The JMS client
	// learns it from the broker, except where jmsPrefix says that it does not.
	queuePrefix, topicPrefix       string
	jmsQueuePrefix, jmsTopicPrefix string
	// Whether an address must come with the capability "queue" or "topic" to be
	// one; else the capability is harmless and left out.
	capabilities bool
	// Whether a queue must be declared before it is used, as RabbitMQ 4 wants.
	declared bool
	// What it refuses.
	noTopics, noTemporaryQueues bool
	// The only delivery mode that the broker takes; 0: it takes both.
	onlyMode int
}

func activeMQ() broker {
	return broker{
		name:    "AMQ",
		product: "ActiveMQ Classic",
		version: "6.2.2",
		start: func(t testing.TB) string {
			return startEmbedded(t, "EmbeddedActiveMQ")
		},
		queuePrefix: "queue://",
		topicPrefix: "topic://",
	}
}

func brokerJ() broker {
	return broker{
		name:    "BJ",
		product: "Qpid Broker-J",
		version: "9.2.1",
		start: func(t testing.TB) string {
			return startEmbedded(t, "EmbeddedBrokerJ")
		},
		// A topic is a binding key of the exchange that every virtual host has.
		topicPrefix:    "amq.topic/",
		jmsTopicPrefix: "amq.topic/",
		onlyMode:       1,
	}
}

// startEmbedded starts a broker that is a main class of the Java side.
func startEmbedded(t testing.TB, class string) string {
	t.Helper()
	port := strconv.Itoa(freePort(t))
	cmd := java(class, port)
	// It runs until its standard input is closed.
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	startPeer(t, class, cmd).waitFor(t, "READY "+port, time.Minute)
	return "127.0.0.1:" + port
}

const artemisVersion = "2.40.0"

func artemis() broker {
	return broker{
		name:         "ART",
		product:      "ActiveMQ Artemis",
		version:      artemisVersion,
		start:        startArtemis,
		capabilities: true,
	}
}

func startArtemis(t testing.TB) string {
	t.Helper()
	home, err := filepath.Abs(filepath.Join("java", "target", "artemis", "apache-artemis-"+artemisVersion))
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(freePort(t))
	instance := filepath.Join(t.TempDir(), "artemis")
	create := exec.Command(filepath.Join(home, "bin", "artemis"), "create", instance, "--silent",
		"--user", "interop", "--password", "interop", "--allow-anonymous",
		"--host", "127.0.0.1", "--default-port", port,
		"--no-amqp-acceptor", "--no-hornetq-acceptor", "--no-mqtt-acceptor", "--no-stomp-acceptor", "--no-web",
		"--no-autotune", "--disable-persistence", "--java-memory", "512M")
	create.Env = append(os.Environ(), "ARTEMIS_HOME="+home) // not one that is installed
	if err := startPeer(t, "artemis create", create).finish(time.Minute); err != nil {
		t.Fatalf("artemis create: %v", err)
	}
	run := exec.Command(filepath.Join(instance, "bin", "artemis"), "run")
	startPeer(t, "Artemis", run).waitFor(t, "Server is now active", time.Minute)
	return "127.0.0.1:" + port
}

// client is a Go client of a broker.
type client struct {
	broker     broker
	hostPort   string
	conn       *amqp.Conn
	session    *amqp.Session
	management *management // nil where queues need not be declared
}

const patience = 10 * time.Second

// dial connects to a broker, which must be of the version that it is said to be.
func (b broker) dial(t testing.TB, hostPort string) *client {
	t.Helper()
	conn, session := b.connect(t, hostPort)
	c := &client{broker: b, hostPort: hostPort, conn: conn, session: session}
	if !strings.HasPrefix(c.version(), b.version) {
		t.Fatalf("%s %s was to be started, but its version is %q", b.product, b.version, c.version())
	}
	if b.declared {
		c.management = manage(t, b, hostPort)
	}
	return c
}

// connect makes a connection that the end of the test closes.
func (b broker) connect(t testing.TB, hostPort string) (*amqp.Conn, *amqp.Session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := amqp.Dial(ctx, "amqp://"+hostPort, &amqp.ConnOptions{SASLType: amqp.SASLTypeAnonymous()})
	if err != nil {
		t.Fatalf("%s: %v", b.product, err)
	}
	t.Cleanup(func() { conn.Close() })
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		t.Fatalf("%s: %v", b.product, err)
	}
	return conn, session
}

// refuses shows that the broker refuses to let a client receive. On a connection
// of its own: some brokers end the session, some the connection.
func (c *client) refuses(t testing.TB, address string, o *amqp.ReceiverOptions) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, session := c.broker.connect(t, c.hostPort)
	_, err := session.NewReceiver(ctx, address, o)
	if err == nil {
		t.Fatalf("a receiver from %q was not refused", address)
	}
	return err
}

// version is the version that the broker says it is.
func (c *client) version() string {
	version, _ := c.conn.Properties()["version"].(string)
	return version
}

// node is a queue or topic, as both sides name it.
type node struct {
	jms          value // as the JMS application does
	address      string
	capabilities []string // for a Go client to ask for
}

// queue makes sure that there is a queue of this name.
func (c *client) queue(t testing.TB, name string) node {
	t.Helper()
	if c.management != nil {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := c.management.declareQueue(ctx, name); err != nil {
			t.Fatalf("declare queue %s: %v", name, err)
		}
	}
	return c.broker.node("queue", name, c.broker.queuePrefix, c.broker.jmsQueuePrefix)
}

func (c *client) topic(name string) node {
	return c.broker.node("topic", name, c.broker.topicPrefix, c.broker.jmsTopicPrefix)
}

func (b broker) node(kind, name, prefix, jmsPrefix string) node {
	n := node{jms: destination(kind, jmsPrefix+name), address: prefix + name}
	if b.capabilities {
		n.capabilities = []string{kind}
	}
	return n
}

// send sends to a queue or topic, and waits until the broker has taken the
// message.
func (c *client) send(t testing.TB, to node, m *amqp.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := c.session.NewSender(ctx, to.address, &amqp.SenderOptions{TargetCapabilities: to.capabilities})
	if err != nil {
		t.Fatalf("sender to %s: %v", to.address, err)
	}
	defer s.Close(context.WithoutCancel(ctx))
	if err := s.Send(ctx, m, nil); err != nil {
		t.Fatalf("send to %s: %v", to.address, err)
	}
}

// open opens a receiver, which the end of the test closes.
func (c *client) open(t testing.TB, from node) *amqp.Receiver {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := c.session.NewReceiver(ctx, from.address, &amqp.ReceiverOptions{SourceCapabilities: from.capabilities})
	if err != nil {
		t.Fatalf("receiver from %s: %v", from.address, err)
	}
	t.Cleanup(func() { r.Close(context.Background()) })
	return r
}

// receive takes the next message of a queue, which must come, and accepts it.
func (c *client) receive(t testing.TB, from node) *amqp.Message {
	t.Helper()
	r := c.open(t, from)
	defer r.Close(context.Background())
	return next(t, r)
}

// next takes the next message of a receiver, which must come, and accepts it.
func next(t testing.TB, r *amqp.Receiver) *amqp.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m, err := r.Receive(ctx, nil)
	if err != nil {
		t.Fatalf("receive from %s: %v", r.Address(), err)
	}
	if err := r.AcceptMessage(ctx, m); err != nil {
		t.Fatalf("accept from %s: %v", r.Address(), err)
	}
	return m
}
