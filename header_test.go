package amqpjms

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

// unhexed reads bytes written as hex, with spaces for people.
func unhexed(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}

// headerRows are headers and their one encoding: the smallest of each value, no null after the last that is stated,
// durable always stated. [amqp 1.6, 3.2.1]
func headerRows() []struct {
	name string
	h    Header
	wire string
} {
	all := Header{Persistent, Some[uint8](9), Some[uint32](1 << 16), Some(true), Some[uint32](256)}
	return []struct {
		name string
		h    Header
		wire string
	}{
		{"the zero header is persistent, as JMS sends", Header{}, "00 53 70 c0 02 01 41"},
		{"persistent", Header{Mode: Persistent}, "00 53 70 c0 02 01 41"},
		{"durable is written when it is false", Header{Mode: NonPersistent}, "00 53 70 c0 02 01 42"},
		{"what is no mode is not durable", Header{Mode: 7}, "00 53 70 c0 02 01 42"},
		{"priority 0 is not no priority", Header{Mode: NonPersistent, Priority: Some[uint8](0)}, "00 53 70 c0 04 02 42 50 00"},
		{"a default that is stated stays so", Header{Mode: Persistent, Priority: Some[uint8](4)}, "00 53 70 c0 04 02 41 50 04"},
		{"any priority of AMQP", Header{Mode: Persistent, Priority: Some[uint8](255)}, "00 53 70 c0 04 02 41 50 ff"},
		{"ttl 0 is not no ttl", Header{Mode: NonPersistent, TTL: Some[uint32](0)}, "00 53 70 c0 04 03 42 40 43"},
		{"ttl in one byte", Header{Mode: Persistent, TTL: Some[uint32](255)}, "00 53 70 c0 05 03 41 40 52 ff"},
		{"ttl in four bytes", Header{Mode: Persistent, TTL: Some[uint32](256)}, "00 53 70 c0 08 03 41 40 70 00 00 01 00"},
		{"the longest ttl", Header{Mode: Persistent, TTL: Some[uint32](math.MaxUint32)}, "00 53 70 c0 08 03 41 40 70 ff ff ff ff"},
		{"first-acquirer false", Header{Mode: Persistent, FirstAcquirer: Some(false)}, "00 53 70 c0 05 04 41 40 40 42"},
		{"first-acquirer true", Header{Mode: Persistent, FirstAcquirer: Some(true)}, "00 53 70 c0 05 04 41 40 40 41"},
		{"delivery-count 0", Header{Mode: Persistent, DeliveryCount: Some[uint32](0)}, "00 53 70 c0 06 05 41 40 40 40 43"},
		{"the largest delivery-count", Header{Mode: NonPersistent, DeliveryCount: Some[uint32](math.MaxUint32)}, "00 53 70 c0 0a 05 42 40 40 40 70 ff ff ff ff"},
		{"every field", all, "00 53 70 c0 0f 05 41 50 09 70 00 01 00 00 41 70 00 00 01 00"},
	}
}

func TestHeaderAppendTo(t *testing.T) {
	for _, row := range headerRows() {
		t.Run(row.name, func(t *testing.T) {
			want := unhexed(t, row.wire)
			got := row.h.AppendTo([]byte("before"))
			require.Equal(t, append([]byte("before"), want...), got, "%+v.AppendTo: got % x, want %s", row.h, got, row.wire)
			require.LessOrEqual(t, len(want), headerRoom)

			back, err := ParseHeader(want)
			require.NoError(t, err)
			written := row.h
			written.Mode = row.h.Mode.or(Persistent)
			require.Equal(t, written, back, "ParseHeader(%s)", row.wire)

			var am amqp.Message // an independent decoder
			require.NoError(t, am.UnmarshalBinary(want))
			require.Equal(t, &amqp.MessageHeader{
				Durable:       written.Mode == Persistent,
				Priority:      row.h.Priority.Or(4),
				TTL:           time.Duration(row.h.TTL.Or(0)) * time.Millisecond,
				FirstAcquirer: row.h.FirstAcquirer.Or(false),
				DeliveryCount: row.h.DeliveryCount.Or(0),
			}, am.Header, "go-amqp reads %s", row.wire)
		})
	}
}

