package amd64

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestAssemblers: each row of the table writes some built-in kernel, and AVX-512 has exactly the kernels of rows that are wide.
func TestAssemblers(t *testing.T) {
	wrote := map[string]int{}
	for _, k := range append(codegen.Builtins(), parsed(t, "reduce [and] kernel (u0:bool) { store u0 }", "kernel ((u0 u1):f32) { t0 = mul u0 u1; store t0 }")...) {
		body, combine, ok := bodyOf(k)
		if !ok {
			continue
		}
		a := AVX2().assemblerOf(body, combine)
		wrote[a.name]++
		require.Same(t, a, AVX512().assemblerOf(body, combine), "%s", k.Signature())
		require.Equal(t, a.wide, AVX512().Emits(k), "%s", k.Signature())
		require.Equal(t, a.name, AVX2().Assembler(k))
	}
	for _, a := range slices.Concat(byHand[:], compilers[:]) {
		require.NotZero(t, wrote[a.name], a.name)
	}
	require.Equal(t, "dot", AVX2().Assembler(&kernel.Micro{Kind: kernel.Dot}))
}

func parsed(t *testing.T, signatures ...string) (ks []kernel.Code) {
	for _, s := range signatures {
		k, err := kernel.ParseCode(s)
		require.NoError(t, err)
		ks = append(ks, k)
	}
	return ks
}
