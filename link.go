package amqpjms

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// A Link holds what an attach says of a JMS consumer, a producer or a temporary destination
// [amqp 2.7.3]. [Consumer.Link] and [Producer.Link] make one, from which a client library writes
// its attach; [ParseAttach] reads the attach that a broker gets. The fields from Address on are
// those of the source of a receiver and of the target of a sender. What is not here is the same
// for every link of JMS: a receiver's target and a sender's source have no meaning, the timeout
// is 0, rcv-settle-mode is first, the outcomes are accepted, rejected, released and modified,
// and a receiver's default outcome is modified with delivery-failed.
type Link struct {
	Name     string // "": any that is unique in the connection
	Receiver bool   // the role of the side that attaches

	// NoTerminus: a receiver without a source asks for a subscription, and a closing detach
	// then ends it ([Consumer.UnsubscribeLink]). A sender's target is a coordinator of
	// transactions [amqp 4.5.1], or null.
	NoTerminus bool

	Address      string // "": none
	Dynamic      bool   // the peer makes a node, which is deleted with the link
	Durable      uint32 // 0 none, 1 configuration, 2 unsettled-state [amqp 3.5.5]
	Expiry       string // link-detach, session-end, connection-close, or never: leave it by a detach without closed [amqp 3.5.6]
	Distribution string // move, copy or "" [amqp 3.5.7]
	Selector     string // of the filter jms-selector, "": none; as it came, for [ParseSelector]
	NoLocal      bool   // the filter no-local
	Capabilities []string

	PreSettled          bool // snd-settle-mode settled; else unsettled
	DesiredCapabilities []string
}

// Values of an attach [jms-mapping 4.2] [amqp 3.5.6].
const (
	capabilityQueue          = "queue"
	capabilityTopic          = "topic"
	capabilityTemporaryQueue = "temporary-queue"
	capabilityTemporaryTopic = "temporary-topic"
	capabilityShared         = "shared"
	capabilityGlobal         = "global"

	expiryLinkDetach = "link-detach"
	expirySessionEnd = "session-end"
	expiryNever      = "never"

	distributionCopy = "copy"

	durableUnsettled = 2

	filterSelector     = "jms-selector"
	filterSelectorCode = 0x0000468C00000004
	filterSelectorName = "apache.org:selector-filter:string"
	filterNoLocal      = "no-local"
	filterNoLocalCode  = 0x0000468C00000003
	filterNoLocalName  = "apache.org:no-local-filter:list"
	filterNoLocalValue = "NoLocalFilter{}"

	suffixVolatile = "volatile"
	suffixGlobal   = "global"
)

// isDynamic reports whether the peer makes the destination, as a dynamic node [amqp 3.5.3].
func (d Destination) isDynamic() bool {
	return d.Kind.IsTemporary() && d.Name == "" && d.Address == ""
}

// capability returns the capability that names a kind of destination.
func (k DestinationKind) capability() string {
	switch k {
	case Queue:
		return capabilityQueue
	case Topic:
		return capabilityTopic
	case TemporaryQueue:
		return capabilityTemporaryQueue
	case TemporaryTopic:
		return capabilityTemporaryTopic
	}
	return ""
}

// kindOfCapability returns the kind of destination that capabilities name.
func kindOfCapability(capabilities []string) DestinationKind {
	for k := Queue; k <= TemporaryTopic; k++ {
		if slices.Contains(capabilities, k.capability()) {
			return k
		}
	}
	return UnknownKind
}

