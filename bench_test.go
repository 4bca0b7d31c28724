package amqpjms

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

// A benchmark's name ends in what was measured: lib=amqpjms is this package, and others stand beside it: what does the
// same, or a yardstick. All before that is the operation, the same for those that are compared; in it, n= is the
// size of a row that shows what grows with what. internal/cmd/benchtable makes one table of them.
//
// What is measured stands between the braces of a loop over b.Loop, which keeps results that nobody looks at.

// measure runs a benchmark under a name that ends in lib.
func measure(b *testing.B, op, lib string, loop func(b *testing.B)) {
	b.Run(op+"/lib="+lib, func(b *testing.B) {
		b.ReportAllocs()
		loop(b)
	})
}

// besideGoAMQP runs one for this package, and one for what a user of go-amqp has in its place.
func besideGoAMQP(b *testing.B, op string, ours, goAMQP func(b *testing.B)) {
	measure(b, op, "amqpjms", ours)
	measure(b, op, "go-amqp", goAMQP)
}

// calling measures a function that is too slow for the cost of its call to matter.
func calling(f func() error) func(b *testing.B) {
	return func(b *testing.B) {
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// decoding is what go-amqp has in place of looking at bytes.
func decoding(encoded []byte) func(b *testing.B) {
	return calling(func() error { return new(amqp.Message).UnmarshalBinary(encoded) })
}

// encoding is what it has in place of appending them.
func encoding(m *amqp.Message) func(b *testing.B) {
	return calling(func() error { _, err := m.MarshalBinary(); return err })
}

// Ids of each kind, both ways. On the wire they are the one property of a message that has nothing else.
func BenchmarkIDs(b *testing.B) {
	dst := make([]byte, 0, 256)
	rows := kindsOfIDs(b)
	for _, row := range rows {
		measure(b, "AppendMessageID/"+row.name, "amqpjms", func(b *testing.B) {
			for b.Loop() {
				_ = row.id.AppendMessageID(dst)
			}
		})
	}
	for _, row := range rows {
		measure(b, "ParseID/"+row.name, "amqpjms", func(b *testing.B) {
			for b.Loop() {
				if _, err := ParseID(row.jms); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, row := range rows {
		_, encoded := propertiesWith(b, row.id)
		besideGoAMQP(b, "from the wire/"+row.name, func(b *testing.B) { cut(b, encoded) }, decoding(encoded))
	}
	for _, row := range rows {
		m, encoded := propertiesWith(b, row.id)
		var same amqp.Message
		require.NoError(b, same.UnmarshalBinary(appendPropertiesWith(nil, row.id)))
		again, err := same.MarshalBinary()
		require.NoError(b, err)
		require.Equal(b, encoded, again)
		besideGoAMQP(b, "to the wire/"+row.name, func(b *testing.B) {
			for b.Loop() {
				_ = appendPropertiesWith(dst, row.id)
			}
		}, encoding(m))
	}
}

// appendPropertiesWith appends a message of nothing but a message-id.
func appendPropertiesWith(b []byte, id ID) []byte {
	b = wire.AppendDescriptor(b, uint64(SectionProperties))
	start := len(b)
	b = id.AppendTo(wire.BeginList8(b))
	wire.EndList8(b, start, 1)
	return b
}

// cut measures Parse and AppendMessageID.
func cut(b *testing.B, encoded []byte) {
	var m RawMessage
	dst := make([]byte, 0, 128)
	for b.Loop() {
		if err := m.Parse(encoded); err != nil {
			b.Fatal(err)
		}
		if _, err := m.AppendMessageID(dst); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHeader(b *testing.B) {
	m := &amqp.Message{Header: &amqp.MessageHeader{Durable: true, Priority: 7, TTL: time.Minute}}
	encoded, err := m.MarshalBinary()
	require.NoError(b, err)
	h := Header{Mode: Persistent, Priority: Some[uint8](7), TTL: Some[uint32](60000)}
	parsed, err := ParseHeader(encoded)
	require.NoError(b, err)
	require.Equal(b, h, parsed)
	_, typical := typicalMessage(b, 256)
	require.True(b, bytes.HasPrefix(typical, encoded), "the header of a typical message")
	besideGoAMQP(b, "ParseHeader", func(b *testing.B) {
		for b.Loop() {
			if _, err := ParseHeader(encoded); err != nil {
				b.Fatal(err)
			}
		}
	}, decoding(encoded))
	besideGoAMQP(b, "Header.AppendTo", func(b *testing.B) {
		dst := make([]byte, 0, 64)
		for b.Loop() {
			_ = h.AppendTo(dst)
		}
	}, encoding(m))
}

var bodySizes = []struct {
	name string
	body int
}{{"256 B", 256}, {"4 KiB", 4 << 10}, {"64 KiB", 64 << 10}, {"1 MiB", 1 << 20}}

// Looking at a typical message, with bodies of several sizes.
func BenchmarkMessage(b *testing.B) {
	for _, size := range bodySizes {
		_, encoded := typicalMessage(b, size.body)
		besideGoAMQP(b, "Parse/"+size.name, func(b *testing.B) {
			var m RawMessage
			for b.Loop() {
				if err := m.Parse(encoded); err != nil {
					b.Fatal(err)
				}
			}
		}, decoding(encoded))
	}
	for _, size := range bodySizes {
		_, encoded := typicalMessage(b, size.body)
		besideGoAMQP(b, "Parse and AppendMessageID/"+size.name, func(b *testing.B) { cut(b, encoded) }, decoding(encoded))
	}
	for _, size := range bodySizes {
		_, encoded := typicalMessage(b, size.body)
		op := "peek/" + size.name
		besideGoAMQP(b, op, func(b *testing.B) { peek(b, encoded) }, decoding(encoded))
		// The lists and maps, the fields of the header, annotations, properties, application properties.
		const values = 4 + 3 + 2*3 + 11 + 2*3
		measure(b, op, "plain-walk", func(b *testing.B) {
			for b.Loop() {
				if n, whole := plainWalk(encoded); !whole || n != values {
					b.Fatal(n, whole)
				}
			}
		})
		measure(b, op, "checked-walk", func(b *testing.B) {
			for b.Loop() {
				if n, err := checkedWalk(encoded); err != nil || n != values {
					b.Fatal(n, err)
				}
			}
		})
	}

	m, encoded := typicalMessage(b, 256)
	besideGoAMQP(b, "AppendExplicit, dst nil", calling(func() error {
		_, err := AppendExplicit(nil, encoded, ModeUnset)
		return err
	}), encoding(m))
	besideGoAMQP(b, "AppendExplicit, dst reused", func(b *testing.B) {
		dst := make([]byte, 0, 4096)
		for b.Loop() {
			if _, err := AppendExplicit(dst, encoded, ModeUnset); err != nil {
				b.Fatal(err)
			}
		}
	}, encoding(m))
}

// A broker plugin changes one annotation of a typical message, or counts a delivery, from the bytes that it holds.
func BenchmarkChange(b *testing.B) {
	_, encoded := typicalMessage(b, 256)
	number, reason := any(int64(1796053104649)), any("expired")
	dst := make([]byte, 0, 4096)
	for _, row := range []struct {
		name   string
		c      Change
		count  bool
		byHand func(m *amqp.Message)
	}{
		{"one annotation set", Change{Annotations: []Entry{{AnnotationDeliveryTime, number}}}, false, func(m *amqp.Message) { m.Annotations["x-opt-delivery-time"] = number }},
		{"one annotation added", Change{Annotations: []Entry{{"x-opt-reason", reason}}}, false, func(m *amqp.Message) { m.Annotations["x-opt-reason"] = reason }},
		{"one annotation removed", Change{Annotations: []Entry{{AnnotationDeliveryTime, nil}}}, false, func(m *amqp.Message) { delete(m.Annotations, "x-opt-delivery-time") }},
		{"a delivery counted", Change{}, true, func(m *amqp.Message) { m.Header.DeliveryCount++ }},
	} {
		byHand := func() ([]byte, error) {
			var m amqp.Message
			if err := m.UnmarshalBinary(encoded); err != nil {
				return nil, err
			}
			row.byHand(&m)
			return m.MarshalBinary()
		}
		var m RawMessage
		changed := func() ([]byte, error) {
			if err := m.Parse(encoded); err != nil {
				return nil, err
			}
			c := row.c
			if row.count {
				c.Header = Some(m.Header.CountDelivery(ModeUnset))
			}
			return c.AppendTo(dst, &m)
		}
		decoded := func(f func() ([]byte, error)) func() (*amqp.Message, error) {
			return func() (*amqp.Message, error) {
				encoded, err := f()
				if err != nil {
					return nil, err
				}
				return unmarshal(encoded)
			}
		}
		requireAlike(b, decoded(changed), decoded(byHand))
		besideGoAMQP(b, "Parse and Change.AppendTo/"+row.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := changed(); err != nil {
					b.Fatal(err)
				}
			}
		}, calling(func() error { _, err := byHand(); return err }))
	}
}

// peek measures what a broker plugin looks at: header, message id, group id and delivery time. What is text it appends,
// or sees that it is there.
func peek(b *testing.B, encoded []byte) {
	var m RawMessage
	dst := make([]byte, 0, 128)
	c := Consumer{Peer: Artemis(), Destination: Destination{Kind: Queue, Name: "orders"}}
	received := sentAt()
	for b.Loop() {
		if err := m.Parse(encoded); err != nil {
			b.Fatal(err)
		}
		v := c.ViewRaw(&m, received)
		if _, err := m.AppendMessageID(dst); err != nil {
			b.Fatal(err)
		}
		if group, err := m.Property(FieldGroupID); err != nil || group == nil {
			b.Fatal(err)
		}
		if at, err := v.DeliveryTime(); err != nil || at == 0 || v.DeliveryMode() != Persistent {
			b.Fatal(err)
		}
	}
}

// plainWalk goes over every value before the body once, and returns how many there are, the lists and maps that are
// the sections among them, and whether they are all there. It is the yardstick for a peek: from each format code to
// the next, with no more checks than it takes not to run out of the bytes [amqp 1.2].
func plainWalk(b []byte) (values int, whole bool) {
	at := 0
	for at < len(b) {
		left := len(b) - at
		switch b[at] >> 4 {
		case 0x0: // the descriptor of a section
			if left < 3 {
				return values, false
			}
			if b[at+2] >= byte(SectionData) {
				return values, true
			}
			at += 3
			continue
		case 0x4:
			at++
		case 0x5:
			at += 2
		case 0x6:
			at += 3
		case 0x7:
			at += 5
		case 0x8:
			at += 9
		case 0x9:
			at += 17
		case 0xa:
			if left < 2 {
				return values, false
			}
			at += 2 + int(b[at+1])
		case 0xb:
			if left < 5 {
				return values, false
			}
			at += 5 + int(binary.BigEndian.Uint32(b[at+1:]))
		case 0xc: // a list or map: its size and count, then its values
			at += 3
		case 0xd:
			at += 9
		default:
			return values, false
		}
		values++
	}
	return values, at == len(b)
}

// checkedWalk is plainWalk with the checks that bytes of a stranger need: that there is such a section and such a format code,
// and that sizes and counts fit each other.
func checkedWalk(b []byte) (values int, err error) {
	r := wire.NewReader(b)
	for r.Len() > 0 {
		var outer wire.Outer
		var n int
		switch readSection(&r) {
		case SectionHeader, SectionProperties:
			outer, n = r.List()
		case SectionDeliveryAnnotations, SectionMessageAnnotations, SectionApplicationProperties:
			outer, n = r.Map()
			n *= 2
		default:
			return values, wireErr(&r)
		}
		for range n {
			r.Skip()
		}
		r.Leave(outer)
		values += 1 + n
	}
	return values, wireErr(&r)
}

func wireErr(r *wire.Reader) error {
	if err := r.Err(); err != nil {
		return wireError("message", 0, err)
	}
	return nil
}

// typicalProducer returns a producer of which much is asked, and a body that it sends.
func typicalProducer() (Producer, []byte) {
	return Producer{
		Peer: Artemis(), Destination: Destination{Kind: Queue, Name: "orders"}, Priority: Some[uint8](7),
		TimeToLive: time.Hour, DeliveryDelay: time.Second,
	}, bytes.Repeat([]byte{'x'}, 256)
}

// What a producer does, from a message that has its body to the one that is sent, and passing one on.
func BenchmarkProducer(b *testing.B) {
	p, body := typicalProducer()
	now, id := sentAt(), NewID()
	s, err := p.Stamp(now, id)
	require.NoError(b, err)
	measure(b, "Stamp", "amqpjms", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Stamp(now, id); err != nil {
				b.Fatal(err)
			}
		}
	})
	measure(b, "Apply", "amqpjms", calling(func() error {
		m := amqp.Message{Data: [][]byte{body}}
		return s.Apply(&m)
	}))

	prepared := func() (*amqp.Message, error) {
		m := amqp.NewMessage(body)
		_, err := p.Prepare(m, now)
		return m, err
	}
	byHand := func() (*amqp.Message, error) {
		m := amqp.NewMessage(body)
		m.Header = &amqp.MessageHeader{Durable: true, Priority: 7, TTL: time.Hour}
		to, created, expires := "orders", now, now.Add(time.Hour)
		m.Properties = &amqp.MessageProperties{
			MessageID: "ID:" + uuid.NewString(), To: &to, CreationTime: &created, AbsoluteExpiryTime: &expires,
		}
		m.Annotations = amqp.Annotations{
			"x-opt-jms-dest": int8(0), "x-opt-jms-msg-type": int8(3), "x-opt-delivery-time": now.Add(time.Second).UnixMilli(),
		}
		return m, nil
	}
	requireAlike(b, prepared, byHand)
	sending := func(f func() (*amqp.Message, error)) func(b *testing.B) {
		return calling(func() error {
			m, err := f()
			if err == nil {
				_, err = m.MarshalBinary()
			}
			return err
		})
	}
	besideGoAMQP(b, "Prepare and MarshalBinary", sending(prepared), sending(byHand))

	// A broker passes on a message with a delivery time, before it and after.
	_, encoded := typicalMessage(b, 256)
	dst := make([]byte, 0, 2*len(encoded))
	for _, row := range []struct {
		name string
		now  time.Time
	}{{"not yet due", now}, {"due", now.Add(10 * time.Second)}} {
		byHand := func() ([]byte, error) {
			var m amqp.Message
			if err := m.UnmarshalBinary(encoded); err != nil {
				return nil, err
			}
			m.Header.FirstAcquirer, m.Header.DeliveryCount, m.DeliveryAnnotations = false, 0, nil
			return m.MarshalBinary()
		}
		decoded := func(encoded []byte, err error) func() (*amqp.Message, error) {
			require.NoError(b, err)
			return func() (*amqp.Message, error) { return unmarshal(encoded) }
		}
		requireAlike(b, decoded(Forwarder{}.Append(nil, encoded, row.now)), decoded(byHand()))
		besideGoAMQP(b, "Forwarder.Append/"+row.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (Forwarder{}).Append(dst, encoded, row.now); err != nil {
					b.Fatal(err)
				}
			}
		}, calling(func() error { _, err := byHand(); return err }))
	}
	var received amqp.Message
	require.NoError(b, received.UnmarshalBinary(encoded))
	measure(b, "Forwarder.Forward", "amqpjms", calling(func() error {
		_, err := Forwarder{}.Forward(&received, now)
		return err
	}))
}

// requireAlike wants two messages to say the same, ids apart.
func requireAlike(b *testing.B, x, y func() (*amqp.Message, error)) {
	b.Helper()
	var said [2]amqp.Message
	for i, f := range []func() (*amqp.Message, error){x, y} {
		m, err := f()
		require.NoError(b, err)
		encoded, err := m.MarshalBinary()
		require.NoError(b, err)
		require.NoError(b, said[i].UnmarshalBinary(encoded))
		said[i].Properties.MessageID = nil
	}
	require.Equal(b, said[0], said[1])
}

// Reading every header field of a decoded message (ids are not made strings), in terms of the decoding before it.
func BenchmarkView(b *testing.B) {
	encoded := everyField(b)
	measure(b, "every JMS field", "amqpjms", func(b *testing.B) {
		var m amqp.Message
		require.NoError(b, m.UnmarshalBinary(encoded))
		r := Consumer{Peer: Artemis(), Destination: Destination{Kind: Queue, Name: "orders"}}
		received := sentAt()
		for b.Loop() {
			readFields(b, r.View(&m, received))
		}
	})
	measure(b, "every JMS field", "amqpjms-bytes", func(b *testing.B) {
		var m RawMessage
		r := Consumer{Peer: Artemis(), Destination: Destination{Kind: Queue, Name: "orders"}}
		received := sentAt()
		for b.Loop() {
			if err := m.Parse(encoded); err != nil {
				b.Fatal(err)
			}
			readFields(b, r.ViewRaw(&m, received))
		}
	})
	measure(b, "every JMS field", "decoding", decoding(encoded))
}

func readFields(b *testing.B, v View) {
	_, err1 := v.MessageID()
	_, err2 := v.CorrelationID()
	_, err3 := v.Destination()
	_, err4 := v.ReplyTo()
	_, err5 := v.DeliveryTime()
	_, err6 := v.Expiration()
	_, err7 := v.UserID()
	_, err8 := v.AnnotatedKind()
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || err5 != nil || err6 != nil || err7 != nil || err8 != nil {
		b.Fatal(err1, err2, err3, err4, err5, err6, err7, err8)
	}
	_, _, _, _ = v.DeliveryMode(), v.Priority(), v.Redelivered(), v.DeliveryCount()
	_, _, _, _, _ = must(v.Timestamp()), must(v.Type()), must(v.GroupID()), must(v.GroupSeq()), must(v.ReplyToGroupID())
	_, _, _ = must(v.ContentType()), must(v.ContentEncoding()), must(v.Kind())
}

// Nothing grows faster than what is put in. n is a number of bytes, annotations or characters.
func BenchmarkGrowth(b *testing.B) {
	sizes := []int{1e3, 1e4, 1e5, 1e6}
	growing := func(op string, sizes []int, loop func(n int) func(b *testing.B)) {
		for _, n := range sizes {
			measure(b, fmt.Sprintf("%s/n=%d", op, n), "amqpjms", loop(n))
		}
	}
	growing("peek, n bytes of body", sizes, func(n int) func(b *testing.B) {
		_, encoded := typicalMessage(b, n)
		return func(b *testing.B) { peek(b, encoded) }
	})
	growing("AppendExplicit, n bytes of body", sizes, func(n int) func(b *testing.B) {
		_, encoded := typicalMessage(b, n)
		dst := make([]byte, 0, 2*len(encoded))
		return calling(func() error { _, err := AppendExplicit(dst, encoded, ModeUnset); return err })
	})
	growing("Parse, n annotations", sizes, func(n int) func(b *testing.B) {
		encoded := withAnnotations(b, n)
		return calling(func() error { return new(RawMessage).Parse(encoded) })
	})
	growing("peek, the last of n annotations", sizes, func(n int) func(b *testing.B) {
		encoded := withAnnotations(b, n)
		return func(b *testing.B) { peek(b, encoded) }
	})
	growing("Forwarder.Append, n annotations", sizes, func(n int) func(b *testing.B) {
		encoded := withAnnotations(b, n)
		dst := make([]byte, 0, 2*len(encoded))
		now := sentAt()
		return calling(func() error { _, err := Forwarder{}.Append(dst, encoded, now); return err })
	})
	growing("View.Text, n bytes", sizes, func(n int) func(b *testing.B) {
		v := View{Message: &amqp.Message{Value: strings.Repeat("x", n)}}
		return calling(func() error { _, err := v.Text(); return err })
	})
	growing("View.PropertyNames (sorted), n properties", sizes, func(n int) func(b *testing.B) {
		m := amqp.Message{ApplicationProperties: make(map[string]any, n)}
		for i := range n {
			m.ApplicationProperties[fmt.Sprint("property", i)] = true
		}
		return calling(func() error {
			if got := len(must(View{Message: &m}.PropertyNames())); got < n {
				return fmt.Errorf("%d names", got)
			}
			return nil
		})
	})
	for _, kind := range []struct{ name, prefix, digits string }{
		{"string with ID:", "ID:", "x"},
		{"string with a marker", "ID:AMQP_STRING:ID:AMQP_UUID:", "x"},
		{"binary", "ID:AMQP_BINARY:", "AB"},
	} {
		lengths := []int{10, 100, 1e3, 1e4, 1e5}
		jms := func(n int) string { return kind.prefix + strings.Repeat(kind.digits, n/len(kind.digits)) }
		growing("AppendMessageID, n characters, "+kind.name, lengths, func(n int) func(b *testing.B) {
			id, err := ParseID(jms(n))
			require.NoError(b, err)
			dst := make([]byte, 0, 2*n+100)
			return func(b *testing.B) {
				for b.Loop() {
					_ = id.AppendMessageID(dst)
				}
			}
		})
		growing("ParseID, n characters, "+kind.name, lengths, func(n int) func(b *testing.B) {
			s := jms(n)
			return calling(func() error { _, err := ParseID(s); return err })
		})
	}
}

// withAnnotations returns a typical message with n more annotations, before the others.
func withAnnotations(tb testing.TB, n int) []byte {
	tb.Helper()
	_, encoded := typicalMessage(tb, 256)
	var m RawMessage
	require.NoError(tb, m.Parse(encoded))
	var pairs []byte
	for i := range n {
		pairs = wire.AppendLong(wire.AppendSymbol(pairs, fmt.Sprintf("x-opt-%07d", i)), int64(i))
	}
	r := wire.NewReader(m.MessageAnnotations)
	readSection(&r)
	_, own := r.Map()
	pairs = append(pairs, r.Remaining()...)
	annotations := wire.AppendMap(wire.AppendDescriptor(nil, uint64(SectionMessageAnnotations)), n+own, pairs)
	return slices.Concat(m.HeaderSection, m.DeliveryAnnotations, annotations, m.Properties, m.ApplicationProperties, m.Body)
}

// Messages that are made to cost: all that can be looked at costs time in proportion to their bytes, and no memory
// that these do not pay for.
func BenchmarkHostile(b *testing.B) {
	section := func(kind SectionKind, value []byte) []byte {
		return append(wire.AppendDescriptor(nil, uint64(kind)), value...)
	}
	annotation := func(value []byte) []byte {
		return section(SectionMessageAnnotations, wire.AppendMap(nil, 1, append(wire.AppendSymbol(nil, "x-opt-x"), value...)))
	}
	lists := func(n int) []byte { // one in the other
		const header = 9
		value := make([]byte, 0, n*header)
		for i := range n {
			inner := (n - 1 - i) * header
			count := min(n-1-i, 1)
			value = append(value, 0xd0)
			value = binary.BigEndian.AppendUint32(value, uint32(4+inner))
			value = binary.BigEndian.AppendUint32(value, uint32(count))
		}
		return value
	}
	described := func(n int) []byte { // descriptors of descriptors
		return append(bytes.Repeat([]byte{0}, n), bytes.Repeat([]byte{0x40}, n+1)...)
	}
	counting := func(code byte, n int, rest ...byte) []byte { // a declared count far above what n bytes hold
		value := binary.BigEndian.AppendUint32([]byte{code}, uint32(4+n+len(rest)))
		value = binary.BigEndian.AppendUint32(value, math.MaxUint32-1)
		return append(append(value, rest...), bytes.Repeat([]byte{0x40}, n)...)
	}
	pairs := func(n int, key []byte) []byte {
		return wire.AppendMap(nil, n, bytes.Repeat(append(key, 0x40), n))
	}
	rows := []struct {
		name    string
		message func(n int) []byte
		broken  bool
	}{
		{"n lists in one another as an annotation", func(n int) []byte { return annotation(lists(n)) }, false},
		{"n lists in one another as a body", func(n int) []byte { return section(SectionAMQPValue, lists(n)) }, false},
		{"n descriptors of descriptors as an annotation", func(n int) []byte { return annotation(described(n)) }, false},
		{"n descriptors of descriptors as a message-id", func(n int) []byte {
			value := binary.BigEndian.AppendUint32([]byte{0xd0}, uint32(4+2*n+1))
			return section(SectionProperties, append(binary.BigEndian.AppendUint32(value, 1), described(n)...))
		}, true},
		{"annotations that declare 2^32 values in n bytes", func(n int) []byte {
			return section(SectionMessageAnnotations, counting(0xd1, n))
		}, true},
		{"an array that declares 2^32 values in n bytes", func(n int) []byte { return annotation(counting(0xf0, n, 0x40)) }, false},
		{"a body that declares 2^32 values in n bytes", func(n int) []byte {
			return section(SectionAMQPSequence, counting(0xd0, n))
		}, false},
		{"n empty data sections", func(n int) []byte {
			return bytes.Repeat(section(SectionData, []byte{0xa0, 0}), n)
		}, false},
		{"n equal annotations", func(n int) []byte {
			return section(SectionMessageAnnotations, pairs(n, wire.AppendSymbol(nil, "x-opt-delivery-time")))
		}, false},
		{"n equal application properties", func(n int) []byte {
			return section(SectionApplicationProperties, pairs(n, wire.AppendString(nil, "AMQ_SCHEDULED_DELAY")))
		}, false},
	}
	for _, row := range rows {
		for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
			encoded := row.message(n)
			look := func(op string, f func() error) {
				measure(b, fmt.Sprintf("%s, %s/n=%d", op, row.name, n), "amqpjms", func(b *testing.B) {
					b.SetBytes(int64(len(encoded)))
					calling(f)(b)
				})
			}
			var m RawMessage
			look("RawMessage", func() error {
				if err := lookAtAll(&m, encoded); (err != nil) != row.broken {
					return fmt.Errorf("unexpected: %v", err)
				}
				return nil
			})
			look("Check", func() error { Check(encoded, Peer{}); return nil })
		}
	}
}

// lookAtAll calls what a RawMessage has, where it looks furthest: for what is not there.
func lookAtAll(m *RawMessage, encoded []byte) error {
	if err := m.Parse(encoded); err != nil {
		return err
	}
	for _, err := range m.BodySections() {
		if err != nil {
			return err
		}
	}
	received := time.UnixMilli(sent)
	_, err1 := m.MessageID()
	_, err2 := m.CorrelationID()
	_, err3 := m.Property(FieldReplyToGroupID)
	_, err4 := m.Annotation("none")
	_, err5 := m.DeliveryAnnotation("none")
	_, err6 := m.ApplicationProperty("none")
	v := Consumer{Peer: Peer{Delay: DelayProperty}}.ViewRaw(m, received)
	_, err7 := v.DeliveryTime()
	_, err8 := m.DelayRequest(received)
	_, err9 := v.Expiration()
	_, err10 := v.Timestamp()
	_, err11 := m.GroupKey(GroupIDHeader)
	_, err12 := m.GroupKey("none")
	_, err13 := v.Kind()
	return cmp.Or(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12, err13)
}

// typicalMessage returns a message as a JMS application might send it: header,
// three annotations, eight properties, three application properties, a body of
// data. Its bytes are always the same.
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
	var raw RawMessage
	require.NoError(tb, raw.Parse(b))
	sortEntries(tb, raw.MessageAnnotations)
	sortEntries(tb, raw.ApplicationProperties)
	return m, b
}

