package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// A program may have one plan for several numbers of rows. A row group with one outer axis, the rows, is some blocks of rows
// and one block of the rest. If the rest is the same, tasks differ only in the number of blocks and in where the rest begins.

// OfSizes returns Drafts for the plans of a program that are resized for other numbers of rows: see passes.Batch.
func OfSizes() *Drafts { return &Drafts{sized: map[blocked]sizedTask{}} }

// sizedTask returns the task of a row group, if there is one.
func (k *Drafts) sizedTask(of blocked) (t sizedTask, ok bool) {
	k.mutex.RLock()
	defer k.mutex.RUnlock()
	t, ok = k.sized[of]
	return t, ok
}

// keepSized keeps the task of a row group. The tasks are dropped if they would be more than most.
func (k *Drafts) keepSized(of blocked, t sizedTask, most int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if len(k.sized) >= most {
		clear(k.sized)
	}
	k.sized[of] = t
}

// blocked identifies a row group of a plan by its first step, its block and its rest of rows, and whether it prefetches.
type blocked struct {
	first, block, rest int
	fromMemory         bool
}

// sizedTask is the task of a row group, and the number of its rows.
type sizedTask struct {
	task nest.Task
	rows int
}

// resize returns the task for another number of rows with the same rest. The first part has more or fewer blocks, and the rest
// is behind them.
func (t *sizedTask) resize(of blocked, rows int) nest.Task {
	task := t.task
	times := float64(rows) / float64(t.rows)
	task.Elems, task.Work = task.Elems/t.rows*rows, task.Work*times
	task.Slots, task.Parts, task.Choices = slices.Clone(task.Slots), slices.Clone(task.Parts), slices.Clone(task.Choices)
	for i := range task.Choices {
		c := &task.Choices[i]
		c.Cost, c.Rejected = c.Cost*times, slices.Clone(c.Rejected)
		for k := range c.Rejected {
			c.Rejected[k].Cost *= times
		}
	}
	lead := len(task.Parts[0].Loops) - 1
	part := &task.Parts[0]
	part.Loops = slices.Clone(part.Loops)
	part.Loops[lead].Extent = nest.Fixed(rows / of.block)
	if of.rest > 0 {
		part = &task.Parts[len(task.Parts)-1]
		part.Items = shifted(part.Items, lead, rows/of.block-t.rows/of.block)
	}
	return task
}

// shifted returns the items of a later iteration of a loop.
func shifted(items []nest.Item, loop, by int) []nest.Item {
	out := slices.Clone(items)
	for i := range out {
		if n := out[i].Nest; n != nil {
			out[i].Nest = &nest.Nest{Loops: n.Loops, Items: shifted(n.Items, loop, by)}
			continue
		}
		c := *out[i].Call
		c.Args = slices.Clone(c.Args)
		for k := range c.Args {
			c.Args[k].Offset += by * c.Args[k].Strides[loop]
		}
		out[i].Call = &c
	}
	return out
}

// sizedGroup returns the task of a row group of a resized plan. It reuses the task of another number of rows with the same
// rest.
func (s *scheduler) sizedGroup(g *plan.RowGroup) (nest.Task, error) {
	rows, block := g.Outer[0], g.Block
	if rows == 0 {
		return s.writeGroup(g)
	}
	of := blocked{g.First, block, rows % block, s.fromMemory(g)}
	if known, ok := s.t.Own.sizedTask(of); ok {
		return known.resize(of, rows), nil
	}
	t, err := s.writeGroup(g)
	if err == nil {
		kept := t
		kept.Slots = slices.Clone(t.Slots) // of a program they are numbered anew
		s.t.Own.keepSized(of, sizedTask{kept, rows}, s.t.GroupTasks)
	}
	return t, err
}
