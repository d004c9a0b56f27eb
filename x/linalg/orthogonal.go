package linalg

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/stridefuse/stridefuse/graph"
)

// This file has the factorizations with orthogonal factors. gonum computes all of them.

// QR factors matrices a [..., m, n] as q·r: q [..., m, k] has orthonormal columns and r [..., k, n]
// is upper triangular, with k = min(m, n). The signs are LAPACK's: r may have negative numbers
// on its diagonal.
func QR(ctx context.Context, a *graph.Tensor) (q, r *graph.Tensor, err error) {
	return qr(ctx, "qr", a, func(m matrices) int { return min(m.rows, m.cols) })
}

// FullQR is QR with square q [..., m, m] and r [..., m, n]: the other columns of q complete a basis, and the other rows of
// r are zeros.
func FullQR(ctx context.Context, a *graph.Tensor) (q, r *graph.Tensor, err error) {
	return qr(ctx, "fullqr", a, func(m matrices) int { return m.rows })
}

// qr computes so many columns of q and rows of r as columns says.
func qr(ctx context.Context, op string, a *graph.Tensor, columns func(m matrices) int) (q, r *graph.Tensor, err error) {
	m, err := read(op, "a", a)
	if err != nil {
		return nil, nil, err
	}
	k, few := columns(m), min(m.rows, m.cols)
	left, right := m.like(m.rows, k), m.like(k, m.cols)
	err = m.each(ctx, func() func(int) error {
		tau := make([]float64, few)
		var work []float64
		return func(i int) error {
			if few == 0 {
				for d := range k {
					left.at(i)[d*(k+1)] = 1
				}
				return nil
			}
			a, q := m.general(i), left.general(i)
			work = workspace(work, func(w []float64, n int) { lapack64.Geqrf(a, tau, w, n) })
			copy(right.at(i), a.Data)
			clearBelow(right.at(i), k, m.cols)
			for row := range m.rows {
				copy(q.Data[row*k:row*k+few], a.Data[row*m.cols:])
			}
			work = workspace(work, func(w []float64, n int) { lapack64.Orgqr(q, tau, w, n) })
			return nil
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return left.tensor(), right.tensor(), nil
}

// workspace calls a LAPACK routine twice: with length -1 it asks for the size of its memory, then it computes. It uses
// the memory of work if that is large enough.
func workspace(work []float64, routine func(work []float64, length int)) []float64 {
	var want [1]float64
	routine(want[:], -1)
	if n := max(1, int(want[0])); n > len(work) {
		work = make([]float64, n)
	}
	routine(work, len(work))
	return work
}

// SVD factors matrices a [..., m, n] as u·diag(s)·vt with k = min(m, n): u [..., m, k] has orthonormal
// columns, s [..., k] are the singular values, the greatest first, and vt [..., k, n] has
// orthonormal rows. A NaN or an infinity in a is an error.
func SVD(ctx context.Context, a *graph.Tensor) (u, s, vt *graph.Tensor, err error) {
	return svd(ctx, "svd", a, false)
}

// FullSVD is SVD with square u [..., m, m] and vt [..., n, n], whose other columns and rows complete bases.
func FullSVD(ctx context.Context, a *graph.Tensor) (u, s, vt *graph.Tensor, err error) {
	return svd(ctx, "fullsvd", a, true)
}

func svd(ctx context.Context, op string, a *graph.Tensor, full bool) (u, s, vt *graph.Tensor, err error) {
	m, err := read(op, "a", a)
	if err != nil {
		return nil, nil, nil, err
	}
	left, values, right, err := m.svd(ctx, full)
	if err != nil {
		return nil, nil, nil, err
	}
	return left.tensor(), values.shaped(values.cols), right.tensor(), nil
}

// svd returns the factors of each matrix, with square ones if full.
func (m matrices) svd(ctx context.Context, full bool) (left, values, right matrices, err error) {
	k := min(m.rows, m.cols)
	left, values, right = m.like(m.rows, k), m.like(1, k), m.like(k, m.cols)
	job := lapack.SVDStore
	if full {
		left, right, job = m.like(m.rows, m.rows), m.like(m.cols, m.cols), lapack.SVDAll
	}
	if full && k == 0 { // no iteration: the bases are any
		for _, side := range []matrices{left, right} {
			for i := range side.count() * side.rows {
				side.data[i*side.rows+i%side.rows] = 1
			}
		}
	}
	return left, values, right, m.eachFinite(ctx, func(i int, work []float64) ([]float64, error) {
		var ok bool
		work = workspace(work, func(w []float64, n int) {
			ok = lapack64.Gesvd(job, job, m.general(i), left.general(i), right.general(i), values.at(i), w, n)
		})
		return work, m.converged(i, ok)
	}, nil)
}

// Eigh returns the eigenvalues w [..., n] of symmetric matrices a [..., n, n], the least first, and
// their eigenvectors: the columns of v [..., n, n], which are orthonormal. The upper triangle of a
// is not read. A NaN or an infinity in a is an error.
func Eigh(ctx context.Context, a *graph.Tensor) (w, v *graph.Tensor, err error) {
	m, err := readSquare("eigh", "a", a)
	if err != nil {
		return nil, nil, err
	}
	values, err := eigh(ctx, m, lapack.EVCompute)
	if err != nil {
		return nil, nil, err
	}
	return values.shaped(m.cols), m.tensor(), nil
}

// eigh returns the eigenvalues of symmetric matrices, and replaces the matrices by their eigenvectors if those are asked
// for.
func eigh(ctx context.Context, m matrices, job lapack.EVJob) (values matrices, err error) {
	values = m.like(1, m.cols)
	return values, m.eachFinite(ctx, func(i int, work []float64) ([]float64, error) {
		sym := blas64.Symmetric{Uplo: blas.Lower, N: m.rows, Stride: m.cols, Data: m.at(i)}
		var ok bool
		work = workspace(work, func(w []float64, n int) { ok = lapack64.Syev(job, sym, values.at(i), w, n) })
		return work, m.converged(i, ok)
	}, func(i int) { clearAbove(m.at(i), m.rows, m.cols) })
}

// finite returns an error for the first element of a matrix that is NaN or infinite, for which iterations would not
// converge.
func (m matrices) finite(i int) error {
	for at, v := range m.at(i) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s has %v as its element [%d,%d]: all must be finite", m.place(i), v, at/m.cols, at%m.cols)
		}
	}
	return nil
}
