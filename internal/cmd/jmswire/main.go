// Command jmswire shows encoded AMQP 1.0 messages as JMS sees them, and replays what
// brokers did with message groups.
//
//	jmswire inspect [-json] [-lines] [FILE...]
//	jmswire groups [-q] [FILE...]
//	jmswire link [-peer NAME] [-client-id ID] [FILE...]
//	jmswire select [-lines] SELECTOR [FILE...]
//	jmswire demo
//	jmswire help [inspect|groups|link|select]
//
// inspect reads encoded messages from files, or from standard input where there are
// none or the file is "-", and prints each section with what it holds, then the message
// as JMS sees it: the kind of message, the header fields, the properties, the body. Last
// come the problems: what a peer, or a JMS application behind it, would misread, refuse
// or ignore. Long strings and binaries are cut. demo shows what the library does.
//
// groups reads traces of message groups in the same way, text or JSON lines, and prints each:
// its actions, what was recorded of them, and what comes of them in both strategies; then a
// verdict: as recorded, which deviations explain the difference, or DIFFERS, for which the
// exit code is 1. -q prints the verdicts only.
//
// link reads attaches, one in binary or one per line of hex text, and prints what each means in
// JMS and which options of go-amqp make the same link.
//
// select reads messages as inspect does and prints which of them a JMS selector selects, and why: the
// value of each comparison, and of each name in it. With -persistent a message whose header does not
// say whether it is durable is PERSISTENT.
//
// What only the receiver knows are flags. -received says when it got the messages, in
// milliseconds since 1970 (now). -destination says from what, as queue:orders: kind and
// name for a message that says none, the kind for a destination whose kind neither the
// message nor a prefix tells. Without it the first is null and the second a queue. -peer
// names the broker between (artemis, activemq, broker-j, rabbitmq, rabbitmq3 or
// service-bus), whose prefixes names of destinations go without and whose problems are
// listed: without it no prefix and the problems of all. -queue-prefix and -topic-prefix
// go before those of the peer.
//
// With -json inspect prints one object per message, on one line, and cuts nothing. The
// members with names of JMS are what its getters give, those of "special" properties
// that JMS defines, each with whether the message has it. "type" is text, bytes, map,
// stream, object or message. "propertyNames" are those that the message has;
// "properties", "propertiesAsString" and "propertiesAsLong" what the getters give of
// those that are not special; "body" what the getter of the type gives. "problems" say
// in what part, who would suffer, and what becomes of it. The others are what stands in
// the message: "header" its fields as stated, "sections" each with its name, offset,
// size, and "fields" or "value", "input" the file, and the line where there are several
// messages.
//
// A value is {"t": type, "v": value}; no value has the type null. Numbers of 64 bits and
// timestamps, in milliseconds since 1970, are decimal strings, floats are strings as Java
// prints them beside their "bits", binaries and bytes are hex, a map is an array of
// pairs, a destination has a "kind" and a "name", the body of a plain message has the
// type none, and what cannot be read is {"t": "error", "message": why}, in the place of
// "type" and "propertyNames" too.
//
// A file that starts with byte 00, as every message does, is one message in binary.
// Any other is hex text: digits in either case with white space anywhere between
// them, and comments from a semicolon to the end of the line. A file with no digits
// is a message of no bytes.
//
// Text of several lines can be one message or one message per line, and inspect
// finds out which: one per line if each line is a whole message with a body of its
// own; else one message if the lines make one together, as a hex dump does, or a
// listing of its sections; else one per line again, unless no line looks like a
// message. -lines says that it is one per line, and -lines=false that it is one
// message, whatever they look like. An empty line is never a message.
//
// A message that cannot be cut into its sections up to the body, or is not hex, prints
// one line on standard error, which says where and what, and nothing on standard output.
// If only the sections of the body are broken, or do not go together, there is that line
// as well, but all that can be read is printed. The exit code is 1 then, and the other
// messages are still printed. A field, a property or a body that is cut out but cannot be
// read shows its error in its own place. The exit code is 2 if the command line is wrong.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Exit codes.
const (
	exitOK    = 0
	exitInput = 1 // something could not be read, or not be written
	exitUsage = 2
)

// A command is one of the words that can follow jmswire. Each has a file of its name.
type command struct {
	name, args, does string
	run              func(s streams, args []string) int
}

// commands returns them in the order in which the usage lists them.
func commands() []command {
	return []command{
		{"inspect", "[-json] [-lines] [FILE...]", "print encoded messages, and how JMS sees them", inspect},
		{"groups", "[-q] [FILE...]", "replay traces of message groups, and compare", groups},
		{"link", "[-peer NAME] [FILE...]", "print attaches of links, and how JMS sees them", link},
		{"select", "[-lines] SELECTOR [FILE...]", "print which messages a JMS selector selects, and why", selects},
		{"demo", "", "show what the library does, on messages of real peers", demo},
	}
}

// streams are where a command reads and writes.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole command, and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := streams{stdin, stdout, stderr}
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	for _, c := range commands() {
		if args[0] == c.name {
			return c.run(s, args[1:])
		}
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		text := usageText()
		for _, c := range commands() {
			if len(args) > 1 && args[1] == c.name && c.args != "" {
				var flags strings.Builder
				c.run(streams{stdin, stdout, &flags}, []string{"-h"})
				text = flags.String()
			}
		}
		return s.print(text, nil)
	}
	s.errorf("there is no command %q", args[0])
	usage(stderr)
	return exitUsage
}

func usage(w io.Writer) { fmt.Fprint(w, usageText()) }

func usageText() string {
	text := "usage:\n"
	for _, c := range commands() {
		text += fmt.Sprintf("  jmswire %-36s %s\n", c.name+" "+c.args, c.does)
	}
	return text + "Flags go before the files. jmswire inspect -h lists all of its flags: -peer, -destination and others.\n"
}

// errorf prints one line on standard error.
func (s streams) errorf(format string, args ...any) {
	fmt.Fprintln(s.stderr, oneLine(fmt.Sprintf("jmswire: "+format, args...)))
}

// oneLine returns text on one line, which names of files need not be.
func oneLine(text string) string { return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(text) }

// print writes what to standard output, after what stands before it, and returns the
// exit code.
func (s streams) print(before string, what []byte) int {
	if _, err := s.stdout.Write(append([]byte(before), what...)); err != nil {
		s.errorf("%v", err)
		return exitInput
	}
	return exitOK
}
