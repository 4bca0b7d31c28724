package wire

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// skipped are values of every width, and bytes that are none.
func skipped() []string {
	return []string{
		"\x40", "\x41", "\x43", "\x44", "\x45", "\x50\x01", "\x52\x01", "\x60\x00\x01", "\x70\x00\x00\x00\x01", "\x81\x00\x00\x00\x00\x00\x00\x00\x01",
		"\x94\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01", "\xa0\x00", "\xa1\x02ab", "\xa3\x02ab", "\xb0\x00\x00\x00\x00",
		"\xb1\x00\x00\x00\x02ab", "\xb3\x00\x00\x00\x02ab", "\xc0\x01\x00", "\xc1\x03\x02\x40\x40", "\xd1\x00\x00\x00\x04\x00\x00\x00\x00", "\xe0\x02\x00\x40",
		"\x00\x53\x01\xa1\x01a",
		"", "\x00", "\x01", "\x50", "\xa1", "\xa1\x03ab", "\xa3", "\xa3\x03ab", "\xa4\x00", "\xb1\x00\x00\x00", "\xb1\xff\xff\xff\xffa", "\xa2\x00", "\x00\x53",
	}
}

// SkipN is Skip so many times, errors included.
func TestSkipN(t *testing.T) {
	for _, first := range skipped() {
		for _, second := range skipped() {
			for _, after := range []string{"", "\x40"} {
				in := []byte(first + second + after)
				for n := range 5 {
					want, got := NewReader(in), NewReader(in)
					for range n {
						want.Skip()
					}
					got.SkipN(n)
					require.Equal(t, want, got, "% x: %d values", in, n)
				}
			}
		}
	}
}

// Name gives the bytes of a symbol in both its forms, of nothing else, and skips what Skip does.
func TestName(t *testing.T) {
	long := strings.Repeat("a", 0xa3) // of which the length is the code of a symbol
	for _, v := range append(skipped(), "\xa3\x01\xff", "\xa1\xa3"+long) {
		for _, after := range []string{"", "\x40", "\xa3" + long} {
			in := []byte(v + after)
			var want []byte
			switch v {
			case "\xa3\x02ab", "\xb3\x00\x00\x00\x02ab":
				want = []byte("ab")
			case "\xa3\x01\xff":
				want = []byte{0xff} // unchecked
			case "\xa3", "\xa3\x03ab", "":
				if after != "" && (v != "" || after != "\x40") {
					continue // what follows makes another symbol of it
				}
			}
			skip, r := NewReader(in), NewReader(in)
			skip.Skip()
			got := r.Name()
			require.Equal(t, want, got, "% x", in)
			require.Equal(t, skip, r, "% x", in)
			require.Equal(t, len(got), cap(got), "% x: clipped", in)
			if skip.Err() == nil {
				n := testing.AllocsPerRun(10, func() { r.Reset(in, 0); r.Name() })
				require.Zero(t, n, "allocations of Name of % x", in)
			}
		}
	}
}

// What is behind other values may be missing, or cut off after its code.
func TestNameBehindOthers(t *testing.T) {
	for _, rest := range []string{"", "\xa3"} {
		in := "\x40\x40" + rest
		r := NewReader([]byte(in))
		r.Skip()
		r.Skip()
		require.Nil(t, r.Name(), "% x", in)
		require.Equal(t, &Error{Offset: len(in), Err: io.ErrUnexpectedEOF}, r.Err(), "% x", in)
	}
}

// What is skipped ends where it does, however much follows.
func TestSkipBeforeMuch(t *testing.T) {
	after := strings.Repeat("\x40", 300)
	for _, v := range skipped()[:22] { // those that are whole
		in := []byte(v + after)
		for n := range 3 {
			r := NewReader(in)
			r.SkipN(1 + n)
			require.Nil(t, r.Err(), "% x", v)
			require.Equal(t, len(v)+n, r.Offset(), "% x, %d nulls behind it", v, n)
		}
		r := NewReader(in)
		r.SkipMap()
		if v[0] == codeMap8 || v[0] == codeMap32 {
			require.Nil(t, r.Err(), "% x", v)
			require.Equal(t, len(v), r.Offset(), "% x", v)
		} else {
			require.NotNil(t, r.Err(), "% x is no map", v)
		}
	}
	for _, v := range []string{"\xb1\xff\xff\xff\xff", "\xc2\x01", "\xff"} {
		r := NewReader([]byte(v + after))
		r.SkipN(1)
		require.NotNil(t, r.Err(), "% x", v)
		r = NewReader([]byte(v + after))
		r.SkipMap()
		require.NotNil(t, r.Err(), "% x", v)
	}
	r := NewReader([]byte{codeNull, codeMap8})
	r.Skip()
	r.SkipMap()
	require.Equal(t, &Error{Offset: 2, Err: io.ErrUnexpectedEOF}, r.Err())
}
