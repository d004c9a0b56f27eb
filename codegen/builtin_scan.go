package codegen

import "github.com/stridefuse/stridefuse/ir"

// scanOps are the ops that scans combine elements with.
var scanOps = []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax}

// builtinScans returns the kernels of scans among Builtins: along rows and
// down them, for every op on every type.
func builtinScans() []*ir.Kernel {
	var out []*ir.Kernel
	for _, by := range scanOps {
		for _, d := range (by.Info().Domain & ir.Running).List() {
			carry, _ := ir.CarryKernel(by, d)
			down, _ := ir.RowKernel(by, d)
			first, _ := ir.RowsKernel(by, d, false)
			later, _ := ir.RowsKernel(by, d, true)
			out = append(out, ir.ScanKernel(by, d, false), ir.ScanKernel(by, d, true), carry, down, first, later)
		}
	}
	return out
}
