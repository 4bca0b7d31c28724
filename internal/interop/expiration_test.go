//go:build interop

package interop

import (
	"testing"
	"time"

	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

func expirationFeatures() []feature {
	return []feature{
		{name: "JMSExpiration: Go to JMS", run: expirationToJMS},
		{name: "JMSExpiration: JMS to Go", run: expirationToGo},
		{name: "JMSExpiration of a ttl alone: Go to JMS", run: ttlToJMS},
		{name: "ttl that has waited: Go to Go", run: ttlThatWaited},
		{name: "expired: Go to Go", run: expiredToGo},
		{name: "expired: JMS to Go", run: expiredOfJMS},
	}
}

func expirationToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	p := s.producer(q)
	p.TimeToLive = time.Hour
	stamp := s.client.send(t, p, text(""))
	d.want("JMSExpiration", jms(stamp.Expiration), s.app.receive(t, q.jms).JMSExpiration)
	p.TimeToLive = 0
	s.client.send(t, p, text(""))
	d.want("JMSExpiration of what never expires", "long 0", s.app.receive(t, q.jms).JMSExpiration)
	return d
}

func expirationToGo(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	for _, ttl := range []time.Duration{time.Hour, 0} {
		sent := s.app.send(t, q.jms, message{TimeToLive: ttl.Milliseconds(), DeliveryMode: s.jmsMode()})
		got := s.client.receive(t, q)
		expiration, err := got.view.Expiration()
		require.NoError(t, err)
		d.want("JMSExpiration", sent.JMSExpiration, jms(expiration))
		encoded, err := amqpjms.Consumer{}.ViewRaw(got.raw, time.Time{}).Expiration() // which stands in the message
		require.NoError(t, err)
		d.want("JMSExpiration as it is encoded", expiration, encoded)
	}
	return d
}

// ttlToJMS has Go state a ttl and no expiration, which the receiver then makes of it.
func ttlToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	p := s.producer(q)
	p.WireTTL = amqpjms.Some(uint32(time.Hour.Milliseconds()))
	sent := s.client.send(t, p, text("")).Timestamp
	got := s.app.receive(t, q.jms)
	received := time.Now().UnixMilli()
	var expiration int64
	mustUnmarshal([]byte(unquote(got.JMSExpiration.V)), &expiration)
	if span := time.Hour.Milliseconds(); expiration < sent+span || expiration > received+span {
		d.note("JMSExpiration is not between the times of send and receipt and an hour")
	}
	return d
}

// ttlThatWaited has a message wait, after which it has less time to live.
func ttlThatWaited(t *testing.T, s *site) (d diff) {
	const ttl, wait = time.Hour, 50 * time.Millisecond
	q := s.node(t, "queue")
	p := s.producer(q)
	p.TimeToLive = ttl
	s.client.send(t, p, text(""))
	time.Sleep(wait)
	got := s.client.receive(t, q)
	left, ok := got.raw.Header.TTL.Get()
	d.want("that there is a ttl", true, ok)
	switch most := uint32((ttl - wait).Milliseconds()); {
	case left == uint32(ttl.Milliseconds()):
		d.note("the ttl is what it was")
	case left > most || left < most-10_000:
		d.note("the ttl has become %d", left)
	}
	return d
}

const short = 100 * time.Millisecond

func expiredToGo(t *testing.T, s *site) diff {
	q := s.node(t, "queue")
	p := s.producer(q)
	p.TimeToLive = short
	s.client.send(t, p, text("expired"))
	return expired(t, s, q)
}

func expiredOfJMS(t *testing.T, s *site) diff {
	q := s.node(t, "queue")
	s.app.send(t, q.jms, message{Body: ptr(jms("expired")), TimeToLive: short.Milliseconds(), DeliveryMode: s.jmsMode()})
	return expired(t, s, q)
}

// expired shows that Go does not receive an expired message, but the one behind it.
func expired(t *testing.T, s *site, q node) (d diff) {
	time.Sleep(2 * short)
	s.client.send(t, s.producer(q), text("fresh"))
	got, err := s.client.receive(t, q).view.Text()
	require.NoError(t, err)
	d.want("what is received", "fresh", got)
	return d
}
