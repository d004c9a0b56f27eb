package plan

import (
	"iter"
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// A Step is a structured loop nest. For each index of its axes it reads one element of each input, computes the body, and stores or
// combines each output. The role of an axis is what the step does along it. How a machine walks the axes is left to the
// schedule.
//
//	step 0 [4096,1024 reduce]
//	  kernel (u0:f32) { t0 = mul u0 u0; store t0 }
//	  %0{1024,1}+0 -> add %1{1,0}+0
//
// Offsets and strides count elements of the buffer. The order of the axes has no meaning.
type Step struct {
	Body *kernel.Kernel // elementwise; an input that is one element for the whole step is a splat
	Axes []Axis
	In   []Access // of the body's inputs
	Out  []Output // of the body's outputs
	Once bool     // one run serves all runs of the program: the step depends only on params that never change
	Pos  ir.Pos
}

// Axis is one loop of a step.
type Axis struct {
	Extent int
	Role   Role
}

// Access describes the elements of a buffer that a step reads or writes: index i is at Offset + sum i[k]*Strides[k].
type Access struct {
	Buffer  int
	Offset  int
	Strides []int
	// Panel cuts one axis of the access into panels, unless it is nil.
	Panel *Panel
	// Line is the number of elements of the access along the axis of role Line, or 0 if that is the output's.
	Line int
}

// Panel cuts an axis of an access into panels: index i of the axis is at i%Size times the axis's stride plus i/Size times Stride.
type Panel struct{ Axis, Size, Stride int }

// Output is the access of a stored value, and the op that combines the values of one element: OpInvalid if each element has one value.
type Output struct {
	Access
	Combine ir.Op
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

// Over returns copies of the step's inputs and outputs, with strides along rank other axes. It calls move for each copy, which still
// has the old strides, and move writes the new ones. o is the output of the access, or nil for an input.
func (s *Step) Over(rank int, move func(a *Access, strides []int, o *Output)) (in []Access, out []Output) {
	in, out = make([]Access, len(s.In)), make([]Output, len(s.Out))
	all := make([]int, rank*(len(in)+len(out)))
	next := func(a *Access, o *Output) {
		strides := all[:rank:rank]
		all = all[rank:]
		move(a, strides, o)
		a.Strides = strides
	}
	for i := range in {
		in[i] = s.In[i]
		next(&in[i], nil)
	}
	for o := range out {
		out[o] = s.Out[o]
		next(&out[o].Access, &out[o])
	}
	return in, out
}

// Touches reports whether is returns true for the buffer of some access of the step.
func (s *Step) Touches(is func(buffer int) bool) bool {
	for a := range s.Accesses() {
		if is(a.Buffer) {
			return true
		}
	}
	return false
}

// Indices returns the number of indices of axes together, or the greatest int if there are more.
func Indices(axes []Axis) int {
	n, ok := 1, true
	for _, a := range axes {
		if n, ok = layout.MulInt(n, a.Extent); !ok {
			return math.MaxInt
		}
	}
	return n
}

// Extents returns the extents of the axes.
func (s *Step) Extents() []int {
	out := make([]int, len(s.Axes))
	for k, a := range s.Axes {
		out[k] = a.Extent
	}
	return out
}
