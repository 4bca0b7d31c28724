package wire

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"
)

// appended are values, the bytes that they must have, and what they read as.
var appended = []struct {
	name   string
	append func([]byte) []byte
	want   []byte
	typ    Type
	value  any // what go-amqp makes of it, and the Reader
}{
	{"null", AppendNull, x("40"), Null, nil},
	{"true", func(b []byte) []byte { return AppendBoolean(b, true) }, x("41"), Boolean, true},
	{"false", func(b []byte) []byte { return AppendBoolean(b, false) }, x("42"), Boolean, false},

	{"ubyte 0", func(b []byte) []byte { return AppendUbyte(b, 0) }, x("50 00"), Ubyte, uint8(0)},
	{"ubyte 1", func(b []byte) []byte { return AppendUbyte(b, 1) }, x("50 01"), Ubyte, uint8(1)},
	{"ubyte 255", func(b []byte) []byte { return AppendUbyte(b, 255) }, x("50 ff"), Ubyte, uint8(255)},

	{"uint 0", func(b []byte) []byte { return AppendUint(b, 0) }, x("43"), Uint, uint32(0)},
	{"uint 1", func(b []byte) []byte { return AppendUint(b, 1) }, x("52 01"), Uint, uint32(1)},
	{"uint 255", func(b []byte) []byte { return AppendUint(b, 255) }, x("52 ff"), Uint, uint32(255)},
	{"uint 256", func(b []byte) []byte { return AppendUint(b, 256) }, x("70 00000100"), Uint, uint32(256)},
	{"uint 2^32-1", func(b []byte) []byte { return AppendUint(b, math.MaxUint32) }, x("70 ffffffff"), Uint, uint32(math.MaxUint32)},

	{"ulong 0", func(b []byte) []byte { return AppendUlong(b, 0) }, x("44"), Ulong, uint64(0)},
	{"ulong 1", func(b []byte) []byte { return AppendUlong(b, 1) }, x("53 01"), Ulong, uint64(1)},
	{"ulong 255", func(b []byte) []byte { return AppendUlong(b, 255) }, x("53 ff"), Ulong, uint64(255)},
	{"ulong 256", func(b []byte) []byte { return AppendUlong(b, 256) }, x("80 0000000000000100"), Ulong, uint64(256)},
	{"ulong 2^32-1", func(b []byte) []byte { return AppendUlong(b, math.MaxUint32) }, x("80 00000000ffffffff"), Ulong, uint64(math.MaxUint32)},
	{"ulong 2^32", func(b []byte) []byte { return AppendUlong(b, 1<<32) }, x("80 0000000100000000"), Ulong, uint64(1 << 32)},
	{"ulong 2^64-1", func(b []byte) []byte { return AppendUlong(b, math.MaxUint64) }, x("80 ffffffffffffffff"), Ulong, uint64(math.MaxUint64)},

	{"long 0", func(b []byte) []byte { return AppendLong(b, 0) }, x("55 00"), Long, int64(0)},
	{"long 1", func(b []byte) []byte { return AppendLong(b, 1) }, x("55 01"), Long, int64(1)},
	{"long -1", func(b []byte) []byte { return AppendLong(b, -1) }, x("55 ff"), Long, int64(-1)},
	{"long 127", func(b []byte) []byte { return AppendLong(b, 127) }, x("55 7f"), Long, int64(127)},
	{"long 128", func(b []byte) []byte { return AppendLong(b, 128) }, x("81 0000000000000080"), Long, int64(128)},
	{"long -128", func(b []byte) []byte { return AppendLong(b, -128) }, x("55 80"), Long, int64(-128)},
	{"long -129", func(b []byte) []byte { return AppendLong(b, -129) }, x("81 ffffffffffffff7f"), Long, int64(-129)},
	{"long 255", func(b []byte) []byte { return AppendLong(b, 255) }, x("81 00000000000000ff"), Long, int64(255)},
	{"long 2^63-1", func(b []byte) []byte { return AppendLong(b, math.MaxInt64) }, x("81 7fffffffffffffff"), Long, int64(math.MaxInt64)},
	{"long -2^63", func(b []byte) []byte { return AppendLong(b, math.MinInt64) }, x("81 8000000000000000"), Long, int64(math.MinInt64)},

	{"timestamp 0", func(b []byte) []byte { return AppendTimestamp(b, 0) }, x("83 0000000000000000"), Timestamp, time.UnixMilli(0)},
	{"timestamp -1", func(b []byte) []byte { return AppendTimestamp(b, -1) }, x("83 ffffffffffffffff"), Timestamp, time.UnixMilli(-1)},
	{"timestamp", func(b []byte) []byte { return AppendTimestamp(b, 1311704463521) }, x("83 0000013167adb8a1"), Timestamp, time.UnixMilli(1311704463521)},

	{"ushort", func(b []byte) []byte { return AppendUshort(b, 0x1234) }, x("60 1234"), Ushort, uint16(0x1234)},
	{"byte", func(b []byte) []byte { return AppendByte(b, -2) }, x("51 fe"), Byte, int8(-2)},
	{"short", func(b []byte) []byte { return AppendShort(b, -2) }, x("61 fffe"), Short, int16(-2)},
	{"int, 127", func(b []byte) []byte { return AppendInt(b, 127) }, x("54 7f"), Int, int32(127)},
	{"int, -128", func(b []byte) []byte { return AppendInt(b, -128) }, x("54 80"), Int, int32(-128)},
	{"int, 128", func(b []byte) []byte { return AppendInt(b, 128) }, x("71 00000080"), Int, int32(128)},
	{"int, -2^31", func(b []byte) []byte { return AppendInt(b, math.MinInt32) }, x("71 80000000"), Int, int32(math.MinInt32)},
	{"float", func(b []byte) []byte { return AppendFloat(b, -1.5) }, x("72 bfc00000"), Float, float32(-1.5)},
	{"double", func(b []byte) []byte { return AppendDouble(b, 0.1) }, x("82 3fb999999999999a"), Double, 0.1},

	{"uuid", func(b []byte) []byte {
		return AppendUUID(b, [16]byte{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff})
	}, x("98 00112233 4455 6677 8899 aabbccddeeff"), UUID,
		amqp.UUID{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}},

	{"binary, empty", func(b []byte) []byte { return AppendBinary(b, []byte{}) }, x("a0 00"), Binary, []byte{}},
	{"binary, nil", func(b []byte) []byte { return AppendBinary(b, []byte(nil)) }, x("a0 00"), Binary, []byte{}},
	{"binary", func(b []byte) []byte { return AppendBinary(b, []byte{0, 0xff}) }, x("a0 02 00ff"), Binary, []byte{0, 0xff}},
	{"binary, of a string", func(b []byte) []byte { return AppendBinary(b, "\x00\xff") }, x("a0 02 00ff"), Binary, []byte{0, 0xff}},
	{"binary, 255", func(b []byte) []byte { return AppendBinary(b, make([]byte, 255)) }, x("a0 ff", times(255, "00")), Binary, make([]byte, 255)},
	{"binary, 256", func(b []byte) []byte { return AppendBinary(b, make([]byte, 256)) }, x("b0 00000100", times(256, "00")), Binary, make([]byte, 256)},
	{"binary, 65536", func(b []byte) []byte { return AppendBinary(b, make([]byte, 65536)) }, x("b0 00010000", times(65536, "00")), Binary, make([]byte, 65536)},

	{"string, empty", func(b []byte) []byte { return AppendString(b, "") }, x("a1 00"), String, ""},
	{"string", func(b []byte) []byte { return AppendString(b, "aé€") }, x("a1 06 61 c3a9 e282ac"), String, "aé€"},
	{"string, of bytes", func(b []byte) []byte { return AppendString(b, []byte("ab")) }, x("a1 02 6162"), String, "ab"},
	{"string, 255", func(b []byte) []byte { return AppendString(b, times(255, "a")) }, x("a1 ff", times(255, "61")), String, times(255, "a")},
	{"string, 256", func(b []byte) []byte { return AppendString(b, times(256, "a")) }, x("b1 00000100", times(256, "61")), String, times(256, "a")},

	// go-amqp makes strings of symbols.
	{"symbol, empty", func(b []byte) []byte { return AppendSymbol(b, "") }, x("a3 00"), Symbol, ""},
	{"symbol", func(b []byte) []byte { return AppendSymbol(b, "x-opt") }, x("a3 05 782d6f7074"), Symbol, "x-opt"},
	{"symbol, of bytes", func(b []byte) []byte { return AppendSymbol(b, []byte("ab")) }, x("a3 02 6162"), Symbol, "ab"},
	{"symbol, 255", func(b []byte) []byte { return AppendSymbol(b, times(255, "a")) }, x("a3 ff", times(255, "61")), Symbol, times(255, "a")},
	{"symbol, 256", func(b []byte) []byte { return AppendSymbol(b, times(256, "a")) }, x("b3 00000100", times(256, "61")), Symbol, times(256, "a")},

	{"map, empty", func(b []byte) []byte { return AppendMap(b, 0, nil) }, x("c1 01 00"), Map, map[any]any{}},
	{"map", func(b []byte) []byte { return AppendMap(b, 2, x("a1 01 61 41 a1 01 62 40")) },
		x("c1 09 04 a1 01 61 41 a1 01 62 40"), Map, map[string]any{"a": true, "b": nil}},
	{"map, 254 bytes", func(b []byte) []byte { return AppendMap(b, 1, x("a1 01 61 a1 f9", times(249, "62"))) },
		x("c1 ff 02 a1 01 61 a1 f9", times(249, "62")), Map, map[string]any{"a": times(249, "b")}},
	{"map, 255 bytes", func(b []byte) []byte { return AppendMap(b, 1, x("a1 01 61 a1 fa", times(250, "62"))) },
		x("d1 00000103 00000002 a1 01 61 a1 fa", times(250, "62")), Map, map[string]any{"a": times(250, "b")}},
	{"map, 127 pairs", func(b []byte) []byte { return AppendMap(b, 127, x(times(127, "43 41"))) },
		x("c1 ff fe", times(127, "43 41")), Map, map[any]any{uint32(0): true}},
	{"map, 128 pairs", func(b []byte) []byte { return AppendMap(b, 128, x(times(128, "43 41"))) },
		x("d1 00000104 00000100", times(128, "43 41")), Map, map[any]any{uint32(0): true}},

	{"BeginMap, where it grows", func(b []byte) []byte {
		start := len(b)
		b = append(BeginMap(b), x("a1 01 61 a1 fa", times(250, "62"))...)
		b, ok := EndMap(b, start, 1)
		if !ok {
			return nil
		}
		return b
	}, x("d1 00000103 00000002 a1 01 61 a1 fa", times(250, "62")), Map, map[string]any{"a": times(250, "b")}},
	{"BeginList8, empty", func(b []byte) []byte {
		start := len(b)
		b = BeginList8(b)
		EndList8(b, start, 0)
		return b
	}, x("c0 01 00"), List, []any{}},
	{"BeginList8", func(b []byte) []byte {
		start := len(b)
		b = AppendUint(AppendBoolean(BeginList8(b), true), 7)
		EndList8(b, start, 2)
		return b
	}, x("c0 04 02 41 52 07"), List, []any{true, uint32(7)}},
	{"BeginList8, 254 bytes", func(b []byte) []byte {
		start := len(b)
		b = append(BeginList8(b), x(times(254, "41"))...)
		EndList8(b, start, 254)
		return b
	}, x("c0 ff fe", times(254, "41")), List, slices.Repeat([]any{true}, 254)},
	{"BeginList8 in BeginList8", func(b []byte) []byte {
		start := len(b)
		b = BeginList8(b)
		inner := len(b)
		b = AppendNull(BeginList8(b))
		EndList8(b, inner, 1)
		EndList8(b, start, 1)
		return b
	}, x("c0 05 01 c0 02 01 40"), List, []any{[]any{nil}}},
}

