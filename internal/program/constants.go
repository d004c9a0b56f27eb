package program

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// What a graph computes of constants alone, and which of those values are worth keeping. Input: a graph, and which of its params
// never change. Output: its roots.

// onceCost is from which cost on, in additions an element, a value that depends on
// constants alone is stored and not computed at each run.
const onceCost = 8

// constants finds what a graph computes of frozen params alone.
type constants struct {
	f      *ir.Func
	weight []int     // elements of the frozen params below a value; 0 if it depends on others
	cost   []float64 // of an element, from there
}

// findConstants looks at each value of f, whose positions are their IDs.
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

// isFixed reports whether a value depends on no symbolic size by itself.
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

// roots returns the values that are worth keeping: computed, dear, no larger than the
// constants below them, and read by what depends on other values.
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
