package amqpjms

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A DelayForm is a way to ask a peer to deliver a message later (AMQ-8320). The
// zero DelayForm is none of them: a producer whose way has not been chosen cannot
// delay.
type DelayForm uint8

const (
	DelayUnset       DelayForm = iota
	DelayAbsolute              // annotation x-opt-delivery-time, long, ms since the epoch
	DelayRelative              // annotation x-opt-delivery-delay, long, ms
	DelayEnqueueTime           // annotation x-opt-scheduled-enqueue-time, timestamp
	DelayProperty              // application property AMQ_SCHEDULED_DELAY, long, ms
	DelayNone                  // the peer cannot delay
)

// The names that the forms go by on the wire.
const (
	annotationDeliveryTime  = "x-opt-delivery-time"
	annotationDeliveryDelay = "x-opt-delivery-delay"
	annotationEnqueueTime   = "x-opt-scheduled-enqueue-time"
	propertyScheduledDelay  = "AMQ_SCHEDULED_DELAY"
)

// String returns the name of the annotation or property that the form is, or why there is none.
func (f DelayForm) String() string {
	switch f {
	case DelayUnset:
		return "unset"
	case DelayAbsolute:
		return annotationDeliveryTime
	case DelayRelative:
		return annotationDeliveryDelay
	case DelayEnqueueTime:
		return annotationEnqueueTime
	case DelayProperty:
		return propertyScheduledDelay
	case DelayNone:
		return "none"
	}
	return "DelayForm(" + strconv.Itoa(int(f)) + ")"
}

// A Peer is what differs from broker to broker. The zero Peer is any peer: no delay,
// no prefixes. Peers can be compared with ==.
type Peer struct {
	Product string    // its name, for people to read and for [Check]
	Delay   DelayForm // how it is asked to delay

	// What the address of a queue or a topic starts with. Where PercentEncoded is
	// set, the name behind it is percent-encoded.
	QueuePrefix, TopicPrefix string
	PercentEncoded           bool

	// TextAsData sends a text as a data section, for receivers that read no other.
	TextAsData bool

	// NoNullBody sends no body section in place of an amqp-value null, which ends receivers
	// there. Elsewhere a message without a section ends the session: see [Body.Outgoing].
	NoNullBody bool

	// What consumers and producers may ask for. What is false is refused before an attach,
	// since peers that cannot do it often say nothing.

	Topics           bool // a topic is a source, with durable subscriptions
	Shares           bool // consumers share a subscription
	Selects          bool // obeys selectors and no-local
	Browses          bool // a browser takes nothing off a queue
	TemporaryQueues  bool
	TemporaryTopics  bool
	RetriesLater     bool // obeys x-opt-delivery-time in a modified outcome
	RequeuesRejected bool // delivers a rejected message again at once, where others dead-letter it
	DelaysByLink     bool // wants DELAYED_DELIVERY among a sender's desired capabilities
}

// The products of the predefined peers.
const (
	productArtemis    = "ActiveMQ Artemis"
	productActiveMQ   = "ActiveMQ Classic"
	productBrokerJ    = "Qpid Broker-J"
	productRabbitMQ   = "RabbitMQ"
	productRabbitMQ3  = "RabbitMQ 3"
	productServiceBus = "Azure Service Bus"
)

func products() []string {
	return []string{productArtemis, productActiveMQ, productBrokerJ, productRabbitMQ, productRabbitMQ3, productServiceBus}
}

// Artemis returns what is known of ActiveMQ Artemis (2.40.0).
func Artemis() Peer {
	return Peer{Product: productArtemis, Delay: DelayAbsolute,
		Topics: true, Shares: true, Selects: true, Browses: true, TemporaryQueues: true, TemporaryTopics: true}
}

// ActiveMQ returns what is known of ActiveMQ Classic (6.2.2).
func ActiveMQ() Peer {
	return Peer{Product: productActiveMQ, Delay: DelayAbsolute, QueuePrefix: "queue://", TopicPrefix: "topic://",
		Topics: true, Selects: true, Browses: true, TemporaryQueues: true, TemporaryTopics: true}
}

