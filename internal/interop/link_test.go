//go:build interop

package interop

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

// linkFeatures are what JMS's consumers, producers and outcomes become as links.
func linkFeatures() []feature {
	var fs []feature
	for _, c := range []struct {
		name  string
		leave func(context.Context, *subscriber) error
		kept  bool
	}{
		{"Session.Close keeps it", func(ctx context.Context, r *subscriber) error { return r.client.session.Close(ctx) }, true},
		{"Conn.Close keeps it", func(_ context.Context, r *subscriber) error { return r.client.conn.Close() }, true},
		{"a lost connection keeps it", func(_ context.Context, r *subscriber) error { return r.client.tap.Close() }, true},
		{"Receiver.Close deletes it", func(ctx context.Context, r *subscriber) error { return r.Close(ctx) }, false},
	} {
		fs = append(fs, feature{
			name: "durable subscription: " + c.name,
			run:  func(t *testing.T, s *site) diff { return durableLeft(t, s, c.leave, c.kept) },
		})
	}
	fs = append(fs, []feature{
		{name: "Consumer.Open: a durable subscription, Go and JMS in turn", run: openDurable},
		{name: "Consumer.Open: a shared durable one, Go and JMS share", run: openShared},
		{name: "Consumer.Open: selector, JMS to Go", run: openSelector},
		{name: "Consumer.Open: no-local, Go to Go", run: openNoLocal},
		{name: "Consumer.Open: a browser consumes nothing", run: openBrowser},
		{name: "Consumer.Open: a temporary queue, JMS replies", run: func(t *testing.T, s *site) diff { return openTemporary(t, s, amqpjms.TemporaryQueue) }},
		{name: "Consumer.Open: a temporary topic, JMS replies", run: func(t *testing.T, s *site) diff { return openTemporary(t, s, amqpjms.TemporaryTopic) }},
	}...)
	return append(fs, []feature{
		{name: "durable subscription: JMS leaves, Go takes up", run: durableOfJMS},
		{name: "durable subscription: Go leaves, JMS takes up", run: durableOfGo},
		{name: "durable subscription: another client id has its own", run: durableOfAnother},
		{name: "durable subscription: another selector starts anew", run: durableReselected},
		{name: "durable subscription: a second consumer is refused", run: durableTwice},
		{name: "client id: a second connection is refused", run: clientIDTwice},
		{name: "shared durable subscription: Go and Go share", run: func(t *testing.T, s *site) diff { return shared(t, s, true) }},
		{name: "shared durable subscription: two of one connection share", run: sharedInConnection},
		{name: "shared durable subscription: Go and JMS share", run: sharedWithJMS},
		{name: "shared subscription: Go and Go share", run: func(t *testing.T, s *site) diff { return shared(t, s, false) }},
		{name: "selector by jms-selector: JMS to Go", run: selectorByKey},
		{name: "selector on a property, of a topic: Go to JMS", run: func(t *testing.T, s *site) diff { return selectorOfTopic(t, s, "n = 1") }},
		{name: "selector on JMSPriority, of a topic: Go to JMS", run: func(t *testing.T, s *site) diff { return selectorOfTopic(t, s, "JMSPriority = 4") }},
		{name: "selector that is no selector is refused: Go", run: selectorBroken},
		{name: "no-local on a topic: Go to Go", run: noLocal},
		{name: "browser: Go consumes nothing", run: browse},
		{name: "temporary topic by a sender: JMS publishes to Go", run: temporaryTopic},
		{name: "anonymous sender: Go to JMS", run: anonymous},
		{name: "anonymous sender, a queue that no one made: Go to JMS", run: anonymousNowhere},
		{name: "Go rejects: does not come again", run: rejected},
		{name: "Go retries later: comes then, not at once", run: func(t *testing.T, s *site) diff {
			return retryLater(t, s, s.node(t, "queue"))
		}},
		{name: "Go retries later, quorum queue: comes then, not at once", only: rabbit, run: func(t *testing.T, s *site) diff {
			name := "retried-in-quorum"
			require.NoError(t, s.management.declareQueue(t.Context(), name, "quorum"))
			return retryLater(t, s, s.broker.node(t, "queue", amqpjms.Destination{Kind: amqpjms.Queue, Name: name}))
		}},
	}...)
}

