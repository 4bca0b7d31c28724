package amqpjms

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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
		{"send", "qpid-jms-send", golden.SendKeys(), sendView, 385},
		{"receive", "qpid-jms-receive", golden.ReceiveKeys(), receiveView, 420},
		{"encoders", "encoders", golden.EncoderKeys(), encoderView, 195},
		{"hand", "hand", golden.HandKeys(), handView, 282},
		{"service-bus", "service-bus", golden.ServiceBusKeys(), serviceBusView, 223},
		{"go-programs", "go-programs", golden.ProgramKeys(), serviceBusView, 13},
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
		want, ok := wantedValue(c, key)
		switch {
		case key == "error" && !ok:
			// The peer failed too, if in other words, and at the same call.
			if !failed(c) {
				diffs = append(diffs, fmt.Sprintf("we refuse the %v and the peer does not", v[key]))
			} else if step, _ := c.Value("error.step"); !partOf(c, step.V.(string), v[key].V.(string)) {
				diffs = append(diffs, fmt.Sprintf("we refuse the %v and the peer fails in %v", v[key], step))
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
			want, _ := wantedValue(c, key)
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

// wantedValue returns what the case wants for a key: of those that may stand several times, as sections of a body may, all of
// them in a list.
func wantedValue(c golden.Case, key string) (golden.Value, bool) {
	if !isBody(key) {
		return c.Want(key)
	}
	sections := []golden.Value{}
	for _, nv := range c.All(key) {
		sections = append(sections, nv.Value)
	}
	return golden.Value{Type: "list", V: sections}, len(sections) > 0
}

func isBody(key string) bool {
	return slices.Contains([]string{"data", "amqp-sequence", "amqp-value"}, key)
}

// isField reports whether a key is one that the view must have where it is stated: a field of a section by its AMQP name, a
// section of the body, what the client did besides the message, or what cannot be read.
func isField(key string) bool {
	base, _, _ := strings.Cut(key, " ")
	switch base {
	case "error", "delivery-annotation", "message-annotation", "application-property", "footer", "observed.foreignCall", "link.target":
		return true
	}
	return isBody(key) || strings.HasPrefix(key, "header.") || strings.HasPrefix(key, "properties.")
}

// partOf reports whether the call in which the peer fails sets, or reads, the part that this package refuses.
func partOf(c golden.Case, step, part string) bool {
	if step == "receive" {
		return true // such an application sees nothing of the message
	}
	foreign, _ := c.Value("set.foreignMessage")
	name, setter := strings.CutPrefix(step, "set")
	switch {
	case step == "setJMSCorrelationID(received.getJMSMessageID())":
		return part == "JMSMessageID"
	case strings.HasPrefix(step, "setProperty "):
		return part == "property"
	case step == "createMessage" || step == "setObject":
		return part == "body"
	case step == "send" && (foreign.V == true || c.Text("set.api") == "JMSProducer"):
		return true // when the client looks at all that was set
	case step == "configureProducer" || step == "send":
		return part == "producer" || part == "send"
	}
	return setter && part == name
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

// serviceBusView is every field of the sections, and what a JMS application sees of the message. Where nothing was sent
// there is nothing to see.
func serviceBusView(t *testing.T, c golden.Case) view {
	if c.Wire() == nil {
		return view{}
	}
	v := encoderView(t, c)
	var m RawMessage
	require.NoError(t, m.Parse(c.Wire()), c.At())
	headerView(t, v, "", m.Header)
	idView(t, v, "", &m)
	received := Consumer{Peer: ServiceBus()}.ViewRaw(&m, time.UnixMilli(serviceBusClock))
	messageView(t, v, "", c, &received)
	symbols(v, c)
	return v
}

// serviceBusClock is the time of receipt in the cases of Service Bus, 2030-01-02T03:00:00Z.
const serviceBusClock = 1893553200000

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
			v[key] = decoded(t, raw)
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
				v[golden.Named(base, nv.Name)] = decoded(t, raw)
			}
		}
	}
	sections := map[string][]golden.Value{}
	for s, err := range m.BodySections() {
		if err != nil {
			return v // which a hand-made case says
		}
		if s.Kind == SectionFooter {
			for _, e := range decoded(t, s.Value).V.([]golden.Entry) {
				v[golden.Named("footer", e.Key.V.(string))] = e.Value
			}
			continue
		}
		sections[s.Kind.String()] = append(sections[s.Kind.String()], encodedValue(s.Value))
	}
	for name, values := range sections {
		if wanted(name) {
			v[name] = golden.Value{Type: "list", V: values}
		}
	}
	return v
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
	for slug, list := range linkDeviations(t) {
		slices.Sort(list)
		all[slug] = "links: " + strings.Join(list, ", ")
	}
	for slug, list := range selectorDeviations(t) {
		generated := slices.IndexFunc(list, func(name string) bool { return strings.HasPrefix(name, "generated-") })
		more := ""
		if generated >= 0 { // of which there are many, after the others
			if n := len(list) - generated - 1; n > 0 {
				more = fmt.Sprintf(" and %d more generated", n)
			}
			list = list[:generated+1]
		}
		all[slug] = "selectors: " + strings.Join(list, ", ") + more
	}
	return all
}

// selectorDeviations returns the names of the selectors of each deviation, those that are generated last.
func selectorDeviations(t *testing.T) map[string][]string {
	t.Helper()
	names := map[string][]string{}
	for _, c := range selectorCases(t) {
		for _, who := range []string{"artemis", "activemq", "broker-j"} {
			said := strings.Fields(c.Text("said." + who))
			for _, slug := range said[min(1, len(said)):] {
				if !slices.Contains(names[slug], c.Name) {
					names[slug] = append(names[slug], c.Name)
				}
			}
		}
	}
	for _, list := range names {
		slices.SortFunc(list, func(a, b string) int {
			generated := func(s string) int { return strings.Count(s, "generated-") }
			return cmp.Or(cmp.Compare(generated(a), generated(b)), strings.Compare(a, b))
		})
	}
	return names
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

// The list of deviations is what the fixtures say, both ways.
func TestDeviations(t *testing.T) {
	const file = "testdata/deviations.md"
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	want := deviationCases(t)
	listed := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| slug |") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), "|")
		require.Len(t, cells, 5, "%s: row with other than three cells: %s", file, line)
		slug, text, cases := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])
		switch {
		case listed[slug]:
			t.Errorf("%s: %s stands twice", file, slug)
		case text == "":
			t.Errorf("%s: %s: no reason", file, slug)
		case want[slug] == "":
			t.Errorf("%s: %s: no fixture deviates so", file, slug)
		case want[slug] != cases:
			t.Errorf("%s: %s: the cases of the fixtures are\n%s", file, slug, want[slug])
		}
		listed[slug] = true
	}
	for _, slug := range slices.Sorted(maps.Keys(want)) {
		if !listed[slug] {
			t.Errorf("%s: no row for %s (%s)", file, slug, want[slug])
		}
	}
}

// headerView adds what JMS sees of a header.
func headerView(t *testing.T, v view, prefix string, h Header) {
	v.set(t, prefix+"JMSDeliveryMode", int32(h.JMSDeliveryMode(ModeUnset)))
	v.set(t, prefix+"JMSPriority", int32(h.JMSPriority()))
	v.set(t, prefix+"JMSRedelivered", h.JMSRedelivered())
	v.set(t, prefix+"special.JMSXDeliveryCount", h.JMSXDeliveryCount())
}

// headerFieldView adds the fields that a header states.
func headerFieldView(t *testing.T, v view, h Header) {
	if h.Mode != ModeUnset {
		v.set(t, "header.durable", h.Mode == Persistent)
	}
	if x, ok := h.Priority.Get(); ok {
		v.set(t, "header.priority", x)
	}
	if x, ok := h.TTL.Get(); ok {
		v.set(t, "header.ttl", x)
	}
	if x, ok := h.FirstAcquirer.Get(); ok {
		v.set(t, "header.first-acquirer", x)
	}
	if x, ok := h.DeliveryCount.Get(); ok {
		v.set(t, "header.delivery-count", x)
	}
}

