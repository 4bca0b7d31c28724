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

// A Producer is how messages are sent, as in JMS: its settings apply to every message
// sent with it and overwrite what an application put on the message [jms 3.4.11].
// The zero Producer sends as JMS does by default: persistent, priority 4, never
// expires, at once, with an id and a timestamp. Producers can be compared with ==
// and used by several goroutines at once.
type Producer struct {
	Peer        Peer
	Destination Destination // none: the message says no destination, and its receiver takes its own

	Mode     DeliveryMode // ModeUnset is Persistent
	Priority Opt[uint8]   // 0 to 9, 4 where none is stated

	// TimeToLive, from the time of send, is rounded up to milliseconds. 0: the message
	// never expires. Above 2^32-1 ms the header's ttl is left out, and the expiration is
	// sent all the same.
	TimeToLive time.Duration

	// DeliveryDelay, from the time of send, is rounded up to milliseconds. 0: at once.
	// Another needs a Peer that delays.
	DeliveryDelay time.Duration

	NoMessageID bool   // send without a message id
	NoTimestamp bool   // send without a creation-time
	UserID      string // JMSXUserID, none if empty

	// WireTTL, JMS_AMQP_TTL, is what the header's ttl says in milliseconds, whatever
	// TimeToLive is, which still makes the expiration. 0 leaves the ttl out.
	WireTTL Opt[uint32]
}

// A Stamp is what a message has got from its producer when send returns [jms 3.4.11].
// Wrappers write it to a message type of their own, [Stamp.Annotations] and
// [Stamp.ApplicationProperties] included, and send the body that [Body.Outgoing] makes, with
// its annotation; [Stamp.Apply] does all this to an *amqp.Message. Stamps can be compared
// with ==.
type Stamp struct {
	Peer        Peer // where it is sent, which decides what becomes of the body
	Header      Header
	Destination Destination // JMSDestination
	Address     string      // of the destination, for properties.to; "" where Destination is none
	MessageID   ID          // zero where ids are disabled
	UserID      string      // JMSXUserID, "" for none

	// Milliseconds since 1970-01-01 UTC.
	Timestamp    int64 // JMSTimestamp; 0 where timestamps are disabled
	DeliveryTime int64 // JMSDeliveryTime: time of send and delay together, where timestamps are disabled too
	Expiration   int64 // JMSExpiration; 0: never

	// How the peer is asked to delay, and by how many milliseconds. Nothing is
	// written for a delay of 0.
	DelayForm     DelayForm
	DeliveryDelay int64
}

// Stamp returns what a message gets that is sent now with an id. It changes nothing
// and depends on nothing else, so that one rule holds for every type of message and
// every way to send. With the zero ID, or where the producer has NoMessageID, the message
// has no id.
//
// now is the time when the client calls send, in a transaction too [jms 3.4.13], cut
// to milliseconds; it must be after 1970-01-01 UTC. A message that is sent once more,
// after a failure too, is another message with a new id.
//
// It is an error, a *[ValueError], if a setting is out of range; if the peer cannot
// delay, or its way has not been chosen, and there is a delay; if the time to live
// is shorter than the delay; if the form of the delay is relative and timestamps
// are disabled, for then no receiver could tell the delivery time; if a sum passes
// 2^63-1.
func (p Producer) Stamp(now time.Time, id ID) (Stamp, error) {
	sent := now.UnixMilli()
	if now.Unix() > math.MaxInt64/1000-1 {
		return Stamp{}, &ValueError{What: "time of send", Value: now.String(), Err: errors.New("after the last time there is")}
	}
	if sent <= 0 { // creation-time 0 is none
		return Stamp{}, &ValueError{What: "time of send", Value: now.String(), Err: errors.New("not after 1970-01-01 UTC")}
	}
	address, err := p.Peer.Address(p.Destination)
	if err != nil {
		return Stamp{}, err
	}
	if p.Mode > Persistent {
		return Stamp{}, &ValueError{What: "delivery mode", Value: p.Mode.String(), Err: errors.New("neither persistent nor non-persistent")}
	}
	if priority := p.Priority.Or(DefaultPriority); priority > 9 {
		return Stamp{}, &ValueError{What: "priority", Value: strconv.Itoa(int(priority)), Err: errors.New("out of range 0 to 9")} // [jms 3.4.10]
	}
	if err := checkText("user id", p.UserID); err != nil {
		return Stamp{}, err
	}
	if p.NoMessageID {
		id = ID{}
	}
	s := Stamp{
		Peer:        p.Peer,
		Header:      Header{Mode: p.Mode.or(Persistent), Priority: p.Priority},
		Destination: p.Destination,
		Address:     address,
		MessageID:   id,
		UserID:      p.UserID,
		DelayForm:   p.Peer.Delay,
	}
	if !p.NoTimestamp {
		s.Timestamp = sent
	}
	if s.DeliveryDelay, s.DeliveryTime, err = p.delay(sent); err != nil {
		return Stamp{}, err
	}
	ttl, err := wholeMilliseconds("time to live", p.TimeToLive)
	if err != nil {
		return Stamp{}, err
	}
	if ttl > 0 {
		if ttl < s.DeliveryDelay {
			return Stamp{}, &ValueError{What: "time to live", Value: p.TimeToLive.String(), Err: fmt.Errorf("shorter than the delivery delay of %v", p.DeliveryDelay)}
		}
		s.Expiration, err = addMilliseconds("time to live", sent, ttl)
		if err != nil {
			return Stamp{}, err
		}
	}
	s.Header.TTL = headerTTL(ttl)
	if override, ok := p.WireTTL.Get(); ok {
		s.Header.TTL = headerTTL(int64(override))
	}
	return s, nil
}

