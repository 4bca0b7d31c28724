package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// MaxDepth is how many lists, maps and arrays may be entered inside one another,
// and with them the descriptors of an array's elements. Other described values do
// not count: nothing of them is entered.
const MaxDepth = 100

// An Error is what a [Reader] met first that is not AMQP.
type Error struct {
	Offset int   // where in the Reader's input
	Err    error // why; io.ErrUnexpectedEOF where bytes are missing
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %v", e.Offset, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

var (
	errDepth     = errors.New("nested too deep")
	errUTF8      = errors.New("string is not valid UTF-8")
	errASCII     = errors.New("symbol is not ASCII")
	errChar      = errors.New("char is not a Unicode scalar value")
	errBoolean   = errors.New("boolean is not 0 or 1")
	errSmallSize = errors.New("size too small for its count")
	errOddMap    = errors.New("map with an odd number of keys and values")
)

// A Reader reads AMQP values from a slice, one after the other. Once it has met
// an error it keeps that, and all further reads give zero values.
//
// A list, map or array is entered by the method of that name and left again by
// [Reader.Leave]; in between the reader ends where it does. What a Reader returns
// as bytes aliases its input, clipped. Offsets are those of the slice that was
// given to [NewReader]. A Reader is a value: a copy goes on from the same place on
// its own.
type Reader struct {
	b     []byte // ends where the list, map or array that was entered does
	off   int
	depth int
	err   *Error
}

// NewReader returns a Reader of the values in b.
func NewReader(b []byte) Reader { return Reader{b: b} }

// Reset makes r a Reader of the values in b from offset off on.
func (r *Reader) Reset(b []byte, off int) { r.b, r.off, r.depth, r.err = b, off, 0, nil }

// Offset returns where the next value starts.
func (r *Reader) Offset() int { return r.off }

// Len returns how many bytes are left.
func (r *Reader) Len() int { return len(r.b) - r.off }

// Since returns the bytes from offset start up to where the reader stands.
func (r *Reader) Since(start int) []byte { return r.b[start:r.off:r.off] }

// Remaining returns the bytes that are left.
func (r *Reader) Remaining() []byte { return r.b[r.off:len(r.b):len(r.b)] }

// Err returns the first error, nil if there was none.
func (r *Reader) Err() *Error { return r.err }

// Fail makes err, standing at offset, the reader's error if it has none yet.
//
//go:noinline
func (r *Reader) Fail(offset int, err error) {
	if r.err == nil {
		r.err = &Error{Offset: offset, Err: err}
	}
	r.b = r.b[:r.off] // nothing is left to read
}

// short fails where bytes are missing.
//
//go:noinline
func (r *Reader) short() { r.Fail(len(r.b), io.ErrUnexpectedEOF) }

// Done makes bytes that are left an error.
func (r *Reader) Done() {
	if r.off != len(r.b) {
		r.leftOver()
	}
}

func (r *Reader) leftOver() { r.Fail(r.off, trailing(r.Len())) }

func trailing(n int) error {
	if n == 1 {
		return errors.New("unexpected trailing data (1 byte)")
	}
	return fmt.Errorf("unexpected trailing data (%d bytes)", n)
}

// Next returns the type of the next value without reading it, None where there
// is none or its format code is not AMQP's.
func (r *Reader) Next() Type {
	if r.off < len(r.b) {
		return typeOf(r.b[r.off])
	}
	return None
}

// code reads a format code, 0 where there is none.
func (r *Reader) code() byte {
	if r.off < len(r.b) {
		r.off++
		return r.b[r.off-1]
	}
	r.short()
	return 0
}

// wrong fails with the value whose code was read, which is not of the type asked
// for.
//
//go:noinline
func (r *Reader) wrong(code byte, want Type) {
	if got := typeOf(code); got != None {
		r.Fail(r.off-1, fmt.Errorf("got %v, want %v", got, want))
	} else {
		r.Fail(r.off-1, undefinedCode(code))
	}
}

// failNext is wrong for a value of which nothing was read, and which may be of that type but
// is not all there then.
func (r *Reader) failNext(want Type) {
	if c := r.code(); typeOf(c) == want { // never a described value, which 0 is the code of
		r.short()
	} else {
		r.wrong(c, want)
	}
}

func undefinedCode(code byte) error { return fmt.Errorf("invalid format code 0x%02x", code) }

// take reads n bytes of data, nil where there are not as many.
func (r *Reader) take(n int) []byte {
	end := r.off + n
	if uint(n) > uint(len(r.b)-r.off) {
		r.short()
		return nil
	}
	b := r.b[r.off:end:end]
	r.off = end
	return b
}

// The fixed widths. Each gives 0 where bytes are missing.
func (r *Reader) take1() uint8 {
	if r.off < len(r.b) {
		v := r.b[r.off]
		r.off++
		return v
	}
	r.short()
	return 0
}

func (r *Reader) take2() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *Reader) take4() uint32 {
	if len(r.b)-r.off >= 4 {
		v := binary.BigEndian.Uint32(r.b[r.off:])
		r.off += 4
		return v
	}
	r.short()
	return 0
}

