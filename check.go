package amqpjms

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/charset"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A Problem is something in a message that somebody misreads, refuses or ignores.
type Problem struct {
	In   string // where: "header", "annotation x-opt-jms-dest", "body", …
	Who  string // a peer, "Qpid JMS" for JMS applications behind any peer, or "AMQP 1.0" for what it forbids
	What string // what becomes of it
}

// String returns the problem on one line, for people to read.
func (p Problem) String() string { return p.In + ": " + p.Who + ": " + p.What }

// Who Check speaks of beside the peers.
const (
	whoAMQP = "AMQP 1.0"
	whoJMS  = "Qpid JMS"
)

// CheckMessage is [Check] for a message that go-amqp is to send. It is an error, a
// *[ValueError], if go-amqp cannot encode it.
func CheckMessage(m *amqp.Message, p Peer) ([]Problem, error) {
	sections, err := writable(m, true)
	if err != nil {
		return nil, err
	}
	sent := *m
	sections.Put(&sent)
	b, err := sent.MarshalBinary()
	if err != nil {
		return nil, &ValueError{What: "message", Value: "of kind " + bodyOf(m).Kind().String(), Err: err}
	}
	return Check(b, p), nil
}

// Check returns what a peer, or a JMS application behind it, would misread, refuse or
// ignore in an encoded message: all that is known of the predefined peers, which are told
// apart by their Product. For the zero Peer it is what any of them would. It finds what was
// seen of those versions (see [Artemis] and the others), so an empty answer is no promise.
//
// It also finds some of what AMQP 1.0 forbids: sections that are broken, properties and keys
// of a wrong type, equal keys in a section that is a map or in a body that is one
// [amqp 1.6.23]. Of keys it compares those of the right type, in a body strings. It does not
// look into values of annotations, properties, maps and lists.
//
// It lists no problem twice. Its time grows as the message does, and it copies texts, data
// and keys.
func Check(msg []byte, p Peer) []Problem {
	c := checker{peer: p}
	if err := c.m.Parse(msg); err != nil {
		c.add("message", whoAMQP, plainError(err))
		return c.problems
	}
	c.header()
	c.annotations()
	c.properties()
	c.applicationProperties()
	c.body()
	return c.problems
}

type checker struct {
	peer     Peer
	m        RawMessage
	problems []Problem
	listed   map[Problem]bool
}

// add adds a problem if it is one of the peer's, once: a message can have one in a million
// places that look the same.
func (c *checker) add(in, who, what string) {
	if who != whoAMQP && who != whoJMS && c.peer.Product != "" && who != c.peer.Product {
		return
	}
	p := Problem{in, who, what}
	if c.listed == nil {
		c.listed = map[Problem]bool{}
	}
	if !c.listed[p] {
		c.listed[p] = true
		c.problems = append(c.problems, p)
	}
}

// plainError returns an error's text without the package's name, for a Problem.
func plainError(err error) string { return strings.TrimPrefix(err.Error(), "amqpjms: ") }

func (c *checker) header() {
	h := c.m.Header
	const in = "header"
	if h.Mode == ModeUnset {
		c.add(in, productRabbitMQ, "durable is not stated: 4.0 takes the message as durable, 4.3 as not durable")
	}
	if h.Priority.Or(0) > 9 {
		c.add(in, whoJMS, "the priority is above 9, and read as 9")
	}
	if h.DeliveryCount.Or(0) >= math.MaxInt32 {
		c.add(in, whoJMS, "the delivery count is read as a negative number")
	}
	if ttl, ok := h.TTL.Get(); ok {
		if expiry, err := c.m.Property(FieldAbsoluteExpiryTime); err == nil && expiry == nil && ttl > 0 {
			for _, who := range []string{productArtemis, productRabbitMQ, productRabbitMQ3} {
				c.add(in, who, "hands on the ttl as it is, and there is no absolute-expiry-time: each receiver counts from its own time of receipt")
			}
		}
	} else {
		c.add(in, productServiceBus, "no ttl: the message lives as long as the queue says")
	}
}

