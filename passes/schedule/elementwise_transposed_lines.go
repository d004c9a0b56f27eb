package schedule

import (
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// transposedLines is for operands whose elements are closest together along an axis before the rows, such as the channels of a
// product of windows, where each channel of the output is an image:
//
//	for each block of channels, those of a line of the caches
//	  transpose their rows, all of them at once
//	  for each channel
//	    call the kernel for its rows
//
// The kernel then reads and stores the other operands in the order of memory, which processors prefetch. Options whose rows are
// the channels go from image to image with each row.
func (e *elemWriter) transposedLines() (offer, string) {
	across := e.row
	if e.row = len(e.step.Axes) - 2; e.row == across {
		return offer{}, otherStep // no operand is closest together along an axis before the rows
	}
	if why := e.turn(e.row, e.col); why != "" {
		return offer{}, why
	}
	if e.blockCols < e.step.Axes[e.col].Extent {
		return offer{}, "the rows are long"
	}
	for i := range e.step.In {
		o, strides := &e.ops[i], e.step.In[i].Strides
		if o.class == unit || o.class == splat {
			continue
		}
		if strides[across] != 1 || strides[e.row] != e.blockCols*o.col {
			return offer{}, "an operand is apart along the columns, and its rows do not follow one another"
		}
		e.stages[i] = packedAcross
		if e.t.buffers[e.step.In[i].Buffer].Kind == plan.ScratchBuffer { // all its channels are in a cache
			e.stages[i] = transposedBlock
		}
		if why := e.checkStage(i); why != "" {
			return offer{}, why
		}
	}
	n := e.channelsOf(across)
	if n < e.t.AcrossRows {
		return offer{}, "few channels make equal blocks"
	}
	c, why := e.oneKernel()
	if c == nil {
		return offer{}, why
	}
	calls := (elems(e.step)-1)/(e.blockRows*e.blockCols) + 1
	cost := e.cost(c.work()) + e.t.Matmul.CallWork*float64(calls)
	return offer{least: cost, draft: func() (*Draft, string) { return e.writeLines(c, across, n, cost), "" }}, ""
}

// channelsOf returns the number of channels of a block, the same for all blocks: at most a line of the caches.
func (e *elemWriter) channelsOf(across int) int {
	widest := 1
	for i := range e.ops {
		widest = max(widest, e.ops[i].size())
	}
	n := cacheLine / widest
	for e.step.Axes[across].Extent%n != 0 {
		n--
	}
	return n
}

// writeLines returns the draft for blocks of n channels.
func (e *elemWriter) writeLines(c *oneKernel, across, n int, cost float64) *Draft {
	e.draft = newDraft(e.t, e.step)
	e.locate()
	block := newWalk(e.step.Axes).cutAll(across, e.row, e.col).cut(e.row, e.blockRows).cut(across, n)
	var items []nest.Item
	for i := range e.step.In {
		if e.stages[i] == direct {
			continue
		}
		o, from, line := e.ops[i], e.at[i], e.blockRows*e.blockCols
		to := block.local(e.draft.scratch(o.dtype, line*n), across, line, e.row, e.blockCols, e.col, 1)
		items = append(items, transposeCall(o.dtype, times(block.size[e.row], e.blockCols), block.size[across], block.arg(&from, e.col), from.strides[across], block.arg(&to, across)))
		e.at[i] = to
	}
	one := block.cut(across, 1)
	_, calls := c.write(e, one, one)
	e.draft.Parts = []nest.Nest{block.part(append(items, one.wrap(block, calls)...))}
	e.describe(c)
	e.draft.Choice.Cost = cost
	return e.draft
}
