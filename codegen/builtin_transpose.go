package codegen

import "github.com/stridefuse/stridefuse/ir"

// builtinTransposes returns the kernels among Builtins that transpose: one for each
// size of an element.
func builtinTransposes() []*ir.Kernel {
	var out []*ir.Kernel
	for _, size := range []int{1, 4, 8} {
		out = append(out, ir.TransposeKernel(ir.TransposeType(size)))
	}
	return out
}
