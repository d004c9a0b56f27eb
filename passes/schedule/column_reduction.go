package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// columnReduction takes the lines for the columns of calls. Row i of a chunk belongs to lane i mod 32, as ir.ReduceRow says, or
// to one of fewer lanes (see fewest). Each lane is a row of accumulators in local memory, as wide as a tile of columns. A
// kernel combines rows with the accumulators of their lanes; then the upper half of the lanes is combined with the lower one
// until one lane is left.
//
// Options places and trees call one kernel for all of it: see column_reduction_places.go and column_reduction_trees.go.
func columnReduction(t *target, step *plan.Step) []offer {
	s, why := reduction(step)
	if why != "" {
		return refused(why)
	}
	return []offer{
		optional("places", func() (offer, string) { return t.places(step, s) }),
		optional("trees", func() (offer, string) { return t.trees(step, s) }),
		optional("", func() (offer, string) { return t.columns(step, s) }),
	}
}

// columns is the offer of the strategy itself for a step, which is s in normal form.
func (t *target) columns(step, s *plan.Step) (offer, string) {
	last := len(s.Axes) - 1
	for _, o := range s.Out {
		switch {
		case o.Combine.IsArgReduction():
			return offer{}, "an index is found along a row alone"
		case s.Axes[last-1].Extent > 1 && o.Strides[last-1] != 1:
			return offer{}, "an output is not contiguous across the lines"
		}
	}
	return offer{least: t.ColumnCost(s), draft: func() (*Draft, string) { return t.draftColumns(step, s) }}, ""
}

// columnWriter writes the parts of a column reduction.
type columnWriter struct {
	t     *target
	d     *Draft
	s     *plan.Step // in normal form
	body  *kernel.Kernel
	ops   []operand
	lanes int  // that rows belong to in turn
	width int  // columns of a tile
	flat  bool // as many rows are dense in memory, and become one
	one   accumulator
	many  accumulator // its code is nil if there is none
	tiles *tiling     // that computes what one does, or nil
}

// accumulator is a kernel that combines some rows with the lanes they belong to.
type accumulator struct {
	code *kernel.Kernel
	from []kernel.Source
	rows int
}

// draftColumns returns the draft of a step, which is s in normal form.
func (t *target) draftColumns(step, s *plan.Step) (*Draft, string) {
	c := &columnWriter{t: t, s: s}
	engine, why := c.kernels()
	if why != "" {
		return nil, why
	}
	c.d = t.drafting(step, c.one.code, engine, t.ColumnCost(s)+(t.slowdown(engine)-1)*t.Work(s))
	c.lanes = c.fewest()
	c.tile()
	if c.tiles != nil {
		c.d.Choice.Cost = t.ColumnCost(s)
		c.d.Choice.Cost += (c.tiles.work() - c.t.BodyWork(s)) * float64(elems(s))
		c.tiles.describe(&c.d.Choice)
	}
	c.d.packed(c.ops)
	for _, one := range chunks(s, len(s.Axes)-2) {
		c.d.sharing(func() { c.part(one) })
	}
	return c.d, ""
}

// fewest returns the number of lanes. To combine the lanes takes as long as to combine as many rows. If elements combine in any
// order, and there are more rows than lanes of ir.ReduceRow, there are only as many lanes as make long rows. Inputs that are
// copied and tilings take many rows at once.
func (c *columnWriter) fewest() int {
	s, last, lanes := c.s, len(c.s.Axes)-1, ir.ReduceLanes
	for o := range s.Out {
		if op := s.Out[o].Combine; op != ir.OpInvalid && !op.Info().Associative.Has(s.Body.OutType(o)) {
			return lanes
		}
	}
	copied := slices.ContainsFunc(c.ops, func(o operand) bool { return o.class > splat })
	if s.Axes[last].Extent > lanes && !copied && c.tiles == nil {
		for lanes = c.t.FewLanes; lanes < ir.ReduceLanes && lanes*s.Axes[last-1].Extent*s.Body.OutType(0).Size() < c.t.LaneRowBytes; {
			lanes *= 2
		}
	}
	return lanes
}

