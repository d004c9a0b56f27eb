package sparse

import "github.com/stridefuse/stridefuse/graph"

// COO is an m by n matrix of k stored elements, each with its row and column, in any order. Elements at the same index
// add up; all others are 0.
type COO struct {
	Rows, Cols graph.Node // Int64 [k]
	Values     graph.Node // [k]
	M, N       graph.Extent
}

// NewCOO returns the m by n matrix of values [k] at rows [k] and cols [k], of any integer types. m and n are ints or
// Extents.
func NewCOO(rows, cols, values graph.Node, m, n any) COO {
	all := graph.Fill(graph.Bool, false, m, n) // an array of extents m and n
	for _, x := range []graph.Node{rows, cols, all} {
		if values.Err() == nil && x.Err() != nil {
			values = x
		}
	}
	if values.Err() != nil {
		return COO{rows, cols, values, none, none}
	}
	if v := values.Shape(); len(v) != 1 || !v.Equal(rows.Shape()) || !v.Equal(cols.Shape()) {
		values = fail("coo: rows %v, columns %v and values %v: they must be vectors of one length", rows.Shape(), cols.Shape(), v)
	}
	shape := all.Shape()
	return COO{rows.Cast(graph.Int64), cols.Cast(graph.Int64), values, shape[0], shape[1]}
}

// T returns the transpose.
func (a COO) T() COO { return COO{a.Cols, a.Rows, a.Values, a.N, a.M} }

// With returns the matrix with other values at the same indices.
func (a COO) With(values graph.Node) COO {
	b := NewCOO(a.Rows, a.Cols, values, a.M, a.N)
	if b.Values.Err() == nil {
		b.Values = values
	}
	return b
}

// places returns the row and column of each element, Int64 [k, 2].
func (a COO) places() graph.Node { return graph.Stack(-1, a.Rows, a.Cols) }

// Dense returns all elements, [m, n].
func (a COO) Dense() graph.Node {
	if a.Values.Err() != nil {
		return a.Values
	}
	return a.AddTo(graph.Fill(a.Values.DType(), 0, a.M, a.N))
}

// AddTo returns the sum of an array x [m, n] and the matrix, [m, n].
func (a COO) AddTo(x graph.Node) graph.Node {
	if err := a.check("addto", x, a.M, a.N); err.Err() != nil {
		return err
	}
	return x.ScatterND(a.places(), a.Values, graph.ScatterAdd)
}

// At returns the elements of an array x [m, n] at the indices of the stored elements, [k].
func (a COO) At(x graph.Node) graph.Node {
	if err := a.check("at", x, a.M, a.N); err.Err() != nil {
		return err
	}
	return x.GatherND(a.places(), 0)
}

// Mul returns the elementwise product with an array x [m, n]: a matrix with the same indices. Other elementwise
// operations are written by With and At: a.With(a.Values.Div(a.At(x))).
func (a COO) Mul(x graph.Node) COO { return a.With(a.Values.Mul(a.At(x))) }

// MatMul returns the product with a vector or array x [n, ...], of shape [m, ...]. It reads one row of x for each
// stored element. The product x·a of an array and the matrix is a.T().MatMul(x.T()).T().
func (a COO) MatMul(x graph.Node) graph.Node {
	if err := a.check("matmul", x, a.N); err.Err() != nil {
		return err
	}
	products := x.Take(0, a.Cols).Mul(trailing(a.Values, x.Rank()))
	sums := graph.Fill(x.DType(), 0, a.M, x.Shape()[1:])
	return sums.Scatter(0, trailing(a.Rows, x.Rank()).BroadcastTo(products.Shape()), products, graph.ScatterAdd)
}

// check returns a node with the error of the matrix or of x. The first extents of x must be the given ones; with two
// they are all of its extents.
func (a COO) check(op string, x graph.Node, extents ...graph.Extent) graph.Node {
	switch {
	case a.Values.Err() != nil:
		return a.Values
	case x.Err() != nil:
	case x.Rank() < len(extents) || len(extents) == 2 && x.Rank() != 2 || !x.Shape()[:len(extents)].Equal(extents):
		return fail("%s: an array %v and a sparse matrix %v: the array must begin with the axes %v", op, x.Shape(), graph.Shape{a.M, a.N}, graph.Shape(extents))
	case x.DType() != a.Values.DType():
		return fail("%s: an array of %v and a sparse matrix of %v: Cast one of them", op, x.DType(), a.Values.DType())
	}
	return x
}

// CSR returns the same matrix with its elements sorted by row. The elements of a row stay in order.
func (a COO) CSR() CSR {
	if a.Values.Err() != nil {
		return CSR{Ragged{a.Values, a.Rows}, a.Cols, a.N}
	}
	order := a.Rows.ArgSort(0)
	offsets := graph.Concat(0, graph.Fill(graph.Int64, 0, 1), a.Rows.BinCount(a.M).CumSum(0))
	return CSR{Ragged{a.Values.Take(0, order), offsets}, a.Cols.Take(0, order), a.N}
}

// CSR is a matrix of n columns whose elements are stored row by row: the values of row i are a row of a Ragged. Sum,
// Mean, Max and Min reduce the stored elements of each row.
type CSR struct {
	Ragged
	Cols graph.Node // Int64 [k]
	N    graph.Extent
}

// NewCSR returns the matrix of n columns (an int or an Extent) with values [k] in columns cols [k] and offsets
// [rows+1], of any integer types.
func NewCSR(offsets, cols, values graph.Node, n any) CSR {
	r := NewRagged(offsets, values)
	a := NewCOO(cols, cols, r.Values, r.Count(), n)
	return CSR{Ragged{a.Values, r.Offsets}, a.Cols, a.N}
}

// COO returns the same matrix with a row number for each element.
func (a CSR) COO() COO { return COO{a.RowOf(), a.Cols, a.Values, a.Count(), a.N} }

// MatMul returns the product with an array x [n, ...], as COO.MatMul does. The package documentation says when it is
// one step.
func (a CSR) MatMul(x graph.Node) graph.Node {
	if err := (COO{Values: a.Values, M: a.Count(), N: a.N}).check("matmul", x, a.N); err.Err() != nil {
		return err
	}
	return x.Take(0, a.Cols).Mul(trailing(a.Values, x.Rank())).RaggedSum(a.Offsets)
}

// Dense returns all elements, [m, n].
func (a CSR) Dense() graph.Node { return a.COO().Dense() }
