package amqpjms

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

// sent is a time of send, in milliseconds since the epoch; on the wire 00 00 01 a2 2d 1b 64 81. The clock that it is
// read from knows more, which is cut off, and stands in another zone.
const sent = 1796053099649

func sentAt() time.Time {
	return time.UnixMilli(sent).Add(999_999 * time.Nanosecond).In(time.FixedZone("", -7200))
}

func TestStamp(t *testing.T) {
	id, err := ParseID("ID:AMQP_ULONG:42")
	require.NoError(t, err)
	// with changes what a message gets by default.
	with := func(change func(s *Stamp)) Stamp {
		s := Stamp{Header: Header{Mode: Persistent}, MessageID: id, Timestamp: sent, DeliveryTime: sent}
		change(&s)
		return s
	}
	delayed := func(form DelayForm, delay int64) Stamp {
		return with(func(s *Stamp) { s.Peer.Delay, s.DeliveryDelay, s.DeliveryTime = form, delay, sent+delay })
	}
	lives := func(ttl int64) Stamp {
		return with(func(s *Stamp) { s.Header.TTL, s.Expiration = Some(uint32(ttl)), sent+ttl })
	}
	for _, row := range []struct {
		rule string
		p    Producer
		want Stamp
	}{
		{"by default persistent, at once, for ever, with id and timestamp", Producer{}, with(func(*Stamp) {})},
		{"persistent", Producer{Mode: Persistent}, with(func(*Stamp) {})},
		{"non-persistent", Producer{Mode: NonPersistent}, with(func(s *Stamp) { s.Header.Mode = NonPersistent })},
		{"priority 0 is not none", Producer{Priority: Some[uint8](0)}, with(func(s *Stamp) { s.Header.Priority = Some[uint8](0) })},
		{"priority 9", Producer{Priority: Some[uint8](9)}, with(func(s *Stamp) { s.Header.Priority = Some[uint8](9) })},
		{"a destination has the peer's address",
			Producer{Peer: Peer{QueuePrefix: "q://"}, Destination: Destination{Kind: Queue, Name: "orders"}},
			with(func(s *Stamp) {
				s.Peer, s.Destination, s.Address = Peer{QueuePrefix: "q://"}, Destination{Kind: Queue, Name: "orders"}, "q://orders"
			})},
		{"a user id", Producer{UserID: "alice"}, with(func(s *Stamp) { s.UserID = "alice" })},

		{"ids disabled", Producer{NoMessageID: true}, with(func(s *Stamp) { s.MessageID = ID{} })},
		{"timestamps disabled: the delivery time is of the real clock all the same", Producer{NoTimestamp: true},
			with(func(s *Stamp) { s.Timestamp = 0 })},
		{"timestamps disabled: an absolute delay needs none",
			Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second, NoTimestamp: true},
			with(func(s *Stamp) {
				s.Timestamp, s.Peer.Delay, s.DeliveryDelay, s.DeliveryTime = 0, DelayAbsolute, 5000, sent+5000
			})},
		{"timestamps disabled: an enqueue time needs none",
			Producer{Peer: delaying(DelayEnqueueTime), DeliveryDelay: 5 * time.Second, NoTimestamp: true},
			with(func(s *Stamp) {
				s.Timestamp, s.Peer.Delay, s.DeliveryDelay, s.DeliveryTime = 0, DelayEnqueueTime, 5000, sent+5000
			})},
		{"timestamps disabled: no delay needs none, whatever the form",
			Producer{Peer: delaying(DelayRelative), NoTimestamp: true},
			with(func(s *Stamp) { s.Timestamp, s.Peer.Delay = 0, DelayRelative })},

		{"a time to live counts from the time of send", Producer{TimeToLive: time.Minute}, lives(60_000)},
		{"one under a millisecond is a millisecond", Producer{TimeToLive: 1}, lives(1)},
		{"a time to live is rounded up", Producer{TimeToLive: time.Millisecond + 1}, lives(2)},
		{"the longest ttl of a header", Producer{TimeToLive: math.MaxUint32 * time.Millisecond}, lives(math.MaxUint32)},
		{"a longer time to live makes no ttl, and an expiration", Producer{TimeToLive: (1 << 32) * time.Millisecond},
			with(func(s *Stamp) { s.Expiration = sent + 1<<32 })},
		{"and so where rounding up makes it longer", Producer{TimeToLive: math.MaxUint32*time.Millisecond + 1},
			with(func(s *Stamp) { s.Expiration = sent + 1<<32 })},
		{"the longest time to live, 2^63-1 ns", Producer{TimeToLive: math.MaxInt64},
			with(func(s *Stamp) { s.Expiration = sent + 9_223_372_036_855 })},
		{"a peer that caps gets the longest ttl for a longer time to live", Producer{Peer: Peer{CapTTL: true}, TimeToLive: 60 * 24 * time.Hour},
			with(func(s *Stamp) {
				s.Peer, s.Header.TTL, s.Expiration = Peer{CapTTL: true}, Some[uint32](math.MaxUint32), sent+60*24*3600*1000
			})},
		{"and no ttl for none", Producer{Peer: Peer{CapTTL: true}}, with(func(s *Stamp) { s.Peer.CapTTL = true })},
		{"nor where JMS_AMQP_TTL leaves it out", Producer{Peer: Peer{CapTTL: true}, TimeToLive: math.MaxInt64, WireTTL: Some[uint32](0)},
			with(func(s *Stamp) { s.Peer.CapTTL, s.Expiration = true, sent+9_223_372_036_855 })},
		{"JMS_AMQP_TTL makes the ttl, and no expiration", Producer{WireTTL: Some[uint32](1234)},
			with(func(s *Stamp) { s.Header.TTL = Some[uint32](1234) })},
		{"JMS_AMQP_TTL replaces the ttl alone", Producer{TimeToLive: time.Minute, WireTTL: Some[uint32](1234)},
			with(func(s *Stamp) { s.Header.TTL, s.Expiration = Some[uint32](1234), sent+60_000 })},
		{"JMS_AMQP_TTL 0 leaves the ttl out", Producer{TimeToLive: time.Minute, WireTTL: Some[uint32](0)},
			with(func(s *Stamp) { s.Expiration = sent + 60_000 })},
		{"JMS_AMQP_TTL 0 without time to live", Producer{WireTTL: Some[uint32](0)}, with(func(*Stamp) {})},
		{"JMS_AMQP_TTL 2^32-1", Producer{WireTTL: Some[uint32](math.MaxUint32)},
			with(func(s *Stamp) { s.Header.TTL = Some[uint32](math.MaxUint32) })},

		{"absolute", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second}, delayed(DelayAbsolute, 5000)},
		{"relative", Producer{Peer: delaying(DelayRelative), DeliveryDelay: 5 * time.Second}, delayed(DelayRelative, 5000)},
		{"enqueue time", Producer{Peer: delaying(DelayEnqueueTime), DeliveryDelay: 5 * time.Second}, delayed(DelayEnqueueTime, 5000)},
		{"property", Producer{Peer: delaying(DelayProperty), DeliveryDelay: 5 * time.Second}, delayed(DelayProperty, 5000)},
		{"a peer that cannot delay need not, without a delay", Producer{Peer: delaying(DelayNone)},
			with(func(s *Stamp) { s.Peer.Delay = DelayNone })},
		{"a delay under a millisecond is a millisecond", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 1}, delayed(DelayAbsolute, 1)},
		{"a delay is rounded up", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 4*time.Millisecond + 1}, delayed(DelayAbsolute, 5)},
		{"the longest delay, 2^63-1 ns", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: math.MaxInt64},
			delayed(DelayAbsolute, 9_223_372_036_855)},
		{"a time to live may end with the delay",
			Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second, TimeToLive: 5 * time.Second},
			with(func(s *Stamp) {
				s.Peer.Delay, s.DeliveryDelay, s.DeliveryTime = DelayAbsolute, 5000, sent+5000
				s.Header.TTL, s.Expiration = Some[uint32](5000), sent+5000
			})},
		{"so may JMS_AMQP_TTL", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second, WireTTL: Some[uint32](5000)},
			with(func(s *Stamp) {
				s.Peer.Delay, s.DeliveryDelay, s.DeliveryTime, s.Header.TTL = DelayAbsolute, 5000, sent+5000, Some[uint32](5000)
			})},
		{"or leave the ttl out", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second, WireTTL: Some[uint32](0)},
			delayed(DelayAbsolute, 5000)},
		{"both are compared as they are sent, rounded up",
			Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 1_900 * time.Microsecond, TimeToLive: 1_100 * time.Microsecond},
			with(func(s *Stamp) {
				s.Peer.Delay, s.DeliveryDelay, s.DeliveryTime = DelayAbsolute, 2, sent+2
				s.Header.TTL, s.Expiration = Some[uint32](2), sent+2
			})},
	} {
		got, err := row.p.Stamp(sentAt(), id)
		require.NoError(t, err, row.rule)
		row.want.Peer = row.p.Peer
		require.Equal(t, row.want, got, "%s: %+v.Stamp", row.rule, row.p)
		require.True(t, got == row.want, "stamps compare")
	}

	s, err := Producer{}.Stamp(sentAt(), ID{})
	require.NoError(t, err)
	require.True(t, s.MessageID.IsZero(), "no id is no id")
	s, err = Producer{}.Stamp(time.UnixMilli(1), id)
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Timestamp, "the first millisecond that is not the epoch")
	last := time.UnixMilli(math.MaxInt64 - 1000)
	s, err = Producer{Peer: Artemis(), DeliveryDelay: time.Second, TimeToLive: time.Second}.Stamp(last, id)
	require.NoError(t, err)
	require.EqualValues(t, [2]int64{math.MaxInt64, math.MaxInt64}, [2]int64{s.DeliveryTime, s.Expiration}, "the last time there is")
}

