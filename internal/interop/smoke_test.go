//go:build interop

package interop

import (
	"fmt"
	"testing"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterop runs on the brokers that Maven brings.
func TestInterop(t *testing.T) { onEach(t, activeMQ(), brokerJ(), artemis()) }

// onEach runs the tests on one broker after the other and prints what each did.
func onEach(t *testing.T, brokers ...broker) {
	results := newTable(brokers...)
	for _, b := range brokers {
		t.Run(b.name, func(t *testing.T) {
			c := b.dial(t, b.start(t))
			results.ran(b, c.version())
			smoke(t, results, c, startApp(t, "amqp://"+c.hostPort))
		})
	}
	fmt.Print(results)
}

const (
	typeAnnotation    = "x-opt-jms-msg-type"
	replyToAnnotation = "x-opt-jms-reply-to"
)

// smoke shows that messages pass in both directions, by the AMQP client alone.
func smoke(t *testing.T, results *table, c *client, a *app) {
	b := c.broker

	results.run(t, b, "Go to JMS", func(t *testing.T) string {
		q := c.queue(t, "smoke.go-to-jms")
		c.send(t, q, text("hello from Go"))

		got := a.receive(t, q.jms)
		assert.Equal(t, "text", got.Type)
		assert.Equal(t, `string "hello from Go"`, got.Body.String())
		assert.Equal(t, `string "ID:AMQP_ULONG:42"`, got.JMSMessageID.String())
		assert.Equal(t, "int 1", got.Special["JMSXDeliveryCount"].Value.String())
		return ""
	})

	results.run(t, b, "JMS to Go", func(t *testing.T) string {
		q := c.queue(t, "smoke.jms-to-go")
		sent := a.send(t, q.jms, message{
			Body:         ptr(jms("hello from JMS")),
			Headers:      map[string]value{"JMSType": jms("greeting")},
			Properties:   []property{{"long", jms(int64(5))}, {"float", jms(float32(1.5))}},
			DeliveryMode: b.onlyMode,
			Priority:     ptr(7),
		})

		got := c.receive(t, q)
		assert.Equal(t, "hello from JMS", got.Value)
		assert.Equal(t, int8(5), got.Annotations[typeAnnotation])
		assert.Equal(t, map[string]any{"long": int64(5), "float": float32(1.5)}, got.ApplicationProperties)
		require.NotNil(t, got.Properties)
		require.NotNil(t, got.Properties.Subject)
		assert.Equal(t, "greeting", *got.Properties.Subject)
		require.NotNil(t, got.Header)
		assert.Equal(t, uint8(7), got.Header.Priority)
		assert.Equal(t, fmt.Sprintf("string %q", got.Properties.MessageID), sent.JMSMessageID.String())
		return ""
	})

	results.run(t, b, "topics", func(t *testing.T) string {
		topic := c.topic("smoke")
		if b.noTopics {
			c.refuses(t, topic.address, nil)
			return "refuses subscriptions"
		}
		a.must(t, command{Op: "subscribe", Consumer: "reader", Destination: &topic.jms})
		defer a.must(t, command{Op: "unsubscribe", Consumer: "reader"})
		reader := c.open(t, topic)
		read := func(want string) {
			got := a.must(t, command{Op: "receive", Consumer: "reader"}).Message
			require.NotNil(t, got, "the JMS subscriber received nothing")
			assert.Equal(t, jms(want).String(), got.Body.String())
			assert.Equal(t, want, next(t, reader).Value)
		}

		c.send(t, topic, text("news from Go"))
		read("news from Go")
		a.send(t, topic.jms, message{Body: ptr(jms("news from JMS")), DeliveryMode: b.onlyMode})
		read("news from JMS")
		return ""
	})

	results.run(t, b, "JMS replies to Go", func(t *testing.T) string {
		requests, replies := c.queue(t, "smoke.requests"), c.queue(t, "smoke.replies")
		m := text("a request from Go")
		m.Properties.ReplyTo = &replies.address
		m.Annotations[replyToAnnotation] = int8(0)
		c.send(t, requests, m)

		answered := a.must(t, command{Op: "reply", Destination: &requests.jms, message: message{
			Body: ptr(jms("a reply from JMS")), DeliveryMode: b.onlyMode,
		}})
		require.NotNil(t, answered.Request, "the JMS application received no request")
		got := c.receive(t, replies)
		assert.Equal(t, "a reply from JMS", got.Value)
		assert.Equal(t, uint64(42), got.Properties.CorrelationID)
		return ""
	})

	// ask has the JMS application send a request and Go answer it.
	ask := func(t *testing.T, questions node, replyTo value) {
		sent := a.send(t, questions.jms, message{
			Body:         ptr(jms("a request from JMS")),
			Headers:      map[string]value{"JMSReplyTo": replyTo},
			DeliveryMode: b.onlyMode,
		})

		request := c.receive(t, questions)
		require.NotNil(t, request.Properties.ReplyTo)
		reply := text("a reply from Go")
		reply.Properties.CorrelationID = request.Properties.MessageID
		to := node{address: *request.Properties.ReplyTo}
		if kind := request.Annotations[replyToAnnotation]; replyTo.Kind == "queue" {
			assert.Equal(t, int8(0), kind)
			to.capabilities = questions.capabilities
		} else {
			assert.Equal(t, int8(2), kind)
		}
		c.send(t, to, reply)

		got := a.receive(t, replyTo)
		assert.Equal(t, `string "a reply from Go"`, got.Body.String())
		assert.Equal(t, sent.JMSMessageID.String(), got.JMSCorrelationID.String())
	}

	results.run(t, b, "Go replies to JMS", func(t *testing.T) string {
		ask(t, c.queue(t, "smoke.questions"), c.queue(t, "smoke.answers").jms)
		return ""
	})

	results.run(t, b, "temporary queues", func(t *testing.T) string {
		if b.noTemporaryQueues {
			c.refuses(t, "", &amqp.ReceiverOptions{DynamicAddress: true})
			return "refuses them"
		}
		temporary := a.must(t, command{Op: "temporary", Kind: "temporary-queue"}).Destination
		ask(t, c.queue(t, "smoke.questions"), *temporary)
		return ""
	})
}

// text is a text message, not persistent, with a message id that is a number.
func text(s string) *amqp.Message {
	return &amqp.Message{
		Header:      &amqp.MessageHeader{Priority: 4},
		Annotations: amqp.Annotations{typeAnnotation: int8(5)},
		Properties:  &amqp.MessageProperties{MessageID: uint64(42)},
		Value:       s,
	}
}

func ptr[T any](v T) *T { return &v }