func (r *Reader) take8() uint64 {
	if len(r.b)-r.off >= 8 {
		v := binary.BigEndian.Uint64(r.b[r.off:])
		r.off += 8
		return v
	}
	r.short()
	return 0
}

// size reads the size or count that a code keeps in one byte or in four.
func (r *Reader) size(code byte) int {
	if sizes[code] == size8 {
		return int(r.take1())
	}
	n := r.take4()
	if uint64(n) > uint64(r.Len()) { // before int(n) can overflow where int has 32 bits
		return r.Len() + 1
	}
	return int(n)
}

// Null reads a null if that is the next value, and reports whether it was.
func (r *Reader) Null() bool {
	if r.off < len(r.b) && r.b[r.off] == codeNull {
		r.off++
		return true
	}
	return false
}

// Boolean reads a boolean [amqp 1.6.2].
func (r *Reader) Boolean() bool {
	switch b, at := r.b, r.off; {
	case at < len(b) && b[at] == codeTrue:
		r.off = at + 1
		return true
	case at < len(b) && b[at] == codeFalse:
		r.off = at + 1
		return false
	case len(b)-at > 1 && b[at] == codeBoolean:
		if b[at+1] > 1 {
			r.Fail(at+1, errBoolean)
			return false
		}
		r.off = at + 2
		return b[at+1] == 1
	}
	r.failNext(Boolean)
	return false
}

// Ubyte reads a ubyte [amqp 1.6.3].
func (r *Reader) Ubyte() uint8 {
	if b, at := r.b, r.off; len(b)-at > 1 && b[at] == codeUbyte {
		r.off = at + 2
		return b[at+1]
	}
	r.failNext(Ubyte)
	return 0
}

// Ushort reads a ushort [amqp 1.6.4].
func (r *Reader) Ushort() uint16 {
	if c := r.code(); c != codeUshort {
		r.wrong(c, Ushort)
		return 0
	}
	return r.take2()
}

// Uint reads a uint [amqp 1.6.5].
func (r *Reader) Uint() uint32 {
	switch b, at := r.b, r.off; {
	case len(b)-at > 4 && b[at] == codeUint:
		r.off = at + 5
		return binary.BigEndian.Uint32(b[at+1:])
	case len(b)-at > 1 && b[at] == codeSmallUint:
		r.off = at + 2
		return uint32(b[at+1])
	case at < len(b) && b[at] == codeUint0:
		r.off = at + 1
		return 0
	}
	r.failNext(Uint)
	return 0
}

