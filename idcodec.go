package amqpjms

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// The prefix of a JMS message id, and the markers that may follow it to say which
// type the id has in AMQP (AMQPBINDMAP-15). They are case-sensitive.
const (
	idPrefix       = "ID:"
	markerString   = "AMQP_STRING:"
	markerNoPrefix = "AMQP_NO_PREFIX:"
	markerUUID     = "AMQP_UUID:"
	markerUlong    = "AMQP_ULONG:"
	markerBinary   = "AMQP_BINARY:"
)

type idKind uint8

const (
	idNone idKind = iota
	idString
	idUlong
	idUUID
	idBinary
)

// An ID is an AMQP message-id or correlation-id: a string, ulong, uuid or binary
// [amqp 3.2.11 to 3.2.14]. JMS writes all four as strings whose prefix keeps the type
// (AMQPBINDMAP-15): [ID.JMSMessageID] and [ID.JMSCorrelationID] return those strings,
// and [ParseID] reads them.
//
// The zero ID is no id; an empty string and an empty binary are ids. IDs can be
// compared with ==, used as map keys, and used by several goroutines at once. Two are
// equal if type and value are.
type ID struct {
	kind idKind
	hi   uint64 // of a uuid
	lo   uint64 // of a uuid; the ulong
	text string // the string; the bytes of a binary
}

// NewID returns a new unique id of type string, "ID:" and a random uuid [jms 3.4.3].
func NewID() ID {
	var u uuid.UUID // not uuid.New, which allocates
	rand.Read(u[:])
	u[6] = u[6]&0x0f | 0x40 // version 4 [rfc 9562 5.4]
	u[8] = u[8]&0x3f | 0x80 // variant
	id := uuidID(u)
	b := append(make([]byte, 0, len(idPrefix)+uuidLen), idPrefix...)
	return ID{kind: idString, text: string(appendUUID(b, id.hi, id.lo))}
}

var (
	errNotUlong  = errors.New("not an unsigned 64-bit decimal")
	errNotUUID   = errors.New("not a uuid of 8-4-4-4-12 hex digits")
	errNotBinary = errors.New("not pairs of hex digits")
)

// ParseID parses a JMSCorrelationID, or a JMSMessageID that a bridge sets. A string that
// does not start with "ID:" and one of the five markers is an id of type string, and so
// is the empty string: do not call it for "" where that means no id.
//
// What follows a marker must have the form that [ID.JMSMessageID] writes, with hex digits
// in either case. Anything else is an error, a *[ValueError], and so is invalid UTF-8. An
// id of type string shares jms's memory.
func ParseID(jms string) (ID, error) {
	id, err := parseID(jms)
	if (err != nil || id.kind == idString) && !utf8.ValidString(jms) { // the others are ASCII
		err = errNotUTF8
	}
	if err != nil {
		return ID{}, &ValueError{What: "id", Value: quote(jms), Err: err}
	}
	return id, nil
}

func parseID(jms string) (ID, error) {
	marker, rest := cutMarker(jms)
	size := uint64(len(rest)) // of the id on the wire
	if marker == markerBinary {
		size /= 2
	}
	if size > math.MaxUint32 {
		return ID{}, errTooLong
	}
	switch marker {
	case markerString, markerNoPrefix:
		return ID{kind: idString, text: rest}, nil
	case markerUlong:
		// One spelling per number: no leading zero here, no sign in ParseUint.
		n, err := strconv.ParseUint(rest, 10, 64)
		if err != nil || len(rest) > 1 && rest[0] == '0' {
			return ID{}, errNotUlong
		}
		return ulongID(n), nil
	case markerUUID:
		if len(rest) != uuidLen { // uuid.Parse takes other forms, all of other lengths
			return ID{}, errNotUUID
		}
		u, err := uuid.Parse(rest)
		if err != nil {
			return ID{}, errNotUUID
		}
		return uuidID(u), nil
	case markerBinary:
		var b strings.Builder
		b.Grow(len(rest) / 2)
		var scratch [16]byte
		for rest != "" {
			digits := rest[:min(len(rest), 2*len(scratch))] // few, so that converting them allocates nothing
			n, err := hex.Decode(scratch[:], []byte(digits))
			if err != nil {
				return ID{}, errNotBinary
			}
			b.Write(scratch[:n])
			rest = rest[len(digits):]
		}
		return ID{kind: idBinary, text: b.String()}, nil
	}
	return ID{kind: idString, text: jms}, nil
}

