// Package irtest makes random graphs and inputs for tests: of the compiler's
// passes, of the executor and of the IR's own text.
package irtest

import (
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Config bounds random graphs. A zero field means the default in its comment.
type Config struct {
	MaxNodes   int       // values in the body, at least 12; default 32
	MaxElems   int       // elements of a value; default 600
	DTypes     ir.DTypes // element types that appear; default ir.AllTypes
	Layouts    bool      // params may have any layout: Attr.At
	NoViews    bool      // elementwise operations only
	Reductions bool      // some values are reduced or scanned
	Products   int       // one value in this many is a product of matrices; default none
	Accesses   bool      // some views are OpAccess, as after the pass views
	Batch      bool      // only for SymbolicFunc: n is the first extent of most params, and the only named size
}

func (c Config) withDefaults() Config {
	if c.MaxNodes == 0 {
		c.MaxNodes = 32
	}
	if c.MaxElems == 0 {
		c.MaxElems = 600
	}
	if c.DTypes == 0 {
		c.DTypes = ir.AllTypes
	}
	return c
}

// Func returns a random graph of known sizes and inputs for it: elementwise operations, views on views, broadcasts,
// shared and dead values, one to three results.
//
// Bits of a NaN never become an integer, because engines may choose them: compare results with Diff, which treats all
// NaNs as equal.
func Func(t *rapid.T, cfg Config) (*ir.Func, []eval.Array) {
	f, inputs, _ := generate(t, cfg, nil)
	return f, inputs
}

// SymbolicFunc is Func with the named sizes n, m and k among the extents of its params. It also returns their numbers
// for the inputs.
func SymbolicFunc(t *rapid.T, cfg Config) (*ir.Func, []eval.Array, map[string]int) {
	sizes, numbers := map[string]int{}, []int{0, 1, 2, 3, 5, 7, 8, 9}
	if cfg.Batch {
		numbers = []int{1, 2, 3, 5, 8, 16, 17, 20, 33}
	}
	for _, name := range []string{"n", "m", "k"} {
		sizes[name] = rapid.SampledFrom(numbers).Draw(t, name)
	}
	return generate(t, cfg, sizes)
}

func generate(t *rapid.T, cfg Config, sizes map[string]int) (*ir.Func, []eval.Array, map[string]int) {
	g := &gen{T: t, Config: cfg.withDefaults(), f: &ir.Func{Name: "random"}, sizes: sizes}
	if sizes == nil && g.chance("wide", 4) {
		inputs := g.wide()
		g.results()
		return g.f, inputs, nil
	}
	inputs := g.params()
	nodes := g.int("nodes", 1, max(1, g.MaxNodes-maxGrowth+1))
	for len(g.f.Body) < nodes {
		g.grow()
	}
	g.results()
	return g.f, inputs, sizes
}

// gen is a graph under construction.
type gen struct {
	*rapid.T
	Config
	f     *ir.Func
	sizes map[string]int // numbers of named extents; nil if none are used
}

func (g *gen) values() []*ir.Value { return slices.Concat(g.f.Params, g.f.Body) }

// int draws a number in [lo, hi]; lo is the simplest.
func (g *gen) int(name string, lo, hi int) int {
	if lo >= hi {
		return lo
	}
	return rapid.IntRange(lo, hi).Draw(g.T, name)
}

// oneOf draws an item of a list; the first is the simplest.
func oneOf[E any](g *gen, name string, list []E) E { return list[g.int(name, 0, len(list)-1)] }

// chance is true once in n draws.
func (g *gen) chance(name string, n int) bool { return g.int(name, 1, n) == n }

// add appends a value, and fails the test if the graph rejects it: the generator makes only valid graphs.
func (g *gen) add(op ir.Op, attr ir.Attr, args ...*ir.Value) *ir.Value {
	v, err := g.f.Add(op, attr, ir.Pos{File: "random.go", Line: len(g.f.Body) + 1}, args...)
	if err != nil {
		g.Fatalf("irtest made a bad graph: %v\n%s", err, g.f)
	}
	return v
}

// maxGrowth is the most values that grow appends: an operation, and operands of the right types.
const maxGrowth = 12

// grow appends an operation on random values. If it finds none that fits, it appends nothing.
func (g *gen) grow() {
	if g.Products > 0 && g.chance("product", g.Products) {
		g.product()
		return
	}
	if !g.NoViews && g.sizes == nil && g.chance("meet", 6) { // a reshape must not introduce a size
		g.combine(g.pick("combined", g.values()))
		return
	}
	if !g.NoViews && g.chance("stencil", 8) {
		g.stencil(g.pick("filtered", g.values()))
		return
	}
	if g.Reductions && g.chance("reduce", 6) {
		g.along()
		return
	}
	if !g.NoViews && g.chance("by index", 16) {
		g.move(oneOf(g, "index op", []ir.Op{ir.OpGather, ir.OpScatter}))
		return
	}
	if !g.NoViews && g.chance("view", 3) {
		g.move(oneOf(g, "view op", moves))
		return
	}
	g.elementwise(oneOf(g, "op", g.ops()))
}

// pick prefers late values, so that graphs are deep as well as wide.
func (g *gen) pick(name string, vs []*ir.Value) *ir.Value {
	from := 0
	if len(vs) > 4 && !g.chance(name+" early", 3) {
		from = len(vs) - 4
	}
	return vs[g.int(name, from, len(vs)-1)]
}

// results picks one to three values, the last one among them.
func (g *gen) results() {
	body := g.f.Body
	g.f.Results = append(g.f.Results, body[len(body)-1])
	for range g.int("more results", 0, 2) {
		vs := body
		if g.chance("any result", 8) {
			vs = g.values()
		}
		r := g.pick("result", vs)
		if !slices.Contains(g.f.Results, r) || g.chance("same result", 8) {
			g.f.Results = append(g.f.Results, r)
		}
	}
	if g.chance("named results", 4) {
		for i := range g.f.Results {
			name := []string{"", "y", "layer.0.y"}[g.int("name of a result", 0, 2)]
			if name != "" {
				name += strconv.Itoa(i)
			}
			g.f.Outputs = append(g.f.Outputs, name)
		}
	}
}

// shape returns the numbers of a shape.
func (g *gen) shape(s ir.Shape) []int {
	bound, err := s.Bind(g.sizes)
	if err != nil {
		g.Fatalf("irtest: %s: %v", s, err)
	}
	out, _ := bound.Ints()
	return out
}

// fits reports whether a shape is within MaxElems.
func (g *gen) fits(s ir.Shape) bool {
	bound, err := s.Bind(g.sizes)
	if err != nil {
		return false
	}
	out, _ := bound.Ints()
	n, err := layout.NumElems(out)
	return err == nil && n <= g.MaxElems
}
