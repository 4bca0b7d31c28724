package amqpjms

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/btree"
	"github.com/seed-b113d664/amqpjms/internal/feed"
	"github.com/seed-b113d664/amqpjms/internal/slab"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A GroupKey is the value that puts a message into a group: its group-id, which JMS calls
// JMSXGroupID, or an application property that the queue names, of any simple AMQP type
// (QPID-3346). The zero GroupKey means no group; the empty string is a group.
//
// GroupKeys are comparable: two are equal if they hold
//   - integers of the same value, whatever their widths and signs;
//   - floats of the same value, where 0.0 is -0.0, NaN is NaN, and float 1 is double 1;
//   - strings or symbols of the same text;
//   - the same value of one other type: "1" is not 1, a uuid is not its string.
type GroupKey struct {
	text string // a string or symbol, or the bytes of a binary, uuid or decimal
	bits uint64 // any other value
	kind groupKind
}

type groupKind uint8

const (
	groupNone groupKind = iota
	groupText
	groupBinary
	groupUUID
	groupDecimal // compared byte by byte
	groupInteger // 0 or greater
	groupNegative
	groupFloat
	groupBoolean
	groupChar
	groupTimestamp
)

var errNoGroup = errors.New("want string, symbol, number, boolean, timestamp, uuid, char or binary")

// GroupKeyFrom returns the key for v: a string, an [amqp.Symbol], a bool, an integer or float
// of any width, a [time.Time] (to the millisecond), an [amqp.UUID] or [uuid.UUID], or a []byte,
// which it copies. For nil, [amqp.Null] and a nil []byte it returns the zero GroupKey. Any
// other type, a string that is not valid UTF-8 and a symbol that is not ASCII are errors, of
// type *[ValueError].
func GroupKeyFrom(v any) (GroupKey, error) {
	switch v := v.(type) {
	case nil, amqp.Null:
		return GroupKey{}, nil
	case string:
		return textGroup(v)
	case amqp.Symbol:
		if err := checkSymbol("group", string(v)); err != nil {
			return GroupKey{}, err
		}
		return textGroup(string(v))
	case []byte:
		if v == nil {
			return GroupKey{}, nil
		}
		return GroupKey{kind: groupBinary, text: string(v)}, nil
	case bool:
		return booleanGroup(v), nil
	case int:
		return integerGroup(int64(v)), nil
	case int8:
		return integerGroup(int64(v)), nil
	case int16:
		return integerGroup(int64(v)), nil
	case int32:
		return integerGroup(int64(v)), nil
	case int64:
		return integerGroup(v), nil
	case uint:
		return unsignedGroup(uint64(v)), nil
	case uint8:
		return unsignedGroup(uint64(v)), nil
	case uint16:
		return unsignedGroup(uint64(v)), nil
	case uint32:
		return unsignedGroup(uint64(v)), nil
	case uint64:
		return unsignedGroup(v), nil
	case float32:
		return floatGroup(float64(v)), nil
	case float64:
		return floatGroup(v), nil
	case time.Time:
		return timestampGroup(v.UnixMilli()), nil
	case amqp.UUID:
		return uuidGroup(v), nil
	case uuid.UUID:
		return uuidGroup(v), nil
	}
	return GroupKey{}, &ValueError{What: "group", Value: fmt.Sprintf("of type %T", v), Err: errNoGroup}
}

// GroupKeyOf returns the key of m in a queue with this group header: see
// [GroupArguments].Header. It allocates only to copy a binary. Its errors are those of
// [GroupKeyFrom].
//
// It differs from [RawMessage.GroupKey] in one case: go-amqp decodes symbols as strings, so a
// symbol that is not ASCII, which is an error there, reads as its text here.
func GroupKeyOf(m *amqp.Message, header string) (GroupKey, error) {
	switch {
	case header == "": // grouping is off
		return GroupKey{}, nil
	case !isGroupID(header):
		return GroupKeyFrom(m.ApplicationProperties[header])
	case m.Properties == nil || m.Properties.GroupID == nil:
		return GroupKey{}, nil
	}
	return textGroup(*m.Properties.GroupID)
}

// GroupKey returns the key of the message in a queue with this group header, as [GroupKeyOf]
// does. It decodes nothing else, and copies a string or binary; [Groups.Key] saves the copy.
// The error is a *[WireError] if the sections up to the value are malformed, or the group-id
// is neither a string nor a symbol; it is a *[ValueError] if an application property is not a
// simple value.
func (m *RawMessage) GroupKey(header string) (GroupKey, error) {
	k, text, err := m.group(header)
	k.text = string(text)
	return k, err
}

// GroupKey returns the key for an encoded value: the zero GroupKey for null and for a nil
// RawValue. A value that is not simple, or malformed, is an error, a *[ValueError].
func (v RawValue) GroupKey() (GroupKey, error) {
	k, text, err := v.group()
	k.text = string(text)
	return k, err
}

// group returns the key without its text, which a caller that knows the group need not copy.
func (m *RawMessage) group(header string) (k GroupKey, text []byte, err error) {
	switch {
	case header == "": // grouping is off
		return GroupKey{}, nil, nil
	case !isGroupID(header):
		v, err := m.ApplicationProperty(header)
		if err != nil {
			return GroupKey{}, nil, err
		}
		return v.group()
	}
	text, ok, err := m.text(FieldGroupID)
	if !ok || err != nil {
		return GroupKey{}, nil, err
	}
	return GroupKey{kind: groupText}, text, nil
}

// group returns the key without its text.
func (v RawValue) group() (k GroupKey, text []byte, err error) {
	if len(v) == 0 || v.isNull() {
		return GroupKey{}, nil, nil
	}
	r := wire.NewReader(v)
	t := r.Next()
	switch t {
	case wire.String:
		k.kind, text = groupText, r.String()
	case wire.Symbol:
		k.kind, text = groupText, r.Symbol()
	case wire.Binary:
		k.kind, text = groupBinary, r.Binary()
	case wire.Boolean:
		k = booleanGroup(r.Boolean())
	case wire.Ubyte:
		k = unsignedGroup(uint64(r.Ubyte()))
	case wire.Ushort:
		k = unsignedGroup(uint64(r.Ushort()))
	case wire.Uint:
		k = unsignedGroup(uint64(r.Uint()))
	case wire.Ulong:
		k = unsignedGroup(r.Ulong())
	case wire.Byte:
		k = integerGroup(int64(r.Byte()))
	case wire.Short:
		k = integerGroup(int64(r.Short()))
	case wire.Int:
		k = integerGroup(int64(r.Int()))
	case wire.Long:
		k = integerGroup(r.Long())
	case wire.Float:
		k = floatGroup(float64(r.Float()))
	case wire.Double:
		k = floatGroup(r.Double())
	case wire.Char:
		k = GroupKey{kind: groupChar, bits: uint64(r.Char())}
	case wire.Timestamp:
		k = timestampGroup(r.Timestamp())
	case wire.UUID:
		k.kind, text = groupUUID, v[1:]
		r.Skip()
	case wire.Decimal32, wire.Decimal64, wire.Decimal128:
		k.kind, text = groupDecimal, r.Decimal()
	default:
		err = errNoGroup
	}
	r.Done()
	if e := r.Err(); e != nil && err == nil {
		err = e.Err
	}
	if err != nil {
		return GroupKey{}, nil, &ValueError{What: "group", Value: "of type " + t.String(), Err: err}
	}
	return k, text, nil
}

func textGroup(s string) (GroupKey, error) {
	if err := checkText("group", s); err != nil {
		return GroupKey{}, err
	}
	return GroupKey{kind: groupText, text: s}, nil
}

