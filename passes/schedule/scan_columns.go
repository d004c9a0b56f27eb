package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The scan down the rows, vectorized across the columns.
//
//	for each block of columns:
//	  the first chunk of rows: each is combined with the one above
//	  the carries are its last row
//	  for each other chunk:
//	    for each row: combine it with the running values, these with the carries
//	    combine the carries with the running values

// scanColumns is the strategy.
func scanColumns(t *target, s *plan.Step) (*Draft, string) {
	p, why := newPrefixScan(t, s)
	switch {
	case p == nil:
		return nil, why
	case p.axis != 0:
		return nil, "the columns are scanned"
	}
	c := newColumnScan(p)
	depth := len(p.loops)
	part := nest.Nest{Loops: append(p.loops[:depth:depth], nest.Loop{Extent: nest.Fixed(p.cols), Tile: c.block})}
	move := func(v matrix) matrix { return v.along(depth, 0, c.block) }
	part.Items = p.begin(depth+1, nest.Fixed(1), c.width, move(p.head))
	if p.n > 0 {
		part.Items = append(part.Items, c.columns(depth+1, move(p.x), move(p.y))...)
	}
	p.Parts = []nest.Nest{part}
	compute := c.combine
	if p.n > ir.FoldChunk {
		compute, _ = kernel.RowKernel(p.by, p.dtype)
	}
	return p.finish(compute)
}

// columnScan is a scan down the rows.
type columnScan struct {
	*prefixScan
	block      int       // columns of a block
	width      nest.Size // columns of the present one
	combine    *kernel.Kernel
	carry, run matrix // a row of each
	tile       matrix // the operand, if it is packed; results that are stored past the caches
	tileRows   int
}

func newColumnScan(p *prefixScan) *columnScan {
	size := p.dtype.Size()
	block := p.ScanBytes / size
	for p.elems/p.rows < p.Workers*block && block > p.ScanBytesLeast/size {
		block /= 2
	}
	block = min(block, p.cols)
	c := &columnScan{prefixScan: p, block: block, width: nest.Of(len(p.loops))}
	c.combine, _ = kernel.SingleOp(p.by, ir.Invalid, kernel.Operand{DType: p.dtype}, kernel.Operand{DType: p.dtype})
	if p.Blocks == 0 && block < c.piece() {
		p.nonTemporal = false // short rows take a call for every few of them
	}
	if p.n > ir.FoldChunk || p.nonTemporal {
		c.carry, c.run = p.state(p.wide, block).fixed(), p.state(p.dtype, block).fixed()
	}
	switch {
	case p.nonTemporal:
		c.tile = p.tile(kernel.DownRows, c.piece())
	case p.packed:
		c.tileRows = min(max(1, p.n), max(1, p.PackBytes/(block*size)))
		c.tile = matrix{slot: p.scratch(p.dtype, c.tileRows*block), row: block, col: 1}
	default:
		c.tileRows = max(1, p.CallElems/block)
	}
	return c
}

// columns returns the scan of a block of columns.
func (c *columnScan) columns(depth int, x, y matrix) []nest.Item {
	first := min(c.n, ir.FoldChunk)
	var items []nest.Item
	last := y.at(first-1, 0)
	if c.nonTemporal {
		last = c.run
		items = append(items, c.start(depth))
		items = append(items, c.fours(depth, first, x, y, false)...)
	} else {
		items = append(items, c.firstChunk(depth, first, x, y)...)
	}
	if c.n == first {
		return items
	}
	items = append(items, c.firstCarry(depth, last))
	whole, rest := (c.n-first)/ir.FoldChunk, c.n%ir.FoldChunk
	x, y = x.at(first, 0), y.at(first, 0)
	if whole > 0 {
		chunks := []nest.Loop{{Extent: nest.Fixed(whole), Tile: 1}}
		later := c.laterChunk(depth+1, ir.FoldChunk, x.along(depth, ir.FoldChunk, 0), y.along(depth, ir.FoldChunk, 0))
		items = append(items, inner(chunks, append(later, c.nextCarry(depth+1))...))
	}
	if rest > 0 {
		items = append(items, c.laterChunk(depth, rest, x.at(whole*ir.FoldChunk, 0), y.at(whole*ir.FoldChunk, 0))...)
	}
	return items
}

