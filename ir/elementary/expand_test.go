package elementary

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// evalInTier returns the function that an op is on elements of a type, in a tier.
func evalInTier(t *testing.T, op ir.Op, dt ir.DType, fast bool) func(x ...float64) float64 {
	operands := make([]kernel.Operand, op.Info().Arity)
	for i := range operands {
		operands[i].DType = dt
	}
	k, err := kernel.SingleOp(op, ir.Invalid, operands...)
	require.NoError(t, err)
	k = Expand(k.InTier(fast))
	require.NoError(t, k.Verify())
	evaluate := k.Evaluator(ir.Defined)
	return func(x ...float64) float64 {
		in := make([]uint64, len(x))
		for i, v := range x {
			in[i] = ir.FromFloat(dt, v)
		}
		return ir.ToFloat(dt, evaluate(in)[0])
	}
}

func TestElementaryAccuracy(t *testing.T) {
	cases := []struct {
		op    ir.Op
		dt    ir.DType
		ref   func(float64) float64
		limit float64
	}{
		{ir.OpExp, ir.Float32, math.Exp, 0.89},
		{ir.OpTanh, ir.Float32, math.Tanh, 0.81},
		{ir.OpExp, ir.Float64, math.Exp, 2}, // math's own error is up to 1
		{ir.OpTanh, ir.Float64, math.Tanh, 3},
	}
	for _, c := range cases {
		f := evalInTier(t, c.op, c.dt, false)
		worst, at := 0.0, 0.0
		for i := range 200000 {
			x := (float64(i)/100000 - 1) * math.Exp2(float64(i%48)-40)
			x = ir.ToFloat(c.dt, ir.FromFloat(c.dt, x))
			if e := ulps(c.dt, f(x), c.ref(x)); !(e <= worst) {
				worst, at = e, x
			}
		}
		t.Logf("%s %s: %.3f ULP at %g", c.op, c.dt, worst, at)
		require.LessOrEqual(t, worst, c.limit, "%s %s at %g", c.op, c.dt, at)
	}
}

func ulps(dt ir.DType, got, want float64) float64 {
	if math.IsInf(want, 0) || math.Abs(want) > math.MaxFloat32 && dt == ir.Float32 {
		return 0
	}
	frac, least := 52, -1074
	if dt == ir.Float32 {
		frac, least = 23, -149
	}
	ulp := math.Ldexp(1, max(math.Ilogb(want)-frac, least))
	return math.Abs(got-want) / ulp
}
