package amqpjms

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A Consumer holds what a received message does not say itself: which peer it comes from, and
// from which destination. The zero Consumer knows neither. Consumers can be compared with ==.
type Consumer struct {
	Peer        Peer
	Destination Destination // what it receives from

	// NodeDefault is the delivery mode of a message whose header does not say whether it is
	// durable. In a message that go-amqp decoded, only one without a header shows that: see
	// [HeaderFrom].
	NodeDefault DeliveryMode

	// The settings of the consumer's link, see [Consumer.Link]. A View ignores them.

	Subscription string // name of a durable or shared subscription
	Durable      bool   // the subscription outlives the consumer
	Shared       bool   // several consumers share the subscription
	ClientID     string // the connection's container-id
	Selector     string // "": none; Link refuses it where ParseSelector does
	NoLocal      bool   // leaves out what the same connection sends to the topic
	Browse       bool   // reads a queue without removing messages
	PreSettled   bool   // the peer settles a message as it sends it
}

// View returns a view of m, which must not be nil, as JMS sees it. received is the time of
// receipt, for [View.Expiration]. Fields are read when a method asks for them: a malformed field
// is an error of its own method only.
func (c Consumer) View(m *amqp.Message, received time.Time) View {
	return View{Message: m, at: &reception{c.Peer, c.Destination, c.NodeDefault, received}}
}

// ViewRaw returns the same view of an encoded message, which must not be nil. It is valid until
// m is parsed again, and bytes that it returns alias the message. It shows what go-amqp hides:
// fields that are unset, an amqp-value null, values that go-amqp cannot decode.
func (c Consumer) ViewRaw(m *RawMessage, received time.Time) View {
	return View{raw: m, at: &reception{c.Peer, c.Destination, c.NodeDefault, received}}
}

// A reception is what a View knows besides the message. It is behind a pointer because a View
// is copied with each call.
type reception struct {
	peer        Peer
	destination Destination
	nodeDefault DeliveryMode
	received    time.Time
}

// A View is a received message as JMS sees it. [Consumer.View] and [Consumer.ViewRaw] make
// it; View{Message: m} is that of the zero Consumer without a time of receipt, the zero View that
// of an empty message. Text is
// copied, other methods allocate nothing but errors, maps and lists. A View may be used by
// several goroutines at once while the message does not change. Do not compare Views with
// ==: two of the same message may differ.
type View struct {
	Message *amqp.Message // nil in a view of an encoded message
	raw     *RawMessage   // nil in a view of a Message
	at      *reception    // nil: of the zero Consumer
}

// message returns the message of a view that is not of an encoded one: an empty one in the zero
// View.
func (v View) message() *amqp.Message {
	if v.Message == nil {
		return &amqp.Message{}
	}
	return v.Message
}

// from returns how the message was received.
func (v View) from() *reception {
	if v.at == nil {
		return &reception{}
	}
	return v.at
}

// annotation returns a message annotation, the zero scalar if it is absent.
func (v View) annotation(name string) (scalar, error) {
	if v.raw == nil {
		a := annotationOf(v.message(), name)
		if a == nil {
			return scalar{}, nil
		}
		return scalarFrom(a), nil
	}
	a, err := v.raw.Annotation(name)
	if err != nil || a == nil {
		return scalar{}, err
	}
	s, err := a.scalar()
	if err != nil {
		return scalar{}, &ValueError{What: "annotation " + quote(name), Value: a.Type(), Err: err}
	}
	return s, nil
}

