package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The rows of a product, and likewise the columns, are one axis of the step or several, like the lines and columns of an image.
// A block has single indices of the outer axes, some indices of the next one, and all of the inner axes:
//
//	columns [56,56], blocks of 8 x 56 = 448

// side is the rows or the columns of a product.
type side struct {
	axes  []int // of the step
	axis  int   // the one that is cut into tiles
	tile  int   // indices of it in a block
	inner int   // rows or columns of a block for each of them
}

// cut returns the place inside the loops over the blocks.
func (d *side) cut(w *walk) *walk {
	for _, k := range d.axes {
		switch {
		case k < d.axis:
			w = w.cut(k, 1)
		case k == d.axis:
			w = w.cut(k, d.tile)
		}
	}
	return w
}

// size returns the number of rows or columns of a block.
func (d *side) size(w *walk) nest.Size { return times(w.size[d.axis], d.inner) }

// most returns the greatest number of rows or columns of a block.
func (d *side) most() int { return d.tile * d.inner }

// last returns the innermost axis.
func (d *side) last() int { return d.axes[len(d.axes)-1] }

// all returns the number of rows or columns.
func (d *side) all(axes []plan.Axis) int {
	n := 1
	for _, k := range d.axes {
		n *= axes[k].Extent
	}
	return n
}

// count returns the number of blocks.
func (d *side) count(axes []plan.Axis) int {
	n := (axes[d.axis].Extent-1)/d.tile + 1
	for _, k := range d.axes {
		if k < d.axis {
			n *= axes[k].Extent
		}
	}
	return n
}

// axesFrom returns the numbers of the axes from first to before end.
func axesFrom(first, end int) (axes []int) {
	for k := first; k < end; k++ {
		axes = append(axes, k)
	}
	return axes
}

// stride returns the stride of an operand along several axes taken as one, if it has one.
func (p *product) stride(f *factor, axes []int) (stride int, ok bool) {
	stride = f.strides[axes[len(axes)-1]]
	n := 1
	for i := len(axes) - 1; i >= 0; i-- {
		if f.strides[axes[i]] != n*stride {
			return 0, false
		}
		n *= p.step.Axes[axes[i]].Extent
	}
	return stride, true
}

// blocks decides which operands are packed, and sets the blocks of both sides: as equal as tiles and panels allow.
func (p *product) blocks() {
	pairs := axesFrom(p.at.Pairs, p.at.Rows)
	p.rows.axes, p.cols.axes = axesFrom(p.at.Rows, p.at.Cols), axesFrom(p.at.Cols, len(p.step.Axes))
	var ok bool
	p.left.apart, ok = p.stride(&p.left, pairs)
	p.left.packed = !ok || p.short(&p.left, &p.rows, p.t.Matmul.DirectRows)
	p.right.apart, ok = p.stride(&p.right, pairs)
	p.right.packed = !ok || p.right.strides[len(p.step.Axes)-1] != 1 || p.short(&p.right, &p.cols, p.t.Matmul.DirectCols) || p.left.packed && p.packsApart()
	rows, tile := p.leftRows(), kernel.DotRows
	if p.transposes() {
		tile = kernel.DotTransposedRows
	}
	switch {
	case p.stays() && !p.left.packed:
		rows = p.t.Matmul.PassingRows
	case p.streams():
		rows = max(p.t.Matmul.StreamRows, tile)
	}
	p.tiles(&p.rows, &p.left, rows, tile)
	most := p.t.Matmul.Cols
	switch {
	case p.right.packed:
		most = max(p.width, min(most, p.t.Matmul.ChunkBytes/p.pairs/p.dtype.Size()))
	case p.stays():
		most = min(most, p.t.Matmul.ChunkBytes/ir.DotChunk/p.right.size)
	}
	p.tiles(&p.cols, &p.right, most, p.width)
	enough := p.t.Matmul.BlocksPerWorker
	if p.stays() && p.packsLeft() {
		enough = 1 // as each block packs all left rows
	}
	p.share(enough, most, p.t.Matmul.LeastCols)
}

// share makes blocks of fewer columns than most until there are enough blocks for each worker. A block keeps least columns
// unless some worker has none. If there are few blocks, each worker gets as many.
func (p *product) share(enough, most, least int) {
	workers := p.t.Workers
	if p.t.inGroup || workers <= 1 {
		return
	}
	share := func(blocks, least int) {
		for p.iterations() < blocks && most > least {
			most /= 2
			p.tiles(&p.cols, &p.right, most, p.width)
		}
	}
	share(enough*workers, least)
	share(workers, 2*kernel.DotColumns(p.dtype))
	all, before := p.cols.all(p.step.Axes), p.cols
	for n := p.iterations(); n > workers && n%workers != 0; n = p.iterations() {
		most = roundUp((all-1)/(p.cols.count(p.step.Axes)+1)+1, p.width)
		p.tiles(&p.cols, &p.right, most, p.width)
		if same := p.iterations() == n; same || most < p.width*2 || n >= 2*p.t.Matmul.BlocksPerWorker*workers {
			p.cols = before
			return
		}
	}
}

