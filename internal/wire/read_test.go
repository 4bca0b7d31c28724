package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What Descriptor and Array return, in one value.
type (
	descriptor struct {
		code   uint64
		symbol string
	}
	arrayStart struct {
		constructor string
		n           int
	}
)

// readers are the methods that read, or enter, a value of one type.
var readers = []struct {
	name  string
	want  string // the type as an error names it
	types []Type // which it reads
	read  func(*Reader) any
}{
	{"Boolean", "boolean", []Type{Boolean}, func(r *Reader) any { return r.Boolean() }},
	{"Ubyte", "ubyte", []Type{Ubyte}, func(r *Reader) any { return r.Ubyte() }},
	{"Ushort", "ushort", []Type{Ushort}, func(r *Reader) any { return r.Ushort() }},
	{"Uint", "uint", []Type{Uint}, func(r *Reader) any { return r.Uint() }},
	{"Ulong", "ulong", []Type{Ulong}, func(r *Reader) any { return r.Ulong() }},
	{"Byte", "byte", []Type{Byte}, func(r *Reader) any { return r.Byte() }},
	{"Short", "short", []Type{Short}, func(r *Reader) any { return r.Short() }},
	{"Int", "int", []Type{Int}, func(r *Reader) any { return r.Int() }},
	{"Long", "long", []Type{Long}, func(r *Reader) any { return r.Long() }},
	{"Float", "float", []Type{Float}, func(r *Reader) any { return r.Float() }},
	{"Double", "double", []Type{Double}, func(r *Reader) any { return r.Double() }},
	{"Decimal", "decimal", []Type{Decimal32, Decimal64, Decimal128}, func(r *Reader) any { return r.Decimal() }},
	{"Char", "char", []Type{Char}, func(r *Reader) any { return r.Char() }},
	{"Timestamp", "timestamp", []Type{Timestamp}, func(r *Reader) any { return r.Timestamp() }},
	{"UUID", "uuid", []Type{UUID}, func(r *Reader) any { return r.UUID() }},
	{"Binary", "binary", []Type{Binary}, func(r *Reader) any { return r.Binary() }},
	{"String", "string", []Type{String}, func(r *Reader) any { return r.String() }},
	{"Symbol", "symbol", []Type{Symbol}, func(r *Reader) any { return r.Symbol() }},
	{"List", "list", []Type{List}, func(r *Reader) any { _, n := r.List(); return n }},
	{"Fields", "list", []Type{List}, func(r *Reader) any { _, n := r.Fields(9); return n }},
	{"Map", "map", []Type{Map}, func(r *Reader) any { _, n := r.Map(); return n }},
	{"SkipMap", "map", []Type{Map}, func(r *Reader) any { r.SkipMap(); return 0 }},
	{"Array", "array", []Type{Array}, func(r *Reader) any { _, c, n := r.Array(); return arrayStart{string(c), n} }},
	{"Descriptor", "described value", []Type{Described}, func(r *Reader) any { c, s := r.Descriptor(); return descriptor{c, string(s)} }},
}

// read reads the next value by the method for its type.
func read(t *testing.T, r *Reader, typ Type) any {
	t.Helper()
	for _, rd := range readers {
		if slices.Contains(rd.types, typ) {
			return rd.read(r)
		}
	}
	t.Fatalf("nothing reads %v", typ)
	return nil
}

// scalars are values that are read at one go: all of AMQP's encodings but those of
// list, map, array and described value.
var scalars = []struct {
	typ  Type
	b    []byte
	want any
}{
	{Boolean, x("41"), true},
	{Boolean, x("42"), false},
	{Boolean, x("56 01"), true},
	{Boolean, x("56 00"), false},

	{Ubyte, x("50 00"), uint8(0)},
	{Ubyte, x("50 80"), uint8(128)},
	{Ubyte, x("50 ff"), uint8(255)},
	{Ushort, x("60 0000"), uint16(0)},
	{Ushort, x("60 0102"), uint16(0x102)},
	{Ushort, x("60 ffff"), uint16(math.MaxUint16)},
	{Uint, x("43"), uint32(0)},
	{Uint, x("52 00"), uint32(0)},
	{Uint, x("52 80"), uint32(128)},
	{Uint, x("52 ff"), uint32(255)},
	{Uint, x("70 00000000"), uint32(0)},
	{Uint, x("70 01020304"), uint32(0x1020304)},
	{Uint, x("70 ffffffff"), uint32(math.MaxUint32)},
	{Ulong, x("44"), uint64(0)},
	{Ulong, x("53 00"), uint64(0)},
	{Ulong, x("53 80"), uint64(128)},
	{Ulong, x("53 ff"), uint64(255)},
	{Ulong, x("80 0000000000000000"), uint64(0)},
	{Ulong, x("80 0102030405060708"), uint64(0x102030405060708)},
	{Ulong, x("80 ffffffffffffffff"), uint64(math.MaxUint64)},

	{Byte, x("51 00"), int8(0)},
	{Byte, x("51 7f"), int8(127)},
	{Byte, x("51 80"), int8(-128)},
	{Byte, x("51 ff"), int8(-1)},
	{Short, x("61 0102"), int16(0x102)},
	{Short, x("61 7fff"), int16(math.MaxInt16)},
	{Short, x("61 8000"), int16(math.MinInt16)},
	{Short, x("61 ffff"), int16(-1)},
	{Int, x("54 00"), int32(0)},
	{Int, x("54 7f"), int32(127)},
	{Int, x("54 80"), int32(-128)},
	{Int, x("54 ff"), int32(-1)},
	{Int, x("71 01020304"), int32(0x1020304)},
	{Int, x("71 7fffffff"), int32(math.MaxInt32)},
	{Int, x("71 80000000"), int32(math.MinInt32)},
	{Int, x("71 ffffffff"), int32(-1)},
	{Long, x("55 00"), int64(0)},
	{Long, x("55 7f"), int64(127)},
	{Long, x("55 80"), int64(-128)},
	{Long, x("55 ff"), int64(-1)},
	{Long, x("81 0102030405060708"), int64(0x102030405060708)},
	{Long, x("81 7fffffffffffffff"), int64(math.MaxInt64)},
	{Long, x("81 8000000000000000"), int64(math.MinInt64)},
	{Long, x("81 ffffffffffffffff"), int64(-1)},

	// IEEE 754 binary32 and binary64. NaN is not equal to itself, see TestReadNaN.
	{Float, x("72 00000000"), float32(0)},
	{Float, x("72 3f800000"), float32(1)},
	{Float, x("72 c0200000"), float32(-2.5)},
	{Float, x("72 7f7fffff"), float32(math.MaxFloat32)},
	{Float, x("72 00000001"), float32(math.SmallestNonzeroFloat32)},
	{Float, x("72 7f800000"), float32(math.Inf(1))},
	{Double, x("82 0000000000000000"), float64(0)},
	{Double, x("82 3ff0000000000000"), float64(1)},
	{Double, x("82 c004000000000000"), float64(-2.5)},
	{Double, x("82 7fefffffffffffff"), math.MaxFloat64},
	{Double, x("82 0000000000000001"), math.SmallestNonzeroFloat64},
	{Double, x("82 fff0000000000000"), math.Inf(-1)},
	{Decimal32, x("74 22500001"), x("22500001")},
	{Decimal64, x("84 2238000000000001"), x("2238000000000001")},
	{Decimal128, x("94 2208000000000000 0000000000000001"), x("2208000000000000 0000000000000001")},

	{Char, x("73 00000000"), rune(0)},
	{Char, x("73 00000041"), 'A'},
	{Char, x("73 0000d7ff"), rune(0xd7ff)},
	{Char, x("73 0000e000"), rune(0xe000)},
	{Char, x("73 0000fffd"), rune(0xfffd)},
	{Char, x("73 0001f600"), '😀'},
	{Char, x("73 0010ffff"), rune(0x10ffff)},
	{Timestamp, x("83 0000000000000000"), int64(0)},
	{Timestamp, x("83 0000013167adb8a1"), int64(1311704463521)},
	{Timestamp, x("83 ffffffffffffffff"), int64(-1)},
	{Timestamp, x("83 7fffffffffffffff"), int64(math.MaxInt64)},
	{UUID, x("98 00112233 4455 6677 8899 aabbccddeeff"), [16]byte{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}},

	{Binary, x("a0 00"), []byte{}},
	{Binary, x("a0 03 00 ff 80"), []byte{0, 0xff, 0x80}},
	{Binary, x("a0 ff", times(255, "a0")), bytes.Repeat([]byte{0xa0}, 255)},
	{Binary, x("b0 00000000"), []byte{}},
	{Binary, x("b0 00000001 b0"), []byte{0xb0}},
	{Binary, x("b0 00000100", times(256, "b0")), bytes.Repeat([]byte{0xb0}, 256)},
	{Binary, x("b0 00010203", times(0x10203, "01")), bytes.Repeat([]byte{1}, 0x10203)},
	{String, x("a1 00"), []byte{}},
	{String, x("a1 03 616263"), []byte("abc")},
	{String, x("a1 0d 00 7f c280 dfbf e282ac f09f9880"), []byte("\x00\x7f\u0080\u07ff€😀")},
	{String, x("a1 ff", times(255, "61")), bytes.Repeat([]byte("a"), 255)},
	{String, x("b1 00000000"), []byte{}},
	{String, x("b1 00000003 616263"), []byte("abc")},
	{String, x("b1 00000100", times(256, "61")), bytes.Repeat([]byte("a"), 256)},
	{Symbol, x("a3 00"), []byte{}},
	{Symbol, x("a3 03 616263"), []byte("abc")},
	{Symbol, x("a3 02 00 7f"), []byte{0, 0x7f}},
	{Symbol, x("a3 ff", times(255, "61")), bytes.Repeat([]byte("a"), 255)},
	{Symbol, x("b3 00000000"), []byte{}},
	{Symbol, x("b3 00000003 616263"), []byte("abc")},
	{Symbol, x("b3 00000100", times(256, "61")), bytes.Repeat([]byte("a"), 256)},
}

