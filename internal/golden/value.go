package golden

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/java"
)

// A Value is a value with its type. V holds, by Type:
//
//	null, none                             nil
//	boolean                                bool
//	byte, short, int, long, timestamp      int64 (timestamp: milliseconds since the epoch)
//	ubyte, ushort, uint, ulong, char       uint64
//	float                                  float32
//	double                                 float64
//	string, symbol                         string
//	uuid                                   [16]byte
//	bytes, binary, wire                    []byte
//	decimal32, decimal64, decimal128       []byte, the bits
//	list, array                            []Value
//	map                                    []Entry
//	described                              Described
//	array of described values              Described: what the elements share, and the array without it
//	queue, topic, temporary-queue, …       string, the name; nil where it has none yet
//	error, object                          string; nil where there is none
//	text                                   string (plain text of a fixture, never part of another value)
//
// bytes is a byte[] of Java, binary the AMQP type. none is what a plain Message has as body.
type Value struct {
	Type string
	V    any

	lit string // the literal of a float as the peer prints it, and of a string with an unpaired surrogate
}

// An Entry is one pair of a map.
type Entry struct{ Key, Value Value }

// Described is the V of a described value.
type Described struct{ Descriptor, Value Value }

// intBits are the widths of the integer types; the signed ones are negative.
func intBits(typ string) int {
	switch typ {
	case "ubyte":
		return 8
	case "ushort":
		return 16
	case "uint", "char":
		return 32
	case "ulong":
		return 64
	case "byte":
		return -8
	case "short":
		return -16
	case "int":
		return -32
	case "long", "timestamp":
		return -64
	}
	return 0
}

// byteCount is the size of the types that are a fixed number of bytes, -1 for any number, 0 for all other types.
func byteCount(typ string) int {
	switch typ {
	case "bytes", "binary":
		return -1
	case "decimal32":
		return 4
	case "decimal64":
		return 8
	case "decimal128", "uuid":
		return 16
	}
	return 0
}

// String returns the text form, which ParseValue reads; for text the text itself, for a wire its hex digits.
func (v Value) String() string {
	switch v.Type {
	case "text":
		return v.V.(string)
	case "wire":
		return hex.EncodeToString(v.V.([]byte))
	}
	if lit := v.literal(); lit != "" {
		return v.Type + " " + lit
	}
	return v.Type
}

func (v Value) literal() string {
	if v.lit != "" {
		return v.lit
	}
	switch x := v.V.(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	case float32:
		return fmt.Sprintf("%s/%08x", java.FormatFloat(float64(x), 32), math.Float32bits(x))
	case float64:
		return fmt.Sprintf("%s/%016x", java.FormatFloat(x, 64), math.Float64bits(x))
	case string:
		return quote(x)
	case [16]byte:
		return fmt.Sprintf("%x-%x-%x-%x-%x", x[:4], x[4:6], x[6:8], x[8:10], x[10:])
	case []byte:
		return hex.EncodeToString(x)
	case []Value:
		ss := make([]string, len(x))
		for i, e := range x {
			ss[i] = e.String()
		}
		return "[" + strings.Join(ss, ", ") + "]"
	case []Entry:
		ss := make([]string, len(x))
		for i, e := range x {
			ss[i] = e.Key.String() + " = " + e.Value.String()
		}
		return "{" + strings.Join(ss, ", ") + "}"
	case Described:
		if v.Type == "array" {
			return "(" + x.Descriptor.String() + ") " + x.Value.literal()
		}
		return "(" + x.Descriptor.String() + ") " + x.Value.String()
	}
	return fmt.Sprintf("%#v", v.V)
}

// Equal reports whether two values have the same type and value. Floats are compared by their bits, maps without
// regard to order. Two errors are equal whatever they say: each library has its own words.
func (v Value) Equal(w Value) bool {
	if v.Type != w.Type {
		return false
	}
	if v.Type == "error" {
		return true
	}
	switch x := v.V.(type) {
	case float32:
		y, ok := w.V.(float32)
		return ok && math.Float32bits(x) == math.Float32bits(y)
	case float64:
		y, ok := w.V.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case []byte:
		y, ok := w.V.([]byte)
		return ok && bytes.Equal(x, y)
	case []Value:
		y, ok := w.V.([]Value)
		return ok && slices.EqualFunc(x, y, Value.Equal)
	case []Entry:
		y, ok := w.V.([]Entry)
		return ok && sameEntries(x, y)
	case Described:
		y, ok := w.V.(Described)
		return ok && x.Descriptor.Equal(y.Descriptor) && x.Value.Equal(y.Value)
	case string:
		return v.V == w.V && (v.lit == w.lit || v.Representable() && w.Representable())
	}
	return v.V == w.V
}

