package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

// everything is a message with all sections, by hand, a section to a line.
const everything = `
0053 70 c0 0c 05 41 5009 70 0000ea60 42 5203        ; header
0053 71 c1 05 02 a3 01 64 43                        ; delivery-annotations
0053 72 c1 0f 04 a3 01 61 40  80 0000000000000005 41 ; message-annotations
0053 73 c0 0b 06 a1 02 6d31 40 40 40 40 532a        ; properties
0053 74 c1 10 06 a1 03 612062 54ff  a1 00 45  a1 01 70 5000 ; application-properties
0053 75 a0 02 0001                                  ; data
0053 75 b0 00000000                                 ; data
0053 78 c1 01 00                                    ; footer
`

func TestTextOfAMessage(t *testing.T) {
	code, out, errs := jmswire(everything, "inspect", "-received", "1796053106157", "-peer", "broker-j")
	require.Equal(t, 0, code, errs)
	require.Empty(t, errs)
	require.Equal(t, `standard input: message of 105 bytes
header                      at 0, 17 bytes
  durable                   boolean true
  priority                  ubyte 9
  ttl                       uint 60000
  first-acquirer            boolean false
  delivery-count            uint 3
delivery-annotations        at 17, 10 bytes
  d                         uint 0
message-annotations         at 27, 20 bytes
  a                         null
  ulong 5                   boolean true
properties                  at 47, 16 bytes
  message-id                string "m1"
  correlation-id            ulong 42
application-properties      at 63, 21 bytes
  string "a b"              int -1
  string ""                 list []
  p                         ubyte 0
data                        at 84, 7 bytes
                            binary 0001
data                        at 91, 8 bytes
                            binary, empty
footer                      at 99, 6 bytes
JMS
  type                      bytes
  JMSMessageID              string "ID:AMQP_NO_PREFIX:m1"
  JMSCorrelationID          string "ID:AMQP_ULONG:42"
  JMSCorrelationIDAsBytes   error: id "ID:AMQP_ULONG:42": got ulong, want binary
  JMSTimestamp              long 0
  JMSExpiration             long 1796053166157
  JMSDeliveryTime           long 0
  JMSPriority               int 9
  JMSDeliveryMode           int 2 (PERSISTENT, stated)
  JMSRedelivered            boolean true
  JMSType                   null
  JMSDestination            null
  JMSReplyTo                null
  JMSXDeliveryCount         int 4
  properties
    string ""               list []
    string "a b"            int -1 (string "-1", long -1)
    p                       ubyte 0 (string "0", long 0)
  body                      bytes 0001
Problems
  message-annotations       AMQP 1.0: key "a" is reserved: it does not start with x-
  message-annotations       AMQP 1.0: key is a ulong, which AMQP reserves and go-amqp cannot write
  delivery-annotations      AMQP 1.0: key "d" is reserved: it does not start with x-
  property "a b"            Qpid JMS: hidden: the name is not a Java identifier
  property ""               Qpid JMS: hidden: the name is not a Java identifier
  property ""               Qpid JMS: list: its typed getters throw
  property "p"              Qpid JMS: ubyte: its typed getters throw
  body                      Qpid JMS: several sections: only the last is read
  body                      Qpid JMS: no x-opt-jms-msg-type: read as a BytesMessage, also if it is a text
`, out)
}

// A message of no bytes has what a message without sections has.
func TestEmptyMessage(t *testing.T) {
	for name, in := range map[string]string{"no bytes": "", "white space": " \n\n", "a comment": "; nothing\n"} {
		code, out, errs := jmswire(in, "inspect")
		require.Equal(t, 0, code, "%s: %s", name, errs)
		require.Equal(t, `standard input: message of 0 bytes
header                      none
JMS
  type                      bytes
  JMSMessageID              null
  JMSCorrelationID          null
  JMSCorrelationIDAsBytes   null
  JMSTimestamp              long 0
  JMSExpiration             long 0
  JMSDeliveryTime           long 0
  JMSPriority               int 4
  JMSDeliveryMode           int 1 (not stated, NON_PERSISTENT by AMQP's default)
  JMSRedelivered            boolean false
  JMSType                   null
  JMSDestination            null
  JMSReplyTo                null
  JMSXDeliveryCount         int 1
  body                      bytes, empty
Problems
  header                    RabbitMQ: durable is unset: 4.0 reads true, 4.3 false
  body                      RabbitMQ: no section: ends the session (4.0) or the link (4.3)
`, out, name)
	}
}

// The delivery mode says whether the sender stated it, or AMQP's default speaks.
func TestTextOfDeliveryMode(t *testing.T) {
	for in, want := range map[string]string{
		"0053 70 c00201 41":      "int 2 (PERSISTENT, stated)",
		"0053 70 c00201 42":      "int 1 (NON_PERSISTENT, stated)",
		"0053 70 c00201 40":      "int 1 (not stated, NON_PERSISTENT by AMQP's default)",
		"0053 70 c00402 40 5004": "int 1 (not stated, NON_PERSISTENT by AMQP's default)",
		"0053 70 45":             "int 1 (not stated, NON_PERSISTENT by AMQP's default)",
	} {
		_, out, errs := jmswire(in, "inspect")
		require.Contains(t, out, "\n  JMSDeliveryMode           "+want+"\n", "%s: %s", in, errs)
	}
}

