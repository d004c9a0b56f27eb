package linalg

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/stridefuse/stridefuse/graph"
)

// This file has eigenvalues of any square matrix, and eigenvalues and singular values without vectors.

// EigValsh returns the eigenvalues [..., n] of symmetric matrices a [..., n, n], the least first, without their vectors. The
// upper triangle of a is not read. A NaN or an infinity in a is an error.
func EigValsh(ctx context.Context, a *graph.Tensor) (*graph.Tensor, error) {
	m, err := readSquare("eigvalsh", "a", a)
	if err != nil {
		return nil, err
	}
	values, err := eigh(ctx, m, lapack.EVNone)
	if err != nil {
		return nil, err
	}
	return values.shaped(m.cols), nil
}

// SVDVals returns the singular values [..., min(m, n)] of matrices a [..., m, n], the greatest first, without their vectors. A
// NaN or an infinity in a is an error.
func SVDVals(ctx context.Context, a *graph.Tensor) (*graph.Tensor, error) {
	m, err := read("svdvals", "a", a)
	if err != nil {
		return nil, err
	}
	k := min(m.rows, m.cols)
	values := m.like(1, k)
	err = m.eachFinite(ctx, func(i int, work []float64) ([]float64, error) {
		var ok bool
		none := blas64.General{Stride: 1}
		work = workspace(work, func(w []float64, n int) {
			ok = lapack64.Gesvd(lapack.SVDNone, lapack.SVDNone, m.general(i), none, none, values.at(i), w, n)
		})
		return work, m.converged(i, ok)
	}, nil)
	if err != nil {
		return nil, err
	}
	return values.shaped(k), nil
}

// EigVals returns the eigenvalues [..., n, 2] of square matrices a [..., n, n], in LAPACK's order: complex numbers as package
// cmplx has them, whose last axis has the real and the imaginary part. A NaN or an infinity in a is an error.
func EigVals(ctx context.Context, a *graph.Tensor) (*graph.Tensor, error) {
	w, _, err := eig(ctx, "eigvals", a, false)
	return w, err
}

// Eig returns the eigenvalues w [..., n, 2] of square matrices a [..., n, n], and their eigenvectors: the columns of v
// [..., n, n, 2], of length 1. Both are complex numbers as package cmplx has them, whose last axis has the real and the
// imaginary part. A NaN or an infinity in a is an error.
func Eig(ctx context.Context, a *graph.Tensor) (w, v *graph.Tensor, err error) {
	return eig(ctx, "eig", a, true)
}

func eig(ctx context.Context, op string, a *graph.Tensor, withVectors bool) (w, v *graph.Tensor, err error) {
	m, err := readSquare(op, "a", a)
	if err != nil {
		return nil, nil, err
	}
	n := m.rows
	values, vectors := m.like(n, 2), matrices{}
	right, none := lapack.RightEVNone, blas64.General{Stride: 1}
	if withVectors {
		right, vectors = lapack.RightEVCompute, m.like(n*n, 2)
	}
	err = m.eachFinite(ctx, func(i int, work []float64) ([]float64, error) {
		re, im, columns := make([]float64, n), make([]float64, n), none
		if withVectors {
			columns = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		}
		var first int
		work = workspace(work, func(w []float64, length int) {
			first = lapack64.Geev(lapack.LeftEVNone, right, m.general(i), re, im, none, columns, w, length)
		})
		for k := range n {
			values.at(i)[2*k], values.at(i)[2*k+1] = re[k], im[k]
		}
		if withVectors {
			spread(vectors.at(i), columns, im)
		}
		return work, m.converged(i, first == 0)
	}, nil)
	if err != nil {
		return nil, nil, err
	}
	if withVectors {
		v = vectors.shaped(n, n, 2)
	}
	return values.shaped(n, 2), v, nil
}

// spread writes eigenvectors as complex numbers. LAPACK has a pair of conjugate ones in two columns: the real and the
// imaginary parts of the first.
func spread(to []float64, columns blas64.General, im []float64) {
	n := columns.Rows
	for k := 0; k < n; k++ {
		for row := range n {
			at := 2 * (row*n + k)
			to[at] = columns.Data[row*n+k]
			if im[k] != 0 {
				to[at+1] = columns.Data[row*n+k+1]
				to[at+2], to[at+3] = to[at], -to[at+1]
			}
		}
		if im[k] != 0 {
			k++
		}
	}
}

// eachFinite calls a function for each matrix that has elements, all finite. The function gets the memory that it returned
// for the matrix before. prepare, if any, comes first.
func (m matrices) eachFinite(ctx context.Context, f func(i int, work []float64) ([]float64, error), prepare func(i int)) error {
	return m.each(ctx, func() func(int) error {
		var work []float64
		return func(i int) (err error) {
			if prepare != nil {
				prepare(i)
			}
			if err := m.finite(i); err != nil || m.rows == 0 || m.cols == 0 {
				return err
			}
			work, err = f(i, work)
			return err
		}
	})
}

func (m matrices) converged(i int, ok bool) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s: the iteration does not converge", m.place(i))
}
