package amqpjms

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A mapCycle is the unit of these benchmarks: inserting, looking up and deleting one entry of a map[uint64]int32 with 100,000
// others, in the same run. Unlike times, the ratio to it is comparable between machines.
type mapCycle struct {
	m    map[uint64]int32
	next uint64
}

var theMapCycle = sync.OnceValue(func() *mapCycle {
	const entries = 100_000
	c := &mapCycle{m: make(map[uint64]int32, entries)}
	for range entries {
		c.m[c.key()] = 1
	}
	return c
})

func (c *mapCycle) key() uint64 { c.next++; return c.next * 0x9e3779b97f4a7c15 }

func (c *mapCycle) run(n int) {
	for range n {
		k := c.key()
		c.m[k] = int32(k)
		if c.m[k] != int32(k) {
			panic("the map lost an entry")
		}
		delete(c.m, k)
	}
}

// besideMapCycle measures turns of n operations, and map cycles. turn returns the time that its operations took.
func besideMapCycle(b *testing.B, op string, n int, turn func(b *testing.B) time.Duration) {
	turn(b)
	measureTurns(b, op, "amqpjms", n, turn)
	mapCycles(b, op)
}

func mapCycles(b *testing.B, op string) {
	const n = 10_000
	c := theMapCycle()
	measureTurns(b, op, "map-cycle", n, func(*testing.B) time.Duration { return timed(func() { c.run(n) }) })
}

// measureTurns reports the time of one of n operations, and the allocations of the whole turn divided by n.
func measureTurns(b *testing.B, op, lib string, n int, turn func(b *testing.B) time.Duration) {
	measure(b, op, lib, func(b *testing.B) {
		var took time.Duration
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for b.Loop() {
			took += turn(b)
		}
		runtime.ReadMemStats(&after)
		operations := float64(b.N) * float64(n)
		b.ReportMetric(float64(took)/operations, "ns/op")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/operations, "allocs/op")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/operations, "B/op")
	})
}

// timed returns the time that f takes.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

type newQueue = func(GroupOptions[uint64]) *Groups[uint64]

var strategies = []struct {
	name string
	make newQueue
}{{"assigned", NewAssigned[uint64]}, {"shared", NewShared[uint64]}}

// groupNames returns n group keys.
func groupNames(n int) []GroupKey {
	keys := make([]GroupKey, n)
	for i := range keys {
		keys[i] = GroupKey{kind: groupText, text: fmt.Sprintf("group-%07d", i)}
	}
	return keys
}

func BenchmarkGroups(b *testing.B) {
	for _, bench := range []struct {
		op  string
		run func(b *testing.B, op string, queue newQueue)
	}{
		{"next, behind n blocked messages", benchmarkBehindBlocked},
		{"first next, behind n blocked messages", benchmarkFirstBehindBlocked},
		{"next, past 100,000 refused groups", benchmarkPastRefused},
		{"first next, for each group refused", benchmarkFirstRefusal},
		{"add, next, settle, 10,000 groups in turn", benchmarkInTurn},
		{"add, next, settle, 10,000 groups at random", benchmarkAtRandom},
		{"add, next, settle, n groups", benchmarkByGroups},
		{"add, next, settle, n messages", benchmarkByMessages},
		{"close, for each message, 1 group", benchmarkClose(1)},
		{"close, for each message, 1000 groups", benchmarkClose(1000)},
		{"close, for each message, 100,000 groups", benchmarkClose(100_000)},
	} {
		for _, s := range strategies {
			bench.run(b, bench.op+"/"+s.name, s.make)
		}
	}
	benchmarkSlowestAdd(b)
	benchmarkKey(b)
}

