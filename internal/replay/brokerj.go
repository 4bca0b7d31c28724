package replay

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

// habits are the ways in which Broker-J deviates from the rules. Zero habits follow the rules.
type habits struct {
	buckets        bool // assigned: a group is a bucket of hash codes
	javaEquality   bool // shared: group values are compared as Java objects
	overtakes      bool // a message that a consumer refuses is overtaken by later ones of its group
	removalFrees   bool // shared: a held message that leaves the queue no longer counts as held
	detachFrees    bool // assigned: a link that is detached loses its groups
	pendingFrees   bool // assigned: a consumer that goes away frees groups with a pending message
	pendingReturns bool // a pending message that was not settled returns when its consumer goes away
	rollbackKeeps  bool // a pending message that was not settled stays with its consumer at a rollback
	keyIsProperty  bool // every group header names an application property
}

// A habit is one of them, with the slug of the deviation that it causes.
type habit struct {
	slug string
	has  func(*habits) *bool
}

// allHabits are those of Broker-J, with the slugs of testdata/deviations.md.
var allHabits = []habit{
	{"group-buckets", func(h *habits) *bool { return &h.buckets }},
	{"group-equality", func(h *habits) *bool { return &h.javaEquality }},
	{"group-overtaken", func(h *habits) *bool { return &h.overtakes }},
	{"group-removal", func(h *habits) *bool { return &h.removalFrees }},
	{"group-detach", func(h *habits) *bool { return &h.detachFrees }},
	{"group-pending", func(h *habits) *bool { return &h.pendingFrees }},
	{"group-pending", func(h *habits) *bool { return &h.pendingReturns }},
	{"group-rollback", func(h *habits) *bool { return &h.rollbackKeeps }},
	{"group-header", func(h *habits) *bool { return &h.keyIsProperty }},
}

// brokerJ is an engine that walks the queue from its head for each message, with some habits of Broker-J. Without any it
// judges amqpjms by the rules. With some it explains recordings: a deviation is listed for a trace if what was recorded
// comes out with that habit and not without it.
type brokerJ struct {
	b       *broker
	shared  bool
	habits  habits
	buckets int32 // of hash codes; a power of two

	queue   []*message // in order; held messages stay in place
	held    map[*message]bool
	counted map[*message]bool // held messages that are counted in jGroup.held
	gone    map[*message]bool // held messages that left the queue
	refused map[*message][]*consumer
	groups  map[any]*jGroup
}

type jGroup struct {
	owner *consumer
	held  int
}

func newBrokerJ(t *Trace, b *broker, shared bool, h habits) *brokerJ {
	j := &brokerJ{
		b: b, shared: shared, habits: h, buckets: 1,
		held: map[*message]bool{}, counted: map[*message]bool{}, gone: map[*message]bool{},
		refused: map[*message][]*consumer{}, groups: map[any]*jGroup{},
	}
	most, err := strconv.Atoi(t.attribute("maximumDistinctGroups"))
	if err != nil {
		most = 255
	}
	for int(j.buckets) < most && j.buckets < 1<<30 {
		j.buckets *= 2
	}
	return j
}

// group returns the group of a message, nil if it has none.
func (j *brokerJ) group(m *message) *jGroup {
	v, key := m.value, any(m.key)
	if v.v == nil {
		if !j.shared {
			return nil
		}
		v = stringValue(cmp.Or(j.b.defaultGroup, amqpjms.DefaultGroup))
		key, _ = amqpjms.GroupKeyFrom(v.v)
	}
	switch {
	case j.shared && j.habits.javaEquality:
		key = javaObject(v)
	case !j.shared && j.habits.buckets:
		key = javaHash(v) & (j.buckets - 1)
	}
	if j.groups[key] == nil {
		j.groups[key] = &jGroup{}
	}
	return j.groups[key]
}

func (j *brokerJ) refuses(c *consumer, m *message) bool {
	return c.accept != nil && !c.accept(m) || slices.Contains(j.refused[m], c)
}

func (j *brokerJ) peek(c *consumer) *message {
	passed := map[*jGroup]bool{}
	for _, m := range j.queue {
		if j.held[m] {
			continue
		}
		g := j.group(m)
		refused := j.refuses(c, m)
		if !refused && (g == nil || !passed[g] && (g.owner == c || g.owner == nil && g.held == 0)) {
			return m
		}
		if g != nil && !(refused && j.habits.overtakes) {
			passed[g] = true
		}
	}
	return nil
}

func (j *brokerJ) take(c *consumer) {
	m := j.peek(c)
	j.held[m] = true
	if g := j.group(m); g != nil {
		g.owner = c
		g.held++
		j.counted[m] = true
	}
	j.dropRefusers()
}

