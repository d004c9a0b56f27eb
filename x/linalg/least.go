package linalg

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/stridefuse/stridefuse/graph"
)

// This file has what singular values decide: ranks, pseudo-inverses, and solutions of least squares.

// Tolerance is the part of the greatest singular value of a matrix below which a singular value counts as 0. Default is the
// greater extent of the matrix times the distance from 1 to the next number of its dtype.
type Tolerance float64

// Default is the tolerance of NumPy's matrix_rank.
const Default Tolerance = -1

// MatrixRank returns the ranks of matrices a [..., m, n]: an int64 tensor of the shape of the batch.
func MatrixRank(ctx context.Context, a *graph.Tensor, least Tolerance) (*graph.Tensor, error) {
	_, f, err := decompose(ctx, "matrix_rank", a)
	if err != nil {
		return nil, err
	}
	return f.ranks(least), nil
}

// PInv returns the pseudo-inverses [..., n, m] of matrices a [..., m, n] (Moore and Penrose).
func PInv(ctx context.Context, a *graph.Tensor, least Tolerance) (*graph.Tensor, error) {
	m, f, err := decompose(ctx, "pinv", a)
	if err != nil {
		return nil, err
	}
	return f.inverses(m, least), nil
}

// LstSq returns x with the least a·x - b, in squares, and of several such x the shortest: a is [..., m, n], b is [..., m, k] and x
// [..., n, k], or b is [m] and x [n]. Leading axes broadcast. It also returns the ranks of a, an int64 tensor of the shape of
// its batch.
func LstSq(ctx context.Context, a, b *graph.Tensor, least Tolerance) (x, rank *graph.Tensor, err error) {
	m, f, err := decompose(ctx, "lstsq", a)
	if err != nil {
		return nil, nil, err
	}
	p, err := graph.Compile(graph.Const(f.inverses(m, least)).MatMul(graph.Const(b)))
	if err != nil {
		return nil, nil, err
	}
	x, err = p.Run(ctx)
	return x, f.ranks(least), err
}

// singular has the factors of SVD of a batch.
type singular struct {
	u, values, vt matrices
	extent        int // the greater one of a matrix
}

// decompose computes the factors.
func decompose(ctx context.Context, op string, a *graph.Tensor) (matrices, singular, error) {
	m, err := read(op, "a", a)
	if err != nil {
		return m, singular{}, err
	}
	u, s, vt, err := m.svd(ctx, false)
	return m, singular{u, s, vt, max(m.rows, m.cols)}, err
}

// ranks returns the ranks of all matrices.
func (f singular) ranks(least Tolerance) *graph.Tensor {
	ranks := make([]int64, f.values.count())
	for i := range ranks {
		ranks[i] = int64(f.rank(i, least))
	}
	return graph.Of(ranks, f.values.batch...)
}

// inverses returns the pseudo-inverses of the matrices that were decomposed.
func (f singular) inverses(m matrices, least Tolerance) *graph.Tensor {
	out := m.like(m.cols, m.rows)
	for i := range m.count() {
		f.invert(i, least, out.general(i))
	}
	return out.tensor()
}

// rank returns how many singular values of matrix i count.
func (f singular) rank(i int, least Tolerance) int {
	values := f.values.at(i)
	if len(values) == 0 {
		return 0
	}
	if least < 0 {
		epsilon := 0x1p-52
		if f.values.dtype == graph.Float32 {
			epsilon = 0x1p-23
		}
		least = Tolerance(float64(f.extent) * epsilon)
	}
	bound := float64(least) * values[0]
	return len(values) - len(slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v > bound }))
}

// invert writes the pseudo-inverse of matrix i, V·diag(1/s)·Uᵀ over the singular values that count. It divides the rows of
// Vᵀ, so it is called once for each matrix.
func (f singular) invert(i int, least Tolerance, to blas64.General) {
	rank := f.rank(i, least)
	if rank == 0 {
		return
	}
	u, vt := f.u.general(i), f.vt.general(i)
	u.Cols, vt.Rows = rank, rank
	for k, s := range f.values.at(i)[:rank] {
		row := vt.Data[k*vt.Stride : k*vt.Stride+vt.Cols]
		for j := range row {
			row[j] /= s
		}
	}
	blas64.Gemm(blas.Trans, blas.Trans, 1, vt, u, 0, to)
}
