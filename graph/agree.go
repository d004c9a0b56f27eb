package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Symbolic extents with quotients, such as 2*(h/2) and h, are equal for some sizes only. An op that needs them equal
// assumes that they are; a run with other sizes is an error.

// agreed returns the operands of an elementwise op or a concat, with extents replaced by equal ones where they may
// agree once sizes are bound. It returns nil if nothing changes or some extents can't agree.
func agreed(op ir.Op, attr ir.Attr, args []*node) []*node {
	if !op.IsElementwise() && op != ir.OpConcat {
		return nil
	}
	rank := 0
	for _, a := range args {
		rank = max(rank, len(a.typ.Shape))
	}
	out := slices.Clone(args)
	changed := false
	for back := 1; back <= rank; back++ { // from the last axis on
		if op == ir.OpConcat && rank-back == attr.Axis {
			continue
		}
		want := ir.Fixed(1) // the extent with the shortest text: h rather than 2*(h/2)
		for _, a := range out {
			d := a.fromEnd(back)
			if want.Is(1) || !d.Is(1) && len(d.String()) < len(want.String()) {
				want = d
			}
		}
		for i, a := range out {
			d := a.fromEnd(back)
			if d == want || d.Is(1) {
				continue
			}
			if !d.MayEqual(want) {
				return nil
			}
			k := len(a.typ.Shape) - back
			shape := slices.Clone(a.typ.Shape)
			shape[k] = want // one axis at a time: the product of several extents could agree where the extents don't
			if out[i] = apply(ir.OpReshape, ir.Attr{Shape: shape}, a).n; out[i].err != nil {
				return nil
			}
			out[i].names = a.names
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return out
}

// fromEnd returns the extent of an axis counted from the end (1 is the last axis), or 1 if there is no such axis.
func (n *node) fromEnd(back int) Extent {
	if k := len(n.typ.Shape) - back; k >= 0 {
		return n.typ.Shape[k]
	}
	return ir.Fixed(1)
}
