package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestProducts compares each function with a loop over its labels.
func TestProducts(t *testing.T) {
	shape := func(s ...int) []int { return s }
	matmul := func(x, y graph.Node) graph.Node { return x.MatMul(y) }
	dot := func(x, y graph.Node) graph.Node { return x.Dot(y) }
	outer := func(x, y graph.Node) graph.Node { return x.Outer(y) }
	tensordot := func(axes ...any) func(x, y graph.Node) graph.Node {
		return func(x, y graph.Node) graph.Node { return x.Tensordot(y, axes...) }
	}
	for _, c := range []struct {
		f    func(x, y graph.Node) graph.Node
		x, y []int
		want string
	}{
		{matmul, shape(2, 3), shape(3, 4), "mk,kn->mn"},
		{matmul, shape(3), shape(3), "k,k->"},
		{matmul, shape(3), shape(3, 4), "k,kn->n"},
		{matmul, shape(2, 3), shape(3), "mk,k->m"},
		{matmul, shape(5, 2, 3), shape(3), "bmk,k->bm"},
		{matmul, shape(3), shape(5, 3, 4), "k,bkn->bn"},
		{matmul, shape(5, 2, 3), shape(5, 3, 4), "bmk,bkn->bmn"},
		{matmul, shape(5, 2, 3), shape(3, 4), "bmk,kn->bmn"},
		{matmul, shape(2, 3), shape(5, 3, 4), "mk,bkn->bmn"},
		{matmul, shape(5, 1, 2, 3), shape(6, 3, 4), "abmk,bkn->abmn"},
		{matmul, shape(1, 2, 3), shape(5, 3, 4), "bmk,bkn->bmn"},
		{matmul, shape(5, 1, 3), shape(3, 4), "bmk,kn->bmn"},
		{matmul, shape(2, 1), shape(1, 4), "mk,kn->mn"},
		{matmul, shape(1, 1), shape(1, 1), "mk,kn->mn"},
		{matmul, shape(2, 0), shape(0, 4), "mk,kn->mn"},
		{matmul, shape(0, 3), shape(3, 4), "mk,kn->mn"},
		{dot, shape(), shape(2, 3), ",ij->ij"},
		{dot, shape(2, 3), shape(), "ij,->ij"},
		{dot, shape(3), shape(3), "k,k->"},
		{dot, shape(2, 3), shape(3), "mk,k->m"},
		{dot, shape(3), shape(3, 4), "k,kn->n"},
		{dot, shape(2, 3), shape(3, 4), "mk,kn->mn"},
		{dot, shape(5, 2, 3), shape(6, 3, 4), "amk,bkn->ambn"},
		{outer, shape(2), shape(3), "i,j->ij"},
		{tensordot(0), shape(2, 3), shape(4), "ij,k->ijk"},
		{tensordot(1), shape(2, 3), shape(3, 4), "ij,jk->ik"},
		{tensordot(2), shape(2, 3, 4), shape(3, 4, 5), "ijk,jkl->il"},
		{tensordot([]int{1, 0}, []int{0, 1}), shape(3, 4, 5), shape(4, 3, 2), "ijk,jil->kl"},
		{tensordot(-1, 0), shape(2, 3), shape(3, 4), "ij,jk->ik"},
		{tensordot([]int{}, []int{}), shape(2), shape(3), "i,j->ij"},
	} {
		x, y := count(-3, c.x...), count(-5, c.y...)
		z := c.f(graph.Input("x", graph.Int32, c.x), graph.Input("y", graph.Int32, c.y))
		require.NoError(t, z.Err())
		shape, want := loops(c.want, toArray(t, x), toArray(t, y))
		got := defined(t, z, x, y)
		require.Equal(t, shape, got.Shape, c.want)
		require.Equal(t, want, wholes(got), c.want)
		require.Equal(t, got.Data, everyWay(t, graph.Nodes{z}, x, y)[0], c.want)
	}
	flat := graph.Const(count(0, 2, 2)).Outer(graph.Const(count(1, 1, 3)))
	require.Equal(t, "[4,3]", flat.Shape().String())
	scaled := graph.Const(count(0, 2, 2)).Dot(3)
	require.Equal(t, []int64{0, 3, 6, 9}, wholes(defined(t, scaled)))
}

