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

func TestMisuse(t *testing.T) {
	matrix, nan := graph.Ones(graph.Float64, 2, 3), graph.Full(graph.Float64, math.NaN(), 2, 2, 2)
	eye := graph.Eye(graph.Float64, 2)
	var none context.Context
	_, err := linalg.Solve(none, eye, eye)
	require.ErrorContains(t, err, "the context is nil")
	_, err = linalg.Inv(none, eye)
	require.ErrorContains(t, err, "the context is nil")
	mixed := graph.Of([]float64{1, 0, 0, 1, 1, 2, 2, 4, 0, 0, 0, 0}, 3, 1, 2, 2)
	large := graph.Eye(graph.Float64, 20).Clone()
	require.NoError(t, graph.Set(large, 0.0, 12, 12))
	solve := func(a, b *graph.Tensor) error { _, err := linalg.Solve(ctx, a, b); return err }
	triangular := func(a, b *graph.Tensor) error {
		_, err := linalg.SolveTriangular(ctx, a, b, linalg.Triangle{Lower: true})
		return err
	}
	cholesky := func(a *graph.Tensor) error { _, err := linalg.Cholesky(ctx, a); return err }
	inv := func(a *graph.Tensor) error { _, err := linalg.Inv(ctx, a); return err }
	det := func(a *graph.Tensor) error { _, err := linalg.Det(ctx, a); return err }
	lu := func(a *graph.Tensor) error { _, err := linalg.LU(ctx, a); return err }
	qr := func(a *graph.Tensor) error { _, _, err := linalg.QR(ctx, a); return err }
	svd := func(a *graph.Tensor) error { _, _, _, err := linalg.SVD(ctx, a); return err }
	eigh := func(a *graph.Tensor) error { _, _, err := linalg.Eigh(ctx, a); return err }
	slogdet := func(a *graph.Tensor) error { _, _, err := linalg.SlogDet(ctx, a); return err }
	for want, err := range map[string]error{
		"solve: a has shape [2 3]: its matrices must be square":                             solve(matrix, eye),
		"solve: a has shape [2 2] and b [3]: b must be [2], or have matrices of 2 rows":     solve(eye, graph.Ones(graph.Float64, 3)),
		"solve: a has shape [2 2] and b []: b must be [2], or have matrices of 2 rows":      solve(eye, graph.ScalarOf(1.0)),
		"solve: a has shape [3 1 2 2] and b [2 1 2 2]: their leading axes do not broadcast": solve(mixed, graph.Ones(graph.Float64, 2, 1, 2, 2)),
		"solve: a is float64 and b is float32: cast one of them":                            solve(eye, graph.Ones(graph.Float32, 2)),
		"solve: a[1,0] is singular: pivot 1 is 0":                                           solve(mixed, graph.Ones(graph.Float64, 2)),
		"solve: a is singular: pivot 12 is 0":                                               solve(large, graph.Ones(graph.Float64, 20)),
		"inv: a[1,0] is singular: pivot 1 is 0":                                             inv(mixed),
		"solve triangular: a[2,0] is singular: element [0,0] is 0":                          triangular(mixed, graph.Ones(graph.Float64, 2)),
		"solve triangular: a is singular: element [12,12] is 0":                             triangular(large, graph.Ones(graph.Float64, 20)),
		"cholesky: a[1,0] is not positive definite":                                         cholesky(mixed),
		"cholesky: a is not positive definite":                                              cholesky(large),
		"cholesky: a[0] is not positive definite":                                           cholesky(nan),
		"det: a has shape [2]: the last two axes are those of a matrix":                     det(graph.Ones(graph.Float64, 2)),
		"slogdet: a has shape [2 3]: its matrices must be square":                           slogdet(matrix),
		"lu: a is int32[2 2]: it must be float32 or float64":                                lu(graph.Eye(graph.Int32, 2)),
		"qr: a has shape []: the last two axes are those of a matrix":                       qr(graph.ScalarOf(1.0)),
		"svd: a[0] has NaN as its element [0,0]: all must be finite":                        svd(nan),
		"eigh: a has +Inf as its element [1,0]: all must be finite":                         eigh(graph.Of([]float64{1, math.NaN(), math.Inf(1), 1}, 2, 2)),
		"reshape: float64[2,3] to [4]: 6 elements do not fit a shape of 4":                  lu(matrix.Reshape(4)),
	} {
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^misuse_test.go:\d+: `, err.Error())
	}
	require.Error(t, lu(nil))
}

// TestNumbersOfAllKinds runs every function on NaNs, infinities, subnormal and huge numbers: each
// returns, with a result or an error.
func TestNumbersOfAllKinds(t *testing.T) {
	kinds := []float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 1e308, -1e-300}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 5, 9, 17}).Draw(t, "n")
		a := graph.Of(rapid.SliceOfN(rapid.SampledFrom(kinds), n*n, n*n).Draw(t, "a"), n, n)
		linalg.Solve(ctx, a, graph.Ones(graph.Float64, n))
		linalg.SolveTriangular(ctx, a, a, linalg.Triangle{Lower: true})
		linalg.Cholesky(ctx, a)
		linalg.LU(ctx, a)
		linalg.Inv(ctx, a)
		linalg.SlogDet(ctx, a)
		linalg.QR(ctx, a)
		linalg.SVD(ctx, a)
		linalg.Eigh(ctx, a)
	})
}

func TestCancel(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err := linalg.Inv(done, graph.Eye(graph.Float64, 3))
	require.ErrorIs(t, err, context.Canceled)
}

// TestOperandsStay computes with operands that are read afterwards.
func TestOperandsStay(t *testing.T) {
	a, b := graph.Normal(graph.Float64, 1, 0, 1, 3, 12, 12), graph.Normal(graph.Float64, 2, 0, 1, 12, 12)
	before, right := a.Clone(), b.Clone()
	_, err := linalg.Solve(ctx, a, b)
	require.NoError(t, err)
	_, _, _, err = linalg.SVD(ctx, a)
	require.NoError(t, err)
	_, _, err = linalg.Eigh(ctx, a)
	require.NoError(t, err)
	require.True(t, graph.Equal(before, a) && graph.Equal(right, b))
}
