//go:build interop

package interop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const delay = 500 * time.Millisecond

func delayFeatures() []feature {
	return []feature{
		{name: "delivery delay: Go to JMS", run: delayToJMS},
		{name: "delivery delay: JMS to Go", run: delayToGo},
	}
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
	want, err := got.raw.DeliveryTime()
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