func sameEntries(x, y []Entry) bool {
	if len(x) != len(y) {
		return false
	}
	y = slices.Clone(y)
	for _, e := range x {
		i := slices.IndexFunc(y, func(f Entry) bool { return e.Key.Equal(f.Key) && e.Value.Equal(f.Value) })
		if i < 0 {
			return false
		}
		y = slices.Delete(y, i, i+1)
	}
	return true
}

// Representable reports whether V holds the value whole: false where a string has an unpaired surrogate, for which V
// has U+FFFD.
func (v Value) Representable() bool {
	switch x := v.V.(type) {
	case string:
		return v.lit == ""
	case []Value:
		return !slices.ContainsFunc(x, func(e Value) bool { return !e.Representable() })
	case []Entry:
		return !slices.ContainsFunc(x, func(e Entry) bool { return !e.Key.Representable() || !e.Value.Representable() })
	case Described:
		return x.Descriptor.Representable() && x.Value.Representable()
	}
	return true
}

// From returns the value for a Go value, by the type that AMQP has for it: int32 is int, uint8 is ubyte, []byte is
// binary, an array of 16 bytes is uuid, time.Time is timestamp, error is error, nil and amqp.Null are null, amqp.Symbol
// is symbol, a slice of any other type is array, and what go-amqp decodes of a described value is described. int, uint
// and other named types are an error: they could be more than one type.
func From(v any) (Value, error) {
	switch x := v.(type) {
	case nil:
		return Value{Type: "null"}, nil
	case Value:
		return x, nil
	case bool:
		return Value{Type: "boolean", V: x}, nil
	case int8:
		return Value{Type: "byte", V: int64(x)}, nil
	case int16:
		return Value{Type: "short", V: int64(x)}, nil
	case int32:
		return Value{Type: "int", V: int64(x)}, nil
	case int64:
		return Value{Type: "long", V: x}, nil
	case uint8:
		return Value{Type: "ubyte", V: uint64(x)}, nil
	case uint16:
		return Value{Type: "ushort", V: uint64(x)}, nil
	case uint32:
		return Value{Type: "uint", V: uint64(x)}, nil
	case uint64:
		return Value{Type: "ulong", V: x}, nil
	case float32:
		return Value{Type: "float", V: x}, nil
	case float64:
		return Value{Type: "double", V: x}, nil
	case string:
		return Value{Type: "string", V: x}, nil
	case amqp.Null:
		return Value{Type: "null"}, nil
	case amqp.Symbol:
		return Value{Type: "symbol", V: string(x)}, nil
	case []byte:
		return Value{Type: "binary", V: x}, nil
	case time.Time:
		return Value{Type: "timestamp", V: x.UnixMilli()}, nil
	case error:
		return Value{Type: "error", V: x.Error()}, nil
	}
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.Slice && r.Type().Name() == "":
		return fromSlice(r)
	case r.Kind() == reflect.Struct && r.NumField() == 2 && r.Type().Field(0).Name == "Descriptor" && r.Type().Field(1).Name == "Value":
		return fromDescribed(r) // a type that go-amqp does not export
	case r.Kind() == reflect.Array && r.Len() == 16 && r.Type().Elem().Kind() == reflect.Uint8:
		return Value{Type: "uuid", V: r.Convert(reflect.TypeFor[[16]byte]()).Interface()}, nil
	case r.Kind() == reflect.Map:
		return fromMap(r)
	}
	return Value{}, fmt.Errorf("golden: %T has no type of AMQP", v)
}

func fromSlice(r reflect.Value) (Value, error) {
	v := Value{Type: "array"}
	if r.Type().Elem().Kind() == reflect.Interface {
		v.Type = "list"
	}
	items := make([]Value, r.Len())
	for i := range items {
		var err error
		if items[i], err = From(r.Index(i).Interface()); err != nil {
			return Value{}, err
		}
	}
	v.V = items
	return v, nil
}

func fromDescribed(r reflect.Value) (Value, error) {
	d, err := From(r.Field(0).Interface())
	if err != nil {
		return Value{}, err
	}
	v, err := From(r.Field(1).Interface())
	if err != nil {
		return Value{}, err
	}
	return Value{Type: "described", V: Described{d, v}}, nil
}