// badProducers are settings that are refused before anything is sent.
func badProducers() []struct {
	rule string
	p    Producer
	now  time.Time
	err  string
} {
	now, late := sentAt(), time.UnixMilli(math.MaxInt64-999)
	return []struct {
		rule string
		p    Producer
		now  time.Time
		err  string
	}{
		{"a negative delay", Producer{Peer: Artemis(), DeliveryDelay: -time.Millisecond}, now, `delivery delay -1ms: negative (Producer.DeliveryDelay)`},
		{"a delay under 0 by less than a millisecond", Producer{Peer: Artemis(), DeliveryDelay: -1}, now, `delivery delay -1ns: negative (Producer.DeliveryDelay)`},
		{"a negative delay where there is none", Producer{DeliveryDelay: math.MinInt64}, now, `delivery delay -2562047h47m16.854775808s: negative (Producer.DeliveryDelay)`},
		{"a sum past int64", Producer{Peer: Artemis(), DeliveryDelay: time.Second}, late, `delivery delay 1000ms: overflows int64 milliseconds (Producer.DeliveryDelay)`},
		{"the way to delay was not chosen", Producer{DeliveryDelay: 1}, now, `delivery delay 1ns: the peer's form of delay is not set (Producer.Peer)`},
		{"the peer cannot delay", Producer{Peer: RabbitMQ(), DeliveryDelay: time.Hour}, now, `delivery delay 1h0m0s: the peer cannot delay (Producer.Peer)`},
		{"a form that there is not", Producer{Peer: delaying(DelayNone + 1), DeliveryDelay: time.Hour}, now, `delivery delay 1h0m0s: invalid form of delay DelayForm(6) (Producer.Peer)`},
		{"a relative delay without timestamp", Producer{Peer: delaying(DelayRelative), DeliveryDelay: time.Hour, NoTimestamp: true}, now,
			`delivery delay 1h0m0s: x-opt-delivery-delay needs a timestamp (Producer.NoTimestamp)`},
		{"a delay by property without timestamp", Producer{Peer: delaying(DelayProperty), DeliveryDelay: time.Hour, NoTimestamp: true}, now,
			`delivery delay 1h0m0s: AMQ_SCHEDULED_DELAY needs a timestamp (Producer.NoTimestamp)`},

		{"a negative time to live", Producer{TimeToLive: -time.Second}, now, `time to live -1s: negative (Producer.TimeToLive)`},
		{"a time to live past int64", Producer{TimeToLive: time.Second}, late, `time to live 1000ms: overflows int64 milliseconds (Producer.TimeToLive)`},
		{"it would expire before it is delivered", Producer{Peer: Artemis(), TimeToLive: time.Second, DeliveryDelay: 5 * time.Second}, now,
			`time to live 1s: shorter than the delivery delay of 5s (Producer.TimeToLive)`},
		{"by a millisecond", Producer{Peer: Artemis(), TimeToLive: 4 * time.Millisecond, DeliveryDelay: 4*time.Millisecond + 1}, now,
			`time to live 4ms: shorter than the delivery delay of 4.000001ms (Producer.TimeToLive)`},
		{"JMS_AMQP_TTL makes it no longer", Producer{Peer: Artemis(), TimeToLive: 1, DeliveryDelay: time.Second, WireTTL: Some[uint32](9000)}, now,
			`time to live 1ns: shorter than the delivery delay of 1s (Producer.TimeToLive)`},

		{"JMS_AMQP_TTL is shorter than the delay", Producer{Peer: Artemis(), DeliveryDelay: 5 * time.Second, WireTTL: Some[uint32](4999)}, now,
			`header ttl 4999ms: shorter than the delivery delay of 5s (Producer.WireTTL)`},
		{"whatever the time to live", Producer{Peer: Artemis(), TimeToLive: time.Hour, DeliveryDelay: 5 * time.Second, WireTTL: Some[uint32](1)}, now,
			`header ttl 1ms: shorter than the delivery delay of 5s (Producer.WireTTL)`},
		{"priority above 9", Producer{Priority: Some[uint8](10)}, now, `priority 10: want 0 to 9 (Producer.Priority)`},
		{"no delivery mode", Producer{Mode: 3}, now, `delivery mode DeliveryMode(3): want Persistent or NonPersistent (Producer.Mode)`},
		{"a user id that is no text", Producer{UserID: "\xff"}, now, `user id "\xff": not valid UTF-8 (Producer.UserID)`},
		{"a destination of no kind", Producer{Destination: Destination{Name: "orders"}}, now,
			`destination "orders": kind is unknown, want queue, topic, temporary queue or temporary topic (Destination.Kind)`},
		{"a destination without a name", Producer{Destination: Destination{Kind: Topic}}, now, `destination topic: no name (Destination.Name)`},

		{"no time of send", Producer{}, time.Time{}, `time of send 0001-01-01 00:00:00 +0000 UTC: not after 1970-01-01 UTC`},
		{"a time of send whose milliseconds would wrap to a later one", Producer{}, time.Unix(-1<<54-1, 0).UTC(), `time of send ` + time.Unix(-1<<54-1, 0).UTC().String() + `: overflows int64 milliseconds`},
		{"the epoch, a creation-time that is none", Producer{}, time.UnixMicro(999).UTC(), `time of send 1970-01-01 00:00:00.000999 +0000 UTC: not after 1970-01-01 UTC`},
	}
}

