package schedule

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// multiplyWindows is the strategy of products whose right operand is the windows of channels, side
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
var multiplyWindows = strategy{name: "matmul-windows", offer: offerWindows}

// mostChunks is how many chunks of pairs have calls of their own.
const mostChunks = 32

// windowing is a product that is being scheduled so.
type windowing struct {
	*product
	channel, run, tap int // axes of pairs, -1 for none
	line, col         int // axes of columns; line is -1 if there is one
	engine            string
}

func offerWindows(t *target, s *plan.Step) (offer, string) {
	p := newProduct(t, s)
	if why := p.match(); why != "" {
		return offer{}, why
	}
	w := &windowing{product: p, channel: -1, run: -1, line: -1, col: len(s.Axes) - 1, tap: p.at.Rows - 1}
	if why := w.axes(); why != "" {
		return offer{}, why
	}
	p.dot = microKernel(kernel.Micro{Kind: kernel.DotWindows, Type: p.dtype})
	var ok bool
	if w.engine, ok = t.lib.Engine(p.dot.Signature()); !ok {
		return offer{}, "there is no kernel " + p.dot.Signature()
	}
	return offer{w.cost(), func() (*Draft, string) { return w.write(), "" }}, ""
}

// axes finds the parts of the windows, or says why there are none.
func (w *windowing) axes() (why string) {
	s, at := w.step, w.at
	pairs, cols := axesFrom(at.Pairs, at.Rows), axesFrom(at.Cols, len(s.Axes))
	_, single := w.stride(&w.right, pairs)
	var ok, rows bool
	w.left.apart, ok = w.stride(&w.left, pairs)
	_, rows = w.stride(&w.left, axesFrom(at.Rows, at.Cols))
	_, outRows := w.stride(&w.out, axesFrom(at.Rows, at.Cols))
	switch {
	case w.dtype != ir.Float32:
		return "there is a kernel of float32 alone"
	case w.right.panel != nil || single:
		return "the rows of the right operand are one stride apart"
	case len(pairs) > 3 || len(cols) > 2 || at.Cols-at.Rows > 1:
		return "the pairs, rows or columns are too many axes"
	case !ok || !rows || !outRows || w.right.strides[w.col] != 1:
		return "the windows are not side by side, or the weights have no common stride"
	case (w.pairs-1)/ir.DotChunk >= mostChunks:
		return "there are too many chunks of pairs"
	}
	if len(cols) == 2 {
		w.line = cols[0]
	}
	w.channel = pairs[0]
	if len(pairs) == 3 {
		w.run = pairs[1]
	}
	span := s.Axes[w.col].Extent
	for _, k := range pairs[1:] {
		stride, n := w.right.strides[k], s.Axes[k].Extent
		if stride < 0 || n > ir.DotChunk {
			return "the windows are reversed, or long"
		}
		if stride > math.MaxInt32/ir.DotChunk || span > math.MaxInt32 {
			return "the windows reach far"
		}
		span += stride * (n - 1)
	}
	if span > math.MaxInt32 {
		return "the windows reach far"
	}
	return ""
}

// cost returns what the step costs: its multiplications with the columns that fill no half panel.
func (w *windowing) cost() float64 {
	n := w.step.Axes[w.col].Extent
	return w.Work(w.step)*w.Matmul.WindowWork*float64(roundUp(n, w.width/2))/float64(n) + w.Matmul.CallWork*float64(elems(w.step))/float64(w.pairs*n*w.rowsOf())
}

// rowsOf returns how many rows a call has at most.
func (w *windowing) rowsOf() int {
	n := 1
	for _, k := range axesFrom(w.at.Rows, w.at.Cols) {
		n *= w.step.Axes[k].Extent
	}
	return min(n, w.Matmul.LeftBytes/ir.DotChunk/w.dtype.Size())
}

// write returns the draft.
func (w *windowing) write() *Draft {
	w.draft = newDraft(w.target, w.step)
	w.draft.Choice = nest.Choice{Kernel: w.dot.Signature(), Engine: w.engine, Kernels: 1, Cost: w.cost() + w.Work(w.step)*(w.slowdown(w.engine)-1)}
	if w.line < 0 {
		w.lines(0, 1, 1)
		return w.draft
	}
	all, n := w.step.Axes[w.line].Extent, w.linesOfBlock()
	w.lines(0, all/n*n, n)
	w.lines(all/n*n, all%n, n)
	return w.draft
}

// lines appends the part of count lines of windows, from the given one on, in blocks of n.
func (w *windowing) lines(from, count, n int) {
	if count == 0 {
		return
	}
	part := newWalk(w.step.Axes)
	if w.line >= 0 {
		part = part.having(w.line, count)
	}
	for k := range w.at.Pairs {
		part = part.cut(k, 1)
	}
	if w.line >= 0 {
		part = part.cut(w.line, n)
	}
	rows := part
	for _, k := range axesFrom(w.at.Rows, w.at.Cols) {
		rows = rows.cut(k, w.rowsOf())
	}
	in := rows
	if w.line >= 0 {
		in = in.cut(w.line, 1)
	}
	var items []nest.Item
	for first := 0; first < w.pairs; first += ir.DotChunk {
		items = append(items, in.wrap(rows, []nest.Item{w.chunk(in, first, from)})...)
	}
	w.draft.Parts = append(w.draft.Parts, part.part(rows.wrap(part, items)))
}

// linesOfBlock returns how many lines of windows a block has: as many columns as other products have in
// one, and a block for each worker.
func (w *windowing) linesOfBlock() int {
	all := w.step.Axes[w.line].Extent
	n := min(all, max(1, w.Matmul.Cols/w.step.Axes[w.col].Extent))
	outer := 1
	for _, a := range w.step.Axes[:w.at.Pairs] {
		outer *= a.Extent
	}
	for !w.inGroup && w.Workers > 1 && n > 1 && outer*((all-1)/n+1) < w.Matmul.BlocksPerWorker*w.Workers {
		n = (n + 1) / 2
	}
	return evenly(all, n, 1)
}

// chunk returns the call for one line of windows, the first of which is line from, and the
// pairs from first on.
func (w *windowing) chunk(in *walk, first, from int) nest.Item {
	extent := func(k int) int {
		if k < 0 {
			return 1
		}
		return w.step.Axes[k].Extent
	}
	stride := func(k int) int {
		if k < 0 {
			return 0
		}
		return w.right.strides[k]
	}
	runs, taps, n := extent(w.run), extent(w.tap), min(ir.DotChunk, w.pairs-first)
	skipped := first % (runs * taps)
	rows := w.at.Rows
	left, right, out := in.arg(&w.left.view, rows), in.arg(&w.right.view, w.channel), in.arg(&w.out.view, rows)
	left.Offset += first * w.left.apart
	right.Offset += first / (runs * taps) * stride(w.channel)
	if w.line >= 0 {
		right.Offset += from * w.right.strides[w.line]
		out.Offset += from * w.out.strides[w.line]
	}
	span := (runs-1)*stride(w.run) + (taps-1)*stride(w.tap) + extent(w.col)
	fields := []int{w.left.apart * w.dtype.Size(), n, min(first, 1), (skipped+n-1)/(runs*taps) + 1, span, runs, taps, stride(w.run), stride(w.tap), skipped / taps, skipped % taps}
	sizes := make([]nest.Size, len(fields))
	for i, f := range fields {
		sizes[i] = nest.Fixed(f)
	}
	return call(w.dot, in.size[rows], in.size[w.col], []nest.Arg{left, right, out}, sizes...)
}
