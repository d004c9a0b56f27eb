package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// matmulBatch computes products of many small matrices: the columns of its calls are the batch, so that a vector has one
// element of each of several matrices.
//
//	for each tile of the batch                                       in parallel
//	  transpose the matrices: a line for each of their elements
//	  for each row of the left matrix
//	    for some pairs, one after the other
//	      lines of the product = fma of left and right lines, from +0 on
//	  transpose the product
//
// Each element is added up in the order of ir.DotLine: matrices so small have one chunk of pairs. Operands that are contiguous
// along the batch are not transposed.
func matmulBatch(t *target, s *plan.Step) []offer {
	p := newProduct(t, s)
	if why := p.match(); why != "" {
		return refused(why)
	}
	at := p.at
	switch {
	case p.right.panel != nil || p.op == ir.OpDotBytes:
		return refused("an operand is in panels")
	case at.Pairs == 0:
		return refused(t.because("1 product, needs %d", t.Matmul.BatchLeast))
	case s.Axes[at.Pairs-1].Extent < t.Matmul.BatchLeast:
		return refused(t.because("%d products, needs %d", s.Axes[at.Pairs-1].Extent, t.Matmul.BatchLeast))
	case at.Rows-at.Pairs > 1 || at.Cols-at.Rows > 1 || len(s.Axes)-at.Cols > 1:
		return refused("the pairs, rows or columns are several axes")
	}
	b := &batch{t: t, step: s, dtype: p.dtype, along: at.Pairs - 1, pairs: at.Pairs, rows: at.Rows, cols: at.Cols}
	if b.lines()*b.dtype.Size() > t.Matmul.BatchProduct {
		return refused(t.because("a product has %d bytes of operands and result, takes at most %d: copies would take longer than a call for each", b.lines()*b.dtype.Size(), t.Matmul.BatchProduct))
	}
	if why := b.findChains(p.pairs); why != "" {
		return refused(why)
	}
	return offering(b.cost(), func() (*Draft, string) { return b.write(), "" })
}

// batch writes the draft of such a product.
type batch struct {
	t      *target
	draft  *Draft
	step   *plan.Step
	dtype  ir.DType
	chains []chain

	along             int // the axis that is the columns of calls
	pairs, rows, cols int // axes
	tile, line        int // products of a tile, and elements from one line of it to the next
}

// extents returns the rows, pairs and columns of one product.
func (b *batch) extents() (m, k, n int) {
	return b.step.Axes[b.rows].Extent, b.step.Axes[b.pairs].Extent, b.step.Axes[b.cols].Extent
}

// lines returns how many elements the matrices of one product have.
func (b *batch) lines() int {
	m, k, n := b.extents()
	return m*k + k*n + m*n
}

// cost returns what the step costs: its multiplications, and the copies of all matrices.
func (b *batch) cost() float64 {
	m, k, n := b.extents()
	products := float64(elems(b.step) / (m * k * n))
	return b.t.Work(b.step)*b.t.slowdown(b.chains[0].engine) + products*float64(b.lines())*b.t.StageWork
}

// write returns the draft.
func (b *batch) write() *Draft {
	b.draft = b.t.drafting(b.step, b.chains[0].code, b.chains[0].engine, b.cost())
	b.draft.Choice.Kernels = len(b.chains)
	unit := cacheLine / b.dtype.Size()
	most := max(unit, min(b.t.Matmul.BatchBytes/b.dtype.Size()/b.lines(), b.t.mostElems(b.step)/b.lines())/unit*unit)
	b.tile = evenly(b.step.Axes[b.along].Extent, most, unit)
	b.line = oddLines(b.tile, b.dtype)
	w := newWalk(b.step.Axes).cutAll(b.along, b.pairs, b.rows, b.cols).cut(b.along, b.tile)
	left, right, out := b.factor(0), b.factor(1), b.factor(2)
	items := append(b.copyIn(w, &left), b.copyIn(w, &right)...)
	to := out.view
	out.local(b, w)
	items = append(items, b.multiply(w, left.view, right.view, out.view)...)
	b.draft.Parts = []nest.Nest{w.part(append(items, b.copyOut(w, &out, to)...))}
	return b.draft
}

// smallFactor is an operand of a product of small matrices.
type smallFactor struct {
	view
	outer, inner int // the axes of a matrix: along inner the elements are closer together
	lines        int // elements of a matrix
	copied       bool
}

