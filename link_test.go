package amqpjms

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A linkCase is a recorded conversation of testdata/qpid-jms-links: the JMS calls, and the frames that the client sent.
type linkCase struct {
	at, name string
	offers   []string                   // capabilities that the peer offers on the connection
	peer     map[string]json.RawMessage // what else the peer does
	calls    []linkCall
	frames   []linkFrame
}

type linkCall struct {
	Op   string
	On   string
	As   string
	Args struct {
		ClientID    string
		Options     []string
		Mode        string
		Destination *struct{ Kind, Name, Var string }
		Name        string
		Selector    string
		NoLocal     bool
		AckType     int `json:"JMS_AMQP_ACK_TYPE"`
		FirstCall   string
	}
	Result json.RawMessage
	Error  *struct{ Class, Message string }
}

type linkFrame struct {
	step, conn, channel int
	name                string
	bytes               []byte
}

// readLinkCases reads all cases of a theme, or of every theme for "*".
func readLinkCases(t testing.TB, theme string) []linkCase {
	files, err := filepath.Glob(filepath.Join("testdata", "qpid-jms-links", theme+".txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var cases []linkCase
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		var c *linkCase
		for i, line := range strings.Split(string(b), "\n") {
			at := fmt.Sprintf("%s:%d", filepath.ToSlash(file), i+1)
			key, value, ok := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case !ok:
				t.Fatalf("%s: no key", at)
			case key == "peer" && c == nil:
				require.Equal(t, "Qpid JMS 2.10.0", value, at)
			case key == "name":
				cases = append(cases, linkCase{at: at, name: value, peer: map[string]json.RawMessage{}})
				c = &cases[len(cases)-1]
			case key == "note", key == "varies":
			case key == "offers":
				c.offers = strings.Fields(value)
			case strings.HasPrefix(key, "peer."):
				c.peer[strings.TrimPrefix(key, "peer.")] = json.RawMessage(value)
			case key == "call":
				var call linkCall
				n, text, _ := strings.Cut(value, " ")
				require.Equal(t, fmt.Sprint(len(c.calls)), n, at)
				require.NoError(t, json.Unmarshal([]byte(text), &call), at)
				c.calls = append(c.calls, call)
			case key == "frame":
				var f linkFrame
				var digits string
				_, err := fmt.Sscanf(value, "%d %d %d %s %s", &f.step, &f.conn, &f.channel, &f.name, &digits)
				require.NoError(t, err, at)
				f.bytes, err = hex.DecodeString(digits)
				require.NoError(t, err, at)
				c.frames = append(c.frames, f)
			default:
				t.Fatalf("%s: unknown key %s", at, key)
			}
		}
	}
	return cases
}

// attaches returns the attaches that the client sent during a call, but those of its transactions.
func (c linkCase) attaches(t testing.TB, step int) (attaches [][]byte) {
	for _, f := range c.frames {
		if f.step != step || f.name != "attach" {
			continue
		}
		l, err := ParseAttach(f.bytes)
		require.NoError(t, err, c.at)
		if l.Receiver || !l.NoTerminus {
			attaches = append(attaches, f.bytes)
		}
	}
	return attaches
}

// detaches returns the closed field of the detaches that the client sent during a call.
func (c linkCase) detaches(t testing.TB, step int) (closed []bool) {
	for _, f := range c.frames {
		if f.step != step || f.name != "detach" {
			continue
		}
		r := wire.NewReader(f.bytes)
		r.Descriptor()
		_, n := r.List()
		r.Skip()
		closed = append(closed, n > 1 && r.Boolean())
		require.Nil(t, r.Err(), c.at)
	}
	return closed
}