// idView adds the ids of a message as JMS has them.
func idView(t *testing.T, v view, prefix string, m *RawMessage) {
	messageID, err := m.MessageID()
	if err != nil {
		v.set(t, prefix+"JMSMessageID", err)
	} else {
		v.set(t, prefix+"JMSMessageID", jmsString(messageID, messageID.JMSMessageID()))
	}
	correlationID, err := m.CorrelationID()
	if err != nil {
		v.set(t, prefix+"JMSCorrelationID", err)
		v.set(t, prefix+"JMSCorrelationIDAsBytes", err)
		return
	}
	v.set(t, prefix+"JMSCorrelationID", jmsString(correlationID, correlationID.JMSCorrelationID()))
	b, err := correlationID.CorrelationIDAsBytes()
	switch {
	case err != nil:
		v.set(t, prefix+"JMSCorrelationIDAsBytes", err)
	case b == nil:
		v.set(t, prefix+"JMSCorrelationIDAsBytes", nil)
	default:
		v[prefix+"JMSCorrelationIDAsBytes"] = golden.Value{Type: "bytes", V: b}
	}
}

// jmsString returns the string, nil where there is no id.
func jmsString(id ID, s string) any {
	if id.IsZero() {
		return nil
	}
	return s
}

// idOfSend checks that the correlation id that the application set is the one on the wire, and adds the error where
// it cannot be set.
func idOfSend(t *testing.T, v view, c golden.Case) {
	var id ID
	refuse := func(part string) {
		v["error"] = golden.Value{Type: "text", V: part}
	}
	parse := func(part string, x golden.Value) (id ID) {
		if s, ok := x.V.(string); ok { // not null
			var err error
			if id, err = ParseID(s); err != nil {
				refuse(part)
			}
		}
		return id
	}
	for _, key := range c.Stated() {
		x, _ := c.Value(key)
		switch key {
		case "set.JMSMessageID":
			parse("JMSMessageID", x) // the provider gives another
		case "set.JMSCorrelationID", golden.Named("set.property", "JMSCorrelationID"):
			id = parse("JMSCorrelationID", x)
		case "set.JMSCorrelationIDAsBytes":
			if foreign, _ := c.Value("set.foreignMessage"); foreign.V == true {
				continue // the client asks a message of another provider for its string only
			}
			b, _ := x.V.([]byte)
			var err error
			id, err = IDFrom(b)
			require.NoError(t, err, c.At())
		case "set.receivedWire":
			var received RawMessage
			require.NoError(t, received.Parse(x.V.([]byte)), c.At())
			field, get := "JMSCorrelationID", received.CorrelationID
			if c.Text("set.resendMode") == "reply" {
				field, get = "JMSMessageID", received.MessageID
			}
			from, err := get()
			if err != nil {
				refuse(field)
				continue
			}
			// The application has the string alone, and gives it back.
			s := from.JMSCorrelationID()
			if field == "JMSMessageID" {
				s = from.JMSMessageID()
			}
			if !from.IsZero() {
				id, err = ParseID(s)
				require.NoError(t, err, c.At())
				require.Equal(t, from, id, c.At())
			}
		}
	}
	_, refused := v["error"]
	if message, _ := c.Value("error.message"); message.V == "Unable to convert ID value" {
		require.True(t, refused, "%s: the peer refuses an id", c.At())
	}
	if c.Wire() == nil || refused || !c.Representable() {
		return
	}
	var m RawMessage
	require.NoError(t, m.Parse(c.Wire()), c.At())
	onWire, err := m.CorrelationID()
	require.NoError(t, err, c.At())
	require.Equal(t, onWire, id, "%s: correlation id on the wire, and what was set", c.At())
}

// producerOf is the producer that the application configured.
func producerOf(t *testing.T, c golden.Case) Producer {
	t.Helper()
	number := func(key string, unset int64) int64 {
		if v, ok := c.Value(key); ok {
			return v.V.(int64)
		}
		return unset
	}
	set := func(key string) bool {
		v, _ := c.Value(key)
		return v.V == true
	}
	milliseconds := func(key string) time.Duration {
		n := number(key, 0)
		require.LessOrEqual(t, n, math.MaxInt64/int64(time.Millisecond), c.At())
		return time.Duration(n) * time.Millisecond
	}
	p := Producer{
		Destination:   destinationOf(t, c),
		Mode:          DeliveryMode(number("set.deliveryMode", 0)),
		TimeToLive:    milliseconds("set.timeToLive"),
		DeliveryDelay: milliseconds("set.deliveryDelay"),
		NoMessageID:   set("set.disableMessageID"),
		NoTimestamp:   set("set.disableMessageTimestamp"),
	}
	switch profile := c.Text("set.peerProfile"); profile {
	case "nodelay":
		p.Peer, _ = DetectPeer(nil)
	case "prefix":
		p.Peer, _ = DetectPeer(map[string]any{"queue-prefix": "q://", "topic-prefix": "t://"}, "DELAYED_DELIVERY")
	default:
		require.Empty(t, profile, c.At())
		p.Peer, _ = DetectPeer(nil, "DELAYED_DELIVERY")
	}
	if n := number("set.priority", DefaultPriority); n != DefaultPriority {
		p.Priority = Some(uint8(n))
	}
	if c.Text("set.connectionOptions") == "jms.populateJMSXUserID=true" {
		p.UserID = c.Text("set.username")
	}
	for _, property := range c.All("set.property") {
		if property.Name != "JMS_AMQP_TTL" {
			continue
		}
		n, err := strconv.ParseUint(fmt.Sprint(property.Value.V), 10, 32)
		if err == nil { // else it is the setting of the property that is an error
			p.WireTTL = Some(uint32(n))
		}
	}
	if set("set.sendTwice") {
		p.DeliveryDelay = 0
	}
	return p
}

// destinationOf is the destination of a case; the name of a temporary one is known once it was sent to.
func destinationOf(t *testing.T, c golden.Case) Destination {
	t.Helper()
	v, ok := c.Value("set.destination")
	require.True(t, ok, c.At())
	if v.V == nil {
		v, ok = c.Value("observed.JMSDestination")
		require.True(t, ok, c.At())
	}
	kinds := map[string]DestinationKind{"queue": Queue, "topic": Topic, "temporary-queue": TemporaryQueue, "temporary-topic": TemporaryTopic}
	kind, ok := kinds[v.Type]
	require.True(t, ok, c.At())
	return Destination{Kind: kind, Name: v.V.(string)}
}

// stampOfSend prepares a message as the application's producer did, at the time when it did, and adds the sections that
// we send then; what the application's own message said after send is compared with the stamp. All that a producer does
// not set is what the peer sent.
func stampOfSend(t *testing.T, v view, c golden.Case) {
	t.Helper()
	if n, _ := c.Value("set.timeToLive"); n.V == int64(math.MaxInt64) {
		// No time.Duration is as long, but a sum that is too large is always an error.
		_, err := addMilliseconds("time to live", sent, math.MaxInt64)
		wantValueError(t, err, "amqpjms: time to live 9223372036854775807ms: overflows int64 milliseconds")
		v["error"] = golden.Value{Type: "text", V: "producer"}
		return
	}
	p := producerOf(t, c)
	if c.Wire() == nil {
		_, err := p.Stamp(sentAt(), ID{})
		step, _ := c.Value("error.step")
		why, _ := c.Value("error.message")
		ours := step.V == "configureProducer" || why.V == "Remote does not support delayed message delivery"
		require.Equal(t, ours, err != nil, "%s: %v", c.At(), err)
		return
	}

	var recorded RawMessage
	require.NoError(t, recorded.Parse(c.Wire()), c.At())
	id, err := recorded.MessageID()
	require.NoError(t, err, c.At())
	now := clockOf(t, c, &recorded, p)
	s, err := p.Stamp(now, id)
	if err != nil {
		v["error"] = golden.Value{Type: "text", V: "producer"}
		return
	}
	linkOfSend(t, v, c, s)
	callsOfSend(t, v, c, s)
	if c.Text("observed.type") != "" {
		observed := view{}
		for key, value := range map[string]any{
			"JMSTimestamp": s.Timestamp, "JMSDeliveryTime": s.DeliveryTime, "JMSExpiration": s.Expiration,
			"JMSDeliveryMode": int32(s.Header.Mode), "JMSPriority": int32(s.Header.JMSPriority()),
			"JMSMessageID": jmsString(s.MessageID, s.MessageID.JMSMessageID()),
		} {
			observed.set(t, "observed."+key, value)
		}
		kind := strings.ReplaceAll(s.Destination.Kind.String(), " ", "-")
		observed["observed.JMSDestination"] = golden.Value{Type: kind, V: s.Destination.Name}
		for key, got := range observed {
			want, ok := c.Value(key)
			require.True(t, ok && got.Equal(want), "%s: %s: the stamp says %v, the peer's message %v", c.At(), key, got, want)
		}
		// Where nothing on the wire says it, a receiver reads 0.
		if readable(c) && (s.Timestamp != 0 || s.DeliveryDelay != 0) {
			read, err := Consumer{}.ViewRaw(&recorded, time.Time{}).DeliveryTime()
			require.NoError(t, err, c.At())
			require.Equal(t, s.DeliveryTime, read, c.At())
		}
	}

	ours := sectionsOf(t, s, c, &recorded)
	v.set(t, "wire.header", ours.Header.AppendTo(nil)) // go-amqp has a wider list
	if readable(c) {
		require.Equal(t, recorded.Properties, ours.Properties, c.At())
		require.Equal(t, recorded.MessageAnnotations, inOrderOf(t, ours.MessageAnnotations, recorded.MessageAnnotations), c.At())
	}
}

