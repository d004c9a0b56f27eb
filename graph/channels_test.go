package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// pixelBytes returns a tensor of bytes.
func pixelBytes(shape ...int) *graph.Tensor {
	x := graph.New(graph.Uint8, shape...)
	data, _ := graph.Data[uint8](x)
	for i := range data {
		data[i] = uint8(i * 7919 % 251)
	}
	return x
}

// TestInterleaved: formulas on interleaved operands, which have built-in kernels, give the same bits in all ways of
// running them: on whole arrays, on parts of pictures with strided rows, and on all lengths, each with one row or several.
func TestInterleaved(t *testing.T) {
	interleaved := 0
	run := func(y graph.Node, ins ...*graph.Tensor) {
		everyWay(t, graph.Nodes{y}, ins...)
		p, err := graph.Compile(y)
		require.NoError(t, err)
		if strings.Contains(p.Explain(), ": elementwise/interleaved,") {
			interleaved++
		}
	}
	for i, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1001} {
		for k, rows := range []int{1, 3} {
			if !*long && i%2 != k {
				continue
			}
			in := func(name string) cmplx.Node { return cmplx.Input(name, graph.Float32, rows, n) }
			z, w, v := in("z"), in("w"), in("v")
			numbers := func() *graph.Tensor { return fractions(rows, n, 2) }
			run(z.Mul(w).Interleaved(), numbers(), numbers())
			run(z.Mul(w).Add(v).Interleaved(), numbers(), numbers(), numbers())
			run(z.Real().Square().Add(z.Imag().Square()), numbers())
			for channels := 2; channels <= 4; channels++ {
				x := graph.Input("x", graph.Float32, rows+2, n+3, channels)
				part := x.Slice(fmt.Sprintf("1:%d, 2:%d", rows+1, n+2))
				picture := fractions(rows+2, n+3, channels)
				run(part.Permute(2, 0, 1).Materialize(), picture)
				run(part.Permute(2, 0, 1).Mul(2.5), picture)
				planes := graph.Input("x", graph.Float32, channels, rows, n)
				run(planes.Permute(1, 2, 0).Materialize(), fractions(channels, rows, n))
				run(planes.Permute(1, 2, 0).Mul(2.5), fractions(channels, rows, n))
				run(graph.Stack(-1, planes.Unstack(0)...), fractions(channels, rows, n))
			}
			rgb, bytes := graph.Input("x", graph.Uint8, rows, n, 3), pixelBytes(rows, n, 3)
			run(rgb.Permute(2, 0, 1).Cast(graph.Float32), bytes)
			run(rgb.Permute(2, 0, 1).Cast(graph.Float32).Mul(1.0/255), bytes)
			run(rgb.Cast(graph.Float32).Mul(graph.Of([]float32{0.299, 0.587, 0.114})).Sum(-1), bytes)
			run(graph.Input("x", graph.Float32, 3, rows, n).Permute(1, 2, 0).Cast(graph.Uint8), fractions(3, rows, n))
		}
	}
	require.Greater(t, interleaved, 120)
}

// TestInterleavedInPlace: a product of complex numbers is computed in the memory of an operand.
func TestInterleavedInPlace(t *testing.T) {
	for _, n := range []int{1, 7, 8, 100, 4001} {
		z, w := cmplx.Input("z", graph.Float32, n), cmplx.Input("w", graph.Float32, n)
		p, err := graph.Compile(z.Mul(w).Interleaved())
		require.NoError(t, err)
		want, err := p.Run(t.Context(), fractions(n, 2), fractions(n, 2))
		require.NoError(t, err)
		x := fractions(n, 2)
		require.NoError(t, p.RunInto(t.Context(), []*graph.Tensor{x}, x, fractions(n, 2)))
		require.Equal(t, elements(t, want), elements(t, x))
	}
}

// TestUnrolledBlock computes running sums of blocks whose operands are channels of a run's tensors.
func TestUnrolledBlock(t *testing.T) {
	x, b := graph.Input("x", graph.Float32, 3, 64), graph.Input("b", graph.Float32, 64)
	everyWay(t, graph.Nodes{x.Add(b).CumSum(1)}, graph.Ones(graph.Float32, 64, 3).T(), graph.Ones(graph.Float32, 128).Slice("::2"))
}
