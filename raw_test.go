package amqpjms

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/google/uuid"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseHeaderErrors(t *testing.T) {
	for _, row := range []struct{ name, wire, want string }{
		{"nothing", "", "amqpjms: header at byte 0: unexpected EOF"},
		{"half a descriptor", "00 53", "amqpjms: header at byte 2: unexpected EOF"},
		{"no value", "00 53 70", "amqpjms: header at byte 3: unexpected EOF"},
		{"no size", "00 53 70 c0", "amqpjms: header at byte 4: unexpected EOF"},
		{"a list that is cut off", "00 53 70 c0 02 01", "amqpjms: header at byte 6: unexpected EOF"},
		{"a list32 that is cut off", "00 53 70 d0 ff ff ff ff 00 00 00 01", "amqpjms: header at byte 12: unexpected EOF"},
		{"a field that is cut off", "00 53 70 c0 05 03 40 40 70 00", "amqpjms: header at byte 10: unexpected EOF"},
		{"bytes after the section", "00 53 70 45 00 53 77", "amqpjms: header at byte 4: unexpected trailing data (3 bytes)"},
		{"bytes after the last field", "00 53 70 c0 03 01 41 40", "amqpjms: header at byte 7: unexpected trailing data (1 byte)"},
		{"six fields", "00 53 70 c0 07 06 40 40 40 40 40 40", "amqpjms: header at byte 6: 6 fields, want at most 5"},
		{"another section", "00 53 73 45", "amqpjms: header at byte 0: got properties section, want header"},
		{"no section", "00 53 79 45", "amqpjms: header at byte 0: unknown section descriptor 0x79"},
		{"no section, by a wide number", "00 80 00 00 00 00 00 00 01 70 45", "amqpjms: header at byte 0: unknown section descriptor 0x170"},
		{"no section, the number before the first", "00 53 6f 45", "amqpjms: header at byte 0: unknown section descriptor 0x6f"},
		{"no section, by a small number", "00 80 00 00 00 00 00 00 00 10 45", "amqpjms: header at byte 0: unknown section descriptor 0x10"},
		{"no section, by name", "00 a3 03 61 3a 62 45", `amqpjms: header at byte 0: unknown section descriptor "a:b"`},
		{"not described", "a1 00", "amqpjms: header at byte 0: got string, want described value"},
		{"a map", "00 53 70 c1 01 00", "amqpjms: header at byte 3: got map, want list"},
		{"durable of the wrong type", "00 53 70 c0 03 01 50 01", "amqpjms: header at byte 6: got ubyte, want boolean"},
		{"durable neither true nor false", "00 53 70 c0 03 01 56 02", "amqpjms: header at byte 7: boolean is not 0 or 1"},
		{"no format code", "00 53 70 c0 02 01 3f", "amqpjms: header at byte 6: invalid format code 0x3f"},
		{"priority of the wrong type", "00 53 70 c0 04 02 40 52 07", "amqpjms: header at byte 7: got uint, want ubyte"},
		{"ttl of the wrong type", "00 53 70 c0 05 03 40 40 53 c8", "amqpjms: header at byte 8: got ulong, want uint"},
		{"first-acquirer of the wrong type", "00 53 70 c0 05 04 40 40 40 43", "amqpjms: header at byte 9: got uint, want boolean"},
		{"delivery-count of the wrong type", "00 53 70 c0 07 05 40 40 40 40 54 03", "amqpjms: header at byte 10: got int, want uint"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h, err := ParseHeader(unhexed(t, row.wire))
			wantWireError(t, err, row.want)
			require.Zero(t, h)
		})
	}
}

// A header that ends early is an error wherever it ends, and gives no half of a header.
func TestParseHeaderCutOff(t *testing.T) {
	for _, row := range headerRows() {
		wire := unhexed(t, row.wire)
		for n := range len(wire) {
			h, err := ParseHeader(wire[:n])
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "ParseHeader(% x)", wire[:n])
			require.Zero(t, h)
		}
	}
}

// Making durable explicit changes durable where it was not stated, and nothing else, whoever wrote the message.
func TestAppendExplicitFixtures(t *testing.T) {
	n := 0
	eachWire(t, func(c golden.Case, wire []byte) {
		for node, mode := range map[DeliveryMode]DeliveryMode{ModeUnset: NonPersistent, NonPersistent: NonPersistent, Persistent: Persistent} {
			if testExplicit(t, wire, node, mode, c.At()) {
				n++
			}
		}
	})
	require.Greater(t, n, 3000)
}

// testExplicit checks AppendExplicit of any bytes against Parse; mode is what the node's default means.
func testExplicit(t testing.TB, wire []byte, node, mode DeliveryMode, at string) bool {
	t.Helper()
	before := bytes.Clone(wire)
	prefix := []byte("before")
	out, err := AppendExplicit(prefix, wire, node)
	require.True(t, bytes.Equal(before, wire), "%s: the message was changed", at)
	require.True(t, bytes.HasPrefix(out, []byte("before")), "%s: what dst held was changed", at)
	var m RawMessage
	parsed := m.Parse(wire)
	require.Equal(t, parsed, err, at)
	if err != nil {
		require.Equal(t, []byte("before"), out, at)
		var e *WireError
		require.ErrorAs(t, err, &e, at)
		return false
	}
	out = out[len(prefix):]
	again, err := AppendExplicit(nil, out, Persistent)
	require.NoError(t, err, at)
	require.True(t, bytes.Equal(out, again), "%s: not idempotent", at)
	require.Contains(t, []byte{0x41, 0x42}, out[6], "%s: durable in % x", at, out[:7])
	want := m.Header
	if want.Mode == ModeUnset {
		want.Mode = mode
	}
	var e RawMessage
	require.NoError(t, e.Parse(out), at)
	require.Equal(t, want, e.Header, at)
	require.True(t, bytes.Equal(m.Rest, e.Rest), "%s: what follows the header was changed", at)
	require.True(t, bytes.Equal(out, slices.Concat(want.AppendTo(nil), m.Rest)), at)
	return true
}

