package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A value is a value with its type, of AMQP or of JMS, as JSON shows it and text.
// The types are AMQP's names, "bytes", "destination", "none" and "error"; V is, by type:
//
//	null, none, destination, error             nil
//	boolean                                    bool
//	byte, short, int, ubyte, ushort, uint      int64
//	char                                       int64, its code point
//	long, ulong, timestamp                     string, decimal, for JSON's numbers do not hold them all
//	float, double                              string, as Java prints it
//	string, symbol, uuid                       string
//	binary, bytes, decimal32 to decimal128     string, hex
//	list, array                                []value
//	map                                        []pair
//	described                                  value
type value struct {
	T          string `json:"t"`
	V          any    `json:"v,omitempty"` // only nil is left out
	Bits       string `json:"bits,omitempty"`
	Descriptor *value `json:"descriptor,omitempty"` // of a described value; of an array, that of each element
	Message    string `json:"message,omitempty"`    // of an error

	Kind string  `json:"kind,omitempty"` // of a destination, with its name
	Name *string `json:"name,omitempty"`
}

// A pair is a key of a map and its value.
type pair [2]value

func null() value                       { return value{T: "null"} }
func booleanValue(v bool) value         { return value{T: "boolean", V: v} }
func number(t string, v int64) value    { return value{T: t, V: v} }
func text(t, v string) value            { return value{T: t, V: v} }
func longValue(v int64) value           { return text("long", strconv.FormatInt(v, 10)) }
func hexValue(t string, v []byte) value { return value{T: t, V: hex.EncodeToString(v)} }

func errorValue(err error) value { return value{T: "error", Message: reason(err)} }

// reason returns an error's text without the package's name, which people who read it
// here need not know, nor that of a type which stands for one that go-amqp lacks.
func reason(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "amqpjms: "), "of type main.", "")
}

// decode reads the value that is encoded in b, which starts at offset base of its
// message. What is no value gives an error that says where.
func decode(b []byte, base int) value {
	r := wire.NewReader(b)
	v := readValue(&r, 0)
	r.Done()
	if err := r.Err(); err != nil {
		return errorValue(errorAt(base, err))
	}
	return v
}

// errorAt returns the error of a reader whose bytes start at offset base.
func errorAt(base int, err *wire.Error) error {
	return fmt.Errorf("at byte %d: %w", base+err.Offset, err.Err)
}

// readValue reads a value of any type, and what is in it, depth deep in others. On
// error the reader has that, and the value says nothing.
func readValue(r *wire.Reader, depth int) value {
	if depth > wire.MaxDepth { // the reader counts lists, maps and arrays, but not what is described
		r.Fail(r.Offset(), errors.New("nested too deep"))
		return value{}
	}
	switch t := r.Next(); t {
	case wire.Null:
		r.Null()
		return null()
	case wire.Boolean:
		return booleanValue(r.Boolean())
	case wire.Ubyte:
		return number("ubyte", int64(r.Ubyte()))
	case wire.Ushort:
		return number("ushort", int64(r.Ushort()))
	case wire.Uint:
		return number("uint", int64(r.Uint()))
	case wire.Ulong:
		return text("ulong", strconv.FormatUint(r.Ulong(), 10))
	case wire.Byte:
		return number("byte", int64(r.Byte()))
	case wire.Short:
		return number("short", int64(r.Short()))
	case wire.Int:
		return number("int", int64(r.Int()))
	case wire.Long:
		return text("long", strconv.FormatInt(r.Long(), 10))
	case wire.Float:
		f := r.Float()
		return value{T: "float", V: inJava(f), Bits: fmt.Sprintf("%08x", math.Float32bits(f))}
	case wire.Double:
		f := r.Double()
		return value{T: "double", V: inJava(f), Bits: fmt.Sprintf("%016x", math.Float64bits(f))}
	case wire.Decimal32, wire.Decimal64, wire.Decimal128:
		return hexValue(t.String(), r.Decimal())
	case wire.Char:
		return number("char", int64(r.Char()))
	case wire.Timestamp:
		return text("timestamp", strconv.FormatInt(r.Timestamp(), 10))
	case wire.UUID:
		return text("uuid", uuid.UUID(r.UUID()).String())
	case wire.Binary:
		return hexValue("binary", r.Binary())
	case wire.String:
		return text("string", string(r.String()))
	case wire.Symbol:
		return text("symbol", string(r.Symbol()))
	case wire.List:
		return readList(r, depth)
	case wire.Map:
		return readMap(r, depth)
	case wire.Array:
		return readArray(r, depth)
	case wire.Described:
		d := readDescriptor(r)
		return value{T: "described", Descriptor: &d, V: readValue(r, depth+1)}
	}
	r.Skip() // says what is wrong with bytes that are no value
	return value{}
}