// Ulong reads a ulong [amqp 1.6.6].
func (r *Reader) Ulong() uint64 {
	switch c := r.code(); c {
	case codeUlong:
		return r.take8()
	case codeSmallUlong:
		return uint64(r.take1())
	case codeUlong0:
		return 0
	default:
		r.wrong(c, Ulong)
		return 0
	}
}

// Byte reads a byte [amqp 1.6.7].
func (r *Reader) Byte() int8 {
	if c := r.code(); c != codeByte {
		r.wrong(c, Byte)
		return 0
	}
	return int8(r.take1())
}

// Short reads a short [amqp 1.6.8].
func (r *Reader) Short() int16 {
	if c := r.code(); c != codeShort {
		r.wrong(c, Short)
		return 0
	}
	return int16(r.take2())
}

// Int reads an int [amqp 1.6.9].
func (r *Reader) Int() int32 {
	switch c := r.code(); c {
	case codeInt:
		return int32(r.take4())
	case codeSmallInt:
		return int32(int8(r.take1()))
	default:
		r.wrong(c, Int)
		return 0
	}
}

// Long reads a long [amqp 1.6.10].
func (r *Reader) Long() int64 {
	switch c := r.code(); c {
	case codeLong:
		return int64(r.take8())
	case codeSmallLong:
		return int64(int8(r.take1()))
	default:
		r.wrong(c, Long)
		return 0
	}
}

// Float reads a float [amqp 1.6.11].
func (r *Reader) Float() float32 {
	if c := r.code(); c != codeFloat {
		r.wrong(c, Float)
		return 0
	}
	return math.Float32frombits(r.take4())
}

// Double reads a double [amqp 1.6.12].
func (r *Reader) Double() float64 {
	if c := r.code(); c != codeDouble {
		r.wrong(c, Double)
		return 0
	}
	return math.Float64frombits(r.take8())
}

// Decimal reads a decimal32, decimal64 or decimal128 as its 4, 8 or 16 bytes,
// which is all that Go knows of them [amqp 1.6.13 to 1.6.15].
func (r *Reader) Decimal() []byte {
	switch c := r.code(); c {
	case codeDecimal32, codeDecimal64, codeDecimal128:
		return r.take(int(sizes[c]))
	default:
		r.wrong(c, anyDecimal)
		return nil
	}
}

// Char reads a char, a Unicode scalar value [amqp 1.6.16].
func (r *Reader) Char() rune {
	if c := r.code(); c != codeChar {
		r.wrong(c, Char)
		return 0
	}
	v := rune(r.take4()) // negative from 2^31 on, which is not valid either
	if !utf8.ValidRune(v) {
		r.Fail(r.off-4, errChar)
		return 0
	}
	return v
}

// Timestamp reads a timestamp, in milliseconds since 1970-01-01 UTC [amqp 1.6.17].
func (r *Reader) Timestamp() int64 {
	if c := r.code(); c != codeTimestamp {
		r.wrong(c, Timestamp)
		return 0
	}
	return int64(r.take8())
}

// UUID reads a uuid [amqp 1.6.18].
func (r *Reader) UUID() (u [16]byte) {
	if c := r.code(); c != codeUUID {
		r.wrong(c, UUID)
		return u
	}
	copy(u[:], r.take(16))
	return u
}

// Binary reads a binary, not nil if there was one [amqp 1.6.19].
func (r *Reader) Binary() []byte { return r.variable(codeVbin8) }

// String reads a string, valid UTF-8 [amqp 1.6.20].
func (r *Reader) String() []byte {
	if b, at := r.b, r.off; len(b)-at > 1 && b[at] == codeStr8 { // short and ASCII, as most are
		if end := at + 2 + int(b[at+1]); end <= len(b) && isASCII(b[at+2:end]) {
			r.off = end
			return b[at+2 : end : end]
		}
	}
	return r.anyString()
}

