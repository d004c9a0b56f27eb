package fft_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/x/fft"
)

// The power of each frequency: a transform, and a program that reads it.
func ExampleRFFT() {
	ctx := context.Background()
	x := graph.Of([]float64{1, 0, -1, 0, 1, 0, -1, 0}) // two periods of a cosine
	z, err := fft.RFFT(ctx, x, fft.Options{Norm: fft.Forward})
	if err != nil {
		panic(err)
	}
	parts := cmplx.Input("z", graph.Float64, graph.Dim("n"))
	p, err := graph.Compile(parts.Abs().Square())
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Run(ctx, z))
	// Output:
	// float64[5]
	// [0.   0.   0.25 0.   0.  ] <nil>
}

func ExampleFFT() {
	z, err := fft.FFT(context.Background(), cmplx.Of([]complex128{1, 2, 3, 4i}), fft.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(cmplx.Data[complex128](z))
	_, err = fft.FFT(context.Background(), z, fft.Options{Axes: []int{1}})
	fmt.Println(err)
	// Output:
	// [(6+4i) (-6-2i) (2-4i) (2+2i)] <nil>
	// example_test.go:37: fft: axis 1: the numbers have shape [4]
}