// Link returns the link of the consumer. k numbers the consumers that one connection has open on
// one subscription, from 1, durable and volatile ones apart; it keeps their link names unique
// and is not used without Shared [amqp 2.6.1]. A temporary queue without a name is made by the
// link.
//
// It is an error, a *[ValueError], if the consumer is not one of JMS's, or asks for what the
// peer does not do (see the fields of [Peer]), and that of [ParseSelector] if its selector is
// malformed. A caller must refuse what only the state of its connection tells: a second consumer
// of an unshared durable subscription, a durable and a shared durable one of the same name,
// another topic or selector for a shared subscription that is in use, and a temporary
// destination of another connection.
func (c Consumer) Link(k int) (Link, error) {
	if err := c.checkLink(); err != nil {
		return Link{}, err
	}
	var address string
	if c.Destination != (Destination{Kind: TemporaryQueue}) { // of a topic a receiver makes something else
		var err error
		if address, err = c.Peer.Address(c.Destination); err != nil {
			return Link{}, err
		}
	}
	var err error
	l := Link{
		Receiver:     true,
		Address:      address,
		Dynamic:      address == "",
		Expiry:       expiryLinkDetach,
		NoLocal:      c.NoLocal,
		Capabilities: []string{c.Destination.Kind.capability()},
		PreSettled:   c.PreSettled || c.Browse,
	}
	if c.selects() { // a blank one is none [jms 3.8.1.1]
		l.Selector = c.Selector
	}
	if c.Durable { // both: some peers keep by the one, some by the other
		l.Durable, l.Expiry, l.Distribution = durableUnsettled, expiryNever, distributionCopy
	}
	if c.Browse {
		l.Distribution = distributionCopy
	}
	if c.Durable || c.Shared {
		if l.Name, err = c.linkName(k); err != nil {
			return Link{}, err
		}
	}
	if c.Shared {
		l.Capabilities = append(l.Capabilities, capabilityShared)
		if c.ClientID == "" {
			l.Capabilities = append(l.Capabilities, capabilityGlobal)
		}
	}
	return l, nil
}

// checkLink returns an error if c is not a consumer of JMS, or not one that the peer serves.
func (c Consumer) checkLink() error {
	kind := c.Destination.Kind
	refuse := func(what, why string) error {
		return &ValueError{What: what, Value: c.Destination.String(), Err: errors.New(why)}
	}
	named := c.Durable || c.Shared
	switch {
	case c.Destination.IsZero():
		return refuse("consumer", "no destination (Consumer.Destination)")
	case named && kind != Topic:
		return refuse("subscription", "a durable or shared subscription needs a topic (Consumer.Destination)") // [jms 6.1]
	case c.NoLocal && !kind.IsTopic():
		return refuse("no-local", "needs a topic (Consumer.NoLocal)") // [jms 3.8.1]
	case c.NoLocal && c.Shared:
		return refuse("no-local", "not allowed on a shared subscription (Consumer.NoLocal)") // Session.createSharedConsumer
	case c.Browse && !kind.IsQueue():
		return refuse("browser", "needs a queue (Consumer.Browse)") // [jms 4.11]
	case c.Browse && c.Destination.isDynamic():
		return refuse("browser", "a new temporary queue has no messages (Consumer.Destination)")
	case named && c.Subscription == "":
		return refuse("subscription", "no name (Consumer.Subscription)")
	case !named && c.Subscription != "":
		return refuse("subscription "+quote(c.Subscription), "neither durable nor shared (Consumer.Durable, Consumer.Shared)")
	case c.Durable && !c.Shared && c.ClientID == "":
		return refuse("durable subscription "+quote(c.Subscription), "no client id (Consumer.ClientID): the subscription could not be found again")
	case c.Peer.lacks(kind) != "":
		return refuse("consumer", c.Peer.lacks(kind))
	case c.Shared && !c.Peer.Shares:
		return refuse("shared subscription "+quote(c.Subscription), "the peer is not known to share (Peer.Shares)")
	case c.selects() && !c.Peer.Selects:
		return refuse("selector "+quote(c.Selector), "the peer is not known to obey selectors (Peer.Selects)")
	case c.NoLocal && !c.Peer.Selects:
		return refuse("no-local", "the peer is not known to obey it (Peer.Selects)")
	case c.Browse && !c.Peer.Browses:
		return refuse("browser", "the peer is not known to browse (Peer.Browses)")
	}
	if _, err := ParseSelector(c.Selector); err != nil {
		return err
	}
	return checkText("client id", c.ClientID)
}

// selects reports whether there is a selector, right or wrong.
func (c *Consumer) selects() bool { return !blankSelector(c.Selector) }

// linkName returns the name of a subscription's link, which is what the peer finds it by.
func (c Consumer) linkName(k int) (string, error) {
	name := c.Subscription
	if strings.Contains(name, "|") {
		return "", &ValueError{What: "subscription", Value: quote(name), Err: errors.New("contains |, which ends the name in a link name")}
	}
	if err := checkText("subscription", name); err != nil {
		return "", err
	}
	if !c.Shared {
		return name, nil
	}
	if k < 1 {
		return "", &ValueError{What: "number of a shared consumer", Value: strconv.Itoa(k), Err: errors.New("want at least 1")}
	}
	suffix := ""
	if c.ClientID == "" {
		suffix = suffixGlobal
	}
	number := strconv.Itoa(k)
	if !c.Durable {
		if suffix != "" {
			suffix += "-"
		}
		suffix += suffixVolatile
	} else if k == 1 {
		number = ""
	}
	if suffix+number == "" {
		return name, nil
	}
	return name + "|" + suffix + number, nil
}

