package main

import (
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

// Each message of the demo is, byte for byte, the one in testdata that it names.
func TestDemoShowsRecordings(t *testing.T) {
	sent := golden.Read(t, root+"qpid-jms-send/*.txt", golden.SendKeys()...)
	encoded := golden.Read(t, root+"encoders/*.txt", golden.EncoderKeys()...)
	for file, want := range map[string]struct {
		cases []golden.Case
		key   string
		n     int
	}{
		"request.hex":  {sent, "wire", 1},
		"requests.hex": {sent, "set.receivedWire", 3},
		"replies.hex":  {sent, "wire", 3},
		"headers.hex":  {encoded, "wire", 4},
		"kinds.hex":    {sent, "wire", 7},
	} {
		rs, err := recordings(file)
		require.NoError(t, err)
		require.Len(t, rs, want.n, file)
		for _, r := range rs {
			found := 0
			for _, c := range want.cases {
				if c.Peer == r.peer && c.Name == r.name {
					v, ok := c.Value(want.key)
					require.True(t, ok, c.At())
					require.Equal(t, v.V, r.wire, "%s: %s: %s", file, r.peer, r.name)
					found++
				}
			}
			require.Equal(t, 1, found, "%s: cases with the name %s: %s", file, r.peer, r.name)
		}
	}
	files, err := fs.Glob(wires, "demo/*")
	require.NoError(t, err)
	require.Len(t, files, 5, "%v", files)
}

// inspect reads the demo's files as they are.
func TestDemoFilesAreHex(t *testing.T) {
	files, err := fs.Glob(wires, "demo/*")
	require.NoError(t, err)
	code, out, errs := jmswire("", append([]string{"inspect", "-json"}, files...)...)
	require.Equal(t, 0, code, errs)
	require.Equal(t, 18, strings.Count(out, "\n"), "messages")
}

// The reply carries the request's id in the type that it had, as another decoder
// reads it.
func TestReply(t *testing.T) {
	str := func(s string) *string { return &s }
	for _, c := range []struct {
		file string
		n    int
		id   any
		to   *string
	}{
		{"request.hex", 0, "ID:b2f2536b-4a36-45ac-a7b0-e72971731c40:1:1:1-1", str("lab.reply.queue")},
		{"requests.hex", 0, uint64(1 << 63), nil},
		{"requests.hex", 1, amqp.UUID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, nil},
		{"requests.hex", 2, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, nil},
	} {
		rs, err := recordings(c.file)
		require.NoError(t, err)
		var request amqpjms.RawMessage
		require.NoError(t, request.Parse(rs[c.n].wire))
		id, err := amqpjms.IDFrom("ID:reply")
		require.NoError(t, err)
		encoded, err := reply(&request, id)
		require.NoError(t, err)

		var m amqp.Message
		require.NoError(t, m.UnmarshalBinary(encoded))
		require.Equal(t, "ID:reply", m.Properties.MessageID)
		require.Equal(t, c.id, m.Properties.CorrelationID, rs[c.n].name)
		require.Equal(t, c.to, m.Properties.To, rs[c.n].name)
		require.Equal(t, byte(0x42), encoded[12], "durable, which is false and stated, of % x", encoded)
	}
}

func TestDemo(t *testing.T) {
	code, out, errs := jmswire("", "demo")
	require.Equal(t, 0, code, errs)
	require.Empty(t, errs)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.LessOrEqual(t, len(lines), 130, "lines")
	for _, line := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 120, line)
		require.Equal(t, strings.TrimRight(line, " "), line)
	}
	for _, want := range []string{
		`  JMSMessageID              string "ID:b2f2536b-4a36-45ac-a7b0-e72971731c40:1:1:1-1"`,
		`  JMSDeliveryMode           int 2 (PERSISTENT, stated)`,
		`  correlation-id            string "ID:b2f2536b-4a36-45ac-a7b0-e72971731c40:1:1:1-1"`,
		`  to                        string "lab.reply.queue"`,
		`    JMSMessageID            ID:AMQP_ULONG:9223372036854775808`,
		`    JMSMessageID            ID:AMQP_UUID:ffffffff-ffff-ffff-ffff-ffffffffffff`,
		`    JMSMessageID            ID:AMQP_BINARY:000102030405060708090A0B0C0D0E0F`,
	} {
		require.Contains(t, lines, want)
	}
	// Ids: what came with the request, what the reply has, and what Qpid JMS sent.
	for _, id := range []string{
		"80 80 00 00 00 00 00 00 00  (ulong)",
		"98 ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff  (uuid)",
		"a0 10 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  (binary)",
	} {
		require.Equal(t, 3, strings.Count(out, id), id)
	}
	// Headers: stated durable=false stays, not stated becomes the node's default.
	_, headers, _ := strings.Cut(out, "\n4. ")
	headers, delays, _ := strings.Cut(headers, "\n5. ")
	delays, kinds, _ := strings.Cut(delays, "\n6. ")
	kinds, groups, _ := strings.Cut(kinds, "\n7. ")
	var columns []string
	for _, line := range strings.Split(headers, "\n")[3:] {
		if line != "" {
			columns = append(columns, strings.TrimSpace(line[28:]))
		}
	}
	require.Equal(t, []string{
		"durable false       00 53 70 d0 00 00 00 05 00 00 00 01 42 | 00 53 77 …",
		"for NON_PERSISTENT  00 53 70 c0 02 01 42 | 00 53 77 …",
		"for PERSISTENT      00 53 70 c0 02 01 42 | 00 53 77 …",
		"durable not stated  00 53 70 45 | 00 53 73 …",
		"for NON_PERSISTENT  00 53 70 c0 02 01 42 | 00 53 73 …",
		"for PERSISTENT      00 53 70 c0 02 01 41 | 00 53 73 …",
		"durable not stated  (none) | 00 53 77 …",
		"for NON_PERSISTENT  00 53 70 c0 02 01 42 | 00 53 77 …",
		"for PERSISTENT      00 53 70 c0 02 01 41 | 00 53 77 …",
		"durable false       00 80 00 00 00 00 00 00 00 70 c0 07 05 42 50 04 40 42 43 | 00 80 00 …",
		"for NON_PERSISTENT  00 53 70 c0 07 05 42 50 04 40 42 43 | 00 80 00 …",
		"for PERSISTENT      00 53 70 c0 07 05 42 50 04 40 42 43 | 00 80 00 …",
	}, columns)
	// Delays: the type and value that the rules have for each broker, and the sum of 1796053106157 and 5000.
	var rows []string
	for _, line := range strings.Split(delays, "\n")[3:] {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	require.Equal(t, []string{
		"ActiveMQ Artemis x-opt-delivery-time long 1796053111157 1796053111157",
		"ActiveMQ Classic x-opt-delivery-time long 1796053111157 1796053111157",
		"Qpid Broker-J x-opt-delivery-time long 1796053111157 1796053111157",
		"ActiveMQ Classic by property AMQ_SCHEDULED_DELAY long 5000 1796053111157",
		"Azure Service Bus x-opt-scheduled-enqueue-time timestamp 1796053111157 1796053111157",
		"RabbitMQ delivery delay 5s: the peer cannot delay (Producer.Peer)",
		"not chosen delivery delay 5s: the peer's form of delay is not set (Producer.Peer)",
		"",
	}, rows)
	// Kinds: what the applications set.
	rows = nil
	for _, line := range strings.Split(kinds, "\n")[3:] {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	require.Equal(t, []string{
		`byte 5 amqp-value text string "hello"`,
		`byte 3 data bytes bytes 010203`,
		`byte 2 amqp-value map map {string "k" = int -3}`,
		`byte 4 amqp-sequence stream list [int -3]`,
		`byte 1 amqp-value object, typed array [string "a", string "b"]`,
		`byte 1 data object, serialized bytes aced00057400036f626a`,
		`byte 0 no section message none`,
		"",
	}, rows)
	// Groups: anna keeps red where groups are assigned, and loses it with message 1 where they are shared.
	for _, row := range []string{
		"  credit anna 1            anna gets 1          anna gets 1\n",
		"  credit bert 2            bert gets 2, 3       bert gets 2, 3\n",
		"  credit bert 1            bert gets 5          bert gets 4\n",
		"  credit anna 1            anna gets 4          anna gets 5\n",
		"  credit bert 1            bert gets 4 count 1  bert gets 5 count 1\n",
	} {
		require.Contains(t, groups, row)
	}
}
