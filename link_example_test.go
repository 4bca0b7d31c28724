package amqpjms_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/amqptest"
)

// dial connects to a broker of the tests; else amqp.Dial does.
func dial(ctx context.Context, broker *amqptest.Broker, clientID string) *amqp.Conn {
	conn, err := amqp.NewConn(ctx, broker.Dial(), &amqp.ConnOptions{ContainerID: clientID})
	if err != nil {
		log.Fatal(err)
	}
	return conn
}

// publish sends texts as a JMS application would.
func publish(ctx context.Context, conn *amqp.Conn, to amqpjms.Destination, texts ...string) {
	producer := amqpjms.Producer{Peer: amqpjms.Artemis(), Destination: to}
	link, err := producer.Link()
	if err != nil {
		log.Fatal(err)
	}
	options, err := link.SenderOptions()
	if err != nil {
		log.Fatal(err)
	}
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	sender, err := session.NewSender(ctx, link.Address, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range texts {
		m := new(amqp.Message)
		if err := (amqpjms.Editor{}).SetText(m, text); err != nil {
			log.Fatal(err)
		}
		if _, err := producer.Prepare(m, time.Now()); err != nil {
			log.Fatal(err)
		}
		if err := amqpjms.Send(ctx, sender, m); err != nil { // released is an error, too
			log.Fatal(err)
		}
	}
}

// A durable subscriber gets what was published while it was not there.
func ExampleConsumer_Open() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	broker := new(amqptest.Broker)
	news := amqpjms.Destination{Kind: amqpjms.Topic, Name: "news"}
	subscriber := amqpjms.Consumer{
		Peer:         amqpjms.Artemis(), // what DetectPeer says of conn.Properties()
		Destination:  news,
		ClientID:     "billing", // the container-id of its connections: never a random one
		Subscription: "invoices",
		Durable:      true,
	}
	run := func(handle func(text string)) {
		conn := dial(ctx, broker, subscriber.ClientID)
		defer conn.Close()
		open, err := subscriber.Open(ctx, conn, 1, 10)
		if err != nil {
			log.Fatal(err)
		}
		m, err := open.Receiver.Receive(ctx, nil)
		if err != nil {
			log.Fatal(err)
		}
		text, err := subscriber.View(m, time.Now()).Text()
		if err != nil {
			log.Fatal(err)
		}
		handle(text.Or(""))
		if err := amqpjms.Accepted.Settle(ctx, open.Receiver, m); err != nil {
			log.Fatal(err)
		}
		if err := open.Leave(ctx); err != nil { // open.Receiver.Close would delete the subscription
			log.Fatal(err)
		}
	}

	application := dial(ctx, broker, "")
	defer application.Close()
	publishLater := func(text string) { publish(ctx, application, news, text) }
	go func() {
		for ctx.Err() == nil && len(broker.Subscriptions()) == 0 {
			time.Sleep(time.Millisecond)
		}
		publishLater("first")
	}()
	run(func(text string) { fmt.Println("before the restart:", text) })
	publishLater("second") // nobody is there
	run(func(text string) { fmt.Println("after the restart:", text) })

	// A random container-id would orphan the subscription, so none is refused.
	subscriber.ClientID = ""
	_, err := subscriber.Link(1)
	fmt.Println(err)

	// Output:
	// before the restart: first
	// after the restart: second
	// amqpjms: durable subscription "invoices" topic news: no client id (Consumer.ClientID): the subscription could not be found again
}

// A pool of Go workers shares a subscription with a JMS application, which calls
// createSharedDurableConsumer(topic, "pool") without a client id: each message goes to one of them.
func ExampleConsumer_Open_shared() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	broker := new(amqptest.Broker)
	orders := amqpjms.Destination{Kind: amqpjms.Topic, Name: "orders"}
	pool := amqpjms.Consumer{Peer: amqpjms.Artemis(), Destination: orders, Subscription: "pool", Durable: true, Shared: true}

	conn := dial(ctx, broker, "")
	defer conn.Close()
	var workers []*amqpjms.OpenConsumer
	for k := 1; k <= 2; k++ { // k numbers the consumers of one connection
		worker, err := pool.Open(ctx, conn, k, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("link", worker.Receiver.LinkName())
		workers = append(workers, worker)
	}
	publish(ctx, conn, orders, "order", "order")
	for _, worker := range workers {
		m, err := worker.Receiver.Receive(ctx, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Value)
		if err := amqpjms.Accepted.Settle(ctx, worker.Receiver, m); err != nil {
			log.Fatal(err)
		}
		if err := worker.Leave(ctx); err != nil {
			log.Fatal(err)
		}
	}

	// ActiveMQ Classic would hand each message to each of them, and say nothing.
	pool.Peer = amqpjms.ActiveMQ()
	_, err := pool.Open(ctx, conn, 1, 1)
	fmt.Println(err)

	// Output:
	// link pool|global
	// link pool|global2
	// order
	// order
	// amqpjms: shared subscription "pool" topic orders: the peer is not known to share (Peer.Shares)
}

// A Go service asks a JMS application and waits for the reply on a temporary queue.
func ExampleConsumer_Open_temporary() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	broker := new(amqptest.Broker)
	conn := dial(ctx, broker, "")
	defer conn.Close()

	replies, err := amqpjms.Consumer{
		Peer:        amqpjms.Artemis(),
		Destination: amqpjms.Destination{Kind: amqpjms.TemporaryQueue}, // without a name: it is made
	}.Open(ctx, conn, 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	request := new(amqp.Message)
	if err := (amqpjms.Editor{Peer: amqpjms.Artemis()}).SetReplyTo(request, replies.Destination); err != nil {
		log.Fatal(err)
	}
	fmt.Println("reply to", *request.Properties.ReplyTo)

	// The JMS application sends its reply there.
	publish(ctx, conn, replies.Destination, "42 EUR")
	m, err := replies.Receiver.Receive(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Value)
	if err := replies.Leave(ctx); err != nil { // the queue goes with it
		log.Fatal(err)
	}
	// Output:
	// reply to temp-queue-1
	// 42 EUR
}
