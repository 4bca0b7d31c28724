package replay

import (
	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/selector"
)

// parseSelector returns a function that reports whether a JMS selector matches a message [jms 3.8.1]. Traces have
// JMSPriority, JMSXGroupID and application properties; other fields are null.
func parseSelector(text string) (func(*message) bool, error) {
	e, err := selector.Parse(text)
	if err != nil {
		return nil, err
	}
	return func(m *message) bool {
		var f selector.Frame
		for n := e.Run(&f); n >= 0; n = e.Run(&f) {
			e.Set(&f, n, selectorValue(m, e.Name(n)))
		}
		return f.Truth() == selector.True
	}, nil
}

// selectorValue returns what a name stands for in a message.
func selectorValue(m *message, name selector.Name) selector.Value {
	switch name.Field {
	case selector.JMSPriority:
		return selector.OfInt(int32(m.priority))
	case selector.JMSXGroupID:
		if m.sent.Group == nil {
			return selector.OfNull()
		}
		return selector.OfString(*m.sent.Group)
	case selector.Property:
	default:
		return selector.OfNull()
	}
	switch v := m.sent.Props[name.Text].v.(type) {
	case nil:
		return selector.OfNull()
	case string:
		return selector.OfString(v)
	case amqp.Symbol:
		return selector.OfString(string(v))
	case bool:
		return selector.OfBool(v)
	case int8:
		return selector.OfInt(int32(v))
	case int16:
		return selector.OfInt(int32(v))
	case int32:
		return selector.OfInt(v)
	case int64:
		return selector.OfLong(v)
	case uint8:
		return selector.OfInt(int32(v))
	case uint16:
		return selector.OfInt(int32(v))
	case uint32:
		return selector.OfLong(int64(v))
	case uint64:
		return selector.OfUlong(v)
	case float32:
		return selector.OfFloat(v)
	case float64:
		return selector.OfDouble(v)
	case amqp.UUID:
		return selector.OfUUID(v[:])
	}
	return selector.OfOther() // a binary or timestamp
}