// UnsubscribeLink returns the link that asks for the durable subscription of the consumer: a
// receiver without a source, which the peer answers with the one that it keeps. Detached with
// closed, it ends the subscription. It needs Subscription, ClientID and Shared only. A caller
// must refuse it while a consumer is open on the subscription. go-amqp cannot send it: see
// [OpenConsumer.Unsubscribe].
func (c Consumer) UnsubscribeLink() (Link, error) {
	c.Durable = true
	if !c.Shared && c.ClientID == "" {
		return Link{}, &ValueError{What: "durable subscription", Value: quote(c.Subscription), Err: errors.New("no client id (Consumer.ClientID)")}
	}
	if c.Subscription == "" {
		return Link{}, &ValueError{What: "subscription", Value: quote(""), Err: errors.New("no name (Consumer.Subscription)")}
	}
	name, err := c.linkName(1)
	if err != nil {
		return Link{}, err
	}
	l := Link{Name: name, Receiver: true, NoTerminus: true}
	if c.ClientID == "" {
		l.DesiredCapabilities = []string{capabilityShared, capabilityGlobal}
	}
	return l, nil
}

// Link returns the link of the producer to its destination. Without one it is an anonymous
// link, whose messages say where they go: a peer offers ANONYMOUS-RELAY for that, as Artemis,
// ActiveMQ, Broker-J and RabbitMQ 4 do. To a temporary destination without a name it is the link
// that makes one, which lives as long as the link; its address is in the peer's answer. Where the
// peer's form of delay is unset the link asks for DELAYED_DELIVERY: an answer that offers it
// promises [DelayAbsolute]. To send pre-settled set PreSettled in the result.
//
// It is an error, a *[ValueError], if the destination has no address at the peer, if it is to be
// made and the peer does not have those, or if the producer delays and the peer does not.
func (p Producer) Link() (Link, error) {
	if _, err := p.delay(); err != nil {
		return Link{}, err
	}
	if p.Destination.isDynamic() {
		if why := p.Peer.lacks(p.Destination.Kind); why != "" {
			return Link{}, &ValueError{What: "producer", Value: p.Destination.String(), Err: errors.New(why)}
		}
		return Link{Dynamic: true, Expiry: expiryLinkDetach, Capabilities: []string{p.Destination.Kind.capability()}}, nil
	}
	address, err := p.Peer.Address(p.Destination)
	if err != nil {
		return Link{}, err
	}
	var l Link
	if !p.Destination.IsZero() {
		l = Link{Address: address, Expiry: expirySessionEnd, Capabilities: []string{p.Destination.Kind.capability()}}
	}
	if p.Peer.Delay == DelayUnset {
		l.DesiredCapabilities = []string{capabilityDelayedDelivery}
	}
	return l, nil
}

// lacks returns why the peer cannot serve a kind of destination, "" if it can.
func (p *Peer) lacks(kind DestinationKind) string {
	switch {
	case kind == Topic && !p.Topics:
		return "the peer is not known to serve topics as sources (Peer.Topics)"
	case kind == TemporaryQueue && !p.TemporaryQueues:
		return "the peer is not known to have temporary queues (Peer.TemporaryQueues)"
	case kind == TemporaryTopic && !p.TemporaryTopics:
		return "the peer is not known to have temporary topics (Peer.TemporaryTopics)"
	}
	return ""
}

// Producer returns the JMS producer of an incoming sender's link. Without a destination it is
// anonymous; a temporary destination without a name is to be made. Where neither a capability
// nor the prefix of its address tells the kind of a destination, that is [UnknownKind]: the
// node's own. A receiver's link has no producer, nor one without a terminus: false.
func (l Link) Producer(p Peer) (Producer, bool) {
	if l.Receiver || l.NoTerminus {
		return Producer{}, false
	}
	return Producer{Peer: p, Destination: l.destination(p)}, true
}

