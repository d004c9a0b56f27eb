package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// rowReduction makes the lines the rows of kernel calls, and the kernel combines the
// elements of a row, a chunk at most. The whole chunks and the rest of a line are parts
// of their own. The rows of a call are a chunk of several lines, or several chunks of one line if it
// has more of them than there are lines. Inputs that are
// apart along the lines are staged as those of elementwise steps are.
//
// By its option streams several rows are reduced together: see row_reduction_streams.go.
func rowReduction(t *target, step *plan.Step) []offer {
	s, why := reduction(step)
	if why != "" {
		return refused(why)
	}
	rows := offer{why: rowsCan(s)}
	if rows.why == "" {
		rows.least, rows.draft = t.RowCost(s), func() (*Draft, string) { return t.draftRows(step, s) }
	}
	return []offer{t.streams(step, s), rows}
}

// draftRows returns the draft of a step, which is s in normal form.
func (t *target) draftRows(step, s *plan.Step) (*Draft, string) {
	r := &rowWriter{t: t, draft: newDraft(t, step)}
	if why := r.parts(s); why != "" {
		return nil, why
	}
	r.draft.Choice.Cost += t.RowCost(s) - t.Work(s)
	return r.draft, ""
}

// rowWriter writes the parts of a row reduction.
type rowWriter struct {
	t     *target
	draft *Draft
	from  []int // the operands of the step that is drafted that those of the steps are; nil if they are the same
}

// parts appends the parts of a step in normal form.
func (r *rowWriter) parts(s *plan.Step) (why string) {
	if r.multiChunk(s) {
		e := r.rows(s)
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

// chunks returns the steps that a step falls into, whose lines are one chunk each. The calls of each have as many rows
// as can be.
func (r *rowWriter) chunks(s *plan.Step) []*plan.Step {
	at := len(s.Axes) - 1
	if s.Axes[at-1].Extent > s.Axes[at].Extent/ir.ReduceChunk {
		at--
	}
	return chunks(s, at)
}

// rows returns the writer of a step of which rows are computed as those of an
// elementwise step, before they are combined.
func (r *rowWriter) rows(s *plan.Step) *elemWriter {
	last := len(s.Axes) - 1
	e := &elemWriter{t: r.t, found: new(bodyKernel), step: s, from: r.from, row: last - 1, col: last, draft: r.draft}
	e.ops, _ = operandsOf(s, e.row, e.col)
	e.stages, e.at, e.splats = make([]stage, len(e.ops)), make([]view, len(e.ops)), make([]bool, len(s.In))
	e.blockCols = s.Axes[last].Extent
	e.blockRows = max(1, min(r.t.callElems(s), r.t.mostElems(s))/e.blockCols)
	for i := range s.In {
		e.at[i], e.splats[i] = viewOf(e.operandOf(i), &s.In[i]), e.ops[i].class == splat
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
	for o := range s.Out {
		e.at[len(s.In)+o] = viewOf(e.operandOf(len(s.In)+o), &s.Out[o].Access)
	}
	return e
}

// part appends the part that reduces lines of one chunk. Tiles are whole rows.
func (r *rowWriter) part(s *plan.Step) (why string) {
	e := r.rows(s)
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
			e.tileRows = min(e.blockRows, max(r.leastRows(e), limit/e.tileCols))
		}
		block := newWalk(s.Axes).cutAll(e.row, e.col).cut(e.row, e.blockRows)
		tile := block.cut(e.row, e.tileRows)
		items := e.stageBlock(block)
		once, each := e.stageTile(block, tile)
		perRow, perTile := c.write(e, tile, tile)
		each = append(append(each, perRow...), perTile...)
		items = append(append(items, once...), tile.wrap(block, each)...)
		r.draft.Parts = append(r.draft.Parts, block.part(items))
	})
	r.draft.packed(e.ops[:len(s.In)])
	r.draft.Choice.Cost += c.work() * float64(elems(s))
	c.describe(&r.draft.Choice)
	return ""
}

// leastRows returns how many rows a tile has at least: more if they are read across, as
// they are contiguous in memory there.
func (r *rowWriter) leastRows(e *elemWriter) int {
	for _, s := range e.stages {
		if s == packedAcross {
			return r.t.TransposedRows
		}
	}
	return 1
}

// computation returns what reduces a tile: one kernel, or a tiling of the body and a
// kernel that combines each output.
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
		return nil, "kernels of whole bodies are switched off"
	}
	k, order := rowKernel(e)
	engine, ok := r.t.lib.Engine(k.Signature())
	if !ok {
		return nil, "no kernel is registered for " + k.Signature()
	}
	return &oneKernel{k: k, order: order, engine: engine, cost: r.t.BodyWork(e.step) * e.t.slowdown(engine)}, ""
}

// rowKernel returns the kernel of a body with its combiners.
func rowKernel(e *elemWriter) (k kernel.Code, order []int) {
	body := e.step.Body.WithSplats(func(i int) bool { return e.splats[i] })
	return kernel.Canonical(&kernel.Micro{Kind: kernel.Reduce, Combine: combiners(e.step), Body: body})
}
