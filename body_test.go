package amqpjms

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
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
		{"text that names its charset twice", Body{Data: data, ContentType: "text/plain; charset=utf-8; charset=UTF-8"}, TextMessage},
		{"or two charsets", Body{Data: data, ContentType: "text/plain; charset=utf-8; charset=utf-16"}, TextMessage},
		{"a Java object with parameters that are none", Body{Data: data, ContentType: java + "; a=b=c; a"}, ObjectMessage},
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
		{"another parameter does not matter", data("text/plain; charset=utf-8;;", "abc"), Some("abc"), ""},
		{"another parameter does not matter", data("text/plain; charset=utf-8; format", "abc"), Some("abc"), ""},
		{"another parameter does not matter", data("application/json; profile=http://x.y/z", "abc"), Some("abc"), ""},
		{"another parameter does not matter", data("text/html; version", "abc"), Some("abc"), ""},
		{"another parameter does not matter", data("text/plain; foo", "abc"), Some("abc"), ""},
		{"another parameter does not matter", data("application/json; a=b=c", "abc"), Some("abc"), ""},
		{"nor hides the charset", data("text/plain; foo; Charset = \"latin1\"", "\xe9"), Some("\u00e9"), ""},
		{"nor hides the charset", data("text/plain; a=1; a=2;charset=latin1", "\xe9"), Some("\u00e9"), ""},
		{"nor hides the charset", data(`text/plain; a="1; charset=latin1`, "\xe9"), Some("\u00e9"), ""},
		{"what is quoted is not one", data(`text/plain; foo; a="\"; charset=latin1; "`, "\u00e9"), Some("\u00e9"), ""},
		{"a charset with its name twice", data("text/plain; charset=utf-8; charset=UTF-8", "\u00e9"), Some("\u00e9"), ""},
		{"or by two names", data("text/plain; charset=latin1; charset=ISO-8859-1", "\xe9"), Some("\u00e9"), ""},
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
		{"another charset", data("text/plain; charset=koi8-r", "a"), Opt[string]{}, `charset "koi8-r": want UTF-8, US-ASCII, ISO-8859-1, ISO-8859-15, windows-1252 or UTF-16; Body.TextFunc decodes others`},
		{"parameters that are none", data("text/plain; charset", "a"), Opt[string]{}, `content-type "text/plain; charset": mime: invalid media parameter`},
		{"parameters that are none beside a charset", data("text/plain; charset=;charset=utf-8", "a"), Opt[string]{}, `content-type "text/plain; charset=;charset=utf-8": mime: invalid media parameter`},
		{"two charsets", data("text/plain; charset=utf-8; charset=latin1", "a"), Opt[string]{}, `content-type "text/plain; charset=utf-8; charset=latin1": names two charsets`},
		{"two charsets, neither known", data("text/plain; charset=koi8-r; charset=koi8-u", "a"), Opt[string]{}, `content-type "text/plain; charset=koi8-r; charset=koi8-u": names two charsets`},
		{"a content encoding", Body{ContentType: "text/plain", ContentEncoding: "gzip", Data: [][]byte{{1}}}, Opt[string]{},
			`body data: unsupported content-encoding "gzip": decompress what Payload returns`},
		{"a map", Body{Annotation: int8(TextMessage), Value: map[string]any{}}, Opt[string]{}, `body amqp-value map: contradicts kind TextMessage`},
		{"a sequence", Body{Annotation: int8(TextMessage), Sequences: [][]any{{}}}, Opt[string]{}, `body amqp-sequence: contradicts kind TextMessage`},
		{"two sorts of sections", Body{Annotation: int8(TextMessage), Value: "a", Data: [][]byte{{1}}}, Opt[string]{},
			`body mixed sections: contradicts kind TextMessage`},
		{"another kind", Body{}, Opt[string]{}, `body no section: got BytesMessage, want TextMessage`},
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
				require.ErrorContains(t, err, ": got "+row.kind.String()+", want "+kind.String())
			}
		}
	}
	_, err := Body{Annotation: int8(MapMessage), Value: map[any]any{int32(1): nil}}.Map()
	wantValueError(t, err, "amqpjms: body amqp-value map: map key is int, not string")
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
		// A text that cannot be read does not withhold its bytes.
		{Body{ContentType: "text/plain", Data: [][]byte{{'a', 0xff}}}, []byte("a\xff"), ""},
		{Body{ContentType: "text/plain; charset=us-ascii", Data: [][]byte{{0xff}}}, []byte{0xff}, ""},
		{Body{ContentType: "text/plain; charset=utf-16", Data: [][]byte{{0xff}}}, []byte{0xff}, ""},
		{Body{ContentType: "text/plain; charset=x", Data: [][]byte{{'a'}, {'b'}}}, []byte("ab"), ""},
		{Body{ContentType: "text/plain; charset", Data: [][]byte{{'a'}}}, []byte("a"), ""},
		{Body{ContentType: "text/plain", ContentEncoding: "gzip", Data: [][]byte{{0x1f, 0x8b, 8}}}, []byte{0x1f, 0x8b, 8}, ""},
		{Body{ContentType: "image/png", ContentEncoding: "gzip", Data: [][]byte{{0x1f, 0x8b, 8}}}, []byte{0x1f, 0x8b, 8}, ""},
		// Nor does a kind that is another.
		{Body{Annotation: int8(MapMessage), Data: [][]byte{{1}}}, []byte{1}, ""},
		{Body{Annotation: int8(StreamMessage), Data: [][]byte{{1}}}, []byte{1}, ""},
		{Body{Annotation: int8(PlainMessage), Data: [][]byte{{1}}}, []byte{1}, ""},
		{Body{Annotation: int8(ObjectMessage), ContentType: "image/png", Data: [][]byte{{1}}}, []byte{1}, ""},
		{Body{Data: [][]byte{{1}}, Sequences: [][]any{{}}}, nil, `body mixed sections: holds no bytes`},
		{Body{Value: int32(1)}, nil, `body amqp-value int: holds no bytes`},
		{Body{Annotation: int8(MapMessage)}, nil, `body no section: holds no bytes`},
		{PlainBody(), nil, `body amqp-value null: holds no bytes`},
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

