package schedule

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// matmulSmall computes products with few pairs and columns: a call multiplies many small matrices, and reads them where they are.
//
//	for each tile of the batch                                       in parallel
//	  dotbatch
//
// Left matrices whose elements share sets of the cache, because the batch is their last axis in memory, are transposed into local
// memory.
//
// Many rows that multiply one matrix are a batch too, of a few rows each: [1000,3] x [3,3] is 250 products [4,3] x [3,3]. The
// rows left over are one more product.
func matmulSmall(t *target, s *plan.Step) []offer {
	p := newProduct(t, s)
	if why := p.match(); why != "" {
		return refused(why)
	}
	b := &smallProducts{t: t, step: s, at: p.at, code: microKernel(kernel.Micro{Kind: kernel.DotBatch, Type: p.dtype})}
	cols := len(s.Axes) - 1
	switch m := &t.Matmul; {
	case kernel.ProductOf(s.Body) != ir.OpDot:
		return refused("its pairs are multiplied by halves")
	case p.at.Rows-p.at.Pairs > 1 || p.at.Cols-p.at.Rows > 1 || p.at.Cols != cols:
		return refused("the pairs, rows or columns are several axes")
	case p.pairs > m.SmallPairs || s.Axes[cols].Extent > kernel.DotBatchColumns:
		return refused(t.because("%d pairs and %d columns, takes at most %d and %d", p.pairs, s.Axes[cols].Extent, m.SmallPairs, kernel.DotBatchColumns))
	case s.Axes[p.at.Rows].Extent > m.SmallRows && p.pairs*((s.Axes[cols].Extent*p.dtype.Size()-1)/t.Vector+1) > m.SmallVectors:
		return refused(t.because("%d rows, takes at most %d unless the right matrix has at most %d vectors", s.Axes[p.at.Rows].Extent, m.SmallRows, m.SmallVectors))
	case p.right.panel != nil || p.right.strides[cols] != 1 || p.out.strides[p.at.Rows] != s.Axes[cols].Extent:
		return refused("the rows of the right operand or the product are not contiguous")
	case !b.near(p.left.strides, p.at.Pairs, p.at.Rows) || !b.near(p.right.strides, p.at.Pairs):
		return refused("the elements of a matrix are far apart, or against the order of memory")
	}
	var why string
	if b.engine, why = t.engine(b.code); why != "" {
		return refused(why)
	}
	return offering(b.cost(), func() (*Draft, string) { return b.write(), "" })
}

// smallProducts writes the draft of such a product.
type smallProducts struct {
	t      *target
	draft  *Draft
	step   *plan.Step
	code   kernel.Code
	engine string
	at     plan.Product
}

// near reports whether no axis of a matrix has a negative stride, and its last element is within 32 bits of its first.
func (b *smallProducts) near(strides []int, axes ...int) bool {
	n := 0 // within int, as all of it is in memory
	for _, k := range axes {
		if strides[k] < 0 || strides[k] > math.MaxInt32 {
			return false
		}
		n += strides[k] * (b.step.Axes[k].Extent - 1)
	}
	return n <= math.MaxInt32
}

// cost returns the cost of the multiplications, and of each product.
func (b *smallProducts) cost() float64 {
	m := &b.t.Matmul
	products := plan.Indices(b.step.Axes[:b.at.Pairs])
	if rows := b.step.Axes[b.at.Rows].Extent; rows > m.SmallRows {
		products *= rows / m.RowsOfMany
	}
	cost := b.t.Work(b.step)*m.SmallTime*b.t.slowdown(b.engine) + m.SmallWork*float64(products)
	if b.sharesSets(b.step) {
		cost += b.t.StageWork * float64(elems(b.step)/b.step.Axes[b.at.Cols].Extent)
	}
	return cost
}

// setLines is how many cache lines of one set the first-level cache holds.
const setLines = 8

