package amqpjms_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

// A Go service sends a reminder to a JMS application, which is to get it tomorrow, and reads one that the application
// sent. Connections, senders and receivers are go-amqp's.
func Example_service() {
	// What conn.Properties() said.
	peer, known := amqpjms.DetectPeer(map[string]any{"product": "ActiveMQ", "version": "6.2.2"})
	if !known {
		log.Fatal("a broker that nobody knows: configure its Peer")
	}
	reminders := amqpjms.Producer{
		Peer:          peer,
		Destination:   amqpjms.Destination{Kind: amqpjms.Queue, Name: "reminders"},
		Priority:      amqpjms.Some[uint8](7),
		TimeToLive:    48 * time.Hour,
		DeliveryDelay: 24 * time.Hour,
	}

	msg := &amqp.Message{Value: "Your parcel waits at the station."}
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC) // time.Now()
	stamp, err := reminders.Prepare(msg, now)
	if err != nil {
		log.Fatal(err)
	}
	// err = sender.Send(ctx, msg, nil)
	fmt.Println("to", *msg.Properties.To, "for", time.UnixMilli(stamp.DeliveryTime).UTC())

	// msg, err = receiver.Receive(ctx, nil)
	received := amqpjms.Consumer{Peer: peer}.View(msg, now.Add(25*time.Hour))
	expires, err := received.Expiration()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("until", time.UnixMilli(expires).UTC())

	// Output:
	// to queue://reminders for 2026-12-01 08:00:00 +0000 UTC
	// until 2026-12-02 08:00:00 +0000 UTC
}

// letter is the message of a client library whose users see no AMQP.
type letter struct {
	id, to           string
	durable          bool
	priority         uint8
	created, expires int64 // milliseconds since 1970
	annotations      map[string]any
	properties       map[string]any
	body             amqpjms.Body
}

// stamp makes l what it has to be on return from send.
func (l *letter) stamp(s amqpjms.Stamp) {
	l.id, l.to = s.MessageID.JMSMessageID(), s.Address
	l.durable = s.Header.Mode == amqpjms.Persistent
	l.priority = s.Header.Priority.Or(amqpjms.DefaultPriority)
	l.created, l.expires = s.Timestamp, s.Expiration
	set := func(to *map[string]any, name string, value any) {
		delete(*to, name) // an earlier send may have left it
		if value != nil {
			if *to == nil {
				*to = map[string]any{}
			}
			(*to)[name] = value
		}
	}
	for name, value := range s.Annotations() {
		set(&l.annotations, name, value)
	}
	for name, value := range s.ApplicationProperties() {
		set(&l.properties, name, value)
	}
	l.body = l.body.Outgoing(s.Peer)
	set(&l.annotations, "x-opt-jms-msg-type", l.body.Annotation)
}

// A client library takes the rules to a message type of its own.
func Example_wrapper() {
	news := amqpjms.Producer{
		Peer:          amqpjms.ServiceBus(),
		Destination:   amqpjms.Destination{Kind: amqpjms.Topic, Name: "news"},
		Mode:          amqpjms.NonPersistent,
		DeliveryDelay: 90 * time.Second,
	}
	id, err := amqpjms.ParseID("ID:4711")
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC) // time.Now()
	stamp, err := news.Stamp(now, id)
	if err != nil {
		log.Fatal(err)
	}
	body, err := amqpjms.TextDataBody("Extra, extra!")
	if err != nil {
		log.Fatal(err)
	}
	l := letter{body: body, annotations: map[string]any{"x-opt-edition": "late"}}
	l.stamp(stamp)
	fmt.Println(l.id, "to", l.to, "durable", l.durable, "priority", l.priority)
	fmt.Println(l.annotations)

	// Where the peer cannot delay, nothing is sent.
	news.Peer = amqpjms.RabbitMQ()
	_, err = news.Stamp(now, id)
	fmt.Println(err)

	// Output:
	// ID:4711 to news durable false priority 4
	// map[x-opt-edition:late x-opt-jms-dest:1 x-opt-jms-msg-type:5 x-opt-scheduled-enqueue-time:2026-11-30 08:01:30 +0000 UTC]
	// amqpjms: delivery delay 1m30s: the peer cannot delay (Producer.Peer)
}