// attaching is a consumer whatever the broker is known to do, so that a row shows what it does.
type attaching struct {
	from             node
	clientID         string // "": none
	subscription     string // "": none
	durable, shared  bool
	k                int // which consumer of the subscription it is on its connection, from 1; 0 is 1
	noLocal, browses bool
	selector         string
}

func (a attaching) consumer(p amqpjms.Peer) amqpjms.Consumer {
	return amqpjms.Consumer{
		Peer: p, Destination: a.from.destination, ClientID: a.clientID, Subscription: a.subscription, Durable: a.durable, Shared: a.shared,
		NoLocal: a.noLocal, Browse: a.browses, Selector: a.selector,
	}
}

// link is the consumer's link at a peer that is said to do all.
func (a attaching) link(t *testing.T, p amqpjms.Peer) (amqpjms.Link, *amqp.ReceiverOptions) {
	t.Helper()
	p.Topics, p.Shares, p.Selects, p.Browses, p.TemporaryQueues, p.TemporaryTopics = true, true, true, true, true, true
	l, err := a.consumer(p).Link(max(a.k, 1))
	require.NoError(t, err)
	o, err := l.ReceiverOptions()
	require.NoError(t, err)
	return l, o
}

// subscriber is a receiver with a connection and session of its own, since leaving it may
// end either.
type subscriber struct {
	*receiver
	client *client
}

// attach opens a consumer on a connection of its own.
func (s *site) attach(t *testing.T, a attaching) (*subscriber, error) {
	t.Helper()
	var c *client
	soon(t, func() (err error) { // a client id is free only when its last connection is gone
		c, err = s.broker.tryConnect(t, s.hostPort, a.clientID)
		return err
	})
	r, err := c.attach(t, a)
	if err != nil {
		c.conn.Close()
	}
	return r, err
}

// attachAgain is attach for a consumer that has just left, which the broker may not have
// seen yet.
func (s *site) attachAgain(t *testing.T, a attaching) *subscriber {
	t.Helper()
	var r *subscriber
	soon(t, func() (err error) {
		r, err = s.attach(t, a)
		return err
	})
	return r
}

// soon tries until there is no error.
func soon(t *testing.T, try func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %v still: %v", patience, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (c *client) attach(t *testing.T, a attaching) (*subscriber, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	l, o := a.link(t, c.broker.peer)
	r, err := c.session.NewReceiver(ctx, l.Address, o)
	if err != nil {
		return nil, err
	}
	return &subscriber{&receiver{Receiver: r, tap: c.tap, as: a.consumer(c.broker.peer)}, c}, nil
}

// texts accepts what comes until nothing more does.
func (r *receiver) texts(t *testing.T) []any {
	t.Helper()
	got := []any{}
	for m := r.take(t, time.Second/2); m.Message != nil; m = r.take(t, time.Second/2) {
		r.accept(t, m)
		got = append(got, m.Value)
	}
	return got
}

// publish sends texts, with the property n = 1 for selectors.
func (s *site) publish(t *testing.T, to node, texts ...string) {
	t.Helper()
	for _, body := range texts {
		m := text(body)
		require.NoError(t, s.writer().SetProperty(m, "n", int32(1)))
		s.client.send(t, s.producer(to), m)
	}
}

// jmsTexts is what a consumer of the JMS application receives until nothing more comes.
func (s *site) jmsTexts(t *testing.T, consumer string) []any {
	t.Helper()
	got := []any{}
	for {
		m := s.must(t, command{Op: "receive", Consumer: consumer, Timeout: ptr[int64](500)}).Message
		if m == nil {
			return got
		}
		got = append(got, unquote(m.Body.V))
	}
}

