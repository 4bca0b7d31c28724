package amqpjms

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"
)

// A piecesConn is a connection whose reads return its bytes in pieces.
type piecesConn struct {
	net.Conn
	b     []byte
	piece func() int
}

func (c *piecesConn) Read(b []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := min(len(b), len(c.b), c.piece())
	copy(b, c.b[:n])
	c.b = c.b[n:]
	return n, nil
}

type charCounts struct{ values, malformed, unfollowed, unframed uint64 }

// rewritten returns what a stream is read as through a CharRewriter, in pieces.
func rewritten(t testing.TB, stream []byte, decimals bool, piece func() int) ([]byte, charCounts) {
	r := &CharRewriter{Decimals: decimals}
	got, err := io.ReadAll(r.Wrap(&piecesConn{b: bytes.Clone(stream), piece: piece}))
	require.NoError(t, err)
	var c charCounts
	c.values, c.malformed, c.unfollowed, c.unframed = r.Counts()
	return got, c
}

func atOnce() int { return 1 << 30 }

const (
	amqpHeader = "414d5150 00010000"
	saslHeader = "414d5150 03010000"
	tlsHeader  = "414d5150 02010000"
)

// frame returns one of type 0 as hex.
func frame(t testing.TB, channel int, body ...string) string {
	b := unhexed(t, strings.Join(body, ""))
	return fmt.Sprintf("%08x 02 00 %04x %x", 8+len(b), channel, b)
}

// Transfers on handle 0: one frame, the first of several, a later one, the last [amqp 2.7.5].
const (
	oneFrame     = "00 53 14 c0 08 05 43 43 a0 01 01 43 41"
	firstFrame   = "00 53 14 c0 09 06 43 43 a0 01 01 43 41 41"
	laterFrame   = "00 53 14 c0 07 06 43 40 40 40 40 41"
	lastFrame    = "00 53 14 c0 02 01 43"
	abortedFrame = "00 53 14 c0 0b 0a 43 40 40 40 40 41 40 40 40 41"
)

