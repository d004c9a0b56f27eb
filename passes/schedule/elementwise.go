package schedule

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// elementwise computes a step whose axes are all parallel. The index space is divided
// into blocks of rows and columns, and most blocks into tiles, whose
// operands are staged in local memory. The options differ in what they stage, in the sizes, and
// in what computes a tile: one kernel for the whole body, or several. The last axis of the step is its
// columns, along which outputs are contiguous, the one before its rows.
func elementwise(t *target, s *plan.Step) []offer {
	as, why := newElementwise(t, s)
	if as == nil {
		return refused(why)
	}
	options := [...]struct {
		name  string
		offer func(e *elemWriter) (o offer, why string) // e is a writer of its own
	}{
		{"nontemporal", (*elemWriter).nontemporal}, {"coalesced", (*elemWriter).coalesced}, {"transposed", (*elemWriter).transposed},
		{"scattered", (*elemWriter).scattered}, {"channels", (*elemWriter).channels}, {"whole", (*elemWriter).wholeBody},
		{"transposed-lines", (*elemWriter).transposedLines}, {"fill", (*elemWriter).fill}, {"tiling", (*elemWriter).tiling},
	}
	offers, e := make([]offer, len(options)), new(elemWriter)
	for i := range options {
		e.copy(as)
		if offers[i], why = options[i].offer(e); why == "" {
			e = new(elemWriter) // the offer keeps the other one
		}
		offers[i].option, offers[i].why = options[i].name, why
	}
	return offers
}

// elemWriter writes the draft of such a step.
type elemWriter struct {
	t        *target
	step     *plan.Step
	row, col int // axes
	ops      []operand
	splats   []bool  // by input: whether the kernel takes it as a splat
	stages   []stage // by operand
	joined   bool    // a call takes the rows of a tile as one row
	lines    []*interleaved
	arrays   [][]int // the operands that are channels of an array, in order, where a kernel takes them together

	insert *insertion // of which step computes the one output, if it does

	whole *plan.Step // the step that is drafted, if step is another: see unrolled and offerInsertion
	from  []int      // which operand of whole each of step is

	blockRows, blockCols int
	tileRows, tileCols   int

	draft *Draft
	at    []view // by operand: where calls find it

	found *bodyKernel
	space struct { // of most steps
		splats [8]bool
		stages [12]stage
	}
}

// computation is what computes the outputs of a tile from its inputs.
type computation interface {
	// work returns what one index costs, in additions.
	work() float64
	// tileElems returns how many elements a tile has at most, if it wants tiles at all,
	// and else 0.
	tileElems() int
	// write returns the calls for a tile: those that follow from the rows alone, inside
	// the walk over rows, and those inside the walk over tiles.
	write(e *elemWriter, rows, tile *walk) (perRow, perTile []nest.Item)
	// describe says what it calls.
	describe(c *nest.Choice)
}

// newElementwise returns the writer of a step with the operands where they are, or why
// the step is not of this kind.
func newElementwise(t *target, s *plan.Step) (e *elemWriter, why string) {
	if !s.Elementwise() {
		return nil, "an axis is not parallel"
	}
	last := len(s.Axes) - 1
	if last < 1 {
		return nil, "there are no rows and columns"
	}
	if elems(s) == 0 {
		return nil, "there are no elements"
	}
	e = &elemWriter{t: t, step: s, row: t.rowAxis(s), col: last, found: new(bodyKernel)}
	if e.ops, why = operandsOf(s, e.row, e.col); why != "" {
		return nil, why
	}
	for i := range s.Out {
		if o := &e.ops[len(s.In)+i]; o.class != unit && s.Axes[e.col].Extent > 1 {
			return nil, "an output is not contiguous along the columns"
		}
	}
	e.stages = append(e.space.stages[:0], make([]stage, len(e.ops))...)
	e.splats = e.space.splats[:0]
	for i := range s.In {
		e.splats = append(e.splats, e.ops[i].class == splat)
	}
	e.blockRows, e.blockCols = t.block(s, e.row, e.col)
	return e, ""
}

// copy makes e the same as another writer.
func (e *elemWriter) copy(as *elemWriter) {
	*e = *as
	e.stages, e.splats = append(e.space.stages[:0], as.stages...), append(e.space.splats[:0], as.splats...)
}

// rowAxis returns the axis of a step that calls have for rows: the last one before the columns, or
// the one along which an operand is contiguous that is apart along both of these. Blocks of it are
// then transposed; its elements would be copied one by one.
func (t *target) rowAxis(s *plan.Step) int {
	last := len(s.Axes) - 1
	row := last - 1
	for i := range s.In {
		n := s.In[i].Strides
		if s.Axes[last].Extent == 1 || abs(n[last]) < 2 || abs(n[row]) == 1 {
			continue
		}
		for k, a := range s.Axes[:row] {
			if n[k] == 1 && a.Extent >= t.AcrossRows {
				return k
			}
		}
	}
	return row
}

