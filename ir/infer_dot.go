package ir

import "fmt"

// inferDot returns the type of a product: the axes before the last two are those
// of both operands.
func inferDot(x, y Type) (Type, error) {
	domain := OpDot.Info().Domain
	switch rank := len(x.Shape); {
	case x.DType != y.DType:
		return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, y.DType)
	case !domain.Has(x.DType):
		return Type{}, fmt.Errorf("does not take %s: Cast to one of %s", x.DType, domain&Running)
	case rank < 2 || rank != len(y.Shape):
		return Type{}, fmt.Errorf("shapes %s and %s are not of one rank, 2 or more", x.Shape, y.Shape)
	case !x.Shape[:rank-2].Equal(y.Shape[:rank-2]):
		return Type{}, fmt.Errorf("the axes of shapes %s and %s before the last two differ", x.Shape, y.Shape)
	case x.Shape[rank-1] != y.Shape[rank-2]:
		return Type{}, fmt.Errorf("shapes %s and %s: rows of %s elements and columns of %s", x.Shape, y.Shape, x.Shape[rank-1], y.Shape[rank-2])
	default:
		shape := append(Shape{}, x.Shape[:rank-1]...)
		return Type{x.DType, append(shape, y.Shape[rank-1])}, nil
	}
}