var charStreams = []struct {
	name     string
	stream   func(t testing.TB) []string // after the header, hex; «73» stands for a byte that becomes 70 and so on
	decimals bool
	counts   charCounts
}{
	{"char as value", frames(inFrame("00 53 77 <73>00000041")), false, charCounts{values: 1}},
	{"char in list", frames(inFrame("00 53 77 c0 08 02 <73>00000041 41 40")), false, charCounts{values: 1, malformed: 1}},
	{"char in list8", frames(inFrame("00 53 77 c0 07 02 <73>00000041 41")), false, charCounts{values: 1}},
	{"char in list32", frames(inFrame("00 53 77 d0 0000000a 00000002 <73>00000041 41")), false, charCounts{values: 1}},
	{"char in map, as key and as value", frames(inFrame("00 53 77 c1 0b 02 <73>00000041 <73>00000042")), false, charCounts{values: 2}},
	{"char in amqp-sequence", frames(inFrame("00 53 76 c0 06 01 <73>00000041")), false, charCounts{values: 1}},
	{"char in application-properties", frames(inFrame("00 53 74 c1 09 02 a1 01 63 <73>00000041 00 53 77 40")), false, charCounts{values: 1}},
	{"char in described value", frames(inFrame("00 53 77 00 a3 01 78 <73>00000041")), false, charCounts{values: 1}},
	{"array of char", frames(inFrame("00 53 77 e0 0a 02 <73> 00000041 00000073")), false, charCounts{values: 1}},
	{"array32 of char", frames(inFrame("00 53 77 f0 0000000d 00000002 <73> 00000041 00000073")), false, charCounts{values: 1}},
	{"array of maps", frames(inFrame("00 53 77 e0 0b 01 c1 08 02 43 <73>00000041 00")), false, charCounts{values: 1, malformed: 1}},
	{"array of two maps", frames(inFrame("00 53 77 e0 12 02 c1 07 02 43 <73>00000041 07 02 43 <73>00000042")), false, charCounts{values: 2}},
	{"73 inside other values", frames(inFrame("00 53 73 c0 04 01 a1 01 73 00 53 77 c0 0f 05 70 73737373 a1 01 73 a0 01 73 50 73 40")), false, charCounts{}},
	{"data of 73", frames(inFrame("00 53 75 a0 05 73 00000041")), false, charCounts{}},
	{"array of strings", frames(inFrame("00 53 77 e0 08 02 a1 02 73 73 01 73 73")), false, charCounts{}},
	{"array of lists passes", frames(inFrame("00 53 77 e0 09 01 c0 06 01 73 00000041")), false, charCounts{}},
	{"array without elements nor their code", frames(inFrame("00 53 77 c0 09 02 e0 01 00 <73>00000041")), false, charCounts{values: 1}},
	{"decimals pass", frames(inFrame("00 53 77 c0 06 01 74 00000041")), false, charCounts{}},
	{"decimals", frames(inFrame("00 53 77 c0 25 04 <73>00000041 [74]00000041 {84}0000000000000041 (94)0000000000000000 0000000000000041")), true, charCounts{values: 4, malformed: 0}},
	{"undefined code", frames(inFrame("00 53 77 c0 0d 03 <73>00000041 7f000000 73 00000041")), false, charCounts{values: 1, malformed: 1}},
	{"odd map", frames(inFrame("00 53 77 c1 06 01 73 00000041")), false, charCounts{malformed: 1}},
	{"list larger than its list", frames(inFrame("00 53 77 c0 08 01 c0 07 01 73 00000041 40")), false, charCounts{malformed: 1}},
	{"char larger than its list", frames(inFrame("00 53 77 c0 04 01 73 00000041")), false, charCounts{malformed: 1}},
	{"no section", frames(inFrame("73 00000041")), false, charCounts{malformed: 1}},
	{"cut off", frames(inFrame("00 53 77 <73>0000")), false, charCounts{values: 1, malformed: 1}},
	{"cut off, next delivery", frames(inFrame("00 53 77 <73>0000"), inFrame("00 53 77 <73>00000041")), false, charCounts{values: 2, malformed: 1}},

	{"two frames, cut before the code", frames(firstFrame+"00 53 77", lastFrame+"<73>00000041"), false, charCounts{values: 1}},
	{"three frames, cut within the char", frames(firstFrame+"00 53 77 c0 0b 02 <73>00", laterFrame+"0000", lastFrame+"41 <73>00000042"), false, charCounts{values: 2}},
	{"three frames, cut within a size", frames(firstFrame+"00 53 77 d0 0000", laterFrame+"000a 000000", lastFrame+"02 <73>00000041 41"), false, charCounts{values: 1}},
	{"binary that reads as a section, in its own frame", frames(firstFrame+"00 53 75 a0 08", lastFrame+"00 53 77 73 00000041"), false, charCounts{}},
	{"array's code in its own frame", frames(firstFrame+"00 53 77 e0 06 01", laterFrame, laterFrame+"<73>", lastFrame+"00000073"), false, charCounts{values: 1}},
	{"interleaved with another handle and channel", func(t testing.TB) []string {
		return []string{
			frame1(t, 0, firstFrame+"00 53 75 a0 08"),
			frame1(t, 0, "00 53 14 c0 09 05 52 07 43 a0 01 01 43 41"+"00 53 77 <73>00000041"),
			frame1(t, 1, inFrame("00 53 77 <73>00000041")),
			frame1(t, 0, lastFrame+"00 53 77 73 00000041"),
			frame1(t, 0, inFrame("00 53 77 <73>00000041")),
		}
	}, false, charCounts{values: 3}},
	{"aborted", frames(firstFrame+"00 53 77", abortedFrame+"73 00000041", inFrame("00 53 77 <73>00000041")), false, charCounts{values: 1}},
	{"detached", frames(firstFrame+"00 53 77", "00 53 16 c0 03 02 43 41", firstFrame+"00 53 77 <73>00", lastFrame+"000041"), false, charCounts{values: 1}},
	{"another handle detached", frames(firstFrame+"00 53 77", "00 53 16 c0 04 02 52 01 41", lastFrame+"<73>00000041"), false, charCounts{values: 1}},
	{"session ended", frames(firstFrame+"00 53 77", "00 53 17 45", firstFrame+"00 53 77 <73>00", lastFrame+"000041"), false, charCounts{values: 1}},
	{"malformed delivery passes to its end", frames(firstFrame+"7f", laterFrame+"00 53 77 73 00000041", lastFrame, inFrame("00 53 77 <73>00000041")), false, charCounts{values: 1, malformed: 1}},
	{"resumed delivery passes", frames("00 53 14 c0 0c 09 43 43 a0 01 01 43 41 41 40 40 41 00 53 77 73 00000041", lastFrame+"73 00000041", inFrame("00 53 77 <73>00000041")), false, charCounts{values: 1, unfollowed: 1}},
	{"descriptor as ulong, list32, handle as uint", frames("00 80 0000000000000014 d0 0000000e 00000004 70 00000000 43 a0 01 01 43 00 53 77 <73>00000041"), false, charCounts{values: 1, malformed: 0}},
	{"symbolic descriptor", frames("00 a3 12 616d71703a7472616e736665723a6c697374 c0 08 05 43 43 a0 01 01 43 41 00 53 77 <73>00000041"), false, charCounts{values: 1}},
	{"state in transfer", frames("00 53 14 c0 12 08 43 43 a0 01 01 43 41 42 40 00 53 24 c0 03 02 73 73 00 53 77 <73>00000041"), false, charCounts{values: 1}},
	{"0x24 is accepted, not a transfer", frames("00 53 24 c0 08 05 43 43 a0 01 01 43 41 00 53 77 73 00000041"), false, charCounts{}},
	{"disposition", frames("00 53 15 c0 05 04 41 43 43 41 00 53 77 73 00000041"), false, charCounts{}},
	{"extended header", func(testing.TB) []string {
		return []string{"00000023 03 00 0000 73000041" + inFrame("00 53 77 <73>00000041")}
	}, false, charCounts{values: 1}},
	{"type 1 passes", func(testing.TB) []string {
		return []string{"0000001f 02 01 0000" + inFrame("00 53 77 73 00000041")}
	}, false, charCounts{}},
	{"heartbeats", func(t testing.TB) []string {
		return []string{"00000008 02 00 0000", "0000000c 03 00 0000 73737373", frame1(t, 0, inFrame("00 53 77 <73>00000041"))}
	}, false, charCounts{values: 1}},
	{"doff of 1", func(t testing.TB) []string {
		return []string{"0000001f 01 00 0000" + inFrame("00 53 77 73 00000041"), frame1(t, 0, inFrame("00 53 77 73 00000041"))}
	}, false, charCounts{unframed: 1}},
	{"size of 7", func(t testing.TB) []string {
		return []string{"00000007 02 00 0000", frame1(t, 0, inFrame("00 53 77 73 00000041"))}
	}, false, charCounts{unframed: 1}},
	{"transfer without handle", frames("00 53 14 45 00 53 77 73 00000041", inFrame("00 53 77 73 00000041")), false, charCounts{unframed: 1}},
	{"transfer cut off", frames("00 53 14 c0 07", inFrame("00 53 77 73 00000041")), false, charCounts{unframed: 1}},
	{"list of transfer too long", frames("00 53 14 c0 ff 01 43 00 53 77 73 00000041", inFrame("00 53 77 73 00000041")), false, charCounts{unframed: 1}},
}

