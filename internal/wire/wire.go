// Package wire reads and appends the types of AMQP 1.0 as bytes. It is the only
// place that knows format codes, and it knows nothing of messages.
//
// Reading goes through a [Reader] over a slice, which keeps its first error and
// where that stood. Every declared size and count is checked against the bytes
// that are left before it is used, and none sizes an allocation. Appending
// writes the smallest encoding that AMQP has for a value.
//
// Clauses in comments are those of AMQP 1.0, part 1: [amqp 1.6.9] is 1.6.9.
package wire

import "strconv"

// Format codes [amqp 1.6].
const (
	codeDescribed  = 0x00
	codeNull       = 0x40
	codeTrue       = 0x41
	codeFalse      = 0x42
	codeUint0      = 0x43
	codeUlong0     = 0x44
	codeList0      = 0x45
	codeUbyte      = 0x50
	codeByte       = 0x51
	codeSmallUint  = 0x52
	codeSmallUlong = 0x53
	codeSmallInt   = 0x54
	codeSmallLong  = 0x55
	codeBoolean    = 0x56
	codeUshort     = 0x60
	codeShort      = 0x61
	codeUint       = 0x70
	codeInt        = 0x71
	codeFloat      = 0x72
	codeChar       = 0x73
	codeDecimal32  = 0x74
	codeUlong      = 0x80
	codeLong       = 0x81
	codeDouble     = 0x82
	codeTimestamp  = 0x83
	codeDecimal64  = 0x84
	codeDecimal128 = 0x94
	codeUUID       = 0x98
	codeVbin8      = 0xa0
	codeStr8       = 0xa1
	codeSym8       = 0xa3
	codeVbin32     = 0xb0
	codeStr32      = 0xb1
	codeSym32      = 0xb3
	codeList8      = 0xc0
	codeMap8       = 0xc1
	codeList32     = 0xd0
	codeMap32      = 0xd1
	codeArray8     = 0xe0
	codeArray32    = 0xf0

	longForm = 0x10 // set in a code of variable size where that has four bytes, not one
)

// A Type is one of AMQP's types, whatever its encoding. Its zero value is no type.
type Type uint8

// The types of AMQP [amqp 1.6], and the described type [amqp 1.1.2].
const (
	None Type = iota
	Null
	Boolean
	Ubyte
	Ushort
	Uint
	Ulong
	Byte
	Short
	Int
	Long
	Float
	Double
	Decimal32
	Decimal64
	Decimal128
	Char
	Timestamp
	UUID
	Binary
	String
	Symbol
	List
	Map
	Array
	Described

	anyDecimal // of the three, in errors
)

// String returns the type's name as the specification writes it.
func (t Type) String() string {
	switch t {
	case None:
		return "no value"
	case Null:
		return "null"
	case Boolean:
		return "boolean"
	case Ubyte:
		return "ubyte"
	case Ushort:
		return "ushort"
	case Uint:
		return "uint"
	case Ulong:
		return "ulong"
	case Byte:
		return "byte"
	case Short:
		return "short"
	case Int:
		return "int"
	case Long:
		return "long"
	case Float:
		return "float"
	case Double:
		return "double"
	case Decimal32:
		return "decimal32"
	case Decimal64:
		return "decimal64"
	case Decimal128:
		return "decimal128"
	case Char:
		return "char"
	case Timestamp:
		return "timestamp"
	case UUID:
		return "uuid"
	case Binary:
		return "binary"
	case String:
		return "string"
	case Symbol:
		return "symbol"
	case List:
		return "list"
	case Map:
		return "map"
	case Array:
		return "array"
	case Described:
		return "described value"
	case anyDecimal:
		return "decimal"
	}
	return "Type(" + strconv.Itoa(int(t)) + ")"
}

// typeOf returns the type that a format code encodes, None for a code that AMQP
// does not define.
func typeOf(code byte) Type {
	switch code {
	case codeDescribed:
		return Described
	case codeNull:
		return Null
	case codeTrue, codeFalse, codeBoolean:
		return Boolean
	case codeUbyte:
		return Ubyte
	case codeUshort:
		return Ushort
	case codeUint0, codeSmallUint, codeUint:
		return Uint
	case codeUlong0, codeSmallUlong, codeUlong:
		return Ulong
	case codeByte:
		return Byte
	case codeShort:
		return Short
	case codeSmallInt, codeInt:
		return Int
	case codeSmallLong, codeLong:
		return Long
	case codeFloat:
		return Float
	case codeDouble:
		return Double
	case codeDecimal32:
		return Decimal32
	case codeDecimal64:
		return Decimal64
	case codeDecimal128:
		return Decimal128
	case codeChar:
		return Char
	case codeTimestamp:
		return Timestamp
	case codeUUID:
		return UUID
	case codeVbin8, codeVbin32:
		return Binary
	case codeStr8, codeStr32:
		return String
	case codeSym8, codeSym32:
		return Symbol
	case codeList0, codeList8, codeList32:
		return List
	case codeMap8, codeMap32:
		return Map
	case codeArray8, codeArray32:
		return Array
	}
	return None
}

// The high nibble of a format code says how the size of its data is found
// [amqp 1.2]: fixed from 0x4 to 0x9, counted in one byte where even and in four
// where odd from 0xa on. sizes holds, for each code, the data's fixed size, or
// size8 or size32, or undefined where AMQP has no such code.
const (
	size8     = 0xf1
	size32    = 0xf4
	undefined = 0xff
)

// sizes is indexed by format code. A string, for a constant costs no
// initialization and cannot be written to.
const sizes = "" +
	/* 0x00 */ x16 + x16 + x16 + x16 +
	/* 0x40 */ "\x00\x00\x00\x00\x00\x00" + x2 + x8 +
	/* 0x50 */ "\x01\x01\x01\x01\x01\x01\x01" + x1 + x8 +
	/* 0x60 */ "\x02\x02" + x2 + x4 + x8 +
	/* 0x70 */ "\x04\x04\x04\x04\x04" + x1 + x2 + x8 +
	/* 0x80 */ "\x08\x08\x08\x08\x08" + x1 + x2 + x8 +
	/* 0x90 */ x4 + "\x10" + x1 + x2 + "\x10" + x1 + x2 + x4 +
	/* 0xa0 */ "\xf1\xf1\xff\xf1" + x4 + x8 +
	/* 0xb0 */ "\xf4\xf4\xff\xf4" + x4 + x8 +
	/* 0xc0 */ "\xf1\xf1" + x2 + x4 + x8 +
	/* 0xd0 */ "\xf4\xf4" + x2 + x4 + x8 +
	/* 0xe0 */ "\xf1" + x1 + x2 + x4 + x8 +
	/* 0xf0 */ "\xf4" + x1 + x2 + x4 + x8

// Runs of undefined codes.
const (
	x1  = "\xff"
	x2  = x1 + x1
	x4  = x2 + x2
	x8  = x4 + x4
	x16 = x8 + x8
)
