package main

import (
	"fmt"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// products returns W14 (square matrices, the middle one also with an epilogue, and many small ones), M1 (many tiny
// matrices), and M2 and M3 (few rows times a matrix).
func products() []grid {
	var gs []grid
	matmul := func(name, size string, batch, n int, build func() graph.Node, want func(in [][]float32, i int) float64) {
		gs = append(gs, grid{name: name, size: size, build: build, inputs: []limits{{-1, 1}},
			work: work{2 * batch * n * n * n, "GFLOP/s"}, known: known{want: want}})
	}
	for _, n := range []int{512, 1024, 2048} {
		matmul("W14-matmul", fmt.Sprint(n), 1, n, func() graph.Node { return multiplied(n, n) }, inner(n))
	}
	dense := inner(1024)
	matmul("W14-matmul+bias+gelu", "1024", 1, 1024, func() graph.Node { return formula.Dense(1024) },
		func(in [][]float32, i int) float64 { return gelu(dense(in, i) + float64(in[2][i%1024])) })
	matmul("W14-matmul-batch", "256x64x64", 256, 64, func() graph.Node { return multiplied(256, 64, 64) }, inner(64))
	for _, n := range []int{2, 3, 4, 8} {
		matmul("M1-small", fmt.Sprintf("%dx%dx%d", pictureSize, n, n), pictureSize, n, func() graph.Node { return multiplied(pictureSize, n, n) }, inner(n))
	}
	for _, m := range []int{1, 2, 4, 8} {
		gs = append(gs, fewRows(m, 4096, false), fewRows(m, 4096, true))
	}
	return gs
}

// pictureSize is the number of small matrices: one for each pixel of B1 to B11.
const pictureSize = 360 * 640

// fewRows returns M2 and M3: m rows times a matrix of n by n, as it is or transposed.
func fewRows(m, n int, transposed bool) grid {
	x, y, name, pair, col := graph.Input("x", graph.Float32, m, n), graph.Input("y", graph.Float32, n, n), "M2-rows", n, 1
	right := y
	if transposed {
		right, name, pair, col = y.T(), "M3-rows-transposed", 1, n
	}
	return grid{name: name, size: fmt.Sprintf("%dx%dx%d", m, n, n), build: func() graph.Node { return x.MatMul(right) }, inputs: []limits{{-1, 1}},
		work: work{2 * m * n * n, "GFLOP/s"}, known: known{abs: 1e-3, rel: 1e-4, want: func(in [][]float32, i int) (total float64) {
			for k, v := range in[0][i/n*n : i/n*n+n] {
				total += float64(v) * float64(in[1][k*pair+i%n*col])
			}
			return total
		}}}
}

// integerProduct returns B12: the int32 product of square matrices of bytes.
func integerProduct(n int) grid {
	x, y := graph.Input("x", graph.Uint8, n, n), graph.Input("y", graph.Uint8, n, n)
	return grid{name: "B12-matmul", size: fmt.Sprint(n), build: func() graph.Node { return x.MatMulInteger(y, nil, nil) },
		inputs: []limits{{0, 256}}, work: work{2 * n * n * n, "GFLOP/s"}, known: known{want: inner(n)}}
}

// multiplied returns the product of two arrays of one shape.
func multiplied(dims ...any) graph.Node {
	return graph.Input("x", graph.Float32, dims...).MatMul(graph.Input("y", graph.Float32, dims...))
}

// inner returns element i of products of n by n matrices.
func inner(n int) func(in [][]float32, i int) float64 {
	return func(in [][]float32, i int) (total float64) {
		batch, col := i/(n*n)*(n*n), i%n
		for k, x := range in[0][i-col : i-col+n] {
			total += float64(x) * float64(in[1][batch+k*n+col])
		}
		return total
	}
}
