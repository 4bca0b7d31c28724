package amqpjms

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

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
			_, _, _, _, _ = v.DeliveryMode(), v.Priority(), v.Redelivered(), v.DeliveryCount(), must(v.Kind())
			_, _, _, _, _ = must(v.Timestamp()), must(v.Type()), must(v.GroupID()), must(v.GroupSeq()), must(v.ReplyToGroupID())
		}), peer.Product)
	}
}

func TestPropertyNames(t *testing.T) {
	for _, name := range []string{"a", "A1", "$_a1", "_", "true", "null", "NOTE", "\u00fc\u4e2d", "a\u0301", "a\u0000", "a\u200d",
		"a\u0008", "a\u000e", "a\u001b", "a\u007f", "a\u009f", "a1"} { // the last but one: what Java ignores
		require.NoError(t, CheckPropertyName(name), "%q", name)
	}
	for name, why := range map[string]string{
		"":               "empty",
		"NULL":           "reserved word in JMS selectors",
		"TRUE":           "reserved word in JMS selectors",
		"FALSE":          "reserved word in JMS selectors",
		"NOT":            "reserved word in JMS selectors",
		"AND":            "reserved word in JMS selectors",
		"OR":             "reserved word in JMS selectors",
		"BETWEEN":        "reserved word in JMS selectors",
		"LIKE":           "reserved word in JMS selectors",
		"IN":             "reserved word in JMS selectors",
		"IS":             "reserved word in JMS selectors",
		"ESCAPE":         "reserved word in JMS selectors",
		"1a":             "'1' cannot start a Java identifier",
		"-":              "'-' cannot start a Java identifier",
		"a-b":            "'-' cannot be in a Java identifier",
		"a.b":            "'.' cannot be in a Java identifier",
		"a b":            "' ' cannot be in a Java identifier",
		"cloudEvents:id": "':' cannot be in a Java identifier",
		"a\U0001f600":    "'\U0001f600' cannot be in a Java identifier",
		"\U00020000":     "'\U00020000' cannot start a Java identifier", // a letter, but of two UTF-16 code units
		"a\xff":          "'\ufffd' cannot be in a Java identifier",
		"\U00010000":     "'\U00010000' cannot start a Java identifier", // the first of those
		"a\U000e0100":    "'\U000e0100' cannot be in a Java identifier", // a mark of two units
		"a\t":            `'\t' cannot be in a Java identifier`,
		"a\r":            `'\r' cannot be in a Java identifier`,
		"a\x1c":          `'\x1c' cannot be in a Java identifier`,
		"a~":             "'~' cannot be in a Java identifier",
		"a\u00a0":        `'\u00a0' cannot be in a Java identifier`,
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
		{Editor{}, "a-b", "", "'-' cannot be in a Java identifier"},
		{Editor{}, "JMSXGroupID", "", "a field of the message, not an application property"},
		{Editor{}, "JMS_AMQP_TTL", "", "a field of the message, not an application property"},
		{Editor{}, "JMSXAppID", "", "JMS reserves names that start with JMS: use another name, or JMS_ and a vendor's name"},
		{Editor{}, "JMSPriority", "", "JMS reserves names that start with JMS: use another name, or JMS_ and a vendor's name"},
		{Editor{}, "JMSXDeliveryCount", "", "a field of the message, not an application property"},
		{Editor{}, "JMSXGroupSeq", "", "a field of the message, not an application property"},
		{Editor{}, "JMSXUserID", "", "a field of the message, not an application property"},
		{Editor{}, "JMS_AMQP_REPLY_TO_GROUP_ID", "", "a field of the message, not an application property"},
		{Editor{}, "JMS_AMQP_CONTENT_TYPE", "", "a field of the message, not an application property"},
		{Editor{}, "JMS_AMQP_CONTENT_ENCODING", "", "a field of the message, not an application property"},
		{Editor{}, "JMS_AMQP_TYPED_ENCODING", "", "a field of the message, not an application property"},
		{any, "a-b", "a-b", ""},
		{any, "NULL", "NULL", ""},
		{any, "", "", "empty"},
		{any, "a\xff", "", "not valid UTF-8"},
		{any, "JMSFoo", "", "JMS reserves names that start with JMS: use another name, or JMS_ and a vendor's name"},
		{escaping, "a-b.c", "a_HYPHEN_b_DOT_c", ""},
		{escaping, "a b", "", "' ' cannot be in a Java identifier"},
		{escaping, "a_DOT_b", "", "contains _HYPHEN_ or _DOT_, the escapes of - and ."},
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
func TestEditor(t *testing.T) {
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
	require.Equal(t, Some("order"), must(v.Type()))
	id, err := v.CorrelationID()
	require.NoError(t, err)
	require.Equal(t, ulongID(42), id)
	require.Equal(t, Some(""), must(v.GroupID()))
	require.Equal(t, Some[int32](-1), must(v.GroupSeq()))
	require.Equal(t, uint32(math.MaxUint32), *m.Properties.GroupSequence)
	require.Equal(t, Some("g"), must(v.ReplyToGroupID()))
	require.Equal(t, Some("text/csv"), must(v.ContentType()))
	require.Equal(t, Some("none"), must(v.ContentEncoding()))
	require.Equal(t, map[string]any{"old": int32(1), "region": "north", "n": nil, "b": true, "i8": int8(1), "f": float32(1)}, m.ApplicationProperties)
	require.Equal(t, []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMSXUserID", "JMS_AMQP_CONTENT_ENCODING", "JMS_AMQP_CONTENT_TYPE",
		"JMS_AMQP_REPLY_TO_GROUP_ID", "b", "f", "i8", "n", "old", "region"}, must(v.PropertyNames()))

	for _, name := range []string{"JMSXGroupID", "JMSXGroupSeq", "JMS_AMQP_REPLY_TO_GROUP_ID", "JMS_AMQP_CONTENT_TYPE", "JMS_AMQP_CONTENT_ENCODING",
		"JMS_AMQP_TTL", "n", "b", "i8", "f", "old", "absent"} {
		require.NoError(t, w.RemoveProperty(&m, name), name)
	}
	require.Equal(t, []string{"JMSXDeliveryCount", "JMSXUserID", "region"}, must(v.PropertyNames()))
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
	wantValueError(t, Editor{EscapePropertyNames: true}.RemoveProperty(&m, "a_DOT_b"), `amqpjms: property "a_DOT_b": contains _HYPHEN_ or _DOT_, the escapes of - and .`)
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
	bare.Properties = &amqp.MessageProperties{ContentType: nonEmpty("image/png"), ContentEncoding: nonEmpty("gzip")}
	w.SetBytes(&bare, []byte{1})
	require.Equal(t, amqp.MessageProperties{ContentType: nonEmpty("image/png"), ContentEncoding: nonEmpty("gzip")}, *bare.Properties)

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
		return func(m *amqp.Message) error { return Stamp{Peer: delaying(form)}.Apply(m) }
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
func TestEditorErrors(t *testing.T) {
	const legal = "want bool, int8, int16, int32, int64, float32, float64, string or nil"
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
			`value 0 of a stream of type int: want []byte, bool, int8, int16, int32, int64, float32, float64, string or nil`},
		{func(m *amqp.Message) error { return w.SetObject(m, 1) }, `object of type int: not an AMQP type`},
		{func(m *amqp.Message) error { return w.SetReplyTo(m, Destination{Name: "a"}) },
			`destination "a": kind is unknown, want queue, topic, temporary queue or temporary topic (Destination.Kind)`},
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
		{property("a-b", "v"), `property "a-b": '-' cannot be in a Java identifier`},
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
			require.Equal(t, row.kind, must(v.Kind()))
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
	app := v.ApplicationProperty("JMSXGroupID")
	require.True(t, app.Exists())
	require.Equal(t, "app", must(app.Raw()))
	require.Equal(t, []string{"AMQ_SCHEDULED_DELAY", "JMSMessageID", "JMSPriority", "JMSXDeliveryCount", "JMSXUserID", "a-b"}, must(v.PropertyNames()))

	_, err := v.Property("JMSReplyTo").Long()
	wantValueError(t, err, `amqpjms: property "JMSReplyTo" "replies": cannot be read as long`)
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
	require.NotContains(t, must(hidden.PropertyNames()), "AMQ_SCHEDULED_DELAY")
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
	require.Equal(t, TextMessage, must(v.Kind()))
	_, err = v.Text()
	wantValueError(t, err, `amqpjms: text "a\xff": not valid UTF-8`)
	require.Equal(t, DefaultPriority, v.Priority())
	require.Equal(t, bad, must(v.Body()).Value)
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
					if seq, ok := r.Interface().(iter.Seq2[string, Value]); ok {
						all = append(all, maps.Collect(seq))
						continue
					}
					all = append(all, r.Interface())
				}
				return all
			}
			require.Equal(t, results(read), results(bare), method.Name)
		}
		for _, name := range append(must(read.PropertyNames()), "JMSExpiration", "JMSDestination", "JMSDeliveryMode", "JMSDeliveryTime") {
			require.Equal(t, read.Property(name), bare.Property(name), name)
		}
	}
	require.Equal(t, NonPersistent, View{Message: m}.DeliveryMode())
	d, err := View{Message: m}.Destination()
	require.NoError(t, err)
	require.Equal(t, Destination{Kind: Queue, Name: "a"}, d)
	_, err = View{Message: m}.Expiration()
	wantValueError(t, err, "amqpjms: time of receipt 0001-01-01 00:00:00 +0000 UTC: needed to compute the expiration from the header's ttl")
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
		{"no properties", amqp.Message{}, `reply-to none: the message does not ask for a reply`},
		{"no reply-to", amqp.Message{Properties: &amqp.MessageProperties{MessageID: "m"}}, `reply-to none: the message does not ask for a reply`},
		{"an empty one", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &empty}}, `reply-to none: the message does not ask for a reply`},
		{"no UTF-8", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &bad}}, `reply-to "\xff": not valid UTF-8`},
		{"a wrong id", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &address, MessageID: int32(1)}},
			`id of type int32: want string, uint64, amqp.UUID, uuid.UUID or []byte`},
		{"a wrong id", amqp.Message{Properties: &amqp.MessageProperties{ReplyTo: &address, CorrelationID: int32(1)}},
			`id of type int32: want string, uint64, amqp.UUID, uuid.UUID or []byte`},
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
	const noTime = ": want an integer up to 2^63-1 or a timestamp"
	const descriptor = "go-amqp cannot write it: its descriptor, a symbol, would be a string"
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
		out, err := Forwarder{}.Forward(m, sentAt())
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
		withoutDelay(got)
		asked, err := Consumer{}.View(m, sentAt()).DeliveryTime()
		require.NoError(t, err, c.At())
		kept, err := Consumer{}.View(out, sentAt()).DeliveryTime()
		require.NoError(t, err, c.At())
		require.Equal(t, asked, kept, "%s: the delivery time", c.At())
		if b := m.Properties; b != nil && b.UserID != nil && len(b.UserID) == 0 {
			if !strings.Contains(c.Peer, "(Java)") { // which always sends one
				lost(c, "go-amqp writes an empty user-id as none")
			}
			return
		}
		for name, section := range want {
			for _, v := range section {
				if hasKey(v, "string") && strings.HasSuffix(name, "annotations") || hasKey(v, "symbol") && name == "application-properties" {
					lost(c, "go-amqp writes keys of strings for those of symbols, or the other way round")
					return
				}
				if name == "properties" && hasStringForSymbol(v) {
					lost(c, "go-amqp writes a content-type that is a string as the symbol that it should be")
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
		"delivery-delay":                          "amqpjms: x-opt-delivery-delay 2500: the creation-time that it counts from is missing",
		"delivery-time-binary":                    "amqpjms: x-opt-delivery-time binary" + noTime,
		"delivery-time-boolean":                   "amqpjms: x-opt-delivery-time boolean" + noTime,
		"delivery-time-double":                    "amqpjms: x-opt-delivery-time double" + noTime,
		"delivery-time-float":                     "amqpjms: x-opt-delivery-time float" + noTime,
		"delivery-time-list":                      "amqpjms: x-opt-delivery-time list" + noTime,
		"delivery-time-string":                    "amqpjms: x-opt-delivery-time string" + noTime,
		"delivery-time-symbol":                    "amqpjms: x-opt-delivery-time string" + noTime,
		"delivery-time-ulong-max":                 "amqpjms: x-opt-delivery-time 18446744073709551615" + noTime,
		"body-data-then-value":                    order,
		"body-two-values":                         order,
		"header-after-properties":                 order,
		"header-twice":                            order,
		"properties-twice":                        order,
		"application-properties-twice":            order,
		"message-annotations-twice":               order,
		"watermill-marshal":                       order,
		"watermill-marshal-metadata":              order,
		"header-content-type-string":              "go-amqp writes a content-type that is a string as the symbol that it should be",
		"header-content-encoding-string":          "go-amqp writes a content-type that is a string as the symbol that it should be",
		"body-value-string-invalid-utf8":          noText,
		"id-string-invalid-utf8":                  noText,
		"reply-to-message-id-string-invalid-utf8": noText,
		"header-user-id-empty":                    "go-amqp writes an empty user-id as none",
		"properties-empty-values":                 "go-amqp writes an empty user-id as none",
		"property-duplicate-key":                  "go-amqp keeps the last value of a key that a map has twice",
		"annotation-10000-described":              `amqpjms: message-annotations "x" null: nested too deep`,
	}, lossy)
}