func inFrame(payload string) string { return oneFrame + payload }

// frame1 is frame for bytes with marks.
func frame1(t testing.TB, channel int, body string) string {
	n := len(unhexed(t, marks("<", "", ">", "", "[", "", "]", "", "{", "", "}", "", "(", "", ")", "").Replace(body)))
	return fmt.Sprintf("%08x 02 00 %04x %s", 8+n, channel, body)
}

func marks(pairs ...string) *strings.Replacer { return strings.NewReplacer(append(pairs, " ", "")...) }

func frames(bodies ...string) func(t testing.TB) []string {
	return func(t testing.TB) (out []string) {
		for _, b := range bodies {
			out = append(out, frame1(t, 0, b))
		}
		return out
	}
}

// before and after return the stream with its marked bytes as sent, and as read.
func before(t testing.TB, s string) []byte {
	return unhexed(t, marks("<", "", ">", "", "[", "", "]", "", "{", "", "}", "", "(", "", ")", "").Replace(s))
}

func after(t testing.TB, s string) []byte {
	return unhexed(t, marks("<73>", "70", "[74]", "70", "{84}", "80", "(94)", "98").Replace(s))
}

func TestCharRewriter(t *testing.T) {
	for _, c := range charStreams {
		for _, header := range []string{amqpHeader, saslHeader + "00000016 02 01 0000 00 53 40 c0 0b 01 73 00000041 000000" + amqpHeader} {
			s := header + strings.Join(c.stream(t), "")
			for _, piece := range []func() int{atOnce, func() int { return 1 }, func() int { return 3 }} {
				got, counts := rewritten(t, before(t, s), c.decimals, piece)
				require.Equalf(t, after(t, s), got, "%s: %s", c.name, s)
				require.Equalf(t, c.counts, counts, "%s: %s", c.name, s)
			}
		}
	}
}

