package runtime

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// task is what the goroutines of a run share out: the chunks of a step, or blocks
// of rows that go through all the steps of a group.
type task struct {
	steps   []*step
	group   *group // nil for one step
	chunks  int
	hands   int  // how many goroutines are worth their waking
	yields  bool // after each chunk
	scratch int  // bytes that the steps need of a lane, one at a time

	operands int          // that a step has at most
	stream   func(*Frame) // what stores streamed outputs, or nil
	inner    bool         // a step calls kernels within a block
}

// newTask returns the task of steps that have kernels.
func newTask(e *Executor, g *group, steps []*step) *task {
	t := &task{steps: steps, group: g, chunks: steps[0].chunks}
	work := 0.0
	for i, s := range steps {
		s.bench = i
		work += s.work()
		if s.stream != nil {
			t.stream = s.stream
		}
		t.scratch = max(t.scratch, s.scratch)
		t.operands = max(t.operands, len(s.operands))
		t.inner = t.inner || s.fn == nil || len(s.turns) > 0 || s.long != nil
	}
	if g != nil {
		t.chunks = g.share(e.ChunkElems)
	}
	if e.ChunkElems > 0 {
		t.hands, t.yields = t.chunks, true
	} else {
		t.hands = int(min(float64(t.chunks), work/handWork))
	}
	return t
}

// compute runs chunk c.
func (t *task) compute(ln *lane, bases []unsafe.Pointer, c int) {
	if t.group != nil {
		t.group.compute(ln, bases, c)
		return
	}
	s := t.steps[0]
	first := c * s.chunk
	s.compute(ln, bases, first, min(s.chunk, s.blocks-first))
}

// link makes the tasks of the plan, and the descriptions of its steps.
func (l *Linked) link(p *ir.Plan) error {
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
func (l *Linked) linkAlone(in *ir.Step) error {
	read, written, err := l.checkStep(in, in)
	if err != nil {
		return err
	}
	for _, a := range in.Operands {
		if l.buffers[a.Buffer].kind == ir.ScratchBuffer {
			return fmt.Errorf("buffer %d is scratch, and the step in no group of rows", a.Buffer)
		}
	}
	parts, err := l.linkParts(in)
	if err != nil {
		return err
	}
	for _, s := range parts {
		if s.elems > 0 {
			l.tasks = append(l.tasks, newTask(l.exec, nil, []*step{s}))
		}
	}
	l.infos = append(l.infos, info(in, parts, read, written))
	return nil
}

// hands returns how many goroutines may share a step.
func (l *Linked) hands() int {
	if l.crew == nil {
		return 1
	}
	return l.crew.size + 1
}

// linkParts finds the kernels of a step.
func (l *Linked) linkParts(in *ir.Step) ([]*step, error) {
	kernel, order := in.Kernel.Canonical()
	var parts []*step
	for _, part := range foldParts(in) {
		s := l.newStep(part, kernel, order)
		if s.elems > 0 {
			if err := l.exec.choose(s, l.buffers); err != nil {
				return nil, err
			}
		}
		parts = append(parts, s)
	}
	return parts, nil
}
