package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// questions returns N1 to N4: reductions of an n by n matrix other than sums and maxima.
func questions(n int) []grid {
	x, mean := graph.Input("x", graph.Float32, n, n), graph.Input("mean", graph.Float32, n)
	column := func(in []float32, i int) (col []float32) {
		for ; i < n*n; i += n {
			col = append(col, in[i])
		}
		return col
	}
	add := func(name string, y graph.Node, want func(in [][]float32, i int) float64) grid {
		return grid{name: name, size: fmt.Sprintf("%dx%d", n, n), build: func() graph.Node { return y },
			inputs: []limits{{-1, 1}}, work: work{n * n, "elem/ns"}, known: known{want: want, abs: 1e-3, rel: 1e-4}}
	}
	return []grid{
		add("N1-any", x.Gt(2).Any(), func([][]float32, int) float64 { return 0 }),
		add("N2-count0", x.Gt(0.5).Sum(0), func(in [][]float32, i int) (count float64) {
			for _, v := range column(in[0], i) {
				count += map[bool]float64{true: 1}[v > 0.5]
			}
			return count
		}),
		add("N3-argmax0", x.ArgMax(0), func(in [][]float32, i int) float64 {
			col := column(in[0], i)
			return float64(slices.Index(col, slices.Max(col)))
		}),
		add("N4-variance0", x.Sub(mean).Square().Sum(0), func(in [][]float32, i int) (total float64) {
			for _, v := range column(in[0], i) {
				total += square(float64(v) - float64(in[1][i]))
			}
			return total
		}),
	}
}

// shortRows returns N5 to N8: m short rows, every second element of some, and a power of bytes.
func shortRows(m int) []grid {
	at := func(x []float32, i int) float64 { return float64(x[i]) }
	add := func(name string, cols int, y graph.Node, want func(in [][]float32, i int) float64) grid {
		return grid{name: name, size: fmt.Sprintf("%dx%d", m, cols), build: func() graph.Node { return y },
			inputs: []limits{{0, 200}}, work: work{m * cols, "elem/ns"}, known: known{want: want, abs: 1e-3, rel: 1e-4}}
	}
	bytes := graph.Input("x", graph.Uint8, m, 8)
	return []grid{
		add("N5-cumsum3", 3, graph.Input("x", graph.Float32, m, 3).CumSum(1), func(in [][]float32, i int) float64 { return sum(in[0], i/3*3, i+1, 1) }),
		add("N6-sum8", 8, bytes.Cast(graph.Int64).Sum(1), func(in [][]float32, i int) float64 { return sum(in[0], 8*i, 8*i+8, 1) }),
		add("N7-set2", 2, graph.Input("x", graph.Float32, 2*m).Set("::2", graph.Input("y", graph.Float32, m).Add(1)), func(in [][]float32, i int) float64 {
			if i%2 == 0 {
				return at(in[1], i/2) + 1
			}
			return at(in[0], i)
		}),
		add("N8-power-sum", 8, bytes.Cast(graph.Float32).Div(255).Pow(2.2).Sum(1), func(in [][]float32, i int) (total float64) {
			for _, v := range in[0][8*i : 8*i+8] {
				total += math.Pow(float64(v)/255, 2.2)
			}
			return total
		}),
	}
}
