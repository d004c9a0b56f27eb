package linalg_test

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	complexes "github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/x/linalg"
)

// TestValuesWithoutVectors compares them with those that come with vectors.
func TestValuesWithoutVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch, dt, tolerance := batches(t)
		a := draw(t, "a", dt, batch, size.Draw(t, "rows"), size.Draw(t, "cols"))
		_, want, _, err := linalg.SVD(ctx, a)
		require.NoError(t, err)
		got, err := linalg.SVDVals(ctx, a)
		require.NoError(t, err)
		near(t, want, got, tolerance)

		n := size.Draw(t, "n")
		s := draw(t, "s", dt, batch, n, n)
		want, _, err = linalg.Eigh(ctx, s)
		require.NoError(t, err)
		got, err = linalg.EigValsh(ctx, s)
		require.NoError(t, err)
		near(t, want, got, tolerance)
	})
}

// TestEig: a·v = w·v for each eigenvector, which has length 1, and the eigenvalues add up to the trace.
func TestEig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch, dt, tolerance := batches(t)
		n := size.Draw(t, "n")
		a := draw(t, "a", dt, batch, n, n)
		w, v, err := linalg.Eig(ctx, a)
		require.NoError(t, err)
		alone, err := linalg.EigVals(ctx, a)
		require.NoError(t, err)
		require.Equal(t, append(slices.Clone(batch), n, 2), w.Shape())
		require.Equal(t, append(slices.Clone(batch), n, n, 2), v.Shape())
		require.Equal(t, w.Shape(), alone.Shape())
		data := numbers(t, a)
		values, vectors := complexOf(t, w), complexOf(t, v)
		for m := 0; n > 0 && m < len(values)/n; m++ {
			trace, sum := 0., complex128(0)
			for k := range n {
				trace += data[m*n*n+k*n+k]
				sum += values[m*n+k]
				length := 0.
				for row := range n {
					at := func(row int) complex128 { return vectors[(m*n+row)*n+k] }
					left := complex128(0)
					for col := range n {
						left += complex(data[(m*n+row)*n+col], 0) * at(col)
					}
					require.InDelta(t, 0, cmplx.Abs(left-values[m*n+k]*at(row)), tolerance*float64(10*n))
					length += real(at(row))*real(at(row)) + imag(at(row))*imag(at(row))
				}
				require.InDelta(t, 1, length, 10*tolerance)
			}
			require.InDelta(t, 0, cmplx.Abs(sum-complex(trace, 0)), tolerance*float64(10*n))
		}
	})
}

func numbers(t require.TestingT, a *graph.Tensor) []float64 {
	data, err := graph.Data[float64](run(graph.Const(a).Cast(graph.Float64)))
	require.NoError(t, err)
	return data
}

func complexOf(t require.TestingT, a *graph.Tensor) []complex128 {
	data, err := complexes.Data[complex128](run(graph.Const(a).Cast(graph.Float64)))
	require.NoError(t, err)
	return data
}

// TestPInv checks the four conditions of Penrose on matrices of any rank: a·p·a = a, p·a·p = p, and a·p and p·a are symmetric.
func TestPInv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch, dt, tolerance := batches(t)
		rows, cols, rank := size.Draw(t, "rows"), size.Draw(t, "cols"), rapid.IntRange(0, 9).Draw(t, "rank")
		a := product(draw(t, "left", dt, batch, rows, rank), draw(t, "right", dt, batch, rank, cols))
		p, err := linalg.PInv(ctx, a, 1e-5)
		require.NoError(t, err)
		ranks, err := linalg.MatrixRank(ctx, a, 1e-5)
		require.NoError(t, err)
		require.Equal(t, append([]int{}, batch...), append([]int{}, ranks.Shape()...))
		of, err := graph.Data[int64](ranks)
		require.NoError(t, err)
		for _, r := range of {
			require.LessOrEqual(t, int(r), min(rows, cols, rank))
		}
		near(t, a, product(product(a, p), a), 1000*tolerance)
		near(t, run(graph.Const(p).Materialize()), product(product(p, a), p), 1000*tolerance)
		near(t, product(a, p), transposed(product(a, p)), 1000*tolerance)
		near(t, product(p, a), transposed(product(p, a)), 1000*tolerance)
	})
}

// TestLstSq compares with numpy.linalg.lstsq of NumPy 2.4.6, and with Solve where a is regular.
func TestLstSq(t *testing.T) {
	a := graph.Of([]float64{0, 1, 1, 1, 2, 1, 3, 1}, 4, 2)
	x, rank, err := linalg.LstSq(ctx, a, graph.Of([]float64{-1, 0.2, 0.9, 2.1}), linalg.Default)
	require.NoError(t, err)
	near(t, graph.Of([]float64{1, -0.95}), x, 1e-12)
	require.Equal(t, "int64[] 2", rank.String())
	regular := wellConditioned(graph.Normal(graph.Float64, 1, 0, 1, 3, 5, 5), 5)
	b := graph.Normal(graph.Float64, 2, 0, 1, 5, 2)
	x, rank, err = linalg.LstSq(ctx, regular, b, linalg.Default)
	require.NoError(t, err)
	want, err := linalg.Solve(ctx, regular, b)
	require.NoError(t, err)
	near(t, want, x, 1e-12)
	require.Equal(t, "int64[3]\n[5 5 5]", rank.String())
}

// TestValueMistakes lists messages.
func TestValueMistakes(t *testing.T) {
	wide, nan := graph.Ones(graph.Float64, 2, 3), graph.Full(graph.Float64, math.NaN(), 2, 2, 2)
	_, _, err := linalg.Eig(ctx, wide)
	require.ErrorContains(t, err, "eig: a has shape [2 3]: its matrices must be square")
	_, err = linalg.EigVals(ctx, nan)
	require.ErrorContains(t, err, "eigvals: a[0] has NaN as its element [0,0]: all must be finite")
	_, err = linalg.PInv(ctx, nan, linalg.Default)
	require.ErrorContains(t, err, "pinv: a[0] has NaN")
	_, err = linalg.MatrixRank(ctx, graph.Ones(graph.Float64, 2), linalg.Default)
	require.ErrorContains(t, err, "matrix_rank: a has shape [2]")
	_, _, err = linalg.LstSq(ctx, wide, graph.Ones(graph.Float64, 3), linalg.Default)
	require.Error(t, err)
}