// text returns a field of the properties that is a string or a symbol. It accepts one in place
// of the other, since go-amqp does not distinguish them.
func (v View) text(f PropertiesField) (Opt[string], error) {
	if v.raw != nil {
		b, ok, err := v.raw.text(f)
		if !ok || err != nil {
			return Opt[string]{}, err
		}
		return Some(string(b)), nil
	}
	var s *string
	switch p := propertiesOf(v.message()); f {
	case FieldTo:
		s = p.To
	case FieldSubject:
		s = p.Subject
	case FieldReplyTo:
		s = p.ReplyTo
	case FieldContentType:
		s = p.ContentType
	case FieldContentEncoding:
		s = p.ContentEncoding
	case FieldGroupID:
		s = p.GroupID
	case FieldReplyToGroupID:
		s = p.ReplyToGroupID
	}
	if s == nil {
		return Opt[string]{}, nil
	}
	if err := checkText(f.String(), *s); err != nil {
		return Opt[string]{}, err
	}
	return Some(*s), nil
}

// time returns a field of the properties that is a timestamp.
func (v View) time(f PropertiesField) (number, error) {
	if v.raw != nil {
		n, err := v.raw.Property(f)
		return n.number(), err
	}
	p := propertiesOf(v.message())
	if f == FieldCreationTime {
		return numberFromTime(p.CreationTime), nil
	}
	return numberFromTime(p.AbsoluteExpiryTime), nil
}

// MessageID returns JMSMessageID, the zero ID if there is none; [ID.JMSMessageID] is the
// string. An id that is not of one of AMQP's four types, or not valid UTF-8, is an error, a
// *[ValueError] or *[WireError].
func (v View) MessageID() (ID, error) {
	if v.raw != nil {
		return v.raw.MessageID()
	}
	return IDFrom(propertiesOf(v.message()).MessageID)
}

// CorrelationID returns JMSCorrelationID, as [View.MessageID] does; [ID.JMSCorrelationID] is
// the string.
func (v View) CorrelationID() (ID, error) {
	if v.raw != nil {
		return v.raw.CorrelationID()
	}
	return IDFrom(propertiesOf(v.message()).CorrelationID)
}

// Destination returns JMSDestination: the message's or, if it has none, the consumer's. An
// address that is not a string, or not valid UTF-8, is an error, a *[ValueError] or
// *[WireError].
func (v View) Destination() (Destination, error) {
	to, err := v.text(FieldTo)
	if err != nil {
		return Destination{}, err
	}
	address := to.Or("")
	if address == "" { // which means none
		return v.from().destination, nil
	}
	return v.destination(address, AnnotationDestination, annotationToType)
}

// ReplyTo returns JMSReplyTo, the zero Destination if there is none. Errors are those of
// [View.Destination].
func (v View) ReplyTo() (Destination, error) {
	replyTo, err := v.text(FieldReplyTo)
	if err != nil {
		return Destination{}, err
	}
	address := replyTo.Or("")
	if address == "" {
		return Destination{}, nil
	}
	return v.destination(address, AnnotationReplyTo, annotationReplyType)
}

func (v View) destination(address, annotation, legacy string) (Destination, error) {
	kind, err := v.kindOf(annotation)
	if err != nil {
		return Destination{}, err
	}
	if kind == UnknownKind { // rare, and the lookup costs as much as the rest
		a, err := v.annotation(legacy)
		if err != nil {
			return Destination{}, err
		}
		kind = kindFromText(&a)
	}
	from := v.from()
	return from.peer.destination(address, kind, from.destination.Kind), nil
}

// kindOf returns the kind of destination that an annotation says.
func (v View) kindOf(annotation string) (DestinationKind, error) {
	if v.raw == nil {
		if n, ok := annotationOf(v.message(), annotation).(int8); ok { // as all clients send it
			return kindOfNumber(int64(n)), nil
		}
	}
	a, err := v.annotation(annotation)
	return kindFrom(&a), err
}

// DeliveryMode returns JMSDeliveryMode, as [Header.JMSDeliveryMode] does. A header that
// go-amqp decoded is never [ModeUnset]: see [HeaderFrom].
func (v View) DeliveryMode() DeliveryMode {
	h := Header{}
	if v.raw != nil {
		h.Mode = v.raw.Header.Mode
	} else {
		h.Mode = modeFrom(v.message().Header)
	}
	return h.JMSDeliveryMode(v.from().nodeDefault)
}

