package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// builtinDots returns the kernels of matrix products among Builtins.
func builtinDots() []*kernel.Kernel {
	var out []*kernel.Kernel
	for _, d := range (ir.OpDot.Info().Domain & ir.Native).List() {
		out = append(out, kernel.DotKernel(d))
	}
	return out
}
