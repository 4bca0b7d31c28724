package golden

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

// Each value in its four forms: AMQP's encoding by hand from the tables of format codes [amqp 1.6], text, JSON and Go.
// inGo is noGo where Go has no such value.
func codecRows() []struct {
	wire, text, json string
	inGo             any
} {
	type none = noGo
	return []struct {
		wire, text, json string
		inGo             any
	}{
		{"40", "null", `{"t":"null"}`, nil},
		{"41", "boolean true", `{"t":"boolean","v":true}`, true},
		{"5600", "boolean false", `{"t":"boolean","v":false}`, false},
		{"50ff", "ubyte 255", `{"t":"ubyte","v":255}`, uint8(255)},
		{"60ffff", "ushort 65535", `{"t":"ushort","v":65535}`, uint16(65535)},
		{"43", "uint 0", `{"t":"uint","v":0}`, uint32(0)},
		{"70ffffffff", "uint 4294967295", `{"t":"uint","v":4294967295}`, uint32(4294967295)},
		{"80ffffffffffffffff", "ulong 18446744073709551615", `{"t":"ulong","v":"18446744073709551615"}`, uint64(1<<64 - 1)},
		{"5180", "byte -128", `{"t":"byte","v":-128}`, int8(-128)},
		{"618000", "short -32768", `{"t":"short","v":-32768}`, int16(-32768)},
		{"54ff", "int -1", `{"t":"int","v":-1}`, int32(-1)},
		{"818000000000000000", "long -9223372036854775808", `{"t":"long","v":"-9223372036854775808"}`, int64(-1 << 63)},
		{"723fc00000", "float 1.5/3fc00000", `{"t":"float","v":"1.5","bits":"3fc00000"}`, float32(1.5)},
		{"824004000000000000", "double 2.5/4004000000000000", `{"t":"double","v":"2.5","bits":"4004000000000000"}`, 2.5},
		{"7422500001", "decimal32 22500001", `{"t":"decimal32","v":"22500001"}`, none{}},
		{"842234000000000001", "decimal64 2234000000000001", `{"t":"decimal64","v":"2234000000000001"}`, none{}},
		{"730001f600", "char 128512", `{"t":"char","v":128512}`, none{}},
		{"830000018bcfe56800", "timestamp 1700000000000", `{"t":"timestamp","v":"1700000000000"}`, time.UnixMilli(1700000000000)},
		{"9800112233445566778899aabbccddeeff", "uuid 00112233-4455-6677-8899-aabbccddeeff",
			`{"t":"uuid","v":"00112233-4455-6677-8899-aabbccddeeff"}`,
			amqp.UUID{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}},
		{"a0020aff", "binary 0aff", `{"t":"binary","v":"0aff"}`, []byte{0x0a, 0xff}},
		{"a000", "binary", `{"t":"binary","v":""}`, []byte{}},
		{"a103 3cc3a9", `string "<\u00e9"`, `{"t":"string","v":"<é"}`, "<é"},
		{"a303 613a62", `symbol "a:b"`, `{"t":"symbol","v":"a:b"}`, amqp.Symbol("a:b")},
		{"45", "list []", `{"t":"list","v":[]}`, []any{}},
		{"c00402 5401 40", "list [int 1, null]", `{"t":"list","v":[{"t":"int","v":1},{"t":"null"}]}`, []any{int32(1), nil}},
		{"c00601 7300000041", "list [char 65]", `{"t":"list","v":[{"t":"char","v":65}]}`, none{}},
		{"c10100", "map {}", `{"t":"map","v":[]}`, map[string]any{}},
		{"c10502 a10161 41", `map {string "a" = boolean true}`,
			`{"t":"map","v":[[{"t":"string","v":"a"},{"t":"boolean","v":true}]]}`, map[string]any{"a": true}},
		{"c10402 5301 41", "map {ulong 1 = boolean true}",
			`{"t":"map","v":[[{"t":"ulong","v":"1"},{"t":"boolean","v":true}]]}`, map[any]any{uint64(1): true}},
		{"c10302 45 41", "map {list [] = boolean true}",
			`{"t":"map","v":[[{"t":"list","v":[]},{"t":"boolean","v":true}]]}`, none{}},
		{"c10702 7300000041 41", "map {char 65 = boolean true}",
			`{"t":"map","v":[[{"t":"char","v":65},{"t":"boolean","v":true}]]}`, none{}},
		{"c10902 a10161 7300000041", `map {string "a" = char 65}`,
			`{"t":"map","v":[[{"t":"string","v":"a"},{"t":"char","v":65}]]}`, none{}},
		{"e004025401 02", "array [int 1, int 2]", `{"t":"array","v":[{"t":"int","v":1},{"t":"int","v":2}]}`, none{}},
		{"e0080200a3016154 0102", `array (symbol "a") [int 1, int 2]`,
			`{"t":"array","v":[{"t":"int","v":1},{"t":"int","v":2}],"descriptor":{"t":"symbol","v":"a"}}`, none{}},
		{"e0090000a30161005301 54", `array (symbol "a") (ulong 1) []`,
			`{"t":"array","v":{"t":"array","v":[],"descriptor":{"t":"ulong","v":"1"}},"descriptor":{"t":"symbol","v":"a"}}`, none{}},
		{"0053ff 5401", "described (ulong 255) int 1",
			`{"t":"described","v":{"t":"int","v":1},"descriptor":{"t":"ulong","v":"255"}}`, none{}},
		{"00a30161 00a30162 40", `described (symbol "a") described (symbol "b") null`,
			`{"t":"described","v":{"t":"described","v":{"t":"null"},"descriptor":{"t":"symbol","v":"b"}},"descriptor":{"t":"symbol","v":"a"}}`, none{}},

		// Values of JMS, which AMQP does not encode.
		{"", "none", `{"t":"none"}`, none{}},
		{"", "object", `{"t":"object"}`, none{}},
		{"", "bytes 01", `{"t":"bytes","v":"01"}`, []byte{1}},
		{"", `queue "q"`, `{"t":"destination","kind":"queue","name":"q"}`, none{}},
		{"", "temporary-topic", `{"t":"destination","kind":"temporary-topic"}`, none{}},
		{"", `error "why"`, `{"t":"error","message":"why"}`, none{}},
		{"", `string "a\ud83db"`, `{"t":"string","v":"a\ud83db"}`, "a\ufffdb"},
		{"", "float 1.0E10/501502f9", `{"t":"float","v":"1.0E10","bits":"501502f9"}`, float32(1e10)},
	}
}

