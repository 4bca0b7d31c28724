// Command benchtable makes one table of benchmarks, and is what make bench prints.
//
//	go test -run '^$' -bench . | benchtable [-counts N] [-peers NAME,NAME]
//
// It reads what go test prints, of one run or of several, one after the other. A benchmark
// is named Benchmark…/lib=NAME, where NAME is whose code was measured: amqpjms is this module,
// go-amqp, qpid-jms, proton-j, broker-j, artemis and activemq do the same in its place, and anything
// else is a yardstick, such as map-cycle. What stands before that is the operation, and the same for all
// that are compared. They are compared count by count, the first with the first and so on;
// of the JVM's peers only ratios are shown.
//
// An operation with an element n=1000 is a row of the second part of the table, which shows
// what its time does as n grows.
//
// It is an error, and the exit code 1, if a benchmark failed, if a line is cut off or is no
// measurement, if runs are of different machines, if a benchmark was not run as often as
// -counts says or as others, or not always measured in the same units, if an operation is
// without amqpjms, if one of -peers is nowhere, or if an operation lacks what another of its
// variants (what stands behind its second slash) has beside it, whatever their n. What can be
// shown is shown all the same.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const ours, goAMQP = "amqpjms", "go-amqp"

// peers do what this module does; only ratios are shown of those of the JVM.
var peers = []string{goAMQP, "qpid-jms", "proton-j", "broker-j", "artemis", "activemq"}

// yardsticks are what the others are that this module has, for the table's head.
var yardsticks = []struct{ lib, does string }{
	{"plain-walk", "goes once over every value before the body, from each format code to the next"},
	{"checked-walk", "goes over every value before the body, and makes the checks that bytes of a stranger need"},
	{"map-cycle", "inserts, looks up and deletes one entry of a map with 100,000 others"},
}

// spreadNeeds is how many counts it takes to say how far ratios spread.
const spreadNeeds = 3

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, errs io.Writer) int {
	flags := flag.NewFlagSet("benchtable", flag.ContinueOnError)
	flags.SetOutput(errs)
	counts := flags.Int("counts", 0, "how often each benchmark must have been run; 0: as often as the others")
	want := flags.String("peers", "", "names of peers that must be there, separated by commas")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintln(errs, "benchtable: it reads standard input, and no", flags.Arg(0))
		return 2
	}
	r := report{progress: errs, machine: map[string]string{}}
	r.read(in)
	r.check(*counts, strings.FieldsFunc(*want, func(c rune) bool { return c == ',' }))
	if r.operations != nil {
		if err := r.print(out); err != nil {
			r.fail("%v", err)
		}
	}
	for _, p := range r.problems {
		fmt.Fprintln(errs, "benchtable:", p)
	}
	if r.problems != nil {
		return 1
	}
	return 0
}

// A report is what was read.
type report struct {
	progress   io.Writer         // gets the groups as they come, and what is no measurement
	machine    map[string]string // goos, goarch, cpu
	operations []*operation      // in the order in which they came
	problems   []string
}

// An operation is what stands before lib=.
type operation struct {
	group, name string // IDs; ParseID, ulong
	family      string // what its variants have in common
	n           float64
	libs        map[string][]measurement
}

// A measurement is what go test says of a benchmark by unit: "ns/op", "allocs/op", "B/op", "MB/s".
type measurement map[string]float64

func (r *report) fail(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *report) read(in io.Reader) {
	group := ""
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		word, rest, _ := strings.Cut(line, " ")
		switch key := strings.TrimSuffix(word, ":"); {
		case line == "", line == "PASS", strings.HasPrefix(line, "ok  \t"), key == "pkg":
		case key == "goos", key == "goarch", key == "cpu":
			if was, ok := r.machine[key]; ok && was != rest {
				r.fail("runs of two machines: %s %s and %s", key, was, rest)
			}
			r.machine[key] = rest
		case strings.HasPrefix(line, "Benchmark"):
			o, err := r.benchmark(line)
			if err != nil {
				r.fail("%v: %s", err, line)
			} else if o.group != group {
				group = o.group
				fmt.Fprintln(r.progress, "benchtable:", group)
			}
		default:
			if failed.MatchString(line) {
				r.fail("%s", line)
			} else {
				fmt.Fprintln(r.progress, line)
			}
		}
	}
	if err := lines.Err(); err != nil {
		r.fail("%v", err)
	}
}

