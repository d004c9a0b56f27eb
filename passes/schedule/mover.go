package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// mover rewrites nests for a place inside other loops, with the slots of another task.
type mover struct {
	slot  []int     // by a draft's slot: the task's
	outer []outside // by a draft's slot, if an operand
	shift int       // how many loops are outside
}

func (m *mover) size(s nest.Size) nest.Size {
	if s.Loop >= 0 {
		s.Loop += m.shift
	}
	return s
}

func (m *mover) loops(ls []nest.Loop) []nest.Loop {
	out := slices.Clone(ls)
	for i := range out {
		out[i].Extent = m.size(out[i].Extent)
	}
	return out
}

// parts returns the parts of a task as items.
func (m *mover) parts(parts []nest.Nest) (items []nest.Item) {
	for _, part := range parts {
		if len(part.Loops) == 0 {
			items = append(items, m.items(part.Items)...)
			continue
		}
		items = append(items, inner(m.loops(part.Loops), m.items(part.Items)...))
	}
	return items
}

func (m *mover) items(items []nest.Item) []nest.Item {
	out := make([]nest.Item, 0, len(items))
	for _, it := range items {
		if it.Nest != nil {
			out = append(out, nest.Item{Nest: &nest.Nest{Loops: m.loops(it.Nest.Loops), Items: m.items(it.Nest.Items)}, Step: it.Step})
			continue
		}
		out = append(out, nest.Item{Call: m.call(it.Call), Step: it.Step})
	}
	return out
}

func (m *mover) call(c *nest.Call) *nest.Call {
	moved := *c
	moved.Rows, moved.Cols = m.size(c.Rows), m.size(c.Cols)
	moved.Args = slices.Clone(c.Args)
	all := 0
	for i := range moved.Args {
		all += m.shift + len(moved.Args[i].Strides)
	}
	room := make([]int, all)
	for i := range moved.Args {
		a := &moved.Args[i]
		rank := m.shift + len(a.Strides)
		strides := room[:rank:rank]
		room = room[rank:]
		if a.Slot < len(m.outer) {
			copy(strides, m.outer[a.Slot].strides)
			a.Offset += m.outer[a.Slot].offset
		}
		copy(strides[m.shift:], a.Strides)
		a.Strides, a.Slot = strides, m.slot[a.Slot]
	}
	moved.Fields = slices.Clone(c.Fields)
	for i := range moved.Fields {
		moved.Fields[i] = m.size(moved.Fields[i])
	}
	return &moved
}
