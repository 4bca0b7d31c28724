package amqpjms

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// Names of message annotations that JMS clients read and write [jms-mapping 3.2] (AMQ-8320).
const (
	AnnotationMessageKind   = "x-opt-jms-msg-type"           // byte, see [MessageKind]
	AnnotationDestination   = "x-opt-jms-dest"               // byte, see [DestinationKind.Annotation]
	AnnotationReplyTo       = "x-opt-jms-reply-to"           // byte, see [DestinationKind.Annotation]
	AnnotationDeliveryTime  = "x-opt-delivery-time"          // long, milliseconds since 1970-01-01 UTC
	AnnotationDeliveryDelay = "x-opt-delivery-delay"         // long, milliseconds
	AnnotationEnqueueTime   = "x-opt-scheduled-enqueue-time" // timestamp
)

// The older annotations for the kind of a destination.
const (
	annotationToType    = "x-opt-to-type"
	annotationReplyType = "x-opt-reply-type"
)

// propertyScheduledDelay is the application property of [DelayProperty].
const propertyScheduledDelay = "AMQ_SCHEDULED_DELAY"

// A DelayForm is a way to ask a peer to deliver a message later (AMQ-8320). A producer
// whose peer has the zero DelayForm, DelayUnset, cannot delay.
type DelayForm uint8

const (
	DelayUnset       DelayForm = iota
	DelayAbsolute              // annotation x-opt-delivery-time, long, ms since the epoch
	DelayRelative              // annotation x-opt-delivery-delay, long, ms
	DelayEnqueueTime           // annotation x-opt-scheduled-enqueue-time, timestamp
	DelayProperty              // application property AMQ_SCHEDULED_DELAY, long, ms
	DelayNone                  // the peer cannot delay
)

// delayForms describes each form. All code that reads, writes and removes delays uses it.
var delayForms = [...]struct {
	name      string
	relative  bool // counts from the creation-time; else from the epoch
	property  bool // is an application property; else a message annotation
	timestamp bool // is written as a timestamp; else as a long
}{
	DelayAbsolute:    {name: AnnotationDeliveryTime},
	DelayRelative:    {name: AnnotationDeliveryDelay, relative: true},
	DelayEnqueueTime: {name: AnnotationEnqueueTime, timestamp: true},
	DelayProperty:    {name: propertyScheduledDelay, relative: true, property: true},
}

// delayOrder is the order in which a reader looks for the forms; the first one present
// decides (AMQ-8320).
var delayOrder = [...]DelayForm{DelayAbsolute, DelayEnqueueTime, DelayRelative, DelayProperty}

// written reports whether f is a form that stands in a message.
func (f DelayForm) written() bool { return DelayUnset < f && f < DelayNone }

// String returns the name of the form's annotation or property, "unset" or "none".
func (f DelayForm) String() string {
	switch {
	case f.written():
		return delayForms[f].name
	case f == DelayUnset:
		return "unset"
	case f == DelayNone:
		return "none"
	}
	return "DelayForm(" + strconv.Itoa(int(f)) + ")"
}

// milliseconds returns the number that the form has for a delivery time and a delay.
func (f DelayForm) milliseconds(at, delay int64) int64 {
	if delayForms[f].relative {
		return delay
	}
	return at
}

// value returns the value that the form has for a delivery time and a delay in milliseconds,
// an int64 or a time.Time.
func (f DelayForm) value(at, delay int64) any {
	n := f.milliseconds(at, delay)
	if delayForms[f].timestamp {
		return time.UnixMilli(n).UTC()
	}
	return n
}

// unfit returns why a message with or without a timestamp cannot ask for a delay in this
// form, nil if it can. The fields are those that the caller may set.
func (f DelayForm) unfit(timestamp bool, peerField, timestampField string) error {
	switch {
	case f.written() && delayForms[f].relative && !timestamp:
		return fmt.Errorf("%v needs a timestamp (%s)", f, timestampField)
	case f.written():
		return nil
	case f == DelayNone:
		return fmt.Errorf("the peer cannot delay (%s)", peerField)
	case f == DelayUnset:
		return fmt.Errorf("the peer's form of delay is not set (%s)", peerField)
	}
	return fmt.Errorf("invalid form of delay %v (%s)", f, peerField)
}

