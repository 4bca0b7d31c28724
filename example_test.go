package amqpjms_test

import (
	"errors"
	"fmt"
	"log"
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
	// amqpjms: delivery delay 1m30s: the peer cannot delay
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
	// amqp:not-implemented delayed delivery is not supported, and the message asks for it by x-opt-delivery-time
	// amqpjms: header at byte 6: ubyte where boolean belongs
}
