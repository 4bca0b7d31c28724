package amqpjms

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/amqptest"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

// able is a peer that does all that JMS asks for.
func able() Peer {
	return Peer{Delay: DelayAbsolute, Topics: true, Shares: true, Selects: true, Browses: true, TemporaryQueues: true, TemporaryTopics: true}
}

// connect returns a connection of go-amqp with a broker, and a context that ends with the test.
func connect(t testing.TB, b *amqptest.Broker, clientID string) (context.Context, *amqp.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	conn, err := amqp.NewConn(ctx, b.Dial(), &amqp.ConnOptions{ContainerID: clientID})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return ctx, conn
}

// receiveTexts accepts what comes until nothing more does.
func receiveTexts(t testing.TB, r *amqp.Receiver) (texts []any) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		m, err := r.Receive(ctx, nil)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return texts
		}
		require.NoError(t, Accepted.Settle(context.Background(), r, m))
		texts = append(texts, m.Value)
	}
}

// encodedText is an encoded message with a text.
func encodedText(text string) []byte {
	return wire.AppendString(wire.AppendDescriptor(nil, 0x77), text)
}

// performatives returns how often clients sent each performative, a detach as "detach" or "detach closed".
func performatives(t testing.TB, b *amqptest.Broker) map[string]int {
	n := map[string]int{}
	for _, f := range b.Frames() {
		name := f.Name
		if name == "detach" {
			r := wire.NewReader(f.Body)
			r.Descriptor()
			r.List()
			r.Skip()
			if r.Boolean() {
				name += " closed"
			}
			require.Nil(t, r.Err())
		}
		n[name]++
	}
	return n
}

// attachOf returns the last attach of a receiver or a sender that a client sent.
func attachOf(t testing.TB, b *amqptest.Broker, receiver bool) (l Link) {
	for _, f := range b.Frames() {
		if f.Name != "attach" {
			continue
		}
		read, err := ParseAttach(f.Body)
		require.NoError(t, err)
		if read.Receiver == receiver {
			l = read
		}
	}
	return l
}

func durableConsumer() Consumer {
	return Consumer{Peer: able(), Destination: Destination{Kind: Topic, Name: "news"}, ClientID: "cid", Subscription: "sub", Durable: true, Selector: "n = 1"}
}

// go-amqp sends what the Link says, as far as it can: all but the settle mode.
func TestReceiverOptionsSendTheLink(t *testing.T) {
	queue, topic := Destination{Kind: Queue, Name: "q"}, Destination{Kind: Topic, Name: "t"}
	for _, c := range []Consumer{
		{Peer: able(), Destination: queue},
		{Peer: able(), Destination: queue, Selector: "a = 'ü'"},
		{Peer: able(), Destination: queue, Browse: true},
		{Peer: able(), Destination: queue, PreSettled: true},
		{Peer: able(), Destination: topic, NoLocal: true, Selector: "a = 1"},
		{Peer: able(), Destination: topic, Subscription: "s", Durable: true, ClientID: "cid"},
		{Peer: able(), Destination: topic, Subscription: "s", Durable: true, Shared: true, ClientID: "cid"},
		{Peer: able(), Destination: topic, Subscription: "s", Durable: true, Shared: true},
		{Peer: able(), Destination: topic, Subscription: "s", Shared: true, ClientID: "cid"},
		{Peer: able(), Destination: topic, Subscription: "s", Shared: true},
		{Peer: able(), Destination: Destination{Kind: TemporaryQueue}},
	} {
		for k := 1; k <= 3; k++ {
			b := new(amqptest.Broker)
			ctx, conn := connect(t, b, c.ClientID)
			o, err := c.Open(ctx, conn, k, -1)
			require.NoError(t, err, "%+v", c)
			want, err := c.Link(k)
			require.NoError(t, err)
			got := attachOf(t, b, true)
			if want.Name == "" {
				require.NotEmpty(t, got.Name)
				want.Name = got.Name
			}
			require.Equal(t, want, got)
			require.NoError(t, o.Leave(ctx))
		}
	}
	for _, p := range []Producer{
		{Peer: able()},
		{Peer: able(), Destination: queue},
		{Peer: Peer{}, Destination: topic},
		{Peer: able(), Destination: Destination{Kind: TemporaryTopic}},
		{Peer: able(), Destination: Destination{Kind: TemporaryQueue}},
	} {
		b := new(amqptest.Broker)
		ctx, conn := connect(t, b, "")
		want, err := p.Link()
		require.NoError(t, err)
		options, err := want.SenderOptions()
		require.NoError(t, err)
		session, err := conn.NewSession(ctx, nil)
		require.NoError(t, err)
		sender, err := session.NewSender(ctx, want.Address, options)
		require.NoError(t, err)
		got := attachOf(t, b, false)
		want.Name = got.Name
		if want.Expiry == expirySessionEnd { // go-amqp leaves AMQP's default out
			require.Empty(t, got.Expiry)
			want.Expiry = ""
		}
		require.Equal(t, want, got)
		require.Equal(t, p.Destination.IsZero(), sender.Address() == "")
	}
}

