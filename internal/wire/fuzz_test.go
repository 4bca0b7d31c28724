package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
)

// walk reads the next value by its type, and all in it, and returns how deep it called
// itself.
func walk(r *Reader, depth int) (deepest int) {
	deepest = depth
	before := r.Offset()
	switch r.Next() {
	case None:
		r.Skip() // says what is wrong
	case Null:
		r.Null()
	case Boolean:
		r.Boolean()
	case Ubyte:
		r.Ubyte()
	case Ushort:
		r.Ushort()
	case Uint:
		r.Uint()
	case Ulong:
		r.Ulong()
	case Byte:
		r.Byte()
	case Short:
		r.Short()
	case Int:
		r.Int()
	case Long:
		r.Long()
	case Float:
		r.Float()
	case Double:
		r.Double()
	case Decimal32, Decimal64, Decimal128:
		r.Decimal()
	case Char:
		r.Char()
	case Timestamp:
		r.Timestamp()
	case UUID:
		r.UUID()
	case Binary:
		r.Binary()
	case String:
		_ = r.String()
	case Symbol:
		r.Symbol()
	case List:
		outer, n := r.List()
		for range n {
			deepest = max(deepest, walk(r, depth+1))
		}
		r.Leave(outer)
	case Map:
		outer, n := r.Map()
		for range 2 * n {
			deepest = max(deepest, walk(r, depth+1))
		}
		r.Leave(outer)
	case Array:
		outer, constructor, n := r.Array()
		for range n {
			at := r.Offset()
			e := r.Element(constructor)
			deepest = max(deepest, walk(&e, depth+1))
			e.Done()
			if err := e.Err(); err != nil {
				r.Fail(at, err.Err)
			}
		}
		r.Leave(outer)
	case Described: // which the Reader does not count, so this must not recurse
		for r.Next() == Described {
			r.Descriptor()
		}
		deepest = walk(r, depth)
	}
	if r.Offset() < before || r.Err() == nil && r.Offset() == before {
		panic("a read did not go on")
	}
	return deepest
}

// skipByRule returns how long the value at the start of b is, by nothing but the table
// of format codes and the rule of clause 1.2: the slow and plain Skip.
func skipByRule(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, errCut
	}
	c := codeTable[b[0]]
	switch c.form {
	case fixed:
		n = 1 + c.width
	case counted:
		size := make([]byte, 8)
		if len(b) < 1+c.width {
			return 0, errCut
		}
		copy(size[8-c.width:], b[1:1+c.width])
		if binary.BigEndian.Uint64(size) > uint64(len(b)) {
			return 0, errCut
		}
		n = 1 + c.width + int(binary.BigEndian.Uint64(size))
	case describe:
		n = 1
		for range 2 {
			m, err := skipByRule(b[n:])
			if err != nil {
				return 0, err
			}
			n += m
		}
	default:
		return 0, errNoCode
	}
	if n > len(b) {
		return 0, errCut
	}
	return n, nil
}

var (
	errCut    = errors.New("cut off")
	errNoCode = errors.New("no format code")
)

// seeds are values for the fuzz targets to start from.
func seeds(add func([]byte)) {
	for _, v := range all {
		if len(v.b) < 100 {
			add(v.b)
			add(v.b[:len(v.b)-1])
		}
	}
	for _, s := range []string{
		"", "00", "56 02", "a1 01 ff", "73 0000d800", "c0 01 ff", "c0 00", "d0 fffffffb 00000000", "f0 00000009 ffffffff 00 53 77 41 41",
		"c1 04 03 40 41 42", "c0 04 02 40 41 42", "e0 09 02 e0 02 01 41 03 01 52 07", "00 a1 01 61 40", "45 45", "c1 05 02 c0 01 00 40",
		"c0 10 03 d1 00000008 00000002 a3 01 61 40 43 a1 00",
	} {
		add(x(s))
	}
	add(x(times(MaxDepth+1, "00 53 77"), "40"))
	add(nest(0xc0, MaxDepth, x("45")))
	add(nest(0xe0, MaxDepth+1, x("40")))
}

// What Skip takes and where it fails is what the rule says, and a walk that succeeds
// ends where Skip does.
func FuzzReader(f *testing.F) {
	seeds(func(b []byte) { f.Add(b) })
	f.Fuzz(func(t *testing.T, in []byte) {
		before := slices.Clone(in)
		for r := NewReader(in); r.Len() > 0; {
			start := r.Offset()
			walked := r
			deepest := walk(&walked, 0)
			if deepest > MaxDepth {
				t.Fatalf("walk of %x: %d deep", in[start:], deepest)
			}
			want, err := skipByRule(in[start:])
			got := r.Value()
			switch {
			case (err == nil) != (r.Err() == nil):
				t.Fatalf("Skip of %x: error %v, want %v", in[start:], r.Err(), err)
			case err == nil && len(got) != want:
				t.Fatalf("Skip of %x: %d bytes, want %d", in[start:], len(got), want)
			case err != nil && (err == errCut) != errors.Is(r.Err(), io.ErrUnexpectedEOF):
				t.Fatalf("Skip of %x: error %v, want %v", in[start:], r.Err(), err)
			case walked.Err() == nil && walked.Offset() != start+want:
				t.Fatalf("walk of %x: to %d, want %d", in[start:], walked.Offset(), start+want)
			case err != nil && walked.Err() == nil:
				t.Fatalf("walk of %x: no error, want %v", in[start:], err)
			case r.Offset() < start || r.Offset() > len(in):
				t.Fatalf("Skip of %x: from %d to %d of %d", in[start:], start, r.Offset(), len(in))
			}
			for _, e := range []*Error{r.Err(), walked.Err()} {
				if e != nil && (e.Offset < start || e.Offset > len(in)) {
					t.Fatalf("error of %x from %d on stands at %d", in, start, e.Offset)
				}
			}
			if code := codeTable[in[start]]; code.typ == Map {
				m := NewReader(in[start:])
				m.SkipMap()
				if good := err == nil && want >= 1+2*code.width; good != (m.Err() == nil) || good && m.Offset() != want {
					t.Fatalf("SkipMap of %x: to %d, error %v", in[start:], m.Offset(), m.Err())
				}
			}
		}
		if !slices.Equal(before, in) {
			t.Fatalf("reading changed %x to %x", before, in)
		}
	})
}