// Priority returns JMSPriority, as [Header.JMSPriority] does.
func (v View) Priority() int {
	if v.raw != nil {
		return v.raw.Header.JMSPriority()
	}
	return Header{Priority: priorityFrom(v.message().Header)}.JMSPriority()
}

// Redelivered returns JMSRedelivered, as [Header.JMSRedelivered] does.
func (v View) Redelivered() bool {
	if v.raw != nil {
		return v.raw.Header.JMSRedelivered()
	}
	return Header{DeliveryCount: deliveryCountFrom(v.message().Header)}.JMSRedelivered()
}

// DeliveryCount returns JMSXDeliveryCount, as [Header.JMSXDeliveryCount] does.
func (v View) DeliveryCount() int32 {
	if v.raw != nil {
		return v.raw.Header.JMSXDeliveryCount()
	}
	return Header{DeliveryCount: deliveryCountFrom(v.message().Header)}.JMSXDeliveryCount()
}

// Timestamp returns JMSTimestamp in milliseconds since 1970-01-01 UTC, 0 if there is none
// [jms 3.4.4]. A creation-time that is not a timestamp is an error, a *[ValueError] or
// *[WireError].
func (v View) Timestamp() (int64, error) {
	created, err := v.time(FieldCreationTime)
	if err != nil {
		return 0, err
	}
	d := delays{created: created}
	ms, _, err := d.creation()
	return ms, err
}

// DeliveryTime returns JMSDeliveryTime in milliseconds since 1970-01-01 UTC [jms 3.4.13]: the
// first that is set of x-opt-delivery-time, x-opt-scheduled-enqueue-time, creation-time plus
// x-opt-delivery-delay, and creation-time; else 0. If the peer's form of delay is
// [DelayProperty], creation-time plus AMQ_SCHEDULED_DELAY comes after x-opt-delivery-delay.
//
// It is an error, a *[ValueError] or *[WireError], if the first that is set is not an integer or,
// for a time, a timestamp. In a view of a Message annotations with a string key count too:
// go-amqp does not distinguish strings from symbols.
//
// A message to a topic goes only to the subscriptions that existed when it was sent, at its
// [View.Timestamp], not to those made before the delivery time [jms 7.9].
func (v View) DeliveryTime() (int64, error) {
	var d delays
	byProperty := v.from().peer.Delay == DelayProperty
	if v.raw == nil {
		d = delaysOf(v.message(), byProperty)
	} else if err := v.raw.readDelays(&d, byProperty, true); err != nil {
		return 0, err
	}
	return d.deliveryTime()
}

// Expiration returns JMSExpiration in milliseconds since 1970-01-01 UTC [jms 3.4.9]: the
// absolute-expiry-time, else the time of receipt plus the header's ttl, else 0 for never.
// It is an error, a *[ValueError] or *[WireError], if the
// absolute-expiry-time is not a timestamp, or if the time of receipt is needed and zero.
func (v View) Expiration() (int64, error) {
	absolute, err := v.time(FieldAbsoluteExpiryTime)
	if err != nil {
		return 0, err
	}
	var ttl Opt[uint32]
	switch {
	case absolute.isSet():
	case v.raw != nil:
		ttl = v.raw.Header.TTL
	default:
		h, err := HeaderFrom(v.message().Header)
		if err != nil {
			return 0, err
		}
		ttl = h.TTL
	}
	return expiration(absolute, ttl, v.from().received)
}

// Type returns JMSType. It is an error, a *[WireError] or *[ValueError], if it is neither a
// string nor a symbol, or not valid UTF-8.
func (v View) Type() (Opt[string], error) { return v.text(FieldSubject) }

