package ir

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Binary searches in sorted lines: the number of elements that precede a given one. As in sorts, NaNs are greater than all other elements
// and equal to one another, and +0 equals -0.

// inferSearch returns the type of the positions of y in lines of x: one for each element of y.
func inferSearch(op Op, a Attr, args []Type) (Type, error) {
	x, y := args[0], args[1]
	switch {
	case y.DType != x.DType:
		return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, y.DType)
	case !op.Info().Domain.Has(x.DType):
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	}
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape)); err != nil {
		return Type{}, err
	}
	same := slices.Clone(y.Shape)
	if len(same) == len(x.Shape) {
		same[a.Axis] = x.Shape[a.Axis]
	}
	if !same.Equal(x.Shape) {
		return Type{}, fmt.Errorf("elements of shape %s for shape %s: they may differ along axis %d alone", y.Shape, x.Shape, a.Axis)
	}
	return Type{Int64, y.Shape}, nil
}

// searchLine defines the positions in any line, sorted or not. Each round decides whether the first half of the remaining elements precedes
// the searched one. The number of rounds is the same for all elements.
func searchLine(_ Arithmetic, op Op, d DType, in [][]uint64) []uint64 {
	out := make([]uint64, len(in[1]))
	for i, y := range in[1] {
		at := 0
		for left := len(in[0]); left > 0; {
			half := (left + 1) / 2
			if goesBefore(d, in[0][at+half-1], y, op == OpSearchSortedRight) {
				at += half
			}
			left -= half
		}
		out[i] = uint64(at)
	}
	return out
}

// goesBefore reports whether x is less than y, or equal if right.
func goesBefore(d DType, x, y uint64, right bool) bool {
	if IsNaN(d, y) {
		return right || !IsNaN(d, x)
	}
	o := order(d, x, y)
	return o == -1 || right && o == 0
}
