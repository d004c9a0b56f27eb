package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// matmulImplicitLeft is the strategy of products whose left operand is the windows of channels:
// their elements are read where they are, and nothing is packed.
//
//	for each matrix of the batch, block of lines of windows, block of columns    in parallel
//	  for each panel of kernel.DotColumns columns
//	    for each chunk of ir.DotChunk pairs                                      one after the other
//	      dotleftwindows
//
// The chunk of a panel stays in the first-level cache while all windows of the block multiply it, and
// the right operand is read in the order of memory.
func matmulImplicitLeft(t *target, s *plan.Step) []offer {
	p := newProduct(t, s)
	if why := p.match(); why != "" {
		return refused(why)
	}
	rows := axesFrom(p.at.Rows, p.at.Cols)
	w := &windowing{p: p, of: &p.left, line: -1, col: rows[len(rows)-1]}
	if len(rows) > 1 {
		w.line = rows[len(rows)-2]
	}
	if why := w.leftAxes(); why != "" {
		return refused(why)
	}
	p.dot = microKernel(kernel.Micro{Kind: kernel.DotLeftWindows, Type: p.dtype})
	if width := kernel.DotColumns(p.dtype); p.right.panel == nil {
		p.width = width
	} else if p.width > width {
		return refused("the panels of the right operand are wide")
	}
	var ok bool
	if w.engine, ok = t.lib.Engine(p.dot.Signature()); !ok {
		return refused("there is no kernel " + p.dot.Signature())
	}
	w.leftRows()
	return offering(w.leftCost(), func() (*Draft, string) { return w.writeLeft(), "" })
}

// leftAxes finds the parts of the windows, or says why there are none.
func (w *windowing) leftAxes() (why string) {
	var ok bool
	w.p.right.apart, ok = w.p.stride(&w.p.right, axesFrom(w.p.at.Pairs, w.p.at.Rows))
	last := len(w.p.step.Axes) - 1
	lines := []int{w.col}
	if w.line >= 0 {
		lines = []int{w.line, w.col}
	}
	_, joined := w.p.stride(&w.p.out, lines)
	switch {
	case !ok || w.p.at.Cols != last || w.p.right.strides[last] != 1:
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
	w.p.rows = side{axes: axesFrom(w.p.at.Rows, w.p.at.Cols), axis: w.col, inner: 1}
	if line := w.extent(w.col); w.line >= 0 && line <= w.p.t.Matmul.Windows {
		w.p.rows.axis, w.p.rows.inner = w.line, line
	}
	w.p.rows.tile = evenly(w.extent(w.p.rows.axis), w.p.t.Matmul.Windows/w.p.rows.inner, 1)
}

// leftCost returns what the step costs: its multiplications, of which few windows in a line leave
// the machine waiting, and the calls.
func (w *windowing) leftCost() float64 {
	line := w.p.rows.inner
	if w.p.rows.axis == w.col {
		line = w.p.rows.tile
	}
	idle := max(1, float64(w.p.t.Matmul.LeastWindows)/float64(line))
	return w.p.t.Work(w.p.step)*idle + w.p.t.Matmul.CallWork*float64(elems(w.p.step))/float64(min(w.p.pairs, ir.DotChunk)*w.p.width*w.p.rows.most())
}

// writeLeft returns the draft.
func (w *windowing) writeLeft() *Draft {
	w.p.draft = newDraft(w.p.t, w.p.step)
	w.p.draft.Choice = nest.Choice{Kernel: w.p.dot.Signature(), Engine: w.engine, Kernels: 1, Cost: w.leftCost() + w.p.t.Work(w.p.step)*(w.p.t.slowdown(w.engine)-1)}
	w.p.cols.axes = axesFrom(w.p.at.Cols, len(w.p.step.Axes))
	w.p.tiles(&w.p.cols, &w.p.right, w.p.t.Matmul.Cols, w.p.width)
	w.p.share(w.p.t.Matmul.Cols, 2*w.p.width) // columns do not share what is packed
	all := w.extent(w.p.rows.axis)
	rest := all % w.p.rows.tile
	w.leftBlocks(0, all-rest)
	w.p.rows.tile = rest
	w.leftBlocks(all-rest, rest)
	return w.p.draft
}

// leftBlocks appends the part of count indices of the axis of windows that is cut, from the given one on.
// They are whole blocks: a call says how far its windows reach, so all calls of a part have as many.
func (w *windowing) leftBlocks(from, count int) {
	if count == 0 {
		return
	}
	part := newWalk(w.p.step.Axes).having(w.p.rows.axis, count)
	for k := range w.p.at.Pairs {
		part = part.cut(k, 1)
	}
	part = w.p.cols.cut(w.p.rows.cut(part))
	var chunks []nest.Item
	for first := 0; first < w.p.pairs; first += ir.DotChunk {
		chunks = append(chunks, w.leftChunk(part, first, from))
	}
	panels := []nest.Loop{{Extent: w.p.cols.size(part), Tile: w.p.width}}
	w.p.draft.Parts = append(w.p.draft.Parts, part.part([]nest.Item{inner(panels, chunks...)}))
}

// leftChunk returns the call that multiplies the pairs from first on, in the loop over the panels of
// a block's columns. The part begins at an index of the axis of windows that is cut.
func (w *windowing) leftChunk(part *walk, first, from int) nest.Item {
	left, right, out := part.arg(&w.p.left.view, w.channel), w.p.arg(part, &w.p.right, first), part.arg(&w.p.out.view, w.col)
	reach := (w.p.rows.tile-1)*w.along(w.p.rows.axis) + (w.p.rows.inner-1)*w.along(w.col) + 1
	offset, fields := w.taps(first, reach)
	left.Offset += offset + from*w.along(w.p.rows.axis)
	out.Offset += from * w.p.out.strides[w.p.rows.axis]
	beside := w.p.width
	if panel := w.p.right.panel; panel != nil {
		beside = panel.Stride
	}
	left.Strides, right.Strides, out.Strides = append(left.Strides, 0), append(right.Strides, beside), append(out.Strides, w.p.width)
	fields = append(append([]int{w.along(w.col)}, fields...), w.extent(w.col), w.along(w.line))
	panel := len(out.Strides) - 1
	return call(w.p.dot, w.p.rows.size(part), nest.Of(panel), []nest.Arg{left, right, out}, fixed(fields)...)
}
