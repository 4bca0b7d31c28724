package amqpjms

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/seed-b113d664/amqpjms/internal/wire"
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
		v := Consumer{}.View(&row.m, sentAt())
		require.Same(t, &row.m, v.Message, row.rule)
		got, err := v.DeliveryTime()
		require.NoError(t, err, row.rule)
		require.Equal(t, row.time, got, row.rule)
		got, err = v.Expiration()
		require.NoError(t, err, row.rule)
		require.Equal(t, row.expiration, got, row.rule)
	}
}

// refusedByGoAMQP is what go-amqp does not decode, and what it says of it. Of these messages a [View] shows nothing.
func refusedByGoAMQP() map[string]string {
	return map[string]string{
		"receive/body-value-decimal32":                           "decimal32 not implemented",
		"receive/body-value-decimal64":                           "decimal64 not implemented",
		"receive/body-value-decimal128":                          "decimal128 not implemented",
		"receive/body-value-char":                                "char not implemented",
		"receive/body-value-char-astral":                         "char not implemented",
		"receive/body-map-jms-types":                             "char not implemented",
		"receive/body-value-descriptor-symbol":                   "invalid type for uint32 a3", // a section with a symbolic descriptor
		"receive/delivery-time-decimal32":                        "decimal32 not implemented",
		"receive/group-seq-int-instead-of-uint":                  "unmarshaling field 11: invalid type",
		"receive/header-descriptor-symbol-sym32":                 "invalid type for uint32 b3", // a section with a symbolic descriptor
		"receive/header-durable-string-instead-of-boolean":       "unmarshaling field 0: type code 0xa1",
		"receive/header-creation-time-long-instead-of-timestamp": "unmarshaling field 9: invalid type",
		"receive/header-user-id-string":                          "unmarshaling field 1: type code 0xa1",
		"receive/properties-fourteen-fields":                     "invalid field count 14",
		"receive/properties-descriptor-symbol":                   "invalid type for uint32 a3", // a section with a symbolic descriptor
		"receive/section-unknown-descriptor":                     "unknown message section 0x79",
		"receive/section-truncated":                              "invalid length",
		"receive/property-char":                                  "char not implemented",
		"receive/property-char-astral":                           "char not implemented",
		"receive/property-decimal32":                             "decimal32 not implemented",
		"receive/property-decimal128":                            "decimal128 not implemented",
		"receive/property-int-key":                               "type code 0x54 is not a recognized string type",
		"receive/property-null-key":                              "type code 0x40 is not a recognized string type",

		"send/body-map-char":          "char not implemented",
		"send/body-map-every-type":    "char not implemented",
		"send/body-stream-char":       "char not implemented",
		"send/body-stream-every-type": "char not implemented",
		"send/body-object-typed-list": "char not implemented",
		"send/property-char":          "char not implemented",
		// Malformed, see TestLoneSurrogates.
		"send/body-text-lone-surrogate":             "invalid length",
		"send/correlation-id-string-lone-surrogate": "unmarshaling field 7: type code 0x83",
	}
}

// decoded returns a message of the fixtures as go-amqp decodes it, nil where it is known that it does not.
func decoded(t *testing.T, set string, c golden.Case, wire []byte) *amqp.Message {
	t.Helper()
	m, err := unmarshal(wire)
	if why, ok := refusedByGoAMQP()[set+"/"+c.Name]; ok {
		require.ErrorContains(t, err, why, c.At())
		return nil
	}
	require.NoError(t, err, c.At())
	return m
}

// messageView adds what a [View] of a message says, for every key that it has an answer to.
func messageView(t *testing.T, v view, prefix string, c golden.Case, m *View) {
	t.Helper()
	id := func(i Opt[string]) any {
		if s, ok := i.Get(); ok {
			return s
		}
		return nil
	}
	v.set(t, prefix+"JMSTimestamp", m.Timestamp())
	v.set(t, prefix+"JMSExpiration", orError(m.Expiration()))
	v.set(t, prefix+"JMSDeliveryTime", orError(m.DeliveryTime()))
	v.set(t, prefix+"JMSType", id(m.Type()))
	v[prefix+"JMSDestination"] = destinationValue(m.Destination())
	v[prefix+"JMSReplyTo"] = destinationValue(m.ReplyTo())
	v.set(t, prefix+"special.JMSXGroupID", id(m.GroupID()))
	v.set(t, prefix+"special.JMSXGroupSeq", m.GroupSeq().Or(0))
	v.set(t, prefix+"special.JMS_AMQP_REPLY_TO_GROUP_ID", id(m.ReplyToGroupID()))
	user, err := m.UserID()
	switch {
	case err != nil:
		v.set(t, prefix+"special.JMSXUserID", err)
	case user == "":
		v.set(t, prefix+"special.JMSXUserID", nil)
	default:
		v.set(t, prefix+"special.JMSXUserID", user)
	}
	special := []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMSXUserID", "JMS_AMQP_TTL",
		"JMS_AMQP_REPLY_TO_GROUP_ID", "JMS_AMQP_TYPED_ENCODING"}
	for _, name := range special {
		v.set(t, prefix+"special.exists."+name, m.Property(name).Exists())
	}
	if m.Kind() == ObjectMessage {
		v.set(t, prefix+"special.JMS_AMQP_TYPED_ENCODING", orError(m.Property("JMS_AMQP_TYPED_ENCODING").Bool()))
	}

	names := []any{}
	for _, name := range m.PropertyNames() {
		names = append(names, name)
		if slices.Contains(special, name) {
			continue
		}
		p := m.Property(name)
		v[golden.Named(prefix+"property", name)] = goldenValue(t, orError(p.Raw()))
		if _, ok := c.Value(golden.Named(prefix+"property", name)); !ok {
			continue
		}
		text, err := p.Text()
		if err != nil {
			v.set(t, golden.Named(prefix+"propertyAsString", name), err)
		} else {
			v.set(t, golden.Named(prefix+"propertyAsString", name), id(text))
		}
		v.set(t, golden.Named(prefix+"propertyAsLong", name), orError(p.Long()))
	}
	v.set(t, prefix+"propertyNames", names)
	for _, base := range []string{"probe", "probe.exists"} {
		for _, nv := range c.All(prefix + base) {
			p := m.Property(nv.Name)
			if base == "probe" {
				v[golden.Named(prefix+base, nv.Name)] = goldenValue(t, orError(p.Raw()))
			} else {
				v.set(t, golden.Named(prefix+base, nv.Name), p.Exists())
			}
		}
	}

	v[prefix+"type"] = typeValue(m.Kind())
	if prefix == "" {
		v["body"] = bodyValue(t, m)
	}
}

// typeValue names a kind of message as the fixtures do.
func typeValue(k MessageKind) golden.Value {
	name := strings.ToLower(strings.TrimSuffix(k.String(), "Message"))
	if k == PlainMessage {
		name = "message"
	}
	return golden.Value{Type: "text", V: name}
}

// bodyValue returns what the body is to JMS, in the types of the fixtures.
func bodyValue(t *testing.T, m *View) golden.Value {
	t.Helper()
	var got any
	var err error
	switch m.Kind() {
	case PlainMessage:
		return golden.Value{Type: "none"}
	case TextMessage:
		var text Opt[string]
		text, err = m.Text()
		if s, ok := text.Get(); ok {
			got = s
		}
	case BytesMessage:
		got, err = m.Bytes()
	case MapMessage:
		got, err = m.Map()
	case StreamMessage:
		got, err = m.Stream()
	case ObjectMessage:
		got, err = m.Object()
	}
	return asJava(goldenValue(t, orError(got, err)))
}

// asJava gives the bytes in a body the type that the fixtures have for them.
func asJava(v golden.Value) golden.Value {
	switch x := v.V.(type) {
	case []byte:
		if v.Type == "binary" {
			v.Type = "bytes"
		}
	case []golden.Value:
		x = slices.Clone(x)
		for i := range x {
			x[i] = asJava(x[i])
		}
		v.V = x
	case []golden.Entry:
		x = slices.Clone(x)
		for i := range x {
			x[i].Value = asJava(x[i].Value)
		}
		v.V = x
	}
	return v
}

// goldenValue is golden.From for the types that go-amqp has of its own, too.
func goldenValue(t *testing.T, v any) golden.Value {
	t.Helper()
	switch v := v.(type) {
	case amqp.Symbol:
		return golden.Value{Type: "symbol", V: string(v)}
	case JavaObject:
		return golden.Value{Type: "bytes", V: []byte(v)}
	case []byte, []any, error, nil:
	default:
		r := reflect.ValueOf(v)
		if r.Kind() == reflect.Struct && r.NumField() == 2 && r.Type().Field(0).Name == "Descriptor" {
			return golden.Value{Type: "described", V: golden.Described{
				Descriptor: goldenValue(t, r.Field(0).Interface()), Value: goldenValue(t, r.Field(1).Interface()),
			}}
		}
		if r.Kind() == reflect.Slice {
			array := []golden.Value{}
			for i := range r.Len() {
				array = append(array, goldenValue(t, r.Index(i).Interface()))
			}
			return golden.Value{Type: "array", V: array}
		}
	}
	g, err := golden.From(v)
	require.NoError(t, err, "%#v", v)
	return g
}

func orError[T any](v T, err error) any {
	if err != nil {
		return err
	}
	return v
}

func destinationValue(d Destination, err error) golden.Value {
	switch {
	case err != nil:
		return golden.Value{Type: "error", V: err.Error()}
	case d.IsZero():
		return golden.Value{Type: "null"}
	}
	return golden.Value{Type: strings.ReplaceAll(d.Kind.String(), " ", "-"), V: d.Name}
}

func destinationFrom(t *testing.T, v golden.Value) Destination {
	t.Helper()
	name, _ := v.V.(string)
	switch strings.TrimPrefix(v.Type, "foreign-") {
	case "queue":
		return Destination{Kind: Queue, Name: name}
	case "topic":
		return Destination{Kind: Topic, Name: name}
	case "temporary-queue":
		if name == "" {
			name = "temp-queue-1" // what the recording peer named it
		}
		return Destination{Kind: TemporaryQueue, Name: name}
	case "temporary-topic":
		if name == "" {
			name = "temp-topic-1"
		}
		return Destination{Kind: TemporaryTopic, Name: name}
	}
	require.Fail(t, "no destination: "+v.String())
	return Destination{}
}

// unmarshal decodes a message with go-amqp, which panics where a key of annotations cannot be one of a Go map.
func unmarshal(wire []byte) (m *amqp.Message, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("go-amqp panics: %v", r)
		}
	}()
	m = new(amqp.Message)
	if err := m.UnmarshalBinary(wire); err != nil {
		return nil, err
	}
	return m, nil
}

// receiverOf is what the consumer of a case knows.
func receiverOf(t *testing.T, c golden.Case) Consumer {
	consumer, ok := c.Value("consumer")
	require.True(t, ok)
	r := Consumer{Destination: destinationFrom(t, consumer)}
	if strings.Contains(c.Text("options"), "profile=prefix") {
		r.Peer = Peer{QueuePrefix: "q://", TopicPrefix: "t://"}
	}
	return r
}

// arrival is when the message of a case was received, which is on record only as the expiration that was made of it.
func arrival(t *testing.T, c golden.Case, m *RawMessage) time.Time {
	after, ok := c.Value("receivedAfter")
	if !ok {
		return time.UnixMilli(1)
	}
	at := after.V.(int64)
	expiry, err := m.Property(FieldAbsoluteExpiryTime)
	require.NoError(t, err)
	want, _ := c.Value("JMSExpiration")
	if ttl := m.Header.TTL.Or(0); ttl > 0 && expiry == nil {
		got := want.V.(int64) - int64(ttl)
		require.True(t, at <= got && got < at+1000, "%s: received %d ms after it was sent", c.At(), got-at)
		at = got
	}
	return time.UnixMilli(at)
}

// viewOfReceive adds what a View says of a received message.
func viewOfReceive(t *testing.T, v view, c golden.Case, raw *RawMessage) {
	m := decoded(t, "receive", c, c.Wire())
	if m == nil {
		return
	}
	if nulls()[c.Name] {
		kind, err := raw.Kind()
		require.NoError(t, err)
		require.NotEqual(t, kind, bodyOf(m).Kind(), c.At())
		m.Value = amqp.Null{}
	}
	view := receiverOf(t, c).View(m, arrival(t, c, raw))
	times := map[string]golden.Value{"JMSDeliveryTime": v["JMSDeliveryTime"], "JMSExpiration": v["JMSExpiration"]}
	messageView(t, v, "", c, &view)
	symbols(v, c)
	for key, want := range times { // as the raw bytes say it
		require.Equal(t, !stringKeys()[c.Name] || key == "JMSExpiration", v[key].Equal(want), "%s: %s: %v, %v", c.At(), key, v[key], want)
		v[key] = want
	}
}

// stringKeys are the cases whose annotations have keys that are strings, which go-amqp does not tell from symbols.
func stringKeys() map[string]bool { return map[string]bool{"delivery-time-string-key": true} }

// nulls are the cases in which go-amqp hides an amqp-value null that makes a difference.
func nulls() map[string]bool { return map[string]bool{"body-value-null": true} }

// symbols puts symbols where go-amqp gives strings for them.
func symbols(v view, c golden.Case) {
	for key, got := range v {
		if want, ok := c.Want(key); ok {
			v[key] = withSymbols(got, want)
		}
	}
}

func withSymbols(got, want golden.Value) golden.Value {
	switch w := want.V.(type) {
	case string:
		if want.Type == "symbol" && got.Type == "string" && got.V == w {
			return want
		}
	case golden.Described:
		if g, ok := got.V.(golden.Described); ok {
			got.V = golden.Described{Descriptor: withSymbols(g.Descriptor, w.Descriptor), Value: withSymbols(g.Value, w.Value)}
		}
	case []golden.Entry:
		g, ok := got.V.([]golden.Entry)
		if !ok || len(g) != len(w) {
			return got
		}
		g = slices.Clone(g)
		for i := range g {
			for _, e := range w {
				if e.Key.Equal(g[i].Key) {
					g[i].Value = withSymbols(g[i].Value, e.Value)
				}
			}
		}
		got.V = g
	case []golden.Value:
		g, ok := got.V.([]golden.Value)
		if !ok || len(g) != len(w) {
			return got
		}
		g = slices.Clone(g)
		for i := range g {
			g[i] = withSymbols(g[i], w[i])
		}
		got.V = g
	}
	return got
}

// A refusal is the error of a setting, and which one it is of.
type refusal struct {
	part string
	err  error
}

// goValue returns the Go value that stands for a value that an application of Java set, false where Go has no type
// like it.
func goValue(t *testing.T, v golden.Value) (any, bool) {
	t.Helper()
	switch x := v.V.(type) {
	case int64:
		switch v.Type {
		case "byte":
			return int8(x), true
		case "short":
			return int16(x), true
		case "int":
			return int32(x), true
		case "timestamp":
			return time.UnixMilli(x), true
		}
		return x, true
	case uint64:
		require.Equal(t, "char", v.Type)
		return nil, false
	case [16]byte:
		return amqp.UUID(x), true
	case string:
		if v.Type == "object" {
			return struct{}{}, true
		}
		return x, true
	case []golden.Value:
		list := make([]any, len(x))
		strings := make([]string, len(x))
		for i, e := range x {
			var ok bool
			if list[i], ok = goValue(t, e); !ok {
				return nil, false
			}
			strings[i], _ = list[i].(string)
		}
		if v.Type == "array" {
			return strings, true
		}
		return list, true
	case []golden.Entry:
		m := map[string]any{}
		for _, e := range x {
			value, ok := goValue(t, e.Value)
			if !ok {
				return nil, false
			}
			m[e.Key.V.(string)] = value
		}
		return m, true
	case nil:
		if v.Type == "object" {
			return struct{}{}, true
		}
	}
	return v.V, true // bool, float32, float64, []byte, nil
}

// noGoType are the sends of a value that no Go type stands for: a char, which go-amqp does not encode either, and a time
// that no time.Duration is as long as.
func noGoType() []string {
	return []string{"header-ttl-long-max", "body-map-char", "body-map-every-type", "body-stream-char", "body-stream-every-type",
		"body-object-typed-list", "property-char"}
}

// sentPeer is the peer of a send.
func sentPeer(c golden.Case) Peer {
	switch c.Text("set.peerProfile") {
	case "nodelay":
		return Peer{Delay: DelayNone}
	case "prefix":
		return Peer{Delay: DelayAbsolute, QueuePrefix: "q://", TopicPrefix: "t://"}
	}
	return Peer{Delay: DelayAbsolute}
}

// sentProducer is the producer of a send.
func sentProducer(t *testing.T, c golden.Case) Producer {
	number := func(key string) int64 {
		if v, ok := c.Value(key); ok {
			return v.V.(int64)
		}
		return 0
	}
	is := func(key string) bool { v, _ := c.Value(key); return v.V == true }
	to, _ := c.Value("set.destination")
	p := Producer{
		Peer:          sentPeer(c),
		Destination:   destinationFrom(t, to),
		Mode:          DeliveryMode(number("set.deliveryMode")),
		TimeToLive:    time.Duration(number("set.timeToLive")) * time.Millisecond,
		DeliveryDelay: time.Duration(number("set.deliveryDelay")) * time.Millisecond,
		NoMessageID:   is("set.disableMessageID"),
		NoTimestamp:   is("set.disableMessageTimestamp"),
	}
	if v, ok := c.Value("set.priority"); ok {
		p.Priority = Some(uint8(v.V.(int64)))
	}
	if strings.Contains(c.Text("set.connectionOptions"), "populateJMSXUserID=true") {
		p.UserID = c.Text("set.username")
	}
	return p
}