func (c *checker) annotations() {
	for _, name := range []string{annotationDest, annotationReplyTo, annotationMessageKind} {
		v, err := c.m.Annotation(name)
		if err != nil {
			c.add("message-annotations", whoAMQP, plainError(err))
			return
		}
		if v == nil {
			continue
		}
		in, effect, known := "annotation "+name, "ignored", false
		n, _ := v.Int()
		if name == annotationMessageKind {
			_, err := MessageKindFrom(n)
			effect, known = "the message never reaches the application", err == nil
		} else {
			known = DestinationKindFrom(n, nil) != UnknownKind
		}
		if t := v.Type(); t != "byte" {
			is := t + ", not byte: "
			c.add(in, whoJMS, is+effect)
			c.add(in, productArtemis, is+"refused by a cast to byte")
		} else if !known {
			c.add(in, whoJMS, "out of range: "+effect)
		}
	}
	c.delays()
	c.symbolKeys(c.m.MessageAnnotations, "message-annotations")
	c.symbolKeys(c.m.DeliveryAnnotations, "delivery-annotations")
}

// keys are those of one map, each with whether it is listed as being there more than once.
type keys map[string]bool

// key looks whether a key was there before [amqp 1.6.23], and adds what becomes of that once:
// the last value or the first is read.
func (c *checker) key(seen keys, key []byte, in, read string) {
	listed, again := seen[string(key)]
	if !again {
		seen[string(key)] = false
	} else if !listed {
		seen[string(key)] = true
		c.add(in, whoAMQP, "key "+quote(key)+" more than once: "+read)
	}
}

// What is read of equal keys.
const (
	readSectionKeys = "go-amqp keeps the last value, and a RawMessage reads the first"
	readBodyKeys    = "go-amqp keeps the last value"
)

// symbolKeys looks for keys of annotations that are no symbols, or equal.
func (c *checker) symbolKeys(section []byte, in string) {
	if section == nil {
		return
	}
	r := wire.NewReader(section)
	readSection(&r)
	outer, n := r.Map()
	seen := keys{}
	for range n {
		key := RawValue(r.Value())
		if r.Skip(); r.Err() != nil {
			break
		}
		switch key.Type() {
		case "symbol":
			if name, ok := key.text(wire.Symbol); ok {
				c.key(seen, name, in, readSectionKeys)
			} else {
				c.add(in, whoAMQP, "a key that is not ASCII, as a symbol is")
			}
		case "ulong":
			c.add(in, whoAMQP, "a key of type ulong, which AMQP keeps for itself and go-amqp cannot write")
		default:
			c.add(in, whoAMQP, "a key of type "+key.Type()+", not symbol")
		}
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		c.add(in, whoAMQP, err.Err.Error())
	}
}

// delays checks each form of delay that there is.
func (c *checker) delays() {
	forms := 0
	for _, form := range []DelayForm{DelayAbsolute, DelayEnqueueTime, DelayRelative, DelayProperty} {
		in, get := "annotation "+form.String(), c.m.Annotation
		if form == DelayProperty {
			in, get = "property "+form.String(), c.m.ApplicationProperty
		}
		v, _ := get(form.String()) // what is broken is reported with its section
		if v == nil {
			continue
		}
		forms++
		for _, product := range products() {
			switch {
			case form == DelayProperty:
			case !serves(product, form):
				c.add(in, product, "not served: the message is delivered at once")
			case form == DelayAbsolute && v.Type() != "long" && v.Type() != "ulong":
				what := v.Type() + ", not long: the message is delivered at once"
				if product == productArtemis && v.Type() == "timestamp" {
					what += ", and an OpenWire or core client that takes it is thrown out"
				}
				c.add(in, product, what)
			}
		}
		switch form {
		case DelayAbsolute:
			switch t := v.Type(); {
			case t == "float", t == "double", strings.HasPrefix(t, "decimal"), v.number().kind == numberTooLarge:
				c.add(in, whoJMS, t+": made a long of, whatever it loses")
			}
		case DelayRelative:
			c.add(in, whoJMS, "ignored: JMSDeliveryTime is JMSTimestamp")
		case DelayProperty:
			c.add(in, productActiveMQ, "taken for a delay, and off the message")
		}
	}
	if forms > 1 {
		c.add("message-annotations", whoJMS, "more than one form of delay: which one is served depends on the peer")
	}
}

