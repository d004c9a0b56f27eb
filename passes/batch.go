package passes

import (
	"math/bits"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/tile"
)

// A batch is the first axis of inputs and outputs whose rows are independent: row i of a buffer is computed only from
// rows i of other buffers and from buffers without a batch. The steps of such a plan are the same for any number of
// rows; only extents differ.
//
// Resize therefore makes the plan for another number of rows without running a pass. BatchName proves from the graph
// that rows are independent for every size, and BatchOf finds the batch axis of each step of a plan. If either fails,
// the caller compiles each size separately.

// Batch is a plan that can be resized along its batch.
type Batch struct {
	plan *plan.Plan
	rows int
	axis []int  // by step: its batch axis, or none
	has  []bool // by buffer: whether its first axis is the batch
}

// BatchName reports whether the rows of a named size n are independent. They are if all of this holds:
//
//   - an input or output whose type depends on n has n as its first extent, and no other extent depends on n;
//   - every other value has at most one extent that depends on n, a multiple of n, and has one if any operand does;
//   - no value is computed from the number n itself;
//   - no op mixes rows (mixes).
//
// By induction, the element at index i of an axis of extent c*n then belongs to row i/c: it is computed only from
// elements of that row and from values without n, by the same operations for every n.
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

// mixes reports whether an op moves or combines elements along the axis that depends on a size. A reshape mixes rows
// if it changes the product of the extents before that axis.
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

// sized returns the extents of a shape that depend on a size. It reports whether there is at most one, a multiple of
// the size.
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

// BatchOf returns the batch of a plan, or nil if some step mixes rows. The plan was compiled from f with rows, at
// least 2, for the size name. All inputs and outputs must be in row-major order. Params that Split has added after
// the graph's have no batch.
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
	for settled := false; !settled; { // a step may fill part of a temporary that a later step gives the batch
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

// MostRows returns the greatest number of rows that has as many bits as rows. Resize makes the plans of all these numbers
// from the plan of the greatest.
func MostRows(rows int) int { return 1<<bits.Len(uint(rows)) - 1 }

// none stands for the axis of a step that does not run over the batch.
const none = -1

// axisOf returns the batch axis of step i, and gives the step's outputs the batch. The axis is none if neither the
// step nor its row group touches a buffer with the batch. axisOf returns false if the step touches one and no axis
// runs over the batch.
func (b *Batch) axisOf(i int, g *plan.RowGroup) (axis int, ok bool) {
	s, first, last := &b.plan.Steps[i], i, i
	if g != nil {
		first, last = g.First, g.Last
	}
	has := func(buffer int) bool { return b.has[buffer] }
	if !slices.ContainsFunc(b.plan.Steps[first:last+1], func(s plan.Step) bool { return s.Touches(has) }) {
		return none, true
	}
	inside := g != nil && b.divides(g, has)
	if inside && !s.Touches(has) {
		return none, true
	}
	for axis := range s.Axes {
		if g != nil && inside == (axis == outermost(g, i)) || !b.runsOver(s, axis) {
			continue
		}
		for _, o := range s.Out {
			b.has[o.Buffer] = b.plan.Buffers[o.Buffer].Kind != plan.ScratchBuffer
		}
		return axis, true
	}
	return none, false
}

// divides reports whether the blocks of a row group divide values without the batch, such as panels of a right matrix, so
// that each block has the whole batch. Then the first step computes without the batch.
func (b *Batch) divides(g *plan.RowGroup, has func(buffer int) bool) bool {
	s := &b.plan.Steps[g.First]
	stored := slices.ContainsFunc(s.Out, func(o plan.Output) bool { return b.plan.Buffers[o.Buffer].Kind != plan.ScratchBuffer })
	return !stored && !s.Touches(has) && !b.runsOver(s, outermost(g, g.First))
}

// outermost returns the axis of step i that is the first outer axis of its row group.
func outermost(g *plan.RowGroup, i int) int {
	if len(g.Outer) == 1 {
		return g.Along[i-g.First]
	}
	return 0
}

// runsOver reports whether axis can be the batch axis of a step. At each index, accesses to buffers with the batch and
// all outputs must touch only the row of the index. Accesses to other buffers must be the same at every index.
func (b *Batch) runsOver(s *plan.Step, axis int) bool {
	a := s.Axes[axis]
	gathers := a.Role == plan.Line && oneForEach(s.Out[0].Combine)
	if a.Role != plan.Parallel && !gathers || a.Extent == 0 || a.Extent%b.rows != 0 {
		return false
	}
	for i, a := range s.In {
		if table := gathers && i == 0; table { // every index reads the whole table
			if b.has[a.Buffer] || a.Line == 0 {
				return false
			}
		} else if !b.ofRow(a, s.InExtents(a), axis, b.has[a.Buffer]) {
			return false
		}
	}
	for o, out := range s.Out {
		if b.plan.Buffers[out.Buffer].Kind == plan.ResultBuffer && !b.has[out.Buffer] { // the result has a fixed shape
			return false
		}
		if !b.ofRow(out.Access, s.OutExtents(o), axis, true) {
			return false
		}
	}
	return true
}

// oneForEach reports whether an op on lines reads the whole line of its first operand for each element of the second,
// as a gather does. The axis of the line then acts as a parallel axis of the second operand and the result.
func oneForEach(op ir.Op) bool {
	return op == ir.OpGather || op.Info().Searches()
}

// ofRow reports whether an access at index i of an axis touches only elements of the row of i. If the buffer has no
// batch, ofRow reports whether the access is the same for all i.
func (b *Batch) ofRow(a plan.Access, extents []int, axis int, has bool) bool {
	buffer := &b.plan.Buffers[a.Buffer]
	stride := a.Strides[axis]
	switch {
	case buffer.Kind == plan.ScratchBuffer: // the worker has just computed these rows
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

// Resize returns the plan for another number of rows. The two plans share whatever does not depend on the number.
// Resize returns nil for a single row, because a product of one row is a reduction and adds in another order. It also
// returns nil if a row group's block is larger than the new number of rows and cannot shrink.
func (b *Batch) Resize(rows int) *plan.Plan {
	if rows == 1 {
		return nil
	}
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

// shrink reduces the block of a row group. It reports whether that is possible: each scratch buffer of the group must
// hold whole rows one after another, not chunks of them.
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
