package amqpjms

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

var aUUID = amqp.UUID{0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0}

// idRows are ids on the wire, in their smallest encoding, and as JMS has them. (AMQPBINDMAP-15) [amqp 1.6]
func idRows() []struct {
	name        string
	value       any // of go-amqp
	wire        string
	message     string
	correlation string
} {
	return []struct {
		name                       string
		value                      any
		wire, message, correlation string
	}{
		{"none", nil, "40", "", ""},
		{"with prefix", "ID:my-string-id", "a1 0f 49 44 3a 6d 79 2d 73 74 72 69 6e 67 2d 69 64", "ID:my-string-id", "ID:my-string-id"},
		{"without prefix", "my-id", "a1 05 6d 79 2d 69 64", "ID:AMQP_NO_PREFIX:my-id", "my-id"},
		{"empty", "", "a1 00", "ID:AMQP_NO_PREFIX:", ""},
		{"the prefix alone", "ID:", "a1 03 49 44 3a", "ID:", "ID:"},
		{"half a prefix", "ID", "a1 02 49 44", "ID:AMQP_NO_PREFIX:ID", "ID"},
		{"the prefix in lower case", "id:a", "a1 04 69 64 3a 61", "ID:AMQP_NO_PREFIX:id:a", "id:a"},
		{"a marker without prefix", "AMQP_ULONG:foo", "a1 0e 41 4d 51 50 5f 55 4c 4f 4e 47 3a 66 6f 6f", "ID:AMQP_NO_PREFIX:AMQP_ULONG:foo", "AMQP_ULONG:foo"},
		// The one example of AMQPBINDMAP-15 that contradicts its rules has "AMQP_ULONG:foo" here.
		{"a marker with a space", "AMQP ULONG:foo", "a1 0e 41 4d 51 50 20 55 4c 4f 4e 47 3a 66 6f 6f", "ID:AMQP_NO_PREFIX:AMQP ULONG:foo", "AMQP ULONG:foo"},
		{"marker ulong", "ID:AMQP_ULONG:my-id", "a1 13 49 44 3a 41 4d 51 50 5f 55 4c 4f 4e 47 3a 6d 79 2d 69 64", "ID:AMQP_STRING:ID:AMQP_ULONG:my-id", "ID:AMQP_STRING:ID:AMQP_ULONG:my-id"},
		{"marker uuid, nothing after it", "ID:AMQP_UUID:", "a1 0d 49 44 3a 41 4d 51 50 5f 55 55 49 44 3a", "ID:AMQP_STRING:ID:AMQP_UUID:", "ID:AMQP_STRING:ID:AMQP_UUID:"},
		{"marker binary", "ID:AMQP_BINARY:00", "a1 11 49 44 3a 41 4d 51 50 5f 42 49 4e 41 52 59 3a 30 30", "ID:AMQP_STRING:ID:AMQP_BINARY:00", "ID:AMQP_STRING:ID:AMQP_BINARY:00"},
		{"marker string", "ID:AMQP_STRING:a", "a1 10 49 44 3a 41 4d 51 50 5f 53 54 52 49 4e 47 3a 61", "ID:AMQP_STRING:ID:AMQP_STRING:a", "ID:AMQP_STRING:ID:AMQP_STRING:a"},
		{"marker no-prefix", "ID:AMQP_NO_PREFIX:a", "a1 13 49 44 3a 41 4d 51 50 5f 4e 4f 5f 50 52 45 46 49 58 3a 61", "ID:AMQP_STRING:ID:AMQP_NO_PREFIX:a", "ID:AMQP_STRING:ID:AMQP_NO_PREFIX:a"},
		{"no marker: another word", "ID:AMQP_FOO:a", "a1 0d 49 44 3a 41 4d 51 50 5f 46 4f 4f 3a 61", "ID:AMQP_FOO:a", "ID:AMQP_FOO:a"},
		{"no marker: no colon", "ID:AMQP_ULONG", "a1 0d 49 44 3a 41 4d 51 50 5f 55 4c 4f 4e 47", "ID:AMQP_ULONG", "ID:AMQP_ULONG"},
		{"no marker: lower case", "ID:amqp_uuid:", "a1 0d 49 44 3a 61 6d 71 70 5f 75 75 69 64 3a", "ID:amqp_uuid:", "ID:amqp_uuid:"},
		{"no marker: not at once", "ID:ID:AMQP_UUID:", "a1 10 49 44 3a 49 44 3a 41 4d 51 50 5f 55 55 49 44 3a", "ID:ID:AMQP_UUID:", "ID:ID:AMQP_UUID:"},
		{"beyond ASCII", "ü", "a1 02 c3 bc", "ID:AMQP_NO_PREFIX:ü", "ü"},
		{"NUL", "ID:\x00", "a1 04 49 44 3a 00", "ID:\x00", "ID:\x00"},
		{"ulong 0", uint64(0), "44", "ID:AMQP_ULONG:0", "ID:AMQP_ULONG:0"},
		{"ulong 42", uint64(42), "53 2a", "ID:AMQP_ULONG:42", "ID:AMQP_ULONG:42"},
		{"ulong 255", uint64(255), "53 ff", "ID:AMQP_ULONG:255", "ID:AMQP_ULONG:255"},
		{"ulong 256", uint64(256), "80 00 00 00 00 00 00 01 00", "ID:AMQP_ULONG:256", "ID:AMQP_ULONG:256"},
		{"ulong 2^63", uint64(1 << 63), "80 80 00 00 00 00 00 00 00", "ID:AMQP_ULONG:9223372036854775808", "ID:AMQP_ULONG:9223372036854775808"},
		{"ulong 2^64-1", uint64(math.MaxUint64), "80 ff ff ff ff ff ff ff ff", "ID:AMQP_ULONG:18446744073709551615", "ID:AMQP_ULONG:18446744073709551615"},
		{"uuid", aUUID, "98 0f 1e 2d 3c 4b 5a 69 78 87 96 a5 b4 c3 d2 e1 f0",
			"ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"},
		{"uuid 0", amqp.UUID{}, "98 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
			"ID:AMQP_UUID:00000000-0000-0000-0000-000000000000", "ID:AMQP_UUID:00000000-0000-0000-0000-000000000000"},
		{"binary", []byte{0xab, 0xcd, 0xef}, "a0 03 ab cd ef", "ID:AMQP_BINARY:ABCDEF", "ID:AMQP_BINARY:ABCDEF"},
		{"an empty binary is not none", []byte{}, "a0 00", "ID:AMQP_BINARY:", "ID:AMQP_BINARY:"},
		{"a binary that is text", []byte("ID:a"), "a0 04 49 44 3a 61", "ID:AMQP_BINARY:49443A61", "ID:AMQP_BINARY:49443A61"},
	}
}

