package amqpjms

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// The unit of these benchmarks is a map cycle of the same run: to insert, look up and delete one entry of a
// map[uint64]int32 with 100,000 others. Machines differ; what a queue may cost beside its broker's own tables
// does not.
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

func (c *mapCycle) run(n int) time.Duration {
	start := time.Now()
	for range n {
		k := c.key()
		c.m[k] = int32(k)
		if c.m[k] != int32(k) {
			panic("a map that forgets")
		}
		delete(c.m, k)
	}
	return time.Since(start)
}

// perCycle runs turns of n operations, of which it is told what they took, and map cycles by turns, for a machine is not
// the same all the time. It reports the median of their ratios.
func perCycle(b *testing.B, n int, turn func() time.Duration) {
	c := newMapCycle()
	c.run(100_000)
	turn()
	var ours time.Duration
	var ratios []float64
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		took := turn()
		ours += took
		ratios = append(ratios, float64(took)/float64(c.run(n)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "cycles")
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N)/float64(n), "ns/op")
}

// timed returns what f takes.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

var strategies = []struct {
	name string
	make func(GroupOptions[uint64]) *Groups[uint64]
}{{"assigned", NewAssigned[uint64]}, {"shared", NewShared[uint64]}}

// groupNames returns n group keys.
func groupNames(n int) []GroupKey {
	keys := make([]GroupKey, n)
	for i := range keys {
		keys[i] = GroupKey{kind: groupText, text: fmt.Sprintf("group-%07d", i)}
	}
	return keys
}

// A consumer takes messages that stand behind many that are for another, who takes none.
func BenchmarkGroupsNextBehindBlocked(b *testing.B) {
	for _, s := range strategies {
		for _, blocked := range []int{1e3, 1e4, 1e5, 1e6} {
			b.Run(fmt.Sprintf("%s/%d", s.name, blocked), func(b *testing.B) {
				const turn = 1000
				g := s.make(GroupOptions[uint64]{})
				other, c := g.Open(nil), g.Open(nil)
				keys := groupNames(100)
				for _, k := range keys {
					g.Add(0, k)
					other.Next()
				}
				for i := range blocked {
					g.Add(uint64(i), keys[i%len(keys)])
				}
				mine := groupNames(200)[100:]
				var refs [turn]Ref
				perCycle(b, turn, func() time.Duration {
					for i := range turn {
						g.Add(uint64(i), mine[i%len(mine)])
					}
					took := timed(func() {
						for i := range turn {
							_, refs[i], _ = c.Next()
						}
					})
					for _, r := range refs {
						if !g.Settle(r) {
							b.Fatal("not given")
						}
					}
					return took
				})
			})
		}
	}
}

// A consumer whose selector refuses the first messages of 100,000 groups takes the one that it accepts, again and
// again. Each time another consumer takes and releases some of the messages that it refuses.
func BenchmarkGroupsNextPastRefused(b *testing.B) {
	for _, s := range strategies {
		b.Run(s.name, func(b *testing.B) {
			const groups, turn = 100_000, 1000
			g := s.make(GroupOptions[uint64]{})
			c, other := g.Open(func(m uint64) bool { return m == 1 }), g.Open(nil)
			for _, k := range groupNames(groups) {
				g.Add(0, k)
			}
			mine := groupNames(groups + 1)[groups]
			first := timed(func() { c.Next() })
			perCycle(b, turn, func() (took time.Duration) {
				for range turn {
					g.Add(1, mine)
					if _, r, ok := other.Next(); ok {
						g.Release(r)
					}
					var r Ref
					took += timed(func() { _, r, _ = c.Next() })
					if !g.Settle(r) {
						b.Fatal("not given")
					}
				}
				return took
			})
			b.ReportMetric(float64(first.Nanoseconds())/groups, "ns/first-refusal")
		})
	}
}