// own is a topic of the feature's own, and a durable subscription to it.
func (s *site) own(t *testing.T) attaching {
	name := s.node(t, "").destination.Name
	return attaching{from: s.topic(t, name), clientID: name + "client", subscription: name + "n", durable: true}
}

// jmsClient has the JMS application connect with a client id.
func (s *site) jmsClient(t *testing.T, clientID string) {
	t.Helper()
	soon(t, func() error {
		_, err := s.do(t, command{Op: "connect", URL: s.url() + "?jms.clientID=" + clientID})
		return err
	})
}

func durableLeft(t *testing.T, s *site, leave func(context.Context, *subscriber) error, kept bool) (d diff) {
	a := s.own(t)
	r, err := s.attach(t, a)
	if err != nil {
		d.refused("the subscription", err)
		return d
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, leave(ctx, r))
	r.client.conn.Close()
	s.publish(t, a.from, "missed")
	again := s.attachAgain(t, a)
	s.publish(t, a.from, "next")
	want := []any{"next"}
	if kept {
		want = []any{"missed", "next"}
	}
	d.want("what comes", want, again.texts(t))
	return d
}

func durableOfJMS(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	s.jmsClient(t, a.clientID)
	_, err := s.do(t, command{Op: "subscribe", Consumer: "c", Destination: &a.from.jms, Subscription: a.subscription, Durable: true})
	if err != nil {
		d.refusedByJMS("the subscription", err)
		return d
	}
	s.must(t, command{Op: "close"})
	s.publish(t, a.from, "missed")
	r := s.attachAgain(t, a)
	d.want("what comes", []any{"missed"}, r.texts(t))
	return d
}

func durableOfGo(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	r, err := s.attach(t, a)
	if err != nil {
		d.refused("the subscription", err)
		return d
	}
	require.NoError(t, r.client.session.Close(t.Context()))
	require.NoError(t, r.client.conn.Close())
	s.publish(t, a.from, "missed")
	s.jmsClient(t, a.clientID)
	s.must(t, command{Op: "subscribe", Consumer: "c", Destination: &a.from.jms, Subscription: a.subscription, Durable: true})
	d.want("what comes", []any{"missed"}, s.jmsTexts(t, "c"))
	s.must(t, command{Op: "unsubscribe", Consumer: "c"})
	s.must(t, command{Op: "delete-subscription", Subscription: a.subscription})
	return d
}

// durableOfAnother shows what becomes of a durable subscription of a Go client that lets
// go-amqp make up its container-id.
func durableOfAnother(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	r, err := s.attach(t, a)
	if err != nil {
		d.refused("the subscription", err)
		return d
	}
	require.NoError(t, r.client.conn.Close())
	s.publish(t, a.from, "missed")
	a.clientID += "other"
	other, err := s.attach(t, a)
	require.NoError(t, err)
	s.publish(t, a.from, "next")
	d.want("what comes", []any{"next"}, other.texts(t))
	return d
}

// durableReselected shows that a durable subscription that is asked for with another
// selector is another one.
func durableReselected(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	a.selector = "n = 1"
	r, err := s.attach(t, a)
	if err != nil {
		d.refused("the subscription", err)
		return d
	}
	require.NoError(t, r.client.conn.Close())
	s.publish(t, a.from, "before")
	a.selector = "n < 2"
	again := s.attachAgain(t, a)
	s.publish(t, a.from, "next")
	d.want("what comes", []any{"next"}, again.texts(t))
	return d
}

