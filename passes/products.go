package passes

import "github.com/stridefuse/stridefuse/ir"

// product returns the product of x along axes, of numbers whose exponents have no bounds
// (package ir, product.go): the levels of the tree multiply significands and add exponents. Numbers of shorter floats are
// divided in float32, a vector of which has twice as many: both parts are exact, as are sums of exponents of a chunk.
func (r *reducer) product(v, x *ir.Value, axes []int) (*ir.Value, error) {
	var failed error
	add := func(op ir.Op, a ir.Attr, args ...*ir.Value) (y *ir.Value) {
		if failed == nil {
			y, failed = r.f.Add(op, a, v.Pos, args...)
		}
		return y
	}
	if from := x.Args; x.Op == ir.OpCast && ir.SetOf(ir.Float16, ir.BFloat16, ir.Float32).Has(from[0].Type.DType) {
		if x, failed = r.cast(from[0], ir.Float32); failed != nil {
			return nil, failed
		}
	}
	toFloat64 := func(x *ir.Value) (y *ir.Value) {
		if failed == nil {
			y, failed = r.cast(x, ir.Float64)
		}
		return y
	}
	var exponents *ir.Value // of x; nil for 0
	each := func(f func(x *ir.Value) *ir.Value) {
		if x = f(x); exponents != nil {
			exponents = f(exponents)
		}
	}
	for _, group := range ir.ReduceGroups(extents(x), axes) {
		n := 0
		each(func(x *ir.Value) (y *ir.Value) {
			if failed == nil {
				y, n, failed = r.last(v, x, group)
			}
			return y
		})
		if n == 1 {
			each(func(x *ir.Value) *ir.Value {
				return add(ir.OpReshape, ir.Attr{Shape: x.Type.Shape[:len(x.Type.Shape)-1]}, x)
			})
		}
		for n > 1 && failed == nil {
			e := add(ir.OpExponent, ir.Attr{}, x)
			if exponents != nil {
				e = add(ir.OpAdd, ir.Attr{}, exponents, e)
			}
			x = add(ir.OpReduceChunks, ir.Attr{By: ir.OpMul}, toFloat64(add(ir.OpSignificand, ir.Attr{}, x)))
			exponents = toFloat64(add(ir.OpReduceChunks, ir.Attr{By: ir.OpAdd}, e))
			if n = ir.Chunks(n); n > 1 && failed == nil {
				each(func(x *ir.Value) *ir.Value { return add(ir.OpPermute, ir.Attr{Axes: firstLast(x)}, x) })
			}
		}
	}
	if x = toFloat64(x); exponents != nil {
		x = add(ir.OpLdexp, ir.Attr{}, x, exponents)
	}
	return x, failed
}
