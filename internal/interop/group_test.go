//go:build interop

package interop

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

func groupFeatures() []feature {
	return []feature{
		{name: "groups: each to one consumer, in order", run: groupsKept},
		{name: "groups, assigned: as Groups says", run: func(t *testing.T, s *site) diff {
			return groups(t, s, "group.assigned.q", amqpjms.NewAssigned[string])
		}},
		{name: "groups, shared: as Groups says", run: func(t *testing.T, s *site) diff {
			return groups(t, s, "group.shared.q", amqpjms.NewShared[string])
		}},
	}
}

// groupsKept shows whether the messages of a group go to one of two consumers that have
// credit for all.
func groupsKept(t *testing.T, s *site) (d diff) {
	q := s.queue(t, "group.assigned.kept")
	var consumers []*receiver
	for range 2 {
		r, err := s.tryOpen(t, q, amqp.ReceiverOptions{Credit: 100})
		require.NoError(t, err)
		consumers = append(consumers, r)
	}
	const each = 4
	for n := range each {
		for _, group := range []string{"red", "blue", "green"} {
			m := text(fmt.Sprint(n))
			require.NoError(t, s.writer().SetGroup(m, amqpjms.Some(group), amqpjms.Opt[int32]{}))
			s.client.send(t, s.producer(q), m)
		}
	}
	got := map[string][]string{} // by group, each message with its consumer
	left := 3 * each
	for i, r := range consumers {
		for m := r.take(t, time.Second); m.Message != nil; m = r.take(t, time.Second/4) {
			r.accept(t, m)
			group := must(m.view.GroupID()).Or("")
			got[group] = append(got[group], fmt.Sprint(m.Value, " at ", i))
			left--
		}
	}
	require.Zero(t, left, "messages did not come")
	for _, group := range []string{"red", "blue", "green"} {
		_, first, _ := strings.Cut(got[group][0], " at ")
		for n, m := range got[group] {
			if m != fmt.Sprint(n, " at ", first) {
				d.note("%s is split", group)
				break
			}
		}
	}
	return d
}

// groups has a broker and a Groups spread the same messages over the same consumers: by
// a script in which no consumer has to wait, and where the broker answers drains also
// by chance.
func groups(t *testing.T, s *site, queue string, model func(amqpjms.GroupOptions[string]) *amqpjms.Groups[string]) diff {
	g := &grouping{
		t: t, s: s, q: s.queue(t, queue), groups: model(amqpjms.GroupOptions[string]{}), sent: map[string]int{},
		consumers: map[string]*grouped{},
	}
	g.script()
	if s.broker.drains {
		g.chance(rand.New(rand.NewPCG(3, 4)), 300)
	}
	return g.diff
}

// grouping is a queue at the broker and the same in a Groups. After the first
// difference nothing more is done.
type grouping struct {
	t         *testing.T
	s         *site
	q         node
	groups    *amqpjms.Groups[string]
	sent      map[string]int // by group
	consumers map[string]*grouped
	steps     int
	diff      diff
}

// grouped is a consumer at the broker and the same in a Groups.
type grouped struct {
	receiver *receiver
	consumer *amqpjms.GroupConsumer[string]
	held     map[string]received
	refs     map[string]amqpjms.Ref
}

// script is what the two strategies and a queue without groups do differently.
func (g *grouping) script() {
	for _, name := range []string{"a", "b"} {
		g.open(name)
	}
	for _, group := range []string{"red", "red", "red", "blue", "red", "blue"} {
		g.send(group)
	}
	g.pull("a")            // red 1
	g.pull("b")            // blue 1, for red is a's
	g.settle("a", "red 1") // frees red, where groups are shared
	g.pull("b")
	g.pull("a")
	g.release("a", "red 2") // if it has that; back to its place
	g.pull("a")
	g.close("a") // and its groups are free
	g.pull("b")
	g.pull("b")
	g.pull("b")
}

// chance takes steps by chance.
func (g *grouping) chance(r *rand.Rand, steps int) {
	names := []string{"a", "b", "c"}
	groups := []string{"red", "blue", "green", ""}
	for range steps {
		name := names[r.IntN(len(names))]
		c := g.consumers[name]
		var held []string
		if c != nil {
			for _, m := range c.consumer.Held() {
				held = append(held, m)
			}
		}
		switch n := r.IntN(20); {
		case n < 6:
			g.send(groups[r.IntN(len(groups))])
		case c == nil:
			g.open(name)
		case n < 13 || len(held) == 0:
			g.pull(name)
		case n < 16:
			g.settle(name, held[r.IntN(len(held))])
		case n < 19:
			g.release(name, held[r.IntN(len(held))])
		default:
			g.close(name)
		}
	}
}

// step counts steps, and says whether to take this one.
func (g *grouping) step() bool {
	g.steps++
	return g.diff == nil
}

// send sends the next message of a group, "" being none.
func (g *grouping) send(group string) {
	if !g.step() {
		return
	}
	g.sent[group]++
	name := fmt.Sprintf("%s %d", group, g.sent[group])
	m := text(name)
	if group != "" {
		require.NoError(g.t, g.s.writer().SetGroup(m, amqpjms.Some(group), amqpjms.Opt[int32]{}))
	}
	g.s.client.send(g.t, g.s.producer(g.q), m)
	key, err := amqpjms.GroupKeyOf(m, amqpjms.GroupIDHeader)
	require.NoError(g.t, err)
	g.groups.Add(name, key)
}

func (g *grouping) open(name string) {
	if !g.step() {
		return
	}
	r, err := g.s.tryOpen(g.t, g.q, amqp.ReceiverOptions{Credit: -1})
	require.NoError(g.t, err)
	g.consumers[name] = &grouped{
		receiver: r, consumer: g.groups.Open(nil), held: map[string]received{}, refs: map[string]amqpjms.Ref{},
	}
}

// pull gives a consumer credit for a message. Where the broker answers drains it is
// taken away again if there is none, so that no consumer waits: who of several would get
// the next message is the broker's choice.
func (g *grouping) pull(name string) {
	if !g.step() {
		return
	}
	c := g.consumers[name]
	got := "nothing"
	if m := c.receiver.pull(g.t, g.s.broker); m.Message != nil {
		got = m.Value.(string)
		c.held[got] = m
	}
	want, ref, ok := c.consumer.Next()
	if ok {
		c.refs[want] = ref
	} else {
		want = "nothing"
	}
	g.diff.want(fmt.Sprintf("what %s gets in step %d", name, g.steps), want, got)
}

// settle accepts a message that a consumer holds.
func (g *grouping) settle(name, message string) {
	if c, ref, ok := g.holder(name, message); ok {
		c.receiver.accept(g.t, c.held[message])
		require.True(g.t, g.groups.Settle(ref))
	}
}

// release gives a message back that a consumer holds.
func (g *grouping) release(name, message string) {
	if c, ref, ok := g.holder(name, message); ok {
		require.NoError(g.t, c.receiver.ReleaseMessage(g.t.Context(), c.held[message].Message))
		require.True(g.t, g.groups.Release(ref))
	}
}

func (g *grouping) holder(name, message string) (*grouped, amqpjms.Ref, bool) {
	c := g.consumers[name]
	ref, ok := c.refs[message]
	ok = g.step() && ok
	if ok {
		delete(c.refs, message)
	}
	return c, ref, ok
}

func (g *grouping) close(name string) {
	if !g.step() {
		return
	}
	require.NoError(g.t, g.consumers[name].receiver.Close(g.t.Context()))
	g.consumers[name].consumer.Close()
	delete(g.consumers, name)
}
