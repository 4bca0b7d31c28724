package main

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// once is what go test prints of a run, with the times of each benchmark.
func once(times ...any) string {
	return fmt.Sprintf(`goos: linux
goarch: amd64
pkg: example
cpu: A CPU
BenchmarkIDs/ParseID/ulong/lib=amqpjms-2       100   %v ns/op    0 B/op   0 allocs/op
BenchmarkIDs/ParseID/ulong/lib=qpid-jms        100   %v ns/op
BenchmarkIDs/ParseID/a_string/lib=amqpjms-2    100   %v ns/op    8 B/op   1 allocs/op
BenchmarkIDs/ParseID/a_string/lib=qpid-jms     100   %v ns/op
BenchmarkHeader/append/lib=amqpjms-2           100   %v ns/op    0 B/op   0 allocs/op
BenchmarkHeader/append/lib=go-amqp-2           100   %v ns/op  120 B/op   4 allocs/op
BenchmarkHeader/append/lib=plain-walk-2        100   %v ns/op    0 B/op   0 allocs/op
BenchmarkGrowth/read_n/n=10/lib=amqpjms-2      100   %v ns/op  %v MB/s  100 B/op  1 allocs/op
BenchmarkGrowth/read_n/n=10/lib=map-cycle-2    100   %v ns/op
BenchmarkGrowth/read_n/n=1e3/lib=amqpjms-2     100   %v ns/op  %v MB/s  100 B/op  1 allocs/op
BenchmarkGrowth/read_n/n=1e3/lib=map-cycle-2   100   %v ns/op
PASS
ok  	example	1.234s
`, times...)
}

func threeRuns() []string {
	return []string{
		once(10, 15.0, 20, 10, 9, 90_000, 4.5, 100, 100, 100, 10_000, 100, 1000),
		once(12, 12.0, 20, 20, 10, 80, 5, 100, 100, 50, 40_000, 25, 8000),
		once(1e6, 2e6, 20, 30, 8, 88, 2, 100, 100, 25, 90_000, 11.1111, 30_000),
	}
}

func TestTable(t *testing.T) {
	want := `linux/amd64, A CPU, ` + runtime.Version() + `. 3 counts: times are their medians, in ns an operation; ratios are those of
each count, their median (least–greatest).
Allocations: ours / go-amqp's.
0.8 × plain walk: takes 0.8 of the time of one.
A plain walk goes once over every value before the body, from each format code to the next.
A map cycle inserts, looks up and deletes one entry of a map with 100,000 others.

operation            ours  go-amqp       times as fast  allocations  beside others

IDs
  ParseID, ulong     12.0                                         0  1.50 (1.00–2.00) times as fast as qpid-jms
  ParseID, a string  20.0                                         1  1.00 (0.50–1.50) times as fast as qpid-jms

Header
  append             9.00     88.0  11.0 (8.00–10,000)        0 / 4  2.00 (2.00–4.00) × plain walk

What grows with n, in ns. Ten times the n costs, at the steepest step: 1 is no growth, 10 grows as n does,
and somewhat more where a cache ends. Allocations, and the time and bytes allocated per byte of a message, are those
of the last n, and what stands beside others is where that is worst for amqpjms.

Growth    n=10  n=1,000   ten times the n  ns/byte  B/byte  allocations  beside others
  read n   100   40,000  20.0 (10.0–30.0)     40.0    0.10            1  5.00 (3.00–10.0) × map cycle
`
	var out, errs strings.Builder
	code := run([]string{"-peers", "qpid-jms", "-counts", "3"}, strings.NewReader(strings.Join(threeRuns(), "")), &out, &errs)
	require.Equal(t, want, out.String())
	require.Equal(t, strings.Repeat("benchtable: IDs\nbenchtable: Header\nbenchtable: Growth\n", 3), errs.String())
	require.Zero(t, code)
}

// What the head explains is in the table, and with few counts there is no spread.
func TestHead(t *testing.T) {
	table := func(input string) string {
		var out, errs strings.Builder
		require.Zero(t, run(nil, strings.NewReader(input), &out, &errs), errs.String())
		_, text, _ := strings.Cut(out.String(), runtime.Version()+". ")
		return text
	}
	const ids = "BenchmarkIDs/ParseID/lib=amqpjms 1 10 ns/op 0 B/op 0 allocs/op\n"
	const none = "1 count: times are in ns an operation; how far ratios spread takes 3 counts.\n"
	require.Equal(t, none+`
operation  ours  allocations

IDs
  ParseID  10.0            0
`, table(ids))
	require.Equal(t, none+`0.8 × checked walk: takes 0.8 of the time of one.
A checked walk goes over every value before the body, and makes the checks that bytes of a stranger need.

operation  ours  allocations  beside others

IDs
  ParseID  10.0            0  0.50 × checked walk
`, table(ids+"BenchmarkIDs/ParseID/lib=checked-walk 1 20 ns/op\n"))
	require.Equal(t, `2 counts: times are their medians, in ns an operation; how far ratios spread takes 3 counts.

operation  ours  allocations  beside others

IDs
  ParseID  10.0            0  2.00 times as fast as qpid-jms
`, table(strings.Repeat(ids+"BenchmarkIDs/ParseID/lib=qpid-jms 1 20 ns/op\n", 2)))
}

// An even number of counts has the middle of two as its median.
func TestMedian(t *testing.T) {
	require.Equal(t, 2.5, median([]float64{9, 3, 1, 2}))
	require.Equal(t, 3.0, median([]float64{9, 3, 1}))
}