func durableTwice(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	r, err := s.attach(t, a)
	if err != nil {
		d.refused("the subscription", err)
		return d
	}
	// In another session, as go-amqp does not check the names of its links.
	session, err := r.client.conn.NewSession(t.Context(), nil)
	require.NoError(t, err)
	second := *r.client
	second.session = session
	if _, err := second.attach(t, a); err == nil {
		d.note("a second consumer is taken")
	}
	s.publish(t, a.from, "next")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := r.Receive(ctx, nil); err != nil {
		d.refused("the first one", err)
	}
	return d
}

func clientIDTwice(t *testing.T, s *site) (d diff) {
	id := s.node(t, "").destination.Name
	for range 2 {
		_, err := s.broker.tryConnect(t, s.hostPort, id)
		if err != nil {
			return d
		}
	}
	d.note("it is taken")
	return d
}

// shared shows whether two consumers of Go share a subscription.
func shared(t *testing.T, s *site, durable bool) (d diff) {
	a := s.own(t)
	a.clientID, a.shared, a.durable = "", true, durable
	var rs []*subscriber
	for range 2 {
		r, err := s.attach(t, a)
		if err != nil {
			d.refused("the subscription", err)
			return d
		}
		rs = append(rs, r)
	}
	s.publish(t, a.from, sharedTexts...)
	d.share(rs[0].texts(t), rs[1].texts(t))
	return d
}

func sharedInConnection(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	a.shared = true
	one, err := s.attach(t, a)
	if err != nil {
		d.refused("the subscription", err)
		return d
	}
	second := *one.client
	second.session, err = one.client.conn.NewSession(t.Context(), nil)
	require.NoError(t, err)
	a.k = 2
	other, err := second.attach(t, a)
	require.NoError(t, err)
	s.publish(t, a.from, sharedTexts...)
	d.share(one.texts(t), other.texts(t))
	return d
}

func sharedWithJMS(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	a.clientID, a.shared = "", true
	r, err := s.attach(t, a)
	if err != nil {
		d.refused("Go's subscription", err)
		return d
	}
	_, err = s.do(t, command{Op: "subscribe", Consumer: "c", Destination: &a.from.jms, Subscription: a.subscription, Durable: true, Shared: true})
	if err != nil {
		d.refusedByJMS("the JMS application's", err)
		return d
	}
	s.publish(t, a.from, sharedTexts...)
	d.share(r.texts(t), s.jmsTexts(t, "c"))
	return d
}

var sharedTexts = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

// share notes which of sharedTexts do not come once, or that one consumer gets none.
func (d *diff) share(one, other []any) {
	times := map[any]int{}
	for _, m := range append(append([]any{}, one...), other...) {
		times[m]++
	}
	for _, m := range sharedTexts {
		if times[m] != 1 {
			d.note("%d and %d of %d come", len(one), len(other), len(sharedTexts))
			return
		}
	}
	if len(one) == 0 || len(other) == 0 {
		d.note("one consumer gets all")
	}
}

func selectorByKey(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	for _, n := range []int32{1, 2} {
		s.app.send(t, q.jms, message{Body: ptr(jms(fmt.Sprint(n))), Properties: []property{{"n", jms(n)}}, DeliveryMode: s.jmsMode()})
	}
	r, err := s.client.attach(t, attaching{from: q, selector: "n = 2"})
	require.NoError(t, err)
	d.want("what comes", []any{"2"}, r.texts(t))
	d.want("that the answer names it", true, r.LinkSourceFilterValue("jms-selector") != nil)
	return d
}

// selectorOfTopic shows whether a selector selects what is published to a topic.
func selectorOfTopic(t *testing.T, s *site, selector string) (d diff) {
	topic := s.topic(t, s.node(t, "").destination.Name)
	if _, err := s.do(t, command{Op: "subscribe", Consumer: "c", Destination: &topic.jms, Selector: selector}); err != nil {
		d.refusedByJMS("the subscription", err)
		return d
	}
	s.publish(t, topic, "one")
	d.want("what comes", []any{"one"}, s.jmsTexts(t, "c"))
	return d
}

