package amqpjms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/Azure/go-amqp"
)

// Workers handle the messages of one go-amqp receiver: those of a group one after the other in
// the order of the queue, those of different groups at the same time, whatever the broker knows
// of groups. Set the fields, then call [Workers.Run].
//
// While a message is handled or retried, nothing later of its group is. Delivery is at least
// once: what was not settled when a link is lost comes again, in order on Artemis, Broker-J and
// RabbitMQ, on a quorum queue if Held does not shrink; ActiveMQ Classic may send some of it out of
// order. Until a broker has taken back what a lost connection held, the next one gets later
// messages: wait a moment before attaching anew. Order beyond that and across processes is the
// broker's: a single active consumer of a RabbitMQ queue, a session of Azure Service Bus or a
// group of Artemis gives one process a group, and Workers keep its order there.
type Workers struct {
	Consumer Consumer // makes the View that a handler gets; Run does not attach it

	// Handlers is how many messages are handled at once. Held is how many may be held at once,
	// handled, retried or waiting for their group: Run issues credit for so many. A group whose
	// backlog fills it stalls the link, see Stalls, so Held should exceed the longest backlog
	// of a group that has to be waited for.
	Handlers, Held int

	// Key returns the group of a message, the zero GroupKey for none: such a message is handled
	// at any time. nil: JMSXGroupID. Without a key that can be read a message is settled as
	// Failed.
	Key func(View) (GroupKey, error)

	// Retries is how often a failed message is handled again before it is settled as Failed, and
	// Backoff how long to wait before retry n, counted from 1; nil: 100 ms, doubled up to 10 s.
	Retries int
	Backoff func(n int) time.Duration

	// Failed settles a message whose last retry failed: Rejected, which dead-letters it, or
	// ModifiedFailed, which returns it and the later messages of its group to the broker. They
	// are redelivered in order, but after those in flight, and on a quorum queue of RabbitMQ
	// after those returned before. 0 is Rejected, which Run refuses for a peer that would deliver
	// the message again at once (Peer.RequeuesRejected).
	Failed Outcome

	// Grace is how long Run waits for running handlers when it ends; 0: as long as they take.
	Grace time.Duration

	stalls atomic.Int64
}

// A handlerPanic is what a handler panicked with, as an error of its message.
type handlerPanic struct{ value any }

func (e handlerPanic) Error() string { return fmt.Sprintf("amqpjms: handler panicked: %v", e.value) }

// errUnfinished is the error of a message whose handler ended its goroutine.
var errUnfinished = errors.New("amqpjms: handler did not return")

// Stalls returns how often Run had as many messages as Held allows and none that could be
// handled. It may be called while Run runs.
func (w *Workers) Stalls() int64 { return w.stalls.Load() }

// Run receives and handles messages until ctx or the link ends, and returns why. It issues the
// credit, so open the receiver with a Credit of -1, one for each Run. handle settles a message
// with the Outcome that it returns, 0 for Accepted; with an error, a panic or an outcome that
// does not exist it is retried. Its context ends when the link is lost, or the grace is over.
//
// When ctx ends, Run starts no handler, lets those that run finish, releases the other messages
// in order and returns ctx's error: then close the receiver. When the link is lost, or a message
// cannot be settled, it drops what it holds and returns the error: attach anew and call Run again.
// Run returns when every handler has, or after Grace with an error that says how many still
// run: do not call it again before they end. Use a Workers for one Run at a time.
func (w *Workers) Run(ctx context.Context, r *amqp.Receiver, handle func(context.Context, View) (Outcome, error)) error {
	return w.run(ctx, r, handle)
}

// A workSource is what Run needs of an amqp.Receiver.
type workSource interface {
	source
	IssueCredit(uint32) error
	DrainCredit(context.Context, *amqp.DrainCreditOptions) error
}

// drainLimit is how long Run waits for a peer's answer to a drain, which ActiveMQ and Artemis do
// not give though they obey: only messages that are on their way are at stake.
const drainLimit = 100 * time.Millisecond

