package main

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/replay"
)

// wires are messages as real peers encoded them: in each line hex, and after a
// semicolon the peer with its version and the name of the case in testdata.
//
//go:embed demo/*.hex
var wires embed.FS

// A recording is a message that a peer encoded.
type recording struct {
	peer string // with its version
	name string // of the case in testdata
	wire []byte
}

// recordings returns the messages of a file of wires.
func recordings(file string) ([]recording, error) {
	data, err := wires.ReadFile("demo/" + file)
	if err != nil {
		return nil, err
	}
	var rs []recording
	for line := range strings.Lines(string(data)) {
		digits, comment, _ := strings.Cut(strings.TrimSpace(line), ";")
		if digits == "" {
			continue
		}
		peer, name, ok := strings.Cut(strings.TrimSpace(comment), ": ")
		wire, err := decodeHex([]byte(digits), false)
		if err != nil || !ok {
			return nil, fmt.Errorf("demo/%s: not hex with peer and case: %s", file, line)
		}
		rs = append(rs, recording{peer, name, wire})
	}
	return rs, nil
}

// product returns the peer's name and version without what else is said of it.
func (r recording) product() string {
	name, _, _ := strings.Cut(r.peer, " (")
	name, _, _ = strings.Cut(name, " / ")
	return name
}

// sentAt is when the demo takes its messages to be sent and received.
const sentAt = 1796053106157

// demo is the command of that name.
func demo(s streams, args []string) int {
	if len(args) > 0 {
		s.errorf("demo takes no arguments")
		return exitUsage
	}
	var b bytes.Buffer
	for _, show := range []func(io.Writer) error{showRequestAndReply, showIDs, showHeaders, showDelays, showKinds, showGroups} {
		if err := show(&b); err != nil {
			s.errorf("%s", reason(err))
			return exitInput
		}
	}
	return s.print("", b.Bytes())
}

// showRequestAndReply shows what JMS put on the wire, and what a Go service answers.
func showRequestAndReply(out io.Writer) error {
	requests, err := recordings("request.hex")
	if err != nil {
		return err
	}
	request := requests[0]
	var m amqpjms.RawMessage
	if err := m.Parse(request.wire); err != nil {
		return err
	}
	sections, err := sectionsOf(&m)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "1. A request that a JMS application sent with %s (%s): its properties, and what JMS sees\n\n", request.product(), request.name)
	w := columns(out)
	for _, s := range sections {
		if s.Kind == amqpjms.SectionProperties {
			writeSection(w, &m, s, false)
		}
	}
	fmt.Fprint(w, "JMS\n")
	writeJMS(w, jmsOf(&m, sections, nil, receiver{received: time.UnixMilli(sentAt)}))
	w.Flush()

	answer, err := reply(&m, amqpjms.NewID())
	if err != nil {
		return err
	}
	if err := m.Parse(answer); err != nil {
		return err
	}
	if sections, err = sectionsOf(&m); err != nil {
		return err
	}
	fmt.Fprint(out, "\n2. The reply of a Go service, encoded by go-amqp: the request's message-id as correlation-id,\n"+
		"   its reply-to as to, and durable stated although it is false\n\n")
	for _, s := range sections {
		writeSection(w, &m, s, true)
	}
	w.Flush()
	return nil
}

// reply returns the encoded reply to a request. Its correlation-id goes through JMS,
// as it does in an application that sets JMSCorrelationID to the request's JMSMessageID.
func reply(request *amqpjms.RawMessage, id amqpjms.ID) ([]byte, error) {
	requestID, err := request.MessageID()
	if err != nil {
		return nil, err
	}
	correlationID, err := amqpjms.ParseID(requestID.JMSMessageID())
	if err != nil {
		return nil, err
	}
	properties := &amqp.MessageProperties{MessageID: id.Value(), CorrelationID: correlationID.Value()}
	replyTo, err := request.Property(amqpjms.FieldReplyTo)
	if err != nil {
		return nil, err
	}
	if to, ok := replyTo.Text(); ok {
		properties.To = &to
	}
	m := &amqp.Message{
		Header:     amqpjms.Header{Mode: amqpjms.NonPersistent}.MessageHeader(),
		Properties: properties,
		Value:      "done",
	}
	return m.MarshalBinary()
}

