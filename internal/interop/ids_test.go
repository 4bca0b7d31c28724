//go:build interop

package interop

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

// ids are ids of the four types as go-amqp has them, and what JMS makes of them
// (AMQPBINDMAP-15).
var ids = []struct {
	kind                     string
	wire                     any
	messageID, correlationID string
}{
	{"string", "ID:order-1", "ID:order-1", "ID:order-1"},
	{"string", "order 1", "ID:AMQP_NO_PREFIX:order 1", "order 1"},
	{"string", "ID:AMQP_ULONG:x", "ID:AMQP_STRING:ID:AMQP_ULONG:x", "ID:AMQP_STRING:ID:AMQP_ULONG:x"},
	{"ulong", uint64(0), "ID:AMQP_ULONG:0", "ID:AMQP_ULONG:0"},
	{"ulong", uint64(42), "ID:AMQP_ULONG:42", "ID:AMQP_ULONG:42"},
	{"ulong", uint64(math.MaxUint64), "ID:AMQP_ULONG:18446744073709551615", "ID:AMQP_ULONG:18446744073709551615"},
	{"uuid", amqp.UUID{0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0},
		"ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"},
	{"binary", []byte{0xca, 0xfe}, "ID:AMQP_BINARY:CAFE", "ID:AMQP_BINARY:CAFE"},
	{"binary", []byte{}, "ID:AMQP_BINARY:", "ID:AMQP_BINARY:"},
}

func idFeatures() []feature {
	var fs []feature
	for _, kind := range []string{"string", "ulong", "uuid", "binary"} {
		fs = append(fs, feature{
			name: "ids, " + kind + ": Go asks, JMS replies",
			run:  func(t *testing.T, s *site) diff { return goAsks(t, s, kind) },
		})
	}
	for _, kind := range []string{"string", "ulong", "uuid", "binary"} {
		fs = append(fs, feature{
			name: "ids, " + kind + ": JMS asks, Go replies",
			run:  func(t *testing.T, s *site) diff { return jmsAsks(t, s, kind) },
		})
	}
	return append(fs, feature{
		name: "ids, as the JMS client makes them: JMS asks, Go replies",
		run:  madeByJMS,
	})
}

// goAsks has Go send a request with a message-id, the JMS application answer it, and Go
// ask again with the correlation-id of the answer, which the application passes on.
func goAsks(t *testing.T, s *site, kind string) (d diff) {
	requests, replies := s.node(t, "requests"), s.node(t, "replies")
	ask := func(id, correlation amqpjms.ID, pass bool) (view, received) {
		m := text("a request from Go")
		require.NoError(t, s.writer().SetReplyTo(m, replies.destination))
		s.writer().SetCorrelationID(m, correlation)
		stamp, err := s.producer(requests).Stamp(time.Now(), id)
		require.NoError(t, err)
		require.NoError(t, stamp.Apply(m))
		s.transmit(t, requests.destination, m)
		answered := s.must(t, command{Op: "reply", Destination: &requests.jms, PassCorrelationID: pass, message: message{
			Body: ptr(jms("a reply from JMS")), DeliveryMode: s.jmsMode(),
		}})
		require.NotNil(t, answered.Request, "the JMS application received no request")
		return *answered.Request, s.client.receive(t, replies)
	}
	for _, c := range ids {
		if c.kind != kind {
			continue
		}
		id, err := amqpjms.IDFrom(c.wire)
		require.NoError(t, err)

		request, reply := ask(id, amqpjms.ID{}, false)
		d.want("JMSMessageID of the request", jms(c.messageID), request.JMSMessageID)
		d.want("JMSCorrelationID of the request", "null", request.JMSCorrelationID)
		correlation := correlationID(t, &d, "the reply", c.wire, reply)

		request, reply = ask(amqpjms.NewID(), correlation, true)
		d.want("JMSCorrelationID of the second request", jms(c.correlationID), request.JMSCorrelationID)
		correlationID(t, &d, "the second reply", c.wire, reply)
	}
	return d
}