// delay returns the delay in milliseconds and the time that it ends.
func (p Producer) delay(sent int64) (delay, until int64, err error) {
	const what = "delivery delay"
	if delay, err = wholeMilliseconds(what, p.DeliveryDelay); err != nil {
		return 0, 0, err
	}
	if delay > 0 {
		if why := p.Peer.Delay.unfit(!p.NoTimestamp); why != "" {
			return 0, 0, &ValueError{What: what, Value: p.DeliveryDelay.String(), Err: errors.New(why)}
		}
	}
	until, err = addMilliseconds(what, sent, delay)
	return delay, until, err
}

// addMilliseconds returns the time that a span ends which starts at from, in
// milliseconds.
func addMilliseconds(what string, from, span int64) (int64, error) {
	if from > math.MaxInt64-span {
		return 0, &ValueError{What: what, Value: milliseconds(span), Err: errors.New("ends after the last time there is")}
	}
	return from + span, nil
}

// milliseconds returns a span for people to read, which may be longer than a
// time.Duration can be.
func milliseconds(n int64) string { return strconv.FormatInt(n, 10) + "ms" }

// Annotations iterates over the message annotations that are the producer's to set: the
// kind of the destination, and the delay in every form. A value is an int8, which is a
// byte in AMQP, an int64, which is a long, or a time.Time, which is a timestamp; nil is
// an annotation to remove, for an earlier send may have left it. A delay in the form of
// [DelayProperty] is none of these: see [Stamp.ApplicationProperties]. Nor is the kind of
// message, which the body knows: see [Body.Outgoing].
func (s Stamp) Annotations() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		var kind, absolute, relative, enqueue any
		if s.Destination.Kind.valid() {
			kind = s.Destination.Kind.annotation()
		}
		if s.DeliveryDelay > 0 {
			switch s.DelayForm {
			case DelayAbsolute:
				absolute = s.DeliveryTime
			case DelayRelative:
				relative = s.DeliveryDelay
			case DelayEnqueueTime:
				enqueue = time.UnixMilli(s.DeliveryTime).UTC()
			}
		}
		_ = yield(annotationDest, kind) && yield(annotationToType, nil) &&
			yield(annotationDeliveryTime, absolute) && yield(annotationDeliveryDelay, relative) && yield(annotationEnqueueTime, enqueue)
	}
}

// ApplicationProperties iterates over the application properties that are the
// producer's to set, as [Stamp.Annotations] does: AMQ_SCHEDULED_DELAY, an int64, where
// the delay has that form, and nil to remove it where there is no delay. Where the delay
// has another form there is none, and one that the application has set would be a second
// delay: do not send it.
func (s Stamp) ApplicationProperties() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if s.DelayForm != DelayProperty {
			return
		}
		var delay any
		if s.DeliveryDelay > 0 {
			delay = s.DeliveryDelay
		}
		yield(propertyScheduledDelay, delay)
	}
}

// delays is what a message says of its delivery time.
type delays struct {
	time, enqueue, delay, property number
	created                        number // creation-time
}

// A DelayRequest is how a message asks to be delivered later, and when that is. Its
// Form is DelayUnset where the message does not ask.
type DelayRequest struct {
	Form DelayForm
	Time int64 // milliseconds since 1970-01-01 UTC
}

