package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// scanOps are the ops that scans combine elements with.
var scanOps = []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax}

// builtinScans returns the kernels of scans among Builtins: along rows and
// down them, for every op on every type.
func builtinScans() []*kernel.Kernel {
	var out []*kernel.Kernel
	for _, by := range scanOps {
		for _, d := range (by.Info().Domain & ir.Native).List() {
			carry, _ := kernel.CarryKernel(by, d)
			down, _ := kernel.RowKernel(by, d)
			first, _ := kernel.RowsKernel(by, d, false)
			later, _ := kernel.RowsKernel(by, d, true)
			out = append(out, kernel.ScanKernel(by, d, false), kernel.ScanKernel(by, d, true), carry, down, first, later)
		}
	}
	return out
}