func selectorBroken(t *testing.T, s *site) (d diff) {
	a := attaching{from: s.node(t, "queue"), selector: "=="}
	_, err := a.consumer(amqpjms.Artemis()).Link(1)
	require.ErrorContains(t, err, "at byte 0") // and so not attached with
	broken := a.selector
	a.selector = "n = 1"
	l, o := a.link(t, s.broker.peer)
	o.Filters = []amqp.LinkFilter{amqp.NewSelectorFilter(broken)}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := s.session.NewReceiver(ctx, l.Address, o); err == nil {
		d.note("it is taken")
	}
	return d
}

// noLocal shows that a subscriber does not get what its own connection publishes.
func noLocal(t *testing.T, s *site) (d diff) {
	a := attaching{from: s.topic(t, s.node(t, "").destination.Name), noLocal: true}
	r, err := s.attach(t, a)
	if err != nil {
		d.refused("the subscription", err)
		return d
	}
	r.client.send(t, s.producer(a.from), text("own"))
	s.publish(t, a.from, "another's")
	d.want("what comes", []any{"another's"}, r.texts(t))
	return d
}

// browse shows that a browser sees all, and that a consumer gets it all the same.
func browse(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	s.publish(t, q, "1", "2")
	b, err := s.attach(t, attaching{from: q, browses: true})
	if err != nil {
		d.refused("the browser", err)
		return d
	}
	d.want("what the browser sees", []any{"1", "2"}, b.texts(t))
	require.NoError(t, b.client.conn.Close())
	r, err := s.attach(t, attaching{from: q})
	require.NoError(t, err)
	d.want("what is left", []any{"1", "2"}, r.texts(t))
	return d
}

// temporaryTopic has Go make a temporary topic, as JMS clients do by a sender, and the JMS
// application publish to it: it gets it as reply-to.
func temporaryTopic(t *testing.T, s *site) (d diff) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	l, err := amqpjms.Producer{Peer: amqpjms.Peer{TemporaryTopics: true}, Destination: amqpjms.Destination{Kind: amqpjms.TemporaryTopic}}.Link()
	require.NoError(t, err)
	o, err := l.SenderOptions()
	require.NoError(t, err)
	made, err := s.session.NewSender(ctx, l.Address, o)
	if err != nil {
		d.refused("the topic", err)
		return d
	}
	topic := amqpjms.Destination{Kind: amqpjms.TemporaryTopic, Name: made.Address()}
	r, err := s.client.attach(t, attaching{from: node{destination: topic}})
	if err != nil {
		d.refused("a subscription", err)
		return d
	}
	requests := s.node(t, "requests")
	request := text("a request from Go")
	require.NoError(t, s.writer().SetReplyTo(request, topic))
	s.client.send(t, s.producer(requests), request)
	s.must(t, command{Op: "reply", Destination: &requests.jms, message: message{Body: ptr(jms("a reply")), DeliveryMode: s.jmsMode()}})
	d.want("what comes", []any{"a reply"}, r.texts(t))
	return d
}

// sendAnonymously sends by a sender that has no address.
func sendAnonymously(t *testing.T, s *site, to node, m *amqp.Message) error {
	t.Helper()
	prepare(t, s.producer(to), m)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	sender, err := s.session.NewSender(ctx, "", nil)
	if err != nil {
		return err
	}
	defer sender.Close(context.WithoutCancel(ctx))
	return amqpjms.Send(ctx, sender, m)
}

func anonymous(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	if err := sendAnonymously(t, s, q, text("sent")); err != nil {
		d.refused("it", err)
		return d
	}
	got := s.app.receive(t, q.jms)
	d.want("the body", jms("sent"), got.Body)
	d.want("JMSDestination", q.jms, got.JMSDestination)
	return d
}

