//go:build interop

package interop

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
	"github.com/stretchr/testify/require"
)

// workersFeatures show Workers on few messages; TestWorkers does it on many.
func workersFeatures() []feature {
	few := workload{messages: 1000, groups: 50, cuts: 5}
	var fs []feature
	for _, queueType := range []string{"", "quorum"} {
		add := func(name string, run func(t *testing.T, s *site, q node) diff) {
			f := feature{name: name, run: func(t *testing.T, s *site) diff { return run(t, s, s.typed(t, "queue", queueType)) }}
			if queueType != "" {
				f.name, f.only = queueType+" queue: "+name, rabbit
			}
			fs = append(fs, f)
		}
		again := func(back giveUp) func(*testing.T, *site, node) diff {
			return func(t *testing.T, s *site, q node) diff { return comesAgain(t, s, q, back) }
		}
		add("Go releases in order: come again in order", again(releasedInOrder))
		add("Go modifies one, and releases what is behind: come again in order", again(modifiedAndReleased))
		add("Go loses the connection: come again in order", again(connectionLost))
		add("Go loses the connection, and with some of them the next: come again in order", again(connectionLostTwice))
		add("Workers: in order, connections cut, none lost", func(t *testing.T, s *site, q node) diff {
			return inOrder(t, s, q, few).diff
		})
		add("Workers: what one run did not finish the next gets", func(t *testing.T, s *site, q node) diff {
			return shutDown(t, s, q, 300).diff
		})
	}
	return fs
}

// TestWorkers shows Workers on many messages and measures them.
func TestWorkers(t *testing.T) {
	many := workload{messages: 100_000, groups: 1000, cuts: 20}
	if set := os.Getenv("MESSAGES"); set != "" {
		n, err := strconv.Atoi(set)
		require.NoError(t, err, "MESSAGES")
		many.messages = n
	}
	figures := newFigures()
	for _, b := range []broker{activeMQ(), brokerJ(), artemis(), rabbitMQ("4.3", "sid")} {
		t.Run(b.name, func(t *testing.T) {
			c := b.dial(t, b.start(t))
			types := []string{""}
			if b.declared {
				types = []string{"classic", "quorum"}
			}
			for _, queueType := range types {
				name := strings.TrimSpace(b.name + " " + queueType)
				s := &site{client: c.again(t), name: "workers " + queueType}
				q := func(n string) node { return s.typed(t, n, queueType) }
				t.Run("order "+queueType, func(t *testing.T) {
					o := inOrder(t, s, q("ordered"), many)
					require.Empty(t, o.diff.String())
					figures.add(name, "in order", o.String())
				})
				t.Run("throughput "+queueType, func(t *testing.T) {
					figures.add(name, "throughput", throughput(t, s, q("fast"), 20_000, 10).String())
				})
				t.Run("stuck "+queueType, func(t *testing.T) {
					figures.add(name, "a stuck handler", stuck(t, s, q("stuck")).String())
				})
				t.Run("shutdown "+queueType, func(t *testing.T) {
					o := shutDown(t, s, q("shutdown"), 5000)
					require.Empty(t, o.diff.String())
					figures.add(name, "shutdown", o.String())
				})
			}
		})
	}
	fmt.Print(figures)
}

// figures are what was measured, by broker.
type figures struct{ lines []string }

func newFigures() *figures { return &figures{} }

func (f *figures) add(broker, what, measured string) {
	line := fmt.Sprintf("| %s | %s | %s |", broker, what, measured)
	fmt.Println(line)
	f.lines = append(f.lines, line)
}

func (f *figures) String() string { return strings.Join(f.lines, "\n") + "\n" }

// typed is node for a queue of a type, which "" leaves to the broker.
func (s *site) typed(t testing.TB, name, queueType string) node {
	t.Helper()
	if queueType == "" || queueType == "classic" { // what queue declares
		return s.node(t, name)
	}
	name = strings.ReplaceAll(s.name, " ", "-") + "-" + name
	name = strings.NewReplacer(":", "", ",", "").Replace(name)
	require.NoError(t, s.management.declareQueue(t.Context(), name, queueType))
	return s.broker.node(t, "queue", amqpjms.Destination{Kind: amqpjms.Queue, Name: name})
}

