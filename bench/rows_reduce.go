package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// grid is a program of float32 inputs of given shapes, whose sizes are fixed.
type grid struct {
	name, size string
	build      func(in []graph.Node) graph.Node
	inputs     [][]int
	limits     limits
}

// grids is W10 to W13.
func grids() []grid {
	var gs []grid
	for _, n := range []int{256, 4096} {
		size, x := fmt.Sprintf("%dx%d", n, n), []int{n, n}
		add := func(name string, build func(in []graph.Node) graph.Node, inputs ...[]int) {
			gs = append(gs, grid{name, size, build, inputs, limits{-1, 1}})
		}
		add("W10-sum", func(in []graph.Node) graph.Node { return in[0].Sum() }, x)
		add("W10-sum0", func(in []graph.Node) graph.Node { return in[0].Sum(0) }, x)
		add("W10-sum1", func(in []graph.Node) graph.Node { return in[0].Sum(1) }, x)
		add("W10-max1", func(in []graph.Node) graph.Node { return in[0].AMax(1) }, x)
		add("W10-argmax1", func(in []graph.Node) graph.Node { return in[0].ArgMax(1) }, x)
		add("W10-sqdiff", func(in []graph.Node) graph.Node { return in[0].Sub(in[1]).Square().Sum() }, x, x)
		add("W13-cumsum0", func(in []graph.Node) graph.Node { return in[0].CumSum(0) }, x)
		add("W13-cumsum1", func(in []graph.Node) graph.Node { return in[0].CumSum(1) }, x)
	}
	for _, z := range [][]int{{64, 128}, {4096, 1024}} {
		size, row := fmt.Sprintf("%dx%d", z[0], z[1]), z[1:]
		softmax := func(in []graph.Node) graph.Node { return in[0].Softmax(-1) }
		layernorm := func(in []graph.Node) graph.Node { return in[0].LayerNorm(in[1], in[2], 1e-5) }
		gs = append(gs,
			grid{"W11-softmax", size, softmax, [][]int{z}, limits{-4, 4}},
			grid{"W12-layernorm", size, layernorm, [][]int{z, row, row}, limits{-4, 4}})
	}
	return gs
}

// reductions is W10 to W13 as workloads.
func reductions() []workload {
	var ws []workload
	for _, g := range grids() {
		ws = append(ws, workload{g.name, g.size, g.calls})
	}
	return ws
}

// node builds the formula.
func (g grid) node() graph.Node {
	var in []graph.Node
	for i, shape := range g.inputs {
		dims := make([]any, len(shape))
		for k, e := range shape {
			dims[k] = e
		}
		in = append(in, graph.Input(fmt.Sprint("x", i), graph.Float32, dims...))
	}
	return g.build(in)
}

// calls runs a grid's program into an old result, and the fast tier's if that is
// another program.
func (g grid) calls(threads int) ([]call, error) {
	var ins []*graph.Tensor
	bytes := 0
	for i, shape := range g.inputs {
		ins = append(ins, graph.Uniform(graph.Float32, uint64(i+1), g.limits.lo, g.limits.hi, shape...))
		bytes += ins[i].Bytes()
	}
	full, err := graph.Compile(g.node(), graph.Workers(threads))
	if err != nil {
		return nil, err
	}
	fast, err := graph.Compile(g.node(), graph.Workers(threads), graph.Fast())
	if err != nil {
		return nil, err
	}
	out, err := full.Run(context.Background(), ins...)
	if err != nil {
		return nil, err
	}
	into := func(note string, p *graph.Program) call {
		run := func() error { return p.RunInto(context.Background(), []*graph.Tensor{out}, ins...) }
		return call{note, run, float64(bytes + out.Bytes()), "GB/s"}
	}
	calls := []call{into("generated kernel", full)}
	if !slices.Equal(full.Kernels(), fast.Kernels()) {
		calls = append(calls, into("generated kernel, fast tier", fast))
	}
	return calls, nil
}