func TestCharRewriterProtocolHeaders(t *testing.T) {
	transfer := frame(t, 0, oneFrame, "00 53 77 73 00000041")
	for _, s := range []string{tlsHeader + transfer, transfer, "414d5150 00000901" + transfer} {
		got, counts := rewritten(t, unhexed(t, marks().Replace(s)), true, atOnce)
		require.Equal(t, unhexed(t, marks().Replace(s)), got, s)
		require.Equal(t, charCounts{unframed: 1}, counts, s)
	}
}

func TestCharRewriterDepth(t *testing.T) {
	for _, c := range []struct {
		depth  int
		counts charCounts
	}{{100, charCounts{values: 1}}, {101, charCounts{malformed: 1}}, {100000, charCounts{malformed: 1}}} {
		value := unhexed(t, "7300000041")
		if c.depth > 1000 { // described values
			value = append(bytes.Repeat(unhexed(t, "00a30178"), c.depth), value...)
		}
		for range c.depth % 1000 {
			value = append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{0xd0}, uint32(4+len(value))), 1), value...)
		}
		body := append(unhexed(t, marks().Replace(oneFrame+"005377")), value...)
		stream := append(unhexed(t, marks().Replace(amqpHeader)), binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))...)
		stream = append(append(stream, 2, 0, 0, 0), body...)
		got, counts := rewritten(t, stream, false, atOnce)
		require.Equal(t, c.counts, counts, "depth %d", c.depth)
		require.Equal(t, c.counts.values == 0, bytes.Equal(stream, got), "depth %d", c.depth)
	}
}

// Of more than 128 deliveries that are not complete further ones pass, also their later
// frames, which would read as the start of another message.
func TestCharRewriterUnfinished(t *testing.T) {
	for _, n := range []int{128, 129, 1024, 3000} {
		var s strings.Builder
		s.WriteString(amqpHeader)
		onHandle := func(i int, fields, payload string) {
			list := fmt.Sprintf("70 %08x %s", i, fields)
			size := len(unhexed(t, marks().Replace(list)))
			count := map[bool]string{true: "06", false: "01"}[fields != ""]
			s.WriteString(frame1(t, i%3, fmt.Sprintf("00 53 14 c0 %02x %s %s %s", 1+size, count, list, payload)))
		}
		for i := range n {
			onHandle(i, "43 a0 01 01 43 41 41", "00 53 75 a0 08")
		}
		for i := range n {
			onHandle(i, "", "00 53 77 73 00000041"+map[bool]string{true: "00 53 77 <73>00000042", false: "00 53 77 73 00000042"}[i < 128])
		}
		want := charCounts{values: 128, unfollowed: uint64(n - 128)}
		if n <= 1024 { // what is done is done
			onHandle(n-1, "43 a0 01 01 43 41 41", "00 53 77 <73>")
			want.values++
		} else {
			want.unfollowed += uint64(n - 1024) // of an unknown one each frame may be the first
		}
		got, counts := rewritten(t, before(t, s.String()), false, atOnce)
		require.True(t, bytes.Equal(after(t, s.String()), got), n)
		require.Equal(t, want, counts, n)

		c := (&CharRewriter{}).Wrap(&piecesConn{b: before(t, s.String()), piece: atOnce}).(*charConn)
		b := make([]byte, s.Len())
		_, err := c.Read(b)
		require.NoError(t, err)
		require.Equal(t, 128, len(c.free)+c.followed, "states are used again")
		require.Less(t, cap(c.keys), 2*1024)
	}
}

