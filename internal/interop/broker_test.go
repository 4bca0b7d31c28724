//go:build interop

package interop

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
)

// broker is one broker that the tests run on: how it is started, and what a Go
// client must know of it that is not the same for all.
type broker struct {
	name    string // as in the head of a table
	version string
	// start starts it and returns host and port.
	start func(t testing.TB) string

	// What a Go client puts before a name to make an address. The JMS client
	// learns it from the broker, except where jmsPrefix says that it does not.
	queuePrefix, topicPrefix string
	jmsQueuePrefix           string
	// Whether an address must come with the capability "queue" or "topic" to be
	// one; else the capability is harmless and left out.
	capabilities bool
	// declare makes a queue, for a broker that does not when a link asks for it.
	declare func(t testing.TB, conn *amqp.Conn, name string)
	// The only delivery mode that the broker takes; 0: it takes both.
	onlyMode int
}

func activeMQ() broker {
	return broker{
		name:    "AMQ",
		version: "ActiveMQ Classic 6.2.2",
		start: func(t testing.TB) string {
			return startEmbedded(t, "ActiveMQ Classic", "EmbeddedActiveMQ")
		},
		queuePrefix: "queue://",
		topicPrefix: "topic://",
	}
}

// startEmbedded starts a broker that is a main class of the Java side.
func startEmbedded(t testing.TB, name, class string) string {
	t.Helper()
	port := strconv.Itoa(freePort(t))
	cmd := java(class, port)
	// It runs until its standard input is closed.
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	startPeer(t, name, cmd).waitFor(t, "READY "+port, time.Minute)
	return "127.0.0.1:" + port
}

// client is a Go client of a broker.
type client struct {
	broker  broker
	conn    *amqp.Conn
	session *amqp.Session
}

const patience = 10 * time.Second

func (b broker) dial(t testing.TB, address string) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := amqp.Dial(ctx, "amqp://"+address, &amqp.ConnOptions{SASLType: amqp.SASLTypeAnonymous()})
	if err != nil {
		t.Fatalf("%s: %v", b.version, err)
	}
	t.Cleanup(func() { conn.Close() })
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		t.Fatalf("%s: %v", b.version, err)
	}
	return &client{broker: b, conn: conn, session: session}
}

// queue makes sure that there is a queue of this name, and returns it as the JMS
// application names it.
func (c *client) queue(t testing.TB, name string) value {
	t.Helper()
	if c.broker.declare != nil {
		c.broker.declare(t, c.conn, name)
	}
	return destination("queue", c.broker.jmsQueuePrefix+name)
}

// address is a queue as a Go client names it, with the capabilities to ask for.
func (c *client) address(queue string) (string, []string) {
	if c.broker.capabilities {
		return c.broker.queuePrefix + queue, []string{"queue"}
	}
	return c.broker.queuePrefix + queue, nil
}

// send sends to a queue, and waits until the broker has taken the message.
func (c *client) send(t testing.TB, queue string, m *amqp.Message) {
	t.Helper()
	address, capabilities := c.address(queue)
	c.sendTo(t, address, capabilities, m)
}

// sendTo is send for any address.
func (c *client) sendTo(t testing.TB, address string, capabilities []string, m *amqp.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := c.session.NewSender(ctx, address, &amqp.SenderOptions{TargetCapabilities: capabilities})
	if err != nil {
		t.Fatalf("sender to %s: %v", address, err)
	}
	defer s.Close(context.WithoutCancel(ctx))
	if err := s.Send(ctx, m, nil); err != nil {
		t.Fatalf("send to %s: %v", address, err)
	}
}

// receive takes the next message of a queue, which must come, and accepts it.
func (c *client) receive(t testing.TB, queue string) *amqp.Message {
	t.Helper()
	address, capabilities := c.address(queue)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := c.session.NewReceiver(ctx, address, &amqp.ReceiverOptions{SourceCapabilities: capabilities})
	if err != nil {
		t.Fatalf("receiver from %s: %v", address, err)
	}
	defer r.Close(context.WithoutCancel(ctx))
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
