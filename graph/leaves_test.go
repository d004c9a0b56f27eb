package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// grow appends a random tree of int32 nodes, and returns its root.
func grow(t *rapid.T, nodes *[]int32, features, depth int) int32 {
	at := int32(len(*nodes) / ir.NodeWords)
	*nodes = append(*nodes, 0, 1<<31-1, at)
	growAt(t, nodes, at, features, depth)
	return at
}

// growAt makes a leaf a tree.
func growAt(t *rapid.T, nodes *[]int32, at int32, features, depth int) {
	if depth == 0 || rapid.IntRange(0, 5).Draw(t, "leaf") == 0 {
		return
	}
	child := int32(len(*nodes) / ir.NodeWords)
	for k := range int32(2) {
		*nodes = append(*nodes, 0, 1<<31-1, child+k)
	}
	copy((*nodes)[at*ir.NodeWords:], []int32{int32(rapid.IntRange(0, features-1).Draw(t, "feature")), int32(rapid.IntRange(-3, 3).Draw(t, "threshold")), child})
	for k := range int32(2) {
		growAt(t, nodes, child+k, features, depth-1)
	}
}

// TestLeaves compares walks through random forests with a loop, for any number of rows and workers, in one axis and in more, and sums
// the values of the leaves.
func TestLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		features, count := rapid.IntRange(1, 5).Draw(t, "features"), rapid.IntRange(0, 30).Draw(t, "trees")
		nodes, roots := []int32{0, 1<<31 - 1, 0}, []int32{}
		for range count {
			roots = append(roots, grow(t, &nodes, features, 5))
		}
		shape := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 2).Draw(t, "shape")
		rows := 1
		for _, n := range shape {
			rows *= n
		}
		elem := rapid.Int32Range(-4, 4)
		x := make([]int32, rows*features)
		for i := range x {
			x[i] = elem.Draw(t, "x")
		}
		values := make([]float64, len(nodes)/ir.NodeWords)
		for i := range values {
			values[i] = float64(i * i)
		}
		var want []int64
		sums := make([]float64, rows)
		for r := range rows {
			for _, at := range roots {
				for {
					n := nodes[at*ir.NodeWords:]
					next := n[2]
					if x[r*features+int(n[0])] > n[1] {
						next++
					}
					if next == at {
						break
					}
					at = next
				}
				want = append(want, int64(at))
				sums[r] += values[at]
			}
		}
		extents := []any{}
		for i := range shape {
			extents = append(extents, graph.Dim([]string{"n", "m"}[i]))
		}
		table, wide := graph.Const(graph.Of(nodes).Reshape(-1, ir.NodeWords)), rapid.Bool().Draw(t, "int64")
		in := graph.Input("x", graph.Int32, append(extents, features)...)
		feed := in
		starts := graph.Const(graph.Of(roots))
		if wide {
			feed, table, starts = in.Cast(graph.Int64).Mul(int64(1<<40)), table.Cast(graph.Int64), starts.Cast(graph.Int64)
			table = graph.Concat(1, table.Slice(":, 0:1"), graph.Where(table.Slice(":, 1:2").Ge(1<<31-1), int64(math.MaxInt64), table.Slice(":, 1:2").Mul(int64(1<<40))), table.Slice(":, 2:3"))
		}
		leaves := feed.Leaves(table, starts)
		p, err := graph.Compile(leaves, graph.Output("sums", graph.Const(graph.Of(values)).Take(0, leaves).Sum(-1)), graph.WithWorkers(rapid.IntRange(1, 3).Draw(t, "workers")))
		require.NoError(t, err)
		outs, err := p.RunAll(context.Background(), graph.Of(x, append(shape, features)...))
		require.NoError(t, err)
		got, err := graph.Data[int64](outs[0])
		require.NoError(t, err)
		require.ElementsMatch(t, want, got)
		if len(want) > 0 {
			require.Equal(t, want, got)
		}
		total, err := graph.Data[float64](outs[1])
		require.NoError(t, err)
		require.Equal(t, sums, append([]float64{}, total...))
	})
}

