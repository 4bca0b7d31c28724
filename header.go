// Package amqpjms maps JMS messages to AMQP 1.0 and back.
//
// It serves programs that hold messages of go-amqp, programs that hold a message type
// of their own, and programs that hold encoded bytes. The rules are functions of values
// and bytes; what names [amqp.Message] only carries values to them.
//
//   - [Header] is the header section; it tells what was stated from what was not, and
//     always writes whether the message is durable.
//   - [ID] is a message-id or correlation-id, and the string that JMS makes of it.
//   - [RawMessage] is an encoded message cut into its sections, and [AppendExplicit]
//     makes its durable field explicit, without a look at the body.
//   - [Producer] gives a message what a JMS provider gives it at send, [Editor] what an
//     application gives it, and [Consumer] reads one as a JMS consumer does. [Forwarder]
//     passes one on. [Peer] holds what differs between brokers, and [Check] lists what
//     one of them would misread.
//   - [Body] is the body of a message as JMS reads it and writes it, and [Value] a
//     property or an entry of a map with JMS's conversions, for any type of message.
//   - [Groups] says which consumer of a queue may have which message, so that the messages
//     of a group stay in order.
//
// # Mapping
//
//	JMSMessageID          properties.message-id, by the prefixes of AMQPBINDMAP-15
//	JMSCorrelationID      properties.correlation-id, likewise
//	JMSDestination        properties.to, and its kind in x-opt-jms-dest
//	JMSReplyTo            properties.reply-to, and its kind in x-opt-jms-reply-to
//	JMSDeliveryMode       header.durable, always written (QPIDJMS-608)
//	JMSPriority           header.priority, 0 to 9, default 4
//	JMSExpiration         properties.absolute-expiry-time, and header.ttl where it fits
//	JMSRedelivered        header.delivery-count above 0
//	JMSXDeliveryCount     header.delivery-count and one, at most 2^31-1
//	JMSDeliveryTime       x-opt-delivery-time, or the form of the peer (AMQ-8320)
//	JMSTimestamp          properties.creation-time
//	JMSType               properties.subject
//	JMSXUserID            properties.user-id
//	JMSXGroupID           properties.group-id
//	JMSXGroupSeq          properties.group-sequence, negative values in its upper half
//	kind of message       x-opt-jms-msg-type, else the body and its content-type
//	properties            application-properties
//
// Comments cite the clause that a line follows: [amqp 3.2.1] is section 3.2.1 of AMQP
// 1.0, where part 1 has the types and part 3 the messages; [jms 3.4.13] is that of
// Jakarta Messaging 3.1; [jms-mapping 3.2] that of the OASIS draft "AMQP JMS Mapping"; names
// such as QPIDJMS-608 are issues of the Apache and OASIS trackers.
//
// # Deviations
//
// The rules are those of AMQP 1.0, of Jakarta Messaging and of AMQPBINDMAP-15. Where
// the JMS client that most peers run, Qpid JMS 2.10.0, does something else, this
// package follows the rules:
//
//   - header-left-out: Qpid JMS sends no header at all for a NON_PERSISTENT message of
//     default priority that never expires, which brokers read as durable or not, each
//     as it likes; a header of this package always states durable (QPIDJMS-608).
//   - ttl-max-left-out: Qpid JMS leaves out a ttl of 2^32-1 ms; here it is sent, for it
//     is a uint like any other [amqp 3.2.1].
//   - negative-time-to-live: Qpid JMS sends a message with a negative time to live as
//     one that never expires; here it is an error [jms 3.4.9].
//   - expiration-overflows: in Qpid JMS a very long time to live makes an expiration that
//     overflows, and so has passed already; here a sum past 2^63-1 is an error
//     [jms 3.4.9].
//   - negative-delay: Qpid JMS sends a message with a negative delivery delay at once;
//     here it is an error [jms 7.9].
//   - expires-before-delivery: Qpid JMS sends a message whose time to live is shorter
//     than its delivery delay, so that it expires before it may be delivered; here it is
//     an error [jms 3.4.9] [jms 3.4.13].
//   - loose-delivery-time: Qpid JMS makes a delivery time of any number, whatever it
//     loses; here a float, a double, a decimal and a ulong from 2^63 on are errors
//     (AMQ-8320).
//   - first-acquirer-sent-on: Qpid JMS sends a received message on with its
//     first-acquirer; here it is left out, for it tells of the delivery that is over
//     [amqp 3.2.1].
//   - delivery-count-sent: Qpid JMS sends the JMSXDeliveryCount that an application set,
//     less one, as delivery-count; here it is left out, for only a delivery that failed
//     counts [jms 3.5.11] [amqp 3.2.1].
//   - delivery-count-wraps: in Qpid JMS the JMSXDeliveryCount is negative from 2^31-1
//     failed deliveries on, and from 2^31 on the message is not redelivered; here it
//     stays at 2^31-1, and the message is redelivered [jms 3.4.7] [jms 3.5.11].
//   - section-order: Qpid JMS takes a message whose header follows its properties; here
//     that is an error [amqp 3.2].
//   - loose-ulong: after ID:AMQP_ULONG: Qpid JMS takes a sign, leading zeros and digits
//     that are not ASCII; here they are errors, for with two spellings of one id,
//     correlation fails without an error (AMQPBINDMAP-15).
//   - loose-uuid: after ID:AMQP_UUID: Qpid JMS takes short groups of digits and dashes
//     elsewhere; here they are errors, for the same reason (AMQPBINDMAP-15).
//   - one-wrong-part: of a message that has one wrong property, annotation or
//     application property, or a wrong body, an application of Qpid JMS sees nothing;
//     here only what is wrong cannot be read [amqp 3.2].
//   - local-expiry: Qpid JMS by default keeps an expired message from the application;
//     here nothing is dropped, and the application is told when it expires [jms 3.4.9].
//   - plain-without-body: Qpid JMS sends a plain Message without a body section, which
//     ends the session at RabbitMQ 4; here it has an amqp-value null [amqp 3.2].
//   - several-sections: of several data or amqp-sequence sections Qpid JMS reads, and
//     passes on, only the last; here they are one body [amqp 3.2].
//   - mixed-body: Qpid JMS takes the last of body sections of different sorts; here that
//     is an error of the body [amqp 3.2].
//   - map-keys: Qpid JMS makes a string of each key of a MapMessage, whose value it then
//     has not; here a key that is no string is an error of the body [jms 3.11.3].
//   - stream-amqp-types: of a StreamMessage Qpid JMS cannot read the types that JMS has
//     no word for; here they are the values that they are.
//   - property-amqp-types: the same in properties, of which Qpid JMS reads the raw value
//     only; here an unsigned integer widens, a timestamp reads as long, and all but
//     bytes as string [jms 3.5.4].
//   - char-truncated: Qpid JMS keeps 16 bits of a char above U+FFFF; here it is the whole
//     char, and reads as string like any [amqp 1.6.16].
//   - serialized-object: Qpid JMS deserializes Java objects; here the data of an
//     ObjectMessage is handed over as bytes, whatever its content-type.
//   - described-object: Qpid JMS cannot hand over an ObjectMessage of a described value;
//     here it is what go-amqp decodes.
//   - typed-values: Qpid JMS sends some values only in maps and lists; here any value of
//     AMQP can be the body of an ObjectMessage.
//   - typed-bytes: Qpid JMS sends the bytes of a typed ObjectMessage as an array of
//     byte; here they are a binary [amqp 1.6.19].
//   - unknown-charset: Qpid JMS shows text in a charset that it does not know as bytes;
//     here it is a TextMessage, and an error of the body.
//   - content-type-property: JMS_AMQP_CONTENT_TYPE and JMS_AMQP_CONTENT_ENCODING are
//     properties like any other in Qpid JMS; here they are the content-type and the
//     content-encoding [jms-mapping 3.2].
//   - content-type-added: Qpid JMS adds a content-type to bytes that it sends on; here
//     nothing is added to a message that was received [amqp 3.2.4].
//   - kind-types: Qpid JMS ignores the kind of a destination that is no byte; here it
//     may be any integer from 0 to 3 [jms-mapping 3.2].
//   - kind-by-prefix: Qpid JMS takes a reply-to without a kind for what its consumer
//     receives from; here the prefix of the address decides, if there is one.
//   - kind-added: Qpid JMS adds that guess to a message that it sends on; here nothing
//     is added.
//   - hidden-names: Qpid JMS hides properties whose names are no Java identifiers; here
//     any name can be read [amqp 3.2.5].
//   - names-that-exist: Qpid JMS lists names of application properties that it then
//     shows a field for, even if the message has no such field; here the list has what
//     exists [jms 3.5.6].
//   - reserved-names: Qpid JMS lets an application set properties with names that JMS
//     keeps for itself, some of which are header fields; here that is an error
//     [jms 3.5.1].
//   - null-removes: in Qpid JMS a property that is a field cannot be null; here a null
//     string removes the field.
//   - no-conversion-on-set: Qpid JMS makes a string of a JMSXGroupID, and a number of a
//     JMSXGroupSeq or a JMS_AMQP_TTL, that is none; here that is an error [jms 3.5.9].
//   - group-seq-0: Qpid JMS cannot send a JMSXGroupSeq of 0, nor see that there is one;
//     here 0 is not none [amqp 3.2.4].
//   - empty-reply-to-group: in Qpid JMS an empty JMS_AMQP_REPLY_TO_GROUP_ID does not
//     exist; here it does [amqp 3.2.4].
//   - user-id-not-utf8: Qpid JMS puts replacement characters into a JMSXUserID that is
//     not UTF-8; here it is an error of that property.
//
// Message groups follow QPID-3720 and QPID-3346, and where these say nothing the rules of
// [Groups]. Broker-J 9.2.1 does something else:
//
//   - group-buckets: Broker-J assigns buckets of hash codes, 256 if its queue does not
//     say otherwise, so that groups that have nothing in common share an owner and wait for
//     it; here each group is assigned by itself (QPID-3720).
//   - group-equality: where groups are shared Broker-J compares their values as Java
//     does, so that a number in two widths, and 0.0 and -0.0, are two groups whose messages
//     overtake each other; here they are one group (QPID-3346).
//   - group-overtaken: in Broker-J a message that a consumer refuses, by its selector or as
//     undeliverable there, is overtaken by later ones of its group, and an owner keeps a
//     group that it can take nothing of; here the consumer gets nothing of the group
//     before that message, and an owner that holds nothing of it loses it (QPID-3720).
//   - group-removal: where groups are shared a message that expires, is evicted or is purged
//     while a consumer holds it frees its group in Broker-J; here the consumer keeps the
//     group until it is done with the message (QPID-3346).
//   - group-detach: where groups are assigned a link that is detached without being closed
//     loses its groups in Broker-J, but keeps its messages; here it keeps both, for it may
//     be resumed [amqp 2.6.4].
//   - group-pending: when a consumer goes away that accepted a message in a transaction that is
//     still open, Broker-J frees the group, where groups are assigned, and gives the
//     message itself to another if it was accepted without being settled; here nothing
//     of the group goes to anyone before the transaction ends (QPID-3720).
//   - group-rollback: in Broker-J a message that was accepted in a transaction without being
//     settled stays with its consumer when that is rolled back; here it goes back to its
//     place, as one does that was settled.
//   - group-header: in Broker-J every group header names an application property; here
//     group-id and JMSXGroupID name the property that JMSXGroupID is [jms 3.5.9].
//
// AMQPBINDMAP-15 contradicts itself in one example, in which "AMQP ULONG:foo" comes out
// as "AMQP_ULONG:foo". By its rules, which this package follows, a string that does not
// start with "ID:" is never changed.
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

