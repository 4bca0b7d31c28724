package amqpjms

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A SectionKind is a section of a message; its value is the code of the
// section's descriptor [amqp 3.2].
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

// ParseHeader reads an encoded header section with its descriptor. Trailing data and
// missing bytes are errors, a *[WireError]. It allocates nothing and keeps nothing of
// section.
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

// A RawMessage is an encoded message cut into its sections by [RawMessage.Parse]. It is
// for brokers and others that hold bytes and do not decode bodies.
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
// symbols [amqp 3.2.3]: a key of another type matches no name. If a name is there twice,
// which AMQP forbids [amqp 1.6.23], the first counts, null or not; go-amqp keeps the last.
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

// find returns the value of a key in the map of a section. If it is strict, a malformed
// key is an error.
func (m *RawMessage) find(section []byte, keys wire.Type, name string, strict bool) (RawValue, error) {
	if section == nil {
		return nil, nil
	}
	r := wire.NewReader(section)
	kind := readSection(&r)
	outer, n := r.Map()
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
			if v.isNull() {
				return nil, nil
			}
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
	Bytes  []byte   // with its descriptor; aliases the message, clipped
	Value  RawValue // without; aliases the message, clipped
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

// A RawValue is one encoded AMQP value, format code first. The zero RawValue, nil, is no
// value. The second result of Int, Timestamp, Bool, Bytes and Text is false for a value of
// another type, for a malformed one (a string that is not UTF-8, say), and if data follows
// it. None of them allocates, but Text copies.
type RawValue []byte

// Type returns the name of the value's AMQP type, such as "ulong", and "no value" for nil
// and for an invalid format code.
func (v RawValue) Type() string { return v.typ().String() }

func (v RawValue) typ() wire.Type {
	r := wire.NewReader(v)
	return r.Next()
}

func (v RawValue) isNull() bool {
	r := wire.NewReader(v)
	return r.Null()
}

// Int returns the value if it is of one of the eight integer types and fits an int64.
func (v RawValue) Int() (int64, bool) {
	if len(v) == 0 { // nothing to read is an error, which costs
		return 0, false
	}
	r := wire.NewReader(v)
	n := readNumber(&r)
	return whole(&r, n.n, n.kind == numberInteger)
}

// Timestamp returns the value if it is a timestamp, in milliseconds since 1970-01-01 UTC.
func (v RawValue) Timestamp() (int64, bool) {
	r := wire.NewReader(v)
	if r.Next() != wire.Timestamp {
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
	b, ok := v.text(v.typ())
	return string(b), ok
}

// text returns the value if it is of type t, string or symbol.
func (v RawValue) text(t wire.Type) ([]byte, bool) {
	r := wire.NewReader(v)
	switch {
	case r.Next() != t:
	case t == wire.String:
		return whole(&r, r.String(), true)
	case t == wire.Symbol:
		return whole(&r, r.Symbol(), true)
	}
	return nil, false
}

// textFrom returns a value that go-amqp has decoded, or is to send, if it is a string or a
// symbol.
func textFrom(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case amqp.Symbol:
		return string(v), true
	}
	return "", false
}

// whole returns a value that a reader has read if it is ok, there was no error, and
// nothing follows.
func whole[T any](r *wire.Reader, value T, ok bool) (T, bool) {
	if !ok || r.Err() != nil || r.Len() > 0 {
		var none T
		return none, false
	}
	return value, true
}

// A number is a value in the place of an integer or a timestamp. The zero number is no
// value.
type number struct {
	kind  numberKind
	n     int64  // unless kind is numberOther
	value string // its type, if kind is numberOther
}

type numberKind uint8

const (
	numberNone numberKind = iota // nothing, or null
	numberInteger
	numberTimestamp
	numberTooLarge // an integer above 2^63-1, its bits in n
	numberOther    // of another type
)

func (n number) stated() bool { return n.kind != numberNone }

// number returns the value as a number.
func (v RawValue) number() number {
	if len(v) == 0 {
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
	case wire.Long:
		return signedNumber(r.Long())
	case wire.Int:
		return signedNumber(int64(r.Int()))
	case wire.Short:
		return signedNumber(int64(r.Short()))
	case wire.Byte:
		return signedNumber(int64(r.Byte()))
	case wire.Ulong:
		return unsignedNumber(r.Ulong())
	case wire.Uint:
		return unsignedNumber(uint64(r.Uint()))
	case wire.Ushort:
		return unsignedNumber(uint64(r.Ushort()))
	case wire.Ubyte:
		return unsignedNumber(uint64(r.Ubyte()))
	default:
		r.Skip()
		return number{kind: numberOther, value: t.String()}
	}
}

// numberFrom returns a value that go-amqp has decoded, or is to send, as a number.
func numberFrom(v any) number {
	switch v := v.(type) {
	case nil, amqp.Null:
		return number{}
	case time.Time:
		return number{kind: numberTimestamp, n: v.UnixMilli()}
	case int64:
		return signedNumber(v)
	case int32:
		return signedNumber(int64(v))
	case int16:
		return signedNumber(int64(v))
	case int8:
		return signedNumber(int64(v))
	case int:
		return signedNumber(int64(v))
	case uint64:
		return unsignedNumber(v)
	case uint32:
		return unsignedNumber(uint64(v))
	case uint16:
		return unsignedNumber(uint64(v))
	case uint8:
		return unsignedNumber(uint64(v))
	case uint:
		return unsignedNumber(uint64(v))
	}
	return number{kind: numberOther, value: reflect.TypeOf(v).String()}
}

// integerFrom returns a value that go-amqp has decoded if it is an integer and fits.
func integerFrom(v any) (int64, bool) {
	n := numberFrom(v)
	return n.n, n.kind == numberInteger
}

func signedNumber(n int64) number { return number{kind: numberInteger, n: n} }

func unsignedNumber(n uint64) number {
	if n > math.MaxInt64 {
		return number{kind: numberTooLarge, n: int64(n)}
	}
	return signedNumber(int64(n))
}

// wrong returns the error of a number that should be something else.
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
