package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// Decode reads one encoded value of AMQP. The error is a [*wire.Error], which says where in b.
func Decode(b []byte) (Value, error) {
	r := wire.NewReader(b)
	v := decode(&r, 0)
	r.Done()
	if err := r.Err(); err != nil {
		return Value{}, err
	}
	return v, nil
}

// decode reads a value that is depth deep in others. After an error the reader has it, and the value says nothing.
func decode(r *wire.Reader, depth int) Value {
	if depth > wire.MaxDepth { // the reader counts lists, maps and arrays, but not described values
		r.Fail(r.Offset(), errors.New("nested too deep"))
		return Value{}
	}
	t := r.Next()
	v := Value{Type: t.String()}
	switch t {
	case wire.Null:
		r.Null()
	case wire.Boolean:
		v.V = r.Boolean()
	case wire.Ubyte:
		v.V = uint64(r.Ubyte())
	case wire.Ushort:
		v.V = uint64(r.Ushort())
	case wire.Uint:
		v.V = uint64(r.Uint())
	case wire.Ulong:
		v.V = r.Ulong()
	case wire.Byte:
		v.V = int64(r.Byte())
	case wire.Short:
		v.V = int64(r.Short())
	case wire.Int:
		v.V = int64(r.Int())
	case wire.Long:
		v.V = r.Long()
	case wire.Float:
		v.V = r.Float()
	case wire.Double:
		v.V = r.Double()
	case wire.Decimal32, wire.Decimal64, wire.Decimal128:
		v.V = bytes.Clone(r.Decimal())
	case wire.Char:
		v.V = uint64(r.Char())
	case wire.Timestamp:
		v.V = r.Timestamp()
	case wire.UUID:
		v.V = r.UUID()
	case wire.Binary:
		v.V = append([]byte{}, r.Binary()...)
	case wire.String:
		v.V = string(r.String())
	case wire.Symbol:
		v.V = string(r.Symbol())
	case wire.List:
		v.V = decodeList(r, depth)
	case wire.Map:
		v.V = decodeMap(r, depth)
	case wire.Array:
		v = decodeArray(r, depth)
	case wire.Described:
		d := decodeDescriptor(r)
		v.Type, v.V = "described", Described{d, decode(r, depth+1)}
	default:
		r.Skip() // which says what is wrong
	}
	return v
}

func decodeDescriptor(r *wire.Reader) Value {
	code, symbol := r.Descriptor()
	if symbol != nil {
		return Value{Type: "symbol", V: string(symbol)}
	}
	return Value{Type: "ulong", V: code}
}

func decodeList(r *wire.Reader, depth int) []Value {
	items := []Value{}
	outer, n := r.List()
	for range n {
		if r.Err() != nil {
			break
		}
		items = append(items, decode(r, depth+1))
	}
	r.Leave(outer)
	return items
}

func decodeMap(r *wire.Reader, depth int) []Entry {
	entries := []Entry{}
	outer, n := r.Map()
	for range n {
		if r.Err() != nil {
			break
		}
		k := decode(r, depth+1)
		entries = append(entries, Entry{k, decode(r, depth+1)})
	}
	r.Leave(outer)
	return entries
}

func decodeArray(r *wire.Reader, depth int) Value {
	items := []Value{}
	start := r.Offset()
	outer, constructor, n := r.Array()
	c := wire.NewReader(constructor)
	var descriptors []Value // which the elements share
	for c.Next() == wire.Described {
		descriptors = append(descriptors, decodeDescriptor(&c))
	}
	if err := c.Err(); err != nil {
		r.Fail(start, err.Err)
	}
	for range n {
		if r.Err() != nil {
			break
		}
		start := r.Offset()
		element := r.Element(constructor)
		if r.Err() != nil {
			break
		}
		items = append(items, decode(&element, depth+1))
		if err := element.Err(); err != nil {
			r.Fail(start+err.Offset-1, err.Err) // the format code stands in the constructor
		}
	}
	r.Leave(outer)
	array := Value{Type: "array", V: items}
	for _, d := range slices.Backward(descriptors) {
		array = Value{Type: "array", V: Described{d, array}}
	}
	return array
}

