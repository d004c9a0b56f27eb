package elementary

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestFastLimits is what the forms of the fast tier keep beside their accuracy.
func TestFastLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	negZero := math.Copysign(0, -1)
	cases := map[ir.Op][][2]float64{
		ir.OpExp: {
			{0, 1}, {negZero, 1}, {nan, nan}, {inf, inf}, {-inf, 0}, {math.MaxFloat32, inf}, {-math.MaxFloat32, 0},
			{88.72284, inf}, {-103.9721, 0}, {-103.97208, 0x1p-149}, {-104.5, 0},
		},
		ir.OpTanh: {
			{0, 0}, {negZero, negZero}, {nan, nan}, {inf, 1}, {-inf, -1}, {math.MaxFloat32, 1}, {-10, -1},
			{0x1p-149, 0x1p-149}, {-0x3p-149, -0x3p-149}, {0x1.8p-126, 0x1.8p-126}, {-0x1.fffffep-20, -0x1.fffffep-20},
		},
	}
	for op, values := range cases {
		f := evalInTier(t, op, ir.Float32, true)
		for _, v := range values {
			x := ir.ToFloat(ir.Float32, ir.FromFloat(ir.Float32, v[0]))
			requireBits(t, v[1], f(x), "fast %s(%g)", op, x)
		}
	}
}

// TestFastTypes compares what rows say of the fast tier with the expansions of both.
func TestFastTypes(t *testing.T) {
	for _, op := range ir.Ops() {
		for _, d := range (op.Info().Domain & ir.Floats & ir.Native).List() {
			if op.Info().Kind != ir.Composed {
				continue
			}
			k, err := kernel.SingleOp(op, ir.Invalid, slices.Repeat([]kernel.Operand{{DType: d}}, op.Info().Arity)...)
			require.NoError(t, err)
			normal, fast := *k, *k
			fast.Fast = true
			switch differ := Expand(&normal).String() != Expand(&fast).String(); {
			case differ && !op.Info().Fast.Has(d):
				t.Errorf("%s of %s has another expansion in the fast tier, its own or that of an operation in it: "+
					"add %s to Fast in its row of ir/optable.go, and give a function as fast in expand.go", op, d, d)
			case !differ && op.Info().Fast.Has(d):
				t.Errorf("%s of %s has the same expansion in both tiers: Fast in its row of ir/optable.go must not have %s", op, d, d)
			}
		}
	}
}

// TestFastNaN finds a NaN whose payload an addition to its bits would lose.
func TestFastNaN(t *testing.T) {
	for _, op := range []ir.Op{ir.OpExp, ir.OpTanh} {
		k, err := kernel.SingleOp(op, ir.Invalid, kernel.Operand{DType: ir.Float32})
		require.NoError(t, err)
		k = Expand(k.InTier(true))
		for bits := uint64(1); bits < 1<<23; bits = bits*3 + 1 {
			for _, sign := range []uint64{0, 1 << 31} {
				y := ir.ToFloat(ir.Float32, k.Eval([]uint64{sign | 0x7f800000 | bits})[0])
				require.True(t, y != y, "%s of the NaN %x", op, bits)
			}
		}
	}
}

// TestFastTanhBounds: odd, and never beyond 1. A run over all of these found none.
func TestFastTanhBounds(t *testing.T) {
	f := evalInTier(t, ir.OpTanh, ir.Float32, true)
	for x := float32(7.5); x < 9.1; x += 0x1p-16 {
		y := f(float64(x))
		require.LessOrEqual(t, y, 1.0, "tanh(%g)", x)
		require.Equal(t, -y, f(-float64(x)))
	}
}
