package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// loops of a group: the extents of its axes, and where its inputs and its outputs are
// along them. If the group reduces, the last axis is reduced.
type loopNest struct {
	g       *group
	ref     *valueMap[kernel.Ref] // of the looper
	extents []int
	in, out []plan.Access // of g.inputs and g.outputs
}

// nest finds the coarsest axes along which every operand has a stride.
func (l *looper) nest(g *group) *loopNest {
	all := slices.Concat(g.inputs, g.outputs)
	buffers, own := make([]int, len(all)), make([]layout.Layout, len(all))
	for i, v := range all {
		if i < len(g.inputs) {
			buffers[i], own[i] = l.of(base(v)), layoutOf(v)
		} else {
			buffers[i], own[i] = l.stored(v)
		}
	}
	layouts := refine(g, all, own)
	n := &loopNest{g: g, ref: &l.ref, extents: layouts[0].Shape}
	apart := g.line() == 0 && slices.ContainsFunc(layouts[len(g.inputs):], func(o layout.Layout) bool {
		last := len(o.Strides) - 1
		return last >= 0 && o.Strides[last] != 1
	})
	if apart {
		n.extents = append(slices.Clone(n.extents), 1)
	}
	pad := max(0, 2-len(n.extents))
	for i, v := range all {
		strides := layouts[i].Strides
		if len(n.extents) == 0 && (i >= len(g.inputs) || !isSplat(v)) {
			strides = []int{1} // whether it is a splat does not depend on the extents
		}
		if apart { // columns of one element: those of an output are next to each other
			along := 1
			if allZero(strides) {
				along = 0
			}
			strides = append(slices.Clone(strides), along)
		}
		a := plan.Access{Buffer: buffers[i], Offset: layouts[i].Offset, Strides: leading(strides, len(n.extents)+pad, 0)}
		if i < len(g.inputs) {
			n.in = append(n.in, a)
		} else {
			n.out = append(n.out, a)
		}
	}
	n.extents = leading(n.extents, len(n.extents)+pad, 1)
	return n
}

// refine returns the layouts of all a group's inputs and outputs over one shape, given
// each over its own. If
// the group reduces, the shape's last axis is the line, along which a reduced
// output has the stride from chunk to chunk.
func refine(g *group, all []*ir.Value, own []layout.Layout) []layout.Layout {
	fixed := make([]layout.Layout, 0, len(all)) // those that the loop nest follows from
	follows := func(i int, v *ir.Value) bool {
		return !isConst(v) && (i < len(g.inputs) || v.Op != ir.OpReduceChunks)
	}
	for i, v := range all {
		if follows(i, v) {
			fixed = append(fixed, own[i])
		}
	}
	ok, n := false, g.line()
	if n > 0 {
		fixed, ok = lineNest(fixed, size(domain(g.values[0])), n)
	} else {
		fixed, ok = layout.Refine(fixed...)
	}
	if !ok {
		panic("the operands of a group have no common loop nest")
	}
	shape := fixed[0].Shape
	out := make([]layout.Layout, len(all))
	zeros := make([]int, len(shape))
	for i, v := range all {
		switch {
		case follows(i, v):
			out[i], fixed = fixed[0], fixed[1:]
		case isConst(v):
			out[i] = layout.Layout{Shape: shape, Strides: zeros}
		default:
			out[i] = reducedLayout(shape)
		}
	}
	return out
}

// reducedLayout is where the results of reducing the last axis go: the other axes
// row-major, chunk after chunk.
func reducedLayout(shape []int) layout.Layout {
	last := len(shape) - 1
	l := layout.RowMajor(shape[:last]...)
	lines := 1
	for _, n := range shape[:last] {
		lines *= n
	}
	if shape[last] <= ir.ReduceChunk {
		lines = 0 // the only chunk
	}
	return layout.Layout{Shape: shape, Strides: append(l.Strides, lines)}
}

// leading returns a list of rank numbers that ends with the given ones, behind as many
// of fill as that takes.
func leading(numbers []int, rank, fill int) []int {
	out := make([]int, rank)
	for i := range rank - len(numbers) {
		out[i] = fill
	}
	copy(out[rank-len(numbers):], numbers)
	return out
}

// step makes the step.
func (n *loopNest) step(fast bool) plan.Step {
	body, order := n.body(fast)
	s := plan.Step{Body: body, Axes: parallel(n.extents), Pos: n.g.values[len(n.g.values)-1].Pos}
	if n.g.line() > 0 {
		s.Axes[len(s.Axes)-1].Role = plan.Reduce
	}
	for _, i := range order {
		s.In = append(s.In, n.in[i])
	}
	for i, v := range n.g.outputs {
		o := plan.Output{Access: n.out[i]}
		if v.Op == ir.OpReduceChunks {
			o.Combine = v.Attr.By
		}
		s.Out = append(s.Out, o)
	}
	return s
}

// parallel returns parallel axes of the given extents.
func parallel(extents []int) []plan.Axis {
	axes := make([]plan.Axis, len(extents))
	for k, e := range extents {
		axes[k].Extent = e
	}
	return axes
}

// body writes the group's body. Input i of the kernel is n.in[order[i]].
func (n *loopNest) body(fast bool) (k *kernel.Kernel, order []int) {
	g := n.g
	k = &kernel.Kernel{Fast: fast, In: make([]kernel.Operand, len(g.inputs))}
	for i, v := range g.inputs {
		k.In[i] = kernel.Operand{DType: v.Type.DType, Splat: allZero(n.in[i].Strides)}
		*n.ref.at(v) = kernel.Ref(i)
	}
	k.Body = make([]kernel.Inst, 0, len(g.values))
	for _, v := range g.values {
		if v.Op == ir.OpReduceChunks {
			continue
		}
		in := kernel.Inst{Op: v.Op, DType: v.Type.DType}
		for i, a := range v.Args {
			in.Args[i] = *n.ref.at(a)
		}
		k.Body = append(k.Body, in)
		*n.ref.at(v) = kernel.Ref(len(k.In) + len(k.Body) - 1)
	}
	for _, v := range g.outputs {
		if v.Op == ir.OpReduceChunks {
			v = v.Args[0]
		}
		k.Out = append(k.Out, *n.ref.at(v))
	}
	return k.Canonical()
}

// allZero reports whether an operand with such strides is one element for all indices.
func allZero(strides []int) bool {
	return !slices.ContainsFunc(strides, func(n int) bool { return n != 0 })
}
