package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/seed-b113d664/amqpjms"
)

// An engine decides which consumer may have which message: [rules] is amqpjms, [brokerJ] a plain one that can do as
// Broker-J does.
type engine interface {
	add(*message)
	open(*consumer)
	peek(*consumer) *message // the message that the consumer may have next, nil: none
	take(*consumer)          // gives it to the consumer
	settle(*message)
	release(*message) // even if the message left the queue
	refuse(*message)
	pend(*message)
	remove(*message)
	detach(*consumer)
	close(*consumer) // returns what it holds and is not pending
	available() []*message
}

// A message was sent to the queue.
type message struct {
	sent     *step
	key      amqpjms.GroupKey
	value    value // of the group header
	arrived  int   // 1 for the first message that came into the queue, and so on
	priority int
	rank     int    // in a priority queue: a lower one goes out later
	sortKey  string // in a sorted queue; "" goes out first
	due      int64  // when it enters the queue
	expires  int64  // 0: never
	count    int    // failed deliveries

	inQueue    bool
	superseded bool // by a message with the same last value key, while it was held
	holder     *consumer
	pending    *transaction

	ref amqpjms.Ref // in rules
}

func (m *message) id() int { return m.sent.ID }

// A consumer is a link from the queue, or what is left of one that was detached.
type consumer struct {
	name       string
	session    string
	priority   int
	credit     int
	browser    bool
	seen       *message // by a browser: the last one
	presettled bool
	gone       bool // closed
	detached   bool
	older      map[*message]bool   // messages that it still has, although they went back
	accept     func(*message) bool // nil: all
	holds      []*message

	c *amqpjms.GroupConsumer[*message] // in rules
}

type transaction struct {
	session  string
	accepted []acceptance
}

type acceptance struct {
	m       *message
	settled bool
}

// A broker runs one queue: everything in a trace except group assignment.
type broker struct {
	engine  engine
	peer    habits // of the peer, outside the engine
	compare func(a, b *message) int
	now     int64 // milliseconds

	messages  map[int]*message
	arrivals  int
	queue     []*message // by arrival
	delayed   []*message // not due yet
	expired   int
	consumers []*consumer
	byName    map[string]*consumer
	txs       map[string]*transaction

	header       string // see amqpjms.GroupIDHeader
	attempts     int    // 0: no limit
	lvqKey       string // "": not a last value queue
	ringSize     int    // 0: not a ring
	priorities   int    // 0: not a priority queue
	sortKey      string
	defaultGroup string
}

