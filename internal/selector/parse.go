package selector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a selector.
const (
	MaxLength = 64 << 10 // in bytes
	MaxDepth  = 256      // brackets, NOT and signs that are open at once
)

// An Error says what is wrong with a selector, and where.
type Error struct {
	Offset int // in bytes
	Reason string
}

func (e *Error) Error() string { return "at byte " + strconv.Itoa(e.Offset) + ": " + e.Reason }

type nodeKind uint8

const (
	nodeName    nodeKind = iota // a: the name
	nodeNumber                  // a: the constant, b: where the literal ends
	nodeString                  // a: the string
	nodeBoolean                 // a: 1 for TRUE
	nodeArith                   // op, a, b
	nodeSign                    // op, a
	nodeCompare                 // rel, a, b
	nodeBetween                 // not, a, b, c
	nodeIn                      // not, a, strings b to c
	nodeLike                    // not, a, string b, string c or -1, pattern d
	nodeNull                    // not, a
	nodeNot                     // a
	nodeAnd                     // a, b
	nodeOr                      // a, b
)

// A typ is what is known at parse of the value of an expression.
type typ uint8

const (
	anyType typ = iota // of a name
	numberType
	stringType
	conditionType
)

func (t typ) String() string {
	return [...]string{"any", "a number", "a string", "a condition"}[t]
}

// A node is an expression.
type node struct {
	kind       nodeKind
	typ        typ
	op         byte
	rel        relation
	not        bool
	at         int32 // where its first token starts; brackets around it do not count
	a, b, c, d int32 // nodes, where nothing else is said
}

// A tree is a parsed selector.
type tree struct {
	text     string
	root     int32 // -1 if the selector is blank
	nodes    []node
	names    []Name
	numbers  []Value
	strings  []string
	patterns []*pattern
}

type parser struct {
	tree
	tok   token // the next one
	depth int
	err   *Error
	index map[string]int32 // of names, where there are many
}

// Parse parses a selector. The error is an *[Error].
func Parse(text string) (*Expr, error) {
	t, err := parse(text)
	if err != nil {
		return nil, err
	}
	return compile(t, nil), nil
}

func parse(text string) (*tree, error) {
	if len(text) > MaxLength {
		return nil, &Error{len(text), fmt.Sprintf("selector has %d bytes, more than %d", len(text), MaxLength)}
	}
	if !utf8.ValidString(text) {
		return nil, &Error{invalidAt(text), "invalid UTF-8"}
	}
	p := parser{tree: tree{text: text, root: -1}}
	p.nodes = make([]node, 0, 4+len(text)/12)
	p.advance()
	if p.tok.kind != tokenEnd {
		p.root = p.or()
		p.want(p.root, conditionType)
		if p.err == nil && p.tok.kind != tokenEnd {
			p.unexpected()
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return &p.tree, nil
}

func invalidAt(text string) int {
	for i := 0; ; {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n < 2 {
			return i
		}
		i += n
	}
}

// fail keeps the first error. The parser goes on behind it as at the end of the text.
func (p *parser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{at, fmt.Sprintf(format, args...)}
	}
	p.tok = token{kind: tokenEnd, at: len(p.text), end: len(p.text)}
}

// unexpected fails with the next token.
func (p *parser) unexpected() {
	t := p.tok
	s := p.text[t.at:max(t.at, t.end)]
	switch {
	case t.kind == tokenEnd:
		p.fail(t.at, "unexpected end")
	case t.kind == tokenBad && p.text[t.at] == '\'':
		p.fail(t.at, "string without closing quote")
	case t.kind == tokenBad && s == `"`:
		p.fail(t.at, `unexpected "\"": a string has single quotes`)
	case t.kind == tokenBad && s == "!":
		p.fail(t.at, `unexpected "!": not equal is <>`)
	case s == "*" && t.at > 0 && p.text[t.at-1] == '/':
		p.fail(t.at, `unexpected "*": there are no comments`)
	case t.kind >= tokenNull:
		p.fail(t.at, "unexpected keyword %s", strings.ToUpper(s))
	case t.kind == tokenName:
		p.fail(t.at, "unexpected name %s", quote(s))
	case t.kind == tokenNumber:
		p.fail(t.at, "unexpected number %s", cut(s))
	case t.kind == tokenString:
		p.fail(t.at, "unexpected string %s", cut(s))
	default:
		p.fail(t.at, "unexpected %s", quote(s))
	}
}

func quote(s string) string { return strconv.Quote(cut(s)) }

// cut shortens what is long in an error.
func cut(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func (p *parser) advance() { p.tok = scan(p.text, p.tok.end) }

// accept takes the next token if it is of a kind.
func (p *parser) accept(kind tokenKind) bool {
	if p.tok.kind != kind {
		return false
	}
	p.advance()
	return true
}

// expect is accept where there must be such a token.
func (p *parser) expect(kind tokenKind) {
	if !p.accept(kind) {
		p.unexpected()
	}
}

func (p *parser) add(n node) int32 {
	if p.err != nil {
		return 0
	}
	p.nodes = append(p.nodes, n)
	return int32(len(p.nodes) - 1)
}

// want fails if an expression is not of a type.
func (p *parser) want(n int32, want typ) {
	if p.err != nil {
		return
	}
	if got := p.nodes[n].typ; got != want && got != anyType {
		p.fail(int(p.nodes[n].at), "got %v, want %v or a name", got, want)
	}
}

// wantName fails if the expression left of the next token is not a name.
func (p *parser) wantName(n int32, word string) {
	if p.err == nil && p.nodes[n].kind != nodeName {
		p.fail(int(p.nodes[n].at), "only a name stands left of %s", word)
	}
}

// enter goes one level deeper with the next token, and takes it.
func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.tok.at, "more than %d brackets, NOT and signs inside one another", MaxDepth)
		return
	}
	p.advance()
}