// hasStringForSymbol reports whether a properties section has a string where a symbol is due. [amqp 3.2.4]
func hasStringForSymbol(v golden.Value) bool {
	return slices.ContainsFunc(v.V.([]golden.Entry), func(e golden.Entry) bool {
		return e.Value.Type == "string" && (e.Key.V == "content-type" || e.Key.V == "content-encoding")
	})
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
		{"past or not, even if the peer cannot delay", Forwarder{To: RabbitMQ()}, time.Minute, annotations("x-opt-delivery-time", due), kept},
		{"and in the form of the next peer", Forwarder{To: ServiceBus()}, time.Hour, annotations("x-opt-scheduled-enqueue-time", time.UnixMilli(due).UTC()), kept},
		{"without the property of a peer that delays by it", Forwarder{From: delaying(DelayProperty)}, time.Minute, annotations("x-opt-delivery-time", due),
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
		Annotations:           amqp.Annotations{amqp.Symbol("x-opt-delivery-time"): amqp.Null{}},
		ApplicationProperties: map[string]any{"AMQ_SCHEDULED_DELAY": amqp.Null{}},
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
			fmt.Sprintf(`delivery time %d: requested by x-opt-delivery-delay, not due, and the peer cannot delay (Forwarder.To)`, due)},
		{"nor until a time", Forwarder{To: RabbitMQ()}, amqp.Message{Annotations: amqp.Annotations{"x-opt-delivery-time": due}},
			fmt.Sprintf(`delivery time %d: requested by x-opt-delivery-time, not due, and the peer cannot delay (Forwarder.To)`, due)},
		{"nor by the time to enqueue", Forwarder{To: RabbitMQ()}, amqp.Message{Annotations: amqp.Annotations{"x-opt-scheduled-enqueue-time": time.UnixMilli(due)}},
			fmt.Sprintf(`delivery time %d: requested by x-opt-scheduled-enqueue-time, not due, and the peer cannot delay (Forwarder.To)`, due)},
		{"nor by a property", Forwarder{From: delaying(DelayProperty), To: RabbitMQ()}, amqp.Message{
			Properties: &amqp.MessageProperties{CreationTime: &created}, ApplicationProperties: map[string]any{"AMQ_SCHEDULED_DELAY": int64(60000)},
		}, fmt.Sprintf(`delivery time %d: requested by AMQ_SCHEDULED_DELAY, not due, and the peer cannot delay (Forwarder.To)`, due)},
		{"a delay that is none", Forwarder{}, amqp.Message{Annotations: amqp.Annotations{"x-opt-delivery-time": "soon"}},
			`x-opt-delivery-time string: want an integer up to 2^63-1 or a timestamp`},
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
		Editor{}.SetBody(&other, must(Consumer{}.View(m, sentAt()).Body()))
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
		wantValueError(t, err, fmt.Sprintf("amqpjms: amqp-value of type %T: not an AMQP type", v))
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
		for _, name := range append(must(v.PropertyNames()), "absent") {
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
		_ = must(v.Body()).String()
		_, _, _ = v.Reply(CorrelationIDFirst)
		if out, err := (Forwarder{}).Forward(m, sentAt()); err == nil {
			w := Editor{AnyPropertyName: true}
			_ = w.SetText(out, "a")
			_, _ = Producer{}.Prepare(out, sentAt())
		}
	})
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

// full returns a message with all there can be, delays and the stamp of an earlier send among them, and keys in both
// of the types that go-amqp sends as symbols.
func full() *amqp.Message {
	text := func(s string) *string { return &s }
	at := func(ms int64) *time.Time { t := time.UnixMilli(ms).UTC(); return &t }
	sequence := uint32(7)
	return &amqp.Message{
		Format:              1,
		DeliveryTag:         []byte{1},
		Header:              &amqp.MessageHeader{Priority: 9, TTL: time.Hour, FirstAcquirer: true, DeliveryCount: 3},
		DeliveryAnnotations: amqp.Annotations{"x-opt-hop": int32(1)},
		Annotations: amqp.Annotations{
			"x-opt-custom": "kept", amqp.Symbol("x-opt-symbol"): "kept", int64(7): "kept",
			"x-opt-jms-msg-type": int8(5), "x-opt-jms-reply-to": int8(1), "x-opt-reply-type": "topic",
			"x-opt-jms-dest": int8(3), amqp.Symbol("x-opt-jms-dest"): int8(3), "x-opt-to-type": "topic",
			"x-opt-delivery-time": int64(1), amqp.Symbol("x-opt-delivery-time"): int64(1),
			"x-opt-delivery-delay": int64(1), amqp.Symbol("x-opt-delivery-delay"): int64(1),
			"x-opt-scheduled-enqueue-time": time.UnixMilli(1), amqp.Symbol("x-opt-scheduled-enqueue-time"): time.UnixMilli(1),
		},
		Properties: &amqp.MessageProperties{
			MessageID: "old", UserID: []byte("mallory"), To: text("old"), Subject: text("subject"), ReplyTo: text("replies"),
			CorrelationID: uint64(1), ContentType: text("text/plain"), ContentEncoding: text("gzip"),
			AbsoluteExpiryTime: at(2), CreationTime: at(1), GroupID: text("group"), GroupSequence: &sequence, ReplyToGroupID: text("replies"),
		},
		ApplicationProperties: map[string]any{"region": "north"},
		Value:                 "hello",
		Footer:                amqp.Annotations{"x-opt-footer": "kept"},
	}
}

// The bytes that are sent of an empty message, by every form of delay and every kind of destination, but for the kind
// of message and the null that is its body. go-amqp writes a
// map as map32, a header and properties as list32. [amqp 1.6, 3.2]
func TestApplyWire(t *testing.T) {
	const (
		header     = `00 53 70 d0 00000005 00000001 41`
		properties = `00 53 73 d0 00000017 0000000a 53 2a 40 40 40 40 40 40 40 40 83 000001a22d1b6481`
		toOrders   = `00 53 73 d0 0000001e 0000000a 53 2a 40 a1 06 "orders" 40 40 40 40 40 40 83 000001a22d1b6481`
	)
	id, err := IDFrom(uint64(42))
	require.NoError(t, err)
	for _, row := range []struct {
		rule string
		p    Producer
		wire string
	}{
		{"durable is written", Producer{}, header + properties},
		{"false too (QPIDJMS-608)", Producer{Mode: NonPersistent}, `00 53 70 d0 00000005 00000001 42` + properties},
		{"priority 0", Producer{Priority: Some[uint8](0)}, `00 53 70 d0 00000007 00000002 41 50 00` + properties},
		{"a time to live is ttl and absolute-expiry-time", Producer{TimeToLive: time.Minute},
			`00 53 70 d0 0000000b 00000003 41 40 70 0000ea60` +
				`00 53 73 d0 0000001f 0000000a 53 2a 40 40 40 40 40 40 40 83 000001a22d1c4ee1 83 000001a22d1b6481`},
		{"a ttl of 50 days is whole", Producer{WireTTL: Some[uint32](math.MaxUint32)},
			`00 53 70 d0 0000000b 00000003 41 40 70 ffffffff` + properties},
		{"no id", Producer{NoMessageID: true}, header +
			`00 53 73 d0 00000016 0000000a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481`},
		{"neither id nor timestamp", Producer{NoMessageID: true, NoTimestamp: true}, header},
		{"a user id", Producer{UserID: "alice"}, header +
			`00 53 73 d0 0000001d 0000000a 53 2a a0 05 "alice" 40 40 40 40 40 40 40 83 000001a22d1b6481`},

		{"queue", Producer{Destination: Destination{Kind: Queue, Name: "orders"}},
			header + `00 53 72 d1 00000016 00000002 a3 0e "x-opt-jms-dest" 51 00` + toOrders},
		{"topic", Producer{Destination: Destination{Kind: Topic, Name: "orders"}},
			header + `00 53 72 d1 00000016 00000002 a3 0e "x-opt-jms-dest" 51 01` + toOrders},
		{"temporary queue", Producer{Destination: Destination{Kind: TemporaryQueue, Name: "orders"}},
			header + `00 53 72 d1 00000016 00000002 a3 0e "x-opt-jms-dest" 51 02` + toOrders},
		{"temporary topic", Producer{Destination: Destination{Kind: TemporaryTopic, Name: "orders"}},
			header + `00 53 72 d1 00000016 00000002 a3 0e "x-opt-jms-dest" 51 03` + toOrders},

		{"an absolute time is a long, which alone every broker schedules",
			Producer{Peer: delaying(DelayAbsolute), DeliveryDelay: 5 * time.Second},
			header + `00 53 72 d1 00000022 00000002 a3 13 "x-opt-delivery-time" 81 000001a22d1b7809` + properties},
		{"a relative delay", Producer{Peer: delaying(DelayRelative), DeliveryDelay: 5 * time.Second},
			header + `00 53 72 d1 00000023 00000002 a3 14 "x-opt-delivery-delay" 81 0000000000001388` + properties},
		{"an enqueue time is a timestamp", Producer{Peer: delaying(DelayEnqueueTime), DeliveryDelay: 5 * time.Second},
			header + `00 53 72 d1 0000002b 00000002 a3 1c "x-opt-scheduled-enqueue-time" 83 000001a22d1b7809` + properties},
		{"a delay by property", Producer{Peer: delaying(DelayProperty), DeliveryDelay: 5 * time.Second},
			header + properties + `00 53 74 d1 00000022 00000002 a1 13 "AMQ_SCHEDULED_DELAY" 81 0000000000001388`},
		{"no delay is no form", Producer{Peer: delaying(DelayAbsolute)}, header + properties},
		{"no delay is no form", Producer{Peer: delaying(DelayProperty)}, header + properties},
	} {
		s, err := row.p.Stamp(sentAt(), id)
		require.NoError(t, err, row.rule)
		var m amqp.Message
		require.NoError(t, s.Apply(&m), row.rule)
		// go-amqp writes annotations in no order, so that one may be left.
		require.Equal(t, int8(BytesMessage), m.Annotations["x-opt-jms-msg-type"], row.rule)
		require.Nil(t, m.Value, row.rule)
		require.Equal(t, [][]byte{{}}, m.Data, row.rule)
		delete(m.Annotations, "x-opt-jms-msg-type")
		if m.Data = nil; len(m.Annotations) == 0 {
			m.Annotations = nil
		}
		got, err := m.MarshalBinary()
		require.NoError(t, err, row.rule)
		require.Equal(t, hex.EncodeToString(encoded(t, row.wire)), hex.EncodeToString(got), "%s: %+v.Apply", row.rule, s)
	}
}

// Prepare writes the stamp that it returns, with an id of its own for each send.
func TestPrepare(t *testing.T) {
	p := Producer{Peer: ActiveMQ(), Destination: Destination{Kind: Topic, Name: "news"}, TimeToLive: time.Minute, DeliveryDelay: time.Second}
	var m amqp.Message
	first, err := p.Prepare(&m, sentAt())
	require.NoError(t, err)
	require.Regexp(t, "^ID:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", first.MessageID.JMSMessageID())
	require.Equal(t, first.MessageID.Value(), m.Properties.MessageID)
	require.Equal(t, "topic://news", *m.Properties.To)

	again, err := p.Prepare(&m, sentAt())
	require.NoError(t, err)
	require.NotEqual(t, first.MessageID, again.MessageID, "a retry is another message")
	require.Equal(t, again.MessageID.Value(), m.Properties.MessageID)
	first.MessageID = again.MessageID
	require.Equal(t, first, again)

	p.NoMessageID = true
	none, err := p.Prepare(&m, sentAt())
	require.NoError(t, err)
	require.True(t, none.MessageID.IsZero())
	require.Nil(t, m.Properties.MessageID, "the id of the earlier send is gone")
}

