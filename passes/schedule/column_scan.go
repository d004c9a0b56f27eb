package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// columnScan scans down the rows, vectorized across the columns:
//
//	for each block of columns
//	  each row of the first chunk is combined with the result above it
//	  the last result is the carries
//	  for each other chunk
//	    each row is combined with the running values, and these with the carries
//	    the carries are combined with the running values
//	  columns of a chunk that overflow are scanned again
//
// In order there is one chunk. Where running values are wider than elements they are apart.
//
// Results that are stored past the caches: see column_scan_nontemporal.go.
func columnScan(t *target, s *plan.Step) []offer {
	p, why := newPrefixScan(t, s, false)
	if p == nil {
		return refused(why)
	}
	return []offer{p.offer((*prefixScan).draftColumns)}
}

// draftColumns returns the draft of the scan.
func (p *prefixScan) draftColumns() (*Draft, string) {
	c := newColumnScan(p)
	c.at = newWalk(p.step.Axes).cutAll(c.s.row, c.s.col).cut(c.s.col, c.block)
	c.carry, c.next, c.run = c.carry.inside(c.at), c.next.inside(c.at), c.run.inside(c.at)
	items := c.s.begin(c.at, nest.Fixed(1), c.at.size[c.s.col])
	if c.s.n > 0 {
		items = append(items, c.chunks()...)
	}
	c.s.draft.Parts = []nest.Nest{c.at.part(items)}
	if c.s.carries() || c.s.widens() {
		k, _ := kernel.RowKernel(c.s.by, c.s.dtype)
		return c.s.finish(k)
	}
	return c.s.finish(c.combine)
}

// columnScanner scans down the rows.
type columnScanner struct {
	s           *prefixScan
	combine     *kernel.Kernel // of two rows
	block       int            // columns of a block
	at          *walk          // inside the loops over blocks
	carry, next view           // a row of the carries, and of those behind the present chunk
	run         view           // a row
	results     view           // those that are stored past the caches
	dense       view           // the operand, if packed
	rows        int            // that one call takes
}

func newColumnScan(p *prefixScan) *columnScanner {
	size, rows, cols := p.dtype.Size(), p.step.Axes[p.row].Extent, p.step.Axes[p.col].Extent
	c := &columnScanner{s: p, block: p.t.ScanBytes / size}
	for elems(p.step)/rows < p.t.Workers*c.block && c.block > p.t.ScanBytesLeast/size {
		c.block /= 2
	}
	c.block = min(c.block, cols)
	c.combine = combineKernel(p.by, p.dtype)
	if c.block < c.piece() {
		c.s.nonTemporal = false // short rows would take a call for every few of them
	}
	row := func(d ir.DType) view { return p.local(p.draft.scratch(d, c.block), 0, 1) }
	if p.carries() {
		c.carry, c.next = row(p.wide), row(p.wide)
	}
	if p.carries() || p.widens() || c.s.nonTemporal {
		c.run = row(p.state)
	}
	c.rows = max(1, p.t.CallElems/c.block)
	if c.s.nonTemporal {
		c.results = p.tile(kernel.ColumnScanRows, c.piece())
	}
	if p.packed {
		c.rows = max(1, min(p.n, p.t.PackBytes/(c.block*size)))
		c.dense = p.local(p.draft.scratch(p.dtype, c.rows*c.block), c.block, 1)
	}
	return c
}

// chunks returns the scan of a block of columns.
func (c *columnScanner) chunks() []nest.Item {
	if c.s.widens() {
		return c.laterChunk(c.at.having(c.s.row, c.s.n), 0)
	}
	first := c.s.n
	if c.s.carries() {
		first = min(first, ir.ReduceChunk)
	}
	items, last := c.firstChunk(first)
	if !c.s.carries() {
		return items
	}
	items = append(items, c.s.castRow(c.at, c.at.size[c.s.col], last, c.carry))
	if c.s.rescans && last.slot != c.run.slot {
		items = append(items, c.s.copyRow(c.at, c.s.dtype, c.at.size[c.s.col], last, c.run))
	}
	items = append(items, c.chunkAgain(c.at.having(c.s.row, first), 0, c.s.noCarry, c.carry)...)
	rest := c.s.n % ir.ReduceChunk
	if whole := c.s.n - first - rest; whole > 0 {
		chunk := c.at.having(c.s.row, whole).cut(c.s.row, ir.ReduceChunk)
		later := append(c.laterChunk(chunk, first), c.nextCarry(chunk))
		later = append(later, c.chunkAgain(chunk, first, c.carry, c.next)...)
		later = append(later, c.s.copyRow(chunk, c.s.wide, chunk.size[c.s.col], c.next, c.carry))
		items = append(items, chunk.wrap(c.at, later)...)
	}
	if rest > 0 {
		at := c.at.having(c.s.row, rest)
		items = append(items, c.laterChunk(at, c.s.n-rest)...)
		if c.s.rescans {
			items = append(items, c.nextCarry(at))
			items = append(items, c.chunkAgain(at, c.s.n-rest, c.carry, c.next)...)
		}
	}
	return items
}

