package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// longScan scans along the columns, one row after the other, several chunks of it side by side. Their carries follow from their
// last running values:
//
//	for each row
//	  for each eight chunks
//	    scan them apart: a tile of running values, and the last ones of each
//	    scan the last ones, from the carry on: the carries of the chunks behind
//	    combine each chunk of the tile with its carry
//	    if one overflows, scan all of them again
//
// Its step has one axis more: the rows of a line, which are its chunks.
type longScan struct {
	s           *prefixScan
	line        int  // axis
	side        int  // chunks
	run, last   view // the last running values of chunks, of their type and as carries are
	carry, next view // the carries of chunks, and of the one behind them
	results     view // a tile
	dense       view // the operand, if packed
}

func newLongScan(p *prefixScan) *longScan {
	l := &longScan{s: chunkedLines(p), line: p.row, side: min(p.t.ScanRows, ir.Chunks(p.n))}
	row := func(d ir.DType, n int) view { return l.s.local(l.s.draft.scratch(d, n), 1, 1) }
	l.run, l.carry, l.next = row(l.s.dtype, l.side), row(l.s.wide, l.side+1), row(l.s.wide, 1)
	if l.s.wide != l.s.dtype {
		l.last = row(l.s.wide, l.side)
	}
	l.results = l.s.tile(l.side, ir.ReduceChunk)
	if l.s.packed {
		l.dense = l.s.tile(l.side, ir.ReduceChunk)
	}
	return l
}

// chunkedLines returns the scan with the chunks of lines as rows.
func chunkedLines(p *prefixScan) *prefixScan {
	c, step := *p, *p.step
	c.row, c.col, c.step = p.row+1, p.col+1, &step
	c.x, c.y, c.head = chunked(p.x), chunked(p.y), chunked(p.head)
	step.Axes = slices.Concat(p.step.Axes[:p.col], newAxes(p.n/ir.ReduceChunk, ir.ReduceChunk))
	if c.packed { // chunks are far apart
		c.in.class = strided
	}
	c.identity, c.noCarry = c.local(p.identity.slot, 0, 0), c.local(p.noCarry.slot, 0, 0)
	return &c
}

// chunked returns a view with one more axis before the columns: their chunks.
func chunked(v view) view {
	last := len(v.strides) - 1
	v.strides = slices.Insert(slices.Clone(v.strides), last, v.strides[last]*ir.ReduceChunk)
	return v
}

// scanChunks returns the scan of the chunks at a place without carries: running values, and the last of each chunk. dense is
// memory for a copy of x, if packed.
func (p *prefixScan) scanChunks(w *walk, x, dense, runs, lasts view) (items []nest.Item) {
	rows, cols := w.size[p.row], w.size[p.col]
	if p.packed {
		dense = dense.inside(w)
		items, x = append(items, p.pack(w, rows, cols, x, dense)), dense
	}
	return append(items, p.scan(w, p.dtype, rows, cols, x, p.identity, runs, lasts))
}

// scanLasts returns the scan of the last running values of n chunks, from the carry before the first on: the other carries, and
// the next one. wide is memory for the values as carries are.
func (p *prefixScan) scanLasts(w *walk, n nest.Size, lasts, wide, carry, next view) (items []nest.Item) {
	if p.wide != p.dtype {
		wide = wide.inside(w)
		items, lasts = append(items, p.castRow(w, n, lasts, wide)), wide
	}
	return append(items, p.scan(w, p.wide, nest.Fixed(1), n, lasts, carry, carry.move(p.row, 1), next))
}

// combineChunks returns the calls that combine running values with the carries of their chunks. Results that are stored past
// the caches go through a tile.
func (p *prefixScan) combineChunks(w *walk, carry, runs, tile, y view) []nest.Item {
	rows, cols, to := w.size[p.row], w.size[p.col], y
	if p.nonTemporal {
		to = tile
	}
	k, order := kernel.CarryKernel(p.by, p.dtype)
	items := []nest.Item{p.call(w, k, rows, cols, ordered(order, []view{carry, runs}, to))}
	if p.nonTemporal {
		items = append(items, p.store(w, rows, cols, tile, y))
	}
	return items
}

// part returns the scan of so many rows, from one on.
func (l *longScan) part(from, rows int) nest.Nest {
	for _, v := range []*view{&l.s.x, &l.s.y, &l.s.head} {
		*v = v.move(l.line, from)
	}
	one := newWalk(l.s.step.Axes).having(l.line, rows).cutAll(l.s.row, l.s.col)
	items := l.s.begin(one, nest.Fixed(1), nest.Fixed(1))
	items = append(items, l.s.copyRow(one, l.s.wide, nest.Fixed(1), l.s.noCarry, l.carry.inside(one)))
	whole, rest := l.s.n/ir.ReduceChunk, l.s.n%ir.ReduceChunk
	chunks := one.cut(l.s.row, l.side)
	items = append(items, chunks.wrap(one, l.chunks(chunks, l.s.x, l.s.y))...)
	if rest > 0 {
		chunk := one.having(l.s.row, 1).having(l.s.col, rest)
		items = append(items, l.chunks(chunk, l.s.x.move(l.s.row, whole), l.s.y.move(l.s.row, whole))...)
	}
	return one.part(items)
}

// chunks returns the scan of some chunks of a line.
func (l *longScan) chunks(w *walk, x, y view) (items []nest.Item) {
	rows, cols, one := w.size[l.s.row], w.size[l.s.col], nest.Fixed(1)
	run, carry, next, results := l.run.inside(w), l.carry.inside(w), l.next.inside(w), l.results.inside(w)
	items = append(l.s.scanChunks(w, x, l.dense, results, run), l.s.scanLasts(w, rows, run, l.last, carry, next)...)
	items = append(items, l.s.combineChunks(w, carry, results, results, y)...)
	all := cols // the last chunk is alone
	if cols == nest.Fixed(ir.ReduceChunk) {
		all = times(rows, ir.ReduceChunk)
	}
	items = append(items, l.s.again(w, l.line, l.s.col, all, rows, x, run, carry, y, next)...)
	return append(items, l.s.copyRow(w, l.s.wide, one, next, carry))
}
