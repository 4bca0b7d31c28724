package feed

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A log has the last numbers of all that were appended, and their pages' summaries, whatever the ring that they are in: it
// grows with what is appended, up to what is worth keeping, and shrinks when that is little.
func TestLogBesideSlice(t *testing.T) {
	for keep, size := range map[uint32]uint64{0: 64, 63: 64, 64: 128, 127: 128, 128: 256, 1000: 1024, 1024: 2048} {
		require.Equal(t, size, fit(keep), keep)
	}
	var l Log[[2]uint64]
	var all []uint32
	var pages [][2]uint64
	rnd := rand.New(rand.NewPCG(1, 2))
	add := func(keep uint32) {
		start, size := l.Start(), uint64(l.Cap())
		number := rnd.Uint32()
		all = append(all, number)
		entry := l.Append(number, keep)
		require.EqualValues(t, len(all)-1, entry)
		require.EqualValues(t, len(all), l.End())
		if entry%PageSize == 0 {
			pages = append(pages, [2]uint64{uint64(number), entry + 1})
			*l.Page(entry) = pages[entry/PageSize]
		}
		switch now := uint64(l.Cap()); {
		case now > size:
			require.LessOrEqual(t, now, fit(keep), "no longer than it must be")
			require.LessOrEqual(t, now, max(PageSize, 2*size), "no more than is added")
			require.Equal(t, start, l.Start(), "nothing is dropped")
		case now < size:
			require.Equal(t, fit(keep), now)
			require.Less(t, 4*now, size, "it was much too long")
			require.Equal(t, entry, l.Start())
		case l.End()-start > size:
			require.Equal(t, start+1, l.Start(), "the oldest is dropped where it is full")
		default:
			require.Equal(t, start, l.Start())
		}
		require.Len(t, l.pages, l.Cap()/PageSize)
		for e := l.Start(); e < l.End(); e++ {
			if got := l.At(e); got != all[e] {
				t.Fatalf("entry %d of %d to %d: %d, want %d", e, l.Start(), l.End(), got, all[e])
			}
			if l.Page(e) != l.Page(e/PageSize*PageSize) {
				t.Fatalf("entry %d is not of the page of entry %d", e, e/PageSize*PageSize)
			}
			if e%PageSize == 0 && *l.Page(e) != pages[e/PageSize] {
				t.Fatalf("page of entry %d: %v, want %v", e, *l.Page(e), pages[e/PageSize])
			}
		}
	}
	for _, phase := range []struct {
		keep    uint32
		entries int
		size    int // of the ring, then
	}{{0, 150, 64}, {1000, 2500, 1024}, {300, 1100, 1024}, {200, 1100, 1024}, {100, 1100, 128}, {0, 200, 128}, {700, 40, 128}, {700, 1500, 1024}, {3, 1030, 64}} {
		for range phase.entries {
			add(phase.keep)
		}
		require.Equal(t, phase.size, l.Cap(), "%d worth keeping", phase.keep)
	}
	for range 600 {
		add(1000)
	}
	size := l.Cap()
	l.Trim(uint32(size/4 - 1))
	require.Equal(t, size, l.Cap(), "not much too long")
	l.Trim(uint32(size/8 - 1))
	require.Zero(t, l.Cap())
	require.Equal(t, l.End(), l.Start())
	add(0)
	require.EqualValues(t, 1, l.End()-l.Start())
	l.Clear()
	require.Zero(t, l.Cap())
	require.Equal(t, l.End(), l.Start())
}

// A log that has its size allocates nothing.
func TestLogAllocations(t *testing.T) {
	var l Log[uint64]
	for range 1000 {
		l.Append(1, 100)
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() { l.Append(1, 100) }))
}

// A member is what a Heap is tested with. It stands by rank.
type member struct{ rank, id int }

// Members come out in order, although some become unknown meanwhile: then an unknown one comes out, or the first of those
// that are known. The naive heap is a slice of the known ones.
func TestHeapBesideSlice(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		unknown := map[int]bool{}
		known := func(e member) bool { return !unknown[e.id] }
		before := func(a, b member) bool {
			require.True(t, known(a) && known(b), "it compares what cannot be compared")
			return a.rank < b.rank
		}
		var h Heap[member]
		var live []member
		length := 0
		pop := func() {
			e := h.Pop(known, before)
			length--
			require.Len(t, h, length)
			if !known(e) {
				return
			}
			at := slices.Index(live, e)
			require.GreaterOrEqual(t, at, 0)
			live = slices.Delete(live, at, at+1)
			for _, other := range live {
				require.GreaterOrEqual(t, other.rank, e.rank)
			}
		}
		for id := range 300 {
			switch rnd.IntN(3) {
			case 0:
				e := member{rnd.IntN(50), id}
				h.Push(e, known, before)
				length++
				live = append(live, e)
			case 1:
				if len(live) > 0 { // one becomes unknown, and perhaps comes again as such
					at := rnd.IntN(len(live))
					unknown[live[at].id] = true
					if rnd.IntN(4) == 0 {
						h.Push(live[at], known, before)
						length++
					}
					live = slices.Delete(live, at, at+1)
				}
			case 2:
				if length > 0 {
					pop()
				}
			}
		}
		for length > 0 {
			pop()
		}
		require.Empty(t, live)
	}
}

// To add a member to many, or to take one, takes few comparisons.
func TestHeapComparisons(t *testing.T) {
	var h Heap[int]
	compared := 0
	known := func(int) bool { return true }
	before := func(a, b int) bool { compared++; return a < b }
	const n = 1 << 14
	for i := range n {
		h.Push(n-i, known, before)
	}
	require.LessOrEqual(t, compared, 14*n)
	for want := 1; want <= n; want++ {
		compared = 0
		require.Equal(t, want, h.Pop(known, before))
		require.LessOrEqual(t, compared, 28)
	}
}