func TestStampErrors(t *testing.T) {
	for _, row := range badProducers() {
		got, err := row.p.Stamp(row.now, NewID())
		wantValueError(t, err, "amqpjms: "+row.err)
		require.Zero(t, got, row.rule)
	}
}

// What a wrapper writes to annotations of its own is what Apply writes.
func TestStampAnnotations(t *testing.T) {
	p := Producer{Destination: Destination{Kind: TemporaryTopic, Name: "t"}, DeliveryDelay: time.Millisecond}
	for form, want := range map[DelayForm]map[string]any{
		DelayAbsolute:    {"x-opt-jms-dest": int8(3), "x-opt-to-type": nil, "x-opt-delivery-time": int64(sent + 1), "x-opt-delivery-delay": nil, "x-opt-scheduled-enqueue-time": nil},
		DelayRelative:    {"x-opt-jms-dest": int8(3), "x-opt-to-type": nil, "x-opt-delivery-time": nil, "x-opt-delivery-delay": int64(1), "x-opt-scheduled-enqueue-time": nil},
		DelayEnqueueTime: {"x-opt-jms-dest": int8(3), "x-opt-to-type": nil, "x-opt-delivery-time": nil, "x-opt-delivery-delay": nil, "x-opt-scheduled-enqueue-time": time.UnixMilli(sent + 1).UTC()},
		DelayProperty:    {"x-opt-jms-dest": int8(3), "x-opt-to-type": nil, "x-opt-delivery-time": nil, "x-opt-delivery-delay": nil, "x-opt-scheduled-enqueue-time": nil},
	} {
		p.Peer.Delay = form
		s, err := p.Stamp(sentAt(), ID{})
		require.NoError(t, err)
		require.Equal(t, want, maps.Collect(s.Annotations()), "%v", form)
		for last := range 5 {
			n := 0
			for range s.Annotations() {
				if n == last {
					break // ends it
				}
				n++
			}
			require.Equal(t, last, n)
		}
		own := map[string]any{}
		if form == DelayProperty {
			own["AMQ_SCHEDULED_DELAY"] = int64(1)
		}
		require.Equal(t, own, maps.Collect(s.ApplicationProperties()), "%v", form)
	}
	for name, value := range (Stamp{}).Annotations() {
		require.Nil(t, value, name)
	}
}

// said is what a message says of its delivery time: values as they are encoded, "" for those that it does not have.
type said struct{ time, enqueue, delay, property, created string }

// encode returns a message that says so.
func (s said) encode(t testing.TB) []byte {
	t.Helper()
	var annotations, properties, created []byte
	pair := func(to []byte, n *int, key, v string) []byte {
		if v == "" {
			return to
		}
		*n++
		return append(append(to, encoded(t, key)...), encoded(t, v)...)
	}
	var n, props int
	annotations = pair(annotations, &n, `a3 13 "x-opt-delivery-time"`, s.time)
	annotations = pair(annotations, &n, `a3 1c "x-opt-scheduled-enqueue-time"`, s.enqueue)
	annotations = pair(annotations, &n, `a3 14 "x-opt-delivery-delay"`, s.delay)
	annotations = pair(annotations, &n, `a3 05 "x-opt"`, "41")
	properties = pair(properties, &props, `a1 13 "AMQ_SCHEDULED_DELAY"`, s.property)
	b := append(encoded(t, "00 53 72 c1"), byte(1+len(annotations)), byte(2*n))
	b = append(b, annotations...)
	if s.created != "" {
		created = encoded(t, "40 40 40 40 40 40 40 40 40"+s.created)
		b = append(append(b, encoded(t, "00 53 73 c0")...), byte(1+len(created)), 10)
		b = append(b, created...)
	}
	if props > 0 {
		b = append(append(b, encoded(t, "00 53 74 c1")...), byte(1+len(properties)), byte(2*props))
		b = append(b, properties...)
	}
	return append(b, encoded(t, "00 53 77 40")...)
}

// A reader is a way to read a delivery time.
type reader struct {
	name string
	read func(t *testing.T, wire []byte, p Peer) (int64, error)
}

// readers are all ways to read a delivery time from bytes: as they are, by way of go-amqp, and as go-amqp encodes what
// it has decoded.
func readers() []reader {
	raw := func(t *testing.T, wire []byte, p Peer) (int64, error) {
		var m RawMessage
		require.NoError(t, m.Parse(wire))
		if p == (Peer{}) {
			return Consumer{}.ViewRaw(&m, sentAt()).DeliveryTime()
		}
		return Consumer{Peer: p}.ViewRaw(&m, sentAt()).DeliveryTime()
	}
	return []reader{
		{"RawMessage", raw},
		{"View", func(t *testing.T, wire []byte, p Peer) (int64, error) {
			var m amqp.Message
			require.NoError(t, m.UnmarshalBinary(wire))
			return Consumer{Peer: p}.View(&m, time.Time{}).DeliveryTime()
		}},
		{"RawMessage of go-amqp", func(t *testing.T, wire []byte, p Peer) (int64, error) {
			var m amqp.Message
			require.NoError(t, m.UnmarshalBinary(wire))
			again, err := m.MarshalBinary()
			require.NoError(t, err)
			return raw(t, again, p)
		}},
	}
}

// One value of each type and encoding, where a delivery time or a delay stands. [amqp 1.6]
func deliveryValues() []struct {
	name, wire string
	n          int64
	kind       string // integer, timestamp, null; "" is neither
	raw        bool   // go-amqp does not decode it
} {
	return []struct {
		name, wire string
		n          int64
		kind       string
		raw        bool
	}{
		{"null", "40", 0, "null", false},
		{"byte", "51 64", 100, "integer", false},
		{"short", "61 0064", 100, "integer", false},
		{"smallint", "54 64", 100, "integer", false},
		{"int", "71 00000064", 100, "integer", false},
		{"smalllong", "55 64", 100, "integer", false},
		{"long", "81 000001a22d1b7809", sent + 5000, "integer", false},
		{"ubyte", "50 c8", 200, "integer", false},
		{"ushort", "60 ea60", 60000, "integer", false},
		{"uint0", "43", 0, "integer", false},
		{"smalluint", "52 c8", 200, "integer", false},
		{"uint", "70 ffffffff", math.MaxUint32, "integer", false},
		{"ulong0", "44", 0, "integer", false},
		{"smallulong", "53 c8", 200, "integer", false},
		{"ulong", "80 000001a22d1b7809", sent + 5000, "integer", false},
		{"timestamp", "83 000001a22d1b7809", sent + 5000, "timestamp", false},
		{"timestamp 0", "83 0000000000000000", 0, "timestamp", false},
		{"timestamp before 1970", "83 ffffffffffffffff", -1, "timestamp", false},
		{"the first timestamp", "83 8000000000000000", math.MinInt64, "timestamp", false},
		{"the last timestamp", "83 7fffffffffffffff", math.MaxInt64, "timestamp", false},
		{"negative byte", "51 fb", -5, "integer", false},
		{"negative long", "55 ff", -1, "integer", false},
		{"the first long", "81 8000000000000000", math.MinInt64, "integer", false},
		{"the last long", "81 7fffffffffffffff", math.MaxInt64, "integer", false},
		{"the last ulong that fits", "80 7fffffffffffffff", math.MaxInt64, "integer", false},
		{"the first ulong that does not", "80 8000000000000000", 0, "", false},
		{"the last ulong", "80 ffffffffffffffff", 0, "", false},
		{"true", "41", 0, "", false},
		{"false", "56 00", 0, "", false},
		{"float", "72 42c80000", 0, "", false},
		{"double", "82 4059000000000000", 0, "", false},
		{"decimal32", "74 00000064", 0, "", true},
		{"decimal64", "84 0000000000000064", 0, "", true},
		{"decimal128", "94 00000000000000000000000000000064", 0, "", true},
		{"char", "73 00000064", 0, "", true},
		{"uuid", "98 00000000000000000000000000000064", 0, "", false},
		{"binary", "a0 02 0064", 0, "", false},
		{"string", `a1 03 "100"`, 0, "", false},
		{"symbol", `a3 03 "100"`, 0, "", false},
		{"list", "c0 03 01 55 64", 0, "", false},
		{"list0", "45", 0, "", false},
		{"map", "c1 05 02 55 01 55 64", 0, "", false},
		{"array of long", "e0 0a 01 81 0000000000000064", 0, "", false},
		{"described long", "00 53 01 55 64", 0, "", true},
	}
}

