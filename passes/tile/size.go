package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// The number of images or lines in a block of a tile, and the gain of the tile.

// last returns the step of the last member.
func (t *tile) last() *plan.Step { return &t.members[len(t.members)-1].step }

// extent returns the extent of the last member's axis in f.
func (t *tile) extent(f *followed) int { return t.last().Axes[f.axes[len(f.axes)-1]].Extent }

// choose decides whether a block is a number of images or of lines, and the number. Blocks are of whole images if
// images are small and there are at least as many as pieces; the axes after those that count them are then not
// followed. choose fails if no block stays in the cache.
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

// work returns the work of all members, measured in pieces that are worth another goroutine.
func (t *tile) work() int {
	work := 0.0
	for i := range t.members {
		work += t.t.Machine.Work(&t.members[i].step)
	}
	return int(work / t.t.Machine.WakeWork)
}

// computed returns the size in bytes of the intermediates that steps other than copies and casts make.
func (t *tile) computed() (bytes int) {
	for _, b := range t.made {
		if !t.copied(b) {
			bytes += t.t.p.Buffers[b].Size() * t.t.p.Buffers[b].DType.Size()
		}
	}
	return bytes
}

// pieces returns the least number of blocks for a tile: the number of goroutines that its work is worth, or, if that is
// more, the number of blocks whose computed intermediates fit the first-level cache. It is at most four for each
// worker.
func (t *tile) pieces() int {
	m := t.t.Machine
	return max(1, min(4*m.Workers, max(t.work(), (t.computed()-1)/max(1, m.HeldLeast)+1)))
}

// chooseLines decides how many lines a block has, and subtracts from the gain the lines that blocks compute again. It
// fails in three cases:
//
//   - The lines of intermediates that one block needs do not stay in the cache.
//   - A product would be computed again.
//   - One block would have all lines, although the tile does more than copy and its work is worth another goroutine.
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
	fits := (t.held() - fixed) / max(1, each)
	for i := range t.members {
		t.size = max(t.size, min(t.leastOfProduct(i), fits, (lines-1)/t.t.Machine.Workers+1))
	}
	if t.size < 1 || t.size == lines && len(t.images) == 0 && t.work() > 0 && t.computed() > 0 {
		return false // one block leaves nothing to other goroutines; mere copies need none
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

// held returns the most bytes that the lines of a block may take. If blocks compute lines again, the limit is higher,
// because larger blocks do that less. Lines that are only copied again cost little, and do not raise the limit.
func (t *tile) held() int {
	for _, b := range t.made {
		if t.again(b) > 0 && !t.copied(b) {
			return t.t.Machine.HeldBytes
		}
	}
	return t.t.Machine.HeldBytes / 2
}

// copied reports whether only copies and casts write an intermediate.
func (t *tile) copied(buffer int) bool {
	return !slices.ContainsFunc(t.t.uses.Writers(buffer), func(i int) bool { return !copiesOrCasts(&t.t.p.Steps[i]) })
}

// again returns the number of lines of an intermediate that two neighbouring blocks share. It is negative if some lines
// between the blocks belong to neither.
func (t *tile) again(buffer int) int {
	if t.lines == nil {
		return 0
	}
	_, kept := t.block(t.extent(t.lines)/2, 1)
	return kept[buffer].count - t.lines.pers[buffer]
}

// mostOfProduct returns the most lines that a block may have because of a member. If the member is a product, a block
// has at most as many rows or columns as the blocks of other products. If blocks copy lines again, the lines of a left
// operand are not divided further.
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

// leastOfProduct returns the fewest lines that a member wants a block to have. It is more than 1 if the lines are rows of a product:
// each tile of the product loads the right operand once for all rows of the tile, and tiles of few rows wait for these loads.
func (t *tile) leastOfProduct(member int) int {
	s, axis := &t.members[member].step, t.lines.axes[member]
	if !s.Contracts() || axis < s.Product().Rows || axis >= s.Product().Cols {
		return 1
	}
	return t.t.Machine.Matmul.LeastWindows
}

// rowsOfBlock returns the number of rows in a block of a row group. A block has as many rows as stay in the
// second-level cache. Products and reductions may have more rows, and groups that stream from memory may have more or
// fewer.
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
		unit *= 3 // for tiles of a product, also a multiple of kernel.DotRows
		block = max(block, min(rows, m.ProductRows, m.RowBytes/b.row*m.ProductBlocks))
		if rows <= block+block/3 { // the rows of an image are not divided, as its right matrices would pass twice
			block = rows
		}
	case any((*plan.Step).Scans): // a block has whole tiles of lines
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

// leaveOthers makes blocks of images or rows smaller if this gives work to more goroutines. The smaller number is a
// multiple of Machine.ScanRows, the rows that scans take side by side.
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

// rowBytes is the memory, in bytes, that the members touch for one row. Each buffer is counted once.
type rowBytes struct {
	row    int // in all buffers
	again  int // in buffers that a member after the first touches
	widest int // in the buffer with the most
	shared int // shared by all rows, without the right matrices of products, which no block keeps in the cache
}

// bytesOfRow returns the memory that the members touch for one row.
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
			if s.Contracts() || s.Scans() || o.Stored() { // a reduction stores only a few elements per row
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
