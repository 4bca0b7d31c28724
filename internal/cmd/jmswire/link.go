package main

import (
	"bytes"
	"flag"
	"fmt"
	"strings"

	"github.com/Azure/go-amqp"
	"github.com/seed-b113d664/amqpjms"
)

// link is the command of that name. It reads attaches, one per line of hex text or one in binary, and prints what each
// means in JMS and which options of go-amqp make the same link.
func link(s streams, args []string) int {
	flags := flag.NewFlagSet("jmswire link", flag.ContinueOnError)
	flags.SetOutput(s.stderr)
	flags.Usage = func() {
		fmt.Fprintln(s.stderr, "usage: jmswire link [-peer NAME] [-client-id ID] [FILE...]")
		flags.PrintDefaults()
	}
	var peer amqpjms.Peer
	flags.Func("peer", "`name` of the broker that they go to: "+strings.Join(peerNames(), ", ")+" (default: any of them)", func(v string) (err error) {
		peer, err = parsePeer(v)
		return err
	})
	clientID := flags.String("client-id", "", "container-id of the connection")
	if err := flags.Parse(args); err == flag.ErrHelp {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	files := flags.Args()
	if len(files) == 0 {
		files = []string{"-"}
	}
	code := exitOK
	for _, file := range files {
		name, data, err := s.read(file)
		if err != nil {
			s.errorf("%v", err)
			code = exitInput
			continue
		}
		for _, in := range attaches(name, data) {
			l, err := amqpjms.Link{}, in.err
			if err == nil {
				l, err = amqpjms.ParseAttach(in.msg)
			}
			if err != nil {
				s.errorf("%s: %v", in.where(), err)
				code = exitInput
				if in.err != nil { // not hex: nor will the other lines be
					break
				}
				continue
			}
			if s.print(showLink(l, peer, *clientID), nil) != exitOK {
				return exitInput
			}
		}
	}
	return code
}

// attaches returns the attaches in the contents of a file.
func attaches(file string, data []byte) (all []input) {
	if len(data) > 0 && data[0] == 0 {
		return []input{{file: file, msg: data}}
	}
	for i, text := range bytes.Split(data, []byte("\n")) {
		in := input{file: file, line: i + 1}
		in.msg, in.err = decodeHex(text, false)
		if len(in.msg) > 0 || in.err != nil {
			all = append(all, in)
		}
	}
	return all
}

// showLink returns what an attach means in JMS, and go-amqp's call for it.
func showLink(l amqpjms.Link, peer amqpjms.Peer, clientID string) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-14s %s\n", name, fmt.Sprintf(format, args...))
	}
	role := "sender"
	if l.Receiver {
		role = "receiver"
	}
	fmt.Fprintf(&b, "attach of a %s, link name %q\n", role, l.Name)
	if c, ok := l.Consumer(peer, clientID); ok {
		line("JMS", "%s", consumerOf(l, c))
		for _, part := range []struct {
			name, value string
			has         bool
		}{
			{"from", destinationOf(c.Destination), !l.NoTerminus},
			{"subscription", fmt.Sprintf("%q", c.Subscription), c.Subscription != ""},
			{"found by", foundBy(c), c.Subscription != ""},
			{"selector", c.Selector, c.Selector != ""},
			{"no-local", "true", c.NoLocal},
			{"pre-settled", "true", c.PreSettled},
		} {
			if part.has {
				line(part.name, "%s", part.value)
			}
		}
	} else if p, ok := l.Producer(peer); ok {
		switch {
		case l.Dynamic:
			line("JMS", "makes a %s", p.Destination.Kind)
		case p.Destination.IsZero():
			line("JMS", "producer without a destination")
		default:
			line("JMS", "producer")
			line("to", "%s", destinationOf(p.Destination))
		}
	} else {
		line("JMS", "transactions")
	}
	line("go-amqp", "%s", strings.ReplaceAll(callOf(l), "\n", "\n"+strings.Repeat(" ", 17)))
	return b.String() + "\n"
}

