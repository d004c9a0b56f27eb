package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// How many images or lines a block of a tile has, and what the tile gains.

// last returns the last member's step.
func (t *tile) last() *plan.Step { return &t.members[len(t.members)-1].step }

// extent returns the extent of the axis of the last member that f follows.
func (t *tile) extent(f *followed) int { return t.last().Axes[f.axes[len(f.axes)-1]].Extent }

// choose decides what a block is. It fails if no block stays in the cache. Blocks are of whole images if those are small
// and as many as there are pieces; then no axis behind those that count them is followed.
func (t *tile) choose() bool {
	t.images, t.lines, t.gain = nil, nil, 0
	all := 0 // bytes
	for _, b := range t.made {
		n := t.t.p.Buffers[b].Size() * t.t.p.Buffers[b].DType.Size()
		all, t.gain = all+n, t.gain+t.t.Machine.HeldWork*float64(n)
	}
	count, pieces, most, once := 1, t.pieces(), t.t.Machine.HeldBytes/2, t.t.Machine.HeldOnce
	for k, a := range t.last().Axes {
		if a.Role != plan.Parallel || a.Extent == 1 {
			continue
		}
		if len(t.images) > 0 && count >= pieces && all/count <= once {
			break
		}
		if f, ok := t.follow(len(t.members)-1, k, images); ok && k < len(t.last().Axes)-1 {
			t.images = append(t.images, f)
			count *= a.Extent
		} else if f, ok := t.follow(len(t.members)-1, k, lines); ok {
			t.lines = &f
			break
		}
	}
	if len(t.images) > 0 && all/count <= most && (t.lines == nil || count >= pieces) {
		t.lines = nil
		t.size = max(1, min(t.extent(&t.images[len(t.images)-1]), once/max(1, all/count), count/pieces))
		return true
	}
	return t.lines != nil && t.chooseLines((pieces-1)/count+1)
}

// work returns how much work the members are, in pieces that are worth another goroutine.
func (t *tile) work() int {
	work := 0.0
	for i := range t.members {
		work += t.t.Machine.Work(&t.members[i].step)
	}
	return int(work / t.t.Machine.WakeWork)
}

// computed returns the bytes of the intermediates that are no copies.
func (t *tile) computed() (bytes int) {
	for _, b := range t.made {
		if !t.copied(b) {
			bytes += t.t.p.Buffers[b].Size() * t.t.p.Buffers[b].DType.Size()
		}
	}
	return bytes
}

// pieces returns into how many blocks the work is divided at least: what is worth a goroutine, and as much of what the
// tile computes as stays in the first-level cache.
func (t *tile) pieces() int {
	m := t.t.Machine
	return max(1, min(4*m.Workers, max(t.work(), (t.computed()-1)/max(1, m.HeldLeast)+1)))
}

// chooseLines decides how many lines a block has, and what that gains. It fails if the lines of the intermediates that one
// block needs do not stay in the cache, if products or sums would be computed again, and if all the blocks are too few lines for kernels of a
// product of windows.
func (t *tile) chooseLines(pieces int) bool {
	lines := t.extent(t.lines)
	fixed, each, most := 0, 0, t.held()
	for _, b := range t.made {
		line := t.t.p.Buffers[b].Size() / t.shapes[b][t.lines.dims[b]] * t.t.p.Buffers[b].DType.Size()
		for k := range t.images {
			line /= t.shapes[b][t.images[k].dims[b]]
		}
		fixed, each = fixed+max(0, t.again(b))*line, each+t.lines.pers[b]*line
	}
	if once := t.t.Machine.HeldOnce; fixed == 0 && each <= once {
		most = min(most, once)
	}
	t.size = min((most-fixed)/max(1, each), (lines-1)/pieces+1, lines)
	for i := range t.members {
		t.size = min(t.size, t.mostOfProduct(i, fixed > 0))
	}
	if t.size < 1 || t.size == lines && len(t.images) == 0 && t.work() > 0 && t.computed() > 0 {
		return false // one block of all leaves nothing to other goroutines; copies alone are worth none
	}
	t.size = (lines-1)/((lines-1)/t.size+1) + 1 // blocks as equal as can be
	for _, b := range t.made {
		for i := range t.members {
			if s := &t.members[i].step; s.Writes(b) && t.again(b) > 0 {
				if s.Contracts() {
					return false
				}
				t.gain -= t.t.Machine.Work(s) * float64(t.again(b)) / float64(t.lines.pers[b]*t.size)
			}
		}
	}
	return true
}

// held returns how much memory the lines of a block take at most: blocks of few lines compute more again, but to copy again costs little.
func (t *tile) held() int {
	for _, b := range t.made {
		if t.again(b) > 0 && !t.copied(b) {
			return t.t.Machine.HeldBytes
		}
	}
	return t.t.Machine.HeldBytes / 2
}

