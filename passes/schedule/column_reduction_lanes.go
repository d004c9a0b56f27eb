package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// laneWriter writes the calls that reduce the columns of one chunk. It takes the rows as
// two axes: where there are 32 lanes, row i is in group i/32, and in lane i mod 32. A call combines the rows of
// some groups and lanes with the accumulators of those lanes; in each lane, groups are
// combined in their order.
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

// laneEach reports whether each row of the one input is a lane as it is, with no other row: the input, or its copy, is
// in place of the accumulators. If the rows are no power of two some of the input are copied, which short ones do not pay.
func (w *laneWriter) laneEach() bool {
	return w.n > 1 && w.n <= w.c.lanes && len(w.s.In) == 1 && len(w.s.Out) == 1 && !w.s.Out[0].Stored() &&
		len(w.c.body.Body) == 0 && w.c.ops[0].class != splat && w.c.ops[0].row != 0 && w.c.tiles == nil &&
		(len(w.packs) > 0 || w.n&(w.n-1) == 0 || w.c.width >= w.c.t.LaneColumns)
}

// local returns the view of local memory that has some elements for each lane.
func (w *laneWriter) local(slot, lane int) view {
	v := view{slot: slot, strides: make([]int, w.lanes+1), from: w.block.depth()}
	v.strides[w.cols], v.strides[w.lanes] = 1, lane
	return v
}

// inLanes returns the view of an operand of the step.
func (w *laneWriter) inLanes(slot int, a *plan.Access) view {
	v := viewOf(slot, a)
	row := v.strides[w.groups]
	v.strides = append(slices.Clone(v.strides), row)
	v.strides[w.groups] = row * w.c.lanes
	return v
}

// layInputs gives the inputs that are copied their places. An input that is the same
// for all rows is copied once.
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
			args := []nest.Arg{w.block.arg(&from, w.lanes), w.block.arg(&to, w.lanes)}
			w.before = append(w.before, call(copyKernel(op.dtype, false), nest.Fixed(rows), w.block.size[w.cols], args))
		case op.row == 0:
			w.before = append(w.before, packBlock(op.dtype, nest.Fixed(1), w.block.size[w.cols], w.block.arg(&from, w.lanes), op.col, w.block.arg(&to, w.lanes)))
		default:
			w.packs = append(w.packs, copied{from, to, op})
		}
	}
}

// layLanes gives the accumulators their places.
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

// join returns the calls that combine the lanes: the upper half with the lower one, until
// one lane is left, which goes to the output.
func (w *laneWriter) join() (items []nest.Item) {
	for o := range w.s.Out {
		op := w.s.Out[o].Combine
		if op == ir.OpInvalid {
			continue
		}
		k := combineKernel(op, w.s.Body.OutType(o))
		left, from := min(w.n, w.c.lanes), w.accs[o]
		if w.laneEach() {
			from = w.ins[0]
		}
		for half := w.c.lanes / 2; half > 0; half /= 2 {
			if left <= half {
				continue
			}
			upper, to := from, w.accs[o]
			upper.offset += half * from.strides[w.lanes]
			if half == 1 {
				to = w.inLanes(len(w.s.In)+o, &w.s.Out[o].Access)
			}
			args := []nest.Arg{w.block.arg(&from, w.lanes), w.block.arg(&upper, w.lanes), w.block.arg(&to, w.lanes)}
			items = append(items, call(k, nest.Fixed(left-half), w.block.size[w.cols], args))
			if alone := 2*half - left; alone > 0 && w.laneEach() && from.slot != w.accs[o].slot { // lanes without an upper one
				rest, to := from, w.accs[o]
				rest.offset += (left - half) * rest.strides[w.lanes]
				to.offset += (left - half) * to.strides[w.lanes]
				items = append(items, call(copyKernel(w.s.Body.OutType(o), false), nest.Fixed(alone), w.block.size[w.cols], []nest.Arg{w.block.arg(&rest, w.lanes), w.block.arg(&to, w.lanes)}))
			}
			left, from = half, w.accs[o]
		}
	}
	return items
}