func TestAppendExplicit(t *testing.T) {
	const value = " 00 53 77 a1 01 61"
	for _, row := range []struct {
		name string
		msg  string
		node DeliveryMode
		want string
	}{
		{"no message", "", ModeUnset, "00 53 70 c0 02 01 42"},
		{"no header", value, ModeUnset, "00 53 70 c0 02 01 42" + value},
		{"no header, a persistent node", value, Persistent, "00 53 70 c0 02 01 41" + value},
		{"an empty header", "00 53 70 45" + value, NonPersistent, "00 53 70 c0 02 01 42" + value},
		{"durable null", "00 53 70 c0 04 02 40 50 00" + value, ModeUnset, "00 53 70 c0 04 02 42 50 00" + value},
		{"durable true", "00 53 70 c0 03 01 56 01" + value, NonPersistent, "00 53 70 c0 02 01 41" + value},
		{"durable false", "00 53 70 c0 02 01 42" + value, Persistent, "00 53 70 c0 02 01 42" + value},
		{"a wide descriptor", "00 80 00 00 00 00 00 00 00 70 45" + value, ModeUnset, "00 53 70 c0 02 01 42" + value},
		{"the body is not looked at", "00 53 70 45 00 53 77 ff ff", ModeUnset, "00 53 70 c0 02 01 42 00 53 77 ff ff"},
	} {
		got, err := AppendExplicit(nil, unhexed(t, row.msg), row.node)
		require.NoError(t, err, row.name)
		require.Equal(t, unhexed(t, row.want), got, "%s: got % x, want %s", row.name, got, row.want)
	}
	for _, row := range []struct{ name, msg, want string }{
		{"no section", "a1 01 61", "amqpjms: message at byte 0: got string, want described value"},
		{"an unknown section", "00 53 79 45", "amqpjms: message at byte 0: unknown section descriptor 0x79"},
		{"half a descriptor", "00", "amqpjms: message at byte 1: unexpected EOF"},
		{"half a header", "00 53 70 c0 02", "amqpjms: header at byte 5: unexpected EOF"},
		{"a wrong header", "00 53 70 c0 03 01 50 01" + value, "amqpjms: header at byte 6: got ubyte, want boolean"},
		{"a header that is not first", `00 53 71 c1 13 02 a3 07 78 2d 6f 70 74 2d 61 81 00 00 00 00 00 00 00 05 00 53 70 c0 02 01 41 00 53 77 a1 01 78`,
			"amqpjms: message at byte 24: header section after delivery-annotations"},
		{"a second header", "00 53 70 45 00 53 70 45" + value, "amqpjms: message at byte 4: second header section"},
		{"sections out of order", "00 53 73 45 00 53 72 c1 01 00" + value, "amqpjms: message at byte 4: message-annotations section after properties"},
		{"what follows is no section", "00 53 70 45 ff ff", "amqpjms: message at byte 4: invalid format code 0xff"},
		{"a section before the body that is cut off", "00 53 72 c1 ff 00", "amqpjms: message-annotations at byte 6: unexpected EOF"},
	} {
		dst := make([]byte, 3, 64)
		got, err := AppendExplicit(dst, unhexed(t, row.msg), Persistent)
		wantWireError(t, err, row.want)
		require.Equal(t, make([]byte, 3), got, row.name)
		require.Equal(t, make([]byte, 64), got[:64], "%s: dst was written to", row.name)
		got, err = AppendExplicit(nil, unhexed(t, row.msg), Persistent)
		require.Error(t, err)
		require.Nil(t, got, row.name)
	}
}

func TestParseErrors(t *testing.T) {
	for _, row := range []struct{ name, msg, want string }{
		{"no section", "a1 01 61", "amqpjms: message at byte 0: got string, want described value"},
		{"an unknown section", "00 53 73 45 00 53 79 45", "amqpjms: message at byte 4: unknown section descriptor 0x79"},
		{"an unknown section, by a long name", "00 b3 00 00 00 46" + strings.Repeat(" 61", 70) + " 45",
			`amqpjms: message at byte 0: unknown section descriptor "` + strings.Repeat("a", 64) + `"… (70 bytes)`},
		{"a second section", "00 53 73 45 00 53 73 45", "amqpjms: message at byte 4: second properties section"},
		{"a section out of order", "00 53 73 45 00 53 70 45", "amqpjms: message at byte 4: header section after properties"},
		{"a section cut off", "00 53 72 c1 ff 02", "amqpjms: message-annotations at byte 6: unexpected EOF"},
		{"a section of the wrong type", "00 53 74 45", "amqpjms: application-properties at byte 3: got list, want map"},
		{"no room for a count", "00 53 71 c1 00", "amqpjms: delivery-annotations at byte 4: size too small for its count"},
		{"no room for a wide count", "00 53 71 d1 00 00 00 03 00 00 00", "amqpjms: delivery-annotations at byte 4: size too small for its count"},
		{"14 properties", "00 53 73 c0 0f 0e" + strings.Repeat(" 40", 14), "amqpjms: properties at byte 6: 14 fields, want at most 13"},
		{"more properties than bytes", "00 53 73 c0 02 0d 40", "amqpjms: properties at byte 5: count too large for 1 bytes: unexpected EOF"},
		{"a wrong header", "00 53 70 c0 03 01 50 01", "amqpjms: header at byte 6: got ubyte, want boolean"},
		{"half a descriptor after a section", "00 53 73 45 00 53", "amqpjms: message at byte 6: unexpected EOF"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := RawMessage{Body: []byte("of the message before")}
			wantWireError(t, m.Parse(unhexed(t, row.msg)), row.want)
			require.Zero(t, m)
		})
	}
}

func TestBodySectionsErrors(t *testing.T) {
	const value, data, footer = " 00 53 77 40", " 00 53 75 a0 00", " 00 53 78 c1 01 00"
	for _, row := range []struct{ name, msg, want string }{
		{"two values", "00 53 70 45" + value + value, "amqpjms: body at byte 8: second amqp-value section"},
		{"a mixture", value + data, "amqpjms: body at byte 4: data section in a body of amqp-value"},
		{"after the footer", value + footer + data, "amqpjms: body at byte 10: data section after footer"},
		{"two footers", value + footer + footer, "amqpjms: body at byte 10: second footer section"},
		{"properties after the body", data + " 00 53 73 45", "amqpjms: body at byte 5: properties section after data"},
		{"application properties after the body", data + " 00 53 74 c1 01 00", "amqpjms: body at byte 5: application-properties section after data"},
		{"a value after data", data + value, "amqpjms: body at byte 5: amqp-value section in a body of data"},
		{"data of the wrong type", "00 53 75 40", "amqpjms: body at byte 3: got null, want binary in data section"},
		{"a sequence of the wrong type", "00 53 76 c1 01 00", "amqpjms: body at byte 3: got map, want list in amqp-sequence section"},
		{"a footer of the wrong type", value + " 00 53 78 45", "amqpjms: body at byte 7: got list, want map in footer section"},
		{"a value cut off", "00 53 77 a1 05 68", "amqpjms: body at byte 6: unexpected EOF"},
		{"no value", data + " 00 53 75", "amqpjms: body at byte 8: unexpected EOF"},
		{"no section", value + " 40", "amqpjms: body at byte 4: got null, want described value"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var m RawMessage
			require.NoError(t, m.Parse(unhexed(t, row.msg)))
			var errs []error
			for s, err := range m.BodySections() {
				if errs = append(errs, err); err != nil {
					require.Zero(t, s)
				}
			}
			require.Equal(t, len(errs)-1, slices.IndexFunc(errs, func(err error) bool { return err != nil }), "the error ends it")
			wantWireError(t, errs[len(errs)-1], row.want)
		})
	}
}

