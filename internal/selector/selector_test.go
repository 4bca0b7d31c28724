package selector

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-b113d664/amqpjms/internal/wire"
	"github.com/stretchr/testify/require"
)

func mustParse(t testing.TB, text string) *Expr {
	t.Helper()
	e, err := Parse(text)
	require.NoError(t, err)
	return e
}

func never(n Name) Value { panic("asked for " + n.Text) }

// All the same, whatever the name.
func always(v Value) func(Name) Value { return func(Name) Value { return v } }

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a = = 5", `at byte 4: unexpected "="`},
		{"a = 5 AND b < c LIKE 'x'", `at byte 16: unexpected keyword LIKE`},
		{"a = ", "at byte 4: unexpected end"},
		{"a b", `at byte 2: unexpected name "b"`},
		{"a 'b'", `at byte 2: unexpected string 'b'`},
		{"a 5.", `at byte 2: unexpected number 5.`},
		{"a\u00a0= 5", `at byte 1: unexpected "\u00a0"`},
		{"a = 'b", "at byte 4: string without closing quote"},
		{`"a" = 5`, `at byte 0: unexpected "\"": a string has single quotes`},
		{"a != 5", `at byte 2: unexpected "!": not equal is <>`},
		{"a /* b */ = 5", `at byte 3: unexpected "*": there are no comments`},
		{"a = 08", "at byte 4: number 08: starts with 0, so it is octal"},
		{"a = 9223372036854775808", "at byte 4: number 9223372036854775808: out of range of long"},
		{"a = 1e400", "at byte 4: number 1e400: out of range of double"},
		{"a = 1e39f", "at byte 4: number 1e39f: out of range of float"},
		{"JMSExpiration > 0", "at byte 0: JMSExpiration cannot be selected on"},
		{"a AND 5", "at byte 6: got a number, want a condition or a name"},
		{"a > 'b'", "at byte 4: got a string, want a number or a name"},
		{"a + TRUE = 5", "at byte 4: got a condition, want a number or a name"},
		{"'a' LIKE 'b'", "at byte 0: only a name stands left of LIKE"},
		{"(a + 1) IN ('b')", "at byte 1: only a name stands left of IN"},
		{"a > 1 IS NULL", "at byte 6: unexpected keyword IS"},
		{"a LIKE 'b!c' ESCAPE '!'", "at byte 7: the escape character escapes nothing: only _, % and itself may follow it"},
		{"a LIKE 'b' ESCAPE 'xy'", "at byte 18: ESCAPE takes one character"},
		{"a = 'b\xff'", "at byte 6: invalid UTF-8"},
		{"a " + strings.Repeat("b", 100), `at byte 2: unexpected name "` + strings.Repeat("b", 40) + `…"`},
		{"a '" + strings.Repeat("ö", 100) + "'", "at byte 2: unexpected string '" + strings.Repeat("ö", 19) + "…"},
		{strings.Repeat(" ", 65537), "at byte 65537: selector has 65537 bytes, more than 65536"},
		{strings.Repeat("(", 257), "at byte 256: more than 256 brackets, NOT and signs inside one another"},
	} {
		e, err := Parse(c.text)
		require.Nil(t, e, "%q", c.text)
		require.EqualError(t, err, c.want, "%q", c.text)
		require.IsType(t, &Error{}, err)
	}
}

