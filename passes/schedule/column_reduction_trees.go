package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Option trees reduces columns of few rows, and of any number of rows if a kernel takes wide strips of each. The kernel
// combines the rows of a strip in the order of ir.ReduceRow's tree, with all partial sums in registers. A column reduction
// keeps 32 rows of them in memory, and reads and stores them several times for each row if rows are few. Beyond the caches
// strips of 64 bytes of each row take longer than whole rows.

// treeWriter writes the parts of such a step.
type treeWriter struct {
	t     *target
	d     *Draft
	s     *plan.Step // in normal form
	code  kernel.Code
	order []int
}

// trees is the offer to reduce a step so, which is s in normal form.
func (t *target) trees(step, s *plan.Step) (offer, string) {
	w := &treeWriter{t: t, s: s}
	if why := w.check(); why != "" {
		return offer{}, why
	}
	return offer{least: t.TreeTime * t.ColumnCost(s), draft: func() (*Draft, string) { return w.draft(step) }}, ""
}

// check returns why the option can't compute the step, or "".
func (w *treeWriter) check() string {
	s, last := w.s, len(w.s.Axes)-1
	for _, a := range s.In {
		if line, next := a.Strides[last], a.Strides[last-1]; next != 1 && (next != 0 || line != 1) {
			return "an input is not contiguous across the lines"
		}
	}
	switch {
	case w.t.TilingOnly:
		return tilingOnly
	case s.Axes[last-1].Extent < kernel.ColumnBlock:
		return w.t.because("%d columns, needs %d", s.Axes[last-1].Extent, kernel.ColumnBlock)
	case len(s.Out) != 1 || s.Out[0].Stored() || s.Out[0].Strides[last-1] != 1:
		return "it has not one output that is contiguous across the lines"
	case s.Axes[last].Extent < w.t.TreeLeast:
		return w.t.because("%d rows, needs %d", s.Axes[last].Extent, w.t.TreeLeast)
	}
	bytes := w.bytes()
	if bytes == 0 {
		return "no input differs from row to row"
	}
	if s.Axes[last].Extent > w.t.TreeMost || bytes > w.t.TreeBytes {
		return w.strips(bytes)
	}
	return ""
}

// rows calls f for each input that differs from row to row.
func (w *treeWriter) rows(f func(a *plan.Access, size int)) {
	last := len(w.s.Axes) - 1
	for i := range w.s.In {
		if a := &w.s.In[i]; a.Strides[last] != 0 && a.Strides[last-1] == 1 {
			f(a, w.s.Body.In[i].DType.Size())
		}
	}
}

// bytes returns the size of those inputs, for the whole step that the step may be a block of.
func (w *treeWriter) bytes() (bytes int) {
	all := w.s
	if w.t.whole != nil {
		all = w.t.whole
	}
	w.rows(func(_ *plan.Access, size int) { bytes += elems(all) * size })
	return bytes
}

// strips returns why no kernel takes wide strips of the rows, or "". Each row of those inputs must begin where a line of the
// caches does. It must have whole strips, or more than four, as the last strip overlaps the one before.
func (w *treeWriter) strips(bytes int) (why string) {
	switch {
	case w.t.TreeStrip == 0:
		return w.t.because("%d rows of %d bytes together, takes at most %d rows and %d bytes", w.s.Axes[len(w.s.Axes)-1].Extent, bytes, w.t.TreeMost, w.t.TreeBytes)
	case bytes > w.t.TreeStripBytes:
		return w.t.because("the rows have %d bytes, more than the last cache holds: %d", bytes, w.t.TreeStripBytes)
	}
	columns := len(w.s.Axes) - 2
	w.rows(func(a *plan.Access, size int) {
		row := w.s.Axes[columns].Extent * size
		if row%w.t.TreeStrip != 0 && row <= 4*w.t.TreeStrip {
			why = "there are many rows, which are no whole strips of the kernel"
		}
		apart := a.Offset*size%cacheLine != 0
		for axis, stride := range a.Strides {
			apart = apart || axis != columns && stride*size%cacheLine != 0
		}
		if apart {
			why = "there are many rows, which begin within lines of the caches"
		}
	})
	return why
}

// draft returns the draft of a step.
func (w *treeWriter) draft(step *plan.Step) (*Draft, string) {
	s := w.s
	code, order, engine, why := w.t.reduceColumns(s, func(i int) bool { return s.In[i].Strides[len(s.Axes)-2] == 0 })
	if why != "" {
		return nil, why
	}
	w.code, w.order = code, order
	w.d = w.t.drafting(step, code, engine, w.t.TreeTime*w.t.ColumnCost(s)+(w.t.slowdown(engine)-1)*w.t.Work(s))
	width := w.width()
	for _, one := range chunks(s, len(s.Axes)-2) {
		w.part(one, width)
	}
	return w.d, ""
}

// width returns the number of columns of a call, whole wide strips: few enough for a short call, whose elements take half of
// the usual time, and enough calls for several goroutines, if they stay wide. The last call has at least the kernel's columns.
func (w *treeWriter) width() int {
	last := len(w.s.Axes) - 1
	n, cols := w.s.Axes[last].Extent, w.s.Axes[last-1].Extent
	strip := max(1, w.t.TreeStrip/w.s.Body.OutType(0).Size())
	width := min(cols, max(strip, 2*w.t.callElems(w.s)/min(n, ir.ReduceChunk)/strip*strip))
	width = w.t.divide(w.s, width, strip)
	for cols%width > 0 && cols%width < kernel.ColumnBlock {
		width += strip
	}
	return width
}

// part appends the part that reduces all columns of a step, a chunk of the lines.
func (w *treeWriter) part(s *plan.Step, width int) {
	last := len(s.Axes) - 1
	at := newWalk(s.Axes).cutAll(last-1, last).cut(last-1, width)
	var views []view
	for _, i := range w.order[:len(s.In)] {
		views = append(views, viewOf(i, &s.In[i]))
	}
	args := at.args(last, append(views, viewOf(len(s.In), &s.Out[0].Access))...)
	w.d.Parts = append(w.d.Parts, at.part([]nest.Item{call(w.code, nest.Fixed(1), at.size[last-1], args, at.size[last])}))
}
