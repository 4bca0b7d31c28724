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

	"github.com/seed-b113d664/amqpjms/internal/golden"
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
		{"another section", "00 53 73 45", "amqpjms: header at byte 0: properties got section, want header"},
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
	if err != nil {
		require.Equal(t, []byte("before"), out, at)
		var e *WireError
		require.ErrorAs(t, err, &e, at)
		require.Error(t, parsed, at)
		require.Equal(t, parsed, err, at)
		return false
	}
	out = out[len(prefix):]
	again, err := AppendExplicit(nil, out, Persistent)
	require.NoError(t, err, at)
	require.True(t, bytes.Equal(out, again), "%s: not idempotent", at)
	require.Contains(t, []byte{0x41, 0x42}, out[6], "%s: durable in % x", at, out[:7])
	if parsed != nil {
		return false // something after the header is wrong, which is not looked at
	}
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
		{"what follows is not looked at", "00 53 70 45 ff ff", ModeUnset, "00 53 70 c0 02 01 42 ff ff"},
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
