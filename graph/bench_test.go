package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func BenchmarkRunInto16(b *testing.B) {
	x := graph.Input("x", graph.Float32, 16)
	w := graph.Input("w", graph.Float32, 16)
	v := graph.Input("v", graph.Float32, 16)
	p, err := graph.Compile(x.Sub(w).Mul(v).Add(1).Abs().Sqrt())
	require.NoError(b, err)
	ctx := context.Background()
	outs := []*graph.Tensor{graph.New(graph.Float32, 16)}
	tx, tw, tv := graph.Ones(graph.Float32, 16), graph.Ones(graph.Float32, 16), graph.Ones(graph.Float32, 16)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.RunInto(ctx, outs, tx, tw, tv); err != nil {
			b.Fatal(err)
		}
	}
}

// chain is a formula of five ops.
func chain() graph.Node {
	x, w := f32("x", graph.Dim("n"), 3), f32("w", 3)
	return x.Sub(w).Mul(w).Add(1).Abs().Sqrt()
}

func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		chain()
	}
}

func BenchmarkCompile(b *testing.B) {
	z := chain()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := graph.Compile(z); err != nil {
			b.Fatal(err)
		}
	}
}
