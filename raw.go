package amqpjms

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A SectionKind is a section of a message; its value is the code of the
// section's descriptor [amqp 3.2].
type SectionKind uint8

// ParseHeader reads an encoded header section, descriptor included, and nothing
// after it: bytes left over, like no bytes at all, are an error, a *[WireError].
// It allocates nothing and keeps nothing of section.
func ParseHeader(section []byte) (h Header, err error) {
	r := wire.NewReader(section)
	kind := readSection(&r)
	if kind != SectionHeader {
		r.Fail(0, fmt.Errorf("%v got section, want header", kind))
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

// readSection reads a section's descriptor. What is no section fails the reader.
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

// A RawMessage is an encoded message cut into its sections, for brokers and
// others that hold bytes and never decode a body. [RawMessage.Parse] fills it.
//
// Each section is there with its descriptor, nil where the message has none.
// Joined in the order of the fields (Rest apart, which is all after the header)
// they are the message. They alias the bytes that were parsed and are clipped,
// so that appending to one does not write into the next. Of the bare message
// nothing is decoded before a method asks for it, and a property that is wrong
// fails that method only.
//
// The zero RawMessage is an empty message. The fields are for reading: methods find
// what they look for by what Parse has noted. A RawMessage may be read by several
// goroutines at once, but not while Parse fills it.
type RawMessage struct {
	Header        Header // zero where there is no header section
	HeaderSection []byte
	Rest          []byte // all that follows the header section

	DeliveryAnnotations   []byte
	MessageAnnotations    []byte
	Properties            []byte
	ApplicationProperties []byte
	Body                  []byte // the body's sections and the footer, see [RawMessage.BodySections]

	msg        []byte
	first, end int // where in msg the fields of the properties are
	count      int // how many fields they say there are
}

// Parse cuts msg into its sections. It goes once over what stands before the
// body and looks at nothing behind that, so its cost does not grow with the
// body, nor with the size of a property or the number of annotations. It
// allocates nothing; m, which may be used again and again, aliases msg.
//
// It is an error, a *[WireError], if a section before the body is not one of
// header, delivery annotations, message annotations, properties and application
// properties, each at most once and in that order [amqp 3.2]; if a section's
// declared size does not fit; if the header's fields are not what they should be;
// if the properties are more than 13. After an error m is empty. No bytes at all
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
		if kind <= before { // as 0 is, what is no section, whose error stays
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

// orderError says why a section cannot stand after another.
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

// Property returns a field of the properties section as it is encoded, nil where it
// is absent or null. It skips the fields before it, and is an error, a *[WireError],
// if one of those or the field itself is cut off or no AMQP value, or if the section
// goes on after its last field.
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

// seek makes r a reader of the properties' fields that stands at one of them, and reports
// whether there is a value to read, or an error. Null is none.
func (m *RawMessage) seek(r *wire.Reader, f PropertiesField) bool {
	r.Reset(m.msg[:m.end], m.first)
	r.SkipN(min(int(f), m.count))
	return int(f) < m.count && !r.Null()
}

// checkField returns the error of a reader that has read a field or found none
// where seek put it.
func (m *RawMessage) checkField(r *wire.Reader, f PropertiesField) error {
	if int(f) >= m.count-1 {
		r.Done() // [amqp 1.4]: after the last field nothing may stand
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

// beforeBody returns the sections before the body, from SectionHeader on, nil for one that
// is not there.
func (m *RawMessage) beforeBody() [5][]byte {
	return [...][]byte{m.HeaderSection, m.DeliveryAnnotations, m.MessageAnnotations, m.Properties, m.ApplicationProperties}
}

// offset returns where in the message a section starts, or for SectionData the body.
func (m *RawMessage) offset(kind SectionKind) int {
	at := 0
	for i, s := range m.beforeBody() {
		if kind > SectionHeader+SectionKind(i) {
			at += len(s)
		}
	}
	return at
}

// Annotation returns a message annotation as it is encoded, nil where it is absent
// or null. Keys are symbols [amqp 3.2.3]: a key of another type matches no name. Of a
// name that stands there twice, which AMQP forbids [amqp 1.6.23], the first counts, also
// where it is null; go-amqp keeps the last. It walks the annotations up to the one it
// finds, and allocates nothing. It is an error, a *[WireError], if they are broken before
// that.
func (m *RawMessage) Annotation(name string) (RawValue, error) {
	return m.find(m.MessageAnnotations, wire.Symbol, name, false)
}

// DeliveryAnnotation returns a delivery annotation, as [RawMessage.Annotation] does.
func (m *RawMessage) DeliveryAnnotation(name string) (RawValue, error) {
	return m.find(m.DeliveryAnnotations, wire.Symbol, name, false)
}

// ApplicationProperty returns an application property, as
// [RawMessage.Annotation] does, save that its keys are strings [amqp 3.2.5] and a
// key of another type is an error.
func (m *RawMessage) ApplicationProperty(name string) (RawValue, error) {
	return m.find(m.ApplicationProperties, wire.String, name, true)
}

// find returns the value of a section's map for a key, nil for null too.
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
	Offset int      // where in the message it starts
	Bytes  []byte   // with its descriptor; aliases the message, clipped
	Value  RawValue // without; aliases the message, clipped
}

// Sections iterates over all sections of the message in their order, as
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

// BodySections iterates over the sections of the body and the footer: any number of
// data sections, any number of amqp-sequence sections or one amqp-value
// section, then at most one footer [amqp 3.2]. A message may also have none at
// all. The first that is something else, stands elsewhere or is not
// complete ends the iteration with an error, a *[WireError]. What stands inside a
// section is not looked at. It allocates nothing.
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

// bodyType returns the type of a section's value, None where it is any.
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

// AppendExplicit appends an encoded message to dst with its durable field made
// explicit by the node's default, as [Header.Explicit] says; a message without a
// header gets one. All after the header stays byte for byte, and the header's other
// fields as stated. Nothing but the first section is looked at, and nothing
// allocated but what dst must grow by; dst must not overlap msg.
//
// It is an error, a *[WireError], if msg does not start with a section, or if its
// header cannot be read; dst is returned as it was.
func AppendExplicit(dst, msg []byte, nodeDefault DeliveryMode) ([]byte, error) {
	var h Header
	rest := msg
	if len(msg) > 0 {
		r := wire.NewReader(msg)
		in := "message"
		if readSection(&r) == SectionHeader {
			in = "header"
			readHeader(&r, &h)
			rest = r.Remaining()
		}
		if err := r.Err(); err != nil {
			return dst, wireError(in, 0, err)
		}
	}
	dst = slices.Grow(dst, headerRoom+len(rest))
	return append(h.Explicit(nodeDefault).AppendTo(dst), rest...), nil
}

// headerRoom is the most that a header section takes.
const headerRoom = 20

// A RawValue is one AMQP value as it is encoded, format code first. The zero
// RawValue, nil, is no value. Int, Timestamp, Bool, Float, Bytes and Text are false for a
// value of another type, for one that is cut off or wrong (a string that is not UTF-8, say),
// and where something follows it. [ValueOf] reads it with JMS's conversions.
type RawValue []byte

// Type returns the name of the value's type as AMQP writes it, such as "ulong", and
// "no value" for none and for bytes that are none.
func (v RawValue) Type() string {
	r := wire.NewReader(v)
	return r.Next().String()
}

func (v RawValue) isNull() bool {
	r := wire.NewReader(v)
	return r.Null()
}

// Int returns the value if it is of one of the eight integer types and fits.
func (v RawValue) Int() (int64, bool) {
	r := wire.NewReader(v)
	n, ok := readInt(&r)
	return whole(&r, n, ok)
}

// Timestamp returns the value if it is a timestamp, in milliseconds since 1970-01-01 UTC.
func (v RawValue) Timestamp() (int64, bool) {
	r := wire.NewReader(v)
	if r.Next() != wire.Timestamp { // which an error of the reader would cost more to say
		return 0, false
	}
	return whole(&r, r.Timestamp(), true)
}

// Bool returns the value if it is a boolean.
func (v RawValue) Bool() (value, ok bool) {
	r := wire.NewReader(v)
	if r.Next() != wire.Boolean {
		return false, false
	}
	return whole(&r, r.Boolean(), true)
}

// Float returns the value if it is a float or a double.
func (v RawValue) Float() (float64, bool) {
	r := wire.NewReader(v)
	switch r.Next() {
	case wire.Float:
		return whole(&r, float64(r.Float()), true)
	case wire.Double:
		return whole(&r, r.Double(), true)
	}
	return 0, false
}

// Bytes returns the value if it is a binary. The bytes alias v and are clipped.
func (v RawValue) Bytes() ([]byte, bool) {
	r := wire.NewReader(v)
	if r.Next() != wire.Binary {
		return nil, false
	}
	return whole(&r, r.Binary(), true)
}

// Text returns the value, copied, if it is a string or a symbol.
func (v RawValue) Text() (string, bool) {
	b, ok := v.text(wire.String)
	if !ok {
		b, ok = v.text(wire.Symbol)
	}
	return string(b), ok
}

// text returns the value if it is of one of these two types.
func (v RawValue) text(t wire.Type) ([]byte, bool) {
	r := wire.NewReader(v)
	if r.Next() != t {
		return nil, false
	}
	if t == wire.Symbol {
		return whole(&r, r.Symbol(), true)
	}
	return whole(&r, r.String(), true)
}

// whole returns what a reader has read if that is ok, without an error and all there is.
func whole[T any](r *wire.Reader, value T, ok bool) (T, bool) {
	if !ok || r.Err() != nil || r.Len() > 0 {
		var none T
		return none, false
	}
	return value, true
}

// readInt reads an integer of any type and reports whether it fits. A value of another type
// it does not read.
func readInt(r *wire.Reader) (n int64, ok bool) {
	switch r.Next() {
	case wire.Ubyte:
		n = int64(r.Ubyte())
	case wire.Ushort:
		n = int64(r.Ushort())
	case wire.Uint:
		n = int64(r.Uint())
	case wire.Ulong:
		u := r.Ulong()
		if u > math.MaxInt64 {
			return 0, false
		}
		n = int64(u)
	case wire.Byte:
		n = int64(r.Byte())
	case wire.Short:
		n = int64(r.Short())
	case wire.Int:
		n = int64(r.Int())
	case wire.Long:
		n = r.Long()
	default:
		return 0, false
	}
	return n, true
}

// A number is a value that stands where an integer or a timestamp belongs. The zero
// number is no value.
type number struct {
	kind  numberKind
	n     int64  // of all but numberOther
	value string // of numberOther: what it is
}

type numberKind uint8

const (
	numberNone numberKind = iota
	numberInteger
	numberTimestamp
	numberTooLarge // an integer above 2^63-1, whose bits n has
	numberOther    // of another type
)

func (n number) stated() bool { return n.kind != numberNone }

// number returns the value as a number.
func (v RawValue) number() number {
	if v == nil {
		return number{}
	}
	r := wire.NewReader(v)
	return readNumber(&r)
}

// readNumber reads a value of any type as a number.
func readNumber(r *wire.Reader) number {
	switch t := r.Next(); t {
	case wire.Null:
		r.Skip()
		return number{}
	case wire.Timestamp:
		return number{kind: numberTimestamp, n: r.Timestamp()}
	case wire.Ulong:
		return unsignedNumber(r.Ulong())
	default:
		if n, ok := readInt(r); ok {
			return number{kind: numberInteger, n: n}
		}
		r.Skip()
		return number{kind: numberOther, value: t.String()}
	}
}

// numberFrom returns a value that go-amqp has decoded, or is to send, as a number.
func numberFrom(v any) number {
	s := scalarFrom(v)
	if s.typ == wire.None {
		return number{kind: numberOther, value: amqpTypeName(v)}
	}
	return s.number()
}

// integerFrom returns a value that is an integer up to 2^63-1.
func integerFrom(v any) (int64, bool) {
	s := scalarFrom(v)
	n, bits := s.integer()
	return n, bits > 0 && s.typ != wire.Timestamp
}

func unsignedNumber(n uint64) number {
	if n > math.MaxInt64 {
		return number{kind: numberTooLarge, n: int64(n)}
	}
	return number{kind: numberInteger, n: int64(n)}
}

// wrong returns the error of a number that is not what it should be.
func (n number) wrong(what, why string) error {
	value := n.value
	switch n.kind {
	case numberInteger:
		value = strconv.FormatInt(n.n, 10)
	case numberTimestamp:
		value = "timestamp " + strconv.FormatInt(n.n, 10)
	case numberTooLarge:
		value = strconv.FormatUint(uint64(n.n), 10)
	}
	return &ValueError{What: what, Value: value, Err: errors.New(why)}
}

// without returns the pairs of a section's map, as they are encoded, but those of some
// keys, how many are left, and whether any is not. It allocates nothing where all are:
// the pairs alias the section then, clipped.
func (m *RawMessage) without(section []byte, keys wire.Type, names ...string) (items []byte, n int, dropped bool, err error) {
	if section == nil {
		return nil, 0, false, nil
	}
	r := wire.NewReader(section)
	kind := readSection(&r)
	outer, pairs := r.Map()
	first := r.Offset()
	for range pairs {
		start := r.Offset()
		key, _ := RawValue(r.Value()).text(keys)
		r.Skip()
		switch drop := slices.Contains(names, string(key)); {
		case drop && !dropped:
			items = append(make([]byte, 0, len(section)+delayRoom), section[first:start]...)
			dropped = true
		case drop:
		default:
			n++
			if dropped {
				items = append(items, r.Since(start)...)
			}
		}
	}
	if !dropped {
		items = r.Since(first)
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		return nil, 0, false, wireError(kind.String(), m.offset(kind), err)
	}
	return items, n, dropped, nil
}
