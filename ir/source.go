package ir

import "fmt"

// The rules of the ops that have no operands: the type of the result, and its elements.

func inferParam(op Op, a Attr, _ []Type) (Type, error) {
	if err := a.DType.Check(); err != nil {
		return Type{}, err
	}
	if !op.Info().Domain.Has(a.DType) {
		return Type{}, fmt.Errorf("has no elements of type %s: one of %s", a.DType, op.Info().Domain)
	}
	return Type{a.DType, a.Shape}, a.Shape.Check()
}

func inferConst(op Op, a Attr, _ []Type) (Type, error) {
	t, err := inferParam(op, a, nil)
	if err == nil && len(a.Shape) > 0 {
		err = fmt.Errorf("a constant is one element, not of shape %s: expand it", a.Shape)
	}
	return t, err
}

func evalConst(v *Value, _ [][]uint64) []uint64 { return []uint64{v.Attr.Bits} }

func inferExtent(op Op, a Attr, _ []Type) (Type, error) {
	if err := a.Begin.Err(); err != nil {
		return Type{}, err
	}
	a.Shape = Shape{}
	return inferParam(op, a, nil)
}

func evalExtent(v *Value, _ [][]uint64) []uint64 {
	n, _ := v.Attr.Begin.Int()
	return []uint64{ElementOf(v.Attr.DType, n)}
}

func inferIota(op Op, a Attr, _ []Type) (Type, error) {
	if len(a.Shape) != 1 {
		return Type{}, fmt.Errorf("the shape %s has not one axis", a.Shape)
	}
	if !Ints.Has(a.DType) {
		return Type{}, fmt.Errorf("it counts in integers, not in %s", a.DType)
	}
	if n, ok := a.Shape.NumElems().Int(); ok && n > 0 && ElementOf(a.DType, n-1) != uint64(n-1) {
		return Type{}, fmt.Errorf("%d elements: %s has not so many numbers", n, a.DType)
	}
	return inferParam(op, a, nil)
}

func evalIota(v *Value, _ [][]uint64) []uint64 {
	out := make([]uint64, v.Type.Shape.size())
	for i := range out {
		out[i] = ElementOf(v.Attr.DType, i)
	}
	return out
}