func TestAppend(t *testing.T) {
	for _, c := range appended {
		require.Equalf(t, c.want, c.append(nil), "append of %s", c.name)

		// After other bytes, with room and without.
		for _, room := range []int{0, 1, len(c.want), len(c.want) + 1} {
			before := append(make([]byte, 0, 2+room), 0x55, 0x66)
			got := c.append(before)
			require.Equalf(t, append(x("55 66"), c.want...), got, "append of %s after two bytes", c.name)
			require.Equal(t, x("55 66"), before)
			if room >= len(c.want) {
				require.Samef(t, &before[0], &got[0], "append of %s must use the room that there is", c.name)
			}
		}

		r := NewReader(c.want)
		require.Equal(t, c.typ, r.Next(), c.name)
		got, comparable := goValue(&r)
		require.Nil(t, r.Err(), c.name)
		require.Zero(t, r.Len(), c.name)
		require.True(t, comparable, c.name)
		require.Equalf(t, plain(c.value), plain(got), "the Reader's %s", c.name)

		var m amqp.Message
		require.NoError(t, m.UnmarshalBinary(append(x("00 53 77"), c.want...)), "go-amqp's "+c.name)
		require.Equalf(t, plain(c.value), plain(m.Value), "go-amqp's %s", c.name)
	}
}

