package graph_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// noise returns a tensor of numbers whose sums are rounded, some of them special.
func noise(special bool, shape ...int) *graph.Tensor {
	n := 1
	for _, e := range shape {
		n *= e
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(r.NormFloat64())
		if special && r.IntN(50) == 0 {
			data[i] = []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), 1e-42, 1e38}[r.IntN(6)]
		}
	}
	return graph.Of(data, shape...)
}

// Products have the same bits in every way of running them: for all blocks, panels, layouts, threads and engines, and
// fused or not.
func TestProductWays(t *testing.T) {
	square := noise(false, 130, 130)
	for _, c := range []struct{ x, y *graph.Tensor }{
		{noise(true, 7, 9), noise(true, 9, 17)},
		{noise(false, 100, 300), noise(false, 300, 70)},     // packed, with a last panel of six columns
		{noise(true, 210, 65), noise(false, 150, 65).T()},   // blocks of rows; packed across
		{noise(false, 290, 100).T(), noise(false, 290, 80)}, // gathered
		{square.T(), square.Flip()},                         // negative strides
		{noise(false, 1, 300), noise(false, 300, 70)},       // a row
		{noise(false, 100, 3000), noise(false, 3000, 1)},    // a column
		{noise(false, 5, 1), noise(false, 1, 6)},
		{noise(false, 4, 33, 40), noise(false, 4, 40, 20)},
		{noise(false, 4, 1, 33, 140), noise(false, 3, 140, 70)}, // batches that broadcast
		{noise(false, 600, 200).Slice("::3, 1::2"), noise(false, 1).Expand(100, 128)},
	} {
		x, y := inputLike("x", c.x), inputLike("y", c.y)
		product := x.MatMul(y)
		n := c.y.Shape()[c.y.Rank()-1]
		row := f32("row", n)
		softmax := product.Add(row).Softmax(-1)
		require.NoError(t, softmax.Err())
		everyWay(t, graph.Nodes{product, product.Add(row).GELUTanh(), softmax}, c.x, c.y, noise(false, n))
	}
}

func inputLike(name string, x *graph.Tensor) graph.Node {
	dims := make([]any, x.Rank())
	for i, n := range x.Shape() {
		dims[i] = n
	}
	return graph.Input(name, x.DType(), dims...)
}

// Row-wise ops after a product share its row group: attention stores neither its scores nor their exponentials.
func TestAttentionIsOneRowGroup(t *testing.T) {
	q, k, v := f32("q", 3, 200, 32), f32("k", 3, 300, 32), f32("v", 3, 300, 40)
	scores := q.MatMul(k.Permute(0, 2, 1)).Mul(float32(1 / math.Sqrt(32)))
	y := scores.Softmax(-1).MatMul(v)
	p, err := graph.Compile(y)
	require.NoError(t, err)
	plan := p.Plan()
	require.Len(t, plan.Rows, 1, plan.String())
	require.Contains(t, plan.String(), "= scratch")
	require.NotContains(t, plan.String(), "f32[3,200,300]")
	everyWay(t, graph.Nodes{y}, noise(false, 3, 200, 32), noise(false, 3, 300, 32), noise(false, 3, 300, 40))
}

// A product stops soon after its context is cancelled.
func TestProductIsCancelled(t *testing.T) {
	p, err := graph.Compile(f32("x", 64, 1<<16).MatMul(f32("y", 1<<16, 64)), graph.WithWorkers(1))
	require.NoError(t, err)
	run := func(ctx *impatient) error {
		return p.RunInto(ctx, []*graph.Tensor{graph.Ones(graph.Float32, 64, 64)}, graph.Ones(graph.Float32, 64, 1<<16), graph.Ones(graph.Float32, 1<<16, 64))
	}
	whole := &impatient{context.Background(), 0, 1 << 30}
	require.NoError(t, run(whole))
	require.Greater(t, whole.asked, 100)
	require.ErrorIs(t, run(&impatient{context.Background(), 0, whole.asked / 2}), context.Canceled)
}

// TestMatMulBroadcastInput multiplies matrices by inputs whose tensors are broadcast along the batch, transposed,
// sliced or reversed.
func TestMatMulBroadcastInput(t *testing.T) {
	for _, batch := range [][]int{{1}, {3}, {2, 3}} {
		for _, n := range []int{3, 9} {
			some := graph.Normal(graph.Float32, 2, 0, 1, 2*n, 14)
			whole := slices.Concat(batch, []int{7, n})
			x := graph.Normal(graph.Float32, 1, 0, 1, slices.Concat(batch, []int{5, 7})...)
			lead := graph.Normal(graph.Float32, 3, 0, 1, batch[len(batch)-1], n, 7)
			for name, y := range map[string]*graph.Tensor{
				"transposed":           some.SliceAxis(0, 0, n, 1).SliceAxis(1, 0, 7, 1).Transpose().BroadcastTo(whole...),
				"every second row":     some.SliceAxis(0, 0, 2*n, 2).SliceAxis(1, 1, 8, 1).Transpose().BroadcastTo(whole...),
				"backwards":            some.SliceAxis(0, 0, n, 1).SliceAxis(1, 0, 7, 1).Transpose().Flip(0, 1).BroadcastTo(whole...),
				"along the first axis": lead.Permute(0, 2, 1).BroadcastTo(whole...),
			} {
				product := inputLike("x", x).MatMul(inputLike("y", y))
				plain, err := graph.Compile(product, graph.WithDebug(graph.NoFusion))
				require.NoError(t, err)
				want, err := plain.Run(t.Context(), x, y.Clone())
				require.NoError(t, err)
				for _, way := range []graph.Debug{graph.Verify, graph.Portable, graph.NoFusion, graph.TilingOnly} {
					p, err := graph.Compile(product, graph.WithDebug(way))
					require.NoError(t, err)
					got, err := p.Run(t.Context(), x, y)
					require.NoError(t, err, "%s, batch %v", name, batch)
					require.True(t, graph.Equal(want, got), "%s, batch %v: %s", name, batch, explaining{p})
				}
			}
		}
	}
}
