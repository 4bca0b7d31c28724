package golden

import (
	"slices"
	"strings"
)

// A Kind says what stands after a key.
type Kind uint8

// The kinds of keys.
const (
	Typed Kind = iota // a value with its type, see [ParseValue]
	Text              // plain text to the end of the line
	Wire              // a block of bytes, cut into sections
)

// A Key is one that a fixture may hold. "name", "peer" and "deviation" are always understood, and so is each key with
// "ours." before it.
type Key struct {
	Name   string
	Kind   Kind
	Named  bool // a name in quotes follows the key
	Repeat bool // may stand several times in a record, with the same name
	Ours   bool // stands only with "ours." before it
}

// SendKeys are the keys of testdata/qpid-jms-send: what an application set, what went on the wire, and what the
// application's own message object says after send (observed). The parts wire.header, wire.properties and so on are
// the bytes of that section, null where it is missing; as "ours." lines they say how our bytes differ.
func SendKeys() []Key {
	ks := slices.Concat(
		kind(Text, "note", "set.api", "set.message", "set.peerProfile", "set.resendMode", "set.connectionOptions",
			"set.username", "error.class"),
		kind(Wire, "wire", "set.receivedWire"),
		kind(Typed, "set.body", "set.destination", "set.anonymousProducer", "set.foreignDestination",
			"set.foreignMessage", "set.foreignJMSDeliveryTime", "set.sendBodyDirectly", "set.sendTwice",
			"set.deliveryMode", "set.priority", "set.timeToLive", "set.deliveryDelay", "set.disableMessageID",
			"set.disableMessageTimestamp", "set.transacted", "set.JMSCorrelationID", "set.JMSCorrelationIDAsBytes",
			"set.JMSDeliveryMode", "set.JMSDestination", "set.JMSExpiration", "set.JMSMessageID", "set.JMSPriority",
			"set.JMSRedelivered", "set.JMSReplyTo", "set.JMSTimestamp", "set.JMSType", "link.target", "link.settled",
			"link.transactional", "error.step", "error.message", "error.cause"),
		[]Key{{Name: "set.property", Named: true, Repeat: true}, {Name: "observed.foreignCall", Named: true, Repeat: true}},
		viewKeys("observed."), oursKeys())
	for _, name := range SectionNames() {
		ks = append(ks, Key{Name: "wire." + name, Ours: true})
	}
	return ks
}

// ReceiveKeys are the keys of testdata/qpid-jms-receive: the bytes, what the consumer was created on, and the JMS view
// of the message that the application got.
func ReceiveKeys() []Key {
	return slices.Concat(
		kind(Text, "note", "options", "outcome", "error.class"),
		kind(Wire, "wire"),
		kind(Typed, "consumer", "receivedAfter", "error.step", "error.message", "error.cause"),
		viewKeys(""), oursKeys())
}

// EncoderKeys are the keys of testdata/encoders: the bytes and the fields that they state, as AMQP types.
func EncoderKeys() []Key {
	return slices.Concat(kind(Text, "note"), kind(Wire, "wire"), fieldKeys(), oursKeys())
}

// HandKeys are the keys of testdata/hand: as [EncoderKeys], and the two ids as JMS has them, and which part of the
// message is wrong (error).
func HandKeys() []Key {
	return slices.Concat(kind(Text, "note", "error"), kind(Wire, "wire"), fieldKeys(),
		kind(Typed, "JMSMessageID", "JMSCorrelationID"))
}

// SelectorKeys are the keys of testdata/selectors: a selector, a message with the fields that it states, the value by
// the rules, and what the evaluators of other implementations said.
func SelectorKeys() []Key {
	return slices.Concat(kind(Typed, "selector"), kind(Wire, "wire"), fieldKeys(),
		kind(Text, "expected", "said.artemis", "said.activemq", "said.broker-j", "said.openmq"))
}

// ServiceBusKeys are the keys of testdata/service-bus: as [EncoderKeys], and what the application set, what it sees of the
// message by the rules of JMS, and what each SDK shows of it, as JSON.
func ServiceBusKeys() []Key {
	ks := slices.Concat(kind(Text, "note"), kind(Typed, "set", "format", "error.message"), kind(Wire, "wire", "sent"), fieldKeys(),
		viewKeys(""))
	for _, sdk := range []string{"python", "js", "java", "go", "jms"} {
		ks = append(ks, Key{Name: "shows." + sdk, Kind: Text, Named: true})
	}
	return append(ks, oursKeys()...)
}

// ProgramKeys are the keys of testdata/go-programs: as [EncoderKeys], and the program, and what a JMS application sees of
// its message.
func ProgramKeys() []Key {
	return slices.Concat(kind(Text, "note", "program"), kind(Typed, "error.message"), kind(Wire, "wire"), fieldKeys(), viewKeys(""),
		oursKeys())
}

func kind(k Kind, names ...string) []Key {
	ks := make([]Key, len(names))
	for i, n := range names {
		ks[i] = Key{Name: n, Kind: k}
	}
	return ks
}

