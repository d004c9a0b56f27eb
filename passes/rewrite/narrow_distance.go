package rewrite

import "github.com/stridefuse/stridefuse/ir"

// distance returns what replaces |x-y| of integers that are converted from a shorter type without a sign, or of one and a
// constant that it has: max(x,y)-min(x,y) is of that type.
func (s *State) distance(v *ir.Value) (*ir.Value, error) {
	if v.Op != ir.OpAbs || v.Args[0].Op != ir.OpSub {
		return v, nil
	}
	sub := v.Args[0]
	from := ir.Invalid
	for _, a := range sub.Args {
		if a.Op == ir.OpCast && unsignedShort(a.Args[0].Type.DType) && a.Args[0].Type.DType.Size() < v.Type.DType.Size() {
			from = a.Args[0].Type.DType
		}
	}
	if from == ir.Invalid || !ir.Signed.Has(v.Type.DType) { // without a sign |x-y| is x-y, which wraps
		return v, nil
	}
	var x [2]*ir.Value
	b := adder{f: s.Func, v: v}
	for i, a := range sub.Args {
		_, greatest := rangeOf(from)
		switch {
		case a.Op == ir.OpCast && a.Args[0].Type.DType == from:
			x[i] = a.Args[0]
		case IsConst(a) && int64(a.Attr.Bits) >= 0 && int64(a.Attr.Bits) <= greatest:
			x[i] = b.add(ir.OpConst, ir.Attr{DType: from, Bits: a.Attr.Bits})
		default:
			return v, nil
		}
	}
	above, below := b.add(ir.OpMax, ir.Attr{}, x[0], x[1]), b.add(ir.OpMin, ir.Attr{}, x[0], x[1])
	y := b.add(ir.OpCast, ir.Attr{DType: v.Type.DType}, b.add(ir.OpSub, ir.Attr{}, above, below))
	return y, b.err
}

// unsignedShort reports whether d is an integer of one or two bytes without a sign.
func unsignedShort(d ir.DType) bool { return d == ir.Uint8 || d == ir.Uint16 }
