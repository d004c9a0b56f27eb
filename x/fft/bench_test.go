package fft_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft"
)

// BenchmarkFFT transforms lines and batches of them. It reports the least time of a call, which other load on the machine
// disturbs least; bench.py measures the same with NumPy and SciPy.
func BenchmarkFFT(b *testing.B) {
	shapes := [][]int{{16}, {64}, {256}, {1024}, {4096}, {1 << 14}, {1 << 16}, {1 << 18}, {1 << 19}, {1 << 20},
		{729}, {2187}, {59049}, {625}, {3125}, {1000}, {1009}, {10000, 16}, {1000, 256}, {512, 512}}
	for _, name := range []string{"fft", "rfft", "irfft", "fftn"} {
		for _, dt := range []graph.DType{graph.Float64, graph.Float32} {
			for _, shape := range shapes {
				if name == "fftn" && (len(shape) == 1 || shape[0] != shape[1]) {
					continue
				}
				n := shape[len(shape)-1]
				z := random(1, dt, shape...)
				f := func() (*graph.Tensor, error) { return fft.FFT(ctx, z, fft.Options{}) }
				switch name {
				case "rfft":
					z = z.Index(-1, 0).Contiguous()
					f = func() (*graph.Tensor, error) { return fft.RFFT(ctx, z, fft.Options{}) }
				case "irfft":
					z = z.SliceAxis(-2, 0, n/2+1, 1).Contiguous()
					f = func() (*graph.Tensor, error) { return fft.IRFFT(ctx, z, fft.Options{N: []int{n}}) }
				case "fftn":
					f = func() (*graph.Tensor, error) { return fft.FFTN(ctx, z, fft.Options{}) }
				}
				b.Run(fmt.Sprint(name, "/", dt, slices.Concat(shape)), func(b *testing.B) { least(b, f) })
			}
		}
	}
}

// least reports the least time of a call.
func least(b *testing.B, f func() (*graph.Tensor, error)) {
	best := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		out, err := f()
		if err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
		_ = out.Release()
	}
	b.ReportMetric(float64(best.Nanoseconds())/1e3, "least-µs")
}

// BenchmarkConvolve convolves float64 lines with taps by each method; bench.py does so by scipy.signal.
func BenchmarkConvolve(b *testing.B) {
	for _, size := range [][2]int{{1000, 10}, {1000, 1000}, {100_000, 5}, {100_000, 30}, {100_000, 100}, {100_000, 1000}, {1_000_000, 10_000}, {300_000, 300_000}} {
		x, taps := graph.Normal(graph.Float64, 1, 0, 1, size[0]), graph.Normal(graph.Float64, 2, 0, 1, size[1])
		for name, method := range map[string]fft.Method{"auto": fft.Auto, "direct": fft.Direct, "transform": fft.Transform, "blocks": fft.Blocks} {
			if method == fft.Direct && size[1] > 1000 {
				continue
			}
			b.Run(fmt.Sprint(size[0], " ", size[1], "/", name), func(b *testing.B) {
				least(b, func() (*graph.Tensor, error) { return fft.Convolve(ctx, x, taps, fft.ConvolveOptions{Method: method}) })
			})
		}
	}
}