func booleanGroup(b bool) GroupKey {
	k := GroupKey{kind: groupBoolean}
	if b {
		k.bits = 1
	}
	return k
}

func integerGroup(n int64) GroupKey {
	if n < 0 {
		return GroupKey{kind: groupNegative, bits: uint64(n)}
	}
	return unsignedGroup(uint64(n))
}

func unsignedGroup(n uint64) GroupKey { return GroupKey{kind: groupInteger, bits: n} }

func floatGroup(f float64) GroupKey {
	if f == 0 {
		f = 0 // not -0.0
	}
	if f != f {
		f = math.NaN() // one of many
	}
	return GroupKey{kind: groupFloat, bits: math.Float64bits(f)}
}

func timestampGroup(ms int64) GroupKey { return GroupKey{kind: groupTimestamp, bits: uint64(ms)} }

func uuidGroup(u [16]byte) GroupKey { return GroupKey{kind: groupUUID, text: string(u[:])} }

// IsZero reports whether k means no group.
func (k GroupKey) IsZero() bool { return k.kind == groupNone }

// String returns the key for people to read: strings are quoted, integers and booleans stand
// as they are, other values follow the name of their type, and no group is "none". Different
// keys give different strings.
func (k GroupKey) String() string {
	switch k.kind {
	case groupText:
		return strconv.Quote(k.text)
	case groupBinary:
		return "binary " + hex.EncodeToString([]byte(k.text))
	case groupUUID:
		return "uuid " + uuid.UUID([]byte(k.text)).String()
	case groupDecimal:
		return "decimal" + strconv.Itoa(8*len(k.text)) + " " + hex.EncodeToString([]byte(k.text))
	case groupInteger:
		return strconv.FormatUint(k.bits, 10)
	case groupNegative:
		return strconv.FormatInt(int64(k.bits), 10)
	case groupTimestamp:
		return "timestamp " + strconv.FormatInt(int64(k.bits), 10)
	case groupFloat:
		return "float " + strconv.FormatFloat(math.Float64frombits(k.bits), 'g', -1, 64)
	case groupBoolean:
		return strconv.FormatBool(k.bits != 0)
	case groupChar:
		return "char " + strconv.FormatUint(k.bits, 10)
	}
	return "none"
}

// GroupIDHeader is the group header of a queue that groups by the group-id property.
const GroupIDHeader = "group-id"

// isGroupID reports whether a group header names the group-id property rather than an
// application property.
func isGroupID(header string) bool {
	const jms = "JMSXGroupID"
	if len(header) != len(jms) { // at this length only ASCII letters fold into these
		return header == GroupIDHeader
	}
	return strings.EqualFold(header, jms)
}

// DefaultGroup is the group of messages without one, in a queue with shared groups that
// names no other (QPID-3346).
const DefaultGroup = "qpid.no-group"

// GroupArguments hold what a queue's arguments say about groups: the header for [Groups.Key]
// and [GroupKeyOf], the constructor to call, and a field of [GroupOptions].
type GroupArguments struct {
	// Header names the application property that groups the messages; [GroupIDHeader] and
	// "JMSXGroupID" in any letter case stand for the group-id property. "" means that grouping
	// is off: no message has a key.
	Header string

	Shared       bool   // [NewShared], not [NewAssigned]
	DefaultGroup string // where groups are shared; "" stands for the constant [DefaultGroup]
}

var (
	errNotString = errors.New("not a string")
	errEmpty     = errors.New("empty")
)

// GroupArgumentsFrom reads the arguments that a queue is declared with, and reports whether
// grouping is on: whether "qpid.group_header_key", the header, is there and not null
// (QPID-3720). All names of the group-id property become [GroupIDHeader]. Groups are shared
// if "qpid.shared_msg_group" is 1 of any type, "1", true or "true".
// "qpid.default-message-group" is the default group. A header or default group that is empty
// or not a string is an error, a *[ValueError].
func GroupArgumentsFrom(args map[string]any) (a GroupArguments, on bool, err error) {
	if a.Header, on, err = textArgument(args, "qpid.group_header_key"); err != nil {
		return GroupArguments{}, false, err
	}
	if a.DefaultGroup, _, err = textArgument(args, "qpid.default-message-group"); err != nil {
		return GroupArguments{}, false, err
	}
	if !on {
		return GroupArguments{}, false, nil
	}
	if isGroupID(a.Header) {
		a.Header = GroupIDHeader
	}
	switch v := args["qpid.shared_msg_group"].(type) {
	case string:
		a.Shared = isOn(v)
	case amqp.Symbol:
		a.Shared = isOn(string(v))
	case bool:
		a.Shared = v
	default:
		one, _ := GroupKeyFrom(v) // with an error it is zero, not 1
		a.Shared = one == unsignedGroup(1) || one == floatGroup(1)
	}
	return a, true, nil
}

// isOn reports whether the text of an argument switches something on.
func isOn(text string) bool { return text == "1" || text == "true" }

// textArgument returns an argument that is a string and not empty, if it is there.
func textArgument(args map[string]any, name string) (text string, ok bool, err error) {
	v := args[name]
	if v == nil || isNull(v) {
		return "", false, nil
	}
	if text, ok = v.(string); !ok {
		return "", false, &ValueError{What: name, Value: argumentText(v), Err: errNotString}
	}
	if text == "" {
		return "", false, &ValueError{What: name, Value: quote(text), Err: errEmpty}
	}
	return text, true, nil
}

// argumentText describes an argument in an error: by its value if that is simple, else by its
// type, because a map may contain itself.
func argumentText(v any) string {
	if _, err := GroupKeyFrom(v); err == nil {
		return quote(fmt.Sprint(v))
	}
	return fmt.Sprintf("of type %T", v)
}

