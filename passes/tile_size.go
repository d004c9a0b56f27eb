package passes

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
		all, t.gain = all+n, t.gain+t.t.s.machine.HeldWork*float64(n)
	}
	images, pieces, most, once := 1, t.pieces(), t.t.s.machine.HeldBytes/2, t.t.s.machine.HeldOnce
	for k, a := range t.last().Axes {
		if a.Role != plan.Parallel || a.Extent == 1 {
			continue
		}
		if len(t.images) > 0 && images >= pieces && all/images <= once {
			break
		}
		if f, ok := t.follow(k, true); ok && k < len(t.last().Axes)-1 {
			t.images = append(t.images, f)
			images *= a.Extent
		} else if f, ok := t.follow(k, false); ok {
			t.lines = &f
			break
		}
	}
	if len(t.images) > 0 && all/images <= most && (t.lines == nil || images >= pieces) {
		t.lines = nil
		t.size = max(1, min(t.extent(&t.images[len(t.images)-1]), once/max(1, all/images), images/pieces))
		return true
	}
	return t.lines != nil && t.chooseLines((pieces-1)/images+1)
}

// work returns how much work the members are, in pieces that are worth another goroutine.
func (t *tile) work() int {
	work := 0.0
	for i := range t.members {
		work += t.t.s.machine.Work(&t.members[i].step)
	}
	return int(work / t.t.s.machine.WakeWork)
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
	m := t.t.s.machine
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
	if once := t.t.s.machine.HeldOnce; fixed == 0 && each <= once {
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
			if s := &t.members[i].step; writes(s, b) && t.again(b) > 0 {
				if s.Contracts() {
					return false
				}
				t.gain -= t.t.s.machine.Work(s) * float64(t.again(b)) / float64(t.lines.pers[b]*t.size)
			}
		}
	}
	return true
}

// held returns how much memory the lines of a block take at most: blocks of few lines compute more again, but to copy again costs little.
func (t *tile) held() int {
	for _, b := range t.made {
		if t.again(b) > 0 && !t.copied(b) {
			return t.t.s.machine.HeldBytes
		}
	}
	return t.t.s.machine.HeldBytes / 2
}

// copied reports whether only copies and casts make an intermediate.
func (t *tile) copied(buffer int) bool {
	return !slices.ContainsFunc(t.t.uses.writers.of(buffer), func(i int) bool { return !copiesOrCasts(&t.t.p.Steps[i]) })
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
	first, end, most := at.Cols, len(s.Axes), t.t.s.machine.Matmul.Cols
	if axis < first {
		first, end, most = at.Rows, at.Cols, t.t.s.machine.Matmul.Windows
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
