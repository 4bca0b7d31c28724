package amqpjms

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// item is what the tests below put into queues.
type item struct {
	id, rank, colour int
}

// naive is what Groups is compared with: the queue is a slice, walked from the front,
// and every rule is looked up by walking it again.
type naive struct {
	shared       bool
	compare      func(a, b item) int
	idleLimit    int
	defaultGroup GroupKey

	queue  []*naiveItem // in queue order; what is held stands at its place
	groups map[GroupKey]*naiveGroup
	idle   []GroupKey // the longest idle first
}

type naiveItem struct {
	item
	key                 GroupKey
	held, pending, gone bool
	holder              *naiveConsumer
}

type naiveGroup struct {
	owner, heir       *naiveConsumer
	givenUp, promised bool
}

type naiveConsumer struct {
	takes   func(item) bool
	refused map[*naiveItem]bool
	held    []*naiveItem
	closed  bool
}

func (c *naiveConsumer) accepts(m *naiveItem) bool { return !c.refused[m] && c.takes(m.item) }

// state returns the first waiting message of a group and how many wait and are held.
func (q *naive) state(k GroupKey) (first *naiveItem, waiting, held int) {
	for _, m := range q.queue {
		switch {
		case m.key != k:
		case m.held:
			held++
		default:
			if first == nil {
				first = m
			}
			waiting++
		}
	}
	return first, waiting, held
}

// mayHave reports whether c may have a message that waits and is the first of its group.
func (q *naive) mayHave(c *naiveConsumer, m *naiveItem) bool {
	if m.key.IsZero() {
		return c.accepts(m)
	}
	_, _, held := q.state(m.key)
	switch g := q.groups[m.key]; g.owner {
	case nil:
		return held == 0 && c.accepts(m)
	case c:
		return !g.givenUp && c.accepts(m)
	}
	return false
}

func (q *naive) next(c *naiveConsumer) *naiveItem {
	passed := map[GroupKey]bool{}
	for _, m := range q.queue {
		if c.closed || m.held || passed[m.key] {
			continue
		}
		if q.mayHave(c, m) {
			return m
		}
		passed[m.key] = !m.key.IsZero()
	}
	return nil
}

// rules applies the rules of ownership, by state, to all groups.
func (q *naive) rules() {
	for k, g := range q.groups {
		first, _, held := q.state(k)
		if held == 0 && g.givenUp {
			g.owner, g.heir, g.givenUp, g.promised = g.heir, nil, false, true
		}
		if held == 0 && g.owner != nil {
			lost := first != nil && !g.owner.accepts(first)
			if q.shared && (first == nil || !g.promised) {
				lost = true
			}
			if lost {
				g.owner = nil
			}
		}
		if at := slices.Index(q.idle, k); first == nil && held == 0 && g.owner != nil {
			if at < 0 {
				q.idle = append(q.idle, k)
			}
		} else if at >= 0 {
			q.idle = slices.Delete(q.idle, at, at+1)
		}
		if first == nil && held == 0 && g.owner == nil {
			delete(q.groups, k)
		}
	}
	for q.idleLimit > 0 && len(q.idle) > q.idleLimit {
		delete(q.groups, q.idle[0])
		q.idle = q.idle[1:]
	}
}

func (q *naive) add(v item, k GroupKey) *naiveItem {
	if k.IsZero() {
		k = q.defaultGroup
	}
	m := &naiveItem{item: v, key: k}
	at := len(q.queue)
	for q.compare != nil && at > 0 && q.compare(v, q.queue[at-1].item) < 0 {
		at--
	}
	q.queue = slices.Insert(q.queue, at, m)
	if !k.IsZero() && q.groups[k] == nil {
		q.groups[k] = &naiveGroup{}
	}
	q.rules()
	return m
}

func (q *naive) take(c *naiveConsumer) *naiveItem {
	m := q.next(c)
	if m == nil {
		return nil
	}
	m.held, m.holder = true, c
	c.held = append(c.held, m)
	if g := q.groups[m.key]; g != nil {
		g.owner, g.promised = c, false
	}
	q.rules()
	return m
}

// end ends the holding of a message; it goes back to its place if it is to and still in the queue.
func (q *naive) end(m *naiveItem, back, refused bool) bool {
	if m == nil || !m.held {
		return false
	}
	if c := m.holder; c != nil {
		c.held = slices.DeleteFunc(c.held, func(h *naiveItem) bool { return h == m })
		if refused {
			c.refused[m] = true
		}
	}
	m.held, m.pending, m.holder = false, false, nil
	if !back || m.gone {
		q.queue = slices.DeleteFunc(q.queue, func(h *naiveItem) bool { return h == m })
	}
	q.rules()
	return true
}

