package linalg

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/stridefuse/stridefuse/graph"
)

// LUFactors are the factors of matrices a [..., m, n] with partial pivoting: row i of L·U is row Rows[i] of a.
type LUFactors struct {
	Rows *graph.Tensor // Int64 [..., m]
	L    *graph.Tensor // [..., m, min(m,n)], lower triangular with a diagonal of ones
	U    *graph.Tensor // [..., min(m,n), n], upper triangular
}

// LU factors matrices of any shape [..., m, n]. Singular matrices have factors too: U then has a
// zero on its diagonal.
func LU(ctx context.Context, a *graph.Tensor) (*LUFactors, error) {
	m, err := read("lu", "a", a)
	if err != nil {
		return nil, err
	}
	f, err := factor(ctx, m)
	if err != nil {
		return nil, err
	}
	k := min(m.rows, m.cols)
	l, u := m.like(m.rows, k), m.like(k, m.cols)
	rows := make([]int64, m.count()*m.rows)
	for i := range m.count() {
		order := rows[i*m.rows : (i+1)*m.rows]
		for r := range order {
			order[r] = int64(r)
		}
		for r, p := range f.pivots[i*k : (i+1)*k] {
			order[r], order[p] = order[p], order[r]
		}
		both := m.at(i)
		for r := range m.rows {
			copy(l.at(i)[r*k:(r+1)*k], both[r*m.cols:])
		}
		clearAbove(l.at(i), m.rows, k)
		for r := range k {
			l.at(i)[r*k+r] = 1
		}
		copy(u.at(i), both)
		clearBelow(u.at(i), k, m.cols)
	}
	return &LUFactors{Rows: graph.Of(rows, append(slices.Clone(m.batch), m.rows)...), L: l.tensor(), U: u.tensor()}, nil
}

// Solve returns x with a·x = b: a is [..., n, n], b and x are [..., n, k], or [n] for one vector. Leading axes
// broadcast; each matrix of a is factored once. As in LAPACK, a pivot of exactly 0 is an error, and a nearly singular
// matrix gives a solution with few correct digits.
func Solve(ctx context.Context, a, b *graph.Tensor) (*graph.Tensor, error) {
	s, err := readSystem("solve", a, b)
	if err != nil {
		return nil, err
	}
	f, err := factorRegular(ctx, s.a)
	if err != nil {
		return nil, err
	}
	return s.solve(ctx, f.solve)
}

// Inv returns the inverses of matrices [..., n, n]. A singular matrix is an error. Use Solve to solve equations.
func Inv(ctx context.Context, a *graph.Tensor) (*graph.Tensor, error) {
	m, err := readSquare("inv", "a", a)
	if err != nil {
		return nil, err
	}
	f, err := factorRegular(ctx, m)
	if err != nil {
		return nil, err
	}
	out, err := f.inverses(ctx)
	if err != nil {
		return nil, err
	}
	return out.tensor(), nil
}

// inverses returns the inverses of regular matrices.
func (f factors) inverses(ctx context.Context) (matrices, error) {
	out := f.like(f.rows, f.cols)
	return out, f.each(ctx, func() func(int) error {
		return func(i int) error {
			for d := range f.rows {
				out.at(i)[d*(f.rows+1)] = 1
			}
			f.solve(i, out.general(i))
			return nil
		}
	})
}

// Det returns the determinants of matrices [..., n, n], of the shape of the batch: 0 of a singular
// matrix, 1 of one without rows. SlogDet does not overflow.
func Det(ctx context.Context, a *graph.Tensor) (*graph.Tensor, error) {
	sign, size, dt, batch, err := determinants(ctx, "det", a, func(sum, pivot float64) float64 { return sum * pivot }, 1)
	if err != nil {
		return nil, err
	}
	for i := range size {
		size[i] *= sign[i]
	}
	return rounded(dt, size, batch), nil
}

// SlogDet returns the signs of the determinants of matrices [..., n, n], which are -1, 0 or 1, and
// the logarithms of their absolute values, which are -Inf for singular matrices.
func SlogDet(ctx context.Context, a *graph.Tensor) (sign, log *graph.Tensor, err error) {
	signs, sums, dt, batch, err := determinants(ctx, "slogdet", a, func(sum, pivot float64) float64 { return sum + math.Log(pivot) }, 0)
	if err != nil {
		return nil, nil, err
	}
	return rounded(dt, signs, batch), rounded(dt, sums, batch), nil
}

// determinants returns the sign of each determinant, and the result of folding the absolute values of the pivots with
// add, from start on.
func determinants(ctx context.Context, op string, a *graph.Tensor, add func(sum, pivot float64) float64, start float64) (signs, sums []float64, dt graph.DType, batch []int, err error) {
	m, err := readSquare(op, "a", a)
	if err != nil {
		return nil, nil, m.dtype, nil, err
	}
	f, err := factor(ctx, m)
	if err != nil {
		return nil, nil, m.dtype, nil, err
	}
	signs, sums = make([]float64, m.count()), make([]float64, m.count())
	for i := range sums {
		signs[i], sums[i] = 1, start
		for r, pivot := range diagonal(m.at(i), m.rows) {
			sums[i] = add(sums[i], math.Abs(pivot))
			switch exchanged := f.pivots[i*m.rows+r] != r; {
			case pivot == 0:
				signs[i] = 0
			case exchanged != (pivot < 0):
				signs[i] = -signs[i]
			}
		}
	}
	return signs, sums, m.dtype, m.batch, nil
}

// factors has matrices replaced by their factors, and min(rows, cols) pivots of each.
type factors struct {
	matrices
	pivots []int
}

// factor replaces matrices by their factors.
func factor(ctx context.Context, m matrices) (factors, error) {
	k := min(m.rows, m.cols)
	f := factors{m, make([]int, m.count()*k)}
	return f, m.each(ctx, func() func(int) error {
		return func(i int) error {
			switch pivots := f.pivots[i*k : (i+1)*k]; {
			case k == 0:
			case m.rows == m.cols && k <= small:
				factorLU(m.at(i), k, pivots)
			default:
				lapack64.Getrf(m.general(i), pivots)
			}
			return nil
		}
	})
}

// factorRegular is factor, with an error for the first singular matrix.
func factorRegular(ctx context.Context, m matrices) (factors, error) {
	f, err := factor(ctx, m)
	if err != nil {
		return f, err
	}
	for i := range m.count() {
		for r := range m.rows {
			if m.at(i)[r*(m.rows+1)] == 0 {
				return f, fail(m.op, "%s is singular: pivot %d is 0", m.place(i), r)
			}
		}
	}
	return f, nil
}

// solve replaces b by the solution for matrix i.
func (f factors) solve(i int, b blas64.General) {
	pivots := f.pivots[i*f.rows : (i+1)*f.rows]
	switch {
	case f.rows == 0 || b.Cols == 0:
	case f.rows <= small:
		for r, p := range pivots {
			exchange(b.Data, b.Cols, r, p)
		}
		substitute(f.at(i), f.rows, triangle{unit: true}, b.Data, b.Cols)
		substitute(f.at(i), f.rows, triangle{upper: true}, b.Data, b.Cols)
	default:
		lapack64.Getrs(blas.NoTrans, f.general(i), b, pivots)
	}
}
