package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Models compute operands of Reshape, Expand and others from shapes, by nodes. This file evaluates such nodes at load,
// on sizes that may be symbolic.

// list are the elements of an int64 of one axis or none.
type list struct {
	sizes  []graph.Extent
	scalar bool
}

// onSizes has the operators that are evaluated on sizes. ok is false if the operands are not sizes; the graph then
// computes the operator.
var onSizes = map[string]func(c *call, in []list) (out list, ok bool){
	"Add":       sizesBinary(func(a, b graph.Extent) (graph.Extent, bool) { return a.Add(b), true }),
	"Sub":       sizesBinary(func(a, b graph.Extent) (graph.Extent, bool) { return a.Sub(b), true }),
	"Mul":       sizesBinary(func(a, b graph.Extent) (graph.Extent, bool) { return a.Mul(b), true }),
	"Div":       sizesBinary(divide),
	"Identity":  func(_ *call, in []list) (list, bool) { return in[0], true },
	"Squeeze":   func(_ *call, in []list) (list, bool) { return list{in[0].sizes, true}, len(in[0].sizes) == 1 },
	"Unsqueeze": func(_ *call, in []list) (list, bool) { return list{in[0].sizes, false}, in[0].scalar },
	"Cast":      sizesCast,
	"Concat":    sizesConcat,
	"Gather":    sizesGather,
	"Reshape":   sizesReshape,
	"Slice":     sizesSlice,
}

// sizeArithmetic evaluates a node on sizes, if it can.
func (c *call) sizeArithmetic() (value, bool) {
	eval := onSizes[c.op.name]
	if eval == nil {
		return value{}, false
	}
	in := make([]list, len(c.in))
	for i, v := range c.in {
		sizes, scalar, ok := v.asSizes()
		if !ok || i == 0 && v.dtype() != graph.Int64 {
			return value{}, false
		}
		in[i] = list{sizes, scalar}
	}
	out, ok := eval(c, in)
	if !ok || len(out.sizes) > mostSizes || slices.ContainsFunc(out.sizes, func(d graph.Extent) bool { return d.Err() != nil }) {
		return value{}, false
	}
	return sizesOf(out.sizes, out.scalar), true
}

func sizesBinary(f func(a, b graph.Extent) (graph.Extent, bool)) func(*call, []list) (list, bool) {
	return func(_ *call, in []list) (list, bool) {
		a, b := in[0], in[1]
		n := max(len(a.sizes), len(b.sizes))
		if len(a.sizes) == 0 || len(b.sizes) == 0 || n%len(a.sizes) != 0 || n%len(b.sizes) != 0 {
			return list{}, false
		}
		out := list{scalar: a.scalar && b.scalar}
		for i := range n {
			d, ok := f(a.sizes[i%len(a.sizes)], b.sizes[i%len(b.sizes)])
			if !ok {
				return list{}, false
			}
			out.sizes = append(out.sizes, d)
		}
		return out, true
	}
}

// divide returns the quotient by a positive number. Sizes are not negative, so truncating equals rounding down.
func divide(a, b graph.Extent) (graph.Extent, bool) {
	k, fixed := b.Int()
	n, both := a.Int()
	if !fixed || k <= 0 || both && n < 0 {
		return a, false
	}
	return a.Div(k), true
}

func sizesConcat(_ *call, in []list) (list, bool) {
	var out list
	for _, l := range in {
		if l.scalar {
			return list{}, false
		}
		out.sizes = append(out.sizes, l.sizes...)
	}
	return out, true
}

func sizesGather(_ *call, in []list) (list, bool) {
	out := list{scalar: in[1].scalar}
	n := len(in[0].sizes)
	for _, d := range in[1].sizes {
		i, fixed := d.Int()
		if !fixed || in[0].scalar || i < -n || i >= n {
			return list{}, false
		}
		out.sizes = append(out.sizes, in[0].sizes[(i+n)%n])
	}
	return out, true
}

// sizesCast leaves sizes as they are, which are int64.
func sizesCast(c *call, in []list) (list, bool) {
	code, _ := attr[int](c, "to")
	return in[0], typeCodes[code] == graph.Int64
}

// sizesReshape converts a scalar size to a list, or a list of one to a scalar.
func sizesReshape(_ *call, in []list) (list, bool) {
	if len(in) < 2 || in[1].scalar || len(in[1].sizes) > 1 {
		return list{}, false
	}
	if len(in[1].sizes) == 0 {
		return list{in[0].sizes, true}, len(in[0].sizes) == 1
	}
	n, fixed := in[1].sizes[0].Int()
	return list{in[0].sizes, false}, fixed && (n == -1 || n == len(in[0].sizes))
}

func sizesSlice(c *call, in []list) (list, bool) {
	if len(in) < 3 || len(in) > 3 && len(in[3].sizes) != 1 { // attributes are given, or no axes
		return list{}, false
	}
	item := layout.IndexItem{Begin: c.int1(1), End: c.int1(2), HasBegin: true, HasEnd: true, Step: 1}
	if len(in) > 4 {
		item.Step = c.int1(4)
	}
	if c.err != nil || in[0].scalar || item.Step == 0 {
		return list{}, false
	}
	begin, count, step := item.Resolve(len(in[0].sizes))
	var out list
	for i := range count {
		out.sizes = append(out.sizes, in[0].sizes[begin+i*step])
	}
	return out, true
}

// sizesOfShape returns the extents of axes as a value.
func sizesOfShape(shape graph.Shape) value { return sizesOf(slices.Clone(shape), false) }

// product returns the number of elements of a shape.
func product(shape graph.Shape) graph.Extent {
	n := ir.Fixed(1)
	for _, d := range shape {
		n = n.Mul(d)
	}
	return n
}
