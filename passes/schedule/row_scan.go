package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// rowScan scans along the columns, several rows side by side:
//
//	for each block of rows
//	  for each eight of them
//	    scan the first chunk, from the identity and no carry
//	    for each other chunk
//	      scan it, from the identity and the carry, which becomes the next one's
//	    rows of a chunk that overflow are scanned again
//
// In order, the running values go on from chunk to chunk. Some results go through a tile first, some columns at a time: those
// that are stored past the caches, and those that share the cache's sets with the elements. If rows are few, or some are left
// over, chunks of one row are scanned side by side: see row_scan_chunks.go.
//
// Option transposed scans a block of short rows as columns. Option parallel scans one long row by all goroutines.
func rowScan(t *target, s *plan.Step) []offer {
	p, why := newPrefixScan(t, s, true)
	if p == nil {
		return refused(why)
	}
	return []offer{optional("parallel", p.parallel), optional("transposed", p.transposed), p.offer((*prefixScan).draftRows)}
}

// draftRows returns the draft of the scan.
func (p *prefixScan) draftRows() (*Draft, string) {
	rows := p.step.Axes[p.row].Extent
	rest := rows % p.t.ScanRows
	switch {
	case p.fewLines():
		rest = rows
	case rest >= p.t.ScanRows/2 || p.t.InPlace || p.n < 2*ir.ReduceChunk || p.inOrder: // side by side they leave little of a vector unused
		rest = 0
	}
	scan := scanRows(p.by, p.dtype, false)
	if rest < rows {
		scan = scanRows(p.by, p.dtype, p.carries())
		p.draft.Parts = append(p.draft.Parts, newLineScan(p, rows).part(rows-rest))
	}
	if rest > 0 {
		p.draft.Parts = append(p.draft.Parts, newLongScan(p).part(rows-rest, rest))
	}
	return p.finish(scan)
}

// fewLines reports whether chunks of one line are scanned side by side: a line has many, and lines side by side would leave a
// vector or a goroutine unused.
func (p *prefixScan) fewLines() bool {
	if p.inOrder {
		return false
	}
	rows, cols := p.step.Axes[p.row].Extent, p.step.Axes[p.col].Extent
	few := elems(p.step)/cols < 2*p.t.ScanRows*p.t.Workers
	if few && p.t.Workers > 1 && !p.t.inGroup && p.n >= p.t.ScanRows*ir.ReduceChunk {
		return true
	}
	return rows < p.t.ScanRows/2 && p.n >= 2*ir.ReduceChunk
}

// lineScan scans lines side by side.
type lineScan struct {
	s                *prefixScan
	side             int  // lines
	block            int  // lines of a block
	run, carry, next view // their states; next is the carry behind the present chunk
	results          view // a tile
	dense            view // the operand, if packed
}

func newLineScan(p *prefixScan, rows int) *lineScan {
	l := &lineScan{s: p, side: min(p.t.ScanRows, rows)}
	l.block = max(p.t.ScanRows, p.t.mostElems(p.step)/p.step.Axes[p.col].Extent/p.t.ScanRows*p.t.ScanRows)
	l.run = l.states(l.s.state)
	if l.s.carries() {
		l.carry, l.next = l.states(l.s.wide), l.states(l.s.wide)
	}
	switch {
	case l.storesBehind():
		l.results = l.s.tile(l.side, ir.ReduceChunk)
	case l.tiled():
		l.results = l.s.tile(l.side, l.piece())
	}
	if l.s.packed {
		l.dense = l.s.tile(l.side, min(l.s.n, ir.ReduceChunk))
	}
	return l
}

// storesBehind reports whether the results of a chunk go through a tile until all of it has been read: in place they overwrite
// elements that may be scanned again.
func (l *lineScan) storesBehind() bool { return l.s.t.InPlace && l.s.rescans }

// tiled reports whether results go through a tile: those stored past the caches, and those of lines that are all in the same
// few sets of the first-level cache. The elements are in these sets then too, as large arrays begin at one offset in a page.
func (l *lineScan) tiled() bool {
	row, read := l.s.y.strides[l.s.row]*l.s.dtype.Size(), l.s.x.strides[l.s.row]*l.s.dtype.Size()
	sharesSets := row > l.s.t.WayBytes/2 && (row+cacheLine/2)%l.s.t.WayBytes < cacheLine
	return l.s.nonTemporal || !l.storesBehind() && row == read && sharesSets
}