// anyString is String for what is long, not ASCII or wrong.
func (r *Reader) anyString() []byte {
	b := r.variable(codeStr8)
	if !isASCII(b) && !utf8.Valid(b) { // ASCII, as most are, is told faster
		r.Fail(r.off-len(b), errUTF8)
		return nil
	}
	return b
}

// Symbol reads a symbol, ASCII [amqp 1.6.21].
func (r *Reader) Symbol() []byte {
	b := r.variable(codeSym8)
	if !isASCII(b) {
		at := slices.IndexFunc(b, func(x byte) bool { return x >= utf8.RuneSelf })
		r.Fail(r.off-len(b)+at, errASCII)
		return nil
	}
	return b
}

// isASCII reports whether b is ASCII, eight bytes at a time.
func isASCII(b []byte) bool {
	switch {
	case len(b) >= 8:
	case len(b) >= 4:
		return (binary.NativeEndian.Uint32(b)|binary.NativeEndian.Uint32(b[len(b)-4:]))&0x80808080 == 0
	default:
		for _, x := range b {
			if x >= utf8.RuneSelf {
				return false
			}
		}
		return true
	}
	bits := binary.NativeEndian.Uint64(b[len(b)-8:]) // the last eight, which the loop may see in part
	for ; len(b) > 8; b = b[8:] {
		bits |= binary.NativeEndian.Uint64(b)
	}
	return bits&0x8080808080808080 == 0
}

// Name reads one value of any type, as [Reader.Skip] does, and returns the bytes of a
// symbol, unchecked, to compare with a name; nil where it is something else.
func (r *Reader) Name() []byte {
	if b, at := r.b, r.off; len(b)-at > 1 && b[at] == codeSym8 {
		if end := at + 2 + int(b[at+1]); end <= len(b) {
			r.off = end
			return b[at+2 : end : end]
		}
	}
	v := Reader{b: r.Value()}
	if v.Next() != Symbol {
		return nil
	}
	return v.variable(codeSym8)
}

// Seek reads the keys and values of a map that was entered, pairs of them, up to the value of
// the first key that is this symbol, and reports whether there is one. Other keys and values
// are skipped, of whatever type they are.
func (r *Reader) Seek(pairs int, symbol string) bool {
	for ; pairs > 0; pairs-- {
		b, at := r.b, r.off
		if len(b)-at > 1 && b[at] == codeSym8 {
			if end := at + 2 + int(b[at+1]); end <= len(b) {
				r.off = end
				if string(b[at+2:end]) == symbol {
					return true
				}
				r.Skip()
				continue
			}
		}
		if name := r.Name(); name != nil && string(name) == symbol {
			return true
		}
		r.Skip()
	}
	return false
}

// SeekAny reads the keys and values of a map that was entered, pairs of them, up to the value of
// the first key that is a string among names. It returns which, and how many pairs are left with
// that one: 0 if there is none. Other values are skipped, of whatever type they are; a key that is
// not a string is an error.
func (r *Reader) SeekAny(pairs int, names []string) (name, left int) {
	for ; pairs > 0; pairs-- {
		b, at := r.b, r.off
		var key []byte
		if end := 0; len(b)-at > 1 && b[at] == codeStr8 {
			if end = at + 2 + int(b[at+1]); end <= len(b) && isASCII(b[at+2:end]) {
				key = b[at+2 : end]
				at = end
			}
		}
		if key == nil {
			if key = r.String(); r.err != nil {
				return 0, 0
			}
			at = r.off
		}
		for i, name := range names {
			if len(name) == len(key) && name == string(key) {
				r.off = at
				return i, pairs
			}
		}
		if at < len(b) {
			size := int(sizes[b[at]])
			switch {
			case size < size8:
				at += 1 + size
			case size == size8 && at+1 < len(b):
				at += 2 + int(b[at+1])
			default:
				r.off = at
				r.Skip()
				continue
			}
			if at <= len(b) {
				r.off = at
				continue
			}
		}
		r.short()
	}
	return 0, 0
}