// Every type in every form, and in none. What a form cannot be is an error and no other form is asked.
func TestDeliveryTimeTypes(t *testing.T) {
	const notTime, notDelay = "want an integer up to 2^63-1 or a timestamp", "want an integer from 0 to 2^63-1"
	byProperty := delaying(DelayProperty)
	for _, form := range []struct {
		name     string
		peer     Peer
		say      func(wire string) said // with every form that comes after it
		relative bool
	}{
		{"x-opt-delivery-time", byProperty, func(w string) said { return said{w, "55 01", "55 02", "55 03", "83 000001a22d1b6481"} }, false},
		{"x-opt-scheduled-enqueue-time", byProperty, func(w string) said { return said{"", w, "55 02", "55 03", "83 000001a22d1b6481"} }, false},
		{"x-opt-delivery-delay", byProperty, func(w string) said { return said{"", "", w, "55 03", "83 000001a22d1b6481"} }, true},
		{"AMQ_SCHEDULED_DELAY", byProperty, func(w string) said { return said{"", "", "", w, "83 000001a22d1b6481"} }, true},
		{"AMQ_SCHEDULED_DELAY", Peer{}, func(w string) said { return said{"", "", "", w, "83 000001a22d1b6481"} }, false},
	} {
		for _, v := range deliveryValues() {
			// By the rule, written once more.
			want, why := v.n, ""
			switch {
			case form.name == "AMQ_SCHEDULED_DELAY" && form.peer == Peer{}:
				want = sent // an ordinary property
			case v.kind == "null":
				want = map[string]int64{"x-opt-delivery-time": 1, "x-opt-scheduled-enqueue-time": sent + 2, "x-opt-delivery-delay": sent + 3, "AMQ_SCHEDULED_DELAY": sent}[form.name]
			case !form.relative && v.kind == "":
				want, why = 0, notTime
			case form.relative && (v.kind != "integer" || v.n < 0):
				want, why = 0, notDelay
			case form.relative && v.n > math.MaxInt64-sent:
				want, why = 0, "overflows int64 milliseconds"
			case form.relative:
				want = sent + v.n
			}
			wire := form.say(v.wire).encode(t)
			for _, r := range readers() {
				if v.raw && r.name != "RawMessage" {
					continue
				}
				got, err := r.read(t, wire, form.peer)
				what := fmt.Sprintf("%s: %s as %s", r.name, form.name, v.name)
				require.Equal(t, want, got, what)
				if why == "" {
					require.NoError(t, err, what)
					continue
				}
				var e *ValueError
				require.ErrorAs(t, err, &e, what)
				require.Equal(t, form.name, e.What, what)
				require.EqualError(t, e.Err, why, what)
			}
		}
	}
}

// Which form counts, and what it needs.
func TestDeliveryTime(t *testing.T) {
	const created = "83 000001a22d1b6481"
	byProperty := delaying(DelayProperty)
	for _, row := range []struct {
		rule string
		said said
		peer Peer
		want int64
		err  string
	}{
		{"nothing says it", said{}, Peer{}, 0, ""},
		{"nothing says it", said{}, byProperty, 0, ""},
		{"no delay: the time of send", said{created: created}, Peer{}, sent, ""},
		{"x-opt-delivery-time first", said{"55 01", "55 02", "55 03", "55 04", created}, byProperty, 1, ""},
		{"and without creation-time", said{time: "55 01"}, Peer{}, 1, ""},
		{"then the enqueue time", said{"", "83 0000000000000002", "55 03", "55 04", created}, byProperty, 2, ""},
		{"and without creation-time", said{enqueue: "83 0000000000000002"}, Peer{}, 2, ""},
		{"then the relative delay", said{"", "", "55 03", "55 04", created}, byProperty, sent + 3, ""},
		{"a delay of 0", said{"", "", "55 00", "", created}, Peer{}, sent, ""},
		{"counts from the epoch where that was stated", said{"", "", "55 03", "", "83 0000000000000000"}, Peer{}, 3, ""},
		{"then the property where it was chosen", said{"", "", "", "55 04", created}, byProperty, sent + 4, ""},
		{"and nowhere else", said{"", "", "", "55 04", created}, Artemis(), sent, ""},
		{"nulls are none", said{"40", "40", "40", "40", created}, byProperty, sent, ""},
		{"nulls are none", said{"40", "40", "40", "40", "40"}, byProperty, 0, ""},
		{"an absolute time in the past", said{time: "81 0000000000000001", created: created}, Peer{}, 1, ""},

		{"a relative delay needs a beginning", said{delay: "55 03"}, Peer{}, 0, `x-opt-delivery-delay 3: the creation-time that it counts from is missing`},
		{"a relative delay needs a beginning", said{delay: "55 03", created: "40"}, Peer{}, 0, `x-opt-delivery-delay 3: the creation-time that it counts from is missing`},
		{"a relative delay needs a beginning", said{property: "55 03"}, byProperty, 0, `AMQ_SCHEDULED_DELAY 3: the creation-time that it counts from is missing`},
		{"an overflowing sum", said{delay: "81 7fffffffffffffff", created: "83 0000000000000001"}, Peer{}, 0, `x-opt-delivery-delay 9223372036854775807ms: overflows int64 milliseconds`},
		{"no falling through", said{"", "", "55 ff", "55 04", created}, byProperty, 0, `x-opt-delivery-delay -1: want an integer from 0 to 2^63-1`},
		{"no falling through", said{"41", "55 02", "55 03", "55 04", created}, byProperty, 0, `x-opt-delivery-time boolean: want an integer up to 2^63-1 or a timestamp`},
		{"a large ulong is named", said{time: "80 8000000000000000"}, Peer{}, 0, `x-opt-delivery-time 9223372036854775808: want an integer up to 2^63-1 or a timestamp`},
		{"a time is no delay", said{delay: "83 0000000000000014", created: created}, Peer{}, 0, `x-opt-delivery-delay timestamp 20: want an integer from 0 to 2^63-1`},
	} {
		wire := row.said.encode(t)
		for _, r := range readers() {
			got, err := r.read(t, wire, row.peer)
			what := fmt.Sprintf("%s: %s of %+v", row.rule, r.name, row.said)
			require.Equal(t, row.want, got, what)
			switch {
			case row.err == "":
				require.NoError(t, err, what)
			case r.name == "View": // which names Go's types
				require.Error(t, err, what)
			default:
				wantValueError(t, err, "amqpjms: "+row.err)
			}
		}
	}
}

