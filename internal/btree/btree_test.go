package btree

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// check checks what the comments on Tree and node say of them, and returns how many nodes there are.
func check(t testing.TB, tree *Tree) (nodes int) {
	t.Helper()
	if tree.root == nil {
		require.Zero(t, tree.Len())
		require.Zero(t, tree.First())
		return 0
	}
	require.False(t, tree.root.below != nil && tree.root.n == 1, "a root with one node below")
	entries, depth := 0, -1
	var walk func(n *node, level int)
	walk = func(n *node, level int) {
		nodes++
		require.NotZero(t, n.n, "an empty node")
		require.LessOrEqual(t, n.n, size)
		require.Equal(t, tree.root.rank == nil, n.rank == nil)
		if n.below == nil {
			entries += n.n
			if depth < 0 {
				depth = level
			}
			require.Equal(t, depth, level, "leaves at two depths")
			return
		}
		for i, below := range n.below {
			if i >= n.n {
				require.Nil(t, below)
				continue
			}
			require.Equal(t, n.id[i], below.id[0])
			if n.rank != nil {
				require.Equal(t, n.rank[i], below.rank[0])
			}
			walk(below, level+1)
		}
	}
	walk(tree.root, 0)
	require.Equal(t, entries, tree.Len())
	return nodes
}

// A naive tree is a slice in order, with the same methods. Its entries have a key, which is the rank or what Before
// compares, and stand by that; those of one key by number.
type naive []entry

type entry struct {
	id  uint32
	key uint64
}

func less(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) }

func (s *naive) insert(e entry) {
	at, _ := slices.BinarySearchFunc(*s, e, less)
	*s = slices.Insert(*s, at, e)
}

func (s *naive) delete(e entry) bool {
	at, found := slices.BinarySearchFunc(*s, e, less)
	if found {
		*s = slices.Delete(*s, at, at+1)
	}
	return found
}

func (s naive) after(e entry) (ids []uint32) {
	for _, other := range s {
		if less(other, e) > 0 {
			ids = append(ids, other.id)
		}
	}
	return ids
}

// beside runs a tree and a naive one side by side, under operations read from bytes.
type beside struct {
	t      testing.TB
	ranked bool
	tree   Tree
	nodes  Nodes
	naive  naive
	keys   map[uint32]uint64 // by number, also of those that were deleted
}

// before returns how a call says where an entry is.
func (b *beside) before(e entry) (rank uint64, before Before) {
	if b.ranked {
		return e.key, nil
	}
	return 0, func(id uint32) bool { return less(entry{id, b.keys[id]}, e) < 0 }
}

func (b *beside) insert(e entry) {
	b.keys[e.id] = e.key
	rank, before := b.before(e)
	b.tree.Insert(&b.nodes, e.id, rank, before)
	b.naive.insert(e)
}

func (b *beside) delete(e entry) {
	b.t.Helper()
	rank, before := b.before(e)
	require.Equal(b.t, b.naive.delete(e), b.tree.Delete(&b.nodes, e.id, rank, before))
}

// after compares what is after an entry, which need not be in the tree; at most so many.
func (b *beside) after(e entry, most int) {
	b.t.Helper()
	rank, skip := e.key, Before(nil)
	if !b.ranked {
		rank, skip = 0, func(id uint32) bool { return less(entry{id, b.keys[id]}, e) <= 0 }
	}
	var got []uint32
	b.tree.After(rank, skip, func(id uint32) bool {
		got = append(got, id)
		return len(got) < most
	})
	want := b.naive.after(e)
	require.Equal(b.t, want[:min(most, len(want))], got)
}

func (b *beside) check() {
	b.t.Helper()
	check(b.t, &b.tree)
	require.Equal(b.t, len(b.naive), b.tree.Len())
	first := uint32(0)
	if len(b.naive) > 0 {
		first = b.naive[0].id
	}
	require.Equal(b.t, first, b.tree.First())
	var got []uint32
	b.tree.After(0, nil, func(id uint32) bool { got = append(got, id); return true })
	require.Equal(b.t, b.naive.after(entry{}), got)
}

func newBeside(t testing.TB, ranked bool) *beside {
	return &beside{t: t, ranked: ranked, keys: map[uint32]uint64{}}
}

