// Package amqpjms maps JMS messages to AMQP 1.0 and back.
//
// It serves programs that hold messages of go-amqp, programs with a message type of their
// own, and programs that hold encoded bytes. The rules are functions of values and bytes;
// anything that takes an [amqp.Message] is a thin adapter.
//
// To read a message, use
//
//   - [Consumer], which makes a [View]: the message as a JMS consumer reads it;
//   - [Value], a property or an entry of a map or stream, with JMS's conversions;
//   - [Body], the rules of bodies for message types of your own. For any other message
//     call [View.Text] and its like, which decode only what they return;
//   - [RawMessage], an encoded message cut into its sections.
//
// To write one, use
//
//   - [Producer], which stamps a message with what a JMS provider sets at send;
//   - [Editor], which sets what an application sets: body, properties, reply-to, group, and
//     which writes a [Message] as bytes;
//   - [Forwarder], which passes a message on;
//   - [Change], which changes an encoded message, and [AppendExplicit], which makes durable explicit;
//   - [Peer], what differs between brokers, and [Check], which lists what one would misread.
//
// To attach and settle as JMS does, use [Consumer.Open], [Send] and [Outcome], or [Link] for frames
// of your own. [Workers] handles messages in parallel, each group in order. In a broker, [Selector]
// decides which messages a consumer wants, and [Groups] which of a queue it may have.
//
// # Mapping
//
//	JMSMessageID          properties.message-id, by the prefixes of AMQPBINDMAP-15
//	JMSCorrelationID      properties.correlation-id, likewise
//	JMSDestination        properties.to, its kind in x-opt-jms-dest
//	JMSReplyTo            properties.reply-to, its kind in x-opt-jms-reply-to
//	JMSDeliveryMode       header.durable, always written (QPIDJMS-608)
//	JMSPriority           header.priority, 0 to 9, default 4
//	JMSExpiration         properties.absolute-expiry-time, and header.ttl where it fits
//	JMSRedelivered        header.delivery-count above 0
//	JMSXDeliveryCount     header.delivery-count plus one, at most 2^31-1
//	JMSDeliveryTime       x-opt-delivery-time, or the peer's own form (AMQ-8320)
//	JMSTimestamp          properties.creation-time
//	JMSType               properties.subject
//	JMSXUserID            properties.user-id
//	JMSXGroupID           properties.group-id
//	JMSXGroupSeq          properties.group-sequence, negative values in its upper half
//	kind of message       x-opt-jms-msg-type, else the body and its content-type
//	properties            application-properties
//
// Comments cite the clause that a line follows: [amqp 3.2.1] is a section of AMQP 1.0 (part 1
// has the types, part 3 the messages), [jms 3.4.13] of Jakarta Messaging 3.1, [jms-mapping 3.2]
// of the OASIS draft "AMQP JMS Mapping"; names such as QPIDJMS-608 are issues of the Apache and
// OASIS trackers.
//
// # Deviations from other clients
//
// The package follows the specifications where Qpid JMS 2.10.0, the client of most JMS
// applications, or Broker-J does not. A user notices that it always writes durable; refuses a
// negative time to live, a negative delay and a time to live shorter than the delay; refuses a second
// spelling of an id ("ID:AMQP_ULONG:007"); joins several data sections, where Qpid JMS keeps the
// last; fails one field, not the message, for one wrong value; reads AMQP types and property names that
// Qpid JMS hides; sends an amqp-value null for a plain Message, which has no body there; and keeps
// expired messages. testdata/deviations.md lists all differences, each with recorded cases.
//
// # Results and errors
//
// A result that may be absent is an [Opt], or of a type whose zero value means none, such as [ID]
// and [Destination]. A result that may be malformed on the wire comes with an error, which concerns
// that field alone; only a [RawValue], which any type may be in, reports with a bool whether it
// holds the type that is asked for. Times and spans on the wire are int64 milliseconds, times since
// 1970-01-01 UTC, and 0 means none; those that a caller sets are a time.Time and a time.Duration.
//
// Malformed bytes are a [*WireError], and a value that JMS or AMQP does not allow is a
// [*ValueError]; calls into go-amqp return its errors too. On error the result is the zero value,
// an append returns dst as it was, and nothing has changed.
//
// # Memory and concurrency
//
// Returned bytes alias the input only where the method says so, and are clipped. Values may be used
// by several goroutines at once; a [RawMessage] while nobody parses into it, a [View] while nobody
// changes its message, a [Groups] by one goroutine at a time.
package amqpjms

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A WireError reports malformed AMQP, or a malformed selector: what was read, where, and why.
type WireError struct {
	In     string // what was read: "header", "message", "message-id", "body", …
	Offset int    // in the bytes that were passed, for methods of RawMessage to Parse
	Err    error  // io.ErrUnexpectedEOF where bytes are missing
}

