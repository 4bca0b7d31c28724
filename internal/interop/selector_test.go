//go:build interop

package interop

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

// selections are pairs of messages, and the selectors that tell them apart. Either
// side sends them, and the other one selects.
var selections = []struct {
	field string
	one   selection
	other selection
}{
	{
		"JMSDeliveryMode",
		selection{"JMSDeliveryMode = 'NON_PERSISTENT'", message{DeliveryMode: 1}},
		selection{"JMSDeliveryMode = 'PERSISTENT'", message{DeliveryMode: 2}},
	},
	{
		"JMSPriority",
		selection{"JMSPriority = 0", message{Priority: ptr(0)}},
		selection{"JMSPriority > 4", message{Priority: ptr(9)}},
	},
	{
		"JMSCorrelationID",
		selection{"JMSCorrelationID = 'one'", message{Headers: map[string]value{"JMSCorrelationID": jms("one")}}},
		selection{"JMSCorrelationID = 'other'", message{Headers: map[string]value{"JMSCorrelationID": jms("other")}}},
	},
}

// selection is a selector, and a message that it selects: as the JMS application sends
// it, from which Go takes the same settings.
type selection struct {
	selector string
	message  message
}

func selectorFeatures() []feature {
	var fs []feature
	for _, c := range selections {
		fs = append(fs, feature{
			name: "selector on " + c.field + ": Go to JMS",
			run:  func(t *testing.T, s *site) diff { return selectByJMS(t, s, c.one, c.other) },
		}, feature{
			name: "selector on " + c.field + ": JMS to Go",
			run:  func(t *testing.T, s *site) diff { return selectByGo(t, s, c.one, c.other) },
		})
	}
	for _, c := range []struct{ kind, id string }{
		{"ulong", "ID:AMQP_ULONG:42"},
		{"uuid", "ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"},
		{"binary", "ID:AMQP_BINARY:CAFE"},
	} {
		for _, field := range []string{"JMSMessageID", "JMSCorrelationID"} {
			fs = append(fs, feature{
				name: "selector on a " + c.kind + " as " + field + ": Go to JMS",
				run:  func(t *testing.T, s *site) diff { return selectID(t, s, field, c.id) },
			})
		}
	}
	return fs
}

// takes says whether the broker takes a message at all.
func (s *site) takes(m message) bool {
	return m.DeliveryMode == 0 || s.jmsMode() == 0 || m.DeliveryMode == s.jmsMode()
}

func selectByJMS(t *testing.T, s *site, one, other selection) (d diff) {
	q := s.node(t, "queue")
	for _, x := range []selection{other, one} {
		if !s.takes(x.message) {
			continue
		}
		p := s.producer(q)
		if x.message.DeliveryMode != 0 {
			p.Mode = amqpjms.DeliveryMode(x.message.DeliveryMode)
		}
		if x.message.Priority != nil {
			p.Priority = amqpjms.Some(uint8(*x.message.Priority))
		}
		m := text(x.selector)
		if v, ok := x.message.Headers["JMSCorrelationID"]; ok {
			id, err := amqpjms.ParseID(unquote(v.V))
			require.NoError(t, err)
			s.writer().SetCorrelationID(m, id)
		}
		s.client.send(t, p, m)
	}
	for _, x := range []selection{one, other} {
		got := s.must(t, command{Op: "receive", Destination: &q.jms, Selector: x.selector, Timeout: ptr[int64](0)}).Message
		switch {
		case got == nil && s.takes(x.message):
			d.note("%s selects nothing", x.selector)
		case got != nil:
			d.want("what "+x.selector+" selects", x.selector, unquote(got.Body.V))
		}
	}
	return d
}

func selectByGo(t *testing.T, s *site, one, other selection) (d diff) {
	q := s.node(t, "queue")
	for _, x := range []selection{other, one} {
		if !s.takes(x.message) {
			continue
		}
		m := x.message
		m.Body = ptr(jms(x.selector))
		if m.DeliveryMode == 0 {
			m.DeliveryMode = s.jmsMode()
		}
		s.app.send(t, q.jms, m)
	}
	for _, x := range []selection{one, other} {
		r, err := s.tryOpen(t, q, amqp.ReceiverOptions{Filters: []amqp.LinkFilter{amqp.NewSelectorFilter(x.selector)}})
		require.NoError(t, err)
		limit := 200 * time.Millisecond
		if s.takes(x.message) {
			limit = time.Second
		}
		got := r.take(t, limit)
		switch {
		case got.Message == nil && s.takes(x.message):
			d.note("%s selects nothing", x.selector)
		case got.Message != nil:
			r.accept(t, got)
			d.want("what "+x.selector+" selects", x.selector, got.Value)
		}
		require.NoError(t, r.Close(t.Context()))
	}
	return d
}

// selectID shows in which spellings the broker knows an id in a selector: in JMS's, and
// in no other.
func selectID(t *testing.T, s *site, field, jmsID string) (d diff) {
	q := s.node(t, "queue")
	id, err := amqpjms.ParseID(jmsID)
	require.NoError(t, err)
	marked := strings.TrimPrefix(jmsID, "ID:")
	_, native, _ := strings.Cut(marked, ":")
	var known []string
	for _, spelling := range []string{jmsID, marked, "ID:" + native, native} {
		m := text("")
		stamp, err := s.producer(q).Stamp(time.Now(), amqpjms.NewID())
		require.NoError(t, err)
		if field == "JMSMessageID" {
			stamp.MessageID = id
		} else {
			s.writer().SetCorrelationID(m, id)
		}
		require.NoError(t, stamp.Apply(m))
		s.transmit(t, q.destination, m)
		selector := field + " = '" + spelling + "'"
		if s.must(t, command{Op: "receive", Destination: &q.jms, Selector: selector, Timeout: ptr[int64](0)}).Message != nil {
			known = append(known, spelling)
		} else {
			s.client.receive(t, q)
		}
	}
	d.want("the spelling", jmsID, cmp.Or(strings.Join(known, ", "), "none"))
	return d
}
