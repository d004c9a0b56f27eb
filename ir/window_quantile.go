package ir

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Quantiles of sliding windows. The windows of a line of n elements have n-m+1 elements, if there are places for m of
// them, and each begins one element behind the one before.

// inferWindowQuantile returns the type of the quantiles: one for each place.
func inferWindowQuantile(op Op, a Attr, args []Type) (Type, error) {
	x, places := args[0], args[1]
	switch {
	case places.DType != x.DType:
		return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, places.DType)
	case !op.Info().Domain.Has(x.DType):
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
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
	n, known := x.Shape[a.Axis].Int()
	if m, also := places.Shape[a.Axis].Int(); known && also && m > n {
		return Type{}, fmt.Errorf("places for %d windows of an axis of %d elements", m, n)
	}
	return places, nil
}

// windowQuantileLine sorts each window.
func windowQuantileLine(_ Arithmetic, _ Op, d DType, in [][]uint64) []uint64 {
	x, places := in[0], in[1]
	out := make([]uint64, len(places))
	for i, place := range places {
		window := x[i : i+len(x)-len(places)+1]
		out[i] = FromFloat(d, math.NaN())
		if at, t, ok := QuantilePlace(ToFloat(d, place), len(window)); ok {
			order := Places(d, window, false)
			out[i] = window[order[at]]
			if t > 0 {
				out[i] = interpolate(d, out[i], window[order[at+1]], t)
			}
		}
	}
	return out
}

// QuantilePlace returns the index below a place among n sorted elements, and how far it is from there to the next
// index. It returns false if there is no such place.
func QuantilePlace(place float64, n int) (at int, t float64, ok bool) {
	if !(place >= 0 && place <= float64(n-1)) {
		return 0, 0, false
	}
	at = int(place)
	return at, place - float64(at), true
}

// interpolate returns a + t*(b-a) for a <= b, as fma rounds it, and a for a = b or a = -Inf and a finite b.
func interpolate(d DType, a, b uint64, t float64) uint64 {
	if x, y := ToFloat(d, a), ToFloat(d, b); x == y || math.IsInf(x, -1) && y < math.Inf(1) {
		return a
	}
	distance := OpSub.Info().Ref(d, d, [3]uint64{b, a})
	return OpFMA.Info().Ref(d, d, [3]uint64{distance, FromFloat(d, t), a})
}