// variable reads a value of variable size. code is that of its short form.
func (r *Reader) variable(code byte) []byte {
	var n int
	b, at := r.b, r.off
	switch {
	case len(b)-at > 1 && b[at] == code:
		n = int(b[at+1])
		at += 2
	case len(b)-at > 4 && b[at] == code|longForm:
		n = int(binary.BigEndian.Uint32(b[at+1:]))
		at += 5
	default:
		r.failNext(typeOf(code))
		return nil
	}
	if uint(n) > uint(len(b)-at) {
		r.short()
		return nil
	}
	r.off = at + n
	return b[at : at+n : at+n]
}

// ShortDescriptor reads a descriptor in the form that nearly all have, a number of one
// byte, if that lies between first, which is not 0, and last, and returns it. Where the
// next value is something else it returns 0 and reads nothing.
func (r *Reader) ShortDescriptor(first, last byte) byte {
	if b, at := r.b, r.off; len(b)-at > 2 && b[at] == codeDescribed && b[at+1] == codeSmallUlong && b[at+2]-first <= last-first {
		r.off = at + 3
		return b[at+2]
	}
	return 0
}

// Descriptor reads the start of a described value, up to the value itself
// [amqp 1.1.2]. Of the two forms that the specification gives types a
// descriptor in, a number has symbol nil, a name has code 0; others are errors.
func (r *Reader) Descriptor() (code uint64, symbol []byte) {
	if c := r.code(); c != codeDescribed { // at the end it is, and what follows keeps the error
		r.wrong(c, Described)
		return 0, nil
	}
	switch at := r.off; r.Next() {
	case Ulong:
		return r.Ulong(), nil
	case Symbol:
		return 0, r.Symbol()
	default:
		r.Skip() // says what is wrong with bytes that are no value at all
		r.Fail(at, errors.New("descriptor is not a ulong or symbol"))
		return 0, nil
	}
}

// An Outer is what a [Reader] goes back to when it leaves a list, map or array:
// where it ended before.
type Outer int

// enter makes the reader end where the list, map or array does that is next, and
// returns the count that it states. code is that of its short form; in the long one
// size and count are wider. Unless it is an array, each item has at least a byte,
// and a count that says more fails, as does one of more than most.
func (r *Reader) enter(code byte, most int) (outer Outer, n int) {
	var size, width int // the size covers the count, which is as wide
	switch b, at := r.b, r.off; {
	case len(b)-at > 2 && b[at] == code:
		size, n, width = int(b[at+1]), int(b[at+2]), 1
	case len(b)-at > 8 && b[at] == code|longForm:
		size, n, width = int(binary.BigEndian.Uint32(b[at+1:])), int(binary.BigEndian.Uint32(b[at+5:])), 4
	default:
		return r.enterRare(code)
	}
	start := r.off + 1 + width
	if size < width || size > len(r.b)-start || r.depth >= MaxDepth {
		return r.noEntry(start, size)
	}
	outer = Outer(len(r.b))
	r.b = r.b[:start+size]
	r.off = start + width
	r.depth++
	if n > most || uint(n) > uint(size-width) && code != codeArray8 {
		r.wrongCount(start, n, most)
		return outer, 0
	}
	return outer, n
}

// enterRare is enter for an empty list, and for what is cut off or of another type.
func (r *Reader) enterRare(code byte) (outer Outer, n int) {
	switch b := r.b[r.off:]; {
	case len(b) > 0 && b[0] == codeList0 && code == codeList8:
		if r.depth == MaxDepth {
			r.Fail(r.off, errDepth)
			return 0, 0
		}
		outer = Outer(len(r.b))
		r.off++
		r.b = r.b[:r.off]
		r.depth++
		return outer, 0
	case len(b) > 1 && b[0] == code && b[1] < 1,
		len(b) > 4 && b[0] == code|longForm && binary.BigEndian.Uint32(b[1:]) < 4:
		r.Fail(r.off+1, errSmallSize) // so no bytes are missing
	default:
		r.failNext(typeOf(code))
	}
	return 0, 0
}

