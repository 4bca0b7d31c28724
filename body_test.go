package amqpjms

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestMessageKindFrom(t *testing.T) {
	for _, row := range []struct {
		rule       string
		annotation any
		want       Opt[MessageKind]
		err        string
	}{
		{"absent", nil, Opt[MessageKind]{}, ""},
		{"null", amqp.Null{}, Opt[MessageKind]{}, ""},
		{"a byte", int8(0), Some(PlainMessage), ""},
		{"a byte", int8(1), Some(ObjectMessage), ""},
		{"a byte", int8(2), Some(MapMessage), ""},
		{"a byte", int8(3), Some(BytesMessage), ""},
		{"a byte", int8(4), Some(StreamMessage), ""},
		{"a byte", int8(5), Some(TextMessage), ""},
		{"a ubyte", uint8(5), Some(TextMessage), ""},
		{"a short", int16(5), Some(TextMessage), ""},
		{"a ushort", uint16(5), Some(TextMessage), ""},
		{"an int", int32(5), Some(TextMessage), ""},
		{"a uint", uint32(5), Some(TextMessage), ""},
		{"a long", int64(5), Some(TextMessage), ""},
		{"a ulong", uint64(5), Some(TextMessage), ""},
		{"Go's own integers", 5, Some(TextMessage), ""},
		{"Go's own integers", uint(5), Some(TextMessage), ""},
		{"out of range", int8(6), Opt[MessageKind]{}, `x-opt-jms-msg-type 6: not an integer from 0 to 5`},
		{"out of range", int8(-1), Opt[MessageKind]{}, `x-opt-jms-msg-type -1: not an integer from 0 to 5`},
		{"out of range", uint64(math.MaxUint64), Opt[MessageKind]{}, `x-opt-jms-msg-type 18446744073709551615: not an integer from 0 to 5`},
		{"out of range", uint(math.MaxUint), Opt[MessageKind]{}, fmt.Sprintf(`x-opt-jms-msg-type %d: not an integer from 0 to 5`, uint(math.MaxUint))},
		{"a string", "5", Opt[MessageKind]{}, `x-opt-jms-msg-type string: not an integer from 0 to 5`},
		{"a timestamp", time.UnixMilli(5), Opt[MessageKind]{}, `x-opt-jms-msg-type timestamp 5: not an integer from 0 to 5`},
	} {
		got, err := MessageKindFrom(row.annotation)
		require.Equal(t, row.want, got, "%s: MessageKindFrom(%v)", row.rule, row.annotation)
		if row.err == "" {
			require.NoError(t, err, row.rule)
		} else {
			wantValueError(t, err, "amqpjms: "+row.err)
		}
	}
}

func TestMessageKindNames(t *testing.T) {
	for k, want := range map[MessageKind]string{
		PlainMessage: "Message", ObjectMessage: "ObjectMessage", MapMessage: "MapMessage", BytesMessage: "BytesMessage",
		StreamMessage: "StreamMessage", TextMessage: "TextMessage", 6: "MessageKind(6)",
	} {
		require.Equal(t, want, k.String())
	}
}

// Without an annotation, the body says what kind of message it is.
func TestBodyKind(t *testing.T) {
	const java, octets = "application/x-java-serialized-object", "application/octet-stream"
	data := [][]byte{{1}}
	for _, row := range []struct {
		rule string
		b    Body
		want MessageKind
	}{
		{"no body", Body{}, BytesMessage},
		{"no body, octets", Body{ContentType: octets}, BytesMessage},
		{"no body, a Java object", Body{ContentType: java}, ObjectMessage},
		{"no body, text", Body{ContentType: "text/plain"}, TextMessage},
		{"no body, anything else", Body{ContentType: "image/png"}, PlainMessage},
		{"no body, no content type at all", Body{ContentType: "text"}, PlainMessage},
		{"data", Body{Data: data}, BytesMessage},
		{"data, octets", Body{Data: data, ContentType: octets}, BytesMessage},
		{"data, a Java object", Body{Data: data, ContentType: java}, ObjectMessage},
		{"case does not matter", Body{Data: data, ContentType: "Application/X-Java-Serialized-Object"}, ObjectMessage},
		{"data, text", Body{Data: data, ContentType: "text/csv"}, TextMessage},
		{"data, text", Body{Data: data, ContentType: `TEXT/Plain; charset="utf-8"`}, TextMessage},
		{"data, text", Body{Data: data, ContentType: "application/xml"}, TextMessage},
		{"data, text", Body{Data: data, ContentType: "application/xml-dtd"}, TextMessage},
		{"data, text", Body{Data: data, ContentType: "application/json"}, TextMessage},
		{"data, text", Body{Data: data, ContentType: "application/javascript"}, TextMessage},
		{"data, text", Body{Data: data, ContentType: "application/ecmascript"}, TextMessage},
		{"data, text", Body{Data: data, ContentType: "application/atom+xml"}, TextMessage},
		{"data, text", Body{Data: data, ContentType: "application/cloudevents+json"}, TextMessage},
		{"data, anything else", Body{Data: data, ContentType: "application/jsonp"}, BytesMessage},
		{"data, anything else", Body{Data: data, ContentType: "image/svg"}, BytesMessage},
		{"data, anything else", Body{Data: data, ContentType: "image/svg+xml"}, BytesMessage},
		{"data, no content type at all", Body{Data: data, ContentType: "text/"}, BytesMessage},
		{"text with parameters that are none", Body{Data: data, ContentType: "text/plain; charset"}, TextMessage},
		{"null", Body{Value: amqp.Null{}}, TextMessage},
		{"string", Body{Value: ""}, TextMessage},
		{"binary", Body{Value: []byte{}}, BytesMessage},
		{"symbol", Body{Value: amqp.Symbol("s")}, ObjectMessage},
		{"list", Body{Value: []any{}}, ObjectMessage},
		{"map", Body{Value: map[string]any{}}, ObjectMessage},
		{"number", Body{Value: int32(1)}, ObjectMessage},
		{"sequence", Body{Sequences: [][]any{{}}}, ObjectMessage},
		{"an annotation goes first", Body{Annotation: int8(MapMessage), Data: data}, MapMessage},
		{"whatever its type", Body{Annotation: uint64(MapMessage), Value: "text"}, MapMessage},
		{"one that says nothing is none", Body{Annotation: int8(9), Value: "text"}, TextMessage},
	} {
		require.Equal(t, row.want, row.b.Kind(), "%s: %+v.Kind()", row.rule, row.b)
	}
}