// Go returns the Go value that go-amqp has for v, and false where it has none: for a char, a decimal, an array, a
// described value, and what is not of AMQP. A list is a []any, a map whose keys are strings a map[string]any, any
// other a map[any]any. bytes are a []byte, too.
func (v Value) Go() (any, bool) {
	switch x := v.V.(type) {
	case nil:
		return nil, v.Type == "null"
	case bool, float32, float64:
		return x, true
	case int64:
		switch v.Type {
		case "byte":
			return int8(x), true
		case "short":
			return int16(x), true
		case "int":
			return int32(x), true
		case "timestamp":
			return time.UnixMilli(x), true
		}
		return x, true
	case uint64:
		switch v.Type {
		case "ubyte":
			return uint8(x), true
		case "ushort":
			return uint16(x), true
		case "uint":
			return uint32(x), true
		}
		return x, v.Type == "ulong"
	case string:
		if v.Type == "symbol" {
			return amqp.Symbol(x), true
		}
		return x, v.Type == "string"
	case [16]byte:
		return amqp.UUID(x), true
	case []byte:
		return x, v.Type == "binary" || v.Type == "bytes"
	case []Value:
		if v.Type != "list" {
			return nil, false
		}
		list := make([]any, len(x))
		for i, item := range x {
			var ok bool
			if list[i], ok = item.Go(); !ok {
				return nil, false
			}
		}
		return list, true
	case []Entry:
		return goMap(x)
	}
	return nil, false
}

func goMap(entries []Entry) (any, bool) {
	byName, byKey := map[string]any{}, map[any]any{}
	for _, e := range entries {
		value, ok := e.Value.Go()
		if !ok {
			return nil, false
		}
		switch e.Key.V.(type) {
		case []byte, []Value, []Entry: // a Go map has no such keys
			return nil, false
		}
		key, ok := e.Key.Go()
		if !ok {
			return nil, false
		}
		byKey[key] = value
		if name, ok := key.(string); ok {
			byName[name] = value
		}
	}
	if len(byName) == len(byKey) {
		return byName, true
	}
	return byKey, true
}

// Map returns v with f applied to each value inside it, keys apart, and then to itself. It changes nothing in v.
func (v Value) Map(f func(Value) Value) Value {
	switch x := v.V.(type) {
	case []Value:
		items := make([]Value, len(x))
		for i := range x {
			items[i] = x[i].Map(f)
		}
		v.V = items
	case []Entry:
		entries := make([]Entry, len(x))
		for i := range x {
			entries[i] = Entry{x[i].Key, x[i].Value.Map(f)}
		}
		v.V = entries
	case Described:
		v.V = Described{x.Descriptor, x.Value.Map(f)}
	}
	return f(v)
}

