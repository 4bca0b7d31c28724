package amqpjms

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

// selectorCases returns the fixtures of testdata/selectors.
func selectorCases(t testing.TB) []golden.Case {
	t.Helper()
	cs := golden.Read(t, "testdata/selectors/*.txt", golden.SelectorKeys()...)
	require.Len(t, cs, 4342)
	return cs
}

func selectorText(t testing.TB, c golden.Case) string {
	t.Helper()
	v, ok := c.Value("selector")
	require.True(t, ok, c.At())
	return v.V.(string)
}

func parseSelector(t testing.TB, text string) Selector {
	t.Helper()
	s, err := ParseSelector(text)
	require.NoError(t, err, text)
	return s
}

func parseRaw(t testing.TB, encoded []byte) *RawMessage {
	t.Helper()
	var raw RawMessage
	require.NoError(t, raw.Parse(encoded))
	return &raw
}

// truth names the value of a condition as the fixtures do.
func truth(v Opt[bool]) string {
	if b, ok := v.Get(); ok {
		return fmt.Sprint(b)
	}
	return "unknown"
}

// Every case: where a selector is wrong, or what it says of the encoded message, of the message that go-amqp decodes,
// and of values by name.
func TestSelectorCases(t *testing.T) {
	undecoded := 0
	for _, c := range selectorCases(t) {
		text, want := selectorText(t, c), c.Text("expected")
		s, err := ParseSelector(text)
		if at, wrong := strings.CutPrefix(want, "parse-error at "); wrong {
			var e *WireError
			require.ErrorAs(t, err, &e, "%s: %q", c.At(), text)
			if at != fmt.Sprint(e.Offset) || s != (Selector{}) {
				t.Errorf("%s: %q: got %v, want byte %s", c.At(), text, err, at)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %q: got %v, want %s", c.At(), text, err, want)
			continue
		}
		check := func(of string, matches bool, got Opt[bool], err error) {
			if err != nil || truth(got) != want || matches != (want == "true") {
				t.Errorf("%s: %q: of %s: got %v, %v (%v), want %s", c.At(), text, of, matches, truth(got), err, want)
			}
		}
		raw := Consumer{}.ViewRaw(parseRaw(t, c.Wire()), time.Time{})
		got, err := s.Evaluate(raw)
		check("the bytes", s.Matches(raw), got, err)
		got, err = s.EvaluateFunc(raw.Property)
		check("values by name", got.Or(false), got, err)

		m := new(amqp.Message)
		if err := m.UnmarshalBinary(c.Wire()); err != nil {
			require.True(t, undecodable(c), "%s: go-amqp: %v", c.At(), err)
			undecoded++
			continue
		}
		decoded := View{Message: m}
		got, err = s.Evaluate(decoded)
		check("go-amqp's message", s.Matches(decoded), got, err)
	}
	require.NotZero(t, undecoded)
}

// undecodable reports whether a case has a value that go-amqp cannot decode.
func undecodable(c golden.Case) bool {
	for _, p := range c.All("application-property") {
		if p.Value.Type == "char" || strings.HasPrefix(p.Value.Type, "decimal") {
			return true
		}
	}
	return false
}

// The node's default decides where the header does not say whether a message is durable. A header that go-amqp decoded
// does not show that.
func TestSelectorNodeDefault(t *testing.T) {
	const body = "\x00\x53\x77\xa1\x01x"
	persistent := parseSelector(t, "JMSDeliveryMode = 'PERSISTENT'")
	for _, row := range []struct {
		rule        string
		encoded     string
		nodeDefault DeliveryMode
		raw, goAMQP bool
	}{
		{"no header, no default", body, ModeUnset, false, false},
		{"no header", body, Persistent, true, true},
		{"durable unset", "\x00\x53\x70\xc0\x04\x02\x40\x50\x04" + body, Persistent, true, false},
		{"durable false", "\x00\x53\x70\xc0\x02\x01\x42" + body, Persistent, false, false},
		{"durable true", "\x00\x53\x70\xc0\x02\x01\x41" + body, NonPersistent, true, true},
	} {
		c := Consumer{NodeDefault: row.nodeDefault}
		require.Equal(t, row.raw, persistent.Matches(c.ViewRaw(parseRaw(t, []byte(row.encoded)), time.Time{})), row.rule)
		m := new(amqp.Message)
		require.NoError(t, m.UnmarshalBinary([]byte(row.encoded)))
		require.Equal(t, row.goAMQP, persistent.Matches(c.View(m, time.Time{})), row.rule)
	}
}

func TestParseSelector(t *testing.T) {
	for _, text := range []string{"", " \t\f\r\n"} {
		s := parseSelector(t, text)
		require.Equal(t, Selector{}, s)
		require.Equal(t, "", s.String())
	}
	require.Equal(t, " color='red' ", parseSelector(t, " color='red' ").String())
	all := Selector{}
	require.True(t, all.Matches(View{Message: &amqp.Message{}}))
	got, err := all.Evaluate(View{Message: &amqp.Message{}})
	require.NoError(t, err)
	require.Equal(t, Some(true), got)
	got, err = all.EvaluateFunc(nil)
	require.NoError(t, err)
	require.Equal(t, Some(true), got)

	for text, want := range map[string]string{
		"color = = 'red'":            `amqpjms: selector "color = = 'red'" at byte 8: unexpected "="`,
		"a = 1 AND color LIKE":       `amqpjms: selector "a = 1 AND color LIKE" at byte 20: unexpected end`,
		"a IN ('x') AND b LIKE LIKE": `amqpjms: selector "a IN ('x') AND b LIKE LIKE" at byte 22: unexpected keyword LIKE`,
		"JMSExpiration > 0":          `amqpjms: selector "JMSExpiration > 0" at byte 0: ` + "JMSExpiration cannot be selected on",
		strings.Repeat("(", 300):     `amqpjms: selector "` + strings.Repeat("(", 64) + `"… (300 bytes) at byte 256: more than 256 brackets, NOT and signs inside one another`,
	} {
		s, err := ParseSelector(text)
		wantWireError(t, err, want)
		require.Zero(t, s)
	}
}

// A field or property that cannot be read is an error that names it, and selects nothing. A condition that is decided
// without it does not see it.
func TestSelectorBroken(t *testing.T) {
	properties := func(fields ...string) string {
		s := strings.Join(fields, "")
		return "\x00\x53\x73\xc0" + string(rune(len(s)+1)) + string(rune(len(fields))) + s
	}
	application := func(pairs int, s string) string {
		return "\x00\x53\x74\xc1" + string(rune(len(s)+1)) + string(rune(2*pairs)) + s
	}
	const null = "\x40"
	for _, row := range []struct {
		rule, selector, encoded, want string
	}{
		{"message-id", "JMSMessageID = 'a'", properties("\x50\x01"), "amqpjms: message-id at byte 6: got ubyte, want string, ulong, uuid or binary"},
		{"message-id, not UTF-8", "JMSMessageID = 'a'", properties("\xa1\x01\xff"), "amqpjms: message-id at byte 8: string is not valid UTF-8"},
		{"correlation-id", "JMSCorrelationID IS NULL", properties(null, null, null, null, null, "\x41"), "amqpjms: correlation-id at byte 11: got boolean, want string, ulong, uuid or binary"},
		{"correlation-id behind a broken field", "JMSCorrelationID IS NULL", properties(null, null, null, null, "\x01", null), "amqpjms: correlation-id at byte 10: invalid format code 0x01"},
		{"user-id", "JMSXUserID = 'a'", properties(null, "\xa0\x01\xff"), `amqpjms: user id "\xff": not valid UTF-8`},
		{"user-id, no binary", "JMSXUserID = 'a'", properties(null, "\xa1\x01a"), "amqpjms: user-id at byte 7: got string, want binary"},
		{"subject", "JMSType = 'a'", properties(null, null, null, "\x50\x01"), "amqpjms: subject at byte 9: got ubyte, want string"},
		{"creation-time", "JMSTimestamp = 0", properties(null, null, null, null, null, null, null, null, null, "\xa1\x00"), `amqpjms: creation-time string: want a timestamp`},
		{"group-id", "JMSXGroupID = 'a'", properties(null, null, null, null, null, null, null, null, null, null, "\x41"), "amqpjms: group-id at byte 16: got boolean, want string"},
		{"group-sequence", "JMSXGroupSeq = 0", properties(null, null, null, null, null, null, null, null, null, null, null, "\x54\x01"), "amqpjms: group-sequence at byte 17: got int, want uint"},
		{"reply-to-group-id", "JMS_AMQP_REPLY_TO_GROUP_ID = 'a'", properties(null, null, null, null, null, null, null, null, null, null, null, null, "\x41"), "amqpjms: reply-to-group-id at byte 18: got boolean, want string"},
		{"content-type", "JMS_AMQP_CONTENT_TYPE = 'a'", properties(null, null, null, null, null, null, "\x41"), "amqpjms: content-type at byte 12: got boolean, want string"},
		{"content-encoding", "JMS_AMQP_CONTENT_ENCODING = 'a'", properties(null, null, null, null, null, null, null, "\x41"), "amqpjms: content-encoding at byte 13: got boolean, want string"},
		{"property, not UTF-8", "a = 'a'", application(1, "\xa1\x01a\xa1\x01\xff"), `amqpjms: property "a" string: string is not valid UTF-8`},
		{"property that breaks off before the name", "b = 1", application(2, "\xa1\x01a\x54\x01"), `amqpjms: application-properties "b" at byte 11: unexpected EOF`},
		{"key that is not a string before the name", "b = 1", application(2, "\x54\x07\x54\x01\xa1\x01b\x54\x01"), `amqpjms: application-properties "b" at byte 6: key is not a string`},
		{"NOT of it", "NOT b = 1", application(2, "\xa1\x01a\x54\x01"), `amqpjms: application-properties "b" at byte 11: unexpected EOF`},
		{"on the right of what does not decide", "a = 1 AND b = 1", application(2, "\xa1\x01a\x54\x01"), `amqpjms: application-properties "b" at byte 11: unexpected EOF`},

		{"decided before", "a = 1 OR b = 1", application(2, "\xa1\x01a\x54\x01"), ""},
		{"found before", "a = 1", application(2, "\xa1\x01a\x54\x01"), ""},
		{"another field", "JMSType IS NULL", properties("\x50\x01"), ""},
	} {
		s := parseSelector(t, row.selector)
		v := Consumer{}.ViewRaw(parseRaw(t, []byte(row.encoded)), time.Time{})
		got, err := s.Evaluate(v)
		if row.want == "" {
			require.NoError(t, err, row.rule)
			require.Equal(t, Some(true), got, row.rule)
			require.True(t, s.Matches(v), row.rule)
			continue
		}
		require.EqualError(t, err, row.want, row.rule)
		require.Equal(t, Opt[bool]{}, got, row.rule)
		require.False(t, s.Matches(v), row.rule)
		got, err = s.EvaluateFunc(v.Property)
		require.EqualError(t, err, row.want, row.rule)
		require.Equal(t, Opt[bool]{}, got, row.rule)
	}
	m := &amqp.Message{ApplicationProperties: map[string]any{"a": "\xff"}, Properties: &amqp.MessageProperties{MessageID: 7}}
	for selector, want := range map[string]string{
		"a = 'x'":              `amqpjms: property "a" "\xff": not valid UTF-8`,
		"JMSMessageID IS NULL": `amqpjms: id of type int: want string, uint64, amqp.UUID, uuid.UUID or []byte`,
	} {
		_, err := parseSelector(t, selector).Evaluate(View{Message: m})
		wantValueError(t, err, want)
		require.False(t, parseSelector(t, selector).Matches(View{Message: m}))
	}
}

// A type of message of one's own says what the names are worth, each once, and only those that decide.
func TestSelectorEvaluateFunc(t *testing.T) {
	s := parseSelector(t, "JMSPriority > 4 AND color IN ('red', 'blue') OR weight > 2500 AND weight < 5000 AND never = 1")
	var asked []string
	values := map[string]any{"JMSPriority": int32(7), "color": "green", "weight": RawValue("\x55\x07")}
	got, err := s.EvaluateFunc(func(name string) Value {
		asked = append(asked, name)
		return ValueOf(name, values[name])
	})
	require.NoError(t, err)
	require.Equal(t, Some(false), got)
	require.Equal(t, []string{"JMSPriority", "color", "weight"}, asked)

	for _, row := range []struct {
		rule, selector string
		value          Value
		want           string
	}{
		{"no value", "a IS NULL", Value{}, "true"},
		{"nil", "a IS NULL", ValueOf("a", nil), "true"},
		{"a type that AMQP has not", "a IS NOT NULL", ValueOf("a", struct{}{}), "true"},
		{"which equals nothing", "a <> 1", ValueOf("a", struct{}{}), "false"},
		{"a binary", "a = 'x'", ValueOf("a", []byte("x")), "false"},
		{"a list", "a IN ('x')", ValueOf("a", []any{"x"}), "unknown"},
		{"a uuid", "a = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0'", ValueOf("a", amqp.UUID{0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0}), "true"},
		{"an encoded char", "a LIKE '_'", ValueOf("a", RawValue("\x73\x00\x01\xf6\x00")), "true"},
		{"a float is one", "a = 0.1f", ValueOf("a", float32(0.1)), "true"},
		{"and not the double", "a = 0.1", ValueOf("a", float32(0.1)), "false"},
		{"a ulong from 2^63 on", "a > 0", ValueOf("a", uint64(1)<<63), "false"},
		{"a ulong below", "a > 0", ValueOf("a", uint64(1)), "true"},
		{"a time", "a = 1764547200000", ValueOf("a", time.UnixMilli(1764547200000)), "true"},
		{"nothing", "a", ValueOf("a", true), "true"},
	} {
		got, err := parseSelector(t, row.selector).EvaluateFunc(func(string) Value { return row.value })
		require.NoError(t, err, row.rule)
		require.Equal(t, row.want, truth(got), row.rule)
	}
}

// spelledIDs is a message whose ids JMS spells otherwise than the wire, one of them longer than a buffer to start with.
func spelledIDs(t testing.TB) *RawMessage {
	t.Helper()
	m := amqp.Message{Properties: &amqp.MessageProperties{MessageID: strings.Repeat("order ", 100), CorrelationID: amqp.UUID{15: 1}}}
	encoded, err := m.MarshalBinary()
	require.NoError(t, err)
	return parseRaw(t, encoded)
}

// typicalSelectors are selectors as applications write them, and whether they select selectedMessage.
var typicalSelectors = []struct {
	name, text string
	selects    bool
}{
	{"three conditions", "JMSType = 'car' AND color = 'blue' AND weight > 2500", true},
	{"one property", "color = 'red'", false},
	{"IN", "Country IN ('UK', 'US', 'France')", true},
	{"BETWEEN, arithmetic", "age BETWEEN 15 AND 19 OR price * quantity > 1000.0", true},
	{"LIKE", "name LIKE 'order-%' AND region IS NOT NULL", true},
}

func selectedMessage(t testing.TB) []byte {
	t.Helper()
	subject := "car"
	m := amqp.Message{
		Header:     &amqp.MessageHeader{Durable: true, Priority: 4},
		Properties: &amqp.MessageProperties{MessageID: "ID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0:1", Subject: &subject},
		Value:      "body",
	}
	encoded, err := m.MarshalBinary()
	require.NoError(t, err)
	c := Change{ApplicationProperties: []Entry{{"color", "blue"}, {"Country", "France"}, {"age", int32(44)}, {"price", 123.0},
		{"quantity", int32(12)}, {"name", "order-4711"}, {"region", "EMEA"}, {"weight", int64(2600)}}}
	encoded, err = c.AppendTo(nil, parseRaw(t, encoded))
	require.NoError(t, err)
	return encoded
}

// Selecting encoded messages allocates nothing.
func TestSelectorAllocates(t *testing.T) {
	typical, withID := parseRaw(t, selectedMessage(t)), spelledIDs(t)
	texts := []string{
		"JMSDeliveryMode = 'PERSISTENT' OR JMSPriority > 8 OR JMSTimestamp > 1 OR JMSXGroupID = 'x' OR JMSXGroupSeq = 1 OR JMSXUserID = 'x' OR JMSXDeliveryCount > 5",
		"JMS_AMQP_CONTENT_TYPE = 'x' OR JMS_AMQP_CONTENT_ENCODING = 'x' OR JMS_AMQP_REPLY_TO_GROUP_ID = 'x' OR JMS_AMQP_TTL = 1 OR missing = 1",
		"JMSMessageID LIKE 'ID:AMQP_NO_PREFIX:order%' AND JMSCorrelationID IS NOT NULL",
		"a = 1 OR b = 1 OR c = 1 OR d = 1 OR e = 1 OR f = 1 OR g = 1 OR h = 1 OR i = 1 OR j = 1 OR k = 1",
	}
	for _, row := range typicalSelectors {
		texts = append(texts, row.text)
		require.Equal(t, row.selects, parseSelector(t, row.text).Matches(Consumer{}.ViewRaw(typical, time.Time{})), row.text)
	}
	for _, text := range texts {
		s := parseSelector(t, text)
		for _, raw := range []*RawMessage{typical, withID} {
			v := Consumer{}.ViewRaw(raw, time.Time{})
			n := testing.AllocsPerRun(100, func() { s.Matches(v) })
			if raceEnabled && raw == withID { // needs scratch space, which is pooled
				continue
			}
			require.Zero(t, n, text)
		}
	}
	require.True(t, parseSelector(t, "JMSMessageID LIKE 'ID:AMQP_NO_PREFIX:order %order '").Matches(Consumer{}.ViewRaw(withID, time.Time{})))
}

// Two ids in one selector, both of which JMS spells otherwise than the wire.
func TestSelectorComparesIDs(t *testing.T) {
	same := parseSelector(t, "JMSMessageID = JMSCorrelationID")
	for _, row := range []struct {
		messageID, correlationID any
		want                     Opt[bool]
	}{
		{uint64(42), uint64(42), Some(true)},
		{uint64(42), uint64(43), Some(false)},
		{"x", "ID:AMQP_NO_PREFIX:x", Some(false)}, // which is ID:AMQP_STRING:ID:AMQP_NO_PREFIX:x
		{"x", "x", Some(false)},
		{"ID:x", "ID:x", Some(true)},
		{[]byte{1}, []byte{1}, Some(true)},
		{[]byte{}, []byte{1}, Some(false)},
		{nil, uint64(42), Opt[bool]{}},
	} {
		m := amqp.Message{Properties: &amqp.MessageProperties{MessageID: row.messageID, CorrelationID: row.correlationID}}
		encoded, err := m.MarshalBinary()
		require.NoError(t, err)
		for _, v := range []View{{Message: &m}, Consumer{}.ViewRaw(parseRaw(t, encoded), time.Time{})} {
			got, err := same.Evaluate(v)
			require.NoError(t, err)
			require.Equal(t, row.want, got, "%v, %v", row.messageID, row.correlationID)
		}
	}
}

// A selector is used by several goroutines at once.
func TestSelectorConcurrently(t *testing.T) {
	s := parseSelector(t, "JMSMessageID LIKE 'ID:AMQP_NO_PREFIX:%' AND JMSCorrelationID LIKE 'ID:AMQP_UUID:%1' OR b = 1 OR c = 1 OR d = 1 OR e = 1 OR f = 1 OR g = 1 OR h IS NULL")
	v := Consumer{}.ViewRaw(spelledIDs(t), time.Time{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if !s.Matches(v) {
					t.Error("does not match")
				}
			}
		})
	}
	wg.Wait()
}

