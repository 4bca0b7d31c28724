package main

import (
	"bytes"
	"flag"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-b113d664/amqpjms"
	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/seed-b113d664/amqpjms/internal/selector"
)

// selects is the command select. It prints which messages a selector selects, and for each the value of every condition
// that AND, OR and NOT join, with what its names are worth.
func selects(s streams, args []string) int {
	flags := flag.NewFlagSet("select", flag.ContinueOnError)
	flags.SetOutput(s.stderr)
	flags.Usage = func() {
		fmt.Fprintln(s.stderr, "usage: jmswire select [-lines] [-persistent] SELECTOR [FILE...]")
		flags.PrintDefaults()
	}
	lines := guess
	flags.BoolFunc("lines", "take each line of hex for a message, or with -lines=false all for one", func(v string) error {
		each, err := strconv.ParseBool(v)
		lines = allOne
		if each {
			lines = onePerLine
		}
		return err
	})
	var consumer amqpjms.Consumer
	flags.BoolFunc("persistent", "take messages that do not say whether they are durable for PERSISTENT (default: NON_PERSISTENT)", func(v string) error {
		on, err := strconv.ParseBool(v)
		consumer.NodeDefault = amqpjms.NonPersistent
		if on {
			consumer.NodeDefault = amqpjms.Persistent
		}
		return err
	})
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return exitOK
	case err != nil:
		return exitUsage
	case flags.NArg() == 0:
		s.errorf("select needs a selector")
		return exitUsage
	}
	parsed, err := amqpjms.ParseSelector(flags.Arg(0))
	if err != nil {
		s.errorf("%s", reason(err))
		return exitUsage
	}
	conditions, err := conditionsOf(flags.Arg(0))
	if err != nil {
		s.errorf("%s", reason(err))
		return exitUsage
	}
	files := flags.Args()[1:]
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
		for _, in := range inputs(name, data, lines) {
			m, err := in.parse()
			if err != nil {
				s.errorf("%s: %s", in.where(), reason(err))
				code = exitInput
				continue
			}
			text := showSelected(in.where(), parsed, conditions, consumer.ViewRaw(&m, time.Time{}))
			if c := s.print("", text); c != exitOK {
				return c
			}
		}
	}
	return code
}

// A condition is one of those that AND, OR and NOT join.
type condition struct {
	selector amqpjms.Selector
	names    []selector.Name
}

func conditionsOf(text string) ([]condition, error) {
	e, err := selector.Parse(text)
	if err != nil {
		return nil, err
	}
	var conditions []condition
	for _, c := range e.Conditions() {
		one, err := selector.Parse(c.String()) // with the names that are its own
		if err != nil {
			return nil, err
		}
		parsed, err := amqpjms.ParseSelector(c.String())
		if err != nil {
			return nil, err
		}
		names := make([]selector.Name, one.Names())
		for i := range names {
			names[i] = one.Name(i)
		}
		conditions = append(conditions, condition{parsed, names})
	}
	return conditions, nil
}

// showSelected returns what a selector makes of a message, for people.
func showSelected(where string, s amqpjms.Selector, conditions []condition, view amqpjms.View) []byte {
	var b bytes.Buffer
	word := "not selected"
	if s.Matches(view) {
		word = "selected"
	}
	fmt.Fprintf(&b, "%s: %s: %s\n", where, word, truthText(s, view))
	w := columns(&b)
	for _, c := range conditions {
		word := truthText(c.selector, view)
		if _, err := c.selector.Evaluate(view); err != nil {
			word = "error" // the name has it
		}
		fmt.Fprintf(w, "  %s\t%s", oneLine(c.selector.String()), word)
		for i, n := range c.names {
			fmt.Fprintf(w, "%s%s = %s", map[bool]string{true: "\t", false: ", "}[i == 0], n.Text, oneLine(namedValue(view, n)))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.Bytes()
}

// truthText returns the value of a selector, or why it has none.
func truthText(s amqpjms.Selector, view amqpjms.View) string {
	v, err := s.Evaluate(view)
	if err != nil {
		return "error: " + reason(err)
	}
	if b, ok := v.Get(); ok {
		return strconv.FormatBool(b)
	}
	return "unknown"
}

// namedValue returns what a name is worth.
func namedValue(view amqpjms.View, n selector.Name) string {
	p := view.Property(n.Text)
	if n.Field == selector.Property {
		p = view.ApplicationProperty(n.Text)
	}
	raw, err := p.Raw()
	if err != nil {
		return show(errorValue(err))
	}
	if encoded, ok := raw.(amqpjms.RawValue); ok { // of a type that Go has not
		return show(decode(encoded, 0))
	}
	v, err := golden.From(raw)
	if err != nil {
		return show(errorValue(err))
	}
	return show(v)
}
