package form

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// loopNest holds the loops of a group: the extents of its axes, and the accesses of its inputs and outputs along them.
// If the group reduces, the last axis is the reduced line.
type loopNest struct {
	g       *group
	extents []int
	in, out []plan.Access // parallel to g.inputs and g.outputs
}

// nestSpace is scratch memory for making the step of a group. The next group reuses it.
type nestSpace struct {
	layout.Space
	all        []*ir.Value
	access     []plan.Access
	own, fixed []layout.Layout
	zeros      []int
	axes       []int
}

// forget drops all references to the last nest, but keeps the memory.
func (sp *nestSpace) forget() {
	clear(sp.all[:cap(sp.all)])
	clear(sp.access[:cap(sp.access)])
	clear(sp.own[:cap(sp.own)])
	clear(sp.fixed[:cap(sp.fixed)])
	sp.Space.Forget()
}

// nest returns the loops of a group along the coarsest axes that give every operand one stride each. The accesses are
// valid until the next call.
func (l *looper) nest(g *group) loopNest {
	sp := &l.s.space
	sp.Reset()
	n := len(g.inputs) + len(g.outputs)
	sp.all, sp.access, sp.own = append(append(slices.Grow(sp.all[:0], n), g.inputs...), g.outputs...), slices.Grow(sp.access[:0], n), slices.Grow(sp.own[:0], n)
	for i, v := range sp.all {
		var a plan.Access
		var at layout.Layout
		if i < len(g.inputs) {
			a.Buffer, at = l.of(base(v)), rewrite.LayoutIn(&sp.Space, v)
		} else {
			a.Buffer, at = l.stored(&sp.Space, v)
		}
		sp.access, sp.own = append(sp.access, a), append(sp.own, at)
	}
	all, access, own := sp.all, sp.access, sp.own
	layouts := sp.refine(g, all, own)
	extents, columns := layouts[0].Shape, 0
	apart := g.line() == 0 && slices.ContainsFunc(layouts[len(g.inputs):], func(o layout.Layout) bool {
		last := len(o.Strides) - 1
		return last >= 0 && o.Strides[last] != 1
	})
	if apart {
		columns = 1
	}
	rank := max(2, len(extents)+columns)
	strides := l.ints.Take(len(all) * rank)
	for i, v := range all {
		to := strides[i*rank : (i+1)*rank : (i+1)*rank]
		from := layouts[i].Strides
		copy(to[rank-columns-len(from):], from)
		splat := AllZero(from)
		if len(extents) == 0 { // there are no strides to ask, but v knows
			splat = i < len(g.inputs) && isSplat(v)
		}
		if !splat && (apart || len(extents) == 0) { // a column axis of one element has stride 1
			to[rank-1] = 1
		}
		access[i].Offset, access[i].Strides = layouts[i].Offset, to
	}
	sp.axes = append(append(append(sp.axes[:0], rewrite.ManyOnes[:rank-columns-len(extents)]...), extents...), rewrite.ManyOnes[:columns]...)
	return loopNest{g, sp.axes, access[:len(g.inputs)], access[len(g.inputs):]}
}

// refine replaces the layouts of a group's inputs and outputs, each over its own shape, by layouts over one common
// shape. If the group reduces, the last axis of that shape is the line. Along the line, a reduced output has the stride
// from chunk to chunk.
func (sp *nestSpace) refine(g *group, all []*ir.Value, own []layout.Layout) []layout.Layout {
	fixed := slices.Grow(sp.fixed[:0], len(all)) // the layouts that determine the loop nest
	follows := func(i int, v *ir.Value) bool {
		return !rewrite.IsConst(v) && (i < len(g.inputs) || v.Op != ir.OpReduceChunks)
	}
	for i, v := range all {
		if follows(i, v) {
			fixed = append(fixed, own[i])
		}
	}
	sp.fixed = fixed
	ok, n := false, g.line()
	if n > 0 {
		fixed, ok = lineNest(&sp.Space, fixed, rewrite.Size(domain(g.values[0])), n)
	} else {
		fixed, ok = sp.Refine(fixed...)
	}
	if !ok {
		panic("the operands of a group have no common loop nest")
	}
	shape := fixed[0].Shape
	for len(sp.zeros) < len(shape) {
		sp.zeros = append(sp.zeros, 0)
	}
	zeros := sp.zeros[:len(shape):len(shape)]
	for i, v := range all {
		switch {
		case follows(i, v):
			own[i], fixed = fixed[0], fixed[1:]
		case rewrite.IsConst(v):
			own[i] = layout.Layout{Shape: shape, Strides: zeros}
		default:
			own[i] = reducedLayout(shape)
		}
	}
	return own
}

