package goamqp

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// pair is a described value of the caller's own type.
type pair struct{ descriptor, value any }

func describe(v any) (descriptor, value any, ok bool) {
	p, ok := v.(pair)
	return p.descriptor, p.value, ok
}

// sent returns what go-amqp reads of a value that it has written.
func sent(v any) (got any, err error) {
	defer func() {
		if r := recover(); r != nil {
			got, err = nil, fmt.Errorf("go-amqp panics: %v", r)
		}
	}()
	b, err := (&amqp.Message{Value: []any{v}}).MarshalBinary()
	if err != nil {
		return nil, err
	}
	var m amqp.Message
	if err := m.UnmarshalBinary(b); err != nil {
		return nil, err
	}
	return m.Value.([]any)[0], nil
}

// text writes a value so that two are equal if go-amqp shows no difference between them: a
// symbol reads as a string, an int as an int64, a timestamp in milliseconds.
func text(v any) string {
	list := func(n int, at func(int) any) string {
		var s []string
		for i := range n {
			s = append(s, text(at(i)))
		}
		return "[" + strings.Join(s, " ") + "]"
	}
	if descriptor, value, ok := describe(v); ok {
		return "(" + text(descriptor) + ")" + text(value)
	}
	switch v := v.(type) {
	case nil, amqp.Null:
		return "null"
	case string:
		return fmt.Sprintf("%q", v)
	case amqp.Symbol:
		return fmt.Sprintf("%q", string(v))
	case amqp.ErrCond:
		return fmt.Sprintf("%q", string(v))
	case int:
		return text(int64(v))
	case uint:
		return text(uint64(v))
	case float32:
		return fmt.Sprintf("float32 %x", math.Float32bits(v))
	case float64:
		return fmt.Sprintf("float64 %x", math.Float64bits(v))
	case time.Time:
		return fmt.Sprintf("time %d.%03d", v.Unix(), v.Nanosecond()/1e6)
	case []byte:
		return fmt.Sprintf("binary %x", v)
	case amqp.UUID:
		return "uuid " + v.String()
	}
	if out, f := (Writer{Describe: describe}).Value(v); f == nil {
		v = out // with described values of go-amqp's own
	}
	if descriptor, value, ok := Described(v); ok {
		return "(" + text(descriptor) + ")" + text(value)
	}
	if b, ok := UbyteArray(v); ok {
		return fmt.Sprintf("ubytes %x", b)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice:
		return r.Type().String() + list(r.Len(), func(i int) any { return r.Index(i).Interface() })
	case reflect.Map:
		var s []string
		for k, e := range r.Seq2() {
			s = append(s, text(k.Interface())+": "+text(e.Interface()))
		}
		slices.Sort(s)
		return "map[" + strings.Join(s, " ") + "]"
	case reflect.Pointer:
		return text(r.Elem().Interface())
	}
	return fmt.Sprintf("%T %v", v, v)
}