// transposes reports whether the kernel transposes tiles of left rows.
func (p *product) transposes() bool {
	few := p.cols.all(p.step.Axes) <= kernel.DotColumns(p.dtype)/2
	return p.t.Matmul.Transposes && p.dtype == ir.Float32 && !p.left.packed && p.left.apart == 1 && few
}

// streams reports whether few rows of the left operand are read to their ends before the next ones: they have several chunks,
// and so few columns multiply them that memory limits the product.
func (p *product) streams() bool {
	return !p.left.packed && p.left.apart == 1 && p.pairs > ir.DotChunk && p.cols.all(p.step.Axes) < p.t.Matmul.PackCols
}

// packsApart reports whether a right operand is packed although its rows are contiguous: they are far apart, and enough rows of
// the left one read them to pay for the copy. In a row group that divides the rows, each block would pack it again.
func (p *product) packsApart() bool {
	rows := p.rows.all(p.step.Axes)
	return p.apartRows() && rows >= p.t.Matmul.PackRows && !p.t.Matmul.InPlace(rows, p.pairs, p.right.apart*p.dtype.Size()) && !p.divided()
}

// divided reports whether the step is in a row group that divides its left rows into blocks.
func (p *product) divided() bool {
	if !p.t.inGroup {
		return false
	}
	at := p.t.whole.Product()
	return p.rows.all(p.step.Axes) < plan.Indices(p.t.whole.Axes[at.Rows:at.Cols])
}

// chunked reports whether chunks of right rows are packed, for all blocks of left rows: packsApart says so, or the operand
// comes from memory and there is one block. A packed left operand is packed once, so all its rows must be one block.
func (p *product) chunked() bool {
	if p.right.packed || !p.apartRows() {
		return false
	}
	rows := p.rows.all(p.step.Axes)
	_, together := p.common(nil, &p.rows)
	large := p.rightBytes() > p.t.Matmul.ChunkedBytes
	return large && rows <= p.leftRows() && (together == rows || !p.left.packed) || p.packsApart() && !p.left.packed
}

// stays reports whether chunks of a block of right columns stay in the second-level cache while all left rows pass, a few at a
// time: they are packed there, or read from panels too large to stay as a whole, and there are enough columns to share out.
func (p *product) stays() bool {
	if p.chunked() {
		return true
	}
	workers, columns := p.t.Workers, p.cols.all(p.step.Axes)*plan.Indices(p.step.Axes[:p.at.Pairs])
	if p.t.inGroup {
		workers = 1
	}
	return p.right.panel != nil && !p.left.packed && p.rightBytes() > p.t.Matmul.ChunkBytes && p.t.Matmul.Shares(columns, workers)
}

// leftRows returns the number of left rows that a block takes if their chunk stays in the second-level cache.
func (p *product) leftRows() int { return p.t.Matmul.LeftBytes / ir.DotChunk / p.dtype.Size() }

// rightBytes returns the size of a right matrix.
func (p *product) rightBytes() int { return p.pairs * p.cols.all(p.step.Axes) * p.right.size }

// apartRows reports whether the rows of the right operand are contiguous, but so far apart that few of them fit a set of the cache.
func (p *product) apartRows() bool {
	return p.right.panel == nil && p.right.strides[len(p.step.Axes)-1] == 1 && abs(p.right.apart)*p.dtype.Size() >= p.t.Matmul.SetBytes
}

// iterations returns the number of independent blocks.
func (p *product) iterations() int {
	n := plan.Indices(p.step.Axes[:p.at.Pairs])
	if p.right.packed || !p.left.packed {
		n *= p.cols.count(p.step.Axes)
	}
	if !p.right.packed && !p.stays() {
		n *= p.rows.count(p.step.Axes)
	}
	return n
}

// short reports whether an operand that is not packed would limit blocks to few rows or columns, though the output allows more.
func (p *product) short(f *factor, d *side, few int) bool {
	first, inner := p.common(f, d)
	_, all := p.common(nil, d)
	return first > d.axes[0] && inner < few && inner < all
}

// common returns the first axis of a side from which on the output and an operand have one stride each, and the number of rows
// or columns from there on. A nil operand does not count.
func (p *product) common(f *factor, d *side) (first, inner int) {
	inner = 1
	for i := len(d.axes) - 1; i >= 0; i-- {
		_, ok := p.stride(&p.out, d.axes[i:])
		if f != nil && ok {
			_, ok = p.stride(f, d.axes[i:])
		}
		if !ok {
			break
		}
		first = d.axes[i]
		inner *= p.step.Axes[first].Extent
	}
	return first, inner
}

// tiles sets the blocks of a side to about so many rows or columns, multiples of unit if there are enough.
func (p *product) tiles(d *side, f *factor, most, unit int) {
	if f.packed {
		f = nil
	}
	first, _ := p.common(f, d)
	d.axis, d.inner = d.last(), 1
	for d.axis > first && d.inner*p.step.Axes[d.axis].Extent <= most {
		d.inner *= p.step.Axes[d.axis].Extent
		d.axis--
	}
	n := p.step.Axes[d.axis].Extent
	parts := (n-1)/max(1, most/d.inner) + 1
	each := (n-1)/parts + 1
	if unit /= gcd(unit, d.inner); unit <= each || d.inner == 1 {
		each = (each + unit - 1) / unit * unit
	}
	d.tile = min(n, each)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