// A message that came with a content-type or a content-encoding that is no symbol is not sent on as one that has it.
func TestApplySymbols(t *testing.T) {
	odd, fine := "text/plain; charset=\xfc", "text/plain"
	for _, row := range []struct {
		contentType, encoding *string
		err                   string
	}{
		{nil, nil, ""},
		{&fine, &fine, ""},
		{&odd, &fine, `amqpjms: content-type "text/plain; charset=\xfc": not ASCII`},
		{nil, &odd, `amqpjms: content-encoding "text/plain; charset=\xfc": not ASCII`},
	} {
		m := amqp.Message{Value: "a", Properties: &amqp.MessageProperties{ContentType: row.contentType, ContentEncoding: row.encoding}}
		was := m
		_, err := Producer{}.Prepare(&m, sentAt())
		if row.err == "" {
			require.NoError(t, err)
			continue
		}
		wantValueError(t, err, row.err)
		require.Equal(t, was, m)
	}
	// go-amqp writes the keys of annotations as symbols, too, and does not look at them either.
	for _, row := range []struct {
		m   amqp.Message
		err string
	}{
		{amqp.Message{Annotations: amqp.Annotations{"x-opt-gr\u00fcn": true}}, `amqpjms: annotation "x-opt-grün": not ASCII`},
		{amqp.Message{Annotations: amqp.Annotations{amqp.Symbol("\x80"): true}}, `amqpjms: annotation "\x80": not ASCII`},
		{amqp.Message{DeliveryAnnotations: amqp.Annotations{"\u00fc": true}}, `amqpjms: annotation "ü": not ASCII`},
		{amqp.Message{Footer: amqp.Annotations{"\u00fc": true}}, `amqpjms: annotation "ü": not ASCII`},
		{amqp.Message{Annotations: amqp.Annotations{"a": amqp.Symbol("\u00fc")}}, `amqpjms: message-annotations "a" "ü": not ASCII`},
		{amqp.Message{Value: []any{amqp.Symbol("\u00fc")}}, `amqpjms: amqp-value "ü": not ASCII`},
		{amqp.Message{Annotations: amqp.Annotations{"a\x7f": amqp.Symbol("\x7f"), amqp.Symbol("b"): "\u00fc", int64(-1): true}}, ""},
	} {
		_, err := Producer{}.Prepare(&row.m, sentAt())
		if row.err == "" {
			require.NoError(t, err)
			continue
		}
		wantValueError(t, err, row.err)
	}
}

// What the application and others put on a message stays, what an earlier producer put there is gone.
func TestApplyReplaces(t *testing.T) {
	p := Producer{Destination: Destination{Kind: Queue, Name: "orders"}, TimeToLive: time.Minute, DeliveryDelay: 5 * time.Second}
	for form, delay := range map[DelayForm]amqp.Annotations{
		DelayUnset:       {},
		DelayNone:        {},
		DelayAbsolute:    {"x-opt-delivery-time": int64(sent + 5000)},
		DelayRelative:    {"x-opt-delivery-delay": int64(5000)},
		DelayEnqueueTime: {"x-opt-scheduled-enqueue-time": time.UnixMilli(sent + 5000).UTC()},
		DelayProperty:    {},
	} {
		p.Peer.Delay, p.DeliveryDelay = form, 5*time.Second
		if form == DelayUnset || form == DelayNone {
			p.DeliveryDelay = 0
		}
		want, got := full(), full()
		got.Annotations[amqp.Symbol("x-opt-jms-msg-type")] = int8(0) // the same key for AMQP, which could be sent once only
		id := NewID()
		s, err := p.Stamp(sentAt(), id)
		require.NoError(t, err)
		require.NoError(t, s.Apply(got))

		want.DeliveryTag = nil
		want.Header = &amqp.MessageHeader{Durable: true, Priority: 4, TTL: time.Minute}
		to, created, expires := "orders", time.UnixMilli(sent).UTC(), time.UnixMilli(sent+60_000).UTC()
		want.Properties.MessageID, want.Properties.UserID, want.Properties.To = id.Value(), nil, &to
		want.Properties.CreationTime, want.Properties.AbsoluteExpiryTime = &created, &expires
		want.Annotations = amqp.Annotations{
			"x-opt-custom": "kept", amqp.Symbol("x-opt-symbol"): "kept", int64(7): "kept",
			"x-opt-jms-msg-type": int8(5), "x-opt-jms-reply-to": int8(1), "x-opt-reply-type": "topic",
			"x-opt-jms-dest": int8(0),
		}
		maps.Copy(want.Annotations, delay)
		if form == DelayProperty {
			want.ApplicationProperties["AMQ_SCHEDULED_DELAY"] = int64(5000)
		}
		require.Equal(t, want, got, "%v", form)
	}

	// Without a destination, an expiration and a timestamp those of the earlier send go all the same.
	m := full()
	s, err := Producer{NoTimestamp: true}.Stamp(sentAt(), ID{})
	require.NoError(t, err)
	require.NoError(t, s.Apply(m))
	require.Nil(t, m.Properties.To)
	require.Nil(t, m.Properties.CreationTime)
	require.Nil(t, m.Properties.AbsoluteExpiryTime)
	require.NotContains(t, m.Annotations, "x-opt-jms-dest")
	require.NotContains(t, m.Annotations, amqp.Symbol("x-opt-jms-dest"))
}

// A delay of an earlier send is gone after the next, whatever the forms of the two.
func TestApplyLeavesNoDelay(t *testing.T) {
	for _, before := range []DelayForm{DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty} {
		for _, form := range forms() {
			for _, delay := range []time.Duration{0, time.Second} {
				if delay > 0 && form.unfit(true, "", "") != nil {
					continue
				}
				what := fmt.Sprintf("%v, then %v by %v", before, delay, form)
				var m amqp.Message
				_, err := Producer{Peer: delaying(before), DeliveryDelay: time.Hour}.Prepare(&m, sentAt())
				require.NoError(t, err, what)
				_, err = Producer{Peer: delaying(form), DeliveryDelay: delay}.Prepare(&m, sentAt())
				if before == DelayProperty && form != DelayProperty {
					// In another form the property is the application's own.
					require.Equal(t, delay > 0, err != nil, what)
					require.Equal(t, map[string]any{"AMQ_SCHEDULED_DELAY": int64(3_600_000)}, m.ApplicationProperties, what)
					continue
				}
				require.NoError(t, err, what)
				raw, err := m.MarshalBinary()
				require.NoError(t, err, what)
				for name, has := range map[string]bool{
					"x-opt-delivery-time":          form == DelayAbsolute,
					"x-opt-delivery-delay":         form == DelayRelative,
					"x-opt-scheduled-enqueue-time": form == DelayEnqueueTime,
					"AMQ_SCHEDULED_DELAY":          form == DelayProperty,
				} {
					require.Equal(t, has && delay > 0, strings.Contains(string(raw), name), "%s: %s", what, name)
				}
			}
		}
	}
}

// AMQ_SCHEDULED_DELAY is the producer's where that is its form, and otherwise the application's.
func TestApplyScheduledDelay(t *testing.T) {
	const name = "AMQ_SCHEDULED_DELAY"
	for _, row := range []struct {
		rule   string
		form   DelayForm
		delay  time.Duration
		before map[string]any
		after  map[string]any
		err    string
	}{
		{"replaced", DelayProperty, time.Second, map[string]any{name: int32(1), "a": "b"}, map[string]any{name: int64(1000), "a": "b"}, ""},
		{"removed where there is no delay", DelayProperty, 0, map[string]any{name: int32(1), "a": "b"}, map[string]any{"a": "b"}, ""},
		{"set", DelayProperty, time.Second, nil, map[string]any{name: int64(1000)}, ""},
		{"nothing to do", DelayProperty, 0, nil, nil, ""},
		{"an ordinary property", DelayAbsolute, 0, map[string]any{name: "text"}, map[string]any{name: "text"}, ""},
		{"an ordinary property", DelayUnset, 0, map[string]any{name: "text"}, map[string]any{name: "text"}, ""},
		{"an ordinary property", DelayNone, 0, map[string]any{name: "text"}, map[string]any{name: "text"}, ""},
		{"a second delay", DelayAbsolute, time.Second, map[string]any{name: int64(1)}, map[string]any{name: int64(1)},
			`amqpjms: property "AMQ_SCHEDULED_DELAY": conflicts with the delay in x-opt-delivery-time`},
		{"a second delay", DelayRelative, time.Second, map[string]any{name: int64(1)}, map[string]any{name: int64(1)},
			`amqpjms: property "AMQ_SCHEDULED_DELAY": conflicts with the delay in x-opt-delivery-delay`},
		{"a second delay, null or not", DelayEnqueueTime, time.Second, map[string]any{name: nil}, map[string]any{name: nil},
			`amqpjms: property "AMQ_SCHEDULED_DELAY": conflicts with the delay in x-opt-scheduled-enqueue-time`},
	} {
		m := amqp.Message{ApplicationProperties: row.before}
		_, err := Producer{Peer: delaying(row.form), DeliveryDelay: row.delay}.Prepare(&m, sentAt())
		if row.err == "" {
			require.NoError(t, err, row.rule)
		} else {
			wantValueError(t, err, row.err)
		}
		require.Equal(t, row.after, m.ApplicationProperties, "%s: %v by %v", row.rule, row.delay, row.form)
	}
}

// A correlation id that ids cannot be is as wrong at send as where it is set.
func TestApplyCorrelationID(t *testing.T) {
	for _, row := range []struct {
		id  any
		err string
	}{
		{1, `of type int: want string, uint64, amqp.UUID, uuid.UUID or []byte`},
		{int32(1), `of type int32: want string, uint64, amqp.UUID, uuid.UUID or []byte`},
		{amqp.Symbol("a"), `of type encoding.Symbol: want string, uint64, amqp.UUID, uuid.UUID or []byte`},
		{"a\xff", `"a\xff": not valid UTF-8`},
		{nil, ""}, {"a", ""}, {uint64(1), ""}, {amqp.UUID{1}, ""}, {[]byte{1}, ""},
	} {
		m := &amqp.Message{Properties: &amqp.MessageProperties{CorrelationID: row.id}, DeliveryTag: []byte{1}}
		_, err := Producer{}.Prepare(m, sentAt())
		require.Equal(t, row.id, m.Properties.CorrelationID)
		if row.err != "" {
			wantValueError(t, err, "amqpjms: correlation-id "+row.err)
			require.Equal(t, []byte{1}, m.DeliveryTag)
			continue
		}
		require.NoError(t, err)
		require.Nil(t, m.DeliveryTag)
	}
}

// Nothing of a message changes on error.
func TestPrepareErrors(t *testing.T) {
	for _, row := range badProducers() {
		m := full()
		shallow := *m
		got, err := row.p.Prepare(m, row.now)
		wantValueError(t, err, "amqpjms: "+row.err)
		require.Zero(t, got, row.rule)
		require.Equal(t, full(), m, row.rule)
		require.Same(t, shallow.Header, m.Header, row.rule)
		require.Same(t, shallow.Properties, m.Properties, row.rule)
	}
	m, want := full(), full()
	m.ApplicationProperties["AMQ_SCHEDULED_DELAY"], want.ApplicationProperties["AMQ_SCHEDULED_DELAY"] = int64(1), int64(1)
	_, err := Producer{Peer: Artemis(), DeliveryDelay: time.Second}.Prepare(m, sentAt())
	wantValueError(t, err, `amqpjms: property "AMQ_SCHEDULED_DELAY": conflicts with the delay in x-opt-delivery-time`)
	require.Equal(t, want, m)
}

// A stamp that a wrapper made or changed does not lose its delay in silence.
func TestApplyErrors(t *testing.T) {
	for _, row := range []struct {
		stamp Stamp
		err   string
	}{
		{Stamp{DeliveryDelay: 1, Timestamp: 1}, "amqpjms: delivery delay 1ms: the peer's form of delay is not set (Stamp.Peer)"},
		{Stamp{DeliveryDelay: 5000, Timestamp: 1, Peer: delaying(DelayNone)}, "amqpjms: delivery delay 5000ms: the peer cannot delay (Stamp.Peer)"},
		{Stamp{DeliveryDelay: math.MaxInt64, Peer: delaying(DelayRelative)}, "amqpjms: delivery delay 9223372036854775807ms: x-opt-delivery-delay needs a timestamp (Stamp.Timestamp)"},
	} {
		m := full()
		wantValueError(t, row.stamp.Apply(m), row.err)
		require.Equal(t, full(), m)
	}
}

