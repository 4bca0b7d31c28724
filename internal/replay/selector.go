package replay

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
)

// A selector is a JMS message selector [jms 3.8.1], of the part of that language that consumers of message groups
// are tested with: comparisons, IN, IS NULL, AND, OR, NOT and parentheses, over application properties, JMSPriority and
// JMSXGroupID; no LIKE, no BETWEEN, no arithmetic.
type selector func(m *message) truth

// A truth is one of SQL's three.
type truth int8

const (
	no truth = iota - 1
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// An operand gives a string, float64, bool, or nil for null.
type operand func(m *message) any

func parseSelector(text string) (selector, error) {
	p := &selectorParser{tokens: selectorTokens(text)}
	s := p.or()
	if p.err == nil && len(p.tokens) > 0 {
		p.err = fmt.Errorf("%q is not expected", p.tokens[0])
	}
	if p.err != nil {
		return nil, fmt.Errorf("selector %q: %w", text, p.err)
	}
	return s, nil
}

type selectorParser struct {
	tokens []string
	err    error
}

// selectorTokens cuts a selector into words, numbers, quoted strings and signs.
func selectorTokens(s string) (tokens []string) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		n := 1
		switch c := s[0]; {
		case c == '\'':
			for n < len(s) && (s[n] != '\'' || strings.HasPrefix(s[n:], "''")) {
				if s[n] == '\'' {
					n++
				}
				n++
			}
			n = min(n+1, len(s))
		case strings.HasPrefix(s, "<>"), strings.HasPrefix(s, "<="), strings.HasPrefix(s, ">="):
			n = 2
		case !strings.ContainsRune("=<>(),", rune(c)):
			if n = strings.IndexAny(s, " \t\r\n=<>(),'"); n < 0 {
				n = len(s)
			}
		}
		tokens = append(tokens, s[:n])
		s = s[n:]
	}
	return tokens
}

// accept takes the next token if it is this one; words in any case.
func (p *selectorParser) accept(token string) bool {
	if len(p.tokens) > 0 && strings.EqualFold(p.tokens[0], token) {
		p.tokens = p.tokens[1:]
		return true
	}
	return false
}

func (p *selectorParser) expect(token string) {
	if !p.accept(token) && p.err == nil {
		p.err = fmt.Errorf("%s is missing", token)
	}
}

func (p *selectorParser) or() selector {
	s := p.and()
	for p.accept("OR") {
		a, b := s, p.and()
		s = func(m *message) truth { return max(a(m), b(m)) }
	}
	return s
}

func (p *selectorParser) and() selector {
	s := p.not()
	for p.accept("AND") {
		a, b := s, p.not()
		s = func(m *message) truth { return min(a(m), b(m)) }
	}
	return s
}

func (p *selectorParser) not() selector {
	if p.accept("NOT") {
		s := p.not()
		return func(m *message) truth { return -s(m) }
	}
	if p.accept("(") {
		s := p.or()
		p.expect(")")
		return s
	}
	return p.comparison()
}

func (p *selectorParser) comparison() selector {
	a := p.operand()
	if p.accept("IS") {
		negated := p.accept("NOT")
		p.expect("NULL")
		return func(m *message) truth { return truthOf((a(m) == nil) != negated) }
	}
	negated := p.accept("NOT")
	var s selector
	switch {
	case p.accept("IN"):
		p.expect("(")
		s = equal(a, p.operand())
		for p.accept(",") {
			before, next := s, equal(a, p.operand())
			s = func(m *message) truth { return max(before(m), next(m)) }
		}
		p.expect(")")
	case !negated && len(p.tokens) > 0 && strings.ContainsAny(p.tokens[0], "=<>"):
		sign := p.tokens[0]
		p.tokens = p.tokens[1:]
		return compared(sign, a, p.operand())
	default: // a boolean
		s = equal(a, func(*message) any { return true })
	}
	if negated {
		positive := s
		s = func(m *message) truth { return -positive(m) }
	}
	return s
}

func (p *selectorParser) operand() operand {
	if len(p.tokens) == 0 {
		p.expect("an operand")
		return func(*message) any { return nil }
	}
	token := p.tokens[0]
	p.tokens = p.tokens[1:]
	if n, err := strconv.ParseFloat(token, 64); err == nil {
		return func(*message) any { return n }
	}
	switch {
	case token[0] == '\'':
		if len(token) < 2 || token[len(token)-1] != '\'' {
			p.expect("a closing quote")
		}
		text := strings.ReplaceAll(token[1:max(1, len(token)-1)], "''", "'")
		return func(*message) any { return text }
	case strings.EqualFold(token, "TRUE"), strings.EqualFold(token, "FALSE"):
		b := strings.EqualFold(token, "TRUE")
		return func(*message) any { return b }
	case strings.ContainsAny(token, "=<>(),"):
		p.expect("an operand")
	case token == "JMSPriority":
		return func(m *message) any { return float64(m.priority) }
	case strings.HasPrefix(token, "JMS") && !strings.HasPrefix(token, "JMSX") && !strings.HasPrefix(token, "JMS_"):
		if p.err == nil {
			p.err = fmt.Errorf("%s is not known here", token)
		}
	case token == "JMSXGroupID":
		return func(m *message) any {
			if m.sent.Group == nil {
				return nil
			}
			return *m.sent.Group
		}
	}
	return func(m *message) any {
		switch v := m.sent.Props[token].v.(type) {
		case amqp.Symbol:
			return string(v)
		case int8:
			return float64(v)
		case int16:
			return float64(v)
		case int32:
			return float64(v)
		case int64:
			return float64(v)
		case uint8:
			return float64(v)
		case uint16:
			return float64(v)
		case uint32:
			return float64(v)
		case uint64:
			return float64(v)
		case float32:
			return float64(v)
		case time.Time:
			return float64(v.UnixMilli())
		case string, bool, float64:
			return v
		}
		return nil
	}
}

func equal(a, b operand) selector { return compared("=", a, b) }

// compared compares two operands; of different types they are not equal, and nothing else is known [jms 3.8.1.1].
func compared(sign string, a, b operand) selector {
	return func(m *message) truth {
		x, y := a(m), b(m)
		if x == nil || y == nil {
			return unknown
		}
		if sign == "=" {
			return truthOf(x == y)
		}
		if sign == "<>" {
			return truthOf(x != y)
		}
		f, ok1 := x.(float64)
		g, ok2 := y.(float64)
		if !ok1 || !ok2 {
			return no
		}
		switch sign {
		case "<":
			return truthOf(f < g)
		case "<=":
			return truthOf(f <= g)
		case ">":
			return truthOf(f > g)
		}
		return truthOf(f >= g)
	}
}
