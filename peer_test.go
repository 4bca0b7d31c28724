package amqpjms

import (
	"math"
	"testing"
	"unicode/utf8"

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
		{"no text", prefixed, Destination{Kind: Queue, Name: "a", Address: "\xff"}, "", `address "\xff": not valid UTF-8`},
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
	named := Destination{Kind: DestinationKindFrom(int8(0), nil), Name: "q"}
	require.Len(t, map[Destination]bool{{Kind: Queue, Name: "q"}: true, named: true, {Kind: Topic, Name: "q"}: true}, 2)
	require.Len(t, map[Consumer]bool{{Peer: ActiveMQ()}: true, {Peer: peerNamed(t, "ActiveMQ")}: true, {Destination: named}: true}, 2)
}

func TestDestinationKindFrom(t *testing.T) {
	for _, row := range []struct {
		rule               string
		annotation, legacy any
		want               DestinationKind
	}{
		{"none", nil, nil, UnknownKind},
		{"null", amqp.Null{}, amqp.Null{}, UnknownKind},
		{"a byte", int8(0), nil, Queue},
		{"a byte", int8(1), nil, Topic},
		{"a byte", int8(2), nil, TemporaryQueue},
		{"a byte", int8(3), nil, TemporaryTopic},
		{"any integer type", uint8(1), nil, Topic},
		{"any integer type", uint64(1), nil, Topic},
		{"any integer type", int32(1), nil, Topic},
		{"out of range", int8(4), nil, UnknownKind},
		{"out of range", int8(-1), nil, UnknownKind},
		{"out of range", uint64(math.MaxUint64), nil, UnknownKind},
		{"another type", true, nil, UnknownKind},
		{"another type", 1.0, nil, UnknownKind},
		{"words", "queue", nil, Queue},
		{"words", "topic", nil, Topic},
		{"words, as a symbol", amqp.Symbol("topic,temporary"), nil, TemporaryTopic},
		{"words in any order", "temporary,queue", nil, TemporaryQueue},
		{"spaces and case", " Temporary , TOPIC ", nil, TemporaryTopic},
		{"neither", "temporary", nil, UnknownKind},
		{"both", "queue,topic", nil, UnknownKind},
		{"twice", "queue,queue", nil, UnknownKind},
		{"twice", "queue,temporary,temporary", nil, UnknownKind},
		{"another word", "queue,durable", nil, UnknownKind},
		{"an empty word", "queue,", nil, UnknownKind},
		{"no word", "", nil, UnknownKind},
		{"a number in words", "1", nil, UnknownKind},
		{"legacy", nil, "topic", Topic},
		{"legacy where the other says nothing", int8(9), "topic", Topic},
		{"legacy where the other says nothing", int8(-1), "topic", Topic},
		{"far out of range", int8(-2), nil, UnknownKind},
		{"not legacy where the other says something", int8(0), "topic", Queue},
		{"legacy is words only", nil, int8(1), UnknownKind},
	} {
		require.Equal(t, row.want, DestinationKindFrom(row.annotation, row.legacy), "%s: DestinationKindFrom(%v, %v)", row.rule, row.annotation, row.legacy)
	}
}

