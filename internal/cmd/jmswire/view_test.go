package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

const root = "../../../testdata/"

// viewed is what inspect -json prints of a message.
type viewed struct {
	Type json.RawMessage `json:"type"`

	JMSMessageID, JMSCorrelationID, JMSCorrelationIDAsBytes golden.Value
	JMSTimestamp, JMSExpiration, JMSDeliveryTime            golden.Value
	JMSPriority, JMSDeliveryMode, JMSRedelivered            golden.Value
	JMSType, JMSDestination, JMSReplyTo                     golden.Value

	Special            map[string]struct{ Exists, Value golden.Value } `json:"special"`
	PropertyNames      json.RawMessage                                 `json:"propertyNames"`
	Properties         map[string]golden.Value                         `json:"properties"`
	PropertiesAsString map[string]golden.Value                         `json:"propertiesAsString"`
	PropertiesAsLong   map[string]golden.Value                         `json:"propertiesAsLong"`
	Body               golden.Value                                    `json:"body"`

	Problems []struct{ In, Who, What string } `json:"problems"`
	Header   map[string]golden.Value          `json:"header"`

	Sections []struct {
		Name         string
		Offset, Size int
		Fields       map[string]golden.Value
		Value, Error golden.Value
	} `json:"sections"`

	Input struct {
		File string
		Line int
	} `json:"input"`
}

// read reads what inspect -json has printed. Members that are not known fail.
func read(t *testing.T, line string) (v viewed) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&v), line)
	require.False(t, d.More(), line)
	return v
}

// jms returns what the view has for JMS, by the names that fixtures give it.
func (v viewed) jms(t *testing.T) map[string]golden.Value {
	t.Helper()
	all := map[string]golden.Value{
		"type":                    textOrError(t, v.Type, func(name string) golden.Value { return golden.Value{Type: "text", V: name} }),
		"JMSMessageID":            v.JMSMessageID,
		"JMSCorrelationID":        v.JMSCorrelationID,
		"JMSCorrelationIDAsBytes": v.JMSCorrelationIDAsBytes,
		"JMSTimestamp":            v.JMSTimestamp,
		"JMSExpiration":           v.JMSExpiration,
		"JMSDeliveryTime":         v.JMSDeliveryTime,
		"JMSPriority":             v.JMSPriority,
		"JMSDeliveryMode":         v.JMSDeliveryMode,
		"JMSRedelivered":          v.JMSRedelivered,
		"JMSType":                 v.JMSType,
		"JMSDestination":          v.JMSDestination,
		"JMSReplyTo":              v.JMSReplyTo,
		"body":                    v.Body,
		"propertyNames": textOrError(t, v.PropertyNames, func(names []string) golden.Value {
			list := []golden.Value{}
			for _, name := range names {
				list = append(list, golden.Value{Type: "string", V: name})
			}
			return golden.Value{Type: "list", V: list}
		}),
	}
	for name, s := range v.Special {
		all["special."+name], all["special.exists."+name] = s.Value, s.Exists
	}
	for base, properties := range map[string]map[string]golden.Value{
		"property": v.Properties, "propertyAsString": v.PropertiesAsString, "propertyAsLong": v.PropertiesAsLong,
	} {
		for name, p := range properties {
			all[golden.Named(base, name)] = p
		}
	}
	return all
}

// textOrError reads what is plain JSON, or an error.
func textOrError[T any](t *testing.T, data json.RawMessage, as func(T) golden.Value) golden.Value {
	t.Helper()
	var plain T
	if json.Unmarshal(data, &plain) == nil {
		return as(plain)
	}
	var e golden.Value
	require.NoError(t, json.Unmarshal(data, &e))
	require.Equal(t, "error", e.Type)
	return e
}

// refusals are the messages given to Qpid JMS of which nothing is printed, and why.
func refusals() map[string]string {
	return map[string]string{
		"header-durable-string-instead-of-boolean": "header at byte 6: got string, want boolean",
		"header-after-properties":                  "message at byte 12: header section after properties",
		"header-twice":                             "message at byte 7: second header section",
		"message-annotations-twice":                "message at byte 28: second message-annotations section",
		"properties-twice":                         "message at byte 12: second properties section",
		"application-properties-twice":             "message at byte 11: second application-properties section",
		"properties-fourteen-fields":               "properties at byte 6: 14 fields, want at most 13",
		"section-unknown-descriptor":               "message at byte 0: unknown section descriptor 0x79",
	}
}

// brokenBodies are those of which all but the body is printed, and why.
func brokenBodies() map[string]string {
	return map[string]string{
		"section-truncated":    "body at byte 20: unexpected EOF",
		"body-data-then-value": "body at byte 6: amqp-value section in a body of data",
		"body-two-values":      "body at byte 8: second amqp-value section",
	}
}