var (
	failed = regexp.MustCompile(`^(\s*--- (FAIL|SKIP)|FAIL|panic:|fatal error:|signal:|exit status)`)
	procs  = regexp.MustCompile(`-\d+$`)
)

// benchmark reads a line with a measurement.
func (r *report) benchmark(line string) (*operation, error) {
	fields := strings.Fields(line)
	path, lib, ok := strings.Cut(procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), ""), "/lib=")
	if !ok || lib == "" {
		return nil, fmt.Errorf("no lib=")
	}
	m := measurement{}
	for i := 2; i+1 < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return nil, err
		}
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v %s", v, fields[i+1])
		}
		if _, twice := m[fields[i+1]]; twice {
			return nil, fmt.Errorf("%s twice", fields[i+1])
		}
		m[fields[i+1]] = v
	}
	if m["ns/op"] == 0 {
		return nil, fmt.Errorf("no time")
	}
	if len(fields)%2 != 0 {
		return nil, fmt.Errorf("cut off")
	}
	if _, err := strconv.ParseUint(fields[1], 10, 64); err != nil {
		return nil, err
	}

	o := &operation{libs: map[string][]measurement{}}
	var names []string
	for i, element := range strings.Split(strings.ReplaceAll(path, "_", " "), "/") {
		if n, found := strings.CutPrefix(element, "n="); found {
			var err error
			if o.n, err = strconv.ParseFloat(n, 64); err != nil || o.n <= 0 {
				return nil, fmt.Errorf("n is not a size")
			}
		} else if i == 0 {
			o.group = element
		} else {
			names = append(names, element)
		}
	}
	if names == nil {
		return nil, fmt.Errorf("no operation")
	}
	o.name, o.family = strings.Join(names, ", "), o.group+", "+names[0]
	known := func(k *operation) bool { return k.group == o.group && k.name == o.name && k.n == o.n }
	if i := slices.IndexFunc(r.operations, known); i >= 0 {
		o = r.operations[i]
	} else {
		r.operations = append(r.operations, o)
	}
	o.libs[lib] = append(o.libs[lib], m)
	return o, nil
}

// check looks for what is missing.
func (r *report) check(counts int, want []string) {
	if r.operations == nil {
		r.fail("no benchmarks")
	}
	counts = cmp.Or(counts, r.counts())
	all := map[string]bool{}
	families := map[string]map[string]bool{} // the libs of an operation's variants
	named := map[string]map[string]bool{}    // and of one, whatever its n
	for _, o := range r.operations {
		for _, lib := range slices.Sorted(maps.Keys(o.libs)) {
			all[lib] = true
			note(families, o.family, lib)
			note(named, o.group+o.name, lib)
			if n := len(o.libs[lib]); n != counts {
				r.fail("%v: %s was run %d times, not %d", o, lib, n, counts)
			}
			for _, m := range o.libs[lib] {
				if first := o.libs[lib][0]; !maps.EqualFunc(first, m, func(float64, float64) bool { return true }) {
					r.fail("%v: %s was not always measured in the same units", o, lib)
					break
				}
			}
		}
	}
	for _, o := range r.operations {
		if o.libs[ours] == nil {
			r.fail("%v: no %s", o, ours)
		}
		for _, lib := range slices.Sorted(maps.Keys(families[o.family])) {
			if lib != ours && !named[o.group+o.name][lib] {
				r.fail("%v: no %s", o, lib)
			}
		}
	}
	for _, lib := range want {
		if !all[lib] {
			r.fail("no %s at all", lib)
		}
	}
}

func note(sets map[string]map[string]bool, key, member string) {
	if sets[key] == nil {
		sets[key] = map[string]bool{}
	}
	sets[key][member] = true
}

func (o *operation) String() string {
	if o.n != 0 {
		return fmt.Sprintf("%s, %s, n=%v", o.group, o.name, o.n)
	}
	return o.group + ", " + o.name
}

// counts is how often each was run.
func (r *report) counts() (most int) {
	for _, o := range r.operations {
		for _, runs := range o.libs {
			most = max(most, len(runs))
		}
	}
	return most
}

