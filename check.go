package amqpjms

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/charset"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A Problem is something in a message that a peer misreads, refuses or ignores, or that AMQP forbids.
type Problem struct {
	In   string // where: "header", "annotation x-opt-jms-dest", "body", …
	Who  string // a peer's Product, or "Qpid JMS" (a JMS application), "go-amqp" (a Go program), "AMQP 1.0" (the specification)
	What string // the harm
}

// String returns the problem on one line.
func (p Problem) String() string { return p.In + ": " + p.Who + ": " + p.What }

// Who a problem is with, beside the peers.
const (
	whoAMQP   = "AMQP 1.0"
	whoJMS    = "Qpid JMS"
	whoGoAMQP = "go-amqp"
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

// Check returns what p, a JMS application or a Go program behind it would misread, refuse or
// ignore in an encoded message, what it lacks for them, and what AMQP forbids. It goes by the
// fields of p; Product adds the known defects of that product. The zero Peer stands for all the
// predefined ones.
//
// Each claim was observed on the versions that [Artemis] and the others name; other harms are
// possible. A problem is listed once. The time grows with the message; texts, data and keys are
// copied.
func Check(msg []byte, p Peer) []Problem {
	c := checker{peers: []Peer{p}}
	if p == (Peer{}) {
		c.peers = []Peer{Artemis(), ActiveMQ(), BrokerJ(), RabbitMQ(), RabbitMQ3(), ServiceBus()}
	}
	if err := c.m.Parse(msg); err != nil {
		c.add("message", whoAMQP, plainError(err))
		return c.problems
	}
	c.header()
	c.annotations()
	c.properties()
	c.applicationProperties()
	c.body()
	c.limits()
	return c.problems
}

type checker struct {
	peers    []Peer
	m        RawMessage
	problems []Problem
	listed   map[Problem]bool
}

// add adds a problem, once: a message can have one in a million places that look the same.
func (c *checker) add(in, who, what string) {
	p := Problem{in, who, what}
	if c.listed == nil {
		c.listed = map[Problem]bool{}
	}
	if !c.listed[p] {
		c.listed[p] = true
		c.problems = append(c.problems, p)
	}
}

// defect adds a problem that one product has, whatever the fields of its Peer say.
func (c *checker) defect(in, product, what string) {
	c.each(in, what, func(p *Peer) bool { return p.Product == product })
}

// each adds a problem for each peer that has it.
func (c *checker) each(in, what string, has func(p *Peer) bool) {
	for i := range c.peers {
		if p := &c.peers[i]; has(p) {
			who := p.Product
			if who == "" {
				who = "the peer"
			}
			c.add(in, who, what)
		}
	}
}

// plainError returns an error's text without the package's name, for a Problem.
func plainError(err error) string { return strings.TrimPrefix(err.Error(), "amqpjms: ") }

// The line above a claim about a peer names what shows the harm: a recorded case of testdata, or
// a row of internal/interop/TABLE.md. TestCheckEvidence holds the list.

func (c *checker) header() {
	h := c.m.Header
	const in = "header"
	if h.Mode == ModeUnset {
		// live: no header, in contrast: Go to JMS
		c.defect(in, productRabbitMQ, "durable is unset: 4.0 reads true, 4.3 false")
	}
	if h.Priority.Or(0) > 9 {
		// qpid-jms-receive: header-priority-255
		c.add(in, whoJMS, "priority above 9, read as 9")
	}
	switch n := h.DeliveryCount.Or(0); {
	case n == math.MaxUint32:
		// qpid-jms-receive: header-delivery-count-int-max, whose range it ends
		c.add(in, whoJMS, "delivery-count 2^32-1: JMSXDeliveryCount is 0")
	case n >= math.MaxInt32:
		// qpid-jms-receive: header-delivery-count-int-max
		c.add(in, whoJMS, "delivery-count from 2^31-1: JMSXDeliveryCount is negative")
	}
	c.expiry(h.TTL)

	// go-programs: rabbitmq-client-publish
	if h.Mode != ModeUnset && h.Priority == Some[uint8](0) && !c.sentByJMS() {
		c.add(in, whoGoAMQP, "priority 0, the lowest: a MessageHeader has it unless Priority is set")
	}
}

// sentByJMS reports whether the message looks like one of a JMS client, whose priority is what the
// application asked for: beside the annotations of JMS, which Go programs write too, it has the
// creation-time, which a JMS client sets unless told not to [jms 3.4.4].
func (c *checker) sentByJMS() bool {
	kind, _ := c.m.Annotation(AnnotationMessageKind)
	destination, _ := c.m.Annotation(AnnotationDestination)
	created, _ := c.timestamp()
	return created > 0 && (kind != nil || destination != nil)
}

// expiry compares the ttl with the absolute-expiry-time.
func (c *checker) expiry(ttl Opt[uint32]) {
	v, err := c.m.Property(FieldAbsoluteExpiryTime)
	if err != nil {
		return // reported with the properties
	}
	expiry := v.number()
	switch {
	case ttl.Or(0) > 0 && v == nil:
		for _, product := range []string{productArtemis, productRabbitMQ, productRabbitMQ3} {
			// live: ttl that has waited: Go to Go
			c.defect("header", product, "forwards the ttl unreduced; without absolute-expiry-time each receiver counts from its own time of receipt")
		}
	case ttl.Or(0) == 0 && expiry.kind == numberTimestamp && expiry.n > 0:
		const what = "no ttl: absolute-expiry-time alone does not expire the message"
		// live: absolute-expiry-time alone: Go to Go
		c.defect("header", productBrokerJ, what)
		c.defect("header", productRabbitMQ, what)
		// service-bus: receive-lib-ttl-60-days
		c.defect("header", productServiceBus, what+" in the Java, Go and Python SDKs")
	case expiry.kind == numberTimestamp && expiry.n > 0:
		created, err := c.timestamp()
		if err == nil && created > 0 && expiry.n-created < int64(ttl.Or(0))-1000 { // a ttl is lowered as the message waits
			c.add("absolute-expiry-time", whoJMS, "earlier than creation-time plus ttl: a broker that goes by ttl delivers what has expired here")
		}
	}
}

func (c *checker) annotations() {
	for _, name := range []string{AnnotationDestination, AnnotationReplyTo, AnnotationMessageKind} {
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
		if name == AnnotationMessageKind {
			_, err := MessageKindFrom(n)
			effect, known = "the application never gets the message", err == nil
		} else {
			known = DestinationKindFrom(n, nil) != UnknownKind
		}
		switch t := v.Type(); {
		case t != "byte":
			what := "got " + t + ", want byte: "
			if name == AnnotationMessageKind || t != "string" && t != "symbol" || kindOfRaw(v) == UnknownKind {
				// qpid-jms-receive: destination-annotation-ubyte-1, body-msg-type-string-5; live: a ubyte as x-opt-jms-msg-type: Go to JMS
				c.add(in, whoJMS, what+effect)
			}
		case !known:
			// qpid-jms-receive: destination-annotation-byte-4
			c.add(in, whoJMS, "out of range: "+effect)
		}
	}
	c.delays()
	c.misplaced()
	c.annotationKeys(c.m.MessageAnnotations, "message-annotations")
	c.annotationKeys(c.m.DeliveryAnnotations, "delivery-annotations")
}

// kindOfRaw returns the kind of destination that words name.
func kindOfRaw(v RawValue) DestinationKind {
	text, _ := v.Text()
	return DestinationKindFrom(nil, text)
}

// misplaceable returns the names that count as message annotations only.
func misplaceable() []string {
	return []string{AnnotationDestination, AnnotationReplyTo, AnnotationMessageKind, AnnotationDeliveryTime, AnnotationDeliveryDelay, AnnotationEnqueueTime}
}

// misplaced looks for these names in other sections before the body, and for
// ways to delay that the peers do not have.
func (c *checker) misplaced() {
	for _, name := range misplaceable() {
		if v, _ := c.m.DeliveryAnnotation(name); v != nil {
			// qpid-jms-receive: delivery-time-in-delivery-annotations; go-programs: amc-put
			c.add("delivery-annotation "+name, whoJMS, "ignored: it is a message annotation")
		}
		if v, _ := c.m.find(c.m.ApplicationProperties, wire.String, name, false); v != nil {
			// qpid-jms-receive: delivery-time-as-application-property
			c.add("property "+quote(name), whoJMS, "ignored: it is a message annotation")
		}
	}
	for _, name := range []string{"_AMQ_SCHED_DELIVERY", "ScheduledEnqueueTimeUtc", "x-delay", "JMSDeliveryTime", propertyScheduledDelay, "AMQ_SCHEDULED_CRON", "AMQ_SCHEDULED_PERIOD", "AMQ_SCHEDULED_REPEAT"} {
		in := ""
		if v, _ := c.m.find(c.m.ApplicationProperties, wire.String, name, false); v != nil && name != propertyScheduledDelay { // the application's own, see delays
			in = "property " + quote(name)
		} else if v, _ := c.m.Annotation(name); v != nil {
			in = "annotation " + name
		} else {
			continue
		}
		scheduledByActiveMQ := strings.HasPrefix(name, "AMQ_") && strings.HasPrefix(in, "property")
		// live: other brokers' delays: Go to Go
		c.each(in, "not a delay: the message is delivered at once", func(p *Peer) bool {
			return !(scheduledByActiveMQ && p.Product == productActiveMQ)
		})
	}
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
		c.add(in, whoAMQP, "duplicate key "+quote(key)+": "+read)
	}
}

