package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Determinants.

var determinants = []operator{
	{"Det", 11, latest, 1, 1, ir.Floats, nil, determinant},
}

// mostRows limits the matrices of Det: each row is a dozen nodes of the graph.
const mostRows = 64

// determinant eliminates with partial pivoting. The result is the product of the pivots, negated for each exchange of
// two rows.
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

// eliminated performs one step of elimination on matrices x [..., n, n], with the row whose first element is greatest
// in magnitude. It returns that pivot, negated if the row was exchanged with the first one, and the remaining matrices
// [..., n-1, n-1]. If all first elements are 0, so is the pivot and nothing is subtracted.
func eliminated(x graph.Node) (pivot, rest graph.Node) {
	rows := x.Shape()[x.Rank()-2]
	at := x.SliceAxis(-1, 0, 1, 1).Abs().ArgMax(-2, graph.KeepDims) // [..., 1, 1]
	row := x.TakeAlong(-2, at)
	first := row.SliceAxis(-1, 0, 1, 1)
	pivot = graph.Where(at.Eq(0), first, first.Neg()).Squeeze(-2, -1)
	// The other rows, with the first one in the place of the pivot row.
	place := graph.Iota(graph.Int64, rows).Unsqueeze(-1)
	x = graph.Where(place.Eq(at), x.SliceAxis(-2, 0, 1, 1), x).SliceAxis(-2, 1, bound(rows), 1)
	factor := x.SliceAxis(-1, 0, 1, 1).Div(graph.Where(first.Eq(0), 1, first))
	cols := func(y graph.Node) graph.Node { return y.SliceAxis(-1, 1, bound(rows), 1) }
	return pivot, cols(x).Sub(factor.Mul(cols(row)))
}
