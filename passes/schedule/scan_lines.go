package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// scanLines scans along the columns, several rows side by side:
//
//	for each block of rows
//	  for each eight of them
//	    scan the first chunk, from the identity and no carry
//	    for each other chunk
//	      scan it, from the identity and the carry, which becomes the next one's
//
// Results that are stored past the caches are first in a tile, some columns at a time.
var scanLines = strategy{name: "line-scan", offer: offerLineScans}

func offerLineScans(t *target, s *plan.Step) (offer, string) {
	p, why := newPrefixScan(t, s, true)
	switch {
	case p == nil:
		return offer{}, why
	case p.fewLines():
		return offer{}, "the lines are few: the chunks of one are scanned side by side"
	}
	return p.offer(p.draftLines), ""
}

// draftLines returns the draft of the scan.
func (p *prefixScan) draftLines() (*Draft, string) {
	rows := p.step.Axes[p.row].Extent
	l := newLineScan(p, rows)
	rest := rows % p.ScanRows
	if rest >= p.ScanRows/2 || p.n < 2*ir.ReduceChunk {
		rest = 0
	}
	p.Parts = append(p.Parts, l.part(rows-rest))
	if rest > 0 { // side by side they would leave much of a vector unused
		p.Parts = append(p.Parts, newLongScan(p).part(rows-rest, rest))
	}
	return p.finish(scanRows(p.by, p.dtype, p.n > ir.ReduceChunk))
}

// fewLines reports whether the chunks of one line are rather scanned side by side: they
// are many, and lines side by side would leave a vector or a goroutine unused.
func (p *prefixScan) fewLines() bool {
	rows, cols := p.step.Axes[p.row].Extent, p.step.Axes[p.col].Extent
	few := elems(p.step)/cols < 2*p.ScanRows*p.Workers
	if few && p.Workers > 1 && !p.inGroup && p.n >= p.ScanRows*ir.ReduceChunk {
		return true
	}
	return rows < p.ScanRows/2 && p.n >= 2*ir.ReduceChunk
}

// lineScan scans lines side by side.
type lineScan struct {
	*prefixScan
	side             int  // lines
	block            int  // lines of a block
	run, carry, next view // their states; next is the carry behind the present chunk
	results          view // those that are stored past the caches
	dense            view // the operand, if packed
}

func newLineScan(p *prefixScan, rows int) *lineScan {
	l := &lineScan{prefixScan: p, side: min(p.ScanRows, rows)}
	l.block = max(p.ScanRows, p.mostElems(p.step)/p.step.Axes[p.col].Extent/p.ScanRows*p.ScanRows)
	l.run = l.states(l.dtype)
	if l.n > ir.ReduceChunk {
		l.carry = l.states(l.wide)
	}
	if l.nonTemporal {
		l.next, l.results = l.states(l.wide), l.tile(l.side, l.piece())
	}
	if l.packed {
		l.dense = l.tile(l.side, min(l.n, ir.ReduceChunk))
	}
	return l
}

// states reserves an element for each line.
func (l *lineScan) states(d ir.DType) view { return l.local(l.scratch(d, l.side), 1, 0) }

// piece returns how many columns are stored past the caches at a time.
func (l *lineScan) piece() int {
	return min(ir.ReduceChunk, l.NonTemporalBytes/l.ScanRows/l.dtype.Size())
}

// part returns the scan of the first rows.
func (l *lineScan) part(rows int) nest.Nest {
	block := newWalk(l.step.Axes).only(l.row, rows).cutAll(l.row, l.col).cut(l.row, l.block)
	side := block.cut(l.row, l.side)
	items := l.begin(block, block.size[l.row], nest.Fixed(1))
	if l.n > 0 {
		items = append(items, side.wrap(block, l.lines(side))...)
	}
	return block.part(items)
}

// lines returns the scan of lines side by side.
func (l *lineScan) lines(side *walk) []nest.Item {
	l.run, l.carry, l.next = l.run.inside(side), l.carry.inside(side), l.next.inside(side)
	first := min(l.n, ir.ReduceChunk)
	items := l.chunk(side.only(l.col, first), l.x, l.y, l.noCarry)
	if l.n == first {
		return items
	}
	chunk := side.only(l.col, l.n-first).cut(l.col, ir.ReduceChunk)
	return append(items, chunk.wrap(side, l.chunk(chunk, l.x.move(l.col, first), l.y.move(l.col, first), l.carry))...)
}

// chunk returns the scan of a chunk of each line. It reads the carries where it is told
// and leaves the next ones in l.carry.
func (l *lineScan) chunk(w *walk, x, y, carry view) (items []nest.Item) {
	if l.packed {
		dense := l.dense.inside(w)
		items, x = append(items, l.pack(w, w.size[l.row], w.size[l.col], x, dense)), dense
	}
	if !l.nonTemporal {
		return append(items, l.columns(w, x, y, l.identity, carry, l.carry))
	}
	states := w.size[l.row]
	piece := w.cut(l.col, l.piece())
	results := l.results.inside(piece)
	items = append(items, l.fill(w, l.dtype, states, nest.Fixed(1), l.identity, l.run))
	items = append(items, piece.wrap(w, []nest.Item{
		l.columns(piece, x, results, l.run, carry, l.next),
		l.store(piece, states, piece.size[l.col], results, y),
	})...)
	if l.n > ir.ReduceChunk {
		items = append(items, l.copyRow(w, l.wide, states, l.next, l.carry))
	}
	return items
}

// columns returns the scan of some columns of a chunk, from running values on.
func (l *lineScan) columns(w *walk, x, y, run, carry, next view) nest.Item {
	rows, cols := w.size[l.row], w.size[l.col]
	if l.n <= ir.ReduceChunk {
		return l.scan(w, l.dtype, rows, cols, x, run, y, l.run)
	}
	k := scanRows(l.by, l.dtype, true)
	return l.call(w, k, rows, cols, []view{x, run, carry, y, l.run, next})
}
