//go:build interop

package interop

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

// selectable are messages that selectors tell apart, by what an application sets.
var selectable = []struct {
	jmsType    string
	priority   uint8
	properties map[string]any
}{
	1: {"car", 4, map[string]any{"color": "blue", "weight": int64(2600), "n": int32(1), "d": 1.5}},
	2: {"car", 9, map[string]any{"color": "red", "weight": int64(2400), "n": int32(7), "d": -0.25}},
	3: {"van", 0, map[string]any{"color": "blue", "weight": int64(3000), "b": int8(5), "flag": true}},
	4: {"", 4, map[string]any{"Country": "UK", "age": int32(17), "name": "order-17", "region": "EMEA"}},
	5: {"", 4, map[string]any{"Country": "Peru", "price": 123.5, "quantity": int32(12), "name": "order_17"}},
	6: {"", 4, map[string]any{"name": "50% off", "flag": false, "f": float32(0.1)}},
	7: {"", 4, nil},
}

// alike are selectors for which a JMS consumer gets what ours select.
var alike = []string{
	"JMSType = 'car' AND color = 'blue' AND weight > 2500",
	"color = 'red'",
	"Country IN ('UK', 'US', 'France')",
	"Country NOT IN ('UK', 'US', 'France')",
	"age BETWEEN 15 AND 19 OR price * quantity > 1000.0",
	"name LIKE 'order-%' AND region IS NOT NULL",
	"name LIKE 'order!_17' ESCAPE '!'",
	"name NOT LIKE 'order%'",
	"name LIKE '50!% %' ESCAPE '!'",
	"flag",
	"NOT flag",
	"flag = FALSE OR color = 'red'",
	"(color IS NULL)",
	"n + 1 = 8 OR n * 2 = 2",
	"d > 1 OR d < 0",
	"weight BETWEEN 2500 AND 3e3",
	"n = 1 OR NOT (n <> 7)",
	"JMSPriority > 4",
	"JMSPriority = 0 OR JMSType IS NULL AND name IS NOT NULL",
	"JMSType LIKE '_an'",
	"JMSTimestamp > 0 AND JMSMessageID LIKE 'ID:%' AND n = 1",
	"JMSCorrelationID = 'order''s 2'",
	"a = 1 OR color = 'blue'",
	"n = 1 AND (a = 1 OR TRUE)",
	"0x7 = n",
}

// otherwise are selectors that brokers read otherwise, by the slug of the deviation.
var otherwise = []struct{ slug, selector string }{
	{"not-binds-tighter", "n IS NOT NULL AND NOT n = 1"},
	{"division", "n / 2 = 3"},
	{"unlike-types-differ", "color IS NOT NULL AND color <> 1"},
	{"null-equals", "missing <> 1"},
	{"and-or-of-unknown", "NOT (missing LIKE 'x' OR FALSE)"},
	{"order-of-strings", "color < name OR color > JMSType"},
	{"narrow-types", "6 > b"},
	{"float-suffix", "f = 0.1f"},
	{"header-names", "JMSExpiration = 0"},
	{"comments", "n = 1 /* one */"},
	{"jmsx-names", "JMSXGroupID = 'g3'"},
}

func selectorsLiveFeatures() []feature {
	fs := []feature{{
		name: fmt.Sprintf("%d selectors: JMS gets what Selector matches", len(alike)),
		run: func(t *testing.T, s *site) (d diff) {
			if s.refusesSelectors(&d) {
				return d
			}
			for i, selector := range alike {
				s.selects(t, &d, i, selector)
			}
			return d
		},
	}}
	for _, c := range otherwise {
		fs = append(fs, feature{
			name: "selector, " + c.slug + ": JMS gets what Selector matches",
			run: func(t *testing.T, s *site) (d diff) {
				if !s.refusesSelectors(&d) {
					s.selects(t, &d, 0, c.selector)
				}
				return d
			},
		})
	}
	for _, c := range []struct {
		what string
		ids  []any
	}{
		{"of ids that are strings", []any{"ID:1", "it's 2", "", "ID:AMQP_ULONG:42", "AMQP_ULONG:42", "AMQP_STRING:x", "AMQP_NO_PREFIX:x", "ID:AMQP_NO_PREFIX:x"}},
		{"of a ulong and a uuid", []any{uint64(42), uuid.MustParse("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0")}},
		{"of a binary", []any{[]byte{0xca, 0xfe}}},
	} {
		fs = append(fs, feature{
			name: "ReplySelector " + c.what + ": JMS gets the reply",
			run: func(t *testing.T, s *site) (d diff) {
				if s.refusesSelectors(&d) {
					return d
				}
				for i, id := range c.ids {
					s.selectsReply(t, &d, i, id)
				}
				return d
			},
		})
	}
	return fs
}