// A tree grows and shrinks several times, by entries in order, against it and in any order.
func TestTreeBesideSlice(t *testing.T) {
	for _, ranked := range []bool{true, false} {
		for seed := range uint64(9) {
			t.Run(fmt.Sprintf("ranked %v, %d", ranked, seed), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(seed, 1))
				b := newBeside(t, ranked)
				most := 1 << (4 + seed)
				next := uint32(0)
				for phase := range 4 {
					for i := range most {
						next++
						key := uint64(next)
						switch {
						case phase == 1:
							key = 1<<40 - uint64(next)
						case phase == 2 && !ranked:
							key = 1 + rnd.Uint64N(100) // many alike
						case phase >= 2:
							key = 1 + rnd.Uint64N(1<<40)
						}
						b.insert(entry{next, key})
						if i%97 == 0 {
							b.after(entry{next, key}, 200)
							b.after(entry{next, 1 + rnd.Uint64N(1<<41)}, 1)
						}
					}
					b.check()
					leave := rnd.IntN(most / 4)
					for i := 0; len(b.naive) > leave; i++ {
						at := rnd.IntN(len(b.naive))
						switch {
						case phase%2 == 1:
							at = 0
						case seed%3 == 0:
							at = len(b.naive) - 1
						}
						e := b.naive[at]
						b.delete(e)
						if i%97 == 0 {
							b.after(e, 200)
							b.delete(e) // it is gone
							check(t, &b.tree)
						}
					}
					b.check()
				}
				for len(b.naive) > 0 {
					b.delete(b.naive[0])
				}
				b.check()
				require.Nil(t, b.tree.root)
			})
		}
	}
}

func FuzzTreeBesideSlice(f *testing.F) {
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 600)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		b := newBeside(t, data[0]&1 != 0)
		next := uint32(0)
		for data = data[1:min(len(data), 2000)]; len(data) >= 2; data = data[2:] {
			op, arg := data[0], uint64(data[1])
			switch {
			case op < 170:
				next++
				b.insert(entry{next, arg<<32 | uint64(next)}) // no rank twice, and none is 0
			case len(b.naive) == 0:
			case op < 240:
				b.delete(b.naive[int(arg)*len(b.naive)/256])
			default:
				b.after(entry{next, arg << 32}, int(op-239))
			}
		}
		b.check()
	})
}

// Numbers that come in order, as most do, fill the nodes.
func TestTreeInOrderIsFull(t *testing.T) {
	for _, ranked := range []bool{true, false} {
		b := newBeside(t, ranked)
		const n = 64 * 63 * 3
		for i := uint32(1); i <= n; i++ {
			b.insert(entry{i, uint64(i)})
		}
		require.LessOrEqual(t, check(t, &b.tree), n/(size-1)*65/64+3)
	}
}

// A tree that has become almost empty everywhere gives its nodes back.
func TestTreeShrinks(t *testing.T) {
	for _, ranked := range []bool{true, false} {
		rnd := rand.New(rand.NewPCG(1, 2))
		b := newBeside(t, ranked)
		const n = 20_000
		for _, i := range rnd.Perm(n) {
			b.insert(entry{uint32(i + 1), uint64(i + 1)})
		}
		require.Less(t, check(t, &b.tree), n/(size/2)+50, "all")
		for i := uint32(1); i <= n; i++ {
			if i%100 != 0 {
				b.delete(entry{i, uint64(i)})
			}
		}
		require.Less(t, check(t, &b.tree), n/100/(size/8), "a hundredth")
		b.check()
	}
}

// A search by rank asks nothing; one by Before asks a number of times logarithmic in the size.
func TestTreeComparisons(t *testing.T) {
	var tree Tree
	var nodes Nodes
	asked := 0
	before := func(than uint32) Before { return func(id uint32) bool { asked++; return id < than } }
	const n = 100_000
	for i := uint32(1); i <= n; i++ {
		tree.Insert(&nodes, 2*i, 0, before(2*i))
	}
	require.LessOrEqual(t, asked, 3*n, "in order, one for each level")
	for _, op := range []struct {
		name string
		f    func()
		most int
	}{
		{"Insert", func() { tree.Insert(&nodes, 777, 0, before(777)) }, 3 * 8},
		{"Delete", func() { require.True(t, tree.Delete(&nodes, 777, 0, before(777))) }, 3 * 8},
		{"After", func() {
			tree.After(0, before(779), func(id uint32) bool { require.EqualValues(t, 780, id); return false })
		}, 3 * 8},
		{"After none", func() { tree.After(0, nil, func(id uint32) bool { require.EqualValues(t, 2, id); return false }) }, 0},
		{"First", func() { require.EqualValues(t, 2, tree.First()) }, 0},
	} {
		asked = 0
		op.f()
		require.LessOrEqual(t, asked, op.most, op.name)
		require.Equal(t, op.most == 0, asked == 0, op.name)
	}
}

