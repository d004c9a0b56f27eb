package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// dotChunk writes the calls of chunks of pairs of a product, for one block, inside whose
// loops walk is: of the first chunk, or a loop over the others.
type dotChunk struct {
	p     *product
	walk  *walk
	first bool
}

// items returns the calls, or why there is no kernel for one.
func (c *dotChunk) items() (items []nest.Item, why string) {
	n, adds := nest.Fixed(min(c.p.pairs, ir.DotChunk)), nest.Fixed(0)
	if !c.first {
		if c.p.pairs <= ir.DotChunk {
			return nil, ""
		}
		n, adds = nest.Of(c.walk.depth()), nest.Fixed(1)
	}
	left, across := c.arg(&c.p.left), c.p.left.apart
	left.Step = c.p.left.strides[c.p.rows.last()]
	if c.packsLeft() {
		pack, packed, why := c.packChunk(left, n)
		if why != "" {
			return nil, why
		}
		items, left, across = append(items, pack), packed, 1
	}
	right := c.arg(&c.p.right)
	right.Step = c.p.right.apart
	if c.p.chunked() {
		pack, packed, why := c.packRight(right, n)
		if why != "" {
			return nil, why
		}
		items, right = append(items, pack), packed
	}
	items = append(items, c.panels(left, right, across, n, adds))
	if c.first {
		return items, ""
	}
	return []nest.Item{inner([]nest.Loop{{Extent: nest.Fixed(c.p.pairs - ir.DotChunk), Tile: ir.DotChunk}}, items...)}, ""
}

// panels returns the loop over the panels of the block's columns, which multiplies.
func (c *dotChunk) panels(left, right nest.Arg, across int, n, adds nest.Size) nest.Item {
	size := c.p.dtype.Size()
	out, next := c.arg(&c.p.out), 0
	out.Step = c.p.out.strides[c.p.rows.last()]
	beside := c.p.width
	if panel := c.p.right.panel; panel != nil {
		beside = panel.Stride
		next = panel.Stride * size
	}
	left.Strides = append(left.Strides, 0)
	right.Strides = append(right.Strides, beside)
	out.Strides = append(out.Strides, c.p.width)
	at := len(out.Strides) - 1
	dot := call(c.p.dot, c.p.rows.size(c.walk), nest.Of(at), []nest.Arg{left, right, out}, nest.Fixed(across*size), n, adds, nest.Fixed(next))
	return inner([]nest.Loop{{Extent: c.p.cols.size(c.walk), Tile: c.p.width}}, dot)
}

// arg returns where the chunk's first element of an operand is.
func (c *dotChunk) arg(f *factor) nest.Arg {
	arg := c.walk.arg(&f.view, c.p.at.Pairs)
	if panel := f.panel; panel != nil {
		for l, axis := range c.walk.axis {
			if axis == panel.Axis {
				arg.Strides[l] = c.walk.loops[l].Tile / panel.Size * panel.Stride
			}
		}
	}
	if !c.first {
		by := ir.DotChunk * f.apart
		arg.Offset += by
		arg.Strides = append(arg.Strides, by)
	}
	return arg
}

// packsLeft reports whether chunks of left rows are packed: their elements are apart, or so
// many rows share a set of the cache, and there are columns enough to pay for the copy.
func (c *dotChunk) packsLeft() bool {
	if c.p.left.packed || c.p.cols.all(c.p.step.Axes) < c.p.t.Matmul.PackCols {
		return false
	}
	row := c.p.left.strides[c.p.rows.last()] * c.p.dtype.Size()
	return c.p.left.apart != 1 || row%c.p.t.Matmul.SetBytes == 0
}

// packChunk returns the call that copies n pairs of the block's left rows into local memory,
// and where they are then. It reads along the rows or, where their elements lie closer
// together, along the columns.
func (c *dotChunk) packChunk(left nest.Arg, n nest.Size) (item nest.Item, packed nest.Arg, why string) {
	line := min(c.p.pairs, ir.DotChunk)
	if c.p.leftChunk < 0 {
		c.p.leftChunk = c.p.draft.scratch(c.p.dtype, c.p.rows.most()*line)
		c.p.draft.Choice.Packed = append(c.p.draft.Choice.Packed, c.p.left.slot)
	}
	packed = nest.Arg{Slot: c.p.leftChunk, Strides: make([]int, len(left.Strides)), Step: line}
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
	if _, ok := c.p.t.lib.Engine(k.Signature()); !ok {
		return item, packed, "there is no kernel " + k.Signature()
	}
	return call(k, c.p.rows.size(c.walk), n, []nest.Arg{left, packed}, fields...), packed, ""
}

// packRight returns the call that copies the block's columns of n right rows into local memory,
// and where they are then. It reads along the rows, as memory serves them fastest.
func (c *dotChunk) packRight(right nest.Arg, n nest.Size) (item nest.Item, packed nest.Arg, why string) {
	k, line := copyKernel(c.p.dtype, false), oddLines(c.p.cols.most(), c.p.dtype)
	if _, ok := c.p.t.lib.Engine(k.Signature()); !ok {
		return item, packed, "there is no kernel " + k.Signature()
	}
	if c.p.rightChunk < 0 {
		c.p.rightChunk = c.p.draft.scratch(c.p.dtype, min(c.p.pairs, ir.DotChunk)*line)
		c.p.draft.Choice.Packed = append(c.p.draft.Choice.Packed, c.p.right.slot)
	}
	packed = nest.Arg{Slot: c.p.rightChunk, Strides: make([]int, len(right.Strides)), Step: line}
	return call(k, n, c.p.cols.size(c.walk), []nest.Arg{right, packed}), packed, ""
}