// writtenBody gives m the body that the application set, false where no Go type stands for it.
func writtenBody(t *testing.T, c golden.Case, w Editor, m *amqp.Message) (ok bool, err error) {
	t.Helper()
	body, stated := c.Value("set.body")
	v, ok := goValue(t, body)
	if !ok {
		return false, nil
	}
	typed := slices.ContainsFunc(c.All("set.property"), func(p golden.NamedValue) bool { return p.Name == "JMS_AMQP_TYPED_ENCODING" })
	switch c.Text("set.message") {
	case "text":
		if v == nil {
			w.SetNullText(m)
			return true, nil
		}
		return true, w.SetText(m, v.(string))
	case "bytes":
		w.SetBytes(m, v.([]byte))
	case "map":
		if !stated { // the two cases of a map that cannot be made
			values := map[string]any{"k": time.UnixMilli(0)}
			if c.Name == "body-map-empty-name" {
				values = map[string]any{"": int32(1)}
			}
			return true, w.SetMap(m, values)
		}
		return true, w.SetMap(m, v.(map[string]any))
	case "stream":
		return true, w.SetStream(m, v.([]any))
	case "object":
		if typed {
			return true, w.SetObject(m, v)
		}
		// What Java serializes is opaque: the bytes of the record.
		recorded, err := unmarshal(c.Wire())
		require.NoError(t, err, c.At())
		w.SetJavaObject(m, recorded.Data[0])
	case "message":
		w.SetPlain(m)
	default:
		require.Fail(t, c.At())
	}
	return true, nil
}

// written returns the message that the application's settings make, before it is sent, nil where no Go type stands
// for one of them.
func written(t *testing.T, c golden.Case) (*amqp.Message, *refusal) {
	t.Helper()
	if ttl, ok := c.Value("set.timeToLive"); ok && ttl.V.(int64) > math.MaxInt64/int64(time.Millisecond) {
		return nil, nil
	}
	w := Editor{Peer: sentPeer(c), AnyPropertyName: strings.Contains(c.Text("set.connectionOptions"), "validatePropertyNames=false")}
	m := new(amqp.Message)
	if v, ok := c.Value("set.receivedWire"); ok {
		received, err := unmarshal(v.V.([]byte))
		require.NoError(t, err, c.At())
		if c.Text("set.resendMode") == "forward" {
			return received, nil
		}
		id, err := Consumer{}.View(received, time.Time{}).MessageID()
		if c.Name == "reply-to-message-id-wrong-type-symbol" { // which go-amqp gives as a string
			require.NoError(t, err)
			var raw RawMessage
			require.NoError(t, raw.Parse(v.V.([]byte)))
			_, err := raw.MessageID()
			require.Error(t, err)
			return nil, &refusal{"JMSMessageID", &ValueError{Err: err}}
		}
		if err != nil {
			return nil, &refusal{"JMSMessageID", err}
		}
		w.SetCorrelationID(m, id)
	}
	if ok, err := writtenBody(t, c, w, m); !ok || err != nil {
		if err != nil {
			return nil, &refusal{"body", err}
		}
		return nil, nil
	}
	for _, key := range c.Stated() {
		v, _ := c.Value(key)
		var err error
		switch key {
		case "set.JMSMessageID": // the provider gives another, but looks at it first
			if s, ok := v.V.(string); ok {
				_, err = ParseID(s)
			}
		case "set.JMSCorrelationID":
			if s, ok := v.V.(string); ok {
				var id ID
				if id, err = ParseID(s); err == nil {
					w.SetCorrelationID(m, id)
				}
			}
		case "set.JMSCorrelationIDAsBytes":
			if foreign, _ := c.Value("set.foreignMessage"); foreign.V == true {
				continue // the client asks a message of another provider for its string only
			}
			b, _ := v.V.([]byte)
			id, err := IDFrom(b)
			require.NoError(t, err)
			w.SetCorrelationID(m, id)
		case "set.JMSReplyTo":
			err = w.SetReplyTo(m, destinationFrom(t, v))
		case "set.JMSType":
			jmsType := Opt[string]{}
			if s, ok := v.V.(string); ok {
				jmsType = Some(s)
			}
			err = w.SetType(m, jmsType)
		}
		if err != nil {
			return nil, &refusal{strings.TrimPrefix(key, "set."), err}
		}
	}
	for _, p := range c.All("set.property") {
		v, ok := goValue(t, p.Value)
		if !ok {
			return nil, nil
		}
		if p.Name == "JMS_AMQP_TTL" || p.Name == "JMS_AMQP_TYPED_ENCODING" && c.Text("set.message") == "object" {
			continue // once it is stamped; by SetObject
		}
		if err := w.SetProperty(m, p.Name, v); err != nil {
			return nil, &refusal{"property", err}
		}
	}
	return m, nil
}

// stamped stamps the message as the producer did, with the id and at the time that are on record.
func stamped(t *testing.T, c golden.Case, m *amqp.Message) (Stamp, *refusal) {
	t.Helper()
	p := sentProducer(t, c)
	now := time.UnixMilli(1)
	var id ID
	recorded := c.Wire()
	if recorded != nil {
		var raw RawMessage
		require.NoError(t, raw.Parse(recorded), c.At())
		var err error
		id, err = raw.MessageID()
		require.NoError(t, err, c.At())
		if v, err := raw.Property(FieldCreationTime); err == nil && v != nil {
			now = time.UnixMilli(v.number().n)
		} else if v, ok := c.Value("observed.JMSDeliveryTime"); ok && v.V.(int64) != 0 {
			now = time.UnixMilli(v.V.(int64)).Add(-p.DeliveryDelay)
		}
	}
	if twice, _ := c.Value("set.sendTwice"); twice.V == true {
		s, err := p.Stamp(now, id)
		require.NoError(t, err, c.At())
		require.NoError(t, s.Apply(m), c.At())
		p.DeliveryDelay = 0
	}
	s, err := p.Stamp(now, id)
	if err == nil {
		err = s.Apply(m)
	}
	if err != nil {
		return Stamp{}, &refusal{"send", err}
	}
	for _, property := range c.All("set.property") {
		if property.Name == "JMS_AMQP_TTL" {
			v, _ := goValue(t, property.Value)
			if err := (Editor{}).SetProperty(m, property.Name, v); err != nil {
				return Stamp{}, &refusal{"property", err}
			}
		}
	}
	return s, nil
}

// viewOfSend adds what the receiver of our own message sees, and how its sections differ from those on record.
func viewOfSend(t *testing.T, v view, c golden.Case) {
	t.Helper()
	m, refused := written(t, c)
	if m == nil && refused == nil {
		require.Contains(t, noGoType(), c.Name)
		return
	}
	var s Stamp
	if refused == nil {
		s, refused = stamped(t, c, m)
	}
	if refused != nil {
		var e *ValueError
		require.ErrorAs(t, refused.err, &e, c.At())
		if v["error"].V == nil {
			v["error"] = golden.Value{Type: "text", V: refused.part}
		}
		return
	}
	ours, err := m.MarshalBinary()
	require.NoError(t, err, c.At())
	if !c.Representable() {
		return // what is on record is malformed, see TestLoneSurrogates
	}
	received, err := unmarshal(ours)
	require.NoError(t, err, c.At())
	if isNull(m.Value) {
		received.Value = m.Value
	}
	view := Consumer{Peer: sentPeer(c), Destination: s.Destination}.View(received, time.UnixMilli(1))
	if failed(c) {
		// We send what the peer refused.
		v["observed.type"] = typeValue(view.Kind())
		for name := range sectionValues(t, c, ours) {
			if slices.Contains([]string{"data", "amqp-sequence", "amqp-value"}, name) {
				v["wire."+name] = golden.Value{Type: "binary", V: sectionBytes(t, ours, name)}
			}
		}
		return
	}
	if c.Text("observed.type") != "" {
		messageView(t, v, "observed.", c, &view)
		symbols(v, c)
		// What is on record is the sender's own message. It knows of these what the stamp says, and more than a receiver
		// can: the time of delivery where timestamps are disabled, no expiration by the ttl alone.
		v.set(t, "observed.JMSTimestamp", s.Timestamp)
		v.set(t, "observed.JMSDeliveryTime", s.DeliveryTime)
		v.set(t, "observed.JMSExpiration", s.Expiration)
		v["observed.JMSDestination"] = destinationValue(s.Destination, nil)
		if slices.ContainsFunc(c.All("set.property"), func(p golden.NamedValue) bool { return p.Name == "JMS_AMQP_TTL" }) {
			delete(v, "observed.special.exists.JMS_AMQP_TTL") // is for the sender alone
			delete(v, "observed.propertyNames")
		}
		if foreign, _ := c.Value("set.foreignMessage"); foreign.V == true {
			// What the client did not set on a message of another provider is that provider's affair.
			for key := range v {
				if strings.HasPrefix(key, "observed.special.") || key == "observed.propertyNames" || strings.HasPrefix(key, "observed.property ") {
					delete(v, key)
				}
			}
		}
	}
	viewOfSections(t, v, c, c.Wire(), ours)
}

// symbolsLost are the sends of symbols that an application had received: go-amqp makes strings of them.
func symbolsLost() []string {
	return []string{"forward-map-amqp-types", "forward-amqp-only-properties"}
}

// viewOfSections adds the bytes of each section: those on record, or those that the fixture has for ours, where
// ours say the same in another encoding.
func viewOfSections(t *testing.T, v view, c golden.Case, recorded, ours []byte) {
	t.Helper()
	was, is := sectionValues(t, c, recorded), sectionValues(t, c, ours)
	lost := false
	for _, name := range golden.SectionNames()[1:] { // headers are compared by themselves, byte for byte
		key := "wire." + name
		want, ok := c.Want(key)
		require.True(t, ok, c.At())
		wanted := was[name]
		if want, _, ok := c.Ours(key); ok {
			wanted = nil
			if b, ok := want.V.([]byte); ok {
				wanted = sectionValues(t, c, b)[name]
			}
		}
		got := is[name]
		if slices.Contains(symbolsLost(), c.Name) && len(got) == len(wanted) {
			for i := range got {
				with := withSymbols(got[i], wanted[i])
				lost = lost || !with.Equal(got[i])
				got[i] = with
			}
		}
		if slices.EqualFunc(wanted, got, golden.Value.Equal) {
			v[key] = want
			continue
		}
		v[key] = golden.Value{Type: "null"}
		if raw := sectionBytes(t, ours, name); raw != nil {
			v[key] = golden.Value{Type: "binary", V: raw}
		}
	}
	require.Equal(t, slices.Contains(symbolsLost(), c.Name), lost, c.At())
}

func sectionBytes(t *testing.T, wire []byte, name string) []byte {
	t.Helper()
	var m RawMessage
	require.NoError(t, m.Parse(wire))
	switch name {
	case "delivery-annotations":
		return m.DeliveryAnnotations
	case "message-annotations":
		return m.MessageAnnotations
	case "properties":
		return m.Properties
	case "application-properties":
		return m.ApplicationProperties
	}
	var b []byte
	for s, err := range m.BodySections() {
		require.NoError(t, err)
		if s.Kind.String() == name {
			b = append(b, s.Bytes...)
		}
	}
	return b
}

// sectionValues returns the values of all sections of a message but the header, by name: each is read byte for byte,
// so that a symbol is not a string, and a null no section that is not there.
func sectionValues(t *testing.T, c golden.Case, encoded []byte) map[string][]golden.Value {
	t.Helper()
	var m RawMessage
	require.NoError(t, m.Parse(encoded), c.At())
	values := map[string][]golden.Value{}
	for name, section := range map[string][]byte{
		"delivery-annotations":   m.DeliveryAnnotations,
		"message-annotations":    m.MessageAnnotations,
		"application-properties": m.ApplicationProperties,
	} {
		if section != nil {
			r := wire.NewReader(section)
			readSection(&r)
			values[name] = append(values[name], rawValue(t, r.Remaining()))
		}
	}
	if m.Properties != nil {
		var fields []golden.Entry
		for f := range PropertiesField(propertiesFields) {
			raw, err := m.Property(f)
			require.NoError(t, err, c.At())
			if raw != nil {
				fields = append(fields, golden.Entry{Key: golden.Value{Type: "string", V: f.String()}, Value: rawValue(t, raw)})
			}
		}
		if fields != nil {
			values["properties"] = append(values["properties"], golden.Value{Type: "map", V: fields})
		}
	}
	for s, err := range m.BodySections() {
		require.NoError(t, err, c.At())
		values[s.Kind.String()] = append(values[s.Kind.String()], rawValue(t, s.Value))
	}
	return values
}

// rawValue reads one encoded value.
func rawValue(t *testing.T, raw RawValue) golden.Value {
	t.Helper()
	r := wire.NewReader(raw)
	switch r.Next() {
	case wire.Symbol:
		return golden.Value{Type: "symbol", V: string(r.Symbol())}
	case wire.Char, wire.Decimal32, wire.Decimal64, wire.Decimal128, wire.Array, wire.Described:
		// Only ever compared with itself, or described and arrays with what go-amqp makes of the same bytes.
		m, err := unmarshal(append([]byte{0, 0x53, 0x77}, raw...))
		if err != nil {
			return golden.Value{Type: "binary", V: []byte(raw)}
		}
		return goldenValue(t, m.Value)
	case wire.Map:
		entries := []golden.Entry{}
		outer, n := r.Map()
		for range n {
			key := rawValue(t, RawValue(r.Value()))
			entries = append(entries, golden.Entry{Key: key, Value: rawValue(t, RawValue(r.Value()))})
		}
		r.Leave(outer)
		require.Nil(t, r.Err())
		return golden.Value{Type: "map", V: entries}
	case wire.List:
		list := []golden.Value{}
		outer, n := r.List()
		for range n {
			list = append(list, rawValue(t, RawValue(r.Value())))
		}
		r.Leave(outer)
		require.Nil(t, r.Err())
		return golden.Value{Type: "list", V: list}
	}
	m, err := unmarshal(append([]byte{0, 0x53, 0x77}, raw...))
	require.NoError(t, err)
	return goldenValue(t, m.Value)
}

// everyField returns an encoded message that has every field that JMS knows.
func everyField(tb testing.TB) []byte {
	tb.Helper()
	var w Editor
	var m amqp.Message
	require.NoError(tb, w.SetText(&m, "hello"))
	require.NoError(tb, w.SetReplyTo(&m, Destination{Kind: TemporaryQueue, Name: "temp-queue://b1:1"}))
	require.NoError(tb, w.SetType(&m, Some("order")))
	id, err := ParseID("ID:AMQP_ULONG:42")
	require.NoError(tb, err)
	w.SetCorrelationID(&m, id)
	require.NoError(tb, w.SetGroup(&m, Some("customer-4711"), Some[int32](3)))
	require.NoError(tb, w.SetProperties(&m, map[string]any{
		"JMS_AMQP_REPLY_TO_GROUP_ID": "g", "JMS_AMQP_CONTENT_TYPE": "text/plain", "region": "north", "count": int32(3),
	}))
	p := Producer{
		Peer: Artemis(), Destination: Destination{Kind: Queue, Name: "orders"}, Priority: Some[uint8](7),
		TimeToLive: time.Hour, DeliveryDelay: time.Second, UserID: "alice",
	}
	_, err = p.Prepare(&m, sentAt())
	require.NoError(tb, err)
	b, err := m.MarshalBinary()
	require.NoError(tb, err)
	return b
}

