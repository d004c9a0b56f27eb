package graph

import (
	"fmt"
	"math"
	"reflect"

	"github.com/stridefuse/stridefuse/ir"
)

// elementwise makes the node of an op on x and operands that are Nodes, Tensors
// or Go numbers.
func (x Node) elementwise(op ir.Op, attr ir.Attr, operands ...any) Node {
	args := make([]*node, 1, 1+len(operands))
	args[0] = x.get()
	for _, v := range operands {
		args = append(args, operand(op, v, args[0].typ.DType))
	}
	return apply(op, attr, args...)
}

// operand returns the node of an operand. A Go number takes the type dt of the
// operand beside it, Invalid if that is poisoned.
func operand(op ir.Op, v any, dt DType) *node {
	switch v := v.(type) {
	case Node:
		if v.n == nil {
			return poison(op, errZero)
		}
		return v.n
	case *Tensor:
		return Const(v).n
	}
	if dt == ir.Invalid {
		return &node{op: ir.OpConst}
	}
	bits, err := encode(dt, v)
	if err != nil {
		return poison(op, err)
	}
	// Infer has nothing to say about a constant of a type that runs.
	return &node{op: ir.OpConst, attr: ir.Attr{DType: dt, Bits: bits}, typ: ir.Type{DType: dt}, pos: ir.CallerPos()}
}

// encode returns the element of a type for a Go number or bool. Integers must
// be exact; floats are rounded, but a finite one stays finite.
func encode(dt DType, value any) (uint64, error) {
	v := reflect.ValueOf(value)
	switch {
	case v.Kind() == reflect.Bool && dt == Bool:
		if v.Bool() {
			return 1, nil
		}
		return 0, nil
	case v.Kind() == reflect.Bool:
		return 0, fmt.Errorf("%v is not a number, for %s", value, dt)
	case !v.CanInt() && !v.CanUint() && !v.CanFloat():
		return 0, fmt.Errorf("an operand is a Node, a *Tensor, a number or a bool, not %T", value)
	case dt == Bool:
		return 0, fmt.Errorf("%v is not a bool: use true or false, or Cast the bools", value)
	case ir.Floats.Has(dt):
		return encodeFloat(dt, floatOf(v))
	}
	return encodeInt(dt, v)
}

func floatOf(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

func encodeFloat(dt DType, f float64) (uint64, error) {
	if dt == Float64 {
		return math.Float64bits(f), nil
	}
	if math.IsInf(float64(float32(f)), 0) && !math.IsInf(f, 0) {
		return 0, fmt.Errorf("%v is past the greatest float32, %v", f, math.MaxFloat32)
	}
	return uint64(math.Float32bits(float32(f))), nil
}

// encodeInt fits a number to an integer type: extended to 64 bits by its sign.
func encodeInt(dt DType, v reflect.Value) (uint64, error) {
	bits, least, most := 8*dt.Size(), int64(0), uint64(math.MaxUint64)
	if ir.Signed.Has(dt) {
		least, most = math.MinInt64>>(64-bits), math.MaxInt64>>(64-bits)
	} else {
		most >>= 64 - bits
	}
	outside := fmt.Errorf("%v is outside %s, [%d, %d]", v, dt, least, most)
	switch {
	case v.CanUint():
		if u := v.Uint(); u <= most {
			return u, nil
		}
		return 0, outside
	case v.CanInt():
		if i := v.Int(); i >= least && (i < 0 || uint64(i) <= most) {
			return uint64(i), nil
		}
		return 0, outside
	}
	switch f := v.Float(); {
	case f != math.Trunc(f) || math.IsInf(f, 0): // NaN too
		return 0, fmt.Errorf("%v is not an integer, for %s: round it, or Cast to a float type", f, dt)
	case f < float64(least) || f >= math.Ldexp(1, 64):
		return 0, outside
	case f < 0:
		return uint64(int64(f)), nil
	case uint64(f) > most:
		return 0, outside
	default:
		return uint64(f), nil
	}
}