// A consumer takes messages behind many that belong to another one, which takes none.
func benchmarkBehindBlocked(b *testing.B, op string, queue newQueue) {
	const turn = 1000
	for _, blocked := range []int{1e3, 1e4, 1e5, 1e6} {
		g, mine := blockedQueue(queue, blocked, 100)
		c := g.Open(nil)
		var refs [turn]Ref
		besideMapCycle(b, fmt.Sprintf("%s/n=%d", op, blocked), turn, func(b *testing.B) time.Duration {
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
	}
}

// The same, where each message is the first of its consumer.
func benchmarkFirstBehindBlocked(b *testing.B, op string, queue newQueue) {
	const turn = 1000
	for _, blocked := range []int{1e3, 1e4, 1e5, 1e6} {
		g, mine := blockedQueue(queue, blocked, turn)
		for i, k := range mine {
			g.Add(uint64(i), k)
		}
		var consumers [turn]*GroupConsumer[uint64]
		besideMapCycle(b, fmt.Sprintf("%s/n=%d", op, blocked), turn, func(b *testing.B) time.Duration {
			for i := range consumers {
				consumers[i] = g.Open(nil)
			}
			took := timed(func() {
				for _, c := range consumers {
					c.Next()
				}
			})
			for _, c := range consumers {
				if c.Close() != 1 {
					b.Fatal("not given")
				}
			}
			return took
		})
	}
}

// blockedQueue returns a queue that begins with messages of 100 groups that another consumer owns, and n groups without an
// owner.
func blockedQueue(queue newQueue, blocked, n int) (*Groups[uint64], []GroupKey) {
	const theirs = 100
	g := queue(GroupOptions[uint64]{})
	other := g.Open(nil)
	keys := groupNames(theirs + n)
	for _, k := range keys[:theirs] {
		g.Add(0, k)
		other.Next()
	}
	for i := range blocked {
		g.Add(uint64(i), keys[i%theirs])
	}
	return g, keys[theirs:]
}

// A consumer whose selector refuses the first messages of 100,000 groups takes the one that it accepts, again and again.
// Each time another consumer takes and releases a message that it refuses.
func benchmarkPastRefused(b *testing.B, op string, queue newQueue) {
	const groups, turn = 100_000, 1000
	g := queue(GroupOptions[uint64]{})
	c, other := g.Open(func(m uint64) bool { return m == 1 }), g.Open(nil)
	for _, k := range groupNames(groups) {
		g.Add(0, k)
	}
	mine := groupNames(groups + 1)[groups]
	c.Next()
	besideMapCycle(b, op, turn, func(b *testing.B) (took time.Duration) {
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
}

// A new consumer, whose selector refuses the first messages of 100,000 groups, calls Next.
func benchmarkFirstRefusal(b *testing.B, op string, queue newQueue) {
	const groups = 100_000
	g := queue(GroupOptions[uint64]{})
	for _, k := range groupNames(groups) {
		g.Add(0, k)
	}
	besideMapCycle(b, op, groups, func(b *testing.B) time.Duration {
		asked := 0
		c := g.Open(func(uint64) bool { asked++; return false })
		took := timed(func() { c.Next() })
		c.Close()
		if asked != groups {
			b.Fatalf("asked about %d messages", asked)
		}
		return took
	})
}

// Messages go through a queue with 10,000 groups and 100,000 waiting messages to eight consumers. The text of each key is a
// fresh copy, as if read from a message that just came in.
func benchmarkInTurn(b *testing.B, op string, queue newQueue) {
	benchmarkThrough(b, op, queue, func(sent, groups int) int { return sent % groups })
}

func benchmarkAtRandom(b *testing.B, op string, queue newQueue) {
	rnd := rand.New(rand.NewPCG(1, 2))
	benchmarkThrough(b, op, queue, func(_, groups int) int { return rnd.IntN(groups) })
}

func benchmarkThrough(b *testing.B, op string, queue newQueue, group func(sent, groups int) int) {
	const groups, messages, turn = 10_000, 100_000, 2000
	g := queue(GroupOptions[uint64]{})
	keys := groupNames(groups)
	sent := 0
	next := func() GroupKey {
		sent++
		return keys[group(sent, groups)]
	}
	var consumers [8]*GroupConsumer[uint64]
	for i := range consumers {
		consumers[i] = g.Open(nil)
	}
	for i := range messages {
		g.Add(uint64(i), next())
	}
	var read [turn]GroupKey
	through := func(b *testing.B) time.Duration {
		var texts strings.Builder
		texts.Grow(turn * len(keys[0].text))
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
		through(b)
	}
	besideMapCycle(b, op, turn, through)
}

// A queue with few groups or many, of one message each.
func benchmarkByGroups(b *testing.B, op string, queue newQueue) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		benchmarkWaiting(b, op, queue, n, n)
	}
}

// A queue with few messages or many, in 1000 groups.
func benchmarkByMessages(b *testing.B, op string, queue newQueue) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		benchmarkWaiting(b, op, queue, n, 1000)
	}
}

func benchmarkWaiting(b *testing.B, op string, queue newQueue, n, groups int) {
	const turn = 10_000
	g := queue(GroupOptions[uint64]{})
	keys := groupNames(groups)
	c := g.Open(nil)
	for i := range n {
		g.Add(uint64(i), keys[i%groups])
	}
	sent := 0
	besideMapCycle(b, fmt.Sprintf("%s/n=%d", op, n), turn, func(b *testing.B) time.Duration {
		return timed(func() {
			for range turn {
				g.Add(0, keys[sent%groups])
				sent++
				if _, r, _ := c.Next(); !g.Settle(r) {
					b.Fatal("not given")
				}
			}
		})
	})
}

// A consumer that holds 100,000 messages goes away.
func benchmarkClose(groups int) func(*testing.B, string, newQueue) {
	return func(b *testing.B, op string, queue newQueue) {
		const messages = 100_000
		g := queue(GroupOptions[uint64]{})
		keys := groupNames(groups)
		for i := range messages {
			g.Add(uint64(i), keys[i%groups])
		}
		besideMapCycle(b, op, messages, func(b *testing.B) time.Duration {
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
	}
}

// The slowest single Add while a queue grows to a million messages. The fastest of several runs counts for each Add: that
// leaves out what else the machine does, and keeps what the structure does at that size.
func benchmarkSlowestAdd(b *testing.B) {
	const messages, rounds = 1_000_000, 3
	times := make([]time.Duration, messages)
	for _, row := range []struct {
		name   string
		groups int
	}{{"1 group", 1}, {"10,000 groups", 10_000}, {"1,000,000 groups", messages}} {
		keys := groupNames(row.groups)
		op := "the slowest of 1,000,000 adds/" + row.name
		b.Run(op+"/lib=amqpjms", func(b *testing.B) {
			slowest := time.Duration(0)
			for b.Loop() {
				for round := range rounds {
					g := NewAssigned(GroupOptions[uint64]{})
					for i := range times {
						start := time.Now()
						g.Add(uint64(i), keys[i%len(keys)])
						if took := time.Since(start); round == 0 || took < times[i] {
							times[i] = took
						}
					}
				}
				slowest = max(slowest, slices.Max(times))
			}
			b.ReportMetric(float64(slowest), "ns/op")
		})
		mapCycles(b, op)
	}
}

// The key of a known group is read from an encoded message with properties before the group-id.
func benchmarkKey(b *testing.B) {
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
	besideMapCycle(b, "Key of a known group", turn, func(b *testing.B) time.Duration {
		return timed(func() {
			for range turn {
				if _, err := g.Key(&m, GroupIDHeader); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