func fromMap(r reflect.Value) (Value, error) {
	entries := make([]Entry, 0, r.Len())
	for it := r.MapRange(); it.Next(); {
		k, err := From(it.Key().Interface())
		if err != nil {
			return Value{}, err
		}
		v, err := From(it.Value().Interface())
		if err != nil {
			return Value{}, err
		}
		entries = append(entries, Entry{k, v})
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Key.String(), b.Key.String()) })
	return Value{Type: "map", V: entries}, nil
}

// ParseValue reads the text form of a value: a type and, for most types, a literal.
//
//	null · none · boolean true · int -7 · float 1.5/3fc00000 · string "a\u00e9" · uuid 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0
//	binary 00ff · binary · list [int 1, null] · map {string "k" = int 1} · described (symbol "a:b") string "v"
//	array (symbol "a:b") [int 1] · queue "q" · temporary-queue · error "why" · error · object
func ParseValue(text string) (Value, error) {
	s := scanner{rest: text}
	v, err := s.value(0)
	if err == nil && s.rest != "" {
		err = fmt.Errorf("%q is left over", s.rest)
	}
	if err != nil {
		return Value{}, fmt.Errorf("value %q: %w", text, err)
	}
	return v, nil
}

// maxDepth bounds the nesting of a value in a fixture.
const maxDepth = 50

type scanner struct{ rest string }

// skip drops the prefix, if it is there.
func (s *scanner) skip(prefix string) bool {
	rest, ok := strings.CutPrefix(s.rest, prefix)
	s.rest = rest
	return ok
}

// word returns what stands before the next space, comma or closing bracket.
func (s *scanner) word() string {
	i := strings.IndexAny(s.rest, " ,])}")
	if i < 0 {
		i = len(s.rest)
	}
	w := s.rest[:i]
	s.rest = s.rest[i:]
	return w
}

// hasLiteral reports whether a literal follows, and drops the space before it.
func (s *scanner) hasLiteral() bool {
	return !strings.HasPrefix(s.rest, " = ") && s.skip(" ")
}

func (s *scanner) value(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, errors.New("nested too deep")
	}
	typ := s.word()
	switch typ {
	case "null", "none":
		return Value{Type: typ}, nil
	case "temporary-queue", "temporary-topic", "error", "object":
		if !s.hasLiteral() {
			return Value{Type: typ}, nil
		}
		return s.text(typ)
	case "bytes", "binary":
		if !s.hasLiteral() {
			return Value{Type: typ, V: []byte{}}, nil
		}
		if s.rest == "" {
			return Value{}, fmt.Errorf("no digits after %s", typ)
		}
		return scalar(typ, s.word())
	}
	if !s.hasLiteral() {
		return Value{}, fmt.Errorf("type %q is unknown or has no literal", typ)
	}
	switch typ {
	case "string", "symbol", "queue", "topic", "foreign-queue", "foreign-topic":
		return s.text(typ)
	case "list", "array":
		return s.list(typ, depth)
	case "map":
		return s.entries(depth)
	case "described":
		return s.described(depth)
	}
	return scalar(typ, s.word())
}

// scalar reads the literals that are one word.
func scalar(typ, word string) (Value, error) {
	v := Value{Type: typ}
	var err error
	switch n := intBits(typ); {
	case n > 0:
		v.V, err = strconv.ParseUint(word, 10, n)
	case n < 0:
		v.V, err = strconv.ParseInt(word, 10, -n)
	case typ == "boolean" && (word == "true" || word == "false"):
		v.V = word == "true"
	case typ == "float":
		v.V, v.lit, err = parseFloat(word, 32)
	case typ == "double":
		v.V, v.lit, err = parseFloat(word, 64)
	case byteCount(typ) != 0:
		b, e := hex.DecodeString(strings.ReplaceAll(word, "-", ""))
		if e != nil || byteCount(typ) > 0 && len(b) != byteCount(typ) {
			return Value{}, fmt.Errorf("%q is no literal of %s", word, typ)
		}
		v.V = b
		if typ == "uuid" {
			v.V = [16]byte(b)
		}
	default:
		return Value{}, fmt.Errorf("type %q is unknown, or %q no literal of it", typ, word)
	}
	if err != nil {
		return Value{}, err
	}
	if v.literal() != word {
		return Value{}, fmt.Errorf("%q is not the plain form of %s", word, v.literal())
	}
	return v, nil
}

