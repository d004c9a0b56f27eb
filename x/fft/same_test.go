package fft

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// TestEngines compares the bits of transforms by assembly with those by Go loops, for lines, columns and real lines.
func TestEngines(t *testing.T) {
	sameOf[float32](t)
	sameOf[float64](t)
}

func sameOf[T kernel.Element](t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 12, 16, 24, 60, 63, 64, 75, 97, 128, 225, 243, 500, 1000, 1024, 4096, 1 << 16} {
		var results [2][][]T
		for i, find := range []func(int, kernel.Form) func(*kernel.Frame){kernel.Of[T], kernel.Portable[T]} {
			p, err := newPlan[T](n, find)
			require.NoError(t, err)
			for _, inverse := range []bool{false, true} {
				for _, shape := range [][2]int{{1, 1}, {11, 1}, {2, 3}, {1, 19}} {
					if n > 5000 && shape != [2]int{1, 1} {
						continue
					}
					data := make([]T, 2*n*shape[0]*shape[1]+2*shape[0])
					for j := range data {
						data[j] = T((j*j*7919+j*104729)%2003-1001) / 1024
					}
					step := 2 * n * shape[1]
					l := lines[T]{dst: data, src: data, dstStep: step, srcStep: step, outer: shape[0], inner: shape[1], n: n, inverse: inverse, scale: 0.3}
					require.NoError(t, p.transform(context.Background(), l))
					results[i] = append(results[i], data)
				}
			}
			z := make([]T, 2*(n+1))
			for j := range z {
				z[j] = T((j*7919)%2003-1001) / 1024
			}
			require.NoError(t, p.mirror().run(context.Background(), z, z, false, new(work[T]), 1))
			require.NoError(t, p.mirror().run(context.Background(), z, z, true, new(work[T]), 1))
			results[i] = append(results[i], z)
		}
		require.Equal(t, results[0], results[1], n)
	}
}

// TestThreads compares the bits of results on one processor and on several.
func TestThreads(t *testing.T) {
	ctx := context.Background()
	var want []*graph.Tensor
	for _, threads := range []int{1, 3} {
		before := runtime.GOMAXPROCS(threads)
		var got []*graph.Tensor
		keep := func(z *graph.Tensor, err error) {
			require.NoError(t, err)
			got = append(got, z)
		}
		for _, shape := range [][]int{{1 << 17}, {59049}, {40009}, {64, 1000}, {4096, 30}, {3000, 15}, {20011, 2}} {
			z := graph.Normal(graph.Float32, 1, 0, 1, append(shape, 2)...)
			keep(FFTN(ctx, z, Options{}))
			keep(IFFT(ctx, z, Options{Axes: []int{0}}))
			x := z.Index(-1, 0)
			keep(RFFT(ctx, x, Options{}))
			keep(RFFT(ctx, x, Options{Axes: []int{0}}))
			keep(IHFFT(ctx, x, Options{Axes: []int{0}}))
			keep(HFFT(ctx, z, Options{Axes: []int{0}, N: []int{shape[0]}}))
			keep(IRFFT(ctx, z, Options{Axes: []int{0}, N: []int{shape[0] + 1}}))
			keep(IRFFTN(ctx, z, Options{}))
			keep(Convolve(ctx, x, graph.Normal(graph.Float32, 2, 0, 1, 301), ConvolveOptions{Method: Blocks}))
			keep(Convolve(ctx, x, graph.Normal(graph.Float32, 2, 0, 1, 301), ConvolveOptions{Method: Transform}))
		}
		runtime.GOMAXPROCS(before)
		if want == nil {
			want = got
			continue
		}
		for i := range got {
			require.True(t, graph.Equal(want[i], got[i]), i)
		}
	}
}
