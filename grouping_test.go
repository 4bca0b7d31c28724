package amqpjms

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/feed"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

// groupValues are values in classes: values of one class are one group, values of two classes are two. Each stands as a
// Go value, if Go has the type, and encoded.
var groupValues = []struct {
	text   string // of the key
	values []any
	wires  []string
}{
	{"none", []any{nil, amqp.Null{}, []byte(nil)}, []string{"", "40"}},
	{`""`, []any{"", amqp.Symbol("")}, []string{"a100", "b100000000", "a300"}},
	{`"1"`, []any{"1", amqp.Symbol("1")}, []string{"a10131", "a30131", "b30000000131"}},
	{`"A"`, []any{"A"}, []string{"a10141"}},
	{`"a"`, []any{"a"}, []string{"a10161"}},
	{`"A "`, []any{"A "}, []string{"a1024120"}},
	{`"é\n"`, []any{"é\n"}, []string{"a103c3a90a"}},
	{`"qpid.no-group"`, []any{DefaultGroup}, nil},
	{"0", []any{0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0)},
		[]string{"5000", "600000", "43", "44", "5100", "610000", "5400", "5500"}},
	{"1", []any{1, int8(1), int16(1), int32(1), int64(1), uint(1), uint8(1), uint16(1), uint32(1), uint64(1)},
		[]string{"5001", "600001", "5201", "7000000001", "5301", "800000000000000001", "5101", "610001", "5401", "7100000001", "5501", "810000000000000001"}},
	{"-1", []any{-1, int8(-1), int16(-1), int32(-1), int64(-1)}, []string{"51ff", "61ffff", "54ff", "71ffffffff", "55ff", "81ffffffffffffffff"}},
	{"255", []any{255, uint8(255), int16(255)}, []string{"50ff", "6100ff"}},
	{"65536", []any{65536, uint32(65536)}, []string{"7000010000", "7100010000"}},
	{"-9223372036854775808", []any{int64(math.MinInt64)}, []string{"818000000000000000"}},
	{"9223372036854775808", []any{uint64(1 << 63)}, []string{"808000000000000000"}},
	{"18446744073709551615", []any{uint64(math.MaxUint64)}, []string{"80ffffffffffffffff"}},
	{"4294967296", []any{int64(1 << 32)}, nil},
	{"float 0", []any{0.0, math.Copysign(0, -1), float32(0), float32(math.Copysign(0, -1))}, []string{"7200000000", "7280000000", "820000000000000000", "828000000000000000"}},
	{"float 1", []any{1.0, float32(1)}, []string{"723f800000", "823ff0000000000000"}},
	{"float NaN", []any{math.NaN(), float32(math.NaN()), math.Float64frombits(0xfff0000000000001)}, []string{"727fc00000", "72ffc00001", "827ff8000000000000", "82fff0000000000001"}},
	{"float +Inf", []any{math.Inf(1), float32(math.Inf(1))}, []string{"727f800000"}},
	{"float 0.1", []any{0.1}, []string{"823fb999999999999a"}},
	{"float 0.10000000149011612", []any{float32(0.1), float64(float32(0.1))}, []string{"723dcccccd"}},
	{"true", []any{true}, []string{"41", "5601"}},
	{"false", []any{false}, []string{"42", "5600"}},
	{"char 49", nil, []string{"7300000031"}},
	{"timestamp 1", []any{time.UnixMilli(1), time.UnixMilli(1).UTC(), time.UnixMicro(1999)}, []string{"830000000000000001"}},
	{"timestamp -1", []any{time.UnixMilli(-1)}, []string{"83ffffffffffffffff"}},
	{"uuid 00000000-0000-0000-0000-000000000001", []any{amqp.UUID{15: 1}, uuid.UUID{15: 1}}, []string{"9800000000000000000000000000000001"}},
	{`"00000000-0000-0000-0000-000000000001"`, []any{"00000000-0000-0000-0000-000000000001"}, nil},
	{"binary 00000000000000000000000000000001", []any{append(make([]byte, 15), 1)}, []string{"a01000000000000000000000000000000001"}},
	{"binary ", []any{[]byte{}}, []string{"a000", "b000000000"}},
	{"binary 31", []any{[]byte("1")}, []string{"a00131", "b00000000131"}},
	{"decimal32 00000001", nil, []string{"7400000001"}},
	{"decimal64 0000000000000001", nil, []string{"840000000000000001"}},
	{"decimal128 00000000000000000000000000000001", nil, []string{"9400000000000000000000000000000001"}},
}

// rawMessage returns an encoded message with these properties and application properties.
func rawMessage(t testing.TB, groupID RawValue, properties ...any) *RawMessage {
	t.Helper()
	var b []byte
	if groupID != nil {
		b = wire.AppendDescriptor(b, uint64(SectionProperties))
		start := len(b)
		b = append(wire.BeginList8(b), "@@@@@@@@@@"...) // ten nulls before it
		b = append(b, groupID...)
		require.Less(t, len(b)-start, 256, "for a list8")
		wire.EndList8(b, start, 11)
	}
	if len(properties) > 0 {
		var items []byte
		for i := 0; i < len(properties); i += 2 {
			items = wire.AppendString(items, properties[i].(string))
			items = append(items, properties[i+1].(RawValue)...)
		}
		b = wire.AppendDescriptor(b, uint64(SectionApplicationProperties))
		b = wire.AppendMap(b, len(properties)/2, items)
	}
	m := new(RawMessage)
	require.NoError(t, m.Parse(b))
	return m
}

// All readers give the same key for a value, and the keys of two classes differ.
func TestGroupKey(t *testing.T) {
	g := NewAssigned(GroupOptions[int]{})
	keys := map[GroupKey]string{}
	for _, class := range groupValues {
		var want GroupKey
		first := true
		check := func(what string, got GroupKey, err error) {
			t.Helper()
			require.NoError(t, err, what)
			if first {
				want, first = got, false
				require.Empty(t, keys[want], "%s is also %s", class.text, keys[want])
				keys[want] = class.text
			}
			if got != want {
				t.Errorf("%s of %s: %v, want %v", what, class.text, got, want)
			}
			if got.String() != class.text {
				t.Errorf("%s of %s: String returns %s", what, class.text, got)
			}
			if got.IsZero() != (class.text == "none") {
				t.Errorf("%s of %s: IsZero %v", what, class.text, got.IsZero())
			}
		}
		for _, v := range class.values {
			k, err := GroupKeyFrom(v)
			check(fmt.Sprintf("GroupKeyFrom(%T)", v), k, err)
			m := &amqp.Message{ApplicationProperties: map[string]any{"k": v, "other": "x"}}
			k, err = GroupKeyOf(m, "k")
			check(fmt.Sprintf("GroupKeyOf, %T", v), k, err)
		}
		for _, w := range class.wires {
			b, err := hex.DecodeString(w)
			require.NoError(t, err)
			v := RawValue(b)
			k, err := v.GroupKey()
			check("RawValue.GroupKey, "+w, k, err)
			if w == "" {
				continue
			}
			m := rawMessage(t, nil, "other", RawValue{0x40}, "k", v)
			k, err = m.GroupKey("k")
			check("RawMessage.GroupKey, "+w, k, err)
			k, err = g.Key(m, "k")
			check("Groups.Key, unknown, "+w, k, err)
			g.Add(1, k)
			k, err = g.Key(m, "k")
			check("Groups.Key, known, "+w, k, err)
		}
	}
}

// GroupIDHeader and JMSXGroupID name the group-id property; other names do not. With the empty header grouping is off.
func TestGroupKeyHeader(t *testing.T) {
	text := func(s string) RawValue { return wire.AppendString(nil, s) }
	raw := rawMessage(t, text("A"), "k", text("B"), "Group-ID", text("C"), "", text("D"))
	id := "A"
	message := &amqp.Message{
		Properties:            &amqp.MessageProperties{GroupID: &id},
		ApplicationProperties: map[string]any{"k": "B", "Group-ID": "C", "": "D"},
	}
	g := NewShared(GroupOptions[int]{})
	for header, want := range map[string]string{
		"group-id": `"A"`, "JMSXGroupID": `"A"`, "jmsxgroupid": `"A"`, "": "none", "k": `"B"`, "Group-ID": `"C"`, "K": "none",
		"JMſXGroupID": "none", "JMXSGroupID": "none", "JMSXGroupIDx": "none", "JM\u017fXGroupI": "none",
	} {
		k, err := raw.GroupKey(header)
		require.NoError(t, err)
		require.Equal(t, want, k.String(), "RawMessage, header %q", header)
		k, err = g.Key(raw, header)
		require.NoError(t, err)
		require.Equal(t, want, k.String(), "Groups.Key, header %q", header)
		k, err = GroupKeyOf(message, header)
		require.NoError(t, err)
		require.Equal(t, want, k.String(), "amqp.Message, header %q", header)
	}
	for _, nothing := range []*RawMessage{rawMessage(t, nil), rawMessage(t, RawValue{0x40}), rawMessage(t, nil, "x", RawValue{0x40})} {
		for _, header := range []string{"group-id", "x", "y"} {
			k, err := nothing.GroupKey(header)
			require.NoError(t, err)
			require.True(t, k.IsZero())
		}
	}
	for _, nothing := range []*amqp.Message{{}, {Properties: &amqp.MessageProperties{}}} {
		k, err := GroupKeyOf(nothing, "group-id")
		require.NoError(t, err)
		require.True(t, k.IsZero())
	}
}