// factor returns an operand where the plan has it.
func (b *batch) factor(i int) smallFactor {
	axes := [...][2]int{{b.rows, b.pairs}, {b.pairs, b.cols}, {b.rows, b.cols}}[i]
	f := smallFactor{view: viewOf(i, accessOf(b.step, i)), outer: axes[0], inner: axes[1]}
	if abs(f.strides[f.outer]) < abs(f.strides[f.inner]) {
		f.outer, f.inner = f.inner, f.outer
	}
	f.lines = b.step.Axes[f.outer].Extent * b.step.Axes[f.inner].Extent
	f.copied = f.strides[b.along] != 1
	return f
}

// local puts an operand that is copied into local memory, a line for each element of a matrix.
func (f *smallFactor) local(b *batch, w *walk) {
	if !f.copied {
		return
	}
	b.draft.Choice.Packed = append(b.draft.Choice.Packed, f.slot)
	f.view = w.local(b.draft.scratch(b.dtype, f.lines*b.line), b.along, 1, f.inner, b.line, f.outer, b.line*b.step.Axes[f.inner].Extent)
}

// dense returns the place where one call copies lines of a view, and the number of lines: all elements of a matrix if they have
// one stride, and else those along the inner axis.
func (b *batch) dense(w *walk, f *smallFactor, from *view) (in *walk, lines int) {
	n := b.step.Axes[f.inner].Extent
	if from.strides[f.outer] == n*from.strides[f.inner] {
		return w, f.lines
	}
	return w.cut(f.outer, 1), n
}

// copyIn returns the calls that copy a tile of an input, if it is copied. Each element of one matrix for all products is copied
// to all of its line.
func (b *batch) copyIn(w *walk, f *smallFactor) []nest.Item {
	if !f.copied {
		return nil
	}
	from := f.view
	f.local(b, w)
	in, lines := b.dense(w, f, &from)
	if from.strides[b.along] == 0 {
		return in.wrap(w, []nest.Item{call(copyKernel(b.dtype, true), nest.Fixed(lines), w.size[b.along], in.args(f.inner, from, f.view))})
	}
	return in.wrap(w, []nest.Item{transposeCall(b.dtype, w.size[b.along], nest.Fixed(lines), in.arg(&from, b.along), from.strides[f.inner], in.arg(&f.view, f.inner))})
}

// copyOut returns the calls that copy a tile of the product to its place, if it is not there. Its elements are contiguous along
// the inner axis, as match has seen.
func (b *batch) copyOut(w *walk, f *smallFactor, to view) []nest.Item {
	if !f.copied {
		return nil
	}
	in, lines := b.dense(w, f, &to)
	return in.wrap(w, []nest.Item{transposeCall(b.dtype, nest.Fixed(lines), w.size[b.along], in.arg(&f.view, f.inner), 1, in.arg(&to, b.along))})
}

// chain is a kernel that adds the products of some pairs to a sum in order, one line of matrices after another.
type chain struct {
	code   kernel.Code
	order  []int // its input i is input order[i] of the body: left and right elements, then the sum
	engine string
	pairs  int
}

// findChains covers the pairs: the first chain is the longest that the library has, and each of the others has one pair.
func (b *batch) findChains(pairs int) (why string) {
	for n := min(kernel.DotChainPairs, pairs); n > 0 && len(b.chains) == 0; n-- {
		why = b.findChain(n, true)
	}
	if why != "" {
		return why
	}
	if rest := pairs - b.chains[0].pairs; rest > 0 {
		if why = b.findChain(1, false); why == "" {
			b.chains = append(b.chains, slices.Repeat(b.chains[1:], rest-1)...)
		}
	}
	return why
}

// findChain appends a chain if the library has it.
func (b *batch) findChain(pairs int, first bool) (why string) {
	code, order := kernel.DotChain(kernel.ProductOf(b.step.Body).Info().By, b.dtype, pairs, first)
	engine, why := b.t.engine(code)
	if why == "" {
		b.chains = append(b.chains, chain{code, order, engine, pairs})
	}
	return why
}

// multiply returns the calls that multiply a tile: for each row of the left matrices the chains, whose lines are the columns of
// the right ones.
func (b *batch) multiply(w *walk, left, right, out view) []nest.Item {
	in := w.cut(b.rows, 1)
	_, _, cols := b.extents()
	var items []nest.Item
	done := 0
	for _, c := range b.chains {
		var ins []view
		for k := done; k < done+c.pairs; k++ {
			ins = append(ins, left.move(b.pairs, k), right.move(b.pairs, k))
		}
		switch {
		case done > 0:
			ins = append(ins, out)
		case ir.Floats.Has(b.dtype):
			ins = append(ins, in.local(b.draft.table(b.dtype, 0, 1)))
		}
		items = append(items, call(c.code, nest.Fixed(cols), w.size[b.along], in.args(b.cols, ordered(c.order, ins, out)...)))
		done += c.pairs
	}
	return in.wrap(w, items)
}