// exemptions are the fields in which inspect does not show what the fixture says, and
// what it shows, with the reason.
func exemptions() map[string]map[string]string {
	const (
		mixed  = `error "body at byte 6: amqp-value section in a body of data"`
		second = `error "body at byte 8: second amqp-value section"`
		cutOff = `error "body at byte 20: unexpected EOF"`
	)
	return map[string]map[string]string{
		// Of a key that stands twice inspect shows the last, as go-amqp and Qpid JMS do.
		"property-duplicate-key": {`property "p"`: "int 2", `propertyAsString "p"`: `string "2"`, `propertyAsLong "p"`: "long 2"},

		// The sections do not go together, and no annotation says the kind. The fixture has that of the last section.
		"body-data-then-value": {"type": mixed, "special.JMS_AMQP_TYPED_ENCODING": mixed, "special.exists.JMS_AMQP_TYPED_ENCODING": mixed},
		"body-two-values": {"type": second,
			"special.JMS_AMQP_TYPED_ENCODING": second, "special.exists.JMS_AMQP_TYPED_ENCODING": second},

		// Qpid JMS shows nothing of these, and go-amqp refuses them: what only inspect reads of them.
		"section-truncated": {"type": cutOff, "special.JMS_AMQP_TYPED_ENCODING": cutOff, "special.exists.JMS_AMQP_TYPED_ENCODING": cutOff},
	}
}

// inspectReceived runs inspect -json as the consumer of a case would.
func inspectReceived(t *testing.T, c golden.Case) (code int, out, errs string) {
	t.Helper()
	consumer, ok := c.Value("consumer")
	require.True(t, ok, c.At())
	name, ok := consumer.V.(string)
	if !ok {
		name = map[string]string{"temporary-queue": "temp-queue-1", "temporary-topic": "temp-topic-1"}[consumer.Type] // what the peer named it
	}
	args := []string{"inspect", "-json", "-destination", consumer.Type + ":" + name}
	if strings.Contains(c.Text("options"), "profile=prefix") {
		args = append(args, "-queue-prefix", "q://", "-topic-prefix", "t://")
	}
	if at, ok := arrival(t, c); ok {
		args = append(args, "-received", strconv.FormatInt(at, 10))
	}
	return jmswire(hex.EncodeToString(c.Wire()), args...)
}

// arrival is when a message was received, which is on record only as the expiration that
// was made of it. Without one it does not matter.
func arrival(t *testing.T, c golden.Case) (at int64, ok bool) {
	var m amqpjms.RawMessage
	if m.Parse(c.Wire()) != nil {
		return 0, false
	}
	expiry, err := m.Property(amqpjms.FieldAbsoluteExpiryTime)
	require.NoError(t, err, c.At())
	ttl := int64(m.Header.TTL.Or(0))
	want, seen := c.Value("JMSExpiration")
	if ttl == 0 || expiry != nil || !seen {
		return 0, false
	}
	after, ok := c.Value("receivedAfter")
	require.True(t, ok, c.At())
	at = want.V.(int64) - ttl
	require.True(t, after.V.(int64) <= at && at < after.V.(int64)+1000, "%s: received %d, played after %v", c.At(), at, after)
	return at, true
}

// What inspect shows of the messages that were played to Qpid JMS is, field by field,
// what its application saw, or what the fixture says that it should.
func TestJMSViewOfReceived(t *testing.T) {
	refused, broken := map[string]string{}, map[string]string{}
	exempt := exemptions()
	compared := 0
	for _, c := range golden.Read(t, root+"qpid-jms-receive/*.txt", golden.ReceiveKeys()...) {
		code, out, errs := inspectReceived(t, c)
		why := strings.TrimSuffix(strings.TrimPrefix(errs, "jmswire: standard input: "), "\n")
		if out == "" {
			require.Equal(t, 1, code, c.At())
			refused[c.Name] = why
			continue
		}
		require.Equal(t, errs != "", code == 1, c.At())
		if code == 1 {
			broken[c.Name] = why
		}
		_, ok := c.Want("JMSDeliveryMode")
		require.True(t, ok, "%s: nothing to compare with", c.At())
		compared++
		got := read(t, out).jms(t)
		for key, ours := range exempt[c.Name] {
			want, _ := c.Want(key)
			require.NotEqual(t, ours, want.String(), "%s: %s needs no exemption", c.At(), key)
			require.Equal(t, ours, got[key].String(), "%s: %s", c.At(), key)
			delete(got, key)
		}
		for _, key := range slices.Sorted(maps.Keys(got)) {
			want, ok := c.Want(key)
			if base, name, _ := strings.Cut(key, " "); strings.HasPrefix(base, "propertyAs") {
				if _, recorded := c.Value("property " + name); !recorded {
					want, ok = ofOurs(t, c, base, name)
				}
			}
			if !ok || !want.Equal(got[key]) || isFloat(want) && want.String() != got[key].String() {
				t.Errorf("%s: %s is %v, want %v", c.At(), key, got[key], want)
			}
		}
		names, _ := c.Want("propertyNames")
		for _, key := range c.Stated() {
			if _, name, ok := strings.Cut(key, " "); ok && !strings.Contains(names.String(), "string "+name) {
				continue // of a property that Qpid JMS names and the message does not have
			}
			if _, ok := got[key]; !ok && ofView(key) && exempt[c.Name][key] == "" {
				t.Errorf("%s: no %s", c.At(), key)
			}
		}
		delete(exempt, c.Name)
	}
	require.Equal(t, refusals(), refused)
	require.Equal(t, brokenBodies(), broken)
	require.Empty(t, exempt, "exemptions of no case")
	require.Equal(t, 412, compared)
}

