package amqpjms

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/charset"
	"github.com/seed-b113d664/amqpjms/internal/goamqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A MessageKind is one of JMS's six kinds of message. Its value is that of the annotation
// x-opt-jms-msg-type [jms-mapping 3.2]; the zero MessageKind is a plain Message.
type MessageKind uint8

const (
	PlainMessage  MessageKind = iota // Message: no body
	ObjectMessage                    // any AMQP value, or a serialized Java object
	MapMessage
	BytesMessage
	StreamMessage
	TextMessage
)

// String returns JMS's name of the kind, such as "TextMessage".
func (k MessageKind) String() string {
	switch k {
	case PlainMessage:
		return "Message"
	case ObjectMessage:
		return "ObjectMessage"
	case MapMessage:
		return "MapMessage"
	case BytesMessage:
		return "BytesMessage"
	case StreamMessage:
		return "StreamMessage"
	case TextMessage:
		return "TextMessage"
	}
	return "MessageKind(" + strconv.Itoa(int(k)) + ")"
}

// MessageKindFrom returns the kind that the value of x-opt-jms-msg-type names, an integer of any
// type. It is unset for nil and for AMQP's null. Any other value is an error, a *[ValueError].
func MessageKindFrom(annotation any) (Opt[MessageKind], error) {
	return messageKind(numberFrom(annotation))
}

// messageKind returns the kind of message that has a number.
func messageKind(n number) (Opt[MessageKind], error) {
	switch {
	case n.kind == numberInteger && 0 <= n.n && n.n <= int64(TextMessage):
		return Some(MessageKind(n.n)), nil
	case n.isSet():
		return Opt[MessageKind]{}, n.wrong(AnnotationMessageKind, "not an integer from 0 to 5")
	}
	return Opt[MessageKind]{}, nil
}

// Content types that say what a data section holds, and those that this package writes.
const (
	contentOctetStream = "application/octet-stream"
	contentJavaObject  = "application/x-java-serialized-object"
	contentText        = "text/plain; charset=utf-8"
)

// A JavaObject is a serialized Java object. Its bytes are never deserialized.
type JavaObject []byte

// A Body holds the body sections of a message and the fields that decide how JMS reads them, for
// programs with a message type of their own: they fill one to read it, and write one from
// [TextBody], [MapBody] and so on. Others use [View.Text] and [Editor.SetText] and their like.
// The zero Body is that of a message without a body section.
//
// Values are of the Go types that go-amqp decodes into, or a [Described]. A Body keeps what it
// was made from, and methods return parts of that where they say so. Methods change nothing and
// may be called by several goroutines at once.
type Body struct {
	Annotation      any    // x-opt-jms-msg-type
	ContentType     string // "": none
	ContentEncoding string // "": none

	Data      [][]byte // data sections
	Sequences [][]any  // amqp-sequence sections
	Value     any      // of the amqp-value section; amqp.Null{} for a null, nil for no section
}

// A bodyForm says which sections a body has.
type bodyForm uint8

const (
	formNone bodyForm = iota
	formNull
	formData
	formSequence
	formValue
	formMixed
)

func (b Body) form() bodyForm {
	form, sorts := formNone, 0
	if len(b.Data) > 0 {
		form, sorts = formData, sorts+1
	}
	if len(b.Sequences) > 0 {
		form, sorts = formSequence, sorts+1
	}
	if b.Value != nil {
		form, sorts = formValue, sorts+1
		if isNull(b.Value) {
			form = formNull
		}
	}
	if sorts > 1 {
		return formMixed // [amqp 3.2]: data, sequences or one value
	}
	return form
}

func isNull(v any) bool {
	_, ok := v.(amqp.Null)
	return ok
}