// sortEntries puts the entries of a section's map in one order, for go-amqp writes them in any, and benchmarks are to
// read the same bytes. The shortest key is first, so what a peek looks for is last.
func sortEntries(tb testing.TB, section []byte) {
	tb.Helper()
	r := wire.NewReader(section)
	readSection(&r)
	_, n := r.Map()
	first := r.Offset()
	var entries [][]byte
	for range n {
		start := r.Offset()
		r.SkipN(2)
		entries = append(entries, r.Since(start))
	}
	require.Nil(tb, r.Err())
	slices.SortFunc(entries, bytes.Compare)
	copy(section[first:], slices.Concat(entries...))
}

// kindsOfIDs are one id of each kind, with its JMSMessageID.
func kindsOfIDs(tb testing.TB) []struct {
	name string
	id   ID
	jms  string
} {
	rows := []struct {
		name string
		id   ID
		jms  string
	}{
		{name: "string with ID:", jms: "ID:958b1782-9817-4d4a-8d96-67c7dd5c1f6e:1:1:1-1"},
		{name: "string without ID:", jms: "ID:AMQP_NO_PREFIX:my-application-id"},
		{name: "string with a marker", jms: "ID:AMQP_STRING:ID:AMQP_ULONG:my-id"},
		{name: "ulong", jms: "ID:AMQP_ULONG:18446744073709551615"},
		{name: "uuid", jms: "ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"},
		{name: "binary", jms: "ID:AMQP_BINARY:000102030405060708090A0B0C0D0E0F"},
	}
	for i := range rows {
		var err error
		rows[i].id, err = ParseID(rows[i].jms)
		require.NoError(tb, err)
	}
	return rows
}

