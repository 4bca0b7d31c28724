package amqpjms

import (
	"encoding/binary"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A CharRewriter keeps a Java char from ending a link of go-amqp, which cannot decode one:
// in messages that its connections receive, each char becomes a uint, which is its code
// point. The type is lost, so never use it in a program that forwards or stores messages.
// Nothing else changes. go-amqp still fails on symbolic section descriptors, arrays of
// arrays, lists or described values, and maps keyed by a list, map, array or binary or by
// both a char and an equal uint; keyed by a described list, it panics. The zero value is
// ready to use, for any number of connections at once.
type CharRewriter struct {
	// Decimals also turns decimal32, decimal64 and decimal128 into uint, ulong and uuid,
	// whose values are wrong. Set it before Wrap.
	Decimals bool

	values, malformed, unfollowed, unframed atomic.Uint64
}

// Wrap returns a connection for amqp.NewConn that rewrites what it reads from c. It belongs
// above TLS. It keeps at most some 2 KB for each of at most 128 deliveries that are not
// complete, buffers no message, and allocates nothing per frame.
func (r *CharRewriter) Wrap(c net.Conn) net.Conn {
	return &charConn{Conn: c, counts: r, decimals: r.Decimals}
}

// Counts returns how many values were changed, an array counting as one, and what was left
// unchanged: deliveries from where they were malformed or nested more than 100 deep,
// deliveries that were resumed or came while 128 others were not complete, and connections
// from where their frames were malformed. It may be called at any time.
func (r *CharRewriter) Counts() (values, malformed, unfollowed, unframed uint64) {
	return r.values.Load(), r.malformed.Load(), r.unfollowed.Load(), r.unframed.Load()
}

const (
	maxFollowed   = 128  // deliveries that are not complete and are rewritten
	maxUnfinished = 1024 // deliveries that are not complete and are known
)

// Descriptors of performatives [amqp 2.7].
const (
	performTransfer = 0x14
	performDetach   = 0x16
	performEnd      = 0x17
)

// A charConn changes format codes where they stand in the reader's buffer. All that it
// keeps between reads is where in a frame it is, and where in its payload each delivery is.
type charConn struct {
	net.Conn
	counts   *CharRewriter
	decimals bool

	mu      sync.Mutex // held while reading
	layer   layer
	head    [8]byte // of a frame, or a protocol header
	headLen int
	left    uint32 // bytes of the frame to come
	part    part
	skip    uint32 // bytes of the extended header, or of a field, to come
	perform performative

	// Deliveries that are not complete. A state of nil: the rest passes. Few are open at
	// once, at most maxUnfinished, so that going over all keys is cheap.
	keys     []uint64 // channel and handle
	states   []*payload
	followed int
	free     []*payload
	lost     bool // there were more than maxUnfinished; what is not in keys may be anywhere in a payload

	single  payload  // of a delivery in one frame
	current *payload // of this frame; nil: pass
	index   int      // in keys, of this frame's delivery; -1: not there
	last    bool     // this frame completes its delivery
}

type layer uint8 // what the connection is in

const (
	layerNone layer = iota // a protocol header must come first
	layerSASL
	layerAMQP
	layerUnknown // all passes
)

type part uint8 // of a frame

const (
	partHead part = iota
	partExtended
	partPerformative
	partPayload
	partRest // passes
)

func (c *charConn) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.rewrite(b[:n])
	}
	return n, err
}

// rewrite goes over the next bytes of the stream.
func (c *charConn) rewrite(b []byte) {
	for len(b) > 0 && c.layer != layerUnknown {
		if c.part == partHead {
			n := copy(c.head[c.headLen:], b)
			b, c.headLen = b[n:], c.headLen+n
			if c.headLen == len(c.head) {
				c.headLen = 0
				c.begin()
			}
			continue
		}
		n := len(b)
		if uint64(n) > uint64(c.left) {
			n = int(c.left)
		}
		c.left -= uint32(n)
		c.body(b[:n])
		b = b[n:]
		if c.left == 0 && c.layer != layerUnknown {
			c.end()
		}
	}
}

// begin reads a protocol header [amqp 2.2] or the head of a frame [amqp 2.3.1].
func (c *charConn) begin() {
	if c.layer != layerAMQP && string(c.head[:4]) == "AMQP" {
		switch string(c.head[4:]) {
		case "\x00\x01\x00\x00":
			c.layer = layerAMQP
		case "\x03\x01\x00\x00":
			c.layer = layerSASL
		default: // TLS starts below, or the peer refuses the version
			c.unframe()
		}
		return
	}
	size, start := binary.BigEndian.Uint32(c.head[:]), 4*uint32(c.head[4])
	if c.layer == layerNone || start < 8 || size < start {
		c.unframe()
		return
	}
	c.left, c.skip = size-8, start-8
	switch {
	case c.left == 0: // a heartbeat
	case c.layer != layerAMQP || c.head[5] != 0 || size == start:
		c.part = partRest
	default:
		c.part = partExtended
	}
}