// oursKeys are for cases where amqpjms refuses what the peer took.
func oursKeys() []Key { return []Key{{Name: "error", Kind: Text, Ours: true}} }

// fieldKeys are the fields of a message by their AMQP names.
func fieldKeys() []Key {
	ks := kind(Typed, "header.durable", "header.priority", "header.ttl", "header.first-acquirer", "header.delivery-count",
		"properties.message-id", "properties.user-id", "properties.to", "properties.subject", "properties.reply-to",
		"properties.correlation-id", "properties.content-type", "properties.content-encoding",
		"properties.absolute-expiry-time", "properties.creation-time", "properties.group-id",
		"properties.group-sequence", "properties.reply-to-group-id", "data", "amqp-sequence", "amqp-value")
	for i := range ks {
		ks[i].Repeat = !strings.Contains(ks[i].Name, ".") // several body sections, in their order
	}
	for _, n := range []string{"delivery-annotation", "message-annotation", "application-property", "footer"} {
		ks = append(ks, Key{Name: n, Named: true})
	}
	return ks
}

// viewKeys are the fields of a JMS view. A case has a view where it states the type, or that of ours.
func viewKeys(prefix string) []Key {
	ks := slices.Concat(
		kind(Text, "type"),
		kind(Typed, "JMSMessageID", "JMSCorrelationID", "JMSCorrelationIDAsBytes", "JMSDestination", "JMSReplyTo",
			"JMSDeliveryMode", "JMSPriority", "JMSTimestamp", "JMSExpiration", "JMSDeliveryTime", "JMSRedelivered",
			"JMSType", "propertyNames", "body"),
		[]Key{{Name: "property", Named: true}, {Name: "propertyAsString", Named: true},
			{Name: "propertyAsLong", Named: true}, {Name: "probe", Named: true}, {Name: "probe.exists", Named: true}})
	for _, n := range specials() {
		ks = append(ks, Key{Name: "special." + n}, Key{Name: "special.exists." + n})
	}
	for i := range ks {
		ks[i].Name = prefix + ks[i].Name
	}
	return ks
}

// specials are the properties that a view always lists.
func specials() []string {
	return []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMSXUserID", "JMS_AMQP_TTL",
		"JMS_AMQP_REPLY_TO_GROUP_ID", "JMS_AMQP_TYPED_ENCODING"}
}

// defaultOf returns the value of a key that the record leaves out. All defaults of the fixtures are here:
// testdata/README.md lists them.
func (c Case) defaultOf(key string, ours bool) (Value, bool) {
	no := Value{Type: "boolean", V: false}
	has := func(key string) bool { _, ok := c.stated(key, ours); return ok }
	switch key {
	case "link.settled", "link.transactional":
		return no, has("link.target")
	case "outcome":
		return Value{Type: "text", V: "accepted"}, has("consumer")
	}
	prefix := ""
	if strings.HasPrefix(key, "observed.") {
		prefix = "observed."
	}
	// A view of ours, of a message that the peer did not show, may leave out the type but not the delivery mode.
	if !has(prefix+"type") && !has(prefix+"JMSDeliveryMode") {
		return Value{}, false
	}
	null := Value{Type: "null"}
	switch name := key[len(prefix):]; name {
	case "JMSMessageID", "JMSCorrelationID", "JMSCorrelationIDAsBytes", "JMSType", "JMSReplyTo":
		return null, true
	case "JMSTimestamp", "JMSExpiration", "JMSDeliveryTime":
		return Value{Type: "long", V: int64(0)}, true
	case "JMSPriority":
		return Value{Type: "int", V: int64(4)}, true
	case "JMSRedelivered":
		return no, true
	case "special.JMSXDeliveryCount":
		return Value{Type: "int", V: int64(1)}, true
	case "special.JMSXGroupSeq":
		return Value{Type: "int", V: int64(0)}, true
	case "propertyNames":
		return c.propertyNames(prefix, ours), true
	default:
		if special, ok := strings.CutPrefix(name, "special.exists."); ok {
			v, ok := c.stated(prefix+"special."+special, ours)
			return Value{Type: "boolean", V: ok && v.Type != "null" || !ok && special == "JMSXDeliveryCount"}, true
		}
		return null, strings.HasPrefix(name, "special.")
	}
}

// propertyNames returns the sorted names of the properties and of the special ones that exist.
func (c Case) propertyNames(prefix string, ours bool) Value {
	var names []string
	for _, f := range c.fields {
		if f.base == prefix+"property" && (ours || !f.ours) {
			names = append(names, f.name)
		}
	}
	for _, n := range specials() {
		if v, _ := c.lookup(prefix+"special.exists."+n, ours); v.V == true {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	list := []Value{}
	for _, n := range slices.Compact(names) {
		list = append(list, Value{Type: "string", V: n})
	}
	return Value{Type: "list", V: list}
}
