// Package schedule turns the steps of a plan into nests: loops, calls of kernels and local memory. A strategy is one way to do
// that for one step: a pure function in its own file, which returns the cost. Schedule takes the cheapest strategy.
//
// The results of a step, to the bit, do not depend on the strategy.
package schedule

import (
	"fmt"
	"iter"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Options are the options of a schedule.
type Options struct {
	// InPlace makes nests that are right also where an output is the memory of an input: no step stores into an output what
	// another one still reads. That memory has just been read, so nothing is stored past the caches. Xeon with AVX-512, 16M
	// float32 in place: y += c*x takes 19 ms so, and 11 without.
	InPlace bool
	// TilingOnly never takes one kernel for a whole body: for tests and measurements.
	TilingOnly bool
	// Reasons fills in the numbers of the reasons why strategies are rejected. Nothing but an explanation reads them.
	Reasons bool
	// Drafts has drafts of other plans, and keeps those of this one. Own does so for the steps of row groups: their forms depend on
	// the sizes, so each program has its own. Either may be nil.
	Drafts, Own *Drafts

	noGroups bool // kernels take no groups of members
}

// Schedule returns the nests of a plan. It fails if a step needs a kernel that the library lacks.
func Schedule(p *plan.Plan, m *tuning.Machine, lib Library, o Options) (*nest.Program, error) {
	if o.Drafts == nil {
		o.Drafts = new(Drafts)
	}
	if o.Own == nil {
		o.Own = new(Drafts)
	}
	s := new(scheduler)
	s.plan, s.t = p, target{Machine: m, Options: o, lib: lib, buffers: p.Buffers, read: buffersRead(p)}
	out := &nest.Program{Name: p.Name, Buffers: p.Buffers, Arena: p.Arena, Ledger: p.Ledger, Tasks: make([]nest.Task, 0, len(p.Steps))}
	group := 0
	for i := 0; i < len(p.Steps); i++ {
		if group < len(p.Rows) && p.Rows[group].First == i {
			task, err := s.group(&p.Rows[group])
			if err != nil {
				return nil, err
			}
			if group > 0 && s.together(&p.Rows[group-1], &p.Rows[group]) {
				join(&out.Tasks[len(out.Tasks)-1], task)
			} else {
				out.Tasks = append(out.Tasks, task)
			}
			i = p.Rows[group].Last
			group++
			continue
		}
		d, err := s.alone(i)
		if err != nil {
			return nil, err
		}
		d.appendTo(out, p, i)
		s.t.buffers = out.Buffers
	}
	withoutScratch(out)
	return out, nil
}

// withoutScratch drops the buffers of row groups, which have slots in the tasks, and renumbers the others.
func withoutScratch(p *nest.Program) {
	if !slices.ContainsFunc(p.Buffers, isScratch) {
		return
	}
	number := make([]int, len(p.Buffers))
	var kept []plan.Buffer
	for i, b := range p.Buffers {
		number[i] = len(kept)
		if !isScratch(b) {
			kept = append(kept, b)
		}
	}
	p.Buffers = kept
	for i := range p.Tasks {
		slots := p.Tasks[i].Slots
		for k := range slots {
			if slots[k].Kind == nest.Operand {
				slots[k].Buffer = number[slots[k].Buffer]
			}
		}
	}
}

func isScratch(b plan.Buffer) bool { return b.Kind == plan.ScratchBuffer }

// scheduler schedules one plan.
type scheduler struct {
	plan   *plan.Plan
	t      target
	one    Draft    // that draft returned last
	formed struct { // what formOfGroup returned last
		form    []byte
		buffers []int
	}
}

// alone returns the draft of a step that is in no row group.
func (s *scheduler) alone(i int) (*Draft, error) {
	step := &s.plan.Steps[i]
	d, err := s.draft(&s.t, step)
	if err != nil {
		return nil, &ir.Error{Pos: step.Pos, Msg: fmt.Sprintf("step %d: %v", i, err)}
	}
	return d, nil
}

// appendTo appends the tasks of step i of a plan, and its own buffers. Its temporaries begin behind those of the plan, and
// share memory with those of other steps.
func (d *Draft) appendTo(out *nest.Program, p *plan.Plan, i int) {
	step := &p.Steps[i]
	behind := roundUp(p.Arena, cacheLine)
	out.Buffers = slices.Clip(out.Buffers) // the plan's stay as they are
	for _, b := range d.Own {
		if b.Kind == plan.TempBuffer {
			b.Offset += behind
			out.Arena = max(out.Arena, b.Offset+b.Size()*b.DType.Size())
		}
		out.Buffers = append(out.Buffers, b)
	}
	task := nest.Task{First: i, Last: i, Pos: step.Pos, Slots: d.Slots, Scratch: d.Scratch, Parts: d.Parts, Choices: []nest.Choice{d.Choice},
		Work: d.Choice.Cost, Elems: elems(step)}
	if len(d.Then) == 0 {
		out.Tasks = append(out.Tasks, task)
		return
	}
	all := 0
	for k := range 1 + len(d.Then) {
		all += d.elemsOf(k, step)
	}
	for k, parts := range slices.Concat([][]nest.Nest{d.Parts}, d.Then) {
		task.Elems = d.elemsOf(k, step)
		task.Work = d.Choice.Cost * float64(task.Elems) / float64(all)
		task.Slots, task.Parts = d.slotsOf(parts)
		out.Tasks = append(out.Tasks, task)
		task.Choices = nil
	}
}

// elemsOf returns the number of elements that task k computes.
func (d *Draft) elemsOf(k int, step *plan.Step) int {
	if d.Elems == nil {
		return elems(step)
	}
	return d.Elems[k]
}

// slotsOf returns the slots of parts, and the parts renumbered for them.
func (d *Draft) slotsOf(parts []nest.Nest) (slots []nest.Slot, with []nest.Nest) {
	m := mover{slot: make([]int, len(d.Slots))}
	for _, part := range parts {
		for c := range calls(part.Items) {
			for _, a := range c.Args {
				m.slot[a.Slot] = 1
			}
		}
	}
	for k, used := range m.slot {
		if m.slot[k] = len(slots); used > 0 {
			slots = append(slots, d.Slots[k])
		}
	}
	for _, part := range parts {
		with = append(with, nest.Nest{Loops: part.Loops, Items: m.items(part.Items)})
	}
	return slots, with
}

// elems returns the number of indices of a step, or the greatest int if there are more.
func elems(s *plan.Step) int { return plan.Indices(s.Axes) }

// buffersRead returns for each buffer whether a step reads it.
func buffersRead(p *plan.Plan) []bool {
	read := make([]bool, len(p.Buffers))
	for i := range p.Steps {
		for _, a := range p.Steps[i].In {
			read[a.Buffer] = true
		}
	}
	return read
}

// calls yields the calls of items, those of nests included.
func calls(items []nest.Item) iter.Seq[*nest.Call] {
	return func(yield func(*nest.Call) bool) {
		for _, it := range items {
			if it.Call != nil && !yield(it.Call) {
				return
			}
			if it.Nest != nil {
				for c := range calls(it.Nest.Items) {
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}
