package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Packing an operand of a product block by block: a line of local memory for each pair,
// with the element of each row or column of the block. Windows are read through their
// strides, so what is copied is the block alone, and it stays in the second-level cache
// until all rows that multiply it have.

// pack returns the calls that pack a block of an operand, all pairs of it. From then on the
// factor is what is packed.
func (p *product) pack(w *walk, f *factor, d *side) (items []nest.Item, why string) {
	from := f.view
	line := oddLines(d.most(), p.dtype)
	into := view{slot: p.draft.scratch(p.dtype, p.pairs*line), strides: make([]int, len(p.step.Axes)), from: w.depth()}
	p.draft.Choice.Packed = append(p.draft.Choice.Packed, f.slot)
	axes := axesFrom(p.at.Pairs, p.at.Rows)
	dense(p.step.Axes, into.strides, axes, line)
	inside := axesFrom(d.axis, d.last()+1)
	dense(p.step.Axes, into.strides, inside, 1)
	axes = append(axes, inside...)
	col := axes[len(axes)-1]
	row := p.lines(w, &from, axes)
	in := w
	for _, k := range axes {
		if k != row && k != col {
			in = in.cut(k, 1)
		}
	}
	k, source, fields := p.packKernel(w, &from, row, col)
	if why = p.t.lacks(k); why != "" {
		return nil, why
	}
	args := []nest.Arg{in.arg(&from, source), in.arg(&into, row)}
	items = in.wrap(w, []nest.Item{call(k, in.size[row], in.size[col], args, fields...)})
	f.view, f.apart = into, line
	return items, ""
}

// oddLines returns how many elements apart lines of n are: whole cache lines, and an odd number
// of them, so that the lines of a block are in different sets of the cache.
func oddLines(n int, d ir.DType) int {
	unit := cacheLine / d.Size()
	return ((n-1)/unit + 1 | 1) * unit
}

// dense sets the strides of some axes in row-major order, the last one of them given.
func dense(axes []plan.Axis, strides, of []int, last int) {
	for i := len(of) - 1; i >= 0; i-- {
		strides[of[i]] = last
		last *= axes[of[i]].Extent
	}
}

// lines returns the axis along which the lines of a packing call follow one another: along
// which the operand's elements are closer together than along the last one, or the next
// one if that has enough elements for a call, or the longest.
func (p *product) lines(w *walk, from *view, axes []int) int {
	last := len(axes) - 1
	best, longest := -1, last-1
	for i, k := range axes[:last] {
		near := abs(from.strides[k])
		if near != 0 && w.most[k] >= transposedLines && near < abs(from.strides[axes[last]]) && (best < 0 || near < abs(from.strides[axes[best]])) {
			best = i
		}
		if w.most[k] > w.most[axes[longest]] {
			longest = i
		}
	}
	switch {
	case best >= 0:
		return axes[best]
	case w.most[axes[last-1]]*w.most[axes[last]] >= p.t.Matmul.PackElems:
		return axes[last-1]
	}
	return axes[longest]
}

// transposedLines is how many elements there are at least along an axis along which a block
// is transposed: as many as the kernel takes at a time.
const transposedLines = 8

// packKernel returns the kernel that copies the elements of a view, the axis along which
// the lines that it reads follow one another, and its fields.
func (p *product) packKernel(w *walk, from *view, row, col int) (k kernel.Code, source int, fields []nest.Size) {
	down, across := from.strides[row], from.strides[col]
	switch {
	case across == 1:
		return copyKernel(p.dtype, false), row, nil
	case down != 0 && abs(down) < abs(across) && w.most[row] >= transposedLines:
		return transposeKernel(p.dtype), col, []nest.Size{nest.Fixed(down * p.dtype.Size())}
	}
	return packKernel(p.dtype), row, []nest.Size{nest.Fixed(across * p.dtype.Size())}
}
