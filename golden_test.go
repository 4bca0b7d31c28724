package amqpjms

import (
	"bytes"
	"errors"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

// The fixtures, and what this package makes of each. A view holds a value for every key of a case that this package
// has an answer to: what is compared with the record is all there, so a line of a fixture that says what is ours and
// that no view answers is an error, like an answer that differs from the record without such a line.
//
// Each rule's own test file adds its fields to a view: headerView, idView and so on.

// A fixtureSet is one folder of testdata.
type fixtureSet struct {
	name string // short, as the README has it
	dir  string
	keys []golden.Key
	view func(t *testing.T, c golden.Case) view
	n    int // cases
}

// A view is what this package says for the keys of a case.
type view map[string]golden.Value

func fixtureSets() []fixtureSet {
	return []fixtureSet{
		{"send", "qpid-jms-send", golden.SendKeys(), sendView, 359},
		{"receive", "qpid-jms-receive", golden.ReceiveKeys(), receiveView, 377},
		{"encoders", "encoders", golden.EncoderKeys(), encoderView, 195},
		{"hand", "hand", golden.HandKeys(), handView, 282},
	}
}

func (s fixtureSet) cases(t testing.TB) []golden.Case {
	t.Helper()
	return golden.Read(t, "testdata/"+s.dir+"/*.txt", s.keys...)
}

// eachWire calls f for every encoded message of the fixtures, those included that an application received before it
// sent one.
func eachWire(t testing.TB, f func(c golden.Case, wire []byte)) {
	t.Helper()
	for _, set := range fixtureSets() {
		for _, c := range set.cases(t) {
			if c.Wire() != nil {
				f(c, c.Wire())
			}
			if set.dir == "qpid-jms-send" {
				if v, ok := c.Value("set.receivedWire"); ok {
					f(c, v.V.([]byte))
				}
			}
		}
	}
}

// set states a value of a view, in the type that the fixtures have for it.
func (v view) set(t *testing.T, key string, value any) {
	t.Helper()
	g, err := golden.From(value)
	require.NoError(t, err, key)
	v[key] = g
}

// refuse states that the message is refused, and which part of it: "header", or "message" for all else.
func (v view) refuse(t *testing.T, err error) {
	t.Helper()
	var e *WireError
	require.ErrorAs(t, err, &e)
	part := "message"
	if e.In == "header" {
		part = "header"
	}
	v["error"] = golden.Value{Type: "text", V: part}
}

// differences says where a view is not what the case wants.
func (v view) differences(c golden.Case) []string {
	var diffs []string
	for _, key := range slices.Sorted(maps.Keys(v)) {
		want, ok := c.Want(key)
		switch {
		case key == "error" && !ok:
			// The peer failed too, if in other words.
			if !failed(c) {
				diffs = append(diffs, fmt.Sprintf("we refuse the %v and the peer does not", v[key]))
			}
		case !ok:
			diffs = append(diffs, fmt.Sprintf("%s: %v, and the record has none", key, v[key]))
		case !v[key].Equal(want):
			diffs = append(diffs, fmt.Sprintf("%s: got %v, want %v", key, v[key], want))
		}
	}
	_, refused := v["error"]
	for _, key := range c.Stated() {
		if _, ok := v[key]; !ok && !refused && isField(key) {
			want, _ := c.Value(key)
			diffs = append(diffs, fmt.Sprintf("%s: got nothing, want %v", key, want))
		}
	}
	for _, d := range c.Deviations() {
		if _, ok := v[d.Key]; !ok {
			diffs = append(diffs, fmt.Sprintf("ours.%s (%s): this package says nothing about it", d.Key, d.Slug))
		}
	}
	return diffs
}

// isField reports whether a key is a field of a section before the body, by its AMQP name, or says what cannot be read.
// Where one of those is stated, the view must have it.
func isField(key string) bool {
	base, _, _ := strings.Cut(key, " ")
	switch base {
	case "error", "delivery-annotation", "message-annotation", "application-property":
		return true
	}
	return strings.HasPrefix(key, "header.") || strings.HasPrefix(key, "properties.")
}

// failed reports whether the peer had an error with the case.
func failed(c golden.Case) bool { return slices.Contains(c.Stated(), "error.step") }

func TestFixtures(t *testing.T) {
	for _, set := range fixtureSets() {
		t.Run(set.name, func(t *testing.T) {
			cases := set.cases(t)
			for _, c := range cases {
				for _, d := range set.view(t, c).differences(c) {
					t.Errorf("%s: %s", c.At(), d)
				}
			}
			require.Equal(t, set.n, len(cases))
		})
	}
}

// receiveView is what a JMS application sees of the message.
func receiveView(t *testing.T, c golden.Case) view {
	v := view{}
	var m RawMessage
	if err := m.Parse(c.Wire()); err != nil {
		v.refuse(t, err)
		return v
	}
	headerView(t, v, "", m.Header)
	idView(t, v, "", &m)
	deliveryView(t, v, c, &m)
	viewOfReceive(t, v, c, &m)
	return v
}

// sendView is what we make of what the application set, and what a JMS application that received the message would
// see of it, which is what the sender's own message says as well.
func sendView(t *testing.T, c golden.Case) view {
	v := view{}
	stampOfSend(t, v, c)
	idOfSend(t, v, c)
	viewOfSend(t, v, c)
	if c.Wire() == nil || c.Text("observed.type") == "" {
		return v
	}
	var m RawMessage
	require.NoError(t, m.Parse(c.Wire()), c.At())
	headerView(t, v, "observed.", m.Header)
	idView(t, v, "observed.", &m)
	if foreign, _ := c.Value("set.foreignMessage"); foreign.V == true {
		// What the client did not set on a message of another provider is that provider's affair.
		for _, key := range []string{"JMSRedelivered", "JMSCorrelationIDAsBytes", "special.JMSXDeliveryCount"} {
			delete(v, "observed."+key)
		}
	}
	if !c.Representable() {
		delete(v, "observed.JMSCorrelationID") // see TestLoneSurrogates
	}
	return v
}

// Of a text with an unpaired surrogate Qpid JMS writes one "?" and counts three bytes, so that what follows it cannot be
// read.
func TestLoneSurrogates(t *testing.T) {
	n := 0
	for _, c := range fixtureSets()[0].cases(t) {
		if c.Representable() {
			continue
		}
		n++
		var m RawMessage
		require.NoError(t, m.Parse(c.Wire()), c.At())
		var err error
		switch c.Name {
		case "correlation-id-string-lone-surrogate":
			_, err = m.Property(FieldCreationTime)
		case "body-text-lone-surrogate":
			for _, e := range m.BodySections() {
				err = e
			}
		}
		var e *WireError
		require.ErrorAs(t, err, &e, c.At())
	}
	require.Equal(t, 2, n)
}

// encoderView is every field of the sections before the body.
func encoderView(t *testing.T, c golden.Case) view {
	return fieldView(t, c, func(string) bool { return true })
}

// fieldView is the fields of the sections before the body that are wanted.
func fieldView(t *testing.T, c golden.Case, wanted func(key string) bool) view {
	v := view{}
	var m RawMessage
	if err := m.Parse(c.Wire()); err != nil {
		v.refuse(t, err)
		return v
	}
	headerFieldView(t, v, m.Header)
	for f := range PropertiesField(propertiesFields) {
		key := "properties." + f.String()
		if !wanted(key) {
			continue
		}
		raw, err := m.Property(f)
		require.NoError(t, err, "%s: %s", c.At(), key)
		if raw != nil {
			require.NotEqual(t, "null", raw.Type(), "%s: null is no value", c.At())
			v[key] = decode(t, raw)
		}
	}
	for base, find := range map[string]func(string) (RawValue, error){
		"message-annotation":   m.Annotation,
		"delivery-annotation":  m.DeliveryAnnotation,
		"application-property": m.ApplicationProperty,
	} {
		for _, nv := range c.All(base) {
			raw, err := find(nv.Name)
			require.NoError(t, err, c.At())
			if raw == nil {
				v.set(t, golden.Named(base, nv.Name), nil)
			} else {
				require.NotEqual(t, "null", raw.Type(), "%s: null is no value", c.At())
				v[golden.Named(base, nv.Name)] = decode(t, raw)
			}
		}
	}
	return v
}

// decode has go-amqp decode a value, as the fixtures write it.
func decode(t *testing.T, raw RawValue) golden.Value {
	t.Helper()
	if raw.Type() == "symbol" { // which go-amqp gives as a string
		s, ok := raw.Text()
		require.True(t, ok)
		return golden.Value{Type: "symbol", V: s}
	}
	var m amqp.Message
	require.NoError(t, m.UnmarshalBinary(append([]byte{0, 0x53, 0x77}, raw...)), "% x", raw)
	g, err := golden.From(m.Value)
	require.NoError(t, err, "% x", raw)
	return g
}

// handView is what a hand-made case states: the fields of the header all, of the rest what it lists, and the part that
// cannot be read.
func handView(t *testing.T, c golden.Case) view {
	stated := c.Stated()
	v := fieldView(t, c, func(key string) bool { return slices.Contains(stated, key) })
	if _, ok := v["error"]; ok {
		return v
	}
	var m RawMessage
	require.NoError(t, m.Parse(c.Wire()))
	ids := view{}
	idView(t, ids, "", &m)
	for _, key := range []string{"JMSMessageID", "JMSCorrelationID"} {
		switch {
		case ids[key].Type == "error":
			v["error"] = golden.Value{Type: "text", V: key}
		case slices.Contains(stated, key):
			v[key] = ids[key]
		}
	}
	const missing = "no such name"
	for part, find := range map[string]func(string) (RawValue, error){
		"message-annotations":    m.Annotation,
		"delivery-annotations":   m.DeliveryAnnotation,
		"application-properties": m.ApplicationProperty,
	} {
		if raw, err := find(missing); err != nil {
			v["error"] = golden.Value{Type: "text", V: part}
			require.Nil(t, raw)
		}
	}
	for _, err := range m.BodySections() {
		if err != nil {
			v["error"] = golden.Value{Type: "text", V: "body"}
		}
	}
	return v
}

// The sections that Parse and BodySections cut are those of the fixture, whose cuts another splitter made; joined they
// are the message.
func TestSections(t *testing.T) {
	n := 0
	for _, set := range fixtureSets() {
		for _, c := range set.cases(t) {
			wires := []string{"wire"}
			if set.dir == "qpid-jms-send" {
				wires = append(wires, "set.receivedWire")
			}
			for _, key := range wires {
				v, ok := c.Value(key)
				if !ok {
					continue
				}
				n++
				testSections(t, c, v.V.([]byte), c.SectionsOf(key))
			}
		}
	}
	require.Greater(t, n, 1200)
}

func testSections(t *testing.T, c golden.Case, msg []byte, want []golden.Section) {
	t.Helper()
	want = slices.Clone(want)
	broken := slices.ContainsFunc(want, func(s golden.Section) bool { return s.Name == golden.Garbage || s.Name == golden.Unknown })
	var m RawMessage
	if err := m.Parse(msg); err != nil {
		require.Zero(t, m, "%s: after an error", c.At())
		return
	}
	var got []golden.Section
	for _, s := range []golden.Section{
		{Name: "header", Bytes: m.HeaderSection},
		{Name: "delivery-annotations", Bytes: m.DeliveryAnnotations},
		{Name: "message-annotations", Bytes: m.MessageAnnotations},
		{Name: "properties", Bytes: m.Properties},
		{Name: "application-properties", Bytes: m.ApplicationProperties},
	} {
		if s.Bytes != nil {
			got = append(got, s)
		}
	}
	joined := joinSections(got)
	require.True(t, bytes.Equal(msg, append(joined, m.Body...)), "%s: sections joined", c.At())
	require.True(t, bytes.Equal(msg, slices.Concat(m.HeaderSection, m.Rest)), "%s: header and rest", c.At())
	var failed error
	at := 0
	before := len(got)
	for s, err := range m.Sections() {
		if err != nil {
			failed = err
			break
		}
		require.Equal(t, at, s.Offset, c.At())
		at += len(s.Bytes)
		r := wire.NewReader(s.Bytes)
		r.Descriptor()
		require.True(t, bytes.Equal(r.Remaining(), s.Value), "%s: the value of %v", c.At(), s.Kind)
		if section := (golden.Section{Name: s.Kind.String(), Bytes: s.Bytes}); before > 0 {
			require.Equal(t, got[len(got)-before], section, c.At())
			before--
		} else {
			got = append(got, section)
		}
	}
	require.True(t, before == 0, "%s: sections before the body", c.At())
	body := len(msg) - len(m.Body)
	for s := range m.BodySections() {
		if s.Bytes != nil {
			require.Equal(t, body, s.Offset, c.At())
			body += len(s.Bytes)
		}
	}
	if broken {
		require.Error(t, failed, "%s: %v", c.At(), want[len(want)-1].Name)
	}
	if failed != nil { // what was cut before that is right all the same
		require.Less(t, len(got), len(want), c.At())
		want = want[:len(got)]
	}
	require.Len(t, got, len(want), c.At())
	for i := range want {
		require.Equal(t, want[i], got[i], "%s: section %d", c.At(), i)
	}
}

func joinSections(sections []golden.Section) []byte {
	b := []byte{}
	for _, s := range sections {
		b = append(b, s.Bytes...)
	}
	return b
}

// What go-amqp decodes of a message is what we read of it.
func TestGoAMQPAgrees(t *testing.T) {
	n := 0
	eachWire(t, func(c golden.Case, wire []byte) {
		var am amqp.Message
		if am.UnmarshalBinary(wire) != nil {
			return
		}
		var m RawMessage
		// go-amqp looks at less: neither at the order of sections nor at how many there are, nor at the sizes of lists.
		if m.Parse(wire) != nil {
			return
		}
		for _, err := range m.BodySections() {
			if err != nil {
				return
			}
		}
		n++
		mh := am.Header
		if mh == nil {
			mh = &amqp.MessageHeader{Priority: DefaultPriority}
		}
		require.Equal(t, *m.Header.Explicit(NonPersistent).MessageHeader(), *mh, c.At())
		for field, get := range map[PropertiesField]func() (ID, error){FieldMessageID: m.MessageID, FieldCorrelationID: m.CorrelationID} {
			id, err := get()
			if err != nil {
				continue // go-amqp takes any type, and any bytes for a string
			}
			var want any
			if am.Properties != nil {
				want = am.Properties.MessageID
				if field == FieldCorrelationID {
					want = am.Properties.CorrelationID
				}
			}
			require.Equal(t, want, id.Value(), "%s: %v", c.At(), field)
			from, err := IDFrom(want)
			require.NoError(t, err, c.At())
			require.Equal(t, id, from, c.At())
		}
	})
	require.Greater(t, n, 900)
}

// deviations reads the list of the package comment: slug and text of each.
func deviations(t *testing.T) (slugs []string, texts map[string]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "header.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	texts = map[string]string{}
	var p comment.Parser
	heading := ""
	for _, block := range p.Parse(file.Doc.Text()).Content {
		switch block := block.(type) {
		case *comment.Heading:
			heading = plain(block.Text)
		case *comment.List:
			if heading != "Deviations" {
				continue
			}
			for _, item := range block.Items {
				require.Len(t, item.Content, 1)
				text := plain(item.Content[0].(*comment.Paragraph).Text)
				slug, text, ok := strings.Cut(text, ": ")
				require.True(t, ok, "deviation without text: %s", slug)
				require.NotContains(t, texts, slug)
				slugs = append(slugs, slug)
				texts[slug] = text
			}
		}
	}
	require.NotEmpty(t, slugs)
	return slugs, texts
}

// plain returns a text of a comment on one line.
func plain(text []comment.Text) string {
	var b strings.Builder
	for _, x := range text {
		switch x := x.(type) {
		case comment.Plain:
			b.WriteString(string(x))
		case comment.Italic:
			b.WriteString(string(x))
		case *comment.Link:
			b.WriteString(plain(x.Text))
		case *comment.DocLink:
			b.WriteString("[" + plain(x.Text) + "]")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// deviationCases returns the names of the cases of each deviation, by set.
func deviationCases(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, set := range fixtureSets() {
		names := map[string][]string{}
		for _, c := range set.cases(t) {
			for _, d := range c.Deviations() {
				if !slices.Contains(names[d.Slug], c.Name) {
					names[d.Slug] = append(names[d.Slug], c.Name)
				}
			}
		}
		for slug, list := range names {
			slices.Sort(list)
			if all[slug] != "" {
				all[slug] += "; "
			}
			all[slug] += set.name + ": " + strings.Join(list, ", ")
		}
	}
	for slug, list := range groupDeviations(t) {
		slices.Sort(list)
		all[slug] = "groups: " + strings.Join(list, ", ")
	}
	return all
}

// groupDeviations returns the names of the traces of message groups of each deviation. That these are the ones that
// deviate is what the tests of internal/replay make sure of.
func groupDeviations(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("testdata/broker-j-groups/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	names := map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		name := ""
		for line := range strings.Lines(string(data)) {
			switch key, text, _ := strings.Cut(strings.TrimSpace(line), ": "); {
			case strings.HasPrefix(line, "name"):
				name = text
			case key == "deviation":
				names[text] = append(names[text], name)
			}
		}
	}
	return names
}

// The deviations are listed once in the package comment and once, with the names of their cases, in the README. Both
// lists are what the fixtures say.
func TestDeviations(t *testing.T) {
	slugs, texts := deviations(t)
	cases := deviationCases(t)
	for _, slug := range slugs {
		if cases[slug] == "" {
			t.Errorf("package comment: %s: no case deviates so", slug)
		}
	}
	for slug, names := range cases {
		if texts[slug] == "" {
			t.Errorf("%s (%s): not in the list of the package comment", slug, names)
		}
	}

	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(data), "\n## Deviations\n")
	require.True(t, ok, "README.md has no section Deviations")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []string
	for line := range strings.Lines(section) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "|") {
			rows = append(rows, line)
		}
	}
	want := []string{"| slug | what and why | cases |", "|---|---|---|"}
	for _, slug := range slugs {
		want = append(want, "| "+slug+" | "+texts[slug]+" | "+cases[slug]+" |")
	}
	for i, row := range want {
		if i >= len(rows) || rows[i] != row {
			t.Errorf("README.md: row %d of the deviations must be\n%s", i+1, row)
		}
	}
	if len(rows) > len(want) {
		t.Errorf("README.md: more rows than deviations: %s", rows[len(want)])
	}
}

// wantWireError checks an error of this package that says where something stands in bytes.
func wantWireError(t testing.TB, err error, text string) {
	t.Helper()
	var e *WireError
	require.ErrorAs(t, err, &e)
	require.EqualError(t, err, text)
	require.Equal(t, e.Err, errors.Unwrap(e))
}

// wantValueError checks an error of this package that names a value.
func wantValueError(t testing.TB, err error, text string) {
	t.Helper()
	var e *ValueError
	require.ErrorAs(t, err, &e)
	require.EqualError(t, err, text)
	require.Equal(t, e.Err, errors.Unwrap(e))
}

// The package comment and README list the same fields of JMS.
func TestMappingTables(t *testing.T) {
	source, err := os.ReadFile("header.go")
	require.NoError(t, err)
	_, comment, _ := strings.Cut(string(source), "// # Mapping\n")
	comment, _, _ = strings.Cut(comment, "// Comments cite")
	var fields []string
	for line := range strings.Lines(comment) {
		if row, ok := strings.CutPrefix(line, "//\t"); ok {
			fields = append(fields, strings.TrimSpace(row[:22]))
		}
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(readme), "## The mapping\n")
	table, _, _ = strings.Cut(table, "Ids, in full")
	var rows []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			rows = append(rows, strings.TrimSpace(cells[1]))
		}
	}
	require.Equal(t, []string{"JMS", "---"}, rows[:2])
	require.Equal(t, fields, rows[2:])
	require.Len(t, fields, 17)
}
