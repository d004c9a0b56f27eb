package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// laneWriter writes the calls that reduce the columns of one chunk. It takes the rows as two axes: of 32 lanes, row i is in
// group i/32 and in lane i mod 32. A call combines the rows of some groups and lanes with the accumulators of those lanes. In
// each lane groups are combined in order.
type laneWriter struct {
	c                   *columnWriter
	s                   *plan.Step // its lines are one chunk
	n                   int        // rows
	cols, groups, lanes int        // axes: groups has the place of the lines, lanes are behind
	block               *walk
	ins                 []view // as the plan has them, or copies
	accs, identity      []view // by output, if it is combined
	before              []nest.Item
	packs               []copied // for each group
	most                int      // bytes of local memory that tilings need at most
}

// copied is an input that is copied into local memory.
type copied struct {
	from, to view
	op       operand
}

// part appends the part that reduces lines of one chunk.
func (c *columnWriter) part(s *plan.Step) {
	last := len(s.Axes) - 1
	w := &laneWriter{c: c, s: s, n: s.Axes[last].Extent, cols: last - 1, groups: last, lanes: last + 1}
	axes := append(slices.Clone(s.Axes), plan.Axis{Extent: min(w.n, c.lanes)})
	axes[last].Extent = 1
	w.block = newWalk(axes).cutAll(w.cols, w.groups, w.lanes).cut(w.cols, c.width)
	w.layInputs()
	w.layLanes()
	items := w.before
	if w.laneEach() {
		items = append(items, w.pack(w.block.having(w.lanes, w.n), box{0, 1, w.n})...)
	} else {
		items = append(items, w.reduce()...)
	}
	c.d.Parts = append(c.d.Parts, w.block.part(append(items, w.join()...)))
	c.d.Scratch = max(c.d.Scratch, w.most)
}

// laneEach reports whether each row of the only input is a lane as it is: the input, or its copy, takes the place of the
// accumulators. If the number of rows is no power of two some are copied, which pays for wide rows only.
func (w *laneWriter) laneEach() bool {
	return w.n > 1 && w.n <= w.c.lanes && len(w.s.In) == 1 && len(w.s.Out) == 1 && !w.s.Out[0].Stored() &&
		len(w.c.body.Body) == 0 && w.c.ops[0].class != splat && w.c.ops[0].row != 0 && w.c.tiles == nil &&
		(len(w.packs) > 0 || w.n&(w.n-1) == 0 || w.c.width >= w.c.t.LaneColumns)
}

// local returns local memory that has some elements for each lane.
func (w *laneWriter) local(slot, lane int) view { return w.block.local(slot, w.cols, 1, w.lanes, lane) }

// inLanes returns an operand of the step along the axes of the writer.
func (w *laneWriter) inLanes(slot int, a *plan.Access) view {
	v := viewOf(slot, a)
	row := v.strides[w.groups]
	v.strides = append(slices.Clone(v.strides), row)
	v.strides[w.groups] = row * w.c.lanes
	return v
}

// layInputs reserves memory for the inputs that are copied. An input that is the same for all rows is copied once.
func (w *laneWriter) layInputs() {
	rows := min(w.n, w.c.lanes)
	for i := range w.s.In {
		op, from := w.c.ops[i], w.inLanes(i, &w.s.In[i])
		joined := w.c.flat && op.class == unit && op.row == 0
		if w.ins = append(w.ins, from); op.class <= splat && !joined {
			continue
		}
		to := w.local(w.c.d.scratch(op.dtype, rows*w.c.width), w.c.width)
		if op.row == 0 && !joined {
			to.strides[w.lanes] = 0
		}
		switch w.ins[i] = to; {
		case joined:
			w.before = append(w.before, call(copyKernel(op.dtype, false), nest.Fixed(rows), w.block.size[w.cols], w.block.args(w.lanes, from, to)))
		case op.row == 0:
			w.before = append(w.before, packCall(op.dtype, nest.Fixed(1), w.block.size[w.cols], w.block.arg(&from, w.lanes), op.col, w.block.arg(&to, w.lanes)))
		default:
			w.packs = append(w.packs, copied{from, to, op})
		}
	}
}