// UserID returns JMSXUserID, "" if there is none and for an empty user-id, which JMS does not
// distinguish. Bytes that are not valid UTF-8 are an error, a *[ValueError].
func (v View) UserID() (string, error) {
	user, err := v.userID()
	if err != nil {
		return "", err
	}
	return JMSXUserID(user)
}

// userID returns the user-id, nil for none.
func (v View) userID() ([]byte, error) {
	if v.raw != nil {
		return v.raw.binary(FieldUserID)
	}
	return propertiesOf(v.message()).UserID, nil
}

// JMSXUserID returns the text of a user-id, "" for none and for an empty one. Bytes that
// are not valid UTF-8 are an error, a *[ValueError].
func JMSXUserID(userID []byte) (string, error) {
	user := string(userID)
	if err := checkText("user id", user); err != nil {
		return "", err
	}
	return user, nil
}

// GroupID returns JMSXGroupID. "" is a group too. Errors are those of [View.Type].
func (v View) GroupID() (Opt[string], error) { return v.text(FieldGroupID) }

// GroupSeq returns JMSXGroupSeq: a group-sequence of 2^31 or more is negative. One that is
// not a uint is an error, a *[WireError].
func (v View) GroupSeq() (Opt[int32], error) {
	if v.raw != nil {
		n, ok, err := v.raw.uint(FieldGroupSequence)
		if !ok || err != nil {
			return Opt[int32]{}, err
		}
		return Some(int32(n)), nil
	}
	if sequence := propertiesOf(v.message()).GroupSequence; sequence != nil {
		return Some(int32(*sequence)), nil
	}
	return Opt[int32]{}, nil
}

// ReplyToGroupID returns JMS_AMQP_REPLY_TO_GROUP_ID. Errors are those of [View.Type].
func (v View) ReplyToGroupID() (Opt[string], error) { return v.text(FieldReplyToGroupID) }

// ContentType returns JMS_AMQP_CONTENT_TYPE. Errors are those of [View.Type].
func (v View) ContentType() (Opt[string], error) { return v.text(FieldContentType) }

// ContentEncoding returns JMS_AMQP_CONTENT_ENCODING. Errors are those of [View.Type].
func (v View) ContentEncoding() (Opt[string], error) { return v.text(FieldContentEncoding) }

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

// Body returns the body, all of it decoded; [View.Text] and its like decode only what they return.
// The body of a Message is the message's own, in which go-amqp does not distinguish an amqp-value
// null from no section. Errors are those of [RawMessage.BodySections], of the content-type and
// content-encoding, and of malformed values.
func (v View) Body() (Body, error) {
	if v.raw == nil {
		return bodyOf(v.message()), nil
	}
	return v.raw.decodeBody(true, nil)
}

func bodyOf(m *amqp.Message) Body {
	p := propertiesOf(m)
	return Body{
		Annotation:      annotationOf(m, AnnotationMessageKind),
		ContentType:     optional(p.ContentType).Or(""),
		ContentEncoding: optional(p.ContentEncoding).Or(""),
		Data:            m.Data,
		Sequences:       m.Sequence,
		Value:           m.Value,
	}
}

// bodyWith returns the body for a method that reads values of one type only: others are not
// decoded.
func (v View) bodyWith(types ...wire.Type) (Body, error) {
	if v.raw == nil {
		return bodyOf(v.message()), nil
	}
	return v.raw.decodeBody(false, types)
}

// Kind returns the kind of message, as [Body.Kind] does. In an encoded message it reads the
// annotation and, if that does not tell, walks the sections of the body, whose number it costs,
// not their size. It is an error, a *[WireError], if the sections, the content-type or the
// annotations are malformed.
func (v View) Kind() (MessageKind, error) {
	if v.raw != nil {
		return v.raw.kind()
	}
	annotated, _ := v.AnnotatedKind()
	if kind, ok := annotated.Get(); ok { // most messages: their body is not looked at
		return kind, nil
	}
	return bodyOf(v.message()).Kind(), nil
}

