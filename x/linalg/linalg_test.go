package linalg_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/linalg"
)

var ctx = context.Background()

// draw returns a tensor of numbers about 1, in a random layout: its last axes may be transposed,
// stepped and reversed views.
func draw(t *rapid.T, name string, dt graph.DType, batch []int, rows, cols int) *graph.Tensor {
	seed := rapid.Uint64().Draw(t, name)
	view := rapid.IntRange(0, 3).Draw(t, name+" view")
	shape := func(axes ...int) []int { return append(append([]int{}, batch...), axes...) }
	rank := len(batch) + 2
	switch view {
	case 1:
		order := make([]int, rank)
		for i := range order {
			order[i] = i
		}
		order[rank-1], order[rank-2] = rank-2, rank-1
		return graph.Normal(dt, seed, 0, 1, shape(cols, rows)...).Permute(order...)
	case 2:
		return graph.Normal(dt, seed, 0, 1, shape(rows, cols)...).Flip(rank - 2)
	case 3:
		return graph.Normal(dt, seed, 0, 1, shape(rows, 2*cols)...).Slice("...,::2")
	}
	return graph.Normal(dt, seed, 0, 1, shape(rows, cols)...)
}

// batches returns leading axes, and a size on either side of that of the small loops.
func batches(t *rapid.T) (batch []int, dt graph.DType, tolerance float64) {
	batch = rapid.SliceOfN(rapid.IntRange(0, 3), 0, 2).Draw(t, "batch")
	if rapid.Bool().Draw(t, "float32") {
		return batch, graph.Float32, 1e-4
	}
	return batch, graph.Float64, 1e-9
}

var size = rapid.OneOf(rapid.IntRange(0, 8), rapid.SampledFrom([]int{9, 13, 40}))

// wellConditioned returns a plus a multiple of the identity that makes it regular.
func wellConditioned(a *graph.Tensor, n int) *graph.Tensor {
	return run(graph.Const(a).Add(graph.Eye(a.DType(), n).Clone()).Add(run(graph.Const(graph.Eye(a.DType(), n)).Mul(float64(3 * n)))))
}

func run(x graph.Node) *graph.Tensor {
	p, err := graph.Compile(x)
	if err != nil {
		panic(err)
	}
	out, err := p.Run(ctx)
	if err != nil {
		panic(err)
	}
	return out
}

func product(a, b *graph.Tensor) *graph.Tensor { return run(graph.Const(a).MatMul(graph.Const(b))) }

func transposed(a *graph.Tensor) *graph.Tensor {
	return run(graph.Const(a).SwapAxes(-1, -2).Materialize())
}

// near requires that two tensors have one dtype and shape, and elements that differ little.
func near(t require.TestingT, want, got *graph.Tensor, tolerance float64) {
	require.Equal(t, want.DType(), got.DType())
	require.Equal(t, want.Shape(), got.Shape())
	if want.Size() == 0 {
		return
	}
	most := run(graph.Const(want).Sub(got).Abs().Div(graph.Const(want).Abs().Max().Add(1)).Max().Cast(graph.Float64))
	v, err := graph.At[float64](most)
	require.NoError(t, err)
	require.LessOrEqual(t, v, tolerance, "want %v\ngot %v", want, got)
}

// triangleOf returns a triangle of a, with zeros elsewhere.
func triangleOf(a *graph.Tensor, n int, how linalg.Triangle) *graph.Tensor {
	i, j := graph.Iota(graph.Int64, n).Unsqueeze(1), graph.Iota(graph.Int64, n)
	keep := i.Ge(j)
	if how.Upper {
		keep = i.Le(j)
	}
	x := graph.Where(keep, graph.Const(a), 0)
	if how.UnitDiagonal {
		x = graph.Where(i.Eq(j), 1, x)
	}
	if how.Transpose {
		x = x.SwapAxes(-1, -2)
	}
	return run(x.Materialize())
}

func TestSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch, dt, tolerance := batches(t)
		n, k := size.Draw(t, "n"), rapid.IntRange(0, 3).Draw(t, "k")
		a := wellConditioned(draw(t, "a", dt, batch, n, n), n)
		b := draw(t, "b", dt, batch, n, k)
		x, err := linalg.Solve(ctx, a, b)
		require.NoError(t, err)
		near(t, b, product(a, x), tolerance)
		inverse, err := linalg.Inv(ctx, a)
		require.NoError(t, err)
		near(t, x, product(inverse, b), tolerance)
		upper := rapid.Bool().Draw(t, "upper")
		how := linalg.Triangle{Lower: !upper, Upper: upper, Transpose: rapid.Bool().Draw(t, "transpose")}
		x, err = linalg.SolveTriangular(ctx, a, b, how)
		require.NoError(t, err)
		near(t, b, product(triangleOf(a, n, how), x), tolerance)
		for _, unclear := range []linalg.Triangle{{}, {Lower: true, Upper: true}} {
			_, err = linalg.SolveTriangular(ctx, a, b, unclear)
			require.ErrorContains(t, err, "set one of Triangle's fields Lower and Upper")
		}
	})
}

// TestUnitTriangle solves with a diagonal that is not read.
func TestUnitTriangle(t *testing.T) {
	for _, n := range []int{3, 12} {
		a := run(graph.Const(graph.Normal(graph.Float64, 1, 0, 0.1, n, n)).Mul(graph.Const(graph.Eye(graph.Float64, n)).Sub(1)))
		b := graph.Normal(graph.Float64, 2, 0, 1, n)
		how := linalg.Triangle{Lower: true, UnitDiagonal: true}
		x, err := linalg.SolveTriangular(ctx, a, b, how)
		require.NoError(t, err)
		near(t, b, run(graph.Const(triangleOf(a, n, how)).Dot(x)), 1e-12)
	}
}

