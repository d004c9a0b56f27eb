package cmplx_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// TestSpecial compares functions of infinities and NaN with the tables of the Python array API standard, which are those of ISO C 2024,
// annex G.6. The sign of a zero or infinity that the tables leave open is that of the code.
func TestSpecial(t *testing.T) {
	inf, nan, pi := math.Inf(1), math.NaN(), math.Pi
	for name, c := range map[string]struct {
		f     func(z cmplx.Node) cmplx.Node
		cases [][2]complex128 // operand and result
	}{
		"exp": {cmplx.Node.Exp, [][2]complex128{
			{complex(inf, 0), complex(inf, 0)}, {complex(-inf, 2), complex(0*math.Cos(2), 0)}, {complex(1, inf), complex(nan, nan)},
			{complex(-inf, inf), 0}, {complex(inf, inf), complex(inf, nan)}, {complex(-inf, nan), 0}, {complex(inf, nan), complex(inf, nan)},
			{complex(nan, 0), complex(nan, 0)}, {complex(nan, 1), complex(nan, nan)}, {complex(nan, nan), complex(nan, nan)}}},
		"expm1": {cmplx.Node.Expm1, [][2]complex128{
			{complex(inf, 0), complex(inf, 0)}, {complex(-inf, inf), -1}, {complex(inf, inf), complex(inf, nan)}, {complex(-inf, nan), -1},
			{complex(inf, nan), complex(inf, nan)}, {complex(nan, 0), complex(nan, 0)}, {complex(nan, 1), complex(nan, nan)}}},
		"cosh": {cmplx.Node.Cosh, [][2]complex128{
			{complex(0, inf), complex(nan, 0)}, {complex(0, nan), complex(nan, 0)}, {complex(1, inf), complex(nan, nan)}, {complex(1, nan), complex(nan, nan)},
			{complex(inf, 0), complex(inf, 0)}, {complex(inf, inf), complex(inf, nan)}, {complex(inf, nan), complex(inf, nan)},
			{complex(nan, 0), complex(nan, 0)}, {complex(nan, 1), complex(nan, nan)}, {complex(nan, nan), complex(nan, nan)}}},
		"sinh": {cmplx.Node.Sinh, [][2]complex128{
			{complex(0, inf), complex(0, nan)}, {complex(0, nan), complex(0, nan)}, {complex(1, inf), complex(nan, nan)}, {complex(1, nan), complex(nan, nan)},
			{complex(inf, 0), complex(inf, 0)}, {complex(inf, inf), complex(inf, nan)}, {complex(inf, nan), complex(inf, nan)},
			{complex(nan, 0), complex(nan, 0)}, {complex(nan, 1), complex(nan, nan)}, {complex(nan, nan), complex(nan, nan)}}},
		"cos": {cmplx.Node.Cos, [][2]complex128{
			{complex(inf, 0), complex(nan, 0)}, {complex(inf, inf), complex(inf, nan)}, {complex(nan, inf), complex(inf, nan)}, {complex(0, nan), complex(nan, 0)}}},
		"sin": {cmplx.Node.Sin, [][2]complex128{
			{complex(inf, 0), complex(nan, 0)}, {complex(inf, inf), complex(nan, inf)}, {complex(nan, inf), complex(nan, inf)}, {complex(0, nan), complex(0, nan)}}},
		"tanh": {cmplx.Node.Tanh, [][2]complex128{
			{complex(1, inf), complex(nan, nan)}, {complex(30, inf), complex(nan, nan)}, {complex(0, inf), complex(0, nan)}, {complex(1, nan), complex(nan, nan)},
			{complex(0, nan), complex(0, nan)}, {complex(inf, 2), 1}, {complex(inf, inf), 1}, {complex(inf, nan), 1}, {complex(-inf, 2), -1},
			{complex(nan, 0), complex(nan, 0)}, {complex(nan, 1), complex(nan, nan)}, {complex(nan, nan), complex(nan, nan)}}},
		"acos": {cmplx.Node.Acos, [][2]complex128{
			{complex(0, nan), complex(pi/2, nan)}, {complex(1, inf), complex(pi/2, -inf)}, {complex(1, nan), complex(nan, nan)}, {complex(-inf, 1), complex(pi, -inf)},
			{complex(inf, 1), complex(0, -inf)}, {complex(-inf, inf), complex(3*pi/4, -inf)}, {complex(inf, inf), complex(pi/4, -inf)},
			{complex(inf, nan), complex(nan, -inf)}, {complex(nan, 1), complex(nan, nan)}, {complex(nan, inf), complex(nan, -inf)}}},
		"asin": {cmplx.Node.Asin, [][2]complex128{
			{complex(0, nan), complex(0, nan)}, {complex(1, inf), complex(0, inf)}, {complex(inf, 1), complex(pi/2, inf)}, {complex(inf, inf), complex(pi/4, inf)},
			{complex(inf, nan), complex(nan, inf)}, {complex(nan, inf), complex(nan, inf)}, {complex(nan, 1), complex(nan, nan)}}},
		"acosh": {cmplx.Node.Acosh, [][2]complex128{
			{complex(0, nan), complex(nan, pi/2)}, {complex(1, inf), complex(inf, pi/2)}, {complex(1, nan), complex(nan, nan)}, {complex(-inf, 1), complex(inf, pi)},
			{complex(inf, 1), complex(inf, 0)}, {complex(-inf, inf), complex(inf, 3*pi/4)}, {complex(inf, inf), complex(inf, pi/4)},
			{complex(inf, nan), complex(inf, nan)}, {complex(nan, 1), complex(nan, nan)}, {complex(nan, inf), complex(inf, nan)}}},
		"asinh": {cmplx.Node.Asinh, [][2]complex128{
			{complex(1, inf), complex(inf, pi/2)}, {complex(1, nan), complex(nan, nan)}, {complex(inf, 1), complex(inf, 0)}, {complex(inf, inf), complex(inf, pi/4)},
			{complex(inf, nan), complex(inf, nan)}, {complex(nan, 0), complex(nan, 0)}, {complex(nan, 1), complex(nan, nan)}, {complex(nan, inf), complex(-inf, nan)}}},
		"atanh": {cmplx.Node.Atanh, [][2]complex128{
			{complex(0, nan), complex(0, nan)}, {1, complex(inf, 0)}, {complex(1, inf), complex(0, pi/2)}, {complex(1, nan), complex(nan, nan)}, {complex(inf, 1), complex(0, pi/2)},
			{complex(inf, inf), complex(0, pi/2)}, {complex(inf, nan), complex(0, nan)}, {complex(nan, 1), complex(nan, nan)}, {complex(nan, inf), complex(0, pi/2)}}},
	} {
		var operands []complex128
		for _, pair := range c.cases {
			operands = append(operands, pair[0])
		}
		for i, got := range run(t, func(z, _ cmplx.Node) cmplx.Node { return c.f(z) }, operands, nil) {
			want := c.cases[i][1]
			for part, pair := range [][2]float64{{real(want), real(got)}, {imag(want), imag(got)}} {
				switch w, g := pair[0], pair[1]; {
				case math.IsNaN(w):
					require.True(t, math.IsNaN(g), "part %d of %s(%v): %v, want %v", part, name, operands[i], got, want)
				case math.IsInf(w, 0) && math.IsNaN(real(operands[i])) || w == 0:
					require.Equal(t, math.Abs(w), math.Abs(g), "part %d of %s(%v): %v, want %v", part, name, operands[i], got, want)
				case math.IsInf(w, 0):
					require.Equal(t, w, g, "part %d of %s(%v): %v, want %v", part, name, operands[i], got, want)
				default:
					require.InEpsilon(t, w, g, 1e-15, "part %d of %s(%v): %v, want %v", part, name, operands[i], got, want)
				}
			}
		}
	}
}