func TestIDs(t *testing.T) {
	for _, row := range idRows() {
		t.Run(row.name, func(t *testing.T) {
			wire := unhexed(t, row.wire)
			id, err := IDFrom(row.value)
			require.NoError(t, err)
			require.Equal(t, row.message, id.JMSMessageID(), "IDFrom(%v).MessageID()", row.value)
			require.Equal(t, row.correlation, id.String())
			require.Equal(t, row.correlation, id.JMSCorrelationID(), "IDFrom(%v).CorrelationID()", row.value)
			require.Equal(t, "before"+row.message, string(id.AppendMessageID([]byte("before"))))
			require.Equal(t, "before"+row.correlation, string(id.AppendCorrelationID([]byte("before"))))
			require.Equal(t, row.value, id.Value())
			require.Equal(t, row.value == nil, id.IsZero())
			require.Equal(t, append([]byte("before"), wire...), id.AppendTo([]byte("before")), "IDFrom(%v).AppendTo: want %s", row.value, row.wire)

			read, err := RawValue(wire).ID()
			require.NoError(t, err)
			require.Equal(t, id, read, "RawValue(%s).ID()", row.wire)
			onWire(t, id)

			// Both JMS strings give the same id again, none apart, which JMS writes as null and not as "".
			if row.value == nil {
				return
			}
			for _, s := range []string{row.message, row.correlation} {
				back, err := ParseID(s)
				require.NoError(t, err, "ParseID(%q)", s)
				require.Equal(t, id, back, "ParseID(%q)", s)
			}
		})
	}
}

