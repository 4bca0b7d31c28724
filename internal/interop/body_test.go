//go:build interop

package interop

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

// everyType has a value of every type of JMS.
var everyType = map[string]any{
	"boolean": true, "byte": int8(-128), "short": int16(-32768), "int": int32(math.MinInt32), "long": int64(math.MinInt64),
	"float": float32(1.5), "double": -0.25, "string": "grüße",
}

// withNull and inBody are everyType with what else a property and a body may hold.
var (
	withNull = with(everyType, "null", nil)
	inBody   = with(withNull, "bytes", []byte{0xca, 0xfe})
	smile    = map[string]any{"smile": "\U0001f600"}
	inStream = []any{
		true, int8(-128), int16(-32768), int32(math.MinInt32), int64(math.MinInt64), float32(1.5), -0.25, "grüße \U0001f600", []byte{0xca, 0xfe}, nil,
	}
)

func with(m map[string]any, name string, v any) map[string]any {
	m = maps.Clone(m)
	m[name] = v
	return m
}

// serialized is what Java's ObjectOutputStream makes of the string "abc".
var serialized = []byte("\xac\xed\x00\x05t\x00\x03abc")

// bodies are messages of every kind: how Go writes them, and as the JMS application
// sends and sees them.
var bodies = []struct {
	kind amqpjms.MessageKind
	name string // of it
	set  func(amqpjms.Editor, *amqp.Message) error
	// As the JMS application says it.
	send string
	body value
	got  string
	// What Go reads.
	read func(amqpjms.View) (any, error)
	want any
}{
	{
		amqpjms.PlainMessage, "Message",
		func(w amqpjms.Editor, m *amqp.Message) error { w.SetPlain(m); return nil },
		"message", value{T: "none"}, "message",
		func(v amqpjms.View) (any, error) { b, err := v.Body(); return b.Value, err }, nil,
	}, {
		amqpjms.TextMessage, "TextMessage",
		func(w amqpjms.Editor, m *amqp.Message) error { return w.SetText(m, "grüße \U0001f600\n") },
		"text", jms("grüße \U0001f600\n"), "text",
		func(v amqpjms.View) (any, error) { return v.Text() }, amqpjms.Some("grüße \U0001f600\n"),
	}, {
		amqpjms.TextMessage, "empty TextMessage",
		func(w amqpjms.Editor, m *amqp.Message) error { return w.SetText(m, "") },
		"text", jms(""), "text",
		func(v amqpjms.View) (any, error) { return v.Text() }, amqpjms.Some(""),
	}, {
		amqpjms.TextMessage, "null TextMessage",
		func(w amqpjms.Editor, m *amqp.Message) error { w.SetNullText(m); return nil },
		"text", jms(nil), "text",
		func(v amqpjms.View) (any, error) { return v.Text() }, amqpjms.Opt[string]{},
	}, {
		amqpjms.BytesMessage, "BytesMessage",
		func(w amqpjms.Editor, m *amqp.Message) error { w.SetBytes(m, []byte{0, 0xff}); return nil },
		"bytes", jms([]byte{0, 0xff}), "bytes",
		func(v amqpjms.View) (any, error) { return v.Bytes() }, []byte{0, 0xff},
	}, {
		amqpjms.BytesMessage, "empty BytesMessage",
		func(w amqpjms.Editor, m *amqp.Message) error { w.SetBytes(m, nil); return nil },
		"bytes", jms([]byte{}), "bytes",
		func(v amqpjms.View) (any, error) { return v.Bytes() }, []byte{},
	}, {
		amqpjms.MapMessage, "MapMessage",
		func(w amqpjms.Editor, m *amqp.Message) error { return w.SetMap(m, inBody) },
		"map", jms(inBody), "map",
		func(v amqpjms.View) (any, error) { return v.Map() }, inBody,
	}, {
		amqpjms.MapMessage, "MapMessage of a character above U+FFFF",
		func(w amqpjms.Editor, m *amqp.Message) error { return w.SetMap(m, smile) },
		"map", jms(smile), "map",
		func(v amqpjms.View) (any, error) { return v.Map() }, smile,
	}, {
		amqpjms.StreamMessage, "StreamMessage",
		func(w amqpjms.Editor, m *amqp.Message) error { return w.SetStream(m, inStream) },
		"stream", jms(inStream), "stream",
		func(v amqpjms.View) (any, error) { return v.Stream() }, inStream,
	}, {
		amqpjms.ObjectMessage, "ObjectMessage, serialized",
		func(w amqpjms.Editor, m *amqp.Message) error { w.SetJavaObject(m, serialized); return nil },
		"object", jms("abc"), "object",
		func(v amqpjms.View) (any, error) { return v.Object() }, amqpjms.JavaObject(serialized),
	}, {
		amqpjms.ObjectMessage, "ObjectMessage, typed",
		func(w amqpjms.Editor, m *amqp.Message) error {
			return w.SetObject(m, []any{int64(7), map[string]any{"k": "v"}})
		},
		"typed-object", jms([]any{int64(7), map[string]any{"k": "v"}}), "object",
		func(v amqpjms.View) (any, error) { return v.Object() }, []any{int64(7), map[string]any{"k": "v"}},
	},
}

