package rewrite

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// This file has rules for negatives, negated conditions and comparisons with constants. The rules for negatives hold
// for types that round to even or wrap, but not for types that saturate.

// negatable are the types for which the rules for negatives hold.
var negatable = ir.Floats | ir.Ints

// timesMinusOne rewrites x * -1 to -x.
func timesMinusOne(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	if v.Op != ir.OpMul || !negatable.Has(v.Type.DType) {
		return nil, nil
	}
	for i, c := range v.Args {
		if IsConst(c) && c.Attr.Bits == minusOne(c.Type.DType) {
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

// ofNegative rewrites x + -y to x - y and x - -y to x + y.
func ofNegative(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	if !negatable.Has(v.Type.DType) {
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

// ofNot rewrites !(x != y) to x == y, !(x == y) to x != y, and where(!c, x, y) to where(c, y, x). Other comparisons
// have no such rule, because NaN makes x < y and x >= y both false.
func ofNot(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	if len(v.Args) == 0 {
		return nil, nil
	}
	switch c := v.Args[0]; {
	case v.Op == ir.OpSelect && c.Op == ir.OpNot:
		return f.Add(ir.OpSelect, ir.Attr{}, v.Pos, c.Args[0], v.Args[2], v.Args[1])
	case v.Op == ir.OpNot && c.Op == ir.OpNe:
		return f.Add(ir.OpEq, ir.Attr{}, v.Pos, c.Args...)
	case v.Op == ir.OpNot && c.Op == ir.OpEq:
		return f.Add(ir.OpNe, ir.Attr{}, v.Pos, c.Args...)
	}
	return nil, nil
}

// strictly rewrites x <= c to x < d and c <= x to e < x, where d and e are the numbers next to the constant c.
// Kernels with conditions are made for < only.
func strictly(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	if v.Op != ir.OpLe || !negatable.Has(v.Args[0].Type.DType) {
		return nil, nil
	}
	for i, c := range v.Args {
		if !IsConst(c) {
			continue
		}
		bits, ok := neighbour(c.Type.DType, c.Attr.Bits, i == 1)
		if !ok {
			continue
		}
		next, err := f.Add(ir.OpConst, ir.Attr{DType: c.Type.DType, Bits: bits}, c.Pos)
		if err != nil {
			return nil, err
		}
		args := []*ir.Value{v.Args[0], v.Args[1]}
		args[i] = next
		return f.Add(ir.OpLt, ir.Attr{}, v.Pos, args...)
	}
	return nil, nil
}

// neighbour returns the next number of a type above or below a given one. It returns false if there is none, and for
// the float 0, whose neighbours are subnormal: some processors compare these slowly.
func neighbour(d ir.DType, bits uint64, above bool) (next uint64, ok bool) {
	step := int64(-1)
	if above {
		step = 1
	}
	if !ir.Floats.Has(d) {
		next = ir.Wrap(d, int64(bits)+step)
		if ir.Signed.Has(d) {
			return next, int64(next) > int64(bits) == above
		}
		return next, next > bits == above
	}
	x := ir.ToFloat(d, bits)
	switch {
	case x == 0 || math.IsNaN(x) || math.IsInf(x, 0):
		return 0, false
	case x < 0: // the bits of negative floats are in descending order
		step = -step
	}
	return bits + uint64(step), true
}