func TestGroupKeyErrors(t *testing.T) {
	type text string
	for _, test := range []struct {
		v    any
		want string
	}{
		{[]any{"A"}, "amqpjms: group of type []interface {}: want string, symbol, number, boolean, timestamp, uuid, char or binary"},
		{map[string]any{}, "amqpjms: group of type map[string]interface {}: " + errNoGroup.Error()},
		{[]string{"A"}, "amqpjms: group of type []string: " + errNoGroup.Error()},
		{text("A"), "amqpjms: group of type amqpjms.text: " + errNoGroup.Error()},
		{complex(1, 0), "amqpjms: group of type complex128: " + errNoGroup.Error()},
		{"a\xff", `amqpjms: group "a\xff": not valid UTF-8`},
		{amqp.Symbol("\xff"), `amqpjms: group "\xff": not ASCII`},
		{amqp.Symbol("é"), `amqpjms: group "é": not ASCII`},
		{amqp.Symbol("\x7f\x80"), `amqpjms: group "\x7f\x80": not ASCII`},
		{strings.Repeat("\xff", 100), `amqpjms: group "` + strings.Repeat(`\xff`, 64) + `"… (100 bytes): not valid UTF-8`},
	} {
		k, err := GroupKeyFrom(test.v)
		require.EqualError(t, err, test.want)
		require.Zero(t, k)
		k, err = GroupKeyOf(&amqp.Message{ApplicationProperties: map[string]any{"k": test.v}}, "k")
		require.EqualError(t, err, test.want)
		require.Zero(t, k)
	}
	k, err := GroupKeyFrom(amqp.Symbol("\x7f")) // the last ASCII character
	require.NoError(t, err)
	require.Equal(t, `"\x7f"`, k.String())
	k, err = RawValue{0x41, 0x41}.GroupKey()
	require.EqualError(t, err, "amqpjms: group of type boolean: unexpected trailing data (1 byte)")
	require.Zero(t, k)
	g := NewAssigned(GroupOptions[int]{})
	for _, test := range []struct{ wire, want string }{
		{"45", "amqpjms: group of type list: " + errNoGroup.Error()},
		{"c10100", "amqpjms: group of type map: " + errNoGroup.Error()},
		{"e0020050", "amqpjms: group of type array: " + errNoGroup.Error()},
		{"00a10178a10141", "amqpjms: group of type described value: " + errNoGroup.Error()},
		{"a101ff", "amqpjms: group of type string: string is not valid UTF-8"},
		{"a302c3a9", "amqpjms: group of type symbol: symbol is not ASCII"},
		{"7300110000", "amqpjms: group of type char: char is not a Unicode scalar value"},
	} {
		b, err := hex.DecodeString(test.wire)
		require.NoError(t, err)
		k, err := RawValue(b).GroupKey()
		require.EqualError(t, err, test.want, test.wire)
		require.Zero(t, k)
		m := rawMessage(t, nil, "k", RawValue(b))
		for _, key := range []func() (GroupKey, error){
			func() (GroupKey, error) { return m.GroupKey("k") },
			func() (GroupKey, error) { return g.Key(m, "k") },
		} {
			k, err = key()
			require.EqualError(t, err, test.want, test.wire)
			require.Zero(t, k)
		}
	}
	// go-amqp decodes a symbol as a string, unchecked: the difference that GroupKeyOf documents.
	decoded := new(amqp.Message)
	require.NoError(t, decoded.UnmarshalBinary([]byte("\x00\x53\x74\xc1\x08\x02\xa1\x01k\xa3\x02\xc3\xa9")))
	stated, err := GroupKeyOf(decoded, "k")
	require.NoError(t, err)
	require.Equal(t, `"é"`, stated.String())
	for _, cut := range []string{"a1", "a105", "81", "98", "94", "ff"} {
		b, err := hex.DecodeString(cut)
		require.NoError(t, err)
		k, err := RawValue(b).GroupKey()
		require.Error(t, err, cut)
		require.Zero(t, k)
	}
	// Malformed application properties before the one in question.
	m := new(RawMessage)
	require.NoError(t, m.Parse([]byte{0, 0x53, 0x74, 0xc1, 5, 2, 0xa1, 5, 'k', 0x40}))
	k, err = m.GroupKey("k")
	require.Error(t, err)
	require.Zero(t, k)
}

// A group-id is a string [amqp 3.2.4]. A symbol reads as its text, and another type is an error, whoever reads it:
// go-amqp, and so GroupKeyOf, or RawMessage.
func TestGroupIDTypes(t *testing.T) {
	for _, test := range []struct {
		name, wire string
		want       string // the key; "": an error
		err        string
	}{
		{"string", "a10141", `"A"`, ""},
		{"long string", "b10000000141", `"A"`, ""},
		{"symbol", "a30141", `"A"`, ""},
		{"long symbol", "b30000000141", `"A"`, ""},
		{"empty symbol", "a300", `""`, ""},
		{"null", "40", "none", ""},
		{"binary", "a00141", "", "amqpjms: group-id at byte 16: got binary, want string"},
		{"uint", "43", "", "amqpjms: group-id at byte 16: got uint, want string"},
		{"uuid", "9800000000000000000000000000000001", "", "amqpjms: group-id at byte 16: got uuid, want string"},
		{"list", "45", "", "amqpjms: group-id at byte 16: got list, want string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := hex.DecodeString(test.wire)
			require.NoError(t, err)
			m := rawMessage(t, RawValue(b))
			g := NewAssigned(GroupOptions[int]{})
			decoded := new(amqp.Message)
			decodeErr := decoded.UnmarshalBinary(append(m.Properties[:len(m.Properties):len(m.Properties)], "\x00\x53\x77\x40"...))
			for range 2 { // first an unknown group, then a known one
				for reader, key := range map[string]func() (GroupKey, error){
					"RawMessage.GroupKey": func() (GroupKey, error) { return m.GroupKey(GroupIDHeader) },
					"Groups.Key":          func() (GroupKey, error) { return g.Key(m, GroupIDHeader) },
				} {
					k, err := key()
					if test.err != "" {
						wantWireError(t, err, test.err)
						require.Zero(t, k, reader)
						continue
					}
					require.NoError(t, err, reader)
					require.Equal(t, test.want, k.String(), reader)
					g.Add(1, k)
				}
			}
			if test.err != "" {
				require.Error(t, decodeErr, "go-amqp")
				return
			}
			require.NoError(t, decodeErr, "go-amqp")
			v, err := m.Property(FieldGroupID)
			require.NoError(t, err)
			k, err := v.GroupKey()
			require.NoError(t, err)
			require.Equal(t, test.want, k.String(), "RawValue.GroupKey")
			k, err = GroupKeyOf(decoded, GroupIDHeader)
			require.NoError(t, err)
			require.Equal(t, test.want, k.String(), "GroupKeyOf")
		})
	}
}

// Any bytes give a key or an error, and always the same one.
func FuzzGroupKey(f *testing.F) {
	for _, class := range groupValues {
		for _, w := range class.wires {
			b, _ := hex.DecodeString(w)
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := RawValue(b).GroupKey()
		if err != nil {
			require.Zero(t, k)
			return
		}
		again, err := RawValue(b).GroupKey()
		require.NoError(t, err)
		require.Equal(t, k.String(), again.String())
		require.True(t, k == again)
	})
}

func TestGroupArguments(t *testing.T) {
	const header, shared, group = "qpid.group_header_key", "qpid.shared_msg_group", "qpid.default-message-group"
	type args map[string]any
	cycle := map[string]any{}
	cycle["a"] = cycle
	for _, test := range []struct {
		args args
		want GroupArguments
		on   bool
		err  string
	}{
		{nil, GroupArguments{}, false, ""},
		{args{"x-other": 1}, GroupArguments{}, false, ""},
		{args{header: nil}, GroupArguments{}, false, ""},
		{args{shared: "1", group: "x"}, GroupArguments{}, false, ""},
		{args{header: "k"}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "JMSXGroupID"}, GroupArguments{Header: "group-id"}, true, ""},
		{args{header: "jmsxGROUPid"}, GroupArguments{Header: "group-id"}, true, ""},
		{args{header: "group-id"}, GroupArguments{Header: "group-id"}, true, ""},
		{args{header: "GROUP-ID"}, GroupArguments{Header: "GROUP-ID"}, true, ""},
		{args{header: "k", shared: "1"}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "JMſXGroupID"}, GroupArguments{Header: "JMſXGroupID"}, true, ""},
		{args{header: "k", shared: amqp.Symbol("1")}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "k", shared: amqp.Symbol("true")}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "k", shared: amqp.Symbol("0")}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", shared: "true"}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "k", shared: true}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "k", shared: 1}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "k", shared: uint8(1)}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "k", shared: int64(1)}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "k", shared: 1.0}, GroupArguments{Header: "k", Shared: true}, true, ""},
		{args{header: "k", shared: "0"}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", shared: "01"}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", shared: "yes"}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", shared: 2}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", shared: -1}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", shared: false}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", shared: nil}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", shared: []string{"1"}}, GroupArguments{Header: "k"}, true, ""},
		{args{header: "k", group: "d"}, GroupArguments{Header: "k", DefaultGroup: "d"}, true, ""},
		{args{header: "k", group: nil}, GroupArguments{Header: "k"}, true, ""},
		{args{header: ""}, GroupArguments{}, false, `amqpjms: qpid.group_header_key "": empty`},
		{args{header: 7}, GroupArguments{}, false, `amqpjms: qpid.group_header_key "7": not a string`},
		{args{header: true}, GroupArguments{}, false, `amqpjms: qpid.group_header_key "true": not a string`},
		{args{header: "k", group: ""}, GroupArguments{}, false, `amqpjms: qpid.default-message-group "": empty`},
		{args{header: amqp.Null{}}, GroupArguments{}, false, ""},
		{args{header: "k", shared: amqp.Null{}, group: amqp.Null{}}, GroupArguments{Header: "k"}, true, ""},
		{args{header: []any{"k"}}, GroupArguments{}, false, `amqpjms: qpid.group_header_key of type []interface {}: not a string`},
		{args{header: "k", group: cycle}, GroupArguments{}, false, `amqpjms: qpid.default-message-group of type map[string]interface {}: not a string`},
		{args{header: "k", group: 1.5}, GroupArguments{}, false, `amqpjms: qpid.default-message-group "1.5": not a string`},
	} {
		got, on, err := GroupArgumentsFrom(test.args)
		if test.err != "" {
			require.EqualError(t, err, test.err)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, test.want, got, "%v", test.args)
		require.Equal(t, test.on, on, "%v", test.args)
	}
}

// item is the message type of most queues below.
type item struct {
	id, rank, colour int
}

// naive is the reference for Groups: its queue is a slice, which it walks from the front for every question.
type naive struct {
	shared       bool
	compare      func(a, b item) int
	idleLimit    int
	defaultGroup GroupKey

	queue  []*naiveItem // in queue order; held messages stay in place
	groups map[GroupKey]*naiveGroup
	idle   []GroupKey // the longest idle first
}

type naiveItem struct {
	item
	key                 GroupKey
	held, pending, gone bool
	holder              *naiveConsumer
}

type naiveGroup struct {
	owner, nextOwner  *naiveConsumer
	givenUp, reserved bool
}

type naiveConsumer struct {
	takes   func(item) bool
	refused map[*naiveItem]bool
	held    []*naiveItem
	closed  bool
}

func (c *naiveConsumer) accepts(m *naiveItem) bool { return !c.refused[m] && c.takes(m.item) }

// A naiveState is what a group has in the queue.
type naiveState struct {
	first         *naiveItem // that is waiting
	waiting, held int
}

func (q *naive) states() map[GroupKey]*naiveState {
	states := map[GroupKey]*naiveState{}
	for k := range q.groups {
		states[k] = &naiveState{}
	}
	for _, m := range q.queue {
		switch s := states[m.key]; {
		case s == nil: // ungrouped
		case m.held:
			s.held++
		default:
			if s.first == nil {
				s.first = m
			}
			s.waiting++
		}
	}
	return states
}

func (q *naive) next(c *naiveConsumer) *naiveItem {
	states := q.states()
	for _, m := range q.queue {
		switch g := q.groups[m.key]; {
		case c.closed || m.held || !c.accepts(m):
		case g == nil, // ungrouped
			m == states[m.key].first && g.owner == c && !g.givenUp,
			m == states[m.key].first && g.owner == nil && states[m.key].held == 0:
			return m
		}
	}
	return nil
}

// rules applies the rules of ownership, by state, to all groups.
func (q *naive) rules() {
	for k, s := range q.states() {
		g := q.groups[k]
		if s.held == 0 && g.givenUp {
			g.owner, g.nextOwner, g.givenUp, g.reserved = g.nextOwner, nil, false, true
		}
		if s.held == 0 && g.owner != nil {
			lost := s.first != nil && !g.owner.accepts(s.first)
			if q.shared && (s.first == nil || !g.reserved) {
				lost = true
			}
			if lost {
				g.owner = nil
			}
		}
		empty := s.first == nil && s.held == 0
		if at := slices.Index(q.idle, k); empty && g.owner != nil {
			if at < 0 {
				q.idle = append(q.idle, k)
			}
		} else if at >= 0 {
			q.idle = slices.Delete(q.idle, at, at+1)
		}
		if empty && g.owner == nil {
			delete(q.groups, k)
		}
	}
	for q.idleLimit > 0 && len(q.idle) > q.idleLimit {
		delete(q.groups, q.idle[0])
		q.idle = q.idle[1:]
	}
}

