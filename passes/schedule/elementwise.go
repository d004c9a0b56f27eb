package schedule

import (
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// elementwise computes a step whose axes are all parallel. Blocks of rows and columns divide the index space, and most blocks
// are divided into tiles, whose operands are staged in local memory. The options differ in what they stage, in sizes, and in
// what computes a tile: one kernel for the whole body, or several. The last axis of the step is its columns, along which
// outputs are contiguous, the axis before it is its rows.
func elementwise(t *target, s *plan.Step) []offer {
	as, why := newElementwise(t, s)
	if as == nil {
		return refused(why)
	}
	options := [...]struct {
		name  string
		offer func(e *elemWriter) (o offer, why string) // it keeps e if it offers something
	}{
		{"nontemporal", (*elemWriter).nontemporal}, {"coalesced", (*elemWriter).coalesced}, {"transposed", (*elemWriter).transposed},
		{"scattered", (*elemWriter).scattered}, {"interleaved", (*elemWriter).interleaved}, {"whole", (*elemWriter).wholeBody},
		{"fill", (*elemWriter).fill}, {"tiling", (*elemWriter).tiling},
	}
	offers, e := make([]offer, len(options)), new(elemWriter)
	for i, o := range options {
		e.copy(as)
		offers[i] = optional(o.name, func() (offer, string) { return o.offer(e) })
		if offers[i].why == "" {
			e = new(elemWriter)
		}
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
	groups   []*memberGroup

	whole  *plan.Step // the step that is drafted, if step is another form of it: see target.unrolled and insertion
	from   []int      // by operand of step: the operand of whole
	insert *insertion // which output of whole the step computes, if its stage is inserted

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
	// tileElems returns the greatest number of elements of a tile, 0 if it needs no tiles.
	tileElems() int
	// write returns the calls for a tile: those that depend on its rows only, inside the walk over rows, and those inside the
	// walk over tiles.
	write(e *elemWriter, rows, tile *walk) (perRow, perTile []nest.Item)
	// describe says what it calls.
	describe(c *nest.Choice)
}

// newElementwise returns the writer of a step with the operands where they are, or why the step is not of this kind.
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
	e = &elemWriter{t: t, step: s, found: new(bodyKernel)}
	if why = e.turn(t.rowAxis(s), last); why != "" {
		return nil, why
	}
	for i := range s.Out {
		if o := &e.ops[len(s.In)+i]; o.class != unit && s.Axes[e.col].Extent > 1 {
			return nil, "an output is not contiguous along the columns"
		}
	}
	e.stages = append(e.space.stages[:0], make([]stage, len(e.ops))...)
	return e, ""
}

// turn takes two axes for the rows and the columns, with the operands where they are.
func (e *elemWriter) turn(row, col int) (why string) {
	e.row, e.col = row, col
	if e.ops, why = operandsOf(e.step, row, col); why != "" {
		return why
	}
	e.splats = e.space.splats[:0]
	for i := range e.step.In {
		e.splats = append(e.splats, e.ops[i].class == splat)
	}
	e.blockRows, e.blockCols = e.t.block(e.step, row, col)
	return ""
}

// copy makes e the same as another writer.
func (e *elemWriter) copy(as *elemWriter) {
	*e = *as
	e.stages, e.splats = append(e.space.stages[:0], as.stages...), append(e.space.splats[:0], as.splats...)
}

// rowAxis returns the axis used as rows: the one before the columns, unless some operand is strided along both and contiguous along
// an earlier axis; then it returns that axis. Blocks of the operand are transposed then, rather than copied element by element.
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
