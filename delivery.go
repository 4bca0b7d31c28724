package amqpjms

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A Producer holds the settings of a JMS producer. They apply to every message sent with it
// and overwrite what an application set on the message [jms 3.4.11]. The zero Producer sends
// as JMS does by default: persistent, priority 4, never expires, at once, with an id and a
// timestamp. Producers can be compared with == and used by several goroutines at once.
type Producer struct {
	Peer        Peer
	Destination Destination // the zero Destination sends none; the consumer then takes its own

	Mode     DeliveryMode // ModeUnset is Persistent
	Priority Opt[uint8]   // 0 to 9, 4 if unset

	// TimeToLive counts from the time of send, rounded up to milliseconds. 0: the message
	// never expires. Above 2^32-1 ms the header has no ttl, see [Peer.CapTTL]; the expiration
	// is still sent.
	TimeToLive time.Duration

	// DeliveryDelay counts from the time of send, rounded up to milliseconds. 0: deliver at
	// once. A delay needs a Peer that delays.
	DeliveryDelay time.Duration

	NoMessageID bool   // send without a message id
	NoTimestamp bool   // send without a creation-time
	UserID      string // JMSXUserID, none if empty

	// WireTTL is JMS_AMQP_TTL: the header's ttl in milliseconds, in place of TimeToLive, which
	// still sets the expiration. 0 leaves the ttl out.
	WireTTL Opt[uint32]
}

// A Stamp holds the fields that a producer sets on a message at send [jms 3.4.11].
// [Stamp.Apply] writes it to an *amqp.Message. A program with a message type of its own
// writes the fields, [Stamp.Annotations] and [Stamp.ApplicationProperties], and the body and
// annotation that [Body.Outgoing] returns. Stamps can be compared with ==.
type Stamp struct {
	Peer        Peer // to which the message is sent
	Header      Header
	Destination Destination // JMSDestination
	Address     string      // of the destination, for properties.to; "" without Destination
	MessageID   ID          // the zero ID if ids are disabled
	UserID      string      // JMSXUserID, "" for none

	// Milliseconds since 1970-01-01 UTC.
	Timestamp    int64 // JMSTimestamp; 0 if timestamps are disabled
	DeliveryTime int64 // JMSDeliveryTime: the time of send plus the delay, timestamps disabled or not
	Expiration   int64 // JMSExpiration; 0: never

	DeliveryDelay int64 // milliseconds; 0: none
}

