//go:build linux && (amd64 || arm64) && !purego && !nojit

package jit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// TestAccumulatedAnds runs reductions whose combiner is one instruction with the operation before it: on AVX-512 the bits of an And.
// Its result is the accumulator's next value, whichever source it overwrites.
func TestAccumulatedAnds(t *testing.T) {
	for _, by := range []string{"xor", "or", "and"} {
		for _, d := range []string{"i32", "u64"} {
			for _, body := range []string{
				"reduce [%[1]s] kernel (u0:%[2]s, u1:%[2]s) { t0 = and u0 u1; store t0 }",
				"reduce [%[1]s] kernel (u0:%[2]s, s1:%[2]s) { t0 = not s1; t1 = and u0 t0; store t1 }",
				"reduce [_, %[1]s] kernel (u0:i16, s1:%[2]s, u2:%[2]s) { t0 = neg u0; t1 = not s1; t2 = and u2 t1; store t0 t2 }",
				"reduce [%[1]s, %[1]s] kernel (u0:%[2]s, u1:%[2]s) { t0 = and u0 u1; t1 = not u0; t2 = and t1 u1; store t0 t2 }",
			} {
				c, err := kernel.ParseCode(fmt.Sprintf(body, by, d))
				require.NoError(t, err)
				c, _ = kernel.Canonical(c)
				var forms []kerneltest.Form
				for e := least; e <= abi.Best(); e++ {
					k, err := Assemble(e, c)
					require.NoError(t, err)
					forms = append(forms, kerneltest.Form{Name: e.String(), Call: k.Func()})
				}
				_, err = kerneltest.Check(c, 1, kerneltest.Heap, forms...)
				require.NoError(t, err, c.Signature())
			}
		}
	}
}