// line is a connection with a receiver, which can be cut.
type line struct {
	*amqp.Receiver
	tcp  *net.TCPConn
	conn *amqp.Conn
}

func (s *site) line(t testing.TB, from node, credit int) *line {
	t.Helper()
	l, err := s.lineOver(t, from, credit, func(c net.Conn) net.Conn { return c })
	require.NoError(t, err)
	return l
}

// lineOver is line with something between go-amqp and TCP.
func (s *site) lineOver(t testing.TB, from node, credit int, wrap func(net.Conn) net.Conn) (*line, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tcp, err := new(net.Dialer).DialContext(ctx, "tcp", s.hostPort)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(s.hostPort)
	conn, err := amqp.NewConn(ctx, wrap(tcp), &amqp.ConnOptions{HostName: host, SASLType: amqp.SASLTypeAnonymous()})
	if err != nil {
		tcp.Close()
		return nil, err
	}
	t.Cleanup(func() { conn.Close() })
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return nil, err
	}
	r, err := session.NewReceiver(ctx, s.broker.address(t, from.destination), &amqp.ReceiverOptions{
		Credit: int32(credit), SourceCapabilities: s.broker.kindCapabilities(from.destination.Kind),
	})
	return &line{Receiver: r, tcp: tcp.(*net.TCPConn), conn: conn}, err
}

// cut ends the connection without a word of AMQP; where hard, without a word of TCP that is
// still to be sent either.
func (l *line) cut(hard bool) {
	if hard {
		l.tcp.SetLinger(0)
	}
	l.tcp.Close()
}

// leave closes the receiver, which the broker confirms: it has read all before.
func (l *line) leave(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, l.Close(ctx))
	l.conn.Close()
}

// parcel is what a message says of itself: message n of a group, and when it was sent.
type parcel struct {
	group, n int
	sent     time.Time
}

func (p parcel) text() string { return fmt.Sprint(p.group, " ", p.n, " ", p.sent.UnixNano()) }

func parcelOf(v amqpjms.View) (p parcel, err error) {
	s, err := v.Text()
	if err != nil {
		return parcel{}, err
	}
	var nanos int64
	_, err = fmt.Sscan(s.Or(""), &p.group, &p.n, &nanos)
	p.sent = time.Unix(0, nanos)
	return p, err
}

// produce sends parcels, many of which may be on their way, until there is none.
func (s *site) produce(ctx context.Context, to node, next func() (parcel, bool)) error {
	conn := s.client.conn
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return err
	}
	defer session.Close(context.WithoutCancel(ctx))
	address, err := s.broker.peer.Address(to.destination)
	if err != nil {
		return err
	}
	sender, err := session.NewSender(ctx, address, &amqp.SenderOptions{TargetCapabilities: s.broker.kindCapabilities(to.destination.Kind)})
	if err != nil {
		return err
	}
	receipts, ended := make(chan amqp.SendReceipt, 200), make(chan error, 1)
	go func() {
		var first error
		for r := range receipts {
			outcome, err := r.Wait(ctx)
			if _, ok := outcome.(*amqp.StateAccepted); err == nil && !ok {
				err = fmt.Errorf("the outcome of a message is %T", outcome)
			}
			if first == nil {
				first = err
			}
		}
		ended <- first
	}()
	producer := s.producer(to)
	err = func() error {
		defer close(receipts)
		for {
			p, ok := next()
			if !ok {
				return nil
			}
			m := text(p.text())
			if err := s.writer().SetGroup(m, amqpjms.Some(fmt.Sprint("group ", p.group)), amqpjms.Opt[int32]{}); err != nil {
				return err
			}
			if _, err := producer.Prepare(m, time.Now()); err != nil {
				return err
			}
			receipt, err := sender.SendWithReceipt(ctx, m, nil)
			if err != nil {
				return err
			}
			receipts <- receipt
		}
	}()
	return errors.Join(err, <-ended)
}

