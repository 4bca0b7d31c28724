//go:build interop

package interop

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

// broker is one broker that the tests run on: how it is started, and what a
// client must know of it that is not the same for all.
type broker struct {
	name    string // as in the head of a table
	product string
	version string // or how it begins
	// start starts it and returns host and port.
	start func(t testing.TB) string

	peer amqpjms.Peer // which the package must propose
	// Whether an address must come with the capability "queue" or "topic" to be
	// one; else the capability is harmless and left out.
	capabilities bool
	// Whether the JMS client must be given addresses, as it does not learn from the
	// broker what they start with.
	jmsAddresses bool
	topicPrefix  string // of the names of topics, on both sides
	// Whether a queue must be declared before it is used, as RabbitMQ 4 wants.
	declared bool
	// Whether it says when it has no more messages for a receiver's credit, always.
	drains bool
	// The only delivery mode that the broker takes; ModeUnset: it takes both.
	onlyMode amqpjms.DeliveryMode
}

func activeMQ() broker {
	return broker{
		name:    "AMQ",
		product: "ActiveMQ Classic",
		version: "6.3.1",
		start: func(t testing.TB) string {
			return startEmbedded(t, "EmbeddedActiveMQ")
		},
		peer: amqpjms.ActiveMQ(),
	}
}

