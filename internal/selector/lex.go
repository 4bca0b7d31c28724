package selector

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-b113d664/amqpjms/internal/java"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenBad           // a character that starts no token, or a string without its end
	tokenName
	tokenNumber
	tokenString
	tokenLeft
	tokenRight
	tokenComma
	tokenSign  // + or -
	tokenTimes // * or /
	tokenCompare
	tokenNull // from here on words
	tokenTrue
	tokenFalse
	tokenNot
	tokenAnd
	tokenOr
	tokenBetween
	tokenLike
	tokenIn
	tokenIs
	tokenEscape
)

// A token is a piece of the selector.
type token struct {
	kind    tokenKind
	rel     relation
	at, end int
}

// words are the keywords, from tokenNull on.
const words = "NULL TRUE FALSE NOT AND OR BETWEEN LIKE IN IS ESCAPE"

// keyword returns the keyword that a name is, tokenName if it is none. Only ASCII letters
// have two cases there.
func keyword(name string) tokenKind {
	if len(name) < 2 || len(name) > 7 {
		return tokenName
	}
	kind := tokenNull
	for word := range strings.SplitSeq(words, " ") {
		if len(word) == len(name) && word[0] == name[0]&^0x20 && sameWord(word, name) {
			return kind
		}
		kind++
	}
	return tokenName
}

func sameWord(word, name string) bool {
	for i := range len(word) {
		if word[i] != name[i] && word[i]|0x20 != name[i] {
			return false
		}
	}
	return true
}

// scan returns the token that starts at or behind an offset.
func scan(text string, at int) token {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	if at == len(text) {
		return token{kind: tokenEnd, at: at, end: at}
	}
	t := token{kind: tokenBad, at: at, end: at + 1}
	next := byte(0)
	if at+1 < len(text) {
		next = text[at+1]
	}
	switch c := text[at]; {
	case isLetter(c) || c >= utf8.RuneSelf:
		if t.end = scanName(text, at); t.end > at {
			t.kind = keyword(text[at:t.end])
		} else {
			_, n := utf8.DecodeRuneInString(text[at:])
			t.end = at + n
		}
	case isDigit(c) || c == '.' && isDigit(next):
		t.kind, t.end = tokenNumber, scanNumber(text, at)
	case c == '\'':
		t.end = scanString(text, at)
		if t.end > 0 {
			t.kind = tokenString
		}
	case c == '(':
		t.kind = tokenLeft
	case c == ')':
		t.kind = tokenRight
	case c == ',':
		t.kind = tokenComma
	case c == '+' || c == '-':
		t.kind = tokenSign
	case c == '*' || c == '/':
		t.kind = tokenTimes
	case c == '=':
		t.kind, t.rel = tokenCompare, equal
	case c == '<':
		t.kind, t.rel = tokenCompare, less
		switch next {
		case '>':
			t.rel, t.end = unequal, at+2
		case '=':
			t.rel, t.end = lessEqual, at+2
		}
	case c == '>':
		t.kind, t.rel = tokenCompare, greater
		if next == '=' {
			t.rel, t.end = greaterEqual, at+2
		}
	}
	return t
}

func isSpace(c byte) bool  { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// scanName returns where the name that starts at an offset ends, the offset if there is none.
func scanName(text string, at int) int {
	start := at
	for at < len(text) {
		c := text[at]
		if isLetter(c) || isDigit(c) && at > start {
			at++
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[at:])
		}
		if at == start && !java.IdentifierStart(r) || !java.IdentifierPart(r) {
			break
		}
		at += n
	}
	return at
}

// scanString returns where the string that starts at an offset ends, -1 if nowhere.
func scanString(text string, at int) int {
	for {
		n := strings.IndexByte(text[at+1:], '\'')
		if n < 0 {
			return -1
		}
		at += n + 2
		if at == len(text) || text[at] != '\'' {
			return at
		}
	}
}