// ofOurs returns what JMS's table of conversions makes of a property that is ours alone,
// of which the fixture says no more than its value.
func ofOurs(t *testing.T, c golden.Case, as, name string) (golden.Value, bool) {
	t.Helper()
	p, ok := c.Want("property " + name)
	require.Contains(t, []string{"string", "long"}, p.Type, "%s: %s", c.At(), name)
	switch {
	case p.Type == "string" && as == "propertyAsLong":
		p = golden.Value{Type: "error"} // none of them is a number
	case p.Type == "long" && as == "propertyAsString":
		p = golden.Value{Type: "string", V: strconv.FormatInt(p.V.(int64), 10)}
	}
	return p, ok
}

func isFloat(v golden.Value) bool { return v.Type == "float" || v.Type == "double" }

// ofView says whether a key is one of those that [viewed.jms] has.
func ofView(key string) bool {
	base, _, _ := strings.Cut(key, " ")
	return base == "type" || base == "body" || strings.HasPrefix(base, "JMS") || strings.HasPrefix(base, "special.") || strings.HasPrefix(base, "property")
}

// What inspect shows of the messages that JMS applications sent is what they set. Of
// what they hold afterwards a message on the wire can have less: that is not compared.
func TestJMSViewOfSent(t *testing.T) {
	compared := 0
	args := map[string][]string{"prefix": {"-queue-prefix", "q://", "-topic-prefix", "t://"}}
	for _, c := range golden.Read(t, root+"qpid-jms-send/*.txt", golden.SendKeys()...) {
		_, foreign := c.Value("set.foreignMessage")
		if c.Wire() == nil || !c.Representable() || foreign {
			continue
		}
		code, out, errs := jmswire(hex.EncodeToString(c.Wire()), append([]string{"inspect", "-json"}, args[c.Text("set.peerProfile")]...)...)
		require.Equal(t, 0, code, "%s: %s", c.At(), errs)
		if _, ok := c.Want("observed.JMSDeliveryMode"); !ok {
			_, ok := c.Value("set.sendBodyDirectly")
			require.True(t, ok, c.At())
			continue
		}
		compared++
		got := read(t, out).jms(t)
		for _, key := range sentKeys() {
			want, ok := c.Want("observed." + key)
			require.True(t, ok, "%s: %s", c.At(), key)
			if c.Name == "destination-queue-already-prefixed" && key == "JMSDestination" {
				want.V = "lab.queue" // the address is one that the name without prefix gives, too
			}
			if !want.Equal(got[key]) {
				t.Errorf("%s: %s is %v, want %v", c.At(), key, got[key], want)
			}
		}
	}
	require.NotZero(t, compared)
}

func sentKeys() []string {
	return []string{"type", "JMSMessageID", "JMSCorrelationID", "JMSCorrelationIDAsBytes", "JMSPriority", "JMSDeliveryMode", "JMSTimestamp", "JMSType",
		"JMSDestination", "JMSReplyTo", "special.JMSXGroupID", "special.JMSXGroupSeq", "special.JMSXUserID", "special.JMS_AMQP_REPLY_TO_GROUP_ID"}
}

