package passes

import "github.com/stridefuse/stridefuse/ir"

// The identities of values and their negatives, which keep every bit where an op rounds to even or wraps, but
// not where it saturates; and of integers and their bounds.

// signed are the types that have them.
var signed = ir.Floats | ir.Ints

// timesMinusOne is x * -1 == -x.
func timesMinusOne(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	if v.Op != ir.OpMul || !signed.Has(v.Type.DType) {
		return nil, nil
	}
	for i, c := range v.Args {
		if isConst(c) && c.Attr.Bits == minusOne(c.Type.DType) {
			return f.Add(ir.OpNeg, ir.Attr{}, v.Pos, v.Args[1-i])
		}
	}
	return nil, nil
}

func minusOne(d ir.DType) uint64 {
	if ir.Floats.Has(d) {
		return ir.FromFloat(d, -1)
	}
	return ir.Wrap(d, -1)
}

// ofNegative is x + -y == x - y and x - -y == x + y.
func ofNegative(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	if !signed.Has(v.Type.DType) {
		return nil, nil
	}
	switch {
	case v.Op == ir.OpAdd && v.Args[1].Op == ir.OpNeg:
		return f.Add(ir.OpSub, ir.Attr{}, v.Pos, v.Args[0], v.Args[1].Args[0])
	case v.Op == ir.OpAdd && v.Args[0].Op == ir.OpNeg:
		return f.Add(ir.OpSub, ir.Attr{}, v.Pos, v.Args[1], v.Args[0].Args[0])
	case v.Op == ir.OpSub && v.Args[1].Op == ir.OpNeg:
		return f.Add(ir.OpAdd, ir.Attr{}, v.Pos, v.Args[0], v.Args[1].Args[0])
	}
	return nil, nil
}

// strictly is x <= c == x < c+1 and c <= x == c-1 < x: kernels of conditions have the one form.
func strictly(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	if v.Op != ir.OpLe || !ir.Ints.Has(v.Args[0].Type.DType) {
		return nil, nil
	}
	for i, c := range v.Args {
		d := c.Type.DType
		bits := ir.Wrap(d, int64(c.Attr.Bits)+int64(2*i-1))
		if !isConst(c) || (i == 1) != less(d, c.Attr.Bits, bits) { // it wraps
			continue
		}
		next, err := f.Add(ir.OpConst, ir.Attr{DType: d, Bits: bits}, c.Pos)
		if err != nil {
			return nil, err
		}
		args := []*ir.Value{v.Args[0], v.Args[1]}
		args[i] = next
		return f.Add(ir.OpLt, ir.Attr{}, v.Pos, args...)
	}
	return nil, nil
}

// less compares two integers of a type.
func less(d ir.DType, a, b uint64) bool {
	if ir.Signed.Has(d) {
		return int64(a) < int64(b)
	}
	return a < b
}
