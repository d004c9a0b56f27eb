package fft_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/x/fft"
)

// exact is an element of a transform: each part is a sum.
type exact struct {
	n, k      int
	re, reLow float64
	im, imLow float64
}

// exactElements reads what testdata/exact.py wrote.
func exactElements(t *testing.T) map[int][]exact {
	file, err := os.Open("testdata/exact.txt")
	require.NoError(t, err)
	defer file.Close()
	out := map[int][]exact{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var e exact
		_, err := fmt.Sscan(lines.Text(), &e.n, &e.k, &e.re, &e.reLow, &e.im, &e.imLow)
		require.NoError(t, err)
		out[e.n] = append(out[e.n], e)
	}
	return out
}

// sample is an element of the input of exact.py: exact also as a float32.
func sample(j int) float64 { return float64((j*j*7919+j*104729+12345)%2003-1001) / 1024 }

// TestExact measures the errors of transforms against exact ones, relative to the root mean square of all elements, in
// units of the precision (2^-53 or 2^-24). The bounds are stated in the package's documentation.
func TestExact(t *testing.T) {
	for n, elements := range exactElements(t) {
		z64, z32 := make([]complex128, n), make([]complex64, n)
		square := 0.0
		for j := range z64 {
			z64[j] = complex(sample(j), sample(j+n))
			z32[j] = complex64(z64[j])
			square += real(z64[j])*real(z64[j]) + imag(z64[j])*imag(z64[j])
		}
		norm := math.Sqrt(square) // by Parseval that of the result's elements, divided by the root of n
		bound := math.Log2(float64(n))
		if fft.NextFastLen(n) != n {
			bound *= 2 // Bluestein's algorithm
		}
		for _, dt := range []graph.DType{graph.Float64, graph.Float32} {
			var z *graph.Tensor
			unit := 0x1p-53
			if dt == graph.Float64 {
				z = cmplx.Of(z64)
			} else {
				z, unit = cmplx.Of(z32), 0x1p-24
			}
			out, err := fft.FFT(ctx, z, fft.Options{})
			got := numbers(t, out, err)
			worst := 0.0
			for _, e := range elements {
				re, im := real(got[e.k])-e.re-e.reLow, imag(got[e.k])-e.im-e.imLow
				worst = max(worst, math.Hypot(re, im)/norm/unit)
			}
			t.Logf("%v %d: %.2f", dt, n, worst)
			require.LessOrEqual(t, worst, bound, "%v %d", dt, n)
		}
	}
}

// TestSpecial: a line with a NaN or an infinity has no finite element, and others are as they were; an impulse gives
// ones, zeros give zeros; scaling by powers of two changes no bit of a fraction.
func TestSpecial(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8, 12, 16, 60, 64, 97, 243, 1000, 1024, 4096} {
		rows := random(uint64(n), graph.Float64, 3, n)
		clean, err := fft.FFT(ctx, rows, fft.Options{})
		before := numbers(t, clean, err)
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			z := rows.Clone()
			require.NoError(t, graph.Set(z, v, 1, n/3, 0))
			out, err := fft.FFT(ctx, z, fft.Options{})
			after := numbers(t, out, err)
			require.Equal(t, before[:n], after[:n])
			require.Equal(t, before[2*n:], after[2*n:])
			for _, v := range after[n : 2*n] {
				sum := real(v) + imag(v)
				require.True(t, math.IsNaN(sum) || math.IsInf(sum, 0), "%d: %v", n, v)
			}
		}
		impulse := make([]complex128, n)
		impulse[0] = 1
		out, err := fft.FFT(ctx, cmplx.Of(impulse), fft.Options{})
		for _, v := range numbers(t, out, err) {
			require.InDelta(t, 1, real(v), 1e-15)
			require.InDelta(t, 0, imag(v), 1e-15)
		}
		zeros, err := fft.FFT(ctx, graph.New(graph.Float32, n, 2), fft.Options{})
		for _, v := range numbers(t, zeros, err) {
			require.Zero(t, v)
		}
		scaled := make([]complex128, n)
		for i, v := range numbers(t, rows.Index(0, 0), nil) {
			scaled[i] = v * 0x1p+900
		}
		out, err = fft.FFT(ctx, cmplx.Of(scaled), fft.Options{})
		for i, v := range numbers(t, out, err) {
			require.Equal(t, before[i]*0x1p+900, v)
		}
	}
}

// TestReal compares transforms of real lines with complex ones, and transforms them back.
func TestReal(t *testing.T) {
	for _, dt := range []graph.DType{graph.Float64, graph.Float32} {
		tolerance := 1e-14
		if dt == graph.Float32 {
			tolerance = 1e-6
		}
		for _, n := range []int{18, 34, 100, 250, 512, 1000, 1001, 1026, 4096, 10000, 1 << 17} {
			for _, lines := range []int{1, 5} {
				x := graph.Normal(dt, uint64(n), 0, 1, lines, n)
				half, err := fft.RFFT(ctx, x, fft.Options{})
				require.NoError(t, err)
				whole, err := fft.FFT(ctx, complexOf(t, x), fft.Options{})
				require.NoError(t, err)
				near(t, numbers(t, whole.SliceAxis(1, 0, n/2+1, 1), nil), numbers(t, half, nil), tolerance, dt, n)
				back, err := fft.IRFFT(ctx, half, fft.Options{N: []int{n}})
				require.NoError(t, err)
				near(t, numbers(t, complexOf(t, x), nil), numbers(t, complexOf(t, back), nil), tolerance, dt, n)
			}
		}
	}
}
