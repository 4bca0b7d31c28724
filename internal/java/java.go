// Package java holds what JMS takes from the Java language.
package java

import "unicode"

// IdentifierStart reports whether a Java identifier may start with r. Java's rule is one
// for UTF-16 code units, so no character above U+FFFF passes it.
func IdentifierStart(r rune) bool {
	return r <= 0xffff && (unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Sc, unicode.Pc))
}

// IdentifierPart reports whether r may stand in a Java identifier, behind its start.
func IdentifierPart(r rune) bool {
	if IdentifierStart(r) {
		return true
	}
	ignorable := 0 <= r && r <= 0x08 || 0x0e <= r && r <= 0x1b || 0x7f <= r && r <= 0x9f
	return r <= 0xffff && (ignorable || unicode.In(r, unicode.Nd, unicode.Mc, unicode.Mn, unicode.Cf))
}
