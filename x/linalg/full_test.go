package linalg_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/linalg"
)

// TestFull: square factors are orthogonal, multiply to the matrix, and begin with those of the small ones.
func TestFull(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch, dt, tolerance := batches(t)
		rows, cols := size.Draw(t, "rows"), size.Draw(t, "cols")
		a := draw(t, "a", dt, batch, rows, cols)
		k := min(rows, cols)

		q, r, err := linalg.FullQR(ctx, a)
		require.NoError(t, err)
		small, _, err := linalg.QR(ctx, a)
		require.NoError(t, err)
		require.Equal(t, append(append([]int{}, batch...), rows, rows), q.Shape())
		orthonormal(t, q, tolerance)
		near(t, a, product(q, r), 10*tolerance)
		near(t, small, q.SliceAxis(-1, 0, k, 1), tolerance)

		u, s, vt, err := linalg.FullSVD(ctx, a)
		require.NoError(t, err)
		require.Equal(t, append(append([]int{}, batch...), cols, cols), vt.Shape())
		orthonormal(t, u, tolerance)
		orthonormal(t, transposed(vt), tolerance)
		scaled := run(graph.Const(u.SliceAxis(-1, 0, k, 1)).Mul(graph.Const(s.Unsqueeze(-2))))
		near(t, a, product(scaled, vt.SliceAxis(-2, 0, k, 1)), 10*tolerance)
	})
}

// TestMatrixPower compares powers with products, and negative ones with the identity.
func TestMatrixPower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch, dt, tolerance := batches(t)
		n, power := size.Draw(t, "n"), rapid.IntRange(0, 6).Draw(t, "power")
		a := wellConditioned(draw(t, "a", dt, batch, n, n), n)
		got, err := linalg.MatrixPower(ctx, a, power)
		require.NoError(t, err)
		want := run(graph.Const(a).EyeLike(dt, 0))
		scale := 1.
		for range power {
			want = product(want, a)
			scale *= float64(2*n + 3)
		}
		near(t, want, got, scale*tolerance)
		inverse, err := linalg.MatrixPower(ctx, a, -power)
		require.NoError(t, err)
		near(t, run(graph.Const(a).EyeLike(dt, 0)), product(got, inverse), scale*scale*tolerance)
	})
	_, err := linalg.MatrixPower(ctx, graph.New(graph.Float64, 2, 2), -1)
	require.ErrorContains(t, err, "matrixpower: a is singular: pivot 0 is 0")
}
