package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// multiplyLeftWindows is the strategy of products whose left operand is the windows of channels:
// their elements are read where they are, and nothing is packed.
//
//	for each matrix of the batch, block of lines of windows, block of columns    in parallel
//	  for each panel of kernel.DotColumns columns
//	    for each chunk of ir.DotChunk pairs                                      one after the other
//	      dotleftwindows
//
// The chunk of a panel stays in the first-level cache while all windows of the block multiply it, and
// the right operand is read in the order of memory.
var multiplyLeftWindows = strategy{name: "matmul-left-windows", offer: offerLeftWindows}

func offerLeftWindows(t *target, s *plan.Step) (offer, string) {
	p := newProduct(t, s)
	if why := p.match(); why != "" {
		return offer{}, why
	}
	rows := axesFrom(p.at.Rows, p.at.Cols)
	w := &windowing{product: p, of: &p.left, line: -1, col: rows[len(rows)-1]}
	if len(rows) > 1 {
		w.line = rows[len(rows)-2]
	}
	if why := w.leftAxes(); why != "" {
		return offer{}, why
	}
	p.dot = microKernel(kernel.Micro{Kind: kernel.DotLeftWindows, Type: p.dtype})
	var ok bool
	if w.engine, ok = t.lib.Engine(p.dot.Signature()); !ok {
		return offer{}, "there is no kernel " + p.dot.Signature()
	}
	w.leftRows()
	return offer{w.leftCost(), func() (*Draft, string) { return w.writeLeft(), "" }}, ""
}

// leftAxes finds the parts of the windows, or says why there are none.
func (w *windowing) leftAxes() (why string) {
	var ok bool
	w.right.apart, ok = w.stride(&w.right, axesFrom(w.at.Pairs, w.at.Rows))
	last := len(w.step.Axes) - 1
	lines := []int{w.col}
	if w.line >= 0 {
		lines = []int{w.line, w.col}
	}
	_, joined := w.stride(&w.out, lines)
	switch {
	case !ok || w.at.Cols != last || w.right.strides[last] != 1:
		return "the rows of the right operand have no common stride, or are not contiguous"
	case !joined:
		return "the lines of windows do not follow one another in the output"
	}
	if why := w.pairAxes(); why != "" {
		return why
	}
	return w.reaches(1, append(lines, w.windowAxes()...))
}

// leftRows decides which windows a call has: some whole lines, or parts of one.
func (w *windowing) leftRows() {
	w.rows = side{axes: axesFrom(w.at.Rows, w.at.Cols), axis: w.col, inner: 1}
	if line := w.extent(w.col); w.line >= 0 && line <= w.Matmul.Windows {
		w.rows.axis, w.rows.inner = w.line, line
	}
	w.rows.tile = evenly(w.extent(w.rows.axis), w.Matmul.Windows/w.rows.inner, 1)
}

// leftCost returns what the step costs: its multiplications, of which few windows in a line leave
// the machine waiting, and the calls.
func (w *windowing) leftCost() float64 {
	line := w.rows.inner
	if w.rows.axis == w.col {
		line = w.rows.tile
	}
	idle := max(1, float64(w.Matmul.LeastWindows)/float64(line))
	return w.Work(w.step)*idle + w.Matmul.CallWork*float64(elems(w.step))/float64(min(w.pairs, ir.DotChunk)*w.width*w.rows.most())
}

// writeLeft returns the draft.
func (w *windowing) writeLeft() *Draft {
	w.draft = newDraft(w.target, w.step)
	w.draft.Choice = nest.Choice{Kernel: w.dot.Signature(), Engine: w.engine, Kernels: 1, Cost: w.leftCost() + w.Work(w.step)*(w.slowdown(w.engine)-1)}
	w.cols.axes = axesFrom(w.at.Cols, len(w.step.Axes))
	w.tiles(&w.cols, &w.right, w.Matmul.Cols, w.width)
	w.share(w.Matmul.Cols, 2*w.width) // columns do not share what is packed
	all := w.extent(w.rows.axis)
	rest := all % w.rows.tile
	w.leftBlocks(0, all-rest)
	w.rows.tile = rest
	w.leftBlocks(all-rest, rest)
	return w.draft
}

// leftBlocks appends the part of count indices of the axis of windows that is cut, from the given one on.
// They are whole blocks: a call says how far its windows reach, so all calls of a part have as many.
func (w *windowing) leftBlocks(from, count int) {
	if count == 0 {
		return
	}
	part := newWalk(w.step.Axes).having(w.rows.axis, count)
	for k := range w.at.Pairs {
		part = part.cut(k, 1)
	}
	part = w.cols.cut(w.rows.cut(part))
	var chunks []nest.Item
	for first := 0; first < w.pairs; first += ir.DotChunk {
		chunks = append(chunks, w.leftChunk(part, first, from))
	}
	panels := []nest.Loop{{Extent: w.cols.size(part), Tile: w.width}}
	w.draft.Parts = append(w.draft.Parts, part.part([]nest.Item{inner(panels, chunks...)}))
}

// leftChunk returns the call that multiplies the pairs from first on, in the loop over the panels of
// a block's columns. The part begins at an index of the axis of windows that is cut.
func (w *windowing) leftChunk(part *walk, first, from int) nest.Item {
	c := dotChunk{product: w.product, walk: part, first: true}
	left, right, out := part.arg(&w.left.view, w.channel), c.arg(&w.right), part.arg(&w.out.view, w.col)
	reach := (w.rows.tile-1)*w.along(w.rows.axis) + (w.rows.inner-1)*w.along(w.col) + 1
	offset, fields := w.taps(first, reach)
	left.Offset += offset + from*w.along(w.rows.axis)
	out.Offset += from * w.out.strides[w.rows.axis]
	right.Offset += first * w.right.apart
	right.Step = w.right.apart
	beside := w.width
	if panel := w.right.panel; panel != nil {
		beside = panel.Stride
	}
	left.Strides, right.Strides, out.Strides = append(left.Strides, 0), append(right.Strides, beside), append(out.Strides, w.width)
	fields = append(append([]int{w.along(w.col)}, fields...), w.extent(w.col), w.along(w.line))
	panel := len(out.Strides) - 1
	return call(w.dot, w.rows.size(part), nest.Of(panel), []nest.Arg{left, right, out}, fixed(fields)...)
}