// attribute returns an attribute of the queue as text, "" if there is none.
func (t *Trace) attribute(name string) string {
	if v := t.Queue[name]; v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// newBroker prepares a broker for a trace's queue, without an engine.
func newBroker(t *Trace) (*broker, error) {
	b := &broker{
		messages:     map[int]*message{},
		byName:       map[string]*consumer{},
		txs:          map[string]*transaction{},
		header:       t.attribute("messageGroupKeyOverride"),
		defaultGroup: t.attribute("messageGroupDefaultGroup"),
	}
	number := func(name string) (n int) {
		if text := t.attribute(name); text != "" {
			v, err := strconv.Atoi(text)
			if err != nil {
				return -1
			}
			return v
		}
		return 0
	}
	b.attempts = number("maximumDeliveryAttempts")
	switch kind := t.attribute("type"); kind {
	case "", "standard":
	case "priority":
		b.priorities = cmp.Or(number("priorities"), 10)
		b.compare = func(x, y *message) int { return cmp.Compare(y.rank, x.rank) }
	case "sorted":
		b.sortKey = t.attribute("sortKey")
		b.compare = func(x, y *message) int {
			return slices.Compare(utf16.Encode([]rune(x.sortKey)), utf16.Encode([]rune(y.sortKey)))
		}
	case "lvq":
		b.lvqKey = cmp.Or(t.attribute("lvqKey"), "qpid.LVQ_key")
	default:
		return nil, fmt.Errorf("queue type %q is unknown", kind)
	}
	switch policy := t.attribute("overflowPolicy"); policy {
	case "RING":
		b.ringSize = number("maximumQueueDepthMessages")
	case "", "NONE", "REJECT", "PRODUCER_FLOW_CONTROL", "FLOW_TO_DISK": // the outcome of each enqueue shows it
	default:
		return nil, fmt.Errorf("overflow policy %q is unknown", policy)
	}
	if b.attempts < 0 || b.ringSize < 0 || b.priorities < 0 {
		return nil, errors.New("an attribute of the queue is not a number")
	}
	return b, nil
}

var errNoMessage = errors.New("no such message")

// do performs one action, without deliveries.
func (b *broker) do(s *step) error {
	c := b.byName[s.Consumer]
	m := b.messages[s.ID]
	switch s.Op {
	case "enqueue":
		return b.enqueue(s)
	case "open":
		return b.open(s)
	case "declare":
		if c == nil {
			return fmt.Errorf("no consumer %q", s.Consumer)
		}
		if b.txs[s.Tx] != nil {
			return fmt.Errorf("transaction %q is open", s.Tx)
		}
		b.txs[s.Tx] = &transaction{session: c.session}
		return nil
	case "commit", "rollback":
		if b.txs[s.Tx] == nil {
			return fmt.Errorf("no transaction %q", s.Tx)
		}
		b.discharge(s.Tx, s.Op == "commit")
		return nil
	case "wait":
		b.now += s.Ms
		return nil
	case "clearQueue":
		for _, m := range slices.Clone(b.queue) {
			b.remove(m)
		}
		return nil
	case "housekeep":
		b.arriveDelayed()
		for _, m := range slices.Clone(b.queue) {
			if b.isExpired(m) {
				b.expire(m)
			}
		}
		return nil
	}

	if c == nil {
		return fmt.Errorf("no consumer %q", s.Consumer)
	}
	switch s.Op {
	case "credit", "drain":
		if c.gone {
			return fmt.Errorf("consumer %q is closed", s.Consumer)
		}
		if s.N < 0 {
			return errors.New("credit is negative")
		}
		c.credit += s.N
		return nil
	case "accept", "release", "reject", "modify":
		if m == nil {
			return errNoMessage
		}
		return b.dispose(c, m, s)
	case "close":
		if c.gone {
			return fmt.Errorf("consumer %q is closed", s.Consumer)
		}
		b.close(c)
	case "detach":
		c.detached, c.credit = true, 0
		b.engine.detach(c)
	case "endSession", "closeConnection", "dropConnection":
		for _, other := range b.consumers {
			if other.session == c.session && !other.gone {
				b.close(other)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(b.txs)) {
			if b.txs[name].session == c.session {
				b.discharge(name, false)
			}
		}
	default:
		return fmt.Errorf("step %q is unknown", s.Op)
	}
	return nil
}

func (b *broker) enqueue(s *step) error {
	if b.messages[s.ID] != nil {
		return fmt.Errorf("message %d was sent before", s.ID)
	}
	m := &message{sent: s, priority: 4, due: b.now}
	if s.DeliverAfter != nil {
		m.due += *s.DeliverAfter
	}
	if s.TTL != nil && *s.TTL > 0 {
		m.expires = b.now + *s.TTL
	}
	if s.Priority != nil {
		m.priority = *s.Priority
	}
	if n := b.priorities; n > 0 {
		// The priorities of a queue that has few are around the default.
		m.rank = min(max(m.priority-(5-(n+1)/2), 0), n-1)
	}
	if v, ok := s.Props[b.sortKey].v.(string); ok {
		m.sortKey = v
	}
	m.value = s.Props[b.header]
	if b.groupID() {
		m.value = value{}
		if s.Group != nil {
			m.value = stringValue(*s.Group)
		}
	}
	var err error
	if m.key, err = amqpjms.GroupKeyFrom(m.value.v); err != nil {
		return err
	}
	b.messages[s.ID] = m
	switch {
	case s.Outcome != "" && s.Outcome != "accepted":
	case m.due > b.now:
		b.delayed = append(b.delayed, m)
	default:
		b.arrive(m)
	}
	return nil
}

// groupID reports whether the queue groups by the group-id property.
func (b *broker) groupID() bool {
	if b.peer.keyIsProperty {
		return b.header == ""
	}
	a, on, err := amqpjms.GroupArgumentsFrom(map[string]any{"qpid.group_header_key": b.header})
	return b.header == "" || err == nil && on && a.Header == amqpjms.GroupIDHeader
}

// arriveDelayed puts the delayed messages that are due into the queue. The peer does so when it looks for them.
func (b *broker) arriveDelayed() {
	var due []*message
	b.delayed = slices.DeleteFunc(b.delayed, func(m *message) bool {
		if m.due <= b.now {
			due = append(due, m)
		}
		return m.due <= b.now
	})
	slices.SortStableFunc(due, func(x, y *message) int { return cmp.Compare(x.due, y.due) })
	for _, m := range due {
		b.arrive(m)
	}
}

// arrive puts a message into the queue.
func (b *broker) arrive(m *message) {
	b.arrivals++
	m.arrived = b.arrivals
	m.inQueue = true
	if key, ok := m.sent.Props[b.lvqKey]; ok && b.lvqKey != "" {
		for _, old := range slices.Clone(b.queue) {
			if old.superseded || old.sent.Props[b.lvqKey].String() != key.String() {
				continue
			}
			if old.holder == nil {
				b.remove(old)
			} else {
				old.superseded = true // it stays until its holder is done with it
			}
		}
	}
	b.queue = append(b.queue, m)
	b.engine.add(m)
	for b.ringSize > 0 && len(b.queue) > b.ringSize {
		b.remove(b.queue[0])
	}
}

// leave removes a message from the broker's records of the queue.
func (b *broker) leave(m *message) {
	m.inQueue = false
	b.queue = slices.DeleteFunc(b.queue, func(x *message) bool { return x == m })
}

// remove takes a message out of the queue, whether it is held or not.
func (b *broker) remove(m *message) {
	b.leave(m)
	b.engine.remove(m)
}

func (b *broker) isExpired(m *message) bool { return m.expires != 0 && m.expires <= b.now }

func (b *broker) expire(m *message) {
	b.expired++
	b.remove(m)
}

func (b *broker) open(s *step) error {
	if old := b.byName[s.Consumer]; old != nil && !old.gone && !old.detached {
		return fmt.Errorf("consumer %q is open", s.Consumer)
	}
	c := &consumer{
		name: s.Consumer, session: cmp.Or(s.Connection, "of "+s.Consumer),
		browser: s.Mode == "copy", presettled: s.Presettled, older: map[*message]bool{},
	}
	if s.Priority != nil {
		c.priority = *s.Priority
	}
	if s.Mode != "" && s.Mode != "copy" && s.Mode != "move" {
		return fmt.Errorf("mode %q is unknown", s.Mode)
	}
	if s.Selector != "" {
		matches, err := parseSelector(s.Selector)
		if err != nil {
			return err
		}
		c.accept = matches
	}
	b.consumers = append(b.consumers, c)
	b.byName[c.name] = c
	if !c.browser {
		b.engine.open(c)
	}
	return nil
}

// dispose applies a disposition, unless it comes too late: the consumer no longer holds the message.
func (b *broker) dispose(c *consumer, m *message, s *step) error {
	if m.holder != c || m.pending != nil {
		return nil
	}
	switch {
	case s.Op == "accept" && s.Tx != "":
		tx := b.txs[s.Tx]
		if tx == nil {
			return fmt.Errorf("no transaction %q", s.Tx)
		}
		m.pending = tx
		tx.accepted = append(tx.accepted, acceptance{m, s.Settled == nil || *s.Settled})
		b.engine.pend(m)
	case s.Op == "accept":
		b.settle(m)
	default:
		failed := s.Op == "reject" || s.DeliveryFailed
		b.giveBack(m, failed, s.UndeliverableHere)
	}
	return nil
}

// letGo removes a message from the broker's records of its holder.
func (b *broker) letGo(m *message) {
	m.pending = nil
	if c := m.holder; c != nil {
		c.holds = slices.DeleteFunc(c.holds, func(x *message) bool { return x == m })
		m.holder = nil
	}
}

func (b *broker) settle(m *message) {
	b.engine.settle(m)
	b.letGo(m)
	if m.inQueue {
		b.leave(m)
	}
}

// giveBack returns a message to the queue, or discards it if it failed too often or is superseded.
func (b *broker) giveBack(m *message, failed, refused bool) {
	if failed {
		m.count++
	}
	switch {
	case failed && b.attempts > 0 && m.count >= b.attempts, m.superseded:
		b.settle(m)
		return
	case refused:
		b.engine.refuse(m)
	default:
		b.engine.release(m)
	}
	b.letGo(m)
}

// close ends a consumer. What it holds returns as failed, except what is pending in a transaction.
func (b *broker) close(c *consumer) {
	if c.gone {
		return
	}
	c.gone, c.credit = true, 0
	if c.browser {
		return
	}
	for _, m := range slices.Clone(c.holds) {
		switch {
		case m.pending != nil && b.peer.pendingReturns && !m.pending.settles(m):
			b.giveBack(m, true, false)
		case m.pending != nil:
		case b.attempts > 0 && m.count+1 >= b.attempts, m.superseded:
			b.settle(m)
		default:
			m.count++ // the engine returns it
		}
	}
	b.engine.close(c)
	for _, m := range slices.Clone(c.holds) {
		pending := m.pending
		b.letGo(m)
		m.pending = pending
	}
}

// settles reports whether a message was settled when it was accepted.
func (tx *transaction) settles(m *message) bool {
	for _, a := range tx.accepted {
		if a.m == m {
			return a.settled
		}
	}
	return false
}

// discharge ends a transaction.
func (b *broker) discharge(name string, commit bool) {
	tx := b.txs[name]
	delete(b.txs, name)
	for _, a := range tx.accepted {
		switch {
		case a.m.pending != tx:
		case commit:
			b.settle(a.m)
		case b.peer.rollbackKeeps && !a.settled && a.m.holder != nil:
			a.m.pending = nil
		default:
			if a.m.holder != nil && !a.settled {
				a.m.holder.older[a.m] = true
			}
			b.giveBack(a.m, a.settled, false)
		}
	}
}

// deliver gives the consumers what they may have and have credit for, and returns the deliveries. Where several
// consumers may have a message, it chooses as in want, the recorded deliveries; else by consumer priority, then by age.
func (b *broker) deliver(want []step) (got []step) {
	give := func(c *consumer) {
		m := b.peek(c)
		b.engine.take(c)
		m.holder = c
		c.holds = append(c.holds, m)
		c.credit--
		got = append(got, step{
			Op: "delivered", Consumer: c.name, ID: m.id(), DeliveryCount: m.count, Presettled: c.presettled, Again: c.older[m],
		})
		if c.presettled {
			b.settle(m)
		}
	}
	next := map[string][]step{} // want by consumer
	for _, s := range want {
		next[s.Consumer] = append(next[s.Consumer], s)
	}
	waiting := b.waiting()
	for progress := true; progress; {
		progress = false
		for _, c := range waiting {
			if queue := next[c.name]; len(queue) > 0 && !c.browser && c.credit > 0 {
				if m := b.peek(c); m != nil && m.id() == queue[0].ID {
					give(c)
					next[c.name] = queue[1:]
					progress = true
				}
			}
		}
	}
	for progress := true; progress; {
		progress = false
		for _, c := range waiting {
			if !c.browser && c.credit > 0 && b.peek(c) != nil {
				give(c)
				progress = true
				break
			}
		}
	}
	for _, c := range waiting {
		if c.browser {
			got = append(got, b.browse(c)...)
		}
	}
	slices.SortStableFunc(got, func(x, y step) int { return cmp.Compare(x.Consumer, y.Consumer) })
	return got
}

// waiting returns the consumers that have credit.
func (b *broker) waiting() (waiting []*consumer) {
	for _, c := range b.consumers {
		if c.credit > 0 && !c.gone && !c.detached {
			waiting = append(waiting, c)
		}
	}
	slices.SortStableFunc(waiting, func(x, y *consumer) int { return cmp.Compare(y.priority, x.priority) })
	return waiting
}

// peek returns the message that a consumer gets next. It expires messages on the way.
func (b *broker) peek(c *consumer) *message {
	for {
		m := b.engine.peek(c)
		if m == nil || !b.isExpired(m) {
			return m
		}
		b.expire(m)
	}
}

// browse gives a browser the available messages behind the last one that it has seen.
func (b *broker) browse(c *consumer) (got []step) {
	for _, m := range b.engine.available() {
		switch {
		case c.credit == 0, c.seen != nil && !b.inOrder(c.seen, m):
		case b.isExpired(m):
			b.expire(m)
		default:
			c.seen = m
			if c.accept == nil || c.accept(m) {
				c.credit--
				got = append(got, step{Op: "delivered", Consumer: c.name, ID: m.id(), DeliveryCount: m.count, Presettled: c.presettled})
			}
		}
	}
	return got
}

func (b *broker) inOrder(x, y *message) bool {
	if b.compare != nil {
		if n := b.compare(x, y); n != 0 {
			return n < 0
		}
	}
	return x.arrived < y.arrived
}

// stats counts what is in the queue.
func (b *broker) stats() step {
	s := step{Op: "stats", Depth: len(b.queue), Expired: b.expired}
	for _, m := range b.queue {
		if m.holder == nil && m.pending == nil {
			s.Available++
		} else {
			s.Unacked++
		}
	}
	return s
}

// agrees reports whether recorded statistics fit the queue. A broker may or may not have noticed which messages have
// expired, and may count those that are not due yet.
func (b *broker) agrees(s step) bool {
	mine := b.stats()
	expired := 0
	for _, m := range b.queue {
		if m.holder == nil && m.pending == nil && b.isExpired(m) {
			expired++
		}
	}
	came := s.Expired - mine.Expired
	early := s.Depth + came - mine.Depth
	more := s.Available + came - mine.Available
	return came >= 0 && came <= expired && s.Unacked == mine.Unacked &&
		(early == 0 || early == len(b.delayed)) && (more == 0 || more == len(b.delayed))
}

// rules is amqpjms as an engine.
type rules struct{ g *amqpjms.Groups[*message] }

func newRules(b *broker, shared bool) *rules {
	o := amqpjms.GroupOptions[*message]{Compare: b.compare, DefaultGroup: b.defaultGroup}
	if shared {
		return &rules{amqpjms.NewShared(o)}
	}
	return &rules{amqpjms.NewAssigned(o)}
}

func (r *rules) add(m *message)     { m.ref, _ = r.g.Add(m, m.key) }
func (r *rules) open(c *consumer)   { c.c = r.g.Open(c.accept) }
func (r *rules) take(c *consumer)   { c.c.Next() }
func (r *rules) settle(m *message)  { r.g.Settle(m.ref) }
func (r *rules) release(m *message) { r.g.Release(m.ref) }
func (r *rules) refuse(m *message)  { r.g.Refuse(m.ref) }
func (r *rules) pend(m *message)    { r.g.MarkPending(m.ref) }
func (r *rules) remove(m *message)  { r.g.Remove(m.ref) }
func (r *rules) detach(*consumer)   {} // it may come back [groups: detached]
func (r *rules) close(c *consumer)  { c.c.Close() }

func (r *rules) peek(c *consumer) *message {
	m, _, _ := c.c.Peek()
	return m
}

func (r *rules) available() (all []*message) {
	for _, m := range r.g.Messages() {
		all = append(all, m)
	}
	return all
}
