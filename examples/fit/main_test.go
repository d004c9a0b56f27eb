package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFit compares the output with a text. scipy.optimize.curve_fit, which stops a little earlier, finds parameters and
// standard errors that agree to a part in a million or to the last digit.
func TestFit(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	require.Contains(t, out.String(), `0.7916 ppm
level   265.79958 ± 1.89848
grown    48.59116 ± 1.81846
rate      0.01856 ± 0.00050
sin1      2.77628 ± 0.05176
cos1     -0.38917 ± 0.05175
sin2     -0.66263 ± 0.05175
cos2      0.38525 ± 0.05175
`)
}

// TestSolve solves a system, and refuses a matrix that is not positive definite.
func TestSolve(t *testing.T) {
	x, err := solve([]float64{4, 2, 2, 3}, []float64{2, 5})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{-0.5, 2}, x, 1e-15)
	_, err = solve([]float64{1, 2, 2, 1}, []float64{1, 1})
	require.Error(t, err)
}
