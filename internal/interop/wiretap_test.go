//go:build interop

package interop

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/assert"
)

// wiretap is a connection that keeps the messages that arrive on it as they are
// encoded: go-amqp decodes them, and hides what was stated and what was not.
type wiretap struct {
	net.Conn

	mu       sync.Mutex
	arrived  []byte              // and not cut into frames yet
	links    map[handle]string   // names of the peer's links
	last     map[handle]delivery // that began last on a link
	messages map[delivery][]byte // encoded
	err      error               // the first thing that was no AMQP
}

// handle is what a link goes by in frames, delivery what a message does.
type (
	handle struct {
		channel uint16
		number  uint32
	}
	delivery struct{ link, tag string }
)

func newWiretap(c net.Conn) *wiretap {
	return &wiretap{Conn: c, links: map[handle]string{}, last: map[handle]delivery{}, messages: map[delivery][]byte{}}
}

func (w *wiretap) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived = append(w.arrived, b[:n]...)
	for w.err == nil && w.frame() {
	}
	return n, err
}

// message returns the encoded message of a delivery.
func (w *wiretap) message(link string, tag []byte) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	m, ok := w.messages[delivery{link, string(tag)}]
	if !ok {
		return nil, fmt.Errorf("no message arrived on link %q as delivery %x", link, tag)
	}
	return m, nil
}

// frame takes the next frame, if all of it has arrived [amqp 2.3].
func (w *wiretap) frame() bool {
	b := w.arrived
	if len(b) < 8 {
		return false
	}
	if bytes.HasPrefix(b, []byte("AMQP")) { // a protocol header
		w.arrived = b[8:]
		return true
	}
	size := binary.BigEndian.Uint32(b)
	if uint64(size) > uint64(len(b)) {
		return false
	}
	start := 4 * int(b[4])
	if int(size) < start {
		w.err = fmt.Errorf("a frame of %d bytes whose body starts at %d", size, start)
		return false
	}
	w.arrived = b[size:]
	if amqp := b[5] == 0; amqp && start < int(size) {
		w.performative(binary.BigEndian.Uint16(b[6:]), b[start:size])
	}
	return true
}

// performative looks at the body of a frame [amqp 2.7].
func (w *wiretap) performative(channel uint16, body []byte) {
	const attach, transfer = 0x12, 0x14
	r := wire.NewReader(body)
	code, _ := r.Descriptor()
	if code != attach && code != transfer {
		return
	}
	outer, n := r.List()
	if code == attach {
		name := string(r.String())
		w.links[handle{channel, r.Uint()}] = name
	} else {
		h := handle{channel, r.Uint()}
		if n > 1 {
			r.Skip() // delivery-id
		}
		// A message may come in several transfers, and all but the first lack the tag.
		if n > 2 && !r.Null() {
			d := delivery{w.links[h], string(r.Binary())}
			w.last[h] = d
			w.messages[d] = nil
		}
		r.LeaveEarly(outer)
		d := w.last[h]
		w.messages[d] = append(w.messages[d], r.Remaining()...)
	}
	if err := r.Err(); err != nil {
		w.err = fmt.Errorf("performative 0x%x: %w", code, err)
	}
}

func TestWiretap(t *testing.T) {
	here, there := net.Pipe()
	w := newWiretap(here)
	frame := func(kind byte, body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + "\x02" + string(kind) + "\x00\x01" + body
	}
	const (
		attach = "\x00\x53\x12\xc0\x06\x02\xa1\x01L\x52\x07" // name "L", handle 7
		first  = "\x00\x53\x14\xc0\x08\x03\x52\x07\x52\x00\xa0\x01t"
		later  = "\x00\x53\x14\xc0\x03\x01\x52\x07"
	)
	sent := "AMQP\x00\x01\x00\x00" + frame(1, "sasl") + frame(0, attach) + frame(0, "") +
		frame(0, first+"one") + frame(0, later+" two")
	go func() {
		for _, c := range []byte(sent) { // frames do not come whole
			there.Write([]byte{c})
		}
		there.Close()
	}()
	for b := make([]byte, 8); ; {
		if _, err := w.Read(b); err != nil {
			break
		}
	}
	m, err := w.message("L", []byte("t"))
	assert.NoError(t, err)
	assert.Equal(t, "one two", string(m))
	_, err = w.message("L", []byte("u"))
	assert.ErrorContains(t, err, `no message arrived on link "L" as delivery 75`)
}
