package main

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// elementTypes returns B10, B13 and B14, on as many bytes as the pictures of B8, and H1 to H3: floats of 16 bits and
// complex numbers.
func elementTypes(pictures int) []workload {
	var ws []workload
	add := func(name, size string, y func() graph.Node, ls []limits, n, elems int, unit string, k known) {
		ws = append(ws, workload{name, size, func(threads int) ([]call, error) {
			ins, err := inputs(y(), n, ls)
			if err != nil {
				return nil, err
			}
			j, err := jobs(y(), n, ins, work{elems, unit}, k, threads, nil, graph.WithDebug(graph.TilingOnly))
			if err != nil {
				return nil, err
			}
			return []call{j[0].into("generated kernel"), j[0].bound("generated kernel, bound"), j[0].fresh(), j[0].released(), j[1].into("tiling")}, nil
		}})
	}
	bytes := func(name string, y func() graph.Node, want func(v []float64) float64) {
		add(name, "360x640", y, []limits{{0, 256}}, pictures, pictures, "elem/ns", pointwise(want))
	}
	bytes("B10-threshold", formula.Threshold, func(v []float64) float64 { return 255 * oneIf(v[0] > 100) })
	bytes("B13-blend", formula.Blend, func(v []float64) float64 { return math.Min(255, math.Floor((179*v[0]+128*v[1])/256)) })
	bytes("B14-both", formula.Both, func(v []float64) float64 { return oneIf(v[0] > 3 && v[1] < 77) })
	for _, h := range []struct {
		name string
		dt   graph.DType
		rel  float64
	}{{"f16", graph.Float16, 0x1p-9}, {"bf16", graph.BFloat16, 0x1p-6}} {
		axpy := pointwise(func(v []float64) float64 { return 2.5*v[0] + v[1] })
		axpy.rel = h.rel
		for _, z := range sizes {
			add("H1-axpy-"+h.name, z.name, func() graph.Node { return formula.Axpy(h.dt) }, []limits{{0.5, 1.5}}, z.n, 3*z.n*2, "GB/s", axpy)
		}
		const rows, cols = 4096, 1024
		add("H2-softmax-"+h.name, fmt.Sprintf("%dx%d", rows, cols), func() graph.Node { return formula.Softmax(h.dt, rows) }, []limits{{-4, 4}}, cols, rows*cols, "elem/ns", known{abs: 1e-6, rel: 4 * h.rel, want: softmaxOf(cols)})
	}
	for _, z := range sizes {
		add("H3-complex", z.name, formula.ComplexMulAdd, []limits{{-1, 1}}, z.n, 4*z.n*8, "GB/s", known{abs: 1e-5, want: func(in [][]float32, i int) float64 {
			z, w := complexAt(in[0], i/2), complexAt(in[1], i/2)
			return []float64{real(z * w), imag(z * w)}[i%2] + float64(in[2][i])
		}})
	}
	return ws
}

func oneIf(is bool) float64 { return map[bool]float64{true: 1}[is] }

func complexAt(x []float32, i int) complex128 {
	return complex(float64(x[2*i]), float64(x[2*i+1]))
}

// softmaxOf returns element i of the softmax of rows of n elements.
func softmaxOf(n int) func(in [][]float32, i int) float64 {
	return func(in [][]float32, i int) (total float64) {
		for _, v := range in[0][i/n*n : i/n*n+n] {
			total += math.Exp(float64(v))
		}
		return math.Exp(float64(in[0][i])) / total
	}
}
