package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// matmul computes blocked products of matrices: steps with Contract axes.
//
//	for each matrix of the batch, block of rows, block of columns    in parallel
//	  for each chunk of ir.DotChunk pairs                            one after the other
//	    pack the chunk of the left rows, if they lie badly
//	    for each panel of columns of the right operand
//	      dot
//
// The first chunk stores the block, the others add to it: that is the order of ir.DotLine. The left chunk stays in the
// second-level cache while panel after panel of the right operand passes, and the panel's chunk stays in the first-level cache
// while all rows of the block pass.
//
// A right operand that is stored in panels (plan.Access.Panel) or has contiguous rows is read where it is. If its rows are far
// apart, chunks of a block of its columns are packed in panels. These, and chunks of panels of a large operand, stay in the
// second-level cache while all left rows pass, a few at a time, and are added to the product in a distant cache:
//
//	for each matrix of the batch, block of columns                   in parallel
//	  for each chunk of ir.DotChunk pairs                            one after the other
//	    pack the chunk of the right rows, if they are not in panels
//	    for each block of rows
//	      ...
//
// Any other right operand, such as the windows of an image, is packed block by block, and so is a left one whose pairs have no
// common stride: see matmul_pack.go. Then all blocks of rows, or of columns, that need a packed block follow one another:
//
//	for each matrix of the batch, block of columns                   in parallel
//	  pack the right columns, all pairs
//	  for each block of rows
//	    ...
func matmul(t *target, s *plan.Step) []offer {
	p := newProduct(t, s)
	if why := p.match(); why != "" {
		return refused(why)
	}
	return offering(p.cost(), p.matmul)
}

// product is a product that is being scheduled.
type product struct {
	t     *target
	draft *Draft
	step  *plan.Step
	at    plan.Product

	op         ir.Op
	dtype      ir.DType // of the sums
	dot        kernel.Code
	pairs      int // of all axes together
	width      int // columns of a panel
	left       factor
	right      factor
	out        factor
	rows, cols side
	leftChunk  int // slot of the packed chunk of left rows, -1 if it is not packed
	rightChunk int // the same of right rows
}

// factor is an operand of a product.
type factor struct {
	view
	panel  *plan.Panel
	size   int  // of an element, in bytes
	packed bool // block by block
	apart  int  // from one pair to the next, if all have one stride
}

func newProduct(t *target, s *plan.Step) *product {
	return &product{t: t, step: s, leftChunk: -1, rightChunk: -1}
}

// match finds the operands of a product. It returns why the step is none, or "".
func (p *product) match() (why string) {
	s := p.step
	if !s.Contracts() {
		return "it contracts no axis"
	}
	const notProduct = "it is not the sum of the products of two operands over pairs, rows and columns"
	if len(s.In) != 2 || len(s.Out) != 1 || s.Out[0].Combine != ir.OpAdd {
		return notProduct
	}
	p.op, p.at, p.dtype = kernel.ProductOf(s.Body), s.Product(), s.Body.In[0].DType
	if p.op == ir.OpInvalid {
		return notProduct
	}
	for i, f := range []*factor{&p.left, &p.right, &p.out} {
		a := accessOf(s, i)
		*f = factor{view: viewOf(i, a), panel: a.Panel, size: p.dtype.Size()}
	}
	p.right.size = s.Body.In[1].DType.Size()
	p.dot, p.width = microKernel(kernel.Micro{Kind: kernel.DotOf(p.op), Type: p.dtype}), p.t.Matmul.Panel(p.dtype)
	p.pairs = plan.Indices(s.Axes[p.at.Pairs:p.at.Rows])
	last := len(s.Axes) - 1
	if p.op == ir.OpDotBytes {
		if why := p.ofBytes(last); why != "" {
			return why
		}
	}
	switch panel := p.right.panel; {
	case p.out.strides[last] != 1:
		return "the rows of its output are not contiguous"
	case p.left.panel != nil || p.out.panel != nil || panel != nil && panel.Axis != last:
		return "only the right operand may lie in panels"
	case panel != nil && panel.Size > 2*kernel.DotColumns(p.dtype):
		return "its panels are wider than a call"
	case panel != nil:
		p.width = panel.Size
	}
	return ""
}

// ofBytes sets the width of a product whose kernel reads whole panels of the right operand.
func (p *product) ofBytes(last int) (why string) {
	p.width = kernel.DotBytesWidth
	apart, ok := p.stride(&p.right, axesFrom(p.at.Pairs, p.at.Rows))
	whole := p.right.panel != nil && p.right.panel.Size == p.width || p.at.Cols == last && p.step.Axes[last].Extent == p.width
	if !ok || !whole || apart != p.width || p.right.strides[last] != 1 {
		return "its right operand does not lie in panels of bytes"
	}
	return ""
}

// matmul drafts the product.
func (p *product) matmul() (*Draft, string) {
	engine, why := p.t.engine(p.dot)
	if why != "" {
		return nil, why
	}
	p.draft = p.t.drafting(p.step, p.dot, engine, p.cost()+p.t.Work(p.step)*(p.t.slowdown(engine)-1))
	p.blocks()
	items, part, why := p.items()
	if why != "" {
		return nil, why
	}
	p.draft.Parts = []nest.Nest{part.part(items)}
	return p.draft, ""
}

// cost returns the cost of the step with the better engine: its multiplications, the calls of the matrices of a batch, and the
// copies of operands whose pairs have no common stride.
func (p *product) cost() float64 {
	cost := p.t.Work(p.step) + p.t.Matmul.CallWork*float64(plan.Indices(p.step.Axes[:p.at.Pairs]))
	for _, f := range []struct {
		*factor
		others []plan.Axis // that multiply each of its elements
	}{{&p.left, p.step.Axes[p.at.Cols:]}, {&p.right, p.step.Axes[p.at.Rows:p.at.Cols]}} {
		if _, ok := p.stride(f.factor, axesFrom(p.at.Pairs, p.at.Rows)); !ok {
			cost += p.t.Matmul.PackedWork * float64(elems(p.step)) / float64(plan.Indices(f.others))
		}
	}
	return cost
}

// items returns the calls of one iteration of the parallel loops, and these loops.
func (p *product) items() (items []nest.Item, part *walk, why string) {
	part = newWalk(p.step.Axes)
	for k := range p.at.Pairs {
		part = part.cut(k, 1)
	}
	first, second, stays := &p.rows, &p.cols, p.stays()
	if p.right.packed || stays {
		first, second = second, first
	}
	part = first.cut(part)
	if !p.left.packed && !p.right.packed && !stays {
		part = second.cut(part)
	}
	block := part
	if !stays {
		block = second.cut(part)
	}
	var inside []nest.Item
	for _, pack := range []struct {
		*factor
		*side
	}{{&p.right, &p.cols}, {&p.left, &p.rows}} {
		if !pack.packed {
			continue
		}
		at := block
		if pack.side == first {
			at = part
		}
		calls, why := p.pack(at, pack.factor, pack.side)
		if why != "" {
			return nil, nil, why
		}
		if pack.side == first {
			items = append(items, calls...)
		} else {
			inside = append(inside, calls...)
		}
	}
	for from := 0; from < min(p.pairs, 2*ir.DotChunk); from += ir.DotChunk {
		calls, why := p.chunk(block, from)
		if why != "" {
			return nil, nil, why
		}
		inside = append(inside, calls...)
	}
	return append(items, block.wrap(part, inside)...), part, ""
}
