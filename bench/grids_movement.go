package main

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// movement returns D1 to D7: gathers, concatenations, sorts, counts and windows. The rate counts bytes, or elements of
// the operand.
func movement() []grid {
	const rows, width = 1 << 17, 64
	table := graph.Input("x", graph.Float32, rows, width)
	index := func(dims ...any) graph.Node { return graph.Input("i", graph.Int64, dims...) }
	row := func(in [][]float32, k, col int) float64 { return float64(in[0][int(in[1][k])*width+col]) }
	parts := graph.Concat(0, flatInput("a").Mul(2), flatInput("b").Add(1), flatInput("c").Mul(flatInput("d")))
	square, lines := graph.Input("x", graph.Float32, 1000, 1000), graph.Input("x", graph.Float32, 64, 10000)
	best, _ := square.TopK(1, 10)
	inOrder, counts := sortedLines(1000), byteCounts()
	return []grid{
		{name: "D1-take", size: "1000000x64", build: func() graph.Node { return table.Take(0, index(1_000_000)) }, inputs: []limits{{-1, 1}, {0, rows}},
			known: known{want: func(in [][]float32, i int) float64 { return row(in, i/width, i%width) }}},
		{name: "D2-embedding", size: "65536x16x64", build: func() graph.Node { return table.Take(0, index(65536, 16)).Sum(1) }, inputs: []limits{{-1, 1}, {0, rows}},
			known: known{want: func(in [][]float32, i int) (sum float64) {
				for k := range 16 {
					sum += row(in, i/width*16+k, i%width)
				}
				return sum
			}}},
		{name: "D3-concat", size: "3x4M", build: func() graph.Node { return parts }, inputs: []limits{{-1, 1}},
			known: known{want: func(in [][]float32, i int) float64 {
				k := i % flatSize
				return []float64{2 * float64(in[0][k]), float64(in[1][k]) + 1, float64(in[2][k]) * float64(in[3][k])}[i/flatSize]
			}}},
		{name: "D4-sort", size: "1000x1000", build: func() graph.Node { return square.Sort(1) }, inputs: []limits{{-1, 1}}, work: work{1_000_000, "elem/ns"},
			known: known{want: func(in [][]float32, i int) float64 { return float64(inOrder(in[0], i/1000)[i%1000]) }}},
		{name: "D4-sort", size: "10M", build: func() graph.Node { return graph.Input("x", graph.Float32, 10_000_000).Sort(0) }, inputs: []limits{{-1, 1}}, work: work{10_000_000, "elem/ns"}},
		{name: "D5-topk", size: "1000x1000", build: func() graph.Node { return best }, inputs: []limits{{-1, 1}}, work: work{1_000_000, "elem/ns"},
			known: known{want: func(in [][]float32, i int) float64 { return float64(inOrder(in[0], i/10)[999-i%10]) }}},
		{name: "D6-histogram", size: "16M", build: func() graph.Node { return graph.Input("x", graph.Uint8, 1<<24).BinCount(256) }, inputs: []limits{{0, 256}}, work: work{1 << 24, "elem/ns"},
			known: known{want: func(in [][]float32, i int) float64 { return counts(in[0])[i] }}},
		{name: "D7-rolling-max", size: "64x10000x50", build: func() graph.Node { return lines.Window(1, 50, 1, 1).Max(-1) }, inputs: []limits{{-1, 1}}, work: work{640_000, "elem/ns"},
			known: known{want: func(in [][]float32, i int) float64 {
				windows := 10000 - 49
				from := i/windows*10000 + i%windows
				return float64(slices.Max(in[0][from : from+50]))
			}}},
	}
}

// flatSize is the number of elements of each operand of D3.
const flatSize = 1 << 22

func flatInput(name string) graph.Node { return graph.Input(name, graph.Float32, flatSize) }

// sortedLines returns a function that returns a sorted line of n elements.
func sortedLines(n int) func(x []float32, line int) []float32 {
	last, ordered := -1, []float32(nil)
	return func(x []float32, line int) []float32 {
		if line != last {
			last, ordered = line, slices.Clone(x[line*n:][:n])
			slices.Sort(ordered)
		}
		return ordered
	}
}

// byteCounts returns a function that counts the bytes of an array, computed once.
func byteCounts() func(x []float32) []float64 {
	var counts []float64
	return func(x []float32) []float64 {
		if counts == nil {
			counts = make([]float64, 256)
			for _, v := range x {
				counts[int(v)]++
			}
		}
		return counts
	}
}

// convolutions returns C1 to C5: convolutions and a pooling of images. The rate counts two operations for each weight
// of each window.
func convolutions() []grid {
	image := graph.Input("x", graph.Float32, 8, 64, 56, 56)
	padded := graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}
	depthwise := padded
	depthwise.Groups = 64
	first := graph.ConvOptions{Before: []int{3, 3}, After: []int{3, 3}, Strides: []int{2, 2}}
	weights := func(dims ...any) graph.Node { return graph.Input("w", graph.Float32, dims...) }
	return []grid{
		windows("C1-conv3x3", "8x64x56x56", image.Conv(weights(64, 64, 3, 3), padded), windowed{64, 56, 64, 3, 1, 1}),
		windows("C2-conv1x1", "8x64x56x56", image.Conv(weights(64, 64, 1, 1), graph.ConvOptions{}), windowed{64, 56, 64, 1, 1, 0}),
		windows("C3-depthwise3x3", "8x64x56x56", image.Conv(weights(64, 1, 3, 3), depthwise), windowed{1, 56, 64, 3, 1, 1}),
		windows("C4-conv7x7", "1x3x224x224", graph.Input("x", graph.Float32, 1, 3, 224, 224).Conv(weights(64, 3, 7, 7), first), windowed{3, 224, 64, 7, 2, 3}),
		{name: "C5-maxpool2x2", size: "8x64x56x56", build: func() graph.Node { return image.MaxPool(graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}}) }, inputs: []limits{{-1, 1}},
			known: known{want: func(in [][]float32, i int) float64 {
				from := in[0][i/784*3136+i%784/28*112+i%28*2:]
				return math.Max(math.Max(float64(from[0]), float64(from[1])), math.Max(float64(from[56]), float64(from[57])))
			}}},
	}
}

// windowed describes a convolution of square images: the input channels of each result, the extent, the result's
// channels, and the size, distance and padding of the windows.
type windowed struct{ channels, extent, results, size, step, pad int }

// windows returns one grid of a convolution. A depthwise result reads the channel of its own number.
func windows(name, size string, y graph.Node, c windowed) grid {
	out := (c.extent+2*c.pad-c.size)/c.step + 1
	outs, _ := y.Shape().NumElems().Int()
	want := func(in [][]float32, i int) (sum float64) {
		col, row, m, image := i%out, i/out%out, i/(out*out)%c.results, i/(out*out)/c.results
		for k := range c.channels * c.size * c.size {
			channel, a, b := image*c.channels+k/(c.size*c.size), row*c.step+k/c.size%c.size-c.pad, col*c.step+k%c.size-c.pad
			if c.channels == 1 {
				channel = image*c.results + m
			}
			if a >= 0 && b >= 0 && a < c.extent && b < c.extent {
				sum += float64(in[0][(channel*c.extent+a)*c.extent+b]) * float64(in[1][m*c.channels*c.size*c.size+k])
			}
		}
		return sum
	}
	return grid{name: name, size: size, build: func() graph.Node { return y }, inputs: []limits{{-1, 1}},
		work: work{2 * outs * c.channels * c.size * c.size, "GFLOP/s"}, known: known{want: want, abs: 1e-3, rel: 1e-4}}
}
