package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The stages of interleave groups. One transpose deinterleaves all members of inputs into tiles, or interleaves tiles of
// outputs, by whole vectors.

// findStagedGroups finds groups among the operands that are copied in, or out, along the columns. Several rows of a tile are
// one line if they are whole and follow one another in the buffer.
func (e *elemWriter) findStagedGroups() {
	rows, cols := e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent
	if e.joined || rows > 1 && e.tileCols < cols {
		return
	}
	for i := range e.ops {
		n := e.ops[i].col
		if n < 2 || n > kernel.MaxFactor || e.stages[i] != packed && e.stages[i] != scattered || e.groupOf(i) != nil {
			continue
		}
		if rows > 1 && (e.ops[i].row != n*cols || e.stages[i] != packed) {
			continue
		}
		if ops, count := e.members(i, 0, n); count == n && e.t.lacks(transposeKernel(e.ops[i].dtype)) == "" {
			e.groups = append(e.groups, &memberGroup{ops: ops, tile: view{slot: -1}, line: e.tileRows*e.tileCols + cacheLine/e.ops[i].size()})
		}
	}
}

// memberTile returns local memory for a tile of one member. All members are in one slot.
func (e *elemWriter) memberTile(g *memberGroup, i int, w *walk) view {
	if g.tile.slot < 0 {
		g.tile = e.tileView(i, len(g.ops)*g.line, e.tileCols, w)
	}
	v := g.tile
	v.offset += slices.Index(g.ops, i) * g.line
	return v
}

// stageGroup returns the call that deinterleaves the members of inputs into local memory, and notes them there.
func (e *elemWriter) stageGroup(g *memberGroup, w *walk) nest.Item {
	first := g.ops[0]
	to := e.memberTile(g, first, w)
	args := []nest.Arg{w.arg(&e.at[first], e.col), w.arg(&to, e.row)}
	args[1].Step = g.line
	for _, i := range g.ops {
		e.at[i] = e.memberTile(g, i, w)
	}
	cols := w.size[e.col]
	if e.step.Axes[e.row].Extent > 1 {
		cols = times(w.size[e.row], e.tileCols)
	}
	return call(transposeKernel(e.ops[first].dtype), nest.Fixed(len(g.ops)), cols, args, nest.Fixed(e.ops[first].size()))
}

// storeGroup returns the call that interleaves the members of outputs from local memory.
func (e *elemWriter) storeGroup(g *memberGroup, w *walk) nest.Item {
	first := g.ops[0]
	to := viewOf(first, e.access(first))
	args := []nest.Arg{w.arg(&e.at[first], e.row), w.arg(&to, e.col)}
	args[0].Step = g.line
	return call(transposeKernel(e.ops[first].dtype), w.size[e.col], nest.Fixed(len(g.ops)), args, nest.Fixed(e.ops[first].size()))
}

// insertion is a group of outputs of which only one is computed, and the others copy an array interleaved the same way: every
// second element of an array is set, or one channel of pixels. The step of the one output is drafted alone. Its tile is
// interleaved with whole rows of the array, so elements that are replaced are read too.
type insertion struct {
	out, in  int // operands of the step: the output that is computed, and an input that is copied to a member beside it
	factor   int
	at, from int // which member of the group out is, and which one copies in
}

// offer returns the offer to compute a step by the insertion.
func (n *insertion) offer(t *target, s *plan.Step) (offer, string) {
	one, from := onlyOutput(s, n.out-len(s.In))
	e, why := newElementwise(t, one)
	if e == nil {
		return offer{}, why
	}
	e.whole, e.from, e.insert = s, from, n
	if why = e.turn(e.col, e.row); why == "" {
		why = e.pack()
	}
	if why != "" {
		return offer{}, why
	}
	if body := one.Body.Body; !t.TilingOnly && len(body) == 1 && body[0].Op == ir.OpCopy && e.ops[0].class == unit {
		return e.offerMove(&move{e, inserted}), ""
	}
	e.stages[len(one.In)] = inserted
	return e.offer(t.BodyWork(one), e.compute), ""
}

// insertionOf returns the insertion that the outputs of a step are, or nil.
func (t *target) insertionOf(s *plan.Step) *insertion {
	factor, last := len(s.Out), len(s.Axes)-1
	if !s.Elementwise() || factor < 2 || factor > kernel.MaxFactor || last < 1 || s.Axes[last].Extent != 1 || s.Out[0].Strides[last-1] != factor {
		return nil
	}
	for first := range factor {
		outs, count := membersOf(s, len(s.In), first, factor, func(k int) bool { return accessOf(s, k).Panel == nil })
		if count < factor {
			continue
		}
		for at := range outs {
			if n := t.insertionAt(s, outs, at); n != nil {
				return n
			}
		}
	}
	return nil
}

// insertionAt returns the insertion that computes one member of a group of outputs, or nil if the other members do not copy the
// array beside it.
func (t *target) insertionAt(s *plan.Step, outs []int, computed int) *insertion {
	n := &insertion{out: outs[computed], in: -1, factor: len(outs), at: computed}
	var first *plan.Access
	for at, out := range outs {
		if at == computed {
			continue
		}
		i := copyOf(s, out-len(s.In))
		if i < 0 || !slices.Equal(s.In[i].Strides, s.Out[0].Strides) || s.In[i].Panel != nil {
			return nil
		}
		if first != nil && (!sameButOffset(&s.In[i], first) || s.In[i].Offset-at != first.Offset-n.from) {
			return nil
		}
		if first == nil || at == computed-1 {
			first, n.in, n.from = &s.In[i], i, at
		}
	}
	for i := range s.In {
		if t.mayAlias(s.In[i].Buffer, s.Out[0].Buffer) {
			return nil
		}
	}
	before, behind := t.room(s, n.in)
	if n.from < n.at && behind < 1 || n.from > n.at && before < 1 {
		return nil
	}
	if t.lacks(insertKernel(s.Body.OutType(0))) != "" {
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

// insertCall returns the call that copies rows of the array with the elements that are in a view between them.
func (e *elemWriter) insertCall(elems *view, w *walk) nest.Item {
	n := e.insert
	rows, to := viewOf(n.in, &e.whole.In[n.in]), viewOf(n.out, &e.whole.Out[n.out-len(e.whole.In)].Access)
	rows.offset -= n.from
	to.offset -= n.at
	args := []nest.Arg{w.arg(elems, e.col), w.arg(&rows, e.col), w.arg(&to, e.col)}
	return call(insertKernel(e.ops[len(e.step.In)].dtype), w.size[e.col], nest.Fixed(n.factor), args, nest.Fixed(n.at))
}
