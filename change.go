package amqpjms

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// AppendExplicit appends an encoded message to dst with its durable field made explicit as
// [Header.Explicit] does; a message without a header gets one. Everything else is kept
// byte for byte. Cost and errors are those of [RawMessage.Parse]; on error it returns dst
// unchanged. It allocates only to grow dst, which must not overlap msg.
func AppendExplicit(dst, msg []byte, nodeDefault DeliveryMode) ([]byte, error) {
	var m RawMessage
	if err := m.Parse(msg); err != nil {
		return dst, err
	}
	return m.appendWithHeader(dst, m.Header.Explicit(nodeDefault)), nil
}

// appendWithHeader appends the message with another header.
func (m *RawMessage) appendWithHeader(dst []byte, h Header) []byte {
	dst = slices.Grow(dst, headerRoom+len(m.Rest))
	return append(h.AppendTo(dst), m.Rest...)
}

// An Entry is an annotation or application property by name.
type Entry struct {
	Name  string
	Value any
}

// A Change holds the changes that [Change.AppendTo] makes to an encoded message. The zero Change
// changes nothing.
//
// An Entry replaces the value of its name, or is added after the others. An Entry whose Value is
// nil or an empty RawValue removes the name. Of several entries of one name the last
// counts. A Value is a bool, an integer, a float32 or float64, a string, a []byte, a
// time.Time, a UUID, an amqp.Symbol, an [amqp.Null], or a [RawValue] of one complete value.
type Change struct {
	Header Opt[Header] // the new header section; ModeUnset is written as NonPersistent, see [Header.Explicit]

	DropDeliveryAnnotations bool // keep only those in DeliveryAnnotations
	DeliveryAnnotations     []Entry
	Annotations             []Entry // message annotations
	ApplicationProperties   []Entry
}

// AppendTo appends m, changed, to dst. It keeps byte for byte what the change does not name, and
// a section in which nothing differs; a section left without entries is dropped. It reads only
// the sections with entries to change, and compares each of these with each in the section. It
// allocates only to grow dst, and for more than 16 entries; dst must not overlap m.
//
// On error it returns dst unchanged. The error is a *[ValueError] if a name is not ASCII (of a
// property: not UTF-8) or AMQP cannot carry a value, and a *[WireError] if a section to change
// is malformed or becomes too long.
func (c Change) AppendTo(dst []byte, m *RawMessage) ([]byte, error) {
	more := len(c.DeliveryAnnotations) + len(c.Annotations) + len(c.ApplicationProperties)
	if more == 0 && !c.DropDeliveryAnnotations && c.Header.ok {
		return m.appendWithHeader(dst, c.Header.v.Explicit(ModeUnset)), nil
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
	b, err := appendScalar(b, e.Value)
	if err != nil {
		return nil, entryError(kind, e.Name, err)
	}
	return b, nil
}

// appendScalar is appendAny for the values that an Entry takes.
func appendScalar(b []byte, v any) ([]byte, error) {
	switch x := v.(type) {
	case int: // as go-amqp sends it
		return wire.AppendLong(b, int64(x)), nil
	case uint:
		return wire.AppendUlong(b, uint64(x)), nil
	case RawValue:
		return appendAny(b, "", v, 0)
	}
	switch scalarFrom(v).typ {
	case wire.None, wire.List, wire.Map, wire.Array, wire.Described:
		return b, &ValueError{Value: fmt.Sprintf("of type %T", v), Err: errNotScalar}
	}
	return appendAny(b, "", v, 0)
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
