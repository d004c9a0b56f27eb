package graph_test

import (
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// sizedConstants are graphs with values that depend only on constants and on named sizes.
func sizedConstants() map[string][]graph.Item {
	b, h, w := graph.Dim("b"), graph.Dim("h"), graph.Dim("w")
	x := graph.Input("x", graph.Float32, b, 1, h, w)
	rows := graph.Iota(graph.Float32, h).Reshape(1, 1, h, 1).BroadcastTo(b, 1, h, w)
	k := graph.Const(graph.Ones(graph.Float32, 4, 2, 3, 3))
	pool := graph.PoolOptions{Size: []int{3, 3}, Before: []int{1, 1}, After: []int{1, 1}}
	n := graph.Input("n", graph.Float32, h)
	return map[string][]graph.Item{
		"convolution": {graph.Concat(1, x, rows).Conv(k, graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}})},
		"windows":     {x.Add(rows.MaxPool(pool))},
		"scan":        {x.Add(graph.Fill(graph.Float32, 1, b, 1, h, w).CumSum(2))},
		"triangle":    {x.Tril(1), graph.WithDebug(graph.NoFusion)},
		"product":     {n.Reshape(1, h).MatMul(graph.Iota(graph.Float32, h).Reshape(h, 1).Mul(graph.Iota(graph.Float32, 8)))},
		"sum":         {x.Add(graph.Const(graph.Ones(graph.Float32, 1)).BroadcastTo(b, h, w).Exp().Sum(0, 2).Reshape(h, 1))},
		"fixed":       {graph.Input("y", graph.Float32).Add(graph.Iota(graph.Float32, 1<<13).Reshape(-1, 1).Mul(graph.Iota(graph.Float32, 1<<13)).CumSum(0).Max())},
	}
}

// TestCompileComputesLittle: Compile computes no constants for example sizes, and only a bounded part of large ones.
// What it allocates does not depend on the sizes.
func TestCompileComputesLittle(t *testing.T) {
	for name, items := range sizedConstants() {
		_, bytes, live := footprint(t, items)
		require.Less(t, bytes, 8<<20, name)
		require.Less(t, live, 4<<20, name)
	}
}

// TestConstantsOfManySizes: a value computed from constants lives no longer than the plans that read it. A value that
// does not depend on sizes is kept once.
func TestConstantsOfManySizes(t *testing.T) {
	const most, plans, cols = 1200, 2, 24
	const headroom = 32 << 20 // counts as allocated while results are made fast: see docs/speed.md
	n := graph.Dim("n")
	x := graph.Input("x", graph.Float32, n)
	w := graph.Normal(graph.Float32, 1, 0, 1, most+1, cols)
	for name, c := range map[string]struct {
		y    graph.Node
		kept int // most bytes of one plan
	}{
		"scan of a constant":    {x.Add(graph.Fill(graph.Float32, 1, n).CumSum(0)), 0},
		"product with an iota":  {x.Reshape(1, n).MatMul(graph.Iota(graph.Float32, n).Reshape(n, 1).Mul(graph.Iota(graph.Float32, 8))), 0},
		"product with a slice":  {x.Reshape(1, n).MatMul(graph.Const(w).SliceAxis(0, 0, n, 1)), 4 * most * 64},
		"product with a matrix": {x.Reshape(n, 1).BroadcastTo(n, 50).MatMul(graph.Const(w).Slice("0:50")), 4 * 50 * 64},
	} {
		p, err := graph.Compile(c.y, graph.WithPlans(plans))
		require.NoError(t, err, name)
		heap := func() int {
			goruntime.GC()
			goruntime.GC()
			var m goruntime.MemStats
			goruntime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		before := 0
		for i := 1; i <= most; i++ {
			_, err := p.Run(t.Context(), graph.Ones(graph.Float32, i))
			require.NoError(t, err, name)
			if i == 100 {
				before = heap()
			}
		}
		require.Less(t, heap()-before, headroom+16<<20+16*c.kept, name)
		require.LessOrEqual(t, p.Kept(), plans+1, name)
		if c.kept == 0 {
			require.Zero(t, p.Kept(), name)
		}
	}
}
