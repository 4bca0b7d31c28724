package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-b113d664/amqpjms"
)

// A receiver is what the bytes of a message do not say, and only its receiver knows.
type receiver struct {
	amqpjms.Consumer
	received time.Time
}

// A jmsMessage is a message as JMS sees it: both views print what stands here.
type jmsMessage struct {
	kind       value      // its name as a string, such as "text", or an error
	fields     []jmsField // the header fields of JMS
	special    []jmsField // the properties that JMS defines, whether the message has them or not
	names      []string   // of all properties that the message has, sorted
	namesErr   error      // why there may be more
	properties []property // those that are not special
	body       value
}

// A jmsField is a field, or a property that JMS itself defines, as a getter of JMS
// gives it.
type jmsField struct {
	name   string
	value  value
	note   string // for people
	exists value  // of a property: whether the message has it
}

// A property is what getObjectProperty, getStringProperty and getLongProperty give.
type property struct {
	name                    string
	value, asString, asLong value
}

// jmsOf returns a message as JMS sees it. What cannot be read is an error in its own
// place.
func jmsOf(m *amqpjms.RawMessage, sections []section, bodyErr error, to receiver) jmsMessage {
	d := decodeMessage(m, sections, bodyErr)
	view := to.View(&d.message, to.received)
	kind, kindErr := d.kind(view)
	j := jmsMessage{
		kind:     errorOr(kindErr, func() value { return text("string", kindName(kind)) }),
		fields:   d.fields(view, to),
		names:    d.names(view),
		namesErr: d.propertiesErr,
	}
	for _, name := range specials() {
		j.special = append(j.special, d.special(view, name))
	}
	j.special = append(j.special, d.typedEncoding(view, kind, kindErr))
	for _, name := range j.names {
		if !slices.ContainsFunc(j.special, func(f jmsField) bool { return f.name == name }) {
			j.properties = append(j.properties, d.property(view, name))
		}
	}
	body, err := view.Body()
	j.body = errorOr(cmp.Or(d.bodyErr, err), func() value { return d.body(body) })
	return j
}

// errorOr returns the value that v gives, or an error if there is one.
func errorOr(err error, v func() value) value {
	if err != nil {
		return errorValue(err)
	}
	return v()
}

// kindName returns a kind of message in one word: text, bytes, map, stream, object, or
// message for a plain one.
func kindName(k amqpjms.MessageKind) string {
	if k == amqpjms.PlainMessage {
		return "message"
	}
	return strings.ToLower(strings.TrimSuffix(k.String(), "Message"))
}

// kind returns the kind of the message. It does not take a whole body where the
// annotation says it, nor the inside of one where its type does.
func (d *decoded) kind(view amqpjms.View) (amqpjms.MessageKind, error) {
	if d.kindErr != nil {
		return 0, d.kindErr
	}
	if kind, err := view.AnnotatedKind(); err == nil {
		if kind, ok := kind.Get(); ok {
			return kind, nil
		}
	}
	if d.bodyErr != nil {
		return amqpjms.Consumer{}.ViewRaw(d.raw, time.Time{}).Kind()
	}
	return view.Kind()
}

// fields returns the header fields of JMS.
func (d *decoded) fields(view amqpjms.View, to receiver) []jmsField {
	correlationID, asBytes := null(), null()
	id, err := d.raw.CorrelationID()
	switch {
	case err != nil:
		correlationID, asBytes = errorValue(err), errorValue(err)
	case !id.IsZero():
		correlationID = text("string", id.JMSCorrelationID())
		b, err := id.CorrelationIDAsBytes()
		asBytes = errorOr(err, func() value { return bytesValue(b) })
	}
	h := d.raw.Header
	raw := to.ViewRaw(d.raw, to.received)
	return []jmsField{
		{name: "JMSMessageID", value: messageID(d.raw)},
		{name: "JMSCorrelationID", value: correlationID},
		{name: "JMSCorrelationIDAsBytes", value: asBytes},
		{name: "JMSTimestamp", value: long(raw.Timestamp())},
		{name: "JMSExpiration", value: long(raw.Expiration())},
		{name: "JMSDeliveryTime", value: long(raw.DeliveryTime())},
		{name: "JMSPriority", value: intValue(int32(h.JMSPriority()))},
		deliveryMode(h),
		{name: "JMSRedelivered", value: booleanValue(h.JMSRedelivered())},
		{name: "JMSType", value: errorOr(d.wrong[amqpjms.FieldSubject], func() value {
			jmsType, err := view.Type()
			return errorOr(err, func() value { return stated(jmsType, func(s string) value { return text("string", s) }) })
		})},
		{name: "JMSDestination", value: errorOr(d.wrong[amqpjms.FieldTo], func() value { return destinationValue(view.Destination()) })},
		{name: "JMSReplyTo", value: errorOr(d.wrong[amqpjms.FieldReplyTo], func() value { return destinationValue(view.ReplyTo()) })},
	}
}

// long returns a time as JMS sees it, or why it cannot be read.
func long(ms int64, err error) value {
	return errorOr(err, func() value { return longValue(ms) })
}

func messageID(m *amqpjms.RawMessage) value {
	id, err := m.MessageID()
	switch {
	case err != nil:
		return errorValue(err)
	case id.IsZero():
		return null()
	}
	return text("string", id.JMSMessageID())
}

