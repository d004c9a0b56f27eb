package codegen

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// builtinTransposes returns the kernels among Builtins that transpose: one for each
// size of an element.
func builtinTransposes() []*kernel.Kernel {
	var out []*kernel.Kernel
	for _, size := range []int{1, 2, 4, 8} {
		out = append(out, kernel.TransposeKernel(kernel.TransposeType(size)))
	}
	return out
}
