package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// dotChunk writes the calls of chunks of pairs of a product, for one block: of the first
// chunk, or a loop over the others. Outside are the part's loops, whose number is
// depth; the last two are those over the blocks of rows and of columns.
type dotChunk struct {
	*product
	depth int
	first bool
}

// items returns the calls, or why there is no kernel for one.
func (c *dotChunk) items() (items []nest.Item, why string) {
	pairs := c.step.Axes[c.pairs].Extent
	n, adds := nest.Fixed(min(pairs, ir.DotChunk)), nest.Fixed(0)
	if !c.first {
		if pairs <= ir.DotChunk {
			return nil, ""
		}
		n, adds = nest.Of(c.depth), nest.Fixed(1)
	}
	left := c.arg(c.left)
	across := c.access[c.left].Strides[c.pairs]
	if c.packsLeft() {
		pack, packed, why := c.pack(left, n)
		if why != "" {
			return nil, why
		}
		items, left, across = append(items, pack), packed, 1
	}
	items = append(items, c.panels(left, across, n, adds))
	if c.first {
		return items, ""
	}
	return []nest.Item{inner([]nest.Loop{{Extent: nest.Fixed(pairs - ir.DotChunk), Tile: ir.DotChunk}}, items...)}, ""
}

// panels returns the loop over the panels of the block's columns, which multiplies.
func (c *dotChunk) panels(left nest.Arg, across int, n, adds nest.Size) nest.Item {
	size := c.dtype.Size()
	right, out, next := c.arg(c.right), c.arg(c.out), 0
	if panel := c.access[c.right].Panel; panel != nil {
		next = panel.Stride * size
	}
	left.Strides = append(left.Strides, 0)
	right.Strides = append(right.Strides, colStride(&c.access[c.right], c.width))
	out.Strides = append(out.Strides, c.width)
	at := len(out.Strides) - 1
	dot := call(c.dot, nest.Of(c.depth-2), nest.Of(at), []nest.Arg{left, right, out}, nest.Fixed(across*size), n, adds, nest.Fixed(next))
	return inner([]nest.Loop{{Extent: nest.Of(c.depth - 1), Tile: c.width}}, dot)
}

// arg returns where the chunk's first element of an operand is. Its lines are the rows
// of the matrix; those of a panel are as wide as the panel.
func (c *dotChunk) arg(o int) nest.Arg {
	a := &c.access[o]
	arg := nest.Arg{Slot: o, Offset: a.Offset, Strides: c.blockStrides(o), Step: a.Strides[c.pairs+1]}
	if o == c.right {
		arg.Step = a.Strides[c.pairs]
	}
	if !c.first {
		by := ir.DotChunk * a.Strides[c.pairs]
		arg.Offset += by
		arg.Strides = append(arg.Strides, by)
	}
	return arg
}

// packsLeft reports whether the left rows are packed: their elements are apart, or so many
// rows share a set of the cache, and there are columns enough to pay for the copy.
func (c *dotChunk) packsLeft() bool {
	a := &c.access[c.left]
	across, row := a.Strides[c.pairs], a.Strides[c.pairs+1]*c.dtype.Size()
	return c.cols() >= c.Matmul.PackCols && (across != 1 || row%c.Matmul.SetBytes == 0)
}

// pack returns the call that copies n pairs of the block's left rows into local memory,
// and where they are then. It reads along the rows or, where their elements lie closer
// together, along the columns.
func (c *dotChunk) pack(left nest.Arg, n nest.Size) (item nest.Item, packed nest.Arg, why string) {
	line := min(c.step.Axes[c.pairs].Extent, ir.DotChunk)
	if c.packed < 0 {
		c.packed = c.draft.scratch(c.dtype, c.blockRows*line)
		c.draft.Choice.Packed = []int{c.left}
	}
	packed = nest.Arg{Slot: c.packed, Strides: make([]int, len(left.Strides)), Step: line}
	a := &c.access[c.left]
	across, row := a.Strides[c.pairs], a.Strides[c.pairs+1]
	bits := kernel.BitsType(c.dtype)
	var k kernel.Code = &kernel.Micro{Kind: kernel.Pack, Type: bits}
	fields := []nest.Size{nest.Fixed(across * c.dtype.Size())}
	switch {
	case across == 1:
		k, fields = copyKernel(c.dtype, false), nil
	case row != 0 && max(row, -row) < max(across, -across):
		k = &kernel.Micro{Kind: kernel.Transpose, Type: bits}
		left.Step = across
		fields[0] = nest.Fixed(row * c.dtype.Size())
	}
	if _, ok := c.lib.Engine(k.Signature()); !ok {
		return item, packed, "there is no kernel " + k.Signature()
	}
	return call(k, nest.Of(c.depth-2), n, []nest.Arg{left, packed}, fields...), packed, ""
}