// What inspect -json prints, to the letter.
func TestJSONOfAMessage(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"header and id", "0053 70 c00402 42 5004  0053 73 c00401 a1013c  0053 77 40",
			`{"type":"text","JMSMessageID":{"t":"string","v":"ID:AMQP_NO_PREFIX:<"},` +
				`"JMSCorrelationID":{"t":"null"},"JMSCorrelationIDAsBytes":{"t":"null"},` +
				`"JMSTimestamp":{"t":"long","v":"0"},"JMSExpiration":{"t":"long","v":"0"},"JMSDeliveryTime":{"t":"long","v":"0"},` +
				`"JMSPriority":{"t":"int","v":4},"JMSDeliveryMode":{"t":"int","v":1},"JMSRedelivered":{"t":"boolean","v":false},` +
				`"JMSType":{"t":"null"},"JMSDestination":{"t":"null"},"JMSReplyTo":{"t":"null"},` +
				`"special":{"JMSXDeliveryCount":{"exists":{"t":"boolean","v":true},"value":{"t":"int","v":1}},` +
				`"JMSXGroupID":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}},` +
				`"JMSXGroupSeq":{"exists":{"t":"boolean","v":false},"value":{"t":"int","v":0}},` +
				`"JMSXUserID":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}},` +
				`"JMS_AMQP_TTL":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}},` +
				`"JMS_AMQP_REPLY_TO_GROUP_ID":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}},` +
				`"JMS_AMQP_TYPED_ENCODING":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}}},` +
				`"propertyNames":["JMSXDeliveryCount"],"properties":{},"propertiesAsString":{},"propertiesAsLong":{},` +
				`"body":{"t":"null"},"problems":[],` +
				`"header":{"durable":{"t":"boolean","v":false},"priority":{"t":"ubyte","v":4},"ttl":{"t":"null"},` +
				`"first-acquirer":{"t":"null"},"delivery-count":{"t":"null"}},` +
				`"sections":[{"name":"header","offset":0,"size":9},` +
				`{"name":"properties","offset":9,"size":9,"fields":{"message-id":{"t":"string","v":"<"}}},` +
				`{"name":"amqp-value","offset":18,"size":4,"value":{"t":"null"}}],` +
				`"input":{"file":"standard input"}}` + "\n"},
		{"a wrong id, a binary id, a wrong annotation", "0053 72 c10702 a30161 a10180  0053 73 c00906 41 40 40 40 40 a001ab",
			`{"type":"bytes","JMSMessageID":{"t":"error","message":"message-id at byte 18: got boolean, want string, ulong, uuid or binary"},` +
				`"JMSCorrelationID":{"t":"string","v":"ID:AMQP_BINARY:AB"},"JMSCorrelationIDAsBytes":{"t":"bytes","v":"ab"},` +
				`"JMSTimestamp":{"t":"long","v":"0"},"JMSExpiration":{"t":"long","v":"0"},"JMSDeliveryTime":{"t":"long","v":"0"},` +
				`"JMSPriority":{"t":"int","v":4},"JMSDeliveryMode":{"t":"int","v":1},"JMSRedelivered":{"t":"boolean","v":false},` +
				`"JMSType":{"t":"null"},"JMSDestination":{"t":"null"},"JMSReplyTo":{"t":"null"},` +
				`"special":{"JMSXDeliveryCount":{"exists":{"t":"boolean","v":true},"value":{"t":"int","v":1}},` +
				`"JMSXGroupID":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}},` +
				`"JMSXGroupSeq":{"exists":{"t":"boolean","v":false},"value":{"t":"int","v":0}},` +
				`"JMSXUserID":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}},` +
				`"JMS_AMQP_TTL":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}},` +
				`"JMS_AMQP_REPLY_TO_GROUP_ID":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}},` +
				`"JMS_AMQP_TYPED_ENCODING":{"exists":{"t":"boolean","v":false},"value":{"t":"null"}}},` +
				`"propertyNames":["JMSXDeliveryCount"],"properties":{},"propertiesAsString":{},"propertiesAsLong":{},` +
				`"body":{"t":"bytes","v":""},"problems":[` +
				`{"in":"message-annotations","who":"AMQP 1.0","what":"key \"a\" is reserved: it does not start with x-"},` +
				`{"in":"message-id","who":"AMQP 1.0","what":"id at byte 0: got boolean, want string, ulong, uuid or binary"}],` +
				`"header":{"durable":{"t":"null"},"priority":{"t":"null"},"ttl":{"t":"null"},` +
				`"first-acquirer":{"t":"null"},"delivery-count":{"t":"null"}},` +
				`"sections":[{"name":"message-annotations","offset":0,"size":12,"value":{"t":"map","v":[` +
				`[{"t":"symbol","v":"a"},{"t":"error","message":"at byte 11: string is not valid UTF-8"}]]}},` +
				`{"name":"properties","offset":12,"size":14,"fields":{"message-id":{"t":"boolean","v":true},` +
				`"correlation-id":{"t":"binary","v":"ab"}}}],` +
				`"input":{"file":"standard input"}}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := jmswire(c.in, "inspect", "-json", "-peer", "artemis")
			require.Equal(t, 0, code, errs)
			require.Equal(t, c.want, out)
		})
	}
}

// What is wrong in one place keeps nothing else from being shown.
func TestErrorsInPlace(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string // lines, without the spaces that make columns
	}{
		{"a property cut off by its section", "0053 73 c00603 5307 40 a105",
			[]string{
				"properties at 0, 11 bytes",
				"message-id ulong 7",
				"error: to at byte 11: unexpected EOF",
				`JMSMessageID string "ID:AMQP_ULONG:7"`,
				"JMSCorrelationID error: correlation-id at byte 11: unexpected EOF",
			}},
		{"more properties than their number", "0053 73 c00401 5307 40",
			[]string{
				"message-id ulong 7",
				"error: at byte 8: unexpected trailing data (1 byte)",
				"JMSMessageID error: message-id at byte 8: unexpected trailing data (1 byte)",
			}},
		{"an annotation that is no AMQP", "0053 72 c10904 a30161 41 a30162 99  0053 77 5401",
			[]string{
				"a boolean true",
				"error: at byte 13: invalid format code 0x99",
				"amqp-value at 14, 5 bytes",
				"int 1",
			}},
		{"an odd number in a map", "0053 74 c10702 a30161 a10162 0053 77 c10301 5401",
			[]string{
				`symbol "a" string "b"`,
				"error: at byte 18: map with an odd number of keys and values",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := jmswire(c.in, "inspect")
			require.Equal(t, 0, code, errs)
			var lines []string
			for line := range strings.Lines(out) {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
			require.Subset(t, lines, c.want)
		})
	}
}

// Each value is written as the amqp-value of a message, by hand from AMQP's tables
// of format codes [amqp 1.6], and shown in both views.
func TestValues(t *testing.T) {
	for _, c := range []struct{ in, text, json string }{
		{"40", `null`, `{"t":"null"}`},
		{"41", `boolean true`, `{"t":"boolean","v":true}`},
		{"5600", `boolean false`, `{"t":"boolean","v":false}`},
		{"50ff", `ubyte 255`, `{"t":"ubyte","v":255}`},
		{"60ffff", `ushort 65535`, `{"t":"ushort","v":65535}`},
		{"43", `uint 0`, `{"t":"uint","v":0}`},
		{"70ffffffff", `uint 4294967295`, `{"t":"uint","v":4294967295}`},
		{"532a", `ulong 42`, `{"t":"ulong","v":"42"}`},
		{"80ffffffffffffffff", `ulong 18446744073709551615`, `{"t":"ulong","v":"18446744073709551615"}`},
		{"5180", `byte -128`, `{"t":"byte","v":-128}`},
		{"618000", `short -32768`, `{"t":"short","v":-32768}`},
		{"54ff", `int -1`, `{"t":"int","v":-1}`},
		{"7180000000", `int -2147483648`, `{"t":"int","v":-2147483648}`},
		{"55ff", `long -1`, `{"t":"long","v":"-1"}`},
		{"818000000000000000", `long -9223372036854775808`, `{"t":"long","v":"-9223372036854775808"}`},
		{"723fc00000", `float 1.5`, `{"t":"float","v":"1.5","bits":"3fc00000"}`},
		{"728000 0000", `float -0.0`, `{"t":"float","v":"-0.0","bits":"80000000"}`},
		{"827ff0000000000000", `double Infinity`, `{"t":"double","v":"Infinity","bits":"7ff0000000000000"}`},
		{"7200000001", `float 1.4E-45`, `{"t":"float","v":"1.4E-45","bits":"00000001"}`},
		{"827ff8000000000001", `double NaN`, `{"t":"double","v":"NaN","bits":"7ff8000000000001"}`},
		{"823fb999999999999a", `double 0.1`, `{"t":"double","v":"0.1","bits":"3fb999999999999a"}`},
		{"7422500001", `decimal32 22500001`, `{"t":"decimal32","v":"22500001"}`},
		{"8422340000 00000001", `decimal64 2234000000000001`, `{"t":"decimal64","v":"2234000000000001"}`},
		{"9422080000 00000000 00000000 00000001", `decimal128 22080000000000000000000000000001`,
			`{"t":"decimal128","v":"22080000000000000000000000000001"}`},
		{"730001f600", `char 128512 '😀'`, `{"t":"char","v":128512}`},
		{"830000018bcfe56800", `timestamp 1700000000000 (2023-11-14T22:13:20.000Z)`, `{"t":"timestamp","v":"1700000000000"}`},
		{"838000000000000000", `timestamp -9223372036854775808`, `{"t":"timestamp","v":"-9223372036854775808"}`},
		{"9800112233445566778899aabbccddeeff", `uuid 00112233-4455-6677-8899-aabbccddeeff`,
			`{"t":"uuid","v":"00112233-4455-6677-8899-aabbccddeeff"}`},
		{"a0020aff", `binary 0aff`, `{"t":"binary","v":"0aff"}`},
		{"a000", `binary, empty`, `{"t":"binary","v":""}`},
		{"a108 22 5c 0a 09 c3a9 41 7f", `string "\"\\\n\té` + `A\x7f"`, `{"t":"string","v":"\"\\\n\té` + "A\x7f" + `"}`},
		{"b100000000", `string ""`, `{"t":"string","v":""}`},
		{"a303 613a62", `symbol "a:b"`, `{"t":"symbol","v":"a:b"}`},
		{"45", `list []`, `{"t":"list","v":[]}`},
		{"c00402 5401 40", `list [int 1, null]`, `{"t":"list","v":[{"t":"int","v":1},{"t":"null"}]}`},
		{"c10502 a10161 41", `map {string "a" = boolean true}`,
			`{"t":"map","v":[[{"t":"string","v":"a"},{"t":"boolean","v":true}]]}`},
		{"c10100", `map {}`, `{"t":"map","v":[]}`},
		{"e004025401 02", `array [int 1, int 2]`, `{"t":"array","v":[{"t":"int","v":1},{"t":"int","v":2}]}`},
		{"e0020071", `array []`, `{"t":"array","v":[]}`},
		{"e0020140", `array [null]`, `{"t":"array","v":[{"t":"null"}]}`},
		{"e00802c0 03015401 0100", `array [list [int 1], list []]`,
			`{"t":"array","v":[{"t":"list","v":[{"t":"int","v":1}]},{"t":"list","v":[]}]}`},
		{"e0080200a3016154 0102", `array (symbol "a") [int 1, int 2]`,
			`{"t":"array","v":[{"t":"int","v":1},{"t":"int","v":2}],"descriptor":{"t":"symbol","v":"a"}}`},
		{"00 53ff 5401", `described (ulong 255) int 1`, `{"t":"described","v":{"t":"int","v":1},"descriptor":{"t":"ulong","v":"255"}}`},
		{"00 a30161 00 a30162 40", `described (symbol "a") described (symbol "b") null`,
			`{"t":"described","v":{"t":"described","v":{"t":"null"},"descriptor":{"t":"symbol","v":"b"}},"descriptor":{"t":"symbol","v":"a"}}`},
	} {
		t.Run(c.in, func(t *testing.T) {
			code, out, errs := jmswire("005377"+c.in, "inspect")
			require.Equal(t, 0, code, errs)
			require.Contains(t, out, "\n"+strings.Repeat(" ", 28)+c.text+"\nJMS\n")
			_, out, _ = jmswire("005377"+c.in, "inspect", "-json")
			require.Contains(t, out, `,"value":`+c.json+`}],"input":`)
		})
	}
}

// Values that are wrong inside say where in the message.
func TestWrongValues(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a string in a list", "c00401 a10180", "at byte 8: string is not valid UTF-8"},
		{"the first of two strings", "c00702 a10180 a10161", "at byte 8: string is not valid UTF-8"},
		{"the key of the first of two pairs", "c10904 a10180 40 a10161 40", "at byte 8: string is not valid UTF-8"},
		{"the first of two elements", "e00602 a1 0180 0161", "at byte 8: string is not valid UTF-8"},
		{"a list with fewer items than it says", "c00302 5401", "at byte 8: unexpected EOF"},
		{"a list with fewer bytes than items", "c00303 5401", "at byte 5: count too large"},
		{"an array with fewer elements than it says", "e0020154", "count too large for 0 bytes"},
		{"a list with more", "c00401 5401 40", "at byte 8: unexpected trailing data (1 byte)"},
		{"a code that there is not", "c00201 99", "at byte 6: invalid format code 0x99"},
		{"an element of an array", "e00501 a1 0280 80", "at byte 8: string is not valid UTF-8"},
		{"a descriptor", "00 41 5401", "at byte 4: descriptor is not a ulong or symbol"},
		{"101 nested lists", nested(101), "nested too deep"},
		{"100,000 described values", strings.Repeat("0044", 100_000) + "40", "nested too deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := jmswire("005377"+c.in, "inspect")
			require.Equal(t, 0, code, errs)
			require.Contains(t, out, strings.Repeat(" ", 28)+"error: ")
			require.Contains(t, out, c.want)
			require.Contains(t, out, "JMSPriority")
		})
	}
}

// nested returns n lists in one another as hex.
func nested(n int) string {
	b := []byte{0xd0, 0, 0, 0, 4, 0, 0, 0, 0}
	for range n - 1 {
		size := len(b) + 4
		b = append([]byte{0xd0, 0, byte(size >> 16), byte(size >> 8), byte(size), 0, 0, 0, 1}, b...)
	}
	return hex.EncodeToString(b)
}

// Long values are cut for people, and say how long they are; they are whole in JSON.
func TestLongValues(t *testing.T) {
	text := strings.Repeat("é", 100) // 200 bytes, and byte 128 starts a letter
	for _, c := range []struct{ name, in, text, json string }{
		{"string", "b1000000c8" + hex.EncodeToString([]byte(text)), `string "` + text[:128] + `"… (200 bytes)`, text},
		{"string cut before a letter", "a1c9" + hex.EncodeToString([]byte("a"+text)), `string "a` + text[:126] + `"… (201 bytes)`, "a" + text},
		{"string that is just not cut", "a180" + hex.EncodeToString([]byte(text[:128])), `string "` + text[:128] + "\"\n", text[:128]},
		{"binary", "a082" + strings.Repeat("ab", 130), "binary " + strings.Repeat("ab", 128) + "… (130 bytes)", strings.Repeat("ab", 130)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out, errs := jmswire("005377"+c.in, "inspect")
			require.Contains(t, out, c.text, errs)
			_, out, _ = jmswire("005377"+c.in, "inspect", "-json")
			require.Contains(t, out, `"v":"`+c.json+`"}`)
		})
	}
}

