package passes

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// columns puts products of windows, as convolutions are, and the elementwise step behind each
// that reads it into row groups over lines of windows: the bias, what is added and the
// activation are computed of a block of lines while it is in the cache. All rows of the product
// need the windows that a block packs, so its blocks are of columns. Where windows are the left
// operand they are of rows, and the reader may go through them in another order: it transposes.
func (r *grouper) columns() {
	for i := range len(r.p.Steps) - 1 {
		if r.grouped(i) || r.grouped(i+1) {
			continue
		}
		if b, ok := r.block(i); ok {
			r.applyBlock(&b, i)
		}
	}
	sortGroups(r.p.Rows)
}

// grouped reports whether a step is in a row group.
func (r *grouper) grouped(i int) bool {
	return slices.ContainsFunc(r.p.Rows, func(g plan.RowGroup) bool { return g.First <= i && i <= g.Last })
}

// blockOfColumns is a row group in the making.
type blockOfColumns struct {
	at     plan.Product
	left   bool  // windows are the left operand
	shape  []int // of the product: what counts matrices, rows, columns
	lines  int   // the axis of shape of which a block has some
	size   int   // how many
	reader plan.Step
	order  []int // of the reader's axes: those of shape
	to     []int // strides of the scratch buffer along shape
}

// block returns the blocks of step i and the one behind it, if they make a group.
func (r *grouper) block(i int) (b blockOfColumns, ok bool) {
	s, next := &r.p.Steps[i], &r.p.Steps[i+1]
	if !s.Contracts() || !readsWindows(s) || !next.Elementwise() || len(s.Out) != 1 || len(s.In) != 2 {
		return b, false
	}
	made := s.Out[0].Buffer
	if r.p.Buffers[made].Kind != plan.TempBuffer || r.uses.count(made) != 2 || r.uses.shared(made) || writes(next, made) {
		return b, false
	}
	b.at, b.left = s.Product(), s.In[1].Panel != nil
	b.shape = pick(s.Extents(), s.ParallelAxes())
	b.lines = b.axis() - (b.at.Rows - b.at.Pairs)
	if !rowMajor(b.shape, pick(s.Out[0].Strides, s.ParallelAxes()), s.Out[0].Offset) || !b.split(next, made) {
		return b, false
	}
	return b, r.sizeOf(&b, s)
}

// axis returns the product's axis of lines of windows.
func (b *blockOfColumns) axis() int {
	if b.left {
		return b.at.Rows
	}
	return b.at.Cols
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

// split writes the reader of a product with the product's axes, in its own order. It fails if it does
// not read each element once, and if what it stores is apart along its last axis.
func (b *blockOfColumns) split(s *plan.Step, made int) bool {
	read := slices.IndexFunc(s.In, func(a plan.Access) bool { return a.Buffer == made })
	if read < 0 || s.In[read].Offset != 0 {
		return false
	}
	factors, ok := b.factors(s.Extents(), s.In[read].Strides)
	if !ok {
		return false
	}
	b.reader = *s
	b.reader.Axes = parallel(pick(b.shape, b.order))
	b.reader.In, b.reader.Out = s.Over(len(b.shape), func(a *plan.Access, strides []int, o *plan.Output) {
		along := make([]int, len(b.shape)) // by axis of the product
		for k, n := range a.Strides {
			for _, axis := range slices.Backward(factors[k]) {
				along[axis] = n
				n *= b.shape[axis]
			}
		}
		copy(strides, pick(along, b.order))
		last := len(strides) - 1
		switch {
		case o != nil:
			ok = ok && (b.reader.Axes[last].Extent == 1 || strides[last] == 1)
		case a.Buffer == made:
			ok = ok && rowMajor(b.shape, along, a.Offset)
		}
	})
	return ok
}

// factors returns which axes of the product each axis of its reader is made of, whose strides are given,
// and sets order. Those that count matrices must be the reader's first.
func (b *blockOfColumns) factors(extents, strides []int) (factors [][]int, ok bool) {
	want := layout.RowMajor(b.shape...).Strides
	factors = make([][]int, len(extents))
	for axis, n := range b.shape {
		if n == 1 {
			b.order = append(b.order, axis)
		}
	}
	for k, n := range extents {
		for stride := strides[k]; n > 1; {
			axis := slices.IndexFunc(want, func(w int) bool { return w == stride })
			if axis < 0 || n%b.shape[axis] != 0 || slices.Contains(b.order, axis) {
				return nil, false
			}
			factors[k] = slices.Insert(factors[k], 0, axis)
			n, stride = n/b.shape[axis], stride*b.shape[axis]
		}
		b.order = append(b.order, factors[k]...)
	}
	slices.SortStableFunc(b.order, func(i, j int) int { return cmp.Compare(min(i, b.at.Pairs), min(j, b.at.Pairs)) })
	return factors, len(b.order) == len(b.shape)
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
	most := r.s.machine.Matmul.Cols
	if b.left {
		line, most = line/b.shape[len(b.shape)-1], r.s.machine.Matmul.Windows
	}
	rows := size / (matrices * n * line)
	b.size = min(n, max(1, min(most/line, r.s.machine.HeldBytes/4/(rows*line*s.Body.In[0].DType.Size()))))
	for workers := r.s.machine.Workers; workers > 1 && b.size > 1 && matrices*((n-1)/b.size+1) < 2*workers; {
		if b.left { // each block reads all weights: without a group workers share these
			return false
		}
		b.size = (b.size + 1) / 2
	}
	b.size = (n-1)/((n-1)/b.size+1) + 1 // blocks as equal as can be
	b.to = make([]int, len(b.shape))
	inner := append([]int{}, b.shape[b.at.Pairs:]...)
	inner[b.lines-b.at.Pairs] = b.size
	copy(b.to[b.at.Pairs:], layout.RowMajor(inner...).Strides)
	return line*b.size >= r.s.machine.Matmul.LeastCols/4
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
			a.Strides = pick(b.to, b.order)
		}
	}
	r.p.Steps[i+1] = b.reader
	buffer := &r.p.Buffers[made]
	buffer.Kind = plan.ScratchBuffer
	buffer.Shape = slices.Clone(b.shape[b.at.Pairs:])
	buffer.Shape[b.lines-b.at.Pairs] = b.size
	outer := append(slices.Clone(b.shape[:b.at.Pairs]), b.shape[b.lines])
	r.p.Rows = append(r.p.Rows, plan.RowGroup{First: i, Last: i + 1, Outer: outer, Along: []int{b.axis(), slices.Index(b.order, b.lines)}, Block: b.size})
}
