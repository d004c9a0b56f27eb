package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/tile"
)

// A batch is the first axis of inputs and outputs whose indices a plan computes apart from each
// other: row i of each buffer that has it is computed of row i of others, and of buffers that do
// not have it. Such a plan is one of another size once its extents are: the steps are the same
// code for one row, which knows nothing of how many there are.
//
// Input: a graph with a named size, and the plan of the graph for a number of it. Output: the plan
// for another number, without a pass. The graph shows that the rows are apart, whatever their number
// (BatchName), and the plan where they are (BatchOf); what is not seen to be a batch is none, and is compiled anew.

// Batch is the plan of a graph for any number of rows of a batch.
type Batch struct {
	plan *plan.Plan
	rows int
	axis []int  // of each step: the one that runs over the batch, or none
	has  []bool // of each buffer: whether its first axis is the batch
}

// BatchName reports whether a size is that of a batch: it is the first extent of inputs and outputs; other
// values have it, or a multiple of it, for one of their extents, as all do that are computed of such a value; no
// number is computed of it; and no op mixes rows. So, by induction, where the sized axis of a value is c*n, its element of
// index i along that axis belongs to row i/c, and is computed of elements of this row, and of values without
// the size, in a way that does not depend on n.
func BatchName(f *ir.Func, name string) bool {
	size := ir.Sym(name)
	port := func(v *ir.Value) bool {
		axes, ok := sized(v.Type.Shape, name)
		return ok && (len(axes) == 0 || axes[0] == 0 && v.Type.Shape[0] == size)
	}
	if !every(f.Params, port) || !every(f.Results, port) {
		return false
	}
	return every(f.Body, func(v *ir.Value) bool {
		own, plain := sized(v.Type.Shape, name)
		_, length := sized(ir.Shape{v.Attr.Len}, name)
		begin, _ := sized(ir.Shape{v.Attr.Begin}, name)
		keeps := every(v.Args, func(a *ir.Value) bool {
			axes, _ := sized(a.Type.Shape, name)
			return len(axes) <= len(own)
		})
		return plain && length && keeps && len(begin) == 0 && !mixes(v, name)
	})
}

// mixes reports whether an op moves or combines elements along the axis of an operand that depends on a size, or
// reshapes the operand so that rows are not what they were: the extents before that axis have another product.
func mixes(v *ir.Value, name string) bool {
	for _, a := range v.Args {
		axes, _ := sized(a.Type.Shape, name)
		if len(axes) == 0 {
			continue
		}
		k := axes[0]
		switch info := v.Op.Info(); {
		case v.Attr.Conv != nil:
			if k > 0 || a != v.Args[0] {
				return true
			}
		case v.Op == ir.OpReshape:
			own, _ := sized(v.Type.Shape, name)
			if a.Type.Shape[:k].NumElems() != v.Type.Shape[:own[0]].NumElems() {
				return true
			}
		case v.Op == ir.OpFlip || v.Op == ir.OpDiagonal || info.Kind == ir.Reduce:
			if slices.Contains(v.Attr.Axes, k) {
				return true
			}
		case v.Op == ir.OpSlice || v.Op == ir.OpIndex || v.Op == ir.OpWindow || info.Kind == ir.Scan || info.Kind == ir.Line || info.Kind == ir.Join:
			if v.Attr.Axis == k && !((info.Gathers() || info.Searches()) && a != v.Args[0]) {
				return true
			}
		}
	}
	return false
}

// sized returns which extents of a shape depend on a size, and whether that is at most one, a multiple of it.
func sized(s ir.Shape, name string) (axes []int, ok bool) {
	ok = true
	for k, d := range s {
		if slices.Contains(d.Names(), name) {
			axes = append(axes, k)
			_, _, more, linear := d.Linear()
			ok = ok && linear && more == 0 && len(axes) == 1
		}
	}
	return axes, ok
}

