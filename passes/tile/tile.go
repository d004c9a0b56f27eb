// Package tile forms the tile groups of a plan: which steps run block by block, one right after the other, and how large a block
// is. It also gives temporaries and scratch buffers their memory. It is a part of the schedule: it weighs caches and workers.
package tile

import (
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Form decides of the values that steps store where they are kept. A value stays in memory; or what reads it computes it in its own
// body, as reductions do with gathered rows (see gathersInBodies); or it is an intermediate of a tile group. A group computes
// one block of its last step at a time, a number of rows, lines or images, right after
// the part that the block needs of the values that the other steps store. Intermediates need memory for
// one block, which stays in the cache. Lines that two blocks need are computed for both, if the memory traffic that is
// saved costs more; this is known as overlapped tiling. The search for a group begins with one intermediate:
//
//   - a padded value, which copies and casts make, for example an image with zeros round it for a convolution;
//   - what a step that reduces, scans or multiplies rows stores, or reads: see rowGroups;
//   - a product of windows that an elementwise step reads: a bias, what is added, and the activation;
//   - a value that no cache keeps from step to step, or that a gather stores.
//
// The first and the last lines may need less than those between them, as borders do, so a group may become
// several, one for each class of blocks.
//
// The steps of a group are consecutive then; a block of rows reads what the group makes of its own
// rows alone; buffers that only a group uses are scratch.
func Form(p *plan.Plan, o Options) Formed {
	f := &former{p: p, Options: o}
	for i := range p.Steps {
		f.made.Steps = append(f.made.Steps, i)
	}
	if len(p.Steps) < 2 { // nothing to join
		return f.made
	}
	if !o.NoFuse {
		f.gathersInBodies()
		f.tilesFrom((*tiler).padded)
	}
	f.rowGroups()
	if !o.NoFuse {
		f.tilesFrom((*tiler).windows, (*tiler).held)
	}
	return f.made
}

// Options say how tiles are formed.
type Options struct {
	Machine *tuning.Machine
	Frozen  func(param int) bool // whether a param never changes
	Eager   bool                 // of gathers: see longRows
	NoFuse  bool                 // row groups alone
}

// Formed says what has become of the steps and buffers of a plan.
type Formed struct {
	Steps   []int // by step: its new number, or that of the step or the first one in its place
	Buffers []int // by buffer: its new number, -1 if it is gone; nil if all are as they were
	InBody  []int // buffers that are gone, as what reads them computes them
	Again   []int // buffers, by their new numbers, lines of which several blocks compute
}

// former forms the tiles of a plan.
type former struct {
	Options
	p    *plan.Plan
	made Formed
}

// tilesFrom makes the tile groups that grow from intermediates of some kinds.
func (f *former) tilesFrom(kinds ...func(*tiler, int) bool) {
	t := &tiler{former: f, kinds: kinds}
	var found []regrouped
	for _, kind := range kinds {
		for buffer := range t.p.Buffers {
			if t.uses == nil && t.p.Buffers[buffer].Kind == plan.TempBuffer {
				t.index()
			}
			if t.p.Buffers[buffer].Kind != plan.TempBuffer || !kind(t, buffer) {
				continue
			}
			if best := t.grow(buffer); best != nil {
				for _, i := range best.steps {
					t.taken[i] = true
				}
				best.explain()
				found = append(found, best.write())
			}
		}
	}
	if len(found) > 0 {
		f.regroup(found)
	}
}

// tiler searches for tile groups.
type tiler struct {
	*former
	kinds []func(*tiler, int) bool
	uses  *plan.Uses
	taken []bool // by step: whether it is in a group
	fixed []bool // by buffer: whether it never changes
}

// index notes what the search needs to know of the plan.
func (t *tiler) index() {
	t.uses, t.fixed, t.taken = t.p.Uses(), t.p.Fixed(t.Frozen), make([]bool, len(t.p.Steps))
	for _, g := range t.p.Rows {
		for i := g.First; i <= g.Last; i++ {
			t.taken[i] = true
		}
	}
}

// padded reports whether several steps write a buffer, all of which copy or cast.
func (t *tiler) padded(buffer int) bool {
	w := t.uses.Writers(buffer)
	return len(w) > 0 && w[0] != w[len(w)-1] && !slices.ContainsFunc(w, func(i int) bool { return !copiesOrCasts(&t.p.Steps[i]) })
}

// windows reports whether a buffer is a product of windows that only an elementwise step reads.
func (t *tiler) windows(buffer int) bool {
	reader := t.uses.OnlyReader(buffer)
	if reader < 0 || !t.p.Steps[reader].Elementwise() {
		return false
	}
	s := &t.p.Steps[t.uses.Writers(buffer)[0]]
	return s.Contracts() && readsWindows(s)
}

// held reports whether one step stores a buffer that is large, or a gather one of any size: with the step that reads them, few
// gathered rows take 0.5 to 1.0 times as long in a tile.
func (t *tiler) held(buffer int) bool {
	w := t.uses.Writers(buffer)
	return len(w) == 1 && (t.large(buffer) || t.p.Steps[w[0]].Gathers()) && !t.p.Steps[w[0]].Contracts()
}

// large reports whether no cache keeps a buffer from step to step.
func (t *tiler) large(buffer int) bool {
	b := &t.p.Buffers[buffer]
	return b.Size()*b.DType.Size() >= t.Machine.HeldFrom
}

// tile is a tile group in the making: the steps that make its intermediates, and those that read
// them. All but the last one store intermediates alone, which no other step touches.
type tile struct {
	t       *tiler
	rows    int           // of a row group, whose members may store what other steps read; else 0
	steps   []int         // in the plan, in order
	made    []int         // buffers of the intermediates
	shapes  map[int][]int // theirs, as the steps move through them
	members []tileMember
	images  []followed // the axes that count images or rows
	lines   *followed  // the axis that counts lines, nil if blocks are of images
	size    int        // lines of a block, or images or rows along the last of their axes
	classes []class
	gain    float64 // in additions: the memory traffic saved, less what is computed again
}

// grow returns the tile that gains most, of those that grow from an intermediate by one more at a time; nil if there is none.
func (t *tiler) grow(buffer int) *tile {
	best := (&tile{t: t}).with(buffer)
	for next := best; next != nil; {
		best, next = next, nil
		for _, b := range best.neighbours() {
			if n := best.with(b); n != nil && n.gain > best.gain {
				next = n
				break
			}
		}
	}
	return best
}

// with returns the tile with one more intermediate, and those that it must have then; nil if that can't be.
func (t *tile) with(buffer int) *tile {
	next := &tile{t: t.t, steps: slices.Clone(t.steps), made: slices.Clone(t.made)}
	for ok := next.add(buffer); ok; ok = next.add(buffer) {
		if buffer = next.open(); buffer < 0 {
			if next.cut() && next.choose() && next.divide() && next.gain > 0 {
				return next
			}
			break
		}
	}
	return nil
}

// add makes a buffer an intermediate, and the steps that touch it members.
func (t *tile) add(buffer int) bool {
	p := t.t.p
	if p.Buffers[buffer].Kind != plan.TempBuffer || t.t.fixed[buffer] || slices.Contains(t.made, buffer) || len(t.t.uses.Readers(buffer)) == 0 {
		return false
	}
	t.made = append(t.made, buffer)
	for _, i := range slices.Concat(t.t.uses.Writers(buffer), t.t.uses.Readers(buffer)) {
		if t.t.taken[i] || !joinable(&p.Steps[i]) {
			return false
		}
		if !slices.Contains(t.steps, i) {
			t.steps = append(t.steps, i)
		}
	}
	sort.Ints(t.steps)
	return len(t.steps) <= t.t.Machine.LookAhead
}

// joinable reports whether a step can be divided into blocks: what it reads of a buffer that it
// stores to may belong to another block.
func joinable(s *plan.Step) bool {
	own := slices.ContainsFunc(s.In, func(a plan.Access) bool { return s.Writes(a.Buffer) })
	return !own && !s.Scans() && (!s.OnLines() || s.Gathers() || s.Scatters())
}

// open returns a buffer that a member but the last stores and that is no intermediate yet, -1 if there is none.
func (t *tile) open() int {
	for _, i := range t.steps[:len(t.steps)-1] {
		for _, out := range t.t.p.Steps[i].Out {
			if !slices.Contains(t.made, out.Buffer) {
				return out.Buffer
			}
		}
	}
	return -1
}

// neighbours returns the buffers that the tile may grow by: what the last member stores, inside the borders of
// a padded value too, and what members read.
func (t *tile) neighbours() (buffers []int) {
	p, last := t.t.p, &t.t.p.Steps[t.steps[len(t.steps)-1]]
	for _, out := range last.Out {
		writers, readers := t.t.uses.Writers(out.Buffer), t.t.uses.Readers(out.Buffer)
		if len(readers) == 0 {
			continue
		}
		next := &p.Steps[readers[0]]
		others := slices.ContainsFunc(writers, func(i int) bool { return !slices.Contains(t.steps, i) && !copiesOrCasts(&p.Steps[i]) })
		inside := len(writers) > 1 && len(readers) == 1 && !others && !last.Contracts() && !next.Contracts()
		result := len(writers) == 1 && len(readers) == 1 && !last.Elementwise() && next.Elementwise()
		if inside || result || t.t.isKind(out.Buffer) {
			buffers = append(buffers, out.Buffer)
		}
	}
	for _, i := range t.steps {
		for _, in := range p.Steps[i].In {
			if t.t.isKind(in.Buffer) && !slices.Contains(t.made, in.Buffer) {
				buffers = append(buffers, in.Buffer)
			}
		}
	}
	return buffers
}

// isKind reports whether a tile may begin with a buffer.
func (t *tiler) isKind(buffer int) bool {
	return slices.ContainsFunc(t.kinds, func(kind func(*tiler, int) bool) bool { return kind(t, buffer) })
}

// explain notes what the blocks of a tile compute again.
func (t *tile) explain() {
	for _, b := range t.made {
		if t.again(b) > 0 && !t.copied(b) {
			t.t.made.Again = append(t.t.made.Again, b)
		}
	}
}