// ids returns the JMSMessageID of each message that inspect -json printed, with the
// line of the input that it stood in.
func ids(t *testing.T, out string) (ids []string, lines []int) {
	for line := range strings.Lines(out) {
		v := read(t, line)
		id, _ := v.JMSMessageID.V.(string)
		ids = append(ids, id)
		lines = append(lines, v.Input.Line)
	}
	return ids, lines
}

// Messages in hex: one with the ulong id 1, 2 or 3, and a text as body.
const (
	one    = "005373c003015301005377a10568656c6c6f"
	two    = "005373c003015302005377a10568656c6c6f"
	three  = "005373c003015303005377a10568656c6c6f"
	broken = "005373c003015304005377a10568656c"
)

func TestLayouts(t *testing.T) {
	const id1, id2, id3 = "ID:AMQP_ULONG:1", "ID:AMQP_ULONG:2", "ID:AMQP_ULONG:3"
	binary, err := hex.DecodeString(one)
	require.NoError(t, err)
	for _, c := range []struct {
		name, flag, in string
		ids            []string
		lines          []int
	}{
		{"one line", "", one, []string{id1}, []int{0}},
		{"one line with an end", "", one + "\n", []string{id1}, []int{0}},
		{"binary", "", string(binary), []string{id1}, []int{0}},
		{"capitals, spaces and tabs", "", "00 53\t73 C0 03 01 5 301\r\n", []string{id1}, []int{0}},
		{"comments", "", "; a message\n" + one + "; its id is 1\n;\n", []string{id1}, []int{0}},
		{"digits in comments", "", one + " ; 00", []string{id1}, []int{0}},
		{"wrapped", "", one[:10] + "\n" + one[10:21] + "\r\n\n" + one[21:] + "\n", []string{id1}, []int{0}},
		{"a section to a line", "", one[:16] + " ; properties\n" + one[16:], []string{id1}, []int{0}},
		{"a message to a line", "", one + "\n" + two + "\r\n" + three, []string{id1, id2, id3}, []int{1, 2, 3}},
		{"with comments and empty lines", "", "; all\n\n" + one + "\n  \n" + two + " ; second\n", []string{id1, id2}, []int{3, 5}},
		{"a message to a line, of data alone", "", "005375a000\n005375a00141\n", []string{"", ""}, []int{1, 2}},
		{"data after a message without body is its body", "", one[:16] + "\n005375a000\n", []string{id1}, []int{0}},
		{"-lines: it is a message of its own", "-lines", one[:16] + "\n005375a000\n", []string{id1, ""}, []int{1, 2}},
		{"-lines, one line", "-lines", one, []string{id1}, []int{1}},
		{"-lines, no digits", "-lines", "\n", []string{""}, []int{0}},
		{"-lines=false: two sections of data", "-lines=false", "005375a000\n005375a00141\n", []string{""}, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"inspect", "-json"}
			if c.flag != "" {
				args = append(args, c.flag)
			}
			code, out, errs := jmswire(c.in, args...)
			require.Equal(t, 0, code, errs)
			require.Empty(t, errs)
			ids, lines := ids(t, out)
			require.Equal(t, c.ids, ids)
			require.Equal(t, c.lines, lines)
		})
	}
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		name, flag, in string
		ids            []string
		err            []string
	}{
		{"not hex", "", "00 53 7x", nil, []string{"line 1, column 8: 'x' is no hex digit"}},
		{"not hex in the second line", "", "0053\n 70 45\n 0053 77 — 40", nil, []string{"line 3, column 10: '—' is no hex digit"}},
		{"half a byte", "", "00537", nil, []string{"an odd number of hex digits"}},
		{"not UTF-8", "", "00\xff", nil, []string{"line 1, column 3: '�' is no hex digit"}},
		{"no message", "", "00 53 79 45", nil, []string{"message at byte 0: unknown section descriptor 0x79"}},
		{"a body cut off", "", broken, []string{"ID:AMQP_ULONG:4"}, []string{"body at byte 16: unexpected EOF"}},
		{"a body cut off, in binary", "", unhex(broken), []string{"ID:AMQP_ULONG:4"}, []string{"body at byte 16: unexpected EOF"}},
		{"a body cut off, wrapped", "", broken[:9] + "\n" + broken[9:], []string{"ID:AMQP_ULONG:4"}, []string{"body at byte 16: unexpected EOF"}},
		{"one bad line", "", one + "\n" + broken + "\n" + three, []string{"ID:AMQP_ULONG:1", "ID:AMQP_ULONG:4", "ID:AMQP_ULONG:3"},
			[]string{"line 2: body at byte 16: unexpected EOF"}},
		{"lines that are not hex", "", "zz\n" + two + "\n0\n", []string{"ID:AMQP_ULONG:2"},
			[]string{"line 1: column 1: 'z' is no hex digit", "line 3: an odd number of hex digits"}},
		{"only bad lines", "", broken + "\n" + broken + "\n", []string{"ID:AMQP_ULONG:4", "ID:AMQP_ULONG:4"},
			[]string{"line 1: body at byte 16: unexpected EOF", "line 2: body at byte 16: unexpected EOF"}},
		{"two messages for one", "-lines=false", one + "\n" + two, []string{"ID:AMQP_ULONG:1"}, []string{"body at byte 18: properties section after amqp-value"}},
	} {
		for _, view := range []string{"-json", ""} {
			t.Run(c.name+view, func(t *testing.T) {
				args := []string{"inspect"}
				for _, flag := range []string{view, c.flag} {
					if flag != "" {
						args = append(args, flag)
					}
				}
				code, out, errs := jmswire(c.in, args...)
				require.Equal(t, 1, code)
				want := ""
				for _, err := range c.err {
					want += "jmswire: standard input: " + err + "\n"
				}
				require.Equal(t, want, errs)
				if len(c.ids) == 0 {
					require.Empty(t, out)
				} else if view == "-json" {
					ids, _ := ids(t, out)
					require.Equal(t, c.ids, ids)
				} else {
					require.Equal(t, len(c.ids), strings.Count(out, "JMSMessageID"))
				}
			})
		}
	}
}

