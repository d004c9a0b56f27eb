package codegen

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestBasicFunctions pins which composed ops have Go loops in every program: all of float32, and those of float64 that take
// few instructions or wait for divisions. The fast ones and those of rare types have none.
func TestBasicFunctions(t *testing.T) {
	const short, tests, divisions = "sign reciprocal square clip hardswish significand exponent ", "gt ge isnan isinf isfinite ", "mod floordiv rsqrt softsign"
	for _, op := range ir.Ops() {
		if op.Info().Kind != ir.Composed || !op.IsElementwise() {
			continue
		}
		for _, d := range []ir.DType{ir.Float32, ir.Float64, ir.Float16} {
			k, err := kernel.SingleOp(op, ir.Invalid, slices.Repeat([]kernel.Operand{{DType: d}}, op.Info().Arity)...)
			if err != nil {
				continue // it does not take the type
			}
			want := d == ir.Float32 || d == ir.Float64 && slices.Contains(strings.Fields(short+tests+divisions), op.String())
			require.Equal(t, want, isBasic(k), "%s of %s", op, d)
		}
	}
	for text, want := range map[string]bool{
		"kernel (u0:f32) { t0 = exp u0; store t0 }":              true,
		"kernel fast (u0:f32) { t0 = exp u0; store t0 }":         false,
		"kernel (u0:f32) { t0 = exp u0; t1 = neg t0; store t1 }": false,
	} {
		require.Equal(t, want, isBasic(parse(t, text)[0]), text)
	}
}
