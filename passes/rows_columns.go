package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// columns puts products of windows, as convolutions are, and the elementwise step behind each
// that reads it into row groups over lines of windows: the bias, what is added and the
// activation are computed of a block of lines while it is in the cache. All rows of the product
// need the windows that a block packs, so its blocks are of columns.
func (r *grouper) columns() {
	for i := range len(r.p.Steps) - 1 {
		if r.grouped(i) || r.grouped(i+1) {
			continue
		}
		if b, ok := r.block(i); ok {
			r.applyBlock(&b, i)
		}
	}
	slices.SortFunc(r.p.Rows, func(a, b plan.RowGroup) int { return a.First - b.First })
}

// grouped reports whether a step is in a row group.
func (r *grouper) grouped(i int) bool {
	return slices.ContainsFunc(r.p.Rows, func(g plan.RowGroup) bool { return g.First <= i && i <= g.Last })
}

// blockOfColumns is a row group in the making.
type blockOfColumns struct {
	at     plan.Product
	shape  []int // of the product: what counts matrices, rows, columns
	lines  int   // the axis of shape of which a block has some
	size   int   // how many
	reader plan.Step
	to     []int // strides of the scratch buffer along shape
}

// block returns the blocks of step i and the one behind it, if they make a group.
func (r *grouper) block(i int) (b blockOfColumns, ok bool) {
	s, next := &r.p.Steps[i], &r.p.Steps[i+1]
	if !s.Contracts() || !readsWindows(s) || !next.Elementwise() || len(s.Out) != 1 || len(s.In) != 2 || s.In[1].Panel != nil {
		return b, false
	}
	made := s.Out[0].Buffer
	if r.p.Buffers[made].Kind != plan.TempBuffer || r.uses[made] != 2 || r.shared[made] || writes(next, made) {
		return b, false
	}
	b.at = s.Product()
	b.shape = pick(s.Extents(), s.ParallelAxes())
	pairs := b.at.Rows - b.at.Pairs
	b.lines = b.at.Cols - pairs
	if !rowMajor(b.shape, pick(s.Out[0].Strides, s.ParallelAxes()), s.Out[0].Offset) || !b.split(next, made) {
		return b, false
	}
	return b, r.sizeOf(&b, s)
}

// rowMajor reports whether strides are those of row-major order, but for axes of one element.
func rowMajor(shape, strides []int, offset int) bool {
	want := layout.RowMajor(shape...).Strides
	for k, n := range shape {
		if n > 1 && strides[k] != want[k] {
			return false
		}
	}
	return offset == 0
}

// split writes the reader of a product with the product's axes. It fails if it reads other
// elements of it than it stores at the same index, or if what it stores is apart along the columns.
func (b *blockOfColumns) split(s *plan.Step, made int) bool {
	extents, reads := s.Extents(), false
	ok := layout.RowMajor(extents...).Size() == layout.RowMajor(b.shape...).Size()
	b.reader = *s
	b.reader.Axes = parallel(b.shape)
	b.reader.In, b.reader.Out = s.Over(len(b.shape), func(a *plan.Access, strides []int, o *plan.Output) {
		l, can := layout.Layout{Shape: extents, Strides: a.Strides}.Reshape(b.shape...)
		if ok = ok && can; !ok {
			return
		}
		copy(strides, l.Strides)
		if last := len(strides) - 1; o != nil && b.shape[last] > 1 && strides[last] != 1 {
			ok = false
			return
		}
		if a.Buffer == made {
			reads = true
			ok = rowMajor(b.shape, l.Strides, a.Offset)
		}
	})
	return ok && reads
}

// sizeOf decides how many lines a block has: what it stores stays in the second-level cache, and
// each worker has some.
func (r *grouper) sizeOf(b *blockOfColumns, s *plan.Step) bool {
	n, matrices, line := b.shape[b.lines], 1, 1
	for k, e := range b.shape {
		switch {
		case k < b.at.Pairs:
			matrices *= e
		case k > b.lines:
			line *= e
		}
	}
	size := layout.RowMajor(b.shape...).Size()
	if size == 0 {
		return false
	}
	rows := size / (matrices * n * line)
	b.size = min(n, max(1, min(r.machine.Matmul.Cols/line, r.machine.HeldBytes/4/(rows*line*s.Body.In[0].DType.Size()))))
	for workers := r.machine.Workers; workers > 1 && b.size > 1 && matrices*((n-1)/b.size+1) < 2*workers; {
		b.size = (b.size + 1) / 2
	}
	b.size = (n-1)/((n-1)/b.size+1) + 1 // blocks as equal as can be
	b.to = make([]int, len(b.shape))
	inner := append([]int{}, b.shape[b.at.Pairs:]...)
	inner[b.lines-b.at.Pairs] = b.size
	copy(b.to[b.at.Pairs:], layout.RowMajor(inner...).Strides)
	return r.eager || line*b.size >= r.machine.Matmul.LeastCols/4
}

// applyBlock writes the row group of step i and the one behind it.
func (r *grouper) applyBlock(b *blockOfColumns, i int) {
	s := &r.p.Steps[i]
	made, axes := s.Out[0].Buffer, s.ParallelAxes()
	out := slices.Clone(s.Out)
	out[0].Strides = make([]int, len(s.Axes))
	for k, axis := range axes {
		out[0].Strides[axis] = b.to[k]
	}
	s.Out = out
	for k := range b.reader.In {
		if a := &b.reader.In[k]; a.Buffer == made {
			a.Strides = b.to
		}
	}
	r.p.Steps[i+1] = b.reader
	buffer := &r.p.Buffers[made]
	buffer.Kind = plan.ScratchBuffer
	buffer.Shape = slices.Clone(b.shape[b.at.Pairs:])
	buffer.Shape[b.lines-b.at.Pairs] = b.size
	outer := append(slices.Clone(b.shape[:b.at.Pairs]), b.shape[b.lines])
	r.p.Rows = append(r.p.Rows, plan.RowGroup{First: i, Last: i + 1, Outer: outer, Along: []int{b.at.Cols, b.lines}, Block: b.size})
}
