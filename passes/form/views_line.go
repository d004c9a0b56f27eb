package form

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Some reductions of short lines become elementwise ops whose operands are one element of every line each. The lines
// are along a short axis, such as the channels of pixels, or have a few elements without a common stride, such as the
// windows of a pooling. Longer lines without a common stride are copied.

// line returns the value that replaces the reduction v: elementwise ops if the lines are short enough, v itself if each
// line has one stride, and v of a copy otherwise.
func (w *viewer) line(v *ir.Value) (*ir.Value, error) {
	a := v.Args[0]
	elements, err := w.unrolled(v, a)
	if err != nil {
		return nil, err
	}
	if elements != nil {
		*w.uses.At(a)--
		return w.combined(v, elements)
	}
	if a.Op != ir.OpAccess || affine([]*ir.Value{v}, nil) {
		return v, nil
	}
	if elements := w.elements(v, a); elements != nil {
		*w.uses.At(a)--
		return w.combined(v, elements)
	}
	c, err := w.copyOf(a, a.Pos, fmt.Sprintf("the elements that it reduces have no common stride in %s", a.Attr.At))
	v.Args[0] = c
	return v, err
}

// addsShort reports whether v sums one- or two-byte integers that a only converts. The kernel of such a sum needs no
// conversions and adds several lines at once.
func addsShort(v, a *ir.Value) bool {
	if v.Attr.By != ir.OpAdd || a.Op != ir.OpCast || !ir.Ints.Has(a.Type.DType) || a.Type.DType.Size() < 4 || !rewrite.ShortInt(a.Args[0].Type.DType) {
		return false
	}
	x := a.Args[0]
	return x.Op == ir.OpParam || x.Op == ir.OpAccess && x.Attr.At.IsRowMajor()
}

// unrolled returns the elements of the lines that v reduces as separate values, if their axis is short. Ops on them can
// then be fused with the loops that compute and read them. unrolled returns nil if a has other readers, because the
// loop that computes a also reduces it, and if a step on lines makes a, because other passes combine that step with the
// reduction.
func (w *viewer) unrolled(v, a *ir.Value) ([]*ir.Value, error) {
	last := len(a.Type.Shape) - 1
	if !w.s.IsShort(a, last) || v.Attr.By.IsArgReduction() || addsShort(v, a) {
		return nil, nil
	}
	at := func(i int) *ir.Value {
		return &ir.Value{Op: ir.OpIndex, Args: []*ir.Value{a}, Type: ir.Type{DType: a.Type.DType, Shape: v.Type.Shape}, Attr: &ir.Attr{Axis: last, Begin: ir.Fixed(i)}, Pos: v.Pos}
	}
	first := at(0)
	read := func(x *ir.Value) (*ir.Value, error) { return w.access(x, a) }
	if w.pushable(a) {
		if *w.uses.At(a) > 1 {
			return nil, nil
		}
		c := w.fanIn(first, a)
		if c.why != "" || w.copiedBelow(first, c) != "" || !c.elementByElement() {
			return nil, nil
		}
		read = func(x *ir.Value) (*ir.Value, error) { return w.clone(x, c) }
		defer w.release(first, c)
	} else if needsCopy(first, a) != "" || !elementByElement(a, mostJoins) {
		return nil, nil
	}
	var all []*ir.Value
	for i := range rewrite.LineOf(v) {
		x, err := read(at(i))
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// elementByElement reports whether a cone reads only params, constants, elementwise values, and concatenations of
// these.
func (c *fanIn) elementByElement() bool {
	for _, u := range c.values {
		for _, a := range u.Args {
			if !slices.Contains(c.values, a) && !elementByElement(a, mostJoins) {
				return false
			}
		}
	}
	return true
}

// mostJoins is the greatest depth of nested concatenations that elementByElement looks through. Padding nests one for
// each axis.
const mostJoins = 4

// elementByElement reports whether a, or the value that it reads, is a param, a constant, an elementwise value, or a
// concatenation of these, nested up to joins deep.
func elementByElement(a *ir.Value, joins int) bool {
	if a.Op == ir.OpAccess {
		a = a.Args[0]
	}
	joined := a.Op.IsJoin() && joins > 0 && !slices.ContainsFunc(a.Args, func(x *ir.Value) bool { return !elementByElement(x, joins-1) })
	return joined || a.Op == ir.OpParam || a.Op == ir.OpConst || a.Op.IsElementwise()
}

// elements returns one access for each element of the lines that v reduces. It returns nil if the lines are long, or if
// no axes of the layout make up the line.
func (w *viewer) elements(v, a *ir.Value) []*ir.Value {
	l, shape := rewrite.LayoutOf(a), rewrite.Extents(a)
	last := len(shape) - 1
	runs, ok := axisRuns(l.Shape, shape)
	if !ok || shape[last] > rewrite.ApartLine || v.Attr.By.IsArgReduction() {
		return nil
	}
	outer := len(l.Shape) - len(runs[last])
	rest := layout.Layout{Shape: l.Shape[:outer], Strides: l.Strides[:outer]}
	line := layout.Layout{Shape: l.Shape[outer:], Strides: l.Strides[outer:], Offset: l.Offset}
	var all []*ir.Value
	for at := range line.All() {
		one := rest
		one.Offset = at
		all = append(all, w.read(a.Args[0], one, v))
	}
	return all
}

// combined reduces each line by ir.ReduceRow's tree. The lines are so short that each element is its own lane.
func (w *viewer) combined(v *ir.Value, lanes []*ir.Value) (*ir.Value, error) {
	var first error
	ir.LaneTree(len(lanes), func(to, from int) {
		op := ir.Value{Op: v.Attr.By, Args: []*ir.Value{lanes[to], lanes[from]}, Type: v.Type, Attr: &ir.Attr{}, Pos: v.Pos}
		for _, a := range op.Args {
			*w.uses.At(a)++
		}
		if err := w.shape(&op); first == nil {
			first = err
		}
		lanes[to] = w.s.Func.Append(op)
		w.append(lanes[to])
	})
	return lanes[0], first
}

// interleaved reports whether the elements of two elementwise values alternate in one buffer. A loop that computes both
// values then stores whole vectors.
func (s *State) interleaved(a, b *ir.Value) bool {
	if a == nil || b == nil || !a.Op.IsElementwise() || !b.Op.IsElementwise() || s.placed[a].in == nil || s.placed[a].in != s.placed[b].in {
		return false
	}
	beside := s.placed[a].at.Collapse()
	if beside.Offset++; !beside.Equal(s.placed[b].at.Collapse()) {
		return false
	}
	for i, n := range slices.Backward(beside.Shape) {
		if n > 1 {
			return beside.Strides[i] > 1 && beside.Strides[i] <= kernel.MaxFactor
		}
	}
	return false
}