// Each value that is passed is read as it was, and each that is refused would have been lost.
func TestValue(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	low, word := []int32{1, -200}, "a"
	for _, row := range []struct {
		rule string
		v    any
		err  error // nil: written
	}{
		{"null", nil, nil},
		{"null", amqp.Null{}, nil},
		{"every scalar", []any{true, int8(-1), int16(-2), int32(-300), int64(-4), uint8(1), uint16(2), uint32(300), uint64(1 << 63), float32(1.5), 2.5}, nil},
		{"every scalar", []any{"s", amqp.Symbol("s"), []byte{1}, []byte{}, year(2026), amqp.UUID{1}, math.NaN()}, nil},
		{"every array", []any{[]bool{true}, []int8{-1}, []int16{-2}, []int32{-3}, []int64{-4}, []uint16{1}, []uint32{2}, []uint64{3}}, nil},
		{"every array", []any{[]float32{1}, []float64{2}, []string{"a"}, []amqp.Symbol{"a"}, [][]byte{{1}}, []time.Time{year(2026)}, []amqp.UUID{{1}}}, nil},
		{"maps", []any{map[string]any{"a": nil}, map[any]any{int32(1): "x", true: 1.5}, map[amqp.Symbol]any{"a": 1}, []map[any]any{{"a": "b"}, {}}}, nil},
		{"Go's own integers", []any{1, uint(2), math.MinInt}, nil},
		{"a pointer", []any{&word, &[]any{1}}, nil},
		{"an error", &amqp.Error{Condition: "amqp:a", Info: map[string]any{"a": int8(1)}}, nil},
		{"delivery states", []any{&amqp.StateAccepted{}, &amqp.StateReleased{}, &amqp.StateReceived{SectionNumber: 1}, &amqp.StateRejected{},
			&amqp.StateRejected{Error: &amqp.Error{Condition: "b"}}, &amqp.StateModified{DeliveryFailed: true, MessageAnnotations: amqp.Annotations{"a": true, int64(1): 1}}}, nil},
		{"described", pair{amqp.Symbol("a"), int64(1)}, nil},
		{"described", map[any]any{nil: pair{"a", nil}, pair{"b", int8(1)}: int8(2)}, nil},
		{"described", []any{pair{"a", map[string]any{"b": pair{uint64(1 << 40), nil}}}}, nil},
		{"the zero time is that of the year 1", time.Time{}, nil},
		{"an error condition", amqp.ErrCond("a"), nil},

		{"invalid UTF-8", "a\xff", ErrNotUTF8},
		{"invalid UTF-8", []string{"a", "\xff"}, ErrNotUTF8},
		{"invalid UTF-8", map[string]any{"\xff": 1}, ErrNotUTF8},
		{"invalid UTF-8", map[any]any{"\xff": 1}, ErrNotUTF8},
		{"invalid UTF-8", &amqp.Error{Condition: "a", Description: "\xff"}, ErrNotUTF8},
		{"invalid UTF-8", pair{uint64(1), "\xff"}, ErrNotUTF8},
		{"an array of int", low, ErrNotWritten},
		{"an array of int", []int64{-129}, ErrNotWritten},
		{"an array of int", []any{pair{uint64(1), low}}, ErrNotWritten},
		{"an array of timestamp", []time.Time{year(1677)}, ErrNotWritten},
		{"an array of timestamp", []time.Time{time.UnixMilli(-1).Add(1)}, ErrNotWritten},
		{"a time beyond timestamps", time.Unix(math.MaxInt64/100, 0), ErrNotWritten},
		{"a key of annotations", &amqp.StateModified{MessageAnnotations: amqp.Annotations{uint64(1): true}}, ErrNotWritten},
		{"a key of annotations", amqp.Annotations{int32(1): true}, ErrNotWritten},
		{"a key that points at a list", map[any]any{pair{"a", &[]any{1}}: 1}, ErrNotWritten},
		{"a nil pointer", (*string)(nil), ErrNil},
		{"a nil pointer", (*amqp.Error)(nil), ErrNil},
		{"a nil pointer", (*amqp.StateRejected)(nil), ErrNil},
		{"a nil pointer", (*amqp.StateModified)(nil), ErrNil},
		{"no AMQP type", struct{}{}, ErrNoType},
		{"no AMQP type", uuid.UUID{1}, ErrNoType},
		{"no AMQP type", []int{1}, ErrNoType},
		{"no AMQP type", map[string]string{}, ErrNoType},
		{"no AMQP type", amqp.Error{}, ErrNoType},
		{"no AMQP type", time.Second, ErrNoType},
		{"a pointer to a pointer", new(*string), ErrNoType},
		{"a pointer to an interface", new(any), ErrNoType},
	} {
		out, f := Writer{Describe: describe}.Value(row.v)
		if row.err == nil {
			require.Nil(t, f, "%s: %T", row.rule, row.v)
			got, err := sent(out)
			require.NoError(t, err, "%s: %T", row.rule, row.v)
			require.Equal(t, text(row.v), text(got), row.rule)
			continue
		}
		require.NotNil(t, f, "%s: %T", row.rule, row.v)
		require.Equal(t, row.err, f.Err, "%s: %T", row.rule, row.v)
		require.Nil(t, out)
		if p, ok := row.v.(pair); ok {
			row.v = NewDescribed(p.descriptor, p.value)
		}
		if got, err := sent(row.v); err == nil {
			require.NotEqual(t, text(row.v), text(got), "%s: refused and not lost: %T", row.rule, row.v)
		}
	}
}

