package blocks

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Scans along the rows. A block needs the combined value of the blocks before it: the carry.

// checkScan returns an error for a scan that can't be computed by blocks. If the scan works in chunks, it makes blocks
// begin at chunks.
func (d *Division) checkScan(v *ir.Value, p place) error {
	dt, by := v.Type.DType, v.Op.Info().By
	if !dt.Native() {
		return fmt.Errorf("of %s it can't be computed by blocks, as each block would round: Cast to %s", dt, dt.Compute())
	}
	if !isExact(by, dt) && !ir.ScansInOrder(by, dt) {
		if err := d.Limits.Align(ir.ReduceChunk, p.scale); err != nil {
			return err
		}
		d.atMost(ir.ReduceChunk*(ir.ReduceChunk/2-2), p.scale)
	}
	return nil
}

// scan returns the block of a scan along the rows. An exclusive scan is the inclusive one, shifted by an element.
func (w *writer) scan(v *ir.Value, p place) *ir.Value {
	x, axis, by := w.value(v.Args[0]), p.axis, v.Op.Info().By
	s := State{Type: w.d.total(v), From: -1, Ordered: v}
	n, _ := s.Type.Shape[axis].Int()
	s.Type.Shape[axis] = ir.Fixed(1)
	var y *ir.Value
	switch {
	case ir.ScansInOrder(by, s.Type.DType):
		y = w.scanInOrder(v, s, x)
	case ir.RescansChunks(by, s.Type.DType, n):
		y = w.scanChunks(v, s, x)
	default:
		y = w.scanExact(v, s, x)
	}
	if !v.Attr.Exclusive {
		return y
	}
	n = extents(y)[axis]
	s.Bits = ir.EmptyReduction(by, s.Type.DType)
	w.state(s, func(before *ir.Value) *ir.Value {
		all := w.concat(axis, before, y)
		y = w.slice(all, axis, 0, n)
		return w.slice(all, axis, n, 1)
	})
	return y
}

// scanExact combines the running values of the block with the last value of the previous blocks. It is correct if the
// order does not matter, or if there is one block.
func (w *writer) scanExact(v *ir.Value, s State, x *ir.Value) (y *ir.Value) {
	axis, by := v.Attr.Axis, v.Op.Info().By
	s.Bits, _ = by.Info().Identity(s.Type.DType)
	w.state(s, func(before *ir.Value) *ir.Value {
		y = w.add(by, ir.Attr{}, v, before, w.add(v.Op, ir.Attr{Axis: axis}, v, x))
		return w.slice(y, axis, extents(y)[axis]-1, 1)
	})
	return y
}

// scanInOrder continues from the last unrounded value of the previous blocks.
func (w *writer) scanInOrder(v *ir.Value, s State, x *ir.Value) (y *ir.Value) {
	axis, by, d := v.Attr.Axis, v.Op.Info().By, s.Type.DType
	n := extents(x)[axis]
	s.Type.DType = ir.RunType(by, d)
	s.Bits, _ = by.Info().Identity(s.Type.DType)
	w.state(s, func(before *ir.Value) *ir.Value {
		all := w.add(v.Op, ir.Attr{Axis: axis}, v, w.concat(axis, before, w.cast(x, s.Type.DType)))
		y = w.cast(w.slice(all, axis, 1, n), d)
		return w.slice(all, axis, n, 1)
	})
	return y
}

// scanChunks sums chunks of ReduceChunk elements and adds to each the carry of the previous chunks, as the definition
// does (package ir, scan.go).
func (w *writer) scanChunks(v *ir.Value, s State, x *ir.Value) (y *ir.Value) {
	axis, d := v.Attr.Axis, s.Type.DType
	inside := axis + 1 // the axis inside chunks
	op := func(op ir.Op, args ...*ir.Value) *ir.Value { return w.add(op, ir.Attr{}, v, args...) }
	last := func(x *ir.Value) *ir.Value { return w.slice(x, inside, ir.ReduceChunk-1, 1) }
	n := extents(x)[axis]
	x = w.split(w.padded(x, axis), axis, ir.ReduceChunk)
	chunks := extents(x)[axis]
	runs := w.add(v.Op, ir.Attr{Axis: inside}, v, x)
	halves := w.halfRuns(v, x, inside)
	fits := op(ir.OpEq, op(ir.OpSub, last(runs), last(runs)), w.constant(v, d, 0))
	s.Type.DType = halves.Type.DType
	s.Bits, _ = ir.OpAdd.Info().Identity(s.Type.DType)
	w.state(s, func(before *ir.Value) *ir.Value {
		// Each chunk adds its sum and 0 to the carry, or two halves. At most ReduceChunk numbers are added in order.
		sum, nothing := w.cast(last(runs), s.Type.DType), w.constant(v, s.Type.DType, s.Bits)
		steps := w.concat(inside, op(ir.OpSelect, fits, sum, last(halves)), op(ir.OpSelect, fits, nothing, last(halves)))
		shape := extents(steps)
		steps = w.reshape(steps, slices.Replace(shape, axis, axis+2, 2*chunks)...)
		carries := w.add(v.Op, ir.Attr{Axis: axis}, v, w.concat(axis, before, steps))
		each := w.unsqueeze(w.add(ir.OpSlice, ir.Attr{Axis: axis, Len: ir.Fixed(chunks), Step: 2}, v, carries), inside)
		small := w.cast(op(ir.OpAdd, op(ir.OpAdd, each, halves), halves), d)
		y = op(ir.OpSelect, fits, op(ir.OpAdd, w.cast(each, d), runs), small)
		return w.slice(carries, axis, 2*chunks, 1)
	})
	shape := extents(x)
	return w.slice(w.reshape(y, slices.Replace(shape, axis, axis+2, chunks*ir.ReduceChunk)...), axis, 0, n)
}

// halfRuns applies ir.HalfRuns to the lines along an axis.
func (w *writer) halfRuns(v, x *ir.Value, axis int) *ir.Value {
	times := func(x *ir.Value, by float64) *ir.Value {
		d := x.Type.DType
		return w.add(ir.OpMul, ir.Attr{}, v, x, w.constant(v, d, ir.FromFloat(d, by)))
	}
	runs := w.add(v.Op, ir.Attr{Axis: axis}, v, times(x, ir.HalfRunsBefore))
	return times(w.cast(runs, ir.PartialType(ir.OpAdd, x.Type.DType)), ir.HalfRunsAfter)
}

// padded appends zeros to an axis up to a multiple of ReduceChunk.
func (w *writer) padded(x *ir.Value, axis int) *ir.Value {
	shape := extents(x)
	shape[axis] = (ir.ReduceChunk - shape[axis]%ir.ReduceChunk) % ir.ReduceChunk
	if shape[axis] == 0 {
		return x
	}
	zeros := w.add(ir.OpExpand, ir.Attr{Shape: ir.ShapeOf(shape...)}, x, w.constant(x, x.Type.DType, 0))
	return w.concat(axis, x, zeros)
}