// A loop over the body may end early, and one RawMessage serves one message after the other.
func TestRawMessageReuse(t *testing.T) {
	var m RawMessage
	require.NoError(t, m.Parse(unhexed(t, "00 53 70 c0 02 01 41 00 53 73 c0 03 01 53 07 00 53 75 a0 00 00 53 75 a0 00")))
	n := 0
	for range m.BodySections() {
		n++
		break
	}
	require.Equal(t, 1, n)
	for s, err := range m.Sections() { // the first before the body, and no more after that
		require.NoError(t, err)
		require.Equal(t, SectionHeader, s.Kind)
		break
	}
	require.NoError(t, m.Parse(nil))
	require.Equal(t, RawMessage{}.Header, m.Header)
	require.Empty(t, slices.Concat(m.HeaderSection, m.Rest, m.Properties, m.Body))
	id, err := m.MessageID()
	require.NoError(t, err)
	require.Zero(t, id)

	var zero RawMessage // an empty message as well
	id, err = zero.MessageID()
	require.NoError(t, err)
	require.Zero(t, id)
	raw, err := zero.Property(FieldTo)
	require.NoError(t, err)
	require.Nil(t, raw)
	for range zero.BodySections() {
		t.Fatal("a section of nothing")
	}
}

func TestGetterErrors(t *testing.T) {
	const msg = "00 53 72 c1 0b 04 a3 01 61 53 07 a3 01 ff a1 05" + // a = 7, then a key that is no symbol, and a value that is cut off
		" 00 53 73 c0 08 04 a3 01 61 53 07 a1 ff" + // message-id symbol, user-id ulong, to a string that is cut off
		" 00 53 74 c1 09 04 a1 01 61 53 07 54 01 40" // a = 7, then a key that is no string
	var m RawMessage
	require.NoError(t, m.Parse(unhexed(t, msg)))
	raw, err := m.Annotation("a")
	require.NoError(t, err)
	require.Equal(t, RawValue{0x53, 7}, raw)
	raw, err = m.Annotation("b")
	wantWireError(t, err, `amqpjms: message-annotations "b" at byte 16: unexpected EOF`)
	require.Nil(t, raw)
	raw, err = m.ApplicationProperty("a")
	require.NoError(t, err)
	require.Equal(t, RawValue{0x53, 7}, raw)
	raw, err = m.ApplicationProperty(strings.Repeat("b", 65))
	wantWireError(t, err, `amqpjms: application-properties "`+strings.Repeat("b", 64)+`"… (65 bytes) at byte 40: key is not a string`)
	require.Nil(t, raw)
	raw, err = m.DeliveryAnnotation("a")
	require.NoError(t, err)
	require.Nil(t, raw)

	// A key of another type matches no name of an annotation, not even the empty one. [amqp 3.2.3]
	require.NoError(t, m.Parse(unhexed(t, "00 53 71 c1 08 04 53 07 41 a3 01 61 42 00 53 72 c1 08 04 53 07 41 a3 01 61 42")))
	for _, get := range []func(string) (RawValue, error){m.Annotation, m.DeliveryAnnotation} {
		raw, err = get("a")
		require.NoError(t, err)
		require.Equal(t, RawValue{0x42}, raw)
		raw, err = get("")
		require.NoError(t, err)
		require.Nil(t, raw)
	}
	// The value that was looked for is cut off, by the map that it stands in.
	require.NoError(t, m.Parse(unhexed(t, "00 53 72 c1 06 02 a3 01 61 a1 05 00 53 75 a0 05 61 61 61 61 61")))
	raw, err = m.Annotation("a")
	wantWireError(t, err, `amqpjms: message-annotations "a" at byte 11: unexpected EOF`)
	require.Nil(t, raw)
	require.NoError(t, m.Parse(unhexed(t, msg)))

	raw, err = m.Property(FieldMessageID) // whatever its type
	require.NoError(t, err)
	require.Equal(t, RawValue{0xa3, 1, 0x61}, raw)
	raw, err = m.Property(FieldUserID)
	require.NoError(t, err)
	require.Equal(t, RawValue{0x53, 7}, raw)
	raw, err = m.Property(FieldTo)
	wantWireError(t, err, "amqpjms: to at byte 29: unexpected EOF")
	require.Nil(t, raw)
	raw, err = m.Property(FieldSubject)
	require.Error(t, err)
	require.Nil(t, raw)
	raw, err = m.Property(FieldReplyToGroupID) // beyond the four: the fields before it are skipped all the same
	require.Error(t, err)
	require.Nil(t, raw)
}

func TestPropertyBeyondTheList(t *testing.T) {
	var m RawMessage
	require.NoError(t, m.Parse(unhexed(t, "00 53 73 c0 03 01 53 07")))
	for f := FieldUserID; f < PropertiesField(propertiesFields)+3; f++ {
		raw, err := m.Property(f)
		require.NoError(t, err, f)
		require.Nil(t, raw, f)
	}
	// A byte is left in the list after its last field.
	require.NoError(t, m.Parse(unhexed(t, "00 53 73 c0 04 01 53 07 40")))
	for _, f := range []PropertiesField{FieldMessageID, FieldUserID, FieldReplyToGroupID} {
		raw, err := m.Property(f)
		wantWireError(t, err, fmt.Sprintf("amqpjms: %v at byte 8: unexpected trailing data (1 byte)", f))
		require.Nil(t, raw)
	}
}

// Appending to what is returned never writes into the message.
func TestClipped(t *testing.T) {
	_, wire := typicalMessage(t, 16)
	before := bytes.Clone(wire)
	var m RawMessage
	require.NoError(t, m.Parse(wire))
	got := [][]byte{m.HeaderSection, m.MessageAnnotations, m.Properties, m.ApplicationProperties, m.Body, m.Rest}
	for f := range PropertiesField(propertiesFields) {
		raw, err := m.Property(f)
		require.NoError(t, err)
		got = append(got, raw)
	}
	raw, err := m.Annotation("x-opt-jms-dest")
	require.NoError(t, err)
	got = append(got, raw)
	raw, err = m.ApplicationProperty("count")
	require.NoError(t, err)
	got = append(got, raw)
	for s, err := range m.BodySections() {
		require.NoError(t, err)
		got = append(got, s.Bytes, s.Value)
	}
	for i, b := range got {
		require.Equal(t, len(b), cap(b), "slice %d", i)
		_ = append(b, 0xee)
	}
	require.Equal(t, before, wire)
}

