//go:build interop

package interop

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// app is the JMS application: a process that does as it is told. It does one
// thing at a time; not for concurrent use.
type app struct {
	peer    *peer
	in      io.Writer
	answers <-chan string
}

// startApp starts the JMS application and connects it.
func startApp(t testing.TB, url string) *app {
	t.Helper()
	cmd := java("JmsApp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// A pipe of our own: the command's would be closed before the last line is read.
	out, w := io.Pipe()
	cmd.Stdout = w
	answers := make(chan string, 1)
	go func() {
		defer close(answers)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			answers <- lines.Text()
		}
	}()
	a := &app{peer: startPeer(t, "the JMS application", cmd), in: in, answers: answers}
	go func() {
		<-a.peer.exited
		w.Close()
	}()
	a.connect(t, url)
	return a
}

// connect closes the connection that the application has, and with it consumers and
// temporary destinations, and makes another.
func (a *app) connect(t testing.TB, url string) {
	t.Helper()
	a.must(t, command{Op: "connect", URL: url})
}

// command is a line for the application. README.md says what each field means.
type command struct {
	Op                string `json:"op"`
	URL               string `json:"url,omitempty"`
	Kind              string `json:"kind,omitempty"`
	Destination       *value `json:"destination,omitempty"`
	Consumer          string `json:"consumer,omitempty"`
	Selector          string `json:"selector,omitempty"`
	NoLocal           bool   `json:"noLocal,omitempty"`
	Subscription      string `json:"subscription,omitempty"`
	Durable           bool   `json:"durable,omitempty"`
	Shared            bool   `json:"shared,omitempty"`
	Timeout           *int64 `json:"timeout,omitempty"` // ms
	Ack               string `json:"ack,omitempty"`
	Then              string `json:"then,omitempty"`
	PassCorrelationID bool   `json:"passCorrelationID,omitempty"`
	message
}

// message is what a JMS application sets on a message and its producer.
type message struct {
	Kind                    string           `json:"message,omitempty"`
	Body                    *value           `json:"body,omitempty"`
	Headers                 map[string]value `json:"headers,omitempty"`
	Properties              []property       `json:"properties,omitempty"`
	DeliveryMode            int              `json:"deliveryMode,omitempty"` // 1 NON_PERSISTENT, 2 PERSISTENT
	Priority                *int             `json:"priority,omitempty"`
	TimeToLive              int64            `json:"timeToLive,string,omitempty"`    // ms
	DeliveryDelay           int64            `json:"deliveryDelay,string,omitempty"` // ms
	DisableMessageID        bool             `json:"disableMessageID,omitempty"`
	DisableMessageTimestamp bool             `json:"disableMessageTimestamp,omitempty"`
	Transacted              bool             `json:"transacted,omitempty"`
}

type property struct {
	Name  string
	Value value
}

func (p property) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.Name, p.Value}) }

// answer is a line from the application.
type answer struct {
	Error       *value `json:"error"`
	Destination *value `json:"destination"`
	Observed    *view  `json:"observed"`
	Message     *view  `json:"message"`
	Request     *view  `json:"request"`
}

// view is a message as a JMS application sees it, a value or an error for each
// getter.
type view struct {
	Type                    string `json:"type"`
	JMSMessageID            value
	JMSCorrelationID        value
	JMSCorrelationIDAsBytes value
	JMSTimestamp            value
	JMSExpiration           value
	JMSDeliveryTime         value
	JMSPriority             value
	JMSDeliveryMode         value
	JMSRedelivered          value
	JMSType                 value
	JMSDestination          value
	JMSReplyTo              value
	Special                 map[string]special `json:"special"`
	PropertyNames           []string           `json:"propertyNames"`
	Properties              map[string]value   `json:"properties"`
	PropertiesAsString      map[string]value   `json:"propertiesAsString"`
	PropertiesAsLong        map[string]value   `json:"propertiesAsLong"`
	Body                    value              `json:"body"`
}

type special struct {
	Exists value `json:"exists"`
	Value  value `json:"value"`
}

// do has one command carried out. The error is the application's own: a JMS call
// that threw.
func (a *app) do(t testing.TB, c command) (answer, error) {
	t.Helper()
	line, err := json.Marshal(c)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	if _, err := a.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	// The application gives up earlier, unless it was told to wait longer.
	limit := 30 * time.Second
	if c.Timeout != nil {
		limit += time.Duration(*c.Timeout) * time.Millisecond
	}
	select {
	case text, ok := <-a.answers:
		if !ok {
			t.Fatalf("%s: the application is gone", line)
		}
		var ans answer
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&ans); err != nil {
			t.Fatalf("%s: answered %s: %v", line, text, err)
		}
		if e := ans.Error; e != nil {
			return answer{}, fmt.Errorf("%s: %s", e.Step, e)
		}
		return ans, nil
	case <-time.After(limit):
		t.Fatalf("%s: no answer in %v", line, limit)
	}
	return answer{}, nil
}

// must is do for a command that cannot fail.
func (a *app) must(t testing.TB, c command) answer {
	t.Helper()
	ans, err := a.do(t, c)
	if err != nil {
		t.Fatalf("the JMS application could not %s: %v", c.Op, err)
	}
	return ans
}