// appendAttach writes an attach as Qpid JMS encodes it. What a Link leaves open, the name of a plain link, the handle
// and the address of a producer's source, is taken from the recording.
func appendAttach(b []byte, l Link, recorded recordedAttach) []byte {
	str := func(b []byte, s string) []byte {
		if s == "" {
			return wire.AppendNull(b)
		}
		return wire.AppendString(b, s)
	}
	sym := func(b []byte, s string) []byte {
		if s == "" {
			return wire.AppendNull(b)
		}
		return wire.AppendSymbol(b, s)
	}
	symbols := func(b []byte, list []string) []byte {
		if list == nil {
			return wire.AppendNull(b)
		}
		items := []byte{byte(len(list)), 0xa3}
		for _, s := range list {
			items = append(append(items, byte(len(s))), s...)
		}
		return append(append(b, 0xe0, byte(len(items))), items...)
	}
	outcomes := func(b []byte) []byte {
		return symbols(b, []string{"amqp:accepted:list", "amqp:rejected:list", "amqp:released:list", "amqp:modified:list"})
	}
	var fields [14][]byte
	name := l.Name
	if name == "" {
		name = recorded.name
	}
	fields[0] = wire.AppendString(nil, name)
	fields[1] = wire.AppendUint(nil, recorded.handle)
	fields[2] = wire.AppendBoolean(nil, l.Receiver)
	fields[3] = wire.AppendUbyte(nil, 0)
	if l.PreSettled {
		fields[3] = wire.AppendUbyte(nil, 1)
	}
	fields[4] = wire.AppendUbyte(nil, 0)
	terminus := func() [][]byte {
		return [][]byte{str(nil, l.Address), wire.AppendUint(nil, l.Durable), sym(nil, l.Expiry), wire.AppendUint(nil, 0), wire.AppendBoolean(nil, l.Dynamic)}
	}
	switch {
	case l.NoTerminus:
		fields[6] = described(descriptorTarget)
	case l.Receiver:
		var filters []byte
		n := 0
		if l.Selector != "" {
			filters = wire.AppendString(wire.AppendDescriptor(wire.AppendSymbol(filters, "jms-selector"), 0x0000468C00000004), l.Selector)
			n++
		}
		if l.NoLocal {
			filters = wire.AppendString(wire.AppendDescriptor(wire.AppendSymbol(filters, "no-local"), 0x0000468C00000003), "NoLocalFilter{}")
			n++
		}
		filter := wire.AppendNull(nil)
		if n > 0 {
			filter = wire.AppendMap(nil, n, filters)
		}
		fields[5] = described(descriptorSource, append(terminus(), wire.AppendNull(nil), sym(nil, l.Distribution), filter,
			described(0x27, wire.AppendBoolean(nil, true)), outcomes(nil), symbols(nil, l.Capabilities))...)
		fields[6] = described(descriptorTarget)
	default:
		fields[5] = described(descriptorSource)
		if !l.Dynamic {
			fields[5] = described(descriptorSource, wire.AppendString(nil, recorded.source), wire.AppendUint(nil, 0), sym(nil, expirySessionEnd),
				wire.AppendUint(nil, 0), wire.AppendBoolean(nil, false), wire.AppendNull(nil), wire.AppendNull(nil), wire.AppendNull(nil), wire.AppendNull(nil), outcomes(nil))
		}
		properties := wire.AppendNull(nil)
		if l.Dynamic {
			properties = wire.AppendMap(nil, 1, append(wire.AppendSymbol(nil, "lifetime-policy"), described(0x2b)...))
		}
		fields[6] = described(descriptorTarget)
		if l.Address != "" || l.Dynamic {
			fields[6] = described(descriptorTarget, append(terminus(), properties, symbols(nil, l.Capabilities))...)
		}
		fields[9] = wire.AppendUint(nil, 0)
	}
	if !l.Receiver || l.NoTerminus && l.DesiredCapabilities != nil {
		fields[8] = wire.AppendBoolean(nil, false)
	}
	if l.DesiredCapabilities != nil {
		fields[12] = symbols(nil, l.DesiredCapabilities)
	}
	return append(b, described(descriptorAttach, fields[:]...)...)
}

// described returns a described list of fields, without those at its end that are absent.
func described(descriptor uint64, fields ...[]byte) []byte {
	for len(fields) > 0 && (fields[len(fields)-1] == nil || slices.Equal(fields[len(fields)-1], []byte{0x40})) {
		fields = fields[:len(fields)-1]
	}
	b := wire.AppendDescriptor(nil, descriptor)
	if len(fields) == 0 {
		return append(b, 0x45)
	}
	var items []byte
	for _, f := range fields {
		if f == nil {
			f = wire.AppendNull(nil)
		}
		items = append(items, f...)
	}
	if len(items) > 0xfe {
		n := len(items) + 4
		return append(append(b, 0xd0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n), 0, 0, 0, byte(len(fields))), items...)
	}
	return append(append(b, 0xc0, byte(len(items)+1), byte(len(fields))), items...)
}

// A recordedAttach has what a Link leaves open.
type recordedAttach struct {
	name, source string
	handle       uint32
}

func openFieldsOf(t testing.TB, attach []byte) (a recordedAttach) {
	r := wire.NewReader(attach)
	r.Descriptor()
	r.List()
	a.name = string(r.String())
	a.handle = r.Uint()
	r.SkipN(3)
	if r.Next() == wire.Described {
		r.Descriptor()
		if _, n := r.List(); n > 0 && r.Next() == wire.String {
			a.source = string(r.String())
		}
	}
	require.Nil(t, r.Err())
	return a
}

// A linkClient is the state that the calls of a case build up: what JMS gives a consumer beside its own settings.
type linkClient struct {
	connections  map[string]string // container-id by variable
	options      map[string]string // of the connection
	sessions     map[string]string // connection by variable
	transacted   map[string]bool
	destinations map[string]Destination
	temporaries  map[DestinationKind]int
	open         map[string]func() // closes what a variable stands for
	numbers      map[string]int    // by subscription
	openOn       map[string]int    // consumers by subscription
	browsers     map[string]Consumer
	browserOn    map[string]string
}

func (c linkCase) jmsPeer() Peer {
	p := Peer{Topics: true, Selects: true, Browses: true, TemporaryQueues: true, TemporaryTopics: true}
	p.Shares = slices.Contains(c.offers, "SHARED-SUBS")
	if slices.Contains(c.offers, "DELAYED_DELIVERY") {
		p.Delay = DelayAbsolute
	}
	var properties map[string]string
	if json.Unmarshal(c.peer["properties"], &properties) == nil {
		p.QueuePrefix, p.TopicPrefix = properties["queue-prefix"], properties["topic-prefix"]
	}
	return p
}

