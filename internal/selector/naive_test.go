package selector

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// An expr is an expression as the naive evaluator has it: an operator and its operands. It
// is made by exprs, not by the parser.
type expr struct {
	op   string // "value" and "name" have no args
	args []*expr
	lit  any    // of "value"
	text string // the literal, the name
	list []string
}

type other struct{} // a value that JMS has no type for

// naive evaluates an expression over a map, operand by operand. nil is null and unknown;
// a condition is a bool.
func naive(x *expr, m map[string]any) any {
	var v []any
	for _, a := range x.args {
		v = append(v, naive(a, m))
	}
	switch x.op {
	case "value":
		return x.lit
	case "name":
		return m[x.text]
	case "AND":
		a, b := asCondition(v[0]), asCondition(v[1])
		if a == false || b == false {
			return false
		}
		if a == nil || b == nil {
			return nil
		}
		return true
	case "OR":
		return naiveNot(naive(&expr{op: "AND", args: []*expr{{op: "NOT", args: x.args[:1]}, {op: "NOT", args: x.args[1:]}}}, m))
	case "NOT":
		return naiveNot(asCondition(v[0]))
	case "condition":
		return asCondition(v[0])
	case "BETWEEN":
		return naive(&expr{op: "AND", args: []*expr{{op: ">=", args: x.args[:2]}, {op: "<=", args: []*expr{x.args[0], x.args[2]}}}}, m)
	case "NOT BETWEEN":
		return naive(&expr{op: "OR", args: []*expr{{op: "<", args: x.args[:2]}, {op: ">", args: []*expr{x.args[0], x.args[2]}}}}, m)
	case "IS NULL":
		return v[0] == nil
	case "IS NOT NULL":
		return v[0] != nil
	case "IN", "NOT IN":
		s, ok := v[0].(string)
		if !ok {
			return nil
		}
		found := false
		for _, e := range x.list {
			found = found || e == s
		}
		return found == (x.op == "IN")
	case "LIKE", "NOT LIKE":
		if v[0] == nil {
			return nil
		}
		s, ok := v[0].(string)
		return (ok && naiveLike([]rune(x.list[0]), []rune(s))) == (x.op == "LIKE")
	case "sign+":
		if kindOf(v[0]) == 0 {
			return nil
		}
		return v[0]
	case "sign-":
		switch n := v[0].(type) {
		case float32:
			return -n
		case float64:
			return -n
		}
		return naiveArithmetic("-", int32(0), v[0])
	case "+", "-", "*", "/":
		return naiveArithmetic(x.op, v[0], v[1])
	}
	return naiveCompare(x.op, v[0], v[1])
}

func asCondition(v any) any {
	if _, ok := v.(bool); ok || v == nil {
		return v
	}
	return false
}

func naiveNot(v any) any {
	if v == nil {
		return nil
	}
	return v == false
}

func naiveLike(p, s []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '%':
		return naiveLike(p[1:], s) || len(s) > 0 && naiveLike(p, s[1:])
	}
	return len(s) > 0 && (p[0] == '_' || p[0] == s[0]) && naiveLike(p[1:], s[1:])
}

// kindOf orders the types of numbers as they are promoted, 0 is none.
func kindOf(v any) int {
	switch v.(type) {
	case int32:
		return 1
	case int64:
		return 2
	case float32:
		return 3
	case float64:
		return 4
	}
	return 0
}

func naiveConvert[T int32 | int64 | float32 | float64](v any) T {
	switch n := v.(type) {
	case int32:
		return T(n)
	case int64:
		return T(n)
	case float32:
		return T(n)
	}
	return T(v.(float64))
}

func naiveArithmetic(op string, a, b any) any {
	if kindOf(a) == 0 || kindOf(b) == 0 {
		return nil
	}
	switch max(kindOf(a), kindOf(b)) {
	case 1, 2:
		x, y := naiveConvert[int64](a), naiveConvert[int64](b)
		if op == "/" && y == 0 {
			return nil
		}
		n := naiveOperate(op, x, y)
		if kindOf(a) == 1 && kindOf(b) == 1 {
			return int32(n)
		}
		return n
	case 3:
		return naiveOperate(op, naiveConvert[float32](a), naiveConvert[float32](b))
	}
	return naiveOperate(op, naiveConvert[float64](a), naiveConvert[float64](b))
}

func naiveOperate[T int64 | float32 | float64](op string, a, b T) T {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	return a / b
}