// linkOfSend adds the address of the link that the message goes over: a JMSProducer, and a producer without a destination,
// have one without an address.
func linkOfSend(t *testing.T, v view, c golden.Case, s Stamp) {
	t.Helper()
	anonymous, _ := c.Value("set.anonymousProducer")
	if anonymous.V == true || c.Text("set.api") == "JMSProducer" {
		v.set(t, "link.target", nil)
	} else {
		v.set(t, "link.target", s.Address)
	}
}

// callsOfSend adds what the client sets on a message of another provider: all that a stamp holds, and two calls that stand
// for no field.
func callsOfSend(t *testing.T, v view, c golden.Case, s Stamp) {
	t.Helper()
	if len(c.All("observed.foreignCall")) == 0 {
		return
	}
	call := func(name string, value any) { v.set(t, golden.Named("observed.foreignCall", name), value) }
	call("setJMSDeliveryMode", int32(s.Header.Mode))
	call("setJMSPriority", int32(s.Header.JMSPriority()))
	call("setJMSRedelivered", s.Header.JMSRedelivered())
	call("setJMSDestination", destinationValue(s.Destination, nil))
	call("setJMSTimestamp", s.Timestamp)
	call("setJMSExpiration", s.Expiration)
	call("setJMSDeliveryTime", s.DeliveryTime)
	call("setJMSMessageID", jmsString(s.MessageID, s.MessageID.JMSMessageID()))
	if kind := c.Text("set.message"); kind == "bytes" || kind == "stream" {
		call("reset", nil) // so that the client can read its body
	}
}

// readable says whether the properties of the peer's message can be read: not in the one case whose correlation-id has an
// unpaired surrogate.
func readable(c golden.Case) bool { return c.Name != "correlation-id-string-lone-surrogate" }

// clockOf is the time when the application sent the message.
func clockOf(t *testing.T, c golden.Case, recorded *RawMessage, p Producer) time.Time {
	t.Helper()
	if v, ok := c.Value("observed.JMSTimestamp"); ok && v.V != int64(0) {
		return time.UnixMilli(v.V.(int64))
	}
	if v, ok := c.Value("observed.JMSDeliveryTime"); ok {
		return time.UnixMilli(v.V.(int64)).Add(-p.DeliveryDelay)
	}
	created, err := recorded.Property(FieldCreationTime)
	require.NoError(t, err, c.At())
	require.Equal(t, "timestamp", created.Type(), c.At())
	return time.UnixMilli(created.number().n)
}

// sectionsOf applies a stamp to the message that the peer sent, once all that a producer sets is replaced by what an
// earlier send has left there, or had when the application received it.
func sectionsOf(t *testing.T, s Stamp, c golden.Case, recorded *RawMessage) *RawMessage {
	t.Helper()
	m, left := &amqp.Message{}, full()
	if readable(c) {
		// No producer looks at application properties or a body, which go-amqp may not decode.
		var err error
		m, err = unmarshal(slices.Concat(recorded.HeaderSection, recorded.DeliveryAnnotations, recorded.MessageAnnotations, recorded.Properties))
		require.NoError(t, err, c.At())
	}
	if v, ok := c.Value("set.receivedWire"); ok && c.Text("set.resendMode") == "forward" {
		var err error
		left, err = unmarshal(v.V.([]byte))
		require.NoError(t, err, c.At())
	}
	if m.Properties == nil {
		m.Properties = &amqp.MessageProperties{}
	}
	if left.Properties == nil {
		left.Properties = &amqp.MessageProperties{}
	}
	m.Header = left.Header
	to, from := m.Properties, left.Properties
	to.MessageID, to.UserID, to.To = from.MessageID, from.UserID, from.To
	to.AbsoluteExpiryTime, to.CreationTime = from.AbsoluteExpiryTime, from.CreationTime
	if m.Annotations == nil {
		m.Annotations = amqp.Annotations{}
	}
	delete(m.Annotations, "x-opt-jms-dest")
	delete(m.Annotations, "x-opt-delivery-time")
	for _, name := range []string{"x-opt-jms-dest", "x-opt-delivery-time", "x-opt-delivery-delay", "x-opt-scheduled-enqueue-time"} {
		for _, key := range []any{name, amqp.Symbol(name)} {
			if v, ok := left.Annotations[key]; ok {
				m.Annotations[key] = v
			}
		}
	}
	require.NoError(t, s.Apply(m), c.At())
	b, err := m.MarshalBinary()
	require.NoError(t, err, c.At())
	var ours RawMessage
	require.NoError(t, ours.Parse(b), c.At())
	return &ours
}

// inOrderOf returns an annotations section with its pairs in the order that another has them: order says nothing in a
// map, and Go's maps have none.
func inOrderOf(t *testing.T, section, other []byte) []byte {
	t.Helper()
	if section == nil {
		return nil
	}
	pairs := func(section []byte) (pairs [][]byte, keys []string) {
		r := wire.NewReader(section)
		r.Descriptor()
		_, n := r.Map()
		for range n {
			start := r.Offset()
			keys = append(keys, string(r.Value()))
			r.Skip()
			pairs = append(pairs, r.Since(start))
		}
		require.Nil(t, r.Err())
		return pairs, keys
	}
	var order []string
	if other != nil {
		_, order = pairs(other)
	}
	ours, keys := pairs(section)
	var items []byte
	for _, key := range order {
		if i := slices.Index(keys, key); i >= 0 {
			items = append(items, ours[i]...)
			ours[i] = nil
		}
	}
	for _, pair := range ours {
		items = append(items, pair...)
	}
	return wire.AppendMap(wire.AppendDescriptor(nil, uint64(SectionMessageAnnotations)), len(ours), items)
}

// deliveryView adds what JMS sees of the times of a received message.
func deliveryView(t *testing.T, v view, c golden.Case, m *RawMessage) {
	t.Helper()
	set := func(key string, n int64, err error) {
		if err != nil {
			v.set(t, key, err)
		} else {
			v.set(t, key, n)
		}
	}
	n, err := Consumer{}.ViewRaw(m, time.Time{}).Timestamp()
	set("JMSTimestamp", n, err)
	n, err = Consumer{}.ViewRaw(m, time.Time{}).DeliveryTime()
	set("JMSDeliveryTime", n, err)

	received := sentAt()
	if after, ok := c.Value("receivedAfter"); ok {
		received = time.UnixMilli(after.V.(int64))
	}
	if ttl := int64(m.Header.TTL.Or(0)); ttl > 0 {
		if expires, err := m.Property(FieldAbsoluteExpiryTime); err == nil && expires == nil {
			// What the peer took for the time of receipt is known from its sum alone. It is just after the peer sent.
			sum, ok := c.Value("JMSExpiration")
			require.True(t, ok, c.At())
			arrived := time.UnixMilli(sum.V.(int64) - ttl)
			require.WithinRange(t, arrived, received, received.Add(10*time.Second), c.At())
			received = arrived
		}
	}
	n, err = Consumer{}.ViewRaw(m, received).Expiration()
	set("JMSExpiration", n, err)
}