func TestPeerDestination(t *testing.T) {
	prefixed := Peer{QueuePrefix: "q://", TopicPrefix: "t://"}
	nested := Peer{QueuePrefix: "/", TopicPrefix: "/t/"}
	for _, row := range []struct {
		rule            string
		peer            Peer
		address         string
		kind, otherwise DestinationKind
		want            Destination
	}{
		{"a queue by default", Peer{}, "a", UnknownKind, UnknownKind, Destination{Kind: Queue, Name: "a"}},
		{"else what the receiver receives from", Peer{}, "a", UnknownKind, TemporaryTopic, Destination{Kind: TemporaryTopic, Name: "a"}},
		{"but what the message says first", Peer{}, "a", Queue, Topic, Destination{Kind: Queue, Name: "a"}},
		{"a prefix decides before the receiver", prefixed, "t://a", UnknownKind, Queue, Destination{Kind: Topic, Name: "a"}},
		{"its own prefix decides for a queue too", RabbitMQ(), "/queues/a", UnknownKind, Topic, Destination{Kind: Queue, Name: "a"}},
		{"a prefix of one character", nested, "/a", UnknownKind, Topic, Destination{Kind: Queue, Name: "a"}},
		{"not decoded where the peer does not encode", prefixed, "q://a%20b", UnknownKind, UnknownKind, Destination{Kind: Queue, Name: "a%20b"}},
		{"nor is a space", prefixed, "q://a b", UnknownKind, UnknownKind, Destination{Kind: Queue, Name: "a b"}},
		{"the longer prefix", nested, "/t/a", UnknownKind, Queue, Destination{Kind: Topic, Name: "a"}},
		{"a known kind has its own prefix only", prefixed, "t://a", Queue, Topic, Destination{Kind: Queue, Name: "t://a", Address: "t://a"}},
		{"no prefix of a temporary one", prefixed, "q://a", TemporaryQueue, Queue, Destination{Kind: TemporaryQueue, Name: "q://a"}},
		{"no prefix where there should be one", prefixed, "a", Queue, Queue, Destination{Kind: Queue, Name: "a", Address: "a"}},
		{"a name that looks like an address", prefixed, "q://q://a", Queue, Queue, Destination{Kind: Queue, Name: "q://a", Address: "q://q://a"}},
		{"no name", prefixed, "q://", Queue, Queue, Destination{Kind: Queue, Address: "q://"}},
		{"no address", prefixed, "", UnknownKind, Topic, Destination{Kind: Topic}},
		{"decoded", RabbitMQ(), "/queues/a%2Fb%20c", UnknownKind, UnknownKind, Destination{Kind: Queue, Name: "a/b c"}},
		{"decoded of another encoding", RabbitMQ(), "/queues/%61", UnknownKind, UnknownKind, Destination{Kind: Queue, Name: "a", Address: "/queues/%61"}},
		{"no encoding", RabbitMQ(), "/queues/a%2", UnknownKind, UnknownKind, Destination{Kind: Queue, Name: "a%2", Address: "/queues/a%2"}},
		{"no UTF-8", RabbitMQ(), "/queues/%ff", UnknownKind, UnknownKind, Destination{Kind: Queue, Name: "%ff", Address: "/queues/%ff"}},
		{"not decoded without its prefix", RabbitMQ(), "/queue/a%2Fb", Queue, UnknownKind, Destination{Kind: Queue, Name: "/queue/a%2Fb", Address: "/queue/a%2Fb"}},
	} {
		got := row.peer.Destination(row.address, row.kind, row.otherwise)
		require.Equal(t, row.want, got, "%s: %+v.Destination(%q, %v, %v)", row.rule, row.peer, row.address, row.kind, row.otherwise)
	}
}

// What no address may be is no destination's address either.
func TestNoAddress(t *testing.T) {
	for _, peer := range []Peer{{}, ActiveMQ(), RabbitMQ()} {
		for address, text := range map[string]string{"": "destination queue: has no name", "\xff": `"\xff": not valid UTF-8`} {
			got, err := peer.Address(peer.Destination(address, Queue, UnknownKind))
			require.Empty(t, got)
			var e *ValueError
			require.ErrorAs(t, err, &e, "%s: %q", peer.Product, address)
			require.ErrorContains(t, err, text)
		}
	}
}

// An address goes to a destination and back byte for byte, at every peer.
func FuzzDestination(f *testing.F) {
	peers := []Peer{{}, Artemis(), ActiveMQ(), RabbitMQ(), RabbitMQ3(), {QueuePrefix: "q://", TopicPrefix: "t://"}, {QueuePrefix: "a", PercentEncoded: true}}
	for _, address := range []string{"a", "q://a", "q://q://a", "queue://x", "/queues/a%2Fb", "/queues/%61", "/queues//queues/", "aa%61", "q://"} {
		for kind := range uint8(5) {
			f.Add(address, kind)
		}
	}
	f.Fuzz(func(t *testing.T, address string, kind uint8) {
		for _, p := range peers {
			d := p.Destination(address, DestinationKind(kind), UnknownKind)
			require.True(t, d.Kind.valid())
			got, err := p.Address(d)
			if address == "" || !utf8.ValidString(address) {
				require.Error(t, err)
				continue
			}
			require.NoError(t, err, "%+v: %q", p, address)
			require.Equal(t, address, got, "%+v: %+v", p, d)
		}
	})
}

func delaying(form DelayForm) Peer { return Peer{Delay: form} }

func forms() []DelayForm {
	return []DelayForm{DelayUnset, DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty, DelayNone}
}

