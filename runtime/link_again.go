package runtime

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// Tasks that share their loops, such as those of the layers of a model, are linked once: see nest.Task.Loops. Input: a task, and
// one linked before that has the same loops. Output: a copy of the linked form with the buffers of this task. The two share
// everything but the places of their arguments.

// linkedTasks are the tasks of a program that are linked, by their Loops.
type linkedTasks map[*nest.Nest]*linkedTask

type linkedTask struct {
	in    *nest.Task
	bases []base
	out   *nestTask
}

// again returns the task linked as an earlier one, or nil if that is not possible.
func (k *taskLinker) again() *nestTask {
	known := k.linked[k.in.Loops()]
	if known == nil || !k.like(known) {
		return nil
	}
	out := *known.out
	out.pos, out.parts = k.in.Pos, slices.Clone(known.out.parts)
	for i := range out.parts {
		places := slices.Clone(out.parts[i].places)
		for j := range places {
			if p := &places[j]; p.buffer >= 0 {
				at := slices.IndexFunc(known.bases, func(b base) bool { return b.buffer == p.buffer })
				p.buffer = k.bases[at].buffer
			}
		}
		out.parts[i].places = places
	}
	return &out
}

// like reports whether the task differs from a linked one only in its buffers, and has equal buffers wherever that one has.
func (k *taskLinker) like(known *linkedTask) bool {
	a, b := k.in, known.in
	if len(a.Parts) != len(b.Parts) || a.Scratch != b.Scratch || (a.First == a.Last) != (b.First == b.Last) || len(a.Slots) != len(b.Slots) {
		return false
	}
	for i := range a.Slots {
		s, base := a.Slots[i], k.bases[i]
		s.Buffer, base.buffer, base.table = b.Slots[i].Buffer, known.bases[i].buffer, known.bases[i].table
		if s != b.Slots[i] || base != known.bases[i] {
			return false
		}
		for j := range i {
			if (k.bases[i].buffer == k.bases[j].buffer) != (known.bases[i].buffer == known.bases[j].buffer) {
				return false
			}
		}
	}
	return true
}

// remember keeps the task for others that share its loops.
func (k *taskLinker) remember() {
	if loops := k.in.Loops(); k.linked != nil && loops != nil {
		k.linked[loops] = &linkedTask{in: k.in, bases: k.bases, out: k.out}
		k.bases = nil
	}
}
