// Package feed tells many readers, each at its own pace, what came up since they last looked: a [Log] is published for
// all of them at once, and each keeps in a [Heap] what it may want of it.
package feed

import "math/bits"

// PageSize is the number of entries in a page.
const PageSize = 64 // a power of two

// A Log keeps the last of the numbers that were appended to it. Each is an entry; they are counted from 0 on, also those
// that are no longer kept. A reader remembers the entry up to which it has read, and starts over if that is before Start.
// Each page of entries, which begins at a multiple of [PageSize], has a summary of type S, which is the caller's.
//
// Append takes constant time on average. An entry takes 4 bytes, and a page those of S.
type Log[S any] struct {
	ring       []uint32 // entry n is at n modulo the length, which is a power of two and PageSize or more
	pages      []S      // likewise
	start, end uint64
}

// Start returns the first entry that is kept.
func (l *Log[S]) Start() uint64 { return l.start }

// End returns the entry that Append adds next.
func (l *Log[S]) End() uint64 { return l.end }

// Cap returns how many entries the log has memory for.
func (l *Log[S]) Cap() int { return len(l.ring) }

// At returns the number of an entry, from Start up to End.
func (l *Log[S]) At(entry uint64) uint32 { return l.ring[entry&uint64(len(l.ring)-1)] }

// Page returns the summary of an entry's page. It is undefined until the caller sets it, and after its first entry is
// dropped.
func (l *Log[S]) Page(entry uint64) *S {
	return &l.pages[entry/PageSize&uint64(len(l.pages)-1)]
}

// Append adds a number and returns its entry. The log comes to keep as many entries as the caller says are worth it, or a
// few more: a reader who has missed that many may as well start over. It grows with what is appended, not at once, because
// a reader may not stay for long.
func (l *Log[S]) Append(number, keep uint32) (entry uint64) {
	size := uint64(len(l.ring))
	if size == 0 || l.end&(size-1) == 0 {
		switch fit := fit(keep); {
		case fit > size:
			l.grow(max(2*size, PageSize))
		case fit < size/4:
			l.ring, l.pages, l.start = make([]uint32, fit), make([]S, fit/PageSize), l.end
		}
		size = uint64(len(l.ring))
	}
	entry = l.end
	l.ring[entry&(size-1)] = number
	l.end++
	if l.end-l.start > size {
		l.start++
	}
	return entry
}

// grow makes the ring longer.
func (l *Log[S]) grow(size uint64) {
	old := *l
	l.ring, l.pages = make([]uint32, size), make([]S, size/PageSize)
	for entry := l.start; entry < l.end; entry++ {
		l.ring[entry&(size-1)] = old.At(entry)
	}
	for entry := (l.start + PageSize - 1) / PageSize * PageSize; entry < l.end; entry += PageSize {
		*l.Page(entry) = *old.Page(entry)
	}
}

// fit returns how long the ring should be to keep so many entries.
func fit(keep uint32) uint64 { return PageSize << bits.Len32(keep/PageSize) }

// Trim drops all entries if the log is much longer than this many need.
func (l *Log[S]) Trim(keep uint32) {
	if uint64(len(l.ring)) > 4*fit(keep) {
		l.Clear()
	}
}

// Clear drops all entries, and the memory for them.
func (l *Log[S]) Clear() { l.ring, l.pages, l.start = nil, nil, l.end }