// noEntry fails with what keeps enter out of a list, map or array whose size stands
// before start.
func (r *Reader) noEntry(start, size int) (Outer, int) {
	switch {
	case r.depth >= MaxDepth:
		r.Fail(r.off, errDepth)
	case size > len(r.b)-start || size < 0:
		r.short()
	default:
		r.Fail(r.off+1, errSmallSize)
	}
	return 0, 0
}

// wrongCount fails with the count of a list or map that was entered, which stands at
// offset at.
func (r *Reader) wrongCount(at, n, most int) {
	if uint(n) > uint(r.Len()) {
		r.tooMany(at)
		return
	}
	r.Fail(r.off, fmt.Errorf("%d fields, want at most %d", n, most))
}

// tooMany fails with a count, standing at offset at, that the bytes of its items
// cannot hold.
func (r *Reader) tooMany(at int) {
	r.Fail(at, fmt.Errorf("count too large for %d bytes: %w", r.Len(), io.ErrUnexpectedEOF))
}

// Leave leaves the list, map or array that was entered last. Bytes left over in it
// are an error.
func (r *Reader) Leave(outer Outer) {
	r.Done()
	if r.err != nil {
		return
	}
	r.b = r.b[:outer]
	r.depth--
}

// LeaveEarly is Leave, whatever has not been read.
func (r *Reader) LeaveEarly(outer Outer) {
	if r.err == nil {
		r.off = len(r.b)
		r.b = r.b[:outer]
		r.depth--
	}
}

// List enters a list and returns how many items it says there are, which is
// never more than it has bytes, and what [Reader.Leave] takes [amqp 1.6.22].
func (r *Reader) List() (outer Outer, n int) { return r.enter(codeList8, math.MaxInt) }

// Fields enters a list that holds the fields of a composite type, as List does:
// there may be fewer than the type has, but not more than most [amqp 1.4].
func (r *Reader) Fields(most int) (outer Outer, n int) { return r.enter(codeList8, most) }

// Map enters a map and returns how many pairs of a key and a value it says there
// are, and what [Reader.Leave] takes [amqp 1.6.23].
func (r *Reader) Map() (outer Outer, pairs int) {
	outer, n := r.enter(codeMap8, math.MaxInt)
	if n%2 != 0 {
		r.Fail(r.off, errOddMap)
		return outer, 0
	}
	return outer, n / 2
}

// Array enters an array and returns the constructor that its elements share, a
// format code which descriptors may precede, how many elements it says there are,
// and what [Reader.Leave] takes [amqp 1.6.24]. Elements that take no bytes may be as
// many as the array has bytes. Its elements are read by [Reader.Element] alone.
func (r *Reader) Array() (outer Outer, constructor []byte, n int) {
	count := r.off + 2 // where it stands
	if r.Len() > 0 && r.b[r.off] == codeArray32 {
		count = r.off + 5
	}
	outer, n = r.enter(codeArray8, math.MaxInt)
	start := r.off
	for described := 1; r.Next() == Described; described++ {
		if described+r.depth > MaxDepth {
			r.Fail(r.off, errDepth)
			break
		}
		r.off++
		r.Skip()
	}
	elem := r.code()
	if sizes[elem] == undefined {
		r.Fail(r.off-1, undefinedCode(elem))
	}
	most := r.Len()
	if sizes[elem] == 0 {
		most += r.off - start
	}
	if uint(n) > uint(most) {
		r.tooMany(count)
	}
	if r.err != nil {
		return outer, nil, 0
	}
	return outer, r.Since(start), n
}

// ElementType returns the type of the elements that have a constructor: Described where
// descriptors precede it.
func ElementType(constructor []byte) Type {
	if len(constructor) == 0 {
		return None
	}
	return typeOf(constructor[0])
}