// propertiesWith is a message of nothing but a message-id, as go-amqp writes it.
func propertiesWith(tb testing.TB, id ID) (*amqp.Message, []byte) {
	m := &amqp.Message{Properties: &amqp.MessageProperties{MessageID: id.Value()}}
	wire, err := m.MarshalBinary()
	require.NoError(tb, err)
	return m, wire
}

var sink any // where what is measured escapes to

// What is measured here and on the JVM (internal/bench) works on the same bytes. This says that they are what they are
// called, and writes them to the file that BENCH_INPUTS names: a name and hex digits a line.
func TestPeerInputs(t *testing.T) {
	var file strings.Builder
	add := func(name string, b []byte) { fmt.Fprintf(&file, "%s %x\n", name, b) }
	for _, row := range kindsOfIDs(t) {
		encoded := row.id.AppendTo(nil)
		id, err := RawValue(encoded).ID()
		require.NoError(t, err)
		require.Equal(t, row.jms, id.JMSMessageID())
		add("id/"+row.name+"/jms", []byte(row.jms))
		add("id/"+row.name+"/wire", encoded)
	}
	for _, size := range bodySizes {
		_, encoded := typicalMessage(t, size.body)
		var m RawMessage
		require.NoError(t, m.Parse(encoded))
		require.Equal(t, size.body, bytes.Count(m.Body, []byte("x")))
		add("message/"+size.name, encoded)
		if size.body == 256 {
			add("header", m.HeaderSection)
		}
	}
	add("selected", selectedMessage(t))
	for _, row := range typicalSelectors {
		add("selector/"+row.name+"/text", []byte(row.text))
		add("selector/"+row.name+"/selects", []byte{byte(bit(row.selects))})
	}
	p, body := typicalProducer()
	prepared := amqp.NewMessage(body)
	_, err := p.Prepare(prepared, sentAt())
	require.NoError(t, err)
	encoded, err := prepared.MarshalBinary()
	require.NoError(t, err)
	add("prepared", encoded)
	if name := os.Getenv("BENCH_INPUTS"); name != "" {
		require.NoError(t, os.WriteFile(name, []byte(file.String()), 0o666))
	}
}