// What raw bytes show and go-amqp does not, or reads as something else.
func TestDeliveryTimeRaw(t *testing.T) {
	for _, row := range []struct {
		rule string
		wire string
		want int64
		err  string
	}{
		{"an empty message", ``, 0, ""},
		{"keys are symbols: a string does not match", `00 53 72 c1 18 02 a1 13 "x-opt-delivery-time" 55 01`, 0, ""},
		{"a symbol of the wide form does", `00 53 72 c1 1b 02 b3 00000013 "x-opt-delivery-time" 55 01`, 1, ""},
		{"a map of the wide form", `00 53 72 d1 0000001b 00000002 a3 13 "x-opt-delivery-time" 55 01`, 1, ""},
		{"a symbolic descriptor", `00 a3 1c "amqp:message-annotations:map" c1 18 02 a3 13 "x-opt-delivery-time" 55 01`, 1, ""},
		{"a key that is no ASCII is no name", `00 53 72 c1 1c 04 a3 01 ff 40 a3 13 "x-opt-delivery-time" 55 01`, 1, ""},
		{"what follows it is not looked at", `00 53 72 c1 1a 04 a3 13 "x-opt-delivery-time" 55 01 a3 05`, 1, ""},
		{"of two the first, as for Annotation", `00 53 72 c1 2f 04 a3 13 "x-opt-delivery-time" 55 02 a3 13 "x-opt-delivery-time" 55 01`, 2, ""},
		{"a null too", `00 53 72 c1 2e 04 a3 13 "x-opt-delivery-time" 40 a3 13 "x-opt-delivery-time" 55 01`, 0, ""},
		{"a null of another form too", `00 53 72 c1 40 04 a3 1c "x-opt-scheduled-enqueue-time" 40 a3 1c "x-opt-scheduled-enqueue-time" 55 01`, 0, ""},
		{"and then the next form", `00 53 72 c1 4e 06 a3 13 "x-opt-delivery-time" 40 a3 13 "x-opt-delivery-time" 55 01 a3 1c "x-opt-scheduled-enqueue-time" 55 03`, 3, ""},
		{"not among the delivery annotations", `00 53 71 c1 18 02 a3 13 "x-opt-delivery-time" 55 01`, 0, ""},
		{"not among the application properties", `00 53 74 c1 18 02 a1 13 "x-opt-delivery-time" 55 01`, 0, ""},
		{"a creation-time of another type", `00 53 73 c0 0c 0a 40 40 40 40 40 40 40 40 40 55 01`, 0, `creation-time 1: want a timestamp`},
		{"is not asked where it is not needed",
			`00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 55 01 00 53 73 c0 0c 0a 40 40 40 40 40 40 40 40 40 55 01`, 1, ""},
		{"a relative delay from it",
			`00 53 72 c1 19 02 a3 14 "x-opt-delivery-delay" 55 01 00 53 73 c0 0c 0a 40 40 40 40 40 40 40 40 40 55 01`, 0, `creation-time 1: want a timestamp`},
		{"annotations cut off", `00 53 72 c1 17 02 a3 13 "x-opt-delivery-time" 81`, 0, `message-annotations at byte 28: unexpected EOF`},
		{"a key cut off", `00 53 72 c1 03 02 a3 13`, 0, `message-annotations at byte 8: unexpected EOF`},
		{"behind a header", `00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 13 "x-opt-delivery-time" 81`, 0, `message-annotations at byte 35: unexpected EOF`},
		{"behind delivery annotations", `00 53 71 c1 01 00 00 53 72 c1 03 02 a3 13`, 0, `message-annotations at byte 14: unexpected EOF`},
		{"annotations left over", `00 53 72 c1 02 00 40`, 0, `message-annotations at byte 6: unexpected trailing data (1 byte)`},
		{"of two equal keys the first", `00 53 72 c1 31 04 a3 14 "x-opt-delivery-delay" 55 01 a3 14 "x-opt-delivery-delay" 55 02
			00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481`, sent + 1, ""},
		{"properties are not looked at beside an enqueue time",
			`00 53 72 c1 21 02 a3 1c "x-opt-scheduled-enqueue-time" 55 02 00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`, 2, ""},
		{"properties cut off", `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`, 0, `creation-time at byte 16: unexpected EOF`},
	} {
		var m RawMessage
		err := m.Parse(encoded(t, row.wire))
		var got int64
		if err == nil {
			got, err = Consumer{}.ViewRaw(&m, sentAt()).DeliveryTime()
		}
		if v, err := m.Annotation("x-opt-delivery-time"); err == nil && v != nil {
			n, ok := v.Int()
			require.True(t, ok, row.rule)
			require.Equal(t, row.want, n, row.rule)
		}
		require.Equal(t, row.want, got, row.rule)
		if row.err == "" {
			require.NoError(t, err, row.rule)
		} else {
			require.EqualError(t, err, "amqpjms: "+row.err, row.rule)
		}
	}

	// Of a peer that delays by a property the application properties are read, but not beside a relative delay.
	var m RawMessage
	require.NoError(t, m.Parse(encoded(t, `00 53 74 c1 03 02 a1 13`)))
	got, err := Consumer{Peer: delaying(DelayProperty)}.ViewRaw(&m, sentAt()).DeliveryTime()
	wantWireError(t, err, `amqpjms: application-properties "AMQ_SCHEDULED_DELAY" at byte 8: unexpected EOF`)
	require.Zero(t, got)
	require.NoError(t, m.Parse(encoded(t, `00 53 72 c1 19 02 a3 14 "x-opt-delivery-delay" 55 03
		00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481 00 53 74 c1 03 02 a1 13`)))
	got, err = Consumer{Peer: delaying(DelayProperty)}.ViewRaw(&m, sentAt()).DeliveryTime()
	require.NoError(t, err)
	require.Equal(t, int64(sent+3), got)

	require.NoError(t, m.Parse(encoded(t, `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`)))
	got, err = Consumer{}.ViewRaw(&m, sentAt()).Timestamp()
	wantWireError(t, err, "amqpjms: creation-time at byte 16: unexpected EOF")
	require.Zero(t, got)
	request, err := m.DelayRequest(sentAt())
	require.NoError(t, err, "a message that does not ask for a delay")
	require.Zero(t, request)
	require.NoError(t, m.Parse(encoded(t, `00 53 72 c1 03 02 a3 13`)))
	request, err = m.DelayRequest(sentAt())
	wantWireError(t, err, "amqpjms: message-annotations at byte 8: unexpected EOF")
	require.Zero(t, request)
}

