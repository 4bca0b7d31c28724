package main

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recordedAttach returns the n-th attach of a recorded case, as hex.
func recordedAttach(t *testing.T, theme, name string, n int) string {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "qpid-jms-links", theme+".txt"))
	require.NoError(t, err)
	_, c, ok := strings.Cut(string(b), "\nname: "+name+"\n")
	require.True(t, ok, name)
	c, _, _ = strings.Cut(c, "\nname: ")
	for line := range strings.Lines(c) {
		if f := strings.Fields(line); len(f) == 6 && f[0] == "frame:" && f[4] == "attach" {
			if n--; n < 0 {
				return f[5]
			}
		}
	}
	t.Fatalf("%s has no such attach", name)
	return ""
}

// What Qpid JMS attached, as JMS sees it, and go-amqp's options for the same.
func TestLinkCommand(t *testing.T) {
	for _, c := range []struct {
		theme, name, args string
		want              string // lines, of those printed
	}{
		{"durable", "durable-subscriber-selector-nolocal", "-client-id cid", `attach of a receiver, link name "sub"
  JMS            consumer of a durable subscription
  from           topic lab.topic
  subscription   "sub"
  found by       connections of the container-id "cid"
  selector       colour = 'red'
  no-local       true
  go-amqp        session.NewReceiver(ctx, "lab.topic", &amqp.ReceiverOptions{
                     Name: "sub",
                     SourceCapabilities: []string{"topic"},
                     SourceDurability: 2,
                     SourceExpiryPolicy: "never",
                     SourceDistributionMode: "copy",
                     Filters: []amqp.LinkFilter{
                         amqp.NewLinkFilter("jms-selector", 0x468C00000004, "colour = 'red'"),
                         amqp.NewLinkFilter("no-local", 0x468C00000003, "NoLocalFilter{}"),
                     },
                 })
`},
		{"shared", "shared-durable-no-client-id-selector", "", `  JMS            consumer of a shared durable subscription
  from           topic lab.topic
  subscription   "sub"
  found by       every connection (global)
`},
		{"durable", "unsubscribe-durable-unknown", "-client-id cid", `attach of a receiver, link name "nobody"
  JMS            asks for a durable subscription; a closing detach ends it
  subscription   "nobody"
  found by       connections of the container-id "cid"
  go-amqp        none: link "nobody": go-amqp cannot attach without a source (OpenConsumer.Unsubscribe)
`},
		{"browser", "browser-queue-messages", "", `  JMS            browser
  from           queue lab.queue
  pre-settled    true
`},
		{"temporary", "temporary-topic-prefix", "", `  JMS            makes a temporary topic
  go-amqp        session.NewSender(ctx, "", &amqp.SenderOptions{
`},
		{"producer", "producer-anonymous", "", `  JMS            producer without a destination
`},
		{"producer", "producer-queue", "-peer activemq", `  JMS            producer
  to             queue lab.queue
`},
		{"ack", "ack-transacted-receive", "", `  JMS            transactions
  go-amqp        none: link `},
	} {
		attach := recordedAttach(t, c.theme, c.name, 0)
		code, out, errs := jmswire(attach, strings.Fields("link "+c.args)...)
		require.Zero(t, code, "%s: %s", c.name, errs)
		require.Contains(t, out, c.want, c.name)

		binary, err := hex.DecodeString(attach)
		require.NoError(t, err)
		_, again, _ := jmswire(string(binary), strings.Fields("link "+c.args)...)
		require.Equal(t, out, again, c.name)
	}
}

func TestLinkCommandErrors(t *testing.T) {
	for _, c := range []struct {
		input, args string
		code        int
		err         string
	}{
		{"005312c0030141\n", "", 1, "jmswire: standard input: line 1: amqpjms: attach at byte 7: unexpected EOF\n"},
		{"\n00531145", "", 1, "jmswire: standard input: line 2: amqpjms: attach at byte 0: not an attach\n"},
		{"0053zz", "", 1, "jmswire: standard input: line 1: column 5: 'z' is no hex digit\n"},
		{"some text\nand more\n", "", 1, "jmswire: standard input: line 1: column 1: 's' is no hex digit\n"},
		{"", "-peer nobody", 2, `invalid value "nobody" for flag -peer: none of activemq, artemis, broker-j, rabbitmq, rabbitmq3, service-bus`},
		{"", "nowhere", 1, "jmswire: open nowhere: "},
	} {
		code, out, errs := jmswire(c.input, strings.Fields("link "+c.args)...)
		require.Equal(t, c.code, code, c.err)
		require.Empty(t, out)
		require.True(t, strings.HasPrefix(errs, c.err), errs)
		if c.code == 1 {
			require.Equal(t, 1, strings.Count(errs, "\n"), errs)
		}
	}
}
