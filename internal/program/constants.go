package program

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Values that a graph computes only from constants, and which of them to keep. The input is a graph, and which of its
// params never change; the output is the roots, the values to keep.

// onceCost is the cost, in additions per element, from which on a value that depends only on constants is stored and
// not computed in each run.
const onceCost = 8

// constants describes what a graph computes only from frozen params.
type constants struct {
	f      *ir.Func
	weight []int     // for each value, elements of the frozen params below it; 0 if it depends on other params
	cost   []float64 // cost per element, from the frozen params on
}

// findConstants analyses each value of f; values' positions are their IDs.
func findConstants(f *ir.Func, frozen []bool) *constants {
	c := &constants{f: f, weight: make([]int, len(f.Params)+len(f.Body)), cost: make([]float64, len(f.Params)+len(f.Body))}
	for i, p := range f.Params {
		if frozen[i] {
			c.weight[i] = max(1, elems(p))
		}
	}
	for _, v := range f.Body {
		at := f.Index(v)
		fixed, cost := isFixed(v), 0.0
		weight := 0
		for _, a := range v.Args {
			k := f.Index(a)
			fixed = fixed && (c.weight[k] > 0 || len(a.Args) == 0 && a.Op != ir.OpParam && isFixed(a))
			weight, cost = min(weight+c.weight[k], math.MaxInt/2), cost+c.cost[k]
		}
		if !fixed || weight == 0 {
			continue
		}
		if c.weight[at], c.cost[at] = weight, cost; v.Op.Accumulates() {
			c.cost[at] += onceCost
		} else if v.Op.IsElementwise() {
			c.cost[at] += v.Op.Info().Cost
		}
	}
	return c
}

// isFixed reports whether the attributes of a value contain no symbolic size.
func isFixed(v *ir.Value) bool {
	_, shape := v.Type.Shape.Ints()
	_, begin := v.Attr.Begin.Int()
	_, count := v.Attr.Len.Int()
	return shape && begin && count
}

func elems(v *ir.Value) int {
	n, _ := v.Type.Shape.NumElems().Int()
	return n
}

// roots returns the values worth keeping: computed, expensive, no larger than the constants below them, and read by
// values that depend on other params.
func (c *constants) roots() []*ir.Value {
	var roots []*ir.Value
	needed := make([]bool, len(c.weight))
	for _, r := range c.f.Results {
		needed[c.f.Index(r)] = true
	}
	for _, v := range slices.Backward(c.f.Body) {
		at := c.f.Index(v)
		if c.weight[at] > 0 && (!needed[at] || v.Op.IsComputed() && c.cost[at] >= onceCost && elems(v) <= c.weight[at]) {
			if needed[at] {
				roots = append(roots, v)
			}
			continue
		}
		for _, a := range v.Args {
			needed[c.f.Index(a)] = true
		}
	}
	slices.Reverse(roots)
	return roots
}