// A durable subscription is kept by Leave, by the end of the connection and by its loss, and ended by Unsubscribe alone.
func TestLeaveKeepsDurableSubscription(t *testing.T) {
	leave := map[string]func(context.Context, *amqp.Conn, *OpenConsumer) error{
		"Leave": func(ctx context.Context, _ *amqp.Conn, o *OpenConsumer) error { return o.Leave(ctx) },
		"Conn.Close": func(_ context.Context, c *amqp.Conn, _ *OpenConsumer) error {
			_ = c.Close() // the broker may be first
			return nil
		},
	}
	for name, leave := range leave {
		b := new(amqptest.Broker)
		ctx, conn := connect(t, b, "cid")
		o, err := durableConsumer().Open(ctx, conn, 1, 10)
		require.NoError(t, err)
		require.Equal(t, durableConsumer().Destination, o.Destination)
		b.Publish("news", encodedText("one"))
		require.Equal(t, []any{"one"}, receiveTexts(t, o.Receiver))
		require.NoError(t, leave(ctx, conn, o), name)
		require.Zero(t, performatives(t, b)["detach closed"], "%s: a closed detach ends the subscription", name)
		require.Equal(t, []string{"cid/sub"}, b.Subscriptions(), name)
		b.Publish("news", encodedText("missed"))

		ctx, conn = connect(t, b, "cid")
		o, err = durableConsumer().Open(ctx, conn, 1, 10)
		require.NoError(t, err)
		require.Equal(t, []any{"missed"}, receiveTexts(t, o.Receiver), name)
		require.NoError(t, o.Unsubscribe(ctx))
		require.Empty(t, b.Subscriptions(), name)
		require.Equal(t, 1, performatives(t, b)["detach closed"], name)
	}
}