// Literals, by the value that they have and its type.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		lit  string
		want Value
	}{
		{"0", OfInt(0)},
		{"00", OfInt(0)},
		{"017", OfInt(15)},
		{"017L", OfLong(15)},
		{"2147483647", OfInt(1<<31 - 1)},
		{"2147483648", OfLong(1 << 31)},
		{"1l", OfLong(1)},
		{"0xfL", OfLong(15)},
		{"0Xffffffff", OfLong(1<<32 - 1)},
		{"0x1d", OfInt(29)},
		{"0x7fffffffffffffff", OfLong(1<<63 - 1)},
		{"0777777777777777777777", OfLong(1<<63 - 1)},
		{"0f", OfFloat(0)},
		{"08f", OfFloat(8)},
		{"09.5", OfDouble(9.5)},
		{"08e1", OfDouble(80)},
		{"5d", OfDouble(5)},
		{"5.", OfDouble(5)},
		{"5.D", OfDouble(5)},
		{".5F", OfFloat(0.5)},
		{"1.e3", OfDouble(1000)},
		{"1e-400", OfDouble(0)},
		{"1e-50f", OfFloat(0)},
		{"3.4028235e38f", OfFloat(3.4028235e38)},
		{"1e00000000000000000001", OfDouble(10)},
		{"0e99999999999999999999", OfDouble(0)},
		{"1e-99999999999999999999", OfDouble(0)},
		{"0." + strings.Repeat("0", 20000) + "1e20001", OfDouble(1)},
		{"0." + strings.Repeat("0", 60000) + "1e60001", OfDouble(1)},
		{"1" + strings.Repeat("0", 60000) + "e-60000", OfDouble(1)},
		{"1" + strings.Repeat("0", 400) + "e-400", OfDouble(1)},
		{"1.0000000000000001110223024625156540423631668090820312" + "5" + strings.Repeat("0", 5000), OfDouble(1)}, // half way, to even
		{"1.0000000000000001110223024625156540423631668090820312" + "5" + strings.Repeat("0", 5000) + "1", OfDouble(1 + 0x1p-52)},
	} {
		require.Equal(t, len(c.lit), scanNumber(c.lit, 0), "%.40s", c.lit)
		got, wrong := number(c.lit, false)
		require.Empty(t, wrong, "%.40s", c.lit)
		require.Equal(t, c.want, got, "%.40s", c.lit)
	}
	for _, lit := range []string{"9223372036854775808", "0x8000000000000000", "01000000000000000000000", "1e309", "1e39f",
		"0." + strings.Repeat("0", 20000) + "1e100000", "1e99999999999999999999", "08", "019L",
		"1" + strings.Repeat("0", 400) + "."} {
		_, wrong := number(lit, false)
		require.NotEmpty(t, wrong, "%.40s", lit)
	}
	// The least long has a form of its own, straight behind its minus.
	for _, s := range []string{"a = -9223372036854775808", "a = - 9223372036854775808L", "a = --9223372036854775808"} {
		truth, _ := mustParse(t, s).Eval(always(OfLong(-1 << 63)))
		require.Equal(t, True, truth, s)
	}
	for _, s := range []string{"a = -(9223372036854775808)", "a = -+9223372036854775808", "a = 0 - 9223372036854775808",
		"a = -0x8000000000000000", "a = +9223372036854775808", "a = -9223372036854775809"} {
		_, err := Parse(s)
		require.ErrorContains(t, err, "out of range of long", s)
	}
}

// Numbers compare as Java promotes them: long with double loses digits, long with long none.
func TestPromotion(t *testing.T) {
	for _, c := range []struct {
		text string
		a    Value
		want Truth
	}{
		{"a = 9007199254740992", OfLong(1<<53 + 1), False},
		{"a = 9007199254740992.", OfLong(1<<53 + 1), True}, // both are doubles
		{"a > 9007199254740992.", OfLong(1<<53 + 1), False},
		{"a = 9007199254740993", OfDouble(1 << 53), True},
		{"a = 9223372036854775807", OfDouble(1 << 63), True},
		{"a < 9223372036854775807", OfLong(1<<63 - 2), True},
		{"a = 9.223372036854775807e18", OfLong(1<<63 - 2), True},
		{"a = 16777217", OfFloat(1 << 24), True},        // both are floats
		{"a = 16777217.", OfFloat(1 << 24), False},      // both are doubles
		{"a = 1.6777217e7f", OfInt(1<<24 + 1), True},    //
		{"a + 1 = -2147483648", OfInt(1<<31 - 1), True}, // int wraps
		{"a + 1L = 2147483648", OfInt(1<<31 - 1), True},
		{"a / -1 = a", OfInt(-1 << 31), True},
		{"a / -1 = a", OfLong(-1 << 63), True},
		{"a / 0 = 1 OR TRUE", OfLong(1), True},
		{"a / 0 = 1", OfLong(1), Unknown},
		{"a / 0L = 1", OfInt(1), Unknown},
		{"1 / 0. > a", OfInt(1), True},
		{"-a = -0.0 AND 1 / -a < 0", OfDouble(0), True},
	} {
		got, _ := mustParse(t, c.text).Eval(always(c.a))
		require.Equal(t, c.want, got, "%q", c.text)
	}
}

func TestBlankSelectsAll(t *testing.T) {
	for _, e := range []*Expr{{}, mustParse(t, ""), mustParse(t, " \t\r\n\f")} {
		truth, broken := e.Eval(never)
		require.Equal(t, True, truth)
		require.Equal(t, -1, broken)
		require.Equal(t, "", e.String())
		require.Empty(t, e.Conditions())
		require.Zero(t, e.Names())
	}
	require.Equal(t, "", (&Expr{}).Text())
	require.Equal(t, " ", mustParse(t, " ").Text())
}