func unhex(s string) string {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	a, b, bad := file("a.hex", one+"\n"+two), file("b.bin", unhex(three)), file("bad.hex", "xx")
	missing := filepath.Join(dir, "missing")

	code, out, errs := jmswire(three, "inspect", "-json", a, missing, bad, "-", b)
	require.Equal(t, 1, code)
	lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
	require.Len(t, lines, 2, errs)
	require.Regexp(t, "^jmswire: open .*missing: ", lines[0])
	require.Equal(t, "jmswire: "+bad+": line 1, column 1: 'x' is no hex digit", lines[1])
	got, _ := ids(t, out)
	require.Equal(t, []string{"ID:AMQP_ULONG:1", "ID:AMQP_ULONG:2", "ID:AMQP_ULONG:3", "ID:AMQP_ULONG:3"}, got)

	var files []string
	for line := range strings.Lines(out) {
		files = append(files, read(t, line).Input.File)
	}
	require.Equal(t, []string{a, a, "standard input", b}, files)

	code, out, errs = jmswire("", "inspect", a, b)
	require.Equal(t, 0, code, errs)
	var titles []string
	for line := range strings.Lines(out) {
		if strings.Contains(line, ": message of ") {
			titles = append(titles, strings.TrimSpace(line))
		}
	}
	require.Equal(t, []string{a + ": line 1: message of 18 bytes", a + ": line 2: message of 18 bytes", b + ": message of 18 bytes"}, titles)
	require.Equal(t, 2, strings.Count(out, "\n\n"), "empty lines between messages")
}

