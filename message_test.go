package amqpjms

import (
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"
)

func TestAddress(t *testing.T) {
	prefixed := Peer{QueuePrefix: "q://", TopicPrefix: "t://"}
	for _, row := range []struct {
		rule string
		peer Peer
		d    Destination
		want string
		err  string
	}{
		{"no destination has no address", prefixed, Destination{}, "", ""},
		{"the name, where the peer has no prefix", Peer{}, Destination{Queue, "lab.queue"}, "lab.queue", ""},
		{"as it is", Peer{}, Destination{Queue, "lab/\u00fc \u4e2d?x=1#f"}, "lab/\u00fc \u4e2d?x=1#f", ""},
		{"the prefix of a queue", prefixed, Destination{Queue, "lab.queue"}, "q://lab.queue", ""},
		{"the prefix of a topic", prefixed, Destination{Topic, "lab.topic"}, "t://lab.topic", ""},
		{"a name that has it is an address", prefixed, Destination{Queue, "q://lab.queue"}, "q://lab.queue", ""},
		{"that of another kind is part of the name", prefixed, Destination{Topic, "q://lab"}, "t://q://lab", ""},
		{"a temporary queue has the address that its peer gave it", prefixed, Destination{TemporaryQueue, "temp-queue-1"}, "temp-queue-1", ""},
		{"so has a temporary topic", prefixed, Destination{TemporaryTopic, "temp-topic-1"}, "temp-topic-1", ""},
		{"temporary names are not encoded", RabbitMQ(), Destination{TemporaryQueue, "a/b c"}, "a/b c", ""},

		{"ActiveMQ Classic", ActiveMQ(), Destination{Queue, "orders"}, "queue://orders", ""},
		{"ActiveMQ Classic", ActiveMQ(), Destination{Topic, "news"}, "topic://news", ""},
		{"Artemis", Artemis(), Destination{Queue, "orders"}, "orders", ""},
		{"Broker-J", BrokerJ(), Destination{Queue, "orders"}, "orders", ""},
		{"Azure Service Bus", ServiceBus(), Destination{Queue, "orders"}, "orders", ""},
		{"RabbitMQ 3", RabbitMQ3(), Destination{Queue, "a b"}, "/amq/queue/a b", ""},
		{"RabbitMQ 3", RabbitMQ3(), Destination{Topic, "news"}, "/topic/news", ""},
		{"RabbitMQ 4", RabbitMQ(), Destination{Queue, "orders"}, "/queues/orders", ""},
		{"RabbitMQ 4 has percent-encoded names", RabbitMQ(), Destination{Queue, "a/b c%\u00fc"}, "/queues/a%2Fb%20c%25%C3%BC", ""},
		{"RabbitMQ 4 has percent-encoded names", RabbitMQ(), Destination{Topic, "news.#"}, "/exchanges/amq.topic/news.%23", ""},
		{"an address is not encoded once more", RabbitMQ(), Destination{Queue, "/queues/a%2Fb"}, "/queues/a%2Fb", ""},

		{"no kind", Peer{}, Destination{Name: "orders"}, "", `destination "orders": kind is none of queue, topic, temporary queue and temporary topic`},
		{"no such kind", Peer{}, Destination{TemporaryTopic + 1, "orders"}, "", `destination "orders": kind is none of queue, topic, temporary queue and temporary topic`},
		{"no name", prefixed, Destination{Kind: Queue}, "", `destination queue: has no name`},
		{"no name", Peer{}, Destination{Kind: TemporaryQueue}, "", `destination temporary queue: has no name`},
		{"no text", prefixed, Destination{Queue, "a\xff"}, "", `destination "a\xff": not valid UTF-8`},
	} {
		got, err := row.peer.Address(row.d)
		require.Equal(t, row.want, got, "%s: %+v.Address(%+v)", row.rule, row.peer, row.d)
		if row.err == "" {
			require.NoError(t, err, row.rule)
		} else {
			wantValueError(t, err, "amqpjms: "+row.err)
		}
	}
}

func TestDestination(t *testing.T) {
	for _, row := range []struct {
		d    Destination
		zero bool
		want string
	}{
		{Destination{}, true, "none"},
		{Destination{Queue, "orders"}, false, "queue orders"},
		{Destination{Topic, "news"}, false, "topic news"},
		{Destination{TemporaryQueue, "t1"}, false, "temporary queue t1"},
		{Destination{TemporaryTopic, "t2"}, false, "temporary topic t2"},
		{Destination{Name: "orders"}, false, "unknown orders"},
		{Destination{9, "orders"}, false, "DestinationKind(9) orders"},
	} {
		require.Equal(t, row.want, row.d.String())
		require.Equal(t, row.zero, row.d.IsZero(), row.want)
	}
	require.True(t, Destination{Queue, "q"} == Destination{Queue, "q"}, "destinations compare")
	require.True(t, Receiver{Peer: ActiveMQ()} == Receiver{Peer: ActiveMQ()}, "receivers compare")
}

// A view reads a message that lacks every section, and what go-amqp is yet to send as well as what it has decoded.
func TestView(t *testing.T) {
	for _, row := range []struct {
		rule       string
		m          amqp.Message
		time       int64
		expiration int64
	}{
		{"an empty message", amqp.Message{}, 0, 0},
		{"empty sections", amqp.Message{Header: &amqp.MessageHeader{}, Annotations: amqp.Annotations{}, Properties: &amqp.MessageProperties{}}, 0, 0},
		{"Go's int", amqp.Message{Annotations: amqp.Annotations{"x-opt-delivery-time": 100}}, 100, 0},
		{"Go's uint", amqp.Message{Annotations: amqp.Annotations{"x-opt-delivery-time": uint(100)}}, 100, 0},
		{"go-amqp's null", amqp.Message{Annotations: amqp.Annotations{"x-opt-delivery-time": amqp.Null{}}}, 0, 0},
		{"a time is cut to milliseconds", amqp.Message{Annotations: amqp.Annotations{"x-opt-delivery-time": sentAt()}}, sent, 0},
		{"a ttl is rounded up", amqp.Message{Header: &amqp.MessageHeader{TTL: 1}}, 0, sent + 1},
		{"a ttl that no header can carry is none", amqp.Message{Header: &amqp.MessageHeader{TTL: 1 << 32 * time.Millisecond}}, 0, 0},
	} {
		v := Receiver{}.Read(&row.m, sentAt())
		require.Same(t, &row.m, v.Message, row.rule)
		got, err := v.DeliveryTime()
		require.NoError(t, err, row.rule)
		require.Equal(t, row.time, got, row.rule)
		got, err = v.Expiration()
		require.NoError(t, err, row.rule)
		require.Equal(t, row.expiration, got, row.rule)
	}
}