func (p *parser) start(n int32) int32 {
	if p.err != nil {
		return 0
	}
	return p.nodes[n].at
}

func (p *parser) or() int32 {
	n := p.and()
	for p.tok.kind == tokenOr {
		n = p.join(nodeOr, n, p.and)
	}
	return n
}

func (p *parser) and() int32 {
	n := p.not()
	for p.tok.kind == tokenAnd {
		n = p.join(nodeAnd, n, p.not)
	}
	return n
}

func (p *parser) join(kind nodeKind, a int32, right func() int32) int32 {
	if p.want(a, conditionType); p.err != nil {
		return 0
	}
	p.advance()
	b := right()
	p.want(b, conditionType)
	return p.add(node{kind: kind, typ: conditionType, at: p.start(a), a: a, b: b})
}

func (p *parser) not() int32 {
	if p.tok.kind != tokenNot {
		return p.equality()
	}
	at := p.tok.at
	p.enter()
	if p.err != nil {
		return 0
	}
	a := p.not()
	p.want(a, conditionType)
	p.depth--
	return p.add(node{kind: nodeNot, typ: conditionType, at: int32(at), a: a})
}

func (p *parser) equality() int32 {
	n := p.relation()
	for p.tok.kind == tokenCompare && p.tok.rel <= unequal {
		rel := p.tok.rel
		p.advance()
		b := p.relation()
		n = p.add(node{kind: nodeCompare, typ: conditionType, rel: rel, at: p.start(n), a: n, b: b})
	}
	return n
}

func (p *parser) relation() int32 {
	n := p.sum()
	result := node{typ: conditionType, at: p.start(n), a: n}
	if before := p.tok; before.kind == tokenNot {
		p.advance()
		switch p.tok.kind {
		case tokenBetween, tokenIn, tokenLike:
			result.not = true
		default:
			p.tok = before
			p.unexpected()
			return 0
		}
	}
	switch p.tok.kind {
	case tokenCompare:
		if p.tok.rel <= unequal {
			return n
		}
		if p.want(n, numberType); p.err != nil {
			return 0
		}
		result.kind, result.rel = nodeCompare, p.tok.rel
		p.advance()
		result.b = p.operand()
	case tokenBetween:
		if p.want(n, numberType); p.err != nil {
			return 0
		}
		p.advance()
		result.kind = nodeBetween
		result.b = p.operand()
		p.expect(tokenAnd)
		if p.err != nil {
			return 0
		}
		result.c = p.operand()
	case tokenIn:
		if p.wantName(n, "IN"); p.err != nil {
			return 0
		}
		p.advance()
		result.kind = nodeIn
		p.expect(tokenLeft)
		result.b = p.string()
		for p.accept(tokenComma) {
			p.string()
		}
		result.c = int32(len(p.strings))
		p.expect(tokenRight)
	case tokenLike:
		if p.wantName(n, "LIKE"); p.err != nil {
			return 0
		}
		p.advance()
		p.like(&result)
	case tokenIs:
		if p.wantName(n, "IS"); p.err != nil {
			return 0
		}
		p.advance()
		result.kind = nodeNull
		result.not = p.accept(tokenNot)
		p.expect(tokenNull)
	default:
		return n
	}
	return p.add(result)
}