// What two messages share is not written into.
func TestApplyShared(t *testing.T) {
	for _, form := range forms() {
		other := full()
		m := *other
		p := Producer{Peer: delaying(form), Destination: Destination{Kind: Queue, Name: "orders"}, UserID: "alice", TimeToLive: time.Minute}
		if form.unfit(true, "", "") == nil {
			p.DeliveryDelay = time.Second
		}
		_, err := p.Prepare(&m, sentAt())
		require.NoError(t, err)
		require.Equal(t, full(), other, "%v", form)
		require.NotEqual(t, full(), &m)

		// Nor do two sends of one stamp share anything.
		var a, b amqp.Message
		s, err := p.Stamp(sentAt(), ID{})
		require.NoError(t, err)
		require.NoError(t, s.Apply(&a))
		require.NoError(t, s.Apply(&b))
		a.Annotations["x-opt-custom"] = "a"
		*a.Properties.To, a.Properties.UserID[0] = "elsewhere", 'A'
		*a.Properties.CreationTime = time.Time{}
		require.NotContains(t, b.Annotations, "x-opt-custom")
		require.Equal(t, "orders", *b.Properties.To)
		require.Equal(t, "alice", string(b.Properties.UserID))
		require.Equal(t, time.UnixMilli(sent).UTC(), *b.Properties.CreationTime)
	}
}

// A received message that is sent on is a new message in all that a producer sets, and in nothing else.
func TestPrepareReceived(t *testing.T) {
	wire := encoded(t, `
		00 53 70 c0 0c 05 41 50 09 70 0000ea60 41 52 04
		00 53 72 c1 6e 0a
			a3 0c "x-opt-custom" a1 01 "v" a3 0e "x-opt-jms-dest" 51 01 a3 12 "x-opt-jms-reply-to" 51 02
			a3 12 "x-opt-jms-msg-type" 51 05 a3 13 "x-opt-delivery-time" 81 000003bb2cc3d800
		00 53 73 c0 62 0d
			80 000000000000002a a0 05 "alice" a1 04 "orig" a1 01 "t" a1 05 "reply" 98 0f1e2d3c4b5a69788796a5b4c3d2e1f0
			a3 0a "text/plain" a3 04 "gzip" 83 000003bb2cc3d800 83 0000018bcfe56800 a1 01 "g" 70 80000005 a1 02 "rg"
		00 53 74 c1 06 02 a1 01 "p" 54 01
		00 53 77 a1 05 "hello"
		00 53 78 c1 0d 02 a3 07 "x-opt-f" a1 01 "v"`)
	var m amqp.Message
	require.NoError(t, m.UnmarshalBinary(wire))
	s, err := Producer{Destination: Destination{Kind: Queue, Name: "onward"}}.Prepare(&m, sentAt())
	require.NoError(t, err)
	got, err := m.MarshalBinary()
	require.NoError(t, err)

	var before, after RawMessage
	require.NoError(t, before.Parse(wire))
	require.NoError(t, after.Parse(got))
	require.Equal(t, Header{Mode: Persistent}, after.Header, "a fresh header")
	created := value(t, `83 000001a22d1b6481`)
	changed := map[PropertiesField][]byte{
		FieldMessageID: s.MessageID.AppendTo(nil), FieldUserID: nil, FieldTo: value(t, `a1 06 "onward"`),
		FieldAbsoluteExpiryTime: nil, FieldCreationTime: created,
	}
	for f := range PropertiesField(propertiesFields) {
		want, ok := changed[f]
		if !ok {
			v, err := before.Property(f)
			require.NoError(t, err)
			require.NotNil(t, v, f)
			want = v
		}
		v, err := after.Property(f)
		require.NoError(t, err)
		require.Equal(t, RawValue(want), v, "%v", f)
	}
	for name, want := range map[string]string{
		"x-opt-custom": `a1 01 "v"`, "x-opt-jms-dest": "51 00", "x-opt-jms-reply-to": "51 02", "x-opt-jms-msg-type": "51 05",
		"x-opt-delivery-time": "",
	} {
		v, err := after.Annotation(name)
		require.NoError(t, err)
		require.Equal(t, value(t, want), v, name)
	}
	v, err := after.ApplicationProperty("p")
	require.NoError(t, err)
	require.Equal(t, RawValue{0x54, 1}, v)
	require.Equal(t, encoded(t, `00 53 77 a1 05 "hello" 00 53 78 d1 00000010 00000002 a3 07 "x-opt-f" a1 01 "v"`), after.Body)
}

// What a node passes on, byte for byte. The header is that of the next hop, the rest of the message is as it was but for
// what asks for a delay.
func TestForwarder(t *testing.T) {
	const (
		created  = `00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481`
		other    = `a3 05 "x-opt" 41`
		absolute = `a3 13 "x-opt-delivery-time" 81 000001a22d1b7809` // sent + 5000
		relative = `a3 14 "x-opt-delivery-delay" 71 00001388`
		enqueue  = `a3 1c "x-opt-scheduled-enqueue-time" 83 000001a22d1b7809`
		property = `a1 13 "AMQ_SCHEDULED_DELAY" 71 00001388`
		region   = `a1 06 "region" a1 05 "north"`
		body     = `00 53 75 a0 02 0102 00 53 75 a0 01 03 00 53 78 c1 08 02 a3 02 "ff" a1 01 "v"`
		// As AMQP writes a header that states nothing but durable.
		notDurable, durable = `00 53 70 c0 02 01 42`, `00 53 70 c0 02 01 41`
	)
	early, due := time.UnixMilli(sent+4999), time.UnixMilli(sent+5000)
	for _, row := range []struct {
		rule      string
		f         Forwarder
		now       time.Time
		msg, want string
		err       string
	}{
		{"an empty message gets a header", Forwarder{}, due, ``, notDurable, ""},
		{"of the node's default", Forwarder{NodeDefault: Persistent}, due, ``, durable, ""},
		{"durable that is stated stays", Forwarder{NodeDefault: Persistent}, due, `00 53 70 c0 02 01 42`, notDurable, ""},
		{"priority and ttl stay, first-acquirer and delivery-count go", Forwarder{}, due,
			`00 53 70 c0 09 05 41 50 09 52 c8 41 52 04`, `00 53 70 c0 06 03 41 50 09 52 c8`, ""},
		{"a priority that is not stated is not stated", Forwarder{}, due,
			`00 53 70 c0 05 03 41 40 52 c8`, `00 53 70 c0 05 03 41 40 52 c8`, ""},
		{"delivery annotations go, all else stays", Forwarder{}, due,
			`00 53 71 c1 08 02 a3 02 "da" a1 01 "v" 00 53 72 c1 09 02` + other + created + `00 53 74 c1 10 02` + region + body,
			notDurable + `00 53 72 c1 09 02` + other + created + `00 53 74 c1 10 02` + region + body, ""},
		{"sections stay as they are encoded", Forwarder{}, due,
			`00 80 0000000000000072 d1 00000004 00000000 00 a3 14 "amqp:properties:list" 45 00 53 74 d1 00000004 00000000 00 53 77 40`,
			notDurable + `00 80 0000000000000072 d1 00000004 00000000 00 a3 14 "amqp:properties:list" 45 00 53 74 d1 00000004 00000000 00 53 77 40`, ""},
		{"what is no body is not looked at", Forwarder{}, due, created + `00 53 77 ff`, notDurable + created + `00 53 77 ff`, ""},
		{"nor what no delay counts from", Forwarder{}, due, `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`, notDurable + `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`, ""},

		{"an absolute time stays until it is due", Forwarder{}, early,
			`00 53 72 c1 27 04` + other + absolute + created + body, notDurable + `00 53 72 c1 27 04` + other + absolute + created + body, ""},
		{"and after", Forwarder{}, due,
			`00 53 72 c1 27 04` + other + absolute + created + body, notDurable + `00 53 72 c1 27 04` + other + absolute + created + body, ""},
		{"where it stands, as it is encoded", Forwarder{}, due,
			`00 80 0000000000000072 d1 0000002a 00000004` + absolute + other + created, notDurable + `00 80 0000000000000072 d1 0000002a 00000004` + absolute + other + created, ""},
		{"a time in the past stays", Forwarder{To: RabbitMQ()}, early, `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 55 01` + created,
			notDurable + `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 55 01` + created, ""},
		{"as a long, which brokers schedule by", Forwarder{}, due, `00 53 72 c1 27 04 a3 13 "x-opt-delivery-time" 83 000001a22d1b7809` + other,
			notDurable + `00 53 72 c1 27 04` + absolute + other, ""},
		{"a relative delay becomes the absolute time", Forwarder{}, early,
			`00 53 72 c1 24 04` + relative + other + created + body, notDurable + `00 53 72 c1 27 04` + other + absolute + created + body, ""},
		{"whatever the next peer likes", Forwarder{To: delaying(DelayRelative)}, early,
			`00 53 72 c1 1c 02` + relative + created, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"whatever the next peer likes", Forwarder{To: delaying(DelayProperty)}, early,
			`00 53 72 c1 1c 02` + relative + created, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"due or not", Forwarder{}, due,
			`00 53 72 c1 24 04` + relative + other + created + body, notDurable + `00 53 72 c1 27 04` + other + absolute + created + body, ""},
		{"an enqueue time becomes the absolute time", Forwarder{}, early,
			`00 53 72 c1 28 02` + enqueue + created, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"the absolute time becomes an enqueue time for who knows that", Forwarder{To: ServiceBus()}, early,
			`00 53 72 c1 1f 02` + absolute + created, notDurable + `00 53 72 c1 28 02` + enqueue + created, ""},
		{"due or not", Forwarder{To: ServiceBus()}, due,
			`00 53 72 c1 1f 02` + absolute + created, notDurable + `00 53 72 c1 28 02` + enqueue + created, ""},
		{"of several forms one is left", Forwarder{}, early,
			`00 53 72 c1 69 08` + enqueue + relative + other + absolute + created, notDurable + `00 53 72 c1 27 04` + other + absolute + created, ""},
		{"due or not", Forwarder{}, due,
			`00 53 72 c1 69 08` + enqueue + relative + other + absolute + created, notDurable + `00 53 72 c1 27 04` + other + absolute + created, ""},
		{"null forms go too", Forwarder{}, early, `00 53 72 c1 1f 04 a3 13 "x-opt-delivery-time" 40` + other + created,
			notDurable + `00 53 72 c1 09 02` + other + created, ""},
		{"no annotations are left: no section", Forwarder{}, early, `00 53 72 c1 17 02 a3 13 "x-opt-delivery-time" 40` + created, notDurable + created, ""},
		{"keys that are no symbols stay", Forwarder{}, due,
			`00 53 72 c1 1a 04 53 07 40 a1 13 "x-opt-delivery-time" 41`, notDurable + `00 53 72 c1 1a 04 53 07 40 a1 13 "x-opt-delivery-time" 41`, ""},

		{"a property is the application's", Forwarder{}, early, created + `00 53 74 c1 1b 02` + property, notDurable + created + `00 53 74 c1 1b 02` + property, ""},
		{"but not of a peer that takes it for its delay", Forwarder{From: delaying(DelayProperty)}, early,
			created + `00 53 74 c1 2a 04` + property + region, notDurable + `00 53 72 c1 1f 02` + absolute + created + `00 53 74 c1 10 02` + region, ""},
		{"due or not", Forwarder{From: delaying(DelayProperty)}, due,
			created + `00 53 74 c1 2a 04` + region + property, notDurable + `00 53 72 c1 1f 02` + absolute + created + `00 53 74 c1 10 02` + region, ""},
		{"and the section with it", Forwarder{From: delaying(DelayProperty)}, due, created + `00 53 74 c1 1b 02` + property + body,
			notDurable + `00 53 72 c1 1f 02` + absolute + created + body, ""},
		{"and where another form counts", Forwarder{From: delaying(DelayProperty)}, early,
			`00 53 72 c1 1f 02` + absolute + created + `00 53 74 c1 1b 02` + property, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"other properties stay", Forwarder{From: delaying(DelayProperty)}, due, created + `00 53 74 c1 10 02` + region, notDurable + created + `00 53 74 c1 10 02` + region, ""},

		{"as they are encoded", Forwarder{From: delaying(DelayProperty)}, due, `00 53 74 d1 00000013 00000002` + region, notDurable + `00 53 74 d1 00000013 00000002` + region, ""},

		{"the next peer cannot delay", Forwarder{To: RabbitMQ()}, early, `00 53 72 c1 1c 02` + relative + created, "",
			`delivery time 1796053104649: requested by x-opt-delivery-delay, not due, and the peer cannot delay (Forwarder.To)`},
		{"nor until a time", Forwarder{To: RabbitMQ()}, early, `00 53 72 c1 1f 02` + absolute, "",
			`delivery time 1796053104649: requested by x-opt-delivery-time, not due, and the peer cannot delay (Forwarder.To)`},
		{"nor by the time to enqueue", Forwarder{To: RabbitMQ()}, early, `00 53 72 c1 28 02` + enqueue, "",
			`delivery time 1796053104649: requested by x-opt-scheduled-enqueue-time, not due, and the peer cannot delay (Forwarder.To)`},
		{"nor by a property", Forwarder{From: delaying(DelayProperty), To: RabbitMQ()}, early, created + `00 53 74 c1 1b 02` + property, "",
			`delivery time 1796053104649: requested by AMQ_SCHEDULED_DELAY, not due, and the peer cannot delay (Forwarder.To)`},
		{"and need not when it is due", Forwarder{To: RabbitMQ()}, due, `00 53 72 c1 1c 02` + relative + created, notDurable + `00 53 72 c1 1f 02` + absolute + created, ""},
		{"a relative delay without beginning", Forwarder{}, early, `00 53 72 c1 1c 02` + relative, "",
			`x-opt-delivery-delay 5000: the creation-time that it counts from is missing`},
		{"a relative delay from what is cut off", Forwarder{}, early, `00 53 72 c1 1c 02` + relative + `00 53 73 c0 0b 0a 40 40 40 40 40 40 40 40 40 83`, "",
			`creation-time at byte 49: unexpected EOF`},
		{"cut off behind the delay", Forwarder{}, early, `00 53 72 c1 1a 04 a3 13 "x-opt-delivery-time" 55 01 a3 05`, "",
			`message-annotations at byte 31: unexpected EOF`},
		{"left over behind the delay", Forwarder{}, early, `00 53 72 c1 19 02 a3 13 "x-opt-delivery-time" 55 01 40`, "",
			`message-annotations at byte 29: unexpected trailing data (1 byte)`},
		{"a delay that cannot be read", Forwarder{}, early, `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 56 02`, "",
			`x-opt-delivery-time boolean: want an integer up to 2^63-1 or a timestamp`},
		{"no message", Forwarder{}, early, `00 53 79 40`, "", `message at byte 0: unknown section descriptor 0x79`},
		{"annotations cut off", Forwarder{}, early, `00 53 72 c1 03 02 a3 13`, "", `message-annotations at byte 8: unexpected EOF`},
		{"annotations left over", Forwarder{}, early, `00 53 72 c1 02 00 40`, "", `message-annotations at byte 6: unexpected trailing data (1 byte)`},
		{"properties of a peer cut off", Forwarder{From: delaying(DelayProperty)}, early, `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 55 01 00 53 74 c1 03 02 a1 13`, "",
			`application-properties at byte 37: unexpected EOF`},
	} {
		msg, prefix := encoded(t, row.msg), []byte("prefix")
		before := slices.Clone(msg)
		got, err := row.f.Append(prefix, msg, row.now)
		require.Equal(t, before, msg, "%s: the message", row.rule)
		if row.err != "" {
			require.EqualError(t, err, "amqpjms: "+row.err, row.rule)
			require.Equal(t, "prefix", string(got), "%s: dst is as it was", row.rule)
			continue
		}
		require.NoError(t, err, row.rule)
		require.Equal(t, hex.EncodeToString([]byte("prefix"))+hex.EncodeToString(encoded(t, row.want)), hex.EncodeToString(got), "%s: %+v", row.rule, row.f)
	}
}

