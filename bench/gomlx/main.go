// Gomlx runs gomlx's backend of Go code on the workloads G1 to G7 of package bench/formula, losses with their gradients, and prints
// the lines of the benchmark program. Its faster backend is XLA's library, which cgo loads; JAX stands for that one.
//
//	go run . [workload]
//
// GOMAXPROCS is the number of threads.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/gomlx/backends"
	_ "github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	g "github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/core/tensors/images"
)

type node = *g.Node

// workload is a loss of data and parameters. The data come first.
type workload struct {
	name, size string
	data       int // how many inputs are not differentiated
	labels     int // the input that has classes, or -1
	low, high  float64
	shapes     [][]int
	loss       func(in []node) node
}

var workloads = []workload{
	{"G1-logistic", "10000x100", 2, -1, -1, 1, [][]int{{10000, 100}, {10000}, {100}, {}}, logistic},
	{"G2-mlp", "64x784-256-128-10", 2, 1, -0.1, 0.1, [][]int{{64, 784}, {64}, {784, 256}, {256}, {256, 128}, {128}, {128, 10}, {10}}, perceptron},
	{"G3-attention", "8x128x384", 0, -1, -0.1, 0.1, [][]int{{8, 128, 384}, {384}, {384}, {384, 1152}, {1152}, {384, 384}, {384}}, attention},
	{"G4-convnet", "64x8x8", 2, 1, -0.3, 0.3, [][]int{{64, 1, 8, 8}, {64}, {16, 1, 3, 3}, {16}, {32, 16, 3, 3}, {32}, {512, 10}, {10}}, convolutions},
	{"G5-vega", "64K", 3, -1, 0.5, 1.5, [][]int{{1 << 16}, {1 << 16}, {1 << 16}, {1 << 16}}, vega},
	{"G6-heat", "128x128x20", 1, -1, -1, 1, [][]int{{128, 128}, {128, 128}}, heat},
	{"G7-rosenbrock", "1000", 0, -1, -1, 1, [][]int{{1000}}, rosenbrock},
}

// row returns a vector as one row, or one channel of an image, which broadcasts to an array of a rank.
func row(v node, rank int) node { return g.ExpandLeftToRank(v, rank) }

func affine(x, w, b node) node { return g.Add(g.Dot(x, w), row(b, 2)) }

func relu(x node) node { return g.MaxScalar(x, 0) }

func crossEntropy(logits, labels node) node {
	picked := g.Mul(g.LogSoftmax(logits), g.OneHot(labels, 10, dtypes.Float32))
	return g.Neg(g.DivScalar(g.ReduceAllSum(picked), 64))
}

func logistic(in []node) node {
	z := g.Add(g.Dot(in[0], in[2]), in[3])
	softplus := g.Add(relu(z), g.Log1P(g.Exp(g.Neg(g.Abs(z)))))
	return g.ReduceAllMean(g.Sub(softplus, g.Mul(z, in[1])))
}

func perceptron(in []node) node {
	h := relu(affine(in[0], in[2], in[3]))
	return crossEntropy(affine(relu(affine(h, in[4], in[5])), in[6], in[7]), in[1])
}

func attention(in []node) node {
	x := in[0]
	centered := g.Sub(x, g.ReduceAndKeep(x, g.ReduceMean, -1))
	variance := g.ReduceAndKeep(g.Square(centered), g.ReduceMean, -1)
	h := g.Add(g.Mul(g.Div(centered, g.Sqrt(g.AddScalar(variance, 1e-5))), row(in[1], 3)), row(in[2], 3))
	qkv := g.Add(g.Einsum("nls,sd->nld", h, in[3]), row(in[4], 3))
	part := func(i int) node {
		return g.Reshape(g.Slice(qkv, g.AxisRange(), g.AxisRange(), g.AxisRange(384*i, 384*(i+1))), 8, 128, 6, 64)
	}
	weights := g.Softmax(g.MulScalar(g.Einsum("nqhd,nkhd->nhqk", part(0), part(1)), 0.125), -1)
	a := g.Reshape(g.Einsum("nhqk,nkhd->nqhd", weights, part(2)), 8, 128, 384)
	y := g.Add(x, g.Add(g.Einsum("nls,sd->nld", a, in[5]), row(in[6], 3)))
	return g.ReduceAllMean(g.Square(y))
}

func convolutions(in []node) node {
	layer := func(x, w, b node) node {
		y := g.Convolve(x, w).ChannelsAxis(images.ChannelsFirst).Strides(1).PadSame().Done()
		return relu(g.Add(y, g.Reshape(b, 1, b.Shape().Dim(0), 1, 1)))
	}
	h := layer(layer(in[0], in[2], in[3]), in[4], in[5])
	h = g.MaxPool(h).ChannelsAxis(images.ChannelsFirst).Window(2).Done()
	return crossEntropy(affine(g.Reshape(h, 64, 512), in[6], in[7]), in[1])
}