// How each peer's selectors spell the id of a request, for its replies.
func TestReplySelector(t *testing.T) {
	u := amqp.UUID{0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0}
	const uuid = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	other := Peer{Selects: true}
	const none, unset = "the peer's selectors have no spelling of a binary", "the peer's spelling of such an id is not set (Peer.CorrelationIDs)"
	for _, row := range []struct {
		peer Peer
		id   any
		want string // "!": the error
	}{
		{Artemis(), "ID:abc", "ID:abc"}, {ActiveMQ(), "ID:abc", "ID:abc"}, {BrokerJ(), "ID:abc", "ID:abc"}, {other, "ID:abc", "ID:abc"},
		{Artemis(), "it's", "it''s"}, {other, "", ""},
		{Artemis(), uint64(42), "ID:AMQP_ULONG:42"}, {ActiveMQ(), uint64(42), "AMQP_ULONG:42"}, {BrokerJ(), uint64(42), "42"},
		{Artemis(), u, "ID:AMQP_UUID:" + uuid}, {ActiveMQ(), u, "AMQP_UUID:" + uuid}, {BrokerJ(), u, uuid},
		{ActiveMQ(), []byte{0xab, 0xcd}, "AMQP_BINARY:ABCD"}, {Artemis(), []byte{1}, "!" + none}, {BrokerJ(), []byte{1}, "!" + none},
		{Artemis(), "ID:AMQP_ULONG:42", "ID:AMQP_STRING:ID:AMQP_ULONG:42"}, {ActiveMQ(), "ID:AMQP_ULONG:42", "ID:AMQP_ULONG:42"}, {BrokerJ(), "ID:AMQP_ULONG:42", "ID:AMQP_ULONG:42"},
		{Artemis(), "AMQP_ULONG:42", "AMQP_ULONG:42"}, {ActiveMQ(), "AMQP_ULONG:42", "AMQP_STRING:AMQP_ULONG:42"}, {BrokerJ(), "AMQP_ULONG:42", "AMQP_ULONG:42"},
		{ActiveMQ(), "AMQP_NO_PREFIX:x", "AMQP_NO_PREFIX:x"}, {ActiveMQ(), "ID:AMQP_NO_PREFIX:x", "ID:AMQP_NO_PREFIX:x"},
		{other, uint64(42), "!" + unset}, {other, u, "!" + unset}, {other, []byte{1}, "!" + unset}, {other, "ID:AMQP_ULONG:42", "!" + unset}, {other, "AMQP_ULONG:42", "!" + unset},
		{RabbitMQ(), "ID:abc", "!the peer is not known to obey selectors (Peer.Selects)"},
		{Artemis(), nil, "!none: replies to it cannot be told from others"},
		{Peer{Selects: true, CorrelationIDs: 9}, "x", "!invalid spelling of ids 9 (Peer.CorrelationIDs)"},
	} {
		id, err := IDFrom(row.id)
		require.NoError(t, err)
		got, err := row.peer.ReplySelector(id)
		if why, wrong := strings.CutPrefix(row.want, "!"); wrong {
			wantValueError(t, err, "amqpjms: id "+quote(id.String())+": "+why)
			require.Empty(t, got)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "JMSCorrelationID = '"+row.want+"'", got)
		_, err = Consumer{Peer: row.peer, Destination: Destination{Kind: Queue, Name: "q"}, Selector: got}.Link(1)
		require.NoError(t, err)
	}
}

// Any selector and any bytes: no panic; the three ways agree, and an error is that of a name that cannot be read.
func FuzzSelectorMatches(f *testing.F) {
	for i, c := range selectorCases(f) {
		if text := selectorText(f, c); i%29 == 0 && len(text) < 200 {
			f.Add(text, c.Wire())
		}
	}
	f.Fuzz(func(t *testing.T, text string, encoded []byte) {
		var raw RawMessage
		s, err := ParseSelector(text)
		if err != nil || raw.Parse(encoded) != nil {
			return
		}
		require.Equal(t, blankSelector(text), s == Selector{})
		v := Consumer{NodeDefault: Persistent}.ViewRaw(&raw, time.Time{})
		got, err := s.Evaluate(v)
		require.Equal(t, got.Or(false), s.Matches(v))
		if strings.Contains(text, "JMS_AMQP_TYPED_ENCODING") { // a property of a View, and not a name of selectors
			return
		}
		byName, nameErr := s.EvaluateFunc(v.Property)
		require.Equal(t, got, byName, "%v, %v", err, nameErr)
		require.Equal(t, err == nil, nameErr == nil, "%v, %v", err, nameErr)
	})
}
