package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestMatrixGroups: an attention and its gradient are one row group of whole heads. The scores and their cotangents stay
// in scratch, although some products read them by rows and others transposed. That holds for any number of images.
func TestMatrixGroups(t *testing.T) {
	const heads, rows, size = 8, 40, 24
	gradient := func(images any) graph.Nodes {
		x, g := f32("x", images, rows, 3, heads, size), f32("g", images, heads, rows, size)
		h := x.Permute(2, 0, 3, 1, 4).Unstack(0)
		y := h[0].MatMul(h[1].SwapAxes(-1, -2)).Softmax(-1).MatMul(h[2])
		return graph.Nodes{y, graph.VJP(y, g, x)[0].Reshape(-1, 3*heads*size).MatMul(f32("w", 3*heads*size, 5))}
	}
	in := func(images int) []*graph.Tensor {
		return []*graph.Tensor{noise(false, images, rows, 3, heads, size), noise(false, images, heads, rows, size), noise(false, 3*heads*size, 5)}
	}
	fixed := gradient(3)
	p, err := graph.Compile(fixed, graph.WithWorkers(1))
	require.NoError(t, err)
	require.Regexp(t, `rows first=\d+ last=\d+ outer=\[3,8\] along=\[1(,1){10}\]`, p.Plan().String())
	everyWay(t, fixed, in(3)...)

	p, err = graph.Compile(gradient(graph.Dim("n")), graph.WithWorkers(1))
	require.NoError(t, err)
	for _, images := range []int{3, 2, 5, 1} {
		plain, err := graph.Compile(gradient(images), graph.WithDebug(graph.NoFusion))
		require.NoError(t, err)
		want, err := plain.RunAll(t.Context(), in(images)...)
		require.NoError(t, err)
		got, err := p.RunAll(t.Context(), in(images)...)
		require.NoError(t, err)
		for i := range want {
			require.True(t, graph.Equal(want[i], got[i]), "%d images, output %d", images, i)
		}
	}
}

// TestNarrowMatrices has matrix groups with matrices whose last panel has one column, which one step stores down the rows, and with rows of three
// elements.
func TestNarrowMatrices(t *testing.T) {
	in := func(name string, shape ...int) (graph.Node, *graph.Tensor) {
		return f32(name, shape), noise(false, shape...)
	}
	a, at := in("a", 4, 2, 95, 66)
	c, ct := in("c", 4, 2, 66, 3)
	d, dt := in("d", 4, 2, 79, 95)
	everyWay(t, graph.Nodes{d.MatMul(a.MatMul(c).Tanh()).Softmax(-1)}, at, ct, dt)
	for _, rows := range []int{65, 97} {
		q, qt := in("q", 8, 1, rows, 32)
		k, kt := in("k", 8, 1, rows, 32)
		v, vt := in("v", 8, 1, rows, 32)
		g, gt := in("g", 8, 1, rows, 32)
		grads := graph.VJP(q.MatMul(k.SwapAxes(-1, -2)).Softmax(-1).MatMul(v), g, k, v)
		everyWay(t, graph.Nodes{grads[0], grads[1]}, qt, kt, vt, gt)
	}
}
