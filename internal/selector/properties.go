package selector

import "github.com/seed-b113d664/amqpjms/internal/wire"

// SetProperties supplies the values of all application properties that the selector uses.
// r stands before their map; it is read once, up to the last name that was looked for. A
// name that is not there is null. It is Broken where the map is, before the name is found.
func (e *Expr) SetProperties(f *Frame, r wire.Reader) {
	regs := e.registersOf(f)
	missing := e.properties
	outer, pairs := r.Map()
	for ; pairs > 0 && missing > 0; pairs-- {
		key := r.String()
		if r.Err() != nil {
			break
		}
		n := e.property(key)
		if n < 0 || regs[n].kind != unset {
			r.Skip()
			continue
		}
		regs[n] = Read(&r)
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
	for i := range e.names {
		if e.names[i].Field == Property && regs[i].kind == unset {
			regs[i] = v
		}
	}
}

// property returns the number of a property's name, -1 if the selector does not use it.
func (e *Expr) property(key []byte) int {
	if e.index != nil {
		if n, ok := e.index[string(key)]; ok {
			return int(n)
		}
		return -1
	}
	for i := range e.names {
		if n := &e.names[i]; len(n.Text) == len(key) && n.Text == string(key) && n.Field == Property {
			return i
		}
	}
	return -1
}

// Read reads an AMQP value as selectors see it. One that cannot be read is Broken; r then
// goes on behind it, or has an error if that cannot be.
func Read(r *wire.Reader) Value {
	before := *r
	v := read(r)
	if r.Err() != nil {
		*r = before
		r.Skip()
		return OfBroken()
	}
	return v
}

func read(r *wire.Reader) Value {
	switch r.Next() {
	case wire.String:
		return OfText(r.String())
	case wire.Null:
		r.Skip()
		return OfNull()
	case wire.Boolean:
		return OfBool(r.Boolean())
	case wire.Byte:
		return OfInt(int32(r.Byte()))
	case wire.Short:
		return OfInt(int32(r.Short()))
	case wire.Int:
		return OfInt(r.Int())
	case wire.Long:
		return OfLong(r.Long())
	case wire.Ubyte:
		return OfInt(int32(r.Ubyte()))
	case wire.Ushort:
		return OfInt(int32(r.Ushort()))
	case wire.Uint:
		return OfLong(int64(r.Uint()))
	case wire.Ulong:
		return OfUlong(r.Ulong())
	case wire.Float:
		return OfFloat(r.Float())
	case wire.Double:
		return OfDouble(r.Double())
	case wire.Timestamp:
		return OfLong(r.Timestamp())
	case wire.Char:
		return OfChar(r.Char())
	case wire.Symbol:
		return OfText(r.Symbol())
	case wire.UUID:
		r.Skip()
		b := r.Since(0) // from the start of r's input; the uuid ends it
		if r.Err() != nil {
			return OfBroken()
		}
		return OfUUID(b[len(b)-16:])
	}
	r.Skip()
	return OfOther()
}
