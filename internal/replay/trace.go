// Package replay replays traces of a queue with message groups, recorded from a broker, and judges amqpjms by them.
//
// A broker plays a [Trace] on an engine, which assigns the groups: amqpjms, or a plain one. amqpjms must give what the
// plain engine gives, which follows the rules. If that is not what was recorded, habits of Broker-J are added to the plain
// engine until it gives what was recorded: the fewest that do are the deviations of the trace. testdata/README.md
// describes the format of traces.
package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b113d664/amqpjms/internal/golden"
)

// A Trace records step by step what happened on one queue of a broker.
type Trace struct {
	Name     string         `json:"name"`
	Strategy string         `json:"strategy"` // standard (assigned) or shared
	Kind     string         `json:"kind"`     // scripted or generated
	Source   string         `json:"source"`   // the broker, with its version
	Queue    map[string]any `json:"queue"`    // the broker's attributes
	Steps    []step         `json:"steps"`

	deviations []string // those that the file names
}

func (t *Trace) shared() bool { return t.Strategy == "shared" }

// A step is an action, or an observation of what the action before it caused.
type step struct {
	Op string `json:"op"`

	// Fields of actions.
	ID                int              `json:"id"`
	Consumer          string           `json:"consumer"`
	Group             *string          `json:"group"`
	Props             map[string]value `json:"props"`
	Priority          *int             `json:"priority"`
	TTL               *int64           `json:"ttlMs"`
	GroupSequence     *uint32          `json:"groupSequence"`
	DeliverAfter      *int64           `json:"deliverAfterMs"`
	Outcome           string           `json:"outcome"`
	Selector          string           `json:"selector"`
	Mode              string           `json:"mode"`
	Presettled        bool             `json:"presettled"` // also in observations
	Connection        string           `json:"connection"`
	N                 int              `json:"n"`
	DeliveryFailed    bool             `json:"deliveryFailed"`
	UndeliverableHere bool             `json:"undeliverableHere"`
	Tx                string           `json:"tx"`
	Settled           *bool            `json:"settled"`
	Ms                int64            `json:"ms"`

	// Fields of observations.
	DeliveryCount int    `json:"deliveryCount"`
	Again         bool   `json:"again"`
	Credit        int    `json:"credit"`
	Error         string `json:"error"`
	Depth         int    `json:"depth"`
	Available     int    `json:"available"`
	Unacked       int    `json:"unacked"`
	Expired       int    `json:"expired"`

	ours bool // an observation that should be made instead of the recorded ones
}

// observation reports whether s is an observation.
func (s *step) observation() bool {
	switch s.Op {
	case "delivered", "idle", "drained", "linkClosedByBroker", "stats", nothing:
		return true
	}
	return false
}

// A value is an AMQP value, with the Go value for GroupKeyFrom.
type value struct {
	golden.Value
	v any
}

// stringValue returns a string.
func stringValue(s string) value { return value{golden.Value{Type: "string", V: s}, s} }

