//go:build interop

package interop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

// charFeatures have the JMS application send chars, on which go-amqp ends a link.
func charFeatures() []feature {
	return []feature{
		{name: "char in a MapMessage, with CharRewriter: JMS to Go", run: func(t *testing.T, s *site) diff {
			return charRewritten(t, s, "map")
		}},
		{name: "char in a StreamMessage, with CharRewriter: JMS to Go", run: func(t *testing.T, s *site) diff {
			return charRewritten(t, s, "stream")
		}},
		{name: "char, without: the link ends, again and again", run: charUnwritten},
	}
}

// charBodies are a map and a stream with chars, and what is left of them.
func charBodies() (map[string]value, map[string]any) {
	char := func(c uint16) value { return value{T: "char", V: fmt.Append(nil, c)} }
	m := [][2]value{{jms("char"), char('A')}, {jms("euro"), char('€')}, {jms("half a character"), char(0xd83d)}}
	wantMap := map[string]any{"char": uint32('A'), "euro": uint32('€'), "half a character": uint32(0xd83d)}
	for name, v := range inBody {
		m = append(m, [2]value{jms(name), jms(v)})
		wantMap[name] = v
	}
	l := []value{char('A'), jms("s"), char('€'), jms([]byte("ssss")), char(0xd83d), jms(int64(0x73)), jms(nil)}
	wantStream := []any{uint32('A'), "s", uint32('€'), []byte("ssss"), uint32(0xd83d), int64(0x73), nil}
	return map[string]value{"map": composite("map", m), "stream": composite("list", l)},
		map[string]any{"map": wantMap, "stream": wantStream}
}

// charRewritten has a Go client under whose connection is a CharRewriter receive a message
// with chars, in several frames too, and the one behind it.
func charRewritten(t *testing.T, s *site, kind string) (d diff) {
	q := s.node(t, "queue")
	bodies, want := charBodies()
	long := strings.Repeat("s", 100_000) // more than a frame of some brokers
	for _, padding := range []string{"short", long} {
		body := bodies[kind]
		s.app.send(t, q.jms, message{
			Kind: kind, Body: &body, DeliveryMode: s.jmsMode(), Headers: map[string]value{"JMSType": jms("s")},
			Properties: []property{{"text", jms(padding)}, {"long", jms(int64(0x7373737373737373))}},
		})
	}
	s.app.send(t, q.jms, message{Body: ptr(jms("behind")), DeliveryMode: s.jmsMode()})

	rewriter := new(amqpjms.CharRewriter)
	l, err := s.lineOver(t, q, 10, rewriter.Wrap)
	require.NoError(t, err)
	defer l.conn.Close()
	next := func() amqpjms.View {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		m, err := l.Receive(ctx, nil)
		require.NoError(t, err)
		require.NoError(t, l.AcceptMessage(ctx, m))
		return amqpjms.Consumer{Peer: s.broker.peer}.View(m, time.Now())
	}
	for _, padding := range []string{"short", long} {
		v := next()
		var got any
		if kind == "map" {
			got, err = v.Map()
		} else {
			got, err = v.Stream()
		}
		d.want("the error", nil, err)
		d.want("the body", fmt.Sprintf("%#v", want[kind]), fmt.Sprintf("%#v", got))
		d.want("JMSType", "s", must(v.Type()).Or(""))
		d.want("a property", padding, must(v.Property("text").Text()))
		d.want("another", int64(0x7373737373737373), must(v.Property("long").Long()))
	}
	behind, err := next().Text()
	require.NoError(t, err)
	d.want("the message behind", "behind", behind.Or(""))
	values, malformed, unfollowed, unframed := rewriter.Counts()
	d.want("chars", 6, values)
	d.want("what was left", [3]uint64{}, [3]uint64{malformed, unfollowed, unframed})
	return d
}

// charUnwritten shows what a char does to a Go client that does not rewrite it.
func charUnwritten(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	bodies, _ := charBodies()
	body := bodies["map"]
	s.app.send(t, q.jms, message{Kind: "map", Body: &body, DeliveryMode: s.jmsMode()})
	for range 3 {
		l, err := s.lineOver(t, q, 1, func(c net.Conn) net.Conn { return c })
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err = l.Receive(ctx, nil)
		cancel()
		l.conn.Close()
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			d.note("a message comes, or none: %v", err)
		} else if !strings.Contains(err.Error(), "char not implemented") {
			d.note("it ends otherwise: %v", err)
		}
	}
	return d
}