// Stamp returns the fields of a message that is sent now with an id; the zero ID and NoMessageID
// send none. [Producer.Prepare] stamps an *amqp.Message with a new id.
//
// now is the time when the client calls send, in a transaction too [jms 3.4.13], cut to
// milliseconds; it must be after 1970-01-01 UTC. A message sent again needs a new id.
//
// It is an error, a *[ValueError], if a setting is out of range, if there is a delay that the
// peer cannot serve, if a time to live or WireTTL is shorter than the delay, if a relative
// form of delay lacks the timestamp that it counts from, or if a sum overflows.
func (p Producer) Stamp(now time.Time, id ID) (Stamp, error) {
	sent, ok := wire.UnixMilli(now)
	if !ok {
		return Stamp{}, &ValueError{What: "time of send", Value: now.String(), Err: errOverflow}
	}
	if sent <= 0 { // a creation-time of 0 means none
		return Stamp{}, &ValueError{What: "time of send", Value: now.String(), Err: errors.New("not after 1970-01-01 UTC")}
	}
	address, err := p.Peer.Address(p.Destination)
	if err != nil {
		return Stamp{}, err
	}
	if p.Mode > Persistent {
		return Stamp{}, &ValueError{What: "delivery mode", Value: p.Mode.String(), Err: errors.New("want Persistent or NonPersistent (Producer.Mode)")}
	}
	if priority := p.Priority.Or(DefaultPriority); priority > 9 { // [jms 3.4.10]
		return Stamp{}, &ValueError{What: "priority", Value: strconv.Itoa(int(priority)), Err: errors.New("want 0 to 9 (Producer.Priority)")}
	}
	if err := checkText("user id", p.UserID); err != nil {
		return Stamp{}, setBy("Producer.UserID", err)
	}
	if p.NoMessageID {
		id = ID{}
	}
	s := Stamp{
		Header:      Header{Mode: p.Mode.or(Persistent), Priority: p.Priority},
		Destination: p.Destination,
		Address:     address,
		MessageID:   id,
		UserID:      p.UserID,
		Peer:        p.Peer,
	}
	if !p.NoTimestamp {
		s.Timestamp = sent
	}
	if s.DeliveryDelay, err = p.delay(); err != nil {
		return Stamp{}, err
	}
	if s.DeliveryTime, err = addMilliseconds("delivery delay", sent, s.DeliveryDelay); err != nil {
		return Stamp{}, setBy("Producer.DeliveryDelay", err)
	}
	ttl, err := wholeMilliseconds("time to live", p.TimeToLive)
	if err == nil && ttl > 0 {
		s.Expiration, err = addMilliseconds("time to live", sent, ttl)
	}
	if err == nil && 0 < ttl && ttl < s.DeliveryDelay {
		err = &ValueError{What: "time to live", Value: p.TimeToLive.String(), Err: p.tooShort()}
	}
	if err != nil {
		return Stamp{}, setBy("Producer.TimeToLive", err)
	}
	s.Header.TTL = headerTTL(ttl)
	if p.Peer.CapTTL {
		s.Header.TTL = headerTTL(min(ttl, math.MaxUint32))
	}
	if override, ok := p.WireTTL.Get(); ok {
		ttl := int64(override)
		if 0 < ttl && ttl < s.DeliveryDelay {
			return Stamp{}, setBy("Producer.WireTTL", &ValueError{What: "header ttl", Value: milliseconds(ttl), Err: p.tooShort()})
		}
		s.Header.TTL = headerTTL(ttl)
	}
	return s, nil
}

// tooShort returns the error of a message that would expire before its delivery.
func (p Producer) tooShort() error {
	return fmt.Errorf("shorter than the delivery delay of %v", p.DeliveryDelay)
}

// delay returns the delivery delay in milliseconds, or an error if the peer cannot serve it.
func (p Producer) delay() (int64, error) {
	delay, err := wholeMilliseconds("delivery delay", p.DeliveryDelay)
	if err != nil {
		return 0, setBy("Producer.DeliveryDelay", err)
	}
	if delay > 0 {
		if err := p.Peer.Delay.unfit(!p.NoTimestamp, "Producer.Peer", "Producer.NoTimestamp"); err != nil {
			return 0, &ValueError{What: "delivery delay", Value: p.DeliveryDelay.String(), Err: err}
		}
	}
	return delay, nil
}

// setBy returns err with the field that sets the value.
func setBy(field string, err error) error {
	if e, ok := err.(*ValueError); ok {
		return &ValueError{What: e.What, Value: e.Value, Err: fmt.Errorf("%w (%s)", e.Err, field)}
	}
	return err
}

// addMilliseconds returns the end of a span that starts at from, in milliseconds.
func addMilliseconds(what string, from, span int64) (int64, error) {
	if from > math.MaxInt64-span {
		return 0, &ValueError{What: what, Value: milliseconds(span), Err: errOverflow}
	}
	return from + span, nil
}

// milliseconds prints a span, which may be longer than a time.Duration.
func milliseconds(n int64) string { return strconv.FormatInt(n, 10) + "ms" }

// Annotations iterates over the message annotations that the producer sets: the kind of the
// destination, and the delay. A value is an int8, an int64 or a time.Time, to be sent as a
// byte, a long and a timestamp. nil removes an annotation that an earlier send may have left.
// A delay in the form of [DelayProperty] is among [Stamp.ApplicationProperties], and the kind
// of message comes from [Body.Outgoing].
func (s Stamp) Annotations() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		var kind any
		if s.Destination.Kind.valid() {
			kind = s.Destination.Kind.Annotation()
		}
		if !yield(AnnotationDestination, kind) || !yield(annotationToType, nil) {
			return
		}
		form := DelayUnset
		if s.DeliveryDelay > 0 {
			form = s.Peer.Delay
		}
		for _, e := range delayAnnotations(form, s.DeliveryTime, s.DeliveryDelay) {
			if !yield(e.Name, e.Value) {
				return
			}
		}
	}
}