// Reading fields allocates nothing, ids apart that are binaries.
func TestViewAllocs(t *testing.T) {
	m, err := unmarshal(everyField(t))
	require.NoError(t, err)
	for _, peer := range []Peer{Artemis(), ActiveMQ(), RabbitMQ()} {
		r := Consumer{Peer: peer, Destination: Destination{Kind: Queue, Name: "orders"}}
		require.Zero(t, testing.AllocsPerRun(100, func() {
			v := r.View(m, sentAt())
			_, _ = v.MessageID()
			_, _ = v.CorrelationID()
			_, _ = v.Destination()
			_, _ = v.ReplyTo()
			_, _ = v.DeliveryTime()
			_, _ = v.Expiration()
			_, _ = v.AnnotatedKind()
			_, _, _, _, _ = v.DeliveryMode(), v.Priority(), v.Redelivered(), v.DeliveryCount(), v.Kind()
			_, _, _, _, _ = v.Timestamp(), v.Type(), v.GroupID(), v.GroupSeq(), v.ReplyToGroupID()
		}), peer.Product)
	}
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

func TestPropertyNames(t *testing.T) {
	for _, name := range []string{"a", "A1", "$_a1", "_", "true", "null", "NOTE", "\u00fc\u4e2d", "a\u0301", "a\u0000", "a\u200d",
		"a\u0008", "a\u000e", "a\u001b", "a\u007f", "a\u009f", "a1"} { // the last but one: what Java ignores
		require.NoError(t, CheckPropertyName(name), "%q", name)
	}
	for name, why := range map[string]string{
		"":               "empty",
		"NULL":           "a word of JMS's selectors",
		"TRUE":           "a word of JMS's selectors",
		"FALSE":          "a word of JMS's selectors",
		"NOT":            "a word of JMS's selectors",
		"AND":            "a word of JMS's selectors",
		"OR":             "a word of JMS's selectors",
		"BETWEEN":        "a word of JMS's selectors",
		"LIKE":           "a word of JMS's selectors",
		"IN":             "a word of JMS's selectors",
		"IS":             "a word of JMS's selectors",
		"ESCAPE":         "a word of JMS's selectors",
		"1a":             "starts with '1', which starts no Java identifier",
		"-":              "starts with '-', which starts no Java identifier",
		"a-b":            "holds '-', which is in no Java identifier",
		"a.b":            "holds '.', which is in no Java identifier",
		"a b":            "holds ' ', which is in no Java identifier",
		"cloudEvents:id": "holds ':', which is in no Java identifier",
		"a\U0001f600":    "holds '\U0001f600', which is in no Java identifier",
		"\U00020000":     "starts with '\U00020000', which starts no Java identifier", // a letter, but of two UTF-16 code units
		"a\xff":          "holds '\ufffd', which is in no Java identifier",
		"\U00010000":     "starts with '\U00010000', which starts no Java identifier", // the first of those
		"a\U000e0100":    "holds '\U000e0100', which is in no Java identifier",        // a mark of two units
		"a\t":            `holds '\t', which is in no Java identifier`,
		"a\r":            `holds '\r', which is in no Java identifier`,
		"a\x1c":          `holds '\x1c', which is in no Java identifier`,
		"a~":             "holds '~', which is in no Java identifier",
		"a\u00a0":        `holds '\u00a0', which is in no Java identifier`,
	} {
		wantValueError(t, CheckPropertyName(name), fmt.Sprintf("amqpjms: property %q: %s", name, why))
	}

	any, escaping := Editor{AnyPropertyName: true}, Editor{EscapePropertyNames: true}
	for _, row := range []struct {
		w    Editor
		name string
		key  string // "": an error
		err  string
	}{
		{Editor{}, "a", "a", ""},
		{Editor{}, "JMS_acme_x", "JMS_acme_x", ""},
		{Editor{}, "JMS_AMQP_FOO", "JMS_AMQP_FOO", ""},
		{Editor{}, "jmsx", "jmsx", ""},
		{Editor{}, "a-b", "", "holds '-', which is in no Java identifier"},
		{Editor{}, "JMSXGroupID", "", "a field of the message, and no application property"},
		{Editor{}, "JMS_AMQP_TTL", "", "a field of the message, and no application property"},
		{Editor{}, "JMSXAppID", "", "JMS keeps names that start with JMS for itself"},
		{Editor{}, "JMSPriority", "", "JMS keeps names that start with JMS for itself"},
		{Editor{}, "JMSXDeliveryCount", "", "a field of the message, and no application property"},
		{Editor{}, "JMSXGroupSeq", "", "a field of the message, and no application property"},
		{Editor{}, "JMSXUserID", "", "a field of the message, and no application property"},
		{Editor{}, "JMS_AMQP_REPLY_TO_GROUP_ID", "", "a field of the message, and no application property"},
		{Editor{}, "JMS_AMQP_CONTENT_TYPE", "", "a field of the message, and no application property"},
		{Editor{}, "JMS_AMQP_CONTENT_ENCODING", "", "a field of the message, and no application property"},
		{Editor{}, "JMS_AMQP_TYPED_ENCODING", "", "a field of the message, and no application property"},
		{any, "a-b", "a-b", ""},
		{any, "NULL", "NULL", ""},
		{any, "", "", "empty"},
		{any, "a\xff", "", "not valid UTF-8"},
		{any, "JMSFoo", "", "JMS keeps names that start with JMS for itself"},
		{escaping, "a-b.c", "a_HYPHEN_b_DOT_c", ""},
		{escaping, "a b", "", "holds ' ', which is in no Java identifier"},
		{escaping, "a_DOT_b", "", "holds what - or . is escaped as"},
	} {
		key, err := row.w.PropertyKey(row.name)
		require.Equal(t, row.key, key, "%+v.PropertyKey(%q)", row.w, row.name)
		if row.err == "" {
			require.NoError(t, err)
		} else {
			wantValueError(t, err, fmt.Sprintf("amqpjms: property %q: %s", row.name, row.err))
		}
	}
}

// What is escaped comes back, and no two names are escaped alike.
func FuzzEscapePropertyName(f *testing.F) {
	for _, name := range []string{"", "a", "a-b", "a.b.c-", "a_HYPHEN-", "-HYPHEN_", "_DOT_", "a_DOT", ".DOT_.", "_HYPHEN_HYPHEN_"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		escaped, err := EscapePropertyName(name)
		if err != nil {
			require.Contains(t, escapedHyphen+escapedDot+name, "_")
			require.Contains(t, name, "_", "an error without cause")
			require.Empty(t, escaped)
			return
		}
		require.Equal(t, name, UnescapePropertyName(escaped))
		require.NotContains(t, escaped, "-")
		require.NotContains(t, escaped, ".")
	})
}

// Every field of a message, set and read again, in a message that shares its parts with another.
func TestWriter(t *testing.T) {
	subject := "before"
	shared := amqp.Message{
		Header:                &amqp.MessageHeader{Priority: 3, TTL: time.Second},
		Annotations:           amqp.Annotations{"x-opt-custom": "kept", amqp.Symbol("x-opt-jms-msg-type"): uint8(1), "x-opt-reply-type": "topic"},
		Properties:            &amqp.MessageProperties{Subject: &subject, UserID: []byte("alice")},
		ApplicationProperties: map[string]any{"old": int32(1)},
	}
	before, err := shared.MarshalBinary()
	require.NoError(t, err)

	m := shared
	w := Editor{Peer: ActiveMQ()}
	require.NoError(t, w.SetText(&m, "hello"))
	require.NoError(t, w.SetReplyTo(&m, Destination{Kind: Queue, Name: "replies"}))
	require.NoError(t, w.SetType(&m, Some("order")))
	w.SetCorrelationID(&m, ulongID(42))
	require.NoError(t, w.SetGroup(&m, Some(""), Some[int32](-1)))
	require.NoError(t, w.SetProperty(&m, "region", "north"))
	require.NoError(t, w.SetProperties(&m, map[string]any{
		"JMS_AMQP_REPLY_TO_GROUP_ID": "g", "JMS_AMQP_CONTENT_TYPE": "text/csv", "JMS_AMQP_CONTENT_ENCODING": "none", "JMS_AMQP_TTL": int64(math.MaxUint32),
		"n": nil, "b": true, "i8": int8(1), "f": float32(1),
	}))

	after, err := shared.MarshalBinary()
	require.NoError(t, err)
	require.Len(t, after, len(before))
	require.Equal(t, amqp.Annotations{"x-opt-custom": "kept", amqp.Symbol("x-opt-jms-msg-type"): uint8(1), "x-opt-reply-type": "topic"}, shared.Annotations)
	require.Equal(t, map[string]any{"old": int32(1)}, shared.ApplicationProperties)
	require.Equal(t, amqp.MessageProperties{Subject: &subject, UserID: []byte("alice")}, *shared.Properties)
	require.Equal(t, time.Second, shared.Header.TTL)

	require.Equal(t, amqp.Annotations{"x-opt-custom": "kept", "x-opt-jms-msg-type": int8(5), "x-opt-jms-reply-to": int8(0)}, m.Annotations)
	require.Equal(t, "queue://replies", *m.Properties.ReplyTo)
	require.Equal(t, amqp.MessageHeader{Priority: 3, TTL: math.MaxUint32 * time.Millisecond}, *m.Header)
	v := Consumer{Peer: ActiveMQ()}.View(&m, sentAt())
	replyTo, err := v.ReplyTo()
	require.NoError(t, err)
	require.Equal(t, Destination{Kind: Queue, Name: "replies"}, replyTo)
	require.Equal(t, Some("order"), v.Type())
	id, err := v.CorrelationID()
	require.NoError(t, err)
	require.Equal(t, ulongID(42), id)
	require.Equal(t, Some(""), v.GroupID())
	require.Equal(t, Some[int32](-1), v.GroupSeq())
	require.Equal(t, uint32(math.MaxUint32), *m.Properties.GroupSequence)
	require.Equal(t, Some("g"), v.ReplyToGroupID())
	require.Equal(t, Some("text/csv"), v.ContentType())
	require.Equal(t, Some("none"), v.ContentEncoding())
	require.Equal(t, map[string]any{"old": int32(1), "region": "north", "n": nil, "b": true, "i8": int8(1), "f": float32(1)}, m.ApplicationProperties)
	require.Equal(t, []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMSXUserID", "JMS_AMQP_CONTENT_ENCODING", "JMS_AMQP_CONTENT_TYPE",
		"JMS_AMQP_REPLY_TO_GROUP_ID", "b", "f", "i8", "n", "old", "region"}, v.PropertyNames())

	for _, name := range []string{"JMSXGroupID", "JMSXGroupSeq", "JMS_AMQP_REPLY_TO_GROUP_ID", "JMS_AMQP_CONTENT_TYPE", "JMS_AMQP_CONTENT_ENCODING",
		"JMS_AMQP_TTL", "n", "b", "i8", "f", "old", "absent"} {
		require.NoError(t, w.RemoveProperty(&m, name), name)
	}
	require.Equal(t, []string{"JMSXDeliveryCount", "JMSXUserID", "region"}, v.PropertyNames())
	require.Zero(t, m.Header.TTL)
	require.NoError(t, w.SetReplyTo(&m, Destination{}))
	require.NoError(t, w.SetType(&m, Opt[string]{}))
	w.SetCorrelationID(&m, ID{})
	require.Equal(t, amqp.MessageProperties{UserID: []byte("alice")}, *m.Properties)
	require.Equal(t, amqp.Annotations{"x-opt-custom": "kept", "x-opt-jms-msg-type": int8(5)}, m.Annotations)

	// A name is removed as it is written.
	m.ApplicationProperties = map[string]any{"a-b": "plain", "a_HYPHEN_b": "escaped"}
	require.NoError(t, Editor{EscapePropertyNames: true}.RemoveProperty(&m, "a-b"))
	require.Equal(t, map[string]any{"a-b": "plain"}, m.ApplicationProperties)
	wantValueError(t, Editor{EscapePropertyNames: true}.RemoveProperty(&m, "a_DOT_b"), `amqpjms: property "a_DOT_b": holds what - or . is escaped as`)
	require.Equal(t, map[string]any{"a-b": "plain"}, m.ApplicationProperties)
	require.NoError(t, w.RemoveProperty(&m, "a-b"))
	require.Nil(t, m.ApplicationProperties)
	m.ApplicationProperties = map[string]any{}
	require.NoError(t, w.RemoveProperty(&m, "absent"))
	require.Equal(t, map[string]any{}, m.ApplicationProperties, "an empty section stays one")

	// A ttl needs a header, but its removal none; bytes keep what is said of them.
	var bare amqp.Message
	require.NoError(t, w.RemoveProperty(&bare, "JMS_AMQP_TTL"))
	require.Equal(t, amqp.Message{}, bare)
	require.NoError(t, w.SetProperty(&bare, "JMS_AMQP_TTL", int32(5)))
	require.Equal(t, &amqp.MessageHeader{Durable: true, Priority: 4, TTL: 5 * time.Millisecond}, bare.Header)
	bare.Properties = &amqp.MessageProperties{ContentType: stated("image/png"), ContentEncoding: stated("gzip")}
	w.SetBytes(&bare, []byte{1})
	require.Equal(t, amqp.MessageProperties{ContentType: stated("image/png"), ContentEncoding: stated("gzip")}, *bare.Properties)

	require.Len(t, map[Editor]bool{{Peer: ActiveMQ()}: true, {Peer: peerNamed(t, "ActiveMQ")}: true, {AnyPropertyName: true}: true}, 2)
}

// What takes the last thing out of a section takes the section, for go-amqp sends an empty one else.
func TestNoEmptySection(t *testing.T) {
	var w Editor
	address, group, n, now := "a", "g", uint32(1), sentAt()
	removed := func(name string) func(*amqp.Message) error {
		return func(m *amqp.Message) error { return w.RemoveProperty(m, name) }
	}
	applied := func(form DelayForm) func(*amqp.Message) error {
		return func(m *amqp.Message) error { return Stamp{DelayForm: form}.Apply(m) }
	}
	for _, row := range []struct {
		rule string
		m    amqp.Message
		edit func(m *amqp.Message) error
		wire string // without the header and the annotation for the kind of message
	}{
		{"nothing to remove", amqp.Message{}, removed("p"), ``},
		{"nothing to remove", amqp.Message{}, removed("JMSXGroupID"), ``},
		{"nothing to remove", amqp.Message{}, removed("JMSXGroupSeq"), ``},
		{"nothing to remove", amqp.Message{}, func(m *amqp.Message) error { return w.SetReplyTo(m, Destination{}) }, ``},
		{"nothing to remove", amqp.Message{}, func(m *amqp.Message) error { return w.SetType(m, Opt[string]{}) }, ``},
		{"nothing to remove", amqp.Message{}, func(m *amqp.Message) error { return w.SetGroup(m, Opt[string]{}, Opt[int32]{}) }, ``},
		{"nothing to remove", amqp.Message{}, func(m *amqp.Message) error { w.SetCorrelationID(m, ID{}); return nil }, ``},
		{"nothing to set", amqp.Message{}, func(m *amqp.Message) error { return w.SetProperties(m, nil) }, ``},
		{"an application property", amqp.Message{ApplicationProperties: map[string]any{"p": true}}, removed("p"), ``},
		{"one of two", amqp.Message{ApplicationProperties: map[string]any{"p": true, "q": true}}, removed("p"), `00 53 74 d1 00000008 00000002 a1 01 "q" 41`},
		{"a field", amqp.Message{Properties: &amqp.MessageProperties{GroupID: &group}}, removed("JMSXGroupID"), ``},
		{"a field", amqp.Message{Properties: &amqp.MessageProperties{GroupSequence: &n}}, removed("JMSXGroupSeq"), ``},
		{"a null field", amqp.Message{Properties: &amqp.MessageProperties{ContentType: &group}},
			func(m *amqp.Message) error { return w.SetProperty(m, "JMS_AMQP_CONTENT_TYPE", nil) }, ``},
		{"a reply-to", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &address}, Annotations: amqp.Annotations{"x-opt-jms-reply-to": int8(0)}},
			func(m *amqp.Message) error { return w.SetReplyTo(m, Destination{}) }, ``},
		{"what an earlier send left", amqp.Message{Properties: &amqp.MessageProperties{MessageID: "m", UserID: []byte("u"), To: &address, CreationTime: &now},
			ApplicationProperties: map[string]any{"AMQ_SCHEDULED_DELAY": int64(1)}, Value: "a"}, applied(DelayProperty), `00 53 77 a1 01 "a"`},
		{"but not the application's", amqp.Message{ApplicationProperties: map[string]any{"AMQ_SCHEDULED_DELAY": int64(1)}, Value: "a"}, applied(DelayAbsolute),
			`00 53 74 d1 0000001b 00000002 a1 13 "AMQ_SCHEDULED_DELAY" 55 01 00 53 77 a1 01 "a"`},
	} {
		require.NoError(t, row.edit(&row.m), row.rule)
		row.m.Header = nil
		if deleteAnnotation(row.m.Annotations, "x-opt-jms-msg-type"); len(row.m.Annotations) == 0 && row.m.Value != nil {
			row.m.Annotations = nil // which Apply always sets
		}
		got, err := row.m.MarshalBinary()
		require.NoError(t, err, row.rule)
		require.Equal(t, hex.EncodeToString(encoded(t, row.wire)), hex.EncodeToString(got), "%s: %+v", row.rule, row.m)
	}

	// Each of the properties makes a section.
	fields := reflect.TypeFor[amqp.MessageProperties]()
	require.Equal(t, propertiesFields, fields.NumField())
	require.True(t, emptyProperties(&amqp.MessageProperties{}))
	for i := range fields.NumField() {
		var p amqp.MessageProperties
		switch f := reflect.ValueOf(&p).Elem().Field(i); f.Kind() {
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.SetBytes([]byte{0})
		default:
			f.Set(reflect.ValueOf("id"))
		}
		require.False(t, emptyProperties(&p), fields.Field(i).Name)
	}
}