func TestBodyText(t *testing.T) {
	data := func(contentType, text string) Body {
		return Body{Annotation: int8(TextMessage), ContentType: contentType, Data: [][]byte{[]byte(text)}}
	}
	for _, row := range []struct {
		rule string
		b    Body
		want Opt[string]
		err  string
	}{
		{"a string", Body{Value: "h\u00e9"}, Some("h\u00e9"), ""},
		{"empty is not null", Body{Value: ""}, Some(""), ""},
		{"null", Body{Value: amqp.Null{}}, Opt[string]{}, ""},
		{"no body of a TextMessage is null", Body{Annotation: int8(TextMessage)}, Opt[string]{}, ""},
		{"no data is an empty text", data("", ""), Some(""), ""},
		{"UTF-8 by default", data("", "h\u00e9"), Some("h\u00e9"), ""},
		{"a byte order mark is a character", data("", "\ufeffa"), Some("\ufeffa"), ""},
		{"UTF-8", data("text/plain; charset=utf-8", "h\u00e9"), Some("h\u00e9"), ""},
		{"UTF-8", data("text/plain; charset=UTF8", "h\u00e9"), Some("h\u00e9"), ""},
		{"quoted, in any case", data(`TEXT/PLAIN; CHARSET="Utf-8"`, "h\u00e9"), Some("h\u00e9"), ""},
		{"no textual content type", data("image/png", "a"), Some("a"), ""},
		{"no content type at all", data("text", "a"), Some("a"), ""},
		{"no content type at all", data("text; charset=utf-16", "a"), Some("a"), ""},
		{"no content type at all", data("text/", "a"), Some("a"), ""},
		{"US-ASCII", data("text/plain; charset=us-ascii", "he\x7f"), Some("he\x7f"), ""},
		{"US-ASCII", data("text/plain; charset=ascii", "he"), Some("he"), ""},
		{"ISO-8859-1", data("text/plain; charset=ISO-8859-1", "h\xe9\x80"), Some("h\u00e9\u0080"), ""},
		{"ISO-8859-1", data("text/plain; charset=iso_8859-1", "\xe9"), Some("\u00e9"), ""},
		{"ISO-8859-1", data("text/plain; charset=latin1", "\xe9"), Some("\u00e9"), ""},
		{"UTF-16 is big-endian", data("text/plain; charset=utf-16", "\x00h\x00i"), Some("hi"), ""},
		{"but for a byte order mark", data("text/plain; charset=utf-16", "\xff\xfeh\x00i\x00"), Some("hi"), ""},
		{"which may say the same", data("text/plain; charset=utf-16", "\xfe\xff\x00h\x00i"), Some("hi"), ""},
		{"UTF-16BE", data("text/plain; charset=utf-16be", "\xd8\x3d\xde\x00"), Some("\U0001f600"), ""},
		{"where the byte order is named, its mark is a character", data("text/plain; charset=utf-16be", "\xfe\xff\x00h"), Some("\ufeffh"), ""},
		{"and so is the wrong one", data("text/plain; charset=utf-16be", "\xff\xfe\x00h"), Some("\ufffeh"), ""},
		{"UTF-16LE", data("text/plain; charset=utf-16le", "\x3d\xd8\x00\xde"), Some("\U0001f600"), ""},
		{"U+FFFD is a character", data("text/plain; charset=utf-16be", "\xff\xfd"), Some("\ufffd"), ""},
		{"sections are joined before", Body{ContentType: "text/plain", Data: [][]byte{{0xc3}, {0xa9}}}, Some("\u00e9"), ""},

		{"not UTF-8", Body{Value: "a\xff"}, Opt[string]{}, `text "a\xff": not valid UTF-8`},
		{"not UTF-8", data("", "a\xff"), Opt[string]{}, `text "a\xff": not valid UTF-8`},
		{"a surrogate is not UTF-8", data("", "\xed\xa0\x80"), Opt[string]{}, `text "\xed\xa0\x80": not valid UTF-8`},
		{"not US-ASCII", data("text/plain; charset=us-ascii", "h\xe9"), Opt[string]{}, `text "h\xe9": not valid US-ASCII`},
		{"not US-ASCII", data("text/plain; charset=us-ascii", "\x80"), Opt[string]{}, `text "\x80": not valid US-ASCII`},
		{"half a unit", data("text/plain; charset=utf-16", "\x00h\x00"), Opt[string]{}, `text "\x00h\x00": not valid UTF-16`},
		{"half a pair", data("text/plain; charset=utf-16le", "\x3d\xd8"), Opt[string]{}, `text "=\xd8": not valid UTF-16LE`},
		{"no pair", data("text/plain; charset=utf-16be", "\xd8\x3d\x00a"), Opt[string]{}, `text "\xd8=\x00a": not valid UTF-16BE`},
		{"the wrong half first", data("text/plain; charset=utf-16be", "\xde\x00\xd8\x3d"), Opt[string]{}, `text "\xde\x00\xd8=": not valid UTF-16BE`},
		{"another charset", data("text/plain; charset=koi8-r", "a"), Opt[string]{}, `charset "koi8-r": none of UTF-8, US-ASCII, ISO-8859-1 and UTF-16`},
		{"parameters that are none", data("text/plain; charset", "a"), Opt[string]{}, `content-type "text/plain; charset": mime: invalid media parameter`},
		{"a content encoding", Body{ContentType: "text/plain", ContentEncoding: "gzip", Data: [][]byte{{1}}}, Opt[string]{},
			`body data: content-encoding "gzip", which is not undone`},
		{"a map", Body{Annotation: int8(TextMessage), Value: map[string]any{}}, Opt[string]{}, `body amqp-value map: not what a body of kind TextMessage is`},
		{"a sequence", Body{Annotation: int8(TextMessage), Sequences: [][]any{{}}}, Opt[string]{}, `body amqp-sequence: not what a body of kind TextMessage is`},
		{"two sorts of sections", Body{Annotation: int8(TextMessage), Value: "a", Data: [][]byte{{1}}}, Opt[string]{},
			`body of different sections: not what a body of kind TextMessage is`},
		{"another kind", Body{}, Opt[string]{}, `body without sections: kind is BytesMessage, not TextMessage`},
	} {
		got, err := row.b.Text()
		require.Equal(t, row.want, got, "%s: %+v.Text()", row.rule, row.b)
		if row.err == "" {
			require.NoError(t, err, row.rule)
		} else {
			wantValueError(t, err, "amqpjms: "+row.err)
		}
	}
}