// A connection that is lost with unsettled messages gets them again.
func TestLostConnectionKeepsDurableSubscription(t *testing.T) {
	b := new(amqptest.Broker)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	here := b.Dial()
	conn, err := amqp.NewConn(ctx, here, &amqp.ConnOptions{ContainerID: "cid"})
	require.NoError(t, err)
	o, err := durableConsumer().Open(ctx, conn, 1, 10)
	require.NoError(t, err)
	b.Publish("news", encodedText("unsettled"))
	_, err = o.Receiver.Receive(ctx, nil)
	require.NoError(t, err)
	require.NoError(t, here.Close())
	<-conn.Done()

	require.Eventually(t, func() bool { return len(b.Subscriptions()) == 1 }, time.Second, time.Millisecond)
	ctx, conn = connect(t, b, "cid")
	o, err = durableConsumer().Open(ctx, conn, 1, 10)
	require.NoError(t, err)
	require.Equal(t, []any{"unsettled"}, receiveTexts(t, o.Receiver))
	require.Error(t, o.Leave(canceled()), "it says that it did not wait")
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Where a durable subscription cannot be opened, nothing ends it: no detach is sent that closes.
func TestFailedOpenKeepsDurableSubscription(t *testing.T) {
	noFilter := func(a amqptest.Attach) amqptest.Answer { return amqptest.Answer{NoEcho: a.Receiver} }
	for _, row := range []struct {
		name   string
		answer func(amqptest.Attach) amqptest.Answer
		limit  time.Duration
		err    string
		closed int
	}{
		{"filter not taken", noFilter, 0, "amqpjms: filter jms-selector: not accepted by the peer", 0},
		{"no answer", func(amqptest.Attach) amqptest.Answer { return amqptest.Answer{Silence: true} }, 100 * time.Millisecond, context.DeadlineExceeded.Error(), 0},
		// The peer has closed this link, and the answer closes no other.
		{"refused", func(amqptest.Attach) amqptest.Answer { return amqptest.Answer{Refuse: "amqp:resource-locked"} }, 0, "amqp:resource-locked", 1},
	} {
		b := new(amqptest.Broker)
		ctx, conn := connect(t, b, "cid")
		o, err := durableConsumer().Open(ctx, conn, 1, 10)
		require.NoError(t, err)
		require.NoError(t, o.Leave(ctx))
		ends := performatives(t, b)["end"]

		b.Answer = row.answer
		limited := ctx
		if row.limit > 0 {
			var cancel context.CancelFunc
			limited, cancel = context.WithTimeout(ctx, row.limit)
			defer cancel()
		}
		start := time.Now()
		o, err = durableConsumer().Open(limited, conn, 1, 10)
		require.ErrorContains(t, err, row.err, row.name)
		require.Nil(t, o, row.name)
		require.Less(t, time.Since(start), 5*time.Second, row.name)
		require.Eventually(t, func() bool { return performatives(t, b)["end"] == ends+1 }, 5*time.Second, time.Millisecond, "%s: its session ends", row.name)
		require.Equal(t, row.closed, performatives(t, b)["detach closed"], row.name)
		require.Equal(t, []string{"cid/sub"}, b.Subscriptions(), row.name)

		// The connection is as good as before.
		b.Answer = nil
		b.Publish("news", encodedText("missed"))
		o, err = durableConsumer().Open(ctx, conn, 1, 10)
		require.NoError(t, err, row.name)
		require.Equal(t, []any{"missed"}, receiveTexts(t, o.Receiver), row.name)
		require.Equal(t, row.closed, performatives(t, b)["detach closed"], row.name)
	}
}

// go-amqp closes a link on a message that it cannot decode, and with it a durable subscription. This is what it does, and
// why OpenConsumer's comment warns of it; when this test fails the warning can go.
func TestUndecodableEndsDurableSubscription(t *testing.T) {
	b := new(amqptest.Broker)
	ctx, conn := connect(t, b, "cid")
	o, err := durableConsumer().Open(ctx, conn, 1, 10)
	require.NoError(t, err)
	b.Publish("news", []byte{0x00, 0x53, 0x77, 0x73, 0, 0, 0, 0x41}) // a char
	_, err = o.Receiver.Receive(ctx, nil)
	require.ErrorContains(t, err, "char not implemented")
	require.Eventually(t, func() bool { return performatives(t, b)["detach closed"] == 1 && len(b.Subscriptions()) == 0 }, 5*time.Second, time.Millisecond)
}

// Consumers of a shared subscription, in one connection and in two, get each message once.
func TestOpenSharedConsumers(t *testing.T) {
	for _, durable := range []bool{true, false} {
		for _, clientID := range []string{"", "cid"} {
			c := Consumer{Peer: able(), Destination: Destination{Kind: Topic, Name: "news"}, Subscription: "pool", Durable: durable, Shared: true, ClientID: clientID}
			b := new(amqptest.Broker)
			ctx, conn := connect(t, b, clientID)
			_, other := connect(t, b, clientID)
			var open []*OpenConsumer
			for i, conn := range []*amqp.Conn{conn, conn, other} {
				o, err := c.Open(ctx, conn, 1+i%2, 10)
				require.NoError(t, err)
				open = append(open, o)
			}
			require.Eventually(t, func() bool { return performatives(t, b)["flow"] == 3 }, 5*time.Second, time.Millisecond, "all have credit")
			var want, got []any
			for i := range 9 {
				b.Publish("news", encodedText(fmt.Sprint(i)))
				want = append(want, fmt.Sprint(i))
			}
			for _, o := range open {
				texts := receiveTexts(t, o.Receiver)
				require.Len(t, texts, 3)
				got = append(got, texts...)
			}
			slices.SortFunc(got, func(a, b any) int { return int(a.(string)[0]) - int(b.(string)[0]) })
			require.Equal(t, want, got)

			// Leaving by unsubscribe keeps it for the others.
			require.NoError(t, open[0].Unsubscribe(ctx))
			b.Publish("news", encodedText("more"))
			require.Len(t, append(receiveTexts(t, open[1].Receiver), receiveTexts(t, open[2].Receiver)...), 1)
			require.NoError(t, open[1].Unsubscribe(ctx))
			require.Equal(t, durable, len(b.Subscriptions()) == 1)
			require.NoError(t, open[2].Unsubscribe(ctx))
			require.Empty(t, b.Subscriptions())
		}
	}
}

// A temporary destination is made by Open, takes what others send to it, and is gone with Leave.
func TestOpenTemporaryDestination(t *testing.T) {
	for _, row := range []struct {
		kind    DestinationKind
		address string
		senders int // that make it
	}{{TemporaryQueue, "temp-queue-1", 0}, {TemporaryTopic, "temp-topic-1", 1}} {
		b := new(amqptest.Broker)
		ctx, conn := connect(t, b, "")
		o, err := Consumer{Peer: able(), Destination: Destination{Kind: row.kind}}.Open(ctx, conn, 1, 10)
		require.NoError(t, err)
		require.Equal(t, Destination{Kind: row.kind, Name: row.address, Address: row.address}, o.Destination)
		address, err := able().Address(o.Destination)
		require.NoError(t, err)
		require.Equal(t, row.address, address)
		require.Equal(t, row.senders == 1, attachOf(t, b, false).Dynamic)

		// The sender that made it stays open for as long.
		time.Sleep(50 * time.Millisecond)
		require.Equal(t, 1+row.senders, performatives(t, b)["attach"])
		require.Zero(t, performatives(t, b)["detach closed"]+performatives(t, b)["detach"]+performatives(t, b)["end"])
		b.Publish(row.address, encodedText("a reply"))
		require.Equal(t, []any{"a reply"}, receiveTexts(t, o.Receiver))
		require.NoError(t, o.Leave(ctx))
		require.Equal(t, 1, performatives(t, b)["end"])
	}
	// A peer that names none.
	for _, kind := range []DestinationKind{TemporaryQueue, TemporaryTopic} {
		b := &amqptest.Broker{Answer: func(amqptest.Attach) amqptest.Answer { return amqptest.Answer{NoName: true} }}
		ctx, conn := connect(t, b, "")
		o, err := Consumer{Peer: able(), Destination: Destination{Kind: kind}}.Open(ctx, conn, 1, 10)
		wantValueError(t, err, "amqpjms: consumer "+kind.String()+": the peer returned no address")
		require.Nil(t, o)
		require.Eventually(t, func() bool { return performatives(t, b)["end"] == 1 }, 5*time.Second, time.Millisecond)
	}
	// A peer that is not known to have them is not asked.
	b := new(amqptest.Broker)
	ctx, conn := connect(t, b, "")
	for kind, want := range map[DestinationKind]string{
		TemporaryQueue: "amqpjms: consumer temporary queue : the peer is not known to have temporary queues (Peer.TemporaryQueues)",
		TemporaryTopic: "amqpjms: consumer temporary topic to be made: the peer is not known to have temporary topics (Peer.TemporaryTopics)",
	} {
		_, err := Consumer{Destination: Destination{Kind: kind}}.Open(ctx, conn, 1, 10)
		wantValueError(t, err, want)
	}
	require.Zero(t, performatives(t, b)["attach"])
}

// A browser is pre-settled, and ends where its credit is drained.
func TestOpenBrowser(t *testing.T) {
	b := new(amqptest.Broker)
	b.Publish("q", encodedText("one"))
	b.Publish("q", encodedText("two"))
	ctx, conn := connect(t, b, "")
	o, err := Consumer{Peer: able(), Destination: Destination{Kind: Queue, Name: "q"}, Browse: true}.Open(ctx, conn, 1, -1)
	require.NoError(t, err)
	require.True(t, attachOf(t, b, true).PreSettled)
	require.NoError(t, o.Receiver.IssueCredit(10))
	m, err := o.Receiver.Receive(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, "one", m.Value)
	require.NoError(t, o.Leave(ctx))
}

// Only an accepted message is sent.
func TestSend(t *testing.T) {
	for _, row := range []struct {
		state []byte
		err   string
		plain bool // go-amqp's Send has an error, too
	}{
		{amqptest.Accepted(), "", false},
		{amqptest.Released(), "amqpjms: outcome of the message released: not accepted by the peer", false},
		{amqptest.Modified(), "amqpjms: outcome of the message modified: not accepted by the peer", false},
		{amqptest.Rejected(), "amqpjms: outcome of the message rejected: not accepted by the peer", true},
		{amqptest.RejectedWith("amqp:not-found"), "amqp:not-found", true},
	} {
		b := &amqptest.Broker{Outcome: func(string, []byte) []byte { return row.state }}
		ctx, conn := connect(t, b, "")
		session, err := conn.NewSession(ctx, nil)
		require.NoError(t, err)
		l, err := Producer{Peer: able(), Destination: Destination{Kind: Queue, Name: "q"}}.Link()
		require.NoError(t, err)
		options, err := l.SenderOptions()
		require.NoError(t, err)
		sender, err := session.NewSender(ctx, l.Address, options)
		require.NoError(t, err)
		err = Send(ctx, sender, &amqp.Message{Value: "a"})
		if row.err == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, row.err)
		}
		require.Equal(t, row.plain, sender.Send(ctx, &amqp.Message{Value: "a"}, nil) != nil, "go-amqp's own Send")
		require.Error(t, Send(canceled(), sender, &amqp.Message{Value: "a"}))
	}
}