// A mapCycle is the unit of these benchmarks: inserting, looking up and deleting one entry of a map[uint64]int32 with 100,000
// others, in the same run. Unlike times, the ratio to it is comparable between machines.
type mapCycle struct {
	m    map[uint64]int32
	next uint64
}

var theMapCycle = sync.OnceValue(func() *mapCycle {
	const entries = 100_000
	c := &mapCycle{m: make(map[uint64]int32, entries)}
	for range entries {
		c.m[c.key()] = 1
	}
	return c
})

func (c *mapCycle) key() uint64 { c.next++; return c.next * 0x9e3779b97f4a7c15 }

func (c *mapCycle) run(n int) {
	for range n {
		k := c.key()
		c.m[k] = int32(k)
		if c.m[k] != int32(k) {
			panic("the map lost an entry")
		}
		delete(c.m, k)
	}
}

// besideMapCycle measures turns of n operations, and map cycles. turn returns the time that its operations took.
func besideMapCycle(b *testing.B, op string, n int, turn func(b *testing.B) time.Duration) {
	turn(b)
	measureTurns(b, op, "amqpjms", n, turn)
	mapCycles(b, op)
}

func mapCycles(b *testing.B, op string) {
	const n = 10_000
	c := theMapCycle()
	measureTurns(b, op, "map-cycle", n, func(*testing.B) time.Duration { return timed(func() { c.run(n) }) })
}

