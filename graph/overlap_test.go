package graph_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// neighbours returns the sum of three consecutive elements along an axis.
func neighbours(x graph.Node, axis, n int) graph.Node {
	at := func(i int) graph.Node {
		if axis == 0 {
			return x.Slice(fmt.Sprintf("%d:%d", i, n-2+i))
		}
		return x.Slice(fmt.Sprintf(":, %d:%d", i, n-2+i))
	}
	return at(0).Add(at(1)).Add(at(2))
}

// TestOverlap runs filters whose intermediate values stay in the cache block by block: with two stages, on every other
// row, and on a vector. Some rows remain after the last whole block.
func TestOverlap(t *testing.T) {
	const rows, cols = 1301, 1024
	x := graph.Input("x", graph.Float32, rows, cols)
	wide := graph.Input("x", graph.Float32, rows*cols)
	blurred := neighbours(neighbours(x.Exp(), 1, cols).Materialize(), 0, rows)
	for name, y := range map[string]graph.Node{
		"two stages":      blurred,
		"two of a kind":   neighbours(neighbours(x.Exp(), 0, rows).Sqrt(), 0, rows-2),
		"every other row": x.Exp().Slice(":-1:2").Add(x.Exp().Slice("1::2")),
		"vector":          neighbours(wide.Exp(), 0, rows*cols),
		"reduced":         blurred.Max(1),
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			in := graph.Normal(graph.Float32, 1, 0, 1, rows*cols)
			if name != "vector" {
				in = graph.Normal(graph.Float32, 1, 0, 1, rows, cols)
			}
			apart, err := graph.Compile(y, graph.WithDebug(graph.NoFusion))
			require.NoError(t, err)
			want, err := apart.Run(ctx, in)
			require.NoError(t, err)
			for _, options := range [][]graph.Item{nil, {graph.WithWorkers(1)}, {graph.WithDebug(graph.Portable)}, {graph.WithWorkers(2), graph.ChunkElems(5000)}} {
				p, err := graph.Compile(append(options, y)...)
				require.NoError(t, err)
				got, err := p.Run(ctx, in)
				require.NoError(t, err)
				require.True(t, graph.Equal(want, got), explaining{p})
				require.Less(t, p.Temporaries(), rows*cols*4/2, explaining{p})

				shared := graph.New(graph.Float32, rows*cols)
				require.NoError(t, graph.Copy(shared.Reshape(in.Shape()...), in))
				out := shared.Slice(fmt.Sprintf(":%d", want.Size())).Reshape(want.Shape()...)
				require.NoError(t, p.RunInto(ctx, []*graph.Tensor{out}, shared.Reshape(in.Shape()...)))
				require.True(t, graph.Equal(want, out), "in the memory of the input")
			}
		})
	}
}

// TestOverlapOfConstants: a value computed only from constants is computed once, not in every block.
func TestOverlapOfConstants(t *testing.T) {
	const rows, cols = 1301, 1024
	c := graph.Const(graph.Normal(graph.Float32, 1, 0, 1, rows, cols))
	x := graph.Input("x", graph.Float32, cols)
	p, err := graph.Compile(neighbours(c.Exp(), 0, rows).Mul(x))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.Normal(graph.Float32, 1, 0, 1, cols))
	require.NoError(t, err)
	require.NotContains(t, strings.Join(p.Kernels(), "\n"), "exp", explaining{p})
}

// TestOverlapInJoin: tiles store the halves of a concatenation; each pass is verified.
func TestOverlapInJoin(t *testing.T) {
	const rows, cols = 1301, 1024
	x := graph.Input("x", graph.Float32, rows, cols)
	in := graph.Normal(graph.Float32, 1, 0, 1, rows, cols)
	half := neighbours(x.Exp(), 0, rows)
	for _, other := range []graph.Node{x.Slice("1:-1"), neighbours(neighbours(x.Pad([]int{1, 0}, []int{1, 0}, graph.PadConstant).Tanh(), 0, rows+2).Log1p(), 0, rows)} {
		y := graph.Concat(1, half, other)
		p, err := graph.Compile(y, graph.WithDebug(graph.Verify))
		require.NoError(t, err)
		got, err := p.Run(context.Background(), in)
		require.NoError(t, err, explaining{p})
		apart, err := graph.Compile(y, graph.WithDebug(graph.NoFusion))
		require.NoError(t, err)
		want, err := apart.Run(context.Background(), in)
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got), explaining{p})
	}
}