// A plugin of a broker without a scheduler refuses what has to wait, and makes durable explicit in what the broker
// stores. It holds encoded messages and decodes none.
func Example_plugin() {
	accept := func(payload []byte, now time.Time) (stored []byte, err error) {
		var m amqpjms.RawMessage
		if err := m.Parse(payload); err != nil {
			return nil, err
		}
		delay, err := m.DelayRequest(now)
		if err != nil {
			return nil, err
		}
		if !delay.Due(now) {
			return nil, delay.RejectError()
		}
		return amqpjms.AppendExplicit(nil, payload, amqpjms.NonPersistent)
	}

	now := time.UnixMilli(1796053106157)
	stored, err := accept([]byte("\x00\x53\x77\xa1\x05hello"), now)
	fmt.Printf("%x %v\n", stored, err)

	in5s := "\x00\x53\x72\xc1\x1f\x02\xa3\x13x-opt-delivery-time\x81\x00\x00\x01\xa2\x2d\x1b\x91\x75"
	_, err = accept([]byte(in5s+"\x00\x53\x77\xa1\x05hello"), now)
	var refused *amqp.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Condition, refused.Description)
	}

	_, err = accept([]byte("\x00\x53\x70\xc0\x02\x01\x50"), now)
	fmt.Println(err)

	// Output:
	// 005370c0020142005377a10568656c6c6f <nil>
	// amqp:not-implemented delayed delivery is not supported; the message requests it by x-opt-delivery-time
	// amqpjms: header at byte 6: got ubyte, want boolean
}

