package amqpjms

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"
)

// A fakeSource gives messages as a link does, and keeps what becomes of them.
type fakeSource struct {
	mu       sync.Mutex
	queue    []*amqp.Message // not yet received
	credit   int
	taken    int             // and not settled
	most     int             // that credit and taken were together
	late     []*amqp.Message // on their way when credit is drained
	settled  []string        // "accepted 3", in order
	changed  chan struct{}
	lost     chan struct{}
	settling error // of every settlement
	issuing  error // of credit
}

func newFakeSource(groups ...string) *fakeSource {
	f := &fakeSource{changed: make(chan struct{}, 1), lost: make(chan struct{})}
	for i, g := range groups {
		f.queue = append(f.queue, groupMessage1(i, g))
	}
	return f
}

// groupMessage1 returns message n of a group, "" for none.
func groupMessage1(n int, group string) *amqp.Message {
	m := &amqp.Message{Value: int64(n), Properties: &amqp.MessageProperties{}}
	if group != "" {
		m.Properties.GroupID = &group
	}
	return m
}

func (f *fakeSource) wake() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

func (f *fakeSource) Receive(ctx context.Context, _ *amqp.ReceiveOptions) (*amqp.Message, error) {
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if m := f.take(); m != nil {
			return m, nil
		}
		select {
		case <-f.changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.lost:
			return nil, errLost
		}
	}
}

var errLost = errors.New("link lost")

func (f *fakeSource) take() *amqp.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 || f.credit == 0 {
		return nil
	}
	m := f.queue[0]
	f.queue = f.queue[1:]
	f.credit--
	f.taken++
	return m
}

func (f *fakeSource) Prefetched() *amqp.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.late) == 0 {
		return nil
	}
	m := f.late[0]
	f.late = f.late[1:]
	f.taken++
	return m
}

// push sends more messages.
func (f *fakeSource) push(ms ...*amqp.Message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = append(f.queue, ms...)
	f.wake()
}

func (f *fakeSource) settle(how string, m *amqp.Message) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.settling != nil {
		return f.settling
	}
	f.settled = append(f.settled, fmt.Sprint(how, " ", m.Value))
	f.taken--
	if how == "released" && f.credit > 0 { // as a broker does, whose only consumer this is
		f.queue = append([]*amqp.Message{m}, f.queue...)
	}
	f.wake()
	return nil
}

func (f *fakeSource) IssueCredit(n uint32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.issuing != nil {
		return f.issuing
	}
	f.credit += int(n)
	f.most = max(f.most, f.credit+f.taken)
	f.wake()
	return nil
}

func (f *fakeSource) DrainCredit(context.Context, *amqp.DrainCreditOptions) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late = f.queue[:min(f.credit, len(f.queue))]
	f.queue = f.queue[len(f.late):]
	f.credit = 0
	return nil
}

func (f *fakeSource) AcceptMessage(_ context.Context, m *amqp.Message) error {
	return f.settle("accepted", m)
}
func (f *fakeSource) RejectMessage(_ context.Context, m *amqp.Message, _ *amqp.Error) error {
	return f.settle("rejected", m)
}
func (f *fakeSource) ReleaseMessage(_ context.Context, m *amqp.Message) error {
	return f.settle("released", m)
}
func (f *fakeSource) ModifyMessage(_ context.Context, m *amqp.Message, _ *amqp.ModifyMessageOptions) error {
	return f.settle("modified", m)
}

func (f *fakeSource) log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.settled)
}