// counted gives n parcels, each message i of a group that pick chooses.
func counted(n int, pick func(i int) int) func() (parcel, bool) {
	next := map[int]int{}
	i := 0
	return func() (parcel, bool) {
		if i == n {
			return parcel{}, false
		}
		p := parcel{group: pick(i), sent: time.Now()}
		p.n = next[p.group]
		next[p.group]++
		i++
		return p, true
	}
}

// left counts what is left in a queue.
func (s *site) left(t testing.TB, q node) (n int) {
	t.Helper()
	l := s.line(t, q, 100)
	defer l.leave(t)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		m, err := l.Receive(ctx, nil)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return n
		}
		require.NoError(t, err)
		require.NoError(t, l.AcceptMessage(t.Context(), m))
		n++
	}
}

// workers are Workers for a broker. Their retries do not end, so that no outcome but accepted
// is used.
func (s *site) workers(handlers, held int) *amqpjms.Workers {
	w := &amqpjms.Workers{
		Consumer: amqpjms.Consumer{Peer: s.broker.peer}, Handlers: handlers, Held: held,
		Retries: 1000, Backoff: func(int) time.Duration { return time.Duration(rand.IntN(5)) * time.Millisecond },
	}
	if s.broker.peer.RequeuesRejected {
		w.Failed = amqpjms.ModifiedFailed
	}
	return w
}

// workload is how much is done while connections are cut.
type workload struct{ messages, groups, cuts int }

// ledger watches the order in which the messages of groups are handled. After message n was
// handled, no later one than n+1 may be; after it failed, none later than n.
type ledger struct {
	mu       sync.Mutex
	groups   map[int]*account
	handled  int // messages, each once
	begun    int // handlings
	failed   int
	last     time.Time
	disorder []string
}

type account struct {
	busy bool
	next int // the latest message that may be handled now
	done map[int]bool
}

func newLedger() *ledger { return &ledger{groups: map[int]*account{}} }

func (l *ledger) begin(p parcel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.groups[p.group]
	if g == nil {
		g = &account{done: map[int]bool{}}
		l.groups[p.group] = g
	}
	l.begun++
	l.last = time.Now()
	if g.busy {
		l.disorder = append(l.disorder, fmt.Sprintf("message %d of group %d is handled while another is", p.n, p.group))
	}
	if p.n > g.next {
		l.disorder = append(l.disorder, fmt.Sprintf("message %d of group %d is handled before %d", p.n, p.group, g.next))
	}
	g.busy = true
}

func (l *ledger) end(p parcel, failed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.groups[p.group]
	g.busy = false
	l.last = time.Now()
	if failed {
		l.failed++
		g.next = p.n
		return
	}
	g.next = p.n + 1
	if !g.done[p.n] {
		g.done[p.n] = true
		l.handled++
	}
}

func (l *ledger) state() (handled, begun int, last time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.handled, l.begun, l.last
}

// ordered is how Workers did on a workload.
type ordered struct {
	diff
	workload
	handlings, failures, runs int
	stalls                    int64
	took                      time.Duration
}

func (o ordered) String() string {
	return fmt.Sprintf("%d messages of %d groups, %d handlings, %d of which failed, %d connections, %d stalls: %.1f s, %.0f messages/s",
		o.messages, o.groups, o.handlings, o.failures, o.runs, o.stalls, o.took.Seconds(), float64(o.messages)/o.took.Seconds())
}