// destination returns what the link receives from or sends to.
func (l *Link) destination(p Peer) Destination {
	kind := kindOfCapability(l.Capabilities)
	switch {
	case l.Dynamic && kind.IsTopic():
		return Destination{Kind: TemporaryTopic}
	case l.Dynamic:
		return Destination{Kind: TemporaryQueue}
	case l.Address == "":
		return Destination{}
	case kind == UnknownKind && p.kindOfPrefix(l.Address) == UnknownKind:
		return Destination{Name: l.Address}
	}
	return p.Destination(l.Address, kind, UnknownKind)
}

// Consumer returns the JMS consumer of an incoming receiver's link. The client id is the
// container-id of its connection, and is not part of a subscription that every connection
// shares. A destination is as in [Link.Producer]; without a source there is none, and the link
// asks for the subscription. A sender's link has no consumer, false.
func (l Link) Consumer(p Peer, clientID string) (Consumer, bool) {
	if !l.Receiver {
		return Consumer{}, false
	}
	c := Consumer{Peer: p, ClientID: clientID, Selector: l.Selector, NoLocal: l.NoLocal, PreSettled: l.PreSettled}
	if l.NoTerminus {
		c.Durable = true
		name, ok := strings.CutSuffix(l.Name, "|"+suffixGlobal)
		global := ok || slices.Contains(l.DesiredCapabilities, capabilityGlobal)
		c.Subscription = name
		c.Shared = global || slices.Contains(l.DesiredCapabilities, capabilityShared)
		if global {
			c.ClientID = ""
		}
		return c, true
	}
	c.Destination = l.destination(p)
	c.Shared = slices.Contains(l.Capabilities, capabilityShared)
	if c.Shared && slices.Contains(l.Capabilities, capabilityGlobal) {
		c.ClientID = ""
	}
	c.Durable = l.Durable > 0 || l.Expiry == expiryNever // some clients set the one, some the other
	// All subscribers of a topic get copies.
	c.Browse = l.Distribution == distributionCopy && !c.Durable && !c.Destination.Kind.IsTopic()
	switch {
	case c.Shared:
		c.Subscription = cutSuffix(l.Name)
	case c.Durable:
		c.Subscription = l.Name
	}
	return c, true
}

// cutSuffix returns a link name up to its last | if one of the suffixes of a shared subscription
// follows that, else the whole name: other clients may use the |.
func cutSuffix(linkName string) string {
	i := strings.LastIndexByte(linkName, '|')
	if i < 0 {
		return linkName
	}
	suffix := linkName[i+1:]
	form := strings.TrimRight(suffix, "0123456789")
	number := suffix[len(form):]
	switch form {
	case suffixGlobal:
	case suffixVolatile, suffixGlobal + "-" + suffixVolatile, "":
		if number == "" {
			return linkName
		}
	default:
		return linkName
	}
	if strings.HasPrefix(number, "0") {
		return linkName
	}
	return linkName[:i]
}

// ParseAttach reads an encoded attach performative, descriptor included [amqp 2.7.3]. Fields that
// a Link does not have are skipped, and so are other filters. A filter counts by its descriptor,
// not its key. It is an error, a *[WireError], if a field that it has is of another type, or if
// there are two selectors. The cost is linear in len(attach).
func ParseAttach(attach []byte) (Link, error) {
	r := wire.NewReader(attach)
	l := readAttach(&r)
	r.Done()
	if err := r.Err(); err != nil {
		return Link{}, wireError("attach", 0, err)
	}
	return l, nil
}

// Descriptors of an attach and of what stands in it.
const (
	descriptorAttach      = 0x12
	descriptorSource      = 0x28
	descriptorTarget      = 0x29
	descriptorCoordinator = 0x30

	attachFields = 14
	sourceFields = 11
	targetFields = 7
)

func readAttach(r *wire.Reader) (l Link) {
	if code, symbol := r.Descriptor(); r.Err() == nil && code != descriptorAttach && string(symbol) != "amqp:attach:list" {
		r.Fail(0, errors.New("not an attach"))
	}
	outer, n := r.Fields(attachFields)
	has := func(i int) bool { return i < n && !r.Null() } // consumes a null
	if has(0) {
		l.Name = string(r.String())
	}
	if has(1) {
		r.Skip() // handle
	}
	if has(2) {
		l.Receiver = r.Boolean()
	}
	if has(3) {
		l.PreSettled = r.Ubyte() == 1
	}
	if has(4) {
		r.Skip() // rcv-settle-mode
	}
	l.NoTerminus = true
	if has(5) {
		if l.Receiver {
			l.NoTerminus = false
			l.readSource(r)
		} else {
			r.Skip()
		}
	}
	if has(6) {
		if l.Receiver {
			r.Skip()
		} else {
			l.NoTerminus = false
			l.readTarget(r)
		}
	}
	for i := 7; i < n && r.Err() == nil; i++ {
		if r.Null() {
			continue
		}
		if i == 12 {
			l.DesiredCapabilities = readSymbols(r)
			continue
		}
		r.Skip()
	}
	r.Leave(outer)
	return l
}

