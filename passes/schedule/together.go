package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Row groups next to each other that store parts of the same buffers, and read none of them, are one task: the first and the
// last lines of an image, and those between them. So no goroutine waits for another one between the groups.

// together reports whether two row groups, of which the second follows the first, are independent of each other.
func (s *scheduler) together(first, second *plan.RowGroup) bool {
	stores, reads := s.touched(first)
	others, more := s.touched(second)
	apart := func(b int) bool { return !slices.Contains(stores, b) }
	return second.First == first.Last+1 && len(stores) == len(others) && !slices.ContainsFunc(others, apart) && !slices.ContainsFunc(append(reads, more...), func(b int) bool { return !apart(b) })
}

// touched returns which buffers, but for scratch, the steps of a row group store and read.
func (s *scheduler) touched(g *plan.RowGroup) (stores, reads []int) {
	add := func(list []int, b int) []int {
		if slices.Contains(list, b) || s.plan.Buffers[b].Kind == plan.ScratchBuffer {
			return list
		}
		return append(list, b)
	}
	for i := g.First; i <= g.Last; i++ {
		for _, a := range s.plan.Steps[i].In {
			reads = add(reads, a.Buffer)
		}
		for _, out := range s.plan.Steps[i].Out {
			stores = add(stores, out.Buffer)
		}
	}
	return stores, reads
}

// join adds a task to the one before it.
func join(to *nest.Task, t nest.Task) {
	m := mover{slot: make([]int, len(t.Slots))}
	to.Slots, to.Parts, to.Choices = slices.Clone(to.Slots), slices.Clone(to.Parts), slices.Clone(to.Choices)
	for k, slot := range t.Slots {
		m.slot[k] = len(to.Slots)
		if slot.Kind == nest.Operand {
			if at := slices.Index(to.Slots, slot); at >= 0 {
				m.slot[k] = at
				continue
			}
		}
		to.Slots = append(to.Slots, slot)
	}
	for _, part := range t.Parts {
		items := m.items(part.Items)
		for i := range items {
			items[i].Step += t.First - to.First
		}
		to.Parts = append(to.Parts, nest.Nest{Loops: part.Loops, Items: items})
	}
	to.Last, to.Choices = t.Last, append(to.Choices, t.Choices...)
	to.Scratch, to.Block = max(to.Scratch, t.Scratch), max(to.Block, t.Block)
	to.Work, to.Elems = to.Work+t.Work, to.Elems+t.Elems
}