// nested are valid values that hold others.
var nested = []struct {
	typ Type
	b   []byte
}{
	{List, x("45")},
	{List, x("c0 01 00")},
	{List, x("c0 03 02 40 41")},
	{List, x("c0 ff fe", times(254, "40"))},
	{List, x("d0 00000004 00000000")},
	{List, x("d0 00000006 00000002 40 41")},
	{List, x("d0 00000104 00000100", times(256, "40"))},
	{List, x("c0 0c 02 c0 06 03 43 c0 01 00 45 c1 01 00")},
	{Map, x("c1 01 00")},
	{Map, x("c1 05 02 a1 01 61 40")},
	{Map, x("d1 00000004 00000000")},
	{Map, x("d1 00000008 00000002 a3 01 61 40")},
	{Array, x("e0 02 00 40")},
	{Array, x("e0 04 02 50 01 02")},
	{Array, x("e0 02 01 41")},
	{Array, x("f0 00000005 00000000 40")},
	{Array, x("f0 00000007 00000002 50 01 02")},
	{Array, x("e0 08 02 00 a3 01 75 52 01 02")},
	{Array, x("e0 09 02 e0 02 01 41 03 01 52 07")},
	{Described, x("00 53 77 40")},
	{Described, x("00 44 40")},
	{Described, x("00 80 0000000000000077 a1 01 61")},
	{Described, x("00 a3 03 613a62 c0 03 02 40 41")},
	{Described, x("00 b3 00000003 613a62 c0 03 02 40 41")},
	{Described, x("00 53 01 00 53 02 40")},
	{Described, bookExample},
}

// bookExample is a value of a composite type with a symbolic descriptor, a list of a
// string, an array of two strings and a null [amqp figure 1.5].
var bookExample = x("00 a3 11", fmt.Sprintf("%x", "example:book:list"),
	"c0 40 03",
	"a1 15", fmt.Sprintf("%x", "AMQP for & by Dummies"),
	"e0 25 02 a1 0e", fmt.Sprintf("%x", "Rob J. Godfrey"), "13", fmt.Sprintf("%x", "Rafael H. Schloming"),
	"40")

// all are scalars, nested and null.
var all = func() (vs []value) {
	vs = append(vs, value{Null, x("40")})
	for _, v := range scalars {
		vs = append(vs, value{v.typ, v.b})
	}
	for _, v := range nested {
		vs = append(vs, value{v.typ, v.b})
	}
	return vs
}()

type value struct {
	typ Type
	b   []byte
}

func (v value) String() string { return fmt.Sprintf("%v %s", v.typ, short(v.b)) }

// short writes b in hex, a long one cut.
func short(b []byte) string {
	if len(b) > 40 {
		return fmt.Sprintf("%x… (%d bytes)", b[:40], len(b))
	}
	return fmt.Sprintf("%x", b)
}

// requireError tests that the reader's error stands at offset and says msg.
func requireError(t *testing.T, r *Reader, offset int, msg, call string, args ...any) {
	t.Helper()
	call = fmt.Sprintf(call, args...)
	require.NotNil(t, r.Err(), call)
	require.Equal(t, fmt.Sprintf("byte %d: %s", offset, msg), r.Err().Error(), call)
	require.Equal(t, offset, r.Err().Offset, call)
	require.Zero(t, r.Len(), "after an error nothing is left to read: "+call)
}

// requireEOF tests that the reader's error is that bytes are missing at offset.
func requireEOF(t *testing.T, r *Reader, offset int, call string, args ...any) {
	t.Helper()
	call = fmt.Sprintf(call, args...)
	require.NotNil(t, r.Err(), call)
	require.ErrorIs(t, r.Err(), io.ErrUnexpectedEOF, call)
	require.Equal(t, offset, r.Err().Offset, call)
	require.Zero(t, r.Len(), "after an error nothing is left to read: "+call)
}

func requireZero(t *testing.T, got any, call string, args ...any) {
	t.Helper()
	require.Truef(t, reflect.ValueOf(got).IsZero(), "%s gave %v with an error", fmt.Sprintf(call, args...), got)
}

func TestRead(t *testing.T) {
	for _, v := range scalars {
		// Between other bytes, so that the value's start and end show.
		in := slices.Concat(x("40 40"), v.b, x("40"))
		var r Reader
		r.Reset(in, 2)
		require.Equalf(t, v.typ, r.Next(), "Next of %s", short(v.b))
		got := read(t, &r, v.typ)
		require.Nilf(t, r.Err(), "%v of %s", v.typ, short(v.b))
		require.Equalf(t, v.want, got, "%v of %s", v.typ, short(v.b))
		require.Equalf(t, 2+len(v.b), r.Offset(), "%v of %s", v.typ, short(v.b))
		require.Equalf(t, 1, r.Len(), "%v of %s", v.typ, short(v.b))
		require.Equal(t, v.b, r.Since(2))
		require.Equal(t, x("40"), r.Remaining())
		require.True(t, r.Null())
		r.Done()
		require.Nil(t, r.Err())
	}
}

func TestReadEveryEncoding(t *testing.T) {
	seen := map[byte]bool{}
	for _, v := range all {
		seen[v.b[0]] = true
	}
	for _, c := range formatCodes {
		assert.Truef(t, seen[c.code], "no test value for code 0x%02x", c.code)
	}
}