// scanNumber returns where the number that starts at an offset ends: the longest that can be.
func scanNumber(text string, at int) int {
	get := func(i int) byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	digits := func(i int) int {
		for isDigit(get(i)) {
			i++
		}
		return i
	}
	if text[at] == '0' && get(at+1)|0x20 == 'x' && isHex(get(at+2)) {
		for at += 2; isHex(get(at)); at++ {
		}
		if get(at)|0x20 == 'l' {
			at++
		}
		return at
	}
	end, float := digits(at), false
	if get(end) == '.' {
		end, float = digits(end+1), true
	}
	if get(end)|0x20 == 'e' {
		exponent := end + 1
		if c := get(exponent); c == '+' || c == '-' {
			exponent++
		}
		if isDigit(get(exponent)) {
			end, float = digits(exponent), true
		}
	}
	switch get(end) | 0x20 {
	case 'f', 'd':
		end++
	case 'l':
		if !float {
			end++
		}
	}
	return end
}

const minLong = "9223372036854775808" // without its sign

// number returns the value of a literal, which is as scanNumber cuts it. After a minus
// one more integer is in range. The error is what is wrong with it.
func number(lit string, afterMinus bool) (Value, string) {
	last := lit[len(lit)-1] | 0x20
	hex := len(lit) > 1 && lit[1]|0x20 == 'x'
	isFloat := !hex && (last == 'f' || last == 'd' || strings.ContainsAny(lit, ".eE"))
	if isFloat {
		digits := strings.TrimRight(lit, "fFdD")
		bits := 64
		if last == 'f' {
			bits = 32
		}
		f, ok := parseFloat(digits, bits)
		switch {
		case !ok && bits == 32:
			return Value{}, "out of range of float"
		case !ok:
			return Value{}, "out of range of double"
		case bits == 32:
			return OfFloat(float32(f)), ""
		}
		return OfDouble(f), ""
	}
	digits := strings.TrimRight(lit, "lL")
	if afterMinus && digits == minLong {
		return Value{kind: Long, num: 1 << 63}, "" // the minus makes it what it is
	}
	base, from := 10, 0
	switch {
	case hex:
		base, from = 16, 2
	case len(digits) > 1 && digits[0] == '0':
		base, from = 8, 1
		if strings.ContainsAny(digits, "89") {
			return Value{}, "starts with 0, so it is octal"
		}
	}
	n, err := strconv.ParseInt(digits[from:], base, 64)
	switch {
	case err != nil:
		return Value{}, "out of range of long"
	case len(digits) == len(lit) && n == int64(int32(n)):
		return OfInt(int32(n)), ""
	}
	return OfLong(n), ""
}

// parseFloat returns the number nearest to a decimal, and false where it overflows.
func parseFloat(lit string, bits int) (float64, bool) {
	// strconv is not made for thousands of digits or for exponents that make up for them.
	const most = 300
	if len(lit) > most {
		lit = shorten(lit)
	}
	f, err := strconv.ParseFloat(lit, bits)
	return f, err == nil
}

// shorten returns a decimal that is rounded alike: as 0.ddd with an exponent, and no more
// digits than can matter.
func shorten(lit string) string {
	mantissa, exponent := lit, 0
	if i := strings.IndexAny(lit, "eE"); i >= 0 {
		mantissa = lit[:i]
		digits := strings.TrimLeft(lit[i+1:], "+-0")
		if len(digits) > 6 {
			digits = "999999" // more than a selector's digits make up for
		}
		exponent, _ = strconv.Atoi("0" + digits)
		if lit[i+1] == '-' {
			exponent = -exponent
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent += len(whole)
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(whole) + len(fraction) - len(digits)
	const most = 800 // that decide how a double is rounded, and a few more
	if len(digits) > most && strings.Trim(digits[most:], "0") != "" {
		digits = digits[:most] + "1"
	}
	if digits = strings.TrimRight(digits[:min(len(digits), most+1)], "0"); digits == "" {
		return "0"
	}
	return "0." + digits + "e" + strconv.Itoa(exponent)
}