// What cannot be set is an error, and changes nothing.
func TestWriterErrors(t *testing.T) {
	const legal = "none of bool, int8, int16, int32, int64, float32, float64, string and nil"
	var w Editor
	property := func(name string, v any) func(*amqp.Message) error {
		return func(m *amqp.Message) error { return w.SetProperty(m, name, v) }
	}
	for _, row := range []struct {
		set func(*amqp.Message) error
		err string
	}{
		{func(m *amqp.Message) error { return w.SetText(m, "\xff") }, `text "\xff": not valid UTF-8`},
		{func(m *amqp.Message) error { return Editor{Peer: ServiceBus()}.SetText(m, "\xff") }, `text "\xff": not valid UTF-8`},
		{func(m *amqp.Message) error { return w.SetMap(m, map[string]any{"": 1}) }, `key of a map "": empty`},
		{func(m *amqp.Message) error { return w.SetStream(m, []any{1}) },
			`value 0 of a stream of type int: none of []byte, bool, int8, int16, int32, int64, float32, float64, string and nil`},
		{func(m *amqp.Message) error { return w.SetObject(m, 1) }, `object of type int: not a type of AMQP`},
		{func(m *amqp.Message) error { return w.SetReplyTo(m, Destination{Name: "a"}) },
			`destination "a": kind is none of queue, topic, temporary queue and temporary topic`},
		{func(m *amqp.Message) error { return w.SetType(m, Some("\xff")) }, `type "\xff": not valid UTF-8`},
		{func(m *amqp.Message) error { return w.SetGroup(m, Some("\xff"), Some[int32](1)) }, `group id "\xff": not valid UTF-8`},
		{property("p", 1), `property "p" of type int: ` + legal},
		{property("p", uint8(1)), `property "p" of type uint8: ` + legal},
		{property("p", uint(1)), `property "p" of type uint: ` + legal},
		{property("p", []byte{1}), `property "p" of type []uint8: ` + legal},
		{property("p", []any{}), `property "p" of type []interface {}: ` + legal},
		{property("p", map[string]any{}), `property "p" of type map[string]interface {}: ` + legal},
		{property("p", struct{}{}), `property "p" of type struct {}: ` + legal},
		{property("p", time.Second), `property "p" of type time.Duration: ` + legal},
		{property("p", time.UnixMilli(0)), `property "p" of type time.Time: ` + legal},
		{property("p", amqp.UUID{}), `property "p" of type encoding.UUID: ` + legal},
		{property("p", "\xff"), `property "p" "\xff": not valid UTF-8`},
		{property("a-b", "v"), `property "a-b": holds '-', which is in no Java identifier`},
		{property("JMSXGroupID", int32(7)), `JMSXGroupID 7: not a string`},
		{property("JMSXGroupID", "\xff"), `JMSXGroupID "\xff": not valid UTF-8`},
		{property("JMS_AMQP_CONTENT_TYPE", "text/pl\u00e4n"), `JMS_AMQP_CONTENT_TYPE "text/plän": not ASCII`},
		{property("JMS_AMQP_CONTENT_ENCODING", "\x80"), `JMS_AMQP_CONTENT_ENCODING "\x80": not ASCII`},
		{func(m *amqp.Message) error { return w.SetObject(m, amqp.Symbol("\u00e9")) }, `object "é": not ASCII`},
		{func(m *amqp.Message) error { return w.SetObject(m, []amqp.Symbol{"e", "\u00e9"}) }, `object "é": not ASCII`},
		{property("JMSXGroupSeq", "12"), `JMSXGroupSeq of type string: not an integer from -2^31 to 2^31-1`},
		{property("JMSXGroupSeq", nil), `JMSXGroupSeq nil: not an integer from -2^31 to 2^31-1`},
		{property("JMS_AMQP_TTL", nil), `JMS_AMQP_TTL nil: not an integer from 0 to 2^32-1`},
		{property("JMSXGroupSeq", int64(1<<31)), `JMSXGroupSeq 2147483648: not an integer from -2^31 to 2^31-1`},
		{property("JMS_AMQP_TTL", int64(-1)), `JMS_AMQP_TTL -1: not an integer from 0 to 2^32-1`},
		{property("JMS_AMQP_TTL", int64(1<<32)), `JMS_AMQP_TTL 4294967296: not an integer from 0 to 2^32-1`},
		{property("JMS_AMQP_TTL", "1"), `JMS_AMQP_TTL of type string: not an integer from 0 to 2^32-1`},
		{property("JMSXDeliveryCount", int32(1)), `JMSXDeliveryCount 1: cannot be set or removed`},
		{property("JMSXUserID", "me"), `JMSXUserID of type string: cannot be set or removed`},
		{property("JMS_AMQP_TYPED_ENCODING", true), `JMS_AMQP_TYPED_ENCODING of type bool: cannot be set or removed: SetObject and SetJavaObject decide`},
		{func(m *amqp.Message) error {
			return w.SetProperties(m, map[string]any{"JMSXGroupID": "g", "a": "v", "z": 1})
		}, `property "z" of type int: ` + legal},
		{func(m *amqp.Message) error { return w.RemoveProperty(m, "JMSXUserID") }, `JMSXUserID nil: cannot be set or removed`},
		{func(m *amqp.Message) error { return w.RemoveProperty(m, "JMSXDeliveryCount") }, `JMSXDeliveryCount nil: cannot be set or removed`},
		{func(m *amqp.Message) error { return w.RemoveProperty(m, "JMS_AMQP_TYPED_ENCODING") },
			`JMS_AMQP_TYPED_ENCODING nil: cannot be set or removed: SetObject and SetJavaObject decide`},
	} {
		m, _ := typicalMessage(t, 3)
		was, _ := typicalMessage(t, 3)
		wantValueError(t, row.set(m), "amqpjms: "+row.err)
		require.Equal(t, was, m, row.err)
	}
}

// Each writer of a body clears the others.
func TestSetBody(t *testing.T) {
	var w Editor
	for _, row := range []struct {
		kind  MessageKind
		write func(*amqp.Message) error
		want  amqp.Message
	}{
		{TextMessage, func(m *amqp.Message) error { return w.SetText(m, "a") }, amqp.Message{Value: "a"}},
		{TextMessage, func(m *amqp.Message) error { return Editor{Peer: ServiceBus()}.SetText(m, "a") }, amqp.Message{Data: [][]byte{{'a'}}}},
		{TextMessage, func(m *amqp.Message) error { w.SetNullText(m); return nil }, amqp.Message{Value: amqp.Null{}}},
		{BytesMessage, func(m *amqp.Message) error { w.SetBytes(m, nil); return nil }, amqp.Message{Data: [][]byte{{}}}},
		{MapMessage, func(m *amqp.Message) error { return w.SetMap(m, nil) }, amqp.Message{Value: map[string]any{}}},
		{StreamMessage, func(m *amqp.Message) error { return w.SetStream(m, nil) }, amqp.Message{Sequence: [][]any{{}}}},
		{ObjectMessage, func(m *amqp.Message) error { return w.SetObject(m, []any{}) }, amqp.Message{Value: []any{}}},
		{ObjectMessage, func(m *amqp.Message) error { return w.SetObject(m, nil) }, amqp.Message{Value: amqp.Null{}}},
		{ObjectMessage, func(m *amqp.Message) error { w.SetJavaObject(m, []byte{1}); return nil }, amqp.Message{Data: [][]byte{{1}}}},
		{PlainMessage, func(m *amqp.Message) error { w.SetPlain(m); return nil }, amqp.Message{Value: amqp.Null{}}},
	} {
		for _, had := range []amqp.Message{{}, {Value: "x"}, {Data: [][]byte{{9}}}, {Sequence: [][]any{{}}}} {
			require.NoError(t, row.write(&had))
			require.Equal(t, row.want.Value, had.Value)
			require.Equal(t, row.want.Data, had.Data)
			require.Equal(t, row.want.Sequence, had.Sequence)
			require.Equal(t, int8(row.kind), had.Annotations["x-opt-jms-msg-type"])
			v := Consumer{}.View(&had, sentAt())
			require.Equal(t, row.kind, v.Kind())
			kind, err := v.AnnotatedKind()
			require.NoError(t, err)
			require.Equal(t, Some(row.kind), kind)
		}
	}
}

// The field speaks for its name, and the application property of the name can be reached all the same.
func TestProperty(t *testing.T) {
	replyTo, user := "replies", []byte("a\xff")
	m := amqp.Message{
		Header:      &amqp.MessageHeader{Priority: 7, Durable: true, DeliveryCount: 2},
		Annotations: amqp.Annotations{"x-opt-delivery-time": "soon"},
		Properties:  &amqp.MessageProperties{MessageID: uint64(1), ReplyTo: &replyTo, UserID: user},
		ApplicationProperties: map[string]any{
			"JMSXGroupID": "app", "JMSPriority": int32(1), "JMSMessageID": "app", "JMS_AMQP_TTL": int32(1), "a-b": uint8(1),
			"AMQ_SCHEDULED_DELAY": int64(5),
		},
	}
	v := Consumer{Destination: Destination{Kind: Topic, Name: "news"}}.View(&m, sentAt())
	for name, want := range map[string]any{
		"JMSXDeliveryCount": int32(3), "JMSPriority": int32(7), "JMSMessageID": "ID:AMQP_ULONG:1", "JMSDeliveryMode": "PERSISTENT",
		"JMSRedelivered": true, "JMSTimestamp": int64(0), "JMSExpiration": int64(0), "JMSReplyTo": "replies", "JMSDestination": "news",
		"a-b": uint8(1), "AMQ_SCHEDULED_DELAY": int64(5),
	} {
		p := v.Property(name)
		require.True(t, p.Exists(), name)
		raw, err := p.Raw()
		require.NoError(t, err, name)
		require.Equal(t, want, raw, name)
	}
	for _, name := range []string{"JMSXGroupID", "JMSXGroupSeq", "JMSType", "JMSCorrelationID", "JMS_AMQP_TTL", "JMS_AMQP_TYPED_ENCODING", "absent", ""} {
		require.False(t, v.Property(name).Exists(), name)
	}
	for _, name := range []string{"JMSXUserID", "JMSDeliveryTime"} { // an error of the field is one of the property
		p := v.Property(name)
		require.True(t, p.Exists(), name)
		raw, err := p.Raw()
		require.Error(t, err)
		require.Nil(t, raw)
		_, textErr := p.Text()
		_, longErr := p.Long()
		_, boolErr := p.Bool()
		require.Equal(t, []error{err, err, err}, []error{textErr, longErr, boolErr}, name)
	}
	app, ok := v.ApplicationProperty("JMSXGroupID")
	require.True(t, ok)
	require.Equal(t, "app", app)
	require.Equal(t, []string{"AMQ_SCHEDULED_DELAY", "JMSMessageID", "JMSPriority", "JMSXDeliveryCount", "JMSXUserID", "a-b"}, v.PropertyNames())

	_, err := v.Property("JMSReplyTo").Long()
	wantValueError(t, err, `amqpjms: property "JMSReplyTo" "replies": no long`)
	news := "news"
	m.Properties.CorrelationID, m.Properties.Subject = uint64(2), &news
	for name, want := range map[string]string{"JMSCorrelationID": "ID:AMQP_ULONG:2", "JMSType": "news"} {
		text, err := v.Property(name).Text()
		require.NoError(t, err, name)
		require.Equal(t, Some(want), text, name)
	}
	require.Equal(t, Persistent, Consumer{NodeDefault: Persistent}.View(&amqp.Message{}, sentAt()).DeliveryMode(), "no header")

	hidden := Consumer{Peer: delaying(DelayProperty)}.View(&m, sentAt())
	require.True(t, hidden.Property("a-b").Exists())
	require.False(t, hidden.Property("JMSDestination").Exists(), "there is none")
	require.False(t, hidden.Property("AMQ_SCHEDULED_DELAY").Exists())
	require.NotContains(t, hidden.PropertyNames(), "AMQ_SCHEDULED_DELAY")
	require.Equal(t, user, m.Properties.UserID)
}

// A wrong field is an error of that field alone.
func TestViewErrors(t *testing.T) {
	bad := "a\xff"
	m := amqp.Message{
		Annotations: amqp.Annotations{"x-opt-jms-msg-type": "text", "x-opt-jms-dest": true},
		Properties:  &amqp.MessageProperties{MessageID: int32(1), CorrelationID: bad, To: &bad, ReplyTo: &bad, UserID: []byte(bad)},
		Value:       bad,
	}
	v := Consumer{}.View(&m, sentAt())
	_, err := v.MessageID()
	require.Error(t, err)
	_, err = v.CorrelationID()
	require.Error(t, err)
	_, err = v.Destination()
	wantValueError(t, err, `amqpjms: to "a\xff": not valid UTF-8`)
	_, err = v.ReplyTo()
	wantValueError(t, err, `amqpjms: reply-to "a\xff": not valid UTF-8`)
	_, err = v.UserID()
	wantValueError(t, err, `amqpjms: user id "a\xff": not valid UTF-8`)
	_, err = v.AnnotatedKind()
	wantValueError(t, err, `amqpjms: x-opt-jms-msg-type string: not an integer from 0 to 5`)
	user, err := JMSXUserID([]byte(bad))
	require.Error(t, err)
	require.Empty(t, user)
	for _, name := range []string{"JMSMessageID", "JMSCorrelationID", "JMSDestination", "JMSReplyTo", "JMSXUserID"} {
		require.True(t, v.Property(name).Exists(), "%s, which cannot be read", name)
		_, err := v.Property(name).Text()
		require.Error(t, err, name)
	}
	expires, err := Consumer{}.View(&amqp.Message{Header: &amqp.MessageHeader{TTL: -1}}, sentAt()).Expiration()
	require.Error(t, err)
	require.Zero(t, expires)
	require.Equal(t, TextMessage, v.Kind())
	_, err = v.Text()
	wantValueError(t, err, `amqpjms: text "a\xff": not valid UTF-8`)
	require.Equal(t, DefaultPriority, v.Priority())
	require.Equal(t, bad, v.Body().Value)
}

// A view that nobody read is that of the zero Consumer. It can do all that another can.
func TestViewWithoutReceiver(t *testing.T) {
	to := "a"
	m := &amqp.Message{
		Header:                &amqp.MessageHeader{TTL: time.Second},
		Properties:            &amqp.MessageProperties{To: &to, ReplyTo: &to, MessageID: "m"},
		ApplicationProperties: map[string]any{"AMQ_SCHEDULED_DELAY": int64(1), "p": "v"},
		Value:                 "text",
	}
	for _, m := range []*amqp.Message{m, {}} {
		bare, read := View{Message: m}, Consumer{}.View(m, time.Time{})
		methods := reflect.TypeFor[View]()
		require.Greater(t, methods.NumMethod(), 25)
		for i := range methods.NumMethod() {
			method := methods.Method(i)
			arguments := []reflect.Value{}
			for j := 1; j < method.Type.NumIn(); j++ {
				argument := reflect.New(method.Type.In(j)).Elem()
				if argument.Kind() == reflect.String {
					argument.SetString("AMQ_SCHEDULED_DELAY")
				}
				arguments = append(arguments, argument)
			}
			results := func(v View) (all []any) {
				for _, r := range reflect.ValueOf(v).Method(i).Call(arguments) {
					all = append(all, r.Interface())
				}
				return all
			}
			require.Equal(t, results(read), results(bare), method.Name)
		}
		for _, name := range append(read.PropertyNames(), "JMSExpiration", "JMSDestination", "JMSDeliveryMode", "JMSDeliveryTime") {
			require.Equal(t, read.Property(name), bare.Property(name), name)
		}
	}
	require.Equal(t, NonPersistent, View{Message: m}.DeliveryMode())
	d, err := View{Message: m}.Destination()
	require.NoError(t, err)
	require.Equal(t, Destination{Kind: Queue, Name: "a"}, d)
	_, err = View{Message: m}.Expiration()
	wantValueError(t, err, "amqpjms: time of receipt 0001-01-01 00:00:00 +0000 UTC: not given, and the message has a ttl")
}

