package schedule

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// matmulSmall is the strategy of products with few pairs and columns: a call multiplies many small matrices, and
// reads them where they are.
//
//	for each tile of the batch                                       in parallel
//	  dotbatch
//
// Many rows that multiply one matrix are a batch too, of a few rows each: [1000,3] x [3,3] is 250 products
// [4,3] x [3,3]. The rows that are left are one more product.
func matmulSmall(t *target, s *plan.Step) []offer {
	p := newProduct(t, s)
	if why := p.match(); why != "" {
		return refused(why)
	}
	b := &smallProducts{t: t, step: s, at: p.at, code: microKernel(kernel.Micro{Kind: kernel.DotBatch, Type: p.dtype})}
	cols := len(s.Axes) - 1
	switch m := &t.Matmul; {
	case kernel.DotOf(s.Body.Body[0].Op) != kernel.Dot:
		return refused("its pairs are multiplied by halves")
	case p.at.Rows-p.at.Pairs > 1 || p.at.Cols-p.at.Rows > 1 || p.at.Cols != cols:
		return refused("the pairs, rows or columns are several axes")
	case p.pairs > m.SmallPairs || s.Axes[cols].Extent > kernel.DotBatchColumns:
		return refused("the pairs or columns are many")
	case s.Axes[p.at.Rows].Extent > m.SmallRows && p.pairs*((s.Axes[cols].Extent*p.dtype.Size()-1)/t.Vector+1) > m.SmallVectors:
		return refused("the rows are many, and so are the elements of the right matrix")
	case p.right.panel != nil || p.right.strides[cols] != 1 || p.out.strides[p.at.Rows] != s.Axes[cols].Extent:
		return refused("the rows of the right operand or the product are not contiguous")
	case !b.near(p.left.strides, p.at.Pairs, p.at.Rows) || !b.near(p.right.strides, p.at.Pairs):
		return refused("the elements of a matrix are far apart, or against the order of memory")
	}
	var ok bool
	if b.engine, ok = t.lib.Engine(b.code.Signature()); !ok {
		return refused("there is no kernel " + b.code.Signature())
	}
	return offering(b.cost(), func() (*Draft, string) { return b.write(), "" })
}

// smallProducts is a product that is being scheduled so.
type smallProducts struct {
	t      *target
	draft  *Draft
	step   *plan.Step
	code   kernel.Code
	engine string
	at     plan.Product
}

// near reports whether no axis of a matrix goes back, and its last element is within 32 bits of its first one.
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

// cost returns what the step costs: its multiplications, and what each product takes besides.
func (b *smallProducts) cost() float64 {
	m := &b.t.Matmul
	products := elems(&plan.Step{Axes: b.step.Axes[:b.at.Pairs]})
	if rows := b.step.Axes[b.at.Rows].Extent; rows > m.SmallRows {
		products *= rows / m.RowsOfMany
	}
	return b.t.Work(b.step)*m.SmallTime*b.t.slowdown(b.engine) + m.SmallWork*float64(products)
}

// write returns the draft.
func (b *smallProducts) write() *Draft {
	b.draft = newDraft(b.t, b.step)
	b.draft.Choice = nest.Choice{Kernel: b.code.Signature(), Engine: b.engine, Kernels: 1, Cost: b.cost()}
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

// rowsOf returns the step that multiplies products*rows rows, from a given one on: as an axis of the batch with an index for
// each product, and the rows of each.
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
	most := max(1, b.t.mostElems(s)/(elems(s)/elems(&plan.Step{Axes: s.Axes[:pairs]})))
	w := newWalk(s.Axes).cutAll(along, pairs, rows, cols).cut(along, evenly(s.Axes[along].Extent, most, cacheLine/b.step.Body.In[0].DType.Size()))
	left, right, out := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access)
	m, k, n := s.Axes[rows].Extent, s.Axes[pairs].Extent, s.Axes[cols].Extent
	leftRow, leftPair, rightRow := left.strides[rows], left.strides[pairs], right.strides[pairs]
	fields := fixed([]int{k, n, (m-1)*leftRow + (k-1)*leftPair + 1, (k-1)*rightRow + n, leftRow, leftPair, rightRow})
	args := []nest.Arg{w.arg(&left, along), w.arg(&right, along), w.arg(&out, along)}
	b.draft.Parts = append(b.draft.Parts, w.part([]nest.Item{call(b.code, w.size[along], nest.Fixed(m*n), args, fields...)}))
}