// plainRewrite does what a CharRewriter does with a oneFrame stream of AMQP frames on one
// channel that span at most two deliveries at once: it joins each delivery's payload,
// decodes that recursively, and writes it back.
func plainRewrite(stream []byte, decimals bool) []byte {
	out := bytes.Clone(stream)
	if len(out) < 8 || string(out[:8]) != "AMQP\x00\x01\x00\x00" {
		return out
	}
	type key struct {
		channel uint16
		handle  uint32
	}
	places := map[key][]int{} // of the bytes of each delivery
	flush := func(k key) {
		p := plainPayload{out: out, at: places[k], decimals: decimals}
		for p.pos < len(p.at) && p.section() {
		}
		delete(places, k)
	}
	for i := 8; len(out)-i >= 8; {
		size, start := int(binary.BigEndian.Uint32(out[i:])), 4*int(out[i+4])
		if start < 8 || size < start {
			break
		}
		end := min(i+size, len(out))
		if code, handle, more, body := plainTransfer(out[min(i+start, end):end]); out[i+5] == 0 && code == 0x14 {
			k := key{binary.BigEndian.Uint16(out[i+6:]), handle}
			for at := i + start + body; at < end; at++ {
				places[k] = append(places[k], at)
			}
			if !more {
				flush(k)
			}
		}
		i += size
	}
	for k := range places {
		flush(k)
	}
	return out
}

// plainTransfer reads the performatives that the fuzz target writes.
func plainTransfer(b []byte) (code byte, handle uint32, more bool, body int) {
	if len(b) < 6 || b[0] != 0 || b[1] != 0x53 || b[3] != 0xc0 {
		return 0, 0, false, 0
	}
	return b[2], uint32(b[7]), b[5] >= 6 && b[14] == 0x41, 5 + int(b[4])
}

type plainPayload struct {
	out      []byte
	at       []int
	pos      int
	decimals bool
}

func (p *plainPayload) section() bool {
	return p.peek(0) == 0 && p.value(math.MaxInt, -1, 0)
}

func (p *plainPayload) peek(i int) int {
	if p.pos+i < len(p.at) {
		return int(p.out[p.at[p.pos+i]])
	}
	return -1
}

func (p *plainPayload) number(n int) int {
	v := 0
	for i := range n {
		if p.peek(i) < 0 {
			return -1
		}
		v = v<<8 | p.peek(i)
	}
	p.pos += n
	return v
}

func (p *plainPayload) swap(at int) bool {
	to := map[byte]byte{0x73: 0x70}
	if p.decimals {
		to = map[byte]byte{0x73: 0x70, 0x74: 0x70, 0x84: 0x80, 0x94: 0x98}
	}
	b := &p.out[p.at[at]]
	if to[*b] == 0 {
		return false
	}
	*b = to[*b]
	return true
}

var plainWidth = map[int]int{0x4: 0, 0x5: 1, 0x6: 2, 0x7: 4, 0x8: 8, 0x9: 16}

const plainCodes = "\x40\x41\x42\x43\x44\x45\x50\x51\x52\x53\x54\x55\x56\x60\x61\x70\x71\x72\x73\x74\x80\x81\x82\x83\x84\x94\x98\xa0\xa1\xa3\xb0\xb1\xb3\xc0\xc1\xd0\xd1\xe0\xf0"