func TestReply(t *testing.T) {
	address := "/queues/a%2Fb%63" // which Address would not make
	request := amqp.Message{
		Annotations: amqp.Annotations{"x-opt-jms-reply-to": int8(0)},
		Properties:  &amqp.MessageProperties{ReplyTo: &address},
	}
	for _, row := range []struct {
		rule                     string
		messageID, correlationID any
		c                        Correlation
		want                     any
	}{
		{"the correlation-id first", uint64(1), "c", CorrelationIDFirst, "c"},
		{"an empty one too", uint64(1), "", CorrelationIDFirst, ""},
		{"else the message-id", uint64(1), nil, CorrelationIDFirst, uint64(1)},
		{"in its type", amqp.UUID{1}, nil, CorrelationIDFirst, amqp.UUID{1}},
		{"in its type", []byte{1}, nil, CorrelationIDFirst, []byte{1}},
		{"in its type", "ID:AMQP_ULONG:1", nil, CorrelationIDFirst, "ID:AMQP_ULONG:1"},
		{"message-id only", uint64(1), "c", MessageIDOnly, uint64(1)},
		{"message-id only", nil, "c", MessageIDOnly, nil},
		{"neither", nil, nil, CorrelationIDFirst, nil},
		{"an id that is not asked for may be wrong", int32(1), "c", CorrelationIDFirst, "c"},
		{"an id that is not asked for may be wrong", uint64(1), int32(1), MessageIDOnly, uint64(1)},
	} {
		request.Properties.MessageID, request.Properties.CorrelationID = row.messageID, row.correlationID
		v := Consumer{Peer: RabbitMQ()}.View(&request, sentAt())
		m, to, err := v.Reply(row.c)
		require.NoError(t, err, row.rule)
		require.Equal(t, row.want, m.Properties.CorrelationID, row.rule)
		require.Equal(t, Destination{Kind: Queue, Name: "a/bc", Address: address}, to)

		// Whatever the producer's peer is, the address is the one that was asked for.
		for _, peer := range []Peer{{}, RabbitMQ(), ActiveMQ()} {
			require.NoError(t, Editor{}.SetText(m, "answer"))
			_, err = Producer{Peer: peer, Destination: to}.Prepare(m, sentAt())
			require.NoError(t, err)
			require.Equal(t, address, *m.Properties.To)
			require.Equal(t, row.want, m.Properties.CorrelationID, row.rule)
			require.Equal(t, int8(0), m.Annotations["x-opt-jms-dest"])
		}
	}

	// One that is nothing but a prefix is an address, and any is kept as it stands.
	for _, address := range []string{"queue://", "queue://a", "topic://a"} {
		_, to, err := Consumer{Peer: ActiveMQ()}.View(&amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &address}}, sentAt()).Reply(CorrelationIDFirst)
		require.NoError(t, err)
		require.Equal(t, address, to.Address)
	}
	one, two := ulongID(1), ulongID(2)
	require.Equal(t, two, MessageIDOnly.ID(one, two))
	require.Equal(t, one, CorrelationIDFirst.ID(one, two))
	require.Equal(t, two, CorrelationIDFirst.ID(ID{}, two))

	empty, bad := "", "\xff"
	for _, row := range []struct {
		rule    string
		request amqp.Message
		err     string
	}{
		{"no properties", amqp.Message{}, `reply-to none: the message asks for no reply`},
		{"no reply-to", amqp.Message{Properties: &amqp.MessageProperties{MessageID: "m"}}, `reply-to none: the message asks for no reply`},
		{"an empty one", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &empty}}, `reply-to none: the message asks for no reply`},
		{"no UTF-8", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &bad}}, `reply-to "\xff": not valid UTF-8`},
		{"a wrong id", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &address, MessageID: int32(1)}},
			`id of type int32: an id is a string, uint64, amqp.UUID, uuid.UUID or []byte`},
		{"a wrong id", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &address, CorrelationID: int32(1)}},
			`id of type int32: an id is a string, uint64, amqp.UUID, uuid.UUID or []byte`},
	} {
		m, to, err := Consumer{}.View(&row.request, sentAt()).Reply(CorrelationIDFirst)
		wantValueError(t, err, "amqpjms: "+row.err)
		require.Nil(t, m, row.rule)
		require.Zero(t, to, row.rule)
	}
}

// Wire to JMS to wire loses nothing, of any message that go-amqp decodes: what belongs to one hop goes, what go-amqp
// hides is known, and all else is there again, value for value.
func TestForwardLossless(t *testing.T) {
	const noText, order = "not a valid UTF-8 string", "sections that do not go together, which go-amqp does not look at"
	n, nulls, symbols := 0, 0, 0
	lossy := map[string]string{}
	lost := func(c golden.Case, why string) {
		if !strings.HasPrefix(c.Name, "bad-") { // which is no message
			lossy[c.Name] = why
		}
	}
	eachWire(t, func(c golden.Case, encoded []byte) {
		m, err := unmarshal(encoded)
		if err != nil {
			return
		}
		var raw RawMessage
		if raw.Parse(encoded) != nil {
			lost(c, order)
			return
		}
		for _, err := range raw.BodySections() {
			if err != nil {
				lost(c, order)
				return
			}
		}
		m.DeliveryTag = []byte{1}
		m.Format = 7
		was, err := m.MarshalBinary()
		if err != nil {
			lost(c, err.Error())
			return
		}
		out, err := Forwarder{DelayServed: true}.Forward(m, sentAt())
		if err != nil {
			lost(c, err.Error())
			return
		}
		n++
		require.Nil(t, out.DeliveryTag)
		require.Equal(t, uint32(7), out.Format)
		require.Nil(t, out.DeliveryAnnotations)
		require.Zero(t, out.Header.DeliveryCount)
		require.False(t, out.Header.FirstAcquirer)
		is, err := m.MarshalBinary()
		require.NoError(t, err)
		require.Len(t, is, len(was), "%s: the message that was forwarded", c.At())

		forwarded, err := out.MarshalBinary()
		require.NoError(t, err, c.At())
		want, got := sectionValues(t, c, encoded), sectionValues(t, c, forwarded)
		delete(want, "delivery-annotations")
		withoutDelay(want)
		if b := m.Properties; b != nil && b.UserID != nil && len(b.UserID) == 0 {
			lost(c, "go-amqp writes an empty user-id as none")
			return
		}
		for name, section := range want {
			for _, v := range section {
				if hasKey(v, "string") && strings.HasSuffix(name, "annotations") || hasKey(v, "symbol") && name == "application-properties" {
					lost(c, "go-amqp writes keys of strings for those of symbols, or the other way round")
					return
				}
				if hasDuplicates(v) {
					lost(c, "go-amqp keeps the last value of a key that a map has twice")
					return
				}
			}
		}
		if len(want["data"])+len(want["amqp-sequence"])+len(want["amqp-value"]) == 0 {
			want["amqp-value"] = []golden.Value{{Type: "null"}}
			nulls++
		}
		for name, values := range got {
			require.Len(t, values, len(want[name]), "%s: %s", c.At(), name)
			for i := range values {
				with := withSymbols(values[i], want[name][i])
				if !with.Equal(values[i]) {
					symbols++
				}
				require.True(t, with.Equal(want[name][i]), "%s: %s is %v and was %v", c.At(), name, with, want[name][i])
			}
			delete(want, name)
		}
		for name, values := range want {
			for _, v := range values { // go-amqp decodes and encodes no empty section
				require.Equal(t, "map {}", v.String(), "%s: %s is lost", c.At(), name)
			}
		}
		h, err := HeaderFrom(m.Header)
		require.NoError(t, err)
		sent, err := HeaderFrom(out.Header)
		require.NoError(t, err)
		require.Equal(t, h.JMSPriority(), sent.JMSPriority(), c.At())
		require.Equal(t, h.TTL, sent.TTL, c.At())
		require.Equal(t, h.JMSDeliveryMode(ModeUnset), sent.JMSDeliveryMode(ModeUnset), c.At())
	})
	require.Greater(t, n, 900)
	require.Positive(t, nulls)
	require.Positive(t, symbols)
	require.Equal(t, map[string]string{
		"annotation-key-ulong":                    "unsupported Annotations key type uint64",
		"body-data-then-value":                    order,
		"body-two-values":                         order,
		"header-after-properties":                 order,
		"body-value-string-invalid-utf8":          noText,
		"id-string-invalid-utf8":                  noText,
		"reply-to-message-id-string-invalid-utf8": noText,
		"header-user-id-empty":                    "go-amqp writes an empty user-id as none",
		"properties-empty-values":                 "go-amqp writes an empty user-id as none",
		"property-duplicate-key":                  "go-amqp keeps the last value of a key that a map has twice",
		"annotation-10000-described":              `amqpjms: message-annotations "x" null: nested too deep`,
	}, lossy)
}

func hasKey(v golden.Value, typ string) bool {
	entries, _ := v.V.([]golden.Entry)
	return slices.ContainsFunc(entries, func(e golden.Entry) bool { return e.Key.Type == typ })
}

func hasDuplicates(v golden.Value) bool {
	entries, _ := v.V.([]golden.Entry)
	for i, e := range entries {
		if slices.ContainsFunc(entries[:i], func(before golden.Entry) bool { return before.Key.Equal(e.Key) }) {
			return true
		}
	}
	return false
}

// withoutDelay takes the annotations that ask for a delay out of a section.
func withoutDelay(sections map[string][]golden.Value) {
	for i, v := range sections["message-annotations"] {
		left := []golden.Entry{}
		for _, e := range v.V.([]golden.Entry) {
			switch e.Key.V {
			case "x-opt-delivery-time", "x-opt-delivery-delay", "x-opt-scheduled-enqueue-time":
			default:
				left = append(left, e)
			}
		}
		had := len(v.V.([]golden.Entry))
		v.V = left
		sections["message-annotations"][i] = v
		if len(left) == 0 && had > 0 {
			delete(sections, "message-annotations")
		}
	}
}

func TestForward(t *testing.T) {
	created := sentAt()
	due := sentAt().Add(time.Minute).UnixMilli()
	received := func() *amqp.Message {
		return &amqp.Message{
			Header:              &amqp.MessageHeader{Durable: true, Priority: 7, TTL: time.Hour, FirstAcquirer: true, DeliveryCount: 3},
			DeliveryAnnotations: amqp.Annotations{"hop": true},
			Annotations:         amqp.Annotations{"x-opt-delivery-delay": int64(60000), "x-opt-custom": []any{true}, int64(5): "kept"},
			Properties:          &amqp.MessageProperties{CreationTime: &created, UserID: []byte{0xff}},
			ApplicationProperties: map[string]any{
				"AMQ_SCHEDULED_DELAY": int64(60000), "JMSXGroupID": "kept",
			},
			Data:   [][]byte{{1}, {}, {2}},
			Footer: amqp.Annotations{"hash": []byte{1}},
		}
	}
	annotations := func(more ...any) amqp.Annotations {
		a := amqp.Annotations{"x-opt-custom": []any{true}, int64(5): "kept"}
		for i := 0; i < len(more); i += 2 {
			a[more[i]] = more[i+1]
		}
		return a
	}
	kept := map[string]any{"AMQ_SCHEDULED_DELAY": int64(60000), "JMSXGroupID": "kept"}
	for _, row := range []struct {
		rule        string
		f           Forwarder
		now         time.Duration
		annotations amqp.Annotations
		properties  map[string]any
	}{
		{"a relative delay becomes absolute", Forwarder{}, 0, annotations("x-opt-delivery-time", due), kept},
		{"in the form of the next peer", Forwarder{To: ServiceBus()}, 0, annotations("x-opt-scheduled-enqueue-time", time.UnixMilli(due).UTC()), kept},
		{"no delay is left when it is over", Forwarder{To: RabbitMQ()}, time.Minute, annotations(), kept},
		{"nor when it has been served", Forwarder{DelayServed: true}, 0, annotations(), kept},
		{"nor the property of a peer that takes it for its delay", Forwarder{From: delaying(DelayProperty)}, time.Minute, annotations(),
			map[string]any{"JMSXGroupID": "kept"}},
	} {
		m := received()
		out, err := row.f.Forward(m, sentAt().Add(row.now))
		require.NoError(t, err, row.rule)
		require.Equal(t, received(), m, "%s: the message that was forwarded", row.rule)
		require.Equal(t, row.annotations, out.Annotations, row.rule)
		require.Equal(t, row.properties, out.ApplicationProperties, row.rule)
		require.Equal(t, amqp.MessageHeader{Durable: true, Priority: 7, TTL: time.Hour}, *out.Header, row.rule)
		require.Nil(t, out.DeliveryAnnotations)
		require.Equal(t, m.Data, out.Data)
		require.Equal(t, m.Footer, out.Footer)
		require.Equal(t, m.Properties, out.Properties)
	}

	out, err := Forwarder{From: delaying(DelayProperty), NodeDefault: Persistent}.Forward(&amqp.Message{
		Annotations:           amqp.Annotations{amqp.Symbol("x-opt-delivery-time"): int64(1)},
		ApplicationProperties: map[string]any{"AMQ_SCHEDULED_DELAY": int64(0)},
	}, sentAt())
	require.NoError(t, err)
	require.Equal(t, &amqp.Message{Header: &amqp.MessageHeader{Durable: true, Priority: 4}, Value: amqp.Null{}}, out, "no section is left empty, and a body is there")

	for _, row := range []struct {
		rule string
		f    Forwarder
		m    amqp.Message
		err  string
	}{
		{"a peer that cannot delay", Forwarder{To: RabbitMQ()}, *received(),
			fmt.Sprintf(`delivery time %d: asked for by x-opt-delivery-delay, not due, and the peer cannot delay`, due)},
		{"nor until a time", Forwarder{To: RabbitMQ()}, amqp.Message{Annotations: amqp.Annotations{"x-opt-delivery-time": due}},
			fmt.Sprintf(`delivery time %d: asked for by x-opt-delivery-time, not due, and the peer cannot delay`, due)},
		{"nor by the time to enqueue", Forwarder{To: RabbitMQ()}, amqp.Message{Annotations: amqp.Annotations{"x-opt-scheduled-enqueue-time": time.UnixMilli(due)}},
			fmt.Sprintf(`delivery time %d: asked for by x-opt-scheduled-enqueue-time, not due, and the peer cannot delay`, due)},
		{"nor by a property", Forwarder{From: delaying(DelayProperty), To: RabbitMQ()}, amqp.Message{
			Properties: &amqp.MessageProperties{CreationTime: &created}, ApplicationProperties: map[string]any{"AMQ_SCHEDULED_DELAY": int64(60000)},
		}, fmt.Sprintf(`delivery time %d: asked for by AMQ_SCHEDULED_DELAY, not due, and the peer cannot delay`, due)},
		{"a delay that is none", Forwarder{}, amqp.Message{Annotations: amqp.Annotations{"x-opt-delivery-time": "soon"}},
			`x-opt-delivery-time string: neither an integer up to 2^63-1 nor a timestamp`},
		{"a header that cannot be", Forwarder{}, amqp.Message{Header: &amqp.MessageHeader{TTL: -1}}, `time to live -1ns: negative`},
		{"a key that go-amqp cannot write", Forwarder{}, amqp.Message{Annotations: amqp.Annotations{uint64(5): true}},
			`key of the message-annotations ulong 5: go-amqp cannot write it: forward the encoded message with Forwarder.Append`},
		{"a key that go-amqp cannot write", Forwarder{}, amqp.Message{Footer: amqp.Annotations{nil: true}},
			`key of the footer null <nil>: go-amqp cannot write it: forward the encoded message with Forwarder.Append`},
	} {
		out, err := row.f.Forward(&row.m, sentAt())
		wantValueError(t, err, "amqpjms: "+row.err)
		require.Nil(t, out, row.rule)
	}

	out, err = Forwarder{}.Forward(&amqp.Message{DeliveryAnnotations: amqp.Annotations{uint64(5): true}}, sentAt())
	require.NoError(t, err, "a key of the hop that is over")
	require.Nil(t, out.DeliveryAnnotations)

	for _, empty := range []amqp.Annotations{{}, nil} {
		out, err = Forwarder{}.Forward(&amqp.Message{Annotations: empty}, sentAt())
		require.NoError(t, err)
		require.Equal(t, empty, out.Annotations, "an empty section stays one")
		out, err = Forwarder{From: delaying(DelayProperty)}.Forward(&amqp.Message{Annotations: empty,
			Properties: &amqp.MessageProperties{CreationTime: &created}, ApplicationProperties: map[string]any{"AMQ_SCHEDULED_DELAY": int64(60000)}}, sentAt())
		require.NoError(t, err)
		require.Equal(t, amqp.Annotations{"x-opt-delivery-time": due}, out.Annotations)
	}
}

// A key that go-amqp cannot write is named before anything is sent, in whatever section.
func TestKeys(t *testing.T) {
	for _, section := range []struct {
		name string
		of   func(m *amqp.Message) *amqp.Annotations
	}{
		{"delivery-annotations", func(m *amqp.Message) *amqp.Annotations { return &m.DeliveryAnnotations }},
		{"message-annotations", func(m *amqp.Message) *amqp.Annotations { return &m.Annotations }},
		{"footer", func(m *amqp.Message) *amqp.Annotations { return &m.Footer }},
	} {
		for _, row := range []struct {
			key  any
			text string // "": go-amqp writes it
		}{
			{"s", ""}, {amqp.Symbol("s"), ""}, {int64(1), ""}, {1, ""},
			{uint64(5), "ulong 5"}, {int32(5), "int 5"}, {nil, "null <nil>"}, {true, "boolean true"},
		} {
			var m, was amqp.Message
			*section.of(&m), *section.of(&was) = amqp.Annotations{row.key: true}, amqp.Annotations{row.key: true}
			_, err := m.MarshalBinary()
			require.Equal(t, row.text == "", err == nil, "%s, %T: go-amqp: %v", section.name, row.key, err)
			if _, err := CheckMessage(&m, Peer{}); row.text == "" {
				require.NoError(t, err)
			} else {
				wantValueError(t, err, "amqpjms: key of the "+section.name+" "+row.text+": go-amqp cannot write it: forward the encoded message with Forwarder.Append")
			}
			if _, err := (Producer{}).Prepare(&m, sentAt()); row.text == "" {
				require.NoError(t, err)
			} else {
				wantValueError(t, err, "amqpjms: key of the "+section.name+" "+row.text+": go-amqp cannot write it: forward the encoded message with Forwarder.Append")
				require.Equal(t, was, m)
			}
		}
	}
}

