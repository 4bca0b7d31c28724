package slab

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// check checks what the comments in Pool and slab say of their fields.
func check[T any](t testing.TB, p *Pool[T]) {
	t.Helper()
	taken, empty, gaps := 0, 0, 0
	open := map[uint32]bool{}
	sawEmpty := false
	for n := p.open.First; n != 0; n = p.slabs[n-1].link.Right {
		require.False(t, open[n], "slab %d is in the list twice", n-1)
		open[n] = true
		isEmpty := p.slabs[n-1].vacancy == room(int(n-1))
		require.False(t, sawEmpty && !isEmpty, "an empty slab before one in use")
		sawEmpty = isEmpty
	}
	for n, s := range p.slabs {
		if s == nil {
			gaps++
			require.Contains(t, p.gaps, uint32(n))
			require.False(t, open[uint32(n+1)])
			continue
		}
		taken += room(n) - s.vacancy
		require.Equal(t, s.vacancy > 0, open[uint32(n+1)], "slab %d with %d vacancies", n, s.vacancy)
		if s.vacancy == room(n) {
			empty++
		}
		seen := map[uint8]bool{}
		for _, at := range s.vacant[:s.vacancy] {
			require.False(t, seen[at], "%d is vacant twice", at)
			require.Less(t, int(at), Size)
			seen[at] = true
		}
		require.False(t, n == 0 && seen[0], "number 0 is vacant")
	}
	require.Len(t, p.gaps, gaps)
	require.Equal(t, taken, p.Len())
	require.Equal(t, empty, p.empty)
	require.Equal(t, len(p.slabs)-gaps, p.Slabs())
	require.LessOrEqual(t, empty, spare+(p.Slabs()-empty)/4+1)
}

// A naive pool is a map.
func TestPoolBesideMap(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var p Pool[int]
		want := map[uint32]int{}
		var numbers []uint32
		next, mostSlabs := 0, 0
		for step := range 6000 {
			grow := 3 // of 4
			if step/1500%2 == 1 {
				grow = 1
			}
			if len(numbers) == 0 || rnd.IntN(4) < grow {
				next++
				i, v := p.Take()
				require.NotZero(t, i)
				require.NotContains(t, want, i, "taken twice")
				require.Zero(t, *v)
				require.Same(t, v, p.At(i))
				*v = next
				want[i] = next
				numbers = append(numbers, i)
			} else {
				at := rnd.IntN(len(numbers))
				i := numbers[at]
				numbers[at] = numbers[len(numbers)-1]
				numbers = numbers[:len(numbers)-1]
				require.Equal(t, want[i], *p.At(i))
				delete(want, i)
				before := p.Slabs()
				var freed []int
				p.Give(i, func(n int) { freed = append(freed, n) })
				require.Equal(t, before-len(freed), p.Slabs())
				for _, n := range freed {
					require.False(t, p.Has(uint32(n*Size)))
				}
				if p.Has(i) {
					require.Zero(t, *p.At(i), "it is given back")
				}
			}
			mostSlabs = max(mostSlabs, p.Slabs())
			if step%50 == 0 {
				check(t, &p)
				got := map[uint32]int{}
				for i, v := range p.All() {
					require.True(t, p.Has(i))
					got[i] = *v
				}
				require.Equal(t, want, got)
			}
		}
		require.Greater(t, mostSlabs, 10)
		for _, i := range numbers {
			p.Give(i, nil)
		}
		check(t, &p)
		require.Equal(t, spare, p.Slabs())
		require.Zero(t, p.Len())
	}
}

func TestPoolHas(t *testing.T) {
	var p Pool[int]
	require.False(t, p.Has(0))
	i, _ := p.Take()
	require.True(t, p.Has(i))
	require.True(t, p.Has(Size-1))
	require.False(t, p.Has(Size))
	require.EqualValues(t, 1, i)
	for want := uint32(2); want < 3*Size; want++ {
		i, _ := p.Take()
		require.Equal(t, want, i, "in order from 1 on")
	}
}

// The iteration ends when its caller has enough.
func TestPoolAllEnds(t *testing.T) {
	var p Pool[int]
	for range 200 {
		p.Take()
	}
	n := 0
	for i := range p.All() {
		if n++; i == 70 {
			break
		}
	}
	require.Equal(t, 70, n)
}

// A value stays where it is while others come and go.
func TestPoolMovesNothing(t *testing.T) {
	var p Pool[[4]int]
	i, v := p.Take()
	var others []uint32
	for range 10_000 {
		n, _ := p.Take()
		others = append(others, n)
	}
	for _, n := range others {
		p.Give(n, nil)
	}
	require.Same(t, v, p.At(i))
}

// Slabs that are freed are given back to the collector, and their values do not keep anything alive.
func TestPoolFreesMemory(t *testing.T) {
	inUse := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := inUse()
	var p Pool[[1000]byte]
	var all []uint32
	for range 10_000 {
		i, _ := p.Take()
		all = append(all, i)
	}
	require.Greater(t, inUse()-before, 10_000_000)
	for _, i := range all {
		p.Give(i, nil)
	}
	require.Less(t, inUse()-before, (spare+2)*Size*1000)
	runtime.KeepAlive(&p)
}

// A stream that goes up and down within a quarter of its size allocates nothing.
func TestPoolSteady(t *testing.T) {
	var p Pool[int]
	var held []uint32
	take := func(n int) {
		for range n {
			i, _ := p.Take()
			held = append(held, i)
		}
	}
	give := func(n int) {
		for range n {
			p.Give(held[len(held)-1], nil)
			held = held[:len(held)-1]
		}
	}
	take(100 * Size)
	require.Zero(t, testing.AllocsPerRun(20, func() {
		give(20 * Size)
		take(20 * Size)
	}))
}

// A list has its members in order, whatever is added at which end and removed from where.
func TestListBesideSlice(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 6))
	var l List
	var links [20]Link
	link := func(i uint32) *Link { return &links[i] }
	var want []uint32
	index := func(i uint32) int {
		for at, j := range want {
			if i == j {
				return at
			}
		}
		return -1
	}
	for range 10_000 {
		i := uint32(1 + rnd.IntN(len(links)-1))
		switch at := index(i); {
		case at >= 0:
			l.Remove(i, link)
			want = append(want[:at:at], want[at+1:]...)
		case rnd.IntN(2) == 0:
			l.PushBack(i, link)
			want = append(want, i)
		default:
			l.PushFront(i, link)
			want = append([]uint32{i}, want...)
		}
		var forth, back []uint32
		for i := l.First; i != 0; i = links[i].Right {
			forth = append(forth, i)
		}
		for i := l.Last; i != 0; i = links[i].Left {
			if back = append([]uint32{i}, back...); i == l.First { // whose Left means nothing
				break
			}
		}
		require.Equal(t, append([]uint32(nil), want...), forth)
		require.Equal(t, forth, back)
	}
}
