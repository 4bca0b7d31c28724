package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// inspect is the command of that name.
func inspect(s streams, args []string) int {
	flags := flag.NewFlagSet("inspect", flag.ContinueOnError)
	flags.SetOutput(s.stderr)
	flags.Usage = func() {
		usage(s.stderr)
		flags.PrintDefaults()
	}
	asJSON := flags.Bool("json", false, "print one JSON object per message, on one line")
	lines := guess
	flags.BoolFunc("lines", "take each line of hex for a message, or with -lines=false all for one", func(v string) error {
		each, err := strconv.ParseBool(v)
		lines = allOne
		if each {
			lines = onePerLine
		}
		return err
	})
	received := time.Now()
	flags.Func("received", "when the messages were received, in `milliseconds` since 1970, for an expiration that counts from there (default: now)", func(v string) error {
		ms, err := strconv.ParseInt(v, 10, 64)
		received = time.UnixMilli(ms)
		return err
	})
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return exitOK
	case err != nil:
		return exitUsage
	}
	files := flags.Args()
	if len(files) == 0 {
		files = []string{"-"}
	}
	show := showText
	if *asJSON {
		show = showJSON
	}
	code, before := exitOK, ""
	for _, file := range files {
		name, data, err := s.read(file)
		if err != nil {
			s.errorf("%v", err)
			code = exitInput
			continue
		}
		for _, in := range inputs(name, data, lines) {
			m, sections, err := in.parse()
			if err != nil {
				s.errorf("%s: %s", in.where(), reason(err))
				code = exitInput
				continue
			}
			if c := s.print(before, show(in, &m, sections, received)); c != exitOK {
				return c
			}
			if !*asJSON {
				before = "\n"
			}
		}
	}
	return code
}

// read returns the contents of a file, and its name for people.
func (s streams) read(file string) (name string, data []byte, err error) {
	if file == "-" {
		data, err = io.ReadAll(s.stdin)
		return "standard input", data, err
	}
	data, err = os.ReadFile(file)
	return file, data, err
}

// A section is one section of a message, the header and the body alike.
type section struct {
	kind   amqpjms.SectionKind
	offset int
	bytes  []byte // with its descriptor
}

// sectionsOf returns all sections of a message, in their order.
func sectionsOf(m *amqpjms.RawMessage) ([]section, error) {
	var all []section
	at := 0
	for _, s := range []section{
		{kind: amqpjms.SectionHeader, bytes: m.HeaderSection},
		{kind: amqpjms.SectionDeliveryAnnotations, bytes: m.DeliveryAnnotations},
		{kind: amqpjms.SectionMessageAnnotations, bytes: m.MessageAnnotations},
		{kind: amqpjms.SectionProperties, bytes: m.Properties},
		{kind: amqpjms.SectionApplicationProperties, bytes: m.ApplicationProperties},
	} {
		if s.bytes != nil {
			s.offset = at
			at += len(s.bytes)
			all = append(all, s)
		}
	}
	for s, err := range m.BodySections() {
		if err != nil {
			return nil, err
		}
		all = append(all, section{s.Kind, s.Offset, s.Bytes})
	}
	return all, nil
}

// An entry is something in a section: a field, an annotation, a property, a body.
type entry struct {
	name  value // without a type where it is AMQP's name of a field, or "" for a body
	value value
}

func field(name string, v value) entry { return entry{value{V: name}, v} }

// entries returns what a section holds, and the error that keeps it from holding
// more. What is wrong with one value alone stands in its place.
func (s section) entries(m *amqpjms.RawMessage) ([]entry, error) {
	r := wire.NewReader(s.bytes)
	r.Descriptor()
	switch s.kind {
	case amqpjms.SectionHeader:
		return headerFields(m.Header), nil
	case amqpjms.SectionProperties:
		return s.propertiesFields(&r)
	case amqpjms.SectionData, amqpjms.SectionAMQPSequence, amqpjms.SectionAMQPValue:
		return []entry{field("", decode(r.Remaining(), s.offset+r.Offset()))}, nil
	}
	return s.pairs(&r)
}

