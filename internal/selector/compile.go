package selector

import (
	"slices"
	"sync"
)

// An opcode says what an instruction does. Operands are registers from 0 on, and
// constants below it.
type opcode uint8

const (
	opCompare     opcode = iota // rel, a, b
	opCompareText               // rel is = or <>, a is a name, b a string
	opCompareLong               // rel, a is a name, b an integer
	opIn                        // a, set b
	opLike                      // a, pattern b
	opNull                      // a
	opCondition                 // a, whose value is the condition

	opNeed  // stops where the name a is not supplied
	opArith // dst = a op b
	opSign  // dst = op a

	opTruth // dst = the condition before; from here on without a
	opJoin  // ends an AND or OR, of level b
)

// How the value of a condition goes into the AND or OR that it is part of.
const (
	joinNone  uint8 = iota
	joinFirst       // the first part
	joinMore        // a later one
)

// An instruction is one step. Those that give a condition go to jump where that decides the
// AND or OR around it.
type instruction struct {
	op     opcode
	rel    relation
	arith  byte
	negate bool
	join   uint8
	decide Truth // where join is not joinNone
	own    Truth // of opJoin: decides the AND or OR that ends here
	level  uint16
	a, b   int32
	dst    int32
	jump   int32
}

// An Expr is a parsed selector. It never changes, and may be used by several goroutines at
// once. The zero Expr selects every message.
type Expr struct {
	tree      *tree
	code      []instruction
	constants []Value // an operand n < 0 is constants[^n]
	sets      []set
	names     []Name
	registers int       // names, then results
	pool      sync.Pool // of registers, where a Frame has too few

	properties    []int32          // the numbers of names that are properties
	propertyNames []string         // their texts
	index         map[string]int32 // from these to those, where there are many
}

// A set holds the strings of IN.
type set struct {
	few  []string
	many map[string]struct{}
}

func newSet(list []string) set {
	const few = 4
	if len(list) <= few {
		return set{few: list}
	}
	m := make(map[string]struct{}, len(list))
	for _, s := range list {
		m[s] = struct{}{}
	}
	return set{many: m}
}

func (s *set) has(v *Value) bool {
	if v.kind != String {
		return s.hasFormatted(v)
	}
	if s.many != nil {
		if v.raw != nil {
			_, ok := s.many[string(v.raw)]
			return ok
		}
		_, ok := s.many[v.str]
		return ok
	}
	for _, x := range s.few {
		if v.raw != nil && string(v.raw) == x || v.raw == nil && v.str == x {
			return true
		}
	}
	return false
}

//go:noinline
func (s *set) hasFormatted(v *Value) bool {
	var buf [36]byte
	x := v.plain(&buf)
	return s.has(&x)
}

// A joint is where the value of a condition goes.
type joint struct {
	join   uint8
	decide Truth
	level  uint16
	end    *[]int32 // instructions that jump behind the AND or OR
}

// manyNames is how many names are looked up one by one.
const manyNames = 8

type compiler struct {
	*tree
	e     *Expr
	temps int // results in use
	level uint16
}

// compile makes an Expr of a tree. like is nil, or an Expr of another tree with the same names.
func compile(t *tree, like *Expr) *Expr {
	e := &Expr{tree: t, names: t.names, registers: len(t.names)}
	if like != nil {
		e.properties, e.propertyNames, e.index = like.properties, like.propertyNames, like.index
	} else {
		e.findProperties()
	}
	if t.root < 0 {
		return e
	}
	if int(t.root) == len(t.nodes)-1 { // all of it
		e.code = make([]instruction, 0, len(t.nodes)/2+1)
	}
	c := compiler{tree: t, e: e}
	c.condition(t.root, false, joint{})
	return e
}

func (e *Expr) findProperties() {
	n := 0
	for i := range e.names {
		if e.names[i].Field == Property {
			n++
		}
	}
	e.properties, e.propertyNames = make([]int32, 0, n), make([]string, 0, n)
	for i, name := range e.names {
		if name.Field == Property {
			e.properties = append(e.properties, int32(i))
			e.propertyNames = append(e.propertyNames, name.Text)
		}
	}
	if n <= manyNames {
		return
	}
	e.index = make(map[string]int32, n)
	for i, name := range e.propertyNames {
		e.index[name] = e.properties[i]
	}
}

// emit adds an instruction that gives a condition.
func (c *compiler) emit(in instruction, negate bool, j joint) {
	in.negate, in.join, in.decide, in.level = negate, j.join, j.decide, j.level
	if j.end != nil {
		*j.end = append(*j.end, int32(len(c.e.code)))
	}
	c.e.code = append(c.e.code, in)
}

