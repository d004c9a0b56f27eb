//go:build linux && (amd64 || arm64) && !purego && !nojit

package jit

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// everyBody is which of the built-in kernels TestBodies assembles: every n-th.
var everyBody = flag.Int("jit.every", 40, "TestBodies takes every n-th kernel")

// TestBodies assembles built-in kernels that have a body, for every engine that the processor has, and compares them with what they
// mean.
func TestBodies(t *testing.T) {
	if abi.Best() < least {
		t.Skip("the processor has no assembly, or STRIDEFUSE_CPU excludes it")
	}
	number, assembled := 0, 0
	for _, c := range codegen.Builtins() {
		for e := least; e <= abi.Best(); e++ {
			on, ok := EngineOf(e, c)
			if !ok || on != e {
				continue
			}
			if number++; number%*everyBody != 0 {
				continue
			}
			k, err := Assemble(e, c)
			require.NoError(t, err)
			_, err = kerneltest.Check(c, uint64(number), kerneltest.Heap, kerneltest.Form{Name: e.String(), Call: k.Func()})
			require.NoError(t, err, c.Signature())
			assembled++
		}
	}
	t.Logf("%d of %d kernels", assembled, number)
	require.NotZero(t, assembled)
}
