package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestFewRowsTimesTransposed multiplies few rows by a transposed matrix and by a copy of it: the bits are the same, on
// both engines, in a batch, through a view, and with an epilogue.
func TestFewRowsTimesTransposed(t *testing.T) {
	ctx := context.Background()
	for _, d := range []graph.DType{graph.Float32, graph.Float64, graph.Int32, graph.Float16} {
		for _, rows := range []int{2, 3, 16, 17, 64, 65} {
			for _, options := range [][]graph.Item{nil, {graph.WithDebug(graph.Portable)}, {graph.WithWorkers(2), graph.ChunkElems(50)}} {
				const pairs, cols = 203, 151
				random := func(seed uint64, shape ...int) *graph.Tensor {
					p, err := graph.Compile(graph.Input("n", graph.Float32, toAny(shape)...).Mul(30).Cast(d))
					require.NoError(t, err)
					x, err := p.Run(ctx, graph.Normal(graph.Float32, seed, 0, 1, shape...))
					require.NoError(t, err)
					return x
				}
				tx, tw, tb := random(1, 2, rows, pairs), random(2, 2, cols, pairs), random(3, cols)
				x, w := graph.Input("x", d, 2, rows, pairs), graph.Input("w", d, 2, cols, pairs)
				wt, b := graph.Input("wt", d, 2, pairs, cols), graph.Input("b", d, cols)
				transpose, err := graph.Compile(w.Permute(0, 2, 1))
				require.NoError(t, err)
				twt, err := transpose.Run(ctx, tw)
				require.NoError(t, err)
				layer := func(x, wt graph.Node) graph.Node { return x.MatMul(wt).Add(b).Maximum(0) }
				outs := []graph.Node{
					layer(x, w.Permute(0, 2, 1)), layer(x, wt),
					x.Index(0, 1).MatMul(w.Index(0, 0).T()), x.Index(0, 1).MatMul(wt.Index(0, 0)),
				}
				items := append(options, graph.WithInputs(x, w, wt, b))
				for _, out := range outs {
					items = append(items, out)
				}
				p, err := graph.Compile(items...)
				require.NoError(t, err)
				got, err := p.RunAll(ctx, tx, tw, twt, tb)
				require.NoError(t, err)
				for k := 0; k < len(got); k += 2 {
					require.True(t, graph.Equal(got[k], got[k+1]), "%v %v %v %s", d, rows, options, explaining{p})
				}
			}
		}
	}
}

func toAny(shape []int) (dims []any) {
	for _, n := range shape {
		dims = append(dims, n)
	}
	return dims
}
