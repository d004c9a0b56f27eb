package passes

import (
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// borders puts the copies and casts that make a padded temporary into a row group with the steps that read
// it: for example a convolution of an image with zeros round it, of float16 too. A block of the reader's lines is
// computed after the padded lines that it reads, which stay in the cache, so that no padded image
// is in memory. Lines that two blocks read are copied for both. The first and the last lines have
// borders that those between them lack, so each of the three is a row group of its own.
//
// If the images are small, a block is one whole image or several.
//
// Requires: loops.
// Ensures: as rows, but that a row group's blocks may copy elements again.
func borders(s *State) error {
	if s.noFuse {
		return nil
	}
	b := &borderer{s: s, p: s.Plan, uses: s.bufferUses()}
	var tiles []regrouped
	for buffer := range b.p.Buffers {
		if t := b.tile(buffer); t != nil {
			tiles = append(tiles, t.write())
		}
	}
	if len(tiles) > 0 {
		s.regroup(tiles)
		s.Plan.Ledger = s.decisions()
	}
	return nil
}

type borderer struct {
	s     *State
	p     *plan.Plan
	uses  bufferUses
	taken []bool // by step: whether it is in a tile
	fixed []bool // by buffer: whether it never changes
}

// bordered is a tile in the making: the steps that make padded temporaries, and those that read
// them. All but the last one store temporaries that no other step touches: the intermediates.
type bordered struct {
	b       *borderer
	steps   []int         // in the plan, in order
	made    []int         // buffers of the intermediates
	shapes  map[int][]int // theirs
	members []borderMember
	images  []followed // the axes that count images
	lines   *followed  // the axis that counts lines, nil if blocks are of images
	size    int        // lines of a block, or images along the last of their axes
	classes []class
}

// mostMembers is how many steps a tile has at most.
const mostMembers = 12

// tile returns the largest tile round a buffer that several steps write, all of which copy or cast; nil if
// there is none.
func (b *borderer) tile(buffer int) *bordered {
	if w := b.uses.writers.of(buffer); len(w) == 0 || w[0] == w[len(w)-1] || slices.ContainsFunc(b.uses.writers.of(buffer), func(i int) bool { return !copiesOrCasts(&b.p.Steps[i]) }) {
		return nil
	}
	if b.fixed == nil {
		b.taken, b.fixed = make([]bool, len(b.p.Steps)), b.s.fixedBuffers()
	}
	t := &bordered{b: b, shapes: map[int][]int{}}
	var best *bordered
	for next := buffer; next >= 0 && t.add(next); next = t.extension() {
		if t.open() >= 0 { // two steps store what others read: one of them before the other
			continue
		}
		t.cutMembers()
		if !t.choose() || !t.divide() {
			continue
		}
		made := *t
		made.steps, made.made = slices.Clone(t.steps), slices.Clone(t.made)
		best = &made
	}
	if best == nil {
		return nil
	}
	for _, i := range best.steps {
		b.taken[i] = true
	}
	return best
}

// add makes a buffer an intermediate, and the steps that touch it members.
func (t *bordered) add(buffer int) bool {
	if t.b.p.Buffers[buffer].Kind != plan.TempBuffer || t.b.fixed[buffer] || len(t.b.uses.readers.of(buffer)) == 0 || slices.Contains(t.made, buffer) {
		return false
	}
	t.made = append(t.made, buffer)
	t.shapes[buffer] = t.shapeOf(buffer)
	for _, i := range slices.Concat(t.b.uses.writers.of(buffer), t.b.uses.readers.of(buffer)) {
		if t.b.taken[i] || !joinable(&t.b.p.Steps[i]) {
			return false
		}
		if !slices.Contains(t.steps, i) {
			t.steps = append(t.steps, i)
		}
	}
	sort.Ints(t.steps)
	return len(t.steps) <= mostMembers
}

// joinable reports whether a step can be divided into blocks: what it reads of a buffer that it
// stores to may belong to another block.
func joinable(s *plan.Step) bool {
	own := slices.ContainsFunc(s.In, func(a plan.Access) bool { return writes(s, a.Buffer) })
	return !own && !s.Scans() && !s.OnLines() && (copiesOrCasts(s) || len(s.Out) == 1)
}

// open returns the first member but the last that stores what is no intermediate, -1 if there
// is none.
func (t *bordered) open() int {
	for _, i := range t.steps[:len(t.steps)-1] {
		for _, out := range t.b.p.Steps[i].Out {
			if !slices.Contains(t.made, out.Buffer) {
				return i
			}
		}
	}
	return -1
}

// extension returns the buffer that the tile grows by, -1 for none: what a member stores for
// another one, what is stored inside borders, or a product or sums that an elementwise step reads.
func (t *bordered) extension() int {
	last := &t.b.p.Steps[t.steps[len(t.steps)-1]]
	if i := t.open(); i >= 0 {
		last = &t.b.p.Steps[i]
	}
	if len(last.Out) != 1 {
		return -1
	}
	out := last.Out[0].Buffer
	writers, readers := t.b.uses.writers.of(out), t.b.uses.readers.of(out)
	others := slices.ContainsFunc(writers, func(i int) bool { return !slices.Contains(t.steps, i) && !copiesOrCasts(&t.b.p.Steps[i]) })
	switch {
	case others || len(readers) == 0:
		return -1
	case t.open() >= 0:
		return out
	case len(writers) > 1 && len(readers) == 1 && !last.Contracts() && !t.b.p.Steps[readers[0]].Contracts():
		return out
	case !last.Elementwise() && len(readers) == 1 && t.b.p.Steps[readers[0]].Elementwise() && len(writers) == 1:
		return out
	}
	return -1
}