// layLanes reserves memory for the accumulators.
func (w *laneWriter) layLanes() {
	rows := min(w.n, w.c.lanes)
	w.accs, w.identity = make([]view, len(w.s.Out)), make([]view, len(w.s.Out))
	for o := range w.s.Out {
		op, d := w.s.Out[o].Combine, w.s.Body.OutType(o)
		if op == ir.OpInvalid {
			continue
		}
		bits, ok := op.Info().Identity(d)
		if !ok {
			panic("BUG: schedule: a combiner without identity: " + op.String())
		}
		wide := w.c.width
		if w.c.flat {
			wide *= rows
		}
		if w.laneEach() && len(w.packs) > 0 {
			w.accs[o] = w.ins[0]
			continue
		}
		w.accs[o] = w.local(w.c.d.scratch(d, rows*w.c.width), w.c.width)
		if !w.laneEach() {
			w.identity[o] = w.local(w.c.d.table(d, bits, wide), 0)
		}
	}
}

// join returns the calls that combine the lanes: the upper half with the lower one, until one lane is left, which goes to the
// output.
func (w *laneWriter) join() (items []nest.Item) {
	for o := range w.s.Out {
		op, d := w.s.Out[o].Combine, w.s.Body.OutType(o)
		if op == ir.OpInvalid {
			continue
		}
		left, from := min(w.n, w.c.lanes), w.accs[o]
		if w.laneEach() {
			from = w.ins[0]
		}
		for half := w.c.lanes / 2; half > 0; half /= 2 {
			if left <= half {
				continue
			}
			to := w.accs[o]
			if half == 1 {
				to = w.inLanes(len(w.s.In)+o, &w.s.Out[o].Access)
			}
			cols := w.block.size[w.cols]
			items = append(items, call(combineKernel(op, d), nest.Fixed(left-half), cols, w.block.args(w.lanes, from, from.move(w.lanes, half), to)))
			if alone := 2*half - left; alone > 0 && w.laneEach() && from.slot != w.accs[o].slot { // lanes without an upper one
				rest := w.block.args(w.lanes, from.move(w.lanes, left-half), w.accs[o].move(w.lanes, left-half))
				items = append(items, call(copyKernel(d, false), nest.Fixed(alone), cols, rest))
			}
			left, from = half, w.accs[o]
		}
	}
	return items
}

// tiling returns the writer of the accumulating body as an elementwise step, for bodies that no kernel accumulates. Its rows
// are the lanes of at most so many rows, its operands are the views.
func (c *columnWriter) tiling(rows int, views []view) *elemWriter {
	s, k := c.s, c.one.code
	last := len(s.Axes) - 1
	step := &plan.Step{Body: k, Axes: append([]plan.Axis{}, s.Axes...), Pos: s.Pos}
	step.Axes = append(step.Axes, plan.Axis{Extent: rows})
	e := &elemWriter{t: c.t, found: new(bodyKernel), step: step, row: last + 1, col: last - 1, draft: c.d, at: views, tileRows: rows, tileCols: c.width}
	for i, from := range c.one.from {
		o := operand{dtype: k.In[i].DType, row: 1, col: 1}
		if from.In < len(s.In) {
			o = c.ops[from.In]
		}
		step.In = append(step.In, plan.Access{Buffer: accessOf(s, from.In).Buffer})
		e.ops, e.splats, e.from = append(e.ops, o), append(e.splats, k.In[i].Splat), append(e.from, from.In)
	}
	for o := range s.Out {
		step.Out = append(step.Out, plan.Output{Access: plan.Access{Buffer: s.Out[o].Buffer}})
		e.ops, e.from = append(e.ops, operand{dtype: k.OutType(o), row: 1, col: 1}), append(e.from, len(s.In)+o)
	}
	e.stages = make([]stage, len(e.ops))
	return e
}

// writeTiling returns the calls of a tiling on the operands at a place. Tilings that follow one another use the same local
// memory.
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
