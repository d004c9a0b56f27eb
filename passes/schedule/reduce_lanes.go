package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// laneWriter writes the calls that reduce the columns of one chunk. It takes the rows as
// two axes: row i is in group i/32, and in lane i mod 32. A call combines the rows of
// some groups and lanes with the accumulators of those lanes; in each lane, groups are
// combined in their order.
type laneWriter struct {
	*columnReduction
	s                  *plan.Step // its lines are one chunk
	n                  int        // rows
	cols, groups, lane int        // axes; s has groups for its lines, and no lanes
	block              *walk
	ins                []view // by the strides along lanes alone
	accs               []view // by output, those that are combined
	identity           []view
	before             []nest.Item // fill local memory
	packs              []packed
}

// box is some groups of rows, and of each group the first lanes.
type box struct{ first, groups, lanes int }

// part appends the part that reduces lines of one chunk.
func (c *columnReduction) part(s *plan.Step) {
	begin := c.d.Scratch
	c.d.Scratch = 0
	last := len(s.Axes) - 1
	w := &laneWriter{columnReduction: c, s: s, n: s.Axes[last].Extent, cols: last - 1, groups: last, lane: last + 1}
	axes := append(slices.Clone(s.Axes), plan.Axis{Extent: min(w.n, ir.FoldLanes)})
	axes[last].Extent = 1
	w.block = newWalk(axes).cutAll(w.cols, w.groups, w.lane).cut(w.cols, c.width)
	w.lay()
	items := append(w.before, w.reduce()...)
	c.d.Parts = append(c.d.Parts, w.block.part(append(items, w.join()...)))
	c.d.Scratch = max(c.d.Scratch, begin)
}

// lay gives accumulators and copies their places.
func (w *laneWriter) lay() {
	last, rows := len(w.s.Axes)-1, min(w.n, ir.FoldLanes)
	local := func(slot, lane int) view {
		v := view{slot: slot, strides: make([]int, last+2), from: w.block.depth()}
		v.strides[w.cols], v.strides[w.lane] = 1, lane
		return v
	}
	for i := range w.s.In {
		op := w.ops[i]
		v := viewOf(i, &w.s.In[i])
		v.strides = append(slices.Clone(v.strides), v.strides[last]) // groups: see at
		repeated := w.flat && op.class == unit && op.row == 0
		if w.ins = append(w.ins, v); op.class <= splat && !repeated {
			continue
		}
		to := local(w.d.scratch(op.dtype, rows*w.width), w.width)
		if w.ins[i] = to; repeated {
			w.before = append(w.before, w.repeat(op, v, to))
			continue
		}
		w.packs = append(w.packs, packed{from: v, to: to, op: op, once: op.row == 0})
	}
	for o := range w.s.Out {
		d := w.s.Body.OutType(o)
		w.accs, w.identity = append(w.accs, view{}), append(w.identity, view{})
		if op := w.s.Out[o].Combine; op != ir.OpInvalid {
			bits, _ := op.Info().Identity(d)
			w.accs[o] = local(w.d.scratch(d, rows*w.width), w.width)
			w.identity[o] = local(w.d.table(d, bits, w.width*w.rowsAsOne()), 0)
		}
	}
}

// rowsAsOne returns how many rows a row of a call is.
func (w *laneWriter) rowsAsOne() int {
	if w.flat {
		return min(w.n, ir.FoldLanes)
	}
	return 1
}