func vega(in []node) node {
	spot, strike, years, sigma := in[0], in[1], in[2], in[3]
	normal := func(x node) node {
		return g.AddScalar(g.MulScalar(g.Erf(g.MulScalar(x, 0.7071067811865476)), 0.5), 0.5)
	}
	width := g.Mul(g.Sqrt(years), sigma)
	drift := g.Mul(years, g.AddScalar(g.MulScalar(g.Square(sigma), 0.5), 0.05))
	d1 := g.Div(g.Add(g.Log(g.Div(spot, strike)), drift), width)
	discounted := g.Mul(strike, g.Exp(g.MulScalar(years, -0.05)))
	return g.ReduceAllSum(g.Sub(g.Mul(spot, normal(d1)), g.Mul(discounted, normal(g.Sub(d1, width)))))
}

func heat(in []node) node {
	measured, source := in[0], in[1]
	u := g.ZerosLike(source)
	for range 20 {
		one := backends.PadAxis{Start: 1, End: 1}
		p := g.Pad(u, g.ScalarZero(u.Graph(), dtypes.Float32), one, one)
		at := func(y, x int) node { return g.Slice(p, g.AxisRange(y, y+128), g.AxisRange(x, x+128)) }
		sum := g.Add(g.Add(at(2, 1), at(0, 1)), g.Add(at(1, 2), at(1, 0)))
		u = g.Add(g.Add(u, g.MulScalar(g.Sub(sum, g.MulScalar(u, 4)), 0.2)), g.MulScalar(source, 0.1))
	}
	return g.ReduceAllMean(g.Square(g.Sub(u, measured)))
}

func rosenbrock(in []node) node {
	a, b := g.Slice(in[0], g.AxisRange(0, 999)), g.Slice(in[0], g.AxisRange(1, 1000))
	return g.ReduceAllSum(g.Add(g.MulScalar(g.Square(g.Sub(b, g.Square(a))), 100), g.Square(g.AddScalar(g.Neg(a), 1))))
}

// inputs returns random numbers.
func (w workload) inputs() (ins []any) {
	random := rand.New(rand.NewPCG(1, 1))
	for i, shape := range w.shapes {
		n := 1
		for _, size := range shape {
			n *= size
		}
		switch {
		case i == w.labels:
			classes := make([]int64, n)
			for k := range classes {
				classes[k] = int64(7*k) % 10
			}
			ins = append(ins, tensors.FromFlatDataAndDimensions(classes, shape...))
		case w.name == "G7-rosenbrock":
			ins = append(ins, tensors.FromFlatDataAndDimensions(uniform[float64](random, n, w.low, w.high), shape...))
		default:
			ins = append(ins, tensors.FromFlatDataAndDimensions(uniform[float32](random, n, w.low, w.high), shape...))
		}
	}
	return ins
}

func uniform[T float32 | float64](random *rand.Rand, n int, low, high float64) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(low + (high-low)*random.Float64())
	}
	return list
}

// measure prints the least and the median time of batches.
func (w workload) measure(backend backends.Backend) error {
	exec, err := g.NewExec(backend, func(in []node) []node {
		loss := w.loss(in)
		return append([]node{loss}, g.Gradient(loss, in[w.data:]...)...)
	})
	if err != nil {
		return err
	}
	ins := w.inputs()
	run := func() error {
		results, err := exec.Exec(ins...)
		for _, r := range results {
			r.FinalizeAll()
		}
		return err
	}
	if err := run(); err != nil {
		return err
	}
	start := time.Now()
	if err := run(); err != nil {
		return err
	}
	calls := max(1, int(2*time.Millisecond/time.Since(start)))
	var times []float64
	for start := time.Now(); len(times) < 5 || time.Since(start) < time.Second; {
		begin := time.Now()
		for range calls {
			if err := run(); err != nil {
				return err
			}
		}
		times = append(times, float64(time.Since(begin).Nanoseconds())/float64(calls))
	}
	slices.Sort(times)
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"peer": "gomlx (Go)", "workload": w.name, "size": w.size, "threads": runtime.GOMAXPROCS(0),
		"ns_per_call": times[0], "ns_median": times[len(times)/2], "note": "value and gradients"})
}

func main() {
	backend, err := backends.NewWithConfig("go")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, w := range workloads {
		if len(os.Args) > 1 && !strings.HasPrefix(w.name, os.Args[1]) {
			continue
		}
		if err := w.measure(backend); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", w.name, err)
		}
	}
}
