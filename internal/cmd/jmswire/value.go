package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A value is a value with its type, of AMQP or of JMS. What cannot be read has the type error.
type value = golden.Value

func null() value               { return value{Type: "null"} }
func booleanValue(v bool) value { return value{Type: "boolean", V: v} }
func intValue(v int32) value    { return value{Type: "int", V: int64(v)} }
func longValue(v int64) value   { return value{Type: "long", V: v} }
func text(t, v string) value    { return value{Type: t, V: v} }
func bytesValue(v []byte) value { return value{Type: "bytes", V: v} }

func errorValue(err error) value { return text("error", reason(err)) }

// reason returns an error's text without the package's name, which people who read it
// here need not know, nor that of a type which stands for one that go-amqp lacks.
func reason(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "amqpjms: "), "of type main.", "")
}

// decode reads the value that is encoded in b, which starts at offset base of its
// message. What is no value gives an error that says where.
func decode(b []byte, base int) value {
	v, err := golden.Decode(b)
	if at := (*wire.Error)(nil); errors.As(err, &at) {
		return errorValue(errorAt(base, at))
	}
	return v
}

// errorAt returns the error of a reader whose bytes start at offset base.
func errorAt(base int, err *wire.Error) error {
	return fmt.Errorf("at byte %d: %w", base+err.Offset, err.Err)
}

// most is how many bytes of a string, or of a binary, its text shows.
const most = 128

// show returns a value for people to read: the type, then the value itself, long ones cut.
func show(v value) string {
	switch x := v.V.(type) {
	case []value:
		return v.Type + " [" + join(x, show) + "]"
	case []golden.Entry:
		return v.Type + " {" + join(x, func(e golden.Entry) string { return show(e.Key) + " = " + show(e.Value) }) + "}"
	case golden.Described:
		if v.Type == "array" {
			return v.Type + " (" + show(x.Descriptor) + ")" + strings.TrimPrefix(show(x.Value), v.Type)
		}
		return v.Type + " (" + show(x.Descriptor) + ") " + show(x.Value)
	case string:
		if v.Type == "error" {
			return v.Type + ": " + x
		}
		return v.Type + " " + quote(x)
	case []byte:
		if len(x) == 0 {
			return v.Type + ", empty"
		}
		n := len(x)
		if v.Type == "binary" || v.Type == "bytes" {
			n = min(n, most)
		}
		return fmt.Sprintf("%s %x%s", v.Type, x[:n], more(n, len(x)))
	case float32, float64:
		decimal, _, _ := strings.Cut(v.String(), "/")
		return decimal
	}
	s := v.String()
	switch x := v.V.(type) {
	case uint64:
		if v.Type == "char" {
			s += " " + strconv.QuoteRune(rune(x))
		}
	case int64:
		if v.Type == "timestamp" {
			s += date(x)
		}
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
func date(ms int64) string {
	if t := time.UnixMilli(ms).UTC(); 0 <= t.Year() && t.Year() <= 9999 {
		return t.Format(" (2006-01-02T15:04:05.000Z)")
	}
	return ""
}