func bodyFeatures() []feature {
	var fs []feature
	for _, b := range bodies {
		fs = append(fs, feature{
			name: b.name + ": Go to JMS",
			run: func(t *testing.T, s *site) (d diff) {
				q := s.node(t, "queue")
				m := new(amqp.Message)
				require.NoError(t, b.set(s.writer(), m))
				s.client.send(t, s.producer(q), m)
				got := s.must(t, command{Op: "receive", Destination: &q.jms, Timeout: ptr[int64](2000)}).Message
				if got == nil {
					d.note("it is not received")
					return d
				}
				d.want("the kind", b.got, got.Type)
				d.want("the body", b.body, got.Body)
				return d
			},
		}, feature{
			name: b.name + ": JMS to Go",
			run: func(t *testing.T, s *site) (d diff) {
				q := s.node(t, "queue")
				m := message{Kind: b.send, DeliveryMode: s.jmsMode()}
				if b.body.T != "none" {
					m.Body = &b.body
				}
				if _, err := s.do(t, command{Op: "send", Destination: &q.jms, message: m}); err != nil {
					d.refusedByJMS("it", err)
					return d
				}
				got := s.client.receive(t, q)
				d.want("the kind", b.kind, must(got.view.Kind()))
				v, err := b.read(got.view)
				d.want("the error", nil, err)
				d.want("the body", fmt.Sprintf("%#v", b.want), fmt.Sprintf("%#v", v))
				return d
			},
		})
	}
	return append(fs,
		feature{name: "several data sections: Go to JMS", run: sectionsToJMS},
		feature{name: "several data sections: Go to Go", run: sectionsToGo},
	)
}

// sections sends a BytesMessage whose bytes are in two data sections.
func sections(t *testing.T, s *site, q node) {
	m := new(amqp.Message)
	s.writer().SetBody(m, amqpjms.Body{Annotation: int8(amqpjms.BytesMessage), Data: [][]byte{{1}, {2, 3}}})
	s.client.send(t, s.producer(q), m)
}

func sectionsToJMS(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	sections(t, s, q)
	d.want("the body", "bytes 010203", s.app.receive(t, q.jms).Body)
	return d
}

func sectionsToGo(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	sections(t, s, q)
	got := s.client.receive(t, q)
	b, err := got.view.Bytes()
	require.NoError(t, err)
	d.want("the bytes", []byte{1, 2, 3}, b)
	var kinds []amqpjms.SectionKind
	for section, err := range got.raw.BodySections() {
		require.NoError(t, err)
		kinds = append(kinds, section.Kind)
	}
	d.want("the sections", []amqpjms.SectionKind{amqpjms.SectionData, amqpjms.SectionData}, kinds)
	return d
}