// AnnotatedKind returns the kind in the annotation x-opt-jms-msg-type, unset if it is absent. An
// annotation that is not the number of a kind is an error, a *[ValueError]. In both cases
// [View.Kind] goes by the body.
func (v View) AnnotatedKind() (Opt[MessageKind], error) {
	if v.raw == nil {
		return MessageKindFrom(annotationOf(v.message(), AnnotationMessageKind))
	}
	a, err := v.annotation(AnnotationMessageKind)
	if err != nil {
		return Opt[MessageKind]{}, err
	}
	return messageKind(a.number())
}

// Text returns the text of a TextMessage, as [Body.Text] does.
func (v View) Text() (Opt[string], error) {
	b, err := v.bodyWith(wire.String, wire.Symbol)
	if err != nil {
		return Opt[string]{}, err
	}
	return b.Text()
}

// Bytes returns the bytes of a BytesMessage, as [Body.Bytes] does.
func (v View) Bytes() ([]byte, error) {
	b, err := v.bodyWith(wire.Binary, wire.Array)
	if err != nil {
		return nil, err
	}
	return b.Bytes()
}

// Map returns what a MapMessage holds, as [Body.Map] does.
func (v View) Map() (map[string]any, error) {
	b, err := v.bodyWith(wire.Map)
	if err != nil {
		return nil, err
	}
	return b.Map()
}

// Stream returns what a StreamMessage holds, as [Body.Stream] does.
func (v View) Stream() ([]any, error) {
	b, err := v.bodyWith(wire.List)
	if err != nil {
		return nil, err
	}
	return b.Stream()
}

// Object returns what an ObjectMessage holds, as [Body.Object] does. A value of an encoded
// message that go-amqp cannot decode is a [RawValue], see [Value.Raw].
func (v View) Object() (any, error) {
	b, err := v.Body()
	if err != nil {
		return nil, err
	}
	return b.Object()
}

// Payload returns the bytes that a message carries, as [Body.Payload] does.
func (v View) Payload() ([]byte, error) {
	b, err := v.bodyWith(wire.String, wire.Symbol, wire.Binary, wire.Array)
	if err != nil {
		return nil, err
	}
	return b.Payload()
}

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
		get: func(v View) Value { return integerValue(wire.Int, int64(v.DeliveryCount()), nil) }},
	{name: "JMSXGroupID", listed: true, text: func(f *fieldSettings) *Opt[string] { return &f.GroupID },
		get: func(v View) Value { return textValue(v.GroupID()) }},
	{name: "JMSXGroupSeq", listed: true, want: "not an integer from -2^31 to 2^31-1",
		number: func(f *fieldSettings, n int64) bool {
			f.GroupSeq = Some(int32(n))
			return n == int64(int32(n))
		},
		remove: func(f *fieldSettings) { f.GroupSeq = Opt[int32]{} },
		get: func(v View) Value {
			seq, err := v.GroupSeq()
			n, ok := seq.Get()
			if !ok && err == nil {
				return Value{}
			}
			return integerValue(wire.Int, int64(n), err)
		}},
	{name: "JMSXUserID", listed: true, unset: "cannot be set or removed",
		get: func(v View) Value {
			user, err := v.UserID()
			return scalarValue(scalar{typ: wire.String, text: user}, user != "", err)
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
		get: func(v View) Value {
			b, err := v.bodyWith()
			return scalarValue(scalar{typ: wire.Boolean, bits: 1}, err == nil && b.Typed(), nil) // an error is that of the body
		}},

	{name: "JMSMessageID", get: func(v View) Value {
		id, err := v.MessageID()
		return scalarValue(scalar{typ: wire.String, text: id.JMSMessageID()}, !id.IsZero(), err)
	}},
	{name: "JMSCorrelationID", get: func(v View) Value {
		id, err := v.CorrelationID()
		return scalarValue(scalar{typ: wire.String, text: id.JMSCorrelationID()}, !id.IsZero(), err)
	}},
	{name: "JMSDestination", get: func(v View) Value { return addressValue(v.Destination()) }},
	{name: "JMSReplyTo", get: func(v View) Value { return addressValue(v.ReplyTo()) }},
	{name: "JMSDeliveryMode", get: func(v View) Value { return textValue(Some(v.DeliveryMode().String()), nil) }},
	{name: "JMSPriority", get: func(v View) Value { return integerValue(wire.Int, int64(v.Priority()), nil) }},
	{name: "JMSRedelivered", get: func(v View) Value {
		return scalarValue(scalar{typ: wire.Boolean, bits: bit(v.Redelivered())}, true, nil)
	}},
	{name: "JMSType", get: func(v View) Value { return textValue(v.Type()) }},
	{name: "JMSTimestamp", get: func(v View) Value { return longValue(v.Timestamp()) }},
	{name: "JMSExpiration", get: func(v View) Value { return longValue(v.Expiration()) }},
	{name: "JMSDeliveryTime", get: func(v View) Value { return longValue(v.DeliveryTime()) }},
}

