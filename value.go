package amqpjms

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/goamqp"
	"github.com/seed-b113d664/amqpjms/internal/java"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A scalar is a value independent of its Go type and its encoding. The zero scalar is no value.
// For types that no field holds it has the type alone.
type scalar struct {
	typ  wire.Type
	bits uint64 // of a boolean, an integer, a timestamp, a char; of a float or a double as a float64; of a uuid
	hi   uint64 // of a uuid
	text string // of a string or symbol in Go
	data []byte // of a binary or array of ubyte; of an encoded string or symbol, then never nil
}

// scalarFrom returns a value that go-amqp decodes, or that it sends.
func scalarFrom(v any) scalar {
	switch v := v.(type) {
	case nil, amqp.Null:
		return scalar{typ: wire.Null}
	case bool:
		return scalar{typ: wire.Boolean, bits: bit(v)}
	case int8:
		return scalar{typ: wire.Byte, bits: uint64(v)}
	case int16:
		return scalar{typ: wire.Short, bits: uint64(v)}
	case int32:
		return scalar{typ: wire.Int, bits: uint64(v)}
	case int64:
		return scalar{typ: wire.Long, bits: uint64(v)}
	case int: // which go-amqp sends as long
		return scalar{typ: wire.Long, bits: uint64(v)}
	case uint8:
		return scalar{typ: wire.Ubyte, bits: uint64(v)}
	case uint16:
		return scalar{typ: wire.Ushort, bits: uint64(v)}
	case uint32:
		return scalar{typ: wire.Uint, bits: uint64(v)}
	case uint64:
		return scalar{typ: wire.Ulong, bits: v}
	case uint:
		return scalar{typ: wire.Ulong, bits: uint64(v)}
	case float32:
		return scalar{typ: wire.Float, bits: math.Float64bits(float64(v))}
	case float64:
		return scalar{typ: wire.Double, bits: math.Float64bits(v)}
	case string:
		return scalar{typ: wire.String, text: v}
	case amqp.Symbol:
		return scalar{typ: wire.Symbol, text: string(v)}
	case []byte:
		return scalar{typ: wire.Binary, data: v}
	case time.Time:
		return scalar{typ: wire.Timestamp, bits: uint64(v.UnixMilli())}
	case amqp.UUID:
		return uuidScalar(v)
	case uuid.UUID:
		return uuidScalar(v)
	case []any:
		return scalar{typ: wire.List}
	case map[string]any, map[any]any:
		return scalar{typ: wire.Map}
	case []bool, []int8, []int16, []int32, []int64, []uint16, []uint32, []uint64, []float32, []float64,
		[]string, []amqp.Symbol, [][]byte, []time.Time, []amqp.UUID, []map[any]any:
		return scalar{typ: wire.Array}
	case Described:
		return scalar{typ: wire.Described}
	case unread:
		return scalar{}
	}
	if b, ok := goamqp.UbyteArray(v); ok {
		return scalar{typ: wire.Array, data: b}
	}
	if _, _, ok := goamqp.Described(v); ok {
		return scalar{typ: wire.Described}
	}
	return scalar{}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func uuidScalar(u [16]byte) scalar {
	id := uuidID(u)
	return scalar{typ: wire.UUID, hi: id.hi, bits: id.lo}
}

// scalar returns the value that v encodes. It allocates nothing but an error, where v is cut
// off or wrong, or something follows it.
func (v RawValue) scalar() (s scalar, err error) {
	r := wire.NewReader(v)
	switch s.typ = r.Next(); s.typ {
	case wire.Boolean:
		s.bits = bit(r.Boolean())
	case wire.Byte:
		s.bits = uint64(r.Byte())
	case wire.Short:
		s.bits = uint64(r.Short())
	case wire.Int:
		s.bits = uint64(r.Int())
	case wire.Long:
		s.bits = uint64(r.Long())
	case wire.Ubyte:
		s.bits = uint64(r.Ubyte())
	case wire.Ushort:
		s.bits = uint64(r.Ushort())
	case wire.Uint:
		s.bits = uint64(r.Uint())
	case wire.Ulong:
		s.bits = r.Ulong()
	case wire.Float:
		s.bits = math.Float64bits(float64(r.Float()))
	case wire.Double:
		s.bits = math.Float64bits(r.Double())
	case wire.Char:
		s.bits = uint64(r.Char())
	case wire.Timestamp:
		s.bits = uint64(r.Timestamp())
	case wire.UUID:
		s = uuidScalar(r.UUID())
	case wire.String:
		s.data = r.String()
	case wire.Symbol:
		s.data = r.Symbol()
	case wire.Binary:
		s.data = r.Binary()
	case wire.Array:
		s.data = r.Ubytes()
	default:
		r.Skip()
	}
	r.Done()
	if e := r.Err(); e != nil {
		return scalar{}, e.Err
	}
	return s, nil
}

// isText reports whether the value is of a type that JMS reads as a string.
func (s *scalar) isText() bool {
	switch s.typ {
	case wire.String, wire.Symbol, wire.UUID, wire.Char:
		return true
	}
	return false
}

// string returns a value that is words, copied where it is encoded.
func (s *scalar) string() string {
	switch {
	case s.typ == wire.UUID:
		var scratch [uuidLen]byte
		return string(appendUUID(scratch[:0], s.hi, s.bits))
	case s.typ == wire.Char:
		return string(rune(s.bits))
	case s.data != nil:
		return string(s.data)
	}
	return s.text
}

// integer returns an integer or a timestamp, and how many bits it has as JMS's signed type:
// 0 for a value of another type and for a ulong from 2^63 up.
func (s *scalar) integer() (n int64, bits int) {
	n = int64(s.bits)
	switch s.typ {
	case wire.Byte:
		return n, 8
	case wire.Short, wire.Ubyte:
		return n, 16
	case wire.Int, wire.Ushort:
		return n, 32
	case wire.Long, wire.Uint, wire.Timestamp:
		return n, 64
	case wire.Ulong:
		if n >= 0 {
			return n, 64
		}
	}
	return 0, 0
}

// number returns the value as a number.
func (s *scalar) number() number {
	switch s.typ {
	case wire.None, wire.Null:
		return number{}
	case wire.Timestamp:
		return number{kind: numberTimestamp, n: int64(s.bits)}
	case wire.Ulong:
		return unsignedNumber(s.bits)
	}
	if n, bits := s.integer(); bits > 0 {
		return number{kind: numberInteger, n: n}
	}
	return number{kind: numberOther, value: s.typ.String()}
}

// value returns the value as go-amqp decodes it, of a type that has nothing but what a scalar
// holds.
func (s *scalar) value() any {
	switch s.typ {
	case wire.Boolean:
		return s.bits != 0
	case wire.Byte:
		return int8(s.bits)
	case wire.Short:
		return int16(s.bits)
	case wire.Int:
		return int32(s.bits)
	case wire.Long:
		return int64(s.bits)
	case wire.Ubyte:
		return uint8(s.bits)
	case wire.Ushort:
		return uint16(s.bits)
	case wire.Uint:
		return uint32(s.bits)
	case wire.Ulong:
		return s.bits
	case wire.Float:
		return float32(math.Float64frombits(s.bits))
	case wire.Double:
		return math.Float64frombits(s.bits)
	case wire.Timestamp:
		return time.UnixMilli(int64(s.bits))
	case wire.UUID:
		return amqp.UUID(ID{hi: s.hi, lo: s.bits}.uuid())
	case wire.String, wire.Symbol:
		return s.string()
	case wire.Binary:
		return s.data
	}
	return nil
}

// decode returns the value in the Go type that go-amqp decodes it into: a symbol is a
// string, a map whose keys are all strings a map[string]any. Where go-amqp's type is not
// exported it is a [Described] or, for an array of ubyte, a []byte. A value that go-amqp cannot
// decode stays a RawValue, alone and in a list or a map: a char, a decimal, an array of those,
// of described values, lists or arrays. A binary and a RawValue alias v.
func (v RawValue) decode() (any, error) {
	r := wire.NewReader(v)
	x := readAny(&r, 0)
	r.Done()
	if e := r.Err(); e != nil {
		return nil, e.Err
	}
	return x, nil
}

// readAny reads a value as [RawValue.decode] returns it. The reader bounds how deep lists and
// maps nest, depth what is around the value.
func readAny(r *wire.Reader, depth int) any {
	switch r.Next() {
	case wire.List:
		outer, n := r.List()
		list := []any{} // n is the sender's word: it sizes nothing
		for range n {
			if r.Err() != nil {
				return nil
			}
			list = append(list, readAny(r, depth+1))
		}
		r.Leave(outer)
		return list
	case wire.Map:
		return readAnyMap(r, depth)
	case wire.Array:
		return readAnyArray(r, depth)
	case wire.Described:
		return readDescribed(r, depth)
	case wire.Char, wire.Decimal32, wire.Decimal64, wire.Decimal128:
		return RawValue(r.Value())
	}
	at := r.Offset()
	s, err := RawValue(r.Value()).scalar()
	if err != nil {
		r.Fail(at, err)
		return nil
	}
	return s.value()
}

// readDescribed reads a described value, which stays encoded where its descriptor is not a
// symbol or ulong.
func readDescribed(r *wire.Reader, depth int) any {
	if depth > wire.MaxDepth {
		r.Fail(r.Offset(), goamqp.ErrTooDeep)
		return nil
	}
	start := r.Offset()
	raw := RawValue(r.Value())
	descriptor, value, _ := raw.Described()
	d, err := descriptor.scalar()
	switch {
	case r.Err() != nil:
		return nil
	case err != nil || d.typ != wire.Ulong && d.typ != wire.Symbol:
		return raw
	}
	inner := wire.NewReader(value)
	v := Described{Descriptor: d.value(), Value: readAny(&inner, depth+1)}
	if d.typ == wire.Symbol {
		v.Descriptor = amqp.Symbol(d.data)
	}
	if e := inner.Err(); e != nil {
		r.Fail(start, e.Err)
	}
	return v
}

func readAnyMap(r *wire.Reader, depth int) any {
	outer, n := r.Map()
	byName := map[string]any{}
	var byAny map[any]any // once there is a key that is not a string
	for range n {
		at := r.Offset()
		key := readAny(r, depth+1)
		if !hashable(key) {
			r.Fail(at, errNotAKey)
		}
		value := readAny(r, depth+1)
		if r.Err() != nil {
			return nil
		}
		name, isName := key.(string)
		if !isName && byAny == nil {
			byAny = withAnyKeys(byName)
		}
		if byAny != nil {
			byAny[key] = value
		} else {
			byName[name] = value
		}
	}
	r.Leave(outer)
	if byAny != nil {
		return byAny
	}
	return byName
}

func withAnyKeys(m map[string]any) map[any]any {
	byAny := make(map[any]any, len(m))
	for name, value := range m {
		byAny[name] = value
	}
	return byAny
}

var errNotAKey = errors.New("key cannot be the key of a Go map: read the encoded value")

// hashable reports whether a decoded value can be a key of a map.
func hashable(v any) bool {
	switch v.(type) {
	case nil, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, string, time.Time, amqp.UUID:
		return true
	}
	return false
}

func readAnyArray(r *wire.Reader, depth int) any {
	array := *r // read again where it stays encoded
	outer, constructor, n := array.Array()
	if array.Err() != nil {
		*r = array
		return nil
	}
	var v any
	switch wire.ElementType(constructor) {
	case wire.Boolean:
		v = elements(&array, constructor, n, (*wire.Reader).Boolean)
	case wire.Byte:
		v = elements(&array, constructor, n, (*wire.Reader).Byte)
	case wire.Short:
		v = elements(&array, constructor, n, (*wire.Reader).Short)
	case wire.Int:
		v = elements(&array, constructor, n, (*wire.Reader).Int)
	case wire.Long:
		v = elements(&array, constructor, n, (*wire.Reader).Long)
	case wire.Ushort:
		v = elements(&array, constructor, n, (*wire.Reader).Ushort)
	case wire.Uint:
		v = elements(&array, constructor, n, (*wire.Reader).Uint)
	case wire.Ulong:
		v = elements(&array, constructor, n, (*wire.Reader).Ulong)
	case wire.Float:
		v = elements(&array, constructor, n, (*wire.Reader).Float)
	case wire.Double:
		v = elements(&array, constructor, n, (*wire.Reader).Double)
	case wire.String:
		v = elements(&array, constructor, n, func(r *wire.Reader) string { return string(r.String()) })
	case wire.Symbol:
		v = elements(&array, constructor, n, func(r *wire.Reader) amqp.Symbol { return amqp.Symbol(r.Symbol()) })
	case wire.Binary:
		v = elements(&array, constructor, n, (*wire.Reader).Binary)
	case wire.Timestamp:
		v = elements(&array, constructor, n, func(r *wire.Reader) time.Time { return time.UnixMilli(r.Timestamp()).UTC() })
	case wire.UUID:
		v = elements(&array, constructor, n, func(r *wire.Reader) amqp.UUID { return amqp.UUID(r.UUID()) })
	case wire.Map:
		v = elements(&array, constructor, n, func(r *wire.Reader) map[any]any {
			m := readAnyMap(r, depth+1)
			if named, ok := m.(map[string]any); ok {
				return withAnyKeys(named)
			}
			byAny, _ := m.(map[any]any)
			return byAny
		})
	default:
		return RawValue(r.Value())
	}
	array.Leave(outer)
	*r = array
	return v
}

// elements reads the n elements of the array that r has entered.
func elements[T any](r *wire.Reader, constructor []byte, n int, read func(*wire.Reader) T) []T {
	v := []T{}
	for range n {
		at := r.Offset()
		e := r.Element(constructor)
		x := read(&e)
		if e.Done(); e.Err() != nil {
			r.Fail(at, e.Err().Err)
			return nil
		}
		v = append(v, x)
	}
	return v
}

// A Value is the value of a property, or of an entry of a map or a stream. Each
// method reads it as one of JMS's types, with JMS's conversions [jms 3.5.4] [jms 3.11.3]:
// integers and floats widen, a string is parsed, and everything but bytes reads as a
// string.
//
// JMS has no unsigned types: a ubyte reads as short, a ushort as int, a uint as long and
// a ulong as long, which is an error from 2^63 up. A timestamp reads as long,
// milliseconds since 1970-01-01 UTC; a symbol, a uuid and a char as string.
//
// As in JMS, a null and a property that does not exist read as unset text and as false, and are
// an error as a number. Any other conversion that JMS's table does not have is an error,
// a *[ValueError]. The zero Value does not exist.
type Value struct {
	what   string // for errors: what sort of value it is
	name   string
	s      scalar
	raw    any      // in Go, nil where it is a scalar or encoded
	wire   RawValue // encoded, nil where it is not
	err    error    // why it cannot be read
	exists bool
}

// ValueOf returns v as a Value: a value of a type that go-amqp decodes, a uuid.UUID, or a
// [RawValue], nil if it does not exist. Errors name it by name.
func ValueOf(name string, v any) Value {
	if raw, ok := v.(RawValue); ok {
		return rawValueOf("value", name, raw)
	}
	return Value{what: "value", name: name, s: scalarFrom(v), raw: v, exists: true}
}

// rawValueOf returns an encoded value, which does not exist if it is nil.
func rawValueOf(what, name string, raw RawValue) Value {
	v := Value{what: what, name: name, wire: raw, exists: raw != nil}
	if raw == nil {
		return v
	}
	var err error
	if v.s, err = raw.scalar(); err != nil {
		v.err = &ValueError{What: v.label(), Value: raw.Type(), Err: err}
	}
	return v
}

// scalarValue returns a value that is not a property of its own but that of a field.
func scalarValue(s scalar, exists bool, err error) Value {
	if err != nil {
		return Value{err: err, exists: true}
	}
	if !exists {
		return Value{}
	}
	return Value{s: s, exists: true}
}

// Exists reports whether there is a value. A null exists, and so does a malformed value: the
// methods that read it return why.
func (v Value) Exists() bool { return v.exists }

// IsNull reports whether the value is null or does not exist. A malformed value is not null.
func (v Value) IsNull() bool { return v.err == nil && (!v.exists || v.s.typ == wire.Null) }

// Type returns the name of the value's AMQP type, such as "ulong". It returns "no value" for a
// value that does not exist or is malformed, and for a Go type that AMQP has no type for.
func (v Value) Type() string { return v.s.typ.String() }

// Raw returns the value as go-amqp decodes it, which may be the message's own: nil or
// amqp.Null{} for a null, nil if it does not exist. A described value is a [Described] and an
// array of ubyte a []byte, for which go-amqp exports no types; an encoded value that go-amqp
// cannot decode (a char, a decimal) is a [RawValue]. A malformed value is an error.
func (v Value) Raw() (any, error) {
	switch {
	case v.err != nil:
		return nil, v.err
	case v.wire != nil:
		x, err := v.wire.decode()
		if err != nil {
			return nil, &ValueError{What: v.label(), Value: v.wire.Type(), Err: err}
		}
		x, _ = shown(x)
		return x, nil
	case v.raw != nil:
		x, _ := shown(v.raw)
		return x, nil
	}
	return v.s.value(), nil
}

func (v Value) fail(as string) error {
	switch {
	case v.err != nil:
		return v.err
	case !v.exists:
		return v.wrong("absent", "cannot be read as "+as)
	}
	return v.wrong(v.typeName(), "cannot be read as "+as)
}

// typeName names the type for an error.
func (v Value) typeName() string {
	if v.s.typ == wire.None && v.raw != nil {
		return amqpTypeName(v.raw)
	}
	return v.Type()
}

func (v Value) wrong(value, why string) error {
	return &ValueError{What: v.label(), Value: value, Err: errors.New(why)}
}

func (v Value) label() string { return v.what + " " + quote(v.name) }

// Bool reads the value as boolean.
func (v Value) Bool() (bool, error) {
	switch {
	case v.s.typ == wire.Boolean:
		return v.s.bits != 0, nil
	case v.s.isText():
		return strings.EqualFold(v.s.string(), "true"), nil
	case v.IsNull():
		return false, nil
	}
	return false, v.fail("boolean")
}

// Byte reads the value as byte.
func (v Value) Byte() (int8, error) {
	n, err := v.integer(8, "byte")
	return int8(n), err
}

// Short reads the value as short.
func (v Value) Short() (int16, error) {
	n, err := v.integer(16, "short")
	return int16(n), err
}

// Int reads the value as int.
func (v Value) Int() (int32, error) {
	n, err := v.integer(32, "int")
	return int32(n), err
}

// Long reads the value as long.
func (v Value) Long() (int64, error) { return v.integer(64, "long") }

// integer reads the value as JMS's integer of so many bits. Integers widen and never
// narrow, however small the number is.
func (v Value) integer(bits int, as string) (int64, error) {
	n, width := v.s.integer()
	switch {
	case 0 < width && width <= bits:
		return n, nil
	case v.s.isText():
		s := v.s.string()
		n, err := strconv.ParseInt(s, 10, bits)
		if err != nil {
			return 0, v.wrong(quote(s), "cannot be read as "+as)
		}
		return n, nil
	case v.s.typ == wire.Ulong && width == 0:
		return 0, v.wrong("ulong "+strconv.FormatUint(v.s.bits, 10), "above 2^63-1")
	}
	return 0, v.fail(as)
}

// Float reads the value as float.
func (v Value) Float() (float32, error) {
	if v.s.typ == wire.Float {
		return float32(math.Float64frombits(v.s.bits)), nil
	}
	f, err := v.parseFloat(32, "float")
	return float32(f), err
}

// Double reads the value as double.
func (v Value) Double() (float64, error) {
	if v.s.typ == wire.Float || v.s.typ == wire.Double {
		return math.Float64frombits(v.s.bits), nil
	}
	return v.parseFloat(64, "double")
}

func (v Value) parseFloat(bits int, as string) (float64, error) {
	if !v.s.isText() {
		return 0, v.fail(as)
	}
	s := v.s.string()
	f, ok := java.ParseFloat(s, bits)
	if !ok {
		return 0, v.wrong(quote(s), "cannot be read as "+as)
	}
	return f, nil
}

// Text reads the value as string: numbers as Java prints them, a uuid in lower case, a
// timestamp as milliseconds. It is unset for a null.
func (v Value) Text() (Opt[string], error) {
	switch {
	case v.s.isText():
		text := v.s.string()
		if v.wire == nil { // else the reader has checked it
			if err := checkText(v.label(), text); err != nil {
				return Opt[string]{}, err
			}
		}
		return Some(text), nil
	case v.s.typ == wire.Boolean:
		return Some(strconv.FormatBool(v.s.bits != 0)), nil
	case v.s.typ == wire.Ulong:
		return Some(strconv.FormatUint(v.s.bits, 10)), nil
	case v.s.typ == wire.Float:
		return Some(java.FormatFloat(math.Float64frombits(v.s.bits), 32)), nil
	case v.s.typ == wire.Double:
		return Some(java.FormatFloat(math.Float64frombits(v.s.bits), 64)), nil
	case v.IsNull():
		return Opt[string]{}, nil
	}
	if n, bits := v.s.integer(); bits > 0 {
		return Some(strconv.FormatInt(n, 10)), nil
	}
	return Opt[string]{}, v.fail("string")
}

// Bytes returns a binary or an array of ubyte, nil for a null. The bytes may be the message's
// own. In JMS only maps and streams hold bytes.
func (v Value) Bytes() ([]byte, error) {
	switch {
	case v.s.typ == wire.Binary, v.s.typ == wire.Array && v.s.data != nil:
		return v.s.data, nil
	case v.IsNull():
		return nil, nil
	}
	return nil, v.fail("bytes")
}

// A Described is a value of a described type [amqp 1.1.2], such as .NET's DateTimeOffset: a
// long whose descriptor is the symbol com.microsoft:datetime-offset. It may stand wherever a
// message holds any value, and in lists and maps. [ObjectBody], [Stamp.Apply] and
// [Forwarder.Forward] convert it for go-amqp, which does not export its own type.
type Described struct {
	Descriptor any // amqp.Symbol or uint64
	Value      any
}

// describedFrom reads a Described, for package goamqp.
func describedFrom(v any) (descriptor, value any, ok bool) {
	d, ok := v.(Described)
	return d.Descriptor, d.Value, ok
}

// Described returns the descriptor and the value of a described value, the value as
// [Value.Raw] does. A descriptor that is a symbol is an amqp.Symbol. Anything else is an error,
// null too.
func (v Value) Described() (Described, error) {
	raw, err := v.Raw()
	if err != nil {
		return Described{}, err
	}
	if d, ok := raw.(Described); ok {
		return d, nil
	}
	return Described{}, v.fail("described value")
}

// Described returns the descriptor and the value of a described value, which alias v and are
// clipped.
func (v RawValue) Described() (descriptor, value RawValue, ok bool) {
	outer := wire.NewReader(v)
	if outer.Next() != wire.Described {
		return nil, nil, false
	}
	r := wire.NewReader(v[1:])
	descriptor, value = r.Value(), r.Value()
	if r.Done(); r.Err() != nil {
		return nil, nil, false
	}
	return descriptor, value, true
}

// shown returns v as methods return it, and reports whether that differs from v: a []byte for
// an array of ubyte, a [Described] for a described value, else v.
func shown(v any) (any, bool) {
	switch v := v.(type) {
	case nil, []byte, string, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64,
		[]any, map[string]any, map[any]any: // at no cost
		return v, false
	case RawValue:
		return v.shown()
	}
	if b, ok := goamqp.UbyteArray(v); ok {
		return b, true
	}
	if descriptor, value, ok := goamqp.Described(v); ok {
		return Described{descriptor, value}, true
	}
	return v, false
}

// shown returns an array of ubyte as bytes.
func (v RawValue) shown() (any, bool) {
	if s, err := v.scalar(); err == nil && s.typ == wire.Array && s.data != nil {
		return s.data, true
	}
	return v, false
}

// shownMap returns m, or a copy where a value of it is shown as another.
func shownMap(m map[string]any) map[string]any {
	own, copied := m, false
	for name, v := range m {
		v, other := shown(v)
		if other && !copied {
			own, copied = maps.Clone(m), true
		}
		if other {
			own[name] = v
		}
	}
	return own
}

// shownList is shownMap for a list.
func shownList(l []any) []any {
	own, copied := l, false
	for i, v := range l {
		v, other := shown(v)
		if other && !copied {
			own, copied = slices.Clone(l), true
		}
		if other {
			own[i] = v
		}
	}
	return own
}

// appendAny appends a value that go-amqp decodes, or a [Described] or [RawValue], in its
// smallest encoding; of a map the keys in the order of their encodings. what names it for an
// error, a *[ValueError]: a Go type that AMQP has no type for, text that is not UTF-8, a symbol
// that is not ASCII, more than 100 levels or 4 GiB. It returns b as far as it came then.
func appendAny(b []byte, what string, v any, depth int) ([]byte, error) {
	if depth > wire.MaxDepth {
		return b, &ValueError{What: what, Value: amqpTypeName(v), Err: goamqp.ErrTooDeep}
	}
	switch v := v.(type) {
	case nil, amqp.Null:
		return wire.AppendNull(b), nil
	case bool:
		return wire.AppendBoolean(b, v), nil
	case int8:
		return wire.AppendByte(b, v), nil
	case int16:
		return wire.AppendShort(b, v), nil
	case int32:
		return wire.AppendInt(b, v), nil
	case int64:
		return wire.AppendLong(b, v), nil
	case uint8:
		return wire.AppendUbyte(b, v), nil
	case uint16:
		return wire.AppendUshort(b, v), nil
	case uint32:
		return wire.AppendUint(b, v), nil
	case uint64:
		return wire.AppendUlong(b, v), nil
	case float32:
		return wire.AppendFloat(b, v), nil
	case float64:
		return wire.AppendDouble(b, v), nil
	case time.Time:
		ms, ok := wire.UnixMilli(v)
		if !ok {
			return b, &ValueError{What: what, Value: v.String(), Err: errOverflow}
		}
		return wire.AppendTimestamp(b, ms), nil
	case amqp.UUID:
		return wire.AppendUUID(b, v), nil
	case uuid.UUID:
		return wire.AppendUUID(b, v), nil
	case string:
		if err := checkText(what, v); err != nil {
			return b, err
		}
		if err := checkSize(what, len(v)); err != nil {
			return b, err
		}
		return wire.AppendString(b, v), nil
	case amqp.Symbol:
		if err := cmp.Or(checkSymbol(what, string(v)), checkSize(what, len(v))); err != nil {
			return b, err
		}
		return wire.AppendSymbol(b, v), nil
	case []byte:
		if err := checkSize(what, len(v)); err != nil {
			return b, err
		}
		return wire.AppendBinary(b, v), nil
	case []any:
		return appendList(b, what, v, depth)
	case map[string]any:
		return appendMap(b, what, v, depth)
	case map[any]any:
		return appendMap(b, what, v, depth)
	case Described:
		return appendDescribed(b, what, v, depth)
	case RawValue:
		if err := v.complete(depth); err != nil {
			return b, &ValueError{What: what, Value: "of type RawValue", Err: err}
		}
		return append(b, v...), nil
	}
	return appendRare(b, what, v, depth)
}

// complete is an error unless v is one complete value that is not nested too deep where that
// many levels are around it. Only the size is checked of what stands in a list, map or array.
func (v RawValue) complete(depth int) *wire.Error {
	r := wire.NewReader(v)
	inside := r
	r.Skip()
	if r.Done(); r.Err() == nil && tooDeep(&inside, depth) {
		r.Fail(0, goamqp.ErrTooDeep)
	}
	return r.Err()
}

// tooDeep reads a value and reports whether it is nested so deep, with what is around it, that a
// reader does not enter it. It ends where something is malformed.
func tooDeep(r *wire.Reader, depth int) bool {
	t := r.Next()
	switch t {
	case wire.List, wire.Map, wire.Array, wire.Described:
	default:
		r.Skip()
		return false
	}
	if depth >= wire.MaxDepth {
		return true
	}
	if t == wire.Described {
		descriptor, value, _ := RawValue(r.Value()).Described()
		d, v := wire.NewReader(descriptor), wire.NewReader(value)
		return tooDeep(&d, depth+1) || tooDeep(&v, depth+1)
	}
	if t == wire.Array {
		return arrayTooDeep(r, depth+1)
	}
	var outer wire.Outer
	var n int
	if t == wire.List {
		outer, n = r.List()
	} else {
		outer, n = r.Map()
		n *= 2
	}
	for ; n > 0 && r.Err() == nil; n-- {
		if tooDeep(r, depth+1) {
			return true
		}
	}
	r.Leave(outer)
	return false
}

// arrayTooDeep is tooDeep for an array, whose elements are at a depth.
func arrayTooDeep(r *wire.Reader, depth int) bool {
	outer, constructor, n := r.Array()
	if len(constructor) == 0 {
		return false
	}
	switch wire.ElementType(constructor[len(constructor)-1:]) {
	case wire.List, wire.Map, wire.Array:
		for ; n > 0 && r.Err() == nil; n-- {
			if e := r.Element(constructor); tooDeep(&e, depth) {
				return true
			}
		}
	}
	r.LeaveEarly(outer)
	return false
}

func appendList(b []byte, what string, list []any, depth int) (_ []byte, err error) {
	start := len(b)
	b = wire.Begin(b)
	for _, e := range list {
		if b, err = appendAny(b, what, e, depth+1); err != nil {
			return b, err
		}
	}
	return endValue(b, start, what, wire.List, len(list))
}

func appendMap[K comparable](b []byte, what string, m map[K]any, depth int) (_ []byte, err error) {
	start := len(b)
	if b, err = appendPairs(wire.Begin(b), what, m, depth); err != nil {
		return b, err
	}
	return endValue(b, start, what, wire.Map, 2*len(m))
}

// appendPairs appends the keys and values of a map, in the order of the encoded keys.
func appendPairs[K comparable](b []byte, what string, m map[K]any, depth int) (_ []byte, err error) {
	type pair struct {
		key   []byte
		value any
	}
	pairs := make([]pair, 0, len(m))
	for key, value := range m {
		k, err := appendAny(nil, "key of the "+what, key, depth+1)
		if err != nil {
			return b, err
		}
		pairs = append(pairs, pair{k, value})
	}
	slices.SortFunc(pairs, func(x, y pair) int { return bytes.Compare(x.key, y.key) })
	for _, p := range pairs {
		if b, err = appendAny(append(b, p.key...), what, p.value, depth+1); err != nil {
			return b, err
		}
	}
	return b, nil
}

func appendDescribed(b []byte, what string, d Described, depth int) (_ []byte, err error) {
	switch d.Descriptor.(type) {
	case uint64, amqp.Symbol:
	default:
		return b, &ValueError{What: "descriptor of the " + what, Value: amqpTypeName(d.Descriptor), Err: errors.New("want amqp.Symbol or uint64")}
	}
	if b, err = appendAny(wire.AppendDescribed(b), what, d.Descriptor, depth+1); err != nil {
		return b, err
	}
	return appendAny(b, what, d.Value, depth+1)
}

// appendRare is appendAny for arrays and for go-amqp's types without a name.
func appendRare(b []byte, what string, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case []bool:
		return appendArray(b, what, wire.Boolean, v)
	case []int8:
		return appendArray(b, what, wire.Byte, v)
	case []int16:
		return appendArray(b, what, wire.Short, v)
	case []int32:
		return appendArray(b, what, wire.Int, v)
	case []int64:
		return appendArray(b, what, wire.Long, v)
	case []uint16:
		return appendArray(b, what, wire.Ushort, v)
	case []uint32:
		return appendArray(b, what, wire.Uint, v)
	case []uint64:
		return appendArray(b, what, wire.Ulong, v)
	case []float32:
		return appendArray(b, what, wire.Float, v)
	case []float64:
		return appendArray(b, what, wire.Double, v)
	case [][]byte:
		return appendArray(b, what, wire.Binary, v)
	case []string:
		for _, s := range v {
			if err := checkText(what, s); err != nil {
				return b, err
			}
		}
		return appendArray(b, what, wire.String, v)
	case []amqp.Symbol:
		texts := make([]string, len(v))
		for i, s := range v {
			if texts[i] = string(s); checkSymbol(what, texts[i]) != nil {
				return b, checkSymbol(what, texts[i])
			}
		}
		return appendArray(b, what, wire.Symbol, texts)
	case []time.Time:
		times := make([]int64, len(v))
		for i, t := range v {
			var ok bool
			if times[i], ok = wire.UnixMilli(t); !ok {
				return b, &ValueError{What: what, Value: t.String(), Err: errOverflow}
			}
		}
		return appendArray(b, what, wire.Timestamp, times)
	case []amqp.UUID:
		ids := make([][16]byte, len(v))
		for i, id := range v {
			ids[i] = id
		}
		return appendArray(b, what, wire.UUID, ids)
	case []map[any]any:
		start := len(b)
		b = wire.BeginArray(b, wire.Map)
		for _, m := range v {
			element, err := len(b), error(nil)
			if b, err = appendPairs(wire.BeginElement(b), what, m, depth+1); err != nil {
				return b, err
			}
			if err := checkSize(what, len(b)-element); err != nil {
				return b, err
			}
			wire.EndElement(b, element, 2*len(m))
		}
		return endValue(b, start, what, wire.Array, len(v))
	}
	if ubytes, ok := goamqp.UbyteArray(v); ok {
		return appendArray(b, what, wire.Ubyte, ubytes)
	}
	if descriptor, value, ok := goamqp.Described(v); ok {
		return appendDescribed(b, what, Described{descriptor, value}, depth)
	}
	return b, &ValueError{What: what, Value: amqpTypeName(v), Err: goamqp.ErrNoType}
}

