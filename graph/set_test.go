package graph_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestSet compares with the same slices of tensors, which are set in place.
func TestSet(t *testing.T) {
	for _, spec := range []string{"1", "1:3", "..., 2", ":, 1:4:2", "::-1, ::3", "3:0:-2, 1", "-1, -3:", ":", "2:2", "None, 1, :", "1, None, ::2"} {
		want := numbered(4, 5)
		part := want.Slice(spec)
		value := numbered(part.Shape()...)
		require.NoError(t, graph.Copy(part, value), spec)
		y := graph.Const(numbered(4, 5)).Set(spec, graph.Const(value))
		require.NoError(t, y.Err(), spec)
		require.Equal(t, shown(want), shown(run(t, y)), spec)
		anySize := graph.Input("x", graph.Int32, graph.Dim("n"), graph.Dim("m")).Set(spec, -7)
		p, err := graph.Compile(anySize)
		require.NoError(t, err, spec)
		z, err := p.Run(t.Context(), numbered(4, 5))
		require.NoError(t, err, spec)
		require.Equal(t, shown(run(t, graph.Const(numbered(4, 5)).Set(spec, -7))), shown(z), spec)
	}
	x := graph.Const(numbered(2, 3))
	require.Equal(t, "int32[2,3] [[ 0 -7 2] [ 3 -7 5]]", shown(run(t, x.Set(":, 1", -7))))
	require.Equal(t, "int32[] 5", shown(run(t, x.At(-1, 2))))
	require.ErrorContains(t, x.At(1).Err(), "at: 1 indices for the 2 axes of int32[2,3]")
	require.ErrorContains(t, x.Set("9", 1).Err(), "index 9 is outside axis 0")
	require.ErrorContains(t, x.Set("1:", x).Err(), "set: ")
	require.ErrorContains(t, x.Set("?", 1).Err(), "set: ")
	v := f32("v", graph.Dim("n"))
	p, err := graph.Compile(v.Set("1:", 7))
	require.NoError(t, err)
	for _, n := range []int{1, 2, 5} {
		_, err := p.Run(t.Context(), graph.Ones(graph.Float32, n))
		require.NoError(t, err, n)
	}
	p, err = graph.Compile(v.Set("3", 7))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 2))
	require.ErrorContains(t, err, "set_test.go:")
}

// TestNonFinite asserts that the first op that makes a NaN is found, fused or not.
func TestNonFinite(t *testing.T) {
	x := f32("x", graph.Dim("n"))
	bad, at := x.Sub(1).Log(), here()
	y := bad.Mul(2).Add(1).Max()
	p, err := graph.Compile(y, graph.WithDebug(graph.NonFinite))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]float32{2, 3, 4}))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]float32{2, 1, 0}))
	var found *graph.NonFiniteError
	require.True(t, errors.As(err, &found), "%v", err)
	require.Equal(t, ir.OpLog, found.Op)
	require.Equal(t, []int{1}, found.Index)
	require.EqualError(t, err, at+": log made a NaN or an infinity at index [1], of operands without one")
	plain, err := graph.Compile(y)
	require.NoError(t, err)
	require.NoError(t, plain.FindNonFinite(t.Context(), graph.Of([]float32{5, 6})))
}
