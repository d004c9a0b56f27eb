package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestViewsCopyNothing: how much views and reductions of views copy in memory. Long lines without a common stride are
// copied block by block in the cache, which counts as staged.
func TestViewsCopyNothing(t *testing.T) {
	x, y := f32("x", 600, 800), f32("y", 600, 800)
	z := f32("z", 16, 8, 56, 56)
	inner := func(x graph.Node) graph.Node { return x.Slice("1:-1, 1:-1") }
	pools := x.Reshape(300, 2, 400, 2).Permute(0, 2, 1, 3)
	for _, c := range []struct {
		name           string
		y              graph.Node
		copied, staged int
	}{
		{"a reshape of a sum, reversed", x.Add(y).Reshape(-1).Flip(0), 0, 0},
		{"a reshape of a sum, every third", x.Add(y).Reshape(-1).Slice("::3"), 0, 0},
		{"a reshape of a sum of slices, reversed", inner(x).Add(inner(y)).Reshape(-1).Flip(0), 0, 0},
		{"the same, and more ops", inner(x).Add(inner(y)).Reshape(-1).Flip(0).Exp(), 0, 0},
		{"a reshape of a sum of slices, every second", inner(x).Add(inner(y)).Reshape(-1).Slice("::2").Exp(), 0, 0}, // the sum is stored
		{"a reshape of a transpose, reversed", x.T().Reshape(-1).Flip(0).Exp(), 0, 0},
		{"the same as a result", x.T().Reshape(-1).Flip(0), 1, 0},
		{"means of the inner elements of images", z.Slice("..., 1:-1, 1:-1").Mean(2, 3), 0, 1},
		{"greatest elements of windows", pools.Max(2, 3), 0, 0},
		{"means of windows", pools.Mean(2, 3), 0, 0},
		{"the place of the greatest inner element", inner(x).ArgMax(), 0, 0},
		{"the same of a function", inner(x).Abs().ArgMin(), 0, 0},
		{"the greatest inner element", inner(x).Max(), 0, 0},
		{"the sum of the inner elements", inner(x).Sum(), 0, 0},
	} {
		p, err := graph.Compile(c.y, graph.WithDebug(graph.Verify))
		require.NoError(t, err, c.name)
		require.Equal(t, c.copied, p.Copies(), "%s\n%s", c.name, explaining{p})
		staged := 0
		for _, d := range p.Ledger() {
			if d.Kind == plan.Staged && d.Op.String() == "copy" {
				staged++
			}
		}
		require.Equal(t, c.staged, staged, "%s\n%s", c.name, explaining{p})
	}
}

// TestViewsOfReshapes compares views and reductions of reshapes that are not views with the same on a copy: the bits
// are the same.
func TestViewsOfReshapes(t *testing.T) {
	data := graph.Normal(graph.Float32, 1, 0, 1, 12, 18)
	x := graph.Input("x", graph.Float32, 12, 18)
	for name, f := range map[string]func(x graph.Node) graph.Node{
		"flips":   func(x graph.Node) graph.Node { return x.Reshape(4, 3, 18).Reshape(12, 18).T().Reshape(-1).Flip(0) },
		"flip 3":  func(x graph.Node) graph.Node { return x.T().Reshape(6, 36).Flip(1) },
		"flip 2":  func(x graph.Node) graph.Node { return x.T().Reshape(9, 24).Flip(0).Add(1) },
		"steps":   func(x graph.Node) graph.Node { return x.Slice("1:-1, 1:-1").Exp().Reshape(-1).Slice("::3") },
		"pool":    func(x graph.Node) graph.Node { return x.Reshape(6, 2, 6, 3).Permute(0, 2, 1, 3).Sum(2, 3) },
		"pool 2":  func(x graph.Node) graph.Node { return x.Reshape(3, 4, 9, 2).Permute(0, 2, 1, 3).Sum(2, 3) },
		"pool 3":  func(x graph.Node) graph.Node { return x.Reshape(6, 2, 6, 3).Permute(0, 2, 1, 3).Min(2, 3) },
		"product": func(x graph.Node) graph.Node { return x.Reshape(6, 2, 9, 2).Permute(0, 2, 1, 3).Prod(2, 3) },
		"inner":   func(x graph.Node) graph.Node { return x.Slice("1:-1, 1:-1").Sum() },
		"argmax":  func(x graph.Node) graph.Node { return x.Slice("1:-1, 1:-1").ArgMax() },
		"ties":    func(x graph.Node) graph.Node { return x.Slice("1:-1, 1:-1").Floor().ArgMax() },
		"nans":    func(x graph.Node) graph.Node { return x.Slice("1:-1, ::2").Sqrt().ArgMin() },
		"three":   func(x graph.Node) graph.Node { return x.Reshape(12, 3, 6).Slice(":, 1:, 1:").Floor().ArgMin() },
		"columns": func(x graph.Node) graph.Node { return x.T().Slice("1:-1, 1:-1").Floor().ArgMax() },
	} {
		for _, option := range []graph.Option{graph.WithDebug(graph.Verify), graph.WithDebug(graph.Verify, graph.NoFusion, graph.Portable)} {
			p, err := graph.Compile(f(x), option)
			require.NoError(t, err, name)
			got, err := p.Run(t.Context(), data)
			require.NoError(t, err, name)
			requireArray(t, defined(t, f(x), data), got, name)
		}
	}
}

// requireArray requires the elements of an array, where all NaNs are equal.
func requireArray(t *testing.T, want eval.Array, x *graph.Tensor, name string) {
	t.Helper()
	got := toArray(t, x)
	require.Equal(t, want.Shape, got.Shape, name)
	for i, e := range want.Data {
		if !ir.IsNaN(want.DType, e) || !ir.IsNaN(got.DType, got.Data[i]) {
			require.Equal(t, e, got.Data[i], "%s: element %d", name, i)
		}
	}
}