// Each outcome goes out as it is; RetryLater with the time.
func TestSettle(t *testing.T) {
	for outcome, want := range map[Outcome]string{Accepted: "0x24 []", Rejected: "0x25 []", Released: "0x26 []", ModifiedFailed: "0x27 [true]",
		ModifiedUndeliverableHere: "0x27 [true true]"} {
		b := new(amqptest.Broker)
		b.Publish("q", encodedText("one"))
		ctx, conn := connect(t, b, "")
		o, err := Consumer{Destination: Destination{Kind: Queue, Name: "q"}}.Open(ctx, conn, 1, 1)
		require.NoError(t, err)
		m, err := o.Receiver.Receive(ctx, nil)
		require.NoError(t, err)
		wantValueError(t, Outcome(0).Settle(ctx, o.Receiver, m), "amqpjms: outcome 0: want 1 to 5")
		wantValueError(t, Outcome(6).Settle(ctx, o.Receiver, m), "amqpjms: outcome 6: want 1 to 5")
		require.NoError(t, outcome.Settle(ctx, o.Receiver, m))
		require.NoError(t, o.Leave(ctx))
		frames := b.Frames()
		i := slices.IndexFunc(frames, func(f amqptest.Frame) bool { return f.Name == "disposition" })
		require.Positive(t, i, "%v", outcome)
		r := wire.NewReader(dispositionState(t, frames[i].Body))
		code, _ := r.Descriptor()
		_, n := r.List()
		fields := []bool{}
		for range n {
			if r.Null() {
				continue
			}
			fields = append(fields, r.Boolean())
		}
		require.Nil(t, r.Err())
		require.Equal(t, want, fmt.Sprintf("%#x %v", code, fields), "%v", outcome)
	}

	at := time.UnixMilli(1796053106157)
	_, err := Peer{}.RetryLater(at)
	wantValueError(t, err, "amqpjms: retry 2026-11-30 15:38:26.157 +0000 UTC: the peer is not known to delay a retry (Peer.RetriesLater)")
	o, err := Peer{RetriesLater: true}.RetryLater(at)
	require.NoError(t, err)
	require.Equal(t, &amqp.ModifyMessageOptions{DeliveryFailed: true, Annotations: amqp.Annotations{"x-opt-delivery-time": int64(1796053106157)}}, o)
}

