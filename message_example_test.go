package amqpjms_test

import (
	"fmt"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

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
		fmt.Println(err) // the request asks for no reply
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
func ExampleWriter() {
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
		fmt.Println(amqpjms.Consumer{}.View(&m, time.Now()).Kind(), m.Annotations["x-opt-jms-msg-type"])
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
	switch v.Kind() {
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
	// amqpjms: property "retries" ubyte: not read as byte
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
	// header: RabbitMQ: durable is not stated: 4.0 takes the message as durable, 4.3 as not durable
	// annotation x-opt-jms-dest: Qpid JMS: ubyte, not byte: ignored
	// message-id: RabbitMQ: ulong: AMQP 0-9-1 clients get it as text and cannot tell it from a string
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
	out, err := amqpjms.Forwarder{From: amqpjms.Artemis(), To: amqpjms.RabbitMQ(), DelayServed: true}.Forward(m, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.DeliveryTag, out.Header.DeliveryCount, out.DeliveryAnnotations, out.Annotations, out.Data)
	// Output: [] 0 map[] map[x-opt-custom:kept] [[1] [2]]
}