func brokerJ() broker {
	return broker{
		name:    "BJ",
		product: "Qpid Broker-J",
		version: "10.1.0",
		start: func(t testing.TB) string {
			return startEmbedded(t, "EmbeddedBrokerJ")
		},
		peer: amqpjms.BrokerJ(),
		// A topic is a binding key of the exchange that every virtual host has.
		topicPrefix: "amq.topic/",
		onlyMode:    amqpjms.NonPersistent,
		drains:      true,
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

func artemis() broker {
	return broker{
		name:    "ART",
		product: "ActiveMQ Artemis",
		version: "2.55.0",
		start: func(t testing.TB) string {
			return startEmbedded(t, "EmbeddedArtemis")
		},
		peer:         amqpjms.Artemis(),
		capabilities: true,
	}
}

// client is a Go client of a broker.
type client struct {
	broker     broker
	hostPort   string
	conn       *amqp.Conn
	session    *amqp.Session
	tap        *wiretap
	management *management // nil where queues need not be declared
}

const patience = 10 * time.Second

// dial connects to a broker, which must be of the version that it is said to be.
func (b broker) dial(t testing.TB, hostPort string) *client {
	t.Helper()
	c := b.connect(t, hostPort)
	if !strings.HasPrefix(c.version(), b.version) {
		t.Fatalf("%s %s was to be started, but its version is %q", b.product, b.version, c.version())
	}
	if b.declared {
		c.management = manage(t, b, hostPort)
	}
	return c
}

// again is another client of the same broker.
func (c *client) again(t testing.TB) *client {
	t.Helper()
	other := c.broker.connect(t, c.hostPort)
	other.management = c.management
	return other
}

// connect makes a connection that the end of the test closes.
func (b broker) connect(t testing.TB, hostPort string) *client {
	t.Helper()
	c, err := b.tryConnect(t, hostPort, "")
	if err != nil {
		t.Fatalf("%s: %v", b.product, err)
	}
	return c
}

// tryConnect is connect with a container-id, which is JMS's client id; go-amqp makes one up
// where it is "". A broker may refuse one that another connection has.
func (b broker) tryConnect(t testing.TB, hostPort, containerID string) (*client, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var d net.Dialer
	tcp, err := d.DialContext(ctx, "tcp", hostPort)
	if err != nil {
		return nil, err
	}
	tap := newWiretap(tcp)
	host, _, _ := net.SplitHostPort(hostPort)
	conn, err := amqp.NewConn(ctx, tap, &amqp.ConnOptions{
		HostName: host, SASLType: amqp.SASLTypeAnonymous(), ContainerID: containerID,
	})
	if err != nil {
		tcp.Close()
		return nil, err
	}
	t.Cleanup(func() { conn.Close() })
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &client{broker: b, hostPort: hostPort, conn: conn, session: session, tap: tap}, nil
}

// url is where the JMS application connects to.
func (c *client) url() string { return "amqp://" + c.hostPort }

// version is the version that the broker says it is.
func (c *client) version() string {
	version, _ := c.conn.Properties()["version"].(string)
	return version
}

// node is a queue or topic, as both sides name it.
type node struct {
	jms         value // as the JMS application does
	destination amqpjms.Destination
}

// queue makes sure that there is a queue of this name.
func (c *client) queue(t testing.TB, name string) node {
	t.Helper()
	if c.management != nil {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := c.management.declareQueue(ctx, name, "classic"); err != nil {
			t.Fatalf("declare queue %s: %v", name, err)
		}
	}
	return c.broker.node(t, "queue", amqpjms.Destination{Kind: amqpjms.Queue, Name: name})
}

func (c *client) topic(t testing.TB, name string) node {
	t.Helper()
	return c.broker.node(t, "topic", amqpjms.Destination{Kind: amqpjms.Topic, Name: c.broker.topicPrefix + name})
}

func (b broker) node(t testing.TB, kind string, d amqpjms.Destination) node {
	t.Helper()
	name := d.Name
	if b.jmsAddresses {
		name = b.address(t, d)
	}
	return node{jms: destination(kind, name), destination: d}
}

func (b broker) address(t testing.TB, d amqpjms.Destination) string {
	t.Helper()
	address, err := b.peer.Address(d)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// kindCapabilities is what a Go client asks for to have a destination of this kind.
func (b broker) kindCapabilities(k amqpjms.DestinationKind) []string {
	if b.capabilities && (k == amqpjms.Queue || k == amqpjms.Topic) {
		return []string{k.String()}
	}
	return nil
}

// producer is a producer of messages that the broker takes.
func (c *client) producer(to node) amqpjms.Producer {
	return amqpjms.Producer{Peer: c.broker.peer, Destination: to.destination, Mode: c.broker.onlyMode}
}

// send prepares a message and sends it, and waits until the broker has taken it.
func (c *client) send(t testing.TB, p amqpjms.Producer, m *amqp.Message) amqpjms.Stamp {
	t.Helper()
	stamp := prepare(t, p, m)
	c.transmit(t, p.Destination, m)
	return stamp
}

// writer writes messages for the broker.
func (c *client) writer() amqpjms.Editor { return amqpjms.Editor{Peer: c.broker.peer} }

// prepare gives a message what a producer stamps on it.
func prepare(t testing.TB, p amqpjms.Producer, m *amqp.Message) amqpjms.Stamp {
	t.Helper()
	stamp, err := p.Prepare(m, time.Now())
	if err != nil {
		t.Fatalf("prepare for %v: %v", p.Destination, err)
	}
	return stamp
}

// encode is a message as go-amqp encodes it.
func encode(t testing.TB, m *amqp.Message) *amqpjms.RawMessage {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	raw := new(amqpjms.RawMessage)
	if err := raw.Parse(b); err != nil {
		t.Fatalf("%x: %v", b, err)
	}
	return raw
}

// transmit sends a message as it is.
func (c *client) transmit(t testing.TB, to amqpjms.Destination, m *amqp.Message) {
	t.Helper()
	if err := c.try(t, to, m); err != nil {
		t.Fatalf("send to %v: %v", to, err)
	}
}

// try is transmit for a message that may be refused.
func (c *client) try(t testing.TB, to amqpjms.Destination, m *amqp.Message) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := c.session.NewSender(ctx, c.broker.address(t, to), &amqp.SenderOptions{TargetCapabilities: c.broker.kindCapabilities(to.Kind)})
	if err != nil {
		return err
	}
	defer s.Close(context.WithoutCancel(ctx))
	return amqpjms.Send(ctx, s, m)
}

// open opens a receiver, which the end of the test closes.
func (c *client) open(t testing.TB, from node) *receiver {
	t.Helper()
	r, err := c.tryOpen(t, from, amqp.ReceiverOptions{})
	if err != nil {
		t.Fatalf("receiver from %v: %v", from.destination, err)
	}
	return r
}

// tryOpen is open for a receiver with other options, or that may be refused.
func (c *client) tryOpen(t testing.TB, from node, o amqp.ReceiverOptions) (*receiver, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	o.SourceCapabilities = c.broker.kindCapabilities(from.destination.Kind)
	if o.DynamicAddress {
		o.SourceCapabilities = []string{"temporary-queue"} // as JMS clients ask for one
	}
	r, err := c.session.NewReceiver(ctx, c.broker.address(t, from.destination), &o)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		r.Close(ctx)
	})
	return &receiver{Receiver: r, tap: c.tap, as: amqpjms.Consumer{Peer: c.broker.peer, Destination: from.destination}}, nil
}

