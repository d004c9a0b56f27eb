package runtime

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// Tasks with the same loops, such as those of a model's layers, are linked once. The input is a task, and one linked before whose Parts are
// the same slice. The output is the linked form of that one with the buffers of this one: they share everything but the places of
// their arguments.

// linkedTasks are the tasks of a program that are linked, by their parts.
type linkedTasks map[*nest.Nest]*linkedTask

type linkedTask struct {
	in    *nest.Task
	bases []base
	out   *nestTask
}

// again returns the task linked as an earlier one, or nil if that is not possible.
func (k *taskLinker) again() *nestTask {
	if len(k.in.Parts) == 0 {
		return nil
	}
	known := k.linked[&k.in.Parts[0]]
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

// remember keeps the task for later ones with the same parts.
func (k *taskLinker) remember() {
	if k.linked != nil && len(k.in.Parts) > 0 {
		k.linked[&k.in.Parts[0]] = &linkedTask{in: k.in, bases: k.bases, out: k.out}
		k.bases = nil
	}
}