func every(vs []*ir.Value, is func(*ir.Value) bool) bool {
	return !slices.ContainsFunc(vs, func(v *ir.Value) bool { return !is(v) })
}

// BatchOf returns the batch of a plan that was made of a graph, with this number of rows, 2 or
// more, for the size of the name; nil if it is none. Inputs must be in row-major order. Params
// behind the graph's, which Split adds, do not have the batch.
func BatchOf(f *ir.Func, name string, p *plan.Plan, rows int) *Batch {
	b := &Batch{plan: p, rows: rows, axis: slices.Repeat([]int{none}, len(p.Steps)), has: make([]bool, len(p.Buffers))}
	size := ir.Sym(name)
	leads := func(vs []*ir.Value, i int) bool {
		return i < len(vs) && len(vs[i].Type.Shape) > 0 && vs[i].Type.Shape[0] == size
	}
	for i := range p.Buffers {
		buffer := &p.Buffers[i]
		switch buffer.Kind {
		case plan.ParamBuffer:
			b.has[i] = leads(f.Params, buffer.Index)
		case plan.ResultBuffer:
			b.has[i] = leads(f.Results, buffer.Index)
		}
		if b.has[i] && buffer.At != nil {
			return nil
		}
	}
	group := make([]*plan.RowGroup, len(p.Steps))
	for i := range p.Rows {
		for k := p.Rows[i].First; k <= p.Rows[i].Last; k++ {
			group[k] = &p.Rows[i]
		}
	}
	for settled := false; !settled; { // a step may fill part of a temporary that later ones give the batch
		settled = true
		for i := range p.Steps {
			axis, ok := b.axisOf(i, group[i])
			if !ok {
				return nil
			}
			settled = settled && axis == b.axis[i]
			b.axis[i] = axis
		}
	}
	return b
}

// none is the axis of a step that does not run over the batch.
const none = -1

// axisOf returns the axis of a step that runs over the batch: none if neither the step nor another of
// its row group touches a buffer that has it. What it writes has the batch from then on.
func (b *Batch) axisOf(i int, g *plan.RowGroup) (axis int, ok bool) {
	s, first, last := &b.plan.Steps[i], i, i
	if g != nil {
		first, last = g.First, g.Last
	}
	has := func(buffer int) bool { return b.has[buffer] }
	if !slices.ContainsFunc(b.plan.Steps[first:last+1], func(s plan.Step) bool { return s.Touches(has) }) {
		return none, true
	}
	for axis := range s.Axes {
		if g != nil && axis != outermost(g, i) || !b.runsOver(s, axis) {
			continue
		}
		for _, o := range s.Out {
			b.has[o.Buffer] = b.plan.Buffers[o.Buffer].Kind != plan.ScratchBuffer
		}
		return axis, true
	}
	return none, false
}

// outermost returns the axis of step i of a row group that is the first of the outer ones.
func outermost(g *plan.RowGroup, i int) int {
	if len(g.Outer) == 1 {
		return g.Along[i-g.First]
	}
	return 0
}

// runsOver reports whether a step computes row after row along an axis: each access of a buffer
// that has the batch, or gets it here, is of the row of the index, and others do not move.
func (b *Batch) runsOver(s *plan.Step, axis int) bool {
	a := s.Axes[axis]
	gathers := a.Role == plan.Line && oneForEach(s.Out[0].Combine)
	if a.Role != plan.Parallel && !gathers || a.Extent == 0 || a.Extent%b.rows != 0 {
		return false
	}
	for i, a := range s.In {
		if table := gathers && i == 0; table { // all of it, whatever the index
			if b.has[a.Buffer] || a.Line == 0 {
				return false
			}
		} else if !b.ofRow(a, s.InExtents(a), axis, b.has[a.Buffer]) {
			return false
		}
	}
	for o, out := range s.Out {
		if b.plan.Buffers[out.Buffer].Kind == plan.ResultBuffer && !b.has[out.Buffer] { // of a fixed shape
			return false
		}
		if !b.ofRow(out.Access, s.OutExtents(o), axis, true) {
			return false
		}
	}
	return true
}

