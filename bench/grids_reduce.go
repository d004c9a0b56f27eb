package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// reductions returns W10 and W13 for n rows and columns.
func reductions(n int, size string) []grid {
	matrix := func(name string) graph.Node { return graph.Input(name, graph.Float32, n, n) }
	add := func(name string, build func(x graph.Node) graph.Node, want func(in [][]float32, i int) float64) grid {
		return grid{name: name, size: size, build: func() graph.Node { return build(matrix("x")) },
			inputs: []limits{{-1, 1}}, known: known{want: want, abs: 1e-3, rel: 1e-4}}
	}
	row := func(in [][]float32, i int) []float32 { return in[0][i*n : i*n+n] }
	return []grid{
		add("W10-sum", func(x graph.Node) graph.Node { return x.Sum() },
			func(in [][]float32, _ int) float64 { return sum(in[0], 0, n*n, 1) }),
		add("W10-sum0", func(x graph.Node) graph.Node { return x.Sum(0) },
			func(in [][]float32, i int) float64 { return sum(in[0], i, n*n, n) }),
		add("W10-sum1", func(x graph.Node) graph.Node { return x.Sum(1) },
			func(in [][]float32, i int) float64 { return sum(row(in, i), 0, n, 1) }),
		add("W10-max1", func(x graph.Node) graph.Node { return x.Max(1) },
			func(in [][]float32, i int) float64 { return float64(slices.Max(row(in, i))) }),
		add("W10-argmax1", func(x graph.Node) graph.Node { return x.ArgMax(1) },
			func(in [][]float32, i int) float64 { return float64(slices.Index(row(in, i), slices.Max(row(in, i)))) }),
		add("W10-sqdiff", func(x graph.Node) graph.Node { return x.Sub(matrix("y")).Square().Sum() },
			func(in [][]float32, _ int) (total float64) {
				for i, x := range in[0] {
					total += square(float64(x) - float64(in[1][i]))
				}
				return total
			}),
		add("W13-cumsum0", func(x graph.Node) graph.Node { return x.CumSum(0) },
			func(in [][]float32, i int) float64 { return sum(in[0], i%n, i+1, n) }),
		add("W13-cumsum1", func(x graph.Node) graph.Node { return x.CumSum(1) },
			func(in [][]float32, i int) float64 { return sum(in[0], i/n*n, i+1, 1) }),
	}
}

// runningSums returns W13 for one line of n elements.
func runningSums(n int, size string) grid {
	return grid{name: "W13-cumsum", size: size, build: func() graph.Node { return graph.Input("x", graph.Float32, n).CumSum(0) },
		inputs: []limits{{-1, 1}}, known: known{want: func(in [][]float32, i int) float64 { return sum(in[0], 0, i+1, 1) }, abs: 1e-3, rel: 1e-4}}
}

// rowwise returns W11 and W12.
func rowwise(m, n int) []grid {
	size, ls := fmt.Sprintf("%dx%d", m, n), []limits{{-4, 4}, {-1, 1}}
	input := func(name string, dims ...any) graph.Node { return graph.Input(name, graph.Float32, dims...) }
	softmax := func() graph.Node { return input("x", m, n).Softmax(-1) }
	layernorm := func() graph.Node { return input("x", m, n).LayerNorm(input("gamma", n), input("beta", n), 1e-5) }
	return []grid{
		{name: "W11-softmax", size: size, build: softmax, inputs: ls, work: work{m * n, "elem/ns"},
			known: known{abs: 1e-9, rel: 1e-4, want: func(in [][]float32, i int) (part float64) {
				for _, x := range in[0][i/n*n : i/n*n+n] {
					part += math.Exp(float64(x) - float64(in[0][i]))
				}
				return 1 / part
			}}},
		{name: "W12-layernorm", size: size, build: layernorm, inputs: ls,
			known: known{want: func(in [][]float32, i int) (variance float64) {
				row := in[0][i/n*n : i/n*n+n]
				mean := sum(row, 0, n, 1) / float64(n)
				for _, x := range row {
					variance += square(float64(x)-mean) / float64(n)
				}
				return (float64(in[0][i])-mean)/math.Sqrt(variance+1e-5)*float64(in[1][i%n]) + float64(in[2][i%n])
			}}},
	}
}

// sum adds the elements from first to before end, step apart.
func sum(x []float32, first, end, step int) (total float64) {
	for i := first; i < end; i += step {
		total += float64(x[i])
	}
	return total
}

func square(x float64) float64 { return x * x }
