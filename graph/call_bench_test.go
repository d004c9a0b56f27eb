package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// BenchmarkCall runs small programs into given tensors and with bound tensors, to measure the library's overhead.
func BenchmarkCall(b *testing.B) {
	vector := func(name string) graph.Node { return f32(name, graph.Dim("n")) }
	x := f32("x", 16)
	for _, c := range []struct {
		name string
		y    graph.Node
		n    int
	}{
		{"sum", vector("a").Add(vector("b")), 1000}, // one step with two inputs
		{"chain", formula.Chain5(), 1000},           // one step with three inputs
		{"variable", vector("a").Mul(graph.Variable(graph.ScalarOf[float32](3))), 16},
		{"steps", x.Sub(x.Mean(0)).CumSum(0), 16},
	} {
		p, err := graph.Compile(c.y)
		require.NoError(b, err)
		var ins []*graph.Tensor
		for i := range p.Inputs() {
			ins = append(ins, graph.Uniform(graph.Float32, uint64(i+1), 0.5, 1.5, c.n))
		}
		outs, ctx := []*graph.Tensor{graph.New(graph.Float32, c.n)}, context.Background()
		call, err := p.Bind(outs, ins...)
		require.NoError(b, err)
		for how, run := range map[string]func() error{
			"into":  func() error { return p.RunInto(ctx, outs, ins...) },
			"bound": func() error { return call.Run(ctx) },
		} {
			b.Run(c.name+"/"+how, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
