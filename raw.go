package amqpjms

import (
	"bytes"
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

// AppendExplicit appends an encoded message to dst with its durable field made explicit as
// [Header.Explicit] does; a message without a header gets one. Everything else is kept
// byte for byte. It looks at what [RawMessage.Parse] does, and has its errors, with which it
// returns dst unchanged. It allocates only to grow dst, which must not overlap msg.
func AppendExplicit(dst, msg []byte, nodeDefault DeliveryMode) ([]byte, error) {
	var m RawMessage
	if err := m.Parse(msg); err != nil {
		return dst, err
	}
	return m.appendBehind(m.Header.Explicit(nodeDefault), dst), nil
}

// appendBehind appends the message with another header.
func (m *RawMessage) appendBehind(h Header, dst []byte) []byte {
	dst = slices.Grow(dst, headerRoom+len(m.Rest))
	return append(h.AppendTo(dst), m.Rest...)
}

// An Entry is an annotation or application property by name.
type Entry struct {
	Name  string
	Value any
}

// A Change says what [Change.AppendTo] changes in an encoded message. The zero Change changes
// nothing.
//
// An Entry sets a value in its place, or after the others if its name is new. If its Value is
// nil or an empty RawValue it removes the name. If several entries have one name the last
// counts. A Value is a bool, an integer, a float32 or float64, a string, a []byte, a
// time.Time, a UUID, an amqp.Symbol, an [amqp.Null], or a [RawValue] of one complete value.
type Change struct {
	Header Opt[Header] // the new header section; ModeUnset is written as NonPersistent, see [Header.Explicit]

	DropDeliveryAnnotations bool // keep only those in DeliveryAnnotations
	DeliveryAnnotations     []Entry
	Annotations             []Entry // message annotations
	ApplicationProperties   []Entry
}

// AppendTo appends the changed message m to dst. It keeps everything that the change does not
// name byte for byte, and a section without any difference as it is encoded; it leaves out a
// section whose last entry is removed. It looks only into sections with entries to change,
// and compares each of these with each in the section. It allocates only to grow dst, and
// for more than 16 entries; dst must not overlap m.
//
// It is an error, with which it returns dst unchanged, if a name is not ASCII (of a property:
// not UTF-8) or AMQP cannot carry a value, a *[ValueError], or if a section to change is
// malformed or becomes too long, a *[WireError].
func (c Change) AppendTo(dst []byte, m *RawMessage) ([]byte, error) {
	more := len(c.DeliveryAnnotations) + len(c.Annotations) + len(c.ApplicationProperties)
	if more == 0 && !c.DropDeliveryAnnotations && c.Header.ok {
		return m.appendBehind(c.Header.v.Explicit(ModeUnset), dst), nil
	}
	out := slices.Grow(dst, headerRoom+len(m.Rest)+more*entryRoom)
	if c.Header.ok {
		out = c.Header.v.Explicit(ModeUnset).AppendTo(out)
	} else {
		out = append(out, m.HeaderSection...)
	}
	delivery := m.DeliveryAnnotations
	if c.DropDeliveryAnnotations {
		delivery = nil
	}
	out, err := m.appendEntries(out, SectionDeliveryAnnotations, delivery, c.DeliveryAnnotations)
	if err == nil {
		out, err = m.appendEntries(out, SectionMessageAnnotations, m.MessageAnnotations, c.Annotations)
	}
	out = append(out, m.Properties...)
	if err == nil {
		out, err = m.appendEntries(out, SectionApplicationProperties, m.ApplicationProperties, c.ApplicationProperties)
	}
	if err != nil {
		return dst, err
	}
	return append(out, m.Body...), nil
}

const (
	headerRoom = 20 // the longest header section
	entryRoom  = 64 // a guess for a name and a value
)

// appendEntries appends a section's map with entries set and removed.
func (m *RawMessage) appendEntries(dst []byte, kind SectionKind, section []byte, entries []Entry) ([]byte, error) {
	if len(entries) == 0 {
		return append(dst, section...), nil
	}
	for i := range entries {
		if err := checkName(kind, entries[i].Name); err != nil {
			return nil, err
		}
	}
	var few [16]bool
	done := few[:]
	if len(entries) > len(few) {
		done = make([]bool, len(entries))
	}
	start, n, changed := len(dst), 0, false
	var begin int // of the map in dst
	var err error
	if section == nil {
		dst = wire.AppendDescriptor(dst, uint64(kind))
		begin = len(dst)
		dst = wire.BeginMap(dst)
	} else {
		r := wire.NewReader(section)
		readSection(&r)
		dst = append(dst, section[:r.Offset()]...)
		begin = len(dst)
		dst = wire.BeginMap(dst)
		outer, pairs := r.Map()
		from := r.Offset() // of what has not been copied
		for range pairs {
			pair := r.Offset()
			key := readName(&r, kind)
			value := r.Offset()
			r.Skip()
			i := lastNamed(entries, key)
			if i < 0 {
				n++
				continue
			}
			if r.Err() != nil {
				break
			}
			if removes(entries[i].Value) || done[i] {
				dst = append(dst, section[from:pair]...)
				changed = true
			} else {
				dst = append(dst, section[from:value]...)
				at := len(dst)
				if dst, err = appendValue(dst, kind, entries[i]); err != nil {
					return nil, err
				}
				changed = changed || !bytes.Equal(dst[at:], section[value:r.Offset()])
				n++
			}
			from, done[i] = r.Offset(), true
		}
		r.Leave(outer)
		if err := r.Err(); err != nil {
			return nil, wireError(kind.String(), m.offset(kind), err)
		}
		dst = append(dst, section[from:]...)
	}
	for i, e := range entries {
		if done[i] || removes(e.Value) || lastNamed(entries, []byte(e.Name)) != i {
			continue
		}
		if kind == SectionApplicationProperties {
			dst = wire.AppendString(dst, e.Name)
		} else {
			dst = wire.AppendSymbol(dst, e.Name)
		}
		if dst, err = appendValue(dst, kind, e); err != nil {
			return nil, err
		}
		n, changed = n+1, true
	}
	switch {
	case !changed:
		return append(dst[:start], section...), nil
	case n == 0:
		return dst[:start], nil
	}
	dst, ok := wire.EndMap(dst, begin, n)
	if !ok {
		return nil, &WireError{In: kind.String(), Offset: m.offset(kind), Err: errTooLong}
	}
	return dst, nil
}

// readName reads the key of a section's map, nil if it is not a name.
func readName(r *wire.Reader, kind SectionKind) []byte {
	if kind != SectionApplicationProperties {
		return r.Name()
	}
	key, _ := RawValue(r.Value()).text(wire.String)
	return key
}

// checkName returns an error if a section's map cannot have a name.
func checkName(kind SectionKind, name string) error {
	if kind == SectionApplicationProperties {
		return checkText("property", name)
	}
	return checkSymbol("annotation", name)
}

// lastNamed returns the index of the last entry with a name, -1 if there is none.
func lastNamed(entries []Entry, name []byte) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if name != nil && string(name) == entries[i].Name {
			return i
		}
	}
	return -1
}

