package amqpjms

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A Message holds what an application sets on a message, for [Editor.Append] to write without
// an *amqp.Message. The zero Message has no body and nothing set.
type Message struct {
	CorrelationID  ID          // JMSCorrelationID
	ReplyTo        Destination // JMSReplyTo
	Type           Opt[string] // JMSType
	GroupID        Opt[string] // JMSXGroupID
	GroupSeq       Opt[int32]  // JMSXGroupSeq
	ReplyToGroupID Opt[string] // JMS_AMQP_REPLY_TO_GROUP_ID
	TTL            Opt[uint32] // JMS_AMQP_TTL: the header's ttl in place of the stamp's, 0 for none
	Properties     []Entry     // values are of the types that [Editor.SetProperties] takes; written in this order
	Body           Body

	// More is the number of bytes of the body that the caller appends to the result of Append, so
	// that a long body is copied once. They continue Body, which must be data, a string or a
	// binary, perhaps an empty one; of a string they must be valid UTF-8.
	More int
}

// SetField sets the field that a property stands for, by the rules of [Editor.SetProperties], and
// reports whether it stands for one: JMSXGroupID sets GroupID, JMS_AMQP_CONTENT_TYPE the
// content-type of Body, and so on. m does not change on error. Append calls it for Properties;
// it is exported for message types that have such fields of their own.
func (m *Message) SetField(name string, value any) (isField bool, err error) {
	f := propertyField(name)
	if f == nil {
		return false, nil
	}
	fields := m.fields()
	if err := f.set(&fields, value); err != nil {
		return true, err
	}
	m.setFields(&fields)
	return true, nil
}

// fields returns the fields of m that properties set.
func (m *Message) fields() fieldSettings {
	return fieldSettings{GroupID: m.GroupID, ReplyToGroupID: m.ReplyToGroupID, GroupSeq: m.GroupSeq, TTL: m.TTL,
		ContentType: Opt[string]{m.Body.ContentType, true}, ContentEncoding: Opt[string]{m.Body.ContentEncoding, true}}
}

// setFields gives m these fields.
func (m *Message) setFields(f *fieldSettings) {
	m.GroupID, m.ReplyToGroupID, m.GroupSeq, m.TTL = f.GroupID, f.ReplyToGroupID, f.GroupSeq, f.TTL
	m.Body.ContentType, m.Body.ContentEncoding = f.ContentType.Or(""), f.ContentEncoding.Or("")
}

// Append appends a message to dst, encoded for sending: the same message as [Stamp.Apply] and
// go-amqp send, in the smallest encodings and a fixed order. The stamp comes from
// [Producer.Stamp]; Body is written as [Body.Outgoing] returns it for the stamp's peer.
//
// Errors, *[ValueError], are those of Apply and of the methods of Editor that set the same, and a
// property that is set twice; on error it returns dst unchanged. It allocates to grow dst, and
// for a body that is a map, a reply-to that gets a prefix, a property that is a field and an
// escaped name.
func (w Editor) Append(dst []byte, s Stamp, m *Message) ([]byte, error) {
	if slices.ContainsFunc(m.Properties, setsField) {
		fields, err := m.withFields()
		if err != nil {
			return dst, err
		}
		own := *m
		own.setFields(&fields)
		m = &own
	}
	replyTo, err := w.Peer.Address(m.ReplyTo)
	if err != nil {
		return dst, err
	}
	if err := cmp.Or(s.checkDelay(), m.check(&s)); err != nil {
		return dst, err
	}
	body := m.Body.Outgoing(s.Peer)
	h := s.Header
	if ttl, ok := m.TTL.Get(); ok {
		h.TTL = headerTTL(int64(ttl))
	}
	b := m.appendAnnotations(h.AppendTo(dst), &s, body.Annotation)
	b = m.appendFields(b, &s, replyTo, &body)
	if b, err = w.appendProperties(b, &s, m.Properties); err != nil {
		return dst, err
	}
	if b, err = body.appendSections(b, m.More); err != nil {
		return dst, err
	}
	return b, nil
}

// setsField reports whether a property is a field of the message.
func setsField(p Entry) bool { return propertyField(p.Name) != nil }

// withFields returns the fields of m as its properties set them.
func (m *Message) withFields() (fieldSettings, error) {
	fields := m.fields()
	var seen map[string]bool
	for i, p := range m.Properties {
		f := propertyField(p.Name)
		if f == nil {
			continue
		}
		if namedTwice(m.Properties[:i], p.Name, &seen) {
			return fieldSettings{}, setTwice(p.Name)
		}
		if err := f.set(&fields, p.Value); err != nil {
			return fieldSettings{}, err
		}
	}
	return fields, nil
}

