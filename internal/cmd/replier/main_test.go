package main

import (
	"context"
	"encoding/hex"
	"io"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/amqptest"
	"github.com/stretchr/testify/require"
)

// README shows this program to the letter.
func TestReadmeShowsProgram(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	_, program, _ := strings.Cut(string(source), "package main")
	require.True(t, strings.Contains(string(readme), "```go\npackage main"+program+"```\n"), "README shows another program than main.go")
}

const request = `
	005370 c00201 41
	005372 c13f06 a312782d6f70742d6a6d732d7265706c792d746f 5102 a30e782d6f70742d6a6d732d64657374
	5100 a312782d6f70742d6a6d732d6d73672d74797065 5105
	005373 d00000005d0000000a
	a12f49443a31363137343939652d333733662d343231652d383834392d3062663365313530373534353a313a313a312d
	31 40 a1096c61622e7175657565 40 a10c74656d702d71756575652d31 40 40 40 40 83000001a22d1b8559
	005377 a10568656c6c6f`

// The request is that of case reply-to-temporary-queue of testdata/qpid-jms-send, which Qpid JMS 2.10.0 sent.
func TestAnswer(t *testing.T) {
	wire, err := hex.DecodeString(strings.Join(strings.Fields(request), ""))
	require.NoError(t, err)
	var m amqp.Message
	require.NoError(t, m.UnmarshalBinary(wire))

	reply, err := answer(amqpjms.Consumer{Peer: amqpjms.ActiveMQ()}.View(&m, time.Now()), amqpjms.ActiveMQ())
	require.NoError(t, err)
	require.Equal(t, "temp-queue-1", *reply.Properties.To)
	require.Equal(t, m.Properties.MessageID, reply.Properties.CorrelationID)
	require.Equal(t, int8(2), reply.Annotations["x-opt-jms-dest"], "temporary queue")
	require.Equal(t, "hello costs 42 EUR", reply.Value)
	require.False(t, reply.Header.Durable)
	require.Equal(t, uint8(4), reply.Header.Priority)
	require.Equal(t, time.Minute, reply.Header.TTL)
}

func TestAnswerNeedsReplyTo(t *testing.T) {
	_, err := answer(amqpjms.Consumer{}.View(&amqp.Message{Value: "apples"}, time.Now()), amqpjms.Peer{})
	require.ErrorContains(t, err, "reply-to")
}

// A request that cannot be answered is logged, accepted and gone, and the next one is answered.
func TestServeGoesOn(t *testing.T) {
	said := log.Writer()
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(said) })
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var broker amqptest.Broker
	done := make(chan []byte, 1)
	broker.Outcome = func(_ string, message []byte) []byte {
		if strings.Contains(string(message), "requester left") {
			return amqptest.RejectedWith("amqp:not-found")
		}
		done <- message
		return amqptest.Accepted()
	}
	broker.Publish("prices", wireOf(t, &amqp.Message{Value: "no reply-to"}))
	to := new(string)
	*to = "replies"
	for _, text := range []string{"requester left", "apples"} {
		broker.Publish("prices", wireOf(t, &amqp.Message{Value: text, Properties: &amqp.MessageProperties{MessageID: "ID:1", ReplyTo: to}}))
	}
	conn, err := amqp.NewConn(ctx, broker.Dial(), nil)
	require.NoError(t, err)
	defer conn.Close()

	consumer := amqpjms.Consumer{Peer: amqpjms.Artemis(), Destination: amqpjms.Destination{Kind: amqpjms.Queue, Name: "prices"}}
	served := make(chan error, 1)
	go func() { served <- serve(ctx, conn, consumer) }()
	select {
	case reply := <-done:
		require.Contains(t, string(reply), "apples costs 42 EUR")
	case err := <-served:
		t.Fatal(err)
	}
	outcomes := func() (outcomes [][]byte) {
		for _, frame := range broker.Frames() {
			if frame.Name == "disposition" {
				outcomes = append(outcomes, frame.Body)
			}
		}
		return outcomes
	}
	require.Eventually(t, func() bool { return len(outcomes()) == 3 }, 10*time.Second, time.Millisecond)
	for _, disposition := range outcomes() {
		require.Contains(t, string(disposition), string(amqptest.Accepted()))
	}
	require.NoError(t, conn.Close())
	require.Error(t, <-served)
}

func wireOf(t *testing.T, m *amqp.Message) []byte {
	wire, err := m.MarshalBinary()
	require.NoError(t, err)
	return wire
}