func TestHeaderViews(t *testing.T) {
	const big = math.MaxUint32
	for _, row := range []struct {
		name        string
		h           Header
		priority    int
		redelivered bool
		count       int32
	}{
		{"nothing stated", Header{}, 4, false, 1},
		{"priority 0", Header{Priority: Some[uint8](0)}, 0, false, 1},
		{"priority 9", Header{Priority: Some[uint8](9)}, 9, false, 1},
		{"priority 10", Header{Priority: Some[uint8](10)}, 9, false, 1},
		{"priority 255", Header{Priority: Some[uint8](255)}, 9, false, 1},
		{"delivery-count 0", Header{DeliveryCount: Some[uint32](0)}, 4, false, 1},
		{"delivery-count 1", Header{DeliveryCount: Some[uint32](1)}, 4, true, 2},
		{"the last that is counted", Header{DeliveryCount: Some[uint32](math.MaxInt32 - 1)}, 4, true, math.MaxInt32},
		{"the first that is not", Header{DeliveryCount: Some[uint32](math.MaxInt32)}, 4, true, math.MaxInt32},
		{"2^31", Header{DeliveryCount: Some[uint32](1 << 31)}, 4, true, math.MaxInt32},
		{"2^32-1", Header{DeliveryCount: Some[uint32](big)}, 4, true, math.MaxInt32},
	} {
		require.Equal(t, row.priority, row.h.JMSPriority(), "%s: JMSPriority", row.name)
		require.Equal(t, row.redelivered, row.h.JMSRedelivered(), "%s: JMSRedelivered", row.name)
		require.Equal(t, row.count, row.h.JMSXDeliveryCount(), "%s: JMSXDeliveryCount", row.name)
	}
}

// Durable not stated is what the node says, and only a node that says persistent makes it so.
func TestExplicit(t *testing.T) {
	for _, row := range []struct{ mode, node, want DeliveryMode }{
		{ModeUnset, ModeUnset, NonPersistent},
		{ModeUnset, NonPersistent, NonPersistent},
		{ModeUnset, Persistent, Persistent},
		{ModeUnset, 7, NonPersistent},
		{NonPersistent, ModeUnset, NonPersistent},
		{NonPersistent, Persistent, NonPersistent},
		{Persistent, ModeUnset, Persistent},
		{Persistent, NonPersistent, Persistent},
		{7, Persistent, NonPersistent},
	} {
		h := Header{row.mode, Some[uint8](0), Some[uint32](0), Some(false), Some[uint32](0)}
		want := h
		want.Mode = row.want
		require.Equal(t, want, h.Explicit(row.node), "mode %v, node %v", row.mode, row.node)
		require.Equal(t, row.want, h.JMSDeliveryMode(row.node), "mode %v, node %v", row.mode, row.node)
	}
}

func TestCountDelivery(t *testing.T) {
	for _, row := range []struct {
		name string
		h    Header
		node DeliveryMode
		want Header
	}{
		{"none stated", Header{}, ModeUnset, Header{Mode: NonPersistent, DeliveryCount: Some[uint32](1)}},
		{"0", Header{DeliveryCount: Some[uint32](0)}, Persistent, Header{Mode: Persistent, DeliveryCount: Some[uint32](1)}},
		{"other fields stay", Header{Persistent, Some[uint8](0), Some[uint32](0), Some(true), Some[uint32](7)}, ModeUnset,
			Header{Persistent, Some[uint8](0), Some[uint32](0), Some(true), Some[uint32](8)}},
		{"above what JMS counts", Header{Mode: NonPersistent, DeliveryCount: Some[uint32](1 << 31)}, Persistent,
			Header{Mode: NonPersistent, DeliveryCount: Some[uint32](1<<31 + 1)}},
		{"2^32-2", Header{DeliveryCount: Some[uint32](math.MaxUint32 - 1)}, ModeUnset,
			Header{Mode: NonPersistent, DeliveryCount: Some[uint32](math.MaxUint32)}},
		{"2^32-1 stays", Header{DeliveryCount: Some[uint32](math.MaxUint32)}, ModeUnset,
			Header{Mode: NonPersistent, DeliveryCount: Some[uint32](math.MaxUint32)}},
	} {
		require.Equal(t, row.want, row.h.CountDelivery(row.node), row.name)
	}
}