// inJava returns a number as JMS reads it as a string.
func inJava(f any) string {
	s, _ := amqpjms.ValueOf("", f).Text()
	return s.Or("")
}

func readDescriptor(r *wire.Reader) value {
	code, symbol := r.Descriptor()
	if symbol != nil {
		return text("symbol", string(symbol))
	}
	return text("ulong", strconv.FormatUint(code, 10))
}

func readList(r *wire.Reader, depth int) value {
	items := []value{}
	outer, n := r.List()
	for range n {
		if r.Err() != nil {
			break
		}
		items = append(items, readValue(r, depth+1))
	}
	r.Leave(outer)
	return value{T: "list", V: items}
}

func readMap(r *wire.Reader, depth int) value {
	pairs := []pair{}
	outer, n := r.Map()
	for range n {
		if r.Err() != nil {
			break
		}
		k := readValue(r, depth+1)
		pairs = append(pairs, pair{k, readValue(r, depth+1)})
	}
	r.Leave(outer)
	return value{T: "map", V: pairs}
}

// readArray reads an array. Descriptors, which its elements share, are shown once.
func readArray(r *wire.Reader, depth int) value {
	array := value{T: "array"}
	start := r.Offset()
	outer, constructor, n := r.Array()
	c := wire.NewReader(constructor)
	for at := &array.Descriptor; c.Next() == wire.Described; {
		d := readDescriptor(&c)
		*at = &d
		at = &d.Descriptor
	}
	if err := c.Err(); err != nil {
		r.Fail(start, err.Err)
	}
	items := []value{}
	for range n {
		if r.Err() != nil {
			break
		}
		start := r.Offset()
		element := r.Element(constructor)
		if r.Err() != nil {
			break
		}
		items = append(items, readValue(&element, depth+1))
		if err := element.Err(); err != nil {
			r.Fail(start+err.Offset-1, err.Err) // the format code stands in the constructor
		}
	}
	r.Leave(outer)
	array.V = items
	return array
}

// most is how many bytes of a string, or of a binary, its text shows.
const most = 128

// String returns the value for people to read: the type, then the value itself,
// long ones cut.
func (v value) String() string {
	switch x := v.V.(type) {
	case []value:
		return v.T + described(v.Descriptor) + " [" + join(x, value.String) + "]"
	case []pair:
		return v.T + " {" + join(x, func(p pair) string { return p[0].String() + " = " + p[1].String() }) + "}"
	case value:
		return v.T + described(v.Descriptor) + " " + x.String()
	case bool:
		return v.T + " " + strconv.FormatBool(x)
	case int64:
		s := v.T + " " + strconv.FormatInt(x, 10)
		if v.T == "char" {
			s += " " + strconv.QuoteRune(rune(x))
		}
		return s
	case string:
		switch v.T {
		case "string", "symbol":
			return v.T + " " + quote(x)
		case "binary", "bytes":
			if x == "" {
				return v.T + ", empty"
			}
			n := min(len(x), 2*most)
			return v.T + " " + x[:n] + more(n/2, len(x)/2)
		case "timestamp":
			return v.T + " " + x + date(x)
		}
		return v.T + " " + x
	}
	switch v.T {
	case "error":
		return v.T + ": " + v.Message
	case "destination":
		return v.Kind + " " + quote(*v.Name)
	}
	return v.T
}

// described returns what stands before a described value.
func described(d *value) (s string) {
	for ; d != nil; d = d.Descriptor {
		s += " (" + value{T: d.T, V: d.V}.String() + ")"
	}
	return s
}

func join[T any](items []T, text func(T) string) string {
	var b strings.Builder
	for i, x := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(text(x))
	}
	return b.String()
}

func quote(s string) string {
	n := min(len(s), most)
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return strconv.Quote(s[:n]) + more(n, len(s))
}

// more says how long a value is if only shown bytes of it are.
func more(shown, size int) string {
	if shown == size {
		return ""
	}
	return fmt.Sprintf("… (%d bytes)", size)
}

// date returns a timestamp as a date, if it is one of four digits.
func date(ms string) string {
	n, _ := strconv.ParseInt(ms, 10, 64)
	if t := time.UnixMilli(n).UTC(); 0 <= t.Year() && t.Year() <= 9999 {
		return t.Format(" (2006-01-02T15:04:05.000Z)")
	}
	return ""
}