// removes reports whether a value of an Entry removes it.
func removes(v any) bool {
	raw, ok := v.(RawValue)
	return v == nil || ok && len(raw) == 0
}

// appendValue appends the value of an entry.
func appendValue(b []byte, kind SectionKind, e Entry) ([]byte, error) {
	if raw, ok := e.Value.(RawValue); ok {
		r := wire.NewReader(raw)
		r.Skip()
		if r.Done(); r.Err() != nil {
			return nil, entryError(kind, e.Name, &ValueError{Value: "of type RawValue", Err: r.Err()})
		}
		return append(b, raw...), nil
	}
	s := scalarFrom(e.Value)
	var err error
	switch s.typ {
	case wire.Null:
		return wire.AppendNull(b), nil
	case wire.Boolean:
		return wire.AppendBoolean(b, s.bits != 0), nil
	case wire.Byte:
		return wire.AppendByte(b, int8(s.bits)), nil
	case wire.Short:
		return wire.AppendShort(b, int16(s.bits)), nil
	case wire.Int:
		return wire.AppendInt(b, int32(s.bits)), nil
	case wire.Long:
		return wire.AppendLong(b, int64(s.bits)), nil
	case wire.Ubyte:
		return wire.AppendUbyte(b, uint8(s.bits)), nil
	case wire.Ushort:
		return wire.AppendUshort(b, uint16(s.bits)), nil
	case wire.Uint:
		return wire.AppendUint(b, uint32(s.bits)), nil
	case wire.Ulong:
		return wire.AppendUlong(b, s.bits), nil
	case wire.Float:
		return wire.AppendFloat(b, float32(math.Float64frombits(s.bits))), nil
	case wire.Double:
		return wire.AppendDouble(b, math.Float64frombits(s.bits)), nil
	case wire.UUID:
		return wire.AppendUUID(b, ID{hi: s.hi, lo: s.bits}.uuid()), nil
	case wire.Binary:
		if uint64(len(s.data)) <= math.MaxUint32 {
			return wire.AppendBinary(b, s.data), nil
		}
		err = &ValueError{Value: "of type []byte", Err: errTooLong}
	case wire.String:
		if err = checkText("", s.text); err == nil {
			return wire.AppendString(b, s.text), nil
		}
	case wire.Symbol:
		if err = checkSymbol("", s.text); err == nil {
			return wire.AppendSymbol(b, s.text), nil
		}
	case wire.Timestamp:
		t, _ := e.Value.(time.Time)
		if sec := t.Unix(); math.MinInt64/1000 <= sec && sec < math.MaxInt64/1000 {
			return wire.AppendTimestamp(b, int64(s.bits)), nil
		}
		err = &ValueError{Value: t.String(), Err: errOverflow}
	default:
		err = &ValueError{Value: "of type " + reflect.TypeOf(e.Value).String(), Err: errNotScalar}
	}
	return nil, entryError(kind, e.Name, err)
}

var errNotScalar = errors.New("want a scalar AMQP value or a RawValue")

// entryError returns the error of an entry's value.
func entryError(kind SectionKind, name string, err error) error {
	e := &ValueError{What: kind.String() + " " + quote(name), Err: err}
	if v, ok := err.(*ValueError); ok {
		e.Value, e.Err = v.Value, v.Err
	}
	return e
}

// A RawValue is one encoded AMQP value, format code first. The zero RawValue, nil, is no
// value. The second result of Int, Timestamp, Bool, Float, Bytes and Text is false for a value
// of another type, for a malformed one (a string that is not UTF-8, say), and if data follows
// it. None of them allocates, but Text copies. [ValueOf] reads it with JMS's conversions.
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
	s := scalarFrom(v)
	if s.typ == wire.None {
		return number{kind: numberOther, value: amqpTypeName(v)}
	}
	return s.number()
}

// integerFrom returns a value that go-amqp has decoded if it is an integer and fits.
func integerFrom(v any) (int64, bool) {
	s := scalarFrom(v)
	n, bits := s.integer()
	return n, bits > 0 && s.typ != wire.Timestamp
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