// A delay is served once in a chain of brokers, in whatever form it was asked for, and the delivery time is the same at
// all that have the message before.
func TestForwardChain(t *testing.T) {
	for _, form := range []DelayForm{DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty} {
		var m amqp.Message
		p := Producer{Peer: delaying(form), DeliveryDelay: 5 * time.Second, TimeToLive: time.Minute}
		s, err := p.Prepare(&m, sentAt())
		require.NoError(t, err)
		at, err := m.MarshalBinary()
		require.NoError(t, err)

		// Three nodes that only pass it on, a second each, and each of another mind about delays.
		hops := []Peer{p.Peer, delaying(DelayRelative), ServiceBus(), Artemis()}
		now := sentAt()
		for i := range hops[1:] {
			now = now.Add(time.Second)
			at, err = Forwarder{From: hops[i], To: hops[i+1]}.Append(nil, at, now)
			require.NoError(t, err, "%v, hop %d", form, i)
			var raw RawMessage
			require.NoError(t, raw.Parse(at))
			got, err := Consumer{}.ViewRaw(&raw, sentAt()).DeliveryTime()
			require.NoError(t, err)
			require.Equal(t, s.DeliveryTime, got, "%v, hop %d", form, i)
			request, err := raw.DelayRequest(now)
			require.NoError(t, err)
			require.False(t, request.Due(now), "%v, hop %d", form, i)
			require.Contains(t, []DelayForm{DelayAbsolute, DelayEnqueueTime}, request.Form, "%v, hop %d: never to be served from the start", form, i)
			require.NotContains(t, string(at), "AMQ_SCHEDULED_DELAY")
		}

		// The last one schedules it, and then nobody does again; the delivery time stays.
		now = time.UnixMilli(s.DeliveryTime)
		served, err := Forwarder{From: Artemis(), To: RabbitMQ()}.Append(nil, at, now)
		require.NoError(t, err)
		var raw RawMessage
		require.NoError(t, raw.Parse(served))
		request, err := raw.DelayRequest(time.Time{})
		require.NoError(t, err)
		require.Equal(t, DelayRequest{DelayAbsolute, s.DeliveryTime}, request, form)
		require.True(t, request.Due(now), form)
		require.Nil(t, raw.ApplicationProperties, "%v: what the property came with is gone", form)
		require.Equal(t, s.Header.TTL, raw.Header.TTL, "%v: the ttl stays", form)
		expires, err := Consumer{}.ViewRaw(&raw, now).Expiration()
		require.NoError(t, err)
		require.Equal(t, s.Expiration, expires, form)

		again, err := Forwarder{}.Append(nil, served, now)
		require.NoError(t, err)
		require.Equal(t, served, again, "%v: passing on once more changes nothing", form)
	}
}

