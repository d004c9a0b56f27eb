package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// box is some groups of rows of a chunk, and the first lanes of each.
type box struct{ first, groups, lanes int }

// reduce returns the calls that combine all rows with the accumulators. The first row of each lane is combined with the
// identity. The last group may lack lanes.
func (w *laneWriter) reduce() (items []nest.Item) {
	whole, rest := w.n/w.c.lanes, w.n%w.c.lanes
	first, with := 0, &w.c.one
	if w.c.many.code != nil && whole >= w.c.many.rows {
		with = &w.c.many
	}
	if whole > 0 {
		items = append(items, w.accumulate(with, box{0, with.rows, w.c.lanes}, true)...)
		first = with.rows
	}
	if first < whole {
		items = append(items, w.groupsOf(box{first, whole - first, w.c.lanes})...)
	}
	if rest > 0 {
		items = append(items, w.accumulate(&w.c.one, box{whole, 1, rest}, whole == 0)...)
	}
	return items
}

// groupsOf returns the calls that combine whole groups of rows: many rows at once, then one by one.
func (w *laneWriter) groupsOf(b box) (items []nest.Item) {
	many, one := b, b
	many.groups = 0
	if w.c.many.code != nil {
		many.groups = b.groups / w.c.many.rows * w.c.many.rows
		one.first, one.groups = b.first+many.groups, b.groups-many.groups
	}
	outside := w.block.having(w.lanes, w.c.lanes)
	lanes := outside
	if w.laneByLane(b) {
		lanes = outside.cut(w.lanes, 1)
	}
	add := func(a *accumulator, b box) {
		if b.groups > 0 {
			items = append(items, w.calls(a, b, lanes)...)
		}
	}
	add(&w.c.many, many)
	add(&w.c.one, one)
	return lanes.wrap(outside, items)
}

// laneByLane reports whether there is a call for each lane, with all of its rows, rather than one for each group.
func (w *laneWriter) laneByLane(b box) bool {
	few := w.c.t.FewRows
	if w.c.many.code != nil {
		few *= w.c.many.rows
	}
	rows := w.n - b.first*w.c.lanes
	return !w.c.flat && len(w.packs) == 0 && w.c.tiles == nil && rows > few
}

// calls returns the calls for a box of whole groups, inside a loop over lanes or not.
func (w *laneWriter) calls(a *accumulator, b box, lanes *walk) []nest.Item {
	groups := lanes.having(w.groups, b.groups/a.rows)
	if w.c.flat || lanes.most[w.lanes] == 1 { // the groups are the rows of one call
		return w.call(groups, a, b, w.groups, false)
	}
	each := groups.cut(w.groups, 1)
	return each.wrap(groups, append(w.pack(each, b), w.call(each, a, b, w.lanes, false)...))
}

// accumulate returns the calls that combine one row, or many, of each lane.
func (w *laneWriter) accumulate(a *accumulator, b box, begin bool) []nest.Item {
	at := w.block.having(w.lanes, b.lanes)
	line := w.lanes
	if w.c.flat {
		line = w.groups
	}
	return append(w.pack(at, b), w.call(at, a, b, line, begin)...)
}

// call returns the call that combines the rows of a place in a box, whose lines follow one another along an axis, or the calls
// of a tiling.
func (w *laneWriter) call(at *walk, a *accumulator, b box, line int, begin bool) []nest.Item {
	var views []view
	operand := func(v view, row int) {
		v.offset += (b.first + row) * v.strides[w.groups]
		v.strides = slices.Clone(v.strides)
		v.strides[w.groups] *= a.rows
		views = append(views, v)
	}
	for _, from := range a.from {
		switch o := from.In - len(w.ins); {
		case o < 0:
			operand(w.ins[from.In], from.Row)
		case begin:
			views = append(views, w.identity[o])
		default:
			views = append(views, w.accs[o])
		}
	}
	for o := range w.s.Out {
		out := w.inLanes(len(w.s.In)+o, &w.s.Out[o].Access)
		switch {
		case w.s.Out[o].Stored():
			operand(out, 0)
		case w.n == 1: // one lane is the result
			views = append(views, out)
		default:
			views = append(views, w.accs[o])
		}
	}
	if w.c.tiles != nil {
		return w.writeTiling(at, views)
	}
	cols := at.size[w.cols]
	if w.c.flat {
		cols = times(cols, at.most[w.lanes])
	}
	return []nest.Item{call(a.code, at.size[line], cols, at.args(line, views...))}
}

// pack returns the calls that copy the packed inputs of one group of rows.
func (w *laneWriter) pack(at *walk, b box) (items []nest.Item) {
	for i := range w.packs {
		c := &w.packs[i]
		from := c.from.move(w.groups, b.first)
		rows, cols := at.size[w.lanes], at.size[w.cols]
		src, to := at.arg(&from, w.lanes), at.arg(&c.to, w.lanes)
		if c.op.class == transposed {
			src.Step = c.op.col
			items = append(items, transposeCall(c.op.dtype, cols, rows, src, c.op.row, to))
		} else {
			items = append(items, packCall(c.op.dtype, rows, cols, src, c.op.col, to))
		}
	}
	return items
}
