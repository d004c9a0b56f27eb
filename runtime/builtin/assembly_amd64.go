//go:build !purego

package builtin

import (
	"golang.org/x/sys/cpu"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Register makes the kernels known to all plans that are linked from then on.
func Register() {
	kernels_portable.register(abi.Portable)
	kernels_avx2.register(abi.AVX2)
	kernels_avx2_float64.register(abi.AVX2)
	kernels_avx2_integers.register(abi.AVX2)
	kernels_avx512.register(abi.AVX512)
	kernels_avx512_float64.register(abi.AVX512)
	if cpu.X86.HasAVX512VNNI { // their only kernel, products of halves, has VPDPWSSD
		kernels_avx512_integers.register(abi.AVX512)
	} else {
		kernels_avx512_no_vnni_integers.register(abi.AVX512)
	}
}

// loops are kernels as Go loops: the basic ones, or those in place of the assembly that a build tag left out.
type loops []abi.Kernel

func (l loops) register(abi.Engine) { abi.RegisterBuiltin(abi.Portable, l) }