// A NaN keeps its bits, and so does a negative zero.
func TestReadFloatBits(t *testing.T) {
	for _, bits := range []uint32{0x7fc00000, 0x7fc00001, 0xffc00000, 0x80000000} {
		r := NewReader(x(fmt.Sprintf("72 %08x", bits)))
		assert.Equal(t, bits, math.Float32bits(r.Float()))
	}
	for _, bits := range []uint64{0x7ff8000000000000, 0x7ff8000000000001, 0xfff8000000000000, 0x8000000000000000} {
		r := NewReader(x(fmt.Sprintf("82 %016x", bits)))
		assert.Equal(t, bits, math.Float64bits(r.Double()))
	}
}

// prefixes returns the lengths of b's proper prefixes, not all of a long one.
func prefixes(b []byte) (ns []int) {
	for n := range b {
		if n < 300 || n > len(b)-3 {
			ns = append(ns, n)
		}
	}
	return ns
}

func TestReadTruncated(t *testing.T) {
	for _, v := range all {
		for _, n := range prefixes(v.b) {
			b := v.b[:n]
			if v.typ != Null {
				r := NewReader(b)
				got := read(t, &r, v.typ)
				if r.Err() != nil { // a compound may be entered and a descriptor read without what follows
					requireZero(t, got, "%v of %s", v.typ, short(b))
				}
				walk(&r, 0)
				requireEOF(t, &r, n, "%v of %s", v.typ, short(b))
			}
			r := NewReader(b)
			r.Skip()
			requireEOF(t, &r, n, "Skip of %s", short(b))
			r = NewReader(b)
			require.Nilf(t, r.Value(), "Value of %s", short(b))
			requireEOF(t, &r, n, "Value of %s", short(b))
			r = NewReader(b)
			walk(&r, 0)
			requireEOF(t, &r, n, "walk of %s", short(b))
		}
	}
}

// A value that ends behind the list that holds it is cut off, though there are bytes.
func TestReadTruncatedByList(t *testing.T) {
	for _, v := range all {
		for n := range min(len(v.b), 200) {
			if n == 0 {
				continue
			}
			in := slices.Concat([]byte{0xc0, byte(1 + n), 1}, v.b, make([]byte, 16))
			for name, read := range map[string]func(*Reader){"Skip": (*Reader).Skip, "walk": func(r *Reader) { walk(r, 0) }} {
				r := NewReader(in)
				r.List()
				read(&r)
				requireEOF(t, &r, 3+n, "%s in a list of %d bytes of %v", name, n, v)
			}
		}
	}
}

func TestReadWrongType(t *testing.T) {
	for _, v := range all {
		for _, rd := range readers {
			if slices.Contains(rd.types, v.typ) {
				continue
			}
			in := append(x("40 40 40"), v.b...)
			r := NewReader(in)
			for range 3 {
				r.Skip()
			}
			requireZero(t, rd.read(&r), "%s of %v", rd.name, v)
			requireError(t, &r, 3, fmt.Sprintf("got %v, want %s", v.typ, rd.want), "%s of %v", rd.name, v)
		}
	}
}

func TestReadNull(t *testing.T) {
	r := NewReader(x("40 41 40"))
	assert.True(t, r.Null())
	assert.False(t, r.Null(), "a boolean is no null")
	assert.Equal(t, 1, r.Offset(), "what is no null stays")
	assert.True(t, r.Boolean())
	assert.True(t, r.Null())
	assert.False(t, r.Null(), "the end is no null")
	assert.Nil(t, r.Err(), "and no error")
}

func TestReadErrors(t *testing.T) {
	boolean := func(r *Reader) any { return r.Boolean() }
	char := func(r *Reader) any { return r.Char() }
	str := func(r *Reader) any { return r.String() }
	symbol := func(r *Reader) any { return r.Symbol() }
	desc := func(r *Reader) any { c, s := r.Descriptor(); return descriptor{c, string(s)} }
	notBoolean := "boolean is not 0 or 1"
	notChar := "char is not a Unicode scalar value"
	notUTF8 := "string is not valid UTF-8"
	notDescriptor := "descriptor is not a ulong or symbol"
	for _, c := range []struct {
		name   string
		b      []byte
		read   func(*Reader) any
		offset int
		msg    string
	}{
		{"boolean 2", x("56 02"), boolean, 1, notBoolean},
		{"boolean 255", x("56 ff"), boolean, 1, notBoolean},
		{"char, first surrogate", x("73 0000d800"), char, 1, notChar},
		{"char, last surrogate", x("73 0000dfff"), char, 1, notChar},
		{"char behind the last", x("73 00110000"), char, 1, notChar},
		{"char 2^31-1", x("73 7fffffff"), char, 1, notChar},
		{"char 2^31", x("73 80000000"), char, 1, notChar},
		{"char 2^31 + 'A'", x("73 80000041"), char, 1, notChar},
		{"char 2^32-1", x("73 ffffffff"), char, 1, notChar},
		{"string, lone continuation", x("a1 01 80"), str, 2, notUTF8},
		{"string, cut rune", x("a1 02 e282"), str, 2, notUTF8},
		{"string, overlong", x("a1 02 c080"), str, 2, notUTF8},
		{"string, surrogate", x("a1 03 eda080"), str, 2, notUTF8},
		{"string, behind the last rune", x("a1 04 f4908080"), str, 2, notUTF8},
		{"string, after good runes", x("a1 04 616263ff"), str, 2, notUTF8},
		{"string, long form", x("b1 00000001 ff"), str, 5, notUTF8},
		{"symbol, first not ASCII", x("a3 01 80"), symbol, 2, "symbol is not ASCII"},
		{"symbol, UTF-8", x("a3 03 61c3a4"), symbol, 3, "symbol is not ASCII"},
		{"symbol, the last of ASCII", x("a3 02 7f80"), symbol, 3, "symbol is not ASCII"},
		{"symbol, long form", x("b3 00000003 6161ff"), symbol, 7, "symbol is not ASCII"},
		{"descriptor null", x("00 40 40"), desc, 1, notDescriptor},
		{"descriptor uint", x("00 52 70 40"), desc, 1, notDescriptor},
		{"descriptor long", x("00 55 70 40"), desc, 1, notDescriptor},
		{"descriptor string", x("00 a1 03 55524c a1 01 61"), desc, 1, notDescriptor}, // [amqp figure 1.3]
		{"descriptor list", x("00 45 40"), desc, 1, notDescriptor},
		{"descriptor described", x("00 00 53 70 53 71 40"), desc, 1, notDescriptor},
		{"descriptor symbol not ASCII", x("00 a3 01 ff 40"), desc, 3, "symbol is not ASCII"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Also behind a value, which moves the offset, and before more.
			for _, before := range []int{0, 1} {
				in := slices.Concat(bytes.Repeat(x("40"), before), c.b, x("40"))
				r := NewReader(in)
				for range before {
					r.Skip()
				}
				requireZero(t, c.read(&r), "%x", c.b)
				requireError(t, &r, before+c.offset, c.msg, "%x", c.b)
			}
		})
	}
}

// What is wrong with text is found wherever it stands.
func TestTextErrorsEverywhere(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for i := range n {
			b := append([]byte{0xa3, byte(n)}, bytes.Repeat([]byte("a"), n)...)
			b[2+i] = 0x80
			r := NewReader(b)
			require.Nilf(t, r.Symbol(), "Symbol of %x", b)
			requireError(t, &r, 2+i, "symbol is not ASCII", "Symbol of %x", b)
			b[0] = 0xa1
			r = NewReader(b)
			require.Nilf(t, r.String(), "String of %x", b)
			requireError(t, &r, 2, "string is not valid UTF-8", "String of %x", b)
			if i > 0 {
				b[1+i] = 0xc2 // which 0x80 may follow
				r = NewReader(b)
				require.Equalf(t, b[2:], r.String(), "String of %x", b)
				require.Nil(t, r.Err())
			}
		}
	}
}

