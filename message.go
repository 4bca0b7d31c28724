package amqpjms

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/goamqp"
	"github.com/seed-b113d664/amqpjms/internal/java"
)

// An Editor writes what an application sets on a message. The zero Editor writes for any
// peer, and holds property names to JMS's rule. Editors can be compared with == and used by
// several goroutines at once.
//
// Each method sets one thing of a message, which must not be nil. It does not write into what
// the message may share with another (properties, annotations, application properties, header)
// but replaces it with a copy, or with nil if nothing is left. Nothing changes on error. Errors
// are of type *[ValueError].
//
// A [Producer] sets the rest: the message id, the destination, the times, the header.
type Editor struct {
	Peer Peer

	// AnyPropertyName allows names of properties that are not Java identifiers, or are reserved
	// words in JMS selectors. Qpid JMS hides such properties.
	AnyPropertyName bool

	// EscapePropertyNames escapes names of properties as [EscapePropertyName] does.
	// [View.Property] does not unescape them.
	EscapePropertyNames bool
}

// SetText makes m a TextMessage. For a peer with TextAsData the text goes into a data section,
// and a content-type of text in UTF-8 that m has stays. A text that is not valid UTF-8 is an
// error.
func (w Editor) SetText(m *amqp.Message, text string) error {
	body := TextBody
	if w.Peer.TextAsData {
		body = TextDataBody
	}
	b, err := body(text)
	return w.setBody(m, b, err)
}

// SetNullText makes m a TextMessage whose text is null, which differs from "".
func (w Editor) SetNullText(m *amqp.Message) { _ = w.setBody(m, NullTextBody(), nil) }

// SetBytes makes m a BytesMessage, and keeps b. The content-type and the content-encoding that m
// has stay, since they may describe the bytes, except the content-type of a Java object.
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

// setBody sets the body of m unless err is not nil. The content-type and the content-encoding
// that m has stay if they can be true of the body.
func (w Editor) setBody(m *amqp.Message, b Body, err error) error {
	if err == nil {
		had := bodyOf(m)
		b.ContentType, b.ContentEncoding = b.contentTypeAfter(had.ContentType, had.ContentEncoding)
		w.SetBody(m, b)
	}
	return err
}

// SetBody replaces the body of m by b, as [Body.Outgoing] returns it, with b's content-type and
// content-encoding. If b has neither, the content-type of m stays if it can be true of b: that
// of text in UTF-8 for a text, that of a Java object for an object, any other for bytes.
func (w Editor) SetBody(m *amqp.Message, b Body) {
	b = b.Outgoing(w.Peer)
	had := bodyOf(m)
	if b.ContentType == "" && b.ContentEncoding == "" {
		b.ContentType, _ = b.contentTypeAfter(had.ContentType, "")
	}
	if b.ContentType != had.ContentType || b.ContentEncoding != had.ContentEncoding {
		editProperties(m, func(p *amqp.MessageProperties) {
			p.ContentType, p.ContentEncoding = nonEmpty(b.ContentType), nonEmpty(b.ContentEncoding)
		})
	}
	setAnnotation(m, b.Annotation, AnnotationMessageKind)
	m.Data, m.Sequence, m.Value = b.Data, b.Sequences, b.Value
}

// nonEmpty returns a field for go-amqp to send, nil for "".
func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// editProperties edits a copy of the properties of m, which it may share with another
// message. If all are unset then m has none, because go-amqp sends empty properties as an
// empty section.
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

// emptyProperties reports whether all 13 properties are unset [amqp 3.2.4].
func emptyProperties(p *amqp.MessageProperties) bool {
	return p.MessageID == nil && len(p.UserID) == 0 && p.To == nil && p.Subject == nil && p.ReplyTo == nil &&
		p.CorrelationID == nil && p.ContentType == nil && p.ContentEncoding == nil && p.AbsoluteExpiryTime == nil &&
		p.CreationTime == nil && p.GroupID == nil && p.GroupSequence == nil && p.ReplyToGroupID == nil
}

// edited returns an edited copy of a section's map, made with room for more entries. It returns
// nil instead of an empty map, which go-amqp sends as an empty section.
func edited[M ~map[K]any, K comparable](m M, more int, edit func(M)) M {
	own := make(M, len(m)+more)
	maps.Copy(own, m)
	edit(own)
	if len(own) == 0 {
		return nil
	}
	return own
}

