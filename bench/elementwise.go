package main

import (
	"context"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime"
)

// sizes are the element counts of the one-dimensional workloads.
var sizes = []struct {
	name string
	n    int
}{{"1K", 1000}, {"64K", 1 << 16}, {"16M", 1 << 24}}

// formulas are W1 to W5.
var formulas = []flat{
	{"W1-add", formula.Add, graph.Float32, []limits{{0.5, 1.5}, {0.5, 1.5}}},
	{"W2-chain5", formula.Chain5, graph.Float32, []limits{{0.5, 1.5}, {0.5, 1.5}, {-1, 1.5}}},
	one("W3-gelu", graph.Node.GELUTanh, graph.Float32, limits{-4, 4}),
	one("W4-exp", graph.Node.Exp, graph.Float32, limits{-4, 4}),
	one("W4-log", graph.Node.Log, graph.Float32, limits{0.01, 100}),
	one("W4-sin", graph.Node.Sin, graph.Float32, limits{-4, 4}),
	one("W4-tanh", graph.Node.Tanh, graph.Float32, limits{-4, 4}),
	one("W4-sigmoid", graph.Node.Sigmoid, graph.Float32, limits{-4, 4}),
	one("W4-erf", graph.Node.Erf, graph.Float32, limits{-4, 4}),
	{"W5-bs", formula.BlackScholes, graph.Float32, []limits{{10, 100}, {10, 100}, {0.1, 2}}},
}

// elementwise is W1 to W5 at every size.
func elementwise() []workload {
	var ws []workload
	for _, z := range sizes {
		for _, f := range formulas {
			ws = append(ws, workload{f.name, z.name, func(threads int) ([]call, error) { return f.calls(threads, z.n) }})
		}
	}
	return ws
}

// overhead is W17: one call of W2 on 16 elements.
func overhead() []workload {
	return []workload{{"W17-overhead", "16", func(threads int) ([]call, error) { return formulas[1].calls(threads, 16) }}}
}

// flat is a formula on vectors of one size.
type flat struct {
	name   string
	build  func() graph.Node
	dtype  graph.DType
	inputs []limits
}

// limits is the range that an input's elements are drawn from.
type limits struct{ lo, hi float64 }

// one is a function of one vector.
func one(name string, fn func(graph.Node) graph.Node, dt graph.DType, x limits) flat {
	return flat{name, func() graph.Node { return fn(graph.Input("x", dt, graph.Dim("n"))) }, dt, []limits{x}}
}

// calls returns the ways of running a formula on n elements: with its generated
// kernel and as a cover of built-in ones, into an old result, and with a fresh
// result; then the fast tier, where that has another kernel.
func (f flat) calls(threads, n int) ([]call, error) {
	fused, err := f.prepare(n, graph.Workers(threads))
	if err != nil {
		return nil, err
	}
	cover, err := f.prepare(n, graph.Workers(threads), graph.CoverOnly())
	if err != nil {
		return nil, err
	}
	calls := []call{fused.into("generated kernel"), cover.into("cover"), fused.fresh("fresh")}
	if threads == 1 {
		calls = append(calls, fused.alone("kernel alone")...)
	}
	fast, err := f.prepare(n, graph.Workers(threads), graph.Fast())
	if err != nil {
		return nil, err
	}
	if fast.sig() == fused.sig() {
		return calls, nil
	}
	calls = append(calls, fast.into("generated kernel, fast tier"))
	if threads == 1 {
		calls = append(calls, fast.alone("kernel alone, fast tier")...)
	}
	return calls, nil
}

// job is a formula compiled, with its arguments.
type job struct {
	program *graph.Program
	ins     []*graph.Tensor
	out     *graph.Tensor
}

func (f flat) prepare(n int, opts ...graph.Item) (*job, error) {
	p, err := graph.Compile(append(opts, f.build())...)
	if err != nil {
		return nil, err
	}
	j := &job{program: p, out: graph.New(f.dtype, n)}
	for i, in := range f.inputs {
		j.ins = append(j.ins, graph.Uniform(f.dtype, uint64(i+1), in.lo, in.hi, n))
	}
	return j, nil
}

// sig is the kernel that the formula is, whose loop is the only one.
func (j *job) sig() string { return j.program.Kernels()[0] }

// call gives a way of running a job its rate.
func (j *job) call(note string, run func() error) call {
	bytes := j.out.Bytes() * (len(j.ins) + 1)
	return call{note, run, float64(bytes), "GB/s"}
}

func (j *job) into(note string) call {
	ctx, outs := context.Background(), []*graph.Tensor{j.out}
	return j.call(note, func() error { return j.program.RunInto(ctx, outs, j.ins...) })
}

func (j *job) fresh(note string) call {
	ctx := context.Background()
	return j.call(note, func() error {
		_, err := j.program.Run(ctx, j.ins...)
		return err
	})
}

// alone returns a call of a job's kernel without the library round it, or none
// if no kernel was generated for this machine. The inputs come in any order, and
// scalars are 1: elementary functions of several of them would see other numbers
// than they do in the formula, so there is none for those either.
func (j *job) alone(note string) []call {
	fn, ok := runtime.Lookup(runtime.AVX2, j.sig())
	k, err := ir.ParseKernel(j.sig())
	if !ok || err != nil || !runtime.HasAVX2() || len(k.In) > len(j.ins)+1 {
		return nil
	}
	scalar := graph.Ones(j.out.DType())
	f := &runtime.Frame{Rows: 1, Cols: j.out.Size()}
	unit := 0
	for i, in := range k.In {
		if in.Splat {
			f.Ptr[i] = scalar.Pointer()
			continue
		}
		f.Ptr[i] = j.ins[unit].Pointer()
		unit++
	}
	f.Ptr[len(k.In)] = j.out.Pointer()
	return []call{j.call(note, func() error {
		fn(f)
		return nil
	})}
}