// Names are asked for from left to right, each once, and only where the selector is not
// decided without them. One that is Broken ends it.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		text, asked string
		broken      string
		want        Truth
	}{
		{"a > 1 AND b = 2", "a b", "", Unknown},
		{"a > 1 OR b = 2", "a", "", True},
		{"a < 1 AND b = 2", "a", "", False},
		{"a < 1 AND b = 2", "a", "b", False},
		{"a > 1 AND b = 2", "a b", "b", Unknown},
		{"NOT (a > 1 OR b = 2)", "a", "b", False},
		{"NOT (a < 1 AND b = 2)", "a", "b", True},
		{"n = 1 AND b = 2", "n b", "b", Unknown}, // unknown does not decide
		{"n = 1 OR b = 2", "n b", "b", Unknown},
		{"b = 1 OR TRUE", "b", "b", Unknown},
		{"TRUE OR b = 1", "", "b", True},
		{"a = b + c", "a b c", "", Unknown},
		{"a = b + c", "a", "a", Unknown},
		{"a = (b = c)", "a b c", "c", Unknown},
		{"a + (b + c) * d > e", "a b c d e", "", Unknown},
		{"a BETWEEN b AND c", "a b c", "", Unknown},
		{"a BETWEEN 100 AND c", "a", "c", False},
		{"a NOT BETWEEN 100 AND c", "a", "c", True},
		{"a BETWEEN b + c AND 1", "a", "a", Unknown},
		{"a > 1 AND a > 2 AND JMSType IS NULL AND a > 3", "a JMSType", "", False},
		{"b IS NULL", "b", "b", Unknown},
		{"b IN ('x')", "b", "b", Unknown},
		{"b LIKE 'x'", "b", "b", Unknown},
		{"b", "b", "b", Unknown},
		{"-b = 1", "b", "b", Unknown},
		{"(n = 1 AND a < 1) = (n = 1 OR a > 1)", "n a", "", False},
	} {
		var asked []string
		e := mustParse(t, c.text)
		got, broken := e.Eval(func(n Name) Value {
			asked = append(asked, n.Text)
			switch n.Text {
			case c.broken:
				return OfBroken()
			case "n", "b":
				return Value{} // is null
			}
			return OfInt(7)
		})
		require.Equal(t, c.asked, strings.Join(asked, " "), c.text)
		require.Equal(t, c.want, got, c.text)
		if c.broken != "" && c.want == Unknown && strings.Contains(" "+c.asked+" ", " "+c.broken+" ") {
			require.Equal(t, c.broken, e.Name(broken).Text, c.text)
		} else {
			require.Equal(t, -1, broken, c.text)
		}
	}
}

func TestNames(t *testing.T) {
	e := mustParse(t, "a = 1 AND JMSPriority > 4 AND (a = 2 OR JMSX_me = JMS_AMQP_TTL)")
	require.Equal(t, []Name{{"a", Property}, {"JMSPriority", JMSPriority}, {"JMSX_me", Property}, {"JMS_AMQP_TTL", TTL}}, e.names)
	require.Equal(t, 4, e.Names())
}

func TestConditions(t *testing.T) {
	e := mustParse(t, "NOT (a = 1 OR ((b LIKE 'x'))) and not c and (d > 1) = TRUE")
	var texts []string
	for _, c := range e.Conditions() {
		texts = append(texts, c.String())
		require.Equal(t, e.Names(), c.Names())
	}
	require.Equal(t, []string{"a = 1", "b LIKE 'x'", "c", "d > 1 = TRUE"}, texts)
	for i, want := range []Truth{True, False, False, True} {
		got, _ := e.Conditions()[i].Eval(func(n Name) Value { return OfInt(map[string]int32{"a": 1, "d": 2}[n.Text]) })
		require.Equal(t, want, got, "%d", i)
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"((a=1))or(b>2)AND not(c)", "a = 1 OR b > 2 AND NOT c"},
		{"(a OR b) AND (c AND (d AND e))", "(a OR b) AND (c AND (d AND e))"},
		{"NOT (a OR b)", "NOT (a OR b)"},
		{"(a = b) = (c = d)", "a = b = (c = d)"},
		{"(a < b) <> (c AND d)", "a < b <> (c AND d)"},
		{"a-(b-c)*-(d+ -5)>0X1fL", "a - (b - c) * -(d + -5) > 0X1fL"},
		{"((a+b))*c=- -1", "(a + b) * c = --1"},
		{"(a) not between b+1 AND(c)", "a NOT BETWEEN b + 1 AND c"},
		{"(a) NOT IN('x','it''s')", "a NOT IN ('x', 'it''s')"},
		{"a is not null", "a IS NOT NULL"},
		{"a like 'x!%' escape '!'", "a LIKE 'x!%' ESCAPE '!'"},
		{"a=-9223372036854775808", "a = -9223372036854775808"},
		{"true = False", "TRUE = FALSE"},
		{"a/b/c/(d/e)=1", "a / b / c / (d / e) = 1"},
	} {
		e := mustParse(t, c.text)
		require.Equal(t, c.want, e.String())
		require.Equal(t, c.text, e.Text())
		require.Equal(t, c.want, mustParse(t, c.want).String())
	}
	long := strings.Repeat("a=1OR ", MaxLength/6) + "b=1"
	require.Equal(t, long, mustParse(t, long).String())
}