func (q *naive) add(v item, k GroupKey) *naiveItem {
	if k.IsZero() {
		k = q.defaultGroup
	}
	m := &naiveItem{item: v, key: k}
	at := len(q.queue)
	for q.compare != nil && at > 0 && q.compare(v, q.queue[at-1].item) < 0 {
		at--
	}
	q.queue = slices.Insert(q.queue, at, m)
	if !k.IsZero() && q.groups[k] == nil {
		q.groups[k] = &naiveGroup{}
	}
	q.rules()
	return m
}

func (q *naive) take(c *naiveConsumer) *naiveItem {
	m := q.next(c)
	if m == nil {
		return nil
	}
	m.held, m.holder = true, c
	c.held = append(c.held, m)
	if g := q.groups[m.key]; g != nil {
		g.owner, g.reserved = c, false
	}
	q.rules()
	return m
}

// end ends the hold on a message. With back, it returns to its place if it is still in the queue.
func (q *naive) end(m *naiveItem, back, refused bool) bool {
	if m == nil || !m.held {
		return false
	}
	if c := m.holder; c != nil {
		c.held = slices.DeleteFunc(c.held, func(h *naiveItem) bool { return h == m })
		if refused {
			c.refused[m] = true
		}
	}
	m.held, m.pending, m.holder = false, false, nil
	if !back || m.gone {
		q.queue = slices.DeleteFunc(q.queue, func(h *naiveItem) bool { return h == m })
	}
	q.rules()
	return true
}

func (q *naive) remove(m *naiveItem) bool {
	if m == nil || m.gone || !slices.Contains(q.queue, m) {
		return false
	}
	m.gone = true
	if !m.held {
		q.queue = slices.DeleteFunc(q.queue, func(h *naiveItem) bool { return h == m })
	}
	q.rules()
	return true
}

func (q *naive) close(c *naiveConsumer) (returned int) {
	c.closed = true
	for _, m := range c.held {
		if m.holder = nil; m.pending {
			continue
		}
		if m.held = false; m.gone {
			q.queue = slices.DeleteFunc(q.queue, func(h *naiveItem) bool { return h == m })
		} else {
			returned++
		}
	}
	c.held = nil
	for _, g := range q.groups {
		if g.owner == c {
			g.owner = nil
		}
		if g.nextOwner == c {
			g.nextOwner = nil
		}
	}
	q.rules()
	return returned
}

func (q *naive) assign(k GroupKey, c *naiveConsumer) bool {
	if k.IsZero() {
		k = q.defaultGroup
	}
	if c.closed || k.IsZero() || q.shared && q.groups[k] == nil {
		return false
	}
	if q.groups[k] == nil {
		q.groups[k] = &naiveGroup{}
	}
	g := q.groups[k]
	if g.givenUp, g.nextOwner = g.owner != c, nil; g.givenUp {
		g.nextOwner = c
	}
	q.rules()
	return q.groups[k] != nil && (g.owner == c || g.nextOwner == c)
}

func (q *naive) unassign(k GroupKey) bool {
	if k.IsZero() {
		k = q.defaultGroup
	}
	g := q.groups[k]
	if g == nil || g.nextOwner == nil && (g.owner == nil || g.givenUp) {
		return false
	}
	g.givenUp, g.nextOwner = true, nil
	q.rules()
	return true
}

// beside runs Groups and naive side by side, with operations read from bytes, and compares their visible state after
// each.
type beside struct {
	t *testing.T
	g *Groups[item]
	n *naive

	consumers []besideConsumer
	refs      []Ref // of all messages ever added; message i has id i
	items     []*naiveItem
	keys      []GroupKey
	log       []string
}

type besideConsumer struct {
	c     *GroupConsumer[item]
	n     *naiveConsumer
	asked map[int]int // how often Groups asked about a message
}

// besideGroups are the values of the groups in use; nil is no group. Some queues have more.
var besideGroups = []any{nil, "A", "B", int64(7), "", "qpid.no-group"}

func runBeside(t *testing.T, data []byte) {
	next := func() (b byte) {
		if len(data) > 0 {
			b, data = data[0], data[1:]
		}
		return b
	}
	b := &beside{t: t, n: &naive{groups: map[GroupKey]*naiveGroup{}}}
	choice := next()
	groups := besideGroups
	if choice&32 != 0 {
		for i := range 300 {
			groups = append(groups[:len(groups):len(groups)], i+10)
		}
	}
	for _, v := range groups {
		k, err := GroupKeyFrom(v)
		if err != nil {
			t.Fatal(err)
		}
		b.keys = append(b.keys, k)
	}
	var o GroupOptions[item]
	if choice&1 != 0 {
		o.Compare = func(a, b item) int { return cmp.Compare(b.rank, a.rank) }
	}
	o.IdleLimit = int(choice >> 1 & 3)
	o.Ungrouped = choice&8 != 0
	b.n.compare = o.Compare
	if choice&16 != 0 {
		b.g, b.n.shared = NewShared(o), true
		if !o.Ungrouped {
			b.n.defaultGroup, _ = GroupKeyFrom("qpid.no-group")
		}
	} else {
		b.g, b.n.idleLimit = NewAssigned(o), o.IdleLimit
	}
	for i := 0; len(data) > 0; i++ {
		op, arg := next(), int(next())
		if choice&32 != 0 {
			arg |= int(next()) << 8
		}
		b.step(op, arg)
		// Looking at a queue must not change it, so some are looked at rarely. So are big ones, to save time.
		if choice&64 != 0 && i%64 != 0 && len(data) > 0 {
			continue
		}
		b.check()
		if t.Failed() {
			for _, line := range b.log {
				t.Log(line)
			}
			t.FailNow()
		}
	}
}

