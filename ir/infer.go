package ir

import (
	"fmt"
)

// Infer returns the type of an operation's result, or what is wrong with its
// operands. It is the one rule: builders, the parser and the verifier ask it.
func Infer(op Op, attr Attr, args []Type) (Type, error) {
	info := op.Info()
	if op == OpInvalid || len(args) != info.Arity {
		return Type{}, fmt.Errorf("takes %d operands, got %d", info.Arity, len(args))
	}
	for _, t := range args {
		if err := t.DType.CheckRuns(); err != nil {
			return Type{}, err
		}
	}
	switch info.Kind {
	case Source:
		return inferSource(op, attr)
	case View:
		s, err := info.Shape(attr, args[0].Shape)
		if err != nil {
			return Type{}, err
		}
		return Type{args[0].DType, s}, s.Check()
	case Reduce, Scan:
		return InferAlong(op, attr, args[0])
	case Contract:
		return inferDot(args[0], args[1])
	}
	dt, err := inferDType(op, attr, args)
	if err != nil {
		return Type{}, err
	}
	shape := args[0].Shape
	for _, t := range args[1:] {
		if shape, err = Broadcast(shape, t.Shape); err != nil {
			return Type{}, err
		}
	}
	return Type{dt, shape}, shape.Check()
}

func inferSource(op Op, attr Attr) (Type, error) {
	if op == OpExtent {
		attr.Shape = Shape{}
		if err := attr.Begin.Err(); err != nil {
			return Type{}, err
		}
	}
	if op == OpIota && len(attr.Shape) != 1 {
		return Type{}, fmt.Errorf("the shape %s has not one axis", attr.Shape)
	}
	if n, ok := attr.Shape.NumElems().Int(); op == OpIota && ok && n > 0 && ElementOf(attr.DType, n-1) != uint64(n-1) {
		return Type{}, fmt.Errorf("%d elements: %s has not so many numbers", n, attr.DType)
	}
	if !op.Info().Domain.Has(attr.DType) {
		return Type{}, fmt.Errorf("has no elements of type %s: one of %s", attr.DType, op.Info().Domain&Running)
	}
	if op == OpConst && len(attr.Shape) > 0 {
		return Type{}, fmt.Errorf("a constant is one element, not of shape %s: expand it", attr.Shape)
	}
	if err := attr.DType.CheckRuns(); err != nil {
		return Type{}, err
	}
	return Type{attr.DType, attr.Shape}, attr.Shape.Check()
}

// inferDType returns the element type of an elementwise result.
func inferDType(op Op, attr Attr, args []Type) (DType, error) {
	types := [3]DType{}
	for i, t := range args {
		types[i] = t.DType
	}
	return op.ResultType(attr.DType, types[:len(args)]...)
}

// ResultType returns the element type of an elementwise op's result, or what
// is wrong with the operands' types. given is the target of a cast.
func (op Op) ResultType(given DType, args ...DType) (DType, error) {
	info := op.Info()
	if info.Mask {
		if args[0] != Bool {
			return Invalid, fmt.Errorf("the condition is %s: it must be bool", args[0])
		}
		args = args[1:]
	}
	dt := args[0]
	for _, t := range args {
		if t != dt {
			return Invalid, fmt.Errorf("dtypes %s and %s differ: Cast one of them", dt, t)
		}
		if !info.Domain.Has(t) {
			return Invalid, fmt.Errorf("does not take %s: Cast to one of %s", t, info.Domain&Running)
		}
	}
	switch info.Result {
	case GivesBool:
		return Bool, nil
	case GivenType:
		if err := given.CheckRuns(); err != nil {
			return Invalid, err
		}
		switch {
		case op != OpBitcast:
		case !Numeric.Has(given):
			return Invalid, fmt.Errorf("not all bits of %s are a %s: take Ne(0) instead", dt, given)
		case given.Size() != dt.Size():
			return Invalid, fmt.Errorf("an element of %s takes %d B and one of %s %d B: only types of one size share bits", dt, dt.Size(), given, given.Size())
		}
		return given, nil
	}
	return dt, nil
}