// onWire checks that an id comes through a message that go-amqp writes, and through one of which we wrote the id.
func onWire(t testing.TB, id ID) {
	t.Helper()
	ours := id.AppendTo([]byte{0, 0x53, 0x73, 0xd0, 0, 0, 0, 0, 0, 0, 0, 6})
	ours = id.AppendTo(append(ours, 0x40, 0x40, 0x40, 0x40))
	size := len(ours) - 8
	ours[4], ours[5], ours[6], ours[7] = byte(size>>24), byte(size>>16), byte(size>>8), byte(size)
	theirs, err := (&amqp.Message{Properties: &amqp.MessageProperties{MessageID: id.Value(), CorrelationID: id.Value()}}).MarshalBinary()
	require.NoError(t, err, "go-amqp writes %v", id)
	for _, wire := range [][]byte{ours, theirs} {
		var am amqp.Message
		require.NoError(t, am.UnmarshalBinary(wire), "% x", wire)
		require.Equal(t, id.Value(), am.Properties.MessageID, "go-amqp reads % x", wire)
		require.Equal(t, id.Value(), am.Properties.CorrelationID, "go-amqp reads % x", wire)
		var m RawMessage
		require.NoError(t, m.Parse(wire), "% x", wire)
		for _, get := range []func() (ID, error){m.MessageID, m.CorrelationID} {
			read, err := get()
			require.NoError(t, err, "% x", wire)
			require.Equal(t, id, read, "% x", wire)
		}
		b, err := m.AppendMessageID([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before"+id.JMSMessageID(), string(b))
		b, err = m.AppendCorrelationID([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before"+id.JMSCorrelationID(), string(b))
	}
}

// What we write for every id that was recorded is read back as the same by go-amqp and by us.
func TestRecordedIDsComeThrough(t *testing.T) {
	seen := map[ID]bool{}
	eachWire(t, func(c golden.Case, wire []byte) {
		var m RawMessage
		if m.Parse(wire) != nil {
			return
		}
		for _, get := range []func() (ID, error){m.MessageID, m.CorrelationID} {
			if id, err := get(); err == nil && !seen[id] {
				seen[id] = true
				onWire(t, id)
				wantLaws(t, id)
			}
		}
	})
	require.Greater(t, len(seen), 300)
}

func TestParseID(t *testing.T) {
	for _, row := range []struct {
		jms  string
		want any
	}{
		{"", ""},
		{"application-specific", "application-specific"},
		{"AMQP_ULONG:42", "AMQP_ULONG:42"},
		{"AMQP ULONG:foo", "AMQP ULONG:foo"},
		{"id:AMQP_ULONG:42", "id:AMQP_ULONG:42"},
		{" ID:AMQP_ULONG:42", " ID:AMQP_ULONG:42"},
		{"ID:", "ID:"},
		{"ID:a", "ID:a"},
		{"ID:AMQP_", "ID:AMQP_"},
		{"ID:AMQP_ULONG", "ID:AMQP_ULONG"},
		{"ID:AMQP_ULONG 42", "ID:AMQP_ULONG 42"},
		{"ID:AMQP_Ulong:x", "ID:AMQP_Ulong:x"},
		{"ID:AMQP_LONG:x", "ID:AMQP_LONG:x"},
		{"ID:AMQP_STRING:", ""},
		{"ID:AMQP_STRING:x", "x"}, // an escape that was not needed
		{"ID:AMQP_STRING:ID:AMQP_ULONG:x", "ID:AMQP_ULONG:x"},
		{"ID:AMQP_STRING:ID:AMQP_STRING:x", "ID:AMQP_STRING:x"}, // one escape is taken off
		{"ID:AMQP_NO_PREFIX:", ""},
		{"ID:AMQP_NO_PREFIX:x", "x"},
		{"ID:AMQP_NO_PREFIX:ID:x", "ID:x"},
		{"ID:AMQP_NO_PREFIX:ID:AMQP_UUID:x", "ID:AMQP_UUID:x"},
		{"ID:AMQP_ULONG:0", uint64(0)},
		{"ID:AMQP_ULONG:9", uint64(9)},
		{"ID:AMQP_ULONG:18446744073709551615", uint64(math.MaxUint64)},
		{"ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", aUUID},
		{"ID:AMQP_UUID:0F1E2D3C-4B5a-6978-8796-A5B4C3D2E1F0", aUUID},
		{"ID:AMQP_BINARY:", []byte{}},
		{"ID:AMQP_BINARY:abCDeF09", []byte{0xab, 0xcd, 0xef, 0x09}},
	} {
		id, err := ParseID(row.jms)
		require.NoError(t, err, "ParseID(%q)", row.jms)
		require.Equal(t, row.want, id.Value(), "ParseID(%q)", row.jms)
	}
}

func TestParseIDErrors(t *testing.T) {
	const (
		ulong  = "not an unsigned 64-bit decimal"
		uuid   = "not a uuid of 8-4-4-4-12 hex digits"
		binary = "not pairs of hex digits"
		text   = "not valid UTF-8"
	)
	for _, row := range []struct{ jms, want string }{
		{"ID:AMQP_ULONG:forty", ulong},
		{"ID:AMQP_ULONG:", ulong},
		{"ID:AMQP_ULONG:+42", ulong},
		{"ID:AMQP_ULONG:-0", ulong},
		{"ID:AMQP_ULONG:-1", ulong},
		{"ID:AMQP_ULONG:007", ulong},
		{"ID:AMQP_ULONG:00", ulong},
		{"ID:AMQP_ULONG: 42", ulong},
		{"ID:AMQP_ULONG:42 ", ulong},
		{"ID:AMQP_ULONG:4_2", ulong},
		{"ID:AMQP_ULONG:0x2a", ulong},
		{"ID:AMQP_ULONG:42.0", ulong},
		{"ID:AMQP_ULONG:4e2", ulong},
		{"ID:AMQP_ULONG:18446744073709551616", ulong},
		{"ID:AMQP_ULONG:٤٢", ulong},
		{"ID:AMQP_ULONG:４２", ulong},
		{"ID:AMQP_UUID:", uuid},
		{"ID:AMQP_UUID:1-2-3-4-5", uuid},
		{"ID:AMQP_UUID:0f1e2d3c4b5a69788796a5b4c3d2e1f0", uuid},
		{"ID:AMQP_UUID:0f1e2d3c4-b5a-6978-8796-a5b4c3d2e1f0", uuid},
		{"ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796a-5b4c3d2e1f0", uuid},
		{"ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f", uuid},
		{"ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f00", uuid},
		{"ID:AMQP_UUID:gf1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", uuid},
		{"ID:AMQP_UUID: 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", uuid},
		{"ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 ", uuid},
		{"ID:AMQP_UUID:{0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0}", uuid},
		{"ID:AMQP_UUID:urn:uuid:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", uuid},
		{"ID:AMQP_UUID:{0f1e2d3c4b5a69788796a5b4c3d2e1f01}", uuid},
		{"ID:AMQP_UUID:+f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", uuid},
		{"ID:AMQP_BINARY:0", binary},
		{"ID:AMQP_BINARY:ABC", binary},
		{"ID:AMQP_BINARY:01 2", binary},
		{"ID:AMQP_BINARY:0x", binary},
		{"ID:AMQP_BINARY:+1", binary},
		{"ID:AMQP_BINARY:gg", binary},
		{"ID:AMQP_BINARY:0/", binary}, // what stands beside the digits in ASCII
		{"ID:AMQP_BINARY::0", binary},
		{"ID:AMQP_BINARY:0@", binary},
		{"ID:AMQP_BINARY:G0", binary},
		{"ID:AMQP_BINARY:0`", binary},
		{"ID:AMQP_BINARY:０１", binary},
		{"\xff", text},
		{"ID:\xc0\x80", text},
		{"ID:AMQP_STRING:\xed\xa0\x80", text},
		{"ID:AMQP_ULONG:\xff", text},
	} {
		id, err := ParseID(row.jms)
		wantValueError(t, err, fmt.Sprintf("amqpjms: id %q: %s", row.jms, row.want))
		require.Zero(t, id, "ParseID(%q)", row.jms)
	}
	// A long one is cut.
	id, err := ParseID("ID:AMQP_BINARY:" + strings.Repeat("0", 1<<20+1))
	wantValueError(t, err, `amqpjms: id "ID:AMQP_BINARY:`+strings.Repeat("0", 49)+`"… (1048592 bytes): not pairs of hex digits`)
	require.Zero(t, id)
}

func TestIDFrom(t *testing.T) {
	for _, row := range []struct{ v, want any }{
		{nil, nil},
		{amqp.Null{}, nil},
		{[]byte(nil), nil},
		{[]byte{}, []byte{}},
		{"", ""},
		{uint64(0), uint64(0)},
		{aUUID, aUUID},
		{uuid.UUID(aUUID), aUUID},
		{amqp.UUID{}, amqp.UUID{}},
	} {
		id, err := IDFrom(row.v)
		require.NoError(t, err, "IDFrom(%#v)", row.v)
		require.Equal(t, row.want, id.Value(), "IDFrom(%#v)", row.v)
	}
	type text string
	s := "s"
	for v, typ := range map[any]string{
		42: "int", int64(42): "int64", uint32(42): "uint32", true: "bool", 1.5: "float64", 'a': "int32", text("t"): "amqpjms.text",
		[16]byte{}: "[16]uint8", &s: "*string", time.Time{}: "time.Time", ID{}: "amqpjms.ID",
	} {
		id, err := IDFrom(v)
		wantValueError(t, err, "amqpjms: id of type "+typ+": want string, uint64, amqp.UUID, uuid.UUID or []byte")
		require.Zero(t, id)
	}
	id, err := IDFrom("a\xff" + strings.Repeat("b", 100))
	wantValueError(t, err, `amqpjms: id "a\xff`+strings.Repeat("b", 62)+`"… (102 bytes): not valid UTF-8`)
	require.Zero(t, id)
}

// Ids hold copies: what the caller does with its bytes later changes no id, and what it does with ours neither.
func TestIDCopies(t *testing.T) {
	b := []byte{1, 2}
	id, err := IDFrom(b)
	require.NoError(t, err)
	b[0] = 9
	v := id.Value().([]byte)
	require.Equal(t, []byte{1, 2}, v)
	v[0] = 9
	c, err := id.CorrelationIDAsBytes()
	require.NoError(t, err)
	require.Equal(t, []byte{1, 2}, c)
	c[0] = 9
	require.Equal(t, []byte{1, 2}, id.Value())

	wire := unhexed(t, "00 53 73 c0 05 01 a0 02 01 02")
	var m RawMessage
	require.NoError(t, m.Parse(wire))
	read, err := m.MessageID()
	require.NoError(t, err)
	wire[8] = 9
	require.Equal(t, id, read)
}

func TestCorrelationIDAsBytes(t *testing.T) {
	for _, row := range []struct {
		v    any
		want []byte
		err  string
	}{
		{nil, nil, ""},
		{[]byte{}, []byte{}, ""},
		{[]byte{0, 255}, []byte{0, 255}, ""},
		{"my-id", nil, `amqpjms: id "my-id": got string, want binary`},
		{"", nil, `amqpjms: id "": got string, want binary`},
		{uint64(42), nil, `amqpjms: id "ID:AMQP_ULONG:42": got ulong, want binary`},
		{aUUID, nil, `amqpjms: id "ID:AMQP_UUID:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0": got uuid, want binary`},
	} {
		id, err := IDFrom(row.v)
		require.NoError(t, err)
		b, err := id.CorrelationIDAsBytes()
		require.Equal(t, row.want, b, "%v", row.v)
		if row.err == "" {
			require.NoError(t, err, "%v", row.v)
		} else {
			wantValueError(t, err, row.err)
		}
	}
}

func TestNewID(t *testing.T) {
	form := regexp.MustCompile("^ID:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
	seen := map[ID]bool{}
	var zeros, ones [16]byte // the bits that were seen to be so
	for range 1000 {
		id := NewID()
		for i, b := range uuid.MustParse(strings.TrimPrefix(id.JMSMessageID(), "ID:")) {
			zeros[i] |= ^b
			ones[i] |= b
		}
		require.Regexp(t, form, id.JMSMessageID())
		require.Equal(t, id.JMSMessageID(), id.Value())
		require.False(t, seen[id])
		seen[id] = true
		back, err := ParseID(id.JMSMessageID())
		require.NoError(t, err)
		require.Equal(t, id, back)
	}
	// All bits are random but those of the version, 4, and the variant, binary 10. [rfc 9562 5.4]
	for i := range zeros {
		fixed, bits := byte(0), byte(0)
		switch i {
		case 6:
			fixed, bits = 0xf0, 0x40
		case 8:
			fixed, bits = 0xc0, 0x80
		}
		require.Equal(t, ^fixed|^bits, zeros[i], "byte %d: bits that were 0", i)
		require.Equal(t, ^fixed|bits, ones[i], "byte %d: bits that were 1", i)
	}
}

// Ids are keys: equal where type and value are, however they were made.
func TestIDComparable(t *testing.T) {
	seen := map[ID]string{}
	for _, row := range idRows() {
		id, err := RawValue(unhexed(t, row.wire)).ID()
		require.NoError(t, err)
		require.Empty(t, seen[id], "%s is the same as %s", row.name, seen[id])
		seen[id] = row.name
		from, err := IDFrom(row.value)
		require.NoError(t, err)
		require.Equal(t, row.name, seen[from])
	}
	require.Equal(t, "none", seen[ID{}])
}

func TestWrongIDsOnTheWire(t *testing.T) {
	const notAnID = ", want string, ulong, uuid or binary"
	for _, row := range []struct{ name, wire, want string }{
		{"symbol that is not ASCII", "a3 01 ff", "at byte 2: symbol is not ASCII"},
		{"uint", "52 2a", "at byte 0: got uint" + notAnID},
		{"long", "55 2a", "at byte 0: got long" + notAnID},
		{"timestamp", "83 00 00 00 00 00 00 00 2a", "at byte 0: got timestamp" + notAnID},
		{"boolean", "41", "at byte 0: got boolean" + notAnID},
		{"list", "45", "at byte 0: got list" + notAnID},
		{"described string", "00 a3 01 61 a1 01 61", "at byte 0: got described value" + notAnID},
		{"no format code", "3f", "at byte 0: invalid format code 0x3f"},
		{"string that is not UTF-8", "a1 01 ff", "at byte 2: string is not valid UTF-8"},
		{"string with a surrogate", "a1 03 ed a0 80", "at byte 2: string is not valid UTF-8"},
		{"string that is cut off", "a1 02 61", "at byte 3: unexpected EOF"},
		{"ulong that is cut off", "80 00", "at byte 2: unexpected EOF"},
		{"uuid that is cut off", "98 00", "at byte 2: unexpected EOF"},
		{"binary that is cut off", "b0 ff ff ff ff", "at byte 5: unexpected EOF"},
		{"list that is cut off", "c0 ff", "at byte 2: unexpected EOF"},
	} {
		t.Run(row.name, func(t *testing.T) {
			value := unhexed(t, row.wire)
			id, err := RawValue(value).ID()
			wantWireError(t, err, "amqpjms: id "+row.want)
			require.Zero(t, id)

			// The same in a message, seven bytes further on, and the other fields can be read.
			var m RawMessage
			wire := append([]byte{0, 0x53, 0x73, 0xc0, byte(len(value) + 1), 1}, value...)
			require.NoError(t, m.Parse(wire))
			var at int
			var rest string
			_, err = fmt.Sscanf(row.want, "at byte %d:", &at)
			require.NoError(t, err)
			_, rest, _ = strings.Cut(row.want, ": ")
			want := fmt.Sprintf("amqpjms: message-id at byte %d: %s", at+6, rest)
			id, err = m.MessageID()
			wantWireError(t, err, want)
			require.Zero(t, id)
			b, err := m.AppendMessageID([]byte("before"))
			wantWireError(t, err, want)
			require.Equal(t, "before", string(b))
		})
	}
	id, err := RawValue{0x53, 7, 0x40}.ID()
	wantWireError(t, err, "amqpjms: id at byte 2: unexpected trailing data (1 byte)")
	require.Zero(t, id)
	id, err = RawValue(nil).ID()
	require.NoError(t, err)
	require.Zero(t, id)
}

// wantLaws checks the laws of the mapping for one id of the wire: JMSMessageID and JMSCorrelationID give it back, with
// its type, and JMS gets the same string again.
func wantLaws(t testing.TB, id ID) {
	t.Helper()
	if id.IsZero() {
		require.Empty(t, id.JMSMessageID())
		require.Empty(t, id.JMSCorrelationID())
		return
	}
	message, correlation := id.JMSMessageID(), id.JMSCorrelationID()
	require.True(t, strings.HasPrefix(message, "ID:"), "JMSMessageID %q", message)
	for law, s := range map[string]string{"1": message, "2": correlation} {
		back, err := ParseID(s)
		require.NoError(t, err, "law %s: ParseID(%q)", law, s)
		require.Equal(t, id, back, "law %s: ParseID(%q)", law, s)
		require.Equal(t, id.Value(), back.Value(), "law %s: ParseID(%q)", law, s)
		require.Equal(t, id.AppendTo(nil), back.AppendTo(nil), "law %s: ParseID(%q)", law, s)
	}
	back, _ := ParseID(correlation)
	require.Equal(t, correlation, back.JMSCorrelationID(), "law 3")
	require.Equal(t, referenceJMS(id.Value(), true), message)
	require.Equal(t, referenceJMS(id.Value(), false), correlation)
}

// referenceJMS writes an id of go-amqp as JMS does, slowly and by the letter of AMQPBINDMAP-15.
func referenceJMS(v any, message bool) string {
	switch v := v.(type) {
	case string:
		switch {
		case !strings.HasPrefix(v, "ID:") && message:
			return "ID:AMQP_NO_PREFIX:" + v
		case marked.MatchString(v):
			return "ID:AMQP_STRING:" + v
		}
		return v
	case uint64:
		return "ID:AMQP_ULONG:" + new(big.Int).SetUint64(v).String()
	case amqp.UUID:
		return "ID:AMQP_UUID:" + uuid.UUID(v).String()
	case []byte:
		return "ID:AMQP_BINARY:" + strings.ToUpper(hex.EncodeToString(v))
	}
	return ""
}

var (
	marked      = regexp.MustCompile(`(?s)^ID:AMQP_(STRING|NO_PREFIX|UUID|ULONG|BINARY):(.*)$`)
	aDecimal    = regexp.MustCompile(`^(0|[1-9][0-9]{0,19})$`)
	dashedUUID  = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	pairsOfHex  = regexp.MustCompile(`^([0-9a-fA-F]{2})*$`)
	uint64Limit = new(big.Int).Lsh(big.NewInt(1), 64)
)

// referenceParse reads a JMS string in the same manner, and reports false for what is no id.
func referenceParse(s string) (any, bool) {
	if !utf8.ValidString(s) {
		return nil, false
	}
	parts := marked.FindStringSubmatch(s)
	if parts == nil {
		return s, true
	}
	switch rest := parts[2]; parts[1] {
	case "ULONG":
		n, ok := new(big.Int).SetString(rest, 10)
		if !ok || !aDecimal.MatchString(rest) || n.Cmp(uint64Limit) >= 0 {
			return nil, false
		}
		return n.Uint64(), true
	case "UUID":
		b, err := hex.DecodeString(strings.ReplaceAll(rest, "-", ""))
		if err != nil || !dashedUUID.MatchString(rest) {
			return nil, false
		}
		return amqp.UUID(b), true
	case "BINARY":
		b, err := hex.DecodeString(rest)
		return b, err == nil && pairsOfHex.MatchString(rest)
	default:
		return rest, true
	}
}

// someID makes an id of any type; strings are made of what may be taken for something else.
func someID(t testing.TB, r *rand.Rand) ID {
	var v any
	switch r.IntN(4) {
	case 0:
		v = someString(r)
	case 1:
		v = r.Uint64() >> r.IntN(64)
	case 2:
		var u amqp.UUID
		for i := range u {
			u[i] = byte(r.Uint32())
		}
		v = u
	default:
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		v = b
	}
	id, err := IDFrom(v)
	require.NoError(t, err)
	return id
}

func someString(r *rand.Rand) string {
	pieces := []string{"ID:", "ID:", "AMQP_STRING:", "AMQP_NO_PREFIX:", "AMQP_UUID:", "AMQP_ULONG:", "AMQP_BINARY:", "AMQP_", "id:", ":",
		"42", "0", "-", "+", " ", "ab", "CD", "é", "٤", "😀", "\x00", "\n", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", strings.Repeat("x", 300)}
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// The four laws, for ids and strings made at random, the same in every run.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	byMessageID := map[string]ID{}
	for range 20000 {
		id := someID(t, r)
		wantLaws(t, id)
		s := id.JMSMessageID()
		if other, ok := byMessageID[s]; ok {
			require.Equal(t, other, id, "law 4: both are %q", s)
		}
		byMessageID[s] = id
		wantParsed(t, someString(r))
	}
	require.Greater(t, len(byMessageID), 10000)
}

// wantParsed checks ParseID against the reference.
func wantParsed(t testing.TB, jms string) {
	t.Helper()
	id, err := ParseID(jms)
	want, ok := referenceParse(jms)
	if !ok {
		var e *ValueError
		require.ErrorAs(t, err, &e, "ParseID(%q)", jms)
		require.Less(t, len(err.Error()), 400)
		require.Zero(t, id)
		return
	}
	require.NoError(t, err, "ParseID(%q)", jms)
	require.Equal(t, want, id.Value(), "ParseID(%q)", jms)
	wantLaws(t, id)
}

// seedStrings adds every id of the fixtures as JMS writes it, those included that cannot be set.
func seedStrings(f *testing.F, add func(jms string)) {
	f.Helper()
	for _, set := range fixtureSets()[:2] {
		for _, c := range set.cases(f) {
			for _, key := range []string{"set.JMSCorrelationID", "set.JMSMessageID", "observed.JMSMessageID", "JMSMessageID", "JMSCorrelationID"} {
				if strings.Contains(key, ".") != (set.dir == "qpid-jms-send") {
					continue
				}
				if v, ok := c.Value(key); ok && v.Type == "string" {
					add(v.V.(string))
				}
			}
		}
	}
}

func FuzzParseID(f *testing.F) {
	seedStrings(f, func(jms string) { f.Add(jms) })
	f.Fuzz(func(t *testing.T, jms string) { wantParsed(t, jms) })
}

// FuzzIDLaws takes two encoded ids: the laws hold for each, and where they are not the same, neither are their
// JMSMessageIDs.
func FuzzIDLaws(f *testing.F) {
	var before []byte
	for _, row := range idRows() {
		wire := unhexed(f, row.wire)
		f.Add(wire, before)
		before = wire
	}
	seedStrings(f, func(jms string) {
		id, err := ParseID(jms)
		if err == nil {
			wire := id.AppendTo(nil)
			f.Add(wire, before)
			before = wire
		}
	})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		idA, errA := RawValue(a).ID()
		idB, errB := RawValue(b).ID()
		for _, x := range []struct {
			wire []byte
			id   ID
			err  error
		}{{a, idA, errA}, {b, idB, errB}} {
			if x.err != nil {
				wantBroken(t, x.err, len(x.wire))
				require.Zero(t, x.id)
				continue
			}
			wantLaws(t, x.id)
			back, err := RawValue(x.id.AppendTo(nil)).ID()
			require.NoError(t, err)
			require.Equal(t, x.id, back)
		}
		if errA == nil && errB == nil {
			require.Equal(t, idA == idB, idA.JMSMessageID() == idB.JMSMessageID())
			require.Equal(t, idA == idB, bytes.Equal(idA.AppendTo(nil), idB.AppendTo(nil)))
		}
	})
}

// The digits of eight at a time are those of one after the other.
func TestHexDigits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		b := binary.BigEndian.AppendUint64(nil, rnd.Uint64()&rnd.Uint64())
		b = append(b, byte(rnd.Uint64()), byte(rnd.Uint64()))
		u := [16]byte(append(b, b[:6]...))
		require.Equal(t, uuid.UUID(u).String(), string(appendUUID(nil, uuidID(u).hi, uuidID(u).lo)))
		for n := range len(b) {
			require.Equal(t, fmt.Sprintf("%X", b[n:]), string(appendHex(nil, b[n:])))
		}
	}
}

func TestIDAllocs(t *testing.T) {
	dst := make([]byte, 0, 256)
	for _, row := range kindsOfIDs(t) {
		parse, value := 0.0, 1.0
		if row.name == "binary" {
			parse, value = 1, 2
		}
		v := row.id.Value()
		_, wire := propertiesWith(t, row.id)
		raw := RawValue(row.id.AppendTo(nil))
		var m RawMessage
		require.NoError(t, m.Parse(wire))
		allocs(t, parse, row.name+": ParseID", func() { _, _ = ParseID(row.jms) })
		allocs(t, 0, row.name+": RawMessage.AppendMessageID", func() { _, _ = m.AppendMessageID(dst) })
		allocs(t, 0, row.name+": RawMessage.AppendCorrelationID", func() { _, _ = m.AppendCorrelationID(dst) })
		allocs(t, 0, row.name+": AppendMessageID", func() { _ = row.id.AppendMessageID(dst) })
		allocs(t, 0, row.name+": AppendCorrelationID", func() { _ = row.id.AppendCorrelationID(dst) })
		allocs(t, 0, row.name+": AppendTo", func() { _ = row.id.AppendTo(dst) })
		allocs(t, 1, row.name+": MessageID", func() { _ = row.id.JMSMessageID() })
		allocs(t, 1, row.name+": CorrelationID", func() { _ = row.id.JMSCorrelationID() })
		allocs(t, 1, row.name+": RawMessage.MessageID", func() { _, _ = m.MessageID() })
		allocs(t, 1, row.name+": RawValue.ID", func() { _, _ = raw.ID() })
		allocs(t, 1, row.name+": IDFrom", func() { _, _ = IDFrom(v) })
		allocs(t, value, row.name+": Value", func() { sink = row.id.Value() })
	}
	binary, err := IDFrom(make([]byte, 1000))
	require.NoError(t, err)
	allocs(t, 1, "CorrelationIDAsBytes", func() { _, _ = binary.CorrelationIDAsBytes() })
	allocs(t, 1+raceAllocs(), "NewID", func() { _ = NewID() })
	allocs(t, 1, "MessageID of 1000 bytes", func() { _ = binary.JMSMessageID() })
	text, err := IDFrom(idPrefix + markerUUID + strings.Repeat("x", 1000))
	require.NoError(t, err)
	allocs(t, 1, "MessageID of a long string", func() { _ = text.JMSMessageID() })
}

// People read an id as JMSCorrelationID, which ParseID reads back.
func TestIDString(t *testing.T) {
	for _, row := range []struct {
		value any
		text  string
		typ   string
	}{
		{nil, "", ""},
		{"order 7", "order 7", "string"},
		{"ID:7", "ID:7", "string"},
		{"", "", "string"},
		{"ID:AMQP_ULONG:7", "ID:AMQP_STRING:ID:AMQP_ULONG:7", "string"},
		{uint64(42), "ID:AMQP_ULONG:42", "ulong"},
		{amqp.UUID{}, "ID:AMQP_UUID:00000000-0000-0000-0000-000000000000", "uuid"},
		{[]byte{}, "ID:AMQP_BINARY:", "binary"},
	} {
		id, err := IDFrom(row.value)
		require.NoError(t, err)
		require.Equal(t, row.text, fmt.Sprint(id))
		require.Equal(t, row.typ, id.Type(), row.text)
		if row.value == nil {
			continue
		}
		back, err := ParseID(id.String())
		require.NoError(t, err)
		require.Equal(t, id, back)
	}
}

// An id that is a symbol reads as its text, by the reader of the bytes as by that of what go-amqp makes of them.
func TestSymbolIDs(t *testing.T) {
	for wire, text := range map[string]string{
		"005370c0020141005373c00601a303616263005377a10178":                     "ID:AMQP_NO_PREFIX:abc",
		"005370c0020141005373c00901b300000003 616263 005377a10178":             "ID:AMQP_NO_PREFIX:abc",
		"005370c0020141005373c00801a30549443a6162005377a10178":                 "ID:ab",
		"005373c01601a31349443a414d51505f554c4f4e473a3432 2e2e2e 005377a10178": "ID:AMQP_STRING:ID:AMQP_ULONG:42...",
	} {
		b := unhexed(t, wire)
		var m RawMessage
		require.NoError(t, m.Parse(b), wire)
		decoded, err := unmarshal(b)
		require.NoError(t, err, wire)
		for _, v := range []View{Consumer{}.View(decoded, sentAt()), Consumer{}.ViewRaw(&m, sentAt())} {
			id, err := v.MessageID()
			require.NoError(t, err, wire)
			require.Equal(t, text, id.JMSMessageID(), wire)
			require.Equal(t, "string", id.Type(), wire)
		}
		got, err := m.AppendMessageID([]byte("before"))
		require.NoError(t, err, wire)
		require.Equal(t, "before"+text, string(got), wire)
		allocs(t, 0, "AppendMessageID", func() { _, _ = m.AppendMessageID(got[:0]) })
	}
}