// receive takes the next message of a queue, which must come, and accepts it.
func (c *client) receive(t testing.TB, from node) received {
	t.Helper()
	r := c.open(t, from)
	defer r.Close(context.Background())
	return r.next(t)
}

// receiver is a Go client's receiver.
type receiver struct {
	*amqp.Receiver
	tap *wiretap
	as  amqpjms.Consumer
}

// received is a message that a Go client received: as go-amqp decodes it, as it is
// encoded, and as JMS sees it.
type received struct {
	*amqp.Message
	raw  *amqpjms.RawMessage
	view amqpjms.View
}

// next takes the next message, which must come, and accepts it.
func (r *receiver) next(t testing.TB) received {
	t.Helper()
	m := r.take(t, patience)
	if m.Message == nil {
		t.Fatalf("nothing came from %v", r.as.Destination)
	}
	r.accept(t, m)
	return m
}

// take takes the next message if it comes in time, and accepts nothing.
func (r *receiver) take(t testing.TB, limit time.Duration) received {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	m, err := r.Receive(ctx, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return received{}
	}
	if err != nil {
		t.Fatalf("receive from %v: %v", r.as.Destination, err)
	}
	return r.received(t, m)
}

// pull takes the next message of a receiver whose credit is issued by hand, if there
// is one. Where the broker answers drains, the receiver is left without credit.
func (r *receiver) pull(t testing.TB, b broker) received {
	t.Helper()
	if err := r.IssueCredit(1); err != nil {
		t.Fatalf("credit for %v: %v", r.as.Destination, err)
	}
	wait := 500 * time.Millisecond
	if b.drains {
		wait = 50 * time.Millisecond // until go-amqp has sent the credit, which is drained then
	}
	if m := r.take(t, wait); m.Message != nil || !b.drains {
		return m
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.DrainCredit(ctx, nil); err != nil {
		t.Fatalf("drain of %v: %v", r.as.Destination, err)
	}
	if m := r.Prefetched(); m != nil {
		return r.received(t, m)
	}
	return received{}
}

func (r *receiver) received(t testing.TB, m *amqp.Message) received {
	t.Helper()
	at := time.Now()
	encoded, err := r.tap.message(r.LinkName(), m.DeliveryTag)
	if err != nil {
		t.Fatalf("receive from %v: %v", r.as.Destination, err)
	}
	raw := new(amqpjms.RawMessage)
	if err := raw.Parse(encoded); err != nil {
		t.Fatalf("receive from %v: %x: %v", r.as.Destination, encoded, err)
	}
	return received{Message: m, raw: raw, view: r.as.View(m, at)}
}

func (r *receiver) accept(t testing.TB, m received) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.AcceptMessage(ctx, m.Message); err != nil {
		t.Fatalf("accept from %v: %v", r.as.Destination, err)
	}
}
