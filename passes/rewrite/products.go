package rewrite

import "github.com/stridefuse/stridefuse/ir"

// product returns the product of x along axes. Partial products may leave the range of a float64, so each level of
// the tree multiplies significands and adds exponents (ir/product.go). Elements of shorter floats are taken apart in
// float32, because a vector holds twice as many. That is exact: both parts fit, and so do sums of the exponents of a
// chunk.
func (r *reducer) product(x *ir.Value, axes []int) *ir.Value {
	if x.Op == ir.OpCast && ir.SetOf(ir.Float16, ir.BFloat16, ir.Float32).Has(x.Args[0].Type.DType) {
		x = r.cast(x.Args[0], ir.Float32)
	}
	var exponents *ir.Value // exponents of x; nil if all are 0
	each := func(f func(x *ir.Value) *ir.Value) {
		if x = f(x); exponents != nil {
			exponents = f(exponents)
		}
	}
	for _, group := range ir.ReduceGroups(Extents(x), axes) {
		n := 0
		each(func(x *ir.Value) (y *ir.Value) {
			y, n = r.last(x, group)
			return y
		})
		if n == 1 {
			each(r.withoutLast)
		}
		for n > 1 {
			e := r.add(ir.OpExponent, ir.Attr{}, x)
			if exponents != nil {
				e = r.add(ir.OpAdd, ir.Attr{}, exponents, e)
			}
			x = r.cast(r.add(ir.OpReduceChunks, ir.Attr{By: ir.OpMul}, r.cast(r.add(ir.OpSignificand, ir.Attr{}, x), ir.Float64)), ir.Float64)
			exponents = r.cast(r.add(ir.OpReduceChunks, ir.Attr{By: ir.OpAdd}, e), ir.Float64)
			if n = ir.Chunks(n); n > 1 {
				each(r.firstLast)
			}
		}
	}
	if x = r.cast(x, ir.Float64); exponents != nil {
		x = r.add(ir.OpLdexp, ir.Attr{}, x, exponents)
	}
	return x
}