// Many may read one RawMessage, and share headers and ids: for the race detector.
func TestConcurrentReads(t *testing.T) {
	_, wire := typicalMessage(t, 16)
	var m RawMessage
	require.NoError(t, m.Parse(wire))
	want, err := m.MessageID()
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				id, err := m.MessageID()
				assert.NoError(t, err)
				assert.Equal(t, want, id)
				assert.Equal(t, want.JMSMessageID(), id.String())
				b, err := m.AppendCorrelationID(nil)
				assert.NoError(t, err)
				assert.Equal(t, "ID:AMQP_ULONG:42", string(b))
				raw, err := m.Annotation("x-opt-jms-dest")
				assert.NoError(t, err)
				n, ok := raw.Int()
				assert.True(t, ok && n == 0)
				_, err = m.ApplicationProperty("region")
				assert.NoError(t, err)
				_, err = m.Property(FieldGroupID)
				assert.NoError(t, err)
				for _, err := range m.BodySections() {
					assert.NoError(t, err)
				}
				_, err = AppendExplicit(nil, wire, Persistent)
				assert.NoError(t, err)
				assert.Equal(t, 7, m.Header.JMSPriority())
			}
		})
	}
	wg.Wait()
}

func TestRawValue(t *testing.T) {
	for _, row := range []struct {
		wire string
		typ  string
		n    any
		text any
	}{
		{"", "no value", nil, nil},
		{"40", "null", nil, nil},
		{"41", "boolean", nil, nil},
		{"50 ff", "ubyte", 255, nil},
		{"60 ff ff", "ushort", 65535, nil},
		{"43", "uint", 0, nil},
		{"52 07", "uint", 7, nil},
		{"70 ff ff ff ff", "uint", int64(math.MaxUint32), nil},
		{"44", "ulong", 0, nil},
		{"53 07", "ulong", 7, nil},
		{"80 7f ff ff ff ff ff ff ff", "ulong", int64(math.MaxInt64), nil},
		{"80 80 00 00 00 00 00 00 00", "ulong", nil, nil},
		{"51 ff", "byte", -1, nil},
		{"61 80 00", "short", -32768, nil},
		{"54 ff", "int", -1, nil},
		{"71 80 00 00 00", "int", math.MinInt32, nil},
		{"55 ff", "long", -1, nil},
		{"81 80 00 00 00 00 00 00 00", "long", int64(math.MinInt64), nil},
		{"81 80 00", "long", nil, nil},
		{"83 00 00 00 00 00 00 00 07", "timestamp", nil, nil},
		{"a1 01 61", "string", nil, "a"},
		{"b1 00 00 00 01 61", "string", nil, "a"},
		{"a1 00", "string", nil, ""},
		{"a1 01 ff", "string", nil, nil},
		{"a3 01 61", "symbol", nil, "a"},
		{"a3 02 61", "symbol", nil, nil},
		{"a0 01 61", "binary", nil, nil},
		{"3f", "no value", nil, nil},
	} {
		v := RawValue(unhexed(t, row.wire))
		require.Equal(t, row.typ, v.Type(), row.wire)
		n, ok := v.Int()
		require.Equal(t, row.n != nil, ok, "%s: Int", row.wire)
		if ok {
			require.EqualValues(t, row.n, n, row.wire)
		} else {
			require.Zero(t, n, row.wire)
		}
		s, ok := v.Text()
		require.Equal(t, row.text != nil, ok, "%s: Text", row.wire)
		if ok {
			require.Equal(t, row.text, s, row.wire)
		} else {
			require.Zero(t, s, row.wire)
		}
	}
}

func TestRawValueOfOneType(t *testing.T) {
	for _, row := range []struct {
		wire      string
		timestamp any
		boolean   any
		binary    any
	}{
		{"83 00 00 00 00 00 00 00 07", int64(7), nil, nil},
		{"83 ff ff ff ff ff ff ff ff", int64(-1), nil, nil},
		{"83 00", nil, nil, nil},
		{"55 07", nil, nil, nil},
		{"41", nil, true, nil},
		{"42", nil, false, nil},
		{"56 01", nil, true, nil},
		{"56 00", nil, false, nil},
		{"56 02", nil, nil, nil},
		{"a0 02 00 ff", nil, nil, []byte{0, 0xff}},
		{"a0 00", nil, nil, []byte{}},
		{"b0 00 00 00 01 07", nil, nil, []byte{7}},
		{"a0 02 00", nil, nil, nil},
		{"a1 01 61", nil, nil, nil},
		{"40", nil, nil, nil},
		{"", nil, nil, nil},
		// One value and no more.
		{"83 00 00 00 00 00 00 00 07 40", nil, nil, nil},
		{"41 41", nil, nil, nil},
		{"a0 01 07 07", nil, nil, nil},
	} {
		v := RawValue(unhexed(t, row.wire))
		check := func(what string, want any, got any, ok bool) {
			t.Helper()
			require.Equal(t, want != nil, ok, "%s: %s", row.wire, what)
			if ok {
				require.Equal(t, want, got, "%s: %s", row.wire, what)
			} else {
				require.Zero(t, got, "%s: %s", row.wire, what)
			}
		}
		ms, ok := v.Timestamp()
		check("Timestamp", row.timestamp, ms, ok)
		b, ok := v.Bool()
		check("Bool", row.boolean, b, ok)
		data, ok := v.Bytes()
		check("Bytes", row.binary, data, ok)
	}
	for _, two := range []string{"43 43", "a1 01 61 a1 01 61", "a3 01 61 40"} {
		n, ok := RawValue(unhexed(t, two)).Int()
		require.False(t, ok, two)
		require.Zero(t, n, two)
		s, ok := RawValue(unhexed(t, two)).Text()
		require.False(t, ok, two)
		require.Zero(t, s, two)
	}
}

// seed adds the recorded wires to a fuzz target, those of many kilobytes apart.
func seed(f *testing.F, add func(wire []byte)) {
	f.Helper()
	eachWire(f, func(_ golden.Case, wire []byte) {
		if len(wire) <= 4096 {
			add(wire)
		}
	})
}

// Every stated field of a header comes through AppendTo and ParseHeader.
func FuzzParseHeader(f *testing.F) {
	seed(f, func(wire []byte) {
		var m RawMessage
		if m.Parse(wire) == nil && m.HeaderSection != nil {
			f.Add(m.HeaderSection)
		}
	})
	for _, row := range headerRows() {
		f.Add(unhexed(f, row.wire))
	}
	f.Fuzz(func(t *testing.T, section []byte) {
		h, err := ParseHeader(section)
		if err != nil {
			wantBroken(t, err, len(section))
			require.Zero(t, h)
			return
		}
		back, err := ParseHeader(h.AppendTo(nil))
		require.NoError(t, err)
		want := h
		if want.Mode == ModeUnset {
			want.Mode = Persistent
		}
		require.Equal(t, want, back)
	})
}

