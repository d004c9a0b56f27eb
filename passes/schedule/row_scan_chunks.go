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
	if l.last = l.run; l.s.wide != l.s.dtype {
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
	rows, cols, one, from := w.size[l.s.row], w.size[l.s.col], nest.Fixed(1), x
	if l.s.packed {
		dense := l.dense.inside(w)
		items, x = append(items, l.s.pack(w, rows, cols, x, dense)), dense
	}
	run, last, carry, next, results := l.run.inside(w), l.last.inside(w), l.carry.inside(w), l.next.inside(w), l.results.inside(w)
	items = append(items, l.s.scan(w, l.s.dtype, rows, cols, x, l.s.identity, results, run))
	if l.s.wide != l.s.dtype {
		items = append(items, l.s.castRow(w, rows, run, last))
	}
	items = append(items, l.s.scan(w, l.s.wide, one, rows, last, carry, carry.move(l.s.col, 1), next))
	k, order := kernel.CarryKernel(l.s.by, l.s.dtype)
	to := y
	if l.s.nonTemporal {
		to = results
	}
	items = append(items, l.s.call(w, k, rows, cols, ordered(order, []view{carry, results}, to)))
	if l.s.nonTemporal {
		items = append(items, l.s.store(w, rows, cols, results, y))
	}
	all := cols // the last chunk is alone
	if cols == nest.Fixed(ir.ReduceChunk) {
		all = times(rows, ir.ReduceChunk)
	}
	items = append(items, l.s.again(w, l.line, l.s.col, all, rows, from, run, carry, y, next)...)
	return append(items, l.s.copyRow(w, l.s.wide, one, next, carry))
}
