package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// The scan down rows stores results past the caches through a tile: four rows at a time, piece by piece. Memory is read faster
// from several rows by turns than from one after the other.

// piece returns the number of columns of a piece.
func (c *columnScanner) piece() int {
	return c.s.t.ScanTileBytes / kernel.ColumnScanRows / c.s.dtype.Size()
}

// storedRows returns the scan of the rows of w from one on, which are in one chunk. The last rows, fewer than four, are scanned
// one by one.
func (c *columnScanner) storedRows(w *walk, from int, carries bool) (items []nest.Item) {
	rest := w.most[c.s.row] % kernel.ColumnScanRows
	if fours := w.most[c.s.row] - rest; fours > 0 {
		items = append(items, c.pieces(w, from, fours, kernel.ColumnScanRows, carries)...)
		from += fours
	}
	if rest > 0 {
		items = append(items, c.pieces(w, from, rest, 1, carries)...)
	}
	return items
}

// pieces returns the scan of rows, a few of them at a time.
func (c *columnScanner) pieces(w *walk, from, rows, few int, carries bool) []nest.Item {
	piece := w.having(c.s.row, rows).cut(c.s.row, few).cut(c.s.col, c.piece())
	x, y, results := c.s.x.move(c.s.row, from), c.s.y.move(c.s.row, from), c.results.inside(piece)
	k, order, apart := c.rowsKernel(few, carries)
	ins, outs := []view{c.carry, c.run}, []view{c.run}
	for r := range few {
		ins = append(ins, x.move(c.s.row, r))
		if apart {
			outs = append(outs, results.move(c.s.row, r))
		}
	}
	if !apart {
		results = c.run
	}
	cols := piece.size[c.s.col]
	return piece.wrap(w, []nest.Item{
		c.s.call(piece, k, nest.Fixed(1), cols, ordered(order, ins, outs...)),
		c.s.store(piece, nest.Fixed(few), cols, results, y),
	})
}

// rowsKernel returns the kernel that goes down four rows or one. Input i is the carries, the running values or a row as order[i] is 0,
// 1 or more. The first output is the running values. The others are the results; without others the running values are the results.
func (c *columnScanner) rowsKernel(rows int, carries bool) (k *kernel.Kernel, order []int, apart bool) {
	switch {
	case rows == kernel.ColumnScanRows:
		k, order = kernel.RowsKernel(c.s.by, c.s.dtype, carries)
	case carries || c.s.widens():
		k, order = kernel.RowKernel(c.s.by, c.s.dtype)
	default:
		return c.combine, []int{1, 2}, false
	}
	return k, order, true
}
