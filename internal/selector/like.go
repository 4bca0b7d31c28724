package selector

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// A pattern is one of LIKE, cut at each %. Its segments are found one after the other,
// each at the first place where it is: none is looked for again, so the cost is at most
// pattern times text.
type pattern struct {
	text        string  // without escapes and %; anyChar where the pattern has _
	bytes       []byte  // the same
	first, last segment // at the start and at the end of the text
	inner       []segment
	open        bool // there is a %, so first and last are two
}

// anyChar stands for any character. UTF-8 has no such byte.
const anyChar = 0xff

// A segment is a part of a pattern's text.
type segment struct {
	from, to int32
	count    int32 // characters
	wild     bool  // some may be any
}

var errEscape = errors.New("the escape character escapes nothing")

// newPattern compiles a pattern. escape is the escape character, -1 if there is none.
func newPattern(text string, escape rune) (*pattern, error) {
	var cur segment
	buf := make([]byte, 0, len(text))
	segments := make([]segment, 0, 1+strings.Count(text, "%"))
	end := func() {
		cur.to = int32(len(buf))
		segments = append(segments, cur)
		cur = segment{from: cur.to}
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		cur.count++
		switch {
		case r == escape:
			r, n = utf8.DecodeRuneInString(text[i:])
			if n == 0 || r != '_' && r != '%' && r != escape {
				return nil, errEscape
			}
			i += n
			buf = utf8.AppendRune(buf, r)
		case r == '_':
			buf = append(buf, anyChar)
			cur.wild = true
		case r == '%':
			cur.count--
			end()
		default:
			buf = utf8.AppendRune(buf, r)
		}
	}
	end()
	p := &pattern{text: string(buf), bytes: buf, first: segments[0]}
	if n := len(segments) - 1; n > 0 {
		p.open, p.last = true, segments[n]
		p.inner = slices.DeleteFunc(segments[1:n:n], func(s segment) bool { return s.count == 0 })
	}
	return p, nil
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
	n := matchStart(p, &p.first, text)
	if n < 0 || !p.open {
		return n == len(text)
	}
	text = text[n:]
	end := len(text)
	if !p.last.wild {
		end -= int(p.last.to - p.last.from)
	} else {
		for range p.last.count {
			if end = runeBefore(text, end); end < 0 {
				break
			}
		}
	}
	if end < 0 || matchStart(p, &p.last, text[end:]) != len(text)-end {
		return false
	}
	text = text[:end]
	for i := range p.inner {
		if n = find(p, &p.inner[i], text); n < 0 {
			return false
		}
		text = text[n:]
	}
	return true
}

// matchStart returns how many bytes of the text a segment takes at its start, -1 if it is
// not there.
func matchStart[T string | []byte](p *pattern, s *segment, text T) int {
	want := p.text[s.from:s.to]
	if !s.wild {
		if len(text) < len(want) || string(text[:len(want)]) != want {
			return -1
		}
		return len(want)
	}
	at := 0
	for i := range len(want) {
		switch {
		case at == len(text):
			return -1
		case want[i] == anyChar:
			at += width(text, at)
		case want[i] == text[at]:
			at++
		default:
			return -1
		}
	}
	return at
}

// find returns where the first match of a segment ends, -1 if there is none.
func find[T string | []byte](p *pattern, s *segment, text T) int {
	if !s.wild {
		at := index(p, s, text)
		if at < 0 {
			return -1
		}
		return at + int(s.to-s.from)
	}
	for at := 0; at < len(text); at += width(text, at) {
		if n := matchStart(p, s, text[at:]); n >= 0 {
			return at + n
		}
	}
	return -1
}

func index[T string | []byte](p *pattern, s *segment, text T) int {
	switch text := any(text).(type) {
	case string:
		return strings.Index(text, p.text[s.from:s.to])
	case []byte:
		return bytes.Index(text, p.bytes[s.from:s.to])
	}
	return -1
}

// width returns how many bytes the character at an offset below the length takes, as
// [utf8.DecodeRune] does.
func width[T string | []byte](text T, at int) int {
	if text[at] < utf8.RuneSelf {
		return 1
	}
	var buf [utf8.UTFMax]byte
	_, n := utf8.DecodeRune(buf[:copy(buf[:], text[at:])])
	return n
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
