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
	requests := amqpjms.Consumer{Peer: peer, Destination: amqpjms.Destination{Kind: amqpjms.Queue, Name: queue}}
	address, err := peer.Address(requests.Destination)
	if err != nil {
		return err
	}
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return err
	}
	receiver, err := session.NewReceiver(ctx, address, &amqp.ReceiverOptions{SourceCapabilities: []string{"queue"}})
	if err != nil {
		return err
	}
	sender, err := session.NewSender(ctx, "", nil) // no address: each reply says where it goes
	if err != nil {
		return err
	}
	for {
		m, err := receiver.Receive(ctx, nil)
		if err != nil {
			return err
		}
		reply, err := answer(requests.View(m, time.Now()), peer)
		if err != nil { // a request that nobody can answer
			log.Print(err)
			err = receiver.RejectMessage(ctx, m, nil)
		} else if err = sender.Send(ctx, reply, nil); err == nil {
			err = receiver.AcceptMessage(ctx, m)
		}
		if err != nil {
			return err
		}
	}
}

// answer returns the reply to a request, ready to be sent.
func answer(request amqpjms.View, peer amqpjms.Peer) (*amqp.Message, error) {
	text, err := request.Text() // whatever section and charset it came in
	if err != nil {
		return nil, err
	}
	reply, to, err := request.Reply(amqpjms.CorrelationIDFirst)
	if err != nil {
		return nil, err
	}
	editor := amqpjms.Editor{Peer: peer}
	if err := editor.SetText(reply, text.Or("")+" costs 42 EUR"); err != nil {
		return nil, err
	}
	producer := amqpjms.Producer{Peer: peer, Destination: to, Mode: amqpjms.NonPersistent, TimeToLive: time.Minute}
	_, err = producer.Prepare(reply, time.Now()) // id, timestamp, expiration, explicit durable
	return reply, err
}
