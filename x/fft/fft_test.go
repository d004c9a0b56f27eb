package fft_test

import (
	"context"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	complexes "github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/x/fft"
)

var ctx = context.Background()

// direct returns the transform of a line by its definition.
func direct(z []complex128, inverse bool) []complex128 {
	out, n := make([]complex128, len(z)), len(z)
	for k := range out {
		for j, v := range z {
			angle := -2 * math.Pi * float64(j*k%n) / float64(n)
			if inverse {
				angle = -angle
			}
			out[k] += v * cmplx.Rect(1, angle)
		}
	}
	return out
}

// random returns complex numbers of a normal distribution.
func random(seed uint64, dt graph.DType, shape ...int) *graph.Tensor {
	return graph.Normal(dt, seed, 0, 1, append(shape, 2)...)
}

func numbers(t require.TestingT, z *graph.Tensor, err error) []complex128 {
	require.NoError(t, err)
	if z.DType() == graph.Float32 {
		narrow, err := complexes.Data[complex64](z.Contiguous())
		require.NoError(t, err)
		out := make([]complex128, len(narrow))
		for i, v := range narrow {
			out[i] = complex128(v)
		}
		return out
	}
	out, err := complexes.Data[complex128](z.Contiguous())
	require.NoError(t, err)
	return out
}

// near requires that the root mean square error is small against the numbers.
func near(t require.TestingT, want, got []complex128, tolerance float64, at ...any) {
	require.Len(t, got, len(want))
	var sum, all float64
	for i, v := range want {
		sum += math.Pow(cmplx.Abs(v-got[i]), 2)
		all += math.Pow(cmplx.Abs(v), 2)
	}
	require.LessOrEqual(t, math.Sqrt(sum), tolerance*math.Sqrt(all), "%v", at)
}

// TestLengths compares transforms of all small lengths, of primes beyond gonum's and of their
// multiples with the definition.
func TestLengths(t *testing.T) {
	lengths := []int{97, 101, 103, 128, 206, 211, 309, 1009, 1024}
	for n := range 66 {
		lengths = append(lengths, n+1)
	}
	for _, n := range lengths {
		z := random(uint64(n), graph.Float64, n)
		forward, err := fft.FFT(ctx, z, fft.Options{})
		near(t, direct(numbers(t, z, nil), false), numbers(t, forward, err), 1e-13, n)
		back, err := fft.IFFT(ctx, forward, fft.Options{})
		near(t, numbers(t, z, nil), numbers(t, back, err), 1e-14, n)
		inverse, err := fft.IFFT(ctx, z, fft.Options{Norm: fft.Forward})
		near(t, direct(numbers(t, z, nil), true), numbers(t, inverse, err), 1e-13, n)

		x := z.Index(1, 0) // a view with a stride of 2
		half, err := fft.RFFT(ctx, x, fft.Options{})
		whole := make([]complex128, n)
		for i := range whole {
			v, err := graph.At[float64](x, i)
			require.NoError(t, err)
			whole[i] = complex(v, 0)
		}
		near(t, direct(whole, false)[:n/2+1], numbers(t, half, err), 1e-13, n)
		same, err := fft.IRFFT(ctx, half, fft.Options{N: []int{n}})
		require.NoError(t, err)
		parts, err := graph.Data[float64](same)
		require.NoError(t, err)
		require.Len(t, parts, n)
		for i, v := range parts {
			require.InDelta(t, real(whole[i]), v, 1e-12, n)
		}
	}
}

// TestAxes transforms arrays of several axes and any layout, axis after axis by the definition,
// and back by all functions and norms.
func TestAxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 7), 1, 4).Draw(t, "shape")
		axes := rapid.Permutation([]int{0, 1, 2, 3}[:len(shape)]).Draw(t, "axes")[:rapid.IntRange(1, len(shape)).Draw(t, "count")]
		norm := rapid.SampledFrom([]fft.Norm{fft.Backward, fft.Ortho, fft.Forward}).Draw(t, "norm")
		dt, tolerance := graph.Float64, 1e-13
		if rapid.Bool().Draw(t, "float32") {
			dt, tolerance = graph.Float32, 1e-6
		}
		z := random(rapid.Uint64().Draw(t, "seed"), dt, shape...)
		if rapid.Bool().Draw(t, "flipped") {
			z = z.Flip(0)
		}
		o := fft.Options{Axes: append([]int{}, axes...), Norm: norm}
		if rapid.Bool().Draw(t, "from the end") {
			o.Axes[0] -= len(shape)
		}
		want, count := numbers(t, z, nil), 1
		for _, axis := range axes {
			want = directAlong(want, shape, axis)
			count *= shape[axis]
		}
		divisor := map[fft.Norm]float64{fft.Backward: 1, fft.Ortho: math.Sqrt(float64(count)), fft.Forward: float64(count)}[norm]
		for i := range want {
			want[i] /= complex(divisor, 0)
		}
		forward, err := fft.FFT(ctx, z, o)
		near(t, want, numbers(t, forward, err), tolerance)
		require.Equal(t, dt, forward.DType())
		back, err := fft.IFFT(ctx, forward, o)
		near(t, numbers(t, z, nil), numbers(t, back, err), tolerance)

		x := z.Index(-1, 0)
		half, err := fft.RFFT(ctx, x, o)
		require.NoError(t, err)
		last := axes[len(axes)-1]
		o.N = make([]int, len(axes))
		o.N[len(axes)-1] = shape[last]
		same, err := fft.IRFFT(ctx, half, o)
		require.NoError(t, err)
		require.Equal(t, x.Shape(), same.Shape())
		full, err := fft.FFT(ctx, complexOf(t, x), fft.Options{Axes: axes, Norm: norm})
		require.NoError(t, err)
		cut := full.Permute(append([]int{last}, others(len(shape)+1, last)...)...).SliceAxis(0, 0, shape[last]/2+1, 1)
		near(t, numbers(t, cut, nil), numbers(t, half.Permute(append([]int{last}, others(len(shape)+1, last)...)...), nil), tolerance)
		near(t, numbers(t, complexOf(t, x), nil), numbers(t, complexOf(t, same), nil), tolerance)
	})
}

