package selector

import (
	"math"
	"unicode/utf8"
)

// A Kind is the type of a [Value].
type Kind uint8

const (
	unset   Kind = iota // not supplied yet
	Null                // absent, or an AMQP null
	Boolean             //
	Int                 // byte, short, int, ubyte, ushort
	Long                // long, uint, timestamp, and a ulong below 2^63
	Float               //
	Double              //
	String              // string, symbol
	Char                // a char, which is a string
	UUID                // a uuid, which is a string
	Other               // not null, and equal to nothing
	Broken              // cannot be read: ends the evaluation
)

// A Value is the value of a name. It is passed by value and refers to the text that it
// was made of, which must not change while it is in use. The zero Value is null.
type Value struct {
	kind Kind
	num  uint64 // an integer, the bits of a float as a double, a char, 1 for true
	str  string // of String, where raw is nil
	raw  []byte // of String, or the 16 bytes of UUID
}

// OfNull, OfOther and OfBroken return the values without content.
func OfNull() Value   { return Value{kind: Null} }
func OfOther() Value  { return Value{kind: Other} }
func OfBroken() Value { return Value{kind: Broken} }

// OfBool returns a boolean.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Boolean, num: 1}
	}
	return Value{kind: Boolean}
}

// OfInt returns an int.
func OfInt(n int32) Value { return Value{kind: Int, num: uint64(n)} }

// OfLong returns a long.
func OfLong(n int64) Value { return Value{kind: Long, num: uint64(n)} }

// OfUlong returns a ulong: a long, or Other from 2^63 on.
func OfUlong(n uint64) Value {
	if n > math.MaxInt64 {
		return OfOther()
	}
	return OfLong(int64(n))
}

// OfFloat returns a float.
func OfFloat(f float32) Value { return Value{kind: Float, num: math.Float64bits(float64(f))} }

// OfDouble returns a double.
func OfDouble(f float64) Value { return Value{kind: Double, num: math.Float64bits(f)} }

// OfString returns a string.
func OfString(s string) Value { return Value{kind: String, str: s} }

// OfText returns a string that is kept as UTF-8 bytes.
func OfText(b []byte) Value { return Value{kind: String, raw: b} }

// OfChar returns a string of one character.
func OfChar(r rune) Value { return Value{kind: Char, num: uint64(r)} }

// OfUUID returns the string of the uuid with these 16 bytes, Broken for another number of bytes.
func OfUUID(b []byte) Value {
	if len(b) != 16 {
		return OfBroken()
	}
	return Value{kind: UUID, raw: b}
}

// Kind returns the type of v.
func (v Value) Kind() Kind {
	if v.kind == unset {
		return Null
	}
	return v.kind
}

func (v *Value) long() int64      { return int64(v.num) }
func (v *Value) float64() float64 { return math.Float64frombits(v.num) }
func (v *Value) isInteger() bool  { return v.kind == Int || v.kind == Long }
func (v *Value) isNumber() bool   { return v.kind >= Int && v.kind <= Double }
func (v *Value) isText() bool     { return v.kind >= String && v.kind <= UUID }

// toFloat64 and toFloat32 convert a number as Java's binary numeric promotion does.
func (v *Value) toFloat64() float64 {
	if v.isInteger() {
		return float64(v.long())
	}
	return v.float64()
}

func (v *Value) toFloat32() float32 {
	if v.isInteger() {
		return float32(v.long())
	}
	return float32(v.float64())
}

// plain returns a text as a Value of kind String. The text of a char or a uuid is
// formatted into buf.
func (v *Value) plain(buf *[36]byte) Value {
	switch v.kind {
	case Char:
		return OfText(utf8.AppendRune(buf[:0], rune(v.num)))
	case UUID:
		const digits = "0123456789abcdef"
		b := buf[:0]
		for i, x := range v.raw {
			if i == 4 || i == 6 || i == 8 || i == 10 {
				b = append(b, '-')
			}
			b = append(b, digits[x>>4], digits[x&15])
		}
		return OfText(b)
	}
	return *v
}

