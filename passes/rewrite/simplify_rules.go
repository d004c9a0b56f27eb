package rewrite

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// rules are tried on every elementwise value v. A rule returns a simpler value or nil. The result is ignored if it does
// not have the type of v. Example: x*1 is not x if the 1 is repeated to a larger shape than that of x.
var rules = []func(f *ir.Func, v *ir.Value) (*ir.Value, error){
	neutral, repeated, sameArguments, constantCondition, castBack, divideByPower, timesMinusOne, ofNegative, ofNot, strictly,
}

// neutral rewrites x op c to x if c is the identity of op: x*1, x/1, x-0, x+(-0), ...
func neutral(_ *ir.Func, v *ir.Value) (*ir.Value, error) {
	info := v.Op.Info()
	if len(v.Args) != 2 || info.Identity == nil {
		return nil, nil
	}
	x, c := v.Args[0], v.Args[1]
	if info.Commutative && IsConst(x) {
		x, c = c, x
	}
	if bits, ok := info.Identity(v.Type.DType); ok && IsConst(c) && c.Attr.Bits == bits {
		return x, nil
	}
	return nil, nil
}

// repeated rewrites f(f(x)) to x for an involution and to f(x) for an idempotent op.
func repeated(_ *ir.Func, v *ir.Value) (*ir.Value, error) {
	info := v.Op.Info()
	if len(v.Args) != 1 || v.Args[0].Op != v.Op {
		return nil, nil
	}
	switch {
	case info.Involution.Has(v.Type.DType):
		return v.Args[0].Args[0], nil
	case info.Idempotent:
		return v.Args[0], nil
	}
	return nil, nil
}

// sameArguments rewrites f(x, x) to x for an idempotent op, and select(c, x, x) to x.
func sameArguments(_ *ir.Func, v *ir.Value) (*ir.Value, error) {
	n := len(v.Args)
	if n >= 2 && v.Args[n-1] == v.Args[n-2] && (v.Op.Info().Idempotent || v.Op == ir.OpSelect) {
		return v.Args[n-1], nil
	}
	return nil, nil
}

// constantCondition rewrites a select with a constant condition to the selected operand.
func constantCondition(_ *ir.Func, v *ir.Value) (*ir.Value, error) {
	if v.Op != ir.OpSelect || v.Args[0].Op != ir.OpConst {
		return nil, nil
	}
	if v.Args[0].Attr.Bits != 0 {
		return v.Args[1], nil
	}
	return v.Args[2], nil
}

// castBack drops casts that cancel out: a cast of x to its own type, directly or by way of a type that holds all its
// values.
func castBack(_ *ir.Func, v *ir.Value) (*ir.Value, error) {
	if v.Op != ir.OpCast && v.Op != ir.OpBitcast {
		return nil, nil
	}
	x := v.Args[0]
	if x.Type.DType == v.Type.DType {
		return x, nil
	}
	if x.Op != v.Op || x.Args[0].Type.DType != v.Type.DType {
		return nil, nil
	}
	if v.Op == ir.OpBitcast && x.Type.DType.Bits() >= v.Type.DType.Bits() || v.Op == ir.OpCast && holds(x.Type.DType, v.Type.DType) {
		return x.Args[0], nil
	}
	return nil, nil
}

// holds reports whether wide represents every value of narrow, including -0.
func holds(wide, narrow ir.DType) bool {
	w, n := 8*wide.Size(), 8*narrow.Size()
	switch {
	case narrow == ir.Bool:
		return wide != ir.Float8E8M0 // Float8E8M0 has no 0
	case wide == ir.Bool:
		return false
	case ir.Minifloats.Has(narrow):
		return wide == ir.Float32 || wide == ir.Float64
	case ir.Subbytes.Has(narrow):
		return ir.Numeric.Has(wide) || ir.Subbytes.Has(wide) && wide.Bits() >= narrow.Bits()
	case ir.Stored.Has(wide):
		return false
	case narrow == ir.Fixed16x16:
		return wide == ir.Float64
	case wide == ir.Fixed16x16:
		return narrow == ir.Int16 || n == 8
	case ir.Floats.Has(narrow):
		return ir.Floats.Has(wide) && w > n
	case ir.Floats.Has(wide): // floats hold the integers up to 2^11, 2^24 or 2^53
		return n < w && n <= 32
	case ir.Signed.Has(narrow):
		return w >= n
	}
	return w > n || w == n
}

// divideByPower rewrites x/c to x*(1/c) if c is a power of two whose reciprocal is a normal number.
func divideByPower(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	if v.Op != ir.OpDiv || v.Args[1].Op != ir.OpConst || !ir.Floats.Has(v.Type.DType) {
		return nil, nil
	}
	dt := v.Type.DType
	c := ir.ToFloat(dt, v.Args[1].Attr.Bits)
	frac, exp := math.Frexp(c)
	if math.Abs(frac) != 0.5 || exp < -100 || exp > 100 {
		return nil, nil
	}
	bits := ir.FromFloat(dt, 1/c)
	if ir.ToFloat(dt, bits) != 1/c { // float16 has few powers of two
		return nil, nil
	}
	if c == -1 {
		return f.Add(ir.OpNeg, ir.Attr{}, v.Pos, v.Args[0])
	}
	r, err := f.Add(ir.OpConst, ir.Attr{DType: dt, Bits: bits}, v.Args[1].Pos)
	if err != nil {
		return nil, err
	}
	return f.Add(ir.OpMul, ir.Attr{}, v.Pos, v.Args[0], r)
}