// value goes over one value that ends before end, with its format code if code is -1.
func (p *plainPayload) value(end, code, depth int) bool {
	at := p.pos
	if code < 0 {
		if code = p.number(1); code < 0 || p.pos > end {
			return false
		}
	}
	if code == 0 {
		return depth <= 100 && p.value(end, -1, depth+1) && p.value(end, -1, depth+1)
	}
	if strings.IndexByte(plainCodes, byte(code)) < 0 {
		return false
	}
	if w, fixed := plainWidth[code>>4]; fixed {
		if p.pos+w > end {
			return false
		}
		p.swap(at)
		p.pos += w
		return p.pos <= len(p.at)
	}
	width := 1 + 3*(code>>4&1)
	size := p.number(width)
	if size < 0 || p.pos > end {
		return false
	}
	if code < 0xc0 {
		p.pos += size
		return p.pos <= end && p.pos <= len(p.at)
	}
	inner := p.pos + size
	count := p.number(width)
	if count < 0 || p.pos > inner || inner > end {
		return false
	}
	if code&0xf == 1 && count%2 != 0 {
		return false
	}
	if code >= 0xe0 {
		if inner == p.pos {
			return count == 0
		}
		if depth > 100 {
			return false
		}
		element := p.number(1)
		left := inner - p.pos
		switch w, fixed := plainWidth[element>>4]; {
		case element < 0, element > 0 && strings.IndexByte(plainCodes, byte(element)) < 0:
			return false
		case fixed && left != count*w:
			return false
		case element == 0xc1 || element == 0xd1:
			for range count {
				if !p.value(inner, element, depth+1) {
					return false
				}
			}
			return p.pos == inner
		case fixed:
			p.swap(p.pos - 1)
		}
		p.pos = inner
		return p.pos <= len(p.at)
	}
	if depth > 100 {
		return false
	}
	for range count {
		if !p.value(inner, -1, depth+1) {
			return false
		}
	}
	return p.pos == inner
}

// FuzzCharRewriter cuts payloads into frames and reads at random, interleaved: what comes
// out is what the plain decoder says, whatever the cuts.
func FuzzCharRewriter(f *testing.F) {
	for _, c := range charStreams {
		f.Add(before(f, strings.Join(c.stream(f), "")), []byte{}, uint64(1), c.decimals)
		for _, s := range c.stream(f) {
			if b := before(f, s); len(b) > 21 {
				f.Add(b[21:], b[21:], uint64(2), c.decimals)
			}
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte, seed uint64, decimals bool) {
		// As a stream of its own: the same with any reads; with no code to change, no change.
		raw := append([]byte("AMQP\x00\x01\x00\x00"), a...)
		want, counts := rewritten(t, raw, decimals, atOnce)
		rnd := rand.New(rand.NewPCG(seed, 1))
		random := func() int { return 1 + rnd.IntN(1+rnd.IntN(40)) }
		got, again := rewritten(t, raw, decimals, random)
		require.Equal(t, want, got)
		require.Equal(t, counts, again)
		if counts.values == 0 {
			require.Equal(t, raw, got)
		}

		stream := []byte("AMQP\x00\x01\x00\x00")
		payloads := [2][]byte{a, b}
		var begun, done [2]bool
		for !done[0] || !done[1] {
			h := rnd.IntN(2)
			if done[h] {
				h = 1 - h
			}
			n := min(rnd.IntN(1+rnd.IntN(60)), len(payloads[h]))
			done[h] = n == len(payloads[h])
			more := byte(0x42)
			if !done[h] {
				more = 0x41
			}
			// handle, delivery-id, delivery-tag, message-format, settled, more [amqp 2.7.5]
			body := []byte{0, 0x53, 0x14, 0xc0, 10, 6, 0x52, byte(h), 0x43, 0xa0, 1, byte(h), 0x43, 0x41, more}
			if begun[h] {
				body = []byte{0, 0x53, 0x14, 0xc0, 10, 6, 0x52, byte(h), 0x40, 0xa0, 1, byte(h), 0x40, 0x40, more}
			}
			begun[h] = true
			body = append(body, payloads[h][:n]...)
			payloads[h] = payloads[h][n:]
			stream = binary.BigEndian.AppendUint32(stream, uint32(8+len(body)))
			stream = append(append(stream, 2, 0, 0, 7), body...)
		}
		got, _ = rewritten(t, stream, decimals, random)
		require.Equal(t, fmt.Sprintf("%x", plainRewrite(stream, decimals)), fmt.Sprintf("%x", got), "%x", stream)
	})
}

// A loopConn reads the same bytes again and again.
type loopConn struct {
	net.Conn
	b  []byte
	at int
}

func (c *loopConn) Read(b []byte) (int, error) {
	n := copy(b, c.b[c.at:])
	c.at = (c.at + n) % len(c.b)
	return n, nil
}

