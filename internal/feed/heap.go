package feed

// A Heap is a priority queue whose members may become unknown: where they stand cannot be told any more, as of a message
// that has left. A member never becomes known again. The topmost, the one at 0, is the first of those that are known, or
// is unknown; take it out then, and look again.
//
// The methods take two functions: known reports whether a member is known, before whether one that is known goes before
// another one. They call these a number of times logarithmic in the length, if few are unknown.
type Heap[E any] []E

// Of two known members, one of which is above the other, the upper one goes first, whatever unknown ones are in between.

// Push adds a member.
func (h *Heap[E]) Push(e E, known func(E) bool, before func(a, b E) bool) {
	*h = append(*h, e)
	s := *h
	isKnown := known(e) // else it goes to the top
	for at := len(s) - 1; at > 0; {
		up := (at - 1) / 2
		for up > 0 && !known(s[up]) {
			up = (up - 1) / 2
		}
		if isKnown && (!known(s[up]) || !before(e, s[up])) {
			return
		}
		for at > up {
			s[at] = s[(at-1)/2]
			at = (at - 1) / 2
		}
		s[at] = e
	}
}

// Pop removes the topmost member and returns it. The heap must not be empty.
func (h *Heap[E]) Pop(known func(E) bool, before func(a, b E) bool) E {
	s := *h
	above := func(a, b E) bool { return !known(a) || known(b) && before(a, b) }
	first, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for at, below := 0, 1; below < last; below = 2*at + 1 {
		if below+1 < last && above(s[below+1], s[below]) {
			below++
		}
		if !above(s[below], s[at]) {
			break
		}
		s[at], s[below] = s[below], s[at]
		at = below
	}
	return first
}
