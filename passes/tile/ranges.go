package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// The lines that a block needs of each member and of each intermediate. They are intervals, found from the lines of the
// last member back to the first member.

// run is an interval of lines.
type run struct{ from, count int }

// block returns the lines of each member and of each intermediate that are needed for count lines of the last member,
// beginning with line from.
func (t *tile) block(from, count int) (members []run, kept map[int]run) {
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

// stores returns the lines of the member m that store the lines in kept of its output. dim is the dimension of the
// output that counts lines.
func (t *tile) stores(m *plan.Step, dim int, kept map[int]run) run {
	out := m.Out[0].Access
	p, _ := placeAccess(t.shapes[out.Buffer], m.OutExtents(0), out)
	want := kept[out.Buffer]
	begin := max(want.from, p.low[dim])
	end := min(want.from+want.count, p.low[dim]+p.reach[dim]+1)
	return run{begin - p.low[dim], max(0, end-begin)}
}

// reads extends kept by the lines of intermediates that the member m reads for its own lines. axis is the axis of m
// that counts lines.
func (t *tile) reads(m *plan.Step, axis int, own run, kept map[int]run) {
	for _, a := range m.In {
		if !slices.Contains(t.made, a.Buffer) {
			continue
		}
		p, _ := placeAccess(t.shapes[a.Buffer], m.InExtents(a), a)
		dim, by := p.dim[axis], p.by[axis]
		lo := p.low[dim] + by*own.from
		hi := lo + p.reach[dim] - by*(m.Axes[axis].Extent-own.count)
		if k, known := kept[a.Buffer]; known {
			lo, hi = min(lo, k.from), max(hi, k.from+k.count-1)
		}
		kept[a.Buffer] = run{lo, hi - lo + 1}
	}
}

// class is a number of consecutive blocks whose lines differ only by where they begin.
type class struct {
	blocks  int
	members []run // of the first block
	kept    map[int]run
}

// mostClasses is the greatest number of classes that a tile's blocks may have.
const mostClasses = 4

// divide divides the blocks into classes. It fails if there are more than mostClasses, or if the blocks leave out lines
// of a gather.
func (t *tile) divide() bool {
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
	return t.gathersAll()
}

// gathersAll reports whether the blocks have every line of each gather. They must, because an index outside the table
// is an error even if nothing reads its row.
func (t *tile) gathersAll() bool {
	last := &t.classes[len(t.classes)-1]
	for k := range t.members[:len(t.members)-1] {
		s, axis := &t.members[k].step, t.lines.axes[k]
		if !s.Gathers() || axis < 0 {
			continue
		}
		per := t.lines.per[k] * t.size
		end := last.members[k].from + (last.blocks-1)*per + last.members[k].count
		if t.classes[0].members[k].from > 0 || t.classes[0].members[k].count < min(per, s.Axes[axis].Extent) || end < s.Axes[axis].Extent {
			return false
		}
	}
	return true
}

// follows reports whether a block with the given lines is the next block of the class c.
func (t *tile) follows(c *class, members []run, kept map[int]run) bool {
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
