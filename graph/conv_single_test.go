package graph_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// numbers returns a tensor of numbers between -1 and 1.
func numbers(r *rand.Rand, shape ...int) *graph.Tensor {
	data := make([]float32, numElems(shape))
	for i := range data {
		data[i] = 2*r.Float32() - 1
	}
	return graph.Of(data, shape...)
}

// TestSingleChannels has depthwise convolutions between products in networks with constant weights: the products, and
// so the convolution, may have their channels last in memory.
func TestSingleChannels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	for range 40 {
		n, c, e, m := pick(1, 1, 2), pick(3, 16, 150), pick(24, 32, 33, 100), pick(8, 32, 40)
		h, w, size := 3+r.IntN(14), 3+r.IntN(14), pick(3, 3, 3, 2, 5)
		step := pick(1, 1, 2, 3)
		o := graph.ConvOptions{
			Groups: e, Strides: []int{step, pick(step, 1)}, Dilations: []int{pick(1, 1, 2), 1},
			Before: []int{r.IntN(size), size / 2}, After: []int{2 * size, r.IntN(size + 1)},
		}
		weights := func(shape ...int) graph.Node { return graph.Const(numbers(r, shape...)) }
		ends := []func(y graph.Node) graph.Node{
			func(y graph.Node) graph.Node { return y },
			func(y graph.Node) graph.Node { return y.Maximum(0) },
			func(y graph.Node) graph.Node { return y.Maximum(0).Minimum(0.5) },
			func(y graph.Node) graph.Node { return y.Mul(y.Sigmoid()) },
		}
		end := func(y graph.Node, c int) graph.Node { return ends[r.IntN(4)](y.Add(weights(c, 1, 1))) }
		x := graph.Input("x", graph.Float32, n, c, h, w)
		a := end(x.Conv(weights(e, c, 1, 1), graph.ConvOptions{}), e)
		b := a.Conv(weights(e, 1, size, size), o)
		if r.IntN(4) > 0 {
			b = end(b, e)
		}
		y := b.Conv(weights(m, e, 1, 1), graph.ConvOptions{})
		ys := graph.Nodes{[]graph.Node{y, end(y, m), b, b.Permute(0, 2, 3, 1), b.Sum(2, 3), graph.Concat(1, b, end(y, m)), b.Add(weights(n, 1, 1, 1))}[r.IntN(7)]}
		if r.IntN(4) == 0 {
			ys = append(ys, a.Mean(1))
		}
		t.Run(fmt.Sprintf("%dx%dx%dx%d to %d", n, c, h, w, e), func(t *testing.T) { everyWay(t, ys, numbers(r, n, c, h, w)) })
	}
}

// TestSingleChannelsInOrder asserts that a depthwise convolution between two products is one kernel over whole lines of
// channels, if its windows are few or strided.
func TestSingleChannelsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, step := range []int{1, 2} {
		weights := func(shape ...int) graph.Node { return graph.Const(numbers(r, shape...)) }
		x := graph.Input("x", graph.Float32, 1, 64, 7*step, 7*step)
		a := x.Conv(weights(96, 64, 1, 1), graph.ConvOptions{}).Add(weights(96, 1, 1)).Maximum(0).Minimum(6)
		b := a.Conv(weights(96, 1, 3, 3), graph.ConvOptions{Groups: 96, Strides: []int{step, step}, Before: []int{1, 1}, After: []int{1, 1}})
		b = b.Add(weights(96, 1, 1)).Maximum(0).Minimum(6)
		p, err := graph.Compile(b.Conv(weights(64, 96, 1, 1), graph.ConvOptions{}))
		require.NoError(t, err)
		inside := map[int]string{1: "12 ops over [7,7,96]", 2: "12 ops over [6,6,96]"}[step] // the border of strided windows is separate
		require.Contains(t, p.Explain(), inside)
		for _, line := range strings.Split(p.Explain(), "\n") {
			if strings.Contains(line, inside) {
				require.Contains(t, line, "elementwise/whole, one ")
				require.NotContains(t, line, "packed")
			}
		}
	}
}