// An IDForm is how the selectors of a peer spell a JMSCorrelationID whose AMQP type is not string.
// With the zero IDForm, IDFormUnset, [Peer.ReplySelector] knows strings only.
type IDForm uint8

const (
	IDFormUnset    IDForm = iota
	IDFormJMS             // as JMS, 'ID:AMQP_ULONG:42'; no binary is selected
	IDFormNoPrefix        // as JMS but without ID:, 'AMQP_ULONG:42'
	IDFormBare            // '42'; no binary is selected
)

// A Peer holds what differs between brokers. The zero Peer is any peer: no prefixes, and
// no delay. Peers can be compared with ==.
type Peer struct {
	Product string    // its name, for people and for [Check]
	Delay   DelayForm // how to ask it for a delay

	// Prefixes of the addresses of queues and topics.
	QueuePrefix, TopicPrefix string

	// PercentEncoded percent-encodes the names after the prefixes. It is for peers that accept
	// no other addresses, as RabbitMQ 4 with its address format v2. Others are converted: see
	// [Peer.Address].
	PercentEncoded bool

	// TextAsData sends a text as a data section, for receivers that read only data.
	TextAsData bool

	// CapTTL sends the longest ttl, 2^32-1 ms, for a longer time to live. Without it the ttl is
	// left out, and only the expiration is sent.
	CapTTL bool

	// NoNullBody sends no body section in place of an amqp-value null, which ends receivers
	// there. Elsewhere a message without a section ends the session: see [Body.Outgoing].
	NoNullBody bool

	// What consumers and producers may ask for. [Consumer.Link] and [Producer.Link] refuse the
	// rest, since peers that lack a feature often ignore it silently.

	Topics           bool // a topic is a source, with durable subscriptions
	Shares           bool // consumers share a subscription
	Selects          bool // obeys selectors and no-local
	Browses          bool // a browser takes nothing off a queue
	TemporaryQueues  bool
	TemporaryTopics  bool
	RetriesLater     bool // obeys x-opt-delivery-time in a modified outcome
	RequeuesRejected bool // delivers a rejected message again at once, where others dead-letter it

	CorrelationIDs IDForm // how its selectors spell them
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

// Artemis returns the peer ActiveMQ Artemis (2.40.0 to 2.55.0).
func Artemis() Peer {
	return Peer{Product: productArtemis, Delay: DelayAbsolute, CorrelationIDs: IDFormJMS,
		Topics: true, Shares: true, Selects: true, Browses: true, TemporaryQueues: true, TemporaryTopics: true}
}

// ActiveMQ returns the peer ActiveMQ Classic (6.2.2 to 6.3.1).
func ActiveMQ() Peer {
	return Peer{Product: productActiveMQ, Delay: DelayAbsolute, QueuePrefix: "queue://", TopicPrefix: "topic://", CorrelationIDs: IDFormNoPrefix,
		Topics: true, Selects: true, Browses: true, TemporaryQueues: true, TemporaryTopics: true}
}

// BrokerJ returns the peer Apache Qpid Broker-J (9.2.1 to 10.1.0). It delays only on queues
// whose attribute holdOnPublishEnabled is true.
func BrokerJ() Peer {
	return Peer{Product: productBrokerJ, Delay: DelayAbsolute, RequeuesRejected: true, CorrelationIDs: IDFormBare,
		Topics: true, Shares: true, Selects: true, Browses: true, TemporaryQueues: true}
}

// RabbitMQ returns the peer RabbitMQ 4 (4.0.5 and 4.3.6). Its queue named q has the address
// /queues/q; a topic is a routing key of its exchange amq.topic. It cannot delay.
func RabbitMQ() Peer {
	return Peer{Product: productRabbitMQ, Delay: DelayNone, QueuePrefix: "/queues/", TopicPrefix: "/exchanges/amq.topic/", PercentEncoded: true}
}

// RabbitMQ3 returns the peer RabbitMQ 3 with its plugin for AMQP 1.0 (3.10.8), which has
// other addresses. It cannot delay.
func RabbitMQ3() Peer {
	return Peer{Product: productRabbitMQ3, Delay: DelayNone, QueuePrefix: "/amq/queue/", TopicPrefix: "/topic/"}
}

// ServiceBus returns the peer Azure Service Bus, by its documentation and SDKs. The Java
// and Go SDKs show data bodies only.
func ServiceBus() Peer {
	return Peer{Product: productServiceBus, Delay: DelayEnqueueTime, TextAsData: true, NoNullBody: true, CapTTL: true}
}

// capabilityDelayedDelivery is the capability of a connection or link that delays (AMQ-8320).
const capabilityDelayedDelivery = "DELAYED_DELIVERY"

// DetectPeer returns the Peer that a connection's properties name, as go-amqp's
// Conn.Properties returns them, and reports whether product and version are known: ActiveMQ
// Artemis, ActiveMQ Classic, Qpid Broker-J, RabbitMQ 3 and 4. For Azure Service Bus call
// [ServiceBus].
//
// Pass the capabilities that the connection or a link offered, if you have them:
// DELAYED_DELIVERY makes the peer's form of delay the absolute one, known or not. The
// properties queue-prefix and topic-prefix set the prefixes.
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
	switch product {
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

// A DestinationKind is the kind of a destination. The zero DestinationKind is unknown.
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

// IsQueue reports whether the kind is a queue, temporary or not.
func (k DestinationKind) IsQueue() bool { return k == Queue || k == TemporaryQueue }

// IsTopic reports whether the kind is a topic, temporary or not.
func (k DestinationKind) IsTopic() bool { return k == Topic || k == TemporaryTopic }

// IsTemporary reports whether the kind is a temporary queue or topic.
func (k DestinationKind) IsTemporary() bool { return k == TemporaryQueue || k == TemporaryTopic }

// Annotation returns the kind as [AnnotationDestination] and [AnnotationReplyTo] have it, 0
// to 3, and -1 for an unknown kind, which is not written. It must be sent as a byte, Go's
// int8: peers ignore or refuse other types.
func (k DestinationKind) Annotation() int8 {
	if !k.valid() {
		return -1
	}
	return int8(k - Queue)
}

func (k DestinationKind) valid() bool { return Queue <= k && k <= TemporaryTopic }

// A Destination is where a message, or a reply to it, goes. The zero Destination is none.
// Destinations can be compared with ==.
type Destination struct {
	Kind DestinationKind
	Name string // as an application writes it, without a peer's prefix

	// Address is the address on the wire. It overrides Name, and is set where kind and name
	// do not give the same address ([Peer.Destination]), or where it must not be rebuilt from
	// them ([View.Reply]).
	Address string
}

// IsZero reports whether there is no destination.
func (d Destination) IsZero() bool { return d == Destination{} }

// String returns the destination for people, such as "queue orders".
func (d Destination) String() string {
	if d.IsZero() {
		return "none"
	}
	return d.Kind.String() + " " + d.Name
}

// DestinationKindFrom returns the kind of a destination from the value of x-opt-jms-dest or
// x-opt-jms-reply-to or, if that is invalid, from the value of x-opt-to-type or
// x-opt-reply-type. The former is an integer of any type from 0 to 3, or words; the latter is
// words: one of queue and topic, and optionally temporary, separated by commas, in any order
// and case. For any other value, nil included, it returns [UnknownKind].
func DestinationKindFrom(annotation, legacy any) DestinationKind {
	a := scalarFrom(annotation)
	if kind := kindFrom(&a); kind != UnknownKind {
		return kind
	}
	a = scalarFrom(legacy)
	return kindFromText(&a)
}

// kindFrom returns the kind that an annotation says.
func kindFrom(annotation *scalar) DestinationKind {
	if n := annotation.number(); n.kind == numberInteger {
		return kindOfNumber(n.n)
	}
	return kindFromText(annotation)
}

func kindOfNumber(n int64) DestinationKind {
	if 0 <= n && n <= int64(TemporaryTopic.Annotation()) {
		return Queue + DestinationKind(n)
	}
	return UnknownKind
}

func kindFromText(annotation *scalar) DestinationKind {
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

// Address returns the address of a destination at the peer: d.Address, or the peer's prefix
// for its kind and the name, percent-encoded if the peer wants that. A name that starts with
// the prefix is already an address, and so is that of a temporary destination, which the
// peer made. The address of the zero Destination is "".
//
// If names are percent-encoded, Address converts other addresses to the form that the peer
// accepts: bare names, as in the reply-to of AMQP 0-9-1 clients, addresses of RabbitMQ 3, and
// characters that are not encoded. An unknown kind, a missing name and invalid UTF-8 are an
// error, a *[ValueError].
func (p Peer) Address(d Destination) (string, error) {
	switch {
	case d.IsZero():
		return "", nil
	case !d.Kind.valid():
		return "", &ValueError{What: "destination", Value: quote(d.Name),
			Err: fmt.Errorf("kind is %v, want queue, topic, temporary queue or temporary topic (Destination.Kind)", d.Kind)}
	case d.Address != "":
		if err := checkText("address", d.Address); err != nil {
			return "", err
		}
		return p.replyAddress(d.Address, d.Kind), nil
	case d.Name == "":
		return "", &ValueError{What: "destination", Value: d.Kind.String(), Err: errors.New("no name (Destination.Name)")}
	}
	if err := checkText("destination", d.Name); err != nil {
		return "", err
	}
	prefix := p.prefix(d.Kind)
	if err := checkText("address", prefix); err != nil {
		return "", err
	}
	switch {
	case strings.HasPrefix(d.Name, prefix): // or there is no prefix
		return p.replyAddress(d.Name, d.Kind), nil
	case p.PercentEncoded:
		return prefix + percentEncoded(d.Name), nil
	}
	return prefix + d.Name, nil
}

// RabbitMQ's addresses of exchanges, in its format v2, and the prefixes of its format v1.
const (
	exchangesV2 = "/exchanges/"
	exchangeV1  = "/exchange/"
	topicV1     = "/topic/"
	queueV1     = "/queue/"
	amqQueueV1  = "/amq/queue/"
)

// replyAddress returns an address as the peer takes it. That is the address itself, unless
// the peer wants percent-encoded names: then a bare name gets the prefix of its kind, an
// address of format v1 becomes one of v2, and what is not encoded is.
func (p Peer) replyAddress(address string, kind DestinationKind) string {
	if !p.PercentEncoded || address == "" {
		return address
	}
	rest := ""
	after := func(prefix string) (ok bool) {
		rest, ok = strings.CutPrefix(address, prefix)
		return ok && prefix != "" && rest != ""
	}
	switch {
	case after(p.QueuePrefix):
		return p.QueuePrefix + encodedOnce(rest)
	case after(exchangesV2), after(exchangeV1):
		exchange, key, hasKey := strings.Cut(rest, "/")
		if hasKey {
			return exchangesV2 + encodedOnce(exchange) + "/" + encodedOnce(key)
		}
		return exchangesV2 + encodedOnce(exchange)
	case after(p.TopicPrefix):
		return p.TopicPrefix + encodedOnce(rest)
	case after(queueV1), after(amqQueueV1):
		return p.QueuePrefix + encodedOnce(rest)
	case after(topicV1):
		return p.TopicPrefix + encodedOnce(rest)
	}
	prefix := p.QueuePrefix
	if kind.IsTopic() {
		prefix = p.TopicPrefix
	}
	if prefix == "" {
		return encodedOnce(address)
	}
	return prefix + percentEncoded(address)
}

// percentEncoded encodes all but the unreserved characters [rfc 3986 2.3].
func percentEncoded(name string) string { return encode(name, unreserved) }

// encodedOnce encodes what is left to encode in a name that may be encoded: every % starts
// an encoded byte then.
func encodedOnce(name string) string {
	if _, err := url.PathUnescape(name); err != nil {
		return percentEncoded(name)
	}
	return encode(name, func(c byte) bool { return c == '%' || unreserved(c) })
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// encode percent-encodes the bytes of name that are not to be kept.
func encode(name string, keep func(c byte) bool) string {
	n := 0
	for i := range len(name) {
		if !keep(name[i]) {
			n++
		}
	}
	if n == 0 {
		return name
	}
	b := make([]byte, 0, len(name)+2*n)
	for i := range len(name) {
		if c := name[i]; keep(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&0xf])
		}
	}
	return string(b)
}

const upperHex = "0123456789ABCDEF"

// Destination returns the destination of an address at the peer. If its kind is unknown,
// the longest prefix that matches decides, else otherwise, else it is a queue. The name is
// the address without the prefix of its kind, percent-decoded if the peer encodes names.
// [Peer.Address] returns the same address again, unless the peer does not take it, or an
// error if it is empty or not valid UTF-8.
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
	// Keep the address itself if the name would give another.
	if !stripped || d.Name == "" || strings.HasPrefix(d.Name, prefix) || p.PercentEncoded && percentEncoded(d.Name) != rest {
		d.Address = address
	}
	return d
}

// kindOfPrefix returns the kind whose prefix an address has, the longer one of two.
func (p *Peer) kindOfPrefix(address string) DestinationKind {
	kind, length := UnknownKind, 0
	for _, k := range [...]DestinationKind{Queue, Topic} {
		if prefix := p.prefix(k); len(prefix) > length && strings.HasPrefix(address, prefix) {
			kind, length = k, len(prefix)
		}
	}
	return kind
}

// prefix returns the prefix of the addresses of a kind of destination.
func (p *Peer) prefix(kind DestinationKind) string {
	switch kind {
	case Queue:
		return p.QueuePrefix
	case Topic:
		return p.TopicPrefix
	}
	return ""
}

// ReplySelector returns the selector for the replies to a request, for [Consumer.Selector]. id is
// what they have as correlation-id: the request's message-id, see [Correlation.ID]. Peers spell it
// otherwise than JMS does where it is not a string, or begins as one of JMS's markers.
//
// It is an error, a *[ValueError], if there is no id, if the peer is not known to obey selectors,
// or if it has no spelling of the id, or none that is known: see [IDForm].
func (p Peer) ReplySelector(id ID) (string, error) {
	refuse := func(why string) error {
		return &ValueError{What: "id", Value: quote(id.String()), Err: errors.New(why)}
	}
	var text string
	switch {
	case id.IsZero():
		return "", refuse("none: replies to it cannot be told from others")
	case !p.Selects:
		return "", refuse("the peer is not known to obey selectors (Peer.Selects)")
	case p.CorrelationIDs == IDFormUnset:
		if id.kind != idString || markedAnyhow(id.text) {
			return "", refuse("the peer's spelling of such an id is not set (Peer.CorrelationIDs)")
		}
		text = id.text
	case id.kind == idBinary && p.CorrelationIDs != IDFormNoPrefix:
		return "", refuse("the peer's selectors have no spelling of a binary")
	case p.CorrelationIDs == IDFormJMS:
		text = id.JMSCorrelationID()
	case p.CorrelationIDs == IDFormNoPrefix && id.kind == idString:
		text = id.text
		if marker, _ := cutMarker(idPrefix + text); marker != "" && marker != markerNoPrefix { // this one it does not know
			text = markerString + text
		}
	case p.CorrelationIDs == IDFormNoPrefix:
		text = strings.TrimPrefix(id.JMSCorrelationID(), idPrefix)
	case p.CorrelationIDs == IDFormBare:
		_, text = cutMarker(id.JMSCorrelationID())
		if id.kind == idString {
			text = id.text
		}
	default:
		return "", refuse(fmt.Sprintf("invalid spelling of ids %d (Peer.CorrelationIDs)", p.CorrelationIDs))
	}
	return "JMSCorrelationID = '" + strings.ReplaceAll(text, "'", "''") + "'", nil
}

// markedAnyhow reports whether a string begins with a marker, with ID: before it or without.
func markedAnyhow(s string) bool {
	with, _ := cutMarker(s)
	without, _ := cutMarker(idPrefix + s)
	return with+without != ""
}
