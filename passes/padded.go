package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// padded redirects the readers of a value that is padded to the value inside its padding, so that joins
// stores it once: in a residual network a convolution reads the padded value, and a sum behind that
// the value itself. A value stays as it is if the loop of the value could compute one of these readers,
// or one would read shorter lines.
//
// Requires: stage viewed.
// Ensures: nothing.
func padded(s *State) error {
	f := s.Func
	if !slices.ContainsFunc(f.Body, func(v *ir.Value) bool { return v.Op.IsJoin() }) {
		return nil
	}
	f.Sweep()
	p := &padder{s: s, level: s.levels()}
	p.readers, p.results = readersOf(f)
	after := map[*ir.Value][]*ir.Value{} // the joins that go behind a value
	for _, x := range f.Body {
		if x.Op.IsElementwise() && !p.results[x] && len(p.readers[x]) > 1 {
			if joins := p.pad(x); joins != nil {
				after[x] = joins
			}
		}
	}
	if len(after) > 0 {
		f.Body = inOrder(f.Body, after)
		f.Sweep()
		s.distinct, s.level = false, nil
	}
	return nil
}

type padder struct {
	s       *State
	readers map[*ir.Value][]*ir.Value
	results map[*ir.Value]bool
	level   []int32 // by ID
}

// pad has all readers of x but one, which pads it, read what that makes. It returns the joins which
// do, or nil if x stays as it is.
func (p *padder) pad(x *ir.Value) []*ir.Value {
	readers := p.readers[x]
	first := slices.IndexFunc(readers, func(r *ir.Value) bool { return pads(r, x) })
	if first < 0 {
		return nil
	}
	last := readers[first]
	joins := []*ir.Value{last}
	for next := p.readers[last]; len(next) == 1 && !p.results[last] && pads(next[0], last); next = p.readers[last] {
		last = next[0]
		joins = append(joins, last)
	}
	at, ok := inside(x, joins)
	if !ok || p.results[last] {
		return nil
	}
	others := slices.Delete(slices.Clone(readers), first, first+1)
	layouts := make([]layout.Layout, len(others))
	for i, r := range others {
		if layouts[i], ok = p.layout(x, r, at); !ok {
			return nil
		}
	}
	if !p.s.fuel.take(x) {
		return nil
	}
	for i, r := range others {
		p.read(r, x, last, layouts[i])
	}
	return joins
}

// pads reports whether the value v is x and constants round it.
func pads(v, x *ir.Value) bool {
	others := 0
	for _, a := range v.Args {
		if a == x {
			continue
		}
		if others++; a.Op != ir.OpConst && (a.Op != ir.OpAccess || !isConst(a.Args[0])) {
			return false
		}
	}
	return v.Op.IsJoin() && others == len(v.Args)-1
}

// inside returns where the elements of x are in the last of some joins, each of which is an operand of
// the next, as x is of the first.
func inside(x *ir.Value, joins []*ir.Value) (at layout.Layout, ok bool) {
	at = layout.RowMajor(extents(joins[len(joins)-1])...)
	for k, v := range slices.Backward(joins) {
		of := x
		if k > 0 {
			of = joins[k-1]
		}
		var err error
		if at, err = v.Op.Info().Part(v, slices.Index(v.Args, of), at); err != nil {
			return at, false
		}
	}
	return at, true
}

// layout returns how a reader of x reads it where it is, if it can and loses nothing.
func (p *padder) layout(x, r *ir.Value, at layout.Layout) (l layout.Layout, ok bool) {
	rank := len(at.Shape)
	switch {
	case size(x.Type.Shape) == 0:
		return l, false
	case r.Op == ir.OpAccess:
		if l, ok = within(*r.Attr.At, extents(x), at); !ok {
			return l, false
		}
		return l, line(l) >= line(*r.Attr.At)
	case r.Op.IsElementwise() && p.level[r.ID] > p.level[x.ID] && rank > 0 && at.Shape[rank-1] >= p.s.machine.MinColumns:
		ls := []layout.Layout{at}
		for _, a := range r.Args {
			if !isConst(a) && a != x {
				ls = append(ls, layoutOf(a))
			}
		}
		_, ok = layout.Refine(ls...)
		return at, ok
	}
	return l, false
}

// line returns how many elements follow one another along the last axis of a layout and those that
// continue it.
func line(l layout.Layout) int {
	shape := l.Collapse().Shape
	if len(shape) == 0 {
		return 1
	}
	return shape[len(shape)-1]
}

// within returns the elements of a view of a row-major array where the array has the layout at. It
// fails for a view whose steps go from the end of one axis to the next one.
func within(view layout.Layout, shape []int, at layout.Layout) (l layout.Layout, ok bool) {
	first, err := layout.Unravel(shape, view.Offset)
	if err != nil {
		return l, false
	}
	l = layout.Layout{Shape: view.Shape, Strides: make([]int, len(view.Strides)), Offset: at.At(first...)}
	least, most := slices.Clone(first), slices.Clone(first)
	for k, n := range view.Shape {
		stride, sign := view.Strides[k], 1
		if stride < 0 {
			stride, sign = -stride, -1
		}
		step, err := layout.Unravel(shape, stride)
		if n > 1 && err != nil {
			return l, false
		}
		for axis := range step {
			l.Strides[k] += sign * step[axis] * at.Strides[axis]
			least[axis] += min(0, sign*step[axis]*(n-1))
			most[axis] += max(0, sign*step[axis]*(n-1))
		}
	}
	for axis, n := range shape {
		if least[axis] < 0 || most[axis] >= n {
			return l, false
		}
	}
	return l, true
}

// read has r read the elements at a layout of v instead of x.
func (p *padder) read(r, x, v *ir.Value, l layout.Layout) {
	if r.Op == ir.OpAccess {
		attr := *r.Attr
		attr.At = &l
		r.Args[0], r.Attr = v, &attr
		return
	}
	a := &ir.Value{Op: ir.OpAccess, Args: []*ir.Value{v}, Type: x.Type, Pos: r.Pos, Attr: &ir.Attr{At: &l, Shape: x.Type.Shape}}
	for i := range r.Args {
		if r.Args[i] == x {
			r.Args[i] = a
		}
	}
}

// inOrder returns a body with some values directly behind others, and before each value those that
// it reads.
func inOrder(body []*ir.Value, after map[*ir.Value][]*ir.Value) []*ir.Value {
	ordered, done := make([]*ir.Value, 0, len(body)), map[*ir.Value]bool{}
	var add func(v *ir.Value)
	add = func(v *ir.Value) {
		if done[v] || v.Op == ir.OpParam {
			return
		}
		for _, a := range v.Args {
			add(a)
		}
		done[v] = true
		ordered = append(ordered, v)
		for _, w := range after[v] {
			add(w)
		}
	}
	for _, v := range body {
		add(v)
	}
	return ordered
}
