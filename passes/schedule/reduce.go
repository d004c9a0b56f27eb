package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The strategies for reductions share the normal form of a step and its chunks.

// reduction returns a step in the normal form of a reduction: its Reduce axis is the last one, and there is one before it. It
// may be the step itself.
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

// chunks divides a reduction in normal form into steps whose lines are one chunk: one step for the whole chunks, and one for
// the rest. Several whole chunks are a parallel axis, with the given place.
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

// divide returns the number of columns of a call of a reduction in normal form: width, halved while columns stay wide and there
// are too few calls for the goroutines. It is whole strips, at least one.
func (t *target) divide(s *plan.Step, width, strip int) int {
	n := s.Axes[len(s.Axes)-1].Extent
	for width > max(strip, t.LaneColumns) && elems(s)/n/width*ir.Chunks(n) < t.pieces(t.Work(s)) {
		width = max(strip, width/2/strip*strip)
	}
	return width
}

// combiners returns the ops that combine the outputs.
func combiners(s *plan.Step) []ir.Op {
	ops := make([]ir.Op, len(s.Out))
	for o := range s.Out {
		ops[o] = s.Out[o].Combine
	}
	return ops
}

// sharing writes parts that use the same local memory as the parts before them.
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

// reduceColumns returns the kernel that reduces columns, whose only output a step in normal form has, and the order of its
// inputs. Inputs with one element for all columns are splats.
func (t *target) reduceColumns(s *plan.Step, splats func(i int) bool) (k kernel.Code, order []int, engine, why string) {
	m := &kernel.Micro{Kind: kernel.ReduceColumns, Op: s.Out[0].Combine, Body: s.Body.WithSplats(splats)}
	if m.Verify() != nil {
		return nil, nil, "", "the body is none of those that reduce columns"
	}
	k, order = kernel.Canonical(m)
	engine, why = t.engine(k)
	return k, order, engine, why
}

// packCall returns the call that copies rows x cols elements to rows without gaps. across is the distance of its columns in
// memory.
func packCall(d ir.DType, rows, cols nest.Size, from nest.Arg, across int, to nest.Arg) nest.Item {
	return call(packKernel(d), rows, cols, []nest.Arg{from, to}, nest.Fixed(across*d.Size()))
}

// transposeCall returns the call that transposes lines into columns of rows. Element r of a line, across apart from the one
// before it, becomes the line's element of row r.
func transposeCall(d ir.DType, lines, rows nest.Size, from nest.Arg, across int, to nest.Arg) nest.Item {
	if across == -1 && rows.Loop < 0 { // the last row first: then the kernel reads vectors
		from.Offset -= rows.N - 1
		to.Offset += (rows.N - 1) * to.Step
		across, to.Step = 1, -to.Step
	}
	return call(transposeKernel(d), rows, lines, []nest.Arg{from, to}, nest.Fixed(across*d.Size()))
}