func (l *Link) readSource(r *wire.Reader) {
	at := r.Offset()
	if code, symbol := r.Descriptor(); r.Err() == nil && code != descriptorSource && string(symbol) != "amqp:source:list" {
		r.Fail(at, errors.New("not a source"))
	}
	outer, n := r.Fields(sourceFields)
	l.readTerminus(r, n)
	for i := 5; i < n && r.Err() == nil; i++ {
		if r.Null() {
			continue
		}
		switch i {
		case 6:
			l.Distribution = string(r.Symbol())
		case 7:
			l.readFilters(r)
		case 10:
			l.Capabilities = readSymbols(r)
		default:
			r.Skip()
		}
	}
	r.Leave(outer)
}

func (l *Link) readTarget(r *wire.Reader) {
	at := r.Offset()
	code, symbol := r.Descriptor()
	switch {
	case code == descriptorCoordinator && symbol == nil || string(symbol) == "amqp:coordinator:list":
		l.NoTerminus = true
		r.Skip()
		return
	case r.Err() == nil && code != descriptorTarget && string(symbol) != "amqp:target:list":
		r.Fail(at, errors.New("not a target"))
	}
	outer, n := r.Fields(targetFields)
	l.readTerminus(r, n)
	for i := 5; i < n && r.Err() == nil; i++ {
		if r.Null() {
			continue
		}
		if i == 6 {
			l.Capabilities = readSymbols(r)
			continue
		}
		r.Skip()
	}
	r.Leave(outer)
}

// readTerminus reads the five fields that a source and a target begin with.
func (l *Link) readTerminus(r *wire.Reader, n int) {
	for i := 0; i < min(n, 5) && r.Err() == nil; i++ {
		if r.Null() {
			continue
		}
		switch i {
		case 0:
			l.Address = string(r.String())
		case 1:
			l.Durable = r.Uint()
		case 2:
			l.Expiry = string(r.Symbol())
		case 4:
			l.Dynamic = r.Boolean()
		default:
			r.Skip()
		}
	}
}

// readFilters reads a filter-set: a map from symbols to described values [amqp 3.5.8].
func (l *Link) readFilters(r *wire.Reader) {
	outer, n := r.Map()
	selectors := 0
	for range n {
		r.Skip()
		at := r.Offset()
		if r.Next() != wire.Described {
			r.Skip()
			continue
		}
		code, symbol := r.Descriptor()
		switch {
		case symbol == nil && code == filterSelectorCode || string(symbol) == filterSelectorName:
			if selectors++; selectors > 1 { // to obey one of them would be wrong
				r.Fail(at, errors.New("second selector"))
			}
			l.Selector = string(r.String())
		case symbol == nil && code == filterNoLocalCode || string(symbol) == filterNoLocalName:
			l.NoLocal = true
			r.Skip()
		default:
			r.Skip()
		}
	}
	r.Leave(outer)
}

// readSymbols reads a multiple symbol: an array, or one symbol alone [amqp 1.7].
func readSymbols(r *wire.Reader) []string {
	if r.Next() != wire.Array {
		return []string{string(r.Symbol())}
	}
	outer, constructor, n := r.Array()
	var symbols []string
	for range n {
		e := r.Element(constructor)
		s := string(e.Symbol())
		if e.Err() != nil {
			break
		}
		symbols = append(symbols, s)
	}
	r.Leave(outer)
	return symbols
}

