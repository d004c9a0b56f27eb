package graph_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// chain returns the loss of n layers and its gradients with respect to the input and to the weights of all layers.
// If stage is not 0, every stage layers form a checkpoint.
func chain(n, stage, width int) (loss graph.Node, gradients graph.Nodes) {
	h := graph.Input("x", graph.Float32, width, width)
	xs := graph.Nodes{h}
	start := h
	for i := range n {
		w := graph.Input(fmt.Sprint("w", i), graph.Float32, width, width)
		xs = append(xs, w)
		h = h.MatMul(w).Tanh()
		if stage > 0 && (i+1)%stage == 0 {
			h = graph.Checkpoint(h, start)
			start = h
		}
	}
	loss = h.Mul(h).Sum()
	return loss, graph.Grad(loss, xs...)
}

// TestCheckpointMemory: the memory of a chain of n layers with a checkpoint every √n layers grows as √n. Without
// checkpoints it grows as n.
func TestCheckpointMemory(t *testing.T) {
	const width = 32
	layers := func(n, stage int) float64 {
		loss, g := chain(n, stage, width)
		p, err := graph.Compile(loss, g)
		require.NoError(t, err)
		_, err = p.RunAll(t.Context(), samples(p, width)...)
		require.NoError(t, err)
		return float64(p.Temporaries()) / (4 * width * width)
	}
	for _, root := range []int{4, 8, 16} {
		n := root * root
		with, without := layers(n, root), layers(n, 0)
		t.Logf("%d layers: memory for %.1f, without checkpoints %.1f", n, with, without)
		require.LessOrEqual(t, with, 2*float64(root)+2, "%d layers", n)
		require.Greater(t, without, float64(n), "%d layers", n)
	}
}

// TestNestedCheckpointMemory: checkpoints inside a checkpoint take as much memory as the outer one alone.
func TestNestedCheckpointMemory(t *testing.T) {
	const width = 32
	memory := func(inner int) float64 {
		x := graph.Input("x", graph.Float32, width, width)
		xs, h, start, outer := graph.Nodes{x}, x, x, x
		for i := range 64 {
			w := graph.Input(fmt.Sprint("w", i), graph.Float32, width, width)
			xs = append(xs, w)
			h = h.MatMul(w).Tanh()
			if (i+1)%inner == 0 {
				h = graph.Checkpoint(h, start)
				start = h
			}
			if (i+1)%16 == 0 {
				h = graph.Checkpoint(h, outer)
				start, outer = h, h
			}
		}
		p, err := graph.Compile(graph.Grad(h.Mul(h).Sum(), xs...))
		require.NoError(t, err)
		_, err = p.RunAll(t.Context(), samples(p, width)...)
		require.NoError(t, err)
		return float64(p.Temporaries()) / (4 * width * width)
	}
	alone, nested := memory(65), memory(4)
	t.Logf("memory for %.1f layers, nested %.1f", alone, nested)
	require.LessOrEqual(t, nested, alone+1)
}

// samples returns inputs of small numbers for p, whose inputs are matrices.
func samples(p *graph.Program, width int) []*graph.Tensor {
	var ins []*graph.Tensor
	for k := range p.Inputs() {
		data := make([]float32, width*width)
		for i := range data {
			data[i] = float32(math.Sin(float64(i*(k+3))) / 4)
		}
		ins = append(ins, graph.Of(data, width, width))
	}
	return ins
}

// TestCheckpointKeepsBits compares derivatives with and without checkpoints: the first have the same bits. Chains, checkpoints of
// checkpoints, of Nodes with names and with rules, and of y itself.
func TestCheckpointKeepsBits(t *testing.T) {
	plain := func(y graph.Node, _ ...graph.Node) graph.Node { return y }
	type check = func(y graph.Node, xs ...graph.Node) graph.Node
	for name, f := range map[string]func(c check, x, w graph.Node) graph.Node{
		"stages": func(c check, x, w graph.Node) graph.Node {
			h := c(x.MatMul(w).Tanh().Softmax(-1).Exp(), x)
			return c(h.MatMul(w).LayerNorm(1, 0, 1e-3).GELU().MatMul(w), h)
		},
		"nested": func(c check, x, w graph.Node) graph.Node {
			h := c(x.MatMul(w).Sin(), x)
			k := c(h.Softmax(0).MatMul(w).Cos(), h)
			return c(k.MatMul(w).Sin().Max(0), x).Mul(h)
		},
		"named, two Nodes, read inside and outside": func(c check, x, w graph.Node) graph.Node {
			h := x.WithAxes("row", "col").Softmax("col").WithAxes("a", "b")
			k := h.Mul(w).Sin().WithAxes("a", "b")
			return c(k.Softmax("a").Exp().Mul(h), h, w).Mul(k)
		},
		"a rule that captures": func(c check, x, w graph.Node) graph.Node {
			h := x.MatMul(w).Sin()
			k := h.Exp()
			y := graph.WithVJP(k.Mul(h), func(y, g graph.Node) []graph.Node { return []graph.Node{g.Mul(k).Add(y)} }, h)
			return c(y.MatMul(w), x)
		},
		"itself": func(c check, x, w graph.Node) graph.Node { return c(c(x, x).MatMul(w).Square(), w) },
	} {
		t.Run(name, func(t *testing.T) {
			x, w := graph.Input("x", graph.Float32, 6, 6), graph.Input("w", graph.Float32, 6, 6)
			outputs := func(c check) []*graph.Tensor {
				y := f(c, x, w)
				g := graph.Grad(y, x, w)
				second := graph.Grad(g[0].Square().Sum().Add(g[1].Sin().Sum()), x, w)
				p, err := graph.Compile(y, g, second, graph.WithInputs(x, w))
				require.NoError(t, err)
				outs, err := p.RunAll(t.Context(), samples(p, 6)...)
				require.NoError(t, err)
				return outs
			}
			want, got := outputs(plain), outputs(graph.Checkpoint)
			for i := range want[:3] {
				require.True(t, graph.Equal(want[i], got[i]), "output %d: %v, not %v", i, got[i], want[i])
			}
			for i := range want[3:] { // contributions to x by h and by h computed again are added in another order
				a, err := graph.Data[float32](want[3+i])
				require.NoError(t, err)
				b, err := graph.Data[float32](got[3+i])
				require.NoError(t, err)
				for k := range a {
					require.InEpsilon(t, 1+math.Abs(float64(a[k])), 1+math.Abs(float64(b[k])), 2e-5, "output %d", 3+i)
				}
			}
		})
	}
}

// TestCheckpointErrors: mistakes stick, and Explain names the line of the checkpoint.
func TestCheckpointErrors(t *testing.T) {
	x := graph.Input("x", graph.Float32, 3, 3)
	require.ErrorContains(t, graph.Checkpoint(x.Exp()).Err(), "checkpoint: no Nodes to compute y from again: give at least one")
	require.ErrorContains(t, graph.Checkpoint(x.Exp(), graph.Node{}).Err(), "the Node is zero")
	require.ErrorContains(t, graph.Checkpoint(x.Reshape(5), x).Err(), "reshape")
	y, at := graph.Checkpoint(x.MatMul(x).Exp().MatMul(x), x), here()
	p, err := graph.Compile(graph.Grad(y, x)[0])
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Zeros(graph.Float32, 3, 3))
	require.NoError(t, err)
	require.Contains(t, p.Explain(), "a checkpoint computes values again from it")
	require.Contains(t, p.Explain(), at)
}
