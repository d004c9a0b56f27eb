package linalg

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/stridefuse/stridefuse/graph"
)

// Cholesky returns the lower triangular L with L·Lᵀ = a, for symmetric positive definite matrices
// a [..., n, n]; L has the same shape, and zeros above its diagonal. The upper triangle of a is not
// read. A matrix that is not positive definite is an error.
func Cholesky(ctx context.Context, a *graph.Tensor) (*graph.Tensor, error) {
	m, err := readSquare("cholesky", "a", a)
	if err != nil {
		return nil, err
	}
	err = m.each(ctx, func() func(int) error {
		return func(i int) error {
			if !factorSymmetric(m.general(i)) {
				return fmt.Errorf("%s is not positive definite", m.place(i))
			}
			clearAbove(m.at(i), m.rows, m.cols)
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return m.tensor(), nil
}

// factorSymmetric replaces the lower triangle of a by its Cholesky factor, if it has one.
func factorSymmetric(a blas64.General) bool {
	if a.Rows <= small {
		return factorCholesky(a.Data, a.Rows)
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: a.Rows, Stride: a.Stride, Data: a.Data})
	return ok
}

// clearAbove writes zeros above the diagonal of a matrix.
func clearAbove(a []float64, rows, cols int) {
	for i := range rows {
		clear(a[i*cols+min(i+1, cols) : (i+1)*cols])
	}
}

// clearBelow writes zeros below the diagonal of a matrix.
func clearBelow(a []float64, rows, cols int) {
	for i := range rows {
		clear(a[i*cols : i*cols+min(i, cols)])
	}
}