// runWorkers runs w on f until stop is called, in a bubble whose goroutines must all end.
func runWorkers(w *Workers, f *fakeSource, handle func(context.Context, View) (Outcome, error)) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.run(ctx, f, handle) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// Handlers fail and panic at random: within a group messages are first handled in order, a retried one is never
// overtaken, and each is settled once.
func TestWorkersKeepOrder(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			groups := make([]string, 500)
			for i := range groups {
				if n := random.IntN(12); n > 0 {
					groups[i] = fmt.Sprint("g", n)
				}
			}
			f := newFakeSource(groups...)
			w := &Workers{Handlers: 1 + random.IntN(8), Retries: 2}
			w.Held = max(1+random.IntN(64), w.Handlers)
			var mu sync.Mutex
			busy, most := map[string]bool{}, 0
			current := map[string]int{} // the last message of a group that was handled
			tries := map[int]int{}
			fail := map[int]int{} // how often each fails
			for i := range groups {
				fail[i] = max(0, random.IntN(8)-4)
			}
			stop := runWorkers(w, f, func(ctx context.Context, v View) (Outcome, error) {
				n := int(v.Message.Value.(int64))
				g := groups[n]
				mu.Lock()
				if g != "" {
					if busy[g] {
						t.Errorf("seed %d: %d handled while another of %s is", seed, n, g)
					}
					if n < current[g] {
						t.Errorf("seed %d: %d of %s handled after %d", seed, n, g, current[g])
					}
					busy[g], current[g] = true, n
				}
				tries[n]++
				most = max(most, len(busy))
				try := tries[n]
				mu.Unlock()
				time.Sleep(time.Duration(n%7) * time.Millisecond)
				mu.Lock()
				delete(busy, g)
				mu.Unlock()
				if try <= fail[n] {
					if n%2 == 0 {
						panic("at random")
					}
					return 0, errors.New("at random")
				}
				return 0, nil
			})
			time.Sleep(time.Hour)
			require.ErrorIs(t, stop(), context.Canceled)
			want := map[string]bool{}
			for i := range groups {
				how, n := "accepted", fail[i]+1
				if fail[i] > w.Retries {
					how, n = "rejected", w.Retries+1
				}
				want[fmt.Sprint(how, " ", i)] = true
				require.Equal(t, n, tries[i], "seed %d: message %d", seed, i)
			}
			got := map[string]bool{}
			for _, s := range f.log() {
				require.False(t, got[s], "seed %d: %s twice", seed, s)
				got[s] = true
			}
			require.Equal(t, want, got, "seed %d", seed)
			require.LessOrEqual(t, most, w.Handlers)
			require.Equal(t, w.Held, f.most, "seed %d: the link's credit and what is held", seed)
		})
	}
}

// While a group is stuck and its backlog fits, the others are handled; when it fills what may be held, the link stalls,
// nothing is released, and that is counted.
func TestWorkersStuckGroup(t *testing.T) {
	for _, row := range []struct {
		held   int
		others int // that are handled
		stalls int64
	}{{8, 3, 0}, {4, 1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeSource("stuck", "a", "stuck", "stuck", "stuck", "b", "c")
			w := &Workers{Handlers: 2, Held: row.held}
			stop := runWorkers(w, f, func(ctx context.Context, v View) (Outcome, error) {
				if must(v.GroupID()).Or("") == "stuck" {
					<-time.After(time.Hour)
				}
				return Accepted, nil
			})
			time.Sleep(time.Minute)
			require.Len(t, f.log(), row.others, "held %d", row.held)
			require.Equal(t, row.stalls, w.Stalls(), "held %d", row.held)
			time.Sleep(24 * time.Hour)
			require.Len(t, f.log(), 7)
			require.ErrorIs(t, stop(), context.Canceled)
		})
	}
}

// A link that holds nothing but what waits to be retried stalls too.
func TestWorkersStallOfRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("a", "b", "c")
		w := &Workers{Handlers: 1, Held: 2, Retries: 1, Backoff: func(int) time.Duration { return time.Hour }}
		stop := runWorkers(w, f, func(_ context.Context, v View) (Outcome, error) { return 0, errors.New("no") })
		time.Sleep(time.Minute)
		require.EqualValues(t, 1, w.Stalls())
		time.Sleep(24 * time.Hour)
		require.ElementsMatch(t, []string{"rejected 0", "rejected 1", "rejected 2"}, f.log())
		require.ErrorIs(t, stop(), context.Canceled)
	})
}