// correlationID checks the type and value of a correlation-id that Go received, and
// returns it.
func correlationID(t *testing.T, d *diff, of string, want any, m received) amqpjms.ID {
	t.Helper()
	d.want("correlation-id of "+of, fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", m.Properties.CorrelationID))
	id, err := m.raw.CorrelationID()
	require.NoError(t, err)
	decoded, err := m.view.CorrelationID()
	require.NoError(t, err)
	d.want("correlation-id of "+of+" as it is encoded", decoded, id)
	return id
}

// messageID is the message-id of a message that Go received.
func messageID(t *testing.T, m received) string {
	t.Helper()
	id, err := m.view.MessageID()
	require.NoError(t, err)
	encoded, err := m.raw.AppendMessageID(nil)
	require.NoError(t, err)
	require.Equal(t, id.JMSMessageID(), string(encoded))
	return id.JMSMessageID()
}

// jmsAsks has the JMS application send a request with a JMSCorrelationID, and Go answer
// it twice: with that correlation-id, and with the request's message-id.
func jmsAsks(t *testing.T, s *site, kind string) (d diff) {
	questions, answers := s.node(t, "questions"), s.node(t, "answers")
	for _, c := range ids {
		if c.kind != kind {
			continue
		}
		sent := s.app.send(t, questions.jms, message{
			Body:         ptr(jms("a request from JMS")),
			Headers:      map[string]value{"JMSReplyTo": answers.jms, "JMSCorrelationID": jms(c.correlationID)},
			DeliveryMode: s.jmsMode(),
		})
		request := s.client.receive(t, questions)
		correlationID(t, &d, "the request", c.wire, request)
		d.want("the message-id", sent.JMSMessageID, jms(messageID(t, request)))

		reply := goReplies(t, s, request, amqpjms.CorrelationIDFirst, answers.jms)
		d.want("JMSCorrelationID of the reply", jms(c.correlationID), reply.JMSCorrelationID)
		reply = goReplies(t, s, request, amqpjms.MessageIDOnly, answers.jms)
		d.want("JMSCorrelationID of the reply to the message-id", sent.JMSMessageID, reply.JMSCorrelationID)
	}
	return d
}

// madeByJMS has the JMS application send requests whose message-ids are what its client
// can make: a string with ID:, a string without, a uuid.
func madeByJMS(t *testing.T, s *site) (d diff) {
	questions, answers := s.node(t, "questions"), s.node(t, "answers")
	for _, c := range []struct {
		policy string
		want   any
		prefix string // of JMSMessageID, which JMSCorrelationID has not
	}{
		{"PREFIXED_UUID_STRING", "", ""},
		{"UUID_STRING", "", "ID:AMQP_NO_PREFIX:"},
		{"UUID", amqp.UUID{}, ""},
	} {
		s.app.connect(t, s.url()+"?jms.messageIDPolicy.messageIDType="+c.policy)
		sent := s.app.send(t, questions.jms, message{
			Headers:      map[string]value{"JMSReplyTo": answers.jms},
			DeliveryMode: s.jmsMode(),
		})
		request := s.client.receive(t, questions)
		d.want("the type of "+c.policy, fmt.Sprintf("%T", c.want), fmt.Sprintf("%T", request.Properties.MessageID))
		d.want("the message-id of "+c.policy, sent.JMSMessageID, jms(messageID(t, request)))
		var id string
		mustUnmarshal(sent.JMSMessageID.V, &id)
		reply := goReplies(t, s, request, amqpjms.CorrelationIDFirst, answers.jms)
		d.want("JMSCorrelationID of the reply", jms(strings.TrimPrefix(id, c.prefix)), reply.JMSCorrelationID)
	}
	return d
}

// goReplies has Go answer a request of the JMS application, and that receive the answer.
func goReplies(t *testing.T, s *site, request received, c amqpjms.Correlation, from value) view {
	t.Helper()
	reply, to, err := request.view.Reply(c)
	require.NoError(t, err)
	require.NoError(t, s.writer().SetText(reply, "a reply from Go"))
	s.client.send(t, s.producer(node{destination: to}), reply)
	got := s.app.receive(t, from)
	require.Equal(t, jms("a reply from Go").String(), got.Body.String())
	return got
}