func TestStrict(t *testing.T) {
	word := "a"
	for _, v := range []any{1, uint(1), &word, amqp.Annotations{}, map[amqp.Symbol]any{}, amqp.ErrCond("a"), []any{1}, map[string]any{"a": uint(1)}, pair{uint64(1), 1}} {
		_, f := Writer{Strict: true, Describe: describe}.Value(v)
		require.NotNil(t, f, "%T", v)
		require.Equal(t, ErrNoType, f.Err, "%T", v)
		_, f = Writer{Describe: describe}.Value(v)
		require.Nil(t, f, "%T", v)
	}
	_, f := Writer{Strict: true}.Value(pair{"a", nil})
	require.Equal(t, ErrNoType, f.Err, "a described value of a type that nobody reads")
}

// Symbols are ASCII [amqp 1.6.21], which go-amqp does not look at.
func TestSymbols(t *testing.T) {
	for _, v := range []any{amqp.Symbol("\u00fc"), []amqp.Symbol{"a", "\x80"}, map[amqp.Symbol]any{"\u00fc": 1}, amqp.ErrCond("\u00fc"), pair{"\u00fc", nil},
		&amqp.Error{Condition: "\u00fc"}} {
		_, f := Writer{Describe: describe}.Value(v)
		require.NotNil(t, f, "%T", v)
		require.Equal(t, ErrNotASCII, f.Err, "%T", v)
	}
}

// A symbol that describes a value stays one, wherever it stands, and what m holds is not changed.
func TestDescriptors(t *testing.T) {
	const uri = `0053` + `77` + `00a311636f6d2e6d6963726f736f66743a75726c` + `a10161`
	in, err := hex.DecodeString(strings.Replace(uri, "75726c", "757269", 1))
	require.NoError(t, err)
	var m amqp.Message
	require.NoError(t, m.UnmarshalBinary(in[:]))
	descriptor, value, ok := Described(m.Value)
	require.True(t, ok)
	require.Equal(t, amqp.Symbol("com.microsoft:uri"), descriptor)
	require.Equal(t, "a", value)

	d, symbol := m.Value, `00a311`+hex.EncodeToString([]byte("com.microsoft:uri"))+`a10161`
	for _, put := range []amqp.Message{
		{Value: d},
		{Value: []any{"x", d}},
		{Value: map[string]any{"k": []any{d}}},
		{Value: map[any]any{int8(1): d}},
		{Value: map[any]any{d: int8(1)}},
		{Value: map[amqp.Symbol]any{"k": d}},
		{Value: amqp.Annotations{"k": d}},
		{Value: []map[any]any{{}, {"k": d}}},
		{Value: &d},
		{Value: &[]any{d}},
		{Value: NewDescribed(uint64(1<<40), d)},
		{Value: &amqp.Error{Condition: "a", Info: map[string]any{"k": d}}},
		{Value: &amqp.StateRejected{Error: &amqp.Error{Condition: "a", Info: map[string]any{"k": d}}}},
		{Value: &amqp.StateModified{MessageAnnotations: amqp.Annotations{"k": d}}},
		{Sequence: [][]any{{}, {d}, {}}},
		{ApplicationProperties: map[string]any{"k": d}},
		{Annotations: amqp.Annotations{"k": d}},
		{DeliveryAnnotations: amqp.Annotations{"k": d}},
		{Footer: amqp.Annotations{"k": d}},
	} {
		if p, ok := put.Value.(*any); ok {
			_, f := Writer{}.Value(p)
			require.Equal(t, ErrNoType, f.Err)
			continue
		}
		was, err := put.MarshalBinary()
		require.NoError(t, err)
		require.NotContains(t, hex.EncodeToString(was), symbol, "go-amqp alone")
		s, f := Writer{}.Sections(&put)
		require.Nil(t, f)
		out := amqp.Message{}
		s.Put(&out)
		b, err := out.MarshalBinary()
		require.NoError(t, err)
		require.Contains(t, hex.EncodeToString(b), symbol, "%#v", put)
		again, err := put.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, was, again, "what it was made of stays")
	}
}

