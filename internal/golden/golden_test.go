package golden

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `# a comment
peer: Test peer 1.0
note: about the file

name: one
note: a text: with a colon
consumer: queue "q: r"
wire:
  005370 c00201 41 ; header
  005377
  a10161 ; amqp-value
receivedAfter: long 5
type: text
JMSDestination: queue "q"
JMSDeliveryMode: int 2
special.JMSXGroupSeq: int 0
property "a: b": int 1
propertyAsString "a: b": error
body: string "a"
ours.JMSDeliveryMode: int 1
ours.property "a: b": string "1"
deviation: first-slug
ours.error: body
deviation: second-slug

name: two
consumer: temporary-queue
outcome: modified
wire:
`

// wrapped is sample with the second section's bytes on the line of its label.
var wrapped = strings.Replace(sample, "  005377\n  a10161 ; amqp-value", "  005377 ; amqp-value\n  a10161", 1)

func parse(t *testing.T, text string) []Case {
	t.Helper()
	cs, err := Parse("a.txt", []byte(text), ReceiveKeys()...)
	require.NoError(t, err)
	return cs
}

func TestParse(t *testing.T) {
	cs := parse(t, wrapped)
	require.Len(t, cs, 2)
	c := cs[0]
	require.Equal(t, "a.txt:5: one", c.At())
	require.Equal(t, "Test peer 1.0", c.Peer)
	require.Equal(t, "a text: with a colon", c.Text("note"))
	require.Equal(t, []Section{{"header", []byte{0, 0x53, 0x70, 0xc0, 2, 1, 0x41}},
		{"amqp-value", []byte{0, 0x53, 0x77, 0xa1, 1, 'a'}}}, c.Sections())
	require.Equal(t, []byte("\x00\x53\x70\xc0\x02\x01\x41\x00\x53\x77\xa1\x01a"), c.Wire())
	require.Equal(t, []NamedValue{{"a: b", Value{Type: "int", V: int64(1)}}}, c.All("property"))
	require.Equal(t, []Deviation{{"first-slug", "JMSDeliveryMode"}, {"first-slug", `property "a: b"`},
		{"second-slug", "error"}}, c.Deviations())
	require.Equal(t, []string{"note", "consumer", "wire", "receivedAfter", "type", "JMSDestination", "JMSDeliveryMode",
		"special.JMSXGroupSeq", `property "a: b"`, `propertyAsString "a: b"`, "body"}, c.Stated())

	two := cs[1]
	require.Equal(t, "two", two.Name)
	require.NotNil(t, two.Wire(), "a message of zero bytes is not no message")
	require.Empty(t, two.Wire())
	require.Empty(t, two.Sections())
	require.Empty(t, two.Deviations())
}

func TestValueAndWant(t *testing.T) {
	c := parse(t, wrapped)[0]
	for _, row := range []struct{ key, recorded, want string }{
		{"JMSDeliveryMode", "int 2", "int 1"},
		{Named("property", "a: b"), "int 1", `string "1"`},
		{Named("property", "c"), "", ""},
		{"error", "", "body"},
		{"outcome", "accepted", "accepted"},
		{"options", "", ""},
		// the defaults of a view
		{"JMSMessageID", "null", "null"},
		{"JMSCorrelationID", "null", "null"},
		{"JMSCorrelationIDAsBytes", "null", "null"},
		{"JMSType", "null", "null"},
		{"JMSReplyTo", "null", "null"},
		{"JMSTimestamp", "long 0", "long 0"},
		{"JMSExpiration", "long 0", "long 0"},
		{"JMSDeliveryTime", "long 0", "long 0"},
		{"JMSPriority", "int 4", "int 4"},
		{"JMSRedelivered", "boolean false", "boolean false"},
		{"special.JMSXDeliveryCount", "int 1", "int 1"},
		{"special.exists.JMSXDeliveryCount", "boolean true", "boolean true"},
		{"special.JMSXGroupSeq", "int 0", "int 0"},
		{"special.exists.JMSXGroupSeq", "boolean true", "boolean true"}, // stated
		{"special.JMSXUserID", "null", "null"},
		{"special.exists.JMSXUserID", "boolean false", "boolean false"},
		{"propertyNames", `list [string "JMSXDeliveryCount", string "JMSXGroupSeq", string "a: b"]`,
			`list [string "JMSXDeliveryCount", string "JMSXGroupSeq", string "a: b"]`},
	} {
		text := func(v Value, ok bool) string {
			if !ok {
				return ""
			}
			return v.String()
		}
		require.Equal(t, row.recorded, text(c.Value(row.key)), "Value(%s)", row.key)
		require.Equal(t, row.want, text(c.Want(row.key)), "Want(%s)", row.key)
	}
	v, slug, ok := c.Ours("error")
	require.True(t, ok)
	require.Equal(t, "body", v.String())
	require.Equal(t, "second-slug", slug)
	_, _, ok = c.Ours("body")
	require.False(t, ok)
}

