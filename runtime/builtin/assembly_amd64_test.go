//go:build amd64 && !purego

package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestStackGrows calls kernels that have large frames, without rows, with ever less stack left, so that their
// prologues move it.
func TestStackGrows(t *testing.T) {
	for _, sig := range []string{
		"reduce [mul, add] kernel (u0:f64) { t0 = significand u0; t1 = exponent u0; store t0 t1 }",
		"kernel (u0:f64) { t0 = tan u0; store t0 }", "dot f32", "transpose u32",
	} {
		for e := abi.AVX2; e <= abi.Best(); e++ {
			fn, ok := abi.Lookup(e, sig)
			if !ok {
				continue
			}
			for depth := range 400 {
				done := make(chan *abi.Frame)
				go func() { done <- below(depth, fn, &abi.Frame{Cols: 1}) }()
				require.Equal(t, 1, (<-done).Cols)
			}
		}
	}
}

// below calls a kernel behind depth calls of itself, which take that much of the stack.
//
//go:noinline
func below(depth int, fn func(*abi.Frame), f *abi.Frame) *abi.Frame {
	if depth == 0 {
		fn(f)
		return f
	}
	return below(depth-1, fn, f)
}