// operand is a sum that must be a number.
func (p *parser) operand() int32 {
	n := p.sum()
	p.want(n, numberType)
	return n
}

func (p *parser) like(result *node) {
	at := p.tok.at
	result.kind, result.c = nodeLike, -1
	result.b = p.string()
	escape := rune(-1)
	if p.tok.kind == tokenEscape {
		p.advance()
		at := p.tok.at
		if result.c = p.string(); p.err != nil {
			return
		}
		s := p.strings[result.c]
		r, n := utf8.DecodeRuneInString(s)
		if n == 0 || n != len(s) {
			p.fail(at, "ESCAPE takes one character")
			return
		}
		escape = r
	}
	if p.err != nil {
		return
	}
	pattern, err := newPattern(p.strings[result.b], escape)
	if err != nil {
		p.fail(at, "%v: only _, %% and itself may follow it", err)
		return
	}
	result.d = int32(len(p.patterns))
	p.patterns = append(p.patterns, pattern)
}

// string takes a string and returns its index.
func (p *parser) string() int32 {
	if p.tok.kind != tokenString {
		p.unexpected()
		return 0
	}
	s := p.text[p.tok.at+1 : p.tok.end-1]
	if strings.Contains(s, "''") {
		s = strings.ReplaceAll(s, "''", "'")
	}
	p.strings = append(p.strings, s)
	p.advance()
	return int32(len(p.strings) - 1)
}

func (p *parser) sum() int32 {
	n := p.product()
	for p.tok.kind == tokenSign {
		n = p.calculation(n, p.product)
	}
	return n
}

func (p *parser) product() int32 {
	n := p.factor()
	for p.tok.kind == tokenTimes {
		n = p.calculation(n, p.factor)
	}
	return n
}

func (p *parser) factor() int32 { return p.unary(false) }

func (p *parser) calculation(a int32, right func() int32) int32 {
	if p.want(a, numberType); p.err != nil {
		return 0
	}
	op := p.text[p.tok.at]
	p.advance()
	b := right()
	p.want(b, numberType)
	return p.add(node{kind: nodeArith, typ: numberType, op: op, at: p.start(a), a: a, b: b})
}

func (p *parser) unary(afterMinus bool) int32 {
	if p.tok.kind != tokenSign {
		return p.primary(afterMinus)
	}
	at, op := p.tok.at, p.text[p.tok.at]
	p.enter()
	if p.err != nil {
		return 0
	}
	a := p.unary(op == '-')
	p.want(a, numberType)
	p.depth--
	return p.add(node{kind: nodeSign, typ: numberType, op: op, at: int32(at), a: a})
}

func (p *parser) primary(afterMinus bool) int32 {
	t := p.tok
	n := node{at: int32(t.at)}
	switch t.kind {
	case tokenLeft:
		p.enter()
		if p.err != nil {
			return 0
		}
		n := p.or()
		p.expect(tokenRight)
		p.depth--
		return n
	case tokenName:
		n.kind, n.a = nodeName, p.name(p.text[t.at:t.end])
		p.advance()
	case tokenNumber:
		v, wrong := number(p.text[t.at:t.end], afterMinus)
		if wrong != "" {
			p.fail(t.at, "number %s: %s", cut(p.text[t.at:t.end]), wrong)
			return 0
		}
		n.kind, n.typ, n.a, n.b = nodeNumber, numberType, int32(len(p.numbers)), int32(t.end)
		p.numbers = append(p.numbers, v)
		p.advance()
	case tokenString:
		n.kind, n.typ, n.a = nodeString, stringType, p.string()
	case tokenTrue, tokenFalse:
		n.kind, n.typ = nodeBoolean, conditionType
		if t.kind == tokenTrue {
			n.a = 1
		}
		p.advance()
	default:
		p.unexpected()
	}
	return p.add(n)
}

// name returns the index of a name, which is the next token.
func (p *parser) name(text string) int32 {
	field, ok := fieldOf(text)
	if !ok {
		p.fail(p.tok.at, "%s cannot be selected on", cut(text))
		return 0
	}
	if p.index == nil {
		if i := slices.IndexFunc(p.names, func(n Name) bool { return n.Text == text }); i >= 0 {
			return int32(i)
		}
		if len(p.names) == manyNames {
			p.index = make(map[string]int32)
			for i, n := range p.names {
				p.index[n.Text] = int32(i)
			}
		}
	} else if i, ok := p.index[text]; ok {
		return i
	}
	i := int32(len(p.names))
	if p.index != nil {
		p.index[text] = i
	}
	p.names = append(p.names, Name{text, field})
	return i
}