// refusedSlugs are the deviations of attaches that the package refuses to make.
func refusedSlugs() []string {
	return []string{"queue-no-local", "shared-asked-too-late", "subscription-name-empty", "temporary-durable"}
}

// linkDeviations returns the cases in which the package does not do what Qpid JMS does. Those of
// refusedSlugs TestLinksOfQpidJMS makes sure of; the others are found in the frames.
func linkDeviations(t testing.TB) map[string][]string {
	found := map[string][]string{
		"queue-no-local":          {"consumer-queue-nolocal"},
		"subscription-name-empty": {"shared-durable-name-empty", "shared-durable-no-client-id-name-empty", "shared-name-empty", "shared-no-client-id-name-empty"},
		"shared-asked-too-late": {"shared-durable-no-client-id-offered-by-link", "shared-durable-offered-by-link", "shared-no-client-id-offered-by-link",
			"shared-offered-by-link"},
		"temporary-durable": {"shared-temporary-topic"},
	}
	note := func(slug, name string) {
		if !slices.Contains(found[slug], name) {
			found[slug] = append(found[slug], name)
		}
	}
	for _, c := range readLinkCases(t, "*") {
		if string(c.peer["filter"]) == `"drop"` {
			note("filter-not-echoed", c.name)
		}
		detached := -1 // the call during which a link was
		for _, f := range c.frames {
			switch f.name {
			case "detach":
				detached = f.step
			case "disposition":
				state := dispositionState(t, f.bytes)
				if hex.EncodeToString(state) != "00532645" {
					break
				}
				if f.step == detached {
					note("prefetched-after-detach", c.name)
				}
				if call := c.calls[f.step]; call.Op == "setMessageListener" && call.Args.FirstCall == "throw" {
					note("listener-throws-released", c.name)
				}
			}
		}
	}
	return found
}

// dispositionState returns the encoded state of a disposition.
func dispositionState(t testing.TB, disposition []byte) []byte {
	r := wire.NewReader(disposition)
	r.Descriptor()
	r.List()
	r.SkipN(4)
	state := r.Value()
	require.Nil(t, r.Err())
	return state
}

// From the JMS calls the Link gives the recorded attach, byte for byte, and from the attach the JMS meaning comes back.
func TestLinksOfQpidJMS(t *testing.T) {
	refused := map[string]bool{} // cases in which Qpid JMS attaches
	total, compared, read, left := 0, 0, 0, 0
	for _, c := range readLinkCases(t, "*") {
		peer := c.jmsPeer()
		s := linkClient{connections: map[string]string{}, options: map[string]string{}, sessions: map[string]string{}, transacted: map[string]bool{},
			destinations: map[string]Destination{}, temporaries: map[DestinationKind]int{}, open: map[string]func(){}, numbers: map[string]int{},
			openOn: map[string]int{}, browsers: map[string]Consumer{}, browserOn: map[string]string{}}
		attached := map[string]Link{} // by variable
		for step, call := range c.calls {
			if l, ok := attached[call.On]; ok && call.Op == "close" && l.Name != "" {
				for _, closed := range c.detaches(t, step) {
					require.Equal(t, l.Expiry != expiryNever, closed, "%s: %s: closed of the detach, call %d", c.at, c.name, step)
					left++
				}
			}
			attaches := c.attaches(t, step)
			at := fmt.Sprintf("%s: %s: call %d %s", c.at, c.name, step, call.Op)
			links, meaning, err := s.links(peer, c, call)
			if err != nil {
				if call.Error == nil {
					refused[c.name] = true
				}
			} else if call.Error == nil || len(attaches) > 0 { // else only the connection's state tells
				total += len(attaches)
				require.Len(t, attaches, len(links), at)
			}
			for i, want := range attaches {
				if err == nil {
					got := appendAttach(nil, links[i], openFieldsOf(t, want))
					if !assert.Equal(t, hex.EncodeToString(want), hex.EncodeToString(got), "%s: %+v", at, links[i]) {
						continue
					}
					compared++
					if links[i].Receiver {
						attached[call.As] = links[i]
					}
				}
				l, err := ParseAttach(want)
				require.NoError(t, err, at)
				named := l
				if links[i].Name == "" {
					named.Name = ""
				}
				if !links[i].isZero() {
					assert.Equal(t, links[i], named, at)
				}
				assertMeaning(t, at, meaning, l, peer)
				read++
			}
		}
	}
	require.Equal(t, total, compared, "every attach is compared, but those that are refused here")
	require.Equal(t, 351, compared, "attaches")
	require.Equal(t, 363, read, "attaches, those that are refused here too")
	require.Positive(t, left, "detaches")
	var want []string
	for _, slug := range refusedSlugs() {
		want = append(want, linkDeviations(t)[slug]...)
	}
	slices.Sort(want)
	require.Equal(t, want, slices.Sorted(maps.Keys(refused)))
}