// sameText reports whether two texts are equal.
func sameText(a, b *Value) bool {
	if a.kind != String || b.kind != String {
		return sameFormatted(a, b)
	}
	switch {
	case a.raw != nil && b.raw != nil:
		return string(a.raw) == string(b.raw)
	case a.raw != nil:
		return string(a.raw) == b.str
	case b.raw != nil:
		return a.str == string(b.raw)
	}
	return a.str == b.str
}

//go:noinline
func sameFormatted(a, b *Value) bool {
	var bufA, bufB [36]byte
	x, y := a.plain(&bufA), b.plain(&bufB)
	return sameText(&x, &y)
}

// A Truth is the value of a condition. The zero Truth is Unknown.
type Truth int8

const (
	False Truth = iota - 1
	Unknown
	True
)

// String returns "false", "unknown" or "true".
func (t Truth) String() string {
	switch t {
	case False:
		return "false"
	case True:
		return "true"
	}
	return "unknown"
}

func truthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// value returns a condition as an operand of = or <>.
func (t Truth) value() Value {
	if t == Unknown {
		return OfNull()
	}
	return OfBool(t == True)
}

// condition returns what a value is worth as a condition.
func (v *Value) condition() Truth {
	switch v.kind {
	case Null:
		return Unknown
	case Boolean:
		return truthOf(v.num == 1)
	}
	return False
}

// A relation is an operator that compares.
type relation uint8

const (
	equal relation = iota
	unequal
	less
	lessEqual
	greater
	greaterEqual
)

// compare compares two values. [jms 3.8.1.1] [jms 3.8.1.2]
func compare(rel relation, a, b *Value) Truth {
	switch {
	case a.isInteger() && b.isInteger():
		return relate(rel, a.long(), b.long())
	case a.kind == Null || b.kind == Null:
		return Unknown
	case a.isNumber() && b.isNumber():
		if a.kind == Double || b.kind == Double {
			return relate(rel, a.toFloat64(), b.toFloat64())
		}
		return relate(rel, a.toFloat32(), b.toFloat32())
	case rel > unequal:
		return False
	case a.isText() && b.isText():
		return truthOf(sameText(a, b) == (rel == equal))
	case a.kind == Boolean && b.kind == Boolean:
		return truthOf((a.num == b.num) == (rel == equal))
	}
	return False // unlike types, <> too
}

func relate[T int64 | float32 | float64](rel relation, a, b T) Truth {
	switch rel {
	case equal:
		return truthOf(a == b)
	case unequal:
		return truthOf(a != b)
	case less:
		return truthOf(a < b)
	case lessEqual:
		return truthOf(a <= b)
	case greater:
		return truthOf(a > b)
	}
	return truthOf(a >= b)
}

// calculate returns a op b by Java's rules, null where an operand is no number or an
// integer is divided by 0.
func calculate(op byte, a, b *Value) Value {
	switch {
	case !a.isNumber() || !b.isNumber():
		return OfNull()
	case a.kind == Double || b.kind == Double:
		return OfDouble(calculateFloat(op, a.toFloat64(), b.toFloat64()))
	case a.kind == Float || b.kind == Float:
		return OfFloat(calculateFloat(op, a.toFloat32(), b.toFloat32()))
	case op == '/' && b.num == 0:
		return OfNull()
	case a.kind == Long || b.kind == Long:
		return OfLong(calculateInt(op, a.long(), b.long()))
	}
	return OfInt(calculateInt(op, int32(a.long()), int32(b.long())))
}

func calculateFloat[T float32 | float64](op byte, a, b T) T {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	}
	return a / b
}

// calculateInt wraps, as Java does. b is not 0 where op is '/'.
func calculateInt[T int32 | int64](op byte, a, b T) T {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	}
	return a / b
}

// signed returns a value behind a sign, null where it is no number.
func signed(op byte, v *Value) Value {
	switch {
	case !v.isNumber():
		return OfNull()
	case op == '+':
		return *v
	case v.kind == Int:
		return OfInt(-int32(v.long()))
	case v.kind == Long:
		return OfLong(-v.long())
	}
	return Value{kind: v.kind, num: math.Float64bits(-v.float64())}
}