// Kind returns the kind of message: that of the annotation or, if it names none, that of the
// body [jms-mapping 3.3]:
//
//   - an amqp-value: null and a string are a TextMessage, binary is a BytesMessage, and
//     anything else, a map or a list too, is an ObjectMessage;
//   - amqp-sequences: an ObjectMessage;
//   - data: an ObjectMessage if the content-type is application/x-java-serialized-object, a
//     TextMessage if it is one of text (text/*, XML, JSON, JavaScript), else a BytesMessage;
//   - no section: like data, but a plain Message if the content-type is any other than these and
//     application/octet-stream.
func (b Body) Kind() MessageKind { return kindOf(b.Annotation, b.ContentType, b.form(), b.Value) }

func kindOf(annotation any, contentType string, form bodyForm, value any) MessageKind {
	annotated, _ := MessageKindFrom(annotation)
	if kind, ok := annotated.Get(); ok {
		return kind
	}
	switch form {
	case formNone:
		switch c := parseContentType(contentType); {
		case c.media == contentJavaObject:
			return ObjectMessage
		case c.media == contentOctetStream || contentType == "":
			return BytesMessage
		case c.textual():
			return TextMessage
		}
		return PlainMessage
	case formData:
		switch c := parseContentType(contentType); {
		case c.media == contentJavaObject:
			return ObjectMessage
		case c.textual():
			return TextMessage
		}
		return BytesMessage
	case formNull:
		return TextMessage
	case formValue, formMixed:
		switch value.(type) {
		case string:
			return TextMessage
		case []byte:
			return BytesMessage
		}
	}
	return ObjectMessage
}

// kind returns the kind of message, see [View.Kind].
func (m *RawMessage) kind() (MessageKind, error) {
	contentType, annotation, err := m.kindFields()
	if err != nil {
		return 0, err
	}
	if annotation != nil {
		if kind, err := messageKind(numberFrom(annotation)); err == nil {
			return kind.v, nil
		}
	}
	var form bodyForm
	var value any
	for s, err := range m.BodySections() {
		if err != nil {
			return 0, err
		}
		switch s.Kind {
		case SectionData:
			form = formData
		case SectionAMQPSequence:
			form = formSequence
		case SectionAMQPValue:
			value = typeOf(s.Value)
			form = Body{Value: value}.form()
		}
	}
	return kindOf(annotation, contentType, form, value), nil
}

// kindFields returns the content-type and the annotation, which tell the kind of message. It
// does not read the content-type if the annotation decides.
func (m *RawMessage) kindFields() (contentType string, annotation any, err error) {
	v, err := m.Annotation(AnnotationMessageKind)
	if err != nil {
		return "", nil, err
	}
	if n, ok := v.Int(); ok {
		if annotation = n; 0 <= n && n <= int64(TextMessage) {
			return "", annotation, nil
		}
	}
	v, err = m.Property(FieldContentType)
	if err != nil {
		return "", nil, err
	}
	contentType, _ = v.Text()
	return contentType, annotation, nil
}

// decodeBody returns the body: all of it, or what is needed to read amqp-values and
// amqp-sequences of these types.
func (m *RawMessage) decodeBody(whole bool, types []wire.Type) (b Body, err error) {
	for s, err := range m.BodySections() {
		if err != nil {
			return Body{}, err
		}
		r := wire.NewReader(s.Value)
		t := r.Next()
		switch {
		case s.Kind == SectionData:
			b.Data = append(b.Data, r.Binary())
			continue
		case s.Kind == SectionFooter:
			continue
		case !whole && !slices.Contains(types, t):
			if s.Kind == SectionAMQPSequence {
				b.Sequences = [][]any{nil}
			} else {
				b.Value = typeOf(s.Value)
			}
			continue
		}
		v := readAny(&r, 0)
		if e := r.Err(); e != nil {
			return Body{}, wireError("body", s.Offset+len(s.Bytes)-len(s.Value), e)
		}
		switch {
		case s.Kind == SectionAMQPSequence:
			b.Sequences = append(b.Sequences, v.([]any))
		case v == nil:
			b.Value = amqp.Null{}
		case t == wire.Symbol:
			text, _ := v.(string)
			b.Value = amqp.Symbol(text)
		default:
			b.Value = v
		}
	}
	b.ContentType, b.Annotation, err = m.kindFields()
	if err != nil {
		return Body{}, err
	}
	if !whole && (b.form() > formData || b.Kind() == BytesMessage) {
		return b, nil // to which neither applies
	}
	for _, f := range [...]struct {
		field PropertiesField
		to    *string
	}{{FieldContentType, &b.ContentType}, {FieldContentEncoding, &b.ContentEncoding}} {
		text, _, err := m.text(f.field)
		if err != nil {
			return Body{}, err
		}
		*f.to = string(text)
	}
	return b, nil
}

