package ir

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// evalInTier returns the function that an op is on elements of a type, in a tier.
func evalInTier(t *testing.T, op Op, dt DType, fast bool) func(x ...float64) float64 {
	operands := make([]Operand, op.Info().Arity)
	for i := range operands {
		operands[i].DType = dt
	}
	k, err := SingleOp(op, Invalid, operands...)
	require.NoError(t, err)
	k = k.InTier(fast).Expand()
	require.NoError(t, k.Verify())
	return func(x ...float64) float64 {
		in := make([]uint64, len(x))
		for i, v := range x {
			in[i] = fromFloat(dt, v)
		}
		return toFloat(dt, k.Eval(in)[0])
	}
}

// Limits of float64 have room for the error of package math: 1 ULP, and 3 of
// its Sinh and Cosh.
func TestExponentialAccuracy(t *testing.T) {
	rsqrt := func(x float64) float64 { return 1 / math.Sqrt(x) }
	cases := []struct {
		op                   Op
		ref                  func(float64) float64
		limit, fast, limit64 float64
	}{
		{OpExp, math.Exp, 0.89, 0.89, 2},
		{OpExp2, math.Exp2, 0.88, 0.88, 2},
		{OpExpm1, math.Expm1, 0.51, 2, 2.5},
		{OpSinh, math.Sinh, 0.51, 3.5, 4},
		{OpCosh, math.Cosh, 0.51, 3.5, 4},
		{OpTanh, math.Tanh, 0.51, 3, 2.5},
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
			if e := ulps(dt, f(x), ref(x)); e > worst {
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

func TestExponentialSpecials(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	cases := []struct {
		op      Op
		x, want float64
	}{
		{OpExp2, 0, 1}, {OpExp2, negZero, 1}, {OpExp2, 10, 1024}, {OpExp2, -149, 0x1p-149}, {OpExp2, inf, inf}, {OpExp2, -inf, 0}, {OpExp2, nan, nan},
		{OpExpm1, 0, 0}, {OpExpm1, negZero, negZero}, {OpExpm1, inf, inf}, {OpExpm1, -inf, -1}, {OpExpm1, 1e4, inf}, {OpExpm1, -1e4, -1}, {OpExpm1, nan, nan}, {OpExpm1, 0x1p-149, 0x1p-149},
		{OpSinh, 0, 0}, {OpSinh, negZero, negZero}, {OpSinh, inf, inf}, {OpSinh, -inf, -inf}, {OpSinh, 1e4, inf}, {OpSinh, nan, nan}, {OpSinh, -0x1p-149, -0x1p-149},
		{OpCosh, 0, 1}, {OpCosh, negZero, 1}, {OpCosh, inf, inf}, {OpCosh, -inf, inf}, {OpCosh, -1e4, inf}, {OpCosh, nan, nan},
		{OpTanh, 0, 0}, {OpTanh, negZero, negZero}, {OpTanh, inf, 1}, {OpTanh, -inf, -1}, {OpTanh, 30, 1}, {OpTanh, nan, nan}, {OpTanh, 0x1p-149, 0x1p-149},
		{OpRsqrt, 0, inf}, {OpRsqrt, negZero, -inf}, {OpRsqrt, inf, 0}, {OpRsqrt, -1, nan}, {OpRsqrt, -inf, nan}, {OpRsqrt, nan, nan}, {OpRsqrt, 0.25, 2},
	}
	for _, dt := range []DType{Float32, Float64} {
		for _, fast := range []bool{false, true} {
			for _, c := range cases {
				if fast && c.x != 0 && math.Abs(c.x) < 0x1p-126 {
					continue // the fast tier may lose the last bit
				}
				requireBits(t, c.want, evalInTier(t, c.op, dt, fast)(c.x), "%s %s fast=%v of %g", c.op, dt, fast, c.x)
			}
		}
	}
}

func TestModSpecials(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	cases := []struct {
		op         Op
		x, y, want float64
	}{
		{OpFMod, 5.5, 2, 1.5}, {OpFMod, -5.5, 2, -1.5}, {OpFMod, -4, 2, negZero}, {OpFMod, 5, inf, 5}, {OpFMod, inf, 5, nan}, {OpFMod, 5, 0, nan}, {OpFMod, 0, 5, 0}, {OpFMod, negZero, 5, negZero}, {OpFMod, inf, inf, nan}, {OpFMod, nan, 1, nan}, {OpFMod, 1, nan, nan},
		{OpMod, -1e-20, 1, 1}, {OpMod, -5, inf, inf}, {OpMod, 5, -inf, -inf}, {OpMod, 5, inf, 5}, {OpMod, 5, 0, nan}, {OpMod, -5.5, 2, 0.5}, {OpMod, 5.5, -2, -0.5}, {OpMod, -4, 2, 0}, {OpMod, 4, -2, negZero}, {OpMod, inf, 2, nan},
		{OpFloorDiv, 7, 2, 3}, {OpFloorDiv, -7, 2, -4}, {OpFloorDiv, 5, 0, inf}, {OpFloorDiv, -5, 0, -inf}, {OpFloorDiv, 0, 0, nan}, {OpFloorDiv, -5, inf, -1}, {OpFloorDiv, 5, inf, 0}, {OpFloorDiv, negZero, 2, negZero}, {OpFloorDiv, inf, 2, nan}, {OpFloorDiv, 1, -0x1p20, -1},
		{OpHypot, 3, -4, 5}, {OpHypot, inf, nan, inf}, {OpHypot, nan, -inf, inf}, {OpHypot, nan, 1, nan}, {OpHypot, negZero, 0, 0}, {OpHypot, 0x1p127, 0, 0x1p127}, {OpHypot, 0x1p-149, 0, 0x1p-149},
	}
	for _, dt := range []DType{Float32, Float64} {
		for _, c := range cases {
			requireBits(t, c.want, evalInTier(t, c.op, dt, false)(c.x, c.y), "%s %s of %g, %g", c.op, dt, c.x, c.y)
		}
	}
	f := evalInTier(t, OpHypot, Float64, false)
	requireBits(t, 0x1.6a09e667f3bcdp1023, f(0x1p1023, 0x1p1023), "large")
	requireBits(t, inf, f(math.MaxFloat64, math.MaxFloat64), "too large")
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
