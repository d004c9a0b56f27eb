//go:build linux && (amd64 || arm64) && !purego && !nojit

package jit

import (
	"flag"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// runOn runs a kernel on one int32 and returns what the kernel made of it.
func runOn(k *Kernel, v int32) int32 {
	f := &abi.Frame{Rows: 1, Cols: 1}
	f.Ptr[0] = unsafe.Pointer(&v)
	k.Func()(f)
	return v
}

// kernelOf returns a kernel with the signature of that number.
func kernelOf(t testing.TB, i int) kernel.Code {
	c, err := kernel.ParseCode(sigs[i])
	require.NoError(t, err)
	return c
}

var sigs = func() (all []string) {
	for _, op := range []string{"neg", "abs", "sqrt", "floor", "exp", "log", "sin", "tanh"} {
		all = append(all, "kernel (u0:f32) { t0 = "+op+" u0; store t0 }")
	}
	return all
}()

// churned is how many kernels TestChurn makes: 1e6 show that memory returns in a long process.
var churned = flag.Int("jit.kernels", 4000, "the kernels that TestChurn makes")