// unframe lets the rest of the connection pass.
func (c *charConn) unframe() {
	c.counts.unframed.Add(1)
	c.layer = layerUnknown
	c.keys, c.states, c.free, c.current = nil, nil, nil, nil
}

// body goes over bytes of one frame, which c.left does not count any more.
func (c *charConn) body(b []byte) {
	if c.part == partExtended {
		n := min(uint64(len(b)), uint64(c.skip))
		b, c.skip = b[n:], c.skip-uint32(n)
		if c.skip > 0 || len(b) == 0 {
			return
		}
		c.part, c.perform = partPerformative, performative{}
	}
	if c.part == partPerformative {
		n, done, ok := c.perform.read(b, c.left)
		if !ok {
			c.unframe()
			return
		}
		if !done {
			return
		}
		b = b[n:]
		c.performed()
	}
	if c.part == partPayload && c.current != nil && len(b) > 0 {
		changed, ok := c.current.rewrite(b, c.decimals)
		if changed > 0 {
			c.counts.values.Add(changed)
		}
		if !ok {
			c.counts.malformed.Add(1)
			c.abandon()
		}
	}
}

// performed acts on a performative that was read.
func (c *charConn) performed() {
	c.part = partRest
	p, channel := &c.perform, uint64(binary.BigEndian.Uint16(c.head[6:]))<<32
	key := channel | uint64(p.handle)
	switch p.code {
	case performEnd:
		for i := len(c.keys) - 1; i >= 0; i-- {
			if c.keys[i]&^0xffffffff == channel {
				c.remove(i)
			}
		}
	case performDetach:
		if i := c.find(key); i >= 0 {
			c.remove(i)
		}
	case performTransfer:
		c.part = partPayload
		c.transfer(key)
	}
}

// transfer finds the state of the frame's delivery, or starts one [amqp 2.7.5].
func (c *charConn) transfer(key uint64) {
	p := &c.perform
	c.current, c.last = nil, p.aborted || !p.more
	c.index = c.find(key)
	switch {
	case c.index >= 0:
		if !p.aborted { // else its payload is ignored
			c.current = c.states[c.index]
		}
	case p.aborted:
	case c.lost || p.resume: // a resumed delivery may start in the middle of a value [amqp 2.6.13]
		c.counts.unfollowed.Add(1)
		c.remember(key, nil)
	case c.last:
		c.single.reset()
		c.current = &c.single
	case c.followed == maxFollowed || len(c.keys) == maxUnfinished:
		c.counts.unfollowed.Add(1)
		c.remember(key, nil)
	default:
		c.current = c.take()
		c.remember(key, c.current)
	}
}

// remember keeps the state of a delivery that starts, if it goes on in another frame.
func (c *charConn) remember(key uint64, state *payload) {
	if c.last {
		return
	}
	if len(c.keys) == maxUnfinished {
		c.lost = true
		return
	}
	c.index = len(c.keys)
	c.keys, c.states = append(c.keys, key), append(c.states, state)
}

// end ends a frame.
func (c *charConn) end() {
	switch c.part {
	case partPerformative, partExtended: // ends within a performative
		c.unframe()
		return
	case partPayload:
		if c.last {
			if c.current != nil && !c.current.complete() {
				c.counts.malformed.Add(1)
			}
			if c.index >= 0 {
				c.remove(c.index)
			}
		}
		c.current = nil
	}
	c.part = partHead
}

func (c *charConn) find(key uint64) int { return slices.Index(c.keys, key) }

// take returns a state for a delivery that starts.
func (c *charConn) take() *payload {
	c.followed++
	if n := len(c.free); n > 0 {
		p := c.free[n-1]
		c.free = c.free[:n-1]
		p.reset()
		return p
	}
	return new(payload)
}

// abandon lets the rest of this frame's delivery pass.
func (c *charConn) abandon() {
	c.current = nil
	if c.index >= 0 {
		c.release(c.index)
	}
}

func (c *charConn) release(i int) {
	if p := c.states[i]; p != nil {
		c.free = append(c.free, p)
		c.followed--
		c.states[i] = nil
	}
}

func (c *charConn) remove(i int) {
	c.release(i)
	n := len(c.keys) - 1
	c.keys[i], c.states[i] = c.keys[n], c.states[n]
	c.keys, c.states = c.keys[:n], c.states[:n]
}