// goValue reads the next value as go-amqp decodes it into an any. comparable is
// false where go-amqp cannot, or makes something else of a valid value.
func goValue(r *Reader) (v any, comparable bool) {
	comparable = true
	switch r.Next() {
	case Null:
		r.Null()
		return nil, true
	case Boolean:
		return r.Boolean(), true
	case Ubyte:
		return r.Ubyte(), true
	case Ushort:
		return r.Ushort(), true
	case Uint:
		return r.Uint(), true
	case Ulong:
		return r.Ulong(), true
	case Byte:
		return r.Byte(), true
	case Short:
		return r.Short(), true
	case Int:
		return r.Int(), true
	case Long:
		return r.Long(), true
	case Float:
		return r.Float(), true
	case Double:
		return r.Double(), true
	case Timestamp:
		return time.UnixMilli(r.Timestamp()), true
	case UUID:
		return amqp.UUID(r.UUID()), true
	case Binary:
		return r.Binary(), true
	case String:
		return string(r.String()), true
	case Symbol: // go-amqp: the text is all
		return string(r.Symbol()), true
	case List:
		outer, n := r.List()
		items := make([]any, 0, n)
		for range n {
			item, ok := goValue(r)
			items, comparable = append(items, item), comparable && ok
		}
		r.Leave(outer)
		return items, comparable
	case Map:
		outer, n := r.Map()
		m := map[any]any{}
		for range n {
			key, ok1 := goValue(r)
			value, ok2 := goValue(r)
			if !isMapKey(key) { // go-amqp: mostly an error
				comparable = false
				continue
			}
			m[key] = value
			comparable = comparable && ok1 && ok2
		}
		r.Leave(outer)
		return stringKeys(m), comparable
	case Array:
		outer, constructor, n := r.Array()
		if r.Err() != nil {
			return nil, false
		}
		items := make([]any, 0, n)
		left := r.Len()
		for range n {
			e := r.Element(constructor)
			item, ok := goValue(&e)
			e.Done()
			if e.Err() != nil {
				r.Fail(r.Offset(), e.Err().Err)
			}
			items, comparable = append(items, item), comparable && ok
		}
		r.Leave(outer)
		switch codeTable[constructor[0]].typ {
		case Null, List, Array, Char, Decimal32, Decimal64, Decimal128, Described: // go-amqp: an error
			comparable = false
		case String, Symbol, Binary: // go-amqp: an error where the elements are less than two bytes each
			comparable = comparable && 2*n <= left
		}
		return items, comparable
	default: // go-amqp: an error, and types of its own for described values
		walk(r, 0)
		return nil, false
	}
}

func isMapKey(v any) bool {
	switch reflect.ValueOf(v).Kind() {
	case reflect.Slice, reflect.Map:
		return false
	}
	return v == v // not a NaN, which a Go map never finds again
}

// stringKeys returns m as go-amqp does: a map[string]any if all keys are strings.
func stringKeys(m map[any]any) any {
	s := map[string]any{}
	for k, v := range m {
		key, ok := k.(string)
		if !ok {
			return m
		}
		s[key] = v
	}
	if len(m) == 0 {
		return m
	}
	return s
}

// plain makes values of goValue and of go-amqp comparable: slices of any sort become
// []any, floats their bits, symbols strings, maps map[any]any.
func plain(v any) any {
	type bits32 uint32
	type bits64 uint64
	switch v := v.(type) {
	case float32:
		return bits32(math.Float32bits(v))
	case float64:
		return bits64(math.Float64bits(v))
	case []byte:
		return append([]byte{}, v...) // an empty one in an array is nil in go-amqp
	case amqp.Symbol:
		return string(v)
	}
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Slice:
		items := make([]any, rv.Len())
		for i := range items {
			items[i] = plain(rv.Index(i).Interface())
		}
		return items
	case reflect.Map:
		m := map[any]any{}
		for it := rv.MapRange(); it.Next(); {
			m[plain(it.Key().Interface())] = plain(it.Value().Interface())
		}
		return m
	}
	return v
}

// What the Reader can read and go-amqp has a type for, go-amqp reads to the same value.
func FuzzAgainstGoAMQP(f *testing.F) {
	seeds(func(b []byte) { f.Add(b) })
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(in)
		got, comparable := goValue(&r)
		r.Done()
		if r.Err() != nil || !comparable {
			return
		}
		var m amqp.Message
		if err := m.UnmarshalBinary(append(x("00 53 77"), in...)); err != nil {
			t.Fatalf("value of %x: %v, go-amqp: %v", in, got, err)
		}
		if want := m.Value; !reflect.DeepEqual(plain(got), plain(want)) {
			t.Fatalf("value of %x: %#v, go-amqp: %#v", in, got, want)
		}
	})
}
