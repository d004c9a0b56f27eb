package passes

import (
	"math"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
)

// A program computes what depends only on params that never change once, in two parts. SplitGraph takes values out of
// the graph that are no larger than these params: all plans of the program share them. Split takes steps out of a plan
// (once.go): their outputs may be larger, such as panels.

// Constants is the part of a graph that depends only on frozen params.
type Constants struct {
	Func   *ir.Func // its results are the values to keep
	Params []int    // the params of the graph that are the params of Func
	of     *ir.Func // the graph
	roots  []*ir.Value
}

// SplitGraph returns the values of a graph that depend only on frozen params and are worth keeping, as a graph of their
// own, or nil if f has no such value. SplitGraph numbers f's values; Replace takes them out of f.
func SplitGraph(f *ir.Func, frozen []bool) *Constants {
	if !slices.Contains(frozen, true) {
		return nil
	}
	f.Number()
	c := &Constants{of: f, roots: costsOf(f, frozen).roots()}
	if len(c.roots) == 0 {
		return nil
	}
	c.Func = f.Clone()
	c.Func.Number()
	c.Func.Results, c.Func.Outputs = nil, nil
	for _, r := range c.roots {
		c.Func.Results = append(c.Func.Results, c.Func.Body[r.ID])
	}
	c.Params = c.Func.Keep()
	return c
}

// Replace replaces the values in the graph by new params, and returns these in the order of Func's results.
func (c *Constants) Replace() (params []*ir.Value) {
	f, stands := c.of, map[*ir.Value]*ir.Value{}
	for i, r := range c.roots {
		name := "once" + strconv.Itoa(i)
		for slices.ContainsFunc(f.Params, func(v *ir.Value) bool { return v.Name() == name }) {
			name += "_"
		}
		p := f.Param(name, r.Type, nil)
		p.Pos, stands[r] = r.Pos, p
		params = append(params, p)
	}
	replace := func(values []*ir.Value) {
		for i, v := range values {
			if p := stands[v]; p != nil {
				values[i] = p
			}
		}
	}
	for _, v := range f.Body {
		replace(v.Args)
	}
	replace(f.Results)
	f.Sweep()
	return params
}

// onceCost is the cost, in additions per element, from which on a value that depends only on constants is stored and
// not computed in each run.
const onceCost = 8

// costs says what it costs to compute each value of a graph from frozen params.
type costs struct {
	f      *ir.Func
	weight []int     // for each value, elements of the frozen params below it; 0 if it depends on other params
	cost   []float64 // cost per element, from the frozen params on
}

// costsOf returns the costs of the values of f, which is numbered.
func costsOf(f *ir.Func, frozen []bool) *costs {
	c := &costs{f: f, weight: make([]int, len(f.Params)+len(f.Body)), cost: make([]float64, len(f.Params)+len(f.Body))}
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
func (c *costs) roots() []*ir.Value {
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
