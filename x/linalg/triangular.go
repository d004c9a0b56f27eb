package linalg

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/stridefuse/stridefuse/graph"
)

// Triangle says which triangle of a matrix SolveTriangular reads: either Lower or Upper is set.
type Triangle struct {
	Lower        bool // the lower triangle, with its diagonal
	Upper        bool // the upper triangle, with its diagonal; its transpose is a lower one
	Transpose    bool // solve with the transpose of the triangle
	UnitDiagonal bool // the diagonal is all ones, and is not read
}

// SolveTriangular returns x with T·x = b, where T is a triangle of a: a is [..., n, n], b and x
// are [..., n, k], or [n] for one vector. Leading axes broadcast. The other triangle of a is not
// read. A zero on the diagonal is an error, and so is a Triangle that is neither Lower nor Upper.
func SolveTriangular(ctx context.Context, a, b *graph.Tensor, t Triangle) (*graph.Tensor, error) {
	const op = "solve triangular"
	if t.Lower == t.Upper {
		return nil, fail(op, "set one of Triangle's fields Lower and Upper, which say what of the matrix is read")
	}
	s, err := readSystem(op, a, b)
	if err != nil {
		return nil, err
	}
	form := triangle{upper: t.Upper, transposed: t.Transpose, unit: t.UnitDiagonal}
	for i := 0; i < s.a.count() && !t.UnitDiagonal; i++ {
		if p := slices.Index(diagonal(s.a.at(i), s.a.rows), 0); p >= 0 {
			return nil, fail(op, "%s is singular: element [%d,%d] is 0", s.a.place(i), p, p)
		}
	}
	return s.solve(ctx, func(i int, b blas64.General) { solveTriangle(s.a.general(i), form, b) })
}

// solveTriangle replaces b by the solution of t·x = b.
func solveTriangle(a blas64.General, t triangle, b blas64.General) {
	if a.Rows <= small {
		substitute(a.Data, a.Rows, t, b.Data, b.Cols)
		return
	}
	form := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: a.Rows, Stride: a.Stride, Data: a.Data}
	if t.upper {
		form.Uplo = blas.Upper
	}
	if t.unit {
		form.Diag = blas.Unit
	}
	trans := blas.NoTrans
	if t.transposed {
		trans = blas.Trans
	}
	blas64.Trsm(blas.Left, trans, 1, form, b)
}

// diagonal returns the elements of the diagonal of an n by n matrix.
func diagonal(a []float64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = a[i*(n+1)]
	}
	return d
}

// A system is a·x = b for two batches of matrices, after broadcasting.
type system struct {
	a      matrices
	b      matrices // replaced by x
	of     []int64  // for each matrix of b, its matrix of a
	vector bool     // b was a vector, so x is one
}

// readSystem reads the operands of a solve.
func readSystem(op string, ta, tb *graph.Tensor) (s system, err error) {
	if s.a, err = readSquare(op, "a", ta); err != nil {
		return s, err
	}
	if err := tb.Err(); err != nil {
		return s, err
	}
	shape := tb.Shape()
	if s.vector = tb.Rank() == 1; s.vector {
		tb = tb.Reshape(shape[0], 1)
	}
	if tb.DType() != ta.DType() {
		return s, fail(op, "a is %v and b is %v: cast one of them", ta.DType(), tb.DType())
	}
	if tb.Rank() < 2 || tb.Extent(-2) != s.a.rows {
		return s, fail(op, "a has shape %v and b %v: b must be [%d], or have matrices of %d rows", ta.Shape(), shape, s.a.rows, s.a.rows)
	}
	places := graph.Arange(graph.Int64, 0, float64(s.a.count()), 1).Reshape(append(slices.Clone(s.a.batch), 1, 1)...)
	batch, ok := broadcast(s.a.batch, tb.Shape()[:tb.Rank()-2])
	if !ok {
		return s, fail(op, "a has shape %v and b %v: their leading axes do not broadcast", ta.Shape(), shape)
	}
	if s.b, err = read(op, "b", tb.Expand(append(slices.Clone(batch), tb.Extent(-2), tb.Extent(-1))...)); err != nil {
		return s, err
	}
	s.of, err = graph.Data[int64](places.Expand(append(batch, 1, 1)...).Contiguous())
	return s, err
}

// broadcast returns the shape that two shapes broadcast to.
func broadcast(a, b []int) ([]int, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, extent := range b {
		at := len(a) - len(b) + i
		switch {
		case extent == out[at] || extent == 1:
		case out[at] == 1:
			out[at] = extent
		default:
			return nil, false
		}
	}
	return out, true
}

// solve replaces each matrix of b by the result of f for it and its matrix of a.
func (s system) solve(ctx context.Context, f func(i int, b blas64.General)) (*graph.Tensor, error) {
	err := s.b.each(ctx, func() func(int) error {
		return func(i int) error {
			if len(s.b.at(i)) > 0 {
				f(int(s.of[i]), s.b.general(i))
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	if s.vector {
		return s.b.shaped(s.b.rows * s.b.cols), nil
	}
	return s.b.tensor(), nil
}