// refusesSelectors notes what becomes of a selector where the peer ignores them.
func (s *site) refusesSelectors(d *diff) bool {
	if s.broker.peer.Selects {
		return false
	}
	c := amqpjms.Consumer{Peer: s.broker.peer, Destination: amqpjms.Destination{Kind: amqpjms.Queue, Name: "q"}, Selector: "n = 1"}
	if _, err := c.Link(1); err == nil {
		d.note("the selector is taken")
	} else {
		d.note("refused before an attach")
	}
	return true
}

// selects notes where a JMS consumer gets other messages than a Selector matches.
func (s *site) selects(t *testing.T, d *diff, i int, selector string) {
	q := s.node(t, fmt.Sprint("queue-", i))
	ours, theirs := []string{}, []string{}
	parsed, err := amqpjms.ParseSelector(selector)
	if err != nil {
		ours = nil
	}
	for i, x := range selectable[1:] {
		name := fmt.Sprint(i + 1)
		m := text(name)
		w := s.writer()
		for property, v := range x.properties {
			require.NoError(t, w.SetProperty(m, property, v))
		}
		require.NoError(t, w.SetProperty(m, "JMSXGroupID", "g"+name))
		if x.jmsType != "" {
			require.NoError(t, w.SetType(m, amqpjms.Some(x.jmsType)))
		}
		id, err := amqpjms.ParseID("order's " + name)
		require.NoError(t, err)
		w.SetCorrelationID(m, id)
		p := s.producer(q)
		p.Priority = amqpjms.Some(x.priority)
		prepare(t, p, m)
		encoded, err := m.MarshalBinary()
		require.NoError(t, err)
		var raw amqpjms.RawMessage
		require.NoError(t, raw.Parse(encoded))
		if ours != nil && parsed.Matches(amqpjms.Consumer{}.ViewRaw(&raw, time.Time{})) {
			ours = append(ours, name)
		}
		s.transmit(t, q.destination, m)
	}
	if _, err := s.do(t, command{Op: "subscribe", Consumer: "c", Destination: &q.jms, Selector: selector}); err != nil {
		theirs = nil
	} else {
		for {
			got := s.must(t, command{Op: "receive", Consumer: "c", Timeout: ptr[int64](0)}).Message
			if got == nil {
				break
			}
			theirs = append(theirs, unquote(got.Body.V))
		}
		slices.Sort(theirs) // some brokers go by priority
		s.must(t, command{Op: "unsubscribe", Consumer: "c"})
	}
	said := func(names []string) string {
		if names == nil {
			return "refused"
		}
		return "[" + strings.Join(names, " ") + "]"
	}
	if said(ours) != said(theirs) {
		d.note("%s: %s, not %s", selector, said(theirs), said(ours))
	}
}

// selectsReply notes where an application does not get a reply by the selector for it.
func (s *site) selectsReply(t *testing.T, d *diff, i int, v any) {
	q := s.node(t, fmt.Sprint("queue-", i))
	id, err := amqpjms.IDFrom(v)
	require.NoError(t, err)
	selector, err := s.broker.peer.ReplySelector(id)
	if err != nil {
		var e *amqpjms.ValueError
		require.ErrorAs(t, err, &e)
		d.note("refused: %v", e.Err)
		return
	}
	other, err := amqpjms.IDFrom("another")
	require.NoError(t, err)
	for _, x := range []struct {
		body string
		id   amqpjms.ID
	}{{"another", other}, {"reply", id}} {
		m := text(x.body)
		s.writer().SetCorrelationID(m, x.id)
		s.client.send(t, s.producer(q), m)
	}
	got := s.must(t, command{Op: "receive", Destination: &q.jms, Selector: selector, Timeout: ptr[int64](0)}).Message
	if got == nil {
		d.note("%s selects nothing", selector)
	} else {
		d.want("what "+selector+" selects", "reply", unquote(got.Body.V))
	}
}