// request returns what the first form says that is there (AMQ-8320). A relative
// one counts from the creation-time, or where there is none from otherwise.
func (d *delays) request(otherwise Opt[int64]) (DelayRequest, error) {
	var form DelayForm
	var n number
	switch {
	case d.time.stated():
		form, n = DelayAbsolute, d.time
	case d.enqueue.stated():
		form, n = DelayEnqueueTime, d.enqueue
	case d.delay.stated():
		form, n = DelayRelative, d.delay
	case d.property.stated():
		form, n = DelayProperty, d.property
	default:
		return DelayRequest{}, nil
	}
	if form == DelayAbsolute || form == DelayEnqueueTime {
		if n.kind >= numberTooLarge {
			return DelayRequest{}, n.wrong(form.String(), "neither an integer up to 2^63-1 nor a timestamp")
		}
		return DelayRequest{form, n.n}, nil
	}
	if n.kind != numberInteger || n.n < 0 {
		return DelayRequest{}, n.wrong(form.String(), "not an integer from 0 to 2^63-1")
	}
	created, ok, err := d.creation()
	if err != nil {
		return DelayRequest{}, err
	}
	if !ok {
		if created, ok = otherwise.Get(); !ok {
			return DelayRequest{}, n.wrong(form.String(), "relative, and there is no creation-time")
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
	return 0, false, d.created.wrong(FieldCreationTime.String(), "not a timestamp")
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

// readDelays reads into d, which must be zero, what the message says of its delivery
// time, up to what decides it. The property counts only where the caller says so, and
// the creation-time of a message that asks for no delay is read only where that is the
// delivery time.
func (m *RawMessage) readDelays(d *delays, byProperty, undelayed bool) error {
	if m.MessageAnnotations != nil {
		if err := m.readDelayAnnotations(d); err != nil {
			return err
		}
		if d.time.stated() || d.enqueue.stated() {
			return nil
		}
	}
	if byProperty && !d.delay.stated() {
		// Not strict: a message that asks for no delay is not refused for its other properties.
		v, err := m.find(m.ApplicationProperties, wire.String, propertyScheduledDelay, false)
		if err != nil {
			return err
		}
		d.property = v.number()
	}
	if !undelayed && !d.delay.stated() && !d.property.stated() {
		return nil
	}
	v, err := m.Property(FieldCreationTime)
	if err != nil {
		return err
	}
	d.created = v.number()
	return nil
}

// readDelayAnnotations reads the three annotations in one pass, up to the one that goes
// first.
func (m *RawMessage) readDelayAnnotations(d *delays) error {
	r := wire.NewReader(m.MessageAnnotations)
	readSection(&r)
	outer, n := r.Map()
	var read struct{ time, enqueue, delay bool }
	for range n {
		var to *number
		var done *bool
		switch string(r.Name()) {
		case annotationDeliveryTime:
			to, done = &d.time, &read.time
		case annotationEnqueueTime:
			to, done = &d.enqueue, &read.enqueue
		case annotationDeliveryDelay:
			to, done = &d.delay, &read.delay
		}
		if to == nil || *done { // the first of a name counts, as for Annotation
			r.Skip()
			continue
		}
		*to, *done = readNumber(&r), true
		if to == &d.time && to.stated() && r.Err() == nil {
			return nil // which no other form changes
		}
	}
	r.Leave(outer)
	if err := r.Err(); err != nil {
		return wireError(SectionMessageAnnotations.String(), m.offset(SectionMessageAnnotations), err)
	}
	return nil
}

// Timestamp returns JMSTimestamp in milliseconds since 1970-01-01 UTC: the
// creation-time, or 0 where there is none [jms 3.4.4]. It is an error, a *[ValueError]
// or *[WireError], if that is no timestamp.
func (m *RawMessage) Timestamp() (int64, error) {
	v, err := m.Property(FieldCreationTime)
	if err != nil {
		return 0, err
	}
	d := delays{created: v.number()}
	created, _, err := d.creation()
	return created, err
}

// DeliveryTime returns JMSDeliveryTime in milliseconds since 1970-01-01 UTC: what the
// annotation x-opt-delivery-time or x-opt-scheduled-enqueue-time says, the
// creation-time and the annotation x-opt-delivery-delay together, the creation-time,
// or 0, whichever is there first [jms 3.4.13].
//
// It is an error, a *[ValueError] or *[WireError], if that is not what it should be:
// the next is not asked then. An integer of any type will do, and a timestamp where a
// time belongs. It looks at the annotations and, if it has to, at the properties up
// to the creation-time, and allocates nothing.
func (m *RawMessage) DeliveryTime() (int64, error) { return m.deliveryTime(false) }

// DeliveryTimeFrom returns JMSDeliveryTime for messages from a peer: that of
// [RawMessage.DeliveryTime], but where the peer's form of delay is [DelayProperty], the
// creation-time and the application property AMQ_SCHEDULED_DELAY together come after
// x-opt-delivery-delay.
func (m *RawMessage) DeliveryTimeFrom(p Peer) (int64, error) {
	return m.deliveryTime(p.Delay == DelayProperty)
}

func (m *RawMessage) deliveryTime(byProperty bool) (int64, error) {
	var d delays
	if err := m.readDelays(&d, byProperty, true); err != nil {
		return 0, err
	}
	return d.deliveryTime()
}

// Expiration returns JMSExpiration in milliseconds since 1970-01-01 UTC, 0 for never:
// the absolute-expiry-time, or where there is none the time of receipt and the header's
// ttl together, or 0 [jms 3.4.9]. Give it the same time of receipt each time. It is an
// error, a *[ValueError] or *[WireError], if the absolute-expiry-time is no timestamp,
// or if the time of receipt is needed and zero.
func (m *RawMessage) Expiration(received time.Time) (int64, error) {
	v, err := m.Property(FieldAbsoluteExpiryTime)
	if err != nil {
		return 0, err
	}
	return expiration(v.number(), m.Header.TTL, received)
}

// expiration returns JMSExpiration. A time of 0 and a ttl of 0 are never.
func expiration(absolute number, ttl Opt[uint32], received time.Time) (int64, error) {
	switch absolute.kind {
	case numberTimestamp:
		return absolute.n, nil
	case numberInteger, numberTooLarge, numberOther:
		return 0, absolute.wrong(FieldAbsoluteExpiryTime.String(), "not a timestamp")
	}
	span := int64(ttl.Or(0))
	if span == 0 {
		return 0, nil
	}
	if received.IsZero() {
		return 0, &ValueError{What: "time of receipt", Value: received.String(), Err: errors.New("not given, and the message has a ttl")}
	}
	return addMilliseconds("ttl", received.UnixMilli(), span)
}

// DelayRequest returns how the message asks to be delivered later, in whatever form:
// the application property AMQ_SCHEDULED_DELAY counts too, whoever set it. A relative
// form counts from the creation-time, or where there is none from arrived, the time when
// the broker got the message. Where the message asks, errors are those of
// [RawMessage.DeliveryTime]. It allocates nothing.
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

// Due reports whether the message may be delivered at t: it does not ask to wait, or has
// waited long enough.
func (d DelayRequest) Due(t time.Time) bool {
	return d.Form == DelayUnset || t.UnixMilli() >= d.Time
}

// RejectError returns the error with which a broker without a scheduler refuses a message
// that is not [DelayRequest.Due].
func (d DelayRequest) RejectError() *amqp.Error {
	return &amqp.Error{
		Condition:   amqp.ErrCondNotImplemented,
		Description: "delayed delivery is not supported, and the message asks for it by " + d.Form.String(),
	}
}

// ReachesSubscription reports whether a message that was sent to a topic, by its
// JMSTimestamp and not its JMSDeliveryTime, reaches a subscription: one
// that existed when it was sent, not one that was made while it waited [jms 7.9]. The
// time of send is in milliseconds, and so is the comparison: a subscription that was
// made in the same millisecond gets the message.
func ReachesSubscription(sent, subscribed time.Time) bool {
	return subscribed.UnixMilli() <= sent.UnixMilli()
}

// A Forwarder is how a node passes messages on. The zero Forwarder knows nothing of
// its neighbours. Forwarders can be compared with ==.
type Forwarder struct {
	// From is where messages come from: where its form of delay is [DelayProperty], the
	// property AMQ_SCHEDULED_DELAY is a delay, elsewhere the application's own.
	From Peer

	// To is where they go. A delay that is not over goes on as the time that it ends, in
	// x-opt-scheduled-enqueue-time where that is To's form of delay, else in
	// x-opt-delivery-time. It never goes on as a delay in milliseconds, which To would wait
	// for from the start, and it is an error where To cannot delay.
	To Peer

	// NodeDefault is what a header means here that does not say whether it is durable. For
	// [Forwarder.Forward] that is only a message without a header: see [HeaderFrom].
	NodeDefault DeliveryMode

	// DelayServed says that the message has waited for its delivery time where it came from.
	DelayServed bool
}

// delay returns the form in which a message goes on that says d of its delivery time:
// DelayUnset where no form is to be left, for it has been served, or falls due by now.
func (f Forwarder) delay(d *delays, now time.Time) (DelayRequest, error) {
	if f.DelayServed {
		return DelayRequest{}, nil
	}
	request, err := d.request(Opt[int64]{})
	if err != nil || request.Due(now) {
		return DelayRequest{}, err
	}
	// Never a relative form: the next node would serve it from the start.
	switch f.To.Delay {
	case DelayNone:
		return DelayRequest{}, &ValueError{What: "delivery time", Value: strconv.FormatInt(request.Time, 10),
			Err: fmt.Errorf("asked for by %v, not due, and the peer cannot delay", request.Form)}
	case DelayEnqueueTime:
		request.Form = DelayEnqueueTime
	default:
		request.Form = DelayAbsolute
	}
	return request, nil
}

// header returns the header that a message goes on with: without what belongs to the hop that is over.
func (f Forwarder) header(h Header) Header {
	h = h.Explicit(f.NodeDefault)
	h.FirstAcquirer, h.DeliveryCount = Opt[bool]{}, Opt[uint32]{}
	return h
}
