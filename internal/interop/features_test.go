//go:build interop

package interop

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterop runs on the brokers that Maven brings.
func TestInterop(t *testing.T) { onEach(t, activeMQ(), brokerJ(), artemis()) }

// features are the rows of the table.
func features() []feature {
	var all []feature
	for _, some := range [][]feature{
		peerFeatures(), idFeatures(), headerFeatures(), expirationFeatures(), delayFeatures(), redeliveryFeatures(),
		destinationFeatures(), selectorFeatures(), selectorsLiveFeatures(), bodyFeatures(), charFeatures(), propertyFeatures(), groupFeatures(), linkFeatures(), amqp091Features(), checkFeatures(), workersFeatures(),
	} {
		all = append(all, some...)
	}
	return all
}

// feature is what is shown on every broker.
type feature struct {
	name string
	// run shows it on one broker.
	run func(t *testing.T, s *site) diff
	// The only product that it can be shown on; "": all. The others' cells are notHere.
	only string
}

const notHere = "–"

func (f feature) at(b broker) bool { return f.only == "" || f.only == b.product }

// site is where one feature is shown: a Go client and the JMS application, both
// freshly connected to one broker.
type site struct {
	*client
	*app
	name string // of the feature, for names of queues
}

// onEach runs the tests on one broker after the other and prints what each did.
func onEach(t *testing.T, brokers ...broker) {
	results := newTable(brokers...)
	for _, b := range brokers {
		t.Run(b.name, func(t *testing.T) {
			c := b.dial(t, b.start(t))
			results.ran(b, c.version())
			a := startApp(t, c.url())
			for _, f := range features() {
				// What a test that is out of time has found is lost.
				if deadline, ok := t.Deadline(); ok && time.Until(deadline) < time.Minute {
					t.Fatalf("no time is left for %q", f.name)
				}
				if !f.at(b) {
					results.set(f.name, b.name, notHere)
					continue
				}
				results.run(t, b, f.name, func(t *testing.T) string {
					a.connect(t, c.url())
					return judge(t, known[f.name][b.name], f.run(t, &site{client: c.again(t), app: a, name: f.name}))
				})
			}
		})
	}
	fmt.Print(results)
}

// judge compares what was seen with what is known, and returns the table's cell.
func judge(t testing.TB, known instead, seen diff) string {
	t.Helper()
	if got := seen.String(); got != known.diff {
		t.Errorf("not as it is known:\n got: %s\nwant: %s", got, known.diff)
	}
	return known.cell
}

// diff is what was seen that is not as it should be.
type diff []string

// want notes a value that is not what it should be. Values are compared as they
// print.
func (d *diff) want(what string, want, got any) {
	if w, g := fmt.Sprint(want), fmt.Sprint(got); w != g {
		*d = append(*d, fmt.Sprintf("%s is %s, not %s", what, g, w))
	}
}

// note notes something that is not as it should be.
func (d *diff) note(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

// refused notes that a broker refuses something, and how.
func (d *diff) refused(what string, err error) {
	how := err.Error()
	var remote *amqp.Error
	var link *amqp.LinkError
	var session *amqp.SessionError
	switch {
	case errors.As(err, &link) && link.RemoteErr != nil:
		how = "link: " + string(link.RemoteErr.Condition)
	case errors.As(err, &session) && session.RemoteErr != nil:
		how = "session: " + string(session.RemoteErr.Condition)
	case errors.As(err, &remote):
		how = string(remote.Condition)
	}
	d.note("%s is refused: %s", what, how)
}

// refusedByJMS is refused for what the JMS application says: the condition of the
// broker's error, or the client's own words where that got none.
func (d *diff) refusedByJMS(what string, err error) {
	how := err.Error()
	if _, condition, ok := strings.Cut(how, "[condition = "); ok {
		how, _, _ = strings.Cut(condition, "]")
	} else if strings.HasSuffix(how, ` timed out"`) {
		how = "no answer"
	}
	d.note("%s is refused: %s", what, how)
}

func (d diff) String() string { return strings.Join(d, "; ") }

// node is a queue of the feature's own.
func (s *site) node(t testing.TB, name string) node {
	t.Helper()
	return s.queue(t, strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, s.name)+"-"+name)
}

// jmsMode is the delivery mode that the JMS application must choose, 0 for its own.
func (s *site) jmsMode() int { return int(s.broker.onlyMode) }

// text is a text message.
func text(s string) *amqp.Message {
	m := new(amqp.Message)
	if err := (amqpjms.Editor{}).SetText(m, s); err != nil {
		panic(err)
	}
	return m
}

func ptr[T any](v T) *T { return &v }

func peerFeatures() []feature {
	return []feature{{
		name: "the Peer that is proposed",
		run: func(t *testing.T, s *site) (d diff) {
			p, known := amqpjms.DetectPeer(s.conn.Properties())
			d.want("known", true, known)
			d.want("the proposal", fmt.Sprintf("%+v", s.broker.peer), fmt.Sprintf("%+v", p))
			return d
		},
	}}
}

// TestKnown checks that what is known is known of a feature and a broker.
func TestKnown(t *testing.T) {
	names := map[string]bool{}
	for _, f := range features() {
		assert.False(t, names[f.name], "two rows of the name %q", f.name)
		names[f.name] = true
	}
	for feature, brokers := range known {
		assert.True(t, names[feature], feature)
		for broker, i := range brokers {
			assert.Contains(t, []string{"AMQ", "BJ", "ART", "R4.0", "R4.3"}, broker, feature)
			assert.NotEmpty(t, i.cell, feature)
			assert.NotEqual(t, "ok", i.cell, feature)
			assert.NotEmpty(t, i.diff, feature)
		}
	}
}

// TestVerified checks that TABLE.md shows what must be seen of every broker, and which
// versions that is about.
func TestVerified(t *testing.T) {
	brokers := []broker{activeMQ(), brokerJ(), artemis(), rabbitMQ("4.0", "trixie"), rabbitMQ("4.3", "sid")}
	page, err := os.ReadFile("TABLE.md")
	require.NoError(t, err)
	tb := newTable(brokers...)
	for _, b := range brokers {
		for _, f := range features() {
			cell := cmp.Or(known[f.name][b.name].cell, "ok")
			if !f.at(b) {
				cell = notHere
			}
			tb.set(f.name, b.name, cell)
		}
		if line := fmt.Sprintf("\n| %s | %s %s", b.name, b.product, b.version); !strings.Contains(string(page), line) {
			t.Errorf("TABLE.md has no line that begins with %s", line[1:])
		}
	}
	if want := tb.markdown(); !strings.Contains(string(page), "\n\n"+want+"\n") {
		t.Errorf("TABLE.md does not show this table:\n%s", want)
	}
}

// failures counts the failures of a test, and does not fail.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.n++ }

func TestJudge(t *testing.T) {
	seen := func(n int) (d diff) {
		d.want("n", 2, n)
		return d
	}
	for _, c := range []struct {
		known    instead
		n        int
		failures int
	}{
		{instead{}, 2, 0},
		{instead{}, 3, 1},
		{instead{"2 becomes 3", "n is 3, not 2"}, 3, 0},
		{instead{"2 becomes 3", "n is 3, not 2"}, 2, 1},
		{instead{"2 becomes 3", "n is 3, not 2"}, 4, 1},
	} {
		var tb failures
		assert.Equal(t, c.known.cell, judge(&tb, c.known, seen(c.n)))
		assert.Equal(t, c.failures, tb.n, "%+v", c)
	}
}