// Skip does not look at what a value says.
func TestSkipLooksAtSizesOnly(t *testing.T) {
	for _, s := range []string{"56 02", "73 ffffffff", "a1 01 ff", "a3 01 ff", "c0 00", "c0 01 ff", "c0 02 00 01", "c1 03 01 40 40",
		"d0 00000000", "d1 00000001 ff", "e0 00", "e0 01 ff", "00 40 40", "00 a1 03 55524c a1 01 61", "00 00 53 70 53 71 40"} {
		b := x(s)
		r := NewReader(append(b, 0x40))
		assert.Equalf(t, b, r.Value(), "Value of %s", s)
		assert.Nil(t, r.Err())
	}
}

func TestSkip(t *testing.T) {
	for _, v := range all {
		in := slices.Concat(x("41"), v.b, x("42"))
		r := NewReader(in)
		r.Skip()
		r.Skip()
		require.Equalf(t, 1+len(v.b), r.Offset(), "Skip of %v", v)
		r.Reset(in, 1)
		require.Equalf(t, v.b, r.Value(), "Value of %v", v)
		require.Equalf(t, 1+len(v.b), r.Offset(), "Value of %v", v)
		if v.typ == Map {
			r.Reset(in, 1)
			r.SkipMap()
			require.Equalf(t, 1+len(v.b), r.Offset(), "SkipMap of %v", v)
		}
		r.Reset(in, 1)
		walk(&r, 0)
		require.Equalf(t, 1+len(v.b), r.Offset(), "walk of %v", v)
		require.Nilf(t, r.Err(), "%v", v)
	}
}

// Sizes near and above the largest int of 32 bits.
func TestHugeSizes(t *testing.T) {
	enters := []func(*Reader){
		func(r *Reader) { r.List() }, func(r *Reader) { r.Fields(3) }, func(r *Reader) { r.Map() }, func(r *Reader) { r.Array() }, (*Reader).SkipMap,
		func(r *Reader) { r.Binary() }, func(r *Reader) { r.String() }, func(r *Reader) { r.Symbol() },
		(*Reader).Skip, func(r *Reader) { r.Value() }, func(r *Reader) { walk(r, 0) },
	}
	sizes := []uint32{1 << 20, 1<<31 - 6, 1<<31 - 5, 1<<31 - 4, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 9, 1<<32 - 8}
	for n := range uint32(8) {
		sizes = append(sizes, math.MaxUint32-n)
	}
	for _, size := range sizes {
		for _, code := range []string{"b0", "b1", "b3", "d0", "d1", "f0"} {
			for _, count := range []string{"00000000", "00000002", "80000000", "ffffffff"} {
				b := x(code, fmt.Sprintf("%08x", size), count, times(20, "40"))
				for i, enter := range enters {
					r := NewReader(b)
					enter(&r)
					require.NotNilf(t, r.Err(), "reader %d of %x", i, b)
				}
				r := NewReader(b)
				r.Skip()
				requireEOF(t, &r, len(b), "Skip of %x", b)
				r = NewReader(b)
				walk(&r, 0)
				requireEOF(t, &r, len(b), "walk of %x", b)
				in := append(x("00 53 77"), b...)
				r = NewReader(in)
				r.Skip()
				requireEOF(t, &r, len(in), "Skip of %x", in)

				in = x("e0 0d 01", code, fmt.Sprintf("%08x", size), times(7, "40"), "40")
				r = NewReader(in)
				_, c, n := r.Array()
				require.Equal(t, 1, n)
				e := r.Element(c)
				require.Zero(t, e.Len())
				requireEOF(t, &r, len(in)-1, "Element of %x", in)
				require.Equal(t, r.Err(), e.Err())
			}
		}
	}
	// The count of a list that is all there.
	for _, code := range []string{"d0", "d1", "f0"} {
		for _, count := range []uint32{0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff} {
			b := x(code, "00000006", fmt.Sprintf("%08x", count), "40 40")
			r := NewReader(b)
			walk(&r, 0)
			requireEOF(t, &r, 5, "%x", b)
		}
	}
}

func TestEnter(t *testing.T) {
	const list, mapping, array = "List", "Map", "Array"
	for _, c := range []struct {
		how   string
		b     []byte
		n     int // items, pairs or elements
		at    int // where the first of them starts
		bytes int // how many bytes they have
	}{
		{list, x("45"), 0, 1, 0},
		{list, x("c0 01 00"), 0, 3, 0},
		{list, x("c0 03 02 40 41"), 2, 3, 2},
		{list, x("c0 ff fe", times(254, "40")), 254, 3, 254},
		{list, x("d0 00000004 00000000"), 0, 9, 0},
		{list, x("d0 00000006 00000002 40 41"), 2, 9, 2},
		{list, x("d0 00010005 00010001", times(0x10001, "40")), 0x10001, 9, 0x10001},
		{mapping, x("c1 01 00"), 0, 3, 0},
		{mapping, x("c1 03 02 40 41"), 1, 3, 2},
		{mapping, x("c1 ff fe", times(254, "40")), 127, 3, 254},
		{mapping, x("d1 00000004 00000000"), 0, 9, 0},
		{mapping, x("d1 00000008 00000004 40 41 42 43"), 2, 9, 4},
		{array, x("e0 02 00 40"), 0, 4, 0},
		{array, x("e0 04 02 50 01 02"), 2, 4, 2},
		{array, x("e0 ff fd 50", times(253, "01")), 253, 4, 253},
		{array, x("f0 00000005 00000000 40"), 0, 10, 0},
		{array, x("f0 00000009 00000002 60 0001 0002"), 2, 10, 4},
		{array, x("e0 05 01 00 53 77 43"), 1, 7, 0},
		// Elements without bytes: as many as the array has bytes, count apart.
		{array, x("e0 02 01 41"), 1, 4, 0},
		{array, x("e0 03 02 41 41"), 2, 4, 1},
		{array, x("f0 00000008 00000004 00 53 77 45"), 4, 13, 0},
	} {
		in := slices.Concat(x("41"), c.b, x("42"))
		r := NewReader(in)
		r.Skip()
		var outer Outer
		var n int
		switch c.how {
		case list:
			outer, n = r.List()
		case mapping:
			outer, n = r.Map()
		case array:
			outer, _, n = r.Array()
		}
		require.Nilf(t, r.Err(), "%s of %s", c.how, short(c.b))
		require.Equalf(t, c.n, n, "%s of %s", c.how, short(c.b))
		require.Equalf(t, 1+c.at, r.Offset(), "%s of %s", c.how, short(c.b))
		require.Equalf(t, c.bytes, r.Len(), "%s of %s", c.how, short(c.b))
		require.Len(t, r.Remaining(), c.bytes)
		r.LeaveEarly(outer)
		require.Equalf(t, x("42"), r.Remaining(), "LeaveEarly of %s", short(c.b))
		require.Nil(t, r.Err())
		if c.how == list {
			r.Reset(in, 1)
			_, n = r.Fields(c.n)
			require.Equalf(t, c.n, n, "Fields(%d) of %s", c.n, short(c.b))
			require.Nilf(t, r.Err(), "Fields(%d) of %s", c.n, short(c.b))
		}
	}
}

