package selector

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b113d664/amqpjms/internal/golden"
	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

func cases(t testing.TB) []golden.Case {
	return golden.Read(t, "../../testdata/selectors/*.txt", golden.SelectorKeys()...)
}

func text(t testing.TB, c golden.Case, key string) string {
	v, ok := c.Value(key)
	require.True(t, ok, "%s: %s", c.At(), key)
	return v.V.(string)
}

// valueOf is the value that a fixture states, of an application property.
func valueOf(t testing.TB, v golden.Value) Value {
	switch x := v.V.(type) {
	case nil:
		return OfNull()
	case bool:
		return OfBool(x)
	case int64:
		if v.Type == "long" || v.Type == "timestamp" {
			return OfLong(x)
		}
		return OfInt(int32(x))
	case uint64:
		switch v.Type {
		case "uint", "ulong":
			return OfUlong(x)
		case "char":
			return OfChar(rune(x))
		}
		return OfInt(int32(x))
	case float32:
		return OfFloat(x)
	case float64:
		return OfDouble(x)
	case string:
		return OfString(x)
	case [16]byte:
		return OfUUID(x[:])
	}
	require.Contains(t, []string{"binary", "decimal64"}, v.Type)
	return OfOther()
}

// fieldValue is the value of a field of JMS, by the table of names in the rules, from the
// AMQP fields that a fixture states. The node's default is NON_PERSISTENT.
func fieldValue(t testing.TB, c golden.Case, f Field) Value {
	get := func(key string) (golden.Value, bool) { return c.Value(key) }
	str := func(key string) Value {
		if v, ok := get(key); ok {
			return OfString(v.V.(string))
		}
		return OfNull()
	}
	switch f {
	case JMSDeliveryMode:
		if v, ok := get("header.durable"); ok && v.V == true {
			return OfString("PERSISTENT")
		}
		return OfString("NON_PERSISTENT")
	case JMSPriority:
		if v, ok := get("header.priority"); ok {
			return OfInt(int32(min(9, v.V.(uint64))))
		}
		return OfInt(4)
	case JMSTimestamp:
		if v, ok := get("properties.creation-time"); ok {
			return OfLong(v.V.(int64))
		}
		return OfLong(0)
	case JMSMessageID:
		return idValue(c, "properties.message-id", "ID:AMQP_NO_PREFIX:")
	case JMSCorrelationID:
		return idValue(c, "properties.correlation-id", "")
	case JMSType:
		return str("properties.subject")
	case JMSXGroupID:
		return str("properties.group-id")
	case JMSXGroupSeq:
		if v, ok := get("properties.group-sequence"); ok {
			return OfInt(int32(uint32(v.V.(uint64))))
		}
		return OfNull()
	case JMSXUserID:
		if v, ok := get("properties.user-id"); ok && len(v.V.([]byte)) > 0 {
			return OfText(v.V.([]byte))
		}
		return OfNull()
	case JMSXDeliveryCount:
		if v, ok := get("header.delivery-count"); ok {
			return OfInt(int32(min(v.V.(uint64), 1<<31-2) + 1))
		}
		return OfInt(1)
	case ContentType:
		return str("properties.content-type")
	case ContentEncoding:
		return str("properties.content-encoding")
	case ReplyToGroupID:
		return str("properties.reply-to-group-id")
	case TTL:
		return OfNull()
	}
	t.Fatalf("field %d", f)
	return Value{}
}

func idValue(c golden.Case, key, noPrefix string) Value {
	v, ok := c.Value(key)
	if !ok {
		return OfNull()
	}
	switch x := v.V.(type) {
	case string:
		rest, prefixed := strings.CutPrefix(x, "ID:")
		if !prefixed {
			return OfString(noPrefix + x)
		}
		for _, marker := range []string{"STRING:", "NO_PREFIX:", "UUID:", "ULONG:", "BINARY:"} {
			if strings.HasPrefix(rest, "AMQP_"+marker) {
				return OfString("ID:AMQP_STRING:" + x)
			}
		}
		return OfString(x)
	case uint64:
		return OfString(fmt.Sprintf("ID:AMQP_ULONG:%d", x))
	case [16]byte:
		return OfString(fmt.Sprintf("ID:AMQP_UUID:%x-%x-%x-%x-%x", x[:4], x[4:6], x[6:8], x[8:10], x[10:]))
	}
	return OfString("ID:AMQP_BINARY:" + strings.ToUpper(hex.EncodeToString(v.V.([]byte))))
}