// check returns an error if a field cannot be written.
func (m *Message) check(s *Stamp) error {
	if ttl := int64(m.TTL.Or(0)); ttl > 0 && ttl < s.DeliveryDelay {
		return &ValueError{What: "JMS_AMQP_TTL", Value: milliseconds(ttl), Err: fmt.Errorf("shorter than the delivery delay of %s", milliseconds(s.DeliveryDelay))}
	}
	for _, text := range [...]struct {
		what  string
		value Opt[string]
	}{{"type", m.Type}, {"group id", m.GroupID}, {"reply-to group id", m.ReplyToGroupID}, {"user id", Some(s.UserID)}, {"to", Some(s.Address)}} {
		if err := cmp.Or(checkText(text.what, text.value.v), checkSize(text.what, len(text.value.v))); err != nil {
			return err
		}
	}
	return cmp.Or(checkSymbol(FieldContentType.String(), m.Body.ContentType), checkSymbol(FieldContentEncoding.String(), m.Body.ContentEncoding))
}

// appendAnnotations appends the message annotations; kind is that of the message, nil for none.
func (m *Message) appendAnnotations(b []byte, s *Stamp, kind any) []byte {
	before := len(b)
	b = wire.AppendDescriptor(b, uint64(SectionMessageAnnotations))
	start, n := len(b), 0
	b = wire.Begin(b)
	byteOf := func(name string, value int8) {
		b = wire.AppendByte(wire.AppendSymbol(b, name), value)
		n += 2
	}
	if s.Destination.Kind.valid() {
		byteOf(AnnotationDestination, s.Destination.Kind.Annotation())
	}
	if m.ReplyTo.Kind.valid() {
		byteOf(AnnotationReplyTo, m.ReplyTo.Kind.Annotation())
	}
	if kind, ok := kind.(int8); ok {
		byteOf(AnnotationMessageKind, kind)
	}
	if form := s.Peer.Delay; s.DeliveryDelay > 0 && !delayForms[form].property {
		b = wire.AppendSymbol(b, delayForms[form].name)
		if value := form.milliseconds(s.DeliveryTime, s.DeliveryDelay); delayForms[form].timestamp {
			b = wire.AppendTimestamp(b, value)
		} else {
			b = wire.AppendLong(b, value)
		}
		n += 2
	}
	if n == 0 {
		return b[:before]
	}
	return wire.End(b, start, wire.Map, n)
}

// appendFields appends the properties section.
func (m *Message) appendFields(b []byte, s *Stamp, replyTo string, body *Body) []byte {
	before := len(b)
	b = wire.AppendDescriptor(b, uint64(SectionProperties))
	start := len(b)
	b = wire.Begin(b)
	fields, end, n := 0, len(b), 0 // all that there are, and up to the last that is set
	field := func(isSet bool) bool {
		if fields++; !isSet {
			b = wire.AppendNull(b)
		}
		return isSet
	}
	mark := func() { end, n = len(b), fields }
	text := func(v string, isSet, symbol bool) {
		if !field(isSet) {
			return
		}
		if symbol {
			b = wire.AppendSymbol(b, v)
		} else {
			b = wire.AppendString(b, v)
		}
		mark()
	}
	id := func(id ID) {
		if field(!id.IsZero()) {
			b = id.AppendTo(b)
			mark()
		}
	}
	time := func(ms int64) {
		if field(ms != 0) {
			b = wire.AppendTimestamp(b, ms)
			mark()
		}
	}
	id(s.MessageID)
	if field(s.UserID != "") {
		b = wire.AppendBinary(b, s.UserID)
		mark()
	}
	text(s.Address, !s.Destination.IsZero(), false)
	text(m.Type.v, m.Type.ok, false)
	text(replyTo, !m.ReplyTo.IsZero(), false)
	id(m.CorrelationID)
	text(body.ContentType, body.ContentType != "", true)
	text(body.ContentEncoding, body.ContentEncoding != "", true)
	time(s.Expiration)
	time(s.Timestamp)
	text(m.GroupID.v, m.GroupID.ok, false)
	if sequence, ok := groupSequence(m.GroupSeq).Get(); field(ok) {
		b = wire.AppendUint(b, sequence)
		mark()
	}
	text(m.ReplyToGroupID.v, m.ReplyToGroupID.ok, false)
	if n == 0 {
		return b[:before]
	}
	return wire.End(b[:end], start, wire.List, n)
}

