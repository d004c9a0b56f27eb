package fft_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft"
)

// TestConvolve compares all methods with the definition, of integers whose sums are exact.
func TestConvolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 300).Draw(t, "n"), rapid.IntRange(1, 60).Draw(t, "m")
		if rapid.Bool().Draw(t, "taps are longer") {
			n, m = m, n
		}
		lines := rapid.IntRange(1, 3).Draw(t, "lines")
		overlap := rapid.SampledFrom([]graph.Overlap{graph.OverlapFull, graph.OverlapSame, graph.OverlapValid}).Draw(t, "overlap")
		x, taps := graph.New(graph.Float64, lines, n), graph.New(graph.Float64, m)
		xs, _ := graph.Data[float64](x)
		for i := range xs {
			xs[i] = float64(i*i*7919%201 - 100)
		}
		by, _ := graph.Data[float64](taps)
		for i := range by {
			by[i] = float64(i*i*104729%201 - 100)
		}
		var want []float64
		for line := range lines {
			full := make([]float64, n+m-1)
			for i, v := range xs[line*n:][:n] {
				for k, w := range by {
					full[i+k] += v * w
				}
			}
			short, long := min(n, m), max(n, m)
			switch overlap {
			case graph.OverlapSame:
				full = full[(short-1)/2:][:long]
			case graph.OverlapValid:
				full = full[short-1 : long]
			}
			want = append(want, full...)
		}
		for _, method := range []fft.Method{fft.Auto, fft.Direct, fft.Transform, fft.Blocks} {
			y, err := fft.Convolve(ctx, x, taps, fft.ConvolveOptions{Overlap: overlap, Method: method})
			require.NoError(t, err)
			got, err := graph.Data[float64](y)
			require.NoError(t, err)
			require.InDeltaSlice(t, want, got, 1e-8, method)
		}
	})
}

// TestConvolveError measures the error against exact sums, relative to the product of the norms.
func TestConvolveError(t *testing.T) {
	x, taps := graph.Normal(graph.Float32, 1, 0, 1, 5000), graph.Normal(graph.Float32, 2, 0, 1, 300)
	xs, _ := graph.Data[float32](x)
	by, _ := graph.Data[float32](taps)
	norm := func(v []float32) float64 {
		sum := 0.0
		for _, e := range v {
			sum += float64(e) * float64(e)
		}
		return math.Sqrt(sum)
	}
	for _, method := range []fft.Method{fft.Transform, fft.Blocks} {
		y, err := fft.Convolve(ctx, x, taps, fft.ConvolveOptions{Method: method})
		require.NoError(t, err)
		got, _ := graph.Data[float32](y)
		for i := 0; i < len(got); i += 97 {
			exact := new(big.Float).SetPrec(200)
			for k, w := range by {
				if j := i - k; j >= 0 && j < len(xs) {
					exact.Add(exact, new(big.Float).SetPrec(200).Mul(big.NewFloat(float64(xs[j])), big.NewFloat(float64(w))))
				}
			}
			want, _ := exact.Float64()
			require.LessOrEqual(t, math.Abs(want-float64(got[i])), 0x1p-24*norm(xs)*norm(by))
		}
	}
}

func TestConvolveMisuse(t *testing.T) {
	x, taps := graph.New(graph.Float32, 2, 8), graph.New(graph.Float32, 3)
	convolve := func(x, taps *graph.Tensor, o fft.ConvolveOptions) error {
		_, err := fft.Convolve(ctx, x, taps, o)
		return err
	}
	for want, err := range map[string]error{
		"convolve: x is float32 and the taps are float64: they must have one type":                 convolve(x, graph.New(graph.Float64, 3), fft.ConvolveOptions{}),
		"convolve: the taps have shape [2 8]: give a vector of at least one element":               convolve(x, x, fft.ConvolveOptions{}),
		"convolve: the taps have shape [0]: give a vector of at least one element":                 convolve(x, graph.New(graph.Float32, 0), fft.ConvolveOptions{}),
		"convolve: x has shape [2 0]: its last axis must have elements":                            convolve(graph.New(graph.Float32, 2, 0), taps, fft.ConvolveOptions{}),
		"convolve: the operand is int32[3]: it must be float32 or float64":                         convolve(x, graph.New(graph.Int32, 3), fft.ConvolveOptions{}),
		"convolve: overlap 7: it is OverlapFull, OverlapSame or OverlapValid":                      convolve(x, taps, fft.ConvolveOptions{Overlap: 7}),
		"convolve: method 9: it is Auto, Direct, Transform or Blocks":                              convolve(x, taps, fft.ConvolveOptions{Method: 9}),
		"fftshift: no axes: name those to shift; the last axis of complex numbers has their parts": func() error { _, err := fft.FFTShift(x); return err }(),
		"ifftshift: axis 2: the operand has shape [2 8]":                                           func() error { _, err := fft.IFFTShift(x, 2); return err }(),
		"fftshift: axis -1 is given twice":                                                         func() error { _, err := fft.FFTShift(x, 1, -1); return err }(),
		"fftfreq: n is 0: it must be at least 1":                                                   func() error { _, err := fft.FFTFreq(graph.Float64, 0, 1); return err }(),
		"rfftfreq: the type is int32: it must be float32 or float64":                               func() error { _, err := fft.RFFTFreq(graph.Int32, 4, 1); return err }(),
		"fftfreq: samples are 0 apart":                                                             func() error { _, err := fft.FFTFreq(graph.Float64, 4, 0); return err }(),
		"hfft: 2 axes: it transforms one": func() error {
			_, err := fft.HFFT(ctx, graph.New(graph.Float32, 2, 2, 2), fft.Options{Axes: []int{0, 1}})
			return err
		}(),
	} {
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^convolve_test.go:\d+: `, err.Error())
	}
	require.Error(t, convolve(nil, taps, fft.ConvolveOptions{}))
	empty, err := fft.Convolve(ctx, graph.New(graph.Float32, 0, 8), taps, fft.ConvolveOptions{})
	require.NoError(t, err)
	require.Equal(t, []int{0, 10}, empty.Shape())
}

// TestNextFastLen compares with a search.
func TestNextFastLen(t *testing.T) {
	smooth := func(n int) bool {
		for _, p := range []int{2, 3, 5, 7} {
			for ; n%p == 0; n /= p {
			}
		}
		return n == 1
	}
	for n := -1; n < 3000; n++ {
		want := max(n, 1)
		for !smooth(want) {
			want++
		}
		require.Equal(t, want, fft.NextFastLen(n), n)
	}
	require.Equal(t, 1<<30, fft.NextFastLen(1<<30))
	require.Equal(t, math.MaxInt, fft.NextFastLen(math.MaxInt))
}