// What is sent says its kind as a byte, and has a section where the peer takes one.
func TestBodyToSend(t *testing.T) {
	null, sb := amqp.Null{}, ServiceBus()
	const latin1, plain = "text/plain; charset=ISO-8859-1", "text/plain"
	empty, data := [][]byte{{}}, [][]byte{{1}}
	for _, row := range []struct {
		rule    string
		p       Peer
		b, want Body
	}{
		{"no section and no kind", Peer{}, Body{}, Body{Annotation: int8(3), Data: empty}},
		{"no section and a content type", Peer{}, Body{ContentType: plain}, Body{Annotation: int8(5), ContentType: plain, Value: null}},
		{"no section and the type of bytes", Peer{}, Body{ContentType: "application/octet-stream"}, Body{Annotation: int8(3), ContentType: "application/octet-stream", Data: empty}},
		{"a BytesMessage without a section", Peer{}, Body{Annotation: int8(3)}, Body{Annotation: int8(3), Data: empty}},
		{"a BytesMessage without a section", Peer{}, Body{Annotation: uint64(3), ContentType: "image/png"}, Body{Annotation: int8(3), ContentType: "image/png", Data: empty}},
		{"a BytesMessage of a null", Peer{}, Body{Annotation: int8(3), Value: null}, Body{Annotation: int8(3), Value: null}},
		{"no section", Peer{}, Body{Annotation: int8(2)}, Body{Annotation: int8(2), Value: null}},
		{"empty slices are none", Peer{}, Body{Annotation: int8(4), Data: [][]byte{}, Sequences: [][]any{}},
			Body{Annotation: int8(4), Data: [][]byte{}, Sequences: [][]any{}, Value: null}},
		{"a null", Peer{}, Body{Value: null}, Body{Annotation: int8(5), Value: null}},
		{"a kind of another type", Peer{}, Body{Annotation: uint8(1), Value: "a"}, Body{Annotation: int8(1), Value: "a"}},
		{"a kind of another type", Peer{}, Body{Annotation: uint64(0), Value: null}, Body{Annotation: int8(0), Value: null}},
		{"a kind that is none", Peer{}, Body{Annotation: int8(9), Value: "a"}, Body{Annotation: int8(5), Value: "a"}},
		{"a kind that is none", Peer{}, Body{Annotation: "text", Data: empty}, Body{Annotation: int8(3), Data: empty}},
		{"a sequence", Peer{}, Body{Sequences: [][]any{{}}}, Body{Annotation: int8(1), Sequences: [][]any{{}}}},
		{"a body that contradicts", Peer{}, Body{Annotation: int8(5), Value: map[string]any{}}, Body{Annotation: int8(5), Value: map[string]any{}}},
		{"another encoding", Peer{}, Body{ContentEncoding: "gzip", Data: data}, Body{Annotation: int8(3), ContentEncoding: "gzip", Data: data}},

		// A JMS client reads a text in data by the annotation as UTF-8, whatever its charset.
		{"text in UTF-8", Peer{}, Body{ContentType: "text/plain; charset=utf8", Data: data}, Body{Annotation: int8(5), ContentType: "text/plain; charset=utf8", Data: data}},
		{"text in US-ASCII", Peer{}, Body{ContentType: "text/plain; charset=ascii", Data: data}, Body{Annotation: int8(5), ContentType: "text/plain; charset=ascii", Data: data}},
		{"text in no charset", Peer{}, Body{ContentType: plain, Data: data}, Body{Annotation: int8(5), ContentType: plain, Data: data}},
		{"text in another charset", Peer{}, Body{ContentType: latin1, Data: data}, Body{ContentType: latin1, Data: data}},
		{"text in another charset", Peer{}, Body{Annotation: int8(5), ContentType: latin1, Data: data}, Body{ContentType: latin1, Data: data}},
		{"text in a charset that is not known here", Peer{}, Body{ContentType: "text/plain; charset=koi8-r", Data: data}, Body{ContentType: "text/plain; charset=koi8-r", Data: data}},
		{"text in another charset by its encoding", Peer{}, Body{ContentType: plain, ContentEncoding: "l1", Data: data}, Body{ContentType: plain, ContentEncoding: "l1", Data: data}},
		{"compressed text", Peer{}, Body{ContentType: plain, ContentEncoding: "gzip", Data: data}, Body{Annotation: int8(5), ContentType: plain, ContentEncoding: "gzip", Data: data}},
		{"text that no content type says", Peer{}, Body{Annotation: int8(5), ContentType: "image/x; charset=l1", Data: data},
			Body{Annotation: int8(5), ContentType: "image/x; charset=l1", Data: data}},
		{"text in an amqp-value", Peer{}, Body{ContentType: latin1, Value: "a"}, Body{Annotation: int8(5), ContentType: latin1, Value: "a"}},
		{"an object in another charset", Peer{}, Body{Annotation: int8(1), ContentType: latin1, Data: data}, Body{Annotation: int8(1), ContentType: latin1, Data: data}},

		// An amqp-value null ends receivers of Service Bus.
		{"a null text", sb, NullTextBody(), Body{Annotation: int8(5)}},
		{"a plain Message", sb, PlainBody(), Body{Annotation: int8(0)}},
		{"no section", sb, Body{Annotation: int8(0)}, Body{Annotation: int8(0)}},
		{"a null map", sb, Body{Annotation: int8(2), Value: null}, Body{Annotation: int8(2)}},
		{"a null object", sb, Body{Annotation: int8(1), Value: null}, Body{Annotation: int8(1)}},
		{"no bytes", sb, Body{Annotation: int8(3), Value: null}, Body{Annotation: int8(3), Data: empty}},
		{"no bytes", sb, Body{}, Body{Annotation: int8(3), Data: empty}},
		{"a text", sb, Body{Value: "a"}, Body{Annotation: int8(5), Value: "a"}},
		{"no other peer", RabbitMQ(), PlainBody(), Body{Annotation: int8(0), Value: null}},
	} {
		was := row.b
		require.Equal(t, row.want, row.b.Outgoing(row.p), "%s: %+v.Outgoing()", row.rule, row.b)
		require.Equal(t, was, row.b)
		if row.want.Annotation != nil || row.want.Kind() == TextMessage {
			require.Equal(t, row.want, row.want.Outgoing(row.p), "%s: what is sent stays", row.rule)
		}
		require.Equal(t, row.b.Kind(), row.want.Kind(), "%s: the kind stays", row.rule)

		// A message that gets that body, or had it when it is stamped, is sent so too.
		var written amqp.Message
		Editor{Peer: row.p}.SetBody(&written, row.b)
		made := func() *amqp.Message {
			m := &amqp.Message{Data: row.b.Data, Sequence: row.b.Sequences, Value: row.b.Value,
				Properties: &amqp.MessageProperties{ContentType: nonEmpty(row.b.ContentType), ContentEncoding: nonEmpty(row.b.ContentEncoding)}}
			if row.b.Annotation != nil {
				m.Annotations = amqp.Annotations{"x-opt-jms-msg-type": row.b.Annotation}
			}
			return m
		}
		stamped := made()
		s, err := Producer{Peer: row.p}.Prepare(stamped, sentAt())
		require.NoError(t, err)
		require.Equal(t, row.p, s.Peer)
		for _, m := range []*amqp.Message{&written, stamped} {
			require.Equal(t, row.want.Annotation, m.Annotations["x-opt-jms-msg-type"], row.rule)
			require.Equal(t, row.want.Value, m.Value, row.rule)
			require.Equal(t, row.want.Data, m.Data, row.rule)
			require.Equal(t, row.want.Sequences, m.Sequence, row.rule)
		}

		// One that is passed on says of its kind what it said. Without a section it may have been a null, for all that go-amqp shows.
		received := made()
		forwarded, err := Forwarder{To: row.p}.Forward(received, sentAt())
		require.NoError(t, err)
		require.Equal(t, received.Annotations, forwarded.Annotations, row.rule)
		want := row.want
		if f := row.b.form(); f == formNone || f == formNull {
			want.Value, want.Data = null, row.b.Data
			if row.p.NoNullBody {
				want.Value = nil
				if row.b.Annotation != nil {
					want.Data = row.want.Data
				}
			}
		}
		require.Equal(t, want.Value, forwarded.Value, row.rule)
		require.Equal(t, want.Data, forwarded.Data, row.rule)
	}

	// What is written for a peer stays as it was written when it is sent there.
	for _, write := range []func(Editor, *amqp.Message){Editor.SetNullText, Editor.SetPlain} {
		m := &amqp.Message{Value: "x"}
		write(Editor{Peer: sb}, m)
		_, err := Producer{Peer: sb}.Prepare(m, sentAt())
		require.NoError(t, err)
		b, err := m.MarshalBinary()
		require.NoError(t, err)
		var raw RawMessage
		require.NoError(t, raw.Parse(b))
		require.Empty(t, raw.Body)
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
	wantValueError(t, err, `amqpjms: value "u" "00000000-0000-0000-0000-000000000000": cannot be read as long`)
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
			`value of "a" of type int: want []byte, bool, int8, int16, int32, int64, float32, float64, string or nil`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"": nil}) }, `key of a map "": empty`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"\xff": nil}) }, `key of a map "\xff": not valid UTF-8`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"a": "\xff"}) }, `value of "a" "\xff": not valid UTF-8`},
		{"a map", func() (Body, error) { return MapBody(map[string]any{"b": uint8(1), "a": []any{}}) },
			`value of "a" of type []interface {}: want []byte, bool, int8, int16, int32, int64, float32, float64, string or nil`},
		{"a stream", func() (Body, error) { return StreamBody([]any{nil, time.UnixMilli(0)}) },
			`value 1 of a stream of type time.Time: want []byte, bool, int8, int16, int32, int64, float32, float64, string or nil`},
		{"an object", func() (Body, error) { return ObjectBody(1) }, `object of type int: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody([]any{map[string]any{"a": uint(1)}}) }, `object of type uint: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody(map[any]any{1: ""}) }, `object of type int: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody([]string{"a", "\xff"}) }, `object "\xff": not valid UTF-8`},
		{"an object", func() (Body, error) { return ObjectBody(amqp.Symbol("a\x80")) }, `object "a\x80": not ASCII`},
		{"an object", func() (Body, error) { return ObjectBody([]amqp.Symbol{"\x7f", "\x80"}) }, `object "\x80": not ASCII`},
		{"an object", func() (Body, error) { return ObjectBody([]any{"a", 1}) }, `object of type int: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody([]map[any]any{{"a": ""}, {"a": 1}}) }, `object of type int: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody(map[string]any{"\xff": ""}) }, `object "\xff": not valid UTF-8`},
		{"an object", func() (Body, error) { return ObjectBody(many) }, `object "bad" of type int: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody(anyKeys) }, `object "bad" of type int: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody([]map[any]any{{"a": 1}}) }, `object of type int: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody([]any{uuid.UUID{1}}) }, `object of type uuid.UUID: not an AMQP type`},
		{"an object", func() (Body, error) { return ObjectBody(struct{}{}) }, `object of type struct {}: not an AMQP type`},
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
		m := amqp.Message{Properties: &amqp.MessageProperties{ContentType: nonEmpty(row.had), ContentEncoding: nonEmpty(row.encoding)}}
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
		{ValueOf("p", int64(1)), `value "p" long: cannot be read as int`},
		{ValueOf("p", "x"), `value "p" "x": cannot be read as int`},
		{ValueOf("p", nil), `value "p" null: cannot be read as int`},
		{Value{what: "property", name: "p"}, `property "p" absent: cannot be read as int`},
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
		wantValueError(t, read(ValueOf("p", []any{})), `amqpjms: value "p" list: cannot be read as `+as)
		if as != "boolean" && as != "string" && as != "bytes" {
			wantValueError(t, read(ValueOf("p", "x")), `amqpjms: value "p" "x": cannot be read as `+as)
		}
	}

	_, err := ValueOf("p", "a\xff").Text()
	wantValueError(t, err, `amqpjms: value "p" "a\xff": not valid UTF-8`)
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
}

