package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// SeekAny finds what reading key after key finds, and fails where that does.
func TestSeekAny(t *testing.T) {
	long := "b100000101 " + strings.Repeat("61", 257)
	names := []string{"b", "abcdefgh", "größe", strings.Repeat("a", 257)}
	for _, row := range []struct {
		rule, pairs string
		n           int
	}{
		{"none", "a10161 40", 1},
		{"no pairs", "", 0},
		{"the first", "a10162 5401", 1},
		{"behind values of each width", "a10161 40 a10161 5401 a10161 71 00000001 a10161 8100000000 00000001 a10161 98 00000000000000000000000000000000 a10161 a103616161 a10161 b100000001 61 a10161 c00401 a10161 a10161 0053 01 40 a10162 41", 10},
		{"long", "a10161 40 " + long + " 41", 2},
		{"eight bytes", "a1086162636465666768 41", 1},
		{"almost", "a1086162636465666769 41 a10163 41", 2},
		{"not ASCII", "a1076772c3b6c39f65 41", 1},
		{"not ASCII, another", "a1066772c3b6c39f 41 a10162 41", 2},
		{"the long form of a short one", "b100000001 62 41", 1},
		{"empty key", "a100 41 a10162 41", 2},
		{"twice", "a10162 41 a10162 42", 2},
		{"key that is a symbol", "a30161 40 a10162 41", 2},
		{"key that is not UTF-8", "a101ff 40 a10162 41", 2},
		{"key that breaks off", "a10561", 1},
		{"value that breaks off", "a10161 a10561", 1},
		{"number that breaks off", "a10161 7100", 1},
		{"size that breaks off", "a10161 a1", 1},
		{"no value", "a10161", 1},
		{"invalid code", "a10161 01 a10162 41", 2},
		{"fewer pairs than it says", "a10161 40", 2},
	} {
		b := x(row.pairs)
		fast, slow := NewReader(b), NewReader(b)
		name, left := fast.SeekAny(row.n, names)
		wantName, wantLeft := 0, 0
		for n := row.n; n > 0 && wantLeft == 0; n-- {
			key := slow.String()
			if slow.Err() != nil {
				break
			}
			for i := range names {
				if names[i] == string(key) {
					wantName, wantLeft = i, n
				}
			}
			if wantLeft == 0 {
				slow.Skip()
			}
		}
		require.Equal(t, wantName, name, row.rule)
		require.Equal(t, wantLeft, left, row.rule)
		require.Equal(t, slow.Err(), fast.Err(), row.rule)
		require.Equal(t, slow.Remaining(), fast.Remaining(), row.rule)
	}
}
