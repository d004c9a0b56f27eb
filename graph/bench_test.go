package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// chain16 is y = (a*b + c)*a - b/(abs(c) + 1), with its generated kernel, and
// inputs of 16 elements: so few that a run is the library's own time.
func chain16(tb testing.TB) (*graph.Program, []*graph.Tensor) {
	p, err := graph.Compile(formula.Chain5())
	require.NoError(tb, err)
	var ins []*graph.Tensor
	for i := range p.Inputs() {
		ins = append(ins, graph.Uniform(graph.Float32, uint64(i+1), 0.5, 1.5, 16))
	}
	return p, ins
}

func BenchmarkRunInto16(b *testing.B) {
	p, ins := chain16(b)
	outs := []*graph.Tensor{graph.New(graph.Float32, 16)}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if err := p.RunInto(ctx, outs, ins...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun16(b *testing.B) {
	p, ins := chain16(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Run(ctx, ins...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		formula.Chain5()
	}
}

func BenchmarkCompile(b *testing.B) {
	y := formula.Chain5()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := graph.Compile(y); err != nil {
			b.Fatal(err)
		}
	}
}