// setAnnotation sets an annotation of m, or removes it if value is nil, and removes others, in a
// copy of the annotations, which m may share with another message.
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
		replyTo, kind = &address, d.Kind.Annotation()
	}
	editProperties(m, func(p *amqp.MessageProperties) { p.ReplyTo = replyTo })
	setAnnotation(m, kind, AnnotationReplyTo, annotationReplyType)
	return nil
}

// SetType sets JMSType, and removes it if it is unset. Invalid UTF-8 is an error.
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

// SetGroup sets JMSXGroupID and JMSXGroupSeq, and removes those that are unset. An id that is
// not valid UTF-8 is an error.
func (w Editor) SetGroup(m *amqp.Message, id Opt[string], seq Opt[int32]) error {
	groupID, err := textField("group id", id)
	if err != nil {
		return err
	}
	editProperties(m, func(p *amqp.MessageProperties) {
		p.GroupID, p.GroupSequence = groupID, groupSequence(seq).pointer()
	})
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
// ttl of the header alone, which a [Producer] overwrites: set it after that, or in
// Producer.WireTTL. nil is not an integer: [Editor.RemoveProperty] removes those two.
//
// It is an error if a value is of another type; if [Editor.PropertyKey] does not take a name;
// if a field cannot be set: JMSXDeliveryCount, JMSXUserID, JMS_AMQP_TYPED_ENCODING
// ([Editor.SetObject] and [Editor.SetJavaObject] decide).
//
// It copies the application properties if it sets any, so set many at once.
func (w Editor) SetProperties(m *amqp.Message, properties map[string]any) error {
	var fields fieldSettings
	var fieldsSet bool
	var own map[string]any
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value := properties[name]
		if f := propertyField(name); f != nil {
			if !fieldsSet {
				fields, fieldsSet = fieldsOf(m), true
			}
			if err := f.set(&fields, value); err != nil {
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
	if fieldsSet {
		fields.apply(m)
	}
	if own != nil {
		m.ApplicationProperties = own
	}
	return nil
}

// fieldsOf returns the fields of m that properties set, its TTL unset.
func fieldsOf(m *amqp.Message) fieldSettings {
	p := propertiesOf(m)
	f := fieldSettings{
		GroupID:         optional(p.GroupID),
		ReplyToGroupID:  optional(p.ReplyToGroupID),
		ContentType:     optional(p.ContentType),
		ContentEncoding: optional(p.ContentEncoding),
	}
	if p.GroupSequence != nil {
		f.GroupSeq = Some(int32(*p.GroupSequence))
	}
	return f
}

// apply gives m these fields. m keeps the ttl that it has where that is unset.
func (f fieldSettings) apply(m *amqp.Message) {
	editProperties(m, func(p *amqp.MessageProperties) {
		p.GroupID, p.ReplyToGroupID = f.GroupID.pointer(), f.ReplyToGroupID.pointer()
		p.ContentType, p.ContentEncoding = f.ContentType.pointer(), f.ContentEncoding.pointer()
		p.GroupSequence = groupSequence(f.GroupSeq).pointer()
	})
	ttl, ok := f.TTL.Get()
	if !ok || ttl == 0 && m.Header == nil {
		return
	}
	h := Header{}.MessageHeader()
	if m.Header != nil {
		*h = *m.Header
	}
	h.TTL = time.Duration(ttl) * time.Millisecond
	m.Header = h
}

// groupSequence returns the group-sequence of a JMSXGroupSeq: a negative one is 2^31 or more.
func groupSequence(seq Opt[int32]) Opt[uint32] {
	if n, ok := seq.Get(); ok {
		return Some(uint32(n))
	}
	return Opt[uint32]{}
}

// RemoveProperty removes a property of any name, and the field of the message if the name is
// one's. It is an error if the field cannot be removed, as JMSXDeliveryCount, JMSXUserID and
// JMS_AMQP_TYPED_ENCODING cannot, or if the name cannot be escaped.
func (w Editor) RemoveProperty(m *amqp.Message, name string) error {
	key, err := w.escaped(name)
	if err != nil {
		return err
	}
	if f := propertyField(name); f != nil {
		fields := fieldsOf(m)
		if f.remove != nil {
			f.remove(&fields)
		} else if err := f.set(&fields, nil); err != nil {
			return err
		}
		fields.apply(m)
	}
	removeApplicationProperty(m, key)
	return nil
}

// removeApplicationProperty removes an application property of m, in a copy of the map, which m
// may share with another message.
func removeApplicationProperty(m *amqp.Message, key string) {
	if _, ok := m.ApplicationProperties[key]; ok {
		m.ApplicationProperties = edited(m.ApplicationProperties, 0, func(own map[string]any) { delete(own, key) })
	}
}

// PropertyKey returns the key of a property among the application properties: its name, escaped
// if the Editor escapes names. It is an error if the name is that of a field, if JMS reserves it
// (it starts with "JMS", not with "JMS_") or, without AnyPropertyName, if [CheckPropertyName]
// refuses it.
func (w Editor) PropertyKey(name string) (string, error) {
	key, err := w.escaped(name)
	if err != nil {
		return "", err
	}
	wrong := func(why string) (string, error) {
		return "", &ValueError{What: "property", Value: quote(name), Err: errors.New(why)}
	}
	switch {
	case name == "":
		return wrong("empty")
	case !strings.HasPrefix(name, "JMS"):
	case propertyField(name) != nil:
		return wrong("a field of the message, not an application property")
	case !strings.HasPrefix(name, "JMS_"):
		return wrong("JMS reserves names that start with JMS: use another name, or JMS_ and a vendor's name") // [jms 3.5.1]
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

// escaped returns the name, escaped if the Editor does that.
func (w Editor) escaped(name string) (string, error) {
	if w.EscapePropertyNames {
		return EscapePropertyName(name)
	}
	return name, nil
}

// CheckPropertyName returns an error, a *[ValueError], unless a name is valid for a property of
// JMS: a Java identifier of characters up to U+FFFF other than NULL, TRUE, FALSE, NOT, AND, OR,
// BETWEEN, LIKE, IN, IS and ESCAPE in upper case [jms 3.8.1.1].
func CheckPropertyName(name string) error {
	wrong := func(why string) error {
		return &ValueError{What: "property", Value: quote(name), Err: errors.New(why)}
	}
	switch name {
	case "":
		return wrong("empty")
	case "NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE":
		return wrong("reserved word in JMS selectors")
	}
	for i, r := range name {
		switch {
		case i == 0 && !java.IdentifierStart(r):
			return wrong(strconv.QuoteRune(r) + " cannot start a Java identifier")
		case !java.IdentifierPart(r):
			return wrong(strconv.QuoteRune(r) + " cannot be in a Java identifier")
		}
	}
	return nil
}

// Apache Camel's escapes for characters that Java identifiers cannot contain.
const (
	escapedHyphen = "_HYPHEN_"
	escapedDot    = "_DOT_"
)

// EscapePropertyName replaces each "-" in a name by _HYPHEN_ and each "." by _DOT_, so that Qpid
// JMS, which hides names that are not Java identifiers, shows it. A name that contains these
// words is an error, a *[ValueError], since [UnescapePropertyName] could not restore it.
func EscapePropertyName(name string) (string, error) {
	escaped := strings.NewReplacer("-", escapedHyphen, ".", escapedDot).Replace(name)
	if UnescapePropertyName(escaped) != name {
		return "", &ValueError{What: "property", Value: quote(name), Err: errors.New("contains _HYPHEN_ or _DOT_, the escapes of - and .")}
	}
	return escaped, nil
}

// UnescapePropertyName returns the name that [EscapePropertyName] escaped.
func UnescapePropertyName(escaped string) string {
	return strings.NewReplacer(escapedHyphen, "-", escapedDot, ".").Replace(escaped)
}

// Forward returns a message that passes m on now, by the rules of [Forwarder.Append]. It
// shares with m everything but the header, the delivery annotations, the delay and the
// delivery tag, which belongs to the link that m came from. m is not changed, and must still
// be settled.
//
// go-amqp shows an amqp-value null as no section, so a message without a section goes on with
// a null, or as the next peer takes it, see [Body.Outgoing].
//
// It is an error, a *[ValueError], if the header or the delay is malformed, if a relative
// delay lacks a creation-time, if a delay is not over and the next peer cannot delay, or if
// go-amqp cannot write something of m, see [Stamp.Apply]: forward the bytes with Append then.
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
		Annotations:           delayedAnnotations(m.Annotations, delay),
		Properties:            m.Properties,
		ApplicationProperties: m.ApplicationProperties,
		Sequence:              m.Sequence,
		Footer:                m.Footer,
	}
	b := bodyOf(m)
	if b.form() == formNone {
		b.Value = amqp.Null{} // which go-amqp shows as no section
	}
	b = b.Outgoing(f.To)
	out.Data, out.Value = b.Data, b.Value
	if byProperty {
		removeApplicationProperty(out, propertyScheduledDelay)
	}
	sections, err := writable(out, true)
	if err != nil {
		return nil, err
	}
	sections.Put(out)
	return out, nil
}

// delayedAnnotations returns annotations that ask for a delay and no other.
func delayedAnnotations(a amqp.Annotations, delay DelayRequest) amqp.Annotations {
	if len(a) == 0 && delay.Form == DelayUnset {
		return a // an empty section stays one
	}
	return edited(a, 1, func(a amqp.Annotations) {
		for _, e := range delayAnnotations(delay.Form, delay.Time, 0) {
			replaceAnnotation(a, e.Name, e.Value)
		}
	})
}

// replaceAnnotation sets an annotation, or removes it if value is nil.
func replaceAnnotation(a amqp.Annotations, name string, value any) {
	if len(a) > 0 {
		deleteAnnotation(a, name)
	}
	if value != nil {
		a[name] = value
	}
}

// writable returns the sections of m for go-amqp to write, each m's own or a copy in which
// descriptors are symbols again. It returns an error if m holds something that go-amqp cannot
// write, even if go-amqp decoded it. Unless all is set it skips the properties that a stamp
// replaces.
func writable(m *amqp.Message, all bool) (goamqp.Sections, error) {
	w := goamqp.Writer{Describe: describedFrom}
	f := w.Properties(m.Properties, all)
	if f == nil {
		var s goamqp.Sections
		if s, f = w.Sections(m); f == nil {
			return s, nil
		}
	}
	if f.Err == goamqp.ErrNotWritten {
		f.Err = errForwardBytes
	}
	return goamqp.Sections{}, unwritable(f.In, f)
}

var errForwardBytes = fmt.Errorf("%w: forward the encoded message with Forwarder.Append", goamqp.ErrNotWritten)

// Prepare makes m, which must not be nil, ready to be sent now: it stamps it with a new id
// and returns the stamp. For now and for errors see [Producer.Stamp], for what changes in m
// [Stamp.Apply]. m does not change on error.
func (p Producer) Prepare(m *amqp.Message, now time.Time) (Stamp, error) {
	var id ID
	if !p.NoMessageID {
		id = NewID()
	}
	s, err := p.Stamp(now, id)
	if err == nil {
		err = s.Apply(m)
	}
	if err != nil {
		return Stamp{}, err
	}
	return s, nil
}

// Apply writes the stamp to m, which must not be nil: a new header, with durable on the wire;
// the properties message-id, user-id, to, absolute-expiry-time and creation-time, set or
// removed; x-opt-jms-dest; the body and x-opt-jms-msg-type that [Body.Outgoing] returns; and
// the delay in the peer's form. It removes the delivery tag, other annotations that ask for a
// delay, and x-opt-to-type. Nothing else in m changes. Delivery annotations stay; remove them
// before resending. Properties, annotations and application properties, which m may share
// with another message, are copied, and nil if nothing is left in them.
//
// The application property AMQ_SCHEDULED_DELAY is set or removed if it is the peer's form of
// delay. Otherwise it belongs to the application, and is an error beside another delay;
// ActiveMQ Classic serves it all the same.
//
// It is an error, a *[ValueError], if the peer cannot serve the delay, if the correlation-id
// has a type that ids do not have, if a content-type, content-encoding, symbol or annotation
// key is not ASCII, if a string is not UTF-8, if values are nested more than 100 deep, or if
// go-amqp cannot write one: Go types that AMQP does not have, some types of keys of
// annotations and the footer, arrays of int or long with a number below -128 and none above
// 127, and arrays of timestamp with one before 1677-09-22 or after 2262-04-11, or one before
// 1970 that has a part of a millisecond. It looks at all values for that. A described value
// keeps its symbol. m does not change on error.
func (s Stamp) Apply(m *amqp.Message) error {
	if err := s.checkDelay(); err != nil {
		return err
	}
	sections, err := writable(m, false)
	if err != nil {
		return err
	}
	p := propertiesOf(m)
	if _, err := IDFrom(p.CorrelationID); err != nil {
		if e, ok := err.(*ValueError); ok {
			err = &ValueError{What: FieldCorrelationID.String(), Value: e.Value, Err: e.Err}
		}
		return err
	}
	if err := cmp.Or(checkSymbol(FieldContentType.String(), optional(p.ContentType).Or("")),
		checkSymbol(FieldContentEncoding.String(), optional(p.ContentEncoding).Or(""))); err != nil {
		return err
	}
	for _, annotations := range [...]amqp.Annotations{m.DeliveryAnnotations, m.Annotations, m.Footer} {
		for key := range annotations { // go-amqp writes any text as a symbol
			if text, ok := textFrom(key); ok {
				if err := checkSymbol("annotation", text); err != nil {
					return err
				}
			}
		}
	}
	if _, ok := m.ApplicationProperties[propertyScheduledDelay]; ok {
		if err := s.checkScheduled(); err != nil {
			return err
		}
	}

	m.DeliveryTag = nil
	sections.Put(m)
	m.Header = s.Header.MessageHeader()

	editProperties(m, func(p *amqp.MessageProperties) {
		p.MessageID = s.MessageID.Value()
		p.UserID = nil
		if s.UserID != "" {
			p.UserID = []byte(s.UserID)
		}
		p.To = nil
		if address := s.Address; !s.Destination.IsZero() {
			p.To = &address
		}
		p.CreationTime = timeOf(s.Timestamp)
		p.AbsoluteExpiryTime = timeOf(s.Expiration)
	})

	body := bodyOf(m).Outgoing(s.Peer)
	m.Data, m.Value = body.Data, body.Value
	m.Annotations = edited(m.Annotations, 3, func(a amqp.Annotations) {
		for name, value := range s.Annotations() {
			replaceAnnotation(a, name, value)
		}
		replaceAnnotation(a, AnnotationMessageKind, body.Annotation)
	})

	for name, value := range s.ApplicationProperties() {
		if value == nil {
			removeApplicationProperty(m, name)
			continue
		}
		m.ApplicationProperties = edited(m.ApplicationProperties, 1, func(own map[string]any) { own[name] = value })
	}
	return nil
}

// timeOf returns a time for go-amqp to send, nil for 0.
func timeOf(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	t := time.UnixMilli(ms).UTC()
	return &t
}

// Append appends an encoded message to dst as it is passed on now: the header with durable
// made explicit as [Header.Explicit] does and without first-acquirer and delivery-count, no
// delivery annotations, and a delay as the time that it ends, see [Forwarder.To], in place of
// all annotations that ask for one. Everything else is kept byte for byte, but if messages
// come from a peer that takes the application property AMQ_SCHEDULED_DELAY for its delay,
// that is removed. The ttl stays, see [Header.LowerTTL].
//
// It is an error, a *[WireError] or *[ValueError], with which it returns dst unchanged, if the
// message or its delay is malformed, if a relative delay lacks a creation-time, or if a delay
// is not over and the next peer cannot delay. dst must not overlap msg. Without a delay it
// allocates only to grow dst.
func (f Forwarder) Append(dst, msg []byte, now time.Time) ([]byte, error) {
	var m RawMessage
	if err := m.Parse(msg); err != nil {
		return dst, err
	}
	byProperty := f.From.Delay == DelayProperty
	var d delays
	if err := m.readDelays(&d, byProperty, false); err != nil {
		return dst, err
	}
	delay, err := f.delay(&d, now)
	if err != nil {
		return dst, err
	}
	delayed := delayAnnotations(delay.Form, delay.Time, 0)
	c := Change{Header: Some(f.header(m.Header)), DropDeliveryAnnotations: true, Annotations: delayed[:]}
	if byProperty {
		c.ApplicationProperties = []Entry{{Name: propertyScheduledDelay}}
	}
	return c.AppendTo(dst, &m)
}
