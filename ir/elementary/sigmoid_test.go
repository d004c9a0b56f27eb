package elementary

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

func TestSigmoidFamily32(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	cases := []struct {
		op          ir.Op
		ref         func(x float64) float64
		limit, fast float64
	}{
		{ir.OpErf, math.Erf, 0.9, 3.4},
		{ir.OpErfc, math.Erfc, 0.54, 0.54},
		{ir.OpGELU, func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 }, 0.93, 0.93},
		{ir.OpGELUTanh, func(x float64) float64 {
			return x * sigmoid(2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))
		}, 0.9, 4},
		{ir.OpSigmoid, sigmoid, 0.85, 3},
		{ir.OpSiLU, func(x float64) float64 { return x * sigmoid(x) }, 0.85, 3},
		{ir.OpSoftplus, func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, 0.55, 3.5},
		{ir.OpMish, func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) }, 0.54, 4},
		{ir.OpSELU, func(x float64) float64 {
			if x > 0 {
				return seluScale[0] * x
			}
			return seluNegative[0] * math.Expm1(x)
		}, 0.51, 3},
		{ir.OpHardSwish, func(x float64) float64 { return x * math.Min(math.Max(x+3, 0), 6) / 6 }, 0.51, 0.51},
		{ir.OpSoftsign, func(x float64) float64 { return x / (1 + math.Abs(x)) }, 0.51, 0.51},
		{ir.OpLogit, func(x float64) float64 { return 2 * math.Atanh(2*x-1) }, 0.51, 0.51},
	}
	for _, c := range cases {
		for fast, limit := range map[bool]float64{false: c.limit, true: c.fast} {
			f := evalInTier(t, c.op, ir.Float32, fast)
			for i := range 20000 {
				x := (float64(i)/10000 - 1) * math.Exp2(float64(i%27)-20)
				if c.op == ir.OpLogit {
					x = 0.5 + 0.5*math.Tanh(x/2)
				}
				x = ir.ToFloat(ir.Float32, ir.FromFloat(ir.Float32, x))
				if e := ulps(ir.Float32, f(x), c.ref(x)); !(e <= limit) {
					t.Fatalf("%s fast=%v of %g: %.3f ULP", c.op, fast, x, e)
				}
			}
		}
	}
}