// BrokerJ returns what is known of Apache Qpid Broker-J (9.2.1). It delays on queues
// whose attribute holdOnPublishEnabled is true, and there only.
func BrokerJ() Peer {
	return Peer{Product: productBrokerJ, Delay: DelayAbsolute, DelaysByLink: true, RequeuesRejected: true,
		Topics: true, Shares: true, Selects: true, Browses: true, TemporaryQueues: true}
}

// RabbitMQ returns what is known of RabbitMQ 4 (4.0.5 and 4.3.6). Its queue named q is
// /queues/q; a topic is a routing key of its exchange amq.topic. It cannot delay.
func RabbitMQ() Peer {
	return Peer{Product: productRabbitMQ, Delay: DelayNone, QueuePrefix: "/queues/", TopicPrefix: "/exchanges/amq.topic/", PercentEncoded: true}
}

// RabbitMQ3 returns what is known of RabbitMQ 3 with its plugin for AMQP 1.0
// (3.10.8), whose addresses are others. It cannot delay.
func RabbitMQ3() Peer {
	return Peer{Product: productRabbitMQ3, Delay: DelayNone, QueuePrefix: "/amq/queue/", TopicPrefix: "/topic/"}
}

// ServiceBus returns what the documentation says of Azure Service Bus. Its own
// clients read data bodies only.
func ServiceBus() Peer {
	return Peer{Product: productServiceBus, Delay: DelayEnqueueTime, TextAsData: true, NoNullBody: true}
}

// capabilityDelayedDelivery is the capability of a connection or link that delays (AMQ-8320).
const capabilityDelayedDelivery = "DELAYED_DELIVERY"

// DetectPeer returns the Peer that a connection's properties speak of, as go-amqp's
// Conn.Properties gives them, and the capabilities that the connection or link
// offered, where the caller has those. It is false where product and version say
// nothing that is known; the zero Peer that comes with that may then have a form of
// delay all the same, for DELAYED_DELIVERY promises the absolute one, and
// prefixes, where the properties queue-prefix and topic-prefix name them.
//
// It knows ActiveMQ Artemis, ActiveMQ Classic, Qpid Broker-J, and RabbitMQ 3 and 4. It does
// not know Azure Service Bus: call [ServiceBus].
func DetectPeer(properties map[string]any, capabilities ...string) (Peer, bool) {
	product, _ := properties["product"].(string)
	version, _ := properties["version"].(string)
	p, known := peerOf(strings.ToLower(product), version)
	if slices.Contains(capabilities, capabilityDelayedDelivery) {
		p.Delay = DelayAbsolute
	}
	if prefix, ok := properties["queue-prefix"].(string); ok {
		p.QueuePrefix = prefix
	}
	if prefix, ok := properties["topic-prefix"].(string); ok {
		p.TopicPrefix = prefix
	}
	return p, known
}

// peerOf returns the predefined peer of a product, whose name is in lower case.
func peerOf(product, version string) (p Peer, known bool) {
	switch product { // as the brokers were seen to say
	case "apache-activemq-artemis":
		return Artemis(), true
	case "activemq":
		return ActiveMQ(), true
	case "apache qpid broker-j core":
		return BrokerJ(), true
	case "rabbitmq":
		switch major, minor, _ := strings.Cut(version, "."); major {
		case "3":
			return RabbitMQ3(), true
		case "4":
			p := RabbitMQ()
			minor, _, _ = strings.Cut(minor, ".")
			if n, err := strconv.Atoi(minor); err == nil && n >= 3 { // as 4.3 was seen to; 4.0 refuses them
				p.TemporaryQueues = true
			}
			return p, true
		}
	}
	return Peer{}, false
}

