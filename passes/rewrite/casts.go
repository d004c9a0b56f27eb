package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Some types, such as uint16 and float16, have no arithmetic of their own: operations convert to the compute type.
// Contract inserts these casts for products and convolutions, Reductions for all other accumulating operations.

// widens reports whether v must be computed in another type: it is an iota of a type shorter than int32, or it
// accumulates elements of a type without arithmetic of its own.
func widens(v *ir.Value) bool {
	if v.Op == ir.OpIota {
		return v.Type.DType.Size() < ir.Int32.Size()
	}
	return v.Op.Accumulates() && v.Attr.Conv == nil && !v.Args[0].Type.DType.Native()
}

// widened returns v computed in another type if it must be (widens), else v. Operands are cast to their compute
// types, and an iota becomes one of int32.
func (a *adder) widened(v *ir.Value) *ir.Value {
	if !widens(v) {
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

// fewest returns the value with the fewest elements among x and the values below its views and casts, the lowest of
// equals. It returns nil if no cast above that value has more elements: moving the casts down would save nothing.
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

// castOnce moves the casts of x below the views that repeat elements.
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

// castParts applies casts to x, the last of the list first. If x is a join, it casts the segments, so that a padded
// value is computed inside its padding. done holds the casts made so far, by value.
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
