package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// pairWriter writes the parts of a pairwise reduction. Its step is in normal form, and the axis before the rows is the indices.
type pairWriter struct {
	t                *target
	d                *Draft
	s                *plan.Step
	index, row, line int
	size             int         // bytes of an element
	code             kernel.Code // that reduces columns
	order            []int
	rows             []int // inputs that differ from row to row
}

// pairwiseReduction combines each row with each index of the axis before the rows, like the distances of all x to all y. A
// block transposes the inputs that differ from row to row, once for all of its indices. A kernel then reduces columns, many
// rows in a vector, without accumulators in memory.
func pairwiseReduction(t *target, step *plan.Step) []offer {
	s, why := reduction(step)
	if why != "" {
		return refused(why)
	}
	last := len(s.Axes) - 1
	p := &pairWriter{t: t, s: s, index: last - 2, row: last - 1, line: last}
	if why = p.check(); why != "" {
		return refused(why)
	}
	return offering(t.PairCost(s), func() (*Draft, string) { return p.draft(step) })
}

// draft returns the draft of a step.
func (p *pairWriter) draft(step *plan.Step) (*Draft, string) {
	code, order, engine, why := p.t.reduceColumns(p.s, func(i int) bool { return !slices.Contains(p.rows, i) })
	if why != "" {
		return nil, why
	}
	p.code, p.order = code, order
	p.d = p.t.drafting(step, code, engine, p.t.PairCost(p.s)+(p.t.slowdown(engine)-1)*p.t.Work(p.s))
	p.d.Choice.Packed = p.rows
	n := p.blockRows()
	count := p.s.Axes[p.row].Extent / n
	p.d.sharing(func() { p.part(0, count*n, n) })
	if rest := p.s.Axes[p.row].Extent - count*n; rest > 0 {
		p.d.sharing(func() { p.part(count*n, rest, rest) })
	}
	return p.d, ""
}

// check finds the inputs that differ from row to row. It returns why the step is not of this kind, or "".
func (p *pairWriter) check() string {
	s := p.s
	if p.t.TilingOnly {
		return tilingOnly
	}
	if p.index < 0 || s.Axes[p.index].Extent < p.t.PairIndices || s.Axes[p.row].Extent < p.t.PairRows {
		if p.index < 0 {
			return "it has no rows and indices"
		}
		return p.t.because("%d rows and %d indices for each, needs %d and %d", s.Axes[p.row].Extent, s.Axes[p.index].Extent, p.t.PairRows, p.t.PairIndices)
	}
	if len(s.Out) != 1 || s.Out[0].Stored() || s.Out[0].Strides[p.row] != 1 {
		return "it has not one output that is contiguous across the lines"
	}
	for i, a := range s.In {
		switch {
		case strideAlong(s, &a, p.line) != 1:
			return "an input is not contiguous along the lines"
		case a.Strides[p.row] == 0:
		case a.Strides[p.index] != 0:
			return "an input differs from row to row and from index to index"
		default:
			p.rows = append(p.rows, i)
		}
	}
	p.size = s.Body.OutType(0).Size()
	switch {
	case len(p.rows) == 0 || len(p.rows) == len(s.In):
		return "the rows are not combined with indices"
	case p.fit(p.t.PairBytes) == 0:
		return p.t.because("lines of %d elements are as fast where they are: copies may have %d bytes", s.Axes[p.line].Extent, p.t.PairBytes)
	}
	return ""
}

// fit returns the number of rows that have so many bytes, a multiple of kernel.ColumnBlock.
func (p *pairWriter) fit(bytes int) int {
	return bytes / (p.s.Axes[p.line].Extent * p.size * len(p.rows) * kernel.ColumnBlock) * kernel.ColumnBlock
}

// blockRows returns the number of rows of a block. The last block has enough for the kernel.
func (p *pairWriter) blockRows() int {
	rows := p.s.Axes[p.row].Extent
	n := min(rows, p.t.PairWidth, p.fit(p.t.TransposedBytes))
	for rows%n > 0 && rows%n < kernel.ColumnBlock {
		n++
	}
	return n
}

// blockIndices returns the number of indices of a block, which is about the same for all.
func (p *pairWriter) blockIndices(rows int) int {
	indices, pieces := p.s.Axes[p.index].Extent, p.t.pieces(p.t.Work(p.s))
	most := p.t.PairBlock
	for pieces > 1 && most > p.t.PairStep && elems(p.s)/(rows*p.s.Axes[p.line].Extent*min(most, indices)) < 2*pieces {
		most /= 2
	}
	blocks := (indices-1)/most + 1
	return (indices-1)/blocks + 1
}

// part appends the part for n rows from the given one on, in blocks of some rows. As many rows as stay in the first-level cache
// are combined with a few indices, then the next rows with the same indices, so that results go to the same memory. The last
// rows are never fewer than the kernel takes.
func (p *pairWriter) part(from, n, rows int) {
	block := newWalk(p.s.Axes).having(p.row, n).cutAll(p.index, p.row, p.line).cut(p.row, rows).cut(p.index, p.blockIndices(p.blockRows()))
	items, ins := p.transpose(block, from, rows)
	out := viewOf(len(p.s.In), &p.s.Out[0].Access).move(p.row, from)
	some := block.cut(p.index, p.t.PairStep)
	width := p.fit(p.t.PairBytes)
	pieces := (rows - kernel.ColumnBlock) / width
	var calls []nest.Item
	if pieces > 0 {
		all := some.having(p.row, pieces*width)
		each := all.cut(p.row, width)
		calls = each.wrap(all, []nest.Item{p.call(each, ins, out, 0)})
	}
	calls = append(calls, p.call(some.having(p.row, rows-pieces*width), ins, out, pieces*width))
	p.d.Parts = append(p.d.Parts, block.part(append(items, some.wrap(block, calls)...)))
}

// transpose returns the calls that transpose the inputs that differ from row to row, and all inputs as the kernel reads them.
func (p *pairWriter) transpose(block *walk, from, rows int) (items []nest.Item, ins []view) {
	for i := range p.s.In {
		v := viewOf(i, &p.s.In[i])
		if ins = append(ins, v); !slices.Contains(p.rows, i) {
			continue
		}
		d := p.s.Body.In[i].DType
		line := (roundUp(rows*p.size, cacheLine) + cacheLine) / p.size // see transposedBlock
		to := block.local(p.d.scratch(d, p.s.Axes[p.line].Extent*line), p.row, 1, p.line, line)
		v = v.move(p.row, from)
		items = append(items, transposeCall(d, block.size[p.row], block.size[p.line], block.arg(&v, p.row), 1, block.arg(&to, p.line)))
		ins[i] = to
	}
	return items, ins
}

// call returns the call that combines the rows of a place, from the given one of the block on, with its indices.
func (p *pairWriter) call(at *walk, ins []view, out view, row int) nest.Item {
	var args []nest.Arg
	for _, i := range p.order {
		v, line := ins[i], p.index
		if slices.Contains(p.rows, i) {
			v.offset, line = v.offset+row, p.line
		}
		args = append(args, at.arg(&v, line))
	}
	out.offset += row
	return call(p.code, at.size[p.index], at.size[p.row], append(args, at.arg(&out, p.index)), at.size[p.line])
}