// serves reports whether a peer delays a message that asks for it by an annotation of this form.
func serves(product string, form DelayForm) bool {
	switch product {
	case productArtemis, productActiveMQ:
		return form == DelayAbsolute || form == DelayRelative
	case productBrokerJ:
		return form == DelayAbsolute
	case productServiceBus:
		return form == DelayEnqueueTime
	}
	return false
}

func (c *checker) properties() {
	for field := range PropertiesField(propertiesFields) {
		in := field.String()
		v, err := c.m.Property(field)
		if err != nil {
			c.add(in, whoAMQP, plainError(err))
			return
		}
		if v == nil {
			continue
		}
		want := typeOfField(field)
		if want == wire.None {
			if id, err := v.ID(); err != nil {
				c.add(in, whoAMQP, plainError(err))
			} else {
				c.id(in, id, v)
			}
			continue
		}
		r := wire.NewReader(v)
		switch t := r.Next(); t {
		case want:
			c.field(field, v, want)
		default:
			c.add(in, whoAMQP, t.String()+", not "+want.String())
			switch field {
			case FieldUserID, FieldSubject, FieldCreationTime, FieldGroupSequence: // as it was seen of these
				c.add(in, whoJMS, "the message never reaches the application")
			}
		}
	}
}

// typeOfField returns the type of a property [amqp 3.2.4], None for ids, which may be of four.
func typeOfField(field PropertiesField) wire.Type {
	switch field {
	case FieldUserID:
		return wire.Binary
	case FieldTo, FieldSubject, FieldReplyTo, FieldGroupID, FieldReplyToGroupID:
		return wire.String
	case FieldContentType, FieldContentEncoding:
		return wire.Symbol
	case FieldAbsoluteExpiryTime, FieldCreationTime:
		return wire.Timestamp
	case FieldGroupSequence:
		return wire.Uint
	}
	return wire.None
}

// field checks a property that is of its type.
func (c *checker) field(field PropertiesField, v RawValue, t wire.Type) {
	in := field.String()
	switch t {
	case wire.String:
		if _, ok := v.text(t); !ok {
			c.add(in, whoAMQP, "not valid UTF-8")
		}
	case wire.Symbol:
		if _, ok := v.text(t); !ok {
			c.add(in, whoAMQP, "not ASCII")
		}
	case wire.Timestamp:
		if n, zero := v.number(), (time.Time{}); n.n == zero.UnixMilli() {
			c.add(in, whoJMS, "the year 1, which go-amqp sends for a time.Time of zero")
		}
	}
	switch field {
	case FieldUserID:
		b, _ := v.Bytes()
		if _, err := JMSXUserID(b); err != nil {
			c.add(in, whoJMS, "not valid UTF-8: JMSXUserID is another text")
		}
		c.add(in, productRabbitMQ, "refused where it is not the name of the connection's user")
	case FieldGroupID:
		for _, who := range []string{productRabbitMQ, productRabbitMQ3} {
			c.add(in, who, "ignored: a group is not kept with one consumer")
		}
	case FieldGroupSequence:
		n, _ := v.Int()
		if n == math.MaxUint32 {
			c.add(in, productArtemis, "-1 as JMSXGroupSeq: closes the group")
		}
		if n > math.MaxInt32 {
			c.add(in, productActiveMQ, "negative as JMSXGroupSeq: closes the group")
		}
	}
}

func (c *checker) id(in string, id ID, v RawValue) {
	for _, who := range []string{productRabbitMQ, productRabbitMQ3} {
		switch {
		case id.kind == idUlong || id.kind == idUUID:
			c.add(in, who, v.Type()+": AMQP 0-9-1 clients get it as text and cannot tell it from a string")
		case id.kind == idBinary:
			c.add(in, who, "binary: AMQP 0-9-1 clients get it in a header or in another form")
		case len(id.text) > 255:
			c.add(in, who, "longer than 255 bytes: AMQP 0-9-1 clients get it in a header")
		}
	}
	if id.kind != idString {
		c.add(in, productServiceBus, v.Type()+": its own clients read ids that are strings")
	}
}