func TestEnterErrors(t *testing.T) {
	list := func(r *Reader) { r.Leave(first(r.List())) }
	mapping := func(r *Reader) { r.Leave(first(r.Map())) }
	array := func(r *Reader) { outer, _, _ := r.Array(); r.Leave(outer) }
	fields := func(most int) func(r *Reader) {
		return func(r *Reader) {
			outer, n := r.Fields(most)
			for range n {
				r.Skip()
			}
			r.Leave(outer)
		}
	}
	tooMany := func(n int) string { return fmt.Sprintf("count too large for %d bytes: unexpected EOF", n) }
	const tooSmall, eof = "size too small for its count", "unexpected EOF"
	for _, c := range []struct {
		name   string
		b      []byte
		read   func(*Reader)
		offset int
		msg    string
	}{
		{"list8, no room for the count", x("c0 00 00"), list, 1, tooSmall},
		{"list8, no room for the count, last byte", x("c0 00"), list, 1, tooSmall},
		{"list32, no room for the count", x("d0 00000003 00000000"), list, 1, tooSmall},
		{"list32, no room for the count, last byte", x("d0 00000003 000000"), list, 1, tooSmall},
		{"list32, size 0, last byte", x("d0 00000000"), list, 1, tooSmall},
		{"map8, skipped, no room for the count", x("c1 00"), (*Reader).SkipMap, 1, tooSmall},
		{"map32, skipped, no room for the count", x("d1 00000003 000000"), (*Reader).SkipMap, 1, tooSmall},
		{"map8, skipped, size past the end", x("c1 01"), (*Reader).SkipMap, 2, eof},
		{"map8, no room for the count", x("c1 00 00"), mapping, 1, tooSmall},
		{"map32, no room for the count", x("d1 00000000 00000000"), mapping, 1, tooSmall},
		{"array8, no room for the count", x("e0 00 00 40"), array, 1, tooSmall},
		{"array32, no room for the count", x("f0 00000002 00000000 40"), array, 1, tooSmall},
		{"array, no room for the constructor", x("e0 01 00"), array, 3, eof},
		{"array32, no room for the constructor", x("f0 00000004 00000000"), array, 9, eof},
		{"array, no room for the descriptor", x("e0 02 00 00"), array, 4, eof},
		{"array, cut descriptor", x("e0 03 00 00 53"), array, 5, eof},
		{"array, no constructor after the descriptor", x("e0 04 00 00 53 77"), array, 6, eof},

		{"list8, size past the end", x("c0 03 02 40"), list, 4, eof},
		{"list32, size past the end", x("d0 00000006 00000002 40"), list, 10, eof},
		{"map, size past the end", x("c1 04 02 40 40"), mapping, 5, eof},
		{"array, size past the end", x("e0 04 02 50 01"), array, 5, eof},

		{"list8, count too large", x("c0 03 03 40 41"), list, 2, tooMany(2)},
		{"list8, count of nothing", x("c0 01 01"), list, 2, tooMany(0)},
		{"list32, count too large", x("d0 00000006 00000003 40 41"), list, 5, tooMany(2)},
		{"map8, count too large", x("c1 03 04 40 41"), mapping, 2, tooMany(2)},
		{"map32, count too large", x("d1 00000006 00000004 40 41"), mapping, 5, tooMany(2)},
		{"array8, count too large", x("e0 04 03 50 01 02"), array, 2, tooMany(2)},
		{"array32, count too large", x("f0 00000007 00000003 50 01 02"), array, 5, tooMany(2)},
		{"array, count too large without bytes", x("e0 02 02 41"), array, 2, tooMany(0)},
		{"array, described, count too large", x("e0 06 02 00 53 77 50 01"), array, 2, tooMany(1)},

		{"map8, odd", x("c1 04 03 40 41 42"), mapping, 3, "map with an odd number of keys and values"},
		{"map32, odd", x("d1 00000005 00000001 40"), mapping, 9, "map with an odd number of keys and values"},

		{"list, trailing bytes", x("c0 03 00 40 41"), list, 3, "unexpected trailing data (2 bytes)"},
		{"list32, trailing bytes", x("d0 00000005 00000000 40"), list, 9, "unexpected trailing data (1 byte)"},
		{"list, read, trailing bytes", x("c0 04 02 40 41 42"), fields(2), 5, "unexpected trailing data (1 byte)"},
		{"map, trailing bytes", x("c1 02 00 40"), mapping, 3, "unexpected trailing data (1 byte)"},
		{"array, trailing bytes", x("e0 03 00 50 01"), array, 4, "unexpected trailing data (1 byte)"},

		{"one field too many", x("c0 03 02 40 41"), fields(1), 3, "2 fields, want at most 1"},
		{"count too large for the bytes and the type", x("c0 03 04 40 41"), fields(1), 2, tooMany(2)},
		{"fields where the type has none", x("d0 00000005 00000001 40"), fields(0), 9, "1 fields, want at most 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(c.b)
			c.read(&r)
			requireError(t, &r, c.offset, c.msg, "%x", c.b)
			for _, rd := range readers {
				if rd.name == "Fields" || !slices.Contains(rd.types, codeTable[c.b[0]].typ) {
					continue
				}
				r := NewReader(c.b)
				got := rd.read(&r)
				if r.Err() != nil { // not all errors are met at entering
					requireZero(t, got, "%s of %x", rd.name, c.b)
				}
			}
			if strings.HasSuffix(c.msg, eof) {
				require.ErrorIs(t, r.Err(), io.ErrUnexpectedEOF)
			} else {
				require.NotErrorIs(t, r.Err(), io.ErrUnexpectedEOF)
			}
		})
	}
}

// With an error there is nothing to iterate over.
func TestEnterErrorCount(t *testing.T) {
	r := NewReader(x("c0 03 02 40 41"))
	_, n := r.Fields(1)
	require.NotNil(t, r.Err())
	require.Zero(t, n)
	r = NewReader(x("c0 04 02 40"))
	_, n = r.List()
	require.NotNil(t, r.Err())
	require.Zero(t, n)
}

func first(outer Outer, _ int) Outer { return outer }

// A walk through nested values, each left at its end or before.
func TestLeave(t *testing.T) {
	in := x("c0 25 05", // a list of 5
		"c0 05 02 52 01 52 02",             // a list of 2 uints
		"d1 0000000e 00000004 a3 01 61 45", // a map of 2 pairs: a list of none,
		"a3 01 62 c0 01 00",                // and another
		"e0 06 02 60 0007 0008",            // an array of 2 ushorts
		"45 43",                            // a list of none, a uint
		"41")
	r := NewReader(in)
	at := func(offset, left int) {
		t.Helper()
		require.Nil(t, r.Err())
		require.Equal(t, offset, r.Offset(), "Offset")
		require.Equal(t, left, r.Len(), "Len")
	}
	at(0, 40)
	outer, n := r.List()
	require.Equal(t, 5, n)
	at(3, 36)

	inner, n := r.List()
	require.Equal(t, 2, n)
	at(6, 4)
	require.EqualValues(t, 1, r.Uint())
	other := r // a copy goes on by itself
	require.EqualValues(t, 2, r.Uint())
	at(10, 0)
	require.Equal(t, None, r.Next())
	r.Leave(inner)
	at(10, 29)
	require.Equal(t, 8, other.Offset())
	other.LeaveEarly(inner)
	require.Equal(t, r, other)

	inner, n = r.Map()
	require.Equal(t, 2, n)
	at(19, 10)
	require.Equal(t, "a", string(r.Symbol()))
	empty, n := r.List()
	require.Zero(t, n)
	at(23, 0)
	r.Leave(empty)
	at(23, 6)
	r.LeaveEarly(inner)
	at(29, 10)

	inner, constructor, n := r.Array()
	require.Equal(t, 2, n)
	at(33, 4)
	e := r.Element(constructor)
	require.EqualValues(t, 7, e.Ushort())
	at(35, 2)
	r.LeaveEarly(inner)
	at(37, 2)

	empty, n = r.List()
	require.Zero(t, n)
	at(38, 0)
	r.LeaveEarly(empty)
	at(38, 1)
	require.Zero(t, r.Uint())
	at(39, 0)
	r.Leave(outer)
	at(39, 1)
	require.True(t, r.Boolean())
	r.Done()
	at(40, 0)
}

