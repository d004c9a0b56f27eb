package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// builtinScans returns the built-in scans: of rows and of columns, for every op on every type.
func builtinScans() []kernel.Code {
	var out []kernel.Code
	for _, by := range kernel.ScanRows.Ops() {
		for _, d := range (by.Info().Domain & ir.Native).List() {
			rows, _ := kernel.RowsKernel(by, d, false)
			out = append(out, rows, &kernel.Micro{Kind: kernel.ScanRows, Op: by, Type: d})
			inOrder := ir.ScansInOrder(by, d)
			if !inOrder || ir.RunType(by, d) != d {
				row, _ := kernel.RowKernel(by, d)
				out = append(out, row)
			}
			if !inOrder {
				carry, _ := kernel.CarryKernel(by, d)
				later, _ := kernel.RowsKernel(by, d, true)
				out = append(out, carry, later, &kernel.Micro{Kind: kernel.ScanRows, Op: by, Type: d, Carry: true})
			}
		}
	}
	return out
}
