package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Derivatives of views and joins. A view that skips elements gives them a cotangent of 0, and a view that repeats
// elements adds their cotangents.

func pullReshape(p *pullback) []Node { return []Node{p.cotangent.Reshape(p.args[0].typ.Shape)} }

func pullPermute(p *pullback) []Node {
	inverse := make([]int, len(p.attr.Axes))
	for to, from := range p.attr.Axes {
		inverse[from] = to
	}
	return []Node{p.cotangent.Permute(inverse)}
}

func pullSlice(p *pullback) []Node {
	a := p.attr
	return []Node{p.cotangent.place(a.Axis, a.Begin, a.Step, p.args[0].typ.Shape[a.Axis])}
}

func pullIndex(p *pullback) []Node {
	a := p.attr
	return []Node{p.cotangent.Unsqueeze(a.Axis).place(a.Axis, a.Begin, 1, p.args[0].typ.Shape[a.Axis])}
}

// place returns zeros with the elements of x at begin, begin+step, ... of an axis of the given extent.
func (x Node) place(axis int, begin Extent, step int, extent Extent) Node {
	count := x.n.typ.Shape[axis]
	if count.Is(0) {
		return x.zeros(axis, extent)
	}
	if step < 0 {
		begin = begin.Add(count.Sub(ir.Fixed(1)).Mul(ir.Fixed(step)))
		x, step = x.Flip(axis), -step
	}
	if count.Is(1) {
		step = 1
	}
	x = x.spread(axis, step)
	spread := count.Mul(ir.Fixed(step))
	after := extent.Sub(begin).Sub(spread).Add(ir.Fixed(step - 1))
	return Concat(axis, x.beside(axis, begin, after)...).first(axis, extent)
}

// spread returns x with step-1 zeros after each element of an axis.
func (x Node) spread(axis, step int) Node {
	if step == 1 {
		return x
	}
	shape := slices.Clone(x.n.typ.Shape)
	shape[axis] = shape[axis].Mul(ir.Fixed(step))
	x = x.Unsqueeze(axis + 1)
	return Concat(axis+1, x, x.zeros(axis+1, ir.Fixed(step-1))).Reshape(shape)
}

// beside returns x between zeros along an axis.
func (x Node) beside(axis int, before, after Extent) []Node {
	parts := []Node{x}
	if !before.Is(0) {
		parts = slices.Insert(parts, 0, x.zeros(axis, before))
	}
	if !after.Is(0) {
		parts = append(parts, x.zeros(axis, after))
	}
	return parts
}

// zeros returns zeros of x's shape, except for the extent of an axis.
func (x Node) zeros(axis int, extent Extent) Node {
	shape := slices.Clone(x.n.typ.Shape)
	shape[axis] = extent
	return Fill(x.DType(), 0, shape)
}

// first returns the first elements of an axis.
func (x Node) first(axis int, count Extent) Node { return x.span(axis, ir.Fixed(0), count) }

// span returns count elements of an axis from begin on.
func (x Node) span(axis int, begin, count Extent) Node {
	return x.view(ir.OpSlice, func(n *node) (ir.Attr, bool, error) {
		return ir.Attr{Axis: axis, Begin: begin, Len: count, Step: 1}, begin.Is(0) && count == n.typ.Shape[axis], nil
	})
}

func pullConcat(p *pullback) []Node {
	k, begin := p.attr.Axis, ir.Fixed(0)
	out := make([]Node, len(p.args))
	for i, a := range p.args {
		out[i] = p.cotangent.span(k, begin, a.typ.Shape[k])
		begin = begin.Add(a.typ.Shape[k])
	}
	return out
}

// pullDiagonal returns matrices with the cotangent on a diagonal and zeros elsewhere.
func pullDiagonal(p *pullback) []Node {
	shape, a, b := p.args[0].typ.Shape, p.attr.Axes[0], p.attr.Axes[1]
	rank := len(shape)
	g := p.cotangent.place(rank-2, ir.Fixed(max(0, -p.attr.Step)), 1, shape[a]).Unsqueeze(-1) // one element for each row
	rows, cols := Iota(Int64, shape[a]).Unsqueeze(1), Iota(Int64, shape[b])
	g = Where(cols.Sub(rows).Eq(p.attr.Step), g, 0)
	order, next := make([]int, rank), 0 // g has rows and columns last
	for k := range order {
		switch k {
		case a:
			order[k] = rank - 2
		case b:
			order[k] = rank - 1
		default:
			order[k] = next
			next++
		}
	}
	return []Node{g.Permute(order)}
}

func pullWindow(p *pullback) []Node {
	a := p.attr
	return []Node{p.cotangent.overlapAdd(a.Axis, a.Step, a.Dilation, p.args[0].typ.Shape[a.Axis])}
}

// overlapAdd adds windows to an axis of the given extent: the reverse of Window. Axis of x counts the windows, which
// begin step apart, and the last axis has their elements, which are dilation apart.
//
// An element of the result is a sum over the windows that reach it. For a step of 1 these are a diagonal of windows of
// x: element j of window i-j, for each j. A larger step is reduced to that: each window is cut into blocks of step
// elements, and whole blocks are added.
func (x Node) overlapAdd(axis, step, dilation int, extent Extent) Node {
	size, _ := x.n.typ.Shape[x.Rank()-1].Int()
	if step == 1 {
		return x.addDiagonals(axis, size, dilation)
	}
	last := x.Rank() - 1
	reach, fits := ir.Fixed(size - 1).Mul(ir.Fixed(dilation)).Add(ir.Fixed(1)).Int()
	if !fits {
		return fail("windows of %d elements %d apart overflow int", size, dilation)
	}
	x = x.spread(last, dilation).first(last, ir.Fixed(reach))
	blocks := ceilDiv(reach, step)
	x = x.place(last, ir.Fixed(0), 1, ir.Fixed(blocks*step))
	shape := x.n.typ.Shape
	x = x.Reshape(shape[:last], blocks, step).MoveAxis(-1, axis+1) // [..., windows, step, ..., blocks]
	x = x.addDiagonals(axis, blocks, 1)
	shape = slices.Delete(slices.Clone(x.n.typ.Shape), axis+1, axis+2)
	shape[axis] = shape[axis].Mul(ir.Fixed(step))
	return x.Reshape(shape).resized(axis, extent, step)
}

// resized returns x with zeros appended to an axis, or elements cut off, to reach an extent. At most most zeros are
// appended.
func (x Node) resized(axis int, extent Extent, most int) Node {
	missing, known := extent.Sub(x.n.typ.Shape[axis]).Int()
	if !known {
		missing = most
	}
	if missing > 0 {
		x = Concat(axis, x, x.zeros(axis, ir.Fixed(missing)))
	}
	return x.first(axis, extent)
}

// addDiagonals is overlapAdd for a step of 1. Window m of the padded windows holds element j of window i+m-(size-1),
// where i counts from the first element that a window reaches.
func (x Node) addDiagonals(axis, size, dilation int) Node {
	if size == 1 {
		return x.Squeeze(-1)
	}
	pad := ir.Fixed(size - 1).Mul(ir.Fixed(dilation))
	last := x.Rank() - 1
	x = Concat(axis, x.beside(axis, pad, pad)...).Window(axis, size, 1, dilation)
	return apply(ir.OpSum, ir.Attr{Axes: []int{last}}, x.Flip(last).Diagonal(0, last, last+1).get())
}
