//go:build interop

package interop

import "strings"

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
		"R4.0": {"durable is added", "durable is PERSISTENT, not unset"},
		"R4.3": {"not durable is added", "durable is NON_PERSISTENT, not unset"},
	},
	// What comes back a second time goes behind what came back and was not sent again.
	"Go loses the connection, and with some of them the next: come again in order":               {"AMQ": behindReturned},
	"quorum queue: Go loses the connection, and with some of them the next: come again in order": {"R4.0": behindReturned, "R4.3": behindReturned},

	// It makes the message of JMS again, and leaves AMQP's default out.
	"NON_PERSISTENT: Go to Go, as it is encoded": {
		"AMQ": {"durable is left out", "durable is unset, not NON_PERSISTENT"},
	},
	// Its memory store takes no durable message.
	"PERSISTENT: Go to JMS":                  {"BJ": durableRefused},
	"PERSISTENT: Go to Go, as it is encoded": {"BJ": durableRefused},
	"PERSISTENT: JMS to Go":                  {"BJ": {"refused in memory", "it is refused: amqp:precondition-failed"}},

	"ttl that has waited: Go to Go": {"ART": ttlKept, "R4.0": ttlKept, "R4.3": ttlKept},

	"delivery delay: Go to JMS": {"R4.0": delayRefused, "R4.3": delayRefused},
	"delivery delay: JMS to Go": {"R4.0": delayRefusedByJMS, "R4.3": delayRefusedByJMS},
	"delivery delay by x-opt-delivery-delay: Go to Go": {
		"BJ": atOnce, "R4.0": atOnce, "R4.3": atOnce,
	},
	// ActiveMQ takes the property off.
	"delivery delay by AMQ_SCHEDULED_DELAY: Go to Go": {
		"AMQ": {"delayed, JMSDeliveryTime lost", "JMSDeliveryTime after JMSTimestamp, in ms is 0, not 500"},
		"BJ":  atOnce, "ART": atOnce, "R4.0": atOnce, "R4.3": atOnce,
	},

	// Whatever Check says of them.
	"absolute-expiry-time alone: Go to Go": {"BJ": neverExpires, "R4.0": neverExpires, "R4.3": neverExpires},
	"delivery times of other types: Go to Go": {
		"AMQ": numbersOnly, "BJ": numbersOnly, "ART": numbersOnly, "R4.0": noneAtAll, "R4.3": noneAtAll,
	},
	"other brokers' delays: Go to Go":          {"AMQ": notDelays, "BJ": notDelays, "ART": notDelays, "R4.0": notDelays, "R4.3": notDelays},
	"a ubyte as x-opt-jms-msg-type: Go to JMS": {"BJ": neverGotten, "ART": neverGotten, "R4.0": neverGotten, "R4.3": neverGotten},
	"a group closed by JMSXGroupSeq -1":        {"AMQ": closed, "ART": closed, "R4.0": noGroup, "R4.3": noGroup},
	"a group closed by JMSXGroupSeq -2":        {"AMQ": closed, "R4.0": noGroup, "R4.3": noGroup},
	"bare addresses: an anonymous Go to Go": {
		"R4.0": bareRefused, "R4.3": bareRefused,
	},

	"Go modifies, delivery failed: Go again": {
		"R4.0": {"not counted", "JMSXDeliveryCount is 1, not 2; JMSRedelivered is false, not true"},
	},
	"Go modifies, delivery failed: JMS next": {"AMQ": notCounted, "R4.0": notCounted},
	"Go modifies, undeliverable here: JMS next": {
		"AMQ": gone, "R4.0": gone, "R4.3": gone,
	},
	"JMS rolls back: Go next": {
		"R4.0": {"no transactions", "a consumer is refused: no answer"},
		"R4.3": {"no transactions", "a consumer is refused: amqp:not-implemented"},
	},
	"JMS recovers and closes: Go next":          {"R4.0": notCountedForGo},
	"JMS closes without acknowledging: Go next": {"R4.0": notCountedForGo},

	"topic: Go to both":  {"R4.0": topicRefused, "R4.3": topicRefusedByLink},
	"topic: JMS to both": {"R4.0": topicRefused, "R4.3": topicRefusedByLink},
	"temporary queue: JMS asks, Go replies": {
		"R4.0": {"refused", "the queue is refused: no answer"},
	},
	"temporary queue: Go asks, JMS replies": {
		"R4.0": {"refused", "the queue is refused: session: amqp:not-implemented"},
	},

	"selector on JMSDeliveryMode: Go to JMS":  modeIgnored,
	"selector on JMSDeliveryMode: JMS to Go":  modeIgnored,
	"selector on JMSPriority: Go to JMS":      priorityIgnored,
	"selector on JMSPriority: JMS to Go":      priorityIgnored,
	"selector on JMSCorrelationID: Go to JMS": correlationIgnored,
	"selector on JMSCorrelationID: JMS to Go": correlationIgnored,

	"selector on a ulong as JMSMessageID: Go to JMS":      spelled("ULONG", "42", byBroker{"BJ": bare, "ART": unmarked}),
	"selector on a ulong as JMSCorrelationID: Go to JMS":  spelled("ULONG", "42", byBroker{"AMQ": withoutID, "BJ": bare}),
	"selector on a uuid as JMSMessageID: Go to JMS":       spelled("UUID", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", byBroker{"BJ": bare, "ART": unmarked}),
	"selector on a uuid as JMSCorrelationID: Go to JMS":   spelled("UUID", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", byBroker{"AMQ": withoutID, "BJ": bare}),
	"selector on a binary as JMSMessageID: Go to JMS":     spelled("BINARY", "CAFE", byBroker{"BJ": unknown, "ART": unknown}),
	"selector on a binary as JMSCorrelationID: Go to JMS": spelled("BINARY", "CAFE", byBroker{"AMQ": withoutID, "BJ": unknown, "ART": unknown}),

	// What brokers read otherwise, by the slugs of testdata/deviations.md.
	"25 selectors: JMS gets what Selector matches":                  refusedUnsent(nil),
	"selector, not-binds-tighter: JMS gets what Selector matches":   refusedUnsent(byBroker{"AMQ": notBindsTighter, "ART": notBindsTighter}),
	"selector, division: JMS gets what Selector matches":            refusedUnsent(byBroker{"AMQ": divides, "BJ": divides, "ART": divides}),
	"selector, unlike-types-differ: JMS gets what Selector matches": refusedUnsent(byBroker{"AMQ": unlikeDiffer, "BJ": unlikeDiffer, "ART": unlikeDiffer}),
	"selector, null-equals: JMS gets what Selector matches": refusedUnsent(byBroker{
		"BJ": {"absent differs from 1", "missing <> 1: [1 2 3 4 5 6 7], not []"},
	}),
	"selector, and-or-of-unknown: JMS gets what Selector matches": refusedUnsent(byBroker{
		"BJ": {"unknown OR false is false", "NOT (missing LIKE 'x' OR FALSE): [1 2 3 4 5 6 7], not []"},
	}),
	"selector, order-of-strings: JMS gets what Selector matches": refusedUnsent(byBroker{"AMQ": ordersStrings, "BJ": ordersStrings, "ART": ordersStrings}),
	"selector, narrow-types: JMS gets what Selector matches":     refusedUnsent(byBroker{"AMQ": narrow, "BJ": narrow, "ART": narrow}),
	"selector, float-suffix: JMS gets what Selector matches":     refusedUnsent(byBroker{"AMQ": floatSuffix, "BJ": floatSuffix, "ART": floatSuffix}),
	"selector, header-names: JMS gets what Selector matches":     refusedUnsent(byBroker{"AMQ": headerName, "BJ": headerName, "ART": headerName}),
	"selector, comments: JMS gets what Selector matches":         refusedUnsent(byBroker{"AMQ": comment, "BJ": comment, "ART": comment}),
	"selector, jmsx-names: JMS gets what Selector matches": refusedUnsent(byBroker{
		"BJ": {"JMSXGroupID is no field", "JMSXGroupID = 'g3': [], not [3]"},
	}),
	"ReplySelector of ids that are strings: JMS gets the reply": refusedUnsent(nil),
	"ReplySelector of a ulong and a uuid: JMS gets the reply":   refusedUnsent(nil),
	"ReplySelector of a binary: JMS gets the reply":             refusedUnsent(byBroker{"BJ": noBinary, "ART": noBinary}),

	// Qpid JMS sends no body section, which is no AMQP message.
	"Message: JMS to Go": {
		"R4.0": {"refused: no body section", "it is refused: amqp:internal-error"},
		"R4.3": {"refused: no body section", "it is refused: amqp:decode-error"},
	},
	// It writes such characters as Java does in files, in six bytes, which is no UTF-8.
	"MapMessage of a character above U+FFFF: Go to JMS": {
		"AMQ": {"spoilt, and lost by Qpid JMS", "it is not received"},
	},
	"MapMessage of a character above U+FFFF: JMS to Go": {
		"AMQ": {"spoilt", `the body is map[string]interface {}{"smile":"\xed\xa0\xbd\xed\xb8\x80"}, not map[string]interface {}{"smile":"😀"}`},
	},
	// Qpid JMS reads the last section only, ActiveMQ the first.
	"several data sections: Go to JMS": {
		"AMQ":  {"the first only", "the body is bytes 01, not bytes 010203"},
		"BJ":   lastSection,
		"ART":  lastSection,
		"R4.0": lastSection,
		"R4.3": lastSection,
	},
	"several data sections: Go to Go": {
		"AMQ": {"the first only", "the bytes is [1], not [1 2 3]; the sections is [data], not [data data]"},
	},

	"JMSXGroupID, JMSXGroupSeq: Go to JMS": {
		"AMQ": {"negative JMSXGroupSeq lost", "JMSXGroupSeq is int 0, not int -2"},
	},
	"JMSXGroupID, JMSXGroupSeq: JMS to Go": {
		"AMQ": {"negative JMSXGroupSeq lost", "JMSXGroupSeq is unset, not -2"},
	},
	"JMSXUserID: Go to JMS": {
		"R4.0": {"refused: another's", "it is refused: session: amqp:unauthorized-access"},
		"R4.3": {"refused: another's", "it is refused: link: amqp:unauthorized-access"},
	},

	"groups: each to one consumer, in order": {"R4.0": groupsSplit, "R4.3": groupsSplit},
	"groups, assigned: as Groups says": {
		"ART":  {"an owner without credit holds up others", "what b gets in step 10 is nothing, not blue 1"},
		"R4.0": noGroups, "R4.3": noGroups,
	},
	"groups, shared: as Groups says": {
		"AMQ":  {"assigned instead", "what b gets in step 12 is blue 2, not red 2"},
		"ART":  {"assigned instead", "what b gets in step 10 is nothing, not blue 1"},
		"R4.0": noGroups, "R4.3": noGroups,
	},

	"Consumer.Open: a durable subscription, Go and JMS in turn": beforeAttach("to serve topics as sources (Peer.Topics)", "R4.0", "R4.3"),
	"Consumer.Open: a shared durable one, Go and JMS share": {
		"AMQ": refusedFor("to share (Peer.Shares)"), "R4.0": refusedFor("to serve topics as sources (Peer.Topics)"), "R4.3": refusedFor("to serve topics as sources (Peer.Topics)"),
	},
	"Consumer.Open: selector, JMS to Go":            beforeAttach("to obey selectors (Peer.Selects)", "R4.0", "R4.3"),
	"Consumer.Open: no-local, Go to Go":             beforeAttach("to serve topics as sources (Peer.Topics)", "R4.0", "R4.3"),
	"Consumer.Open: a browser consumes nothing":     beforeAttach("to browse (Peer.Browses)", "R4.0", "R4.3"),
	"Consumer.Open: a temporary queue, JMS replies": beforeAttach("to have temporary queues (Peer.TemporaryQueues)", "R4.0"),
	"Consumer.Open: a temporary topic, JMS replies": beforeAttach("to have temporary topics (Peer.TemporaryTopics)", "BJ", "R4.0", "R4.3"),

	"durable subscription: Session.Close keeps it":        noSubscriptions(nil),
	"durable subscription: Conn.Close keeps it":           noSubscriptions(nil),
	"durable subscription: a lost connection keeps it":    noSubscriptions(nil),
	"durable subscription: Receiver.Close deletes it":     noSubscriptions(nil),
	"durable subscription: JMS leaves, Go takes up":       noSubscriptionsOfJMS(nil),
	"durable subscription: Go leaves, JMS takes up":       noSubscriptions(nil),
	"durable subscription: another client id has its own": noSubscriptions(nil),
	"durable subscription: another selector starts anew":  noSubscriptions(nil),
	"durable subscription: a second consumer is refused": noSubscriptions(byBroker{
		"BJ": {"takes the link away", "a second consumer is taken; the first one is refused: link: amqp:link:stolen"},
	}),
	"client id: a second connection is refused": {"BJ": taken, "ART": taken, "R4.0": taken, "R4.3": taken},
	// ActiveMQ hands a shared subscription's messages to each consumer, and says nothing.
	"shared durable subscription: Go and Go share":             noSubscriptions(byBroker{"AMQ": notShared}),
	"shared durable subscription: two of one connection share": noSubscriptions(byBroker{"AMQ": notShared}),
	"shared durable subscription: Go and JMS share": {
		"AMQ":  {"refused to JMS", `the JMS application's is refused: createConsumer: error "Remote peer does not support shared subscriptions"`},
		"R4.0": {"subscriptions refused", "Go's subscription is refused: session: amqp:invalid-field"},
		"R4.3": {"subscriptions refused", "Go's subscription is refused: amqp:invalid-field"},
	},
	"shared subscription: Go and Go share": noSubscriptions(byBroker{"AMQ": notShared}),
	"selector by jms-selector: JMS to Go": {
		"R4.0": {"ignored, and echoed", "what comes is [1 2], not [2]"},
		"R4.3": {"ignored", "what comes is [1 2], not [2]; that the answer names it is false, not true"},
	},
	"selector on a property, of a topic: Go to JMS": noSubscriptionsOfJMS(nil),
	// It compares header fields under its own names in the consumers of a queue only.
	"selector on JMSPriority, of a topic: Go to JMS": noSubscriptionsOfJMS(byBroker{
		"ART": {"matches nothing", "what comes is [], not [one]"},
	}),
	"selector that is no selector is refused: Go": {"R4.0": taken, "R4.3": taken},
	"no-local on a topic: Go to Go":               noSubscriptions(nil),
	"browser: Go consumes nothing":                {"R4.0": consumed, "R4.3": consumed},
	"temporary topic by a sender: JMS publishes to Go": {
		"BJ":   {"nothing reaches it", "what comes is [], not [a reply]"},
		"R4.0": {"refused", "the topic is refused: session: amqp:not-implemented"},
		"R4.3": {"refused", "the topic is refused: amqp:not-implemented"},
	},
	"anonymous sender, a queue that no one made: Go to JMS": {"R4.0": released, "R4.3": released},
	"Go rejects: does not come again": {
		"BJ": {"comes at once", "it comes again, JMSXDeliveryCount 2"},
	},
	"Go retries later: comes then, not at once": {
		"AMQ": retriedAtOnce, "BJ": retriedAtOnce, "ART": retriedAtOnce, "R4.0": {"at once, not counted", "it comes at once; JMSXDeliveryCount is 1, not 2"}, "R4.3": retriedAtOnce,
	},
	"Go retries later, quorum queue: comes then, not at once": {"R4.0": retriedAtOnce},

	// To 4.0 the address of direct reply-to is a queue that is not there. Without "/queues/" it
	// takes it and releases the reply.
	"AMQP 0-9-1 asks with direct reply-to, Go replies": {
		"R4.0": {"refused", "the reply is refused: session: amqp:not-found"},
	},
	"text not sent as data: Go to AMQP 0-9-1": {"R4.0": encodedFor091, "R4.3": encodedFor091},
}

var (
	durableRefused     = instead{"refused in memory", "it is refused: link: amqp:precondition-failed"}
	ttlKept            = instead{"not lowered", "the ttl is what it was"}
	delayRefused       = instead{"refused before it is sent", "the delay is refused: amqpjms: delivery delay 500ms: the peer cannot delay"}
	delayRefusedByJMS  = instead{"refused before it is sent", `the delay is refused: send: error "Remote does not support delayed message delivery"`}
	atOnce             = instead{"not delayed", "it comes at once"}
	notCounted         = instead{"not counted", "JMSXDeliveryCount is int 1, not int 2; JMSRedelivered is boolean false, not boolean true"}
	notCountedForGo    = instead{"not counted", "JMSXDeliveryCount is 1, not 2; JMSRedelivered is false, not true"}
	gone               = instead{"gone", "that it comes is false, not true"}
	topicRefused       = instead{"subscriptions refused", "Go's subscription is refused: session: amqp:invalid-field; the JMS application's is refused: no answer"}
	topicRefusedByLink = instead{"subscriptions refused", "Go's subscription is refused: amqp:invalid-field; the JMS application's is refused: amqp:invalid-field"}
	behindReturned     = instead{"behind the others", "the order to the same is [3 4 5 1 2 6 7 8], not [1 2 3 4 5 6 7 8]; the order to another is [3 4 5 1 2 6 7 8], not [1 2 3 4 5 6 7 8]"}
	modeIgnored        = ignored("JMSDeliveryMode = 'NON_PERSISTENT'", "JMSDeliveryMode = 'PERSISTENT'")
	priorityIgnored    = ignored("JMSPriority = 0", "JMSPriority > 4")
	correlationIgnored = ignored("JMSCorrelationID = 'one'", "JMSCorrelationID = 'other'")
	lastSection        = instead{"Qpid JMS has the last only", "the body is bytes 0203, not bytes 010203"}
	encodedFor091      = instead{"as AMQP 1.0 encodes it", `the body is "\x00Sw\xa1\va reply, é", not "a reply, é"`}
	consumed           = instead{"consumes", "what is left is [], not [1 2]"}
	released           = instead{"released", "it is refused: amqpjms: outcome of the message released: not accepted by the peer"}
	notShared          = instead{"each gets all", "10 and 10 of 10 come"}
	taken              = instead{"taken", "it is taken"}
	retriedAtOnce      = instead{"at once", "it comes at once"}
	groupsSplit        = instead{"no groups", "red is split; blue is split; green is split"}
	noGroups           = instead{"no groups", "what b gets in step 10 is red 2, not blue 1"}
)

// beforeAttach is for brokers at which the package refuses a link, refusedFor one of them.
func beforeAttach(unknown string, brokers ...string) byBroker {
	by := byBroker{}
	for _, b := range brokers {
		by[b] = refusedFor(unknown)
	}
	return by
}

func refusedFor(unknown string) instead {
	return instead{"refused before attach", "it is refused before the attach: the peer is not known " + unknown}
}

// noSubscriptions adds to what brokers do that RabbitMQ refuses to subscribe Go to a topic,
// noSubscriptionsOfJMS that it refuses the JMS application.
func noSubscriptions(brokers byBroker) byBroker {
	return refusing(brokers, "session: amqp:invalid-field")
}

func noSubscriptionsOfJMS(brokers byBroker) byBroker { return refusing(brokers, "no answer") }

func refusing(brokers byBroker, how string) byBroker {
	if brokers == nil {
		brokers = byBroker{}
	}
	brokers["R4.0"] = instead{"subscriptions refused", "the subscription is refused: " + how}
	brokers["R4.3"] = instead{"subscriptions refused", "the subscription is refused: amqp:invalid-field"}
	return brokers
}

// How brokers read selectors otherwise.
var (
	notBindsTighter = instead{"matches nothing", "n IS NOT NULL AND NOT n = 1: [], not [2]"}
	divides         = instead{"7 / 2 is 3.5", "n / 2 = 3: [], not [2]"}
	unlikeDiffer    = instead{"unlike types differ", "color IS NOT NULL AND color <> 1: [1 2 3], not []"}
	ordersStrings   = instead{"orders strings", "color < name OR color > JMSType: [2], not []"}
	narrow          = instead{"5 is not below 6", "6 > b: [], not [3]"}
	floatSuffix     = instead{"refused", "f = 0.1f: refused, not [6]"}
	headerName      = instead{"taken", "JMSExpiration = 0: [1 2 3 4 5 6 7], not refused"}
	comment         = instead{"taken", "n = 1 /* one */: [1], not refused"}
	noBinary        = instead{"no spelling", "refused: the peer's selectors have no spelling of a binary"}
)

// refusedUnsent adds to what brokers do that no selector is sent to RabbitMQ.
func refusedUnsent(brokers byBroker) byBroker {
	if brokers == nil {
		brokers = byBroker{}
	}
	i := instead{"refused before it is sent", "refused before an attach"}
	brokers["R4.0"], brokers["R4.3"] = i, i
	return brokers
}

// ignored is what comes where selectors are ignored: the first message, which is the
// other one, first.
func ignored(one, other string) byBroker {
	i := instead{"ignored", "what " + one + " selects is " + other + ", not " + one + "; what " + other + " selects is " + one + ", not " + other}
	return byBroker{"R4.0": i, "R4.3": i}
}

// How brokers spell an id in selectors that is ID:AMQP_ULONG:42 to JMS.
var (
	withoutID = instead{"as 'AMQP_KIND:…'", "AMQP_KIND:VALUE"}
	unmarked  = instead{"as 'ID:…'", "ID:VALUE"}
	bare      = instead{"as '…'", "VALUE"}
	unknown   = instead{"none of 4 spellings", "none"}
	ignoring  = instead{"ignored", "ID:AMQP_KIND:VALUE, AMQP_KIND:VALUE, ID:VALUE, VALUE"}
)

// spelled is how brokers spell an id in selectors. RabbitMQ ignores them.
func spelled(kind, value string, brokers byBroker) byBroker {
	brokers["R4.0"], brokers["R4.3"] = ignoring, ignoring
	fill := strings.NewReplacer("KIND", kind, "VALUE", value).Replace
	for name, i := range brokers {
		brokers[name] = instead{fill(i.cell), fill("the spelling is " + i.diff + ", not ID:AMQP_KIND:VALUE")}
	}
	return brokers
}

var (
	neverExpires = instead{"never expires", "what is received is expired, not fresh"}
	numbersOnly  = instead{"numbers only", "a timestamp comes at once; a symbol comes at once; a string comes at once"}
	noneAtAll    = instead{"not delayed", "a long comes at once; a timestamp comes at once; a double comes at once; a symbol comes at once; a string comes at once"}
	notDelays    = instead{"not delayed", "_AMQ_SCHED_DELIVERY comes at once; ScheduledEnqueueTimeUtc comes at once; " +
		"x-opt-delivery-time as a property comes at once; x-delay comes at once"}
	neverGotten = instead{"never gotten", "the application never gets it"}
	closed      = instead{"closes it", "another consumer gets the next message"}
	bareRefused = instead{"refused", "a bare name is refused: amqp:precondition-failed"}
	noGroup     = instead{"no groups", "another consumer gets the next message"}
)