// measureTurns reports the time of one of n operations, and the allocations of the whole turn divided by n.
func measureTurns(b *testing.B, op, lib string, n int, turn func(b *testing.B) time.Duration) {
	measure(b, op, lib, func(b *testing.B) {
		var took time.Duration
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for b.Loop() {
			took += turn(b)
		}
		runtime.ReadMemStats(&after)
		operations := float64(b.N) * float64(n)
		b.ReportMetric(float64(took)/operations, "ns/op")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/operations, "allocs/op")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/operations, "B/op")
	})
}

// timed returns the time that f takes.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

type newQueue = func(GroupOptions[uint64]) *Groups[uint64]

var strategies = []struct {
	name string
	make newQueue
}{{"assigned", NewAssigned[uint64]}, {"shared", NewShared[uint64]}}

// groupNames returns n group keys.
func groupNames(n int) []GroupKey {
	keys := make([]GroupKey, n)
	for i := range keys {
		keys[i] = GroupKey{kind: groupText, text: fmt.Sprintf("group-%07d", i)}
	}
	return keys
}

func BenchmarkGroups(b *testing.B) {
	for _, bench := range []struct {
		op  string
		run func(b *testing.B, op string, queue newQueue)
	}{
		{"next, behind n blocked messages", benchmarkBehindBlocked},
		{"first next, behind n blocked messages", benchmarkFirstBehindBlocked},
		{"next, past 100,000 refused groups", benchmarkPastRefused},
		{"first next, for each group refused", benchmarkFirstRefusal},
		{"add, next, settle, 10,000 groups in turn", benchmarkInTurn},
		{"add, next, settle, 10,000 groups at random", benchmarkAtRandom},
		{"add, next, settle, n groups", benchmarkByGroups},
		{"add, next, settle, n messages", benchmarkByMessages},
		{"close, for each message, 1 group", benchmarkClose(1)},
		{"close, for each message, 1000 groups", benchmarkClose(1000)},
		{"close, for each message, 100,000 groups", benchmarkClose(100_000)},
	} {
		for _, s := range strategies {
			bench.run(b, bench.op+"/"+s.name, s.make)
		}
	}
	benchmarkSlowestAdd(b)
	benchmarkKey(b)
}

