package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// Linking a program. Each task becomes a nestTask, in which kernels are functions, strides are bytes, and everything that does not change between
// iterations is a constant. Loops of one iteration are removed.

// Link finds the kernels of a program: assembly if it exists and Executor.Portable is not set. It returns an error if a kernel does not exist. A
// program that does not come from package passes/schedule must have been verified, or Executor.Verify must be set.
func (e *Executor) Link(p *nest.Program) (*Linked, error) { return e.LinkWith(p, nil) }

// LinkWith is Link with further kernels, which are used where the registry has none in assembly.
func (e *Executor) LinkWith(p *nest.Program, kernels Kernels) (*Linked, error) {
	if p == nil {
		return nil, errors.New("link: the program is nil")
	}
	if m := e.tuned(); min(m.ChunkElems, m.DotChunkElems, m.CallNanos) < 1 {
		return nil, errors.New("link: Tuning lacks constants: begin with tuning.Default")
	}
	if e.Verify {
		if err := p.Verify(); err != nil {
			return nil, fmt.Errorf("link %s: %w", p.Name, err)
		}
	}
	l := &Linked{name: p.Name, exec: e, pool: e.workers(), arena: p.Arena, shares: p.Arena > 0, kernels: kernels}
	if err := l.link(p); err != nil {
		return nil, fmt.Errorf("link %s: %w", p.Name, err)
	}
	return l, nil
}

// link links the tasks in order, except those without iterations.
func (l *Linked) link(p *nest.Program) error {
	if err := l.linkBuffers(p.Buffers, p.Arena); err != nil {
		return err
	}
	l.tasks = make([]*task, 0, len(p.Tasks))
	k := &taskLinker{l: l, find: l.exec.finder()}
	k.scope = k.scopes[:0]
	if len(p.Tasks) > 1 {
		k.linked, k.kernels = make(linkedTasks, len(p.Tasks)), foundKernels{}
	}
	for i := range p.Tasks {
		in := &p.Tasks[i]
		t, err := k.task(in)
		if err != nil {
			return fmt.Errorf("task %d: %w", i, err)
		}
		blocks := t.iterations()
		if blocks > 0 {
			t.number = len(l.tasks)
			l.shares = l.shares || t.scratch > 0
			task := l.exec.newTask(t, blocks, in.Elems, in.Work, t.chunkElements)
			task.index, task.first, task.last = i, in.First, in.Last
			if p.Continues(i) && t.number > 0 {
				l.tasks[t.number-1].more = l.tasks[t.number-1].first == in.First
			}
			l.tasks = append(l.tasks, task)
		}
	}
	return nil
}

// taskLinker links tasks one after the other.
type taskLinker struct {
	l       *Linked
	linked  linkedTasks  // linked before; nil if the program has one task
	kernels foundKernels // found before; nil if the program has one task
	find    finder

	in     *nest.Task
	out    *nestTask
	steps  []int       // for the Steps of later calls
	bases  []base      // of the slots
	scope  []scopeLoop // the loops that enclose the present nest or call
	scopes [8]scopeLoop
	part   *linkedPart
}

// itemSizes counts the memory for the linked form of items.
type itemSizes struct {
	calls    int
	operands int // arguments in buffers
	others   int // other arguments
	steps    int // numbers of Frame.Step
}

// scopeLoop is an enclosing loop, numbered as in the source.
type scopeLoop struct {
	indices int   // indices of every iteration, or 0 if they differ
	linked  *loop // nil if it has one iteration
}

// task links the slots of a task, then its parts.
func (k *taskLinker) task(in *nest.Task) (*nestTask, error) {
	if in.Scratch < 0 {
		return nil, fmt.Errorf("scratch of %d bytes", in.Scratch)
	}
	k.in, k.bases, k.scope = in, slices.Grow(k.bases[:0], len(in.Slots)), k.scope[:0]
	for i := range in.Slots {
		b, err := k.slot(&in.Slots[i])
		if err != nil {
			return nil, fmt.Errorf("slot %d: %w", i, err)
		}
		k.bases = append(k.bases, b)
	}
	if out := k.again(); out != nil {
		return out, nil
	}
	e, m := k.l.exec, k.l.exec.tuned()
	k.out = &nestTask{pos: in.Pos, scratch: in.Scratch, clears: e.Verify, allocate: e.zeroed(), chunkElements: m.ChunkElems, piece: m.CallNanos}
	if err := k.tables(); err != nil {
		return nil, err
	}
	var n itemSizes
	for i := range in.Parts {
		k.count(in.Parts[i].Items, &n)
	}
	k.out.calls, k.out.parts = make([]linkedCall, 0, n.calls), make([]linkedPart, 0, len(in.Parts))
	k.out.operands, k.steps = make([]argument, 0, n.operands), make([]int, n.steps)
	if n.others > 0 {
		k.out.fixed = make([]place, 0, n.others)
	}
	for i := range in.Parts {
		if err := k.linkPart(&in.Parts[i]); err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
	}
	k.out.once = len(k.out.parts) == 1 && k.out.parts[0].iterations == 1
	k.remember()
	return k.out, nil
}

