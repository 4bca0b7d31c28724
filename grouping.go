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
	"unicode/utf8"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/btree"
	"github.com/seed-b113d664/amqpjms/internal/feed"
	"github.com/seed-b113d664/amqpjms/internal/slab"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A GroupKey is the value that puts a message into a group: its group-id, which is
// JMSXGroupID, or an application property that the queue names. Any simple type of AMQP
// will do (QPID-3346). The zero GroupKey is no value; the empty string is a group.
//
// GroupKeys can be compared with ==, used as keys of a map, and used by several
// goroutines at once. Two of them are equal if they are
//   - integers of one value, whatever their widths and signs;
//   - floats of one value, where 0.0 is -0.0, NaN is NaN, and float 1 is double 1;
//   - strings or symbols of one text;
//   - values of one other type that are the same: "1" is not 1, a uuid not its string.
type GroupKey struct {
	text string // a string or symbol; the bytes of a binary, uuid or decimal
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
	groupInteger // from 0 on
	groupNegative
	groupFloat
	groupBoolean
	groupChar
	groupTimestamp
)

var errSymbolNotASCII = errors.New("symbol is not ASCII")

var errNoGroup = errors.New("a group is a string, symbol, number, boolean, timestamp, uuid, char or binary")

// GroupKeyFrom returns the key that v holds: a string, an [amqp.Symbol], a bool, an
// integer or float of any width, a [time.Time], of which the millisecond counts, an
// [amqp.UUID] or [uuid.UUID], or a []byte, which is copied. No value is nil, [amqp.Null] and a
// nil []byte. Any other type, such as a list or a map, is an error, a *[ValueError], and so
// is a string that is not valid UTF-8 or a symbol that is not ASCII.
func GroupKeyFrom(v any) (GroupKey, error) {
	switch v := v.(type) {
	case nil, amqp.Null:
		return GroupKey{}, nil
	case string:
		return textGroup(v)
	case amqp.Symbol:
		for i := range len(v) {
			if v[i] >= utf8.RuneSelf { // [amqp 1.6.21]
				return GroupKey{}, &ValueError{What: "group", Value: quote(string(v)), Err: errSymbolNotASCII}
			}
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

// GroupKeyOf returns the key that a message has in a queue with this group header: see
// [GroupArguments].Header. It allocates nothing but the copy of a binary. Its errors are
// those of [GroupKeyFrom] for the value in the message.
// Where it differs from [RawMessage.GroupKey]: go-amqp decodes a symbol as a string, so that
// one that is not ASCII, which is an error there, is a text here.
func GroupKeyOf(m *amqp.Message, header string) (GroupKey, error) {
	if !isGroupID(header) {
		return GroupKeyFrom(m.ApplicationProperties[header])
	}
	if m.Properties == nil || m.Properties.GroupID == nil {
		return GroupKey{}, nil
	}
	return textGroup(*m.Properties.GroupID)
}

// GroupKey returns the key that the message has in a queue with this group header, as
// [GroupKeyOf] does. It decodes nothing else, and copies a text or binary: see
// [Groups.Key]. It is an error, a *[WireError], if the properties or application
// properties are broken before that or the group-id is not a string [amqp 3.2.4], a
// *[ValueError] if an application property is no simple value.
func (m *RawMessage) GroupKey(header string) (GroupKey, error) {
	k, text, err := m.group(header)
	k.text = string(text)
	return k, err
}

// GroupKey returns the key that an encoded value gives, the zero GroupKey for a nil
// RawValue and for null. It is an error, a *[ValueError], if it is no simple value or
// cannot be read.
func (v RawValue) GroupKey() (GroupKey, error) {
	k, text, err := v.group()
	k.text = string(text)
	return k, err
}

// group returns a message's key, its text apart: who knows that text need not copy it.
func (m *RawMessage) group(header string) (k GroupKey, text []byte, err error) {
	if !isGroupID(header) {
		v, err := m.ApplicationProperty(header)
		if err != nil {
			return GroupKey{}, nil, err
		}
		return v.group()
	}
	var r wire.Reader
	if m.seek(&r, FieldGroupID) {
		k.kind, text = groupText, r.String()
	}
	if err := m.checkField(&r, FieldGroupID); err != nil {
		return GroupKey{}, nil, err
	}
	return k, text, nil
}

// group returns a value's key, its text apart.
func (v RawValue) group() (k GroupKey, text []byte, err error) {
	if len(v) == 0 || v.isNull() {
		return GroupKey{}, nil, nil // null is none
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
	if !utf8.ValidString(s) {
		return GroupKey{}, &ValueError{What: "group", Value: quote(s), Err: errNotUTF8}
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
		f = math.NaN() // of the many, one
	}
	return GroupKey{kind: groupFloat, bits: math.Float64bits(f)}
}

func timestampGroup(ms int64) GroupKey { return GroupKey{kind: groupTimestamp, bits: uint64(ms)} }

func uuidGroup(u [16]byte) GroupKey { return GroupKey{kind: groupUUID, text: string(u[:])} }

// IsZero reports whether k is no value.
func (k GroupKey) IsZero() bool { return k.kind == groupNone }

// String returns the key for people to read: a text in quotes, an integer or boolean as
// it is, others behind their type, and "none" for no value. Different keys give
// different strings.
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

// isGroupID reports whether a group header means the group-id property, and not an
// application property.
func isGroupID(header string) bool {
	const jms = "JMSXGroupID"
	if len(header) != len(jms) { // in as many bytes, nothing but ASCII letters folds into these
		return header == GroupIDHeader || header == ""
	}
	return strings.EqualFold(header, jms)
}

// DefaultGroup is the group of messages without one, in a queue with shared groups that
// names no other (QPID-3346).
const DefaultGroup = "qpid.no-group"

// GroupArguments are what a queue's arguments say about groups: the header that [Groups.Key]
// and [GroupKeyOf] take, which constructor to call, and what [GroupOptions] take.
type GroupArguments struct {
	// Header is what groups its messages: the application property of this name, or where
	// it is [GroupIDHeader], "JMSXGroupID" in any letter case, or "", the group-id property.
	Header string

	Shared       bool   // [NewShared], not [NewAssigned]
	DefaultGroup string // where groups are shared; "" is [DefaultGroup]
}

var (
	errNotString = errors.New("not a string")
	errEmpty     = errors.New("empty")
)

// GroupArgumentsFrom reads the arguments that a queue is declared with, and reports whether
// grouping is on: where "qpid.group_header_key" is there and not null (QPID-3720). That
// is the header, with [GroupIDHeader] for all that means the group-id property. Groups
// are shared if "qpid.shared_msg_group" is 1 of any type, "1", true or "true", else
// assigned. "qpid.default-message-group" is the default group. A header or default group
// that is empty or not a string is an error, a *[ValueError].
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
		one, _ := GroupKeyFrom(v) // what is no value at all is not 1
		a.Shared = one == unsignedGroup(1) || one == floatGroup(1)
	}
	return a, true, nil
}

// isOn reports whether the text of an argument switches something on.
func isOn(text string) bool { return text == "1" || text == "true" }

// textArgument returns an argument that is a string, and not empty, if it is there.
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

// argumentText returns an argument for an error: as it prints if it is a number or the like, or
// its type, for a map may hold itself.
func argumentText(v any) string {
	if _, err := GroupKeyFrom(v); err == nil {
		return quote(fmt.Sprint(v))
	}
	return fmt.Sprintf("of type %T", v)
}

// A Groups says which message of one queue a consumer may have next, so that the
// messages of a group go to one consumer at a time and in order, while the groups spread
// over the consumers. M is whatever the caller calls a message. There are two
// strategies, [NewAssigned] and [NewShared]; they differ in when a consumer loses a group.
// The zero Groups is an empty FIFO queue with assigned groups.
//
// From [Groups.Add] on a message waits, until [GroupConsumer.Next] gives it to a consumer. That
// holds it until [Groups.Settle], or until it goes back by [Groups.Release],
// [Groups.Refuse] or [GroupConsumer.Close]. [Groups.Remove] takes out what expires. A Groups
// wakes nobody: after Add, ask the consumer that it returns for its next message; where
// that is nil, and after any other change, ask all that can take one.
//
// # Rules
//
// The strategies are those of QPID-3720 and QPID-3346. Most of the rules below follow from
// them; comments cite each by name:
//
//   - assigned: the consumer that is first given a message of a group owns the group, and
//     all others of it go to that consumer, until it goes away.
//   - shared: a consumer owns a group while it holds a message of it, and only then.
//   - no group: a message without one goes to any consumer where groups are assigned; where
//     they are shared it is in the default group, unless the queue says otherwise.
//   - order: a consumer gets the first message in the queue's order that it may have. What
//     comes back goes to its old place.
//   - refusal: a consumer that refuses a message, by its selector or as undeliverable
//     there, gets no later one of its group while that waits; others may get it. An owner that
//     holds nothing of a group and refuses its first waiting message loses it at once.
//   - removal: a message that expires, or is evicted, purged or replaced, while a consumer
//     holds it does not free its group: the consumer is at work on it.
//   - pending: a message accepted in an open transaction is held until that ends. If its
//     consumer goes away first, its group has no owner and is not free until then.
//   - detached: a link that is detached and may be resumed has not gone away.
//   - given up: no more of a group goes to an owner that it was taken from; when nothing of
//     it is held, it is free, or the heir's.
//
// Group-sequence plays no part. A delayed message is added when it is due. An
// owner that takes nothing holds up its own groups only.
//
// # Cost
//
// Add, Next and what changes one message or group cost a search among the groups and the
// ungrouped messages, logarithmic in their number, however many messages wait in groups. A
// message that Compare puts before others of its group, or that comes back, is searched for
// among those too. A consumer with an accept function asks it once about each message on
// the way to the first that it may have; of many that come back at once it looks at one in
// 64 and some more. Methods that cost more say so.
//
// Nothing is allocated once the structure has the size that it needs. A message takes 34
// bytes and M where it waits in the order in which it came or is held, 39 if it is
// ungrouped, up to 44 if it came back or Compare ordered it; a group 180 to 220 and its
// text, where a pointer has 64 bits. There can be some 4 billion of each. Memory is taken in
// parts of 64 messages or groups, and a part is given back when nothing in it is left: where
// one message in 64 stays after a burst, the memory of the burst may. What is made as a whole
// is the lists of these parts, of 8 bytes for each, what consumers with accept have to be
// told of, see [Groups.Open], and, when fewer than one group in 64 is left of the most that
// there were, the map of groups.
//
// A Groups and its consumers are not safe for concurrent use. They start no goroutines
// and know no clock. The functions given to them must not call them, nor panic.
type Groups[M any] struct {
	shared       bool
	defaultGroup GroupKey         // zero: messages without a group run ungrouped
	compare      func(a, b M) int // nil: FIFO
	idleLimit    int              // 0: none

	messages  slab.Pool[groupMessage[M]]
	sequence  uint64      // of the last that was added
	waiting   int         // how many messages wait
	held      int         // how many are held
	free      btree.Tree  // the first messages of groups that are free
	ungrouped btree.Tree  // the ungrouped messages that wait
	nodes     btree.Nodes // of all trees

	groups  slab.Pool[groupRecord[M]]
	index   map[GroupKey]uint32
	indexed int       // the most groups that index has had
	idle    slab.List // groups with an owner and no message, the longest idle first
	idles   int       // how many

	consumers slab.Pool[*GroupConsumer[M]]
	choosy    []*GroupConsumer[M] // those of them that may refuse messages, in no order
	news      feed.Log[Ref]
}

// How it is built.
//
// Messages, groups and consumers are in pools, and known by their numbers there, from 1 on;
// 0 is none. i is the number of a message, n that of a group.
//
// Where a message is, its state says:
//   - ungrouped: in Groups.ungrouped, a ranking, which is a tree in the queue's order.
//   - lined: in the line of its group, a list, as is each that goes out after all of that when
//     it comes. In a FIFO queue that is each new one, so that it costs no search.
//   - stray: in the ranking of its group's strays, as are all others: those that came back or
//     overtake.
//   - held: in the list of its holder; in none if that went away and the message is pending.
//
// Of what waits in a group only the first message is where consumers look: in the ready
// ranking of the group's owner, or in Groups.free if the group is free, or in neither while
// nobody may have it. So what a consumer may have next is the first of three rankings: its
// ready, free and ungrouped. How one that may refuse messages goes through the last two, see
// firstFree.
//
// Each change to a group ends with arrange, which applies the rules to the group as it is.
// Then these hold:
//   - A group has an owner, a message that waits or one that is held; else it is forgotten.
//   - A consumer that holds a message of a group owns it.
//   - first is the first of line and strays, and offer says which ranking it is in.
//   - A group is in its owner's list, and in Groups.idle if it has an owner and no message.
//
// The rest of this file: the operations on groups and messages, those of consumers; arrange
// and what it and they are made of; consumers that refuse messages; the queue's order; and
// what stands between these and the structures in internal/btree, slab and feed.

// GroupOptions are what queues differ in. The zero GroupOptions are those of a FIFO
// queue that remembers all owners, and whose messages without a group are in
// [DefaultGroup] where groups are shared.
type GroupOptions[M any] struct {
	// Compare is the order of a priority or sorted queue: negative if a goes out before b,
	// positive if after it, 0 if they go out as they came. Nil is FIFO. It must not change its
	// mind about two messages that are in the queue, nor contradict itself: then the order is
	// any, [Groups.All] may leave messages out and show others twice, and a message may have
	// to be searched for among all, or not be offered to a consumer that refuses some, but
	// none is lost or given twice. Where it says 1, and not 0, of like messages, the last that
	// came goes out first.
	Compare func(a, b M) int

	// IdleLimit, if positive, is how many groups may have an owner but no message that waits
	// or is held, where they are assigned. Of more, those that have been so the longest are
	// given up. That loosens the strategy's first rule: the next message of such a group
	// goes to anyone. Without a limit an owner is remembered until it goes away.
	IdleLimit int

	// DefaultGroup is the group of messages without one where groups are shared; "" is
	// [DefaultGroup], the constant.
	DefaultGroup string

	// Ungrouped is that messages without a group run ungrouped where groups are shared, as
	// they always do where groups are assigned. DefaultGroup is not used then.
	Ungrouped bool
}

// NewAssigned returns an empty queue whose groups each belong to the consumer that is
// first given a message of it, until that goes away, or holds nothing of the group and
// refuses its first waiting message (QPID-3720).
func NewAssigned[M any](o GroupOptions[M]) *Groups[M] {
	return &Groups[M]{
		compare:   o.Compare,
		idleLimit: o.IdleLimit,
	}
}

// NewShared returns an empty queue whose groups each belong to a consumer while that holds
// a message of it, and only then (QPID-3346).
func NewShared[M any](o GroupOptions[M]) *Groups[M] {
	g := NewAssigned(o)
	g.shared = true // so no group is ever idle
	if !o.Ungrouped {
		g.defaultGroup = GroupKey{kind: groupText, text: cmp.Or(o.DefaultGroup, DefaultGroup)}
	}
	return g
}

// A Ref stands for one message from [Groups.Add] until it has left the queue and nobody
// holds it. Refs can be compared with ==. None is given twice; the zero Ref stands for no
// message. A Ref belongs to the Groups that gave it: another may take it for a message of
// its own.
type Ref struct {
	index    uint32
	sequence uint64
}

// A groupMessage is a message that waits or is held.
type groupMessage[M any] struct {
	sequence  uint64 // from 1, in the order of Add
	m         M
	slab.Link        // in its group's line, or in its holder's list
	gap       uint32 // in line: by how much the next one's sequence is greater, 0: unknown
	group     uint32 // 0: ungrouped
	holder    uint32 // number of a consumer; 0: none
	state     msgState
	pending   bool // accepted in an open transaction
	gone      bool // from the queue, though it is held
}

type msgState uint8

const (
	msgVacant    msgState = iota
	msgUngrouped          // waits in Groups.ungrouped
	msgLined              // waits in its group's line
	msgStray              // waits among its group's strays
	msgHeld               // by its holder; where that went away, by an open transaction
)

// A groupRecord is a group that has an owner, or messages that wait or are held. What all
// steps look at is in the first 64 bytes.
type groupRecord[M any] struct {
	text     string // of the key, as are bits and kind
	bits     uint64
	sequence uint64    // of the message that waits first
	first    uint32    // that message, 0: none
	line     slab.List // of waiting messages, those that came in order
	waiting  uint32    // how many messages wait
	held     uint32    // how many messages are held
	owner    uint32    // number of a consumer; 0: none
	kind     groupKind
	offer    groupOffer // for whom the first message is
	isIdle   bool
	givenUp  bool // nothing more goes to the owner
	promised bool // Assign gave it to the owner, which was given no message of it since

	strays btree.Tree        // of waiting messages, those that did not come in order
	heir   *GroupConsumer[M] // it may be closed: see openHeir
	owned  slab.Link         // in the owner's list
	idle   slab.Link         // in Groups.idle
}

func (gr *groupRecord[M]) key() GroupKey { return GroupKey{gr.text, gr.bits, gr.kind} }

type groupOffer uint8

const (
	toNobody groupOffer = iota // or there is none
	toOwner                    // it is in the owner's ranking
	toAnyone                   // it is in Groups.free
)

// openHeir returns who is to have a group that is given up, nil if nobody is.
func (gr *groupRecord[M]) openHeir() *GroupConsumer[M] {
	if gr.heir == nil || !gr.heir.open {
		return nil
	}
	return gr.heir
}

// Add puts a message into the queue. It returns the owner of the message's group, which
// may be [GroupConsumer.Ready] now; nil is any consumer.
func (g *Groups[M]) Add(m M, k GroupKey) (Ref, *GroupConsumer[M]) {
	i, msg := g.messages.Take()
	g.sequence++
	msg.sequence, msg.m = g.sequence, m
	r := Ref{i, g.sequence}
	k = g.runsIn(k)
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
		g.arrange(n)
	}
	return r, g.consumer(g.groups.At(n).owner)
}

// runsIn returns the group that a message with key k runs in, the zero key if none.
func (g *Groups[M]) runsIn(k GroupKey) GroupKey {
	if k.IsZero() {
		return g.defaultGroup // [groups: no group]
	}
	return k
}

// Key returns m's key as [RawMessage.GroupKey] does, with the same errors, but allocates
// nothing if a group with this key has messages or an owner.
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

// Settle ends the holding of a message for good: it was accepted, its transaction was
// committed, or the broker discards it. Like Release, Refuse and MarkPending it returns false,
// and does nothing, if the message is not held, as when a disposition comes late. When
// a group becomes free, any consumer may be [GroupConsumer.Ready].
func (g *Groups[M]) Settle(r Ref) bool { return g.endHolding(r, false) }

// Release returns a message to its place in the queue: it was released, or rejected, or
// its transaction was rolled back. One that was removed does not return, but is held no
// more.
func (g *Groups[M]) Release(r Ref) bool { return g.endHolding(r, true) }

// Refuse is Release, and the consumer does not get the message again: it was modified as
// undeliverable here. From then on the consumer costs what one with an accept function does.
func (g *Groups[M]) Refuse(r Ref) bool {
	msg := g.holding(r)
	if msg == nil {
		return false
	}
	if c := g.consumer(msg.holder); c != nil && !msg.gone {
		c.makeChoosy()
		c.judge(r.index, false)
	}
	return g.endHolding(r, true)
}

// MarkPending marks a message that was accepted in an open transaction. It stays held until the
// commit, which is Settle, or the rollback, which is Release. If its consumer goes away
// before that, no message of its group goes to anyone. MarkPending returns false for a message
// that is already marked.
func (g *Groups[M]) MarkPending(r Ref) bool {
	msg := g.holding(r)
	if msg == nil || msg.pending {
		return false
	}
	msg.pending = true
	return true
}

// Remove takes a message out of the queue, because it expired, or was evicted, purged or
// replaced, and returns it and the consumer that holds it, if one does. That one goes on
// holding it, and its group, until it settles or releases it or goes away. Remove returns
// false if the message is not in the queue.
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
		g.arrange(n)
	}
	return m, nil, true
}

