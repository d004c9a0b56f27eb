package fft_test

import (
	"fmt"
	"testing"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft"
)

// BenchmarkFFT transforms single lines, of powers of two, primes below and above those that gonum
// computes, and lengths between.
func BenchmarkFFT(b *testing.B) {
	for _, n := range []int{1024, 1009, 17, 31, 53, 97, 101, 211, 1000, 1 << 20, 1000003} {
		z := random(1, graph.Float64, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := fft.FFT(ctx, z, fft.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