// cutMarker returns the marker that follows "ID:" at the start of s and what follows
// it, "" and s where there is no marker.
func cutMarker[T string | []byte](s T) (marker string, rest T) {
	const shortest = len(idPrefix) + len(markerUUID)
	if len(s) < shortest || s[len(idPrefix)] != 'A' || !hasPrefix(s, idPrefix) {
		return "", s
	}
	switch s[len(idPrefix+"AMQP_")] { // tells all but UUID and ULONG apart
	case 'S':
		marker = markerString
	case 'N':
		marker = markerNoPrefix
	case 'B':
		marker = markerBinary
	case 'U':
		marker = markerUUID
		if s[len(idPrefix+"AMQP_U")] == 'L' {
			marker = markerUlong
		}
	}
	if marker == "" || !hasPrefix(s[len(idPrefix):], marker) {
		return "", s
	}
	return marker, s[len(idPrefix)+len(marker):]
}

func hasPrefix[T string | []byte](s T, prefix string) bool {
	return len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix
}

// IDFrom returns the id that v holds, as go-amqp's MessageID and CorrelationID do: a
// string, a uint64, an amqp.UUID or uuid.UUID, or a []byte, which is copied. nil,
// [amqp.Null] and a nil []byte are no id; an empty []byte is an empty binary. Any other
// type is an error, a *[ValueError], and so is a string that is not valid UTF-8.
func IDFrom(v any) (ID, error) {
	switch v := v.(type) {
	case nil, amqp.Null:
		return ID{}, nil
	case string:
		if err := checkText("id", v); err != nil {
			return ID{}, err
		}
		return ID{kind: idString, text: v}, nil
	case uint64:
		return ulongID(v), nil
	case amqp.UUID:
		return uuidID(v), nil
	case uuid.UUID:
		return uuidID(v), nil
	case []byte:
		if v == nil {
			return ID{}, nil
		}
		if uint64(len(v)) > math.MaxUint32 {
			return ID{}, &ValueError{What: "id", Value: quote(v), Err: errTooLong}
		}
		return ID{kind: idBinary, text: string(v)}, nil
	default:
		return ID{}, &ValueError{What: "id", Value: fmt.Sprintf("of type %T", v),
			Err: errors.New("want string, uint64, amqp.UUID, uuid.UUID or []byte")}
	}
}

func ulongID(n uint64) ID { return ID{kind: idUlong, lo: n} }

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.kind == idNone }

// Type returns the id's AMQP type: "string", "ulong", "uuid" or "binary", "" for no id.
func (id ID) Type() string {
	switch id.kind {
	case idString:
		return "string"
	case idUlong:
		return "ulong"
	case idUUID:
		return "uuid"
	case idBinary:
		return "binary"
	}
	return ""
}

// Value returns the id as go-amqp takes it: a string, a uint64, an amqp.UUID, or a new
// []byte that is not nil; nil for no id.
func (id ID) Value() any {
	switch id.kind {
	case idString:
		return id.text
	case idUlong:
		return id.lo
	case idUUID:
		return amqp.UUID(id.uuid())
	case idBinary:
		return []byte(id.text)
	}
	return nil
}

// JMSMessageID returns the id as JMSMessageID, "" for no id. The string starts with
// "ID:", and no two ids have the same one [jms 3.4.3].
func (id ID) JMSMessageID() string { return id.jms(forMessageID) }

// JMSCorrelationID returns the id as JMSCorrelationID: like JMSMessageID, except that a
// string that does not start with "ID:" stays as it is [jms 3.4.5]. It returns "" for no
// id and for an empty string; [ID.IsZero] tells them apart.
func (id ID) JMSCorrelationID() string { return id.jms(forCorrelationID) }

// AppendMessageID appends [ID.JMSMessageID] to b; [ID.AppendTo] appends the encoded id. It
// allocates only to grow b.
func (id ID) AppendMessageID(b []byte) []byte { return id.appendJMS(b, forMessageID) }

// AppendCorrelationID appends [ID.JMSCorrelationID] to b, as [ID.AppendMessageID] does.
func (id ID) AppendCorrelationID(b []byte) []byte { return id.appendJMS(b, forCorrelationID) }

// String returns [ID.JMSCorrelationID], the shortest form that [ParseID] reads back.
func (id ID) String() string { return id.JMSCorrelationID() }

// CorrelationIDAsBytes returns a copy of the bytes of a binary id, nil for no id. Another
// type is an error, a *[ValueError] [jms 3.4.5]. To set JMSCorrelationIDAsBytes, pass a
// []byte to [IDFrom].
func (id ID) CorrelationIDAsBytes() ([]byte, error) {
	switch id.kind {
	case idNone:
		return nil, nil
	case idBinary:
		return []byte(id.text), nil
	}
	return nil, &ValueError{What: "id", Value: quote(id.String()), Err: fmt.Errorf("got %s, want binary", id.Type())}
}