// Of a key that is a string go-amqp does not tell that it is no symbol.
func TestDeliveryTimeStringKey(t *testing.T) {
	m, err := unmarshal(encoded(t, `00 53 72 c1 18 02 a1 13 "x-opt-delivery-time" 55 01`))
	require.NoError(t, err)
	got, err := Consumer{}.View(m, time.Time{}).DeliveryTime()
	require.NoError(t, err)
	require.EqualValues(t, 1, got)
}

// JMSExpiration on both kinds of message.
func TestExpiration(t *testing.T) {
	const received = 1796053117539
	at := time.UnixMilli(received)
	for _, row := range []struct {
		rule     string
		wire     string
		received time.Time
		want     int64
		err      string
	}{
		{"never", ``, time.Time{}, 0, ""},
		{"never", `00 53 70 45 00 53 73 45`, at, 0, ""},
		{"absolute-expiry-time", `00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 000003bb2cc3d800`, time.Time{}, 4102444800000, ""},
		{"wins over a ttl", `00 53 70 c0 08 03 41 40 70 0000ea60 00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 000003bb2cc3d800`, time.Time{}, 4102444800000, ""},
		{"before 1970", `00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 ffffffffffffffff`, at, -1, ""},
		{"0 is never", `00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 0000000000000000`, at, 0, ""},
		{"0 is never, beside a ttl too", `00 53 70 c0 05 03 41 40 52 c8 00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 0000000000000000`, at, 0, ""},
		{"null is none", `00 53 70 c0 05 03 41 40 52 c8 00 53 73 c0 0a 09 40 40 40 40 40 40 40 40 40`, at, received + 200, ""},
		{"a ttl counts from the time of receipt", `00 53 70 c0 05 03 41 40 52 c8`, at, received + 200, ""},
		{"which is cut to milliseconds", `00 53 70 c0 05 03 41 40 52 c8`, at.Add(999_999), received + 200, ""},
		{"the longest ttl", `00 53 70 c0 08 03 41 40 70 ffffffff`, at, received + math.MaxUint32, ""},
		{"a ttl of 0 is never", `00 53 70 c0 04 03 41 40 43`, time.Time{}, 0, ""},
		{"a time of receipt that is not given", `00 53 70 c0 05 03 41 40 52 c8`, time.Time{}, 0,
			`time of receipt 0001-01-01 00:00:00 +0000 UTC: needed to compute the expiration from the header's ttl`},
		{"an overflowing sum", `00 53 70 c0 05 03 41 40 52 c8`, time.UnixMilli(math.MaxInt64 - 199), 0, `ttl 200ms: overflows int64 milliseconds`},
	} {
		wire := encoded(t, row.wire)
		var raw RawMessage
		require.NoError(t, raw.Parse(wire))
		var m amqp.Message
		require.NoError(t, m.UnmarshalBinary(wire))
		view := Consumer{}.View(&m, row.received)
		for name, read := range map[string]func() (int64, error){
			"RawMessage": func() (int64, error) { return Consumer{}.ViewRaw(&raw, row.received).Expiration() },
			"View":       view.Expiration,
		} {
			for range 2 { // two reads agree
				got, err := read()
				require.Equal(t, row.want, got, "%s: %s", name, row.rule)
				if row.err == "" {
					require.NoError(t, err, "%s: %s", name, row.rule)
				} else {
					wantValueError(t, err, "amqpjms: "+row.err)
				}
			}
		}
	}

	var raw RawMessage
	for wire, want := range map[string]string{
		`00 53 73 c0 0b 09 40 40 40 40 40 40 40 40 55 01`:               "1: want a timestamp",
		`00 53 73 c0 12 09 40 40 40 40 40 40 40 40 80 8000000000000000`: "9223372036854775808: want a timestamp",
		`00 53 73 c0 0c 09 40 40 40 40 40 40 40 40 a1 01 61`:            "string: want a timestamp",
		`00 53 73 c0 0a 09 40 40 40 40 40 40 40 40 83`:                  "at byte 15: unexpected EOF",
	} {
		require.NoError(t, raw.Parse(encoded(t, wire)))
		got, err := Consumer{}.ViewRaw(&raw, at).Expiration()
		require.EqualError(t, err, "amqpjms: absolute-expiry-time "+want)
		require.Zero(t, got)
	}
	_, err := Consumer{}.View(&amqp.Message{Header: &amqp.MessageHeader{TTL: -1}}, at).Expiration()
	wantValueError(t, err, "amqpjms: time to live -1ns: negative")
}

// Whether and until when a message asks to wait, for a broker that reads its bytes.
func TestDelayRequest(t *testing.T) {
	const created = "83 000001a22d1b6481"
	arrived := time.UnixMilli(sent + 7)
	for _, row := range []struct {
		rule    string
		said    said
		arrived time.Time
		want    DelayRequest
		due     int64 // the first millisecond that it is
		err     string
	}{
		{"it does not ask", said{}, time.Time{}, DelayRequest{}, math.MinInt64, ""},
		{"a timestamp does not ask", said{created: created}, time.Time{}, DelayRequest{}, math.MinInt64, ""},
		{"absolute", said{time: "81 000001a22d1b7809"}, time.Time{}, DelayRequest{DelayAbsolute, sent + 5000}, sent + 5000, ""},
		{"a time in the past is due", said{time: "55 01"}, time.Time{}, DelayRequest{DelayAbsolute, 1}, 1, ""},
		{"enqueue time", said{enqueue: "83 000001a22d1b7809"}, time.Time{}, DelayRequest{DelayEnqueueTime, sent + 5000}, sent + 5000, ""},
		{"relative, from the creation-time", said{delay: "71 00001388", created: created}, arrived, DelayRequest{DelayRelative, sent + 5000}, sent + 5000, ""},
		{"relative, else from the arrival", said{delay: "71 00001388"}, arrived, DelayRequest{DelayRelative, sent + 5007}, sent + 5007, ""},
		{"property, from the creation-time", said{property: "81 0000000000001388", created: created}, arrived, DelayRequest{DelayProperty, sent + 5000}, sent + 5000, ""},
		{"property, else from the arrival", said{property: "81 0000000000001388"}, arrived, DelayRequest{DelayProperty, sent + 5007}, sent + 5007, ""},
		{"by two forms: as it is read", said{time: "81 000001a22d1b7809", delay: "55 01", property: "55 01", created: created}, arrived, DelayRequest{DelayAbsolute, sent + 5000}, sent + 5000, ""},
		{"null is no form", said{time: "40", enqueue: "40", delay: "40", property: "40", created: created}, arrived, DelayRequest{}, math.MinInt64, ""},
		{"a creation-time is not looked at without a delay", said{created: "41"}, time.Time{}, DelayRequest{}, math.MinInt64, ""},
		{"nor beside an absolute one", said{time: "55 01", created: "41"}, time.Time{}, DelayRequest{DelayAbsolute, 1}, 1, ""},
		{"but with a relative one", said{delay: "55 01", created: "41"}, time.Time{}, DelayRequest{}, 0, `creation-time boolean: want a timestamp`},
		{"neither creation-time nor arrival", said{delay: "55 01"}, time.Time{}, DelayRequest{}, 0, `x-opt-delivery-delay 1: the creation-time that it counts from is missing`},
		{"an overflowing sum", said{delay: "81 7fffffffffffffff"}, arrived, DelayRequest{}, 0, `x-opt-delivery-delay 9223372036854775807ms: overflows int64 milliseconds`},
		{"a form that cannot be read", said{time: "41", delay: "55 01"}, arrived, DelayRequest{}, 0, `x-opt-delivery-time boolean: want an integer up to 2^63-1 or a timestamp`},
	} {
		var m RawMessage
		require.NoError(t, m.Parse(row.said.encode(t)))
		got, err := m.DelayRequest(row.arrived)
		require.Equal(t, row.want, got, row.rule)
		if row.err != "" {
			wantValueError(t, err, "amqpjms: "+row.err)
			continue
		}
		require.NoError(t, err, row.rule)
		if row.due != math.MinInt64 {
			require.False(t, got.Due(time.UnixMilli(row.due).Add(-1)), "%s: a nanosecond early", row.rule)
		}
		require.True(t, got.Due(time.UnixMilli(max(row.due, 0))), row.rule)
	}
	require.True(t, DelayRequest{}.Due(time.Time{}), "what does not ask is always due")

	refusal := DelayRequest{DelayRelative, 1}.RejectError()
	require.Equal(t, amqp.ErrCond("amqp:not-implemented"), refusal.Condition)
	require.Equal(t, "delayed delivery is not supported; the message requests it by x-opt-delivery-delay", refusal.Description)
}

