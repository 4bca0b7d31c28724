// Package slab keeps values in slabs of 64 and knows each by its number, from 1 on; 0 stands for none. Values never move,
// a number takes 4 bytes where a pointer takes 8, and the memory of a burst is given back slab by slab. A [List] links
// values by their numbers.
package slab

import "iter"

// Size is the number of values in a slab. Value i is in slab i/Size: what is kept beside a [Pool], by value, can be kept
// in parts of as many.
const Size = 64 // a power of two, at most 256

// spare is how many empty slabs a pool keeps, besides one for four in use: else a steady stream of values might free and
// allocate slabs again and again.
const spare = 8

// A Pool holds values that are taken and given back. The zero Pool is empty. Taking and giving back take constant time,
// and no call moves more than one slab.
type Pool[T any] struct {
	slabs []*slab[T] // nil: given back
	gaps  []uint32   // which are nil
	open  List       // slabs with vacancies, by index plus 1, the empty ones last
	empty int        // how many slabs are empty
	len   int        // how many values are taken
}

type slab[T any] struct {
	values  [Size]T
	vacant  [Size]uint8 // a stack
	vacancy int         // its height
	link    Link        // in Pool.open
}

// room returns how many values a slab can hold: no value has number 0.
func room(slab int) int {
	if slab == 0 {
		return Size - 1
	}
	return Size
}

// Len returns how many values are taken.
func (p *Pool[T]) Len() int { return p.len }

// Slabs returns how many slabs are in memory.
func (p *Pool[T]) Slabs() int { return len(p.slabs) - len(p.gaps) }

// At returns value i, which must be taken.
func (p *Pool[T]) At(i uint32) *T { return &p.slabs[i/Size].values[i%Size] }

// Has reports whether the slab of value i is in memory, so that At may be called: a value that is not taken is zero.
func (p *Pool[T]) Has(i uint32) bool {
	n := int(i / Size)
	return n < len(p.slabs) && p.slabs[n] != nil
}

// Take takes a zero value, and returns its number and its address.
func (p *Pool[T]) Take() (uint32, *T) {
	if p.open.First == 0 {
		p.grow()
	}
	n := int(p.open.First - 1)
	s := p.slabs[n]
	if s.vacancy == room(n) {
		p.empty--
	}
	s.vacancy--
	if s.vacancy == 0 {
		p.open.Remove(p.open.First, p.link)
	}
	p.len++
	at := uint32(s.vacant[s.vacancy])
	return uint32(n)*Size + at, &s.values[at]
}

func (p *Pool[T]) grow() {
	n := len(p.slabs)
	if last := len(p.gaps) - 1; last >= 0 {
		n, p.gaps = int(p.gaps[last]), p.gaps[:last]
	} else {
		p.slabs = append(p.slabs, nil)
	}
	s := &slab[T]{vacancy: room(n)}
	for i := range s.vacancy {
		s.vacant[i] = uint8(Size - 1 - i)
	}
	p.slabs[n] = s
	p.empty++
	p.open.PushBack(uint32(n+1), p.link)
}

// Give gives value i back, which must be taken, and zeroes it. If too many slabs are empty then, it frees some and calls
// freed, unless that is nil, with the index of each.
func (p *Pool[T]) Give(i uint32, freed func(slab int)) {
	n := int(i / Size)
	s := p.slabs[n]
	var zero T
	s.values[i%Size] = zero
	s.vacant[s.vacancy] = uint8(i % Size)
	s.vacancy++
	p.len--
	number := uint32(n + 1)
	if s.vacancy == 1 {
		p.open.PushFront(number, p.link)
	}
	if s.vacancy == room(n) {
		p.open.Remove(number, p.link)
		p.open.PushBack(number, p.link)
		p.empty++
		p.shrink(freed)
	}
}

// shrink frees slabs as long as too many are empty.
func (p *Pool[T]) shrink(freed func(slab int)) {
	for inUse := p.Slabs() - p.empty; p.empty > spare+inUse/4; {
		n := int(p.open.Last - 1)
		p.open.Remove(p.open.Last, p.link)
		p.empty--
		p.slabs[n] = nil
		p.gaps = append(p.gaps, uint32(n))
		if freed != nil {
			freed(n)
		}
	}
}

func (p *Pool[T]) link(number uint32) *Link { return &p.slabs[number-1].link }

// All iterates over the values that are taken, by number.
func (p *Pool[T]) All() iter.Seq2[uint32, *T] {
	return func(yield func(uint32, *T) bool) {
		for n, s := range p.slabs {
			if s == nil {
				continue
			}
			vacant := [Size]bool{0: n == 0}
			for _, at := range s.vacant[:s.vacancy] {
				vacant[at] = true
			}
			for at := range s.values {
				if !vacant[at] && !yield(uint32(n*Size+at), &s.values[at]) {
					return
				}
			}
		}
	}
}