// What each kind of body holds, in each form, and what contradicts it.
func TestBodies(t *testing.T) {
	one, two := [][]byte{{1}, {2, 3}}, [][]any{{int32(1)}, {"a", nil}}
	read := map[MessageKind]func(Body) (any, error){
		BytesMessage:  func(b Body) (any, error) { v, err := b.Bytes(); return v, err },
		MapMessage:    func(b Body) (any, error) { v, err := b.Map(); return v, err },
		StreamMessage: func(b Body) (any, error) { v, err := b.Stream(); return v, err },
		ObjectMessage: Body.Object,
	}
	for _, row := range []struct {
		kind MessageKind
		b    Body
		want any // nil: contradicts
	}{
		{BytesMessage, Body{}, []byte{}},
		{BytesMessage, Body{Value: amqp.Null{}}, []byte{}},
		{BytesMessage, Body{Data: one}, []byte{1, 2, 3}},
		{BytesMessage, Body{Data: [][]byte{nil}}, []byte{}},
		{BytesMessage, Body{Value: []byte{4}}, []byte{4}},
		{BytesMessage, Body{Value: "a"}, nil},
		{BytesMessage, Body{Sequences: two}, nil},
		{MapMessage, Body{}, map[string]any{}},
		{MapMessage, Body{Value: amqp.Null{}}, map[string]any{}},
		{MapMessage, Body{Value: map[string]any{"a": int8(1)}}, map[string]any{"a": int8(1)}},
		{MapMessage, Body{Value: map[string]any(nil)}, map[string]any{}},
		{MapMessage, Body{Value: map[any]any{"a": nil}}, map[string]any{"a": nil}},
		{MapMessage, Body{Value: map[any]any{int32(1): nil}}, nil},
		{MapMessage, Body{Value: map[any]any{amqp.Symbol("a"): nil}}, nil},
		{MapMessage, Body{Value: []any{}}, nil},
		{MapMessage, Body{Data: one}, nil},
		{StreamMessage, Body{}, []any{}},
		{StreamMessage, Body{Value: amqp.Null{}}, []any{}},
		{StreamMessage, Body{Sequences: two}, []any{int32(1), "a", nil}},
		{StreamMessage, Body{Sequences: [][]any{nil}}, []any{}},
		{StreamMessage, Body{Value: []any{true}}, []any{true}},
		{StreamMessage, Body{Value: []int32{1}}, nil},
		{StreamMessage, Body{Value: "a"}, nil},
		{StreamMessage, Body{Data: one}, nil},
		{ObjectMessage, Body{Value: []any{uint8(1)}}, []any{uint8(1)}},
		{ObjectMessage, Body{Value: "a"}, "a"},
		{ObjectMessage, Body{Value: []byte{1}}, []byte{1}},
		{ObjectMessage, Body{Sequences: two}, []any{int32(1), "a", nil}},
		{ObjectMessage, Body{Data: one, ContentType: "image/png"}, JavaObject{1, 2, 3}},
		{ObjectMessage, Body{Data: one, Sequences: two}, nil},
	} {
		row.b.Annotation = int8(row.kind)
		got, err := read[row.kind](row.b)
		if row.want != nil {
			require.NoError(t, err, "%+v", row.b)
			require.Equal(t, row.want, got, "%+v", row.b)
		} else {
			var e *ValueError
			require.ErrorAs(t, err, &e, "%+v", row.b)
			require.Zero(t, got)
		}
		require.Equal(t, err, row.b.check(), "%+v", row.b)
		for kind, other := range read {
			if kind != row.kind {
				_, err := other(row.b)
				require.ErrorContains(t, err, ": kind is "+row.kind.String()+", not "+kind.String())
			}
		}
	}
	_, err := Body{Annotation: int8(MapMessage), Value: map[any]any{int32(1): nil}}.Map()
	wantValueError(t, err, "amqpjms: body amqp-value map: a key that is no string but int")
	for _, b := range []Body{{}, {Value: amqp.Null{}}} { // a null object
		b.Annotation = int8(ObjectMessage)
		got, err := b.Object()
		require.NoError(t, err)
		require.Nil(t, got)
	}
}

func TestPayload(t *testing.T) {
	for _, row := range []struct {
		b    Body
		want []byte
		err  string
	}{
		{Body{Value: "h\u00e9"}, []byte("h\u00e9"), ""},
		{Body{Value: ""}, []byte{}, ""},
		{NullTextBody(), nil, ""},
		{Body{ContentType: "text/plain; charset=iso-8859-1", Data: [][]byte{{'h'}, {0xe9}}}, []byte("h\u00e9"), ""},
		{Body{Data: [][]byte{{1}, {2}}}, []byte{1, 2}, ""},
		{Body{Value: []byte{1}}, []byte{1}, ""},
		{Body{}, []byte{}, ""},
		{JavaObjectBody(JavaObject{1}), []byte{1}, ""},
		{Body{ContentType: "text/plain", Data: [][]byte{{'a'}, []byte("\u00e9")}}, []byte("a\u00e9"), ""},
		{Body{Annotation: int8(TextMessage), Data: [][]byte{nil}}, []byte{}, ""},
		{Body{Value: "a\xff"}, nil, `text "a\xff": not valid UTF-8`},
		{Body{ContentType: "text/plain", Data: [][]byte{{'a', 0xff}}}, nil, `text "a\xff": not valid UTF-8`},
		{Body{ContentType: "text/plain; charset=us-ascii", Data: [][]byte{{0xff}}}, nil, `text "\xff": not valid US-ASCII`},
		{Body{ContentType: "text/plain; charset=x", Data: [][]byte{{'a'}}}, nil, `charset "x": none of UTF-8, US-ASCII, ISO-8859-1 and UTF-16`},
		{Body{ContentType: "text/plain", ContentEncoding: "gzip", Data: [][]byte{{'a'}}}, nil, `body data: content-encoding "gzip", which is not undone`},
		{Body{Value: int32(1)}, nil, `body amqp-value int: no bytes`},
		{Body{Annotation: int8(MapMessage)}, nil, `body without sections: no bytes`},
		{PlainBody(), nil, `body amqp-value null: no bytes`},
	} {
		got, err := row.b.Payload()
		require.Equal(t, row.want, got, "%+v", row.b)
		if row.err == "" {
			require.NoError(t, err)
		} else {
			wantValueError(t, err, "amqpjms: "+row.err)
		}
	}

	// The bytes of one data section are the body's own, a text too.
	text := []byte("h\u00e9")
	b := Body{Annotation: int8(TextMessage), Data: [][]byte{text}}
	got, err := b.Payload()
	require.NoError(t, err)
	require.Same(t, &text[0], &got[0])
	allocs(t, 0, "Payload, text as data", func() { _, _ = b.Payload() })
}