// showIDs shows that ids of all types come back as they went.
func showIDs(out io.Writer) error {
	requests, err := recordings("requests.hex")
	if err != nil {
		return err
	}
	replies, err := recordings("replies.hex")
	if err != nil {
		return err
	}
	fmt.Fprint(out, "\n3. Ids that are no strings: JMS has a string for each, and a reply gets back the type and the bytes\n\n")
	w := columns(out)
	for i, request := range requests {
		var m amqpjms.RawMessage
		if err := m.Parse(request.wire); err != nil {
			return err
		}
		id, err := m.Property(amqpjms.FieldMessageID)
		if err != nil {
			return err
		}
		jms, err := m.AppendMessageID(nil)
		if err != nil {
			return err
		}
		answer, err := reply(&m, amqpjms.NewID())
		if err != nil {
			return err
		}
		ours, err := correlationID(answer)
		if err != nil {
			return err
		}
		theirs, err := correlationID(replies[i].wire)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "  request: message-id\t% x  (%s)\n", id, id.Type())
		fmt.Fprintf(w, "    JMSMessageID\t%s\n", jms)
		fmt.Fprintf(w, "  reply: correlation-id\t% x  (%s)\n", ours, ours.Type())
		fmt.Fprintf(w, "    by %s\t% x  (%s)\n", replies[i].product(), theirs, theirs.Type())
	}
	return w.Flush()
}

func correlationID(msg []byte) (amqpjms.RawValue, error) {
	var m amqpjms.RawMessage
	if err := m.Parse(msg); err != nil {
		return nil, err
	}
	return m.Property(amqpjms.FieldCorrelationID)
}

// showHeaders shows headers that do and do not say the same, and what is made of them.
func showHeaders(out io.Writer) error {
	messages, err := recordings("headers.hex")
	if err != nil {
		return err
	}
	fmt.Fprint(out, "\n4. One message with durable=false, as four peers start it, and its start made explicit for a node whose\n"+
		"   default is NON_PERSISTENT or PERSISTENT: the default decides only what the sender did not state\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range messages {
		var m amqpjms.RawMessage
		if err := m.Parse(r.wire); err != nil {
			return err
		}
		durable := show(headerFields(m.Header)[0].value)
		if m.Header.Mode == amqpjms.ModeUnset {
			durable = "not stated"
		}
		fmt.Fprintf(w, "  %s\tdurable %s\t%s\n", r.product(), strings.TrimPrefix(durable, "boolean "), start(&m))
		for _, node := range []amqpjms.DeliveryMode{amqpjms.NonPersistent, amqpjms.Persistent} {
			explicit, err := amqpjms.AppendExplicit(nil, r.wire, node)
			if err != nil {
				return err
			}
			if err := m.Parse(explicit); err != nil {
				return err
			}
			fmt.Fprintf(w, "\tfor %v\t%s\n", node, start(&m))
		}
	}
	return w.Flush()
}

// start shows a message's header, and the first bytes of what follows.
func start(m *amqpjms.RawMessage) string {
	header := "(none)"
	if m.HeaderSection != nil {
		header = fmt.Sprintf("% x", m.HeaderSection)
	}
	return fmt.Sprintf("%s | % x …", header, m.Rest[:min(len(m.Rest), 3)])
}

