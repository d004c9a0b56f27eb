package ir

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Limits of float64 have room for the error of package math: 1 ULP, and 3 of
// its Sinh and Cosh.
func TestExponentialAccuracy(t *testing.T) {
	rsqrt := func(x float64) float64 { return 1 / math.Sqrt(x) }
	cases := []struct {
		op                   Op
		ref                  func(float64) float64
		limit, fast, limit64 float64
	}{
		{OpExp, math.Exp, 0.89, 3.66, 2},
		{OpExp2, math.Exp2, 0.88, 0.88, 2},
		{OpExpm1, math.Expm1, 0.51, 2, 2.5},
		{OpSinh, math.Sinh, 0.51, 3.5, 4},
		{OpCosh, math.Cosh, 0.51, 3.5, 4},
		{OpTanh, math.Tanh, 0.51, 3.9, 2.5},
		{OpRsqrt, rsqrt, 0.501, 0.501, 2},
	}
	check := func(op Op, dt DType, fast bool, ref func(float64) float64, limit float64) {
		f := evalInTier(t, op, dt, fast)
		worst, at := 0.0, 0.0
		for i := range 40000 {
			x := (float64(i)/20000 - 1) * math.Exp2(float64(i%48)-40)
			if op == OpRsqrt {
				x = math.Abs(x) + 0x1p-100
			}
			x = toFloat(dt, fromFloat(dt, x))
			if e := ulps(dt, f(x), ref(x)); !(e <= worst) {
				worst, at = e, x
			}
		}
		require.LessOrEqual(t, worst, limit, "%s %s fast=%v at %g", op, dt, fast, at)
	}
	for _, c := range cases {
		check(c.op, Float32, false, c.ref, c.limit)
		check(c.op, Float32, true, c.ref, c.fast)
		check(c.op, Float64, false, c.ref, c.limit64)
	}
}

// The remainder is exact whatever the quotient.
func TestModExact(t *testing.T) {
	for _, dt := range []DType{Float32, Float64} {
		f := evalInTier(t, OpFMod, dt, false)
		state := uint64(88172645463325252)
		random := func() float64 {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			return toFloat(dt, state>>(64-8*dt.Size()))
		}
		for range 4000 {
			x, y := random(), random()
			requireBits(t, math.Mod(x, y), f(x, y), "%s: fmod(%g, %g)", dt, x, y)
		}
	}
}

func requireBits(t *testing.T, want, got float64, format string, args ...any) {
	t.Helper()
	if want != want && got != got {
		return
	}
	require.Equal(t, math.Float64bits(want), math.Float64bits(got), append([]any{format + ": got %g, want %g"}, append(args, got, want)...)...)
}