// A Go service answers the request of a JMS application, which waits on a temporary queue for a message with the
// correlation id that it expects.
func ExampleView_Reply() {
	peer := amqpjms.ActiveMQ()
	receiver := amqpjms.Consumer{Peer: peer, Destination: amqpjms.Destination{Kind: amqpjms.Queue, Name: "prices"}}

	// What the service gets from its amqp.Receiver.
	request := receive("PRICE?")
	view := receiver.View(request, time.Now())

	text, err := view.Text()
	if err != nil {
		fmt.Println(err) // of the body alone: the rest of the message can be read
		return
	}
	if text.Or("") != "PRICE?" {
		return
	}
	reply, to, err := view.Reply(amqpjms.CorrelationIDFirst)
	if err != nil {
		fmt.Println(err) // the request does not ask for a reply
		return
	}
	writer := amqpjms.Editor{Peer: peer}
	if err := writer.SetText(reply, "42 EUR"); err != nil {
		fmt.Println(err)
		return
	}
	producer := amqpjms.Producer{Peer: peer, Destination: to, TimeToLive: time.Minute}
	stamp, err := producer.Prepare(reply, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	// To an amqp.Sender of the address stamp.Address, or one without an address:
	// sender.Send(ctx, reply, nil)
	fmt.Println(stamp.Destination.Kind, stamp.Address, reply.Properties.CorrelationID, reply.Value)
	// Output: temporary queue temp-queue://ID:1:1 ID:request-1 42 EUR
}

// receive returns a request as go-amqp decodes it.
func receive(text string) *amqp.Message {
	replyTo := "temp-queue://ID:1:1"
	return &amqp.Message{
		Annotations: amqp.Annotations{"x-opt-jms-msg-type": int8(5), "x-opt-jms-reply-to": int8(2)},
		Properties:  &amqp.MessageProperties{MessageID: "ID:request-1", ReplyTo: &replyTo},
		Value:       text,
	}
}

// One message of each kind for a JMS application.
func ExampleEditor() {
	w := amqpjms.Editor{Peer: amqpjms.Artemis()}
	producer := amqpjms.Producer{Peer: w.Peer, Destination: amqpjms.Destination{Kind: amqpjms.Topic, Name: "news"}}
	for _, write := range []func(m *amqp.Message) error{
		func(m *amqp.Message) error { return w.SetText(m, "hello") },
		func(m *amqp.Message) error { w.SetBytes(m, []byte{1, 2}); return nil },
		func(m *amqp.Message) error {
			return w.SetMap(m, map[string]any{"count": int32(2), "ratio": 0.5, "key": []byte{1}, "none": nil})
		},
		func(m *amqp.Message) error { return w.SetStream(m, []any{"a", int64(1), true}) },
		func(m *amqp.Message) error { return w.SetObject(m, []any{uint32(1), time.UnixMilli(0)}) },
		func(m *amqp.Message) error { w.SetPlain(m); return nil },
	} {
		var m amqp.Message
		if err := write(&m); err != nil {
			fmt.Println(err)
			return
		}
		// Properties are of JMS's types: a Go int is none.
		if err := w.SetProperties(&m, map[string]any{"region": "north", "JMSXGroupID": "customer-4711"}); err != nil {
			fmt.Println(err)
			return
		}
		if _, err := producer.Prepare(&m, time.Now()); err != nil {
			fmt.Println(err)
			return
		}
		kind, err := amqpjms.Consumer{}.View(&m, time.Now()).Kind()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(kind, m.Annotations["x-opt-jms-msg-type"])
	}
	// Output:
	// TextMessage 5
	// BytesMessage 3
	// MapMessage 2
	// StreamMessage 4
	// ObjectMessage 1
	// Message 0
}

// Reading a message of whatever kind.
func ExampleView_Kind() {
	m := &amqp.Message{
		Header:                &amqp.MessageHeader{Durable: true, Priority: 4},
		Annotations:           amqp.Annotations{"x-opt-jms-msg-type": int8(2)},
		ApplicationProperties: map[string]any{"retries": uint8(3)},
		Value:                 map[string]any{"ratio": float32(0.5)},
	}
	v := amqpjms.Consumer{}.View(m, time.Now())
	kind, err := v.Kind()
	if err != nil {
		fmt.Println(err)
		return
	}
	switch kind {
	case amqpjms.MapMessage:
		values, err := v.Map()
		if err != nil {
			fmt.Println(err)
			return
		}
		ratio, err := amqpjms.ValueOf("ratio", values["ratio"]).Double()
		fmt.Println(ratio, err)
	case amqpjms.TextMessage, amqpjms.BytesMessage:
		payload, err := v.Payload() // whatever section it is in
		fmt.Println(string(payload), err)
	}
	retries, err := v.Property("retries").Int()
	fmt.Println(retries, err)
	_, err = v.Property("retries").Byte()
	fmt.Println(err)
	// Output:
	// 0.5 <nil>
	// 3 <nil>
	// amqpjms: property "retries" ubyte: cannot be read as byte
}

// What peers would make of a message that was written without this package.
func ExampleCheckMessage() {
	m := &amqp.Message{
		Annotations: amqp.Annotations{"x-opt-jms-dest": uint8(0)},
		Properties:  &amqp.MessageProperties{MessageID: uint64(7)},
	}
	problems, err := amqpjms.CheckMessage(m, amqpjms.RabbitMQ())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// header: RabbitMQ: durable is unset: 4.0 reads true, 4.3 false
	// annotation x-opt-jms-dest: Qpid JMS: got ubyte, want byte: ignored
	// message-id: RabbitMQ: ulong: AMQP 0-9-1 clients get it as text
	// body: RabbitMQ: no section: ends the session (4.0) or the link (4.3)
}

// A node passes a message on, and keeps what it does not know.
func ExampleForwarder_Forward() {
	m := &amqp.Message{
		DeliveryTag:         []byte{1},
		Header:              &amqp.MessageHeader{Durable: true, Priority: 4, DeliveryCount: 2},
		DeliveryAnnotations: amqp.Annotations{"x-opt-hop": true},
		Annotations:         amqp.Annotations{"x-opt-custom": "kept"},
		Data:                [][]byte{{1}, {2}},
	}
	out, err := amqpjms.Forwarder{From: amqpjms.Artemis(), To: amqpjms.RabbitMQ()}.Forward(m, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.DeliveryTag, out.Header.DeliveryCount, out.DeliveryAnnotations, out.Annotations, out.Data)
	// Output: [] 0 map[] map[x-opt-custom:kept] [[1] [2]]
}

// A broker plugin counts a failed delivery, and says why it dead-letters the message; the rest stays byte for byte.
func ExampleChange_AppendTo() {
	encoded := []byte("\x00\x53\x70\xc0\x02\x01\x41" + "\x00\x53\x77\xa1\x05hello") // durable, "hello"
	var m amqpjms.RawMessage
	if err := m.Parse(encoded); err != nil {
		fmt.Println(err)
		return
	}
	change := amqpjms.Change{
		Header:                  amqpjms.Some(m.Header.CountDelivery(amqpjms.ModeUnset)),
		DropDeliveryAnnotations: true,
		Annotations: []amqpjms.Entry{
			{Name: amqpjms.AnnotationDeliveryTime, Value: nil}, // no delay is left
			{Name: "x-opt-death-reason", Value: "rejected"},
		},
	}
	out, err := change.AppendTo(nil, &m)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Parse(out); err != nil {
		fmt.Println(err)
		return
	}
	reason, _ := m.Annotation("x-opt-death-reason")
	text, _ := reason.Text()
	fmt.Println(m.Header.JMSXDeliveryCount(), text, len(m.Body))
	// Output: 2 rejected 10
}

// A Go service handles orders, 16 at once but those of a group one after the other, until it is interrupted. When the
// connection is lost it makes another.
func ExampleWorkers() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	orders := amqpjms.Destination{Kind: amqpjms.Queue, Name: "orders"}
	workers := amqpjms.Workers{
		Consumer: amqpjms.Consumer{Peer: amqpjms.RabbitMQ(), Destination: orders},
		Handlers: 16, Held: 500, Retries: 5, Grace: 10 * time.Second,
	}
	handle := func(ctx context.Context, order amqpjms.View) (amqpjms.Outcome, error) {
		text, err := order.Text()
		fmt.Println(text.Or(""))
		return amqpjms.Accepted, err
	}
	for ; ctx.Err() == nil; time.Sleep(time.Second) {
		conn, err := amqp.Dial(ctx, "amqp://localhost", nil)
		if err == nil {
			var link *amqpjms.OpenConsumer
			if link, err = workers.Consumer.Open(ctx, conn, 1, -1); err == nil {
				err = errors.Join(workers.Run(ctx, link.Receiver, handle), link.Leave(context.Background()))
			}
			conn.Close()
		}
		log.Print(err)
	}
}

