//go:build interop

package interop

import (
	"testing"

	"github.com/seed-b113d664/amqpjms"
)

func headerFeatures() []feature {
	var fs []feature
	for _, mode := range []amqpjms.DeliveryMode{amqpjms.NonPersistent, amqpjms.Persistent} {
		fs = append(fs, feature{
			name: mode.String() + ": Go to JMS",
			run:  func(t *testing.T, s *site) diff { return modeToJMS(t, s, mode) },
		}, feature{
			name: mode.String() + ": JMS to Go",
			run:  func(t *testing.T, s *site) diff { return modeToGo(t, s, mode) },
		}, feature{
			name: mode.String() + ": Go to Go, as it is encoded",
			run:  func(t *testing.T, s *site) diff { return modeAsEncoded(t, s, mode) },
		})
	}
	return append(fs, feature{
		name: "no header, in contrast: Go to JMS",
		run:  noHeaderToJMS,
	}, feature{
		name: "no header, in contrast: Go to Go, as it is encoded",
		run:  noHeaderAsEncoded,
	}, feature{
		name: "JMSPriority 0, 4, 9: Go to JMS",
		run:  priorityToJMS,
	}, feature{
		name: "JMSPriority 0, 4, 9: JMS to Go",
		run:  priorityToGo,
	})
}

// sendMode has Go send with a delivery mode, and says whether the broker took it.
func sendMode(t *testing.T, s *site, q node, mode amqpjms.DeliveryMode, d *diff) bool {
	p := s.producer(q)
	p.Mode = mode
	m := text("")
	stamp := prepare(t, p, m)
	d.want("durable as it is sent", mode, encode(t, m).Header.Mode)
	d.want("the mode of the stamp", mode, stamp.Header.Mode)
	err := s.try(t, q.destination, m)
	if err != nil {
		d.refused("it", err)
	}
	return err == nil
}

func modeToJMS(t *testing.T, s *site, mode amqpjms.DeliveryMode) (d diff) {
	if q := s.node(t, "queue"); sendMode(t, s, q, mode, &d) {
		d.want("JMSDeliveryMode", jms(int32(mode)), s.app.receive(t, q.jms).JMSDeliveryMode)
	}
	return d
}

func modeAsEncoded(t *testing.T, s *site, mode amqpjms.DeliveryMode) (d diff) {
	if q := s.node(t, "queue"); sendMode(t, s, q, mode, &d) {
		d.want("durable", mode, s.client.receive(t, q).raw.Header.Mode)
	}
	return d
}

// sendNoHeader has Go send what the package would send as NON_PERSISTENT, but for the
// header.
func sendNoHeader(t *testing.T, s *site) node {
	q := s.node(t, "queue")
	p := s.producer(q)
	p.Mode = amqpjms.NonPersistent
	m := text("")
	prepare(t, p, m)
	m.Header = nil
	s.transmit(t, q.destination, m)
	return q
}

func noHeaderToJMS(t *testing.T, s *site) (d diff) {
	got := s.app.receive(t, sendNoHeader(t, s).jms)
	d.want("JMSDeliveryMode", jms(int32(amqpjms.NonPersistent)), got.JMSDeliveryMode)
	return d
}

func noHeaderAsEncoded(t *testing.T, s *site) (d diff) {
	got := s.client.receive(t, sendNoHeader(t, s))
	d.want("durable", amqpjms.ModeUnset, got.raw.Header.Mode)
	return d
}

// modeToGo has the JMS application send with a delivery mode.
func modeToGo(t *testing.T, s *site, mode amqpjms.DeliveryMode) (d diff) {
	q := s.node(t, "queue")
	sent, err := s.do(t, command{Op: "send", Destination: &q.jms, message: message{DeliveryMode: int(mode)}})
	if err != nil {
		d.refusedByJMS("it", err)
		return d
	}
	d.want("JMSDeliveryMode after send", jms(int32(mode)), sent.Observed.JMSDeliveryMode)
	got := s.client.receive(t, q)
	d.want("JMSDeliveryMode", mode, got.view.DeliveryMode())
	return d
}

func priorityToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	p := s.producer(q)
	for _, priority := range []uint8{0, 4, 9} {
		p.Priority = amqpjms.Some(priority)
		s.client.send(t, p, text(""))
		d.want("JMSPriority", jms(int32(priority)), s.app.receive(t, q.jms).JMSPriority)
	}
	return d
}

func priorityToGo(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	for _, priority := range []int{0, 4, 9} {
		s.app.send(t, q.jms, message{Priority: &priority, DeliveryMode: s.jmsMode()})
		got := s.client.receive(t, q)
		d.want("JMSPriority", priority, got.view.Priority())
	}
	return d
}
