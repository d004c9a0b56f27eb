package cmplx_test

import (
	"math"
	stdcmplx "math/cmplx"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// TestInverse compares with a file of exact results, testdata/make.py: in units of 2^-53 of the result's magnitude. On
// branch cuts the signs of both parts are equal.
func TestInverse(t *testing.T) {
	functions := map[string]struct {
		f     func(z cmplx.Node) cmplx.Node
		bound float64
	}{
		"asin": {cmplx.Node.Asin, 4}, "acos": {cmplx.Node.Acos, 4}, "atan": {cmplx.Node.Atan, 4}, "asinh": {cmplx.Node.Asinh, 4},
		"acosh": {cmplx.Node.Acosh, 4}, "atanh": {cmplx.Node.Atanh, 4}, "expm1": {cmplx.Node.Expm1, 4}, "log1p": {cmplx.Node.Log1p, 4},
		"log2": {cmplx.Node.Log2, 4}, "log10": {cmplx.Node.Log10, 4}, "sign": {cmplx.Node.Sign, 4},
	}
	file, err := os.ReadFile("testdata/inverse.txt")
	require.NoError(t, err)
	operands, results := map[string][]complex128{}, map[string][]complex128{}
	for line := range strings.Lines(string(file)) {
		fields := strings.Fields(line)
		var parts [4]float64
		for i := range parts {
			parts[i], err = strconv.ParseFloat(fields[i+1], 64)
			require.NoError(t, err)
		}
		operands[fields[0]] = append(operands[fields[0]], complex(parts[0], parts[1]))
		results[fields[0]] = append(results[fields[0]], complex(parts[2], parts[3]))
	}
	require.Equal(t, len(functions), len(operands))
	for name, c := range functions {
		worst := 0.
		for i, got := range run(t, func(z, _ cmplx.Node) cmplx.Node { return c.f(z) }, operands[name], nil) {
			want := results[name][i]
			distance := stdcmplx.Abs(got-want) / (0x1p-53 * stdcmplx.Abs(want))
			if want == got {
				distance = 0
			}
			worst = max(worst, distance)
			require.LessOrEqual(t, distance, c.bound, "%s of %v: %v, want %v", name, operands[name][i], got, want)
			require.Equal(t, math.Signbit(real(want)), math.Signbit(real(got)), "%s of %v: %v, want %v", name, operands[name][i], got, want)
			require.Equal(t, math.Signbit(imag(want)), math.Signbit(imag(got)), "%s of %v: %v, want %v", name, operands[name][i], got, want)
		}
		t.Logf("%s: %.2f", name, worst)
	}
}

// TestInverseFloat32 rounds results in float64.
func TestInverseFloat32(t *testing.T) {
	z := []complex64{0.5 + 0.25i, -3 + 1e-3i, 1e30 - 1i}
	p, err := graph.Compile(cmplx.Input("z", graph.Float32, 3).Asin().Interleaved())
	require.NoError(t, err)
	out, err := p.Run(t.Context(), cmplx.Of(z))
	require.NoError(t, err)
	got, err := cmplx.Data[complex64](out)
	require.NoError(t, err)
	for i := range z {
		require.InEpsilon(t, 1, real(complex128(got[i])/stdcmplx.Asin(complex128(z[i]))), 1e-7)
	}
}