// headerFields returns the fields of a header as stated.
func headerFields(h amqpjms.Header) []entry {
	durable := null()
	if h.Mode != amqpjms.Unstated {
		durable = booleanValue(h.Mode == amqpjms.Persistent)
	}
	return []entry{
		field("durable", durable),
		field("priority", stated(h.Priority, func(v uint8) value { return number("ubyte", int64(v)) })),
		field("ttl", stated(h.TTL, func(v uint32) value { return number("uint", int64(v)) })),
		field("first-acquirer", stated(h.FirstAcquirer, booleanValue)),
		field("delivery-count", stated(h.DeliveryCount, func(v uint32) value { return number("uint", int64(v)) })),
	}
}

func stated[T comparable](o amqpjms.Opt[T], as func(T) value) value {
	if v, ok := o.Get(); ok {
		return as(v)
	}
	return null()
}

// propertiesFields returns the fields of the properties that are stated.
func (s section) propertiesFields(r *wire.Reader) (fields []entry, err error) {
	outer, n := r.List()
	for f := range amqpjms.PropertiesField(n) { // no more than there are, or Parse had failed
		at := s.offset + r.Offset()
		if r.Null() {
			continue
		}
		v := r.Value()
		if r.Err() != nil {
			return fields, fmt.Errorf("%v %w", f, s.at(r))
		}
		fields = append(fields, field(f.String(), decode(v, at)))
	}
	r.Leave(outer)
	return fields, s.at(r)
}

// pairs returns what stands in a section that is a map.
func (s section) pairs(r *wire.Reader) (pairs []entry, err error) {
	outer, n := r.Map()
	for range n {
		at := s.offset + r.Offset()
		k, v := r.Value(), r.Value()
		if r.Err() != nil {
			break
		}
		pairs = append(pairs, entry{decode(k, at), decode(v, at+len(k))})
	}
	r.Leave(outer)
	return pairs, s.at(r)
}

// at returns the error of a reader of the section, nil if there is none.
func (s section) at(r *wire.Reader) error {
	if err := r.Err(); err != nil {
		return errorAt(s.offset, err)
	}
	return nil
}

// A jmsField is a field, or a property that JMS itself defines, as a getter of JMS
// gives it.
type jmsField struct {
	name  string
	value value
	note  string // for people

	property, exists bool // of a property: JMS asks for it by name, and whether the message has it
}

// jmsFields returns all that is known of a message as JMS sees it: both views print
// what stands here.
func jmsFields(m *amqpjms.RawMessage, received time.Time) []jmsField {
	correlationID, asBytes := null(), null()
	id, err := m.CorrelationID()
	switch {
	case err != nil:
		correlationID, asBytes = errorValue(err), errorValue(err)
	case !id.IsZero():
		correlationID = text("string", id.CorrelationID())
		if b, err := id.CorrelationIDAsBytes(); err != nil {
			asBytes = errorValue(err)
		} else {
			asBytes = hexValue("bytes", b)
		}
	}
	return []jmsField{
		{name: "JMSMessageID", value: messageID(m)},
		{name: "JMSCorrelationID", value: correlationID},
		{name: "JMSCorrelationIDAsBytes", value: asBytes},
		{name: "JMSTimestamp", value: long(m.Timestamp())},
		{name: "JMSExpiration", value: long(m.Expiration(received))},
		{name: "JMSDeliveryTime", value: long(m.DeliveryTime())},
		{name: "JMSPriority", value: number("int", int64(m.Header.JMSPriority()))},
		deliveryMode(m.Header),
		{name: "JMSRedelivered", value: booleanValue(m.Header.JMSRedelivered())},
		{name: "JMSXDeliveryCount", value: number("int", int64(m.Header.JMSXDeliveryCount())), property: true, exists: true},
	}
}

// long returns a time as JMS sees it, or why it cannot be read.
func long(ms int64, err error) value {
	if err != nil {
		return errorValue(err)
	}
	return text("long", strconv.FormatInt(ms, 10))
}

func messageID(m *amqpjms.RawMessage) value {
	id, err := m.MessageID()
	switch {
	case err != nil:
		return errorValue(err)
	case id.IsZero():
		return null()
	}
	return text("string", id.MessageID())
}

func deliveryMode(h amqpjms.Header) jmsField {
	mode := h.JMSDeliveryMode(amqpjms.Unstated)
	note := mode.String() + ", stated"
	if h.Mode == amqpjms.Unstated {
		note = "not stated, " + mode.String() + " by AMQP's default"
	}
	return jmsField{name: "JMSDeliveryMode", value: number("int", int64(mode)), note: note}
}