// What go-amqp would refuse, lose or write as something else is refused before anything is sent, by one rule wherever a
// value is given: Prepare, Forward, CheckMessage and ObjectBody.
func TestNotWritten(t *testing.T) {
	nested := func(n int) any {
		v := any("s")
		for range n {
			v = []any{v}
		}
		return v
	}
	for _, row := range []struct {
		rule  string
		value any
		err   string // "": written
	}{
		{"a string that is not UTF-8", "a\xff", `"a\xff": not valid UTF-8`},
		{"a string that is not UTF-8", []any{map[string]any{"k": "\xff"}}, `"\xff": not valid UTF-8`},
		{"a string that is not UTF-8", []any{map[string]any{"\xff": "k"}}, `"\xff": not valid UTF-8`},
		{"a string that is not UTF-8", []any{Described{"d", "\xff"}}, `"\xff": not valid UTF-8`},
		{"100 lists in one another", nested(100), ""},
		{"101 lists in one another", nested(101), "of type string: nested too deep"},
		{"150 lists in one another", nested(150), "of type []interface {}: nested too deep"},
		{"a type of no AMQP type", uuid.UUID{1}, "of type uuid.UUID: not an AMQP type"},
		{"a type of no AMQP type", []any{struct{}{}}, "of type struct {}: not an AMQP type"},
		{"a symbol that is not ASCII", []amqp.Symbol{"a", "\x80"}, `"\x80": not ASCII`},
		{"a descriptor that is not ASCII", Described{amqp.Symbol("\x80"), nil}, `"\x80": not ASCII`},
	} {
		m := amqp.Message{Value: row.value}
		_, forwarded := Forwarder{}.Forward(&m, sentAt())
		_, checked := CheckMessage(&m, Peer{})
		_, prepared := Producer{}.Prepare(&m, sentAt())
		for call, err := range map[string]error{"Forward": forwarded, "CheckMessage": checked, "Prepare": prepared} {
			if row.err == "" {
				require.NoError(t, err, "%s: %s", row.rule, call)
			} else {
				wantValueError(t, err, "amqpjms: amqp-value "+row.err)
			}
		}
		if _, ok := row.value.(uuid.UUID); ok {
			continue // which ObjectBody takes for an amqp.UUID
		}
		_, err := ObjectBody(row.value)
		if row.err == "" {
			require.NoError(t, err, row.rule)
		} else {
			wantValueError(t, err, "amqpjms: object "+row.err)
		}
	}

	bad := "\xff"
	for want, p := range map[string]amqp.MessageProperties{
		`subject "\xff": not valid UTF-8`:                              {Subject: &bad},
		`reply-to "\xff": not valid UTF-8`:                             {ReplyTo: &bad},
		`group-id "\xff": not valid UTF-8`:                             {GroupID: &bad},
		`reply-to-group-id "\xff": not valid UTF-8`:                    {ReplyToGroupID: &bad},
		`correlation-id "\xff": not valid UTF-8`:                       {CorrelationID: bad},
		`correlation-id of type uuid.UUID: not an AMQP type`:           {CorrelationID: uuid.UUID{}},
		`correlation-id of type *string: go-amqp cannot write it: nil`: {CorrelationID: (*string)(nil)},
		`correlation-id of type map[string]int: not an AMQP type`:      {CorrelationID: map[string]int{}},
		`correlation-id of type []uuid.UUID: not an AMQP type`:         {CorrelationID: []uuid.UUID{}},
		`correlation-id of type amqpjms.Destination: not an AMQP type`: {CorrelationID: Destination{}},
	} {
		m := amqp.Message{Properties: &p}
		_, err := Producer{}.Prepare(&m, sentAt())
		wantValueError(t, err, "amqpjms: "+want)
		_, err = Forwarder{}.Forward(&m, sentAt())
		wantValueError(t, err, "amqpjms: "+want)
	}
	// A new send gets another address, id and times.
	far := time.Unix(math.MaxInt64/100, 0)
	m := amqp.Message{Properties: &amqp.MessageProperties{To: &bad, MessageID: bad, CreationTime: &far, AbsoluteExpiryTime: &far}}
	_, err := Forwarder{}.Forward(&m, sentAt())
	wantValueError(t, err, `amqpjms: to "\xff": not valid UTF-8`)
	_, err = Producer{}.Prepare(&m, sentAt())
	require.NoError(t, err)
}

