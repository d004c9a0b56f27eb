package blocks

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// dotRule divides products of matrices that contract the rows.
func dotRule(d *Division, v *ir.Value) (rule, error) {
	dt, shape := v.Type.DType, d.total(v).Shape
	rank := len(shape)
	switch {
	case !ir.Floats.Has(dt):
		return dotExact(), nil
	case shape[rank-2].Is(1) || shape[rank-1].Is(1):
		return d.dotSum(v)
	}
	scale := d.places[v.Args[0]].scale
	if err := d.Limits.Align(ir.DotChunk, scale); err != nil {
		return rule{}, err
	}
	d.atMost(ir.DotChunk*(ir.ReduceChunk-2), scale)
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			d := dt.Compute()
			zero, _ := ir.OpAdd.Info().Identity(d)
			x, y := w.cast(w.value(v.Args[0]), d), w.cast(w.value(v.Args[1]), d)
			s := State{Type: ir.Type{DType: d, Shape: shape}, Bits: zero, From: -1, Total: v, Ordered: v}
			w.state(s, func(before *ir.Value) *ir.Value { return w.addChunks(v, before, x, y) })
			return nil
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			return w.cast(w.squeeze(parts[0], 0), dt)
		},
	}, nil
}

// dotExact divides products of integers, whose sums wrap and may be added in any order.
func dotExact() rule {
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			y := w.op(v)
			w.state(State{Type: w.d.total(v), From: -1, Total: v}, func(before *ir.Value) *ir.Value {
				return w.add(ir.OpAdd, ir.Attr{}, v, before, y)
			})
			return nil
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			return w.reduceExact(v, ir.OpAdd, parts[0])
		},
	}
}

// addChunks adds the products of chunks of DotChunk pairs of x and y to a sum in order: it is the last running sum of a
// scan.
func (w *writer) addChunks(at, sum, x, y *ir.Value) *ir.Value {
	rank := len(x.Type.Shape)
	pairs := extents(x)[rank-1]
	full := pairs / ir.DotChunk * ir.DotChunk
	sums := []*ir.Value{w.unsqueeze(sum, 0)}
	if full > 0 {
		// The chunks become a new first axis of both operands.
		a := w.moved(w.split(w.slice(x, rank-1, 0, full), rank-1, ir.DotChunk), rank-1, 0)
		b := w.moved(w.split(w.slice(y, rank-2, 0, full), rank-2, ir.DotChunk), rank-2, 0)
		sums = append(sums, w.add(ir.OpDot, ir.Attr{}, at, a, b))
	}
	if full < pairs {
		rest := w.add(ir.OpDot, ir.Attr{}, at, w.slice(x, rank-1, full, pairs-full), w.slice(y, rank-2, full, pairs-full))
		sums = append(sums, w.unsqueeze(rest, 0))
	}
	all := w.concat(0, sums...)
	last := extents(all)[0] - 1
	all = w.add(ir.OpCumSum, ir.Attr{Axis: 0}, at, all)
	return w.add(ir.OpIndex, ir.Attr{Axis: 0, Begin: ir.Fixed(last)}, at, all)
}

// dotSum divides products of one row or one column, which are sums of rounded products.
func (d *Division) dotSum(v *ir.Value) (rule, error) {
	x, y := v.Args[0], v.Args[1]
	rank := len(x.Type.Shape)
	column := d.total(v).Shape[rank-1].Is(1)
	products := func(w *writer, x, y *ir.Value) *ir.Value {
		dt := v.Type.DType.Compute()
		return w.add(ir.OpMul, ir.Attr{}, v, w.cast(x, dt), w.cast(w.moved(y, rank-1, rank-2), dt))
	}
	// The products of all rows have the shape of x with a row for each element.
	shape := d.total(v).Shape
	whole, _ := shape.Ints()
	of := &ir.Value{Type: ir.Type{DType: v.Type.DType, Shape: append(ir.Shape{}, shape[:rank-1]...)}}
	if !column {
		of.Type.Shape[rank-2] = shape[rank-1]
	}
	of.Type.Shape = append(of.Type.Shape, x.Type.Shape[rank-1])
	d.places[of] = d.places[x]
	t, err := d.tree(ir.OpSum, of, []int{rank - 1})
	if err != nil {
		return rule{}, fmt.Errorf("the product of one row or column is a sum: %w", err)
	}
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			return t.part(w, products(w, w.value(x), w.value(y)))
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			return w.reshape(w.cast(t.finish(w, parts), v.Type.DType), whole...)
		},
	}, nil
}
