// Replier answers the requests of a JMS application. It is the program in README.
package main

import (
	"context"
	"log"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

func main() {
	ctx := context.Background()
	conn, err := amqp.Dial(ctx, "amqp://127.0.0.1:5672", &amqp.ConnOptions{SASLType: amqp.SASLTypeAnonymous()})
	if err != nil {
		log.Fatal(err)
	}
	peer, known := amqpjms.DetectPeer(conn.Properties())
	if !known {
		log.Fatal("unknown broker: ", conn.Properties())
	}
	queue := amqpjms.Destination{Kind: amqpjms.Queue, Name: "prices"}
	log.Fatal(serve(ctx, conn, amqpjms.Consumer{Peer: peer, Destination: queue}))
}

// serve answers the requests that a consumer receives.
func serve(ctx context.Context, conn *amqp.Conn, consumer amqpjms.Consumer) error {
	requests, err := consumer.Open(ctx, conn, 1, 10) // one link, up to 10 messages ahead
	if err != nil {
		return err
	}
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return err
	}
	replies, err := session.NewSender(ctx, "", nil) // no address: each reply has its own
	if err != nil {
		return err
	}
	for {
		m, err := requests.Receiver.Receive(ctx, nil)
		if err != nil {
			return err
		}
		reply, err := answer(consumer.View(m, time.Now()), consumer.Peer)
		if err == nil {
			err = amqpjms.Send(ctx, replies, reply)
		}
		switch err.(type) {
		case *amqp.LinkError, *amqp.SessionError, *amqp.ConnError:
			return err
		}
		if err != nil { // of this request alone: it has no reply-to, or the requester has left
			log.Print(err)
		}
		if err := amqpjms.Accepted.Settle(ctx, requests.Receiver, m); err != nil {
			return err
		}
	}
}

// answer returns the reply to a request, ready to be sent.
func answer(request amqpjms.View, peer amqpjms.Peer) (*amqp.Message, error) {
	text, err := request.Text() // in any section and charset
	if err != nil {
		return nil, err
	}
	reply, to, err := request.Reply(amqpjms.CorrelationIDFirst)
	if err != nil {
		return nil, err
	}
	if err := (amqpjms.Editor{Peer: peer}).SetText(reply, text.Or("")+" costs 42 EUR"); err != nil {
		return nil, err
	}
	producer := amqpjms.Producer{Peer: peer, Destination: to, Mode: amqpjms.NonPersistent, TimeToLive: time.Minute}
	_, err = producer.Prepare(reply, time.Now()) // id, timestamp, expiration, explicit durable
	return reply, err
}