// A consumer takes messages behind many that belong to another one, which takes none.
func benchmarkBehindBlocked(b *testing.B, op string, queue newQueue) {
	const turn = 1000
	for _, blocked := range []int{1e3, 1e4, 1e5, 1e6} {
		g, mine := blockedQueue(queue, blocked, 100)
		c := g.Open(nil)
		var refs [turn]Ref
		besideMapCycle(b, fmt.Sprintf("%s/n=%d", op, blocked), turn, func(b *testing.B) time.Duration {
			for i := range turn {
				g.Add(uint64(i), mine[i%len(mine)])
			}
			took := timed(func() {
				for i := range turn {
					_, refs[i], _ = c.Next()
				}
			})
			for _, r := range refs {
				if !g.Settle(r) {
					b.Fatal("not given")
				}
			}
			return took
		})
	}
}

// The same, where each message is the first of its consumer.
func benchmarkFirstBehindBlocked(b *testing.B, op string, queue newQueue) {
	const turn = 1000
	for _, blocked := range []int{1e3, 1e4, 1e5, 1e6} {
		g, mine := blockedQueue(queue, blocked, turn)
		for i, k := range mine {
			g.Add(uint64(i), k)
		}
		var consumers [turn]*GroupConsumer[uint64]
		besideMapCycle(b, fmt.Sprintf("%s/n=%d", op, blocked), turn, func(b *testing.B) time.Duration {
			for i := range consumers {
				consumers[i] = g.Open(nil)
			}
			took := timed(func() {
				for _, c := range consumers {
					c.Next()
				}
			})
			for _, c := range consumers {
				if c.Close() != 1 {
					b.Fatal("not given")
				}
			}
			return took
		})
	}
}