// Get returns a message that waits or is held, also one that was removed while it is held,
// and the consumer that holds it, if one does. It returns false when the message has left
// the queue and nobody holds it.
func (g *Groups[M]) Get(r Ref) (m M, holder *GroupConsumer[M], ok bool) {
	msg := g.get(r)
	if msg == nil {
		return m, nil, false
	}
	return msg.m, g.consumer(msg.holder), true
}

// Unassign gives a group up: no more of it goes to its owner, and when nothing of it is
// held, anyone may own it, the old owner included. It is how a broker rebalances, and how
// it ends a group with its last message. A consumer that Assign named is not to have it any
// more. Unassign returns false if the group has no owner, or is given up already, and has no
// such heir.
func (g *Groups[M]) Unassign(k GroupKey) bool {
	n := g.find(g.runsIn(k))
	if n == 0 {
		return false
	}
	gr := g.groups.At(n)
	if gr.openHeir() == nil && (gr.owner == 0 || gr.givenUp) {
		return false
	}
	gr.givenUp, gr.heir = true, nil
	g.arrange(n)
	return true
}

// Assign hands a group over to a consumer: as with Unassign no more of it goes to its
// owner, and when nothing of it is held, c owns it. If c refuses its first waiting message
// then, or has gone away, nobody does. Where groups are assigned it may be a group that
// is not known yet; where they are shared it must have messages, and c owns it from then
// until it has settled what it gets of it. Assign reports whether c owns the group or is to.
func (g *Groups[M]) Assign(k GroupKey, c *GroupConsumer[M]) bool {
	k = g.runsIn(k)
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
	gr.givenUp, gr.heir = false, nil
	if gr.owner != c.number {
		gr.givenUp, gr.heir = true, c
	}
	g.arrange(n)
	return gr.owner == c.number || gr.heir == c // neither, if it was forgotten
}