// A described value reads as descriptor and value, and is passed on with the descriptor that it had.
func TestDescribed(t *testing.T) {
	for _, row := range []struct {
		rule, value string
		want        Described
	}{
		{"a DateTimeOffset of .NET", `00 a3 1d "com.microsoft:datetime-offset" 81 08daa19ea6b30000`,
			Described{amqp.Symbol("com.microsoft:datetime-offset"), int64(0x08daa19ea6b30000)}},
		{"a TimeSpan of .NET", `00 a3 16 "com.microsoft:timespan" 81 00000000004c4b40`, Described{amqp.Symbol("com.microsoft:timespan"), int64(5000000)}},
		{"a Uri of .NET", `00 a3 11 "com.microsoft:uri" a1 14 "https://example.com/"`, Described{amqp.Symbol("com.microsoft:uri"), "https://example.com/"}},
		{"a number as descriptor", `00 80 0000013700000007 81 08daa19ea6b30000`, Described{uint64(0x0000013700000007), int64(0x08daa19ea6b30000)}},
		{"a small number as descriptor", `00 53 ff 40`, Described{uint64(0xff), nil}},
		{"described twice", `00 a3 01 "a" 00 a3 01 "b" 54 05`, Described{amqp.Symbol("a"), nil}}, // see below
		{"an error", `00 53 1d d0 00000007 00000001 a3 01 "e"`, Described{uint64(0x1d), []any{"e"}}},
	} {
		// In application properties and in the body, alone and in a list and a map.
		value := encoded(t, row.value)
		for _, msg := range [][]byte{
			slices.Concat(encoded(t, `00 53 74 d1`), be32(4+3+len(value)), be32(2), encoded(t, `a1 01 "k"`), value),
			slices.Concat(encoded(t, `00 53 77`), value),
			slices.Concat(encoded(t, `00 53 77 d0`), be32(4+len(value)), be32(1), value),
			slices.Concat(encoded(t, `00 53 77 d1`), be32(4+3+len(value)), be32(2), encoded(t, `a1 01 "k"`), value),
			slices.Concat(encoded(t, `00 53 76 d0`), be32(4+len(value)), be32(1), value),
			slices.Concat(encoded(t, `00 53 72 d1`), be32(4+3+len(value)), be32(2), encoded(t, `a3 01 "k"`), value),
		} {
			m, err := unmarshal(msg)
			require.NoError(t, err, row.rule)
			v := Consumer{}.View(m, sentAt())
			var raw any
			switch {
			case m.Annotations != nil:
				raw = m.Annotations["k"]
			case m.ApplicationProperties != nil:
				raw, err = v.Property("k").Raw()
				require.NoError(t, err)
				got, err := v.Property("k").Described()
				require.NoError(t, err, row.rule)
				require.Equal(t, row.want.Descriptor, got.Descriptor, row.rule)
			default:
				raw, err = v.Object()
				require.NoError(t, err)
				switch x := raw.(type) {
				case []any:
					raw = x[0]
				case map[string]any:
					raw = x["k"]
				}
			}
			got, err := ValueOf("v", raw).Described()
			require.NoError(t, err, row.rule)
			if row.rule == "described twice" {
				inner, err := ValueOf("v", got.Value).Described()
				require.NoError(t, err)
				require.Equal(t, Described{amqp.Symbol("b"), int32(5)}, inner)
				got.Value = nil
			}
			require.Equal(t, row.want, got, row.rule)

			out, err := Forwarder{}.Forward(m, sentAt())
			require.NoError(t, err, row.rule)
			forwarded, err := out.MarshalBinary()
			require.NoError(t, err)
			require.Contains(t, string(forwarded), string(value), "%s: forwarded", row.rule)
			_, err = Producer{}.Prepare(m, sentAt())
			require.NoError(t, err, row.rule)
			prepared, err := m.MarshalBinary()
			require.NoError(t, err)
			require.Contains(t, string(prepared), string(value), "%s: prepared", row.rule)
		}
		if row.rule == "described twice" {
			continue
		}
		// It can be made, too.
		b, err := ObjectBody(row.want)
		require.NoError(t, err)
		again, err := b.Object()
		require.NoError(t, err)
		require.Equal(t, row.want, again, row.rule)
		for _, m := range []amqp.Message{{Value: b.Value}, {ApplicationProperties: map[string]any{"k": row.want}}, {Annotations: amqp.Annotations{"k": []any{row.want}}}} {
			_, err = Producer{}.Prepare(&m, sentAt())
			require.NoError(t, err)
			sent, err := m.MarshalBinary()
			require.NoError(t, err)
			if row.rule != "an error" { // in which symbols are hidden
				require.Contains(t, string(sent), string(value), row.rule)
			}
		}
	}
	for v, as := range map[any]string{"a": "string", int8(1): "byte", amqp.Null{}: "null"} {
		_, err := ValueOf("v", v).Described()
		wantValueError(t, err, `amqpjms: value "v" `+as+`: cannot be read as described value`)
	}
	d := ValueOf("v", Described{amqp.Symbol("a"), int64(1)})
	_, err := d.Long()
	wantValueError(t, err, `amqpjms: value "v" described value: cannot be read as long`)
	_, err = d.Text()
	wantValueError(t, err, `amqpjms: value "v" described value: cannot be read as string`)
}

