//go:build amd64 && !purego

package lines

import (
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Walks through trees for many rows. The top of a tree, up to 31 of its nodes, is computed for 32 rows at a time without any walk, as
// QuickScorer does (Lucchese and others, 2015): the ends of the top are numbered from left to right, and each row has a set of them as
// the bits of a word. A node that a row's element exceeds removes the ends below its first child; the row's end is the first one that is
// left. Rows lie side by side in scratch memory, so a node is a comparison of vectors. Where the top ends at a node that is no leaf, a
// walk goes on from there.

const (
	topNodes = 31 // of the top of a tree, which has one end more
	topRows  = 32 // that treeTop computes at a time
	topLeast = 16 // the fewest rows for which tops are computed
	topBlock = 512
)

// topNode is a node of the top of a tree.
type topNode struct {
	offset    uint32 // in bytes, from the first row's element to be compared to that of the node's feature
	threshold int32  // elements that are less go to the first child
	keep      uint32 // the ends that remain for all others
	_         uint32
}

// top is the top of a tree.
type top struct {
	nodes [topNodes]topNode
	count int
	ends  [topNodes + 1]int32 // the nodes where the top ends; -1-i for a node i that may be no leaf
}

// treeTop computes the ends of rows, for blocks of topRows. Their elements are side by side at rows.
//
//go:noescape
func treeTop(nodes *topNode, count int, rows unsafe.Pointer, blocks int, ends *uint32)

// registerLeaves registers the kernels among all that walk.
func registerLeaves(all []*kernel.Micro) {
	for _, m := range all {
		if m.Kind == kernel.Leaves && m.Type == ir.Int32 {
			abi.RegisterBuiltin(abi.AVX2, []abi.Kernel{{Sig: m.Signature(), Fn: leavesAVX2}})
		}
	}
}

// crowd is the walks through trees of contiguous nodes, for contiguous rows. Those that have ended leave it at times.
type crowd struct {
	nodes, x, out   unsafe.Pointer
	features, count int // elements of a row, and nodes
	n               int
	at              [crowded]int32
	row             [crowded]int // the bytes from x to the elements that a walk compares
	to              [crowded]int // the bytes from out to where its end is stored
	asking
}

const (
	crowded = 64 // the most walks
	waiting = 16 // the walks that wait for more to join them
	steps   = 4  // of all walks in a call of walkOn
)

// walkOn takes some steps of all walks, and returns how many have not ended after the last but one. It returns -1 if the next node of a
// walk or the feature that it compares does not exist; then this walk is as it was, and others may be there twice.
//
//go:noescape
func walkOn(s *crowd) int

// leavesAVX2 is leaves, with tops of trees if there are many rows.
func leavesAVX2(f *abi.Frame) {
	s := crowd{features: f.Step[5], count: f.Step[7] / ir.NodeWords, nodes: f.Ptr[1], x: f.Ptr[0], out: f.Ptr[3], asking: newAsking(f)}
	if f.Step[1] != 0 && f.Rows > 1 || f.Step[6] != 4 || f.Step[8] != 4 {
		leaves[int32](f)
		return
	}
	if block := min(topBlock, f.Step[11]/max(1, s.features)/topRows*topRows); f.Rows >= topLeast && block > 0 && f.Step[2] == 0 {
		for first := 0; first < f.Rows; first += block {
			s.rows(f, first, min(block, f.Rows-first), block)
		}
	} else {
		for c := range f.Cols {
			for r := range f.Rows {
				s.add(s.root(f, r, c), r*f.Step[0], r*f.Step[3]+c*f.Step[10])
			}
		}
	}
	s.walk(0)
}

// root returns the root of row r and column c.
func (s *crowd) root(f *abi.Frame, r, c int) int {
	return ir.LineIndex(int64(*(*int32)(unsafe.Add(f.Ptr[2], r*f.Step[2]+c*f.Step[9]))), s.count)
}

// add adds a walk from a node.
func (s *crowd) add(at, row, to int) {
	s.at[s.n], s.row[s.n], s.to[s.n] = int32(at), row, to
	if s.n++; s.n == crowded {
		s.walk(waiting)
	}
}

// walk takes walks to their ends until no more than some have not ended. A walk ends after no more steps than there are nodes.
func (s *crowd) walk(some int) {
	for left := s.count; s.n > some; left -= steps {
		if s.steps -= steps; s.steps < 0 && s.stops() {
			s.n = 0
			return
		}
		n := walkOn(s)
		if n < 0 {
			s.fail()
		}
		if s.n = n; left < 0 && n > 0 {
			outside(int64(s.count), s.count)
		}
	}
}

// fail panics for a walk that cannot take the next step.
func (s *crowd) fail() {
	for k, at := range s.at[:s.n] {
		n := s.node(at)
		if uint(n.feature) >= uint(s.features) {
			outside(int64(n.feature), s.features)
		}
		next := int64(n.child) + int64(bit(*(*int32)(unsafe.Add(s.x, s.row[k]+int(n.feature)*4)) > n.threshold))
		if uint64(next) >= uint64(s.count) {
			outside(next, s.count)
		}
	}
	outside(int64(s.count), s.count) // another goroutine has written the table
}

// rows walks for n rows from the first one on, whose elements it copies to columns as long as a block.
func (s *crowd) rows(f *abi.Frame, first, n, block int) {
	columns := unsafe.Slice((*int32)(f.Ptr[4]), s.features*block)
	for r := range n {
		for i, e := range unsafe.Slice((*int32)(unsafe.Add(s.x, (first+r)*f.Step[0])), s.features) {
			columns[i*block+r] = e
		}
	}
	var t top
	var ends [topBlock]uint32
	for c := range f.Cols {
		s.top(&t, s.root(f, 0, c), block)
		treeTop(&t.nodes[0], t.count, f.Ptr[4], (n+topRows-1)/topRows, &ends[0])
		row, to := first*f.Step[0], first*f.Step[3]+c*f.Step[10]
		for _, number := range ends[:n] {
			if end := int(t.ends[number&topNodes]); end >= 0 {
				*(*int64)(unsafe.Add(s.out, to)) = int64(end)
			} else {
				s.add(-1-end, row, to)
			}
			row, to = row+f.Step[0], to+f.Step[3]
		}
	}
}

// top makes the top of the tree below a root: its nodes level by level. It has no branches that depend on the nodes.
func (s *crowd) top(t *top, root, block int) {
	const none = topNodes // the number of a child that is an end
	var (
		nodes    [topNodes + 1]node
		children [topNodes + 1][2]uint8 // of each node of the top
		codes    [topNodes + 1][2]int32 // the children, as top.ends has them
		ends     [topNodes + 1]uint8    // how many ends they have below
		first    [topNodes + 1]uint8    // the number of the first one
	)
	node, n, end := s.look(int32(root))
	nodes[0], ends[none], t.ends[0] = node, 1, end
	for i := 0; i < n; i++ {
		child := nodes[i].child
		for k := range 2 {
			node, splits, end := s.look(child + int32(k))
			splits &= bit(n < topNodes)
			codes[i][k], nodes[n&none] = end, node
			children[i][k] = uint8(none ^ (none^n)&-splits)
			n += splits
		}
	}
	for i := n - 1; i >= 0; i-- {
		ends[i] = ends[children[i][0]&none] + ends[children[i][1]&none]
	}
	t.count = n
	for i := range n {
		node, left, right := &nodes[i], children[i][0]&none, children[i][1]&none
		middle := first[i] + ends[left]
		keep := ^(uint32(1<<(ends[left]&31)-1) << (first[i] & 31))
		t.nodes[i] = topNode{offset: uint32(int(node.feature) * block * 4), threshold: node.threshold + 1, keep: keep}
		t.ends[first[i]&none], t.ends[middle&none] = codes[i][0], codes[i][1] // nodes further down replace them
		first[left], first[right] = first[i], middle
	}
}

// node is the words of a node. Another goroutine may write the table meanwhile, so what is checked is a copy.
type node struct{ feature, threshold, child int32 }

// node returns a node.
func (s *crowd) node(at int32) node {
	return *(*node)(unsafe.Add(s.nodes, int(at)*ir.NodeWords*4))
}

// look returns a node; 1 if it may be in a top, as both of its children exist and it compares a feature, and 0 if not; and its number as
// an element of top.ends.
func (s *crowd) look(at int32) (n node, splits int, end int32) {
	n = s.node(at)
	compares, last := bit(uint(n.feature) < uint(s.features)), bit(n.threshold == math.MaxInt32)
	leaf := compares & last & bit(n.child == at)
	return n, compares &^ last & bit(uint(n.child) < uint(s.count-1)), at ^ int32(leaf-1)
}
