package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/stretchr/testify/require"
)

const root = "../../../testdata/"

// viewed is what inspect -json prints of a message, as far as tests look at it.
type viewed struct {
	JMSMessageID, JMSCorrelationID, JMSCorrelationIDAsBytes *tagged
	JMSTimestamp, JMSExpiration, JMSDeliveryTime            *tagged
	JMSPriority, JMSDeliveryMode, JMSRedelivered            *tagged

	Special map[string]struct{ Exists, Value *tagged } `json:"special"`
	Header  map[string]*tagged                         `json:"header"`

	Sections []struct {
		Name         string
		Offset, Size int
		Fields       map[string]*tagged
		Value, Error *tagged
	} `json:"sections"`

	Input struct {
		File string
		Line int
	} `json:"input"`
}

// tagged is a value as JSON has it.
type tagged struct {
	T          string          `json:"t"`
	V          json.RawMessage `json:"v"`
	Bits       string          `json:"bits"`
	Descriptor *tagged         `json:"descriptor"`
	Message    string          `json:"message"`
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

// golden returns the value in the words of the fixtures.
func (g *tagged) golden(t *testing.T) golden.Value {
	t.Helper()
	v := golden.Value{Type: g.T}
	var s string
	is := func(p any) bool { t.Helper(); require.NoError(t, json.Unmarshal(g.V, p), g.T); return true }
	n := func(bits int) int64 {
		i, err := strconv.ParseInt(string(g.V), 10, bits)
		require.NoError(t, err)
		return i
	}
	switch g.T {
	case "null":
		require.Empty(t, g.V)
	case "error":
		require.NotEmpty(t, g.Message)
		v.V = g.Message
	case "boolean":
		var b bool
		is(&b)
		v.V = b
	case "byte", "short", "int":
		v.V = n(32)
	case "ubyte", "ushort", "uint", "char":
		v.V = uint64(n(64))
	case "long", "timestamp":
		is(&s)
		i, err := strconv.ParseInt(s, 10, 64)
		require.NoError(t, err)
		v.V = i
	case "ulong":
		is(&s)
		u, err := strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
		v.V = u
	case "float":
		is(&s)
		bits, err := strconv.ParseUint(g.Bits, 16, 32)
		require.NoError(t, err)
		f := math.Float32frombits(uint32(bits))
		d, err := strconv.ParseFloat(s, 32)
		require.NoError(t, err)
		require.Equal(t, float64(f), d)
		v.V = f
	case "double":
		is(&s)
		bits, err := strconv.ParseUint(g.Bits, 16, 64)
		require.NoError(t, err)
		f := math.Float64frombits(bits)
		d, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		require.Equal(t, f, d)
		v.V = f
	case "string", "symbol":
		is(&s)
		v.V = s
	case "uuid":
		is(&s)
		b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
		require.NoError(t, err)
		v.V = [16]byte(b)
	case "binary", "bytes", "decimal32", "decimal64", "decimal128":
		is(&s)
		b, err := hex.DecodeString(s)
		require.NoError(t, err)
		v.V = b
	case "list", "array":
		var items []*tagged
		is(&items)
		values := []golden.Value{}
		for _, item := range items {
			values = append(values, item.golden(t))
		}
		v.V = values
	case "map":
		var pairs [][2]*tagged
		is(&pairs)
		entries := []golden.Entry{}
		for _, p := range pairs {
			entries = append(entries, golden.Entry{Key: p[0].golden(t), Value: p[1].golden(t)})
		}
		v.V = entries
	case "described":
		var inner *tagged
		is(&inner)
		v.V = golden.Described{Descriptor: g.Descriptor.golden(t), Value: inner.golden(t)}
	default:
		t.Fatalf("type %q", g.T)
	}
	return v
}

// jms returns what the view has for a getter of JMS, by the name that fixtures give it.
func (v viewed) jms(name string) *tagged {
	switch name {
	case "JMSMessageID":
		return v.JMSMessageID
	case "JMSCorrelationID":
		return v.JMSCorrelationID
	case "JMSCorrelationIDAsBytes":
		return v.JMSCorrelationIDAsBytes
	case "JMSTimestamp":
		return v.JMSTimestamp
	case "JMSExpiration":
		return v.JMSExpiration
	case "JMSDeliveryTime":
		return v.JMSDeliveryTime
	case "JMSPriority":
		return v.JMSPriority
	case "JMSDeliveryMode":
		return v.JMSDeliveryMode
	case "JMSRedelivered":
		return v.JMSRedelivered
	case "special.JMSXDeliveryCount":
		return v.Special["JMSXDeliveryCount"].Value
	case "special.exists.JMSXDeliveryCount":
		return v.Special["JMSXDeliveryCount"].Exists
	}
	panic(name)
}

// silent says whether a case says nothing under a key.
func silent(c golden.Case, key string) bool {
	_, ok := c.Value(key)
	return !ok
}

// getters are the names that [viewed.jms] knows, those first that a sender knows too.
func getters() []string {
	return []string{"JMSMessageID", "JMSCorrelationID", "JMSCorrelationIDAsBytes", "JMSPriority", "JMSDeliveryMode",
		"JMSTimestamp", "JMSDeliveryTime", "JMSRedelivered", "special.JMSXDeliveryCount", "special.exists.JMSXDeliveryCount"}
}

// refusals are the messages given to Qpid JMS that are not printed, and why.
func refusals() map[string]string {
	return map[string]string{
		"header-durable-string-instead-of-boolean": "header at byte 6: string where boolean belongs",
		"header-after-properties":                  "message at byte 12: header section after properties",
		"properties-fourteen-fields":               "properties at byte 6: 14 fields, where the type has 13",
		"section-unknown-descriptor":               "message at byte 0: descriptor 0x79 is no section of a message",
		"section-truncated":                        "body at byte 20: unexpected EOF",
		"body-data-then-value":                     "body at byte 6: amqp-value section in a body of data",
		"body-two-values":                          "body at byte 8: second amqp-value section",
	}
}

// What inspect says of the messages that were recorded is what the application saw,
// or what the fixture says that it should. Of a message that it sent, an application
// holds its own object: what a receiver alone knows is not compared, nor what is in an
// object of another provider.
func TestJMSViewOfRecordings(t *testing.T) {
	refused := map[string]string{}
	for set, keys := range map[string][]golden.Key{"receive": golden.ReceiveKeys(), "send": golden.SendKeys()} {
		prefix, names := "", getters()
		if set == "send" {
			prefix, names = "observed.", getters()[:6]
		}
		for _, c := range golden.Read(t, root+"qpid-jms-"+set+"/*.txt", keys...) {
			if c.Wire() == nil || !c.Representable() {
				continue
			}
			code, out, errs := jmswire(hex.EncodeToString(c.Wire()), "inspect", "-json")
			if code != 0 {
				require.Equal(t, "receive", set, "%s: %s", c.At(), errs)
				refused[c.Name] = strings.TrimSuffix(strings.TrimPrefix(errs, "jmswire: standard input: "), "\n")
				require.Empty(t, out, c.At())
				continue
			}
			if _, ok := c.Want(prefix + "JMSDeliveryMode"); !ok { // nothing to compare with
				why := map[string]string{"receive": "error.step", "send": "set.sendBodyDirectly"}[set]
				_, ok := c.Value(why)
				require.True(t, ok, c.At())
				continue
			}
			if set == "send" && !silent(c, "set.foreignMessage") {
				continue
			}
			view := read(t, out)
			for _, name := range names {
				want, ok := c.Want(prefix + name)
				require.True(t, ok, "%s: %s", c.At(), name)
				if got := view.jms(name).golden(t); !want.Equal(got) {
					t.Errorf("%s: %s is %v, want %v", c.At(), name, got, want)
				}
			}
		}
	}
	require.Equal(t, refusals(), refused)
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
				require.Empty(t, out, c.At())
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
				if got := view.jms(name).golden(t); ok && !want.Equal(got) {
					t.Errorf("%s: %s is %v, want %v", c.At(), name, got, want)
				}
			}
		}
		require.NotZero(t, compared, set)
	}
}

// refused says whether no part of a hand-made message is printed.
func refused(c golden.Case) bool {
	return slices.Contains([]string{"header", "message", "body"}, c.Text("error"))
}

// compareFields compares the fields that a case states with those of a view, and
// returns how many they are.
func compareFields(t *testing.T, c golden.Case, view viewed) (n int) {
	values := map[string]*tagged{} // of the sections that are one value
	body := map[string][]golden.Value{}
	got := map[string]golden.Value{}
	for name, v := range view.Header {
		got["header."+name] = v.golden(t)
	}
	for _, s := range view.Sections {
		values[s.Name] = s.Value
		for name, v := range s.Fields {
			got["properties."+name] = v.golden(t)
		}
		if slices.Contains([]string{"data", "amqp-sequence", "amqp-value"}, s.Name) {
			body[s.Name] = append(body[s.Name], s.Value.golden(t))
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
				all := values[section].golden(t).V.([]golden.Entry)
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
			if _, ok := refusals()[c.Name]; ok || c.Wire() == nil || !c.Representable() || set == "hand" && refused(c) {
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
