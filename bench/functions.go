package main

import "github.com/stridefuse/stridefuse/graph"

// elementary has the functions that are measured one by one, each on a suitable range of numbers.
var elementary = []struct {
	name   string
	fn     func(graph.Node) graph.Node
	inputs limits
}{
	{"exp", graph.Node.Exp, limits{-4, 4}},
	{"exp2", graph.Node.Exp2, limits{-4, 4}},
	{"expm1", graph.Node.Expm1, limits{-4, 4}},
	{"log", graph.Node.Log, limits{0.01, 100}},
	{"log2", graph.Node.Log2, limits{0.01, 100}},
	{"log10", graph.Node.Log10, limits{0.01, 100}},
	{"log1p", graph.Node.Log1p, limits{-0.9, 100}},
	{"cbrt", graph.Node.Cbrt, limits{-100, 100}},
	{"rsqrt", graph.Node.Rsqrt, limits{0.01, 100}},
	{"sin", graph.Node.Sin, limits{-4, 4}},
	{"cos", graph.Node.Cos, limits{-4, 4}},
	{"tan", graph.Node.Tan, limits{-4, 4}},
	{"asin", graph.Node.Asin, limits{-1, 1}},
	{"acos", graph.Node.Acos, limits{-1, 1}},
	{"atan", graph.Node.Atan, limits{-4, 4}},
	{"sinh", graph.Node.Sinh, limits{-4, 4}},
	{"cosh", graph.Node.Cosh, limits{-4, 4}},
	{"tanh", graph.Node.Tanh, limits{-4, 4}},
	{"asinh", graph.Node.Asinh, limits{-4, 4}},
	{"acosh", graph.Node.Acosh, limits{1, 100}},
	{"atanh", graph.Node.Atanh, limits{-1, 1}},
	{"erf", graph.Node.Erf, limits{-4, 4}},
	{"erfc", graph.Node.Erfc, limits{-4, 4}},
	{"sigmoid", graph.Node.Sigmoid, limits{-4, 4}},
	{"silu", graph.Node.SiLU, limits{-4, 4}},
	{"softplus", graph.Node.Softplus, limits{-4, 4}},
	{"gelu", graph.Node.GELU, limits{-4, 4}},
	{"gelutanh", graph.Node.GELUTanh, limits{-4, 4}},
	{"mish", graph.Node.Mish, limits{-4, 4}},
	{"selu", graph.Node.SELU, limits{-4, 4}},
	{"logit", graph.Node.Logit, limits{0, 1}},
}

// binary has the functions of two vectors.
var binary = []struct {
	name string
	fn   func(x graph.Node, y any) graph.Node
	x, y limits
}{
	{"pow", graph.Node.Pow, limits{0.01, 100}, limits{-4, 4}},
	{"atan2", graph.Node.Atan2, limits{-4, 4}, limits{-4, 4}},
	{"hypot", graph.Node.Hypot, limits{-4, 4}, limits{-4, 4}},
}

// functions returns every elementary function on 64K elements of both types.
func functions() []workload {
	var ws []workload
	for _, dt := range []struct {
		suffix string
		dtype  graph.DType
	}{{"", graph.Float32}, {"-f64", graph.Float64}} {
		for _, e := range elementary {
			ws = append(ws, function(one("fn-"+e.name+dt.suffix, e.fn, dt.dtype, e.inputs)))
		}
		for _, e := range binary {
			f := func() graph.Node {
				n := graph.Dim("n")
				return e.fn(graph.Input("x", dt.dtype, n), graph.Input("y", dt.dtype, n))
			}
			ws = append(ws, function(flat{"fn-" + e.name + dt.suffix, f, []limits{e.x, e.y}, "elem/ns", known{}}))
		}
	}
	return ws
}

// function measures a formula of one op in both tiers.
func function(f flat) workload {
	return workload{f.name, "64K", func(threads int) ([]call, error) {
		j, err := f.jobs(threads, 1<<16, nil, graph.WithFast())
		if err != nil {
			return nil, err
		}
		full, fast := j[0], j[1]
		calls := []call{full.into("generated kernel")}
		if fast.kernels() != full.kernels() {
			calls = append(calls, fast.into("generated kernel, fast tier"))
		}
		return calls, nil
	}}
}
