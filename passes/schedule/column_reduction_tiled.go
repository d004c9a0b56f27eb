package schedule

import (
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Column reductions of bodies that have no accumulating kernel: a tiling computes what
// that kernel would, one row of each lane at a time.

// tiling returns the writer of the accumulating body as an elementwise step. Its rows
// are the lanes of at most so many rows, its operands where the views say.
func (c *columnWriter) tiling(rows int, views []view) *elemWriter {
	s, k := c.s, c.one.code
	last := len(s.Axes) - 1
	step := &plan.Step{Body: k, Axes: append([]plan.Axis{}, s.Axes...), Pos: s.Pos}
	step.Axes = append(step.Axes, plan.Axis{Extent: rows})
	e := &elemWriter{t: c.t, found: new(bodyKernel), step: step, row: last + 1, col: last - 1, draft: c.d, at: views, tileRows: rows, tileCols: c.width}
	for i, from := range c.one.from {
		o := operand{dtype: k.In[i].DType, row: 1, col: 1}
		a := plan.Access{}
		if from.In < len(s.In) {
			a.Buffer, o = s.In[from.In].Buffer, c.ops[from.In]
		} else {
			a.Buffer = s.Out[from.In-len(s.In)].Buffer
		}
		step.In, e.ops, e.splats = append(step.In, a), append(e.ops, o), append(e.splats, k.In[i].Splat)
		e.from = append(e.from, from.In)
	}
	for o := range s.Out {
		step.Out = append(step.Out, plan.Output{Access: plan.Access{Buffer: s.Out[o].Buffer}})
		e.ops = append(e.ops, operand{dtype: k.DType(k.Out[o]), row: 1, col: 1})
		e.from = append(e.from, len(s.In)+o)
	}
	e.stages = make([]stage, len(e.ops))
	return e
}

// writeTiling returns the calls of a tiling on the operands at a place. Tilings that
// follow one another use the same local memory.
func (w *laneWriter) writeTiling(at *walk, views []view) []nest.Item {
	before := w.c.d.Scratch
	e := w.c.tiling(at.most[w.lanes], views)
	e.row, e.col = w.lanes, w.cols // the step of a part may have an axis of chunks
	e.step.Axes = make([]plan.Axis, w.lanes+1)
	tiles, why := e.newTiling()
	if tiles == nil {
		panic("BUG: schedule: a tiling is gone: " + why)
	}
	perRow, perTile := tiles.write(e, at, at)
	w.most = max(w.most, w.c.d.Scratch)
	w.c.d.Scratch = before
	return append(perRow, perTile...)
}