func others(rank, axis int) (out []int) {
	for i := range rank {
		if i != axis {
			out = append(out, i)
		}
	}
	return out
}

// complexOf returns real numbers as complex ones.
func complexOf(t require.TestingT, x *graph.Tensor) *graph.Tensor {
	p, err := graph.Compile(graph.Stack(-1, graph.Const(x), graph.Const(x).Mul(0)))
	require.NoError(t, err)
	z, err := p.Run(ctx)
	require.NoError(t, err)
	return z
}

// directAlong transforms along an axis by the definition.
func directAlong(z []complex128, shape []int, axis int) []complex128 {
	out, inner := make([]complex128, len(z)), 1
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	n := shape[axis]
	for begin := range z {
		if begin/inner%n != 0 {
			continue
		}
		line := make([]complex128, n)
		for k := range line {
			line[k] = z[begin+k*inner]
		}
		for k, v := range direct(line, false) {
			out[begin+k*inner] = v
		}
	}
	return out
}

func TestMisuse(t *testing.T) {
	z := random(1, graph.Float64, 4, 8)
	var unset context.Context
	_, err := fft.RFFT(unset, z, fft.Options{})
	require.ErrorContains(t, err, "the context is nil")
	_, err = fft.Convolve(unset, z, z, fft.ConvolveOptions{})
	require.ErrorContains(t, err, "the context is nil")
	empty := graph.New(graph.Float64, 3, 0, 2)
	forward := func(t *graph.Tensor, o fft.Options) error { _, err := fft.FFT(ctx, t, o); return err }
	inverse := func(t *graph.Tensor, o fft.Options) error { _, err := fft.IRFFT(ctx, t, o); return err }
	realForward := func(t *graph.Tensor, o fft.Options) error { _, err := fft.RFFT(ctx, t, o); return err }
	for want, err := range map[string]error{
		"fft: axis 2: the numbers have shape [4 8]":                                                forward(z, fft.Options{Axes: []int{2}}),
		"fft: axis -3: the numbers have shape [4 8]":                                               forward(z, fft.Options{Axes: []int{-3}}),
		"fft: axis 1 is given twice":                                                               forward(z, fft.Options{Axes: []int{1, -1}}),
		"fft: axis 1 of shape [3 0] has no elements":                                               forward(empty, fft.Options{}),
		"fft: axis -1: the numbers have shape []":                                                  forward(graph.Ones(graph.Float64, 2), fft.Options{}),
		"fft: the operand has shape [4 8]: its last axis must have the 2 parts of complex numbers": forward(z.Index(-1, 0), fft.Options{}),
		"fft: the operand has shape []: its last axis must have the 2 parts of complex numbers":    forward(graph.ScalarOf(1.0), fft.Options{}),
		"fft: the operand is int32[2]: it must be float32 or float64":                              forward(graph.Ones(graph.Int32, 2), fft.Options{}),
		"fft: N has 2 elements for 1 axes":                                                         forward(z, fft.Options{N: []int{8, 8}}),
		"fft: norm 9: it is Backward, Ortho or Forward":                                            forward(z, fft.Options{Norm: 9}),
		"irfft: N is -15 for axis 1: it must not be negative":                                      inverse(z, fft.Options{N: []int{-15}}),
		"rfft: axis -1: the numbers have shape []":                                                 realForward(graph.ScalarOf(1.0), fft.Options{}),
		"rfft: the operand is bool[2]: it must be float32 or float64":                              realForward(graph.Ones(graph.Bool, 2), fft.Options{}),
	} {
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^fft_test.go:\d+: `, err.Error())
	}
	require.Error(t, forward(nil, fft.Options{}))
	none, err := fft.FFT(ctx, empty, fft.Options{Axes: []int{0}})
	require.NoError(t, err)
	require.Equal(t, []int{3, 0, 2}, none.Shape())
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = fft.FFT(done, z, fft.Options{})
	require.ErrorIs(t, err, context.Canceled)
}
