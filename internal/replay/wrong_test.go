package replay

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-b113d664/amqpjms"
)

// These engines are amqpjms, except for one mistake each.

// keyed puts messages into other groups.
type keyed struct {
	*rules
	key func(*message) amqpjms.GroupKey
}

func (e keyed) add(m *message) { m.ref, _ = e.g.Add(m, e.key(m)) }

func textKey(text string) amqpjms.GroupKey {
	k, err := amqpjms.GroupKeyFrom(text)
	if err != nil {
		panic(err)
	}
	return k
}

// deaf ignores some calls.
type deaf struct {
	*rules
	to string
}

func (e deaf) close(c *consumer) {
	if e.to != "close" {
		e.rules.close(c)
	}
}

func (e deaf) settle(m *message) {
	if e.to != "settle" {
		e.rules.settle(m)
	}
}

func (e deaf) pend(m *message) {
	if e.to != "pend" {
		e.rules.pend(m)
	}
}

func (e deaf) refuse(m *message) {
	if e.to != "refuse" {
		e.rules.refuse(m)
		return
	}
	e.rules.release(m)
}

func (e deaf) peek(c *consumer) *message {
	if e.to == "peek" {
		return nil
	}
	return e.rules.peek(c)
}

// forgetful frees what it should hold on to.
type forgetful struct {
	*rules
	at string
}

func (e forgetful) remove(m *message) {
	e.rules.remove(m)
	if e.at == "remove" {
		e.rules.settle(m)
	}
}

func (e forgetful) detach(c *consumer) {
	if e.at == "detach" {
		for k := range c.c.Owned() {
			defer e.g.Unassign(k)
		}
	}
}

// toTheEnd returns messages to the end of the queue.
type toTheEnd struct{ *rules }

func (e toTheEnd) release(m *message) {
	e.rules.settle(m)
	e.rules.add(m)
}

// wrongEngines are the mistakes, with the strategies in which some recorded trace shows them.
var wrongEngines = []struct {
	name             string
	assigned, shared bool
	make             func(t *Trace, b *broker, shared bool) engine
}{
	{"the other strategy", true, true, func(_ *Trace, b *broker, shared bool) engine { return newRules(b, !shared) }},
	{"no groups", true, true, func(_ *Trace, b *broker, shared bool) engine {
		r := &rules{amqpjms.NewShared(amqpjms.GroupOptions[*message]{Compare: b.compare, Ungrouped: true})}
		return keyed{r, func(*message) amqpjms.GroupKey { return amqpjms.GroupKey{} }}
	}},
	{"one group", true, true, func(_ *Trace, b *broker, shared bool) engine {
		return keyed{newRules(b, shared), func(*message) amqpjms.GroupKey { return textKey("all") }}
	}},
	{"a group for each message", true, true, func(_ *Trace, b *broker, shared bool) engine {
		return keyed{newRules(b, shared), func(m *message) amqpjms.GroupKey { return textKey(fmt.Sprint(m.id())) }}
	}},
	{"groups by type and value", true, true, func(_ *Trace, b *broker, shared bool) engine {
		return keyed{newRules(b, shared), func(m *message) amqpjms.GroupKey {
			if m.value.v == nil {
				return m.key
			}
			return textKey(fmt.Sprint(javaObject(m.value)))
		}}
	}},
	{"FIFO whatever the order", true, true, func(_ *Trace, b *broker, shared bool) engine {
		o := amqpjms.GroupOptions[*message]{DefaultGroup: b.defaultGroup}
		if shared {
			return &rules{amqpjms.NewShared(o)}
		}
		return &rules{amqpjms.NewAssigned(o)}
	}},
	{"nothing for anyone", true, true, func(_ *Trace, b *broker, shared bool) engine { return deaf{newRules(b, shared), "peek"} }},
	{"deaf to close", true, true, func(_ *Trace, b *broker, shared bool) engine { return deaf{newRules(b, shared), "close"} }},
	{"deaf to settle", true, true, func(_ *Trace, b *broker, shared bool) engine { return deaf{newRules(b, shared), "settle"} }},
	{"deaf to pend", true, true, func(_ *Trace, b *broker, shared bool) engine { return deaf{newRules(b, shared), "pend"} }},
	{"deaf to refuse", true, true, func(_ *Trace, b *broker, shared bool) engine { return deaf{newRules(b, shared), "refuse"} }},
	{"a removal frees the group", false, true, func(_ *Trace, b *broker, shared bool) engine { return forgetful{newRules(b, shared), "remove"} }},
	{"a detached link loses its groups", true, false, func(_ *Trace, b *broker, shared bool) engine { return forgetful{newRules(b, shared), "detach"} }},
	{"released messages go to the end", true, true, func(_ *Trace, b *broker, shared bool) engine { return toTheEnd{newRules(b, shared)} }},
	{"as Broker-J", true, true, func(t *Trace, b *broker, shared bool) engine {
		var all habits
		for _, h := range allHabits {
			*h.has(&all) = true
		}
		return newBrokerJ(t, b, shared, all)
	}},
}

// A wrong engine fails on each trace that shows its mistake, even if the peer did the same, and known deviations of the
// peer explain nothing.
func TestWrongEngines(t *testing.T) {
	var traces []*Trace
	right := map[*Trace]Verdict{}
	for _, file := range traceFiles(t) {
		for _, tr := range readFile(t, file) {
			v, err := Judge(tr)
			if err != nil {
				t.Fatal(err)
			}
			traces, right[tr] = append(traces, tr), v
		}
	}
	for _, wrong := range wrongEngines {
		t.Run(wrong.name, func(t *testing.T) {
			caught := map[bool]int{}
			for _, tr := range traces {
				v, err := judge(tr, func(b *broker, shared bool) engine { return wrong.make(tr, b, shared) })
				if err != nil {
					t.Fatalf("%s: %v", tr.Name, err)
				}
				shows := false
				for i := range v.ours {
					shows = shows || !slices.Equal(lines(v.ours[i].ours), lines(right[tr].ours[i].ours))
				}
				switch {
				case shows && v.Passes():
					t.Errorf("%s passes: %s", tr.Name, v)
				case shows && (v.Wrong == "" || v.Explained || len(v.Slugs) > 0):
					t.Errorf("%s: wrong %q, explained %v by %q", tr.Name, v.Wrong, v.Explained, v.Slugs)
				case shows:
					caught[tr.shared()]++
				case v.String() != right[tr].String():
					t.Errorf("%s: %s, want %s", tr.Name, v, right[tr])
				}
			}
			t.Logf("caught by %d traces of assigned groups and %d of shared", caught[false], caught[true])
			if caught[false] > 0 != wrong.assigned || caught[true] > 0 != wrong.shared {
				t.Errorf("caught by %d traces of assigned groups and %d of shared, want some: %v, %v", caught[false], caught[true], wrong.assigned, wrong.shared)
			}
		})
	}
}

// The verdict names the first action that comes out wrong.
func TestVerdictString(t *testing.T) {
	traces := readFile(t, traceFiles(t)[0])
	tr := traces[slices.IndexFunc(traces, (*Trace).shared)]
	v, err := judge(tr, func(b *broker, shared bool) engine { return deaf{newRules(b, shared), "peek"} })
	if err != nil {
		t.Fatal(err)
	}
	first := slices.IndexFunc(v.ours, func(p played) bool {
		return slices.ContainsFunc(p.recorded, func(s step) bool { return s.Op == "delivered" })
	})
	want := fmt.Sprintf("WRONG: not what the rules give, from %q on", v.ours[first].action)
	if v.String() != want || v.Passes() {
		t.Errorf("%s, want %s", v, want)
	}
}