// An array that go-amqp would write as another is refused before anything is sent, wherever it stands.
func TestArrays(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, row := range []struct {
		array any
		fails bool
	}{
		{[]int32{}, false}, {[]int32{-128, 127}, false}, {[]int32{-200, 128}, false}, {[]int32{1, -200}, true}, {[]int32{-129}, true}, {[]int32{-129, 127}, true},
		{[]int64{}, false}, {[]int64{-128, 127}, false}, {[]int64{math.MinInt64, 128}, false}, {[]int64{1, -200}, true}, {[]int64{-129}, true}, {[]int64{-129, 127}, true},
		{[]time.Time{year(1678), year(2262)}, false}, {[]time.Time{year(1677)}, true}, {[]time.Time{year(1970), year(2263)}, true},
		{[]time.Time{time.UnixMilli(9223372036854).UTC()}, false}, {[]time.Time{time.UnixMilli(9223372036854).Add(900_000)}, true},
		{[]time.Time{time.UnixMilli(-9223372036854).UTC()}, false}, {[]time.Time{time.UnixMilli(-9223372036855)}, true},
		{[]time.Time{time.UnixMilli(-1).UTC()}, false}, {[]time.Time{time.UnixMilli(-1).Add(1)}, true},
		{[]int16{-200}, false}, {[]int8{-128}, false}, {[]uint32{200}, false},
	} {
		sent := amqp.Message{Value: row.array}
		b, err := sent.MarshalBinary()
		require.NoError(t, err)
		received, err := unmarshal(b)
		require.NoError(t, err)
		same := fmt.Sprintf("%T %[1]v", row.array) == fmt.Sprintf("%T %[1]v", received.Value)
		require.Equal(t, !row.fails, same, "go-amqp: %v is %v", row.array, received.Value)

		what := fmt.Sprintf("of type %T: go-amqp cannot write it", row.array)
		_, err = ObjectBody([]any{row.array})
		if row.fails {
			wantValueError(t, err, "amqpjms: object "+what)
		} else {
			require.NoError(t, err)
		}
		for in, m := range map[string]amqp.Message{
			"amqp-value":                 {Value: row.array},
			`amqp-value "k"`:             {Value: map[string]any{"k": []any{map[any]any{"a": row.array}}}},
			"amqp-sequence":              {Sequence: [][]any{{1, row.array}}},
			`message-annotations "a"`:    {Annotations: amqp.Annotations{"a": []any{map[string]any{"b": row.array}}}},
			`footer "a"`:                 {Footer: amqp.Annotations{"a": map[any]any{1: []map[any]any{{true: row.array}}}}},
			`application-properties "a"`: {ApplicationProperties: map[string]any{"a": row.array}},
			`delivery-annotations "a"`:   {DeliveryAnnotations: amqp.Annotations{"a": row.array}},
		} {
			was := m
			_, prepared := Producer{}.Prepare(&m, sentAt())
			_, forwarded := Forwarder{}.Forward(&was, sentAt())
			_, checked := CheckMessage(&was, Peer{})
			if in == `delivery-annotations "a"` {
				require.NoError(t, forwarded, "they are left out")
				forwarded = checked
			}
			for _, err := range []error{prepared, forwarded, checked} {
				if row.fails {
					wantValueError(t, err, "amqpjms: "+in+" "+what+": forward the encoded message with Forwarder.Append")
				} else {
					require.NoError(t, err, in)
				}
			}
			if row.fails {
				require.Equal(t, was, m, in)
			}
		}
	}
	// Nor is what a described value holds lost, nor what no decoder makes.
	for _, row := range []struct{ value, err string }{
		{`00 80 0000000100000001 f0 0000000d 00000002 71 00000001 ffffff38`, "[]int32: go-amqp cannot write it: forward the encoded message with Forwarder.Append"},
		{`00 53 ff 00 53 ff f0 0000000d 00000002 71 00000001 ffffff38`, "[]int32: go-amqp cannot write it: forward the encoded message with Forwarder.Append"},
		{`00 53 ff f0 0000000d 00000002 71 000000ff ffffff38`, ""},
		{`00 a3 01 "a" 41`, ""},
		{`c0 06 01 00 a3 01 "a" 41`, ""},
		{`00 53 1d c0 13 03 a3 01 "a" 40 c1 0c 02 a3 01 "a" e0 06 01 71 ffffff38`, "[]int32: go-amqp cannot write it: forward the encoded message with Forwarder.Append"}, // an error
		{`00 53 24 45`, ""}, // a delivery state
		{`00 53 25 45`, ""}, // one without the error that it may have
		{`00 53 25 c0 0c 01 00 53 1d c0 06 01 a3 03 "bad"`, ""},
		{`00 53 27 c0 08 03 41 42 c1 03 02 55 05 41`, ""},
		{`e0 03 01 50 ff`, ""},
	} {
		m, err := unmarshal(encoded(t, `00 53 77`+row.value))
		require.NoError(t, err, row.value)
		out, err := Forwarder{}.Forward(m, sentAt())
		if row.err != "" {
			wantValueError(t, err, "amqpjms: amqp-value of type "+row.err)
			continue
		}
		require.NoError(t, err, row.value)
		b, err := out.MarshalBinary()
		require.NoError(t, err, row.value)
		again, err := unmarshal(b)
		require.NoError(t, err, row.value)
		require.Equal(t, m.Value, again.Value, row.value)
		// The object can be given on, and so can the body that it came in.
		o, err := Consumer{}.View(m, sentAt()).Object()
		require.NoError(t, err, row.value)
		var other amqp.Message
		require.NoError(t, Editor{}.SetObject(&other, o))
		b, err = other.MarshalBinary()
		require.NoError(t, err, row.value)
		again, err = unmarshal(b)
		require.NoError(t, err, row.value)
		if bytes, ok := o.([]byte); ok { // an array of ubyte, which is given on as a binary
			require.Equal(t, bytes, again.Value, row.value)
		} else {
			require.Equal(t, m.Value, again.Value, row.value)
		}
		Editor{}.SetBody(&other, Consumer{}.View(m, sentAt()).Body())
		require.Equal(t, m.Value, other.Value, row.value)
	}
	low := []int32{1, -200}
	for _, v := range []any{&low, map[amqp.Symbol]any{"a": low}, amqp.Annotations{"a": low}, map[any]any{"a": &low}, &amqp.Error{Info: map[string]any{"a": low}}} {
		_, err := Producer{}.Prepare(&amqp.Message{Value: v}, sentAt())
		require.ErrorContains(t, err, "amqpjms: amqp-value ")
		require.ErrorContains(t, err, "of type []int32: go-amqp cannot write it: forward the encoded message with Forwarder.Append")
	}
	for _, key := range []string{`53 05`, `52 05`, `50 05`} { // of annotations that a delivery state holds
		m, err := unmarshal(encoded(t, `00 53 77 00 53 27 c0 09 03 41 42 c1 04 02 `+key+` 41`))
		require.NoError(t, err, key)
		_, err = Forwarder{}.Forward(m, sentAt())
		require.ErrorContains(t, err, "amqpjms: key of the amqp-value ", key)
		require.ErrorContains(t, err, ": go-amqp cannot write it", key)
	}
	// Ids may be of any type in go-amqp.
	for _, v := range []any{(*string)(nil), (*amqp.UUID)(nil), &low, low} {
		m := amqp.Message{Properties: &amqp.MessageProperties{CorrelationID: v}}
		text := fmt.Sprintf("of type %T: go-amqp cannot write it", v)
		if _, ok := v.([]int32); ok || v == any(&low) {
			text = "of type []int32: go-amqp cannot write it: forward the encoded message with Forwarder.Append"
		} else {
			text += ": nil"
		}
		_, err := Producer{}.Prepare(&m, sentAt())
		wantValueError(t, err, "amqpjms: correlation-id "+text)
		m.Properties = &amqp.MessageProperties{MessageID: v}
		text = "amqpjms: message-id " + text
		_, err = Forwarder{}.Forward(&m, sentAt())
		wantValueError(t, err, text)
		_, err = CheckMessage(&m, Peer{})
		wantValueError(t, err, text)
	}
	for _, v := range []any{(*[]int32)(nil), (*amqp.Error)(nil), (*int)(nil)} {
		m := amqp.Message{Value: []any{v}}
		_, err := Producer{}.Prepare(&m, sentAt())
		wantValueError(t, err, fmt.Sprintf("amqpjms: amqp-value of type %T: go-amqp cannot write it: nil", v))
		_, err = CheckMessage(&m, Peer{})
		require.Error(t, err)
	}
	for _, v := range []any{uuid.UUID{}, struct{ a []int32 }{low}} {
		_, err := Producer{}.Prepare(&amqp.Message{Value: v}, sentAt())
		wantValueError(t, err, fmt.Sprintf("amqpjms: amqp-value of type %T: not a type of AMQP", v))
	}
	_, err := Producer{}.Prepare(&amqp.Message{Value: amqp.ErrCond("a")}, sentAt())
	require.NoError(t, err)
	cycle, named, keyed, maps := []any{nil}, map[string]any{}, map[any]any{}, []map[any]any{{}}
	cycle[0], named["a"], keyed["a"], maps[0]["a"] = cycle, named, keyed, maps
	for _, v := range []any{cycle, named, keyed, maps} {
		_, err := Producer{}.Prepare(&amqp.Message{Value: v}, sentAt())
		require.ErrorContains(t, err, "amqpjms: amqp-value ")
		require.ErrorContains(t, err, ": nested too deep", "a cycle of %T", v)
	}

	// One among many that can be written.
	bad := []int32{-129}
	list, maps := []any{"a", bad, "b"}, []map[any]any{{"a": ""}, {"a": bad}, {"a": ""}}
	named, keyed = map[string]any{"bad": bad}, map[any]any{"bad": bad}
	annotations := amqp.Annotations{"bad": bad}
	for i := range 100 {
		named[strconv.Itoa(i)], keyed[int32(i)], annotations[strconv.Itoa(i)] = "", "", ""
	}
	for _, m := range []amqp.Message{{Value: list}, {Value: maps}, {Value: named}, {Value: keyed}, {Annotations: annotations}, {DeliveryAnnotations: annotations},
		{Footer: annotations}, {ApplicationProperties: named}, {Sequence: [][]any{{}, list, {}}}} {
		_, err := Producer{}.Prepare(&m, sentAt())
		require.ErrorContains(t, err, " of type []int32: go-amqp cannot write it", "%v", m)
	}
}

