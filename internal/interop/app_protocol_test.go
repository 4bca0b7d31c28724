//go:build interop

package interop

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestApp shows that the JMS application does what README.md says, with messages
// that it sends to itself.
func TestApp(t *testing.T) {
	a := startApp(t, "amqp://"+activeMQ().start(t))
	q := destination("queue", "app")
	atOnce := int64(0)

	t.Run("kinds of message", func(t *testing.T) {
		list := []any{true, int8(-1), int16(-2), int32(-3), int64(-4), float32(1.5), -0.25, "x", []byte{0xca, 0xfe}, nil}
		for _, c := range []struct {
			kind string
			body any
			got  string
			want string
		}{
			{"message", nil, "message", "none"},
			{"text", "a \"q\" é \U0001f600\n", "text", `string "a \"q\" é 😀\n"`},
			{"text", nil, "text", "null"},
			{"bytes", []byte{0, 0xff}, "bytes", "bytes 00ff"},
			{"map", map[string]any{"l": int64(1), "s": "x"}, "map", `map {string "l" = long 1, string "s" = string "x"}`},
			{"stream", list, "stream", `list [boolean true, byte -1, short -2, int -3, long -4, float 1.5/3fc00000, double -0.25/bfd0000000000000, string "x", bytes cafe, null]`},
			{"object", "serialized", "object", `string "serialized"`},
			{"typed-object", []any{int64(7)}, "object", "list [long 7]"},
		} {
			m := message{Kind: c.kind}
			if c.body != nil {
				m.Body = ptr(jms(c.body))
			}
			assert.Equal(t, c.got, a.send(t, q, m).Type, c.kind)
			v := a.receive(t, q)
			assert.Equal(t, c.got, v.Type, c.kind)
			assert.Equal(t, c.want, v.Body.String(), c.kind)
		}
	})

	t.Run("headers and properties", func(t *testing.T) {
		priority := 9
		sent := a.send(t, q, message{
			Headers: map[string]value{
				"JMSCorrelationID": jms("ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"),
				"JMSReplyTo":       destination("topic", "answers"),
				"JMSType":          jms("t"),
			},
			Properties: []property{
				{"b", jms(int8(1))}, {"s", jms("42")}, {"JMSXGroupID", jms("g")}, {"JMSXGroupSeq", jms(int32(3))},
			},
			DeliveryMode: 1, Priority: &priority, TimeToLive: 60_000,
		})
		got := a.receive(t, q)
		for _, v := range []view{sent, got} {
			assert.Equal(t, `string "ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"`, v.JMSCorrelationID.String())
			assert.Equal(t, `topic "answers"`, v.JMSReplyTo.String())
			assert.Equal(t, `string "t"`, v.JMSType.String())
			assert.Equal(t, "int 1", v.JMSDeliveryMode.String())
			assert.Equal(t, "int 9", v.JMSPriority.String())
			assert.Equal(t, "byte 1", v.Properties["b"].String())
			assert.Equal(t, `string "1"`, v.PropertiesAsString["b"].String())
			assert.Equal(t, "long 42", v.PropertiesAsLong["s"].String())
			assert.Equal(t, `string "g"`, v.Special["JMSXGroupID"].Value.String())
			assert.Equal(t, "int 3", v.Special["JMSXGroupSeq"].Value.String())
			assert.Equal(t, []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "b", "s"}, v.PropertyNames)
		}
		assert.Equal(t, sent.JMSMessageID.String(), got.JMSMessageID.String())
		assert.Equal(t, sent.JMSTimestamp.String(), got.JMSTimestamp.String())
		assert.NotEqual(t, "long 0", sent.JMSExpiration.String())
	})

	t.Run("hints", func(t *testing.T) {
		sent := a.send(t, q, message{DisableMessageID: true, DisableMessageTimestamp: true})
		assert.Equal(t, "null", sent.JMSMessageID.String())
		assert.Equal(t, "long 0", sent.JMSTimestamp.String())
		a.receive(t, q)
	})

	t.Run("delay", func(t *testing.T) {
		sent := a.send(t, q, message{DeliveryDelay: 300})
		none := a.must(t, command{Op: "receive", Destination: &q, Timeout: &atOnce})
		assert.Nil(t, none.Message, "before its time")
		got := a.receive(t, q)
		assert.Equal(t, sent.JMSDeliveryTime.String(), got.JMSDeliveryTime.String())
	})

	t.Run("selector", func(t *testing.T) {
		a.send(t, q, message{Properties: []property{{"n", jms(int32(1))}}})
		a.send(t, q, message{Properties: []property{{"n", jms(int32(2))}}})
		got := a.must(t, command{Op: "receive", Destination: &q, Selector: "n > 1"}).Message
		require.NotNil(t, got)
		assert.Equal(t, "int 2", got.Properties["n"].String())
		a.receive(t, q)
	})

	t.Run("topic", func(t *testing.T) {
		topic := destination("topic", "news")
		a.must(t, command{Op: "subscribe", Consumer: "reader", Destination: &topic})
		a.send(t, topic, message{Body: ptr(jms("extra"))})
		got := a.must(t, command{Op: "receive", Consumer: "reader"}).Message
		require.NotNil(t, got)
		assert.Equal(t, `string "extra"`, got.Body.String())
		a.must(t, command{Op: "unsubscribe", Consumer: "reader"})
	})

	// Each way to end leaves the message on the queue, or does not.
	for _, c := range []struct{ ack, then, count string }{
		{"auto", "", ""},
		{"client", "acknowledge", ""},
		{"client", "recover", "int 2"},
		{"transacted", "commit", ""},
		{"transacted", "rollback", "int 2"},
	} {
		t.Run(c.ack+" "+c.then, func(t *testing.T) {
			a.send(t, q, message{Transacted: c.ack == "transacted"})
			a.must(t, command{Op: "subscribe", Consumer: "c", Destination: &q, Ack: c.ack})
			got := a.must(t, command{Op: "receive", Consumer: "c", Then: c.then}).Message
			require.NotNil(t, got)
			assert.Equal(t, "int 1", got.Special["JMSXDeliveryCount"].Value.String())
			timeout := int64(200)
			again := a.must(t, command{Op: "receive", Consumer: "c", Timeout: &timeout}).Message
			if c.count == "" {
				assert.Nil(t, again)
			} else {
				require.NotNil(t, again)
				assert.Equal(t, c.count, again.Special["JMSXDeliveryCount"].Value.String())
				assert.Equal(t, "boolean true", again.JMSRedelivered.String())
			}
			a.must(t, command{Op: "unsubscribe", Consumer: "c"})
			left := a.must(t, command{Op: "receive", Destination: &q, Timeout: &atOnce})
			assert.Nil(t, left.Message)
		})
	}

	t.Run("errors are answers", func(t *testing.T) {
		for _, c := range []struct {
			command command
			want    string
		}{
			{command{Op: "sing"}, `command: error "no such command: sing"`},
			{command{Op: "receive", Consumer: "nobody"}, `command: error "no such consumer: nobody"`},
			{command{Op: "receive", Destination: &q, Selector: "=="}, `createConsumer: error `},
			{command{Op: "send", Destination: &q, message: message{Properties: []property{{"a-b", jms("x")}}}}, `setProperty a-b: error `},
			{command{Op: "send", Destination: &q, message: message{Priority: ptr(10)}}, `configureProducer: error `},
			{command{Op: "send", Destination: ptr(destination("temporary-queue", "gone"))}, `createMessage: error "no such temporary destination: gone"`},
		} {
			_, err := a.do(t, c.command)
			assert.ErrorContains(t, err, c.want)
		}
		a.must(t, command{Op: "close"})
		_, err := a.do(t, command{Op: "send", Destination: &q})
		assert.ErrorContains(t, err, "not connected")
	})

	t.Run("quit", func(t *testing.T) {
		_, err := a.in.Write([]byte("{\"op\": \"quit\"}\n"))
		require.NoError(t, err)
		<-a.peer.exited
		assert.NoError(t, a.peer.err)
	})
}
