package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// How many images or lines a block of a bordered tile has, and which lines of each member and
// intermediate belong to it.

// last returns the last member's step.
func (t *bordered) last() *plan.Step { return &t.members[len(t.members)-1].step }

// choose decides what a block is. It fails if no block stays in the cache.
func (t *bordered) choose() bool {
	t.images, t.lines = nil, nil
	images := 1
	for k, a := range t.last().Axes {
		if a.Role != plan.Parallel || a.Extent == 1 {
			continue
		}
		if f, ok := t.follow(k, true); ok && k < len(t.last().Axes)-1 {
			t.images = append(t.images, f)
			images *= a.Extent
		} else if f, ok := t.follow(k, false); ok {
			t.lines = &f
			break
		}
	}
	bytes := 0 // of an image
	for _, b := range t.made {
		bytes += t.b.p.Buffers[b].Size() * t.b.p.Buffers[b].DType.Size() / images
	}
	pieces, most := t.pieces(), t.b.s.machine.HeldBytes/2
	if len(t.images) > 0 && bytes <= most && (t.lines == nil || images >= pieces) {
		t.lines = nil
		t.size = max(1, min(t.extent(&t.images[len(t.images)-1]), most/4/max(1, bytes), images/pieces))
		return true
	}
	return t.lines != nil && t.chooseLines((pieces-1)/images+1, most)
}

// extent returns the extent of the axis of the last member that f follows.
func (t *bordered) extent(f *followed) int { return t.last().Axes[f.axes[len(f.axes)-1]].Extent }

// pieces returns into how many blocks the work is divided at least.
func (t *bordered) pieces() int {
	work := 0.0
	for i := range t.members {
		work += t.b.s.machine.Work(&t.members[i].step)
	}
	return max(1, min(4*t.b.s.machine.Workers, int(work/t.b.s.machine.WakeWork)))
}

// chooseLines decides how many lines a block has.
func (t *bordered) chooseLines(pieces, most int) bool {
	lines := t.extent(t.lines)
	fixed, each, ok := t.bytesOfLines()
	t.size = min((most-fixed)/max(1, each), (lines-1)/pieces+1, lines)
	for i := range t.members {
		if s := &t.members[i].step; s.Contracts() && t.lines.axes[i] >= s.Product().Cols {
			columns := 1 // a block has as many as of other products
			for k := s.Product().Cols; k < len(s.Axes); k++ {
				if k != t.lines.axes[i] {
					columns *= s.Axes[k].Extent
				}
			}
			t.size = min(t.size, max(1, t.b.s.machine.Matmul.Cols/columns))
		}
	}
	if !ok || t.size < 1 {
		return false
	}
	t.size = (lines-1)/((lines-1)/t.size+1) + 1 // blocks as equal as can be
	return t.gain() > 0
}

// gain returns what blocks of lines save, in additions: the time of the memory that is not written
// and read, less that of what is copied again.
func (t *bordered) gain() float64 {
	_, kept := t.block(t.extent(t.lines)/2, 1)
	gain := 0.0
	for _, b := range t.made {
		gain += t.b.s.machine.HeldWork * float64(t.b.p.Buffers[b].Size()*t.b.p.Buffers[b].DType.Size())
		per := t.lines.pers[b]
		again := float64(max(0, kept[b].count-per)) / float64(per*t.size)
		for i := range t.members {
			if s := &t.members[i].step; writes(s, b) {
				gain -= t.b.s.machine.Work(s) * again
			}
		}
	}
	return gain
}