// The types that AMQP defines read as descriptor and value, too.
func TestComposites(t *testing.T) {
	for _, row := range []struct {
		wire string // behind 00 53
		code uint64
		want []any
	}{
		{`1d c0 07 02 a3 01 61 a1 01 62`, 0x1d, []any{"a", "b"}},
		{`23 c0 05 02 52 01 53 02`, 0x23, []any{uint32(1), uint64(2)}},
		{`24 45`, 0x24, nil},
		{`25 45`, 0x25, nil},
		{`26 45`, 0x26, nil},
		{`27 c0 02 01 41`, 0x27, []any{true}},
		{`2b 45`, 0x2b, nil},
		{`2e 45`, 0x2e, nil},
	} {
		b, err := hex.DecodeString(`0053770053` + strings.ReplaceAll(row.wire, " ", ""))
		require.NoError(t, err)
		var m amqp.Message
		require.NoError(t, m.UnmarshalBinary(b), row.wire)
		descriptor, value, ok := Described(m.Value)
		require.True(t, ok, row.wire)
		require.Equal(t, row.code, descriptor)
		require.Equal(t, row.want, value, row.wire)
	}
	for _, v := range []any{nil, 1, "a", []any{}, []int32{1}, struct{}{}, (*amqp.Error)(nil), amqp.Null{}, amqp.Symbol("a")} {
		_, _, ok := Described(v)
		require.False(t, ok, "%T", v)
		_, ok = UbyteArray(v)
		require.False(t, ok, "%T", v)
	}
}

func TestUbyteArray(t *testing.T) {
	for wire, want := range map[string][]byte{`e0050350010203`: {1, 2, 3}, `f0000000050000000050`: {}} {
		b, err := hex.DecodeString(`005377` + wire)
		require.NoError(t, err)
		var m amqp.Message
		require.NoError(t, m.UnmarshalBinary(b))
		got, ok := UbyteArray(m.Value)
		require.True(t, ok)
		require.Equal(t, len(want), len(got))
		require.Equal(t, string(want), string(got))
		out, f := Writer{Strict: true}.Value(m.Value)
		require.Nil(t, f)
		back, err := sent(out)
		require.NoError(t, err)
		require.Equal(t, text(m.Value), text(back))
	}
}

// A value MaxDepth deep is the deepest, in whatever it stands.
func TestDepth(t *testing.T) {
	for name, in := range map[string]func(v any) any{
		"list":        func(v any) any { return []any{v} },
		"map":         func(v any) any { return map[string]any{"k": v} },
		"any keys":    func(v any) any { return map[any]any{int8(1): v} },
		"symbol keys": func(v any) any { return map[amqp.Symbol]any{"k": v} },
		"annotations": func(v any) any { return amqp.Annotations{"k": v} },
		"described":   func(v any) any { return pair{uint64(1), v} },
		"go-amqp's":   func(v any) any { return NewDescribed(uint64(1), v) },
		"descriptor":  func(v any) any { return pair{v, nil} },
		"pointer":     func(v any) any { return &[]any{v} },
		"error":       func(v any) any { return &amqp.Error{Condition: "a", Info: map[string]any{"k": v}} },
	} {
		levels := map[string]int{"pointer": 2, "error": 2}[name]
		v := any("s")
		for range MaxDepth / max(1, levels) {
			v = in(v)
		}
		_, f := Writer{Describe: describe}.Value(v)
		require.Nil(t, f, name)
		_, f = Writer{Describe: describe}.Value(in(v))
		require.NotNil(t, f, name)
		require.Equal(t, ErrTooDeep, f.Err, name)
	}
	for _, kind := range []func(*amqp.Message, []any){
		func(m *amqp.Message, v []any) { m.Value = v },
		func(m *amqp.Message, v []any) { m.Sequence = [][]any{v} },
	} {
		var m amqp.Message
		v := []any{}
		for range MaxDepth - 1 {
			v = []any{v}
		}
		kind(&m, []any{v})
		_, f := Writer{}.Sections(&m)
		require.Nil(t, f)
		kind(&m, []any{[]any{v}})
		_, f = Writer{}.Sections(&m)
		require.NotNil(t, f)
		require.Equal(t, ErrTooDeep, f.Err)
	}
	cycle := []any{nil}
	cycle[0] = cycle
	_, f := Writer{}.Value(cycle)
	require.Equal(t, ErrTooDeep, f.Err)
}