// What inspect says stands in the messages of encoders, and in those that no peer
// sends, is what a decoder of others read, or what the clause says.
func TestFieldsOfRecordings(t *testing.T) {
	for set, keys := range map[string][]golden.Key{"encoders": golden.EncoderKeys(), "hand": golden.HandKeys()} {
		compared := 0
		for _, c := range golden.Read(t, root+set+"/*.txt", keys...) {
			if c.Wire() == nil {
				continue
			}
			code, out, errs := jmswire(string(c.Wire()), "inspect", "-json")
			if refused(c) {
				require.Equal(t, 1, code, c.At())
				require.Equal(t, c.Text("error") != "body", out == "", c.At())
				require.Equal(t, 1, strings.Count(errs, "\n"), "%s: lines of %q", c.At(), errs)
				continue
			}
			require.Equal(t, 0, code, "%s: %s", c.At(), errs)
			view := read(t, out)
			compared += compareFields(t, c, view)
			if set == "encoders" {
				continue
			}
			for _, name := range []string{"JMSMessageID", "JMSCorrelationID"} {
				want, ok := c.Value(name)
				if c.Text("error") == name {
					want, ok = golden.Value{Type: "error"}, true
				}
				if got := view.jms(t)[name]; ok && !want.Equal(got) {
					t.Errorf("%s: %s is %v, want %v", c.At(), name, got, want)
				}
			}
		}
		require.NotZero(t, compared, set)
	}
}

// refused says whether a part of a hand-made message is not printed.
func refused(c golden.Case) bool {
	return slices.Contains([]string{"header", "message", "body"}, c.Text("error"))
}

// compareFields compares the fields that a case states with those of a view, and
// returns how many they are.
func compareFields(t *testing.T, c golden.Case, view viewed) (n int) {
	values := map[string]golden.Value{} // of the sections that are one value
	body := map[string][]golden.Value{}
	got := map[string]golden.Value{}
	for name, v := range view.Header {
		got["header."+name] = v
	}
	for _, s := range view.Sections {
		values[s.Name] = s.Value
		for name, v := range s.Fields {
			got["properties."+name] = v
		}
		if slices.Contains([]string{"data", "amqp-sequence", "amqp-value"}, s.Name) {
			body[s.Name] = append(body[s.Name], s.Value)
		}
	}
	for _, key := range slices.Compact(c.Stated()) {
		base, _, named := strings.Cut(key, " ")
		switch {
		case named:
			section := strings.ReplaceAll(strings.ReplaceAll(base, "annotation", "annotations"), "property", "properties")
			keyType := map[bool]string{true: "string", false: "symbol"}[base == "application-property"]
			for _, want := range c.All(base) {
				entry := golden.Entry{Key: golden.Value{Type: keyType, V: want.Name}, Value: want.Value}
				all := values[section].V.([]golden.Entry)
				if !slices.ContainsFunc(all, func(e golden.Entry) bool { return e.Key.Equal(entry.Key) && e.Value.Equal(entry.Value) }) {
					t.Errorf("%s: %s holds %v, and not %v", c.At(), section, all, entry)
				}
				n++
			}
		case slices.Contains([]string{"data", "amqp-sequence", "amqp-value"}, key):
			var want []golden.Value
			for _, v := range c.All(key) {
				want = append(want, v.Value)
			}
			if !slices.EqualFunc(want, body[key], golden.Value.Equal) {
				t.Errorf("%s: %s is %v, want %v", c.At(), key, body[key], want)
			}
			n += len(want)
		case strings.HasPrefix(key, "header."), strings.HasPrefix(key, "properties."):
			want, _ := c.Value(key)
			if g := got[key]; !g.Equal(want) {
				t.Errorf("%s: %s is %v, want %v", c.At(), key, g, want)
			}
			n++
		}
	}
	return n
}

// The sections are those that another splitter cut.
func TestSectionsOfRecordings(t *testing.T) {
	for set, keys := range map[string][]golden.Key{"qpid-jms-receive": golden.ReceiveKeys(), "qpid-jms-send": golden.SendKeys(),
		"encoders": golden.EncoderKeys(), "hand": golden.HandKeys()} {
		for _, c := range golden.Read(t, root+set+"/*.txt", keys...) {
			_, notCut := refusals()[c.Name]
			if _, broken := brokenBodies()[c.Name]; notCut || broken || c.Wire() == nil || !c.Representable() || set == "hand" && refused(c) {
				continue
			}
			code, out, errs := jmswire(hex.EncodeToString(c.Wire()), "inspect", "-json")
			require.Equal(t, 0, code, "%s: %s", c.At(), errs)
			at := 0
			var got, want []string
			for _, s := range read(t, out).Sections {
				got = append(got, fmt.Sprintf("%s at %d, %d bytes", s.Name, s.Offset, s.Size))
			}
			for _, s := range c.Sections() {
				want = append(want, fmt.Sprintf("%s at %d, %d bytes", s.Name, at, len(s.Bytes)))
				at += len(s.Bytes)
			}
			require.Equal(t, want, got, c.At())
		}
	}
}
