package selector

import (
	"slices"
	"strings"
)

// Text returns the selector as it was given.
func (e *Expr) Text() string {
	if e.tree == nil {
		return ""
	}
	return e.tree.text
}

// String returns the selector in one spelling: keywords in upper case, one space around
// operators, no brackets that the grammar does not need. It means the same. Where that would be longer
// than a selector may be, it is as it was given.
func (e *Expr) String() string {
	if e.tree == nil || e.tree.root < 0 {
		return ""
	}
	p := printer{tree: e.tree}
	p.print(e.tree.root, precedenceOr)
	if p.b.Len() > MaxLength {
		return e.tree.text
	}
	return p.b.String()
}

// Conditions returns the conditions that AND, OR and NOT join, from left to right, each as
// a selector of its own. The numbers of their names are those of e.
func (e *Expr) Conditions() []*Expr {
	if e.tree == nil || e.tree.root < 0 {
		return nil
	}
	var es []*Expr
	e.tree.leaves(e.tree.root, func(n int32) {
		t := *e.tree
		t.root = n
		es = append(es, compile(&t, e))
	})
	return es
}

// leaves calls f for each part of AND, OR and NOT.
func (t *tree) leaves(n int32, f func(int32)) {
	for t.nodes[n].kind == nodeNot {
		n = t.nodes[n].a
	}
	kind := t.nodes[n].kind
	if kind != nodeAnd && kind != nodeOr {
		f(n)
		return
	}
	var right []int32
	for ; t.nodes[n].kind == kind; n = t.nodes[n].a {
		right = append(right, t.nodes[n].b)
	}
	t.leaves(n, f)
	for _, n := range slices.Backward(right) {
		t.leaves(n, f)
	}
}

// Precedences: each level of the grammar takes the one below as operand.
const (
	precedenceOr = iota
	precedenceAnd
	precedenceNot
	precedenceEquality
	precedenceRelation
	precedenceSum
	precedenceProduct
	precedenceUnary
	precedencePrimary
)

func (x *node) precedence() int {
	switch x.kind {
	case nodeOr:
		return precedenceOr
	case nodeAnd:
		return precedenceAnd
	case nodeNot:
		return precedenceNot
	case nodeCompare:
		if x.rel <= unequal {
			return precedenceEquality
		}
		return precedenceRelation
	case nodeBetween, nodeIn, nodeLike, nodeNull:
		return precedenceRelation
	case nodeArith:
		if x.op == '+' || x.op == '-' {
			return precedenceSum
		}
		return precedenceProduct
	case nodeSign:
		return precedenceUnary
	}
	return precedencePrimary
}

// operator returns what stands between the two operands of a node, "" if it is another.
func (x *node) operator() string {
	switch x.kind {
	case nodeOr:
		return " OR "
	case nodeAnd:
		return " AND "
	case nodeCompare:
		return [...]string{" = ", " <> ", " < ", " <= ", " > ", " >= "}[x.rel]
	case nodeArith:
		return " " + string(rune(x.op)) + " "
	}
	return ""
}

type printer struct {
	*tree
	b strings.Builder
}

// print writes an expression, in brackets if it binds looser than least.
func (p *printer) print(n int32, least int) {
	x := &p.nodes[n]
	if x.precedence() < least {
		p.b.WriteByte('(')
		p.print(n, precedenceOr)
		p.b.WriteByte(')')
		return
	}
	if x.operator() != "" {
		p.chain(n)
		return
	}
	switch x.kind {
	case nodeName:
		p.b.WriteString(p.names[x.a].Text)
	case nodeNumber:
		p.b.WriteString(p.text[x.at:x.b])
	case nodeString:
		p.quoted(x.a)
	case nodeBoolean:
		p.b.WriteString([...]string{"FALSE", "TRUE"}[x.a])
	case nodeNot:
		p.b.WriteString("NOT ")
		p.print(x.a, precedenceNot)
	case nodeSign:
		p.b.WriteByte(x.op)
		p.print(x.a, precedenceUnary)
	case nodeBetween:
		p.print(x.a, precedenceSum)
		p.word(x, " BETWEEN ")
		p.print(x.b, precedenceSum)
		p.b.WriteString(" AND ")
		p.print(x.c, precedenceSum)
	case nodeIn:
		p.print(x.a, precedencePrimary)
		p.word(x, " IN (")
		for i := x.b; i < x.c; i++ {
			if i > x.b {
				p.b.WriteString(", ")
			}
			p.quoted(i)
		}
		p.b.WriteByte(')')
	case nodeLike:
		p.print(x.a, precedencePrimary)
		p.word(x, " LIKE ")
		p.quoted(x.b)
		if x.c >= 0 {
			p.b.WriteString(" ESCAPE ")
			p.quoted(x.c)
		}
	case nodeNull:
		p.print(x.a, precedencePrimary)
		p.b.WriteString(" IS")
		p.word(x, " NULL")
	}
}

// chain writes an operator and what it joins. What is left of it may be as deep as it is
// long.
func (p *printer) chain(n int32) {
	var above []int32
	for x := &p.nodes[n]; x.operator() != ""; x = &p.nodes[n] {
		above = append(above, n)
		n = x.a
		if p.nodes[n].precedence() < x.left() {
			break
		}
	}
	p.print(n, p.nodes[above[len(above)-1]].left())
	for _, n := range slices.Backward(above) {
		x := &p.nodes[n]
		p.b.WriteString(x.operator())
		p.print(x.b, x.precedence()+1)
	}
}

// left returns what may stand left of an operator without brackets: the same operator too,
// except where the grammar takes it once.
func (x *node) left() int {
	if x.precedence() == precedenceRelation {
		return precedenceSum
	}
	return x.precedence()
}

func (p *printer) word(x *node, word string) {
	if x.not {
		p.b.WriteString(" NOT")
	}
	p.b.WriteString(word)
}

func (p *printer) quoted(n int32) {
	p.b.WriteByte('\'')
	p.b.WriteString(strings.ReplaceAll(p.strings[n], "'", "''"))
	p.b.WriteByte('\'')
}