func lookup(t testing.TB, c golden.Case) func(Name) Value {
	return func(n Name) Value {
		if n.Field != Property {
			return fieldValue(t, c, n.Field)
		}
		if v, ok := c.Value(golden.Named("application-property", n.Text)); ok {
			return valueOf(t, v)
		}
		return OfNull()
	}
}

// evalWire evaluates a selector with the application properties of an encoded message.
func evalWire(t testing.TB, c golden.Case, e *Expr) Truth {
	var section []byte
	for _, s := range c.Sections() {
		if s.Name == "application-properties" {
			section = s.Bytes
		}
	}
	var f Frame
	for n := e.Run(&f); n >= 0; n = e.Run(&f) {
		switch name := e.Name(n); {
		case name.Field != Property:
			e.Set(&f, n, fieldValue(t, c, name.Field))
		case section == nil:
			e.SetNoProperties(&f)
		default:
			r := wire.NewReader(section)
			r.Descriptor()
			e.SetProperties(&f, r)
		}
	}
	require.Equal(t, -1, f.Broken(), c.At())
	return f.Truth()
}

// Every case of the fixtures: where a selector is wrong, or what it says of the message. So
// does the selector as it is printed.
func TestCases(t *testing.T) {
	n := 0
	for _, c := range cases(t) {
		n++
		s, want := text(t, c, "selector"), c.Text("expected")
		e, err := Parse(s)
		if at, wrong := strings.CutPrefix(want, "parse-error at "); wrong {
			var pe *Error
			require.ErrorAs(t, err, &pe, "%s: %q", c.At(), s)
			if at != fmt.Sprint(pe.Offset) {
				t.Errorf("%s: %q: got %v, want byte %s", c.At(), s, err, at)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %q: got %v, want %s", c.At(), s, err, want)
			continue
		}
		got, broken := e.Eval(lookup(t, c))
		if got.String() != want || broken >= 0 {
			t.Errorf("%s: %q: got %v, broken %d, want %s", c.At(), s, got, broken, want)
		}
		if got := evalWire(t, c, e); got.String() != want {
			t.Errorf("%s: %q: on the wire's properties: got %v, want %s", c.At(), s, got, want)
		}
	}
	require.Equal(t, 4342, n)
}

// deviations are the slugs of what the evaluators do otherwise.
var deviations = strings.Fields(`
	IS-NULL-binds-looser L-suffix amqp-types and-or-of-unknown arithmetic-throws artemis-names big-literals blank
	comments division double-with-float escape field-shadowed float-arithmetic float-suffix header-names
	identifier-letters ids-spelled jmsx-names left-operand literal-range message-id-added modulo nan-and-minus-zero
	narrow-types not-binds-tighter not-inside-operand null-equals null-literal order-of-strings prefixes
	priority-above-9 quoted-identifiers string-plus too-deep-or-long types-at-parse unary-plus unlike-literals
	unlike-types-differ xpath xpath-words`)

// What an evaluator said is a verdict, and its deviations where that is another than the
// rules': match, no match, an error of either kind. Each deviation has a case.
func TestSaid(t *testing.T) {
	verdict := func(said string) string { return strings.Replace(said, "unknown", "false", 1) }
	used := map[string]bool{}
	for _, c := range cases(t) {
		want, _, _ := strings.Cut(c.Text("expected"), " ")
		for _, who := range []string{"artemis", "activemq", "broker-j", "openmq"} {
			said := strings.Fields(c.Text("said." + who))
			if len(said) == 0 {
				continue
			}
			words := []string{"true", "false", "unknown", "parse-error", "eval-error"}
			if who == "openmq" {
				words = []string{"true", "no", "parse-error", "eval-error"}
				require.Len(t, said, 1, c.At())
			}
			require.Contains(t, words, said[0], c.At())
			require.NotEqual(t, want, said[0], c.At())
			if who != "openmq" {
				require.Equal(t, verdict(said[0]) != verdict(want), len(said) > 1, "%s: %v", c.At(), said)
			}
			for _, slug := range said[1:] {
				require.Contains(t, deviations, slug, c.At())
				used[slug] = true
			}
		}
	}
	for _, slug := range deviations {
		require.True(t, used[slug], "no case of %s", slug)
	}
	require.True(t, slices.IsSorted(deviations))
}
