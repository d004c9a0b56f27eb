package sparse

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Ragged has rows of different lengths: row i is the elements of Values, along its first axis, from Offsets[i] to just
// before Offsets[i+1].
type Ragged struct {
	Values  graph.Node // [k, ...]
	Offsets graph.Node // Int64 [rows+1], rising from 0 to k
}

// NewRagged returns rows of values [k, ...] with offsets [rows+1] of any integer type. Offsets that fall, or that do
// not go from 0 to k, are an error of the run about an index outside an axis.
func NewRagged(offsets, values graph.Node) Ragged {
	switch {
	case values.Err() != nil:
	case offsets.Err() != nil:
		values = offsets
	case offsets.Rank() != 1 || values.Rank() == 0 || first(offsets) == none:
		values = fail("ragged: offsets %v and values %v: they must have shapes [rows+1] and [k, ...]", offsets.Shape(), values.Shape())
	}
	return Ragged{values, offsets.Cast(graph.Int64)}
}

// rising returns the offsets, and makes the run fail if they fall.
func (r Ragged) rising() graph.Node {
	// The sum of the negative lengths is an index that no axis has, unless there are none.
	falls := r.Offsets.Slice("1:").Sub(r.Offsets.Slice(":-1")).Minimum(0).Sum(0)
	return r.Offsets.Add(graph.Fill(graph.Int64, 0, 1).Take(0, falls))
}

var none, one = graph.Dim("0"), graph.Dim("1")

// fail returns a node with an error, at the line of the user's call.
func fail(format string, args ...any) graph.Node { return graph.Const(tensor.Failf(format, args...)) }

// Count returns how many rows there are.
func (r Ragged) Count() graph.Extent { return first(r.Offsets).Sub(one) }

// first returns the extent of the first axis, or 0 for a node with an error.
func first(x graph.Node) graph.Extent {
	if x.Err() != nil || x.Rank() == 0 {
		return none
	}
	return x.Shape()[0]
}

// RowOf returns the row of each value, Int64 [k].
func (r Ragged) RowOf() graph.Node {
	if r.Values.Err() != nil {
		return r.Values
	}
	k := first(r.Values)
	// The row of a value is the number of offsets up to its index, minus 1 for the leading 0.
	before := graph.Iota(graph.Int64, k.Add(one)).Eq(0).Cast(graph.Int64).Neg()
	return before.Scatter(0, r.rising(), 1, graph.ScatterAdd).CumSum(0).SliceAxis(0, 0, k, 1)
}

// Lengths returns how many values each row has, Int64 [rows].
func (r Ragged) Lengths() graph.Node {
	offsets := r.rising()
	return offsets.Slice("1:").Sub(offsets.Slice(":-1"))
}

// Sum returns the sum of each row, [rows, ...]; an empty row gives 0.
func (r Ragged) Sum() graph.Node { return r.Values.RaggedSum(r.Offsets) }

// Max returns the greatest element of each row; an empty row gives the least number of the type.
func (r Ragged) Max() graph.Node { return r.Values.RaggedMax(r.Offsets) }

// Min returns the least element of each row; an empty row gives the greatest number of the type.
func (r Ragged) Min() graph.Node { return r.Values.RaggedMin(r.Offsets) }

// Mean returns the mean of each row; an empty row gives NaN. The values must be floats.
func (r Ragged) Mean() graph.Node {
	sum := r.Sum()
	return sum.Div(trailing(r.Lengths().Cast(sum.DType()), sum.Rank()))
}

// Spread repeats one element per row, x [rows, ...], for each value of the row: the result is [k, ...]. A softmax of
// each row is
//
//	e := r.With(r.Values.Sub(r.Spread(r.Max())).Exp())
//	p := e.With(e.Values.Div(e.Spread(e.Sum())))
func (r Ragged) Spread(x graph.Node) graph.Node {
	if x.Err() == nil && !(graph.Shape{first(x)}).Equal(graph.Shape{r.Count()}) {
		return fail("spread: %v for %v rows", x.Shape(), r.Count())
	}
	return x.Take(0, r.RowOf())
}

// With returns the same rows with other values.
func (r Ragged) With(values graph.Node) Ragged {
	if values.Err() == nil && r.Values.Err() == nil && !(graph.Shape{first(values)}).Equal(graph.Shape{first(r.Values)}) {
		values = fail("with: %v values for rows of %v", values.Shape(), r.Values.Shape())
	}
	return Ragged{values, r.Offsets}
}

// Padded returns the rows as an array [rows, width, ...], with the number fill after the values of each row. A row of
// more than width values is an error of the run.
func (r Ragged) Padded(width, fill any) graph.Node {
	if r.Values.Err() != nil {
		return r.Values
	}
	rows := r.RowOf()
	at := graph.Iota(graph.Int64, first(r.Values)).Sub(r.Offsets.Take(0, rows))
	all := graph.Fill(r.Values.DType(), fill, r.Count(), width, r.Values.Shape()[1:])
	return all.ScatterND(graph.Stack(-1, rows, at), r.Values, graph.ScatterSet)
}

// trailing returns a vector as an array of the given rank whose other axes have extent 1.
func trailing(x graph.Node, rank int) graph.Node {
	for x.Err() == nil && x.Rank() < rank {
		x = x.Unsqueeze(-1)
	}
	return x
}
