//go:build interop

package interop

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

func amqp091Features() []feature {
	fs := []feature{
		{name: "AMQP 0-9-1 asks with a queue of its own, Go replies", run: func(t *testing.T, s *site) (d diff) {
			// One that the broker names, and one whose name cannot stand in an address as it is.
			for _, queue := range []string{"", "replies/é d=="} {
				goReplies091(t, s, queue, true, &d)
			}
			return d
		}},
		{name: "AMQP 0-9-1 asks with direct reply-to, Go replies", run: func(t *testing.T, s *site) (d diff) {
			goReplies091(t, s, "amq.rabbitmq.reply-to", true, &d)
			return d
		}},
		{name: "text not sent as data: Go to AMQP 0-9-1", run: func(t *testing.T, s *site) (d diff) {
			goReplies091(t, s, "", false, &d)
			return d
		}},
	}
	for i := range fs {
		fs[i].only = rabbit
	}
	return fs
}

// goReplies091 has an AMQP 0-9-1 client ask, and Go answer with a text.
func goReplies091(t *testing.T, s *site, replyTo string, asData bool, d *diff) {
	questions := s.node(t, "questions")
	asking := ask091(t, s, questions, replyTo)
	request := s.client.receive(t, questions)
	got, err := request.view.Text()
	require.NoError(t, err)
	d.want("the request", "a request, é", got)
	reply, to, err := request.view.Reply(amqpjms.CorrelationIDFirst)
	require.NoError(t, err)

	w := s.writer()
	w.Peer.TextAsData = asData
	require.NoError(t, w.SetText(reply, "a reply, é"))
	prepare(t, s.producer(node{destination: to}), reply)
	sendErr := s.try(t, to, reply)
	if sendErr != nil {
		d.refused("the reply", sendErr)
	}
	asked := asking()
	require.Contains(t, asked.ReplyTo, replyTo)
	if replyTo != "amq.rabbitmq.reply-to" { // whose name is another in each request
		d.want("where the reply goes", "/queues/"+percentEncoded(asked.ReplyTo), s.broker.address(t, to))
	}
	if sendErr != nil {
		require.Nil(t, asked.Reply)
		return
	}
	require.NotNil(t, asked.Reply, "the AMQP 0-9-1 client received no reply")
	body, err := hex.DecodeString(asked.Reply.Body)
	require.NoError(t, err)
	d.want("the body", fmt.Sprintf("%q", "a reply, é"), fmt.Sprintf("%q", body))
	d.want("the correlation id", "order 1", asked.Reply.CorrelationID)
}

// percentEncoded is the name of a queue as RabbitMQ has it in addresses: all but the
// unreserved characters encoded [rfc 3986 2.3].
func percentEncoded(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// asked is what the AMQP 0-9-1 client says when it is done.
type asked struct {
	ReplyTo string
	Reply   *struct{ Body, ContentType, CorrelationID string } // nil if none came
}

// ask091 has an AMQP 0-9-1 client ask. The function that it returns waits until the client
// is done.
func ask091(t *testing.T, s *site, questions node, replyTo string) func() asked {
	t.Helper()
	_, port, err := net.SplitHostPort(s.hostPort)
	require.NoError(t, err)
	var out bytes.Buffer
	cmd := exec.Command(pika(t), filepath.Join("python", "ask.py"), port, questions.destination.Name, replyTo)
	cmd.Stdout = &out
	client := startPeer(t, "the AMQP 0-9-1 client", cmd)
	return func() (a asked) {
		t.Helper()
		require.NoError(t, client.finish(30*time.Second))
		require.NoError(t, json.Unmarshal(out.Bytes(), &a), "%q", out.String())
		return a
	}
}

const pikaVersion = "1.4.4"

// pika is a Python interpreter that has pika, an AMQP 0-9-1 client, in an environment made
// by the first test that asks for it and kept.
func pika(t testing.TB) string {
	t.Helper()
	environment := filepath.Join(cache(t), "pika-"+pikaVersion)
	python := filepath.Join(environment, "bin", "python")
	if _, err := os.Stat(environment); err == nil {
		return python
	}
	// Under its own name only when it is whole.
	unfinished := environment + ".new"
	require.NoError(t, os.RemoveAll(unfinished))
	for _, args := range [][]string{
		{"python3", "-m", "venv", unfinished},
		{filepath.Join(unfinished, "bin", "python"), "-m", "pip", "install", "--quiet", "pika==" + pikaVersion},
	} {
		if err := startPeer(t, args[0], exec.Command(args[0], args[1:]...)).finish(5 * time.Minute); err != nil {
			t.Fatalf("the AMQP 0-9-1 client needs Python 3 with venv: install python3-venv (%v: %v)", args, err)
		}
	}
	require.NoError(t, os.Rename(unfinished, environment))
	return python
}