// A case without a view has no defaults of one, unless what is ours gives it a view.
func TestNoView(t *testing.T) {
	const head = "peer: p\n\nname: n\nconsumer: queue \"q\"\nwire:\n  40 ; garbage\nerror.step: string \"receive\"\n"
	c := parse(t, head)[0]
	_, ok := c.Value("JMSPriority")
	require.False(t, ok)

	for _, ours := range []string{"ours.type: text\n", "ours.JMSDeliveryMode: int 1\n"} {
		c = parse(t, head+ours+"deviation: slug\n")[0]
		_, ok = c.Value("JMSPriority")
		require.False(t, ok)
		v, ok := c.Want("JMSPriority")
		require.True(t, ok)
		require.Equal(t, "int 4", v.String())
	}
}

func TestSectionKeys(t *testing.T) {
	const text = "peer: p\n\nname: n\nwire:\n  005375 a000 ; data\n  005375 a00101 ; data\n" +
		"ours.wire.header: binary 00537045\ndeviation: slug\n"
	cs, err := Parse("a.txt", []byte(text), SendKeys()...)
	require.NoError(t, err)
	for key, want := range map[string][2]string{
		"wire.header": {"null", "binary 00537045"},
		"wire.data":   {"binary 005375a000005375a00101", "binary 005375a000005375a00101"},
		"wire.footer": {"null", "null"},
	} {
		v, ok := cs[0].Value(key)
		require.True(t, ok, key)
		require.Equal(t, want[0], v.String(), key)
		v, _ = cs[0].Want(key)
		require.Equal(t, want[1], v.String(), key)
	}
}

func TestUnknownKeyPanics(t *testing.T) {
	c := parse(t, wrapped)[0]
	require.PanicsWithValue(t, `golden: a.txt:5: one: key "JMSPriorty" is not one that the file was read with`,
		func() { c.Value("JMSPriorty") })
	require.Panics(t, func() { c.Want("JMSPriorty") })
	require.Panics(t, func() { c.Ours("JMSPriorty") })
	require.Panics(t, func() { c.All("propertie") })
	require.Panics(t, func() { c.SectionsOf("wires") })
	require.Panics(t, func() { c.Text("notes") })
}