// TestOverlapGather runs programs that sum, convert or index rows of a table: the rows of a block are gathered before
// the block and stay in the cache.
func TestOverlapGather(t *testing.T) {
	const rows, width, n = 5000, 64, 3001
	table := graph.Input("table", graph.Float32, rows, width)
	for name, build := range map[string]func(i graph.Node) graph.Node{
		"sums":        func(i graph.Node) graph.Node { return table.Take(0, i).Sum(1) },
		"elementwise": func(i graph.Node) graph.Node { return table.Take(0, i).Exp().Sub(1) },
		"from the end": func(i graph.Node) graph.Node {
			return table.Take(0, i.Cast(graph.Int64).Sub(rows).FromEnd(rows)).Max(2)
		},
		"of results": func(i graph.Node) graph.Node { return table.Exp().Take(0, i).Mean(1) },
		"columns":    func(i graph.Node) graph.Node { return table.Permute(1, 0).Take(1, i).Sum(2) },
	} {
		for _, dt := range []graph.DType{graph.Int64, graph.Uint16} {
			t.Run(fmt.Sprint(name, " ", dt), func(t *testing.T) {
				y := build(graph.Input("i", dt, n, 8))
				in := graph.Normal(graph.Float32, 1, 0, 1, rows, width)
				indices, err := graph.Compile(graph.Const(graph.Uniform(graph.Float64, 2, 0, rows, n, 8)).Cast(dt))
				require.NoError(t, err)
				i, err := indices.Run(t.Context())
				require.NoError(t, err)
				apart, err := graph.Compile(y, graph.WithDebug(graph.NoFusion))
				require.NoError(t, err)
				want, err := apart.Run(t.Context(), in, i)
				require.NoError(t, err)
				for _, options := range [][]graph.Item{nil, {graph.WithWorkers(1)}, {graph.WithDebug(graph.Portable)}, {graph.WithWorkers(2), graph.ChunkElems(5000)}} {
					p, err := graph.Compile(append(options, y)...)
					require.NoError(t, err)
					got, err := p.Run(t.Context(), in, i)
					require.NoError(t, err)
					require.True(t, graph.Equal(want, got), explaining{p})
					require.Less(t, p.Temporaries(), n*8*width*4/2, explaining{p})
				}
			})
		}
	}
}

// TestGatherIsOneStep: computations on gathered rows of two elements or more run in blocks with the gather, and no
// array of all rows is stored.
func TestGatherIsOneStep(t *testing.T) {
	for _, n := range []int{2, 16, 333, 40_000} {
		for _, width := range []int{1, 3, 64} {
			table := graph.Input("table", graph.Float32, 1000, width)
			rows := table.Take(0, graph.Input("i", graph.Int64, n))
			for name, y := range map[string]graph.Node{
				"tuples of one": table.GatherND(graph.Input("i", graph.Int64, n, 1), 0).Exp(),
				"times two":     rows.Mul(2), "chain": rows.Exp().Sub(1).Sqrt(), "with others": rows.Mul(graph.Input("x", graph.Float32, n, width)), "greatest": rows.Max(1),
			} {
				for _, workers := range []int{1, 2} {
					p, err := graph.Compile(y, graph.WithWorkers(workers))
					require.NoError(t, err)
					require.LessOrEqual(t, p.Temporaries(), n*width*4/4, "%d rows of %d, %s: %s", n, width, name, explaining{p}) // rows after the last block
				}
			}
		}
	}
}

// TestIndicesAreStoredOnce: computed indices of any type are stored once for all elements of a row.
func TestIndicesAreStoredOnce(t *testing.T) {
	const rows, n = 100, 320
	x := graph.Input("x", graph.Float32, rows, 96)
	for _, dt := range []graph.DType{graph.Int64, graph.Int32, graph.Uint16} {
		i := graph.Input("i", dt, n)
		for name, y := range map[string]graph.Node{
			"plain":        x.Take(0, i),
			"from the end": x.Take(0, i.Cast(graph.Int64).FromEnd(rows)),
			"clamped":      x.Take(0, i.ClampIndex(rows)),
			"scattered":    x.Take(0, i).SegmentSum(i, rows).Take(0, i),
		} {
			p, err := graph.Compile(y)
			require.NoError(t, err)
			others := 0
			if name == "scattered" {
				others = (n + rows) * 96 * 4
			}
			require.LessOrEqual(t, p.Temporaries(), n*8+others, "%s %s: %s", name, dt, explaining{p})
		}
	}
}

// TestOverlapGatherOfLines gathers few long rows of a computed table: each row of the result may need any row of the
// table.
func TestOverlapGatherOfLines(t *testing.T) {
	const rows, width = 8, 1 << 17
	x := graph.Input("x", graph.Float32, rows, width)
	in := graph.Normal(graph.Float32, 1, 0, 1, rows, width)
	for name, y := range map[string]graph.Node{
		"one":   x.Exp().Take(0, graph.Const(graph.Of([]int64{5}))),
		"two":   x.Exp().Take(0, graph.Const(graph.Of([]int64{7, 2}))).Sub(1),
		"along": x.Exp().TakeAlong(0, graph.Fill(graph.Int64, 6, 1, width)).Sqrt(),
		"again": x.Exp().Take(0, graph.Iota(graph.Int64, rows)).Take(0, graph.Const(graph.Of([]int64{3}))),
	} {
		t.Run(name, func(t *testing.T) {
			apart, err := graph.Compile(y, graph.WithDebug(graph.NoFusion))
			require.NoError(t, err)
			want, err := apart.Run(t.Context(), in)
			require.NoError(t, err)
			for _, options := range [][]graph.Item{nil, {graph.WithWorkers(1)}, {graph.WithDebug(graph.Verify)}, {graph.WithWorkers(2), graph.ChunkElems(5000)}} {
				p, err := graph.Compile(append(options, y)...)
				require.NoError(t, err)
				got, err := p.Run(t.Context(), in)
				require.NoError(t, err)
				require.True(t, graph.Equal(want, got), explaining{p})
			}
		})
	}
}