// What is sent says its kind as a byte, and has a section.
func TestBodyToSend(t *testing.T) {
	null := amqp.Null{}
	for _, row := range []struct {
		rule    string
		b, want Body
	}{
		{"no section and no kind", Body{}, Body{Annotation: int8(3), Value: null}},
		{"no section and a content type", Body{ContentType: "text/plain"}, Body{Annotation: int8(5), ContentType: "text/plain", Value: null}},
		{"no section", Body{Annotation: int8(2)}, Body{Annotation: int8(2), Value: null}},
		{"empty slices are none", Body{Annotation: int8(4), Data: [][]byte{}, Sequences: [][]any{}},
			Body{Annotation: int8(4), Data: [][]byte{}, Sequences: [][]any{}, Value: null}},
		{"a null", Body{Value: null}, Body{Annotation: int8(5), Value: null}},
		{"a kind of another type", Body{Annotation: uint8(1), Value: "a"}, Body{Annotation: int8(1), Value: "a"}},
		{"a kind of another type", Body{Annotation: uint64(0), Value: null}, Body{Annotation: int8(0), Value: null}},
		{"a kind that is none", Body{Annotation: int8(9), Value: "a"}, Body{Annotation: int8(5), Value: "a"}},
		{"a kind that is none", Body{Annotation: "text", Data: [][]byte{{}}}, Body{Annotation: int8(3), Data: [][]byte{{}}}},
		{"a sequence", Body{Sequences: [][]any{{}}}, Body{Annotation: int8(1), Sequences: [][]any{{}}}},
		{"a body that contradicts", Body{Annotation: int8(5), Value: map[string]any{}}, Body{Annotation: int8(5), Value: map[string]any{}}},
		{"another encoding", Body{ContentEncoding: "gzip", Data: [][]byte{{1}}}, Body{Annotation: int8(3), ContentEncoding: "gzip", Data: [][]byte{{1}}}},
	} {
		was := row.b
		require.Equal(t, row.want, row.b.Outgoing(), "%s: %+v.Outgoing()", row.rule, row.b)
		require.Equal(t, was, row.b)
		require.Equal(t, row.want, row.want.Outgoing(), "%s: what is sent stays", row.rule)

		// A message that gets that body, or had it when it is stamped, is sent so too.
		var written amqp.Message
		Editor{}.SetBody(&written, row.b)
		stamped := amqp.Message{Data: row.b.Data, Sequence: row.b.Sequences, Value: row.b.Value,
			Annotations: amqp.Annotations{"x-opt-jms-msg-type": row.b.Annotation},
			Properties:  &amqp.MessageProperties{ContentType: stated(row.b.ContentType), ContentEncoding: stated(row.b.ContentEncoding)}}
		require.NoError(t, Stamp{}.Apply(&stamped))
		forwarded, err := Forwarder{}.Forward(&amqp.Message{Data: row.b.Data, Sequence: row.b.Sequences, Value: row.b.Value}, sentAt())
		require.NoError(t, err)
		for _, m := range []amqp.Message{written, stamped} {
			require.Equal(t, amqp.Annotations{"x-opt-jms-msg-type": row.want.Annotation}, m.Annotations, row.rule)
			require.Equal(t, row.want.Value, m.Value, row.rule)
			require.Equal(t, row.want.Data, m.Data, row.rule)
			require.Equal(t, row.want.Sequences, m.Sequence, row.rule)
		}
		require.Equal(t, row.want.Value, forwarded.Value, row.rule)
		require.Nil(t, forwarded.Annotations, "%s: a message that is passed on says of its kind what it said", row.rule)
	}
}