func TestCharRewriterAllocs(t *testing.T) {
	var s strings.Builder
	for range 50 {
		for _, f := range []string{firstFrame + "00 53 77 c0 0b 02 73 00", laterFrame + "0000", lastFrame + "41 73 00000042", oneFrame + "00 53 77 73 00000041", firstFrame + "7f", lastFrame, "00 53 17 45"} {
			s.WriteString(frame1(t, 0, f))
		}
	}
	r := &CharRewriter{}
	inner := &loopConn{b: unhexed(t, marks().Replace(amqpHeader))}
	c := r.Wrap(inner)
	b := make([]byte, 64)
	n, err := c.Read(b)
	require.NoError(t, err)
	require.Equal(t, 8, n)
	inner.b = unhexed(t, marks().Replace(s.String()))
	require.Zero(t, testing.AllocsPerRun(2000, func() {
		if _, err := c.Read(b); err != nil {
			panic(err)
		}
	}))
	values, malformed, _, unframed := r.Counts()
	require.NotZero(t, values)
	require.NotZero(t, malformed)
	require.Zero(t, unframed)
}

// errors of reading come with the bytes before them.
type failConn struct{ net.Conn }

var errFail = errors.New("fails")

func (failConn) Read(b []byte) (int, error) { return copy(b, "AMQP"), errFail }

func TestCharRewriterReadError(t *testing.T) {
	b := make([]byte, 10)
	n, err := (&CharRewriter{}).Wrap(failConn{}).Read(b)
	require.Equal(t, 4, n)
	require.ErrorIs(t, err, errFail)
}

// charPeer answers a receiver of go-amqp with payloads, as often as there is credit. It is no
// more than one link needs.
func charPeer(c net.Conn, frames []byte, loop bool) {
	defer c.Close()
	head := make([]byte, 8)
	if _, err := io.ReadFull(c, head); err != nil {
		return
	}
	_, _ = c.Write(head)
	name := []byte(nil)
	write := func(body ...byte) {
		f := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
		_, _ = c.Write(append(append(f, 2, 0, 0, 0), body...))
	}
	sent := false
	for {
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head)-8)
		if _, err := io.ReadFull(c, body); err != nil {
			return
		}
		if len(body) < 3 {
			continue
		}
		switch body[2] {
		case 0x10: // open: container-id
			write(0, 0x53, 0x10, 0xc0, 4, 1, 0xa1, 1, 'p')
		case 0x11: // begin: remote-channel, next-outgoing-id, incoming-window, outgoing-window
			write(0, 0x53, 0x11, 0xc0, 15, 4, 0x60, 0, 0, 0x43, 0x70, 0x7f, 0, 0, 0, 0x70, 0x7f, 0, 0, 0)
		case 0x12: // attach: the name comes first in its list, which is a list8 or a list32
			at := 6
			if body[3] == 0xd0 {
				at = 12
			}
			name = body[at : at+2+int(body[at+1])]
			// name, handle, role sender, modes, source, target, unsettled, incomplete-unsettled, initial-delivery-count
			source := []byte{0, 0x53, 0x28, 0xc0, 4, 1, 0xa1, 1, 'q'}
			target := []byte{0, 0x53, 0x29, 0x45}
			list := append(append([]byte{}, name...), 0x43, 0x42, 0x40, 0x40)
			list = append(append(append(list, source...), target...), 0x40, 0x40, 0x43)
			write(append([]byte{0, 0x53, 0x12, 0xc0, byte(1 + len(list)), 10}, list...)...)
		case 0x13: // flow
			if !sent {
				sent = true
				go func() {
					for {
						if _, err := c.Write(frames); err != nil || !loop {
							return
						}
					}
				}()
			}
		case 0x16: // detach
			write(0, 0x53, 0x16, 0xc0, 3, 2, 0x43, 0x41)
		case 0x18: // close
			write(0, 0x53, 0x18, 0x45)
			return
		}
	}
}

