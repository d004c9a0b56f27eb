package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// logSamples returns numbers in the domain of each logarithm: of all sizes, and
// close to where a form gives way to another.
func logSamples(dt ir.DType, op ir.Op) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(op)))
	top := 127.0
	if dt == ir.Float64 {
		top = 1023
	}
	var out []float64
	for range 1500 {
		u := r.Float64()
		xs := []float64{
			math.Exp2((2*u - 1) * top),
			1 + (u-0.5)*math.Exp2(-40*r.Float64()),
			math.Exp2(math.Trunc(40*u)-20+0.5) * (1 + 0.01*(r.Float64()-0.5)),
			math.Exp2(-top - 20*u),
			0.41 + 0.1*u,
		}
		for _, x := range xs {
			switch {
			case op == ir.OpAcosh && x < 1, op == ir.OpAtanh && x > 1:
				x = 1 / x
			case op == ir.OpLog1p && r.IntN(4) == 0:
				x = -math.Min(x, 1/x)
			case op >= ir.OpSinh || op == ir.OpCbrt:
				x *= float64(1 - 2*r.IntN(2))
			}
			if op == ir.OpAcosh {
				x = math.Abs(x)
			}
			out = append(out, ir.ToFloat(dt, ir.FromFloat(dt, x)))
		}
	}
	return out
}

func TestLogAccuracy(t *testing.T) {
	// math's own errors reach 1 ULP, asinh's and acosh's 3: tighter numbers for
	// float64 need a better reference.
	cases := []struct {
		op       ir.Op
		ref      func(float64) float64
		f32, f64 float64 // limits
		fast     float64
	}{
		{ir.OpLog, math.Log, 0.82, 1.6, 0.82},
		{ir.OpLog2, func(x float64) float64 { return math.Log(x) / math.Ln2 }, 1.0, 3, 2.5},
		{ir.OpLog10, func(x float64) float64 { return math.Log(x) / math.Ln10 }, 0.51, 3, 2.5},
		{ir.OpLog1p, math.Log1p, 0.51, 1.6, 2.1},
		{ir.OpCbrt, math.Cbrt, 0.51, 1.2, 0.51},
		{ir.OpAsinh, math.Asinh, 0.51, 2.5, 4},
		{ir.OpAcosh, math.Acosh, 0.51, 2.5, 4},
		{ir.OpAtanh, math.Atanh, 0.51, 2.5, 4},
	}
	for _, c := range cases {
		check := func(f func(...float64) float64, dt ir.DType, limit float64) {
			worst, at := 0.0, 0.0
			for _, x := range logSamples(dt, c.op) {
				if math.Abs(x) < 0x1p-1022 {
					continue // math.Log is wrong here
				}
				if e := ulps(dt, f(x), c.ref(x)); !(e <= worst) {
					worst, at = e, x
				}
			}
			t.Logf("%s %s: %.3f ULP at %x", c.op, dt, worst, at)
			require.LessOrEqual(t, worst, limit, "%s %s at %g", c.op, dt, at)
		}
		check(evalInTier(t, c.op, ir.Float32, false), ir.Float32, c.f32)
		check(evalInTier(t, c.op, ir.Float64, false), ir.Float64, c.f64)
		check(evalInTier(t, c.op, ir.Float32, true), ir.Float32, c.fast)
		check(evalInTier(t, c.op, ir.Float64, true), ir.Float64, 5)
	}
}

// TestPowSpecials asks for what math.Pow does, whose table is that of C but for
// 1 to the power NaN and -1 to infinite powers, which agree as well.
func TestPowSpecials(t *testing.T) {
	inf, negZero := math.Inf(1), math.Copysign(0, -1)
	values := []float64{0, negZero, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.5, -1.5, inf, -inf, math.NaN(), 0x1p-149, -0x1p-149, 0x1p-126, math.MaxFloat32, -math.MaxFloat32, 0x1p24 + 2, 0x1p23 + 1, -0x1p23 - 1, 0x1p22 + 0.5}
	for _, dt := range []ir.DType{ir.Float32, ir.Float64} {
		f := evalInTier(t, ir.OpPow, dt, false)
		for _, x := range values {
			for _, y := range values {
				want, got := math.Pow(x, y), f(x, y)
				if narrow := ir.ToFloat(dt, ir.FromFloat(dt, want)); want == 0 || narrow == 0 || math.IsInf(narrow, 0) || want != want || want == math.Trunc(want) && math.Abs(want) < 1<<20 {
					requireBits(t, narrow, got, "%s pow(%g, %g)", dt, x, y)
				}
			}
		}
	}
}

func TestPowAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f, g := evalInTier(t, ir.OpPow, ir.Float32, false), evalInTier(t, ir.OpPow, ir.Float64, false)
	for range 10000 {
		x := float64(float32(math.Exp2(r.NormFloat64() * 8)))
		y := float64(float32((2*r.Float64() - 1) * 148 / math.Log2(x)))
		require.LessOrEqual(t, ulps(ir.Float32, f(x, y), math.Pow(x, y)), 0.505, "pow(%g, %g)", x, y)
	}
	// Powers with n/2 as exponent are known to any accuracy.
	for range 10000 {
		x := math.Exp2(r.NormFloat64() * 3)
		n := 1 + r.IntN(min(2000, int(2000/math.Abs(math.Log2(x)))))
		require.LessOrEqual(t, powError(g(x, float64(n)/2), x, n), 0.85, "pow(%g, %g)", x, float64(n)/2)
	}
}

// powError returns the error of got as x^(n/2), in ULP.
func powError(got, x float64, n int) float64 {
	base := new(big.Float).SetPrec(300).SetFloat64(x)
	base.Sqrt(base)
	want := new(big.Float).SetPrec(300).SetInt64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			want.Mul(want, base)
		}
		base.Mul(base, base)
	}
	near, _ := want.Float64()
	if math.IsInf(near, 0) {
		return 0
	}
	diff, _ := want.Sub(want, new(big.Float).SetFloat64(got)).Float64()
	return math.Abs(diff) / math.Ldexp(1, max(math.Ilogb(near)-52, -1074))
}
