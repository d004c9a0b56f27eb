package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Determinants.

var determinants = []operator{
	{"Det", 11, latest, 1, 1, ir.Floats, nil, determinant},
}

// mostRows limits the matrices of Det: each of their rows is a dozen nodes of the graph.
const mostRows = 64

// determinant eliminates with partial pivoting: the determinant is the product of the pivots,
// with the other sign for each exchange of two rows.
func determinant(c *call) []value {
	x := c.x(0)
	shape := x.Shape()
	rows, known := shape[len(shape)-1].Int()
	_, fixed := shape[len(shape)-2].Int()
	switch {
	case !known || !fixed:
		return c.fail("matrices %s: give their extents with WithSize", shape[len(shape)-2:])
	case rows > mostRows:
		return c.fail("matrices of %d rows: it takes up to %d", rows, mostRows)
	}
	rest := widened(x)
	det := graph.Fill(rest.DType(), 1, shape[:len(shape)-2])
	for range rows {
		var pivot graph.Node
		pivot, rest = eliminated(rest)
		det = det.Mul(pivot)
	}
	return one(det.Cast(x.DType()))
}

// eliminated takes the row with the greatest first element out of matrices x [..., n, n]. It
// returns that element, negative if the row was exchanged with the first one, and the matrices
// [..., n-1, n-1] that are left when multiples of the row made the other first elements 0. If
// all are 0 there is nothing to subtract, and the pivot is 0.
func eliminated(x graph.Node) (pivot, rest graph.Node) {
	rows := x.Shape()[x.Rank()-2]
	at := x.SliceAxis(-1, 0, 1, 1).Abs().ArgMax(-2, graph.KeepDims) // [..., 1, 1]
	row := x.TakeAlong(-2, at)
	first := row.SliceAxis(-1, 0, 1, 1)
	pivot = graph.Where(at.Eq(0), first, first.Neg()).Squeeze(-2, -1)
	// The other rows: the first one is in place of the one that was taken out.
	place := graph.Iota(graph.Int64, rows).Unsqueeze(-1)
	x = graph.Where(place.Eq(at), x.SliceAxis(-2, 0, 1, 1), x).SliceAxis(-2, 1, bound(rows), 1)
	factor := x.SliceAxis(-1, 0, 1, 1).Div(graph.Where(first.Eq(0), 1, first))
	cols := func(y graph.Node) graph.Node { return y.SliceAxis(-1, 1, bound(rows), 1) }
	return pivot, cols(x).Sub(factor.Mul(cols(row)))
}
