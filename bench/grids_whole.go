package main

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// image returns W15. The rate counts the picture's elements. Results are truncated to integers, so the check allows a
// half around the exact result minus a half.
func image(height, width int) grid {
	want := func(in [][]float32, i int) (total float64) {
		wide := (width - 2) * 3
		first, channel := i/wide*width*3+i%wide, i%3
		for k := range 9 {
			linear := math.Pow(float64(in[0][first+k/3*width*3+k%3*3])/255, 2.2)
			total += linear*float64(in[1][channel]) + float64(in[2][channel])
		}
		return math.Max(0, math.Min(total*255/9+0.5, 255)-0.5)
	}
	return grid{name: "W15-image", size: "4K-UHD", build: func() graph.Node { return formula.Image(height, width) },
		inputs: []limits{{0, 256}, {0.95, 1.1}, {0.01, 0.03}}, work: work{height * width * 3, "elem/ns"},
		known: known{want: want, abs: 0.501}, tiling: true}
}

// distances returns W16. The rate counts a difference, a product and a sum for each term.
func distances(n, dims int) grid {
	want := func(in [][]float32, i int) (total float64) {
		y := in[1][i%n*dims:]
		for k, x := range in[0][i/n*dims : i/n*dims+dims] {
			total += square(float64(x) - float64(y[k]))
		}
		return total
	}
	return grid{name: "W16-pairdist", size: fmt.Sprintf("%dx%dx%d", n, n, dims), build: func() graph.Node { return formula.Distances(n, dims) },
		inputs: []limits{{-1, 1}}, work: work{3 * n * n * dims, "GFLOP/s"}, known: known{want: want}}
}

// mandelbrot returns W18. The rate counts steps of elements. The check uses the program's own type and order of
// operations, since one rounding may decide a count.
func mandelbrot(n int) grid {
	want := func(in [][]float32, i int) (count float64) {
		re, im := in[0][i], in[1][i]
		var zr, zi float32
		for range 20 {
			zr, zi = float32(float32(zr*zr)-float32(zi*zi))+re, float32(float32(zr*2)*zi)+im
			if float32(zr*zr)+float32(zi*zi) < 4 {
				count++
			}
		}
		return count
	}
	return grid{name: "W18-mandel", size: fmt.Sprintf("%dx%d", n, n), build: func() graph.Node { return formula.Mandelbrot(n) },
		inputs: []limits{{-2, 1}, {-1, 1}}, work: work{n * n * 20, "elem/ns"}, known: known{want: want, abs: 1e-9}, tiling: true}
}