// A fault says where it stands.
func TestWhere(t *testing.T) {
	low := []int64{-129}
	bad := "\xff"
	for _, row := range []struct {
		m         amqp.Message
		in, under string
		value     any
		isKey     bool
	}{
		{amqp.Message{DeliveryAnnotations: amqp.Annotations{"k": low}}, "delivery-annotations", "k", low, false},
		{amqp.Message{Annotations: amqp.Annotations{amqp.Symbol("k"): []any{map[string]any{"inner": low}}}}, "message-annotations", "k", low, false},
		{amqp.Message{Annotations: amqp.Annotations{int64(7): low}}, "message-annotations", "7", low, false},
		{amqp.Message{Annotations: amqp.Annotations{uint64(7): 1}}, "message-annotations", "", uint64(7), true},
		{amqp.Message{Footer: amqp.Annotations{"k": bad}}, "footer", "k", bad, false},
		{amqp.Message{ApplicationProperties: map[string]any{"k": bad}}, "application-properties", "k", bad, false},
		{amqp.Message{ApplicationProperties: map[string]any{bad: 1}}, "application-properties", "", bad, false},
		{amqp.Message{Value: bad}, "amqp-value", "", bad, false},
		{amqp.Message{Value: map[any]any{int8(3): bad}}, "amqp-value", "3", bad, false},
		{amqp.Message{Sequence: [][]any{{}, {low}}}, "amqp-sequence", "", low, false},
	} {
		s, f := Writer{}.Sections(&row.m)
		require.Zero(t, s)
		require.NotNil(t, f, row.in)
		f.Err = nil
		require.Equal(t, &Fault{In: row.in, Under: row.under, IsKey: row.isKey, Value: row.value}, f)
	}
}

// The properties that a stamp replaces are looked at only where they are sent.
func TestProperties(t *testing.T) {
	bad, far := "\xff", time.Unix(math.MaxInt64/100, 0)
	received, err := sent(NewDescribed("a", int8(1)))
	require.NoError(t, err)
	for _, row := range []struct {
		in   string
		p    amqp.MessageProperties
		kept bool
	}{
		{"to", amqp.MessageProperties{To: &bad}, false},
		{"subject", amqp.MessageProperties{Subject: &bad}, true},
		{"reply-to", amqp.MessageProperties{ReplyTo: &bad}, true},
		{"group-id", amqp.MessageProperties{GroupID: &bad}, true},
		{"reply-to-group-id", amqp.MessageProperties{ReplyToGroupID: &bad}, true},
		{"correlation-id", amqp.MessageProperties{CorrelationID: bad}, true},
		{"correlation-id", amqp.MessageProperties{CorrelationID: received}, true},
		{"correlation-id", amqp.MessageProperties{CorrelationID: uuid.UUID{}}, true},
		{"message-id", amqp.MessageProperties{MessageID: bad}, false},
		{"creation-time", amqp.MessageProperties{CreationTime: &far}, false},
		{"absolute-expiry-time", amqp.MessageProperties{AbsoluteExpiryTime: &far}, false},
	} {
		f := Writer{}.Properties(&row.p, true)
		require.NotNil(t, f, row.in)
		require.Equal(t, row.in, f.In)
		require.Equal(t, row.kept, Writer{}.Properties(&row.p, false) != nil, row.in)
	}
	good, now := "a", time.Now()
	require.Nil(t, Writer{}.Properties(nil, true))
	require.Nil(t, Writer{}.Properties(&amqp.MessageProperties{}, true))
	require.Nil(t, Writer{}.Properties(&amqp.MessageProperties{MessageID: "a", To: &good, CreationTime: &now, CorrelationID: uint64(1)}, true))
}