// start returns the stores of the identity to the running values.
func (c *columnScan) start(depth int) nest.Item {
	return c.fill(depth, c.dtype, nest.Fixed(1), c.width, c.identity, c.run)
}

// firstCarry returns what makes the last row of the first chunk the carries.
func (c *columnScan) firstCarry(depth int, last matrix) nest.Item {
	if c.wide == c.dtype {
		return c.copyRow(depth, c.dtype, c.width, last, c.carry)
	}
	return c.elementwise(depth, ir.OpCast, c.wide, []kernel.Operand{{DType: c.dtype}}, nest.Fixed(1), c.width, last, c.carry)
}

// nextCarry returns what combines the carries with the running values.
func (c *columnScan) nextCarry(depth int) nest.Item {
	b := kernel.NewBuilder(kernel.Operand{DType: c.wide}, kernel.Operand{DType: c.dtype})
	run := kernel.Ref(1)
	if c.wide != c.dtype {
		run = b.Cast(c.wide, run)
	}
	b.Store(b.Op(c.by, 0, run))
	k, order := b.Kernel().Canonical()
	return c.call(depth, k, nest.Fixed(1), c.width, ordered(order, []matrix{c.carry, c.run}, c.carry))
}

// firstChunk returns the scan of the first rows: each is the result above it combined
// with its own elements.
func (c *columnScan) firstChunk(depth, rows int, x, y matrix) []nest.Item {
	first := c.copyRow
	if c.packed {
		first = func(depth int, _ ir.DType, cols nest.Size, from, to matrix) nest.Item {
			return c.pack(depth, nest.Fixed(1), cols, from, to)
		}
	}
	all := []nest.Item{first(depth, c.dtype, c.width, x, y)}
	if rows == 1 {
		return all
	}
	above := y.along(depth, c.tileRows, 0)
	y = y.at(1, 0).along(depth, c.tileRows, 0)
	items, from := c.someRows(depth+1, nest.Of(depth), x.at(1, 0).along(depth, c.tileRows, 0))
	height, width := nest.Of(depth), c.width
	if dense := c.block == c.cols && from.row == c.cols && y.row == c.cols; dense && c.cols >= c.ScanDenseCols {
		height, width = nest.Fixed(1), nest.Size{Loop: depth, N: c.cols}
	}
	items = append(items, c.call(depth+1, c.combine, height, width, []matrix{above, from, y}))
	return append(all, inner([]nest.Loop{{Extent: nest.Fixed(rows - 1), Tile: c.tileRows}}, items...))
}

// laterChunk returns the scan of rows of another chunk, whose running values are apart
// from the results.
func (c *columnScan) laterChunk(depth, rows int, x, y matrix) []nest.Item {
	if c.nonTemporal {
		return append([]nest.Item{c.start(depth)}, c.fours(depth, rows, x, y, true)...)
	}
	items, from := c.someRows(depth+1, nest.Of(depth), x.along(depth, c.tileRows, 0))
	k, order := kernel.RowKernel(c.by, c.dtype)
	views := ordered(order, []matrix{c.carry, c.run, from}, c.run, y.along(depth, c.tileRows, 0))
	items = append(items, c.call(depth+1, k, nest.Of(depth), c.width, views))
	return []nest.Item{c.start(depth), inner([]nest.Loop{{Extent: nest.Fixed(rows), Tile: c.tileRows}}, items...)}
}

// someRows returns where rows of the operand are contiguous, and the call that brings
// them there, if it is not where they are.
func (c *columnScan) someRows(depth int, rows nest.Size, x matrix) ([]nest.Item, matrix) {
	if !c.packed {
		return nil, x
	}
	return []nest.Item{c.pack(depth, rows, c.width, x, c.tile)}, c.tile
}
