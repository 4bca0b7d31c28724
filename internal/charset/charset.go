// Package charset decodes text strictly: what is not valid in a charset is refused, and no
// character is ever replaced.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Charset is a character encoding. The zero Charset is UTF-8.
type Charset uint8

const (
	UTF8 Charset = iota
	ASCII
	Latin1 // ISO-8859-1
	Latin9 // ISO-8859-15
	Windows1252
	UTF16       // big-endian unless a byte order mark says otherwise
	UTF16Little // little-endian unless a byte order mark says otherwise, Java's UnicodeLittle
	UTF16BE
	UTF16LE
)

// Supported lists the charsets for people to read.
const Supported = "UTF-8, US-ASCII, ISO-8859-1, ISO-8859-15, windows-1252 or UTF-16"

// String returns the name that IANA prefers, or Java's where IANA has none.
func (c Charset) String() string {
	switch c {
	case UTF8:
		return "UTF-8"
	case ASCII:
		return "US-ASCII"
	case Latin1:
		return "ISO-8859-1"
	case Latin9:
		return "ISO-8859-15"
	case Windows1252:
		return "windows-1252"
	case UTF16:
		return "UTF-16"
	case UTF16Little:
		return "x-UTF-16LE-BOM"
	case UTF16BE:
		return "UTF-16BE"
	case UTF16LE:
		return "UTF-16LE"
	}
	return "unknown charset"
}

// Lookup returns the charset of a name, in any case of letters: one that IANA has registered
// for it, or one that Java has.
func Lookup(name string) (c Charset, ok bool) {
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "csutf8", "unicode-1-1-utf-8":
		return UTF8, true
	case "us-ascii", "ascii", "us", "iso-ir-6", "ansi_x3.4-1968", "ansi_x3.4-1986", "iso_646.irv:1991", "iso_646.irv:1983",
		"iso646-us", "ibm367", "ibm-367", "cp367", "csascii", "646", "ascii7", "default":
		return ASCII, true
	case "iso-8859-1", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "latin1", "l1", "ibm819", "ibm-819", "cp819", "csisolatin1",
		"iso8859_1", "iso8859-1", "iso_8859_1", "8859_1", "819":
		return Latin1, true
	case "iso-8859-15", "iso_8859-15", "latin-9", "csiso885915",
		"iso8859_15", "iso8859-15", "iso8859_15_fdis", "8859_15", "latin9", "l9", "latin0", "csisolatin0", "csisolatin9",
		"ibm923", "ibm-923", "cp923", "923":
		return Latin9, true
	case "windows-1252", "cswindows1252", "cp1252", "cp5348", "ibm-1252", "ibm1252":
		return Windows1252, true
	case "utf-16", "utf16", "utf_16", "csutf16", "unicode", "unicodebig":
		return UTF16, true
	case "x-utf-16le-bom", "unicodelittle":
		return UTF16Little, true
	case "utf-16be", "utf_16be", "csutf16be", "x-utf-16be", "unicodebigunmarked", "iso-10646-ucs-2", "csunicode":
		return UTF16BE, true
	case "utf-16le", "utf_16le", "csutf16le", "x-utf-16le", "unicodelittleunmarked":
		return UTF16LE, true
	}
	return 0, false
}

// Decode returns the text of b. It is false if b is not valid in the charset.
func (c Charset) Decode(b []byte) (text string, ok bool) {
	switch c {
	case UTF8:
		if !utf8.Valid(b) {
			return "", false
		}
		return string(b), true
	case ASCII, Latin1, Latin9, Windows1252:
		return c.decodeBytes(b)
	case UTF16:
		switch {
		case bytes.HasPrefix(b, bigMark()):
			b = b[2:]
		case bytes.HasPrefix(b, littleMark()):
			return decodeUnits(b[2:], 0)
		}
	case UTF16Little:
		switch {
		case bytes.HasPrefix(b, bigMark()):
			return decodeUnits(b[2:], 1)
		case bytes.HasPrefix(b, littleMark()):
			b = b[2:]
		}
		return decodeUnits(b, 0)
	case UTF16BE:
	case UTF16LE:
		return decodeUnits(b, 0)
	default:
		return "", false
	}
	return decodeUnits(b, 1)
}

// The byte order marks.
func bigMark() []byte    { return []byte{0xfe, 0xff} }
func littleMark() []byte { return []byte{0xff, 0xfe} }

// decodeBytes decodes a charset in which each byte is a character.
func (c Charset) decodeBytes(b []byte) (string, bool) {
	var s strings.Builder
	s.Grow(len(b))
	for _, x := range b {
		r := rune(x)
		if x >= utf8.RuneSelf {
			if r = c.high(x); r == utf8.RuneError {
				return "", false
			}
		}
		s.WriteRune(r)
	}
	return s.String(), true
}

// high returns the character of a byte above 127, RuneError for none.
func (c Charset) high(x byte) rune {
	switch c {
	case ASCII:
		return utf8.RuneError
	case Latin9:
		switch x {
		case 0xa4:
			return '€'
		case 0xa6:
			return 'Š'
		case 0xa8:
			return 'š'
		case 0xb4:
			return 'Ž'
		case 0xb8:
			return 'ž'
		case 0xbc:
			return 'Œ'
		case 0xbd:
			return 'œ'
		case 0xbe:
			return 'Ÿ'
		}
	case Windows1252:
		if x < 0xa0 {
			const none = utf8.RuneError
			return [...]rune{
				'€', none, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', none, 'Ž', none,
				none, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', none, 'ž', 'Ÿ',
			}[x-0x80]
		}
	}
	return rune(x)
}

// decodeUnits decodes UTF-16, where low is the index of the low one of two bytes.
func decodeUnits(b []byte, low int) (string, bool) {
	if len(b)%2 != 0 {
		return "", false
	}
	var s strings.Builder
	s.Grow(len(b) / 2)
	unit := func() rune { return rune(b[1-low])<<8 | rune(b[low]) }
	for ; len(b) > 0; b = b[2:] {
		r := unit()
		if utf16.IsSurrogate(r) {
			if len(b) < 4 {
				return "", false
			}
			b = b[2:]
			if r = utf16.DecodeRune(r, unit()); r == utf8.RuneError {
				return "", false
			}
		}
		s.WriteRune(r)
	}
	return s.String(), true
}
