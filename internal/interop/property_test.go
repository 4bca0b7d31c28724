//go:build interop

package interop

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

func propertyFeatures() []feature {
	return []feature{
		{name: "properties of every type: Go to JMS", run: propertiesToJMS},
		{name: "properties of every type: JMS to Go", run: propertiesToGo},
		{name: "properties of AMQP's own types: Go to Go", run: propertiesOfAMQP},
		{name: "JMSType, JMSTimestamp, JMSDestination, JMSReplyTo: Go to JMS", run: fieldsToJMS},
		{name: "JMSType, JMSTimestamp, JMSDestination, JMSReplyTo: JMS to Go", run: fieldsToGo},
		{name: "JMSXGroupID, JMSXGroupSeq: Go to JMS", run: groupFieldsToJMS},
		{name: "JMSXGroupID, JMSXGroupSeq: JMS to Go", run: groupFieldsToGo},
		{name: "JMSXUserID: Go to JMS", run: userIDToJMS},
	}
}

func propertiesToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	m := text("")
	require.NoError(t, s.writer().SetProperties(m, withNull))
	s.client.send(t, s.producer(q), m)
	got := s.app.receive(t, q.jms)
	for _, name := range slices.Sorted(maps.Keys(withNull)) {
		if v, ok := got.Properties[name]; ok {
			d.want("property "+name, jms(withNull[name]), v)
		} else {
			d.note("property %s is gone", name)
		}
	}
	d.want("how many properties there are", len(withNull)+1, len(got.PropertyNames)) // and JMSXDeliveryCount
	return d
}

func propertiesToGo(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	m := message{DeliveryMode: s.jmsMode()}
	names := slices.Sorted(maps.Keys(withNull))
	for _, name := range names {
		m.Properties = append(m.Properties, property{name, jms(withNull[name])})
	}
	s.app.send(t, q.jms, m)
	got := s.client.receive(t, q).view
	for _, name := range names {
		p := got.Property(name)
		if !p.Exists() {
			d.note("property %s is gone", name)
			continue
		}
		v, err := p.Raw()
		require.NoError(t, err)
		d.want("property "+name, fmt.Sprintf("%#v", withNull[name]), fmt.Sprintf("%#v", v))
	}
	d.want("how many properties there are", len(names)+1, len(must(got.PropertyNames())))
	return d
}

// ofAMQP has values of types that JMS has no word for.
var ofAMQP = map[string]any{
	"ubyte": uint8(200), "ushort": uint16(60000), "uint": uint32(4e9), "ulong": uint64(1 << 63),
	"timestamp": time.UnixMilli(1_796_053_099_649).UTC(),
	"uuid":      amqp.UUID{0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0},
	"binary":    []byte{0xca, 0xfe},
}

func propertiesOfAMQP(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	m := text("")
	m.ApplicationProperties = ofAMQP
	s.client.send(t, s.producer(q), m)
	got := s.client.receive(t, q).raw
	for _, name := range slices.Sorted(maps.Keys(ofAMQP)) {
		v, err := got.ApplicationProperty(name)
		require.NoError(t, err)
		if v == nil {
			d.note("property %s is gone", name)
			continue
		}
		d.want("property "+name, name, v.Type())
	}
	return d
}

func fieldsToJMS(t *testing.T, s *site) (d diff) {
	q, answers := s.node(t, "queue"), s.node(t, "answers")
	m := text("")
	require.NoError(t, s.writer().SetType(m, amqpjms.Some("a type")))
	require.NoError(t, s.writer().SetReplyTo(m, answers.destination))
	stamp := s.client.send(t, s.producer(q), m)
	got := s.app.receive(t, q.jms)
	d.want("JMSType", jms("a type"), got.JMSType)
	d.want("JMSTimestamp", jms(stamp.Timestamp), got.JMSTimestamp)
	d.want("JMSDeliveryTime", jms(stamp.DeliveryTime), got.JMSDeliveryTime)
	d.want("JMSMessageID", jms(stamp.MessageID.JMSMessageID()), got.JMSMessageID)
	d.want("JMSDestination", q.jms, got.JMSDestination)
	d.want("JMSReplyTo", answers.jms, got.JMSReplyTo)
	return d
}

func fieldsToGo(t *testing.T, s *site) (d diff) {
	q, answers := s.node(t, "queue"), s.node(t, "answers")
	sent := s.app.send(t, q.jms, message{
		Headers:      map[string]value{"JMSType": jms("a type"), "JMSReplyTo": answers.jms},
		DeliveryMode: s.jmsMode(),
	})
	m := s.client.receive(t, q)
	got := m.view
	d.want("JMSType", amqpjms.Some("a type"), must(got.Type()))
	d.want("JMSTimestamp", sent.JMSTimestamp, jms(must(got.Timestamp())))
	deliveryTime, err := got.DeliveryTime()
	require.NoError(t, err)
	d.want("JMSDeliveryTime", sent.JMSDeliveryTime, jms(deliveryTime))
	d.want("JMSMessageID", sent.JMSMessageID, jms(messageID(t, m)))
	to, err := got.Destination()
	require.NoError(t, err)
	d.want("JMSDestination", q.destination, to)
	replyTo, err := got.ReplyTo()
	require.NoError(t, err)
	d.want("JMSReplyTo", answers.destination, replyTo)
	return d
}

func groupFieldsToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	for _, seq := range []int32{1, -2} {
		m := text("")
		require.NoError(t, s.writer().SetGroup(m, amqpjms.Some("a group"), amqpjms.Some(seq)))
		s.client.send(t, s.producer(q), m)
		got := s.app.receive(t, q.jms)
		d.want("JMSXGroupID", jms("a group"), got.Special["JMSXGroupID"].Value)
		d.want("JMSXGroupSeq", jms(seq), got.Special["JMSXGroupSeq"].Value)
	}
	return d
}

func groupFieldsToGo(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	for _, seq := range []int32{1, -2} {
		s.app.send(t, q.jms, message{
			Properties:   []property{{"JMSXGroupID", jms("a group")}, {"JMSXGroupSeq", jms(seq)}},
			DeliveryMode: s.jmsMode(),
		})
		got := s.client.receive(t, q).view
		d.want("JMSXGroupID", amqpjms.Some("a group"), must(got.GroupID()))
		d.want("JMSXGroupSeq", amqpjms.Some(seq), must(got.GroupSeq()))
	}
	return d
}

func userIDToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	p := s.producer(q)
	p.UserID = "someone"
	m := text("")
	prepare(t, p, m)
	if err := s.try(t, q.destination, m); err != nil {
		d.refused("it", err)
		return d
	}
	d.want("JMSXUserID", jms("someone"), s.app.receive(t, q.jms).Special["JMSXUserID"].Value)
	return d
}
