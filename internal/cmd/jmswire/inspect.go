package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
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
	to := receiver{received: time.Now()}
	flags.Func("received", "when the messages were received, in `milliseconds` since 1970, for an expiration that counts from there (default: now)", func(v string) error {
		ms, err := strconv.ParseInt(v, 10, 64)
		to.received = time.UnixMilli(ms)
		return err
	})
	flags.Func("destination", "what they were received from, as `kind:name`: the kind is queue, topic, temporary-queue or temporary-topic, and goes for a destination that does not say its own; kind and name for a message that says none (default: a queue, and no destination)", func(v string) (err error) {
		to.Destination, err = parseDestination(v)
		return err
	})
	flags.Func("peer", "`name` of the broker that they came from or go to: "+strings.Join(peerNames(), ", ")+" (default: any of them)", func(v string) (err error) {
		to.Peer, err = parsePeer(v)
		return err
	})
	queuePrefix := flags.String("queue-prefix", "", "what addresses of queues start with (default: as the peer has it)")
	topicPrefix := flags.String("topic-prefix", "", "the same of topics")
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return exitOK
	case err != nil:
		return exitUsage
	}
	flags.Visit(func(f *flag.Flag) { // the last word, wherever they stand
		switch f.Name {
		case "queue-prefix":
			to.Peer.QueuePrefix = *queuePrefix
		case "topic-prefix":
			to.Peer.TopicPrefix = *topicPrefix
		}
	})
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
			m, err := in.parse()
			if err != nil {
				s.errorf("%s: %s", in.where(), reason(err))
				code = exitInput
				continue
			}
			sections, err := sectionsOf(&m)
			if err != nil {
				s.errorf("%s: %s", in.where(), reason(err))
				code = exitInput
			}
			view := view{in, &m, sections, jmsOf(&m, sections, err, to), amqpjms.Check(in.msg, to.Peer)}
			if c := s.print(before, show(view)); c != exitOK {
				return c
			}
			if !*asJSON {
				before = "\n"
			}
		}
	}
	return code
}

// parseDestination reads a kind and a name, with a colon between.
func parseDestination(s string) (amqpjms.Destination, error) {
	word, name, _ := strings.Cut(s, ":")
	for k := amqpjms.Queue; k <= amqpjms.TemporaryTopic; k++ {
		if kindWord(k) == word {
			return amqpjms.Destination{Kind: k, Name: name}, nil
		}
	}
	return amqpjms.Destination{}, errors.New("the kind is none of queue, topic, temporary-queue and temporary-topic")
}

// peers are the brokers that -peer knows.
func peers() map[string]func() amqpjms.Peer {
	return map[string]func() amqpjms.Peer{
		"artemis":     amqpjms.Artemis,
		"activemq":    amqpjms.ActiveMQ,
		"broker-j":    amqpjms.BrokerJ,
		"rabbitmq":    amqpjms.RabbitMQ,
		"rabbitmq3":   amqpjms.RabbitMQ3,
		"service-bus": amqpjms.ServiceBus,
	}
}

func peerNames() []string { return slices.Sorted(maps.Keys(peers())) }

func parsePeer(name string) (amqpjms.Peer, error) {
	peer, ok := peers()[name]
	if !ok {
		return amqpjms.Peer{}, errors.New("none of " + strings.Join(peerNames(), ", "))
	}
	return peer(), nil
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

// A section is one section of a message, with what is shown of it.
type section amqpjms.Section

// sectionsOf returns all sections of a message, in their order. With an error come those
// before it.
func sectionsOf(m *amqpjms.RawMessage) ([]section, error) {
	var all []section
	for s, err := range m.Sections() {
		if err != nil {
			return all, err
		}
		all = append(all, section(s))
	}
	return all, nil
}

// An entry is something in a section: a field, an annotation, a property, a body.
type entry struct {
	name  value // plain text where it is AMQP's name of a field, or "" for a body
	value value
}

func field(name string, v value) entry { return entry{text("text", name), v} }

// entries returns what a section holds, and the error that keeps it from holding
// more. What is wrong with one value alone stands in its place.
func (s section) entries(m *amqpjms.RawMessage) ([]entry, error) {
	r := wire.NewReader(s.Value)
	switch s.Kind {
	case amqpjms.SectionHeader:
		return headerFields(m.Header), nil
	case amqpjms.SectionProperties:
		return s.propertiesFields(&r)
	case amqpjms.SectionData, amqpjms.SectionAMQPSequence, amqpjms.SectionAMQPValue:
		return []entry{field("", decode(s.Value, s.valueOffset()))}, nil
	}
	return s.pairs(&r)
}

// valueOffset returns where in the message the section's value starts.
func (s section) valueOffset() int { return s.Offset + len(s.Bytes) - len(s.Value) }

// headerFields returns the fields of a header as stated.
func headerFields(h amqpjms.Header) []entry {
	durable := null()
	if h.Mode != amqpjms.ModeUnset {
		durable = booleanValue(h.Mode == amqpjms.Persistent)
	}
	return []entry{
		field("durable", durable),
		field("priority", stated(h.Priority, func(v uint8) value { return value{Type: "ubyte", V: uint64(v)} })),
		field("ttl", stated(h.TTL, func(v uint32) value { return value{Type: "uint", V: uint64(v)} })),
		field("first-acquirer", stated(h.FirstAcquirer, booleanValue)),
		field("delivery-count", stated(h.DeliveryCount, func(v uint32) value { return value{Type: "uint", V: uint64(v)} })),
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
		at := s.valueOffset() + r.Offset()
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
		at := s.valueOffset() + r.Offset()
		k, v := r.Value(), r.Value()
		if r.Err() != nil {
			break
		}
		pairs = append(pairs, entry{decode(k, at), decode(v, at+len(k))})
	}
	r.Leave(outer)
	return pairs, s.at(r)
}

// at returns the error of a reader of the section's value, nil if there is none.
func (s section) at(r *wire.Reader) error {
	if err := r.Err(); err != nil {
		return errorAt(s.valueOffset(), err)
	}
	return nil
}