// step does one operation on both and compares what it returns.
func (b *beside) step(op byte, arg int) {
	log := func(format string, args ...any) { b.log = append(b.log, fmt.Sprintf(format, args...)) }
	same := func(what string, got, want any) {
		b.t.Helper()
		if got != want {
			b.t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	key := b.keys[arg%len(b.keys)]
	var c besideConsumer
	if len(b.consumers) > 0 {
		c = b.consumers[arg%len(b.consumers)]
	}
	// Any message that was ever added; often a recent one or one that is held.
	var r Ref
	var m *naiveItem
	if len(b.refs) > 0 {
		i := len(b.refs) - 1 - arg%len(b.refs)
		if held := b.heldIDs(); op&128 != 0 && len(held) > 0 {
			i = held[arg%len(held)]
		}
		r, m = b.refs[i], b.items[i]
	}
	switch op & 127 % 20 {
	default: // 0 to 4
		v := item{id: len(b.refs), rank: arg / 8 % 4, colour: arg / 32 % 3}
		log("%d: add rank %d colour %d group %v", v.id, v.rank, v.colour, key)
		r, owner := b.g.Add(v, key)
		b.refs = append(b.refs, r)
		b.items = append(b.items, b.n.add(v, key))
		want := (*naiveConsumer)(nil)
		if g := b.n.groups[b.items[v.id].key]; g != nil {
			want = g.owner
		}
		same("owner", b.naiveOf(owner), want)
	case 5, 6, 7, 8, 9:
		if c.c == nil {
			return
		}
		log("next of consumer %d", arg%len(b.consumers))
		v, r, ok := c.c.Next()
		n := b.n.take(c.n)
		same("next: ok", ok, n != nil)
		if ok && n != nil {
			same("next", v, n.item)
			same("next: ref", r, b.refs[v.id])
		}
	case 10, 11:
		log("%d: settle", b.id(m))
		same("settle", b.g.Settle(r), b.n.end(m, false, false))
	case 12:
		log("%d: release", b.id(m))
		same("release", b.g.Release(r), b.n.end(m, true, false))
	case 13:
		log("%d: refuse", b.id(m))
		same("refuse", b.g.Refuse(r), b.n.end(m, true, true))
	case 14:
		log("%d: pend", b.id(m))
		can := m != nil && m.held && !m.pending
		same("pend", b.g.MarkPending(r), can)
		if can {
			m.pending = true
		}
	case 15:
		log("%d: remove", b.id(m))
		holder := (*naiveConsumer)(nil)
		if m != nil {
			holder = m.holder
		}
		v, got, ok := b.g.Remove(r)
		same("remove", ok, b.n.remove(m))
		if ok {
			same("remove: message", v, m.item)
			same("remove: holder", b.naiveOf(got), holder)
		}
	case 16, 17:
		n := &naiveConsumer{refused: map[*naiveItem]bool{}, takes: func(item) bool { return true }}
		asked := map[int]int{}
		var accept func(item) bool
		if mask := arg % 8; mask != 7 { // the colours it accepts
			n.takes = func(v item) bool { return mask>>v.colour&1 != 0 }
			accept = func(v item) bool { asked[v.id]++; return n.takes(v) }
		}
		log("consumer %d: open, colours %03b", len(b.consumers), arg%8)
		b.consumers = append(b.consumers, besideConsumer{b.g.Open(accept), n, asked})
	case 18:
		if c.c == nil {
			return
		}
		log("close consumer %d", arg%len(b.consumers))
		same("close", c.c.Close(), b.n.close(c.n))
	case 19:
		if arg >= 128 && c.c != nil {
			key = b.keys[arg/16%len(b.keys)]
			log("assign %v to consumer %d", key, arg%len(b.consumers))
			same("assign", b.g.Assign(key, c.c), b.n.assign(key, c.n))
		} else {
			log("unassign %v", key)
			same("unassign", b.g.Unassign(key), b.n.unassign(key))
		}
	}
}

func (b *beside) id(m *naiveItem) int {
	if m == nil {
		return -1
	}
	return m.id
}

func (b *beside) heldIDs() (ids []int) {
	for _, m := range b.n.queue {
		if m.held {
			ids = append(ids, m.id)
		}
	}
	return ids
}

// naiveOf returns naive's side of a consumer.
func (b *beside) naiveOf(c *GroupConsumer[item]) *naiveConsumer {
	for _, both := range b.consumers {
		if c != nil && both.c == c {
			return both.n
		}
	}
	return nil
}

// check compares what both show, and checks the invariants of any queue.
func (b *beside) check() {
	t := b.t
	t.Helper()
	checkBuild(t, b.g)

	// Browsers, counts.
	var got, want []int
	heldCount := 0
	for r, v := range b.g.Messages() {
		got = append(got, v.id)
		if r != b.refs[v.id] {
			t.Errorf("ref of %d while iterating: %v, want %v", v.id, r, b.refs[v.id])
		}
	}
	for _, m := range b.n.queue {
		if m.held {
			heldCount++
		} else {
			want = append(want, m.id)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("all that wait: %v, want %v", got, want)
	}
	wantCounts := GroupCounts{Waiting: len(want), Held: heldCount, Groups: len(b.n.groups), Idle: len(b.n.idle)}
	if got := b.g.Counts(); got != wantCounts {
		t.Errorf("counts %+v, want %+v", got, wantCounts)
	}

	// Groups.
	seen := map[GroupKey]bool{}
	states := b.n.states()
	for s := range b.g.Statuses() {
		g := b.n.groups[s.Key]
		if g == nil || seen[s.Key] {
			t.Errorf("group %v is unknown or repeated", s.Key)
			return
		}
		seen[s.Key] = true
		want := states[s.Key]
		oldest := Ref{}
		if want.first != nil {
			oldest = b.refs[want.first.id]
		}
		if s.Waiting != want.waiting || s.Held != want.held || s.Oldest != oldest || s.GivenUp != g.givenUp ||
			b.naiveOf(s.Owner) != g.owner || b.naiveOf(s.NextOwner) != g.nextOwner {
			t.Errorf("group %+v, want %+v, oldest %v, %+v", s, *want, oldest, *g)
		}
	}
	if len(seen) != len(b.n.groups) {
		t.Errorf("%d groups, want %d", len(seen), len(b.n.groups))
	}
	for s := range b.g.Statuses() {
		if one, ok := b.g.Status(s.Key); !ok || one != s {
			t.Errorf("Status of %v: %+v %v, want %+v", s.Key, one, ok, s)
		}
	}
	for _, k := range b.keys {
		effective := k
		if k.IsZero() {
			effective = b.n.defaultGroup
		}
		if _, ok := b.g.Status(k); ok != seen[effective] {
			t.Errorf("Status of %v: %v", k, ok)
		}
		var got, want []int
		for r, v := range b.g.Waiting(k) {
			got = append(got, v.id)
			if r != b.refs[v.id] {
				t.Errorf("ref of %d in Waiting: %v, want %v", v.id, r, b.refs[v.id])
			}
		}
		for _, m := range b.n.queue {
			if !m.held && m.key == effective {
				want = append(want, m.id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("waiting in %v: %v, want %v", k, got, want)
		}
	}

	// Consumers.
	holders := map[GroupKey]*GroupConsumer[item]{}
	holds := map[int]bool{}
	for i, c := range b.consumers {
		if got, want := c.c.Ready(), b.n.next(c.n) != nil; got != want {
			t.Errorf("consumer %d ready: %v, want %v", i, got, want)
		}
		got, want := []int(nil), []int(nil)
		for r, v := range c.c.Held() {
			got = append(got, v.id)
			m := b.items[v.id]
			if v2, holder, ok := b.g.Get(r); !ok || v2 != v || holder != c.c {
				t.Errorf("Get of %d: %v, %v", v.id, v2, ok)
			}
			if holds[v.id] {
				t.Errorf("message %d is held twice", v.id)
			}
			holds[v.id] = true
			if h := holders[m.key]; !m.key.IsZero() && h != nil && h != c.c {
				t.Errorf("two consumers hold messages of group %v", m.key)
			}
			holders[m.key] = c.c
		}
		for _, m := range c.n.held {
			want = append(want, m.id)
		}
		if !slices.Equal(got, want) {
			t.Errorf("consumer %d holds %v, want %v", i, got, want)
		}
		owned := map[GroupKey]bool{}
		for k := range c.c.Owned() {
			owned[k] = true
			if b.g.Owner(k) != c.c {
				t.Errorf("owner of %v is not consumer %d", k, i)
			}
		}
		wantOwned := map[GroupKey]bool{}
		for k, g := range b.n.groups {
			if g.owner == c.n {
				wantOwned[k] = true
			}
		}
		if !maps.Equal(owned, wantOwned) {
			t.Errorf("consumer %d owns %v, want %v", i, owned, wantOwned)
		}
		for id, n := range c.asked {
			if n > 1 {
				t.Errorf("accept of consumer %d was called %d times for message %d", i, n, id)
			}
		}
	}
}

// checkBuild checks the invariants under "How it works" in grouping.go.
func checkBuild[M any](t *testing.T, g *Groups[M]) {
	ready, free, idle, ungrouped := map[uint32]int{}, 0, 0, 0
	for _, gr := range g.groups.All() {
		same := func(what string, got, want any) {
			if got != want {
				t.Errorf("group %v: %s: %v, want %v", gr.key(), what, got, want)
			}
		}
		inLine := 0
		for i := gr.inOrder.First; i != 0; i = g.messages.At(i).Right {
			inLine++
		}
		same("has an owner or messages", gr.owner != 0 || gr.waiting > 0 || gr.held > 0, true)
		same("waiting", int(gr.waiting), inLine+gr.outOfOrder.Len())
		same("first", gr.first, g.sooner(gr.inOrder.First, gr.outOfOrder.First()))
		if gr.first != 0 {
			same("sequence", gr.sequence, g.messages.At(gr.first).sequence)
		}
		same("idle", gr.isIdle, gr.owner != 0 && gr.first == 0 && gr.held == 0)
		if gr.isIdle {
			idle++
		}
		switch gr.offer {
		case toOwner:
			ready[gr.owner]++
		case toAnyone:
			same("owner of a free group", gr.owner, uint32(0))
			free++
		}
	}
	for _, msg := range g.messages.All() {
		switch {
		case msg.state == msgUngrouped:
			ungrouped++
		case msg.state == msgHeld && msg.holder == 0 && !msg.pending:
			t.Errorf("message %d is held, but has no holder and is not pending", msg.sequence)
		case msg.state == msgHeld && msg.holder != 0 && msg.group != 0 && g.groups.At(msg.group).owner != msg.holder:
			t.Errorf("the holder of message %d does not own its group", msg.sequence)
		}
	}
	for _, c := range g.consumers.All() {
		if got, want := (*c).ready.Len(), ready[(*c).number]; got != want {
			t.Errorf("consumer %d: %d ready, want %d", (*c).number, got, want)
		}
	}
	got := [3]int{g.free.Len(), g.ungrouped.Len(), g.idles}
	if want := [3]int{free, ungrouped, idle}; got != want {
		t.Errorf("free, ungrouped and idle: %v, want %v", got, want)
	}
}

// A loop over the messages of a queue may remove the current one, and a loop over a consumer's may settle it.
func TestGroupsPurge(t *testing.T) {
	for _, compare := range []func(a, b int) int{nil, func(a, b int) int { return cmp.Compare(a%3, b%3) }} {
		g := NewAssigned(GroupOptions[int]{Compare: compare})
		c := g.Open(nil)
		var want []int
		for i := range 500 {
			k := GroupKey{}
			if i%2 == 0 {
				k = groupKey(t, i%20)
			}
			g.Add(i, k)
		}
		for i := range 100 {
			_, r, _ := c.Next()
			if i%2 == 0 {
				g.Release(r)
			}
		}
		for _, m := range g.Messages() {
			want = append(want, m)
		}
		var got []int
		for r, m := range g.Messages() {
			got = append(got, m)
			_, _, ok := g.Remove(r)
			require.True(t, ok)
		}
		require.Equal(t, want, got)
		require.Zero(t, g.Counts().Waiting)
		for r := range c.Held() {
			require.True(t, g.Settle(r))
		}
		require.Zero(t, g.Counts().Held)
	}
}

// A loop over the waiting messages of a group may remove the current one, the last one of its group too.
func TestGroupsWaitingRemove(t *testing.T) {
	for _, compare := range []func(a, b int) int{nil, func(a, b int) int { return cmp.Compare(a%3, b%3) }} {
		g := NewShared(GroupOptions[int]{Compare: compare, Ungrouped: true})
		a, b := groupKey(t, "A"), groupKey(t, "B")
		for i := range 300 {
			g.Add(i, [...]GroupKey{a, b, {}}[i%3])
		}
		c := g.Open(nil)
		for range 50 {
			c.Next()
		}
		c.Close() // they come back, out of order
		for _, k := range []GroupKey{a, {}, b} {
			var got []int
			for r, m := range g.Waiting(k) {
				got = append(got, m)
				_, _, ok := g.Remove(r)
				require.True(t, ok)
			}
			require.Len(t, got, 100)
			require.True(t, slices.IsSorted(got), "each has one rank")
			for range g.Waiting(k) {
				t.Errorf("a message of %v", k)
			}
			_, ok := g.Status(k)
			require.False(t, ok)
		}
		require.Zero(t, g.Counts())
	}
}

// Status and Waiting cost the same however many other groups and messages there are, and allocate nothing.
func TestGroupsStatusCost(t *testing.T) {
	costs := map[int][2]int{}
	for _, others := range []int{0, 100, 10_000} {
		compared := 0
		g := NewAssigned(GroupOptions[int]{Compare: func(a, b int) int { compared++; return cmp.Compare(b%4, a%4) }})
		mine := groupKey(t, "mine")
		for i := range 200 {
			g.Add(i, mine)
			for n := range others / 100 {
				g.Add(i, groupKey(t, i*1000+n))
				g.Add(i, GroupKey{})
			}
		}
		for i := range others {
			g.Add(i, groupKey(t, "other"))
		}
		compared = 0
		s, ok := g.Status(mine)
		require.True(t, ok)
		require.Equal(t, 200, s.Waiting)
		status := compared
		n := 0
		for range g.Waiting(mine) {
			n++
		}
		require.Equal(t, 200, n)
		costs[others] = [2]int{status, compared}
		require.Less(t, compared, 200*10, "comparisons for 200 messages")
		sum := 0
		require.Zero(t, testing.AllocsPerRun(10, func() {
			s, _ := g.Status(mine)
			sum += s.Waiting
			for _, m := range g.Waiting(mine) {
				sum += m
			}
		}))
		require.NotZero(t, sum)
	}
	require.Zero(t, costs[0][0], "Status compares nothing")
	require.Equal(t, costs[0], costs[100])
	require.Equal(t, costs[0], costs[10_000])
}

// Long random sequences of all operations.
func TestGroupsBesideNaive(t *testing.T) {
	for seed := range uint64(400) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			data := make([]byte, 2*rnd.IntN(400)+1)
			for i := range data {
				data[i] = byte(rnd.Uint32())
			}
			data[0] = byte(seed) // all combinations of options
			runBeside(t, data)
		})
	}
}

// Queues that grow to many messages and groups, and shrink again.
func TestBigGroupsBesideNaive(t *testing.T) {
	for seed := range uint64(32) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 3))
			data := []byte{byte(seed) | 32 | 64}
			op := func(ops ...byte) {
				data = append(data, ops[rnd.IntN(len(ops))], byte(rnd.Uint32()), byte(rnd.Uint32()))
			}
			for range 3 { // consumers
				op(16)
			}
			for range 800 { // mostly adds
				op(0, 0, 0, 0, 5, 10, 12, 15)
			}
			for range 200 {
				op(0, 1, 2, 3, 5, 6, 7, 10, 128+12, 128+13, 128+14, 15, 16, 18, 19)
			}
			for range 1200 { // mostly takes and settles
				op(5, 5, 5, 128+10, 128+10, 128+10, 128+11, 12, 15, 15, 15, 15, 15, 16, 19)
			}
			runBeside(t, data)
		})
	}
}

func FuzzGroupsBesideNaive(f *testing.F) {
	for seed := range uint64(32) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		data[0] = byte(seed)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = slices.Clone(data[:min(len(data), 256)])
		if len(data) > 0 {
			data[0] &^= 32 // no big queues
		}
		runBeside(t, data)
	})
}

// groupKey returns the key for a value.
func groupKey(t testing.TB, v any) GroupKey {
	t.Helper()
	k, err := GroupKeyFrom(v)
	require.NoError(t, err)
	return k
}

// takes calls Next until there is nothing more, and returns the messages.
func takes[M any](c *GroupConsumer[M]) (all []M) {
	for m, _, ok := c.Next(); ok; m, _, ok = c.Next() {
		all = append(all, m)
	}
	return all
}

