package schedule

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// matmulImplicit is the strategy of products whose right operand is the windows of channels, side
// by side: its rows are read where the windows have their elements, and nothing is packed.
//
//	for each matrix of the batch, block of lines of windows          in parallel
//	  for each block of rows
//	    for each chunk of ir.DotChunk pairs                          one after the other
//	      for each line of windows
//	        dotwindows
//
// A line of windows has contiguous elements for each pair. Its last columns may not fill half a
// panel, which costs as much as if they did.
func matmulImplicit(t *target, s *plan.Step) []offer {
	p := newProduct(t, s)
	if why := p.match(); why != "" {
		return refused(why)
	}
	w := &windowing{p: p, of: &p.right, line: -1, col: len(s.Axes) - 1}
	if why := w.axes(); why != "" {
		return refused(why)
	}
	p.dot, p.width = microKernel(kernel.Micro{Kind: kernel.DotWindows, Type: p.dtype}), kernel.DotColumns(p.dtype)
	var ok bool
	if w.engine, ok = t.lib.Engine(p.dot.Signature()); !ok {
		return refused("there is no kernel " + p.dot.Signature())
	}
	return offering(w.cost(), func() (*Draft, string) { return w.write(), "" })
}

// mostChunks is how many chunks of pairs have calls of their own.
const mostChunks = 32

// windowing is a product with windows that is being scheduled so.
type windowing struct {
	p                 *product
	of                *factor // the windows
	channel, run, tap int     // axes of pairs, -1 for none
	line, col         int     // axes of windows; line is -1 if there is one
	engine            string
}

// axes finds the parts of the windows, or says why there are none.
func (w *windowing) axes() (why string) {
	at := w.p.at
	pairs, cols := axesFrom(at.Pairs, at.Rows), axesFrom(at.Cols, len(w.p.step.Axes))
	var ok bool
	w.p.left.apart, ok = w.p.stride(&w.p.left, pairs)
	_, rows := w.p.stride(&w.p.left, axesFrom(at.Rows, at.Cols))
	_, outRows := w.p.stride(&w.p.out, axesFrom(at.Rows, at.Cols))
	switch {
	case w.p.right.panel != nil:
		return "the rows of the right operand are one stride apart"
	case len(cols) > 2 || at.Cols-at.Rows > 1:
		return "the rows or columns are too many axes"
	case !ok || !rows || !outRows || w.p.right.strides[w.col] != 1:
		return "the windows are not side by side, or the weights have no common stride"
	}
	if len(cols) == 2 {
		w.line = cols[0]
	}
	if why := w.pairAxes(); why != "" {
		return why
	}
	return w.reaches(w.extent(w.col), w.windowAxes())
}

// pairAxes finds the channels, runs and taps, or says why there are none.
func (w *windowing) pairAxes() (why string) {
	pairs := axesFrom(w.p.at.Pairs, w.p.at.Rows)
	_, single := w.p.stride(w.of, pairs)
	switch {
	case w.p.dtype != ir.Float32:
		return "there is a kernel of float32 alone"
	case single:
		return "the pairs of the windows are one stride apart"
	case len(pairs) > 3:
		return "the pairs are too many axes"
	case (w.p.pairs-1)/ir.DotChunk >= mostChunks:
		return "there are too many chunks of pairs"
	}
	w.channel, w.run, w.tap = pairs[0], -1, w.p.at.Rows-1
	if len(pairs) == 3 {
		w.run = pairs[1]
	}
	for _, k := range w.windowAxes() {
		if w.extent(k) > ir.DotChunk {
			return "the windows are long"
		}
	}
	return ""
}

// windowAxes returns the axes of one window of a channel.
func (w *windowing) windowAxes() []int { return axesFrom(w.channel+1, w.p.at.Rows) }

// reaches says what is wrong with the elements that windows read along some axes and so many
// besides.
func (w *windowing) reaches(span int, axes []int) (why string) {
	for _, k := range axes {
		stride, n := w.along(k), w.extent(k)
		if stride < 0 {
			return "the windows are reversed"
		}
		if stride > math.MaxInt32/max(ir.DotChunk, n) || span > math.MaxInt32 {
			return "the windows reach far"
		}
		span += stride * (n - 1)
	}
	if span > math.MaxInt32 {
		return "the windows reach far"
	}
	return ""
}

// extent returns the extent of an axis, 1 if there is none.
func (w *windowing) extent(axis int) int {
	if axis < 0 {
		return 1
	}
	return w.p.step.Axes[axis].Extent
}

// along returns the stride of the windows along an axis, 0 if there is none.
func (w *windowing) along(axis int) int {
	if axis < 0 {
		return 0
	}
	return w.of.strides[axis]
}

