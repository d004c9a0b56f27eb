package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Rows of several chunks: lines of several whole chunks, one line behind the other. The chunks of
// many lines are the rows of one call, which reads memory in long stretches.

// multiChunk reports whether a step in normal form has such lines.
func (r *rowWriter) multiChunk(s *plan.Step) bool {
	last := len(s.Axes) - 1
	rows, n := s.Axes[last-1].Extent, s.Axes[last].Extent
	if rows == 1 || n <= ir.ReduceChunk || n > r.MultiChunkCols || n%ir.ReduceChunk > 0 {
		return false
	}
	for _, a := range s.In {
		if line := a.Strides[last]; line != 0 && line != 1 || a.Strides[last-1] != n*line {
			return false
		}
	}
	for _, o := range s.Out {
		if o.Stored() || o.Strides[last-1] != 1 {
			return false
		}
	}
	return true
}

// multiChunkRows appends the part for such lines. The results are line after line, and the
// plan has them chunk after chunk: they go through local memory and are transposed.
func (r *rowWriter) multiChunkRows(s *plan.Step, c *oneKernel) {
	last := len(s.Axes) - 1
	row, count := last-1, s.Axes[last].Extent/ir.ReduceChunk
	w := newWalk(s.Axes).cutAll(row, last).cut(row, max(1, r.mostElems(s)/s.Axes[last].Extent))
	var args []nest.Arg
	for _, from := range c.order {
		in := viewOf(from, &s.In[from])
		arg := w.arg(&in, row)
		arg.Step = ir.ReduceChunk * s.In[from].Strides[last]
		args = append(args, arg)
	}
	var after []nest.Item
	for o := range s.Out {
		d := s.OutType(o)
		results := view{slot: r.draft.scratch(d, w.most[row]*count), strides: make([]int, last+1), from: w.depth()}
		results.strides[row], results.strides[last] = count, 1
		args = append(args, w.arg(&results, last))
		out := viewOf(len(s.In)+o, &s.Out[o].Access)
		after = append(after, transposeBlock(d, w.size[row], nest.Fixed(count), w.arg(&results, row), 1, w.arg(&out, last)))
	}
	first := call(c.k, times(w.size[row], count), nest.Fixed(ir.ReduceChunk), args)
	r.draft.Parts = append(r.draft.Parts, w.part(append([]nest.Item{first}, after...)))
	r.draft.Choice.Cost = c.work() * float64(elems(s))
	c.describe(&r.draft.Choice)
}
