package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// chunk returns the calls of chunks of pairs for one block, inside the loops of w: of the first chunk, or a loop over the others, from
// a pair on. If chunks of the right operand stay in the cache, w is outside of the loops over the blocks of rows. why is a missing kernel.
func (p *product) chunk(w *walk, from int) (items []nest.Item, why string) {
	n, adds := min(p.pairs, ir.DotChunk), nest.Fixed(min(from, 1))
	if from > 0 {
		n = p.pairs - from
	}
	chunk := w.having(p.at.Pairs, n).cut(p.at.Pairs, ir.DotChunk)
	rows := p.rows.cut(chunk)
	left, across := p.arg(rows, &p.left, from), p.left.apart
	left.Step = p.left.strides[p.rows.last()]
	var inside []nest.Item
	if p.packsLeft() {
		pack, packed, why := p.packLeft(rows, left)
		if why != "" {
			return nil, why
		}
		inside, left, across = append(inside, pack), packed, 1
	}
	right, beside, next := p.arg(rows, &p.right, from), p.width, 0
	if panel := p.right.panel; panel != nil {
		beside, next = panel.Stride, panel.Stride
	}
	if p.chunked() {
		pack, packed, why := p.packRight(chunk, from)
		if why != "" {
			return nil, why
		}
		items = append(items, pack)
		beside = packed.Step * min(p.pairs, ir.DotChunk)
		right, next = nest.Arg{Slot: packed.Slot, Strides: make([]int, rows.depth()), Step: packed.Step}, beside
	}
	out := p.arg(rows, &p.out, from)
	out.Step = p.out.strides[p.rows.last()]
	left.Strides = append(left.Strides, 0)
	right.Strides = append(right.Strides, beside)
	out.Strides = append(out.Strides, p.width)
	fields := []nest.Size{nest.Fixed(across * p.left.size), rows.size[p.at.Pairs], adds, nest.Fixed(next * p.right.size)}
	if p.op == ir.OpDotBytes {
		fields = append(fields, nest.Fixed(p.width))
	}
	dot := call(p.dot, p.rows.size(rows), nest.Of(rows.depth()), []nest.Arg{left, right, out}, fields...)
	inside = append(inside, inner([]nest.Loop{{Extent: p.cols.size(rows), Tile: p.width}}, dot))
	return chunk.wrap(w, append(items, rows.wrap(chunk, inside)...)), ""
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

// packsLeft reports whether chunks of left rows are packed: their elements are strided, too many rows share a set of the
// cache, or many pass a right chunk that fills most of the second-level cache; and there are enough columns to pay for the copy.
// A left operand that repeats one element is in the cache as it is.
func (p *product) packsLeft() bool {
	if p.left.packed || p.cols.all(p.step.Axes) < p.t.Matmul.PackCols {
		return false
	}
	row := p.left.strides[p.rows.last()] * p.dtype.Size()
	if row == 0 && p.left.apart == 0 {
		return false
	}
	many := p.rows.all(p.step.Axes) >= p.t.Matmul.PackRows
	return p.left.apart != 1 || row%p.t.Matmul.SetBytes == 0 || many && p.stays()
}

// packLeft returns the call that copies the pairs of the block's left rows into local memory, and the copy. It reads along the
// rows or, if the elements are closer together there, along the columns.
func (p *product) packLeft(w *walk, left nest.Arg) (item nest.Item, packed nest.Arg, why string) {
	line := kernel.DotPackedStep(p.dtype)
	if p.leftChunk < 0 {
		p.leftChunk = p.draft.scratch(p.dtype, p.rows.most()*line)
		p.draft.Choice.Packed = append(p.draft.Choice.Packed, p.left.slot)
	}
	packed = nest.Arg{Slot: p.leftChunk, Strides: make([]int, w.depth()), Step: line}
	across, row := p.left.apart, left.Step
	var k kernel.Code = packKernel(p.dtype)
	fields := []nest.Size{nest.Fixed(across * p.dtype.Size())}
	switch {
	case across == 1:
		k, fields = copyKernel(p.dtype, false), nil
	case row != 0 && abs(row) < abs(across):
		k = transposeKernel(p.dtype)
		left.Step = across
		fields[0] = nest.Fixed(row * p.dtype.Size())
	}
	return call(k, p.rows.size(w), w.size[p.at.Pairs], []nest.Arg{left, packed}, fields...), packed, p.t.lacks(k)
}

// packRight returns the calls that copy the block's columns of the chunk's right rows into local memory, in panels, and the
// first panel. They read a few rows side by side, as memory serves long lines fastest.
func (p *product) packRight(w *walk, from int) (item nest.Item, packed nest.Arg, why string) {
	k, line, width := copyKernel(p.dtype, false), min(p.pairs, ir.DotChunk), p.width
	if p.rightChunk < 0 {
		p.rightChunk = p.draft.scratch(p.dtype, ((p.cols.most()-1)/width+1)*width*line)
		p.draft.Choice.Packed = append(p.draft.Choice.Packed, p.right.slot)
	}
	few, right := p.t.Matmul.PackLines, p.arg(w, &p.right, from)
	packed = nest.Arg{Slot: p.rightChunk, Strides: make([]int, w.depth()), Step: width}
	to := packed
	right.Strides = append(right.Strides, few*right.Step, width)
	to.Strides = append(slices.Clone(to.Strides), few*width, line*width)
	loops := []nest.Loop{{Extent: w.size[p.at.Pairs], Tile: few}, {Extent: p.cols.size(w), Tile: width}}
	return inner(loops, call(k, nest.Of(w.depth()), nest.Of(w.depth()+1), []nest.Arg{right, to})), packed, p.t.lacks(k)
}
