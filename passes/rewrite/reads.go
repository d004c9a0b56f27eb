package rewrite

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Reading counts the reads of a value by values that are not views, directly or through views: how often, and how
// many elements.
type Reading struct{ Times, Elements float64 }

// CountReads returns the reads of each value. A value that is stored in any case counts as read for infinitely many
// elements: a result, or an operand of an op that is computed in a loop of its own.
func (s *State) CountReads() ValueMap[Reading] {
	f := s.Func
	of := MapIn(&s.Pass.readings, f)
	add := func(a *ir.Value, by Reading) {
		r := of.At(a)
		*r = Reading{r.Times + by.Times, r.Elements + by.Elements}
	}
	for _, r := range f.Results {
		add(r, Reading{1, math.Inf(1)})
	}
	for _, v := range slices.Backward(f.Body) {
		for _, a := range v.Args {
			switch {
			case v.Op.IsView():
				add(a, *of.At(v))
			case Alone(v) && !v.Op.IsJoin():
				add(a, Reading{1, math.Inf(1)})
			default:
				add(a, Reading{1, float64(Size(a.Type.Shape))})
			}
		}
	}
	return of
}
