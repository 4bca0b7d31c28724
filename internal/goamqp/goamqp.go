// Package goamqp holds what is known of the limits of go-amqp v1.7.0: which values it writes
// wrongly or not at all, what it hides of a message that it decodes, and what of links it cannot
// set or see. It knows nothing of JMS.
//
// Writing:
//   - A string that is not valid UTF-8, a Go type that AMQP has no type for, and a nil pointer,
//     at which it panics, are refused when the message is sent. [Value] and [Sections.Check]
//     find them before.
//   - A described value with a symbol as descriptor is decoded with a string and would be
//     written with a string: [Value] gives the descriptor its type back.
//   - Arrays of int or long are written as bytes where no element is above 127, whatever is
//     below -128. Arrays of timestamp are computed in nanoseconds, which overflow before
//     1677-09-22 and after 2262-04-11, and are cut to the wrong millisecond before 1970.
//   - Keys of annotations may be string and symbol, which become symbols, and int and int64,
//     which become long. It decodes keys of other types and cannot write them.
//   - A uint64 or an int of Go is written as ulong and long: their value stays, though AMQP has
//     no type for Go's int and uint. Strict refuses them.
//
// Reading:
//   - A symbol is decoded as a string, a null of amqp-value as no section, a field of the header
//     that was left out as its default, a map with string and symbol keys as one with strings.
//   - char and the decimals, arrays of arrays, lists or described values, sections with a
//     symbolic descriptor and maps whose key is a list, map, array or binary are refused, which
//     ends the link. A key that is a described value of these, and a key of annotations that is
//     one of these, panics and so ends the program.
//   - So are a list with more than [MaxElements] elements, a map with more than half as many
//     entries, and an array of more than a few empty strings, symbols or binaries at the end of a
//     message.
//
// Links, with what follows from it:
//   - It has no null source, so it can ask for a subscription only by attaching to it as a
//     consumer: unsubscribing makes an unknown one first.
//   - It has no detach without closed. Receiver.Close ends a durable subscription, and so does
//     what makes go-amqp close a link by itself: a message that it cannot decode, a settle mode
//     that the peer answers otherwise, the peer's own detach without closed, and the next attach
//     in a session after one whose context ended. Session.Close and Conn.Close keep it: hence a
//     session for each durable receiver, and no settle modes.
//   - It sets no default-outcome, outcomes and dynamic-node-properties: a peer decides by itself
//     what an unsettled delivery becomes, so settle before leaving.
//   - It sets no desired-capabilities of the connection, so not sole-connection-for-container: some
//     peers then let two connections have one container-id. It makes up a container-id that is
//     left empty, which no durable subscription is found by again.
//   - It writes no expiry-policy session-end, which is AMQP's default, and sends a producer's
//     source empty. It has no transactions.
//   - It does not show the offered-capabilities of a connection or a link, nor which durability,
//     expiry-policy, distribution-mode and address of a source the peer answers; only filters, the
//     address of a dynamic node, properties and settle modes. What a peer can do must be known.
//   - It does not say that a link name is in use in its own connection, nor what container-id a
//     connection has.
//   - Sender.Send has no error for a message that the peer released or modified.
//   - It drains with a link-credit of 0, which ActiveMQ and Artemis do not answer.
package goamqp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// MaxDepth is how deep values may be nested, as they may in encoded values: one inside MaxDepth
// lists, maps, arrays or described values is the deepest.
const MaxDepth = wire.MaxDepth

// MaxElements is how many elements a list or an array may have, keys and values of a map
// counted each, for go-amqp to decode it.
const MaxElements = 65536

// Why a value cannot be written.
var (
	ErrTooDeep    = errors.New("nested too deep")
	ErrNotWritten = errors.New("go-amqp cannot write it")
	ErrNil        = errors.New("go-amqp cannot write it: nil")
	ErrNoType     = errors.New("not an AMQP type")
	ErrNotUTF8    = errors.New("not valid UTF-8")
	ErrNotASCII   = errors.New("not ASCII")
)

// A Fault is a value that go-amqp cannot write, and where it stands.
type Fault struct {
	In    string // section, or field of the properties; "" where the caller knows
	Under string // key of the section's map, or of a body's, that it stands under; "" for none
	IsKey bool   // it is a key of annotations
	Value any
	Err   error
}