// reducedLayout returns the layout of the results of reducing the last axis: one row-major block over the other axes
// for each chunk of the last axis.
func reducedLayout(shape []int) layout.Layout {
	last := len(shape) - 1
	l := layout.RowMajor(shape[:last]...)
	lines := 1
	for _, n := range shape[:last] {
		lines *= n
	}
	if shape[last] <= ir.ReduceChunk {
		lines = 0 // there is only one chunk
	}
	return layout.Layout{Shape: shape, Strides: append(l.Strides, lines)}
}

// Leading pads numbers on the left with fill to length rank.
func Leading(numbers []int, rank, fill int) []int {
	out := make([]int, rank)
	for i := range rank - len(numbers) {
		out[i] = fill
	}
	copy(out[rank-len(numbers):], numbers)
	return out
}

// stepOf returns the step that runs a group's body in its loop nest.
func (l *looper) stepOf(n loopNest) plan.Step {
	body, order := l.bodyOf(n)
	s := plan.Step{Body: body, Axes: Parallel(n.extents), Pos: n.g.values[len(n.g.values)-1].Pos}
	if n.g.line() > 0 {
		s.Axes[len(s.Axes)-1].Role = plan.Reduce
	}
	s.In, s.Out = make([]plan.Access, len(order)), make([]plan.Output, len(n.out))
	for k, i := range order {
		s.In[k] = n.in[i]
	}
	for i, v := range n.g.outputs {
		s.Out[i].Access = n.out[i]
		if v.Op == ir.OpReduceChunks {
			s.Out[i].Combine = v.Attr.By
		}
	}
	return s
}

// Parallel returns parallel axes of the given extents.
func Parallel(extents []int) []plan.Axis {
	axes := make([]plan.Axis, len(extents))
	for k, e := range extents {
		axes[k].Extent = e
	}
	return axes
}

// bodyOf returns the body of the group as a canonical kernel. Input i of the kernel is n.in[order[i]].
func (l *looper) bodyOf(n loopNest) (canon *kernel.Kernel, order []int) {
	g, k := n.g, &l.s.body
	k.Fast, k.In, k.Body, k.Out = l.s.Func.Fast, slices.Grow(k.In[:0], len(g.inputs)), slices.Grow(k.Body[:0], len(g.values)), slices.Grow(k.Out[:0], len(g.outputs))
	for i, v := range g.inputs {
		k.In = append(k.In, kernel.Operand{DType: v.Type.DType, Splat: AllZero(n.in[i].Strides)})
		*l.ref.At(v) = int32(i)
	}
	for _, v := range g.values {
		if v.Op == ir.OpReduceChunks {
			continue
		}
		in := kernel.Inst{Op: v.Op, DType: v.Type.DType}
		for i, a := range v.Args {
			in.Args[i] = kernel.Ref(*l.ref.At(a))
		}
		k.Body = append(k.Body, in)
		*l.ref.At(v) = int32(len(k.In) + len(k.Body) - 1)
	}
	for _, v := range g.outputs {
		if v.Op == ir.OpReduceChunks {
			v = v.Args[0]
		}
		k.Out = append(k.Out, kernel.Ref(*l.ref.At(v)))
	}
	return k.Canonical()
}

// AllZero reports whether all strides are 0, so that the operand is one element for all indices.
func AllZero(strides []int) bool {
	return !slices.ContainsFunc(strides, func(n int) bool { return n != 0 })
}