// A disposition that comes late or twice does nothing, even if another message has the same number now.
func TestGroupsLateDispositions(t *testing.T) {
	a := groupKey(t, "A")
	for _, make := range []func(GroupOptions[string]) *Groups[string]{NewAssigned[string], NewShared[string]} {
		g := make(GroupOptions[string]{})
		c := g.Open(nil)
		late := []Ref{{}}
		first, owner := g.Add("first", a)
		require.Nil(t, owner)
		_, _, ok := c.Next()
		require.True(t, ok)
		require.True(t, g.Settle(first))
		late = append(late, first)
		for i := range 200 { // the number is used again
			r, _ := g.Add("next", a)
			require.NotContains(t, late, r, i)
			_, taken, ok := c.Next()
			require.True(t, ok)
			require.Equal(t, r, taken)
			require.True(t, g.MarkPending(r))
			require.True(t, g.Settle(r))
			late = append(late, r)
		}
		waiting, _ := g.Add("waiting", a)
		before := g.Counts()
		for _, r := range late {
			require.False(t, g.Settle(r))
			require.False(t, g.Release(r))
			require.False(t, g.Refuse(r))
			require.False(t, g.MarkPending(r))
			_, _, ok := g.Remove(r)
			require.False(t, ok)
			_, _, ok = g.Get(r)
			require.False(t, ok)
		}
		for _, end := range []func(Ref) bool{g.Settle, g.Release, g.Refuse, g.MarkPending} {
			require.False(t, end(waiting), "a message that is not held")
		}
		require.Equal(t, before, g.Counts())
		require.Equal(t, []string{"waiting"}, takes(c))
		require.True(t, g.Release(waiting))
		require.False(t, g.Release(waiting))
		require.Equal(t, 0, c.Close())
		require.Equal(t, 0, c.Close())
	}
}

// A closed consumer gets, holds and owns nothing. Groups cannot be assigned to it, nor to a consumer of another queue.
func TestGroupsClosedConsumer(t *testing.T) {
	a := groupKey(t, "A")
	g := NewAssigned(GroupOptions[string]{})
	c, other := g.Open(func(string) bool { return true }), NewAssigned(GroupOptions[string]{}).Open(nil)
	g.Add("1", a)
	require.True(t, g.Assign(a, c))
	require.Equal(t, []string{"1"}, takes(c))
	require.Equal(t, 1, c.Close())
	require.False(t, c.Ready())
	_, _, ok := c.Next()
	require.False(t, ok)
	_, _, ok = c.Peek()
	require.False(t, ok)
	for range c.Held() {
		t.Error("it holds a message")
	}
	for range c.Owned() {
		t.Error("it owns a group")
	}
	require.Nil(t, g.Owner(a))
	require.False(t, g.Assign(a, c))
	require.False(t, g.Assign(a, other))
	require.False(t, g.Assign(a, nil))
	var zero GroupConsumer[string]
	require.False(t, g.Assign(a, &zero))
	require.False(t, zero.Ready())
	require.Zero(t, zero.Close())
	require.False(t, g.Assign(GroupKey{}, g.Open(nil)), "ungrouped messages have no owner")
}

// Looking at a queue changes nothing, and loops may end early. Owned is in the order in which the consumer got the groups.
func TestGroupsLookingChangesNothing(t *testing.T) {
	a, b := groupKey(t, "A"), groupKey(t, "B")
	g := NewAssigned(GroupOptions[int]{})
	c := g.Open(nil)
	r1, _ := g.Add(1, a)
	g.Add(2, b)
	g.Add(3, a)
	g.Add(4, b)
	_, taken, _ := c.Next()
	require.True(t, g.Release(taken))
	m, holder, ok := g.Get(taken)
	require.Equal(t, []any{1, true}, []any{m, ok})
	require.Nil(t, holder)
	require.True(t, g.Unassign(a))
	before := g.Counts()
	m, r, ok := c.Peek()
	require.Equal(t, []any{1, r1, true}, []any{m, r, ok})
	require.Equal(t, before, g.Counts())
	for want := 1; want <= 3; want++ {
		m, _, ok = c.Next()
		require.Equal(t, []any{want, true}, []any{m, ok})
	}
	require.Equal(t, []GroupKey{a, b}, slices.Collect(c.Owned()))
	g.Add(5, GroupKey{})
	ends := map[string]func(n *int){
		"Messages": func(n *int) {
			for range g.Messages() {
				*n++
				break
			}
		},
		"Waiting": func(n *int) {
			for range g.Waiting(b) {
				*n++
				break
			}
		},
		"Statuses": func(n *int) {
			for range g.Statuses() {
				*n++
				break
			}
		},
		"Held": func(n *int) {
			for range c.Held() {
				*n++
				break
			}
		},
		"Owned": func(n *int) {
			for range c.Owned() {
				*n++
				break
			}
		},
	}
	for name, end := range ends {
		n := 0
		end(&n)
		require.Equal(t, 1, n, name)
	}
}

// While something of a group that was given up is held, it can be assigned and unassigned again.
func TestGroupsAssignedAgain(t *testing.T) {
	a := groupKey(t, "A")
	g := NewAssigned(GroupOptions[int]{})
	c, d := g.Open(nil), g.Open(nil)
	g.Add(1, a)
	g.Add(2, a)
	_, r, _ := c.Next()
	status := func() GroupStatus[int] {
		s, ok := g.Status(a)
		require.True(t, ok)
		return s
	}
	require.True(t, g.Assign(a, d))
	require.Equal(t, d, status().NextOwner)
	require.True(t, status().GivenUp)
	require.True(t, g.Unassign(a), "from the next owner")
	require.Nil(t, status().NextOwner)
	require.False(t, g.Unassign(a))
	require.True(t, g.Assign(a, d))
	require.True(t, g.Assign(a, c), "to the present owner")
	require.Nil(t, status().NextOwner)
	require.False(t, status().GivenUp)
	require.True(t, c.Ready())
	require.True(t, g.Settle(r))
	require.Equal(t, c, g.Owner(a))

	shared := NewShared(GroupOptions[int]{})
	e := shared.Open(nil)
	require.False(t, shared.Assign(a, e), "a shared group without messages")
	require.Zero(t, shared.Counts())
	first, _ := shared.Add(1, GroupKey{})
	require.True(t, shared.Assign(GroupKey{}, e), "the default group")
	require.Equal(t, e, shared.Owner(GroupKey{}))
	shared.Remove(first)
	require.Zero(t, shared.Counts(), "a shared group without messages")
}

// Closed consumers leave nothing behind.
func TestGroupsManyConsumers(t *testing.T) {
	g := NewAssigned(GroupOptions[int]{})
	var all []*GroupConsumer[int]
	for i := range 10_000 {
		all = append(all, g.Open(func(m int) bool { return m != i }))
	}
	for range 1000 {
		g.Add(1, GroupKey{})
	}
	require.NotZero(t, g.log.Cap())
	for _, c := range all {
		c.Close()
	}
	require.Zero(t, g.consumers.Len())
	require.Zero(t, g.selective)
	require.LessOrEqual(t, g.consumers.Slabs(), 8, "slabs in memory")
	g.Add(1, GroupKey{})
	require.Zero(t, g.log.Cap(), "nobody reads the log")
}

// IdleLimit groups with an owner and no messages are remembered: those that were used last.
func TestGroupsIdleLimit(t *testing.T) {
	g := NewAssigned(GroupOptions[int]{IdleLimit: 2})
	c := g.Open(nil)
	use := func(name string) {
		r, _ := g.Add(0, groupKey(t, name))
		_, _, ok := c.Next()
		require.True(t, ok)
		require.True(t, g.Settle(r))
	}
	owned := func() (names []string) {
		for k := range c.Owned() {
			names = append(names, k.String())
		}
		slices.Sort(names)
		return names
	}
	use("A")
	use("B")
	use("A") // now B has been idle the longest
	require.Equal(t, []string{`"A"`, `"B"`}, owned())
	use("C")
	require.Equal(t, []string{`"A"`, `"C"`}, owned())
	require.Equal(t, GroupCounts{Groups: 2, Idle: 2}, g.Counts())
	r, owner := g.Add(0, groupKey(t, "A")) // not idle any more
	require.Equal(t, c, owner)
	c.Next()
	use("D")
	use("E")
	require.Equal(t, []string{`"A"`, `"D"`, `"E"`}, owned())
	require.Equal(t, GroupCounts{Held: 1, Groups: 3, Idle: 2}, g.Counts())
	require.True(t, g.Release(r))
	_, _, ok := g.Remove(r)
	require.True(t, ok)
	require.Equal(t, []string{`"A"`, `"E"`}, owned())
	c.Close()
	require.Equal(t, GroupCounts{}, g.Counts())
}

// The zero Groups is a FIFO queue with assigned groups.
func TestGroupsZero(t *testing.T) {
	a := groupKey(t, "A")
	raw := rawMessage(t, wire.AppendString(nil, "A"))
	var g Groups[int]
	require.Nil(t, g.Owner(a))
	require.False(t, g.Unassign(a))
	require.Zero(t, g.Counts())
	require.False(t, g.Settle(Ref{1, 1}))
	_, _, ok := g.Remove(Ref{})
	require.False(t, ok)
	k, err := g.Key(raw, GroupIDHeader)
	require.NoError(t, err)
	require.Equal(t, a, k)
	for range g.Messages() {
		t.Error("a message")
	}
	for range g.Statuses() {
		t.Error("a group")
	}
	c, d := g.Open(nil), g.Open(nil)
	require.False(t, c.Ready())
	g.Add(1, a)
	g.Add(2, GroupKey{})
	g.Add(3, a)
	m, r, _ := c.Next()
	require.Equal(t, 1, m)
	require.True(t, g.Settle(r))
	require.Equal(t, c, g.Owner(a), "assigned")
	require.Equal(t, []int{2}, takes(d), "ungrouped")
	require.Equal(t, []int{3}, takes(c))
	require.False(t, new(Groups[int]).Assign(a, c), "a consumer of another queue")
	var other Groups[int]
	require.True(t, other.Assign(a, other.Open(nil)))
}

// Where groups are shared, messages without a group are in the default group, or ungrouped if the queue says so.
func TestGroupsDefault(t *testing.T) {
	for _, test := range []struct {
		o    GroupOptions[int]
		with string // the group that they are in
	}{
		{GroupOptions[int]{}, "qpid.no-group"},
		{GroupOptions[int]{DefaultGroup: "mine"}, "mine"},
		{GroupOptions[int]{Ungrouped: true, DefaultGroup: "mine"}, ""},
	} {
		g := NewShared(test.o)
		c, d := g.Open(nil), g.Open(nil)
		g.Add(1, GroupKey{})
		c.Next()
		g.Add(2, GroupKey{})
		g.Add(3, groupKey(t, "mine"))
		g.Add(4, groupKey(t, "qpid.no-group"))
		want := []int{2, 3, 4}
		switch test.with {
		case "mine":
			want = []int{4}
		case "qpid.no-group":
			want = []int{3}
		}
		require.Equal(t, want, takes(d), "%+v", test.o)
		require.Equal(t, test.with != "", g.Owner(GroupKey{}) == c)
	}
}