func (e *WireError) Error() string {
	return "amqpjms: " + e.In + " at byte " + strconv.Itoa(e.Offset) + ": " + e.Err.Error()
}

func (e *WireError) Unwrap() error { return e.Err }

// A ValueError reports a value that JMS or AMQP does not allow where it stands.
type ValueError struct {
	What  string // what it is a value of: "id", "time to live", …
	Value string // as printed; a string is quoted, and cut at 64 bytes
	Err   error  // why, and what to do
}

func (e *ValueError) Error() string {
	return "amqpjms: " + e.What + " " + e.Value + ": " + e.Err.Error()
}

func (e *ValueError) Unwrap() error { return e.Err }

// quote quotes s for an error, at most 64 bytes of it.
func quote[T string | []byte](s T) string {
	const most = 64
	if len(s) <= most {
		return strconv.Quote(string(s))
	}
	return strconv.Quote(string(s[:most])) + "… (" + strconv.Itoa(len(s)) + " bytes)"
}

var (
	errNotUTF8 = errors.New("not valid UTF-8")
	errTooLong = errors.New("longer than AMQP can carry")
)

// checkText returns an error if text is not a valid string [amqp 1.6.20].
func checkText(what, text string) error {
	if uint64(len(text)) > math.MaxUint32 {
		return &ValueError{What: what, Value: quote(text), Err: errTooLong}
	}
	if !utf8.ValidString(text) {
		return &ValueError{What: what, Value: quote(text), Err: errNotUTF8}
	}
	return nil
}

// An Opt is an optional value; unset, as the zero Opt is, differs from every value,
// including T's zero.
type Opt[T comparable] struct {
	v  T
	ok bool
}

// Some returns an Opt that is set to v.
func Some[T comparable](v T) Opt[T] { return Opt[T]{v, true} }

// Get returns the value and whether it is set.
func (o Opt[T]) Get() (T, bool) { return o.v, o.ok }

// Or returns the value, or d if it is unset.
func (o Opt[T]) Or(d T) T {
	if o.ok {
		return o.v
	}
	return d
}

// String returns the value as fmt prints it, or "unset".
func (o Opt[T]) String() string {
	if o.ok {
		return fmt.Sprint(o.v)
	}
	return "unset"
}

// A DeliveryMode is JMSDeliveryMode, in JMS's own numbers [jms 3.4.2]. ModeUnset is the
// mode of a message whose header does not say whether it is durable.
type DeliveryMode uint8

const (
	ModeUnset     DeliveryMode = 0 // no durable field
	NonPersistent DeliveryMode = 1 // durable false
	Persistent    DeliveryMode = 2 // durable true
)

// String returns JMS's name of the mode, or "unset".
func (m DeliveryMode) String() string {
	switch m {
	case ModeUnset:
		return "unset"
	case NonPersistent:
		return "NON_PERSISTENT"
	case Persistent:
		return "PERSISTENT"
	}
	return "DeliveryMode(" + strconv.Itoa(int(m)) + ")"
}

// or returns m, or if it is unset the node's default, or if that is unset too AMQP's
// own, NonPersistent.
func (m DeliveryMode) or(nodeDefault DeliveryMode) DeliveryMode {
	if m == ModeUnset {
		m = nodeDefault
	}
	if m == Persistent {
		return Persistent
	}
	return NonPersistent // [amqp 3.2.1] durable: default false
}

// DefaultPriority is the priority of a message without one [amqp 3.2.1] [jms 3.4.10].
const DefaultPriority = 4