// checkRun runs inspect over an input, and checks what holds for all: a line on one
// of the two outputs, as the exit code says.
func checkRun(t *testing.T, in string) {
	code, out, errs := jmswire(in, "inspect", "-json")
	messages, failed := strings.Count(out, "\n"), strings.Count(errs, "\n")
	if code != 0 && code != 1 || (code == 1) != (failed > 0) || messages+failed == 0 {
		t.Fatalf("%x: exit code %d with %d messages and %d errors", in, code, messages, failed)
	}
	for line := range strings.Lines(out) {
		read(t, line)
	}
	if textCode, text, textErrs := jmswire(in, "inspect"); textCode != code || textErrs != errs || strings.Count(text, "\nJMS\n") != messages {
		t.Fatalf("%x: as text exit code %d with %q on standard error; as JSON %d with %q", in, textCode, textErrs, code, errs)
	}
}

// Messages that are cut off are printed, or they are one line on standard error.
func TestPrefixes(t *testing.T) {
	for _, c := range golden.Read(t, root+"qpid-jms-send/destination.txt", golden.SendKeys()...) {
		wire := string(c.Wire())
		for n := range len(wire) {
			checkRun(t, wire[:n])
		}
	}
	whole := unhex(strings.Join(strings.Fields(stripComments(everything)), ""))
	for n := range len(whole) {
		checkRun(t, whole[:n])
	}
}