func (l Link) isZero() bool {
	return !l.Receiver && !l.NoTerminus && l.Address == "" && !l.Dynamic && l.Capabilities == nil && l.DesiredCapabilities == nil
}

// assertMeaning compares what an attach means in JMS with the consumer or producer that it is of.
func assertMeaning(t *testing.T, at string, want any, l Link, peer Peer) {
	switch want := want.(type) {
	case Consumer:
		c, ok := l.Consumer(peer, want.ClientID)
		require.True(t, ok, at)
		if want.Subscription == "" && c.Subscription != "" { // Qpid JMS makes one up
			require.Equal(t, cutSuffix(l.Name), c.Subscription, at)
			want.Subscription = c.Subscription
		}
		assert.Equal(t, want, c, at)
		_, ok = l.Producer(peer)
		require.False(t, ok, at)
	case Producer:
		p, ok := l.Producer(peer)
		require.True(t, ok, at)
		assert.Equal(t, want, p, at)
		_, ok = l.Consumer(peer, "")
		require.False(t, ok, at)
	default:
		t.Errorf("%s: an attach of nothing", at)
	}
}

// links returns the links that a call makes, and the consumer or producer that they are of.
func (s *linkClient) links(peer Peer, c linkCase, call linkCall) ([]Link, any, error) {
	a := call.Args
	destination := func() Destination {
		if a.Destination == nil {
			return Destination{}
		}
		if a.Destination.Var != "" {
			return s.destinations[a.Destination.Var]
		}
		return Destination{Kind: map[string]DestinationKind{"queue": Queue, "topic": Topic}[a.Destination.Kind], Name: a.Destination.Name}
	}
	preSettled := func(kind DestinationKind, transacted, consumer bool) bool {
		o := func(name string) bool { return s.options["jms.presettlePolicy."+name] == "true" }
		if !consumer {
			return o("presettleProducers") || transacted && o("presettleTransactedProducers")
		}
		topic := kind == Topic || kind == TemporaryTopic
		return !transacted && (o("presettleConsumers") || topic && o("presettleTopicConsumers") || !topic && o("presettleQueueConsumers"))
	}
	switch call.Op {
	case "createConnection", "createConnectionNotStarted":
		s.connections[call.As] = a.ClientID
		for _, o := range a.Options {
			name, value, _ := strings.Cut(o, "=")
			if s.options[name] = value; name == "jms.clientID" {
				s.connections[call.As] = value
			}
		}
	case "setClientID":
		if call.Error == nil {
			s.connections[call.On] = a.ClientID
		}
	case "createSession":
		s.sessions[call.As] = call.On
		s.transacted[call.As] = a.Mode == "SESSION_TRANSACTED"
	case "createTemporaryQueue", "createTemporaryTopic":
		kind, name := TemporaryQueue, peer.QueuePrefix+"temp-queue-"
		if call.Op == "createTemporaryTopic" {
			kind, name = TemporaryTopic, peer.TopicPrefix+"temp-topic-"
		}
		p := Producer{Peer: peer, Destination: Destination{Kind: kind}}
		l, err := p.Link()
		if err == nil {
			s.temporaries[kind]++
			s.destinations[call.As] = Destination{Kind: kind, Name: name + fmt.Sprint(s.temporaries[kind])}
		}
		return []Link{l}, p, err
	case "createConsumer", "createDurableConsumer", "createDurableSubscriber", "createSharedConsumer", "createSharedDurableConsumer", "createBrowser":
		id := s.connections[s.sessions[call.On]]
		cs := Consumer{Peer: peer, Destination: destination(), ClientID: id, Subscription: a.Name, Selector: a.Selector, NoLocal: a.NoLocal,
			Durable: strings.Contains(call.Op, "Durable"), Shared: strings.Contains(call.Op, "Shared"), Browse: call.Op == "createBrowser"}
		cs.PreSettled = preSettled(cs.Destination.Kind, s.transacted[call.On], true)
		if cs.Browse {
			if call.Error == nil {
				s.browsers[call.As] = cs
			}
			return nil, nil, nil
		}
		key := fmt.Sprint(s.sessions[call.On], cs.Subscription, cs.Durable)
		k := 1
		if cs.Shared {
			k = s.numbers[key] + 1
		}
		l, err := cs.Link(k)
		if err != nil || call.Error != nil {
			return []Link{l}, meaning(cs), err
		}
		if cs.Shared {
			s.numbers[key] = k
			s.openOn[key]++
			s.open[call.As] = func() {
				if s.openOn[key]--; s.openOn[key] == 0 {
					s.numbers[key] = 0
				}
			}
		}
		return []Link{l}, meaning(cs), nil
	case "getEnumeration", "enumerate":
		cs := s.browsers[call.On]
		l, err := cs.Link(1)
		return []Link{l}, meaning(cs), err
	case "createProducer":
		p := Producer{Peer: peer, Destination: destination()}
		if p.Destination.IsZero() && !slices.Contains(c.offers, "ANONYMOUS-RELAY") {
			return nil, nil, nil // a link for each destination, when it sends
		}
		l, err := p.Link()
		l.PreSettled = preSettled(0, s.transacted[call.On], false)
		return []Link{l}, p, err
	case "send":
		if a.Destination == nil || slices.Contains(c.offers, "ANONYMOUS-RELAY") {
			return nil, nil, nil
		}
		p := Producer{Peer: peer, Destination: destination()}
		l, err := p.Link()
		return []Link{l}, p, err
	case "unsubscribe":
		cs := Consumer{ClientID: s.connections[s.sessions[call.On]], Subscription: a.Name, Durable: true, Shared: s.connections[s.sessions[call.On]] == ""}
		l, err := cs.UnsubscribeLink()
		cs.Peer = peer
		return []Link{l}, cs, err
	case "close":
		if f := s.open[call.On]; f != nil {
			f()
			delete(s.open, call.On)
		}
	}
	return nil, nil, nil
}