// ReceiverOptions returns the link as options of go-amqp's Session.NewReceiver, whose source is
// l.Address. It is an error, a *[ValueError], if go-amqp cannot make the link: a sender's, an
// unsubscribe, and a durable one that is pre-settled, for which it may detach with closed.
func (l Link) ReceiverOptions() (*amqp.ReceiverOptions, error) {
	switch {
	case !l.Receiver:
		return nil, l.refuse("a sender's: use Link.SenderOptions")
	case l.NoTerminus:
		return nil, l.refuse("go-amqp cannot attach without a source (OpenConsumer.Unsubscribe)")
	case l.PreSettled && l.Expiry == expiryNever:
		return nil, l.refuse("go-amqp may delete a durable subscription that is pre-settled (Consumer.PreSettled)")
	}
	o := &amqp.ReceiverOptions{
		Name:                   l.Name,
		DynamicAddress:         l.Dynamic,
		SourceCapabilities:     l.Capabilities,
		SourceDurability:       amqp.Durability(l.Durable),
		SourceExpiryPolicy:     amqp.ExpiryPolicy(l.Expiry),
		SourceDistributionMode: amqp.SourceDistributionMode(l.Distribution),
		DesiredCapabilities:    l.DesiredCapabilities,
	}
	if l.Selector != "" {
		o.Filters = append(o.Filters, amqp.NewLinkFilter(filterSelector, filterSelectorCode, l.Selector))
	}
	if l.NoLocal {
		o.Filters = append(o.Filters, amqp.NewLinkFilter(filterNoLocal, filterNoLocalCode, filterNoLocalValue))
	}
	if l.PreSettled { // unset is served by every peer seen; mixed is not
		o.RequestedSenderSettleMode = amqp.SenderSettleModeSettled.Ptr()
	}
	return o, nil
}

// SenderOptions returns the link as options of go-amqp's Session.NewSender, whose target is
// l.Address. It is an error, a *[ValueError], if go-amqp cannot make the link: a receiver's and
// a coordinator's.
func (l Link) SenderOptions() (*amqp.SenderOptions, error) {
	switch {
	case l.Receiver:
		return nil, l.refuse("a receiver's: use Link.ReceiverOptions")
	case l.NoTerminus:
		return nil, l.refuse("go-amqp has no transactions")
	}
	o := &amqp.SenderOptions{
		Name:                l.Name,
		DynamicAddress:      l.Dynamic,
		TargetCapabilities:  l.Capabilities,
		TargetDurability:    amqp.Durability(l.Durable),
		TargetExpiryPolicy:  amqp.ExpiryPolicy(l.Expiry),
		DesiredCapabilities: l.DesiredCapabilities,
	}
	if l.PreSettled {
		o.SettlementMode = amqp.SenderSettleModeSettled.Ptr()
	}
	return o, nil
}

func (l *Link) refuse(why string) error {
	return &ValueError{What: "link", Value: quote(l.Name), Err: errors.New(why)}
}

// An OpenConsumer is a consumer's link that go-amqp has opened, in a session of its own: only
// ending the session leaves a durable subscription and keeps it. Receiver.Close deletes the
// subscription, and so does an error of the link, such as a message that go-amqp cannot decode
// (see [CharRewriter]), because go-amqp then detaches with closed. Its methods may be called by
// several goroutines at once.
type OpenConsumer struct {
	Receiver    *amqp.Receiver
	Destination Destination // what it receives from; for a temporary one, that which the peer made

	session *amqp.Session
}

// Open attaches the consumer on a connection, whose container-id must be c.ClientID, with k as
// for [Consumer.Link] and a credit as in amqp.ReceiverOptions. A temporary destination without
// a name is made, and lives until Leave: use it as a reply-to. Another selector, no-local or
// topic than before ends a durable subscription and starts a new one.
//
// Errors are those of [Consumer.Link] and of go-amqp. It is an error, a *[ValueError], if the peer
// did not accept a filter or returned no address of a temporary destination. On error a durable
// subscription stays, even one that was just made.
func (c Consumer) Open(ctx context.Context, conn *amqp.Conn, k int, credit int32) (*OpenConsumer, error) {
	checked := c
	if c.Destination == (Destination{Kind: TemporaryTopic}) {
		checked.Destination.Name = "to be made"
	}
	l, err := checked.Link(k)
	if err != nil {
		return nil, err
	}
	options, err := l.ReceiverOptions()
	if err != nil {
		return nil, err
	}
	options.Credit = credit
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return nil, err
	}
	o := &OpenConsumer{Destination: c.Destination, session: session}
	if err := o.attach(ctx, c, l, options); err != nil {
		// Never by closing the receiver, which would end a durable subscription, nor by another
		// attach in this session, before which go-amqp closes what it gave up. Where ctx is done
		// this does not wait, and the session ends all the same.
		_ = session.Close(ctx)
		return nil, err
	}
	return o, nil
}