// wantBroken checks an error of bytes of some length.
func wantBroken(t testing.TB, err error, length int) {
	t.Helper()
	var e *WireError
	require.ErrorAs(t, err, &e)
	require.True(t, 0 <= e.Offset && e.Offset <= length, "%v of %d bytes", err, length)
	require.NotEmpty(t, e.In)
}

// Whatever the bytes, the sections joined are the message, nothing panics, and with an error comes the zero value.
func FuzzRawMessage(f *testing.F) {
	seed(f, func(wire []byte) { f.Add(wire, "x-opt-jms-dest") })
	f.Fuzz(func(t *testing.T, wire []byte, name string) {
		var m RawMessage
		if err := m.Parse(wire); err != nil {
			wantBroken(t, err, len(wire))
			require.Zero(t, m)
			return
		}
		sections := slices.Concat(m.HeaderSection, m.DeliveryAnnotations, m.MessageAnnotations, m.Properties, m.ApplicationProperties)
		require.True(t, bytes.Equal(wire, slices.Concat(sections, m.Body)))
		require.True(t, bytes.Equal(wire, slices.Concat(m.HeaderSection, m.Rest)))
		if m.HeaderSection != nil {
			h, err := ParseHeader(m.HeaderSection)
			require.NoError(t, err)
			require.Equal(t, m.Header, h)
		}
		for f := range PropertiesField(propertiesFields + 1) {
			raw, err := m.Property(f)
			checkRaw(t, wire, raw, err)
			require.NotEqual(t, "null", raw.Type())
		}
		for _, find := range []func(string) (RawValue, error){m.Annotation, m.DeliveryAnnotation, m.ApplicationProperty} {
			raw, err := find(name)
			checkRaw(t, wire, raw, err)
			require.NotEqual(t, "null", raw.Type())
		}
		checkIDs(t, wire, m.MessageID, m.AppendMessageID, ID.JMSMessageID)
		checkIDs(t, wire, m.CorrelationID, m.AppendCorrelationID, ID.JMSCorrelationID)
		at := len(sections)
		for s, err := range m.BodySections() {
			if err != nil {
				wantBroken(t, err, len(wire))
				require.Zero(t, s)
				return
			}
			require.Equal(t, at, s.Offset)
			require.True(t, bytes.HasSuffix(s.Bytes, s.Value))
			require.True(t, bytes.HasPrefix(wire[at:], s.Bytes))
			checkRaw(t, wire, s.Value, nil)
			at += len(s.Bytes)
		}
		require.Equal(t, len(wire), at)
	})
}

func checkRaw(t *testing.T, wire []byte, raw RawValue, err error) {
	t.Helper()
	if err != nil {
		wantBroken(t, err, len(wire))
		require.Nil(t, raw)
		return
	}
	require.True(t, bytes.Contains(wire, raw))
	if raw != nil {
		require.NotEqual(t, "no value", raw.Type())
	}
	raw.Int()
	raw.Text()
	if id, err := raw.ID(); err != nil {
		wantBroken(t, err, len(raw))
		require.Zero(t, id)
	}
}

// checkIDs checks that the two ways to read an id from a message agree.
func checkIDs(t *testing.T, wire []byte, get func() (ID, error), appendTo func([]byte) ([]byte, error), jms func(ID) string) {
	t.Helper()
	id, err := get()
	b, errB := appendTo([]byte("before"))
	require.Equal(t, err, errB)
	if err != nil {
		wantBroken(t, err, len(wire))
		require.Zero(t, id)
	}
	require.Equal(t, "before"+jms(id), string(b))
}

// Making durable explicit is idempotent and leaves all else as it was, whatever the bytes.
func FuzzAppendExplicit(f *testing.F) {
	seed(f, func(wire []byte) { f.Add(wire, uint8(Persistent)) })
	f.Fuzz(func(t *testing.T, wire []byte, node uint8) {
		mode := NonPersistent
		if node == uint8(Persistent) {
			mode = Persistent
		}
		testExplicit(t, wire, DeliveryMode(node), mode, "")
	})
}

// encoded reads bytes written as hex, with spaces for people, and as text in quotes.
func encoded(t testing.TB, s string) []byte {
	t.Helper()
	var digits strings.Builder
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			part = hex.EncodeToString([]byte(part))
		}
		digits.WriteString(strings.Join(strings.Fields(part), ""))
	}
	return unhexed(t, digits.String())
}

// value is encoded for one value, nil where there is none.
func value(t testing.TB, s string) RawValue {
	t.Helper()
	if s == "" {
		return nil
	}
	return encoded(t, s)
}

// That a value is of another type is no reason to allocate: a reader asks of one value after another what it is.
func TestRawValueOfAnotherTypeAllocatesNothing(t *testing.T) {
	for _, value := range []string{"", "40", "41", "a1 03 61 62 63", "a3 01 61", "a0 01 ff", "83 00 00 00 00 00 00 00 01", "54 01", "c0 01 00", "80 ff ff ff ff ff ff ff ff"} {
		v := RawValue(unhexed(t, value))
		allocs(t, 0, value, func() {
			_, _ = v.Int()
			_, _ = v.Timestamp()
			_, _ = v.Bool()
			_, _ = v.Bytes()
			_, _ = v.text(wire.String)
			_ = v.number()
		})
	}
	for _, v := range []any{nil, true, "text", amqp.Symbol("s"), 1.5, []any{}} {
		allocs(t, 0, "DestinationKindFrom", func() { _ = DestinationKindFrom(v, nil) })
	}
}

const (
	changeHeader     = `00 53 70 c0 04 02 41 50 07 `
	changeDelivery   = `00 53 71 c1 09 04 a3 01 "d" 41 a3 01 "e" 40`
	changeOne        = `a3 05 "x-one" 54 01 `
	changeTwo        = `a3 05 "x-two" a1 01 "2" `
	changeProperties = `00 53 73 c0 04 01 a1 01 "m" `
	changeNorth      = `a1 06 "region" a1 05 "north" `
	changeBody       = `00 53 75 a0 02 0102 00 53 75 a0 00 00 53 78 c1 01 00`
	changeRest       = changeProperties + `00 53 74 c1 10 02 ` + changeNorth + changeBody
)