// typeOf returns an empty value of the type of v, as far as the kind of a body depends on it.
func typeOf(v RawValue) any {
	r := wire.NewReader(v)
	switch t := r.Next(); t {
	case wire.Null:
		return amqp.Null{}
	case wire.String:
		return ""
	case wire.Symbol:
		return amqp.Symbol("")
	case wire.Binary:
		return []byte(nil)
	case wire.List:
		return []any(nil)
	case wire.Map:
		return map[any]any(nil)
	default:
		return unread(t.String())
	}
}

// Outgoing returns the body as it is sent to a peer. Its annotation is the kind as an int8, a byte
// in AMQP [jms-mapping 3.2]. It is nil, no annotation, for text in data whose charset is neither
// UTF-8 nor US-ASCII: with an annotation JMS clients ignore the charset and read UTF-8.
//
// A BytesMessage without a body section gets an empty data section. Any other body without one
// gets an amqp-value null, because some peers end the session otherwise; for a peer that accepts
// no null ([Peer].NoNullBody) it has no section. Nothing else changes.
func (b Body) Outgoing(p Peer) Body {
	kind := b.Kind()
	b.Annotation = int8(kind)
	switch form := b.form(); form {
	case formNone, formNull:
		switch {
		case kind == BytesMessage && (form == formNone || p.NoNullBody):
			b.Data, b.Value = [][]byte{{}}, nil
		case p.NoNullBody:
			b.Value = nil
		default:
			b.Value = amqp.Null{}
		}
	case formData:
		if kind == TextMessage && b.readByContentType() {
			b.Annotation = nil
		}
	}
	return b
}

// readByContentType reports whether a JMS client reads the data of a TextMessage only by its
// content-type: in a charset that UTF-8 does not include.
func (b Body) readByContentType() bool {
	if b.ContentType == contentText { // our own, at no cost
		return false
	}
	c := parseContentType(b.ContentType)
	cs, _, err := c.charset(b.ContentEncoding)
	return c.textual() && (errors.Is(err, errUnknownCharset) || err == nil && cs != charset.UTF8 && cs != charset.ASCII)
}

// wrong returns the error of a body that is of another kind than asked for, or does not hold
// what its kind holds.
func (b Body) wrong(why string) error {
	return &ValueError{What: "body", Value: b.String(), Err: errors.New(why)}
}

// contradicts returns the error of a body that does not match its annotation.
func (b Body) contradicts() error {
	return b.wrong("contradicts kind " + b.Kind().String())
}

// expect returns an error if the message is of another kind.
func (b Body) expect(kind MessageKind) error {
	if k := b.Kind(); k != kind {
		return b.wrong("got " + k.String() + ", want " + kind.String())
	}
	return nil
}

// String describes the sections for people to read.
func (b Body) String() string {
	switch b.form() {
	case formNone:
		return "no section"
	case formNull:
		return "amqp-value null"
	case formData:
		return "data"
	case formSequence:
		return "amqp-sequence"
	case formValue:
		return "amqp-value " + amqpTypeName(b.Value)
	}
	return "mixed sections"
}

