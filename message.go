package amqpjms

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
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
	if n, ok := integerFrom(annotation); ok && 0 <= n && n <= int64(TemporaryTopic.annotation()) {
		return Queue + DestinationKind(n)
	}
	if kind := kindOfWords(annotation); kind != UnknownKind {
		return kind
	}
	return kindOfWords(legacy)
}

func kindOfWords(v any) DestinationKind {
	var words string
	switch v := v.(type) {
	case string:
		words = v
	case amqp.Symbol:
		words = string(v)
	default:
		return UnknownKind
	}
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

// A Consumer is what only the receiver of a message knows. Receivers can be compared with
// ==.
type Consumer struct {
	Peer        Peer
	Destination Destination // what it receives from

	// NodeDefault is what a header means here that does not say whether it is durable. As
	// go-amqp does not tell such a header from one that says no, that is only a message
	// without a header: see [HeaderFrom].
	NodeDefault DeliveryMode
}

// View returns a view of m as JMS sees it, for a receiver that got it at that time. The
// view keeps m and looks at nothing before it is asked. A field that cannot be read is an
// error of its own method only.
func (c Consumer) View(m *amqp.Message, received time.Time) View {
	return View{Message: m, at: &reception{c, received}}
}

// A reception is what a View knows beside the message. A pointer to it keeps views small,
// which are copied with each call.
type reception struct {
	consumer Consumer
	received time.Time
}

// A View is a received message as JMS sees it. [Consumer.View] makes it; one that is made
// without is that of the zero Consumer, to which the time of receipt is not known. It has
// to have a message. A View may be used by several goroutines at once as long as none of
// them changes the message. Do not compare Views: two of the same message may differ.
type View struct {
	Message *amqp.Message
	at      *reception // nil: of the zero Consumer
}

// from returns how the message was received.
func (v View) from() *reception {
	if v.at == nil {
		return &reception{}
	}
	return v.at
}

// annotation returns a message annotation, nil where there is none. go-amqp decodes keys
// as strings; in a message made here they may be symbols.
func (v View) annotation(name string) any { return annotationOf(v.Message, name) }

func annotationOf(m *amqp.Message, name string) any {
	if a, ok := m.Annotations[name]; ok || len(m.Annotations) == 0 {
		return a
	}
	return m.Annotations[amqp.Symbol(name)]
}

// propertiesOf returns the properties of m, none stated where it has no section: not to be
// written into.
func propertiesOf(m *amqp.Message) *amqp.MessageProperties {
	if m.Properties != nil {
		return m.Properties
	}
	return &amqp.MessageProperties{}
}

// MessageID returns JMSMessageID, the zero ID if there is none; [ID.JMSMessageID] is the
// string. An id that is none of AMQP's four types or no valid UTF-8 is an error, a
// *[ValueError].
func (v View) MessageID() (ID, error) { return IDFrom(propertiesOf(v.Message).MessageID) }

// CorrelationID returns JMSCorrelationID, as MessageID does; [ID.JMSCorrelationID] is the string.
func (v View) CorrelationID() (ID, error) { return IDFrom(propertiesOf(v.Message).CorrelationID) }

// Destination returns JMSDestination: what the message says, or the receiver's own where
// it says none. An address that is not valid UTF-8 is an error, a *[ValueError].
func (v View) Destination() (Destination, error) {
	to := propertiesOf(v.Message).To
	if to == nil {
		return v.from().consumer.Destination, nil
	}
	return v.destination("to", *to, annotationDest, annotationToType)
}

// ReplyTo returns JMSReplyTo, the zero Destination if there is none. An address that is
// not valid UTF-8 is an error, a *[ValueError].
func (v View) ReplyTo() (Destination, error) {
	replyTo := propertiesOf(v.Message).ReplyTo
	if replyTo == nil {
		return Destination{}, nil
	}
	return v.destination("reply-to", *replyTo, annotationReplyTo, annotationReplyType)
}

func (v View) destination(what, address, annotation, legacy string) (Destination, error) {
	if err := checkText(what, address); err != nil {
		return Destination{}, err
	}
	a := v.annotation(annotation)
	kind := DestinationKindFrom(a, nil)
	if kind == UnknownKind { // hardly ever: looked up only then, for that costs as much as all the rest
		kind = DestinationKindFrom(a, v.annotation(legacy))
	}
	r := &v.from().consumer
	return r.Peer.destination(address, kind, r.Destination.Kind), nil
}

// DeliveryMode returns JMSDeliveryMode, as [Header.JMSDeliveryMode] does. A header that
// go-amqp decoded is never [ModeUnset]: see [HeaderFrom].
func (v View) DeliveryMode() DeliveryMode {
	return Header{Mode: modeFrom(v.Message.Header)}.JMSDeliveryMode(v.from().consumer.NodeDefault)
}

// Priority returns JMSPriority, as [Header.JMSPriority] does.
func (v View) Priority() int { return Header{Priority: priorityFrom(v.Message.Header)}.JMSPriority() }

// Redelivered returns JMSRedelivered, as [Header.JMSRedelivered] does.
func (v View) Redelivered() bool {
	return Header{DeliveryCount: deliveryCountFrom(v.Message.Header)}.JMSRedelivered()
}

// DeliveryCount returns JMSXDeliveryCount, as [Header.JMSXDeliveryCount] does.
func (v View) DeliveryCount() int32 {
	return Header{DeliveryCount: deliveryCountFrom(v.Message.Header)}.JMSXDeliveryCount()
}

// Timestamp returns JMSTimestamp in milliseconds since 1970-01-01 UTC, 0 where there is none.
func (v View) Timestamp() int64 {
	return numberFromTime(propertiesOf(v.Message).CreationTime).n
}

// DeliveryTime returns JMSDeliveryTime, as [RawMessage.DeliveryTimeFrom] does for the
// receiver's peer. An annotation counts whose key is a string, too: go-amqp does not tell
// strings from symbols.
func (v View) DeliveryTime() (int64, error) {
	d := delaysOf(v.Message, v.from().consumer.Peer.Delay == DelayProperty)
	return d.deliveryTime()
}

// delaysOf returns what a message says of its delivery time, up to what decides it. The
// property counts only where the caller says so.
func delaysOf(m *amqp.Message, byProperty bool) delays {
	var d delays
	if len(m.Annotations) > 0 {
		if d.time = numberFrom(annotationOf(m, annotationDeliveryTime)); d.time.stated() {
			return d // which decides
		}
		if d.enqueue = numberFrom(annotationOf(m, annotationEnqueueTime)); d.enqueue.stated() {
			return d
		}
		d.delay = numberFrom(annotationOf(m, annotationDeliveryDelay))
	}
	d.created = numberFromTime(propertiesOf(m).CreationTime)
	if byProperty {
		d.property = numberFrom(m.ApplicationProperties[propertyScheduledDelay])
	}
	return d
}

// Expiration returns JMSExpiration, as [RawMessage.Expiration] does.
func (v View) Expiration() (int64, error) {
	if absolute := numberFromTime(propertiesOf(v.Message).AbsoluteExpiryTime); absolute.stated() {
		return expiration(absolute, Opt[uint32]{}, v.from().received)
	}
	h, err := HeaderFrom(v.Message.Header)
	if err != nil {
		return 0, err
	}
	return expiration(number{}, h.TTL, v.from().received)
}

func numberFromTime(t *time.Time) number {
	if t == nil {
		return number{}
	}
	return number{kind: numberTimestamp, n: t.UnixMilli()}
}

// Type returns JMSType, as it stands on the wire.
func (v View) Type() Opt[string] { return optional(propertiesOf(v.Message).Subject) }

// UserID returns JMSXUserID, "" for none: a user-id of no bytes is none. Bytes that are not
// valid UTF-8 are an error, a *[ValueError]; they are in the message's Properties.UserID.
func (v View) UserID() (string, error) { return JMSXUserID(propertiesOf(v.Message).UserID) }

// JMSXUserID returns the text of a user-id, "" for none and for an empty one. Bytes that
// are not valid UTF-8 are an error, a *[ValueError].
func JMSXUserID(userID []byte) (string, error) {
	user := string(userID)
	if err := checkText("user id", user); err != nil {
		return "", err
	}
	return user, nil
}

// GroupID returns JMSXGroupID as it stands on the wire. "" is a group too.
func (v View) GroupID() Opt[string] { return optional(propertiesOf(v.Message).GroupID) }

// GroupSeq returns JMSXGroupSeq.
func (v View) GroupSeq() Opt[int32] {
	if sequence := propertiesOf(v.Message).GroupSequence; sequence != nil {
		return Some(JMSXGroupSeq(*sequence))
	}
	return Opt[int32]{}
}

// JMSXGroupSeq returns a group-sequence as JMS's int, in which 2^31 and more are
// negative. [GroupSequence] goes back.
func JMSXGroupSeq(sequence uint32) int32 { return int32(sequence) }

// GroupSequence returns the group-sequence of a JMSXGroupSeq: negative numbers are 2^31 and more.
func GroupSequence(seq int32) uint32 { return uint32(seq) }

// ReplyToGroupID returns JMS_AMQP_REPLY_TO_GROUP_ID as it stands on the wire.
func (v View) ReplyToGroupID() Opt[string] { return optional(propertiesOf(v.Message).ReplyToGroupID) }

// ContentType returns JMS_AMQP_CONTENT_TYPE as it stands on the wire.
func (v View) ContentType() Opt[string] { return optional(propertiesOf(v.Message).ContentType) }

// ContentEncoding returns JMS_AMQP_CONTENT_ENCODING as it stands on the wire.
func (v View) ContentEncoding() Opt[string] { return optional(propertiesOf(v.Message).ContentEncoding) }

func optional(s *string) Opt[string] {
	if s == nil {
		return Opt[string]{}
	}
	return Some(*s)
}

// Body returns the body, which is the message's own. go-amqp decodes an amqp-value null
// as no body section.
func (v View) Body() Body { return bodyOf(v.Message) }

func bodyOf(m *amqp.Message) Body {
	p := propertiesOf(m)
	return Body{
		Annotation:      annotationOf(m, annotationMessageKind),
		ContentType:     optional(p.ContentType).Or(""),
		ContentEncoding: optional(p.ContentEncoding).Or(""),
		Data:            m.Data,
		Sequences:       m.Sequence,
		Value:           m.Value,
	}
}

// Kind returns what kind of message this is, as [Body.Kind] does.
func (v View) Kind() MessageKind { return v.Body().Kind() }

// AnnotatedKind returns the kind that the message says it is of, and an error, a
// *[ValueError], where what it says is none: the body decides then, as it does where it
// says nothing.
func (v View) AnnotatedKind() (Opt[MessageKind], error) {
	return MessageKindFrom(v.annotation(annotationMessageKind))
}

// Text returns the text of a TextMessage, as [Body.Text] does.
func (v View) Text() (Opt[string], error) { return v.Body().Text() }

// Bytes returns the bytes of a BytesMessage, as [Body.Bytes] does.
func (v View) Bytes() ([]byte, error) { return v.Body().Bytes() }

// Map returns what a MapMessage holds, as [Body.Map] does.
func (v View) Map() (map[string]any, error) { return v.Body().Map() }

// Stream returns what a StreamMessage holds, as [Body.Stream] does.
func (v View) Stream() ([]any, error) { return v.Body().Stream() }

// Object returns what an ObjectMessage holds, as [Body.Object] does.
func (v View) Object() (any, error) { return v.Body().Object() }

// Payload returns the bytes that a message carries, as [Body.Payload] does.
func (v View) Payload() ([]byte, error) { return v.Body().Payload() }

// Names of properties that are fields of the message.
const (
	jmsxDeliveryCount      = "JMSXDeliveryCount"
	jmsxGroupID            = "JMSXGroupID"
	jmsxGroupSeq           = "JMSXGroupSeq"
	jmsxUserID             = "JMSXUserID"
	jmsAMQPTTL             = "JMS_AMQP_TTL"
	jmsAMQPReplyToGroupID  = "JMS_AMQP_REPLY_TO_GROUP_ID"
	jmsAMQPContentType     = "JMS_AMQP_CONTENT_TYPE"
	jmsAMQPContentEncoding = "JMS_AMQP_CONTENT_ENCODING"
	jmsAMQPTypedEncoding   = "JMS_AMQP_TYPED_ENCODING"
)

// fieldNames returns these names.
func fieldNames() [9]string {
	return [...]string{jmsxDeliveryCount, jmsxGroupID, jmsxGroupSeq, jmsxUserID, jmsAMQPTTL,
		jmsAMQPReplyToGroupID, jmsAMQPContentType, jmsAMQPContentEncoding, jmsAMQPTypedEncoding}
}

// Property returns a property, which does not exist if the message has none of the name.
// Any name can be read. Those that are fields of the message are read from the field:
// JMSXGroupID, JMSXGroupSeq, JMSXDeliveryCount, JMSXUserID, JMS_AMQP_REPLY_TO_GROUP_ID,
// JMS_AMQP_CONTENT_TYPE, JMS_AMQP_CONTENT_ENCODING, JMS_AMQP_TYPED_ENCODING and JMS's
// header fields such as JMSPriority. JMS_AMQP_TTL is not a property of a received
// message. See [View.ApplicationProperty] for one that bears the name of a field.
func (v View) Property(name string) Value {
	if strings.HasPrefix(name, "JMS") {
		if p, ok := v.field(name); ok {
			p.what, p.name = "property", name
			return p
		}
	}
	p, ok := v.ApplicationProperty(name)
	return Value{what: "property", name: name, raw: p, exists: ok && !v.hidden(name)}
}

// ApplicationProperty returns the application property of a name as it was decoded,
// whether or not the name is that of a field.
func (v View) ApplicationProperty(name string) (any, bool) {
	p, ok := v.Message.ApplicationProperties[name]
	return p, ok
}

// hidden reports whether a property is the peer's business and no application's (AMQ-8320).
func (v View) hidden(name string) bool {
	return name == propertyScheduledDelay && v.from().consumer.Peer.Delay == DelayProperty
}

// field returns the property that a field of the message is, false where the name is none of a field.
func (v View) field(name string) (Value, bool) {
	text := func(s Opt[string]) Value { return Value{raw: s.v, exists: s.ok} }
	id := func(id ID, err error, jms func(ID) string) Value {
		return Value{raw: jms(id), err: err, exists: err != nil || !id.IsZero()}
	}
	destination := func(d Destination, err error) Value {
		return Value{raw: d.Name, err: err, exists: err != nil || !d.IsZero()}
	}
	long := func(n int64, err error) Value { return Value{raw: n, err: err, exists: true} }
	var p Value
	switch name {
	case jmsxDeliveryCount:
		p = Value{raw: v.DeliveryCount(), exists: true}
	case jmsxGroupID:
		p = text(v.GroupID())
	case jmsxGroupSeq:
		n, ok := v.GroupSeq().Get()
		p = Value{raw: n, exists: ok}
	case jmsxUserID:
		user, err := v.UserID()
		p = Value{raw: user, err: err, exists: err != nil || user != ""}
	case jmsAMQPTTL:
	case jmsAMQPReplyToGroupID:
		p = text(v.ReplyToGroupID())
	case jmsAMQPContentType:
		p = text(v.ContentType())
	case jmsAMQPContentEncoding:
		p = text(v.ContentEncoding())
	case jmsAMQPTypedEncoding:
		p = Value{raw: true, exists: v.Body().Typed()}
	case "JMSMessageID":
		i, err := v.MessageID()
		p = id(i, err, ID.JMSMessageID)
	case "JMSCorrelationID":
		i, err := v.CorrelationID()
		p = id(i, err, ID.JMSCorrelationID)
	case "JMSDestination":
		p = destination(v.Destination())
	case "JMSReplyTo":
		p = destination(v.ReplyTo())
	case "JMSDeliveryMode":
		p = Value{raw: v.DeliveryMode().String(), exists: true} // [jms 3.8.1.1]
	case "JMSPriority":
		p = Value{raw: int32(v.Priority()), exists: true}
	case "JMSRedelivered":
		p = Value{raw: v.Redelivered(), exists: true}
	case "JMSType":
		p = text(v.Type())
	case "JMSTimestamp":
		p = long(v.Timestamp(), nil)
	case "JMSExpiration":
		p = long(v.Expiration())
	case "JMSDeliveryTime":
		p = long(v.DeliveryTime())
	default:
		return Value{}, false
	}
	if !p.exists || p.err != nil {
		p.raw = nil
	}
	return p, true
}

// PropertyNames returns the names of the properties that exist, sorted:
// JMSXDeliveryCount, the fields that the message has, and the application properties.
// JMS's header fields are no properties, and are named only where there is an application
// property of that name too.
func (v View) PropertyNames() []string {
	var names []string
	for _, name := range fieldNames() {
		if p, _ := v.field(name); p.exists {
			names = append(names, name)
		}
	}
	for name := range v.Message.ApplicationProperties {
		if v.Property(name).exists {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A Correlation is which id of a request its reply bears as correlation-id.
type Correlation uint8

const (
	// The request's correlation-id, or where it has none its message-id.
	CorrelationIDFirst Correlation = iota
	// The request's message-id.
	MessageIDOnly
)

// ID returns the correlation-id of a reply to a request with these ids. It has the type
// of the id that it is, and is the zero ID where the request has none.
func (c Correlation) ID(correlationID, messageID ID) ID {
	if c == MessageIDOnly || correlationID.IsZero() {
		return messageID
	}
	return correlationID
}

// Reply returns a new message that answers this one, and where to send it. The message
// bears the correlation-id and nothing else: give it a body with a [Editor], and send it
// with a [Producer] of that destination, whose address is the request's reply-to byte for
// byte.
//
// It is an error, a *[ValueError], if the request does not say where to reply, or if that
// or the id that is to be used cannot be read.
func (v View) Reply(c Correlation) (*amqp.Message, Destination, error) {
	d, err := v.ReplyTo()
	if err != nil {
		return nil, Destination{}, err
	}
	if d.Name == "" && d.Address == "" {
		return nil, Destination{}, &ValueError{What: "reply-to", Value: "none", Err: errors.New("the message asks for no reply")}
	}
	d.Address = *v.Message.Properties.ReplyTo
	var correlationID ID
	if c != MessageIDOnly {
		if correlationID, err = v.CorrelationID(); err != nil {
			return nil, Destination{}, err
		}
	}
	var messageID ID
	if correlationID.IsZero() {
		if messageID, err = v.MessageID(); err != nil {
			return nil, Destination{}, err
		}
	}
	m := &amqp.Message{Properties: &amqp.MessageProperties{CorrelationID: c.ID(correlationID, messageID).Value()}}
	return m, d, nil
}

// A Editor is how messages are written. The zero Editor writes for any peer, and holds
// property names to JMS's rule. Writers can be compared with == and used by several
// goroutines at once.
//
// Its methods set one thing of a message and leave all else as it is. What the message
// may share with another (its properties, annotations, application properties and header)
// is not written into but replaced by a copy, nil where nothing is left in it, and nothing
// changes on error. Errors are *[ValueError].
//
// What a [Producer] stamps on a message is not its business: the message id, the
// destination, the times, the header.
type Editor struct {
	Peer Peer

	// AnyPropertyName allows names of properties that are no Java identifiers, or are words
	// of JMS's selectors. Qpid JMS hides such properties.
	AnyPropertyName bool

	// EscapePropertyNames escapes names of properties as [EscapePropertyName] does.
	// [View.Property] does not unescape them.
	EscapePropertyNames bool
}

// SetText makes m a TextMessage. Where the peer wants texts as data, it goes into a data
// section, whose content type stays if it is a text type in UTF-8 already. A text that is
// not valid UTF-8 is an error.
func (w Editor) SetText(m *amqp.Message, text string) error {
	body := TextBody
	if w.Peer.TextAsData {
		body = TextDataBody
	}
	b, err := body(text)
	return w.setBody(m, b, err)
}

// SetNullText makes m a TextMessage whose text is null, which is not "".
func (w Editor) SetNullText(m *amqp.Message) { _ = w.setBody(m, NullTextBody(), nil) }

// SetBytes makes m a BytesMessage, and keeps b. The content-type and the content-encoding
// that m has stay, which say more than that there are bytes, unless they are of a Java object.
func (w Editor) SetBytes(m *amqp.Message, b []byte) { _ = w.setBody(m, BytesBody(b), nil) }

// SetMap makes m a MapMessage of a copy of values. See [MapBody] for what they may be.
func (w Editor) SetMap(m *amqp.Message, values map[string]any) error {
	b, err := MapBody(values)
	return w.setBody(m, b, err)
}

// SetStream makes m a StreamMessage of a copy of values. See [MapBody] for what they may be.
func (w Editor) SetStream(m *amqp.Message, values []any) error {
	b, err := StreamBody(values)
	return w.setBody(m, b, err)
}

// SetObject makes m an ObjectMessage of an AMQP value (JMS_AMQP_TYPED_ENCODING), and
// keeps it. See [ObjectBody] for what it may be.
func (w Editor) SetObject(m *amqp.Message, v any) error {
	b, err := ObjectBody(v)
	return w.setBody(m, b, err)
}

// SetJavaObject makes m an ObjectMessage of a serialized Java object, and keeps its bytes.
func (w Editor) SetJavaObject(m *amqp.Message, object []byte) {
	_ = w.setBody(m, JavaObjectBody(object), nil)
}

// SetPlain makes m a plain Message, one without a body.
func (w Editor) SetPlain(m *amqp.Message) { _ = w.setBody(m, PlainBody(), nil) }

// setBody gives m a body, if that could be made, which is of the content-type and the
// content-encoding that m has where they can be true of it.
func (w Editor) setBody(m *amqp.Message, b Body, err error) error {
	if err == nil {
		had := bodyOf(m)
		b.ContentType, b.ContentEncoding = b.contentTypeAfter(had.ContentType, had.ContentEncoding)
		w.SetBody(m, b)
	}
	return err
}

// SetBody gives m a body in place of any other, as [Body.Outgoing] makes it, with the
// content-type and the content-encoding of its own. Where it has neither, the content-type
// that m has stays if it can be true of the new body: one of a text in UTF-8 of a text, any
// of bytes but that of a Java object, that of an object.
func (w Editor) SetBody(m *amqp.Message, b Body) {
	b = b.Outgoing()
	had := bodyOf(m)
	if b.ContentType == "" && b.ContentEncoding == "" {
		b.ContentType, _ = b.contentTypeAfter(had.ContentType, "")
	}
	if b.ContentType != had.ContentType || b.ContentEncoding != had.ContentEncoding {
		editProperties(m, func(p *amqp.MessageProperties) {
			p.ContentType, p.ContentEncoding = stated(b.ContentType), stated(b.ContentEncoding)
		})
	}
	setAnnotation(m, b.Annotation, annotationMessageKind)
	m.Data, m.Sequence, m.Value = b.Data, b.Sequences, b.Value
}

// stated returns a field for go-amqp to send, nil for "".
func stated(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// editProperties edits a copy of the properties of m, which it may share with another
// message. Where nothing is left of them m has none, for go-amqp sends those that are
// empty as an empty section.
func editProperties(m *amqp.Message, edit func(*amqp.MessageProperties)) {
	var p amqp.MessageProperties
	if m.Properties != nil {
		p = *m.Properties
	}
	edit(&p)
	if m.Properties = nil; !emptyProperties(&p) {
		m.Properties = &p
	}
}

// emptyProperties reports whether none of the 13 is there [amqp 3.2.4].
func emptyProperties(p *amqp.MessageProperties) bool {
	return p.MessageID == nil && len(p.UserID) == 0 && p.To == nil && p.Subject == nil && p.ReplyTo == nil &&
		p.CorrelationID == nil && p.ContentType == nil && p.ContentEncoding == nil && p.AbsoluteExpiryTime == nil &&
		p.CreationTime == nil && p.GroupID == nil && p.GroupSequence == nil && p.ReplyToGroupID == nil
}

// edited returns a copy of a section's map, with room for some more entries, as edit
// leaves it: nil where nothing is left, for go-amqp sends an empty map as an empty section.
func edited[M ~map[K]any, K comparable](m M, more int, edit func(M)) M {
	own := make(M, len(m)+more)
	maps.Copy(own, m)
	edit(own)
	if len(own) == 0 {
		return nil
	}
	return own
}

// setAnnotation gives m annotations that it shares with no other message, without the
// names, the first of which gets a value unless that is nil.
func setAnnotation(m *amqp.Message, value any, name string, others ...string) {
	m.Annotations = edited(m.Annotations, 1, func(a amqp.Annotations) {
		deleteAnnotation(a, name)
		for _, other := range others {
			deleteAnnotation(a, other)
		}
		if value != nil {
			a[name] = value
		}
	})
}

// deleteAnnotation deletes an annotation, in both forms that go-amqp sends as a symbol.
func deleteAnnotation(a amqp.Annotations, name string) {
	delete(a, name)
	delete(a, amqp.Symbol(name))
}

// SetReplyTo sets JMSReplyTo, and removes it if d is the zero Destination. It is an error
// if d has no address, see [Peer.Address].
func (w Editor) SetReplyTo(m *amqp.Message, d Destination) error {
	address, err := w.Peer.Address(d)
	if err != nil {
		return err
	}
	var replyTo *string
	var kind any
	if !d.IsZero() {
		replyTo, kind = &address, d.Kind.annotation()
	}
	editProperties(m, func(p *amqp.MessageProperties) { p.ReplyTo = replyTo })
	setAnnotation(m, kind, annotationReplyTo, annotationReplyType)
	return nil
}

// SetType sets JMSType, and removes it if none is stated. It is an error if it is not valid UTF-8.
func (w Editor) SetType(m *amqp.Message, jmsType Opt[string]) error {
	subject, err := textField("type", jmsType)
	if err == nil {
		editProperties(m, func(p *amqp.MessageProperties) { p.Subject = subject })
	}
	return err
}

// textField returns a field for go-amqp to send.
func textField(what string, text Opt[string]) (*string, error) {
	s, ok := text.Get()
	if !ok {
		return nil, nil
	}
	if err := checkText(what, s); err != nil {
		return nil, err
	}
	return &s, nil
}

// SetCorrelationID sets JMSCorrelationID, and removes it if id is the zero ID.
func (w Editor) SetCorrelationID(m *amqp.Message, id ID) {
	editProperties(m, func(p *amqp.MessageProperties) { p.CorrelationID = id.Value() })
}

// SetGroup sets JMSXGroupID and JMSXGroupSeq, and removes what is not stated. It is an
// error if the id is not valid UTF-8.
func (w Editor) SetGroup(m *amqp.Message, id Opt[string], seq Opt[int32]) error {
	groupID, err := textField("group id", id)
	if err != nil {
		return err
	}
	var groupSequence *uint32
	if n, ok := seq.Get(); ok {
		sequence := GroupSequence(n)
		groupSequence = &sequence
	}
	editProperties(m, func(p *amqp.MessageProperties) { p.GroupID, p.GroupSequence = groupID, groupSequence })
	return nil
}

// SetProperty sets a property, see [Editor.SetProperties].
func (w Editor) SetProperty(m *amqp.Message, name string, value any) error {
	return w.SetProperties(m, map[string]any{name: value})
}

// SetProperties sets properties, all or none. Values are of JMS's types: bool, int8,
// int16, int32, int64, float32, float64, string and nil. Names that are fields of the
// message set the field: JMSXGroupID, JMS_AMQP_REPLY_TO_GROUP_ID, JMS_AMQP_CONTENT_TYPE
// and JMS_AMQP_CONTENT_ENCODING a string, the last two in ASCII, or nil to remove it;
// JMSXGroupSeq an integer in the range of int; JMS_AMQP_TTL an integer from 0 to 2^32-1, the
// ttl of the header alone, which a [Producer] writes anew: set it after that, or in the
// producer's WireTTL. nil is no integer: [Editor.RemoveProperty] removes those two.
//
// It is an error if a value is of another type; if a name is not one that
// [Editor.PropertyKey] takes; if it is of a field that cannot be set: JMSXDeliveryCount,
// JMSXUserID, JMS_AMQP_TYPED_ENCODING ([Editor.SetObject] and [Editor.SetJavaObject]
// decide).
//
// It copies the application properties if it sets any, so set many at once rather than one by
// one.
func (w Editor) SetProperties(m *amqp.Message, properties map[string]any) error {
	next := *m // of which nothing is seen on error
	var own map[string]any
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value := properties[name]
		if isField, err := setField(&next, name, value); isField {
			if err != nil {
				return err
			}
			continue
		}
		key, err := w.PropertyKey(name)
		if err != nil {
			return err
		}
		if err := checkProperty("property "+quote(name), value); err != nil {
			return err
		}
		if own == nil { // fields alone cost no copy
			own = make(map[string]any, len(m.ApplicationProperties)+len(properties))
			maps.Copy(own, m.ApplicationProperties)
		}
		own[key] = value
	}
	m.Header, m.Properties = next.Header, next.Properties
	if own != nil {
		m.ApplicationProperties = own
	}
	return nil
}

// setField sets the field of m that a property is, and reports whether it is one. m must be the caller's own.
func setField(m *amqp.Message, name string, value any) (isField bool, err error) {
	wrong := func(why string) (bool, error) {
		shown := fmt.Sprintf("of type %T", value)
		if n := numberFrom(value); n.kind == numberInteger {
			shown = strconv.FormatInt(n.n, 10)
		} else if value == nil {
			shown = "nil"
		}
		return true, &ValueError{What: name, Value: shown, Err: errors.New(why)}
	}
	text := func(check func(what, text string) error, set func(p *amqp.MessageProperties, s *string)) (bool, error) {
		var s *string
		if value != nil {
			v, ok := value.(string)
			if !ok {
				return wrong("not a string")
			}
			if err := check(name, v); err != nil {
				return true, err
			}
			s = &v
		}
		editProperties(m, func(p *amqp.MessageProperties) { set(p, s) })
		return true, nil
	}
	switch name {
	case jmsxGroupID:
		return text(checkText, func(p *amqp.MessageProperties, s *string) { p.GroupID = s })
	case jmsAMQPReplyToGroupID:
		return text(checkText, func(p *amqp.MessageProperties, s *string) { p.ReplyToGroupID = s })
	case jmsAMQPContentType:
		return text(checkSymbol, func(p *amqp.MessageProperties, s *string) { p.ContentType = s })
	case jmsAMQPContentEncoding:
		return text(checkSymbol, func(p *amqp.MessageProperties, s *string) { p.ContentEncoding = s })
	case jmsxGroupSeq:
		n := numberFrom(value)
		if n.kind != numberInteger || n.n != int64(int32(n.n)) {
			return wrong("not an integer from -2^31 to 2^31-1")
		}
		sequence := GroupSequence(int32(n.n))
		editProperties(m, func(p *amqp.MessageProperties) { p.GroupSequence = &sequence })
		return true, nil
	case jmsAMQPTTL:
		n := numberFrom(value)
		if n.kind != numberInteger || n.n != int64(uint32(n.n)) {
			return wrong("not an integer from 0 to 2^32-1")
		}
		h := Header{}.MessageHeader()
		if m.Header != nil {
			*h = *m.Header
		}
		h.TTL = time.Duration(n.n) * time.Millisecond
		m.Header = h
		return true, nil
	case jmsxDeliveryCount, jmsxUserID:
		return wrong("cannot be set or removed")
	case jmsAMQPTypedEncoding:
		return wrong("cannot be set or removed: SetObject and SetJavaObject decide")
	}
	return false, nil
}

// RemoveProperty removes a property of any name. Those that are fields of the message
// remove the field as well. It is an error if that cannot be removed, as JMSXDeliveryCount,
// JMSXUserID and JMS_AMQP_TYPED_ENCODING cannot, or if the name cannot be escaped.
func (w Editor) RemoveProperty(m *amqp.Message, name string) error {
	key := name
	if w.EscapePropertyNames {
		var err error
		if key, err = EscapePropertyName(name); err != nil {
			return err
		}
	}
	switch name {
	case jmsxGroupSeq:
		editProperties(m, func(p *amqp.MessageProperties) { p.GroupSequence = nil })
	case jmsAMQPTTL:
		if m.Header != nil {
			h := *m.Header
			h.TTL = 0
			m.Header = &h
		}
	default:
		if _, err := setField(m, name, nil); err != nil {
			return err
		}
	}
	removeApplicationProperty(m, key)
	return nil
}

// removeApplicationProperty gives m application properties without one, which it shares with
// no other message if it had that.
func removeApplicationProperty(m *amqp.Message, key string) {
	if _, ok := m.ApplicationProperties[key]; ok {
		m.ApplicationProperties = edited(m.ApplicationProperties, 0, func(own map[string]any) { delete(own, key) })
	}
}

// PropertyKey returns the key that a property has among the application properties: its
// name, or what the Writer escapes that to. It is an error if the name is one that JMS
// keeps for itself, which is all that start with "JMS" but "JMS_" and what is known as a
// field; and, unless any name may be set, if it is not what [CheckPropertyName] takes.
func (w Editor) PropertyKey(name string) (string, error) {
	key := name
	if w.EscapePropertyNames {
		var err error
		if key, err = EscapePropertyName(name); err != nil {
			return "", err
		}
	}
	wrong := func(why string) (string, error) {
		return "", &ValueError{What: "property", Value: quote(name), Err: errors.New(why)}
	}
	fields := fieldNames()
	switch {
	case name == "":
		return wrong("empty")
	case !strings.HasPrefix(name, "JMS"):
	case slices.Contains(fields[:], name):
		return wrong("a field of the message, and no application property")
	case !strings.HasPrefix(name, "JMS_"):
		return wrong("JMS keeps names that start with JMS for itself") // [jms 3.5.1]
	}
	if err := checkText("property", name); err != nil {
		return "", err
	}
	if !w.AnyPropertyName {
		if err := CheckPropertyName(key); err != nil {
			return "", err
		}
	}
	return key, nil
}

// CheckPropertyName is an error, a *[ValueError], if a name is not JMS's for a property:
// a Java identifier of characters up to U+FFFF other than NULL, TRUE, FALSE, NOT, AND,
// OR, BETWEEN, LIKE, IN, IS and ESCAPE, in upper case [jms 3.8.1.1].
func CheckPropertyName(name string) error {
	wrong := func(why string) error {
		return &ValueError{What: "property", Value: quote(name), Err: errors.New(why)}
	}
	switch name {
	case "":
		return wrong("empty")
	case "NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE":
		return wrong("a word of JMS's selectors")
	}
	for i, r := range name {
		switch {
		case i == 0 && !identifierStart(r):
			return wrong("starts with " + strconv.QuoteRune(r) + ", which starts no Java identifier")
		case !identifierPart(r):
			return wrong("holds " + strconv.QuoteRune(r) + ", which is in no Java identifier")
		}
	}
	return nil
}

// identifierStart reports whether a Java identifier may start so. Java's rule is one for
// UTF-16 code units, so no character above U+FFFF can pass it.
func identifierStart(r rune) bool {
	return r <= 0xffff && (unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Sc, unicode.Pc))
}

func identifierPart(r rune) bool {
	if identifierStart(r) {
		return true
	}
	ignorable := r <= 0x08 || 0x0e <= r && r <= 0x1b || 0x7f <= r && r <= 0x9f
	return r <= 0xffff && (ignorable || unicode.In(r, unicode.Nd, unicode.Mc, unicode.Mn, unicode.Cf))
}

// What stands for characters that Java identifiers have not, as Apache Camel has it.
const (
	escapedHyphen = "_HYPHEN_"
	escapedDot    = "_DOT_"
)

// EscapePropertyName returns a name with _HYPHEN_ for each "-" and _DOT_ for each ".", so
// that Qpid JMS, which hides names that are no Java identifiers, shows it. A name that
// [UnescapePropertyName] would not give back is an error, a *[ValueError]: one that holds
// these words.
func EscapePropertyName(name string) (string, error) {
	escaped := strings.NewReplacer("-", escapedHyphen, ".", escapedDot).Replace(name)
	if UnescapePropertyName(escaped) != name {
		return "", &ValueError{What: "property", Value: quote(name), Err: errors.New("holds what - or . is escaped as")}
	}
	return escaped, nil
}

// UnescapePropertyName returns the name that was escaped so.
func UnescapePropertyName(escaped string) string {
	return strings.NewReplacer(escapedHyphen, "-", escapedDot, ".").Replace(escaped)
}

// Forward returns m as it is passed on now, by the rules of [Forwarder.Append]: a new
// message, all of which but the header, the delivery annotations and the delay is as m has
// it, and shared with m. It has no delivery tag: that was for the link that m came from. m
// itself is not changed, and is still there to be settled.
//
// A message without a body section becomes one with an amqp-value null, for go-amqp
// decodes both alike, and some peers end the session of the first. See [Body.Outgoing].
//
// It is an error, a *[ValueError], if the header or the delay cannot be read, if the
// message has a relative delay and no creation-time, if it has to wait and the next peer
// cannot delay, and if it has something that go-amqp cannot write, see [Stamp.Apply]: pass
// its bytes on with Append then.
func (f Forwarder) Forward(m *amqp.Message, now time.Time) (*amqp.Message, error) {
	h, err := HeaderFrom(m.Header)
	if err != nil {
		return nil, err
	}
	byProperty := f.From.Delay == DelayProperty
	d := delaysOf(m, byProperty)
	delay, err := f.delay(&d, now)
	if err != nil {
		return nil, err
	}
	out := &amqp.Message{
		Format:                m.Format,
		Header:                f.header(h).MessageHeader(),
		Annotations:           annotationsAfter(m.Annotations, delay),
		Properties:            m.Properties,
		ApplicationProperties: m.ApplicationProperties,
		Data:                  m.Data,
		Value:                 bodyOf(m).valueToSend(),
		Sequence:              m.Sequence,
		Footer:                m.Footer,
	}
	if byProperty {
		removeApplicationProperty(out, propertyScheduledDelay)
	}
	if err := checkWritable(out); err != nil {
		return nil, err
	}
	return out, nil
}

// annotationsAfter returns annotations with what is left of the delay.
func annotationsAfter(a amqp.Annotations, delay DelayRequest) amqp.Annotations {
	if len(a) == 0 && delay.Form == DelayUnset {
		return a // an empty section stays one
	}
	return edited(a, 1, func(a amqp.Annotations) {
		for _, form := range [...]DelayForm{DelayAbsolute, DelayRelative, DelayEnqueueTime} {
			deleteAnnotation(a, form.String())
		}
		switch delay.Form {
		case DelayAbsolute:
			a[annotationDeliveryTime] = delay.Time
		case DelayEnqueueTime:
			a[annotationEnqueueTime] = time.UnixMilli(delay.Time).UTC()
		}
	})
}

// checkWritable is an error if go-amqp cannot write something of m, though it decodes it:
// keys of annotations and of the footer of some types, and what [checkValue] finds. It looks
// at all of them, at the ids, which may be of any type there, and at every value of a map or a
// list in the body.
func checkWritable(m *amqp.Message) error {
	for _, section := range [...]struct {
		kind SectionKind
		m    amqp.Annotations
	}{{SectionDeliveryAnnotations, m.DeliveryAnnotations}, {SectionMessageAnnotations, m.Annotations}, {SectionFooter, m.Footer}} {
		if err := checkAnnotations(section.kind, section.m, 0); err != nil {
			return err
		}
	}
	if p := m.Properties; p != nil {
		if err := cmp.Or(checkValue(SectionProperties, p.MessageID, 0), checkValue(SectionProperties, p.CorrelationID, 0)); err != nil {
			return err
		}
	}
	for _, value := range m.ApplicationProperties {
		if err := checkValue(SectionApplicationProperties, value, 0); err != nil {
			return err
		}
	}
	for _, sequence := range m.Sequence {
		if err := checkValue(SectionAMQPSequence, sequence, 0); err != nil {
			return err
		}
	}
	return checkValue(SectionAMQPValue, m.Value, 0)
}

// checkAnnotations is an error if go-amqp cannot write a key of annotations, or a value is
// an error to [checkValue].
func checkAnnotations(in SectionKind, a amqp.Annotations, depth int) error {
	for key, value := range a {
		switch key.(type) {
		case string, amqp.Symbol, int, int64:
		default:
			return &ValueError{What: "key of the " + in.String(), Value: fmt.Sprintf("%s %v", amqpTypeName(key), key),
				Err: errNotWritten}
		}
		if err := checkValue(in, value, depth); err != nil {
			return err
		}
	}
	return nil
}

// checkValue is an error if v is, or holds, something that go-amqp writes wrongly: an array,
// or a described value whose descriptor was a symbol.
func checkValue(in SectionKind, v any, depth int) error {
	const most = 10_000 // a cycle that Go can make and AMQP cannot, or something very odd
	if depth > most {
		return &ValueError{What: in.String(), Value: fmt.Sprintf("of type %T", v), Err: errTooDeep}
	}
	switch v := v.(type) {
	case nil, amqp.Null, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64,
		string, []byte, time.Time, amqp.UUID:
	case amqp.Symbol: // of the caller's: one that go-amqp decodes is a string
		return checkSymbol(in.String(), string(v))
	case []any:
		for _, e := range v {
			if err := checkValue(in, e, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, e := range v {
			if err := checkValue(in, e, depth+1); err != nil {
				return err
			}
		}
	case map[any]any:
		for key, e := range v {
			if err := checkValue(in, key, depth+1); err != nil {
				return err
			}
			if err := checkValue(in, e, depth+1); err != nil {
				return err
			}
		}
	case []map[any]any:
		for _, e := range v {
			if err := checkValue(in, e, depth+1); err != nil {
				return err
			}
		}
	case amqp.Annotations: // in a modified outcome
		return checkAnnotations(in, v, depth+1)
	case []int32, []int64, []time.Time:
		return checkArray(in.String(), v)
	default:
		return checkRare(in, reflect.ValueOf(v), depth)
	}
	return nil
}

// checkRare is checkValue for the types of go-amqp's own that it decodes described values
// into, which have no names here, and for what a caller alone can make of the others.
func checkRare(in SectionKind, v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() { // at which go-amqp panics
			return &ValueError{What: in.String(), Value: "of type " + v.Type().String(), Err: fmt.Errorf("%w: nil", errNotWritten)}
		}
		return checkValue(in, v.Elem().Interface(), depth+1)
	case reflect.Map:
		for _, e := range v.Seq2() {
			if err := checkValue(in, e.Interface(), depth+1); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			f := v.Field(i)
			if f.Kind() == reflect.Pointer && f.IsNil() {
				continue // an absent field, as the error of a rejected outcome
			}
			e := f.Interface()
			if _, ok := e.(string); ok && field.Name == "Descriptor" { // a symbol becomes a string as it is decoded
				return &ValueError{What: in.String(), Value: "of type " + v.Type().String(),
					Err: fmt.Errorf("%w: its descriptor, a symbol, would be a string", errNotWritten)}
			}
			if err := checkValue(in, e, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Problem is something in a message that somebody misreads, refuses or ignores.
type Problem struct {
	In   string // where: "header", "annotation x-opt-jms-dest", "body", …
	Who  string // a peer, "Qpid JMS" for JMS applications behind any peer, or "AMQP 1.0" for what it forbids
	What string // what becomes of it
}

// String returns the problem on one line, for people to read.
func (p Problem) String() string { return p.In + ": " + p.Who + ": " + p.What }

// Who Check speaks of beside the peers.
const (
	whoAMQP = "AMQP 1.0"
	whoJMS  = "Qpid JMS"
)

// CheckMessage is [Check] for a message that go-amqp is to send. It is an error, a
// *[ValueError], if go-amqp cannot encode it.
func CheckMessage(m *amqp.Message, p Peer) ([]Problem, error) {
	if err := checkWritable(m); err != nil {
		return nil, err
	}
	b, err := m.MarshalBinary()
	if err != nil {
		return nil, &ValueError{What: "message", Value: "of kind " + bodyOf(m).Kind().String(), Err: err}
	}
	return Check(b, p), nil
}

// Check returns what a peer, or a JMS application behind it, would misread, refuse or
// ignore in an encoded message: all that is known of the predefined peers, which are told
// apart by their Product. For the zero Peer it is what any of them would. It finds what was
// seen of those versions (see [Artemis] and the others), so an empty answer is no promise.
//
// It also finds some of what AMQP 1.0 forbids: sections that are broken, properties and keys
// of a wrong type, equal keys in a section that is a map or in a body that is one
// [amqp 1.6.23]. Of keys it compares those of the right type, in a body strings. It does not
// look into values of annotations, properties, maps and lists.
//
// It lists no problem twice. Its time grows as the message does, and it copies texts, data
// and keys.
func Check(msg []byte, p Peer) []Problem {
	c := checker{peer: p}
	if err := c.m.Parse(msg); err != nil {
		c.add("message", whoAMQP, plainError(err))
		return c.problems
	}
	c.header()
	c.annotations()
	c.properties()
	c.applicationProperties()
	c.body()
	return c.problems
}

type checker struct {
	peer     Peer
	m        RawMessage
	problems []Problem
	listed   map[Problem]bool
}

// add adds a problem if it is one of the peer's, once: a message can have one in a million
// places that look the same.
func (c *checker) add(in, who, what string) {
	if who != whoAMQP && who != whoJMS && c.peer.Product != "" && who != c.peer.Product {
		return
	}
	p := Problem{in, who, what}
	if c.listed == nil {
		c.listed = map[Problem]bool{}
	}
	if !c.listed[p] {
		c.listed[p] = true
		c.problems = append(c.problems, p)
	}
}

// plainError returns an error's text without the package's name, for a Problem.
func plainError(err error) string { return strings.TrimPrefix(err.Error(), "amqpjms: ") }

func (c *checker) header() {
	h := c.m.Header
	const in = "header"
	if h.Mode == ModeUnset {
		c.add(in, productRabbitMQ, "durable is not stated: 4.0 takes the message as durable, 4.3 as not durable")
	}
	if h.Priority.Or(0) > 9 {
		c.add(in, whoJMS, "the priority is above 9, and read as 9")
	}
	if h.DeliveryCount.Or(0) >= math.MaxInt32 {
		c.add(in, whoJMS, "the delivery count is read as a negative number")
	}
	if ttl, ok := h.TTL.Get(); ok {
		if expiry, err := c.m.Property(FieldAbsoluteExpiryTime); err == nil && expiry == nil && ttl > 0 {
			for _, who := range []string{productArtemis, productRabbitMQ, productRabbitMQ3} {
				c.add(in, who, "hands on the ttl as it is, and there is no absolute-expiry-time: each receiver counts from its own time of receipt")
			}
		}
	} else {
		c.add(in, productServiceBus, "no ttl: the message lives as long as the queue says")
	}
}

func (c *checker) annotations() {
	for _, name := range []string{annotationDest, annotationReplyTo, annotationMessageKind} {
		v, err := c.m.Annotation(name)
		if err != nil {
			c.add("message-annotations", whoAMQP, plainError(err))
			return
		}
		if v == nil {
			continue
		}
		in, effect, known := "annotation "+name, "ignored", false
		n, _ := v.Int()
		if name == annotationMessageKind {
			_, err := MessageKindFrom(n)
			effect, known = "the message never reaches the application", err == nil
		} else {
			known = DestinationKindFrom(n, nil) != UnknownKind
		}
		if t := v.Type(); t != "byte" {
			is := t + ", not byte: "
			c.add(in, whoJMS, is+effect)
			c.add(in, productArtemis, is+"refused by a cast to byte")
		} else if !known {
			c.add(in, whoJMS, "out of range: "+effect)
		}
	}
	c.delays()
	c.symbolKeys(c.m.MessageAnnotations, "message-annotations")
	c.symbolKeys(c.m.DeliveryAnnotations, "delivery-annotations")
}

// keys are those of one map, each with whether it is listed as being there more than once.
type keys map[string]bool

// key looks whether a key was there before [amqp 1.6.23], and adds what becomes of that once:
// the last value or the first is read.
func (c *checker) key(seen keys, key []byte, in, read string) {
	listed, again := seen[string(key)]
	if !again {
		seen[string(key)] = false
	} else if !listed {
		seen[string(key)] = true
		c.add(in, whoAMQP, "key "+quote(key)+" more than once: "+read)
	}
}

// What is read of equal keys.
const (
	readSectionKeys = "go-amqp keeps the last value, and a RawMessage reads the first"
	readBodyKeys    = "go-amqp keeps the last value"
)

// symbolKeys looks for keys of annotations that are no symbols, or equal.
func (c *checker) symbolKeys(section []byte, in string) {
	if section == nil {
		return
	}
	r := wire.NewReader(section)
	readSection(&r)
	outer, n := r.Map()
	seen := keys{}
	for range n {
		key := RawValue(r.Value())
		if r.Skip(); r.Err() != nil {
			break
		}
		switch key.Type() {
		case "symbol":
			if name, ok := key.text(wire.Symbol); ok {
				c.key(seen, name, in, readSectionKeys)
			} else {
				c.add(in, whoAMQP, "a key that is not ASCII, as a symbol is")
			}
		case "ulong":
			c.add(in, whoAMQP, "a key of type ulong, which AMQP keeps for itself and go-amqp cannot write")
		default:
			c.add(in, whoAMQP, "a key of type "+key.Type()+", not symbol")
		}
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		c.add(in, whoAMQP, err.Err.Error())
	}
}

// delays checks each form of delay that there is.
func (c *checker) delays() {
	forms := 0
	for _, form := range []DelayForm{DelayAbsolute, DelayEnqueueTime, DelayRelative, DelayProperty} {
		in, get := "annotation "+form.String(), c.m.Annotation
		if form == DelayProperty {
			in, get = "property "+form.String(), c.m.ApplicationProperty
		}
		v, _ := get(form.String()) // what is broken is reported with its section
		if v == nil {
			continue
		}
		forms++
		for _, product := range products() {
			switch {
			case form == DelayProperty:
			case !serves(product, form):
				c.add(in, product, "not served: the message is delivered at once")
			case form == DelayAbsolute && v.Type() != "long" && v.Type() != "ulong":
				what := v.Type() + ", not long: the message is delivered at once"
				if product == productArtemis && v.Type() == "timestamp" {
					what += ", and an OpenWire or core client that takes it is thrown out"
				}
				c.add(in, product, what)
			}
		}
		switch form {
		case DelayAbsolute:
			switch t := v.Type(); {
			case t == "float", t == "double", strings.HasPrefix(t, "decimal"), v.number().kind == numberTooLarge:
				c.add(in, whoJMS, t+": made a long of, whatever it loses")
			}
		case DelayRelative:
			c.add(in, whoJMS, "ignored: JMSDeliveryTime is JMSTimestamp")
		case DelayProperty:
			c.add(in, productActiveMQ, "taken for a delay, and off the message")
		}
	}
	if forms > 1 {
		c.add("message-annotations", whoJMS, "more than one form of delay: which one is served depends on the peer")
	}
}

// serves reports whether a peer delays a message that asks for it by an annotation of this form.
func serves(product string, form DelayForm) bool {
	switch product {
	case productArtemis, productActiveMQ:
		return form == DelayAbsolute || form == DelayRelative
	case productBrokerJ:
		return form == DelayAbsolute
	case productServiceBus:
		return form == DelayEnqueueTime
	}
	return false
}

func (c *checker) properties() {
	for field := range PropertiesField(propertiesFields) {
		in := field.String()
		v, err := c.m.Property(field)
		if err != nil {
			c.add(in, whoAMQP, plainError(err))
			return
		}
		if v == nil {
			continue
		}
		want := typeOfField(field)
		if want == wire.None {
			if id, err := v.ID(); err != nil {
				c.add(in, whoAMQP, plainError(err))
			} else {
				c.id(in, id, v)
			}
			continue
		}
		r := wire.NewReader(v)
		switch t := r.Next(); t {
		case want:
			c.field(field, v, want)
		default:
			c.add(in, whoAMQP, t.String()+", not "+want.String())
			switch field {
			case FieldUserID, FieldSubject, FieldCreationTime, FieldGroupSequence: // as it was seen of these
				c.add(in, whoJMS, "the message never reaches the application")
			}
		}
	}
}

// typeOfField returns the type of a property [amqp 3.2.4], None for ids, which may be of four.
func typeOfField(field PropertiesField) wire.Type {
	switch field {
	case FieldUserID:
		return wire.Binary
	case FieldTo, FieldSubject, FieldReplyTo, FieldGroupID, FieldReplyToGroupID:
		return wire.String
	case FieldContentType, FieldContentEncoding:
		return wire.Symbol
	case FieldAbsoluteExpiryTime, FieldCreationTime:
		return wire.Timestamp
	case FieldGroupSequence:
		return wire.Uint
	}
	return wire.None
}

// field checks a property that is of its type.
func (c *checker) field(field PropertiesField, v RawValue, t wire.Type) {
	in := field.String()
	switch t {
	case wire.String:
		if _, ok := v.text(t); !ok {
			c.add(in, whoAMQP, "not valid UTF-8")
		}
	case wire.Symbol:
		if _, ok := v.text(t); !ok {
			c.add(in, whoAMQP, "not ASCII")
		}
	case wire.Timestamp:
		if n, zero := v.number(), (time.Time{}); n.n == zero.UnixMilli() {
			c.add(in, whoJMS, "the year 1, which go-amqp sends for a time.Time of zero")
		}
	}
	switch field {
	case FieldUserID:
		b, _ := v.Bytes()
		if _, err := JMSXUserID(b); err != nil {
			c.add(in, whoJMS, "not valid UTF-8: JMSXUserID is another text")
		}
		c.add(in, productRabbitMQ, "refused where it is not the name of the connection's user")
	case FieldGroupID:
		for _, who := range []string{productRabbitMQ, productRabbitMQ3} {
			c.add(in, who, "ignored: a group is not kept with one consumer")
		}
	case FieldGroupSequence:
		n, _ := v.Int()
		if n == math.MaxUint32 {
			c.add(in, productArtemis, "-1 as JMSXGroupSeq: closes the group")
		}
		if n > math.MaxInt32 {
			c.add(in, productActiveMQ, "negative as JMSXGroupSeq: closes the group")
		}
	}
}

func (c *checker) id(in string, id ID, v RawValue) {
	for _, who := range []string{productRabbitMQ, productRabbitMQ3} {
		switch {
		case id.kind == idUlong || id.kind == idUUID:
			c.add(in, who, v.Type()+": AMQP 0-9-1 clients get it as text and cannot tell it from a string")
		case id.kind == idBinary:
			c.add(in, who, "binary: AMQP 0-9-1 clients get it in a header or in another form")
		case len(id.text) > 255:
			c.add(in, who, "longer than 255 bytes: AMQP 0-9-1 clients get it in a header")
		}
	}
	if id.kind != idString {
		c.add(in, productServiceBus, v.Type()+": its own clients read ids that are strings")
	}
}

func (c *checker) applicationProperties() {
	section := c.m.ApplicationProperties
	if section == nil {
		return
	}
	const in = "application-properties"
	r := wire.NewReader(section)
	readSection(&r)
	outer, n := r.Map()
	seen := keys{}
	for range n {
		key, t := RawValue(r.Value()), r.Next()
		r.Skip()
		if r.Err() != nil {
			break
		}
		name, ok := key.text(wire.String)
		if !ok {
			if key.Type() == "string" {
				c.add(in, whoAMQP, "a key that is not valid UTF-8")
				continue
			}
			c.add(in, whoAMQP, "a key of type "+key.Type()+", not string")
			c.add(in, whoJMS, "the message never reaches the application")
			continue
		}
		c.key(seen, name, in, readSectionKeys)
		c.property("property "+quote(string(name)), string(name), t)
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		c.add(in, whoAMQP, err.Err.Error())
	}
}

func (c *checker) property(in, name string, t wire.Type) {
	if CheckPropertyName(name) != nil {
		c.add(in, whoJMS, "hidden, for its name is no Java identifier")
	}
	switch t {
	case wire.Boolean, wire.Byte, wire.Short, wire.Int, wire.Long, wire.Float, wire.Double, wire.String, wire.Null:
	case wire.List, wire.Map, wire.Array, wire.Described:
		c.add(in, whoAMQP, t.String()+", which no application property may be")
	default:
		c.add(in, whoJMS, t.String()+", which its getters refuse")
	}
	switch name {
	case jmsxDeliveryCount, jmsxGroupID, jmsxGroupSeq, jmsxUserID, jmsAMQPTTL, jmsAMQPReplyToGroupID:
		c.add(in, whoJMS, "ignored, for it is the name of a field")
	}
}

func (c *checker) body() {
	b, sections, err := c.m.body()
	if err != nil {
		c.add("body", whoAMQP, plainError(err))
		return
	}
	c.sectionsKeys()
	const in = "body"
	switch b.form() {
	case formNone:
		c.add(in, productRabbitMQ, "no section: ends the session (4.0) or the link (4.3)")
	case formSequence, formData:
		if sections > 1 {
			c.add(in, whoJMS, "several sections, of which only the last is read")
		}
		if sections > 1 && b.form() == formData {
			c.add(in, productActiveMQ, "several sections, of which only the first is kept")
		}
	}
	if b.Kind() == MapMessage && c.m.mapHasHighText() {
		c.add(in, productActiveMQ, "a text in a map has a character above U+FFFF: it is no UTF-8 any more, and Qpid JMS loses the message")
	}
	if b.Kind() == StreamMessage {
		c.stream()
	}
	if b.form() != formData {
		c.add(in, productServiceBus, "no data section: its own clients read no other")
	}
	c.readable(b)
}

// sectionsKeys looks at the keys of the body, if that is a map, and of the footer.
func (c *checker) sectionsKeys() {
	for s := range c.m.BodySections() {
		switch s.Kind {
		case SectionAMQPValue:
			r := wire.NewReader(s.Value)
			_, n := r.Map() // 0 of what is none
			seen := keys{}
			for range n {
				if key, ok := RawValue(r.Value()).text(wire.String); ok {
					c.key(seen, key, "body", readBodyKeys)
				}
				r.Skip()
			}
		case SectionFooter:
			c.symbolKeys(s.Bytes, "footer")
		}
	}
}

// stream looks for values of types that Qpid JMS does not read in a StreamMessage.
func (c *checker) stream() {
	for s, err := range c.m.BodySections() {
		r := wire.NewReader(s.Value)
		if err != nil || s.Kind == SectionFooter || r.Next() != wire.List {
			return
		}
		outer, n := r.List()
		for range n {
			t := r.Next()
			r.Skip()
			if r.Err() != nil {
				break
			}
			switch t {
			case wire.Null, wire.Boolean, wire.Byte, wire.Short, wire.Int, wire.Long, wire.Float, wire.Double, wire.String, wire.Binary:
			default:
				c.add("body", whoJMS, t.String()+" in a stream, which cannot be read there")
			}
		}
		r.Leave(outer)
		if err := r.Err(); err != nil {
			c.add("body", whoAMQP, plainError(wireError("body", s.Offset+len(s.Bytes)-len(s.Value), err)))
			return
		}
	}
}

// readable checks what Qpid JMS makes of the body.
func (c *checker) readable(b Body) {
	const in, lost = "body", "cannot be read, and the message is lost: "
	annotated, _ := MessageKindFrom(b.Annotation)
	kind, form := b.Kind(), b.form()
	switch {
	case kind == TextMessage && form == formData:
		charset, err := parseContentType(b.ContentType).charset()
		switch {
		case annotated == Opt[MessageKind]{} && err != nil:
			c.add(in, whoJMS, "shown as bytes, for "+plainError(err))
			return
		case err != nil || annotated != Opt[MessageKind]{} && charset != charsetUTF8:
			c.add(in, whoJMS, "read as UTF-8, for the annotation goes before the charset")
			charset = charsetUTF8
		}
		if _, err := decodeText(charset, joined(b.Data)); err != nil {
			c.add(in, whoJMS, lost+plainError(err))
		}
		if b.ContentEncoding != "" {
			c.add(in, whoJMS, "the content-encoding is not undone")
		}
	case kind == ObjectMessage && b.Value == any(unread(wire.Described.String())):
		c.add(in, whoJMS, "cannot be read: an ObjectMessage of a described value")
	case kind == ObjectMessage && form == formData && parseContentType(b.ContentType).media != contentJavaObject:
		c.add(in, whoJMS, "cannot be read: the data of an ObjectMessage is of content-type "+contentJavaObject)
	default:
		if err := b.check(); err != nil {
			if _, ok := b.Value.(map[any]any); ok && kind == MapMessage {
				c.add(in, whoJMS, "the value of a key that is no string cannot be read")
				return
			}
			c.add(in, whoJMS, lost+plainError(err))
		}
	}
}

// mapHasHighText reports whether the body is a map in which a value is a string with a
// character above U+FFFF, which takes four bytes in UTF-8.
func (m *RawMessage) mapHasHighText() bool {
	for s := range m.BodySections() {
		if s.Kind != SectionAMQPValue { // the footer too
			return false
		}
		r := wire.NewReader(s.Value)
		_, n := r.Map() // 0 of what is none
		for range n {
			r.Skip()
			text, _ := RawValue(r.Value()).text(wire.String)
			if slices.ContainsFunc(text, func(b byte) bool { return b >= 0xf0 }) {
				return true
			}
		}
	}
	return false
}

// body returns a copy of the body as far as Check looks at it: data and a text as they
// are, of maps that they are there and whether all keys are strings, of any other value
// nothing but its type. Several sections are one in it; how many there were it returns too.
func (m *RawMessage) body() (b Body, sections int, err error) {
	for s, err := range m.BodySections() {
		if err != nil {
			return Body{}, 0, err
		}
		if s.Kind != SectionFooter {
			sections++
		}
		r := wire.NewReader(s.Value)
		switch s.Kind {
		case SectionData:
			if data := r.Binary(); b.Data == nil {
				b.Data = [][]byte{data}
			} else { // data is clipped, so this writes into a copy
				b.Data[0] = append(b.Data[0], data...)
			}
		case SectionAMQPSequence:
			b.Sequences = [][]any{{}}
		case SectionAMQPValue:
			b.Value = typeOf(s.Value)
			switch r.Next() {
			case wire.String:
				text, ok := s.Value.text(wire.String)
				if !ok {
					text = []byte{0xff} // no string, whatever it is
				}
				b.Value = string(text)
			case wire.Map:
				value := map[any]any{}
				outer, n := r.Map()
				for range n {
					if r.Next() != wire.String {
						value[false] = nil
					}
					r.Skip()
					r.Skip()
				}
				r.Leave(outer)
				b.Value = value
			}
			if err := r.Err(); err != nil {
				return Body{}, 0, wireError("body", s.Offset+len(s.Bytes)-len(s.Value), err)
			}
		}
	}
	encoding, err := m.Property(FieldContentEncoding)
	if err != nil {
		return Body{}, 0, err
	}
	b.ContentEncoding, _ = encoding.Text()
	if b.ContentType, b.Annotation, err = m.saidOfKind(); err != nil {
		return Body{}, 0, err
	}
	return b, sections, nil
}
