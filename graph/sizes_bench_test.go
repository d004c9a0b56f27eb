package graph_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// mostRows is the largest batch of the benchmarks of sizes.
const mostRows = 512

// network is two layers and a softmax over batches of any size, with inputs for all batches.
func network(tb testing.TB, options ...graph.Item) (p *graph.Program, ins, outs [][]*graph.Tensor) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 64)
	layer := func(x graph.Node, seed uint64, from, to int) graph.Node {
		return x.MatMul(graph.Normal(graph.Float32, seed, 0, 0.1, from, to)).Add(graph.Normal(graph.Float32, seed+1, 0, 1, to))
	}
	y := layer(layer(x, 1, 64, 64).Maximum(0), 3, 64, 10).Softmax(-1)
	p, err := graph.Compile(append(options, y, graph.WithWorkers(1))...)
	require.NoError(tb, err)
	data := graph.Normal(graph.Float32, 9, 0, 1, mostRows, 64)
	for n := 1; n <= mostRows; n++ {
		ins = append(ins, []*graph.Tensor{data.SliceAxis(0, 0, n, 1)})
		outs = append(outs, []*graph.Tensor{graph.New(graph.Float32, n, 10)})
	}
	return p, ins, outs
}

// BenchmarkSizes runs one program on batches of many sizes: two in turn, each of 1 to 512 many times in a row, and
// random ones.
func BenchmarkSizes(b *testing.B) {
	p, ins, outs := network(b)
	run := func(b *testing.B, i int) {
		if err := p.RunInto(b.Context(), outs[i], ins[i]...); err != nil {
			b.Fatal(err)
		}
	}
	each := func(b *testing.B, name string, next func(k int) int) {
		b.Run(name, func(b *testing.B) {
			for i := range ins {
				run(b, i)
			}
			b.ReportAllocs()
			for k := 0; b.Loop(); k++ {
				run(b, next(k))
			}
		})
	}
	each(b, "one", func(int) int { return 9 })
	each(b, "two", func(k int) int { return 8 + k%2 })
	const turn = 64 // number of runs of a size in a row
	order := rand.New(rand.NewPCG(1, 2)).Perm(mostRows)
	each(b, "alone", func(k int) int { return order[k/turn%mostRows] })
	each(b, "random", func(k int) int { return order[k%mostRows] })
}

// BenchmarkNewSize makes plans for sizes that a program has no plan for.
func BenchmarkNewSize(b *testing.B) {
	n := graph.Dim("n")
	one := graph.WithPlans(1)
	compiled := func(y graph.Node) *graph.Program {
		p, err := graph.Compile(y, one, graph.WithWorkers(1))
		require.NoError(b, err)
		return p
	}
	p, _, _ := network(b, one)
	for _, program := range []struct {
		name string
		*graph.Program
	}{
		{"chain", compiled(formula.Chain5())},
		{"softmax", compiled(f32("x", n, 100).Softmax(-1))},
		{"normalization", compiled(f32("x", n, 100).LayerNorm(f32("scale", 100), f32("offset", 100), 1e-5))},
		{"network", p},
	} {
		b.Run(program.name, func(b *testing.B) {
			b.ReportAllocs()
			for k := 0; b.Loop(); k++ {
				if err := program.Prepare(b.Context(), map[string]int{"n": mostRows + k%mostRows}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
