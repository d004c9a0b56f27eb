package main

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// pixels returns B1 to B9 and B11: bytes, and inner axes of two to four elements, for pictures of height x width
// pixels. The rate counts the elements of the largest array. Workloads whose names do not begin with W are measured
// only when asked for.
func pixels(height, width int) []grid {
	n := height * width
	at := func(x []float32, i int) float64 { return float64(x[i]) }
	picture := func(dt graph.DType, channels int) graph.Node { return graph.Input("x", dt, height, width, channels) }
	planes := graph.Input("x", graph.Float32, 3, height, width)
	flat := func(name string) graph.Node { return graph.Input(name, graph.Uint8, 4*n) }
	gray := picture(graph.Uint8, 3).Cast(graph.Float32).Mul(graph.Of([]float32{0.299, 0.587, 0.114}))
	pairs := picture(graph.Float32, 2)
	part := func(i int) graph.Node { return pairs.Slice(fmt.Sprintf("..., %d", i)) }
	rows := []struct {
		name  string
		elems int
		y     graph.Node
		want  func(in [][]float32, i int) float64
	}{
		{"B1-planes", 3 * n, picture(graph.Uint8, 3).Permute(2, 0, 1).Cast(graph.Float32).Mul(1.0 / 255), func(in [][]float32, i int) float64 { return at(in[0], i%n*3+i/n) / 255 }},
		{"B2-split", 3 * n, picture(graph.Uint8, 3).Permute(2, 0, 1).Materialize(), func(in [][]float32, i int) float64 { return at(in[0], i%n*3+i/n) }},
		{"B3-pixels", 3 * n, planes.Permute(1, 2, 0).Mul(2), func(in [][]float32, i int) float64 { return at(in[0], i%3*n+i/3) * 2 }},
		{"B4-gray", 3 * n, gray.Sum(-1), func(in [][]float32, i int) float64 {
			return at(in[0], 3*i)*0.299 + at(in[0], 3*i+1)*0.587 + at(in[0], 3*i+2)*0.114
		}},
		{"B5-norm2", 2 * n, part(0).Square().Add(part(1).Square()), func(in [][]float32, i int) float64 { return square(at(in[0], 2*i)) + square(at(in[0], 2*i+1)) }},
		{"B6-stack", 2 * n, graph.Stack(-1, graph.Input("a", graph.Float32, n).Mul(2), graph.Input("b", graph.Float32, n).Add(1)), func(in [][]float32, i int) float64 {
			return []float64{at(in[0], i/2) * 2, at(in[1], i/2) + 1}[i%2]
		}},
		{"B7-sum3", 3 * n, picture(graph.Float32, 3).Sum(-1), func(in [][]float32, i int) float64 { return at(in[0], 3*i) + at(in[0], 3*i+1) + at(in[0], 3*i+2) }},
		{"B8-max", 4 * n, flat("a").Maximum(flat("b")), func(in [][]float32, i int) float64 { return math.Max(at(in[0], i), at(in[1], i)) }},
		{"B9-addsat", 4 * n, flat("a").AddSat(flat("b")), func(in [][]float32, i int) float64 { return math.Min(255, at(in[0], i)+at(in[1], i)) }},
		{"B11-count", 4 * n, flat("a").Gt(100).Cast(graph.Int64).Sum(), func(in [][]float32, _ int) (count float64) {
			for _, v := range in[0] {
				count += map[bool]float64{true: 1}[v > 100]
			}
			return count
		}},
	}
	var gs []grid
	for _, r := range rows {
		gs = append(gs, grid{name: r.name, size: fmt.Sprintf("%dx%d", height, width), build: func() graph.Node { return r.y },
			inputs: []limits{{0, 256}}, work: work{r.elems, "elem/ns"}, known: known{want: r.want}})
	}
	return gs
}
