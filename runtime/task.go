package runtime

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// task is what the goroutines of a run share out: the chunks of a step, or blocks
// of rows that go through all the steps of a group.
type task struct {
	steps  []*step
	group  *group // nil for one step
	blocks int    // of the step, or of rows
	chunk  int    // blocks of a chunk
	chunks int
	time   int64 // nanoseconds that it takes, a guess
	hands  int   // how many goroutines are worth their waking
	awake  int   // how many are worth it that are awake
	yields bool  // after each chunk

	scratch  int              // bytes that the steps need of a lane, one at a time
	operands int              // that a step has at most
	stream   func(*abi.Frame) // what stores streamed outputs, or nil
	inner    bool             // a step calls kernels within a block
}

// newTask returns the task of steps that have kernels.
func newTask(e *Executor, g *group, steps []*step) *task {
	t := &task{steps: steps, group: g, blocks: steps[0].blocks}
	if g != nil {
		t.blocks = g.blocks
	}
	work, elems := 0.0, 0
	for i, s := range steps {
		s.bench = i
		work += s.work()
		elems += s.elems
		if s.stream != nil {
			t.stream = s.stream
		}
		t.scratch = max(t.scratch, s.scratch)
		t.operands = max(t.operands, len(s.operands))
		t.inner = t.inner || s.fn == nil || len(s.turns) > 0 || s.long != nil
	}
	t.cut(work, elems, e.pieces(work), e.ChunkElems)
	worth := func(least float64) int { return int(min(float64(t.chunks), work/least)) }
	t.hands, t.awake = worth(handWork), worth(awakeWork)
	if e.ChunkElems > 0 {
		t.hands, t.yields = t.chunks, true
	}
	t.time = int64(min(work*handTime/handWork, lookFor))
	return t
}

// pieces returns into how many pieces so much work is cut at least. A small task is
// one for each of the hands, if they are worth it: they come at once, and find their
// piece in the cache where they left it. A larger one is two for each, as some come
// late.
func (e *Executor) pieces(work float64) int {
	hands := e.workers().hands()
	switch {
	case hands == 1:
		return 1
	case e.ChunkElems > 0: // a test
		return 2 * hands
	}
	upTo := func(most int, least float64) int { return int(min(float64(most), work/least)) }
	return max(1, upTo(hands, pieceWork), upTo(2*hands, handWork))
}

// cut divides the blocks into chunks that are as equal as can be: at least so many
// pieces, and of a task that is not over at once more, to look at the context in
// between. asked is Executor.ChunkElems.
func (t *task) cut(work float64, elems, pieces, asked int) {
	chunk := chunkElements
	if t.group == nil && t.steps[0].dot != nil {
		chunk *= 8 // a pair costs little
	}
	chunks := pieces
	if work >= handWork {
		chunks = max((elems-1)/chunk+1, pieces)
	}
	if asked > 0 {
		chunks = (elems-1)/asked + 1
	}
	t.chunk = (t.blocks-1)/min(chunks, mostChunks) + 1
	t.chunks = (t.blocks-1)/t.chunk + 1
}

// compute runs chunk c.
func (t *task) compute(ln *lane, bases []unsafe.Pointer, c int) {
	first := c * t.chunk
	n := min(t.chunk, t.blocks-first)
	if t.group != nil {
		t.group.compute(ln, bases, first, n)
	} else {
		t.steps[0].compute(ln, bases, first, n)
	}
}

// link makes the tasks of the plan, and the descriptions of its steps.
func (l *Linked) link(p *plan.Plan) error {
	group := 0
	for i := 0; i < len(p.Steps); i++ {
		if group < len(p.Rows) && p.Rows[group].First == i {
			if err := l.linkGroup(p, group); err != nil {
				return fmt.Errorf("%s: %w", p.Rows[group], err)
			}
			i = p.Rows[group].Last
			group++
			continue
		}
		if err := l.linkAlone(&p.Steps[i]); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if group < len(p.Rows) {
		return fmt.Errorf("%s: it is not in the order of the steps", p.Rows[group])
	}
	return nil
}

// linkAlone makes the tasks of a step that is in no group.
func (l *Linked) linkAlone(in *plan.FlatStep) error {
	read, written, err := l.checkStep(in, in)
	if err != nil {
		return err
	}
	for _, a := range in.Operands {
		if l.buffers[a.Buffer].kind == plan.ScratchBuffer {
			return fmt.Errorf("buffer %d is scratch, and the step in no group of rows", a.Buffer)
		}
	}
	parts, err := l.linkParts(in, 0)
	if err != nil {
		return err
	}
	about := info(in, parts, read, written)
	for _, s := range parts {
		if s.elems > 0 {
			t := newTask(l.exec, nil, []*step{s})
			l.tasks = append(l.tasks, t)
			about.Chunks += t.chunks
		}
	}
	l.infos = append(l.infos, about)
	return nil
}

// linkParts finds the kernels of a step, whose first axes, as many as outer says,
// are a row group's.
func (l *Linked) linkParts(in *plan.FlatStep, outer int) ([]*step, error) {
	kernel, order := in.Kernel.Canonical()
	var parts []*step
	for _, part := range foldParts(in) {
		s := l.newStep(part, kernel, order, outer)
		if s.elems > 0 {
			if err := l.exec.choose(s, l.buffers); err != nil {
				return nil, err
			}
		}
		parts = append(parts, s)
	}
	return parts, nil
}