// refusedByGoAMQP is what go-amqp does not decode, and what it says of it. Of these messages a [View] shows nothing.
func refusedByGoAMQP() map[string]string {
	return map[string]string{
		"receive/body-value-decimal32":                           "decimal32 not implemented",
		"receive/body-value-decimal64":                           "decimal64 not implemented",
		"receive/body-value-decimal128":                          "decimal128 not implemented",
		"receive/body-value-char":                                "char not implemented",
		"receive/body-value-char-astral":                         "char not implemented",
		"receive/body-map-jms-types":                             "char not implemented",
		"receive/body-value-descriptor-symbol":                   "invalid type for uint32 a3", // a section with a symbolic descriptor
		"receive/delivery-time-decimal32":                        "decimal32 not implemented",
		"receive/group-seq-int-instead-of-uint":                  "unmarshaling field 11: invalid type",
		"receive/header-descriptor-symbol-sym32":                 "invalid type for uint32 b3", // a section with a symbolic descriptor
		"receive/header-durable-string-instead-of-boolean":       "unmarshaling field 0: type code 0xa1",
		"receive/header-creation-time-long-instead-of-timestamp": "unmarshaling field 9: invalid type",
		"receive/header-user-id-string":                          "unmarshaling field 1: type code 0xa1",
		"receive/properties-fourteen-fields":                     "invalid field count 14",
		"receive/properties-descriptor-symbol":                   "invalid type for uint32 a3", // a section with a symbolic descriptor
		"receive/section-unknown-descriptor":                     "unknown message section 0x79",
		"receive/section-truncated":                              "invalid length",
		"receive/property-char":                                  "char not implemented",
		"receive/property-char-astral":                           "char not implemented",
		"receive/property-decimal32":                             "decimal32 not implemented",
		"receive/property-decimal128":                            "decimal128 not implemented",
		"receive/property-int-key":                               "type code 0x54 is not a recognized string type",
		"receive/property-null-key":                              "type code 0x40 is not a recognized string type",

		"send/body-map-char":          "char not implemented",
		"send/body-map-every-type":    "char not implemented",
		"send/body-stream-char":       "char not implemented",
		"send/body-stream-every-type": "char not implemented",
		"send/body-object-typed-list": "char not implemented",
		"send/property-char":          "char not implemented",
		// Malformed, see TestLoneSurrogates.
		"send/body-text-lone-surrogate":             "invalid length",
		"send/correlation-id-string-lone-surrogate": "unmarshaling field 7: type code 0x83",
	}
}

// unmarshalled returns a message of the fixtures as go-amqp decodes it, nil where it is known that it does not.
func unmarshalled(t *testing.T, set string, c golden.Case, wire []byte) *amqp.Message {
	t.Helper()
	m, err := unmarshal(wire)
	if why, ok := refusedByGoAMQP()[set+"/"+c.Name]; ok {
		require.ErrorContains(t, err, why, c.At())
		return nil
	}
	require.NoError(t, err, c.At())
	return m
}

// messageView adds what a [View] of a message says, for every key that it has an answer to.
func messageView(t *testing.T, v view, prefix string, c golden.Case, m *View) {
	t.Helper()
	id := func(i Opt[string], err error) any {
		if err != nil {
			return err
		}
		if s, ok := i.Get(); ok {
			return s
		}
		return nil
	}
	v.set(t, prefix+"JMSTimestamp", orError(m.Timestamp()))
	v.set(t, prefix+"JMSExpiration", orError(m.Expiration()))
	v.set(t, prefix+"JMSDeliveryTime", orError(m.DeliveryTime()))
	v.set(t, prefix+"JMSType", id(m.Type()))
	v[prefix+"JMSDestination"] = destinationValue(m.Destination())
	v[prefix+"JMSReplyTo"] = destinationValue(m.ReplyTo())
	v.set(t, prefix+"special.JMSXGroupID", id(m.GroupID()))
	seq, err := m.GroupSeq()
	v.set(t, prefix+"special.JMSXGroupSeq", orError(seq.Or(0), err))
	v.set(t, prefix+"special.JMS_AMQP_REPLY_TO_GROUP_ID", id(m.ReplyToGroupID()))
	v.set(t, prefix+"special.JMS_AMQP_TTL", orError(m.Property("JMS_AMQP_TTL").Raw()))
	user, err := m.UserID()
	switch {
	case err != nil:
		v.set(t, prefix+"special.JMSXUserID", err)
	case user == "":
		v.set(t, prefix+"special.JMSXUserID", nil)
	default:
		v.set(t, prefix+"special.JMSXUserID", user)
	}
	special := []string{"JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMSXUserID", "JMS_AMQP_TTL",
		"JMS_AMQP_REPLY_TO_GROUP_ID", "JMS_AMQP_TYPED_ENCODING"}
	for _, name := range special {
		v.set(t, prefix+"special.exists."+name, m.Property(name).Exists())
	}
	kind, kindErr := m.Kind()
	if kindErr == nil && kind == ObjectMessage {
		v.set(t, prefix+"special.JMS_AMQP_TYPED_ENCODING", orError(m.Property("JMS_AMQP_TYPED_ENCODING").Bool()))
	}

	names := []any{}
	listed, namesErr := m.PropertyNames()
	for _, name := range listed {
		names = append(names, name)
		if slices.Contains(special, name) {
			continue
		}
		p := m.Property(name)
		v[golden.Named(prefix+"property", name)] = goldenValue(t, orError(p.Raw()))
		if _, ok := c.Value(golden.Named(prefix+"property", name)); !ok {
			continue
		}
		text, err := p.Text()
		if err != nil {
			v.set(t, golden.Named(prefix+"propertyAsString", name), err)
		} else {
			v.set(t, golden.Named(prefix+"propertyAsString", name), id(text, nil))
		}
		v.set(t, golden.Named(prefix+"propertyAsLong", name), orError(p.Long()))
	}
	v.set(t, prefix+"propertyNames", orError(names, namesErr))
	for _, base := range []string{"probe", "probe.exists"} {
		for _, nv := range c.All(prefix + base) {
			p := m.Property(nv.Name)
			if base == "probe" {
				v[golden.Named(prefix+base, nv.Name)] = goldenValue(t, orError(p.Raw()))
			} else {
				v.set(t, golden.Named(prefix+base, nv.Name), p.Exists())
			}
		}
	}

	if kindErr != nil {
		v.set(t, prefix+"body", kindErr)
		return
	}
	v[prefix+"type"] = typeValue(kind)
	if prefix == "" {
		v["body"] = bodyValue(t, m)
	}
}

// typeValue names a kind of message as the fixtures do.
func typeValue(k MessageKind) golden.Value {
	name := strings.ToLower(strings.TrimSuffix(k.String(), "Message"))
	if k == PlainMessage {
		name = "message"
	}
	return golden.Value{Type: "text", V: name}
}

// bodyValue returns what the body is to JMS, in the types of the fixtures.
func bodyValue(t *testing.T, m *View) golden.Value {
	t.Helper()
	var got any
	var err error
	switch must(m.Kind()) {
	case PlainMessage:
		return golden.Value{Type: "none"}
	case TextMessage:
		var text Opt[string]
		text, err = m.Text()
		if s, ok := text.Get(); ok {
			got = s
		}
	case BytesMessage:
		got, err = m.Bytes()
	case MapMessage:
		got, err = m.Map()
	case StreamMessage:
		got, err = m.Stream()
	case ObjectMessage:
		got, err = m.Object()
	}
	return goldenValue(t, orError(got, err)).Map(asJava)
}

// asJava gives the bytes in a body the type that the fixtures have for them.
func asJava(v golden.Value) golden.Value {
	if v.Type == "binary" {
		v.Type = "bytes"
	}
	return v
}

// goldenValue is what the fixtures write for a Go value.
func goldenValue(t *testing.T, v any) golden.Value {
	t.Helper()
	g, err := golden.From(readableValue(t, v))
	require.NoError(t, err, "%#v", v)
	return g
}

