package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
		if !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) { // also if one is NaN
			t.Fatalf("the derivative of %s along a direction is %g by Grad, and %g by a difference quotient.\n%s", c.name, got, want, wrongest(t, loss, g, x, data))
		}

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

// wrongest describes the element of x whose gradient differs most from the difference quotient of that element.
func wrongest(t *testing.T, loss, g, x graph.Node, data []float64) string {
	p, err := graph.Compile(loss, g, graph.WithInputs(x))
	require.NoError(t, err)
	at := func(i int, h float64) (loss float64, gradient []float64) {
		moved := slices.Clone(data)
		moved[i] += h
		outs, err := p.RunAll(t.Context(), graph.Of(moved, 4, 4, 4, 4))
		require.NoError(t, err)
		loss, err = graph.At[float64](outs[0])
		require.NoError(t, err)
		gradient, err = graph.Data[float64](outs[1])
		require.NoError(t, err)
		return loss, gradient
	}
	_, gradient := at(0, 0)
	most, text := -1.0, ""
	for i, v := range data {
		const h = 1e-6
		up, _ := at(i, h)
		down, _ := at(i, -h)
		quotient := (up - down) / (2 * h)
		if d := math.Abs(gradient[i] - quotient); d > most || d != d {
			most = d
			text = fmt.Sprintf("They differ most at element %d, x = %g: the gradient is %g, the difference quotient %g.", i, v, gradient[i], quotient)
		}
	}
	return text
}
