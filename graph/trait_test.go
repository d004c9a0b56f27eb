package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestTensorTrait has a counterpart for each operator in a table of other tensor libraries, on the tensor [[[0 1] [2
// 3]] [[4 5] [6 7]]] and on vectors.
func TestTensorTrait(t *testing.T) {
	u := graph.Of([]uint32{0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2)
	x, column := graph.Const(u), graph.Const(graph.Of([]uint32{10, 100}, 1, 2, 1))
	f := graph.Const(graph.Of([]float32{-1, 0, 0.5, 1}))
	above := graph.Const(graph.Of([]float32{1, 2}))
	m := graph.Const(graph.Of([]int32{1, 2, 3, 4}, 2, 2))
	for name, c := range map[string]struct {
		node graph.Node
		want string
	}{
		"new":           {x, "uint32[2,2,2] [[[0 1] [2 3]] [[4 5] [6 7]]]"},
		"at":            {x.At(1, 0, 1), "uint32[] 5"},
		"min":           {x.Min(), "uint32[] 0"},
		"max":           {x.Max(), "uint32[] 7"},
		"reshape":       {x.Reshape(2, 4), "uint32[2,4] [[0 1 2 3] [4 5 6 7]]"},
		"transpose":     {x.Permute(1, 2, 0), "uint32[2,2,2] [[[0 4] [1 5]] [[2 6] [3 7]]]"},
		"reduce_sum":    {x.Sum(0), "uint32[2,2] [[ 4 6] [ 8 10]]"},
		"argmax":        {x.ArgMax(2), "int64[2,2] [[1 1] [1 1]]"},
		"argmin":        {x.ArgMin(2), "int64[2,2] [[0 0] [0 0]]"},
		"matmul":        {m.MatMul(m), "int32[2,2] [[ 7 10] [15 22]]"},
		"exp":           {f.Exp(), "float32[4] [0.36787945 1. 1.6487212 2.7182817 ]"},
		"ln":            {above.Log(), "float32[2] [0. 0.6931472]"},
		"eq":            {x.Eq(x), "bool[2,2,2] [[[true true] [true true]] [[true true] [true true]]]"},
		"greater":       {x.Gt(5), "bool[2,2,2] [[[false false] [false false]] [[false false] [ true true]]]"},
		"greater_equal": {m.Ge(2), "bool[2,2] [[false true] [ true true]]"},
		"less":          {m.Lt(2), "bool[2,2] [[ true false] [false false]]"},
		"less_equal":    {m.Le(2), "bool[2,2] [[ true true] [false false]]"},
		"abs":           {f.Abs(), "float32[4] [1. 0. 0.5 1. ]"},
		"ceil":          {f.Ceil(), "float32[4] [-1. 0. 1. 1.]"},
		"cumsum":        {x.CumSum(2), "uint32[2,2,2] [[[ 0 1] [ 2 5]] [[ 4 9] [ 6 13]]]"},
		"sin":           {f.Sin(), "float32[4] [-0.841471 0. 0.47942555 0.841471 ]"},
		"cos":           {f.Cos(), "float32[4] [0.5403023 1. 0.87758255 0.5403023 ]"},
		"asin":          {f.Asin(), "float32[4] [-1.5707964 0. 0.5235988 1.5707964]"},
		"acos":          {f.Acos(), "float32[4] [3.1415927 1.5707964 1.0471976 0. ]"},
		"atan":          {f.Atan(), "float32[4] [-0.7853982 0. 0.4636476 0.7853982]"},
		"flatten":       {x.Reshape(2, -1), "uint32[2,4] [[0 1 2 3] [4 5 6 7]]"},
		"acosh":         {above.Acosh(), "float32[2] [0. 1.316958]"},
		"asinh":         {above.Asinh(), "float32[2] [0.8813736 1.4436355]"},
		"cosh":          {above.Cosh(), "float32[2] [1.5430807 3.7621956]"},
		"tanh":          {above.Tanh(), "float32[2] [0.7615942 0.9640276]"},
		"sinh":          {above.Sinh(), "float32[2] [1.1752012 3.6268604]"},
		"add":           {x.Add(x), "uint32[2,2,2] [[[ 0 2] [ 4 6]] [[ 8 10] [12 14]]]"},
		"sub":           {x.Sub(x), "uint32[2,2,2] [[[0 0] [0 0]] [[0 0] [0 0]]]"},
		"mul":           {x.Mul(x), "uint32[2,2,2] [[[ 0 1] [ 4 9]] [[16 25] [36 49]]]"},
		"div":           {x.Div(2), "uint32[2,2,2] [[[0 0] [1 1]] [[2 2] [3 3]]]"},
		"fixed point":   {graph.Const(graph.Of([]graph.Fixed{graph.FixedOf(1.5), graph.FixedOf(-0.25)})).Mul(2).Abs(), "fixed16x16[2] [3. 0.5]"},
		"broadcast":     {x.Add(column), "uint32[2,2,2] [[[ 10 11] [102 103]] [[ 14 15] [106 107]]]"},
	} {
		require.NoError(t, c.node.Err(), name)
		require.Equal(t, c.want, shown(run(t, c.node)), name)
	}
	require.Equal(t, []int{4, 2, 1}, u.Strides())
	place, err := u.RavelIndex(1, 0, 1)
	require.NoError(t, err)
	require.Equal(t, 5, place)
	index, err := u.UnravelIndex(5)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0, 1}, index)
}