func (r *report) print(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s/%s, %s, %s. %s\n", r.machine["goos"], r.machine["goarch"], r.machine["cpu"], runtime.Version(), r.head())

	rows := [][]string{{"operation", "ours", goAMQP, "times as fast", "allocations", "beside others"}}
	group := ""
	for _, o := range r.operations {
		if o.n != 0 || o.libs[ours] == nil {
			continue
		}
		if o.group != group {
			group = o.group
			rows = append(rows, []string{""}, []string{group})
		}
		rows = append(rows, []string{"  " + o.name, o.time(ours), o.time(goAMQP), o.times(goAMQP), o.allocations(), others(o)})
	}
	align(out, rows)

	var groups []string
	for _, o := range r.operations {
		if o.n != 0 && !slices.Contains(groups, o.group) {
			groups = append(groups, o.group)
		}
	}
	if groups != nil {
		fmt.Fprint(out, "\nWhat grows with n, in ns. Ten times the n costs, at the steepest step: 1 is no growth, 10 grows as n does,\n"+
			"and somewhat more where a cache ends. Allocations, and the time and bytes allocated per byte of a message, are those\n"+
			"of the last n, and what stands beside others is where that is worst for amqpjms.\n")
	}
	for _, group := range groups {
		r.printGrowth(out, group)
	}
	return out.Flush()
}

// head says how the table is to be read, of what is in it.
func (r *report) head() string {
	var text string
	switch n := r.counts(); {
	case n >= spreadNeeds:
		text = fmt.Sprintf("%d counts: times are their medians, in ns an operation; ratios are those of\n"+
			"each count, their median (least–greatest).\n", n)
	case n == 1:
		text = fmt.Sprintf("1 count: times are in ns an operation; how far ratios spread takes %d counts.\n", spreadNeeds)
	default:
		text = fmt.Sprintf("%d counts: times are their medians, in ns an operation; how far ratios spread takes %d counts.\n", n, spreadNeeds)
	}
	libs := map[string]bool{}
	for _, o := range r.operations {
		for lib := range o.libs {
			libs[lib] = true
		}
	}
	if libs[goAMQP] {
		text += "Allocations: ours / go-amqp's.\n"
	}
	example := ""
	for _, lib := range slices.Sorted(maps.Keys(libs)) {
		if lib != ours && !slices.Contains(peers, lib) {
			example = spaced(lib)
		}
	}
	if example != "" {
		text += "0.8 × " + example + ": takes 0.8 of the time of one.\n"
	}
	for _, y := range yardsticks {
		if libs[y.lib] {
			text += "A " + spaced(y.lib) + " " + y.does + ".\n"
		}
	}
	return text
}

// spaced returns the name of a yardstick in words.
func spaced(lib string) string { return strings.ReplaceAll(lib, "-", " ") }

// printGrowth prints the rows of a group that have an n.
func (r *report) printGrowth(out io.Writer, group string) {
	sizes := map[float64]bool{}
	series := map[string][]*operation{}
	var names []string
	for _, o := range r.operations {
		if o.group != group || o.n == 0 || o.libs[ours] == nil {
			continue
		}
		if series[o.name] == nil {
			names = append(names, o.name)
		}
		series[o.name] = append(series[o.name], o)
		sizes[o.n] = true
	}
	ns := slices.Sorted(maps.Keys(sizes))
	for _, ops := range series { // whatever the order in which they were run
		slices.SortFunc(ops, func(a, b *operation) int { return cmp.Compare(a.n, b.n) })
	}

	head := []string{group}
	for _, n := range ns {
		head = append(head, "n="+number(n))
	}
	rows := [][]string{append(head, "ten times the n", "ns/byte", "B/byte", "allocations", "beside others")}
	for _, name := range names {
		ops := series[name]
		row := []string{"  " + name}
		for _, n := range ns {
			cell := ""
			for _, o := range ops {
				if o.n == n {
					cell = o.time(ours)
				}
			}
			row = append(row, cell)
		}
		last := ops[len(ops)-1]
		rows = append(rows, append(row, steepest(ops), last.perByte("ns/op"), last.perByte("B/op"), last.allocations(), others(ops...)))
	}
	fmt.Fprintln(out)
	align(out, rows)
}

// A spread is the median, the least and the greatest of some ratios, and how many they are.
type spread struct {
	median, least, greatest float64
	n                       int
}

func (s spread) String() string {
	if s.n < spreadNeeds {
		return three(s.median)
	}
	return three(s.median) + " (" + three(s.least) + "–" + three(s.greatest) + ")"
}

