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

// elementwise is W1 and W2.
func elementwise() []workload {
	var ws []workload
	for _, z := range sizes {
		ws = append(ws,
			workload{"W1-add", z.name, func(threads int) ([]call, error) {
				return flat(formula.Add, threads, z.n, limits{0.5, 1.5}, limits{0.5, 1.5})
			}},
			workload{"W2-chain5", z.name, func(threads int) ([]call, error) {
				return flat(formula.Chain5, threads, z.n, limits{0.5, 1.5}, limits{0.5, 1.5}, limits{-1, 1.5})
			}})
	}
	return ws
}

// overhead is W17: one call of W2 on 16 elements.
func overhead() []workload {
	return []workload{{"W17-overhead", "16", func(threads int) ([]call, error) {
		return flat(formula.Chain5, threads, 16, limits{0.5, 1.5}, limits{0.5, 1.5}, limits{-1, 1.5})
	}}}
}

// limits is the range that an input's elements are drawn from.
type limits struct{ lo, hi float64 }

// flat returns the ways of running a formula on vectors of n elements: with its
// generated kernel and as a cover of built-in ones, into an old result, and with a
// fresh result.
func flat(f func() graph.Node, threads, n int, inputs ...limits) ([]call, error) {
	ins := make([]*graph.Tensor, len(inputs))
	for i, in := range inputs {
		ins[i] = graph.Uniform(graph.Float32, uint64(i+1), in.lo, in.hi, n)
	}
	outs := []*graph.Tensor{graph.New(graph.Float32, n)}
	traffic := float64(4 * n * (len(ins) + 1))
	fused, err := graph.Compile(f(), graph.Workers(threads))
	if err != nil {
		return nil, err
	}
	cover, err := graph.Compile(f(), graph.Workers(threads), graph.CoverOnly())
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	into := func(p *graph.Program) func() error {
		return func() error { return p.RunInto(ctx, outs, ins...) }
	}
	fresh := func() error {
		_, err := fused.Run(ctx, ins...)
		return err
	}
	calls := []call{
		{"generated kernel", into(fused), traffic, "GB/s"},
		{"cover", into(cover), traffic, "GB/s"},
		{"fresh", fresh, traffic, "GB/s"},
	}
	if loop := alone(fused.Kernels()[0], n, ins, outs[0]); loop != nil && threads == 1 {
		calls = append(calls, call{"kernel alone", loop, traffic, "GB/s"})
	}
	return calls, nil
}

// alone returns a call of a kernel without the library round it, or nil if none
// was generated for this machine. The inputs come in any order.
func alone(sig string, n int, ins []*graph.Tensor, out *graph.Tensor) func() error {
	fn, ok := runtime.Lookup(runtime.AVX2, sig)
	k, err := ir.ParseKernel(sig)
	if !ok || err != nil || !runtime.HasAVX2() {
		return nil
	}
	one := graph.Ones(graph.Float32)
	f := &runtime.Frame{Rows: 1, Cols: n}
	unit := 0
	for i, in := range k.In {
		if in.Splat {
			f.Ptr[i] = one.Pointer()
			continue
		}
		f.Ptr[i] = ins[unit].Pointer()
		unit++
	}
	f.Ptr[len(k.In)] = out.Pointer()
	return func() error {
		fn(f)
		return nil
	}
}
