package amqpjms

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/Azure/go-amqp"
)

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

// annotation returns the value of x-opt-jms-dest and x-opt-jms-reply-to for a kind
// that is known. It is a signed byte: peers ignore or refuse another type.
func (k DestinationKind) annotation() int8 { return int8(k) - 1 }

func (k DestinationKind) valid() bool { return Queue <= k && k <= TemporaryTopic }

// A Destination is where a message goes, or where replies to it should. The zero
// Destination is none. Destinations can be compared with ==.
type Destination struct {
	Kind DestinationKind
	Name string // as an application writes it, without a peer's prefix
}

// IsZero says whether there is no destination.
func (d Destination) IsZero() bool { return d == Destination{} }

// String returns the destination for people to read, such as "queue orders".
func (d Destination) String() string {
	if d.IsZero() {
		return "none"
	}
	return d.Kind.String() + " " + d.Name
}

// Annotations that say the kind of a destination [jms-mapping 3.2]. The legacy ones are
// in words.
const (
	annotationDest    = "x-opt-jms-dest"
	annotationReplyTo = "x-opt-jms-reply-to"
	annotationToType  = "x-opt-to-type" // legacy
)

var (
	errNoKind = errors.New("kind is none of queue, topic, temporary queue and temporary topic")
	errNoName = errors.New("has no name")
)

// Address returns the address of a destination at the peer: its name behind the
// peer's prefix for its kind, percent-encoded where the peer wants that. A name that
// starts with the prefix already is an address, and a temporary destination's name,
// which the peer made, always is. The zero Destination has no address, "". A kind
// that is not known, or a name that is missing or not valid UTF-8, is an error, a
// *[ValueError].
func (p Peer) Address(d Destination) (string, error) {
	switch {
	case d.IsZero():
		return "", nil
	case !d.Kind.valid():
		return "", &ValueError{What: "destination", Value: quote(d.Name), Err: errNoKind}
	case d.Name == "":
		return "", &ValueError{What: "destination", Value: d.Kind.String(), Err: errNoName}
	case !utf8.ValidString(d.Name):
		return "", &ValueError{What: "destination", Value: quote(d.Name), Err: errNotUTF8}
	}
	prefix := p.prefix(d.Kind)
	if prefix == "" || strings.HasPrefix(d.Name, prefix) {
		return d.Name, nil
	}
	name := d.Name
	if p.PercentEncoded {
		name = url.PathEscape(name)
	}
	return prefix + name, nil
}

// prefix returns what the addresses of a kind of destination start with.
func (p Peer) prefix(kind DestinationKind) string {
	switch kind {
	case Queue:
		return p.QueuePrefix
	case Topic:
		return p.TopicPrefix
	}
	return ""
}

// A Receiver is what only the receiver of a message knows. Receivers can be compared
// with ==.
type Receiver struct {
	Peer        Peer
	Destination Destination // what it receives from

	// NodeDefault is what a header means here that does not say whether it is durable.
	NodeDefault DeliveryMode
}

// Read returns a view of m as JMS sees it, for a receiver that got it at that time. The
// view keeps m and looks at nothing before it is asked. A field that cannot be read is
// an error of its own method only.
func (r Receiver) Read(m *amqp.Message, received time.Time) View {
	return View{Message: m, receiver: r, received: received}
}

// A View is a received message as JMS sees it. [Receiver.Read] makes it. It may be
// used by several goroutines at once as long as none of them changes the message.
type View struct {
	Message  *amqp.Message
	receiver Receiver
	received time.Time
}

// annotation returns a message annotation, nil where there is none.
func (v View) annotation(name string) any { return v.Message.Annotations[name] }

// properties returns the properties section, an empty one where there is none.
func (v View) properties() amqp.MessageProperties {
	if p := v.Message.Properties; p != nil {
		return *p
	}
	return amqp.MessageProperties{}
}

// DeliveryTime returns JMSDeliveryTime, as [RawMessage.DeliveryTimeFrom] does for the
// receiver's peer. An annotation counts whose key is a string, too: go-amqp does not tell
// strings from symbols.
func (v View) DeliveryTime() (int64, error) {
	d := delays{
		time:    numberFrom(v.annotation(annotationDeliveryTime)),
		enqueue: numberFrom(v.annotation(annotationEnqueueTime)),
		delay:   numberFrom(v.annotation(annotationDeliveryDelay)),
		created: numberFromTime(v.properties().CreationTime),
	}
	if v.receiver.Peer.Delay == DelayProperty {
		d.property = numberFrom(v.Message.ApplicationProperties[propertyScheduledDelay])
	}
	return d.deliveryTime()
}

// Expiration returns JMSExpiration, as [RawMessage.Expiration] does.
func (v View) Expiration() (int64, error) {
	h, err := HeaderFrom(v.Message.Header)
	if err != nil {
		return 0, err
	}
	return expiration(numberFromTime(v.properties().AbsoluteExpiryTime), h.TTL, v.received)
}

func numberFromTime(t *time.Time) number {
	if t == nil {
		return number{}
	}
	return number{kind: numberTimestamp, n: t.UnixMilli()}
}