// Values from 60 digits, and 400 where exp(x) is added to 1.
func TestSigmoidFamily64(t *testing.T) {
	cases := map[ir.Op][][2]float64{
		ir.OpErf:       {{1e-300, 0x1.82e6d98711d3ap-997}, {0.3, 0x1.50838881dea0fp-2}, {0.99999, 0x1.af75ef2a3ed8cp-1}, {1.00001, 0x1.af7705bd2ba7bp-1}, {2.5, 0x1.ffcaa8f4c9beap-1}, {-5.7, -0x1.ffffffffffff9p-1}},
		ir.OpErfc:      {{-3.0, 0x1.fffe8d6209afdp0}, {0.2, 0x1.8df9ed1d36839p-1}, {0.7, 0x1.49ee7bdd1d374p-2}, {3.3, 0x1.9a661bcdec4afp-19}, {15.1, 0x1.3c6d83d1d94f9p-334}, {26.4, 0x1.ee90b46391235p-1012}, {27.2, 0x0.0000000000002p-1022}},
		ir.OpGELU:      {{-1e-09, -0x1.12e0be7ebf6f8p-31}, {-0.4, -0x1.1a474c623a67cp-3}, {-2.2, -0x1.f525a0cdfeeaap-6}, {-17.3, -0x1.b6c9110d49191p-218}, {-37.9, -0x0.00016fb7e76d3p-1022}, {-38.4, -0x0.0000000000201p-1022}, {0.65, 0x1.edfa45defd254p-2}, {5.5, 0x1.5fffff8fdb09ep2}},
		ir.OpGELUTanh:  {{-1e-09, -0x1.12e0be7ebf6f8p-31}, {-0.4, -0x1.1a4b3eab6d57dp-3}, {-2.2, -0x1.f0c979af4021ep-6}, {-11.3, -0x1.ed7747204f77fp-172}, {-21.2, -0x0.1ac666ee29fbep-1022}, {-21.45, -0x0.00000000021abp-1022}, {0.65, 0x1.edeeed480f45ep-2}, {5.5, 0x1.5ffffff9a29f6p2}},
		ir.OpSigmoid:   {{-744.2, 0x0.0000000000001p-1022}, {-709.1, 0x0.7eabddec4fd38p-1022}, {-30.3, 0x1.3833f323dbe1bp-44}, {-0.2, 0x1.ccf8510d417d9p-2}, {0.3, 0x1.261d545e46a8bp-1}, {36.1, 0x1.ffffffffffffep-1}},
		ir.OpSiLU:      {{-749.9, -0x0.0000000000003p-1022}, {-709.1, -0x1.5edea868dd832p-1014}, {-30.3, -0x1.279dfd6c5a99cp-39}, {-0.2, -0x1.70c6a73dcdfe1p-4}, {0.3, 0x1.60effed787fd9p-3}, {36.1, 0x1.20cccccccccccp5}},
		ir.OpSoftplus:  {{-744.2, 0x0.0000000000001p-1022}, {-709.1, 0x0.7eabddec4fd38p-1022}, {-30.3, 0x1.3833f323dbedap-44}, {-0.2, 0x1.323f4204ebb36p-1}, {-0.01, 0x1.605677346a061p-1}, {0.0024, 0x1.63819169e6a5bp-1}, {0.3, 0x1.b56e0cf4511afp-1}, {36.1, 0x1.20ccccccccccdp5}},
		ir.OpMish:      {{-749.9, -0x0.0000000000003p-1022}, {-709.1, -0x1.5edea868dd832p-1014}, {-30.3, -0x1.279dfd6c5aa5p-39}, {-0.2, -0x1.b6dd721c4452ap-4}, {0.3, 0x1.a9fc9f9e10f15p-3}, {19.1, 0x1.319999999999ap4}},
		ir.OpSELU:      {{-40.0, -0x1.c212cc640f031p0}, {-1.7, -0x1.6fda38e6dbb0ep0}, {-0.34, -0x1.0372f4432d6c8p-1}, {-1e-19, -0x1.9f1e9596a4d35p-63}, {1e-300, 0x1.68446a65a36f1p-997}, {3.3, 0x1.bbd0ebbca292cp1}},
		ir.OpHardSwish: {{-2.9999, -0x1.a36a9a6f4cf7ep-15}, {-1.1, -0x1.64b17e4b17e4bp-2}, {1e-320, 0x0.00000000003f4p-1022}, {2.9, 0x1.6d0369d0369dp1}},
		ir.OpSoftsign:  {{-1e-310, -0x0.012688b70e62bp-1022}, {0.77, 0x1.bd780b92143fap-2}, {-3.1, -0x1.831f3831f3832p-1}, {9100000000000000.0, 0x1.fffffffffffffp-1}},
		ir.OpLogit:     {{1e-310, -0x1.64e69394d9508p9}, {1e-18, -0x1.4b927f32bffb8p5}, {0.2, -0x1.62e42fefa39efp0}, {0.4999999, -0x1.ad7f29ac00065p-22}, {0.50001, 0x1.4f8b588ef0275p-15}, {0.83, 0x1.95ebab1969312p0}, {0.9999999999, 0x1.7069e293ede68p4}},
	}
	for op, values := range cases {
		f, fast := evalInTier(t, op, ir.Float64, false), evalInTier(t, op, ir.Float64, true)
		for _, v := range values {
			require.LessOrEqual(t, ulps(ir.Float64, f(v[0]), v[1]), 1.0, "%s of %g", op, v[0])
			require.LessOrEqual(t, ulps(ir.Float64, fast(v[0]), v[1]), 3.0, "fast %s of %g", op, v[0])
		}
	}
}

