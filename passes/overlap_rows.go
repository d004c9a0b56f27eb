package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Which rows of a temporary the steps of a tile read, and how many rows a block has.

// span says which rows are computed for a block of the last step's rows: for rows from to
// last those from per*from+lo to per*last+hi.
type span struct{ per, lo, hi int }

// begin returns the first row for a block that begins at row from.
func (s span) begin(from int) int { return s.per*from + s.lo }

// count returns how many rows there are for a block of so many.
func (s span) count(block int) int { return s.per*(block-1) + s.hi - s.lo + 1 }

// overlap returns how many rows two blocks next to each other both have, below 0 if there are
// rows between them that none has.
func (s span) overlap() int { return s.hi - s.lo + 1 - s.per }

// all reports whether the blocks of a tile, whose last step has a number of rows, compute each row of a temporary.
func (s span) all(last, rows int) bool {
	return s.lo == 0 && s.overlap() >= 0 && s.begin(last-1)+s.count(1) == rows
}

// reads returns how many elements a row of a buffer has, and which rows the members of a tile
// read. It fails if another step reads the buffer, or a member not by rows.
func (o *overlapper) reads(t *tile, buffer int) (row int, all span, ok bool) {
	for _, i := range o.uses.readers.of(buffer) {
		k := slices.IndexFunc(t.members, func(m member) bool { return m.index == i })
		if k < 0 {
			return 0, all, false
		}
		m := &t.members[k]
		for _, a := range m.step.In {
			if a.Buffer != buffer {
				continue
			}
			if row == 0 {
				row = rowOf(o.p.Buffers[buffer].Shape, a.Strides[m.axis])
			}
			if row == 0 || a.Strides[m.axis]%row != 0 || a.Strides[m.axis] <= 0 {
				return 0, all, false
			}
			lo, hi := inRow(m.step.InExtents(a), m.axis, a).Bounds()
			per := a.Strides[m.axis] / row
			read := span{m.per * per, m.lo*per + lo/row, m.hi*per + hi/row}
			if all.per == 0 {
				all = read
			}
			if lo < 0 || read.per != all.per {
				return 0, all, false
			}
			all.lo, all.hi = min(all.lo, read.lo), max(all.hi, read.hi)
		}
	}
	return row, all, true
}

// rowOf returns the elements of a row of a shape, where the rows that are a distance apart
// are one or more rows apart: of those of all leading axes the longest. It returns 0 if the
// distance is not one of whole rows.
func rowOf(shape []int, distance int) int {
	row, longest := 1, 0
	for k := len(shape) - 1; k >= 0; k-- {
		if row <= distance && distance%row == 0 {
			longest = row
		}
		row *= max(1, shape[k])
	}
	return longest
}

// inRow returns where an access is at the first index of an axis.
func inRow(extents []int, axis int, a plan.Access) layout.Layout {
	extents = slices.Clone(extents)
	extents[axis] = 1
	return layout.Layout{Shape: extents, Strides: a.Strides, Offset: a.Offset}
}

// blockOf returns how many rows a block has, and what the tile gains: the time of the memory
// that is not written and read, less that of what is computed again. It gains nothing if the
// intermediates of a block do not stay in the cache, or there are too few blocks for all workers.
func (o *overlapper) blockOf(t *tile) (block int, gain float64) {
	fixed, perRow, most, again := 0, 0, o.s.machine.HeldBytes, false // bytes, and whether rows are computed again
	for k := range t.members[1:] {
		m := &t.members[1+k]
		b := &o.p.Buffers[m.buffer()]
		row := m.row * b.DType.Size()
		fixed, perRow = fixed+max(0, m.overlap())*row, perRow+m.per*row
		again = again || m.overlap() > 0
		gain += o.s.machine.HeldWork * float64(b.Size()*b.DType.Size())
	}
	if !again && perRow <= o.s.machine.HeldOnce { // blocks of few rows compute no more
		most = min(most, o.s.machine.HeldOnce)
	}
	least := o.s.machine.HeldLeast / max(1, perRow)
	block = min(t.rows, (most-fixed)/max(1, perRow), max(least, (t.rows-1)/(4*o.s.machine.Workers)+1))
	if block < 1 || block > least && o.s.machine.Workers > 1 && t.rows/block < 2*o.s.machine.Workers {
		return 0, 0
	}
	fewest := max(block-block/8, block-1024)
	for n := block; n > fewest; n-- { // so that few rows remain
		if t.rows%n < t.rows%block {
			block = n
		}
	}
	for k := range t.members[1:] {
		m := &t.members[1+k]
		gain -= o.s.machine.Work(&m.step) * float64(max(0, m.overlap())) / float64(m.per*block)
	}
	return block, gain
}
