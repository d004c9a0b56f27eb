package graph_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestGradOfParts differentiates sums of slices, each times a number, and counts the additions that the cotangent takes:
// none for slices that have no element in common, in any order, reversed or with gaps.
func TestGradOfParts(t *testing.T) {
	x := graph.Input("x", graph.Float32, 2, 6)
	for name, c := range map[string]struct {
		y    graph.Node
		want string
		adds int
	}{
		"unstacked": {total(x.Unstack(1)), "[[1. 2. 3. 4. 5. 6.] [1. 2. 3. 4. 5. 6.]]", 0},
		"gaps":      {total(graph.Nodes{x.Slice(":, 4"), x.Slice(":, 1:3")}), "[[0. 2. 2. 0. 1. 0.] [0. 2. 2. 0. 1. 0.]]", 0},
		"reversed":  {total(graph.Nodes{x.Slice(":, 2::-1"), x.Slice(":, :2:-1")}), "[[1. 1. 1. 2. 2. 2.] [1. 1. 1. 2. 2. 2.]]", 0},
		"overlap":   {total(graph.Nodes{x.Slice(":, :4"), x.Slice(":, 3:"), x.Slice(":, 4:")}), "[[1. 1. 1. 3. 5. 5.] [1. 1. 1. 3. 5. 5.]]", 1},
		"two axes":  {total(graph.Nodes{x.Slice(":, :3"), x.Slice("1"), x.Slice(":, 3:")}), "[[1. 1. 1. 3. 3. 3.] [3. 3. 3. 5. 5. 5.]]", 1},
		"read too":  {total(append(x.Chunk(1, 2), x)), "[[4. 4. 4. 5. 5. 5.] [4. 4. 4. 5. 5. 5.]]", 1},
		"steps":     {total(graph.Nodes{x.Slice(":, ::2"), x.Slice(":, 1::2")}), "[[1. 2. 1. 2. 1. 2.] [1. 2. 1. 2. 1. 2.]]", 1},
		"last one":  {total(graph.Nodes{x.Slice(":, 5::7"), x.Slice(":, :5")}), "[[2. 2. 2. 2. 2. 1.] [2. 2. 2. 2. 2. 1.]]", 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := graph.Compile(graph.Grad(c.y, x), graph.WithInputs(x))
			require.NoError(t, err)
			f, _ := p.Func()
			adds := 0
			for _, v := range f.Body {
				if v.Op == ir.OpAdd {
					adds++
				}
			}
			require.Equal(t, c.adds, adds)
			out, err := p.Run(t.Context(), graph.Zeros(graph.Float32, 2, 6))
			require.NoError(t, err)
			require.Contains(t, shown(out), c.want)
		})
	}
}

// total returns the sum of all elements of Nodes, where those of the first count once, those of the second twice.
func total(parts graph.Nodes) (y graph.Node) {
	for i, x := range parts {
		if s := x.Mul(i + 1).Sum(); i == 0 {
			y = s
		} else {
			y = y.Add(s)
		}
	}
	return y
}

// TestGradOfPartsAtSymbols: parts of an axis of unknown size are joined if their places are known.
func TestGradOfPartsAtSymbols(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"))
	p, err := graph.Compile(graph.Grad(total(graph.Nodes{x.Slice("1:2"), x.Slice(":1"), x.Slice("2:")}), x), graph.WithInputs(x))
	require.NoError(t, err)
	for _, n := range []int{2, 5} {
		out, err := p.Run(t.Context(), graph.Zeros(graph.Float32, n))
		require.NoError(t, err)
		got, err := graph.Data[float32](out)
		require.NoError(t, err)
		require.Equal(t, append([]float32{2, 1}, slices.Repeat([]float32{3}, n-2)...), got)
	}
}
