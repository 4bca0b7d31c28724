package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/golden"
)

// A view is what is shown of a message.
type view struct {
	in       input
	raw      *amqpjms.RawMessage
	sections []section // up to an error in the body
	jms      jmsMessage
	problems []amqpjms.Problem
}

// showText returns the view for people.
func showText(v view) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: message of %d bytes\n", v.in.where(), len(v.in.msg))
	w := columns(&b)
	if v.raw.HeaderSection == nil {
		fmt.Fprint(w, "header\tnone\n")
	}
	for _, s := range v.sections {
		writeSection(w, v.raw, s, false)
	}
	fmt.Fprint(w, "JMS\n")
	writeJMS(w, v.jms)
	w.Flush() // b takes all
	if len(v.problems) > 0 {
		fmt.Fprint(&b, "Problems\n")
		w = columns(&b)
		writeProblems(w, v.problems)
		w.Flush()
	}
	return b.Bytes()
}

// columns returns a writer that makes columns of what stands before and after a tab,
// wide enough for most names.
func columns(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 28, 0, 2, ' ', 0) }

func writeSection(w io.Writer, m *amqpjms.RawMessage, s section, withBytes bool) {
	fmt.Fprintf(w, "%v\tat %d, %d bytes\n", s.Kind, s.Offset, len(s.Bytes))
	if withBytes {
		for row := range slices.Chunk(s.Bytes, 16) {
			fmt.Fprintf(w, "\t% x\n", row)
		}
	}
	entries, err := s.entries(m)
	for _, e := range entries {
		v := show(e.value)
		if e.value.Type == "null" && s.Kind == amqpjms.SectionHeader {
			v = "not stated"
		}
		fmt.Fprintf(w, "  %s\t%s\n", s.nameOf(e), v)
	}
	if err != nil {
		fmt.Fprintf(w, "  \t%s\n", show(errorValue(err)))
	}
}

// nameOf returns the name of an entry as text. The type of a key is left out where
// it is the one that keys of the section should have.
func (s section) nameOf(e entry) string {
	want := "symbol" // [amqp 3.2.10]
	if s.Kind == amqpjms.SectionApplicationProperties {
		want = "string" // [amqp 3.2.5]
	}
	return nameText(e.name, want)
}

// nameText returns a name without the type that it should have, and without quotes
// where it needs none.
func nameText(v value, want string) string {
	name, _ := v.V.(string)
	if v.Type != "text" && (v.Type != want || name == "" || len(name) > most || strings.ContainsFunc(name, odd)) {
		return show(v)
	}
	return name
}

// odd reports whether a name with such a letter needs quotes.
func odd(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/$@", r)
}

// writeJMS writes what JMS sees of a message. Of the properties that JMS defines those
// are left out that the message does not have.
func writeJMS(w io.Writer, j jmsMessage) {
	kind := show(j.kind)
	if j.kind.Type != "error" {
		kind, _ = j.kind.V.(string)
	}
	fmt.Fprintf(w, "  type\t%s\n", kind)
	for _, f := range j.fields {
		note := ""
		if f.note != "" {
			note = " (" + f.note + ")"
		}
		fmt.Fprintf(w, "  %s\t%s%s\n", f.name, show(f.value), note)
	}
	for _, f := range j.special {
		if f.exists.V != false {
			fmt.Fprintf(w, "  %s\t%s\n", f.name, show(f.value))
		}
	}
	if len(j.properties) > 0 || j.namesErr != nil {
		fmt.Fprint(w, "  properties\n")
	}
	for _, p := range j.properties {
		fmt.Fprintf(w, "    %s\t%v\n", nameText(text("string", p.name), "string"), p)
	}
	if j.namesErr != nil {
		fmt.Fprintf(w, "    \t%s\n", show(errorValue(j.namesErr)))
	}
	fmt.Fprintf(w, "  body\t%s\n", show(j.body))
}