// offer returns the offer to compute the step, for which an index costs at least so much
// besides what is staged, by the computation that the function returns.
func (e *elemWriter) offer(work float64, by func() (c computation, why string)) offer {
	return offer{least: e.cost(work), draft: func() (*Draft, string) {
		c, why := by()
		if c == nil {
			return nil, why
		}
		return e.write(c), ""
	}}
}

// cost returns what the step costs if computing an index costs so much.
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

// write returns the draft: loops over blocks, in them the stages of a block, then loops
// over tiles with the stages of a tile and the calls that compute it.
func (e *elemWriter) write(c computation) *Draft {
	e.draft = newDraft(e.t, cmp.Or(e.whole, e.step))
	e.at = make([]view, len(e.ops))
	for i := range e.ops {
		e.at[i] = viewOf(e.operandOf(i), e.access(i))
	}
	block := newWalk(e.step.Axes).cutAll(e.row, e.col).cut(e.row, e.blockRows).cut(e.col, e.blockCols)
	items := e.stageBlock(block)
	e.setTile(c)
	e.findInterleaved()
	if e.columnsOuter() {
		columns := block.cut(e.col, e.tileCols)
		tile := columns.cut(e.row, e.tileRows)
		once, each := e.stageTile(columns, tile)
		perRow, perTile := c.write(e, tile, tile)
		perRow = append(append(perRow, each...), append(perTile, e.storeTile(tile)...)...)
		items = append(items, columns.wrap(block, append(once, tile.wrap(columns, perRow)...))...)
	} else {
		rows := block.cut(e.row, e.tileRows)
		tile := rows.cut(e.col, e.tileCols)
		_, each := e.stageTile(tile, tile)
		perRow, perTile := c.write(e, rows, tile)
		each = append(append(each, perTile...), e.storeTile(tile)...)
		items = append(items, rows.wrap(block, append(perRow, tile.wrap(rows, each)...))...)
	}
	e.draft.Parts = []nest.Nest{block.part(items)}
	e.describe(c)
	return e.draft
}

// operandOf returns the operand of the step that is drafted that an operand is.
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
		case packed, packedOut, packedAcross, transposedBlock, repeated, scattered:
			choice.Packed = append(choice.Packed, e.operandOf(i))
		case nonTemporal, nonTemporalTile:
			choice.NonTemporal = append(choice.NonTemporal, e.operandOf(i))
		}
	}
	choice.Cost = e.cost(c.work())
	c.describe(choice)
	filled := slices.ContainsFunc(e.stages, func(s stage) bool { return s == filled || s == constant })
	if len(choice.Packed) > 0 && !filled { // with operands filled, the kernel for operands that are not broadcast
		of := e.step
		if e.insert != nil {
			of = e.whole
		}
		if sig := e.t.lacksChannels(of); sig != "" {
			choice.Kernel, choice.Kernels = sig, choice.Kernels+1 // what copies the channels
		}
	}
}

// setTile chooses the extents of a tile: wide, but high where an operand is copied
// column by column. Without anything to stage a tile is a block.
func (e *elemWriter) setTile(c computation) {
	e.tileRows, e.tileCols = e.blockRows, e.blockCols
	limit := c.tileElems()
	if limit == 0 {
		if limit = e.stagedElems(); limit == 0 {
			return
		}
	}
	wide := limit
	for i := range e.ops {
		if e.stages[i] == packedAcross {
			wide = min(limit, e.t.AcrossCols)
		}
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

// evenly returns the length of the pieces of n elements, at most so many each, of which none is
// much shorter than the others. Pieces begin at multiples of unit if that is possible.
func evenly(n, most, unit int) int {
	if n <= most {
		return n
	}
	pieces := (n-1)/most + 1
	each := (n-1)/pieces + 1
	return min(most, (each+unit-1)/unit*unit)
}

// stagedElems returns how many elements a tile has that is staged for one kernel, 0 if
// there is nothing to stage.
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
		}
		widest = max(widest, size)
	}
	switch {
	case widest == 0:
		return 0
	case e.insert != nil: // rows pass through the cache beside the tile
		bytes /= 4
	}
	return bytes / max(widest, repeats, together)
}

// columnsOuter reports whether the loops over tiles go down the rows first, as an
// operand is staged once for all rows.
func (e *elemWriter) columnsOuter() bool {
	for i := range e.ops {
		if e.once(i) {
			return true
		}
	}
	return false
}

// callSize returns the rows and columns of the calls that compute a tile.
func (e *elemWriter) callSize(w *walk) (rows, cols nest.Size) {
	if e.joined {
		return nest.Fixed(1), times(w.size[e.row], e.blockCols)
	}
	return w.size[e.row], w.size[e.col]
}

// body returns the canonical kernel of the step's body for the classes of the inputs,
// and which of these each of the kernel's is.
func (e *elemWriter) body() (k *kernel.Kernel, order []int) {
	return withClasses(&e.found.body, e.step.Body, e.splats)
}
