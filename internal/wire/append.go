package wire

import (
	"encoding/binary"
	"math"
	"time"
)

// UnixMilli returns t as a timestamp holds it, in whole milliseconds since 1970-01-01 UTC, and
// reports whether one can.
func UnixMilli(t time.Time) (ms int64, ok bool) {
	ms = t.UnixMilli()
	return ms, time.UnixMilli(ms).Unix() == t.Unix()
}

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
func BeginMap(b []byte) []byte { return Begin(b) }

// EndMap ends a map of n pairs that BeginMap began after the first start bytes. It moves
// them if they are too long for the smaller encoding, and reports whether they fit the
// larger.
func EndMap(b []byte, start, n int) ([]byte, bool) {
	if uint64(len(b)-start) > math.MaxUint32 {
		return b, false
	}
	return End(b, start, Map, 2*n), true
}

// BeginList8 begins a list whose items are appended next, at most 255 of them in at
// most 254 bytes. [EndList8] ends it.
func BeginList8(b []byte) []byte { return append(b, codeList8, 0, 0) }

// EndList8 ends a list of n items that BeginList8 began after the first start bytes.
func EndList8(b []byte, start, n int) {
	b[start+1] = byte(len(b) - start - 2)
	b[start+2] = byte(n)
}

// AppendDescribed appends the start of a described value, whose descriptor and value must follow.
func AppendDescribed(b []byte) []byte { return append(b, codeDescribed) }

// AppendSize appends the start of a binary, string or symbol of n bytes, which must follow. It
// panics at 4 GiB.
func AppendSize(b []byte, t Type, n int) []byte {
	code := byte(codeVbin8)
	switch t {
	case String:
		code = codeStr8
	case Symbol:
		code = codeSym8
	}
	if n <= math.MaxUint8 {
		return append(b, code, byte(n))
	}
	if uint64(n) > math.MaxUint32 {
		panic("wire: value of 4 GiB or more")
	}
	return binary.BigEndian.AppendUint32(append(b, code|longForm), uint32(n))
}

// Begin begins a list, map or array whose items are appended next. [End] ends it.
func Begin(b []byte) []byte { return append(b, 0, 0, 0) }

// End ends a list, map or array of n items (of a map its keys and values) that [Begin] began
// after the first start bytes, in the smallest form that holds it: the items move where that is
// not the short one. An array's constructor stands before its items. It panics at 4 GiB.
func End(b []byte, start int, t Type, n int) []byte {
	const short, long = 3, 9
	code := byte(codeList8)
	switch t {
	case Map:
		code = codeMap8
	case Array:
		code = codeArray8
	}
	size := len(b) - start - short
	switch {
	case size == 0 && t == List:
		return append(b[:start], codeList0)
	case size < math.MaxUint8 && n <= math.MaxUint8: // the size covers the count's byte
		b[start], b[start+1], b[start+2] = code, byte(1+size), byte(n)
		return b
	case uint64(size) > math.MaxUint32-4 || uint64(n) > math.MaxUint32:
		panic("wire: value of 4 GiB or more")
	}
	var room [long - short]byte
	b = append(b, room[:]...)
	copy(b[start+long:], b[start+short:len(b)-len(room)])
	b[start] = code | longForm
	binary.BigEndian.PutUint32(b[start+1:], uint32(4+size))
	binary.BigEndian.PutUint32(b[start+5:], uint32(n))
	return b
}

// BeginArray begins an array of elements of a fixed width, whose data is appended next by
// [AppendElement] and its like. [End] ends it.
func BeginArray(b []byte, t Type) []byte { return append(Begin(b), arrayCode(t)) }

// arrayCode returns the format code of an array's elements: the widest of the type, which holds
// them all.
func arrayCode(t Type) byte {
	switch t {
	case Boolean:
		return codeBoolean
	case Byte:
		return codeByte
	case Ubyte:
		return codeUbyte
	case Short:
		return codeShort
	case Ushort:
		return codeUshort
	case Int:
		return codeInt
	case Uint:
		return codeUint
	case Long:
		return codeLong
	case Ulong:
		return codeUlong
	case Float:
		return codeFloat
	case Double:
		return codeDouble
	case Timestamp:
		return codeTimestamp
	case UUID:
		return codeUUID
	case String:
		return codeStr32
	case Symbol:
		return codeSym32
	case Binary:
		return codeVbin32
	case Map:
		return codeMap32
	}
	panic("wire: no array of " + t.String())
}

// AppendElement appends the data of an array's element, in the width that [BeginArray] states.
// It panics at 4 GiB.
func AppendElement(b []byte, v any) []byte {
	variable := func(n int) []byte {
		if uint64(n) > math.MaxUint32 {
			panic("wire: value of 4 GiB or more")
		}
		return binary.BigEndian.AppendUint32(b, uint32(n))
	}
	switch v := v.(type) {
	case bool:
		if v {
			return append(b, 1)
		}
		return append(b, 0)
	case int8:
		return append(b, byte(v))
	case uint8:
		return append(b, v)
	case int16:
		return binary.BigEndian.AppendUint16(b, uint16(v))
	case uint16:
		return binary.BigEndian.AppendUint16(b, v)
	case int32:
		return binary.BigEndian.AppendUint32(b, uint32(v))
	case uint32:
		return binary.BigEndian.AppendUint32(b, v)
	case int64: // a timestamp too
		return binary.BigEndian.AppendUint64(b, uint64(v))
	case uint64:
		return binary.BigEndian.AppendUint64(b, v)
	case float32:
		return binary.BigEndian.AppendUint32(b, math.Float32bits(v))
	case float64:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(v))
	case [16]byte:
		return append(b, v[:]...)
	case string:
		return append(variable(len(v)), v...)
	case []byte:
		return append(variable(len(v)), v...)
	}
	panic("wire: no element")
}

// BeginElement begins the data of an element that is a map. [EndElement] ends it.
func BeginElement(b []byte) []byte { return append(b, make([]byte, 8)...) }

// EndElement ends a map of n keys and values that [BeginElement] began after the first start
// bytes. It panics at 4 GiB.
func EndElement(b []byte, start, n int) {
	size := len(b) - start - 4
	if uint64(size) > math.MaxUint32 || uint64(n) > math.MaxUint32 {
		panic("wire: value of 4 GiB or more")
	}
	binary.BigEndian.PutUint32(b[start:], uint32(size))
	binary.BigEndian.PutUint32(b[start+4:], uint32(n))
}