// Passing on keeps the bare message and what the header states, leaves no delay that is due, and changes nothing the
// second time.
func FuzzForward(f *testing.F) {
	i := 0
	seed(f, func(wire []byte) {
		f.Add(wire, int64(1700000000000), byte(i%8), byte(i/8%8))
		i++
	})
	for _, form := range []DelayForm{DelayAbsolute, DelayRelative, DelayEnqueueTime, DelayProperty} {
		var m amqp.Message
		if _, err := (Producer{Peer: delaying(form), DeliveryDelay: time.Hour}).Prepare(&m, sentAt()); err != nil {
			f.Fatal(err)
		}
		wire, err := m.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire, int64(sent), byte(form), byte(0))
		f.Add(wire, int64(sent), byte(form), byte(DelayEnqueueTime))
		f.Add(wire, int64(sent+time.Hour.Milliseconds()), byte(form), byte(DelayNone))
	}
	f.Fuzz(func(t *testing.T, wire []byte, now int64, from, to byte) {
		at := time.UnixMilli(now)
		forwarder := Forwarder{From: delaying(DelayForm(from)), To: delaying(DelayForm(to))}
		before := slices.Clone(wire)
		got, err := forwarder.Append([]byte{1, 2}, wire, at)
		require.Equal(t, before, wire)
		require.Equal(t, []byte{1, 2}, got[:2])
		if err != nil {
			require.Len(t, got, 2)
			return
		}
		got = got[2:]
		var in, out RawMessage
		require.NoError(t, in.Parse(wire))
		require.NoError(t, out.Parse(got))
		require.Equal(t, in.Properties, out.Properties)
		require.Equal(t, in.Body, out.Body)
		require.Nil(t, out.DeliveryAnnotations)
		h := in.Header.Explicit(NonPersistent)
		require.Equal(t, Header{Mode: h.Mode, Priority: h.Priority, TTL: h.TTL}, out.Header)
		if forwarder.From.Delay == DelayProperty {
			v, err := out.ApplicationProperty(propertyScheduledDelay)
			if err == nil { // as it is unless a key is no string
				require.Nil(t, v)
			}
		} else {
			require.Equal(t, in.ApplicationProperties, out.ApplicationProperties)
		}
		require.Equal(t, otherAnnotations(t, &in), otherAnnotations(t, &out))

		var left delays
		require.NoError(t, out.readDelays(&left, false, false))
		request, err := left.request(Opt[int64]{})
		require.NoError(t, err)
		if request.Form == DelayUnset {
			require.Nil(t, delayForm(t, &in, forwarder.From))
		} else {
			asked, err := Consumer{Peer: forwarder.From}.ViewRaw(&in, sentAt()).DeliveryTime()
			require.NoError(t, err)
			want := DelayAbsolute
			if forwarder.To.Delay == DelayEnqueueTime {
				want = DelayEnqueueTime
			}
			require.Equal(t, DelayRequest{want, asked}, request)
			require.True(t, forwarder.To.Delay != DelayNone || request.Due(at))
		}

		again, err := Forwarder{To: forwarder.To}.Append(nil, got, at)
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

// delayForm returns the values of all forms of delay that a message has from a peer, as they are encoded.
func delayForm(t *testing.T, m *RawMessage, from Peer) (values []RawValue) {
	for _, name := range []string{"x-opt-delivery-time", "x-opt-delivery-delay", "x-opt-scheduled-enqueue-time"} {
		v, err := m.Annotation(name)
		require.NoError(t, err)
		if v != nil {
			values = append(values, v)
		}
	}
	if from.Delay == DelayProperty {
		if v, err := m.ApplicationProperty("AMQ_SCHEDULED_DELAY"); err == nil && v != nil {
			values = append(values, v)
		}
	}
	return values
}

// otherAnnotations returns the pairs of the message annotations that ask for no delay, as they are encoded.
func otherAnnotations(t *testing.T, m *RawMessage) (pairs [][]byte) {
	if m.MessageAnnotations == nil {
		return nil
	}
	r := wire.NewReader(m.MessageAnnotations)
	r.Descriptor()
	_, n := r.Map()
	for range n {
		start := r.Offset()
		key := RawValue(r.Value())
		r.Skip()
		name, _ := key.text(wire.Symbol)
		switch string(name) {
		case "x-opt-delivery-time", "x-opt-delivery-delay", "x-opt-scheduled-enqueue-time":
		default:
			pairs = append(pairs, r.Since(start))
		}
	}
	require.Nil(t, r.Err())
	return pairs
}

// must returns a value that cannot be an error here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A reply owes its request the address, the correlation and the group.
func TestAnswer(t *testing.T) {
	const (
		grouped = "005370c0020141005373c0200da1026d31404040a1077265706c69657340404040404040a106736573732d39005375a00171"
		symbol  = "005370c0020141005373c0200da1026d31404040a3077265706c69657340404040404040a306736573732d39005375a00171"
		number  = "005370c0020141005373c01a0da1026d31404040a1077265706c696573404040404040405207005375a00171"
	)
	want := Answer{
		CorrelationID: must(ParseID("m1")),
		Destination:   Destination{Kind: Queue, Name: "replies", Address: "replies"},
		GroupID:       Some("sess-9"),
	}
	for _, wire := range []string{grouped, symbol} {
		v := viewOfBytes(t, wire)
		require.Equal(t, want, must(v.Answer(CorrelationIDFirst)))
		m, to, err := v.Reply(CorrelationIDFirst)
		require.NoError(t, err)
		require.Equal(t, want.Destination, to)
		require.Equal(t, "sess-9", *m.Properties.GroupID)
		require.Equal(t, "m1", m.Properties.CorrelationID)

		decoded, err := unmarshal(unhexed(t, wire))
		require.NoError(t, err)
		require.Equal(t, want, must(Consumer{}.View(decoded, sentAt()).Answer(CorrelationIDFirst)))
	}
	a, err := viewOfBytes(t, number).Answer(CorrelationIDFirst)
	wantWireError(t, err, "amqpjms: reply-to-group-id at byte 36: got uint, want string")
	require.Zero(t, a)
}

// viewOfBytes returns the view of an encoded message.
func viewOfBytes(t testing.TB, wire string) View {
	t.Helper()
	var m RawMessage
	require.NoError(t, m.Parse(unhexed(t, wire)))
	return Consumer{}.ViewRaw(&m, sentAt())
}

// A symbol where a string is due reads as its text, and the other way round; another type fails that field alone.
func TestTextFields(t *testing.T) {
	for _, field := range []PropertiesField{FieldTo, FieldSubject, FieldReplyTo, FieldContentType, FieldContentEncoding, FieldGroupID, FieldReplyToGroupID} {
		message := func(value string) string { // of a body of data, which tells nothing of the content-type
			fields := strings.Repeat("40", int(field)) + value
			return fmt.Sprintf("005373c0%02x%02x%s005375a00171", 1+len(fields)/2, 1+int(field), fields)
		}
		read := func(v View) []any {
			to, err1 := v.Destination()
			subject, err2 := v.Type()
			replyTo, err3 := v.ReplyTo()
			contentType, err4 := v.ContentType()
			contentEncoding, err5 := v.ContentEncoding()
			group, err6 := v.GroupID()
			replyGroup, err7 := v.ReplyToGroupID()
			return []any{Some(to.Name), err1, subject, err2, Some(replyTo.Name), err3, contentType, err4, contentEncoding, err5, group, err6, replyGroup, err7}
		}
		at := 2 * slices.Index([]PropertiesField{FieldTo, FieldSubject, FieldReplyTo, FieldContentType, FieldContentEncoding, FieldGroupID, FieldReplyToGroupID}, field)
		for _, text := range []string{"a10161", "a30161", "b10000000161", "b30000000161"} {
			wire := message(text)
			got := read(viewOfBytes(t, wire))
			require.Equal(t, Some("a"), got[at], "%v: %s", field, wire)
			require.Nil(t, got[at+1], "%v: %s", field, wire)
			m, err := unmarshal(unhexed(t, wire))
			require.NoError(t, err)
			require.Equal(t, got, read(Consumer{}.View(m, sentAt())), "%v: %s", field, wire)
		}
		for _, wrong := range []string{"5207", "a00161", "41", "45", "a101ff", "a301ff"} {
			got := read(viewOfBytes(t, message(wrong)))
			for i := 1; i < len(got); i += 2 {
				if i == at+1 {
					require.Error(t, got[i].(error), "%v: %s", field, wrong)
				} else {
					require.Nil(t, got[i], "%v: %s", field, wrong)
				}
			}
		}
		require.Equal(t, []byte("q"), must(viewOfBytes(t, message("5207")).Bytes()), "%v does not fail the body", field)
	}
}

// Encoded values read with JMS's conversions, as those of Go do.
func TestEncodedValue(t *testing.T) {
	for _, row := range []struct {
		wire, typ, text, long, double string
		raw                           any
	}{
		{"41", "boolean", "true", "-", "-", true},
		{"50ff", "ubyte", "255", "255", "-", uint8(255)},
		{"60ffff", "ushort", "65535", "65535", "-", uint16(65535)},
		{"5207", "uint", "7", "7", "-", uint32(7)},
		{"80ffffffffffffffff", "ulong", "18446744073709551615", "-", "-", uint64(math.MaxUint64)},
		{"51ff", "byte", "-1", "-1", "-", int8(-1)},
		{"618000", "short", "-32768", "-32768", "-", int16(-32768)},
		{"54ff", "int", "-1", "-1", "-", int32(-1)},
		{"818000000000000000", "long", "-9223372036854775808", "-9223372036854775808", "-", int64(math.MinInt64)},
		{"723fc00000", "float", "1.5", "-", "1.5", float32(1.5)},
		{"823ff8000000000000", "double", "1.5", "-", "1.5", 1.5},
		{"730001f600", "char", "😀", "-", "-", RawValue{0x73, 0, 1, 0xf6, 0}},
		{"7300000037", "char", "7", "7", "7.0", RawValue{0x73, 0, 0, 0, '7'}},
		{"8300000000000003e8", "timestamp", "1000", "1000", "-", time.UnixMilli(1000)},
		{"980f1e0000000000000000000000000000", "uuid", "0f1e0000-0000-0000-0000-000000000000", "-", "-", amqp.UUID{0x0f, 0x1e}},
		{"a1023432", "string", "42", "42", "42.0", "42"},
		{"a3023432", "symbol", "42", "42", "42.0", "42"},
		{"40", "null", "none", "-", "-", nil},
		{"a00101", "binary", "-", "-", "-", []byte{1}},
		{"7400000001", "decimal32", "-", "-", "-", RawValue{0x74, 0, 0, 0, 1}},
		{"45", "list", "-", "-", "-", []any{}},
		{"c10100", "map", "-", "-", "-", map[string]any{}},
		{"c10502a1016141", "map", "-", "-", "-", map[string]any{"a": true}},
		{"c105025201a000", "map", "-", "-", "-", map[any]any{uint32(1): []byte{}}},
		{"e0050350010203", "array", "-", "-", "-", []byte{1, 2, 3}},
		{"e0040254 0102", "array", "-", "-", "-", []int32{1, 2}},
		{"e00601a1 03616263", "array", "-", "-", "-", []string{"abc"}},
		{"005307 5501", "described value", "-", "-", "-", Described{uint64(7), int64(1)}},
		{"00a30161 7300000063", "described value", "-", "-", "-", Described{amqp.Symbol("a"), RawValue{0x73, 0, 0, 0, 'c'}}},
		{"005407 5501", "described value", "-", "-", "-", RawValue{0, 0x54, 7, 0x55, 1}},
		{"c00b02 7300000063 7200000000", "list", "-", "-", "-", []any{RawValue{0x73, 0, 0, 0, 'c'}, float32(0)}},
	} {
		wire := RawValue(unhexed(t, row.wire))
		v := ValueOf("p", wire)
		require.Equal(t, row.typ, v.Type(), row.wire)
		require.True(t, v.Exists(), row.wire)
		require.Equal(t, row.typ == "null", v.IsNull(), row.wire)
		require.Equal(t, row.raw, must(v.Raw()), row.wire)
		said := func(got any, err error) string {
			if err != nil {
				var e *ValueError
				require.ErrorAs(t, err, &e, row.wire)
				return "-"
			}
			if text, ok := got.(Opt[string]); ok {
				return text.Or("none")
			}
			text, err := ValueOf("", got).Text()
			require.NoError(t, err)
			return text.Or("none")
		}
		text, err := v.Text()
		require.Equal(t, row.text, said(text, err), row.wire)
		long, err := v.Long()
		require.Equal(t, row.long, said(long, err), row.wire)
		double, err := v.Double()
		require.Equal(t, row.double, said(double, err), row.wire)
		f, ok := wire.Float()
		require.Equal(t, row.typ == "float" || row.typ == "double", ok, row.wire)
		if ok {
			require.Equal(t, 1.5, f, row.wire)
		}
		if _, encoded := row.raw.(RawValue); !encoded { // as the value in Go reads
			gone := ValueOf("p", row.raw)
			text, err := gone.Text()
			require.Equal(t, row.text, said(text, err), row.wire)
			if row.typ != "symbol" && row.wire != "e0050350010203" { // which go-amqp decodes as a string, and we as bytes
				require.Equal(t, row.typ, gone.Type(), row.wire)
			}
		}
		for range 2 { // more behind it, or less of it, is no value
			v = ValueOf("p", append(wire[:len(wire):len(wire)], 0x40))
			_, err = v.Text()
			var e *ValueError
			require.ErrorAs(t, err, &e, row.wire)
			require.True(t, v.Exists() && !v.IsNull())
		}
	}
	require.Equal(t, []byte{1, 2, 3}, must(ValueOf("", RawValue{0xe0, 5, 3, 0x50, 1, 2, 3}).Bytes()))
	require.False(t, ValueOf("", RawValue(nil)).Exists())
	for _, wrong := range []string{"", "3f", "a101ff", "a301ff", "5602", "a10561", "d0", "c10301a10161", "73 0000d800"} {
		raw := RawValue(unhexed(t, wrong))
		if len(raw) == 0 {
			raw = RawValue{}
		}
		_, err := ValueOf("p", raw).Raw()
		require.Error(t, err, wrong)
	}
	deep := RawValue(bytes.Repeat([]byte{0xc0, 0xff, 1}, 200))
	for i := range deep {
		if i%3 == 1 {
			deep[i] = byte(min(255, len(deep)-i-1))
		}
	}
	_, err := ValueOf("p", deep).Raw()
	require.Error(t, err)

	raw := RawValue(unhexed(t, "a10161"))
	for what, read := range map[string]func(){
		"Bytes":     func() { _, _ = raw.Bytes() },
		"Bool":      func() { _, _ = raw.Bool() },
		"Timestamp": func() { _, _ = raw.Timestamp() },
		"Int":       func() { _, _ = raw.Int() },
		"Float":     func() { _, _ = raw.Float() },
		"two":       func() { _, _ = RawValue{0x41, 0x41}.Bool() },
	} {
		require.Zero(t, testing.AllocsPerRun(10, read), what)
	}
}

// viewFields reads every field of a view, each as its value or its error.
func viewFields(v View) map[string]any {
	fields := map[string]any{}
	field := func(name string, value any, err error) {
		if err != nil {
			value = "error"
		}
		fields[name] = value
	}
	set := func(name string, value any) { fields[name] = value }
	id := func(name string, read func() (ID, error)) { i, err := read(); field(name, i, err) }
	text := func(name string, read func() (Opt[string], error)) { s, err := read(); field(name, s, err) }
	long := func(name string, read func() (int64, error)) { n, err := read(); field(name, n, err) }
	id("MessageID", v.MessageID)
	id("CorrelationID", v.CorrelationID)
	to, err := v.Destination()
	field("Destination", to, err)
	replyTo, err := v.ReplyTo()
	field("ReplyTo", replyTo, err)
	set("DeliveryMode", v.DeliveryMode())
	set("Priority", v.Priority())
	set("Redelivered", v.Redelivered())
	set("DeliveryCount", v.DeliveryCount())
	long("Timestamp", v.Timestamp)
	long("DeliveryTime", v.DeliveryTime)
	long("Expiration", v.Expiration)
	text("Type", v.Type)
	user, err := v.UserID()
	field("UserID", user, err)
	text("GroupID", v.GroupID)
	seq, err := v.GroupSeq()
	field("GroupSeq", seq, err)
	text("ReplyToGroupID", v.ReplyToGroupID)
	text("ContentType", v.ContentType)
	text("ContentEncoding", v.ContentEncoding)
	kind, err := v.Kind()
	field("Kind", kind, err)
	annotated, err := v.AnnotatedKind()
	field("AnnotatedKind", annotated, err)
	text("Text", v.Text)
	b, err := v.Bytes()
	field("Bytes", b, err)
	m, err := v.Map()
	field("Map", m, err)
	stream, err := v.Stream()
	field("Stream", stream, err)
	object, err := v.Object()
	field("Object", object, err)
	payload, err := v.Payload()
	field("Payload", payload, err)
	answer, err := v.Answer(CorrelationIDFirst)
	field("Answer", answer, err)
	names, err := v.PropertyNames()
	field("PropertyNames", names, err)
	for i := range jmsFields {
		names = append(names, jmsFields[i].name)
	}
	for _, name := range append(names, "absent", "") {
		p := v.Property(name)
		raw, err := p.Raw()
		field("property "+name, raw, err)
		set("property "+name+" exists", p.Exists())
		text("property "+name+" as text", p.Text)
		long("property "+name+" as long", p.Long)
	}
	return fields
}

// hiddenByGoAMQP lists what the view of an encoded message shows and that of the message that go-amqp makes of it does
// not: in which fields, and in which cases.
var hiddenByGoAMQP = []struct {
	what   string
	fields []string // or what they start with
	cases  []string // nil: wherever the header does not say whether the message is durable
}{
	{"a header without durable", []string{"DeliveryMode", "property JMSDeliveryMode"}, nil},
	{"an amqp-value null", []string{"Kind", "Text", "Bytes", "Payload"}, []string{"value-null", "empty-sections", "body-value-null", "forward-value-null", "js-raw-value-null"}},
	{"an amqp-value symbol", []string{"Kind", "Text", "Object", "Payload", "PropertyNames", "property JMS_AMQP_TYPED_ENCODING"}, []string{"body-value-symbol"}},
	{"body sections that may not stand together", []string{"Kind", "Text", "Bytes", "Payload"}, []string{
		"bad-body-value-twice", "bad-body-data-and-value", "bad-body-value-and-data", "bad-body-data-and-sequence", "bad-body-sequence-and-data",
		"watermill-marshal", "watermill-marshal-metadata", "bad-body-sequence-and-value", "bad-body-data-footer-data", "body-data-then-value", "body-two-values", "bad-footer-before-body",
		"bad-footer-twice"}},
	{"a data section of null", []string{"Kind", "Bytes", "Payload"}, []string{"bad-body-data-null"}},
	{"other sections after the body", []string{"Kind", "Text", "Payload", "MessageID", "DeliveryMode", "property JMSMessageID", "property JMSDeliveryMode"}, []string{
		"bad-header-after-body", "bad-properties-after-body", "bad-application-properties-after-body",
		"bad-message-annotations-after-body", "bad-header-after-footer"}},
	{"a property whose name is a symbol", []string{"PropertyNames", "property "}, []string{"bad-application-properties-symbol-key"}},
	{"a property that is there twice", []string{"property p"}, []string{"property-duplicate-key"}},
	{"an annotation whose name is a string", []string{"DeliveryTime", "property JMSDeliveryTime"}, []string{"delivery-time-string-key"}},
	{"a described value, which is of a type without a name", []string{"Object", "property p"}, []string{"value-described-twice"}},
	{"an empty list or map", []string{"Object", "property big"}, []string{"value-list0", "value-map8-empty", "body-value-list0", "body-value-map-empty", "js-property-bigint", "mqlight-property-nested"}},
}

// The view of an encoded message is that of the message that go-amqp makes of it, field by field, but for what go-amqp
// hides.
func TestViewsAgree(t *testing.T) {
	seen, n := map[string]bool{}, 0
	eachWire(t, func(c golden.Case, encoded []byte) {
		var raw RawMessage
		if raw.Parse(encoded) != nil {
			return
		}
		m, err := unmarshal(encoded)
		if err != nil {
			return
		}
		n++
		known := func(field string) bool {
			for _, row := range hiddenByGoAMQP {
				if !slices.ContainsFunc(row.fields, func(f string) bool { return strings.HasPrefix(field, f) }) {
					continue
				}
				switch {
				case row.cases == nil && raw.HeaderSection != nil && raw.Header.Mode == ModeUnset:
					seen[row.what] = true
					return true
				case slices.Contains(row.cases, c.Name):
					seen[row.what+c.Name] = true
					return true
				}
			}
			return false
		}
		for _, consumer := range []Consumer{{}, {Peer: ActiveMQ(), Destination: Destination{Kind: Topic, Name: "news"}, NodeDefault: Persistent},
			{Peer: delaying(DelayProperty)}} {
			bytes, message := viewFields(consumer.ViewRaw(&raw, sentAt())), viewFields(consumer.View(m, sentAt()))
			for field, want := range message {
				got, ok := bytes[field]
				if (!ok || plainValue(got) != plainValue(want)) && !known(field) {
					t.Errorf("%s %s: %#v, %#v", c.At(), field, got, want)
				}
			}
		}
	})
	require.Greater(t, n, 900)
	for _, row := range hiddenByGoAMQP {
		require.True(t, row.cases != nil || seen[row.what], row.what)
		for _, name := range row.cases {
			require.True(t, seen[row.what+name], "%s: %s", row.what, name)
		}
	}
}

// plainValue returns a value as text, in which NaN is equal to itself.
func plainValue(v any) string { return fmt.Sprintf("%#v", v) }

// messageOf returns what an application has set on m.
func messageOf(t testing.TB, m *amqp.Message) Message {
	t.Helper()
	p := propertiesOf(m)
	id, err := IDFrom(p.CorrelationID)
	require.NoError(t, err)
	fields := fieldsOf(m)
	message := Message{CorrelationID: id, Type: optional(p.Subject), Body: bodyOf(m)}
	message.setFields(&fields)
	if p.ReplyTo != nil {
		message.ReplyTo = Destination{Kind: DestinationKindFrom(annotationOf(m, AnnotationReplyTo), nil), Name: "", Address: *p.ReplyTo}
	}
	for _, name := range slices.Sorted(maps.Keys(m.ApplicationProperties)) {
		message.Properties = append(message.Properties, Entry{name, m.ApplicationProperties[name]})
	}
	return message
}

// What Append writes says the same, value for value, as what Apply and go-amqp write, for every recorded send.
func TestAppend(t *testing.T) {
	n, foreign := 0, 0
	for _, c := range golden.Read(t, "testdata/qpid-jms-send/*.txt", golden.SendKeys()...) {
		m, refused := written(t, c)
		if m == nil || refused != nil || !c.Representable() {
			continue
		}
		if c.Text("set.resendMode") == "forward" { // whose annotations and footer no application sets
			foreign++
			continue
		}
		message := messageOf(t, m)
		for _, p := range c.All("set.property") {
			if p.Name == "JMS_AMQP_TTL" {
				value, _ := goValue(p.Value)
				message.Properties = append(message.Properties, Entry{p.Name, value})
			}
		}
		twice := m.Annotations != nil && annotationOf(m, "x-opt-delivery-time") != nil
		s, refused := stamped(t, c, m)
		if refused != nil {
			continue
		}
		require.False(t, twice)
		want, err := m.MarshalBinary()
		require.NoError(t, err, c.At())
		w := Editor{Peer: sentPeer(c), AnyPropertyName: strings.Contains(c.Text("set.connectionOptions"), "validatePropertyNames=false")}
		got, err := w.Append(nil, s, &message)
		require.NoError(t, err, c.At())
		again, err := w.Append([]byte("head"), s, &message)
		require.NoError(t, err, c.At())
		require.Equal(t, append([]byte("head"), got...), again, "%s: the same bytes each time, after what is there", c.At())
		requireSameMessage(t, c, want, got)
		require.LessOrEqual(t, len(got), len(want), c.At())
		n++
	}
	require.Greater(t, n, 250)
	require.Less(t, foreign, 60)
}

// requireSameMessage wants two encoded messages to have the same sections with the same values.
func requireSameMessage(t *testing.T, c golden.Case, want, got []byte) {
	t.Helper()
	var a, b RawMessage
	require.NoError(t, a.Parse(want), c.At())
	require.NoError(t, b.Parse(got), c.At())
	require.Equal(t, must(HeaderFrom(a.Header.MessageHeader())), must(HeaderFrom(b.Header.MessageHeader())), c.At())
	x, y := sectionValues(t, c, want), sectionValues(t, c, got)
	require.ElementsMatch(t, slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)), c.At())
	for name := range x {
		require.Len(t, y[name], len(x[name]), "%s: %s", c.At(), name)
		for i := range x[name] {
			require.True(t, x[name][i].Equal(y[name][i]), "%s: %s: want %v, got %v", c.At(), name, x[name][i], y[name][i])
		}
	}
}

