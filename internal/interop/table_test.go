//go:build interop

package interop

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// table gathers what each broker did with each feature, and prints as the Markdown
// table in TABLE.md. Its methods may be called concurrently.
type table struct {
	mu       sync.Mutex
	brokers  []string
	versions []string // of the brokers that ran
	features []string
	cells    map[[2]string]string // by feature and broker
}

func newTable(brokers ...broker) *table {
	tb := &table{cells: map[[2]string]string{}}
	for _, b := range brokers {
		tb.brokers = append(tb.brokers, b.name)
	}
	return tb
}

// run runs the test of one feature on one broker and writes down how it went:
// what the test returns, "ok" where it returns nothing, FAILED where it failed.
func (tb *table) run(t *testing.T, b broker, feature string, test func(t *testing.T) string) {
	t.Run(feature, func(t *testing.T) {
		result := "FAILED"
		defer func() {
			if t.Failed() {
				result = "FAILED"
			}
			tb.set(feature, b.name, result)
		}()
		result = test(t)
		if result == "" {
			result = "ok"
		}
	})
}

// ran writes down which version of a broker the tests ran on.
func (tb *table) ran(b broker, version string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.versions = append(tb.versions, fmt.Sprintf("%s: %s %s", b.name, b.product, version))
}

func (tb *table) set(feature, broker, cell string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if !slices.Contains(tb.features, feature) {
		tb.features = append(tb.features, feature)
	}
	tb.cells[[2]string{feature, broker}] = cell
}

// String is the table, and the versions that it is about.
func (tb *table) String() string {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return tb.markdown() + "\n" + strings.Join(tb.versions, " · ") + "\n"
}

// markdown is the table, features in the order they were first met. A cell that nothing
// was written to says so.
func (tb *table) markdown() string {
	rows := [][]string{append([]string{"feature"}, tb.brokers...)}
	for _, f := range tb.features {
		row := []string{f}
		for _, b := range tb.brokers {
			cell, ok := tb.cells[[2]string{f, b}]
			if !ok {
				cell = "NOT RUN"
			}
			row = append(row, strings.ReplaceAll(cell, "|", `\|`))
		}
		rows = append(rows, row)
	}
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	var s strings.Builder
	for n, row := range rows {
		for i, cell := range row {
			fmt.Fprintf(&s, "| %-*s ", width[i], cell)
		}
		s.WriteString("|\n")
		if n == 0 {
			for _, w := range width {
				s.WriteString("|" + strings.Repeat("-", w+2))
			}
			s.WriteString("|\n")
		}
	}
	return s.String()
}

func TestTable(t *testing.T) {
	one, two := broker{name: "ONE", product: "First"}, broker{name: "TWO", product: "Second"}
	tb := newTable(one, two)
	tb.run(t, one, "priority", func(*testing.T) string { return "" })
	tb.run(t, two, "priority", func(*testing.T) string { return "0 becomes 4" })
	tb.run(t, two, "a | b", func(*testing.T) string { return "a | b" })
	tb.set("delay", "ONE", "ok")
	tb.ran(one, "1.0")
	tb.ran(two, "2.0")
	assert.Equal(t, `
| feature  | ONE     | TWO         |
|----------|---------|-------------|
| priority | ok      | 0 becomes 4 |
| a | b    | NOT RUN | a \| b      |
| delay    | ok      | NOT RUN     |

ONE: First 1.0 · TWO: Second 2.0
`, "\n"+tb.String())
}