// A Before that says anything loses no number, and doubles none.
func TestTreeContradiction(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var tree Tree
		var nodes Nodes
		atRandom := func(uint32) bool { return rnd.IntN(2) == 0 }
		left := map[uint32]bool{}
		for i := uint32(1); i <= 3000; i++ {
			tree.Insert(&nodes, i, 0, atRandom)
			left[i] = true
			if rnd.IntN(3) == 0 {
				n := 1 + rnd.Uint32N(i)
				require.Equal(t, left[n], tree.Delete(&nodes, n, 0, atRandom))
				delete(left, n)
			}
		}
		check(t, &tree)
		got := map[uint32]bool{}
		tree.After(0, nil, func(id uint32) bool { require.False(t, got[id]); got[id] = true; return true })
		require.Equal(t, left, got)
		for id := range left {
			require.True(t, tree.Delete(&nodes, id, 0, atRandom))
		}
		check(t, &tree)
		require.Nil(t, tree.root)
	}
}

// An empty tree has nothing to delete or to show.
func TestTreeEmpty(t *testing.T) {
	var tree Tree
	var nodes Nodes
	require.Zero(t, tree.First())
	require.Zero(t, tree.Len())
	require.False(t, tree.Delete(&nodes, 1, 1, nil))
	tree.After(0, nil, func(uint32) bool { t.Error("a number"); return true })
}

// Nodes are used again, by all trees, but not more than some are kept.
func TestNodes(t *testing.T) {
	var nodes Nodes
	var trees [40]Tree
	step := func() {
		for i := range trees {
			for id := range uint32(65) {
				trees[i].Insert(&nodes, id+1, uint64(id+1), nil)
			}
			for id := range uint32(65) {
				trees[i].Delete(&nodes, id+1, uint64(id+1), nil)
			}
		}
	}
	step()
	require.Zero(t, testing.AllocsPerRun(10, step))
	for i := range trees {
		trees[i].Insert(&nodes, 1, 1, nil)
	}
	for i := range trees {
		trees[i].Delete(&nodes, 1, 1, nil)
	}
	require.Len(t, *nodes.kind(true, false), spareNodes)
	require.Empty(t, *nodes.kind(false, false))
	for i := range trees[:3] {
		trees[i].Insert(&nodes, 1, 0, func(uint32) bool { return false })
		require.Nil(t, trees[i].root.rank, "the kind that is needed")
	}
}

// Two nodes become one when one of them has a quarter left or less, and both together fill three quarters or less.
func TestTreeMerges(t *testing.T) {
	for _, ranked := range []bool{true, false} {
		// Full, and then split by a number in the middle: 32 numbers and 33, or the other way round.
		for _, first := range []int{32, 33} {
			for _, from := range []string{"first", "second"} {
				t.Run(fmt.Sprintf("ranked %v, %d in the first, deleted from the %s", ranked, first, from), func(t *testing.T) {
					b := newBeside(t, ranked)
					for i := uint32(1); i <= size; i++ {
						b.insert(entry{2 * i, uint64(2 * i)})
					}
					odd := uint32(2*size - 1)
					if first == 33 {
						odd = 3
					}
					b.insert(entry{odd, uint64(odd)})
					require.Equal(t, 3, check(t, &b.tree))
					require.Equal(t, first, b.tree.root.below[0].n)
					kept := size + 1 - first // of the other node
					if from == "second" {
						kept = first
					}
					for {
						at := 0
						if from == "second" {
							at = len(b.naive) - 1
						}
						b.delete(b.naive[at])
						left := len(b.naive) - kept // in the node
						if left <= size/4 && left+kept <= size*3/4 {
							break
						}
						require.Equal(t, 3, check(t, &b.tree), "%d and %d", left, kept)
					}
					require.Equal(t, 1, check(t, &b.tree))
					b.check()
				})
			}
		}
	}
}
