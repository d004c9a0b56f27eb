package schedule

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// matmulImplicit is the strategy of products one of whose operands is the windows of channels: their elements are read
// where they are, and nothing is packed. The usual option has the windows as the right operand, whose columns are
// contiguous for each pair:
//
//	for each matrix of the batch, block of lines of windows                      in parallel
//	  for each block of rows
//	    for each chunk of ir.DotChunk pairs                                      one after the other
//	      for each line of windows
//	        dotwindows
//
// The last columns of a line may not fill half a panel, which costs as much as if they did. The option left has the
// windows as the left operand. The chunk of a panel stays in the first-level cache while all windows of the block
// multiply it, and the right operand is read in the order of memory:
//
//	for each matrix of the batch, block of lines of windows, block of columns    in parallel
//	  for each panel of kernel.DotColumns columns
//	    for each chunk of ir.DotChunk pairs                                      one after the other
//	      dotleftwindows
func matmulImplicit(t *target, s *plan.Step) []offer {
	offers := make([]offer, 0, 2)
	for _, left := range []bool{false, true} {
		w := &implicit{p: newProduct(t, s), left: left, line: -1}
		o := offer{why: w.match()}
		if o.why == "" {
			o = offer{least: w.cost(), draft: func() (*Draft, string) { return w.write(), "" }}
		}
		if left {
			o.option = "left"
		}
		offers = append(offers, o)
	}
	return offers
}

// mostChunks is how many chunks of pairs have calls of their own.
const mostChunks = 32

// implicit is a product with windows that is being scheduled so.
type implicit struct {
	p                 *product
	left              bool    // the windows are the left operand
	of, by            *factor // the windows, and the other operand
	windows           side    // the rows or columns of the product that are windows
	channel, run, tap int     // axes of pairs; run is -1 if there is none
	line, col         int     // axes of windows; line is -1 if there is one
	engine            string
}

// match finds the windows and their parts, or says why there are none.
func (w *implicit) match() (why string) {
	if why := w.p.match(); why != "" {
		return why
	}
	at, axes, last, width := w.p.at, w.p.step.Axes, len(w.p.step.Axes)-1, kernel.DotColumns(w.p.dtype)
	others := last + 1 - at.Cols
	w.of, w.by, w.windows.axes = &w.p.left, &w.p.right, axesFrom(at.Rows, at.Cols)
	kind, panel := kernel.DotLeftWindows, w.p.right.panel
	if !w.left {
		w.of, w.by, w.windows.axes = w.by, w.of, axesFrom(at.Cols, len(axes))
		kind, others = kernel.DotWindows, at.Cols-at.Rows
	}
	n := len(w.windows.axes)
	if w.col = w.windows.axes[n-1]; n > 1 {
		w.line = w.windows.axes[n-2]
	}
	lines := w.windows.axes[max(0, n-2):]
	var ok bool
	w.by.apart, ok = w.p.stride(w.by, axesFrom(at.Pairs, at.Rows))
	_, joined := w.p.stride(&w.p.out, lines)
	switch {
	case others > 1 || !w.left && n > 2:
		return "the rows or columns are too many axes"
	case !ok || w.p.right.strides[last] != 1:
		return "the columns of the right operand are apart, or the pairs of the other one have no common stride"
	case !w.left && panel != nil:
		return "the rows of the right operand are one stride apart"
	case w.left && !joined:
		return "the lines of windows do not follow one another in the output"
	}
	if why := w.pairAxes(); why != "" {
		return why
	}
	reached := append(w.windowAxes(), w.col)
	if w.left {
		reached = append(w.windowAxes(), lines...)
	}
	if why := w.reaches(reached); why != "" {
		return why
	}
	if panel == nil {
		w.p.width = width
	} else if w.p.width > width {
		return "the panels of the right operand are wide"
	}
	w.p.dot = microKernel(kernel.Micro{Kind: kind, Type: w.p.dtype})
	if w.engine, ok = w.p.t.lib.Engine(w.p.dot.Signature()); !ok {
		return "there is no kernel " + w.p.dot.Signature()
	}
	w.blocks()
	return ""
}

