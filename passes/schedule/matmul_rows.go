package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// matmulRows computes products of few rows and a matrix that comes from memory: it reads the matrix once, a few of its rows at
// a time from their first elements to their last, and the sums of a chunk stay in the first-level cache.
//
//	for each tile of columns                                         in parallel
//	  for each chunk of ir.DotChunk pairs                            one after the other
//	    clear the sums
//	    for each few pairs                                           kernel.DotRowsChain
//	      add their products to the sums of all rows
//	    store the sums, or add them to those of the chunks before
func matmulRows(t *target, s *plan.Step) []offer {
	r := &rowsProduct{product: *newProduct(t, s)}
	if why := r.match(); why != "" {
		return refused(why)
	}
	r.pair, r.row, r.col = r.at.Pairs, r.at.Rows, r.at.Cols
	switch {
	case r.row-r.pair != 1 || r.col-r.row != 1 || r.col != len(s.Axes)-1:
		return refused("the pairs, rows or columns are several axes")
	case s.Axes[r.row].Extent > t.Matmul.FewRows:
		return refused(t.because("%d rows, takes at most %d", s.Axes[r.row].Extent, t.Matmul.FewRows))
	case s.Axes[r.col].Extent*r.dtype.Size() < t.Matmul.FewRowsLeast:
		return refused(t.because("%d columns of %d bytes, needs %d bytes", s.Axes[r.col].Extent, r.dtype.Size(), t.Matmul.FewRowsLeast))
	}
	if r.blocks(); !r.chunked() {
		return refused("the right operand is small, or its rows are not contiguous and far apart")
	}
	for i, n := range []struct{ pairs, rows int }{{kernel.DotChainPairs, 2}, {kernel.DotChainPairs, 1}, {1, 1}} {
		c := &r.chains[i]
		c.pairs, c.rows = n.pairs, n.rows
		c.code, c.order = kernel.DotRowsChain(r.op.Info().By, r.dtype, c.pairs, c.rows)
		var why string
		if c.engine, why = t.engine(c.code); why != "" {
			return refused(why)
		}
	}
	return offering(r.cost(), func() (*Draft, string) { return r.write(), "" })
}

// rowsChain is a kernel.DotRowsChain of some rows.
type rowsChain struct {
	chain
	rows int
}

// rowsProduct writes the draft of such a product.
type rowsProduct struct {
	product
	pair, row, col int          // axes
	chains         [3]rowsChain // of several pairs and two rows or one, and of one pair and row
	sums           view
	zero           view
}

// cost returns the cost of the step: a fraction of the cost of matmul, which reads the matrix more than once.
func (r *rowsProduct) cost() float64 {
	return r.t.Work(r.step) * r.t.Matmul.FewRowsTime * r.t.slowdown(r.chains[0].engine)
}

// columns returns the number of columns of a tile: few enough for each worker to have some, and enough to pay for a call.
func (r *rowsProduct) columns() int {
	size, cols := r.dtype.Size(), r.step.Axes[r.col].Extent
	most := r.t.Matmul.FewRowsBytes / (size * r.step.Axes[r.row].Extent)
	if !r.t.inGroup {
		most = max(r.t.Matmul.FewRowsLeast/size, min(most, (cols-1)/r.t.pieces(r.t.Work(r.step))+1))
	}
	return evenly(cols, most, cacheLine/size)
}

// write returns the draft.
func (r *rowsProduct) write() *Draft {
	r.draft = r.t.drafting(r.step, r.chains[0].code, r.chains[0].engine, r.cost())
	rows, tile := r.step.Axes[r.row].Extent, r.columns()
	w := newWalk(r.step.Axes).cutAll(r.pair, r.row, r.col).cut(r.col, tile)
	line := oddLines(tile, r.dtype)
	r.sums = w.local(r.draft.scratch(r.dtype, rows*line), r.row, line, r.col, 1)
	r.zero = w.local(r.draft.table(r.dtype, 0, 1))
	whole := r.pairs / ir.DotChunk
	items := r.chunks(w, 0, 1, min(r.pairs, ir.DotChunk))
	if whole > 1 {
		items = append(items, r.chunks(w, ir.DotChunk, whole-1, ir.DotChunk)...)
	}
	if rest := r.pairs % ir.DotChunk; whole > 0 && rest > 0 {
		items = append(items, r.chunks(w, whole*ir.DotChunk, 1, rest)...)
	}
	r.draft.Parts = []nest.Nest{w.part(items)}
	return r.draft
}

// chunks returns the calls for a number of chunks of n pairs each, from a pair on.
func (r *rowsProduct) chunks(w *walk, from, count, n int) []nest.Item {
	in := w.having(r.pair, count*n).cut(r.pair, n)
	all := []view{r.sums, r.out.view}
	store := copyKernel(r.dtype, false)
	if from > 0 {
		all, store = []view{r.out.view, r.sums, r.out.view}, combineKernel(ir.OpAdd, r.dtype)
	}
	rows := r.step.Axes[r.row].Extent
	items := []nest.Item{r.rows(in, 0, rows, 1, copyKernel(r.dtype, true), r.zero, r.sums)}
	two, one, rest := &r.chains[0], &r.chains[1], &r.chains[2]
	few := n / one.pairs * one.pairs
	if few > 0 {
		each := in.having(r.pair, few).cut(r.pair, one.pairs)
		calls := append(r.multiplied(each, two, from, 0, rows/2), r.multiplied(each, one, from, rows/2*2, rows%2)...)
		items = append(items, each.wrap(in, calls)...)
	}
	if n > few {
		each := in.having(r.pair, n-few).cut(r.pair, rest.pairs)
		items = append(items, each.wrap(in, r.multiplied(each, rest, from+few, 0, rows))...)
	}
	return in.wrap(w, append(items, r.rows(in, 0, rows, 1, store, all...)))
}

// multiplied returns the call that adds the products of pairs to the sums of times rows from a first one on, or nothing for no rows.
func (r *rowsProduct) multiplied(w *walk, c *rowsChain, pair, first, times int) []nest.Item {
	if times == 0 {
		return nil
	}
	var ins, outs []view
	for k := range c.pairs {
		ins = append(ins, r.right.move(r.pair, pair+k))
	}
	for row := range c.rows {
		for k := range c.pairs {
			ins = append(ins, r.left.move(r.row, row).move(r.pair, pair+k))
		}
		sum := r.sums.move(r.row, row)
		ins, outs = append(ins, sum), append(outs, sum)
	}
	return []nest.Item{r.rows(w, first, times, c.rows, c.code, ordered(c.order, ins, outs...)...)}
}

// rows returns a call for n rows of the product from a first one on. Each row of the kernel is some rows of the product.
func (r *rowsProduct) rows(w *walk, first, n, each int, k kernel.Code, operands ...view) nest.Item {
	args := make([]nest.Arg, len(operands))
	for i, v := range operands {
		v = v.move(r.row, first)
		args[i] = w.arg(&v, r.row)
		args[i].Step *= each
	}
	return call(k, nest.Fixed(n), w.size[r.col], args)
}
