package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The scan of few long lines: eight chunks of one line are scanned side by side, whose
// carries are known when their running values are.
//
//	for each line:
//	  for each eight chunks:
//	    scan them apart: a tile of running values, and the last one of each
//	    scan the last ones from the carry on: the carries of these chunks and the next
//	    combine each row of the tile with its carry

// scanLine is the strategy.
func scanLine(t *target, s *plan.Step) (*Draft, string) {
	p, why := newPrefixScan(t, s)
	switch {
	case p == nil:
		return nil, why
	case p.axis != 1:
		return nil, "the rows are scanned"
	case !p.fewLines():
		return nil, "the lines are many, or of few chunks: they are scanned side by side"
	}
	p.Parts = []nest.Nest{newLongScan(p).part(0, p.rows)}
	return p.finish(kernel.ScanKernel(p.by, p.dtype, false))
}

// longScan is a scan of one line after the other.
type longScan struct {
	*prefixScan
	side        int    // chunks side by side
	run, last   matrix // the last running value of each, of the elements' type and as carries are
	carry, next matrix // the carry of each, and of the chunk behind them
	tile, dense matrix // running values; the operand, if it is packed
}

func newLongScan(p *prefixScan) *longScan {
	side := min(p.ScanRows, ir.Chunks(p.n))
	l := &longScan{prefixScan: p, side: side, run: p.state(p.dtype, side), carry: p.state(p.wide, side+1), next: p.state(p.wide, 1)}
	l.tile = p.tile(side, ir.FoldChunk)
	if l.last = l.run; p.wide != p.dtype {
		l.last = p.state(p.wide, side)
	}
	if p.packed {
		l.dense = p.tile(side, ir.FoldChunk)
	}
	return l
}

// part returns the scan of so many rows, from one on.
func (l *longScan) part(from, rows int) nest.Nest {
	depth := len(l.loops)
	move := func(v matrix) matrix { return v.at(from, 0).along(depth, 1, 0) }
	part := nest.Nest{Loops: append(l.loops[:depth:depth], nest.Loop{Extent: nest.Fixed(rows), Tile: 1})}
	part.Items = append(l.begin(depth+1, nest.Fixed(1), nest.Fixed(1), move(l.head)),
		l.line(depth+1, chunked(move(l.x)), chunked(move(l.y)))...)
	return part
}

// chunked returns the matrix of a line whose rows are its chunks.
func chunked(v matrix) matrix {
	v.row = v.col * ir.FoldChunk
	return v
}

// line returns the scan of a line.
func (l *longScan) line(depth int, x, y matrix) []nest.Item {
	whole, rest := l.n/ir.FoldChunk, l.n%ir.FoldChunk
	items := []nest.Item{
		l.copyRow(depth, l.wide, nest.Fixed(1), l.noCarry, l.carry),
		inner([]nest.Loop{{Extent: nest.Fixed(whole), Tile: l.side}},
			l.chunks(depth+1, nest.Of(depth), nest.Fixed(ir.FoldChunk), x.along(depth, l.side, 0), y.along(depth, l.side, 0))...),
	}
	if rest > 0 {
		items = append(items, l.chunks(depth, nest.Fixed(1), nest.Fixed(rest), x.at(whole, 0), y.at(whole, 0))...)
	}
	return items
}

// chunks returns the scan of chunks side by side.
func (l *longScan) chunks(depth int, rows, cols nest.Size, x, y matrix) (items []nest.Item) {
	if l.packed {
		items = append(items, l.pack(depth, rows, cols, x, l.dense))
		x = l.dense
	}
	one := nest.Fixed(1)
	items = append(items, l.scanAlone(depth, l.dtype, rows, cols, x, l.identity, l.tile, l.run))
	if l.wide != l.dtype {
		items = append(items, l.elementwise(depth, ir.OpCast, l.wide, []kernel.Operand{{DType: l.dtype}}, one, rows, l.run, l.last))
	}
	items = append(items, l.scanAlone(depth, l.wide, one, rows, l.last, l.carry, l.carry.at(1, 0), l.next))
	to := y
	if l.nonTemporal {
		to = l.tile
	}
	k, order := kernel.CarryKernel(l.by, l.dtype)
	items = append(items, l.call(depth, k, rows, cols, ordered(order, []matrix{l.carry, l.tile}, to)))
	if l.nonTemporal {
		items = append(items, l.store(depth, rows, cols, l.tile, y))
	}
	return append(items, l.copyRow(depth, l.wide, one, l.next, l.carry))
}