// anonymousNowhere sends to a queue that is not there before.
func anonymousNowhere(t *testing.T, s *site) (d diff) {
	q := s.broker.node(t, "queue", amqpjms.Destination{Kind: amqpjms.Queue, Name: "nowhere"})
	if err := sendAnonymously(t, s, q, text("sent")); err != nil {
		d.refused("it", err)
		return d
	}
	d.want("the body", jms("sent"), s.app.receive(t, q.jms).Body)
	return d
}

func rejected(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	reject := func(ctx context.Context, r *receiver, m *amqp.Message) error { return r.RejectMessage(ctx, m, nil) }
	require.NoError(t, takeAndReturn(t, s, q, reject, &d).Close(t.Context()))
	if m := s.open(t, q).take(t, time.Second/2); m.Message != nil {
		d.note("it comes again, JMSXDeliveryCount %d", m.view.DeliveryCount())
	}
	return d
}

// retryLater gives a message back with the time from which to deliver it again.
func retryLater(t *testing.T, s *site, q node) (d diff) {
	due := time.Now().Add(2 * time.Second)
	later := func(ctx context.Context, r *receiver, m *amqp.Message) error {
		return r.ModifyMessage(ctx, m, &amqp.ModifyMessageOptions{
			DeliveryFailed: true, Annotations: amqp.Annotations{"x-opt-delivery-time": due.UnixMilli()},
		})
	}
	r := takeAndReturn(t, s, q, later, &d)
	require.NoError(t, r.IssueCredit(1))
	m := r.take(t, patience)
	require.NotNil(t, m.Message, "it does not come")
	if time.Now().Before(due) {
		d.note("it comes at once")
	}
	r.accept(t, m)
	d.want("JMSXDeliveryCount", 2, m.view.DeliveryCount())
	return d
}

// opened is what Consumer.Open opened, on a connection of its own.
type opened struct {
	*receiver
	*amqpjms.OpenConsumer
	client *client
}

// openConsumer opens a consumer at the broker as it is known; nothing is sent where the package refuses it.
func (s *site) openConsumer(t *testing.T, a attaching, credit int32) (o *opened, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var c *client
	soon(t, func() (err error) { // a client id is free only when its last connection is gone
		c, err = s.broker.tryConnect(t, s.hostPort, a.clientID)
		return err
	})
	as := a.consumer(s.broker.peer)
	open, err := as.Open(ctx, c.conn, max(a.k, 1), credit)
	if err != nil {
		c.conn.Close()
		return nil, err
	}
	as.Destination = open.Destination
	return &opened{&receiver{Receiver: open.Receiver, tap: c.tap, as: as}, open, c}, nil
}

// leave leaves or unsubscribes, and ends the connection.
func (o *opened) end(t *testing.T, how func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, how(ctx))
	o.client.conn.Close()
}

// refusedBefore notes that the package refuses a link, and why.
func (d *diff) refusedBefore(err error) {
	var e *amqpjms.ValueError
	if errors.As(err, &e) {
		d.note("it is refused before the attach: %v", e.Err)
		return
	}
	d.refused("it", err)
}

func openDurable(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	subscribe := command{Op: "subscribe", Consumer: "c", Destination: &a.from.jms, Subscription: a.subscription, Durable: true}
	o, err := s.openConsumer(t, a, 10)
	if err != nil {
		d.refusedBefore(err)
		return d
	}
	o.end(t, o.Leave)
	s.publish(t, a.from, "for JMS")
	s.jmsClient(t, a.clientID)
	s.must(t, subscribe)
	d.want("what JMS gets", []any{"for JMS"}, s.jmsTexts(t, "c"))
	s.must(t, command{Op: "unsubscribe", Consumer: "c"})
	s.must(t, command{Op: "close"})
	s.publish(t, a.from, "for Go")

	o, err = s.openConsumer(t, a, 10)
	require.NoError(t, err)
	d.want("what Go gets", []any{"for Go"}, o.texts(t))
	o.end(t, o.Unsubscribe)
	s.publish(t, a.from, "for nobody")
	s.jmsClient(t, a.clientID)
	s.must(t, subscribe)
	d.want("what JMS gets after Go's unsubscribe", []any{}, s.jmsTexts(t, "c"))
	s.must(t, command{Op: "unsubscribe", Consumer: "c"})
	s.must(t, command{Op: "delete-subscription", Subscription: a.subscription})
	return d
}

