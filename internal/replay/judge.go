package replay

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A Verdict is the result of replaying a trace.
type Verdict struct {
	t         *Trace
	ours      []played // in the strategy of the trace
	other     []played // in the other one
	Wrong     string   // the first action of which ours is not what the rules give, "" if there is none
	Same      bool     // ours is as recorded
	Explained bool     // ours is not as recorded, but not wrong, and known deviations of the peer give what was recorded
	Slugs     []string // the fewest such deviations
	habits    []int    // their indexes in allHabits
}

// Passes reports whether ours is what the rules give, and as recorded or explained.
func (v Verdict) Passes() bool { return v.Wrong == "" && (v.Same || v.Explained) }

// Judge replays a trace with amqpjms in both strategies, and compares the result with what was recorded and with what
// the rules give.
func Judge(t *Trace) (Verdict, error) {
	return judge(t, func(b *broker, shared bool) engine { return newRules(b, shared) })
}

// judge judges an engine, which newEngine makes for a strategy. The rules are those of the plain engine: a recording
// alone cannot tell whether the engine or the peer deviates from them.
func judge(t *Trace, newEngine func(b *broker, shared bool) engine) (v Verdict, err error) {
	v.t = t
	if !t.shared() && t.Strategy != "standard" {
		return v, fmt.Errorf("strategy %q is unknown", t.Strategy)
	}
	of := func(shared bool) func(*broker) engine {
		return func(b *broker) engine { return newEngine(b, shared) }
	}
	if v.ours, err = play(t, of(t.shared()), habits{}, true); err != nil {
		return v, err
	}
	if v.other, err = play(t, of(!t.shared()), habits{}, false); err != nil {
		return v, err
	}
	rules, err := play(t, plain(t, habits{}), habits{}, true)
	if err != nil {
		return v, err
	}
	for i, p := range v.ours {
		if !slices.Equal(lines(p.ours), lines(rules[i].ours)) {
			v.Wrong = p.action.String()
			break
		}
	}
	if v.Same = asRecorded(v.ours); !v.Same && v.Wrong == "" {
		v.habits, v.Explained = explain(t)
		for _, i := range v.habits {
			v.Slugs = append(v.Slugs, allHabits[i].slug)
		}
		v.Slugs = slices.Compact(v.Slugs)
	}
	return v, nil
}

// byRules makes the engine of amqpjms, in one strategy.
func byRules(shared bool) func(*broker) engine {
	return func(b *broker) engine { return newRules(b, shared) }
}

// plain makes the engine that walks the queue, with some habits of Broker-J, or by the rules alone without any.
func plain(t *Trace, h habits) func(*broker) engine {
	return func(b *broker) engine { return newBrokerJ(t, b, t.shared(), h) }
}

// String returns the verdict in one line.
func (v Verdict) String() string {
	switch {
	case v.Wrong != "":
		return fmt.Sprintf("WRONG: not what the rules give, from %q on", v.Wrong)
	case v.Same:
		return "as recorded"
	case v.Explained:
		return "deviates: " + strings.Join(v.Slugs, ", ")
	}
	return "DIFFERS"
}

// Table shows each action of a trace with what was recorded and what comes out in the two strategies. An exclamation
// mark precedes an action that came out otherwise than recorded. Statistics look like (2/1/1/0): messages in the queue,
// available, unacknowledged, and expired so far.
func (v Verdict) Table() string {
	assigned, shared := v.ours, v.other
	if v.t.shared() {
		assigned, shared = v.other, v.ours
	}
	rows := [][]string{{"", "recorded", "assigned", "shared"}}
	for i, p := range v.ours {
		mark := ""
		if !p.same() {
			mark = "! "
		}
		rows = append(rows, []string{mark + p.action.String(), summary(p.recorded), summary(assigned[i].ours), summary(shared[i].ours)})
	}
	return fmt.Sprintf("%s (%s)\n", v.t.Name, v.t.Source) + table(rows)
}

// Both shows what comes out of a trace's actions in both strategies.
func Both(t *Trace) (string, error) {
	rows := [][]string{{"", "assigned", "shared"}}
	assigned, err := play(t, byRules(false), habits{}, false)
	if err != nil {
		return "", err
	}
	shared, err := play(t, byRules(true), habits{}, false)
	if err != nil {
		return "", err
	}
	for i, p := range assigned {
		rows = append(rows, []string{p.action.String(), summary(p.ours), summary(shared[i].ours)})
	}
	return table(rows), nil
}