// A Header is the header section of a message as it stands on the wire: a field that
// is left out or null is unset, which differs from its default. The zero Header is that
// of a message without a header section [amqp 3.2.1]. Headers can be compared with == and
// used by several goroutines at once.
type Header struct {
	Mode          DeliveryMode // durable
	Priority      Opt[uint8]   // as on the wire; JMS's 0 to 9 is [Header.JMSPriority]
	TTL           Opt[uint32]  // ttl in milliseconds
	FirstAcquirer Opt[bool]
	DeliveryCount Opt[uint32] // deliveries that failed before this one
}

// headerFields is how many fields the section has [amqp 3.2.1].
const headerFields = 5

// AppendTo appends the header section of a new message. It always writes durable, as
// true for ModeUnset, JMS's default at send (QPIDJMS-608), and the other fields if they
// are set, in their smallest encoding. To rewrite a received header call
// [Header.Explicit] first, which does not turn it durable. It allocates only to grow b,
// by at most 20 bytes.
func (h Header) AppendTo(b []byte) []byte {
	n := 1 // fields up to the last that is set
	switch {
	case h.DeliveryCount.ok:
		n = 5
	case h.FirstAcquirer.ok:
		n = 4
	case h.TTL.ok:
		n = 3
	case h.Priority.ok:
		n = 2
	}
	b = wire.AppendDescriptor(b, uint64(SectionHeader))
	start := len(b)
	b = wire.BeginList8(b)
	b = wire.AppendBoolean(b, h.durable())
	if n > 1 {
		if h.Priority.ok {
			b = wire.AppendUbyte(b, h.Priority.v)
		} else {
			b = wire.AppendNull(b)
		}
	}
	if n > 2 {
		if h.TTL.ok {
			b = wire.AppendUint(b, h.TTL.v)
		} else {
			b = wire.AppendNull(b)
		}
	}
	if n > 3 {
		if h.FirstAcquirer.ok {
			b = wire.AppendBoolean(b, h.FirstAcquirer.v)
		} else {
			b = wire.AppendNull(b)
		}
	}
	if n > 4 {
		b = wire.AppendUint(b, h.DeliveryCount.v)
	}
	wire.EndList8(b, start, n)
	return b
}

// durable returns the durable field of a new message.
func (h Header) durable() bool { return h.Mode.or(Persistent) == Persistent }

// Explicit returns the header with its mode set, for rewriting a message: ModeUnset
// becomes the node's default, or NonPersistent if that is ModeUnset too, so that
// rewriting never turns a message durable.
func (h Header) Explicit(nodeDefault DeliveryMode) Header {
	h.Mode = h.Mode.or(nodeDefault)
	return h
}

// CountDelivery returns the header after one more failed delivery: the delivery-count
// goes up by one, to at most 2^32-1, and the mode is set as [Header.Explicit] does.
func (h Header) CountDelivery(nodeDefault DeliveryMode) Header {
	if n := h.DeliveryCount.Or(0); n < math.MaxUint32 {
		h.DeliveryCount = Some(n + 1)
	}
	return h.Explicit(nodeDefault)
}

// LowerTTL returns the header after a node has kept the message for some time, with the
// mode set as [Header.Explicit] does, and reports whether the message has expired. It
// counts whole milliseconds, and a negative time as 0.
//
// A header without a ttl, or with a ttl of 0, which JMS peers send to mean none, never
// expires. The ttl of an expired message is 1, not 0, so that it does not live forever if
// it is sent on.
func (h Header) LowerTTL(kept time.Duration, nodeDefault DeliveryMode) (_ Header, expired bool) {
	if ttl := h.TTL.Or(0); ttl > 0 {
		left := int64(ttl) - max(0, kept.Milliseconds())
		expired = left <= 0
		h.TTL = Some(uint32(max(1, left)))
	}
	return h.Explicit(nodeDefault), expired
}

// JMSDeliveryMode returns the mode as JMS sees it: the header's, else the node's default,
// else NonPersistent [amqp 3.2.1].
func (h Header) JMSDeliveryMode(nodeDefault DeliveryMode) DeliveryMode { return h.Mode.or(nodeDefault) }

// JMSPriority returns the priority as JMS sees it, 0 to 9: 4 if it is unset, 9 if it is
// higher [jms 3.4.10].
func (h Header) JMSPriority() int { return min(int(h.Priority.Or(DefaultPriority)), 9) }

// JMSRedelivered reports whether the message was delivered before [jms 3.4.7].
func (h Header) JMSRedelivered() bool { return h.DeliveryCount.Or(0) > 0 }

