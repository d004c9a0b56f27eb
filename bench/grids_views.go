package main

import (
	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// views returns W6 to W9 for n rows and columns: broadcast, transposed or strided operands.
func views(n int, size string) []grid {
	at := func(x []float32, i int) float64 { return float64(x[i]) }
	add := func(name string, build func(int) graph.Node, want func(in [][]float32, i int) float64) grid {
		return grid{name: name, size: size, build: func() graph.Node { return build(n) }, inputs: []limits{{-1, 1}},
			known: known{want: want}, tiling: true}
	}
	return []grid{
		add("W6-bcast", formula.Scaled, func(in [][]float32, i int) float64 {
			j := i % n
			return (at(in[0], i)-at(in[1], j))*at(in[2], j)*at(in[3], j) + at(in[4], j)
		}),
		add("W7-outer", formula.Outer, func(in [][]float32, i int) float64 {
			return at(in[0], i/n)*at(in[1], i%n) + at(in[2], i)
		}),
		add("W8-transpose", formula.Transposed, func(in [][]float32, i int) float64 {
			return at(in[0], i%n*n+i/n)*2 + at(in[1], i)
		}),
		add("W9-strided", formula.Strided, func(in [][]float32, i int) float64 {
			row, col := i/(n-1), i%(n-1)
			return at(in[0], 2*row*n+col+1) * at(in[0], (2*row+1)*n+col)
		}),
	}
}