// showDelays shows a message that is sent with a delay: what goes on the wire for each
// broker, and what its receiver reads.
func showDelays(out io.Writer) error {
	const delay = 5 * time.Second
	sent := time.UnixMilli(sentAt).UTC()
	compatible := amqpjms.ActiveMQ()
	compatible.Product += " by property"
	compatible.Delay = amqpjms.DelayProperty
	fmt.Fprintf(out, "\n5. A message sent at %d with a delay of %v: what asks each broker for it, and the JMSDeliveryTime\n"+
		"   that the receiver reads; or why it is not sent\n\n", sent.UnixMilli(), delay)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, peer := range []amqpjms.Peer{
		amqpjms.Artemis(), amqpjms.ActiveMQ(), amqpjms.BrokerJ(), compatible, amqpjms.ServiceBus(), amqpjms.RabbitMQ(), {Product: "not chosen"},
	} {
		m := &amqp.Message{Value: "wake up"}
		stamp, err := amqpjms.Producer{Peer: peer, DeliveryDelay: delay}.Prepare(m, sent)
		if err != nil {
			fmt.Fprintf(w, "  %s\t%s\n", peer.Product, reason(err))
			continue
		}
		asked, read, err := delayOnWire(m, peer, stamp.Peer.Delay)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  %s\t%v\t%s %v\t%d\n", peer.Product, stamp.Peer.Delay, asked.Type, asked.V, read)
	}
	return w.Flush()
}

// delayOnWire returns the value that asks for the delay in m, once encoded, and the
// delivery time that its receiver reads.
func delayOnWire(m *amqp.Message, peer amqpjms.Peer, form amqpjms.DelayForm) (value, int64, error) {
	msg, err := m.MarshalBinary()
	if err != nil {
		return value{}, 0, err
	}
	var raw amqpjms.RawMessage
	if err := raw.Parse(msg); err != nil {
		return value{}, 0, err
	}
	find := raw.Annotation
	if form == amqpjms.DelayProperty {
		find = raw.ApplicationProperty
	}
	v, err := find(form.String())
	if err != nil {
		return value{}, 0, err
	}
	read, err := amqpjms.Consumer{Peer: peer}.ViewRaw(&raw, time.Time{}).DeliveryTime()
	return decode(v, 0), read, err
}

// showKinds shows a message of each kind that JMS has.
func showKinds(out io.Writer) error {
	messages, err := recordings("kinds.hex")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n6. A message of each kind, as a JMS application sent it with %s: x-opt-jms-msg-type, the sections\n"+
		"   of the body, and what JMS reads\n\n", messages[0].product())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range messages {
		var m amqpjms.RawMessage
		if err := m.Parse(r.wire); err != nil {
			return err
		}
		sections, err := sectionsOf(&m)
		if err != nil {
			return err
		}
		annotation, err := m.Annotation("x-opt-jms-msg-type")
		if err != nil {
			return err
		}
		body := "no section"
		if last := sections[len(sections)-1]; last.Kind >= amqpjms.SectionData {
			body = last.Kind.String()
		}
		j := jmsOf(&m, sections, nil, receiver{received: time.UnixMilli(sentAt)})
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", show(decode(annotation, 0)), body, kindOf(j), show(j.body))
	}
	return w.Flush()
}

// kindOf returns the kind of a message, and of an object how it is encoded.
func kindOf(j jmsMessage) string {
	for _, f := range j.special {
		switch {
		case f.name != "JMS_AMQP_TYPED_ENCODING" || f.value.Type == "null":
		case f.value.V == true:
			return "object, typed"
		default:
			return "object, serialized"
		}
	}
	return j.kind.V.(string)
}

// groupsStory is a queue with message groups: two consumers, of which one goes away, three groups, and a message that
// is in none.
const groupsStory = `peer: nobody

name: story
steps:
  open anna
  open bert
  enqueue 1 group "red"
  enqueue 2 group "blue"
  enqueue 3
  enqueue 4 group "red"
  enqueue 5 group "green"
  credit anna 1
  credit bert 2
  accept anna 1
  credit bert 1
  credit anna 1
  close anna
  credit bert 1
`

// showGroups shows what the two strategies make of one story.
func showGroups(out io.Writer) error {
	stories, err := replay.Read(strings.NewReader(groupsStory))
	if err != nil {
		return err
	}
	table, err := replay.Both(stories[0])
	if err != nil {
		return err
	}
	fmt.Fprint(out, "\n7. A queue with message groups, in the two strategies: red stays with anna until she goes away where groups are\n"+
		"   assigned, and until she has settled message 1 where they are shared; count is how often a delivery failed\n\n")
	for line := range strings.Lines(table) {
		fmt.Fprint(out, "  "+line)
	}
	return nil
}