type noGo struct{}

func TestCodec(t *testing.T) {
	for _, row := range codecRows() {
		want, err := ParseValue(row.text)
		require.NoError(t, err, row.text)
		require.Equal(t, row.text, want.String())

		if row.wire != "" {
			b, err := hex.DecodeString(strings.ReplaceAll(row.wire, " ", ""))
			require.NoError(t, err)
			got, err := Decode(b)
			require.NoError(t, err, row.wire)
			require.Equal(t, row.text, got.String(), row.wire)
			require.True(t, got.Equal(want), row.wire)
		}

		data, err := json.Marshal(want)
		require.NoError(t, err, row.text)
		require.JSONEq(t, row.json, string(data))
		var got Value
		require.NoError(t, json.Unmarshal([]byte(row.json), &got), row.json)
		require.Equal(t, row.text, got.String(), row.json)
		require.True(t, got.Equal(want), row.json)

		value, ok := want.Go()
		require.Equal(t, row.inGo != any(noGo{}), ok, row.text)
		if ok {
			require.Equal(t, row.inGo, value, row.text)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, row := range []struct {
		name, wire string
		offset     int
		err        string
	}{
		{"nothing", "", 0, io.ErrUnexpectedEOF.Error()},
		{"two values", "4040", 1, "unexpected trailing data (1 byte)"},
		{"a code that there is not", "99", 0, "invalid format code 0x99"},
		{"the first of two items", "c00702 a10180 a10161", 5, "string is not valid UTF-8"},
		{"the key of the first of two pairs", "c10904 a10180 40 a10161 40", 5, "string is not valid UTF-8"},
		{"the first of two elements", "e00602 a1 0180 0161", 5, "string is not valid UTF-8"},
		{"a descriptor", "00 41 5401", 1, "descriptor is not a ulong or symbol"},
		{"described values", strings.Repeat("0044", 100_000) + "40", 202, "nested too deep"},
	} {
		b, err := hex.DecodeString(strings.ReplaceAll(row.wire, " ", ""))
		require.NoError(t, err)
		v, err := Decode(b)
		require.Zero(t, v, row.name)
		var e *wire.Error
		require.True(t, errors.As(err, &e), row.name)
		require.Equal(t, row.offset, e.Offset, row.name)
		require.EqualError(t, e.Err, row.err, row.name)
	}
}

func TestUnmarshalErrors(t *testing.T) {
	for _, data := range []string{
		`1`, `{}`, `{"t":"integer","v":1}`, `{"t":"int"}`, `{"t":"int","v":"1"}`, `{"t":"int","v":1,"x":2}`, `{"t":"byte","v":128}`,
		`{"t":"long","v":1}`, `{"t":"null","v":1}`, `{"t":"boolean","v":1}`, `{"t":"string","v":1}`, `{"t":"binary","v":"0g"}`,
		`{"t":"float","v":"1.5"}`, `{"t":"float","v":"1.5","bits":"3fc00001"}`, `{"t":"float","v":1.5,"bits":"3fc00000"}`,
		`{"t":"destination","name":"q"}`, `{"t":"destination","kind":"stream","name":"q"}`, `{"t":"list","v":1}`, `{"t":"list","v":[1]}`,
		`{"t":"map","v":[1]}`, `{"t":"described","v":{"t":"null"}}`, `{"t":"described","descriptor":{"t":"null"}}`,
		`{"t":"array","v":1,"descriptor":{"t":"null"}}`,
	} {
		v := Value{Type: "int", V: int64(7)}
		require.Error(t, json.Unmarshal([]byte(data), &v), data)
		require.Equal(t, Value{Type: "int", V: int64(7)}, v, data)
	}
}

// Map reaches values at any depth, leaves keys and descriptors, and changes nothing in the value that it is given.
func TestMap(t *testing.T) {
	const in = `list [int 1, map {int 1 = list [int 1]}, described (symbol "a") int 1]`
	v, err := ParseValue(in)
	require.NoError(t, err)
	got := v.Map(func(v Value) Value {
		if v.Type == "int" {
			v.V = int64(2)
		}
		return v
	})
	require.Equal(t, `list [int 2, map {int 1 = list [int 2]}, described (symbol "a") int 2]`, got.String())
	require.Equal(t, in, v.String())
}
