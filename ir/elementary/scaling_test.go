package elementary

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// TestScaling compares significand, exponent and ldexp with package math.
func TestScaling(t *testing.T) {
	significand := evalInTier(t, ir.OpSignificand, ir.Float64, false)
	exponent := evalInTier(t, ir.OpExponent, ir.Float64, false)
	ldexp := evalInTier(t, ir.OpLdexp, ir.Float64, false)
	r := rand.New(rand.NewPCG(3, 4))
	at := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1, 0x1p-1074, -0x1p-1022, 0x1.fffffffffffffp-1023, math.MaxFloat64, 0x1.8p-1074}
	for range 3000 {
		at = append(at, math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64()>>12))
	}
	for _, x := range at {
		if x != x {
			continue
		}
		m, e := x, 0
		if x != 0 && !math.IsInf(x, 0) {
			m, e = math.Frexp(x)
			m, e = 2*m, e-1
		}
		require.Equal(t, math.Float64bits(m), math.Float64bits(significand(x)), "%x", x)
		require.Equal(t, float64(e), exponent(x), "%x", x)
		for _, by := range []int{0, 1, -1, -e, 1023 - e, 1024 - e, -1022 - e, -1023 - e, -1074 - e, -1075 - e, -1076 - e, 3000, -3000, r.IntN(4000) - 2000, -1022 - e - r.IntN(53)} {
			require.Equal(t, math.Float64bits(math.Ldexp(x, by)), math.Float64bits(ldexp(x, float64(by))), "%x %d", x, by)
		}
	}
	require.True(t, math.IsNaN(significand(math.NaN())) && exponent(math.NaN()) == 0 && math.IsNaN(ldexp(math.NaN(), 3)) && math.IsNaN(ldexp(8, math.NaN())))
	for _, c := range [][3]float64{{8, .5, 8}, {8, 1.5, 32}, {4, 1.5, 16}, {4, -.6, 2}, {3, math.Inf(1), math.Inf(1)}, {3, math.Inf(-1), 0}, {0, math.Inf(1), 0}} {
		require.Equal(t, c[2], ldexp(c[0], c[1]), "%v", c)
	}
}

// TestScalingOfSingles does for float32, whose parts are exact in float64.
func TestScalingOfSingles(t *testing.T) {
	significand := evalInTier(t, ir.OpSignificand, ir.Float32, false)
	exponent := evalInTier(t, ir.OpExponent, ir.Float32, false)
	r := rand.New(rand.NewPCG(5, 6))
	at := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1, 0x1p-149, -0x1p-126, 0x1.fffffcp-127, math.MaxFloat32, 0x1.8p-148}
	for range 3000 {
		at = append(at, float64(math.Float32frombits(r.Uint32())), float64(math.Float32frombits(r.Uint32()>>9)))
	}
	for _, x := range at {
		m, e := x, 0
		if x != 0 && x-x == 0 {
			m, e = math.Frexp(x)
			m, e = 2*m, e-1
		}
		if x == x {
			require.Equal(t, math.Float64bits(m), math.Float64bits(significand(x)), "%x", x)
		}
		require.Equal(t, float64(e), exponent(x), "%x", x)
	}
	require.True(t, math.IsNaN(significand(math.NaN())))
}