// After an error all reads give zero values, the error stays, nothing is left.
func TestErrorStays(t *testing.T) {
	in := x("c0 06 04 41 40 50 07 41", "50 07")
	for _, rd := range readers {
		r := NewReader(in)
		outer, _ := r.List()
		require.True(t, r.Boolean())
		r.Boolean() // a null
		first := r.Err()
		requireError(t, &r, 4, "got null, want boolean", "Boolean")
		requireZero(t, rd.read(&r), "%s after an error", rd.name)
		require.Same(t, first, r.Err(), rd.name)
		require.Zero(t, r.ShortDescriptor(1, 0xff))
		require.Nil(t, r.Value())
		require.Equal(t, None, r.Next())
		require.False(t, r.Null())
		require.Empty(t, r.Remaining())
		r.Skip()
		r.Done()
		r.Fail(0, errors.New("another"))
		r.Leave(outer)
		r.LeaveEarly(outer)
		e := r.Element(x("50"))
		require.Same(t, first, e.Err())
		require.Same(t, first, r.Err())
		require.Zero(t, r.Len(), "after Leave too")
		r.Reset(in, 8)
		require.EqualValues(t, 7, r.Ubyte(), "Reset forgets the error")
		require.Nil(t, r.Err())
	}
}

func TestFailAndDone(t *testing.T) {
	r := NewReader(x("41 42 43"))
	r.Skip()
	c := r
	r.Done()
	requireError(t, &r, 1, "unexpected trailing data (2 bytes)", "Done")
	why := errors.New("why")
	c.Fail(2, why)
	requireError(t, &c, 2, "why", "Fail")
	require.ErrorIs(t, c.Err(), why)
}

func TestDescriptor(t *testing.T) {
	for _, c := range []struct {
		b      []byte
		code   uint64
		symbol []byte
		short  byte // what ShortDescriptor returns
	}{
		{x("00 53 70"), 0x70, nil, 0x70},
		{x("00 53 01"), 1, nil, 1},
		{x("00 53 ff"), 0xff, nil, 0xff},
		{x("00 53 00"), 0, nil, 0},
		{x("00 44"), 0, nil, 0},
		{x("00 80 0000000000000070"), 0x70, nil, 0},
		{x("00 80 0000468c00000004"), 0x468c00000004, nil, 0},
		{x("00 a3 03 613a62"), 0, []byte("a:b"), 0},
		{x("00 b3 00000003 613a62"), 0, []byte("a:b"), 0},
		{x("00 a3 00"), 0, []byte{}, 0},
	} {
		for _, value := range []string{"40", "c0 02 01 41", "00 53 71 40"} {
			in := append(c.b, x(value)...)
			r := NewReader(in)
			code, symbol := r.Descriptor()
			assert.Equalf(t, c.code, code, "Descriptor of %x", in)
			assert.Equalf(t, c.symbol, symbol, "Descriptor of %x", in)
			assert.Equalf(t, len(c.b), r.Offset(), "Descriptor of %x", in)
			assert.Nilf(t, r.Err(), "Descriptor of %x", in)

		}
		for _, value := range []string{"", "40"} {
			in := append(c.b, x(value)...)
			r := NewReader(in)
			assert.Equalf(t, c.short, r.ShortDescriptor(1, 0xff), "ShortDescriptor of %x", in)
			if c.short == 0 {
				assert.Zerof(t, r.Offset(), "ShortDescriptor of %x must not read what it does not return", in)
			} else {
				assert.Equalf(t, len(c.b), r.Offset(), "ShortDescriptor of %x", in)
			}
		}
		if n := c.short; n != 0 {
			for _, bounds := range [][2]byte{{n + 1, 0xff}, {1, n - 1}} {
				if bounds[0] == 0 || bounds[1] < bounds[0] {
					continue // nothing lies between
				}
				r := NewReader(c.b)
				assert.Zerof(t, r.ShortDescriptor(bounds[0], bounds[1]), "ShortDescriptor of %x from %v", c.b, bounds)
				assert.Zerof(t, r.Offset(), "ShortDescriptor of %x from %v", c.b, bounds)
			}
			for _, bounds := range [][2]byte{{n, n}, {1, n}, {n, 0xff}} {
				r := NewReader(c.b)
				assert.Equalf(t, n, r.ShortDescriptor(bounds[0], bounds[1]), "ShortDescriptor of %x from %v", c.b, bounds)
			}
		}
		for n := range c.b {
			r := NewReader(c.b[:n])
			assert.Zerof(t, r.ShortDescriptor(1, 0xff), "ShortDescriptor of %x", c.b[:n])
			assert.Zerof(t, r.Offset(), "ShortDescriptor of %x", c.b[:n])
			assert.Nil(t, r.Err())
		}
	}
	r := NewReader(x("55 53 70")) // a long, and a ulong that would be a code
	assert.Zero(t, r.ShortDescriptor(1, 0xff), "ShortDescriptor of a long")
	for _, v := range all {
		if v.typ != Described {
			r := NewReader(v.b)
			assert.Zerof(t, r.ShortDescriptor(1, 0xff), "ShortDescriptor of %v", v)
			assert.Zerof(t, r.Offset(), "ShortDescriptor of %v", v)
		}
	}
}

func TestArray(t *testing.T) {
	for _, c := range []struct {
		b           []byte
		constructor string
		elements    []string // each as a value on its own
	}{
		{x("e0 04 02 50 01 02"), "50", []string{"50 01", "50 02"}},
		{x("f0 00000007 00000002 50 01 02"), "50", []string{"50 01", "50 02"}},
		{x("e0 08 03 61 0001 8000 ffff"), "61", []string{"61 0001", "61 8000", "61 ffff"}},
		{x("e0 12 01 98 00112233445566778899aabbccddeeff"), "98", []string{"98 00112233445566778899aabbccddeeff"}},
		{x("e0 04 02 56 00 01"), "56", []string{"56 00", "56 01"}},
		// No bytes.
		{x("e0 02 00 98"), "98", nil},
		{x("e0 02 01 40"), "40", []string{"40"}},
		{x("f0 00000005 00000001 45"), "45", []string{"45"}},
		{x("f0 00000008 00000004 00 53 77 41"), "00 53 77 41", []string{"41", "41", "41", "41"}},
		// Variable size.
		{x("e0 06 03 a1 00 01 61 00"), "a1", []string{"a1 00", "a1 01 61", "a1 00"}},
		{x("e0 0b 02 b3 00000000 00000001 61"), "b3", []string{"b3 00000000", "b3 00000001 61"}},
		// Described: the descriptor is the array's and not each element's.
		{x("e0 07 02 00 53 77 52 01 02"), "00 53 77 52", []string{"52 01", "52 02"}},
		{x("e0 08 01 00 a3 01 75 a1 01 61"), "00 a3 01 75 a1", []string{"a1 01 61"}},
		{x("e0 09 01 00 53 01 00 53 02 50 07"), "00 53 01 00 53 02 50", []string{"50 07"}},
		{x("e0 09 01 00 00 53 01 53 02 50 07"), "00 00 53 01 53 02 50", []string{"50 07"}},
		// Lists, maps and arrays.
		{x("e0 08 02 c0 01 00 03 02 40 41"), "c0", []string{"c0 01 00", "c0 03 02 40 41"}},
		{x("e0 0e 01 d1 00000008 00000002 a3 01 61 40"), "d1", []string{"d1 00000008 00000002 a3 01 61 40"}},
		{x("e0 09 02 e0 02 01 41 03 01 52 07"), "e0", []string{"e0 02 01 41", "e0 03 01 52 07"}},
	} {
		in := append(slices.Clone(c.b), 0x42)
		r := NewReader(in)
		outer, constructor, n := r.Array()
		require.Nilf(t, r.Err(), "Array of %x", c.b)
		require.Equalf(t, x(c.constructor), constructor, "Array of %x", c.b)
		require.Equalf(t, len(c.elements), n, "Array of %x", c.b)
		for i, want := range c.elements {
			e := r.Element(constructor)
			require.Equalf(t, x(want), e.Remaining(), "element %d of %x", i, c.b)
			require.Zero(t, e.Offset())
			e.Skip()
			e.Done()
			require.Nil(t, e.Err())
		}
		r.Leave(outer)
		require.Nilf(t, r.Err(), "Array of %x", c.b)
		require.Equalf(t, x("42"), r.Remaining(), "Array of %x", c.b)
	}
}

