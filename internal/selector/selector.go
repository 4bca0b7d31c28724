// Package selector parses and evaluates JMS message selectors [jms 3.8.1]. It knows
// nothing of messages: the caller supplies the values of the names that a selector uses.
//
// [Parse] compiles a selector to an [Expr], a flat list of instructions. Its evaluation is
// a [Frame], which stops where it needs the value of a name that it does not have:
//
//	var f selector.Frame
//	for n := e.Run(&f); n >= 0; n = e.Run(&f) {
//		if e.Name(n).Field == selector.Property {
//			e.SetProperties(&f, applicationProperties)
//		} else {
//			e.Set(&f, n, …)
//		}
//	}
//	matches := f.Truth() == selector.True
//
// So a name is asked for at most once, in the order in which the selector needs it, and not
// at all where the selector is decided without it. Nothing is allocated, apart from a frame's
// memory for a selector of many names or many open results, which is kept and used again.
//
// Unknown is not false: NOT of unknown is unknown. [jms 3.8.1.2]
package selector

// A Frame is one evaluation of a selector. The zero Frame is ready to start. It must be
// used with one Expr only.
type Frame struct {
	pc     int
	truth  Truth
	broken int       // 1 + the name
	open   [9]uint64 // by level of AND and OR: a part was unknown. Two levels for each bracket
	own    [5]Value  // the registers
	more   *[]Value  // the registers, where these are too few
}

// Truth returns the value of the selector, once [Expr.Run] has returned -1.
func (f *Frame) Truth() Truth { return f.truth }

// Broken returns the name at which the evaluation ended because its value is Broken, -1 if
// it ended otherwise. The selector is Unknown then.
func (f *Frame) Broken() int { return f.broken - 1 }

// Names returns how many names the selector uses.
func (e *Expr) Names() int { return len(e.names) }

// Name returns name n of the selector, from 0 on, in the order of the text.
func (e *Expr) Name(n int) Name { return e.names[n] }

// Field returns what name n stands for.
func (e *Expr) Field(n int) Field { return e.names[n].Field }

// First returns the name that the first [Expr.Run] of a frame returns, or -1 where that is to be
// seen. To supply it before is to save that call.
func (e *Expr) First() int {
	if len(e.code) == 0 || e.code[0].op >= opTruth {
		return -1
	}
	return int(max(e.code[0].a, -1))
}

// Set supplies the value of name n.
func (e *Expr) Set(f *Frame, n int, v Value) {
	if v.kind == unset {
		v.kind = Null
	}
	e.registersOf(f)[n] = v
}

func (e *Expr) registersOf(f *Frame) []Value {
	if e.registers <= len(f.own) {
		return f.own[:]
	}
	if f.more == nil {
		f.more = e.many()
	}
	return *f.more
}

//go:noinline
func (e *Expr) many() *[]Value {
	if more, ok := e.pool.Get().(*[]Value); ok {
		clear(*more)
		return more
	}
	more := make([]Value, e.registers)
	return &more
}

// release gives back what many got.
func (e *Expr) release(f *Frame) {
	if f.more != nil {
		clear(*f.more) // they refer to the message
		e.pool.Put(f.more)
		f.more = nil
	}
}

// Eval evaluates the selector with the values that a function returns for its names. It
// asks for each at most once. broken is as [Frame.Broken] says.
func (e *Expr) Eval(value func(Name) Value) (t Truth, broken int) {
	var f Frame
	for n := e.Run(&f); n >= 0; n = e.Run(&f) {
		e.Set(&f, n, value(e.names[n]))
	}
	return f.truth, f.Broken()
}

// Run evaluates the selector as far as it can. It returns the name that it needs the value
// of, see [Expr.Set], or -1 at the end. Then the frame is used up.
func (e *Expr) Run(f *Frame) int {
	if len(e.code) == 0 {
		f.truth = True
		return -1
	}
	regs := f.own[:]
	if e.registers > len(regs) {
		regs = e.registersOf(f)
	}
	t := f.truth
	for pc := f.pc; pc < len(e.code); {
		in := &e.code[pc]
		var a *Value
		switch {
		case in.op >= opTruth:
		case in.a < 0:
			a = &e.constants[^in.a]
		default:
			a = &regs[in.a]
			if a.kind == unset || a.kind == Broken {
				return e.stop(f, pc, t, in.a)
			}
		}
		switch in.op {
		case opCompareText:
			switch b := &e.constants[^in.b]; a.kind {
			case String:
				t = truthOf(sameText(a, b) == (in.rel == equal))
			default:
				t = compare(in.rel, a, b)
			}
		case opCompareLong:
			if b := &e.constants[^in.b]; a.isInteger() {
				t = relate(in.rel, a.long(), b.long())
			} else {
				t = compare(in.rel, a, b)
			}
		case opCompare, opArith:
			var b *Value
			if in.b < 0 {
				b = &e.constants[^in.b]
			} else if b = &regs[in.b]; b.kind == unset || b.kind == Broken {
				return e.stop(f, pc, t, in.b)
			}
			if in.op == opArith {
				regs[in.dst] = calculate(in.arith, a, b)
				pc++
				continue
			}
			t = compare(in.rel, a, b)
		case opCondition:
			t = a.condition()
		case opNull:
			t = truthOf(a.kind == Null)
		case opIn:
			switch {
			case a.isText():
				t = truthOf(e.sets[in.b].has(a))
			default:
				t = Unknown
			}
		case opLike:
			switch {
			case a.isText():
				t = truthOf(e.tree.patterns[in.b].matches(a))
			case a.kind == Null:
				t = Unknown
			default:
				t = False
			}
		case opJoin:
			if t == -in.own && f.open[in.b>>6]&(1<<(in.b&63)) != 0 {
				t = Unknown
			}
		case opNeed:
			pc++
			continue
		case opSign:
			regs[in.dst] = signed(in.arith, a)
			pc++
			continue
		case opTruth:
			regs[in.dst] = t.value()
			pc++
			continue
		}
		if in.negate {
			t = -t
		}
		pc++
		switch in.join {
		case joinNone:
			continue
		case joinFirst:
			f.open[in.level>>6] &^= 1 << (in.level & 63)
		}
		if t == in.decide {
			pc = int(in.jump)
		} else if t == Unknown {
			f.open[in.level>>6] |= 1 << (in.level & 63)
		}
	}
	f.truth = t
	e.release(f)
	return -1
}

// stop leaves the evaluation at an instruction, for a name that is not supplied yet or is
// Broken.
//
//go:noinline
func (e *Expr) stop(f *Frame, pc int, t Truth, name int32) int {
	f.pc, f.truth = pc, t
	if e.registersOf(f)[name].kind == unset {
		return int(name)
	}
	f.truth, f.broken = Unknown, int(name)+1
	e.release(f)
	return -1
}
