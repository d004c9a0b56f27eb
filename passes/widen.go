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
// Requires: nothing.
// Ensures: no reduction, scan or product of such a type, and no such iota.
func widen(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, isNarrow) {
		return nil
	}
	r := &reducer{f: s.Func}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if !isNarrow(v) {
			return v, nil
		}
		attr := *v.Attr
		args := make([]*ir.Value, len(v.Args))
		for i, a := range v.Args {
			var err error
			if args[i], err = r.cast(a, a.Type.DType.Compute()); err != nil {
				return nil, err
			}
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

// isNarrow reports whether a value has to be computed in another type than it has.
func isNarrow(v *ir.Value) bool {
	if v.Op == ir.OpIota {
		return v.Type.DType.Size() < ir.Int32.Size()
	}
	return v.Op.Accumulates() && !v.Args[0].Type.DType.Native()
}

func checkWide(s *State) error {
	for _, v := range s.Func.Body {
		if isNarrow(v) {
			return fmt.Errorf("%%%d is a %s of %s", v.ID, v.Op, v.Type.DType)
		}
	}
	return nil
}