// sharesSets reports whether the elements of a left matrix are in more lines of one set than the cache holds, and those of the next
// matrices next to them.
func (b *smallProducts) sharesSets(s *plan.Step) bool {
	rows, d, lines := len(s.Axes)-2, s.Body.In[0].DType, 1
	left := s.In[0].Strides
	for _, k := range []int{rows - 1, rows} {
		if left[k] != 0 && left[k]*d.Size()%b.t.Matmul.SetBytes == 0 {
			lines *= s.Axes[k].Extent
		}
	}
	return lines > setLines && rows > 1 && left[rows-2] == 1 && s.Axes[rows-2].Extent >= cacheLine/d.Size()
}

// write returns the draft.
func (b *smallProducts) write() *Draft {
	b.draft = b.t.drafting(b.step, b.code, b.engine, b.cost())
	rows, each := b.step.Axes[b.at.Rows].Extent, b.t.Matmul.RowsOfMany
	switch {
	case rows > b.t.Matmul.SmallRows:
		b.multiply(b.rowsOf(0, rows/each, each))
		if rest := rows % each; rest > 0 {
			b.multiply(b.rowsOf(rows-rest, 1, rest))
		}
	case b.at.Pairs == 0:
		b.multiply(b.rowsOf(0, 1, rows))
	default:
		b.multiply(b.step)
	}
	return b.draft
}

// rowsOf returns the step that multiplies products*rows rows, from a given one on: one more axis of the batch, for the
// products, and the rows of each.
func (b *smallProducts) rowsOf(from, products, rows int) *plan.Step {
	s := *b.step
	s.In, s.Out = slices.Clone(s.In), slices.Clone(s.Out)
	s.Axes = slices.Insert(slices.Clone(s.Axes), b.at.Pairs, plan.Axis{Extent: products})
	s.Axes[b.at.Rows+1].Extent = rows
	for a := range s.Accesses() {
		row := a.Strides[b.at.Rows]
		a.Offset += from * row
		a.Strides = slices.Insert(slices.Clone(a.Strides), b.at.Pairs, rows*row)
	}
	return &s
}

// multiply appends the part that computes a step, whose last axis of the batch is the rows of the calls.
func (b *smallProducts) multiply(s *plan.Step) {
	rows := len(s.Axes) - 2
	pairs, cols, along := rows-1, rows+1, rows-2
	most := max(1, b.t.mostElems(s)/plan.Indices(s.Axes[pairs:]))
	d, copied := s.Body.In[0].DType, b.sharesSets(s)
	if copied {
		most = max(cacheLine/d.Size(), min(most, b.t.PackBytes/d.Size()/plan.Indices(s.Axes[pairs:cols])))
	}
	w := newWalk(s.Axes).cutAll(along, pairs, rows, cols).cut(along, evenly(s.Axes[along].Extent, most, cacheLine/d.Size()))
	left, right, out := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access)
	m, k, n := s.Axes[rows].Extent, s.Axes[pairs].Extent, s.Axes[cols].Extent
	var items []nest.Item
	if copied {
		local := w.local(b.draft.scratch(d, w.most[along]*m*k), along, m*k, rows, k, pairs, 1)
		row := w.cut(rows, 1)
		items = row.wrap(w, []nest.Item{transposeCall(d, nest.Fixed(k), w.size[along], row.arg(&left, pairs), 1, row.arg(&local, along))})
		b.draft.Choice.Packed = []int{0}
		left = local
	}
	leftRow, leftPair, rightRow := left.strides[rows], left.strides[pairs], right.strides[pairs]
	fields := fixed([]int{k, n, (m-1)*leftRow + (k-1)*leftPair + 1, (k-1)*rightRow + n, leftRow, leftPair, rightRow})
	items = append(items, call(b.code, w.size[along], nest.Fixed(m*n), w.args(along, left, right, out), fields...))
	b.draft.Parts = append(b.draft.Parts, w.part(items))
}