// meaning returns the consumer as its attach tells it.
func meaning(c Consumer) Consumer {
	if strings.TrimSpace(c.Selector) == "" {
		c.Selector = ""
	}
	if c.Browse {
		c.PreSettled = true
	}
	return c
}

// ackModes are the acknowledgment modes by their names in the recordings.
func ackModes() map[string]int {
	return map[string]int{"SESSION_TRANSACTED": 0, "AUTO_ACKNOWLEDGE": 1, "CLIENT_ACKNOWLEDGE": 2, "DUPS_OK_ACKNOWLEDGE": 3, "INDIVIDUAL_ACKNOWLEDGE": 101}
}

// Each acknowledge that was recorded settles with the outcome of its mode and type, or is refused as here.
func TestAckOutcomeOfQpidJMS(t *testing.T) {
	states := map[Outcome]string{Accepted: "00532445", Rejected: "00532545", Released: "00532645", ModifiedFailed: "005327c0020141",
		ModifiedUndeliverableHere: "005327c003024141"}
	seen, refused := map[Outcome]int{}, 0
	for _, c := range readLinkCases(t, "ack") {
		mode := -1
		for step, call := range c.calls {
			if call.Op == "createSession" {
				mode = ackModes()[call.Args.Mode]
			}
			if call.Op != "acknowledge" {
				continue
			}
			outcome, err := AckOutcome(mode, call.Args.AckType)
			require.Equal(t, call.Error != nil, err != nil, "%s: %s: %v", c.at, c.name, err)
			if err != nil {
				require.Zero(t, outcome)
				refused++
			}
			for _, f := range c.frames {
				if f.step == step && f.name == "disposition" {
					require.Equal(t, states[outcome], hex.EncodeToString(dispositionState(t, f.bytes)), "%s: %s: %v", c.at, c.name, outcome)
					seen[outcome]++
				}
			}
		}
	}
	require.Equal(t, map[Outcome]int{Accepted: 13, Rejected: 3, Released: 3, ModifiedFailed: 3, ModifiedUndeliverableHere: 2}, seen, "all that are recorded")
	require.Equal(t, 11, refused)
}

func TestAckOutcomeRefuses(t *testing.T) {
	for _, row := range []struct {
		mode, ackType int
		want          string
	}{
		{0, 0, `amqpjms: acknowledgment mode 0: go-amqp has no transactions`},
		{4, 0, `amqpjms: acknowledgment mode 4: want 1, 2, 3 or 101`},
		{-1, 1, `amqpjms: acknowledgment mode -1: want 1, 2, 3 or 101`},
		{1, 1, `amqpjms: JMS_AMQP_ACK_TYPE 1: set in mode AUTO or DUPS_OK, which acknowledges by itself`},
		{2, 6, `amqpjms: JMS_AMQP_ACK_TYPE 6: want 1 to 5`},
		{101, -1, `amqpjms: JMS_AMQP_ACK_TYPE -1: want 1 to 5`},
		{2, 257, `amqpjms: JMS_AMQP_ACK_TYPE 257: want 1 to 5`},
	} {
		outcome, err := AckOutcome(row.mode, row.ackType)
		wantValueError(t, err, row.want)
		require.Zero(t, outcome)
	}
}

