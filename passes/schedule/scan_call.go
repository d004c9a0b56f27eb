package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The calls that the nests of prefix scans are made of.

// move returns the view from index n of an axis on.
func (v view) move(axis, n int) view {
	v.offset += n * v.strides[axis]
	return v
}

// inside returns the view of local memory that is written anew in each iteration of the
// loops of w.
func (v view) inside(w *walk) view {
	v.from = w.depth()
	return v
}

// call returns a call on views whose lines are the rows. It notes a kernel that the
// library lacks.
func (p *prefixScan) call(w *walk, k kernel.Code, rows, cols nest.Size, views []view, fields ...nest.Size) nest.Item {
	p.need(k)
	args := make([]nest.Arg, len(views))
	for i := range views {
		args[i] = w.arg(&views[i], p.row)
	}
	return call(k, rows, cols, args, fields...)
}

// need notes a kernel that the library lacks.
func (p *prefixScan) need(k kernel.Code) {
	if _, ok := p.t.lib.Engine(k.Signature()); !ok {
		*p.missing = k.Signature()
	}
}

// copyRow returns the copy of a row of elements of a type.
func (p *prefixScan) copyRow(w *walk, d ir.DType, cols nest.Size, from, to view) nest.Item {
	return p.call(w, copyKernel(d, false), nest.Fixed(1), cols, []view{from, to})
}

// castRow returns the conversion of a row of running values to the type of carries.
func (p *prefixScan) castRow(w *walk, cols nest.Size, from, to view) nest.Item {
	if p.wide == p.dtype {
		return p.copyRow(w, p.dtype, cols, from, to)
	}
	k, err := kernel.SingleOp(ir.OpCast, p.wide, kernel.Operand{DType: p.dtype})
	if err != nil {
		panic("BUG: schedule: " + err.Error())
	}
	return p.call(w, k, nest.Fixed(1), cols, []view{from, to})
}

// fill returns the stores of one element to all of a block.
func (p *prefixScan) fill(w *walk, d ir.DType, rows, cols nest.Size, element, to view) nest.Item {
	return p.call(w, copyKernel(d, true), rows, cols, []view{element, to})
}

// begin returns the stores of the results of no elements, if the scan is exclusive.
func (p *prefixScan) begin(w *walk, rows, cols nest.Size) []nest.Item {
	if !p.exclusive {
		return nil
	}
	empty := p.constant(p.dtype, ir.EmptyReduction(p.by, p.dtype))
	return []nest.Item{p.fill(w, p.dtype, rows, cols, empty, p.head)}
}

// store returns the stores of a tile, past the caches if results are. That kernel copies bytes.
func (p *prefixScan) store(w *walk, rows, cols nest.Size, tile, to view) nest.Item {
	if !p.nonTemporal {
		return p.call(w, copyKernel(p.dtype, false), rows, cols, []view{tile, to})
	}
	return p.call(w, kernel.CopyNT, rows, times(cols, p.dtype.Size()), []view{tile, to})
}

// pack returns the copy of a block of the operand to rows without gaps. What is
// contiguous along its columns is read so.
func (p *prefixScan) pack(w *walk, rows, cols nest.Size, from, to view) nest.Item {
	if p.in.class == transposed {
		p.need(transposeKernel(p.dtype))
		return transposeCall(&p.in, rows, cols, w.arg(&from, p.col), w.arg(&to, p.row))
	}
	across := nest.Fixed(from.strides[p.col] * p.dtype.Size())
	return p.call(w, packKernel(p.dtype), rows, cols, []view{from, to}, across)
}

// again returns the call that scans chunks a second time where ir.Rescan says so, or nothing if
// no chunk can need that. lines is the axis from one line to the next, along the axis of the elements of a
// line: n elements of x, in the given number of chunks. last is the last running value of each
// chunk, before is the carry into each chunk, and after the carry out of the last one.
func (p *prefixScan) again(w *walk, lines, along int, n, chunks nest.Size, x, last, before, y, after view) []nest.Item {
	if !p.rescans {
		return nil
	}
	k := &kernel.Micro{Kind: kernel.Rescan, Type: p.dtype}
	p.need(k)
	var args []nest.Arg
	for _, v := range []view{x, last, before, y, after} {
		args = append(args, w.arg(&v, lines))
	}
	across := func(v view) nest.Size { return nest.Fixed(v.strides[along] * p.dtype.Size()) }
	return []nest.Item{call(k, w.size[lines], n, args, across(x), nest.Fixed(p.dtype.Size()), across(y), chunks)}
}

// scan returns the scan of rows of at most a chunk, without carries, of a type of its
// own. run are the running values before and next those after.
func (p *prefixScan) scan(w *walk, d ir.DType, rows, cols nest.Size, x, run, y, next view) nest.Item {
	return p.call(w, scanRows(p.by, d, false), rows, cols, []view{x, run, y, next})
}

// scanRows returns the micro-kernel that scans rows, with a carry or without.
func scanRows(by ir.Op, d ir.DType, carry bool) kernel.Code {
	return microKernel(kernel.Micro{Kind: kernel.ScanRows, Op: by, Type: d, Carry: carry})
}

// ordered returns the inputs of a kernel, of which input i is ins[order[i]], and its
// outputs.
func ordered(order []int, ins []view, outs ...view) []view {
	args := make([]view, 0, len(order)+len(outs))
	for _, from := range order {
		args = append(args, ins[from])
	}
	return append(args, outs...)
}

// newAxes returns the axes of a walk of its own.
func newAxes(extents ...int) []plan.Axis {
	axes := make([]plan.Axis, len(extents))
	for i, n := range extents {
		axes[i].Extent = n
	}
	return axes
}
