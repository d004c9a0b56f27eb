package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
)

// Spots: the elements of an array that contribute to a position, with weights. They are found for each axis separately;
// a spot of the array is one spot per axis.

// spot is an element along one axis, for each position.
type spot struct {
	index      graph.Node
	weight, in *graph.Node // nil means 1 and true; an element that is not in counts as 0
}

// border describes a sampled axis and what is outside of it.
type border struct {
	extent   int
	low, top float64 // positions of its ends
	padding  string  // zeros, border or reflection
}

// reflected maps positions outside the axis to its inside by reflection at the ends.
func (b border) reflected(at graph.Node) graph.Node {
	n := b.top - b.low
	if b.padding != "reflection" || n == 0 {
		return at
	}
	d := at.Sub(b.low).Abs()
	d = d.Sub(d.Div(2 * n).Floor().Mul(2 * n))
	return d.Minimum(d.Neg().Add(2 * n)).Add(b.low)
}

// around returns the elements within reach of positions.
func (b border) around(at graph.Node, reach int) []spot {
	floor := at.Floor()
	var spots []spot
	for k := 1 - reach; k <= reach; k++ {
		s := b.spot(floor.Add(float64(k)))
		weight := weightAt(at.Sub(floor).Sub(float64(k)).Abs(), reach)
		s.weight = &weight
		spots = append(spots, s)
	}
	return spots
}

// weightAt returns weights by distance: triangle, or cubic with slope -0.75.
func weightAt(d graph.Node, reach int) graph.Node {
	if reach == 1 {
		return d.Neg().Add(1).Maximum(0)
	}
	const a = -0.75
	near := d.Mul(a + 2).Sub(a + 3).Mul(d).Mul(d).Add(1)
	far := d.Mul(a).Sub(5 * a).Mul(d).Add(8 * a).Mul(d).Sub(4 * a)
	return graph.Where(d.Le(1), near, graph.Where(d.Lt(2), far, 0))
}

// spot returns the elements at integer positions.
func (b border) spot(at graph.Node) spot {
	last := float64(b.extent - 1)
	s := spot{}
	if b.padding == "zeros" {
		in := at.Ge(0).And(at.Le(last))
		s.in = &in
	} else {
		at = b.reflected(at)
	}
	s.index = at.Clip(0, last).Cast(graph.Int64)
	return s
}

// sampledAt returns the weighted sums of elements of x [n, c, spatial axes], over all combinations of the spots [n, 1,
// positions] of each axis: [n, c, positions].
func sampledAt(x graph.Node, axes [][]spot) graph.Node {
	shape := x.Shape()
	flat := x.Reshape(shape[:2], product(shape[2:]))
	var sum *graph.Node
	for _, s := range combined(shape[2:], axes) {
		term := flat.TakeAlong(2, s.index)
		if s.in != nil {
			term = graph.Where(*s.in, term, zeroOf(x))
		}
		if s.weight != nil {
			term = term.Mul(s.weight.Cast(x.DType()))
		}
		sum = both(sum, &term, func(x, y graph.Node) graph.Node { return x.Add(y) })
	}
	return *sum
}

// combined merges the spots of all axes to spots with row-major indices.
func combined(extents graph.Shape, axes [][]spot) []spot {
	all := axes[0]
	for k, spots := range axes[1:] {
		var next []spot
		for _, a := range all {
			for _, b := range spots {
				next = append(next, spot{
					index:  a.index.Mul(extents[1+k]).Add(b.index),
					weight: both(a.weight, b.weight, func(x, y graph.Node) graph.Node { return x.Mul(y) }),
					in:     both(a.in, b.in, func(x, y graph.Node) graph.Node { return x.And(y) }),
				})
			}
		}
		all = next
	}
	return all
}

// both combines two values; a nil value is ignored.
func both(x, y *graph.Node, f func(x, y graph.Node) graph.Node) *graph.Node {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	z := f(*x, *y)
	return &z
}

// zeroOf returns the zero of a value's type.
func zeroOf(x graph.Node) graph.Node { return graph.Scalar(graph.Int32, 0).Cast(x.DType()) }