// UnmarshalJSON reads a string, or an object that names another type.
func (v *value) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*v = stringValue(s)
		return nil
	}
	var typed struct {
		Type  string `json:"type"`
		Value any    `json:"value"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&typed); err != nil {
		return err
	}
	return v.parse(typed.Type, fmt.Sprint(typed.Value))
}

// parse sets v to the value of a type that a recorder wrote as text.
func (v *value) parse(kind, text string) error {
	switch kind {
	case "null":
		return v.set(golden.Value{Type: kind}, nil)
	case "string", "symbol":
		return v.set(golden.Value{Type: kind, V: text}, nil)
	case "binary":
		return v.set(golden.Value{Type: kind, V: []byte(text)}, nil)
	case "float":
		f, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return err
		}
		return v.set(golden.From(float32(f)))
	case "double":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err
		}
		return v.set(golden.From(f))
	}
	return v.set(golden.ParseValue(kind + " " + text))
}

// set sets v to a value of a fixture.
func (v *value) set(x golden.Value, err error) error {
	if err != nil {
		return err
	}
	goValue, ok := x.Go()
	if !ok {
		return fmt.Errorf("a property cannot be of type %s", x.Type)
	}
	v.Value, v.v = x, goValue
	return nil
}

// Read reads traces: JSON lines as a recorder writes them, or text as in testdata/broker-j-groups. It joins the errors, and
// returns the traces without one.
func Read(r io.Reader) ([]*Trace, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var traces []*Trace
	var errs []error
	if bytes.HasPrefix(data, []byte("{")) {
		traces, errs = readJSON(data)
	} else {
		traces, errs = readText(bytes.NewReader(data))
	}
	if len(traces) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("no traces"))
	}
	return traces, errors.Join(errs...)
}

// readJSON reads traces one after another. After one that is not JSON it continues at the next line that begins an
// object.
func readJSON(data []byte) (traces []*Trace, errs []error) {
	for n, at := 1, 0; len(bytes.TrimSpace(data[at:])) > 0; n++ {
		var raw json.RawMessage
		d := json.NewDecoder(bytes.NewReader(data[at:]))
		err := d.Decode(&raw)
		begin := at + len(data[at:]) - len(bytes.TrimLeft(data[at:], " \t\r\n"))
		line := 1 + bytes.Count(data[:begin], []byte("\n"))
		if err == nil {
			at += int(d.InputOffset())
			t := new(Trace)
			d = json.NewDecoder(bytes.NewReader(raw))
			d.DisallowUnknownFields()
			d.UseNumber()
			if err = d.Decode(t); err == nil {
				traces = append(traces, t)
			}
		} else if next := bytes.Index(data[begin:], []byte("\n{")); next >= 0 {
			at = begin + next + 1
		} else {
			at = len(data)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("trace %d, line %d: %w", n, line, err))
		}
	}
	return traces, errs
}

// readText reads the records of a text file (testdata/README.md), except those with an error.
func readText(r io.Reader) (traces []*Trace, errs []error) {
	var t *Trace
	var peer, block string
	bad := false // up to the next empty line
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		key, text, _ := strings.Cut(line, ":")
		text = strings.TrimPrefix(text, " ")
		var err error
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			t, block, bad = nil, "", false
		case bad:
		case strings.HasPrefix(line, "  ") && block == "steps":
			var s step
			if s, err = parseStep(line); err == nil {
				t.Steps = append(t.Steps, s)
			}
		case strings.HasPrefix(line, "  ") && block == "queue":
			name, literal, _ := strings.Cut(strings.TrimSpace(line), " ")
			d := json.NewDecoder(strings.NewReader(literal))
			d.UseNumber()
			var v any
			if err = d.Decode(&v); err == nil {
				t.Queue[name] = v
			}
		case key == "peer" && t == nil && len(traces) == 0:
			peer = text
		case key == "name" && t == nil:
			t = &Trace{Name: text, Source: peer, Queue: map[string]any{}}
			traces = append(traces, t)
		case t == nil:
			err = errors.New("a record begins with its name")
		case key == "strategy":
			t.Strategy = text
		case key == "kind":
			t.Kind = text
		case key == "note":
		case key == "deviation":
			t.deviations = append(t.deviations, text)
		case key == "queue" || key == "steps":
			block = key
		default:
			err = fmt.Errorf("key %q is unknown", key)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n, err))
			if bad = true; t != nil {
				traces = traces[:len(traces)-1]
			}
		}
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, err)
	}
	return traces, errs
}

// words are the rest of a line. The first error sticks.
type words struct {
	rest []string
	err  error
}

func (w *words) next() string {
	if len(w.rest) == 0 {
		w.fail(io.ErrUnexpectedEOF)
		return ""
	}
	word := w.rest[0]
	w.rest = w.rest[1:]
	return word
}

func (w *words) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *words) number() int64 {
	n, err := strconv.ParseInt(w.next(), 10, 64)
	if err != nil {
		w.fail(err)
	}
	return n
}

func (w *words) quoted() (s string) {
	if err := json.Unmarshal([]byte(w.next()), &s); err != nil {
		w.fail(err)
	}
	return s
}

// value reads a type and a literal.
func (w *words) value() (v value) {
	text := w.next()
	if text != "null" {
		text += " " + w.next()
	}
	if err := v.set(golden.ParseValue(text)); err != nil {
		w.fail(err)
	}
	return v
}

// split cuts a line at spaces outside quotes.
func split(line string) (words []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		end := strings.IndexByte(line, ' ')
		if line[0] == '"' {
			for end = 1; end < len(line) && line[end] != '"'; end++ {
				if line[end] == '\\' {
					end++
				}
			}
			end++
		}
		if end < 0 || end > len(line) {
			end = len(line)
		}
		words = append(words, line[:end])
		line = line[end:]
	}
	return words
}

// parseStep reads one line of a steps block.
func parseStep(line string) (s step, err error) {
	w := &words{rest: split(line)}
	s.Op = w.next()
	switch s.Op {
	case "=>", "->":
		s.ours = s.Op == "=>"
		s.parseObservation(w)
	case "enqueue":
		s.ID = int(w.number())
	case "open", "close", "detach", "endSession", "closeConnection", "dropConnection":
		s.Consumer = w.next()
	case "credit", "drain":
		s.Consumer, s.N = w.next(), int(w.number())
	case "accept", "release", "reject", "modify":
		s.Consumer, s.ID = w.next(), int(w.number())
	case "declare":
		s.Tx, s.Consumer = w.next(), w.next()
	case "commit", "rollback":
		s.Tx = w.next()
	case "wait":
		s.Ms = w.number()
	case "clearQueue", "housekeep":
	default:
		w.fail(fmt.Errorf("step %q is unknown", s.Op))
	}
	for len(w.rest) > 0 && w.err == nil {
		switch option := s.Op + " " + w.next(); option {
		case "enqueue group":
			s.Group = new(string)
			*s.Group = w.quoted()
		case "enqueue property":
			if s.Props == nil {
				s.Props = map[string]value{}
			}
			name := w.quoted()
			s.Props[name] = w.value()
		case "enqueue priority", "open priority":
			s.Priority = new(int)
			*s.Priority = int(w.number())
		case "enqueue ttl":
			s.TTL = new(int64)
			*s.TTL = w.number()
		case "enqueue group-sequence":
			s.GroupSequence = new(uint32)
			*s.GroupSequence = uint32(w.number())
		case "enqueue due-after":
			s.DeliverAfter = new(int64)
			*s.DeliverAfter = w.number()
		case "enqueue outcome":
			s.Outcome = w.next()
		case "open selector":
			s.Selector = w.quoted()
		case "open copy":
			s.Mode = "copy"
		case "open presettled", "delivered presettled":
			s.Presettled = true
		case "open connection":
			s.Connection = w.next()
		case "modify delivery-failed":
			s.DeliveryFailed = true
		case "modify undeliverable-here":
			s.UndeliverableHere = true
		case "accept in":
			s.Tx = w.next()
		case "accept settled", "accept unsettled":
			s.Settled = new(bool)
			*s.Settled = option == "accept settled"
		case "delivered count":
			s.DeliveryCount = int(w.number())
		case "delivered again":
			s.Again = true
		default:
			w.fail(fmt.Errorf("%q is unknown", option))
		}
	}
	if w.err != nil {
		return step{}, fmt.Errorf("%s: %w", strings.TrimSpace(line), w.err)
	}
	return s, nil
}

// nothing is an observation of ours: that there should be none.
const nothing = "nothing"

func (s *step) parseObservation(w *words) {
	switch first := w.next(); first {
	case "idle":
		s.Op = first
	case nothing:
		s.Op = first
		if !s.ours {
			w.fail(errors.New("nothing is observed by leaving it out"))
		}
	case "depth":
		s.Op, s.Depth = "stats", int(w.number())
		for _, of := range []struct {
			name string
			n    *int
		}{{"available", &s.Available}, {"unacked", &s.Unacked}, {"expired", &s.Expired}} {
			if w.next() != of.name {
				w.fail(fmt.Errorf("%s is missing", of.name))
			}
			*of.n = int(w.number())
		}
	default:
		s.Consumer = first
		switch verb := w.next(); verb {
		case "gets":
			s.Op, s.ID = "delivered", int(w.number())
		case "drained":
			s.Op, s.Credit = verb, int(w.number())
		case "closed":
			s.Op, s.Error = "linkClosedByBroker", w.quoted()
		default:
			w.fail(fmt.Errorf("%q is unknown", verb))
		}
	}
}

// String prints a step as in the text files.
func (s *step) String() string {
	var b strings.Builder
	word := func(format string, args ...any) { fmt.Fprintf(&b, " "+format, args...) }
	b.WriteString(s.Op)
	switch s.Op {
	case "idle", nothing:
		return s.Op
	case "stats":
		return fmt.Sprintf("depth %d available %d unacked %d expired %d", s.Depth, s.Available, s.Unacked, s.Expired)
	case "drained":
		return fmt.Sprintf("%s drained %d", s.Consumer, s.Credit)
	case "linkClosedByBroker":
		return fmt.Sprintf("%s closed %s", s.Consumer, quote(s.Error))
	case "delivered":
		b.Reset()
		fmt.Fprintf(&b, "%s gets %d", s.Consumer, s.ID)
		if s.DeliveryCount != 0 {
			word("count %d", s.DeliveryCount)
		}
		if s.Again {
			word("again")
		}
	case "enqueue":
		word("%d", s.ID)
		if s.Group != nil {
			word("group %s", quote(*s.Group))
		}
		for _, name := range slices.Sorted(maps.Keys(s.Props)) {
			word("property %s %s", quote(name), s.Props[name])
		}
		if s.TTL != nil {
			word("ttl %d", *s.TTL)
		}
		if s.GroupSequence != nil {
			word("group-sequence %d", *s.GroupSequence)
		}
		if s.DeliverAfter != nil {
			word("due-after %d", *s.DeliverAfter)
		}
		if s.Outcome != "" {
			word("outcome %s", s.Outcome)
		}
	case "open":
		word("%s", s.Consumer)
		if s.Selector != "" {
			word("selector %s", quote(s.Selector))
		}
		if s.Mode != "" {
			word("%s", s.Mode)
		}
		if s.Connection != "" {
			word("connection %s", s.Connection)
		}
	case "credit", "drain":
		word("%s %d", s.Consumer, s.N)
	case "accept", "release", "reject", "modify":
		word("%s %d", s.Consumer, s.ID)
		if s.DeliveryFailed {
			word("delivery-failed")
		}
		if s.UndeliverableHere {
			word("undeliverable-here")
		}
		if s.Tx != "" {
			word("in %s", s.Tx)
		}
		if s.Settled != nil && *s.Settled {
			word("settled")
		} else if s.Settled != nil {
			word("unsettled")
		}
	case "declare":
		word("%s %s", s.Tx, s.Consumer)
	case "commit", "rollback":
		word("%s", s.Tx)
	case "wait":
		word("%d", s.Ms)
	default:
		if s.Consumer != "" {
			word("%s", s.Consumer)
		}
	}
	if s.Priority != nil {
		word("priority %d", *s.Priority)
	}
	if s.Presettled {
		word("presettled")
	}
	return b.String()
}

// quote returns a JSON string.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