func stripComments(text string) (s string) {
	for line := range strings.Lines(text) {
		digits, _, _ := strings.Cut(line, ";")
		s += digits
	}
	return s
}

func FuzzInspect(f *testing.F) {
	for _, s := range []string{"", one, one + "\n" + two, unhex(three), everything, "zz",
		unhex("005377e00802c0030154010100"), unhex("005377e0080200a30161540102"), unhex("00537700a3016100a3016240")} {
		f.Add(s)
	}
	for _, c := range golden.Read(f, root+"qpid-jms-receive/*.txt", golden.ReceiveKeys()...) {
		f.Add(string(c.Wire()))
	}
	f.Fuzz(func(t *testing.T, in string) { checkRun(t, in) })
}

// shown runs inspect, and returns what it prints without the spaces that make columns.
func shown(t *testing.T, wantCode int, in string, args ...string) (lines []string, errs string) {
	t.Helper()
	code, out, errs := jmswire(in, append([]string{"inspect"}, args...)...)
	require.Equal(t, wantCode, code, errs)
	for line := range strings.Lines(out) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines, errs
}

// What only the receiver knows.
func TestReceiver(t *testing.T) {
	const (
		nothing  = "005377 40"
		to       = "005373 c00d05 40 40 a10471 3a2f61 40 a10174 005377 40"                          // to "q:/a", reply-to "t"
		prefixed = "005373 c0180 5 40 40 a1082f71756575 65732f 40 a1092f746f7069632f612f 005377 40" // no message
		queues   = "005373 c01903 40 40 a1142f7175657565732f61253246622f632064 2f65 005377 40"
		classic  = "005373 c00f03 40 40 a10a746f7069633a2f2f6e 77 005377 40"
	)
	_ = prefixed
	for _, c := range []struct {
		name, in string
		args     []string
		want     []string
	}{
		{"no destination", nothing, nil, []string{"JMSDestination null", "JMSReplyTo null"}},
		{"its own", nothing, []string{"-destination", "topic:news:de"}, []string{`JMSDestination topic "news:de"`, "JMSReplyTo null"}},
		{"a kind without a name", nothing, []string{"-destination", "temporary-queue"}, []string{`JMSDestination temporary-queue ""`}},
		{"a kind that nothing says", to, nil, []string{`JMSDestination queue "q:/a"`, `JMSReplyTo queue "t"`}},
		{"that of its own", to, []string{"-destination", "temporary-topic:x"}, []string{`JMSDestination temporary-topic "q:/a"`, `JMSReplyTo temporary-topic "t"`}},
		{"a prefix", to, []string{"-topic-prefix", "q:/"}, []string{`JMSDestination topic "a"`, `JMSReplyTo queue "t"`}},
		{"a peer's prefix", classic, []string{"-peer", "activemq"}, []string{`JMSDestination topic "nw"`}},
		{"no peer", classic, nil, []string{`JMSDestination queue "topic://nw"`}},
		{"another prefix than the peer's", classic, []string{"-queue-prefix", "topic:", "-topic-prefix", "", "-peer", "activemq"}, []string{`JMSDestination queue "//nw"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := shown(t, 0, c.in, c.args...)
			require.Subset(t, got, c.want)
		})
	}
}

// Each peer that -peer names has its own problems, and those of everybody.
func TestPeers(t *testing.T) {
	const in = "005373 c00301 5301" // an id that is a ulong, no header, no body
	for peer, want := range map[string][]string{
		"artemis": nil, "activemq": nil, "broker-j": nil,
		"rabbitmq": {
			"header RabbitMQ: durable is unset: 4.0 reads true, 4.3 false",
			"message-id RabbitMQ: ulong: AMQP 0-9-1 clients get it as text",
			"body RabbitMQ: no section: ends the session (4.0) or the link (4.3)",
		},
		"rabbitmq3": {"message-id RabbitMQ 3: ulong: AMQP 0-9-1 clients get it as text"},
		"service-bus": {
			"message-id Azure Service Bus: ulong: the Go SDK shows no id, a reply through the Java SDK has its text",
		},
	} {
		got, _ := shown(t, 0, in, "-peer", peer)
		_, problems, _ := strings.Cut(strings.Join(got, "\n"), "\nProblems\n")
		require.Equal(t, strings.Join(want, "\n"), problems, peer)
	}
	require.Len(t, peers(), 6)

	all, _ := shown(t, 0, in)
	require.Contains(t, all, "message-id RabbitMQ, RabbitMQ 3: ulong: AMQP 0-9-1 clients get it as text")
	_, out, _ := jmswire(in, "inspect", "-json")
	require.Len(t, read(t, out).Problems, 5)
}

// Of a message with a broken body, the rest is shown.
func TestBrokenBodies(t *testing.T) {
	const isMap = "005372 c11702 a312782d6f70742d6a6d732d6d73672d74797065 5102 "
	const isObject = "005372 c11702 a312782d6f70742d6a6d732d6d73672d74797065 5101 "
	for _, c := range []struct {
		name, in string
		code     int
		err      string // on standard error
		want     []string
	}{
		{"cut off", "005373 c00301 5304 005377a10568656c", 1, "body at byte 16: unexpected EOF",
			[]string{`JMSMessageID string "ID:AMQP_ULONG:4"`, "type error: body at byte 16: unexpected EOF", "body error: body at byte 16: unexpected EOF"}},
		{"cut off, of a known kind", isMap + "005377a10568656c", 1, "body at byte 36: unexpected EOF",
			[]string{"type map", "body error: body at byte 36: unexpected EOF"}},
		{"cut off, of an object", isObject + "005377a10568656c", 1, "body at byte 36: unexpected EOF",
			[]string{"type object", "JMS_AMQP_TYPED_ENCODING error: body at byte 36: unexpected EOF"}},
		{"two sorts", "005375a00101 005377 40", 1, "body at byte 6: amqp-value section in a body of data",
			[]string{"data at 0, 6 bytes", "binary 01", "body error: body at byte 6: amqp-value section in a body of data"}},
		{"two footers", "005377 41 005378c10100 005378c10100", 1, "body at byte 10: second footer section",
			[]string{"amqp-value at 0, 4 bytes", "footer at 4, 6 bytes", "body error: body at byte 10: second footer section"}},
		{"data of another type", "005375 a10161", 1, "body at byte 3: got string, want binary in data section",
			[]string{"body error: body at byte 3: got string, want binary in data section"}},
		{"a sequence that is none", "005376 40", 1, "body at byte 3: got null, want list in amqp-sequence section",
			[]string{"body error: body at byte 3: got null, want list in amqp-sequence section"}},
		{"no text", "005377 a10180", 0, "", []string{"type text", "body error: body at byte 5: string is not valid UTF-8"}},
		{"no text in a list", "005377 c00401 a10180", 0, "", []string{"type object", "body error: body at byte 8: string is not valid UTF-8"}},
		{"not what the kind holds", isMap + "005377 5401", 0, "", []string{"type map", "body error: body amqp-value int: contradicts kind MapMessage"}},
		{"what Go has no type for", isMap + "005377 7300000041", 0, "", []string{"type map", "body error: body amqp-value char: contradicts kind MapMessage"}},
		{"a key that is no string", isMap + "005377 c10502 5401 5401", 0, "", []string{"body error: body amqp-value map: map key is int, not string"}},
		{"a key that Go cannot have", isMap + "005377 c10402 45 5401", 0, "", []string{"body error: body amqp-value map: map key is compound, not string"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, errs := shown(t, c.code, c.in)
			if c.err != "" {
				c.err = "jmswire: standard input: " + c.err + "\n"
			}
			require.Equal(t, c.err, errs)
			require.Subset(t, got, c.want)
		})
	}
}

// Of two annotations of a name the first counts, as it does to the library that reads bytes.
func TestAnnotationTwice(t *testing.T) {
	const name = "a312782d6f70742d6a6d732d6d73672d74797065"
	in := mapSection("72", 2, name+"5102"+name+"5105") + "005377 c10100"
	got, _ := shown(t, 0, in)
	require.Subset(t, got, []string{"type map", "body map {}"})
	var m amqpjms.RawMessage
	require.NoError(t, m.Parse([]byte(unhex(strings.ReplaceAll(in, " ", "")))))
	kind, err := amqpjms.Consumer{}.ViewRaw(&m, receiver{}.received).Kind()
	require.NoError(t, err)
	require.Equal(t, amqpjms.MapMessage, kind)
}

// What the body cannot be read without.
func TestBodiesThatDepend(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"data behind broken properties", "0053 73 c00603 5307 40 a105 005375a00101",
			[]string{"body error: content-encoding at byte 11: unexpected EOF", "JMSDestination error: to at byte 11: unexpected EOF"}},
		{"a value behind broken properties", "0053 73 c00603 5307 40 a105 005377 5401", []string{"type object", "body int 1"}},
		{"annotations broken before the kind", "0053 72 c10904 a30161 41 a30162 99 0053 73 c00603 40 40 a10171 0053 77 5401",
			[]string{`type error: message-annotations "x-opt-jms-msg-type" at byte 13: invalid format code 0x99`,
				`body error: message-annotations "x-opt-jms-msg-type" at byte 13: invalid format code 0x99`,
				`JMSDestination error: message-annotations "x-opt-jms-dest" at byte 13: invalid format code 0x99`, "JMSReplyTo null"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := shown(t, 0, c.in)
			require.Subset(t, got, c.want)
		})
	}
}

// mapSection returns a section that is a map of so many pairs, as hex.
func mapSection(code string, pairs int, items string) string {
	items = strings.ReplaceAll(items, " ", "")
	return fmt.Sprintf("0053%s c1%02x%02x %s", code, len(items)/2+1, 2*pairs, items)
}

// Properties of types that JMS does not have, and what is wrong with one alone.
func TestProperties(t *testing.T) {
	got, _ := shown(t, 0, mapSection("74", 9, "a10163 7300000041  a10164 7422500001  a10165 e0020041  a10166 00a3016141  a10167 a10180"+
		"a10173 a1023737  a10178 c10502a1016141  a1016e 40  a10174 83000001a22d1b8aa3")+"005377 40")
	require.Subset(t, got, []string{
		`c char 65 'A' (string "A")`,
		"d decimal32 22500001",
		"e array []",
		`f described (symbol "a") boolean true`,
		`g error: property "g" at byte 42: string is not valid UTF-8`,
		`n null`,
		`s string "77" (long 77)`,
		`t timestamp 1796053109411 (2026-11-30T15:38:29.411Z) (string "1796053109411", long 1796053109411)`,
		`x map {string "a" = boolean true}`,
	})
	_, out, _ := jmswire(mapSection("74", 2, "a10163 7300000041 a10167 a10180"), "inspect", "-json")
	view := read(t, out)
	require.Equal(t, `string "A"`, view.PropertiesAsString["c"].String())
	require.Equal(t, "error", view.PropertiesAsLong["c"].Type)
	require.NotContains(t, out, "main.")
	for _, p := range []map[string]golden.Value{view.Properties, view.PropertiesAsString, view.PropertiesAsLong} {
		require.Equal(t, `property "g" at byte 19: string is not valid UTF-8`, p["g"].V)
	}
	require.JSONEq(t, `["JMSXDeliveryCount", "c", "g"]`, string(view.PropertyNames))
}

// Names of fields are those of the fields, whatever property there is of the name.
func TestPropertiesThatAreFields(t *testing.T) {
	got, _ := shown(t, 0, "0053 73 c00f0b 40 40 40 40 40 40 5401 40 40 40 a10167"+ // content-type 1, group-id "g"
		mapSection("74", 4, "a10b4a4d535847726f75704944 a10178"+ // JMSXGroupID "x"
			"a10c4a4d535847726f7570536571 5409"+ // JMSXGroupSeq 9
			"a10b4a4d535072696f72697479 5402"+ // JMSPriority 2
			"a1154a4d535f414d51505f434f4e54454e545f54595045 a10179")+ // JMS_AMQP_CONTENT_TYPE "y"
		"005377 40")
	require.Subset(t, got, []string{
		`JMSXGroupID string "g"`,
		"JMSPriority int 4",
		`JMSPriority int 4 (string "4", long 4)`,
		"JMS_AMQP_CONTENT_TYPE error: content-type: got int, want string",
	})
	require.NotContains(t, got, "JMSXGroupSeq int 0")
}