// readableValue returns v with the values that golden.From does not know in its own form.
func readableValue(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case JavaObject:
		return []byte(v)
	case RawValue:
		return decoded(t, v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = readableValue(t, v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for name := range v {
			m[name] = readableValue(t, v[name])
		}
		return m
	}
	return v
}

// decoded is what the fixtures write for an encoded value.
func decoded(t *testing.T, raw RawValue) golden.Value {
	t.Helper()
	v, err := golden.Decode(raw)
	require.NoError(t, err, "% x", raw)
	return v
}

func orError[T any](v T, err error) any {
	if err != nil {
		return err
	}
	return v
}

func destinationValue(d Destination, err error) golden.Value {
	switch {
	case err != nil:
		return golden.Value{Type: "error", V: err.Error()}
	case d.IsZero():
		return golden.Value{Type: "null"}
	}
	return golden.Value{Type: strings.ReplaceAll(d.Kind.String(), " ", "-"), V: d.Name}
}

func destinationFrom(t *testing.T, v golden.Value) Destination {
	t.Helper()
	name, _ := v.V.(string)
	switch strings.TrimPrefix(v.Type, "foreign-") {
	case "queue":
		return Destination{Kind: Queue, Name: name}
	case "topic":
		return Destination{Kind: Topic, Name: name}
	case "temporary-queue":
		if name == "" {
			name = "temp-queue-1" // what the recording peer named it
		}
		return Destination{Kind: TemporaryQueue, Name: name}
	case "temporary-topic":
		if name == "" {
			name = "temp-topic-1"
		}
		return Destination{Kind: TemporaryTopic, Name: name}
	}
	require.Fail(t, "no destination: "+v.String())
	return Destination{}
}

// receiverOf is what the consumer of a case knows.
func receiverOf(t *testing.T, c golden.Case) Consumer {
	consumer, ok := c.Value("consumer")
	require.True(t, ok)
	r := Consumer{Destination: destinationFrom(t, consumer)}
	if strings.Contains(c.Text("options"), "profile=prefix") {
		r.Peer = Peer{QueuePrefix: "q://", TopicPrefix: "t://"}
	}
	return r
}

// arrival is when the message of a case was received, which is on record only as the expiration that was made of it.
func arrival(t *testing.T, c golden.Case, m *RawMessage) time.Time {
	after, ok := c.Value("receivedAfter")
	if !ok {
		return time.UnixMilli(1)
	}
	at := after.V.(int64)
	expiry, err := m.Property(FieldAbsoluteExpiryTime)
	require.NoError(t, err)
	want, _ := c.Value("JMSExpiration")
	if ttl := m.Header.TTL.Or(0); ttl > 0 && expiry == nil {
		got := want.V.(int64) - int64(ttl)
		require.True(t, at <= got && got < at+1000, "%s: received %d ms after it was sent", c.At(), got-at)
		at = got
	}
	return time.UnixMilli(at)
}

// viewOfReceive adds what a View says of the encoded message. A View of what go-amqp decodes of it says the same.
func viewOfReceive(t *testing.T, v view, c golden.Case, raw *RawMessage) {
	consumer, received := receiverOf(t, c), arrival(t, c, raw)
	said, encoded := view{}, consumer.ViewRaw(raw, received)
	messageView(t, said, "", c, &encoded)
	symbols(said, c)
	for key, value := range said {
		if other, ok := v[key]; ok { // what a RawMessage says itself
			require.True(t, value.Equal(other), "%s: %s: the view says %v, the message %v", c.At(), key, value, other)
		}
		v[key] = value
	}
	m := unmarshalled(t, "receive", c, c.Wire())
	if m == nil {
		return
	}
	if value, ok := hidden()[c.Name]; ok {
		kind, err := raw.kind()
		require.NoError(t, err)
		require.NotEqual(t, kind, bodyOf(m).Kind(), c.At())
		m.Value = value
	}
	fromGoAMQP, decoded := view{}, consumer.View(m, received)
	messageView(t, fromGoAMQP, "", c, &decoded)
	symbols(fromGoAMQP, c)
	for key, want := range said {
		require.Equal(t, !slices.Contains(loose()[c.Name], key), fromGoAMQP[key].Equal(want), "%s: %s: go-amqp's message %v, the encoded one %v",
			c.At(), key, fromGoAMQP[key], want)
	}
	for key, value := range fromGoAMQP { // which does not look at the order of sections
		if _, ok := said[key]; !ok {
			require.Equal(t, "error", said["body"].Type, "%s: %s", c.At(), key)
			v[key] = value
		}
	}
}

// recordedBody adds what the recorded message is to JMS, where go-amqp does not encode what the application set.
func recordedBody(t *testing.T, v view, c golden.Case) {
	t.Helper()
	var m RawMessage
	require.NoError(t, m.Parse(c.Wire()), c.At())
	said := view{}
	received := Consumer{}.ViewRaw(&m, time.UnixMilli(1))
	messageView(t, said, "observed.", c, &received)
	v["observed.type"], v["set.body"] = said["observed.type"], bodyValue(t, &received)
	for _, p := range c.All("set.property") {
		if p.Name != "JMS_AMQP_TYPED_ENCODING" { // which is the kind of body
			v[golden.Named("set.property", p.Name)] = said[golden.Named("observed.property", p.Name)]
		}
	}
}

// loose are the cases in which go-amqp takes what is wrong, and the keys that show it: annotations whose keys are strings,
// which it does not tell from symbols; a second amqp-value; a key twice, of which it keeps the last and an encoded message
// shows the first.
func loose() map[string][]string {
	return map[string][]string{
		"delivery-time-string-key": {"JMSDeliveryTime"},
		"body-two-values":          {"body"},
		"property-duplicate-key":   {`property "p"`, `propertyAsString "p"`, `propertyAsLong "p"`},
	}
}

// hidden are the cases in which go-amqp hides what makes a difference: an amqp-value null, which it decodes as no body,
// and one that is a symbol, which it decodes as a string.
func hidden() map[string]any {
	return map[string]any{"body-value-null": amqp.Null{}, "forward-value-null": amqp.Null{}, "body-value-symbol": amqp.Symbol("hello")}
}

// symbols puts symbols where go-amqp gives strings for them.
func symbols(v view, c golden.Case) {
	for key, got := range v {
		if want, ok := c.Want(key); ok {
			v[key] = withSymbols(got, want)
		}
	}
}

func withSymbols(got, want golden.Value) golden.Value {
	switch w := want.V.(type) {
	case string:
		if want.Type == "symbol" && got.Type == "string" && got.V == w {
			return want
		}
	case golden.Described:
		if g, ok := got.V.(golden.Described); ok {
			got.V = golden.Described{Descriptor: withSymbols(g.Descriptor, w.Descriptor), Value: withSymbols(g.Value, w.Value)}
		}
	case []golden.Entry:
		g, ok := got.V.([]golden.Entry)
		if !ok || len(g) != len(w) {
			return got
		}
		g = slices.Clone(g)
		for i := range g {
			for _, e := range w {
				if e.Key.Equal(g[i].Key) {
					g[i].Value = withSymbols(g[i].Value, e.Value)
				}
			}
		}
		got.V = g
	case []golden.Value:
		g, ok := got.V.([]golden.Value)
		if !ok || len(g) != len(w) {
			return got
		}
		g = slices.Clone(g)
		for i := range g {
			g[i] = withSymbols(g[i], w[i])
		}
		got.V = g
	}
	return got
}

// A refusal is the error of a setting, and which one it is of.
type refusal struct {
	part string
	err  error
}

// goValue returns the Go value that stands for a value that an application of Java set, false where Go has no type
// like it.
func goValue(v golden.Value) (any, bool) {
	switch v.Type {
	case "none": // the body of a plain Message
		return nil, true
	case "object":
		return struct{}{}, true
	case "array":
		strings := []string{}
		for _, item := range v.V.([]golden.Value) {
			strings = append(strings, item.V.(string))
		}
		return strings, true
	case "list":
		list := []any{}
		for _, item := range v.V.([]golden.Value) {
			value, ok := goValue(item)
			if !ok {
				return nil, false
			}
			list = append(list, value)
		}
		return list, true
	case "map":
		m := map[string]any{}
		for _, e := range v.V.([]golden.Entry) {
			value, ok := goValue(e.Value)
			if !ok {
				return nil, false
			}
			m[e.Key.V.(string)] = value
		}
		return m, true
	}
	return v.Go()
}

// noGoType are the sends of a value that no Go type stands for: a char, which go-amqp does not encode either, and a time
// that no time.Duration is as long as.
func noGoType() []string {
	return []string{"header-ttl-long-max", "body-map-char", "body-map-every-type", "body-stream-char", "body-stream-every-type",
		"body-object-typed-list", "property-char"}
}

// sentPeer is the peer of a send.
func sentPeer(c golden.Case) Peer {
	switch c.Text("set.peerProfile") {
	case "nodelay":
		return Peer{Delay: DelayNone}
	case "prefix":
		return Peer{Delay: DelayAbsolute, QueuePrefix: "q://", TopicPrefix: "t://"}
	}
	return Peer{Delay: DelayAbsolute}
}

// sentProducer is the producer of a send.
func sentProducer(t *testing.T, c golden.Case) Producer {
	number := func(key string) int64 {
		if v, ok := c.Value(key); ok {
			return v.V.(int64)
		}
		return 0
	}
	is := func(key string) bool { v, _ := c.Value(key); return v.V == true }
	to, _ := c.Value("set.destination")
	p := Producer{
		Peer:          sentPeer(c),
		Destination:   destinationFrom(t, to),
		Mode:          DeliveryMode(number("set.deliveryMode")),
		TimeToLive:    time.Duration(number("set.timeToLive")) * time.Millisecond,
		DeliveryDelay: time.Duration(number("set.deliveryDelay")) * time.Millisecond,
		NoMessageID:   is("set.disableMessageID"),
		NoTimestamp:   is("set.disableMessageTimestamp"),
	}
	if v, ok := c.Value("set.priority"); ok {
		p.Priority = Some(uint8(v.V.(int64)))
	}
	if strings.Contains(c.Text("set.connectionOptions"), "populateJMSXUserID=true") {
		p.UserID = c.Text("set.username")
	}
	return p
}

// writtenBody gives m the body that the application set, false where no Go type stands for it.
func writtenBody(t *testing.T, c golden.Case, w Editor, m *amqp.Message) (ok bool, err error) {
	t.Helper()
	body, stated := c.Value("set.body")
	v, ok := goValue(body)
	if stated && !ok {
		return false, nil
	}
	typed := slices.ContainsFunc(c.All("set.property"), func(p golden.NamedValue) bool { return p.Name == "JMS_AMQP_TYPED_ENCODING" })
	switch c.Text("set.message") {
	case "text":
		if v == nil {
			w.SetNullText(m)
			return true, nil
		}
		return true, w.SetText(m, v.(string))
	case "bytes":
		w.SetBytes(m, v.([]byte))
	case "map":
		if !stated { // the two cases of a map that cannot be made
			values := map[string]any{"k": time.UnixMilli(0)}
			if c.Name == "body-map-empty-name" {
				values = map[string]any{"": int32(1)}
			}
			return true, w.SetMap(m, values)
		}
		return true, w.SetMap(m, v.(map[string]any))
	case "stream":
		return true, w.SetStream(m, v.([]any))
	case "object":
		if typed {
			return true, w.SetObject(m, v)
		}
		// What Java serializes is opaque: the bytes of the record.
		recorded, err := unmarshal(c.Wire())
		require.NoError(t, err, c.At())
		w.SetJavaObject(m, recorded.Data[0])
	case "message":
		w.SetPlain(m)
	default:
		require.Fail(t, c.At())
	}
	return true, nil
}

// written returns the message that the application's settings make, before it is sent, nil where no Go type stands
// for one of them.
func written(t *testing.T, c golden.Case) (*amqp.Message, *refusal) {
	t.Helper()
	if ttl, ok := c.Value("set.timeToLive"); ok && ttl.V.(int64) > math.MaxInt64/int64(time.Millisecond) {
		return nil, nil
	}
	w := Editor{Peer: sentPeer(c), AnyPropertyName: strings.Contains(c.Text("set.connectionOptions"), "validatePropertyNames=false")}
	m := new(amqp.Message)
	if v, ok := c.Value("set.receivedWire"); ok {
		received, err := unmarshal(v.V.([]byte))
		require.NoError(t, err, c.At())
		if c.Text("set.resendMode") == "forward" {
			if value, ok := hidden()[c.Name]; ok {
				received.Value = value
			}
			return received, nil
		}
		id, err := Consumer{}.View(received, time.Time{}).MessageID()
		if err != nil {
			return nil, &refusal{"JMSMessageID", err}
		}
		w.SetCorrelationID(m, id)
	}
	if ok, err := writtenBody(t, c, w, m); !ok || err != nil {
		if err != nil {
			return nil, &refusal{"body", err}
		}
		return nil, nil
	}
	for _, key := range c.Stated() {
		v, _ := c.Value(key)
		var err error
		switch key {
		case "set.JMSMessageID": // the provider gives another, but looks at it first
			if s, ok := v.V.(string); ok {
				_, err = ParseID(s)
			}
		case "set.JMSCorrelationID":
			if s, ok := v.V.(string); ok {
				var id ID
				if id, err = ParseID(s); err == nil {
					w.SetCorrelationID(m, id)
				}
			}
		case "set.JMSCorrelationIDAsBytes":
			if foreign, _ := c.Value("set.foreignMessage"); foreign.V == true {
				continue // the client asks a message of another provider for its string only
			}
			b, _ := v.V.([]byte)
			id, err := IDFrom(b)
			require.NoError(t, err)
			w.SetCorrelationID(m, id)
		case "set.JMSReplyTo":
			err = w.SetReplyTo(m, destinationFrom(t, v))
		case "set.JMSType":
			jmsType := Opt[string]{}
			if s, ok := v.V.(string); ok {
				jmsType = Some(s)
			}
			err = w.SetType(m, jmsType)
		}
		if err != nil {
			return nil, &refusal{strings.TrimPrefix(key, "set."), err}
		}
	}
	for _, p := range c.All("set.property") {
		v, ok := goValue(p.Value)
		if !ok {
			return nil, nil
		}
		if p.Name == "JMS_AMQP_TTL" || p.Name == "JMS_AMQP_TYPED_ENCODING" && c.Text("set.message") == "object" {
			continue // once it is stamped; by SetObject
		}
		if err := w.SetProperty(m, p.Name, v); err != nil {
			return nil, &refusal{"property", err}
		}
	}
	return m, nil
}

// stamped stamps the message as the producer did, with the id and at the time that are on record.
func stamped(t *testing.T, c golden.Case, m *amqp.Message) (Stamp, *refusal) {
	t.Helper()
	p := sentProducer(t, c)
	now := time.UnixMilli(1)
	var id ID
	recorded := c.Wire()
	if recorded != nil {
		var raw RawMessage
		require.NoError(t, raw.Parse(recorded), c.At())
		var err error
		id, err = raw.MessageID()
		require.NoError(t, err, c.At())
		if v, err := raw.Property(FieldCreationTime); err == nil && v != nil {
			now = time.UnixMilli(v.number().n)
		} else if v, ok := c.Value("observed.JMSDeliveryTime"); ok && v.V.(int64) != 0 {
			now = time.UnixMilli(v.V.(int64)).Add(-p.DeliveryDelay)
		}
	}
	if twice, _ := c.Value("set.sendTwice"); twice.V == true {
		s, err := p.Stamp(now, id)
		require.NoError(t, err, c.At())
		require.NoError(t, s.Apply(m), c.At())
		p.DeliveryDelay = 0
	}
	s, err := p.Stamp(now, id)
	if err == nil {
		err = s.Apply(m)
	}
	if err != nil {
		return Stamp{}, &refusal{"send", err}
	}
	for _, property := range c.All("set.property") {
		if property.Name == "JMS_AMQP_TTL" {
			v, _ := goValue(property.Value)
			if err := (Editor{}).SetProperty(m, property.Name, v); err != nil {
				return Stamp{}, &refusal{"property", err}
			}
		}
	}
	return s, nil
}

// viewOfSend adds what the receiver of our own message sees, and how its sections differ from those on record.
func viewOfSend(t *testing.T, v view, c golden.Case) {
	t.Helper()
	m, refused := written(t, c)
	if m == nil && refused == nil {
		require.Contains(t, noGoType(), c.Name)
		if c.Name != "header-ttl-long-max" {
			recordedBody(t, v, c)
		}
		return
	}
	var s Stamp
	if refused == nil {
		s, refused = stamped(t, c, m)
	}
	if refused != nil {
		var e *ValueError
		require.ErrorAs(t, refused.err, &e, c.At())
		if v["error"].V == nil {
			v["error"] = golden.Value{Type: "text", V: refused.part}
		}
		return
	}
	ours, err := m.MarshalBinary()
	require.NoError(t, err, c.At())
	if !c.Representable() {
		return // what is on record is malformed, see TestLoneSurrogates
	}
	received, err := unmarshal(ours)
	require.NoError(t, err, c.At())
	if isNull(m.Value) {
		received.Value = m.Value
	}
	view := Consumer{Peer: sentPeer(c), Destination: s.Destination}.View(received, time.UnixMilli(1))
	if failed(c) {
		// We send what the peer refused.
		v["observed.type"] = typeValue(must(view.Kind()))
		for name := range sectionValues(t, c, ours) {
			if slices.Contains([]string{"data", "amqp-sequence", "amqp-value"}, name) {
				v["wire."+name] = golden.Value{Type: "binary", V: sectionBytes(t, ours, name)}
			}
		}
		return
	}
	if c.Text("observed.type") != "" {
		messageView(t, v, "observed.", c, &view)
		symbols(v, c)
		// What is on record is the sender's own message. It knows of these what the stamp says, and more than a receiver
		// can: the time of delivery where timestamps are disabled, no expiration by the ttl alone.
		v.set(t, "observed.JMSTimestamp", s.Timestamp)
		v.set(t, "observed.JMSDeliveryTime", s.DeliveryTime)
		v.set(t, "observed.JMSExpiration", s.Expiration)
		v["observed.JMSDestination"] = destinationValue(s.Destination, nil)
		if foreign, _ := c.Value("set.foreignMessage"); foreign.V == true {
			// What the client did not set on a message of another provider is that provider's affair.
			for key := range v {
				if strings.HasPrefix(key, "observed.special.") || key == "observed.propertyNames" || strings.HasPrefix(key, "observed.property ") {
					delete(v, key)
				}
			}
		}
	}
	viewOfSections(t, v, c, c.Wire(), ours)
}

// symbolsLost are the sends of symbols that an application had received: go-amqp makes strings of them.
func symbolsLost() []string {
	return []string{"forward-map-amqp-types", "forward-amqp-only-properties", "forward-object-symbol"}
}

// viewOfSections adds the bytes of each section: those on record, or those that the fixture has for ours, where
// ours say the same in another encoding.
func viewOfSections(t *testing.T, v view, c golden.Case, recorded, ours []byte) {
	t.Helper()
	was, is := sectionValues(t, c, recorded), sectionValues(t, c, ours)
	lost := false
	for _, name := range golden.SectionNames()[1:] { // headers are compared by themselves, byte for byte
		key := "wire." + name
		want, ok := c.Want(key)
		require.True(t, ok, c.At())
		wanted := was[name]
		if want, _, ok := c.Ours(key); ok {
			wanted = nil
			if b, ok := want.V.([]byte); ok {
				wanted = sectionValues(t, c, b)[name]
			}
		}
		got := is[name]
		if slices.Contains(symbolsLost(), c.Name) && len(got) == len(wanted) {
			for i := range got {
				with := withSymbols(got[i], wanted[i])
				lost = lost || !with.Equal(got[i])
				got[i] = with
			}
		}
		if slices.EqualFunc(wanted, got, golden.Value.Equal) {
			v[key] = want
			continue
		}
		v[key] = golden.Value{Type: "null"}
		if raw := sectionBytes(t, ours, name); raw != nil {
			v[key] = golden.Value{Type: "binary", V: raw}
		}
	}
	require.Equal(t, slices.Contains(symbolsLost(), c.Name), lost, c.At())
}

func sectionBytes(t *testing.T, wire []byte, name string) []byte {
	t.Helper()
	var m RawMessage
	require.NoError(t, m.Parse(wire))
	switch name {
	case "delivery-annotations":
		return m.DeliveryAnnotations
	case "message-annotations":
		return m.MessageAnnotations
	case "properties":
		return m.Properties
	case "application-properties":
		return m.ApplicationProperties
	}
	var b []byte
	for s, err := range m.BodySections() {
		require.NoError(t, err)
		if s.Kind.String() == name {
			b = append(b, s.Bytes...)
		}
	}
	return b
}

// sectionValues returns the values of all sections of a message but the header, by name: each is read byte for byte,
// so that a symbol is not a string, and a null no section that is not there.
func sectionValues(t *testing.T, c golden.Case, encoded []byte) map[string][]golden.Value {
	t.Helper()
	var m RawMessage
	require.NoError(t, m.Parse(encoded), c.At())
	values := map[string][]golden.Value{}
	for name, section := range map[string][]byte{
		"delivery-annotations":   m.DeliveryAnnotations,
		"message-annotations":    m.MessageAnnotations,
		"application-properties": m.ApplicationProperties,
	} {
		if section != nil {
			r := wire.NewReader(section)
			readSection(&r)
			values[name] = append(values[name], encodedValue(r.Remaining()))
		}
	}
	if m.Properties != nil {
		var fields []golden.Entry
		for f := range PropertiesField(propertiesFields) {
			raw, err := m.Property(f)
			require.NoError(t, err, c.At())
			if raw != nil {
				fields = append(fields, golden.Entry{Key: golden.Value{Type: "string", V: f.String()}, Value: encodedValue(raw)})
			}
		}
		if fields != nil {
			values["properties"] = append(values["properties"], golden.Value{Type: "map", V: fields})
		}
	}
	for s, err := range m.BodySections() {
		require.NoError(t, err, c.At())
		values[s.Kind.String()] = append(values[s.Kind.String()], encodedValue(s.Value))
	}
	return values
}

// encodedValue is decoded for any bytes: a value inside a map that AMQP keeps for itself, such as one whose descriptor is
// a null, is a binary, which is equal to the same bytes alone.
func encodedValue(raw RawValue) golden.Value {
	v, err := golden.Decode(raw)
	if err == nil {
		return v
	}
	r := wire.NewReader(raw)
	if r.Next() != wire.Map {
		return golden.Value{Type: "binary", V: []byte(raw)}
	}
	entries := []golden.Entry{}
	_, n := r.Map()
	for range n {
		key := encodedValue(r.Value())
		entries = append(entries, golden.Entry{Key: key, Value: encodedValue(r.Value())})
	}
	return golden.Value{Type: "map", V: entries}
}

// serviceBusCase returns a case of testdata/service-bus by its name.
func serviceBusCase(t testing.TB, name string) golden.Case {
	t.Helper()
	for _, c := range golden.Read(t, "testdata/service-bus/*.txt", golden.ServiceBusKeys()...) {
		if c.Name == name {
			return c
		}
	}
	require.Fail(t, "no case "+name)
	return golden.Case{}
}

// showsJSON returns what a getter of an SDK shows of the message of a case, as JSON: sdk is python, js, java, go or jms. It
// is "" where the SDK has no such getter, and the getter "error" says why the application got nothing.
func showsJSON(c golden.Case, sdk, getter string) string {
	return c.Text(golden.Named("shows."+sdk, getter))
}

// textGetters are the getters that show a field of text, in the SDKs of Python, JavaScript, Java and Go.
func textGetters() map[PropertiesField][4]string {
	return map[PropertiesField][4]string{
		FieldMessageID:      {"message_id", "messageId", "getMessageId", "MessageID"},
		FieldCorrelationID:  {"correlation_id", "correlationId", "getCorrelationId", "CorrelationID"},
		FieldTo:             {"to", "to", "getTo", "To"},
		FieldReplyTo:        {"reply_to", "replyTo", "getReplyTo", "ReplyTo"},
		FieldSubject:        {"subject", "subject", "getSubject", "Subject"},
		FieldContentType:    {"content_type", "contentType", "getContentType", "ContentType"},
		FieldGroupID:        {"session_id", "sessionId", "getSessionId", "SessionID"},
		FieldReplyToGroupID: {"reply_to_session_id", "replyToSessionId", "getReplyToSessionId", "ReplyToSessionID"},
	}
}

// What the SDKs of Azure Service Bus show of a message's fields of text is what this package reads of it.
func TestServiceBusShows(t *testing.T) {
	compared, notText := 0, map[string]int{}
	for _, c := range golden.Read(t, "testdata/service-bus/receive-*.txt", golden.ServiceBusKeys()...) {
		var m RawMessage
		require.NoError(t, m.Parse(c.Wire()), c.At())
		for f, getters := range textGetters() {
			field, err := m.Property(f)
			require.NoError(t, err, c.At())
			text, isText := field.Text()
			for i, sdk := range []string{"python", "js", "java", "go"} {
				shown := showsJSON(c, sdk, getters[i])
				if showsJSON(c, sdk, "error") != "" {
					require.Empty(t, shown, c.At())
					continue
				}
				var got any
				if shown != "" {
					require.NoError(t, json.Unmarshal([]byte(shown), &got), "%s: %s", c.At(), shown)
				}
				if f == FieldMessageID && sdk == "go" && got == "" {
					got = nil // a field that is not a pointer
				}
				if field != nil && !isText { // an id of another type
					as := "a value of its language"
					if _, ok := got.(string); ok {
						as = "text"
					} else if got == nil {
						as = "nothing"
					}
					notText[sdk+" shows a "+field.Type()+" as "+as]++
					continue
				}
				compared++
				if field == nil {
					require.Nil(t, got, "%s: %s shows %v", c.At(), sdk, f)
				} else {
					require.Equal(t, text, got, "%s: %s shows %v", c.At(), sdk, f)
				}
			}
		}
	}
	require.Greater(t, compared, 1500)
	require.Equal(t, map[string]int{
		"go shows a ulong as nothing":                      4,
		"go shows a uuid as nothing":                       3,
		"go shows a binary as nothing":                     2,
		"java shows a ulong as text":                       4,
		"java shows a uuid as text":                        3,
		"java shows a binary as text":                      2,
		"js shows a ulong as a value of its language":      4,
		"js shows a uuid as a value of its language":       3,
		"js shows a binary as a value of its language":     2,
		"python shows a ulong as a value of its language":  4,
		"python shows a uuid as a value of its language":   3,
		"python shows a binary as a value of its language": 1,
		"python shows a binary as text":                    1,
	}, notText)
}

// setWords find in what an application set, as each language writes it, the fields of text.
func setWords() map[string]map[PropertiesField]string {
	quoted := func(name, open, closing string) string { return name + open + `([^'"]*)` + closing }
	words := map[string]map[PropertiesField]string{"python": {}, "js": {}, "go": {}, "java": {}}
	for f, getters := range textGetters() {
		words["python"][f] = quoted(`"`+getters[0]+`": `, `"`, `"`)
		words["js"][f] = quoted(`[{ ]`+getters[1]+`: `, `'`, `'`)
		words["java"][f] = `(?:^|, )` + strings.ToLower(getters[2][3:4]) + getters[2][4:] + ` ([^,]*)`
		words["go"][f] = quoted(`(?:^|, )`+getters[3]+`: `, `"`, `"`)
	}
	return words
}

// What an application set of the fields of text is what this package reads of the message.
func TestServiceBusSet(t *testing.T) {
	compared := map[string]int{}
	for _, c := range golden.Read(t, "testdata/service-bus/send-*.txt", golden.ServiceBusKeys()...) {
		sdk, _, _ := strings.Cut(c.Name, "-")
		set, _ := c.Value("set")
		if c.Wire() == nil {
			continue
		}
		var m RawMessage
		require.NoError(t, m.Parse(c.Wire()), c.At())
		for f, word := range setWords()[sdk] {
			found := regexp.MustCompile(word).FindStringSubmatch(set.V.(string))
			if found == nil {
				continue
			}
			field, err := m.Property(f)
			require.NoError(t, err, c.At())
			text, _ := field.Text()
			require.Equal(t, found[1], text, "%s: %v", c.At(), f)
			compared[sdk]++
		}
	}
	require.Equal(t, map[string]int{"python": 9, "js": 12, "java": 7, "go": 15}, compared)
}

// jmsGetters are the getters of the JMS client for Service Bus that say the same as the view of a case.
func jmsGetters() []string {
	return []string{"type", "JMSMessageID", "JMSCorrelationID", "JMSType", "JMSDeliveryMode", "JMSPriority", "JMSTimestamp", "JMSDeliveryTime", "JMSRedelivered"}
}

// What the JMS client for Azure Service Bus shows of a message is what this package reads of it, apart from deviations.
func TestServiceBusShowsJMS(t *testing.T) {
	differ := map[string]string{}
	for _, c := range golden.Read(t, "testdata/service-bus/receive-*.txt", golden.ServiceBusKeys()...) {
		if showsJSON(c, "jms", "error") != "" {
			continue
		}
		for _, key := range jmsGetters() {
			var got any
			require.NoError(t, json.Unmarshal([]byte(showsJSON(c, "jms", key)), &got), "%s: %s", c.At(), key)
			if typed, ok := got.(map[string]any); ok {
				got = typed["v"]
			}
			want, ok := c.Want(key)
			require.True(t, ok, "%s: %s", c.At(), key)
			if fmt.Sprint(got) != fmt.Sprint(want.V) {
				differ[c.Name+" "+key] = fmt.Sprint(got) + ", here " + fmt.Sprint(want.V)
			}
		}
	}
	require.Equal(t, map[string]string{
		// It knows x-opt-delivery-time alone, which this package reads as well.
		"receive-lib-delay-1-h JMSDeliveryTime": "1893553200000, here 1893556800000",
	}, differ)
}

// What the SDKs of Azure Service Bus do with messages of JMS applications and of this package, case by case: what Check says
// of them has its evidence here.
func TestServiceBusFacts(t *testing.T) {
	for _, row := range []struct{ fact, name, sdk, getter, shows string }{
		{"an amqp-value null ends the Java receiver", "receive-lib-text-null", "java", "error", "NullPointerException"},
		{"that of Qpid JMS too", "receive-jms-body-text-not-set", "java", "error", "NullPointerException"},
		{"no body section does not", "receive-no-body-msg-type-text", "java", "bodyType", "DATA"},
		{"no body section is a null text to JMS", "receive-no-body-msg-type-text", "jms", "body", "null"},
		{"no body section is a plain Message to JMS", "receive-no-body-msg-type-message", "jms", "type", "message"},
		{"an amqp-value has no body in Java", "receive-lib-map", "java", "getBody", "error"},
		{"an amqp-value has no body in Go", "receive-lib-map", "go", "Body", "null"},
		{"JavaScript parses a text in data as JSON", "receive-lib-text-digits", "js", "body", `"number"`},
		{"Java shows the text in data", "receive-lib-text-digits", "java", "getBody.toString", `"42"`},
		{"a char ends the Python receiver", "receive-jms-body-map-char", "python", "error", "error"},
		{"a char never arrives in Go", "receive-jms-body-map-char", "go", "error", "error"},
		{"a decimal never arrives in Go", "receive-sdk-python-property-decimal", "go", "error", "error"},
		{"an id that is a ulong is none in Go", "receive-lib-message-id-ulong", "go", "MessageID", `""`},
		{"an id that is a ulong is text in Java", "receive-lib-message-id-ulong", "java", "getMessageId", `"42"`},
		{"Go reads no absolute-expiry-time", "receive-lib-ttl-60-days", "go", "TimeToLive", `"0s"`},
		{"Java reads no absolute-expiry-time", "receive-lib-ttl-60-days", "java", "getTimeToLive", "PT0S"},
		{"group-id is the session", "receive-lib-group", "python", "session_id", `"s1"`},
		{"reply-to-group-id is the session of the reply", "receive-lib-group", "js", "replyToSessionId", `"rs1"`},
	} {
		shown := showsJSON(serviceBusCase(t, row.name), row.sdk, row.getter)
		require.NotEmpty(t, shown, "%s: %s shows no %s", row.name, row.sdk, row.getter)
		if row.shows != "error" {
			require.Contains(t, shown, row.shows, "%s: %s", row.fact, row.name)
		} else if row.getter != "error" {
			require.Contains(t, shown, `"error"`, "%s: %s", row.fact, row.name)
		}
	}
}