func TestArrayOfArrays(t *testing.T) {
	in := x("e0 09 02 e0 02 01 41 03 01 52 07")
	r := NewReader(in)
	outer, constructor, n := r.Array()
	require.Equal(t, 2, n)
	var got []string
	for range n {
		e := r.Element(constructor)
		inner, c, m := e.Array()
		for range m {
			item := e.Element(c)
			got = append(got, fmt.Sprintf("%x", item.Remaining()))
		}
		e.Leave(inner)
		e.Done()
		require.Nil(t, e.Err())
	}
	r.Leave(outer)
	r.Done()
	require.Nil(t, r.Err())
	require.Equal(t, []string{"41", "5207"}, got)
}

func TestElementErrors(t *testing.T) {
	for _, c := range []struct {
		b      []byte
		offset int
	}{
		{x("e0 04 02 60 0001"), 6},
		{x("e0 05 02 60 0001 00"), 7},
		{x("e0 03 01 a1 01"), 5},
		{x("e0 05 01 b1 000000"), 7},
		{x("e0 06 01 b1 00000001"), 8},
		{x("e0 04 01 c0 02 00"), 6},
	} {
		r := NewReader(append(c.b, make([]byte, 8)...))
		_, constructor, n := r.Array()
		var e Reader
		for range n {
			require.Nilf(t, r.Err(), "%x", c.b)
			e = r.Element(constructor)
		}
		requireEOF(t, &r, c.offset, "Element of %x", c.b)
		require.Same(t, r.Err(), e.Err())
		require.Zero(t, e.Len())
	}
}

// nest returns inner inside n lists, maps or arrays, the outer ones in the wide encoding where the narrow one
// cannot hold them.
func nest(code byte, n int, inner []byte) []byte {
	for range n {
		code := code
		if len(inner) > 0xff-2 {
			code |= 0x10
		}
		switch code {
		case 0xc0:
			inner = slices.Concat([]byte{code, byte(1 + len(inner)), 1}, inner)
		case 0xc1:
			inner = slices.Concat([]byte{code, byte(2 + len(inner)), 2, 0x40}, inner)
		case 0xd0:
			inner = slices.Concat(x(fmt.Sprintf("d0 %08x 00000001", 4+len(inner))), inner)
		case 0xd1:
			inner = slices.Concat(x(fmt.Sprintf("d1 %08x 00000002 40", 5+len(inner))), inner)
		case 0xe0: // an element has no code of its own, the array before it has that
			inner = slices.Concat([]byte{code, byte(1 + len(inner)), 1}, inner)
		case 0xf0:
			inner = slices.Concat(x(fmt.Sprintf("f0 %08x 00000001", 4+len(inner))), inner)
		}
	}
	return inner
}

func TestMaxDepth(t *testing.T) {
	const deep = "nested too deep"
	for _, c := range []struct {
		code  byte
		inner []byte
	}{
		{0xc0, x("45")},
		{0xc0, x("c0 01 00")},
		{0xc0, x("c1 01 00")},
		{0xc0, x("e0 02 00 40")},
		{0xc0, x("d0 00000004 00000000")},
		{0xc1, x("45")},
		{0xd0, x("45")},
		{0xd1, x("c0 01 00")},
	} {
		ok := nest(c.code, MaxDepth-1, c.inner)
		r := NewReader(ok)
		walk(&r, 0)
		require.Nilf(t, r.Err(), "%x", ok)
		require.Equal(t, len(ok), r.Offset())

		bad := nest(c.code, MaxDepth, c.inner)
		r = NewReader(bad)
		walk(&r, 0)
		requireError(t, &r, len(bad)-len(c.inner), deep, "%x", bad)

		if c.code == 0xc0 {
			r = NewReader(bad)
			for range MaxDepth {
				r.List()
			}
			_, n := r.List()
			require.NotNil(t, r.Err())
			require.Zero(t, n)
		}

		// Another error is not taken for it one level before.
		if c.code == 0xc0 || c.code == 0xd0 {
			cut := nest(c.code, MaxDepth-1, x("d0 00000005 00000000"))
			r = NewReader(cut)
			walk(&r, 0)
			requireEOF(t, &r, len(cut), "a size past the end at the last level")
		}

		// Reset begins anew.
		r = NewReader(ok)
		r.Map()
		r.List()
		r.Reset(ok, 0)
		walk(&r, 0)
		require.Nilf(t, r.Err(), "%x", ok)
		r.Reset(bad, 0)
		walk(&r, 0)
		requireError(t, &r, len(bad)-len(c.inner), deep, "%x", bad)

		// Skip looks into none of them.
		r = NewReader(bad)
		r.Skip()
		require.Nil(t, r.Err())
		require.Equal(t, len(bad), r.Offset())
	}

}

// What was entered and left does not count.
func TestDepthAfterLeave(t *testing.T) {
	leave := map[string]func(*Reader, Outer){"Leave": (*Reader).Leave, "LeaveEarly": (*Reader).LeaveEarly}
	for _, sibling := range []string{"45", "c0 01 00", "d0 00000004 00000000", "c1 01 00", "e0 02 00 40"} {
		for name, leave := range leave {
			for nested, want := range map[int]error{MaxDepth: nil, MaxDepth + 1: errDepth} {
				in := append(x(times(100, sibling)), nest(0xc0, nested-1, x("45"))...)
				r := NewReader(in)
				for range 100 {
					var outer Outer
					switch r.Next() {
					case List:
						outer, _ = r.List()
					case Map:
						outer, _ = r.Map()
					case Array:
						outer, _, _ = r.Array()
					}
					leave(&r, outer)
				}
				walk(&r, 0)
				if want == nil {
					require.Nilf(t, r.Err(), "%d lists after %s of 100 of %s", nested, name, sibling)
				} else {
					require.NotNilf(t, r.Err(), "%d lists after %s of 100 of %s", nested, name, sibling)
					require.ErrorIs(t, r.Err(), want)
				}
			}
		}
	}
}

// Arrays in arrays, whose elements have readers of their own, count all the same.
func TestMaxDepthOfArrays(t *testing.T) {
	for _, code := range []byte{0xe0, 0xf0} {
		ok := nest(code, MaxDepth, x("40"))
		r := NewReader(ok)
		walk(&r, 0)
		require.Nilf(t, r.Err(), "%x", ok)
		require.Equal(t, len(ok), r.Offset())

		bad := nest(code, MaxDepth+1, x("40"))
		r = NewReader(bad)
		walk(&r, 0)
		require.NotNilf(t, r.Err(), "%x", bad)
		require.ErrorIs(t, r.Err(), errDepth)
	}
	// An element that is a list counts its array.
	ok := nest(0xc0, MaxDepth-2, x("e0 02 01 45"))
	r := NewReader(ok)
	walk(&r, 0)
	require.Nil(t, r.Err())
	r = NewReader(nest(0xc0, 1, ok))
	walk(&r, 0)
	require.ErrorIs(t, r.Err(), errDepth)
}

