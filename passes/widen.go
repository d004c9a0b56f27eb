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
	r := &reducer{f: s.Func}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if v.Op.IsProduct() {
			return r.widenProduct(v)
		}
		if !isNarrow(v) {
			return v, nil
		}
		attr := *v.Attr
		args, err := r.widened(v)
		if err != nil {
			return nil, err
		}
		if v.Op == ir.OpIota {
			attr.DType = ir.Int32
		}
		w, err := s.Func.Add(v.Op, attr, v.Pos, args...)
		if err != nil {
			return nil, err
		}
		if bound, ok := ir.WideBound(v.Op, &attr, v.Type.DType); ok {
			c, err := s.Func.Add(ir.OpConst, ir.Attr{DType: w.Type.DType, Bits: bound}, v.Pos)
			if err != nil {
				return nil, err
			}
			if w, err = s.Func.Add(v.Op.Info().By, ir.Attr{}, v.Pos, w, c); err != nil {
				return nil, err
			}
		}
		return r.cast(w, v.Type.DType)
	})
}

// widened returns the operands of v in the types that they are computed in.
func (r *reducer) widened(v *ir.Value) (args []*ir.Value, err error) {
	args = slices.Clone(v.Args)
	for i, a := range args {
		if args[i], err = r.cast(a, a.Type.DType.Compute()); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// widenProduct is widen of a product.
func (r *reducer) widenProduct(v *ir.Value) (*ir.Value, error) {
	if !isNarrow(v) && !repeatsCast(v) {
		return v, nil
	}
	args, err := r.widened(v)
	if err != nil {
		return nil, err
	}
	for i, a := range args {
		if args[i], err = r.castOnce(a); err != nil {
			return nil, err
		}
	}
	w, err := r.f.Add(v.Op, *v.Attr, v.Pos, args...)
	if err != nil {
		return nil, err
	}
	return r.cast(w, v.Type.DType)
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
func (r *reducer) castOnce(x *ir.Value) (y *ir.Value, err error) {
	least := fewest(x)
	if least == nil {
		return x, nil
	}
	var views, casts []*ir.Value
	for ; x != least; x = x.Args[0] {
		if x.Op == ir.OpCast {
			casts = append(casts, x)
		} else {
			views = append(views, x)
		}
	}
	if x, err = r.castParts(x, casts, map[*ir.Value]*ir.Value{}); err != nil {
		return nil, err
	}
	for _, v := range slices.Backward(views) {
		if x, err = r.f.Add(v.Op, *v.Attr, v.Pos, x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// castParts returns the casts, the last one first, of x. What is joined is cast before, so that
// a padded value is computed inside its padding. done are the casts of values so far.
func (r *reducer) castParts(x *ir.Value, casts []*ir.Value, done map[*ir.Value]*ir.Value) (y *ir.Value, err error) {
	if done[x] != nil {
		return done[x], nil
	}
	y = x
	if x.Op.IsJoin() {
		parts := slices.Clone(x.Args)
		for i, a := range parts {
			if parts[i], err = r.castParts(a, casts, done); err != nil {
				return nil, err
			}
		}
		y, err = r.f.Add(x.Op, *x.Attr, x.Pos, parts...)
	} else {
		for _, c := range slices.Backward(casts) {
			if err == nil {
				y, err = r.f.Add(ir.OpCast, *c.Attr, c.Pos, y)
			}
		}
	}
	done[x] = y
	return y, err
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
