package graph_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func TestProductErrors(t *testing.T) {
	n, m := graph.Dim("n"), graph.Dim("m")
	x, y, u := f32("x", n, 3), f32("y", 4, 2), graph.Input("u", graph.Bool, 2, 2)
	b, i := graph.Input("b", graph.Bool, 2), graph.Input("i", graph.Int32, 3)
	named := f32("named", graph.Axis("row", 4), graph.Axis("col", 2))
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{x.MatMul(y), here() + ": matmul: shapes [n,3] and [4,2]: axis 1 of the first is 3 and axis 0 of the second is 4: they must be equal"},
		{x.T().MatMul(f32("a", m, 2)), here() + ": matmul: shapes [3,n] and [m,2]: axis 1 of the first is n and axis 0 of the second is m: they must be equal"},
		{f32("a", 2, 5, 3).MatMul(f32("b", 7, 3, 4)), here() + ": matmul: shapes [2,5,3] and [7,3,4] do not broadcast: axis 0 of the first is 2 and axis 0 of the second is 7"},
		{x.MatMul(3), here() + ": matmul: shapes [n,3] and []: a scalar is no matrix: take Mul"},
		{x.MatMul("w"), here() + ": matmul: an operand is a Node, a *Tensor, a number, a bool or a Dim, not string"},
		{x.MatMul(i), here() + ": matmul: dtypes float32 and int32 differ: Cast one of them"},
		{u.MatMul(u), here() + ": matmul: does not take bool: Cast the operands to int32, the type of the sums"},
		{b.Dot(b), here() + ": dot: does not take bool: Cast the operands to int32, the type of the sums"},
		{i.Dot(0.5), here() + ": dot: 0.5 is not an integer, for int32: round it, or Cast to a float type"},
		{x.Dot(f32("a", 2, 4, 5)), here() + ": dot: shapes [n,3] and [2,4,5]: axis 1 of the first is 3 and axis 1 of the second is 4: they must be equal"},
		{named.MatMul(named.T().WithAxes("side", "row").T().T()), here() + `: matmul: axis 1 of the first is "col" and axis 0 of the second is "side": Permute or rename one of them`},

		{x.Tensordot(y, 1), here() + ": tensordot: shapes [n,3] and [4,2]: axis 1 of the first is 3 and axis 0 of the second is 4: they must be equal"},
		{x.Tensordot(y, 3), here() + ": tensordot: shapes [n,3] and [4,2]: 3 axes: the operands have 2 and 2"},
		{x.Tensordot(y, 0, 2), here() + ": tensordot: shapes [n,3] and [4,2]: axis 2 is outside rank 2: allowed are -2 to 1"},
		{x.Tensordot(y, []int{0, 1}, 0), here() + ": tensordot: shapes [n,3] and [4,2]: 2 axes of the first and 1 of the second: axes are paired, so give as many of each"},
		{x.Tensordot(y, []int{0, 0}, 0), here() + ": tensordot: shapes [n,3] and [4,2]: axis 0 is named twice"},
		{x.Tensordot(y, "k"), here() + ": tensordot: shapes [n,3] and [4,2]: axes must be one number, or the axes of both operands: not one string"},
		{x.Tensordot(y), here() + ": tensordot: shapes [n,3] and [4,2]: axes must be one number, or the axes of both operands: not 0 arguments"},

		{graph.Einsum("ij,jk", x, y), here() + `: einsum: "ij,jk" of shapes [n,3] and [4,2]: label j is 3 as axis 1 of the first and 4 as axis 0 of the second: they must be equal`},
		{graph.Einsum("row k, col k -> row col", y, x), here() + `: einsum: "row k, col k -> row col" of shapes [4,2] and [n,3]: label k is 2 as axis 1 of the first and 3 as axis 1 of the second: they must be equal`},
		{graph.Einsum("ij,ij", f32("a", 1, 3), f32("b", 2, 3)), here() + `: einsum: "ij,ij" of shapes [1,3] and [2,3]: label i is 1 as axis 0 of the first and 2 as axis 0 of the second: they must be equal`},
		{graph.Einsum("i,j,k,i", f32("a", 1), f32("b", 2), f32("c", 3), f32("d", 4)), here() + `: einsum: "i,j,k,i" of shapes [1], [2], [3] and [4]: label i is 1 as axis 0 of the first and 4 as axis 0 of the 4th: they must be equal`},
		{graph.Einsum("ii", x), here() + `: einsum: "ii" of shape [n,3]: label i is n as axis 0 of the first and 3 as axis 1 of the first: they must be equal`},
		{graph.Einsum("...i,...i", f32("a", 2, 3), f32("b", 4, 3)), here() + `: einsum: "...i,...i" of shapes [2,3] and [4,3] do not broadcast: axis 0 of the first is 2 and axis 0 of the second is 4`},
		{graph.Einsum("...i->i", x), here() + `: einsum: "...i->i" of shape [n,3]: the ellipsis stands for 1 axes, and the result has none: write ... there too`},
		{graph.Einsum("i", x), here() + `: einsum: "i": term 1 has 1 labels, its operand the 2 axes of float32[n,3]: words have spaces between them, and ... stands for more axes`},
		{graph.Einsum("row", x), here() + `: einsum: "row": term 1 has 3 labels, its operand the 2 axes of float32[n,3]: words have spaces between them, and ... stands for more axes`},
		{graph.Einsum("...ijk", x), here() + `: einsum: "...ijk": term 1 has 3 labels, its operand the 2 axes of float32[n,3]: words have spaces between them, and ... stands for more axes`},
		{graph.Einsum("ij,jk", x), here() + `: einsum: "ij,jk" has 2 terms, and there are 1 operands: give one for each`},
		{graph.Einsum("ij->ik", x), here() + `: einsum: "ij->ik": no operand has the label k of the result`},
		{graph.Einsum("ij->ii", x), here() + `: einsum: "ij->ii": the result has the label i twice`},
		{graph.Einsum("i1", x), here() + `: einsum: "i1": "1" is not a label: use letters, or words with spaces between them`},
		{graph.Einsum("row 1st", x), here() + `: einsum: "row 1st": "1st" is not a label: use letters, digits and _`},
		{graph.Einsum("..ij", x), here() + `: einsum: "..ij": a term may have one ellipsis, of three dots`},
		{graph.Einsum("i...j...", x), here() + `: einsum: "i...j...": a term may have one ellipsis, of three dots`},
		{graph.Einsum("i->j->i", f32("a", 2)), here() + `: einsum: "i->j->i": "-" is not a label: use letters, or words with spaces between them`},
		{graph.Einsum(strings.Repeat(",", 128), slices.Repeat([]any{x}, 129)...), here() + ": einsum: 129 operands: it takes up to 128: multiply some of them first"},
		{graph.Einsum(",", 1, 2), here() + ": einsum: there is no Node or *Tensor among its 2 operands"},
		{graph.Einsum("i,i", x.Index(0, 0), graph.Node{}), here() + ": einsum: the Node is zero: make one with Input, Const or Scalar"},
	} {
		require.EqualError(t, c.node.Err(), c.want)
	}
	bad := x.Sub(y)
	for _, z := range []graph.Node{
		bad.MatMul(y), y.MatMul(bad), bad.Dot(2), bad.Outer(y), y.Tensordot(bad, 1), graph.Einsum("i,j,k,l,m", y, y, 1, y, bad),
	} {
		require.Same(t, bad.Err(), z.Err())
	}
}

// TestProductRunErrors: sizes with two names are checked when inputs are given, and products written by hand need no
// other checks.
func TestProductRunErrors(t *testing.T) {
	n := graph.Dim("n")
	x, y := f32("x", 2, n), graph.Input("y", graph.Float32, n, 3)
	at := here2(-1)
	p, err := graph.Compile(x.MatMul(y))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.New(graph.Float32, 2, 4), graph.New(graph.Float32, 5, 3))
	require.EqualError(t, err, here2(-1)+": run: input y of "+at+": the size n is 5 in axis 0 of this input and 4 in axis 1 of x: they must be equal")
}