func TestSigmoidFamilySpecials(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	cases := []struct {
		op            ir.Op
		below, above  float64 // at -Inf and +Inf
		negZero, zero float64 // at -0 and +0
	}{
		{ir.OpErf, -1, 1, negZero, 0},
		{ir.OpErfc, 2, 0, 1, 1},
		{ir.OpGELU, negZero, inf, negZero, 0},
		{ir.OpGELUTanh, negZero, inf, negZero, 0},
		{ir.OpSigmoid, 0, 1, 0.5, 0.5},
		{ir.OpSiLU, negZero, inf, negZero, 0},
		{ir.OpSoftplus, 0, inf, nan, nan},
		{ir.OpMish, negZero, inf, negZero, 0},
		{ir.OpSELU, -seluNegative[0], inf, negZero, 0},
		{ir.OpHardSwish, negZero, inf, negZero, 0},
		{ir.OpSoftsign, -1, 1, negZero, 0},
		{ir.OpLogit, nan, nan, -inf, -inf},
	}
	for _, dt := range []ir.DType{ir.Float32, ir.Float64} {
		for _, fast := range []bool{false, true} {
			for _, c := range cases {
				f := evalInTier(t, c.op, dt, fast)
				require.True(t, math.IsNaN(f(nan)), c.op)
				requireBits(t, ir.ToFloat(dt, ir.FromFloat(dt, c.below)), f(-inf), "%s %s fast=%v below", c.op, dt, fast)
				requireBits(t, c.above, f(inf), "%s %s fast=%v above", c.op, dt, fast)
				if c.op == ir.OpSoftplus {
					continue
				}
				requireBits(t, c.negZero, f(negZero), "%s %s fast=%v of -0", c.op, dt, fast)
				requireBits(t, c.zero, f(0), "%s %s fast=%v of 0", c.op, dt, fast)
			}
		}
	}
}

func TestELU(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	cases := []struct {
		op         ir.Op
		x, y, want float64
	}{
		{ir.OpELU, 2, 7, 2}, {ir.OpELU, inf, 7, inf}, {ir.OpELU, -inf, 2, -2}, {ir.OpELU, -inf, -2, 2}, {ir.OpELU, negZero, 3, negZero}, {ir.OpELU, 0, 3, 0},
		{ir.OpELU, nan, 1, nan}, {ir.OpELU, -1, nan, nan}, {ir.OpELU, 3, nan, 3}, {ir.OpELU, -50, 0.5, -0.5},
		{ir.OpCELU, 2, 7, 2}, {ir.OpCELU, inf, 7, inf}, {ir.OpCELU, -inf, 2, -2}, {ir.OpCELU, negZero, 3, negZero}, {ir.OpCELU, 0, 3, 0},
		{ir.OpCELU, nan, 1, nan}, {ir.OpCELU, -1, nan, nan}, {ir.OpCELU, 3, nan, 3}, {ir.OpCELU, -5, inf, -5},
		{ir.OpCELU, -inf, -1, -inf}, {ir.OpCELU, -1e4, -1, -inf},
	}
	for _, dt := range []ir.DType{ir.Float32, ir.Float64} {
		for _, fast := range []bool{false, true} {
			for _, c := range cases {
				got := evalInTier(t, c.op, dt, fast)(c.x, c.y)
				requireBits(t, c.want, got, "%s %s fast=%v of %g, %g", c.op, dt, fast, c.x, c.y)
			}
		}
	}
	celu := evalInTier(t, ir.OpCELU, ir.Float64, false)
	requireBits(t, -0x1.8b5798d5036a6p974, celu(-1420*0x1p-1074, -0x1p-1074), "celu of the least alpha")
	requireBits(t, -inf, celu(-1455*0x1p-1074, -0x1p-1074), "celu beyond the range")
	requireBits(t, -inf, celu(-1420*0x1p-735, -0x1p-735), "celu far beyond the range")
	for _, y := range []float64{0.75, -2, 1e-3} {
		elu, celu := evalInTier(t, ir.OpELU, ir.Float32, false), evalInTier(t, ir.OpCELU, ir.Float32, false)
		y = ir.ToFloat(ir.Float32, ir.FromFloat(ir.Float32, y))
		for i := range 5000 {
			x := ir.ToFloat(ir.Float32, ir.FromFloat(ir.Float32, -math.Exp2(float64(i)/250-15)))
			require.LessOrEqual(t, ulps(ir.Float32, elu(x, y), y*math.Expm1(x)), 0.51)
			if want := y * math.Expm1(x/y); math.Abs(want) < math.MaxFloat32 {
				require.LessOrEqual(t, ulps(ir.Float32, celu(x, y), want), 0.51, "%g, %g", x, y)
			}
		}
	}
}
