package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// packed notes the operands that are copied.
func (d *Draft) packed(ops []operand) {
	d.Choice.Packed = d.Choice.Packed[:0]
	for i, op := range ops {
		if op.class > splat {
			d.Choice.Packed = append(d.Choice.Packed, i)
		}
	}
}

// packBlock returns the item that copies rows x cols elements, which are across apart
// along the columns.
func packBlock(d ir.DType, rows, cols nest.Size, from nest.Arg, across int, to nest.Arg) nest.Item {
	return call(packKernel(d), rows, cols, []nest.Arg{from, to}, nest.Fixed(across*d.Size()))
}

// transposeBlock returns the item that copies lines of elements that are across apart.
// Element r of line c becomes the element in row r and column c.
func transposeBlock(d ir.DType, lines, rows nest.Size, from nest.Arg, across int, to nest.Arg) nest.Item {
	return call(transposeKernel(d), rows, lines, []nest.Arg{from, to}, nest.Fixed(across*d.Size()))
}