func (o *OpenConsumer) attach(ctx context.Context, c Consumer, l Link, options *amqp.ReceiverOptions) (err error) {
	if c.Destination == (Destination{Kind: TemporaryTopic}) { // by a sender, which stays open as long as the session
		maker, err := Producer{Peer: c.Peer, Destination: c.Destination}.Link()
		if err != nil {
			return err
		}
		makerOptions, err := maker.SenderOptions()
		if err != nil {
			return err
		}
		sender, err := o.session.NewSender(ctx, "", makerOptions)
		if err != nil {
			return err
		}
		if l.Address = sender.Address(); l.Address == "" {
			return errNoTemporary(c)
		}
	}
	if o.Receiver, err = o.session.NewReceiver(ctx, l.Address, options); err != nil {
		return err
	}
	for _, filter := range []struct {
		key   string
		asked bool
	}{{filterSelector, l.Selector != ""}, {filterNoLocal, l.NoLocal}} {
		if filter.asked && o.Receiver.LinkSourceFilterValue(filter.key) == nil { // [amqp 3.5.1]
			return &ValueError{What: "filter", Value: filter.key, Err: errors.New("not accepted by the peer")}
		}
	}
	if c.Destination.isDynamic() {
		address := o.Receiver.Address()
		if address == "" {
			return errNoTemporary(c)
		}
		o.Destination = Destination{Kind: c.Destination.Kind, Name: address, Address: address}
	}
	return nil
}

func errNoTemporary(c Consumer) error {
	return &ValueError{What: "consumer", Value: c.Destination.Kind.String(), Err: errors.New("the peer returned no address")}
}

// Leave ends the consumer and keeps a durable subscription. Settle what it holds first, messages
// that go-amqp has prefetched too (Receiver.Prefetched): modified with delivery-failed what was
// worked on, released what was not. Peers differ in what they make of the rest.
func (o *OpenConsumer) Leave(ctx context.Context) error { return o.session.Close(ctx) }

// Unsubscribe ends the consumer and its subscription; of a shared durable one only where it is
// the last consumer. To end a subscription that has no consumer, open it with a credit of -1,
// so that no message is sent, and call Unsubscribe. A name that the peer does not know is made
// and deleted, without an error.
func (o *OpenConsumer) Unsubscribe(ctx context.Context) error {
	return errors.Join(o.Receiver.Close(ctx), o.session.Close(ctx))
}

// Send sends m and waits for its outcome. Unlike go-amqp's Send it is an error if the outcome is
// not accepted: the peer's own if it says why, else a *[ValueError]. RabbitMQ 4 releases a
// message for a queue that does not exist.
func Send(ctx context.Context, s *amqp.Sender, m *amqp.Message) error {
	receipt, err := s.SendWithReceipt(ctx, m, nil)
	if err != nil {
		return err
	}
	state, err := receipt.Wait(ctx)
	if err != nil {
		return err
	}
	outcome := "unknown"
	switch state := state.(type) {
	case *amqp.StateAccepted:
		return nil
	case *amqp.StateRejected:
		if state.Error != nil {
			return state.Error
		}
		outcome = "rejected"
	case *amqp.StateReleased:
		outcome = "released"
	case *amqp.StateModified:
		outcome = "modified"
	}
	return &ValueError{What: "outcome of the message", Value: outcome, Err: errors.New("not accepted by the peer")}
}

// An Outcome is the outcome of a delivery [amqp 3.4]. Its values are those of JMS_AMQP_ACK_TYPE;
// 0 is not an outcome. In every acknowledgment mode of JMS, a message whose listener failed, or
// that was handed out and never acknowledged, is ModifiedFailed, which counts as a delivery; one
// that was not handed out is Released, which does not count; one that has expired, cannot be
// decoded or was delivered too often is ModifiedUndeliverableHere.
type Outcome uint8

const (
	Accepted                  Outcome = 1
	Rejected                  Outcome = 2
	Released                  Outcome = 3
	ModifiedFailed            Outcome = 4 // delivery-failed
	ModifiedUndeliverableHere Outcome = 5 // delivery-failed and undeliverable-here
)