// What a peer is known to misread, refuse or ignore. Each row is one message, and all that is said of it.
func TestCheck(t *testing.T) {
	const (
		header = `00 53 70 c0 02 01 41`
		kind   = `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 05`
		body   = `00 53 77 a1 01 "a"`
	)
	for _, row := range []struct {
		rule string
		peer Peer
		msg  string
		want []string
	}{
		{"nothing", Artemis(), header + kind + body, nil},
		{"nothing", RabbitMQ(), header + kind + body, nil},
		{"no header", RabbitMQ(), body, []string{"header: RabbitMQ: durable is not stated: 4.0 takes the message as durable, 4.3 as not durable"}},
		{"durable left out", RabbitMQ(), `00 53 70 45` + body, []string{"header: RabbitMQ: durable is not stated: 4.0 takes the message as durable, 4.3 as not durable"}},
		{"nothing", BrokerJ(), header + kind + body, nil},
		{"priority", Artemis(), `00 53 70 c0 04 02 41 50 0a` + body, []string{"header: Qpid JMS: the priority is above 9, and read as 9"}},
		{"delivery count", Artemis(), `00 53 70 c0 0a 05 41 40 40 40 70 7fffffff` + body, []string{"header: Qpid JMS: the delivery count is read as a negative number"}},
		{"ttl alone", Artemis(), `00 53 70 c0 05 03 41 40 52 05` + body,
			[]string{"header: ActiveMQ Artemis: hands on the ttl as it is, and there is no absolute-expiry-time: each receiver counts from its own time of receipt"}},
		{"no body", RabbitMQ(), header, []string{"body: RabbitMQ: no section: ends the session (4.0) or the link (4.3)"}},
		{"no body", Artemis(), header, nil},
		{"a kind that is a ubyte", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 50 05` + body, []string{
			"annotation x-opt-jms-msg-type: Qpid JMS: ubyte, not byte: the message never reaches the application",
			"annotation x-opt-jms-msg-type: ActiveMQ Artemis: ubyte, not byte: refused by a cast to byte",
		}},
		{"a kind that is none", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 06` + body, []string{
			"annotation x-opt-jms-msg-type: Qpid JMS: out of range: the message never reaches the application",
		}},
		{"a destination's kind that is a ubyte", ActiveMQ(), header + `00 53 72 c1 13 02 a3 0e "x-opt-jms-dest" 50 00` + body, []string{
			"annotation x-opt-jms-dest: Qpid JMS: ubyte, not byte: ignored",
		}},
		{"a delivery time that is a timestamp", Artemis(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 83 000001a22d1b6481` + body, []string{
			"annotation x-opt-delivery-time: ActiveMQ Artemis: timestamp, not long: the message is delivered at once, and an OpenWire or core client that takes it is thrown out",
		}},
		{"a delivery time that is an int", BrokerJ(), `00 53 70 c0 02 01 42 00 53 72 c1 1b 02 a3 13 "x-opt-delivery-time" 71 00000001` + body, []string{
			"annotation x-opt-delivery-time: Qpid Broker-J: int, not long: the message is delivered at once",
		}},
		{"a delay that is not served", RabbitMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000001a22d1b6481` + body, []string{
			"annotation x-opt-delivery-time: RabbitMQ: not served: the message is delivered at once",
		}},
		{"a delay that is not served", BrokerJ(), `00 53 70 c0 02 01 42 00 53 72 c1 19 02 a3 14 "x-opt-delivery-delay" 55 05` + body, []string{
			"annotation x-opt-delivery-delay: Qpid Broker-J: not served: the message is delivered at once",
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp",
		}},
		{"two delays", ActiveMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000001a22d1b6481
			00 53 74 c1 18 02 a1 13 "AMQ_SCHEDULED_DELAY" 55 05` + body, []string{
			"property AMQ_SCHEDULED_DELAY: ActiveMQ Classic: taken for a delay, and off the message",
			"message-annotations: Qpid JMS: more than one form of delay: which one is served depends on the peer",
		}},
		{"a key that go-amqp cannot write", Artemis(), header + `00 53 72 c1 04 02 53 05 41` + body, []string{
			"message-annotations: AMQP 1.0: a key of type ulong, which AMQP keeps for itself and go-amqp cannot write",
		}},
		{"a key that is not ASCII, as a symbol is", Artemis(), header + `00 53 72 c1 07 02 a3 03 61 c3a9 41` + body, []string{
			"message-annotations: AMQP 1.0: a key that is not ASCII, as a symbol is",
		}},
		{"a ulong id", RabbitMQ(), header + `00 53 73 c0 03 01 53 05` + body, []string{
			"message-id: RabbitMQ: ulong: AMQP 0-9-1 clients get it as text and cannot tell it from a string",
		}},
		{"a binary id", ServiceBus(), `00 53 70 c0 05 03 41 40 52 05 00 53 73 c0 04 01 a0 01 01 00 53 75 a0 00`, []string{
			"message-id: Azure Service Bus: binary: its own clients read ids that are strings",
		}},
		{"a long id", RabbitMQ3(), header + `00 53 73 d0 00000109 00000001 b1 00000100 "` + strings.Repeat("i", 256) + `"` + body, []string{
			"message-id: RabbitMQ 3: longer than 255 bytes: AMQP 0-9-1 clients get it in a header",
		}},
		{"an id of no type", Artemis(), header + `00 53 73 c0 03 01 54 05` + body, []string{
			"message-id: AMQP 1.0: id at byte 0: int, and an id is a string, ulong, uuid or binary",
		}},
		{"the year 1", Artemis(), header + `00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 ffffc77cedd32800` + body, []string{
			"creation-time: Qpid JMS: the year 1, which go-amqp sends for a time.Time of zero",
		}},
		{"another time before 1970", Artemis(), header + `00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 ffffffffffffffff` + body, nil},
		{"properties of other types", Artemis(), header + `00 53 73 c0 21 0d 40 a1 01 "u" a3 01 "t" a3 01 "s" a3 01 "r" 40 a1 01 "c" a1 01 "e" 55 01 55 02 a3 01 "g" 54 05 a0 01 "h"` + body,
			[]string{
				"user-id: AMQP 1.0: string, not binary", "user-id: Qpid JMS: the message never reaches the application",
				"to: AMQP 1.0: symbol, not string",
				"subject: AMQP 1.0: symbol, not string", "subject: Qpid JMS: the message never reaches the application",
				"reply-to: AMQP 1.0: symbol, not string", "content-type: AMQP 1.0: string, not symbol",
				"content-encoding: AMQP 1.0: string, not symbol", "absolute-expiry-time: AMQP 1.0: long, not timestamp",
				"creation-time: AMQP 1.0: long, not timestamp", "creation-time: Qpid JMS: the message never reaches the application",
				"group-id: AMQP 1.0: symbol, not string",
				"group-sequence: AMQP 1.0: int, not uint", "group-sequence: Qpid JMS: the message never reaches the application",
				"reply-to-group-id: AMQP 1.0: binary, not string",
			}},
		{"properties that are no text", Artemis(), header + `00 53 73 c0 1c 0d 40 40 a1 01 ff a1 01 ff a1 01 ff 40 a3 01 e9 a3 01 e9 40 40 a1 01 ff 40 a1 01 ff` + body, []string{
			"to: AMQP 1.0: not valid UTF-8", "subject: AMQP 1.0: not valid UTF-8", "reply-to: AMQP 1.0: not valid UTF-8",
			"content-type: AMQP 1.0: not ASCII", "content-encoding: AMQP 1.0: not ASCII", "group-id: AMQP 1.0: not valid UTF-8",
			"reply-to-group-id: AMQP 1.0: not valid UTF-8",
		}},
		{"an object of a described value", Artemis(), header + `00 53 77 00 53 01 45`, []string{"body: Qpid JMS: cannot be read: an ObjectMessage of a described value"}},
		{"a delivery time that loses", Peer{Product: "another"}, header + `00 53 72 c1 1b 02 a3 13 "x-opt-delivery-time" 72 00000001` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: float: made a long of, whatever it loses",
		}},
		{"a delivery time that loses", Peer{Product: "another"}, header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 80 ffffffffffffffff` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: ulong: made a long of, whatever it loses",
		}},
		{"a user id", Artemis(), header + `00 53 73 c0 05 02 40 a0 01 ff` + body, []string{"user-id: Qpid JMS: not valid UTF-8: JMSXUserID is another text"}},
		{"a user id", RabbitMQ(), header + `00 53 73 c0 06 02 40 a0 02 "me"` + body, []string{
			"user-id: RabbitMQ: refused where it is not the name of the connection's user",
		}},
		{"a group", RabbitMQ(), header + `00 53 73 c0 0e 0b 40 40 40 40 40 40 40 40 40 40 a1 01 "g"` + body, []string{
			"group-id: RabbitMQ: ignored: a group is not kept with one consumer",
		}},
		{"the end of a group", Artemis(), header + `00 53 73 c0 11 0c 40 40 40 40 40 40 40 40 40 40 40 70 ffffffff` + body, []string{
			"group-sequence: ActiveMQ Artemis: -1 as JMSXGroupSeq: closes the group",
		}},
		{"the end of a group", ActiveMQ(), header + `00 53 73 c0 11 0c 40 40 40 40 40 40 40 40 40 40 40 70 80000000` + body, []string{
			"group-sequence: ActiveMQ Classic: negative as JMSXGroupSeq: closes the group",
		}},
		{"properties", Artemis(), header + `00 53 74 c1 21 0a a1 03 "a-b" 41 a1 01 "u" 50 01 a1 01 "l" 45 a1 0b "JMSXGroupID" 40 54 01 41` + body, []string{
			`property "a-b": Qpid JMS: hidden, for its name is no Java identifier`,
			`property "u": Qpid JMS: ubyte, which its getters refuse`,
			`property "l": AMQP 1.0: list, which no application property may be`,
			`property "JMSXGroupID": Qpid JMS: ignored, for it is the name of a field`,
			`application-properties: AMQP 1.0: a key of type int, not string`,
			`application-properties: Qpid JMS: the message never reaches the application`,
		}},
		{"several sections", Artemis(), header + `00 53 75 a0 00 00 53 75 a0 00`, []string{"body: Qpid JMS: several sections, of which only the last is read"}},
		{"several sections", ActiveMQ(), header + `00 53 75 a0 00 00 53 75 a0 00`, []string{
			"body: Qpid JMS: several sections, of which only the last is read",
			"body: ActiveMQ Classic: several sections, of which only the first is kept",
		}},
		{"several sequences", ActiveMQ(), header + `00 53 76 45 00 53 76 45`, []string{"body: Qpid JMS: several sections, of which only the last is read"}},
		{"a map of high characters", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 0f 04 a1 01 "a" a1 00 a1 01 "b" a1 04 f09f9880`, []string{
			"body: ActiveMQ Classic: a text in a map has a character above U+FFFF: it is no UTF-8 any more, and Qpid JMS loses the message",
		}},
		{"a map of high keys, and no higher than U+FFFF", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 0c 02 a1 04 f09f9880 a1 03 efbfbd`, nil},
		{"a body that contradicts", Artemis(), header + kind + `00 53 77 c1 01 00`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: body amqp-value map: not what a body of kind TextMessage is",
		}},
		{"a text that is not valid", Artemis(), header + `00 53 77 a1 01 ff`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: text \"\\xff\": not valid UTF-8",
		}},
		{"a text in UTF-16", Artemis(), header + kind + `00 53 73 c0 23 07 40 40 40 40 40 40 a3 1a "text/plain; charset=utf-16" 00 53 75 a0 02 00 61`, []string{
			"body: Qpid JMS: read as UTF-8, for the annotation goes before the charset",
		}},
		{"a text in a charset that nobody knows", Artemis(), header + `00 53 73 c0 1d 07 40 40 40 40 40 40 a3 14 "text/plain;charset=x" 00 53 75 a0 01 "a"`, []string{
			"body: Qpid JMS: shown as bytes, for its charset \"x\" is unknown",
		}},
		{"a text that is encoded", Artemis(), header + kind + `00 53 73 c0 0e 08 40 40 40 40 40 40 40 a3 04 "gzip" 00 53 75 a0 01 ff`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: text \"\\xff\": not valid UTF-8",
			"body: Qpid JMS: the content-encoding is not undone",
		}},
		{"an object of data", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 01 00 53 75 a0 00`, []string{
			"body: Qpid JMS: cannot be read: the data of an ObjectMessage is of content-type application/x-java-serialized-object",
		}},
		{"a map with another key", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 05 02 54 01 54 01`, []string{
			"body: Qpid JMS: the value of a key that is no string cannot be read",
		}},
		{"no data", ServiceBus(), `00 53 70 c0 05 03 41 40 52 05` + body, []string{"body: Azure Service Bus: no data section: its own clients read no other"}},
		{"no ttl", ServiceBus(), header + `00 53 75 a0 00`, []string{"header: Azure Service Bus: no ttl: the message lives as long as the queue says"}},

		// Where the known peers draw the line.
		{"the highest priority", Artemis(), `00 53 70 c0 04 02 41 50 09` + body, nil},
		{"the last delivery count", Artemis(), `00 53 70 c0 0a 05 41 40 40 40 70 7ffffffe` + body, nil},
		{"a ttl of 0 is none", Artemis(), `00 53 70 c0 04 03 41 40 43` + body, nil},
		{"the shortest ttl", RabbitMQ(), `00 53 70 c0 05 03 41 40 52 01` + body,
			[]string{"header: RabbitMQ: hands on the ttl as it is, and there is no absolute-expiry-time: each receiver counts from its own time of receipt"}},
		{"the shortest ttl", RabbitMQ3(), `00 53 70 c0 05 03 41 40 52 01` + body,
			[]string{"header: RabbitMQ 3: hands on the ttl as it is, and there is no absolute-expiry-time: each receiver counts from its own time of receipt"}},
		{"a ttl and an expiry", Artemis(), `00 53 70 c0 05 03 41 40 52 05 00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 000003bb2cc3d800` + body, nil},
		{"a ttl and a broken expiry", Artemis(), `00 53 70 c0 05 03 41 40 52 05 00 53 73 c0 0a 09 40 40 40 40 40 40 40 40 83` + body,
			[]string{"absolute-expiry-time: AMQP 1.0: absolute-expiry-time at byte 25: unexpected EOF"}},
		{"a kind of reply-to that is a ubyte", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-reply-to" 50 00` + body, []string{
			"annotation x-opt-jms-reply-to: Qpid JMS: ubyte, not byte: ignored",
			"annotation x-opt-jms-reply-to: ActiveMQ Artemis: ubyte, not byte: refused by a cast to byte",
		}},
		{"a kind that is none is a byte", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 06` + body, []string{
			"annotation x-opt-jms-msg-type: Qpid JMS: out of range: the message never reaches the application",
		}},
		{"the last kind of destination", ActiveMQ(), header + `00 53 72 c1 13 02 a3 0e "x-opt-jms-dest" 51 03` + body, nil},
		{"behind it", ActiveMQ(), header + `00 53 72 c1 13 02 a3 0e "x-opt-jms-dest" 51 04` + body, []string{"annotation x-opt-jms-dest: Qpid JMS: out of range: ignored"}},
		{"before the first", ActiveMQ(), header + `00 53 72 c1 13 02 a3 0e "x-opt-jms-dest" 51 ff` + body, []string{"annotation x-opt-jms-dest: Qpid JMS: out of range: ignored"}},
		{"annotations cut off", Artemis(), header + `00 53 72 c1 03 02 a3 13` + body, []string{
			`message-annotations: AMQP 1.0: message-annotations "x-opt-jms-dest" at byte 15: unexpected EOF`,
			`body: AMQP 1.0: message-annotations "x-opt-jms-msg-type" at byte 15: unexpected EOF`,
		}},
		{"a key that is a string", Artemis(), header + `00 53 72 c1 05 02 a1 01 "k" 41` + body, []string{"message-annotations: AMQP 1.0: a key of type string, not symbol"}},
		{"a key of the delivery", Artemis(), `00 53 70 c0 02 01 41 00 53 71 c1 04 02 53 05 41` + body, []string{
			"delivery-annotations: AMQP 1.0: a key of type ulong, which AMQP keeps for itself and go-amqp cannot write",
		}},
		{"annotations of the delivery left over", Artemis(), header + `00 53 71 c1 02 00 40` + body, []string{"delivery-annotations: AMQP 1.0: 1 bytes left over"}},
		{"a delivery time that is a ulong", Artemis(), header + `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 53 05` + body, nil},
		{"a delivery time that is a timestamp", BrokerJ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 83 000001a22d1b6481` + body, []string{
			"annotation x-opt-delivery-time: Qpid Broker-J: timestamp, not long: the message is delivered at once",
		}},
		{"a delivery time that is an int", Artemis(), header + `00 53 72 c1 1b 02 a3 13 "x-opt-delivery-time" 71 00000001` + body, []string{
			"annotation x-opt-delivery-time: ActiveMQ Artemis: int, not long: the message is delivered at once",
		}},
		{"a delivery time that loses", Peer{Product: "another"}, header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 82 3ff0000000000000` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: double: made a long of, whatever it loses",
		}},
		{"a delivery time that loses", Peer{Product: "another"}, header + `00 53 72 c1 1b 02 a3 13 "x-opt-delivery-time" 74 22500001` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: decimal32: made a long of, whatever it loses",
		}},
		{"a property that is the application's", Artemis(), header + `00 53 74 c1 18 02 a1 13 "AMQ_SCHEDULED_DELAY" 55 05` + body, nil},
		{"properties cut off", Artemis(), header + `00 53 73 c0 02 01 a1` + body, []string{
			"message-id: AMQP 1.0: message-id at byte 14: unexpected EOF",
			"body: AMQP 1.0: content-encoding at byte 14: unexpected EOF",
		}},
		{"a group", RabbitMQ3(), header + `00 53 73 c0 0e 0b 40 40 40 40 40 40 40 40 40 40 a1 01 "g"` + body, []string{
			"group-id: RabbitMQ 3: ignored: a group is not kept with one consumer",
		}},
		{"no end of a group", Artemis(), header + `00 53 73 c0 11 0c 40 40 40 40 40 40 40 40 40 40 40 70 fffffffe` + body, nil},
		{"no end of a group", ActiveMQ(), header + `00 53 73 c0 11 0c 40 40 40 40 40 40 40 40 40 40 40 70 7fffffff` + body, nil},
		{"a uuid", RabbitMQ(), header + `00 53 73 c0 12 01 98 00000000000000000000000000000000` + body, []string{
			"message-id: RabbitMQ: uuid: AMQP 0-9-1 clients get it as text and cannot tell it from a string",
		}},
		{"a binary id", RabbitMQ(), header + `00 53 73 c0 04 01 a0 01 01` + body, []string{
			"message-id: RabbitMQ: binary: AMQP 0-9-1 clients get it in a header or in another form",
		}},
		{"the longest id", RabbitMQ3(), header + `00 53 73 d0 00000105 00000001 a1 ff "` + strings.Repeat("i", 255) + `"` + body, nil},
		{"application properties cut off", Artemis(), header + `00 53 74 c1 03 02 a1 13` + body, []string{"application-properties: AMQP 1.0: unexpected EOF"}},
		{"application properties left over", Artemis(), header + `00 53 74 c1 02 00 40` + body, []string{"application-properties: AMQP 1.0: 1 bytes left over"}},
		{"an object of high characters", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 01 00 53 77 c1 0a 02 a1 01 "b" a1 04 f09f9880`, nil},
		{"a footer of high characters", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 01 00 00 53 78 c1 0a 02 a3 01 "b" a1 04 f09f9880`, nil},
		{"a map that is none", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 a1 04 f09f9880`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: body amqp-value string: not what a body of kind MapMessage is",
		}},
		{"a map that is none", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 75 a0 04 f09f9880`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: body data: not what a body of kind MapMessage is",
		}},
		{"a map of a described value", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 00 53 01 45`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: body amqp-value described value: not what a body of kind MapMessage is",
		}},
		{"a map left over", Artemis(), header + `00 53 77 c1 02 00 40`, []string{"body: AMQP 1.0: body at byte 13: 1 bytes left over"}},
		{"a text in UTF-16, which is no UTF-8", Artemis(), header + kind + `00 53 73 c0 23 07 40 40 40 40 40 40 a3 1a "text/plain; charset=utf-16" 00 53 75 a0 02 00 e9`, []string{
			"body: Qpid JMS: read as UTF-8, for the annotation goes before the charset",
			`body: Qpid JMS: cannot be read, and the message is lost: text "\x00\xe9": not valid UTF-8`,
		}},
		{"a text in UTF-16 without an annotation", Artemis(), header + `00 53 73 c0 23 07 40 40 40 40 40 40 a3 1a "text/plain; charset=utf-16" 00 53 75 a0 02 00 61`, nil},
		{"a text in a charset that nobody knows, and a kind", Artemis(), header + kind + `00 53 73 c0 1d 07 40 40 40 40 40 40 a3 14 "text/plain;charset=x" 00 53 75 a0 01 "a"`, []string{
			"body: Qpid JMS: read as UTF-8, for the annotation goes before the charset",
		}},
		{"a serialized object", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 01 00 53 73 c0 2d 07 40 40 40 40 40 40 a3 24 "application/x-java-serialized-object" 00 53 75 a0 00`, nil},

		{"equal keys, in two forms", Artemis(), header + `00 53 72 c1 0e 04 a3 01 "a" 51 01 b3 00000001 "a" 51 02` + body, []string{
			`message-annotations: AMQP 1.0: key "a" more than once: go-amqp keeps the last value, and a RawMessage reads the first`,
		}},
		{"equal keys, each listed once", Artemis(), header + `00 53 71 c1 19 0c a3 01 "a" 40 a3 01 "b" 40 a3 01 "b" 40 a3 01 "a" 40 a3 01 "a" 40 a3 01 "c" 40` + body, []string{
			`delivery-annotations: AMQP 1.0: key "b" more than once: go-amqp keeps the last value, and a RawMessage reads the first`,
			`delivery-annotations: AMQP 1.0: key "a" more than once: go-amqp keeps the last value, and a RawMessage reads the first`,
		}},
		{"equal keys", Artemis(), header + `00 53 74 c1 0b 04 a1 01 "a" 51 01 a1 01 "a" 51 02` + body, []string{
			`application-properties: AMQP 1.0: key "a" more than once: go-amqp keeps the last value, and a RawMessage reads the first`,
		}},
		{"equal keys", Artemis(), header + body + `00 53 78 c1 09 04 a3 01 "a" 40 a3 01 "a" 40`, []string{
			`footer: AMQP 1.0: key "a" more than once: go-amqp keeps the last value, and a RawMessage reads the first`,
		}},
		{"equal keys of a body", Artemis(), header + `00 53 77 c1 09 04 a1 01 "a" 40 a1 01 "a" 40`, []string{
			`body: AMQP 1.0: key "a" more than once: go-amqp keeps the last value`,
		}},
		{"a name in several sections", Artemis(), header + `00 53 71 c1 05 02 a3 01 "a" 40 00 53 72 c1 05 02 a3 01 "a" 40 00 53 74 c1 05 02 a1 01 "a" 40` +
			`00 53 77 c1 05 02 a1 01 "a" 40 00 53 78 c1 05 02 a3 01 "a" 40`, nil},
		{"names of no bytes, and of another case", Artemis(), header + `00 53 72 c1 0c 06 a3 00 40 a3 01 "a" 40 a3 01 "A" 40` + body, nil},
		{"a key of a footer", Artemis(), header + body + `00 53 78 c1 05 02 a1 01 "a" 40`, []string{"footer: AMQP 1.0: a key of type string, not symbol"}},
		{"a footer cut off", Artemis(), header + body + `00 53 78 c1 03 02 a3 13`, []string{"footer: AMQP 1.0: unexpected EOF"}},
		{"a key of a property", Artemis(), header + `00 53 74 c1 05 02 a1 01 e9 40` + body, []string{"application-properties: AMQP 1.0: a key that is not valid UTF-8"}},

		{"no message", Artemis(), `00 53 79 40`, []string{"message: AMQP 1.0: message at byte 0: descriptor 0x79 is no section of a message"}},
		{"a body that is none", Artemis(), header + `00 53 75 40`, []string{"body: AMQP 1.0: body at byte 10: null where binary belongs in data section"}},
	} {
		var got []string
		for _, p := range Check(encoded(t, row.msg), row.peer) {
			got = append(got, p.String())
		}
		require.Equal(t, row.want, got, "%s: Check(%s, %s)", row.rule, row.msg, row.peer.Product)
	}

	// Each form of delay as an annotation, and who serves it (AMQ-8320); RabbitMQ serves none.
	for _, form := range []string{`1f 02 a3 13 "x-opt-delivery-time" 81`, `20 02 a3 14 "x-opt-delivery-delay" 81`, `28 02 a3 1c "x-opt-scheduled-enqueue-time" 83`} {
		served := map[string][]string{
			"x-opt-delivery-time":          {"ActiveMQ Artemis", "ActiveMQ Classic", "Qpid Broker-J"},
			"x-opt-delivery-delay":         {"ActiveMQ Artemis", "ActiveMQ Classic"},
			"x-opt-scheduled-enqueue-time": {"Azure Service Bus"},
		}[strings.Split(form, `"`)[1]]
		for _, peer := range []Peer{Artemis(), ActiveMQ(), BrokerJ(), RabbitMQ(), RabbitMQ3(), ServiceBus()} {
			refused := slices.ContainsFunc(Check(encoded(t, header+`00 53 72 c1 `+form+` 000001a22d1b6481`+body), peer), func(p Problem) bool {
				return strings.HasPrefix(p.In, "annotation ") && p.Who == peer.Product && p.What == "not served: the message is delivered at once"
			})
			require.Equal(t, !slices.Contains(served, peer.Product), refused, "%s: %s", peer.Product, form)
		}
	}

	// A property of each type [jms 3.5.1], and of each name that is a field.
	for value, want := range map[string]string{
		"40": "", "41": "", "51 01": "", "61 0001": "", "54 01": "", "55 01": "", "72 00000000": "", "82 0000000000000000": "", "a1 00": "",
		"50 01": "ubyte, which its getters refuse", "60 0001": "ushort, which its getters refuse", "43": "uint, which its getters refuse",
		"44": "ulong, which its getters refuse", "73 00000061": "char, which its getters refuse", "83 0000000000000001": "timestamp, which its getters refuse",
		"98 00000000000000000000000000000000": "uuid, which its getters refuse", "a0 00": "binary, which its getters refuse", "a3 00": "symbol, which its getters refuse",
		"74 22500001": "decimal32, which its getters refuse",
		"45":          "list, which no application property may be", "c1 01 00": "map, which no application property may be",
		"e0 02 00 41": "array, which no application property may be", "00 53 01 40": "described value, which no application property may be",
	} {
		pair := encoded(t, `a1 01 "p"`+value)
		msg := slices.Concat(encoded(t, header+`00 53 74 c1`), []byte{byte(1 + len(pair)), 2}, pair, encoded(t, body))
		var got string
		for _, p := range Check(msg, Artemis()) {
			require.Equal(t, `property "p"`, p.In)
			got += p.What
		}
		require.Equal(t, want, got, value)
	}
	for _, name := range []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMSXUserID", "JMS_AMQP_TTL", "JMS_AMQP_REPLY_TO_GROUP_ID"} {
		msg := amqp.Message{Header: &amqp.MessageHeader{Durable: true}, Value: "a", ApplicationProperties: map[string]any{name: "v"}}
		problems, err := CheckMessage(&msg, Artemis())
		require.NoError(t, err)
		require.Equal(t, []Problem{{fmt.Sprintf("property %q", name), "Qpid JMS", "ignored, for it is the name of a field"}}, problems)
	}

	// For any peer, it is what all of them would do.
	m := amqp.Message{Annotations: amqp.Annotations{"x-opt-jms-dest": uint8(0)}, Properties: &amqp.MessageProperties{MessageID: uint64(1)}}
	problems, err := CheckMessage(&m, Peer{})
	require.NoError(t, err)
	var who []string
	for _, p := range problems {
		if !slices.Contains(who, p.Who) {
			who = append(who, p.Who)
		}
	}
	require.Equal(t, []string{"RabbitMQ", "Azure Service Bus", "Qpid JMS", "ActiveMQ Artemis", "RabbitMQ 3"}, who)
	_, err = CheckMessage(&amqp.Message{Value: 1.5, Annotations: amqp.Annotations{uint64(1): 1}}, Peer{})
	wantValueError(t, err, `amqpjms: key of the message-annotations ulong 1: go-amqp cannot write it: forward the encoded message with Forwarder.Append`)
	_, err = CheckMessage(&amqp.Message{Value: struct{}{}}, Peer{})
	wantValueError(t, err, "amqpjms: amqp-value of type struct {}: not a type of AMQP")

	// What this package writes, no peer has a problem with.
	for _, peer := range []Peer{Artemis(), ActiveMQ(), BrokerJ(), RabbitMQ(), RabbitMQ3(), ServiceBus()} {
		w := Editor{Peer: peer}
		for _, write := range []func(*amqp.Message) error{
			func(m *amqp.Message) error { return w.SetText(m, "a") },
			func(m *amqp.Message) error { w.SetBytes(m, nil); return nil },
		} {
			var m amqp.Message
			require.NoError(t, write(&m))
			require.NoError(t, w.SetProperty(&m, "p", int32(1)))
			p := Producer{Peer: peer, Destination: Destination{Kind: Queue, Name: "q"}, Mode: NonPersistent, TimeToLive: time.Hour}
			if peer.Delay != DelayNone {
				p.DeliveryDelay = time.Minute
			}
			_, err := p.Prepare(&m, sentAt())
			require.NoError(t, err)
			problems, err := CheckMessage(&m, peer)
			require.NoError(t, err)
			require.Empty(t, problems, peer.Product)
		}
	}
}