// Text of any kind compares, matches and is found as the string that it is.
func TestTexts(t *testing.T) {
	uuid := []byte{0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0}
	for _, c := range []struct {
		v    Value
		text string
	}{
		{OfString("ab"), "ab"},
		{OfText([]byte("ab")), "ab"},
		{OfString(""), ""},
		{OfText([]byte{}), ""},
		{OfText(nil), ""},
		{OfChar('ö'), "ö"},
		{OfUUID(uuid), "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"},
	} {
		for _, s := range []string{"a = 'X'", "'X' = a", "NOT (a <> 'X')", "a = b", "b = a", "a LIKE 'X'", "a LIKE '%X'",
			"a LIKE 'X%'", "a IN ('X')", "a IN ('1', '2', '3', '4', '5', 'X')", "a NOT IN ('1')", "a NOT LIKE 'x_'", "a IS NOT NULL", "NOT a"} {
			s = strings.ReplaceAll(s, "X", c.text)
			for _, b := range []Value{c.v, OfString(c.text), OfText([]byte(c.text))} {
				got, _ := mustParse(t, s).Eval(func(n Name) Value {
					if n.Text == "b" {
						return b
					}
					return c.v
				})
				require.Equal(t, True, got, "%q with %v", s, c.v)
			}
		}
	}
	require.Equal(t, Broken, OfUUID(uuid[:15]).Kind())
	require.Equal(t, Null, Value{}.Kind())
	require.Equal(t, Long, OfUlong(1<<63-1).Kind())
	require.Equal(t, Other, OfUlong(1<<63).Kind())
}

// Strings by name need not be UTF-8.
func TestLikeInvalidUTF8(t *testing.T) {
	for _, s := range []string{"\xff", "a\xffb", "\xf0\x9f", "ab\xe2\x82", "\x80\x80\x80\x80\x80"} {
		for _, p := range []string{"%", "%_%", "_%_", "%a%_", "__", "_"} {
			e := mustParse(t, "a LIKE '"+p+"'")
			a, _ := e.Eval(always(OfString(s)))
			b, _ := e.Eval(always(OfText([]byte(s))))
			want := truthOf(naiveLike([]rune(p), []rune(s)))
			require.Equal(t, want, a, "%q LIKE %s", s, p)
			require.Equal(t, want, b, "%q LIKE %s", s, p)
		}
	}
}

// properties returns a map of application properties.
func properties(pairs ...any) []byte {
	var b []byte
	for _, p := range pairs {
		switch p := p.(type) {
		case string:
			b = append(append(b, 0xa1, byte(len(p))), p...)
		case []byte:
			b = append(b, p...)
		}
	}
	return append([]byte{0xd1, 0, 0, byte((len(b) + 4) >> 8), byte(len(b) + 4), 0, 0, 0, byte(len(pairs))}, b...)
}

func run(e *Expr, m []byte) (Truth, int) {
	var f Frame
	for n := e.Run(&f); n >= 0; n = e.Run(&f) {
		e.SetProperties(&f, wire.NewReader(m))
	}
	return f.Truth(), f.Broken()
}