// Messages go through a queue with 10,000 groups in which 100,000 wait, to eight consumers: their groups come in
// turn, or at random. Their keys were just read, as they are when a message has come in, and are not those
// that the queue has.
func BenchmarkGroupsThrough(b *testing.B) {
	for _, s := range strategies {
		for _, order := range []string{"in turn", "random"} {
			b.Run(s.name+"/"+order, func(b *testing.B) {
				const groups, messages, turn = 10_000, 100_000, 2000
				g := s.make(GroupOptions[uint64]{})
				keys := groupNames(groups)
				rnd := rand.New(rand.NewPCG(1, 2))
				sent := 0
				next := func() GroupKey {
					sent++
					if order == "random" {
						return keys[rnd.IntN(groups)]
					}
					return keys[sent%groups]
				}
				var consumers [8]*Consumer[uint64]
				for i := range consumers {
					consumers[i] = g.Open(nil)
				}
				for i := range messages {
					g.Add(uint64(i), next())
				}
				var read [turn]GroupKey
				through := func() time.Duration {
					var texts strings.Builder
					for i := range read {
						read[i] = next()
						texts.WriteString(read[i].text)
					}
					for i, at := 0, 0; i < len(read); i++ {
						n := len(read[i].text)
						read[i].text = texts.String()[at:][:n]
						at += n
					}
					return timed(func() {
						for i, k := range read {
							g.Add(uint64(i), k)
							for at := i; ; at++ {
								if _, r, ok := consumers[at%len(consumers)].Next(); ok {
									g.Settle(r)
									break
								}
							}
						}
					})
				}
				for range 100 {
					through()
				}
				perCycle(b, turn, through)
			})
		}
	}
}

// A consumer goes away that holds 100,000 messages.
func BenchmarkGroupsClose(b *testing.B) {
	for _, s := range strategies {
		for _, groups := range []int{1, 1000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d groups", s.name, groups), func(b *testing.B) {
				const messages = 100_000
				g := s.make(GroupOptions[uint64]{})
				keys := groupNames(groups)
				for i := range messages {
					g.Add(uint64(i), keys[i%groups])
				}
				perCycle(b, messages, func() time.Duration {
					c := g.Open(nil)
					for range messages {
						c.Next()
					}
					return timed(func() {
						if c.Close() != messages {
							b.Fatal("not all returned")
						}
					})
				})
			})
		}
	}
}

// A queue grows to a million messages: the slowest single Add. Each is measured several times and its fastest time
// counts, so that what the machine does meanwhile does not, but what the structure does at that size does.
func BenchmarkGroupsSlowestAdd(b *testing.B) {
	for _, groups := range []int{1, 10_000, 1_000_000} {
		b.Run(fmt.Sprintf("%d groups", groups), func(b *testing.B) {
			const messages, rounds = 1_000_000, 3
			keys := groupNames(groups)
			c := newMapCycle()
			c.run(messages)
			cycle := float64(c.run(messages)) / messages
			slowest := time.Duration(0)
			for range b.N {
				times := make([]time.Duration, messages)
				for round := range rounds {
					g := NewAssigned(GroupOptions[uint64]{})
					for i := range times {
						start := time.Now()
						g.Add(uint64(i), keys[i%groups])
						if took := time.Since(start); round == 0 || took < times[i] {
							times[i] = took
						}
					}
				}
				slowest = max(slowest, slices.Max(times))
			}
			b.ReportMetric(float64(slowest)/cycle, "cycles")
			b.ReportMetric(float64(slowest.Microseconds()), "µs/slowest")
		})
	}
}

// A queue has few groups or many: to add a message, take it and settle it.
func BenchmarkGroupsByGroups(b *testing.B) {
	for _, s := range strategies {
		for _, groups := range []int{1e3, 1e4, 1e5, 1e6} {
			b.Run(fmt.Sprintf("%s/%d", s.name, groups), func(b *testing.B) {
				const turn = 10_000
				g := s.make(GroupOptions[uint64]{})
				keys := groupNames(groups)
				c := g.Open(nil)
				for i, k := range keys {
					g.Add(uint64(i), k)
				}
				sent := 0
				perCycle(b, turn, func() time.Duration {
					return timed(func() {
						for range turn {
							g.Add(0, keys[sent%groups])
							sent++
							_, r, _ := c.Next()
							g.Settle(r)
						}
					})
				})
			})
		}
	}
}

// The key of a group that is known is read from an encoded message with properties before the group-id.
func BenchmarkGroupsKey(b *testing.B) {
	const turn = 10_000
	_, encoded := typicalMessage(b, 256)
	var m RawMessage
	if err := m.Parse(encoded); err != nil {
		b.Fatal(err)
	}
	g := NewAssigned(GroupOptions[int]{})
	k, err := m.GroupKey(GroupIDHeader)
	if err != nil || k.IsZero() {
		b.Fatal(k, err)
	}
	g.Add(1, k)
	perCycle(b, turn, func() time.Duration {
		return timed(func() {
			for range turn {
				if _, err := g.Key(&m, GroupIDHeader); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