// JMSXDeliveryCount returns how often the message was delivered, including this time, at
// most 2^31-1 [jms 3.5.11].
func (h Header) JMSXDeliveryCount() int32 {
	return int32(min(h.DeliveryCount.Or(0), math.MaxInt32-1) + 1)
}

// HeaderFrom returns the header that go-amqp decoded, the zero Header for nil.
//
// go-amqp does not show which fields were unset. Durable false becomes NonPersistent;
// to apply a node's default read the bytes ([RawMessage]). Priority is taken as set, so
// that 0, as in &amqp.MessageHeader{}, is JMS's lowest. TTL, FirstAcquirer and
// DeliveryCount are unset if zero. TTL is rounded up to milliseconds, and left out above
// 2^32-1 ms, the most that a header carries: go-amqp would cut it. A negative TTL is an
// error, a *[ValueError].
func HeaderFrom(mh *amqp.MessageHeader) (Header, error) {
	if mh == nil {
		return Header{}, nil
	}
	ttl, err := wholeMilliseconds("time to live", mh.TTL)
	if err != nil {
		return Header{}, err
	}
	h := Header{
		Mode:          modeFrom(mh),
		Priority:      priorityFrom(mh),
		TTL:           headerTTL(ttl),
		DeliveryCount: deliveryCountFrom(mh),
	}
	if mh.FirstAcquirer {
		h.FirstAcquirer = Some(true)
	}
	return h, nil
}

// modeFrom and the two functions below return a field of HeaderFrom each, for a [View],
// in which an error of one field does not affect another.
func modeFrom(mh *amqp.MessageHeader) DeliveryMode {
	switch {
	case mh == nil:
		return ModeUnset
	case mh.Durable:
		return Persistent
	}
	return NonPersistent
}

func priorityFrom(mh *amqp.MessageHeader) Opt[uint8] {
	if mh == nil {
		return Opt[uint8]{}
	}
	return Some(mh.Priority)
}

func deliveryCountFrom(mh *amqp.MessageHeader) Opt[uint32] {
	if mh == nil || mh.DeliveryCount == 0 {
		return Opt[uint32]{}
	}
	return Some(mh.DeliveryCount)
}

// MessageHeader returns the header for go-amqp to send, never nil, so that durable is
// always on the wire, as [Header.AppendTo] writes it. Fields that are unset have AMQP's
// default, such as priority 4. go-amqp leaves out a ttl, a first-acquirer and a
// delivery-count that equal their default.
func (h Header) MessageHeader() *amqp.MessageHeader {
	return &amqp.MessageHeader{
		Durable:       h.durable(),
		Priority:      h.Priority.Or(DefaultPriority),
		TTL:           time.Duration(h.TTL.Or(0)) * time.Millisecond,
		FirstAcquirer: h.FirstAcquirer.Or(false),
		DeliveryCount: h.DeliveryCount.Or(0),
	}
}

// wholeMilliseconds returns d rounded up to milliseconds, so that a positive time never
// becomes 0. A negative d is an error.
func wholeMilliseconds(what string, d time.Duration) (int64, error) {
	if d < 0 {
		return 0, &ValueError{What: what, Value: d.String(), Err: errors.New("negative")}
	}
	ms := d.Milliseconds()
	if d%time.Millisecond != 0 {
		ms++
	}
	return ms, nil
}

// headerTTL returns the ttl field for a time to live: unset for 0, which means never, and
// for one that does not fit.
func headerTTL(ms int64) Opt[uint32] {
	if ms < 1 || ms > math.MaxUint32 {
		return Opt[uint32]{}
	}
	return Some(uint32(ms))
}

// wireError returns the error of bytes that start at offset base.
func wireError(in string, base int, err *wire.Error) error {
	return &WireError{In: in, Offset: base + err.Offset, Err: err.Err}
}

// checkSymbol returns an error if text is not a valid symbol [amqp 1.6.21].
func checkSymbol(what, text string) error {
	if uint64(len(text)) > math.MaxUint32 {
		return &ValueError{What: what, Value: quote(text), Err: errTooLong}
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return &ValueError{What: what, Value: quote(text), Err: errors.New("not ASCII")}
		}
	}
	return nil
}

var errOverflow = errors.New("overflows int64 milliseconds")
