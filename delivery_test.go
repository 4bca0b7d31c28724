package amqpjms

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

// sent is a time of send, in milliseconds since the epoch; on the wire 00 00 01 a2 2d 1b 64 81. The clock that it is
// read from knows more, which is cut off, and stands in another zone.
const sent = 1796053099649

func sentAt() time.Time {
	return time.UnixMilli(sent).Add(999_999 * time.Nanosecond).In(time.FixedZone("", -7200))
}

// encoded reads bytes written as hex, with spaces for people, and as text in quotes.
func encoded(t testing.TB, s string) []byte {
	t.Helper()
	var digits strings.Builder
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			part = hex.EncodeToString([]byte(part))
		}
		digits.WriteString(strings.Join(strings.Fields(part), ""))
	}
	return unhexed(t, digits.String())
}

// value is encoded for one value, nil where there is none.
func value(t testing.TB, s string) RawValue {
	t.Helper()
	if s == "" {
		return nil
	}
	return encoded(t, s)
}

func delaying(form DelayForm) Peer { return Peer{Delay: form} }

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
		return with(func(s *Stamp) { s.DelayForm, s.DeliveryDelay, s.DeliveryTime = form, delay, sent+delay })
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
			with(func(s *Stamp) { s.Destination, s.Address = Destination{Kind: Queue, Name: "orders"}, "q://orders" })},
		{"a user id", Producer{UserID: "alice"}, with(func(s *Stamp) { s.UserID = "alice" })},

		{"ids disabled", Producer{NoMessageID: true}, with(func(s *Stamp) { s.MessageID = ID{} })},
		{"timestamps disabled: the delivery time is of the real clock all the same", Producer{NoTimestamp: true},
			with(func(s *Stamp) { s.Timestamp = 0 })},
		{"timestamps disabled: an absolute delay needs none",
			Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second, NoTimestamp: true},
			with(func(s *Stamp) {
				s.Timestamp, s.DelayForm, s.DeliveryDelay, s.DeliveryTime = 0, DelayAbsolute, 5000, sent+5000
			})},
		{"timestamps disabled: an enqueue time needs none",
			Producer{Peer: delaying(DelayEnqueueTime), DeliveryDelay: 5 * time.Second, NoTimestamp: true},
			with(func(s *Stamp) {
				s.Timestamp, s.DelayForm, s.DeliveryDelay, s.DeliveryTime = 0, DelayEnqueueTime, 5000, sent+5000
			})},
		{"timestamps disabled: no delay needs none, whatever the form",
			Producer{Peer: delaying(DelayRelative), NoTimestamp: true},
			with(func(s *Stamp) { s.Timestamp, s.DelayForm = 0, DelayRelative })},

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
			with(func(s *Stamp) { s.DelayForm = DelayNone })},
		{"a delay under a millisecond is a millisecond", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 1}, delayed(DelayAbsolute, 1)},
		{"a delay is rounded up", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 4*time.Millisecond + 1}, delayed(DelayAbsolute, 5)},
		{"the longest delay, 2^63-1 ns", Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: math.MaxInt64},
			delayed(DelayAbsolute, 9_223_372_036_855)},
		{"a time to live may end with the delay",
			Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second, TimeToLive: 5 * time.Second},
			with(func(s *Stamp) {
				s.DelayForm, s.DeliveryDelay, s.DeliveryTime = DelayAbsolute, 5000, sent+5000
				s.Header.TTL, s.Expiration = Some[uint32](5000), sent+5000
			})},
		{"both are compared as they are sent, rounded up",
			Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 1_900 * time.Microsecond, TimeToLive: 1_100 * time.Microsecond},
			with(func(s *Stamp) {
				s.DelayForm, s.DeliveryDelay, s.DeliveryTime = DelayAbsolute, 2, sent+2
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
		{"a negative delay", Producer{Peer: Artemis(), DeliveryDelay: -time.Millisecond}, now, `delivery delay -1ms: negative`},
		{"a delay under 0 by less than a millisecond", Producer{Peer: Artemis(), DeliveryDelay: -1}, now, `delivery delay -1ns: negative`},
		{"a negative delay where there is none", Producer{DeliveryDelay: math.MinInt64}, now, `delivery delay -2562047h47m16.854775808s: negative`},
		{"a sum past int64", Producer{Peer: Artemis(), DeliveryDelay: time.Second}, late, `delivery delay 1000ms: ends after the last time there is`},
		{"the way to delay was not chosen", Producer{DeliveryDelay: 1}, now, `delivery delay 1ns: no form of delay has been chosen`},
		{"the peer cannot delay", Producer{Peer: RabbitMQ(), DeliveryDelay: time.Hour}, now, `delivery delay 1h0m0s: the peer cannot delay`},
		{"a form that there is not", Producer{Peer: delaying(DelayNone + 1), DeliveryDelay: time.Hour}, now, `delivery delay 1h0m0s: DelayForm(6) is no form of delay`},
		{"a relative delay without timestamp", Producer{Peer: delaying(DelayRelative), DeliveryDelay: time.Hour, NoTimestamp: true}, now,
			`delivery delay 1h0m0s: x-opt-delivery-delay needs a timestamp, and timestamps are disabled`},
		{"a delay by property without timestamp", Producer{Peer: delaying(DelayProperty), DeliveryDelay: time.Hour, NoTimestamp: true}, now,
			`delivery delay 1h0m0s: AMQ_SCHEDULED_DELAY needs a timestamp, and timestamps are disabled`},

		{"a negative time to live", Producer{TimeToLive: -time.Second}, now, `time to live -1s: negative`},
		{"a time to live past int64", Producer{TimeToLive: time.Second}, late, `time to live 1000ms: ends after the last time there is`},
		{"it would expire before it is delivered", Producer{Peer: Artemis(), TimeToLive: time.Second, DeliveryDelay: 5 * time.Second}, now,
			`time to live 1s: shorter than the delivery delay of 5s`},
		{"by a millisecond", Producer{Peer: Artemis(), TimeToLive: 4 * time.Millisecond, DeliveryDelay: 4*time.Millisecond + 1}, now,
			`time to live 4ms: shorter than the delivery delay of 4.000001ms`},
		{"JMS_AMQP_TTL makes it no longer", Producer{Peer: Artemis(), TimeToLive: 1, DeliveryDelay: time.Second, WireTTL: Some[uint32](9000)}, now,
			`time to live 1ns: shorter than the delivery delay of 1s`},

		{"priority above 9", Producer{Priority: Some[uint8](10)}, now, `priority 10: out of range 0 to 9`},
		{"no delivery mode", Producer{Mode: 3}, now, `delivery mode DeliveryMode(3): neither persistent nor non-persistent`},
		{"a user id that is no text", Producer{UserID: "\xff"}, now, `user id "\xff": not valid UTF-8`},
		{"a destination of no kind", Producer{Destination: Destination{Name: "orders"}}, now,
			`destination "orders": kind is none of queue, topic, temporary queue and temporary topic`},
		{"a destination without a name", Producer{Destination: Destination{Kind: Topic}}, now, `destination topic: has no name`},

		{"no time of send", Producer{}, time.Time{}, `time of send 0001-01-01 00:00:00 +0000 UTC: not after 1970-01-01 UTC`},
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

// full returns a message with all there can be, delays and the stamp of an earlier send among them, and keys in both
// of the types that go-amqp sends as symbols.
func full() *amqp.Message {
	text := func(s string) *string { return &s }
	at := func(ms int64) *time.Time { t := time.UnixMilli(ms).UTC(); return &t }
	sequence := uint32(7)
	return &amqp.Message{
		Format:              1,
		DeliveryTag:         []byte{1},
		Header:              &amqp.MessageHeader{Priority: 9, TTL: time.Hour, FirstAcquirer: true, DeliveryCount: 3},
		DeliveryAnnotations: amqp.Annotations{"x-opt-hop": int32(1)},
		Annotations: amqp.Annotations{
			"x-opt-custom": "kept", amqp.Symbol("x-opt-symbol"): "kept", int64(7): "kept",
			"x-opt-jms-msg-type": int8(5), "x-opt-jms-reply-to": int8(1), "x-opt-reply-type": "topic",
			"x-opt-jms-dest": int8(3), amqp.Symbol("x-opt-jms-dest"): int8(3), "x-opt-to-type": "topic",
			"x-opt-delivery-time": int64(1), amqp.Symbol("x-opt-delivery-time"): int64(1),
			"x-opt-delivery-delay": int64(1), amqp.Symbol("x-opt-delivery-delay"): int64(1),
			"x-opt-scheduled-enqueue-time": time.UnixMilli(1), amqp.Symbol("x-opt-scheduled-enqueue-time"): time.UnixMilli(1),
		},
		Properties: &amqp.MessageProperties{
			MessageID: "old", UserID: []byte("mallory"), To: text("old"), Subject: text("subject"), ReplyTo: text("replies"),
			CorrelationID: uint64(1), ContentType: text("text/plain"), ContentEncoding: text("gzip"),
			AbsoluteExpiryTime: at(2), CreationTime: at(1), GroupID: text("group"), GroupSequence: &sequence, ReplyToGroupID: text("replies"),
		},
		ApplicationProperties: map[string]any{"region": "north"},
		Value:                 "hello",
		Footer:                amqp.Annotations{"x-opt-footer": "kept"},
	}
}

// The bytes that are sent of an empty message, by every form of delay and every kind of destination, but for the kind
// of message and the null that is its body. go-amqp writes a
// map as map32, a header and properties as list32. [amqp 1.6, 3.2]
func TestApplyWire(t *testing.T) {
	const (
		header     = `00 53 70 d0 00000005 00000001 41`
		properties = `00 53 73 d0 00000017 0000000a 53 2a 40 40 40 40 40 40 40 40 83 000001a22d1b6481`
		toOrders   = `00 53 73 d0 0000001e 0000000a 53 2a 40 a1 06 "orders" 40 40 40 40 40 40 83 000001a22d1b6481`
	)
	id, err := IDFrom(uint64(42))
	require.NoError(t, err)
	for _, row := range []struct {
		rule string
		p    Producer
		wire string
	}{
		{"durable is written", Producer{}, header + properties},
		{"false too (QPIDJMS-608)", Producer{Mode: NonPersistent}, `00 53 70 d0 00000005 00000001 42` + properties},
		{"priority 0", Producer{Priority: Some[uint8](0)}, `00 53 70 d0 00000007 00000002 41 50 00` + properties},
		{"a time to live is ttl and absolute-expiry-time", Producer{TimeToLive: time.Minute},
			`00 53 70 d0 0000000b 00000003 41 40 70 0000ea60` +
				`00 53 73 d0 0000001f 0000000a 53 2a 40 40 40 40 40 40 40 83 000001a22d1c4ee1 83 000001a22d1b6481`},
		{"a ttl of 50 days is whole", Producer{WireTTL: Some[uint32](math.MaxUint32)},
			`00 53 70 d0 0000000b 00000003 41 40 70 ffffffff` + properties},
		{"no id", Producer{NoMessageID: true}, header +
			`00 53 73 d0 00000016 0000000a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481`},
		{"neither id nor timestamp", Producer{NoMessageID: true, NoTimestamp: true}, header},
		{"a user id", Producer{UserID: "alice"}, header +
			`00 53 73 d0 0000001d 0000000a 53 2a a0 05 "alice" 40 40 40 40 40 40 40 83 000001a22d1b6481`},

		{"queue", Producer{Destination: Destination{Kind: Queue, Name: "orders"}},
			header + `00 53 72 d1 00000016 00000002 a3 0e "x-opt-jms-dest" 51 00` + toOrders},
		{"topic", Producer{Destination: Destination{Kind: Topic, Name: "orders"}},
			header + `00 53 72 d1 00000016 00000002 a3 0e "x-opt-jms-dest" 51 01` + toOrders},
		{"temporary queue", Producer{Destination: Destination{Kind: TemporaryQueue, Name: "orders"}},
			header + `00 53 72 d1 00000016 00000002 a3 0e "x-opt-jms-dest" 51 02` + toOrders},
		{"temporary topic", Producer{Destination: Destination{Kind: TemporaryTopic, Name: "orders"}},
			header + `00 53 72 d1 00000016 00000002 a3 0e "x-opt-jms-dest" 51 03` + toOrders},

		{"an absolute time is a long, which alone every broker schedules",
			Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second},
			header + `00 53 72 d1 00000022 00000002 a3 13 "x-opt-delivery-time" 81 000001a22d1b7809` + properties},
		{"a relative delay", Producer{Peer: delaying(DelayRelative), DeliveryDelay: 5 * time.Second},
			header + `00 53 72 d1 00000023 00000002 a3 14 "x-opt-delivery-delay" 81 0000000000001388` + properties},
		{"an enqueue time is a timestamp", Producer{Peer: delaying(DelayEnqueueTime), DeliveryDelay: 5 * time.Second},
			header + `00 53 72 d1 0000002b 00000002 a3 1c "x-opt-scheduled-enqueue-time" 83 000001a22d1b7809` + properties},
		{"a delay by property", Producer{Peer: delaying(DelayProperty), DeliveryDelay: 5 * time.Second},
			header + properties + `00 53 74 d1 00000022 00000002 a1 13 "AMQ_SCHEDULED_DELAY" 81 0000000000001388`},
		{"no delay is no form", Producer{Peer: delaying(DelayAbsolute)}, header + properties},
		{"no delay is no form", Producer{Peer: delaying(DelayProperty)}, header + properties},
	} {
		s, err := row.p.Stamp(sentAt(), id)
		require.NoError(t, err, row.rule)
		var m amqp.Message
		require.NoError(t, s.Apply(&m), row.rule)
		// go-amqp writes annotations in no order, so that one may be left.
		require.Equal(t, int8(BytesMessage), m.Annotations["x-opt-jms-msg-type"], row.rule)
		require.Nil(t, m.Value, row.rule)
		require.Equal(t, [][]byte{{}}, m.Data, row.rule)
		delete(m.Annotations, "x-opt-jms-msg-type")
		if m.Data = nil; len(m.Annotations) == 0 {
			m.Annotations = nil
		}
		got, err := m.MarshalBinary()
		require.NoError(t, err, row.rule)
		require.Equal(t, hex.EncodeToString(encoded(t, row.wire)), hex.EncodeToString(got), "%s: %+v.Apply", row.rule, s)
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

// Prepare writes the stamp that it returns, with an id of its own for each send.
func TestPrepare(t *testing.T) {
	p := Producer{Peer: ActiveMQ(), Destination: Destination{Kind: Topic, Name: "news"}, TimeToLive: time.Minute, DeliveryDelay: time.Second}
	var m amqp.Message
	first, err := p.Prepare(&m, sentAt())
	require.NoError(t, err)
	require.Regexp(t, "^ID:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", first.MessageID.JMSMessageID())
	require.Equal(t, first.MessageID.Value(), m.Properties.MessageID)
	require.Equal(t, "topic://news", *m.Properties.To)

	again, err := p.Prepare(&m, sentAt())
	require.NoError(t, err)
	require.NotEqual(t, first.MessageID, again.MessageID, "a retry is another message")
	require.Equal(t, again.MessageID.Value(), m.Properties.MessageID)
	first.MessageID = again.MessageID
	require.Equal(t, first, again)

	p.NoMessageID = true
	none, err := p.Prepare(&m, sentAt())
	require.NoError(t, err)
	require.True(t, none.MessageID.IsZero())
	require.Nil(t, m.Properties.MessageID, "the id of the earlier send is gone")
}

func forms() []DelayForm {
	return []DelayForm{DelayUnset, DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty, DelayNone}
}

// A message that came with a content-type or a content-encoding that is no symbol is not sent on as one that has it.
func TestApplySymbols(t *testing.T) {
	odd, fine := "text/plain; charset=\xfc", "text/plain"
	for _, row := range []struct {
		contentType, encoding *string
		err                   string
	}{
		{nil, nil, ""},
		{&fine, &fine, ""},
		{&odd, &fine, `amqpjms: content-type "text/plain; charset=\xfc": not ASCII`},
		{nil, &odd, `amqpjms: content-encoding "text/plain; charset=\xfc": not ASCII`},
	} {
		m := amqp.Message{Value: "a", Properties: &amqp.MessageProperties{ContentType: row.contentType, ContentEncoding: row.encoding}}
		was := m
		_, err := Producer{}.Prepare(&m, sentAt())
		if row.err == "" {
			require.NoError(t, err)
			continue
		}
		wantValueError(t, err, row.err)
		require.Equal(t, was, m)
	}
	// go-amqp writes the keys of annotations as symbols, too, and does not look at them either.
	for _, row := range []struct {
		m   amqp.Message
		err string
	}{
		{amqp.Message{Annotations: amqp.Annotations{"x-opt-gr\u00fcn": true}}, `amqpjms: annotation "x-opt-grün": not ASCII`},
		{amqp.Message{Annotations: amqp.Annotations{amqp.Symbol("\x80"): true}}, `amqpjms: annotation "\x80": not ASCII`},
		{amqp.Message{DeliveryAnnotations: amqp.Annotations{"\u00fc": true}}, `amqpjms: annotation "ü": not ASCII`},
		{amqp.Message{Footer: amqp.Annotations{"\u00fc": true}}, `amqpjms: annotation "ü": not ASCII`},
		{amqp.Message{Annotations: amqp.Annotations{"a": amqp.Symbol("\u00fc")}}, `amqpjms: message-annotations "a" "ü": not ASCII`},
		{amqp.Message{Value: []any{amqp.Symbol("\u00fc")}}, `amqpjms: amqp-value "ü": not ASCII`},
		{amqp.Message{Annotations: amqp.Annotations{"a\x7f": amqp.Symbol("\x7f"), amqp.Symbol("b"): "\u00fc", int64(-1): true}}, ""},
	} {
		_, err := Producer{}.Prepare(&row.m, sentAt())
		if row.err == "" {
			require.NoError(t, err)
			continue
		}
		wantValueError(t, err, row.err)
	}
}

// What the application and others put on a message stays, what an earlier producer put there is gone.
func TestApplyReplaces(t *testing.T) {
	p := Producer{Destination: Destination{Kind: Queue, Name: "orders"}, TimeToLive: time.Minute, DeliveryDelay: 5 * time.Second}
	for form, delay := range map[DelayForm]amqp.Annotations{
		DelayUnset:       {},
		DelayNone:        {},
		DelayAbsolute:    {"x-opt-delivery-time": int64(sent + 5000)},
		DelayRelative:    {"x-opt-delivery-delay": int64(5000)},
		DelayEnqueueTime: {"x-opt-scheduled-enqueue-time": time.UnixMilli(sent + 5000).UTC()},
		DelayProperty:    {},
	} {
		p.Peer.Delay, p.DeliveryDelay = form, 5*time.Second
		if form == DelayUnset || form == DelayNone {
			p.DeliveryDelay = 0
		}
		want, got := full(), full()
		got.Annotations[amqp.Symbol("x-opt-jms-msg-type")] = int8(0) // the same key for AMQP, which could be sent once only
		id := NewID()
		s, err := p.Stamp(sentAt(), id)
		require.NoError(t, err)
		require.NoError(t, s.Apply(got))

		want.Header = &amqp.MessageHeader{Durable: true, Priority: 4, TTL: time.Minute}
		to, created, expires := "orders", time.UnixMilli(sent).UTC(), time.UnixMilli(sent+60_000).UTC()
		want.Properties.MessageID, want.Properties.UserID, want.Properties.To = id.Value(), nil, &to
		want.Properties.CreationTime, want.Properties.AbsoluteExpiryTime = &created, &expires
		want.Annotations = amqp.Annotations{
			"x-opt-custom": "kept", amqp.Symbol("x-opt-symbol"): "kept", int64(7): "kept",
			"x-opt-jms-msg-type": int8(5), "x-opt-jms-reply-to": int8(1), "x-opt-reply-type": "topic",
			"x-opt-jms-dest": int8(0),
		}
		maps.Copy(want.Annotations, delay)
		if form == DelayProperty {
			want.ApplicationProperties["AMQ_SCHEDULED_DELAY"] = int64(5000)
		}
		require.Equal(t, want, got, "%v", form)
	}

	// Without a destination, an expiration and a timestamp those of the earlier send go all the same.
	m := full()
	s, err := Producer{NoTimestamp: true}.Stamp(sentAt(), ID{})
	require.NoError(t, err)
	require.NoError(t, s.Apply(m))
	require.Nil(t, m.Properties.To)
	require.Nil(t, m.Properties.CreationTime)
	require.Nil(t, m.Properties.AbsoluteExpiryTime)
	require.NotContains(t, m.Annotations, "x-opt-jms-dest")
	require.NotContains(t, m.Annotations, amqp.Symbol("x-opt-jms-dest"))
}

// A delay of an earlier send is gone after the next, whatever the forms of the two.
func TestApplyLeavesNoDelay(t *testing.T) {
	for _, before := range []DelayForm{DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty} {
		for _, form := range forms() {
			for _, delay := range []time.Duration{0, time.Second} {
				if delay > 0 && form.unfit(true) != "" {
					continue
				}
				what := fmt.Sprintf("%v, then %v by %v", before, delay, form)
				var m amqp.Message
				_, err := Producer{Peer: delaying(before), DeliveryDelay: time.Hour}.Prepare(&m, sentAt())
				require.NoError(t, err, what)
				_, err = Producer{Peer: delaying(form), DeliveryDelay: delay}.Prepare(&m, sentAt())
				if before == DelayProperty && form != DelayProperty {
					// In another form the property is the application's own.
					require.Equal(t, delay > 0, err != nil, what)
					require.Equal(t, map[string]any{"AMQ_SCHEDULED_DELAY": int64(3_600_000)}, m.ApplicationProperties, what)
					continue
				}
				require.NoError(t, err, what)
				raw, err := m.MarshalBinary()
				require.NoError(t, err, what)
				for name, has := range map[string]bool{
					"x-opt-delivery-time":          form == DelayAbsolute,
					"x-opt-delivery-delay":         form == DelayRelative,
					"x-opt-scheduled-enqueue-time": form == DelayEnqueueTime,
					"AMQ_SCHEDULED_DELAY":          form == DelayProperty,
				} {
					require.Equal(t, has && delay > 0, strings.Contains(string(raw), name), "%s: %s", what, name)
				}
			}
		}
	}
}

// AMQ_SCHEDULED_DELAY is the producer's where that is its form, and otherwise the application's.
func TestApplyScheduledDelay(t *testing.T) {
	const name = "AMQ_SCHEDULED_DELAY"
	for _, row := range []struct {
		rule   string
		form   DelayForm
		delay  time.Duration
		before map[string]any
		after  map[string]any
		err    string
	}{
		{"replaced", DelayProperty, time.Second, map[string]any{name: int32(1), "a": "b"}, map[string]any{name: int64(1000), "a": "b"}, ""},
		{"removed where there is no delay", DelayProperty, 0, map[string]any{name: int32(1), "a": "b"}, map[string]any{"a": "b"}, ""},
		{"set", DelayProperty, time.Second, nil, map[string]any{name: int64(1000)}, ""},
		{"nothing to do", DelayProperty, 0, nil, nil, ""},
		{"an ordinary property", DelayAbsolute, 0, map[string]any{name: "text"}, map[string]any{name: "text"}, ""},
		{"an ordinary property", DelayUnset, 0, map[string]any{name: "text"}, map[string]any{name: "text"}, ""},
		{"an ordinary property", DelayNone, 0, map[string]any{name: "text"}, map[string]any{name: "text"}, ""},
		{"a second delay", DelayAbsolute, time.Second, map[string]any{name: int64(1)}, map[string]any{name: int64(1)},
			`amqpjms: property "AMQ_SCHEDULED_DELAY": a second delay beside x-opt-delivery-time`},
		{"a second delay", DelayRelative, time.Second, map[string]any{name: int64(1)}, map[string]any{name: int64(1)},
			`amqpjms: property "AMQ_SCHEDULED_DELAY": a second delay beside x-opt-delivery-delay`},
		{"a second delay, null or not", DelayEnqueueTime, time.Second, map[string]any{name: nil}, map[string]any{name: nil},
			`amqpjms: property "AMQ_SCHEDULED_DELAY": a second delay beside x-opt-scheduled-enqueue-time`},
	} {
		m := amqp.Message{ApplicationProperties: row.before}
		_, err := Producer{Peer: delaying(row.form), DeliveryDelay: row.delay}.Prepare(&m, sentAt())
		if row.err == "" {
			require.NoError(t, err, row.rule)
		} else {
			wantValueError(t, err, row.err)
		}
		require.Equal(t, row.after, m.ApplicationProperties, "%s: %v by %v", row.rule, row.delay, row.form)
	}
}

// Nothing of a message changes on error.
func TestPrepareErrors(t *testing.T) {
	for _, row := range badProducers() {
		m := full()
		shallow := *m
		got, err := row.p.Prepare(m, row.now)
		wantValueError(t, err, "amqpjms: "+row.err)
		require.Zero(t, got, row.rule)
		require.Equal(t, full(), m, row.rule)
		require.Same(t, shallow.Header, m.Header, row.rule)
		require.Same(t, shallow.Properties, m.Properties, row.rule)
	}
	m, want := full(), full()
	m.ApplicationProperties["AMQ_SCHEDULED_DELAY"], want.ApplicationProperties["AMQ_SCHEDULED_DELAY"] = int64(1), int64(1)
	_, err := Producer{Peer: Artemis(), DeliveryDelay: time.Second}.Prepare(m, sentAt())
	wantValueError(t, err, `amqpjms: property "AMQ_SCHEDULED_DELAY": a second delay beside x-opt-delivery-time`)
	require.Equal(t, want, m)
}

// A stamp that a wrapper made or changed does not lose its delay in silence.
func TestApplyErrors(t *testing.T) {
	for _, row := range []struct {
		stamp Stamp
		err   string
	}{
		{Stamp{DeliveryDelay: 1, Timestamp: 1}, "amqpjms: delivery delay 1ms: no form of delay has been chosen"},
		{Stamp{DeliveryDelay: 5000, Timestamp: 1, DelayForm: DelayNone}, "amqpjms: delivery delay 5000ms: the peer cannot delay"},
		{Stamp{DeliveryDelay: math.MaxInt64, DelayForm: DelayRelative}, "amqpjms: delivery delay 9223372036854775807ms: x-opt-delivery-delay needs a timestamp, and timestamps are disabled"},
	} {
		m := full()
		wantValueError(t, row.stamp.Apply(m), row.err)
		require.Equal(t, full(), m)
	}
}

// What two messages share is not written into.
func TestApplyShared(t *testing.T) {
	for _, form := range forms() {
		other := full()
		m := *other
		p := Producer{Peer: delaying(form), Destination: Destination{Kind: Queue, Name: "orders"}, UserID: "alice", TimeToLive: time.Minute}
		if form.unfit(true) == "" {
			p.DeliveryDelay = time.Second
		}
		_, err := p.Prepare(&m, sentAt())
		require.NoError(t, err)
		require.Equal(t, full(), other, "%v", form)
		require.NotEqual(t, full(), &m)

		// Nor do two sends of one stamp share anything.
		var a, b amqp.Message
		s, err := p.Stamp(sentAt(), ID{})
		require.NoError(t, err)
		require.NoError(t, s.Apply(&a))
		require.NoError(t, s.Apply(&b))
		a.Annotations["x-opt-custom"] = "a"
		*a.Properties.To, a.Properties.UserID[0] = "elsewhere", 'A'
		*a.Properties.CreationTime = time.Time{}
		require.NotContains(t, b.Annotations, "x-opt-custom")
		require.Equal(t, "orders", *b.Properties.To)
		require.Equal(t, "alice", string(b.Properties.UserID))
		require.Equal(t, time.UnixMilli(sent).UTC(), *b.Properties.CreationTime)
	}
}

// A received message that is sent on is a new message in all that a producer sets, and in nothing else.
func TestPrepareReceived(t *testing.T) {
	wire := encoded(t, `
		00 53 70 c0 0c 05 41 50 09 70 0000ea60 41 52 04
		00 53 72 c1 6e 0a
			a3 0c "x-opt-custom" a1 01 "v" a3 0e "x-opt-jms-dest" 51 01 a3 12 "x-opt-jms-reply-to" 51 02
			a3 12 "x-opt-jms-msg-type" 51 05 a3 13 "x-opt-delivery-time" 81 000003bb2cc3d800
		00 53 73 c0 62 0d
			80 000000000000002a a0 05 "alice" a1 04 "orig" a1 01 "t" a1 05 "reply" 98 0f1e2d3c4b5a69788796a5b4c3d2e1f0
			a3 0a "text/plain" a3 04 "gzip" 83 000003bb2cc3d800 83 0000018bcfe56800 a1 01 "g" 70 80000005 a1 02 "rg"
		00 53 74 c1 06 02 a1 01 "p" 54 01
		00 53 77 a1 05 "hello"
		00 53 78 c1 0d 02 a3 07 "x-opt-f" a1 01 "v"`)
	var m amqp.Message
	require.NoError(t, m.UnmarshalBinary(wire))
	s, err := Producer{Destination: Destination{Kind: Queue, Name: "onward"}}.Prepare(&m, sentAt())
	require.NoError(t, err)
	got, err := m.MarshalBinary()
	require.NoError(t, err)

	var before, after RawMessage
	require.NoError(t, before.Parse(wire))
	require.NoError(t, after.Parse(got))
	require.Equal(t, Header{Mode: Persistent}, after.Header, "a fresh header")
	created := value(t, `83 000001a22d1b6481`)
	changed := map[PropertiesField][]byte{
		FieldMessageID: s.MessageID.AppendTo(nil), FieldUserID: nil, FieldTo: value(t, `a1 06 "onward"`),
		FieldAbsoluteExpiryTime: nil, FieldCreationTime: created,
	}
	for f := range PropertiesField(propertiesFields) {
		want, ok := changed[f]
		if !ok {
			v, err := before.Property(f)
			require.NoError(t, err)
			require.NotNil(t, v, f)
			want = v
		}
		v, err := after.Property(f)
		require.NoError(t, err)
		require.Equal(t, RawValue(want), v, "%v", f)
	}
	for name, want := range map[string]string{
		"x-opt-custom": `a1 01 "v"`, "x-opt-jms-dest": "51 00", "x-opt-jms-reply-to": "51 02", "x-opt-jms-msg-type": "51 05",
		"x-opt-delivery-time": "",
	} {
		v, err := after.Annotation(name)
		require.NoError(t, err)
		require.Equal(t, value(t, want), v, name)
	}
	v, err := after.ApplicationProperty("p")
	require.NoError(t, err)
	require.Equal(t, RawValue{0x54, 1}, v)
	require.Equal(t, encoded(t, `00 53 77 a1 05 "hello" 00 53 78 d1 00000010 00000002 a3 07 "x-opt-f" a1 01 "v"`), after.Body)
}

// producerOf is the producer that the application configured.
func producerOf(t *testing.T, c golden.Case) Producer {
	t.Helper()
	number := func(key string, unset int64) int64 {
		if v, ok := c.Value(key); ok {
			return v.V.(int64)
		}
		return unset
	}
	set := func(key string) bool {
		v, _ := c.Value(key)
		return v.V == true
	}
	milliseconds := func(key string) time.Duration {
		n := number(key, 0)
		require.LessOrEqual(t, n, math.MaxInt64/int64(time.Millisecond), c.At())
		return time.Duration(n) * time.Millisecond
	}
	p := Producer{
		Destination:   destinationOf(t, c),
		Mode:          DeliveryMode(number("set.deliveryMode", 0)),
		TimeToLive:    milliseconds("set.timeToLive"),
		DeliveryDelay: milliseconds("set.deliveryDelay"),
		NoMessageID:   set("set.disableMessageID"),
		NoTimestamp:   set("set.disableMessageTimestamp"),
	}
	switch profile := c.Text("set.peerProfile"); profile {
	case "nodelay":
		p.Peer, _ = DetectPeer(nil)
	case "prefix":
		p.Peer, _ = DetectPeer(map[string]any{"queue-prefix": "q://", "topic-prefix": "t://"}, "DELAYED_DELIVERY")
	default:
		require.Empty(t, profile, c.At())
		p.Peer, _ = DetectPeer(nil, "DELAYED_DELIVERY")
	}
	if n := number("set.priority", DefaultPriority); n != DefaultPriority {
		p.Priority = Some(uint8(n))
	}
	if c.Text("set.connectionOptions") == "jms.populateJMSXUserID=true" {
		p.UserID = c.Text("set.username")
	}
	for _, property := range c.All("set.property") {
		if property.Name != "JMS_AMQP_TTL" {
			continue
		}
		n, err := strconv.ParseUint(fmt.Sprint(property.Value.V), 10, 32)
		if err == nil { // else it is the setting of the property that is an error
			p.WireTTL = Some(uint32(n))
		}
	}
	if set("set.sendTwice") {
		p.DeliveryDelay = 0
	}
	return p
}

// destinationOf is the destination of a case; the name of a temporary one is known once it was sent to.
func destinationOf(t *testing.T, c golden.Case) Destination {
	t.Helper()
	v, ok := c.Value("set.destination")
	require.True(t, ok, c.At())
	if v.V == nil {
		v, ok = c.Value("observed.JMSDestination")
		require.True(t, ok, c.At())
	}
	kinds := map[string]DestinationKind{"queue": Queue, "topic": Topic, "temporary-queue": TemporaryQueue, "temporary-topic": TemporaryTopic}
	kind, ok := kinds[v.Type]
	require.True(t, ok, c.At())
	return Destination{Kind: kind, Name: v.V.(string)}
}

// stampOfSend prepares a message as the application's producer did, at the time when it did, and adds the sections that
// we send then; what the application's own message said after send is compared with the stamp. All that a producer does
// not set is what the peer sent.
func stampOfSend(t *testing.T, v view, c golden.Case) {
	t.Helper()
	if n, _ := c.Value("set.timeToLive"); n.V == int64(math.MaxInt64) {
		// No time.Duration is as long, but a sum that is too large is always an error.
		_, err := addMilliseconds("time to live", sent, math.MaxInt64)
		wantValueError(t, err, "amqpjms: time to live 9223372036854775807ms: ends after the last time there is")
		v["error"] = golden.Value{Type: "text", V: "producer"}
		return
	}
	p := producerOf(t, c)
	if c.Wire() == nil {
		_, err := p.Stamp(sentAt(), ID{})
		step, _ := c.Value("error.step")
		why, _ := c.Value("error.message")
		ours := step.V == "configureProducer" || why.V == "Remote does not support delayed message delivery"
		require.Equal(t, ours, err != nil, "%s: %v", c.At(), err)
		return
	}

	var recorded RawMessage
	require.NoError(t, recorded.Parse(c.Wire()), c.At())
	id, err := recorded.MessageID()
	require.NoError(t, err, c.At())
	now := clockOf(t, c, &recorded, p)
	s, err := p.Stamp(now, id)
	if err != nil {
		v["error"] = golden.Value{Type: "text", V: "producer"}
		return
	}
	if c.Text("observed.type") != "" {
		observed := view{}
		for key, value := range map[string]any{
			"JMSTimestamp": s.Timestamp, "JMSDeliveryTime": s.DeliveryTime, "JMSExpiration": s.Expiration,
			"JMSDeliveryMode": int32(s.Header.Mode), "JMSPriority": int32(s.Header.JMSPriority()),
			"JMSMessageID": jmsString(s.MessageID, s.MessageID.JMSMessageID()),
		} {
			observed.set(t, "observed."+key, value)
		}
		kind := strings.ReplaceAll(s.Destination.Kind.String(), " ", "-")
		observed["observed.JMSDestination"] = golden.Value{Type: kind, V: s.Destination.Name}
		for key, got := range observed {
			want, ok := c.Value(key)
			require.True(t, ok && got.Equal(want), "%s: %s: the stamp says %v, the peer's message %v", c.At(), key, got, want)
		}
		// Where nothing on the wire says it, a receiver reads 0.
		if readable(c) && (s.Timestamp != 0 || s.DeliveryDelay != 0) {
			read, err := recorded.DeliveryTime()
			require.NoError(t, err, c.At())
			require.Equal(t, s.DeliveryTime, read, c.At())
		}
	}

	ours := sectionsOf(t, s, c, &recorded)
	v.set(t, "wire.header", ours.Header.AppendTo(nil)) // go-amqp has a wider list
	if readable(c) {
		require.Equal(t, recorded.Properties, ours.Properties, c.At())
		require.Equal(t, recorded.MessageAnnotations, inOrderOf(t, ours.MessageAnnotations, recorded.MessageAnnotations), c.At())
	}
}

// readable says whether the properties of the peer's message can be read: not in the one case whose correlation-id has an
// unpaired surrogate.
func readable(c golden.Case) bool { return c.Name != "correlation-id-string-lone-surrogate" }

// clockOf is the time when the application sent the message.
func clockOf(t *testing.T, c golden.Case, recorded *RawMessage, p Producer) time.Time {
	t.Helper()
	if v, ok := c.Value("observed.JMSTimestamp"); ok && v.V != int64(0) {
		return time.UnixMilli(v.V.(int64))
	}
	if v, ok := c.Value("observed.JMSDeliveryTime"); ok {
		return time.UnixMilli(v.V.(int64)).Add(-p.DeliveryDelay)
	}
	created, err := recorded.Property(FieldCreationTime)
	require.NoError(t, err, c.At())
	require.Equal(t, "timestamp", created.Type(), c.At())
	return time.UnixMilli(created.number().n)
}

// sectionsOf applies a stamp to the message that the peer sent, once all that a producer sets is replaced by what an
// earlier send has left there, or had when the application received it.
func sectionsOf(t *testing.T, s Stamp, c golden.Case, recorded *RawMessage) *RawMessage {
	t.Helper()
	m, left := &amqp.Message{}, full()
	if readable(c) {
		// No producer looks at application properties or a body, which go-amqp may not decode.
		var ok bool
		m, ok = decodeMessage(slices.Concat(recorded.HeaderSection, recorded.DeliveryAnnotations, recorded.MessageAnnotations, recorded.Properties))
		require.True(t, ok, c.At())
	}
	if v, ok := c.Value("set.receivedWire"); ok && c.Text("set.resendMode") == "forward" {
		left, ok = decodeMessage(v.V.([]byte))
		require.True(t, ok, c.At())
	}
	if m.Properties == nil {
		m.Properties = &amqp.MessageProperties{}
	}
	if left.Properties == nil {
		left.Properties = &amqp.MessageProperties{}
	}
	m.Header = left.Header
	to, from := m.Properties, left.Properties
	to.MessageID, to.UserID, to.To = from.MessageID, from.UserID, from.To
	to.AbsoluteExpiryTime, to.CreationTime = from.AbsoluteExpiryTime, from.CreationTime
	if m.Annotations == nil {
		m.Annotations = amqp.Annotations{}
	}
	delete(m.Annotations, "x-opt-jms-dest")
	delete(m.Annotations, "x-opt-delivery-time")
	for _, name := range []string{"x-opt-jms-dest", "x-opt-delivery-time", "x-opt-delivery-delay", "x-opt-scheduled-enqueue-time"} {
		for _, key := range []any{name, amqp.Symbol(name)} {
			if v, ok := left.Annotations[key]; ok {
				m.Annotations[key] = v
			}
		}
	}
	require.NoError(t, s.Apply(m), c.At())
	b, err := m.MarshalBinary()
	require.NoError(t, err, c.At())
	var ours RawMessage
	require.NoError(t, ours.Parse(b), c.At())
	return &ours
}

// inOrderOf returns an annotations section with its pairs in the order that another has them: order says nothing in a
// map, and Go's maps have none.
func inOrderOf(t *testing.T, section, other []byte) []byte {
	t.Helper()
	if section == nil {
		return nil
	}
	pairs := func(section []byte) (pairs [][]byte, keys []string) {
		r := wire.NewReader(section)
		r.Descriptor()
		_, n := r.Map()
		for range n {
			start := r.Offset()
			keys = append(keys, string(r.Value()))
			r.Skip()
			pairs = append(pairs, r.Since(start))
		}
		require.Nil(t, r.Err())
		return pairs, keys
	}
	var order []string
	if other != nil {
		_, order = pairs(other)
	}
	ours, keys := pairs(section)
	var items []byte
	for _, key := range order {
		if i := slices.Index(keys, key); i >= 0 {
			items = append(items, ours[i]...)
			ours[i] = nil
		}
	}
	for _, pair := range ours {
		items = append(items, pair...)
	}
	return wire.AppendMap(wire.AppendDescriptor(nil, uint64(SectionMessageAnnotations)), len(ours), items)
}

// deliveryView adds what JMS sees of the times of a received message.
func deliveryView(t *testing.T, v view, c golden.Case, m *RawMessage) {
	t.Helper()
	set := func(key string, n int64, err error) {
		if err != nil {
			v.set(t, key, err)
		} else {
			v.set(t, key, n)
		}
	}
	n, err := m.Timestamp()
	set("JMSTimestamp", n, err)
	n, err = m.DeliveryTime()
	set("JMSDeliveryTime", n, err)

	received := sentAt()
	if after, ok := c.Value("receivedAfter"); ok {
		received = time.UnixMilli(after.V.(int64))
	}
	if ttl := int64(m.Header.TTL.Or(0)); ttl > 0 {
		if expires, err := m.Property(FieldAbsoluteExpiryTime); err == nil && expires == nil {
			// What the peer took for the time of receipt is known from its sum alone. It is just after the peer sent.
			sum, ok := c.Value("JMSExpiration")
			require.True(t, ok, c.At())
			arrived := time.UnixMilli(sum.V.(int64) - ttl)
			require.WithinRange(t, arrived, received, received.Add(10*time.Second), c.At())
			received = arrived
		}
	}
	n, err = m.Expiration(received)
	set("JMSExpiration", n, err)
}

// Of every recorded message a view reads what the raw bytes say, where go-amqp decodes them.
func TestViewsAgree(t *testing.T) {
	n := 0
	eachWire(t, func(c golden.Case, b []byte) {
		var raw RawMessage
		if raw.Parse(b) != nil {
			return
		}
		m, ok := decodeMessage(b)
		if !ok || !raw.comparable(t) {
			return
		}
		n++
		view := Consumer{}.View(m, sentAt())
		got, err := raw.DeliveryTime()
		compareRead(t, got, err, true, view.DeliveryTime)
		got, err = raw.Expiration(sentAt())
		compareRead(t, got, err, true, view.Expiration)
	})
	require.Greater(t, n, 900)
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
			return m.DeliveryTime()
		}
		return m.DeliveryTimeFrom(p)
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
	const notTime, notDelay = "neither an integer up to 2^63-1 nor a timestamp", "not an integer from 0 to 2^63-1"
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
				want, why = 0, "ends after the last time there is"
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

		{"a relative delay needs a beginning", said{delay: "55 03"}, Peer{}, 0, `x-opt-delivery-delay 3: relative, and there is no creation-time`},
		{"a relative delay needs a beginning", said{delay: "55 03", created: "40"}, Peer{}, 0, `x-opt-delivery-delay 3: relative, and there is no creation-time`},
		{"a relative delay needs a beginning", said{property: "55 03"}, byProperty, 0, `AMQ_SCHEDULED_DELAY 3: relative, and there is no creation-time`},
		{"an overflowing sum", said{delay: "81 7fffffffffffffff", created: "83 0000000000000001"}, Peer{}, 0, `x-opt-delivery-delay 9223372036854775807ms: ends after the last time there is`},
		{"no falling through", said{"", "", "55 ff", "55 04", created}, byProperty, 0, `x-opt-delivery-delay -1: not an integer from 0 to 2^63-1`},
		{"no falling through", said{"41", "55 02", "55 03", "55 04", created}, byProperty, 0, `x-opt-delivery-time boolean: neither an integer up to 2^63-1 nor a timestamp`},
		{"a large ulong is named", said{time: "80 8000000000000000"}, Peer{}, 0, `x-opt-delivery-time 9223372036854775808: neither an integer up to 2^63-1 nor a timestamp`},
		{"a time is no delay", said{delay: "83 0000000000000014", created: created}, Peer{}, 0, `x-opt-delivery-delay timestamp 20: not an integer from 0 to 2^63-1`},
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
		{"a creation-time of another type", `00 53 73 c0 0c 0a 40 40 40 40 40 40 40 40 40 55 01`, 0, `creation-time 1: not a timestamp`},
		{"is not asked where it is not needed",
			`00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 55 01 00 53 73 c0 0c 0a 40 40 40 40 40 40 40 40 40 55 01`, 1, ""},
		{"a relative delay from it",
			`00 53 72 c1 19 02 a3 14 "x-opt-delivery-delay" 55 01 00 53 73 c0 0c 0a 40 40 40 40 40 40 40 40 40 55 01`, 0, `creation-time 1: not a timestamp`},
		{"annotations cut off", `00 53 72 c1 17 02 a3 13 "x-opt-delivery-time" 81`, 0, `message-annotations at byte 28: unexpected EOF`},
		{"a key cut off", `00 53 72 c1 03 02 a3 13`, 0, `message-annotations at byte 8: unexpected EOF`},
		{"behind a header", `00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 13 "x-opt-delivery-time" 81`, 0, `message-annotations at byte 35: unexpected EOF`},
		{"behind delivery annotations", `00 53 71 c1 01 00 00 53 72 c1 03 02 a3 13`, 0, `message-annotations at byte 14: unexpected EOF`},
		{"annotations left over", `00 53 72 c1 02 00 40`, 0, `message-annotations at byte 6: 1 bytes left over`},
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
			got, err = m.DeliveryTime()
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
	got, err := m.DeliveryTimeFrom(delaying(DelayProperty))
	wantWireError(t, err, `amqpjms: application-properties "AMQ_SCHEDULED_DELAY" at byte 8: unexpected EOF`)
	require.Zero(t, got)
	require.NoError(t, m.Parse(encoded(t, `00 53 72 c1 19 02 a3 14 "x-opt-delivery-delay" 55 03
		00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481 00 53 74 c1 03 02 a1 13`)))
	got, err = m.DeliveryTimeFrom(delaying(DelayProperty))
	require.NoError(t, err)
	require.Equal(t, int64(sent+3), got)

	require.NoError(t, m.Parse(encoded(t, `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`)))
	got, err = m.Timestamp()
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
	m, ok := decodeMessage(encoded(t, `00 53 72 c1 18 02 a1 13 "x-opt-delivery-time" 55 01`))
	require.True(t, ok)
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
			`time of receipt 0001-01-01 00:00:00 +0000 UTC: not given, and the message has a ttl`},
		{"an overflowing sum", `00 53 70 c0 05 03 41 40 52 c8`, time.UnixMilli(math.MaxInt64 - 199), 0, `ttl 200ms: ends after the last time there is`},
	} {
		wire := encoded(t, row.wire)
		var raw RawMessage
		require.NoError(t, raw.Parse(wire))
		var m amqp.Message
		require.NoError(t, m.UnmarshalBinary(wire))
		view := Consumer{}.View(&m, row.received)
		for name, read := range map[string]func() (int64, error){
			"RawMessage": func() (int64, error) { return raw.Expiration(row.received) },
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
		`00 53 73 c0 0b 09 40 40 40 40 40 40 40 40 55 01`:               "1: not a timestamp",
		`00 53 73 c0 12 09 40 40 40 40 40 40 40 40 80 8000000000000000`: "9223372036854775808: not a timestamp",
		`00 53 73 c0 0c 09 40 40 40 40 40 40 40 40 a1 01 61`:            "string: not a timestamp",
		`00 53 73 c0 0a 09 40 40 40 40 40 40 40 40 83`:                  "at byte 15: unexpected EOF",
	} {
		require.NoError(t, raw.Parse(encoded(t, wire)))
		got, err := raw.Expiration(at)
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
		{"but with a relative one", said{delay: "55 01", created: "41"}, time.Time{}, DelayRequest{}, 0, `creation-time boolean: not a timestamp`},
		{"neither creation-time nor arrival", said{delay: "55 01"}, time.Time{}, DelayRequest{}, 0, `x-opt-delivery-delay 1: relative, and there is no creation-time`},
		{"an overflowing sum", said{delay: "81 7fffffffffffffff"}, arrived, DelayRequest{}, 0, `x-opt-delivery-delay 9223372036854775807ms: ends after the last time there is`},
		{"a form that cannot be read", said{time: "41", delay: "55 01"}, arrived, DelayRequest{}, 0, `x-opt-delivery-time boolean: neither an integer up to 2^63-1 nor a timestamp`},
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
	require.Equal(t, "delayed delivery is not supported, and the message asks for it by x-opt-delivery-delay", refusal.Description)
}

// A delayed message to a topic goes to the subscriptions of the time when it was sent. [jms 7.9]
func TestReachesSubscription(t *testing.T) {
	at := time.UnixMilli(sent)
	for _, row := range []struct {
		rule       string
		subscribed time.Time
		want       bool
	}{
		{"before", at.Add(-time.Hour), true},
		{"at once", at, true},
		{"in the millisecond that the time of send is cut to", at.Add(999_999), true},
		{"later", at.Add(time.Millisecond), false},
		{"while the message waits", at.Add(time.Hour), false},
		{"another zone is the same time", at.In(time.FixedZone("", 7200)), true},
	} {
		require.Equal(t, row.want, ReachesSubscription(at, row.subscribed), row.rule)
	}
}

// What a node passes on, byte for byte. The header is that of the next hop, the rest of the message is as it was but for
// what asks for a delay.
func TestForwarder(t *testing.T) {
	const (
		created  = `00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481`
		other    = `a3 05 "x-opt" 41`
		absolute = `a3 13 "x-opt-delivery-time" 81 000001a22d1b7809` // sent + 5000
		relative = `a3 14 "x-opt-delivery-delay" 71 00001388`
		enqueue  = `a3 1c "x-opt-scheduled-enqueue-time" 83 000001a22d1b7809`
		property = `a1 13 "AMQ_SCHEDULED_DELAY" 71 00001388`
		region   = `a1 06 "region" a1 05 "north"`
		body     = `00 53 75 a0 02 0102 00 53 75 a0 01 03 00 53 78 c1 08 02 a3 02 "ff" a1 01 "v"`
		// As AMQP writes a header that states nothing but durable.
		notDurable, durable = `00 53 70 c0 02 01 42`, `00 53 70 c0 02 01 41`
	)
	early, due := time.UnixMilli(sent+4999), time.UnixMilli(sent+5000)
	for _, row := range []struct {
		rule      string
		f         Forwarder
		now       time.Time
		msg, want string
		err       string
	}{
		{"an empty message gets a header", Forwarder{}, due, ``, notDurable, ""},
		{"of the node's default", Forwarder{NodeDefault: Persistent}, due, ``, durable, ""},
		{"durable that is stated stays", Forwarder{NodeDefault: Persistent}, due, `00 53 70 c0 02 01 42`, notDurable, ""},
		{"priority and ttl stay, first-acquirer and delivery-count go", Forwarder{}, due,
			`00 53 70 c0 09 05 41 50 09 52 c8 41 52 04`, `00 53 70 c0 06 03 41 50 09 52 c8`, ""},
		{"a priority that is not stated is not stated", Forwarder{}, due,
			`00 53 70 c0 05 03 41 40 52 c8`, `00 53 70 c0 05 03 41 40 52 c8`, ""},
		{"delivery annotations go, all else stays", Forwarder{}, due,
			`00 53 71 c1 08 02 a3 02 "da" a1 01 "v" 00 53 72 c1 09 02` + other + created + `00 53 74 c1 10 02` + region + body,
			notDurable + `00 53 72 c1 09 02` + other + created + `00 53 74 c1 10 02` + region + body, ""},
		{"sections stay as they are encoded", Forwarder{}, due,
			`00 80 0000000000000072 d1 00000004 00000000 00 a3 14 "amqp:properties:list" 45 00 53 74 d1 00000004 00000000 00 53 77 40`,
			notDurable + `00 80 0000000000000072 d1 00000004 00000000 00 a3 14 "amqp:properties:list" 45 00 53 74 d1 00000004 00000000 00 53 77 40`, ""},
		{"what is no body is not looked at", Forwarder{}, due, created + `00 53 77 ff`, notDurable + created + `00 53 77 ff`, ""},
		{"nor what no delay counts from", Forwarder{}, due, `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`, notDurable + `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`, ""},

		{"an absolute time stays until it is due", Forwarder{}, early,
			`00 53 72 c1 27 04` + other + absolute + created + body, notDurable + `00 53 72 c1 27 04` + other + absolute + created + body, ""},
		{"and then goes", Forwarder{}, due,
			`00 53 72 c1 27 04` + other + absolute + created + body, notDurable + `00 53 72 c1 09 02` + other + created + body, ""},
		{"no annotations are left: no section", Forwarder{}, due, `00 53 72 c1 1f 02` + absolute + created, notDurable + created, ""},
		{"a time in the past is due", Forwarder{}, early, `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 55 01` + created, notDurable + created, ""},
		{"a relative delay becomes the absolute time", Forwarder{}, early,
			`00 53 72 c1 24 04` + relative + other + created + body, notDurable + `00 53 72 c1 27 04` + other + absolute + created + body, ""},
		{"whatever the next peer likes", Forwarder{To: delaying(DelayRelative)}, early,
			`00 53 72 c1 1c 02` + relative + created, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"whatever the next peer likes", Forwarder{To: delaying(DelayProperty)}, early,
			`00 53 72 c1 1c 02` + relative + created, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"and goes when it is due", Forwarder{}, due,
			`00 53 72 c1 24 04` + relative + other + created + body, notDurable + `00 53 72 c1 09 02` + other + created + body, ""},
		{"an enqueue time becomes the absolute time", Forwarder{}, early,
			`00 53 72 c1 28 02` + enqueue + created, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"the absolute time becomes an enqueue time for who knows that", Forwarder{To: ServiceBus()}, early,
			`00 53 72 c1 1f 02` + absolute + created, notDurable + `00 53 72 c1 28 02` + enqueue + created, ""},
		{"of several forms one is left", Forwarder{}, early,
			`00 53 72 c1 69 08` + enqueue + relative + other + absolute + created, notDurable + `00 53 72 c1 27 04` + other + absolute + created, ""},
		{"or none", Forwarder{}, due,
			`00 53 72 c1 69 08` + enqueue + relative + other + absolute + created, notDurable + `00 53 72 c1 09 02` + other + created, ""},
		{"null forms go too", Forwarder{}, early, `00 53 72 c1 1f 04 a3 13 "x-opt-delivery-time" 40` + other + created,
			notDurable + `00 53 72 c1 09 02` + other + created, ""},
		{"keys that are no symbols stay", Forwarder{}, due,
			`00 53 72 c1 1a 04 53 07 40 a1 13 "x-opt-delivery-time" 41`, notDurable + `00 53 72 c1 1a 04 53 07 40 a1 13 "x-opt-delivery-time" 41`, ""},

		{"served: no form is left, due or not", Forwarder{DelayServed: true}, early,
			`00 53 72 c1 69 08` + enqueue + relative + other + absolute + created, notDurable + `00 53 72 c1 09 02` + other + created, ""},
		{"served: nor one that cannot be read", Forwarder{DelayServed: true}, early,
			`00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 56 02`, notDurable, ""},
		{"served: a relative delay needs no creation-time", Forwarder{DelayServed: true}, early, `00 53 72 c1 1c 02` + relative, notDurable, ""},

		{"a property is the application's", Forwarder{}, early, created + `00 53 74 c1 1b 02` + property, notDurable + created + `00 53 74 c1 1b 02` + property, ""},
		{"but not of a peer that takes it for its delay", Forwarder{From: delaying(DelayProperty)}, early,
			created + `00 53 74 c1 2a 04` + property + region, notDurable + `00 53 72 c1 1f 02` + absolute + created + `00 53 74 c1 10 02` + region, ""},
		{"then it goes when it is due", Forwarder{From: delaying(DelayProperty)}, due,
			created + `00 53 74 c1 2a 04` + region + property, notDurable + created + `00 53 74 c1 10 02` + region, ""},
		{"and the section with it", Forwarder{From: delaying(DelayProperty)}, due, created + `00 53 74 c1 1b 02` + property + body, notDurable + created + body, ""},
		{"and where another form counts", Forwarder{From: delaying(DelayProperty)}, early,
			`00 53 72 c1 1f 02` + absolute + created + `00 53 74 c1 1b 02` + property, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"other properties stay", Forwarder{From: delaying(DelayProperty)}, due, created + `00 53 74 c1 10 02` + region, notDurable + created + `00 53 74 c1 10 02` + region, ""},

		{"as they are encoded", Forwarder{From: delaying(DelayProperty)}, due, `00 53 74 d1 00000013 00000002` + region, notDurable + `00 53 74 d1 00000013 00000002` + region, ""},

		{"the next peer cannot delay", Forwarder{To: RabbitMQ()}, early, `00 53 72 c1 1c 02` + relative + created, "",
			`delivery time 1796053104649: asked for by x-opt-delivery-delay, not due, and the peer cannot delay`},
		{"nor until a time", Forwarder{To: RabbitMQ()}, early, `00 53 72 c1 1f 02` + absolute, "",
			`delivery time 1796053104649: asked for by x-opt-delivery-time, not due, and the peer cannot delay`},
		{"nor by the time to enqueue", Forwarder{To: RabbitMQ()}, early, `00 53 72 c1 28 02` + enqueue, "",
			`delivery time 1796053104649: asked for by x-opt-scheduled-enqueue-time, not due, and the peer cannot delay`},
		{"nor by a property", Forwarder{From: delaying(DelayProperty), To: RabbitMQ()}, early, created + `00 53 74 c1 1b 02` + property, "",
			`delivery time 1796053104649: asked for by AMQ_SCHEDULED_DELAY, not due, and the peer cannot delay`},
		{"and need not when it is due", Forwarder{To: RabbitMQ()}, due, `00 53 72 c1 1c 02` + relative + created, notDurable + created, ""},
		{"a relative delay without beginning", Forwarder{}, early, `00 53 72 c1 1c 02` + relative, "",
			`x-opt-delivery-delay 5000: relative, and there is no creation-time`},
		{"a relative delay from what is cut off", Forwarder{}, early, `00 53 72 c1 1c 02` + relative + `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`, "",
			`creation-time at byte 49: unexpected EOF`},
		{"cut off behind the delay", Forwarder{}, early, `00 53 72 c1 1a 04 a3 13 "x-opt-delivery-time" 55 01 a3 05`, "",
			`message-annotations at byte 31: unexpected EOF`},
		{"left over behind the delay", Forwarder{}, early, `00 53 72 c1 19 02 a3 13 "x-opt-delivery-time" 55 01 40`, "",
			`message-annotations at byte 29: 1 bytes left over`},
		{"a delay that cannot be read", Forwarder{}, early, `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 56 02`, "",
			`x-opt-delivery-time boolean: neither an integer up to 2^63-1 nor a timestamp`},
		{"no message", Forwarder{}, early, `00 53 79 40`, "", `message at byte 0: descriptor 0x79 is no section of a message`},
		{"annotations cut off", Forwarder{}, early, `00 53 72 c1 03 02 a3 13`, "", `message-annotations at byte 8: unexpected EOF`},
		{"annotations cut off, served or not", Forwarder{DelayServed: true}, early, `00 53 72 c1 03 02 a3 13`, "", `message-annotations at byte 8: unexpected EOF`},
		{"annotations left over", Forwarder{}, early, `00 53 72 c1 02 00 40`, "", `message-annotations at byte 6: 1 bytes left over`},
		{"properties of a peer cut off", Forwarder{From: delaying(DelayProperty)}, early, `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 55 01 00 53 74 c1 03 02 a1 13`, "",
			`application-properties at byte 37: unexpected EOF`},
	} {
		msg, prefix := encoded(t, row.msg), []byte("prefix")
		before := slices.Clone(msg)
		got, err := row.f.Append(prefix, msg, row.now)
		require.Equal(t, before, msg, "%s: the message", row.rule)
		if row.err != "" {
			require.EqualError(t, err, "amqpjms: "+row.err, row.rule)
			require.Equal(t, "prefix", string(got), "%s: dst is as it was", row.rule)
			continue
		}
		require.NoError(t, err, row.rule)
		require.Equal(t, hex.EncodeToString([]byte("prefix"))+hex.EncodeToString(encoded(t, row.want)), hex.EncodeToString(got), "%s: %+v", row.rule, row.f)
	}
}

// A delay is served once in a chain of brokers, in whatever form it was asked for, and the delivery time is the same at
// all that have the message before.
func TestForwardChain(t *testing.T) {
	for _, form := range []DelayForm{DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty} {
		var m amqp.Message
		p := Producer{Peer: delaying(form), DeliveryDelay: 5 * time.Second, TimeToLive: time.Minute}
		s, err := p.Prepare(&m, sentAt())
		require.NoError(t, err)
		at, err := m.MarshalBinary()
		require.NoError(t, err)

		// Three nodes that only pass it on, a second each, and each of another mind about delays.
		hops := []Peer{p.Peer, delaying(DelayRelative), ServiceBus(), Artemis()}
		now := sentAt()
		for i := range hops[1:] {
			now = now.Add(time.Second)
			at, err = Forwarder{From: hops[i], To: hops[i+1]}.Append(nil, at, now)
			require.NoError(t, err, "%v, hop %d", form, i)
			var raw RawMessage
			require.NoError(t, raw.Parse(at))
			got, err := raw.DeliveryTime()
			require.NoError(t, err)
			require.Equal(t, s.DeliveryTime, got, "%v, hop %d", form, i)
			request, err := raw.DelayRequest(now)
			require.NoError(t, err)
			require.False(t, request.Due(now), "%v, hop %d", form, i)
			require.Contains(t, []DelayForm{DelayAbsolute, DelayEnqueueTime}, request.Form, "%v, hop %d: never to be served from the start", form, i)
			require.NotContains(t, string(at), "AMQ_SCHEDULED_DELAY")
		}

		// The last one schedules it, and then nobody does again.
		served, err := Forwarder{From: Artemis(), To: ActiveMQ(), DelayServed: true}.Append(nil, at, now)
		require.NoError(t, err)
		later, err := Forwarder{From: Artemis(), To: ActiveMQ()}.Append(nil, at, time.UnixMilli(s.DeliveryTime))
		require.NoError(t, err)
		require.Equal(t, served, later, "due is served")
		var raw RawMessage
		require.NoError(t, raw.Parse(served))
		request, err := raw.DelayRequest(now)
		require.NoError(t, err)
		require.Equal(t, DelayRequest{}, request, form)
		require.Nil(t, raw.ApplicationProperties, "%v: what the property came with is gone", form)
		require.Equal(t, s.Header.TTL, raw.Header.TTL, "%v: the ttl stays", form)
		expires, err := raw.Expiration(now)
		require.NoError(t, err)
		require.Equal(t, s.Expiration, expires, form)

		again, err := Forwarder{}.Append(nil, served, now)
		require.NoError(t, err)
		require.Equal(t, served, again, "%v: passing on once more changes nothing", form)
	}
}

// The properties of a connection as the brokers were seen to send them, and others.
func TestProposePeer(t *testing.T) {
	const delayed = "DELAYED_DELIVERY"
	for _, row := range []struct {
		rule         string
		properties   map[string]any
		capabilities []string
		want         Peer
		known        bool
	}{
		{"ActiveMQ Classic 6.2.2",
			map[string]any{"product": "ActiveMQ", "version": "6.2.2", "platform": "Java/17.0.15", "queue-prefix": "queue://", "topic-prefix": "topic://"},
			[]string{"ANONYMOUS-RELAY", delayed}, ActiveMQ(), true},
		{"Artemis 2.40.0", map[string]any{"product": "apache-activemq-artemis", "version": "2.40.0"}, []string{delayed}, Artemis(), true},
		{"Broker-J 9.2.1",
			map[string]any{"product": "Apache Qpid Broker-J Core", "version": "9.2.1", "qpid.build": "63289b4d1cf001e1fc3d4b0e2e4dce64d8997241", "qpid.instance_name": "broker"},
			nil, BrokerJ(), true},
		{"RabbitMQ 4.0.5", map[string]any{"product": "RabbitMQ", "version": "4.0.5"}, nil, RabbitMQ(), true},
		{"RabbitMQ 4.3.6", map[string]any{"product": "RabbitMQ", "version": "4.3.6"}, nil, RabbitMQ(), true},
		{"RabbitMQ 3.10.8", map[string]any{"product": "RabbitMQ", "version": "3.10.8"}, nil, RabbitMQ3(), true},
		{"a RabbitMQ that nobody has seen is unknown", map[string]any{"product": "RabbitMQ", "version": "5.0.0"}, nil, Peer{}, false},
		{"a version must be whole", map[string]any{"product": "RabbitMQ", "version": "40.1"}, nil, Peer{}, false},
		{"or stated", map[string]any{"product": "RabbitMQ"}, nil, Peer{}, false},
		{"no properties", nil, nil, Peer{}, false},
		{"another product", map[string]any{"product": "SwiftMQ", "version": "13.2.1"}, nil, Peer{}, false},
		{"a name that only looks alike", map[string]any{"product": "ActiveMQ Enterprise"}, nil, Peer{}, false},
		{"properties of other types", map[string]any{"product": 1, "version": true, "queue-prefix": 7}, nil, Peer{}, false},
		{"who offers delays can delay, known or not", nil, []string{delayed}, Peer{Delay: DelayAbsolute}, false},
		{"and so can a RabbitMQ, once it does", map[string]any{"product": "RabbitMQ", "version": "4.9.0"}, []string{"x", delayed},
			Peer{Product: "RabbitMQ", Delay: DelayAbsolute, QueuePrefix: "/queues/", TopicPrefix: "/exchanges/amq.topic/", PercentEncoded: true}, true},
		{"case counts", nil, []string{"delayed_delivery"}, Peer{}, false},
		{"prefixes that the peer names", map[string]any{"queue-prefix": "q://", "topic-prefix": "t://"}, nil, Peer{QueuePrefix: "q://", TopicPrefix: "t://"}, false},
		{"go before those that are known", map[string]any{"product": "ActiveMQ", "queue-prefix": "", "topic-prefix": "t://"}, nil,
			Peer{Product: "ActiveMQ Classic", Delay: DelayAbsolute, TopicPrefix: "t://"}, true},
	} {
		got, known := DetectPeer(row.properties, row.capabilities...)
		require.Equal(t, row.want, got, row.rule)
		require.Equal(t, row.known, known, row.rule)
	}
}

// Which peers delay, and how.
func TestPeers(t *testing.T) {
	for _, row := range []struct {
		peer Peer
		want DelayForm
	}{
		{Peer{}, DelayUnset},
		{Artemis(), DelayAbsolute}, {ActiveMQ(), DelayAbsolute}, {BrokerJ(), DelayAbsolute},
		{ServiceBus(), DelayEnqueueTime},
		{RabbitMQ(), DelayNone}, {RabbitMQ3(), DelayNone},
	} {
		require.Equal(t, row.want, row.peer.Delay, row.peer.Product)
	}
	// They are values: what says the same is the same key, and what differs is not.
	require.Len(t, map[Peer]bool{ActiveMQ(): true, peerNamed(t, "ActiveMQ"): true, Artemis(): true}, 2)
	require.Len(t, map[Producer]bool{{Peer: ActiveMQ()}: true, {Peer: peerNamed(t, "ActiveMQ")}: true, {}: true}, 2)
	require.Len(t, map[Forwarder]bool{{To: ActiveMQ()}: true, {To: peerNamed(t, "ActiveMQ")}: true, {From: ActiveMQ()}: true}, 2)
}

// peerNamed returns the peer of a connection that says this product.
func peerNamed(t *testing.T, product string) Peer {
	t.Helper()
	p, known := DetectPeer(map[string]any{"product": product})
	require.True(t, known, product)
	return p
}

func TestDelayFormNames(t *testing.T) {
	var names []string
	for f := range DelayNone + 2 {
		names = append(names, f.String())
	}
	require.Equal(t, []string{"unset", "x-opt-delivery-time", "x-opt-delivery-delay", "x-opt-scheduled-enqueue-time",
		"AMQ_SCHEDULED_DELAY", "none", "DelayForm(6)"}, names)
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
		if maybe() && p.Peer.Delay.unfit(!p.NoTimestamp) == "" {
			p.DeliveryDelay = span()
		}
		if p.TimeToLive > 0 && p.TimeToLive < p.DeliveryDelay {
			p.TimeToLive, p.DeliveryDelay = p.DeliveryDelay, p.TimeToLive
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
		expires, err := raw.Expiration(received)
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

// decodeMessage has go-amqp decode a message, and says whether it can. It panics where an annotation's key is a binary, a
// list or a map.
func decodeMessage(wire []byte) (m *amqp.Message, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	m = &amqp.Message{}
	return m, m.UnmarshalBinary(wire) == nil
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
		m, ok := decodeMessage(wire)
		decodes := ok && raw.comparable(t)
		received := time.UnixMilli(sent)
		for _, p := range []Peer{{}, delaying(DelayProperty)} {
			view := Consumer{Peer: p}.View(m, received)
			got, err := raw.DeliveryTimeFrom(p)
			compareRead(t, got, err, decodes, view.DeliveryTime)
			got, err = raw.Expiration(received)
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

// Passing on keeps the bare message and what the header states, leaves no delay that is due, and changes nothing the
// second time.
func FuzzForward(f *testing.F) {
	i := 0
	seed(f, func(wire []byte) {
		f.Add(wire, int64(1700000000000), byte(i%8), byte(i/8%8), i%3 == 0)
		i++
	})
	for _, form := range []DelayForm{DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty} {
		var m amqp.Message
		if _, err := (Producer{Peer: delaying(form), DeliveryDelay: time.Hour}).Prepare(&m, sentAt()); err != nil {
			f.Fatal(err)
		}
		wire, err := m.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire, int64(sent), byte(form), byte(0), false)
		f.Add(wire, int64(sent), byte(form), byte(DelayEnqueueTime), false)
		f.Add(wire, int64(sent+time.Hour.Milliseconds()), byte(form), byte(0), false)
	}
	f.Fuzz(func(t *testing.T, wire []byte, now int64, from, to byte, served bool) {
		at := time.UnixMilli(now)
		forwarder := Forwarder{From: delaying(DelayForm(from)), To: delaying(DelayForm(to)), DelayServed: served}
		before := slices.Clone(wire)
		got, err := forwarder.Append([]byte{1, 2}, wire, at)
		require.Equal(t, before, wire)
		require.Equal(t, []byte{1, 2}, got[:2])
		if err != nil {
			require.Len(t, got, 2)
			return
		}
		got = got[2:]
		var in, out RawMessage
		require.NoError(t, in.Parse(wire))
		require.NoError(t, out.Parse(got))
		require.Equal(t, in.Properties, out.Properties)
		require.Equal(t, in.Body, out.Body)
		require.Nil(t, out.DeliveryAnnotations)
		h := in.Header.Explicit(NonPersistent)
		require.Equal(t, Header{Mode: h.Mode, Priority: h.Priority, TTL: h.TTL}, out.Header)
		if forwarder.From.Delay == DelayProperty {
			v, err := out.ApplicationProperty(propertyScheduledDelay)
			if err == nil { // as it is unless a key is no string
				require.Nil(t, v)
			}
		} else {
			require.Equal(t, in.ApplicationProperties, out.ApplicationProperties)
		}
		require.Equal(t, otherAnnotations(t, &in), otherAnnotations(t, &out))

		var left delays
		require.NoError(t, out.readDelays(&left, false, false))
		request, err := left.request(Opt[int64]{})
		require.NoError(t, err)
		if request.Form != DelayUnset {
			require.False(t, served)
			require.Contains(t, []DelayForm{DelayAbsolute, DelayEnqueueTime}, request.Form)
			require.False(t, request.Due(at))
			whole, err := in.DeliveryTimeFrom(forwarder.From)
			require.NoError(t, err)
			require.Equal(t, whole, request.Time)
		}

		again, err := Forwarder{To: forwarder.To, DelayServed: served}.Append(nil, got, at)
		require.NoError(t, err)
		require.Equal(t, got, again)
		gone, err := Forwarder{DelayServed: true}.Append(nil, got, at)
		require.NoError(t, err)
		require.NoError(t, out.Parse(gone))
		left = delays{}
		require.NoError(t, out.readDelays(&left, false, false))
		require.Zero(t, left)
	})
}

// otherAnnotations returns the pairs of the message annotations that ask for no delay, as they are encoded.
func otherAnnotations(t *testing.T, m *RawMessage) (pairs [][]byte) {
	if m.MessageAnnotations == nil {
		return nil
	}
	r := wire.NewReader(m.MessageAnnotations)
	r.Descriptor()
	_, n := r.Map()
	for range n {
		start := r.Offset()
		key := RawValue(r.Value())
		r.Skip()
		name, _ := key.text(wire.Symbol)
		switch string(name) {
		case "x-opt-delivery-time", "x-opt-delivery-delay", "x-opt-scheduled-enqueue-time":
		default:
			pairs = append(pairs, r.Since(start))
		}
	}
	require.Nil(t, r.Err())
	return pairs
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
	allocs(t, 0, "DeliveryTime", func() { _, _ = raw.DeliveryTime() })
	allocs(t, 0, "DeliveryTimeFrom", func() { _, _ = raw.DeliveryTimeFrom(Peer{Delay: DelayProperty}) })
	allocs(t, 0, "Expiration", func() { _, _ = raw.Expiration(received) })
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
		for _, f := range []Forwarder{{}, {From: Peer{Delay: DelayProperty}}, {From: Peer{Delay: DelayProperty}, DelayServed: true}} {
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
			"amqpjms: x-opt-delivery-delay 18446744073709551615: not an integer from 0 to 2^63-1"},
	} {
		b := unhexed(t, "00 53 72"+row.wire)
		var m RawMessage
		require.NoError(t, m.Parse(b), row.rule)
		got, err := m.DeliveryTime()
		require.Equal(t, row.want, got, row.rule)
		if row.err != "" {
			require.EqualError(t, err, row.err, row.rule)
			continue
		}
		require.NoError(t, err, row.rule)
		allocs(t, 0, row.rule, func() { _, _ = m.DeliveryTime() })
	}
}

func TestStampFarTimes(t *testing.T) {
	for _, now := range []time.Time{time.Unix(1<<61, 0), time.Unix(math.MaxInt64/1000, 0), time.Unix(1<<62, 0)} {
		s, err := Producer{}.Stamp(now, ID{})
		wantValueError(t, err, "amqpjms: time of send "+now.String()+": after the last time there is")
		require.Zero(t, s)
	}
	s, err := Producer{}.Stamp(time.Unix(math.MaxInt64/1000-1, 0), ID{})
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64/1000-1)*1000, s.Timestamp)
}

func TestAddressOfABadPrefix(t *testing.T) {
	a, err := Peer{QueuePrefix: "\xff"}.Address(Destination{Kind: Queue, Name: "q"})
	require.EqualError(t, err, `amqpjms: address "\xff": not valid UTF-8`)
	require.Empty(t, a)
}
