package plan

import (
	"slices"

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

// The roles. A step has at most one axis that is not Parallel.
const (
	// Parallel: every index is computed on its own.
	Parallel Role = iota
	// Reduce: an output with a combiner has one element for each chunk of
	// ir.FoldChunk indices, combined by the tree of ir.FoldRow. Its stride along the
	// axis is from chunk to chunk. An output without a combiner is stored.
	Reduce
	// Scan: the output is the running value of ir.ScanLine, with the element itself.
	Scan
	// ScanExclusive: the running value without the element itself.
	ScanExclusive
	// Contract: the output is the sum of products of ir.DotLine; the body multiplies.
	Contract
)

// Access is how a step reads or writes a buffer: the element of index i is at
// Offset + sum i[k]*Strides[k].
type Access struct {
	Buffer  int
	Offset  int
	Strides []int
	// Panel is nil, or cuts one axis of the access into panels.
	Panel *Panel
	// Index is 0, or 1 + the input whose element is added to the location, times
	// IndexStride: a gather or a scatter. No strategy takes one yet.
	Index       int
	IndexStride int
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

// Kind returns the role that the step has besides Parallel, and its axis, -1 if all
// axes are parallel. It is the one place where the kind of a step is told.
func (s *Step) Kind() (role Role, axis int) {
	for k, a := range s.Axes {
		if a.Role != Parallel {
			return a.Role, k
		}
	}
	return Parallel, -1
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

// Structured returns the step by the roles of its axes.
func (s *FlatStep) Structured() Step {
	out := Step{Body: s.Kernel, Pos: s.Pos}
	last, ins := len(s.Extents)-1, len(s.Kernel.In)
	for _, n := range s.Extents {
		out.Axes = append(out.Axes, Axis{Extent: n})
	}
	for _, a := range s.Operands[:ins] {
		out.In = append(out.In, a)
	}
	for i, a := range s.Operands[ins:] {
		out.Out = append(out.Out, Output{Access: a, Combine: s.Kernel.FoldOf(i)})
	}
	body := &kernel.Kernel{In: slices.Clone(s.Kernel.In), Body: s.Kernel.Body, Out: s.Kernel.Out, Fast: s.Kernel.Fast}
	switch {
	case s.Kernel.Dots():
		out.Axes[last-2].Role = Contract
		d := s.Kernel.In[0].DType
		b := kernel.NewBuilder(kernel.Operand{DType: d}, kernel.Operand{DType: d})
		b.Store(b.Op(ir.OpMul, 0, 1))
		body = b.Kernel()
		out.Out[0].Combine = ir.OpAdd
		if s.Panels {
			width, pairs := kernel.DotColumns(d), s.Extents[last-2]
			right := &out.In[1]
			right.Strides = slices.Clone(right.Strides)
			right.Strides[last-2], right.Strides[last] = width, 1
			right.Panel = &Panel{Axis: last, Size: width, Stride: pairs * width}
		}
	case s.Scan != NoScan:
		axis := last
		if s.Down {
			axis--
		}
		out.Axes[axis].Role = Scan
		if s.Scan == Exclusive {
			out.Axes[axis].Role = ScanExclusive
		}
	case s.Down:
		out.Axes[last-1].Role = Reduce
		body = s.withoutAccumulators(&out)
	case s.Kernel.Fold != nil:
		out.Axes[last].Role = Reduce
	}
	for i := range body.In {
		body.In[i].Splat = !slices.ContainsFunc(out.In[i].Strides, func(n int) bool { return n != 0 })
	}
	var order []int
	out.Body, order = body.Canonical()
	in := out.In
	out.In = make([]Access, len(order))
	for i, from := range order {
		out.In[i] = in[from]
	}
	return out
}

// withoutAccumulators returns the body of a step that folds down its rows without
// what it combines with, which becomes the outputs' combiners.
func (s *FlatStep) withoutAccumulators(out *Step) *kernel.Kernel {
	k := s.Kernel
	ins := len(k.In)
	place := make([]kernel.Ref, ins+len(k.Body))
	body := &kernel.Kernel{Fast: k.Fast}
	out.In = nil
	for i := range ins {
		place[i] = -1
		if !s.Accumulates(i) {
			place[i] = kernel.Ref(len(body.In))
			body.In = append(body.In, k.In[i])
			out.In = append(out.In, s.Operands[i])
		}
	}
	value := slices.Clone(k.Out)
	dead := map[kernel.Ref]bool{}
	for o, r := range k.Out {
		if !s.Accumulates(ins + o) {
			continue
		}
		in := k.Inst(r)
		out.Out[o].Combine, dead[r] = in.Op, true
		value[o] = in.Args[0]
		if a := int(in.Args[0]); a < ins && s.Accumulates(a) {
			value[o] = in.Args[1]
		}
	}
	for j, in := range k.Body {
		r := kernel.Ref(ins + j)
		if dead[r] {
			continue
		}
		for i := range in.Arity() {
			in.Args[i] = place[in.Args[i]]
		}
		place[r] = kernel.Ref(len(body.In) + len(body.Body))
		body.Body = append(body.Body, in)
	}
	for _, r := range value {
		body.Out = append(body.Out, place[r])
	}
	return body
}
