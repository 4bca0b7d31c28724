package replay

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
)

// traceFiles returns the files with traces recorded from Broker-J.
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

// Each step of a trace comes out as recorded, or as the trace says instead (=>), which must differ from what was recorded.
// The deviations that a trace names are the fewest that explain what was recorded.
func TestTraces(t *testing.T) {
	const wantTraces = 256
	names := map[string]bool{}
	used := map[int]bool{} // by habit, because several can have the same slug
	for _, file := range traceFiles(t) {
		for _, tr := range readFile(t, file) {
			if names[tr.Name] {
				t.Errorf("%s: repeated name", tr.Name)
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
							t.Errorf("step %d, %s: => repeats what was recorded: %q", i, p.action, lines(want))
						}
					}
					if got := lines(p.ours); !slices.Equal(got, lines(want)) {
						t.Errorf("step %d, %s: %q, want %q", i, p.action, got, lines(want))
					}
				}
				if !slices.Equal(v.Slugs, tr.deviations) || !v.Same && !v.Explained {
					t.Errorf("deviations %q, the trace names %q", v.Slugs, tr.deviations)
				}
				for _, i := range v.habits {
					used[i] = true
				}
			})
		}
	}
	if len(names) != wantTraces {
		t.Errorf("%d traces, want %d", len(names), wantTraces)
	}
	for i, h := range allHabits {
		if !used[i] {
			t.Errorf("no trace shows habit %d, a deviation %s", i, h.slug)
		}
	}
}

// In both strategies, amqpjms gives what the plain engine gives for the actions of each trace.
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

// A step that is printed reads back as the same step.
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

// Traces before and after malformed ones are read.
func TestReadAround(t *testing.T) {
	const good = "name: %\nstrategy: shared\nsteps:\n  enqueue 1\n"
	text := func(name string) string { return strings.ReplaceAll(good, "%", name) }
	object := func(name string) string { return `{"name": "` + name + `", "strategy": "shared", "steps": []}` + "\n" }
	for _, test := range []struct {
		name, in string
		want     []string // names
		errs     []string // each in an error, in order
	}{
		{"text", "peer: X 1\n\n" + text("a") + "  dance c\n  jump\n\n" + text("b") + "\n" + text("c"), []string{"b", "c"}, []string{"line 7: dance c"}},
		{"text, in the middle", text("a") + "\nname: x\ncolour: red\n\ncolour: red\n\n" + text("b"), []string{"a", "b"}, []string{`line 7: key "colour"`, "line 9: a record begins"}},
		{"JSON, unknown field", object("a") + `{"nam": 1}` + "\n" + object("b"), []string{"a", "b"}, []string{`trace 2, line 2: json: unknown field "nam"`}},
		{"JSON, no JSON", object("a") + `{"name": "x", "steps": [` + "\n" + object("b") + "{]\n" + object("c"), []string{"a", "b", "c"}, []string{"trace 2, line 2: ", "trace 4, line 4: "}},
		{"JSON, cut off", object("a") + `{"name": "x"`, []string{"a"}, []string{"trace 2, line 2: unexpected EOF"}},
		{"nothing", "", nil, []string{"no traces"}},
		{"nothing but a peer", "peer: X 1\n", nil, []string{"no traces"}},
		{"nothing but empty lines", "\n\n# none\n", nil, []string{"no traces"}},
	} {
		traces, err := Read(strings.NewReader(test.in))
		var names []string
		for _, tr := range traces {
			names = append(names, tr.Name)
		}
		if !slices.Equal(names, test.want) {
			t.Errorf("%s: traces %q, want %q", test.name, names, test.want)
		}
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		got := strings.Split(err.Error(), "\n")
		if len(got) != len(test.errs) {
			t.Errorf("%s: errors %q, want %q", test.name, got, test.errs)
			continue
		}
		for i, want := range test.errs {
			if !strings.Contains(got[i], want) {
				t.Errorf("%s: error %q, want %q", test.name, got[i], want)
			}
		}
	}
}

// Steps that cannot be performed are errors.
func TestStepErrors(t *testing.T) {
	const begin = "name: t\nstrategy: shared\nsteps:\n  enqueue 1\n  open c\n  credit c 1\n    -> c gets 1\n    -> c gets 2\n"
	for _, test := range []struct{ steps, want string }{
		{"accept c 9\n", "step 6: accept c 9: no such message"},
		{"accept c 9\n    -> idle\n    -> idle\n", "step 6: accept c 9: no such message"},
		{"declare t c\n  declare t c\n", `step 7: declare t c: transaction "t" is open`},
		{"close c\n  credit c 1\n", `step 7: credit c 1: consumer "c" is closed`},
		{"close c\n  drain c 1\n", `step 7: drain c 1: consumer "c" is closed`},
		{"close c\n  close c\n", `step 7: close c: consumer "c" is closed`},
		{"credit c -1\n", "step 6: credit c -1: credit is negative"},
		{"drain c -1\n", "step 6: drain c -1: credit is negative"},
	} {
		traces, err := Read(strings.NewReader(begin + "  " + test.steps))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Judge(traces[0]); err == nil || err.Error() != test.want {
			t.Errorf("%q: error %v, want %s", test.steps, err, test.want)
		}
	}
}

// A selector sees the priority, the group and the application properties of a message.
func TestSelector(t *testing.T) {
	group := "G"
	m := &message{priority: 7, sent: &step{Group: &group, Props: map[string]value{
		"color": {v: "red"}, "symbol": {v: amqp.Symbol("red")}, "b": {v: true},
		"byte": {v: int8(-5)}, "short": {v: int16(-5)}, "int": {v: int32(-5)}, "long": {v: int64(-5)},
		"ubyte": {v: uint8(5)}, "ushort": {v: uint16(5)}, "uint": {v: uint32(1 << 31)}, "ulong": {v: uint64(5)},
		"float": {v: float32(1.5)}, "double": {v: 1.5}, "none": {v: nil},
		"binary": {v: []byte("red")}, "time": {v: time.UnixMilli(5)},
	}}}
	for _, test := range []struct {
		selector string
		want     bool
	}{
		{"color = 'red'", true},
		{"color = 'blue'", false},
		{"colour = 'red'", false},
		{"NOT colour = 'red'", false},
		{"colour IS NULL AND none IS NULL", true},
		{"symbol = 'red' AND b", true},
		{"byte = -5 AND short = -5 AND int = -5 AND long = -5", true},
		{"ubyte = 5 AND ushort = 5 AND uint = 2147483648 AND ulong = 5", true},
		{"float = 1.5 AND double = 1.5", true},
		{"binary = 'red'", false},
		{"time = 5", true},
		{"JMSPriority = 7 AND JMSXGroupID = 'G'", true},
		{"JMSPriority > 7 OR JMSXGroupID = 'H'", false},
		{"JMSType IS NULL", true},
	} {
		matches, err := parseSelector(test.selector)
		if err != nil {
			t.Errorf("%s: %v", test.selector, err)
		} else if got := matches(m); got != test.want {
			t.Errorf("%s: %v, want %v", test.selector, got, test.want)
		}
	}
	if _, err := parseSelector("color ="); err == nil {
		t.Error("no error of a selector that is cut off")
	}
	matches, err := parseSelector("JMSXGroupID IS NULL")
	if err != nil || !matches(&message{sent: &step{}}) {
		t.Errorf("a message without a group: %v", err)
	}
}