func TestProblems(t *testing.T) {
	good := strings.Join(threeRuns(), "")
	without := func(lines string) string {
		var kept []string
		for line := range strings.Lines(good) {
			if !strings.Contains(line, lines) {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "")
	}
	for _, row := range []struct {
		name  string
		input string
		flags []string
		want  string
	}{
		{"nothing", "", nil, "no benchmarks"},
		{"one failed", good + "--- FAIL: BenchmarkX/lib=amqpjms\n    x_test.go:1: why\nFAIL\n", nil, "--- FAIL: BenchmarkX/lib=amqpjms"},
		{"one was skipped", good + "    --- SKIP: BenchmarkX/lib=amqpjms\n", nil, "--- SKIP"},
		{"the build failed", good + "FAIL\texample [build failed]\n", nil, "[build failed]"},
		{"a panic", good + "panic: why\n", nil, "panic: why"},
		{"a run less", good, []string{"-counts", "6"}, "IDs, ParseID, ulong: amqpjms was run 3 times, not 6"},
		{"one was run more often", good + "BenchmarkIDs/ParseID/ulong/lib=qpid-jms 1 1 ns/op\n", nil, "IDs, ParseID, ulong: amqpjms was run 3 times, not 4"},
		{"a peer of no operation", good, []string{"-peers", "qpid-jms,proton-j"}, "no proton-j at all"},
		{"a peer of one variant", without("ulong/lib=qpid-jms"), nil, "IDs, ParseID, ulong: no qpid-jms"},
		{"without ours", without("ulong/lib=amqpjms"), nil, "IDs, ParseID, ulong: no amqpjms"},
		{"without ours for an n", without("n=1e3/lib=amqpjms"), nil, "Growth, read n, n=1000: no amqpjms"},
		{"no lib", good + "BenchmarkX-2 1 1 ns/op\n", nil, "no lib=: BenchmarkX-2"},
		{"no operation", good + "BenchmarkX/lib=amqpjms-2 1 1 ns/op\n", nil, "no operation: BenchmarkX"},
		{"no time", good + "BenchmarkX/y/lib=amqpjms-2 1 1 allocs/op\n", nil, "no time: BenchmarkX"},
		{"cut off", good + "BenchmarkX/y/lib=amqpjms-2\n", nil, "no time: BenchmarkX"},
		{"cut off behind a unit", good + "BenchmarkX/y/lib=amqpjms-2 1 1 ns/op 5\n", nil, "cut off: BenchmarkX"},
		{"cut off in a unit", strings.TrimSuffix(good, "\nPASS\nok  \texample\t1.234s\n") + " 1 al", nil, "Growth, read n, n=1000: map-cycle was not always measured in the same units"},
		{"not a number", good + "BenchmarkX/y/lib=amqpjms-2 1 NaN ns/op\n", nil, "NaN ns/op: BenchmarkX"},
		{"infinite", good + "BenchmarkX/y/lib=amqpjms-2 1 Inf ns/op\n", nil, "+Inf ns/op: BenchmarkX"},
		{"below 0", good + "BenchmarkX/y/lib=amqpjms-2 1 1 ns/op -3 allocs/op\n", nil, "-3 allocs/op: BenchmarkX"},
		{"two times", good + "BenchmarkX/y/lib=amqpjms-2 1 1 ns/op 2 ns/op\n", nil, "ns/op twice: BenchmarkX"},
		{"no count", good + "BenchmarkX/y/lib=amqpjms-2 many 1 ns/op\n", nil, "invalid syntax: BenchmarkX"},
		{"two machines", good + strings.ReplaceAll(good, "A CPU", "Another"), nil, "runs of two machines: cpu A CPU and Another"},
		{"no number", good + "BenchmarkX/y/lib=amqpjms-2 1 fast ns/op\n", nil, "invalid syntax: BenchmarkX"},
		{"no size", good + "BenchmarkX/y/n=many/lib=amqpjms-2 1 1 ns/op\n", nil, "n is not a size: BenchmarkX"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out, errs strings.Builder
			require.Equal(t, 1, run(row.flags, strings.NewReader(row.input), &out, &errs))
			require.Contains(t, errs.String(), row.want)
		})
	}

	var out, errs strings.Builder
	require.Zero(t, run(nil, strings.NewReader(good+"a warning\n"), &out, &errs))
	require.Contains(t, errs.String(), "\na warning\n", "what is not understood is passed on")
	require.Zero(t, run(nil, strings.NewReader(without("n=1e3/lib=map-cycle")), &out, &errs), "a peer may lack an n")
	require.Equal(t, 2, run([]string{"-x"}, strings.NewReader(good), &out, &errs))
	require.Equal(t, 2, run([]string{"file"}, strings.NewReader(good), &out, &errs), "which it would not read")
}

// The steps of what grows are those between neighbours, however the sizes came.
func TestSizesInAnyOrder(t *testing.T) {
	row := func(n string, ns int) string {
		return fmt.Sprintf("BenchmarkG/a/n=%s/lib=amqpjms-2 1 %d ns/op 0.00 MB/s %d B/op\n", n, ns, ns)
	}
	var out, errs strings.Builder
	require.Zero(t, run(nil, strings.NewReader(row("10", 10)+row("1000", 10_000)+row("100", 5000)), &out, &errs))
	require.Contains(t, out.String(), "G    n=10  n=100  n=1,000  ten times the n\n  a  10.0  5,000   10,000              500\n")
}