// ApplicationProperties iterates over the application properties that the producer sets, as
// [Stamp.Annotations] does: AMQ_SCHEDULED_DELAY, an int64, or nil without a delay, if that is
// the peer's form. Beside a delay in another form do not send one that the application set.
func (s Stamp) ApplicationProperties() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if s.Peer.Delay != DelayProperty {
			return
		}
		var delay any
		if s.DeliveryDelay > 0 {
			delay = DelayProperty.value(s.DeliveryTime, s.DeliveryDelay)
		}
		yield(propertyScheduledDelay, delay)
	}
}

// checkDelay returns an error if the delay cannot be written in its form, in a stamp that
// [Producer.Stamp] did not make.
func (s *Stamp) checkDelay() error {
	if s.DeliveryDelay > 0 {
		if err := s.Peer.Delay.unfit(s.Timestamp != 0, "Stamp.Peer", "Stamp.Timestamp"); err != nil {
			return &ValueError{What: "delivery delay", Value: milliseconds(s.DeliveryDelay), Err: err}
		}
	}
	return nil
}

// checkScheduled returns an error if a message with this stamp cannot have a property
// AMQ_SCHEDULED_DELAY that the application set: beside a delay in another form.
func (s *Stamp) checkScheduled() error {
	if s.DeliveryDelay > 0 && s.Peer.Delay != DelayProperty {
		return &ValueError{What: "property", Value: quote(propertyScheduledDelay), Err: fmt.Errorf("conflicts with the delay in %v", s.Peer.Delay)}
	}
	return nil
}

// delayAnnotations returns all annotations that ask for a delay, the one of a form with its
// value, the others without, which removes them.
func delayAnnotations(form DelayForm, at, delay int64) (entries [3]Entry) {
	i := 0
	for _, f := range delayOrder {
		if delayForms[f].property {
			continue
		}
		entries[i].Name = delayForms[f].name
		if f == form {
			entries[i].Value = f.value(at, delay)
		}
		i++
	}
	return entries
}

// delays holds what a message says about its delivery time.
type delays struct {
	forms   [len(delayForms)]number
	created number // creation-time
}

// form returns the first form that is set, which decides; DelayUnset if none is.
func (d *delays) form() DelayForm {
	for _, f := range delayOrder {
		if d.forms[f].isSet() {
			return f
		}
	}
	return DelayUnset
}

// A DelayRequest is how a message asks to be delivered later, and when. Its Form is
// DelayUnset if the message does not ask.
type DelayRequest struct {
	Form DelayForm
	Time int64 // milliseconds since 1970-01-01 UTC
}

// request returns the request of the form that decides. A relative one counts from the
// creation-time, or without one from otherwise.
func (d *delays) request(otherwise Opt[int64]) (DelayRequest, error) {
	form := d.form()
	if form == DelayUnset {
		return DelayRequest{}, nil
	}
	n := d.forms[form]
	if !delayForms[form].relative {
		if n.kind >= numberTooLarge {
			return DelayRequest{}, n.wrong(form.String(), "want an integer up to 2^63-1 or a timestamp")
		}
		return DelayRequest{form, n.n}, nil
	}
	if n.kind != numberInteger || n.n < 0 {
		return DelayRequest{}, n.wrong(form.String(), "want an integer from 0 to 2^63-1")
	}
	created, ok, err := d.creation()
	if err != nil {
		return DelayRequest{}, err
	}
	if !ok {
		if created, ok = otherwise.Get(); !ok {
			return DelayRequest{}, n.wrong(form.String(), "the creation-time that it counts from is missing")
		}
	}
	at, err := addMilliseconds(form.String(), created, n.n)
	if err != nil {
		return DelayRequest{}, err
	}
	return DelayRequest{form, at}, nil
}

