package java

import "testing"

func TestIdentifier(t *testing.T) {
	for _, c := range []struct {
		r           rune
		start, part bool
	}{
		{'a', true, true},
		{'ß', true, true},
		{'_', true, true},
		{'$', true, true},
		{'₤', true, true},      // a currency sign
		{'Ⅷ', true, true},      // a letter number
		{'\u203f', true, true}, // connects words
		{'5', false, true},
		{'٥', false, true},
		{'\u0301', false, true}, // a mark
		{'\u0000', false, true}, // ignorable
		{'\u0008', false, true},
		{'\u0009', false, false},
		{'\u000b', false, false},
		{'\u000e', false, true},
		{'\u001b', false, true},
		{'\u001c', false, false},
		{'\u007f', false, true},
		{'\u009f', false, true},
		{'\u00a0', false, false},
		{'\ufeff', false, true}, // a format character
		{' ', false, false},
		{'-', false, false},
		{'.', false, false},
		{'\U00020000', false, false}, // a letter of two code units
		{-1, false, false},
	} {
		if start, part := IdentifierStart(c.r), IdentifierPart(c.r); start != c.start || part != c.part {
			t.Errorf("%U: got start %v, part %v, want %v, %v", c.r, start, part, c.start, c.part)
		}
	}
}
