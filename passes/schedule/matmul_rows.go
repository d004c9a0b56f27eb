package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// multiplyRows is the strategy of few rows times a matrix that comes from memory: the matrix is read once, a few of its
// rows at a time from their first elements to their last, and the sums of a chunk stay in the first-level cache.
//
//	for each tile of columns                                         in parallel
//	  for each chunk of ir.DotChunk pairs                            one after the other
//	    clear the sums
//	    for each few pairs                                           a kernel.DotChain
//	      add their products to the sums of all rows
//	    store the sums, or add them to those of the chunks before
var multiplyRows = strategy{name: "matmul-rows", offer: offerFewRows}

// rowsProduct is a product that is being scheduled so.
type rowsProduct struct {
	product
	pair, row, col int      // axes
	chains         [2]chain // of several pairs, and of one
	sums           view
	zero           view
}

// offerFewRows is the offer for a step with few rows.
func offerFewRows(t *target, s *plan.Step) (offer, string) {
	r := &rowsProduct{product: *newProduct(t, s)}
	if why := r.match(); why != "" {
		return offer{}, why
	}
	r.pair, r.row, r.col = r.at.Pairs, r.at.Rows, r.at.Cols
	switch {
	case r.row-r.pair > 1 || r.col-r.row > 1 || r.col != len(s.Axes)-1:
		return offer{}, "the pairs, rows or columns are several axes"
	case s.Axes[r.row].Extent > t.Matmul.FewRows:
		return offer{}, "the rows are many"
	}
	if r.blocks(); !r.chunked() {
		return offer{}, "the right operand is small, or its rows are not contiguous and far apart"
	}
	for i, pairs := range []int{kernel.DotChainPairs, 1} {
		code, order := kernel.DotChain(s.Body.Body[0].Op, r.dtype, pairs, false, true)
		engine, ok := t.lib.Engine(code.Signature())
		if !ok {
			return offer{}, "there is no kernel " + code.Signature()
		}
		r.chains[i] = chain{code, order, engine, pairs}
	}
	return offer{r.cost(), func() (*Draft, string) { return r.write(), "" }}, ""
}

// cost returns what the step costs: a part of what multiply does, which reads the matrix more than once.
func (r *rowsProduct) cost() float64 {
	return r.t.Work(r.step) * r.t.Matmul.FewRowsTime * r.t.slowdown(r.chains[0].engine)
}

// write returns the draft.
func (r *rowsProduct) write() *Draft {
	r.draft = newDraft(r.t, r.step)
	r.draft.Choice = nest.Choice{Kernel: r.chains[0].code.Signature(), Engine: r.chains[0].engine, Kernels: 1, Cost: r.cost()}
	rows, cols := r.step.Axes[r.row].Extent, r.step.Axes[r.col].Extent
	unit := cacheLine / r.dtype.Size()
	most := r.t.Matmul.FewRowsBytes / r.dtype.Size()
	if n := r.t.pieces(r.t.Work(r.step)); !r.t.inGroup {
		most = min(most, (cols-1)/n+1)
	}
	tile := evenly(cols, max(unit, most), unit)
	w := newWalk(r.step.Axes).cutAll(r.pair, r.row, r.col).cut(r.col, tile)
	r.sums = view{slot: r.draft.scratch(r.dtype, rows*oddLines(tile, r.dtype)), strides: make([]int, len(r.step.Axes)), from: w.depth()}
	r.sums.strides[r.row], r.sums.strides[r.col] = oddLines(tile, r.dtype), 1
	r.zero = view{slot: r.draft.table(r.dtype, 0, 1), strides: make([]int, len(r.step.Axes))}
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
	items := []nest.Item{r.rows(in, copyKernel(r.dtype, true), []view{r.zero, r.sums})}
	few := n / kernel.DotChainPairs * kernel.DotChainPairs
	items = append(items, r.multiplied(in, &r.chains[0], from, few)...)
	items = append(items, r.multiplied(in, &r.chains[1], from+few, n-few)...)
	return in.wrap(w, append(items, r.rows(in, store, all)))
}

// multiplied returns the calls that add the products of n pairs of a chunk to the sums, from a pair of the first chunk on.
func (r *rowsProduct) multiplied(chunk *walk, c *chain, from, n int) []nest.Item {
	if n == 0 {
		return nil
	}
	in := chunk.having(r.pair, n).cut(r.pair, c.pairs)
	var ins []view
	for k := range c.pairs {
		for _, v := range []view{r.left.view, r.right.view} {
			v.offset += (from + k) * v.strides[r.pair]
			ins = append(ins, v)
		}
	}
	ins = append(ins, r.sums)
	args := make([]view, 0, len(ins)+1)
	for _, i := range c.order {
		args = append(args, ins[i])
	}
	return in.wrap(chunk, []nest.Item{r.rows(in, c.code, append(args, r.sums))})
}

// rows returns a call for all rows of the product.
func (r *rowsProduct) rows(w *walk, k kernel.Code, operands []view) nest.Item {
	args := make([]nest.Arg, len(operands))
	for i := range operands {
		args[i] = w.arg(&operands[i], r.row)
	}
	return call(k, w.size[r.row], w.size[r.col], args)
}