// Text returns the text of a TextMessage, unset for a null text, which differs from "". Data is
// read in the charset of its content-type, else of its content-encoding, else UTF-8. Text knows
// UTF-8, US-ASCII, ISO-8859-1, ISO-8859-15, windows-1252 and UTF-16, by the names of IANA and
// Java. It is an error, a *[ValueError], if the message is of another kind or does not hold text,
// if the charset is another ([Body.TextFunc] takes a decoder), if the text is not valid in it, or
// if the data is compressed; [Body.Payload] still returns the bytes.
func (b Body) Text() (Opt[string], error) { return b.TextFunc(nil) }

// TextFunc returns the text as [Body.Text] does, and calls decode for data in a charset that
// Text does not know. decode gets the charset's name as it stands in the message, and must not
// keep or change the data. Its error is returned as that of the charset.
func (b Body) TextFunc(decode func(charset string, data []byte) (string, error)) (Opt[string], error) {
	if err := b.expect(TextMessage); err != nil {
		return Opt[string]{}, err
	}
	switch b.form() {
	case formNone, formNull:
		return Opt[string]{}, nil
	case formData:
		return b.decode(decode)
	case formValue:
		if text, ok := textFrom(b.Value); ok { // a symbol too
			if err := checkText("text", text); err != nil {
				return Opt[string]{}, err
			}
			return Some(text), nil
		}
	}
	return Opt[string]{}, b.contradicts()
}

// decode returns the text of data.
func (b Body) decode(other func(charset string, data []byte) (string, error)) (Opt[string], error) {
	cs, name, err := b.charset()
	data := joined(b.Data)
	switch {
	case err == nil:
		text, ok := cs.Decode(data)
		if !ok {
			return Opt[string]{}, invalidText(cs, data)
		}
		return Some(text), nil
	case other == nil || !errors.Is(err, errUnknownCharset):
		return Opt[string]{}, err
	}
	text, err := other(name, data)
	if err != nil {
		return Opt[string]{}, &ValueError{What: "charset", Value: quote(name), Err: err}
	}
	if err := checkText("text", text); err != nil {
		return Opt[string]{}, err
	}
	return Some(text), nil
}

// charset returns the charset of the data of a TextMessage, and its name in the message.
func (b Body) charset() (charset.Charset, string, error) {
	if !encodesNothing(b.ContentEncoding) {
		return 0, "", b.wrong("unsupported content-encoding " + quote(b.ContentEncoding) + ": decompress what Payload returns")
	}
	return parseContentType(b.ContentType).charset(b.ContentEncoding)
}

// Bytes returns the bytes of a BytesMessage, never nil: all data sections joined; a single one is
// the body's own. It does not decompress them. It is an error, a *[ValueError], if the message
// is of another kind or does not hold bytes.
func (b Body) Bytes() ([]byte, error) {
	if err := b.expect(BytesMessage); err != nil {
		return nil, err
	}
	switch b.form() {
	case formNone, formNull:
		return []byte{}, nil
	case formData:
		return joined(b.Data), nil
	case formValue:
		v, _ := shown(b.Value)
		if v, ok := v.([]byte); ok {
			return notNil(v), nil
		}
	}
	return nil, b.contradicts()
}

// Map returns the map of a MapMessage, never nil: the body's own unless a value must be
// converted. Read its values with [ValueOf] for JMS's conversions. An array of ubyte is a
// []byte, a described value a [Described]. It is an error, a *[ValueError], if the message is of
// another kind or does not hold a map, or if a key is not a string.
func (b Body) Map() (map[string]any, error) {
	if err := b.expect(MapMessage); err != nil {
		return nil, err
	}
	switch b.form() {
	case formNone, formNull:
		return map[string]any{}, nil
	case formValue:
		switch v := b.Value.(type) {
		case map[string]any:
			if v == nil {
				v = map[string]any{}
			}
			return shownMap(v), nil
		case map[any]any:
			m := make(map[string]any, len(v))
			for key, value := range v {
				name, ok := key.(string)
				if !ok {
					return nil, b.wrong("map key is " + amqpTypeName(key) + ", not string")
				}
				m[name], _ = shown(value)
			}
			return m, nil
		}
	}
	return nil, b.contradicts()
}

