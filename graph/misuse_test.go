package graph_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestNoProgram calls every method of a program that Compile did not return.
func TestNoProgram(t *testing.T) {
	const want = "there is no program: Compile makes one, or returns why not"
	for _, p := range []*graph.Program{nil, {}} {
		_, err := p.Run(context.Background())
		require.ErrorContains(t, err, want)
		_, err = p.RunAll(context.Background())
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, p.RunInto(context.Background(), nil), want)
		require.ErrorContains(t, p.Dump(io.Discard, ""), want)
		require.Contains(t, p.Explain(), want)
		require.Contains(t, p.String(), want)
		require.Empty(t, p.Inputs())
		require.Empty(t, p.Outputs())
		require.Empty(t, p.Kernels())
		require.Empty(t, p.Ledger())
		require.Zero(t, p.Copies())
	}
}

func TestNilContextAndWriter(t *testing.T) {
	p, err := graph.Compile(graph.Input("x", graph.Float32, 3).Neg())
	require.NoError(t, err)
	_, err = p.Run(nil, graph.Ones(graph.Float32, 3)) //lint:ignore SA1012 the point of the test
	require.ErrorContains(t, err, "the context is nil")
	require.ErrorContains(t, p.Dump(nil, "graph"), "the writer is nil")
}

// TestSizeFromAMultiple: the only input has an even number of elements.
func TestSizeFromAMultiple(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("2*n"))
	p, err := graph.Compile(x.Slice("::2").Add(x.Slice("1::2")))
	require.NoError(t, err)
	y, err := p.Run(context.Background(), graph.Of([]float32{1, 2, 3, 4}))
	require.NoError(t, err)
	require.True(t, equal(t, y, 3, 7))
	_, err = p.Run(context.Background(), graph.Ones(graph.Float32, 3))
	require.ErrorContains(t, err, "axis 0 is 3 and must be 2*n for some n")
}

// TestReshapeByNumbers: only the numbers of a run tell whether the shapes agree.
func TestReshapeByNumbers(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	s := x.Shape()
	require.Equal(t, x.Reshape(2, s[0].Mul(s[1]).Div(2)).Shape(), x.Reshape(2, -1).Shape())
	p, err := graph.Compile(x.Reshape(2, -1).Neg())
	require.NoError(t, err)
	y, err := p.Run(context.Background(), graph.Ones(graph.Float32, 2, 3))
	require.NoError(t, err)
	require.Equal(t, []int{2, 3}, y.Shape())
	_, err = p.Run(context.Background(), graph.Ones(graph.Float32, 3, 3))
	require.ErrorContains(t, err, "reshape: shape [3,3] has 9 elements and [2,4] has 8: the quotient of [2,n+n/2] has a remainder, where n=3")
}

func TestBitcastBool(t *testing.T) {
	p, err := graph.Compile(graph.Input("b", graph.Bool, 3).Bitcast(graph.Uint8))
	require.NoError(t, err)
	y, err := p.Run(context.Background(), graph.Of([]bool{true, false, true}))
	require.NoError(t, err)
	got, err := graph.Data[uint8](y)
	require.NoError(t, err)
	require.Equal(t, []uint8{1, 0, 1}, got)
	require.ErrorContains(t, graph.Input("u", graph.Uint8, 3).Bitcast(graph.Bool).Err(), "not all bits of uint8 are a bool: take Ne(0) instead")
}

// equal reports whether y holds the given numbers.
func equal(t *testing.T, y *graph.Tensor, want ...float32) bool {
	got, err := graph.Data[float32](y)
	require.NoError(t, err)
	require.Equal(t, want, got)
	return true
}

func TestDiagonalOfNoAxes(t *testing.T) {
	x := graph.Input("x", graph.Float32, 2, 3)
	require.ErrorContains(t, x.Diagonal(0, 0, []int{}).Err(), "an axis is an int or a name")
	require.ErrorContains(t, x.Diagonal(0, []int{0, 1}, 2).Err(), "an axis is an int or a name")
}

// TestPortsAreCopies: the caller may change the result of Inputs.
func TestPortsAreCopies(t *testing.T) {
	p, err := graph.Compile(graph.Input("x", graph.Float32, 3).Neg())
	require.NoError(t, err)
	p.Inputs()[0].Shape[0] = graph.Dim("n")
	p.Outputs()[0].Shape[0] = graph.Dim("n")
	_, err = p.Run(context.Background(), graph.Ones(graph.Float32, 3))
	require.NoError(t, err)
	require.Equal(t, "x float32[3]", p.Inputs()[0].String())
}

// TestCancelledBeforehand: an ended context neither allocates nor compiles.
func TestCancelledBeforehand(t *testing.T) {
	p, err := graph.Compile(graph.Input("x", graph.Float32, graph.Dim("n")).Neg())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := graph.Ones(graph.Float32, 3)
	_, err = p.Run(ctx, x)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, p.RunInto(ctx, []*graph.Tensor{graph.New(graph.Float32, 3)}, x), context.Canceled)
}
