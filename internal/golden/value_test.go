package golden

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseValue(t *testing.T) {
	uuid := [16]byte{0: 0x0f, 15: 0xf0}
	for text, want := range map[string]any{
		"null":                         nil,
		"none":                         nil,
		"boolean true":                 true,
		"byte -128":                    int64(-128),
		"short 7":                      int64(7),
		"int -2147483648":              int64(math.MinInt32),
		"long 9223372036854775807":     int64(math.MaxInt64),
		"timestamp -1":                 int64(-1),
		"ubyte 255":                    uint64(255),
		"ushort 65535":                 uint64(65535),
		"char 65":                      uint64(65),
		"uint 4294967295":              uint64(math.MaxUint32),
		"ulong 18446744073709551615":   uint64(math.MaxUint64),
		"float 1.5/3fc00000":           float32(1.5),
		"float 1.0E10/501502f9":        float32(1e10),
		"double 2.5/4004000000000000":  2.5,
		"double -0.0/8000000000000000": math.Copysign(0, -1),
		"float Infinity/7f800000":      float32(math.Inf(1)),
		`string ""`:                    "",
		`string "a\"\\\n\u00e9"`:       "a\"\\\né",
		`string "\ud83d\ude00"`:        "😀",
		`string "\ufffd"`:              "\ufffd",
		`symbol "a:b"`:                 "a:b",
		"uuid 0f000000-0000-0000-0000-0000000000f0": uuid,
		"bytes":                          []byte{},
		"binary 00ff":                    []byte{0, 0xff},
		"decimal32 22500001":             []byte{0x22, 0x50, 0, 1},
		`queue "q"`:                      "q",
		"temporary-queue":                nil,
		`temporary-topic "t"`:            "t",
		"error":                          nil,
		`error "why"`:                    "why",
		"object":                         nil,
		`object "1"`:                     "1",
		"list []":                        []Value{},
		"list [binary, null, binary 01]": []Value{{Type: "binary", V: []byte{}}, {Type: "null"}, {Type: "binary", V: []byte{1}}},
		"array [int 1]":                  []Value{{Type: "int", V: int64(1)}},
		"map {}":                         []Entry{},
		`map {string "k" = list [], binary = null}`: []Entry{
			{Value{Type: "string", V: "k"}, Value{Type: "list", V: []Value{}}},
			{Value{Type: "binary", V: []byte{}}, Value{Type: "null"}}},
		`described (symbol "a") described (ulong 1) null`: Described{Value{Type: "symbol", V: "a"},
			Value{Type: "described", V: Described{Value{Type: "ulong", V: uint64(1)}, Value{Type: "null"}}}},
	} {
		v, err := ParseValue(text)
		require.NoError(t, err, text)
		require.Equal(t, want, v.V, text)
		require.Equal(t, text, v.String())
		require.True(t, v.Equal(v), text)
		require.True(t, v.Representable(), text)
	}
}

func TestParseValueErrors(t *testing.T) {
	for _, text := range []string{
		"", " ", "nul", "null 1", "none 1", "boolean", "boolean 1", "boolean TRUE", "boolean true ", "int", "int ", "int 1 2",
		"int +1", "int 01", "int -0", "int 2147483648", "byte 128", "ubyte -1", "ubyte 256", "ulong 18446744073709551616",
		"char 4294967296", "long 0x1", "timestamp now", "integer 1", "Int 1", "int  1",
		"float 1.5", "float 1.5/3fc0000", "float 1.5/3fc00001", "float x/3fc00000", "float 0.0/80000000", "double 1.5/3fc00000",
		"string", "string a", `string "a`, `string "a" "b"`, `string "\x"`, `string "\u0061"`, `string "é"`, `string "\u00E9"`,
		"symbol", "uuid 0f", "uuid 0f0000000000000000000000000000f0", "uuid 0F000000-0000-0000-0000-0000000000f0",
		"bytes 0", "bytes 0g", "bytes FF", "bytes ", "binary 0-0", "decimal32 00", "decimal128",
		"queue", "topic t", "temporary-queue t", "error why", "object {}",
		"list", "list []]", "list [int 1", "list [int 1,int 2]", "list [int 1 int 2]", "list [, int 1]", "list [int 1, ]", "array {}",
		"map", "map []", "map {int 1}", "map {int 1 = }", "map {int 1 = int 2", "map {int 1 = int 2 int 3 = int 4}", "map {x = null}",
		"described", "described null null", "described (null", "described (null)", "described (null)null", "described (x) null",
		"described (null) x", "text a", "wire 00",
	} {
		v, err := ParseValue(text)
		require.Error(t, err, "ParseValue(%q)", text)
		require.Zero(t, v)
	}
	deep := ""
	for range maxDepth + 1 {
		deep += "described (null) "
	}
	_, err := ParseValue(deep + "null")
	require.ErrorContains(t, err, "nested too deep")
}

