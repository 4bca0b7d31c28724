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
		{"the name, where the peer has no prefix", Peer{}, Destination{Kind: Queue, Name: "lab.queue"}, "lab.queue", ""},
		{"as it is", Peer{}, Destination{Kind: Queue, Name: "lab/\u00fc \u4e2d?x=1#f"}, "lab/\u00fc \u4e2d?x=1#f", ""},
		{"the prefix of a queue", prefixed, Destination{Kind: Queue, Name: "lab.queue"}, "q://lab.queue", ""},
		{"the prefix of a topic", prefixed, Destination{Kind: Topic, Name: "lab.topic"}, "t://lab.topic", ""},
		{"a name that has it is an address", prefixed, Destination{Kind: Queue, Name: "q://lab.queue"}, "q://lab.queue", ""},
		{"that of another kind is part of the name", prefixed, Destination{Kind: Topic, Name: "q://lab"}, "t://q://lab", ""},
		{"a temporary queue has the address that its peer gave it", prefixed, Destination{Kind: TemporaryQueue, Name: "temp-queue-1"}, "temp-queue-1", ""},
		{"so has a temporary topic", prefixed, Destination{Kind: TemporaryTopic, Name: "temp-topic-1"}, "temp-topic-1", ""},
		{"temporary names are not encoded", RabbitMQ(), Destination{Kind: TemporaryQueue, Name: "a/b c"}, "a/b c", ""},

		{"ActiveMQ Classic", ActiveMQ(), Destination{Kind: Queue, Name: "orders"}, "queue://orders", ""},
		{"ActiveMQ Classic", ActiveMQ(), Destination{Kind: Topic, Name: "news"}, "topic://news", ""},
		{"Artemis", Artemis(), Destination{Kind: Queue, Name: "orders"}, "orders", ""},
		{"Broker-J", BrokerJ(), Destination{Kind: Queue, Name: "orders"}, "orders", ""},
		{"Azure Service Bus", ServiceBus(), Destination{Kind: Queue, Name: "orders"}, "orders", ""},
		{"RabbitMQ 3", RabbitMQ3(), Destination{Kind: Queue, Name: "a b"}, "/amq/queue/a b", ""},
		{"RabbitMQ 3", RabbitMQ3(), Destination{Kind: Topic, Name: "news"}, "/topic/news", ""},
		{"RabbitMQ 4", RabbitMQ(), Destination{Kind: Queue, Name: "orders"}, "/queues/orders", ""},
		{"RabbitMQ 4 has percent-encoded names", RabbitMQ(), Destination{Kind: Queue, Name: "a/b c%\u00fc"}, "/queues/a%2Fb%20c%25%C3%BC", ""},
		{"RabbitMQ 4 has percent-encoded names", RabbitMQ(), Destination{Kind: Topic, Name: "news.#"}, "/exchanges/amq.topic/news.%23", ""},
		{"an address is not encoded once more", RabbitMQ(), Destination{Kind: Queue, Name: "/queues/a%2Fb"}, "/queues/a%2Fb", ""},

		{"no kind", Peer{}, Destination{Name: "orders"}, "", `destination "orders": kind is none of queue, topic, temporary queue and temporary topic`},
		{"no such kind", Peer{}, Destination{Kind: TemporaryTopic + 1, Name: "orders"}, "", `destination "orders": kind is none of queue, topic, temporary queue and temporary topic`},
		{"no name", prefixed, Destination{Kind: Queue}, "", `destination queue: has no name`},
		{"no name", Peer{}, Destination{Kind: TemporaryQueue}, "", `destination temporary queue: has no name`},
		{"no text", prefixed, Destination{Kind: Queue, Name: "a\xff"}, "", `destination "a\xff": not valid UTF-8`},
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
		{Destination{Kind: Queue, Name: "orders"}, false, "queue orders"},
		{Destination{Kind: Topic, Name: "news"}, false, "topic news"},
		{Destination{Kind: TemporaryQueue, Name: "t1"}, false, "temporary queue t1"},
		{Destination{Kind: TemporaryTopic, Name: "t2"}, false, "temporary topic t2"},
		{Destination{Name: "orders"}, false, "unknown orders"},
		{Destination{Kind: 9, Name: "orders"}, false, "DestinationKind(9) orders"},
	} {
		require.Equal(t, row.want, row.d.String())
		require.Equal(t, row.zero, row.d.IsZero(), row.want)
	}
	require.True(t, Destination{Kind: Queue, Name: "q"} == Destination{Kind: Queue, Name: "q"}, "destinations compare")
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
