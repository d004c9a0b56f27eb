package main

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func TestOutput(t *testing.T) {
	var out strings.Builder
	var picture bytes.Buffer
	require.NoError(t, run(t.Context(), &out, &picture))
	require.Equal(t, `update  mean squared error/variance  error of the source  its power
     0                      205.572                92.3%      6.877
   100                        1.303                11.9%      5.254
   200                        1.063                 9.6%      5.195
   300                        0.997                 9.4%      5.174
   400                        0.988                 9.3%      5.170
`, out.String())
	img, err := png.Decode(&picture)
	require.NoError(t, err)
	require.Equal(t, 3*(side*scale+4), img.Bounds().Dx())
	r, g, b, _ := img.At(2+10*scale, 2+9*scale).RGBA() // the hottest cell of the true source
	require.Equal(t, [3]uint32{0xffff, 0xffff, 0xffff}, [3]uint32{r, g, b})
}

// TestSimulate compares the temperatures with plain loops, and the gradient of one of them, which is the same for every
// source, with the temperature that a source of one cell makes: the equation is symmetric.
func TestSimulate(t *testing.T) {
	source := graph.Uniform(graph.Float64, 3, 0, 1, side, side)
	x := graph.Input("source", graph.Float64, side, side)
	u := simulate(x)
	last := u.Index(0, -1)
	p, err := graph.Compile(u, graph.Grad(last.At(9, 10), x)[0])
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), source)
	require.NoError(t, err)
	for m := range steps / every {
		require.InDeltaSlice(t, loops(t, source, (m+1)*every), elements(t, outs[0].Index(0, m)), 1e-10)
	}
	point := graph.Zeros(graph.Float64, side, side)
	require.NoError(t, graph.Set(point, 1.0, 9, 10))
	require.InDeltaSlice(t, loops(t, point, steps), elements(t, outs[1]), 1e-12)
}

func elements(t *testing.T, x *graph.Tensor) []float64 {
	all, err := graph.Data[float64](x)
	require.NoError(t, err)
	return all
}

// loops returns the temperatures after some steps.
func loops(t *testing.T, source *graph.Tensor, steps int) []float64 {
	s, u := elements(t, source), make([]float64, side*side)
	for range steps {
		at := func(y, x int) float64 {
			if min(y, x) < 0 || max(y, x) >= side {
				return 0
			}
			return u[y*side+x]
		}
		next := make([]float64, side*side)
		for i := range next {
			y, x := i/side, i%side
			next[i] = u[i] + conductivity*(at(y+1, x)+at(y-1, x)+at(y, x+1)+at(y, x-1)-4*u[i]) + s[i]
		}
		u = next
	}
	return u
}