// Owner returns the consumer that owns a group, nil if none does.
func (g *Groups[M]) Owner(k GroupKey) *GroupConsumer[M] {
	n := g.find(g.runsIn(k))
	if n == 0 {
		return nil
	}
	return g.consumer(g.groups.At(n).owner)
}

// GroupCounts tell how many messages and groups there are in a [Groups].
type GroupCounts struct {
	Waiting int // messages that wait
	Held    int // messages that are held, those that were removed too
	Groups  int // groups that have messages or an owner
	Idle    int // of these, groups that have an owner and no message
}

// Counts returns how many messages and groups there are now.
func (g *Groups[M]) Counts() GroupCounts {
	return GroupCounts{g.waiting, g.held, g.groups.Len(), g.idles}
}

// A GroupStatus is the state of a group: see [Groups.Statuses].
type GroupStatus[M any] struct {
	Key       GroupKey
	Owner     *GroupConsumer[M] // nil: none
	GivenUp   bool              // by Unassign or Assign, and something of it is still held
	NextOwner *GroupConsumer[M] // to whom Assign gives it when nothing of it is held; nil: to none
	Waiting   int               // messages that wait
	Held      int               // messages that are held, those that were removed too
	Oldest    Ref               // the message that waits first, zero if none waits
}

// Statuses iterates over the groups that have messages or an owner, in no order. The queue
// must not change meanwhile.
func (g *Groups[M]) Statuses() iter.Seq[GroupStatus[M]] {
	return func(yield func(GroupStatus[M]) bool) {
		for _, gr := range g.groups.All() {
			s := GroupStatus[M]{
				Key:       gr.key(),
				Owner:     g.consumer(gr.owner),
				GivenUp:   gr.givenUp,
				NextOwner: gr.openHeir(),
				Waiting:   int(gr.waiting),
				Held:      int(gr.held),
			}
			if gr.first != 0 {
				s.Oldest = Ref{gr.first, gr.sequence}
			}
			if !yield(s) {
				return
			}
		}
	}
}