// ratios compares two benchmarks count by count.
func ratios(a, b []measurement) spread {
	var all []float64
	for i := range min(len(a), len(b)) {
		all = append(all, a[i]["ns/op"]/b[i]["ns/op"])
	}
	return spread{median(all), slices.Min(all), slices.Max(all), len(all)}
}

func median(all []float64) float64 {
	slices.Sort(all)
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}

// steepest is what ten times the n costs, where that is most.
func steepest(ops []*operation) string {
	if len(ops) == 1 {
		return ""
	}
	var most spread
	for i, o := range ops[1:] {
		step := ratios(o.libs[ours], ops[i].libs[ours])
		tenfold := func(ratio float64) float64 { return math.Pow(ratio, 1/math.Log10(o.n/ops[i].n)) }
		step = spread{tenfold(step.median), tenfold(step.least), tenfold(step.greatest), step.n}
		if step.median > most.median {
			most = step
		}
	}
	return most.String()
}

// of returns the median of what was measured in a unit, and whether it was.
func (o *operation) of(lib, unit string) (float64, bool) {
	var all []float64
	for _, m := range o.libs[lib] {
		if v, ok := m[unit]; ok {
			all = append(all, v)
		}
	}
	if all == nil {
		return 0, false
	}
	return median(all), true
}

func (o *operation) time(lib string) string {
	ns, ok := o.of(lib, "ns/op")
	if !ok {
		return ""
	}
	return three(ns)
}

// times says how many times as fast ours is as a peer.
func (o *operation) times(lib string) string {
	if o.libs[lib] == nil {
		return ""
	}
	return ratios(o.libs[lib], o.libs[ours]).String()
}

// others says what stands beside some operations, and of each that where we do worst.
func others(ops ...*operation) string {
	libs := map[string]bool{}
	for _, o := range ops {
		for lib := range o.libs {
			libs[lib] = lib != ours && (lib != goAMQP || o.n != 0) // else it has columns of its own
		}
	}
	var cells []string
	for _, lib := range slices.Sorted(maps.Keys(libs)) {
		if !libs[lib] {
			continue
		}
		var worst spread
		isPeer := slices.Contains(peers, lib)
		for _, o := range ops {
			switch {
			case o.libs[lib] == nil:
			case isPeer:
				if s := ratios(o.libs[lib], o.libs[ours]); worst.median == 0 || s.median < worst.median {
					worst = s
				}
			default:
				if s := ratios(o.libs[ours], o.libs[lib]); s.median > worst.median {
					worst = s
				}
			}
		}
		if isPeer {
			cells = append(cells, worst.String()+" times as fast as "+lib)
		} else {
			cells = append(cells, worst.String()+" × "+spaced(lib))
		}
	}
	return strings.Join(cells, ", ")
}

// allocations are ours, and those of go-amqp.
func (o *operation) allocations() string {
	own, ok := o.of(ours, "allocs/op")
	if !ok {
		return ""
	}
	if theirs, ok := o.of(goAMQP, "allocs/op"); ok {
		return number(own) + " / " + number(theirs)
	}
	return number(own)
}

// perByte is what a benchmark that says how many bytes it read cost for each, in a unit.
func (o *operation) perByte(unit string) string {
	var all []float64
	for _, m := range o.libs[ours] {
		speed, ok := m["MB/s"]
		cost, measured := m[unit]
		if !ok || !measured || speed == 0 {
			return ""
		}
		all = append(all, cost/(speed*m["ns/op"]/1000))
	}
	return three(median(all))
}

// three writes a time or ratio with three digits where it is 1 or more.
func three(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return grouped(v)
}

// number writes a number that most often is a whole one.
func number(v float64) string {
	if v != math.Trunc(v) {
		return three(v)
	}
	return grouped(v)
}

// grouped writes a whole number with a comma between thousands.
func grouped(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// align prints columns without those that have nothing but a heading. The first and the last are of words, the
// others of numbers.
func align(out io.Writer, rows [][]string) {
	last := len(rows[0]) - 1
	widths := make([]int, last+1)
	used := make([]bool, last+1)
	for i, row := range rows {
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			used[c] = used[c] || c == 0 || i > 0 && cell != ""
		}
	}
	for _, row := range rows {
		line := ""
		for c, cell := range row {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			switch {
			case !used[c]:
			case c == 0:
				line = cell + pad
			case c == last:
				line += "  " + cell
			default:
				line += "  " + pad + cell
			}
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}