// Described values are passed over and read however deep they stand in one another,
// and their descriptors too; but a constructor of so many descriptors is refused.
func TestDescribedDepth(t *testing.T) {
	const n = 100_000
	for _, s := range []string{"00 53 77", "00 a3 01 61", "00 44"} {
		b := x(times(n, s), "40")
		for name, read := range map[string]func(*Reader){"Skip": (*Reader).Skip, "Value": func(r *Reader) { r.Value() }, "walk": func(r *Reader) { walk(r, 0) }} {
			r := NewReader(b)
			read(&r)
			require.Nilf(t, r.Err(), "%s of %s again and again", name, s)
			require.Equalf(t, len(b), r.Offset(), "%s of %s again and again", name, s)
			r = NewReader(b[:len(b)-1])
			read(&r)
			requireEOF(t, &r, len(b)-1, "%s of %s again and again", name, s)
		}
	}
	b := x(times(n, "00"), "40", times(n, "40"))
	r := NewReader(b)
	r.Skip()
	require.Nil(t, r.Err())
	require.Equal(t, len(b), r.Offset())
	r = NewReader(b)
	r.Descriptor()
	requireError(t, &r, 1, "descriptor is not a ulong or symbol", "Descriptor")

	for _, descriptors := range []int{MaxDepth - 1, MaxDepth} { // the array counts as well
		b := append(x(times(descriptors, "00 53 77")), 0x40)
		b = slices.Concat(x(fmt.Sprintf("f0 %08x 00000001", 4+len(b))), b)
		r := NewReader(b)
		_, _, n := r.Array()
		if descriptors < MaxDepth {
			require.Nil(t, r.Err())
			require.Equal(t, 1, n)
		} else {
			requireError(t, &r, 9+3*(MaxDepth-1), "nested too deep", "Array of %d descriptors", descriptors)
			require.Zero(t, n)
		}
	}
}

// A call of Skip for each value gets through any input, and each goes on by the value
// alone: the cost is proportional to the bytes.
func TestSkipCost(t *testing.T) {
	const size = 1 << 14
	for _, s := range []string{"40", "45", "c0 00", "c0 01 ff", "e0 00", "a0 00", "d0 00000000", "00 53 70 40", "00 00 44 44 40"} {
		n := size / len(x(s))
		r := NewReader(bytes.Repeat(x(s), n))
		steps := 0
		for r.Len() > 0 {
			before := r.Offset()
			r.Skip()
			require.Equalf(t, before+len(x(s)), r.Offset(), "%s again and again", s)
			steps++
		}
		require.Nil(t, r.Err())
		require.Equalf(t, n, steps, "%s again and again", s)
	}
	// One error is all that hostile input makes a Reader allocate.
	for _, s := range []string{"00", "00 00 53 70", "00 a1 00", "00 45"} {
		b := bytes.Repeat(x(s), size)
		var r Reader
		require.LessOrEqualf(t, testing.AllocsPerRun(10, func() { r.Reset(b, 0); r.Skip() }), 1.0, "Skip of %s again and again", s)
		requireEOF(t, &r, len(b), "Skip of %s again and again", s)
	}
}

// Elements cost what they have, not what their constructor has too.
func TestElementCost(t *testing.T) {
	const size = 1 << 16
	b := x(fmt.Sprintf("f0 %08x %08x 00 b3 %08x", 4+1+5+size+1+size, size, size), times(size, "61"), "50", times(size, "07"))
	r := NewReader(b)
	outer, constructor, n := r.Array()
	require.Equal(t, size, n)
	require.Len(t, constructor, 1+5+size+1)
	total := 0
	for range n {
		e := r.Element(constructor)
		total += e.Len()
	}
	r.Leave(outer)
	require.Nil(t, r.Err())
	require.Equal(t, 2*size, total)

	r = NewReader(b)
	_, constructor, _ = r.Array()
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { r.Element(constructor) }), 1.0)
}

func TestReadAllocatesNothing(t *testing.T) {
	for _, v := range all {
		for name, read := range map[string]func(*Reader){"Skip": (*Reader).Skip, "Value": func(r *Reader) { r.Value() }} {
			var r Reader
			n := testing.AllocsPerRun(10, func() { r.Reset(v.b, 0); read(&r) })
			require.Zerof(t, n, "allocations of %s of %v", name, v)
			require.Nil(t, r.Err())
		}
		if v.typ == Map {
			var r Reader
			require.Zerof(t, testing.AllocsPerRun(10, func() { r.Reset(v.b, 0); r.SkipMap() }), "allocations of SkipMap of %v", v)
		}
		if bytes.IndexByte(v.b, 0xe0) < 0 && bytes.IndexByte(v.b, 0xf0) < 0 { // Element does allocate
			var r Reader
			n := testing.AllocsPerRun(10, func() { r.Reset(v.b, 0); walk(&r, 0) })
			require.Zerof(t, n, "allocations of a walk of %v", v)
			require.Nil(t, r.Err())
		}
		if v.typ == Array {
			var r Reader
			n := testing.AllocsPerRun(10, func() { r.Reset(v.b, 0); outer, _, _ := r.Array(); r.LeaveEarly(outer) })
			require.Zerof(t, n, "allocations of Array of %v", v)
		}
	}
}

// Appending to what a Reader returned does not write into its input.
func TestClipped(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		read func(*Reader) []byte
	}{
		{"Binary", x("a0 01 61"), (*Reader).Binary},
		{"Binary", x("b0 00000001 61"), (*Reader).Binary},
		{"Binary, empty", x("a0 00"), (*Reader).Binary},
		{"String", x("a1 01 61"), (*Reader).String},
		{"String, empty", x("b1 00000000"), (*Reader).String},
		{"Symbol", x("a3 01 61"), (*Reader).Symbol},
		{"Symbol, empty", x("a3 00"), (*Reader).Symbol},
		{"Decimal", x("74 00000001"), (*Reader).Decimal},
		{"Value", x("a1 01 61"), (*Reader).Value},
		{"Value", x("c0 02 01 40"), (*Reader).Value},
		{"Value", x("00 53 70 45"), (*Reader).Value},
		{"Since", x("41"), func(r *Reader) []byte { at := r.Offset(); r.Skip(); return r.Since(at) }},
		{"Since, nothing", x("41"), func(r *Reader) []byte { return r.Since(r.Offset()) }},
		{"Remaining in a list", x("c0 02 01 40"), func(r *Reader) []byte { r.List(); return r.Remaining() }},
		{"Remaining in list0", x("45"), func(r *Reader) []byte { r.List(); return r.Remaining() }},
		{"Descriptor", x("00 a3 01 61 40"), func(r *Reader) []byte { _, s := r.Descriptor(); return s }},
		{"constructor", x("e0 03 01 50 07"), func(r *Reader) []byte { _, c, _ := r.Array(); return c }},
		{"Element", x("e0 03 01 50 07"), func(r *Reader) []byte { _, c, _ := r.Array(); e := r.Element(c); return e.Remaining() }},
		{"Element without bytes", x("e0 03 02 41 41"), func(r *Reader) []byte { _, c, _ := r.Array(); e := r.Element(c); return e.Remaining() }},
	} {
		in := append(c.b, x("55 66 77 88")...)
		before := slices.Clone(in)
		r := NewReader(in)
		got := c.read(&r)
		require.Nil(t, r.Err(), c.name)
		require.NotNil(t, got, c.name)
		require.Equal(t, len(got), cap(got), c.name)
		_ = append(got, 0xee, 0xee)
		require.Equal(t, before, in, c.name)
		if strings.HasPrefix(c.name, "Element") { // new memory
			for i := range got {
				got[i] = 0xee
			}
			require.Equal(t, before, in, c.name)
		}
	}
}