// A group that is given up is free when its owner holds nothing of it.
func TestGroupsGivenUp(t *testing.T) {
	a := groupKey(t, "A")
	g := NewAssigned(GroupOptions[int]{})
	c, d := g.Open(nil), g.Open(nil)
	for i := range 5 {
		g.Add(i, a)
	}
	var refs []Ref
	for range 2 {
		_, r, _ := c.Next()
		refs = append(refs, r)
	}
	require.True(t, g.Unassign(a))
	require.False(t, g.Unassign(a), "already given up")
	require.False(t, c.Ready())
	require.False(t, d.Ready())
	require.True(t, g.Settle(refs[1]))
	require.False(t, d.Ready())
	require.True(t, g.Release(refs[0]))
	require.True(t, c.Ready(), "the old owner may own it again")
	require.True(t, d.Ready())
	require.Equal(t, []int{0, 2, 3, 4}, takes(d))
	require.False(t, c.Ready())
	require.False(t, g.Unassign(groupKey(t, "B")), "an unknown group")

	// A group that is assigned goes to nobody else.
	e := g.Open(nil)
	require.True(t, g.Assign(a, e))
	require.Equal(t, d, g.Owner(a))
	g.Add(5, a)
	for _, c := range []*GroupConsumer[int]{c, d, e} {
		require.False(t, c.Ready())
	}
	for r := range d.Held() {
		require.True(t, g.Settle(r))
	}
	require.Equal(t, e, g.Owner(a))
	require.False(t, c.Ready())
	require.Equal(t, []int{5}, takes(e))
}

// A busy group whose owner takes nothing costs the other groups not one comparison, and delays no message of theirs.
func TestGroupsHotGroup(t *testing.T) {
	for name, make := range map[string]func(GroupOptions[int]) *Groups[int]{"assigned": NewAssigned[int], "shared": NewShared[int]} {
		t.Run(name, func(t *testing.T) {
			costs := map[int]int{}
			for _, hot := range []int{1, 1000, 100_000} {
				compared := 0
				g := make(GroupOptions[int]{Compare: func(a, b int) int { compared++; return 0 }})
				stuck, c := g.Open(nil), g.Open(nil)
				g.Add(0, groupKey(t, "hot"))
				stuck.Next()
				for range hot {
					g.Add(0, groupKey(t, "hot"))
				}
				compared = 0
				for i := range 1000 {
					g.Add(i, groupKey(t, i%10))
					g.Add(0, groupKey(t, "hot"))
				}
				for i := range 1000 {
					m, r, ok := c.Next()
					require.True(t, ok)
					require.Equal(t, i, m)
					require.True(t, g.Settle(r))
				}
				require.False(t, c.Ready())
				costs[hot] = compared
			}
			require.Equal(t, costs[1], costs[1000])
			require.Equal(t, costs[1], costs[100_000])
			require.Less(t, costs[1], 1000*20, "comparisons for 1000 messages and 1000 of the busy group")
		})
	}
}

// The number of comparisons for a step does not depend on the number of waiting messages, and grows by a few with ten times
// as many groups.
func TestGroupsComparisons(t *testing.T) {
	cost := func(groups, messages int) int {
		compared := 0
		g := NewShared(GroupOptions[int]{Compare: func(a, b int) int { compared++; return 0 }})
		c := g.Open(nil)
		for i := range messages {
			g.Add(i, groupKey(t, i%groups))
		}
		compared = 0
		const steps = 1000
		for i := range steps {
			g.Add(i, groupKey(t, i%groups))
			_, r, _ := c.Next()
			g.Settle(r)
		}
		return compared / steps
	}
	few, many := cost(100, 1000), cost(100, 100_000)
	require.LessOrEqual(t, many, few+1, "100 times as many messages")
	for groups := 100; groups < 100_000; groups *= 10 {
		require.LessOrEqual(t, cost(groups*10, groups*10), cost(groups, groups*10)+16, "%d groups", groups*10)
	}
}

// accept is called once for a message, and only for the first of each group.
func TestGroupsAcceptCalledOnce(t *testing.T) {
	const groups, each = 1000, 3
	asked := map[int]int{}
	g := NewShared(GroupOptions[int]{})
	c := g.Open(func(m int) bool { asked[m]++; return m < 0 })
	d := g.Open(nil)
	for i := range groups * each {
		g.Add(i, groupKey(t, i%groups))
	}
	for range 3 {
		require.False(t, c.Ready())
		_, r, _ := d.Next()
		require.False(t, c.Ready())
		g.Release(r)
		g.Add(-1, groupKey(t, "late"))
		m, r, ok := c.Next()
		require.True(t, ok)
		require.Equal(t, -1, m)
		g.Settle(r)
	}
	for m, n := range asked {
		if m >= 0 {
			require.Equal(t, 1, n, "message %d", m)
			require.Less(t, m, groups)
		}
	}
	require.Len(t, asked, groups+1)

	// It is not called for messages behind the first that it accepts.
	asked = map[int]int{}
	g = NewShared(GroupOptions[int]{})
	c = g.Open(func(m int) bool { asked[m]++; return m == 2 })
	for i := range 100 {
		g.Add(i, groupKey(t, i))
		g.Add(-i, GroupKey{})
	}
	m, _, ok := c.Next()
	require.True(t, ok)
	require.Equal(t, 2, m)
	require.LessOrEqual(t, len(asked), 6)
}

// The sequence of a group's first message is right however far apart its messages are.
func TestGroupsGaps(t *testing.T) {
	a, b := groupKey(t, "A"), groupKey(t, "B")
	check := func(g *Groups[int], c *GroupConsumer[int], want ...int) {
		t.Helper()
		for s := range g.Statuses() {
			_, _, ok := g.Get(s.Oldest)
			require.True(t, ok, "Oldest of %v", s.Key)
		}
		require.Equal(t, want, takes(c))
	}
	for _, gap := range []uint64{0, 1, math.MaxUint32 - 3, math.MaxUint32 - 2, math.MaxUint32, 1 << 32, 1<<32 + 1, 1 << 40} {
		g := NewAssigned(GroupOptions[int]{})
		c := g.Open(nil)
		first, _ := g.Add(0, a)
		g.sequence += gap
		g.Add(1, b)
		g.Add(2, b)
		g.Add(3, a)
		known := gap + 3
		if known > math.MaxUint32 {
			known = 0
		}
		require.EqualValues(t, known, g.messages.At(first.index).gap)
		check(g, c, 0, 1, 2, 3)
	}
	// A message that comes back has another distance to its next one than before.
	g := NewAssigned(GroupOptions[int]{})
	c := g.Open(nil)
	r, _ := g.Add(0, a)
	g.Add(1, a)
	require.Equal(t, []int{0, 1}, takes(c))
	require.True(t, g.Release(r))
	g.sequence += 1 << 33
	g.Add(2, b)
	g.Add(3, b)
	g.Add(4, a)
	check(g, c, 0, 2, 3, 4)
}

// A selective consumer keeps no more candidates than the queue has messages, however often these come back.
func TestGroupsSelectiveMemory(t *testing.T) {
	g := NewShared(GroupOptions[int]{})
	for i := range 100 {
		g.Add(i, groupKey(t, i))
	}
	c := g.Open(func(int) bool { return true })
	only := func(want int) *GroupConsumer[int] { return g.Open(func(m int) bool { return m == want }) }
	first, second := only(0), only(1)
	_, r, _ := first.Next()
	require.True(t, c.Ready()) // it has judged up to the second message
	g.Release(r)
	for range 10_000 {
		m, r, ok := second.Next()
		require.True(t, ok)
		require.Equal(t, 1, m)
		require.True(t, g.Release(r))
		require.True(t, c.Ready())
	}
	require.Less(t, len(c.candidates), 500)
	require.Less(t, g.log.Cap(), 500)
	require.Len(t, takes(c), 100)
}

// When many messages come back at once, a selective consumer looks at few and asks only about the first.
func TestGroupsManyReturn(t *testing.T) {
	const n = 50_000
	for _, grouped := range []bool{false, true} {
		for _, sorted := range []bool{false, true} {
			t.Run(fmt.Sprintf("grouped %v, sorted %v", grouped, sorted), func(t *testing.T) {
				var o GroupOptions[int]
				compared := 0
				if sorted {
					o.Compare = func(a, b int) int { compared++; return cmp.Compare(a%7, b%7) }
				}
				g := NewAssigned(o)
				var want []int
				asked := map[int]int{}
				c := g.Open(func(m int) bool { asked[m]++; return m%5 != 0 })
				for i := range n {
					k := GroupKey{}
					if grouped {
						k = groupKey(t, i)
					}
					g.Add(i, k)
					if i%5 != 0 {
						want = append(want, i)
					}
				}
				if sorted {
					slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(a%7, b%7) })
				}
				other := g.Open(nil)
				for range n - 1 {
					_, _, ok := other.Next()
					require.True(t, ok)
				}
				c.Ready() // it judges the last one
				require.Equal(t, n-1, other.Close())
				asked, compared = map[int]int{}, 0
				require.True(t, c.Ready())
				require.LessOrEqual(t, len(asked), 3)
				require.Less(t, len(c.candidates), n/feed.PageSize+4*feed.PageSize)
				require.Less(t, compared, n)
				require.Equal(t, want, takes(c))
				for m, times := range asked {
					require.Equal(t, 1, times, "message %d", m)
				}
			})
		}
	}
}

// A consumer that no longer takes messages keeps none alive that have left a FIFO queue, and two in other queues: those up to
// which it has judged.
func TestGroupsKeepsNothingAlive(t *testing.T) {
	const n = 5000
	type big [10_000]byte
	compare := func(a, b *big) int { return cmp.Compare(a[0], b[0]) }
	for _, test := range []struct {
		name    string
		compare func(a, b *big) int
		most    int
	}{{"FIFO", nil, 0}, {"sorted", compare, 2}} {
		t.Run(test.name, func(t *testing.T) {
			alive := heapInUse()
			g := NewAssigned(GroupOptions[*big]{Compare: test.compare})
			idle := g.Open(func(*big) bool { return true })
			var all []weak.Pointer[big]
			for i := range n {
				k := GroupKey{}
				if i%2 == 0 {
					k = groupKey(t, i)
				}
				m := &big{byte(i)}
				all = append(all, weak.Make(m))
				g.Add(m, k)
			}
			idle.Ready()
			other := g.Open(nil)
			for range n - 1 {
				other.Next()
			}
			idle.Ready()
			other.Close()
			idle.Ready()
			require.Greater(t, heapInUse()-alive, n*len(big{}), "bytes of waiting messages")
			other = g.Open(nil)
			for {
				_, r, ok := other.Next()
				if !ok {
					break
				}
				require.True(t, g.Settle(r))
			}
			other.Close()
			left := heapInUse() - alive
			require.Less(t, left, test.most*len(big{})+300_000, "bytes left of an empty queue")
			kept := 0
			for _, m := range all {
				if m.Value() != nil {
					kept++
				}
			}
			require.LessOrEqual(t, kept, test.most, "messages")
			require.Less(t, g.log.Cap(), 2000)
			require.Less(t, cap(idle.candidates), 6000)
			idle.Close()
			require.Zero(t, g.log.Cap(), "nobody reads the log")
			runtime.KeepAlive(g)
		})
	}
}