// The properties of a connection as the brokers were seen to send them, and others.
func TestDetectPeer(t *testing.T) {
	const delayed = "DELAYED_DELIVERY"
	withQueues := RabbitMQ()
	withQueues.TemporaryQueues = true
	for _, row := range []struct {
		rule         string
		properties   map[string]any
		capabilities []string
		want         Peer
		known        bool
	}{
		{"ActiveMQ Classic 6.2.2",
			map[string]any{"product": "ActiveMQ", "version": "6.2.2", "platform": "Java/17.0.15", "queue-prefix": "queue://", "topic-prefix": "topic://"},
			[]string{"ANONYMOUS-RELAY", delayed}, ActiveMQ(), true},
		{"Artemis 2.40.0", map[string]any{"product": "apache-activemq-artemis", "version": "2.40.0"}, []string{delayed}, Artemis(), true},
		{"Broker-J 9.2.1",
			map[string]any{"product": "Apache Qpid Broker-J Core", "version": "9.2.1", "qpid.build": "63289b4d1cf001e1fc3d4b0e2e4dce64d8997241", "qpid.instance_name": "broker"},
			nil, BrokerJ(), true},
		{"RabbitMQ 4.0.5", map[string]any{"product": "RabbitMQ", "version": "4.0.5"}, nil, RabbitMQ(), true},
		{"RabbitMQ 4.3.6", map[string]any{"product": "RabbitMQ", "version": "4.3.6"}, nil, withQueues, true},
		{"RabbitMQ 3.10.8", map[string]any{"product": "RabbitMQ", "version": "3.10.8"}, nil, RabbitMQ3(), true},
		{"a RabbitMQ that nobody has seen is unknown", map[string]any{"product": "RabbitMQ", "version": "5.0.0"}, nil, Peer{}, false},
		{"a version must be whole", map[string]any{"product": "RabbitMQ", "version": "40.1"}, nil, Peer{}, false},
		{"or stated", map[string]any{"product": "RabbitMQ"}, nil, Peer{}, false},
		{"no properties", nil, nil, Peer{}, false},
		{"another product", map[string]any{"product": "SwiftMQ", "version": "13.2.1"}, nil, Peer{}, false},
		{"a name that only looks alike", map[string]any{"product": "ActiveMQ Enterprise"}, nil, Peer{}, false},
		{"properties of other types", map[string]any{"product": 1, "version": true, "queue-prefix": 7}, nil, Peer{}, false},
		{"who offers delays can delay, known or not", nil, []string{delayed}, Peer{Delay: DelayAbsolute}, false},
		{"and so can a RabbitMQ, once it does", map[string]any{"product": "RabbitMQ", "version": "4.9.0"}, []string{"x", delayed},
			Peer{Product: "RabbitMQ", Delay: DelayAbsolute, QueuePrefix: "/queues/", TopicPrefix: "/exchanges/amq.topic/", PercentEncoded: true, TemporaryQueues: true}, true},
		{"case counts", nil, []string{"delayed_delivery"}, Peer{}, false},
		{"prefixes that the peer names", map[string]any{"queue-prefix": "q://", "topic-prefix": "t://"}, nil, Peer{QueuePrefix: "q://", TopicPrefix: "t://"}, false},
		{"go before those that are known", map[string]any{"product": "ActiveMQ", "queue-prefix": "", "topic-prefix": "t://"}, nil,
			Peer{Product: "ActiveMQ Classic", Delay: DelayAbsolute, TopicPrefix: "t://",
				Topics: true, Selects: true, Browses: true, TemporaryQueues: true, TemporaryTopics: true}, true},
	} {
		got, known := DetectPeer(row.properties, row.capabilities...)
		require.Equal(t, row.want, got, row.rule)
		require.Equal(t, row.known, known, row.rule)
	}
}

// Which peers delay, and how.
func TestPeers(t *testing.T) {
	for _, row := range []struct {
		peer Peer
		want DelayForm
	}{
		{Peer{}, DelayUnset},
		{Artemis(), DelayAbsolute}, {ActiveMQ(), DelayAbsolute}, {BrokerJ(), DelayAbsolute},
		{ServiceBus(), DelayEnqueueTime},
		{RabbitMQ(), DelayNone}, {RabbitMQ3(), DelayNone},
	} {
		require.Equal(t, row.want, row.peer.Delay, row.peer.Product)
	}
	// They are values: what says the same is the same key, and what differs is not.
	require.Len(t, map[Peer]bool{ActiveMQ(): true, peerNamed(t, "ActiveMQ"): true, Artemis(): true}, 2)
	require.Len(t, map[Producer]bool{{Peer: ActiveMQ()}: true, {Peer: peerNamed(t, "ActiveMQ")}: true, {}: true}, 2)
	require.Len(t, map[Forwarder]bool{{To: ActiveMQ()}: true, {To: peerNamed(t, "ActiveMQ")}: true, {From: ActiveMQ()}: true}, 2)
}

// peerNamed returns the peer of a connection that says this product.
func peerNamed(t *testing.T, product string) Peer {
	t.Helper()
	p, known := DetectPeer(map[string]any{"product": product})
	require.True(t, known, product)
	return p
}

func TestDelayFormNames(t *testing.T) {
	var names []string
	for f := range DelayNone + 2 {
		names = append(names, f.String())
	}
	require.Equal(t, []string{"unset", "x-opt-delivery-time", "x-opt-delivery-delay", "x-opt-scheduled-enqueue-time",
		"AMQ_SCHEDULED_DELAY", "none", "DelayForm(6)"}, names)
}

func TestAddressOfABadPrefix(t *testing.T) {
	a, err := Peer{QueuePrefix: "\xff"}.Address(Destination{Kind: Queue, Name: "q"})
	require.EqualError(t, err, `amqpjms: address "\xff": not valid UTF-8`)
	require.Empty(t, a)
}