// A performative reads as much of one as matters here, in pieces.
type performative struct {
	code                  uint64
	handle                uint32
	more, resume, aborted bool

	step    step
	head    wire.Head
	data    [18]byte // of a value that is wanted
	dataLen int
	want    bool // the value's data
	pending uint32
	skip    uint32 // bytes of a value to come
	left    uint32 // bytes of the list to come
	fields  uint32 // fields to come
	field   uint32 // the number of this one
	owed    uint32 // values that the field still has; a described value has two
}

type step uint8

const (
	stepDescribed step = iota
	stepDescriptor
	stepList
	stepFields
)

// read takes bytes of the performative, behind which the frame has left more, and returns
// how many they were, and whether that was all.
func (p *performative) read(b []byte, left uint32) (n int, done, ok bool) {
	for {
		if p.want || p.skip > 0 { // data of a value
			if p.want {
				k := copy(p.data[p.dataLen:p.dataLen+int(p.pending)], b[n:])
				n, p.dataLen, p.pending = n+k, p.dataLen+k, p.pending-uint32(k)
				if p.pending > 0 {
					return n, false, true
				}
				p.want = false
			} else {
				k := uint32(min(uint64(len(b)-n), uint64(p.skip)))
				n, p.skip = n+int(k), p.skip-k
				if p.skip > 0 {
					return n, false, true
				}
			}
			done, ok = p.value()
		} else if p.step == stepFields && p.fields == 0 {
			return n, true, p.left == 0
		} else {
			if n == len(b) {
				return n, false, true
			}
			k, complete, valid := p.head.Read(b[n:])
			n += k
			if p.step == stepFields {
				if uint64(k) > uint64(p.left) {
					return n, false, false
				}
				p.left -= uint32(k)
			}
			if !complete || !valid {
				return n, false, valid
			}
			done, ok = p.begun(uint64(len(b)-n) + uint64(left))
		}
		if done || !ok {
			return n, done, ok
		}
	}
}

// begun acts on a head that was read. The frame has left bytes behind it.
func (p *performative) begun(left uint64) (done, ok bool) {
	h, typ := &p.head, p.head.Type()
	if p.step == stepFields {
		left = uint64(p.left)
	}
	if typ == wire.None || uint64(h.Size) > left {
		return false, false
	}
	wanted := false
	switch p.step {
	case stepDescribed:
		p.step, p.head = stepDescriptor, wire.Head{}
		return false, typ == wire.Described
	case stepDescriptor:
		switch {
		case typ != wire.Ulong && typ != wire.Symbol:
			return false, false
		case h.Size > uint32(len(p.data)): // no name of these
			return true, true
		}
		wanted = true
	case stepList:
		if typ != wire.List {
			return false, false
		}
		p.step, p.left, p.fields, p.owed = stepFields, h.Size, h.Count, 1
		p.head = wire.Head{}
		return false, p.fields > 0 // both have a handle first
	case stepFields:
		p.left -= h.Size
		if typ == wire.Described {
			if p.wanted() != wire.None {
				return false, false
			}
			p.owed++
			p.head = wire.Head{}
			return false, true
		}
		if w := p.wanted(); w != wire.None {
			if typ != w && (typ != wire.Null || p.field == 0) {
				return false, false
			}
			wanted = true
		}
	}
	switch {
	case h.Size == 0:
		p.dataLen = 0
		return p.value()
	case wanted:
		p.want, p.dataLen, p.pending = true, 0, h.Size
	default:
		p.skip = h.Size
	}
	return false, true
}

// wanted returns the type of this field, None where it does not matter.
func (p *performative) wanted() wire.Type {
	switch {
	case p.field == 0:
		return wire.Uint // handle
	case p.code != performTransfer:
	case p.field == 5, p.field == 8, p.field == 9:
		return wire.Boolean // more, resume, aborted
	}
	return wire.None
}

// value acts on a value that was read.
func (p *performative) value() (done, ok bool) {
	v := p.head.Constant()
	for _, b := range p.data[:p.dataLen] {
		v = v<<8 | uint64(b)
	}
	symbol := p.head.Type() == wire.Symbol
	p.head = wire.Head{}
	if p.step == stepDescriptor {
		if symbol {
			v = 0
			switch string(p.data[:p.dataLen]) {
			case "amqp:transfer:list":
				v = performTransfer
			case "amqp:detach:list":
				v = performDetach
			case "amqp:end:list":
				v = performEnd
			}
		}
		p.code, p.dataLen, p.step = v, 0, stepList
		return v != performTransfer && v != performDetach, true
	}
	if p.wanted() != wire.None {
		switch p.field {
		case 0:
			p.handle = uint32(v)
		case 5:
			p.more = v != 0 // as go-amqp reads a boolean
		case 8:
			p.resume = v != 0
		case 9:
			p.aborted = v != 0
		}
	}
	p.dataLen = 0
	if p.owed--; p.owed == 0 {
		p.owed, p.field, p.fields = 1, p.field+1, p.fields-1
	}
	return false, true
}

