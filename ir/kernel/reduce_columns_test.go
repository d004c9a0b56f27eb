package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestColumnReduction makes column reductions of a body, with each operand in turn as the
// splat.
func TestColumnReduction(t *testing.T) {
	k, err := kernel.ParseKernel("kernel (u0:f32, u1:f32) { t0 = sub u0 u1; t1 = mul t0 t0; store t1 }")
	require.NoError(t, err)
	for splat, want := range []string{
		"reduce_columns add kernel (s0:f32, u1:f32) { t0 = sub s0 u1; t1 = mul t0 t0; store t1 }",
		"reduce_columns add kernel (u0:f32, s1:f32) { t0 = sub u0 s1; t1 = mul t0 t0; store t1 }",
	} {
		body := k.WithSplats(func(i int) bool { return i == splat })
		c, order := kernel.Canonical(&kernel.Micro{Kind: kernel.ReduceColumns, Op: ir.OpAdd, Body: body})
		require.NoError(t, c.Verify())
		require.Equal(t, want, c.Signature())
		require.Equal(t, []int{0, 1}, order)
		parsed, err := kernel.ParseCode(want)
		require.NoError(t, err)
		require.Equal(t, want, parsed.Signature())
		require.Equal(t, want, kernel.InTier(c, true).Signature())
	}
	require.Same(t, k, k.WithSplats(func(int) bool { return false }))
}

func TestColumnReductionRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"add kernel () { store }":                                  "without a store",
		"cumsum kernel (u0:f32) { store u0 }":                      "does not combine by cumsum",
		"sub kernel (u0:f32) { store u0 }":                         "does not combine by sub",
		"add kernel (u0:f32) { store u0 u0 }":                      "one output",
		"add kernel (u0:f32, u1:f32, u2:f32, u3:f32) { store u0 }": "few operands",
		"add kernel (s0:f32) { store s0 }":                         "elements of unit operands",
		"add kernel (u0:f32, s1:f32) { store s1 }":                 "elements of unit operands",
		"add kernel (u0:f32, u1:f64) { store u0 }":                 "one type",
		"add kernel (u0:i32) { store u0 }":                         "type of float",
		"add kernel (u0:f32) { t0 = exp u0; store t0 }":            "no exp",
		"add kernel (u0:f32) { t0 = const:f32:0; store u0 }":       "no const",
		"add kernel (u0:f32) { t0 = abs u0; t1 = abs u0; t2 = abs u0; t3 = abs u0; t4 = abs u0; store t4 }": "a few instructions",
	} {
		_, err := kernel.ParseCode("reduce_columns " + text)
		require.ErrorContains(t, err, want, text)
	}
}