// What is read of equal keys.
const (
	readSectionKeys = "go-amqp keeps the last value, a RawMessage reads the first"
	readBodyKeys    = "go-amqp keeps the last value"
)

// annotationKeys looks for keys of annotations that are not symbols, reserved, or equal.
func (c *checker) annotationKeys(section []byte, in string) {
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
		switch t := key.Type(); t {
		case "symbol":
			name, ok := key.text(wire.Symbol)
			if !ok {
				c.add(in, whoAMQP, "key is not ASCII")
				continue
			}
			c.key(seen, name, in, readSectionKeys)
			if in != "footer" && !bytes.HasPrefix(name, []byte("x-")) {
				c.add(in, whoAMQP, "key "+quote(name)+" is reserved: it does not start with x-") // [amqp 3.2.10]
			}
		case "ulong":
			c.add(in, whoAMQP, "key is a ulong, which AMQP reserves and go-amqp cannot write") // [amqp 3.2.10]
		default:
			c.add(in, whoAMQP, "key is "+t+", not symbol")
			if in == "message-annotations" {
				// qpid-jms-receive: delivery-time-string-key
				c.add(in, whoJMS, "key is "+t+", not symbol: the application never gets the message")
			}
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
		n, t := v.number(), v.Type()
		if form != DelayProperty {
			// live: delivery delay by x-opt-delivery-delay: Go to Go
			c.each(in, "not a delay: the message is delivered at once", func(p *Peer) bool { return p.ignores(form) })
		}
		switch form {
		case DelayAbsolute:
			if n.kind == numberTimestamp || n.kind == numberOther && !isFloat(t) {
				// live: delivery times of other types: Go to Go
				c.each(in, "got "+t+", want long: the message is delivered at once", func(p *Peer) bool { return p.Delay == DelayAbsolute })
			}
			if isFloat(t) || n.kind == numberTooLarge {
				// qpid-jms-receive: delivery-time-float, delivery-time-double, delivery-time-decimal32, delivery-time-ulong-max
				c.add(in, whoJMS, t+" converted to long, losing precision")
			}
		case DelayEnqueueTime:
			if t != "timestamp" {
				// service-bus: python-scheduled-ttl, js-scheduled, go-scheduled
				c.each(in, "got "+t+", want timestamp", func(p *Peer) bool { return p.Delay == DelayEnqueueTime })
			}
		case DelayRelative:
			// brokers that serve it add no delivery time, and Qpid JMS reads nothing else
			c.add(in, whoJMS, "ignored: JMSDeliveryTime is JMSTimestamp")
			takes := func(p *Peer) bool { return p.Delay != DelayUnset && !p.ignores(form) }
			switch {
			case n.kind == numberTooLarge:
				c.each(in, "got "+t+" above 2^63-1, want milliseconds", takes)
			case n.kind == numberInteger && n.n < 0:
				c.each(in, "negative, want milliseconds", takes)
			case n.kind != numberInteger && n.kind != numberNone:
				c.each(in, "got "+t+", want long", takes)
			}
		case DelayProperty:
			// live: delivery delay by AMQ_SCHEDULED_DELAY: Go to Go
			c.each(in, "treated as a delay and removed", func(p *Peer) bool { return p.Product == productActiveMQ && p.Delay != DelayProperty })
		}
		if form == DelayAbsolute || form == DelayEnqueueTime {
			c.unit(in, n)
		}
	}
	if forms > 1 {
		c.add("message-annotations", whoJMS, "more than one form of delay: which one counts depends on the peer")
	}
}

