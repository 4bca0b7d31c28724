package amqpjms

import (
	"testing"

	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

// idView adds the ids of a message as JMS has them.
func idView(t *testing.T, v view, prefix string, m *RawMessage) {
	messageID, err := m.MessageID()
	if err != nil {
		v.set(t, prefix+"JMSMessageID", err)
	} else {
		v.set(t, prefix+"JMSMessageID", jmsString(messageID, messageID.MessageID()))
	}
	correlationID, err := m.CorrelationID()
	if err != nil {
		v.set(t, prefix+"JMSCorrelationID", err)
		v.set(t, prefix+"JMSCorrelationIDAsBytes", err)
		return
	}
	v.set(t, prefix+"JMSCorrelationID", jmsString(correlationID, correlationID.CorrelationID()))
	b, err := correlationID.CorrelationIDAsBytes()
	switch {
	case err != nil:
		v.set(t, prefix+"JMSCorrelationIDAsBytes", err)
	case b == nil:
		v.set(t, prefix+"JMSCorrelationIDAsBytes", nil)
	default:
		v[prefix+"JMSCorrelationIDAsBytes"] = golden.Value{Type: "bytes", V: b}
	}
}

// jmsString returns the string, nil where there is no id.
func jmsString(id ID, s string) any {
	if id.IsZero() {
		return nil
	}
	return s
}

// idOfSend checks that the correlation id that the application set is the one on the wire, and adds the error where
// it cannot be set.
func idOfSend(t *testing.T, v view, c golden.Case) {
	var id ID
	refuse := func(part string) {
		v["error"] = golden.Value{Type: "text", V: part}
	}
	parse := func(part string, x golden.Value) (id ID) {
		if s, ok := x.V.(string); ok { // not null
			var err error
			if id, err = ParseID(s); err != nil {
				refuse(part)
			}
		}
		return id
	}
	for _, key := range c.Stated() {
		x, _ := c.Value(key)
		switch key {
		case "set.JMSMessageID":
			parse("JMSMessageID", x) // the provider gives another
		case "set.JMSCorrelationID", golden.Named("set.property", "JMSCorrelationID"):
			id = parse("JMSCorrelationID", x)
		case "set.JMSCorrelationIDAsBytes":
			if foreign, _ := c.Value("set.foreignMessage"); foreign.V == true {
				continue // the client asks a message of another provider for its string only
			}
			b, _ := x.V.([]byte)
			var err error
			id, err = IDFrom(b)
			require.NoError(t, err, c.At())
		case "set.receivedWire":
			var received RawMessage
			require.NoError(t, received.Parse(x.V.([]byte)), c.At())
			field, get := "JMSCorrelationID", received.CorrelationID
			if c.Text("set.resendMode") == "reply" {
				field, get = "JMSMessageID", received.MessageID
			}
			from, err := get()
			if err != nil {
				refuse(field)
				continue
			}
			// The application has the string alone, and gives it back.
			s := from.CorrelationID()
			if field == "JMSMessageID" {
				s = from.MessageID()
			}
			if !from.IsZero() {
				id, err = ParseID(s)
				require.NoError(t, err, c.At())
				require.Equal(t, from, id, c.At())
			}
		}
	}
	_, refused := v["error"]
	if message, _ := c.Value("error.message"); message.V == "Unable to convert ID value" {
		require.True(t, refused, "%s: the peer refuses an id", c.At())
	}
	if c.Wire() == nil || refused || !c.Representable() {
		return
	}
	var m RawMessage
	require.NoError(t, m.Parse(c.Wire()), c.At())
	onWire, err := m.CorrelationID()
	require.NoError(t, err, c.At())
	require.Equal(t, onWire, id, "%s: correlation id on the wire, and what was set", c.At())
}
