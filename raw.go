package amqpjms

import (
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A SectionKind is the kind of a section: the code of its descriptor [amqp 3.2].
type SectionKind uint8

const (
	SectionHeader                SectionKind = 0x70
	SectionDeliveryAnnotations   SectionKind = 0x71
	SectionMessageAnnotations    SectionKind = 0x72
	SectionProperties            SectionKind = 0x73
	SectionApplicationProperties SectionKind = 0x74
	SectionData                  SectionKind = 0x75
	SectionAMQPSequence          SectionKind = 0x76
	SectionAMQPValue             SectionKind = 0x77
	SectionFooter                SectionKind = 0x78
)

// String returns the section's name as the specification writes it.
func (k SectionKind) String() string {
	switch k {
	case SectionHeader:
		return "header"
	case SectionDeliveryAnnotations:
		return "delivery-annotations"
	case SectionMessageAnnotations:
		return "message-annotations"
	case SectionProperties:
		return "properties"
	case SectionApplicationProperties:
		return "application-properties"
	case SectionData:
		return "data"
	case SectionAMQPSequence:
		return "amqp-sequence"
	case SectionAMQPValue:
		return "amqp-value"
	case SectionFooter:
		return "footer"
	}
	return "SectionKind(" + strconv.Itoa(int(k)) + ")"
}

// sectionNamed returns the section of a symbolic descriptor, 0 if there is none.
func sectionNamed(symbol []byte) SectionKind {
	switch string(symbol) {
	case "amqp:header:list":
		return SectionHeader
	case "amqp:delivery-annotations:map":
		return SectionDeliveryAnnotations
	case "amqp:message-annotations:map":
		return SectionMessageAnnotations
	case "amqp:properties:list":
		return SectionProperties
	case "amqp:application-properties:map":
		return SectionApplicationProperties
	case "amqp:data:binary":
		return SectionData
	case "amqp:amqp-sequence:list":
		return SectionAMQPSequence
	case "amqp:amqp-value:*":
		return SectionAMQPValue
	case "amqp:footer:map":
		return SectionFooter
	}
	return 0
}

// readSection reads a section's descriptor. Any other value fails the reader.
func readSection(r *wire.Reader) SectionKind {
	if kind := r.ShortDescriptor(byte(SectionHeader), byte(SectionFooter)); kind != 0 {
		return SectionKind(kind)
	}
	return readRareSection(r)
}

// readRareSection is readSection for the wide and the symbolic descriptors.
func readRareSection(r *wire.Reader) SectionKind {
	start := r.Offset()
	code, symbol := r.Descriptor()
	switch kind := sectionNamed(symbol); {
	case kind != 0:
		return kind
	case symbol != nil:
		r.Fail(start, fmt.Errorf("unknown section descriptor %s", quote(string(symbol))))
		return 0
	case uint64(SectionHeader) <= code && code <= uint64(SectionFooter):
		return SectionKind(code)
	}
	r.Fail(start, fmt.Errorf("unknown section descriptor 0x%02x", code))
	return 0
}

// ParseHeader reads an encoded header section, descriptor included. Anything else, missing
// bytes and trailing data are an error, a *[WireError]. It allocates nothing and does not
// keep section.
func ParseHeader(section []byte) (h Header, err error) {
	r := wire.NewReader(section)
	kind := readSection(&r)
	if kind != SectionHeader {
		r.Fail(0, fmt.Errorf("got %v section, want header", kind))
	}
	readHeader(&r, &h)
	r.Done()
	if err := r.Err(); err != nil {
		return Header{}, wireError("header", 0, err)
	}
	return h, nil
}

// readHeader reads the list of a header section into h, which must be zero.
func readHeader(r *wire.Reader, h *Header) {
	outer, n := r.Fields(headerFields)
	if n > 0 && !r.Null() {
		h.Mode = NonPersistent
		if r.Boolean() {
			h.Mode = Persistent
		}
	}
	if n > 1 && !r.Null() {
		h.Priority = Some(r.Ubyte())
	}
	if n > 2 && !r.Null() {
		h.TTL = Some(r.Uint())
	}
	if n > 3 && !r.Null() {
		h.FirstAcquirer = Some(r.Boolean())
	}
	if n > 4 && !r.Null() {
		h.DeliveryCount = Some(r.Uint())
	}
	r.Leave(outer)
}

// A RawMessage is an encoded message cut into its sections by [RawMessage.Parse], for
// brokers and others that hold bytes and do not decode bodies.
//
// Each section has its descriptor, and is nil if the message lacks it. Joined in the order
// of the fields, without Rest, they are the message. They alias the parsed bytes and are
// clipped. Values are decoded when a method asks for them, so that a malformed one is an
// error of that method only.
//
// The zero RawMessage is an empty message. Do not change the fields. Several goroutines
// may read a RawMessage at once.
type RawMessage struct {
	Header        Header // zero where there is no header section
	HeaderSection []byte
	Rest          []byte // everything after the header section

	DeliveryAnnotations   []byte
	MessageAnnotations    []byte
	Properties            []byte
	ApplicationProperties []byte
	Body                  []byte // the body's sections and the footer, see [RawMessage.BodySections]

	msg        []byte
	first, end int // bounds in msg of the fields of the properties
	count      int // number of these fields
}

// Parse cuts msg into its sections. It makes one pass over the sections before the body
// and never reads the body, so its cost does not grow with the body, nor with the size of
// a property or the number of annotations. It allocates nothing; m aliases msg and can be
// reused.
//
// It is an error, a *[WireError], if the sections before the body are not header, delivery
// annotations, message annotations, properties and application properties, each at most
// once and in that order [amqp 3.2], if the size of one does not fit, if the header is
// malformed, or if there are more than 13 properties. After an error m is empty. No bytes
// are an empty message.
func (m *RawMessage) Parse(msg []byte) error {
	*m = RawMessage{}
	m.msg, m.Rest = msg, msg[:len(msg):len(msg)]
	r := wire.NewReader(msg)
	in := SectionKind(0)
	for before := in; r.Len() > 0; {
		start := r.Offset()
		kind := readSection(&r)
		if kind >= SectionData {
			m.Body = msg[start:len(msg):len(msg)]
			break
		}
		if kind <= before { // or not a section, whose error stays
			r.Fail(start, orderError(kind, before))
			break
		}
		before, in = kind, kind
		switch kind {
		case SectionHeader:
			readHeader(&r, &m.Header)
			m.HeaderSection, m.Rest = r.Since(start), r.Remaining()
		case SectionDeliveryAnnotations:
			r.SkipMap()
			m.DeliveryAnnotations = r.Since(start)
		case SectionMessageAnnotations:
			r.SkipMap()
			m.MessageAnnotations = r.Since(start)
		case SectionProperties:
			outer, n := r.Fields(propertiesFields)
			m.first, m.count = r.Offset(), n
			r.LeaveEarly(outer)
			m.end = r.Offset()
			m.Properties = r.Since(start)
		case SectionApplicationProperties:
			r.SkipMap()
			m.ApplicationProperties = r.Since(start)
		}
		if r.Err() != nil {
			break
		}
		in = 0
	}
	if err := r.Err(); err != nil {
		*m = RawMessage{}
		if in == 0 {
			return wireError("message", 0, err)
		}
		return wireError(in.String(), 0, err)
	}
	return nil
}

// orderError returns why a section cannot follow another.
func orderError(kind, before SectionKind) error {
	if kind == before {
		return fmt.Errorf("second %v section", kind)
	}
	return fmt.Errorf("%v section after %v", kind, before)
}

// A PropertiesField is a field of the properties section [amqp 3.2.4].
type PropertiesField uint8

const (
	FieldMessageID PropertiesField = iota
	FieldUserID
	FieldTo
	FieldSubject
	FieldReplyTo
	FieldCorrelationID
	FieldContentType
	FieldContentEncoding
	FieldAbsoluteExpiryTime
	FieldCreationTime
	FieldGroupID
	FieldGroupSequence
	FieldReplyToGroupID

	propertiesFields = int(FieldReplyToGroupID) + 1
)

// String returns the field's name as the specification writes it.
func (f PropertiesField) String() string {
	switch f {
	case FieldMessageID:
		return "message-id"
	case FieldUserID:
		return "user-id"
	case FieldTo:
		return "to"
	case FieldSubject:
		return "subject"
	case FieldReplyTo:
		return "reply-to"
	case FieldCorrelationID:
		return "correlation-id"
	case FieldContentType:
		return "content-type"
	case FieldContentEncoding:
		return "content-encoding"
	case FieldAbsoluteExpiryTime:
		return "absolute-expiry-time"
	case FieldCreationTime:
		return "creation-time"
	case FieldGroupID:
		return "group-id"
	case FieldGroupSequence:
		return "group-sequence"
	case FieldReplyToGroupID:
		return "reply-to-group-id"
	}
	return "PropertiesField(" + strconv.Itoa(int(f)) + ")"
}

// Property returns an encoded field of the properties section, nil if it is absent or
// null. It skips the fields before it. It is an error, a *[WireError], if one of these or
// the field itself is malformed, or if data follows the last field.
func (m *RawMessage) Property(f PropertiesField) (RawValue, error) {
	var v RawValue
	var r wire.Reader
	if m.seek(&r, f) {
		v = r.Value()
	}
	if err := m.checkField(&r, f); err != nil {
		return nil, err
	}
	return v, nil
}

// seek puts r at a field of the properties, and reports whether there is a value other
// than null, or an error.
func (m *RawMessage) seek(r *wire.Reader, f PropertiesField) bool {
	r.Reset(m.msg[:m.end], m.first)
	r.SkipN(min(int(f), m.count))
	return int(f) < m.count && !r.Null()
}

// checkField returns the error of a reader that has read the field at which seek put it.
func (m *RawMessage) checkField(r *wire.Reader, f PropertiesField) error {
	if int(f) >= m.count-1 {
		r.Done() // [amqp 1.4]: nothing follows the last field
	}
	if err := r.Err(); err != nil {
		return wireError(f.String(), 0, err)
	}
	return nil
}

// text returns a field of the properties that is a string or a symbol.
func (m *RawMessage) text(f PropertiesField) (b []byte, ok bool, err error) {
	var r wire.Reader
	if ok = m.seek(&r, f); ok {
		if r.Next() == wire.Symbol {
			b = r.Symbol()
		} else {
			b = r.String()
		}
	}
	return b, ok, m.checkField(&r, f)
}

// binary returns a field of the properties that is a binary.
func (m *RawMessage) binary(f PropertiesField) (b []byte, err error) {
	var r wire.Reader
	if m.seek(&r, f) {
		b = r.Binary()
	}
	return b, m.checkField(&r, f)
}

// uint returns a field of the properties that is a uint.
func (m *RawMessage) uint(f PropertiesField) (n uint32, ok bool, err error) {
	var r wire.Reader
	if ok = m.seek(&r, f); ok {
		n = r.Uint()
	}
	return n, ok, m.checkField(&r, f)
}

// applicationProperties iterates over the application properties, see
// [View.ApplicationProperties].
func (m *RawMessage) applicationProperties(yield func(string, Value) bool) {
	if m.ApplicationProperties == nil {
		return
	}
	r := wire.NewReader(m.ApplicationProperties)
	readSection(&r)
	outer, n := r.Map()
	for range n {
		at := r.Offset()
		if t := r.Next(); t != wire.String && t != wire.None {
			r.Fail(at, errors.New("key is not a string")) // [amqp 3.2.5]
		}
		name, v := r.String(), RawValue(r.Value())
		if r.Err() != nil {
			break
		}
		if name := string(name); !yield(name, rawValueOf("property", name, v)) {
			return
		}
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		in := SectionApplicationProperties
		yield("", Value{what: "property", err: wireError(in.String(), m.offset(in), err), exists: true})
	}
}

// beforeBody returns the sections before the body, from SectionHeader on, nil for those
// that the message lacks.
func (m *RawMessage) beforeBody() [5][]byte {
	return [...][]byte{m.HeaderSection, m.DeliveryAnnotations, m.MessageAnnotations, m.Properties, m.ApplicationProperties}
}

// offset returns where a section starts in the message, for SectionData where the body
// does.
func (m *RawMessage) offset(kind SectionKind) int {
	at := 0
	for i, s := range m.beforeBody() {
		if kind > SectionHeader+SectionKind(i) {
			at += len(s)
		}
	}
	return at
}

// Annotation returns an encoded message annotation, nil if it is absent or null. Keys are
// symbols [amqp 3.2.3]: a key of another type matches no name. Of equal keys, which AMQP
// forbids [amqp 1.6.23], the first counts, null or not; go-amqp keeps the last.
// It walks the annotations up to the one it finds, and allocates nothing. It is an error,
// a *[WireError], if they are malformed up to there.
func (m *RawMessage) Annotation(name string) (RawValue, error) {
	return m.find(m.MessageAnnotations, wire.Symbol, name, false)
}

// DeliveryAnnotation returns a delivery annotation, as [RawMessage.Annotation] does.
func (m *RawMessage) DeliveryAnnotation(name string) (RawValue, error) {
	return m.find(m.DeliveryAnnotations, wire.Symbol, name, false)
}

// ApplicationProperty returns an application property, as [RawMessage.Annotation] does,
// but keys are strings [amqp 3.2.5], and a key of another type is an error.
func (m *RawMessage) ApplicationProperty(name string) (RawValue, error) {
	return m.find(m.ApplicationProperties, wire.String, name, true)
}

// find returns the value of a key in the map of a section, nil if it is absent or null.
func (m *RawMessage) find(section []byte, keys wire.Type, name string, strict bool) (RawValue, error) {
	v, err := m.findNull(section, keys, name, strict)
	if v.isNull() {
		return nil, err
	}
	return v, err
}

// findNull is find, but returns a null as it is encoded. Where it is strict, a key of another
// type is an error.
func (m *RawMessage) findNull(section []byte, keys wire.Type, name string, strict bool) (RawValue, error) {
	if section == nil {
		return nil, nil
	}
	r := wire.NewReader(section)
	kind := readSection(&r)
	outer, n := r.Map()
	if keys == wire.Symbol { // never strict; compared unchecked, which is faster
		if r.Seek(n, name) {
			if v := r.Value(); r.Err() == nil {
				return v, nil
			}
		}
		n = 0
	}
	for range n {
		at := r.Offset()
		found := r.Next()
		key, isKey := RawValue(r.Value()).text(keys)
		switch {
		case isKey || !strict:
		case found == keys:
			r.Fail(at, errNotUTF8)
		default:
			r.Fail(at, errors.New("key is not a string")) // [amqp 3.2.5]
		}
		v := RawValue(r.Value())
		if isKey && string(key) == name && r.Err() == nil {
			return v, nil
		}
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		return nil, wireError(kind.String()+" "+quote(name), m.offset(kind), err)
	}
	return nil, nil
}

// A Section is one section of an encoded message.
type Section struct {
	Kind   SectionKind
	Offset int      // in the message
	Bytes  []byte   // descriptor included; aliases the message, clipped
	Value  RawValue // without the descriptor; aliases the message, clipped
}

// Sections iterates over all sections of the message in order, as
// [RawMessage.BodySections] does over those of the body.
func (m *RawMessage) Sections() iter.Seq2[Section, error] {
	return func(yield func(Section, error) bool) {
		at := 0
		for i, b := range m.beforeBody() {
			if b == nil {
				continue
			}
			r := wire.NewReader(b)
			readSection(&r)
			if !yield(Section{Kind: SectionHeader + SectionKind(i), Offset: at, Bytes: b, Value: r.Remaining()}, nil) {
				return
			}
			at += len(b)
		}
		m.BodySections()(yield)
	}
}

// BodySections iterates over the sections of the body and the footer: any number of data
// sections, any number of amqp-sequence sections, one amqp-value section, or none, then
// at most one footer [amqp 3.2]. The first section that is another, out of order or
// incomplete ends the iteration with an error, a *[WireError]. It does not look inside
// sections, and allocates nothing.
func (m *RawMessage) BodySections() iter.Seq2[Section, error] {
	return func(yield func(Section, error) bool) {
		base := m.offset(SectionData)
		r := wire.NewReader(m.Body)
		var before SectionKind
		for r.Len() > 0 {
			start := r.Offset()
			kind := readSection(&r)
			if before != 0 {
				switch {
				case before == SectionFooter, kind < SectionData, kind == before && kind == SectionAMQPValue:
					r.Fail(start, orderError(kind, before))
				case kind != SectionFooter && kind != before:
					r.Fail(start, fmt.Errorf("%v section in a body of %v", kind, before))
				}
			}
			before = kind
			value := r.Offset()
			if want := bodyType(kind); want != wire.None {
				if t := r.Next(); t != want && t != wire.None {
					r.Fail(value, fmt.Errorf("got %v, want %v in %v section", t, want, kind))
				}
			}
			r.Skip()
			if err := r.Err(); err != nil {
				yield(Section{}, wireError("body", base, err))
				return
			}
			if !yield(Section{Kind: kind, Offset: base + start, Bytes: r.Since(start), Value: r.Since(value)}, nil) {
				return
			}
		}
	}
}

// bodyType returns the type of a section's value, None for any type.
func bodyType(kind SectionKind) wire.Type {
	switch kind {
	case SectionData:
		return wire.Binary
	case SectionAMQPSequence:
		return wire.List
	case SectionFooter:
		return wire.Map
	}
	return wire.None
}