func (w *Workers) check() error {
	wrong := func(what string, value any, why string) error {
		return &ValueError{What: "workers: " + what, Value: fmt.Sprint(value), Err: errors.New(why)}
	}
	switch {
	case w.Handlers < 1:
		return wrong("handlers", w.Handlers, "want at least 1 (Workers.Handlers)")
	case w.Held < w.Handlers:
		return wrong("held", w.Held, "fewer than Handlers (Workers.Held)")
	case w.Held > math.MaxInt32:
		return wrong("held", w.Held, "more than a link's credit (Workers.Held)")
	case w.Retries < 0:
		return wrong("retries", w.Retries, "negative (Workers.Retries)")
	case w.Grace < 0:
		return wrong("grace", w.Grace, "negative (Workers.Grace)")
	case w.Failed != 0 && w.Failed != Rejected && w.Failed != ModifiedFailed && w.Failed != ModifiedUndeliverableHere:
		return wrong("failed", w.Failed, "want Rejected or modified (Workers.Failed)")
	case (w.Failed == 0 || w.Failed == Rejected) && w.Consumer.Peer.RequeuesRejected:
		return wrong("failed", w.Failed, "the peer delivers a rejected message again at once (Workers.Failed)")
	}
	return nil
}

func (w *Workers) backoff(n int) time.Duration {
	if w.Backoff != nil {
		return w.Backoff(n)
	}
	return min(100*time.Millisecond<<min(n-1, 10), 10*time.Second)
}

// A work is a message that is held.
type work struct {
	m       *amqp.Message
	view    View
	key     GroupKey
	n       int // in the order of arrival
	ref     Ref
	by      *GroupConsumer[*work]
	retries int // that have been made
	running bool

	outcome Outcome // of the handler
	err     error   // of the handler
	settled error   // of settling
}

// A workQueue decides what may be handled now. It starts no goroutine and knows no clock.
type workQueue struct {
	groups    *Groups[*work]
	consumers []*GroupConsumer[*work] // at most one for each message that is held
	spare     []*GroupConsumer[*work] // of them, which hold nothing
	slots     int                     // handlers that are free
	waiting   int
	held      int // waiting, handled and retried
}

func newWorkQueue(handlers int) *workQueue {
	return &workQueue{groups: NewShared[*work](GroupOptions[*work]{Ungrouped: true}), slots: handlers}
}

// add takes a message that arrived.
func (q *workQueue) add(j *work) {
	j.ref, _ = q.groups.Add(j, j.key)
	q.waiting++
	q.held++
}

// next returns a message to handle now, nil if there is none or no handler is free. Its group
// is its own until done or giveBack.
func (q *workQueue) next() *work {
	if q.slots == 0 || q.waiting == 0 {
		return nil
	}
	var c *GroupConsumer[*work]
	if n := len(q.spare); n > 0 {
		c, q.spare = q.spare[n-1], q.spare[:n-1]
	} else {
		c = q.groups.Open(nil)
		q.consumers = append(q.consumers, c)
	}
	j, _, ok := c.Next()
	if !ok {
		q.spare = append(q.spare, c)
		return nil
	}
	j.by, j.running = c, true
	q.slots--
	q.waiting--
	return j
}

// pause frees the handler of a message that waits to be retried, and resume takes one for it, if
// there is one. The group stays the message's.
func (q *workQueue) pause(j *work) {
	j.running = false
	q.slots++
}

func (q *workQueue) resume(j *work) bool {
	if q.slots == 0 {
		return false
	}
	j.running = true
	q.slots--
	return true
}

// done ends a message, whose group goes on. Its handler is free.
func (q *workQueue) done(j *work) {
	q.groups.Settle(j.ref)
	q.spare = append(q.spare, j.by)
	q.slots++
	q.held--
}

// giveBack ends a message that goes back to the broker, and returns what waits behind it in its
// group, in order, which has to go back too.
func (q *workQueue) giveBack(j *work) (behind []*work) {
	if !j.key.IsZero() {
		for _, later := range q.groups.Waiting(j.key) {
			behind = append(behind, later)
		}
	}
	for _, later := range behind {
		q.groups.Remove(later.ref)
		q.waiting--
		q.held--
	}
	q.done(j)
	return behind
}