func TestUnixMilli(t *testing.T) {
	for _, row := range []struct {
		rule string
		t    time.Time
		ms   int64
		ok   bool
	}{
		{"the epoch", time.Unix(0, 0), 0, true},
		{"cut to the millisecond", time.Unix(0, 1_999_999), 1, true},
		{"cut downwards before the epoch too", time.Unix(0, -1), -1, true},
		{"the zero Time", time.Time{}, -62135596800000, true},
		{"the last", time.UnixMilli(math.MaxInt64), math.MaxInt64, true},
		{"the first", time.UnixMilli(math.MinInt64), math.MinInt64, true},
		{"too late", time.Unix(math.MaxInt64/1000+1, 0), 0, false},
		{"too early", time.Unix(math.MinInt64/1000-1, 0), 0, false},
		{"far too late", time.Unix(1<<61, 0), 0, false},
	} {
		ms, ok := UnixMilli(row.t)
		require.Equal(t, row.ok, ok, row.rule)
		if ok {
			require.Equal(t, row.ms, ms, row.rule)
		}
	}
}

// The Reader reads what go-amqp writes.
func TestReadGoAMQP(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		want := anyValue(rnd, 4)
		b, err := (&amqp.Message{Value: []any{want}}).MarshalBinary() // a nil Value would be none
		require.NoErrorf(t, err, "%#v", want)
		r := NewReader(b)
		require.EqualValues(t, 0x77, r.ShortDescriptor(0x70, 0x78))
		skipped := r
		got, comparable := goValue(&r)
		r.Done()
		require.Nilf(t, r.Err(), "%x", b)
		require.True(t, comparable)
		if want := plain([]any{want}); !reflect.DeepEqual(want, plain(got)) { // require.Equal would write books
			t.Fatalf("value of %x: got %v, want %v", b, plain(got), want)
		}
		skipped.Skip()
		skipped.Done()
		require.Nilf(t, skipped.Err(), "%x", b)
	}
}