// What a consumer may not ask for is refused before anything is sent, and the error names the field.
func TestConsumerLinkRefuses(t *testing.T) {
	able := linkCase{offers: []string{"SHARED-SUBS"}}.jmsPeer()
	queue, topic := Destination{Kind: Queue, Name: "q"}, Destination{Kind: Topic, Name: "t"}
	temporary := Destination{Kind: TemporaryTopic, Name: "tt"}
	for _, row := range []struct {
		rule string
		c    Consumer
		k    int
		want string
	}{
		{"no destination", Consumer{Peer: able}, 1, `amqpjms: consumer none: no destination (Consumer.Destination)`},
		{"a durable queue", Consumer{Peer: able, Destination: queue, Durable: true, Subscription: "s", ClientID: "c"}, 1,
			`amqpjms: subscription queue q: a durable or shared subscription needs a topic (Consumer.Destination)`},
		{"a shared temporary topic", Consumer{Peer: able, Destination: temporary, Shared: true, Subscription: "s"}, 1,
			`amqpjms: subscription temporary topic tt: a durable or shared subscription needs a topic (Consumer.Destination)`},
		{"no-local on a queue", Consumer{Peer: able, Destination: queue, NoLocal: true}, 1, `amqpjms: no-local queue q: needs a topic (Consumer.NoLocal)`},
		{"a browser of a topic", Consumer{Peer: able, Destination: topic, Browse: true}, 1, `amqpjms: browser topic t: needs a queue (Consumer.Browse)`},
		{"no name", Consumer{Peer: able, Destination: topic, Durable: true, ClientID: "c"}, 1, `amqpjms: subscription topic t: no name (Consumer.Subscription)`},
		{"a name for nothing", Consumer{Peer: able, Destination: topic, Subscription: "s"}, 1,
			`amqpjms: subscription "s" topic t: neither durable nor shared (Consumer.Durable, Consumer.Shared)`},
		{"durable without a client id", Consumer{Peer: able, Destination: topic, Durable: true, Subscription: "s"}, 1,
			`amqpjms: durable subscription "s" topic t: no client id (Consumer.ClientID): the subscription could not be found again`},
		{"a bar in the name", Consumer{Peer: able, Destination: topic, Durable: true, Subscription: "a|2", ClientID: "c"}, 1,
			`amqpjms: subscription "a|2": contains |, which ends the name in a link name`},
		{"counted from 1", Consumer{Peer: able, Destination: topic, Shared: true, Subscription: "s"}, 0, `amqpjms: number of a shared consumer 0: want at least 1`},

		// What the peer is not known to do.
		{"any topic", Consumer{Destination: topic}, 1, `amqpjms: consumer topic t: the peer is not known to serve topics as sources (Peer.Topics)`},
		{"RabbitMQ, a topic", Consumer{Peer: RabbitMQ(), Destination: topic}, 1, `amqpjms: consumer topic t: the peer is not known to serve topics as sources (Peer.Topics)`},
		{"RabbitMQ, a selector", Consumer{Peer: RabbitMQ(), Destination: queue, Selector: "a = 1"}, 1,
			`amqpjms: selector "a = 1" queue q: the peer is not known to obey selectors (Peer.Selects)`},
		{"RabbitMQ, a browser", Consumer{Peer: RabbitMQ(), Destination: queue, Browse: true}, 1, `amqpjms: browser queue q: the peer is not known to browse (Peer.Browses)`},
		{"ActiveMQ, shared", Consumer{Peer: ActiveMQ(), Destination: topic, Shared: true, Subscription: "s"}, 1,
			`amqpjms: shared subscription "s" topic t: the peer is not known to share (Peer.Shares)`},
		{"Broker-J, a temporary topic", Consumer{Peer: BrokerJ(), Destination: temporary}, 1,
			`amqpjms: consumer temporary topic tt: the peer is not known to have temporary topics (Peer.TemporaryTopics)`},
		{"RabbitMQ, a temporary queue", Consumer{Peer: RabbitMQ(), Destination: Destination{Kind: TemporaryQueue}}, 1,
			`amqpjms: consumer temporary queue : the peer is not known to have temporary queues (Peer.TemporaryQueues)`},
	} {
		got, err := row.c.Link(row.k)
		wantValueError(t, err, row.want)
		require.Zero(t, got, row.rule)
	}
	for selector, want := range map[string]string{
		"a = 1 LIKE 'x'": `amqpjms: selector "a = 1 LIKE 'x'" at byte 4: only a name stands left of LIKE`,
		"a\xff":          `amqpjms: selector "a\xff" at byte 1: invalid UTF-8`,
		"\u00a0":         `amqpjms: selector "\u00a0" at byte 0: unexpected "\u00a0"`,
	} {
		got, err := Consumer{Peer: able, Destination: topic, Selector: selector}.Link(1)
		wantWireError(t, err, want)
		require.Zero(t, got)
	}
	for _, c := range []Consumer{{Peer: RabbitMQ(), Destination: queue}, {Destination: queue}, {Peer: able, Destination: queue, Selector: " \t"}} {
		l, err := c.Link(1)
		require.NoError(t, err)
		require.Empty(t, l.Selector)
		require.Empty(t, l.Name)
	}
}

// Link names of other clients keep their bars; a suffix counts only in one of its forms.
func TestSubscriptionOfLinkName(t *testing.T) {
	for name, want := range map[string]string{
		"s": "s", "s|2": "s", "s|10": "s", "s|global": "s", "s|global3": "s", "s|volatile1": "s", "s|global-volatile2": "s", "a|b|2": "a|b",
		"s|": "s|", "s|x": "s|x", "s|volatile": "s|volatile", "s|global-volatile": "s|global-volatile", "s|02": "s|02", "s|Global": "s|Global", "s|2x": "s|2x",
	} {
		l := Link{Name: name, Receiver: true, Address: "t", Durable: 2, Capabilities: []string{"topic", "shared"}}
		c, ok := l.Consumer(Peer{}, "id")
		require.True(t, ok)
		require.Equal(t, want, c.Subscription, name)
		l.Capabilities = []string{"topic"}
		c, _ = l.Consumer(Peer{}, "id")
		require.Equal(t, name, c.Subscription, "a plain durable name is as it is")
	}
	_, ok := Link{}.Consumer(Peer{}, "")
	require.False(t, ok, "a sender's")
}

