// Package amqptest is a small AMQP 1.0 broker for tests, in memory and without a network: it
// keeps every frame that its clients send, and does what a broker of JMS does with queues,
// topics, subscriptions and temporary destinations. It takes one credit window, settles what it
// is sent, ignores selectors, and speaks no SASL. Test-side only.
package amqptest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A Broker serves connections. The zero Broker has no messages. Set its fields before Dial.
type Broker struct {
	// Answer says how an attach is answered. nil: as the zero Answer says.
	Answer func(Attach) Answer

	// Outcome returns the encoded delivery state of what a client sent. nil: accepted.
	Outcome func(address string, message []byte) []byte

	mu          sync.Mutex
	connections int
	made        int // temporary destinations
	frames      []Frame
	queues      map[string]*queue // of an address
	topics      map[string][]*queue
	kept        map[string]*queue // subscriptions, by what they are found by
}

// A Frame is one that a client sent.
type Frame struct {
	Connection, Channel int
	Name                string // of the performative
	Body                []byte // the performative, and of a transfer the payload behind it
}

// An Attach is what the broker looks at in an attach.
type Attach struct {
	Name         string
	Handle       uint32
	Receiver     bool // the client receives
	Address      string
	Dynamic      bool
	Durable      bool // both durable and never expiring
	Capabilities []string
	source       []byte
}

// An Answer says what of an attach is not answered as usual.
type Answer struct {
	Refuse  string // the condition of an error; "": it is taken
	NoEcho  bool   // without the filters
	NoName  bool   // a dynamic node gets no address
	Silence bool   // no answer at all
}

// Accepted, Released, Rejected and Modified are delivery states for [Broker.Outcome]. Rejected
// has no error.
func Accepted() []byte { return []byte{0x00, 0x53, 0x24, 0x45} }
func Rejected() []byte { return []byte{0x00, 0x53, 0x25, 0x45} }
func Released() []byte { return []byte{0x00, 0x53, 0x26, 0x45} }
func Modified() []byte { return []byte{0x00, 0x53, 0x27, 0x45} }

// RejectedWith is a rejected state with an error of this condition.
func RejectedWith(condition string) []byte {
	return composite(0x25, composite(0x1d, wire.AppendSymbol(nil, condition)))
}

// A queue has the messages of a queue or a subscription, and the links that take from it.
type queue struct {
	messages [][]byte
	links    []*link
	address  string
	durable  bool
}

type link struct {
	Attach
	conn      *connection
	channel   uint16
	from      *queue
	credit    uint32
	count     uint32 // deliveries
	unsettled map[uint32][]byte
}

type connection struct {
	broker    *Broker
	number    int
	container string
	out       chan []byte
	links     map[[2]uint32]*link // by channel and handle
	delivery  uint32
}

// Dial connects to the broker. The connection ends when it is closed.
func (b *Broker) Dial() net.Conn {
	here, there := net.Pipe()
	b.mu.Lock()
	c := &connection{broker: b, number: b.connections, out: make(chan []byte, 1000), links: map[[2]uint32]*link{}}
	b.connections++
	b.mu.Unlock()
	out, written := c.out, make(chan struct{})
	go func() {
		defer close(written)
		for f := range out {
			if _, err := there.Write(f); err != nil {
				break
			}
		}
		for range out { // until serve is done
		}
	}()
	go func() {
		c.serve(there)
		b.mu.Lock()
		c.endSession(-1)
		c.out = nil
		b.mu.Unlock()
		close(out)
		<-written
		there.Close()
	}()
	return here
}

// Frames returns what clients have sent so far.
func (b *Broker) Frames() []Frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.frames)
}

// Publish sends a message to an address, as another client would.
func (b *Broker) Publish(address string, message []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publish(address, message)
}

func (b *Broker) publish(address string, message []byte) {
	if queues, ok := b.topics[address]; ok {
		for _, q := range queues {
			q.messages = append(q.messages, message)
			q.deliver()
		}
		return
	}
	q := b.queue(address)
	q.messages = append(q.messages, message)
	q.deliver()
}

func (b *Broker) queue(address string) *queue {
	if b.queues == nil {
		b.queues = map[string]*queue{}
	}
	if b.queues[address] == nil {
		b.queues[address] = &queue{address: address}
	}
	return b.queues[address]
}