// blockedQueue returns a queue that begins with messages of 100 groups that another consumer owns, and n groups without an
// owner.
func blockedQueue(queue newQueue, blocked, n int) (*Groups[uint64], []GroupKey) {
	const theirs = 100
	g := queue(GroupOptions[uint64]{})
	other := g.Open(nil)
	keys := groupNames(theirs + n)
	for _, k := range keys[:theirs] {
		g.Add(0, k)
		other.Next()
	}
	for i := range blocked {
		g.Add(uint64(i), keys[i%theirs])
	}
	return g, keys[theirs:]
}

// A consumer whose selector refuses the first messages of 100,000 groups takes the one that it accepts, again and again.
// Each time another consumer takes and releases a message that it refuses.
func benchmarkPastRefused(b *testing.B, op string, queue newQueue) {
	const groups, turn = 100_000, 1000
	g := queue(GroupOptions[uint64]{})
	c, other := g.Open(func(m uint64) bool { return m == 1 }), g.Open(nil)
	for _, k := range groupNames(groups) {
		g.Add(0, k)
	}
	mine := groupNames(groups + 1)[groups]
	c.Next()
	besideMapCycle(b, op, turn, func(b *testing.B) (took time.Duration) {
		for range turn {
			g.Add(1, mine)
			if _, r, ok := other.Next(); ok {
				g.Release(r)
			}
			var r Ref
			took += timed(func() { _, r, _ = c.Next() })
			if !g.Settle(r) {
				b.Fatal("not given")
			}
		}
		return took
	})
}

// A new consumer, whose selector refuses the first messages of 100,000 groups, calls Next.
func benchmarkFirstRefusal(b *testing.B, op string, queue newQueue) {
	const groups = 100_000
	g := queue(GroupOptions[uint64]{})
	for _, k := range groupNames(groups) {
		g.Add(0, k)
	}
	besideMapCycle(b, op, groups, func(b *testing.B) time.Duration {
		asked := 0
		c := g.Open(func(uint64) bool { asked++; return false })
		took := timed(func() { c.Next() })
		c.Close()
		if asked != groups {
			b.Fatalf("asked about %d messages", asked)
		}
		return took
	})
}

// Messages go through a queue with 10,000 groups and 100,000 waiting messages to eight consumers. The text of each key is a
// fresh copy, as if read from a message that just came in.
func benchmarkInTurn(b *testing.B, op string, queue newQueue) {
	benchmarkThrough(b, op, queue, func(sent, groups int) int { return sent % groups })
}

func benchmarkAtRandom(b *testing.B, op string, queue newQueue) {
	rnd := rand.New(rand.NewPCG(1, 2))
	benchmarkThrough(b, op, queue, func(_, groups int) int { return rnd.IntN(groups) })
}

func benchmarkThrough(b *testing.B, op string, queue newQueue, group func(sent, groups int) int) {
	const groups, messages, turn = 10_000, 100_000, 2000
	g := queue(GroupOptions[uint64]{})
	keys := groupNames(groups)
	sent := 0
	next := func() GroupKey {
		sent++
		return keys[group(sent, groups)]
	}
	var consumers [8]*GroupConsumer[uint64]
	for i := range consumers {
		consumers[i] = g.Open(nil)
	}
	for i := range messages {
		g.Add(uint64(i), next())
	}
	var read [turn]GroupKey
	through := func(b *testing.B) time.Duration {
		var texts strings.Builder
		texts.Grow(turn * len(keys[0].text))
		for i := range read {
			read[i] = next()
			texts.WriteString(read[i].text)
		}
		for i, at := 0, 0; i < len(read); i++ {
			n := len(read[i].text)
			read[i].text = texts.String()[at:][:n]
			at += n
		}
		return timed(func() {
			for i, k := range read {
				g.Add(uint64(i), k)
				for at := i; ; at++ {
					if _, r, ok := consumers[at%len(consumers)].Next(); ok {
						g.Settle(r)
						break
					}
				}
			}
		})
	}
	for range 100 {
		through(b)
	}
	besideMapCycle(b, op, turn, through)
}

// A queue with few groups or many, of one message each.
func benchmarkByGroups(b *testing.B, op string, queue newQueue) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		benchmarkWaiting(b, op, queue, n, n)
	}
}

// A queue with few messages or many, in 1000 groups.
func benchmarkByMessages(b *testing.B, op string, queue newQueue) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		benchmarkWaiting(b, op, queue, n, 1000)
	}
}

func benchmarkWaiting(b *testing.B, op string, queue newQueue, n, groups int) {
	const turn = 10_000
	g := queue(GroupOptions[uint64]{})
	keys := groupNames(groups)
	c := g.Open(nil)
	for i := range n {
		g.Add(uint64(i), keys[i%groups])
	}
	sent := 0
	besideMapCycle(b, fmt.Sprintf("%s/n=%d", op, n), turn, func(b *testing.B) time.Duration {
		return timed(func() {
			for range turn {
				g.Add(0, keys[sent%groups])
				sent++
				if _, r, _ := c.Next(); !g.Settle(r) {
					b.Fatal("not given")
				}
			}
		})
	})
}