// pairAxes finds the channels, runs and taps, or says why there are none.
func (w *implicit) pairAxes() (why string) {
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
		return w.p.t.because("%d pairs, takes at most %d", w.p.pairs, mostChunks*ir.DotChunk)
	}
	w.channel, w.run, w.tap = pairs[0], -1, w.p.at.Rows-1
	if len(pairs) == 3 {
		w.run = pairs[1]
	}
	for _, k := range w.windowAxes() {
		if w.extent(k) > ir.DotChunk {
			return w.p.t.because("windows of %d elements, takes at most %d", w.extent(k), ir.DotChunk)
		}
	}
	return ""
}

// windowAxes returns the axes of one window of a channel.
func (w *implicit) windowAxes() []int { return axesFrom(w.channel+1, w.p.at.Rows) }

// reaches says what is wrong with the elements that windows read along some axes.
func (w *implicit) reaches(axes []int) (why string) {
	span := 1
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
func (w *implicit) extent(axis int) int {
	if axis < 0 {
		return 1
	}
	return w.p.step.Axes[axis].Extent
}

// along returns the stride of the windows along an axis, 0 if there is none.
func (w *implicit) along(axis int) int {
	if axis < 0 {
		return 0
	}
	return w.of.strides[axis]
}

// blocks sets the blocks of windows, and of rows if windows are the columns. A call on left windows has some whole lines, or
// a part of one. A block of right windows has lines of as many columns as other products have in one, and there is a block
// for each worker.
func (w *implicit) blocks() {
	m, d, line := &w.p.t.Matmul, &w.windows, w.extent(w.col)
	d.axis, d.inner = w.col, 1
	if w.left {
		if w.line >= 0 && line <= m.Windows {
			d.axis, d.inner = w.line, line
		}
		d.tile = evenly(w.extent(d.axis), m.Windows/d.inner, 1)
		w.p.rows = *d
		return
	}
	w.p.rows = side{axes: axesFrom(w.p.at.Rows, w.p.at.Cols), axis: w.p.at.Rows, tile: min(w.extent(w.p.at.Rows), m.LeftBytes/ir.DotChunk/w.p.dtype.Size()), inner: 1}
	if d.tile = line; w.line < 0 {
		return
	}
	all, outer := w.extent(w.line), plan.Indices(w.p.step.Axes[:w.p.at.Pairs])
	n := min(all, max(1, m.Cols/line))
	for !w.p.t.inGroup && w.p.t.Workers > 1 && n > 1 && outer*((all-1)/n+1) < m.BlocksPerWorker*w.p.t.Workers {
		n = (n + 1) / 2
	}
	d.axis, d.inner, d.tile = w.line, line, evenly(all, n, 1)
}

// cost returns what the step costs: its multiplications and the calls. Right windows are multiplied with the columns that
// fill no half panel, and few left windows in a line leave the machine waiting.
func (w *implicit) cost() float64 {
	m, n, work := &w.p.t.Matmul, w.extent(w.col), w.p.t.Work(w.p.step)
	if !w.left {
		return work*m.WindowWork*float64(roundUp(n, w.p.width/2))/float64(n) + m.CallWork*float64(elems(w.p.step))/float64(w.p.pairs*n*w.p.rows.tile)
	}
	line := w.windows.inner
	if w.windows.axis == w.col {
		line = w.windows.tile
	}
	idle := max(1, float64(m.LeastWindows)/float64(line))
	return work*idle + m.CallWork*float64(elems(w.p.step))/float64(min(w.p.pairs, ir.DotChunk)*w.p.width*w.windows.most())
}

// write returns the draft.
func (w *implicit) write() *Draft {
	w.p.draft = newDraft(w.p.t, w.p.step)
	w.p.draft.Choice = nest.Choice{Kernel: w.p.dot.Signature(), Engine: w.engine, Kernels: 1, Cost: w.cost() + w.p.t.Work(w.p.step)*(w.p.t.slowdown(w.engine)-1)}
	if w.left {
		w.p.cols.axes = axesFrom(w.p.at.Cols, len(w.p.step.Axes))
		w.p.tiles(&w.p.cols, &w.p.right, w.p.t.Matmul.Cols, w.p.width)
		w.p.share(w.p.t.Matmul.BlocksPerWorker, w.p.t.Matmul.Cols, 2*w.p.width) // columns do not share what is packed
	}
	all := w.extent(w.windows.axis)
	rest := all % w.windows.tile
	w.part(0, all-rest, w.windows.tile)
	w.part(all-rest, rest, rest)
	return w.p.draft
}

// part appends the part of count indices of the axis of windows that is cut, from the given one on, in blocks of n. They
// are whole blocks: a call says how far its windows reach, so all calls of a part have as many.
func (w *implicit) part(from, count, n int) {
	if count == 0 {
		return
	}
	w.windows.tile = n
	part := newWalk(w.p.step.Axes).having(w.windows.axis, count)
	for k := range w.p.at.Pairs {
		part = part.cut(k, 1)
	}
	part = w.windows.cut(part)
	rows, in := part, part
	if w.left {
		part = w.p.cols.cut(part)
		in = part
	} else {
		rows = w.p.rows.cut(part)
		if in = rows; w.line >= 0 {
			in = rows.cut(w.line, 1)
		}
	}
	var items []nest.Item
	for first := 0; first < w.p.pairs; first += ir.DotChunk {
		chunk := []nest.Item{w.chunk(in, first, from)}
		if !w.left {
			chunk = in.wrap(rows, chunk)
		}
		items = append(items, chunk...)
	}
	if w.left {
		items = []nest.Item{inner([]nest.Loop{{Extent: w.p.cols.size(part), Tile: w.p.width}}, items...)}
	} else {
		items = rows.wrap(part, items)
	}
	w.p.draft.Parts = append(w.p.draft.Parts, part.part(items))
}

// chunk returns the call that multiplies the pairs from first on: of a line of right windows, or of a block of left ones, in
// the loop over the panels of a block's columns. The part begins at an index of the axis of windows that is cut.
func (w *implicit) chunk(in *walk, first, from int) nest.Item {
	p, axis := w.p, w.windows.axis
	line, reach := p.at.Rows, w.extent(w.col)
	if w.left {
		line, reach = w.col, (w.windows.tile-1)*w.along(axis)+(w.windows.inner-1)*w.along(w.col)+1
	}
	windows, by, out := in.arg(&w.of.view, w.channel), p.arg(in, w.by, first), in.arg(&p.out.view, line)
	offset, fields := w.taps(first, reach)
	windows.Offset += offset + from*w.along(axis)
	out.Offset += from * p.out.strides[axis]
	if !w.left {
		by.Step = w.by.strides[line]
		return call(p.dot, in.size[line], in.size[w.col], []nest.Arg{by, windows, out}, fixed(append([]int{w.by.apart * p.dtype.Size()}, fields...))...)
	}
	beside := p.width
	if panel := w.by.panel; panel != nil {
		beside = panel.Stride
	}
	windows.Strides, by.Strides, out.Strides = append(windows.Strides, 0), append(by.Strides, beside), append(out.Strides, p.width)
	fields = append(append([]int{w.along(w.col)}, fields...), w.extent(w.col), w.along(w.line))
	return call(p.dot, w.windows.size(in), nest.Of(in.depth()), []nest.Arg{windows, by, out}, fixed(fields)...)
}

// taps returns where the channel of the pair first is, and the fields that say of which taps the
// chunk of pairs from it on are. The first elements of a call's windows are among reach elements.
func (w *implicit) taps(first, reach int) (offset int, fields []int) {
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
