package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// bags returns n times k indices below rows.
func bags(t require.TestingT, seed uint64, rows, n, k int) *graph.Tensor {
	i := make([]int64, n*k)
	for j := range i {
		seed = seed*6364136223846793005 + 1442695040888963407
		i[j] = int64((seed >> 33) % uint64(rows))
	}
	return graph.Of(i, n, k)
}

// bagOptions are ways to run a program that give the same bits.
var bagOptions = [][]graph.Item{nil, {graph.WithWorkers(1)}, {graph.WithDebug(graph.Portable)}, {graph.WithDebug(graph.Verify)}, {graph.WithWorkers(2), graph.ChunkElems(5000)}}

// TestGatherReduce compares sums and extremes of rows at indices with the same program on stored rows: for tables of
// views, of NaNs and of all types, with one and many rows each, other row orders, weights and epilogues.
func TestGatherReduce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 50).Draw(t, "rows"), rapid.OneOf(rapid.IntRange(1, 300), rapid.IntRange(1000, 1100)).Draw(t, "columns")
		n, k := rapid.IntRange(1, 40).Draw(t, "results"), rapid.OneOf(rapid.IntRange(1, 20), rapid.SampledFrom([]int{31, 32, 33, 64, 100, 1000, 1024, 1025})).Draw(t, "indices")
		n = min(n, 1+200_000/(cols*k)) // elements that are looked up
		d := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float32, graph.Float64, graph.Int32, graph.Int64, graph.Uint64, graph.Float16, graph.Int8}).Draw(t, "type")
		table := graph.Input("table", d, rows, cols)
		shape := []int{rows, cols}
		switch rapid.SampledFrom([]string{"as it is", "transposed", "flipped", "stepped", "broadcast", "computed"}).Draw(t, "table") {
		case "transposed":
			table, shape = graph.Input("table", d, cols, rows).Permute(1, 0), []int{cols, rows}
		case "flipped":
			table = table.Flip(0)
		case "stepped":
			table, shape = graph.Input("table", d, 2*rows, cols+1).Slice("::2, 1:"), []int{2 * rows, cols + 1}
		case "broadcast":
			table, shape = graph.Input("table", d, 1, cols).BroadcastTo(rows, cols), []int{1, cols}
		case "computed":
			table = table.Mul(table)
		}
		index, axis := graph.Input("i", graph.Int64, n, k), 1
		ids := bags(t, uint64(rapid.IntRange(0, 99).Draw(t, "seed")), rows, n, k)
		switch rapid.SampledFrom([]string{"as they are", "stepped", "flipped", "broadcast"}).Draw(t, "indices") {
		case "stepped":
			index, ids = graph.Input("i", graph.Int64, n, 3*k).Slice(":, ::3"), bags(t, 7, rows, n, 3*k)
		case "flipped":
			index = index.Flip(0, 1)
		case "broadcast":
			index, ids = graph.Input("i", graph.Int64, 1, k).BroadcastTo(n, k), bags(t, 7, rows, 1, k)
		}
		if rapid.Bool().Draw(t, "indices apart") {
			index = index.Permute(1, 0)
			axis = 0
		}
		y := table.Take(0, index)
		switch rapid.IntRange(0, 3).Draw(t, "weights") {
		case 0:
			y = y.Mul(graph.Const(tableOf(t, d, []int{n, k})).Permute(1-axis, axis).Unsqueeze(-1))
		case 1:
			y = graph.Const(tableOf(t, d, []int{1, k})).Index(0, 0).Unsqueeze(-1).Unsqueeze(1 - axis).Mul(y)
		}
		if rapid.Bool().Draw(t, "backwards") {
			y = y.Flip(axis)
		}
		switch rapid.SampledFrom([]string{"sum", "min", "max", "mean", "scaled"}).Draw(t, "reduction") {
		case "sum":
			y = y.Sum(axis, graph.InType(d))
		case "min":
			y = y.Min(axis)
		case "max":
			y = y.Max(axis)
		case "mean":
			y = y.Sum(axis, graph.InType(d)).Cast(graph.Float32).Div(k)
		case "scaled":
			y = y.Sum(axis, graph.InType(d)).Mul(graph.Input("scale", d, n, 1)).Abs()
		}
		in := []*graph.Tensor{tableOf(t, d, shape), ids}
		apart, err := graph.Compile(y, graph.WithDebug(graph.NoFusion))
		require.NoError(t, err)
		if len(apart.Inputs()) == 3 {
			in = append(in, tableOf(t, d, []int{n, 1}))
		}
		if apart.Inputs()[0].Name != "table" {
			in[0], in[1] = in[1], in[0]
		}
		want, err := apart.Run(t.Context(), in...)
		require.NoError(t, err)
		for _, options := range bagOptions {
			p, err := graph.Compile(append(options, y)...)
			require.NoError(t, err)
			got, err := p.Run(t.Context(), in...)
			require.NoError(t, err)
			require.True(t, graph.Equal(want, got), explaining{p})
		}
	})
}

