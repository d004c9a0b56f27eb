package ir

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Linear recurrences of first order along a line: y[0] = x[0], y[i] = a[i]*y[i-1] + x[i]. Elements are computed one after the other.
// Each product is rounded, and then the sum. Integers wrap.

// inferRecurrence returns the type of a recurrence: that of both operands.
func inferRecurrence(op Op, a Attr, args []Type) (Type, error) {
	x, factors := args[0], args[1]
	switch {
	case factors.DType != x.DType:
		return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, factors.DType)
	case !op.Info().Domain.Has(x.DType):
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	case !factors.Shape.Equal(x.Shape):
		return Type{}, fmt.Errorf("factors of shape %s for shape %s: they must be the same", factors.Shape, x.Shape)
	}
	return x, layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape))
}

func recurrenceLine(f Arithmetic, _ Op, d DType, in [][]uint64) []uint64 {
	out := make([]uint64, len(in[0]))
	for i, x := range in[0] {
		if i > 0 {
			x = f.Combine(OpAdd, d, f.Combine(OpMul, d, in[1][i], out[i-1]), x)
		}
		out[i] = x
	}
	return out
}