// charReceiver opens a link of go-amqp over a connection.
func charReceiver(t testing.TB, c net.Conn, credit int32) (*amqp.Receiver, context.Context) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	conn, err := amqp.NewConn(ctx, c, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	session, err := conn.NewSession(ctx, nil)
	require.NoError(t, err)
	r, err := session.NewReceiver(ctx, "q", &amqp.ReceiverOptions{Credit: credit})
	require.NoError(t, err)
	return r, ctx
}

// A JMS map with a char and a text, in two frames, the char's format code the last byte of
// the first.
func TestCharRewriterGoAMQP(t *testing.T) {
	two := unhexed(t, marks().Replace(
		frame(t, 0, firstFrame, "00 53 77 c1 0f 04 a1 01 63 73")+
			frame(t, 0, lastFrame, "0001f600 a1 01 74 a1 01 73")))
	for _, wrapped := range []bool{false, true} {
		here, there := net.Pipe()
		go charPeer(there, two, false)
		var counts CharRewriter
		if wrapped {
			here = counts.Wrap(here)
		}
		r, ctx := charReceiver(t, here, 1)
		m, err := r.Receive(ctx, nil)
		values, _, _, unframed := counts.Counts()
		require.Zero(t, unframed)
		if !wrapped {
			require.ErrorContains(t, err, "char not implemented")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, map[string]any{"c": uint32('😀'), "t": "s"}, m.Value)
		require.EqualValues(t, 1, values)
	}
}

// charItems returns 40 keys and values, a number and a text in turn.
func charItems() string {
	var s strings.Builder
	for i := range 20 {
		fmt.Fprintf(&s, "a1 06 7072696365 %02x 70 000001%02x a1 05 6e616d65 %02x a1 08 7375627363726962", 'a'+i, i, 'a'+i)
	}
	return s.String()
}

// What go-amqp receives a second over loopback, bare and under a CharRewriter, side by side.
func BenchmarkConn(b *testing.B) {
	items := charItems()
	size := len(unhexed(b, marks().Replace(items)))
	mapped := fmt.Sprintf("00 53 77 d1 %08x %08x %s", 4+size, 80, items)
	text := "00 53 77 b1 00000400" + strings.Repeat("73", 1024)
	data := "00 53 75 b0 00010000" + strings.Repeat("73", 65536)
	for _, c := range []struct{ name, payload string }{{"map 1 KB", mapped}, {"text 1 KB", text}, {"data 64 KB", data}} {
		one := unhexed(b, marks().Replace(frame(b, 0, oneFrame, c.payload)))
		for _, lib := range []string{"bare", "amqpjms"} {
			measure(b, "Conn/"+strings.ReplaceAll(c.name, " ", "-"), lib, func(b *testing.B) {
				b.SetBytes(int64(len(one)))
				l, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(b, err)
				defer l.Close()
				go func() {
					if c, err := l.Accept(); err == nil {
						charPeer(c, bytes.Repeat(one, 1+65536/len(one)), true)
					}
				}()
				conn, err := net.Dial("tcp", l.Addr().String())
				require.NoError(b, err)
				if lib == "amqpjms" {
					conn = (&CharRewriter{}).Wrap(conn)
				}
				r, ctx := charReceiver(b, conn, 1000)
				for b.Loop() {
					if _, err := r.Receive(ctx, nil); err != nil {
						b.Fatal(err)
					}
				}
				_ = conn.Close()
			})
		}
	}
}

// What going over the bytes alone costs, without a network and go-amqp.
func BenchmarkConnRewrite(b *testing.B) {
	items := charItems()
	size := len(unhexed(b, marks().Replace(items)))
	for _, c := range []struct{ name, payload string }{
		{"map-1-KB", fmt.Sprintf("00 53 77 d1 %08x %08x %s", 4+size, 80, items)},
		{"data-64-KB", "00 53 75 b0 00010000" + strings.Repeat("73", 65536)},
	} {
		measure(b, "ConnRewrite/"+c.name, "amqpjms", func(b *testing.B) {
			frame := unhexed(b, marks().Replace(frame1(b, 0, oneFrame+c.payload)))
			b.SetBytes(int64(len(frame)))
			conn := &charConn{counts: &CharRewriter{}, layer: layerAMQP}
			for b.Loop() {
				conn.rewrite(frame)
			}
		})
	}
}