// Messages iterates over the messages that wait, whoever may have them, in the queue's order:
// what a browser sees, for which there are no groups. To begin takes a time in proportion
// to the groups, and each message one logarithmic in their number. The message at hand
// may be removed meanwhile; nothing else may change.
func (g *Groups[M]) Messages() iter.Seq2[Ref, M] {
	return func(yield func(Ref, M) bool) {
		var next feed.Heap[candidate] // the next one ungrouped, in each group's line, and of its strays
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
			add(gr.line.First)
			after(&gr.strays, 0, nil)
		}
		for most := g.waiting; most > 0 && len(next) > 0; most-- { // though compare contradicts itself
			r := next.Pop(g.isKnown, g.isBefore).Ref
			msg := g.messages.At(r.index)
			m := msg.m
			switch msg.state {
			case msgUngrouped:
				after(&g.ungrouped, r.sequence, &msg.m)
			case msgLined:
				add(msg.Right)
			case msgStray:
				after(&g.groups.At(msg.group).strays, r.sequence, &msg.m)
			}
			if !yield(r, m) {
				return
			}
		}
	}
}

// A GroupConsumer takes messages from the [Groups] that opened it, holds them and owns groups.
// The zero GroupConsumer is closed.
type GroupConsumer[M any] struct {
	g      *Groups[M]
	number uint32 // in Groups.consumers
	open   bool
	held   slab.List  // of messages, as it got them
	owned  slab.List  // of groups, as it got them
	ready  btree.Tree // the first messages of these, where it may have them

	// What follows is of a consumer that may refuse messages: see firstFree.
	choosy   bool
	choosyAt int                                     // in Groups.choosy
	accept   func(M) bool                            // nil: it refuses only what Refuse says
	verdicts []*[slab.Size]uint64                    // by message: twice its sequence number, plus 1 if refused
	judged   struct{ free, ungrouped queuePlace[M] } // how far these rankings of Groups are judged
	readNews uint64                                  // how far Groups.news are read
	mayHave  feed.Heap[candidate]                    // free messages before that, and some that were: it is asked about the first only
}