// Attaches that Qpid JMS does not send.
func TestParseAttach(t *testing.T) {
	symbolic := func(name string) string { return fmt.Sprintf(`a3 %02x %q`, len(name), name) }
	list := func(items string) string {
		n, b := 0, encoded(t, items)
		for r := wire.NewReader(b); r.Len() > 0; n++ {
			r.Skip()
			require.Nil(t, r.Err(), items)
		}
		return fmt.Sprintf(`d0 %08x %08x %s`, 4+len(b), n, items)
	}
	attach := func(descriptor, sourceDescriptor, source string) string {
		return "00 " + descriptor + list(`a1 01 "n" 43 41 40 40 00 `+sourceDescriptor+list(source))
	}
	for _, row := range []struct {
		rule, attach string
		want         Link
		err          string
	}{
		{"symbolic descriptors", attach(symbolic("amqp:attach:list"), symbolic("amqp:source:list"), `a1 01 "q"`), Link{Name: "n", Receiver: true, Address: "q"}, ""},
		{"one capability alone", attach(`53 12`, `53 28`, `a1 01 "q" 40 40 40 40 40 40 40 40 40 a3 01 "x"`),
			Link{Name: "n", Receiver: true, Address: "q", Capabilities: []string{"x"}}, ""},
		{"filters under other keys, by symbolic descriptors and other values", attach(`53 12`, `53 28`, `a1 01 "q" 40 40 40 40 40 40 `+
			strings.Replace(list(`a3 01 "k" 00 `+symbolic("apache.org:selector-filter:string")+` a1 01 "s" a3 01 "l" 00 `+symbolic("apache.org:no-local-filter:list")+` 45`), "d0", "d1", 1)),
			Link{Name: "n", Receiver: true, Address: "q", Selector: "s", NoLocal: true}, ""},
		{"a null target", `00 53 12 c0 06 03 a1 01 "n" 43 42`, Link{Name: "n", NoTerminus: true}, ""},
		{"a null source", `00 53 12 c0 06 03 a1 01 "n" 43 41`, Link{Name: "n", NoTerminus: true, Receiver: true}, ""},
		{"a source without an address is not a null one", attach(`53 12`, `53 28`, ``), Link{Name: "n", Receiver: true}, ""},
		{"two selectors", attach(`53 12`, `53 28`, `a1 01 "q" 40 40 40 40 40 40 `+
			strings.Replace(list(`a3 01 "k" 00 80 0000468c00000004 a1 01 "s" a3 01 "l" 00 `+symbolic("apache.org:selector-filter:string")+` a1 01 "t"`), "d0", "d1", 1)),
			Link{}, "amqpjms: attach at byte 68: second selector"},
		{"a selector that is not a string", attach(`53 12`, `53 28`, `a1 01 "q" 40 40 40 40 40 40 `+
			strings.Replace(list(`a3 01 "k" 00 80 0000468c00000004 43`), "d0", "d1", 1)), Link{}, "amqpjms: attach at byte 62: got uint, want string"},
		{"other filters and filters without a descriptor", attach(`53 12`, `53 28`, `a1 01 "q" 40 40 40 40 40 40 `+
			strings.Replace(list(`a3 01 "k" 00 53 07 a1 01 "s" a3 01 "l" 45`), "d0", "d1", 1)), Link{Name: "n", Receiver: true, Address: "q"}, ""},
		{"more fields than an attach has", `00 53 12 c0 10 0f ` + strings.Repeat("40 ", 15), Link{}, "amqpjms: attach at byte 6: 15 fields, want at most 14"},
		{"a huge array of capabilities without bytes", attach(`53 12`, `53 28`, `a1 01 "q" 40 40 40 40 40 40 40 40 40 f0 00000005 ffffffff 40`),
			Link{}, "amqpjms: attach at byte 48: count too large for 0 bytes: unexpected EOF"},
		{"a coordinator", `00 53 12 c0 0f 07 a1 01 "n" 43 42 40 40 40 00 53 30 c0 01 00`, Link{Name: "n", NoTerminus: true}, ""},
		{"not an attach", `00 53 11 45`, Link{}, "amqpjms: attach at byte 0: not an attach"},
		{"an attach cut off", `00 53 12 c0 05 01 a1`, Link{}, "amqpjms: attach at byte 7: unexpected EOF"},
		{"a name of another type", `00 53 12 c0 03 01 53 01`, Link{}, "amqpjms: attach at byte 6: got ulong, want string"},
		{"trailing data", `00 53 12 45 40`, Link{}, "amqpjms: attach at byte 4: unexpected trailing data (1 byte)"},
	} {
		got, err := ParseAttach(encoded(t, row.attach))
		if row.err != "" {
			assert.EqualError(t, err, row.err, row.rule)
			continue
		}
		assert.NoError(t, err, row.rule)
		assert.Equal(t, row.want, got, row.rule)
	}
}