func textValue(s Opt[string], err error) Value {
	return scalarValue(scalar{typ: wire.String, text: s.v}, s.ok, err)
}

func integerValue(t wire.Type, n int64, err error) Value {
	return scalarValue(scalar{typ: t, bits: uint64(n)}, true, err)
}

func longValue(n int64, err error) Value { return integerValue(wire.Long, n, err) }

func addressValue(d Destination, err error) Value {
	return scalarValue(scalar{typ: wire.String, text: d.Name}, !d.IsZero(), err)
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

// propertyField returns the field that a property sets, nil if it is not one.
func propertyField(name string) *jmsField {
	if f := fieldOf(name); f != nil && f.listed {
		return f
	}
	return nil
}

// read returns the field of a message as a property.
func (f *jmsField) read(v View) Value {
	p := f.get(v)
	p.what, p.name = "property", f.name
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

// Property returns the property of a name, any name; if the message has none it does not
// exist ([Value.Exists]). Names of fields of the message are read from the field:
// JMSXGroupID, JMSXGroupSeq, JMSXDeliveryCount, JMSXUserID, JMS_AMQP_REPLY_TO_GROUP_ID,
// JMS_AMQP_CONTENT_TYPE, JMS_AMQP_CONTENT_ENCODING, JMS_AMQP_TYPED_ENCODING and JMS's
// header fields such as JMSPriority. JMS_AMQP_TTL is not a property of a received
// message. [View.ApplicationProperty] returns one that has the name of a field.
func (v View) Property(name string) Value {
	if f := fieldOf(name); f != nil {
		return f.read(v)
	}
	if v.hidden(name) {
		return Value{what: "property", name: name}
	}
	return v.ApplicationProperty(name)
}

// ApplicationProperty returns the application property of a name, even the name of a field.
func (v View) ApplicationProperty(name string) Value {
	if v.raw == nil {
		p, ok := v.message().ApplicationProperties[name]
		return applicationProperty(name, p, ok)
	}
	p, err := v.raw.findNull(v.raw.ApplicationProperties, wire.String, name, true)
	if err != nil {
		return Value{what: "property", name: name, err: err, exists: true}
	}
	return rawValueOf("property", name, p)
}

func applicationProperty(name string, p any, exists bool) Value {
	v := Value{what: "property", name: name, raw: p, exists: exists}
	if exists {
		v.s = scalarFrom(p)
	}
	return v
}

// ApplicationProperties iterates over the application properties, those with the name of a field
// included. In an encoded message it goes in order and yields duplicates; if the section is
// malformed it ends with a Value that has no name and returns the error.
func (v View) ApplicationProperties() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.raw != nil {
			v.raw.applicationProperties(yield)
			return
		}
		for name, p := range v.message().ApplicationProperties {
			if !yield(name, applicationProperty(name, p, true)) {
				return
			}
		}
	}
}