// AppendTo appends the id in AMQP's encoding, null for no id. It allocates only to grow b.
func (id ID) AppendTo(b []byte) []byte {
	switch id.kind {
	case idString:
		return wire.AppendString(b, id.text)
	case idUlong:
		return wire.AppendUlong(b, id.lo)
	case idUUID:
		return wire.AppendUUID(b, id.uuid())
	case idBinary:
		return wire.AppendBinary(b, id.text)
	}
	return wire.AppendNull(b)
}

// An idField is the field that an id is in. It decides how JMS writes a string.
type idField uint8

const (
	forMessageID idField = iota
	forCorrelationID
)

// jms returns the JMS string of an id: the string itself, uncopied, or one allocation.
func (id ID) jms(field idField) string {
	if id.kind == idString {
		if prefix := stringPrefix(id.text, field); prefix != "" {
			return prefix + id.text
		}
		return id.text
	}
	var scratch [64]byte // more than a ulong or a uuid takes
	if id.kind == idBinary {
		var b strings.Builder
		b.Grow(len(idPrefix) + len(markerBinary) + 2*len(id.text))
		b.Write(appendBinaryID(scratch[:0], ""))
		for rest := id.text; rest != ""; {
			n := min(len(rest), len(scratch)/2)
			b.Write(appendHex(scratch[:0], rest[:n]))
			rest = rest[n:]
		}
		return b.String()
	}
	return string(id.appendJMS(scratch[:0], field))
}

func (id ID) appendJMS(b []byte, field idField) []byte {
	switch id.kind {
	case idString:
		return appendStringID(b, id.text, field)
	case idUlong:
		return appendUlongID(b, id.lo)
	case idUUID:
		return appendUUIDID(b, id.hi, id.lo)
	case idBinary:
		return appendBinaryID(b, id.text)
	}
	return b
}

// stringPrefix returns what JMS puts before an id of type string: a marker if the
// string would otherwise read as another id, or if a message id does not start with
// "ID:" (AMQPBINDMAP-15).
func stringPrefix[T string | []byte](s T, field idField) string {
	if !hasPrefix(s, idPrefix) {
		if field == forMessageID {
			return idPrefix + markerNoPrefix
		}
		return ""
	}
	if marker, _ := cutMarker(s); marker != "" {
		return idPrefix + markerString
	}
	return ""
}

func appendStringID[T string | []byte](b []byte, s T, field idField) []byte {
	return append(append(b, stringPrefix(s, field)...), s...)
}

func appendUlongID(b []byte, n uint64) []byte {
	return strconv.AppendUint(append(b, idPrefix+markerUlong...), n, 10)
}

func appendUUIDID(b []byte, hi, lo uint64) []byte {
	return appendUUID(append(b, idPrefix+markerUUID...), hi, lo)
}

func appendBinaryID[T string | []byte](b []byte, s T) []byte {
	return appendHex(append(b, idPrefix+markerBinary...), s)
}

// appendHex appends the digits of bytes, in upper case.
func appendHex[T string | []byte](b []byte, s T) []byte {
	for ; len(s) >= 4; s = s[4:] {
		x := uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
		b = binary.BigEndian.AppendUint64(b, hexDigits(x, 'A'))
	}
	for i := range len(s) {
		b = binary.BigEndian.AppendUint16(b, uint16(hexDigits(uint32(s[i]), 'A')))
	}
	return b
}

const uuidLen = len("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")

// appendUUID appends a uuid's canonical form, in lower case.
func appendUUID(b []byte, hi, lo uint64) []byte {
	second, third := hexDigits(uint32(hi), 'a'), hexDigits(uint32(lo>>32), 'a')
	b = slices.Grow(b, uuidLen)[:len(b)+uuidLen]
	text := (*[uuidLen]byte)(b[len(b)-uuidLen:])
	binary.BigEndian.PutUint64(text[0:], hexDigits(uint32(hi>>32), 'a'))
	text[8] = '-'
	binary.BigEndian.PutUint32(text[9:], uint32(second>>32))
	text[13] = '-'
	binary.BigEndian.PutUint32(text[14:], uint32(second))
	text[18] = '-'
	binary.BigEndian.PutUint32(text[19:], uint32(third>>32))
	text[23] = '-'
	binary.BigEndian.PutUint32(text[24:], uint32(third))
	binary.BigEndian.PutUint64(text[28:], hexDigits(uint32(lo), 'a'))
	return b
}

