package rewrite

import "github.com/stridefuse/stridefuse/ir"

// distance replaces |x-y| by max(x,y)-min(x,y) in the type that x and y are converted from, if that is a shorter
// unsigned type. One of them may be a constant that fits the type.
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
	if from == ir.Invalid || !ir.Signed.Has(v.Type.DType) { // in an unsigned type |x-y| is x-y, which wraps
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

// unsignedShort reports whether d is uint8 or uint16.
func unsignedShort(d ir.DType) bool { return d == ir.Uint8 || d == ir.Uint16 }
