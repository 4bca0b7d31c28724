// Package btree keeps numbers in an order, in B+trees. A number takes some 5 bytes, and stands for something that the
// caller keeps, such as a message of a queue.
//
// A tree is ordered in one of two ways. By rank: the caller gives each number a rank, which the tree keeps beside it (8
// bytes more), so that a search looks at nothing else. Or by what the numbers stand for: the caller passes a [Before] to
// each call. Where the answers of a Before contradict each other the order is any, but nothing is lost or doubled.
//
// Insert, Delete and the start of After take time logarithmic in the size of the tree. Nothing is allocated once there are
// the nodes that are needed.
package btree

// size is the number of entries in a node.
const size = 64

// Before reports whether a number in the tree stands before the one that a call is about.
type Before func(id uint32) bool

// A Tree holds numbers in order. The zero Tree is empty. All calls on a tree pass a Before, or all pass nil and a rank.
type Tree struct {
	root *node
	len  uint32
}

// A node is a leaf, or has nodes below it, and then the first number of each. No node is empty.
type node struct {
	n     int
	id    [size]uint32
	rank  *[size]uint64 // nil: ordered by Before
	below *[size]*node  // nil: a leaf
}

// Nodes keeps nodes that trees no longer need, up to 32 of each kind, for those that do. The zero Nodes is empty.
type Nodes struct {
	spare [4][]*node // see kind
}

const spareNodes = 32 // of each kind

// Len returns how many numbers the tree holds.
func (t *Tree) Len() int { return int(t.len) }

// First returns the first number, 0 if the tree is empty.
func (t *Tree) First() uint32 {
	if t.root == nil {
		return 0
	}
	return t.root.id[0]
}

// Insert puts id at its place: behind those that are before it, or, if before is nil, those of a lower rank. It must not
// be in the tree.
func (t *Tree) Insert(nodes *Nodes, id uint32, rank uint64, before Before) {
	t.len++
	if t.root == nil {
		t.root = nodes.take(before == nil, false)
		t.root.put(0, id, rank, nil)
		return
	}
	if half := t.root.insert(nodes, id, rank, before); half != nil {
		root := nodes.take(half.rank != nil, true)
		root.put(0, t.root.id[0], t.root.firstRank(), t.root)
		root.put(1, half.id[0], half.firstRank(), half)
		t.root = root
	}
}

// Delete takes id out, and reports whether it was there. If before does not lead to it, because its answers contradict
// those of an earlier call, Delete looks at all numbers.
func (t *Tree) Delete(nodes *Nodes, id uint32, rank uint64, before Before) bool {
	if t.root == nil || !t.root.delete(nodes, id, rank, before, false) && !t.root.delete(nodes, id, rank, before, true) {
		return false
	}
	t.len--
	for root := t.root; root.n == 0 || root.n == 1 && root.below != nil; root = t.root {
		t.root = nil
		if root.n == 1 {
			t.root = root.below[0]
		}
		nodes.give(root)
		if t.root == nil {
			break
		}
	}
	return true
}

// After calls f for the numbers of a rank greater than this, in order, until f returns false. In a tree that is ordered by
// Before it calls f for those for which skip is false: skip must be true for the first numbers and false for the rest,
// nil for none. f must not change the tree.
func (t *Tree) After(rank uint64, skip Before, f func(id uint32) bool) {
	if t.root != nil {
		t.root.after(rank, skip, f)
	}
}

