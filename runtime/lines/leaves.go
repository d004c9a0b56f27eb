package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Walks through binary trees. Some walks go on side by side, without a branch that depends on their data: while the processor waits for
// the node of one it computes the steps of the others. Walks that have ended stay where they are until all have. A block of rows walks
// through one tree after the other, so that the tree's nodes stay in the cache.

// walks is the number of walks side by side.
const walks = 16

// A tree may be as deep as it has nodes. So after some steps, in one walk or in many, a call asks whether the run is stopped. Once it is,
// all walks of the call end where they are.

// askSteps is the number of steps between two questions, each of as many walks as go on side by side.
const askSteps = 1 << 10

// asking counts the steps until the next question.
type asking struct {
	stopped func() bool // nil if there is nobody to ask
	steps   int
}

// newAsking returns the count for a call.
func newAsking(f *abi.Frame) asking { return asking{f.Stopped, askSteps} }

// stops asks whether the run is stopped. If it is not, it may take as many steps again.
func (a *asking) stops() bool {
	if a.stopped != nil && a.stopped() {
		return true
	}
	a.steps = askSteps
	return false
}

// forest is a row of elements that are compared, of features, and the nodes that compare them.
type forest struct {
	nodes               unsafe.Pointer
	features, count     int // elements of a row, and nodes
	acrossX, acrossNode int // bytes between elements, and between words of a node
	at                  [walks]int
	row                 [walks]unsafe.Pointer // elements that a walk compares
	out                 [walks]*int64
	asking
}

// leaves walks from each root for each row.
func leaves[T int32 | int64](f *abi.Frame) {
	size := sizeOf[T]()
	rows, stepX, stepNodes, stepRoots, stepOut := f.Rows, f.Step[0], f.Step[1], f.Step[2], f.Step[3]
	s := forest{features: f.Step[5], acrossX: f.Step[6], count: f.Step[7] / ir.NodeWords, acrossNode: f.Step[8], asking: newAsking(f)}
	acrossRoots, acrossOut := f.Step[9], f.Step[10]
	together := rows // rows that have the same trees
	if stepNodes != 0 {
		together = min(rows, 1)
	}
	for first := 0; first < rows; first += together {
		s.nodes = unsafe.Add(f.Ptr[1], first*stepNodes)
		n := 0
		for c := range f.Cols {
			for r := first; r < first+together; r++ {
				root := int64(*(*T)(unsafe.Add(f.Ptr[2], r*stepRoots+c*acrossRoots)))
				if uint64(root) >= uint64(s.count) {
					outside(root, s.count)
				}
				s.at[n], s.row[n] = int(root), unsafe.Add(f.Ptr[0], r*stepX)
				s.out[n] = (*int64)(unsafe.Add(f.Ptr[3], r*stepOut+c*acrossOut))
				if n++; n == walks {
					if s.acrossX == size && s.acrossNode == size {
						walk[T](&s)
					} else {
						walkApart[T](&s, n)
					}
					n = 0
				}
			}
		}
		walkApart[T](&s, n)
	}
}

// walk walks to the leaves if words and elements are contiguous.
func walk[T int32 | int64](s *forest) {
	size := sizeOf[T]()
	features, count, nodes := uint64(s.features), uint64(s.count), s.nodes
	for left := s.count; ; left-- {
		if left == 0 {
			outside(int64(s.count), s.count)
		}
		if s.steps--; s.steps < 0 && s.stops() {
			return
		}
		moved := uint64(0)
		for k := range s.at {
			at := uint(s.at[k])
			node := (*[ir.NodeWords]T)(unsafe.Add(nodes, at*uint(ir.NodeWords*size)))
			feature := uint64(node[0]) // before it is an int, which may have 32 bits
			if feature >= features {
				outside(int64(feature), s.features)
			}
			next := uint64(node[2]) + uint64(bit(*(*T)(unsafe.Add(s.row[k], uint(feature)*uint(size))) > node[1]))
			if next >= count {
				outside(int64(next), s.count)
			}
			moved |= next ^ uint64(at)
			s.at[k] = int(next)
		}
		if moved == 0 {
			break
		}
	}
	for k, at := range s.at {
		*s.out[k] = int64(at)
	}
}

// walkApart walks to the leaves of the first n walks, one after the other.
func walkApart[T int32 | int64](s *forest, n int) {
	for k := range n {
		for left := s.count; ; left-- {
			if left == 0 {
				outside(int64(s.count), s.count)
			}
			if s.steps--; s.steps < 0 && s.stops() {
				return
			}
			at := s.at[k]
			word := func(i int) T { return *(*T)(unsafe.Add(s.nodes, (at*ir.NodeWords+i)*s.acrossNode)) }
			feature, next := int64(word(0)), int64(word(2))
			if uint64(feature) >= uint64(s.features) {
				outside(feature, s.features)
			}
			next += int64(bit(*(*T)(unsafe.Add(s.row[k], int(feature)*s.acrossX)) > word(1)))
			if next == int64(at) {
				break
			}
			if uint64(next) >= uint64(s.count) {
				outside(next, s.count)
			}
			s.at[k] = int(next)
		}
		*s.out[k] = int64(s.at[k])
	}
}