// parseFloat reads a decimal and the bits of it, and checks that they are the same number.
func parseFloat(word string, size int) (f any, lit string, err error) {
	dec, digits, ok := strings.Cut(word, "/")
	bits, err := strconv.ParseUint(digits, 16, size)
	if !ok || err != nil || len(digits) != size/4 {
		return nil, "", fmt.Errorf("%q is not decimal/bits", word)
	}
	x, err := strconv.ParseFloat(dec, size)
	if err != nil {
		return nil, "", err
	}
	y := math.Float64frombits(bits)
	f = y
	if size == 32 {
		f = math.Float32frombits(uint32(bits))
		y = float64(f.(float32))
	}
	same := x == y && math.Signbit(x) == math.Signbit(y) || math.IsNaN(x) && math.IsNaN(y)
	if !same {
		return nil, "", fmt.Errorf("%q: the bits are those of %v", word, y)
	}
	return f, word, nil
}

func (s *scanner) text(typ string) (Value, error) {
	n := scanName(s.rest)
	if n == 0 || s.rest[0] != '"' {
		return Value{}, fmt.Errorf("no text in quotes after %s", typ)
	}
	v, err := parseText(s.rest[:n])
	v.Type = typ
	s.rest = s.rest[n:]
	return v, err
}

func (s *scanner) list(typ string, depth int) (Value, error) {
	list := []Value{}
	if typ == "array" && s.skip("(") {
		return s.describedArray(depth)
	}
	if !s.skip("[") {
		return Value{}, fmt.Errorf("no [ after %s", typ)
	}
	for !s.skip("]") {
		if len(list) > 0 && !s.skip(", ") {
			return Value{}, fmt.Errorf("no comma or ] in %s", typ)
		}
		v, err := s.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		list = append(list, v)
	}
	return Value{Type: typ, V: list}, nil
}

// describedArray reads an array from behind the bracket before its descriptor on.
func (s *scanner) describedArray(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, errors.New("nested too deep")
	}
	d, err := s.value(depth + 1)
	if err != nil {
		return Value{}, err
	}
	if !s.skip(") ") {
		return Value{}, errors.New("no ) after a descriptor")
	}
	v, err := s.list("array", depth+1)
	return Value{Type: "array", V: Described{d, v}}, err
}

func (s *scanner) entries(depth int) (Value, error) {
	entries := []Entry{}
	if !s.skip("{") {
		return Value{}, errors.New("no { after map")
	}
	for !s.skip("}") {
		if len(entries) > 0 && !s.skip(", ") {
			return Value{}, errors.New("no comma or } in map")
		}
		k, err := s.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		if !s.skip(" = ") {
			return Value{}, errors.New("no = after a key of map")
		}
		v, err := s.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		entries = append(entries, Entry{k, v})
	}
	return Value{Type: "map", V: entries}, nil
}

func (s *scanner) described(depth int) (Value, error) {
	if !s.skip("(") {
		return Value{}, errors.New("no ( after described")
	}
	d, err := s.value(depth + 1)
	if err != nil {
		return Value{}, err
	}
	if !s.skip(") ") {
		return Value{}, errors.New("no ) after a descriptor")
	}
	v, err := s.value(depth + 1)
	if err != nil {
		return Value{}, err
	}
	return Value{Type: "described", V: Described{d, v}}, nil
}

// scanName returns the length of the text in quotes, or of the word null, at the start of s; 0 if neither is there.
func scanName(s string) int {
	if strings.HasPrefix(s, "null") {
		return len("null")
	}
	if !strings.HasPrefix(s, `"`) {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// parseText reads a text in quotes.
func parseText(lit string) (Value, error) {
	var text string
	if err := json.Unmarshal([]byte(lit), &text); err != nil {
		return Value{}, fmt.Errorf("%s is no text in quotes", lit)
	}
	v := Value{Type: "string", V: text}
	if plain := quote(text); plain != lit {
		if !strings.ContainsRune(text, '\ufffd') {
			return Value{}, fmt.Errorf("%s is not the plain form of %s", lit, plain)
		}
		v.lit = lit // with an unpaired surrogate, which encoding/json replaces
	}
	return v, nil
}

// quote writes a text in quotes: JSON in which everything but ASCII is escaped, so that every text can be told apart
// by eye.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < ' ' || r > '~' && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