// Stream returns the values of a StreamMessage, all sequences joined, never nil. A single
// sequence is the body's own unless a value must be converted, as in [Body.Map]. It is an error,
// a *[ValueError], if the message is of another kind or does not hold a list.
func (b Body) Stream() ([]any, error) {
	if err := b.expect(StreamMessage); err != nil {
		return nil, err
	}
	switch b.form() {
	case formNone, formNull:
		return []any{}, nil
	case formSequence:
		return shownList(joined(b.Sequences)), nil
	case formValue:
		if v, ok := b.Value.([]any); ok {
			return shownList(notNil(v)), nil
		}
	}
	return nil, b.contradicts()
}

// Object returns the object of an ObjectMessage: an AMQP value as go-amqp decodes it, the body's
// own, except that an array of ubyte is a []byte and a described value a [Described]; a []any
// of all sequences joined; data as a [JavaObject]; nil for a null. Read described values in a
// list or a map with [ValueOf]. It is an error, a *[ValueError], if the message is of another
// kind.
func (b Body) Object() (any, error) {
	if err := b.expect(ObjectMessage); err != nil {
		return nil, err
	}
	switch b.form() {
	case formNone, formNull:
		return nil, nil
	case formData:
		return JavaObject(joined(b.Data)), nil
	case formSequence:
		return joined(b.Sequences), nil
	case formValue:
		v, _ := shown(b.Value)
		return v, nil
	}
	return nil, b.contradicts()
}

// Typed reports whether an ObjectMessage holds an AMQP value rather than a serialized Java object
// (JMS_AMQP_TYPED_ENCODING); for a null the content-type decides. It is false for every other
// kind, and where [Body.Object] returns an error.
func (b Body) Typed() bool {
	if b.Kind() != ObjectMessage {
		return false
	}
	switch b.form() {
	case formValue, formSequence:
		return true
	case formNone, formNull: // a null object of either sort
		return parseContentType(b.ContentType).media != contentJavaObject
	}
	return false
}

// Payload returns the bytes of a message, in whatever section they are: a text in UTF-8, nil for
// a null text; the bytes of a BytesMessage; a serialized Java object; and other data unchanged,
// such as a text that cannot be decoded, for which see ContentType and ContentEncoding. They may
// be the body's own. It is an error, a *[ValueError], if the body is not data and holds neither
// text nor bytes.
func (b Body) Payload() ([]byte, error) {
	kind := b.Kind()
	switch {
	case b.form() == formData:
		data := joined(b.Data)
		if kind == TextMessage {
			cs, _, err := b.charset()
			if err == nil && cs != charset.UTF8 && cs != charset.ASCII { // which are UTF-8 as they are
				if text, ok := cs.Decode(data); ok {
					return []byte(text), nil
				}
			}
		}
		return data, nil
	case kind == TextMessage:
		text, err := b.Text()
		if s, ok := text.Get(); ok {
			return []byte(s), nil
		}
		return nil, err
	case kind == BytesMessage:
		return b.Bytes()
	}
	return nil, b.wrong("holds no bytes")
}

// check returns an error if the body does not hold what its kind holds.
func (b Body) check() (err error) {
	switch b.Kind() {
	case TextMessage:
		_, err = b.Text()
	case BytesMessage:
		_, err = b.Bytes()
	case MapMessage:
		_, err = b.Map()
	case StreamMessage:
		_, err = b.Stream()
	case ObjectMessage:
		_, err = b.Object()
	}
	return err
}

// joined returns the parts joined, never nil. A single part is returned itself.
func joined[T ~[]E, E any](parts []T) T {
	if len(parts) == 1 {
		return notNil(parts[0])
	}
	return notNil(slices.Concat(parts...))
}