func TestAllocs(t *testing.T) {
	long := strings.Repeat("a", 300)
	m := amqp.Message{
		Annotations:           amqp.Annotations{long: []any{int64(1000), long}, amqp.Symbol(long): map[string]any{long: long}},
		ApplicationProperties: map[string]any{long: long, "n": int64(1 << 40), "f": 1.5},
		Properties:            &amqp.MessageProperties{CorrelationID: long, Subject: &long},
		Sequence:              [][]any{{long, []int32{1}}, {map[any]any{int64(1000): long}}},
		Value:                 []any{long, amqp.Symbol(long), []map[any]any{{long: long}}, time.Now(), []string{long}},
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = Writer{Describe: describe}.Properties(m.Properties, true)
		_, _ = Writer{Describe: describe}.Sections(&m)
	}))
}

// made makes a value of what the bytes say.
func made(b *[]byte, depth int) any {
	next := func() byte {
		if len(*b) == 0 {
			return 0
		}
		c := (*b)[0]
		*b = (*b)[1:]
		return c
	}
	wide := func() (n int64) {
		for range 8 {
			n = n<<8 | int64(next())
		}
		return n
	}
	word := func() string {
		n := min(int(next()%8), len(*b))
		s := string((*b)[:n])
		*b = (*b)[n:]
		return s
	}
	some := func(element func()) {
		for range next() % 4 {
			element()
		}
	}
	kinds := 41
	if depth > 6 {
		kinds = 28
	}
	switch int(next()) % kinds {
	case 0:
		return nil
	case 1:
		return next()%2 == 0
	case 2:
		return int8(next())
	case 3:
		return int16(wide())
	case 4:
		return int32(wide())
	case 5:
		return wide()
	case 6:
		return next()
	case 7:
		return uint16(wide())
	case 8:
		return uint32(wide())
	case 9:
		return uint64(wide())
	case 10:
		return math.Float32frombits(uint32(wide()) &^ 0x40000) // no quiet NaN made of a signalling one
	case 11:
		return math.Float64frombits(uint64(wide()))
	case 12:
		return word()
	case 13:
		return amqp.Symbol(word())
	case 14:
		return []byte(word())
	case 15:
		return time.UnixMilli(wide())
	case 16:
		return time.Unix(wide(), int64(next()))
	case 17:
		var a []int32
		some(func() { a = append(a, int32(int8(next()))*int32(1+next()%2)) })
		return a
	case 18:
		var a []int64
		some(func() { a = append(a, int64(int8(next()))*int64(1+next()%2)) })
		return a
	case 19:
		var a []time.Time
		some(func() { a = append(a, time.Unix(wide()>>(next()%64), int64(next())*1e4)) })
		return a
	case 20:
		var a []string
		some(func() { a = append(a, word()+"x") })
		return a
	case 21:
		var a []amqp.Symbol
		some(func() { a = append(a, amqp.Symbol(word()+"x")) })
		return a
	case 22:
		return amqp.UUID{next()}
	case 23:
		return int(wide())
	case 24:
		return uint(wide())
	case 25:
		return uuid.UUID{next()}
	case 26:
		return struct{}{}
	case 27:
		return (*string)(nil)
	case 28, 29:
		list := []any{}
		some(func() { list = append(list, made(b, depth+1)) })
		return list
	case 30:
		m := map[string]any{}
		some(func() { m[word()] = made(b, depth+1) })
		return m
	case 31:
		m := map[amqp.Symbol]any{}
		some(func() { m[amqp.Symbol(word())] = made(b, depth+1) })
		return m
	case 32, 33:
		m, seen := map[any]any{}, map[string]bool{} // of keys that go-amqp shows as equal it keeps any one
		some(func() {
			key := made(b, 7)
			if key != nil && (!reflect.TypeOf(key).Comparable() || reflect.TypeOf(key).Kind() == reflect.Pointer) || seen[text(key)] {
				return
			}
			seen[text(key)] = true
			m[key] = made(b, depth+1)
		})
		return m
	case 34:
		a := []map[any]any{}
		some(func() { a = append(a, map[any]any{word(): made(b, depth+1)}) })
		return a
	case 35, 36:
		return pair{word() + "x", made(b, depth+1)}
	case 37:
		return NewDescribed(uint64(wide())|1<<40, made(b, depth+1))
	case 38:
		return &amqp.Error{Condition: amqp.ErrCond(word()), Description: word(), Info: map[string]any{word(): made(b, depth+1)}}
	case 39:
		return &amqp.StateModified{DeliveryFailed: next()%2 == 0, MessageAnnotations: amqp.Annotations{word(): made(b, depth+1)}}
	}
	s := word()
	return &s
}

