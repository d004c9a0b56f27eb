package least

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestSolve solves a system, and refuses a matrix that is not positive definite.
func TestSolve(t *testing.T) {
	x, err := solve([]float64{4, 2, 2, 3}, []float64{2, 5})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{-0.5, 2}, x, 1e-15)
	_, err = solve([]float64{1, 2, 2, 1}, []float64{1, 1})
	require.Error(t, err)
}

// TestLine compares a line through points with the formulas of linear regression.
func TestLine(t *testing.T) {
	p, x, y := graph.Input("p", graph.Float64, 2), graph.Input("x", graph.Float64, graph.Dim("n")), graph.Input("y", graph.Float64, graph.Dim("n"))
	problem, err := New(x.Mul(p.At(1)).Add(p.At(0)).Sub(y), p, x, y)
	require.NoError(t, err)
	way, err := problem.Solve(t.Context(), []float64{0, 0}, graph.Of([]float64{-1, 0, 1}), graph.Of([]float64{0, 1, 5}))
	require.NoError(t, err)
	last := way[len(way)-1]
	require.Equal(t, 26.0, way[0].Cost)
	require.InDeltaSlice(t, []float64{2, 2.5}, last.Parameters, 1e-6)
	require.InDelta(t, 1.5, last.Cost, 1e-12)
	errors, err := last.Errors(3)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.7071068, 0.8660254}, errors, 1e-6)
}