// Ubytes reads an array and returns its elements if they are ubytes, else nil.
func (r *Reader) Ubytes() []byte {
	outer, constructor, n := r.Array()
	var b []byte
	if len(constructor) == 1 && constructor[0] == codeUbyte {
		b = r.take(n)
		r.Leave(outer)
	} else {
		r.LeaveEarly(outer)
	}
	return b
}

// Element reads an element of the array that was entered last, whose constructor
// Array gave, and returns a Reader of it in new memory, encoded as a value on its own:
// with the constructor's format code, and without its descriptors, which would make
// the cost of an array grow with their size times its count. That Reader counts
// depth on from this one, and has this one's error; its offsets are its own.
func (r *Reader) Element(constructor []byte) Reader {
	code := constructor[len(constructor)-1]
	start := r.off
	switch size := sizes[code]; size {
	case size8, size32:
		r.take(r.size(code))
	default:
		r.take(int(size))
	}
	if r.err != nil {
		return Reader{err: r.err}
	}
	return Reader{b: slices.Concat([]byte{code}, r.b[start:r.off]), depth: r.depth}
}

// Skip reads one value of any type without looking into it: its size is all
// that is checked of what stands inside a list, map or array. It takes described
// values however deep they are nested, for it does not go into them.
func (r *Reader) Skip() {
	if b, at := r.b, r.off; at < len(b) {
		n := uint64(sizes[b[at]]) // an int of 32 bits does not hold all sizes
		switch left := len(b) - at; {
		case n < size8:
			n++
		case n == size8 && left > 1:
			n = 2 + uint64(b[at+1])
		case n == size32 && left > 4:
			n = 5 + uint64(binary.BigEndian.Uint32(b[at+1:]))
		default:
			n = math.MaxUint64
		}
		if n <= uint64(len(b)-at) {
			r.off = at + int(n)
			return
		}
	}
	r.skip()
}

// SkipN is Skip for n values.
func (r *Reader) SkipN(n int) {
	b, at := r.b, r.off
	for ; n > 0 && at < len(b); n-- {
		if b[at] == codeNull { // as most fields of a list are
			at++
			continue
		}
		size := int(sizes[b[at]])
		switch {
		case size < size8:
			size++
		case size == size8 && at+1 < len(b):
			size = 2 + int(b[at+1])
		default:
			size = len(b) + 1 // left to Skip
		}
		if size > len(b)-at {
			break
		}
		at += size
	}
	r.off = at
	for ; n > 0; n-- {
		r.Skip()
	}
}

// skip is Skip for all that is rare or wrong.
func (r *Reader) skip() {
	for values := 1; values > 0; values-- {
		c := r.code()
		switch size := sizes[c]; size {
		case size8, size32:
			r.take(r.size(c))
		case undefined:
			if r.err != nil {
				return
			}
			if c != codeDescribed {
				r.wrong(c, None)
				return
			}
			values += 2 // its descriptor and its value
		default:
			r.take(int(size))
		}
	}
}

// SkipMap is Skip for a map; another type, or a size without room for the count,
// is an error.
func (r *Reader) SkipMap() {
	if b, at := r.b, r.off; len(b)-at > 1 && b[at] == codeMap8 && b[at+1] > 0 {
		if end := at + 2 + int(b[at+1]); end <= len(b) {
			r.off = end
			return
		}
	}
	start := r.off
	b := r.variable(codeMap8)
	if len(b) < 4 && (len(b) == 0 || r.b[start] == codeMap32) {
		r.Fail(start+1, errSmallSize)
	}
}

// Value reads one value of any type, as [Reader.Skip] does, and returns its
// encoding, nil on error.
func (r *Reader) Value() []byte {
	start := r.off
	r.Skip()
	if r.err != nil {
		return nil
	}
	return r.Since(start)
}