// A Writer looks at values before go-amqp writes them. The zero Writer takes all that go-amqp
// writes without a loss.
type Writer struct {
	// Strict takes values only whose Go type says which AMQP type they are: not int and uint,
	// pointers, amqp.Annotations, map[amqp.Symbol]any and amqp.ErrCond.
	Strict bool

	// Describe reads a described value of a type of the caller's own. It is false for any other
	// value. nil: there is no such type.
	Describe func(v any) (descriptor, value any, ok bool)
}

// Value returns v as go-amqp has to be given it: v itself, or where it is or holds a described
// value that has to change, a copy. Nothing that v holds is written into. It allocates nothing
// where nothing changes.
func (w Writer) Value(v any) (any, *Fault) {
	change, f := w.check(v, 0)
	switch {
	case f != nil:
		return nil, f
	case change:
		return w.copy(v), nil
	}
	return v, nil
}

// check is the one walk over values. It reports whether one has to change, or what cannot be
// written.
func (w Writer) check(v any, depth int) (change bool, f *Fault) {
	if depth > MaxDepth {
		return false, &Fault{Value: v, Err: ErrTooDeep}
	}
	switch x := v.(type) {
	case nil, amqp.Null, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64,
		[]byte, amqp.UUID,
		[]bool, []int8, []int16, []uint16, []uint32, []uint64, []float32, []float64, []amqp.UUID, [][]byte:
	case string:
		return false, checkText(x)
	case amqp.Symbol: // of the caller's: one that go-amqp decodes is a string
		return false, checkSymbol(x)
	case time.Time:
		if _, ok := wire.UnixMilli(x); !ok {
			return false, &Fault{Value: v, Err: ErrNotWritten}
		}
	case []any:
		return w.checkList(x, depth)
	case map[string]any:
		return checkNamed(w, x, checkText, depth)
	case map[any]any:
		return w.checkKeyed(x, false, depth)
	case []string:
		for _, s := range x {
			if f := checkText(s); f != nil {
				return false, f
			}
		}
	case []amqp.Symbol:
		for _, s := range x {
			if f := checkSymbol(s); f != nil {
				return false, f
			}
		}
	case []int32, []int64, []time.Time:
		if !arrayKept(x) {
			return false, &Fault{Value: v, Err: ErrNotWritten}
		}
	case []map[any]any:
		for _, m := range x {
			c, f := w.check(m, depth+1)
			if f != nil {
				return false, f
			}
			change = change || c
		}
	default:
		return w.checkRare(v, depth)
	}
	return change, nil
}

func (w Writer) checkList(list []any, depth int) (change bool, f *Fault) {
	for _, e := range list {
		c, f := w.check(e, depth+1)
		if f != nil {
			return false, f
		}
		change = change || c
	}
	return change, nil
}

// checkNamed checks the keys and values of a map whose keys are strings or symbols. In a map
// that is in no other the fault says under which key it stands.
func checkNamed[K ~string](w Writer, m map[K]any, checkKey func(K) *Fault, depth int) (change bool, f *Fault) {
	for key, e := range m {
		if f := checkKey(key); f != nil {
			return false, f
		}
		c, f := w.check(e, depth+1)
		if f != nil {
			return false, f.under(string(key), depth)
		}
		change = change || c
	}
	return change, nil
}

// checkKeyed is checkNamed for a map whose keys are of any type, or for annotations, whose
// keys are of some.
func (w Writer) checkKeyed(m map[any]any, annotations bool, depth int) (change bool, f *Fault) {
	for key, e := range m {
		var c bool
		if annotations {
			f = checkAnnotationKey(key)
		} else {
			c, f = w.check(key, depth+1)
			if c && !reflect.ValueOf(w.copy(key)).Comparable() { // a pointer in it points at a list
				f = &Fault{Value: key, Err: ErrNotWritten}
			}
		}
		if f != nil {
			return false, f
		}
		d, f := w.check(e, depth+1)
		if f != nil {
			return false, f.under(keyText(key), depth)
		}
		change = change || c || d
	}
	return change, nil
}

func checkAnnotationKey(key any) *Fault {
	switch key.(type) {
	case string, amqp.Symbol, int, int64:
		return nil
	}
	return &Fault{IsKey: true, Value: key, Err: ErrNotWritten}
}

// under says that the fault stands under a key of a map at a depth.
func (f *Fault) under(key string, depth int) *Fault {
	if depth == 0 {
		f.Under = key
	}
	return f
}

func keyText(key any) string {
	switch key := key.(type) {
	case string:
		return key
	case amqp.Symbol:
		return string(key)
	}
	return fmt.Sprint(key)
}