// copied reports whether only copies and casts make an intermediate.
func (t *tile) copied(buffer int) bool {
	return !slices.ContainsFunc(t.t.uses.Writers(buffer), func(i int) bool { return !copiesOrCasts(&t.t.p.Steps[i]) })
}

// again returns how many lines of an intermediate two blocks next to each other both have, below 0 if there are
// lines between them that none has.
func (t *tile) again(buffer int) int {
	if t.lines == nil {
		return 0
	}
	_, kept := t.block(t.extent(t.lines)/2, 1)
	return kept[buffer].count - t.lines.pers[buffer]
}

// mostOfProduct returns how many lines a block has at most, where a member is a product whose windows they are: as many as of
// other products. If lines are copied again for each block, those that are the left operand are not divided further.
func (t *tile) mostOfProduct(member int, again bool) int {
	s, axis := &t.members[member].step, t.lines.axes[member]
	if !s.Contracts() {
		return t.extent(t.lines)
	}
	at := s.Product()
	first, end, most := at.Cols, len(s.Axes), t.t.Machine.Matmul.Cols
	if axis < first {
		first, end, most = at.Rows, at.Cols, t.t.Machine.Matmul.Windows
	}
	if again && end == at.Cols {
		return t.extent(t.lines)
	}
	for k := first; k < end; k++ {
		if k != axis {
			most /= max(1, s.Axes[k].Extent)
		}
	}
	return max(1, most)
}

// rowsOfBlock returns how many rows a block of a row group has: as many as stay in the second-level cache, or fewer or more where
// memory, products or reductions have a use for these.
func (t *tile) rowsOfBlock(b rowBytes) int {
	m, rows := t.t.Machine, t.extent(&t.images[len(t.images)-1])
	any := func(is func(s *plan.Step) bool) bool {
		return slices.ContainsFunc(t.members, func(m tileMember) bool { return is(&m.step) })
	}
	cached := m.BlockBytes - min(b.shared, m.BlockBytes/2)
	block := max(1, min(rows, cached/b.row))
	unit := m.ScanRows
	switch {
	case any((*plan.Step).Contracts):
		unit *= 3 // tiles of a product: a multiple of kernel.DotRows too
		block = max(block, min(rows, m.ProductRows, m.RowBytes/b.row*m.ProductBlocks))
	case any((*plan.Step).Scans): // blocks of whole tiles of lines
	case b.row*t.rows >= m.AheadFrom && b.widest <= m.AheadBytes:
		block = max(1, m.AheadBytes/b.widest)
	case t.members[0].step.Reduces():
		block = max(block, min(rows, cached/b.again, m.StreamBytes/b.row))
	}
	if block > unit && block < rows { // blocks as equal as units allow
		parts := (rows-1)/(block/unit*unit) + 1
		block = ((rows-1)/parts + unit) / unit * unit
	}
	return min(block, rows)
}

// leaveOthers has blocks of images or rows be fewer of them if that gives work to more goroutines, still as many as scans take side by
// side.
func (t *tile) leaveOthers() {
	if t.lines != nil {
		return
	}
	all, work, m := 1, 0.0, t.t.Machine
	for i := range t.images {
		all *= t.extent(&t.images[i])
	}
	for i := range t.members {
		work += m.Work(&t.members[i].step)
	}
	few := (all-1)/m.Pieces(m.Workers, work) + 1
	t.size = min(t.size, (few+m.ScanRows-1)/m.ScanRows*m.ScanRows)
}

// rowBytes is how much memory the steps of a group touch for one row, each buffer counted once.
type rowBytes struct {
	row    int // in all
	again  int // of buffers that another step than the first touches
	widest int // of one buffer at most
	shared int // for all rows alike, but for the right matrices of products, which no block keeps in the cache
}

// bytesOfRow returns the memory of a row.
func (t *tile) bytesOfRow() rowBytes {
	type bytes struct{ own, again, shared int }
	memory := map[int]bytes{}
	for k := range t.members {
		s := &t.members[k].step
		touch := func(a plan.Access) {
			moves := a.Strides[t.images[len(t.images)-1].axes[k]] != 0
			if !moves && s.Contracts() {
				return
			}
			n := t.t.p.Buffers[a.Buffer].DType.Size()
			for axis, x := range s.Axes {
				if a.Strides[axis] != 0 && !slices.ContainsFunc(t.images, func(f followed) bool { return f.axes[k] == axis }) {
					n *= x.Extent
				}
			}
			of := memory[a.Buffer]
			switch {
			case !moves:
				of.shared = max(of.shared, n)
			case k > 0:
				of.again = max(of.again, n)
				fallthrough
			default:
				of.own = max(of.own, n)
			}
			memory[a.Buffer] = of
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
	for _, of := range memory {
		b.row, b.again, b.shared, b.widest = b.row+of.own, b.again+of.again, b.shared+of.shared, max(b.widest, of.own)
	}
	b.row, b.again, b.widest = max(1, b.row), max(1, b.again), max(1, b.widest)
	return b
}
