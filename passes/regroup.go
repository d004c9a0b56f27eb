package passes

import (
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Putting steps in the place of others. The passes that make row groups of steps that windows
// read have this in common.

// regrouped is a number of steps, and what takes their place.
type regrouped struct {
	members []int           // in order
	first   []int           // by member: which of steps is the first one for it
	steps   []plan.Step     // in the place of the last member
	groups  []plan.RowGroup // of steps, which they count from 0
}

// regroup writes the plan with the steps of a list, of which no two have a common member.
func (s *State) regroup(list []regrouped) {
	p := s.Plan
	ends, gone := map[int]*regrouped{}, make([]bool, len(p.Steps))
	for k := range list {
		r := &list[k]
		ends[r.members[len(r.members)-1]] = r
		for _, i := range r.members {
			gone[i] = true
		}
	}
	place := make([]int, len(p.Steps)) // of each step, in the new order
	var steps []plan.Step
	var groups []plan.RowGroup
	for i := range p.Steps {
		if r := ends[i]; r != nil {
			for k, m := range r.members {
				place[m] = len(steps) + r.first[k]
			}
			for _, g := range r.groups {
				g.First, g.Last = g.First+len(steps), g.Last+len(steps)
				groups = append(groups, g)
			}
			steps = append(steps, r.steps...)
		} else if !gone[i] {
			place[i] = len(steps)
			steps = append(steps, p.Steps[i])
		}
	}
	for _, g := range p.Rows {
		g.First, g.Last = place[g.First], place[g.Last]
		groups = append(groups, g)
	}
	sortGroups(groups)
	p.Steps, p.Rows = steps, groups
	for at, i := range s.step.list {
		if i > 0 {
			s.step.list[at] = int32(1 + place[i-1])
		}
	}
}

// drop removes buffers that no step touches, before there are row groups, and numbers the others anew.
func (s *State) drop(untouched []int) {
	p, number := s.Plan, make([]int, len(s.Plan.Buffers))
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
	for at, i := range s.buffer.list {
		if i > 0 {
			s.buffer.list[at] = int32(1 + number[i-1])
		}
	}
}

// fixedBuffers returns of each buffer whether it never changes: it is a constant, a frozen
// param, or made of such alone.
func (s *State) fixedBuffers() []bool {
	p := s.Plan
	fixed, varies := make([]bool, len(p.Buffers)), make([]bool, len(p.Buffers))
	for i, b := range p.Buffers {
		fixed[i] = b.Kind == plan.ConstBuffer || b.Kind == plan.IotaBuffer || b.Kind == plan.ParamBuffer && len(s.frozen) > 0 && s.frozen[s.Func.Params[b.Index]]
	}
	for i := range p.Steps {
		once := !slices.ContainsFunc(p.Steps[i].In, func(a plan.Access) bool { return !fixed[a.Buffer] })
		for _, out := range p.Steps[i].Out {
			varies[out.Buffer] = varies[out.Buffer] || !once
			fixed[out.Buffer] = !varies[out.Buffer]
		}
	}
	return fixed
}

// sortGroups sorts row groups by their first steps.
func sortGroups(groups []plan.RowGroup) {
	sort.Slice(groups, func(i, j int) bool { return groups[i].First < groups[j].First })
}
