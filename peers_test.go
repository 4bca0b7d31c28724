package amqpjms

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"
)

// What is measured here and on the JVM (internal/bench) works on the same bytes. This says that they are what they are
// called, and writes them to the file that BENCH_INPUTS names: a name and hex digits a line.
func TestPeerInputs(t *testing.T) {
	var file strings.Builder
	add := func(name string, b []byte) { fmt.Fprintf(&file, "%s %x\n", name, b) }
	for _, row := range kindsOfIDs(t) {
		encoded := row.id.AppendTo(nil)
		id, err := RawValue(encoded).ID()
		require.NoError(t, err)
		require.Equal(t, row.jms, id.JMSMessageID())
		add("id/"+row.name+"/jms", []byte(row.jms))
		add("id/"+row.name+"/wire", encoded)
	}
	for _, size := range bodySizes {
		_, encoded := typicalMessage(t, size.body)
		var m RawMessage
		require.NoError(t, m.Parse(encoded))
		require.Equal(t, size.body, bytes.Count(m.Body, []byte("x")))
		add("message/"+size.name, encoded)
		if size.body == 256 {
			add("header", m.HeaderSection)
		}
	}
	p, body := typicalProducer()
	prepared := amqp.NewMessage(body)
	_, err := p.Prepare(prepared, sentAt())
	require.NoError(t, err)
	encoded, err := prepared.MarshalBinary()
	require.NoError(t, err)
	add("prepared", encoded)
	if name := os.Getenv("BENCH_INPUTS"); name != "" {
		require.NoError(t, os.WriteFile(name, []byte(file.String()), 0o666))
	}
}
