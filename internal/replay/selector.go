package replay

import (
	"strings"

	"github.com/seed-b113d664/amqpjms"
)

// parseSelector returns a function that reports whether a JMS selector matches a message. Traces have JMSPriority,
// JMSXGroupID and application properties; other fields are null.
func parseSelector(text string) (func(*message) bool, error) {
	s, err := amqpjms.ParseSelector(text)
	if err != nil {
		return nil, err
	}
	return func(m *message) bool {
		match, err := s.EvaluateFunc(func(name string) amqpjms.Value {
			switch {
			case name == "JMSPriority":
				return amqpjms.ValueOf(name, int32(m.priority))
			case name == "JMSXGroupID" && m.sent.Group != nil:
				return amqpjms.ValueOf(name, *m.sent.Group)
			case strings.HasPrefix(name, "JMS"):
				return amqpjms.Value{}
			}
			return amqpjms.ValueOf(name, m.sent.Props[name].v)
		})
		return err == nil && match.Or(false)
	}, nil
}
