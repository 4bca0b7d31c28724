//go:build interop

package interop

import (
	"testing"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

func destinationFeatures() []feature {
	return []feature{
		{name: "topic: Go to both", run: topicFromGo},
		{name: "topic: JMS to both", run: topicFromJMS},
		{name: "temporary queue: JMS asks, Go replies", run: temporaryOfJMS},
		{name: "temporary queue: Go asks, JMS replies", run: temporaryOfGo},
	}
}

func topicFromGo(t *testing.T, s *site) diff {
	return topic(t, s, func(topic node) { s.client.send(t, s.producer(topic), text("news")) })
}

func topicFromJMS(t *testing.T, s *site) diff {
	return topic(t, s, func(topic node) {
		s.app.send(t, topic.jms, message{Body: ptr(jms("news")), DeliveryMode: s.jmsMode()})
	})
}

// topic shows that what is sent to a topic comes to a subscriber on either side.
func topic(t *testing.T, s *site, send func(node)) (d diff) {
	topic := s.topic(t, "news")
	r, err := s.tryOpen(t, topic, amqp.ReceiverOptions{})
	if err != nil {
		d.refused("Go's subscription", err)
	}
	_, jmsErr := s.do(t, command{Op: "subscribe", Consumer: "reader", Destination: &topic.jms})
	if jmsErr != nil {
		d.refusedByJMS("the JMS application's", jmsErr)
	}
	if err != nil || jmsErr != nil {
		return d
	}
	send(topic)
	got := s.must(t, command{Op: "receive", Consumer: "reader"}).Message
	require.NotNil(t, got, "the JMS subscriber received nothing")
	d.want("what JMS reads", jms("news"), got.Body)
	d.want("JMSDestination", topic.jms, got.JMSDestination)
	m := r.next(t)
	d.want("what Go reads", "news", m.Value)
	from, err := m.view.Destination()
	require.NoError(t, err)
	d.want("JMSDestination in Go", topic.destination, from)
	return d
}

// temporaryOfJMS has the JMS application ask for a reply to a temporary queue of its.
func temporaryOfJMS(t *testing.T, s *site) (d diff) {
	made, err := s.do(t, command{Op: "temporary", Kind: "temporary-queue"})
	if err != nil {
		d.refusedByJMS("the queue", err)
		return d
	}
	temporary := *made.Destination
	questions := s.node(t, "questions")
	sent := s.app.send(t, questions.jms, message{
		Headers:      map[string]value{"JMSReplyTo": temporary},
		DeliveryMode: s.jmsMode(),
	})
	request := s.client.receive(t, questions)
	replyTo, err := request.view.ReplyTo()
	require.NoError(t, err)
	d.want("the kind", amqpjms.TemporaryQueue, replyTo.Kind)
	reply := goReplies(t, s, request, amqpjms.CorrelationIDFirst, temporary)
	d.want("JMSCorrelationID", sent.JMSMessageID, reply.JMSCorrelationID)
	d.want("JMSDestination", temporary, reply.JMSDestination)
	return d
}

// temporaryOfGo has Go ask for a reply to a queue that goes with its link.
func temporaryOfGo(t *testing.T, s *site) (d diff) {
	r, err := s.tryOpen(t, node{}, amqp.ReceiverOptions{DynamicAddress: true})
	if err != nil {
		d.refused("the queue", err)
		return d
	}
	requests := s.node(t, "requests")
	request := text("a request from Go")
	replyTo := amqpjms.Destination{Kind: amqpjms.TemporaryQueue, Name: r.Address()}
	require.NoError(t, s.writer().SetReplyTo(request, replyTo))
	stamp := s.client.send(t, s.producer(requests), request)
	answered := s.must(t, command{Op: "reply", Destination: &requests.jms, message: message{
		Body: ptr(jms("a reply from JMS")), DeliveryMode: s.jmsMode(),
	}})
	require.NotNil(t, answered.Request, "the JMS application received no request")
	d.want("the kind", "temporary-queue", answered.Request.JMSReplyTo.Kind)
	reply := r.next(t)
	d.want("the reply", "a reply from JMS", reply.Value)
	correlationID(t, &d, "the reply", stamp.MessageID.Value(), reply)
	return d
}