// table aligns the cells of rows.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], min(len(cell), 60))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// summary prints observations in one line.
func summary(observed []step) string {
	var parts []string
	for i, s := range observed {
		if s.Op == "delivered" && i > 0 && observed[i-1].Op == s.Op && observed[i-1].Consumer == s.Consumer {
			parts = append(parts, strings.TrimPrefix(s.String(), s.Consumer+" gets "))
			continue
		}
		if s.Op == "stats" {
			parts = append(parts, fmt.Sprintf("(%d/%d/%d/%d)", s.Depth, s.Available, s.Unacked, s.Expired))
			continue
		}
		parts = append(parts, s.String())
	}
	return strings.Join(parts, ", ")
}

// A played step is an action of a trace, with what was recorded after it and what came out.
type played struct {
	action   *step
	recorded []step
	stated   []step // what the trace says should come out instead; nil: what was recorded
	ours     []step
}

// play replays a trace on an engine. With follow, choices that the rules leave open are made as recorded; h are habits
// of the peer outside the engine.
func play(t *Trace, newEngine func(*broker) engine, h habits, follow bool) ([]played, error) {
	b, err := newBroker(t)
	if err != nil {
		return nil, err
	}
	b.peer = h
	b.engine = newEngine(b)
	var all []played
	for i := 0; i < len(t.Steps); {
		p := played{action: &t.Steps[i]}
		if p.action.observation() {
			return nil, fmt.Errorf("step %d: an observation before any action", i+1)
		}
		at := i + 1
		for i++; i < len(t.Steps) && t.Steps[i].observation(); i++ {
			switch s := t.Steps[i]; {
			case !s.ours:
				p.recorded = append(p.recorded, s)
			case s.Op == nothing:
				p.stated = []step{}
			default:
				p.stated = append(p.stated, s)
			}
		}
		if err := b.do(p.action); err != nil {
			return nil, fmt.Errorf("step %d: %s: %w", at, p.action, err)
		}
		p.ours = b.observe(p.action, p.recorded, follow)
		all = append(all, p)
	}
	return all, nil
}

// observe lets the broker deliver, and returns what can be seen then.
func (b *broker) observe(action *step, recorded []step, follow bool) []step {
	var want []step
	for _, s := range recorded {
		switch s.Op {
		case "delivered":
			if follow {
				want = append(want, s)
			}
		case "linkClosedByBroker":
			// The broker did so on its own; groups play no part.
			if c := b.byName[s.Consumer]; c != nil {
				b.close(c)
			}
		}
	}
	got := b.deliver(want)
	if action.Op == "drain" {
		c := b.byName[action.Consumer]
		c.credit = 0
		got = append(got, step{Op: "drained", Consumer: c.name})
	}
	quiet := action.Op == "declare" // the recorder did not wait for what a declare might cause
	if !quiet && len(b.waiting()) > 0 && !slices.ContainsFunc(got, func(s step) bool { return s.Op == "delivered" || s.Op == "drained" }) {
		got = append(got, step{Op: "idle"})
	}
	for _, s := range recorded {
		switch {
		case s.Op == "linkClosedByBroker", s.Op == "stats" && b.agrees(s):
			got = append(got, s)
		case s.Op == "stats":
			got = append(got, b.stats())
		}
	}
	return got
}

// lines prints observations, one a line, in an order that does not depend on when they were made.
func lines(observed []step) (all []string) {
	observed = slices.Clone(observed)
	slices.SortStableFunc(observed, func(x, y step) int {
		return cmp.Or(cmp.Compare(x.Op, y.Op), cmp.Compare(x.Consumer, y.Consumer))
	})
	for _, s := range observed {
		all = append(all, s.String())
	}
	return all
}

func (p *played) same() bool { return slices.Equal(lines(p.recorded), lines(p.ours)) }

// asRecorded reports whether all steps came out as recorded.
func asRecorded(all []played) bool {
	return !slices.ContainsFunc(all, func(p played) bool { return !p.same() })
}

// explain returns the fewest habits of Broker-J with which what was recorded comes out, and whether there are any.
func explain(t *Trace) (which []int, ok bool) {
	for n := range len(allHabits) + 1 {
		for set := range 1 << len(allHabits) {
			if bits.OnesCount(uint(set)) != n {
				continue
			}
			var h habits
			which = nil
			for i, habit := range allHabits {
				if set>>i&1 != 0 {
					*habit.has(&h) = true
					which = append(which, i)
				}
			}
			all, err := play(t, plain(t, h), h, true)
			if err == nil && asRecorded(all) {
				return which, true
			}
		}
	}
	return nil, false
}
