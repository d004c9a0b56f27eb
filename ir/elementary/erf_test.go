package elementary_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestGELU: gelu of float32 has no step in float64, and is exact of zeros, of infinities and far from 0. TestSigmoidFamily32 has its error.
func TestGELU(t *testing.T) {
	k, err := kernel.SingleOp(ir.OpGELU, ir.Invalid, kernel.Operand{DType: ir.Float32})
	require.NoError(t, err)
	k = elementary.Expand(k)
	for _, in := range k.Body {
		require.NotEqual(t, ir.Float64, in.DType)
	}
	evaluate := k.Evaluator(ir.Defined)
	gelu := func(x float32) float32 {
		return math.Float32frombits(uint32(evaluate([]uint64{uint64(math.Float32bits(x))})[0]))
	}
	inf, zero := float32(math.Inf(1)), float32(math.Copysign(0, -1))
	for x, want := range map[float32]float32{inf: inf, -inf: zero, -15: zero, 1e30: 1e30, -1e-45: zero} {
		require.Equal(t, math.Float32bits(want), math.Float32bits(gelu(x)), "%v", x)
	}
	require.Equal(t, math.Float32bits(zero), math.Float32bits(gelu(zero)))
	require.Zero(t, math.Float32bits(gelu(0)))
	require.True(t, math.IsNaN(float64(gelu(float32(math.NaN())))))
}
