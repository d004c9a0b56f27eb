package graph

import "github.com/stridefuse/stridefuse/ir"

// Derivatives of ops on lines: gathers, scatters, sorts and ragged rows. Contributions to one element are added in the
// order of their indices, as ScatterAdd adds them.

func pullGather(p *pullback) []Node {
	return []Node{p.cotangent.zerosOf(p.args[0]).Scatter(p.attr.Axis, p.arg(1), p.cotangent, ScatterAdd), {}}
}

// zerosOf returns zeros of x's type and n's shape.
func (x Node) zerosOf(n *node) Node { return Fill(x.DType(), 0, n.typ.Shape) }

// pullSort sends each cotangent to the index that its element came from.
func pullSort(p *pullback) []Node {
	op := ir.OpArgSort
	if p.op == ir.OpSortDown {
		op = ir.OpArgSortDown
	}
	from := apply(op, *p.attr, p.args[0].unnamed())
	return []Node{p.cotangent.zerosOf(p.args[0]).Scatter(p.attr.Axis, from, p.cotangent, ScatterSet)}
}

// pullNth gives the cotangent to the elements selected.
func pullNth(p *pullback) []Node {
	k, x := p.attr.Axis, p.args[0]
	last := apply(ir.OpExtent, ir.Attr{DType: Int64, Begin: x.typ.Shape[k]}).Sub(1)
	places := p.arg(1).Maximum(0).Minimum(last)
	order := apply(ir.OpArgSort, ir.Attr{Axis: k, Len: x.typ.Shape[k]}, x.unnamed())
	return []Node{p.cotangent.zerosOf(x).Scatter(k, order.TakeAlong(k, places), p.cotangent, ScatterAdd), {}}
}

// rows returns, for each element of ragged rows, the number of its row.
func (p *pullback) rows() Node {
	k, shape := p.attr.Axis, p.args[0].typ.Shape
	offsets := p.arg(1).MoveAxis(k, -1)
	lead := offsets.n.typ.Shape[:len(shape)-1]
	at := Iota(Int64, shape[k]).BroadcastTo(lead, shape[k])
	return offsets.SearchSorted(at, true).Sub(1).MoveAxis(-1, k)
}

// pullRaggedExtreme divides the cotangent of each row equally among the elements that are equal to its result.
func pullRaggedExtreme(p *pullback) []Node {
	k, rows := p.attr.Axis, p.rows()
	tie := p.arg(0).Eq(p.result.TakeAlong(k, rows))
	count := apply(ir.OpRaggedAdd, *p.attr, tie.Cast(Float32).get(), p.args[1].unnamed())
	return []Node{Where(tie, p.cotangent.shared(count).TakeAlong(k, rows), 0), {}}
}

// pullScatter: an element that was replaced gets nothing, and of several updates of one element the last one gets the
// cotangent.
func pullScatter(p *pullback) []Node {
	k, at := p.attr.Axis, p.arg(1)
	updates := p.args[2]
	lined := repeated(ir.Fixed(1), len(updates.typ.Shape))
	lined[k] = updates.typ.Shape[k]
	number := Iota(Int64, updates.typ.Shape[k]).Reshape(Shape(lined)).BroadcastTo(updates.typ.Shape)
	last := Fill(Int64, 0, p.args[0].typ.Shape).Scatter(k, at, number, ScatterSet).TakeAlong(k, at)
	return []Node{
		p.cotangent.Scatter(k, at, p.cotangent.zerosOf(updates), ScatterSet), {},
		Where(last.Eq(number), p.cotangent.TakeAlong(k, at), 0),
	}
}

// pullScatterMul: each update gets the product of the element and its other updates. If one of the updates of an
// element is 0, only that one gets a cotangent; if several are, none does.
func pullScatterMul(p *pullback) []Node {
	k, x, at, updates := p.attr.Axis, p.arg(0), p.arg(1), p.arg(2)
	zero := updates.Eq(0)
	nonzero := Where(zero, 1, updates)
	zeros := Fill(Int64, 0, x.n.typ.Shape).Scatter(k, at, zero.Cast(Int64), ScatterAdd).TakeAlong(k, at)
	product := x.Scatter(k, at, nonzero, ScatterMul).TakeAlong(k, at)
	others := Where(zeros.Eq(zero.Cast(Int64)), product.Div(nonzero), 0)
	scale := Fill(x.DType(), 1, x.n.typ.Shape).Scatter(k, at, updates, ScatterMul)
	return []Node{p.cotangent.Mul(scale), {}, p.cotangent.TakeAlong(k, at).Mul(others)}
}

// pullScatterExtreme divides the cotangent equally among the element and the updates that are equal to the result.
func pullScatterExtreme(p *pullback) []Node {
	k, at := p.attr.Axis, p.arg(1)
	own, update := p.arg(0).Eq(p.result), p.arg(2).Eq(p.result.TakeAlong(k, at))
	count := own.Cast(Float32).Scatter(k, at, update.Cast(Float32), ScatterAdd)
	each := p.cotangent.shared(count)
	return []Node{Where(own, each, 0), {}, Where(update, each.TakeAlong(k, at), 0)}
}
