package wire

import "encoding/binary"

// A Head reads what stands before a value's data: its format code, its size, and for a
// list, map or array its count. Unlike a [Reader] it takes a stream in pieces, which may
// end anywhere. Its zero value is ready for the next value.
type Head struct {
	Size  uint32 // bytes of data behind the head
	Count uint32 // values in a list, map or array

	code  byte
	begun bool  // the code was read or given
	width uint8 // of size and count: 1 or 4
	need  uint8 // bytes of size and count to come
	acc   uint64
}

// Begin makes h a head whose format code stands elsewhere, as those of an array's elements do.
func (h *Head) Begin(code byte) {
	*h = Head{code: code, begun: true}
	switch n := sizes[code]; n {
	case size8:
		h.width, h.need = 1, 1
	case size32:
		h.width, h.need = 4, 4
	case undefined:
	default:
		h.Size = uint32(n)
	}
	if code >= codeList8 { // lists, maps and arrays have a count too
		h.need *= 2
	}
}

// Begun reports whether a part of the head was read.
func (h *Head) Begun() bool { return h.begun }

// Read takes bytes of the head from b, and returns how many and whether the head is
// complete. One without a code takes at least one byte, so b must not be empty then.
// A size that does not cover its count is not ok.
func (h *Head) Read(b []byte) (n int, done, ok bool) {
	if !h.begun {
		h.Begin(b[0])
		n = 1
	}
	if h.need == 2*h.width && h.need == 8 && len(b)-n >= 8 {
		h.acc, h.need = binary.BigEndian.Uint64(b[n:]), 0
		n += 8
	}
	for h.need > 0 && n < len(b) {
		h.acc = h.acc<<8 | uint64(b[n])
		h.need--
		n++
	}
	if h.need > 0 {
		return n, false, true
	}
	switch {
	case h.width == 0:
	case h.code < codeList8:
		h.Size = uint32(h.acc)
	default:
		size := uint32(h.acc >> (8 * h.width))
		h.Count = uint32(h.acc) & (1<<(8*h.width) - 1)
		if h.width == 1 {
			size &= 0xff
		}
		if size < uint32(h.width) {
			return n, true, false
		}
		h.Size = size - uint32(h.width)
	}
	return n, true, true
}

// Code returns the format code.
func (h *Head) Code() byte { return h.code }

// Type returns the type of the value, None where AMQP does not define its format code.
func (h *Head) Type() Type { return typeOf(h.code) }

// Constant returns the value of a boolean, uint or ulong without data.
func (h *Head) Constant() uint64 {
	if h.code == codeTrue {
		return 1
	}
	return 0
}

// FixedSize returns how many bytes of data each value with a format code has, where the
// code says.
func FixedSize(code byte) (n uint32, ok bool) { return uint32(sizes[code]), sizes[code] < size8 }

// Readable returns the format code of uint for that of char, and where decimals are asked
// for those of uint, ulong and uuid for decimal32, decimal64 and decimal128: values with
// data of the same size. It returns any other code as it is.
func Readable(code byte, decimals bool) byte {
	switch {
	case code == codeChar:
		return codeUint
	case !decimals:
	case code == codeDecimal32:
		return codeUint
	case code == codeDecimal64:
		return codeUlong
	case code == codeDecimal128:
		return codeUUID
	}
	return code
}

// TypeOf returns the type that a format code encodes, None where AMQP does not define it.
func TypeOf(code byte) Type { return typeOf(code) }

// Simple returns how many bytes the value at the start of b takes, where that has fixed
// size or is short, is all there, and is of no type that [Readable] changes; otherwise 0.
func Simple(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	n := int(sizes[b[0]])
	switch {
	case n < size8:
		n++
	case n == size8 && b[0] < codeList8:
		n = 2 + int(b[1])
	default:
		return 0
	}
	switch b[0] {
	case codeChar, codeDecimal32, codeDecimal64, codeDecimal128:
		return 0
	}
	if n > len(b) {
		return 0
	}
	return n
}
