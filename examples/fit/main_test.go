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
