package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// stageBlock returns the calls that stage a block, and notes the staged operands.
func (e *elemWriter) stageBlock(block *walk) (items []nest.Item) {
	for i := range e.ops {
		if e.stages[i] != transposedBlock {
			continue
		}
		// Lines have a spare cache line: a power of two apart, they would fall into few sets of the cache.
		size := e.ops[i].size()
		line := (roundUp(e.blockCols*size, cacheLine) + cacheLine) / size
		to := e.tileView(i, e.blockRows*line, line, block)
		items = append(items, e.transpose(i, block, &to))
		e.at[i] = to
	}
	return items
}

// stageTile returns the calls that stage a tile: those that do it once for all rows, and those for each tile.
func (e *elemWriter) stageTile(columns, tile *walk) (once, each []nest.Item) {
	for i := range e.ops {
		switch e.stages[i] {
		case direct, transposedBlock, nonTemporal, nonTemporalTile, scattered, inserted:
			continue
		case constant:
			b := &e.t.buffers[e.step.In[i].Buffer]
			slot := e.draft.table(b.DType, b.Bits, e.tileCols)
			e.draft.constants = append(e.draft.constants, constantSlot{slot, e.operandOf(i)})
			e.at[i] = tile.local(slot)
			continue
		}
		if g := e.groupOf(i); g != nil {
			if g.tile.slot < 0 {
				each = append(each, e.stageGroup(g, tile))
			}
			continue
		}
		line, lines, at := e.tileCols, e.tileRows, tile
		if e.once(i) {
			at = columns
			if e.stages[i] != repeated {
				line, lines = 0, 1
			}
		}
		to := e.tileView(i, lines*e.tileCols, line, tile)
		items := e.copyIn(i, at, &to)
		if e.once(i) {
			once = append(once, items...)
		} else {
			each = append(each, items...)
		}
		e.at[i] = to
	}
	return once, each
}

// tileView returns local memory for an operand inside the loops of w, whose lines are so far apart.
func (e *elemWriter) tileView(i, elems, line int, w *walk) view {
	return w.local(e.draft.scratch(e.ops[i].dtype, elems), e.row, line, e.col, 1)
}

// copyIn returns the calls that copy a tile of an operand to local memory.
func (e *elemWriter) copyIn(i int, w *walk, to *view) []nest.Item {
	o := &e.ops[i]
	rows := w.size[e.row]
	if e.once(i) {
		rows = nest.Fixed(1)
	}
	switch args := w.args(e.row, e.at[i], *to); e.stages[i] {
	case packed:
		return []nest.Item{e.packRows(i, rows, w, to)}
	case packedAcross:
		return []nest.Item{e.transpose(i, w, to)}
	case repeated:
		return append([]nest.Item{e.packRows(i, rows, w, to)}, e.repeat(o.dtype, w, to)...)
	case filled:
		return []nest.Item{call(copyKernel(o.dtype, true), rows, w.size[e.col], args)}
	}
	panic("BUG: schedule: a stage without a copy")
}

// packRows returns the call that copies so many rows of an operand row by row.
func (e *elemWriter) packRows(i int, rows nest.Size, w *walk, to *view) nest.Item {
	return packCall(e.ops[i].dtype, rows, w.size[e.col], w.arg(&e.at[i], e.row), e.ops[i].col, w.arg(to, e.row))
}

// transpose returns the call that copies an operand column by column.
func (e *elemWriter) transpose(i int, w *walk, to *view) nest.Item {
	o := &e.ops[i]
	return transposeCall(o.dtype, w.size[e.col], w.size[e.row], w.arg(&e.at[i], e.col), o.row, w.arg(to, e.row))
}

// repeat returns the calls that copy the first row of a dense tile to all others.
func (e *elemWriter) repeat(d ir.DType, w *walk, tile *view) (items []nest.Item) {
	total := e.tileRows * e.tileCols
	for done := e.tileCols; done < total; done *= 2 {
		from, to := *tile, *tile
		to.offset += done
		items = append(items, call(copyKernel(d, false), nest.Fixed(1), nest.Fixed(min(done, total-done)), w.args(e.row, from, to)))
	}
	return items
}

// copiedOut reports whether an output is computed in local memory and copied out.
func (e *elemWriter) copiedOut(out int) bool {
	s := e.stages[len(e.step.In)+out]
	return s != direct && s != nonTemporal
}

// outTile returns local memory for a tile of such an output, which it notes.
func (e *elemWriter) outTile(out int, tile *walk) view {
	i := len(e.step.In) + out
	if g := e.groupOf(i); g != nil {
		e.at[i] = e.memberTile(g, i, tile)
		return e.at[i]
	}
	e.at[i] = e.tileView(i, e.tileRows*e.tileCols, e.tileCols, tile)
	return e.at[i]
}

// storeTile returns the calls that copy tiles of outputs out.
func (e *elemWriter) storeTile(w *walk) (items []nest.Item) {
	for i := range e.step.Out {
		k := len(e.step.In) + i
		to := viewOf(k, &e.step.Out[i].Access)
		switch e.stages[k] {
		case nonTemporalTile:
		case inserted:
			items = append(items, e.insertCall(&e.at[k], w))
			continue
		case scattered: // a transposed block of one column, or of several members
			if g := e.groupOf(k); g != nil {
				if g.ops[0] == k {
					items = append(items, e.storeGroup(g, w))
				}
				continue
			}
			items = append(items, call(transposeKernel(e.ops[k].dtype), w.size[e.col], w.size[e.row], []nest.Arg{w.arg(&e.at[k], e.row), w.arg(&to, e.col)}, nest.Fixed(e.ops[k].size())))
			continue
		default:
			continue
		}
		items = append(items, call(kernel.CopyNT, w.size[e.row], times(w.size[e.col], e.ops[k].size()), w.args(e.row, e.at[k], to)))
	}
	return items
}