// checkRare is check for what hardly ever stands in a message: described values and arrays
// of types of go-amqp's own, and what a caller alone can make.
func (w Writer) checkRare(v any, depth int) (change bool, f *Fault) {
	if descriptor, value, ok := w.describe(v); ok {
		_, f := w.checkDescribed(descriptor, value, depth)
		return true, f // to go-amqp's type
	}
	if descriptor, value, ok := describedType(v); ok {
		return w.checkDescribed(descriptor, value, depth)
	}
	if ownType(v, ubyteArray) || ownType(v, lifetimePolicy) {
		return false, nil
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && r.IsNil() { // at which go-amqp panics
		return false, &Fault{Value: v, Err: ErrNil}
	}
	switch x := v.(type) {
	case *amqp.StateAccepted, *amqp.StateReceived, *amqp.StateReleased:
		return false, nil
	case *amqp.StateRejected:
		if x.Error == nil {
			return false, nil
		}
		return w.check(x.Error, depth+1)
	case *amqp.StateModified:
		return w.checkKeyed(x.MessageAnnotations, true, depth+1)
	case *amqp.Error:
		if f := cmp.Or(checkSymbol(amqp.Symbol(x.Condition)), checkText(x.Description)); f != nil {
			return false, f
		}
		return checkNamed(w, x.Info, checkText, depth+1)
	}
	if !w.Strict {
		switch x := v.(type) {
		case int, uint:
			return false, nil
		case amqp.ErrCond:
			return false, checkSymbol(amqp.Symbol(x))
		case amqp.Annotations:
			return w.checkKeyed(x, true, depth)
		case map[amqp.Symbol]any:
			return checkNamed(w, x, checkSymbol, depth)
		}
		if r.Kind() == reflect.Pointer && r.Elem().Kind() != reflect.Pointer && r.Elem().Kind() != reflect.Interface {
			return w.check(r.Elem().Interface(), depth+1)
		}
	}
	return false, &Fault{Value: v, Err: ErrNoType}
}

// checkDescribed checks a described value. Its descriptor has to change where it is a string,
// for that was a symbol as it was decoded.
func (w Writer) checkDescribed(descriptor, value any, depth int) (change bool, f *Fault) {
	if s, ok := descriptor.(string); ok {
		descriptor, change = amqp.Symbol(s), true
	}
	c, f := w.check(descriptor, depth+1)
	if f != nil {
		return false, f
	}
	d, f := w.check(value, depth+1)
	return change || c || d, f
}

// describe is Describe, which may be nil.
func (w Writer) describe(v any) (descriptor, value any, ok bool) {
	if w.Describe == nil {
		return nil, nil, false
	}
	return w.Describe(v)
}

// copy returns a copy of a value that [Writer.check] has passed, with descriptors as they have
// to be written.
func (w Writer) copy(v any) any {
	switch x := v.(type) {
	case nil, string, []byte, bool, int32, int64, float64:
		return v
	case []any:
		own := make([]any, len(x))
		for i, e := range x {
			own[i] = w.copy(e)
		}
		return own
	case map[string]any:
		return copyMap(w, x)
	case map[any]any:
		return copyMap(w, x)
	case map[amqp.Symbol]any:
		return copyMap(w, x)
	case amqp.Annotations:
		return copyMap(w, x)
	case []map[any]any:
		own := make([]map[any]any, len(x))
		for i, m := range x {
			own[i] = copyMap(w, m)
		}
		return own
	case *amqp.Error:
		own := *x
		own.Info = copyMap(w, x.Info)
		return &own
	case *amqp.StateRejected:
		own := *x
		if x.Error != nil {
			own.Error = w.copy(x.Error).(*amqp.Error)
		}
		return &own
	case *amqp.StateModified:
		own := *x
		own.MessageAnnotations = copyMap(w, x.MessageAnnotations)
		return &own
	}
	descriptor, value, ok := w.describe(v)
	if !ok {
		descriptor, value, ok = describedType(v)
	}
	if ok {
		return NewDescribed(w.copy(descriptor), w.copy(value))
	}
	switch v.(type) {
	case *amqp.StateAccepted, *amqp.StateReceived, *amqp.StateReleased:
		return v
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer {
		return w.copy(r.Elem().Interface())
	}
	return v
}

// copyMap copies a map, nil for nil.
func copyMap[M ~map[K]any, K comparable](w Writer, m M) M {
	if m == nil {
		return nil
	}
	own := make(M, len(m))
	for key, e := range m {
		k, _ := w.copy(any(key)).(K) // a nil one is none
		own[k] = w.copy(e)
	}
	return own
}

// Sections are those of a message that hold values of any type, as go-amqp has to be given
// them.
type Sections struct {
	DeliveryAnnotations   amqp.Annotations
	Annotations           amqp.Annotations
	ApplicationProperties map[string]any
	Value                 any
	Sequence              [][]any
	Footer                amqp.Annotations
}

// Put gives m these sections.
func (s Sections) Put(m *amqp.Message) {
	m.DeliveryAnnotations, m.Annotations, m.ApplicationProperties = s.DeliveryAnnotations, s.Annotations, s.ApplicationProperties
	m.Value, m.Sequence, m.Footer = s.Value, s.Sequence, s.Footer
}

// Sections returns the sections of m, each m's own or a copy, as [Writer.Value] does. It looks
// at every value of every one.
func (w Writer) Sections(m *amqp.Message) (s Sections, f *Fault) {
	if s.DeliveryAnnotations, f = w.annotations("delivery-annotations", m.DeliveryAnnotations); f != nil {
		return Sections{}, f
	}
	if s.Annotations, f = w.annotations("message-annotations", m.Annotations); f != nil {
		return Sections{}, f
	}
	if s.Footer, f = w.annotations("footer", m.Footer); f != nil {
		return Sections{}, f
	}
	s.ApplicationProperties, s.Sequence = m.ApplicationProperties, m.Sequence
	change, f := checkNamed(w, m.ApplicationProperties, checkText, 0)
	if f != nil {
		f.In = "application-properties"
		return Sections{}, f
	}
	if change {
		s.ApplicationProperties = copyMap(w, m.ApplicationProperties)
	}
	if s.Value, f = w.Value(m.Value); f != nil {
		f.In = "amqp-value"
		return Sections{}, f
	}
	own := false
	for i, sequence := range m.Sequence {
		change, f := w.checkList(sequence, 0)
		if f != nil {
			f.In = "amqp-sequence"
			return Sections{}, f
		}
		if change {
			if !own {
				s.Sequence, own = slices.Clone(m.Sequence), true
			}
			s.Sequence[i] = w.copy(sequence).([]any)
		}
	}
	return s, nil
}

// annotations returns a section of annotations.
func (w Writer) annotations(in string, a amqp.Annotations) (amqp.Annotations, *Fault) {
	change, f := w.checkKeyed(a, true, 0)
	switch {
	case f != nil:
		f.In = in
		return nil, f
	case change:
		return copyMap(w, a), nil
	}
	return a, nil
}

// Properties checks the properties that a message keeps when it gets a new id, address and
// times, and where all is set those as well. p may be nil.
func (w Writer) Properties(p *amqp.MessageProperties, all bool) *Fault {
	if p == nil {
		return nil
	}
	for _, field := range [...]struct {
		name string
		text *string
		kept bool
	}{
		{"to", p.To, false}, {"subject", p.Subject, true}, {"reply-to", p.ReplyTo, true},
		{"group-id", p.GroupID, true}, {"reply-to-group-id", p.ReplyToGroupID, true},
	} {
		if field.text != nil && (all || field.kept) {
			if f := checkText(*field.text); f != nil {
				f.In = field.name
				return f
			}
		}
	}
	if f := w.id("correlation-id", p.CorrelationID); f != nil || !all {
		return f
	}
	for _, field := range [...]struct {
		name string
		t    *time.Time
	}{{"absolute-expiry-time", p.AbsoluteExpiryTime}, {"creation-time", p.CreationTime}} {
		if field.t == nil {
			continue
		}
		if _, ok := wire.UnixMilli(*field.t); !ok {
			return &Fault{In: field.name, Value: *field.t, Err: ErrNotWritten}
		}
	}
	return w.id("message-id", p.MessageID)
}

// id checks an id, which may be of any type in go-amqp.
func (w Writer) id(name string, id any) *Fault {
	change, f := w.check(id, 0)
	if change {
		f = &Fault{Value: id, Err: ErrNotWritten}
	}
	if f != nil {
		f.In = name
	}
	return f
}

// checkText checks a string [amqp 1.6.20].
func checkText(s string) *Fault {
	if utf8.ValidString(s) {
		return nil
	}
	return &Fault{Value: s, Err: ErrNotUTF8}
}

// checkSymbol checks a symbol [amqp 1.6.21].
func checkSymbol(s amqp.Symbol) *Fault {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return &Fault{Value: s, Err: ErrNotASCII}
		}
	}
	return nil
}

