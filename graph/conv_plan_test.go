package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestConvolutionsReadTheirOperand asserts that the ones that need no copy make none, and
// that padding is one copy. No temporary holds the windows.
func TestConvolutionsReadTheirOperand(t *testing.T) {
	x := f32("x", 2, 8, 12, 12)
	for _, y := range []graph.Node{
		x.Conv(f32("w", 8, 1, 3, 3), graph.ConvOptions{Groups: 8}),
		x.Conv(f32("w", 16, 1, 3, 3), graph.ConvOptions{Groups: 8, Strides: []int{2, 2}}),
		x.Conv(f32("w", 16, 8, 3, 3), graph.ConvOptions{}),
		x.Conv(f32("w", 16, 2, 3, 2), graph.ConvOptions{Groups: 4, Strides: []int{2, 1}, Dilations: []int{1, 2}}),
		x.MaxPool(graph.PoolOptions{Size: []int{3, 3}, Strides: []int{2, 2}}),
		x.AvgPool(graph.PoolOptions{Size: []int{2, 2}}),
		x.MaxPoolIndices(graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}}),
	} {
		requireNoCopies(t, y)
	}
	p, err := graph.Compile(x.MaxPool(graph.PoolOptions{Size: []int{3, 3}, Before: []int{1, 1}, After: []int{1, 1}}))
	require.NoError(t, err)
	require.Positive(t, p.Copies())
	p, err = graph.Compile(f32("a", 1, 8, 12, 12).Conv(f32("w", 16, 8, 1, 1), graph.ConvOptions{}))
	require.NoError(t, err)
	require.Zero(t, p.Copies())
}

// TestConvolutionsStoreOnce asserts that a bias, what is added and an activation are computed of
// blocks of a convolution that are in local memory, and stored where a padded value has them.
func TestConvolutionsStoreOnce(t *testing.T) {
	x := f32("x", 2, 16, 30, 30)
	y := x.Conv(f32("w", 16, 16, 3, 3), graph.ConvOptions{}).Add(f32("bias", 16, 1, 1)).Add(f32("more", 2, 16, 28, 28)).Maximum(0)
	p, err := graph.Compile(y)
	require.NoError(t, err)
	run := func(p *graph.Program, more ...*graph.Tensor) {
		_, err := p.Run(context.Background(), append([]*graph.Tensor{
			graph.Ones(graph.Float32, 2, 16, 30, 30), graph.Ones(graph.Float32, 16, 16, 3, 3), graph.Ones(graph.Float32, 16, 1, 1), graph.Ones(graph.Float32, 2, 16, 28, 28),
		}, more...)...)
		require.NoError(t, err)
	}
	run(p)
	require.Contains(t, p.Explain(), "through steps 0 to 1")
	require.NotContains(t, p.Explain(), "temporaries")
	p, err = graph.Compile(y.Conv(f32("v", 16, 16, 3, 3), graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}))
	require.NoError(t, err)
	run(p, graph.Ones(graph.Float32, 16, 16, 3, 3))
	require.Contains(t, p.Explain(), "through steps 0 to 1")
}
