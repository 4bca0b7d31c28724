package amqpjms

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
)

// A Consumer is what only the receiver of a message knows. Receivers can be compared with
// ==.
type Consumer struct {
	Peer        Peer
	Destination Destination // what it receives from

	// NodeDefault is what a header means here that does not say whether it is durable. As
	// go-amqp does not tell such a header from one that says no, that is only a message
	// without a header: see [HeaderFrom].
	NodeDefault DeliveryMode

	// What follows says how the consumer's link is made, see [Consumer.Link]. A View ignores it.

	Subscription string // name of a durable or shared subscription
	Durable      bool   // the subscription outlives the consumer
	Shared       bool   // several consumers share the subscription
	ClientID     string // the connection's container-id
	Selector     string // "": none
	NoLocal      bool   // leaves out what the same connection sends to the topic
	Browse       bool   // reads a queue and takes nothing off it
	PreSettled   bool   // the peer settles a message as it sends it
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

// GroupSeq returns JMSXGroupSeq: a group-sequence of 2^31 or more is negative.
func (v View) GroupSeq() Opt[int32] {
	if sequence := propertiesOf(v.Message).GroupSequence; sequence != nil {
		return Some(int32(*sequence))
	}
	return Opt[int32]{}
}

// ReplyToGroupID returns JMS_AMQP_REPLY_TO_GROUP_ID as it stands on the wire.
func (v View) ReplyToGroupID() Opt[string] { return optional(propertiesOf(v.Message).ReplyToGroupID) }

// ContentType returns JMS_AMQP_CONTENT_TYPE as it stands on the wire.
func (v View) ContentType() Opt[string] { return optional(propertiesOf(v.Message).ContentType) }

// ContentEncoding returns JMS_AMQP_CONTENT_ENCODING as it stands on the wire.
func (v View) ContentEncoding() Opt[string] { return optional(propertiesOf(v.Message).ContentEncoding) }

// optional returns what p points to, unset for nil.
func optional[T comparable](p *T) Opt[T] {
	if p == nil {
		return Opt[T]{}
	}
	return Some(*p)
}

// pointer returns a pointer to a new copy of the value, nil where it is unset, for go-amqp.
func (o Opt[T]) pointer() *T {
	if !o.ok {
		return nil
	}
	return &o.v
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

// A jmsField is a field of the message that JMS shows as a property: what it is called, and how
// it is read, set and removed.
type jmsField struct {
	name   string
	get    func(v View) Value
	listed bool // a property, which PropertyNames lists; else one of JMS's header fields

	// Where it goes: text or number is nil where it cannot be set, and unset says why.
	text   func(f *fieldSettings) *Opt[string]
	ascii  bool                                 // text is a symbol on the wire
	number func(f *fieldSettings, n int64) bool // sets it if n is in range, and reports whether it is
	want   string
	remove func(f *fieldSettings)
	unset  string
}

// fieldSettings holds the fields of a message that properties set. A TTL that is unset
// stays as it is, the others are removed.
type fieldSettings struct {
	GroupID, ReplyToGroupID      Opt[string]
	ContentType, ContentEncoding Opt[string]
	GroupSeq                     Opt[int32]
	TTL                          Opt[uint32]
}

// jmsFields lists all fields that JMS shows as properties. JMS's header fields are read as
// JMS's selectors read them [jms 3.8.1.1].
var jmsFields = [...]jmsField{
	{name: "JMSXDeliveryCount", listed: true, unset: "cannot be set or removed",
		get: func(v View) Value { return Value{raw: v.DeliveryCount(), exists: true} }},
	{name: "JMSXGroupID", listed: true, text: func(f *fieldSettings) *Opt[string] { return &f.GroupID },
		get: func(v View) Value { return textValue(v.GroupID()) }},
	{name: "JMSXGroupSeq", listed: true, want: "not an integer from -2^31 to 2^31-1",
		number: func(f *fieldSettings, n int64) bool {
			f.GroupSeq = Some(int32(n))
			return n == int64(int32(n))
		},
		remove: func(f *fieldSettings) { f.GroupSeq = Opt[int32]{} },
		get: func(v View) Value {
			n, ok := v.GroupSeq().Get()
			return Value{raw: n, exists: ok}
		}},
	{name: "JMSXUserID", listed: true, unset: "cannot be set or removed",
		get: func(v View) Value {
			user, err := v.UserID()
			return Value{raw: user, err: err, exists: err != nil || user != ""}
		}},
	{name: "JMS_AMQP_TTL", listed: true, want: "not an integer from 0 to 2^32-1",
		number: func(f *fieldSettings, n int64) bool {
			f.TTL = Some(uint32(n))
			return n == int64(uint32(n))
		},
		remove: func(f *fieldSettings) { f.TTL = Some[uint32](0) },
		get:    func(View) Value { return Value{} }}, // not a property of a received message
	{name: "JMS_AMQP_REPLY_TO_GROUP_ID", listed: true, text: func(f *fieldSettings) *Opt[string] { return &f.ReplyToGroupID },
		get: func(v View) Value { return textValue(v.ReplyToGroupID()) }},
	{name: "JMS_AMQP_CONTENT_TYPE", listed: true, ascii: true, text: func(f *fieldSettings) *Opt[string] { return &f.ContentType },
		get: func(v View) Value { return textValue(v.ContentType()) }},
	{name: "JMS_AMQP_CONTENT_ENCODING", listed: true, ascii: true, text: func(f *fieldSettings) *Opt[string] { return &f.ContentEncoding },
		get: func(v View) Value { return textValue(v.ContentEncoding()) }},
	{name: "JMS_AMQP_TYPED_ENCODING", listed: true, unset: "cannot be set or removed: SetObject and SetJavaObject decide",
		get: func(v View) Value { return Value{raw: true, exists: v.Body().Typed()} }},

	{name: "JMSMessageID", get: func(v View) Value {
		id, err := v.MessageID()
		return Value{raw: id.JMSMessageID(), err: err, exists: err != nil || !id.IsZero()}
	}},
	{name: "JMSCorrelationID", get: func(v View) Value {
		id, err := v.CorrelationID()
		return Value{raw: id.JMSCorrelationID(), err: err, exists: err != nil || !id.IsZero()}
	}},
	{name: "JMSDestination", get: func(v View) Value { return addressValue(v.Destination()) }},
	{name: "JMSReplyTo", get: func(v View) Value { return addressValue(v.ReplyTo()) }},
	{name: "JMSDeliveryMode", get: func(v View) Value { return Value{raw: v.DeliveryMode().String(), exists: true} }},
	{name: "JMSPriority", get: func(v View) Value { return Value{raw: int32(v.Priority()), exists: true} }},
	{name: "JMSRedelivered", get: func(v View) Value { return Value{raw: v.Redelivered(), exists: true} }},
	{name: "JMSType", get: func(v View) Value { return textValue(v.Type()) }},
	{name: "JMSTimestamp", get: func(v View) Value { return Value{raw: v.Timestamp(), exists: true} }},
	{name: "JMSExpiration", get: func(v View) Value { return longValue(v.Expiration()) }},
	{name: "JMSDeliveryTime", get: func(v View) Value { return longValue(v.DeliveryTime()) }},
}

func textValue(s Opt[string]) Value { return Value{raw: s.v, exists: s.ok} }

func longValue(n int64, err error) Value { return Value{raw: n, err: err, exists: true} }

func addressValue(d Destination, err error) Value {
	return Value{raw: d.Name, err: err, exists: err != nil || !d.IsZero()}
}

// fieldOf returns the field that a property is, nil where it is not one.
func fieldOf(name string) *jmsField {
	if !strings.HasPrefix(name, "JMS") {
		return nil
	}
	for i := range jmsFields {
		if jmsFields[i].name == name {
			return &jmsFields[i]
		}
	}
	return nil
}

// read returns the field of a message as a property.
func (f *jmsField) read(v View) Value {
	p := f.get(v)
	p.what, p.name = "property", f.name
	if !p.exists || p.err != nil {
		p.raw = nil
	}
	return p
}

// set sets the field. nil removes a text.
func (f *jmsField) set(to *fieldSettings, value any) error {
	wrong := func(why string) error {
		shown := fmt.Sprintf("of type %T", value)
		if n := numberFrom(value); n.kind == numberInteger {
			shown = strconv.FormatInt(n.n, 10)
		} else if value == nil {
			shown = "nil"
		}
		return &ValueError{What: f.name, Value: shown, Err: errors.New(why)}
	}
	switch {
	case f.number != nil:
		if n := numberFrom(value); n.kind != numberInteger || !f.number(to, n.n) {
			return wrong(f.want)
		}
	case f.text == nil:
		return wrong(f.unset)
	case value == nil:
		*f.text(to) = Opt[string]{}
	default:
		s, ok := value.(string)
		if !ok {
			return wrong("not a string")
		}
		check := checkText
		if f.ascii {
			check = checkSymbol
		}
		if err := check(f.name, s); err != nil {
			return err
		}
		*f.text(to) = Some(s)
	}
	return nil
}

// Property returns a property, which does not exist if the message has none of the name.
// Any name can be read. Those that are fields of the message are read from the field:
// JMSXGroupID, JMSXGroupSeq, JMSXDeliveryCount, JMSXUserID, JMS_AMQP_REPLY_TO_GROUP_ID,
// JMS_AMQP_CONTENT_TYPE, JMS_AMQP_CONTENT_ENCODING, JMS_AMQP_TYPED_ENCODING and JMS's
// header fields such as JMSPriority. JMS_AMQP_TTL is not a property of a received
// message. See [View.ApplicationProperty] for one that bears the name of a field.
func (v View) Property(name string) Value {
	if f := fieldOf(name); f != nil {
		return f.read(v)
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

// PropertyNames returns the names of the properties that exist, sorted:
// JMSXDeliveryCount, the fields that the message has, and the application properties.
// JMS's header fields are no properties, and are named only where there is an application
// property of that name too.
func (v View) PropertyNames() []string {
	var names []string
	for i := range jmsFields {
		if f := &jmsFields[i]; f.listed && f.get(v).exists {
			names = append(names, f.name)
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