func notNil[T ~[]E, E any](s T) T {
	if s == nil {
		return T{}
	}
	return s
}

// TextBody returns the body of a TextMessage: an amqp-value string. A text that is not
// valid UTF-8 is an error, a *[ValueError].
func TextBody(text string) (Body, error) {
	if err := checkText("text", text); err != nil {
		return Body{}, err
	}
	return Body{Annotation: int8(TextMessage), Value: text}, nil
}

// TextDataBody returns the body of a TextMessage as a data section, for receivers that read
// nothing else. A text that is not valid UTF-8 is an error, a *[ValueError].
func TextDataBody(text string) (Body, error) {
	if err := checkText("text", text); err != nil {
		return Body{}, err
	}
	return Body{Annotation: int8(TextMessage), ContentType: contentText, Data: [][]byte{[]byte(text)}}, nil
}

// NullTextBody returns the body of a TextMessage whose text is null.
func NullTextBody() Body { return Body{Annotation: int8(TextMessage), Value: amqp.Null{}} }

// PlainBody returns the body of a plain Message, an amqp-value null: a message without a
// body section ends the session at some peers, and this one the receiver at others: see
// [Body.Outgoing].
func PlainBody() Body { return Body{Annotation: int8(PlainMessage), Value: amqp.Null{}} }

// BytesBody returns the body of a BytesMessage: one data section, also for no bytes. It
// keeps b.
func BytesBody(b []byte) Body {
	return Body{Annotation: int8(BytesMessage), ContentType: contentOctetStream, Data: [][]byte{notNil(b)}}
}

// JavaObjectBody returns the body of an ObjectMessage that holds a serialized Java object. It
// keeps object.
func JavaObjectBody(object JavaObject) Body {
	return Body{Annotation: int8(ObjectMessage), ContentType: contentJavaObject, Data: [][]byte{notNil([]byte(object))}}
}

// MapBody returns the body of a MapMessage: a new map with the same values, which are of JMS's
// types: nil, bool, int8, int16, int32, int64, float32, float64, string and []byte. Any other
// type is an error, a *[ValueError], and so are an empty key and a string that is not valid UTF-8.
func MapBody(m map[string]any) (Body, error) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name == "" {
			return Body{}, &ValueError{What: "key of a map", Value: quote(name), Err: errors.New("empty")} // [jms MapMessage]
		}
		if err := checkText("key of a map", name); err != nil {
			return Body{}, err
		}
		if err := checkBodyValue("value of "+quote(name), m[name]); err != nil {
			return Body{}, err
		}
	}
	own := maps.Clone(m)
	if own == nil {
		own = map[string]any{}
	}
	return Body{Annotation: int8(MapMessage), Value: own}, nil
}

// StreamBody returns the body of a StreamMessage: a new sequence with the same values, of the
// types that [MapBody] takes.
func StreamBody(values []any) (Body, error) {
	for i, v := range values {
		if err := checkBodyValue("value "+strconv.Itoa(i)+" of a stream", v); err != nil {
			return Body{}, err
		}
	}
	return Body{Annotation: int8(StreamMessage), Sequences: [][]any{notNil(slices.Clone(values))}}, nil
}

