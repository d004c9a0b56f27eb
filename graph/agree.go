package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Extents with quotients, 2*(h/2) beside h, are equal for some sizes: where an op needs
// them equal, they are taken to be, and a run with other sizes is an error.

// agreed returns the operands of an elementwise op or a concat with equal extents where they
// may agree once sizes are bound. It returns nil if it changes none, or some can't agree.
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
	for back := 1; back <= rank; back++ { // axes from the last on
		if op == ir.OpConcat && rank-back == attr.Axis {
			continue
		}
		want := ir.Fixed(1) // the shortest text: h rather than 2*(h/2)
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
			shape[k] = want // an axis at a time: a product of several could agree where they don't
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

// fromEnd returns the extent of an axis, counted from 1 for the last one; it is 1 before the first axis.
func (n *node) fromEnd(back int) Extent {
	if k := len(n.typ.Shape) - back; k >= 0 {
		return n.typ.Shape[k]
	}
	return ir.Fixed(1)
}
