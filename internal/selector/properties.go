package selector

import (
	"math"

	"github.com/seed-b113d664/amqpjms/internal/wire"
)

// SetProperties supplies the values of all application properties that the selector uses.
// r stands before their map; it is read once, up to the last name that was looked for. A
// name that is not there is null. It is Broken where the map is, before the name is found.
func (e *Expr) SetProperties(f *Frame, r wire.Reader) {
	regs := f.own[:]
	if e.registers > len(regs) {
		regs = e.registersOf(f)
	}
	missing := len(e.properties)
	outer, pairs := r.Map()
	for missing > 0 && pairs > 0 {
		var n int32
		if e.index == nil {
			var i int
			if i, pairs = r.SeekAny(pairs, e.propertyNames); pairs == 0 {
				break
			}
			n = e.properties[i]
		} else {
			key := r.String()
			if r.Err() != nil {
				break
			}
			var ok bool
			if n, ok = e.index[string(key)]; !ok {
				r.Skip()
				pairs--
				continue
			}
		}
		pairs--
		if regs[n].kind != unset { // of a name that is there twice the first counts
			r.Skip()
			continue
		}
		read(&regs[n], &r)
		missing--
	}
	if missing == 0 {
		return
	}
	r.Leave(outer)
	rest := OfNull()
	if r.Err() != nil {
		rest = OfBroken()
	}
	e.setRest(f, rest)
}

// SetNoProperties supplies null for the application properties that the selector uses, as
// a message has that is without such a section.
func (e *Expr) SetNoProperties(f *Frame) { e.setRest(f, OfNull()) }

// setRest supplies one value for all application properties that have none.
func (e *Expr) setRest(f *Frame, v Value) {
	regs := e.registersOf(f)
	for _, n := range e.properties {
		if regs[n].kind == unset {
			regs[n] = v
		}
	}
}

// Read reads an AMQP value as selectors see it. One that cannot be read is Broken; r then
// goes on behind it, or has an error if that cannot be.
func Read(r *wire.Reader) (v Value) {
	read(&v, r)
	return v
}

// read is Read into a Value that is zero.
func read(v *Value, r *wire.Reader) {
	before := *r
	switch r.Next() {
	case wire.String:
		v.kind, v.raw = String, r.String()
	case wire.Null:
		r.Skip()
		v.kind = Null
	case wire.Boolean:
		v.kind = Boolean
		if r.Boolean() {
			v.num = 1
		}
	case wire.Byte:
		v.kind, v.num = Int, uint64(r.Byte())
	case wire.Short:
		v.kind, v.num = Int, uint64(r.Short())
	case wire.Int:
		v.kind, v.num = Int, uint64(r.Int())
	case wire.Long:
		v.kind, v.num = Long, uint64(r.Long())
	case wire.Ubyte:
		v.kind, v.num = Int, uint64(r.Ubyte())
	case wire.Ushort:
		v.kind, v.num = Int, uint64(r.Ushort())
	case wire.Uint:
		v.kind, v.num = Long, uint64(r.Uint())
	case wire.Ulong:
		*v = OfUlong(r.Ulong())
	case wire.Float:
		*v = OfFloat(r.Float())
	case wire.Double:
		v.kind, v.num = Double, math.Float64bits(r.Double())
	case wire.Timestamp:
		v.kind, v.num = Long, uint64(r.Timestamp())
	case wire.Char:
		v.kind, v.num = Char, uint64(r.Char())
	case wire.Symbol:
		v.kind, v.raw = String, r.Symbol()
	case wire.UUID:
		if b := r.Value(); b != nil {
			v.kind, v.raw = UUID, b[1:] // behind its format code
		}
	default:
		r.Skip()
		v.kind = Other
	}
	if r.Err() != nil {
		*r = before
		r.Skip()
		*v = OfBroken()
	}
}