func appendArray[T any](b []byte, what string, t wire.Type, elements []T) ([]byte, error) {
	start := len(b)
	b = wire.BeginArray(b, t)
	for _, e := range elements {
		if err := checkSize(what, len(b)-start); err != nil {
			return b, err
		}
		b = wire.AppendElement(b, e)
	}
	return endValue(b, start, what, wire.Array, len(elements))
}

// endValue ends a list, map or array that [wire.Begin] began.
func endValue(b []byte, start int, what string, t wire.Type, n int) ([]byte, error) {
	if err := checkSize(what, len(b)-start); err != nil {
		return b, err
	}
	return wire.End(b, start, t, n), nil
}

// checkSize is an error if AMQP cannot carry a value of n bytes, its size and count included.
func checkSize(what string, n int) error {
	const room = 16
	if uint64(n) > math.MaxUint32-room {
		return &ValueError{What: what, Value: strconv.Itoa(n) + " bytes", Err: errTooLong}
	}
	return nil
}

// An unread is a value that need not be decoded, by the name of its type.
type unread string

// amqpTypeName names the AMQP type of a value that go-amqp decoded.
func amqpTypeName(v any) string {
	if u, ok := v.(unread); ok {
		return string(u)
	}
	if s := scalarFrom(v); s.typ != wire.None {
		return s.typ.String()
	}
	return fmt.Sprintf("of type %T", v)
}