// Messages that were found in use.
func TestValuesFound(t *testing.T) {
	m, err := unmarshal(encoded(t, `005370c0020141005374c13002a1047768656e00a31d636f6d2e6d6963726f736f66743a6461746574696d652d6f66667365748108daa19ea6b30000005375a00178`))
	require.NoError(t, err)
	when, err := Consumer{}.View(m, sentAt()).Property("when").Described()
	require.NoError(t, err)
	require.Equal(t, Described{amqp.Symbol("com.microsoft:datetime-offset"), int64(0x08daa19ea6b30000)}, when)
	_, err = Producer{}.Prepare(m, sentAt())
	require.NoError(t, err)
	b, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Contains(t, string(b), string(encoded(t, `00 a3 1d "com.microsoft:datetime-offset" 81 08daa19ea6b30000`)))

	m, err = unmarshal(encoded(t, `005372c11702a312782d6f70742d6a6d732d6d73672d747970655104005376c01203a1016140f0000000080000000350010203`))
	require.NoError(t, err)
	stream, err := Consumer{}.View(m, sentAt()).Stream()
	require.NoError(t, err)
	require.Equal(t, []any{"a", nil, []byte{1, 2, 3}}, stream)
}

// An encoded described value reads so without being decoded.
func TestRawDescribed(t *testing.T) {
	v := RawValue(encoded(t, `00 a3 11 "com.microsoft:uri" a1 02 "a/"`))
	descriptor, value, ok := v.Described()
	require.True(t, ok)
	name, ok := descriptor.Text()
	require.True(t, ok)
	require.Equal(t, "com.microsoft:uri", name)
	text, ok := value.Text()
	require.True(t, ok)
	require.Equal(t, "a/", text)
	_, _ = append(descriptor, 0), append(value, 0)
	require.Equal(t, RawValue(encoded(t, `00 a3 11 "com.microsoft:uri" a1 02 "a/"`)), v, "both are clipped")
	allocs(t, 0, "RawValue.Described", func() { _, _, _ = v.Described() })

	outer, inner, ok := RawValue(encoded(t, `00 53 01 00 53 02 41`)).Described()
	require.True(t, ok)
	require.Equal(t, RawValue{0x53, 1}, outer)
	_, inner, ok = inner.Described()
	require.True(t, ok)
	require.Equal(t, RawValue{0x41}, inner)

	for _, wrong := range []string{``, `41`, `00`, `00 53`, `00 53 01`, `00 53 01 a1 02 "a"`, `00 53 01 41 41`, `00 3f 41`, `45`} {
		descriptor, value, ok := RawValue(encoded(t, wrong)).Described()
		require.False(t, ok, wrong)
		require.Nil(t, descriptor)
		require.Nil(t, value)
	}
}