// anyValue returns a value of one of the types that go-amqp writes.
func anyValue(rnd *rand.Rand, depth int) any {
	text := func() string {
		return strings.Repeat("é", rnd.IntN(3)) + times(rnd.IntN(9)*rnd.IntN(9)*rnd.IntN(9), "a")
	}
	small := func() uint64 { return rnd.Uint64() >> rnd.IntN(64) } // of any length
	n := 17
	if depth > 0 {
		n = 27
	}
	switch rnd.IntN(n) {
	case 0:
		return nil
	case 1:
		return rnd.IntN(2) == 0
	case 2:
		return uint8(small())
	case 3:
		return uint16(small())
	case 4:
		return uint32(small())
	case 5:
		return small()
	case 6:
		return int8(small())
	case 7:
		return int16(small())
	case 8:
		return int32(small())
	case 9:
		return int64(small())
	case 10:
		return rnd.Float32()
	case 11:
		return rnd.NormFloat64()
	case 12:
		return text()
	case 13:
		return amqp.Symbol(strings.ReplaceAll(text(), "é", "e"))
	case 14:
		return []byte(text())
	case 15:
		return time.UnixMilli(rnd.Int64N(1<<50) - 1<<49)
	case 16:
		return amqp.UUID{byte(small()), 15: byte(small())}
	case 17:
		v := make([]int32, rnd.IntN(300))
		for i := range v {
			v[i] = max(math.MinInt8, int32(small())) // others go-amqp 1.7.0 writes wrong where none is above 127
		}
		return v
	case 18:
		v := make([]uint64, rnd.IntN(100))
		for i := range v {
			v[i] = small()
		}
		return v
	case 19:
		v := make([]bool, rnd.IntN(300))
		for i := range v {
			v[i] = rnd.IntN(2) == 0
		}
		return v
	case 20:
		v := make([]string, 1+rnd.IntN(10))
		for i := range v {
			v[i] = "x" + text()
		}
		return v
	case 21, 22, 23:
		m := map[any]any{}
		for range rnd.IntN(20) {
			m[text()] = anyValue(rnd, depth-1)
			if rnd.IntN(4) == 0 {
				m[small()] = anyValue(rnd, depth-1)
			}
		}
		return m
	default:
		v := make([]any, rnd.IntN(20))
		for i := range v {
			v[i] = anyValue(rnd, depth-1)
		}
		return v
	}
}