// A Groups decides which message of one queue each consumer may have next: the messages of a
// group go to one consumer at a time and in order, while different groups spread over the
// consumers. M is the caller's type of message. [NewAssigned] and [NewShared] make the two
// strategies, which differ in when a consumer loses a group. The zero Groups is an empty FIFO
// queue with assigned groups.
//
// A message waits from [Groups.Add] until [GroupConsumer.Next] gives it to a consumer, which
// holds it until [Groups.Settle], or until [Groups.Release], [Groups.Refuse] or
// [GroupConsumer.Close] returns it to its place. [Groups.Remove] takes out what expires. A
// Groups wakes nobody: after Add, ask the consumer that it returns for its next message; if
// that is nil, and after any other change, ask every consumer that has credit.
//
// # Rules
//
// The strategies are those of QPID-3720 and QPID-3346, and most of the rules follow from
// them. The code cites each by name:
//
//   - assigned: the first consumer to be given a message of a group owns the group, and gets
//     all of its messages, until it goes away.
//   - shared: a consumer owns a group only while it holds a message of it.
//   - no group: a message without a group goes to any consumer where groups are assigned;
//     where they are shared it is in the default group, unless the queue says otherwise.
//   - order: a consumer gets the first message, in the queue's order, that it may have. A
//     message that comes back goes to its old place.
//   - refusal: a consumer that refuses a message, by its selector or as undeliverable there,
//     gets no later message of the group while that one waits; others may get it. An owner
//     that holds nothing of a group and refuses its first waiting message loses it at once.
//   - removal: a message that expires, or is evicted, purged or replaced, while a consumer
//     holds it does not free its group: the consumer is still at work on it.
//   - pending: a message accepted in an open transaction stays held until that ends. If its
//     consumer goes away first, its group has no owner and is not free until then.
//   - detached: a link that is detached and may be resumed has not gone away.
//   - given up: an owner gets no more of a group that is taken from it; when it holds nothing
//     of it, the group is free, or belongs to the consumer that Assign named.
//
// Group-sequence plays no part. Add a delayed message when it is due. An owner that takes
// nothing holds up only its own groups.
//
// # Cost
//
// Add, Next and other calls about one message or group take time logarithmic in the number of
// groups and ungrouped messages, however many messages wait in groups. A message that Compare
// puts before others of its group, or that comes back, costs a search among those too. A
// consumer with an accept function asks once about each message on its way to the first that
// it may have; of many that come back at once it looks at one in 64 and a few more. Methods
// that cost more say so.
//
// Nothing is allocated once the structure has the size that it needs. A message takes 34
// bytes and M while it waits in the order in which it came or is held, 39 while it is
// ungrouped, up to 44 if it came back or Compare moved it; a group takes 180 to 220 bytes and
// its text (on 64 bits). Memory comes in slabs of 64 messages or groups, and a slab is freed
// when it is empty: where one message in 64 stays after a burst, the memory of the burst may
// stay. Three things grow or shrink as a whole: the lists of slabs, 8 bytes for each; what
// [Groups.Open] says of consumers with accept; and the map of groups, which is rebuilt when
// fewer than one in 64 is left of the most that it had. There can be 4 billion messages and
// groups.
//
// A Groups and its consumers are not safe for concurrent use. They start no goroutines and
// read no clock. The functions given to them must not call them, and must not panic.
type Groups[M any] struct {
	shared       bool
	defaultGroup GroupKey         // zero: messages without a group run ungrouped
	compare      func(a, b M) int // nil: FIFO
	idleLimit    int              // 0: none

	messages  slab.Pool[groupMessage[M]]
	sequence  uint64      // of the last message added
	waiting   int         // number of messages that wait
	held      int         // number of messages held
	free      btree.Tree  // the first message of each group that is free
	ungrouped btree.Tree  // the ungrouped messages that wait
	nodes     btree.Nodes // of all trees

	groups  slab.Pool[groupRecord[M]]
	index   map[GroupKey]uint32
	indexed int       // the most groups that index has had
	idle    slab.List // groups with an owner and no message, the longest idle first
	idles   int       // number of groups in idle

	consumers slab.Pool[*GroupConsumer[M]]
	selective []*GroupConsumer[M] // those that may refuse messages, in no order
	log       feed.Log[Ref]       // of messages that became free; nobody reads it: empty
}

// # How it works
//
// Messages, groups and consumers are numbered from 1 on by their pools; 0 stands for none.
// In the code, i is the number of a message and n that of a group.
//
// The state of a message says where it is:
//   - ungrouped: in Groups.ungrouped, a tree in the queue's order.
//   - in order: in the list of its group's messages that go out in the order in which they
//     came. A message joins it at the end, without a search, if it goes out after all others
//     there. In a FIFO queue that is every new message.
//   - out of order: in the tree of its group's other messages: those that came back, and those
//     that Compare puts before older ones.
//   - held: in the list of its holder, or in none if the holder went away and the message is
//     pending.
//
// Of the messages that wait in a group, consumers look only at the first. It is in the ready
// tree of the group's owner, or in Groups.free if the group is free, or in neither while
// nobody may have it. So the next message of a consumer is the first of three trees: its own
// ready, free, and ungrouped. How a consumer that may refuse messages searches the last two,
// firstFree says.
//
// Every change to a group ends with applyRules, which looks only at the state of the group.
// After it:
//   - A group has an owner, a message that waits, or a message that is held; else it is
//     forgotten.
//   - A consumer that holds a message of a group owns the group.
//   - first is the first message of inOrder and outOfOrder, and offer says which tree it is in.
//   - A group is in the list of its owner, and in Groups.idle if it has an owner and no
//     message.
//
// The rest of this file has, in this order: the operations on messages and groups; those of
// consumers; applyRules and its parts; consumers that may refuse messages; the queue's order;
// and the calls into internal/btree, slab and feed, which hold the data structures.

// GroupOptions describe a queue. The zero GroupOptions are those of a FIFO queue that
// remembers all owners, and puts messages without a group into [DefaultGroup] where groups are
// shared.
type GroupOptions[M any] struct {
	// Compare orders a priority or sorted queue: negative if a goes out before b, positive
	// if after it, 0 if they go out as they came. Nil is FIFO. If it is 1 where 0 is due, the
	// message that came last goes out first. It must be a consistent ordering while messages
	// are queued. If it is not, no message is lost or given twice, but the order is undefined,
	// [Groups.Messages] may skip messages and repeat others, a consumer that refuses some may
	// not be offered all, and a message may cost a search among all.
	Compare func(a, b M) int

	// IdleLimit, if positive, limits how many groups may have an owner but no message, where
	// groups are assigned. Beyond it, the owners of the groups that have been idle the longest
	// lose them, so that the next message of such a group goes to any consumer. Without a
	// limit an owner is remembered until it goes away.
	IdleLimit int

	// DefaultGroup is the group of messages without one where groups are shared; "" stands
	// for the constant [DefaultGroup].
	DefaultGroup string

	// Ungrouped lets messages without a group go to any consumer where groups are shared, as
	// they always do where groups are assigned. DefaultGroup is not used then.
	Ungrouped bool
}

// NewAssigned returns an empty queue in which the first consumer to be given a message of a
// group owns the group until it goes away, or until it holds nothing of the group and refuses
// its first waiting message (QPID-3720).
func NewAssigned[M any](o GroupOptions[M]) *Groups[M] {
	return &Groups[M]{
		compare:   o.Compare,
		idleLimit: o.IdleLimit,
	}
}

// NewShared returns an empty queue in which a consumer owns a group only while it holds a
// message of it (QPID-3346).
func NewShared[M any](o GroupOptions[M]) *Groups[M] {
	g := NewAssigned(o)
	g.shared = true // so that no group is ever idle
	if !o.Ungrouped {
		g.defaultGroup = GroupKey{kind: groupText, text: cmp.Or(o.DefaultGroup, DefaultGroup)}
	}
	return g
}

// A Ref identifies a message from [Groups.Add] until it has left the queue and nobody holds it.
// Refs are comparable, and never reused. The zero Ref identifies no message. Use a Ref only with
// the Groups that returned it.
type Ref struct {
	index    uint32
	sequence uint64
}

// A groupMessage is a message that waits or is held.
type groupMessage[M any] struct {
	sequence  uint64 // from 1, in the order of Add
	m         M
	slab.Link        // in its group's inOrder, or in its holder's list
	gap       uint32 // if it is in order: the next one's sequence minus its own, 0 if unknown
	group     uint32 // 0: ungrouped
	holder    uint32 // number of a consumer; 0: none
	state     msgState
	pending   bool // accepted in an open transaction
	gone      bool // removed from the queue while it is held
}

type msgState uint8

const (
	msgVacant     msgState = iota
	msgUngrouped           // waits in Groups.ungrouped
	msgInOrder             // waits in its group's inOrder
	msgOutOfOrder          // waits in its group's outOfOrder
	msgHeld                // held by a consumer, or by the open transaction of one that went away
)

// A groupRecord is a group that has an owner or messages. The fields that every step looks at
// are in the first 64 bytes.
type groupRecord[M any] struct {
	text     string // of the key, as are bits and kind
	bits     uint64
	sequence uint64    // of first
	first    uint32    // the message that waits first, 0: none
	inOrder  slab.List // of waiting messages, those that go out as they came
	waiting  uint32    // number of messages that wait
	held     uint32    // number of messages held
	owner    uint32    // number of a consumer; 0: none
	kind     groupKind
	offer    groupOffer // who may have first
	isIdle   bool
	givenUp  bool // the owner gets no more of it
	reserved bool // Assign gave it to the owner, which has been given no message of it since

	outOfOrder btree.Tree        // of waiting messages, the others
	nextOwner  *GroupConsumer[M] // may be closed: see openNextOwner
	owned      slab.Link         // in the owner's list
	idle       slab.Link         // in Groups.idle
}