func (q *naive) remove(m *naiveItem) bool {
	if m == nil || m.gone || !slices.Contains(q.queue, m) {
		return false
	}
	m.gone = true
	if !m.held {
		q.queue = slices.DeleteFunc(q.queue, func(h *naiveItem) bool { return h == m })
	}
	q.rules()
	return true
}

func (q *naive) close(c *naiveConsumer) (returned int) {
	c.closed = true
	for _, m := range c.held {
		if m.holder = nil; m.pending {
			continue
		}
		if m.held = false; m.gone {
			q.queue = slices.DeleteFunc(q.queue, func(h *naiveItem) bool { return h == m })
		} else {
			returned++
		}
	}
	c.held = nil
	for _, g := range q.groups {
		if g.owner == c {
			g.owner = nil
		}
		if g.heir == c {
			g.heir = nil
		}
	}
	q.rules()
	return returned
}

func (q *naive) assign(k GroupKey, c *naiveConsumer) bool {
	if k.IsZero() {
		k = q.defaultGroup
	}
	if c.closed || k.IsZero() || q.shared && q.groups[k] == nil {
		return false
	}
	if q.groups[k] == nil {
		q.groups[k] = &naiveGroup{}
	}
	g := q.groups[k]
	if g.givenUp, g.heir = g.owner != c, nil; g.givenUp {
		g.heir = c
	}
	q.rules()
	return q.groups[k] != nil && (g.owner == c || g.heir == c)
}

func (q *naive) unassign(k GroupKey) bool {
	if k.IsZero() {
		k = q.defaultGroup
	}
	g := q.groups[k]
	if g == nil || g.heir == nil && (g.owner == nil || g.givenUp) {
		return false
	}
	g.givenUp, g.heir = true, nil
	q.rules()
	return true
}

// beside runs Groups and naive side by side under operations that it reads from bytes, and
// compares all that can be seen of them after each.
type beside struct {
	t *testing.T
	g *Groups[item]
	n *naive

	consumers []besideConsumer
	refs      []Ref // of all messages ever added; message i has id i
	items     []*naiveItem
	keys      []GroupKey
	log       []string
}

type besideConsumer struct {
	c     *Consumer[item]
	n     *naiveConsumer
	asked map[int]int // how often Groups asked about a message
}

// besideGroups are the groups of the operations; the first is none. Some queues have more.
var besideGroups = []any{nil, "A", "B", int64(7), "", "qpid.no-group"}

func runBeside(t *testing.T, data []byte) {
	next := func() (b byte) {
		if len(data) > 0 {
			b, data = data[0], data[1:]
		}
		return b
	}
	b := &beside{t: t, n: &naive{groups: map[GroupKey]*naiveGroup{}}}
	choice := next()
	groups := besideGroups
	if choice&32 != 0 {
		for i := range 300 {
			groups = append(groups[:len(groups):len(groups)], i+10)
		}
	}
	for _, v := range groups {
		k, err := GroupKeyFrom(v)
		if err != nil {
			t.Fatal(err)
		}
		b.keys = append(b.keys, k)
	}
	var o GroupOptions[item]
	if choice&1 != 0 {
		o.Compare = func(a, b item) int { return cmp.Compare(b.rank, a.rank) }
	}
	o.IdleLimit = int(choice >> 1 & 3)
	o.Ungrouped = choice&8 != 0
	b.n.compare = o.Compare
	if choice&16 != 0 {
		b.g, b.n.shared = NewShared(o), true
		if !o.Ungrouped {
			b.n.defaultGroup, _ = GroupKeyFrom("qpid.no-group")
		}
	} else {
		b.g, b.n.idleLimit = NewAssigned(o), o.IdleLimit
	}
	for i := 0; len(data) > 0; i++ {
		op, arg := next(), int(next())
		if choice&32 != 0 {
			arg |= int(next()) << 8
		}
		b.step(op, arg)
		// To look at a queue must not change it, so some are not looked at each time; nor are big ones.
		if choice&64 != 0 && i%64 != 0 && len(data) > 0 {
			continue
		}
		b.check()
		if t.Failed() {
			for _, line := range b.log {
				t.Log(line)
			}
			t.FailNow()
		}
	}
}

