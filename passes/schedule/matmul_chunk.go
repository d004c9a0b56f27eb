package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// dotChunk writes the calls of chunks of pairs of a product for one block, inside the loops of walk: the first chunk, or a loop over
// the others, from a pair on. If chunks of the right operand are packed, walk is outside of the loops over the blocks of rows.
type dotChunk struct {
	p    *product
	walk *walk
	from int
}

// items returns the calls, or which kernel is missing.
func (c *dotChunk) items() (items []nest.Item, why string) {
	n, adds := min(c.p.pairs, ir.DotChunk), nest.Fixed(min(c.from, 1))
	if c.from > 0 {
		n = c.p.pairs - c.from
	}
	chunk := c.walk.having(c.p.at.Pairs, n).cut(c.p.at.Pairs, ir.DotChunk)
	rows := c.p.rows.cut(chunk)
	left, across := c.p.arg(rows, &c.p.left, c.from), c.p.left.apart
	left.Step = c.p.left.strides[c.p.rows.last()]
	var inside []nest.Item
	if c.packsLeft() {
		pack, packed, why := c.packLeft(rows, left)
		if why != "" {
			return nil, why
		}
		inside, left, across = append(inside, pack), packed, 1
	}
	right, beside, next := c.p.arg(rows, &c.p.right, c.from), c.p.width, 0
	if panel := c.p.right.panel; panel != nil {
		beside, next = panel.Stride, panel.Stride
	}
	if c.p.chunked() {
		pack, packed, why := c.packRight(chunk)
		if why != "" {
			return nil, why
		}
		items = append(items, pack)
		beside = packed.Step * min(c.p.pairs, ir.DotChunk)
		right, next = nest.Arg{Slot: packed.Slot, Strides: make([]int, rows.depth()), Step: packed.Step}, beside
	}
	out := c.p.arg(rows, &c.p.out, c.from)
	out.Step = c.p.out.strides[c.p.rows.last()]
	left.Strides = append(left.Strides, 0)
	right.Strides = append(right.Strides, beside)
	out.Strides = append(out.Strides, c.p.width)
	size := c.p.dtype.Size()
	dot := call(c.p.dot, c.p.rows.size(rows), nest.Of(rows.depth()), []nest.Arg{left, right, out}, nest.Fixed(across*size), rows.size[c.p.at.Pairs], adds, nest.Fixed(next*size))
	inside = append(inside, inner([]nest.Loop{{Extent: c.p.cols.size(rows), Tile: c.p.width}}, dot))
	return chunk.wrap(c.walk, append(items, rows.wrap(chunk, inside)...)), ""
}

// arg returns an operand from a pair on as an argument whose lines are those of the pairs.
func (p *product) arg(w *walk, f *factor, from int) nest.Arg {
	v := f.view
	v.strides = slices.Clone(v.strides)
	v.strides[p.at.Pairs] = f.apart
	v = v.move(p.at.Pairs, from)
	arg := w.arg(&v, p.at.Pairs)
	if panel := f.panel; panel != nil {
		for l, axis := range w.axis {
			if axis == panel.Axis {
				arg.Strides[l] = w.loops[l].Tile / panel.Size * panel.Stride
			}
		}
	}
	return arg
}

// packsLeft reports whether chunks of left rows are packed: their elements are strided, or too many rows share a set of the
// cache, and there are enough columns to pay for the copy.
func (c *dotChunk) packsLeft() bool {
	if c.p.left.packed || c.p.cols.all(c.p.step.Axes) < c.p.t.Matmul.PackCols {
		return false
	}
	row := c.p.left.strides[c.p.rows.last()] * c.p.dtype.Size()
	return c.p.left.apart != 1 || row%c.p.t.Matmul.SetBytes == 0
}

// packLeft returns the call that copies the pairs of the block's left rows into local memory, and the copy. It reads along the
// rows or, if the elements are closer together there, along the columns.
func (c *dotChunk) packLeft(w *walk, left nest.Arg) (item nest.Item, packed nest.Arg, why string) {
	line := kernel.DotPackedStep(c.p.dtype)
	if c.p.leftChunk < 0 {
		c.p.leftChunk = c.p.draft.scratch(c.p.dtype, c.p.rows.most()*line)
		c.p.draft.Choice.Packed = append(c.p.draft.Choice.Packed, c.p.left.slot)
	}
	packed = nest.Arg{Slot: c.p.leftChunk, Strides: make([]int, w.depth()), Step: line}
	across, row := c.p.left.apart, left.Step
	var k kernel.Code = packKernel(c.p.dtype)
	fields := []nest.Size{nest.Fixed(across * c.p.dtype.Size())}
	switch {
	case across == 1:
		k, fields = copyKernel(c.p.dtype, false), nil
	case row != 0 && abs(row) < abs(across):
		k = transposeKernel(c.p.dtype)
		left.Step = across
		fields[0] = nest.Fixed(row * c.p.dtype.Size())
	}
	return call(k, c.p.rows.size(w), w.size[c.p.at.Pairs], []nest.Arg{left, packed}, fields...), packed, c.p.t.lacks(k)
}

// packRight returns the calls that copy the block's columns of the chunk's right rows into local memory, in panels, and the
// first panel. They read a few rows side by side, as memory serves long lines fastest.
func (c *dotChunk) packRight(w *walk) (item nest.Item, packed nest.Arg, why string) {
	k, line, width := copyKernel(c.p.dtype, false), min(c.p.pairs, ir.DotChunk), c.p.width
	if c.p.rightChunk < 0 {
		c.p.rightChunk = c.p.draft.scratch(c.p.dtype, ((c.p.cols.most()-1)/width+1)*width*line)
		c.p.draft.Choice.Packed = append(c.p.draft.Choice.Packed, c.p.right.slot)
	}
	few, right := c.p.t.Matmul.PackLines, c.p.arg(w, &c.p.right, c.from)
	packed = nest.Arg{Slot: c.p.rightChunk, Strides: make([]int, w.depth()), Step: width}
	from, to := right, packed
	from.Strides = append(slices.Clone(from.Strides), few*from.Step, width)
	to.Strides = append(slices.Clone(to.Strides), few*width, line*width)
	loops := []nest.Loop{{Extent: w.size[c.p.at.Pairs], Tile: few}, {Extent: c.p.cols.size(w), Tile: width}}
	return inner(loops, call(k, nest.Of(w.depth()), nest.Of(w.depth()+1), []nest.Arg{from, to})), packed, c.p.t.lacks(k)
}
