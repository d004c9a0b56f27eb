package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

const (
	// dotBytes is how much of the left operand a block takes at a time, in rows of
	// ir.DotChunk elements: they stay in the second-level cache while panel after
	// panel of the right one goes past.
	dotBytes = 128 << 10
	// dotCols is how many columns a block has, fewer where hands would be idle.
	dotCols, leastDotCols = 1024, 128
	// tileRows is how many rows the kernels hold in registers: a block of a multiple
	// has no smaller tile.
	tileRows = 6
	// gatherCols is from how many columns on left rows are copied that lie badly:
	// each element is read once for every panel of columns.
	gatherCols = 64
)

// dot computes blocks of a product, as ir.DotLine says each element.
type dot struct {
	pairs  int
	across int // bytes from one element of a left row to the next
	down   int // bytes from one right row to the next, but for panels
	panels bool
	width  int // columns that a kernel takes
	kernel func(*abi.Frame)
	packs  bool     // a chunk of a block's left rows is copied into scratch
	pack   packFunc // how
}

// newDot takes the pairs out of the axes that a step walks.
func newDot(s *step, in *plan.FlatStep) *dot {
	axis := len(in.Extents) - 3
	left, right := &s.operands[0], &s.operands[1]
	d := &dot{pairs: in.Extents[axis], across: left.walk[axis], down: right.walk[axis], panels: in.Panels}
	d.width = kernel.DotColumns(s.kernel.In[0].DType)
	for i := range s.operands {
		s.operands[i].walk[axis], s.operands[i].packed = 0, false
	}
	d.packs = in.Extents[axis+2] >= gatherCols && (d.across != left.size || crowds(left.rowStep))
	return d
}

// copyRows is a packFunc for rows that are contiguous.
func copyRows(_ *abi.Frame, dst, src unsafe.Pointer, rows, cols, rowStep, colStep int) {
	for r := range rows {
		copyBytes(unsafe.Add(dst, r*cols*colStep), unsafe.Add(src, r*rowStep), cols*colStep)
	}
}

// block returns the rows and columns of a block: as equal as tiles and panels
// allow.
func (d *dot) block(s *step, hands int) (rows, cols int) {
	equal := func(n, most, unit int) int {
		parts := (n-1)/most + 1
		each := (n-1)/parts + 1
		return min(n, (each+unit-1)/unit*unit)
	}
	rows = equal(s.rows, dotBytes/ir.DotChunk/s.operands[0].size, tileRows)
	most := dotCols
	for hands > 1 && s.elems/d.pairs/rows/min(s.cols, most) < 4*hands && most > leastDotCols {
		most /= 2
	}
	return rows, equal(s.cols, most, d.width)
}

// link finds the kernel.
func (d *dot) link(f finder, s *step) error {
	fn, on, err := f.find(kernel.CodeOf(s.kernel).Signature())
	if err != nil {
		return err
	}
	d.kernel, s.engine, s.compiled = fn, on.String(), "kernel"
	if !d.packs {
		return nil
	}
	left := &s.operands[0]
	s.scratch = s.blockRows * min(d.pairs, ir.DotChunk) * left.size
	d.pack = copyRows
	if d.across != left.size {
		d.pack, err = packFor(&operand{size: left.size, rowStep: left.rowStep, colStep: d.across}, f)
	}
	return err
}

// run computes a block, chunk of pairs by chunk. The columns that a kernel takes
// of a chunk of the right operand stay in the first-level cache.
func (d *dot) run(ln *lane, s *step) {
	b, f, right := &ln.block, &ln.inner, &s.operands[1]
	f.Rows = b.Rows
	f.Step[0], f.Step[2], f.Step[kernel.DotAcross] = b.Step[0], b.Step[2], d.across
	for k := 0; k < d.pairs; k += ir.DotChunk {
		if k > 0 && ln.stopped() {
			return
		}
		n := min(ir.DotChunk, d.pairs-k)
		f.Step[kernel.DotPairs], f.Step[kernel.DotAdds] = n, k
		left := unsafe.Add(b.Ptr[0], k*d.across)
		if d.packs {
			size := s.operands[0].size
			d.pack(&ln.many, unsafe.Pointer(&ln.scratch[0]), left, b.Rows, n, b.Step[0], d.across)
			left = unsafe.Pointer(&ln.scratch[0])
			f.Step[0], f.Step[kernel.DotAcross] = n*size, size
		}
		for c := 0; c < b.Cols; c += d.width {
			f.Cols, f.Step[1] = min(d.width, b.Cols-c), d.down
			f.Step[kernel.DotNext] = 0
			if d.panels {
				f.Step[kernel.DotNext] = d.width * right.colStep
				f.Step[1] = d.width * right.size
			}
			f.Ptr[0] = left
			f.Ptr[1] = unsafe.Add(b.Ptr[1], c*right.colStep+k*f.Step[1])
			f.Ptr[2] = unsafe.Add(b.Ptr[2], c*right.size)
			call(d.kernel, f)
		}
	}
}

// crowds reports whether rows that are step bytes apart share few sets of the
// first-level cache, so that a few of them drive each other out.
func crowds(step int) bool { return step%2048 == 0 }