// step does one operation on both and compares what it returns.
func (b *beside) step(op byte, arg int) {
	log := func(format string, args ...any) { b.log = append(b.log, fmt.Sprintf(format, args...)) }
	same := func(what string, got, want any) {
		b.t.Helper()
		if got != want {
			b.t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	key := b.keys[arg%len(b.keys)]
	var c besideConsumer
	if len(b.consumers) > 0 {
		c = b.consumers[arg%len(b.consumers)]
	}
	// A message that was added some time, more often a young or a held one.
	var r Ref
	var m *naiveItem
	if len(b.refs) > 0 {
		i := len(b.refs) - 1 - arg%len(b.refs)
		if held := b.heldIDs(); op&128 != 0 && len(held) > 0 {
			i = held[arg%len(held)]
		}
		r, m = b.refs[i], b.items[i]
	}
	switch op & 127 % 20 {
	default: // 0 to 4
		v := item{id: len(b.refs), rank: arg / 8 % 4, colour: arg / 32 % 3}
		log("%d: add rank %d colour %d group %v", v.id, v.rank, v.colour, key)
		r, owner := b.g.Add(v, key)
		b.refs = append(b.refs, r)
		b.items = append(b.items, b.n.add(v, key))
		want := (*naiveConsumer)(nil)
		if g := b.n.groups[b.items[v.id].key]; g != nil {
			want = g.owner
		}
		same("owner of added", b.naiveOf(owner), want)
	case 5, 6, 7, 8, 9:
		if c.c == nil {
			return
		}
		log("next of consumer %d", arg%len(b.consumers))
		v, r, ok := c.c.Next()
		n := b.n.take(c.n)
		same("next: found", ok, n != nil)
		if ok && n != nil {
			same("next", v, n.item)
			same("next: ref", r, b.refs[v.id])
		}
	case 10, 11:
		log("%d: settle", b.id(m))
		same("settle", b.g.Settle(r), b.n.end(m, false, false))
	case 12:
		log("%d: release", b.id(m))
		same("release", b.g.Release(r), b.n.end(m, true, false))
	case 13:
		log("%d: refuse", b.id(m))
		same("refuse", b.g.Refuse(r), b.n.end(m, true, true))
	case 14:
		log("%d: pend", b.id(m))
		can := m != nil && m.held && !m.pending
		same("pend", b.g.Pend(r), can)
		if can {
			m.pending = true
		}
	case 15:
		log("%d: remove", b.id(m))
		holder := (*naiveConsumer)(nil)
		if m != nil {
			holder = m.holder
		}
		v, got, ok := b.g.Remove(r)
		same("remove", ok, b.n.remove(m))
		if ok {
			same("removed", v, m.item)
			same("holder of removed", b.naiveOf(got), holder)
		}
	case 16, 17:
		n := &naiveConsumer{refused: map[*naiveItem]bool{}, takes: func(item) bool { return true }}
		asked := map[int]int{}
		var accept func(item) bool
		if mask := arg % 8; mask != 7 { // which colours it takes
			n.takes = func(v item) bool { return mask>>v.colour&1 != 0 }
			accept = func(v item) bool { asked[v.id]++; return n.takes(v) }
		}
		log("consumer %d: open, colours %03b", len(b.consumers), arg%8)
		b.consumers = append(b.consumers, besideConsumer{b.g.Open(accept), n, asked})
	case 18:
		if c.c == nil {
			return
		}
		log("close consumer %d", arg%len(b.consumers))
		same("close", c.c.Close(), b.n.close(c.n))
	case 19:
		if arg >= 128 && c.c != nil {
			key = b.keys[arg/16%len(b.keys)]
			log("assign %v to consumer %d", key, arg%len(b.consumers))
			same("assign", b.g.Assign(key, c.c), b.n.assign(key, c.n))
		} else {
			log("unassign %v", key)
			same("unassign", b.g.Unassign(key), b.n.unassign(key))
		}
	}
}

func (b *beside) id(m *naiveItem) int {
	if m == nil {
		return -1
	}
	return m.id
}

func (b *beside) heldIDs() (ids []int) {
	for _, m := range b.n.queue {
		if m.held {
			ids = append(ids, m.id)
		}
	}
	return ids
}

// naiveOf returns naive's side of a consumer.
func (b *beside) naiveOf(c *Consumer[item]) *naiveConsumer {
	for _, both := range b.consumers {
		if c != nil && both.c == c {
			return both.n
		}
	}
	return nil
}

// check compares what both show, and what must be true of any queue.
func (b *beside) check() {
	t := b.t
	t.Helper()

	// Browsers, counts.
	var got, want []int
	heldCount := 0
	for r, v := range b.g.All() {
		got = append(got, v.id)
		if r != b.refs[v.id] {
			t.Errorf("ref of %d while iterating: %v, want %v", v.id, r, b.refs[v.id])
		}
	}
	for _, m := range b.n.queue {
		if m.held {
			heldCount++
		} else {
			want = append(want, m.id)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("all that wait: %v, want %v", got, want)
	}
	wantCounts := GroupCounts{Waiting: len(want), Held: heldCount, Groups: len(b.n.groups), Idle: len(b.n.idle)}
	if got := b.g.Counts(); got != wantCounts {
		t.Errorf("counts %+v, want %+v", got, wantCounts)
	}

	// Groups.
	seen := map[GroupKey]bool{}
	for s := range b.g.ByGroup() {
		g := b.n.groups[s.Key]
		if g == nil || seen[s.Key] {
			t.Errorf("group %v is not there, or twice", s.Key)
			return
		}
		seen[s.Key] = true
		first, waiting, held := b.n.state(s.Key)
		oldest := Ref{}
		if first != nil {
			oldest = b.refs[first.id]
		}
		if s.Waiting != waiting || s.Held != held || s.Oldest != oldest || s.GivenUp != g.givenUp ||
			b.naiveOf(s.Owner) != g.owner || b.naiveOf(s.Heir) != g.heir {
			t.Errorf("group %+v, want %d waiting, %d held, oldest %v, %+v", s, waiting, held, oldest, *g)
		}
	}
	if len(seen) != len(b.n.groups) {
		t.Errorf("%d groups, want %d", len(seen), len(b.n.groups))
	}

	// Consumers.
	holders := map[GroupKey]*Consumer[item]{}
	holds := map[int]bool{}
	for i, c := range b.consumers {
		if got, want := c.c.Ready(), b.n.next(c.n) != nil; got != want {
			t.Errorf("consumer %d ready: %v, want %v", i, got, want)
		}
		got, want := []int(nil), []int(nil)
		for r, v := range c.c.Held() {
			got = append(got, v.id)
			m := b.items[v.id]
			if v2, holder, ok := b.g.Get(r); !ok || v2 != v || holder != c.c {
				t.Errorf("get %d: %v, %v", v.id, v2, ok)
			}
			if holds[v.id] {
				t.Errorf("%d is held twice", v.id)
			}
			holds[v.id] = true
			if h := holders[m.key]; !m.key.IsZero() && h != nil && h != c.c {
				t.Errorf("two consumers hold messages of group %v", m.key)
			}
			holders[m.key] = c.c
		}
		for _, m := range c.n.held {
			want = append(want, m.id)
		}
		if !slices.Equal(got, want) {
			t.Errorf("consumer %d holds %v, want %v", i, got, want)
		}
		owned := map[GroupKey]bool{}
		for k := range c.c.Owned() {
			owned[k] = true
			if b.g.Owner(k) != c.c {
				t.Errorf("owner of %v is not consumer %d", k, i)
			}
		}
		wantOwned := map[GroupKey]bool{}
		for k, g := range b.n.groups {
			if g.owner == c.n {
				wantOwned[k] = true
			}
		}
		if !maps.Equal(owned, wantOwned) {
			t.Errorf("consumer %d owns %v, want %v", i, owned, wantOwned)
		}
		for id, n := range c.asked {
			if n > 1 {
				t.Errorf("consumer %d was asked %d times about %d", i, n, id)
			}
		}
	}
}

// TestGroupsBesideNaive runs long random sequences of all operations.
func TestGroupsBesideNaive(t *testing.T) {
	for seed := range uint64(400) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			data := make([]byte, 2*rnd.IntN(400)+1)
			for i := range data {
				data[i] = byte(rnd.Uint32())
			}
			data[0] = byte(seed) // every choice of options
			runBeside(t, data)
		})
	}
}

// TestBigGroupsBesideNaive lets queues and their groups become many and few again.
func TestBigGroupsBesideNaive(t *testing.T) {
	for seed := range uint64(32) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 3))
			data := []byte{byte(seed) | 32 | 64}
			op := func(ops ...byte) {
				data = append(data, ops[rnd.IntN(len(ops))], byte(rnd.Uint32()), byte(rnd.Uint32()))
			}
			for range 3 { // consumers
				op(16)
			}
			for range 800 { // mostly adds
				op(0, 0, 0, 0, 5, 10, 12, 15)
			}
			for range 200 {
				op(0, 1, 2, 3, 5, 6, 7, 10, 128+12, 128+13, 128+14, 15, 16, 18, 19)
			}
			for range 2000 { // mostly takes and settles
				op(5, 5, 5, 128+10, 128+10, 128+10, 128+11, 12, 15, 15, 15, 15, 15, 16, 19)
			}
			runBeside(t, data)
		})
	}
}

func FuzzGroupsBesideNaive(f *testing.F) {
	for seed := range uint64(32) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		data[0] = byte(seed)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		runBeside(t, data[:min(len(data), 1000)])
	})
}