// ObjectBody returns the body of an ObjectMessage that holds an AMQP value
// (JMS_AMQP_TYPED_ENCODING), or for [JavaObject] what JavaObjectBody does. It keeps the
// value.
//
// Values are nil, bool, int8 to int64, uint8 to uint64, float32, float64, string, []byte
// (a binary), time.Time (a timestamp), amqp.UUID, amqp.Symbol, [Described], []any,
// map[string]any and map[any]any of those up to 100 deep, slices that go-amqp makes arrays of,
// and what it decodes. A uuid.UUID is taken for an amqp.UUID, but not in a list or a map. Any
// other is an error, a *[ValueError], int and uint too, for which AMQP has no type; so is what
// go-amqp would write wrongly, see [Stamp.Apply].
func ObjectBody(v any) (Body, error) {
	switch x := v.(type) {
	case JavaObject:
		return JavaObjectBody(x), nil
	case uuid.UUID:
		v = amqp.UUID(x)
	}
	v, f := goamqp.Writer{Strict: true, Describe: describedFrom}.Value(v)
	if f != nil {
		return Body{}, unwritable("object", f)
	}
	if v == nil {
		v = amqp.Null{}
	}
	return Body{Annotation: int8(ObjectMessage), Value: v}, nil
}

// contentTypeAfter returns the content-type and content-encoding of a message whose body b
// replaces. Those that it had stay if they can be true of b, since the application may have set
// them for it; an encoding can be true only of bytes.
func (b Body) contentTypeAfter(had, encoding string) (string, string) {
	c, isData := parseContentType(had), len(b.Data) > 0
	switch b.Kind() {
	case TextMessage:
		if cs, _, err := c.charset(""); err == nil && cs == charset.UTF8 && c.textual() {
			return had, ""
		}
	case BytesMessage:
		switch {
		case !isData: // [amqp 3.2.4]: a content-type is of data
		case had != "" && c.media != contentJavaObject:
			return had, encoding
		default:
			return b.ContentType, encoding
		}
	case ObjectMessage:
		if isData && c.media == contentJavaObject {
			return had, ""
		}
	}
	return b.ContentType, ""
}

// The Go types of JMS's values, for errors.
const (
	propertyTypes = "bool, int8, int16, int32, int64, float32, float64, string or nil"
	bodyTypes     = "[]byte, " + propertyTypes
)

// unwritable returns the error of a value that go-amqp cannot write, in what is named.
func unwritable(what string, f *goamqp.Fault) error {
	e := &ValueError{What: what, Err: f.Err}
	if f.Under != "" {
		e.What += " " + quote(f.Under)
	}
	text, isText := f.Value.(string)
	if symbol, ok := f.Value.(amqp.Symbol); ok {
		text, isText = string(symbol), true
	}
	switch {
	case f.IsKey:
		e.What, e.Value = "key of the "+e.What, fmt.Sprintf("%s %v", amqpTypeName(f.Value), f.Value)
	case f.Value == nil:
		e.Value = "null"
	case isText && f.Err != goamqp.ErrTooDeep:
		e.Value = quote(text)
	default:
		e.Value = fmt.Sprintf("of type %T", f.Value)
	}
	return e
}

// checkProperty returns an error unless v is of one of JMS's property types.
func checkProperty(what string, v any) error { return checkJMS(what, v, propertyTypes) }

// checkBodyValue returns an error unless v is of one of JMS's types for values of maps and
// streams, which include bytes [jms 3.11.3].
func checkBodyValue(what string, v any) error {
	if _, ok := v.([]byte); ok {
		return nil
	}
	return checkJMS(what, v, bodyTypes)
}

func checkJMS(what string, v any, types string) error {
	switch v := v.(type) {
	case nil, bool, int8, int16, int32, int64, float32, float64:
		return nil
	case string:
		return checkText(what, v)
	}
	return &ValueError{What: what, Value: fmt.Sprintf("of type %T", v), Err: errors.New("want " + types)}
}

// A contentType is a parsed content-type.
type contentType struct {
	text   string // as it stands
	media  string // type/subtype in lower case, "" for none
	params map[string]string
	err    error // of the charset parameter
}

func parseContentType(s string) contentType {
	c := contentType{text: s}
	if s == "" {
		return c
	}
	media, params, err := mime.ParseMediaType(s)
	if err != nil { // of what may be a parameter that nothing here depends on
		base, rest, _ := strings.Cut(s, ";")
		if media, _, err = mime.ParseMediaType(base); err == nil {
			params, err = charsetParameter(rest)
		}
	}
	if !strings.Contains(media, "/") {
		return c
	}
	c.media, c.params, c.err = media, params, err
	return c
}

