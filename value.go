package amqpjms

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
)

// A Value is the value of a property, or of an entry of a map or a stream, which each
// method reads as one of JMS's types, with JMS's conversions [jms 3.5.4] [jms 3.11.3]:
// integers and floats widen, a string is parsed, and everything but bytes reads as a
// string.
//
// JMS has no unsigned types: a ubyte reads as short, a ushort as int, a uint as long and
// a ulong as long, which is an error from 2^63 up. A timestamp reads as long,
// milliseconds since 1970-01-01 UTC; a symbol and a uuid as string.
//
// A null, like a property that does not exist, is none as text, false as boolean and an
// error as a number, as in JMS. Everything else that JMS's table does not have is an error,
// a *[ValueError]. The zero Value does not exist. Do not compare Values with ==, which
// panics for bytes, lists and maps: compare what the methods return.
type Value struct {
	what   string // for errors: what sort of value it is
	name   string
	raw    any
	err    error // why there is no value
	exists bool
}

// ValueOf returns the value v, which is of one of the types that go-amqp decodes, or a
// uuid.UUID. Errors call it by the name.
func ValueOf(name string, v any) Value {
	return Value{what: "value", name: name, raw: v, exists: true}
}

// Exists reports whether there is a value. A null is one, and so is one that cannot be
// read, of which each method that reads it has the error.
func (v Value) Exists() bool { return v.exists }

// IsNull reports whether the value is null, or there is none. One that cannot be read is not.
func (v Value) IsNull() bool { return v.err == nil && (v.raw == nil || isNull(v.raw)) }

// Raw returns the value as it is, which is the message's own: nil or amqp.Null{} for a
// null, nil where there is none. It is an error if it cannot be read.
func (v Value) Raw() (any, error) { return v.raw, v.err }

func (v Value) fail(as string) error {
	switch {
	case v.err != nil:
		return v.err
	case !v.exists:
		return v.wrong("absent", "no "+as)
	}
	return v.wrong(amqpTypeName(v.raw), "not read as "+as)
}

func (v Value) wrong(value, why string) error {
	return &ValueError{What: v.label(), Value: value, Err: errors.New(why)}
}

func (v Value) label() string { return v.what + " " + quote(v.name) }

// Bool reads the value as boolean.
func (v Value) Bool() (bool, error) {
	if b, ok := v.raw.(bool); ok {
		return b, nil
	}
	if s, ok := v.words(); ok {
		return strings.EqualFold(s, "true"), nil
	}
	if v.IsNull() {
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
	n, width := int64(0), 0
	switch x := v.raw.(type) {
	case int8:
		n, width = int64(x), 8
	case int16:
		n, width = int64(x), 16
	case int32:
		n, width = int64(x), 32
	case int64:
		n, width = x, 64
	case uint8:
		n, width = int64(x), 16
	case uint16:
		n, width = int64(x), 32
	case uint32:
		n, width = int64(x), 64
	case uint64:
		if x > math.MaxInt64 {
			return 0, v.wrong("ulong "+strconv.FormatUint(x, 10), "above 2^63-1")
		}
		n, width = int64(x), 64
	case time.Time:
		n, width = x.UnixMilli(), 64
	default:
		s, ok := v.words()
		if !ok {
			return 0, v.fail(as)
		}
		n, err := strconv.ParseInt(s, 10, bits)
		if err != nil {
			return 0, v.wrong(quote(s), "no "+as)
		}
		return n, nil
	}
	if width > bits {
		return 0, v.fail(as)
	}
	return n, nil
}

// Float reads the value as float.
func (v Value) Float() (float32, error) {
	if f, ok := v.raw.(float32); ok {
		return f, nil
	}
	f, err := v.parseFloat(32, "float")
	return float32(f), err
}

// Double reads the value as double.
func (v Value) Double() (float64, error) {
	switch f := v.raw.(type) {
	case float32:
		return float64(f), nil
	case float64:
		return f, nil
	}
	return v.parseFloat(64, "double")
}

func (v Value) parseFloat(bits int, as string) (float64, error) {
	s, ok := v.words()
	if !ok {
		return 0, v.fail(as)
	}
	f, ok := parseJavaFloat(s, bits)
	if !ok {
		return 0, v.wrong(quote(s), "no "+as)
	}
	return f, nil
}

// Text reads the value as string: numbers as Java prints them, a uuid in lower case, a
// timestamp as milliseconds. It is none for a null.
func (v Value) Text() (Opt[string], error) {
	if s, ok := v.words(); ok {
		if err := checkText(v.label(), s); err != nil {
			return Opt[string]{}, err
		}
		return Some(s), nil
	}
	switch x := v.raw.(type) {
	case bool:
		return Some(strconv.FormatBool(x)), nil
	case uint64:
		return Some(strconv.FormatUint(x, 10)), nil
	case float32:
		return Some(javaFloat(float64(x), 32)), nil
	case float64:
		return Some(javaFloat(x, 64)), nil
	}
	if n, err := v.integer(64, "string"); err == nil {
		return Some(strconv.FormatInt(n, 10)), nil
	}
	if v.IsNull() {
		return Opt[string]{}, nil
	}
	return Opt[string]{}, v.fail("string")
}

// Bytes returns the value of a map or a stream that is a binary, which is the message's
// own, nil for a null. JMS has no such properties.
func (v Value) Bytes() ([]byte, error) {
	if b, ok := v.raw.([]byte); ok {
		return b, nil
	}
	if v.IsNull() {
		return nil, nil
	}
	return nil, v.fail("bytes")
}

// words returns the value if it is of a type that JMS reads as a string.
func (v Value) words() (string, bool) {
	switch x := v.raw.(type) {
	case string:
		return x, true
	case amqp.Symbol:
		return string(x), true
	case amqp.UUID:
		return x.String(), true
	case uuid.UUID:
		return x.String(), true
	}
	return "", false
}

// parseJavaFloat reads a number as Java's Float.valueOf and Double.valueOf do: decimal or
// hexadecimal, spaces around it, a type suffix behind it.
func parseJavaFloat(s string, bits int) (float64, bool) {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return 0, false
	}
	switch digits {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
	default:
		// Go takes words, which have an n, and _ between digits, that Java does not.
		if strings.ContainsAny(digits, "_nN") {
			return 0, false
		}
		if n := len(s); n > 1 && strings.ContainsRune("fFdD", rune(s[n-1])) {
			s = s[:n-1]
		}
	}
	f, err := strconv.ParseFloat(s, bits)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // out of range is infinite in Java
		return 0, false
	}
	return f, true
}

// javaFloat prints a number as Java's Float.toString and Double.toString do from Java 19
// on: the shortest decimal of at least two digits that reads back as the same number.
// Older Javas print a digit more of some numbers (JDK-4511638).
func javaFloat(f float64, bits int) string {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case abs == 0 || 1e-3 <= abs && abs < 1e7:
		s := strconv.FormatFloat(f, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, bits), "e")
	if !strings.Contains(mantissa, ".") {
		// Of one digit: the closest of two digits may be another, as 4.9E-324 is.
		mantissa, exponent, _ = strings.Cut(strconv.FormatFloat(f, 'e', 1, bits), "e")
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}