// send sends a message and returns what the message held after.
func (a *app) send(t testing.TB, to value, m message) view {
	t.Helper()
	return *a.must(t, command{Op: "send", Destination: &to, message: m}).Observed
}

// receive takes the next message, which must come.
func (a *app) receive(t testing.TB, from value) view {
	t.Helper()
	v := a.must(t, command{Op: "receive", Destination: &from}).Message
	if v == nil {
		t.Fatalf("the JMS application received nothing from %s %s", from.Kind, from.Name)
	}
	return *v
}

// value is a value with its type, as the application says it.
type value struct {
	T          string          `json:"t"`
	V          json.RawMessage `json:"v,omitempty"`
	Bits       string          `json:"bits,omitempty"`       // float, double; not read by the application
	Kind       string          `json:"kind,omitempty"`       // destination
	Name       string          `json:"name,omitempty"`       // destination
	Descriptor *value          `json:"descriptor,omitempty"` // described
	Message    string          `json:"message,omitempty"`    // error
	Cause      string          `json:"cause,omitempty"`      // error
	Step       string          `json:"step,omitempty"`       // error
}

// jms is a Go value with the type JMS has for it.
func jms(v any) value {
	quoted := func(t, s string) value { return value{T: t, V: json.RawMessage(strconv.Quote(s))} }
	switch v := v.(type) {
	case nil:
		return value{T: "null"}
	case bool:
		return value{T: "boolean", V: json.RawMessage(strconv.FormatBool(v))}
	case int8:
		return value{T: "byte", V: strconv.AppendInt(nil, int64(v), 10)}
	case int16:
		return value{T: "short", V: strconv.AppendInt(nil, int64(v), 10)}
	case int32:
		return value{T: "int", V: strconv.AppendInt(nil, int64(v), 10)}
	case int64:
		return quoted("long", strconv.FormatInt(v, 10))
	case float32:
		f := quoted("float", javaFloat(float64(v), 32))
		f.Bits = fmt.Sprintf("%08x", math.Float32bits(v))
		return f
	case float64:
		f := quoted("double", javaFloat(v, 64))
		f.Bits = fmt.Sprintf("%016x", math.Float64bits(v))
		return f
	case string:
		return value{T: "string", V: json.RawMessage(quote(v))}
	case []byte:
		return quoted("bytes", hex.EncodeToString(v))
	case []any:
		l := []value{}
		for _, e := range v {
			l = append(l, jms(e))
		}
		return composite("list", l)
	case map[string]any:
		l := [][2]value{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			l = append(l, [2]value{jms(k), jms(v[k])})
		}
		return composite("map", l)
	}
	panic(fmt.Sprintf("JMS has no type for %T", v))
}

// destination is a JMS destination: kind is queue, topic, temporary-queue or
// temporary-topic.
func destination(kind, name string) value {
	return value{T: "destination", Kind: kind, Name: name}
}

func composite(t string, v any) value {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return value{T: t, V: b}
}

// javaFloat is a number that Java parses.
func javaFloat(f float64, bits int) string {
	if math.IsInf(f, 0) {
		return strings.TrimPrefix(strings.Replace(strconv.FormatFloat(f, 'g', -1, bits), "Inf", "Infinity", 1), "+")
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

// String is the value as testdata writes it: int 4, string "x", queue "q".
func (v value) String() string {
	switch v.T {
	case "null", "none", "java":
		return v.T
	case "destination":
		return v.Kind + " " + quote(v.Name)
	case "error":
		if v.Cause != "" && v.Cause != v.Message {
			return "error " + quote(v.Message+": "+v.Cause)
		}
		return "error " + quote(v.Message)
	case "string", "symbol":
		var text string
		mustUnmarshal(v.V, &text)
		return v.T + " " + quote(text)
	case "float", "double":
		return fmt.Sprintf("%s %s/%s", v.T, unquote(v.V), v.Bits)
	case "list", "array":
		var l []value
		mustUnmarshal(v.V, &l)
		texts := make([]string, len(l))
		for i, e := range l {
			texts[i] = e.String()
		}
		return v.T + " [" + strings.Join(texts, ", ") + "]"
	case "map":
		var l [][2]value
		mustUnmarshal(v.V, &l)
		texts := make([]string, len(l))
		for i, e := range l {
			texts[i] = e[0].String() + " = " + e[1].String()
		}
		slices.Sort(texts) // the order of a map says nothing
		return "map {" + strings.Join(texts, ", ") + "}"
	case "described":
		var d value
		mustUnmarshal(v.V, &d)
		return fmt.Sprintf("described (%s) %s", v.Descriptor, d)
	}
	return strings.TrimSpace(v.T + " " + unquote(v.V))
}

func mustUnmarshal(b []byte, v any) {
	if err := json.Unmarshal(b, v); err != nil {
		panic(err)
	}
}

// quote is a JSON string with no more escapes than it needs.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

func unquote(v json.RawMessage) string { return strings.Trim(string(v), `"`) }

// must returns a value of a message that go-amqp decoded, which cannot be an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