func TestAppendRows(t *testing.T) {
	queue := Destination{Kind: Queue, Name: "q"}
	stamp := func(p Producer) Stamp {
		s, err := p.Stamp(time.UnixMilli(1000), ulongID(7))
		require.NoError(t, err)
		return s
	}
	text := func(s string) Body { return must(TextBody(s)) }
	for _, row := range []struct {
		rule string
		w    Editor
		s    Stamp
		m    Message
		want string
	}{
		{"nothing but a stamp", Editor{}, Stamp{}, Message{Body: text("t")},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 05 00 53 77 a1 01 "t"`},
		{"no annotations and no properties", Editor{}, Stamp{Peer: ServiceBus()}, Message{Body: Body{ContentType: "text/plain; charset=utf-16", Data: [][]byte{{0, 'a'}}}},
			`00 53 70 c0 02 01 41 00 53 73 c0 23 07 40 40 40 40 40 40 a3 1a "text/plain; charset=utf-16" 00 53 75 a0 02 00 61`},
		{"all that a producer says", Editor{}, stamp(Producer{Peer: Artemis(), Destination: queue, Priority: Some[uint8](9), TimeToLive: time.Hour, DeliveryDelay: time.Second, UserID: "u"}),
			Message{Body: BytesBody([]byte{1})},
			`00 53 70 c0 09 03 41 50 09 70 0036ee80` +
				`00 53 72 c1 47 06 a3 0e "x-opt-jms-dest" 51 00 a3 12 "x-opt-jms-msg-type" 51 03 a3 13 "x-opt-delivery-time" 81 00000000000007d0` +
				`00 53 73 c0 39 0a 53 07 a0 01 "u" a1 01 "q" 40 40 40 a3 18 "application/octet-stream" 40 83 000000000036f268 83 00000000000003e8` +
				`00 53 75 a0 01 01`},
		{"all that an application says", Editor{Peer: ActiveMQ()}, Stamp{}, Message{
			CorrelationID: uuidID([16]byte{1}), ReplyTo: Destination{Kind: TemporaryQueue, Name: "t"}, Type: Some(""), GroupID: Some(""), GroupSeq: Some[int32](-1),
			ReplyToGroupID: Some("r"), TTL: Some[uint32](5), Properties: []Entry{{"b", true}, {"a", nil}}, Body: NullTextBody(),
		}, `00 53 70 c0 05 03 41 40 52 05` +
			`00 53 72 c1 2d 04 a3 12 "x-opt-jms-reply-to" 51 02 a3 12 "x-opt-jms-msg-type" 51 05` +
			`00 53 73 c0 28 0d 40 40 40 a1 00 a1 01 "t" 98 01000000000000000000000000000000 40 40 40 40 a1 00 70 ffffffff a1 01 "r"` +
			`00 53 74 c1 09 04 a1 01 "b" 41 a1 01 "a" 40` +
			`00 53 77 40`},
		{"properties that are fields", Editor{}, Stamp{}, Message{GroupID: Some("x"), Properties: []Entry{
			{"JMSXGroupID", "g"}, {"JMSXGroupSeq", int8(0)}, {"JMS_AMQP_CONTENT_TYPE", "a/b"}, {"JMS_AMQP_TTL", int32(1)}}, Body: BytesBody(nil)},
			`00 53 70 c0 05 03 41 40 52 01 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 03` +
				`00 53 73 c0 13 0c 40 40 40 40 40 40 a3 03 "a/b" 40 40 40 a1 01 "g" 43 00 53 75 a0 00`},
		{"escaped names", Editor{EscapePropertyNames: true}, Stamp{}, Message{Properties: []Entry{{"a-b", int64(1)}}, Body: text("")},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 05 00 53 74 c1 0f 02 a1 0a "a_HYPHEN_b" 55 01 00 53 77 a1 00`},
		{"a delay that is a property replaces the application's", Editor{}, stamp(Producer{Peer: delaying(DelayProperty), DeliveryDelay: 1}),
			Message{Properties: []Entry{{"AMQ_SCHEDULED_DELAY", int64(9)}}, Body: text("")},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 05 00 53 73 c0 14 0a 53 07 40 40 40 40 40 40 40 40 83 00000000000003e8` +
				`00 53 74 c1 18 02 a1 13 "AMQ_SCHEDULED_DELAY" 55 01 00 53 77 a1 00`},
		{"no delay removes it", Editor{}, stamp(Producer{Peer: delaying(DelayProperty), NoTimestamp: true, NoMessageID: true}),
			Message{Properties: []Entry{{"AMQ_SCHEDULED_DELAY", int64(9)}}, Body: text("")},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 05 00 53 77 a1 00`},
		{"a body that the caller goes on with", Editor{}, Stamp{}, Message{Body: BytesBody([]byte("ab")), More: 2},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 03 00 53 73 c0 21 07 40 40 40 40 40 40 a3 18 "application/octet-stream" 00 53 75 a0 04 "ab"`},
		{"a long text that he does", Editor{}, Stamp{}, Message{Body: text(""), More: 256},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 05 00 53 77 b1 00000100`},
		{"a plain message, and what takes no null", Editor{}, Stamp{Peer: ServiceBus()}, Message{Body: PlainBody()},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 00`},
		{"a stream in its wide form", Editor{}, Stamp{}, Message{Body: must(StreamBody([]any{strings.Repeat("x", 253)}))},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 04 00 53 76 d0 00000103 00000001 a1 fd "` + strings.Repeat("x", 253) + `"`},
		{"and just in its short one", Editor{}, Stamp{}, Message{Body: must(StreamBody([]any{strings.Repeat("x", 251), nil}))},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 04 00 53 76 c0 ff 02 a1 fb "` + strings.Repeat("x", 251) + `" 40`},
		{"a map in the order of its keys", Editor{}, Stamp{}, Message{Body: must(MapBody(map[string]any{"b": int32(1), "a": []byte{}, "aa": 1.5}))},
			`00 53 70 c0 02 01 41 00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 18 06 a1 01 "a" a0 00 a1 01 "b" 54 01 a1 02 "aa" 82 3ff8000000000000`},
	} {
		got, err := row.w.Append([]byte{1}, row.s, &row.m)
		require.NoError(t, err, row.rule)
		require.Equal(t, fmt.Sprintf("% x", append([]byte{1}, encoded(t, row.want)...)), fmt.Sprintf("% x", got), row.rule)
	}

	far := time.Unix(1<<61, 0)
	for _, row := range []struct {
		rule string
		w    Editor
		s    Stamp
		m    Message
		err  string
	}{
		{"a type", Editor{}, Stamp{}, Message{Properties: []Entry{{"a", 1}}}, `property "a" of type int: want bool, int8, int16, int32, int64, float32, float64, string or nil`},
		{"text", Editor{}, Stamp{}, Message{Properties: []Entry{{"a", "\xff"}}}, `property "a" "\xff": not valid UTF-8`},
		{"a name", Editor{}, Stamp{}, Message{Properties: []Entry{{"a-b", true}}}, `property "a-b": '-' cannot be in a Java identifier`},
		{"JMS's own", Editor{}, Stamp{}, Message{Properties: []Entry{{"JMSXDeliveryCount", int32(1)}}}, `JMSXDeliveryCount 1: cannot be set or removed`},
		{"twice", Editor{}, Stamp{}, Message{Properties: []Entry{{"a", true}, {"b", true}, {"a", true}}}, `property "a": set twice`},
		{"a field twice", Editor{}, Stamp{}, Message{Properties: []Entry{{"JMSXGroupID", "a"}, {"JMSXGroupID", "b"}}}, `property "JMSXGroupID": set twice`},
		{"a delay that the producer replaces, of a wrong type", Editor{}, stamp(Producer{Peer: delaying(DelayProperty)}), Message{Properties: []Entry{{"AMQ_SCHEDULED_DELAY", struct{}{}}}},
			`property "AMQ_SCHEDULED_DELAY" of type struct {}: want bool, int8, int16, int32, int64, float32, float64, string or nil`},
		{"and of wrong text", Editor{}, stamp(Producer{Peer: delaying(DelayProperty)}), Message{Properties: []Entry{{"AMQ_SCHEDULED_DELAY", "\xff"}}},
			`property "AMQ_SCHEDULED_DELAY" "\xff": not valid UTF-8`},
		{"and twice", Editor{}, stamp(Producer{Peer: delaying(DelayProperty)}), Message{Properties: []Entry{{"AMQ_SCHEDULED_DELAY", int64(1)}, {"AMQ_SCHEDULED_DELAY", int64(1)}}},
			`property "AMQ_SCHEDULED_DELAY": set twice`},
		{"reply-to", Editor{}, Stamp{}, Message{ReplyTo: Destination{Name: "q"}}, `destination "q": kind is unknown, want queue, topic, temporary queue or temporary topic (Destination.Kind)`},
		{"type", Editor{}, Stamp{}, Message{Type: Some("\xff")}, `type "\xff": not valid UTF-8`},
		{"content type", Editor{}, Stamp{}, Message{Body: Body{ContentType: "\u00fc", Data: [][]byte{{}}}}, `content-type "ü": not ASCII`},
		{"a second delay", Editor{}, stamp(Producer{Peer: Artemis(), DeliveryDelay: time.Second}), Message{Properties: []Entry{{"AMQ_SCHEDULED_DELAY", int64(1)}}},
			`property "AMQ_SCHEDULED_DELAY": conflicts with the delay in x-opt-delivery-time`},
		{"a short ttl", Editor{}, stamp(Producer{Peer: Artemis(), DeliveryDelay: time.Second}), Message{TTL: Some[uint32](999)},
			`JMS_AMQP_TTL 999ms: shorter than the delivery delay of 1000ms`},
		{"a body of two sorts", Editor{}, Stamp{}, Message{Body: Body{Value: "a", Data: [][]byte{{}}}}, `body mixed sections: want one of Data, Sequences and Value`},
		{"a value", Editor{}, Stamp{}, Message{Body: Body{Value: []any{1i}}}, `body of type complex128: not an AMQP type`},
		{"a key", Editor{}, Stamp{}, Message{Body: Body{Value: map[any]any{1i: 1}}}, `key of the body of type complex128: not an AMQP type`},
		{"broken bytes", Editor{}, Stamp{}, Message{Body: Body{Value: RawValue{0xa1, 1}}}, `body of type RawValue: byte 2: unexpected EOF`},
		{"a time", Editor{}, Stamp{}, Message{Body: Body{Value: []any{far}}}, `body ` + far.String() + `: overflows int64 milliseconds`},
		{"a time in an array", Editor{}, Stamp{}, Message{Body: Body{Value: []time.Time{sentAt(), far}}}, `body ` + far.String() + `: overflows int64 milliseconds`},
		{"a descriptor", Editor{}, Stamp{}, Message{Body: Body{Value: Described{"a", 1}}}, `descriptor of the body string: want amqp.Symbol or uint64`},
		{"the rest of a map", Editor{}, Stamp{}, Message{Body: must(MapBody(nil)), More: 1}, `rest of the body (Message.More) 1: the body is not data, a string or a binary`},
		{"a negative rest", Editor{}, Stamp{}, Message{Body: BytesBody(nil), More: -1}, `rest of the body (Message.More) -1: negative`},
	} {
		dst := []byte{1}
		got, err := row.w.Append(dst, row.s, &row.m)
		wantValueError(t, err, "amqpjms: "+row.err)
		require.Equal(t, dst, got, row.rule)
	}
	many := Message{}
	for i := range 100 {
		many.Properties = append(many.Properties, Entry{"p" + strconv.Itoa(i), true})
	}
	_, err := Editor{}.Append(nil, Stamp{}, &many)
	require.NoError(t, err)
	many.Properties[99].Name = "p33"
	_, err = Editor{}.Append(nil, Stamp{}, &many)
	wantValueError(t, err, `amqpjms: property "p33": set twice`)
	many.Properties[99].Name = "p1"
	_, err = Editor{}.Append(nil, Stamp{}, &many)
	wantValueError(t, err, `amqpjms: property "p1": set twice`)

	var deep any = "x"
	for range 101 {
		deep = []any{deep}
	}
	_, err = Editor{}.Append(nil, Stamp{}, &Message{Body: Body{Value: deep}})
	wantValueError(t, err, `amqpjms: body string: nested too deep`)
}

// A value that is encoded already counts with what is around it: 100 levels in all are read.
func TestAppendDeepRaw(t *testing.T) {
	nest := func(n int, value []byte, around func([]byte) []byte) []byte {
		for range n {
			value = around(value)
		}
		return value
	}
	sized := func(code byte, content ...byte) []byte { // in the wide form
		return append(binary.BigEndian.AppendUint32([]byte{code}, uint32(len(content))), content...)
	}
	forms := map[string]func([]byte) []byte{
		"list":  func(v []byte) []byte { return sized(0xd0, append([]byte{0, 0, 0, 1}, v...)...) },
		"map":   func(v []byte) []byte { return sized(0xd1, append([]byte{0, 0, 0, 2, 0x40}, v...)...) },
		"array": func(v []byte) []byte { return sized(0xf0, append([]byte{0, 0, 0, 1}, v...)...) },
		"value": func(v []byte) []byte { return append([]byte{0, 0x53, 1}, v...) },
	}
	for form, around := range forms {
		for _, row := range []struct {
			levels, around int
			fits           bool
		}{{100, 0, true}, {101, 0, false}, {99, 1, true}, {100, 1, false}, {1, 99, true}, {1, 100, false}} {
			raw := RawValue(nest(row.levels, wire.AppendNull(nil), around))
			var v any = raw
			for range row.around {
				v = []any{v}
			}
			b, err := Editor{}.Append(nil, Stamp{}, &Message{Body: Body{Value: v}})
			_, changed := Change{Annotations: []Entry{{"x", raw}}}.AppendTo(nil, &RawMessage{})
			if row.levels > 100 {
				require.EqualError(t, changed, `amqpjms: message-annotations "x" of type RawValue: byte 0: nested too deep`, form)
			} else {
				require.NoError(t, changed, form)
			}
			if !row.fits {
				require.EqualError(t, err, "amqpjms: body of type RawValue: byte 0: nested too deep", "%s %v", form, row)
				continue
			}
			require.NoError(t, err, "%s %v", form, row)
			var m RawMessage
			require.NoError(t, m.Parse(b))
			_, err = Consumer{}.ViewRaw(&m, sentAt()).Body()
			require.NoError(t, err, "%s %v", form, row)
		}
	}
}

// Every value that go-amqp decodes comes back from what appendAny makes of it.
func TestAppendAny(t *testing.T) {
	for _, v := range []any{nil, true, int8(-1), int16(-300), int32(1), int32(-70000), int64(1), int64(math.MinInt64), uint8(1), uint16(2), uint32(0), uint32(255),
		uint32(256), uint64(0), uint64(255), uint64(math.MaxUint64), float32(1.5), 2.5, "", "text", strings.Repeat("x", 300), []byte{}, []byte{1}, time.UnixMilli(-5),
		amqp.UUID{1}, []any(nil), []any{nil, "a", []any{int8(1)}}, map[string]any{"a": int8(1)}, map[any]any{int8(1): "a", "b": true},
		[]bool{true, false}, []int8{1}, []int16{-1}, []int32{1, -300}, []int64{1}, []uint16{1}, []uint32{1}, []uint64{1}, []float32{1}, []float64{1},
		[]string{"a", ""}, []amqp.Symbol{"a"}, [][]byte{{1}, {2}}, []time.Time{time.UnixMilli(1).UTC()}, []amqp.UUID{{1}}, []map[any]any{{int8(1): "a"}, {}}} {
		b, err := appendAny([]byte{0, 0x53, 0x77}, "v", v, 0)
		require.NoError(t, err, "%#v", v)
		m, err := unmarshal(b)
		require.NoError(t, err, "%#v: % x", v, b)
		require.Equal(t, plainValue(v), plainValue(m.Value), "% x", b)
		ours, err := RawValue(b[3:]).decode()
		require.NoError(t, err)
		require.Equal(t, plainValue(notNilList(v)), plainValue(ours), "% x", b)
	}
	for _, wire := range []string{"e0050350010203", "00a30161 7300000063", "7300000063", "7400000001"} {
		raw := RawValue(unhexed(t, wire))
		b, err := appendAny(nil, "v", raw, 0)
		require.NoError(t, err)
		require.Equal(t, []byte(raw), b)
	}
	m, err := unmarshal(encoded(t, "00 53 77 c0 13 02 e0 05 03 50 010203 00 80 0000000000000100 41"))
	require.NoError(t, err)
	b, err := appendAny(nil, "v", m.Value, 0)
	require.NoError(t, err)
	require.Equal(t, encoded(t, "c0 13 02 e0 05 03 50 010203 00 80 0000000000000100 41"), b)
}

func notNilList(v any) any {
	if l, ok := v.([]any); ok && l == nil {
		return []any{}
	}
	return v
}

// Writing allocates nothing but what dst must grow by.
func TestAppendAllocs(t *testing.T) {
	p := Producer{Peer: Artemis(), Destination: Destination{Kind: Queue, Name: "orders"}, TimeToLive: time.Hour, DeliveryDelay: time.Second, UserID: "u"}
	m := Message{
		CorrelationID: ulongID(42), ReplyTo: Destination{Kind: Queue, Name: "replies"}, Type: Some("order"), GroupID: Some("g"), GroupSeq: Some[int32](1),
		Properties: []Entry{{"region", "north"}, {"count", int32(3)}, {"urgent", true}, {"none", nil}, {"ratio", 0.5}},
	}
	id, dst := NewID(), make([]byte, 0, 1024)
	for _, body := range []Body{BytesBody([]byte("abc")), must(TextBody("abc")), NullTextBody(), must(TextDataBody("abc")), must(StreamBody([]any{"a", int32(1)}))} {
		m.Body = body
		require.Zero(t, testing.AllocsPerRun(100, func() {
			s, err := p.Stamp(sentAt(), id)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = (Editor{}).Append(dst, s, &m); err != nil {
				t.Fatal(err)
			}
		}), body.String())
	}
}

// What a view of bytes says, written again by Append and viewed again, says the same.
func FuzzAppend(f *testing.F) {
	eachWire(f, func(_ golden.Case, encoded []byte) { f.Add(encoded) })
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var raw RawMessage
		if raw.Parse(encoded) != nil {
			return
		}
		v := Consumer{}.ViewRaw(&raw, sentAt())
		message, err := messageOfView(v)
		if err != nil {
			return
		}
		b, err := Editor{AnyPropertyName: true}.Append(nil, Stamp{Header: raw.Header}, &message)
		if err != nil {
			return // what JMS does not let an application set
		}
		var again RawMessage
		require.NoError(t, again.Parse(b), "% x", b)
		got, err := messageOfView(Consumer{}.ViewRaw(&again, sentAt()))
		require.NoError(t, err, "% x", b)
		message.Body.Annotation, got.Body.Annotation = nil, nil // which is of one type once it is sent
		if message.Body.form() == formNone {
			message.Body, got.Body = Body{}, Body{} // which is sent with a section
		}
		require.Equal(t, plainValue(message), plainValue(got), "% x", b)
	})
}

// messageOfView returns the message that a view shows, as a client library would fill it.
func messageOfView(v View) (m Message, err error) {
	var errs [6]error
	m.CorrelationID, errs[0] = v.CorrelationID()
	m.Type, errs[1] = v.Type()
	m.GroupID, errs[2] = v.GroupID()
	m.GroupSeq, errs[3] = v.GroupSeq()
	m.ReplyToGroupID, errs[4] = v.ReplyToGroupID()
	m.Body, errs[5] = v.Body()
	for name, p := range v.ApplicationProperties() {
		value, err := p.Raw()
		if err != nil {
			return Message{}, err
		}
		if setsField(Entry{Name: name}) {
			continue // the field speaks for its name
		}
		m.Properties = append(m.Properties, Entry{name, value})
	}
	for _, err := range errs {
		if err != nil {
			return Message{}, err
		}
	}
	return m, nil
}

// The zero View is that of a message that says nothing.
func TestZeroView(t *testing.T) {
	require.Equal(t, plainValue(viewFields(View{Message: &amqp.Message{}})), plainValue(viewFields(View{})))
}