func (gr *groupRecord[M]) key() GroupKey { return GroupKey{gr.text, gr.bits, gr.kind} }

type groupOffer uint8

const (
	toNobody groupOffer = iota
	toOwner             // it is in the owner's ready tree
	toAnyone            // it is in Groups.free
)

// openNextOwner returns the consumer that gets a group that is given up, nil if there is none.
func (gr *groupRecord[M]) openNextOwner() *GroupConsumer[M] {
	if gr.nextOwner == nil || !gr.nextOwner.open {
		return nil
	}
	return gr.nextOwner
}

// Add puts a message into the queue. It returns the owner of the message's group, which may be
// [GroupConsumer.Ready] now; if that is nil, any consumer may be.
func (g *Groups[M]) Add(m M, k GroupKey) (Ref, *GroupConsumer[M]) {
	i, msg := g.messages.Take()
	g.sequence++
	msg.sequence, msg.m = g.sequence, m
	r := Ref{i, g.sequence}
	k = g.effectiveKey(k)
	if k.IsZero() {
		g.enqueue(i)
		return r, nil
	}
	n := g.find(k)
	if n == 0 {
		n = g.enter(k)
	}
	msg.group = n
	if g.enqueue(i) {
		g.applyRules(n)
	}
	return r, g.consumer(g.groups.At(n).owner)
}

// effectiveKey returns the key of the group for a message with key k, zero if it is ungrouped.
func (g *Groups[M]) effectiveKey(k GroupKey) GroupKey {
	if k.IsZero() {
		return g.defaultGroup // [groups: no group]
	}
	return k
}

// Key returns the key of m as [RawMessage.GroupKey] does, with the same errors, but allocates
// nothing if the group has messages or an owner.
func (g *Groups[M]) Key(m *RawMessage, header string) (GroupKey, error) {
	k, text, err := m.group(header)
	if text == nil { // as with an error
		return k, err
	}
	if n := g.index[GroupKey{text: string(text), kind: k.kind}]; n != 0 { // a lookup, which copies no text
		return g.groups.At(n).key(), nil
	}
	k.text = string(text)
	return k, nil
}

// Settle takes a message that is held out of the queue: it was accepted, its transaction was
// committed, or the broker discards it. Like Release, Refuse and MarkPending it returns false
// and does nothing if the message is not held, as when a disposition comes late. If it frees a
// group, any consumer may be [GroupConsumer.Ready].
func (g *Groups[M]) Settle(r Ref) bool { return g.settleOrRelease(r, false) }

// Release returns a message that is held to its place in the queue: it was released or
// rejected, or its transaction was rolled back. If the message was removed meanwhile it is
// dropped.
func (g *Groups[M]) Release(r Ref) bool { return g.settleOrRelease(r, true) }

// Refuse is Release of a message that was modified as undeliverable here: its consumer does not
// get it again. From then on the consumer costs as much as one with an accept function.
func (g *Groups[M]) Refuse(r Ref) bool {
	msg := g.holding(r)
	if msg == nil {
		return false
	}
	if c := g.consumer(msg.holder); c != nil && !msg.gone {
		c.makeSelective()
		c.judge(r.index, false)
	}
	return g.settleOrRelease(r, true)
}

// MarkPending marks a message as accepted in an open transaction. It stays held until the
// commit, which is Settle, or the rollback, which is Release. If its consumer goes away before
// that, nobody gets a message of its group. MarkPending returns false if the message is
// marked already.
func (g *Groups[M]) MarkPending(r Ref) bool {
	msg := g.holding(r)
	if msg == nil || msg.pending {
		return false
	}
	msg.pending = true
	return true
}

// Remove takes a message out of the queue because it expired, or was evicted, purged or
// replaced. It returns the message and the consumer that holds it, if any: that one goes on
// holding it, and its group, until it settles or releases it or goes away. Remove returns false
// if the message is not in the queue.
func (g *Groups[M]) Remove(r Ref) (m M, holder *GroupConsumer[M], ok bool) {
	msg := g.get(r)
	if msg == nil || msg.gone {
		return m, nil, false
	}
	m = msg.m
	if msg.state == msgHeld {
		msg.gone = true // [groups: removal]
		return m, g.consumer(msg.holder), true
	}
	n := msg.group
	g.dequeue(r.index)
	g.forgetMessage(r.index)
	if n != 0 {
		g.applyRules(n)
	}
	return m, nil, true
}

// Get returns a message that waits or is held, and the consumer that holds it, if any. That
// includes a message that was removed while it is held. Get returns false if the message has
// left the queue and nobody holds it.
func (g *Groups[M]) Get(r Ref) (m M, holder *GroupConsumer[M], ok bool) {
	msg := g.get(r)
	if msg == nil {
		return m, nil, false
	}
	return msg.m, g.consumer(msg.holder), true
}

// Unassign gives a group up: its owner gets no more of it, and when it holds nothing of it
// anyone may own the group, the old owner included. A broker calls it to rebalance, or to end a
// group with its last message. It also undoes an Assign that has not taken effect. Unassign
// returns false if there is nothing to give up.
func (g *Groups[M]) Unassign(k GroupKey) bool {
	n := g.find(g.effectiveKey(k))
	if n == 0 {
		return false
	}
	gr := g.groups.At(n)
	if gr.openNextOwner() == nil && (gr.owner == 0 || gr.givenUp) {
		return false
	}
	gr.givenUp, gr.nextOwner = true, nil
	g.applyRules(n)
	return true
}

// Assign hands a group over to c: its owner gets no more of it, and when it holds nothing of it
// c owns the group, unless c refuses its first waiting message or has gone away. Where groups
// are assigned the group may be new. Where they are shared it must have messages, and c owns it
// until it has settled those that it gets. Assign reports whether c owns the group now or will.
func (g *Groups[M]) Assign(k GroupKey, c *GroupConsumer[M]) bool {
	k = g.effectiveKey(k)
	if c == nil || c.g != g || !c.open || k.IsZero() {
		return false
	}
	n := g.find(k)
	if n == 0 {
		if g.shared {
			return false
		}
		n = g.enter(k)
	}
	gr := g.groups.At(n)
	gr.givenUp, gr.nextOwner = false, nil
	if gr.owner != c.number {
		gr.givenUp, gr.nextOwner = true, c
	}
	g.applyRules(n)
	return gr.owner == c.number || gr.nextOwner == c // neither, if it was forgotten
}

// Owner returns the consumer that owns a group, nil if none does.
func (g *Groups[M]) Owner(k GroupKey) *GroupConsumer[M] {
	n := g.find(g.effectiveKey(k))
	if n == 0 {
		return nil
	}
	return g.consumer(g.groups.At(n).owner)
}

// GroupCounts count the messages and groups of a [Groups].
type GroupCounts struct {
	Waiting int // messages that wait
	Held    int // messages that are held, including those that were removed
	Groups  int // groups that have messages or an owner
	Idle    int // groups that have an owner but no message
}

// Counts returns the current numbers of messages and groups.
func (g *Groups[M]) Counts() GroupCounts {
	return GroupCounts{g.waiting, g.held, g.groups.Len(), g.idles}
}