func TestUnpairedSurrogate(t *testing.T) {
	v, err := ParseValue(`list [string "a\ud83db"]`)
	require.NoError(t, err)
	require.False(t, v.Representable())
	require.Equal(t, `list [string "a\ud83db"]`, v.String())
	require.True(t, v.Equal(v))
	require.False(t, v.Equal(Value{Type: "list", V: []Value{{Type: "string", V: "a\ufffdb"}}}))
}

func TestEqual(t *testing.T) {
	val := func(text string) Value {
		v, err := ParseValue(text)
		require.NoError(t, err)
		return v
	}
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"int 1", "int 1", true},
		{"int 1", "int 2", false},
		{"int 1", "long 1", false},
		{"float 1.0E10/501502f9", "float 1e10/501502f9", true},
		{"float NaN/7fc00000", "float NaN/7fc00000", true},
		{"float 0.0/00000000", "float -0.0/80000000", false},
		{"double NaN/7ff8000000000000", "double NaN/7ff8000000000001", false},
		{"bytes 01", "binary 01", false},
		{"binary", "binary 00", false},
		{`error "a"`, `error "b"`, true},
		{"error", "null", false},
		{`map {int 1 = int 2, int 3 = int 4}`, `map {int 3 = int 4, int 1 = int 2}`, true},
		{`map {int 1 = int 2, int 1 = int 2}`, `map {int 1 = int 2, int 3 = int 2}`, false},
		{`map {int 1 = int 2}`, `map {}`, false},
		{"list [int 1, int 2]", "list [int 2, int 1]", false},
		{"list []", "array []", false},
		{"described (ulong 1) null", "described (ulong 1) null", true},
		{"described (ulong 1) null", "described (ulong 2) null", false},
		{"described (ulong 1) null", "described (ulong 1) int 1", false},
		{"temporary-queue", `temporary-queue "t"`, false},
		{`queue "a"`, `topic "a"`, false},
	} {
		require.Equal(t, row.want, val(row.a).Equal(val(row.b)), "%s, %s", row.a, row.b)
		require.Equal(t, row.want, val(row.b).Equal(val(row.a)), "%s, %s", row.b, row.a)
	}
}

func TestFrom(t *testing.T) {
	type id [16]byte
	for _, row := range []struct {
		v    any
		want string
	}{
		{nil, "null"}, {true, "boolean true"}, {int8(-1), "byte -1"}, {int16(-1), "short -1"}, {int32(-1), "int -1"},
		{int64(-1), "long -1"}, {uint8(1), "ubyte 1"}, {uint16(1), "ushort 1"}, {uint32(1), "uint 1"}, {uint64(1), "ulong 1"},
		{float32(1.5), "float 1.5/3fc00000"}, {2.5, "double 2.5/4004000000000000"}, {"é", `string "\u00e9"`},
		{[]byte{1}, "binary 01"}, {id{1}, "uuid 01000000-0000-0000-0000-000000000000"},
		{time.UnixMilli(5), "timestamp 5"}, {errors.New("why"), `error "why"`},
		{[]any{int32(1), nil}, "list [int 1, null]"},
		{map[string]any{"b": int32(1), "a": "x"}, `map {string "a" = string "x", string "b" = int 1}`},
		{map[any]any{uint64(1): nil}, "map {ulong 1 = null}"},
		{Value{Type: "symbol", V: "s"}, `symbol "s"`},
	} {
		v, err := From(row.v)
		require.NoError(t, err, row.want)
		require.Equal(t, row.want, v.String())
		back, err := ParseValue(v.String())
		require.NoError(t, err)
		require.True(t, back.Equal(v), row.want)
	}
	type name string
	for _, v := range []any{1, uint(1), name("x"), struct{}{}, []string{"a"}, [15]byte{}, []any{1}, map[string]int{"a": 1},
		map[int]any{1: nil}} {
		got, err := From(v)
		require.Error(t, err, "From(%#v)", v)
		require.Zero(t, got)
	}
}