// The JSON form of a value is {"t": type, "v": value}: a destination has the type "destination" and its "kind" and
// "name", an error a "message", a float its decimal and its "bits", a described value its "descriptor". V is, by type:
//
//	boolean                                    true or false
//	byte, short, int, ubyte, ushort, uint      a number
//	char                                       a number, the code point
//	long, ulong, timestamp                     a string, decimal: JSON's numbers do not hold them all
//	float, double                              a string, decimal
//	string, symbol, uuid                       a string
//	binary, bytes, decimal32 to decimal128     a string, hex
//	list, array                                an array of values; an array of described values has their "descriptor"
//	map                                        an array of pairs, each an array of key and value
//	described                                  a value
//
// null, none and object have no "v".
type jsonValue struct {
	T          string          `json:"t"`
	V          json.RawMessage `json:"v,omitempty"`
	Bits       string          `json:"bits,omitempty"`
	Descriptor *Value          `json:"descriptor,omitempty"`
	Message    string          `json:"message,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	Name       *string         `json:"name,omitempty"`
}

// MarshalJSON returns the JSON form of v.
func (v Value) MarshalJSON() ([]byte, error) {
	j := jsonValue{T: v.Type}
	var plain any
	switch x := v.V.(type) {
	case nil:
		if isDestination(v.Type) {
			j.T, j.Kind = "destination", v.Type
		}
		return encodeJSON(j)
	case string:
		switch {
		case isDestination(v.Type):
			j.T, j.Kind, j.Name = "destination", v.Type, &x
			return encodeJSON(j)
		case v.Type == "error":
			j.Message = x
			return encodeJSON(j)
		}
		if plain = x; v.lit != "" {
			plain = json.RawMessage(v.lit)
		}
	case int64, uint64:
		if plain = x; v.Type == "long" || v.Type == "ulong" || v.Type == "timestamp" {
			plain = v.literal()
		}
	case float32, float64:
		plain, j.Bits, _ = strings.Cut(v.literal(), "/")
	case []byte, [16]byte:
		plain = v.literal()
	case []Entry:
		pairs := make([][2]Value, len(x))
		for i, e := range x {
			pairs[i] = [2]Value{e.Key, e.Value}
		}
		plain = pairs
	case Described:
		plain, j.Descriptor = x.Value, &x.Descriptor
		if items, ok := x.Value.V.([]Value); ok && v.Type == "array" {
			plain = items
		}
	default:
		plain = x
	}
	var err error
	if j.V, err = encodeJSON(plain); err != nil {
		return nil, err
	}
	return encodeJSON(j)
}

// encodeJSON is json.Marshal that leaves <, > and & as they are.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func isDestination(typ string) bool {
	switch strings.TrimPrefix(typ, "foreign-") {
	case "queue", "topic", "temporary-queue", "temporary-topic":
		return true
	}
	return false
}

// UnmarshalJSON reads the JSON form of a value. A member that is not of the form is an error.
func (v *Value) UnmarshalJSON(data []byte) error {
	var j jsonValue
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return err
	}
	x, err := j.value()
	if err != nil {
		return fmt.Errorf("golden: %s: %w", data, err)
	}
	*v = x
	return nil
}

func (j jsonValue) value() (Value, error) {
	var text string
	read := func(p any) error { return json.Unmarshal(j.V, p) }
	switch j.T {
	case "null", "none", "object":
		if j.V != nil {
			return Value{}, fmt.Errorf("type %s has no value", j.T)
		}
		return Value{Type: j.T}, nil
	case "error":
		return Value{Type: j.T, V: j.Message}, nil
	case "destination":
		if !isDestination(j.Kind) {
			return Value{}, fmt.Errorf("unknown kind %q of destination", j.Kind)
		}
		if j.Name == nil {
			return Value{Type: j.Kind}, nil
		}
		return Value{Type: j.Kind, V: *j.Name}, nil
	case "boolean", "byte", "short", "int", "ubyte", "ushort", "uint", "char":
		return scalar(j.T, string(j.V))
	case "string", "symbol":
		if err := read(&text); err != nil {
			return Value{}, err
		}
		v := Value{Type: j.T, V: text}
		if n := strings.Count(text, "\ufffd"); n > bytes.Count(j.V, []byte("\ufffd"))+bytes.Count(j.V, []byte(`\ufffd`)) {
			v.lit = string(j.V) // with an unpaired surrogate, which encoding/json replaces
		}
		return v, nil
	case "long", "ulong", "timestamp", "uuid", "binary", "bytes", "decimal32", "decimal64", "decimal128":
		if err := read(&text); err != nil {
			return Value{}, err
		}
		return scalar(j.T, text)
	case "float", "double":
		if err := read(&text); err != nil {
			return Value{}, err
		}
		return scalar(j.T, text+"/"+j.Bits)
	case "list", "array":
		v := Value{Type: j.T}
		items := []Value{}
		err := read(&items)
		if v.V = items; err != nil && j.Descriptor != nil {
			err = read(&v)
		}
		if j.Descriptor != nil {
			v = Value{Type: j.T, V: Described{*j.Descriptor, v}}
		}
		return v, err
	case "map":
		var pairs [][2]Value
		err := read(&pairs)
		entries := []Entry{}
		for _, p := range pairs {
			entries = append(entries, Entry{p[0], p[1]})
		}
		return Value{Type: j.T, V: entries}, err
	case "described":
		if j.Descriptor == nil {
			return Value{}, errors.New("no descriptor")
		}
		var inner Value
		err := read(&inner)
		return Value{Type: j.T, V: Described{*j.Descriptor, inner}}, err
	}
	return Value{}, fmt.Errorf("unknown type %q", j.T)
}