// kernels finds the kernels that combine rows with accumulators. It returns the engine of the kernel for one row.
func (c *columnWriter) kernels() (engine, why string) {
	s, last := c.s, len(c.s.Axes)-1
	body := *s.Body
	body.In = slices.Clone(s.Body.In)
	c.body = &body
	c.ops = make([]operand, len(s.In))
	packs := false
	for i := range s.In {
		c.ops[i] = classify(s, &s.In[i], s.Body.In[i].DType, last, last-1)
		c.body.In[i].Splat = c.ops[i].class == splat
		packs = packs || c.ops[i].class > splat
	}
	combine := combiners(s)
	repeats := func(i int) bool { return c.ops[i].row == 0 }
	c.one.rows = 1
	if c.one.code, c.one.from = c.body.Accumulate(combine, 1, repeats); c.one.code == nil {
		return "", "the body has too many operands to accumulate"
	}
	engine, lacks := c.t.engine(c.one.code)
	if lacks != "" {
		engine, lacks = c.lanesAlone(lacks)
	}
	if c.t.TilingOnly {
		lacks = tilingOnly
	}
	if lacks != "" || engine == portable {
		c.tiles, why = c.tiling(0, nil).newTiling()
		if c.tiles == nil && lacks != "" {
			return "", lacks + "; " + why
		}
		if lacks == "" && c.tiles != nil && c.t.BodyWork(s)*c.t.PortableWork <= c.tiles.work() {
			c.tiles = nil
		}
	}
	for o, op := range combine {
		if op == ir.OpInvalid {
			continue
		}
		if why := c.t.lacks(combineKernel(op, s.Body.OutType(o))); why != "" {
			return "", why
		}
	}
	if packs || c.tiles != nil {
		return engine, ""
	}
	c.many.rows = c.t.RowsAtOnce
	if c.many.code, c.many.from = c.body.Accumulate(combine, c.many.rows, repeats); c.many.code != nil {
		if on, why := c.t.engine(c.many.code); why != "" || c.t.slowdown(on) > c.t.slowdown(engine) {
			c.many.code = nil
		}
	}
	return engine, ""
}

// lanesAlone takes the kernel of the body for the missing one that accumulates, if each row is a lane: it is combined with no
// other row before the lanes are. It returns its engine, or why there is none.
func (c *columnWriter) lanesAlone(lacks string) (engine, why string) {
	if c.s.Axes[len(c.s.Axes)-1].Extent > ir.ReduceLanes {
		return "", lacks
	}
	code, from := c.body.Accumulate(make([]ir.Op, len(c.s.Out)), 1, func(int) bool { return false })
	if code == nil {
		return "", lacks
	}
	if engine, why = c.t.engine(code); why != "" {
		return "", lacks
	}
	c.one.code, c.one.from = code, from
	return engine, ""
}

// combineKernel returns the kernel that combines two rows.
func combineKernel(op ir.Op, d ir.DType) *kernel.Kernel {
	return oneOp(op, ir.Invalid, kernel.Operand{DType: d}, kernel.Operand{DType: d})
}

// oneOp returns the kernel of one op.
func oneOp(op ir.Op, to ir.DType, in ...kernel.Operand) *kernel.Kernel {
	k, err := kernel.SingleOp(op, to, in...)
	if err != nil {
		panic("BUG: schedule: " + err.Error())
	}
	return k
}

// tile chooses the columns of a tile: enough tiles for several goroutines, if they stay wide. It also decides whether the rows
// of one group, one for each lane, become one row.
func (c *columnWriter) tile() {
	s, last := c.s, len(c.s.Axes)-1
	n, cols := s.Axes[last].Extent, s.Axes[last-1].Extent
	bytes, widest := 0, 0
	for o := range s.Out {
		if !s.Out[o].Stored() {
			bytes += s.Body.OutType(o).Size()
		}
	}
	c.width = c.t.divide(s, min(cols, max(1, c.t.LaneBytes/bytes)), 1)
	c.flat = n > 1 && c.width == cols
	for i := range c.ops {
		op := &c.ops[i]
		switch {
		case op.class > splat:
			c.flat, widest = false, max(widest, op.size())
		case op.class == unit && op.row == 0:
			bytes += op.size()
		default:
			c.flat = c.flat && op.row == cols*op.col
		}
	}
	for o := range s.Out {
		if s.Out[o].Stored() {
			c.flat = c.flat && s.Out[o].Strides[last] == cols
		}
	}
	c.flat = c.flat && c.tiles == nil && c.lanes*cols*bytes <= c.t.FlatBytes
	lanes := min(c.lanes, n)
	if widest > 0 { // packed 32 rows at a time, no power of two apart: they would be in few sets of the cache
		if n <= ir.ReduceLanes {
			widest = max(widest, bytes)
		}
		c.width = min(c.width, max(1, (c.t.PackBytes/lanes-cacheLine)/widest))
	}
	if c.tiles != nil {
		c.width = min(c.width, max(c.t.MinColumns, c.tiles.tileElems()/lanes))
	}
}