// At shutdown running handlers finish, and what was not handled is released in order, what was prefetched last.
func TestWorkersShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("a", "b", "a", "b", "", "a")
		w := &Workers{Handlers: 2, Held: 8}
		stop := runWorkers(w, f, func(ctx context.Context, v View) (Outcome, error) {
			time.Sleep(time.Second)
			return Accepted, ctx.Err()
		})
		time.Sleep(time.Millisecond)
		time.AfterFunc(time.Second/2, func() { f.push(groupMessage1(6, "c"), groupMessage1(7, "c"), groupMessage1(8, "c")) })
		require.ErrorIs(t, stop(), context.Canceled)
		log := f.log()
		slices.Sort(log[:2])
		require.Equal(t, []string{"accepted 0", "accepted 1", "released 2", "released 3", "released 4", "released 5", "released 6", "released 7"}, log)
	})
}

// A message that failed and is not yet retried at shutdown goes back before what waits behind it.
func TestWorkersShutdownBetweenRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("a", "a", "b", "a")
		w := &Workers{Handlers: 1, Held: 6, Retries: 9, Backoff: func(int) time.Duration { return time.Hour }}
		stop := runWorkers(w, f, func(context.Context, View) (Outcome, error) { return 0, errors.New("no") })
		time.Sleep(time.Minute)
		require.Empty(t, f.log())
		require.ErrorIs(t, stop(), context.Canceled)
		require.Equal(t, []string{"released 0", "released 1", "released 2", "released 3"}, f.log())
	})
}

// When the link is lost, handlers see their context end, and nothing is settled.
func TestWorkersLostLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("a", "b", "a", "c")
		w := &Workers{Handlers: 2, Held: 4}
		var ended atomic.Int32
		stop := runWorkers(w, f, func(ctx context.Context, v View) (Outcome, error) {
			<-ctx.Done()
			ended.Add(1)
			return Accepted, nil
		})
		time.Sleep(time.Second)
		close(f.lost)
		synctest.Wait()
		err := stop()
		require.ErrorIs(t, err, errLost)
		require.EqualValues(t, 2, ended.Load())
		require.Empty(t, f.log())
	})
}

// A settlement that fails ends the run with its error.
func TestWorkersSettlementError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("a", "a", "b")
		f.settling = errors.New("no longer attached")
		stop := runWorkers(&Workers{Handlers: 2, Held: 4}, f, func(context.Context, View) (Outcome, error) { return Accepted, nil })
		time.Sleep(time.Second)
		require.ErrorIs(t, stop(), f.settling)
		require.Empty(t, f.log())
	})
}

// With a message that goes back to the broker, what waits behind it in its group goes back too, in order.
func TestWorkersGiveBack(t *testing.T) {
	for _, row := range []struct {
		rule string
		w    *Workers
		o    Outcome
		err  error
		want []string
	}{
		{"a failed one, modified", &Workers{Failed: ModifiedFailed}, 0, errors.New("no"), []string{"modified 0", "released 1", "released 3", "accepted 2"}},
		{"released by the handler", &Workers{}, Released, nil, []string{"released 0", "released 1", "released 3", "accepted 2"}},
		{"a failed one, rejected: the group goes on", &Workers{}, 0, errors.New("no"), []string{"rejected 0", "accepted 1", "accepted 2", "accepted 3"}},
		{"rejected by the handler", &Workers{}, Rejected, nil, []string{"rejected 0", "accepted 1", "accepted 2", "accepted 3"}},
		{"rejected, by a peer that delivers it again", &Workers{Failed: ModifiedFailed, Consumer: Consumer{Peer: BrokerJ()}}, Rejected, nil,
			[]string{"rejected 0", "released 1", "released 3", "accepted 2"}},
		{"not an outcome: as a failed one", &Workers{}, 9, nil, []string{"rejected 0", "accepted 1", "accepted 2", "accepted 3"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeSource("a", "a", "b", "a")
			row.w.Handlers, row.w.Held = 1, 4
			stop := runWorkers(row.w, f, func(_ context.Context, v View) (Outcome, error) {
				time.Sleep(time.Second) // all have arrived
				if v.Message.Value == int64(0) {
					return row.o, row.err
				}
				return Accepted, nil
			})
			time.Sleep(time.Hour)
			err := stop()
			require.Error(t, err)
			require.Equal(t, row.want, f.log(), row.rule)
		})
	}
}