// position returns how many entries of a node are before a rank, or before what before is about.
func (n *node) position(rank uint64, before Before) int {
	if n.rank != nil {
		if rank <= n.rank[0] {
			return 0
		}
		at, left := uint(0), uint(n.n)
		for left > 1 { // a step costs the same whichever way it goes
			half := left / 2
			if n.rank[(at+half-1)%size] < rank {
				at += half
			}
			left -= half
		}
		if n.rank[at%size] < rank {
			at++
		}
		return int(at)
	}
	if before(n.id[n.n-1]) { // most numbers come at the end
		return n.n
	}
	if !before(n.id[0]) { // and leave, or come back, at the beginning
		return 0
	}
	at, end := 1, n.n-1
	for at < end {
		if middle := (at + end) / 2; before(n.id[middle]) {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at
}

// insert puts an entry into a node or below it. If that split the node, it returns the second half.
func (n *node) insert(nodes *Nodes, id uint32, rank uint64, before Before) (half *node) {
	at := n.position(rank, before)
	var below *node
	if n.below != nil {
		at = max(at-1, 0)
		below = n.below[at].insert(nodes, id, rank, before)
		n.refresh(at)
		if below == nil {
			return nil
		}
		at++
		id, rank = below.id[0], below.firstRank()
	}
	if n.n == size {
		keep := size / 2
		if at == size {
			keep = size - 1 // so that numbers that come in order fill the nodes
		}
		half = nodes.take(n.rank != nil, n.below != nil)
		half.move(n, keep)
		if at > keep {
			n, at = half, at-keep
		}
	}
	n.put(at, id, rank, below)
	return half
}

// delete takes id out of a node or those below it, and reports whether it was there: at its place, or with all, anywhere.
func (n *node) delete(nodes *Nodes, id uint32, rank uint64, before Before, all bool) bool {
	at := 0
	if !all {
		at = n.position(rank, before)
	}
	if n.below == nil {
		for all && at < n.n && n.id[at] != id {
			at++
		}
		if at == n.n || n.id[at] != id {
			return false
		}
		n.cut(at)
		return true
	}
	if all {
		for at < n.n && !n.below[at].delete(nodes, id, rank, before, true) {
			at++
		}
		if at == n.n {
			return false
		}
	} else {
		if at == n.n || n.id[at] != id {
			at = max(at-1, 0) // it is not the first below
		}
		if !n.below[at].delete(nodes, id, rank, before, false) {
			return false
		}
	}
	child := n.below[at]
	if child.n == 0 {
		n.cut(at)
		nodes.give(child)
		return true
	}
	n.refresh(at)
	if child.n > size/4 {
		return true
	}
	// A node with few entries takes those of a neighbour, or gives it its own, if they fit and leave some room.
	if at > 0 && n.below[at-1].n+child.n <= size*3/4 {
		at--
	}
	if at+1 < n.n && n.below[at].n+n.below[at+1].n <= size*3/4 {
		next := n.below[at+1]
		n.below[at].move(next, 0)
		n.cut(at + 1)
		nodes.give(next)
	}
	return true
}

// after is [Tree.After] of a node. It returns false if f did.
func (n *node) after(rank uint64, skip Before, f func(id uint32) bool) bool {
	at := 0
	if rank != 0 || skip != nil {
		if at = n.position(rank+1, skip); n.below != nil {
			at = max(at-1, 0)
		}
	}
	for ; at < n.n; at++ {
		if n.below == nil {
			if !f(n.id[at]) {
				return false
			}
		} else if !n.below[at].after(rank, skip, f) {
			return false
		}
		rank, skip = 0, nil
	}
	return true
}

// put puts an entry into a node that has room for it.
func (n *node) put(at int, id uint32, rank uint64, below *node) {
	copy(n.id[at+1:], n.id[at:n.n])
	n.id[at] = id
	if n.rank != nil {
		copy(n.rank[at+1:], n.rank[at:n.n])
		n.rank[at] = rank
	}
	if n.below != nil {
		copy(n.below[at+1:], n.below[at:n.n])
		n.below[at] = below
	}
	n.n++
}

// cut takes an entry out of a node.
func (n *node) cut(at int) {
	copy(n.id[at:], n.id[at+1:n.n])
	if n.rank != nil {
		copy(n.rank[at:], n.rank[at+1:n.n])
	}
	if n.below != nil {
		copy(n.below[at:], n.below[at+1:n.n])
		n.below[n.n-1] = nil
	}
	n.n--
}

// move moves another node's entries, from one on, to the end of n.
func (n *node) move(from *node, at int) {
	copy(n.id[n.n:], from.id[at:from.n])
	if n.rank != nil {
		copy(n.rank[n.n:], from.rank[at:from.n])
	}
	if n.below != nil {
		copy(n.below[n.n:], from.below[at:from.n])
		clear(from.below[at:from.n])
	}
	n.n += from.n - at
	from.n = at
}

// refresh updates the entry of a node below, whose first number may have changed.
func (n *node) refresh(at int) {
	n.id[at] = n.below[at].id[0]
	if n.rank != nil {
		n.rank[at] = n.below[at].rank[0]
	}
}

func (n *node) firstRank() uint64 {
	if n.rank == nil {
		return 0
	}
	return n.rank[0]
}

// take returns an empty node, a spare one if there is one.
func (s *Nodes) take(ranked, inner bool) *node {
	spare := s.kind(ranked, inner)
	if last := len(*spare) - 1; last >= 0 {
		n := (*spare)[last]
		*spare = (*spare)[:last]
		return n
	}
	n := &node{}
	if ranked {
		n.rank = new([size]uint64)
	}
	if inner {
		n.below = new([size]*node)
	}
	return n
}

// give keeps a node that is no longer needed, unless there are many.
func (s *Nodes) give(n *node) {
	spare := s.kind(n.rank != nil, n.below != nil)
	if len(*spare) < spareNodes {
		n.n = 0
		if n.below != nil {
			clear(n.below[:])
		}
		*spare = append(*spare, n)
	}
}

// kind returns the spare nodes of a kind.
func (s *Nodes) kind(ranked, inner bool) *[]*node {
	kind := 0
	if ranked {
		kind = 1
	}
	if inner {
		kind += 2
	}
	return &s.spare[kind]
}
