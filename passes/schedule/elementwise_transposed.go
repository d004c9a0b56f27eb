package schedule

import "github.com/stridefuse/stridefuse/ir/kernel"

// transposed is for operands whose elements are closer together along the rows than along the columns, as in a transposed
// matrix. Block by block they are transposed into the second-level cache, and kernels read them there.
func (e *elemWriter) transposed() (offer, string) {
	if e.step.Axes[e.col].Extent < e.t.TransposedCols {
		return offer{}, "the rows are short"
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
	if rows := e.step.Axes[e.row].Extent; rows < e.t.AcrossRows { // few lines, whose blocks need no place of their own
		if m := e.asMove(); m != nil {
			e.blockRows = rows
			most := min(e.t.mostElems(e.step), e.t.callElems(e.step)) / rows
			if e.blockCols = e.step.Axes[e.col].Extent; e.blockCols > most { // lines of the caches are not divided
				e.blockCols = evenly(e.blockCols, max(cacheLine, most&^(cacheLine-1)), cacheLine)
			}
			return e.offerMove(m), ""
		}
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	e.setTransposedBlock(bytes, widest)
	return e.offer(e.t.BodyWork(e.step), e.compute), ""
}

// setTransposedBlock chooses the extents of a block. bytes is the size of an element of all transposed operands, widest that of
// the widest one. Long runs are fastest: width gives the other operands long runs, height the transposed ones.
func (e *elemWriter) setTransposedBlock(bytes, widest int) {
	extentRows, extentCols := e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent
	most := min(e.t.mostElems(e.step), e.t.callElems(e.step), e.t.TransposedBytes/bytes)
	if extentRows <= kernel.MaxFactor { // they are deinterleaved, and are read once, in order
		most = min(most, e.t.PackBytes/bytes)
	}
	cols := e.t.TransposedWidth / widest
	for cols*cols > most && cols > 1 { // no wider than high
		cols /= 2
	}
	e.blockRows = max(1, min(extentRows, most/min(extentCols, cols)))
	e.blockCols = max(1, min(extentCols, most/e.blockRows))
}
