package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestProductsWrap multiplies matrices of integers of all types: products and sums wrap, so their low bits are those of
// uint64.
func TestProductsWrap(t *testing.T) {
	bits := func(x *graph.Tensor) []uint64 {
		out, err := graph.Data[uint64](run(t, graph.Const(x).Cast(graph.Uint64)))
		require.NoError(t, err)
		return out
	}
	for _, dt := range ir.Ints.List() {
		for _, n := range [][3]int{{5, 7, 6}, {1, 300, 4}, {4, 300, 1}, {3, 0, 2}, {33, 65, 17}} {
			draw := func(seed, elements int) *graph.Tensor {
				at := graph.Iota(graph.Uint64, elements).Add(seed)
				return run(t, at.Mul(at).Mul(uint64(0x9e3779b97f4a7c15)).Shr(3).Cast(dt))
			}
			a, b := draw(9, n[0]*n[1]).Reshape(n[0], n[1]), draw(1000, n[1]*n[2]).Reshape(n[1], n[2])
			x, y, want := bits(a), bits(b), make([]uint64, n[0]*n[2])
			for i := range n[0] {
				for j := range n[2] {
					for k := range n[1] {
						want[i*n[2]+j] += x[i*n[1]+k] * y[k*n[2]+j]
					}
				}
			}
			product := run(t, graph.Const(graph.Of(want, n[0], n[2])).Cast(dt))
			p, q := graph.Const(a), graph.Const(b)
			for name, z := range map[string]graph.Node{
				"matmul": p.MatMul(q), "dot": p.Dot(q), "tensordot": p.Tensordot(q, 1),
				"einsum of three": graph.Einsum("ik,kj,j->ij", p, q, graph.Fill(dt, 1, n[2])),
				"sum of outer":    p.Outer(q).Reshape(n[0], n[1], n[1], n[2]).Diagonal(0, 1, 2).Sum(2, graph.InType(dt)),
			} {
				require.True(t, graph.Equal(product, run(t, z)), "%s of %s %v", name, dt, n)
			}
		}
	}
}
