package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// dotChunk writes the calls of chunks of pairs of a product, for one block, inside whose
// loops walk is: of the first chunk, or a loop over the others.
type dotChunk struct {
	*product
	walk  *walk
	first bool
}

// items returns the calls, or why there is no kernel for one.
func (c *dotChunk) items() (items []nest.Item, why string) {
	n, adds := nest.Fixed(min(c.pairs, ir.DotChunk)), nest.Fixed(0)
	if !c.first {
		if c.pairs <= ir.DotChunk {
			return nil, ""
		}
		n, adds = nest.Of(c.walk.depth()), nest.Fixed(1)
	}
	left, across := c.arg(&c.left), c.left.apart
	left.Step = c.left.strides[c.rows.last()]
	if c.packsLeft() {
		pack, packed, why := c.packChunk(left, n)
		if why != "" {
			return nil, why
		}
		items, left, across = append(items, pack), packed, 1
	}
	right := c.arg(&c.right)
	right.Step = c.right.apart
	if c.chunked() {
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
	return []nest.Item{inner([]nest.Loop{{Extent: nest.Fixed(c.pairs - ir.DotChunk), Tile: ir.DotChunk}}, items...)}, ""
}

// panels returns the loop over the panels of the block's columns, which multiplies.
func (c *dotChunk) panels(left, right nest.Arg, across int, n, adds nest.Size) nest.Item {
	size := c.dtype.Size()
	out, next := c.arg(&c.out), 0
	out.Step = c.out.strides[c.rows.last()]
	beside := c.width
	if panel := c.right.panel; panel != nil {
		beside = panel.Stride
		next = panel.Stride * size
	}
	left.Strides = append(left.Strides, 0)
	right.Strides = append(right.Strides, beside)
	out.Strides = append(out.Strides, c.width)
	at := len(out.Strides) - 1
	dot := call(c.dot, c.rows.size(c.walk), nest.Of(at), []nest.Arg{left, right, out}, nest.Fixed(across*size), n, adds, nest.Fixed(next))
	return inner([]nest.Loop{{Extent: c.cols.size(c.walk), Tile: c.width}}, dot)
}

// arg returns where the chunk's first element of an operand is.
func (c *dotChunk) arg(f *factor) nest.Arg {
	arg := c.walk.arg(&f.view, c.at.Pairs)
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
	if c.left.packed || c.cols.all(c.step.Axes) < c.Matmul.PackCols {
		return false
	}
	row := c.left.strides[c.rows.last()] * c.dtype.Size()
	return c.left.apart != 1 || row%c.Matmul.SetBytes == 0
}

// packChunk returns the call that copies n pairs of the block's left rows into local memory,
// and where they are then. It reads along the rows or, where their elements lie closer
// together, along the columns.
func (c *dotChunk) packChunk(left nest.Arg, n nest.Size) (item nest.Item, packed nest.Arg, why string) {
	line := min(c.pairs, ir.DotChunk)
	if c.leftChunk < 0 {
		c.leftChunk = c.draft.scratch(c.dtype, c.rows.most()*line)
		c.draft.Choice.Packed = append(c.draft.Choice.Packed, c.left.slot)
	}
	packed = nest.Arg{Slot: c.leftChunk, Strides: make([]int, len(left.Strides)), Step: line}
	across, row := c.left.apart, left.Step
	var k kernel.Code = packKernel(c.dtype)
	fields := []nest.Size{nest.Fixed(across * c.dtype.Size())}
	switch {
	case across == 1:
		k, fields = copyKernel(c.dtype, false), nil
	case row != 0 && abs(row) < abs(across):
		k = transposeKernel(c.dtype)
		left.Step = across
		fields[0] = nest.Fixed(row * c.dtype.Size())
	}
	if _, ok := c.lib.Engine(k.Signature()); !ok {
		return item, packed, "there is no kernel " + k.Signature()
	}
	return call(k, c.rows.size(c.walk), n, []nest.Arg{left, packed}, fields...), packed, ""
}

// packRight returns the call that copies the block's columns of n right rows into local memory,
// and where they are then. It reads along the rows, as memory serves them fastest.
func (c *dotChunk) packRight(right nest.Arg, n nest.Size) (item nest.Item, packed nest.Arg, why string) {
	k, line := copyKernel(c.dtype, false), oddLines(c.cols.most(), c.dtype)
	if _, ok := c.lib.Engine(k.Signature()); !ok {
		return item, packed, "there is no kernel " + k.Signature()
	}
	if c.rightChunk < 0 {
		c.rightChunk = c.draft.scratch(c.dtype, min(c.pairs, ir.DotChunk)*line)
		c.draft.Choice.Packed = append(c.draft.Choice.Packed, c.right.slot)
	}
	packed = nest.Arg{Slot: c.rightChunk, Strides: make([]int, len(right.Strides)), Step: line}
	return call(k, n, c.cols.size(c.walk), []nest.Arg{right, packed}), packed, ""
}
