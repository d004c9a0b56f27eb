package vector_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestOutputsByLines: where the stores of several outputs alternate, the loop has two vectors at a time, so that it stores
// whole lines of the caches; a short body with one output has one.
func TestOutputsByLines(t *testing.T) {
	m := &vector.Machine{Lane: 4, Width: 32, Registers: 16, Working: 4,
		Tuning: vector.Tuning{Unroll: 4, UnrollWide: 8, ListOrder: 12, ByTwo: 0.9, ByFour: 0.8, ByList: 0.7, LoopEnd: 3, UnrollReduced: 24}}
	for text, unroll := range map[string]int{
		"kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }":                    1,
		"kernel (u0:f32, u1:f32) { t0 = add u0 u1; t1 = sub u0 u1; store t0 t1 }": 2,
	} {
		k, err := kernel.ParseKernel(text)
		require.NoError(t, err)
		b, err := vector.Compile(toy{m}, k, nil)
		require.NoError(t, err)
		require.Equal(t, unroll, b.Unroll, text)
	}
}