// inOrder has 16 handlers that fail and panic at random handle messages of many groups while
// they are sent, and cuts connections at random.
func inOrder(t *testing.T, s *site, q node, load workload) (o ordered) {
	o.workload = load
	book := newLedger()
	random := rand.New(rand.NewPCG(1, uint64(load.messages)))
	cuts := map[int]bool{} // at which handlings
	for len(cuts) < load.cuts {
		cuts[1+random.IntN(load.messages)] = true
	}
	var mu sync.Mutex
	var current *line
	chance := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n)
	}
	handle := func(ctx context.Context, v amqpjms.View) (amqpjms.Outcome, error) {
		p, err := parcelOf(v)
		if err != nil {
			return 0, err
		}
		book.begin(p)
		_, n, _ := book.state()
		mu.Lock()
		if cuts[n] {
			delete(cuts, n)
			current.cut(len(cuts)%2 == 0)
		}
		mu.Unlock()
		time.Sleep(time.Duration(chance(1000)) * time.Microsecond)
		how := chance(100)
		book.end(p, how < 10)
		if how == 0 {
			panic("at random")
		}
		if how < 10 {
			return 0, errors.New("at random")
		}
		return amqpjms.Accepted, nil
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	start := time.Now()
	produced := make(chan error, 1)
	groups := rand.New(rand.NewPCG(2, 3))
	go func() {
		produced <- s.produce(ctx, q, counted(load.messages, func(int) int { return groups.IntN(load.groups) }))
	}()
	finished := make(chan time.Time, 1)
	watched := make(chan struct{})
	go func() { // until all were handled, and nothing has come for a while
		defer close(watched)
		defer cancel()
		for last := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			handled, _, at := book.state()
			if handled == load.messages && len(finished) == 0 {
				finished <- time.Now()
			}
			if at.After(last) {
				last = at
			}
			limit := 15 * time.Second
			if handled == load.messages {
				limit = time.Second
			}
			if time.Since(last) > limit || ctx.Err() != nil {
				return
			}
		}
	}()
	const held = 500
	w := s.workers(16, held)
	for ctx.Err() == nil {
		l := s.line(t, q, -1)
		mu.Lock()
		current = l
		mu.Unlock()
		o.runs++
		err := w.Run(ctx, l.Receiver, handle)
		require.NotContains(t, err.Error(), "still run")
		l.conn.Close()
		if ctx.Err() == nil {
			var lost *amqp.ConnError
			require.ErrorAs(t, err, &lost)
		}
	}
	<-watched
	require.NoError(t, <-produced)
	select {
	case at := <-finished:
		o.took = at.Sub(start)
	default:
		o.note("only %d of %d were handled", book.handled, load.messages)
	}
	o.handlings, o.failures, o.stalls = book.begun, book.failed, w.Stalls()
	for i, line := range book.disorder {
		if i == 5 {
			o.note("%d times in disorder", len(book.disorder))
			break
		}
		o.note("%s", line)
	}
	o.want("what is left", 0, s.left(t, q))
	o.want("how many connections were not cut", 0, len(cuts))
	return o
}

// byHand is what people write without groups: handlers that receive for themselves.
func byHand(ctx context.Context, r *amqp.Receiver, consumer amqpjms.Consumer, handlers int, handle func(context.Context, amqpjms.View) (amqpjms.Outcome, error)) {
	var all sync.WaitGroup
	for range handlers {
		all.Add(1)
		go func() {
			defer all.Done()
			for {
				m, err := r.Receive(ctx, nil)
				if err != nil {
					return
				}
				if _, err := handle(ctx, consumer.View(m, time.Now())); err != nil {
					r.RejectMessage(context.WithoutCancel(ctx), m, nil)
				} else {
					r.AcceptMessage(context.WithoutCancel(ctx), m)
				}
			}
		}()
	}
	all.Wait()
}

// rates are messages per second, by the Workers and by hand, one after the other.
type rates struct{ workers, hand []float64 }

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2]
}

func (r rates) String() string {
	a, b := median(r.workers), median(r.hand)
	return fmt.Sprintf("Workers %.0f messages/s (%.0f to %.0f), by hand %.0f (%.0f to %.0f): %+.0f %%",
		a, slices.Min(r.workers), slices.Max(r.workers), b, slices.Min(r.hand), slices.Max(r.hand), 100*(a/b-1))
}

