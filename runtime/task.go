package runtime

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// stepTask is the computation of a step, or of blocks of rows that go through all the
// steps of a group.
type stepTask struct {
	steps []*step
	group *group // nil for one step

	scratch  int              // bytes that the steps need of a lane, one at a time
	operands int              // that a step has at most
	stream   func(*abi.Frame) // what stores streamed outputs, or nil
	inner    bool             // a step calls kernels within a block
}

// newStepTask returns the task of steps that have kernels.
func newStepTask(e *Executor, g *group, steps []*step) *task {
	t := &stepTask{steps: steps, group: g}
	blocks, chunk := steps[0].blocks, chunkElements
	if g != nil {
		blocks = g.blocks
	} else if steps[0].dot != nil {
		chunk = contractElements
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
	return e.newTask(t, blocks, elems, work, chunk)
}

func (t *stepTask) prepare(w *worker) error {
	w.lane.job = w.job
	return w.lane.prepare(t)
}

func (t *stepTask) compute(w *worker, bases []unsafe.Pointer, first, n int) {
	if t.group != nil {
		t.group.compute(&w.lane, bases, first, n)
	} else {
		t.steps[0].compute(&w.lane, bases, first, n)
	}
}

func (t *stepTask) finish(w *worker) {
	w.lane.forget(t)
	t.fence()
}

func (t *stepTask) kernel(w *worker) string {
	if w.lane.now == nil {
		return t.steps[0].kernel.Signature()
	}
	return w.lane.now.kernel.Signature()
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
			t := newStepTask(l.exec, nil, []*step{s})
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
