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
	"iter"
	"math"
	"slices"
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

// ParseHeader reads an encoded header section, descriptor included, and nothing
// after it: bytes left over, like no bytes at all, are an error, a *[WireError].
// It allocates nothing and keeps nothing of section.
func ParseHeader(section []byte) (h Header, err error) {
	r := wire.NewReader(section)
	kind := readSection(&r)
	if kind != SectionHeader {
		r.Fail(0, fmt.Errorf("%v section where header belongs", kind))
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
		r.Fail(start, fmt.Errorf("%s is no section of a message", quote(string(symbol))))
		return 0
	case uint64(SectionHeader) <= code && code <= uint64(SectionFooter):
		return SectionKind(code)
	}
	r.Fail(start, fmt.Errorf("descriptor 0x%02x is no section of a message", code))
	return 0
}

// wireError returns err, which was met in bytes that start at offset base.
func wireError(in string, base int, err *wire.Error) error {
	return &WireError{In: in, Offset: base + err.Offset, Err: err.Err}
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

// find returns the value of a section's map for a key. Where it is strict, a key that is
// none is an error.
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
					r.Fail(value, fmt.Errorf("%v where %v belongs in %v section", t, want, kind))
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
// RawValue, nil, is no value. Int, Timestamp, Bool, Bytes and Text are false for a value of
// another type, for one that is cut off or wrong (a string that is not UTF-8, say), and
// where something follows it.
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
	return whole(&r, r.Timestamp(), true)
}

// Bool returns the value if it is a boolean.
func (v RawValue) Bool() (value, ok bool) {
	r := wire.NewReader(v)
	return whole(&r, r.Boolean(), true)
}

// Bytes returns the value if it is a binary. The bytes alias v and are clipped.
func (v RawValue) Bytes() ([]byte, bool) {
	r := wire.NewReader(v)
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
	if r.Done(); !ok || r.Err() != nil {
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