func (c *checker) applicationProperties() {
	section := c.m.ApplicationProperties
	if section == nil {
		return
	}
	const in = "application-properties"
	r := wire.NewReader(section)
	readSection(&r)
	outer, n := r.Map()
	seen := keys{}
	for range n {
		key, t := RawValue(r.Value()), r.Next()
		r.Skip()
		if r.Err() != nil {
			break
		}
		name, ok := key.text(wire.String)
		if !ok {
			if key.Type() == "string" {
				c.add(in, whoAMQP, "a key that is not valid UTF-8")
				continue
			}
			c.add(in, whoAMQP, "a key of type "+key.Type()+", not string")
			c.add(in, whoJMS, "the message never reaches the application")
			continue
		}
		c.key(seen, name, in, readSectionKeys)
		c.property("property "+quote(string(name)), string(name), t)
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		c.add(in, whoAMQP, err.Err.Error())
	}
}

func (c *checker) property(in, name string, t wire.Type) {
	if CheckPropertyName(name) != nil {
		c.add(in, whoJMS, "hidden, for its name is no Java identifier")
	}
	switch t {
	case wire.Boolean, wire.Byte, wire.Short, wire.Int, wire.Long, wire.Float, wire.Double, wire.String, wire.Null:
	case wire.List, wire.Map, wire.Array, wire.Described:
		c.add(in, whoAMQP, t.String()+", which no application property may be")
	default:
		c.add(in, whoJMS, t.String()+", which its getters refuse")
	}
	switch name {
	case jmsxDeliveryCount, jmsxGroupID, jmsxGroupSeq, jmsxUserID, jmsAMQPTTL, jmsAMQPReplyToGroupID:
		c.add(in, whoJMS, "ignored, for it is the name of a field")
	}
}

func (c *checker) body() {
	b, sections, err := c.m.body()
	if err != nil {
		c.add("body", whoAMQP, plainError(err))
		return
	}
	c.sectionsKeys()
	const in = "body"
	switch b.form() {
	case formNone:
		c.add(in, productRabbitMQ, "no section: ends the session (4.0) or the link (4.3)")
	case formSequence, formData:
		if sections > 1 {
			c.add(in, whoJMS, "several sections, of which only the last is read")
		}
		if sections > 1 && b.form() == formData {
			c.add(in, productActiveMQ, "several sections, of which only the first is kept")
		}
	}
	if b.Kind() == MapMessage && c.m.mapHasHighText() {
		c.add(in, productActiveMQ, "a text in a map has a character above U+FFFF: it is no UTF-8 any more, and Qpid JMS loses the message")
	}
	if b.Kind() == StreamMessage {
		c.stream()
	}
	if b.form() != formData {
		c.add(in, productServiceBus, "no data section: its own clients read no other")
	}
	c.readable(b)
}

// sectionsKeys looks at the keys of the body, if that is a map, and of the footer.
func (c *checker) sectionsKeys() {
	for s := range c.m.BodySections() {
		switch s.Kind {
		case SectionAMQPValue:
			r := wire.NewReader(s.Value)
			_, n := r.Map() // 0 of what is none
			seen := keys{}
			for range n {
				if key, ok := RawValue(r.Value()).text(wire.String); ok {
					c.key(seen, key, "body", readBodyKeys)
				}
				r.Skip()
			}
		case SectionFooter:
			c.symbolKeys(s.Bytes, "footer")
		}
	}
}

// stream looks for values of types that Qpid JMS does not read in a StreamMessage.
func (c *checker) stream() {
	for s, err := range c.m.BodySections() {
		r := wire.NewReader(s.Value)
		if err != nil || s.Kind == SectionFooter || r.Next() != wire.List {
			return
		}
		outer, n := r.List()
		for range n {
			t := r.Next()
			r.Skip()
			if r.Err() != nil {
				break
			}
			switch t {
			case wire.Null, wire.Boolean, wire.Byte, wire.Short, wire.Int, wire.Long, wire.Float, wire.Double, wire.String, wire.Binary:
			default:
				c.add("body", whoJMS, t.String()+" in a stream, which cannot be read there")
			}
		}
		r.Leave(outer)
		if err := r.Err(); err != nil {
			c.add("body", whoAMQP, plainError(wireError("body", s.Offset+len(s.Bytes)-len(s.Value), err)))
			return
		}
	}
}