// A GroupStatus is the state of a group.
type GroupStatus[M any] struct {
	Key       GroupKey
	Owner     *GroupConsumer[M] // nil: none
	GivenUp   bool              // Unassign or Assign took it from Owner, which still holds some of it
	NextOwner *GroupConsumer[M] // named by Assign: owns the group when Owner holds nothing of it; nil: none
	Waiting   int               // number of messages that wait
	Held      int               // number of messages that are held, including those that were removed
	Oldest    Ref               // the message that waits first, zero if none waits
}

// Status returns the state of one group, and reports whether it has messages or an owner. It
// costs one lookup, however many groups there are. The zero key stands for the default group,
// as it does in all methods.
func (g *Groups[M]) Status(k GroupKey) (GroupStatus[M], bool) {
	n := g.find(g.effectiveKey(k))
	if n == 0 {
		return GroupStatus[M]{}, false
	}
	return g.status(g.groups.At(n)), true
}

// Statuses iterates over the groups that have messages or an owner, in no order. The queue
// must not change meanwhile.
func (g *Groups[M]) Statuses() iter.Seq[GroupStatus[M]] {
	return func(yield func(GroupStatus[M]) bool) {
		for _, gr := range g.groups.All() {
			if !yield(g.status(gr)) {
				return
			}
		}
	}
}

func (g *Groups[M]) status(gr *groupRecord[M]) GroupStatus[M] {
	s := GroupStatus[M]{
		Key:       gr.key(),
		Owner:     g.consumer(gr.owner),
		GivenUp:   gr.givenUp,
		NextOwner: gr.openNextOwner(),
		Waiting:   int(gr.waiting),
		Held:      int(gr.held),
	}
	if gr.first != 0 {
		s.Oldest = Ref{gr.first, gr.sequence}
	}
	return s
}

// Waiting iterates over the messages of one group that wait, whoever may have them, in the
// queue's order. The zero key stands for the messages without a group, whether these run
// ungrouped or in the default group. Each message takes constant time, or logarithmic in their
// number if it is ungrouped, came back, or was moved by Compare; other groups cost nothing.
// The loop may remove the current message; nothing else may change.
func (g *Groups[M]) Waiting(k GroupKey) iter.Seq2[Ref, M] {
	return func(yield func(Ref, M) bool) {
		listed, tree, most := uint32(0), &g.ungrouped, g.ungrouped.Len()
		if k = g.effectiveKey(k); !k.IsZero() {
			n := g.find(k)
			if n == 0 {
				return
			}
			gr := g.groups.At(n)
			listed, tree, most = gr.inOrder.First, &gr.outOfOrder, int(gr.waiting)
		}
		for ranked := tree.First(); most > 0 && listed|ranked != 0; most-- { // even if compare contradicts itself
			i := g.sooner(listed, ranked)
			msg := g.messages.At(i)
			r, m := Ref{i, msg.sequence}, msg.m
			if i == listed {
				listed = msg.Right
			} else {
				ranked = 0
				g.after(tree, false, msg.sequence, &msg.m, func(j uint32) bool { ranked = j; return false })
			}
			if !yield(r, m) {
				return
			}
		}
	}
}

// Messages iterates over the messages that wait, whoever may have them, in the queue's order:
// what a browser sees, which groups do not concern. It takes time in proportion to the number
// of groups to start, and logarithmic in it for each message. The loop may remove the current
// message; nothing else may change.
func (g *Groups[M]) Messages() iter.Seq2[Ref, M] {
	return func(yield func(Ref, M) bool) {
		var next feed.Heap[candidate] // the next of each list and tree
		add := func(i uint32) {
			if i != 0 {
				next.Push(candidate{Ref: g.ref(i)}, g.isKnown, g.isBefore)
			}
		}
		after := func(t *btree.Tree, sequence uint64, m *M) {
			g.after(t, false, sequence, m, func(i uint32) bool { add(i); return false })
		}
		after(&g.ungrouped, 0, nil)
		for _, gr := range g.groups.All() {
			add(gr.inOrder.First)
			after(&gr.outOfOrder, 0, nil)
		}
		for most := g.waiting; most > 0 && len(next) > 0; most-- { // even if compare contradicts itself
			r := next.Pop(g.isKnown, g.isBefore).Ref
			msg := g.messages.At(r.index)
			m := msg.m
			switch msg.state {
			case msgUngrouped:
				after(&g.ungrouped, r.sequence, &msg.m)
			case msgInOrder:
				add(msg.Right)
			case msgOutOfOrder:
				after(&g.groups.At(msg.group).outOfOrder, r.sequence, &msg.m)
			}
			if !yield(r, m) {
				return
			}
		}
	}
}

// A GroupConsumer takes messages from the [Groups] that opened it, holds them, and owns groups.
// The zero GroupConsumer is closed.
type GroupConsumer[M any] struct {
	g      *Groups[M]
	number uint32 // in Groups.consumers
	open   bool
	held   slab.List  // of messages, in the order in which it got them
	owned  slab.List  // of groups, in the order in which it got them
	ready  btree.Tree // the first message of each of these, where it may have that

	// The rest serves consumers that may refuse messages: see firstFree.
	selective   bool
	selectiveAt int                                // in Groups.selective
	accept      func(M) bool                       // nil: it refuses only what Refuse says
	verdicts    []*[slab.Size]uint64               // by message: twice its sequence number, plus 1 if refused
	judged      struct{ free, ungrouped place[M] } // how far it has judged these trees of Groups
	logRead     uint64                             // how far it has read Groups.log
	candidates  feed.Heap[candidate]               // free messages up to judged; it is asked only about the first
}

// Open adds a consumer. If accept is not nil the consumer refuses the messages for which it
// returns false: accept is its selector, such as [Selector.Matches], and must always say the same
// of a message. Of the names of selectors JMSXDeliveryCount alone changes: let accept see the
// message as it was added, with the count of then, and to judge it anew after a failed delivery,
// Settle it and Add it again, to its old place by Compare. Any method that changes or looks at
// what a consumer may have can call accept, at most once for each message. An answer takes 8 bytes, in slabs of 64 that stay while the queue has messages
// there. All such consumers together take up to 9 bytes for each message that is free for
// anyone. In a queue with Compare, each may keep alive two messages that have left.
func (g *Groups[M]) Open(accept func(M) bool) *GroupConsumer[M] {
	number, at := g.consumers.Take()
	c := &GroupConsumer[M]{g: g, number: number, open: true, accept: accept}
	*at = c
	if accept != nil {
		c.makeSelective()
	}
	return c
}

// Next gives the consumer the first message that it may have, and returns false if there is
// none. The consumer then holds the message and owns its group. For a consumer that settles as
// it receives, call Settle at once: it keeps the group where groups are assigned, but not where
// they are shared.
func (c *GroupConsumer[M]) Next() (m M, r Ref, ok bool) {
	i := c.next()
	if i == 0 {
		return m, r, false
	}
	g := c.g
	msg := g.messages.At(i)
	n := msg.group
	g.dequeue(i)
	if n != 0 {
		gr := g.groups.At(n)
		gr.held++
		gr.reserved = false
		if gr.owner != c.number {
			g.own(n, c) // [groups: assigned] [groups: shared]
		}
	}
	g.held++
	msg.state, msg.holder = msgHeld, c.number
	c.held.PushBack(i, g.messageLink)
	if n != 0 {
		g.applyRules(n)
	}
	return msg.m, Ref{i, msg.sequence}, true
}

// Peek returns what Next would give, without giving it. Like Next it may call the accept of
// [Groups.Open].
func (c *GroupConsumer[M]) Peek() (m M, r Ref, ok bool) {
	i := c.next()
	if i == 0 {
		return m, r, false
	}
	return c.g.messages.At(i).m, c.g.ref(i), true
}

