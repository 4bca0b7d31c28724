package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/golden"
)

// A decoded is a message as go-amqp would decode it if that knew all of AMQP: the
// library reads properties, destinations and bodies from it. It lacks what is not as it
// should be, for which there is an error beside it.
type decoded struct {
	raw     *amqpjms.RawMessage
	message amqp.Message

	wrong         map[amqpjms.PropertiesField]error // of fields, and of annotations that they need
	kindErr       error                             // of the annotation that says the kind of message
	bodyErr       error                             // of the body, or of what it cannot be read without
	properties    map[string]value                  // the application properties, as [value] has them
	propertiesErr error                             // why there may be more
	bodyValue     value                             // of the amqp-value section
}

// decodeMessage decodes the sections of a message. Those of the body go up to its
// error.
func decodeMessage(m *amqpjms.RawMessage, sections []section, bodyErr error) *decoded {
	d := &decoded{raw: m, bodyErr: bodyErr, wrong: map[amqpjms.PropertiesField]error{}, properties: map[string]value{}}
	d.message = amqp.Message{
		Header:                m.Header.Explicit(amqpjms.ModeUnset).MessageHeader(),
		Annotations:           amqp.Annotations{},
		Properties:            new(amqp.MessageProperties),
		ApplicationProperties: map[string]any{},
	}
	fields := map[string]value{}
	for _, s := range sections {
		entries, err := s.entries(m)
		switch s.Kind {
		case amqpjms.SectionMessageAnnotations:
			d.setAnnotations(entries)
		case amqpjms.SectionProperties:
			for _, e := range entries {
				fields[e.name.V.(string)] = e.value
			}
		case amqpjms.SectionApplicationProperties:
			d.setApplicationProperties(entries, err)
		case amqpjms.SectionData, amqpjms.SectionAMQPSequence, amqpjms.SectionAMQPValue:
			d.addBody(s, entries[0].value)
		}
	}
	for f := range amqpjms.FieldReplyToGroupID + 1 {
		if err := d.setField(f, fields); err != nil {
			d.wrong[f] = err
		}
	}
	d.setKind("x-opt-jms-dest", "x-opt-to-type", amqpjms.FieldTo)
	d.setKind("x-opt-jms-reply-to", "x-opt-reply-type", amqpjms.FieldReplyTo)
	_, d.kindErr = m.Annotation("x-opt-jms-msg-type")
	if d.bodyErr == nil {
		d.bodyErr = d.kindErr
	}
	if d.bodyErr == nil && d.message.Value == nil && len(d.message.Sequence) == 0 { // the content-type says what it is
		_, d.bodyErr = m.Property(amqpjms.FieldContentEncoding) // which stands behind it
	}
	return d
}

// setAnnotations takes those whose keys are symbols, the first of each name, as
// [amqpjms.RawMessage.Annotation] does.
func (d *decoded) setAnnotations(entries []entry) {
	for _, e := range entries {
		if e.name.Type != "symbol" {
			continue
		}
		if _, ok := d.message.Annotations[e.name.V]; !ok {
			d.message.Annotations[e.name.V] = goValue(e.value)
		}
	}
}

// setKind looks for an error of the annotation that says the kind of a destination.
func (d *decoded) setKind(name, legacy string, f amqpjms.PropertiesField) {
	v, err := d.raw.Annotation(name)
	if v == nil && err == nil {
		_, err = d.raw.Annotation(legacy)
	}
	if address, _ := d.raw.Property(f); address != nil && err != nil {
		d.wrong[f] = err
	}
}

// setApplicationProperties takes those whose keys are strings, the last of each name,
// as go-amqp and Qpid JMS do.
func (d *decoded) setApplicationProperties(entries []entry, err error) {
	for _, e := range entries {
		name, _ := e.name.V.(string)
		switch e.name.Type {
		case "string":
			d.properties[name], d.message.ApplicationProperties[name] = e.value, propertyValue(e.value)
		case "error":
			d.propertiesErr = errors.New("application-properties: a key " + name)
		default:
			d.propertiesErr = errors.New("application-properties: a key of type " + e.name.Type + ", not string")
		}
	}
	if err != nil {
		d.propertiesErr = fmt.Errorf("application-properties %w", err)
	}
}

// propertyValue returns what JMS's getters read: of a char, for which go-amqp has no type,
// a string.
func propertyValue(v value) any {
	if n, ok := v.V.(uint64); ok && v.Type == "char" {
		return string(rune(n))
	}
	return goValue(v)
}