// condition adds the code of a condition, or of its NOT. NOT of AND is OR of NOT.
func (c *compiler) condition(n int32, negate bool, j joint) {
	for c.nodes[n].kind == nodeNot {
		n, negate = c.nodes[n].a, !negate
	}
	defer func(temps int) { c.temps = temps }(c.temps)
	switch x := &c.nodes[n]; x.kind {
	case nodeAnd, nodeOr:
		var parts []int32
		for ; c.nodes[n].kind == x.kind; n = c.nodes[n].a {
			parts = append(parts, c.nodes[n].b)
		}
		parts = append(parts, n)
		slices.Reverse(parts)
		c.chain((x.kind == nodeOr) != negate, len(parts), j, func(i int, j joint) {
			c.condition(parts[i], negate, j)
		})
	case nodeBetween:
		// a >= b AND a <= c, or a < b OR a > c
		rels := [2]relation{greaterEqual, lessEqual}
		if x.not {
			rels = [2]relation{less, greater}
		}
		a := c.operand(x.a)
		bounds := [2]int32{x.b, x.c}
		c.chain(x.not != negate, 2, j, func(i int, j joint) {
			c.compare(rels[i], a, c.second(a, bounds[i]), negate, j)
		})
	case nodeCompare:
		a := c.operand(x.a)
		c.compare(x.rel, a, c.second(a, x.b), negate, j)
	case nodeIn:
		c.e.sets = append(c.e.sets, newSet(c.strings[x.b:x.c]))
		c.emit(instruction{op: opIn, a: c.nodes[x.a].a, b: int32(len(c.e.sets) - 1)}, negate != x.not, j)
	case nodeLike:
		c.emit(instruction{op: opLike, a: c.nodes[x.a].a, b: x.d}, negate != x.not, j)
	case nodeNull:
		c.emit(instruction{op: opNull, a: c.nodes[x.a].a}, negate != x.not, j)
	default: // a name, TRUE, FALSE
		c.emit(instruction{op: opCondition, a: c.operand(n)}, negate, j)
	}
}

// chain adds the code of an AND or OR of n parts.
func (c *compiler) chain(or bool, n int, j joint, part func(int, joint)) {
	var end []int32
	inner := joint{join: joinFirst, decide: False, level: c.level, end: &end}
	if or {
		inner.decide = True
	}
	c.level++
	for i := range n - 1 {
		part(i, inner)
		inner.join = joinMore
	}
	part(n-1, joint{}) // opJoin looks at it
	c.level--
	for _, at := range end {
		c.e.code[at].jump = int32(len(c.e.code)) // opJoin passes on what is decided
	}
	c.emit(instruction{op: opJoin, own: inner.decide, b: int32(inner.level)}, false, j)
}

func (c *compiler) compare(rel relation, a, b int32, negate bool, j joint) {
	op := opCompare
	if a >= 0 && int(a) < len(c.names) && b < 0 {
		switch v := &c.e.constants[^b]; {
		case v.kind == String && rel <= unequal:
			op = opCompareText
		case v.isInteger():
			op = opCompareLong
		}
	}
	c.emit(instruction{op: op, rel: rel, a: a, b: b}, negate, j)
}

// second is operand for the right side of an operator whose left side is a. Names are asked
// for from left to right, so where the right side has code of its own, a name on the left
// is asked for before that.
func (c *compiler) second(a, n int32) int32 {
	if a < 0 || int(a) >= len(c.names) {
		return c.operand(n)
	}
	start := len(c.e.code)
	c.e.code = append(c.e.code, instruction{op: opNeed, a: a})
	b := c.operand(n)
	if len(c.e.code) == start+1 {
		c.e.code = c.e.code[:start]
	}
	return b
}

func (c *compiler) constant(v Value) int32 {
	c.e.constants = append(c.e.constants, v)
	return ^int32(len(c.e.constants) - 1)
}

// result returns a register for the result of an instruction.
func (c *compiler) result() int32 {
	r := len(c.names) + c.temps
	c.temps++
	c.e.registers = max(c.e.registers, r+1)
	return int32(r)
}

// operand adds the code that finds the value of an expression, and returns where that is.
func (c *compiler) operand(n int32) int32 {
	// A chain of + or = is as deep as it is long, on its left side.
	var above []int32
	for k := c.nodes[n].kind; k == nodeArith || k == nodeCompare && c.leftIsCompare(n); k = c.nodes[n].kind {
		above = append(above, n)
		n = c.nodes[n].a
	}
	temps := c.temps
	at := c.simple(n)
	for _, n := range slices.Backward(above) {
		x := &c.nodes[n]
		b := c.second(at, x.b)
		c.temps = temps
		if x.kind == nodeCompare {
			c.compare(x.rel, at, b, false, joint{})
			at = c.result()
			c.e.code = append(c.e.code, instruction{op: opTruth, dst: at})
			continue
		}
		if at < 0 && b < 0 {
			at = c.constant(calculate(x.op, &c.e.constants[^at], &c.e.constants[^b]))
			continue
		}
		dst := c.result()
		c.e.code = append(c.e.code, instruction{op: opArith, arith: x.op, a: at, b: b, dst: dst})
		at = dst
	}
	return at
}

func (c *compiler) leftIsCompare(n int32) bool {
	return c.nodes[c.nodes[n].a].kind == nodeCompare
}

// simple is operand for what is no chain.
func (c *compiler) simple(n int32) int32 {
	switch x := &c.nodes[n]; x.kind {
	case nodeName:
		return x.a
	case nodeNumber:
		return c.constant(c.numbers[x.a])
	case nodeString:
		return c.constant(OfString(c.strings[x.a]))
	case nodeBoolean:
		return c.constant(OfBool(x.a == 1))
	case nodeSign:
		temps := c.temps
		a := c.operand(x.a)
		if a < 0 {
			return c.constant(signed(x.op, &c.e.constants[^a]))
		}
		c.temps = temps
		dst := c.result()
		c.e.code = append(c.e.code, instruction{op: opSign, arith: x.op, a: a, dst: dst})
		return dst
	}
	c.condition(n, false, joint{})
	dst := c.result()
	c.e.code = append(c.e.code, instruction{op: opTruth, dst: dst})
	return dst
}