// A RawValue is one encoded AMQP value, format code first. The zero RawValue, nil, is no
// value. The second result of Int, Timestamp, Bool, Float, Bytes and Text is false if the value
// is of another type, is malformed or has trailing data. Only Text, which copies, allocates.
// They convert nothing; [ValueOf] reads a RawValue with JMS's conversions.
type RawValue []byte

// Type returns the name of the value's AMQP type, such as "ulong", and "no value" for nil
// and for an invalid format code.
func (v RawValue) Type() string { return v.typ().String() }

func (v RawValue) typ() wire.Type {
	r := wire.NewReader(v)
	return r.Next()
}

func (v RawValue) isNull() bool {
	r := wire.NewReader(v)
	return r.Null()
}

// Int returns the value if it is of one of the eight integer types and fits an int64.
func (v RawValue) Int() (int64, bool) {
	if len(v) == 0 { // nothing to read is an error, which costs
		return 0, false
	}
	r := wire.NewReader(v)
	n := readNumber(&r)
	return whole(&r, n.n, n.kind == numberInteger)
}

// Timestamp returns the value if it is a timestamp, in milliseconds since 1970-01-01 UTC.
func (v RawValue) Timestamp() (int64, bool) {
	r := wire.NewReader(v)
	if r.Next() != wire.Timestamp {
		return 0, false
	}
	return whole(&r, r.Timestamp(), true)
}