// unit looks for a time that is not in milliseconds. Seconds from 2001 on, which is all the time that
// there has been AMQP 1.0, are milliseconds before 1980 until the year 11968; smaller numbers may be a
// time long ago, at once. Microseconds from 1971 on are milliseconds after the year 2999; the last
// time that there is may stand for never.
func (c *checker) unit(in string, n number) {
	const in2001, in1980, in3000 = 1e9, 315_532_800_000, 32_503_680_000_000
	created, err := c.timestamp()
	switch {
	case n.kind != numberInteger && n.kind != numberTimestamp:
	case err == nil && created > 0 && n.n > 0 && n.n < created/100:
		c.add(in, whoJMS, "long before creation-time: milliseconds since 1970, not seconds")
	case in2001 <= n.n && n.n < in1980:
		c.add(in, whoJMS, "before 1980: milliseconds since 1970, not seconds")
	case n.n >= in3000 && n.n < math.MaxInt64:
		c.add(in, whoJMS, "after the year 2999: milliseconds since 1970, not microseconds")
	}
}

// isFloat reports whether a type of AMQP has numbers that are not whole.
func isFloat(t string) bool { return t == "float" || t == "double" || strings.HasPrefix(t, "decimal") }

// ignores reports whether a peer is known to deliver a message at once that asks for a delay by an
// annotation of this form. Artemis and ActiveMQ take the relative form beside the absolute one; a
// peer may not have said how it delays.
func (p *Peer) ignores(form DelayForm) bool {
	switch {
	case p.Delay == DelayUnset || p.Delay == form:
		return false
	case form == DelayRelative && p.Delay == DelayAbsolute:
		return p.Product == productBrokerJ
	case form == DelayAbsolute && p.Delay == DelayEnqueueTime:
		return false // its JMS client sends it
	case form == DelayRelative || form == DelayAbsolute:
		return p.Delay != DelayProperty // ActiveMQ's, which takes them too
	}
	return true
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
				if v.Type() == wire.Symbol.String() {
					c.add(in, whoAMQP, "got symbol, want string, ulong, uuid or binary")
					// qpid-jms-receive: id-wrong-type-symbol
					c.add(in, whoJMS, "got symbol: cannot be read")
				}
				c.id(in, id, v)
			}
			continue
		}
		r := wire.NewReader(v)
		switch t := r.Next(); t {
		case want:
			c.field(field, v, want)
		default:
			c.add(in, whoAMQP, "got "+t.String()+", want "+want.String())
			switch field {
			case FieldUserID, FieldSubject, FieldCreationTime, FieldGroupSequence: // as it was seen of these
				// qpid-jms-receive: header-user-id-string, header-subject-symbol, header-creation-time-long-instead-of-timestamp, group-seq-int-instead-of-uint
				c.add(in, whoJMS, "the application never gets the message")
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
			c.add(in, whoJMS, "the year 1, which go-amqp sends for a zero time.Time")
		}
	}
	switch field {
	case FieldUserID:
		b, _ := v.Bytes()
		if _, err := JMSXUserID(b); err != nil {
			// qpid-jms-receive: header-user-id-invalid-utf8
			c.add(in, whoJMS, "not valid UTF-8: JMSXUserID has replacement characters")
		}
		// live: JMSXUserID: Go to JMS
		c.defect(in, productRabbitMQ, "refused unless it is the user of the connection")
	case FieldTo, FieldReplyTo:
		c.address(field, v)
	case FieldGroupID:
		for _, product := range []string{productRabbitMQ, productRabbitMQ3} {
			// live: groups: each to one consumer, in order
			c.defect(in, product, "ignored: no message groups")
		}
		if text, _ := v.Text(); text == "" {
			// service-bus: go-session-empty
			c.defect(in, productServiceBus, "empty: a queue with sessions refuses it")
		}
	case FieldGroupSequence:
		n, _ := v.Int()
		if n == math.MaxUint32 {
			// live: a group closed by JMSXGroupSeq -1
			c.defect(in, productArtemis, "-1 as JMSXGroupSeq: closes the group")
		}
		if n > math.MaxInt32 {
			// live: a group closed by JMSXGroupSeq -2
			c.defect(in, productActiveMQ, "negative as JMSXGroupSeq: closes the group")
		}
	}
}