// What the attaches of other clients mean, and what they do not.
func TestAttachesOfOtherClients(t *testing.T) {
	p := ActiveMQ()
	for _, row := range []struct {
		rule string
		l    Link
		want Consumer
	}{
		{"no capability, no prefix: the node's own kind", Link{Receiver: true, Address: "x"}, Consumer{Destination: Destination{Name: "x"}}},
		{"no capability, a prefix", Link{Receiver: true, Address: "topic://x"}, Consumer{Destination: Destination{Kind: Topic, Name: "x"}}},
		{"durable alone", Link{Name: "n", Receiver: true, Address: "topic://x", Durable: 1},
			Consumer{Destination: Destination{Kind: Topic, Name: "x"}, Subscription: "n", Durable: true}},
		{"never alone", Link{Name: "n|2", Receiver: true, Address: "topic://x", Expiry: "never"},
			Consumer{Destination: Destination{Kind: Topic, Name: "x"}, Subscription: "n|2", Durable: true}},
		{"copy of a topic", Link{Name: "n", Receiver: true, Address: "topic://x", Distribution: "copy"}, Consumer{Destination: Destination{Kind: Topic, Name: "x"}}},
		{"copy of a queue", Link{Name: "n", Receiver: true, Address: "queue://x", Distribution: "copy"},
			Consumer{Destination: Destination{Kind: Queue, Name: "x"}, Browse: true}},
		{"dynamic, no capability", Link{Receiver: true, Dynamic: true}, Consumer{Destination: Destination{Kind: TemporaryQueue}}},
		{"dynamic, a capability of no temporary kind", Link{Receiver: true, Dynamic: true, Capabilities: []string{"topic"}},
			Consumer{Destination: Destination{Kind: TemporaryTopic}}},
		{"no address", Link{Receiver: true}, Consumer{}},
		{"unsubscribe", Link{Name: "a|2", Receiver: true, NoTerminus: true}, Consumer{Subscription: "a|2", Durable: true}},
		{"unsubscribe, global by its name", Link{Name: "a|global", Receiver: true, NoTerminus: true}, Consumer{Subscription: "a", Durable: true, Shared: true}},
		{"unsubscribe, global by what it desires", Link{Name: "a", Receiver: true, NoTerminus: true, DesiredCapabilities: []string{"global"}},
			Consumer{Subscription: "a", Durable: true, Shared: true}},
	} {
		row.want.Peer = p
		if !row.want.Shared {
			row.want.ClientID = "cid"
		}
		got, ok := row.l.Consumer(p, "cid")
		require.True(t, ok, row.rule)
		require.Equal(t, row.want, got, row.rule)
	}
	for _, row := range []struct {
		rule string
		l    Link
		want Destination
	}{
		{"anonymous", Link{}, Destination{}},
		{"no capability", Link{Address: "x"}, Destination{Name: "x"}},
		{"dynamic", Link{Dynamic: true}, Destination{Kind: TemporaryQueue}},
		{"temporary topic", Link{Dynamic: true, Capabilities: []string{"temporary-topic"}}, Destination{Kind: TemporaryTopic}},
	} {
		got, ok := row.l.Producer(p)
		require.True(t, ok, row.rule)
		require.Equal(t, Producer{Peer: p, Destination: row.want}, got, row.rule)
	}
}

// No attach panics, and what is read of one does not grow with what it claims. What a link means can be asked for again.
func FuzzParseAttach(f *testing.F) {
	for _, c := range readLinkCases(f, "*") {
		for _, frame := range c.frames {
			if frame.name == "attach" {
				f.Add(frame.bytes)
			}
		}
	}
	f.Add([]byte("\x00\x53\x12\xd0\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, attach []byte) {
		l, err := ParseAttach(attach)
		if err != nil {
			require.Equal(t, Link{}, l)
			var e *WireError
			require.ErrorAs(t, err, &e)
			return
		}
		size := len(l.Name) + len(l.Address) + len(l.Expiry) + len(l.Distribution) + len(l.Selector)
		for _, s := range slices.Concat(l.Capabilities, l.DesiredCapabilities) {
			size += 1 + len(s)
		}
		require.LessOrEqual(t, size, len(attach))
		c, consumer := l.Consumer(ActiveMQ(), "cid")
		_, producer := l.Producer(ActiveMQ())
		require.Equal(t, l.Receiver, consumer)
		require.Equal(t, !l.Receiver && !l.NoTerminus, producer)
		if again, err := c.Link(1); consumer && err == nil {
			back, ok := again.Consumer(ActiveMQ(), "cid")
			require.True(t, ok)
			if strings.TrimSpace(c.Selector) == "" {
				c.Selector = ""
			}
			c.PreSettled = c.PreSettled || c.Browse
			require.Equal(t, c, back)
		}
	})
}