// hidden reports whether a property belongs to the peer, not to the application (AMQ-8320).
func (v View) hidden(name string) bool {
	return name == propertyScheduledDelay && v.from().peer.Delay == DelayProperty
}

// PropertyNames returns the names of the properties that exist, sorted:
// JMSXDeliveryCount, the fields that the message has, and the application properties.
// JMS's header fields are not properties; one is listed only if an application property has
// its name too. It is an error, a *[WireError], if the application properties are malformed.
func (v View) PropertyNames() ([]string, error) {
	var names []string
	for i := range jmsFields {
		if f := &jmsFields[i]; f.listed && f.get(v).exists {
			names = append(names, f.name)
		}
	}
	for name, p := range v.ApplicationProperties() {
		if name == "" && p.err != nil {
			return nil, p.err
		}
		if f := fieldOf(name); f != nil && !f.get(v).exists || v.hidden(name) {
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// A Correlation says which id of a request its reply has as correlation-id.
type Correlation uint8

const (
	CorrelationIDFirst Correlation = iota // the correlation-id, else the message-id
	MessageIDOnly                         // the message-id
)

// ID returns the correlation-id of a reply to a request with these ids, its type unchanged. It is
// the zero ID if the request has no id.
func (c Correlation) ID(correlationID, messageID ID) ID {
	if c == MessageIDOnly || correlationID.IsZero() {
		return messageID
	}
	return correlationID
}

// An Answer holds what a reply takes from its request.
type Answer struct {
	CorrelationID ID          // zero if the request has no id
	Destination   Destination // for [Producer.Destination]
	GroupID       Opt[string] // the request's reply-to-group-id [amqp 3.2.4]
}

// Answer returns what a reply takes from this message, for message types of your own; [View.Reply]
// makes the reply. The destination has the address in reply-to byte for byte or, if the consumer's
// Peer does not accept such an address, the form of it that the Peer accepts.
//
// It is an error, a *[ValueError] or *[WireError], if the request has no reply-to, or if that, its
// reply-to-group-id or the id to be used is malformed.
func (v View) Answer(c Correlation) (a Answer, err error) {
	if a.Destination, err = v.ReplyTo(); err != nil {
		return Answer{}, err
	}
	replyTo, err := v.text(FieldReplyTo)
	if err != nil {
		return Answer{}, err
	}
	address := replyTo.Or("")
	if address == "" {
		return Answer{}, &ValueError{What: "reply-to", Value: "none", Err: errors.New("the message does not ask for a reply")}
	}
	a.Destination.Address = v.from().peer.replyAddress(address, a.Destination.Kind)
	if a.GroupID, err = v.ReplyToGroupID(); err != nil {
		return Answer{}, err
	}
	var correlationID, messageID ID
	if c != MessageIDOnly {
		if correlationID, err = v.CorrelationID(); err != nil {
			return Answer{}, err
		}
	}
	if correlationID.IsZero() {
		if messageID, err = v.MessageID(); err != nil {
			return Answer{}, err
		}
	}
	a.CorrelationID = c.ID(correlationID, messageID)
	return a, nil
}

// Reply returns a new message with the correlation-id and the group-id of [View.Answer], and
// the destination to send it to. Give it a body with an [Editor], and send it with a
// [Producer] of that destination. Errors are those of Answer.
func (v View) Reply(c Correlation) (*amqp.Message, Destination, error) {
	a, err := v.Answer(c)
	if err != nil {
		return nil, Destination{}, err
	}
	m := &amqp.Message{Properties: &amqp.MessageProperties{CorrelationID: a.CorrelationID.Value(), GroupID: a.GroupID.pointer()}}
	return m, a.Destination, nil
}
