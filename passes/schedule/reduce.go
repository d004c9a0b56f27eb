package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// What the strategies for reductions share: the normal form of a step, its chunks, and
// the choice between rows and columns.

// reduction returns a step in the normal form of a reduction: its Reduce axis is the
// last one, and there is one before it. It may be the step itself.
func reduction(s *plan.Step) (norm *plan.Step, why string) {
	axis, last := s.Along(), len(s.Axes)-1
	if !s.Reduces() {
		return nil, "it reduces no axis"
	}
	for a := range s.Accesses() {
		if why = plain(a); why != "" {
			return nil, why
		}
	}
	if axis == last && last > 0 {
		return s, ""
	}
	var order []int
	if len(s.Axes) == 1 {
		order = append(order, -1)
	}
	for k := range s.Axes {
		if k != axis {
			order = append(order, k)
		}
	}
	order = append(order, axis)
	norm = &plan.Step{Body: s.Body, Pos: s.Pos, Axes: make([]plan.Axis, len(order))}
	for k, from := range order {
		norm.Axes[k] = plan.Axis{Extent: 1}
		if from >= 0 {
			norm.Axes[k] = s.Axes[from]
		}
	}
	norm.In, norm.Out = s.Over(len(order), func(a *plan.Access, strides []int, _ *plan.Output) {
		for k, from := range order {
			if from >= 0 {
				strides[k] = a.Strides[from]
			}
		}
	})
	return norm, ""
}

// chunks returns the steps that a reduction in normal form falls into, whose lines are
// one chunk each: one for the whole chunks, and one for the rest. Several whole chunks
// are a parallel axis, with the given place.
func chunks(s *plan.Step, at int) []*plan.Step {
	n := s.Axes[len(s.Axes)-1].Extent
	whole, rest := n/ir.ReduceChunk, n%ir.ReduceChunk
	var out []*plan.Step
	if whole > 0 {
		out = append(out, chunk(s, at, 0, whole, ir.ReduceChunk))
	}
	if rest > 0 {
		out = append(out, chunk(s, at, whole, 1, rest))
	}
	return out
}

// divide returns how many columns a call takes of a reduction in normal form: width, halved until there are calls for
// several goroutines, if the columns stay wide. It keeps whole strips, one at least.
func (t *target) divide(s *plan.Step, width, strip int) int {
	n := s.Axes[len(s.Axes)-1].Extent
	for width > max(strip, t.LaneColumns) && elems(s)/n/width*ir.Chunks(n) < t.pieces(t.Work(s)) {
		width = max(strip, width/2/strip*strip)
	}
	return width
}

// chunk returns the step over count chunks of n elements, from a chunk on.
func chunk(s *plan.Step, at, first, count, n int) *plan.Step {
	last := len(s.Axes) - 1
	out := &plan.Step{Body: s.Body, Pos: s.Pos}
	out.Axes = append(out.Axes, s.Axes...)
	out.Axes[last].Extent = n
	if count > 1 {
		out.Axes = append(out.Axes[:at], append([]plan.Axis{{Extent: count}}, out.Axes[at:]...)...)
	}
	out.In, out.Out = s.Over(len(out.Axes), func(a *plan.Access, strides []int, o *plan.Output) {
		step, line := a.Strides[last]*ir.ReduceChunk, a.Strides[last]
		if o != nil && !o.Stored() {
			step, line = line, 0
		}
		a.Offset += first * step
		copy(strides, a.Strides[:last])
		if count > 1 {
			copy(strides[at+1:], a.Strides[at:last])
			strides[at] = step
		}
		strides[len(strides)-1] = line
	})
	return out
}

// combiners returns the ops that combine the outputs.
func combiners(s *plan.Step) []ir.Op {
	ops := make([]ir.Op, len(s.Out))
	for o := range s.Out {
		ops[o] = s.Out[o].Combine
	}
	return ops
}

// sharing writes parts that use the same local memory as those before.
func (d *Draft) sharing(write func()) {
	before := d.Scratch
	d.Scratch = 0
	write()
	d.Scratch = max(d.Scratch, before)
}

// packed notes the operands that are copied.
func (d *Draft) packed(ops []operand) {
	d.Choice.Packed = d.Choice.Packed[:0]
	for i, op := range ops {
		if op.class > splat {
			d.Choice.Packed = append(d.Choice.Packed, i)
		}
	}
}

// packBlock returns the item that copies rows x cols elements, which are across apart
// along the columns.
func packBlock(d ir.DType, rows, cols nest.Size, from nest.Arg, across int, to nest.Arg) nest.Item {
	return call(packKernel(d), rows, cols, []nest.Arg{from, to}, nest.Fixed(across*d.Size()))
}

// transposeBlock returns the item that copies lines of elements that are across apart.
// Element r of line c becomes the element in row r and column c.
func transposeBlock(d ir.DType, lines, rows nest.Size, from nest.Arg, across int, to nest.Arg) nest.Item {
	return call(transposeKernel(d), rows, lines, []nest.Arg{from, to}, nest.Fixed(across*d.Size()))
}

// rowsCan returns why a row reduction can't compute a step in normal form, or "".
func rowsCan(s *plan.Step) string {
	last := len(s.Axes) - 1
	for _, o := range s.Out {
		if o.Stored() && s.Axes[last].Extent > 1 && o.Strides[last] != 1 {
			return "an output that is stored is not contiguous along the lines"
		}
	}
	return ""
}

// columnsCan returns why a column reduction can't compute a step in normal form, or "".
func columnsCan(s *plan.Step) string {
	last := len(s.Axes) - 1
	for _, o := range s.Out {
		switch {
		case o.Combine.IsArgReduction():
			return "an index is found along a row alone"
		case s.Axes[last-1].Extent > 1 && o.Strides[last-1] != 1:
			return "an output is not contiguous across the lines"
		}
	}
	return ""
}