// What is passed is written and read back equal; what is refused, go-amqp would refuse, lose or
// panic at, symbols apart, in which it does not look for ASCII.
func FuzzValue(f *testing.F) {
	for i := range 41 {
		f.Add([]byte{28, 3, byte(i), 2, 'a', 0xff, byte(i), 1, 'b', byte(i), 4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 1, 1, 'k', byte(i)})
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := made(&b, 0)
		out, fault := Writer{Describe: describe}.Value(v)
		if fault == nil {
			got, err := sent(out)
			require.NoError(t, err, "%#v", v)
			require.Equal(t, text(v), text(got))
			return
		}
		if errors.Is(fault.Err, ErrNotASCII) {
			return
		}
		if _, f := (Writer{Describe: describe}).Value([]any{fault.Value}); f == nil {
			require.True(t, fault.IsKey, "%#v alone is passed", fault.Value)
			return
		}
		if got, err := sent(fault.Value); err == nil {
			require.NotEqual(t, text(fault.Value), text(got), "refused and not lost")
		}
	})
}

// What go-amqp decodes is either refused or written so that it decodes as the same, with a symbol
// for each descriptor that is no number.
func FuzzDecoded(f *testing.F) {
	for _, s := range []string{
		`00537700a30161a10162`, `005377c0060100a3016141`, `00537700531dc01303a3016140c10c02a30161e006017100000001`, `005377e0050350010203`,
		`005372c1070200a3016141a10162`, `0053760045`, `005377e00e02c105020301a1016141c1010041`, `0053782445`,
		`005374c13002a1047768656e00a31d636f6d2e6d6963726f736f66743a6461746574696d652d6f66667365748108daa19ea6b30000`,
	} {
		b, err := hex.DecodeString(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		decoded := func(b []byte) (m *amqp.Message, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("go-amqp panics: %v", r)
				}
			}()
			m = new(amqp.Message)
			return m, m.UnmarshalBinary(b)
		}
		m, err := decoded(b)
		if err != nil {
			return
		}
		s, fault := Writer{}.Sections(m)
		if fault != nil {
			return
		}
		var out amqp.Message
		s.Put(&out)
		wire, err := out.MarshalBinary()
		require.NoError(t, err)
		again, err := decoded(wire)
		if err != nil {
			require.ErrorContains(t, err, "invalid length", "an array of empty texts at the end")
			return
		}
		for _, section := range [][2]any{{m.DeliveryAnnotations, again.DeliveryAnnotations}, {m.Annotations, again.Annotations},
			{m.ApplicationProperties, again.ApplicationProperties}, {m.Value, again.Value}, {m.Sequence, again.Sequence}, {m.Footer, again.Footer}} {
			require.Equal(t, text(section[0]), text(section[1]))
		}
	})
}