// encode returns an encoded message, without a group if group is "".
func encode(body, group string, total int32) []byte {
	m := &amqp.Message{Value: body, ApplicationProperties: map[string]any{"total": total}}
	if group != "" {
		m.Properties = &amqp.MessageProperties{GroupID: &group}
	}
	b, err := m.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	return b
}

// link is a broker's view of a consumer.
type link struct {
	name     string
	credit   int
	consumer *amqpjms.GroupConsumer[*stored]
}

// stored is a message in a broker's queue.
type stored struct {
	name string
	raw  amqpjms.RawMessage // of its bytes, which stay as they came
	view amqpjms.View       // of raw, for selectors
	ref  amqpjms.Ref
}

// queue is a broker's queue. A real broker calls its methods under a lock.
type queue struct {
	groups    *amqpjms.Groups[*stored]
	header    string
	links     []*link
	delivered map[string]*stored
}

// attach adds a consumer, by its link as ParseAttach reads it. A malformed selector is an error that the broker answers with
// amqp:invalid-field.
func (q *queue) attach(incoming amqpjms.Link, credit int) (*link, error) {
	selector, err := amqpjms.ParseSelector(incoming.Selector)
	if err != nil {
		return nil, err
	}
	l := &link{name: incoming.Name, credit: credit, consumer: q.groups.Open(func(m *stored) bool { return selector.Matches(m.view) })}
	q.links = append(q.links, l)
	return l, nil
}

