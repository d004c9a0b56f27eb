package schedule

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// offer returns the offer to compute the step by the computation that the function returns. work is the least cost of an index
// without the stages.
func (e *elemWriter) offer(work float64, by func() (c computation, why string)) offer {
	return offer{least: e.cost(work), draft: func() (*Draft, string) {
		c, why := by()
		if c == nil {
			return nil, why
		}
		return e.write(c), ""
	}}
}

// cost returns the cost of the step if an index costs so much to compute.
func (e *elemWriter) cost(work float64) float64 {
	for i := range e.stages {
		work += e.stageWork(i)
	}
	rows := elems(e.step) / max(1, e.step.Axes[e.col].Extent)
	if e.joined { // a tile is one row, and at most a block
		rows /= max(1, cmp.Or(e.tileRows, e.blockRows))
	}
	return work*float64(elems(e.step)) + e.t.RowWork*float64(rows)
}

// write returns the draft: loops over blocks, in them the stages of a block, then loops over tiles with the stages of a tile
// and the calls that compute it.
func (e *elemWriter) write(c computation) *Draft {
	e.draft = newDraft(e.t, cmp.Or(e.whole, e.step))
	e.locate()
	block := newWalk(e.step.Axes).cutAll(e.row, e.col).cut(e.row, e.blockRows).cut(e.col, e.blockCols)
	items := e.stageBlock(block)
	e.setTile(c)
	e.findStagedGroups()
	if e.anyOnce() { // tiles go down the rows first
		columns := block.cut(e.col, e.tileCols)
		tile := columns.cut(e.row, e.tileRows)
		once, each := e.stageTile(columns, tile)
		perRow, perTile := c.write(e, tile, tile)
		each = slices.Concat(perRow, each, perTile, e.storeTile(tile))
		items = append(items, columns.wrap(block, append(once, tile.wrap(columns, each)...))...)
	} else {
		rows := block.cut(e.row, e.tileRows)
		tile := rows.cut(e.col, e.tileCols)
		_, each := e.stageTile(tile, tile)
		perRow, perTile := c.write(e, rows, tile)
		each = slices.Concat(each, perTile, e.storeTile(tile))
		items = append(items, rows.wrap(block, append(perRow, tile.wrap(rows, each)...))...)
	}
	e.draft.Parts = []nest.Nest{block.part(items)}
	e.describe(c)
	return e.draft
}

// locate notes the operands where the plan has them.
func (e *elemWriter) locate() {
	e.at = make([]view, len(e.ops))
	for i := range e.ops {
		e.at[i] = viewOf(e.operandOf(i), e.access(i))
	}
}

// operandOf returns an operand's number in the step that is drafted.
func (e *elemWriter) operandOf(i int) int {
	if e.from != nil {
		return e.from[i]
	}
	return i
}

// describe fills the choice.
func (e *elemWriter) describe(c computation) {
	choice := &e.draft.Choice
	for i := range e.stages {
		switch e.stages[i] {
		case packed, packedAcross, transposedBlock, repeated, scattered, inserted:
			choice.Packed = append(choice.Packed, e.operandOf(i))
		case nonTemporal, nonTemporalTile:
			choice.NonTemporal = append(choice.NonTemporal, e.operandOf(i))
		}
	}
	choice.Cost = e.cost(c.work())
	c.describe(choice)
	filled := slices.ContainsFunc(e.stages, func(s stage) bool { return s == filled || s == constant })
	if len(choice.Packed) > 0 && !filled { // with operands filled, the kernel for operands that are not broadcast
		if sig := e.t.lacksGroups(cmp.Or(e.whole, e.step)); sig != "" {
			choice.Kernel, choice.Kernels = sig, choice.Kernels+1 // what copies the groups
		}
	}
}

// setTile chooses the extents of a tile: wide, but high if an operand is copied column by column. With nothing to stage a tile
// is a block.
func (e *elemWriter) setTile(c computation) {
	e.tileRows, e.tileCols = e.blockRows, e.blockCols
	limit := cmp.Or(c.tileElems(), e.stagedElems())
	if limit == 0 {
		return
	}
	wide := limit
	if slices.Contains(e.stages, packedAcross) {
		wide = min(limit, e.t.AcrossCols)
	}
	e.tileCols = evenly(e.blockCols, wide, cacheLine)
	if e.joined {
		e.tileCols = e.blockCols // whole rows
	}
	e.tileRows = min(e.blockRows, max(1, limit/e.tileCols))
	if wide == limit && !e.joined {
		e.tileRows = evenly(e.blockRows, e.tileRows, 1)
	}
	if wide < limit && !e.joined { // the rows may be few
		e.tileCols = min(e.blockCols, limit/e.tileRows)
	}
}

// stagedElems returns the number of elements of a tile that is staged for one kernel, 0 if there is nothing to stage.
func (e *elemWriter) stagedElems() int {
	bytes, widest, repeats, together := e.t.PackBytes, 0, 0, 0
	for i := range e.ops {
		size := e.ops[i].size()
		switch e.stages[i] {
		case direct, transposedBlock, nonTemporal:
			continue
		case nonTemporalTile:
			bytes = e.t.NonTemporalBytes
		case repeated: // stays in the cache while the others pass
			repeats += size
		case packed, scattered: // in the cache together
			together += size
		case inserted: // and rows of the array pass through it
			bytes, together = bytes/4, together+size
		}
		widest = max(widest, size)
	}
	if widest == 0 {
		return 0
	}
	return bytes / max(widest, repeats, together)
}

// callSize returns the rows and columns of the calls that compute a tile.
func (e *elemWriter) callSize(w *walk) (rows, cols nest.Size) {
	if e.joined {
		return nest.Fixed(1), times(w.size[e.row], e.blockCols)
	}
	return w.size[e.row], w.size[e.col]
}

// body returns the canonical kernel of the step's body for the classes of the inputs, and which input each of the kernel's is.
func (e *elemWriter) body() (k *kernel.Kernel, order []int) {
	return withClasses(&e.found.body, e.step.Body, e.splats)
}
