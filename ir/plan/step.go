package plan

import (
	"iter"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// A Step is a structured loop nest. For each index of its axes it reads one element
// of each input, computes the body, and stores or combines each output. What the step
// does along an axis is the axis's role; how a machine walks the axes is not said here:
// that is the schedule's.
//
//	step 0 [4096 parallel, 1024 reduce]
//	  kernel (u0:f32) { t0 = mul u0 u0; store t0 }
//	  %0{1024,1}+0 -> add %1{1,0}+0
//
// Offsets and strides count elements of the buffer. The last axis has no special place.
type Step struct {
	Body *kernel.Kernel // elementwise; an input is a splat if it is one element for the whole step
	Axes []Axis
	In   []Access // of the body's inputs
	Out  []Output // of the body's outputs
	Pos  ir.Pos
}

// Axis is one loop of a step.
type Axis struct {
	Extent int
	Role   Role
}

// Role says what a step does along an axis.
type Role uint8

// The roles. A step has at most one axis that is not Parallel, but for Contract: the pairs
// of a product are one axis or more, next to each other.
const (
	// Parallel: every index is computed on its own.
	Parallel Role = iota
	// Reduce: an output with a combiner has one element for each chunk of
	// ir.ReduceChunk indices, combined by the tree of ir.ReduceRow. Its stride along the
	// axis is from chunk to chunk. An output without a combiner is stored.
	Reduce
	// Scan: the output is the running value of ir.ScanLine, with the element itself.
	Scan
	// ScanExclusive: the running value without the element itself.
	ScanExclusive
	// Contract: the output is the sum of products of ir.DotLine over the indices of these
	// axes in row-major order; the body multiplies. See Step.Product.
	Contract
	// Line: lines of the output are what an op on lines, its combiner, makes of those of
	// the inputs. The body is not used.
	Line
)

// Access is how a step reads or writes a buffer: the element of index i is at
// Offset + sum i[k]*Strides[k].
type Access struct {
	Buffer  int
	Offset  int
	Strides []int
	// Panel is nil, or cuts one axis of the access into panels.
	Panel *Panel
	// Line is 0, or how many elements the access has along the axis of role Line where
	// they are not as many as the output's.
	Line int
}

// Panel cuts an axis of an access: index i of the axis is at i%Size times the axis's
// stride plus i/Size times Stride.
type Panel struct{ Axis, Size, Stride int }

// Output is where a step stores a value, and by which op it combines those of one
// element: OpInvalid if there is but one.
type Output struct {
	Access
	Combine ir.Op
}

// Kind returns the role that the step has besides Parallel, and its first axis, -1 if all
// axes are parallel. It is the one place where the kind of a step is told.
func (s *Step) Kind() (role Role, axis int) {
	for k, a := range s.Axes {
		if a.Role != Parallel {
			return a.Role, k
		}
	}
	return Parallel, -1
}

// Product says where the axes of a product begin. Those before Pairs count its matrices, then
// come the pairs that are multiplied and added, then the rows of the left matrix, the
// first input, and last the columns of the right one: one axis or more of each. The left
// matrix does not move along the columns, nor the right one along the rows.
type Product struct{ Pairs, Rows, Cols int }

// Product returns where the axes of a Contract step begin. The columns begin with the
// first axis behind that of the rows along which the right matrix moves, or are the last.
func (s *Step) Product() Product {
	_, pairs := s.Kind()
	rows := pairs
	for rows < len(s.Axes) && s.Axes[rows].Role == Contract {
		rows++
	}
	cols := rows + 1
	for cols < len(s.Axes)-1 && !s.moves(&s.In[1], cols) {
		cols++
	}
	return Product{pairs, rows, cols}
}

// moves reports whether an access is at different elements along an axis.
func (s *Step) moves(a *Access, axis int) bool {
	return s.Axes[axis].Extent > 1 && a.Strides[axis] != 0
}

// Reduces reports whether an output is combined along an axis, so that it has fewer
// elements than the step has indices.
func (s *Step) Reduces() bool {
	role, _ := s.Kind()
	return role == Reduce || role == Contract
}

// InPlace reports whether an output may be stored where an input is read that has the
// same elements: no element is read after another has been stored there.
func (s *Step) InPlace() bool {
	role, _ := s.Kind()
	return role == Parallel || role == Scan
}

// Scans reports whether the step stores the running values along an axis.
func (s *Step) Scans() bool {
	role, _ := s.Kind()
	return role == Scan || role == ScanExclusive
}

// Accesses yields the inputs' accesses, then the outputs'.
func (s *Step) Accesses() iter.Seq[*Access] {
	return func(yield func(*Access) bool) {
		for i := range s.In {
			if !yield(&s.In[i]) {
				return
			}
		}
		for i := range s.Out {
			if !yield(&s.Out[i].Access) {
				return
			}
		}
	}
}

// Touches reports whether an access of the step is of a buffer that is asked for.
func (s *Step) Touches(is func(buffer int) bool) bool {
	for a := range s.Accesses() {
		if is(a.Buffer) {
			return true
		}
	}
	return false
}

// OutType returns the element type of output o.
func (s *Step) OutType(o int) ir.DType {
	if s.Out[o].Combine.IsArgReduction() {
		return ir.Int32
	}
	if role, _ := s.Kind(); role == Line {
		return ir.LineType(s.Out[o].Combine, s.Body.In[0].DType)
	}
	return s.Body.DType(s.Body.Out[o])
}

// Extents returns the extents of the axes.
func (s *Step) Extents() []int {
	out := make([]int, len(s.Axes))
	for k, a := range s.Axes {
		out[k] = a.Extent
	}
	return out
}

// Reach returns the extents over which output o moves: the axes', with chunks in place
// of what is reduced, and 1 in place of what is contracted.
func (s *Step) Reach(o int) []int {
	reach := s.Extents()
	for k, a := range s.Axes {
		switch {
		case a.Role == Contract:
			reach[k] = min(1, a.Extent)
		case a.Role == Reduce && s.Out[o].Combine != ir.OpInvalid:
			reach[k] = ir.Chunks(a.Extent)
		}
	}
	return reach
}

// CombinesAll reports whether every output is combined by an op on elements: none is stored
// besides, and none is an index.
func (s *Step) CombinesAll() bool {
	for _, o := range s.Out {
		if o.Combine == ir.OpInvalid || o.Combine.IsArgReduction() {
			return false
		}
	}
	return true
}
