package amqpjms_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"sync"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

// encode returns an encoded message, without a group if group is "".
func encode(body, group string) []byte {
	m := &amqp.Message{Value: body}
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
	name    string
	encoded []byte
	ref     amqpjms.Ref
}

// queue is a broker's queue. A real broker calls its methods under a lock.
type queue struct {
	groups    *amqpjms.Groups[*stored]
	header    string
	raw       amqpjms.RawMessage
	links     []*link
	delivered map[string]*stored
}

// publish puts an encoded message into the queue. It reads only the group of the message.
func (q *queue) publish(name string, encoded []byte) error {
	if err := q.raw.Parse(encoded); err != nil {
		return err
	}
	key, err := q.groups.Key(&q.raw, q.header)
	if err != nil {
		return err // reject it: a list cannot be a group
	}
	m := &stored{name: name, encoded: encoded}
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
	for _, name := range []string{"first", "second"} {
		l := &link{name: name, credit: 2, consumer: q.groups.Open(nil)}
		q.links = append(q.links, l)
	}
	first := q.links[0]

	for _, m := range []struct{ name, group string }{{"order 1 paid", "order 1"}, {"order 1 packed", "order 1"}, {"order 2 paid", "order 2"}, {"order 1 sent", "order 1"}} {
		if err := q.publish(m.name, encode(m.name, m.group)); err != nil {
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
	q.links[0].credit++
	q.dispatch(nil)

	// Output:
	// first gets order 1 paid
	// first gets order 1 packed
	// second gets order 2 paid
	// first goes away; what it did not settle goes to others
	// second gets order 1 packed
	// second settles, and has credit again
	// second gets order 1 sent
}

// source is the part of an [amqp.Receiver] that workers use. Its credit (ReceiverOptions.Credit) limits how many messages
// are received but not settled.
type source interface {
	Receive(context.Context, *amqp.ReceiveOptions) (*amqp.Message, error)
	AcceptMessage(context.Context, *amqp.Message) error
	RejectMessage(context.Context, *amqp.Message, *amqp.Error) error
	ReleaseMessage(context.Context, *amqp.Message) error
}

var _ source = (*amqp.Receiver)(nil)

// work handles messages with several workers: those of a group in order, one at a time, those of different groups at the
// same time. A message is settled when it is handled. When the source or ctx ends, work waits for the workers, releases the
// messages that it has not started on, and returns.
func work(ctx context.Context, from source, workers int, handle func(context.Context, *amqp.Message) error) error {
	type job struct {
		m   *amqp.Message
		r   amqpjms.Ref
		c   *amqpjms.GroupConsumer[*amqp.Message]
		err error // of settling
	}
	settling := context.WithoutCancel(ctx)
	jobs, done := make(chan job, workers), make(chan job)
	for range workers {
		go func() {
			for j := range jobs {
				if err := handle(ctx, j.m); err != nil {
					j.err = from.RejectMessage(settling, j.m, nil)
				} else {
					j.err = from.AcceptMessage(settling, j.m)
				}
				done <- j
			}
		}()
	}
	defer close(jobs)

	arrived, ended := make(chan *amqp.Message), make(chan error, 1)
	go func() {
		for {
			m, err := from.Receive(ctx, nil)
			if err != nil {
				close(arrived)
				ended <- err
				return
			}
			arrived <- m
		}
	}()

	// Only this goroutine uses groups.
	groups := amqpjms.NewShared(amqpjms.GroupOptions[*amqp.Message]{Ungrouped: true})
	var errs []error
	var free []*amqpjms.GroupConsumer[*amqp.Message] // those of idle workers
	for range workers {
		free = append(free, groups.Open(nil))
	}
	for arrived != nil || len(free) < workers {
		select {
		case m, ok := <-arrived:
			if !ok {
				arrived = nil
				break
			}
			key, err := amqpjms.GroupKeyOf(m, amqpjms.GroupIDHeader)
			if err != nil {
				errs = append(errs, from.RejectMessage(settling, m, nil))
				break
			}
			groups.Add(m, key)
		case j := <-done:
			errs = append(errs, j.err)
			groups.Settle(j.r)
			free = append(free, j.c)
		}
		for len(free) > 0 && ctx.Err() == nil {
			c := free[len(free)-1]
			m, r, ok := c.Next()
			if !ok {
				break // there is nothing for the others either
			}
			free = free[:len(free)-1]
			jobs <- job{m: m, r: r, c: c}
		}
	}
	for _, m := range groups.Messages() {
		errs = append(errs, from.ReleaseMessage(settling, m))
	}
	return errors.Join(append(errs, <-ended)...)
}

// fake is a source for the example.
type fake struct {
	messages chan *amqp.Message
	credit   chan bool // one value for each message that is not settled
	mu       sync.Mutex
	settled  map[string]int
}

func (f *fake) Receive(ctx context.Context, _ *amqp.ReceiveOptions) (*amqp.Message, error) {
	m, ok := <-f.messages
	if !ok {
		return nil, io.EOF
	}
	f.credit <- true
	return m, nil
}

func (f *fake) settle(how string) error {
	f.mu.Lock()
	f.settled[how]++
	f.mu.Unlock()
	<-f.credit
	return nil
}

func (f *fake) AcceptMessage(context.Context, *amqp.Message) error { return f.settle("accepted") }
func (f *fake) RejectMessage(context.Context, *amqp.Message, *amqp.Error) error {
	return f.settle("rejected")
}
func (f *fake) ReleaseMessage(context.Context, *amqp.Message) error { return f.settle("released") }

// Workers share a receiver of a broker without message groups. Each group is handled in order, and several groups at the
// same time.
func ExampleGroups_workers() {
	from := &fake{messages: make(chan *amqp.Message, 100), credit: make(chan bool, 4), settled: map[string]int{}}
	for i, group := range strings.Fields("red red blue red blue - blue") {
		m := &amqp.Message{Properties: &amqp.MessageProperties{GroupID: &group}, Value: int64(i)}
		if group == "-" {
			m.Properties.GroupID = nil
		}
		from.messages <- m
	}
	close(from.messages)

	var mu sync.Mutex
	var both sync.WaitGroup // done when a red and a blue message are being handled
	both.Add(2)
	var red, blue []any
	err := work(context.Background(), from, 3, func(_ context.Context, m *amqp.Message) error {
		if m.Properties.GroupID == nil {
			return errors.New("whose is it?")
		}
		of := &blue
		if *m.Properties.GroupID == "red" {
			of = &red
		}
		mu.Lock()
		*of = append(*of, m.Value)
		first := len(*of) == 1
		mu.Unlock()
		if first {
			both.Done()
			both.Wait()
		}
		return nil
	})
	fmt.Println("red", red, "blue", blue)
	fmt.Println(from.settled["accepted"], "accepted,", from.settled["rejected"], "rejected;", err)

	// Output:
	// red [0 1 3] blue [2 4 6]
	// 6 accepted, 1 rejected; EOF
}
