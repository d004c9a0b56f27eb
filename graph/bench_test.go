package graph_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// chain16 is y = (a*b + c)*a - b/(abs(c) + 1), with its generated kernel, on 16 elements: so few that the run measures
// the library's overhead.
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

func BenchmarkBound16(b *testing.B) {
	p, ins := chain16(b)
	call, err := p.Bind([]*graph.Tensor{graph.New(graph.Float32, 16)}, ins...)
	require.NoError(b, err)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if err := call.Run(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOutputs runs programs of many small outputs; the time of one output is the total divided by their number.
func BenchmarkOutputs(b *testing.B) {
	for _, n := range []int{30, 300, 3000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			x := graph.Input("x", graph.Float32, 16)
			items, outs := []graph.Item{}, []*graph.Tensor{}
			for i := range n {
				items, outs = append(items, x.Mul(float64(i)+0.5)), append(outs, graph.New(graph.Float32, 16))
			}
			p, err := graph.Compile(items...)
			require.NoError(b, err)
			in := graph.Uniform(graph.Float32, 1, 0, 1, 16)
			for b.Loop() {
				if err := p.RunInto(b.Context(), outs, in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/output")
		})
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
