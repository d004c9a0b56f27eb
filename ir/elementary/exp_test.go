package elementary

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// Limits of float64 have room for the error of package math: 1 ULP, and 3 of
// its Sinh and Cosh.
func TestExponentialAccuracy(t *testing.T) {
	rsqrt := func(x float64) float64 { return 1 / math.Sqrt(x) }
	cases := []struct {
		op                   ir.Op
		ref                  func(float64) float64
		limit, fast, limit64 float64
	}{
		{ir.OpExp, math.Exp, 0.89, 3.66, 2},
		{ir.OpExp2, math.Exp2, 0.88, 0.88, 2},
		{ir.OpExpm1, math.Expm1, 0.51, 2, 2.5},
		{ir.OpSinh, math.Sinh, 0.51, 3.5, 4},
		{ir.OpCosh, math.Cosh, 0.51, 3.5, 4},
		{ir.OpTanh, math.Tanh, 0.81, 3.9, 2.5},
		{ir.OpRsqrt, rsqrt, 0.501, 0.501, 2},
	}
	check := func(op ir.Op, dt ir.DType, fast bool, ref func(float64) float64, limit float64) {
		f := evalInTier(t, op, dt, fast)
		worst, at := 0.0, 0.0
		for i := range 40000 {
			x := (float64(i)/20000 - 1) * math.Exp2(float64(i%48)-40)
			if op == ir.OpRsqrt {
				x = math.Abs(x) + 0x1p-100
			}
			x = ir.ToFloat(dt, ir.FromFloat(dt, x))
			if e := ulps(dt, f(x), ref(x)); !(e <= worst) {
				worst, at = e, x
			}
		}
		require.LessOrEqual(t, worst, limit, "%s %s fast=%v at %g", op, dt, fast, at)
	}
	for _, c := range cases {
		check(c.op, ir.Float32, false, c.ref, c.limit)
		check(c.op, ir.Float32, true, c.ref, c.fast)
		check(c.op, ir.Float64, false, c.ref, c.limit64)
	}
}

// The remainder is exact whatever the quotient.
func TestModExact(t *testing.T) {
	for _, dt := range []ir.DType{ir.Float32, ir.Float64} {
		f := evalInTier(t, ir.OpFMod, dt, false)
		state := uint64(88172645463325252)
		random := func() float64 {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			return ir.ToFloat(dt, state>>(64-8*dt.Size()))
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