// consumerOf returns what kind of JMS consumer a link is of.
func consumerOf(l amqpjms.Link, c amqpjms.Consumer) string {
	switch {
	case l.NoTerminus:
		return "asks for a durable subscription; a closing detach ends it"
	case c.Browse:
		return "browser"
	case l.Dynamic:
		return "makes a " + c.Destination.Kind.String() + " and consumes from it"
	case c.Durable && c.Shared:
		return "consumer of a shared durable subscription"
	case c.Durable:
		return "consumer of a durable subscription"
	case c.Shared:
		return "consumer of a shared subscription"
	}
	return "consumer"
}

func foundBy(c amqpjms.Consumer) string {
	switch {
	case c.Shared && c.ClientID == "":
		return "every connection (global)"
	case c.ClientID == "":
		return "connections of the same container-id"
	}
	return fmt.Sprintf("connections of the container-id %q", c.ClientID)
}

func destinationOf(d amqpjms.Destination) string {
	switch {
	case d.Name == "":
		return "a " + d.Kind.String() + " that the peer names"
	case d.Kind == amqpjms.UnknownKind:
		return d.Name + ", of whatever kind it is"
	}
	return d.String()
}

// callOf returns the call of go-amqp that makes the same link, or why there is none.
func callOf(l amqpjms.Link) string {
	var b strings.Builder
	field := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "    %s: %s,\n", name, fmt.Sprintf(format, args...))
	}
	if l.Receiver {
		o, err := l.ReceiverOptions()
		if err != nil {
			return "none: " + strings.TrimPrefix(err.Error(), "amqpjms: ")
		}
		common(field, "Source", o.Name, o.DynamicAddress, o.SourceCapabilities, o.SourceDurability, o.SourceExpiryPolicy, o.DesiredCapabilities)
		if o.SourceDistributionMode != "" {
			field("SourceDistributionMode", "%q", o.SourceDistributionMode)
		}
		if len(o.Filters) > 0 {
			b.WriteString("    Filters: []amqp.LinkFilter{\n")
			if l.Selector != "" {
				fmt.Fprintf(&b, "        amqp.NewLinkFilter(\"jms-selector\", 0x468C00000004, %q),\n", l.Selector)
			}
			if l.NoLocal {
				b.WriteString("        amqp.NewLinkFilter(\"no-local\", 0x468C00000003, \"NoLocalFilter{}\"),\n")
			}
			b.WriteString("    },\n")
		}
		if o.RequestedSenderSettleMode != nil {
			field("RequestedSenderSettleMode", "amqp.SenderSettleModeSettled.Ptr()")
		}
		return fmt.Sprintf("session.NewReceiver(ctx, %q, &amqp.ReceiverOptions{\n%s})", l.Address, b.String())
	}
	o, err := l.SenderOptions()
	if err != nil {
		return "none: " + strings.TrimPrefix(err.Error(), "amqpjms: ")
	}
	common(field, "Target", o.Name, o.DynamicAddress, o.TargetCapabilities, o.TargetDurability, o.TargetExpiryPolicy, o.DesiredCapabilities)
	if o.SettlementMode != nil {
		field("SettlementMode", "amqp.SenderSettleModeSettled.Ptr()")
	}
	return fmt.Sprintf("session.NewSender(ctx, %q, &amqp.SenderOptions{\n%s})", l.Address, b.String())
}

// common writes the options that receivers and senders both have.
func common(field func(name, format string, args ...any), end, name string, dynamic bool, capabilities []string, durable amqp.Durability, expiry amqp.ExpiryPolicy, desired []string) {
	if name != "" {
		field("Name", "%q", name)
	}
	if dynamic {
		field("DynamicAddress", "true")
	}
	if capabilities != nil {
		field(end+"Capabilities", "%#v", capabilities)
	}
	if durable != 0 {
		field(end+"Durability", "%d", durable)
	}
	if expiry != "" {
		field(end+"ExpiryPolicy", "%q", expiry)
	}
	if desired != nil {
		field("DesiredCapabilities", "%#v", desired)
	}
}
