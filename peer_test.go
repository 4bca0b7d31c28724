package amqpjms

import (
	"math"
	"slices"
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
		{"an address that the peer made is not encoded", RabbitMQ(), Destination{Kind: TemporaryQueue, Name: "/queues/amq.dyn-a%2Fb"}, "/queues/amq.dyn-a%2Fb", ""},
		{"but a bare name is none that RabbitMQ 4 takes", RabbitMQ(), Destination{Kind: TemporaryQueue, Name: "a/b c"}, "/queues/a%2Fb%20c", ""},

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
		{"all but RFC 3986's unreserved characters", RabbitMQ(), Destination{Kind: Queue, Name: "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\x7f"},
			"/queues/%21%22%23%24%25%26%27%28%29%2A%2B%2C-.%2F09%3A%3B%3C%3D%3E%3F%40AZ%5B%5C%5D%5E_%60az%7B%7C%7D~%7F", ""},
		{"an address is not encoded once more", RabbitMQ(), Destination{Kind: Queue, Name: "/queues/a%2Fb"}, "/queues/a%2Fb", ""},

		{"no kind", Peer{}, Destination{Name: "orders"}, "", `destination "orders": kind is unknown, want queue, topic, temporary queue or temporary topic (Destination.Kind)`},
		{"no such kind", Peer{}, Destination{Kind: TemporaryTopic + 1, Name: "orders"}, "", `destination "orders": kind is DestinationKind(5), want queue, topic, temporary queue or temporary topic (Destination.Kind)`},
		{"no name", prefixed, Destination{Kind: Queue}, "", `destination queue: no name (Destination.Name)`},
		{"no name", Peer{}, Destination{Kind: TemporaryQueue}, "", `destination temporary queue: no name (Destination.Name)`},
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
		{"encoded by halves", RabbitMQ(), "/queues/a=b", UnknownKind, UnknownKind, Destination{Kind: Queue, Name: "a=b", Address: "/queues/a=b"}},
		{"not decoded without its prefix", RabbitMQ(), "/queue/a%2Fb", Queue, UnknownKind, Destination{Kind: Queue, Name: "/queue/a%2Fb", Address: "/queue/a%2Fb"}},
	} {
		got := row.peer.Destination(row.address, row.kind, row.otherwise)
		require.Equal(t, row.want, got, "%s: %+v.Destination(%q, %v, %v)", row.rule, row.peer, row.address, row.kind, row.otherwise)
	}
}