// What is asked for changes and nothing else, not even how it is encoded.
func TestChange(t *testing.T) {
	annotated := func(size, count, items string) string { return `00 53 72 c1 ` + size + ` ` + count + ` ` + items }
	const both = changeOne + changeTwo
	all := changeHeader + changeDelivery + annotated("14", "04", both) + changeRest
	wide := `00 a3 1c "amqp:message-annotations:map" d1 00000017 00000004 ` + both
	for _, row := range []struct {
		rule      string
		c         Change
		msg, want string
	}{
		{"nothing", Change{}, all, all},
		{"nothing of no message", Change{}, ``, ``},
		{"a header", Change{Header: Some(Header{Mode: NonPersistent})}, all, `00 53 70 c0 02 01 42` + changeDelivery + annotated("14", "04", both) + changeRest},
		{"a header where there is none", Change{Header: Some(Header{Mode: Persistent})}, changeRest, `00 53 70 c0 02 01 41` + changeRest},
		{"a header that does not say durable is not", Change{Header: Some(Header{})}, changeRest, `00 53 70 c0 02 01 42` + changeRest},
		{"a delivery has failed", Change{Header: Some(Header{Mode: Persistent, Priority: Some[uint8](7)}.CountDelivery(ModeUnset))}, all,
			`00 53 70 c0 08 05 41 50 07 40 40 52 01` + changeDelivery + annotated("14", "04", both) + changeRest},
		{"delivery annotations are dropped", Change{DropDeliveryAnnotations: true}, all, changeHeader + annotated("14", "04", both) + changeRest},
		{"delivery annotations are others", Change{DropDeliveryAnnotations: true, DeliveryAnnotations: []Entry{{"f", int8(1)}}}, all,
			changeHeader + `00 53 71 c1 06 02 a3 01 "f" 51 01` + annotated("14", "04", both) + changeRest},
		{"one of them is removed", Change{DeliveryAnnotations: []Entry{{"d", nil}}}, all,
			changeHeader + `00 53 71 c1 05 02 a3 01 "e" 40` + annotated("14", "04", both) + changeRest},
		{"an annotation is set in its place", Change{Annotations: []Entry{{"x-one", "1"}}}, all,
			changeHeader + changeDelivery + annotated("15", "04", `a3 05 "x-one" a1 01 "1"`+changeTwo) + changeRest},
		{"behind the others if it is new", Change{Annotations: []Entry{{"x-b", true}, {"x-a", false}}}, all,
			changeHeader + changeDelivery + annotated("20", "08", both+`a3 03 "x-b" 41 a3 03 "x-a" 42`) + changeRest},
		{"in a section of its own if there is none", Change{Annotations: []Entry{{"x-a", "dead"}}}, changeRest,
			annotated("0c", "02", `a3 03 "x-a" a1 04 "dead"`) + changeRest},
		{"of a message of nothing", Change{Annotations: []Entry{{"x-a", true}}}, ``, annotated("07", "02", `a3 03 "x-a" 41`)},
		{"removed", Change{Annotations: []Entry{{"x-one", nil}}}, all, changeHeader + changeDelivery + annotated("0b", "02", changeTwo) + changeRest},
		{"removed by no value", Change{Annotations: []Entry{{"x-two", RawValue(nil)}}}, all, changeHeader + changeDelivery + annotated("0a", "02", changeOne) + changeRest},
		{"all removed: no section", Change{Annotations: []Entry{{"x-two", nil}, {"x-one", nil}}}, all, changeHeader + changeDelivery + changeRest},
		{"removed and set", Change{Annotations: []Entry{{"x-two", nil}, {"x-three", int64(3)}}}, all,
			changeHeader + changeDelivery + annotated("15", "04", changeOne+`a3 07 "x-three" 55 03`) + changeRest},
		{"of one name the last counts", Change{Annotations: []Entry{{"x-one", true}, {"x-a", true}, {"x-one", nil}, {"x-a", false}}}, all,
			changeHeader + changeDelivery + annotated("11", "04", changeTwo+`a3 03 "x-a" 42`) + changeRest},
		{"what is not there is not removed", Change{Annotations: []Entry{{"x-three", nil}}}, all, all},
		{"nor from where nothing is", Change{Annotations: []Entry{{"x-three", nil}}}, changeRest, changeRest},
		{"a section in which nothing changes stays as it is", Change{Annotations: []Entry{{"x-one", int32(1)}, {"x-three", nil}}}, wide, wide},
		{"an empty one too", Change{Annotations: []Entry{{"x-one", nil}}}, `00 53 72 d1 00000004 00000000`, `00 53 72 d1 00000004 00000000`},
		{"a value in another encoding is another", Change{Annotations: []Entry{{"x-one", RawValue("\x71\x00\x00\x00\x01")}}}, annotated("14", "04", both),
			annotated("17", "04", `a3 05 "x-one" 71 00000001`+changeTwo)},
		{"the descriptor stays as it is", Change{Annotations: []Entry{{"x-one", nil}}}, wide, `00 a3 1c "amqp:message-annotations:map" c1 0b 02` + changeTwo},
		{"a name that is there twice is set once", Change{Annotations: []Entry{{"x-one", true}}}, annotated("1d", "06", changeOne+changeTwo+changeOne),
			annotated("13", "04", `a3 05 "x-one" 41`+changeTwo)},
		{"and removed twice", Change{Annotations: []Entry{{"x-one", nil}}}, annotated("1d", "06", changeOne+changeTwo+changeOne), annotated("0b", "02", changeTwo)},
		{"keys of another type are other keys", Change{Annotations: []Entry{{"x-one", nil}}}, annotated("15", "06", `a1 05 "x-one" 40 80 0000000000000005 40 40 40`),
			annotated("15", "06", `a1 05 "x-one" 40 80 0000000000000005 40 40 40`)},
		{"properties have strings for keys", Change{ApplicationProperties: []Entry{{"region", "south"}, {"\u00fc", int16(1)}}}, changeProperties + `00 53 74 c1 19 04 a3 06 "region" 40` + changeNorth + changeBody,
			changeProperties + `00 53 74 c1 20 06 a3 06 "region" 40 a1 06 "region" a1 05 "south" a1 02 c3bc 61 0001` + changeBody},
		{"a property is removed, and the section with it", Change{ApplicationProperties: []Entry{{"region", nil}}}, all,
			changeHeader + changeDelivery + annotated("14", "04", both) + changeProperties + changeBody},
		{"a large section", Change{Annotations: []Entry{{"x-one", strings.Repeat("1", 246)}}}, annotated("0a", "02", changeOne) + changeRest,
			`00 53 72 d1 00000103 00000002 a3 05 "x-one" a1 f6 "` + strings.Repeat("1", 246) + `"` + changeRest},
	} {
		msg := encoded(t, row.msg)
		before := slices.Clone(msg)
		var m RawMessage
		require.NoError(t, m.Parse(msg), row.rule)
		got, err := row.c.AppendTo([]byte("before"), &m)
		require.NoError(t, err, row.rule)
		require.Equal(t, hex.EncodeToString(append([]byte("before"), encoded(t, row.want)...)), hex.EncodeToString(got), row.rule)
		require.Equal(t, before, msg, row.rule)
	}

	// Many entries, and more of them than a small array has room for.
	var many []Entry
	for i := range 40 {
		many = append(many, Entry{fmt.Sprintf("x-%02d", i), int64(i)})
	}
	var m, read RawMessage
	require.NoError(t, m.Parse(encoded(t, all)))
	got, err := Change{Annotations: many}.AppendTo(nil, &m)
	require.NoError(t, err)
	require.NoError(t, read.Parse(got))
	for _, e := range many {
		v, err := read.Annotation(e.Name)
		require.NoError(t, err)
		n, ok := v.Int()
		require.True(t, ok)
		require.Equal(t, e.Value, n)
	}
	again, err := Change{Annotations: many}.AppendTo(nil, &read)
	require.NoError(t, err)
	require.Equal(t, got, again)
}