func TestAppendDescriptor(t *testing.T) {
	for _, c := range []struct {
		code uint64
		want []byte
	}{
		{0, x("00 44")},
		{1, x("00 53 01")},
		{0x70, x("00 53 70")},
		{255, x("00 53 ff")},
		{256, x("00 80 0000000000000100")},
		{0x468c00000004, x("00 80 0000468c00000004")},
		{math.MaxUint64, x("00 80 ffffffffffffffff")},
	} {
		got := AppendDescriptor(nil, c.code)
		require.Equalf(t, c.want, got, "AppendDescriptor of 0x%x", c.code)
		r := NewReader(AppendNull(got))
		code, symbol := r.Descriptor()
		require.Equal(t, c.code, code)
		require.Nil(t, symbol)
		require.True(t, r.Null())
		if c.code > 255 { // below there are types that go-amqp takes for its own
			var m amqp.Message
			require.NoError(t, m.UnmarshalBinary(slices.Concat(x("00 53 77"), got, x("a1 01 61"))))
			require.Equal(t, fmt.Sprintf("DescribedType{descriptor: %d, value: a}", c.code), fmt.Sprint(m.Value))
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	room, text, items, uuid := make([]byte, 0, 4096), times(256, "a"), x("41 41"), [16]byte{1}
	n := testing.AllocsPerRun(10, func() {
		b := AppendUlong(AppendUint(AppendUbyte(AppendBoolean(AppendNull(room), true), 1), 256), 256)
		b = AppendTimestamp(AppendLong(b, -129), 1)
		b = AppendUshort(AppendByte(AppendShort(AppendInt(AppendFloat(AppendDouble(b, 1), 1), 256), 1), 1), 1)
		b = AppendSymbol(AppendString(AppendBinary(AppendUUID(b, uuid), text), text), text)
		b = AppendMap(AppendDescriptor(b, 0x70), 1, items)
		start := len(b)
		b = AppendNull(BeginList8(b))
		EndList8(b, start, 1)
	})
	require.Zero(t, n, "allocations")
}