// String returns the outcome's name in AMQP.
func (o Outcome) String() string {
	switch o {
	case Accepted:
		return "accepted"
	case Rejected:
		return "rejected"
	case Released:
		return "released"
	case ModifiedFailed:
		return "modified, delivery-failed"
	case ModifiedUndeliverableHere:
		return "modified, delivery-failed, undeliverable-here"
	}
	return "Outcome(" + strconv.Itoa(int(o)) + ")"
}

// The acknowledgment modes of a JMS session by their numbers, and Qpid JMS's own.
const (
	modeTransacted = 0
	modeAuto       = 1
	modeClient     = 2
	modeDupsOK     = 3
	modeIndividual = 101
)

// AckOutcome returns the outcome of acknowledging a message. mode is JMS's number of the session's
// mode: 1 (AUTO) and 3 (DUPS_OK) settle a message when the application has it, 2 (CLIENT) settles
// all that the session handed out, 101 (INDIVIDUAL) one. ackType is JMS_AMQP_ACK_TYPE, 0 if unset.
//
// It is an error, a *[ValueError], if ackType is out of range or is set in a mode other than CLIENT
// and INDIVIDUAL, and for any other mode: 0 is a transacted session, and go-amqp has no
// transactions.
func AckOutcome(mode, ackType int) (Outcome, error) {
	switch mode {
	case modeClient, modeIndividual:
	case modeAuto, modeDupsOK:
		if ackType != 0 {
			return 0, &ValueError{What: "JMS_AMQP_ACK_TYPE", Value: strconv.Itoa(ackType), Err: errors.New("set in mode AUTO or DUPS_OK, which acknowledges by itself")}
		}
	case modeTransacted:
		return 0, &ValueError{What: "acknowledgment mode", Value: "0", Err: errors.New("go-amqp has no transactions")}
	default:
		return 0, &ValueError{What: "acknowledgment mode", Value: strconv.Itoa(mode), Err: errors.New("want 1, 2, 3 or 101")}
	}
	switch {
	case ackType == 0:
		return Accepted, nil
	case ackType < 0 || ackType > int(ModifiedUndeliverableHere):
		return 0, &ValueError{What: "JMS_AMQP_ACK_TYPE", Value: strconv.Itoa(ackType), Err: errors.New("want 1 to 5")}
	}
	return Outcome(ackType), nil
}

// A source is what the package needs of an amqp.Receiver.
type source interface {
	Receive(context.Context, *amqp.ReceiveOptions) (*amqp.Message, error)
	Prefetched() *amqp.Message
	AcceptMessage(context.Context, *amqp.Message) error
	RejectMessage(context.Context, *amqp.Message, *amqp.Error) error
	ReleaseMessage(context.Context, *amqp.Message) error
	ModifyMessage(context.Context, *amqp.Message, *amqp.ModifyMessageOptions) error
}

// Settle settles a delivery with the outcome. An invalid outcome is an error, a *[ValueError].
func (o Outcome) Settle(ctx context.Context, r *amqp.Receiver, m *amqp.Message) error {
	return o.settle(ctx, r, m)
}

func (o Outcome) settle(ctx context.Context, r source, m *amqp.Message) error {
	switch o {
	case Accepted:
		return r.AcceptMessage(ctx, m)
	case Rejected:
		return r.RejectMessage(ctx, m, nil)
	case Released:
		return r.ReleaseMessage(ctx, m)
	case ModifiedFailed, ModifiedUndeliverableHere:
		return r.ModifyMessage(ctx, m, &amqp.ModifyMessageOptions{DeliveryFailed: true, UndeliverableHere: o == ModifiedUndeliverableHere})
	}
	return &ValueError{What: "outcome", Value: strconv.Itoa(int(o)), Err: errors.New("want 1 to 5")}
}

// RetryLater returns the modified outcome, for go-amqp's Receiver.ModifyMessage, that asks for
// redelivery not before a time: it sets x-opt-delivery-time, and the delivery counts as failed.
// It is an error, a *[ValueError], for a peer that would deliver at once, as all tested peers do
// except quorum queues of RabbitMQ 4.3.
func (p Peer) RetryLater(at time.Time) (*amqp.ModifyMessageOptions, error) {
	if !p.RetriesLater {
		return nil, &ValueError{What: "retry", Value: at.UTC().String(), Err: errors.New("the peer is not known to delay a retry (Peer.RetriesLater)")}
	}
	return &amqp.ModifyMessageOptions{DeliveryFailed: true, Annotations: amqp.Annotations{AnnotationDeliveryTime: at.UnixMilli()}}, nil
}
