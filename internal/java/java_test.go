package java

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Numbers as Java prints them since Java 19. Java 17 prints the same but for 4.0301848979298272E17, 1.17549435E-38,
// 2.27005248E8 and 5.7286326E25.
func TestFormatFloat(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", 1: "1.0", -1.5: "-1.5", 0.001: "0.001", 9.999999e-4: "9.999999E-4", 100: "100.0", 123456.789: "123456.789",
		9999999: "9999999.0", 1e7: "1.0E7", 1e10: "1.0E10", 1e-5: "1.0E-5", 1e23: "1.0E23", 1.0e21: "1.0E21",
		math.MaxFloat64: "1.7976931348623157E308", math.SmallestNonzeroFloat64: "4.9E-324", 2.2250738585072014e-308: "2.2250738585072014E-308",
		math.Inf(1): "Infinity", math.Inf(-1): "-Infinity",
		math.Float64frombits(0x43965f3cb98819bb): "4.030184897929827E17", 2e23: "2.0E23",
	} {
		require.Equal(t, want, FormatFloat(f, 64))
	}
	require.Equal(t, "NaN", FormatFloat(math.NaN(), 64))
	require.Equal(t, "-0.0", FormatFloat(math.Copysign(0, -1), 64))
	for f, want := range map[float32]string{
		0: "0.0", 1.5: "1.5", 0.1: "0.1", 1e10: "1.0E10", 1e-5: "1.0E-5", 16777216: "1.6777216E7", 3.4e10: "3.4E10",
		math.MaxFloat32: "3.4028235E38", math.SmallestNonzeroFloat32: "1.4E-45",
		math.Float32frombits(0x00800000): "1.1754944E-38", math.Float32frombits(0x4d587d34): "2.2700525E8",
		math.Float32frombits(0x6a3d8b68): "5.7286327E25",
	} {
		require.Equal(t, want, FormatFloat(float64(f), 32))
	}
}

// Numbers as Java reads them: what each of these texts is to Double.valueOf of Java 17.
func TestParseFloat(t *testing.T) {
	for s, want := range map[string]string{
		"1": "1.0", "1.": "1.0", ".5": "0.5", " 1.5 ": "1.5", "+1": "1.0", "1f": "1.0", "1D": "1.0", "0x1p3": "8.0", "0x1.8p1f": "3.0",
		"NaN": "NaN", "-NaN": "NaN", "+Infinity": "Infinity", "Infinity": "Infinity", "-Infinity": "-Infinity", "1e400": "Infinity",
		"1e-400": "0.0", "\t2\n": "2.0", "0X1P+2d": "4.0", "1e+5": "100000.0",
		"infinity": "", "inf": "", "nan": "", "1_0": "", "0x10": "", "": "", "f": "", "1ff": "", "1e": "", "0x1p": "", "--1": "", "+-1": "",
		"--NaN": "", "+-NaN": "", "1!": "", "1p3": "", "1x": "", "0x1": "", "0x1.8": "", "0x1_0p1": "", "1 1": "", "NaNf": "", ".": "", "Infinityf": "", "0xp1": "", "1n": "", "\u00a01": "", "+": "",
	} {
		f, ok := ParseFloat(s, 64)
		require.Equal(t, want != "", ok, "%q", s)
		if ok {
			require.Equal(t, want, FormatFloat(f, 64), "%q", s)
		}
	}
}

// What Character.isJavaIdentifierStart and isJavaIdentifierPart of Java 17 say of a code unit.
func TestIdentifiers(t *testing.T) {
	for _, r := range []rune{'a', 'Z', '_', '$', '\u00e9', '\u4e2d', '\u20ac', '\u203f', '\u2160', '\u02b0'} { // letters, currencies, connectors, letter numbers
		require.True(t, IdentifierStart(r), "%U", r)
		require.True(t, IdentifierPart(r), "%U", r)
	}
	for _, r := range []rune{'0', '\u0660', '\u0301', '\u0903', '\u200d', '\u00ad', 0, 0x08, 0x0e, 0x1b, 0x7f, 0x9f, 0xfeff} { // digits, marks, ignorable
		require.False(t, IdentifierStart(r), "%U", r)
		require.True(t, IdentifierPart(r), "%U", r)
	}
	for _, r := range []rune{' ', '-', '.', '~', ':', 0x09, 0x0d, 0x1c, 0xa0, 0xfffd, 0x10000, 0x20000, 0x1f600, 0xe0100} {
		require.False(t, IdentifierStart(r), "%U", r)
		require.False(t, IdentifierPart(r), "%U", r)
	}
}

func TestIdentifierOfCodeUnits(t *testing.T) {
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
