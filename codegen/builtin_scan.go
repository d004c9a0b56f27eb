package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// builtinScans returns the kernels of scans among Builtins: of rows and of columns, for
// every op on every type.
func builtinScans() []kernel.Code {
	var out []kernel.Code
	for _, by := range kernel.ScanRows.Ops() {
		for _, d := range (by.Info().Domain & ir.Native).List() {
			carry, _ := kernel.CarryKernel(by, d)
			row, _ := kernel.RowKernel(by, d)
			first, _ := kernel.RowsKernel(by, d, false)
			later, _ := kernel.RowsKernel(by, d, true)
			for _, carries := range []bool{false, true} {
				out = append(out, &kernel.Micro{Kind: kernel.ScanRows, Op: by, Type: d, Carry: carries})
			}
			out = append(out, carry, row, first, later)
		}
	}
	return out
}