// bytesOfLines returns how many bytes the intermediates have of a block, whatever it has, and for
// each of its lines. It fails if two blocks would compute the same, other than copies and casts.
func (t *bordered) bytesOfLines() (fixed, each int, ok bool) {
	_, kept := t.block(t.extent(t.lines)/2, 1)
	for _, b := range t.made {
		dim, per := t.lines.dims[b], t.lines.pers[b]
		line := t.b.p.Buffers[b].Size() / t.shapes[b][dim] * t.b.p.Buffers[b].DType.Size()
		for k := range t.images {
			line /= t.shapes[b][t.images[k].dims[b]]
		}
		again := kept[b].count - per
		if again > 0 && slices.ContainsFunc(t.b.uses.writers.of(b), func(i int) bool { return !copiesOrCasts(&t.b.p.Steps[i]) }) {
			return 0, 0, false
		}
		each, fixed = each+per*line, fixed+max(0, again)*line
	}
	return fixed, each, true
}

// run is a number of lines.
type run struct{ from, count int }

// block returns which lines of each member, and of each intermediate, belong to lines of the last
// member.
func (t *bordered) block(from, count int) (members []run, kept map[int]run) {
	members, kept = make([]run, len(t.members)), map[int]run{}
	for k := len(t.members) - 1; k >= 0; k-- {
		m := &t.members[k].step
		members[k] = run{from, count}
		if k < len(t.members)-1 {
			members[k] = t.stores(m, t.lines.dims[m.Out[0].Buffer], kept)
		}
		if members[k].count > 0 {
			t.reads(m, t.lines.axes[k], members[k], kept)
		}
	}
	return members, kept
}

// stores returns which lines of a member store those that are kept of what it writes.
func (t *bordered) stores(m *plan.Step, dim int, kept map[int]run) run {
	out := m.Out[0].Access
	p, _ := placeAccess(t.shapes[out.Buffer], m.OutExtents(0), out)
	want := kept[out.Buffer]
	begin := max(want.from, p.first[dim])
	end := min(want.from+want.count, p.first[dim]+p.reach[dim]+1)
	return run{begin - p.first[dim], max(0, end-begin)}
}

// reads adds the lines that some lines of a member read to those that are kept.
func (t *bordered) reads(m *plan.Step, axis int, own run, kept map[int]run) {
	for _, a := range m.In {
		if !slices.Contains(t.made, a.Buffer) {
			continue
		}
		p, _ := placeAccess(t.shapes[a.Buffer], m.Extents(), a)
		dim, by := p.dim[axis], p.by[axis]
		lo := p.first[dim] + by*own.from
		hi := lo + p.reach[dim] - by*(m.Axes[axis].Extent-own.count)
		if k, known := kept[a.Buffer]; known {
			lo, hi = min(lo, k.from), max(hi, k.from+k.count-1)
		}
		kept[a.Buffer] = run{lo, hi - lo + 1}
	}
}

// class is a number of blocks, one after the other, whose lines differ by where they begin alone.
type class struct {
	blocks  int
	members []run // of the first block
	kept    map[int]run
}

// mostClasses is how many classes the blocks of a tile may have.
const mostClasses = 4

// divide notes the classes of all blocks; it fails if they are many.
func (t *bordered) divide() bool {
	t.classes = nil
	if t.lines == nil {
		t.classes = []class{{blocks: 1}}
		return true
	}
	lines := t.extent(t.lines)
	for from := 0; from < lines; from += t.size {
		members, kept := t.block(from, min(t.size, lines-from))
		if n := len(t.classes); n > 0 && t.follows(&t.classes[n-1], members, kept) {
			t.classes[n-1].blocks++
			continue
		}
		if len(t.classes) == mostClasses {
			return false
		}
		t.classes = append(t.classes, class{1, members, kept})
	}
	return true
}

// follows reports whether a block is one more of a class.
func (t *bordered) follows(c *class, members []run, kept map[int]run) bool {
	next := func(a, b run, per int) bool {
		return a.count == b.count && (a.count == 0 || b.from == a.from+per*t.size*c.blocks)
	}
	for k := range members {
		if !next(c.members[k], members[k], t.lines.per[k]) {
			return false
		}
	}
	for _, b := range t.made {
		if !next(c.kept[b], kept[b], t.lines.pers[b]) {
			return false
		}
	}
	return true
}
