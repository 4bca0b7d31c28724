package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms"
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
		if e.name.T != "symbol" {
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
		switch e.name.T {
		case "string":
			d.properties[name], d.message.ApplicationProperties[name] = e.value, propertyValue(e.value)
		case "error":
			d.propertiesErr = errors.New("application-properties: a key " + e.name.Message)
		default:
			d.propertiesErr = errors.New("application-properties: a key of type " + e.name.T + ", not string")
		}
	}
	if err != nil {
		d.propertiesErr = fmt.Errorf("application-properties %w", err)
	}
}

// propertyValue returns what JMS's getters read: of a char, for which go-amqp has no type,
// a string.
func propertyValue(v value) any {
	if n, ok := v.V.(int64); ok && v.T == "char" {
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
	if v.T == "error" {
		return fmt.Errorf("%v %s", f, v.Message)
	}
	str := func(to **string) error {
		s, ok := v.V.(string)
		if !ok || v.T != "string" && v.T != "symbol" {
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
	return fmt.Errorf("%v: got %s, want %s", f, v.T, want)
}

// addBody takes a section of the body: data is a binary and a sequence a list, or it
// would not have been cut out. What stands inside a list or a map stays a [value], for the
// library hands that on as it is.
func (d *decoded) addBody(s section, v value) {
	if v.T == "error" {
		if d.bodyErr == nil {
			d.bodyErr = errors.New("body " + v.Message)
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
	n, _ := v.V.(int64)
	s, _ := v.V.(string)
	switch v.T {
	case "null":
		return nil
	case "boolean":
		return v.V
	case "ubyte":
		return uint8(n)
	case "ushort":
		return uint16(n)
	case "uint":
		return uint32(n)
	case "ulong":
		u, _ := strconv.ParseUint(s, 10, 64)
		return u
	case "byte":
		return int8(n)
	case "short":
		return int16(n)
	case "int":
		return int32(n)
	case "long":
		i, _ := strconv.ParseInt(s, 10, 64)
		return i
	case "float":
		bits, _ := strconv.ParseUint(v.Bits, 16, 32)
		return math.Float32frombits(uint32(bits))
	case "double":
		bits, _ := strconv.ParseUint(v.Bits, 16, 64)
		return math.Float64frombits(bits)
	case "timestamp":
		ms, _ := strconv.ParseInt(s, 10, 64)
		return time.UnixMilli(ms)
	case "uuid":
		return amqp.UUID(uuid.MustParse(s)) // as readValue printed it
	case "binary":
		b, _ := hex.DecodeString(s)
		return b
	case "string":
		return s
	case "symbol":
		return amqp.Symbol(s)
	case "list":
		list := []any{}
		for _, item := range v.V.([]value) {
			list = append(list, item)
		}
		return list
	case "map":
		m := map[any]any{}
		for _, p := range v.V.([]pair) {
			m[goKey(p[0])] = p[1]
		}
		return m
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
	switch v.T {
	case "binary", "list", "map":
		return compound{}
	}
	return goValue(v)
}

// valueOf returns a value that the library has read from a field, a map or a stream.
func valueOf(v any) value {
	switch v := v.(type) {
	case value:
		if v.T == "binary" {
			v.T = "bytes" // as Java has it
		}
		return v
	case string:
		return text("string", v)
	case int32:
		return number("int", int64(v))
	case int64:
		return longValue(v)
	case bool:
		return booleanValue(v)
	}
	return null()
}

func mapValue(m map[string]any) value {
	pairs := []pair{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		pairs = append(pairs, pair{text("string", name), valueOf(m[name])})
	}
	return value{T: "map", V: pairs}
}

func listValue(s []any) value {
	items := []value{}
	for _, item := range s {
		items = append(items, valueOf(item))
	}
	return value{T: "list", V: items}
}

// object returns what an ObjectMessage holds.
func (d *decoded) object(o any) value {
	switch o := o.(type) {
	case amqpjms.JavaObject:
		return hexValue("bytes", o)
	case nil, amqp.Null:
		return null()
	}
	if d.bodyValue.T == "" { // sequences
		return listValue(o.([]any))
	}
	return valueOf(d.bodyValue)
}
