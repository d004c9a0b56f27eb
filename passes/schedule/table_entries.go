package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// computeEntries returns the draft of a step that computes the tables: it has the axes that the other operands vary along, then
// one of the 256 bytes. Its bytes and its outputs are buffers that the plan lacks: place puts slots in their place.
func (b *tableWriter) computeEntries() (*Draft, error) {
	t, m := *b.t, *b.t.Machine
	m.Workers, t.Machine, t.inGroup, t.whole = 1, &m, true, nil // one goroutine computes them
	t.buffers = slices.Clone(t.buffers)
	scratch := func(d ir.DType) (buffer int) {
		t.buffers = append(t.buffers, plan.Buffer{Kind: plan.ScratchBuffer, DType: d})
		return len(t.buffers) - 1
	}
	s := &plan.Step{Body: b.step.Body, Pos: b.step.Pos, Axes: append(slices.Clone(b.step.Axes), plan.Axis{Extent: kernel.Bytes})}
	last := len(b.step.Axes)
	for k := range b.varies {
		if !b.varies[k] {
			s.Axes[k].Extent = 1
		}
	}
	for i, a := range b.step.In {
		a.Strides = append(slices.Clone(a.Strides), 0)
		if i == b.bytes {
			a = plan.Access{Buffer: scratch(s.Body.In[i].DType), Strides: make([]int, last+1)}
			a.Strides[last] = 1
		}
		s.In = append(s.In, a)
	}
	for o := range b.step.Out {
		a := plan.Access{Buffer: scratch(s.Body.OutType(o)), Strides: b.strides()}
		s.Out = append(s.Out, plan.Output{Access: a})
	}
	return choose(&t, s)
}

// strides returns the strides of the tables along each axis, then those of the entries of one.
func (b *tableWriter) strides() []int {
	strides, n := make([]int, len(b.varies)+1), kernel.Bytes
	strides[len(b.varies)] = 1
	for k := len(b.varies) - 1; k >= 0; k-- {
		if b.varies[k] {
			strides[k], n = n, n*b.step.Axes[k].Extent
		}
	}
	return strides
}

// place appends the draft of the tables to that of the step, inside depth loops. It returns the items and, for each output, its
// tables.
func (b *tableWriter) place(into, entries *Draft, depth int) (items []nest.Item, tables []view) {
	ins, operands := len(b.step.In), len(b.step.In)+len(b.step.Out)
	behind := into.reserve(entries.Scratch)
	m := mover{slot: make([]int, len(entries.Slots)), shift: depth}
	for i, sl := range entries.Slots {
		switch m.slot[i] = i; {
		case i == b.bytes:
			m.slot[i] = into.slot(nest.Slot{Kind: nest.Bytes, DType: sl.DType, Elems: kernel.Bytes})
		case i < ins: // where the step has it
		case i < operands:
			m.slot[i] = into.scratch(sl.DType, b.entries)
			tables = append(tables, view{slot: m.slot[i], strides: b.strides()})
		default:
			if sl.Kind == nest.Scratch {
				sl.Offset += behind
			}
			m.slot[i] = into.slot(sl)
		}
	}
	for _, k := range entries.constants {
		into.constants = append(into.constants, constantSlot{m.slot[k.slot], k.in})
	}
	return m.parts(entries.Parts), tables
}

// lookUp returns the call that looks up an output.
func (b *tableWriter) lookUp(k kernel.Code, out int, w *walk, table *view) nest.Item {
	from, to := viewOf(b.bytes, &b.step.In[b.bytes]), viewOf(len(b.step.In)+out, &b.step.Out[out].Access)
	return call(k, w.size[b.row], w.size[b.col], w.args(b.row, *table, from, to), nest.Fixed(from.strides[b.col]),
		to.across(b.col, b.step.Body.OutType(out)), nest.Fixed(kernel.Bytes))
}