// Bool returns the value if it is a boolean.
func (v RawValue) Bool() (value, ok bool) {
	r := wire.NewReader(v)
	if r.Next() != wire.Boolean {
		return false, false
	}
	return whole(&r, r.Boolean(), true)
}

// Float returns the value if it is a float or a double.
func (v RawValue) Float() (float64, bool) {
	r := wire.NewReader(v)
	switch r.Next() {
	case wire.Float:
		return whole(&r, float64(r.Float()), true)
	case wire.Double:
		return whole(&r, r.Double(), true)
	}
	return 0, false
}

// Bytes returns the value if it is a binary. The bytes alias v and are clipped.
func (v RawValue) Bytes() ([]byte, bool) {
	r := wire.NewReader(v)
	if r.Next() != wire.Binary {
		return nil, false
	}
	return whole(&r, r.Binary(), true)
}

// Text returns the value, copied, if it is a string or a symbol.
func (v RawValue) Text() (string, bool) {
	b, ok := v.text(v.typ())
	return string(b), ok
}

// text returns the value if it is of type t, string or symbol.
func (v RawValue) text(t wire.Type) ([]byte, bool) {
	r := wire.NewReader(v)
	switch {
	case r.Next() != t:
	case t == wire.String:
		return whole(&r, r.String(), true)
	case t == wire.Symbol:
		return whole(&r, r.Symbol(), true)
	}
	return nil, false
}

