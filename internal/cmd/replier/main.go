// Replier answers the requests of a JMS application. It is the program in README.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

func main() {
	log.Fatal(serve(context.Background(), "amqp://127.0.0.1:5672", "prices"))
}

// serve answers the requests that come to a queue.
func serve(ctx context.Context, url, queue string) error {
	conn, err := amqp.Dial(ctx, url, &amqp.ConnOptions{SASLType: amqp.SASLTypeAnonymous()})
	if err != nil {
		return err
	}
	defer conn.Close()
	peer, known := amqpjms.DetectPeer(conn.Properties())
	if !known {
		return fmt.Errorf("unknown broker: %v", conn.Properties())
	}
	consumer := amqpjms.Consumer{Peer: peer, Destination: amqpjms.Destination{Kind: amqpjms.Queue, Name: queue}}
	requests, err := consumer.Open(ctx, conn, 1, 10)
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
		outcome := amqpjms.Accepted
		reply, err := answer(consumer.View(m, time.Now()), peer)
		if err != nil { // nobody can answer it
			log.Print(err)
			outcome = amqpjms.Rejected
		} else if err := amqpjms.Send(ctx, replies, reply); err != nil {
			return err
		}
		if err := outcome.Settle(ctx, requests.Receiver, m); err != nil {
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
