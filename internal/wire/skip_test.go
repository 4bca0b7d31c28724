package wire

import (
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
		"", "\x00", "\x01", "\x50", "\xa1", "\xa1\x03ab", "\xb1\x00\x00\x00", "\xb1\xff\xff\xff\xffa", "\xa2\x00", "\x00\x53",
	}
}

// SkipN is Skip so many times, errors included.
func TestSkipN(t *testing.T) {
	for _, first := range skipped() {
		for _, second := range skipped() {
			in := []byte(first + second + "\x40")
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

// Name gives the bytes of a symbol in both its forms, of nothing else, and skips what Skip does.
func TestName(t *testing.T) {
	for _, v := range append(skipped(), "\xa3\x01\xff") {
		in := []byte(v + "\x40")
		var want []byte
		switch v {
		case "\xa3\x02ab", "\xb3\x00\x00\x00\x02ab":
			want = []byte("ab")
		case "\xa3\x01\xff":
			want = []byte{0xff} // unchecked
		}
		skip, r := NewReader(in), NewReader(in)
		skip.Skip()
		got := r.Name()
		require.Equal(t, want, got, "% x", v)
		require.Equal(t, skip, r, "% x", v)
		require.Equal(t, len(got), cap(got), "% x: clipped", v)
	}
}