// address checks a to or a reply-to.
func (c *checker) address(field PropertiesField, v RawValue) {
	in := field.String()
	annotation, legacy := AnnotationDestination, annotationToType
	if field == FieldReplyTo {
		annotation, legacy = AnnotationReplyTo, annotationReplyType
	}
	address, ok := v.Text()
	switch {
	case !ok: // reported
		return
	case address == "":
		// qpid-jms-receive: destination-to-empty; go-programs: amc-put
		c.add(in, whoJMS, "empty: a queue without a name")
		return
	}
	// live: bare addresses: an anonymous Go to Go
	c.each(in, "not an address of this peer: a message sent there is refused", func(p *Peer) bool { return !p.takes(address) })
	a, err := c.m.Annotation(annotation)
	l, err2 := c.m.Annotation(legacy)
	if err == nil && err2 == nil && a == nil && l == nil {
		// qpid-jms-receive: destination-to-no-annotation-consumer-topic
		c.each(in, "no "+annotation+": a JMS application takes the kind of its own destination", func(p *Peer) bool {
			return field == FieldReplyTo && p.kindOfPrefix(address) == UnknownKind
		})
	}
}

// takes reports whether the peer takes an address as it is.
func (p *Peer) takes(address string) bool { return p.replyAddress(address, UnknownKind) == address }