// Ready reports whether Next would give a message. Like Next it may call the accept of
// [Groups.Open].
func (c *GroupConsumer[M]) Ready() bool { return c.next() != 0 }

// Held iterates over the messages that the consumer holds, in the order in which it got them.
// The loop may settle, release, refuse or remove the current one.
func (c *GroupConsumer[M]) Held() iter.Seq2[Ref, M] {
	return func(yield func(Ref, M) bool) {
		for i := c.held.First; i != 0; {
			msg := c.g.messages.At(i)
			r := Ref{i, msg.sequence}
			i = msg.Right
			if !yield(r, msg.m) {
				return
			}
		}
	}
}

// Owned iterates over the groups that the consumer owns, in the order in which it got them. The
// queue must not change meanwhile.
func (c *GroupConsumer[M]) Owned() iter.Seq[GroupKey] {
	return func(yield func(GroupKey) bool) {
		for n := c.owned.First; n != 0; {
			gr := c.g.groups.At(n)
			n = gr.owned.Right
			if !yield(gr.key()) {
				return
			}
		}
	}
}

// Close ends a consumer that has gone away: it cancelled, its link was detached for good, or
// its connection was lost. Its messages return to their places, except those that are pending,
// and its groups become free, except those with a pending message. Close returns the number of
// messages that returned. It costs as much as releasing each message and giving up each group.
// A closed consumer gets, holds and owns nothing.
func (c *GroupConsumer[M]) Close() (returned int) {
	if !c.open {
		return 0
	}
	g := c.g
	if c.selective { // it need not read of what it returns
		last := len(g.selective) - 1
		g.selective[c.selectiveAt] = g.selective[last]
		g.selective[c.selectiveAt].selectiveAt = c.selectiveAt
		g.selective[last] = nil
		if g.selective = g.selective[:last]; last == 0 {
			g.selective = nil
			g.log.Clear()
		}
	}
	waiting := g.waiting
	for i := c.held.Last; i != 0; { // the last first, so that each goes before all that wait already
		msg := g.messages.At(i)
		next := msg.Left
		if i == c.held.First {
			next = 0
		}
		if msg.pending {
			msg.holder = 0
		} else {
			g.endHold(i, true)
		}
		i = next
	}
	returned = g.waiting - waiting
	for c.owned.Last != 0 {
		n := c.owned.Last
		g.own(n, nil)
		g.applyRules(n)
	}
	g.consumers.Give(c.number, nil)
	*c = GroupConsumer[M]{g: g}
	return returned
}

// applyRules applies the rules to the present state of a group: who owns it, who may have its
// first message, and whether it is remembered. Whatever changes a group calls it last, because
// the group may be forgotten then.
func (g *Groups[M]) applyRules(n uint32) {
	gr := g.groups.At(n)
	owner := g.consumer(gr.owner)
	if gr.held == 0 {
		if gr.givenUp { // [groups: given up]
			owner = gr.openNextOwner()
			gr.givenUp, gr.nextOwner, gr.reserved = false, nil, owner != nil
		}
		if g.shared && !(gr.reserved && gr.first != 0) {
			owner = nil // [groups: shared]
		}
		if owner != nil && gr.first != 0 && !owner.accepts(gr.first) {
			owner = nil // [groups: refusal]
		}
	}
	if owner != g.consumer(gr.owner) {
		g.own(n, owner)
	}

	to := toNobody // which holds if it has no owner and something is held [groups: pending]
	switch {
	case gr.first == 0:
	case owner != nil && !gr.givenUp && owner.accepts(gr.first):
		to = toOwner
	case gr.held == 0: // and it has no owner, which would accept
		to = toAnyone
	}
	if to != gr.offer {
		g.offer(gr, to)
	}

	empty := gr.first == 0 && gr.held == 0
	if idle := empty && owner != nil; idle != gr.isIdle {
		gr.isIdle = idle
		if idle {
			g.idle.PushBack(n, g.idleLink)
			g.idles++
		} else {
			g.idle.Remove(n, g.idleLink)
			g.idles--
		}
	}
	if empty && owner == nil {
		g.forgetGroup(n)
	} else if g.idleLimit > 0 && g.idles > g.idleLimit {
		longest := g.idle.First
		g.own(longest, nil)
		g.applyRules(longest)
	}
}

// own makes c the owner of a group; nil stands for nobody.
func (g *Groups[M]) own(n uint32, c *GroupConsumer[M]) {
	gr := g.groups.At(n)
	g.offer(gr, toNobody)
	if old := g.consumer(gr.owner); old != nil {
		old.owned.Remove(n, g.ownedLink)
	}
	gr.owner = 0
	if c != nil {
		gr.owner = c.number
		c.owned.PushBack(n, g.ownedLink)
	}
}

// enqueue puts a message at its place among those that wait, and reports whether it became the
// first of a group, which needs applyRules then.
func (g *Groups[M]) enqueue(i uint32) (first bool) {
	msg := g.messages.At(i)
	g.waiting++
	if msg.group == 0 {
		msg.state = msgUngrouped
		g.insert(&g.ungrouped, i, msg.sequence, false)
		g.publish(i)
		return false
	}
	gr := g.groups.At(msg.group)
	gr.waiting++
	if gr.inOrder.Last != 0 {
		if last := g.messages.At(gr.inOrder.Last); g.before(last, msg) {
			last.gap = 0
			if gap := msg.sequence - last.sequence; gap <= math.MaxUint32 {
				last.gap = uint32(gap)
			}
			msg.state = msgInOrder
			gr.inOrder.PushBack(i, g.messageLink)
			return false
		}
		msg.state = msgOutOfOrder
		g.insert(&gr.outOfOrder, i, msg.sequence, false)
	} else {
		msg.state = msgInOrder
		gr.inOrder.PushBack(i, g.messageLink)
	}
	if gr.first != 0 && g.before(g.messages.At(gr.first), msg) {
		return false
	}
	g.offer(gr, toNobody)
	gr.first, gr.sequence = i, msg.sequence
	return true
}

// dequeue takes a message out of where it waits. Its group needs applyRules then.
func (g *Groups[M]) dequeue(i uint32) {
	msg := g.messages.At(i)
	g.waiting--
	if msg.state == msgUngrouped {
		g.remove(&g.ungrouped, i, msg.sequence, false)
		return
	}
	gr := g.groups.At(msg.group)
	gr.waiting--
	if i == gr.first {
		g.offer(gr, toNobody)
	}
	gap := msg.gap
	switch {
	case msg.state == msgOutOfOrder:
		g.remove(&gr.outOfOrder, i, msg.sequence, false)
		gap = 0
	case i != gr.inOrder.First:
		g.messages.At(msg.Left).gap = 0
		fallthrough
	default:
		gr.inOrder.Remove(i, g.messageLink)
	}
	if i != gr.first {
		return
	}
	// With the gap, the next message need not be looked at now.
	gr.first, gr.sequence = gr.inOrder.First, msg.sequence+uint64(gap)
	if gr.outOfOrder.Len() > 0 {
		gr.first, gap = g.sooner(gr.first, gr.outOfOrder.First()), 0
	}
	if gap == 0 && gr.first != 0 {
		gr.sequence = g.messages.At(gr.first).sequence
	}
}

// offer puts a group's first message where those look who may have it.
func (g *Groups[M]) offer(gr *groupRecord[M], to groupOffer) {
	switch gr.offer {
	case toOwner:
		g.remove(&g.consumer(gr.owner).ready, gr.first, gr.sequence, true)
	case toAnyone:
		g.remove(&g.free, gr.first, gr.sequence, true)
	}
	gr.offer = to
	switch to {
	case toOwner:
		g.insert(&g.consumer(gr.owner).ready, gr.first, gr.sequence, true)
	case toAnyone:
		g.insert(&g.free, gr.first, gr.sequence, true)
		g.publish(gr.first)
	}
}