// charsetParameter returns the charset parameter of those of a content-type, and nothing of the
// others, which may be broken. It is an error where it is broken itself, or stands there again
// with another charset.
func charsetParameter(params string) (map[string]string, error) {
	var found map[string]string
	quotes := true
	for params != "" {
		end := strings.IndexByte(params, ';')
		if quotes {
			if unquoted, closed := parameterEnd(params); closed {
				end = unquoted
			} else {
				quotes = false // none from here on, so that nothing is looked at time and again
			}
		}
		if end < 0 {
			end = len(params)
		}
		p := params[:end]
		params = strings.TrimPrefix(params[end:], ";")
		name, _, _ := strings.Cut(p, "=")
		name, _, _ = strings.Cut(strings.TrimSpace(name), "*") // [rfc 2231 3]
		if !strings.EqualFold(name, "charset") {
			continue
		}
		_, named, err := mime.ParseMediaType("text/plain;" + p)
		if err != nil {
			return nil, err
		}
		if found != nil && !sameCharset(found["charset"], named["charset"]) {
			return nil, errTwoCharsets
		}
		found = named
	}
	return found, nil
}

// parameterEnd returns where the first parameter ends: at a semicolon that is not quoted. It
// reports whether the quotes before are closed.
func parameterEnd(params string) (end int, closed bool) {
	quoted := false
	for i := 0; i < len(params); i++ {
		switch c := params[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ';' && !quoted:
			return i, true
		}
	}
	return len(params), !quoted
}

// sameCharset reports whether two names are of one charset.
func sameCharset(a, b string) bool {
	x, known := charset.Lookup(a)
	y, too := charset.Lookup(b)
	return strings.EqualFold(a, b) || known && too && x == y
}

var errTwoCharsets = errors.New("names two charsets")

// textual reports whether data of this type is text [jms-mapping 3.3].
func (c contentType) textual() bool {
	if strings.HasPrefix(c.media, "text/") {
		return true
	}
	sub, ok := strings.CutPrefix(c.media, "application/")
	if !ok {
		return false
	}
	switch sub {
	case "xml", "xml-dtd", "json", "javascript", "ecmascript":
		return true
	}
	return strings.HasSuffix(sub, "+xml") || strings.HasSuffix(sub, "+json")
}

// charset returns the charset of text of this type, and its name as it stands. The content-type
// names it, or where it does not, the content-encoding may; without either it is UTF-8 and the
// name is "".
func (c contentType) charset(encoding string) (cs charset.Charset, name string, err error) {
	if c.err != nil {
		return 0, "", &ValueError{What: "content-type", Value: quote(c.text), Err: c.err}
	}
	name, named := c.params["charset"]
	if !named {
		if cs, ok := charset.Lookup(encoding); ok {
			return cs, encoding, nil
		}
		return charset.UTF8, "", nil
	}
	cs, ok := charset.Lookup(name)
	if !ok {
		return 0, name, &ValueError{What: "charset", Value: quote(name), Err: errUnknownCharset}
	}
	return cs, name, nil
}

var errUnknownCharset = errors.New("want " + charset.Supported + "; Body.TextFunc decodes others")

// invalidText returns the error of text that is not valid in a charset.
func invalidText(cs charset.Charset, text []byte) error {
	return &ValueError{What: "text", Value: quote(text), Err: errors.New("not valid " + cs.String())}
}

// encodesNothing reports whether a content-encoding leaves data as it is: it names none, or a
// charset, as Spring AMQP and Vert.x do.
func encodesNothing(encoding string) bool {
	switch strings.ToLower(encoding) {
	case "", "identity", "binary", "7bit", "8bit":
		return true
	}
	_, ok := charset.Lookup(encoding)
	return ok
}