// readable checks what Qpid JMS makes of the body.
func (c *checker) readable(b Body) {
	const in, lost = "body", "cannot be read, and the message is lost: "
	annotated, _ := MessageKindFrom(b.Annotation)
	kind, form := b.Kind(), b.form()
	switch {
	case kind == TextMessage && form == formData:
		typed, name, err := parseContentType(b.ContentType).charset("")
		cs := typed
		switch {
		case annotated == Opt[MessageKind]{} && errors.Is(err, errUnknownCharset):
			c.add(in, whoJMS, "shown as bytes, for its charset "+quote(name)+" is unknown")
			return
		case annotated == Opt[MessageKind]{} && err != nil:
			c.add(in, whoJMS, "shown as bytes, for "+plainError(err))
			return
		case err != nil || annotated != Opt[MessageKind]{} && cs != charset.UTF8:
			c.add(in, whoJMS, "read as UTF-8, for the annotation goes before the charset")
			cs = charset.UTF8
		}
		data := joined(b.Data)
		if _, ok := cs.Decode(data); !ok {
			c.add(in, whoJMS, lost+plainError(invalidText(cs, data)))
		}
		if !encodesNothing(b.ContentEncoding) {
			c.add(in, whoJMS, "the content-encoding is not undone")
		} else if said, _, err := b.charset(); err == nil && said != typed && said != charset.ASCII {
			c.add(in, whoJMS, "read as "+cs.String()+", for the charset in the content-encoding is not looked at")
		}
	case kind == ObjectMessage && b.Value == any(unread(wire.Described.String())):
		c.add(in, whoJMS, "cannot be read: an ObjectMessage of a described value")
	case kind == ObjectMessage && form == formData && parseContentType(b.ContentType).media != contentJavaObject:
		c.add(in, whoJMS, "cannot be read: the data of an ObjectMessage is of content-type "+contentJavaObject)
	default:
		if err := b.check(); err != nil {
			if _, ok := b.Value.(map[any]any); ok && kind == MapMessage {
				c.add(in, whoJMS, "the value of a key that is no string cannot be read")
				return
			}
			c.add(in, whoJMS, lost+plainError(err))
		}
	}
}

// mapHasHighText reports whether the body is a map in which a value is a string with a
// character above U+FFFF, which takes four bytes in UTF-8.
func (m *RawMessage) mapHasHighText() bool {
	for s := range m.BodySections() {
		if s.Kind != SectionAMQPValue { // the footer too
			return false
		}
		r := wire.NewReader(s.Value)
		_, n := r.Map() // 0 of what is none
		for range n {
			r.Skip()
			text, _ := RawValue(r.Value()).text(wire.String)
			if slices.ContainsFunc(text, func(b byte) bool { return b >= 0xf0 }) {
				return true
			}
		}
	}
	return false
}

// body returns a copy of the body as far as Check looks at it: data and a text as they
// are, of maps that they are there and whether all keys are strings, of any other value
// nothing but its type. Several sections are one in it; how many there were it returns too.
func (m *RawMessage) body() (b Body, sections int, err error) {
	for s, err := range m.BodySections() {
		if err != nil {
			return Body{}, 0, err
		}
		if s.Kind != SectionFooter {
			sections++
		}
		r := wire.NewReader(s.Value)
		switch s.Kind {
		case SectionData:
			if data := r.Binary(); b.Data == nil {
				b.Data = [][]byte{data}
			} else { // data is clipped, so this writes into a copy
				b.Data[0] = append(b.Data[0], data...)
			}
		case SectionAMQPSequence:
			b.Sequences = [][]any{{}}
		case SectionAMQPValue:
			b.Value = typeOf(s.Value)
			switch r.Next() {
			case wire.String:
				text, ok := s.Value.text(wire.String)
				if !ok {
					text = []byte{0xff} // no string, whatever it is
				}
				b.Value = string(text)
			case wire.Map:
				value := map[any]any{}
				outer, n := r.Map()
				for range n {
					if r.Next() != wire.String {
						value[false] = nil
					}
					r.Skip()
					r.Skip()
				}
				r.Leave(outer)
				b.Value = value
			}
			if err := r.Err(); err != nil {
				return Body{}, 0, wireError("body", s.Offset+len(s.Bytes)-len(s.Value), err)
			}
		}
	}
	encoding, err := m.Property(FieldContentEncoding)
	if err != nil {
		return Body{}, 0, err
	}
	b.ContentEncoding, _ = encoding.Text()
	if b.ContentType, b.Annotation, err = m.saidOfKind(); err != nil {
		return Body{}, 0, err
	}
	return b, sections, nil
}