// creation returns the creation-time, if there is one.
func (d *delays) creation() (int64, bool, error) {
	switch d.created.kind {
	case numberNone:
		return 0, false, nil
	case numberTimestamp:
		return d.created.n, true, nil
	}
	return 0, false, d.created.wrong(FieldCreationTime.String(), "want a timestamp")
}

// deliveryTime returns JMSDeliveryTime [jms 3.4.13].
func (d *delays) deliveryTime() (int64, error) {
	request, err := d.request(Opt[int64]{})
	if err != nil {
		return 0, err
	}
	if request.Form != DelayUnset {
		return request.Time, nil
	}
	created, _, err := d.creation()
	return created, err
}

// delaysOf returns what a message says about its delivery time, up to the form that decides.
// The property counts if byProperty is set.
func delaysOf(m *amqp.Message, byProperty bool) delays {
	var d delays
	for _, f := range delayOrder {
		switch name := delayForms[f].name; {
		case !delayForms[f].property:
			d.forms[f] = numberFrom(annotationOf(m, name))
		case byProperty:
			d.forms[f] = numberFrom(m.ApplicationProperties[name])
		}
		if d.forms[f].isSet() {
			if !delayForms[f].relative {
				return d
			}
			break
		}
	}
	d.created = numberFromTime(propertiesOf(m).CreationTime)
	return d
}

// readDelays is delaysOf for bytes, into d, which must be zero. The creation-time of a
// message that asks for no delay is read only if undelayed is set.
func (m *RawMessage) readDelays(d *delays, byProperty, undelayed bool) error {
	if m.MessageAnnotations != nil {
		if err := m.readDelayAnnotations(d); err != nil {
			return err
		}
	}
	form := d.form()
	if form != DelayUnset && !delayForms[form].relative {
		return nil
	}
	if byProperty && form == DelayUnset {
		// Not strict: other malformed properties do not matter to a message without a delay.
		v, err := m.find(m.ApplicationProperties, wire.String, propertyScheduledDelay, false)
		if err != nil {
			return err
		}
		d.forms[DelayProperty] = v.number()
		form = d.form()
	}
	if form == DelayUnset && !undelayed {
		return nil
	}
	v, err := m.Property(FieldCreationTime)
	if err != nil {
		return err
	}
	d.created = v.number()
	return nil
}

// readDelayAnnotations reads the annotations in one pass, up to one that decides.
func (m *RawMessage) readDelayAnnotations(d *delays) error {
	r := wire.NewReader(m.MessageAnnotations)
	readSection(&r)
	outer, n := r.Map()
	var read [len(delayForms)]bool
	for range n {
		f := delayAnnotated(r.Name())
		if f == DelayUnset || read[f] { // the first of a name counts, as in Annotation
			r.Skip()
			continue
		}
		d.forms[f], read[f] = readNumber(&r), true
		if f == delayOrder[0] && d.forms[f].isSet() && r.Err() == nil {
			return nil
		}
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		return wireError(SectionMessageAnnotations.String(), m.offset(SectionMessageAnnotations), err)
	}
	return nil
}

// delayAnnotated returns the form whose annotation has a name, DelayUnset if none has.
func delayAnnotated(name []byte) DelayForm {
	for _, f := range delayOrder {
		if !delayForms[f].property && string(name) == delayForms[f].name {
			return f
		}
	}
	return DelayUnset
}

// expiration returns JMSExpiration. A time of 0 and a ttl of 0 mean never.
func expiration(absolute number, ttl Opt[uint32], received time.Time) (int64, error) {
	switch absolute.kind {
	case numberTimestamp:
		return absolute.n, nil
	case numberInteger, numberTooLarge, numberOther:
		return 0, absolute.wrong(FieldAbsoluteExpiryTime.String(), "want a timestamp")
	}
	span := int64(ttl.Or(0))
	if span == 0 {
		return 0, nil
	}
	if received.IsZero() {
		return 0, &ValueError{What: "time of receipt", Value: received.String(), Err: errors.New("needed to compute the expiration from the header's ttl")}
	}
	return addMilliseconds("ttl", received.UnixMilli(), span)
}

