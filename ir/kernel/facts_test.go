package kernel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestNonTemporalFunctions pins which functions of one element type have a loop that stores past the caches. With vectors of 64
// bytes those of float32 have one that take less time than memory does: log1p, pow, atan2, asinh, acosh, atanh, erfc, softplus,
// gelu, celu and logit have none. With 32 bytes, or of float64, only ops have one that take few instructions.
func TestNonTemporalFunctions(t *testing.T) {
	const short = "sign reciprocal square clip significand exponent"
	const functions = " mod floordiv exp exp2 expm1 log log2 log10 cbrt rsqrt hypot sin cos tan asin acos atan sinh cosh tanh erf" +
		" fmod sigmoid silu gelu gelutanh mish elu selu hardswish softsign"
	for _, x := range []struct {
		dtype  ir.DType
		vector int
		want   string
	}{
		{ir.Float32, 64, short + functions},
		{ir.Float32, 32, short},
		{ir.Float64, 64, short},
		{ir.Float16, 64, ""},
	} {
		var have []string
		for _, op := range ir.Ops() {
			if op.Info().Kind != ir.Composed || !op.IsElementwise() {
				continue
			}
			k, err := kernel.SingleOp(op, ir.Invalid, slices.Repeat([]kernel.Operand{{DType: x.dtype}}, op.Info().Arity)...)
			if err == nil && kernel.NonTemporal(k, x.vector) {
				have = append(have, op.String())
			}
		}
		require.ElementsMatch(t, strings.Fields(x.want), have, "%s, vectors of %d bytes", x.dtype, x.vector)
	}
}