// A selective consumer that stays for one message costs what it looks at, not what waits in the queue. No consumer misses
// a free message while the log grows.
func TestGroupsLogGrows(t *testing.T) {
	const n = 100_000
	for _, ungrouped := range []bool{false, true} {
		g := NewShared(GroupOptions[int]{Ungrouped: true})
		key := func(i int) GroupKey {
			if ungrouped {
				return GroupKey{}
			}
			return groupKey(t, i)
		}
		for i := range n {
			g.Add(i, key(i))
		}
		for range 10 {
			c := g.Open(func(m int) bool { return m > 2 })
			for range 3 {
				m, r, ok := c.Next()
				require.True(t, ok)
				require.Equal(t, 3, m)
				require.True(t, g.Release(r))
			}
			require.LessOrEqual(t, g.log.Cap(), feed.PageSize)
			c.Next()
			require.Equal(t, 1, c.Close())
			require.Zero(t, g.log.Cap())
		}

		// One reads the log all the time and one at the end, while its ring doubles ten times, starting at any entry.
		often, seldom := g.Open(func(m int) bool { return m >= n }), g.Open(func(m int) bool { return m >= n })
		require.False(t, often.Ready() || seldom.Ready())
		other := g.Open(nil)
		var held []Ref
		for range 3000 {
			_, r, ok := other.Next()
			require.True(t, ok)
			held = append(held, r)
		}
		for i, r := range held[:1500] {
			require.True(t, g.Release(r))
			if i%7 == 0 {
				require.False(t, often.Ready())
			}
		}
		g.Add(n+1, key(n+1))
		for _, r := range held[1500:] {
			require.True(t, g.Release(r))
		}
		g.Add(n, key(n))
		require.LessOrEqual(t, g.log.Cap(), 4096)
		for _, c := range []*GroupConsumer[int]{often, seldom} {
			m, r, ok := c.Next()
			require.True(t, ok)
			require.Equal(t, n+1, m)
			require.True(t, g.Release(r))
			m, _, ok = c.Peek()
			require.True(t, ok)
			require.Equal(t, n+1, m, "the older one first")
		}
		require.Equal(t, []int{n + 1, n}, takes(often))
		require.False(t, seldom.Ready())
		require.Equal(t, 2, often.Close())
		require.Equal(t, []int{n + 1, n}, takes(seldom))
	}
}

// Groups.selective has the selective consumers, however these and others come and go.
func TestGroupsSelectiveConsumers(t *testing.T) {
	g := NewAssigned(GroupOptions[int]{})
	var open []*GroupConsumer[int]
	rnd := rand.New(rand.NewPCG(1, 2))
	most := 0
	for i := range 2000 {
		switch n := len(open); {
		case n == 0 || rnd.IntN(3) > 0 && i < 1500:
			accept := func(int) bool { return true }
			if rnd.IntN(2) == 0 {
				accept = nil
			}
			open = append(open, g.Open(accept))
		case rnd.IntN(2) == 0:
			g.Add(i, GroupKey{})
			_, r, _ := open[rnd.IntN(n)].Next()
			g.Refuse(r)
		default:
			at := rnd.IntN(n)
			open[at].Close()
			open[at] = open[n-1]
			open = open[:n-1]
		}
		selective := 0
		for _, c := range open {
			if c.selective {
				require.Same(t, c, g.selective[c.selectiveAt])
				selective++
			}
		}
		require.Len(t, g.selective, selective)
		most = max(most, selective)
	}
	require.Greater(t, most, 100)
}

// The message up to which a consumer has judged a FIFO queue is not kept alive either.
func TestGroupsKeepsNoSingleMessageAlive(t *testing.T) {
	type big [10_000]byte
	g := NewAssigned(GroupOptions[*big]{})
	idle, other := g.Open(func(*big) bool { return true }), g.Open(nil)
	add := func() weak.Pointer[big] {
		m := new(big)
		g.Add(m, GroupKey{})
		return weak.Make(m)
	}
	m := add()
	require.True(t, idle.Ready())
	_, r, _ := other.Next()
	require.True(t, g.Settle(r))
	runtime.GC()
	require.Nil(t, m.Value())
	runtime.KeepAlive(idle)
}

// A page of the log is read even if its first message has left and another one has its number.
func TestGroupsFirstOfPageGone(t *testing.T) {
	g := NewAssigned(GroupOptions[int]{Compare: cmp.Compare[int]})
	c := g.Open(func(int) bool { return true })
	add := func(m int) Ref {
		r, _ := g.Add(m, GroupKey{})
		return r
	}
	add(50)
	for m := 1000; m < 1300 || g.log.End()%feed.PageSize != 0; m++ { // until the ring is large and a page begins
		add(m)
		require.True(t, c.Ready())
	}
	require.Less(t, g.log.End()+feed.PageSize, uint64(g.log.Cap()), "no entries are dropped")
	first := add(1)
	for m := 2; m <= feed.PageSize; m++ {
		add(m)
	}
	g.Remove(first)
	require.Equal(t, first.index, add(2000).index)
	for want := 2; want <= feed.PageSize; want++ {
		m, _, ok := c.Next()
		require.True(t, ok)
		require.Equal(t, want, m)
		if want == 50 { // there are two of these
			m, _, _ = c.Next()
			require.Equal(t, 50, m)
		}
	}
}

// Many messages come back at once, with selective consumers, and others leave meanwhile.
func TestManyReturnBesideNaive(t *testing.T) {
	for seed := range uint64(32) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 5))
			data := []byte{byte(seed) | 32 | 64}
			op := func(n byte, arg int) { data = append(data, n, byte(arg), byte(arg>>8)) }
			op(16, 7) // it accepts all; the next ones, some
			for _, colours := range []int{1, 2, 3, 6} {
				op(16, colours)
			}
			open := 5
			for range 400 {
				op(0, rnd.IntN(1<<16))
			}
			taker := 0
			for range 4 {
				for range 350 {
					op(5, taker)
				}
				for range 20 { // the others look
					op(5, rnd.IntN(1<<16))
				}
				op(18, taker)
				for range 60 {
					n := []byte{0, 10, 128 + 10, 128 + 12, 128 + 13, 15, 15, 15}[rnd.IntN(8)]
					op(n, rnd.IntN(1<<16))
				}
				for range 10 {
					op(5, rnd.IntN(1<<16))
				}
				op(16, 7)
				taker = open
				open++
			}
			runBeside(t, data)
		})
	}
}

// A consumer misses nothing of a page that it had not read when the log dropped it.
func TestGroupsUnreadPageDropped(t *testing.T) {
	g := NewAssigned(GroupOptions[int]{})
	c := g.Open(func(int) bool { return true })
	var want []int
	for i := range 1000 {
		g.Add(i, GroupKey{})
		want = append(want, i)
	}
	for range 2 { // the first time, the ring grows
		all := g.Open(nil)
		for range 899 {
			all.Next()
		}
		require.True(t, c.Ready()) // it judges up to one behind these
		all.Close()
		require.True(t, c.Ready())
	}
	for round := range 8 {
		m, _, _ := c.Peek()
		require.Equal(t, 0, m)
		some := g.Open(func(m int) bool { return m > 600 && m < 900 || round == 0 && m > 0 && m < 300 })
		takes(some)
		some.Close()
	}
	require.Equal(t, want, takes(c))
}

// A Compare that never returns 0 is taken at its word, and Remove takes out the right messages.
func TestGroupsCompareNever0(t *testing.T) {
	type message struct{ priority, id int }
	for _, alike := range []int{-1, 1} {
		for _, grouped := range []bool{false, true} {
			compare := func(a, b message) int {
				if c := cmp.Compare(b.priority, a.priority); c != 0 {
					return c
				}
				return alike
			}
			g := NewAssigned(GroupOptions[message]{Compare: compare})
			c := g.Open(nil)
			var want []message
			var refs []Ref
			for i := range 1000 {
				k := GroupKey{}
				if grouped {
					k = groupKey(t, i%100)
				}
				m := message{i % 3, i}
				r, _ := g.Add(m, k)
				refs = append(refs, r)
				if i%10 != 0 {
					want = append(want, m)
				}
			}
			slices.SortFunc(want, func(a, b message) int { // -1: as they came; 1: the last that came first
				return cmp.Or(cmp.Compare(b.priority, a.priority), -alike*cmp.Compare(a.id, b.id))
			})
			for i := 0; i < 1000; i += 10 {
				m, _, ok := g.Remove(refs[i])
				require.True(t, ok)
				require.Equal(t, i, m.id)
			}
			var all []message
			for _, m := range g.Messages() {
				all = append(all, m)
			}
			require.Equal(t, want, all)
			require.Equal(t, want, takes(c))
			require.Equal(t, 900, c.Close())
			require.Equal(t, want, takes(g.Open(nil)))
		}
	}
}

// A loop over a queue ends even if the order changes meanwhile.
func TestGroupsCompareChanges(t *testing.T) {
	reverse := false
	g := NewAssigned(GroupOptions[int]{Compare: func(a, b int) int {
		if reverse {
			return cmp.Compare(b, a)
		}
		return cmp.Compare(a, b)
	}})
	for i := range 3 {
		g.Add(i, GroupKey{})
	}
	seen := 0
	for _, m := range g.Messages() {
		reverse = m == 1 // so that what comes after 2 is 0
		seen++
		require.LessOrEqual(t, seen, 3)
	}
}

// With a Compare that returns anything, no message is lost or given twice, and every call ends.
func TestGroupsCompareContradicts(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		g := NewShared(GroupOptions[int]{Ungrouped: true, Compare: func(a, b int) int { return rnd.IntN(3) - 1 }})
		c, picky := g.Open(nil), g.Open(func(m int) bool { return m%2 == 0 })
		var refs []Ref
		left := map[int]bool{}
		for i := range 500 {
			k := GroupKey{}
			if i%2 == 0 {
				k = groupKey(t, i%20)
			}
			r, _ := g.Add(i, k)
			refs = append(refs, r)
			left[i] = true
		}
		for i := 0; i < 500; i += 7 {
			m, _, ok := g.Remove(refs[i])
			require.True(t, ok)
			require.Equal(t, i, m)
			delete(left, m)
		}
		seen := 0
		for range g.Messages() {
			seen++
		}
		require.LessOrEqual(t, seen, len(left))
		for range 300 {
			for _, c := range []*GroupConsumer[int]{c, picky} {
				if m, r, ok := c.Next(); ok && rnd.IntN(2) == 0 {
					require.True(t, left[m])
					require.True(t, g.Settle(r))
					delete(left, m)
				}
			}
		}
		c.Close()
		picky.Close()
		last := g.Open(nil)
		for len(left) > 0 {
			m, r, ok := last.Next()
			require.True(t, ok, "%d messages are left", len(left))
			require.True(t, left[m])
			require.True(t, g.Settle(r))
			delete(left, m)
		}
		require.Zero(t, g.Counts())
	}
}

// A queue with few groups left of many finds these, and keeps little memory for the others.
func TestGroupsFewLeftOfMany(t *testing.T) {
	const many = 100_000
	keys := groupNames(many)
	before := heapInUse()
	g := NewShared(GroupOptions[uint64]{})
	var refs []Ref
	for i, k := range keys {
		r, _ := g.Add(uint64(i), k)
		refs = append(refs, r)
	}
	full := heapInUse() - before
	left := map[GroupKey]Ref{}
	for i, r := range refs {
		if i%5000 == 7 {
			left[keys[i]] = r
		} else {
			g.Remove(r)
		}
	}
	require.Less(t, (heapInUse()-before-cap(refs)*16)*20, full)
	require.Equal(t, len(left), g.Counts().Groups)
	for s := range g.Statuses() {
		require.Equal(t, left[s.Key], s.Oldest)
	}
	for k, r := range left { // each is found: a second message joins the first
		g.Add(1, k)
		require.Equal(t, len(left), g.Counts().Groups)
		m, _, ok := g.Remove(r)
		require.True(t, ok)
		require.Equal(t, keys[m], k)
	}
	runtime.KeepAlive(keys)
}