func naiveCompare(op string, a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	switch k := max(kindOf(a), kindOf(b)); {
	case kindOf(a) == 0 || kindOf(b) == 0:
		if fmt.Sprintf("%T", a) != fmt.Sprintf("%T", b) || a == (other{}) {
			return false
		}
		return op == "=" && a == b || op == "<>" && a != b
	case k < 3:
		return naiveRelate(op, naiveConvert[int64](a), naiveConvert[int64](b))
	case k == 3:
		return naiveRelate(op, naiveConvert[float32](a), naiveConvert[float32](b))
	}
	return naiveRelate(op, naiveConvert[float64](a), naiveConvert[float64](b))
}

func naiveRelate[T cmp.Ordered](op string, a, b T) bool {
	return map[string]bool{"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
}

// exprs makes expressions at random, and their texts.
type exprs struct{ *rand.Rand }

func pick[T any](r exprs, vs ...T) T { return vs[r.IntN(len(vs))] }

var (
	propertyNames = []string{"a", "b", "c", "d", "e", "größe", "$x"}
	texts         = []string{"", "a", "b", "ab", "aab", "a'b", "ö", "😀", "a_b", "x%"}
	literals      = []*expr{
		lit("0", int32(0)), lit("1", int32(1)), lit("2L", int64(2)), lit("0x7fffffff", int32(math.MaxInt32)),
		lit("2147483648", int64(1<<31)), lit("9223372036854775807", int64(math.MaxInt64)), lit("010", int32(8)),
		lit("1.5", 1.5), lit(".5", 0.5), lit("1e1", 10.0), lit("0.1f", float32(0.1)), lit("16777217", int32(1<<24+1)),
		lit("3.", 3.0), lit("0.", 0.0), lit("5d", 5.0), lit("5F", float32(5)), lit("0XffL", int64(255)),
	}
	patterns = []string{"", "%", "_", "a%", "%b", "a_b", "%a%", "_%_", "%a_%b", "__", "%ö", "%%", "a'%"}
)

func lit(text string, v any) *expr { return &expr{op: "value", text: text, lit: v} }

func (r exprs) value() any {
	return pick[any](r, nil, nil, true, false, pick(r, texts...), pick(r, texts...), other{},
		int32(r.IntN(5)-2), int32(math.MaxInt32), int32(math.MinInt32), int64(r.IntN(5)-2), int64(math.MaxInt64),
		int64(math.MinInt64), int64(1<<53+1), int64(1<<24+1), float32(0.1), float32(1<<24), float32(2), math.NaN(), math.Inf(1),
		math.Copysign(0, -1), 0.0, 0.1, 2.5, float64(1<<53), float32(math.Inf(-1)))
}

func (r exprs) name() *expr { return &expr{op: "name", text: pick(r, propertyNames...)} }

func (r exprs) number(depth int) *expr {
	if depth > 0 && r.IntN(3) > 0 {
		if r.IntN(4) == 0 {
			return &expr{op: pick(r, "sign+", "sign-"), args: []*expr{r.number(depth - 1)}}
		}
		return &expr{op: pick(r, "+", "-", "*", "/"), args: []*expr{r.number(depth - 1), r.number(depth - 1)}}
	}
	return pick(r, r.name(), r.name(), r.literal())
}

func (r exprs) literal() *expr {
	return pick(r, literals...)
}

func (r exprs) condition(depth int) *expr {
	if depth > 0 && r.IntN(3) > 0 {
		switch r.IntN(4) {
		case 0:
			return &expr{op: "NOT", args: []*expr{r.condition(depth - 1)}}
		case 1:
			return &expr{op: pick(r, "=", "<>"), args: []*expr{r.condition(depth - 1), r.condition(depth - 1)}}
		}
		return &expr{op: pick(r, "AND", "OR"), args: []*expr{r.condition(depth - 1), r.condition(depth - 1)}}
	}
	switch r.IntN(8) {
	case 0:
		return r.name()
	case 1:
		b := r.IntN(2) == 0
		return &expr{op: "value", text: strings.ToUpper(strconv.FormatBool(b)), lit: b}
	case 2:
		return &expr{op: pick(r, "IS NULL", "IS NOT NULL"), args: []*expr{r.name()}}
	case 3:
		x := &expr{op: pick(r, "IN", "NOT IN"), args: []*expr{r.name()}}
		for range 1 + r.IntN(7) {
			x.list = append(x.list, pick(r, texts...))
		}
		return x
	case 4:
		return &expr{op: pick(r, "LIKE", "NOT LIKE"), args: []*expr{r.name()}, list: []string{pick(r, patterns...)}}
	case 5:
		return &expr{op: pick(r, "BETWEEN", "NOT BETWEEN"), args: []*expr{r.number(depth), r.number(depth), r.number(depth)}}
	case 6:
		s := pick(r, texts...)
		lit := &expr{op: "value", text: quoteText(s), lit: s}
		args := []*expr{r.name(), lit}
		if r.IntN(2) == 0 {
			args[0], args[1] = args[1], args[0]
		}
		return &expr{op: pick(r, "=", "<>"), args: args}
	}
	return &expr{op: pick(r, "=", "<>", "<", "<=", ">", ">="), args: []*expr{r.number(depth), r.number(depth)}}
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// binds orders the operators by how tight they bind.
func (x *expr) binds() int {
	switch x.op {
	case "OR":
		return 0
	case "AND":
		return 1
	case "NOT":
		return 2
	case "=", "<>":
		return 3
	case "+", "-":
		return 5
	case "*", "/":
		return 6
	case "sign+", "sign-":
		return 7
	case "name", "value":
		return 8
	}
	return 4
}

// text writes an expression with white space, letter case and superfluous brackets at random.
func (r exprs) text(x *expr, least int) string {
	if x.binds() < least || x.op != "value" && r.IntN(8) == 0 {
		return "(" + r.text(x, 0) + r.space() + ")"
	}
	word := func(w string) string {
		ws := strings.Fields(w)
		for i := range ws {
			ws[i] = pick(r, ws[i], strings.ToLower(ws[i]))
		}
		return " " + strings.Join(ws, pick(r, " ", "\n\t")) + " "
	}
	var list []string
	for _, s := range x.list {
		list = append(list, quoteText(s)+r.space())
	}
	arg := func(i, least int) string { return r.text(x.args[i], least) + r.space() }
	switch x.op {
	case "name", "value":
		return x.text
	case "NOT":
		return word("NOT") + arg(0, 2)
	case "sign+", "sign-":
		return x.op[4:] + r.space() + arg(0, 7)
	case "AND", "OR":
		return arg(0, x.binds()) + word(x.op) + arg(1, x.binds()+1)
	case "=", "<>", "+", "-", "*", "/":
		return arg(0, x.binds()) + x.op + r.space() + arg(1, x.binds()+1)
	case "IS NULL", "IS NOT NULL":
		return arg(0, 8) + word(x.op)
	case "IN", "NOT IN":
		return arg(0, 8) + word(x.op) + "(" + strings.Join(list, ",") + ")"
	case "LIKE", "NOT LIKE":
		return arg(0, 8) + word(x.op) + list[0]
	case "BETWEEN", "NOT BETWEEN":
		return arg(0, 5) + word(x.op) + arg(1, 5) + word("AND") + arg(2, 5)
	}
	return arg(0, 5) + x.op + r.space() + arg(1, 5)
}

func (r exprs) space() string { return pick(r, "", "", " ", "\t", "\r\n") }

func ofAny(v any) Value {
	switch v := v.(type) {
	case nil:
		return OfNull()
	case bool:
		return OfBool(v)
	case int32:
		return OfInt(v)
	case int64:
		return OfLong(v)
	case float32:
		return OfFloat(v)
	case float64:
		return OfDouble(v)
	case string:
		if utf8.RuneCountInString(v) == 1 {
			r, _ := utf8.DecodeRuneInString(v)
			return OfChar(r)
		}
		if len(v)%2 == 0 {
			return OfText([]byte(v))
		}
		return OfString(v)
	}
	return OfOther()
}

// The evaluator says what the naive one says, of expressions that the parser did not make.
// So does what is printed, and printing that again changes nothing.
func TestNaive(t *testing.T) {
	r := exprs{rand.New(rand.NewPCG(17, 3))}
	got := map[Truth]int{}
	for range 20000 {
		x := r.condition(r.IntN(6))
		s := r.text(x, 0)
		e, err := Parse(s)
		require.NoError(t, err, "%q", s)
		printed := e.String()
		again, err := Parse(printed)
		require.NoError(t, err, "%q printed as %q", s, printed)
		require.Equal(t, printed, again.String(), "%q", s)
		for range 4 {
			m := map[string]any{}
			for _, n := range propertyNames {
				m[n] = r.value()
			}
			lookup := func(n Name) Value { return ofAny(m[n.Text]) }
			want := Unknown
			if v := asCondition(naive(x, m)); v != nil {
				want = truthOf(v.(bool))
			}
			truth, _ := e.Eval(lookup)
			require.Equal(t, want, truth, "%q with %v", s, m)
			truth, _ = again.Eval(lookup)
			require.Equal(t, want, truth, "%q printed as %q with %v", s, printed, m)
			got[truth]++
		}
	}
	for _, truth := range []Truth{False, Unknown, True} {
		require.Greater(t, got[truth], 10000, "%v", truth)
	}
}
