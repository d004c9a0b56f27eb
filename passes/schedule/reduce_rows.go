package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Row reduction: the lines are the rows of kernel calls, and the kernel combines the
// elements of a row, a chunk at most. The whole chunks and the rest of a line are parts
// of their own. Several whole chunks of a line are the rows of a call.

// rowWriter writes the parts of a row reduction.
type rowWriter struct {
	*target
	d     *Draft
	s     *plan.Step     // in normal form
	code  *kernel.Kernel // with combiners
	order []int          // the input of the step that each input of code is
	ops   []operand
}

// reduceRows is the strategy.
var reduceRows = strategy{name: "row reduction", draft: draftRows}

func draftRows(t *target, step *plan.Step) (*Draft, string) {
	s, why := reduction(step)
	if why == "" {
		why = rowsCan(s)
	}
	if why != "" {
		return nil, why
	}
	last := len(s.Axes) - 1
	r := &rowWriter{target: t, d: newDraft(t, step), s: s}
	r.ops = make([]operand, len(s.In))
	body := &kernel.Kernel{In: slices.Clone(s.Body.In), Body: s.Body.Body, Out: s.Body.Out, Fold: combiners(s), Fast: s.Body.Fast}
	for i := range s.In {
		r.ops[i] = classify(s, &s.In[i], s.Body.In[i].DType, last-1, last)
		body.In[i].Splat = r.ops[i].class == splat
	}
	r.code, r.order = body.Canonical()
	engine, ok := t.lib.Engine(r.code.Signature())
	if !ok || t.NoWhole {
		return nil, "no kernel computes it: " + r.code.Signature()
	}
	r.d.Choice = nest.Choice{Kernel: r.code.Signature(), Engine: engine, Kernels: 1, Cost: t.rowCost(s)}
	if r.long() {
		r.longRows()
		return r.d, ""
	}
	for _, one := range chunks(s, last) {
		r.d.sharing(func() { r.part(one) })
	}
	return r.d, ""
}

// part appends the part that reduces lines of one chunk.
func (r *rowWriter) part(s *plan.Step) {
	line := len(s.Axes) - 1
	row := line - 1
	cols := s.Axes[line].Extent
	p := &packer{target: r.target, d: r.d, s: s, row: row, col: line}
	rows := max(1, min(r.callElems(s), r.mostElems(s))/cols)
	ops := make([]operand, len(s.In))
	for i := range s.In {
		ops[i] = classify(s, &s.In[i], r.ops[i].dtype, row, line)
		if ops[i].class == transposed {
			rows = max(rows, r.TransposedRows)
		}
	}
	block := newWalk(s.Axes).cutAll(row, line).cut(row, rows)
	ins := p.lay(block, ops)
	tile := block.cut(row, p.rows)
	items := append(p.tiles(tile), r.call(tile, s, ins, row, line))
	items = append(p.blocks(block), tile.wrap(block, items)...)
	r.d.Parts = append(r.d.Parts, block.part(items))
	r.d.packed(ops)
}

// call returns the call of the kernel on the rows and columns of a place.
func (r *rowWriter) call(w *walk, s *plan.Step, ins []view, row, col int) nest.Item {
	var args []nest.Arg
	for _, from := range r.order {
		args = append(args, w.arg(&ins[from], row))
	}
	for o := range s.Out {
		out := viewOf(len(s.In)+o, &s.Out[o].Access)
		args = append(args, w.arg(&out, row))
	}
	return call(r.code, w.size[row], w.size[col], args)
}

// long reports whether the lines are whole chunks, one line behind the other: the
// chunks of many lines are the rows of one call, which reads memory in long stretches.
func (r *rowWriter) long() bool {
	last := len(r.s.Axes) - 1
	rows, n := r.s.Axes[last-1].Extent, r.s.Axes[last].Extent
	if rows == 1 || n <= ir.FoldChunk || n > r.LongRow || n%ir.FoldChunk > 0 {
		return false
	}
	for i, a := range r.s.In {
		if class := r.ops[i].class; class > splat || a.Strides[last-1] != n*a.Strides[last] {
			return false
		}
	}
	for _, o := range r.s.Out {
		if o.Combine == ir.OpInvalid || o.Strides[last-1] != 1 {
			return false
		}
	}
	return true
}

// longRows appends the part for such lines. The results are line after line, and the
// plan has them chunk after chunk: they go through local memory and are transposed.
func (r *rowWriter) longRows() {
	s, last := r.s, len(r.s.Axes)-1
	row, count := last-1, s.Axes[last].Extent/ir.FoldChunk
	rows := max(1, r.mostElems(s)/s.Axes[last].Extent)
	w := newWalk(s.Axes).cutAll(row, last).cut(row, rows)
	var args []nest.Arg
	for _, from := range r.order {
		in := viewOf(from, &s.In[from])
		arg := w.arg(&in, row)
		arg.Step = ir.FoldChunk * s.In[from].Strides[last]
		args = append(args, arg)
	}
	var after []nest.Item
	for o := range s.Out {
		d := r.code.OutType(o)
		buf := view{slot: r.d.scratch(d, w.most[row]*count), strides: make([]int, last+1), from: w.depth()}
		buf.strides[row], buf.strides[last] = count, 1
		args = append(args, w.arg(&buf, last))
		out := viewOf(len(s.In)+o, &s.Out[o].Access)
		after = append(after, transposeBlock(d, w.size[row], nest.Fixed(count), w.arg(&buf, row), 1, w.arg(&out, last)))
	}
	first := call(r.code, times(w.size[row], count), nest.Fixed(ir.FoldChunk), args)
	r.d.Parts = append(r.d.Parts, w.part(append([]nest.Item{first}, after...)))
}