// What is wrong in the map of properties breaks the names that come behind it, or the one
// that it is the value of.
func TestBrokenProperties(t *testing.T) {
	badText := []byte{0xa1, 1, 0xff}
	for _, c := range []struct {
		what   string
		m      []byte
		text   string
		want   Truth
		broken string
	}{
		{"sound", properties("a", "x", "b", "y"), "a = 'x' AND b = 'y' AND c IS NULL", True, ""},
		{"the first of two", properties("a", "x", "a", "y"), "a = 'x' AND b IS NULL", True, ""},
		{"the value of another", properties("c", badText, "a", "x"), "a = 'x'", True, ""},
		{"its value", properties("a", badText, "b", "x"), "a = 'x'", Unknown, "a"},
		{"its value, behind one that is sound", properties("a", badText, "b", "x"), "b = 'x' AND a = 'x'", Unknown, "a"},
		{"its value, where it is decided without", properties("a", badText, "b", "x"), "b = 'x' OR a = 'x'", True, ""},
		{"a key that is no string", properties("a", "x", []byte{0x54, 1}, "y", "b", "x"), "a = 'x'", True, ""},
		{"a key that is no string, before it", properties("a", "x", []byte{0x54, 1}, "y", "b", "x"), "b = 'x'", Unknown, "b"},
		{"cut off behind it", properties("a", "x", "b", "y")[:14], "a = 'x'", Unknown, "a"}, // no map at all
		{"cut off in a value", properties("a", "x", "b", []byte{0xa1, 9}), "a = 'x' AND b IS NULL", Unknown, "b"},
		{"cut off in its value", properties("b", []byte{0xa1, 9}), "b = 'x' OR c = 'x'", Unknown, "b"},
		{"bytes left over", append(properties("a", "x")[:4], append([]byte{11, 0, 0, 0, 2}, append(properties("a", "x")[9:], 0x40)...)...), "b IS NULL", Unknown, "b"},
		{"no map", []byte{0x45}, "a IS NULL", Unknown, "a"},
		{"nothing", nil, "a IS NULL", Unknown, "a"},
		{"a uuid cut off", properties("a", []byte{0x98, 1, 2}), "a IS NULL", Unknown, "a"},
		{"an undefined code", properties("a", []byte{0x3f}), "a IS NULL", Unknown, "a"},
		{"a described value", properties("a", []byte{0, 0x53, 1, 0x40}), "a IS NOT NULL AND a <> 1 OR a IS NOT NULL", True, ""},
	} {
		e := mustParse(t, c.text)
		got, broken := run(e, c.m)
		require.Equal(t, c.want, got, c.what)
		if c.broken == "" {
			require.Equal(t, -1, broken, c.what)
		} else {
			require.Equal(t, c.broken, e.Name(broken).Text, c.what)
		}
	}
}

// Of many names each is found in one walk.
func TestManyProperties(t *testing.T) {
	var parts []string
	var pairs []any
	for i := range 60 {
		parts = append(parts, fmt.Sprintf("p%d = 'v%d'", i, i))
		pairs = append(pairs, fmt.Sprintf("p%d", 59-i), fmt.Sprintf("v%d", 59-i))
	}
	e := mustParse(t, strings.Join(parts, " AND "))
	got, _ := run(e, properties(pairs...))
	require.Equal(t, True, got)
	got, _ = run(e, properties(pairs[:10]...))
	require.Equal(t, Unknown, got)
	require.Len(t, e.Conditions(), 60)
	got, _ = run(e.Conditions()[59], properties(pairs...))
	require.Equal(t, True, got)
}