// chunkAgain returns the second scan of the columns that overflow in the rows of w from one on.
func (c *columnScanner) chunkAgain(w *walk, from int, before, after view) []nest.Item {
	return c.s.again(w, c.s.col, c.s.row, w.size[c.s.row], nest.Fixed(1), c.s.x.move(c.s.row, from), c.run, before, c.s.y.move(c.s.row, from), after)
}

// start returns the stores of the identity to the running values.
func (c *columnScanner) start(w *walk) nest.Item {
	return c.s.fill(w, c.s.state, nest.Fixed(1), w.size[c.s.col], c.s.identity, c.run)
}

// nextCarry returns the call that combines the carries with the running values.
func (c *columnScanner) nextCarry(w *walk) nest.Item {
	k, order := kernel.NextCarryKernel(c.s.by, c.s.dtype)
	return c.s.call(w, k, nest.Fixed(1), w.size[c.s.col], ordered(order, []view{c.carry, c.run}, c.next))
}

// firstChunk returns the scan of the first rows, and where the last results are.
func (c *columnScanner) firstChunk(rows int) (items []nest.Item, last view) {
	if c.s.nonTemporal {
		return append([]nest.Item{c.start(c.at)}, c.storedRows(c.at.having(c.s.row, rows), 0, false)...), c.run
	}
	cols := c.at.size[c.s.col]
	if c.s.packed {
		items = append(items, c.s.pack(c.at, nest.Fixed(1), cols, c.s.x, c.s.y))
	} else {
		items = append(items, c.s.copyRow(c.at, c.s.dtype, cols, c.s.x, c.s.y))
	}
	if rows > 1 {
		below := c.at.having(c.s.row, rows-1).cut(c.s.row, c.rows)
		items = append(items, below.wrap(c.at, c.combineRows(below))...)
	}
	return items, c.s.y.move(c.s.row, rows-1)
}

// combineRows returns the call that combines rows with the results above them. Kernels compute rows in order.
func (c *columnScanner) combineRows(w *walk) []nest.Item {
	items, x := c.someRows(w, c.s.x.move(c.s.row, 1))
	return append(items, c.s.call(w, c.combine, w.size[c.s.row], w.size[c.s.col], []view{c.s.y, x, c.s.y.move(c.s.row, 1)}))
}

// laterChunk returns the scan of the rows of w from one on, which are in a later chunk or have wider running values.
func (c *columnScanner) laterChunk(w *walk, from int) []nest.Item {
	if c.s.nonTemporal {
		return append([]nest.Item{c.start(w)}, c.storedRows(w, from, !c.s.inOrder)...)
	}
	some := w.cut(c.s.row, c.rows)
	items, x := c.someRows(some, c.s.x.move(c.s.row, from))
	k, order := kernel.RowKernel(c.s.by, c.s.dtype)
	views := ordered(order, []view{c.carry, c.run, x}, c.run, c.s.y.move(c.s.row, from))
	items = append(items, c.s.call(some, k, some.size[c.s.row], some.size[c.s.col], views))
	return append([]nest.Item{c.start(w)}, some.wrap(w, items)...)
}

// someRows returns rows of the operand without gaps, and the call that copies them there if need be.
func (c *columnScanner) someRows(w *walk, x view) ([]nest.Item, view) {
	if !c.s.packed {
		return nil, x
	}
	dense := c.dense.inside(w)
	return []nest.Item{c.s.pack(w, w.size[c.s.row], w.size[c.s.col], x, dense)}, dense
}

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
