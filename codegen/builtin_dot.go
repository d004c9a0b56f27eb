package codegen

import "github.com/stridefuse/stridefuse/ir"

// builtinDots returns the kernels of matrix products among Builtins.
func builtinDots() []*ir.Kernel {
	var out []*ir.Kernel
	for _, d := range (ir.OpDot.Info().Domain & ir.Running).List() {
		out = append(out, ir.DotKernel(d))
	}
	return out
}