func TestParseErrors(t *testing.T) {
	const head = "peer: p\n\nname: n\n"
	for _, row := range []struct{ name, text, want string }{
		{"empty file", "", "a.txt:1: the file does not start with a peer"},
		{"only comments", "# peer: p\n", "a.txt:1: the file does not start with a peer"},
		{"no peer", "name: n\n", "a.txt:1: the file does not start with a peer"},
		{"empty peer", "peer:\n\nname: n\n", "a.txt:1: the file does not start with a peer"},
		{"key beside the peer", "peer: p\nname: n\n", `a.txt:2: key "name" in the record of the peer`},
		{"no case", "peer: p\n", "a.txt:1: no case"},
		{"no name", "peer: p\n\nnote: n\n", "a.txt:3: the record does not start with a name"},
		{"empty name", "peer: p\n\nname:\n", "a.txt:3: the record does not start with a name"},
		{"peer in a case", head + "peer: q\n", `a.txt:4: unknown key "peer"`},
		{"second peer", head + "\npeer: q\n", "a.txt:5: the record does not start with a name"},
		{"duplicate name", head + "\nname: n\n", "a.txt:5: name n stands at line 3 already"},
		{"name in a case", head + "name: m\n", `a.txt:4: unknown key "name"`},
		{"unknown key", head + "JMSPriorty: int 4\n", `a.txt:4: unknown key "JMSPriorty"`},
		{"unknown key that is ours", head + "ours.JMSPriorty: int 4\n", `a.txt:4: unknown key "ours.JMSPriorty"`},
		{"letter case", head + "Note: x\n", `a.txt:4: unknown key "Note"`},
		{"duplicate key", head + "note: x\nnote: y\n", `a.txt:5: key "note" stands at line 4 already`},
		{"duplicate named key", head + "property \"p\": int 1\nproperty \"p\": int 1\n", `key "property \"p\"" stands at line 4 already`},
		{"name missing", head + "property: int 1\n", `a.txt:4: key "property": a name in quotes is wrong here or missing`},
		{"name too much", head + "note \"n\": x\n", `a.txt:4: key "note \"n\"": a name in quotes is wrong here or missing`},
		{"name not closed", head + "property \"p: int 1\n", `a.txt:4: "property \"p: int 1" is not a line of key and value`},
		{"name not plain", head + "property \"\\u0061\": int 1\n", `"\u0061" is not the plain form of "a"`},
		{"name of no JSON", head + "property \"\\x\": int 1\n", `"\x" is no text in quotes`},
		{"no colon", head + "note x\n", `a.txt:4: "note x" is not a line of key and value`},
		{"no key", head + ": x\n", `a.txt:4: ": x" is not a line of key and value`},
		{"no space", head + "note:x\n", `a.txt:4: "note:x": not one space after the colon`},
		{"two spaces", head + "note:  x\n", `a.txt:4: "note:  x": not one space after the colon`},
		{"space at the end", head + "note: x \n", "a.txt:4: space at the end of the line"},
		{"carriage return", head + "note: x\r\n", "a.txt:4: space at the end of the line"},
		{"text missing", head + "note:\n", `a.txt:4: key "note" has no value`},
		{"value missing", head + "body:\n", `a.txt:4: key "body": value "": type "" is unknown or has no literal`},
		{"bad value", head + "body: int 1.5\n", `a.txt:4: key "body": value "int 1.5": strconv.ParseInt: parsing "1.5": invalid syntax`},
		{"wire on the line", head + "wire: 00\n", `a.txt:4: key "wire" takes a block of indented lines`},
		{"block of another key", head + "note: x\n  00 ; header\n", "a.txt:5: indented line is not in a block, or not indented by two spaces"},
		{"block after a blank line", head + "wire:\n\n  00 ; header\n", "a.txt:6: indented line is not in a block"},
		{"one space", head + "wire:\n 00 ; header\n", "a.txt:5: indented line is not in a block"},
		{"three spaces", head + "wire:\n   00 ; header\n", "a.txt:5: indented line is not in a block"},
		{"half a byte", head + "wire:\n  005 ; header\n", `a.txt:5: "005" is not a row of bytes in hex`},
		{"no hex", head + "wire:\n  0g ; header\n", `a.txt:5: "0g" is not a row of bytes in hex`},
		{"no bytes", head + "wire:\n  ; header\n", `a.txt:5: "; header" is not a row of bytes in hex`},
		{"no label", head + "wire:\n  00\n", "a.txt:5: the block does not start with the name of a section"},
		{"bad label", head + "wire:\n  00 ; headers\n", `a.txt:5: "headers" is no name of a section`},
		{"ours without deviation", head + "ours.body: null\n", "a.txt:4: ours.body has no deviation"},
		{"ours after the deviation", head + "ours.type: text\ndeviation: s\nours.body: null\n", "a.txt:6: ours.body has no deviation"},
		{"deviation of nothing", head + "deviation: s\n", "a.txt:4: deviation s follows no line that is ours"},
		{"second deviation of nothing", head + "ours.body: null\ndeviation: s\ndeviation: s\n", "a.txt:6: deviation s follows no line that is ours"},
		{"deviation without slug", head + "ours.body: null\ndeviation:\n", "a.txt:5: deviation has no value"},
		{"ours twice", head + "ours.body: null\nours.body: none\n", `a.txt:5: key "ours.body" stands at line 4 already`},
		{"ours as recorded", head + "body: null\nours.body: null\ndeviation: s\n", "a.txt:5: ours.body is what was recorded"},
		{"ours as the default", head + "type: text\nours.JMSPriority: int 4\ndeviation: s\n", "a.txt:5: ours.JMSPriority is what was recorded"},
		{"ours another error", head + "body: error \"a\"\nours.body: error \"b\"\ndeviation: s\n", "a.txt:5: ours.body is what was recorded"},
		{"recorded where only ours may be", head + "error: body\n", `a.txt:4: key "error" stands only as ours.error`},
	} {
		t.Run(row.name, func(t *testing.T) {
			cs, err := Parse("a.txt", []byte(row.text), ReceiveKeys()...)
			require.ErrorContains(t, err, row.want)
			require.True(t, strings.HasPrefix(err.Error(), "golden: a.txt:"), err.Error())
			require.Nil(t, cs)
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("b.txt", "peer: p\n\nname: n\n")
	write("c.txt", "peer: q\n\nname: n\n\nname: m\n")
	cs, err := Load(filepath.Join(dir, "*.txt"))
	require.NoError(t, err)
	var got []string
	for _, c := range cs {
		got = append(got, c.Peer+" "+c.Name)
	}
	require.Equal(t, []string{"p n", "q n", "q m"}, got)
	require.Len(t, Read(t, filepath.Join(dir, "c.txt")), 2)

	_, err = Load(filepath.Join(dir, "*.text"))
	require.ErrorContains(t, err, "*.text: no such file")
	_, err = Load(filepath.Join(dir, "[.txt"))
	require.ErrorIs(t, err, filepath.ErrBadPattern)

	write("d.txt", "peer: q\n\nname: m\n")
	_, err = Load(filepath.Join(dir, "*.txt"))
	require.ErrorContains(t, err, "d.txt:3: name m stands at ")
	require.ErrorContains(t, err, "c.txt:5 already")

	write("d.txt", "name: m\n")
	_, err = Load(filepath.Join(dir, "*.txt"))
	require.ErrorContains(t, err, "d.txt:1: the file does not start with a peer")

	require.NoError(t, os.Remove(filepath.Join(dir, "d.txt")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "e.txt"), 0o700))
	_, err = Load(filepath.Join(dir, "*.txt"))
	require.ErrorContains(t, err, "e.txt")
}

// recorder is a testing.TB that notes a call of Fatal.
type recorder struct {
	testing.TB
	fatal []any
}

func (r *recorder) Helper()           {}
func (r *recorder) Fatal(args ...any) { r.fatal = args }

func TestReadFails(t *testing.T) {
	r := &recorder{TB: t}
	require.Nil(t, Read(r, filepath.Join(t.TempDir(), "*.txt")))
	require.Len(t, r.fatal, 1)
	require.ErrorContains(t, r.fatal[0].(error), "no such file")
}

// Each key is in a set once, so that a set cannot give one key two kinds.
func TestKeysAreUnique(t *testing.T) {
	for set, keys := range sets() {
		seen := map[string]bool{}
		for _, k := range keys {
			require.False(t, seen[k.Name], "%s: %s", set, k.Name)
			seen[k.Name] = true
		}
		require.False(t, slices.ContainsFunc(keys, func(k Key) bool { return strings.Contains(k.Name, " ") }), set)
	}
}