// Run does not wait for a handler longer than the grace.
func TestWorkersGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("a", "b")
		stop := runWorkers(&Workers{Handlers: 2, Held: 4, Grace: time.Second}, f, func(ctx context.Context, v View) (Outcome, error) {
			if v.Message.Value == int64(0) {
				time.Sleep(time.Minute)
			}
			<-ctx.Done()
			return Accepted, nil
		})
		time.Sleep(time.Millisecond)
		start := time.Now()
		err := stop()
		require.Equal(t, time.Second, time.Since(start))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "amqpjms: 2 handlers still run after the grace of 1s")
		time.Sleep(time.Hour) // until they have ended
		require.Empty(t, f.log())
	})
}

// What waits behind a handler that outlives the grace is not released, or it would overtake; the rest is.
func TestWorkersGraceReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("stuck", "", "stuck", "", "a", "a")
		stop := runWorkers(&Workers{Handlers: 2, Held: 6, Grace: time.Second}, f, func(_ context.Context, v View) (Outcome, error) {
			time.Sleep(time.Hour)
			return Accepted, nil
		})
		time.Sleep(time.Millisecond)
		require.ErrorContains(t, stop(), "2 handlers still run")
		require.Equal(t, []string{"released 3", "released 4", "released 5"}, f.log())
		time.Sleep(2 * time.Hour)
	})
}

// A handler that ends its goroutine fails its message.
func TestWorkersHandlerExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("a", "a")
		stop := runWorkers(&Workers{Handlers: 1, Held: 2}, f, func(_ context.Context, v View) (Outcome, error) {
			if v.Message.Value == int64(0) {
				runtime.Goexit()
			}
			return Accepted, nil
		})
		time.Sleep(time.Second)
		require.ErrorIs(t, stop(), context.Canceled)
		require.Equal(t, []string{"rejected 0", "accepted 1"}, f.log())
	})
}

// Nothing is begun once ctx has ended, though messages are there.
func TestWorkersEndedContext(t *testing.T) {
	for range 100 { // what comes first is up to the scheduler
		synctest.Test(t, endedContext)
	}
}

func endedContext(t *testing.T) {
	f := newFakeSource("a", "b", "c", "d", "e")
	ctx, cancel := context.WithCancel(t.Context())
	handled := 0
	err := (&Workers{Handlers: 1, Held: 5}).run(ctx, f, func(context.Context, View) (Outcome, error) {
		handled++
		cancel()
		return Accepted, nil
	})
	require.Equal(t, context.Canceled, err)
	require.Equal(t, 1, handled)
	require.Zero(t, f.taken)
	err = (&Workers{Handlers: 1, Held: 5}).run(ctx, f, func(context.Context, View) (Outcome, error) { panic("handled") })
	require.Equal(t, context.Canceled, err)
	require.Zero(t, f.taken)
}

// A receiver whose credit go-amqp issues is refused, before anything is handled.
func TestWorkersAutomaticCredit(t *testing.T) {
	f := newFakeSource("a")
	f.issuing = errors.New("no manual credit")
	err := (&Workers{Handlers: 1, Held: 1}).run(t.Context(), f, func(context.Context, View) (Outcome, error) { panic("handled") })
	require.EqualError(t, err, "amqpjms: workers: open the receiver with a Credit of -1, for one Run: no manual credit")
	require.ErrorIs(t, err, f.issuing)
}

func TestWorkersCheck(t *testing.T) {
	for _, row := range []struct {
		w    *Workers
		want string
	}{
		{&Workers{}, `amqpjms: workers: handlers 0: want at least 1 (Workers.Handlers)`},
		{&Workers{Handlers: 2, Held: 1}, `amqpjms: workers: held 1: fewer than Handlers (Workers.Held)`},
		{&Workers{Handlers: 1, Held: 1, Retries: -1}, `amqpjms: workers: retries -1: negative (Workers.Retries)`},
		{&Workers{Handlers: 1, Held: 1, Grace: -1}, `amqpjms: workers: grace -1ns: negative (Workers.Grace)`},
		{&Workers{Handlers: 1, Held: 1, Failed: Accepted}, `amqpjms: workers: failed accepted: want Rejected or modified (Workers.Failed)`},
		{&Workers{Handlers: 1, Held: 1, Consumer: Consumer{Peer: BrokerJ()}},
			`amqpjms: workers: failed Outcome(0): the peer delivers a rejected message again at once (Workers.Failed)`},
	} {
		err := row.w.Run(context.Background(), nil, nil)
		wantValueError(t, err, row.want)
	}
}

