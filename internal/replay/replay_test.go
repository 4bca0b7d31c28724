package replay

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// traceFiles are the files of traces recorded from Broker-J 9.2.1.
func traceFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/broker-j-groups/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	return files
}

func readFile(t *testing.T, name string) []*Trace {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	traces, err := Read(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return traces
}

// TestTraces replays what was recorded from Broker-J. Each step must come out as recorded, or, where the trace says
// what is ours instead (=>), as that; what is said to be ours must differ from what was recorded, and the deviations
// that are named must be what it takes to get what was recorded.
func TestTraces(t *testing.T) {
	const wantTraces = 255
	names := map[string]bool{}
	used := map[string]bool{}
	for _, file := range traceFiles(t) {
		for _, tr := range readFile(t, file) {
			if names[tr.Name] {
				t.Errorf("%s: there are two of it", tr.Name)
			}
			names[tr.Name] = true
			t.Run(tr.Name, func(t *testing.T) {
				v, err := Judge(tr)
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range v.ours {
					want := p.recorded
					if p.stated != nil {
						want = p.stated
						if slices.Equal(lines(want), lines(p.recorded)) {
							t.Errorf("step %d, %s: ours is what was recorded: %q", i, p.action, lines(want))
						}
					}
					if got := lines(p.ours); !slices.Equal(got, lines(want)) {
						t.Errorf("step %d, %s: %q, want %q", i, p.action, got, lines(want))
					}
				}
				if !slices.Equal(v.Slugs, tr.deviations) || !v.Same && !v.Explained {
					t.Errorf("deviations %q, the trace names %q", v.Slugs, tr.deviations)
				}
				for _, slug := range v.Slugs {
					used[slug] = true
				}
			})
		}
	}
	if len(names) != wantTraces {
		t.Errorf("%d traces, want %d", len(names), wantTraces)
	}
	for _, h := range allHabits {
		if !used[h.slug] {
			t.Errorf("no trace shows deviation %s", h.slug)
		}
	}
}

// TestRulesBesideWalk replays the actions of each trace, in both strategies, with amqpjms and with an engine that
// walks the queue and has no habits of Broker-J.
func TestRulesBesideWalk(t *testing.T) {
	for _, file := range traceFiles(t) {
		for _, tr := range readFile(t, file) {
			for _, shared := range []bool{false, true} {
				rules, err := play(tr, func(b *broker) engine { return newRules(b, shared) }, habits{}, false)
				if err != nil {
					t.Fatalf("%s: %v", tr.Name, err)
				}
				walk, err := play(tr, func(b *broker) engine { return newBrokerJ(tr, b, shared, habits{}) }, habits{}, false)
				if err != nil {
					t.Fatalf("%s: %v", tr.Name, err)
				}
				for i := range rules {
					if got, want := lines(rules[i].ours), lines(walk[i].ours); !slices.Equal(got, want) {
						t.Errorf("%s, shared %v, step %d, %s: %q, want %q", tr.Name, shared, i, rules[i].action, got, want)
						break
					}
				}
			}
		}
	}
}

// TestStepString reads what steps are written as.
func TestStepString(t *testing.T) {
	for _, file := range traceFiles(t) {
		for _, tr := range readFile(t, file) {
			for _, s := range tr.Steps {
				line := s.String()
				if s.observation() {
					line = map[bool]string{false: "-> ", true: "=> "}[s.ours] + line
				}
				back, err := parseStep(line)
				if err != nil {
					t.Errorf("%s: %v", tr.Name, err)
				}
				if back.String() != s.String() || !strings.Contains(line, "NaN") && !reflect.DeepEqual(back, s) {
					t.Errorf("%s: %s is read as %s", tr.Name, line, &back)
				}
			}
		}
	}
}

func TestSelector(t *testing.T) {
	group := "G"
	m := &message{priority: 7, sent: &step{Group: &group, Props: map[string]value{
		"color": {"string", "red"}, "n": {"int", int32(5)}, "f": {"double", 1.5}, "b": {"boolean", true}, "it": {"string", "it's"},
	}}}
	for _, test := range []struct {
		selector string
		want     truth
	}{
		{"color = 'red'", yes},
		{"color = 'blue'", no},
		{"color <> 'blue'", yes},
		{"colour = 'red'", unknown},
		{"NOT colour = 'red'", unknown},
		{"colour IS NULL", yes},
		{"color is not null", yes},
		{"color IN ('blue', 'red')", yes},
		{"color NOT IN ('blue', 'red')", no},
		{"n = 5 AND f < 2", yes},
		{"n > 5 OR f >= 1.5", yes},
		{"n > 5 OR (f >= 2 AND color = 'red')", no},
		{"colour = 'red' OR color = 'red'", yes},
		{"colour = 'red' AND color = 'blue'", no},
		{"b", yes},
		{"b = FALSE", no},
		{"it = 'it''s'", yes},
		{"color > 'blue'", no}, // strings have no order [jms 3.8.1.1]
		{"color = 5", no},
		{"JMSPriority = 7", yes},
		{"JMSXGroupID = 'G'", yes},
	} {
		s, err := parseSelector(test.selector)
		if err != nil {
			t.Errorf("%s: %v", test.selector, err)
		} else if got := s(m); got != test.want {
			t.Errorf("%s: %d, want %d", test.selector, got, test.want)
		}
	}
	for _, bad := range []string{"", "color =", "color = 'red", "(color = 'red'", "color = 'red' blue", "color LIKE 'r%'", "n + 1 = 2", "JMSType = 'x'", "color IN 'red'", "= 5"} {
		if _, err := parseSelector(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