// A value of each type, in its smallest encoding.
func TestChangeValues(t *testing.T) {
	at := time.UnixMilli(sent)
	for _, row := range []struct {
		value any
		want  string
	}{
		{true, "41"}, {false, "42"},
		{int8(-1), "51 ff"}, {int16(-1), "61 ffff"}, {int32(1), "54 01"}, {int64(-1), "55 ff"}, {int64(sent), "81 000001a22d1b6481"}, {1, "55 01"},
		{uint8(1), "50 01"}, {uint16(1), "60 0001"}, {uint32(0), "43"}, {uint64(256), "80 0000000000000100"}, {uint(1), "53 01"},
		{float32(1.5), "72 3fc00000"}, {1.5, "82 3ff8000000000000"},
		{"\u00fc", "a1 02 c3bc"}, {"", "a1 00"}, {amqp.Symbol("a"), "a3 01 61"}, {[]byte{1}, "a0 01 01"}, {[]byte(nil), "a0 00"},
		{at, "83 000001a22d1b6481"}, {time.Time{}, "83 ffffc77cedd32800"},
		{amqp.UUID{1}, "98 01000000000000000000000000000000"}, {uuid.UUID{2}, "98 02000000000000000000000000000000"},
		{amqp.Null{}, "40"}, {RawValue{0x40}, "40"}, {RawValue{0x45}, "45"},
	} {
		got, err := Change{Annotations: []Entry{{"a", row.value}}}.AppendTo(nil, new(RawMessage))
		require.NoError(t, err)
		want := encoded(t, row.want)
		require.Equal(t, append([]byte{0, 0x53, 0x72, 0xc1, byte(4 + len(want)), 2, 0xa3, 1, 'a'}, want...), got, "%T %v", row.value, row.value)
	}
}

func TestChangeErrors(t *testing.T) {
	const scalar = ": want a scalar AMQP value or a RawValue"
	annotation := func(name string, value any) Change {
		return Change{Annotations: []Entry{{"x-first", true}, {name, value}}}
	}
	type kind string
	for _, row := range []struct {
		rule string
		c    Change
		msg  string
		err  string
	}{
		{"no scalar", annotation("x", []any{}), ``, `message-annotations "x" of type []interface {}` + scalar},
		{"no scalar", annotation("x", map[string]any{}), ``, `message-annotations "x" of type map[string]interface {}` + scalar},
		{"a type of one's own", annotation("x", kind("a")), ``, `message-annotations "x" of type amqpjms.kind` + scalar},
		{"a pointer", annotation("x", new(int)), ``, `message-annotations "x" of type *int` + scalar},
		{"a duration", annotation("x", time.Second), ``, `message-annotations "x" of type time.Duration` + scalar},
		{"no type", Change{DeliveryAnnotations: []Entry{{"x", struct{}{}}}}, ``, `delivery-annotations "x" of type struct {}` + scalar},
		{"not UTF-8", Change{ApplicationProperties: []Entry{{"x", "\xff"}}}, ``, `application-properties "x" "\xff": not valid UTF-8`},
		{"not ASCII", annotation("x", amqp.Symbol("\u00fc")), ``, `message-annotations "x" "ü": not ASCII`},
		{"half a value", annotation("x", RawValue{0xa1, 2, 'a'}), ``, `message-annotations "x" of type RawValue: byte 3: unexpected EOF`},
		{"two values", annotation("x", RawValue{0x40, 0x40}), ``, `message-annotations "x" of type RawValue: byte 1: unexpected trailing data (1 byte)`},
		{"no value", annotation("x", RawValue{0x3f}), ``, `message-annotations "x" of type RawValue: byte 0: invalid format code 0x3f`},
		{"a time too late", annotation("x", time.Unix(1<<61, 0)), ``, `message-annotations "x" ` + time.Unix(1<<61, 0).String() + `: overflows int64 milliseconds`},
		{"a time too early", annotation("x", time.Unix(-1<<61, 0)), ``, `message-annotations "x" ` + time.Unix(-1<<61, 0).String() + `: overflows int64 milliseconds`},
		{"a name that is not ASCII", annotation("\u00fc", true), ``, `annotation "ü": not ASCII`},
		{"removed or not", annotation("\u00fc", nil), ``, `annotation "ü": not ASCII`},
		{"a name that is not UTF-8", Change{ApplicationProperties: []Entry{{"\xff", true}}}, ``, `property "\xff": not valid UTF-8`},
		{"a value in place of another", annotation("x", []any{}), `00 53 72 c1 05 02 a3 01 "x" 41`, `message-annotations "x" of type []interface {}` + scalar},
		{"annotations cut off", annotation("x", true), `00 53 72 c1 03 02 a3 13`, `message-annotations at byte 8: unexpected EOF`},
		{"annotations left over", annotation("x", true), `00 53 72 c1 02 00 40`, `message-annotations at byte 6: unexpected trailing data (1 byte)`},
		{"a value cut off", annotation("x", nil), `00 53 70 45 00 53 72 c1 05 02 a3 01 "x" 50`, `message-annotations at byte 14: unexpected EOF`},
		{"properties cut off", Change{ApplicationProperties: []Entry{{"x", nil}}}, `00 53 72 c1 01 00 00 53 74 c1 03 02 a1 13`, `application-properties at byte 14: unexpected EOF`},
	} {
		var m RawMessage
		require.NoError(t, m.Parse(encoded(t, row.msg)), row.rule)
		got, err := row.c.AppendTo([]byte("before"), &m)
		require.EqualError(t, err, "amqpjms: "+row.err, row.rule)
		require.Equal(t, "before", string(got), row.rule)
		got, err = row.c.AppendTo(nil, &m)
		require.Error(t, err)
		require.Nil(t, got, row.rule)
	}
	// What is not to change is not looked at.
	var m RawMessage
	broken := encoded(t, `00 53 72 c1 03 02 a3 13`)
	require.NoError(t, m.Parse(broken))
	got, err := Change{ApplicationProperties: []Entry{{"x", nil}}}.AppendTo(nil, &m)
	require.NoError(t, err)
	require.Equal(t, broken, got)
}

