package wire

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// x returns the bytes that parts write in hex, spaces apart.
func x(parts ...string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(strings.Join(parts, ""), " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// times returns s n times.
func times(n int, s string) string { return strings.Repeat(s, n) }

// A form is how the data behind a format code is laid out [amqp 1.2].
type form int

const (
	noForm   form = iota // no such code
	fixed                // width bytes of data
	counted              // a size of width bytes, then as many bytes of data: variable, compound and array
	describe             // two values: a descriptor and what it describes
)

// A formatCode is one row of the specification's table of encodings [amqp 1.6].
type formatCode struct {
	code  byte
	typ   Type
	name  string // of the type
	form  form
	width int
}

var formatCodes = []formatCode{
	{0x00, Described, "described value", describe, 0}, // [amqp 1.2]
	{0x40, Null, "null", fixed, 0},
	{0x41, Boolean, "boolean", fixed, 0},
	{0x42, Boolean, "boolean", fixed, 0},
	{0x56, Boolean, "boolean", fixed, 1},
	{0x50, Ubyte, "ubyte", fixed, 1},
	{0x60, Ushort, "ushort", fixed, 2},
	{0x70, Uint, "uint", fixed, 4},
	{0x52, Uint, "uint", fixed, 1},
	{0x43, Uint, "uint", fixed, 0},
	{0x80, Ulong, "ulong", fixed, 8},
	{0x53, Ulong, "ulong", fixed, 1},
	{0x44, Ulong, "ulong", fixed, 0},
	{0x51, Byte, "byte", fixed, 1},
	{0x61, Short, "short", fixed, 2},
	{0x71, Int, "int", fixed, 4},
	{0x54, Int, "int", fixed, 1},
	{0x81, Long, "long", fixed, 8},
	{0x55, Long, "long", fixed, 1},
	{0x72, Float, "float", fixed, 4},
	{0x82, Double, "double", fixed, 8},
	{0x74, Decimal32, "decimal32", fixed, 4},
	{0x84, Decimal64, "decimal64", fixed, 8},
	{0x94, Decimal128, "decimal128", fixed, 16},
	{0x73, Char, "char", fixed, 4},
	{0x83, Timestamp, "timestamp", fixed, 8},
	{0x98, UUID, "uuid", fixed, 16},
	{0xa0, Binary, "binary", counted, 1},
	{0xb0, Binary, "binary", counted, 4},
	{0xa1, String, "string", counted, 1},
	{0xb1, String, "string", counted, 4},
	{0xa3, Symbol, "symbol", counted, 1},
	{0xb3, Symbol, "symbol", counted, 4},
	{0x45, List, "list", fixed, 0},
	{0xc0, List, "list", counted, 1},
	{0xd0, List, "list", counted, 4},
	{0xc1, Map, "map", counted, 1},
	{0xd1, Map, "map", counted, 4},
	{0xe0, Array, "array", counted, 1},
	{0xf0, Array, "array", counted, 4},
}

// codeTable is formatCodes by code; the rest has noForm.
var codeTable = func() (t [256]formatCode) {
	for i := range t {
		t[i].code = byte(i)
	}
	for _, c := range formatCodes {
		t[c.code] = c
	}
	return t
}()

// sample returns some value with this code, valid as far as its size goes.
func (c formatCode) sample() []byte {
	switch c.form {
	case fixed:
		return append([]byte{c.code}, make([]byte, c.width)...)
	case counted:
		size := append(make([]byte, c.width-1), 5)
		return append(append([]byte{c.code}, size...), 0, 0, 0, 0, 0)
	case describe:
		return []byte{c.code, 0x53, 0x77, 0x40}
	}
	return []byte{c.code}
}

func TestFormatCodes(t *testing.T) {
	require.Len(t, formatCodes, 40, "rows of the table")
	for _, c := range codeTable {
		t.Run(fmt.Sprintf("0x%02x", c.code), func(t *testing.T) {
			b := c.sample()
			r := NewReader(b)
			assert.Equalf(t, c.typ, r.Next(), "Next of %x", b)
			assert.Zero(t, r.Offset(), "Next must not move")
			assert.Equalf(t, c.code == 0x40, r.Null(), "Null of %x", b)
			if c.form == noForm {
				noValue(t, c.code)
				return
			}
			assert.Equal(t, c.name, c.typ.String())

			r = NewReader(append(b, 0x40))
			r.Skip()
			assert.Nilf(t, r.Err(), "Skip of %x", b)
			assert.Equalf(t, len(b), r.Offset(), "Skip of %x", b)
			for n := range b {
				r := NewReader(b[:n])
				r.Skip()
				requireEOF(t, &r, n, "Skip of %x", b[:n])
			}
		})
	}
}

// noValue tests that a code which AMQP does not have is refused wherever it can stand.
func noValue(t *testing.T, code byte) {
	is := fmt.Sprintf("invalid format code 0x%02x", code)
	for _, tail := range []string{"", times(32, "00")} {
		b := append([]byte{code}, x(tail)...)
		for _, rd := range readers {
			r := NewReader(b)
			requireZero(t, rd.read(&r), "%s of %x", rd.name, b)
			requireError(t, &r, 0, is, "%s of %x", rd.name, b)
		}
		for _, at := range []struct {
			where  string
			before []byte
			read   func(*Reader)
		}{
			{"after a value", x("40"), func(r *Reader) { r.Skip(); r.Skip() }},
			{"as a descriptor, skipped", x("00"), (*Reader).Skip},
			{"as a descriptor, read", x("00"), func(r *Reader) { r.Descriptor() }},
			{"as a described value", x("00 53 77"), (*Reader).Skip},
			{"in a descriptor that is described", x("00 00 53 77"), (*Reader).Skip},
		} {
			in := append(at.before, b...)
			r := NewReader(in)
			at.read(&r)
			requireError(t, &r, len(at.before), is, "%s: %x", at.where, in)
		}
	}
	in := append(x("e0 03 01"), code, 0)
	r := NewReader(in)
	r.Array()
	requireError(t, &r, 3, is, "Array of %x", in)
	in = append(x("e0 06 01 00 53 77"), code, 0)
	r = NewReader(in)
	r.Array()
	requireError(t, &r, 6, is, "Array of %x", in)
}

func TestTypeString(t *testing.T) {
	assert.Equal(t, "no value", None.String())
	assert.Equal(t, "Type(200)", Type(200).String())
}