func (c *checker) id(in string, id ID, v RawValue) {
	for _, product := range []string{productRabbitMQ, productRabbitMQ3} {
		// seen of 3.10.8, 4.0.5 and 4.3.6 with an AMQP 0-9-1 client
		switch {
		case id.kind == idUlong || id.kind == idUUID:
			c.defect(in, product, v.Type()+": AMQP 0-9-1 clients get it as text")
		case id.kind == idBinary:
			c.defect(in, product, "binary: AMQP 0-9-1 clients get it in a header or in another form")
		case len(id.text) > 255:
			c.defect(in, product, "longer than 255 bytes: AMQP 0-9-1 clients get it in a header")
		}
	}
	switch id.kind {
	case idUlong, idUUID:
		// service-bus: receive-lib-message-id-ulong, receive-lib-message-id-uuid
		c.defect(in, productServiceBus, v.Type()+": the Go SDK shows no id, a reply through the Java SDK has its text")
	case idBinary:
		// service-bus: receive-lib-message-id-binary, js-message-id-buffer
		c.defect(in, productServiceBus, "binary: the Go SDK shows no id, replies through the Java and JavaScript SDKs have another")
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
				c.add(in, whoAMQP, "key is not valid UTF-8")
				continue
			}
			c.add(in, whoAMQP, "key is "+key.Type()+", not string")
			// qpid-jms-receive: property-int-key, property-null-key
			c.add(in, whoJMS, "key is "+key.Type()+", not string: the application never gets the message")
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
		// qpid-jms-receive: property-name-with-dash
		c.add(in, whoJMS, "hidden: the name is not a Java identifier")
	}
	switch t {
	case wire.Boolean, wire.Byte, wire.Short, wire.Int, wire.Long, wire.Float, wire.Double, wire.String, wire.Null:
	default:
		// qpid-jms-receive: property-ubyte, property-symbol, property-array, property-described
		c.add(in, whoJMS, t.String()+": its typed getters throw")
	}
	switch name {
	case "JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq", "JMS_AMQP_TTL", "JMS_AMQP_REPLY_TO_GROUP_ID":
		// qpid-jms-receive: group-jmsxgroupid-as-application-property, property-name-jmsxdeliverycount, property-name-jms-amqp-ttl
		c.add(in, whoJMS, "ignored: the name is that of a field")
	}
}

