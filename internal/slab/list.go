package slab

// A List links values by number, in both directions. Its methods take the Link of each value from a function, so that a
// value can be in several lists, by a Link each. The zero List is empty. All methods take constant time.
type List struct{ First, Last uint32 } // 0: none

// A Link holds the neighbours of a value in a [List]. The last value has 0 for its Right. The Left of the first one means
// nothing, so that removing the first need not touch the second.
type Link struct{ Left, Right uint32 }

// PushBack adds value i at the end.
func (l *List) PushBack(i uint32, link func(uint32) *Link) {
	if l.Last == 0 {
		l.First = i
	} else {
		link(l.Last).Right = i
	}
	*link(i) = Link{Left: l.Last}
	l.Last = i
}

// PushFront adds value i at the beginning.
func (l *List) PushFront(i uint32, link func(uint32) *Link) {
	if l.First == 0 {
		l.Last = i
	} else {
		link(l.First).Left = i
	}
	*link(i) = Link{Right: l.First}
	l.First = i
}

// Remove takes value i out, which must be in the list. Its Link stays as it was.
func (l *List) Remove(i uint32, link func(uint32) *Link) {
	at := *link(i)
	switch {
	case l.First == l.Last:
		l.First, l.Last = 0, 0
	case i == l.First:
		l.First = at.Right
	case i == l.Last:
		l.Last = at.Left
		link(at.Left).Right = 0
	default:
		link(at.Left).Right = at.Right
		link(at.Right).Left = at.Left
	}
}