// setField sets a field of the properties section that JMS reads from go-amqp's message.
func (d *decoded) setField(f amqpjms.PropertiesField, fields map[string]value) error {
	raw, err := d.raw.Property(f)
	if raw == nil || err != nil {
		return err
	}
	v, p := fields[f.String()], d.message.Properties
	if v.Type == "error" {
		return fmt.Errorf("%v %s", f, v.V)
	}
	str := func(to **string) error {
		s, ok := v.V.(string)
		if !ok || v.Type != "string" && v.Type != "symbol" {
			return belongs(f, v, "string")
		}
		*to = &s
		return nil
	}
	switch f {
	case amqpjms.FieldMessageID:
		id, err := raw.ID()
		p.MessageID = id.Value()
		return err
	case amqpjms.FieldCorrelationID:
		id, err := raw.ID()
		p.CorrelationID = id.Value()
		return err
	case amqpjms.FieldAbsoluteExpiryTime, amqpjms.FieldCreationTime:
		t, ok := goValue(v).(time.Time)
		if !ok {
			return belongs(f, v, "timestamp")
		}
		if f == amqpjms.FieldCreationTime {
			p.CreationTime = &t
		} else {
			p.AbsoluteExpiryTime = &t
		}
	case amqpjms.FieldUserID:
		b, ok := goValue(v).([]byte)
		if !ok {
			return belongs(f, v, "binary")
		}
		p.UserID = b
	case amqpjms.FieldGroupSequence:
		n, ok := goValue(v).(uint32)
		if !ok {
			return belongs(f, v, "uint")
		}
		p.GroupSequence = &n
	case amqpjms.FieldTo:
		return str(&p.To)
	case amqpjms.FieldSubject:
		return str(&p.Subject)
	case amqpjms.FieldReplyTo:
		return str(&p.ReplyTo)
	case amqpjms.FieldContentType:
		return str(&p.ContentType)
	case amqpjms.FieldContentEncoding:
		return str(&p.ContentEncoding)
	case amqpjms.FieldGroupID:
		return str(&p.GroupID)
	case amqpjms.FieldReplyToGroupID:
		return str(&p.ReplyToGroupID)
	}
	return nil
}

// belongs returns the error of a field of another type.
func belongs(f amqpjms.PropertiesField, v value, want string) error {
	return fmt.Errorf("%v: got %s, want %s", f, v.Type, want)
}

// addBody takes a section of the body: data is a binary and a sequence a list, or it
// would not have been cut out. What stands inside a list or a map stays a [value], for the
// library hands that on as it is.
func (d *decoded) addBody(s section, v value) {
	if v.Type == "error" {
		if d.bodyErr == nil {
			d.bodyErr = fmt.Errorf("body %s", v.V)
		}
		return
	}
	m := &d.message
	switch x := goValue(v).(type) {
	case []byte:
		if s.Kind == amqpjms.SectionData {
			m.Data = append(m.Data, x)
			return
		}
		m.Value = x
	case []any:
		if s.Kind == amqpjms.SectionAMQPSequence {
			m.Sequence = append(m.Sequence, x)
			return
		}
		m.Value = x
	case nil:
		m.Value = amqp.Null{} // go-amqp decodes it as no section, which is not the same to JMS
	default:
		m.Value = x
	}
	d.bodyValue = v
}

// Types that stand for what go-amqp has no Go type for, or would lose something of. To
// the library they are nothing that JMS reads, and their names stand in its errors.
type (
	char           struct{}
	decimal        struct{}
	array          struct{}
	describedValue struct{}
	unreadable     struct{} // no value at all
	compound       struct{} // as the key of a map, which a Go map cannot have
)

// goValue returns a value in the type that go-amqp decodes it into, nil for a null. The
// items of lists and maps stay as they are.
func goValue(v value) any {
	switch x := v.V.(type) {
	case []value:
		if v.Type == "array" {
			break
		}
		list := []any{}
		for _, item := range x {
			list = append(list, item)
		}
		return list
	case []golden.Entry:
		m := map[any]any{}
		for _, e := range x {
			m[goKey(e.Key)] = e.Value
		}
		return m
	}
	if x, ok := v.Go(); ok {
		return x
	}
	switch v.Type {
	case "char":
		return char{}
	case "array":
		return array{}
	case "described":
		return describedValue{}
	case "error":
		return unreadable{}
	}
	return decimal{}
}

// goKey returns a value that can be a key of a Go map.
func goKey(v value) any {
	switch v.Type {
	case "binary", "list", "map":
		return compound{}
	}
	return goValue(v)
}

// valueOf returns a value that the library has read from a field, a map or a stream.
func valueOf(v any) value {
	g, err := golden.From(v)
	if err != nil {
		return errorValue(err)
	}
	return g.Map(func(v value) value {
		if v.Type == "binary" {
			v.Type = "bytes" // as Java has it
		}
		return v
	})
}

// object returns what an ObjectMessage holds.
func (d *decoded) object(o any) value {
	switch o := o.(type) {
	case amqpjms.JavaObject:
		return bytesValue(o)
	case nil, amqp.Null:
		return null()
	}
	if d.bodyValue.Type == "" { // sequences
		return valueOf(o)
	}
	return valueOf(d.bodyValue)
}