// Open adds a consumer. If accept is not nil the consumer refuses the messages for which
// it is false: accept is its selector, and must always say the same of a message. It is
// asked at most once about each, when that could go to the consumer, by any method of the
// Groups and its consumers that changes or looks at what they may have. An answer takes 8 bytes,
// kept in parts of 64 while the queue has messages there. All such consumers together need
// up to 9 bytes more for each message that is free for anyone. In a queue with Compare, each
// may keep alive two messages that have left; without, none.
func (g *Groups[M]) Open(accept func(M) bool) *GroupConsumer[M] {
	number, at := g.consumers.Take()
	c := &GroupConsumer[M]{g: g, number: number, open: true, accept: accept}
	*at = c
	if accept != nil {
		c.makeChoosy()
	}
	return c
}

// Next gives the consumer the first message that it may have, and returns false if there is
// none. The consumer holds it then, and owns its group. For a consumer that settles as it
// receives, call Settle with it at once: where groups are assigned it keeps the group, where
// they are shared it does not.
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
		gr.promised = false
		if gr.owner != c.number {
			g.own(n, c) // [groups: assigned] [groups: shared]
		}
	}
	g.held++
	msg.state, msg.holder = msgHeld, c.number
	c.held.PushBack(i, g.messageLink)
	if n != 0 {
		g.arrange(n)
	}
	return msg.m, Ref{i, msg.sequence}, true
}

// Peek returns what Next would give, and gives nothing. Like Next it may call the accept of
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

// Held iterates over the messages that the consumer holds, in the order in which it got
// them. The one at hand may be settled, released, refused or removed meanwhile.
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

// Owned iterates over the groups that the consumer owns, in the order in which it got
// them. The queue must not change meanwhile.
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

