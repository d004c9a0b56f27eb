package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestOutput compares the parameters and a row of each table of sensitivities with a text. The parameters and their
// standard errors are those of scipy.optimize.curve_fit; the differences from the hand-written sensitivities are
// roundings.
func TestOutput(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	require.Contains(t, out.String(), `years   alpha             rho               nu                root mean square, cents
0.2500   0.2790 ± 0.0014   -0.6602 ± 0.0388    0.9430 ± 0.0544    1.98
0.5000   0.2644 ± 0.0014   -0.6199 ± 0.0225    0.8812 ± 0.0326    3.06
1.0000   0.2513 ± 0.0008   -0.6147 ± 0.0117    0.7034 ± 0.0145    2.55
2.0000   0.2460 ± 0.0004   -0.6306 ± 0.0081    0.4742 ± 0.0060    1.38
`)
	require.Contains(t, out.String(), "\n  100.00  11.56134   0.59684   0.01515  38.71311  -6.38924  48.12230\n")
	require.Contains(t, out.String(), "\n  100.00  11.56134   0.68265   0.01521  37.25727   0.81611   0.48752\n")
	_, by, _ := strings.Cut(out.String(), "by hand ")
	by, _, _ = strings.Cut(by, " at most away")
	for _, far := range strings.Fields(by) {
		require.Regexp(t, `^[0-9]e-1[3-9]$`, far)
	}
}

// sabr returns the volatility of the model by package math.
func sabr(forward, strike, years float64, p [3]float64) float64 {
	alpha, rho, nu := p[0], p[1], p[2]
	z := nu / alpha * math.Log(forward/strike)
	smile := 1 - rho*z/2
	if math.Abs(z) > 1e-5 {
		smile = z / math.Log((math.Sqrt(1-2*rho*z+z*z)+z-rho)/(1-rho))
	}
	return alpha * smile * (1 + years*(rho*nu*alpha/4+nu*nu*(2-3*rho*rho)/24))
}

// TestVol compares volatilities and their gradients with package math and its central differences, for strikes near the
// forward price too, where the formula is 0/0.
func TestVol(t *testing.T) {
	strikes := []float64{50, 90, 99.99, 99.999999, 100, 100.000001, 100.01, 120, 300}
	p := graph.Input("p", graph.Float64, 3)
	scalar := func(v float64) graph.Node { return graph.Scalar(graph.Float64, v) }
	for _, params := range [][3]float64{{0.2, -0.6, 0.8}, {0.3, 0, 0.4}, {0.1, 0.9, 2}} {
		for _, strike := range strikes {
			vol := market{scalar(100), scalar(0), scalar(strike), scalar(1.5)}.vol(p.At(0), p.At(1), p.At(2))
			program, err := graph.Compile(vol, graph.Grad(vol, p)[0])
			require.NoError(t, err)
			outs, err := program.RunAll(t.Context(), graph.Of(params[:]))
			require.NoError(t, err)
			require.InDelta(t, sabr(100, strike, 1.5, params), number(outs[0]), 1e-8)
			for k := range params {
				up, down := params, params
				up[k], down[k] = up[k]+1e-5, down[k]-1e-5
				want := (sabr(100, strike, 1.5, up) - sabr(100, strike, 1.5, down)) / 2e-5
				require.InDelta(t, want, number(outs[1], k), 1e-5, "%v, strike %v, parameter %d", params, strike, k)
			}
		}
	}
}
