package amqpjms

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/goamqp"
	"github.com/seed-b113d664/amqpjms/internal/java"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// An Editor writes what an application sets on a message. The zero Editor writes for any
// peer, and holds property names to JMS's rule. Editors can be compared with == and used by
// several goroutines at once.
//
// Each method sets one thing of a message, which must not be nil, and nothing else. It does
// not write into what the message may share with another (properties, annotations,
// application properties, header), but replaces that by a copy, nil where nothing is left in
// it. Nothing changes on error. Errors are *[ValueError].
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
	b = b.Outgoing(w.Peer)
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
		if f := fieldOf(name); f != nil && f.listed {
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
	if f := fieldOf(name); f != nil && f.listed {
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

// removeApplicationProperty gives m application properties without one, which it shares with
// no other message if it had that.
func removeApplicationProperty(m *amqp.Message, key string) {
	if _, ok := m.ApplicationProperties[key]; ok {
		m.ApplicationProperties = edited(m.ApplicationProperties, 0, func(own map[string]any) { delete(own, key) })
	}
}

// PropertyKey returns the key that a property has among the application properties: its
// name, or what the Editor escapes that to. It is an error if the name is that of a field, or
// one that JMS reserves, which are all that start with "JMS" but not with "JMS_"; and, unless
// any name may be set, if [CheckPropertyName] does not take it.
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
	switch f := fieldOf(name); {
	case name == "":
		return wrong("empty")
	case !strings.HasPrefix(name, "JMS"):
	case f != nil && f.listed:
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

// CheckPropertyName returns an error, a *[ValueError], unless JMS takes a name for a property:
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
		return "", &ValueError{What: "property", Value: quote(name), Err: errors.New("contains _HYPHEN_ or _DOT_, which - and . are escaped as")}
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
// decodes both alike, and some peers end the session of the first; for a peer that takes no
// null, one without a section, or of a BytesMessage with an empty data section.
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

// writable returns the sections of m as go-amqp has to get them, each m's own or a copy in which
// descriptors are symbols again. It returns an error if go-amqp cannot write something in m,
// which it may have decoded. Unless all is set it skips the properties that a stamp replaces.
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

// Prepare makes m ready to be sent now: it stamps it with a new id, and returns the
// stamp. m must not be nil. See [Producer.Stamp] for now and for errors, and [Stamp.Apply]
// for what becomes of m, which does not change on error.
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

// Apply writes the stamp to m, which must not be nil: a new header, with durable on the
// wire; the properties message-id, user-id, to, absolute-expiry-time and creation-time,
// set or removed; the annotation x-opt-jms-dest; what [Body.Outgoing] makes of the body for the
// stamp's peer, which is the kind of message in x-opt-jms-msg-type, and a section where there is
// none; and the delay in its one form. What was left by an earlier send is
// removed: a delay in the form of an annotation, and x-opt-to-type, the older annotation
// for the kind of the destination. All else of m stays, delivery annotations too: take
// those of a received message off before it is sent on. What m may share with another
// message (the properties, the annotations and, where the delay is a property, the
// application properties) is not written into but replaced by a copy, nil where nothing is
// left in it.
//
// An application property AMQ_SCHEDULED_DELAY is replaced or removed where the peer
// takes that for its delay; elsewhere it is the application's own (ActiveMQ Classic serves
// it all the same, so take it off a message that was sent in that form), but an error, a
// *[ValueError], beside a delay in another form. So is a delay whose form cannot be
// written, in a stamp that [Producer.Stamp] did not make; a content-type, content-encoding,
// symbol or key of an annotation that is not ASCII; and what go-amqp cannot write, though it
// decodes it: keys of some types in annotations, of the delivery too, and in the footer;
// arrays of int or long with a number below -128 and none above 127; arrays of timestamp with
// one before 1677-09-22 or after 2262-04-11, or one before 1970 that has a part of a
// millisecond; and what it refuses: strings that are not valid UTF-8, Go types that AMQP has
// no type for. Nor may values be nested more than 100 deep. So all annotations, properties and
// values of a map or a list are looked at. A described value keeps its symbol, which go-amqp
// alone would send as a string. m does not change on error.
func (s Stamp) Apply(m *amqp.Message) error {
	delayed := s.DeliveryDelay > 0
	if delayed {
		if why := s.DelayForm.unfit(s.Timestamp != 0); why != "" {
			return &ValueError{What: "delivery delay", Value: milliseconds(s.DeliveryDelay), Err: errors.New(why)}
		}
	}
	sections, err := writable(m, false)
	if err != nil {
		return err
	}
	p := propertiesOf(m)
	if err := cmp.Or(checkSymbol(FieldContentType.String(), optional(p.ContentType).Or("")),
		checkSymbol(FieldContentEncoding.String(), optional(p.ContentEncoding).Or(""))); err != nil {
		return err
	}
	for _, annotations := range [...]amqp.Annotations{m.DeliveryAnnotations, m.Annotations, m.Footer} {
		for key := range annotations { // which go-amqp writes as symbols, whatever is in them
			text, ok := key.(string)
			if symbol, is := key.(amqp.Symbol); is {
				text, ok = string(symbol), true
			}
			if !ok {
				continue
			}
			if err := checkSymbol("annotation", text); err != nil {
				return err
			}
		}
	}
	_, scheduled := m.ApplicationProperties[propertyScheduledDelay]
	if scheduled && delayed && s.DelayForm != DelayProperty {
		return &ValueError{What: "property", Value: quote(propertyScheduledDelay), Err: fmt.Errorf("a second delay beside %v", s.DelayForm)}
	}

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
	had := len(m.Annotations) > 0
	m.Annotations = edited(m.Annotations, 3, func(a amqp.Annotations) {
		set := func(name string, value any) {
			if had {
				deleteAnnotation(a, name)
			}
			if value != nil {
				a[name] = value
			}
		}
		for name, value := range s.Annotations() {
			set(name, value)
		}
		set(annotationMessageKind, body.Annotation)
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

// timeOf returns a time for go-amqp to send, nil for 0, which means none.
func timeOf(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	t := time.UnixMilli(ms).UTC()
	return &t
}

// Append appends an encoded message to dst as it is passed on now. The bare message and
// the footer stay byte for byte, and so do all annotations but those that ask for a
// delay, null ones too: no form is left once the delay is over, and before that the
// absolute one alone (the enqueue time, where the next peer delays by that), so that none
// is ever served twice. The delivery annotations, first-acquirer and the delivery-count belong to
// the hop that is over, and go; durable becomes explicit as [Header.Explicit] says; the
// ttl stays, see [Header.LowerTTL]. Of the bare message one thing can change: the
// application property AMQ_SCHEDULED_DELAY, and a section that holds nothing else, goes
// where the message comes from a peer that takes it for its delay.
//
// It is an error, a *[WireError] or *[ValueError], if the message cannot be cut up or its
// delay not be read, if it has a relative delay and no creation-time, or if it has to wait
// and the next peer cannot delay; dst is returned as it was. dst must not overlap msg. For a message without
// such annotations it allocates nothing but what dst must grow by.
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
	out := f.header(m.Header).AppendTo(slices.Grow(dst, headerRoom+len(m.Rest)+delayRoom))
	if out, err = m.appendAnnotations(out, delay); err != nil {
		return dst, err
	}
	out = append(out, m.Properties...)
	if byProperty {
		if out, err = m.appendProperties(out); err != nil {
			return dst, err
		}
	} else {
		out = append(out, m.ApplicationProperties...)
	}
	return append(out, m.Body...), nil
}

// delayRoom is the most that a delay adds to a message: an annotation of 39 bytes, in a
// section of its own or in a map that has to be wider for it.
const delayRoom = 50

// appendAnnotations appends the message annotations with what is left of the delay.
func (m *RawMessage) appendAnnotations(dst []byte, delay DelayRequest) ([]byte, error) {
	items, n, dropped, err := m.without(m.MessageAnnotations, wire.Symbol,
		annotationDeliveryTime, annotationDeliveryDelay, annotationEnqueueTime)
	if err != nil {
		return nil, err
	}
	switch delay.Form {
	case DelayAbsolute:
		items = wire.AppendLong(wire.AppendSymbol(items, annotationDeliveryTime), delay.Time)
		n++
	case DelayEnqueueTime:
		items = wire.AppendTimestamp(wire.AppendSymbol(items, annotationEnqueueTime), delay.Time)
		n++
	default:
		if !dropped {
			return append(dst, m.MessageAnnotations...), nil
		}
	}
	if n == 0 {
		return dst, nil
	}
	if uint64(len(items)) > math.MaxUint32-delayRoom {
		return nil, &WireError{In: SectionMessageAnnotations.String(), Offset: m.offset(SectionMessageAnnotations), Err: errTooLong}
	}
	return wire.AppendMap(wire.AppendDescriptor(dst, uint64(SectionMessageAnnotations)), n, items), nil
}

// appendProperties appends the application properties without a delay.
func (m *RawMessage) appendProperties(dst []byte) ([]byte, error) {
	items, n, dropped, err := m.without(m.ApplicationProperties, wire.String, propertyScheduledDelay)
	switch {
	case err != nil:
		return nil, err
	case !dropped:
		return append(dst, m.ApplicationProperties...), nil
	case n == 0:
		return dst, nil
	}
	return wire.AppendMap(wire.AppendDescriptor(dst, uint64(SectionApplicationProperties)), n, items), nil
}
