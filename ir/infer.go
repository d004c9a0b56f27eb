package ir

import (
	"errors"
	"fmt"
)

// Infer returns the type of an operation's result, or an error if its operands are invalid. Builders, the parser and the verifier all
// call it.
func Infer(op Op, attr Attr, args []Type) (Type, error) {
	info := op.Info()
	switch {
	case op == OpInvalid || !op.takes(len(args)) && !info.More:
		return Type{}, fmt.Errorf("takes %d operands, got %d", info.Arity, len(args))
	case !op.takes(len(args)):
		return Type{}, fmt.Errorf("takes %d operands or more, got %d", info.Arity, len(args))
	}
	for _, t := range args {
		if err := t.DType.Check(); err != nil {
			return Type{}, err
		}
	}
	switch {
	case info.Infer != nil:
		return info.Infer(op, attr, args)
	case op.IsView():
		return inferView(op, attr, args[0])
	case info.Kind == Inner:
		return Type{}, errors.New("expansions of other operations alone have it")
	case op.IsElementwise():
		return inferElementwise(op, attr, args)
	}
	panic("the row of " + op.String() + " has no type rule")
}

func inferView(op Op, attr Attr, x Type) (Type, error) {
	s, err := op.Info().Shape(attr, x.Shape)
	if err != nil {
		return Type{}, err
	}
	return Type{x.DType, s}, s.Check()
}

func inferElementwise(op Op, attr Attr, args []Type) (Type, error) {
	types := [3]DType{}
	for i, t := range args {
		types[i] = t.DType
	}
	dt, err := op.ResultType(attr.DType, types[:len(args)]...)
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

// ResultType returns the element type of an elementwise op's result, or an error if the operands' types are invalid. given is the
// target of a cast.
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
			return Invalid, DoesNotTake(op.Info().Domain, t)
		}
	}
	switch info.Result {
	case GivesBool:
		return Bool, nil
	case GivenType:
		if err := given.Check(); err != nil {
			return Invalid, err
		}
		switch {
		case op != OpBitcast:
		case !info.Domain.Has(given):
			return Invalid, fmt.Errorf("not all bits of %s are a %s: take Ne(0) instead", dt, given)
		case given.Size() != dt.Size():
			return Invalid, fmt.Errorf("an element of %s takes %d B and one of %s %d B: only types of one size share bits", dt, dt.Size(), given, given.Size())
		}
		return given, nil
	}
	return dt, nil
}

// DoesNotTake returns the error for an operand whose type is not in a domain.
func DoesNotTake(domain DTypes, d DType) error {
	return fmt.Errorf("does not take %s: Cast to one of %s", d, domain)
}