// What no address may be is no destination's address either.
func TestNoAddress(t *testing.T) {
	for _, peer := range []Peer{{}, ActiveMQ(), RabbitMQ()} {
		for address, text := range map[string]string{"": "destination queue: no name (Destination.Name)", "\xff": `"\xff": not valid UTF-8`} {
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
			taken := p.replyAddress(address, d.Kind)
			require.Equal(t, taken, got, "%+v: %+v", p, d)
			require.Equal(t, taken, p.replyAddress(taken, d.Kind), "%+v: once is enough", p)
			if !p.PercentEncoded {
				require.Equal(t, address, got, "%+v: %+v", p, d)
			}
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
			Peer{Product: "ActiveMQ Classic", Delay: DelayAbsolute, TopicPrefix: "t://", CorrelationIDs: IDFormNoPrefix,
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

// What RabbitMQ 4 takes is /queues/:queue, /exchanges/:exchange and /exchanges/:exchange/:routing-key, each name
// percent-encoded. AMQP 0-9-1 clients ask for replies to a bare name of a queue; clients of RabbitMQ 3 know other
// addresses, whose names may be percent-encoded too.
func TestReplyAddress(t *testing.T) {
	for _, row := range []struct {
		rule    string
		address string
		kind    DestinationKind
		want    string
	}{
		{"a bare name", "amq.gen-AbC/d==", Queue, "/queues/amq.gen-AbC%2Fd%3D%3D"},
		{"a bare name, of no known kind", "replies", UnknownKind, "/queues/replies"},
		{"of a temporary queue", "replies", TemporaryQueue, "/queues/replies"},
		{"direct reply-to", "amq.rabbitmq.reply-to.g2dkABByYWJi==.x+y/z", Queue, "/queues/amq.rabbitmq.reply-to.g2dkABByYWJi%3D%3D.x%2By%2Fz"},
		{"of a topic: its key", "news.eu", Topic, "/exchanges/amq.topic/news.eu"},
		{"of a topic: its key", "news.*", TemporaryTopic, "/exchanges/amq.topic/news.%2A"},
		{"a bare name is not encoded", "a%20b", Queue, "/queues/a%2520b"},
		{"an unknown form is a name", "/qqq/x", Queue, "/queues/%2Fqqq%2Fx"},
		{"format v1, a queue", "/queue/a b", Queue, "/queues/a%20b"},
		{"format v1, an encoded queue", "/queue/a%2Fb", Queue, "/queues/a%2Fb"},
		{"format v1, a queue that exists", "/amq/queue/a", Queue, "/queues/a"},
		{"format v1, an exchange", "/exchange/e f", Queue, "/exchanges/e%20f"},
		{"format v1, an exchange and a key", "/exchange/e/k=1", Queue, "/exchanges/e/k%3D1"},
		{"format v1, a key of amq.topic", "/topic/news.#", Queue, "/exchanges/amq.topic/news.%23"},
		{"without a name it is one", "/queue/", Queue, "/queues/%2Fqueue%2F"},
		{"not encoded", "/queues/a b", Queue, "/queues/a%20b"},
		{"a slash is not", "/queues/a/b", Queue, "/queues/a%2Fb"},
		{"encoded by halves", "/queues/a%2Fb==", Queue, "/queues/a%2Fb%3D%3D"},
		{"a % that encodes nothing", "/queues/100%/%41", Queue, "/queues/100%25%2F%2541"},
		{"an exchange, not encoded", "/exchanges/e f/k/l", Queue, "/exchanges/e%20f/k%2Fl"},
		{"as it is", "/queues/amq.gen-AbC%2Fd%3D%3D", Queue, "/queues/amq.gen-AbC%2Fd%3D%3D"},
		{"as it is, whatever the case of the digits", "/queues/%c3%bc", Topic, "/queues/%c3%bc"},
		{"as it is", "/exchanges/e", Topic, "/exchanges/e"},
		{"as it is", "/exchanges/e/", Topic, "/exchanges/e/"},
		{"as it is", "/exchanges/amq.topic/a.b", Queue, "/exchanges/amq.topic/a.b"},
		{"none", "", Queue, ""},
	} {
		require.Equal(t, row.want, RabbitMQ().replyAddress(row.address, row.kind), "%s: %q", row.rule, row.address)
		for _, p := range []Peer{{}, Artemis(), ActiveMQ(), BrokerJ(), RabbitMQ3(), ServiceBus()} {
			require.Equal(t, row.address, p.replyAddress(row.address, row.kind), "%s takes any", p.Product)
		}
		if row.address == "" {
			continue
		}
		kind := row.kind
		if !kind.valid() {
			kind = Queue
		}
		got, err := RabbitMQ().Address(Destination{Kind: kind, Address: row.address})
		require.NoError(t, err)
		require.Equal(t, row.want, got, "%s: Address", row.rule)
	}
}

func TestDestinationKinds(t *testing.T) {
	for kind, want := range map[DestinationKind]struct {
		annotation              int8
		queue, topic, temporary bool
	}{
		UnknownKind:        {-1, false, false, false},
		Queue:              {0, true, false, false},
		Topic:              {1, false, true, false},
		TemporaryQueue:     {2, true, false, true},
		TemporaryTopic:     {3, false, true, true},
		TemporaryTopic + 1: {-1, false, false, false},
		255:                {-1, false, false, false},
	} {
		require.Equal(t, want.annotation, kind.Annotation(), kind)
		require.Equal(t, want.queue, kind.IsQueue(), kind)
		require.Equal(t, want.topic, kind.IsTopic(), kind)
		require.Equal(t, want.temporary, kind.IsTemporary(), kind)
		if kind.valid() {
			require.Equal(t, kind, DestinationKindFrom(kind.Annotation(), nil))
		}
	}
}

// Of what a reader, a writer and a remover of delays goes by nothing is left out.
func TestDelayForms(t *testing.T) {
	for f := range DelayForm(255) {
		require.Equal(t, f.written(), slices.Contains(delayOrder[:], f), f)
	}
	require.Equal(t, DelayAbsolute, delayAnnotated([]byte("x-opt-delivery-time")))
	require.Equal(t, DelayRelative, delayAnnotated([]byte("x-opt-delivery-delay")))
	require.Equal(t, DelayEnqueueTime, delayAnnotated([]byte("x-opt-scheduled-enqueue-time")))
	require.Equal(t, DelayUnset, delayAnnotated([]byte("AMQ_SCHEDULED_DELAY")))
	require.Equal(t, DelayUnset, delayAnnotated(nil))
}

// A Go service replies to an AMQP 0-9-1 client through RabbitMQ 4, which hands on the bare name of a queue.
func TestReplyToBareName(t *testing.T) {
	encoded := unhexed(t, "005370c0020142005373c0190640404040a10f616d712e67656e2d4162432f643d3da10137005375a00171")
	request, err := unmarshal(encoded)
	require.NoError(t, err)
	var raw RawMessage
	require.NoError(t, raw.Parse(encoded))
	for _, row := range []struct {
		peer Peer
		want string
	}{
		{RabbitMQ(), "/queues/amq.gen-AbC%2Fd%3D%3D"},
		{RabbitMQ3(), "amq.gen-AbC/d=="},
		{Peer{}, "amq.gen-AbC/d=="},
	} {
		for _, v := range []View{Consumer{Peer: row.peer}.View(request, sentAt()), Consumer{Peer: row.peer}.ViewRaw(&raw, sentAt())} {
			answer, err := v.Answer(CorrelationIDFirst)
			require.NoError(t, err)
			require.Equal(t, row.want, answer.Destination.Address)
			s, err := Producer{Peer: row.peer, Destination: answer.Destination}.Stamp(sentAt(), ID{})
			require.NoError(t, err)
			require.Equal(t, row.want, s.Address)
			replyTo, err := v.ReplyTo()
			require.NoError(t, err)
			require.Equal(t, "amq.gen-AbC/d==", replyTo.Name)
		}
	}
}
