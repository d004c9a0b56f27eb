package passes

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// reading says how often values other than views read a value, itself or seen through views, and how many
// elements they read.
type reading struct{ times, elements float64 }

// countReads returns the reads of each value. One that has memory of its own anyway is read for infinitely many
// elements: a result, or an operand of a loop that computes nothing else.
func (s *State) countReads() valueMap[reading] {
	f := s.Func
	of := mapIn(&s.pass.readings, f)
	add := func(a *ir.Value, by reading) {
		r := of.at(a)
		*r = reading{r.times + by.times, r.elements + by.elements}
	}
	for _, r := range f.Results {
		add(r, reading{1, math.Inf(1)})
	}
	for _, v := range slices.Backward(f.Body) {
		for _, a := range v.Args {
			switch {
			case v.Op.IsView():
				add(a, *of.at(v))
			case alone(v) && !v.Op.IsJoin():
				add(a, reading{1, math.Inf(1)})
			default:
				add(a, reading{1, float64(size(a.Type.Shape))})
			}
		}
	}
	return of
}
