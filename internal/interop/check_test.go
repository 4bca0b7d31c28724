//go:build interop

package interop

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

// checkFeatures show the harm that Check claims of a broker, where no other row does.
func checkFeatures() []feature {
	return []feature{
		{name: "absolute-expiry-time alone: Go to Go", run: expiryAlone},
		{name: "delivery times of other types: Go to Go", run: delayTypes},
		{name: "other brokers' delays: Go to Go", run: othersDelays},
		{name: "a ubyte as x-opt-jms-msg-type: Go to JMS", run: ubyteKind},
		{name: "a group closed by JMSXGroupSeq -1", run: func(t *testing.T, s *site) diff { return groupClosed(t, s, -1) }},
		{name: "a group closed by JMSXGroupSeq -2", run: func(t *testing.T, s *site) diff { return groupClosed(t, s, -2) }},
		{name: "bare addresses: an anonymous Go to Go", run: bareAddress},
	}
}

// expiryAlone sends a message that expires by its absolute-expiry-time and has no ttl.
func expiryAlone(t *testing.T, s *site) diff {
	q := s.node(t, "queue")
	m := text("expired")
	prepare(t, s.producer(q), m)
	at := time.Now().Add(short)
	m.Properties.AbsoluteExpiryTime = &at
	s.transmit(t, q.destination, m)
	return expired(t, s, q)
}

// arrivesAtOnce sends a message that asks for a delay, and reports whether it comes before.
func arrivesAtOnce(t *testing.T, s *site, name string, ask func(m *amqp.Message, at time.Time)) bool {
	q := s.node(t, name)
	r := s.open(t, q)
	m := text("")
	prepare(t, s.producer(q), m)
	if m.Annotations == nil {
		m.Annotations = amqp.Annotations{}
	}
	at := time.Now().Add(delay)
	ask(m, at)
	s.transmit(t, q.destination, m)
	r.next(t)
	return time.Now().Before(at)
}

// delayTypes asks for a delay by x-opt-delivery-time in types that are not long.
func delayTypes(t *testing.T, s *site) (d diff) {
	for i, row := range []struct {
		name  string
		value func(ms int64) any
	}{
		{"long", func(ms int64) any { return ms }},
		{"timestamp", func(ms int64) any { return time.UnixMilli(ms) }},
		{"double", func(ms int64) any { return float64(ms) }},
		{"symbol", func(ms int64) any { return amqp.Symbol(fmt.Sprint(ms)) }},
		{"string", func(ms int64) any { return fmt.Sprint(ms) }},
	} {
		if arrivesAtOnce(t, s, fmt.Sprint(i), func(m *amqp.Message, at time.Time) {
			m.Annotations["x-opt-delivery-time"] = row.value(at.UnixMilli())
		}) {
			d.note("a %s comes at once", row.name)
		}
	}
	return d
}

// othersDelays asks for a delay in ways that some other broker or client has.
func othersDelays(t *testing.T, s *site) (d diff) {
	for i, row := range []struct {
		name string
		ask  func(m *amqp.Message, at time.Time)
	}{
		{"_AMQ_SCHED_DELIVERY", func(m *amqp.Message, at time.Time) {
			m.ApplicationProperties = map[string]any{"_AMQ_SCHED_DELIVERY": at.UnixMilli()}
		}},
		{"ScheduledEnqueueTimeUtc", func(m *amqp.Message, at time.Time) {
			m.ApplicationProperties = map[string]any{"ScheduledEnqueueTimeUtc": at}
		}},
		{"x-opt-delivery-time as a property", func(m *amqp.Message, at time.Time) {
			m.ApplicationProperties = map[string]any{"x-opt-delivery-time": at.UnixMilli()}
		}},
		{"x-delay", func(m *amqp.Message, _ time.Time) { m.Annotations["x-delay"] = int32(delay.Milliseconds()) }},
	} {
		if arrivesAtOnce(t, s, fmt.Sprint(i), row.ask) {
			d.note("%s comes at once", row.name)
		}
	}
	return d
}

// ubyteKind has Go say the kind of message as go-amqp writes a byte of Go, a ubyte, and then a good message.
func ubyteKind(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	m := text("ubyte")
	prepare(t, s.producer(q), m)
	m.Annotations["x-opt-jms-msg-type"] = uint8(5)
	if err := s.try(t, q.destination, m); err != nil {
		d.refused("the message", err)
	}
	s.client.send(t, s.producer(q), text("good"))
	var got []string
	for range 2 {
		v := s.must(t, command{Op: "receive", Destination: &q.jms, Timeout: ptr(int64(1000))}).Message
		if v == nil {
			break
		}
		got = append(got, v.Body.String())
	}
	if !slices.Contains(got, jms("ubyte").String()) {
		d.note("the application never gets it")
	}
	if !slices.Contains(got, jms("good").String()) {
		d.note("nor what is behind it")
	}
	return d
}

// bareAddress has an anonymous sender send to the name of a queue, which is not an address of every broker.
func bareAddress(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	r := s.open(t, q)
	m := text("")
	prepare(t, s.producer(q), m)
	name := q.destination.Name
	m.Properties.To = &name
	sender, err := s.session.NewSender(t.Context(), "", nil)
	require.NoError(t, err)
	defer sender.Close(t.Context())
	if err := amqpjms.Send(t.Context(), sender, m); err != nil {
		d.refused("a bare name", err)
		return d
	}
	r.next(t)
	return d
}

// groupClosed sends a message with a JMSXGroupSeq to the owner of a group, who then has no credit, and looks whether the
// next message of the group goes to another consumer.
func groupClosed(t *testing.T, s *site, seq int32) (d diff) {
	q := s.queue(t, fmt.Sprint("group.assigned.closed", seq))
	manual := func(credit uint32) *receiver {
		r, err := s.tryOpen(t, q, amqp.ReceiverOptions{Credit: -1})
		require.NoError(t, err)
		require.NoError(t, r.IssueCredit(credit))
		return r
	}
	send := func(seq amqpjms.Opt[int32]) {
		m := text("")
		require.NoError(t, s.writer().SetGroup(m, amqpjms.Some("g"), seq))
		s.client.send(t, s.producer(q), m)
	}
	owner := manual(2)
	send(amqpjms.Opt[int32]{})
	owner.accept(t, owner.next(t))
	send(amqpjms.Some(seq))
	owner.accept(t, owner.next(t))
	other := manual(1)
	send(amqpjms.Opt[int32]{})
	if m := other.take(t, time.Second); m.Message != nil {
		other.accept(t, m)
		d.note("another consumer gets the next message")
	}
	return d
}
