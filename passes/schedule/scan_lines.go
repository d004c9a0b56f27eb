package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The scan of many lines: the columns are scanned, eight rows side by side, one chunk
// after the other. Results that are stored past the caches are first in a tile, a few
// columns at a time.
//
//	for each block of rows, for each eight of them:
//	  scan the first chunk: from the identity and no carry
//	  for each other chunk:
//	    scan it: from the identity and the carry, which becomes the next one's

// scanLines is the strategy.
func scanLines(t *target, s *plan.Step) (*Draft, string) {
	p, why := newPrefixScan(t, s)
	switch {
	case p == nil:
		return nil, why
	case p.axis != 1:
		return nil, "the rows are scanned"
	case p.fewLines():
		return nil, "the lines are few: their chunks are scanned side by side"
	}
	l := &lineScan{prefixScan: p, side: min(t.ScanRows, p.rows)}
	l.reserve()
	rest := p.rows % t.ScanRows // which would leave much of a vector unused
	if rest >= t.ScanRows/2 || p.n < 2*ir.FoldChunk {
		rest = 0
	}
	p.Parts = append(p.Parts, l.part(p.rows-rest))
	if rest > 0 {
		p.Parts = append(p.Parts, newLongScan(p).part(p.rows-rest, rest))
	}
	return p.finish(kernel.ScanKernel(p.by, p.dtype, p.n > ir.FoldChunk))
}

// blockRows returns how many rows a block has: whole lines, a multiple of those that
// are scanned side by side.
func (p *prefixScan) blockRows() int {
	rows := p.mostElems(p.step) / p.cols
	return min(p.rows, max(p.ScanRows, rows/p.ScanRows*p.ScanRows))
}

// fewLines reports whether the chunks of one line are rather scanned side by side:
// there are chunks enough, and lines side by side would leave a vector or a worker
// unused.
func (p *prefixScan) fewLines() bool {
	lines := p.elems / p.cols
	if p.n >= p.ScanRows*ir.FoldChunk && p.Workers > 1 && !p.inGroup && lines < 2*p.ScanRows*p.Workers {
		return true
	}
	return p.n >= 2*ir.FoldChunk && p.rows < p.ScanRows/2
}

// lineScan is a scan of lines side by side.
type lineScan struct {
	*prefixScan
	side             int    // lines side by side
	run, carry, next matrix // of each of them: next is the carry behind the present chunk
	tile             matrix // of results that are stored past the caches
	dense            matrix // the operand, if it is packed
}

// reserve gives the states and tiles their memory.
func (l *lineScan) reserve() {
	l.run = l.state(l.dtype, l.side)
	if l.n > ir.FoldChunk {
		l.carry = l.state(l.wide, l.side)
	}
	if l.nonTemporal {
		l.next = l.state(l.wide, l.side)
		l.tile = l.prefixScan.tile(l.side, l.piece())
	}
	if l.packed {
		l.dense = l.prefixScan.tile(l.side, min(l.n, ir.FoldChunk))
	}
}

// piece returns how many columns are stored past the caches at a time.
func (l *lineScan) piece() int {
	return min(ir.FoldChunk, l.NonTemporalBytes/l.ScanRows/l.dtype.Size())
}

// part returns the scan of the first rows.
func (l *lineScan) part(rows int) nest.Nest {
	block, depth := min(l.blockRows(), rows), len(l.loops)
	blocks := nest.Loop{Extent: nest.Fixed(rows), Tile: block}
	sides := nest.Loop{Extent: nest.Of(depth), Tile: l.side}
	move := func(v matrix) matrix { return v.along(depth, block, 0).along(depth+1, l.side, 0) }
	part := nest.Nest{Loops: append(l.loops[:depth:depth], blocks)}
	part.Items = append(l.begin(depth+1, nest.Of(depth), nest.Fixed(1), l.head.along(depth, block, 0)),
		inner([]nest.Loop{sides}, l.lines(depth+2, nest.Of(depth+1), move(l.x), move(l.y))...))
	if l.n == 0 {
		part.Items = part.Items[:1]
	}
	return part
}

// lines returns the scan of lines side by side.
func (l *lineScan) lines(depth int, rows nest.Size, x, y matrix) []nest.Item {
	if l.n <= ir.FoldChunk {
		return l.chunk(depth, rows, nest.Fixed(l.n), x, y, l.noCarry)
	}
	items := l.chunk(depth, rows, nest.Fixed(ir.FoldChunk), x, y, l.noCarry)
	x, y = x.at(0, ir.FoldChunk).along(depth, 0, ir.FoldChunk), y.at(0, ir.FoldChunk).along(depth, 0, ir.FoldChunk)
	chunks := nest.Loop{Extent: nest.Fixed(l.n - ir.FoldChunk), Tile: ir.FoldChunk}
	return append(items, inner([]nest.Loop{chunks}, l.chunk(depth+1, rows, nest.Of(depth), x, y, l.carry)...))
}

// chunk returns the scan of one chunk of each line, whose carries come from where it is
// said, and go to l.carry.
func (l *lineScan) chunk(depth int, rows, cols nest.Size, x, y, carry matrix) (items []nest.Item) {
	if l.packed {
		items = append(items, l.pack(depth, rows, cols, x, l.dense))
		x = l.dense
	}
	if !l.nonTemporal {
		return append(items, l.some(depth, rows, cols, x, y, l.identity, carry, l.carry))
	}
	wide := l.piece()
	x, y = x.along(depth, 0, wide), y.along(depth, 0, wide)
	items = append(items,
		l.fill(depth, l.dtype, nest.Fixed(1), rows, l.identity, l.run),
		inner([]nest.Loop{{Extent: cols, Tile: wide}},
			l.some(depth+1, rows, nest.Of(depth), x, l.tile, l.run, carry, l.next),
			l.store(depth+1, rows, nest.Of(depth), l.tile, y)))
	if l.n > ir.FoldChunk {
		items = append(items, l.copyRow(depth, l.wide, rows, l.next, l.carry))
	}
	return items
}

// some returns the scan of some columns of a chunk.
func (l *lineScan) some(depth int, rows, cols nest.Size, x, y, run, carry, next matrix) nest.Item {
	if l.n <= ir.FoldChunk {
		return l.scanAlone(depth, l.dtype, rows, cols, x, run, y, l.run)
	}
	return l.scan(depth, rows, cols, x, run, carry, y, l.run, next)
}