// What a producer stamps is what a receiver reads of it, to the millisecond, whatever the settings and the form of the
// delay; and so it is after a node has passed the message on.
func TestStampRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(8320, 608))
	maybe := func() bool { return r.IntN(2) == 0 }
	// A duration of any size, up to years.
	span := func() time.Duration { return time.Duration(r.Int64N(1 << (1 + r.IntN(58)))) }
	count := map[DelayForm]int{}
	for range 3000 {
		p := Producer{
			Peer:        delaying(forms()[r.IntN(len(forms()))]),
			Mode:        DeliveryMode(r.IntN(3)),
			NoMessageID: maybe(),
			NoTimestamp: maybe(),
		}
		if maybe() {
			p.Destination = Destination{Kind: DestinationKind(1 + r.IntN(4)), Name: "orders"}
		}
		if maybe() {
			p.Priority = Some(uint8(r.IntN(10)))
		}
		if maybe() {
			p.UserID = "alice"
		}
		if maybe() {
			p.TimeToLive = span()
		}
		if maybe() {
			p.WireTTL = Some(r.Uint32())
		}
		if maybe() && p.Peer.Delay.unfit(!p.NoTimestamp, "", "") == nil {
			p.DeliveryDelay = span()
		}
		if p.TimeToLive > 0 && p.TimeToLive < p.DeliveryDelay {
			p.TimeToLive, p.DeliveryDelay = p.DeliveryDelay, p.TimeToLive
		}
		if ttl, ok := p.WireTTL.Get(); ok && time.Duration(ttl)*time.Millisecond < p.DeliveryDelay {
			p.WireTTL = Some[uint32](0)
		}
		now := time.UnixMilli(1 + r.Int64N(1<<42)).Add(time.Duration(r.IntN(1e6)))
		m := amqp.Message{Value: "hello"}
		if maybe() {
			m = *full()
		}
		what := fmt.Sprintf("%+v at %v", p, now)
		s, err := p.Prepare(&m, now)
		require.NoError(t, err, what)
		wire, err := m.MarshalBinary()
		require.NoError(t, err, what)

		want := s.DeliveryTime
		if p.NoTimestamp && s.DeliveryDelay == 0 {
			want = 0 // nothing on the wire says it
		}
		if s.DeliveryDelay > 0 {
			count[p.Peer.Delay]++
		}
		for _, reader := range readers() {
			got, err := reader.read(t, wire, p.Peer)
			require.NoError(t, err, "%s of %s", reader.name, what)
			require.Equal(t, want, got, "%s of %s", reader.name, what)
		}

		var raw RawMessage
		require.NoError(t, raw.Parse(wire), what)
		var decoded amqp.Message
		require.NoError(t, decoded.UnmarshalBinary(wire), what)
		received := now.Add(time.Hour)
		view := Consumer{Peer: p.Peer}.View(&decoded, received)
		expires, err := Consumer{}.ViewRaw(&raw, received).Expiration()
		require.NoError(t, err, what)
		if s.Expiration != 0 || s.Header.TTL == (Opt[uint32]{}) {
			require.Equal(t, s.Expiration, expires, what)
		} else {
			require.Equal(t, received.UnixMilli()+int64(s.Header.TTL.Or(0)), expires, what)
		}
		viewed, err := view.Expiration()
		require.NoError(t, err, what)
		require.Equal(t, expires, viewed, what)
		h := raw.Header
		require.Equal(t, s.Header.Mode, h.Mode, what)
		require.Equal(t, s.Header.Priority.Or(DefaultPriority), h.Priority.Or(DefaultPriority), what)
		require.Equal(t, s.Header.TTL, h.TTL, what)
		require.Equal(t, [2]any{Opt[bool]{}, Opt[uint32]{}}, [2]any{h.FirstAcquirer, h.DeliveryCount}, what)
		id, err := raw.MessageID()
		require.NoError(t, err, what)
		require.Equal(t, s.MessageID, id, what)

		request, err := raw.DelayRequest(time.Time{})
		require.NoError(t, err, what)
		require.Equal(t, s.DeliveryDelay > 0, request.Form != DelayUnset, what)
		if s.DeliveryDelay == 0 {
			continue
		}
		require.Equal(t, DelayRequest{p.Peer.Delay, s.DeliveryTime}, request, what)
		early := time.UnixMilli(s.DeliveryTime - 1)
		passed, err := Forwarder{From: p.Peer, To: delaying(DelayForm(r.IntN(5)))}.Append(nil, wire, early)
		require.NoError(t, err, what)
		for _, reader := range readers() {
			got, err := reader.read(t, passed, Peer{})
			require.NoError(t, err, "%s, passed on, of %s", reader.name, what)
			require.Equal(t, want, got, "%s, passed on, of %s", reader.name, what)
		}
	}
	for _, form := range []DelayForm{DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty} {
		require.Greater(t, count[form], 50, form)
	}
}

// comparable says whether go-amqp sees of a message what we do: it looks at less, takes strings for symbols, and of two
// equal keys the last.
func (m *RawMessage) comparable(t *testing.T) bool {
	for _, err := range m.BodySections() {
		if err != nil {
			return false
		}
	}
	for section, keys := range map[*[]byte]wire.Type{&m.MessageAnnotations: wire.Symbol, &m.ApplicationProperties: wire.String} {
		if *section == nil {
			continue
		}
		seen := map[string]bool{}
		r := wire.NewReader(*section)
		r.Descriptor()
		outer, n := r.Map()
		for range n {
			key, ok := RawValue(r.Value()).text(keys)
			r.Skip()
			if !ok || seen[string(key)] {
				return false
			}
			seen[string(key)] = true
		}
		if r.Leave(outer); r.Err() != nil {
			return false
		}
	}
	return true
}

