package schedule

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// multiply is the strategy of steps with a Contract axis: blocked products of matrices.
//
//	for each matrix of the batch, block of rows, block of columns    in parallel
//	  for each chunk of ir.DotChunk pairs                            one after the other
//	    pack the chunk of the left rows, if they lie badly
//	    for each panel of kernel.DotColumns columns
//	      dot
//
// The first chunk stores the block, the others add to it: that is the order of
// ir.DotLine. The left chunk stays in the second-level cache while panel after panel of
// the right operand goes past, and the panel's chunk in the first-level cache while all
// rows of the block do. The right operand either lies in panels (plan.Access.Panel) or
// has contiguous rows: the plan copies any other.

var multiply = strategy{name: "matmul", offer: offerProduct}

// product is a product that is being scheduled.
type product struct {
	*target
	draft *Draft
	step  *plan.Step

	dtype            ir.DType
	dot              kernel.Code
	left, right, out int // operands, which are slots too
	access           []plan.Access
	pairs            int // axis of the step; the rows are the next one, the columns the last

	width                int // columns of a panel
	blockRows, blockCols int
	packed               int // slot of the packed left chunk, -1 if it is not packed
}

// offerProduct is the offer for a step that multiplies matrices.
func offerProduct(t *target, s *plan.Step) (offer, string) {
	p := &product{target: t, step: s, packed: -1}
	if why := p.match(); why != "" {
		return offer{}, why
	}
	return offer{t.Work(s), p.matmul}, ""
}

// matmul drafts the product.
func (p *product) matmul() (*Draft, string) {
	p.draft = newDraft(p.target, p.step)
	engine, ok := p.lib.Engine(p.dot.Signature())
	if !ok {
		return nil, "there is no kernel " + p.dot.Signature()
	}
	p.draft.Choice = nest.Choice{Kernel: p.dot.Signature(), Engine: engine, Kernels: 1, Cost: p.Work(p.step) * p.slowdown(engine)}
	p.block()
	loops := append(p.batch(), nest.Loop{Extent: nest.Fixed(p.rows()), Tile: p.blockRows}, nest.Loop{Extent: nest.Fixed(p.cols()), Tile: p.blockCols})
	part := nest.Nest{Loops: loops}
	for _, first := range []bool{true, false} {
		c := dotChunk{product: p, depth: len(loops), first: first}
		items, why := c.items()
		if why != "" {
			return nil, why
		}
		part.Items = append(part.Items, items...)
	}
	p.draft.Parts = []nest.Nest{part}
	return p.draft, ""
}

// match finds the operands of a product, or says why the step is none.
func (p *product) match() (why string) {
	s := p.step
	axis := s.Along()
	if !s.Contracts() {
		return "it contracts no axis"
	}
	cols := len(s.Axes) - 1
	if axis != cols-2 || len(s.In) != 2 || len(s.Out) != 1 || len(s.Body.Body) != 1 || s.Body.Body[0].Op != ir.OpMul || s.Out[0].Combine != ir.OpAdd {
		return "it is not the sum of the products of two operands over pairs, rows and columns"
	}
	p.pairs, p.left, p.right, p.out = axis, 0, 1, 2
	if s.In[0].Strides[cols] != 0 { // the body is canonical, so either may be the first
		p.left, p.right = 1, 0
	}
	p.access = []plan.Access{s.In[0], s.In[1], s.Out[0].Access}
	p.dtype = s.Body.In[0].DType
	p.dot, p.width = &kernel.Micro{Kind: kernel.Dot, Type: p.dtype}, kernel.DotColumns(p.dtype)
	left, right, out := &p.access[p.left], &p.access[p.right], &p.access[p.out]
	switch {
	case left.Strides[cols] != 0 || right.Strides[cols-1] != 0 || out.Strides[axis] != 0:
		return "its operands are not a left one without columns, a right one without rows and an output without pairs"
	case right.Strides[cols] != 1 || out.Strides[cols] != 1:
		return "the rows of its right operand or of its output are not contiguous"
	case left.Panel != nil || out.Panel != nil || right.Panel != nil && (right.Panel.Axis != cols || right.Panel.Size != p.width):
		return fmt.Sprintf("only the right operand may lie in panels, of %d columns", p.width)
	}
	return ""
}

func (p *product) rows() int { return p.step.Axes[p.pairs+1].Extent }
func (p *product) cols() int { return p.step.Axes[p.pairs+2].Extent }

// block sets the rows and columns of a block: as equal as tiles and panels allow.
func (p *product) block() {
	equal := func(n, most, unit int) int {
		parts := (n-1)/most + 1
		each := (n-1)/parts + 1
		return min(n, (each+unit-1)/unit*unit)
	}
	p.blockRows = equal(p.rows(), p.Matmul.LeftBytes/ir.DotChunk/p.dtype.Size(), kernel.DotRows)
	most, elems := p.Matmul.Cols, p.rows()*p.cols()
	for _, l := range p.batch() {
		elems *= l.Extent.N
	}
	oneWorker := p.inGroup || p.Workers <= 1
	for !oneWorker && elems/p.blockRows/min(p.cols(), most) < p.Matmul.BlocksPerWorker*p.Workers && most > p.Matmul.LeastCols {
		most /= 2
	}
	p.blockCols = equal(p.cols(), most, p.width)
}

// batch returns the loops over the axes before the pairs.
func (p *product) batch() []nest.Loop {
	var loops []nest.Loop
	for _, a := range p.step.Axes[:p.pairs] {
		loops = append(loops, nest.Loop{Extent: nest.Fixed(a.Extent), Tile: 1})
	}
	return loops
}

// blockStrides returns how far an operand moves from one iteration of the part's loops
// to the next.
func (p *product) blockStrides(o int) []int {
	a := &p.access[o]
	strides := append(slices.Clone(a.Strides[:p.pairs]), p.blockRows*a.Strides[p.pairs+1])
	return append(strides, colStride(a, p.blockCols))
}

// colStride returns how far an operand moves for so many columns, its last axis: whole
// panels of it, if it lies in panels.
func colStride(a *plan.Access, cols int) int {
	if a.Panel != nil {
		return cols / a.Panel.Size * a.Panel.Stride
	}
	return cols * a.Strides[len(a.Strides)-1]
}
