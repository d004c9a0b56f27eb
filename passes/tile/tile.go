// Package tile forms the tile groups of a plan: it decides which steps run block by block, one right after the other,
// and how large a block is. It also assigns memory to temporaries and scratch buffers. It weighs caches and workers, so
// it is a part of the schedule.
package tile

import (
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Form decides where each value that a step stores is kept. There are three possibilities:
//
//   - The value stays in memory.
//   - The steps that read the value compute it in their own body, as reductions do with gathered rows (see
//     gathersInBodies).
//   - The value is an intermediate of a tile group.
//
// A group computes one block of its last step at a time: a number of rows, lines or images. Right before that, it
// computes the part of its other steps that the block needs. An intermediate only needs memory for one block, which
// stays in the cache. If two blocks need the same lines, both compute them, provided that this costs less than the
// memory traffic it saves. This is known as overlapped tiling. The search for a group begins with one intermediate, of
// one of these kinds:
//
//   - a padded value, which copies and casts make, for example an image with zeros around it for a convolution;
//   - a right matrix of a product that a step stores in panels (see panelGroups);
//   - an intermediate of a batch that a product reads as whole matrices (see matrixGroups);
//   - an input or output of a step that reduces, scans or multiplies rows (see rowGroups);
//   - a product of windows that an elementwise step reads, for example to add a bias and apply the activation;
//   - a value that is too large for the caches, or that a gather stores.
//
// The first and last lines may need less than the lines between them, as the borders of an image do. Such a group
// becomes several, one for each class of blocks.
//
// Requires: the steps of the pass loops, without row groups.
// Ensures: the steps of a group are consecutive; a block of rows reads only its own rows of the group's intermediates;
// buffers that only one group uses are scratch.
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
	if !o.NoFuse {
		f.panelGroups()
	}
	f.matrixGroups()
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
	Eager   bool                 // fuse gathers with reductions of rows of any length: see longRows
	NoFuse  bool                 // form only row groups
}

// Formed says what became of the steps and buffers of a plan.
type Formed struct {
	Steps   []int // by step: its new number, or that of the first step that replaces it
	Buffers []int // by buffer: its new number, -1 if it was removed; nil if no number changed
	InBody  []int // removed buffers, by old number: their readers compute the values
	Again   []int // buffers, by new number, of which several blocks compute the same lines
}

// former forms the tiles of a plan.
type former struct {
	Options
	p    *plan.Plan
	made Formed
}

// tilesFrom forms the tile groups that grow from intermediates of the given kinds.
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

// index collects what the search needs to know of the plan: uses, buffers that never change, and steps that already
// have a group.
func (t *tiler) index() {
	t.uses, t.fixed, t.taken = t.p.Uses(), t.p.Fixed(t.Frozen), make([]bool, len(t.p.Steps))
	for _, g := range t.p.Rows {
		for i := g.First; i <= g.Last; i++ {
			t.taken[i] = true
		}
	}
}

// padded reports whether several steps write a buffer, and all of them copy or cast.
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

// held reports whether a single step stores the buffer, is no product, and either stores more than caches keep or is a
// gather. Even a few gathered rows are no slower in a tile with their reader.
func (t *tiler) held(buffer int) bool {
	w := t.uses.Writers(buffer)
	return len(w) == 1 && (t.large(buffer) || t.p.Steps[w[0]].Gathers()) && !t.p.Steps[w[0]].Contracts()
}

// large reports whether a buffer is too large for any cache to keep it from one step to the next.
func (t *tiler) large(buffer int) bool {
	b := &t.p.Buffers[buffer]
	return b.Size()*b.DType.Size() >= t.Machine.HeldFrom
}

// tile is a tile group in the making: the steps that make its intermediates, and the steps that read them. All steps
// but the last store only intermediates, which no step outside touches. The members of a row group may also store what
// other steps read.
type tile struct {
	t       *tiler
	rows    int           // number of rows of a row group, 0 for other tiles
	whole   bool          // the rows are whole matrices
	steps   []int         // in the plan, in order
	made    []int         // the intermediates
	shapes  map[int][]int // by intermediate: its shape, as the steps move through it
	members []tileMember
	images  []followed // the axes that count images or rows
	lines   *followed  // the axis that counts lines, nil if blocks are of images
	size    int        // of a block: lines, or images or rows along the last axis that counts them
	classes []class
	gain    float64 // in additions: memory traffic saved, less the work that is done again
}

// grow returns a tile that contains an intermediate and grows by one neighbour at a time, as long as that increases the
// gain. It returns nil if no tile with the intermediate gains anything.
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

// with returns the tile with one more intermediate, and with the further ones that the steps then require, or nil if
// there is no such tile.
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

// add makes a buffer an intermediate and adds the steps that touch it. It fails if one of these steps cannot join the
// tile, or if the tile then has too many steps.
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

// joinable reports whether a step can be divided into blocks. A step cannot if it reads a buffer that it stores to,
// because it may read elements of another block.
func joinable(s *plan.Step) bool {
	own := slices.ContainsFunc(s.In, func(a plan.Access) bool { return s.Writes(a.Buffer) })
	return !own && !s.Scans() && (!s.OnLines() || s.Gathers() || s.Scatters())
}

// open returns a buffer that a step before the last stores and that is not yet an intermediate, or -1 if there is none.
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

// neighbours returns the buffers by which the tile may grow: outputs of the last step, even if they lie inside the
// border of a padded value, and inputs of all steps.
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

// isKind reports whether the search for a tile may begin with the buffer.
func (t *tiler) isKind(buffer int) bool {
	return slices.ContainsFunc(t.kinds, func(kind func(*tiler, int) bool) bool { return kind(t, buffer) })
}

// explain records the intermediates of which several blocks compute the same lines.
func (t *tile) explain() {
	for _, b := range t.made {
		if t.again(b) > 0 && !t.copied(b) {
			t.t.made.Again = append(t.t.made.Again, b)
		}
	}
}