// arrayKept reports whether go-amqp writes an array as it is.
func arrayKept(array any) bool {
	switch a := array.(type) {
	case []int32:
		return !takenForBytes(a)
	case []int64:
		return !takenForBytes(a)
	case []time.Time:
		return !slices.ContainsFunc(a, func(t time.Time) bool {
			ms, ok := wire.UnixMilli(t)
			return !ok || t.UnixNano()/int64(time.Millisecond) != ms
		})
	}
	return true
}

func takenForBytes[T int32 | int64](a []T) bool {
	return len(a) > 0 && slices.Max(a) <= math.MaxInt8 && slices.Min(a) < math.MinInt8
}

// The types of go-amqp's own that it decodes into and that have no names outside it.
const (
	ubyteArray     = "ArrayUByte"
	lifetimePolicy = "LifetimePolicy"
)

// typeOfDescribed returns go-amqp's type of described values, which its filters of links are
// made of.
func typeOfDescribed() reflect.Type { return reflect.TypeFor[amqp.LinkFilter]().In(0).Elem().Elem() }

// ownType reports whether v is of a type of go-amqp's own that has this name.
func ownType(v any, name string) bool {
	t := reflect.TypeOf(v)
	return t != nil && t.Name() == name && t.PkgPath() == typeOfDescribed().PkgPath()
}

