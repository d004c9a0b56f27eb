package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Outputs that alternate with one another, all but one of which are copies of elements that alternate in the same way: every
// second element of an array is set, or one channel of pixels. That one output is computed, and copied together with whole
// rows of the array: those elements that are replaced are read too.

// insertion is such outputs of a step. Input in is a line next to the place of the one that is computed.
type insertion struct {
	out, in      int // operands of the step
	lines, place int
	from         int // which line input in is
}

// offer is the offer to compute a step so.
func (n *insertion) offer(t *target, s *plan.Step) (offer, string) {
	one, from := onlyOutput(s, n.out-len(s.In))
	e, why := newElementwise(t, one)
	if e == nil {
		return offer{}, why
	}
	e.whole, e.from, e.insert = s, from, n
	e.row, e.col = e.col, e.row
	if e.ops, why = operandsOf(one, e.row, e.col); why != "" {
		return offer{}, why
	}
	for i := range one.In {
		e.splats[i] = e.ops[i].class == splat
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	e.blockRows, e.blockCols = t.block(one, e.row, e.col)
	if body := one.Body.Body; !t.TilingOnly && len(body) == 1 && body[0].Op == ir.OpCopy && e.ops[0].class == unit {
		return e.offerMove(&move{e, direct}), ""
	}
	e.stages[len(one.In)] = scattered
	return e.offer(t.BodyWork(one), e.compute), ""
}

// insertionOf returns the insertion that the outputs of a step are, nil if they are none.
func (t *target) insertionOf(s *plan.Step) *insertion {
	lines, last := len(s.Out), len(s.Axes)-1
	if !s.Elementwise() || lines < 2 || lines > kernel.MaxChannels || last < 1 || s.Axes[last].Extent != 1 {
		return nil
	}
	order := make([]int, lines) // of the outputs, by their offsets
	first := s.Out[0].Offset
	for o := range s.Out {
		first = min(first, s.Out[o].Offset)
	}
	for o := range s.Out {
		at := s.Out[o].Offset - first
		if at >= lines || s.Out[o].Strides[last-1] != lines || s.Out[o].Panel != nil || !sameButOffset(&s.Out[o].Access, &s.Out[0].Access) {
			return nil
		}
		order[at] = o + 1
	}
	if slices.Contains(order, 0) {
		return nil
	}
	for place := range order {
		if n := t.insertionAt(s, order, place); n != nil {
			return n
		}
	}
	return nil
}

// insertionAt returns the insertion whose output at a place is computed, nil if the others are no copies from beside
// that place.
func (t *target) insertionAt(s *plan.Step, order []int, place int) *insertion {
	n := &insertion{out: len(s.In) + order[place] - 1, in: -1, lines: len(order), place: place}
	var first *plan.Access
	for at, o := range order {
		if at == place {
			continue
		}
		i := copyOf(s, o-1)
		if i < 0 || !slices.Equal(s.In[i].Strides, s.Out[0].Strides) || s.In[i].Panel != nil {
			return nil
		}
		if first != nil && (!sameButOffset(&s.In[i], first) || s.In[i].Offset-at != first.Offset-n.from) {
			return nil
		}
		if first == nil || at == place-1 {
			first, n.in, n.from = &s.In[i], i, at
		}
	}
	for i := range s.In {
		if t.mayAlias(s.In[i].Buffer, s.Out[0].Buffer) {
			return nil
		}
	}
	before, behind := t.room(s, n.in)
	if n.from < place && behind < 1 || n.from > place && before < 1 {
		return nil
	}
	if _, ok := t.lib.Engine(insertKernel(s.Body.OutType(0)).Signature()); !ok {
		return nil
	}
	return n
}

// copyOf returns the input that an output is a copy of, -1 if it is none.
func copyOf(s *plan.Step, out int) int {
	in := s.Body.Inst(s.Body.Out[out])
	if in == nil || in.Op != ir.OpCopy || int(in.Args[0]) >= len(s.In) {
		return -1
	}
	return int(in.Args[0])
}

// onlyOutput returns the step that computes one output of s, and which operands of s its own are.
func onlyOutput(s *plan.Step, out int) (one *plan.Step, from []int) {
	one = &plan.Step{Axes: s.Axes, Out: s.Out[out : out+1], Pos: s.Pos}
	one.Body, from = s.Body.Storing(s.Body.Out[out]).Canonical()
	for _, i := range from {
		one.In = append(one.In, s.In[i])
	}
	return one, append(slices.Clone(from), len(s.In)+out)
}

// insertKernel returns the kernel that inserts elements of a type.
func insertKernel(d ir.DType) kernel.Code {
	return microKernel(kernel.Micro{Kind: kernel.Insert, Type: kernel.BitsType(d)})
}

// insertCall returns the call that copies the rows with the elements that are in a view.
func (e *elemWriter) insertCall(elems *view, w *walk) nest.Item {
	n := e.insert
	rows, to := viewOf(n.in, &e.whole.In[n.in]), viewOf(n.out, &e.whole.Out[n.out-len(e.whole.In)].Access)
	rows.offset -= n.from
	to.offset -= n.place
	args := []nest.Arg{w.arg(elems, e.col), w.arg(&rows, e.col), w.arg(&to, e.col)}
	return call(insertKernel(e.ops[len(e.step.In)].dtype), w.size[e.col], nest.Fixed(n.lines), args, nest.Fixed(n.place))
}