// textFrom returns a value that go-amqp has decoded, or is to send, if it is a string or a
// symbol.
func textFrom(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case amqp.Symbol:
		return string(v), true
	}
	return "", false
}

// whole returns a value that r has read, and whether it is ok, without error and without
// trailing data.
func whole[T any](r *wire.Reader, value T, ok bool) (T, bool) {
	if !ok || r.Err() != nil || r.Len() > 0 {
		var none T
		return none, false
	}
	return value, true
}

// A number is a value in the place of an integer or a timestamp. The zero number is no
// value.
type number struct {
	kind  numberKind
	n     int64  // unless kind is numberOther
	value string // its type, if kind is numberOther
}

type numberKind uint8

const (
	numberNone numberKind = iota // nothing, or null
	numberInteger
	numberTimestamp
	numberTooLarge // an integer above 2^63-1, its bits in n
	numberOther    // of another type
)

func (n number) isSet() bool { return n.kind != numberNone }

// number returns the value as a number.
func (v RawValue) number() number {
	if len(v) == 0 {
		return number{}
	}
	r := wire.NewReader(v)
	return readNumber(&r)
}

// readNumber reads a value of any type as a number.
func readNumber(r *wire.Reader) number {
	switch t := r.Next(); t {
	case wire.Null:
		r.Skip()
		return number{}
	case wire.Timestamp:
		return number{kind: numberTimestamp, n: r.Timestamp()}
	case wire.Long:
		return signedNumber(r.Long())
	case wire.Int:
		return signedNumber(int64(r.Int()))
	case wire.Short:
		return signedNumber(int64(r.Short()))
	case wire.Byte:
		return signedNumber(int64(r.Byte()))
	case wire.Ulong:
		return unsignedNumber(r.Ulong())
	case wire.Uint:
		return unsignedNumber(uint64(r.Uint()))
	case wire.Ushort:
		return unsignedNumber(uint64(r.Ushort()))
	case wire.Ubyte:
		return unsignedNumber(uint64(r.Ubyte()))
	default:
		r.Skip()
		return number{kind: numberOther, value: t.String()}
	}
}

