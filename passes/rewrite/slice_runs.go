package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// This rule joins operands of a concatenation that follow one another in one value: Stack of the Nodes of Unstack, or Concat of those
// of Split. A thousand of them are one slice for all later passes.

// segment is an operand of a concatenation along axis to: n indices of an axis of a value, from first on.
type segment struct {
	of       *ir.Value
	axis, to int
	first, n int
	operand  *ir.Value // nil if several operands are joined
}

// segmentOf returns an operand as a segment: a slice, or one index of an axis that becomes axis to. Other operands are themselves.
func segmentOf(v *ir.Value, to int) segment {
	x, axis, n := v, to, 1
	switch {
	case v.Op == ir.OpSlice && v.Attr.Axis == to && v.Attr.Step == 1:
		n, _ = v.Attr.Len.Int()
	case v.Op == ir.OpUnsqueeze && slices.Equal(v.Attr.Axes, []int{to}) && v.Args[0].Op == ir.OpIndex:
		x = v.Args[0]
		axis = x.Attr.Axis
	default:
		return segment{operand: v}
	}
	first, known := x.Attr.Begin.Int()
	if _, fixed := v.Type.Shape[to].Int(); !known || !fixed {
		return segment{operand: v}
	}
	return segment{x.Args[0], axis, to, first, n, v}
}

// follows reports whether t begins where s ends.
func (s *segment) follows(t segment) bool {
	return s.of != nil && s.of == t.of && s.axis == t.axis && s.first+s.n == t.first
}

// value returns the operand that is the segment.
func (s *segment) value(f *ir.Func, pos ir.Pos) (x *ir.Value, err error) {
	if s.operand != nil {
		return s.operand, nil
	}
	x = s.of
	if extent := x.Type.Shape[s.axis]; !extent.Is(s.n) {
		if x, err = f.Add(ir.OpSlice, ir.Attr{Axis: s.axis, Begin: ir.Fixed(s.first), Len: ir.Fixed(s.n), Step: 1}, pos, x); err != nil {
			return nil, err
		}
	}
	if s.axis == s.to {
		return x, nil
	}
	order := slices.Delete(axesFrom(0, len(x.Type.Shape)), s.axis, s.axis+1)
	return f.Add(ir.OpPermute, ir.Attr{Axes: slices.Insert(order, s.to, s.axis)}, pos, x)
}

// joinSlices returns a concatenation with fewer operands, or the value that it is, or nil.
func joinSlices(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	var all []segment
	for _, a := range v.Args {
		next := segmentOf(a, v.Attr.Axis)
		if last := len(all) - 1; last >= 0 && all[last].follows(next) {
			all[last].n += next.n
			all[last].operand = nil
			continue
		}
		all = append(all, next)
	}
	mayInterleave := v.Attr.Axis == len(v.Type.Shape)-1 && len(v.Args) <= kernel.MaxFactor // one loop then stores all operands
	if len(all) == len(v.Args) || len(all) > 1 && mayInterleave {
		return nil, nil
	}
	parts := make([]*ir.Value, len(all))
	for i := range all {
		var err error
		if parts[i], err = all[i].value(f, v.Pos); err != nil {
			return nil, err
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return f.Add(ir.OpConcat, *v.Attr, v.Pos, parts...)
}