// uncount takes a message off the count of held messages of its group.
func (j *brokerJ) uncount(m *message) {
	if g := j.group(m); j.counted[m] {
		delete(j.counted, m)
		if g.held--; g.held == 0 && j.shared {
			g.owner = nil
		}
	}
}

// dropRefusers takes groups from owners that hold nothing of them and refuse their first message.
func (j *brokerJ) dropRefusers() {
	if j.habits.overtakes {
		return
	}
	first := map[*jGroup]bool{}
	for _, m := range j.queue {
		g := j.group(m)
		if g == nil || j.held[m] || first[g] {
			continue
		}
		first[g] = true
		if g.held == 0 && g.owner != nil && j.refuses(g.owner, m) {
			g.owner = nil
		}
	}
}

// end ends the hold on a message.
func (j *brokerJ) end(m *message, back bool) {
	j.uncount(m)
	delete(j.held, m)
	if !back || j.gone[m] {
		j.queue = slices.DeleteFunc(j.queue, func(x *message) bool { return x == m })
	}
	j.dropRefusers()
}

func (j *brokerJ) add(m *message) {
	at := len(j.queue)
	for at > 0 && j.b.inOrder(m, j.queue[at-1]) {
		at--
	}
	j.queue = slices.Insert(j.queue, at, m)
	j.dropRefusers()
}

func (j *brokerJ) remove(m *message) {
	if !j.held[m] {
		j.end(m, false)
		return
	}
	j.gone[m] = true
	if j.shared && j.habits.removalFrees {
		j.uncount(m)
	}
}

func (j *brokerJ) close(c *consumer) {
	for _, m := range c.holds {
		if m.pending == nil {
			j.end(m, true)
		} else if !j.shared && j.habits.pendingFrees {
			j.uncount(m)
		}
	}
	for _, g := range j.groups {
		if g.owner == c {
			g.owner = nil // free, unless a message is pending
		}
	}
	j.dropRefusers()
}

func (j *brokerJ) detach(c *consumer) {
	if j.shared || !j.habits.detachFrees {
		return
	}
	for _, m := range c.holds {
		j.uncount(m)
	}
	for _, g := range j.groups {
		if g.owner == c {
			g.owner = nil
		}
	}
}

func (j *brokerJ) available() (all []*message) {
	for _, m := range j.queue {
		if !j.held[m] {
			all = append(all, m)
		}
	}
	return all
}

func (j *brokerJ) open(*consumer)     {}
func (j *brokerJ) pend(*message)      {} // the broker keeps track of it
func (j *brokerJ) settle(m *message)  { j.end(m, false) }
func (j *brokerJ) release(m *message) { j.end(m, true) }
func (j *brokerJ) refuse(m *message) {
	j.refused[m] = append(j.refused[m], m.holder)
	j.end(m, true)
}

// javaObject returns a comparable value. Two are equal if the Java objects for the values are.
func javaObject(v value) any {
	switch x := v.v.(type) {
	case []byte:
		return [2]string{v.Type, string(x)}
	case time.Time:
		return [2]any{v.Type, x.UnixMilli()}
	case float32:
		if x != x {
			return [2]any{v.Type, "NaN"}
		}
		return [2]any{v.Type, math.Float32bits(x)} // 0.0 is not -0.0
	case float64:
		if x != x {
			return [2]any{v.Type, "NaN"}
		}
		return [2]any{v.Type, math.Float64bits(x)}
	}
	return [2]any{v.Type, v.v}
}

// javaHash returns the hashCode of the Java object for a value.
func javaHash(v value) int32 {
	fold := func(n uint64) int32 { return int32(uint32(n ^ n>>32)) }
	text := func(units []uint16) (h int32) {
		for _, u := range units {
			h = 31*h + int32(u)
		}
		return h
	}
	switch x := v.v.(type) {
	case bool:
		if x {
			return 1231
		}
		return 1237
	case int8:
		return int32(x)
	case int16:
		return int32(x)
	case int32:
		return x
	case int64:
		return fold(uint64(x))
	case uint8:
		return int32(x)
	case uint16:
		return int32(x)
	case uint32:
		return int32(x)
	case uint64:
		return fold(x)
	case float32:
		if x != x {
			return 0x7fc00000
		}
		return int32(math.Float32bits(x))
	case float64:
		if x != x {
			return fold(0x7ff8000000000000)
		}
		return fold(math.Float64bits(x))
	case time.Time:
		return fold(uint64(x.UnixMilli()))
	case amqp.UUID:
		return fold(binary.BigEndian.Uint64(x[:8]) ^ binary.BigEndian.Uint64(x[8:]))
	case string:
		return text(utf16.Encode([]rune(x)))
	case amqp.Symbol:
		return text(utf16.Encode([]rune(string(x))))
	case []byte:
		var units []uint16
		for _, b := range x {
			units = append(units, uint16(b))
		}
		return text(units)
	}
	return 0
}
