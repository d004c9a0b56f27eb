package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Operations on types that are not computed in themselves, uint16 and float16, are done in the type that they are
// computed in: contract does so for products and convolutions, and reductions for all others.

// isNarrow reports whether a value has to be computed in another type than it has.
func isNarrow(v *ir.Value) bool {
	if v.Op == ir.OpIota {
		return v.Type.DType.Size() < ir.Int32.Size()
	}
	return v.Op.Accumulates() && v.Attr.Conv == nil && !v.Args[0].Type.DType.Native()
}

// widened returns v, if it is narrow, with its operands cast to the types that they are computed in. A table of numbers of
// less than four bytes is one of int32.
func (a *adder) widened(v *ir.Value) *ir.Value {
	if !isNarrow(v) {
		return v
	}
	attr, args := *v.Attr, slices.Clone(v.Args)
	for i, x := range args {
		args[i] = a.cast(x, x.Type.DType.Compute())
	}
	if v.Op == ir.OpIota {
		attr.DType = ir.Int32
	}
	return a.add(v.Op, attr, args...)
}

// repeatsCast reports whether v is a product that reads a cast of a view that repeats elements.
func repeatsCast(v *ir.Value) bool {
	return v.Op.IsProduct() && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return fewest(a) != nil })
}

// fewest returns the value of fewest elements, the lowest of these, of x and those below its views
// and casts, if there is a cast of more elements on the way to it, or else nil.
func fewest(x *ir.Value) *ir.Value {
	least, cast, found := x, 0, false
	for x.Op.IsView() || x.Op == ir.OpCast {
		if x.Op == ir.OpCast {
			cast = max(cast, Size(x.Type.Shape))
		}
		if x = x.Args[0]; Size(x.Type.Shape) <= Size(least.Type.Shape) {
			least, found = x, cast > Size(x.Type.Shape)
		}
	}
	if !found {
		return nil
	}
	return least
}

// castOnce returns x with its casts below its views, if these repeat elements.
func (a *adder) castOnce(x *ir.Value) *ir.Value {
	if a.err != nil {
		return nil
	}
	least := fewest(x)
	if least == nil {
		return x
	}
	var views, casts []*ir.Value
	for ; x != least; x = x.Args[0] {
		if x.Op == ir.OpCast {
			casts = append(casts, x)
		} else {
			views = append(views, x)
		}
	}
	x = a.castParts(x, casts, map[*ir.Value]*ir.Value{})
	for _, v := range slices.Backward(views) {
		x = a.add(v.Op, *v.Attr, x)
	}
	return x
}

// castParts returns the casts, the last one first, of x. What is joined is cast before, so that
// a padded value is computed inside its padding. done are the casts of values so far.
func (a *adder) castParts(x *ir.Value, casts []*ir.Value, done map[*ir.Value]*ir.Value) *ir.Value {
	if done[x] != nil {
		return done[x]
	}
	y := x
	if x.Op.IsJoin() {
		parts := slices.Clone(x.Args)
		for i, part := range parts {
			parts[i] = a.castParts(part, casts, done)
		}
		y = a.add(x.Op, *x.Attr, parts...)
	} else {
		for _, c := range slices.Backward(casts) {
			y = a.add(ir.OpCast, *c.Attr, y)
		}
	}
	done[x] = y
	return y
}