func (c *checker) body() {
	b, sections, err := c.m.body()
	if err != nil {
		c.add("body", whoAMQP, plainError(err))
		return
	}
	c.bodyKeys()
	const in = "body"
	form := b.form()
	switch form {
	case formNone:
		// live: Message: JMS to Go
		c.defect(in, productRabbitMQ, "no section: ends the session (4.0) or the link (4.3)")
	case formNull:
		// service-bus: receive-lib-text-null, receive-jms-body-text-not-set
		c.each(in, "amqp-value null ends the Java SDK's receiver, again on each new one", func(p *Peer) bool { return p.NoNullBody })
	case formSequence, formData:
		if sections > 1 {
			// qpid-jms-receive: body-data-two-sections, body-stream-two-sequences
			c.add(in, whoJMS, "several sections: only the last is read")
		}
		if sections > 1 && form == formData {
			// live: several data sections: Go to Go
			c.defect(in, productActiveMQ, "several sections: only the first is kept")
		}
	}
	if _, text := b.Value.(string); form == formSequence || form == formValue && (!text || len(c.peers) == 1) { // a text is good elsewhere
		// service-bus: receive-jms-header-defaults-message-producer, receive-lib-map, receive-lib-stream
		c.each(in, "not data: the Java SDK's getBody throws, the Go SDK's Body is nil", func(p *Peer) bool { return p.TextAsData })
	}
	if b.Kind() == MapMessage && c.m.mapHasHighText() {
		// live: MapMessage of a character above U+FFFF: Go to JMS
		c.defect(in, productActiveMQ, "a character above U+FFFF in a map becomes invalid UTF-8, and Qpid JMS loses the message")
	}
	if b.Kind() == StreamMessage {
		c.stream()
	}
	c.kind(b)
	c.readable(b)
}