// unfit says why a message with or without a timestamp cannot ask for a delay in this
// form, "" where it can.
func (f DelayForm) unfit(timestamp bool) string {
	switch f {
	case DelayAbsolute, DelayEnqueueTime:
		return ""
	case DelayRelative, DelayProperty:
		if !timestamp {
			return f.String() + " needs a timestamp, and timestamps are disabled"
		}
		return ""
	case DelayNone:
		return "the peer cannot delay"
	case DelayUnset:
		return "no form of delay has been chosen"
	}
	return f.String() + " is no form of delay"
}

// A DestinationKind is what a destination is. The zero DestinationKind is unknown.
type DestinationKind uint8

const (
	UnknownKind DestinationKind = iota
	Queue
	Topic
	TemporaryQueue
	TemporaryTopic
)

// String returns the kind in words, such as "temporary queue".
func (k DestinationKind) String() string {
	switch k {
	case UnknownKind:
		return "unknown"
	case Queue:
		return "queue"
	case Topic:
		return "topic"
	case TemporaryQueue:
		return "temporary queue"
	case TemporaryTopic:
		return "temporary topic"
	}
	return "DestinationKind(" + strconv.Itoa(int(k)) + ")"
}

// annotation returns the value of x-opt-jms-dest and x-opt-jms-reply-to for a kind that
// is known. It is a signed byte: peers ignore or refuse another type.
func (k DestinationKind) annotation() int8 { return int8(k) - 1 }

func (k DestinationKind) valid() bool { return Queue <= k && k <= TemporaryTopic }

// A Destination is where a message goes, or where replies to it should. The zero
// Destination is none. Destinations can be compared with ==.
type Destination struct {
	Kind DestinationKind
	Name string // as an application writes it, without a peer's prefix

	// Address is the address as it stands on the wire, which goes before Name. It is
	// stated where kind and name do not give the same one again ([Peer.Destination]), and
	// where the address is the peer's own and not to be touched ([View.Reply]).
	Address string
}

// IsZero reports whether there is no destination.
func (d Destination) IsZero() bool { return d == Destination{} }

// String returns the destination for people to read, such as "queue orders".
func (d Destination) String() string {
	if d.IsZero() {
		return "none"
	}
	return d.Kind.String() + " " + d.Name
}

// Annotations that say the kind of a destination [jms-mapping 3.2], and those that said
// it before there were any.
const (
	annotationDest      = "x-opt-jms-dest"
	annotationReplyTo   = "x-opt-jms-reply-to"
	annotationToType    = "x-opt-to-type"
	annotationReplyType = "x-opt-reply-type"
)

// DestinationKindFrom returns the kind that the value of x-opt-jms-dest or
// x-opt-jms-reply-to says, or where it says none, that of x-opt-to-type or
// x-opt-reply-type. It is an integer of any type from 0 to 3, or words: exactly one of
// queue and topic, and perhaps temporary, in any order and case, with commas between. The
// legacy annotations are words only. Anything else is [UnknownKind], and so is nil.
func DestinationKindFrom(annotation, legacy any) DestinationKind {
	a := scalarFrom(annotation)
	if kind := kindFrom(&a); kind != UnknownKind {
		return kind
	}
	a = scalarFrom(legacy)
	return kindOfWords(&a)
}

// kindFrom returns the kind that an annotation says.
func kindFrom(annotation *scalar) DestinationKind {
	if n := annotation.number(); n.kind == numberInteger {
		if 0 <= n.n && n.n <= int64(TemporaryTopic.annotation()) {
			return Queue + DestinationKind(n.n)
		}
		return UnknownKind
	}
	return kindOfWords(annotation)
}

