package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// apply puts the steps of a group together, in the place of the first, and
// makes the buffers that no other step touches scratch. It returns the last one's number.
func (r *grouper) apply(g *rowGroup) (last int) {
	begin, end := g.steps[0], slices.Max(slices.Concat(g.steps, g.before))+1
	order := slices.Concat(g.before, g.steps) // of the steps from begin to end
	for i := begin; i < end; i++ {
		if !slices.Contains(g.before, i) && !slices.Contains(g.steps, i) {
			order = append(order, i)
		}
	}
	steps, from := pick(r.p.Steps, order), pick(r.from, order)
	first := begin + len(g.before)
	copy(r.p.Steps[begin:], steps)
	copy(r.from[begin:], from)
	copy(r.p.Steps[first:], g.split)
	rows := g.outer[len(g.outer)-1]
	group := plan.RowGroup{First: first, Last: first + len(g.steps) - 1, Outer: slices.Clone(g.outer), Along: slices.Clone(g.along)}
	b := r.bytesOfRow(g)
	cached := r.s.machine.BlockBytes - min(b.shared, r.s.machine.BlockBytes/2)
	group.Block = max(1, min(rows, cached/b.row))
	unit := r.s.machine.ScanRows
	switch {
	case g.multiplies():
		unit *= 3 // tiles of a product: a multiple of kernel.DotRows too
		group.Block = max(group.Block, min(rows, r.s.machine.ProductRows, r.s.machine.RowBytes/b.row*r.s.machine.ProductBlocks))
	case g.scans(): // blocks of whole tiles of lines
	case b.row*g.rows >= r.s.machine.AheadFrom && b.widest <= r.s.machine.AheadBytes:
		group.Block = max(1, r.s.machine.AheadBytes/b.widest)
	case g.split[0].Reduces():
		group.Block = max(group.Block, min(rows, cached/b.again, r.s.machine.StreamBytes/b.row))
	}
	if group.Block > unit && group.Block < rows { // blocks as equal as units allow
		parts := (rows-1)/(group.Block/unit*unit) + 1
		group.Block = ((rows-1)/parts + unit) / unit * unit
	}
	r.scratch(g, &group)
	r.p.Rows = append(r.p.Rows, group)
	return group.Last
}

// renumber returns the new number of each step.
func (r *grouper) renumber() {
	place := make([]int, len(r.from))
	for i, k := range r.from {
		place[k] = i
	}
	for at, i := range r.s.step.list {
		if i > 0 {
			r.s.step.list[at] = int32(1 + place[i-1])
		}
	}
}

// scratch makes the temporaries that only the group touches one block of rows.
func (r *grouper) scratch(g *rowGroup, group *plan.RowGroup) {
	steps := r.p.Steps[group.First : group.Last+1]
	if r.touched == nil {
		r.touched, r.kept = map[int]int{}, map[int]bool{}
	}
	touched, kept := r.touched, r.kept
	clear(touched)
	clear(kept)
	for i := range steps {
		for _, b := range buffersOf(&steps[i]) {
			touched[b]++
		}
	}
	for _, made := range g.made {
		buffer := &r.p.Buffers[made.buffer]
		if buffer.Kind != plan.TempBuffer || touched[made.buffer] != r.uses.count(made.buffer) {
			continue
		}
		width := buffer.Size() / g.rows
		chunked := made.row == 1 && width > 1
		buffer.Kind, buffer.Shape = plan.ScratchBuffer, []int{group.Block, width}
		if chunked {
			buffer.Shape = []int{width, group.Block}
		}
		kept[made.buffer] = chunked
	}
	for i := range steps {
		own := func(a *plan.Access) {
			if chunked, ok := kept[a.Buffer]; ok {
				g.ofBlock(a, group, group.Along[i], chunked)
			}
		}
		for a := range steps[i].Accesses() {
			own(a)
		}
	}
}

// ofBlock has an access read or write a scratch buffer, for a block of rows.
func (g *rowGroup) ofBlock(a *plan.Access, group *plan.RowGroup, along int, chunked bool) {
	lead := len(g.outer) - 1
	a.Strides = slices.Clone(a.Strides)
	clear(a.Strides[:lead])
	if !chunked {
		return
	}
	a.Offset = a.Offset / g.rows * group.Block
	for k := lead; k < len(a.Strides); k++ {
		if k != along {
			a.Strides[k] = a.Strides[k] / g.rows * group.Block
		}
	}
}

// rowBytes is how much memory the steps of a group touch for one row, each buffer counted once.
type rowBytes struct {
	row    int // in all
	again  int // of buffers that another step than the first touches
	widest int // of one buffer at most
	shared int // for all rows alike, but for the right matrices of products, which no block keeps in the cache
}

// bufferRow is how much memory of a buffer the steps of a group touch for one row: see rowBytes.
type bufferRow struct{ buffer, own, again, shared int }

// of returns the entry of a buffer, a new one if there is none.
func (r *grouper) of(buffer int) *bufferRow {
	for i := range r.memory {
		if r.memory[i].buffer == buffer {
			return &r.memory[i]
		}
	}
	r.memory = append(r.memory, bufferRow{buffer: buffer})
	return &r.memory[len(r.memory)-1]
}

// bytesOfRow returns the memory of a row.
func (r *grouper) bytesOfRow(g *rowGroup) rowBytes {
	r.memory = r.memory[:0]
	for k := range g.split {
		s := &g.split[k]
		touch := func(a plan.Access) {
			moves := a.Strides[g.along[k]] != 0
			if !moves && s.Contracts() {
				return
			}
			n := r.p.Buffers[a.Buffer].DType.Size()
			for axis := len(g.outer) - 1; axis < len(s.Axes); axis++ {
				if axis != g.along[k] && a.Strides[axis] != 0 {
					n *= s.Axes[axis].Extent
				}
			}
			switch of := r.of(a.Buffer); {
			case !moves:
				of.shared = max(of.shared, n)
			case k > 0:
				of.again = max(of.again, n)
				fallthrough
			default:
				of.own = max(of.own, n)
			}
		}
		for _, a := range s.In {
			touch(a)
		}
		for _, o := range s.Out {
			if s.Contracts() || s.Scans() || o.Stored() { // what is reduced is an element or a few
				touch(o.Access)
			}
		}
	}
	var b rowBytes
	for _, of := range r.memory {
		b.row, b.again, b.shared, b.widest = b.row+of.own, b.again+of.again, b.shared+of.shared, max(b.widest, of.own)
	}
	b.row, b.again, b.widest = max(1, b.row), max(1, b.again), max(1, b.widest)
	return b
}