// A consumer that holds 100,000 messages goes away.
func benchmarkClose(groups int) func(*testing.B, string, newQueue) {
	return func(b *testing.B, op string, queue newQueue) {
		const messages = 100_000
		g := queue(GroupOptions[uint64]{})
		keys := groupNames(groups)
		for i := range messages {
			g.Add(uint64(i), keys[i%groups])
		}
		besideMapCycle(b, op, messages, func(b *testing.B) time.Duration {
			c := g.Open(nil)
			for range messages {
				c.Next()
			}
			return timed(func() {
				if c.Close() != messages {
					b.Fatal("not all returned")
				}
			})
		})
	}
}

// The slowest single Add while a queue grows to a million messages. The fastest of several runs counts for each Add: that
// leaves out what else the machine does, and keeps what the structure does at that size.
func benchmarkSlowestAdd(b *testing.B) {
	const messages, rounds = 1_000_000, 3
	times := make([]time.Duration, messages)
	for _, row := range []struct {
		name   string
		groups int
	}{{"1 group", 1}, {"10,000 groups", 10_000}, {"1,000,000 groups", messages}} {
		keys := groupNames(row.groups)
		op := "the slowest of 1,000,000 adds/" + row.name
		b.Run(op+"/lib=amqpjms", func(b *testing.B) {
			slowest := time.Duration(0)
			for b.Loop() {
				for round := range rounds {
					g := NewAssigned(GroupOptions[uint64]{})
					for i := range times {
						start := time.Now()
						g.Add(uint64(i), keys[i%len(keys)])
						if took := time.Since(start); round == 0 || took < times[i] {
							times[i] = took
						}
					}
				}
				slowest = max(slowest, slices.Max(times))
			}
			b.ReportMetric(float64(slowest), "ns/op")
		})
		mapCycles(b, op)
	}
}

// The key of a known group is read from an encoded message with properties before the group-id.
func benchmarkKey(b *testing.B) {
	const turn = 10_000
	_, encoded := typicalMessage(b, 256)
	var m RawMessage
	if err := m.Parse(encoded); err != nil {
		b.Fatal(err)
	}
	g := NewAssigned(GroupOptions[int]{})
	k, err := m.GroupKey(GroupIDHeader)
	if err != nil || k.IsZero() {
		b.Fatal(k, err)
	}
	g.Add(1, k)
	besideMapCycle(b, "Key of a known group", turn, func(b *testing.B) time.Duration {
		return timed(func() {
			for range turn {
				if _, err := g.Key(&m, GroupIDHeader); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// A whole message written, from the settings to the bytes. The id and the body are made beforehand, and the values of
// properties are boxed.
func BenchmarkAppend(b *testing.B) {
	p, payload := typicalProducer()
	now, id := sentAt(), NewID()
	properties := []Entry{{"region", "north"}, {"count", int32(3)}, {"urgent", true}}
	byName := map[string]any{"region": "north", "count": int32(3), "urgent": true}
	replyTo := Destination{Kind: Queue, Name: "replies"}
	w := Editor{Peer: p.Peer}
	body := BytesBody(payload)
	ours := func(dst []byte) ([]byte, error) {
		s, err := p.Stamp(now, id)
		if err != nil {
			return nil, err
		}
		m := Message{CorrelationID: ulongID(42), ReplyTo: replyTo, Type: Some("order"), GroupID: Some("customer-4711"), Properties: properties, Body: body}
		return w.Append(dst, s, &m)
	}
	theirs := func() (*amqp.Message, error) {
		var m amqp.Message
		w.SetBytes(&m, payload)
		w.SetCorrelationID(&m, ulongID(42))
		if err := cmp.Or(w.SetReplyTo(&m, replyTo), w.SetType(&m, Some("order")), w.SetGroup(&m, Some("customer-4711"), Opt[int32]{}), w.SetProperties(&m, byName)); err != nil {
			return nil, err
		}
		_, err := p.Prepare(&m, now)
		return &m, err
	}
	requireAlike(b, func() (*amqp.Message, error) {
		encoded, err := ours(nil)
		require.NoError(b, err)
		return unmarshal(encoded)
	}, theirs)
	measure(b, "write, 256 B", "amqpjms", func(b *testing.B) {
		dst := make([]byte, 0, 1024)
		for b.Loop() {
			if _, err := ours(dst); err != nil {
				b.Fatal(err)
			}
		}
	})
	measure(b, "write, 256 B", "go-amqp", calling(func() error {
		m, err := theirs()
		if err == nil {
			_, err = m.MarshalBinary()
		}
		return err
	}))
	set, err := theirs()
	require.NoError(b, err)
	measure(b, "write, 256 B", "prepare-and-marshal", calling(func() error {
		m := *set
		if _, err := p.Prepare(&m, now); err != nil {
			return err
		}
		_, err := m.MarshalBinary()
		return err
	}))
}

// Parsing selectors as applications write them, and evaluating them on an encoded message: cut before, and not.
func BenchmarkSelectors(b *testing.B) {
	raw := parseRaw(b, selectedMessage(b))
	for _, row := range typicalSelectors {
		s := parseSelector(b, row.text)
		measure(b, "ParseSelector/"+row.name, "amqpjms", func(b *testing.B) {
			for b.Loop() {
				if _, err := ParseSelector(row.text); err != nil {
					b.Fatal(err)
				}
			}
		})
		v := Consumer{}.ViewRaw(raw, time.Time{})
		measure(b, "Matches/"+row.name, "amqpjms", func(b *testing.B) {
			for b.Loop() {
				s.Matches(v)
			}
		})
		encoded := raw.msg
		measure(b, "Parse and Matches/"+row.name, "amqpjms", func(b *testing.B) {
			var m RawMessage
			for b.Loop() {
				if err := m.Parse(encoded); err != nil {
					b.Fatal(err)
				}
				s.Matches(Consumer{}.ViewRaw(&m, time.Time{}))
			}
		})
	}
}
