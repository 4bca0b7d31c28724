// Package java holds what JMS takes from Java: which names are identifiers, and how floating
// point numbers are printed and parsed.
package java

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// IdentifierStart reports whether r may start a Java identifier. Java looks at UTF-16 code
// units, so no character above U+FFFF may.
func IdentifierStart(r rune) bool {
	return r <= 0xffff && (unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Sc, unicode.Pc))
}

// IdentifierPart reports whether r may stand in a Java identifier.
func IdentifierPart(r rune) bool {
	if IdentifierStart(r) {
		return true
	}
	ignorable := 0 <= r && r <= 0x08 || 0x0e <= r && r <= 0x1b || 0x7f <= r && r <= 0x9f
	return r <= 0xffff && (ignorable || unicode.In(r, unicode.Nd, unicode.Mc, unicode.Mn, unicode.Cf))
}

// ParseFloat reads a number of 32 or 64 bits as Java's Float.valueOf and Double.valueOf do:
// decimal or hexadecimal, with spaces around it and a type suffix behind it.
func ParseFloat(s string, bits int) (f float64, ok bool) {
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
		// Go takes words, which have an n, and _ between digits. Java takes neither.
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

// FormatFloat prints a number of 32 or 64 bits as Float.toString and Double.toString do from
// Java 19 on: the shortest decimal of at least two digits that reads back as the same number.
// Older Javas print a digit more of some numbers (JDK-4511638).
func FormatFloat(f float64, bits int) string {
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
		// One digit: the closest number of two digits may be another, as 4.9E-324 is.
		mantissa, exponent, _ = strings.Cut(strconv.FormatFloat(f, 'e', 1, bits), "e")
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}
