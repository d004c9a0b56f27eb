package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Rows of several chunks in the order of memory. If each line is whole chunks and lines follow one another, the chunks of many
// lines are the rows of one call. Other lines take two calls each, for the whole chunks and for the rest. In the caches calls
// for a chunk of many lines are faster, as there are fewer. But they read memory in pieces of 4 KiB, at half the speed: Zen 4,
// sums of 4096 rows of 4,000 float32.

// multiChunk reports whether the lines of a step in normal form are to be reduced in the order of memory.
func (r *rowWriter) multiChunk(s *plan.Step) bool {
	last := len(s.Axes) - 1
	if s.Axes[last-1].Extent == 1 || s.Axes[last].Extent <= ir.ReduceChunk {
		return false
	}
	for _, a := range s.In {
		if line := a.Strides[last]; line != 0 && line != 1 {
			return false
		}
	}
	for _, o := range s.Out {
		if o.Stored() || o.Strides[last-1] != 1 {
			return false
		}
	}
	n := s.Axes[last].Extent
	return r.dense(s) || n >= r.t.FarCols && n <= r.t.mostElems(s) && slices.ContainsFunc(s.In, func(a plan.Access) bool { return r.t.far(a.Buffer) })
}

// dense reports whether all lines are whole chunks and follow one another.
func (r *rowWriter) dense(s *plan.Step) bool {
	last := len(s.Axes) - 1
	n := s.Axes[last].Extent
	apart := func(a plan.Access) bool { return a.Strides[last-1] != n*a.Strides[last] }
	return n%ir.ReduceChunk == 0 && n <= r.t.MultiChunkCols && !slices.ContainsFunc(s.In, apart)
}

// far reports whether a buffer is in memory rather than in a cache.
func (t *target) far(buffer int) bool {
	b := &t.buffers[buffer]
	return b.Size()*b.DType.Size() >= t.FarBytes
}

// multiChunkRows appends the part for such lines. Results come line after line, but the plan has them chunk after chunk: they
// go through local memory and are transposed.
func (r *rowWriter) multiChunkRows(e *elemWriter, c *oneKernel) {
	s := e.step
	last := len(s.Axes) - 1
	row, n := last-1, s.Axes[last].Extent
	block := newWalk(s.Axes).cutAll(row, last).cut(row, max(1, r.t.mostElems(s)/n))
	whole, rest := n/ir.ReduceChunk, n%ir.ReduceChunk
	count, lines := whole, block
	if rest > 0 {
		count++
	}
	rows := nest.Fixed(whole)
	if r.dense(s) {
		rows = times(block.size[row], whole)
	} else {
		lines = block.cut(row, 1)
	}
	results := make([]view, len(s.Out))
	for o := range s.Out {
		results[o] = block.local(r.draft.scratch(s.OutType(o), block.most[row]*count), row, count, last, 1)
	}
	reduce := func(first int, rows nest.Size, cols int) nest.Item { // of a line
		var args []nest.Arg
		for _, from := range c.order {
			step := ir.ReduceChunk * e.at[from].strides[last]
			in := e.at[from]
			in.offset += first * step
			arg := lines.arg(&in, row)
			arg.Step = step
			args = append(args, arg)
		}
		for _, out := range results {
			out.offset = first
			args = append(args, lines.arg(&out, last))
		}
		return call(c.k, rows, nest.Fixed(cols), args)
	}
	each := []nest.Item{reduce(0, rows, ir.ReduceChunk)}
	if rest > 0 {
		each = append(each, reduce(whole, nest.Fixed(1), rest))
	}
	items := lines.wrap(block, each)
	for o := range s.Out {
		items = append(items, transposeCall(s.OutType(o), block.size[row], nest.Fixed(count), block.arg(&results[o], row), 1, block.arg(&e.at[len(s.In)+o], last)))
	}
	r.draft.Parts = append(r.draft.Parts, block.part(items))
	r.draft.Choice.Cost = c.work() * float64(elems(s))
	c.describe(&r.draft.Choice)
}
