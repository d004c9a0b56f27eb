package graph_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestStreams compares reductions of arrays larger than the caches, which read several streams, with the portable
// engine: row and element counts around round numbers, and views with other row orders.
func TestStreams(t *testing.T) {
	streams := map[string]int{}
	for _, shape := range [][]int{{1003, 1050}, {2, 1<<20 + 1}, {7, 150_001}, {1, 1<<20 + 1030}, {1025, 2, 700}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]float32, n)
		r := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range data {
			data[i] = float32(math.Round(r.NormFloat64() * 1000)) // with ties
		}
		data[n/3], data[n-1], data[5] = float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))
		x := graph.Input("x", graph.Float32, shape)
		views := map[string]graph.Node{"whole": x, "flipped": x.Flip(0), "cut": x.Slice("..., 3:")}
		if shape[0] > 2 {
			views["stepped"] = x.Slice("::2")
		}
		for name, v := range views {
			w := graph.Input("w", graph.Float32, shape[len(shape)-1:])
			if name == "cut" {
				w = w.Slice("3:")
			}
			for i, y := range []graph.Node{v.Sum(-1), v.Max(-1), v.Min(-1), v.ArgMax(-1), v.ArgMin(-1), v.Square().Sum(-1), v.Abs().Sum(), v.Mul(w).Sum(-1), v.Max()} {
				var want []uint64
				for _, way := range [][]graph.Item{{graph.WithDebug(graph.Portable)}, {graph.WithWorkers(1)}, {graph.WithWorkers(3), graph.WithDebug(graph.Verify)}} {
					ins := []*graph.Tensor{graph.Of(data, shape...), graph.Of(data[:shape[len(shape)-1]], shape[len(shape)-1])}
					p, err := graph.Compile(append(way, y)...)
					require.NoError(t, err)
					out, err := p.Run(context.Background(), ins[:len(p.Inputs())]...)
					require.NoError(t, err)
					got := elements(t, out)
					if want == nil {
						want = got
					}
					require.Equal(t, want, got, "%v %s %d\n%s", shape, name, i, explaining{p})
					for _, sign := range []string{": row-reduction/streams", "{ store u0 u1 u2 u3 }", "store t0 t1 t2 }"} {
						if strings.Contains(p.Explain(), sign) {
							streams[sign]++
						}
					}
				}
			}
		}
	}
	if abi.Best() > abi.Portable {
		require.Greater(t, streams[": row-reduction/streams"], 200)
		require.Len(t, streams, 3, "of two rows, of four and of three")
	}
}

// TestVerifyShortTiles compiles reductions whose last tile is shorter than the memory for its chunks: the verifier of
// schedules knows that no memory between them is read.
func TestVerifyShortTiles(t *testing.T) {
	for rows := 5; rows < 8; rows++ {
		for _, cols := range []int{87_707, 100_000, 105_046} {
			x, w := graph.Input("x", graph.Float32, rows, cols), graph.Input("w", graph.Float32, cols)
			_, err := graph.Compile(x.Mul(w).Sum(-1), graph.WithDebug(graph.Verify))
			require.NoError(t, err, "%d rows of %d", rows, cols)
		}
	}
}