// states reserves an element for each line.
func (l *lineScan) states(d ir.DType) view { return l.s.local(l.s.draft.scratch(d, l.side), 1, 0) }

// piece returns the number of columns of a tile of results that is stored piece by piece.
func (l *lineScan) piece() int {
	return min(ir.ReduceChunk, l.s.t.ScanTileBytes/l.s.t.ScanRows/l.s.dtype.Size())
}

// part returns the scan of the first rows.
func (l *lineScan) part(rows int) nest.Nest {
	block := newWalk(l.s.step.Axes).having(l.s.row, rows).cutAll(l.s.row, l.s.col).cut(l.s.row, l.block)
	side := block.cut(l.s.row, l.side)
	items := l.s.begin(block, block.size[l.s.row], nest.Fixed(1))
	if l.s.n > 0 {
		items = append(items, side.wrap(block, l.lines(side))...)
	}
	return block.part(items)
}

// lines returns the scan of lines side by side.
func (l *lineScan) lines(side *walk) []nest.Item {
	l.run, l.carry, l.next = l.run.inside(side), l.carry.inside(side), l.next.inside(side)
	first := min(l.s.n, ir.ReduceChunk)
	items := []nest.Item(nil)
	switch {
	case l.s.n == first || !l.s.t.InPlace:
		items = l.chunk(side.having(l.s.col, first), 0, true)
	case l.s.inOrder: // in place one loop has all reads and stores
		items, first = append(items, l.s.fill(side, l.s.state, side.size[l.s.row], nest.Fixed(1), l.s.identity, l.run)), 0
	default:
		items, first = append(items, l.s.fill(side, l.s.wide, side.size[l.s.row], nest.Fixed(1), l.s.noCarry, l.carry)), 0
	}
	if l.s.n == first {
		return items
	}
	chunk := side.having(l.s.col, l.s.n-first).cut(l.s.col, ir.ReduceChunk)
	return append(items, chunk.wrap(side, l.chunk(chunk, first, false))...)
}

// chunk returns the scan of a chunk of each line, from column number from on: the first chunk, or one that begins with the
// carries. It leaves the next carries in l.carry.
func (l *lineScan) chunk(w *walk, from int, first bool) (items []nest.Item) {
	x, y, run, carry := l.s.x.move(l.s.col, from), l.s.y.move(l.s.col, from), l.s.identity, l.s.noCarry
	switch {
	case !first && l.s.inOrder:
		run = l.run
	case !first:
		carry = l.carry
	}
	states, read, to := w.size[l.s.row], x, y
	if l.storesBehind() {
		y = l.results.inside(w)
	}
	if l.s.packed {
		dense := l.dense.inside(w)
		items, read = append(items, l.s.pack(w, states, w.size[l.s.col], x, dense)), dense
	}
	if l.tiled() {
		if run.slot == l.s.identity.slot {
			items = append(items, l.s.fill(w, l.s.state, states, nest.Fixed(1), l.s.identity, l.run))
		}
		piece := w.cut(l.s.col, l.piece())
		results := l.results.inside(piece)
		items = append(items, piece.wrap(w, []nest.Item{
			l.columns(piece, read, results, l.run, carry),
			l.s.store(piece, states, piece.size[l.s.col], results, y),
		})...)
	} else {
		items = append(items, l.columns(w, read, y, run, carry))
	}
	if !l.s.carries() {
		return items
	}
	items = append(items, l.s.again(w, l.s.row, l.s.col, w.size[l.s.col], nest.Fixed(1), x, l.run, carry, y, l.next)...)
	if l.storesBehind() {
		items = append(items, l.s.call(w, copyKernel(l.s.dtype, false), states, w.size[l.s.col], []view{y, to}))
	}
	return append(items, l.s.copyRow(w, l.s.wide, states, l.next, l.carry))
}

// columns returns the scan of some columns of a chunk, from running values on. It leaves the next ones in l.run, and the next
// carries in l.next.
func (l *lineScan) columns(w *walk, x, y, run, carry view) nest.Item {
	rows, cols := w.size[l.s.row], w.size[l.s.col]
	if !l.s.carries() {
		return l.s.scan(w, l.s.dtype, rows, cols, x, run, y, l.run)
	}
	k := scanRows(l.s.by, l.s.dtype, true)
	return l.s.call(w, k, rows, cols, []view{x, run, carry, y, l.run, l.next})
}