// publish puts an encoded message into the queue. It reads only the group of the message.
func (q *queue) publish(name string, encoded []byte) error {
	m := &stored{name: name}
	if err := m.raw.Parse(encoded); err != nil {
		return err
	}
	key, err := q.groups.Key(&m.raw, q.header)
	if err != nil {
		return err // reject it: a list cannot be a group
	}
	m.view = amqpjms.Consumer{NodeDefault: amqpjms.NonPersistent}.ViewRaw(&m.raw, time.Now())
	var owner *amqpjms.GroupConsumer[*stored]
	m.ref, owner = q.groups.Add(m, key)
	q.dispatch(owner)
	return nil
}

// dispatch delivers to a consumer, or to all if it is nil, what it may have and has credit for.
func (q *queue) dispatch(to *amqpjms.GroupConsumer[*stored]) {
	for _, l := range q.links {
		if to != nil && to != l.consumer {
			continue
		}
		for l.credit > 0 {
			m, _, ok := l.consumer.Next()
			if !ok {
				break
			}
			l.credit--
			q.delivered[m.name] = m
			fmt.Printf("%s gets %s\n", l.name, m.name)
		}
	}
}

// A broker plugin asks which message each consumer may have next. The queue was declared with shared groups.
func ExampleGroups_broker() {
	arguments, on, err := amqpjms.GroupArgumentsFrom(map[string]any{
		"qpid.group_header_key": "JMSXGroupID",
		"qpid.shared_msg_group": 1,
	})
	if err != nil || !on {
		log.Fatal(err)
	}
	q := &queue{
		groups:    amqpjms.NewShared(amqpjms.GroupOptions[*stored]{DefaultGroup: arguments.DefaultGroup}),
		header:    arguments.Header,
		delivered: map[string]*stored{},
	}
	first, err := q.attach(amqpjms.Link{Name: "first", Receiver: true}, 2)
	if err != nil {
		log.Fatal(err)
	}
	_, err = q.attach(amqpjms.Link{Name: "second", Receiver: true, Selector: "total LIKE 100"}, 2)
	fmt.Println(err)
	second, err := q.attach(amqpjms.Link{Name: "second", Receiver: true, Selector: "total >= 100"}, 2)
	if err != nil {
		log.Fatal(err)
	}

	for _, m := range []struct {
		name, group string
		total       int32
	}{{"order 1 paid", "order 1", 500}, {"order 1 packed", "order 1", 500}, {"order 3 paid", "order 3", 20}, {"order 2 paid", "order 2", 100}, {"order 1 sent", "order 1", 500}} {
		if err := q.publish(m.name, encode(m.name, m.group, m.total)); err != nil {
			log.Fatal(err)
		}
	}

	fmt.Println("first goes away; what it did not settle goes to others")
	q.groups.Settle(q.delivered["order 1 paid"].ref) // its disposition: accepted
	q.links = q.links[1:]
	first.consumer.Close()
	q.dispatch(nil)
	fmt.Println("second settles, and has credit again")
	q.groups.Settle(q.delivered["order 2 paid"].ref)
	q.groups.Settle(q.delivered["order 1 packed"].ref)
	second.credit += 2
	q.dispatch(nil)
	if _, err := q.attach(amqpjms.Link{Name: "third", Receiver: true}, 2); err != nil {
		log.Fatal(err)
	}
	q.dispatch(nil)

	// Output:
	// amqpjms: selector "total LIKE 100" at byte 11: unexpected number 100
	// first gets order 1 paid
	// first gets order 1 packed
	// second gets order 2 paid
	// first goes away; what it did not settle goes to others
	// second gets order 1 packed
	// second settles, and has credit again
	// second gets order 1 sent
	// third gets order 3 paid
}