func TestLowerTTL(t *testing.T) {
	for _, row := range []struct {
		name    string
		ttl     Opt[uint32]
		kept    time.Duration
		want    Opt[uint32]
		expired bool
	}{
		{"no ttl", Opt[uint32]{}, time.Hour, Opt[uint32]{}, false},
		{"ttl 0 is no limit, and stays stated", Some[uint32](0), time.Hour, Some[uint32](0), false},
		{"no time", Some[uint32](1000), 0, Some[uint32](1000), false},
		{"less than a millisecond", Some[uint32](1000), 999 * time.Microsecond, Some[uint32](1000), false},
		{"whole milliseconds count", Some[uint32](1000), 1999 * time.Microsecond, Some[uint32](999), false},
		{"one is left", Some[uint32](1000), 999 * time.Millisecond, Some[uint32](1), false},
		{"nothing is left, and never written as 0", Some[uint32](1000), time.Second, Some[uint32](1), true},
		{"long gone", Some[uint32](1), math.MaxInt64, Some[uint32](1), true},
		{"the longest ttl", Some[uint32](math.MaxUint32), time.Millisecond, Some[uint32](math.MaxUint32 - 1), false},
		{"the longest ttl is over", Some[uint32](math.MaxUint32), math.MaxUint32 * time.Millisecond, Some[uint32](1), true},
		{"a clock set back", Some[uint32](1000), -time.Hour, Some[uint32](1000), false},
		{"far back", Some[uint32](math.MaxUint32), math.MinInt64, Some[uint32](math.MaxUint32), false},
	} {
		for node, mode := range map[DeliveryMode]DeliveryMode{ModeUnset: NonPersistent, NonPersistent: NonPersistent, Persistent: Persistent} {
			h := Header{Priority: Some[uint8](0), TTL: row.ttl, FirstAcquirer: Some(true), DeliveryCount: Some[uint32](3)}
			want := h
			want.Mode, want.TTL = mode, row.want
			got, expired := h.LowerTTL(row.kept, node)
			require.Equal(t, want, got, "%s: LowerTTL(%v, %v)", row.name, row.kept, node)
			require.Equal(t, row.expired, expired, "%s: LowerTTL(%v, %v)", row.name, row.kept, node)
		}
	}
}

// Values that go-amqp would send as others.
func TestHeaderFrom(t *testing.T) {
	const day = 24 * time.Hour
	p4 := Some[uint8](4)
	for _, row := range []struct {
		name string
		mh   *amqp.MessageHeader
		want Header
	}{
		{"none", nil, Header{}},
		{"priority 0 is sent as 0", &amqp.MessageHeader{}, Header{Mode: NonPersistent, Priority: Some[uint8](0)}},
		{"durable", &amqp.MessageHeader{Durable: true, Priority: 4}, Header{Mode: Persistent, Priority: p4}},
		{"500µs is no ttl of 0", &amqp.MessageHeader{Priority: 4, TTL: 500 * time.Microsecond}, Header{NonPersistent, p4, Some[uint32](1), Opt[bool]{}, Opt[uint32]{}}},
		{"1ns", &amqp.MessageHeader{Priority: 4, TTL: 1}, Header{NonPersistent, p4, Some[uint32](1), Opt[bool]{}, Opt[uint32]{}}},
		{"rounded up", &amqp.MessageHeader{Priority: 4, TTL: 1500 * time.Microsecond}, Header{NonPersistent, p4, Some[uint32](2), Opt[bool]{}, Opt[uint32]{}}},
		{"49 days", &amqp.MessageHeader{Priority: 4, TTL: 49 * day}, Header{NonPersistent, p4, Some[uint32](49 * 86400 * 1000), Opt[bool]{}, Opt[uint32]{}}},
		{"50 days do not wrap around", &amqp.MessageHeader{Priority: 4, TTL: 50 * day}, Header{Mode: NonPersistent, Priority: p4}},
		{"2^32-1 ms", &amqp.MessageHeader{Priority: 4, TTL: math.MaxUint32 * time.Millisecond}, Header{NonPersistent, p4, Some[uint32](math.MaxUint32), Opt[bool]{}, Opt[uint32]{}}},
		{"1ns more", &amqp.MessageHeader{Priority: 4, TTL: math.MaxUint32*time.Millisecond + 1}, Header{Mode: NonPersistent, Priority: p4}},
		{"for ever", &amqp.MessageHeader{Priority: 4, TTL: math.MaxInt64}, Header{Mode: NonPersistent, Priority: p4}},
		{"all", &amqp.MessageHeader{Durable: true, Priority: 255, TTL: time.Second, FirstAcquirer: true, DeliveryCount: 3},
			Header{Persistent, Some[uint8](255), Some[uint32](1000), Some(true), Some[uint32](3)}},
	} {
		h, err := HeaderFrom(row.mh)
		require.NoError(t, err, row.name)
		require.Equal(t, row.want, h, row.name)
		if row.mh != nil {
			back := *h.MessageHeader()
			again, err := HeaderFrom(&back)
			require.NoError(t, err)
			require.Equal(t, h, again, row.name)
		}
	}
	for _, row := range []struct {
		ttl  time.Duration
		want string
	}{
		{-time.Second, "amqpjms: time to live -1s: negative"},
		{-1, "amqpjms: time to live -1ns: negative"},
		{math.MinInt64, "amqpjms: time to live -2562047h47m16.854775808s: negative"},
	} {
		h, err := HeaderFrom(&amqp.MessageHeader{Durable: true, TTL: row.ttl})
		wantValueError(t, err, row.want)
		require.Zero(t, h)
	}
}

