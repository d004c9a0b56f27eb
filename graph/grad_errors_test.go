package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestGradErrors: mistakes stick to the gradients, with the op and the line that caused them.
func TestGradErrors(t *testing.T) {
	x, i := graph.Input("x", graph.Float32, 3), graph.Input("i", graph.Int32, 3)
	h := graph.Input("h", graph.Float16, 3)
	half, at := h.Bitcast(graph.BFloat16).Exp(), here()
	bad := graph.WithVJP(x.Exp(), func(y, g graph.Node) []graph.Node { return []graph.Node{g.Cast(graph.Float64)} }, x)
	few := graph.WithVJP(x.Exp(), func(y, g graph.Node) []graph.Node { return nil }, x)
	broken := graph.WithVJP(x.Exp(), func(y, g graph.Node) []graph.Node { return []graph.Node{g.Reshape(7)} }, x)
	for k, c := range []struct {
		got  graph.Node
		want string
	}{
		{graph.Grad(i.Sum(), x)[0], "grad: int32[] has no gradient: Cast to a float type before computing with it"},
		{graph.Grad(x.Sum(), i)[0], "grad: int32[3] has no gradient: Cast to a float type before computing with it"},
		{graph.Grad(x.Eq(1), x)[0], "grad: bool[3] has no gradient"},
		{graph.Grad(x.Add(graph.Input("w", graph.Float32, 4)), x)[0], "add: shapes [3] and [4] do not broadcast"},
		{graph.Grad(x, x.Add(graph.Input("w", graph.Float32, 4)))[0], "add: shapes [3] and [4] do not broadcast"},
		{graph.Grad(graph.Node{}, x)[0], "the Node is zero"},
		{graph.VJP(x, graph.Input("g", graph.Float64, 3), x)[0], "vjp: a cotangent of float64 for float32[3]: it must be float32"},
		{graph.VJP(x, graph.Input("g", graph.Float32, 4), x)[0], "vjp: shapes [4] and [3] do not broadcast"},
		{graph.Grad(bad, x)[0], "grad: exp: its rule returns the cotangent float64[3] for float32[3]: the types must be equal, and one shape must broadcast to the other"},
		{graph.Grad(few, x)[0], "grad: exp: its rule returns 0 cotangents: there must be one for each of 1 Nodes"},
		{graph.Grad(broken, x)[0], "grad: exp: shape [3] has 3 elements and [7] has 7"},
		{graph.WithVJP(x, nil, x), "withvjp: the rule is nil"},
		{graph.HVP(x.Sum(), []graph.Node{x}, nil)[0], "hvp: 0 vectors for 1 Nodes: give one for each, and at least one"},
		{graph.HVP(x.Square(), []graph.Node{x}, []graph.Node{graph.Input("v", graph.Float32, 4)})[0], "hvp: vector 0 is float32[4] and its Node float32[3]: they must have one type and shape"},
	} {
		require.ErrorContains(t, c.got.Err(), c.want, "case %d", k)
	}
	require.EqualError(t, graph.Grad(half, h)[0].Err(), at+": grad: bitcast: the bits of a number are not a function with a derivative; StopGradient treats them as constant")
	require.NoError(t, graph.Grad(half, x)[0].Err(), "no way leads through the bitcast")
	require.NoError(t, graph.Grad(x.Bitcast(graph.Int32).Bitcast(graph.Float32), x)[0].Err(), "integers are on the way: the derivative is zero")
}

// TestGradZero: gradients with respect to what y does not depend on, or only through integers, are zeros, and Explain
// says so with the line of the call, also where they are operands.
func TestGradZero(t *testing.T) {
	n := graph.Dim("n")
	x, w, z := graph.Input("x", graph.Float64, n), graph.Input("w", graph.Float64, n), graph.Input("z", graph.Float64, 2)
	y := x.Mul(w.Floor()).Sum()
	gradients, at := graph.Grad(y, x, w, z), here()
	p, err := graph.Compile(gradients[0], w.Sub(gradients[1]), gradients[2], graph.WithInputs(x, w, z))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), graph.Of([]float64{1, 2, 3}), graph.Of([]float64{4, 5.5, 6}), graph.Of([]float64{7, 8}))
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float64{4, 5, 6}), outs[0]))
	require.True(t, graph.Equal(graph.Of([]float64{4, 5.5, 6}), outs[1]))
	require.True(t, graph.Equal(graph.Zeros(graph.Float64, 2), outs[2]))
	for _, line := range []string{
		"zero    the gradient with respect to z float64[2]: nothing differentiated depends on it // " + at,
		"zero    the gradient with respect to w float64[n]: what depends on it is an integer, a comparison or another function whose derivative is 0 // " + at,
	} {
		require.Contains(t, p.Explain(), line)
	}
	require.Equal(t, 2, strings.Count(p.Explain(), "zero    "))
}

// TestGradNonFinite: a NaN in a gradient is found with the call and the line of the op whose derivative makes it.
func TestGradNonFinite(t *testing.T) {
	x := graph.Input("x", graph.Float64, 2)
	y, at := x.Sqrt(), here()
	p, err := graph.Compile(graph.Grad(y.Mul(2).Sum(), x), graph.WithDebug(graph.NonFinite))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]float64{0, 1}))
	require.ErrorContains(t, err, at+": sqrt: div made a NaN or an infinity")

	// The call is that of the op even if Grad is called on the op's line.
	p, err = graph.Compile(graph.HVP(graph.Grad(x.Log(), x)[0], []graph.Node{x}, []graph.Node{x}))
	require.NoError(t, err)
	require.ErrorContains(t, p.FindNonFinite(t.Context(), graph.Of([]float64{0, 1})), ": log: reciprocal made a NaN or an infinity")
}
