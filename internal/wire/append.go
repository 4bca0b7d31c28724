package wire

import (
	"encoding/binary"
	"math"
)

// AppendNull appends a null.
func AppendNull(b []byte) []byte { return append(b, codeNull) }

// AppendBoolean appends a boolean.
func AppendBoolean(b []byte, v bool) []byte {
	if v {
		return append(b, codeTrue)
	}
	return append(b, codeFalse)
}

// AppendUbyte appends a ubyte.
func AppendUbyte(b []byte, v uint8) []byte { return append(b, codeUbyte, v) }

// AppendUint appends a uint.
func AppendUint(b []byte, v uint32) []byte {
	switch {
	case v == 0:
		return append(b, codeUint0)
	case v <= math.MaxUint8:
		return append(b, codeSmallUint, byte(v))
	}
	return binary.BigEndian.AppendUint32(append(b, codeUint), v)
}

// AppendUlong appends a ulong.
func AppendUlong(b []byte, v uint64) []byte {
	switch {
	case v == 0:
		return append(b, codeUlong0)
	case v <= math.MaxUint8:
		return append(b, codeSmallUlong, byte(v))
	}
	return binary.BigEndian.AppendUint64(append(b, codeUlong), v)
}

// AppendLong appends a long.
func AppendLong(b []byte, v int64) []byte {
	if v == int64(int8(v)) {
		return append(b, codeSmallLong, byte(v))
	}
	return binary.BigEndian.AppendUint64(append(b, codeLong), uint64(v))
}

// AppendInt appends an int.
func AppendInt(b []byte, v int32) []byte {
	if v == int32(int8(v)) {
		return append(b, codeSmallInt, byte(v))
	}
	return binary.BigEndian.AppendUint32(append(b, codeInt), uint32(v))
}

// AppendShort appends a short.
func AppendShort(b []byte, v int16) []byte {
	return binary.BigEndian.AppendUint16(append(b, codeShort), uint16(v))
}

// AppendByte appends a byte.
func AppendByte(b []byte, v int8) []byte { return append(b, codeByte, byte(v)) }

// AppendUshort appends a ushort.
func AppendUshort(b []byte, v uint16) []byte {
	return binary.BigEndian.AppendUint16(append(b, codeUshort), v)
}

// AppendFloat appends a float.
func AppendFloat(b []byte, v float32) []byte {
	return binary.BigEndian.AppendUint32(append(b, codeFloat), math.Float32bits(v))
}

// AppendDouble appends a double.
func AppendDouble(b []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(b, codeDouble), math.Float64bits(v))
}

// AppendTimestamp appends a timestamp, in milliseconds since 1970-01-01 UTC.
func AppendTimestamp(b []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(b, codeTimestamp), uint64(v))
}

// AppendUUID appends a uuid.
func AppendUUID(b []byte, v [16]byte) []byte { return append(append(b, codeUUID), v[:]...) }

// AppendBinary appends a binary. It panics at 4 GiB, which AMQP cannot carry.
func AppendBinary[T ~[]byte | ~string](b []byte, v T) []byte {
	return appendVariable(b, codeVbin8, codeVbin32, v)
}

// AppendString appends a string, whose bytes must be UTF-8. It panics at 4 GiB.
func AppendString[T ~[]byte | ~string](b []byte, v T) []byte {
	return appendVariable(b, codeStr8, codeStr32, v)
}

// AppendSymbol appends a symbol, whose bytes must be ASCII. It panics at 4 GiB.
func AppendSymbol[T ~[]byte | ~string](b []byte, v T) []byte {
	return appendVariable(b, codeSym8, codeSym32, v)
}

func appendVariable[T ~[]byte | ~string](b []byte, code8, code32 byte, v T) []byte {
	if len(v) <= math.MaxUint8 {
		return append(append(b, code8, byte(len(v))), v...)
	}
	if uint64(len(v)) > math.MaxUint32 {
		panic("wire: value of 4 GiB or more")
	}
	b = binary.BigEndian.AppendUint32(append(b, code32), uint32(len(v)))
	return append(b, v...)
}

// AppendDescriptor appends the start of a described value, whose value must
// follow.
func AppendDescriptor(b []byte, code uint64) []byte {
	return AppendUlong(append(b, codeDescribed), code)
}

// AppendMap appends a map of n pairs, whose keys and values in turn are encoded
// in items. It panics at 4 GiB.
func AppendMap(b []byte, n int, items []byte) []byte {
	start := len(b)
	b, ok := EndMap(append(BeginMap(b), items...), start, n)
	if !ok {
		panic("wire: value of 4 GiB or more")
	}
	return b
}

// BeginMap begins a map whose keys and values are appended next, in turn. [EndMap] ends it.
func BeginMap(b []byte) []byte { return append(b, codeMap8, 0, 0) }

// EndMap ends a map of n pairs that BeginMap began after the first start bytes. It moves
// them if they are too long for the smaller encoding, and reports whether they fit the
// larger.
func EndMap(b []byte, start, n int) ([]byte, bool) {
	const small, large = 3, 9 // what stands before the items
	size := len(b) - start - small
	if size < math.MaxUint8 { // the size covers the count's byte; no item has less than one
		b[start+1], b[start+2] = byte(1+size), byte(2*n)
		return b, true
	}
	if uint64(size) > math.MaxUint32-4 {
		return b, false
	}
	b = append(b, make([]byte, large-small)...)
	copy(b[start+large:], b[start+small:])
	b[start] = codeMap32
	binary.BigEndian.PutUint32(b[start+1:], uint32(4+size))
	binary.BigEndian.PutUint32(b[start+5:], uint32(2*n))
	return b, true
}

// BeginList8 begins a list whose items are appended next, at most 255 of them in at
// most 254 bytes. [EndList8] ends it.
func BeginList8(b []byte) []byte { return append(b, codeList8, 0, 0) }

// EndList8 ends a list of n items that BeginList8 began after the first start bytes.
func EndList8(b []byte, start, n int) {
	b[start+1] = byte(len(b) - start - 2)
	b[start+2] = byte(n)
}
