package charset

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// The names that IANA has registered and those of Java 17, as they are written there.
func TestLookup(t *testing.T) {
	for c, names := range map[Charset]string{
		UTF8: "UTF-8 csUTF8 UTF8 utf-8 unicode-1-1-utf-8",
		ASCII: "US-ASCII iso-ir-6 ANSI_X3.4-1968 ANSI_X3.4-1986 ISO_646.irv:1991 ISO646-US us IBM367 cp367 csASCII " +
			"ASCII default 646 iso_646.irv:1983 ascii7",
		Latin1: "ISO-8859-1 ISO_8859-1:1987 iso-ir-100 ISO_8859-1 latin1 l1 IBM819 CP819 csISOLatin1 " +
			"819 IBM-819 ISO8859_1 ISO_8859_1 8859_1 ISO8859-1",
		Latin9: "ISO-8859-15 ISO_8859-15 Latin-9 csISO885915 " +
			"8859_15 ISO8859_15 ISO8859-15 IBM923 IBM-923 cp923 923 LATIN0 LATIN9 L9 csISOlatin0 csISOlatin9 ISO8859_15_FDIS",
		Windows1252: "windows-1252 cswindows1252 cp1252 Cp1252 cp5348 ibm-1252 ibm1252",
		UTF16:       "UTF-16 csUTF16 UTF_16 utf16 unicode UnicodeBig",
		UTF16Little: "x-UTF-16LE-BOM UnicodeLittle",
		UTF16BE:     "UTF-16BE csUTF16BE UTF_16BE ISO-10646-UCS-2 X-UTF-16BE UnicodeBigUnmarked csUnicode",
		UTF16LE:     "UTF-16LE csUTF16LE UTF_16LE X-UTF-16LE UnicodeLittleUnmarked",
	} {
		for _, name := range strings.Fields(names) {
			got, ok := Lookup(name)
			require.True(t, ok, name)
			require.Equal(t, c, got, "%s is %v", name, got)
			got, _ = Lookup(strings.ToUpper(name))
			require.Equal(t, c, got, name)
		}
		got, ok := Lookup(c.String())
		require.True(t, ok)
		require.Equal(t, c, got, "its own name")
	}
	for _, name := range []string{"", "koi8-r", "utf-7", "utf-32", "gzip", "identity", "binary", "7bit", "8bit", "iso-8859-2", "windows-1251", " utf-8", "cp1253"} {
		_, ok := Lookup(name)
		require.False(t, ok, "%q", name)
	}
	require.Equal(t, "unknown charset", Charset(99).String())
	_, ok := Charset(99).Decode(nil)
	require.False(t, ok)
}

func TestDecode(t *testing.T) {
	const invalid = "\x00invalid"
	for _, row := range []struct {
		c       Charset
		b, want string
	}{
		{UTF8, "h\u00e9", "h\u00e9"},
		{UTF8, "\ufeffa", "\ufeffa"}, // a mark is a character
		{UTF8, "\xff", invalid},
		{UTF8, "\xed\xa0\x80", invalid}, // a surrogate
		{UTF8, "\xc0\x80", invalid},     // overlong
		{ASCII, "he\x7f\x00", "he\x7f\x00"},
		{ASCII, "\x80", invalid},
		{Latin1, "\x80\x9f\xa4\xe9\xff", "\u0080\u009f\u00a4\u00e9\u00ff"},
		{Latin9, "\x80\xa4\xa6\xa8\xb4\xb8\xbc\xbd\xbe\xa5\xe9", "\u0080\u20ac\u0160\u0161\u017d\u017e\u0152\u0153\u0178\u00a5\u00e9"},
		{Windows1252, "\x80\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8e", "\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"},
		{Windows1252, "\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9e\x9f", "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178"},
		{Windows1252, "a\xa0\xff", "a\u00a0\u00ff"},
		{Windows1252, "\x81", invalid},
		{Windows1252, "\x8d", invalid},
		{Windows1252, "\x8f", invalid},
		{Windows1252, "\x90", invalid},
		{Windows1252, "\x9d", invalid},
		{UTF16, "\x00h\x00i", "hi"},
		{UTF16, "\xfe\xff\x00h", "h"},
		{UTF16, "\xff\xfeh\x00", "h"},
		{UTF16, "\xff\xfe\xff\xfeh\x00", "\ufeffh"}, // one mark only
		{UTF16Little, "h\x00", "h"},
		{UTF16Little, "\xff\xfeh\x00", "h"},
		{UTF16Little, "\xfe\xff\x00h", "h"},
		{UTF16BE, "\xfe\xff\x00h", "\ufeffh"},
		{UTF16BE, "\xff\xfe\x00h", "\ufffeh"},
		{UTF16BE, "\xd8\x3d\xde\x00", "\U0001f600"},
		{UTF16LE, "\x3d\xd8\x00\xde", "\U0001f600"},
		{UTF16BE, "\xff\xfd", "\ufffd"}, // a character
		{UTF16, "", ""},
		{UTF16, "\x00h\x00", invalid},
		{UTF16LE, "\x3d\xd8", invalid},
		{UTF16BE, "\xd8\x3d\x00a", invalid},
		{UTF16BE, "\xde\x00\xd8\x3d", invalid},
		{UTF16BE, "\xd8\x3d\xd8\x3d", invalid},
	} {
		got, ok := row.c.Decode([]byte(row.b))
		if row.want == invalid {
			require.False(t, ok, "%v %q", row.c, row.b)
			require.Empty(t, got)
			continue
		}
		require.True(t, ok, "%v %q", row.c, row.b)
		require.Equal(t, row.want, got, "%v %q", row.c, row.b)
	}
}

// What is decoded is UTF-8, and of charsets of single bytes each byte is a character or invalid.
func FuzzDecode(f *testing.F) {
	for c := range UTF16LE + 1 {
		f.Add(uint8(c), []byte("a\x80\xff\xfe\x3d\xd8\x00\xde"))
	}
	f.Fuzz(func(t *testing.T, c uint8, b []byte) {
		text, ok := Charset(c).Decode(b)
		if !ok {
			require.Empty(t, text)
			return
		}
		require.True(t, utf8.ValidString(text))
		switch Charset(c) {
		case ASCII, Latin1, Latin9, Windows1252:
			require.Equal(t, len(b), utf8.RuneCountInString(text))
			require.NotContains(t, text, "\ufffd")
		}
	})
}
