package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Replacing steps of a plan by other steps.

// regrouped is a list of steps, the members, with the steps that replace them.
type regrouped struct {
	members []int           // steps of the plan, in order
	first   []int           // by member: index of the first of steps that replaces it
	steps   []plan.Step     // the replacement; it runs after all steps that members wait for
	groups  []plan.RowGroup // row groups of the replacement, whose first step is 0
}

// regroup replaces steps of the plan: for each entry of the list, the members by the entry's steps. No two entries have
// a common member.
func (f *former) regroup(list []regrouped) {
	p := f.p
	for _, g := range p.Rows {
		own := regrouped{steps: p.Steps[g.First : g.Last+1], groups: []plan.RowGroup{g}}
		own.groups[0].First, own.groups[0].Last = 0, g.Last-g.First
		for i := g.First; i <= g.Last; i++ {
			own.members, own.first = append(own.members, i), append(own.first, i-g.First)
		}
		list = append(list, own)
	}
	w := regrouper{p: p, uses: p.Uses(), of: make([]*regrouped, len(p.Steps)), place: make([]int, len(p.Steps)), steps: make([]plan.Step, 0, len(p.Steps))}
	for k := range list {
		for _, i := range list[k].members {
			w.of[i] = &list[k]
		}
	}
	for i := range p.Steps {
		if r := w.of[i]; r == nil || r.members[len(r.members)-1] == i {
			w.write(i)
		}
	}
	p.Steps, p.Rows = w.steps, w.groups
	for at, i := range f.made.Steps {
		f.made.Steps[at] = w.place[i] - 1
	}
}

// regrouper writes steps and row groups in a new order.
type regrouper struct {
	p      *plan.Plan
	uses   *plan.Uses
	of     []*regrouped // by step: its replacement, nil if the step stays
	place  []int        // by step: 1 + its new number, 0 if it is not yet written
	steps  []plan.Step
	groups []plan.RowGroup
}

// write writes step i, or its replacement, after the steps that it waits for.
func (w *regrouper) write(i int) {
	if w.place[i] != 0 {
		return
	}
	r := w.of[i]
	if r == nil {
		w.writeBefore(i, nil)
		w.steps = append(w.steps, w.p.Steps[i])
		w.place[i] = len(w.steps)
		return
	}
	for _, k := range r.members {
		w.writeBefore(k, r)
	}
	begin := len(w.steps)
	for k, m := range r.members {
		w.place[m] = 1 + begin + r.first[k]
	}
	for _, g := range r.groups {
		g.First, g.Last = g.First+begin, g.Last+begin
		w.groups = append(w.groups, g)
	}
	w.steps = append(w.steps, r.steps...)
}

// writeBefore writes the steps that step i waits for, except those that the same entry replaces.
func (w *regrouper) writeBefore(i int, of *regrouped) {
	for _, a := range w.p.Steps[i].In {
		for _, k := range w.uses.Writers(a.Buffer) {
			if k < i && (of == nil || w.of[k] != of) {
				w.write(k)
			}
		}
	}
}

// drop removes buffers that no step touches, and renumbers the others. The plan must not have row groups yet.
func (f *former) drop(untouched []int) {
	p, number := f.p, make([]int, len(f.p.Buffers))
	var kept []plan.Buffer
	for i, b := range p.Buffers {
		number[i] = len(kept)
		if slices.Contains(untouched, i) {
			number[i] = -1
		} else {
			kept = append(kept, b)
		}
	}
	p.Buffers = kept
	for i := range p.Steps {
		for a := range p.Steps[i].Accesses() {
			a.Buffer = number[a.Buffer]
		}
	}
	f.made.Buffers = number
}