// numberFrom returns a value that go-amqp has decoded, or is to send, as a number.
func numberFrom(v any) number {
	if n, ok := v.(int8); ok { // as JMS clients annotate: three times as fast
		return signedNumber(int64(n))
	}
	s := scalarFrom(v)
	if s.typ == wire.None {
		return number{kind: numberOther, value: amqpTypeName(v)}
	}
	return s.number()
}

// integerFrom returns a value that go-amqp has decoded if it is an integer and fits.
func integerFrom(v any) (int64, bool) {
	s := scalarFrom(v)
	n, bits := s.integer()
	return n, bits > 0 && s.typ != wire.Timestamp
}

func signedNumber(n int64) number { return number{kind: numberInteger, n: n} }

func unsignedNumber(n uint64) number {
	if n > math.MaxInt64 {
		return number{kind: numberTooLarge, n: int64(n)}
	}
	return signedNumber(int64(n))
}

// wrong returns the error of a number that should be something else.
func (n number) wrong(what, why string) error {
	value := n.value
	switch n.kind {
	case numberInteger:
		value = strconv.FormatInt(n.n, 10)
	case numberTimestamp:
		value = "timestamp " + strconv.FormatInt(n.n, 10)
	case numberTooLarge:
		value = strconv.FormatUint(uint64(n.n), 10)
	}
	return &ValueError{What: what, Value: value, Err: errors.New(why)}
}
