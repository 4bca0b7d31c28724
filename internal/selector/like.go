package selector

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// A pattern is one of LIKE, cut at each %. Its segments are found one after the other,
// each at the first place where it is: none is looked for again, so the cost is at most
// pattern times text.
type pattern struct {
	first, last segment // at the start and at the end of the text
	inner       []segment
	open        bool // there is a %, so first and last are two
}

// A segment is text in which some characters may be any.
type segment struct {
	literal string // where any is nil
	bytes   []byte // the same
	any     []rune // -1 for any character
	count   int    // characters
}

var errEscape = errors.New("the escape character escapes nothing")

// newPattern compiles a pattern. escape is the escape character, -1 if there is none.
func newPattern(text string, escape rune) (*pattern, error) {
	p := &pattern{}
	var segments []segment
	var cur []rune
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r == escape:
			r, n = utf8.DecodeRuneInString(text[i:])
			if n == 0 || r != '_' && r != '%' && r != escape {
				return nil, errEscape
			}
			i += n
			cur = append(cur, r)
		case r == '_':
			cur = append(cur, -1)
		case r == '%':
			segments = append(segments, newSegment(cur))
			cur = cur[:0]
		default:
			cur = append(cur, r)
		}
	}
	if last := newSegment(cur); len(segments) == 0 {
		p.first = last
	} else {
		p.first, p.last, p.open = segments[0], last, true
		for _, s := range segments[1:] {
			if s.count > 0 {
				p.inner = append(p.inner, s)
			}
		}
	}
	return p, nil
}

func newSegment(rs []rune) segment {
	s := segment{count: len(rs)}
	for _, r := range rs {
		if r < 0 {
			s.any = append([]rune(nil), rs...)
			return s
		}
	}
	s.literal = string(rs)
	s.bytes = []byte(s.literal)
	return s
}

// matches reports whether a text is of the pattern.
func (p *pattern) matches(v *Value) bool {
	if v.kind != String {
		return p.matchesFormatted(v)
	}
	if v.raw != nil {
		return matchText(p, v.raw)
	}
	return matchText(p, v.str)
}

//go:noinline
func (p *pattern) matchesFormatted(v *Value) bool {
	var buf [36]byte
	x := v.plain(&buf)
	return p.matches(&x)
}

func matchText[T string | []byte](p *pattern, text T) bool {
	n := matchStart(&p.first, text)
	if n < 0 || !p.open {
		return n == len(text)
	}
	text = text[n:]
	end := len(text)
	if p.last.any == nil {
		end -= len(p.last.literal)
	} else {
		for range p.last.count {
			if end = runeBefore(text, end); end < 0 {
				break
			}
		}
	}
	if end < 0 || matchStart(&p.last, text[end:]) != len(text)-end {
		return false
	}
	text = text[:end]
	for i := range p.inner {
		if n = find(&p.inner[i], text); n < 0 {
			return false
		}
		text = text[n:]
	}
	return true
}

// matchStart returns how many bytes of the text a segment takes at its start, -1 if it is
// not there.
func matchStart[T string | []byte](s *segment, text T) int {
	if s.any == nil {
		if len(text) < len(s.literal) || string(text[:len(s.literal)]) != s.literal {
			return -1
		}
		return len(s.literal)
	}
	at := 0
	for _, want := range s.any {
		if at == len(text) {
			return -1
		}
		r, n := runeAt(text, at)
		if want >= 0 && r != want {
			return -1
		}
		at += n
	}
	return at
}

// find returns where the first match of a segment ends, -1 if there is none.
func find[T string | []byte](s *segment, text T) int {
	if s.any == nil {
		at := index(s, text)
		if at < 0 {
			return -1
		}
		return at + len(s.literal)
	}
	for at := 0; at < len(text); {
		if n := matchStart(s, text[at:]); n >= 0 {
			return at + n
		}
		_, n := runeAt(text, at)
		at += n
	}
	return -1
}

func index[T string | []byte](s *segment, text T) int {
	switch text := any(text).(type) {
	case string:
		return strings.Index(text, s.literal)
	case []byte:
		return bytes.Index(text, s.bytes)
	}
	return -1
}

// runeAt decodes the character at an offset below the length, as [utf8.DecodeRune] does.
func runeAt[T string | []byte](text T, at int) (rune, int) {
	if c := text[at]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	var buf [utf8.UTFMax]byte
	return utf8.DecodeRune(buf[:copy(buf[:], text[at:])])
}

// runeBefore returns where the character starts that ends at an offset, -1 at the start.
func runeBefore[T string | []byte](text T, at int) int {
	if at == 0 {
		return -1
	}
	start := max(0, at-utf8.UTFMax)
	var buf [utf8.UTFMax]byte
	_, n := utf8.DecodeLastRune(buf[:copy(buf[:], text[start:at])])
	return at - n
}
