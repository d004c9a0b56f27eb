package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// Option transposed scans many short lines:
//
//	for each block of lines
//	  transpose it into a tile, whose rows are the columns
//	  combine each row of the tile with the one above, in place
//	  transpose it back
//
// So a vector has elements of as many lines as fit, and one call has many lines.

// transposed is the offer to do so.
func (p *prefixScan) transposed() (offer, string) {
	switch cols := p.step.Axes[p.col].Extent; {
	case cols < 2 || cols*p.dtype.Size() > p.t.ScanShort:
		return offer{}, p.t.because("lines of %d elements of %d bytes, takes 2 or more and at most %d bytes", cols, p.dtype.Size(), p.t.ScanShort)
	case p.step.Axes[p.row].Extent < p.t.LeastRows:
		return offer{}, p.t.because("%d lines, needs %d", p.step.Axes[p.row].Extent, p.t.LeastRows)
	case p.t.isPortable(transposeKernel(p.dtype)):
		return offer{}, "no kernel transposes by vectors"
	}
	q := *p
	q.nonTemporal, q.packed, q.work = false, true, p.t.Work(p.step)+2*p.t.StageWork*float64(elems(p.step))
	return q.offer((*prefixScan).draftTransposed), ""
}

// draftTransposed returns the draft of the scan.
func (p *prefixScan) draftTransposed() (*Draft, string) {
	rows, cols := p.step.Axes[p.row].Extent, p.step.Axes[p.col].Extent
	wide := max(1, min(rows, p.t.PackBytes/p.dtype.Size()/cols))
	line := wide + cacheLine/p.dtype.Size() // rows a power of two apart would be in few sets of the cache
	w := newWalk(p.step.Axes).cutAll(p.row, p.col).cut(p.row, wide)
	each, tile := w.size[p.row], p.local(p.draft.scratch(p.dtype, cols*line), 1, line).inside(w)
	running := tile // the rows that are combined
	var items []nest.Item
	if p.exclusive {
		running = tile.move(p.col, 1)
		empty := p.constant(p.dtype, ir.EmptyReduction(p.by, p.dtype))
		items = append(items, p.fill(w, p.dtype, nest.Fixed(1), each, empty, tile))
	}
	items = append(items, transposeCall(p.dtype, each, nest.Fixed(p.n), w.arg(&p.x, p.row), p.x.strides[p.col], w.arg(&running, p.col)))
	items = append(items, p.combineLines(w, running, wide)...)
	items = append(items, transposeCall(p.dtype, nest.Fixed(cols), each, w.arg(&tile, p.col), 1, w.arg(&p.head, p.row)))
	p.draft.Parts = []nest.Nest{w.part(items)}
	return p.finish(scanRows(p.by, p.dtype, false))
}

// combineLines returns the calls that combine each row of a tile with the one above, in place.
func (p *prefixScan) combineLines(w *walk, tile view, wide int) []nest.Item {
	each := w.size[p.row]
	if p.widens() { // their running values are apart
		run := p.local(p.draft.scratch(p.state, wide), 1, 0).inside(w)
		k, order := kernel.RowKernel(p.by, p.dtype)
		p.need(k)
		return []nest.Item{
			p.fill(w, p.state, nest.Fixed(1), each, p.identity, run),
			call(k, nest.Fixed(p.n), each, w.args(p.col, ordered(order, []view{{}, run, tile}, run, tile)...)),
		}
	}
	if p.n < 2 {
		return nil
	}
	k := combineKernel(p.by, p.dtype)
	p.need(k)
	below := tile.move(p.col, 1)
	return []nest.Item{call(k, nest.Fixed(p.n-1), each, w.args(p.col, tile, below, below))}
}
