package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Column trees: columns of few rows that a cache holds, in blocks of kernel.ColumnBlock. A kernel combines the rows in the order of
// the tree of ir.ReduceRow, so that no sum is in memory, where a column reduction has 32 rows of them and reads and stores them several
// times for each row where there are few. It reads 64 bytes of each row, which beyond the caches takes longer than whole rows.

// treeWriter writes the parts of such a step.
type treeWriter struct {
	t     *target
	d     *Draft
	s     *plan.Step // in normal form
	code  kernel.Code
	order []int
}

// reduceTrees is the strategy.
var reduceTrees = strategy{name: "column-trees", offer: offerTrees}

func offerTrees(t *target, step *plan.Step) (offer, string) {
	s, why := reduction(step)
	if why != "" {
		return offer{}, why
	}
	w := &treeWriter{t: t, s: s}
	if why = w.check(); why != "" {
		return offer{}, why
	}
	return offer{t.TreeTime * t.ColumnCost(s), func() (*Draft, string) { return w.draft(step) }}, ""
}

// check returns why the step is not of this kind, or nothing.
func (w *treeWriter) check() string {
	s, last := w.s, len(w.s.Axes)-1
	all := s // that the step is a block of
	if w.t.whole != nil {
		all = w.t.whole
	}
	bytes := 0
	for i, a := range s.In {
		line, next := a.Strides[last], a.Strides[last-1]
		switch {
		case next == 0 && line == 1:
		case next != 1:
			return "an input is not contiguous across the lines"
		case line != 0:
			bytes += elems(all) * s.Body.In[i].DType.Size()
		}
	}
	switch {
	case w.t.TilingOnly:
		return "kernels of whole bodies are switched off"
	case s.Axes[last-1].Extent < kernel.ColumnBlock:
		return "there are few columns"
	case len(s.Out) != 1 || s.Out[0].Stored() || s.Out[0].Strides[last-1] != 1:
		return "it has not one output that is contiguous across the lines"
	case s.Axes[last].Extent < w.t.TreeLeast || s.Axes[last].Extent > w.t.TreeMost:
		return "there are too few rows, or too many"
	case bytes == 0 || bytes > w.t.TreeBytes:
		return "no input, or one beyond the cache, differs from row to row"
	}
	return ""
}

// draft returns the draft of a step.
func (w *treeWriter) draft(step *plan.Step) (*Draft, string) {
	s := w.s
	m := &kernel.Micro{Kind: kernel.ReduceColumns, Op: s.Out[0].Combine, Body: s.Body.WithSplats(func(i int) bool { return s.In[i].Strides[len(s.Axes)-2] == 0 })}
	if m.Verify() != nil {
		return nil, "the body is none of those that reduce columns"
	}
	w.code, w.order = kernel.Canonical(m)
	engine, ok := w.t.lib.Engine(w.code.Signature())
	if !ok {
		return nil, "no kernel computes it: " + w.code.Signature()
	}
	w.d = newDraft(w.t, step)
	cost := w.t.TreeTime*w.t.ColumnCost(s) + (w.t.slowdown(engine)-1)*w.t.Work(s)
	w.d.Choice = nest.Choice{Kernel: w.code.Signature(), Engine: engine, Kernels: 1, Cost: cost}
	w.part()
	return w.d, ""
}

// width returns how many columns a call takes: few enough for several goroutines, if they stay wide. The last call has as
// many as the kernel takes at least.
func (w *treeWriter) width() int {
	last := len(w.s.Axes) - 1
	n, cols := w.s.Axes[last].Extent, w.s.Axes[last-1].Extent
	width := cols
	for width > w.t.LaneColumns && elems(w.s)/n/width < w.t.pieces(w.t.Work(w.s)) {
		width /= 2
	}
	for cols%width > 0 && cols%width < kernel.ColumnBlock {
		width++
	}
	return width
}

// part appends the part that reduces all columns.
func (w *treeWriter) part() {
	s, last := w.s, len(w.s.Axes)-1
	at := newWalk(s.Axes).cutAll(last-1, last).cut(last-1, w.width())
	arg := func(i int, a *plan.Access) nest.Arg {
		v := viewOf(i, a)
		return at.arg(&v, last)
	}
	var args []nest.Arg
	for _, i := range w.order[:len(s.In)] {
		args = append(args, arg(i, &s.In[i]))
	}
	args = append(args, arg(len(s.In), &s.Out[0].Access))
	w.d.Parts = append(w.d.Parts, at.part([]nest.Item{call(w.code, nest.Fixed(1), at.size[last-1], args, at.size[last])}))
}