// Subscriptions returns the names of the durable subscriptions that are kept.
func (b *Broker) Subscriptions() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for name, q := range b.kept {
		if q.durable {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (c *connection) serve(there net.Conn) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(there, head); err != nil {
		return
	}
	c.out <- slices.Clone(head)
	for {
		if _, err := io.ReadFull(there, head); err != nil {
			return
		}
		size := binary.BigEndian.Uint32(head)
		if size < 8 || size > 1<<20 {
			return
		}
		body := make([]byte, size-8)
		if _, err := io.ReadFull(there, body); err != nil {
			return
		}
		if len(body) > 0 && !c.frame(binary.BigEndian.Uint16(head[6:]), body) {
			return
		}
	}
}

var names = map[uint64]string{0x10: "open", 0x11: "begin", 0x12: "attach", 0x13: "flow", 0x14: "transfer", 0x15: "disposition", 0x16: "detach", 0x17: "end", 0x18: "close"}

// frame acts on one frame, and reports whether the connection goes on.
func (c *connection) frame(channel uint16, body []byte) bool {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	r := wire.NewReader(body)
	code, _ := r.Descriptor()
	c.broker.frames = append(c.broker.frames, Frame{c.number, int(channel), names[code], body})
	fields, rest := fieldsOf(body)
	switch code {
	case 0x10:
		c.container = text(at(fields, 0))
		c.write(channel, composite(0x10, wire.AppendString(nil, "amqptest")))
	case 0x11: // remote-channel, next-outgoing-id, incoming-window, outgoing-window
		c.write(channel, composite(0x11, []byte{0x60, byte(channel >> 8), byte(channel)}, wire.AppendUint(nil, 0), wire.AppendUint(nil, 1<<30), wire.AppendUint(nil, 1<<30)))
	case 0x12:
		c.attach(channel, fields)
	case 0x13:
		if l := c.links[[2]uint32{uint32(channel), number(at(fields, 4))}]; l != nil && len(at(fields, 4)) > 0 && l.Receiver {
			l.credit = number(at(fields, 5)) + number(at(fields, 6)) - l.count
			l.from.deliver()
			if drain := at(fields, 8); len(drain) > 0 && drain[0] == 0x41 {
				l.count += l.credit
				l.credit = 0
				c.flow(l, true)
			}
		}
	case 0x14:
		c.transfer(channel, fields, rest)
	case 0x15:
		c.disposition(channel, fields)
	case 0x16:
		closed := at(fields, 1)
		c.detach(channel, number(at(fields, 0)), len(closed) > 0 && closed[0] == 0x41)
		c.write(channel, composite(0x16, at(fields, 0), wire.AppendBoolean(nil, true)))
	case 0x17:
		c.endSession(int(channel))
		c.write(channel, composite(0x17))
	case 0x18:
		c.write(channel, composite(0x18))
		return false
	}
	return true
}

func (c *connection) attach(channel uint16, fields [][]byte) {
	a := Attach{Name: text(at(fields, 0)), Handle: number(at(fields, 1)), Receiver: at(fields, 2)[0] == 0x41}
	terminus, _ := fieldsOf(at(fields, 6))
	if a.Receiver {
		a.source = at(fields, 5)
		terminus, _ = fieldsOf(a.source)
	}
	a.Address = text(at(terminus, 0))
	dynamic := at(terminus, 4)
	a.Dynamic = len(dynamic) > 0 && dynamic[0] == 0x41
	a.Durable = number(at(terminus, 1)) == 2 && text(at(terminus, 2)) == "never"
	capabilities := at(terminus, 6)
	if a.Receiver {
		capabilities = at(terminus, 10)
	}
	a.Capabilities = symbols(capabilities)

	var answer Answer
	if c.broker.Answer != nil {
		answer = c.broker.Answer(a)
	}
	if answer.Silence {
		return
	}
	for _, l := range c.links { // a name stands for one link of a connection [amqp 2.6.1]
		if l.Name == a.Name && l.Receiver == a.Receiver {
			answer.Refuse = "amqp:link:stolen"
		}
	}
	role := wire.AppendBoolean(nil, !a.Receiver)
	if answer.Refuse != "" {
		c.write(channel, composite(0x12, at(fields, 0), at(fields, 1), role, nil, nil, nil, nil, nil, nil, wire.AppendUint(nil, 0)))
		c.write(channel, composite(0x16, at(fields, 1), wire.AppendBoolean(nil, true), composite(0x1d, wire.AppendSymbol(nil, answer.Refuse))))
		return
	}
	if a.Dynamic && !answer.NoName {
		c.broker.made++
		kind := "queue"
		if slices.Contains(a.Capabilities, "temporary-topic") {
			kind = "topic"
		}
		a.Address = fmt.Sprintf("temp-%s-%d", kind, c.broker.made)
	}
	node := wire.AppendString(nil, a.Address)
	if a.Address == "" {
		node = nil
	}
	source, target := composite(0x28), composite(0x29, node)
	if a.Receiver {
		var filter []byte
		if !answer.NoEcho {
			filter = at(terminus, 7)
		}
		source, target = composite(0x28, node, at(terminus, 1), at(terminus, 2), nil, nil, nil, nil, filter), composite(0x29)
	}
	l := &link{Attach: a, conn: c, channel: channel, unsettled: map[uint32][]byte{}}
	c.links[[2]uint32{uint32(channel), a.Handle}] = l
	c.write(channel, composite(0x12, at(fields, 0), at(fields, 1), role, at(fields, 3), at(fields, 4), source, target, nil, nil, wire.AppendUint(nil, 0)))
	if a.Receiver {
		l.from = c.source(a)
		l.from.links = append(l.from.links, l)
		return
	}
	if slices.ContainsFunc(a.Capabilities, isTopic) {
		c.broker.topic(a.Address)
	}
	l.credit = 1000
	c.flow(l, false)
}

func isTopic(capability string) bool { return strings.HasSuffix(capability, "topic") }

func (b *Broker) topic(address string) {
	if b.topics == nil {
		b.topics = map[string][]*queue{}
	}
	if _, ok := b.topics[address]; !ok {
		b.topics[address] = nil
	}
}

// source returns what a receiver takes from: of a topic a subscription.
func (c *connection) source(a Attach) *queue {
	b := c.broker
	if !slices.ContainsFunc(a.Capabilities, isTopic) {
		return b.queue(a.Address)
	}
	b.topic(a.Address)
	shared := slices.Contains(a.Capabilities, "shared")
	if !a.Durable && !shared {
		q := &queue{address: a.Address}
		b.topics[a.Address] = append(b.topics[a.Address], q)
		return q
	}
	key := c.key(a)
	q := b.kept[key]
	if q == nil || q.address != a.Address {
		if b.kept == nil {
			b.kept = map[string]*queue{}
		}
		q = &queue{address: a.Address, durable: a.Durable}
		b.kept[key] = q
		b.topics[a.Address] = append(b.topics[a.Address], q)
	}
	return q
}

// key is what a subscription is found by: the name up to its suffix, and unless it is global the
// client id.
func (c *connection) key(a Attach) string {
	name, suffix, _ := strings.Cut(a.Name, "|")
	if strings.Contains(suffix, "volatile") {
		name += "|volatile"
	}
	if slices.Contains(a.Capabilities, "global") {
		return name
	}
	return c.container + "/" + name
}

// deliver sends messages to links that have credit, in turn.
func (q *queue) deliver() {
	for len(q.messages) > 0 {
		i := slices.IndexFunc(q.links, func(l *link) bool { return l.credit > 0 })
		if i < 0 {
			return
		}
		l := q.links[i]
		q.links = append(slices.Delete(q.links, i, i+1), l)
		message := q.messages[0]
		q.messages = q.messages[1:]
		c := l.conn
		l.credit--
		l.count++
		l.unsettled[c.delivery] = message
		tag := []byte{0xa0, 4, 0, 0, 0, 0}
		binary.BigEndian.PutUint32(tag[2:], c.delivery)
		c.write(l.channel, append(composite(0x14, wire.AppendUint(nil, l.Handle), wire.AppendUint(nil, c.delivery), tag, wire.AppendUint(nil, 0)), message...))
		c.delivery++
	}
}

func (c *connection) transfer(channel uint16, fields [][]byte, message []byte) {
	l := c.links[[2]uint32{uint32(channel), number(at(fields, 0))}]
	if l == nil {
		return
	}
	state := Accepted()
	if c.broker.Outcome != nil {
		state = c.broker.Outcome(l.Address, message)
	}
	if slices.Equal(state, Accepted()) {
		c.broker.publish(l.Address, message)
	}
	c.write(channel, composite(0x15, wire.AppendBoolean(nil, true), at(fields, 1), nil, wire.AppendBoolean(nil, true), state))
}

func (c *connection) disposition(channel uint16, fields [][]byte) {
	first := number(at(fields, 1))
	last := first
	if len(at(fields, 2)) > 0 && at(fields, 2)[0] != 0x40 {
		last = number(at(fields, 2))
	}
	r := wire.NewReader(at(fields, 4))
	state, _ := r.Descriptor()
	for _, l := range c.links {
		for id := first; id <= last && l.channel == channel; id++ {
			if m, ok := l.unsettled[id]; ok {
				delete(l.unsettled, id)
				if state == 0x26 || state == 0x27 {
					l.from.messages = slices.Insert(l.from.messages, 0, m)
				}
			}
		}
	}
}

// detach ends a link; closed ends a durable subscription with its last one, and a temporary
// destination.
func (c *connection) detach(channel uint16, handle uint32, closed bool) {
	key := [2]uint32{uint32(channel), handle}
	l := c.links[key]
	if l == nil {
		return
	}
	delete(c.links, key)
	b := c.broker
	if !l.Receiver {
		if l.Dynamic {
			delete(b.topics, l.Address)
		}
		return
	}
	q := l.from
	q.links = slices.DeleteFunc(q.links, func(other *link) bool { return other == l })
	for id := range l.unsettled {
		q.messages = slices.Insert(q.messages, 0, l.unsettled[id])
	}
	if len(q.links) > 0 || b.queues[q.address] == q || q.durable && !closed {
		q.deliver()
		return
	}
	for name, kept := range b.kept {
		if kept == q {
			delete(b.kept, name)
		}
	}
	b.topics[q.address] = slices.DeleteFunc(b.topics[q.address], func(other *queue) bool { return other == q })
}

// endSession ends the links of a session, or of all for -1.
func (c *connection) endSession(channel int) {
	for key := range c.links {
		if channel < 0 || key[0] == uint32(channel) {
			c.detach(uint16(key[0]), key[1], false)
		}
	}
}

func (c *connection) flow(l *link, drain bool) {
	// next-incoming-id, incoming-window, next-outgoing-id, outgoing-window, handle, delivery-count, link-credit, available, drain
	window := wire.AppendUint(nil, 1<<30)
	c.write(l.channel, composite(0x13, wire.AppendUint(nil, 0), window, wire.AppendUint(nil, c.delivery), window,
		wire.AppendUint(nil, l.Handle), wire.AppendUint(nil, l.count), wire.AppendUint(nil, l.credit), nil, wire.AppendBoolean(nil, drain)))
}

func (c *connection) write(channel uint16, body []byte) {
	if c.out == nil { // it has ended
		return
	}
	f := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	c.out <- append(append(f, 2, 0, byte(channel>>8), byte(channel)), body...)
}

// composite encodes a described list. A nil field is a null.
func composite(descriptor uint64, fields ...[]byte) []byte {
	var items []byte
	for _, f := range fields {
		if f == nil {
			f = wire.AppendNull(nil)
		}
		items = append(items, f...)
	}
	b := wire.AppendDescriptor(nil, descriptor)
	b = binary.BigEndian.AppendUint32(append(b, 0xd0), uint32(4+len(items)))
	return append(binary.BigEndian.AppendUint32(b, uint32(len(fields))), items...)
}

// fieldsOf returns the encoded fields of a composite, and what stands behind it.
func fieldsOf(b []byte) (fields [][]byte, rest []byte) {
	if len(b) == 0 || b[0] == 0x40 {
		return nil, nil
	}
	r := wire.NewReader(b)
	r.Descriptor()
	start := r.Offset()
	r.Skip()
	end := r.Offset()
	if r.Err() != nil {
		return nil, nil
	}
	list := wire.NewReader(b[start:end])
	_, n := list.List()
	for range n {
		fields = append(fields, list.Value())
	}
	return fields, b[end:]
}

// at returns a field, empty where there is none.
func at(fields [][]byte, i int) []byte {
	if i >= len(fields) {
		return nil
	}
	return fields[i]
}

func number(b []byte) uint32 {
	r := wire.NewReader(b)
	return r.Uint()
}

func text(b []byte) string {
	r := wire.NewReader(b)
	if r.Next() == wire.Symbol {
		return string(r.Symbol())
	}
	return string(r.String())
}

func symbols(b []byte) (list []string) {
	r := wire.NewReader(b)
	if r.Next() == wire.Symbol {
		return []string{string(r.Symbol())}
	}
	_, constructor, n := r.Array()
	for range n {
		e := r.Element(constructor)
		list = append(list, string(e.Symbol()))
	}
	return list
}