// What is written is read as the same, and what no body may hold is refused.
func TestMakeBodies(t *testing.T) {
	every := map[string]any{
		"null": nil, "boolean": true, "byte": int8(-1), "short": int16(-2), "int": int32(-3), "long": int64(-4),
		"float": float32(1.5), "double": 2.5, "string": "s", "bytes": []byte{1},
	}
	b, err := MapBody(every)
	require.NoError(t, err)
	got, err := b.Map()
	require.NoError(t, err)
	require.Equal(t, every, got)
	every["more"] = true
	require.NotContains(t, got, "more", "the map is a copy")
	b, err = MapBody(nil)
	require.NoError(t, err)
	require.Equal(t, map[string]any{}, b.Value)

	values := []any{nil, true, int8(1), []byte{1}, "s"}
	b, err = StreamBody(values)
	require.NoError(t, err)
	values[0] = "changed"
	stream, err := b.Stream()
	require.NoError(t, err)
	require.Equal(t, []any{nil, true, int8(1), []byte{1}, "s"}, stream)

	for _, v := range []any{
		nil, true, int8(1), int16(1), int32(1), int64(1), uint8(1), uint16(1), uint32(1), uint64(1), float32(1), 1.0, "s",
		[]byte{1}, time.UnixMilli(1), amqp.UUID{1}, amqp.Symbol("s"), []any{[]any{}, map[string]any{"a": nil}, map[any]any{true: "x"}},
		[]map[any]any{{"a": int32(1)}}, []string{"a"}, []amqp.Symbol{"a"}, []int32{1}, []int32{}, []int64{}, [][]byte{{1}}, []amqp.UUID{{}}, []time.Time{time.UnixMilli(1)}, []bool{true},
	} {
		b, err := ObjectBody(v)
		require.NoError(t, err, "%T", v)
		m := amqp.Message{Value: b.Value}
		_, err = m.MarshalBinary()
		require.NoError(t, err, "%T", v)
		got, err := b.Object()
		require.NoError(t, err)
		require.Equal(t, v, got)
	}
	b, err = ObjectBody(uuid.UUID{1}) // go-amqp writes its own type of uuid only
	require.NoError(t, err)
	require.Equal(t, Body{Annotation: int8(1), Value: amqp.UUID{1}}, b)
	text, err := ValueOf("u", uuid.UUID{0xab}).Text()
	require.NoError(t, err)
	require.Equal(t, Some("ab000000-0000-0000-0000-000000000000"), text)
	_, err = ValueOf("u", uuid.UUID{}).Long()
	wantValueError(t, err, `amqpjms: value "u" "00000000-0000-0000-0000-000000000000": no long`)
	b, err = ObjectBody(JavaObject{1})
	require.NoError(t, err)
	require.Equal(t, JavaObjectBody(JavaObject{1}), b)

	// The annotation is that of the kind. [jms-mapping 3.2]
	b, err = TextBody("a")
	require.NoError(t, err)
	require.Equal(t, Body{Annotation: int8(5), Value: "a"}, b)
	b, err = TextDataBody("a")
	require.NoError(t, err)
	require.Equal(t, Body{Annotation: int8(5), ContentType: "text/plain; charset=utf-8", Data: [][]byte{{'a'}}}, b)
	require.Equal(t, Body{Annotation: int8(5), Value: amqp.Null{}}, NullTextBody())
	b, err = ObjectBody(nil)
	require.NoError(t, err)
	require.Equal(t, Body{Annotation: int8(1), Value: amqp.Null{}}, b)

	// A depth of 100 is the last, in whatever there is.
	for name, in := range map[string]func(v any) any{
		"[]any":          func(v any) any { return []any{v} },
		"map[string]any": func(v any) any { return map[string]any{"k": v} },
		"map[any]any":    func(v any) any { return map[any]any{"k": v} },
		"[]map[any]any":  func(v any) any { return []map[any]any{{"k": v}} }, // two at once
	} {
		deep, last := any("s"), 100
		if name == "[]map[any]any" {
			last = 50
		}
		for range last {
			deep = in(deep)
		}
		_, err = ObjectBody(deep)
		require.NoError(t, err, name)
		for _, deeper := range []any{in(deep), []any{deep}, map[string]any{"k": deep}, map[any]any{"k": deep}} {
			_, err = ObjectBody(deeper)
			require.ErrorContains(t, err, "nested too deep", "%s in %T", name, deeper)
		}
	}

	many := map[string]any{"bad": 1}
	anyKeys := map[any]any{"bad": 1}
	for i := range 100 {
		many[strings.Repeat("a", i)] = ""
		anyKeys[int32(i)] = ""
	}
	deep := any("s")
	for range 200 {
		deep = []any{deep}
	}
	for _, row := range []struct {
		rule string
		err  func() (Body, error)
		want string
	}{
		{"a text", func() (Body, error) { return TextBody("a\xff") }, `text "a\xff": not valid UTF-8`},
		{"a text", func() (Body, error) { return TextDataBody("a\xff") }, `text "a\xff": not valid UTF-8`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"a": 1}) },
			`value of "a" of type int: none of []byte, bool, int8, int16, int32, int64, float32, float64, string and nil`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"": nil}) }, `key of a map "": empty`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"\xff": nil}) }, `key of a map "\xff": not valid UTF-8`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"a": "\xff"}) }, `value of "a" "\xff": not valid UTF-8`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"b": uint8(1), "a": []any{}}) },
			`value of "a" of type []interface {}: none of []byte, bool, int8, int16, int32, int64, float32, float64, string and nil`},
		{"a stream", func() (Body, error) { return StreamBody([]any{nil, time.UnixMilli(0)}) },
			`value 1 of a stream of type time.Time: none of []byte, bool, int8, int16, int32, int64, float32, float64, string and nil`},
		{"an object", func() (Body, error) { return ObjectBody(1) }, `object of type int: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody([]any{map[string]any{"a": uint(1)}}) }, `object of type uint: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody(map[any]any{1: ""}) }, `object of type int: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody([]string{"a", "\xff"}) }, `object "\xff": not valid UTF-8`},
		{"an object", func() (Body, error) { return ObjectBody(amqp.Symbol("a\x80")) }, `object "a\x80": not ASCII`},
		{"an object", func() (Body, error) { return ObjectBody([]amqp.Symbol{"\x7f", "\x80"}) }, `object "\x80": not ASCII`},
		{"an object", func() (Body, error) { return ObjectBody([]any{"a", 1}) }, `object of type int: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody([]map[any]any{{"a": ""}, {"a": 1}}) }, `object of type int: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody(map[string]any{"\xff": ""}) }, `object "\xff": not valid UTF-8`},
		{"an object", func() (Body, error) { return ObjectBody(many) }, `object of type int: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody(anyKeys) }, `object of type int: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody([]map[any]any{{"a": 1}}) }, `object of type int: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody([]any{uuid.UUID{1}}) }, `object of type uuid.UUID: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody(struct{}{}) }, `object of type struct {}: not a type of AMQP`},
		{"an object", func() (Body, error) { return ObjectBody(deep) }, `object of type []interface {}: nested too deep`},
	} {
		b, err := row.err()
		require.Zero(t, b, row.rule)
		wantValueError(t, err, "amqpjms: "+row.want)
	}
}

// A content type stays as long as it is true of the body.
func TestContentTypeAfter(t *testing.T) {
	const java, octets, text = "application/x-java-serialized-object", "application/octet-stream", "text/plain; charset=utf-8"
	str, err := TextBody("a")
	require.NoError(t, err)
	data, err := TextDataBody("a")
	require.NoError(t, err)
	for _, row := range []struct {
		rule               string
		b                  Body
		had, encoding      string
		want, wantEncoding string
	}{
		{"bytes", BytesBody(nil), "", "", octets, ""},
		{"bytes of a type", BytesBody(nil), "image/png", "gzip", "image/png", "gzip"},
		{"bytes are no Java object", BytesBody(nil), java, "", octets, ""},
		{"a Java object", JavaObjectBody(nil), "image/png", "", java, ""},
		{"text", str, "", "", "", ""},
		{"text of a type", str, "application/json", "gzip", "application/json", ""},
		{"text is no picture", str, "image/png", "", "", ""},
		{"text is UTF-8", str, "text/plain; charset=utf-16", "", "", ""},
		{"text is in no charset that is not known", str, "text/plain; charset=koi8-r", "", "", ""},
		{"a value is no serialized object", Body{Annotation: int8(1), Value: int32(1)}, java, "", "", ""},
		{"a map is no picture", Body{Annotation: int8(2), Value: map[string]any{}}, "image/png", "gzip", "", ""},
		{"a map is no text", Body{Annotation: int8(2), Value: map[string]any{}}, "text/plain", "", "", ""},
		{"text is no bytes", str, octets, "", "", ""},
		{"text is no Java object", str, java, "", "", ""},
		{"text as data", data, "", "", text, ""},
		{"text as data, which is not encoded", data, "application/json", "gzip", "application/json", ""},
		{"text as data is UTF-8", data, "text/plain; charset=utf-16", "", text, ""},
		{"text as data is text", data, octets, "", text, ""},
		{"null", PlainBody(), octets, "gzip", "", ""},
		{"a Java object stays one", JavaObjectBody(nil), java, "", java, ""},
		{"a Java object of no type", Body{Annotation: int8(1), Data: [][]byte{nil}}, java, "", java, ""},
		{"data of no type", Body{Annotation: int8(3), Data: [][]byte{nil}}, "image/png", "", "image/png", ""},
		{"a binary", Body{Annotation: int8(3), Value: []byte{}}, "image/png", "gzip", "", ""},
	} {
		got, encoding := row.b.contentTypeAfter(row.had, row.encoding)
		require.Equal(t, row.want, got, row.rule)
		require.Equal(t, row.wantEncoding, encoding, row.rule)
	}
}

// An object is typed where Object gives an AMQP value.
func TestTyped(t *testing.T) {
	const java = "application/x-java-serialized-object"
	for _, row := range []struct {
		b    Body
		want bool
	}{
		{Body{Value: int32(1)}, true},
		{Body{Value: int32(1), ContentType: java}, true},
		{Body{Annotation: int8(1), Value: "s"}, true},
		{Body{Sequences: [][]any{{}}}, true},
		{Body{Annotation: int8(1), Value: amqp.Null{}}, true},
		{Body{Annotation: int8(1)}, true},
		{Body{Annotation: int8(1), Value: amqp.Null{}, ContentType: java}, false},
		{Body{ContentType: java}, false},
		{JavaObjectBody(nil), false},
		{Body{Annotation: int8(1), Data: [][]byte{{}}}, false},
		{Body{Annotation: int8(1), Data: [][]byte{{}}, Value: int32(1)}, false},
		{Body{Value: int32(1), Sequences: [][]any{{}}}, false},
		{Body{Value: "s"}, false},
		{Body{Annotation: int8(2), Value: map[any]any{}}, false},
	} {
		require.Equal(t, row.want, row.b.Typed(), "%+v", row.b)
		if row.want {
			object, err := row.b.Object()
			require.NoError(t, err)
			_, serialized := object.(JavaObject)
			require.False(t, serialized)
		}
	}
}

// A body that is given from one message to another is read there as it was here.
func TestSetBodyOf(t *testing.T) {
	for _, row := range []struct {
		rule               string
		b                  Body
		had, encoding      string // of the other message
		want, wantEncoding string
		wantKind           MessageKind
	}{
		{"the charset is the body's", Body{Annotation: int8(5), ContentType: "text/plain; charset=utf-16be", Data: [][]byte{{0, 'h', 0, 'i'}}},
			"text/plain", "", "text/plain; charset=utf-16be", "", TextMessage},
		{"so is the encoding", Body{ContentEncoding: "gzip", Data: [][]byte{{0x1f, 0x8b}}}, "", "", "", "gzip", BytesMessage},
		{"so is the encoding", Body{ContentEncoding: "gzip", Data: [][]byte{{0x1f, 0x8b}}}, "image/png", "", "", "gzip", BytesMessage},
		{"so are both", Body{ContentType: "application/pdf", ContentEncoding: "gzip", Data: [][]byte{{0x1f, 0x8b}}}, "image/png", "br",
			"application/pdf", "gzip", BytesMessage},
		{"one text is not another", Body{ContentType: "application/json", Data: [][]byte{[]byte("{}")}}, "application/xml", "", "application/json", "", TextMessage},
		{"no section has a type too", Body{ContentType: "text/plain"}, "", "", "text/plain", "", TextMessage},
		{"bytes that say no more", BytesBody([]byte{1}), "image/png", "gzip", "application/octet-stream", "", BytesMessage},
		{"what is not encoded stays so", Body{Data: [][]byte{{1}}}, "image/png", "gzip", "image/png", "", BytesMessage},
	} {
		m := amqp.Message{Properties: &amqp.MessageProperties{ContentType: stated(row.had), ContentEncoding: stated(row.encoding)}}
		Editor{}.SetBody(&m, row.b)
		got := Consumer{}.View(&m, sentAt())
		require.Equal(t, row.want, must(got.ContentType()).Or(""), row.rule)
		require.Equal(t, row.wantEncoding, must(got.ContentEncoding()).Or(""), row.rule)
		require.Equal(t, row.wantKind, must(got.Kind()), row.rule)
		require.Equal(t, row.b.Kind(), must(got.Kind()), row.rule)
		text, err := row.b.Text()
		gotText, gotErr := got.Text()
		require.Equal(t, text, gotText, row.rule)
		require.Equal(t, err, gotErr, row.rule)
	}
}

// JMS's table of conversions, with the types of AMQP that JMS has no word for. "-" is an error.
func TestValue(t *testing.T) {
	big := uint64(math.MaxUint64)
	for _, row := range []struct {
		v                                         any
		boolean, byte, short, int, long, flt, dbl string
		text                                      string
	}{
		{true, "true", "-", "-", "-", "-", "-", "-", "true"},
		{int8(-1), "-", "-1", "-1", "-1", "-1", "-", "-", "-1"},
		{int16(-2), "-", "-", "-2", "-2", "-2", "-", "-", "-2"},
		{int32(-3), "-", "-", "-", "-3", "-3", "-", "-", "-3"},
		{int64(-4), "-", "-", "-", "-", "-4", "-", "-", "-4"},
		{uint8(200), "-", "-", "200", "200", "200", "-", "-", "200"},
		{uint16(60000), "-", "-", "-", "60000", "60000", "-", "-", "60000"},
		{uint32(4000000000), "-", "-", "-", "-", "4000000000", "-", "-", "4000000000"},
		{uint64(7), "-", "-", "-", "-", "7", "-", "-", "7"},
		{uint64(math.MaxInt64), "-", "-", "-", "-", "9223372036854775807", "-", "-", "9223372036854775807"},
		{uint64(1 << 63), "-", "-", "-", "-", "-", "-", "-", "9223372036854775808"},
		{big, "-", "-", "-", "-", "-", "-", "-", "18446744073709551615"},
		{float32(1.5), "-", "-", "-", "-", "-", "1.5", "1.5", "1.5"},
		{float32(0.1), "-", "-", "-", "-", "-", "0.1", "0.10000000149011612", "0.1"},
		{2.5, "-", "-", "-", "-", "-", "-", "2.5", "2.5"},
		{time.UnixMilli(1000), "-", "-", "-", "-", "1000", "-", "-", "1000"},
		{"", "false", "-", "-", "-", "-", "-", "-", ""},
		{"TRUE", "true", "-", "-", "-", "-", "-", "-", "TRUE"},
		{"yes", "false", "-", "-", "-", "-", "-", "-", "yes"},
		{"42", "false", "42", "42", "42", "42", "42", "42", "42"},
		{"+42", "false", "42", "42", "42", "42", "42", "42", "+42"},
		{" 42", "false", "-", "-", "-", "-", "42", "42", " 42"},
		{"200", "false", "-", "200", "200", "200", "200", "200", "200"},
		{"40000", "false", "-", "-", "40000", "40000", "40000", "40000", "40000"},
		{"3000000000", "false", "-", "-", "-", "3000000000", "3.0E9", "3.0E9", "3000000000"},
		// Of a decimal just under the middle of two floats the lower one, as Float.valueOf says, and not by way of a double.
		{"1.00000017881393432617187499", "false", "-", "-", "-", "-", "1.0000001", "1.0000001788139343", "1.00000017881393432617187499"},
		{"1.5", "false", "-", "-", "-", "-", "1.5", "1.5", "1.5"},
		{"1_0", "false", "-", "-", "-", "-", "-", "-", "1_0"},
		{amqp.Symbol("7"), "false", "7", "7", "7", "7", "7", "7", "7"},
		{amqp.UUID{0x0f, 0x1e}, "false", "-", "-", "-", "-", "-", "-", "0f1e0000-0000-0000-0000-000000000000"},
		{nil, "false", "-", "-", "-", "-", "-", "-", "none"},
		{amqp.Null{}, "false", "-", "-", "-", "-", "-", "-", "none"},
		{[]byte{1}, "-", "-", "-", "-", "-", "-", "-", "-"},
		{[]any{}, "-", "-", "-", "-", "-", "-", "-", "-"},
		{map[string]any{}, "-", "-", "-", "-", "-", "-", "-", "-"},
		{struct{}{}, "-", "-", "-", "-", "-", "-", "-", "-"},
	} {
		v := ValueOf("p", row.v)
		check := func(as, want string, got any, err error) {
			t.Helper()
			if want == "-" {
				var e *ValueError
				require.ErrorAs(t, err, &e, "%v (%T) as %s", row.v, row.v, as)
				require.Zero(t, got)
				require.True(t, strings.HasPrefix(err.Error(), `amqpjms: value "p" `), err)
				return
			}
			require.NoError(t, err, "%v (%T) as %s", row.v, row.v, as)
			text, terr := ValueOf("", got).Text()
			require.NoError(t, terr)
			want = strings.TrimSuffix(want, ".0")
			require.Equal(t, want, strings.TrimSuffix(text.Or(""), ".0"), "%v (%T) as %s", row.v, row.v, as)
		}
		boolean, err := v.Bool()
		check("boolean", row.boolean, boolean, err)
		b, err := v.Byte()
		check("byte", row.byte, b, err)
		s, err := v.Short()
		check("short", row.short, s, err)
		i, err := v.Int()
		check("int", row.int, i, err)
		l, err := v.Long()
		check("long", row.long, l, err)
		f, err := v.Float()
		check("float", row.flt, f, err)
		d, err := v.Double()
		check("double", row.dbl, d, err)
		text, err := v.Text()
		switch row.text {
		case "-":
			require.Error(t, err)
		case "none":
			require.NoError(t, err)
			require.Equal(t, Opt[string]{}, text)
			require.True(t, v.IsNull())
		default:
			require.NoError(t, err, "%v", row.v)
			require.Equal(t, Some(row.text), text, "%v", row.v)
			require.False(t, v.IsNull())
		}
		raw, err := v.Raw()
		require.NoError(t, err)
		require.Equal(t, row.v, raw)
		require.True(t, v.Exists())
		bytes, err := v.Bytes()
		switch x := row.v.(type) {
		case []byte:
			require.NoError(t, err)
			require.Equal(t, x, bytes)
		case nil, amqp.Null:
			require.NoError(t, err)
			require.Nil(t, bytes)
		default:
			require.Error(t, err)
		}
	}

	var none Value
	require.False(t, none.Exists())
	require.True(t, none.IsNull())
	for _, row := range []struct {
		v    Value
		want string
	}{
		{ValueOf("p", big), `value "p" ulong 18446744073709551615: above 2^63-1`},
		{ValueOf("p", int64(1)), `value "p" long: not read as int`},
		{ValueOf("p", "x"), `value "p" "x": no int`},
		{ValueOf("p", nil), `value "p" null: not read as int`},
		{Value{what: "property", name: "p"}, `property "p" absent: no int`},
	} {
		_, err := row.v.Int()
		wantValueError(t, err, "amqpjms: "+row.want)
	}
	for as, read := range map[string]func(Value) error{
		"boolean": func(v Value) error { _, err := v.Bool(); return err },
		"byte":    func(v Value) error { _, err := v.Byte(); return err },
		"short":   func(v Value) error { _, err := v.Short(); return err },
		"int":     func(v Value) error { _, err := v.Int(); return err },
		"long":    func(v Value) error { _, err := v.Long(); return err },
		"float":   func(v Value) error { _, err := v.Float(); return err },
		"double":  func(v Value) error { _, err := v.Double(); return err },
		"string":  func(v Value) error { _, err := v.Text(); return err },
		"bytes":   func(v Value) error { _, err := v.Bytes(); return err },
	} {
		wantValueError(t, read(ValueOf("p", []any{})), `amqpjms: value "p" list: not read as `+as)
		if as != "boolean" && as != "string" && as != "bytes" {
			wantValueError(t, read(ValueOf("p", "x")), `amqpjms: value "p" "x": no `+as)
		}
	}

	_, err := ValueOf("p", "a\xff").Text()
	wantValueError(t, err, `amqpjms: value "p" "a\xff": not valid UTF-8`)
}

// Numbers as Java prints them since Java 19. Java 17 prints the same but for 4.0301848979298272E17, 1.17549435E-38,
// 2.27005248E8 and 5.7286326E25.
func TestJavaFloat(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", 1: "1.0", -1.5: "-1.5", 0.001: "0.001", 9.999999e-4: "9.999999E-4", 100: "100.0", 123456.789: "123456.789",
		9999999: "9999999.0", 1e7: "1.0E7", 1e10: "1.0E10", 1e-5: "1.0E-5", 1e23: "1.0E23", 1.0e21: "1.0E21",
		math.MaxFloat64: "1.7976931348623157E308", math.SmallestNonzeroFloat64: "4.9E-324", 2.2250738585072014e-308: "2.2250738585072014E-308",
		math.Inf(1): "Infinity", math.Inf(-1): "-Infinity",
		math.Float64frombits(0x43965f3cb98819bb): "4.030184897929827E17", 2e23: "2.0E23",
	} {
		require.Equal(t, want, javaFloat(f, 64))
	}
	require.Equal(t, "NaN", javaFloat(math.NaN(), 64))
	require.Equal(t, "-0.0", javaFloat(math.Copysign(0, -1), 64))
	for f, want := range map[float32]string{
		0: "0.0", 1.5: "1.5", 0.1: "0.1", 1e10: "1.0E10", 1e-5: "1.0E-5", 16777216: "1.6777216E7", 3.4e10: "3.4E10",
		math.MaxFloat32: "3.4028235E38", math.SmallestNonzeroFloat32: "1.4E-45",
		math.Float32frombits(0x00800000): "1.1754944E-38", math.Float32frombits(0x4d587d34): "2.2700525E8",
		math.Float32frombits(0x6a3d8b68): "5.7286327E25",
	} {
		require.Equal(t, want, javaFloat(float64(f), 32))
	}
}

// Numbers as Java reads them: what each of these texts is to Double.valueOf of Java 17.
func TestParseJavaFloat(t *testing.T) {
	for s, want := range map[string]string{
		"1": "1.0", "1.": "1.0", ".5": "0.5", " 1.5 ": "1.5", "+1": "1.0", "1f": "1.0", "1D": "1.0", "0x1p3": "8.0", "0x1.8p1f": "3.0",
		"NaN": "NaN", "-NaN": "NaN", "+Infinity": "Infinity", "Infinity": "Infinity", "-Infinity": "-Infinity", "1e400": "Infinity",
		"1e-400": "0.0", "\t2\n": "2.0", "0X1P+2d": "4.0", "1e+5": "100000.0",
		"infinity": "", "inf": "", "nan": "", "1_0": "", "0x10": "", "": "", "f": "", "1ff": "", "1e": "", "0x1p": "", "--1": "", "+-1": "",
		"--NaN": "", "+-NaN": "", "1!": "", "1p3": "", "1x": "", "0x1": "", "0x1.8": "", "0x1_0p1": "", "1 1": "", "NaNf": "", ".": "", "Infinityf": "", "0xp1": "", "1n": "", "\u00a01": "", "+": "",
	} {
		f, ok := parseJavaFloat(s, 64)
		require.Equal(t, want != "", ok, "%q", s)
		if ok {
			require.Equal(t, want, javaFloat(f, 64), "%q", s)
		}
	}
}

// A value is named by the type that go-amqp gives it on the wire.
func TestTypeNames(t *testing.T) {
	for _, v := range []any{
		amqp.Null{}, true, int8(1), int16(1), int32(1), int64(1), uint8(1), uint16(1), uint32(1), uint64(1), float32(1), 1.0, "s",
		amqp.Symbol("s"), []byte{1}, time.UnixMilli(1), amqp.UUID{1}, []any{}, map[string]any{}, map[any]any{},
	} {
		wire, err := (&amqp.Message{Value: v}).MarshalBinary()
		require.NoError(t, err)
		var m RawMessage
		require.NoError(t, m.Parse(wire))
		for s, err := range m.BodySections() {
			require.NoError(t, err)
			require.Equal(t, s.Value.Type(), amqpTypeName(v), "%T", v)
		}
	}
	require.Equal(t, "uuid", amqpTypeName(uuid.UUID{}))
	require.Equal(t, "of type struct {}", amqpTypeName(struct{}{}))
	for c, want := range map[charset]string{
		charsetUTF8: "UTF-8", charsetASCII: "US-ASCII", charsetLatin1: "ISO-8859-1", charsetUTF16: "UTF-16", charsetUTF16BE: "UTF-16BE", charsetUTF16LE: "UTF-16LE",
	} {
		require.Equal(t, want, c.String())
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