// describedType reads a value of go-amqp's type of described values. The descriptor is a
// string where it was a symbol.
func describedType(v any) (descriptor, value any, ok bool) {
	r := reflect.ValueOf(v)
	if !r.IsValid() || r.Type() != typeOfDescribed() {
		return nil, nil, false
	}
	return r.Field(0).Interface(), r.Field(1).Interface(), true
}

// NewDescribed returns a described value for go-amqp to write. A descriptor that is a string
// becomes a symbol.
func NewDescribed(descriptor, value any) any {
	if s, ok := descriptor.(string); ok {
		descriptor = amqp.Symbol(s)
	}
	r := reflect.New(typeOfDescribed()).Elem()
	for i, v := range [...]any{descriptor, value} {
		if v != nil {
			r.Field(i).Set(reflect.ValueOf(v))
		}
	}
	return r.Interface()
}

// Described reads a described value that go-amqp has decoded, of whatever type that is. A
// symbolic descriptor is an amqp.Symbol.
func Described(v any) (descriptor, value any, ok bool) {
	switch v.(type) {
	case nil, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, string, []byte,
		time.Time, amqp.UUID, []any, map[string]any, map[any]any:
		return nil, nil, false
	}
	if descriptor, value, ok := describedType(v); ok {
		if s, ok := descriptor.(string); ok {
			descriptor = amqp.Symbol(s)
		}
		return descriptor, value, true
	}
	return composite(v)
}

// composite is Described for the types that AMQP defines itself and go-amqp decodes into
// structs. It takes the way over the bytes, where all of them look alike.
func composite(v any) (descriptor, value any, ok bool) {
	switch v.(type) {
	case *amqp.Error, *amqp.StateAccepted, *amqp.StateModified, *amqp.StateReceived, *amqp.StateRejected, *amqp.StateReleased:
	default:
		if !ownType(v, lifetimePolicy) {
			return nil, nil, false
		}
	}
	if _, f := (Writer{}).Value(v); f != nil {
		return nil, nil, false
	}
	section := []byte{0x00, 0x53, 0x77} // amqp-value
	b, err := (&amqp.Message{Value: v}).MarshalBinary()
	start := len(section) + 3 // 00 53 and the code
	if err != nil || len(b) <= start {
		return nil, nil, false
	}
	var m amqp.Message
	if err := m.UnmarshalBinary(slices.Concat(section, b[start:])); err != nil {
		return nil, nil, false
	}
	list, ok := m.Value.([]any)
	return uint64(b[start-1]), list, ok
}

// UbyteArray returns the elements of an array of ubyte that go-amqp has decoded, which are
// v's own.
func UbyteArray(v any) ([]byte, bool) {
	switch v.(type) {
	case nil, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, string, []byte,
		time.Time, amqp.UUID, []any, map[string]any, map[any]any:
		return nil, false
	}
	if !ownType(v, ubyteArray) {
		return nil, false
	}
	return reflect.ValueOf(v).Bytes(), true
}