// Close ends a consumer that has gone away: it cancelled, or its link was detached for good,
// or its connection lost. Its messages return to their places, save those that are pending,
// and its groups are free, save those with a pending message. Close returns how many messages
// returned. It costs what it costs to release each message held, and to give up each group
// owned. A consumer that is closed gets, holds and owns nothing.
func (c *GroupConsumer[M]) Close() (returned int) {
	if !c.open {
		return 0
	}
	g := c.g
	if c.choosy { // it needs no news of what it returns
		last := len(g.choosy) - 1
		g.choosy[c.choosyAt] = g.choosy[last]
		g.choosy[c.choosyAt].choosyAt = c.choosyAt
		g.choosy[last] = nil
		if g.choosy = g.choosy[:last]; last == 0 {
			g.choosy = nil
			g.news.Clear()
		}
	}
	waiting := g.waiting
	for i := c.held.Last; i != 0; { // the last first, so that each goes before all that wait
		msg := g.messages.At(i)
		next := msg.Left
		if i == c.held.First {
			next = 0
		}
		if msg.pending {
			msg.holder = 0
		} else {
			g.letGo(i, true)
		}
		i = next
	}
	returned = g.waiting - waiting
	for c.owned.Last != 0 {
		n := c.owned.Last
		g.own(n, nil)
		g.arrange(n)
	}
	g.consumers.Give(c.number, nil)
	*c = GroupConsumer[M]{g: g}
	return returned
}

// arrange does what the rules say of a group as it is now: who owns it, who may have its
// first message, and whether it is remembered. Whatever changes a group ends with it. The
// group may be forgotten then.
func (g *Groups[M]) arrange(n uint32) {
	gr := g.groups.At(n)
	owner := g.consumer(gr.owner)
	if gr.held == 0 {
		if gr.givenUp { // [groups: given up]
			owner = gr.openHeir()
			gr.givenUp, gr.heir, gr.promised = false, nil, owner != nil
		}
		if g.shared && !(gr.promised && gr.first != 0) {
			owner = nil // [groups: shared]
		}
		if owner != nil && gr.first != 0 && !owner.accepts(gr.first) {
			owner = nil // [groups: refusal]
		}
	}
	if owner != g.consumer(gr.owner) {
		g.own(n, owner)
	}

	to := toNobody // also if it has no owner and something is held [groups: pending]
	switch {
	case gr.first == 0:
	case owner != nil && !gr.givenUp && owner.accepts(gr.first):
		to = toOwner
	case gr.held == 0: // and no owner: it would accept
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
		g.arrange(longest)
	}
}

// own makes c the owner of a group; nil is nobody.
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

// enqueue puts a message to its place among those that wait, and reports whether it is the
// first of a group, which is to be arranged then.
func (g *Groups[M]) enqueue(i uint32) (first bool) {
	msg := g.messages.At(i)
	g.waiting++
	if msg.group == 0 {
		msg.state = msgUngrouped
		g.insert(&g.ungrouped, i, msg.sequence, false)
		g.tell(i)
		return false
	}
	gr := g.groups.At(msg.group)
	gr.waiting++
	if gr.line.Last != 0 {
		if last := g.messages.At(gr.line.Last); g.before(last, msg) {
			last.gap = 0
			if gap := msg.sequence - last.sequence; gap <= math.MaxUint32 {
				last.gap = uint32(gap)
			}
			msg.state = msgLined
			gr.line.PushBack(i, g.messageLink)
			return false
		}
		msg.state = msgStray
		g.insert(&gr.strays, i, msg.sequence, false)
	} else {
		msg.state = msgLined
		gr.line.PushBack(i, g.messageLink)
	}
	if gr.first != 0 && g.before(g.messages.At(gr.first), msg) {
		return false
	}
	g.offer(gr, toNobody)
	gr.first, gr.sequence = i, msg.sequence
	return true
}

// dequeue takes a message out of where it waits. Its group is to be arranged then.
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
	case msg.state == msgStray:
		g.remove(&gr.strays, i, msg.sequence, false)
		gap = 0
	case i != gr.line.First:
		g.messages.At(msg.Left).gap = 0
		fallthrough
	default:
		gr.line.Remove(i, g.messageLink)
	}
	if i != gr.first {
		return
	}
	// The next in line need not be looked at now, if nothing else may be first.
	gr.first, gr.sequence = gr.line.First, msg.sequence+uint64(gap)
	if gr.strays.Len() > 0 {
		gr.first, gap = g.sooner(gr.first, gr.strays.First()), 0
	}
	if gap == 0 && gr.first != 0 {
		gr.sequence = g.messages.At(gr.first).sequence
	}
}

// offer has those find a group's first message who may have it.
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
		g.tell(gr.first)
	}
}

// tell puts a message that came to be free into the news, if there is who reads them.
func (g *Groups[M]) tell(i uint32) {
	if len(g.choosy) == 0 {
		return
	}
	n := &g.news
	entry := n.Append(i, g.freeLen())
	if first := n.Page(entry); entry%feed.PageSize == 0 || g.known(*first) && g.refBefore(g.ref(i), *first) {
		*first = g.ref(i)
	}
}

// endHolding is Settle and Release.
func (g *Groups[M]) endHolding(r Ref, back bool) bool {
	msg := g.holding(r)
	if msg == nil {
		return false
	}
	if c := g.consumer(msg.holder); c != nil {
		c.held.Remove(r.index, g.messageLink)
	}
	if n := g.letGo(r.index, back); n != 0 {
		g.arrange(n)
	}
	return true
}

