//go:build interop

package interop

import (
	"fmt"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

const delay = 500 * time.Millisecond

func delayFeatures() []feature {
	return []feature{
		{name: "delivery delay: Go to JMS", run: delayToJMS},
		{name: "delivery delay: JMS to Go", run: delayToGo},
		{name: "delivery delay by x-opt-delivery-delay: Go to Go", run: func(t *testing.T, s *site) diff {
			return delayByForm(t, s, amqpjms.DelayRelative)
		}},
		{name: "delivery delay by AMQ_SCHEDULED_DELAY: Go to Go", run: func(t *testing.T, s *site) diff {
			return delayByForm(t, s, amqpjms.DelayProperty)
		}},
		{name: "delivery time in the past: Go to JMS", run: pastToJMS},
		{name: "delivery time in the past: Go to Go", run: pastToGo},
	}
}

// delayByForm shows which brokers heed another form of delay than the one that is
// proposed for them, and what is then left of JMSDeliveryTime.
func delayByForm(t *testing.T, s *site, form amqpjms.DelayForm) (d diff) {
	q := s.node(t, "queue")
	r := s.open(t, q)
	r.as.Peer.Delay = form
	p := s.producer(q)
	p.Peer.Delay = form
	p.DeliveryDelay = delay
	stamp := s.client.send(t, p, text(""))
	got := r.next(t)
	if time.Now().UnixMilli() < stamp.DeliveryTime {
		d.note("it comes at once")
	}
	read, err := got.view.DeliveryTime()
	require.NoError(t, err)
	d.want("JMSDeliveryTime after JMSTimestamp, in ms", stamp.DeliveryTime-stamp.Timestamp, read-must(got.view.Timestamp()))
	encoded, err := amqpjms.Consumer{Peer: p.Peer}.ViewRaw(got.raw, time.Time{}).DeliveryTime()
	require.NoError(t, err)
	d.want("JMSDeliveryTime as it is encoded", read, encoded)
	return d
}

// delayToJMS has Go send with a delay, and the JMS application wait.
func delayToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	s.must(t, command{Op: "subscribe", Consumer: "c", Destination: &q.jms})
	p := s.producer(q)
	p.DeliveryDelay = delay
	m := text("")
	before := time.Now()
	stamp, err := p.Prepare(m, before)
	if err != nil {
		d.refused("the delay", err)
		require.Equal(t, text(""), m)
		return d
	}
	require.Equal(t, before.UnixMilli()+delay.Milliseconds(), stamp.DeliveryTime)
	s.transmit(t, q.destination, m)
	got := s.must(t, command{Op: "receive", Consumer: "c"}).Message
	at := time.Now().UnixMilli()
	require.NotNil(t, got, "the JMS application received nothing")
	if at < stamp.DeliveryTime {
		d.note("delivered %d ms early", stamp.DeliveryTime-at)
	}
	d.want("JMSDeliveryTime", jms(stamp.DeliveryTime), got.JMSDeliveryTime)
	return d
}

// delayToGo has the JMS application send with a delay, and Go wait.
func delayToGo(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	sent, err := s.do(t, command{Op: "send", Destination: &q.jms, message: message{
		DeliveryDelay: delay.Milliseconds(), DeliveryMode: s.jmsMode(),
	}})
	if err != nil {
		d.refusedByJMS("the delay", err)
		return d
	}
	got := s.client.receive(t, q)
	at := time.Now().UnixMilli()
	want, err := amqpjms.Consumer{}.ViewRaw(got.raw, time.Time{}).DeliveryTime()
	require.NoError(t, err)
	if at < want {
		d.note("delivered %d ms early", want-at)
	}
	d.want("JMSDeliveryTime", sent.Observed.JMSDeliveryTime, jms(want))
	read, err := got.view.DeliveryTime()
	require.NoError(t, err)
	d.want("JMSDeliveryTime of the decoded message", want, read)
	if sentAt := got.Properties.CreationTime.UnixMilli(); want != sentAt+delay.Milliseconds() {
		d.note("JMSDeliveryTime is %d ms after JMSTimestamp", want-sentAt)
	}
	return d
}

// sendPast sends a message whose delivery time has passed, as a forwarder does behind a
// broker that served the delay, and then one without. It returns the first one's time.
func sendPast(t *testing.T, s *site, q node) int64 {
	at := time.Now().Add(-time.Hour).UnixMilli()
	m := text("due")
	prepare(t, s.producer(q), m)
	if m.Annotations == nil {
		m.Annotations = amqp.Annotations{}
	}
	m.Annotations["x-opt-delivery-time"] = at
	s.transmit(t, q.destination, m)
	s.client.send(t, s.producer(q), text("next"))
	return at
}

// A broker may take such a message through its scheduler, so that the one sent next comes first.
const withoutDelay = 2 * time.Second

// pastToJMS shows that the JMS application gets such a message at once.
func pastToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	s.must(t, command{Op: "subscribe", Consumer: "c", Destination: &q.jms})
	start, at := time.Now(), sendPast(t, s, q)
	for range 2 {
		got := s.must(t, command{Op: "receive", Consumer: "c"}).Message
		require.NotNil(t, got, "the JMS application received nothing")
		if got.Body.String() == jms("due").String() {
			d.inTime(start)
			d.want("JMSDeliveryTime", jms(at), got.JMSDeliveryTime)
		}
	}
	return d
}

func pastToGo(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	r := s.open(t, q)
	start, at := time.Now(), sendPast(t, s, q)
	for range 2 {
		got := r.next(t)
		if got.Value == "due" {
			d.inTime(start)
			read, err := got.view.DeliveryTime()
			require.NoError(t, err)
			d.want("JMSDeliveryTime", at, read)
			typed := func(v any) string { return fmt.Sprintf("%T %[1]v", v) }
			d.want("the annotation", typed(at), typed(got.Annotations["x-opt-delivery-time"]))
		}
	}
	return d
}

// inTime notes a message that came later than one that has no delay.
func (d *diff) inTime(sent time.Time) {
	if time.Since(sent) > withoutDelay {
		d.note("it waits")
	}
}
