package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

func TestDownKernel(t *testing.T) {
	k, err := kernel.ParseKernel("kernel (u0:f32, u1:f32) { t0 = sub u0 u1; t1 = mul t0 t0; store add(t1) }")
	require.NoError(t, err)
	for splat, want := range []string{
		"kernel down (s0:f32, u1:f32) { t0 = sub s0 u1; t1 = mul t0 t0; store add(t1) }",
		"kernel down (u0:f32, s1:f32) { t0 = sub u0 s1; t1 = mul t0 t0; store add(t1) }",
	} {
		down, order := k.DownKernel(func(i int) bool { return i == splat })
		require.Equal(t, want, down.Signature())
		require.Equal(t, []int{0, 1}, order)
		again, err := kernel.ParseKernel(want)
		require.NoError(t, err)
		for _, x := range []*kernel.Kernel{again, elementary.Expand(down), down.InTier(true)} {
			require.Equal(t, want, x.Signature())
		}
	}
	down, _ := k.DownKernel(func(int) bool { return true })
	require.Nil(t, down)
}

func TestNoDownKernel(t *testing.T) {
	for text, want := range map[string]string{
		"() { store }":                                       "one output, which it folds",
		"(u0:f32) { store u0 }":                              "one output, which it folds",
		"(u0:f32) { store cumsum(u0) }":                      "does not combine by cumsum",
		"(u0:f32) { store add(u0) u0 }":                      "one output, which it folds",
		"(u0:f32, u1:f32, u2:f32, u3:f32) { store add(u0) }": "few operands",
		"(s0:f32) { store add(s0) }":                         "elements of unit operands",
		"(u0:f32, s1:f32) { store add(s1) }":                 "elements of unit operands",
		"(u0:f32, u1:f64) { store add(u0) }":                 "one type",
		"(u0:i32) { store add(u0) }":                         "type of float",
		"(u0:f32) { store sub(u0) }":                         "does not combine by sub",
		"(u0:f32) { t0 = exp u0; store add(t0) }":            "no exp",
		"(u0:f32) { t0 = const:f32:0; store add(u0) }":       "no const",
		"(u0:f32) { t0 = abs u0; t1 = abs u0; t2 = abs u0; t3 = abs u0; t4 = abs u0; store add(t4) }": "a few instructions",
	} {
		_, err := kernel.ParseKernel("kernel down " + text)
		require.ErrorContains(t, err, want, text)
	}
}
