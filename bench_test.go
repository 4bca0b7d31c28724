package amqpjms

import (
	"bytes"
	"strconv"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
)

// typicalMessage returns a message as a JMS application might send it: header,
// three annotations, eight properties, three application properties, a body of
// data.
func typicalMessage(tb testing.TB, body int) (*amqp.Message, []byte) {
	tb.Helper()
	to, subject, replyTo, contentType, groupID := "orders", "order", "replies", "application/octet-stream", "customer-4711"
	sent := time.UnixMilli(1796053099649)
	m := &amqp.Message{
		Header: &amqp.MessageHeader{Durable: true, Priority: 7, TTL: time.Minute},
		Annotations: amqp.Annotations{
			"x-opt-jms-dest": int8(0), "x-opt-jms-msg-type": int8(3), "x-opt-delivery-time": int64(1796053109649),
		},
		Properties: &amqp.MessageProperties{
			MessageID: "ID:958b1782-9817-4d4a-8d96-67c7dd5c1f6e:1:1:1-1", To: &to, Subject: &subject, ReplyTo: &replyTo,
			CorrelationID: uint64(42), ContentType: &contentType, CreationTime: &sent, GroupID: &groupID,
		},
		ApplicationProperties: map[string]any{"region": "north", "count": int32(3), "urgent": true},
		Data:                  [][]byte{bytes.Repeat([]byte{'x'}, body)},
	}
	b, err := m.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return m, b
}

func bodySizes(b *testing.B, f func(b *testing.B, m *amqp.Message, wire []byte)) {
	for _, n := range []int{256, 4 << 10, 64 << 10, 1 << 20} {
		m, wire := typicalMessage(b, n)
		b.Run("body="+strconv.Itoa(n), func(b *testing.B) { f(b, m, wire) })
	}
}

func BenchmarkCut(b *testing.B) {
	b.Run("amqpjms", func(b *testing.B) {
		bodySizes(b, func(b *testing.B, _ *amqp.Message, wire []byte) {
			var m RawMessage
			dst := make([]byte, 0, 128)
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Parse(wire); err != nil {
					b.Fatal(err)
				}
				if _, err := m.AppendMessageID(dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("go-amqp", func(b *testing.B) {
		bodySizes(b, func(b *testing.B, _ *amqp.Message, wire []byte) {
			b.ReportAllocs()
			for b.Loop() {
				var m amqp.Message
				if err := m.UnmarshalBinary(wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

func BenchmarkHeader(b *testing.B) {
	m := &amqp.Message{Header: &amqp.MessageHeader{Durable: true, Priority: 7, TTL: time.Minute}}
	wire, err := m.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	h := Header{Mode: Persistent, Priority: Some[uint8](7), TTL: Some[uint32](60000)}
	b.Run("append/amqpjms", func(b *testing.B) {
		dst := make([]byte, 0, 64)
		b.ReportAllocs()
		for b.Loop() {
			_ = h.AppendTo(dst)
		}
	})
	b.Run("append/go-amqp", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.MarshalBinary(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parse/amqpjms", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ParseHeader(wire); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parse/go-amqp", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m amqp.Message
			if err := m.UnmarshalBinary(wire); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkExplicit(b *testing.B) {
	m, wire := typicalMessage(b, 256)
	b.Run("amqpjms/new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := AppendExplicit(nil, wire, Unstated); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("amqpjms/reused", func(b *testing.B) {
		dst := make([]byte, 0, 4096)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := AppendExplicit(dst, wire, Unstated); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("go-amqp", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.MarshalBinary(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