// linkPart links a part, unless it has no iteration.
func (k *taskLinker) linkPart(in *nest.Nest) error {
	var n itemSizes
	k.count(in.Items, &n)
	k.out.parts = append(k.out.parts, linkedPart{iterations: 1, places: make([]place, 0, n.operands)})
	k.part = &k.out.parts[len(k.out.parts)-1]
	if some, err := k.nest(&k.part.loopNest, in); err != nil || !some {
		k.out.parts = k.out.parts[:len(k.out.parts)-1]
		return err
	}
	for i := range k.part.loops {
		k.part.iterations *= k.part.loops[i].count
	}
	return nil
}

// nest links a nest. It returns false if the nest has no iteration, so that its arguments may be outside their memory, or no calls.
func (k *taskLinker) nest(out *loopNest, in *nest.Nest) (some bool, err error) {
	depth := len(k.scope)
	defer func() { k.scope = k.scope[:depth] }()
	*out = loopNest{loops: make([]loop, 0, len(in.Loops)), items: make([]item, 0, len(in.Items))}
	for i, l := range in.Loops {
		extent, err := k.size(l.Extent)
		switch {
		case err != nil:
			return false, fmt.Errorf("loop %d: %w", len(k.scope), err)
		case l.Tile < 1 || extent.n < 0:
			return false, fmt.Errorf("loop %d: extent %d in tiles of %d", len(k.scope), extent.n, l.Tile)
		case extent.n == 0:
			return false, nil
		case extent.loop >= 0 && out.has(extent.loop):
			// Its extent changes when a loop of the same nest advances, so it becomes a nest of its own.
			rest := new(loopNest)
			if some, err := k.nest(rest, &nest.Nest{Loops: in.Loops[i:], Items: in.Items}); err != nil || !some {
				return false, err
			}
			out.add(rest)
			return len(out.items) > 0, nil
		}
		k.enter(out, extent, l.Tile)
	}
	for i, it := range in.Items {
		var err error
		before := len(out.items)
		switch {
		case it.Call != nil:
			err = k.call(out, it.Call)
		case it.Nest != nil:
			inner, some := new(loopNest), false
			if some, err = k.nest(inner, it.Nest); some {
				out.add(inner)
			}
		default:
			err = errors.New("neither a call nor a nest")
		}
		if err != nil {
			return false, fmt.Errorf("item %d: %w", i, err)
		}
		for n := range out.items[before:] {
			out.items[before+n].step = it.Step
		}
	}
	return len(out.items) > 0, nil
}

// has reports whether one of the linked loops around the nest's items is its own.
func (n *loopNest) has(loop int) bool { return len(n.loops) > 0 && loop >= n.loops[0].number }

// add appends a nest to the items, or the nest's items if it has no loops.
func (n *loopNest) add(inner *loopNest) {
	if len(inner.loops) == 0 {
		n.items = append(n.items, inner.items...)
		return
	}
	n.items = append(n.items, item{nest: inner})
}

// enter adds a loop to a nest and to the scope.
func (k *taskLinker) enter(n *loopNest, extent size, tile int) {
	if extent.loop < 0 && extent.n <= tile { // one iteration
		k.scope = append(k.scope, scopeLoop{indices: extent.n})
		return
	}
	l := loop{number: k.out.loops, extent: extent, tile: tile, ragged: true}
	k.out.loops++
	s := scopeLoop{}
	if extent.loop < 0 {
		l.count = (extent.n-1)/tile + 1
		if extent.n%tile == 0 {
			l.ragged, s.indices = false, tile
		}
	}
	n.loops = append(n.loops, l)
	s.linked = &n.loops[len(n.loops)-1]
	k.scope = append(k.scope, s)
}

// size links a size. It is a constant if all iterations of its loop have the same number of indices.
func (k *taskLinker) size(s nest.Size) (size, error) {
	if s.Loop < 0 {
		return size{-1, s.N}, nil
	}
	if s.Loop >= len(k.scope) {
		return size{}, fmt.Errorf("loop %d does not enclose it", s.Loop)
	}
	l := k.scope[s.Loop]
	if l.indices > 0 {
		return size{-1, s.N * l.indices}, nil
	}
	return size{l.linked.number, s.N}, nil
}