// throughput has 16 handlers that only look at a message take a queue's messages, each of
// another group, in turn with the version by hand.
func throughput(t *testing.T, s *site, q node, messages, turns int) (r rates) {
	const handlers, held = 16, 500
	for turn := range turns {
		for _, byWorkers := range []bool{turn%2 == 0, turn%2 == 1} { // neither is always first
			require.NoError(t, s.produce(t.Context(), q, counted(messages, func(i int) int { return i })))
			ctx, cancel := context.WithCancel(t.Context())
			var mu sync.Mutex
			var first, last time.Time
			n := 0
			handle := func(_ context.Context, v amqpjms.View) (amqpjms.Outcome, error) {
				_, err := parcelOf(v)
				mu.Lock()
				defer mu.Unlock()
				if n++; n == 1 {
					first = time.Now()
				}
				if n == messages {
					last = time.Now()
					cancel()
				}
				return amqpjms.Accepted, err
			}
			var l *line
			if w := s.workers(handlers, held); byWorkers {
				l = s.line(t, q, -1)
				require.Equal(t, context.Canceled, w.Run(ctx, l.Receiver, handle))
			} else {
				l = s.line(t, q, held)
				byHand(ctx, l.Receiver, w.Consumer, handlers, handle)
			}
			l.leave(t)
			rate := float64(messages-1) / last.Sub(first).Seconds()
			if byWorkers {
				r.workers = append(r.workers, rate)
			} else {
				r.hand = append(r.hand, rate)
			}
		}
	}
	require.Zero(t, s.left(t, q))
	return r
}

// latencies are times from a message's send to its handler, of groups whose handlers work.
type latencies struct{ before, during []time.Duration }