func TestChangeAllocs(t *testing.T) {
	_, b := typicalMessage(t, 256)
	var m RawMessage
	require.NoError(t, m.Parse(b))
	dst := make([]byte, 0, 2*len(b))
	reason, at, raw, number, symbol := any("expired"), any(sentAt()), any(RawValue{0x40}), any(int64(sent)), any(amqp.Symbol("s"))
	for what, c := range map[string]Change{
		"nothing": {},
		"header":  {Header: Some(m.Header.CountDelivery(ModeUnset))},
		"set":     {Annotations: []Entry{{AnnotationDeliveryTime, number}}},
		"many": {DropDeliveryAnnotations: true, Annotations: []Entry{{"x-opt-reason", reason}, {"x-opt-at", at}, {"x-opt-raw", raw}, {AnnotationDeliveryTime, nil}},
			ApplicationProperties: []Entry{{"region", nil}, {"reason", reason}, {"s", symbol}}},
	} {
		allocs(t, 0, what, func() {
			if _, err := c.AppendTo(dst, &m); err != nil {
				t.Error(err)
			}
		})
	}
	allocs(t, 0, "entries made on the spot", func() {
		_, _ = Change{Header: Some(m.Header.CountDelivery(ModeUnset)), Annotations: []Entry{{"x-opt-reason", reason}}}.AppendTo(dst, &m)
	})
	allocs(t, 1+raceAllocs(), "dst nil", func() { _, _ = Change{Annotations: []Entry{{"x-opt-reason", reason}}}.AppendTo(nil, &m) })
}

// valueEnd returns where the value ends with which b starts, by the upper half of its format code alone, and false if b is
// too short. [amqp 1.2]
func valueEnd(b []byte) (int, bool) {
	fixed := map[byte]int{4: 0, 5: 1, 6: 2, 7: 4, 8: 8, 9: 16}
	if len(b) == 0 {
		return 0, false
	}
	if b[0] == 0 { // a descriptor and a value
		descriptor, ok := valueEnd(b[1:])
		if !ok {
			return 0, false
		}
		value, ok := valueEnd(b[1+descriptor:])
		return 1 + descriptor + value, ok
	}
	code := b[0] >> 4
	width, ok := fixed[code]
	switch {
	case ok:
		return 1 + width, 1+width <= len(b)
	case code == 0xa || code == 0xc || code == 0xe:
		if len(b) < 2 {
			return 0, false
		}
		end := 2 + int(b[1])
		return end, end <= len(b)
	case code == 0xb || code == 0xd || code == 0xf:
		if len(b) < 5 {
			return 0, false
		}
		end := 5 + int(uint32(b[1])<<24|uint32(b[2])<<16|uint32(b[3])<<8|uint32(b[4]))
		return end, end <= len(b)
	}
	return 0, false
}

// pairsOf returns the keys and values of the map that is a section's value.
func pairsOf(t *testing.T, section []byte) (pairs [][2]string) {
	if section == nil {
		return nil
	}
	start, ok := valueEnd(section[1:])
	require.True(t, ok)
	items := section[1+start:]
	switch items[0] {
	case 0xc1:
		items = items[3:]
	case 0xd1:
		items = items[9:]
	default:
		t.Fatalf("not a map: % x", items)
	}
	for len(items) > 0 {
		key, ok := valueEnd(items)
		require.True(t, ok)
		value, ok := valueEnd(items[key:])
		require.True(t, ok)
		pairs = append(pairs, [2]string{string(items[:key]), string(items[key : key+value])})
		items = items[key+value:]
	}
	return pairs
}

// A change of a section changes what it names, once and in its place, and nothing else.
func FuzzChange(f *testing.F) {
	i := 0
	seed(f, func(wire []byte) {
		f.Add(wire, []string{"x-opt-jms-msg-type", "x-opt-delivery-time", "x-opt-jms-dest", "x"}[i%4], []byte([]string{"", "\x40", "\xa1\x01a"}[i%3]), byte(i%2*0x80))
		i++
	})
	f.Fuzz(func(t *testing.T, wire []byte, name string, value []byte, which byte) {
		var m, out RawMessage
		if m.Parse(wire) != nil || len(name) > 255 {
			return
		}
		entries := []Entry{{name, RawValue(value)}}
		var c Change
		section, short, long := &m.MessageAnnotations, byte(0xa3), byte(0xb3)
		result := &out.MessageAnnotations
		switch which % 3 {
		case 0:
			c.Annotations = entries
		case 1:
			c.DeliveryAnnotations = entries
			section, result = &m.DeliveryAnnotations, &out.DeliveryAnnotations
		case 2:
			c.ApplicationProperties = entries
			section, short, long = &m.ApplicationProperties, 0xa1, 0xb1
			result = &out.ApplicationProperties
		}
		if which&0x80 != 0 {
			c.Header = Some(m.Header.CountDelivery(Persistent))
		}
		before := slices.Clone(wire)
		got, err := c.AppendTo([]byte{1, 2}, &m)
		require.Equal(t, before, wire)
		require.Equal(t, []byte{1, 2}, got[:2])
		if got = got[2:]; err != nil {
			require.Empty(t, got)
			return
		}
		require.NoError(t, out.Parse(got))

		was := pairsOf(t, *section)
		var want [][2]string
		found := false
		short1 := string(append([]byte{short, byte(len(name))}, name...))
		long1 := string(append([]byte{long, 0, 0, 0, byte(len(name))}, name...))
		for _, pair := range was {
			switch {
			case pair[0] != short1 && pair[0] != long1:
				want = append(want, pair)
			case !found && len(value) > 0:
				want = append(want, [2]string{pair[0], string(value)})
			}
			found = found || pair[0] == short1 || pair[0] == long1
		}
		if !found && len(value) > 0 {
			want = append(want, [2]string{short1, string(value)})
		}
		require.Equal(t, want, pairsOf(t, *result))
		if slices.Equal(was, want) {
			require.Equal(t, *section, *result)
		}
		require.Equal(t, len(want) == 0 && len(was) > 0, *section != nil && *result == nil)

		*section, *result = nil, nil
		require.Equal(t, m.beforeBody(), changedHeader(out.beforeBody(), c, m.HeaderSection))
		require.Equal(t, m.Body, out.Body)
		if h, ok := c.Header.Get(); ok {
			require.Equal(t, h, out.Header)
		} else {
			require.Equal(t, m.Header, out.Header)
		}
	})
}

// changedHeader returns sections with the header that there was, if a change has another.
func changedHeader(sections [5][]byte, c Change, was []byte) [5][]byte {
	if _, ok := c.Header.Get(); ok {
		sections[0] = was
	}
	return sections
}
