package graph_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestScatterPieces combines many updates per element, whose pieces have separate tables: whole pieces plus some
// remaining updates, indices of all widths, computed or not, single elements and rows, on every engine. The definition
// is a loop.
func TestScatterPieces(t *testing.T) {
	const bins = 200
	for _, n := range []int{1 << 16, 1<<17 - 1, 150_001} {
		bytes, words, numbers := make([]uint8, n), make([]int32, n), make([]int64, n)
		updates := make([]int32, 3*n)
		for i := range n {
			k := int64(i) * int64(i+7919) / 3 % bins
			bytes[i], words[i], numbers[i] = uint8(k), int32(k-bins/2), k
		}
		for i := range updates {
			updates[i] = int32(i*i*i) - 1<<30
		}
		counts, sums, greatest := make([]int64, bins), make([]int32, 3*bins), make([]float32, 3*bins)
		for i := range greatest {
			greatest[i] = float32(math.Inf(-1))
		}
		for i, k := range numbers {
			counts[k]++
			for c := range 3 {
				sums[3*int(k)+c] += updates[3*i+c]
				greatest[3*int(k)+c] = max(greatest[3*int(k)+c], float32(updates[3*i+c]))
			}
		}
		b, w, i, u := graph.Input("b", graph.Uint8, n), graph.Input("w", graph.Int32, n), graph.Input("i", graph.Int64, n), graph.Input("u", graph.Int32, n, 3)
		outputs := []graph.Item{b.BinCount(bins), w.Add(bins / 2).BinCount(bins), i.BinCount(bins), u.SegmentSum(i, bins), u.SegmentSum(b, bins), u.Cast(graph.Float32).SegmentMax(w.Add(bins/2), bins)}
		want := []*graph.Tensor{graph.Of(counts), graph.Of(counts), graph.Of(counts), graph.Of(sums, bins, 3), graph.Of(sums, bins, 3), graph.Of(greatest, bins, 3)}
		for _, options := range [][]graph.Item{{graph.WithWorkers(1), graph.WithDebug(graph.Verify)}, {graph.WithWorkers(2)}, {graph.WithWorkers(3), graph.WithDebug(graph.Portable)}, {graph.WithDebug(graph.NoFusion)}} {
			p, err := graph.Compile(append(options, outputs...)...)
			require.NoError(t, err)
			require.Contains(t, p.Explain(), "tables of their own")
			outs, err := p.RunAll(context.Background(), graph.Of(bytes), graph.Of(words), graph.Of(numbers), graph.Of(updates, n, 3))
			require.NoError(t, err)
			for o, out := range outs {
				require.True(t, graph.Equal(want[o], out), "%d updates, output %d", n, o)
			}
		}
	}
}

// TestHistogramReadsIndices: bytes are counted in place; other computed indices are stored for one piece at a time,
// with or without remaining updates.
func TestHistogramReadsIndices(t *testing.T) {
	for _, n := range []int{1 << 20, 1<<20 + 1} {
		for _, c := range []struct {
			index  graph.Node
			staged bool
		}{
			{graph.Input("x", graph.Uint8, n), false},
			{graph.Input("x", graph.Uint8, n/16, 16).Reshape(-1), false},
			{graph.Input("x", graph.Int32, n), true},
			{graph.Input("x", graph.Float32, n).Mul(256).Floor().Cast(graph.Int64).ClampIndex(256), true},
		} {
			p, err := graph.Compile(c.index.BinCount(256))
			require.NoError(t, err)
			bytes := map[string]int{} // bytes of the indices
			for _, d := range p.Ledger() {
				if d.Op.String() != "scatter_add" {
					bytes[fmt.Sprint(d.Kind)] += d.Bytes
				}
			}
			require.Less(t, bytes["materialized"], 2*256*8+100, "tables alone are stored: %s", explaining{p})
			require.Zero(t, bytes["copied"], explaining{p})
			require.Equal(t, c.staged, bytes["staged"] > 0, explaining{p})
			require.Equal(t, !c.staged, strings.Contains(fmt.Sprint(p.Kernels()), "scatter_bytes"), explaining{p})
		}
	}
}

// TestScatterIndexOutside: an index outside the table is an error of the run, in a piece or after the last.
func TestScatterIndexOutside(t *testing.T) {
	x := make([]uint8, 1<<17+1)
	p, err := graph.Compile(graph.Input("x", graph.Uint8, len(x)).BinCount(200))
	require.NoError(t, err)
	for _, at := range []int{-1, 0, 70_000, len(x) - 1} {
		if at >= 0 {
			x[at] = 200
		}
		_, err = p.Run(context.Background(), graph.Of(x))
		if at < 0 {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, fmt.Sprintf("bincount: 200 at [%d] of x uint8[131073] is outside 0 to 199: give more bins", at))
		x[at] = 0
	}
}

// TestBinCountOutside: the error names the number, its place and the bins.
func TestBinCountOutside(t *testing.T) {
	x := graph.Input("x", graph.Int32, 2, 2)
	for name, y := range map[string]graph.Node{"x ": x.BinCount(5), "": x.Add(1).Sub(1).BinCount(5)} {
		p, err := graph.Compile(y)
		require.NoError(t, err)
		for _, bad := range []int32{5, -1} {
			_, err = p.Run(t.Context(), graph.Of([]int32{1, 4, bad, 0}, 2, 2))
			require.ErrorContains(t, err, fmt.Sprintf("run: bincount: %d at [1,0] of %sint32[2,2] is outside 0 to 4: give more bins, or ClampIndex the elements", bad, name))
		}
	}
	p, err := graph.Compile(graph.Input("b", graph.Uint8, 3).BinCount(200))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]uint8{1, 2, 255}))
	require.ErrorContains(t, err, "bincount: 255 at [2] of b uint8[3] is outside 0 to 199")
}
