package form

import "github.com/stridefuse/stridefuse/passes/rewrite"

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Elementwise ops combine the elements of some lines of reductions: each operand is one element of every line. These are lines along a
// short axis, such as the channels of pixels, and lines of a few elements without a common stride, such as the windows of a pooling.
// Longer lines without a common stride are copied.

// line returns what v reduces to if its line has one stride or elementwise ops combine it, and else v of a copy.
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

// addsShort reports whether v adds integers of one or two bytes that a converts: its kernel adds several lines at once, without
// conversions.
func addsShort(v, a *ir.Value) bool {
	if v.Attr.By != ir.OpAdd || a.Op != ir.OpCast || !ir.Ints.Has(a.Type.DType) || a.Type.DType.Size() < 4 || !rewrite.ShortInt(a.Args[0].Type.DType) {
		return false
	}
	x := a.Args[0]
	return x.Op == ir.OpParam || x.Op == ir.OpAccess && x.Attr.At.IsRowMajor()
}

// unrolled returns the elements of the lines that v reduces, if their axis is short, so that ops on them can be fused with what computes
// and reads them. It returns nil for a value that is read elsewhere too, which is reduced where it is computed, and for results of steps
// on lines, which other passes combine with the reduction.
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

// elementByElement reports whether the values that a cone reads are inputs, stored by elementwise ops, or joins of such values.
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

// mostJoins is the greatest number of nested joins that are looked through: padding has one for each axis.
const mostJoins = 4

// elementByElement reports the same of one value, which may be an access. It looks through at most joins nested joins.
func elementByElement(a *ir.Value, joins int) bool {
	if a.Op == ir.OpAccess {
		a = a.Args[0]
	}
	joined := a.Op.IsJoin() && joins > 0 && !slices.ContainsFunc(a.Args, func(x *ir.Value) bool { return !elementByElement(x, joins-1) })
	return joined || a.Op == ir.OpParam || a.Op == ir.OpConst || a.Op.IsElementwise()
}

// elements returns the accesses of each element of the lines that v reduces, if they are few and the axes of the layout allow it.
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

// interleaved reports whether elements of two elementwise values alternate in the buffer in which both are stored: a loop that computes
// both stores whole vectors.
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