// Many messages in many groups come and go, those of each group in order. Then the memory is freed.
func TestGroupsBurst(t *testing.T) {
	const groups, messages = 10_000, 100_000
	keys := groupNames(groups)
	for name, make := range map[string]func(GroupOptions[uint64]) *Groups[uint64]{"assigned": NewAssigned[uint64], "shared": NewShared[uint64]} {
		t.Run(name, func(t *testing.T) {
			g := make(GroupOptions[uint64]{IdleLimit: 1})
			rnd := rand.New(rand.NewPCG(1, 2))
			picky := func(m uint64) bool { return m%16 < 15 }
			consumers := []*GroupConsumer[uint64]{g.Open(nil), g.Open(nil), g.Open(picky), g.Open(nil)}
			small := heapInUse()
			for round := range 2 {
				last := map[uint64]uint64{} // by group, the message that was settled last
				sent, settled := 0, 0
				for settled < messages {
					if sent < messages && (settled < sent/4 || rnd.IntN(3) > 0) {
						n := uint64(rnd.IntN(groups))
						sent++
						g.Add(n<<32|uint64(sent), keys[n])
						continue
					}
					c := consumers[rnd.IntN(len(consumers))]
					m, r, ok := c.Next()
					switch {
					case !ok && sent == messages && !slices.ContainsFunc(consumers, (*GroupConsumer[uint64]).Ready):
						t.Fatalf("no consumer is ready, but %d messages are left", messages-settled)
					case !ok:
					case rnd.IntN(8) == 0:
						require.True(t, g.Release(r))
					default:
						require.Less(t, last[m>>32], m, "group %d", m>>32)
						last[m>>32] = m
						require.True(t, g.Settle(r))
						settled++
					}
					if rnd.IntN(5000) == 0 {
						c.Close()
						i := slices.Index(consumers, c)
						consumers[i] = g.Open(map[bool]func(uint64) bool{true: picky}[i == 2])
					}
				}
				counts := g.Counts()
				counts.Groups, counts.Idle = counts.Groups-counts.Idle, 0
				require.Zero(t, counts, "round %d", round)
			}
			require.Less(t, heapInUse()-small, 400_000, "bytes kept of some 5 million")
			runtime.KeepAlive(g)
		})
	}
}

// heapInUse returns the number of bytes in use.
func heapInUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The documentation is right about memory. A message is 8 bytes, and one more byte is allowed for what grows in steps.
func TestGroupsMemory(t *testing.T) {
	const many = 200_000
	keys := groupNames(many)
	add := func(groups int) func(g *Groups[uint64]) any {
		return func(g *Groups[uint64]) any {
			for i := range uint64(many) {
				k := GroupKey{}
				if groups > 0 {
					k = keys[i%uint64(groups)]
				}
				g.Add(i, k)
			}
			return nil
		}
	}
	take := func(g *Groups[uint64], c *GroupConsumer[uint64]) {
		for range many {
			if _, _, ok := c.Next(); !ok {
				t.Fatal("no message")
			}
		}
	}
	for _, test := range []struct {
		name    string
		compare bool
		most    float64
		f       func(g *Groups[uint64]) any
	}{
		{"waits, 1 group", false, 34 + 8, add(1)},
		{"waits, 1000 groups", false, 34 + 8 + 182.0*1000/many, add(1000)},
		{"waits, ungrouped", false, 39 + 8, add(0)},
		{"waits, 1 group, by priority", true, 44 + 8, add(1)},
		{"is held", false, 34 + 8 + 182.0*1000/many, func(g *Groups[uint64]) any {
			add(1000)(g)
			take(g, g.Open(nil))
			return nil
		}},
		{"came back", false, 44 + 8, func(g *Groups[uint64]) any {
			add(1)(g)
			c := g.Open(nil)
			take(g, c)
			c.Close()
			return nil
		}},
		{"waits, in a group of its own", false, 34 + 8 + 182, add(many)},
		{"waits, ungrouped, refused by a consumer", false, 39 + 8 + 8 + 9, func(g *Groups[uint64]) any {
			c := g.Open(func(uint64) bool { return false })
			add(0)(g)
			c.Ready()
			return c
		}},
	} {
		var o GroupOptions[uint64]
		if test.compare {
			o.Compare = func(a, b uint64) int { return cmp.Compare(a%10, b%10) }
		}
		before := heapInUse()
		g := NewAssigned(o)
		kept := test.f(g)
		each := float64(heapInUse()-before) / many
		t.Logf("a message that %s: %.1f bytes", test.name, each)
		require.LessOrEqual(t, each, test.most+1, test.name)
		least := 0.85
		if math.MaxInt == math.MaxInt32 { // the documentation assumes 64 bits
			least = 0.75
		}
		require.Greater(t, each, test.most*least, test.name+": the documentation overstates it")
		runtime.KeepAlive(g)
		runtime.KeepAlive(kept)
	}

	// While one message in 64 of a burst stays, no more memory is kept than the burst took. Without these, all is freed.
	before := heapInUse()
	g := NewAssigned(GroupOptions[uint64]{})
	refs := make([]Ref, 0, many)
	for i := range uint64(many) {
		r, _ := g.Add(i, GroupKey{})
		refs = append(refs, r)
	}
	peak := heapInUse()
	for i, r := range refs {
		if i%64 != 5 {
			g.Remove(r)
		}
	}
	require.LessOrEqual(t, heapInUse(), peak)
	for _, r := range refs {
		g.Remove(r)
	}
	require.Less(t, heapInUse()-before, 16*many+300_000, "bytes kept for the Refs and spare slabs")
	runtime.KeepAlive(refs)
	runtime.KeepAlive(g)
	runtime.KeepAlive(keys)
}

// A queue that has its size allocates nothing.
func TestGroupsAllocations(t *testing.T) {
	keys := groupNames(500)
	for name, make := range map[string]func(GroupOptions[uint64]) *Groups[uint64]{"assigned": NewAssigned[uint64], "shared": NewShared[uint64]} {
		g := make(GroupOptions[uint64]{})
		a, b := g.Open(nil), g.Open(func(m uint64) bool { return m%2 == 0 })
		n := uint64(0)
		step := func() {
			n++
			g.Add(n, keys[n%uint64(len(keys))])
			for _, c := range []*GroupConsumer[uint64]{a, b} {
				if _, r, ok := c.Next(); ok {
					switch n % 8 {
					case 0:
						g.Release(r)
					case 1:
						g.MarkPending(r)
						fallthrough
					default:
						g.Settle(r)
					}
				}
			}
		}
		for range 20_000 {
			step()
		}
		require.Zero(t, testing.AllocsPerRun(10_000, step), name)
	}

	g := NewAssigned(GroupOptions[int]{})
	text := rawMessage(t, wire.AppendString(nil, "group A"), "k", RawValue(wire.AppendUUID(nil, uuid.New())))
	for _, header := range []string{GroupIDHeader, "k"} {
		k, err := text.GroupKey(header)
		require.NoError(t, err)
		g.Add(1, k)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if known, err := g.Key(text, header); err != nil || known != k {
				t.Error(known, err)
			}
		}), header)
	}
	id := "A"
	message := &amqp.Message{
		Properties:            &amqp.MessageProperties{GroupID: &id},
		ApplicationProperties: map[string]any{"k": int64(7)},
	}
	for _, header := range []string{GroupIDHeader, "k", "other"} {
		require.Zero(t, testing.AllocsPerRun(100, func() { GroupKeyOf(message, header) }), header)
	}
}

// Long numbers are written in full, floats as short as possible.
func TestGroupKeyString(t *testing.T) {
	for want, v := range map[string]any{
		"timestamp 1700000000000":  time.UnixMilli(1_700_000_000_000),
		"timestamp -1700000000000": time.UnixMilli(-1_700_000_000_000),
		"float 1e+100":             1e100,
		"float -2.5":               -2.5,
	} {
		require.Equal(t, want, groupKey(t, v).String())
	}
}

// A page of the log stands where its first message does, and is read at once if that has left.
func TestGroupsFirstOfPage(t *testing.T) {
	for _, gone := range []bool{false, true} {
		g := NewAssigned(GroupOptions[int]{Compare: cmp.Compare[int]})
		c := g.Open(func(int) bool { return true })
		add := func(m int) Ref {
			r, _ := g.Add(m, GroupKey{})
			return r
		}
		add(50)
		for m := 1000; m < 1300 || g.log.End()%feed.PageSize != 0; m++ { // until the ring is large and a page begins
			add(m)
			require.True(t, c.Ready())
		}
		first := add(1)
		want := []int{1, 30, 40, 50, 60}
		if gone {
			add(2)
			g.Remove(first)
			require.Equal(t, first.index, add(2000).index)
			want[0] = 2
		}
		add(40)
		for m := 60; g.log.End()%feed.PageSize != 0; m++ {
			add(m)
		}
		add(30) // on the next page
		for _, want := range want {
			m, _, ok := c.Next()
			require.True(t, ok)
			require.Equal(t, want, m)
		}
	}
}

// Wherever in a page a consumer stops reading the log, it misses nothing afterwards, and takes all in order.
func TestGroupsLogReadInParts(t *testing.T) {
	for _, stop := range []uint64{0, 1, 10, 62, 63} {
		for _, early := range []int{0, 1, 53, 70, 127} {
			g := NewAssigned(GroupOptions[int]{})
			c, other := g.Open(func(int) bool { return true }), g.Open(nil)
			const n = 1000
			var held []Ref
			for m := range n {
				g.Add(m, GroupKey{})
			}
			for range n - 1 {
				_, r, _ := other.Next()
				held = append(held, r)
			}
			require.True(t, c.Ready()) // it has judged up to the last
			want := []int{5, 300, n - 1}
			release := func(m int) {
				require.True(t, g.Release(held[m]))
				if m != 5 && m != 300 {
					want = append(want, m)
				}
			}
			release(300)
			next := 600
			for ; next < 900 || g.log.End()%feed.PageSize != stop; next++ {
				release(next)
			}
			require.True(t, c.Ready())
			for i := range 2 * feed.PageSize {
				if i == early {
					release(5)
				} else {
					release(400 + i)
				}
				if i == 2*feed.PageSize-1 || i == early && early == 0 {
					require.True(t, c.Ready())
				}
			}
			slices.Sort(want)
			require.Equal(t, want, takes(c), "stopped at %d, %d entries later", stop, early)
		}
	}
}

// A consumer misses no message whose entry was dropped before it read that.
func TestGroupsEntryDropped(t *testing.T) {
	g := NewAssigned(GroupOptions[int]{})
	c, other := g.Open(func(int) bool { return true }), g.Open(nil)
	for m := range 10 {
		g.Add(m, GroupKey{})
	}
	_, first, _ := other.Next()
	_, second, _ := other.Next()
	m, _, _ := c.Peek()
	require.Equal(t, 2, m)
	require.True(t, g.Release(first))
	picky := g.Open(func(m int) bool { return m == 1 })
	for range 1000 {
		require.True(t, g.Release(second))
		_, second, _ = picky.Next()
	}
	require.Equal(t, []int{0, 2, 3, 4, 5, 6, 7, 8, 9}, takes(c))
}
