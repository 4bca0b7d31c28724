package amqpjms

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// A mapCycle is what the group benchmarks are multiples of: to insert, look up and
// delete one entry of a map[uint64]int32 with 100,000 others.
type mapCycle struct {
	m    map[uint64]int32
	next uint64
}

func newMapCycle() *mapCycle {
	const entries = 100_000
	c := &mapCycle{m: make(map[uint64]int32, entries)}
	for range entries {
		c.m[c.key()] = 1
	}
	return c
}

func (c *mapCycle) key() uint64 { c.next++; return c.next * 0x9e3779b97f4a7c15 }

func (c *mapCycle) run(n int) {
	for range n {
		k := c.key()
		c.m[k] = int32(k)
		if c.m[k] != int32(k) {
			panic("a map that forgets")
		}
		delete(c.m, k)
	}
}

// cycles runs an operation b.N times, by turns with map cycles because machines are
// not the same all the time, and reports its cost as a multiple of theirs.
func cycles(b *testing.B, op func(i int)) {
	c := newMapCycle()
	c.run(100_000)
	const turn = 20_000
	var ours, theirs time.Duration
	var ratios []float64
	b.ResetTimer()
	for i := 0; i < b.N; {
		n := min(turn, b.N-i)
		start := time.Now()
		for range n {
			op(i)
			i++
		}
		mid := time.Now()
		c.run(n)
		end := time.Now()
		ours += mid.Sub(start)
		theirs += end.Sub(mid)
		ratios = append(ratios, float64(mid.Sub(start))/float64(end.Sub(mid)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "cycles/op")
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(float64(theirs.Nanoseconds())/float64(b.N), "ns/cycle")
}

func benchKeys(n int) []GroupKey {
	keys := make([]GroupKey, n)
	for i := range keys {
		keys[i], _ = GroupKeyFrom(fmt.Sprintf("group-%06d", i))
	}
	return keys
}

func BenchmarkGroupsSteady(b *testing.B) {
	const groups, messages = 10_000, 100_000
	keys := benchKeys(groups)
	for name, make := range map[string]func(GroupOptions[uint64]) *Groups[uint64]{"assigned": NewAssigned[uint64], "shared": NewShared[uint64]} {
		for _, order := range []string{"round", "random"} {
			b.Run(name+"/"+order, func(b *testing.B) {
				g := make(GroupOptions[uint64]{})
				x := uint64(1)
				key := func(i int) GroupKey {
					if order == "round" {
						return keys[i%groups]
					}
					x = x*6364136223846793005 + 1442695040888963407
					return keys[x>>33%groups]
				}
				var cs [8]*Consumer[uint64]
				for i := range cs {
					cs[i] = g.Open(nil)
				}
				for i := range messages {
					g.Add(uint64(i), key(i))
				}
				step := func(i int) {
					g.Add(uint64(i), key(i))
					for j := 0; j < 8; j++ {
						if _, r, ok := cs[(i+j)%8].Next(); ok {
							g.Settle(r)
							break
						}
					}
				}
				for i := range messages {
					step(i)
				}
				b.ReportAllocs()
				cycles(b, step)
			})
		}
	}
}
