package graph_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// straightThrough are the methods whose gradient is deliberately not the derivative.
var straightThrough = map[string]bool{"Quantize": true, "Requantize": true, "QuantizeDynamic": true}

// TestGradOfEveryMethod compares the gradient of each method with a central difference, and compiles it in each float
// type. Elements are from 0.15 to 0.85, where all functions but the inverse of Cosh are defined.
func TestGradOfEveryMethod(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	data, direction := make([]float64, 256), make([]float64, 256)
	for i := range data {
		data[i], direction[i] = 0.15+0.7*rng.Float64(), rng.NormFloat64()
	}
	tested := 0
	for _, c := range calls(t) {
		x := graph.Input("x", graph.Float64, 4, 4, 4, 4)
		y := c.of(x)
		if c.name == "Acosh" {
			y = c.of(x.Add(1))
		}
		if y.Err() != nil || !ir.Fractions.Has(y.DType()) || straightThrough[c.name] {
			continue
		}
		tested++
		loss := y.Cast(graph.Float64).Reshape(-1) // an empty segment has the greatest element -Inf
		loss = graph.Where(loss.IsFinite(), loss, 0).Mul(graph.Iota(graph.Float64, loss.Shape()[0]).Mul(0.7).Sin()).Sum()
		g := graph.Grad(loss, x)[0]
		if c.name == "Bitcast" {
			require.Error(t, g.Err())
			continue
		}
		require.NoError(t, g.Err(), c.name)
		along := g.Mul(graph.Of(direction, 4, 4, 4, 4)).Sum()
		p, err := graph.Compile(loss, along, graph.WithInputs(x))
		require.NoError(t, err, c.name)
		at := func(h float64) (loss, along float64) {
			moved := make([]float64, len(data))
			for i := range data {
				moved[i] = data[i] + h*direction[i]
			}
			outs, err := p.RunAll(t.Context(), graph.Of(moved, 4, 4, 4, 4))
			require.NoError(t, err, c.name)
			loss, err = graph.At[float64](outs[0])
			require.NoError(t, err)
			along, err = graph.At[float64](outs[1])
			require.NoError(t, err)
			return loss, along
		}
		const h = 1e-6
		up, _ := at(h)
		down, _ := at(-h)
		_, got := at(0)
		want := (up - down) / (2 * h)
		require.InDelta(t, want, got, 1e-5*(1+max(want, -want)), c.name)

		for _, dt := range ir.Reals.List() {
			x := graph.Input("x", dt, 4, 4, 4, 4)
			if y := c.of(x); y.Err() == nil && ir.Fractions.Has(y.DType()) {
				g := graph.Grad(y, x)[0]
				require.NoError(t, g.Err(), "%s of %s", c.name, dt)
				require.Equal(t, dt, g.DType(), "%s of %s", c.name, dt)
			}
		}
	}
	require.Greater(t, tested, 150)
}
