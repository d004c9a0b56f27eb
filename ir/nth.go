package ir

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Selection: elements of lines by their places in ascending order.

// inferNth returns the type of the elements of x at the places y: one for each place.
func inferNth(op Op, a Attr, args []Type) (Type, error) {
	x, places := args[0], args[1]
	if !op.Info().Domain.Has(x.DType) {
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	}
	if places.DType != Int64 {
		return Type{}, fmt.Errorf("the places are %s: they must be int64", places.DType)
	}
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape)); err != nil {
		return Type{}, err
	}
	same := slices.Clone(places.Shape)
	if len(same) == len(x.Shape) {
		same[a.Axis] = x.Shape[a.Axis]
	}
	if !same.Equal(x.Shape) {
		return Type{}, fmt.Errorf("places of shape %s for shape %s: they may differ along axis %d alone", places.Shape, x.Shape, a.Axis)
	}
	if n, known := places.Shape.NumElems().Int(); x.Shape[a.Axis].Is(0) && (!known || n > 0) {
		return Type{}, NoElements(a.Axis, "shape "+x.Shape.String(), " to select")
	}
	return Type{x.DType, places.Shape}, nil
}

// nthLine sorts the line.
func nthLine(_ Arithmetic, _ Op, d DType, in [][]uint64) []uint64 {
	order, out := Places(d, in[0], false), make([]uint64, len(in[1]))
	for i, place := range in[1] {
		out[i] = in[0][order[NthPlace(int64(place), len(order))]]
	}
	return out
}

// NthPlace returns the place in a line of n elements that is nearest to the given one.
func NthPlace(place int64, n int) int { return int(min(max(place, 0), int64(n-1))) }