// appendProperties appends the application properties, those that are fields apart.
func (w Editor) appendProperties(b []byte, s *Stamp, properties []Entry) ([]byte, error) {
	if len(properties) == 0 && s.Peer.Delay != DelayProperty {
		return b, nil
	}
	before := len(b)
	b = wire.AppendDescriptor(b, uint64(SectionApplicationProperties))
	start, n := len(b), 0
	b = wire.Begin(b)
	var seen map[string]bool
	for i := range properties {
		p := &properties[i]
		if setsField(*p) {
			continue
		}
		producers := p.Name == propertyScheduledDelay && s.Peer.Delay == DelayProperty
		if p.Name == propertyScheduledDelay && !producers {
			if err := s.checkScheduled(); err != nil {
				return b, err
			}
		}
		key, err := w.PropertyKey(p.Name)
		if err != nil {
			return b, err
		}
		if namedTwice(properties[:i], p.Name, &seen) {
			return b, setTwice(p.Name)
		}
		entry := len(b)
		b = wire.AppendString(b, key)
		switch v := p.Value.(type) {
		case nil, bool, int8, int16, int32, int64, float32, float64, string:
			if b, err = appendAny(b, "", v, 0); err == nil {
				if producers {
					b = b[:entry] // only checked: the producer sets it
				} else {
					n += 2
				}
				continue
			}
		}
		return b, cmp.Or(checkProperty("property "+quote(p.Name), p.Value), err)
	}
	if s.Peer.Delay == DelayProperty && s.DeliveryDelay > 0 {
		b = wire.AppendLong(wire.AppendString(b, propertyScheduledDelay), s.DeliveryDelay)
		n += 2
	}
	if n == 0 {
		return b[:before], nil
	}
	return endValue(b, start, SectionApplicationProperties.String(), wire.Map, n)
}

func setTwice(name string) error {
	return &ValueError{What: "property", Value: quote(name), Err: errors.New("set twice")}
}

// namedTwice reports whether one of the properties before has this name. It compares with each,
// or where they are many keeps a set of those that it has seen.
func namedTwice(before []Entry, name string, seen *map[string]bool) bool {
	const many = 32
	if len(before) <= many {
		for i := range before {
			if before[i].Name == name {
				return true
			}
		}
		return false
	}
	if *seen == nil {
		*seen = make(map[string]bool, len(before))
		for i := range before {
			(*seen)[before[i].Name] = true
		}
	}
	twice := (*seen)[name]
	(*seen)[name] = true
	return twice
}

// appendSections appends the sections of the body. Where more is not 0 the last one is that many
// bytes longer, which the caller appends.
func (b Body) appendSections(dst []byte, more int) (_ []byte, err error) {
	const what = "body"
	value := func(data []byte, text string, t wire.Type) error {
		if more < 0 {
			return &ValueError{What: "rest of the body (Message.More)", Value: strconv.Itoa(more), Err: errors.New("negative")}
		}
		if err := checkSize(what, len(data)+len(text)+more); err != nil {
			return err
		}
		dst = append(append(wire.AppendSize(dst, t, len(data)+len(text)+more), data...), text...)
		return nil
	}
	form := b.form()
	switch form {
	case formData:
		for i, data := range b.Data {
			dst = wire.AppendDescriptor(dst, uint64(SectionData))
			if i < len(b.Data)-1 {
				dst, err = appendAny(dst, what, data, 0)
			} else {
				err = value(data, "", wire.Binary)
			}
			if err != nil {
				return dst, err
			}
		}
		return dst, nil
	case formNull, formValue:
		dst = wire.AppendDescriptor(dst, uint64(SectionAMQPValue))
		switch v := b.Value.(type) {
		case string:
			if err := checkText("text", v); err != nil {
				return dst, err
			}
			err = value(nil, v, wire.String)
			return dst, err
		case []byte:
			err = value(v, "", wire.Binary)
			return dst, err
		}
	}
	if more != 0 {
		return dst, &ValueError{What: "rest of the body (Message.More)", Value: strconv.Itoa(more), Err: errors.New("the body is not data, a string or a binary")}
	}
	switch form {
	case formNull, formValue:
		return appendAny(dst, what, b.Value, 0)
	case formSequence:
		for _, sequence := range b.Sequences {
			if dst, err = appendList(wire.AppendDescriptor(dst, uint64(SectionAMQPSequence)), what, sequence, 0); err != nil {
				return dst, err
			}
		}
	case formMixed:
		return dst, b.wrong("want one of Data, Sequences and Value")
	}
	return dst, nil
}
