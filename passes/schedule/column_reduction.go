package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// columnReduction makes the lines the columns of kernel calls. Row i of a chunk belongs
// to lane i mod 32, as ir.ReduceRow says, or to one of fewer: see fewest. Each lane is a row of accumulators in local
// memory, as wide as a tile of columns. A kernel combines rows with the accumulators of
// their lanes; then the lanes are combined in halves, until one is left.
//
// By its options places and trees a kernel does so on its own: see column_reduction_places.go and column_reduction_trees.go.
func columnReduction(t *target, step *plan.Step) []offer {
	s, why := reduction(step)
	if why != "" {
		return refused(why)
	}
	columns := offer{why: columnsCan(s)}
	if columns.why == "" {
		columns.least, columns.draft = t.ColumnCost(s), func() (*Draft, string) { return t.draftColumns(step, s) }
	}
	return []offer{t.places(step, s), t.trees(step, s), columns}
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
	c := &columnWriter{t: t, d: newDraft(t, step), s: s}
	engine, why := c.kernels()
	if why != "" {
		return nil, why
	}
	c.lanes = c.fewest()
	c.tile()
	cost := t.ColumnCost(s) + (t.slowdown(engine)-1)*t.Work(s)
	c.d.Choice = nest.Choice{Kernel: c.one.code.Signature(), Engine: engine, Kernels: 1, Cost: cost}
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

// fewest returns how many lanes there are. Combining the lanes takes as long as combining as many rows. If elements combine in any order,
// and there are more rows than ir.ReduceRow says that there are lanes, there are as few as still make long rows. Inputs that
// are copied, and tilings, take many rows at once.
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

// kernels finds the kernels that combine rows with accumulators, and returns their
// engine.
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
	engine, ok := c.t.lib.Engine(c.one.code.Signature())
	if !ok {
		engine, ok = c.lanesAlone()
	}
	if ok = ok && !c.t.TilingOnly; !ok || engine == portable {
		c.tiles, why = c.tiling(0, nil).newTiling()
		if c.tiles == nil && !ok {
			return "", "no kernel is registered for " + c.one.code.Signature() + "; " + why
		}
		if ok && c.tiles != nil && c.t.BodyWork(s)*c.t.PortableWork <= c.tiles.work() {
			c.tiles = nil
		}
	}
	for o, op := range combine {
		if op == ir.OpInvalid {
			continue
		}
		if _, ok := c.t.lib.Engine(combineKernel(op, s.Body.DType(s.Body.Out[o])).Signature()); !ok {
			return "", "no kernel combines lanes by " + op.String()
		}
	}
	if packs || c.tiles != nil {
		return engine, ""
	}
	c.many.rows = c.t.RowsAtOnce
	c.many.code, c.many.from = c.body.Accumulate(combine, c.t.RowsAtOnce, repeats)
	if c.many.code != nil {
		if on, ok := c.t.lib.Engine(c.many.code.Signature()); !ok || c.t.slowdown(on) > c.t.slowdown(engine) {
			c.many.code = nil
		}
	}
	return engine, ""
}

// lanesAlone takes the kernel of the body for that which accumulates, if there is one and each row is a lane, which is combined
// with no other row before the lanes are.
func (c *columnWriter) lanesAlone() (engine string, ok bool) {
	if c.s.Axes[len(c.s.Axes)-1].Extent > ir.ReduceLanes {
		return "", false
	}
	code, from := c.body.Accumulate(make([]ir.Op, len(c.s.Out)), 1, func(int) bool { return false })
	if code == nil {
		return "", false
	}
	if engine, ok = c.t.lib.Engine(code.Signature()); ok {
		c.one.code, c.one.from = code, from
	}
	return engine, ok
}

// combineKernel returns the kernel that combines two rows of lanes.
func combineKernel(op ir.Op, d ir.DType) *kernel.Kernel {
	k, err := kernel.SingleOp(op, ir.Invalid, kernel.Operand{DType: d}, kernel.Operand{DType: d})
	if err != nil {
		panic("BUG: schedule: a combiner that combines nothing: " + err.Error())
	}
	return k
}

// tile chooses the columns of a tile, so that there are enough of them for several
// goroutines if they stay wide enough, and tells whether rows, one of each lane, become one.
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