// Raw bytes and what go-amqp decodes of them give the same delivery time, expiration and errors.
func FuzzDeliveryTime(f *testing.F) {
	seed(f, func(wire []byte) { f.Add(wire) })
	for _, v := range deliveryValues() {
		const created = "83 000001a22d1b6481"
		for _, s := range []said{{time: v.wire}, {enqueue: v.wire}, {delay: v.wire, created: created}, {property: v.wire, created: created}, {created: v.wire}} {
			f.Add(s.encode(f))
		}
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		before := slices.Clone(wire)
		var raw RawMessage
		if raw.Parse(wire) != nil {
			return
		}
		m, err := unmarshal(wire)
		decodes := err == nil && raw.comparable(t)
		received := time.UnixMilli(sent)
		for _, p := range []Peer{{}, delaying(DelayProperty)} {
			view := Consumer{Peer: p}.View(m, received)
			got, err := Consumer{Peer: p}.ViewRaw(&raw, sentAt()).DeliveryTime()
			compareRead(t, got, err, decodes, view.DeliveryTime)
			got, err = Consumer{}.ViewRaw(&raw, received).Expiration()
			compareRead(t, got, err, decodes, view.Expiration)
		}
		request, err := raw.DelayRequest(received)
		if err != nil {
			require.Zero(t, request)
		} else if request.Form != DelayUnset {
			require.True(t, request.Due(time.UnixMilli(request.Time)))
			require.NotEmpty(t, request.RejectError().Description)
		}
		require.Equal(t, before, wire)
	})
}

// compareRead compares what raw bytes gave with what a view does.
func compareRead(t *testing.T, got int64, err error, decodes bool, view func() (int64, error)) {
	t.Helper()
	var wrong *WireError
	if err != nil {
		require.Zero(t, got)
	}
	if !decodes || errors.As(err, &wrong) {
		return
	}
	want, viewErr := view()
	require.Equal(t, want, got)
	if err == nil {
		require.NoError(t, viewErr)
		return
	}
	var e, viewed *ValueError
	require.ErrorAs(t, err, &e)
	require.ErrorAs(t, viewErr, &viewed)
	require.Equal(t, viewed.What, e.What)
	require.Equal(t, viewed.Err, e.Err)
}

func TestDeliveryAllocs(t *testing.T) {
	m, b := typicalMessage(t, 256)
	p := Producer{Peer: Artemis(), Destination: Destination{Kind: Queue, Name: "orders"}, Priority: Some[uint8](7), TimeToLive: time.Hour, DeliveryDelay: time.Second}
	now, id := sentAt(), NewID()
	s, err := p.Stamp(now, id)
	require.NoError(t, err)
	allocs(t, 0, "Stamp, an address without prefix", func() { _, _ = p.Stamp(now, id) })
	with := p
	with.Peer = ActiveMQ()
	allocs(t, 1, "Stamp, an address", func() { _, _ = with.Stamp(now, id) })
	// The header, the properties, four of their values, the delivery time, and a map of annotations.
	allocs(t, 10, "Apply", func() { _ = s.Apply(m) })

	var raw RawMessage
	require.NoError(t, raw.Parse(b))
	received := time.UnixMilli(sent)
	allocs(t, 0, "DeliveryTime", func() { _, _ = Consumer{}.ViewRaw(&raw, sentAt()).DeliveryTime() })
	allocs(t, 0, "DeliveryTimeFrom", func() { _, _ = Consumer{Peer: Peer{Delay: DelayProperty}}.ViewRaw(&raw, sentAt()).DeliveryTime() })
	allocs(t, 0, "Expiration", func() { _, _ = Consumer{}.ViewRaw(&raw, received).Expiration() })
	allocs(t, 0, "DelayRequest", func() {
		request, _ := raw.DelayRequest(received)
		_ = request.Due(received)
	})
	view := Consumer{}.View(m, received)
	allocs(t, 0, "View", func() {
		_, _ = view.DeliveryTime()
		_, _ = view.Expiration()
	})
	delete(m.Annotations, "x-opt-delivery-time")
	b, err = m.MarshalBinary()
	require.NoError(t, err)
	dst := make([]byte, 0, 2*len(b)+128)
	allocs(t, 0, "Forwarder.Append, dst reused", func() { _, _ = Forwarder{}.Append(dst, b, received) })
	allocs(t, 1+raceAllocs(), "Forwarder.Append, dst nil", func() { _, _ = Forwarder{}.Append(nil, b, received) })
}

// What has nothing to do with a delay does not refuse a message that asks for none.
func TestDelayRequestOfOddProperties(t *testing.T) {
	for rule, properties := range map[string]string{
		"a key that is no string":  "00 53 74 c1 05 02 54 01 54 02",
		"a key that is not UTF-8":  "00 53 74 c1 06 02 a1 01 ff 54 02",
		"a key that is described":  "00 53 74 c1 08 02 00 54 01 54 01 54 02",
		"a key before the delay's": "00 53 74 c1 1b 04 54 01 54 02 a1 13 41 4d 51 5f 53 43 48 45 44 55 4c 45 44 5f 44 45 4c 41 59 40",
	} {
		msg := append(unhexed(t, properties), "\x00\x53\x77\x40"...)
		var m RawMessage
		require.NoError(t, m.Parse(msg), rule)
		request, err := m.DelayRequest(sentAt())
		require.NoError(t, err, rule)
		require.Equal(t, DelayRequest{}, request, rule)
		for _, f := range []Forwarder{{}, {From: Peer{Delay: DelayProperty}}} {
			out, err := f.Append(nil, msg, sentAt())
			require.NoError(t, err, rule)
			require.Contains(t, string(out), "\x00\x53\x77\x40", rule)
		}
	}
	var m RawMessage
	require.NoError(t, m.Parse(unhexed(t, "00 53 74 c1 06 02 a1 01 ff 54 02")))
	_, err := m.ApplicationProperty("x")
	require.EqualError(t, err, `amqpjms: application-properties "x" at byte 6: not valid UTF-8`)
}

// A number that no form asks for costs nothing, and one that is too large is an error that shows it.
func TestDeliveryTimeTooLarge(t *testing.T) {
	for _, row := range []struct {
		rule, wire string
		want       int64
		err        string
	}{
		{"beside one that goes first", "c1 40 04 a3 1c 782d6f70742d7363686564756c65642d656e71756575652d74696d65 55 05" +
			"a3 14 782d6f70742d64656c69766572792d64656c6179 80 ff ff ff ff ff ff ff ff", 5, ""},
		{"alone", "c1 20 02 a3 14 782d6f70742d64656c69766572792d64656c6179 80 ff ff ff ff ff ff ff ff", 0,
			"amqpjms: x-opt-delivery-delay 18446744073709551615: want an integer from 0 to 2^63-1"},
	} {
		b := unhexed(t, "00 53 72"+row.wire)
		var m RawMessage
		require.NoError(t, m.Parse(b), row.rule)
		got, err := Consumer{}.ViewRaw(&m, sentAt()).DeliveryTime()
		require.Equal(t, row.want, got, row.rule)
		if row.err != "" {
			require.EqualError(t, err, row.err, row.rule)
			continue
		}
		require.NoError(t, err, row.rule)
		allocs(t, 0, row.rule, func() { _, _ = Consumer{}.ViewRaw(&m, sentAt()).DeliveryTime() })
	}
}

func TestStampFarTimes(t *testing.T) {
	for _, now := range []time.Time{time.Unix(1<<61, 0), time.UnixMilli(math.MaxInt64).Add(time.Millisecond), time.Unix(1<<62, 0)} {
		s, err := Producer{}.Stamp(now, ID{})
		wantValueError(t, err, "amqpjms: time of send "+now.String()+": overflows int64 milliseconds")
		require.Zero(t, s)
	}
	s, err := Producer{}.Stamp(time.UnixMilli(math.MaxInt64), ID{})
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64), s.Timestamp)
}