// hexDigits returns the eight hex digits of x as the bytes of a number, the first in its
// highest byte. ten is the digit for ten, 'a' or 'A'.
func hexDigits(x uint32, ten byte) uint64 {
	const each = 0x0101010101010101
	v := uint64(x)
	v = (v<<16 | v) & 0x0000ffff0000ffff // now four bits to a byte
	v = (v<<8 | v) & 0x00ff00ff00ff00ff
	v = (v<<4 | v) & 0x0f0f0f0f0f0f0f0f
	letters := (v + 6*each) >> 4 & each // 1 where it is 10 or more
	return v + '0'*each + letters*uint64(ten-'0'-10)
}

func uuidID(u [16]byte) ID {
	return ID{kind: idUUID, hi: binary.BigEndian.Uint64(u[:8]), lo: binary.BigEndian.Uint64(u[8:])}
}

func (id ID) uuid() (u [16]byte) {
	binary.BigEndian.PutUint64(u[:8], id.hi)
	binary.BigEndian.PutUint64(u[8:], id.lo)
	return u
}

// ID returns the id of an encoded message-id or correlation-id, no id for a nil RawValue
// and for null. A symbol reads as its text. A value of another type is an error, a *[WireError].
func (v RawValue) ID() (id ID, err error) {
	r := wire.NewReader(v)
	if len(v) > 0 && !r.Null() {
		id = readID(&r)
	}
	r.Done()
	if err := r.Err(); err != nil {
		return ID{}, wireError("id", 0, err)
	}
	return id, nil
}

// readID reads an id of one of the four types [amqp 3.2.11 to 3.2.14]. A symbol reads as its
// text, as in the other fields.
func readID(r *wire.Reader) ID {
	switch t := r.Next(); t {
	case wire.String:
		return ID{kind: idString, text: string(r.String())}
	case wire.Symbol:
		return ID{kind: idString, text: string(r.Symbol())}
	case wire.Ulong:
		return ulongID(r.Ulong())
	case wire.UUID:
		return uuidID(r.UUID())
	case wire.Binary:
		return ID{kind: idBinary, text: string(r.Binary())}
	default:
		notAnID(r, t)
		return ID{}
	}
}

// notAnID fails r at the next value, whose type ids do not have.
func notAnID(r *wire.Reader, t wire.Type) {
	at := r.Offset()
	if r.Skip(); r.Err() == nil {
		r.Fail(at, fmt.Errorf("got %v, want string, ulong, uuid or binary", t))
	}
}

// MessageID returns the message-id, the zero ID if there is none. A value of another
// type and a string that is not UTF-8 are errors, a *[WireError]. It reads no other
// property.
func (m *RawMessage) MessageID() (ID, error) { return m.id(FieldMessageID) }

// CorrelationID returns the correlation-id, as [RawMessage.MessageID] does.
func (m *RawMessage) CorrelationID() (ID, error) { return m.id(FieldCorrelationID) }

func (m *RawMessage) id(field PropertiesField) (id ID, err error) {
	var r wire.Reader
	if m.seek(&r, field) {
		id = readID(&r)
	}
	if err := m.checkField(&r, field); err != nil {
		return ID{}, err
	}
	return id, nil
}

// AppendMessageID appends the JMSMessageID to b, nothing if there is no message-id. Errors
// are those of [RawMessage.MessageID]; on error it returns b unchanged. It allocates only
// to grow b.
func (m *RawMessage) AppendMessageID(b []byte) ([]byte, error) {
	return m.appendID(b, FieldMessageID, forMessageID)
}

// AppendCorrelationID appends the JMSCorrelationID to b, as
// [RawMessage.AppendMessageID] does. An empty correlation-id appends nothing either;
// [RawMessage.CorrelationID] tells the two apart.
func (m *RawMessage) AppendCorrelationID(b []byte) ([]byte, error) {
	return m.appendID(b, FieldCorrelationID, forCorrelationID)
}

func (m *RawMessage) appendID(b []byte, field PropertiesField, as idField) ([]byte, error) {
	before := b
	var r wire.Reader
	if m.seek(&r, field) {
		switch t := r.Next(); t {
		case wire.String:
			b = appendStringID(b, r.String(), as)
		case wire.Symbol:
			b = appendStringID(b, r.Symbol(), as)
		case wire.Ulong:
			b = appendUlongID(b, r.Ulong())
		case wire.UUID:
			id := uuidID(r.UUID())
			b = appendUUIDID(b, id.hi, id.lo)
		case wire.Binary:
			b = appendBinaryID(b, r.Binary())
		default:
			notAnID(&r, t)
		}
	}
	if err := m.checkField(&r, field); err != nil {
		return before, err
	}
	return b, nil
}