// A WireError is the error of bytes that are not the AMQP that they should be.
type WireError struct {
	In     string // what was read, for people: "header", "message", "message-id", "body", …
	Offset int    // where in the bytes that were given: for methods of RawMessage, to Parse
	Err    error  // why; io.ErrUnexpectedEOF where bytes are missing
}

func (e *WireError) Error() string {
	return "amqpjms: " + e.In + " at byte " + strconv.Itoa(e.Offset) + ": " + e.Err.Error()
}

func (e *WireError) Unwrap() error { return e.Err }

// A ValueError is the error of a value that JMS or AMQP does not allow where it
// stands.
type ValueError struct {
	What  string // what the value was to be: "id", "time to live", …
	Value string // the value as text: a string in quotes and cut at 64 bytes, others as they print
	Err   error  // why
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

// checkText is an error if text cannot be a string [amqp 1.6.20].
func checkText(what, text string) error {
	if !utf8.ValidString(text) {
		return &ValueError{What: what, Value: quote(text), Err: errNotUTF8}
	}
	return nil
}

// An Opt is a value that may not be stated, which is not the same as its
// default. The zero Opt states nothing.
type Opt[T comparable] struct {
	v  T
	ok bool
}

// Some returns an Opt that states v.
func Some[T comparable](v T) Opt[T] { return Opt[T]{v, true} }

// Get returns the value and whether it is stated.
func (o Opt[T]) Get() (T, bool) { return o.v, o.ok }

// Or returns the value, or d where none is stated.
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

// A DeliveryMode is JMSDeliveryMode, in JMS's own numbers [jms 3.4.2]. They leave 0
// for a message whose header does not say whether it is durable.
type DeliveryMode uint8

const (
	ModeUnset     DeliveryMode = 0 // the sender did not say
	NonPersistent DeliveryMode = 1 // durable false
	Persistent    DeliveryMode = 2 // durable true
)

// String returns JMS's name of the mode, "unset", or the number of what is no mode.
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

// or returns m, or where it is unset the node's default, which is AMQP's own
// where that is unset too. Nothing but Persistent ever becomes durable.
func (m DeliveryMode) or(nodeDefault DeliveryMode) DeliveryMode {
	if m == ModeUnset {
		m = nodeDefault
	}
	if m == Persistent {
		return Persistent
	}
	return NonPersistent // [amqp 3.2.1] durable: default false
}

// DefaultPriority is the priority of a message that states none [amqp 3.2.1] [jms 3.4.10].
const DefaultPriority = 4

// A Header is the header section of a message, as stated: a field that was left
// out or null is not its default. The zero Header says what a message without a
// header says [amqp 3.2.1]. Headers can be compared with == and used by several
// goroutines at once.
type Header struct {
	Mode          DeliveryMode // durable
	Priority      Opt[uint8]   // as on the wire; JMS's 0 to 9 is [Header.JMSPriority]
	TTL           Opt[uint32]  // ttl in milliseconds
	FirstAcquirer Opt[bool]
	DeliveryCount Opt[uint32] // deliveries that failed before this one
}

// headerFields is how many fields the section has [amqp 3.2.1].
const headerFields = 5

// AppendTo appends the header section of a new message: durable always written
// as true or false, ModeUnset as true, which is JMS's default at send (QPIDJMS-608);
// the other fields where they are stated, in their smallest encoding. To rewrite
// a received header, which must not become durable by that, use [Header.Explicit]
// first. It allocates nothing but what b must grow by, 20 bytes at most.
func (h Header) AppendTo(b []byte) []byte {
	n := 1 // fields up to the last that is stated
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

// durable says how a new message's header writes durable.
func (h Header) durable() bool { return h.Mode.or(Persistent) == Persistent }

// Explicit returns the header with its mode stated, for rewriting a message:
// ModeUnset becomes the node's default, NonPersistent where that is ModeUnset too,
// for a rewrite never makes a message durable that nobody said was.
func (h Header) Explicit(nodeDefault DeliveryMode) Header {
	h.Mode = h.Mode.or(nodeDefault)
	return h
}

// CountDelivery returns the header that a node gives a message of which one more
// delivery has failed, durable made explicit as by [Header.Explicit].
// The count stays at 2^32-1 once it is there.
func (h Header) CountDelivery(nodeDefault DeliveryMode) Header {
	if n := h.DeliveryCount.Or(0); n < math.MaxUint32 {
		h.DeliveryCount = Some(n + 1)
	}
	return h.Explicit(nodeDefault)
}

// LowerTTL returns the header that a node gives a message after it has kept it
// for some time, durable made explicit as by [Header.Explicit], and whether the
// message has expired meanwhile. Only whole milliseconds count, and a negative
// time is none.
//
// A header without ttl, or with a ttl of 0, which JMS peers mean as none, never
// expires. The ttl of an expired message is 1, not 0, so that it does not live on
// for ever at a caller who sends it all the same.
func (h Header) LowerTTL(kept time.Duration, nodeDefault DeliveryMode) (_ Header, expired bool) {
	if ttl := h.TTL.Or(0); ttl > 0 {
		left := int64(ttl) - max(0, kept.Milliseconds())
		expired = left <= 0
		h.TTL = Some(uint32(max(1, left)))
	}
	return h.Explicit(nodeDefault), expired
}

// JMSDeliveryMode returns the mode as JMS sees it: what the header states, else the
// node's default, else NonPersistent [amqp 3.2.1].
func (h Header) JMSDeliveryMode(nodeDefault DeliveryMode) DeliveryMode { return h.Mode.or(nodeDefault) }

// JMSPriority returns the priority as JMS sees it, 0 to 9: 4 if none is stated,
// 9 for all that is higher [jms 3.4.10].
func (h Header) JMSPriority() int { return min(int(h.Priority.Or(DefaultPriority)), 9) }

// JMSRedelivered reports whether the message was delivered before [jms 3.4.7].
func (h Header) JMSRedelivered() bool { return h.DeliveryCount.Or(0) > 0 }

// JMSXDeliveryCount returns how often the message was delivered, this time
// included, at most 2^31-1 [jms 3.5.11].
func (h Header) JMSXDeliveryCount() int32 {
	return int32(min(h.DeliveryCount.Or(0), math.MaxInt32-1) + 1)
}

// HeaderFrom returns what go-amqp's header says, the zero Header for nil.
//
// go-amqp hides some of what was on the wire. Durable false may mean that nothing
// was stated; it becomes NonPersistent, which never makes a message durable by
// mistake, but takes no node's default: where that matters, read the raw bytes
// ([RawMessage]). Its Priority is taken as stated, 0 too: in a header made with
// &amqp.MessageHeader{} that is no default but JMS's lowest. TTL, FirstAcquirer
// and DeliveryCount of zero are taken as not stated.
//
// A TTL is rounded up to whole milliseconds, and left out where it is more than
// a header can carry, 2^32-1 ms; a negative one is an error, a *[ValueError].
// go-amqp itself would send such values as others.
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

// modeFrom and the two below return a field of HeaderFrom each, for a [View], in which no
// field fails for another.
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

// MessageHeader returns the header for go-amqp to send, never nil, so that
// durable is always on the wire, by the rule of [Header.AppendTo]. What is not
// stated gets AMQP's default, priority 4 above all. go-amqp cannot send a ttl, a
// first-acquirer or a delivery-count that states its default: it leaves them out.
func (h Header) MessageHeader() *amqp.MessageHeader {
	return &amqp.MessageHeader{
		Durable:       h.durable(),
		Priority:      h.Priority.Or(DefaultPriority),
		TTL:           time.Duration(h.TTL.Or(0)) * time.Millisecond,
		FirstAcquirer: h.FirstAcquirer.Or(false),
		DeliveryCount: h.DeliveryCount.Or(0),
	}
}

// wholeMilliseconds returns d rounded up to milliseconds, so that no positive
// time becomes none. A negative d is an error.
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

// headerTTL returns the ttl field for a time to live: none for 0, which is no
// limit, and none for what does not fit.
func headerTTL(ms int64) Opt[uint32] {
	if ms < 1 || ms > math.MaxUint32 {
		return Opt[uint32]{}
	}
	return Some(uint32(ms))
}

// wireError returns err, which was met in bytes that start at offset base.
func wireError(in string, base int, err *wire.Error) error {
	return &WireError{In: in, Offset: base + err.Offset, Err: err.Err}
}