// String returns the value of a property for people to read, and in brackets what it is
// to the getters of other types.
func (p property) String() string {
	var as []string
	for _, v := range []value{p.asString, p.asLong} {
		if v.Type != p.value.Type && v.Type != "error" && v.Type != "null" {
			as = append(as, show(v))
		}
	}
	if len(as) == 0 {
		return show(p.value)
	}
	return show(p.value) + " (" + strings.Join(as, ", ") + ")"
}

// writeProblems writes the problems of a message, those in one line that differ in the
// peer alone.
func writeProblems(w io.Writer, problems []amqpjms.Problem) {
	for len(problems) > 0 {
		p, n := problems[0], 1
		for n < len(problems) && problems[n].In == p.In && problems[n].What == p.What {
			p.Who += ", " + problems[n].Who
			n++
		}
		problems = problems[n:]
		fmt.Fprintf(w, "  %s\t%s: %s\n", p.In, p.Who, p.What)
	}
}

// showJSON returns the view for machines: JMS's fields by their names, its own
// properties under "special", and what is not of JMS under keys in lower case.
func showJSON(v view) []byte {
	m, j := v.raw, v.jms
	var o object
	if j.kind.Type == "error" {
		o.add("type", j.kind)
	} else {
		o.add("type", j.kind.V)
	}
	for _, f := range j.fields {
		o.add(f.name, f.value)
	}
	special, properties, asString, asLong := object{}, object{}, object{}, object{}
	for _, f := range j.special {
		special.add(f.name, object{{"exists", f.exists}, {"value", f.value}})
	}
	for _, p := range j.properties {
		properties.add(p.name, p.value)
		asString.add(p.name, p.asString)
		asLong.add(p.name, p.asLong)
	}
	o.add("special", special)
	if j.namesErr != nil {
		o.add("propertyNames", errorValue(j.namesErr))
	} else {
		o.add("propertyNames", j.names)
	}
	o.add("properties", properties)
	o.add("propertiesAsString", asString)
	o.add("propertiesAsLong", asLong)
	o.add("body", j.body)
	problems := []object{}
	for _, p := range v.problems {
		problems = append(problems, object{{"in", p.In}, {"who", p.Who}, {"what", p.What}})
	}
	o.add("problems", problems)
	o.add("header", objectOf(headerFields(m.Header)))
	list := []object{}
	for _, s := range v.sections {
		one := object{{"name", s.Kind.String()}, {"offset", s.Offset}, {"size", len(s.Bytes)}}
		entries, err := s.entries(m)
		switch s.Kind {
		case amqpjms.SectionHeader: // stands above
		case amqpjms.SectionProperties:
			one.add("fields", objectOf(entries))
		case amqpjms.SectionData, amqpjms.SectionAMQPSequence, amqpjms.SectionAMQPValue:
			one.add("value", entries[0].value)
		default:
			pairs := []golden.Entry{}
			for _, e := range entries {
				pairs = append(pairs, golden.Entry{Key: e.name, Value: e.value})
			}
			one.add("value", value{Type: "map", V: pairs})
		}
		if err != nil {
			one.add("error", errorValue(err))
		}
		list = append(list, one)
	}
	o.add("sections", list)
	from := object{{"file", v.in.file}}
	if v.in.line > 0 {
		from.add("line", v.in.line)
	}
	o.add("input", from)
	return encodeJSON(o)
}

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o *object) add(name string, v any) { *o = append(*o, member{name, v}) }

func objectOf(entries []entry) object {
	o := object{}
	for _, e := range entries {
		o.add(e.name.V.(string), e.value)
	}
	return o
}

// MarshalJSON makes an object of the members.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, bytes.TrimSpace(encodeJSON(m.name))...)
		b = append(b, ':')
		b = append(b, bytes.TrimSpace(encodeJSON(m.value))...)
	}
	return append(b, '}'), nil
}

// encodeJSON returns v on a line of its own. It takes only what JSON can encode.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // there are no values of other types here
	}
	return b.Bytes()
}
