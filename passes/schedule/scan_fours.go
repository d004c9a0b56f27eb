package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// The scan down rows whose results are stored past the caches: four rows at a time,
// piece by piece, into a tile. Memory is read faster from several rows by turns than
// from one after the other.

// piece returns how many columns a piece has.
func (c *columnScan) piece() int { return c.NonTemporalBytes / kernel.DownRows / c.dtype.Size() }

// fours returns the scan of rows of one chunk, with or without carries. The last ones,
// fewer than four, are scanned one by one.
func (c *columnScan) fours(depth, rows int, x, y matrix, carries bool) (items []nest.Item) {
	whole := rows - rows%kernel.DownRows
	if whole > 0 {
		items = append(items, c.pieces(depth, whole, kernel.DownRows, x, y, carries))
	}
	if whole < rows {
		items = append(items, c.pieces(depth, rows-whole, 1, x.at(whole, 0), y.at(whole, 0), carries))
	}
	return items
}

// pieces returns the scan of rows, tall ones at a time.
func (c *columnScan) pieces(depth, rows, tall int, x, y matrix, carries bool) nest.Item {
	wide := c.piece()
	move := func(v matrix) matrix { return v.along(depth, tall, 0).along(depth+1, 0, wide) }
	x, y = move(x), move(y)
	carry, run := c.carry.along(depth+1, 0, wide), c.run.along(depth+1, 0, wide)
	cols := nest.Of(depth + 1)
	k, order, results := c.rowsKernel(tall, carries)
	ins, outs := []matrix{carry, run}, []matrix{run}
	for r := range tall {
		ins = append(ins, x.at(r, 0))
		if results {
			outs = append(outs, c.tile.at(r, 0))
		}
	}
	from := c.tile
	if !results {
		from = run
	}
	loops := []nest.Loop{{Extent: nest.Fixed(rows), Tile: tall}, {Extent: c.width, Tile: wide}}
	return inner(loops,
		c.call(depth+2, k, nest.Fixed(1), cols, ordered(order, ins, outs...)),
		c.store(depth+2, nest.Fixed(tall), cols, from, y))
}

// rowsKernel returns the kernel that goes down so many rows, four or one. Input i is
// the carries, the running values or a row as order[i] is 0, 1 or from 2 on. The first
// output is the running values; the results are the others, if there are some.
func (c *columnScan) rowsKernel(rows int, carries bool) (k *kernel.Kernel, order []int, results bool) {
	switch {
	case rows == kernel.DownRows:
		k, order = kernel.RowsKernel(c.by, c.dtype, carries)
	case carries:
		k, order = kernel.RowKernel(c.by, c.dtype)
	default:
		return c.combine, []int{1, 2}, false
	}
	return k, order, true
}
