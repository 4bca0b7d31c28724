//go:build interop

package interop

// instead is what a broker does in place of what it should.
type instead struct {
	cell string // in the table
	diff string // what is seen of it, to the letter
}

// byBroker is what brokers do instead, by the names that they have in the table.
type byBroker map[string]instead

// known is what brokers do instead, by feature: each must do exactly that, so that a
// change is seen.
var known = map[string]byBroker{
	// To 4.0, an omitted durable means durable, and Qpid JMS sends no header here.
	"NON_PERSISTENT: JMS to Go": {
		"R4.0": {"PERSISTENT", "JMSDeliveryMode is PERSISTENT, not NON_PERSISTENT"},
	},
	"no header, in contrast: Go to JMS": {
		"R4.0": {"PERSISTENT", "JMSDeliveryMode is int 2, not int 1"},
	},
	"no header, in contrast: Go to Go, as it is encoded": {
		"R4.0": {"durable is added", "durable is PERSISTENT, not unstated"},
		"R4.3": {"not durable is added", "durable is NON_PERSISTENT, not unstated"},
	},
	// It makes the message of JMS again, and leaves AMQP's default out.
	"NON_PERSISTENT: Go to Go, as it is encoded": {
		"AMQ": {"left out", "durable is unstated, not NON_PERSISTENT"},
	},
	// Its memory store takes no durable message.
	"PERSISTENT: Go to JMS":                  {"BJ": durableRefused},
	"PERSISTENT: Go to Go, as it is encoded": {"BJ": durableRefused},
	"PERSISTENT: JMS to Go":                  {"BJ": {"refused in memory", "it is refused: amqp:precondition-failed"}},

	"delivery delay: Go to JMS": {"R4.0": delayRefused, "R4.3": delayRefused},
	"delivery delay: JMS to Go": {"R4.0": delayRefusedByJMS, "R4.3": delayRefusedByJMS},

	"topic: Go to both":  {"R4.0": topicRefused, "R4.3": topicRefusedByLink},
	"topic: JMS to both": {"R4.0": topicRefused, "R4.3": topicRefusedByLink},
	"temporary queue: JMS asks, Go replies": {
		"R4.0": {"refused", "the queue is refused: no answer"},
	},
	"temporary queue: Go asks, JMS replies": {
		"R4.0": {"refused", "the queue is refused: session: amqp:not-implemented"},
	},
}

var (
	durableRefused     = instead{"refused in memory", "it is refused: link: amqp:precondition-failed"}
	delayRefused       = instead{"refused before it is sent", "the delay is refused: amqpjms: delivery delay 500ms: the peer cannot delay"}
	delayRefusedByJMS  = instead{"refused before it is sent", `the delay is refused: send: error "Remote does not support delayed message delivery"`}
	topicRefused       = instead{"subscriptions refused", "Go's subscription is refused: session: amqp:invalid-field; the JMS application's is refused: no answer"}
	topicRefusedByLink = instead{"subscriptions refused", "Go's subscription is refused: amqp:invalid-field; the JMS application's is refused: amqp:invalid-field"}
)
