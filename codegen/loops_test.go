package codegen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTilingLoops writes Go loops for builds with assembly: of all built-in kernels but the
// fused ones, and never inlines math.FMA.
func TestTilingLoops(t *testing.T) {
	text := func(loops Loops) string {
		files, err := Generate(Options{Package: "p", Loops: loops}, Builtins())
		require.NoError(t, err)
		require.Equal(t, "zkernels_generic.go", files[0].Name)
		return string(files[0].Content)
	}
	few, all := text(TilingLoops), text(EveryLoop)
	require.Contains(t, few, "//go:build "+assemblyTag)
	require.NotContains(t, few, "math.FMA(")
	fused := signatures(fusedBuiltins())
	require.NotEmpty(t, fused)
	for _, k := range Builtins() {
		sig := `{Sig: "` + k.Signature() + `"`
		require.Contains(t, all, sig)
		require.Equal(t, !fused[k.Signature()], strings.Contains(few, sig), sig)
	}
}