func openShared(t *testing.T, s *site) (d diff) {
	a := s.own(t)
	a.clientID, a.shared = "", true
	o, err := s.openConsumer(t, a, 1) // more credit than one could take all before JMS has any
	if err != nil {
		d.refusedBefore(err)
		return d
	}
	s.must(t, command{Op: "subscribe", Consumer: "c", Destination: &a.from.jms, Subscription: a.subscription, Durable: true, Shared: true})
	s.publish(t, a.from, sharedTexts...)
	d.share(o.texts(t), s.jmsTexts(t, "c"))

	// Go leaves, JMS leaves, and what is sent then waits for Go.
	o.end(t, o.Leave)
	s.must(t, command{Op: "unsubscribe", Consumer: "c"})
	s.publish(t, a.from, "missed")
	o, err = s.openConsumer(t, a, 10)
	require.NoError(t, err)
	d.want("what waited", []any{"missed"}, o.texts(t))
	o.end(t, o.Unsubscribe)
	return d
}

func openSelector(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	o, err := s.openConsumer(t, attaching{from: q, selector: "n = 2"}, 10)
	if err != nil {
		d.refusedBefore(err)
		return d
	}
	for _, n := range []int32{1, 2} {
		s.app.send(t, q.jms, message{Body: ptr(jms(fmt.Sprint(n))), Properties: []property{{"n", jms(n)}}, DeliveryMode: s.jmsMode()})
	}
	d.want("what comes", []any{"2"}, o.texts(t))
	o.end(t, o.Leave)
	return d
}

func openNoLocal(t *testing.T, s *site) (d diff) {
	a := attaching{from: s.topic(t, s.node(t, "").destination.Name), noLocal: true}
	o, err := s.openConsumer(t, a, 10)
	if err != nil {
		d.refusedBefore(err)
		return d
	}
	o.client.send(t, s.producer(a.from), text("own"))
	s.publish(t, a.from, "another's")
	d.want("what comes", []any{"another's"}, o.texts(t))
	o.end(t, o.Leave)
	return d
}

func openBrowser(t *testing.T, s *site) (d diff) {
	q := s.node(t, "queue")
	s.publish(t, q, "1", "2")
	o, err := s.openConsumer(t, attaching{from: q, browses: true}, 10)
	if err != nil {
		d.refusedBefore(err)
		return d
	}
	d.want("what the browser sees", []any{"1", "2"}, o.texts(t))
	o.end(t, o.Leave)
	r, err := s.openConsumer(t, attaching{from: q}, 10)
	require.NoError(t, err)
	d.want("what is left", []any{"1", "2"}, r.texts(t))
	r.end(t, r.Leave)
	return d
}

// openTemporary asks the JMS application, which replies to a temporary destination of Go's.
func openTemporary(t *testing.T, s *site, kind amqpjms.DestinationKind) (d diff) {
	requests := s.node(t, "requests")
	o, err := s.openConsumer(t, attaching{from: node{destination: amqpjms.Destination{Kind: kind}}}, 10)
	if err != nil {
		d.refusedBefore(err)
		return d
	}
	request := text("a request from Go")
	require.NoError(t, s.writer().SetReplyTo(request, o.Destination))
	s.client.send(t, s.producer(requests), request)
	s.must(t, command{Op: "reply", Destination: &requests.jms, message: message{Body: ptr(jms("a reply")), DeliveryMode: s.jmsMode()}})
	d.want("what comes", []any{"a reply"}, o.texts(t))
	o.end(t, o.Leave)
	return d
}
