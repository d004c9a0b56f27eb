package blocks

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Scans along the rows. Their blocks need what the blocks before combine to: the carry.

// checkScan returns an error for a scan that can't be computed by blocks, and has blocks
// begin at chunks if the scan is of chunks.
func (d *Division) checkScan(v *ir.Value, p place) error {
	dt, by := v.Type.DType, v.Op.Info().By
	if !dt.Native() {
		return fmt.Errorf("of %s it can't be computed by blocks, as each block would round: Cast to %s", dt, dt.Compute())
	}
	if !isExact(by, dt) {
		if err := d.Limits.Align(ir.ReduceChunk, p.scale); err != nil {
			return err
		}
		d.atMost(ir.ReduceChunk*(ir.ReduceChunk-2), p.scale)
	}
	return nil
}

// scan returns the block of a scan along the rows. An exclusive one is the inclusive one,
// an element later.
func (w *writer) scan(v *ir.Value, p place) *ir.Value {
	x, axis, by := w.value(v.Args[0]), p.axis, v.Op.Info().By
	s := State{Type: w.d.total(v), From: -1, Ordered: v}
	s.Type.Shape[axis] = ir.Fixed(1)
	var y *ir.Value
	if isExact(by, s.Type.DType) {
		y = w.scanExact(v, s, x)
	} else {
		y = w.scanChunks(v, s, x)
	}
	if !v.Attr.Exclusive {
		return y
	}
	n := extents(y)[axis]
	s.Bits = ir.EmptyReduction(by, s.Type.DType)
	w.state(s, func(before *ir.Value) *ir.Value {
		all := w.concat(axis, before, y)
		y = w.slice(all, axis, 0, n)
		return w.slice(all, axis, n, 1)
	})
	return y
}

// scanExact combines the running values of the block with the last of the blocks before.
func (w *writer) scanExact(v *ir.Value, s State, x *ir.Value) (y *ir.Value) {
	axis, by := v.Attr.Axis, v.Op.Info().By
	s.Bits, _ = by.Info().Identity(s.Type.DType)
	w.state(s, func(before *ir.Value) *ir.Value {
		y = w.add(by, ir.Attr{}, v, before, w.add(v.Op, ir.Attr{Axis: axis}, v, x))
		return w.slice(y, axis, extents(y)[axis]-1, 1)
	})
	return y
}

// scanChunks computes the running values of chunks of ReduceChunk elements, and combines
// each with the carry of the chunks before, as the definition does (package ir, scan.go).
func (w *writer) scanChunks(v *ir.Value, s State, x *ir.Value) (y *ir.Value) {
	axis, by, d := v.Attr.Axis, v.Op.Info().By, s.Type.DType
	wide := ir.PartialType(by, d)
	n := extents(x)[axis]
	runs := w.add(v.Op, ir.Attr{Axis: axis + 1}, v, w.split(w.padded(x, axis), axis, ir.ReduceChunk))
	totals := w.cast(w.add(ir.OpIndex, ir.Attr{Axis: axis + 1, Begin: ir.Fixed(ir.ReduceChunk - 1)}, v, runs), wide)
	chunks := extents(totals)[axis]
	s.Type.DType = wide
	s.Bits, _ = by.Info().Identity(wide)
	w.state(s, func(before *ir.Value) *ir.Value {
		// At most ReduceChunk elements are combined one after the other.
		carries := w.add(v.Op, ir.Attr{Axis: axis}, v, w.concat(axis, before, totals))
		each := w.unsqueeze(w.cast(w.slice(carries, axis, 0, chunks), d), axis+1)
		y = w.add(by, ir.Attr{}, v, each, runs)
		return w.slice(carries, axis, chunks, 1)
	})
	shape := extents(x)
	shape[axis] = chunks * ir.ReduceChunk
	return w.slice(w.reshape(y, shape...), axis, 0, n)
}

// padded appends zeros to an axis, up to a multiple of ReduceChunk.
func (w *writer) padded(x *ir.Value, axis int) *ir.Value {
	shape := extents(x)
	shape[axis] = (ir.ReduceChunk - shape[axis]%ir.ReduceChunk) % ir.ReduceChunk
	if shape[axis] == 0 {
		return x
	}
	zeros := w.add(ir.OpExpand, ir.Attr{Shape: ir.ShapeOf(shape...)}, x, w.constant(x, x.Type.DType, 0))
	return w.concat(axis, x, zeros)
}
