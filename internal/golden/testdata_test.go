package golden

import (
	"encoding/binary"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../../testdata/"

// sets are the fixture sets, with the keys that each may hold.
func sets() map[string][]Key {
	return map[string][]Key{
		"qpid-jms-send":    SendKeys(),
		"qpid-jms-receive": ReceiveKeys(),
		"encoders":         EncoderKeys(),
		"hand":             HandKeys(),
		"service-bus":      ServiceBusKeys(),
		"go-programs":      ProgramKeys(),
		"selectors":        SelectorKeys(),
	}
}

// every calls f for each case of testdata.
func every(t *testing.T, f func(t *testing.T, set string, c Case)) {
	for set, keys := range sets() {
		for _, c := range Read(t, root+set+"/*.txt", keys...) {
			f(t, set, c)
		}
	}
}

// A case that is lost, or a file that nobody meant to add, changes these numbers.
func TestCounts(t *testing.T) {
	const qpid = "Qpid JMS 2.10.0"
	want := map[string]map[string]int{
		"qpid-jms-send/body.txt":             {qpid: 74},
		"qpid-jms-send/correlation-id.txt":   {qpid: 71},
		"qpid-jms-send/delivery-time.txt":    {qpid: 20},
		"qpid-jms-send/destination.txt":      {qpid: 17},
		"qpid-jms-send/foreign.txt":          {qpid: 8},
		"qpid-jms-send/forward.txt":          {qpid: 32},
		"qpid-jms-send/group.txt":            {qpid: 20},
		"qpid-jms-send/header.txt":           {qpid: 48},
		"qpid-jms-send/message-id.txt":       {qpid: 7},
		"qpid-jms-send/property.txt":         {qpid: 49},
		"qpid-jms-send/reply.txt":            {qpid: 39},
		"qpid-jms-receive/body.txt":          {qpid: 131},
		"qpid-jms-receive/delivery-time.txt": {qpid: 30},
		"qpid-jms-receive/destination.txt":   {qpid: 44},
		"qpid-jms-receive/group.txt":         {qpid: 22},
		"qpid-jms-receive/header.txt":        {qpid: 75},
		"qpid-jms-receive/id.txt":            {qpid: 54},
		"qpid-jms-receive/property.txt":      {qpid: 64},
		"encoders/azure-servicebus.txt":      {"azure-servicebus 7.15.0": 23},
		"encoders/fe2o3-amqp.txt":            {"fe2o3-amqp-types 0.18.0 (Rust)": 21},
		"encoders/go-amqp.txt":               {"Azure/go-amqp v1.7.0": 24},
		"encoders/protonj2.txt":              {"protonj2-client 1.0.0-M20": 21},
		"encoders/python-qpid-proton.txt":    {"python-qpid-proton 0.37.0 (0.40.0 gives the same bytes)": 23},
		"encoders/rabbitmq-java.txt":         {"com.rabbitmq.client:amqp-client 0.5.0 (Java, protonj2 fork)": 11},
		"encoders/rabbitmq-python.txt":       {"rabbitmq-amqp-python-client 1.0.1": 8},
		"encoders/rhea.txt":                  {"rhea 3.0.5": 23},
		"encoders/swiftmq.txt":               {"swiftmq-client 13.2.1": 20},
		"encoders/vertx-proton.txt":          {"vertx-proton 4.5.24 / proton-j 0.34.1 (ProtonHelper.message = proton-j Message)": 21},
		"hand/body.txt":                      {"hand-made": 48},
		"hand/descriptors.txt":               {"hand-made": 55},
		"hand/header.txt":                    {"hand-made": 78},
		"hand/ids.txt":                       {"hand-made": 48},
		"hand/sections.txt":                  {"hand-made": 53},
		"selectors/fields.txt":               {"proton-j 0.34.1": 224},
		"selectors/generated.txt":            {"proton-j 0.34.1": 3357},
		"selectors/syntax.txt":               {"proton-j 0.34.1": 315},
		"selectors/values.txt":               {"proton-j 0.34.1": 446},
		"service-bus/receive-amqpjms.txt":    {"amqpjms, go-amqp 1.7.0": 34},
		"service-bus/receive-go-amqp.txt":    {"go-amqp 1.7.0": 2},
		"service-bus/receive-hand.txt":       {"hand-made": 3},
		"service-bus/receive-java.txt":       {"azure-messaging-servicebus 7.17.20 (Java)": 2},
		"service-bus/receive-js.txt":         {"@azure/service-bus 7.9.5 (JavaScript)": 2},
		"service-bus/receive-python.txt":     {"azure-servicebus 7.15.0 (Python)": 4},
		"service-bus/receive-qpid-jms.txt":   {"Qpid JMS 2.10.0": 21},
		"service-bus/send-go.txt":            {"azservicebus 1.11.0 (Go)": 33},
		"service-bus/send-java.txt":          {"azure-messaging-servicebus 7.17.20 (Java)": 29},
		"service-bus/send-jms.txt":           {"azure-servicebus-jms 2.1.0 (Qpid JMS 2.9.0)": 16},
		"service-bus/send-js.txt":            {"@azure/service-bus 7.9.5 (JavaScript)": 37},
		"service-bus/send-mqlight.txt":       {"mqlight 2.0.2019041500 (IBM MQ Light, JavaScript)": 9},
		"service-bus/send-python.txt":        {"azure-servicebus 7.15.0 (Python)": 31},
		"go-programs/go-amqp.txt":            {"go-amqp 1.7.0": 13},
	}
	got := map[string]map[string]int{}
	every(t, func(_ *testing.T, set string, c Case) {
		file := set + "/" + path.Base(c.File)
		if got[file] == nil {
			got[file] = map[string]int{}
		}
		got[file][c.Peer]++
	})
	require.Equal(t, want, got)
}

// The cuts of each wire are what its labels say: every section begins with the descriptor of its name, and the parts
// joined are the message.
func TestSectionsFitTheirLabels(t *testing.T) {
	n := 0
	every(t, func(t *testing.T, _ string, c Case) {
		for _, key := range []string{"wire", "set.receivedWire", "sent"} {
			if _, ok := c.keys[key]; !ok {
				continue
			}
			v, ok := c.Value(key)
			if !ok {
				continue
			}
			n++
			rest := v.V.([]byte)
			for i, s := range c.SectionsOf(key) {
				require.NotEmpty(t, s.Bytes, c.At())
				require.Equal(t, s.Bytes, rest[:len(s.Bytes)], c.At())
				rest = rest[len(s.Bytes):]
				switch s.Name {
				case Garbage:
					require.Len(t, c.SectionsOf(key), i+1, "%s: a section after garbage", c.At())
				default:
					require.Equal(t, s.Name, nameOf(s.Bytes), "%s: section %d", c.At(), i)
				}
			}
			require.Empty(t, rest, c.At())
		}
	})
	require.Greater(t, n, 1000)
}

// nameOf names the section by its descriptor.
func nameOf(b []byte) string {
	symbols := []string{"header:list", "delivery-annotations:map", "message-annotations:map", "properties:list",
		"application-properties:map", "data:binary", "amqp-sequence:list", "amqp-value:*", "footer:map"}
	var code uint64
	switch {
	case len(b) > 2 && b[0] == 0 && b[1] == 0x53:
		code = uint64(b[2])
	case len(b) > 9 && b[0] == 0 && b[1] == 0x80:
		code = binary.BigEndian.Uint64(b[2:])
	case len(b) > 2 && b[0] == 0 && (b[1] == 0xa3 || b[1] == 0xb3):
		text := b[3:]
		if b[1] == 0xb3 {
			text = b[6:]
		}
		for i, s := range symbols {
			if strings.HasPrefix(string(text), "amqp:"+s) {
				code = 0x70 + uint64(i)
			}
		}
	}
	if code < 0x70 || code > 0x78 {
		return Unknown
	}
	return SectionNames()[code-0x70]
}

// Every case says something: a wire and what is expected of it, or an error.
func TestCasesSayWhatTheyExpect(t *testing.T) {
	every(t, func(t *testing.T, set string, c Case) {
		has := func(key string) bool { _, ok := c.Value(key); return ok }
		switch set {
		case "qpid-jms-send":
			require.True(t, has("set.api") && has("set.destination"), c.At())
			require.NotEqual(t, c.Wire() != nil, has("error.step"), c.At())
			require.Equal(t, c.Wire() != nil, has("link.target"), c.At())
			require.Equal(t, has("error.step"), has("error.message"), c.At())
			require.Equal(t, has("error.step"), has("error.class"), c.At())
		case "qpid-jms-receive":
			require.True(t, has("consumer") && has("wire"), c.At())
			require.NotEqual(t, has("type"), has("error.step"), c.At())
			reached, _ := c.Value("error.message") // the client, or no more than its decoder
			require.Equal(t, has("error.step") && reached.V != "not delivered to the application", has("error.class"), c.At())
			require.Equal(t, has("type"), has("body"), c.At())
			require.Equal(t, has("type"), has("receivedAfter"), c.At())
		case "hand":
			require.True(t, has("wire") && has("note"), c.At())
		case "service-bus":
			sent := strings.HasPrefix(path.Base(c.File), "send-")
			require.Equal(t, sent, has("set"), c.At())
			require.True(t, has("wire") || has("error.message"), c.At())
			for _, sdk := range []string{"python", "js", "java", "go", "jms"} {
				require.NotEqual(t, sent, len(c.All("shows."+sdk)) > 0, c.At())
			}
		case "go-programs":
			require.True(t, has("program") && (has("wire") || has("error.message")), c.At())
		case "selectors":
			require.True(t, has("selector") && has("wire") && has("expected"), c.At())
		default:
			require.True(t, has("wire"), c.At())
		}
	})
}

// Every line with a value is in the one form that the value prints.
func TestValuesRoundTrip(t *testing.T) {
	n := 0
	every(t, func(t *testing.T, _ string, c Case) {
		for _, f := range c.fields {
			if f.value.Type == "text" || f.value.Type == "wire" {
				continue
			}
			n++
			v, err := ParseValue(f.value.String())
			require.NoError(t, err, c.At())
			require.Equal(t, f.value.String(), v.String(), c.At())
			require.True(t, v.Equal(f.value), c.At())
		}
	})
	require.Greater(t, n, 5000)
}

// Two cases hold a text that Go cannot.
func TestUnpairedSurrogates(t *testing.T) {
	var names []string
	every(t, func(_ *testing.T, _ string, c Case) {
		if !c.Representable() {
			names = append(names, c.Name)
		}
	})
	require.ElementsMatch(t, []string{"correlation-id-string-lone-surrogate", "body-text-lone-surrogate"}, names)
}