// tableOf returns numbers of a type, among them some NaNs and zeros of both signs where it has them.
func tableOf(t require.TestingT, d graph.DType, shape []int) *graph.Tensor {
	x := graph.Normal(graph.Float32, 3, 0, 30, shape...)
	for i := 0; i < x.Size() && ir.Floats.Has(d); i += 37 {
		at := []int{i / shape[1], i % shape[1]}
		require.NoError(t, x.Set([]float32{float32(math.NaN()), 0, float32(math.Copysign(0, -1)), float32(math.Inf(1))}[i/37%4], at...))
	}
	p, err := graph.Compile(graph.Const(x).Cast(d))
	require.NoError(t, err)
	y, err := p.Run(t.(*rapid.T).Context())
	require.NoError(t, err)
	return y
}

// TestGatheredRowsAreNotStored: the rows that an embedding sums are never in memory, and the ledger says so.
func TestGatheredRowsAreNotStored(t *testing.T) {
	const rows, width, n, k = 5000, 64, 3000, 8
	table, index, weights := graph.Input("table", graph.Float32, rows, width), graph.Input("i", graph.Int64, n, k), graph.Input("w", graph.Float32, n, k, 1)
	for name, y := range map[string]graph.Node{
		"weighted": table.Take(0, index).Mul(weights).Sum(1), "weighted alike": weights.Index(0, 0).Mul(table.Take(0, index)).Mean(1), "weighted backwards": table.Take(0, index).Mul(weights).Flip(1).Sum(1),
		"sum": table.Take(0, index).Sum(1), "mean": table.Take(0, index).Mean(1), "greatest": table.Take(0, index).Max(1),
		"epilogue": table.Take(0, index).Sum(1).Mul(graph.Input("scale", graph.Float32, n, 1)).Tanh(),
	} {
		for _, workers := range []int{1, 2} {
			p, err := graph.Compile(y, graph.WithWorkers(workers))
			require.NoError(t, err)
			require.LessOrEqual(t, p.Temporaries(), n*width*4/4, "%s: %s", name, explaining{p}) // sums after the last block
			fused := 0
			for _, d := range p.Ledger() {
				if d.Op == ir.OpGather {
					require.Equal(t, plan.Fused, d.Kind, "%s: %s", name, explaining{p})
					require.Equal(t, 2*n*k*width*4, d.Bytes)
					fused++
				}
			}
			require.Equal(t, 1, fused, "%s: %s", name, explaining{p})
			require.Contains(t, p.Explain(), ": gather-reduction,", name)
		}
	}
}

// TestGatheredNarrowRows: sums of floats are one step from rows of two elements on; other reductions are not. Indices
// of int32 are converted within the blocks of the sums.
func TestGatheredNarrowRows(t *testing.T) {
	const rows, n, k = 5000, 300000, 8
	table := graph.Input("table", graph.Float32, rows, 2)
	for _, c := range []struct {
		y   graph.Node
		one bool
	}{
		{table.Take(0, graph.Input("i", graph.Int64, n, k)).Sum(1), true},
		{table.Take(0, graph.Input("i", graph.Int32, n, k)).Sum(1), true},
		{table.Take(0, graph.Input("i", graph.Int64, n, k)).Max(1), false},
	} {
		p, err := graph.Compile(c.y)
		require.NoError(t, err)
		require.LessOrEqual(t, p.Temporaries(), n*k, explaining{p}) // memory of blocks
		require.Equal(t, c.one, strings.Contains(p.Explain(), ": gather-reduction,"), explaining{p})
	}
}

// TestGatherReduceErrors: an index outside the table gives the same error, with the line that takes the rows, whether
// or not the rows are stored.
func TestGatherReduceErrors(t *testing.T) {
	const rows, n, k = 1000, 300, 5
	taken := graph.Input("table", graph.Float32, rows, 32).Take(0, graph.Input("i", graph.Int64, n, k))
	y := taken.Sum(1)
	table := graph.Normal(graph.Float32, 1, 0, 1, rows, 32)
	for _, bad := range []int64{rows, -1, math.MaxInt64, math.MinInt64, 1 << 40} {
		ids := bags(t, 1, rows, n, k)
		require.NoError(t, ids.Set(bad, n-1, k-1))
		want := ""
		for _, options := range append(bagOptions, []graph.Item{graph.WithDebug(graph.NoFusion)}) {
			p, err := graph.Compile(append(options, y)...)
			require.NoError(t, err)
			_, err = p.Run(t.Context(), table, ids)
			require.Error(t, err)
			if want == "" {
				want = err.Error()
				require.Contains(t, want, "gather_reduce_test.go")
				require.Contains(t, want, "is outside axis 0 of table float32[1000,32]: allowed are 0 to 999")
			}
			require.EqualError(t, err, want)
		}
	}
}

