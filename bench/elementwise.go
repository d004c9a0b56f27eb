package main

import (
	"math"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// sizes are the element counts of the one-dimensional workloads.
var sizes = []struct {
	name string
	n    int
}{{"1K", 1000}, {"64K", 1 << 16}, {"16M", 1 << 24}}

// formulas has W1 to W5. The rates of the first two count bytes.
var formulas = []flat{
	{"W1-add", formula.Add, []limits{{0.5, 1.5}, {0.5, 1.5}},
		"", pointwise(func(v []float64) float64 { return v[0] + v[1] })},
	{"W2-chain5", formula.Chain5, []limits{{0.5, 1.5}, {0.5, 1.5}, {-1, 1.5}},
		"", pointwise(func(v []float64) float64 { return (v[0]*v[1]+v[2])*v[0] - v[1]/(math.Abs(v[2])+1) })},
	plain("W3-gelu", graph.Node.GELUTanh, limits{-4, 4}, gelu),
	plain("W4-exp", graph.Node.Exp, limits{-4, 4}, math.Exp),
	plain("W4-log", graph.Node.Log, limits{0.01, 100}, math.Log),
	plain("W4-sin", graph.Node.Sin, limits{-4, 4}, math.Sin),
	plain("W4-tanh", graph.Node.Tanh, limits{-4, 4}, math.Tanh),
	plain("W4-sigmoid", graph.Node.Sigmoid, limits{-4, 4}, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }),
	plain("W4-erf", graph.Node.Erf, limits{-4, 4}, math.Erf),
	{"W5-bs", formula.BlackScholes, []limits{{10, 100}, {10, 100}, {0.1, 2}}, "elem/ns", pointwise(callPrice)},
}

func gelu(x float64) float64 { return 0.5 * x * (1 + math.Tanh(0.79788456*(x+0.044715*x*x*x))) }

// callPrice returns the Black-Scholes price of a call for spot, strike and years.
func callPrice(v []float64) float64 {
	normal := func(x float64) float64 { return 0.5 + 0.5*math.Erf(x/math.Sqrt2) }
	spread := 0.3 * math.Sqrt(v[2])
	d := (math.Log(v[0]/v[1]) + (0.05+0.3*0.3/2)*v[2]) / spread
	return v[0]*normal(d) - v[1]*math.Exp(-0.05*v[2])*normal(d-spread)
}

// elementwise returns W1 to W5 at every size.
func elementwise() []workload {
	var ws []workload
	for _, z := range sizes {
		for _, f := range formulas {
			ws = append(ws, workload{f.name, z.name, func(threads int) ([]call, error) { return f.calls(threads, z.n) }})
		}
	}
	return ws
}

// overhead returns W17: one call of W2 on 16 elements.
func overhead() []workload {
	return []workload{{"W17-overhead", "16", func(threads int) ([]call, error) { return formulas[1].calls(threads, 16) }}}
}

// flat is a formula on vectors of one size n.
type flat struct {
	name   string
	build  func() graph.Node
	inputs []limits
	unit   string // unit of the rate
	known  known
}

// one returns a function of one vector.
func one(name string, fn func(graph.Node) graph.Node, dt graph.DType, x limits) flat {
	return flat{name, func() graph.Node { return fn(graph.Input("x", dt, graph.Dim("n"))) }, []limits{x}, "elem/ns", known{}}
}

// plain returns a function of one float32 vector, with a Go function that checks it.
func plain(name string, fn func(graph.Node) graph.Node, x limits, want func(float64) float64) flat {
	f := one(name, fn, graph.Float32, x)
	f.known = pointwise(func(v []float64) float64 { return want(v[0]) })
	return f
}

// calls returns the ways of running a formula on n elements: with its generated kernel and as a tiling, each into an
// old result; with a fresh result; and in the fast tier, if that has another kernel.
func (f flat) calls(threads, n int) ([]call, error) {
	j, err := f.jobs(threads, n, nil, graph.WithDebug(graph.TilingOnly), graph.WithFast())
	if err != nil {
		return nil, err
	}
	fused, tiling, fast := j[0], j[1], j[2]
	calls := []call{fused.into("generated kernel"), fused.bound("generated kernel, bound"), tiling.into("tiling"), fused.fresh(), fused.released()}
	if threads == 1 {
		calls = append(calls, fused.alone("kernel alone")...)
	}
	if fast.kernels() == fused.kernels() {
		return calls, nil
	}
	calls = append(calls, fast.into("generated kernel, fast tier"))
	if threads == 1 {
		calls = append(calls, fast.alone("kernel alone, fast tier")...)
	}
	return calls, nil
}

// jobs compiles a formula for n elements with each of some options.
func (f flat) jobs(threads, n int, options ...graph.Option) ([]*job, error) {
	ins, err := inputs(f.build(), n, f.inputs)
	if err != nil {
		return nil, err
	}
	return jobs(f.build(), n, ins, work{n, f.unit}, f.known, threads, options...)
}
