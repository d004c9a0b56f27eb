package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Derivatives of reductions, scans and recurrences.

// kept returns a result of a reduction, or its cotangent, with the reduced axes as axes of extent 1, repeated to the
// shape of the operand.
func (p *pullback) kept(x Node) Node {
	return x.Unsqueeze(p.attr.Axes).BroadcastTo(p.args[0].typ.Shape)
}

// pullExtreme divides the cotangent equally among the elements that are equal to the least or the greatest one.
func pullExtreme(p *pullback) []Node {
	tie := p.arg(0).Eq(p.kept(p.result))
	return []Node{Where(tie, p.kept(p.cotangent.shared(tie.counted(p.attr.Axes))), 0)}
}

// counted returns the number of true elements along axes, in Float32.
func (x Node) counted(axes []int) Node {
	return apply(ir.OpSum, ir.Attr{Axes: axes}, x.Cast(Float32).get())
}

// shared returns x divided by a number of elements. It is computed in the type of the sum, so a Float16 may be divided
// among any number.
func (x Node) shared(count Node) Node {
	dt := x.DType()
	return x.as(dt.Compute()).Div(count.as(dt.Compute())).as(dt)
}

// pullProd multiplies the cotangent by the product of all other elements: those before and those after. No element is
// divided by, so zeros are as any number.
func pullProd(p *pullback) []Node {
	x := p.arg(0)
	order := slices.Concat(slices.DeleteFunc(upTo(x.Rank()), func(k int) bool { return slices.Contains(p.attr.Axes, k) }), p.attr.Axes)
	lines := x.Permute(order)
	shape := lines.n.typ.Shape
	lead := x.Rank() - len(p.attr.Axes)
	lines = lines.Reshape(shape[:lead], shape[lead:].NumElems())
	others := lines.CumProd(-1, Exclusive).Mul(lines.CumProd(-1, Exclusive, Reverse)).Reshape(shape)
	inverse := make([]int, len(order))
	for to, from := range order {
		inverse[from] = to
	}
	return []Node{p.kept(p.cotangent).Mul(others.Permute(inverse))}
}

func pullCumSum(p *pullback) []Node {
	if p.attr.Exclusive {
		return []Node{p.cotangent.CumSum(p.attr.Axis, Reverse, Exclusive)}
	}
	return []Node{p.cotangent.CumSum(p.attr.Axis, Reverse)}
}

// inclusive returns the cotangent of the inclusive scan that an exclusive one shifts.
func (p *pullback) inclusive() Node {
	if p.attr.Exclusive {
		return p.cotangent.next(p.attr.Axis)
	}
	return p.cotangent
}

// pullCumProd: the cotangent of x[j] is the product of the elements before j times R[j], the sum over i >= j of the
// cotangent of i times the product of the elements from j+1 to i. R[j] = g[j] + x[j+1]*R[j+1] is a recurrence without a
// division.
func pullCumProd(p *pullback) []Node {
	r := p.reversed(p.inclusive(), p.arg(0))
	return []Node{scaled(r, p.arg(0).CumProd(p.attr.Axis, Exclusive), p.guarded)}
}

// reversed returns R[i] = g[i] + a[i+1]*R[i+1]. Below a Where, an a that is infinite or NaN counts only if a cotangent
// behind it is not 0.
func (p *pullback) reversed(g, a Node) Node {
	k := p.attr.Axis
	a = a.next(k)
	if p.guarded {
		behind := g.Ne(0).Cast(a.DType()).CumMax(k, Reverse).next(k)
		a = Where(behind.Eq(0).And(a.IsFinite().Not()), 0, a)
	}
	return g.Recurrence(k, a, Reverse)
}

// pullCumExtreme divides the cotangent of each result equally among the elements up to it that are equal to it. The
// results form runs of equal elements. Within a run, c[i] counts the elements that equal it, and S[j] adds g[i]/c[i]
// for i >= j; both are recurrences whose factor is 1 inside a run and 0 at its border. A NaN equals nothing: its result
// passes no cotangent on.
func pullCumExtreme(p *pullback) []Node {
	k, x := p.attr.Axis, p.arg(0)
	y := apply(p.op, ir.Attr{Axis: k}, x.n)
	dt := x.DType().Compute()
	tie, same := x.Eq(y), y.Eq(y.previous(k)).Cast(dt)
	count := tie.Cast(dt).Recurrence(k, same)
	g := Where(count.Eq(0), 0, p.inclusive().as(dt)).Div(count.Maximum(1))
	return []Node{Where(tie, g.Recurrence(k, same.next(k), Reverse), 0).as(x.DType())}
}

// pullRecurrence differentiates y[i] = a[i]*y[i-1] + x[i]. The cotangents R of x obey the reversed recurrence, R[i] =
// g[i] + a[i+1]*R[i+1], and a[i] gets R[i]*y[i-1].
func pullRecurrence(p *pullback) []Node {
	r := p.reversed(p.cotangent, p.arg(1))
	return []Node{r, scaled(r, p.result.previous(p.attr.Axis), p.guarded)}
}

// next returns x shifted by one along an axis: element i is x[i+1], the last one is 0.
func (x Node) next(axis int) Node {
	if x.Err() != nil {
		return x
	}
	return Concat(axis, x, x.zeros(axis, ir.Fixed(1))).span(axis, ir.Fixed(1), x.n.typ.Shape[axis])
}

// previous returns x shifted by one along an axis: element i is x[i-1], the first one is 0.
func (x Node) previous(axis int) Node {
	if x.Err() != nil {
		return x
	}
	return Concat(axis, x.zeros(axis, ir.Fixed(1)), x).first(axis, x.n.typ.Shape[axis])
}