// What go-amqp sends of a header that we made says what that header says.
func TestMessageHeader(t *testing.T) {
	require.Equal(t, &amqp.MessageHeader{Durable: true, Priority: 4}, Header{}.MessageHeader())
	for _, row := range headerRows() {
		wire, err := (&amqp.Message{Header: row.h.MessageHeader()}).MarshalBinary()
		require.NoError(t, err, row.name)
		h, err := ParseHeader(wire)
		require.NoError(t, err, "%s: % x", row.name, wire)
		require.NotEqual(t, ModeUnset, h.Mode, row.name)
		require.Equal(t, row.h.Mode.or(Persistent), h.Mode, row.name)
		require.Equal(t, row.h.Priority.Or(4), h.Priority.Or(4), row.name)
		require.Equal(t, row.h.TTL.Or(0), h.TTL.Or(0), row.name)
		require.Equal(t, row.h.FirstAcquirer.Or(false), h.FirstAcquirer.Or(false), row.name)
		require.Equal(t, row.h.DeliveryCount.Or(0), h.DeliveryCount.Or(0), row.name)
	}
}

// Values that are the same are the same key.
func TestHeaderComparable(t *testing.T) {
	seen := map[Header]int{}
	for _, row := range headerRows() {
		h, err := ParseHeader(unhexed(t, row.wire))
		require.NoError(t, err)
		seen[h]++
		require.True(t, h == h.Explicit(Persistent))
	}
	require.Equal(t, 2, seen[Header{Mode: Persistent}])
	require.Equal(t, 2, seen[Header{Mode: NonPersistent}])
	require.Len(t, seen, len(headerRows())-2)
}

func TestOpt(t *testing.T) {
	var none Opt[uint8]
	v, ok := none.Get()
	require.False(t, ok)
	require.Zero(t, v)
	require.Equal(t, uint8(4), none.Or(4))
	require.Equal(t, "unset", none.String())
	zero := Some[uint8](0)
	v, ok = zero.Get()
	require.True(t, ok)
	require.Zero(t, v)
	require.Zero(t, zero.Or(4))
	require.Equal(t, "0", zero.String())
	require.NotEqual(t, none, zero)
	require.Equal(t, "true", Some(true).String())
}