// publish adds a message that became free to the log, if anyone reads that.
func (g *Groups[M]) publish(i uint32) {
	if len(g.selective) == 0 {
		return
	}
	entry := g.log.Append(i, g.freeLen())
	if first := g.log.Page(entry); entry%feed.PageSize == 0 || g.known(*first) && g.refBefore(g.ref(i), *first) {
		*first = g.ref(i)
	}
}

// settleOrRelease is Settle, or Release if back is true.
func (g *Groups[M]) settleOrRelease(r Ref, back bool) bool {
	msg := g.holding(r)
	if msg == nil {
		return false
	}
	if c := g.consumer(msg.holder); c != nil {
		c.held.Remove(r.index, g.messageLink)
	}
	if n := g.endHold(r.index, back); n != 0 {
		g.applyRules(n)
	}
	return true
}

// endHold drops a message that was held, or puts it back, and returns its group, which needs
// applyRules then.
func (g *Groups[M]) endHold(i uint32, back bool) (n uint32) {
	msg := g.messages.At(i)
	n = msg.group
	g.held--
	if n != 0 {
		g.groups.At(n).held--
	}
	if !back || msg.gone {
		g.forgetMessage(i)
		return n
	}
	msg.holder, msg.pending = 0, false
	g.enqueue(i)
	return n
}

// forgetMessage drops a message that neither waits nor is held any more.
func (g *Groups[M]) forgetMessage(i uint32) { g.messages.Give(i, g.slabFreed) }

// slabFreed frees what consumers that may refuse messages have for a slab of g.messages, and
// for more free messages than there are now.
func (g *Groups[M]) slabFreed(n int) {
	for _, c := range g.selective { // the others, however many, keep nothing
		if n < len(c.verdicts) {
			c.verdicts[n] = nil
		}
		c.trim()
	}
	g.log.Trim(g.freeLen())
}

// get returns the message that r identifies, nil if there is none.
func (g *Groups[M]) get(r Ref) *groupMessage[M] {
	if r.sequence != 0 && g.messages.Has(r.index) {
		if msg := g.messages.At(r.index); msg.sequence == r.sequence {
			return msg
		}
	}
	return nil
}

// holding is get for a message that is held.
func (g *Groups[M]) holding(r Ref) *groupMessage[M] {
	if msg := g.get(r); msg != nil && msg.state == msgHeld {
		return msg
	}
	return nil
}

// consumer returns a consumer by its number, nil for 0.
func (g *Groups[M]) consumer(number uint32) *GroupConsumer[M] {
	if number == 0 {
		return nil
	}
	return *g.consumers.At(number)
}

// ref returns the Ref of a message.
func (g *Groups[M]) ref(i uint32) Ref { return Ref{i, g.messages.At(i).sequence} }

// next returns the message that Next gives, 0 if there is none.
func (c *GroupConsumer[M]) next() uint32 {
	if !c.open {
		return 0
	}
	return c.g.sooner(c.ready.First(), c.firstFree())
}

// firstFree returns the first free message that the consumer accepts, 0 if there is none.
//
// A consumer that may refuse messages judges the free ones in order, up to the first that it
// accepts, and next time goes on from there, so that it is asked once about each. It learns
// from Groups.log of messages that became free behind it since, keeps them as candidates, and
// judges one when it is the first. Of a complete page of the log it looks only at the summary,
// the Ref of the page's first message, and reads the page when that becomes the first candidate:
// many messages that return at once are not looked at one by one.
func (c *GroupConsumer[M]) firstFree() uint32 {
	g := c.g
	if !c.selective {
		return g.sooner(g.free.First(), g.ungrouped.First())
	}
	if c.logRead < g.log.Start() || len(c.candidates) > c.mostCandidates() {
		c.startOver()
	}
	for c.logRead < g.log.End() {
		if entry := c.logRead; entry%feed.PageSize == 0 && entry+feed.PageSize <= g.log.End() {
			if first := *g.log.Page(entry); c.mayBeJudged(first) {
				c.candidates.Push(candidate{Ref: first, page: entry + 1}, g.isKnown, g.isBefore)
			}
			c.logRead += feed.PageSize
			continue
		}
		c.read(c.logRead)
		c.logRead++
	}
	for len(c.candidates) > 0 {
		first := c.candidates[0]
		if entry := first.page - 1; first.page != 0 {
			if entry < g.log.Start() {
				c.startOver()
				break
			}
			c.candidates.Pop(g.isKnown, g.isBefore)
			for end := entry + feed.PageSize; entry < end; entry++ {
				c.read(entry)
			}
			continue
		}
		// It may be taken since, or taken and refused.
		if g.isFree(first.index) && g.messages.At(first.index).sequence == first.sequence && c.accepts(first.index) {
			break
		}
		c.candidates.Pop(g.isKnown, g.isBefore)
	}
	c.judgeOn(&g.free, &c.judged.free)
	c.judgeOn(&g.ungrouped, &c.judged.ungrouped)
	if len(c.candidates) == 0 {
		return 0
	}
	return c.candidates[0].index
}

// read makes an entry of the log a candidate, if the message is free and the consumer will not
// come to it anyway.
func (c *GroupConsumer[M]) read(entry uint64) {
	g := c.g
	i := g.log.At(entry)
	if !g.isFree(i) {
		return
	}
	judged := &c.judged.free
	if g.messages.At(i).group == 0 {
		judged = &c.judged.ungrouped
	}
	if !judged.isBefore(g, i) {
		c.candidates.Push(candidate{Ref: g.ref(i)}, g.isKnown, g.isBefore)
	}
}

// mayBeJudged reports whether a message may stand where the consumer has judged already. If
// not, the consumer will come to it, and to all after it.
func (c *GroupConsumer[M]) mayBeJudged(r Ref) bool {
	if c.g.compare == nil {
		return r.sequence <= max(c.judged.free.sequence, c.judged.ungrouped.sequence)
	}
	return !c.g.known(r) || !c.judged.free.isBefore(c.g, r.index) || !c.judged.ungrouped.isBefore(c.g, r.index)
}

// mostCandidates returns the number of candidates beyond which the consumer may as well start
// over.
func (c *GroupConsumer[M]) mostCandidates() int {
	return 2*int(c.g.freeLen()) + feed.PageSize
}

// judgeOn judges the free messages of a tree after those that are judged, up to the first that
// the consumer accepts or that stands behind one.
func (c *GroupConsumer[M]) judgeOn(free *btree.Tree, judged *place[M]) {
	g := c.g
	g.after(free, free == &g.free, judged.sequence, &judged.m, func(i uint32) bool {
		if len(c.candidates) > 0 && g.refBefore(c.candidates[0].Ref, g.ref(i)) {
			return false
		}
		*judged = g.placeOf(i)
		if c.accepts(i) {
			c.candidates.Push(candidate{Ref: g.ref(i)}, g.isKnown, g.isBefore)
			return false
		}
		return true
	})
}

// startOver makes the consumer go through the free messages from the first on. It is not asked
// about them again.
func (c *GroupConsumer[M]) startOver() {
	c.judged.free, c.judged.ungrouped = place[M]{}, place[M]{}
	c.candidates = c.candidates[:0]
	c.logRead = c.g.log.End()
	c.trim()
}

// trim frees what the consumer needed when there were more free messages.
func (c *GroupConsumer[M]) trim() {
	if most := c.mostCandidates(); len(c.candidates) > most {
		c.startOver()
	} else if cap(c.candidates) > 4*most {
		c.candidates = append(feed.Heap[candidate](nil), c.candidates...)
	}
}

