package graph_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestSumsOfByteProducts compares products and distances of rows of bytes with Go loops, for rows of all lengths up to three vectors,
// with the greatest factors, and with what kernels are assembled for.
func TestSumsOfByteProducts(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		rows, cols := 1+r.IntN(9), 1+r.IntN(100)
		var ins []*graph.Tensor
		var elems [3][]int32
		var nodes graph.Nodes
		for i, shape := range [][]int{{rows, cols}, {cols}, {rows, cols}} {
			n := cols
			if len(shape) == 2 {
				n *= rows
			}
			edges := r.IntN(3) == 0 // only the greatest and the least elements
			signed, unsigned := make([]int8, n), make([]uint8, n)
			for range n {
				b := uint8(r.IntN(256))
				if edges {
					b = []uint8{0, 127, 128, 255}[r.IntN(4)]
				}
				signed[len(elems[i])], unsigned[len(elems[i])] = int8(b), b
				elems[i] = append(elems[i], int32(b))
			}
			extents := make([]any, len(shape))
			for k, d := range shape {
				extents[k] = d
			}
			x := graph.Input(fmt.Sprint("x", i), graph.Uint8, extents...)
			in := graph.Of(unsigned, shape...)
			if r.IntN(2) == 0 {
				x, in = graph.Input(fmt.Sprint("x", i), graph.Int8, extents...), graph.Of(signed, shape...)
				for k, s := range signed {
					elems[i][k] = int32(s)
				}
			}
			nodes, ins = append(nodes, x.Cast(graph.Int32)), append(ins, in)
		}
		x, v, w := nodes[0], nodes[1], nodes[2]
		ys := graph.Nodes{
			x.Mul(v).Sum(-1), x.Sub(v).Square().Sum(-1), x.Square().Sum(-1), x.Mul(w).Sum(-1), x.Add(w).Sub(v).Mul(v.Sub(w)).Sum(-1),
			x.Mul(v).Mul(w).Sum(-1), x.Mul(v).Add(w).Sum(-1), v.Mul(v).Sum(),
		}
		out := everyWay(t, ys, ins...)
		p, err := graph.Compile(graph.WithAssembledKernels(), ys)
		require.NoError(t, err)
		assembled, err := p.RunAll(t.Context(), ins...)
		require.NoError(t, err)
		for i, f := range []func(x, v, w int32) int32{
			func(x, v, _ int32) int32 { return x * v }, func(x, v, _ int32) int32 { return (x - v) * (x - v) }, func(x, _, _ int32) int32 { return x * x },
			func(x, _, w int32) int32 { return x * w }, func(x, v, w int32) int32 { return (x + w - v) * (v - w) },
			func(x, v, w int32) int32 { return x * v * w }, func(x, v, w int32) int32 { return x*v + w },
		} {
			for row := range rows {
				sum := int32(0)
				for k := range cols {
					sum += f(elems[0][row*cols+k], elems[1][k], elems[2][row*cols+k])
				}
				require.Equal(t, sum, int32(out[i][row]), "seed %d: row %d of result %d", seed, row, i)
			}
			require.Equal(t, out[i], elements(t, assembled[i]), "seed %d: result %d", seed, i)
		}
	}
}
