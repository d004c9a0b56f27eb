package sparse

import (
	"context"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Elements are the nonzero elements of a matrix in row-major order, as the nodes of a COO, or with Offsets instead of
// Rows of a CSR, take them.
type Elements struct {
	Rows, Cols *graph.Tensor // Int64 [k]
	Values     *graph.Tensor // [k]
	Offsets    *graph.Tensor // Int64 [m+1]: the first element of each row, then k
}

// FromDense returns the elements of a matrix t [m, n] that are not 0. NaN is not 0.
func FromDense(ctx context.Context, t *graph.Tensor) (*Elements, error) {
	if t.Err() == nil && t.Rank() != 2 {
		return nil, tensor.Failf("fromdense: shape %v: a matrix has 2 axes", t.Shape()).Err()
	}
	places, err := graph.NonZero(ctx, t)
	if err != nil {
		return nil, err
	}
	e := &Elements{Rows: places.Index(0, 0), Cols: places.Index(0, 1)}
	rows := graph.Const(e.Rows)
	at := NewCOO(rows, graph.Const(e.Cols), graph.Fill(t.DType(), 0, e.Rows.Size()), t.Extent(0), t.Extent(1))
	p, err := graph.Compile(at.At(graph.Const(t)), at.CSR().Offsets)
	if err != nil {
		return nil, err
	}
	outs, err := p.RunAll(ctx)
	if err != nil {
		return nil, err
	}
	e.Values, e.Offsets = outs[0], outs[1]
	return e, nil
}
