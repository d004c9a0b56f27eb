package graph_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestDivisionByZero: the first op that divides an integer by zero is found, whichever it is; divisions of floats are
// not.
func TestDivisionByZero(t *testing.T) {
	ops := map[string]func(x, by graph.Node) graph.Node{
		"div": func(x, by graph.Node) graph.Node { return x.Div(by) }, "floordiv": func(x, by graph.Node) graph.Node { return x.FloorDiv(by) },
		"rem": func(x, by graph.Node) graph.Node { return x.Rem(by) }, "mod": func(x, by graph.Node) graph.Node { return x.Mod(by) },
	}
	for name, op := range ops {
		for _, dt := range []graph.DType{graph.Int8, graph.Uint16, graph.Int32, graph.Int64, graph.Uint64} {
			x, by := graph.Input("x", dt, graph.Dim("n"), 3), graph.Input("by", dt, 3)
			y := op(x.Add(1), by.Sub(1))
			p, err := graph.Compile(y.Mul(2).Sum(), graph.WithDebug(graph.DivisionByZero))
			require.NoError(t, err)
			in := graph.Ones(dt, 4, 3)
			divisor := func(values ...int8) *graph.Tensor { return runs(t, graph.Const(graph.Of(values)).Cast(dt)) }
			_, err = p.Run(t.Context(), in, divisor(2, 3, 4))
			require.NoError(t, err)
			_, err = p.Run(t.Context(), in, divisor(2, 1, 4))
			var found *graph.DivisionByZeroError
			require.True(t, errors.As(err, &found), "%s of %s: %v", name, dt, err)
			require.Equal(t, []int{0, 1}, found.Index)
			require.ErrorContains(t, err, name+" divided by zero at index [0 1]")
			plain, err := graph.Compile(y)
			require.NoError(t, err)
			require.Error(t, plain.FindDivisionByZero(t.Context(), in, divisor(2, 1, 4)))
			call, err := p.Bind([]*graph.Tensor{graph.Full(p.Outputs()[0].DType, 0)}, in, divisor(1, 2, 2))
			require.NoError(t, err)
			require.Error(t, call.Run(t.Context()))
		}
		p, err := graph.Compile(op(graph.Const(graph.Of([]float32{1})), graph.Const(graph.Of([]float32{0}))).Neg(), graph.WithDebug(graph.DivisionByZero))
		if err == nil { // Rem of integers
			_, err = p.Run(t.Context())
			require.NoError(t, err, name)
		}
	}
	p, err := graph.Compile(graph.Const(graph.Of([]int32{7, 8})).Div(0), graph.WithDebug(graph.DivisionByZero))
	require.NoError(t, err)
	_, err = p.Run(t.Context())
	var found *graph.DivisionByZeroError
	require.True(t, errors.As(err, &found), "%v", err)
	require.Equal(t, ir.OpDiv, found.Op)
}

// TestSearchesOfNothing: programs without divisions or floats still check what they are given.
func TestSearchesOfNothing(t *testing.T) {
	p, err := graph.Compile(graph.Input("x", graph.Int32, 3).Add(1))
	require.NoError(t, err)
	require.NoError(t, p.FindDivisionByZero(t.Context(), graph.Zeros(graph.Int32, 3)))
	require.ErrorContains(t, p.FindDivisionByZero(t.Context(), graph.Zeros(graph.Int32, 4)), "axis 0 must be 3")
	require.ErrorContains(t, p.FindNonFinite(t.Context()), "0 inputs given")
}

func TestSearchesOfNoProgram(t *testing.T) {
	for _, p := range []*graph.Program{nil, {}} {
		require.Error(t, p.FindDivisionByZero(t.Context()))
		require.Error(t, p.FindNonFinite(t.Context()))
	}
}

// runs returns the value of a graph without inputs.
func runs(t *testing.T, x graph.Node) *graph.Tensor {
	p, err := graph.Compile(x)
	require.NoError(t, err)
	out, err := p.Run(t.Context())
	require.NoError(t, err)
	return out
}
