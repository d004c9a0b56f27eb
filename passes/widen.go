package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// widen has reductions, scans and products of types that are not computed in
// themselves, uint16 and float16, done in the type that they are computed in: their
// operands are cast to it and their results back, once each. So a sum of float16 is
// one of float32, rounded at the end. A table of numbers of less than four bytes
// becomes one of int32.
//
// A product stores its operands, so it reads views of what is cast instead of casts of views that
// repeat elements: the windows of an image of float16 are windows of one of float32. The pass contract does the same for
// convolutions, once it has their windows.
//
// Requires: nothing.
// Ensures: no reduction, scan or product of such a type, and no such iota; no product reads
// a cast of more elements than a view below it reads.
func widen(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, func(v *ir.Value) bool { return isNarrow(v) || repeatsCast(v) }) {
		return nil
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if !isNarrow(v) && !repeatsCast(v) {
			return v, nil
		}
		w, attr, args := &adder{f: s.Func, v: v}, *v.Attr, slices.Clone(v.Args)
		for i, a := range args {
			if args[i] = w.cast(a, a.Type.DType.Compute()); v.Op.IsProduct() {
				args[i] = w.castOnce(args[i])
			}
		}
		if v.Op == ir.OpIota {
			attr.DType = ir.Int32
		}
		y := w.add(v.Op, attr, args...)
		if bound, ok := ir.WideBound(v.Op, &attr, v.Type.DType); ok && w.err == nil {
			y = w.add(v.Op.Info().By, ir.Attr{}, y, w.add(ir.OpConst, ir.Attr{DType: y.Type.DType, Bits: bound}))
		}
		return w.cast(y, v.Type.DType), w.err
	})
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
			cast = max(cast, size(x.Type.Shape))
		}
		if x = x.Args[0]; size(x.Type.Shape) <= size(least.Type.Shape) {
			least, found = x, cast > size(x.Type.Shape)
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

// isNarrow reports whether a value has to be computed in another type than it has.
func isNarrow(v *ir.Value) bool {
	if v.Op == ir.OpIota {
		return v.Type.DType.Size() < ir.Int32.Size()
	}
	return v.Op.Accumulates() && v.Attr.Conv == nil && !v.Args[0].Type.DType.Native()
}

func checkWide(s *State) error {
	for _, v := range s.Func.Body {
		if isNarrow(v) {
			return fmt.Errorf("%%%d is a %s of %s", v.ID, v.Op, v.Type.DType)
		}
		if repeatsCast(v) {
			return fmt.Errorf("%%%d is a %s that reads a cast of a view that repeats elements", v.ID, v.Op)
		}
	}
	return nil
}
