package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The calls that the nests of prefix scans are made of.

// call returns a call on views whose lines are the rows. It notes a kernel that the library lacks.
func (p *prefixScan) call(w *walk, k kernel.Code, rows, cols nest.Size, views []view, fields ...nest.Size) nest.Item {
	p.need(k)
	return call(k, rows, cols, w.args(p.row, views...), fields...)
}

// need notes a kernel that the library lacks.
func (p *prefixScan) need(k kernel.Code) {
	if why := p.t.lacks(k); why != "" {
		*p.missing = why
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
	return p.call(w, oneOp(ir.OpCast, p.wide, kernel.Operand{DType: p.dtype}), nest.Fixed(1), cols, []view{from, to})
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

// pack returns the copy of a block of the operand to rows without gaps. It reads along the columns if they are contiguous.
func (p *prefixScan) pack(w *walk, rows, cols nest.Size, from, to view) nest.Item {
	if p.in.class == transposed {
		p.need(transposeKernel(p.dtype))
		return transposeCall(p.dtype, cols, rows, w.arg(&from, p.col), p.in.row, w.arg(&to, p.row))
	}
	return p.call(w, packKernel(p.dtype), rows, cols, []view{from, to}, from.across(p.col, p.dtype))
}

// again returns the call that scans chunks a second time where ir.Rescan says so, or nothing if no chunk can need that. lines
// is the axis of lines, along the axis of the n elements of a line of x, in the given number of chunks. last is the last
// running value of each chunk, before is the carry into each chunk, and after the carry out of the last one.
func (p *prefixScan) again(w *walk, lines, along int, n, chunks nest.Size, x, last, before, y, after view) []nest.Item {
	if !p.rescans {
		return nil
	}
	k := &kernel.Micro{Kind: kernel.Rescan, Type: p.dtype}
	p.need(k)
	args := w.args(lines, x, last, before, y, after)
	return []nest.Item{call(k, w.size[lines], n, args, x.across(along, p.dtype), nest.Fixed(p.dtype.Size()), y.across(along, p.dtype), chunks)}
}

// scan returns the scan of rows of at most a chunk, without carries, of a given type. run are the running values before and
// next those after.
func (p *prefixScan) scan(w *walk, d ir.DType, rows, cols nest.Size, x, run, y, next view) nest.Item {
	return p.call(w, scanRows(p.by, d, false), rows, cols, []view{x, run, y, next})
}

// scanRows returns the micro-kernel that scans rows, with a carry or without.
func scanRows(by ir.Op, d ir.DType, carry bool) kernel.Code {
	return microKernel(kernel.Micro{Kind: kernel.ScanRows, Op: by, Type: d, Carry: carry})
}

// newAxes returns axes of some extents.
func newAxes(extents ...int) []plan.Axis {
	axes := make([]plan.Axis, len(extents))
	for i, n := range extents {
		axes[i].Extent = n
	}
	return axes
}