func deliveryMode(h amqpjms.Header) jmsField {
	mode := h.JMSDeliveryMode(amqpjms.ModeUnset)
	note := mode.String() + ", stated"
	if h.Mode == amqpjms.ModeUnset {
		note = "not stated, " + mode.String() + " by AMQP's default"
	}
	return jmsField{name: "JMSDeliveryMode", value: intValue(int32(mode)), note: note}
}

func destinationValue(d amqpjms.Destination, err error) value {
	switch {
	case err != nil:
		return errorValue(err)
	case d.IsZero():
		return null()
	}
	return text(kindWord(d.Kind), d.Name)
}

// kindWord returns the kind of a destination in one word, such as temporary-queue.
func kindWord(k amqpjms.DestinationKind) string { return strings.ReplaceAll(k.String(), " ", "-") }

// specials are the properties that the view for machines always has, but for
// JMS_AMQP_TYPED_ENCODING.
func specials() []string {
	return []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMSXUserID", "JMS_AMQP_TTL", "JMS_AMQP_REPLY_TO_GROUP_ID"}
}

// fieldsOf are the properties of JMS that are fields of the properties section.
func fieldsOf() map[string]amqpjms.PropertiesField {
	return map[string]amqpjms.PropertiesField{
		"JMSXGroupID":                amqpjms.FieldGroupID,
		"JMSXGroupSeq":               amqpjms.FieldGroupSequence,
		"JMSXUserID":                 amqpjms.FieldUserID,
		"JMS_AMQP_REPLY_TO_GROUP_ID": amqpjms.FieldReplyToGroupID,
		"JMS_AMQP_CONTENT_TYPE":      amqpjms.FieldContentType,
		"JMS_AMQP_CONTENT_ENCODING":  amqpjms.FieldContentEncoding,
	}
}

// wrongOf returns the error of a property whose field cannot be read.
func (d *decoded) wrongOf(name string) error {
	if f, ok := fieldsOf()[name]; ok {
		return d.wrong[f]
	}
	return nil
}

func (d *decoded) special(view amqpjms.View, name string) jmsField {
	f := jmsField{name: name}
	if err := d.wrongOf(name); err != nil {
		f.value, f.exists = errorValue(err), booleanValue(true)
		return f
	}
	p := view.Property(name)
	raw, err := p.Raw()
	f.value, f.exists = errorOr(err, func() value { return valueOf(raw) }), booleanValue(p.Exists())
	if name == "JMSXGroupSeq" && !p.Exists() {
		f.value = intValue(0) // as Qpid JMS has it
	}
	return f
}

// typedEncoding returns JMS_AMQP_TYPED_ENCODING, which depends on the body.
func (d *decoded) typedEncoding(view amqpjms.View, kind amqpjms.MessageKind, err error) jmsField {
	f := jmsField{name: "JMS_AMQP_TYPED_ENCODING", value: null(), exists: booleanValue(false)}
	if err == nil && kind != amqpjms.ObjectMessage {
		return f
	}
	if err == nil {
		err = d.bodyErr
	}
	if err != nil {
		f.value, f.exists = errorValue(err), errorValue(err)
		return f
	}
	p := view.Property(f.name)
	typed, err := p.Bool() // false where it does not exist, as Qpid JMS has it
	f.value, f.exists = errorOr(err, func() value { return booleanValue(typed) }), booleanValue(p.Exists())
	return f
}

// names returns the names of the properties that the message has, those that cannot be
// read included.
func (d *decoded) names(view amqpjms.View) []string {
	names := []string{}
	exist, _ := view.PropertyNames() // never an error of a decoded message
	for _, name := range exist {
		if name != "JMS_AMQP_TYPED_ENCODING" || d.bodyErr == nil && d.kindErr == nil {
			names = append(names, name)
		}
	}
	for name := range fieldsOf() {
		if d.wrongOf(name) != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// property reads a property that the message has.
func (d *decoded) property(view amqpjms.View, name string) property {
	p := view.Property(name)
	raw, err := p.Raw()
	if wrong := d.wrongOf(name); wrong != nil {
		err = wrong
	}
	v, own := d.properties[name]
	if own && d.isField(view, name) {
		own = false
	}
	if own && v.Type == "error" {
		err = fmt.Errorf("property %q %s", name, v.V)
	}
	if err != nil {
		return property{name, errorValue(err), errorValue(err), errorValue(err)}
	}
	if !own {
		v = valueOf(raw)
	}
	s, err := p.Text()
	asString := errorOr(err, func() value { return stated(s, func(s string) value { return text("string", s) }) })
	return property{name, v, asString, long(p.Long())}
}

// isField reports whether a property is read from a field of the message, whatever
// application property there is of its name.
func (d *decoded) isField(view amqpjms.View, name string) bool {
	bare := d.message
	bare.ApplicationProperties = nil
	view.Message = &bare
	return view.Property(name).Exists()
}

// body returns what the getter of the message's kind gives.
func (d *decoded) body(b amqpjms.Body) value {
	switch b.Kind() {
	case amqpjms.TextMessage:
		s, err := b.Text()
		return errorOr(err, func() value { return stated(s, func(s string) value { return text("string", s) }) })
	case amqpjms.BytesMessage:
		v, err := b.Bytes()
		return errorOr(err, func() value { return bytesValue(v) })
	case amqpjms.MapMessage:
		m, err := b.Map()
		return errorOr(err, func() value { return valueOf(m) })
	case amqpjms.StreamMessage:
		s, err := b.Stream()
		return errorOr(err, func() value { return valueOf(s) })
	case amqpjms.ObjectMessage:
		o, err := b.Object()
		return errorOr(err, func() value { return d.object(o) })
	}
	return value{Type: "none"}
}
