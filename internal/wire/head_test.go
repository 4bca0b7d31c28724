package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHead(t *testing.T) {
	for _, c := range []struct {
		name        string
		head        []byte
		size, count uint32
		typ         Type
		ok          bool
	}{
		{"null", x("40"), 0, 0, Null, true},
		{"char", x("73"), 4, 0, Char, true},
		{"decimal128", x("94"), 16, 0, Decimal128, true},
		{"str8", x("a1 05"), 5, 0, String, true},
		{"vbin32", x("b0 01020304"), 0x01020304, 0, Binary, true},
		{"list0", x("45"), 0, 0, List, true},
		{"list8", x("c0 05 02"), 4, 2, List, true},
		{"map8, no room for its count", x("c1 00 02"), 0, 2, Map, false},
		{"map32", x("d1 00000104 00000100"), 0x100, 0x100, Map, true},
		{"map32, no room for its count", x("d1 00000003 00000100"), 0, 0x100, Map, false},
		{"list32, largest", x("d0 ffffffff ffffffff"), 0xfffffffb, 0xffffffff, List, true},
		{"array8", x("e0 ff ff"), 0xfe, 0xff, Array, true},
		{"described", x("00"), 0, 0, Described, true},
		{"undefined", x("c5"), 0, 0, None, true},
	} {
		for piece := 1; piece <= len(c.head)+1; piece++ {
			var h Head
			left := append(c.head[:len(c.head):len(c.head)], 0x73) // not of the head
			for {
				n, done, ok := h.Read(left[:min(piece, len(left))])
				left = left[n:]
				if done {
					require.Equal(t, c.ok, ok, c.name)
					break
				}
				require.True(t, ok && h.Begun(), c.name)
			}
			require.Len(t, left, 1, c.name)
			require.Equal(t, c.size, h.Size, c.name)
			require.Equal(t, c.count, h.Count, c.name)
			require.Equal(t, c.typ, h.Type(), c.name)
			require.Equal(t, c.head[0], h.Code(), c.name)
		}
	}
}

// Readable changes four codes, each to one with data of the same size; Simple is the size
// of what it leaves, and that of a value that Skip goes over.
func TestReadable(t *testing.T) {
	want := map[byte]byte{0x73: 0x70, 0x74: 0x70, 0x84: 0x80, 0x94: 0x98}
	for i := range 256 {
		code := byte(i)
		is, changes := want[code]
		if !changes {
			is = code
		}
		require.Equalf(t, is, Readable(code, true), "0x%02x", code)
		if code != 0x73 {
			is = code
		}
		require.Equalf(t, is, Readable(code, false), "0x%02x", code)

		b := append([]byte{code, 3}, make([]byte, 20)...)
		n := Simple(b)
		r := NewReader(b)
		r.Skip()
		if n == 0 {
			require.Truef(t, changes || TypeOf(code) == None || code == 0 || code >= 0xb0, "0x%02x", code)
			continue
		}
		require.Falsef(t, changes, "0x%02x", code)
		require.Equalf(t, r.Offset(), n, "0x%02x", code)
		if n > 1 {
			require.Zerof(t, Simple(b[:n-1]), "0x%02x cut off", code)
		}
	}
}
