package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// rowReduction takes the lines for the rows of calls, and the kernel combines the elements of a row: at most a chunk. The whole
// chunks and the rest of a line are separate parts. The rows of a call are a chunk of several lines, or several chunks of one
// line that has more chunks than there are lines. Inputs that are strided along the lines are staged, as those of elementwise
// steps are.
//
// Option streams reduces several rows together: see row_reduction_streams.go.
func rowReduction(t *target, step *plan.Step) []offer {
	s, why := reduction(step)
	if why != "" {
		return refused(why)
	}
	return []offer{
		optional("streams", func() (offer, string) { return t.streams(step, s) }),
		optional("", func() (offer, string) { return t.rows(step, s) }),
	}
}

// rows is the offer of the strategy itself for a step, which is s in normal form.
func (t *target) rows(step, s *plan.Step) (offer, string) {
	last := len(s.Axes) - 1
	for _, o := range s.Out {
		if o.Stored() && s.Axes[last].Extent > 1 && o.Strides[last] != 1 {
			return offer{}, "an output that is stored is not contiguous along the lines"
		}
	}
	return offer{least: t.RowCost(s), draft: func() (*Draft, string) {
		r := &rowWriter{t: t, draft: newDraft(t, step)}
		if why := r.parts(s); why != "" {
			return nil, why
		}
		r.draft.Choice.Cost += t.RowCost(s) - t.Work(s)
		return r.draft, ""
	}}, ""
}

// rowWriter writes the parts of a row reduction.
type rowWriter struct {
	t     *target
	draft *Draft
	from  []int // by operand of a part's step: the operand of the drafted step; nil if they are the same
}

// parts appends the parts of a step in normal form.
func (r *rowWriter) parts(s *plan.Step) (why string) {
	if r.multiChunk(s) {
		e := r.writer(s)
		if c, _ := r.whole(e); c != nil {
			r.draft.sharing(func() { r.multiChunkRows(e, c) })
			return ""
		}
	}
	for _, one := range r.chunks(s) {
		if why := r.part(one); why != "" {
			return why
		}
	}
	return ""
}

// chunks divides a step into steps whose lines are one chunk. Their calls have as many rows as possible.
func (r *rowWriter) chunks(s *plan.Step) []*plan.Step {
	at := len(s.Axes) - 1
	if s.Axes[at-1].Extent > s.Axes[at].Extent/ir.ReduceChunk {
		at--
	}
	return chunks(s, at)
}

// writer returns the writer of a step whose rows are computed like those of an elementwise step before they are combined.
func (r *rowWriter) writer(s *plan.Step) *elemWriter {
	last := len(s.Axes) - 1
	e := &elemWriter{t: r.t, found: new(bodyKernel), step: s, from: r.from, row: last - 1, col: last, draft: r.draft}
	e.ops, _ = operandsOf(s, e.row, e.col)
	e.stages, e.splats = make([]stage, len(e.ops)), make([]bool, len(s.In))
	e.locate()
	e.blockCols = s.Axes[last].Extent
	e.blockRows = max(1, min(r.t.callElems(s), r.t.mostElems(s))/e.blockCols)
	for i := range s.In {
		e.splats[i] = e.ops[i].class == splat
		switch {
		case e.ops[i].class == strided:
			e.stages[i] = packed
		case e.ops[i].class == transposed && e.blockCols < r.t.TransposedCols:
			e.stages[i] = packedAcross
		case e.ops[i].class == transposed:
			e.stages[i], e.blockRows = transposedBlock, max(e.blockRows, r.t.TransposedRows)
		}
	}
	e.blockRows = min(e.blockRows, s.Axes[e.row].Extent)
	return e
}

// part appends the part that reduces lines of one chunk. Tiles are whole rows.
func (r *rowWriter) part(s *plan.Step) (why string) {
	e := r.writer(s)
	for i := range s.In {
		if why = e.checkStage(i); why != "" {
			return why
		}
	}
	c, why := r.computation(e)
	if c == nil {
		return why
	}
	r.draft.sharing(func() {
		e.tileRows, e.tileCols = e.blockRows, e.blockCols
		if limit := max(c.tileElems(), e.stagedElems()); limit > 0 {
			least := 1
			if slices.Contains(e.stages, packedAcross) { // along which elements are contiguous in memory
				least = r.t.TransposedRows
			}
			e.tileRows = min(e.blockRows, max(least, limit/e.tileCols))
		}
		block := newWalk(s.Axes).cutAll(e.row, e.col).cut(e.row, e.blockRows)
		tile := block.cut(e.row, e.tileRows)
		items := e.stageBlock(block)
		once, each := e.stageTile(block, tile)
		perRow, perTile := c.write(e, tile, tile)
		each = slices.Concat(each, perRow, perTile)
		items = append(append(items, once...), tile.wrap(block, each)...)
		r.draft.Parts = append(r.draft.Parts, block.part(items))
	})
	r.draft.packed(e.ops[:len(s.In)])
	r.draft.Choice.Cost += c.work() * float64(elems(s))
	c.describe(&r.draft.Choice)
	return ""
}

// computation returns what reduces a tile: one kernel, or a tiling of the body and a kernel that combines each output.
func (r *rowWriter) computation(e *elemWriter) (c computation, why string) {
	one, why := r.whole(e)
	if one != nil && one.engine != portable {
		return one, ""
	}
	tiles, whyTiles := r.tiled(e)
	switch {
	case one != nil && (tiles == nil || one.work() <= tiles.work()):
		return one, ""
	case tiles == nil:
		return nil, why + "; " + whyTiles
	}
	return tiles, ""
}

// whole returns the kernel that computes and combines the rows.
func (r *rowWriter) whole(e *elemWriter) (*oneKernel, string) {
	if r.t.TilingOnly {
		return nil, tilingOnly
	}
	k, order := rowKernel(e)
	engine, why := r.t.engine(k)
	if why != "" {
		return nil, why
	}
	return &oneKernel{k: k, order: order, engine: engine, cost: r.t.BodyWork(e.step) * e.t.slowdown(engine)}, ""
}

// rowKernel returns the kernel of a body with its combiners.
func rowKernel(e *elemWriter) (k kernel.Code, order []int) {
	body := e.step.Body.WithSplats(func(i int) bool { return e.splats[i] })
	return kernel.Canonical(&kernel.Micro{Kind: kernel.Reduce, Combine: combiners(e.step), Body: body})
}
