package passes

import "github.com/stridefuse/stridefuse/ir/plan"

// How many rows a block of a row group has.

// blockOf returns how many rows a block of a group has: as many as stay in the second-level cache, or fewer or more where
// memory, products or reductions have a use for these.
func (r *grouper) blockOf(g *rowGroup) int {
	m, rows := r.s.machine, g.outer[len(g.outer)-1]
	b := r.bytesOfRow(g)
	cached := m.BlockBytes - min(b.shared, m.BlockBytes/2)
	block := max(1, min(rows, cached/b.row))
	unit := m.ScanRows
	switch {
	case g.multiplies():
		unit *= 3 // tiles of a product: a multiple of kernel.DotRows too
		block = max(block, min(rows, m.ProductRows, m.RowBytes/b.row*m.ProductBlocks))
	case g.scans(): // blocks of whole tiles of lines
	case b.row*g.rows >= m.AheadFrom && b.widest <= m.AheadBytes:
		block = max(1, m.AheadBytes/b.widest)
	case g.split[0].Reduces():
		block = max(block, min(rows, cached/b.again, m.StreamBytes/b.row))
	}
	if block > unit && block < rows { // blocks as equal as units allow
		parts := (rows-1)/(block/unit*unit) + 1
		block = ((rows-1)/parts + unit) / unit * unit
	}
	return block
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
