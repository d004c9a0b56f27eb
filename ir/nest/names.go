package nest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Names of loops. A program knows the memory that its loops walk, and its caller the names of the sizes of inputs and outputs: a loop
// has the name of the axis that it walks in a buffer. Axes of temporaries get their names from loops.

// Named returns a copy of p whose loops have the names of the axes that they go through, where these are known. of returns the names of
// the axes of an input's or output's buffer, "" for an axis without one; or nil.
func (p *Program) Named(of func(b *plan.Buffer) []string) *Program {
	out := *p
	out.Tasks = slices.Clone(p.Tasks)
	n := &namer{p: p, axes: make([][]namedAxis, len(p.Buffers))}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		at := layout.RowMajor(b.Shape...)
		if b.At != nil {
			at = *b.At
		}
		names := of(b)
		for k, extent := range b.Shape {
			axis := namedAxis{extent: extent, stride: at.Strides[k]}
			if k < len(names) {
				axis.name = names[k]
			}
			n.axes[i] = append(n.axes[i], axis)
		}
	}
	for i := range out.Tasks {
		t := &out.Tasks[i]
		n.task, n.loops, n.names = t, nil, nil
		parts := slices.Clone(t.Parts)
		for k := range parts {
			parts[k] = n.nest(parts[k])
		}
		t.Parts = parts
	}
	return &out
}

// namer names the loops of a program, task by task.
type namer struct {
	p     *Program
	axes  [][]namedAxis // by buffer
	task  *Task
	loops []Loop   // around the present item
	names []string // of these loops
}

// namedAxis is an axis of a buffer. Its name is "" if it is not known.
type namedAxis struct {
	name           string
	extent, stride int
}

// nest returns a copy of a nest with the names of its loops.
func (n *namer) nest(in Nest) Nest {
	outer := len(n.loops)
	defer func() { n.loops, n.names = n.loops[:outer], n.names[:outer] }()
	in.Loops = slices.Clone(in.Loops)
	for i := range in.Loops {
		l := &in.Loops[i]
		k := len(n.loops)
		if n.loops = append(n.loops, *l); l.Extent.Loop >= 0 {
			l.Name = n.names[l.Extent.Loop]
		}
		for c := range Calls([]Nest{{Items: in.Items}}) {
			n.each(c, k, func(a *namedAxis) {
				if l.Name == "" {
					l.Name = a.name
				}
			})
		}
		for c := range Calls([]Nest{{Items: in.Items}}) {
			n.each(c, k, func(a *namedAxis) {
				if a.name == "" {
					a.name = l.Name
				}
			})
		}
		n.names = append(n.names, l.Name)
	}
	in.Items = slices.Clone(in.Items)
	for i, it := range in.Items {
		if it.Nest != nil {
			inner := n.nest(*it.Nest)
			in.Items[i].Nest = &inner
		}
	}
	return in
}

// each calls f with the axes of buffers through which a loop moves the arguments of a call.
func (n *namer) each(c *Call, loop int, f func(a *namedAxis)) {
	for _, arg := range c.Args {
		slot := &n.task.Slots[arg.Slot]
		if slot.Kind != Operand || arg.Strides[loop] == 0 {
			continue
		}
		for i := range n.axes[slot.Buffer] {
			if a := &n.axes[slot.Buffer][i]; n.walks(n.loops[loop], arg.Strides[loop], a) {
				f(a)
			}
		}
	}
}

// walks reports whether a loop with a stride goes through an axis, or through the rows of a block, or from block to block.
func (n *namer) walks(l Loop, stride int, a *namedAxis) bool {
	block := n.task.Block
	switch {
	case l.Extent.Loop >= 0 || a.extent < 2:
		return false
	case stride == a.stride*l.Tile:
		return l.Extent.N == a.extent || l.Extent.N == block
	}
	return block > 0 && stride == a.stride*block*l.Tile && l.Extent.N == (a.extent+block-1)/block
}