func TestFactors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch, dt, tolerance := batches(t)
		m, n := size.Draw(t, "m"), size.Draw(t, "n")
		a := draw(t, "a", dt, batch, m, n)
		f, err := linalg.LU(ctx, a)
		require.NoError(t, err)
		rows := graph.Const(f.Rows).Unsqueeze(-1)
		near(t, run(graph.Const(a).TakeAlong(-2, rows.BroadcastTo(toAny(a.Shape())...))), product(f.L, f.U), tolerance)
		near(t, unitLower(f.L), f.L, 0)

		q, r, err := linalg.QR(ctx, a)
		require.NoError(t, err)
		near(t, a, product(q, r), tolerance)
		orthonormal(t, q, tolerance)

		u, s, vt, err := linalg.SVD(ctx, a)
		require.NoError(t, err)
		near(t, a, product(run(graph.Const(u).Mul(graph.Const(s).Unsqueeze(-2))), vt), tolerance)
		orthonormal(t, u, tolerance)
		orthonormal(t, transposed(vt), tolerance)
		near(t, run(graph.Const(s).Abs().SortDescending(-1)), s, 0)
	})
}

// unitLower returns the lower triangle of L, whose diagonal is ones.
func unitLower(l *graph.Tensor) *graph.Tensor {
	rows, cols := l.Extent(-2), l.Extent(-1)
	i, j := graph.Iota(graph.Int64, rows).Unsqueeze(1), graph.Iota(graph.Int64, cols)
	return run(graph.Where(i.Eq(j), 1, graph.Where(i.Ge(j), graph.Const(l), 0)))
}

func toAny(shape []int) []any {
	out := make([]any, len(shape))
	for i, n := range shape {
		out[i] = n
	}
	return out
}

// orthonormal requires that the columns are.
func orthonormal(t require.TestingT, q *graph.Tensor, tolerance float64) {
	k := q.Extent(-1)
	gram := product(transposed(q), q)
	near(t, graph.Eye(q.DType(), k).Expand(gram.Shape()...), gram, tolerance)
}

func TestSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch, dt, tolerance := batches(t)
		n := size.Draw(t, "n")
		a := wellConditioned(draw(t, "a", dt, batch, n, n), n)
		a = product(a, transposed(a))
		l, err := linalg.Cholesky(ctx, a)
		require.NoError(t, err)
		near(t, a, product(l, transposed(l)), tolerance)
		near(t, triangleOf(l, n, linalg.Triangle{Lower: true}), l, 0)

		w, v, err := linalg.Eigh(ctx, a)
		require.NoError(t, err)
		near(t, product(a, v), run(graph.Const(v).Mul(graph.Const(w).Unsqueeze(-2))), tolerance)
		orthonormal(t, v, tolerance)
		near(t, run(graph.Const(w).Sort(-1)), w, 0)

		sign, log, err := linalg.SlogDet(ctx, a)
		require.NoError(t, err)
		near(t, graph.Ones(dt, batch...), sign, 0)
		logs := graph.Const(l).Diagonal(0, -2, -1).Log().Sum(-1).Mul(2)
		near(t, run(logs), log, tolerance)
	})
}

// TestBatch computes each matrix of a batch alone, with the same bits, and broadcasts.
func TestBatch(t *testing.T) {
	for _, n := range []int{2, 5, 8, 9, 20} {
		a, b := graph.Normal(graph.Float64, 3, 0, 1, 2, 3, n, n), graph.Normal(graph.Float64, 4, 0, 1, 3, n, 2)
		x, err := linalg.Solve(ctx, a, b)
		require.NoError(t, err)
		require.Equal(t, []int{2, 3, n, 2}, x.Shape())
		for i := range 2 {
			for j := range 3 {
				one, err := linalg.Solve(ctx, a.Index(0, i).Index(0, j), b.Index(0, j))
				require.NoError(t, err)
				require.True(t, graph.Equal(one, x.Index(0, i).Index(0, j)))
			}
		}
		v, err := linalg.Solve(ctx, a, graph.Ones(graph.Float64, n))
		require.NoError(t, err)
		require.Equal(t, []int{2, 3, n}, v.Shape())
	}
}

// TestDet compares determinants with exact ones: of permutations, singular and empty matrices.
func TestDet(t *testing.T) {
	for text, c := range map[string]struct {
		a         *graph.Tensor
		det       float64
		sign, log float64
	}{
		"exchange":  {graph.Of([]float64{0, 1, 1, 0}, 2, 2), -1, -1, 0},
		"cycle":     {graph.Of([]float64{0, 1, 0, 0, 0, 1, 1, 0, 0}, 3, 3), 1, 1, 0},
		"negative":  {graph.Of([]float64{2, 0, 0, -4}, 2, 2), -8, -1, math.Log(8)},
		"singular":  {graph.Of([]float64{1, 2, 2, 4}, 2, 2), 0, 0, math.Inf(-1)},
		"empty":     {graph.New(graph.Float64, 0, 0), 1, 1, 0},
		"ten":       {graph.Eye(graph.Float64, 10).Flip(0), -1, -1, 0},
		"ten, zero": {graph.New(graph.Float64, 10, 10), 0, 0, math.Inf(-1)},
	} {
		det, err := linalg.Det(ctx, c.a)
		require.NoError(t, err, text)
		require.Equal(t, c.det, must(graph.At[float64](det))+0, text) // -0 + 0 is 0
		sign, log, err := linalg.SlogDet(ctx, c.a)
		require.NoError(t, err, text)
		require.True(t, graph.Equal(graph.ScalarOf(c.sign), sign), "%s: %v", text, sign)
		require.Equal(t, c.log, must(graph.At[float64](log)), text)
	}
}

func must(v float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return v
}