// TestProductsAreDots checks which ops products are made of: batches merge with rows, and products that are not of
// matrices are elementwise products and sums.
func TestProductsAreDots(t *testing.T) {
	n := graph.Dim("n")
	x, w := f32("x", n, 5, 3), f32("w", 3, 4)
	for _, c := range []struct {
		y    graph.Node
		want []ir.Op
	}{
		{f32("a", 2, 3).MatMul(w), []ir.Op{ir.OpDot}},
		{f32("a", 4, 3).MatMul(w.T().T()), []ir.Op{ir.OpPermute, ir.OpPermute, ir.OpDot}},
		{x.MatMul(w), []ir.Op{ir.OpReshape, ir.OpDot, ir.OpReshape}}, // one matrix of 5*n rows
		{w.MatMul(f32("b", n, 4, 2)), []ir.Op{ir.OpUnsqueeze, ir.OpExpand, ir.OpDot}},
		{graph.Einsum("ki,kj->ji", w, w), []ir.Op{ir.OpPermute, ir.OpDot}}, // no copy of the result
		{x.MatMul(f32("v", 3)), []ir.Op{ir.OpUnsqueeze, ir.OpExpand, ir.OpMul, ir.OpSum}},
		{f32("v", 3).MatMul(w), []ir.Op{ir.OpUnsqueeze, ir.OpExpand, ir.OpPermute, ir.OpMul, ir.OpSum}},
		{graph.Einsum("bi,bi->b", f32("p", n, 3), f32("q", n, 3)), []ir.Op{ir.OpMul, ir.OpSum}},
		{graph.Einsum("i,i->i", f32("p", n), f32("q", n)), []ir.Op{ir.OpMul}},
		{graph.Einsum("ii->i", f32("s", n, n)), []ir.Op{ir.OpDiagonal}},
		{graph.Einsum("ij,kl->il", w, w), []ir.Op{ir.OpSum, ir.OpUnsqueeze, ir.OpExpand, ir.OpSum, ir.OpUnsqueeze, ir.OpExpand, ir.OpMul}},
	} {
		f, _, err := graph.Define(c.y)
		require.NoError(t, err)
		var ops []ir.Op
		for _, v := range f.Body {
			ops = append(ops, v.Op)
		}
		require.Equal(t, c.want, ops, "%s", f)
	}
}

// TestEinsumOrder: three matrices are multiplied in the order that is cheaper.
func TestEinsumOrder(t *testing.T) {
	dots := func(formula string, xs ...any) (shapes []string) {
		f, _, err := graph.Define(graph.Einsum(formula, xs...))
		require.NoError(t, err)
		for _, v := range f.Body {
			if v.Op == ir.OpDot {
				shapes = append(shapes, v.Type.Shape.String())
			}
		}
		return shapes
	}
	n, k := graph.Dim("n"), graph.Dim("k")
	long, wide, flat := f32("x", n, 2), f32("y", 2, n), f32("z", n, 3)
	require.Equal(t, []string{"[2,3]", "[n,3]"}, dots("ij,jk,kl->il", long, wide, flat))
	require.Equal(t, []string{"[3,2]", "[3,n]"}, dots("kl,jk,ij->li", flat, wide, long))
	require.Equal(t, []string{"[n,3]", "[n,4]"}, dots("ij,jk,kl->il", f32("a", n, k), f32("b", k, 3), f32("c", 3, 4)))

	many := make([]any, 12) // too many terms to compare all orders
	formula := ""
	for i := range many {
		many[i] = graph.Const(graph.Of([]int32{1, 1, 1, 0}, 2, 2))
		formula += "," + string(rune('a'+i)) + string(rune('b'+i))
	}
	require.Equal(t, []int64{233, 144, 144, 89}, wholes(defined(t, graph.Einsum(formula[1:]+"->am", many...)))) // Fibonacci
}

// TestProductsOfBytes: a Cast prevents overflow of bytes, and nothing is promoted.
func TestProductsOfBytes(t *testing.T) {
	x := graph.Input("x", graph.Uint8, 2, 300)
	y := x.Cast(graph.Int32).MatMul(x.Cast(graph.Int32).T())
	in := graph.Full(graph.Uint8, 255, 2, 300)
	require.Equal(t, []int64{19507500, 19507500, 19507500, 19507500}, wholes(defined(t, y, in)))
	require.Len(t, everyWay(t, graph.Nodes{y}, in)[0], 4)
}

// TestProductsSayHowTheyBroadcast: WithoutBroadcast does not restrict products.
func TestProductsSayHowTheyBroadcast(t *testing.T) {
	x, v := f32("x", 2, 3, 3), f32("v", 3)
	_, err := graph.Compile(graph.WithoutBroadcast(), x.MatMul(v), v.MatMul(x), v.Outer(v), f32("w", 3, 3).MatMul(x), graph.Einsum(",i", 2, v))
	require.NoError(t, err)
}

// BenchmarkEinsumOrder measures building the longest chain for which all orders are compared.
func BenchmarkEinsumOrder(b *testing.B) {
	xs := make([]any, 8)
	for i := range xs {
		xs[i] = graph.Input("x", graph.Float32, i+2, i+3)
	}
	for b.Loop() {
		graph.Einsum("ab,bc,cd,de,ef,fg,gh,hi->ai", xs...)
	}
}

// TestProductsOfNames: axes keep their names, and axes that are paired must agree.
func TestProductsOfNames(t *testing.T) {
	x := f32("x", graph.Axis("row", 2), graph.Axis("mid", 3))
	y := f32("y", graph.Axis("mid", 3), graph.Axis("col", 4))
	require.Equal(t, []string{"row", "col"}, x.MatMul(y).AxisNames())
	require.Equal(t, []string{"", ""}, x.MatMul(x.T()).AxisNames(), "row by row")
	require.Equal(t, []string{"row", ""}, x.MatMul(f32("w", 3, 4)).AxisNames())
	require.Equal(t, []string{"col", "row"}, graph.Einsum("ij,jk->ki", x, y).AxisNames())
	require.Equal(t, []string{""}, graph.Einsum("ii->i", f32("s", graph.Axis("a", 2), graph.Axis("b", 2))).AxisNames())
	require.Equal(t, []string{"row", "col"}, x.Tensordot(y, "mid", "mid").AxisNames())
	p, err := graph.Compile(x.MatMul(y).Sum("row"))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.Ones(graph.Float32, 2, 3), graph.Ones(graph.Float32, 3, 4))
	require.NoError(t, err)
}