// TestLeavesMistakes has operands that are no forest: errors at compile time where shapes say so, else of the run, never a walk without
// an end.
func TestLeavesMistakes(t *testing.T) {
	x := graph.Input("x", graph.Int32, 2, 3)
	const last = 1<<31 - 1
	table := func(words ...int32) *graph.Tensor { return graph.Of(words, len(words)/3, 3) }
	for _, c := range []struct {
		y    graph.Node
		want string
	}{
		{x.Leaves(table(3, 0, 0), graph.Of([]int32{0})), "index 3 is outside"},
		{x.Leaves(table(-1, 0, 0), graph.Of([]int32{0})), "index -1 is outside"},
		{x.Leaves(table(0, last, 0), graph.Of([]int32{1})), "index 1 is outside"},
		{x.Leaves(table(0, last, 1), graph.Of([]int32{0})), "index 1 is outside"},
		{x.Leaves(table(0, last, 1, 0, last, 0), graph.Of([]int32{0})), "index 2 is outside"},
		{x.Leaves(graph.Of([]int32{1, 2, 3}), graph.Of([]int32{0})), "nodes of shape [3] and roots of shape [1]: give [m,3] and [t]"},
		{x.Leaves(graph.Of([]int64{0, 0, 0}, 1, 3), graph.Of([]int32{0})), "dtypes int32 and int64 differ"},
		{x.Cast(graph.Float32).Leaves(graph.Of([]float32{0, 0, 0}, 1, 3), graph.Of([]float32{0})), "float32"},
		{x.Leaves(graph.Const(table(0, 0, 0)).Slice("0:0"), graph.Of([]int32{0})), "0 words of nodes"},
		{graph.Scalar(graph.Int32, 0).Leaves(table(0, 0, 0), graph.Of([]int32{0})), "no axis of features"},
	} {
		p, err := graph.Compile(c.y)
		if err == nil {
			_, err = p.Run(context.Background(), graph.Of([]int32{0, 0, 0, 0, 0, 0}, 2, 3))
		}
		require.ErrorContains(t, err, c.want)
	}
}

// TestDeepLeavesAreCancelled walks down one tree that has half as many levels as nodes: one row or many, on either engine. Once
// cancelled, a run asks its context a few times more, and fails.
func TestDeepLeavesAreCancelled(t *testing.T) {
	const depth = 400_000
	var nodes []int32
	for i := range int32(depth) { // a node, and its first child, a leaf
		nodes = append(nodes, 0, 0, 2*i+1, 0, math.MaxInt32, 2*i+1)
	}
	nodes = append(nodes, 0, math.MaxInt32, 2*depth)
	table := graph.Of(nodes, 2*depth+1, ir.NodeWords)
	for _, c := range []struct {
		rows, roots int
		options     []graph.Item
	}{{1, 1, nil}, {1, 1, []graph.Item{graph.WithDebug(graph.Portable)}}, {3, 5, nil}, {256, 64, nil}, {256, 64, []graph.Item{graph.WithDebug(graph.Portable)}}} {
		leaves := graph.Input("x", graph.Int32, c.rows, 1).Leaves(graph.Input("nodes", graph.Int32, 2*depth+1, ir.NodeWords), graph.Input("roots", graph.Int32, c.roots))
		p, err := graph.Compile(append(c.options, leaves, graph.WithWorkers(1))...)
		require.NoError(t, err)
		cut := &impatient{context.Background(), 0, 2}
		_, err = p.Run(cut, graph.Full(graph.Int32, 1, c.rows, 1), table, graph.Zeros(graph.Int32, c.roots))
		require.ErrorIs(t, err, context.Canceled, "%d rows", c.rows)
		require.Less(t, cut.asked, 5000, "%d rows", c.rows)
	}
}