// DelayRequest returns how the message asks to be delivered later, in any form: the
// application property AMQ_SCHEDULED_DELAY counts, whoever set it. A relative form counts
// from the creation-time, or without one from arrived, the time when the broker got the
// message. If the message asks, its errors are those of [View.DeliveryTime]. It
// allocates nothing.
func (m *RawMessage) DelayRequest(arrived time.Time) (DelayRequest, error) {
	var d delays
	if err := m.readDelays(&d, true, false); err != nil {
		return DelayRequest{}, err
	}
	return d.request(instant(arrived))
}

// instant returns t in milliseconds, unset if t is zero.
func instant(t time.Time) Opt[int64] {
	if t.IsZero() {
		return Opt[int64]{}
	}
	return Some(t.UnixMilli())
}

// Due reports whether the message may be delivered at t.
func (d DelayRequest) Due(t time.Time) bool {
	return d.Form == DelayUnset || t.UnixMilli() >= d.Time
}

// RejectError returns the error with which a broker without a scheduler rejects a message
// that is not [DelayRequest.Due].
func (d DelayRequest) RejectError() *amqp.Error {
	return &amqp.Error{
		Condition:   amqp.ErrCondNotImplemented,
		Description: "delayed delivery is not supported; the message requests it by " + d.Form.String(),
	}
}

// A Forwarder passes messages on from one peer to another. The zero Forwarder knows nothing of
// either. Forwarders can be compared with ==.
type Forwarder struct {
	// From is where messages come from. If its form of delay is [DelayProperty], the property
	// AMQ_SCHEDULED_DELAY is a delay; else it belongs to the application.
	From Peer

	// To is where they go. A delay is forwarded as the time when it ends, past or not, in
	// x-opt-scheduled-enqueue-time if that is To's form of delay, else in x-opt-delivery-time:
	// in a relative form To would serve it again from the start. A delay that is not over is
	// an error if To cannot delay.
	To Peer

	// NodeDefault is the mode of a message whose header leaves durable unset. For
	// [Forwarder.Forward] that is only a message without a header: see [HeaderFrom].
	NodeDefault DeliveryMode
}

// delay returns the request that a message goes on with.
func (f Forwarder) delay(d *delays, now time.Time) (DelayRequest, error) {
	request, err := d.request(Opt[int64]{})
	if err != nil || request.Form == DelayUnset {
		return DelayRequest{}, err
	}
	if f.To.Delay == DelayNone && !request.Due(now) {
		return DelayRequest{}, &ValueError{What: "delivery time", Value: strconv.FormatInt(request.Time, 10),
			Err: fmt.Errorf("requested by %v, not due, and the peer cannot delay (Forwarder.To)", request.Form)}
	}
	request.Form = DelayAbsolute
	if f.To.Delay == DelayEnqueueTime {
		request.Form = DelayEnqueueTime
	}
	return request, nil
}

// header returns the header that a message goes on with, without the fields of the hop that
// is over.
func (f Forwarder) header(h Header) Header {
	h = h.Explicit(f.NodeDefault)
	h.FirstAcquirer, h.DeliveryCount = Opt[bool]{}, Opt[uint32]{}
	return h
}

// annotationOf returns a message annotation, nil where there is none. go-amqp decodes keys
// as strings; in a message made here they may be symbols.
func annotationOf(m *amqp.Message, name string) any {
	if a, ok := m.Annotations[name]; ok || len(m.Annotations) == 0 {
		return a
	}
	return m.Annotations[amqp.Symbol(name)]
}

// propertiesOf returns the properties of m, empty if it has no section. Do not write into them.
func propertiesOf(m *amqp.Message) *amqp.MessageProperties {
	if m.Properties != nil {
		return m.Properties
	}
	return &amqp.MessageProperties{}
}

func numberFromTime(t *time.Time) number {
	if t == nil {
		return number{}
	}
	return number{kind: numberTimestamp, n: t.UnixMilli()}
}
