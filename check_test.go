package amqpjms

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		{"no header", RabbitMQ(), body, []string{"header: RabbitMQ: durable is unset: 4.0 reads true, 4.3 false"}},
		{"durable left out", RabbitMQ(), `00 53 70 45` + body, []string{"header: RabbitMQ: durable is unset: 4.0 reads true, 4.3 false"}},
		{"nothing", BrokerJ(), header + kind + body, nil},
		{"priority", Artemis(), `00 53 70 c0 04 02 41 50 0a` + body, []string{"header: Qpid JMS: priority above 9, read as 9"}},
		{"delivery count", Artemis(), `00 53 70 c0 0a 05 41 40 40 40 70 7fffffff` + body, []string{"header: Qpid JMS: delivery-count from 2^31-1: JMSXDeliveryCount is negative"}},
		{"ttl alone", Artemis(), `00 53 70 c0 05 03 41 40 52 05` + body,
			[]string{"header: ActiveMQ Artemis: forwards the ttl unreduced; without absolute-expiry-time each receiver counts from its own time of receipt"}},
		{"no body", RabbitMQ(), header, []string{"body: RabbitMQ: no section: ends the session (4.0) or the link (4.3)"}},
		{"no body", Artemis(), header, nil},
		{"a kind that is a ubyte", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 50 05` + body, []string{
			"annotation x-opt-jms-msg-type: Qpid JMS: got ubyte, want byte: the application never gets the message",
		}},
		{"a kind that is none", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 06` + body, []string{
			"annotation x-opt-jms-msg-type: Qpid JMS: out of range: the application never gets the message",
		}},
		{"a destination's kind that is a ubyte", ActiveMQ(), header + `00 53 72 c1 13 02 a3 0e "x-opt-jms-dest" 50 00` + body, []string{
			"annotation x-opt-jms-dest: Qpid JMS: got ubyte, want byte: ignored",
		}},
		{"a delivery time that is a timestamp", Artemis(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 83 000001a22d1b6481` + body, []string{
			"annotation x-opt-delivery-time: ActiveMQ Artemis: got timestamp, want long: the message is delivered at once",
		}},
		{"a delivery time that is an int is served", BrokerJ(), `00 53 70 c0 02 01 42 00 53 72 c1 1b 02 a3 13 "x-opt-delivery-time" 71 00000001` + body, nil},
		{"a delay that is not served", RabbitMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000001a22d1b6481` + body, []string{
			"annotation x-opt-delivery-time: RabbitMQ: not a delay: the message is delivered at once",
		}},
		{"a delay that is not served", BrokerJ(), `00 53 70 c0 02 01 42 00 53 72 c1 19 02 a3 14 "x-opt-delivery-delay" 55 05` + body, []string{
			"annotation x-opt-delivery-delay: Qpid Broker-J: not a delay: the message is delivered at once",
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp",
		}},
		{"two delays", ActiveMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000001a22d1b6481
			00 53 74 c1 18 02 a1 13 "AMQ_SCHEDULED_DELAY" 55 05` + body, []string{
			"property AMQ_SCHEDULED_DELAY: ActiveMQ Classic: treated as a delay and removed",
			"message-annotations: Qpid JMS: more than one form of delay: which one counts depends on the peer",
		}},
		{"a key that go-amqp cannot write", Artemis(), header + `00 53 72 c1 04 02 53 05 41` + body, []string{
			"message-annotations: AMQP 1.0: key is a ulong, which AMQP reserves and go-amqp cannot write",
		}},
		{"key is not ASCII", Artemis(), header + `00 53 72 c1 07 02 a3 03 61 c3a9 41` + body, []string{
			"message-annotations: AMQP 1.0: key is not ASCII",
		}},
		{"a ulong id", RabbitMQ(), header + `00 53 73 c0 03 01 53 05` + body, []string{
			"message-id: RabbitMQ: ulong: AMQP 0-9-1 clients get it as text",
		}},
		{"a binary id", ServiceBus(), `00 53 70 c0 05 03 41 40 52 05 00 53 73 c0 04 01 a0 01 01 00 53 75 a0 00`, []string{
			"message-id: Azure Service Bus: binary: the Go SDK shows no id, replies through the Java and JavaScript SDKs have another", "body: Qpid JMS: no x-opt-jms-msg-type: read as a BytesMessage, also if it is a text",
		}},
		{"a long id", RabbitMQ3(), header + `00 53 73 d0 00000109 00000001 b1 00000100 "` + strings.Repeat("i", 256) + `"` + body, []string{
			"message-id: RabbitMQ 3: longer than 255 bytes: AMQP 0-9-1 clients get it in a header",
		}},
		{"an id of no type", Artemis(), header + `00 53 73 c0 03 01 54 05` + body, []string{
			"message-id: AMQP 1.0: id at byte 0: got int, want string, ulong, uuid or binary",
		}},
		{"the year 1", Artemis(), header + `00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 ffffc77cedd32800` + body, []string{
			"creation-time: Qpid JMS: the year 1, which go-amqp sends for a zero time.Time",
		}},
		{"another time before 1970", Artemis(), header + `00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 ffffffffffffffff` + body, nil},
		{"properties of other types", Artemis(), header + `00 53 73 c0 21 0d 40 a1 01 "u" a3 01 "t" a3 01 "s" a3 01 "r" 40 a1 01 "c" a1 01 "e" 55 01 55 02 a3 01 "g" 54 05 a0 01 "h"` + body,
			[]string{
				"user-id: AMQP 1.0: got string, want binary", "user-id: Qpid JMS: the application never gets the message",
				"to: AMQP 1.0: got symbol, want string",
				"subject: AMQP 1.0: got symbol, want string", "subject: Qpid JMS: the application never gets the message",
				"reply-to: AMQP 1.0: got symbol, want string", "content-type: AMQP 1.0: got string, want symbol",
				"content-encoding: AMQP 1.0: got string, want symbol", "absolute-expiry-time: AMQP 1.0: got long, want timestamp",
				"creation-time: AMQP 1.0: got long, want timestamp", "creation-time: Qpid JMS: the application never gets the message",
				"group-id: AMQP 1.0: got symbol, want string",
				"group-sequence: AMQP 1.0: got int, want uint", "group-sequence: Qpid JMS: the application never gets the message",
				"reply-to-group-id: AMQP 1.0: got binary, want string",
			}},
		{"properties that are no text", Artemis(), header + `00 53 73 c0 1c 0d 40 40 a1 01 ff a1 01 ff a1 01 ff 40 a3 01 e9 a3 01 e9 40 40 a1 01 ff 40 a1 01 ff` + body, []string{
			"to: AMQP 1.0: not valid UTF-8", "subject: AMQP 1.0: not valid UTF-8", "reply-to: AMQP 1.0: not valid UTF-8",
			"content-type: AMQP 1.0: not ASCII", "content-encoding: AMQP 1.0: not ASCII", "group-id: AMQP 1.0: not valid UTF-8",
			"reply-to-group-id: AMQP 1.0: not valid UTF-8",
		}},
		{"an object of a described value", Artemis(), header + `00 53 77 00 53 01 45`, []string{"body: Qpid JMS: an ObjectMessage of a described value cannot be read"}},
		{"a delivery time that loses", Peer{Product: "another"}, header + `00 53 72 c1 1b 02 a3 13 "x-opt-delivery-time" 72 00000001` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: float converted to long, losing precision",
		}},
		{"a delivery time that loses", Peer{Product: "another"}, header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 80 ffffffffffffffff` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: ulong converted to long, losing precision",
		}},
		{"a user id", Artemis(), header + `00 53 73 c0 05 02 40 a0 01 ff` + body, []string{"user-id: Qpid JMS: not valid UTF-8: JMSXUserID has replacement characters"}},
		{"a user id", RabbitMQ(), header + `00 53 73 c0 06 02 40 a0 02 "me"` + body, []string{
			"user-id: RabbitMQ: refused unless it is the user of the connection",
		}},
		{"a group", RabbitMQ(), header + `00 53 73 c0 0e 0b 40 40 40 40 40 40 40 40 40 40 a1 01 "g"` + body, []string{
			"group-id: RabbitMQ: ignored: no message groups",
		}},
		{"the end of a group", Artemis(), header + `00 53 73 c0 11 0c 40 40 40 40 40 40 40 40 40 40 40 70 ffffffff` + body, []string{
			"group-sequence: ActiveMQ Artemis: -1 as JMSXGroupSeq: closes the group",
		}},
		{"the end of a group", ActiveMQ(), header + `00 53 73 c0 11 0c 40 40 40 40 40 40 40 40 40 40 40 70 80000000` + body, []string{
			"group-sequence: ActiveMQ Classic: negative as JMSXGroupSeq: closes the group",
		}},
		{"properties", Artemis(), header + `00 53 74 c1 21 0a a1 03 "a-b" 41 a1 01 "u" 50 01 a1 01 "l" 45 a1 0b "JMSXGroupID" 40 54 01 41` + body, []string{
			`property "a-b": Qpid JMS: hidden: the name is not a Java identifier`,
			`property "u": Qpid JMS: ubyte: its typed getters throw`,
			`property "l": Qpid JMS: list: its typed getters throw`,
			`property "JMSXGroupID": Qpid JMS: ignored: the name is that of a field`,
			`application-properties: AMQP 1.0: key is int, not string`,
			`application-properties: Qpid JMS: key is int, not string: the application never gets the message`,
		}},
		{"several sections", Artemis(), header + `00 53 75 a0 00 00 53 75 a0 00`, []string{"body: Qpid JMS: several sections: only the last is read", "body: Qpid JMS: no x-opt-jms-msg-type: read as a BytesMessage, also if it is a text"}},
		{"several sections", ActiveMQ(), header + `00 53 75 a0 00 00 53 75 a0 00`, []string{
			"body: Qpid JMS: several sections: only the last is read",
			"body: ActiveMQ Classic: several sections: only the first is kept", "body: Qpid JMS: no x-opt-jms-msg-type: read as a BytesMessage, also if it is a text",
		}},
		{"several sequences", ActiveMQ(), header + `00 53 76 45 00 53 76 45`, []string{"body: Qpid JMS: several sections: only the last is read", "body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a StreamMessage"}},
		{"a map of high characters", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 0f 04 a1 01 "a" a1 00 a1 01 "b" a1 04 f09f9880`, []string{
			"body: ActiveMQ Classic: a character above U+FFFF in a map becomes invalid UTF-8, and Qpid JMS loses the message",
		}},
		{"a map of high keys, and no higher than U+FFFF", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 0c 02 a1 04 f09f9880 a1 03 efbfbd`, nil},
		{"a body that contradicts", Artemis(), header + kind + `00 53 77 c1 01 00`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: body amqp-value map: contradicts kind TextMessage",
		}},
		{"a text that is not valid", Artemis(), header + `00 53 77 a1 01 ff`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: text \"\\xff\": not valid UTF-8",
		}},
		{"a text in UTF-16", Artemis(), header + kind + `00 53 73 c0 23 07 40 40 40 40 40 40 a3 1a "text/plain; charset=utf-16" 00 53 75 a0 02 00 61`, []string{
			"body: Qpid JMS: read as UTF-8: x-opt-jms-msg-type overrides the charset",
		}},
		{"a text in a charset that nobody knows", Artemis(), header + `00 53 73 c0 1d 07 40 40 40 40 40 40 a3 14 "text/plain;charset=x" 00 53 75 a0 01 "a"`, []string{
			"body: Qpid JMS: shown as bytes: unknown charset \"x\"",
		}},
		{"a text that is encoded", Artemis(), header + kind + `00 53 73 c0 0e 08 40 40 40 40 40 40 40 a3 04 "gzip" 00 53 75 a0 01 ff`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: text \"\\xff\": not valid UTF-8",
			`body: Qpid JMS: unsupported content-encoding "gzip": the text is read encoded`,
		}},
		{"an object of data", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 01 00 53 75 a0 00`, []string{
			"body: Qpid JMS: an ObjectMessage of data cannot be read: content-type is not application/x-java-serialized-object",
		}},
		{"a map with another key", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 05 02 54 01 54 01`, []string{
			"body: Qpid JMS: the value of a key that is not a string cannot be read",
		}},
		{"no data", ServiceBus(), `00 53 70 c0 05 03 41 40 52 05` + body, []string{"body: Azure Service Bus: not data: the Java SDK's getBody throws, the Go SDK's Body is nil"}},
		{"no ttl is a good message", ServiceBus(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 03 00 53 75 a0 00`, nil},

		// What is missing or misplaced.
		{"a good text", Peer{}, header + kind + body, nil},
		{"a map without a kind", Artemis(), header + `00 53 77 c1 09 02 a1 01 "q" 71 00000001`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage"}},
		{"a list without a kind", Artemis(), header + `00 53 77 45`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a StreamMessage"}},
		{"no kind beside reply-to", Artemis(), header + kind + `00 53 73 c0 08 05 40 40 40 40 a1 01 "r"` + body, []string{
			"reply-to: ActiveMQ Artemis: no x-opt-jms-reply-to: a JMS application takes the kind of its own destination"}},
		{"the prefix tells the kind", ActiveMQ(), header + kind + `00 53 73 c0 10 05 40 40 40 40 a1 09 "topic://r"` + body, nil},
		{"an older kind beside reply-to", Artemis(), header + `00 53 72 c1 1a 02 a3 10 "x-opt-reply-type" a1 05 "topic" 00 53 73 c0 08 05 40 40 40 40 a1 01 "r"` + body, nil},
		{"a reserved key", Artemis(), header + `00 53 72 c1 07 02 a3 03 "key" 41` + body, []string{
			`message-annotations: AMQP 1.0: key "key" is reserved: it does not start with x-`}},
		{"a kind of destination among the delivery annotations", Artemis(), `00 53 70 c0 02 01 42 00 53 71 c1 13 02 a3 0e "x-opt-jms-dest" 50 00` + body, []string{
			"delivery-annotation x-opt-jms-dest: Qpid JMS: ignored: it is a message annotation"}},
		{"Artemis's own way to delay", BrokerJ(), `00 53 70 c0 02 01 42 00 53 74 c1 18 02 a1 13 "_AMQ_SCHED_DELIVERY" 55 05` + body, []string{
			`property "_AMQ_SCHED_DELIVERY": Qpid Broker-J: not a delay: the message is delivered at once`}},
		{"RabbitMQ 3's plugin's way to delay", RabbitMQ(), header + `00 53 72 c1 0c 02 a3 07 "x-delay" 54 05` + body, []string{
			"annotation x-delay: RabbitMQ: not a delay: the message is delivered at once"}},
		{"ActiveMQ's way to delay as an annotation", ActiveMQ(), header + `00 53 72 c1 2e 04 a3 12 "x-opt-jms-msg-type" 51 05 a3 13 "AMQ_SCHEDULED_DELAY" 55 05` + body, []string{
			"annotation AMQ_SCHEDULED_DELAY: ActiveMQ Classic: not a delay: the message is delivered at once",
			`message-annotations: AMQP 1.0: key "AMQ_SCHEDULED_DELAY" is reserved: it does not start with x-`}},
		{"the header's name as a property", BrokerJ(), `00 53 70 c0 02 01 42 00 53 74 c1 1b 02 a1 0f "JMSDeliveryTime" 81 000001a22d1b6481` + body, []string{
			`property "JMSDeliveryTime": Qpid Broker-J: not a delay: the message is delivered at once`}},
		{"a delivery time in the footer", Artemis(), header + body + `00 53 78 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000001a22d1b6481`, []string{
			"footer x-opt-delivery-time: Qpid JMS: ignored: it is a message annotation"}},
		{"a null in the footer", Artemis(), header + body + `00 53 78 c1 17 02 a3 13 "x-opt-delivery-time" 40`, nil},
		{"an enqueue time that is a long", ServiceBus(), header + `00 53 72 c1 28 02 a3 1c "x-opt-scheduled-enqueue-time" 81 000001a22d1b6481 00 53 75 a0 00`, []string{
			"annotation x-opt-scheduled-enqueue-time: Azure Service Bus: got long, want timestamp",
			"body: Qpid JMS: no x-opt-jms-msg-type: read as a BytesMessage, also if it is a text"}},
		{"a delivery time in seconds", Artemis(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000000006b0d2f00
			00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: long before creation-time: milliseconds since 1970, not seconds"}},
		{"a delivery time in seconds without a creation-time", Artemis(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000000006b49d200` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: before 1980: milliseconds since 1970, not seconds"}},
		{"the first second that is told", BrokerJ(), `00 53 70 c0 02 01 42 00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000000003b9aca00` + body, []string{ // 2001-09-09
			"annotation x-opt-delivery-time: Qpid JMS: before 1980: milliseconds since 1970, not seconds"}},
		{"a time long ago", BrokerJ(), `00 53 70 c0 02 01 42 00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000000003b9ac9ff` + body, nil},
		{"the end of 1979", ActiveMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 0000004977386fff` + body, []string{ // 315532799999
			"annotation x-opt-delivery-time: Qpid JMS: before 1980: milliseconds since 1970, not seconds"}},
		{"1980", ActiveMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 0000004977387000` + body, nil},
		{"the end of 2999", ActiveMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 00001d8fda4cdfff` + body, nil},
		{"3000", ActiveMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 00001d8fda4ce000` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: after the year 2999: milliseconds since 1970, not microseconds"}},
		{"never", ActiveMQ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 7fffffffffffffff` + body, nil},
		{"a delivery time in microseconds", Artemis(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 0006651728988000` + body, []string{ // 18 * 10^14
			"annotation x-opt-delivery-time: Qpid JMS: after the year 2999: milliseconds since 1970, not microseconds"}},
		{"an enqueue time in seconds", ServiceBus(), header + `00 53 72 c1 3e 04 a3 12 "x-opt-jms-msg-type" 51 03 a3 1c "x-opt-scheduled-enqueue-time" 83 000000006b49d200 00 53 75 a0 00`, []string{
			"annotation x-opt-scheduled-enqueue-time: Qpid JMS: before 1980: milliseconds since 1970, not seconds"}},
		{"a delay that is a string", Artemis(), header + `00 53 72 c1 1a 02 a3 14 "x-opt-delivery-delay" a1 01 "5"` + body, []string{
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp",
			"annotation x-opt-delivery-delay: ActiveMQ Artemis: got string, want long"}},
		{"a delay that is negative", ActiveMQ(), header + `00 53 72 c1 19 02 a3 14 "x-opt-delivery-delay" 55 fb` + body, []string{
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp",
			"annotation x-opt-delivery-delay: ActiveMQ Classic: negative, want milliseconds"}},
		{"a delay that is a timestamp", ActiveMQ(), header + `00 53 72 c1 20 02 a3 14 "x-opt-delivery-delay" 83 0000000000000005` + body, []string{
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp",
			"annotation x-opt-delivery-delay: ActiveMQ Classic: got timestamp, want long"}},
		{"a delay that is not whole", Artemis(), header + `00 53 72 c1 20 02 a3 14 "x-opt-delivery-delay" 82 3ff8000000000000` + body, []string{
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp",
			"annotation x-opt-delivery-delay: ActiveMQ Artemis: got double, want long"}},
		{"a delay beyond long", Artemis(), header + `00 53 72 c1 20 02 a3 14 "x-opt-delivery-delay" 80 8000000000000000` + body, []string{
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp",
			"annotation x-opt-delivery-delay: ActiveMQ Artemis: got ulong above 2^63-1, want milliseconds"}},
		{"a delay of 0", Artemis(), header + `00 53 72 c1 19 02 a3 14 "x-opt-delivery-delay" 55 00` + body, []string{
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp"}},
		{"a delay that is a string, where none is served", BrokerJ(), `00 53 70 c0 02 01 42 00 53 72 c1 1a 02 a3 14 "x-opt-delivery-delay" a1 01 "5"` + body, []string{
			"annotation x-opt-delivery-delay: Qpid Broker-J: not a delay: the message is delivered at once",
			"annotation x-opt-delivery-delay: Qpid JMS: ignored: JMSDeliveryTime is JMSTimestamp"}},
		{"an expiry before the ttl", Artemis(), `00 53 70 c0 08 03 41 40 70 000f4240 00 53 73 c0 1b 0a 40 40 40 40 40 40 40 40 83 000001a22d1b6482 83 000001a22d1b6481` + body, []string{
			"absolute-expiry-time: Qpid JMS: earlier than creation-time plus ttl: a broker that goes by ttl delivers what has expired here"}},
		{"an expiry without a ttl", RabbitMQ(), header + `00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 000003bb2cc3d800` + body, []string{
			"header: RabbitMQ: no ttl: absolute-expiry-time alone does not expire the message"}},
		{"an address of AMQP 0-9-1", RabbitMQ(), `00 53 70 c0 02 01 42` + kind + `00 53 73 c0 1b 05 40 40 a1 06 "orders" 40 a1 0d "/queue/orders"` + body, []string{
			"to: RabbitMQ: not an address of this peer: a message sent there is refused",
			"reply-to: RabbitMQ: not an address of this peer: a message sent there is refused",
			"reply-to: RabbitMQ: no x-opt-jms-reply-to: a JMS application takes the kind of its own destination"}},
		{"addresses of RabbitMQ 4", RabbitMQ(), `00 53 70 c0 02 01 42` + kind + `00 53 73 c0 33 05 40 40 a1 15 "/queues/orders%2Fopen" 40 a1 16 "/exchanges/amq.topic/a"` + body, nil},
		{"an empty session", ServiceBus(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 03 00 53 73 c0 0d 0b 40 40 40 40 40 40 40 40 40 40 a1 00 00 53 75 a0 00`, []string{
			"group-id: Azure Service Bus: empty: a queue with sessions refuses it"}},
		{"a null body", ServiceBus(), header + kind + `00 53 77 40`, []string{
			"body: Azure Service Bus: amqp-value null ends the Java SDK's receiver, again on each new one"}},
		{"an ability that the caller knows", Peer{Product: "RabbitMQ", Delay: DelayAbsolute}, header + kind[:0] + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000001a22d1b6481` + body, nil},
		{"an ability that the caller took away", Peer{Product: "Qpid Broker-J", Delay: DelayNone}, `00 53 70 c0 02 01 42 00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 81 000001a22d1b6481` + body, []string{
			"annotation x-opt-delivery-time: Qpid Broker-J: not a delay: the message is delivered at once"}},
		{"JMSXUserID as a property is shown", Artemis(), header + `00 53 74 c1 10 02 a1 0a "JMSXUserID" a1 01 "u"` + body, nil},
		{"the last delivery count of all", Artemis(), `00 53 70 c0 0a 05 41 40 40 40 70 ffffffff` + body, []string{"header: Qpid JMS: delivery-count 2^32-1: JMSXDeliveryCount is 0"}},

		// What ends the link of a go-amqp receiver.
		{"a char", Artemis(), header + `00 53 77 73 00000041`, []string{"body: go-amqp: char: ends the link"}},
		{"a char in a map in a list", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 04 00 53 76 c0 0c 01 c1 09 02 a1 01 "c" 73 00000041`, []string{
			"body: Qpid JMS: map in a stream cannot be read", "body: go-amqp: char: ends the link"}},
		{"a decimal property", Artemis(), header + `00 53 74 c1 0d 02 a1 01 "d" 84 0000000000000000` + body, []string{
			`property "d": Qpid JMS: decimal64: its typed getters throw`, "application-properties: go-amqp: decimal64: ends the link"}},
		{"an array of lists", Artemis(), header + `00 53 77 e0 02 01 45`, []string{"body: go-amqp: array of list: ends the link"}},
		{"an array of arrays", Artemis(), header + `00 53 77 e0 05 01 e0 02 01 41`, []string{"body: go-amqp: array of array: ends the link"}},
		{"a map keyed by a list", Artemis(), header + `00 53 77 c1 03 02 45 40`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage", "body: go-amqp: map key of type list: ends the link"}},
		{"a map keyed by a map", Artemis(), header + `00 53 77 c1 05 02 c1 01 00 40`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage", "body: go-amqp: map key of type map: ends the link"}},
		{"a map keyed by a binary", Artemis(), header + `00 53 77 c1 05 02 a0 01 01 41`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage", "body: go-amqp: map key of type binary: ends the link"}},
		{"a map keyed by an array", Artemis(), header + `00 53 77 c1 07 02 e0 03 01 54 01 41`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage", "body: go-amqp: map key of type array: ends the link"}},
		{"a map keyed by a described list", Artemis(), header + `00 53 77 c1 0d 02 00 80 0000000000000001 45 41`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage",
			"body: go-amqp: map key of type described list: panics, which ends the program"}},
		{"a map keyed by a list described twice", Artemis(), header + `00 53 77 c1 09 02 00 53 7a 00 53 7b 45 41`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage",
			"body: go-amqp: map key of type described list: panics, which ends the program"}},
		{"a map keyed by a described boolean", Artemis(), header + `00 53 77 c1 06 02 00 53 7a 41 41`, []string{
			"body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage"}},
		{"a property keyed by a described list", Artemis(), header + `00 53 74 c1 13 02 a1 01 "a" c1 0d 02 00 80 0000000000000001 45 41` + body, []string{
			`property "a": Qpid JMS: map: its typed getters throw`,
			"application-properties: go-amqp: map key of type described list: panics, which ends the program"}},
		{"annotations keyed by a list", Artemis(), header + `00 53 72 c1 03 02 45 41` + body, []string{
			"message-annotations: AMQP 1.0: key is list, not symbol", "message-annotations: Qpid JMS: key is list, not symbol: the application never gets the message",
			"message-annotations: go-amqp: map key of type list: panics, which ends the program"}},
		{"a symbolic descriptor", Artemis(), `00 a3 10 "amqp:header:list" c0 02 01 41` + body, []string{"header: go-amqp: symbolic section descriptor: ends the link"}},
		{"a header made for durable alone", Artemis(), `00 53 70 c0 04 02 41 50 00` + body, []string{
			"header: go-amqp: priority 0, the lowest: a MessageHeader has it unless Priority is set"}},
		{"and an annotation", Artemis(), `00 53 70 c0 04 02 41 50 00` + kind + body, []string{
			"header: go-amqp: priority 0, the lowest: a MessageHeader has it unless Priority is set"}},
		{"and a ttl of an hour, with its end", Artemis(), `00 53 70 c0 09 03 41 50 00 70 0036ee80` + kind + `00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 000003bb2cc3d800` + body, []string{
			"header: go-amqp: priority 0, the lowest: a MessageHeader has it unless Priority is set"}},
		{"and an id", Artemis(), `00 53 70 c0 04 02 41 50 00` + kind + `00 53 73 c0 04 01 a1 01 "i"` + body, []string{
			"header: go-amqp: priority 0, the lowest: a MessageHeader has it unless Priority is set"}},
		{"and a creation-time alone", Artemis(), `00 53 70 c0 04 02 41 50 00 00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481` + body, []string{
			"header: go-amqp: priority 0, the lowest: a MessageHeader has it unless Priority is set"}},
		{"priority 0 of a JMS application", Artemis(), `00 53 70 c0 04 02 41 50 00` + kind + `00 53 73 c0 13 0a 40 40 40 40 40 40 40 40 40 83 000001a22d1b6481` + body, nil},
		{"priority 0 that is not Go's: durable is unset", Artemis(), `00 53 70 c0 04 02 40 50 00` + body, nil},

		// Where the known peers draw the line.
		{"the highest priority", Artemis(), `00 53 70 c0 04 02 41 50 09` + body, nil},
		{"the last delivery count", Artemis(), `00 53 70 c0 0a 05 41 40 40 40 70 7ffffffe` + body, nil},
		{"a ttl of 0 is none", Artemis(), `00 53 70 c0 04 03 41 40 43` + body, nil},
		{"the shortest ttl", RabbitMQ(), `00 53 70 c0 05 03 41 40 52 01` + body,
			[]string{"header: RabbitMQ: forwards the ttl unreduced; without absolute-expiry-time each receiver counts from its own time of receipt"}},
		{"the shortest ttl", RabbitMQ3(), `00 53 70 c0 05 03 41 40 52 01` + body,
			[]string{"header: RabbitMQ 3: forwards the ttl unreduced; without absolute-expiry-time each receiver counts from its own time of receipt"}},
		{"a ttl and an expiry", Artemis(), `00 53 70 c0 05 03 41 40 52 05 00 53 73 c0 12 09 40 40 40 40 40 40 40 40 83 000003bb2cc3d800` + body, nil},
		{"a ttl and a broken expiry", Artemis(), `00 53 70 c0 05 03 41 40 52 05 00 53 73 c0 0a 09 40 40 40 40 40 40 40 40 83` + body,
			[]string{"absolute-expiry-time: AMQP 1.0: absolute-expiry-time at byte 25: unexpected EOF"}},
		{"a kind of reply-to that is a ubyte", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-reply-to" 50 00` + body, []string{
			"annotation x-opt-jms-reply-to: Qpid JMS: got ubyte, want byte: ignored",
		}},
		{"a kind that is none is a byte", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 06` + body, []string{
			"annotation x-opt-jms-msg-type: Qpid JMS: out of range: the application never gets the message",
		}},
		{"the last kind of destination", ActiveMQ(), header + `00 53 72 c1 13 02 a3 0e "x-opt-jms-dest" 51 03` + body, nil},
		{"behind it", ActiveMQ(), header + `00 53 72 c1 13 02 a3 0e "x-opt-jms-dest" 51 04` + body, []string{"annotation x-opt-jms-dest: Qpid JMS: out of range: ignored"}},
		{"before the first", ActiveMQ(), header + `00 53 72 c1 13 02 a3 0e "x-opt-jms-dest" 51 ff` + body, []string{"annotation x-opt-jms-dest: Qpid JMS: out of range: ignored"}},
		{"annotations cut off", Artemis(), header + `00 53 72 c1 03 02 a3 13` + body, []string{
			`message-annotations: AMQP 1.0: message-annotations "x-opt-jms-dest" at byte 15: unexpected EOF`,
			`body: AMQP 1.0: message-annotations "x-opt-jms-msg-type" at byte 15: unexpected EOF`,
		}},
		{"a key that is a string", Artemis(), header + `00 53 72 c1 05 02 a1 01 "k" 41` + body, []string{"message-annotations: AMQP 1.0: key is string, not symbol",
			"message-annotations: Qpid JMS: key is string, not symbol: the application never gets the message"}},
		{"a key of the delivery", Artemis(), `00 53 70 c0 02 01 41 00 53 71 c1 04 02 53 05 41` + body, []string{
			"delivery-annotations: AMQP 1.0: key is a ulong, which AMQP reserves and go-amqp cannot write",
		}},
		{"annotations of the delivery left over", Artemis(), header + `00 53 71 c1 02 00 40` + body, []string{"delivery-annotations: AMQP 1.0: unexpected trailing data (1 byte)"}},
		{"a delivery time that is a ulong", Artemis(), header + `00 53 72 c1 18 02 a3 13 "x-opt-delivery-time" 53 05` + body, nil},
		{"a delivery time that is a timestamp", BrokerJ(), header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 83 000001a22d1b6481` + body, []string{
			"annotation x-opt-delivery-time: Qpid Broker-J: got timestamp, want long: the message is delivered at once",
		}},
		{"a delivery time that is an int is served", Artemis(), header + `00 53 72 c1 1b 02 a3 13 "x-opt-delivery-time" 71 00000001` + body, nil},
		{"a delivery time that loses", Peer{Product: "another"}, header + `00 53 72 c1 1f 02 a3 13 "x-opt-delivery-time" 82 3ff0000000000000` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: double converted to long, losing precision",
		}},
		{"a delivery time that loses", Peer{Product: "another"}, header + `00 53 72 c1 1b 02 a3 13 "x-opt-delivery-time" 74 22500001` + body, []string{
			"annotation x-opt-delivery-time: Qpid JMS: decimal32 converted to long, losing precision",
			"message-annotations: go-amqp: decimal32: ends the link",
		}},
		{"a property that is the application's", Artemis(), header + `00 53 74 c1 18 02 a1 13 "AMQ_SCHEDULED_DELAY" 55 05` + body, nil},
		{"properties cut off", Artemis(), header + `00 53 73 c0 02 01 a1` + body, []string{
			"message-id: AMQP 1.0: message-id at byte 14: unexpected EOF",
			"body: AMQP 1.0: content-encoding at byte 14: unexpected EOF",
		}},
		{"a group", RabbitMQ3(), header + `00 53 73 c0 0e 0b 40 40 40 40 40 40 40 40 40 40 a1 01 "g"` + body, []string{
			"group-id: RabbitMQ 3: ignored: no message groups",
		}},
		{"no end of a group", Artemis(), header + `00 53 73 c0 11 0c 40 40 40 40 40 40 40 40 40 40 40 70 fffffffe` + body, nil},
		{"no end of a group", ActiveMQ(), header + `00 53 73 c0 11 0c 40 40 40 40 40 40 40 40 40 40 40 70 7fffffff` + body, nil},
		{"a uuid", RabbitMQ(), header + `00 53 73 c0 12 01 98 00000000000000000000000000000000` + body, []string{
			"message-id: RabbitMQ: uuid: AMQP 0-9-1 clients get it as text",
		}},
		{"a binary id", RabbitMQ(), header + `00 53 73 c0 04 01 a0 01 01` + body, []string{
			"message-id: RabbitMQ: binary: AMQP 0-9-1 clients get it in a header or in another form",
		}},
		{"the longest id", RabbitMQ3(), header + `00 53 73 d0 00000105 00000001 a1 ff "` + strings.Repeat("i", 255) + `"` + body, nil},
		{"application properties cut off", Artemis(), header + `00 53 74 c1 03 02 a1 13` + body, []string{"application-properties: AMQP 1.0: unexpected EOF"}},
		{"application properties left over", Artemis(), header + `00 53 74 c1 02 00 40` + body, []string{"application-properties: AMQP 1.0: unexpected trailing data (1 byte)"}},
		{"an object of high characters", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 01 00 53 77 c1 0a 02 a1 01 "b" a1 04 f09f9880`, nil},
		{"a footer of high characters", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 c1 01 00 00 53 78 c1 0a 02 a3 01 "b" a1 04 f09f9880`, nil},
		{"a map that is none", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 a1 04 f09f9880`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: body amqp-value string: contradicts kind MapMessage",
		}},
		{"a map that is none", ActiveMQ(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 75 a0 04 f09f9880`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: body data: contradicts kind MapMessage",
		}},
		{"a map of a described value", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 02 00 53 77 00 53 01 45`, []string{
			"body: Qpid JMS: cannot be read, and the message is lost: body amqp-value described value: contradicts kind MapMessage",
		}},
		{"a map left over", Artemis(), header + `00 53 77 c1 02 00 40`, []string{"body: AMQP 1.0: body at byte 13: unexpected trailing data (1 byte)"}},
		{"a text in UTF-16, which is no UTF-8", Artemis(), header + kind + `00 53 73 c0 23 07 40 40 40 40 40 40 a3 1a "text/plain; charset=utf-16" 00 53 75 a0 02 00 e9`, []string{
			"body: Qpid JMS: read as UTF-8: x-opt-jms-msg-type overrides the charset",
			`body: Qpid JMS: cannot be read, and the message is lost: text "\x00\xe9": not valid UTF-8`,
		}},
		{"a text in UTF-16 without an annotation", Artemis(), header + `00 53 73 c0 23 07 40 40 40 40 40 40 a3 1a "text/plain; charset=utf-16" 00 53 75 a0 02 00 61`, nil},
		{"a text in a charset that nobody knows, and a kind", Artemis(), header + kind + `00 53 73 c0 1d 07 40 40 40 40 40 40 a3 14 "text/plain;charset=x" 00 53 75 a0 01 "a"`, []string{
			"body: Qpid JMS: read as UTF-8: x-opt-jms-msg-type overrides the charset",
		}},
		{"a serialized object", Artemis(), header + `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 01 00 53 73 c0 2d 07 40 40 40 40 40 40 a3 24 "application/x-java-serialized-object" 00 53 75 a0 00`, nil},

		{"equal keys, in two forms", Artemis(), header + `00 53 72 c1 0e 04 a3 01 "a" 51 01 b3 00000001 "a" 51 02` + body, []string{
			`message-annotations: AMQP 1.0: key "a" is reserved: it does not start with x-`,
			`message-annotations: AMQP 1.0: duplicate key "a": go-amqp keeps the last value, a RawMessage reads the first`,
		}},
		{"equal keys, each listed once", Artemis(), header + `00 53 71 c1 19 0c a3 01 "a" 40 a3 01 "b" 40 a3 01 "b" 40 a3 01 "a" 40 a3 01 "a" 40 a3 01 "c" 40` + body, []string{
			`delivery-annotations: AMQP 1.0: key "a" is reserved: it does not start with x-`,
			`delivery-annotations: AMQP 1.0: key "b" is reserved: it does not start with x-`,
			`delivery-annotations: AMQP 1.0: duplicate key "b": go-amqp keeps the last value, a RawMessage reads the first`,
			`delivery-annotations: AMQP 1.0: duplicate key "a": go-amqp keeps the last value, a RawMessage reads the first`,
			`delivery-annotations: AMQP 1.0: key "c" is reserved: it does not start with x-`,
		}},
		{"equal keys", Artemis(), header + `00 53 74 c1 0b 04 a1 01 "a" 51 01 a1 01 "a" 51 02` + body, []string{
			`application-properties: AMQP 1.0: duplicate key "a": go-amqp keeps the last value, a RawMessage reads the first`,
		}},
		{"equal keys", Artemis(), header + body + `00 53 78 c1 09 04 a3 01 "a" 40 a3 01 "a" 40`, []string{
			`footer: AMQP 1.0: duplicate key "a": go-amqp keeps the last value, a RawMessage reads the first`,
		}},
		{"equal keys of a body", Artemis(), header + `00 53 77 c1 09 04 a1 01 "a" 40 a1 01 "a" 40`, []string{
			`body: AMQP 1.0: duplicate key "a": go-amqp keeps the last value`, "body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage",
		}},
		{"a name in several sections", Artemis(), header + `00 53 71 c1 05 02 a3 01 "a" 40 00 53 72 c1 05 02 a3 01 "a" 40 00 53 74 c1 05 02 a1 01 "a" 40` +
			`00 53 77 c1 05 02 a1 01 "a" 40 00 53 78 c1 05 02 a3 01 "a" 40`, []string{
			`message-annotations: AMQP 1.0: key "a" is reserved: it does not start with x-`, `delivery-annotations: AMQP 1.0: key "a" is reserved: it does not start with x-`, "body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage"}},
		{"names of no bytes, and of another case", Artemis(), header + `00 53 72 c1 12 06 a3 02 "x-" 40 a3 03 "x-a" 40 a3 03 "x-A" 40` + body, nil},
		{"a key of a footer", Artemis(), header + body + `00 53 78 c1 05 02 a1 01 "a" 40`, []string{"footer: AMQP 1.0: key is string, not symbol"}},
		{"a footer cut off", Artemis(), header + body + `00 53 78 c1 03 02 a3 13`, []string{"footer: AMQP 1.0: unexpected EOF"}},
		{"a key of a property", Artemis(), header + `00 53 74 c1 05 02 a1 01 e9 40` + body, []string{"application-properties: AMQP 1.0: key is not valid UTF-8"}},

		{"no message", Artemis(), `00 53 79 40`, []string{"message: AMQP 1.0: message at byte 0: unknown section descriptor 0x79"}},
		{"a body that is none", Artemis(), header + `00 53 75 40`, []string{"body: AMQP 1.0: body at byte 10: got null, want binary in data section"}},
	} {
		var got []string
		for _, p := range Check(encoded(t, row.msg), row.peer) {
			got = append(got, p.String())
		}
		assert.Equal(t, row.want, got, "%s: Check(%s, %s)", row.rule, row.msg, row.peer.Product)
	}

	// Each form of delay as an annotation, and who serves it (AMQ-8320); RabbitMQ serves none. Whether Service Bus serves
	// what its JMS client sends is not known.
	for _, form := range []string{`1f 02 a3 13 "x-opt-delivery-time" 81`, `20 02 a3 14 "x-opt-delivery-delay" 81`, `28 02 a3 1c "x-opt-scheduled-enqueue-time" 83`} {
		served := map[string][]string{
			"x-opt-delivery-time":          {"ActiveMQ Artemis", "ActiveMQ Classic", "Qpid Broker-J", "Azure Service Bus"},
			"x-opt-delivery-delay":         {"ActiveMQ Artemis", "ActiveMQ Classic"},
			"x-opt-scheduled-enqueue-time": {"Azure Service Bus"},
		}[strings.Split(form, `"`)[1]]
		for _, peer := range []Peer{Artemis(), ActiveMQ(), BrokerJ(), RabbitMQ(), RabbitMQ3(), ServiceBus()} {
			refused := slices.ContainsFunc(Check(encoded(t, header+`00 53 72 c1 `+form+` 000001a22d1b6481`+body), peer), func(p Problem) bool {
				return strings.HasPrefix(p.In, "annotation ") && p.Who == peer.Product && p.What == "not a delay: the message is delivered at once"
			})
			require.Equal(t, !slices.Contains(served, peer.Product), refused, "%s: %s", peer.Product, form)
		}
	}

	// A property of each type [jms 3.5.1], and of each name that is a field.
	for value, want := range map[string]string{
		"40": "", "41": "", "51 01": "", "61 0001": "", "54 01": "", "55 01": "", "72 00000000": "", "82 0000000000000000": "", "a1 00": "",
		"50 01": "ubyte: its typed getters throw", "60 0001": "ushort: its typed getters throw", "43": "uint: its typed getters throw",
		"44": "ulong: its typed getters throw", "73 00000061": "char: its typed getters throw", "83 0000000000000001": "timestamp: its typed getters throw",
		"98 00000000000000000000000000000000": "uuid: its typed getters throw", "a0 00": "binary: its typed getters throw", "a3 00": "symbol: its typed getters throw",
		"74 22500001": "decimal32: its typed getters throw",
		"45":          "list: its typed getters throw", "c1 01 00": "map: its typed getters throw",
		"e0 02 00 41": "array: its typed getters throw", "00 53 01 40": "described value: its typed getters throw",
	} {
		pair := encoded(t, `a1 01 "p"`+value)
		msg := slices.Concat(encoded(t, header+`00 53 74 c1`), []byte{byte(1 + len(pair)), 2}, pair, encoded(t, body))
		var got string
		for _, p := range Check(msg, Artemis()) {
			if p.Who != whoGoAMQP { // chars and decimals
				require.Equal(t, `property "p"`, p.In)
				got += p.What
			}
		}
		require.Equal(t, want, got, value)
	}
	for _, name := range []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMS_AMQP_TTL", "JMS_AMQP_REPLY_TO_GROUP_ID"} {
		msg := amqp.Message{Header: &amqp.MessageHeader{Durable: true, Priority: 4}, Value: "a", ApplicationProperties: map[string]any{name: "v"}}
		problems, err := CheckMessage(&msg, Artemis())
		require.NoError(t, err)
		require.Equal(t, []Problem{{fmt.Sprintf("property %q", name), "Qpid JMS", "ignored: the name is that of a field"}}, problems)
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
	require.Equal(t, []string{"RabbitMQ", "Qpid JMS", "RabbitMQ 3", "Azure Service Bus"}, who)
	_, err = CheckMessage(&amqp.Message{Value: 1.5, Annotations: amqp.Annotations{uint64(1): 1}}, Peer{})
	wantValueError(t, err, `amqpjms: key of the message-annotations ulong 1: go-amqp cannot write it: forward the encoded message with Forwarder.Append`)
	_, err = CheckMessage(&amqp.Message{Value: struct{}{}}, Peer{})
	wantValueError(t, err, "amqpjms: amqp-value of type struct {}: not an AMQP type")

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
			require.Contains(t, Check(c.Wire(), Peer{}), Problem{in, "Qpid JMS", "the application never gets the message"}, c.At())
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
			if strings.Contains(p.What, "duplicate key ") {
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
			return p.In == "body" && p.Who == "Qpid JMS" && strings.HasSuffix(p.What, " in a stream cannot be read")
		})
		require.Equal(t, want, got, c.At())
	}
	require.Equal(t, 8, n)
	const annotated = `00 53 72 c1 17 02 a3 12 "x-opt-jms-msg-type" 51 04`
	for body, want := range map[string][]string{
		`00 53 76 45`: nil,
		`00 53 76 c0 17 0a 40 41 51 01 61 0001 54 01 55 01 72 00000000 a1 01 "a" a0 00 40`: nil,
		`00 53 77 c0 02 01 43`: {"body: Qpid JMS: uint in a stream cannot be read"},
		`00 53 76 c0 02 01 43 00 53 76 c0 03 02 43 43`: {"body: Qpid JMS: several sections: only the last is read",
			"body: Qpid JMS: uint in a stream cannot be read"},
		`00 53 76 c0 06 01 73 00000061 00 53 78 c1 01 00`: {"body: go-amqp: char: ends the link"},
		`00 53 76 c0 03 02 40 a1`:                         {"body: AMQP 1.0: body at byte 43: unexpected EOF"},
	} {
		var got []string
		for _, p := range Check(encoded(t, `00 53 70 c0 02 01 41`+annotated+body), Artemis()) {
			got = append(got, p.String())
		}
		require.Equal(t, want, got, body)
	}
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

// Of the messages on record, Check names priority 0 in those of Go programs and in two of other clients that state
// durable too, not in the one that Qpid JMS sent.
func TestCheckKnowsPriority0(t *testing.T) {
	named := map[string]int{}
	for _, set := range fixtureSets() {
		for _, c := range set.cases(t) {
			if slices.ContainsFunc(Check(c.Wire(), Peer{}), func(p Problem) bool { return strings.HasPrefix(p.What, "priority 0, ") }) {
				named[set.dir]++
			}
		}
	}
	require.Equal(t, map[string]int{"go-programs": 8, "service-bus": 4, "encoders": 3 + 2}, named)
}

// Check tells the keys that go-amqp refuses from those at which it panics, and both from those that it takes.
func TestCheckMapKeys(t *testing.T) {
	for section, tail := range map[string]string{`00 53 72`: `00 53 77 40`, `00 53 71`: `00 53 77 40`, `00 53 77`: ``, `00 53 77 c0`: ``} {
		for _, key := range []string{`45`, `c1 01 00`, `a0 00`, `e0 02 00 41`, `40`, `41`, `54 01`, `a1 00`, `98 00000000000000000000000000000000`, `83 0000000000000000`} {
			for _, described := range []string{``, `00 53 7a`, `00 a3 01 "d"`, `00 53 7a 00 80 0000000000000001`} {
				key := encoded(t, described+key)
				value := slices.Concat([]byte{0xc1, byte(2 + len(key)), 2}, key, []byte{0x41})
				if strings.HasSuffix(section, "c0") { // in a list
					value = slices.Concat([]byte{byte(1 + len(value)), 1}, value)
				}
				msg := slices.Concat(encoded(t, section), value, encoded(t, tail))
				want := ""
				func() {
					defer func() {
						if recover() != nil {
							want = ": panics, which ends the program"
						}
					}()
					if new(amqp.Message).UnmarshalBinary(msg) != nil {
						want = ": ends the link"
					}
				}()
				got := ""
				for _, p := range Check(msg, Artemis()) {
					if _, harm, ok := strings.Cut(p.What, ": "); ok && p.Who == "go-amqp" {
						got += ": " + harm
					}
				}
				require.Equal(t, want, got, "%x", msg)
			}
		}
	}
}

// Each claim about a peer has a recorded case in which the peer did so. Check makes the claim of the bytes of that case.
func TestCheckEvidence(t *testing.T) {
	wires := map[string][]byte{}
	eachWire(t, func(c golden.Case, encoded []byte) { wires[c.Name] = encoded })
	for _, row := range []struct{ evidence, claim string }{
		{"header-priority-255", "header: Qpid JMS: priority above 9, read as 9"},
		{"header-delivery-count-int-max", "header: Qpid JMS: delivery-count from 2^31-1: JMSXDeliveryCount is negative"},
		{"header-delivery-count-2-pow-31", "header: Qpid JMS: delivery-count from 2^31-1: JMSXDeliveryCount is negative"},
		{"destination-annotation-ubyte-1", "annotation x-opt-jms-dest: Qpid JMS: got ubyte, want byte: ignored"},
		{"destination-annotation-byte-4", "annotation x-opt-jms-dest: Qpid JMS: out of range: ignored"},
		{"destination-annotation-byte-minus-1", "annotation x-opt-jms-dest: Qpid JMS: out of range: ignored"},
		{"body-msg-type-string-5", "annotation x-opt-jms-msg-type: Qpid JMS: got string, want byte: the application never gets the message"},
		{"delivery-time-in-delivery-annotations", "delivery-annotation x-opt-delivery-time: Qpid JMS: ignored: it is a message annotation"},
		{"delivery-time-as-application-property", `property "x-opt-delivery-time": Qpid JMS: ignored: it is a message annotation`},
		{"delivery-time-string-key", "message-annotations: Qpid JMS: key is string, not symbol: the application never gets the message"},
		{"delivery-time-float", "annotation x-opt-delivery-time: Qpid JMS: float converted to long, losing precision"},
		{"delivery-time-double", "annotation x-opt-delivery-time: Qpid JMS: double converted to long, losing precision"},
		{"delivery-time-decimal32", "annotation x-opt-delivery-time: Qpid JMS: decimal32 converted to long, losing precision"},
		{"delivery-time-ulong-max", "annotation x-opt-delivery-time: Qpid JMS: ulong converted to long, losing precision"},
		{"id-wrong-type-symbol", "message-id: AMQP 1.0: got symbol, want string, ulong, uuid or binary"},
		{"id-wrong-type-symbol", "message-id: Qpid JMS: got symbol: cannot be read"},
		{"id-wrong-type-symbol", "correlation-id: Qpid JMS: got symbol: cannot be read"},
		{"header-user-id-string", "user-id: Qpid JMS: the application never gets the message"},
		{"header-subject-symbol", "subject: Qpid JMS: the application never gets the message"},
		{"header-creation-time-long-instead-of-timestamp", "creation-time: Qpid JMS: the application never gets the message"},
		{"group-seq-int-instead-of-uint", "group-sequence: Qpid JMS: the application never gets the message"},
		{"header-user-id-invalid-utf8", "user-id: Qpid JMS: not valid UTF-8: JMSXUserID has replacement characters"},
		{"destination-to-empty", "to: Qpid JMS: empty: a queue without a name"},
		{"destination-to-empty", "reply-to: Qpid JMS: empty: a queue without a name"},
		{"property-int-key", "application-properties: Qpid JMS: key is int, not string: the application never gets the message"},
		{"property-null-key", "application-properties: Qpid JMS: key is null, not string: the application never gets the message"},
		{"property-name-with-dash", "Qpid JMS: hidden: the name is not a Java identifier"},
		{"property-ubyte", "Qpid JMS: ubyte: its typed getters throw"},
		{"property-symbol", "Qpid JMS: symbol: its typed getters throw"},
		{"property-array", "Qpid JMS: array: its typed getters throw"},
		{"property-described", "Qpid JMS: described value: its typed getters throw"},
		{"group-jmsxgroupid-as-application-property", `property "JMSXGroupID": Qpid JMS: ignored: the name is that of a field`},
		{"property-name-jmsxdeliverycount", `property "JMSXDeliveryCount": Qpid JMS: ignored: the name is that of a field`},
		{"property-name-jms-amqp-ttl", `property "JMS_AMQP_TTL": Qpid JMS: ignored: the name is that of a field`},
		{"property-name-jms-amqp-reply-to-group-id", `property "JMS_AMQP_REPLY_TO_GROUP_ID": Qpid JMS: ignored: the name is that of a field`},
		{"body-data-two-sections", "body: Qpid JMS: several sections: only the last is read"},
		{"body-stream-two-sequences", "body: Qpid JMS: several sections: only the last is read"},
		{"body-value-map", "body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a MapMessage"},
		{"body-sequence-two-no-annotation", "body: Qpid JMS: no x-opt-jms-msg-type: read as an ObjectMessage, not a StreamMessage"},
		{"body-data-vbin8", "body: Qpid JMS: no x-opt-jms-msg-type: read as a BytesMessage, also if it is a text"},
		{"body-stream-amqp-only-ubyte", "body: Qpid JMS: ubyte in a stream cannot be read"},
		{"body-map-msg-type-data", "body: Qpid JMS: cannot be read, and the message is lost: "},
		{"body-data-msg-type-text-invalid-utf8", "body: Qpid JMS: cannot be read, and the message is lost: "},
		{"body-data-content-type-text-plain-unknown-charset", "body: Qpid JMS: shown as bytes: "},
		{"body-data-msg-type-object-no-content-type", "body: Qpid JMS: an ObjectMessage of data cannot be read: "},
		{"body-map-int-key", "body: Qpid JMS: the value of a key that is not a string cannot be read"},
		{"body-value-described-unknown-ulong", "body: Qpid JMS: an ObjectMessage of a described value cannot be read"},
		{"body-value-char", "body: go-amqp: char: ends the link"},
		{"body-value-decimal64", "body: go-amqp: decimal64: ends the link"},
		{"property-decimal32", "application-properties: go-amqp: decimal32: ends the link"},
		{"property-decimal128", "application-properties: go-amqp: decimal128: ends the link"},
		{"header-descriptor-symbol-sym32", "header: go-amqp: symbolic section descriptor: ends the link"},
	} {
		wire, ok := wires[row.evidence]
		require.True(t, ok, "no case %s", row.evidence)
		var got []string
		for _, p := range Check(wire, Peer{}) {
			got = append(got, p.String())
		}
		assert.True(t, slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, row.claim) }), "%s: %q is not among\n%s", row.evidence, row.claim, strings.Join(got, "\n"))
	}
}