// TestGatherReduceUnread: an index outside the table is an error even if nothing reads its row. Rows are reduced
// without storing them if all of them are read.
func TestGatherReduceUnread(t *testing.T) {
	const rows, n, k = 100, 40, 6
	taken := graph.Input("table", graph.Float32, rows, 32).Take(0, graph.Input("i", graph.Int64, n, k))
	table, ids := graph.Normal(graph.Float32, 1, 0, 1, rows, 32), bags(t, 1, rows, n, k)
	for _, c := range []struct {
		name string
		y    graph.Node
		bad  [2]int // the index outside
		one  bool   // whether it is one step
	}{
		{"not the first", taken.SliceAxis(1, 1, k, 1).Sum(1), [2]int{7, 0}, false},
		{"every second", taken.SliceAxis(1, 0, k, 2).Sum(1), [2]int{7, 1}, false},
		{"not the last bag", taken.SliceAxis(0, 0, n-1, 1).Sum(1), [2]int{n - 1, 0}, false},
		{"windows with gaps", taken.Window(1, 2, 4, 1).Sum(-1), [2]int{7, 2}, false},
		{"a diagonal", taken.SliceAxis(0, 0, k, 1).Diagonal(0, 0, 1).Unsqueeze(0).Sum(-1), [2]int{7, 0}, false},
		{"windows", taken.Window(1, 3, 1, 1).Sum(-1), [2]int{7, 0}, false},
		{"backwards", taken.Flip(0, 1).Sum(1), [2]int{7, 0}, true},
		{"columns", taken.SliceAxis(2, 3, 30, 1).Sum(1), [2]int{7, 0}, true},
	} {
		outside := ids.Clone()
		require.NoError(t, outside.Set(int64(rows), c.bad[:]...))
		for _, options := range append(bagOptions, []graph.Item{graph.WithDebug(graph.NoFusion)}) {
			p, err := graph.Compile(append(options, c.y)...)
			require.NoError(t, err)
			_, err = p.Run(t.Context(), table, outside)
			require.ErrorContains(t, err, fmt.Sprintf("take: index 100 at [%d,%d] of the indices i int64[40,6] is outside axis 0 of table float32[100,32]", c.bad[0], c.bad[1]), "%s: %s", c.name, explaining{p})
			_, err = p.Run(t.Context(), table, ids)
			require.NoError(t, err)
		}
		p, err := graph.Compile(c.y)
		require.NoError(t, err)
		require.Equal(t, c.one, strings.Contains(p.Explain(), ": gather-reduction,"), "%s: %s", c.name, explaining{p})
	}
}

// TestGatherReduceConcurrently runs one program from several goroutines, some with contexts that end.
func TestGatherReduceConcurrently(t *testing.T) {
	p, err := graph.Compile(graph.Input("table", graph.Float32, 500, 64).Take(0, graph.Input("i", graph.Int64, 3000, 40)).Sum(1), graph.WithWorkers(2))
	require.NoError(t, err)
	table := graph.Normal(graph.Float32, 1, 0, 1, 500, 64)
	var group sync.WaitGroup
	for g := range 4 {
		ids := bags(t, uint64(g), 500, 3000, 40)
		want, err := p.Run(t.Context(), table, ids)
		require.NoError(t, err)
		group.Go(func() {
			for i := range 5 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(100*i*i)*time.Microsecond)
				_, err := p.Run(ctx, table, ids)
				cancel()
				assert.True(t, err == nil || errors.Is(err, context.DeadlineExceeded), err)
				got, err := p.Run(context.Background(), table, ids)
				assert.NoError(t, err)
				assert.True(t, graph.Equal(want, got))
			}
		})
	}
	group.Wait()
}

// TestGatherReduceNothing reduces no rows, and makes no result.
func TestGatherReduceNothing(t *testing.T) {
	table := graph.Input("table", graph.Float32, 9, 32)
	for _, c := range []struct{ n, k int }{{3, 0}, {0, 4}} {
		p, err := graph.Compile(table.Take(0, graph.Input("i", graph.Int64, c.n, c.k)).Sum(1))
		require.NoError(t, err)
		got, err := p.Run(t.Context(), graph.Full(graph.Float32, 7, 9, 32), graph.New(graph.Int64, c.n, c.k))
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.New(graph.Float32, c.n, 32), got))
	}
}

// TestGatherReduceAllocates: a run allocates nothing besides its results.
func TestGatherReduceAllocates(t *testing.T) {
	p, err := graph.Compile(graph.Input("table", graph.Float32, 100, 64).Take(0, graph.Input("i", graph.Int64, 50, 7)).Sum(1), graph.WithWorkers(1))
	require.NoError(t, err)
	out, table, ids := graph.New(graph.Float32, 50, 64), graph.Normal(graph.Float32, 1, 0, 1, 100, 64), bags(t, 1, 100, 50, 7)
	require.Zero(t, irtest.Allocations(20, func() { err = p.RunInto(t.Context(), []*graph.Tensor{out}, table, ids) }))
	require.NoError(t, err)
}