func kindOfWords(annotation *scalar) DestinationKind {
	if annotation.typ != wire.String && annotation.typ != wire.Symbol {
		return UnknownKind
	}
	words := annotation.string()
	kind, temporary := UnknownKind, false
	for word := range strings.SplitSeq(words, ",") {
		switch word = strings.Trim(word, " "); {
		case strings.EqualFold(word, "queue") && kind == UnknownKind:
			kind = Queue
		case strings.EqualFold(word, "topic") && kind == UnknownKind:
			kind = Topic
		case strings.EqualFold(word, "temporary") && !temporary:
			temporary = true
		default:
			return UnknownKind
		}
	}
	if kind != UnknownKind && temporary {
		kind += TemporaryQueue - Queue
	}
	return kind
}

var (
	errNoKind = errors.New("kind is none of queue, topic, temporary queue and temporary topic")
	errNoName = errors.New("has no name")
)

// Address returns the address of a destination at the peer: the one that it states, or
// its name behind the peer's prefix for its kind, percent-encoded where the peer wants
// that. A name that starts with the prefix already is an address, and a temporary
// destination's name, which the peer made, always is. The zero Destination has no
// address, "". A kind that is not known, or an address or name that is missing or not
// valid UTF-8, is an error, a *[ValueError].
func (p Peer) Address(d Destination) (string, error) {
	switch {
	case d.IsZero():
		return "", nil
	case !d.Kind.valid():
		return "", &ValueError{What: "destination", Value: quote(d.Name), Err: errNoKind}
	case d.Address != "":
		if err := checkText("address", d.Address); err != nil {
			return "", err
		}
		return d.Address, nil
	case d.Name == "":
		return "", &ValueError{What: "destination", Value: d.Kind.String(), Err: errNoName}
	}
	if err := checkText("destination", d.Name); err != nil {
		return "", err
	}
	prefix := p.prefix(d.Kind)
	if err := checkText("address", prefix); err != nil {
		return "", err
	}
	if strings.HasPrefix(d.Name, prefix) { // as it does with none
		return d.Name, nil
	}
	name := d.Name
	if p.PercentEncoded {
		name = url.PathEscape(name)
	}
	return prefix + name, nil
}

// Destination returns the destination that an address of the peer's is. Where its kind is
// not known, the prefix that it starts with tells, the longer one of two; else it is
// otherwise, or a queue. The name is the address without the prefix of its kind,
// percent-decoded where the peer encodes. [Peer.Address] gives back the same address, byte
// for byte, and has an error where that is empty or not valid UTF-8.
func (p Peer) Destination(address string, kind, otherwise DestinationKind) Destination {
	return p.destination(address, kind, otherwise)
}

func (p *Peer) destination(address string, kind, otherwise DestinationKind) Destination {
	if !kind.valid() {
		kind = p.kindOfPrefix(address)
	}
	if !kind.valid() {
		kind = otherwise
	}
	if !kind.valid() {
		kind = Queue
	}
	d := Destination{Kind: kind, Name: address}
	prefix := p.prefix(kind)
	if prefix == "" {
		return d
	}
	rest, stripped := strings.CutPrefix(address, prefix)
	d.Name = rest
	if stripped && p.PercentEncoded {
		if name, err := url.PathUnescape(rest); err == nil && utf8.ValidString(name) {
			d.Name = name
		}
	}
	// Where Address would make another one of the name, the address itself has to be kept.
	if !stripped || d.Name == "" || strings.HasPrefix(d.Name, prefix) || p.PercentEncoded && url.PathEscape(d.Name) != rest {
		d.Address = address
	}
	return d
}

// kindOfPrefix returns the kind of destination whose addresses start so.
func (p *Peer) kindOfPrefix(address string) DestinationKind {
	kind, length := UnknownKind, 0
	for _, k := range [...]DestinationKind{Queue, Topic} {
		if prefix := p.prefix(k); len(prefix) > length && strings.HasPrefix(address, prefix) {
			kind, length = k, len(prefix)
		}
	}
	return kind
}

// prefix returns what the addresses of a kind of destination start with.
func (p *Peer) prefix(kind DestinationKind) string {
	switch kind {
	case Queue:
		return p.QueuePrefix
	case Topic:
		return p.TopicPrefix
	}
	return ""
}
