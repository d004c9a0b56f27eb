package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// scanLine scans along the columns, one row after the other, of which several chunks are
// scanned side by side. Their carries are known when their last running values are:
//
//	for each row
//	  for each eight chunks
//	    scan them apart: a tile of running values, and the last ones of each
//	    scan the last ones, from the carry on: the carries of the chunks behind
//	    combine each chunk of the tile with its carry
//	    if one overflows, scan all of them again
var scanLine = strategy{name: "chunked-scan", offer: offerChunkedScan}

func offerChunkedScan(t *target, s *plan.Step) (offer, string) {
	p, why := newPrefixScan(t, s, true)
	switch {
	case p == nil:
		return offer{}, why
	case !p.fewLines():
		return offer{}, "the lines are many, or of few chunks: they are scanned side by side"
	}
	return p.offer(func() (*Draft, string) {
		p.Parts = []nest.Nest{newLongScan(p).part(0, s.Axes[p.row].Extent)}
		return p.finish(scanRows(p.by, p.dtype, false))
	}), ""
}

// longScan scans one line after the other. Its step has one axis more: the rows of a
// line, which are its chunks.
type longScan struct {
	prefixScan
	line        int  // axis
	side        int  // chunks
	run, last   view // the last running values of chunks, of their type and as carries are
	carry, next view // the carries of chunks, and of the one behind them
	results     view // a tile
	dense       view // the operand, if packed
}

func newLongScan(p *prefixScan) *longScan {
	l := chunkedLines(p)
	row := func(d ir.DType, n int) view { return l.local(l.scratch(d, n), 1, 1) }
	l.run, l.carry, l.next = row(l.dtype, l.side), row(l.wide, l.side+1), row(l.wide, 1)
	if l.last = l.run; l.wide != l.dtype {
		l.last = row(l.wide, l.side)
	}
	l.results = l.tile(l.side, ir.ReduceChunk)
	if l.packed {
		l.dense = l.tile(l.side, ir.ReduceChunk)
	}
	return l
}

// chunkedLines returns the scan of lines whose chunks are rows, without local memory.
func chunkedLines(p *prefixScan) *longScan {
	l := &longScan{prefixScan: *p, line: p.row, side: min(p.ScanRows, ir.Chunks(p.n))}
	l.row, l.col = p.row+1, p.col+1
	l.x, l.y, l.head = chunked(p.x), chunked(p.y), chunked(p.head)
	step := *p.step
	step.Axes = slices.Concat(p.step.Axes[:p.col], newAxes(p.n/ir.ReduceChunk, ir.ReduceChunk))
	l.step = &step
	if l.packed { // chunks are far apart
		l.in.class = strided
	}
	l.identity, l.noCarry = l.local(p.identity.slot, 0, 0), l.local(p.noCarry.slot, 0, 0)
	return l
}

// chunked returns a view with an axis more: before the columns, the chunks of them.
func chunked(v view) view {
	last := len(v.strides) - 1
	v.strides = slices.Insert(slices.Clone(v.strides), last, v.strides[last]*ir.ReduceChunk)
	return v
}

// part returns the scan of so many rows, from one on.
func (l *longScan) part(from, rows int) nest.Nest {
	for _, v := range []*view{&l.x, &l.y, &l.head} {
		*v = v.move(l.line, from)
	}
	one := newWalk(l.step.Axes).only(l.line, rows).cutAll(l.row, l.col)
	items := l.begin(one, nest.Fixed(1), nest.Fixed(1))
	items = append(items, l.copyRow(one, l.wide, nest.Fixed(1), l.noCarry, l.carry.inside(one)))
	whole, rest := l.n/ir.ReduceChunk, l.n%ir.ReduceChunk
	chunks := one.cut(l.row, l.side)
	items = append(items, chunks.wrap(one, l.chunks(chunks, l.x, l.y))...)
	if rest > 0 {
		chunk := one.only(l.row, 1).only(l.col, rest)
		items = append(items, l.chunks(chunk, l.x.move(l.row, whole), l.y.move(l.row, whole))...)
	}
	return one.part(items)
}

// chunks returns the scan of some chunks of a line.
func (l *longScan) chunks(w *walk, x, y view) (items []nest.Item) {
	rows, cols, one, from := w.size[l.row], w.size[l.col], nest.Fixed(1), x
	if l.packed {
		dense := l.dense.inside(w)
		items, x = append(items, l.pack(w, rows, cols, x, dense)), dense
	}
	run, last, carry, next, results := l.run.inside(w), l.last.inside(w), l.carry.inside(w), l.next.inside(w), l.results.inside(w)
	items = append(items, l.scan(w, l.dtype, rows, cols, x, l.identity, results, run))
	if l.wide != l.dtype {
		items = append(items, l.castRow(w, rows, run, last))
	}
	items = append(items, l.scan(w, l.wide, one, rows, last, carry, carry.move(l.col, 1), next))
	k, order := kernel.CarryKernel(l.by, l.dtype)
	if l.nonTemporal {
		items = append(items, l.call(w, k, rows, cols, ordered(order, []view{carry, results}, results)), l.store(w, rows, cols, results, y))
	} else {
		items = append(items, l.call(w, k, rows, cols, ordered(order, []view{carry, results}, y)))
	}
	all := cols // the last chunk is alone
	if cols == nest.Fixed(ir.ReduceChunk) {
		all = times(rows, ir.ReduceChunk)
	}
	items = append(items, l.again(w, l.line, l.col, all, rows, from, run, carry, y, next)...)
	return append(items, l.copyRow(w, l.wide, one, next, carry))
}