// The bytes alone say what kind of message it is, what go-amqp refuses included.
func TestRawKind(t *testing.T) {
	n := 0
	for _, c := range fixtureSets()[1].cases(t) {
		want, ok := c.Want("type")
		if !ok {
			continue
		}
		var m RawMessage
		if _, _, refused := c.Ours("error"); refused {
			require.Error(t, m.Parse(c.Wire()), c.At())
			continue
		}
		require.NoError(t, m.Parse(c.Wire()), c.At())
		kind, err := m.Kind()
		if c.Name == "body-data-then-value" || c.Name == "body-two-values" { // which the bytes show, and go-amqp hides
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, c.At())
		require.Equal(t, want.V, typeValue(kind).V, c.At())
		n++
	}
	require.Greater(t, n, 350)
	for _, text := range []string{`00 53 75 40`, `00 53 77 c1 04 02 40`, `00 53 75 a0 00 00 53 77 40`, `00 53 72 c1 02 01 40`, `00 53 73 c0 09 07 40 40 40 40 40 40 a3 09 00 53 77 40`} {
		var m RawMessage
		require.NoError(t, m.Parse(encoded(t, text)), text)
		kind, err := m.Kind()
		require.Zero(t, kind, text)
		var e *WireError
		require.ErrorAs(t, err, &e, text)
	}
}

// The kind of a message is of its sections and their types. What stands inside is not looked at, and costs nothing.
func TestRawKindLooksNotInside(t *testing.T) {
	const (
		annotated = `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 05`
		textPlain = `00 53 73 c0 13 07 40 40 40 40 40 40 a3 0a "text/plain"`
	)
	large := hex.EncodeToString(bytes.Repeat([]byte{'a'}, 1<<20))
	for _, row := range []struct {
		rule, msg string
		want      MessageKind
		allocs    float64
	}{
		{"a large text", `00 53 77 b1 00100000` + large, TextMessage, 0},
		{"large bytes", `00 53 77 b0 00100000` + large, BytesMessage, 0},
		{"large data", `00 53 75 b0 00100000` + large, BytesMessage, 0},
		{"large data, annotated", annotated + `00 53 75 b0 00100000` + large, TextMessage, 0},
		{"many sections", annotated + strings.Repeat(`00 53 75 a0 00`, 1000), TextMessage, 0},
		{"many sequences", strings.Repeat(`00 53 76 45`, 1000), ObjectMessage, 0},
		{"a null", `00 53 77 40`, TextMessage, 0},
		{"a list", `00 53 77 45`, ObjectMessage, 0},
		{"a value of another type", `00 53 77 54 01`, ObjectMessage, 1}, // its name
		{"a content type", annotated + textPlain + `00 53 75 b0 00100000` + large, TextMessage, 1},
		{"a text that is not valid", `00 53 77 a1 01 ff`, TextMessage, 0},
		{"a map that is broken", `00 53 77 c1 02 02 40`, ObjectMessage, 0},
	} {
		var m RawMessage
		require.NoError(t, m.Parse(encoded(t, row.msg)), row.rule)
		got, err := m.Kind()
		require.NoError(t, err, row.rule)
		require.Equal(t, row.want, got, row.rule)
		allocs(t, row.allocs, "Kind, "+row.rule, func() { _, _ = m.Kind() })
	}
	// Check does look.
	require.Contains(t, Check(encoded(t, `00 53 77 c1 02 02 40`), Peer{}), Problem{"body", "AMQP 1.0", "body at byte 5: count too large for 1 bytes: unexpected EOF"})
}

// No bytes that go-amqp decodes make reading panic, and none at all make Check.
func FuzzView(f *testing.F) {
	eachWire(f, func(_ golden.Case, encoded []byte) { f.Add(encoded) })
	f.Fuzz(func(t *testing.T, encoded []byte) {
		for _, peer := range []Peer{{}, RabbitMQ(), ServiceBus()} {
			_ = Check(encoded, peer)
		}
		m, err := unmarshal(encoded)
		if err != nil {
			return
		}
		v := Consumer{Peer: Peer{Delay: DelayProperty, QueuePrefix: "q", PercentEncoded: true}}.View(m, sentAt())
		for _, name := range append(v.PropertyNames(), "absent") {
			p := v.Property(name)
			_, _ = p.Raw()
			_, _ = p.Bool()
			_, _ = p.Byte()
			_, _ = p.Double()
			_, _ = p.Float()
			_, _ = p.Text()
			_, _ = p.Bytes()
		}
		_, _ = v.MessageID()
		_, _ = v.CorrelationID()
		_, _ = v.Destination()
		_, _ = v.ReplyTo()
		_, _ = v.DeliveryTime()
		_, _ = v.Expiration()
		_, _ = v.UserID()
		_, _ = v.AnnotatedKind()
		_, _, _ = v.DeliveryMode(), v.Priority(), v.DeliveryCount()
		_, _ = v.Text()
		_, _ = v.Bytes()
		_, _ = v.Map()
		_, _ = v.Stream()
		_, _ = v.Object()
		_, _ = v.Payload()
		_ = v.Body().String()
		_, _, _ = v.Reply(CorrelationIDFirst)
		if out, err := (Forwarder{}).Forward(m, sentAt()); err == nil {
			w := Editor{AnyPropertyName: true}
			_ = w.SetText(out, "a")
			_, _ = Producer{}.Prepare(out, sentAt())
		}
	})
}

// What is wrong with many parts of a message in the same way is listed once, so that an answer does not outgrow the message.
func TestCheckListsOnce(t *testing.T) {
	aMap := func(section byte, n int, pair string) []byte {
		items := bytes.Repeat(encoded(t, pair), n)
		b := binary.BigEndian.AppendUint32([]byte{0, 0x53, section, 0xd1}, uint32(4+len(items)))
		return append(binary.BigEndian.AppendUint32(b, uint32(2*n)), items...)
	}
	for _, row := range []struct {
		rule string
		msg  func(n int) []byte
	}{
		{"keys of annotations that are null", func(n int) []byte { return aMap(0x72, n, `40 40`) }},
		{"keys of delivery annotations that are ulongs", func(n int) []byte { return aMap(0x71, n, `44 40`) }},
		{"keys of properties that are null", func(n int) []byte { return aMap(0x74, n, `40 40`) }},
		{"properties of one name", func(n int) []byte { return aMap(0x74, n, `a1 01 "-" 45`) }},
		{"annotations of one name", func(n int) []byte { return aMap(0x72, n, `a3 01 "a" 40`) }},
		{"delivery annotations of one name", func(n int) []byte { return aMap(0x71, n, `a3 01 "a" 40`) }},
		{"a footer of one name", func(n int) []byte { return aMap(0x78, n, `a3 01 "a" 40`) }},
		{"a body of one key", func(n int) []byte { return aMap(0x77, n, `a1 01 "a" 40`) }},
		{"data sections", func(n int) []byte { return bytes.Repeat(encoded(t, `00 53 75 a0 01 "a"`), n) }},
		{"sequences", func(n int) []byte { return bytes.Repeat(encoded(t, `00 53 76 45`), n) }},
		{"keys of a body's map", func(n int) []byte { return aMap(0x77, n, `40 40`) }},
	} {
		want := Check(row.msg(2), Peer{})
		require.NotEmpty(t, want, row.rule)
		require.Equal(t, want, Check(row.msg(10_000), Peer{}), row.rule)
		once := map[Problem]bool{}
		for _, p := range want {
			require.False(t, once[p], "%s: %v is listed twice", row.rule, p)
			once[p] = true
		}
	}
}

// Of each message on record that never reached the application for the type of a property, Check says so.
func TestCheckKnowsLosses(t *testing.T) {
	found := map[string]string{}
	for _, c := range fixtureSets()[1].cases(t) {
		if in, ok := map[string]string{"header-subject-symbol": "subject", "header-user-id-string": "user-id",
			"header-creation-time-long-instead-of-timestamp": "creation-time", "group-seq-int-instead-of-uint": "group-sequence"}[c.Name]; ok {
			require.Contains(t, Check(c.Wire(), Peer{}), Problem{in, "Qpid JMS", "the message never reaches the application"}, c.At())
			found[c.Name] = in
		}
	}
	require.Len(t, found, 4)
}

// Of the messages on record, one has equal keys.
func TestCheckKnowsEqualKeys(t *testing.T) {
	found := map[string][]string{}
	eachWire(t, func(c golden.Case, encoded []byte) {
		for _, p := range Check(encoded, Peer{}) {
			if strings.Contains(p.What, "more than once: ") {
				found[c.Name] = append(found[c.Name], p.In)
			}
		}
	})
	require.Equal(t, map[string][]string{"property-duplicate-key": {"application-properties"}}, found)
}

// Of each stream on record that Qpid JMS cannot read for the type of a value, Check says so, and of no other.
func TestCheckKnowsStreams(t *testing.T) {
	n := 0
	for _, c := range fixtureSets()[1].cases(t) {
		_, _, deviates := c.Ours("body")
		want := deviates && strings.HasPrefix(c.Name, "body-stream-amqp-only-")
		if want {
			n++
		}
		got := slices.ContainsFunc(Check(c.Wire(), Artemis()), func(p Problem) bool {
			return p.In == "body" && p.Who == "Qpid JMS" && strings.HasSuffix(p.What, " in a stream, which cannot be read there")
		})
		require.Equal(t, want, got, c.At())
	}
	require.Equal(t, 8, n)
	const annotated = `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 04`
	for body, want := range map[string][]string{
		`00 53 76 45`: nil,
		`00 53 76 c0 17 0a 40 41 51 01 61 0001 54 01 55 01 72 00000000 a1 01 "a" a0 00 40`: nil,
		`00 53 77 c0 02 01 43`: {"body: Qpid JMS: uint in a stream, which cannot be read there"},
		`00 53 76 c0 02 01 43 00 53 76 c0 03 02 43 43`: {"body: Qpid JMS: several sections, of which only the last is read",
			"body: Qpid JMS: uint in a stream, which cannot be read there"},
		`00 53 76 c0 06 01 73 00000061 00 53 78 c1 01 00`: {"body: Qpid JMS: char in a stream, which cannot be read there"},
		`00 53 76 c0 03 02 40 a1`:                         {"body: AMQP 1.0: body at byte 43: unexpected EOF"},
	} {
		var got []string
		for _, p := range Check(encoded(t, `00 53 70 c0 02 01 41`+annotated+body), Artemis()) {
			got = append(got, p.String())
		}
		require.Equal(t, want, got, body)
	}
}

// Fields alone do not copy the application properties.
func TestSetFieldCopiesNothing(t *testing.T) {
	shared := map[string]any{"a": int32(1)}
	m := amqp.Message{ApplicationProperties: shared}
	require.NoError(t, Editor{}.SetProperties(&m, map[string]any{"JMSXGroupID": "g", "JMS_AMQP_TTL": 1}))
	m.ApplicationProperties["b"] = int32(2)
	require.Len(t, shared, 2)
	require.NoError(t, Editor{}.SetProperty(&m, "c", int32(3)))
	require.Len(t, shared, 2)
	require.Len(t, m.ApplicationProperties, 3)
}

// Check names the type of a body that it does not decode.
func TestCheckNamesBody(t *testing.T) {
	for value, name := range map[string]string{"73 00 00 00 63": "char", "54 01": "int", "41": "boolean", "74 22 50 00 01": "decimal32"} {
		msg := slices.Concat(unhexed(t, "00 53 72 c1 17 02 a3 12"), []byte("x-opt-jms-msg-type"), unhexed(t, "51 05 00 53 77"), unhexed(t, value))
		var found bool
		for _, p := range Check(msg, Artemis()) {
			found = found || p.In == "body" && strings.Contains(p.What, "amqp-value "+name)
			require.NotContains(t, p.What, "amqpjms: ")
		}
		require.True(t, found, "%s: %v", name, Check(msg, Artemis()))
	}
}