// The names are the specification's, for which the fixtures speak.
func TestNames(t *testing.T) {
	for i, name := range golden.SectionNames() {
		kind := SectionHeader + SectionKind(i)
		require.Equal(t, name, kind.String())
		suffix := ":map"
		switch kind {
		case SectionHeader, SectionProperties, SectionAMQPSequence:
			suffix = ":list"
		case SectionData:
			suffix = ":binary"
		case SectionAMQPValue:
			suffix = ":*"
		}
		require.Equal(t, kind, sectionNamed([]byte("amqp:"+name+suffix)))
	}
	require.Equal(t, "SectionKind(121)", SectionKind(0x79).String())
	require.Zero(t, sectionNamed([]byte("amqp:header:map")))

	fields := 0
	for _, k := range golden.EncoderKeys() {
		if name, ok := strings.CutPrefix(k.Name, "properties."); ok {
			require.Equal(t, name, PropertiesField(fields).String())
			fields++
		}
	}
	require.Equal(t, propertiesFields, fields)
	require.Equal(t, "PropertiesField(13)", PropertiesField(13).String())

	require.Equal(t, `"`+strings.Repeat("a", 64)+`"`, quote(strings.Repeat("a", 64))) // not cut yet

	require.Equal(t, []string{"unset", "NON_PERSISTENT", "PERSISTENT", "DeliveryMode(3)"},
		[]string{ModeUnset.String(), NonPersistent.String(), Persistent.String(), DeliveryMode(3).String()})
	require.Equal(t, [3]DeliveryMode{0, 1, 2}, [3]DeliveryMode{ModeUnset, NonPersistent, Persistent}) // [jms 3.4.2]
}

// allocs checks how often f allocates.
func allocs(t *testing.T, most float64, what string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(100, f); n > most {
		t.Errorf("%s: %v allocations, want %v at most", what, n, most)
	}
}

// raceAllocs is 1 where the test is built with the race detector, for the few functions that allocate once more then.
func raceAllocs() float64 {
	info, ok := debug.ReadBuildInfo()
	if ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return 1
	}
	return 0
}

func TestHeaderAllocs(t *testing.T) {
	_, wire := typicalMessage(t, 256)
	var m RawMessage
	require.NoError(t, m.Parse(wire))
	// With one byte less than the longest header has, 32 bytes would be allocated, and then more.
	longest := unhexed(t, "00 53 70 c0 0f 05 41 50 09 70 00 01 00 00 41 70 00 00 01 00 00 53 75 a0 08 00 00 00 00 00 00 00 00")
	header := bytes.Clone(m.HeaderSection)
	h := m.Header
	dst := make([]byte, 0, 2*len(wire))
	allocs(t, 0, "Parse", func() { _ = m.Parse(wire) })
	allocs(t, 0, "ParseHeader", func() { _, _ = ParseHeader(header) })
	allocs(t, 0, "Header.AppendTo", func() { _ = h.AppendTo(dst) })
	allocs(t, 0, "AppendExplicit, dst reused", func() { _, _ = AppendExplicit(dst, wire, Persistent) })
	allocs(t, 1+raceAllocs(), "AppendExplicit, dst nil", func() { _, _ = AppendExplicit(nil, wire, Persistent) })
	allocs(t, 1+raceAllocs(), "AppendExplicit of the longest header, dst nil", func() { _, _ = AppendExplicit(nil, longest, Persistent) })
	allocs(t, 0, "Property", func() { _, _ = m.Property(FieldGroupID) })
	allocs(t, 0, "Annotation", func() { _, _ = m.Annotation("x-opt-jms-dest") })
	allocs(t, 0, "ApplicationProperty", func() { _, _ = m.ApplicationProperty("count") })
	allocs(t, 0, "BodySections", func() {
		for range m.BodySections() {
		}
	})
	allocs(t, 0, "the JMS views", func() {
		_, _ = h.CountDelivery(Persistent).LowerTTL(time.Second, ModeUnset)
		_, _, _, _ = h.JMSDeliveryMode(ModeUnset), h.JMSPriority(), h.JMSRedelivered(), h.JMSXDeliveryCount()
	})
}

// wantWireError checks an error of this package that says where something stands in bytes.
func wantWireError(t testing.TB, err error, text string) {
	t.Helper()
	var e *WireError
	require.ErrorAs(t, err, &e)
	require.EqualError(t, err, text)
	require.Equal(t, e.Err, errors.Unwrap(e))
}

// wantValueError checks an error of this package that names a value.
func wantValueError(t testing.TB, err error, text string) {
	t.Helper()
	var e *ValueError
	require.ErrorAs(t, err, &e)
	require.EqualError(t, err, text)
	require.Equal(t, e.Err, errors.Unwrap(e))
}
