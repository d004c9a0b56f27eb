package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// The calls that nests of prefix scans are made of, on views of memory.

// matrix is memory as rows and columns of elements, from one element on, inside loops.
type matrix struct {
	slot, offset int
	strides      []int // of the enclosing loops; those that are missing are 0
	row, col     int   // elements from one row to the next, from one column to the next
}

// at returns the matrix from another row and column on.
func (v matrix) at(row, col int) matrix {
	v.offset += row*v.row + col*v.col
	return v
}

// along returns the matrix inside one more loop, number depth, that moves it by so many
// rows and columns.
func (v matrix) along(depth, rows, cols int) matrix {
	strides := make([]int, depth+1)
	copy(strides, v.strides)
	strides[depth] = rows*v.row + cols*v.col
	v.strides = strides
	return v
}

// fixed returns the matrix with the same row for all rows.
func (v matrix) fixed() matrix {
	v.row = 0
	return v
}

// call returns a call inside depth loops. It notes a kernel that the library lacks.
func (p *prefixScan) call(depth int, k kernel.Code, rows, cols nest.Size, views []matrix, fields ...nest.Size) nest.Item {
	if _, ok := p.lib.Engine(k.Signature()); !ok {
		p.missing = k.Signature()
	}
	args := make([]nest.Arg, len(views))
	for i, v := range views {
		strides := make([]int, depth)
		copy(strides, v.strides)
		args[i] = nest.Arg{Slot: v.slot, Offset: v.offset, Strides: strides, Step: v.row}
	}
	return call(k, rows, cols, args, fields...)
}

// elementwise returns a call of a kernel of one op.
func (p *prefixScan) elementwise(depth int, op ir.Op, given ir.DType, in []kernel.Operand, rows, cols nest.Size, views ...matrix) nest.Item {
	k, err := kernel.SingleOp(op, given, in...)
	if err != nil {
		panic("BUG: schedule: " + err.Error())
	}
	return p.call(depth, k, rows, cols, views)
}

// copyRow returns a copy of elements of a type.
func (p *prefixScan) copyRow(depth int, d ir.DType, cols nest.Size, from, to matrix) nest.Item {
	return p.elementwise(depth, ir.OpCopy, ir.Invalid, []kernel.Operand{{DType: d}}, nest.Fixed(1), cols, from, to)
}

// fill returns the stores of one element to a block.
func (p *prefixScan) fill(depth int, d ir.DType, rows, cols nest.Size, element, to matrix) nest.Item {
	return p.elementwise(depth, ir.OpCopy, ir.Invalid, []kernel.Operand{{DType: d, Splat: true}}, rows, cols, element, to)
}

// begin returns the stores of the results of no elements, if the scan is exclusive.
func (p *prefixScan) begin(depth int, rows, cols nest.Size, to matrix) []nest.Item {
	if !p.exclusive {
		return nil
	}
	empty := matrix{slot: p.table(p.dtype, ir.EmptyFold(p.by, p.dtype), 1)}
	return []nest.Item{p.fill(depth, p.dtype, rows, cols, empty, to)}
}

// store returns the stores of a tile past the caches.
func (p *prefixScan) store(depth int, rows, cols nest.Size, tile, to matrix) nest.Item {
	cols.N *= p.dtype.Size() // the kernel copies bytes
	return p.call(depth, kernel.StreamKernel(), rows, cols, []matrix{tile, to})
}

// pack returns the copy of a block whose elements are apart along the rows to one of
// contiguous rows. A block that is denser along the columns is transposed.
func (p *prefixScan) pack(depth int, rows, cols nest.Size, from, to matrix) nest.Item {
	size := p.dtype.Size()
	if from.row != 0 && abs(from.row) < abs(from.col) {
		across := nest.Fixed(from.row * size)
		from.row = from.col // the lines of the input are the columns
		return p.call(depth, kernel.TransposeKernel(kernel.TransposeType(size)), rows, cols, []matrix{from, to}, across)
	}
	micro := &kernel.Micro{Row: kernel.Pack, Type: kernel.BitsType(p.dtype)}
	return p.call(depth, micro, rows, cols, []matrix{from, to}, nest.Fixed(from.col*size))
}

// scan returns the call of a kernel that scans rows of at most a chunk. The running
// values run, and the carries if there are some, are read before and stored after.
func (p *prefixScan) scan(depth int, rows, cols nest.Size, x, run, carry, y, runOut, carryOut matrix) nest.Item {
	k := kernel.ScanKernel(p.by, p.dtype, true)
	return p.call(depth, k, rows, cols, []matrix{x, run, carry, y, runOut, carryOut})
}

// scanAlone returns the call of a kernel that scans rows of elements of a type, without
// carries.
func (p *prefixScan) scanAlone(depth int, d ir.DType, rows, cols nest.Size, x, run, y, runOut matrix) nest.Item {
	return p.call(depth, kernel.ScanKernel(p.by, d, false), rows, cols, []matrix{x, run, y, runOut})
}

// ordered returns views in the order of a kernel's inputs, and the outputs behind them:
// input i is views[order[i]].
func ordered(order []int, views []matrix, outs ...matrix) []matrix {
	args := make([]matrix, 0, len(order)+len(outs))
	for _, from := range order {
		args = append(args, views[from])
	}
	return slices.Concat(args, outs)
}