// oneForEach reports whether an op on lines computes one element for each of its second operand, as along other axes, from a whole
// line of the first.
func oneForEach(op ir.Op) bool {
	return op == ir.OpGather || op.Info().Searches()
}

// ofRow reports whether an access over some extents touches, at an index of an axis, only what
// belongs to the row of that index, or, of a buffer without the batch, the same elements for all.
func (b *Batch) ofRow(a plan.Access, extents []int, axis int, has bool) bool {
	buffer := &b.plan.Buffers[a.Buffer]
	stride := a.Strides[axis]
	switch {
	case buffer.Kind == plan.ScratchBuffer: // of rows that the same goroutine has just computed
		return true
	case !has:
		return stride == 0 && (a.Panel == nil || a.Panel.Axis != axis)
	case a.Panel != nil || len(buffer.Shape) == 0 || buffer.Shape[0]%b.rows != 0 || buffer.Size() != b.rows*stride*(extents[axis]/b.rows):
		return false
	}
	other := layout.Layout{Offset: a.Offset, Shape: slices.Clone(extents), Strides: a.Strides}
	other.Shape[axis] = 1
	lo, hi := other.Bounds()
	return lo >= 0 && hi < stride
}

// Resize returns the plan for another number of rows, 1 or more. It shares with the first plan what
// they have in common. It returns nil where the blocks of a row group can't be of fewer rows.
func (b *Batch) Resize(rows int) *plan.Plan {
	p := *b.plan
	p.Buffers, p.Steps, p.Ledger = slices.Clone(p.Buffers), slices.Clone(p.Steps), slices.Clone(p.Ledger)
	of := func(extent int) int { return extent / b.rows * rows }
	for i := range p.Buffers {
		if buffer := &p.Buffers[i]; b.has[i] {
			buffer.Shape = slices.Clone(buffer.Shape)
			buffer.Shape[0] = of(buffer.Shape[0])
		}
	}
	for i, axis := range b.axis {
		if s := &p.Steps[i]; axis != none {
			s.Axes = slices.Clone(s.Axes)
			s.Axes[axis].Extent = of(s.Axes[axis].Extent)
		}
	}
	for i, d := range p.Ledger {
		if (d.Step < 0 || b.axis[d.Step] != none) && d.Bytes%b.rows == 0 {
			p.Ledger[i].Bytes = of(d.Bytes)
		}
	}
	p.Rows = slices.Clone(p.Rows)
	for i := range p.Rows {
		g := &p.Rows[i]
		if b.axis[g.First] == none {
			continue
		}
		g.Outer = slices.Clone(g.Outer)
		g.Outer[0] = of(g.Outer[0])
		if most := g.Outer[len(g.Outer)-1]; g.Block > most && !b.shrink(&p, g, most) {
			return nil
		}
	}
	if err := tile.Place(&p); err != nil {
		return nil
	}
	return &p
}

// shrink sets the rows of a block of a row group, which are fewer. It reports whether the group's scratch
// buffers have row after row, and not chunk after chunk.
func (b *Batch) shrink(p *plan.Plan, g *plan.RowGroup, block int) bool {
	var shrunk []int
	for i := g.First; i <= g.Last; i++ {
		for a := range p.Steps[i].Accesses() {
			buffer := &p.Buffers[a.Buffer]
			if buffer.Kind != plan.ScratchBuffer || slices.Contains(shrunk, a.Buffer) {
				continue
			}
			if buffer.Shape[0] != g.Block || a.Strides[g.Along[i-g.First]]*g.Block != buffer.Size() {
				return false
			}
			shrunk = append(shrunk, a.Buffer)
			buffer.Shape = slices.Clone(buffer.Shape)
			buffer.Shape[0] = block
		}
	}
	g.Block = block
	return true
}