// be32 returns a number as a size of AMQP.
func be32(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// An array of ubyte reads as bytes wherever bytes are due, and is passed on as it is.
func TestUbyteArrays(t *testing.T) {
	const array = `e0 05 03 50 010203`
	want := []byte{1, 2, 3}
	object := encoded(t, `00 53 77`+array)
	m, err := unmarshal(object)
	require.NoError(t, err)
	got, err := Consumer{}.View(m, sentAt()).Object()
	require.NoError(t, err)
	require.Equal(t, any(want), got)
	payload := func(annotation any, value any) Body { return Body{Annotation: annotation, Value: value} }
	b, err := payload(int8(BytesMessage), m.Value).Bytes()
	require.NoError(t, err)
	require.Equal(t, want, b)
	b, err = payload(int8(BytesMessage), m.Value).Payload()
	require.NoError(t, err)
	require.Equal(t, want, b)
	require.Equal(t, ObjectMessage, payload(nil, m.Value).Kind(), "only a binary makes a BytesMessage of an amqp-value")

	b, err = ValueOf("v", m.Value).Bytes()
	require.NoError(t, err)
	require.Equal(t, want, b)
	_, err = ValueOf("v", m.Value).Text()
	wantValueError(t, err, `amqpjms: value "v" array: cannot be read as string`)
	_, err = ValueOf("v", []int32{1}).Bytes()
	wantValueError(t, err, `amqpjms: value "v" array: cannot be read as bytes`)

	for _, row := range []struct{ wire, kind string }{
		{`00 53 77 c1 0b 02 a1 01 "k"` + array, "a map"},
		{`00 53 77 c1 0f 04 a1 01 "x" 40 a1 01 "k"` + array, "a map with other values"},
	} {
		m, err := unmarshal(encoded(t, row.wire))
		require.NoError(t, err, row.kind)
		was := m.Value
		m.Annotations = amqp.Annotations{"x-opt-jms-msg-type": int8(MapMessage)}
		values, err := Consumer{}.View(m, sentAt()).Map()
		require.NoError(t, err)
		require.Equal(t, any(want), values["k"], row.kind)
		require.Equal(t, was, m.Value, "%s: the message's own stays", row.kind)
	}
	m, err = unmarshal(encoded(t, `00 53 76 c0 09 02 40`+array))
	require.NoError(t, err)
	m.Annotations = amqp.Annotations{"x-opt-jms-msg-type": int8(StreamMessage)}
	stream, err := Consumer{}.View(m, sentAt()).Stream()
	require.NoError(t, err)
	require.Equal(t, []any{nil, want}, stream)

	for _, value := range []string{`00 53 77` + array, `00 53 77 c1 0b 02 a1 01 "k"` + array, `00 53 74 c1 0b 02 a1 01 "k"` + array} {
		m, err := unmarshal(encoded(t, value))
		require.NoError(t, err)
		out, err := Forwarder{}.Forward(m, sentAt())
		require.NoError(t, err)
		forwarded, err := out.MarshalBinary()
		require.NoError(t, err)
		require.Contains(t, string(forwarded), string(encoded(t, array)))
		_, err = Producer{}.Prepare(m, sentAt())
		require.NoError(t, err)
		prepared, err := m.MarshalBinary()
		require.NoError(t, err)
		require.Contains(t, string(prepared), string(encoded(t, array)))
	}
}

// Which content-encodings are none, which are charsets, and what is read of data that Text cannot read.
func TestContentEncoding(t *testing.T) {
	body := func(contentType, encoding, data string) Body {
		return Body{ContentType: contentType, ContentEncoding: encoding, Data: [][]byte{[]byte(data)}}
	}
	const plain, latin1 = "text/plain", "text/plain; charset=iso-8859-1"
	for _, row := range []struct {
		rule, contentType, encoding, data string
		want                              string // of Text
		err                               string
	}{
		{"identity is none", plain, "identity", "h\u00e9", "h\u00e9", ""},
		{"binary is none", plain, "binary", "h\u00e9", "h\u00e9", ""},
		{"7bit is none", plain, "7bit", "h", "h", ""},
		{"8bit is none", latin1, "8BIT", "h\xe9", "h\u00e9", ""},
		{"UTF-8 of Spring AMQP", plain, "UTF-8", "caf\u00e9", "caf\u00e9", ""},
		{"utf8", plain, "utf8", "caf\u00e9", "caf\u00e9", ""},
		{"a charset where the content-type names none", plain, "iso-8859-1", "h\xe9", "h\u00e9", ""},
		{"a charset where the content-type names none", "application/json", "ISO8859_1", "h\xe9", "h\u00e9", ""},
		{"a charset where the content-type names none", plain, "UTF-16LE", "h\x00", "h", ""},
		{"the content-type goes first", latin1, "UTF-8", "h\xe9", "h\u00e9", ""},
		{"the content-type goes first", "text/plain; charset=utf-8", "iso-8859-1", "h\u00e9", "h\u00e9", ""},
		{"a charset in which it is invalid", plain, "us-ascii", "h\xe9", "", `text "h\xe9": not valid US-ASCII`},
		{"gzip", plain, "gzip", "\x1f\x8b", "", `body data: unsupported content-encoding "gzip": decompress what Payload returns`},
		{"deflate", plain, "deflate", "x", "", `body data: unsupported content-encoding "deflate": decompress what Payload returns`},
		{"unknown", plain, "acme", "x", "", `body data: unsupported content-encoding "acme": decompress what Payload returns`},
		{"two of them", plain, "gzip, identity", "x", "", `body data: unsupported content-encoding "gzip, identity": decompress what Payload returns`},
		{"Java's charsets", "text/plain; charset=windows-1252", "", "\x80", "\u20ac", ""},
		{"Java's charsets", "text/plain; charset=Cp1252", "", "\x80", "\u20ac", ""},
		{"Java's charsets", "text/plain; charset=ISO8859_1", "", "\xe9", "\u00e9", ""},
		{"Java's charsets", "text/plain; charset=l1", "", "\xe9", "\u00e9", ""},
		{"Java's charsets", "text/plain; charset=ANSI_X3.4-1968", "", "a", "a", ""},
		{"Java's charsets", "text/plain; charset=ISO8859_15", "", "\xa4", "\u20ac", ""},
		{"Java's charsets", `text/plain; charset="ISO_8859-1:1987"`, "", "\xe9", "\u00e9", ""},
		{"Java's charsets", "text/plain; charset=UTF8", "", "\u00e9", "\u00e9", ""},
		{"Java's charsets", "text/plain; charset=UnicodeBig", "", "\x00h", "h", ""},
		{"a byte that windows-1252 leaves undefined", "text/plain; charset=windows-1252", "", "\x81", "", `text "\x81": not valid windows-1252`},
	} {
		b := body(row.contentType, row.encoding, row.data)
		require.Equal(t, TextMessage, b.Kind(), row.rule)
		text, err := b.Text()
		payload, perr := b.Payload()
		require.NoError(t, perr, row.rule)
		if row.err != "" {
			wantValueError(t, err, "amqpjms: "+row.err)
			require.Equal(t, row.data, string(payload), "%s: the bytes are not withheld", row.rule)
			continue
		}
		require.NoError(t, err, row.rule)
		require.Equal(t, Some(row.want), text, "%s: %+v", row.rule, b)
		require.Equal(t, row.want, string(payload), row.rule)
	}
	got, err := body("application/octet-stream", "gzip", "\x1f\x8b").Bytes()
	require.NoError(t, err)
	require.Equal(t, []byte{0x1f, 0x8b}, got, "bytes stay bytes")
	bad := Body{Annotation: int8(TextMessage), Data: [][]byte{{0xff}}}
	allocs(t, 0, "Payload, text that cannot be read", func() { _, _ = bad.Payload() })
}

// Messages that were found in use.
func TestTextsFound(t *testing.T) {
	for _, row := range []struct{ rule, wire, text, payload string }{
		{"text/plain with content-encoding UTF-8", `005370c0020141005373c01a08404040404040a30a746578742f706c61696ea3055554462d38005375a005636166c3a9`, "caf\u00e9", "caf\u00e9"},
		{"Java text in windows-1252", `005370c0020141005373c02907404040404040a320746578742f706c61696e3b20636861727365743d77696e646f77732d31323532005375a00180`, "\u20ac", "\u20ac"},
		{"JSON in gzip", `005370c0020141005373c01f08404040404040a3106170706c69636174696f6e2f6a736f6ea304677a6970005375a0031f8b08`, "", "\x1f\x8b\x08"},
	} {
		m, err := unmarshal(encoded(t, row.wire))
		require.NoError(t, err, row.rule)
		v := Consumer{}.View(m, sentAt())
		text, err := v.Text()
		if row.text == "" {
			require.ErrorContains(t, err, `unsupported content-encoding "gzip"`)
			require.Equal(t, "gzip", must(v.Body()).ContentEncoding)
			require.Equal(t, "application/json", must(v.Body()).ContentType)
		} else {
			require.NoError(t, err, row.rule)
			require.Equal(t, Some(row.text), text, row.rule)
		}
		payload, err := v.Payload()
		require.NoError(t, err, row.rule)
		require.Equal(t, row.payload, string(payload), row.rule)
	}
}

// The caller decodes charsets that Text does not know, and no others.
func TestTextFunc(t *testing.T) {
	called := ""
	koi8 := func(name string, data []byte) (string, error) {
		called = name
		switch string(data) {
		case "\xc1":
			return "\u0430", nil
		case "wrong":
			return "\xff", nil
		}
		return "", errors.New("no KOI8-R")
	}
	for _, row := range []struct {
		rule         string
		b            Body
		want         Opt[string]
		called, fail string
	}{
		{"an unknown charset", Body{ContentType: "text/plain; charset=KOI8-R", Data: [][]byte{{0xc1}}}, Some("\u0430"), "KOI8-R", ""},
		{"a known one", Body{ContentType: "text/plain; charset=l1", Data: [][]byte{{0xc1}}}, Some("\u00c1"), "", ""},
		{"none", Body{ContentType: "text/plain", Data: [][]byte{{0xc1}}}, Opt[string]{}, "", `text "\xc1": not valid UTF-8`},
		{"a string", Body{Value: "a"}, Some("a"), "", ""},
		{"null", Body{Value: amqp.Null{}}, Opt[string]{}, "", ""},
		{"its error", Body{ContentType: "text/plain; charset=koi8-r", Data: [][]byte{{1}}}, Opt[string]{}, "koi8-r", `charset "koi8-r": no KOI8-R`},
		{"it returns no UTF-8", Body{ContentType: "text/plain; charset=koi8-r", Data: [][]byte{[]byte("wrong")}}, Opt[string]{}, "koi8-r", `text "\xff": not valid UTF-8`},
		{"compressed", Body{ContentType: "text/plain; charset=koi8-r", ContentEncoding: "gzip", Data: [][]byte{{0xc1}}}, Opt[string]{}, "",
			`body data: unsupported content-encoding "gzip": decompress what Payload returns`},
		{"parameters that are none", Body{ContentType: "text/plain; charset", Data: [][]byte{{0xc1}}}, Opt[string]{}, "",
			`content-type "text/plain; charset": mime: invalid media parameter`},
		{"another kind", Body{Value: int8(1)}, Opt[string]{}, "", `body amqp-value byte: got ObjectMessage, want TextMessage`},
	} {
		called = ""
		got, err := row.b.TextFunc(koi8)
		require.Equal(t, row.want, got, row.rule)
		require.Equal(t, row.called, called, row.rule)
		if row.fail == "" {
			require.NoError(t, err, row.rule)
		} else {
			wantValueError(t, err, "amqpjms: "+row.fail)
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
		kind, err := m.kind()
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
		kind, err := m.kind()
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
		got, err := m.kind()
		require.NoError(t, err, row.rule)
		require.Equal(t, row.want, got, row.rule)
		allocs(t, row.allocs, "Kind, "+row.rule, func() { _, _ = m.kind() })
	}
	// Check does look.
	require.Contains(t, Check(encoded(t, `00 53 77 c1 02 02 40`), Peer{}), Problem{"body", "AMQP 1.0", "body at byte 5: count too large for 1 bytes: unexpected EOF"})
}

// What go-amqp shows of described values and arrays of ubyte, encoded messages show too.
func TestRareValuesEncoded(t *testing.T) {
	const uri, array = `00 a3 11 "com.microsoft:uri" a1 02 "a/"`, `e0 05 03 50 010203`
	described := Described{amqp.Symbol("com.microsoft:uri"), "a/"}
	of := func(kind MessageKind) string {
		return fmt.Sprintf(`00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 %02x`, uint8(kind))
	}
	for _, row := range []struct {
		rule, wire string
		get        func(v View) (any, error)
		want       any
	}{
		{"property", `00 53 74 c1 1c 02 a1 01 "k"` + uri + `00 53 75 a0 00`, func(v View) (any, error) { return v.Property("k").Described() }, described},
		{"property", `00 53 74 c1 0b 02 a1 01 "k"` + array + `00 53 75 a0 00`, func(v View) (any, error) { return v.Property("k").Bytes() }, []byte{1, 2, 3}},
		{"object", `00 53 77` + uri, View.Object, described},
		{"object", `00 53 77` + array, View.Object, []byte{1, 2, 3}},
		{"object", `00 53 77 00 a3 01 "a" 53 07`, View.Object, Described{amqp.Symbol("a"), uint64(7)}},
		{"object", `00 53 77 00 80 0000013700000007 45`, View.Object, Described{uint64(0x0000013700000007), []any{}}},
		{"bytes", of(BytesMessage) + `00 53 77` + array, func(v View) (any, error) { return v.Bytes() }, []byte{1, 2, 3}},
		{"payload", of(BytesMessage) + `00 53 77` + array, func(v View) (any, error) { return v.Payload() }, []byte{1, 2, 3}},
		{"map", of(MapMessage) + `00 53 77 c1 0b 02 a1 01 "k"` + array, func(v View) (any, error) { return v.Map() }, map[string]any{"k": []byte{1, 2, 3}}},
		{"map", of(MapMessage) + `00 53 77 c1 1c 02 a1 01 "k"` + uri, func(v View) (any, error) { return v.Map() }, map[string]any{"k": described}},
		{"stream", of(StreamMessage) + `00 53 76 c0 09 02 40` + array, func(v View) (any, error) { return v.Stream() }, []any{nil, []byte{1, 2, 3}}},
		{"stream", of(StreamMessage) + `00 53 77 c0 1a 02 40` + uri, func(v View) (any, error) { return v.Stream() }, []any{nil, described}},
	} {
		b := encoded(t, row.wire)
		m, err := unmarshal(b)
		require.NoError(t, err, row.rule)
		var raw RawMessage
		require.NoError(t, raw.Parse(b), row.rule)
		for _, v := range []View{Consumer{}.View(m, sentAt()), Consumer{}.ViewRaw(&raw, sentAt())} {
			got, err := row.get(v)
			require.NoError(t, err, row.rule)
			require.Equal(t, fmt.Sprintf("%T %[1]v", row.want), fmt.Sprintf("%T %[1]v", got), "%s: %s", row.rule, row.wire)
		}
	}
	_, err := ValueOf("v", RawValue(encoded(t, `00 a3 01 "a" 3f`))).Described()
	require.Error(t, err)
	inner, err := ValueOf("v", RawValue(encoded(t, `00 a3 01 "a" 00 53 01 41`))).Described()
	require.NoError(t, err)
	inner, err = ValueOf("v", inner.Value).Described()
	require.NoError(t, err)
	require.Equal(t, Described{uint64(1), true}, inner)
}