// rest returns what waits, in order, and takes it off. What waits behind a message that is being
// handled stays: it would overtake that.
func (q *workQueue) rest() (rest []*work) {
	busy := map[GroupKey]bool{}
	for _, c := range q.consumers {
		for _, j := range c.Held() {
			if j.running {
				busy[j.key] = !j.key.IsZero()
			}
		}
	}
	for _, j := range q.groups.Messages() {
		if !busy[j.key] {
			rest = append(rest, j)
		}
	}
	for _, j := range rest {
		q.groups.Remove(j.ref)
		q.waiting--
		q.held--
	}
	return rest
}

func (w *Workers) run(ctx context.Context, from workSource, handle func(context.Context, View) (Outcome, error)) error {
	if err := w.check(); err != nil {
		return err
	}
	if handle == nil {
		return &ValueError{What: "workers: handler", Value: "nil", Err: errors.New("want a function")}
	}
	if err := from.IssueCredit(uint32(w.Held)); err != nil {
		return fmt.Errorf("amqpjms: workers: open the receiver with a Credit of -1, for one Run: %w", err)
	}
	granted := w.Held // credit that no message has used
	failed := w.Failed
	if failed == 0 {
		failed = Rejected
	}
	// Handlers outlive ctx, by the grace; they do not outlive the link.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	receiving, stopReceiving := context.WithCancel(ctx)
	defer stopReceiving()

	quit := make(chan struct{}) // closed when Run returns, with or without its handlers
	defer close(quit)
	arrived := make(chan *work, 2*w.Handlers) // room, so that not each message wakes the other side
	var ended error                           // set when arrived is closed
	go func() {
		defer close(arrived)
		for {
			m, err := from.Receive(receiving, nil)
			if err != nil {
				ended = err
				return
			}
			select {
			case arrived <- &work{m: m}:
			case <-quit:
				return
			}
		}
	}()

	q := newWorkQueue(w.Handlers)
	finished, due := make(chan *work, w.Handlers), make(chan *work)
	var retries []*work               // that are due and wait for a handler
	timers := map[*work]*time.Timer{} // of those that are not due
	defer func() {
		for _, timer := range timers {
			timer.Stop()
		}
	}()
	n, running := 0, 0        // goroutines that will send to finished
	stalled := false          // counted already
	var end error             // why Run ends
	lost, open := false, true // the link; whether messages still arrive
	settle := func(j *work, o Outcome) error { return o.settle(working, from, j.m) }
	begin := func(j *work) {
		running++
		go func() {
			defer func() { // even if the handler calls runtime.Goexit
				select {
				case finished <- j:
				case <-quit:
				}
			}()
			j.outcome, j.err = 0, errUnfinished
			j.outcome, j.err = call(working, handle, j.view)
			if j.err == nil && working.Err() == nil && w.isFinal(j.outcome) {
				j.settled = settle(j, j.outcome)
			}
		}()
	}
	take := func(j *work) (err error) {
		n++
		j.n, j.view = n, w.Consumer.View(j.m, time.Now())
		j.key, err = w.key(j.view)
		return err
	}
	finish := func(err error, isLost bool) { // Run ends; the first reason counts
		if end == nil {
			end = err
		}
		lost = lost || isLost
		stopReceiving()
		if lost {
			stop()
		}
	}
	giveBack := func(j *work, o Outcome) {
		err := settle(j, o)
		for _, later := range q.giveBack(j) {
			if err == nil {
				err = settle(later, Released)
			}
		}
		if err != nil {
			finish(err, true)
		}
	}

	var grace <-chan time.Time
	cancelled := ctx.Done()
	for open || running > 0 {
		if end == nil && ctx.Err() != nil {
			finish(ctx.Err(), false)
		}
		if end != nil {
			cancelled = nil
		}
		for end == nil {
			if len(retries) > 0 && q.resume(retries[0]) {
				j := retries[0]
				retries = retries[1:]
				begin(j)
				continue
			}
			j := q.next()
			if j == nil {
				break
			}
			begin(j)
		}
		// Often enough that messages keep coming, and seldom enough that few frames do it.
		if free := w.Held - q.held - granted; end == nil && free > 0 && free >= granted {
			if err := from.IssueCredit(uint32(free)); err != nil {
				finish(err, true)
			}
			granted += free
		}
		if isStalled := end == nil && q.held >= w.Held && q.slots > 0; isStalled != stalled {
			if stalled = isStalled; stalled {
				w.stalls.Add(1)
			}
		}
		if end != nil && grace == nil && w.Grace > 0 {
			timer := time.NewTimer(w.Grace)
			defer timer.Stop()
			grace = timer.C
		}
		select {
		case <-cancelled:
		case j, ok := <-arrived:
			if !ok {
				arrived, open = nil, false
				if ctx.Err() != nil {
					finish(ctx.Err(), false)
				} else if end == nil {
					finish(ended, true)
				}
				break
			}
			granted--
			if err := take(j); err != nil {
				if err := settle(j, failed); err != nil {
					finish(err, true)
				}
				break
			}
			q.add(j)
		case j := <-due:
			delete(timers, j)
			retries = append(retries, j)
		case j := <-finished:
			running--
			switch {
			case lost:
				q.done(j)
			case j.settled != nil:
				q.done(j)
				finish(j.settled, true)
			case j.err == nil && w.isFinal(j.outcome):
				q.done(j)
			case j.err == nil:
				giveBack(j, j.outcome)
			case j.retries < w.Retries && end == nil:
				j.retries++
				q.pause(j)
				timers[j] = time.AfterFunc(w.backoff(j.retries), func() {
					select {
					case due <- j:
					case <-working.Done():
					case <-quit:
					}
				})
			case j.retries < w.Retries: // it has not failed yet
				q.pause(j)
				retries = append(retries, j)
			case w.isFinal(failed):
				if err := settle(j, failed); err != nil {
					finish(err, true)
				}
				q.done(j)
			default:
				giveBack(j, failed)
			}
		case <-grace:
			stop()
			end = errors.Join(end, fmt.Errorf("amqpjms: %d handlers still run after the grace of %v", running, w.Grace))
			open, running = false, 0
		}
	}
	if lost {
		return end
	}
	// Without credit, nothing that is released comes again on this link: where it did, and was
	// released again, a quorum queue of RabbitMQ would put it behind the others.
	settling := context.WithoutCancel(ctx)
	draining, stopDraining := context.WithTimeout(settling, drainLimit)
	from.DrainCredit(draining, nil) // if the link is lost, so is what follows
	stopDraining()
	for m := from.Prefetched(); m != nil; m = from.Prefetched() {
		j := &work{m: m}
		take(j) // without a key it is released as well
		q.add(j)
	}
	for j := range timers {
		retries = append(retries, j)
	}
	rest := append(retries, q.rest()...)
	slices.SortFunc(rest, func(a, b *work) int { return cmp.Compare(a.n, b.n) })
	if w.Grace > 0 {
		var cancel func()
		settling, cancel = context.WithTimeout(settling, w.Grace)
		defer cancel()
	}
	for _, j := range rest {
		if err := Released.settle(settling, from, j.m); err != nil {
			return errors.Join(end, err)
		}
	}
	return end
}

func (w *Workers) key(v View) (GroupKey, error) {
	if w.Key != nil {
		return w.Key(v)
	}
	return GroupKeyOf(v.Message, GroupIDHeader)
}

// isFinal reports whether a message with this outcome does not come back, so that its group can go on.
func (w *Workers) isFinal(o Outcome) bool {
	return o == Accepted || o == Rejected && !w.Consumer.Peer.RequeuesRejected
}

// call calls a handler. A panic is an error, and so is an outcome that does not exist.
func call(ctx context.Context, handle func(context.Context, View) (Outcome, error), v View) (o Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			o, err = 0, handlerPanic{p}
		}
	}()
	if o, err = handle(ctx, v); o == 0 {
		o = Accepted
	}
	if err == nil && o > ModifiedUndeliverableHere {
		err = &ValueError{What: "outcome", Value: strconv.Itoa(int(o)), Err: errors.New("want 1 to 5")}
	}
	return o, err
}
