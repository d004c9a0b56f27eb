package fft_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft"
)

// TestNumPy compares all functions with what numpy.fft returns, by testdata/reference.py.
func TestNumPy(t *testing.T) {
	type elements struct {
		Shape []int
		Data  []float64
	}
	var cases []struct {
		Name    string
		X, Want elements
		Axes, N []int
		Norm    fft.Norm
	}
	text, err := os.ReadFile("testdata/numpy.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &cases))
	functions := map[string]func(context.Context, *graph.Tensor, fft.Options) (*graph.Tensor, error){
		"fft": fft.FFT, "ifft": fft.IFFT, "fftn": fft.FFTN, "ifftn": fft.IFFTN, "rfft": fft.RFFT, "irfft": fft.IRFFT,
		"rfftn": fft.RFFTN, "irfftn": fft.IRFFTN, "hfft": fft.HFFT, "ihfft": fft.IHFFT,
	}
	seen := map[string]bool{}
	for i, c := range cases {
		seen[c.Name] = true
		var got *graph.Tensor
		var err error
		var x *graph.Tensor
		if c.X.Shape != nil {
			x = graph.Of(c.X.Data, c.X.Shape...)
		}
		switch c.Name {
		case "fftfreq":
			got, err = fft.FFTFreq(graph.Float64, c.N[0], 0.3)
		case "rfftfreq":
			got, err = fft.RFFTFreq(graph.Float64, c.N[0], 0.3)
		case "fftshift":
			got, err = fft.FFTShift(x, c.Axes...)
		case "ifftshift":
			got, err = fft.IFFTShift(x, c.Axes...)
		default:
			got, err = functions[c.Name](ctx, x, fft.Options{Axes: c.Axes, N: c.N, Norm: c.Norm})
		}
		at := fmt.Sprintf("case %d: %s of %v, axes %v, N %v", i, c.Name, c.X.Shape, c.Axes, c.N)
		require.NoError(t, err, at)
		require.Equal(t, c.Want.Shape, got.Shape(), at)
		data, err := graph.Data[float64](got.Contiguous())
		require.NoError(t, err, at)
		require.InDeltaSlice(t, c.Want.Data, data, 1e-13, at)
	}
	require.Len(t, seen, len(functions)+4)
}