// letGo drops a message that was held, or puts it back, and returns its group, which is
// to be arranged then.
func (g *Groups[M]) letGo(i uint32, back bool) (n uint32) {
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
func (g *Groups[M]) forgetMessage(i uint32) { g.messages.Give(i, g.partFreed) }

// partFreed gives back what consumers that refuse messages had for a part of g.messages, and
// for more free messages than there are now.
func (g *Groups[M]) partFreed(part int) {
	for _, c := range g.choosy { // the others, however many, have nothing of it
		if part < len(c.verdicts) {
			c.verdicts[part] = nil
		}
		c.trim()
	}
	g.news.Trim(g.freeLen())
}

// get returns the message that r stands for, nil if there is none.
func (g *Groups[M]) get(r Ref) *groupMessage[M] {
	if r.sequence != 0 && g.messages.Has(r.index) {
		if msg := g.messages.At(r.index); msg.sequence == r.sequence {
			return msg
		}
	}
	return nil
}

// holding is get of a message that is held.
func (g *Groups[M]) holding(r Ref) *groupMessage[M] {
	if msg := g.get(r); msg != nil && msg.state == msgHeld {
		return msg
	}
	return nil
}

// consumer returns the consumer with a number, nil for 0.
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

// firstFree returns the first of the free messages that the consumer accepts, 0 if there
// is none.
//
// A consumer that refuses messages judges the free ones in their order, up to the first
// that it accepts, and goes on from there the next time. Messages that came to be free
// since, and stand before that, it finds in the news, and judges when they are the first.
// So what it refuses costs it once. Of many news it looks at the first of each page, and
// opens the page when that is first of all, so that many messages that return at once are
// not looked at one by one.
func (c *GroupConsumer[M]) firstFree() uint32 {
	g := c.g
	if !c.choosy {
		return g.sooner(g.free.First(), g.ungrouped.First())
	}
	if c.readNews < g.news.Start() || len(c.mayHave) > c.mostCandidates() {
		c.startOver()
	}
	for c.readNews < g.news.End() {
		if entry := c.readNews; entry%feed.PageSize == 0 && entry+feed.PageSize <= g.news.End() {
			if first := *g.news.Page(entry); c.mayBeJudged(first) {
				c.mayHave.Push(candidate{Ref: first, page: entry + 1}, g.isKnown, g.isBefore)
			}
			c.readNews += feed.PageSize
			continue
		}
		c.read(c.readNews)
		c.readNews++
	}
	for len(c.mayHave) > 0 {
		first := c.mayHave[0]
		if entry := first.page - 1; first.page != 0 {
			if entry < g.news.Start() {
				c.startOver()
				break
			}
			c.mayHave.Pop(g.isKnown, g.isBefore)
			for end := entry + feed.PageSize; entry < end; entry++ {
				c.read(entry)
			}
			continue
		}
		// It may be taken since, or taken and refused.
		if g.isFree(first.index) && g.messages.At(first.index).sequence == first.sequence && c.accepts(first.index) {
			break
		}
		c.mayHave.Pop(g.isKnown, g.isBefore)
	}
	c.judgeOn(&g.free, &c.judged.free)
	c.judgeOn(&g.ungrouped, &c.judged.ungrouped)
	if len(c.mayHave) == 0 {
		return 0
	}
	return c.mayHave[0].index
}

// read makes an entry of the news a candidate, if it is free and not still to be judged in
// its turn.
func (c *GroupConsumer[M]) read(entry uint64) {
	g := c.g
	i := g.news.At(entry)
	if !g.isFree(i) {
		return
	}
	judged := &c.judged.free
	if g.messages.At(i).group == 0 {
		judged = &c.judged.ungrouped
	}
	if !judged.isBefore(g, i) {
		c.mayHave.Push(candidate{Ref: g.ref(i)}, g.isKnown, g.isBefore)
	}
}

// mayBeJudged reports whether a message may stand where the consumer has judged already. If
// not, it will be judged in its turn, and so will all after it.
func (c *GroupConsumer[M]) mayBeJudged(r Ref) bool {
	if c.g.compare == nil {
		return r.sequence <= max(c.judged.free.sequence, c.judged.ungrouped.sequence)
	}
	return !c.g.known(r) || !c.judged.free.isBefore(c.g, r.index) || !c.judged.ungrouped.isBefore(c.g, r.index)
}

// mostCandidates returns how many candidates are so many that the consumer may as well start
// over.
func (c *GroupConsumer[M]) mostCandidates() int {
	return 2*int(c.g.freeLen()) + feed.PageSize
}

// judgeOn judges free messages after those that are judged, up to the first that the
// consumer accepts or that stands behind one.
func (c *GroupConsumer[M]) judgeOn(free *btree.Tree, judged *queuePlace[M]) {
	g := c.g
	g.after(free, free == &g.free, judged.sequence, &judged.m, func(i uint32) bool {
		if len(c.mayHave) > 0 && g.refBefore(c.mayHave[0].Ref, g.ref(i)) {
			return false
		}
		*judged = g.place(i)
		if c.accepts(i) {
			c.mayHave.Push(candidate{Ref: g.ref(i)}, g.isKnown, g.isBefore)
			return false
		}
		return true
	})
}

// startOver has the consumer go through the free messages from the first on: it does not
// ask about them again.
func (c *GroupConsumer[M]) startOver() {
	c.judged.free, c.judged.ungrouped = queuePlace[M]{}, queuePlace[M]{}
	c.mayHave = c.mayHave[:0]
	c.readNews = c.g.news.End()
	c.trim()
}

// trim gives back what the consumer needed when there were more free messages.
func (c *GroupConsumer[M]) trim() {
	if most := c.mostCandidates(); len(c.mayHave) > most {
		c.startOver()
	} else if cap(c.mayHave) > 4*most {
		c.mayHave = append(feed.Heap[candidate](nil), c.mayHave...)
	}
}

// freeLen returns how many messages are free: for anyone.
func (g *Groups[M]) freeLen() uint32 { return uint32(g.free.Len() + g.ungrouped.Len()) }

// isFree reports whether a number is that of a free message.
func (g *Groups[M]) isFree(i uint32) bool {
	if !g.messages.Has(i) {
		return false
	}
	switch msg := g.messages.At(i); msg.state {
	case msgUngrouped:
		return true
	case msgLined, msgStray:
		gr := g.groups.At(msg.group)
		return gr.first == i && gr.offer == toAnyone
	}
	return false
}

// makeChoosy makes the consumer one that may refuse messages.
func (c *GroupConsumer[M]) makeChoosy() {
	if !c.choosy {
		c.choosy, c.choosyAt = true, len(c.g.choosy)
		c.g.choosy = append(c.g.choosy, c)
		c.startOver()
	}
}

// accepts reports whether the consumer accepts a message.
func (c *GroupConsumer[M]) accepts(i uint32) bool {
	if !c.choosy {
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

// judge remembers whether the consumer accepts a message.
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

// A queuePlace is a place in the queue's order, also of a message that is not there any
// more. The zero queuePlace is before all.
type queuePlace[M any] struct {
	sequence uint64
	m        M // zero in a FIFO queue, so that it keeps no message alive
}

// place returns where a message stands in the queue's order.
func (g *Groups[M]) place(i uint32) queuePlace[M] {
	msg := g.messages.At(i)
	p := queuePlace[M]{sequence: msg.sequence}
	if g.compare != nil {
		p.m = msg.m
	}
	return p
}

// isBefore reports whether p is before a message.
func (p *queuePlace[M]) isBefore(g *Groups[M], i uint32) bool {
	msg := g.messages.At(i)
	return p.sequence == 0 || g.inOrder(p.sequence, &p.m, msg.sequence, &msg.m)
}

// before reports whether a goes out before b.
func (g *Groups[M]) before(a, b *groupMessage[M]) bool {
	return g.inOrder(a.sequence, &a.m, b.sequence, &b.m)
}

// inOrder reports whether one message goes out before another: the queue's order.
func (g *Groups[M]) inOrder(sequence1 uint64, m1 *M, sequence2 uint64, m2 *M) bool {
	switch {
	case g.compare == nil || sequence1 == sequence2:
		return sequence1 < sequence2
	case sequence1 < sequence2: // the older one first, so that both ways round agree
		return g.compare(*m1, *m2) <= 0
	default:
		return g.compare(*m2, *m1) > 0
	}
}

// sooner returns the one of two messages that goes out before the other; 0 is none.
func (g *Groups[M]) sooner(i, j uint32) uint32 {
	if i == 0 || j != 0 && g.before(g.messages.At(j), g.messages.At(i)) {
		return j
	}
	return i
}

// known reports whether a message's place in the queue's order can be looked up: that of
// one that has gone, and is not kept alive for this, is known in a FIFO queue only.
func (g *Groups[M]) known(r Ref) bool { return g.compare == nil || g.get(r) != nil }

// refBefore is before, of messages that are known.
func (g *Groups[M]) refBefore(a, b Ref) bool {
	if g.compare == nil {
		return a.sequence < b.sequence
	}
	return g.before(g.messages.At(a.index), g.messages.At(b.index))
}

// isKnown and isBefore are the order of a [feed.Heap].
func (g *Groups[M]) isKnown(e candidate) bool     { return g.known(e.Ref) }
func (g *Groups[M]) isBefore(a, b candidate) bool { return g.refBefore(a.Ref, b.Ref) }

// A candidate is a message, or a page of news, for which its first message stands.
type candidate struct {
	Ref
	page uint64 // of a page: its first entry, plus 1; of a message: 0
}

// insert puts a message into a tree of this queue's order. With ranked it stands there by its sequence number, if it can.
func (g *Groups[M]) insert(t *btree.Tree, i uint32, sequence uint64, ranked bool) {
	if ranked && g.compare == nil {
		t.Insert(&g.nodes, i, sequence, nil)
		return
	}
	msg := g.messages.At(i)
	t.Insert(&g.nodes, i, 0, func(j uint32) bool { return g.before(g.messages.At(j), msg) })
}

// remove takes a message out of the tree that insert put it into.
func (g *Groups[M]) remove(t *btree.Tree, i uint32, sequence uint64, ranked bool) {
	if ranked && g.compare == nil {
		t.Delete(&g.nodes, i, sequence, nil)
		return
	}
	msg := g.messages.At(i)
	t.Delete(&g.nodes, i, 0, func(j uint32) bool { return g.before(g.messages.At(j), msg) })
}

// after calls f for each message in a tree after a place, in order, until f returns false.
func (g *Groups[M]) after(t *btree.Tree, ranked bool, sequence uint64, m *M, f func(i uint32) bool) {
	if sequence == 0 || ranked && g.compare == nil {
		t.After(sequence, nil, f)
		return
	}
	t.After(0, func(j uint32) bool {
		msg := g.messages.At(j)
		return msg.sequence == sequence || g.inOrder(msg.sequence, &msg.m, sequence, m)
	}, f)
}

// find returns the group with a key, 0 if there is none.
func (g *Groups[M]) find(k GroupKey) uint32 { return g.index[k] }

// enter makes a group.
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

// forgetGroup drops a group. Where few are left of many, it makes the index anew: a map does not shrink.
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