// A selector may be used by several goroutines at once.
func TestConcurrent(t *testing.T) {
	e := mustParse(t, "a+(a+(a+(a+(a+(a+(a+(a+a)))))))=9 AND s IN ('1','2','3','4','5')")
	var wg sync.WaitGroup
	var wrong [4]int
	for i := range wrong {
		wg.Go(func() {
			for range 1000 {
				got, _ := e.Eval(func(n Name) Value {
					if n.Text == "s" {
						return OfString(fmt.Sprint(i))
					}
					return OfInt(1)
				})
				if got != truthOf(i > 0) {
					wrong[i]++
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, [4]int{}, wrong)
}

// hostile are selectors that are as long, deep or repetitive as they may be.
func hostile() map[string]string {
	fill := func(start, part, end string) string {
		return start + strings.Repeat(part, (MaxLength-len(start)-len(end))/len(part)) + end
	}
	return map[string]string{
		"sums":        fill("", "a+", "a=1"),
		"products":    fill("1=", "a*", "a"),
		"comparisons": fill("", "a=", "a"),
		"ands":        fill("", "a AND ", "a"),
		"ors":         fill("", "a OR ", "a"),
		"nots":        strings.Repeat("NOT ", 256) + "a",
		"brackets":    strings.Repeat("(", 256) + "a" + strings.Repeat(")", 256),
		"signs":       "a=" + strings.Repeat("-", 256) + "a",
		"nested":      strings.Repeat("a OR a AND (", 256) + "a" + strings.Repeat(")", 256),
		"right sums":  "a=" + strings.Repeat("a+(", 256) + "a" + strings.Repeat(")", 256),
		"right equal": strings.Repeat("(a AND a OR a)=(a=(", 128) + "a" + strings.Repeat("))", 128),
		"betweens":    fill("", "a BETWEEN 1 AND 2 AND ", "a"),
		"list":        fill("a IN (", "'x',", "'x')"),
		"names":       fillNumbered("n%d=1 OR ", "a"),
		"list of all": fillNumbered("a IN ('%d') OR ", "a"),
		"likes":       fill("", "a LIKE '%x%x' OR ", "a"),
		"pattern":     fill("a LIKE '", "%x", "%y'"),
		"underscores": fill("a LIKE '%", "_", "'"),
		"digits":      fill("a=", "1", "e-65500"),
		"zeros":       fill("a=0.", "0", "1e65000"),
	}
}

func fillNumbered(part, end string) string {
	var b strings.Builder
	for i := 0; b.Len()+len(part)+4+len(end) <= MaxLength; i++ {
		fmt.Fprintf(&b, part, i)
	}
	return b.String() + end
}

// The longest selectors take no more than a moment, and memory in proportion.
func TestHostile(t *testing.T) {
	value := OfString(strings.Repeat("x", 300))
	for name, s := range hostile() {
		require.LessOrEqual(t, len(s), MaxLength, name)
		start := time.Now()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		e := mustParse(t, s)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(300*len(s)+10000), name)
		for _, v := range []Value{value, OfInt(1), OfNull()} {
			_, broken := e.Eval(always(v))
			require.Equal(t, -1, broken, name)
		}
		again := mustParse(t, e.String())
		require.Equal(t, e.String(), again.String(), name)
		require.NotEmpty(t, e.Conditions(), name)
		require.Less(t, time.Since(start), 2*time.Second, name)
	}
}

// LIKE takes pattern times text steps, however many % there are.
func TestLikeDoesNotBacktrack(t *testing.T) {
	x := strings.Repeat("x", 1<<16)
	for _, p := range []string{"%x%x%x%y", strings.Repeat("%x", 100) + "%y", strings.Repeat("%_x", 100) + "y",
		"%" + strings.Repeat("x", 1000) + "y%", "%" + strings.Repeat("x_", 100) + "y%"} {
		e := mustParse(t, "a LIKE '"+p+"'")
		start := time.Now()
		got, _ := e.Eval(always(OfString(x)))
		require.Equal(t, False, got)
		got, _ = e.Eval(always(OfText([]byte(x))))
		require.Equal(t, False, got)
		require.Less(t, time.Since(start), 2*time.Second, "%.20s", p)
	}
}

func TestEvalAllocatesNothing(t *testing.T) {
	uuid := append([]byte{0x98}, bytes.Repeat([]byte{0xab}, 16)...)
	m := properties("color", "red", "weight", []byte{0x71, 0, 0, 10, 0}, "u", uuid, "c", []byte{0x73, 0, 0, 0, 'x'}, "s", "a😀b and more of it, longer than what fits into a small buffer")
	for _, s := range append(typical(), "u = 'x' OR u LIKE 'ab%' AND u IN ('a', 'b')", "c = 'x' AND c IN ('1','2','3','4','5')",
		"s LIKE '%_b%' AND s LIKE '%more%' AND s LIKE '_____%____'", "a+(a+(a+(a+(a+(a+(a+(a+a)))))))=9", "s IN ('1','2','3','4','5')",
		"weight * 2 + 1 BETWEEN 1 AND 1.5 OR -weight > 1", "(color = 'red') = (weight > 1)", "missing = 1") {
		e := mustParse(t, s)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			var f Frame
			for n := e.Run(&f); n >= 0; n = e.Run(&f) {
				if e.Name(n).Field == Property {
					e.SetProperties(&f, wire.NewReader(m))
				} else {
					e.Set(&f, n, OfText(m[10:12]))
				}
			}
		}), s)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			e.Eval(func(n Name) Value { return OfString(n.Text) })
		}), s)
	}
}