// What go-amqp cannot make is refused before it is tried.
func TestOptionsRefuse(t *testing.T) {
	durable := durableConsumer()
	durable.PreSettled = true
	l, err := durable.Link(1)
	require.NoError(t, err)
	unsubscribe, err := durable.UnsubscribeLink()
	require.NoError(t, err)
	for _, row := range []struct {
		l    Link
		want string
	}{
		{l, `amqpjms: link "sub": go-amqp may delete a durable subscription that is pre-settled (Consumer.PreSettled)`},
		{unsubscribe, `amqpjms: link "sub": go-amqp cannot attach without a source (OpenConsumer.Unsubscribe)`},
		{Link{Name: "s"}, `amqpjms: link "s": a sender's: use Link.SenderOptions`},
	} {
		o, err := row.l.ReceiverOptions()
		wantValueError(t, err, row.want)
		require.Nil(t, o)
	}
	for _, row := range []struct {
		l    Link
		want string
	}{
		{l, `amqpjms: link "sub": a receiver's: use Link.ReceiverOptions`},
		{Link{Name: "t", NoTerminus: true}, `amqpjms: link "t": go-amqp has no transactions`},
	} {
		o, err := row.l.SenderOptions()
		wantValueError(t, err, row.want)
		require.Nil(t, o)
	}
}
