package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// transposed is for operands whose elements are closer together along the rows than along the columns, as in a transposed
// matrix. Block by block they are transposed into the second-level cache, and kernels read them there. A copy transposes blocks
// into its result: Zen 3, float32, 0.06 to 0.2 of the time of a copy row by row for 8 to 512 rows of 4,194,304 to 60,000, 0.13 to
// 0.17 for 1,000 to 4,000 rows of 100,000 to 20,000, and 0.4 for 3,000 of 5,000.
func (e *elemWriter) transposed() (offer, string) {
	if e.step.Axes[e.col].Extent < e.t.TransposedCols {
		return offer{}, e.t.because("%d columns, needs %d", e.step.Axes[e.col].Extent, e.t.TransposedCols)
	}
	bytes, widest := 0, 2
	for i := range e.step.In {
		if o := &e.ops[i]; o.class == transposed {
			if e.stages[i] = transposedBlock; e.checkStage(i) != "" {
				return offer{}, e.checkStage(i)
			}
			bytes, widest = bytes+o.size(), max(widest, o.size())
		}
	}
	if bytes == 0 {
		return offer{}, "no operand is closer together along the rows"
	}
	e.setTransposedBlock(bytes, widest)
	if m := e.asMove(); m != nil { // the blocks need no place of their own
		most := min(e.t.mostElems(e.step), e.t.callElems(e.step))
		if rows := e.step.Axes[e.row].Extent; rows*cacheLine <= most { // all rows, so that the input is read once, in order
			e.blockRows, most = rows, most/rows
			if e.blockCols = e.step.Axes[e.col].Extent; e.blockCols > most { // lines of the caches are not divided
				e.blockCols = evenly(e.blockCols, max(cacheLine, most&^(cacheLine-1)), cacheLine)
			}
		}
		return e.offerMove(m), ""
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	return e.offer(e.t.BodyWork(e.step), e.compute), ""
}

// setTransposedBlock chooses the extents of a block. bytes is the size of an element of all transposed operands, widest that of
// the widest one. Long runs are fastest: width gives the other operands long runs, height the transposed ones.
func (e *elemWriter) setTransposedBlock(bytes, widest int) {
	extentRows, extentCols := e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent
	most := min(e.t.mostElems(e.step), e.t.callElems(e.step), e.t.TransposedBytes/bytes)
	if extentRows <= kernel.MaxFactor { // they are the members of a group, read once, in order
		most = min(most, e.t.PackBytes/bytes)
	}
	cols := e.t.TransposedWidth / widest
	for cols*cols > most && cols > 1 { // no wider than high
		cols /= 2
	}
	e.blockRows = max(1, min(extentRows, most/min(extentCols, cols)))
	e.blockCols = max(1, min(extentCols, most/e.blockRows))
}

// scattered is for outputs whose elements are all apart, such as one of two that are stacked along a new last axis: the step has one
// column. It takes the rows for the columns of its calls, computes tiles in local memory, and copies their elements to their places.
// It is also for steps with more inputs than outputs contiguous along the rows, so that fewer operands are transposed.
func (e *elemWriter) scattered() (offer, string) {
	if n := e.t.insertionOf(e.step); n != nil {
		return n.offer(e.t, e.step)
	}
	if e.step.Axes[e.row].Extent < 2 || e.step.Axes[e.col].Extent > 1 && !e.mostlyTransposed() {
		return offer{}, "the outputs are contiguous along the columns"
	}
	row, col := e.col, e.row
	if e.step.Axes[row].Extent == 1 {
		col = longestFill(e.step, col)
	}
	if why := e.turn(row, col); why != "" {
		return offer{}, why
	}
	apart := false
	for i := len(e.step.In); i < len(e.ops); i++ {
		if e.ops[i].class == unit {
			continue
		}
		e.stages[i], apart = scattered, true
		if why := e.checkStage(i); why != "" {
			return offer{}, why
		}
	}
	if !apart {
		return offer{}, "no output is apart along the rows"
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	return e.offer(e.t.BodyWork(e.step), e.compute), ""
}

// mostlyTransposed reports whether more inputs than outputs are transposed, in tiles that are transposed by vectors.
func (e *elemWriter) mostlyTransposed() bool {
	n := 0
	for i := range e.step.In {
		if o := &e.ops[i]; o.class == transposed && o.row == 1 {
			n++
		}
	}
	return n > len(e.step.Out) && min(e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent) >= e.t.AcrossRows
}

// longestFill returns the longest axis if the inputs are the same along all axes and no output is contiguous along col, and
// else col.
func longestFill(s *plan.Step, col int) int {
	for i := range s.Out {
		if s.Out[i].Strides[col] == 1 {
			return col
		}
	}
	for i := range s.In {
		for k, n := range s.In[i].Strides {
			if n != 0 && s.Axes[k].Extent > 1 {
				return col
			}
		}
	}
	longest := col
	for k, a := range s.Axes {
		if a.Extent > s.Axes[longest].Extent {
			longest = k
		}
	}
	return longest
}