// cost returns what the step costs: its multiplications with the columns that fill no half panel.
func (w *windowing) cost() float64 {
	n := w.p.step.Axes[w.col].Extent
	return w.p.t.Work(w.p.step)*w.p.t.Matmul.WindowWork*float64(roundUp(n, w.p.width/2))/float64(n) + w.p.t.Matmul.CallWork*float64(elems(w.p.step))/float64(w.p.pairs*n*w.rowsOf())
}

// rowsOf returns how many rows a call has at most.
func (w *windowing) rowsOf() int {
	n := 1
	for _, k := range axesFrom(w.p.at.Rows, w.p.at.Cols) {
		n *= w.p.step.Axes[k].Extent
	}
	return min(n, w.p.t.Matmul.LeftBytes/ir.DotChunk/w.p.dtype.Size())
}

// write returns the draft.
func (w *windowing) write() *Draft {
	w.p.draft = newDraft(w.p.t, w.p.step)
	w.p.draft.Choice = nest.Choice{Kernel: w.p.dot.Signature(), Engine: w.engine, Kernels: 1, Cost: w.cost() + w.p.t.Work(w.p.step)*(w.p.t.slowdown(w.engine)-1)}
	if w.line < 0 {
		w.lines(0, 1, 1)
		return w.p.draft
	}
	all, n := w.p.step.Axes[w.line].Extent, w.linesOfBlock()
	w.lines(0, all/n*n, n)
	w.lines(all/n*n, all%n, n)
	return w.p.draft
}

// lines appends the part of count lines of windows, from the given one on, in blocks of n.
func (w *windowing) lines(from, count, n int) {
	if count == 0 {
		return
	}
	part := newWalk(w.p.step.Axes)
	if w.line >= 0 {
		part = part.having(w.line, count)
	}
	for k := range w.p.at.Pairs {
		part = part.cut(k, 1)
	}
	if w.line >= 0 {
		part = part.cut(w.line, n)
	}
	rows := part
	for _, k := range axesFrom(w.p.at.Rows, w.p.at.Cols) {
		rows = rows.cut(k, w.rowsOf())
	}
	in := rows
	if w.line >= 0 {
		in = in.cut(w.line, 1)
	}
	var items []nest.Item
	for first := 0; first < w.p.pairs; first += ir.DotChunk {
		items = append(items, in.wrap(rows, []nest.Item{w.chunk(in, first, from)})...)
	}
	w.p.draft.Parts = append(w.p.draft.Parts, part.part(rows.wrap(part, items)))
}

// linesOfBlock returns how many lines of windows a block has: as many columns as other products have in
// one, and a block for each worker.
func (w *windowing) linesOfBlock() int {
	all := w.p.step.Axes[w.line].Extent
	n := min(all, max(1, w.p.t.Matmul.Cols/w.p.step.Axes[w.col].Extent))
	outer := 1
	for _, a := range w.p.step.Axes[:w.p.at.Pairs] {
		outer *= a.Extent
	}
	for !w.p.t.inGroup && w.p.t.Workers > 1 && n > 1 && outer*((all-1)/n+1) < w.p.t.Matmul.BlocksPerWorker*w.p.t.Workers {
		n = (n + 1) / 2
	}
	return evenly(all, n, 1)
}

// chunk returns the call for one line of windows, the first of which is line from, and the
// pairs from first on.
func (w *windowing) chunk(in *walk, first, from int) nest.Item {
	rows := w.p.at.Rows
	left, right, out := in.arg(&w.p.left.view, rows), in.arg(&w.p.right.view, w.channel), in.arg(&w.p.out.view, rows)
	offset, fields := w.taps(first, w.extent(w.col))
	left.Offset += first * w.p.left.apart
	right.Offset += offset
	if w.line >= 0 {
		right.Offset += from * w.p.right.strides[w.line]
		out.Offset += from * w.p.out.strides[w.line]
	}
	fields = append([]int{w.p.left.apart * w.p.dtype.Size()}, fields...)
	return call(w.p.dot, in.size[rows], in.size[w.col], []nest.Arg{left, right, out}, fixed(fields)...)
}

// taps returns where the channel of the pair first is, and the fields that say of which taps the
// chunk of pairs from it on are. The first elements of a call's windows are among reach elements.
func (w *windowing) taps(first, reach int) (offset int, fields []int) {
	runs, taps, n := w.extent(w.run), w.extent(w.tap), min(ir.DotChunk, w.p.pairs-first)
	skipped := first % (runs * taps)
	span := (runs-1)*w.along(w.run) + (taps-1)*w.along(w.tap) + reach
	fields = []int{n, min(first, 1), (skipped+n-1)/(runs*taps) + 1, span, runs, taps, w.along(w.run), w.along(w.tap), skipped / taps, skipped % taps}
	return first / (runs * taps) * w.along(w.channel), fields
}

// fixed returns sizes that are numbers.
func fixed(numbers []int) []nest.Size {
	sizes := make([]nest.Size, len(numbers))
	for i, n := range numbers {
		sizes[i] = nest.Fixed(n)
	}
	return sizes
}