// kind looks for bodies without a kind that JMS reads as another kind of message.
func (c *checker) kind(b Body) {
	annotated, _ := MessageKindFrom(b.Annotation)
	if annotated != (Opt[MessageKind]{}) {
		return
	}
	const missing = "no " + AnnotationMessageKind + ": "
	_, isMap := b.Value.(map[any]any)
	_, isList := b.Value.([]any)
	switch form := b.form(); {
	case isMap:
		// qpid-jms-receive: body-value-map
		c.add("body", whoJMS, missing+"read as an ObjectMessage, not a MapMessage")
	case isList, form == formSequence:
		// qpid-jms-receive: body-sequence-two-no-annotation
		c.add("body", whoJMS, missing+"read as an ObjectMessage, not a StreamMessage")
	case form == formData && b.ContentType == "":
		// qpid-jms-receive: body-data-vbin8
		c.add("body", whoJMS, missing+"read as a BytesMessage, also if it is a text")
	}
}

// bodyKeys looks at the keys of the body, if that is a map, and of the footer.
func (c *checker) bodyKeys() {
	for s := range c.m.BodySections() {
		switch s.Kind {
		case SectionAMQPValue:
			r := wire.NewReader(s.Value)
			_, n := r.Map() // 0 entries if it is not a map
			seen := keys{}
			for range n {
				if key, ok := RawValue(r.Value()).text(wire.String); ok {
					c.key(seen, key, "body", readBodyKeys)
				}
				r.Skip()
			}
		case SectionFooter:
			c.annotationKeys(s.Bytes, "footer")
			for _, name := range misplaceable() {
				if v, _ := c.m.find(s.Bytes, wire.Symbol, name, false); v != nil {
					c.add("footer "+name, whoJMS, "ignored: it is a message annotation")
				}
			}
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
			case wire.Null, wire.Boolean, wire.Byte, wire.Short, wire.Int, wire.Long, wire.Float, wire.Double, wire.String, wire.Binary, wire.Char:
			default:
				// qpid-jms-receive: body-stream-amqp-only-ubyte and the others of that name
				c.add("body", whoJMS, t.String()+" in a stream cannot be read")
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
	const in, lost = "body", "cannot be read, and the message is lost: " // qpid-jms-receive: body-map-msg-type-data and others
	annotated, _ := MessageKindFrom(b.Annotation)
	kind, form := b.Kind(), b.form()
	switch {
	case kind == TextMessage && form == formData:
		typed, name, err := parseContentType(b.ContentType).charset("")
		cs := typed
		switch {
		case annotated == Opt[MessageKind]{} && errors.Is(err, errUnknownCharset):
			// qpid-jms-receive: body-data-content-type-text-plain-unknown-charset
			c.add(in, whoJMS, "shown as bytes: unknown charset "+quote(name))
			return
		case annotated == Opt[MessageKind]{} && err != nil:
			c.add(in, whoJMS, "shown as bytes: "+plainError(err))
			return
		case err != nil || annotated != Opt[MessageKind]{} && cs != charset.UTF8:
			c.add(in, whoJMS, "read as UTF-8: x-opt-jms-msg-type overrides the charset")
			cs = charset.UTF8
		}
		data := joined(b.Data)
		if _, ok := cs.Decode(data); !ok {
			c.add(in, whoJMS, lost+plainError(invalidText(cs, data)))
		}
		if !encodesNothing(b.ContentEncoding) {
			c.add(in, whoJMS, "unsupported content-encoding "+quote(b.ContentEncoding)+": the text is read encoded")
		} else if said, _, err := b.charset(); err == nil && said != typed && said != charset.ASCII {
			c.add(in, whoJMS, "read as "+cs.String()+": the charset in content-encoding is ignored")
		}
	case kind == ObjectMessage && b.Value == any(unread(wire.Described.String())):
		c.add(in, whoJMS, "an ObjectMessage of a described value cannot be read")
	case kind == ObjectMessage && form == formData && parseContentType(b.ContentType).media != contentJavaObject:
		c.add(in, whoJMS, "an ObjectMessage of data cannot be read: content-type is not "+contentJavaObject)
	default:
		if err := b.check(); err != nil {
			if _, ok := b.Value.(map[any]any); ok && kind == MapMessage {
				c.add(in, whoJMS, "the value of a key that is not a string cannot be read")
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
		_, n := r.Map() // 0 entries if it is not a map
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
	if _, b.Annotation, err = m.kindFields(); err != nil {
		return Body{}, 0, err
	}
	contentType, err := m.Property(FieldContentType)
	if err != nil {
		return Body{}, 0, err
	}
	b.ContentType, _ = contentType.Text()
	return b, sections, nil
}

// limits looks for what ends the link of a go-amqp receiver, again on each new one: the message is
// never settled, and what is behind it never received.
func (c *checker) limits() {
	for s, err := range c.m.Sections() {
		if err != nil {
			return // reported with the body
		}
		in := s.Kind.String()
		if s.Kind >= SectionData && s.Kind <= SectionAMQPValue {
			in = "body"
		}
		if s.Bytes[1] != 0x53 && s.Bytes[1] != 0x80 {
			// qpid-jms-receive: header-descriptor-symbol-sym32
			c.add(in, whoGoAMQP, "symbolic section descriptor: ends the link")
		}
		if s.Kind > SectionHeader {
			r := wire.NewReader(s.Value)
			c.scan(&r, in, 0)
		}
	}
}

// scan looks into a value.
func (c *checker) scan(r *wire.Reader, in string, depth int) {
	ends := func(what string) { c.add(in, whoGoAMQP, what+": ends the link") }
	if depth > wire.MaxDepth {
		r.Skip()
		return
	}
	switch t := r.Next(); t {
	case wire.Char, wire.Decimal32, wire.Decimal64, wire.Decimal128:
		// qpid-jms-receive: body-value-char, body-value-decimal64, property-decimal32, property-decimal128
		ends(t.String())
		if t == wire.Char || t == wire.Decimal128 {
			// service-bus: receive-jms-body-map-char, receive-sdk-python-property-decimal
			c.defect(in, productServiceBus, t.String()+": the Go and Python SDKs get no message")
		}
		r.Skip()
	case wire.List:
		outer, n := r.List()
		for i := 0; i < n && r.Err() == nil; i++ {
			c.scan(r, in, depth+1)
		}
		r.Leave(outer)
	case wire.Map:
		outer, n := r.Map()
		for i := 0; i < n && r.Err() == nil; i++ {
			c.mapKey(*r, in, depth)
			c.scan(r, in, depth+1)
			c.scan(r, in, depth+1)
		}
		r.Leave(outer)
	case wire.Array:
		inside := *r
		_, constructor, _ := inside.Array()
		if len(constructor) > 0 {
			element := wire.NewReader(constructor)
			switch e := element.Next(); e {
			case wire.Char, wire.Decimal32, wire.Decimal64, wire.Decimal128, wire.Array, wire.List, wire.Described:
				ends("array of " + e.String())
			}
		}
		r.Skip()
	case wire.Described:
		r.Descriptor()
		c.scan(r, in, depth+1)
	default:
		r.Skip()
	}
}

// mapKey looks for a key that go-amqp makes a value of that cannot be a key of a Go map. It refuses
// one in most maps, but neither a described one nor one of annotations.
func (c *checker) mapKey(r wire.Reader, in string, depth int) {
	t := r.Next()
	key, panics := t.String(), depth == 0 && in != SectionApplicationProperties.String() && in != "body"
	if t == wire.Described {
		for t == wire.Described && r.Err() == nil {
			r.Descriptor()
			t = r.Next()
		}
		key, panics = "described "+t.String(), true
	}
	switch {
	case t != wire.List && t != wire.Map && t != wire.Array && t != wire.Binary:
	case panics:
		c.add(in, whoGoAMQP, "map key of type "+key+": panics, which ends the program")
	default:
		c.add(in, whoGoAMQP, "map key of type "+key+": ends the link")
	}
}

// timestamp returns JMSTimestamp.
func (c *checker) timestamp() (int64, error) {
	return Consumer{}.ViewRaw(&c.m, time.Time{}).Timestamp()
}
