package amqpjms

import (
	"errors"
	"math"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed-b113d664/amqpjms/internal/selector"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A Selector is a message selector: a condition on JMS header fields and properties [jms 3.8.1],
// which [ParseSelector] parses. The zero Selector selects every message. A Selector never changes
// and may be used by several goroutines at once.
//
// A condition is true, false or unknown, as one is that needs a property which the message lacks;
// NOT of unknown is unknown. Only true selects. Names are those of [View.Property]:
// JMSDeliveryMode ('PERSISTENT', 'NON_PERSISTENT'), JMSPriority, JMSTimestamp, JMSMessageID,
// JMSCorrelationID, JMSType, JMSX and JMS_AMQP names, and application properties.
type Selector struct{ parsed *parsedSelector }

type parsedSelector struct {
	expr    *selector.Expr
	scratch sync.Pool // of *[]byte, for ids whose JMS string is not in the message
}

// ParseSelector parses a selector; a blank one is the zero Selector. It is an error, a
// *[WireError] with the place in the text, if that is not a selector, is longer than 65,536
// bytes or nests brackets, NOT and signs more than 256 deep. It refuses names that begin with JMS
// and cannot be selected on, such as JMSExpiration, and what only some brokers have: % as an
// operator, comments, functions. testdata/deviations.md lists where brokers differ. The cost is
// linear in len(text).
func ParseSelector(text string) (Selector, error) {
	expr, err := selector.Parse(text)
	if err != nil {
		var e *selector.Error
		errors.As(err, &e)
		return Selector{}, &WireError{In: "selector " + quote(text), Offset: e.Offset, Err: errors.New(e.Reason)}
	}
	if blankSelector(text) {
		return Selector{}, nil
	}
	return Selector{&parsedSelector{expr: expr}}, nil
}

// blankSelector reports whether a selector has nothing but white space: it is none then
// [jms 3.8.1.1].
func blankSelector(text string) bool { return strings.Trim(text, " \t\f\r\n") == "" }

// String returns the selector as it was parsed.
func (s Selector) String() string {
	if s.parsed == nil {
		return ""
	}
	return s.parsed.expr.Text()
}

// Matches reports whether the message is selected. It reads only what the selector names, each
// name at most once, and never the body; the application properties are walked once, up to the
// last of these names. Of an encoded message it decodes nothing and allocates nothing. A field or
// property that cannot be read makes it false: see [Selector.Evaluate].
//
// What it says of the same bytes is always the same, as [Groups.Open] asks. JMSXDeliveryCount
// changes while a message is in a queue: see there.
func (s Selector) Matches(v View) bool {
	t, _ := s.evaluate(v)
	return t == selector.True
}

// Evaluate returns the value of the condition, unset for unknown. It is an error, a *[WireError]
// or *[ValueError], if that depends on a field or property that cannot be read. What AND and OR
// decide without it, from left to right, does not depend on it.
func (s Selector) Evaluate(v View) (Opt[bool], error) {
	t, broken := s.evaluate(v)
	if broken >= 0 {
		at := *v.from()
		v.at = &at // which may go to the heap, where v need not be
		_, err := selectorValue(v.selectorProperty(s.parsed.expr.Name(broken)))
		return Opt[bool]{}, err
	}
	return optOf(t), nil
}

// EvaluateFunc is [Selector.Evaluate] for another type of message: value returns what a name
// stands for, such as [ValueOf] a string, the zero Value where there is none. It is asked for a
// name at most once, and only where the condition needs it. Its rules are those of
// [View.Property]: an unset JMSPriority is 4, JMSMessageID is [ID.JMSMessageID].
func (s Selector) EvaluateFunc(value func(name string) Value) (Opt[bool], error) {
	if s.parsed == nil {
		return Some(true), nil
	}
	var err error
	t, _ := s.parsed.expr.Eval(func(n selector.Name) (x selector.Value) {
		x, err = selectorValue(value(n.Text))
		return x
	})
	if err != nil {
		return Opt[bool]{}, err
	}
	return optOf(t), nil
}

func optOf(t selector.Truth) Opt[bool] {
	if t == selector.Unknown {
		return Opt[bool]{}
	}
	return Some(t == selector.True)
}

// selectorProperty returns what a name of a selector stands for.
func (v View) selectorProperty(n selector.Name) Value {
	if n.Field == selector.Property {
		return v.ApplicationProperty(n.Text)
	}
	return fieldOf(n.Text).read(v)
}

// selectorValue returns a value as selectors see it, and an error where it cannot be read.
func selectorValue(v Value) (selector.Value, error) {
	switch {
	case v.err != nil:
		return selector.OfBroken(), v.err
	case !v.exists:
		return selector.OfNull(), nil
	}
	switch s := &v.s; s.typ {
	case wire.Null:
		return selector.OfNull(), nil
	case wire.Boolean:
		return selector.OfBool(s.bits != 0), nil
	case wire.Byte, wire.Short, wire.Int, wire.Ubyte, wire.Ushort:
		return selector.OfInt(int32(s.bits)), nil
	case wire.Long, wire.Uint, wire.Timestamp:
		return selector.OfLong(int64(s.bits)), nil
	case wire.Ulong:
		return selector.OfUlong(s.bits), nil
	case wire.Float:
		return selector.OfFloat(float32(math.Float64frombits(s.bits))), nil
	case wire.Double:
		return selector.OfDouble(math.Float64frombits(s.bits)), nil
	case wire.String, wire.Symbol, wire.Char, wire.UUID:
		text := s.string()
		if v.wire == nil && !utf8.ValidString(text) { // else the reader has checked it
			return selector.OfBroken(), v.wrong(quote(text), errNotUTF8.Error())
		}
		return selector.OfString(text), nil
	}
	return selector.OfOther(), nil
}

// evaluate returns the value of the condition, and the number of the name that cannot be read,
// -1 if there is none. It does not keep v, so that one made for it need not be on the heap.
func (s Selector) evaluate(v View) (selector.Truth, int) {
	if s.parsed == nil {
		return selector.True, -1
	}
	var f selector.Frame
	var scratch *[]byte
	e := s.parsed.expr
	n := e.First()
	if n < 0 {
		n = e.Run(&f)
	}
	for ; n >= 0; n = e.Run(&f) {
		switch field := e.Field(n); field {
		case selector.Property:
			switch {
			case v.raw == nil:
				name := e.Name(n).Text
				p, ok := v.Message.ApplicationProperties[name]
				x, _ := selectorValue(applicationProperty(name, p, ok))
				e.Set(&f, n, x)
			case v.raw.ApplicationProperties == nil:
				e.SetNoProperties(&f)
			default:
				r := wire.NewReader(v.raw.ApplicationProperties)
				readSection(&r)
				e.SetProperties(&f, r)
			}
		case selector.JMSMessageID, selector.JMSCorrelationID:
			if v.raw == nil {
				e.Set(&f, n, v.selectorID(field))
				continue
			}
			if scratch == nil {
				scratch = s.parsed.buffer()
			}
			e.Set(&f, n, v.raw.selectorID(field, scratch))
		default:
			e.Set(&f, n, v.selectorField(field))
		}
	}
	if scratch != nil {
		s.parsed.scratch.Put(scratch)
	}
	return f.Truth(), f.Broken()
}

// buffer returns an empty buffer that grows with use. It is not on the stack: what is in it goes
// where the compiler does not follow.
func (p *parsedSelector) buffer() *[]byte {
	if b, ok := p.scratch.Get().(*[]byte); ok {
		*b = (*b)[:0]
		return b
	}
	b := make([]byte, 0, 2*(len(idPrefix)+len(markerUUID)+uuidLen))
	return &b
}

// selectorID returns an id. Its text is in the message where that has it as JMS does, else it is
// appended to scratch.
func (m *RawMessage) selectorID(field selector.Field, scratch *[]byte) selector.Value {
	in, as := FieldMessageID, forMessageID
	if field == selector.JMSCorrelationID {
		in, as = FieldCorrelationID, forCorrelationID
	}
	var r wire.Reader
	switch there := m.seek(&r, in); {
	case !there:
		if m.checkField(&r, in) != nil {
			return selector.OfBroken()
		}
		return selector.OfNull()
	case r.Next() == wire.String:
		b := r.String()
		if m.checkField(&r, in) != nil {
			return selector.OfBroken()
		}
		if stringPrefix(b, as) == "" {
			return selector.OfText(b)
		}
	}
	start := len(*scratch)
	b, err := m.appendID(*scratch, in, as)
	if err != nil {
		return selector.OfBroken()
	}
	*scratch = b
	return selector.OfText(b[start:])
}

// selectorID returns an id of a Message.
func (v View) selectorID(field selector.Field) selector.Value {
	id, err := v.MessageID()
	text := id.JMSMessageID
	if field == selector.JMSCorrelationID {
		id, err = v.CorrelationID()
		text = id.JMSCorrelationID
	}
	switch {
	case err != nil:
		return selector.OfBroken()
	case id.IsZero():
		return selector.OfNull()
	}
	return selector.OfString(text())
}

// selectorField returns another field.
func (v View) selectorField(field selector.Field) selector.Value {
	switch field {
	case selector.JMSDeliveryMode:
		return selector.OfString(v.DeliveryMode().String())
	case selector.JMSPriority:
		return selector.OfInt(int32(v.Priority()))
	case selector.JMSTimestamp:
		ms, err := v.Timestamp()
		if err != nil {
			return selector.OfBroken()
		}
		return selector.OfLong(ms)
	case selector.JMSType:
		return v.selectorText(FieldSubject)
	case selector.JMSXGroupID:
		return v.selectorText(FieldGroupID)
	case selector.JMSXGroupSeq:
		seq, err := v.GroupSeq()
		switch n, ok := seq.Get(); {
		case err != nil:
			return selector.OfBroken()
		case ok:
			return selector.OfInt(n)
		}
	case selector.JMSXUserID:
		user, err := v.userID()
		switch {
		case err != nil || !utf8.Valid(user):
			return selector.OfBroken()
		case len(user) > 0:
			return selector.OfText(user)
		}
	case selector.JMSXDeliveryCount:
		return selector.OfInt(v.DeliveryCount())
	case selector.ContentType:
		return v.selectorText(FieldContentType)
	case selector.ContentEncoding:
		return v.selectorText(FieldContentEncoding)
	case selector.ReplyToGroupID:
		return v.selectorText(FieldReplyToGroupID)
	}
	return selector.OfNull() // TTL too, which no received message has
}

// selectorText returns a field that is a string or a symbol.
func (v View) selectorText(f PropertiesField) selector.Value {
	if v.raw == nil {
		s, err := v.text(f)
		text, ok := s.Get()
		switch {
		case err != nil:
			return selector.OfBroken()
		case !ok:
			return selector.OfNull()
		}
		return selector.OfString(text)
	}
	b, ok, err := v.raw.text(f)
	switch {
	case err != nil:
		return selector.OfBroken()
	case !ok:
		return selector.OfNull()
	}
	return selector.OfText(b)
}