// freeLen returns the number of messages that are free for anyone.
func (g *Groups[M]) freeLen() uint32 { return uint32(g.free.Len() + g.ungrouped.Len()) }

// isFree reports whether number i is that of a free message.
func (g *Groups[M]) isFree(i uint32) bool {
	if !g.messages.Has(i) {
		return false
	}
	switch msg := g.messages.At(i); msg.state {
	case msgUngrouped:
		return true
	case msgInOrder, msgOutOfOrder:
		gr := g.groups.At(msg.group)
		return gr.first == i && gr.offer == toAnyone
	}
	return false
}

// makeSelective makes c one of the consumers that may refuse messages.
func (c *GroupConsumer[M]) makeSelective() {
	if !c.selective {
		c.selective, c.selectiveAt = true, len(c.g.selective)
		c.g.selective = append(c.g.selective, c)
		c.startOver()
	}
}

// accepts reports whether the consumer accepts a message.
func (c *GroupConsumer[M]) accepts(i uint32) bool {
	if !c.selective {
		return true
	}
	msg := c.g.messages.At(i)
	if part := int(i / slab.Size); part < len(c.verdicts) && c.verdicts[part] != nil {
		if v := c.verdicts[part][i%slab.Size]; v>>1 == msg.sequence {
			return v&1 == 0
		}
	}
	if c.accept == nil {
		return true
	}
	ok := c.accept(msg.m)
	c.judge(i, ok)
	return ok
}

// judge records whether the consumer accepts a message.
func (c *GroupConsumer[M]) judge(i uint32, ok bool) {
	part := int(i / slab.Size)
	for len(c.verdicts) <= part {
		c.verdicts = append(c.verdicts, nil)
	}
	if c.verdicts[part] == nil {
		c.verdicts[part] = new([slab.Size]uint64)
	}
	v := c.g.messages.At(i).sequence << 1
	if !ok {
		v |= 1
	}
	c.verdicts[part][i%slab.Size] = v
}

// A place is a place in the queue's order, whether or not its message is still there. The zero
// place is before all messages.
type place[M any] struct {
	sequence uint64
	m        M // zero in a FIFO queue, to keep no message alive
}

// placeOf returns the place of a message.
func (g *Groups[M]) placeOf(i uint32) place[M] {
	msg := g.messages.At(i)
	p := place[M]{sequence: msg.sequence}
	if g.compare != nil {
		p.m = msg.m
	}
	return p
}

// isBefore reports whether p is before a message.
func (p *place[M]) isBefore(g *Groups[M], i uint32) bool {
	msg := g.messages.At(i)
	return p.sequence == 0 || g.precedes(p.sequence, &p.m, msg.sequence, &msg.m)
}

// before reports whether a goes out before b.
func (g *Groups[M]) before(a, b *groupMessage[M]) bool {
	return g.precedes(a.sequence, &a.m, b.sequence, &b.m)
}

// precedes reports whether one message goes out before another: it is the queue's order.
func (g *Groups[M]) precedes(sequence1 uint64, m1 *M, sequence2 uint64, m2 *M) bool {
	switch {
	case g.compare == nil || sequence1 == sequence2:
		return sequence1 < sequence2
	case sequence1 < sequence2: // always compare the older one with the younger, so that both ways round agree
		return g.compare(*m1, *m2) <= 0
	default:
		return g.compare(*m2, *m1) > 0
	}
}

// sooner returns the one of two messages that goes out first; 0 stands for none.
func (g *Groups[M]) sooner(i, j uint32) uint32 {
	if i == 0 || j != 0 && g.before(g.messages.At(j), g.messages.At(i)) {
		return j
	}
	return i
}

// known reports whether the place of a message can be told. That of a message that has left is
// known only in a FIFO queue: no message is kept alive for it.
func (g *Groups[M]) known(r Ref) bool { return g.compare == nil || g.get(r) != nil }

// refBefore is before for messages that are known.
func (g *Groups[M]) refBefore(a, b Ref) bool {
	if g.compare == nil {
		return a.sequence < b.sequence
	}
	return g.before(g.messages.At(a.index), g.messages.At(b.index))
}

// isKnown and isBefore are the order of a [feed.Heap] of candidates.
func (g *Groups[M]) isKnown(e candidate) bool     { return g.known(e.Ref) }
func (g *Groups[M]) isBefore(a, b candidate) bool { return g.refBefore(a.Ref, b.Ref) }

// A candidate is a message, or a page of the log, which stands where its first message does.
type candidate struct {
	Ref
	page uint64 // the first entry of a page, plus 1; 0: a message
}

// insert puts a message into a tree in the queue's order. A ranked tree of a FIFO queue is ordered
// by sequence numbers, and looks at no message.
func (g *Groups[M]) insert(t *btree.Tree, i uint32, sequence uint64, ranked bool) {
	switch {
	case g.compare != nil:
		msg := g.messages.At(i)
		t.Insert(&g.nodes, i, 0, func(j uint32) bool { return g.before(g.messages.At(j), msg) })
	case ranked:
		t.Insert(&g.nodes, i, sequence, nil)
	default:
		t.Insert(&g.nodes, i, 0, func(j uint32) bool { return g.messages.At(j).sequence < sequence })
	}
}

// remove takes a message out of the tree that insert put it into.
func (g *Groups[M]) remove(t *btree.Tree, i uint32, sequence uint64, ranked bool) {
	switch {
	case g.compare != nil:
		msg := g.messages.At(i)
		t.Delete(&g.nodes, i, 0, func(j uint32) bool { return g.before(g.messages.At(j), msg) })
	case ranked:
		t.Delete(&g.nodes, i, sequence, nil)
	default:
		t.Delete(&g.nodes, i, 0, func(j uint32) bool { return g.messages.At(j).sequence < sequence })
	}
}

// after calls f for each message of a tree after a place, in order, until f returns false.
func (g *Groups[M]) after(t *btree.Tree, ranked bool, sequence uint64, m *M, f func(i uint32) bool) {
	if sequence == 0 || ranked && g.compare == nil {
		t.After(sequence, nil, f)
		return
	}
	t.After(0, func(j uint32) bool {
		msg := g.messages.At(j)
		return msg.sequence == sequence || g.precedes(msg.sequence, &msg.m, sequence, m)
	}, f)
}

// find returns the group with a key, 0 if there is none.
func (g *Groups[M]) find(k GroupKey) uint32 { return g.index[k] }

// enter adds a group.
func (g *Groups[M]) enter(k GroupKey) uint32 {
	n, gr := g.groups.Take()
	gr.text, gr.bits, gr.kind = k.text, k.bits, k.kind
	if g.index == nil {
		g.index = make(map[GroupKey]uint32)
	}
	g.index[k] = n
	g.indexed = max(g.indexed, len(g.index))
	return n
}

// forgetGroup drops a group. It rebuilds the index when few groups are left of many, because a
// map does not shrink.
func (g *Groups[M]) forgetGroup(n uint32) {
	delete(g.index, g.groups.At(n).key())
	g.groups.Give(n, nil)
	if left := len(g.index); left < g.indexed/slab.Size {
		g.index, g.indexed = make(map[GroupKey]uint32, left), left
		for n, gr := range g.groups.All() {
			g.index[gr.key()] = n
		}
	}
}

func (g *Groups[M]) messageLink(i uint32) *slab.Link { return &g.messages.At(i).Link }
func (g *Groups[M]) ownedLink(n uint32) *slab.Link   { return &g.groups.At(n).owned }
func (g *Groups[M]) idleLink(n uint32) *slab.Link    { return &g.groups.At(n).idle }
