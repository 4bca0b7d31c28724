package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/seed-b113d664/amqpjms"
)

// showText returns the view for people.
func showText(in input, m *amqpjms.RawMessage, sections []section, received time.Time) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: message of %d bytes\n", in.where(), len(in.msg))
	w := columns(&b)
	if m.HeaderSection == nil {
		fmt.Fprint(w, "header\tnone\n")
	}
	for _, s := range sections {
		writeSection(w, m, s, false)
	}
	fmt.Fprint(w, "JMS\n")
	writeJMS(w, m, received)
	w.Flush() // b takes all
	return b.Bytes()
}

// columns returns a writer that makes columns of what stands before and after a tab,
// wide enough for most names.
func columns(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 28, 0, 2, ' ', 0) }

func writeSection(w io.Writer, m *amqpjms.RawMessage, s section, withBytes bool) {
	fmt.Fprintf(w, "%v\tat %d, %d bytes\n", s.kind, s.offset, len(s.bytes))
	if withBytes {
		for row := range slices.Chunk(s.bytes, 16) {
			fmt.Fprintf(w, "\t% x\n", row)
		}
	}
	entries, err := s.entries(m)
	for _, e := range entries {
		v := e.value.String()
		if e.value.T == "null" && s.kind == amqpjms.SectionHeader {
			v = "not stated"
		}
		fmt.Fprintf(w, "  %s\t%s\n", s.nameOf(e), v)
	}
	if err != nil {
		fmt.Fprintf(w, "  \t%v\n", errorValue(err))
	}
}

// nameOf returns the name of an entry as text. The type of a key is left out where
// it is the one that keys of the section should have.
func (s section) nameOf(e entry) string {
	want := "symbol" // [amqp 3.2.10]
	if s.kind == amqpjms.SectionApplicationProperties {
		want = "string" // [amqp 3.2.5]
	}
	name, _ := e.name.V.(string)
	if e.name.T != "" && (e.name.T != want || name == "" || len(name) > most || strings.ContainsFunc(name, odd)) {
		return e.name.String()
	}
	return name
}

// odd reports whether a name with such a letter needs quotes.
func odd(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/$@", r)
}

func writeJMS(w io.Writer, m *amqpjms.RawMessage, received time.Time) {
	for _, f := range jmsFields(m, received) {
		note := ""
		if f.note != "" {
			note = " (" + f.note + ")"
		}
		fmt.Fprintf(w, "  %s\t%v%s\n", f.name, f.value, note)
	}
}

// showJSON returns the view for machines: JMS's fields by their names, its own
// properties under "special", and what is not of JMS under keys in lower case.
func showJSON(in input, m *amqpjms.RawMessage, sections []section, received time.Time) []byte {
	var view, special object
	for _, f := range jmsFields(m, received) {
		if f.property {
			special.add(f.name, object{{"exists", booleanValue(f.exists)}, {"value", f.value}})
		} else {
			view.add(f.name, f.value)
		}
	}
	view.add("special", special)
	view.add("header", objectOf(headerFields(m.Header)))
	list := []object{}
	for _, s := range sections {
		o := object{{"name", s.kind.String()}, {"offset", s.offset}, {"size", len(s.bytes)}}
		entries, err := s.entries(m)
		switch s.kind {
		case amqpjms.SectionHeader: // stands above
		case amqpjms.SectionProperties:
			o.add("fields", objectOf(entries))
		case amqpjms.SectionData, amqpjms.SectionAMQPSequence, amqpjms.SectionAMQPValue:
			o.add("value", entries[0].value)
		default:
			pairs := []pair{}
			for _, e := range entries {
				pairs = append(pairs, pair{e.name, e.value})
			}
			o.add("value", value{T: "map", V: pairs})
		}
		if err != nil {
			o.add("error", errorValue(err))
		}
		list = append(list, o)
	}
	view.add("sections", list)
	from := object{{"file", in.file}}
	if in.line > 0 {
		from.add("line", in.line)
	}
	view.add("input", from)
	return encodeJSON(view)
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