// A payload is where in a delivery's payload its frames have come to. The payload is
// sections, each a described value; levels are the values that are open in one.
type payload struct {
	pos    uint64
	skip   uint64 // bytes of data to come
	head   wire.Head
	array  bool // the format code of an array's elements comes next
	depth  int
	levels [1 + wire.MaxDepth]level // those open in a section, and the section
}

type level struct {
	end       uint64 // where it ends; of a described value, where what it stands in does
	left      uint32 // values to come
	element   byte   // format code of the elements of an array of maps
	described bool
}

func (p *payload) reset() {
	p.pos, p.skip, p.head, p.array, p.depth = 0, 0, wire.Head{}, false, 0
}

// complete reports whether the payload may end here.
func (p *payload) complete() bool {
	return p.depth == 0 && p.skip == 0 && !p.head.Begun() && !p.array
}

// rewrite goes over the next bytes of the payload, and returns how many format codes it
// changed in them, and whether they are AMQP.
func (p *payload) rewrite(b []byte, decimals bool) (changed uint64, ok bool) {
	for {
		if p.skip > 0 {
			n := min(uint64(len(b)), p.skip)
			b, p.skip, p.pos = b[n:], p.skip-n, p.pos+n
			if p.skip > 0 {
				return changed, true
			}
		}
		for p.depth > 0 && !p.array && !p.head.Begun() { // leave what is complete
			l := &p.levels[p.depth-1]
			if l.element == 0 { // most values go the short way
				for l.left > 0 {
					n := wire.Simple(b)
					if n == 0 || uint64(n) > l.end-p.pos {
						break
					}
					b, p.pos = b[n:], p.pos+uint64(n)
					l.left--
				}
			}
			if l.left > 0 {
				break
			}
			if !l.described && p.pos != l.end {
				return changed, false
			}
			p.depth--
		}
		if len(b) == 0 {
			return changed, true
		}
		n, did, ok := p.next(b, decimals)
		b, p.pos = b[n:], p.pos+uint64(n)
		if did {
			changed++
		}
		if !ok {
			return changed, false
		}
	}
}

// next reads a part of a value's head or an array's format code, and returns how many
// bytes that was. It leaves p.pos as it is.
func (p *payload) next(b []byte, decimals bool) (n int, changed, ok bool) {
	end := ^uint64(0) // a payload's own length is not known
	var top *level
	if p.depth > 0 {
		top = &p.levels[p.depth-1]
		end = top.end
	}
	if p.array {
		p.array = false
		code := b[0]
		top.element = code
		left := end - p.pos - 1
		size, fixed := wire.FixedSize(code)
		typ := wire.TypeOf(code)
		switch r := wire.Readable(code, decimals); {
		case typ == wire.None:
			return 1, false, false
		case r != code:
			if left != uint64(top.left)*uint64(size) {
				return 1, false, false
			}
			b[0], changed = r, true
		case typ == wire.Map:
			return 1, false, true
		case fixed && left != uint64(top.left)*uint64(size):
			return 1, false, false
		}
		top.left, p.skip = 0, left // nothing in it can be changed, or go-amqp cannot decode it
		return 1, changed, true
	}
	if !p.head.Begun() && top != nil && top.element != 0 {
		p.head.Begin(top.element)
	}
	h := &p.head
	n, done, ok := h.Read(b)
	pos := p.pos + uint64(n)
	switch {
	case !ok || pos > end:
		return n, false, false
	case !done:
		return n, false, true
	}
	code, typ, size, count := h.Code(), h.Type(), uint64(h.Size), h.Count
	*h = wire.Head{}
	if typ == wire.None || size > end-pos || top == nil && typ != wire.Described {
		return n, false, false
	}
	if top != nil {
		top.left--
	}
	l := level{end: pos + size, left: count}
	switch typ {
	case wire.Described:
		l = level{end: end, left: 2, described: true}
	case wire.Map:
		if count%2 != 0 {
			return n, false, false
		}
	case wire.List:
	case wire.Array:
		if count == 0 && size == 0 {
			return n, false, true
		}
		if size == 0 {
			return n, false, false
		}
		p.array = true
	default:
		if r := wire.Readable(code, decimals); r != code {
			b[n-1], changed = r, true
		}
		p.skip = size
		return n, changed, true
	}
	if p.depth == len(p.levels) {
		return n, false, false
	}
	p.levels[p.depth] = l
	p.depth++
	return n, false, true
}