func (l latencies) String() string {
	at := func(of []time.Duration, percent int) time.Duration {
		of = slices.Sorted(slices.Values(of))
		return of[(len(of)-1)*percent/100].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("the others' latency %v (99 %%: %v) before, %v (%v) while it is stuck",
		at(l.before, 50), at(l.before, 99), at(l.during, 50), at(l.during, 99))
}

// stuck measures how long messages of 50 groups wait before the handler of another one is
// stuck and while it is, with a backlog that fits.
func stuck(t *testing.T, s *site, q node) (l latencies) {
	const handlers, held, backlog, each, groups = 16, 500, 300, 1000, 50
	release := make(chan struct{})
	var mu sync.Mutex
	during := false
	others, all := make(chan struct{}, each), make(chan struct{}, 3*each+backlog)
	handle := func(ctx context.Context, v amqpjms.View) (amqpjms.Outcome, error) {
		p, err := parcelOf(v)
		if err != nil {
			return 0, err
		}
		if p.group == groups {
			<-release
		} else {
			took := time.Since(p.sent)
			mu.Lock()
			if during {
				l.during = append(l.during, took)
			} else {
				l.before = append(l.before, took)
			}
			mu.Unlock()
			others <- struct{}{}
		}
		all <- struct{}{}
		return amqpjms.Accepted, nil
	}
	steady := func() {
		next := counted(each, func(i int) int { return i % groups })
		require.NoError(t, s.produce(t.Context(), q, func() (parcel, bool) {
			time.Sleep(time.Millisecond)
			return next()
		}))
		for range each {
			<-others
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := s.workers(handlers, held)
	line := s.line(t, q, -1)
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, line.Receiver, handle) }()
	steady() // warms up
	mu.Lock()
	l.before = nil
	mu.Unlock()
	steady()
	require.NoError(t, s.produce(t.Context(), q, counted(backlog, func(int) int { return groups })))
	time.Sleep(200 * time.Millisecond)
	mu.Lock()
	during = true
	mu.Unlock()
	steady()
	require.Zero(t, w.Stalls())
	close(release)
	for range 3*each + backlog {
		<-all
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	line.leave(t)
	require.Zero(t, s.left(t, q))
	return l
}

// stopped is how Workers stopped under load.
type stopped struct {
	diff
	messages, first, second, again int
	took                           time.Duration
}

func (o stopped) String() string {
	return fmt.Sprintf("%d of %d handled, Run returns after %v; the next run handles the other %d, %d of them counted as delivered before",
		o.first, o.messages, o.took.Round(100*time.Microsecond), o.second, o.again)
}

// shutDown stops Workers amid messages; the next run handles exactly what the first did not
// finish, in order.
func shutDown(t *testing.T, s *site, q node, messages int) (o stopped) {
	const handlers, held, groups, grace = 16, 100, 40, 5 * time.Second
	o.messages = messages
	require.NoError(t, s.produce(t.Context(), q, counted(messages, func(i int) int { return i % groups })))
	book := newLedger()
	handle := func(stop func(), at int) func(ctx context.Context, v amqpjms.View) (amqpjms.Outcome, error) {
		return func(ctx context.Context, v amqpjms.View) (amqpjms.Outcome, error) {
			p, err := parcelOf(v)
			if err != nil {
				return 0, err
			}
			book.begin(p)
			if v.DeliveryCount() > 1 {
				book.mu.Lock()
				o.again++
				book.mu.Unlock()
			}
			time.Sleep(2 * time.Millisecond)
			book.end(p, false)
			if n, _, _ := book.state(); n == at {
				stop()
			}
			return amqpjms.Accepted, nil
		}
	}
	w := s.workers(handlers, held)
	w.Grace = grace
	run := func(at int) time.Duration {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		l := s.line(t, q, -1)
		var stopped time.Time
		var once sync.Once
		err := w.Run(ctx, l.Receiver, handle(func() {
			once.Do(func() {
				stopped = time.Now()
				cancel()
			})
		}, at))
		took := time.Since(stopped)
		require.Equal(t, context.Canceled, err)
		l.leave(t)
		return took
	}
	o.took = run(messages / 3)
	o.first, _, _ = book.state()
	run(messages)
	handled, begun, _ := book.state()
	o.second = handled - o.first
	o.want("how many were handled", messages, handled)
	o.want("how often", messages, begun)
	for _, line := range book.disorder[:min(len(book.disorder), 5)] {
		o.note("%s", line)
	}
	if o.took > grace {
		o.note("Run returned after %v", o.took)
	}
	o.want("what is left", 0, s.left(t, q))
	return o
}

// giveUp gives back the five messages that a receiver got, and returns the receiver to go on
// with, nil for another.
type giveUp func(t *testing.T, s *site, q node, l *line, five []*amqp.Message) *line

func releasedInOrder(t *testing.T, _ *site, _ node, l *line, five []*amqp.Message) *line {
	for _, m := range five {
		require.NoError(t, l.ReleaseMessage(t.Context(), m))
	}
	return l
}

func modifiedAndReleased(t *testing.T, s *site, q node, l *line, five []*amqp.Message) *line {
	require.NoError(t, l.ModifyMessage(t.Context(), five[0], &amqp.ModifyMessageOptions{DeliveryFailed: true}))
	return releasedInOrder(t, s, q, l, five[1:])
}

func connectionLost(_ *testing.T, _ *site, _ node, l *line, _ []*amqp.Message) *line {
	l.cut(false)
	return nil
}

// connectionLostTwice loses the next connection too, which got two of the five.
func connectionLostTwice(t *testing.T, s *site, q node, l *line, _ []*amqp.Message) *line {
	l.cut(false)
	l = s.line(t, q, -1)
	l.take(t, 2)
	l.cut(false)
	return nil
}

// take issues credit for so many messages and takes them, fewer if no more come.
func (l *line) take(t *testing.T, n int) (ms []*amqp.Message) {
	t.Helper()
	require.NoError(t, l.IssueCredit(uint32(n)))
	for range n {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		m, err := l.Receive(ctx, nil)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		require.NoError(t, err)
		ms = append(ms, m)
	}
	return ms
}

// comesAgain shows in which order eight messages come when the first five were given back: to
// the same receiver if it is still there, and to another.
func comesAgain(t *testing.T, s *site, q node, back giveUp) (d diff) {
	for _, to := range []string{"the same", "another"} {
		require.NoError(t, s.produce(t.Context(), q, counted(8, func(int) int { return 1 })))
		l := s.line(t, q, -1)
		l = back(t, s, q, l, l.take(t, 5))
		if l != nil && to == "another" {
			l.leave(t)
			l = nil
		}
		if l == nil {
			l = s.line(t, q, -1)
		}
		var order []int
		for _, m := range l.take(t, 8) {
			p, err := parcelOf(amqpjms.Consumer{Peer: s.broker.peer}.View(m, time.Now()))
			require.NoError(t, err)
			order = append(order, p.n+1)
			require.NoError(t, l.AcceptMessage(t.Context(), m))
		}
		d.want("the order to "+to, []int{1, 2, 3, 4, 5, 6, 7, 8}, order)
		l.leave(t)
	}
	return d
}
