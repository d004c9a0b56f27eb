package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// apply puts the steps of a group together, in the place of the first, and
// makes the buffers that no other step touches scratch.
func (r *grouper) apply(g *rowGroup) {
	first := g.steps[0]
	steps := r.p.Steps[:first:first]
	for _, i := range g.before {
		steps = append(steps, r.p.Steps[i])
	}
	first = len(steps)
	steps = append(steps, g.split...)
	place := make([]int, len(r.p.Steps))
	for i := range r.p.Steps {
		k, up := slices.Index(g.steps, i), slices.Index(g.before, i)
		switch {
		case i < g.steps[0]:
			place[i] = i
		case up >= 0:
			place[i] = g.steps[0] + up
		case k >= 0:
			place[i] = first + k
		default:
			place[i] = len(steps)
			steps = append(steps, r.p.Steps[i])
		}
	}
	r.p.Steps = steps
	for v, i := range r.step {
		r.step[v] = place[i]
	}
	last := g.outer[len(g.outer)-1]
	group := ir.RowGroup{First: first, Last: first + len(g.steps) - 1, Outer: g.outer, Along: g.along}
	row, shared := r.bytesOfRow(g)
	group.Block = max(1, min(last, (blockBytes-min(shared, blockBytes/2))/row))
	unit := 8 // rows: a vector of those that are scanned side by side
	if g.multiplies() {
		unit = 24 // and tiles of a product
		group.Block = max(group.Block, min(last, dotRows, rowBytes/row*productBlocks))
	}
	if group.Block > unit && group.Block < last { // blocks as equal as units allow
		parts := (last-1)/(group.Block/unit*unit) + 1
		group.Block = ((last-1)/parts + unit) / unit * unit
	}
	for b, step := range g.made {
		r.scratch(g, &group, b, step)
	}
	r.p.Rows = append(r.p.Rows, group)
}

// scratch makes a temporary that only the group touches one block of rows.
func (r *grouper) scratch(g *rowGroup, group *ir.RowGroup, b, row int) {
	buffer := &r.p.Buffers[b]
	steps := r.p.Steps[group.First : group.Last+1]
	touched := 0
	for i := range steps {
		if slices.Contains(buffersOf(&steps[i]), b) {
			touched++
		}
	}
	if buffer.Kind != ir.TempBuffer || touched != r.uses[b] {
		return
	}
	width := buffer.Size() / g.rows
	chunked := row == 1 && width > 1
	buffer.Kind, buffer.Shape = ir.ScratchBuffer, []int{group.Block, width}
	if chunked {
		buffer.Shape = []int{width, group.Block}
	}
	for i := range steps {
		for o := range steps[i].Operands {
			a := &steps[i].Operands[o]
			if a.Buffer != b {
				continue
			}
			a.Strides = slices.Clone(a.Strides)
			clear(a.Strides[:len(g.outer)-1])
			if !chunked {
				continue
			}
			a.Offset = a.Offset / g.rows * group.Block
			for k := len(g.outer) - 1; k < len(a.Strides); k++ {
				if k != group.Along[i] {
					a.Strides[k] = a.Strides[k] / g.rows * group.Block
				}
			}
		}
	}
}

// bytesOfRow returns how much memory the steps touch for one row, each buffer
// counted once, and how much for all rows alike, but for the right matrices of
// products, which no block keeps in the cache.
func (r *grouper) bytesOfRow(g *rowGroup) (row, shared int) {
	own, all := map[int]int{}, map[int]int{} // by buffer
	for k := range g.split {
		s := &g.split[k]
		for _, a := range s.Operands {
			if g.folded(s, a) {
				continue // an element or a few
			}
			of := own
			if a.Strides[g.along[k]] == 0 {
				if of = all; s.Kernel.Dots() {
					continue
				}
			}
			n := r.p.Buffers[a.Buffer].DType.Size()
			for axis := len(g.outer) - 1; axis < len(s.Extents); axis++ {
				if axis != g.along[k] && a.Strides[axis] != 0 {
					n *= s.Extents[axis]
				}
			}
			of[a.Buffer] = max(of[a.Buffer], n)
		}
	}
	for _, n := range own {
		row += n
	}
	for _, n := range all {
		shared += n
	}
	return max(1, row), shared
}
