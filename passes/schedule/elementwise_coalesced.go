package schedule

// coalesced takes many short rows as one long row: a kernel that takes them one by one spends its time on the vectors at their
// ends. Operands that are not dense are copied into a dense tile, row behind row. A repeated row, such as one factor for each
// channel of an image, is copied once, to all rows of the tile.
func (e *elemWriter) coalesced() (offer, string) {
	if !e.shortRows() {
		return offer{}, e.t.because("%d rows of %d columns, needs %d rows or more of 2 to %d columns that fill no vectors and are dense or repeat", e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent, e.t.LeastRows, e.t.ShortCols)
	}
	cols := e.step.Axes[e.col].Extent
	e.joined = true
	for i := range e.step.In {
		if o := &e.ops[i]; e.splats[i] && o.row != 0 { // one element a row
			e.splats[i] = false
			e.stages[i] = packedAcross
			if o.size() <= 2 && o.row > 0 && cols*o.size() <= e.t.Vector/2 { // a vector has several rows
				e.stages[i] = packed
			}
		} else if !e.splats[i] {
			e.stages[i] = e.denseStage(i)
		}
		if why := e.checkStage(i); why != "" {
			return offer{}, why
		}
	}
	e.blockCols = cols
	e.blockRows = max(1, min(e.step.Axes[e.row].Extent, min(e.t.callElems(e.step), e.t.mostElems(e.step))/cols))
	if m := e.asMove(); m != nil {
		return e.offerMove(m), ""
	}
	return e.offer(e.t.BodyWork(e.step), e.compute), ""
}

// denseStage returns the stage that lays out an input with columns row behind row.
func (e *elemWriter) denseStage(i int) stage {
	o := &e.ops[i]
	switch cols := e.step.Axes[e.col].Extent; {
	case o.row == 0:
		return repeated
	case o.class == unit && o.row == cols:
		return direct
	case abs(o.col) == 1 && o.row >= cols: // several rows are a vector, or a row is
		return packed
	case o.class == transposed || cols < e.t.AcrossRows: // the loop along a row would hardly start
		return packedAcross
	}
	return packed
}

// shortRows reports whether joining rows pays: they are short and do not fill vectors, or fill one or two, and the operands are
// dense or repeat. Very short rows also pay for the copy of an input.
func (e *elemWriter) shortRows() bool {
	rows, cols := e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent
	if rows < e.t.LeastRows || cols < 2 || cols > e.t.ShortCols {
		return false
	}
	widest, copies := 1, false
	for i := range e.ops {
		o := &e.ops[i]
		widest = max(widest, o.size())
		if o.col == 1 && o.row == cols {
			continue
		}
		if i >= len(e.step.In) {
			return false
		}
		copies = copies || o.row != 0
	}
	bytes := cols * widest
	if copies && cols >= e.t.CopiedCols && bytes >= e.t.Vector {
		return false
	}
	return bytes%e.t.Vector != 0 || bytes <= 2*e.t.Vector
}