// A message whose key cannot be read is settled as failed, and the others go on.
func TestWorkersKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource("a", "b", "c")
		w := &Workers{Handlers: 1, Held: 4, Key: func(v View) (GroupKey, error) {
			if must(v.GroupID()) == Some("b") {
				return GroupKey{}, errors.New("none")
			}
			return GroupKeyFrom(v.Message.Value)
		}}
		stop := runWorkers(w, f, func(context.Context, View) (Outcome, error) { return 0, nil })
		time.Sleep(time.Second)
		require.ErrorIs(t, stop(), context.Canceled)
		require.ElementsMatch(t, []string{"accepted 0", "rejected 1", "accepted 2"}, f.log())
	})
}

// A plainQueue says what may be handled, by looking at everything.
type plainQueue struct {
	slots   int
	waiting []*work
	busy    map[GroupKey]bool
}

func (q *plainQueue) next() *work {
	if q.slots == 0 {
		return nil
	}
	for i, j := range q.waiting {
		if j.key.IsZero() || !q.busy[j.key] {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			q.busy[j.key] = true
			q.slots--
			return j
		}
	}
	return nil
}

// Random steps give the same messages as a plain queue.
func FuzzWorkQueue(f *testing.F) {
	f.Add(uint8(2), []byte{0, 1, 0, 5, 0, 1, 4, 4, 8, 12, 16, 9, 13, 4})
	f.Fuzz(func(t *testing.T, handlers uint8, steps []byte) {
		n := 1 + int(handlers%5)
		q, p := newWorkQueue(n), &plainQueue{slots: n, busy: map[GroupKey]bool{}}
		var running, paused []*work
		for i, s := range steps {
			pick := func(from *[]*work) *work {
				k := int(s>>3) % len(*from)
				j := (*from)[k]
				*from = slices.Delete(*from, k, k+1)
				return j
			}
			switch op := s & 7; {
			case op < 2:
				j := &work{n: i}
				if g := s >> 3 % 6; g > 0 {
					j.key, _ = GroupKeyFrom(int64(g))
				}
				q.add(j)
				p.waiting = append(p.waiting, j)
			case op < 4:
				got, want := q.next(), p.next()
				require.True(t, got == want, "step %d: next", i)
				if got != nil {
					running = append(running, got)
				}
			case op == 4 && len(running) > 0:
				j := pick(&running)
				q.done(j)
				delete(p.busy, j.key)
				p.slots++
			case op == 5 && len(running) > 0:
				j := pick(&running)
				var want []*work
				p.waiting = slices.DeleteFunc(p.waiting, func(w *work) bool {
					behind := !j.key.IsZero() && w.key == j.key
					if behind {
						want = append(want, w)
					}
					return behind
				})
				require.True(t, slices.Equal(want, q.giveBack(j)), "step %d: behind", i)
				delete(p.busy, j.key)
				p.slots++
			case op == 6 && len(running) > 0:
				j := pick(&running)
				paused = append(paused, j)
				q.pause(j)
				p.slots++
			case op == 7 && len(paused) > 0:
				can := p.slots > 0
				require.Equal(t, can, q.resume(paused[int(s>>3)%len(paused)]))
				if can {
					p.slots--
					running = append(running, pick(&paused))
				}
			}
			require.Equal(t, len(p.waiting)+len(running)+len(paused), q.held, "step %d", i)
			require.Equal(t, len(p.waiting), q.waiting, "step %d", i)
		}
		p.waiting = slices.DeleteFunc(p.waiting, func(w *work) bool { // what would overtake
			return !w.key.IsZero() && slices.ContainsFunc(running, func(j *work) bool { return j.key == w.key })
		})
		require.True(t, slices.Equal(p.waiting, q.rest()), "the rest")
	})
}
