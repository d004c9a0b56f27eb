package graph_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// count returns the numbers from first on as a tensor.
func count(first float64, shape ...int) *graph.Tensor {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return graph.Arange(graph.Int32, first, first+float64(n), 1).Reshape(shape...)
}

// TestEinsumOfNumPy has the examples in numpy.einsum's documentation, with their results.
func TestEinsumOfNumPy(t *testing.T) {
	a, b, c := count(0, 5, 5), count(0, 5), count(0, 2, 3)
	d, e := count(0, 3, 4, 5), count(0, 4, 3, 2)
	g, h := count(0, 3, 2), count(0, 4, 3)
	ones := graph.Ones(graph.Int32, 2, 4, 8)
	for _, s := range []struct {
		formula  string
		operands []any
		want     string
	}{
		{"ii", []any{a}, "[] [60]"},
		{"ii->i", []any{a}, "[5] [0 6 12 18 24]"},
		{"ij->i", []any{a}, "[5] [10 35 60 85 110]"},
		{"...j->...", []any{a}, "[5] [10 35 60 85 110]"},
		{"i...->...", []any{a}, "[5] [50 55 60 65 70]"},
		{"ji", []any{c}, "[3 2] [0 3 1 4 2 5]"},
		{"ij->ji", []any{c}, "[3 2] [0 3 1 4 2 5]"},
		{"i,i", []any{b, b}, "[] [30]"},
		{"ij,j", []any{a, b}, "[5] [30 80 130 180 230]"},
		{"...j,j", []any{a, b}, "[5] [30 80 130 180 230]"},
		{"..., ...", []any{3, c}, "[2 3] [0 3 6 9 12 15]"},
		{",ij", []any{3, c}, "[2 3] [0 3 6 9 12 15]"},
		{"i,j", []any{count(1, 2), b}, "[2 5] [0 1 2 3 4 0 2 4 6 8]"},
		{"ijk,jil->kl", []any{d, e}, "[5 2] [4400 4730 4532 4874 4664 5018 4796 5162 4928 5306]"},
		{"ki,jk->ij", []any{g, h}, "[2 4] [10 28 46 64 13 40 67 94]"},
		{"ki,...k->i...", []any{g, h}, "[2 4] [10 28 46 64 13 40 67 94]"},
		{"k...,jk", []any{g, h}, "[2 4] [10 28 46 64 13 40 67 94]"},
		{"ijk,ilm,njm,nlk,abc->", []any{ones, ones, ones, ones, ones}, "[] [262144]"},
	} {
		y := graph.Einsum(s.formula, s.operands...)
		require.NoError(t, y.Err())
		got := defined(t, y)
		require.Equal(t, s.want, fmt.Sprint(got.Shape, wholes(got)), s.formula)
		require.Equal(t, got.Data, everyWay(t, graph.Nodes{y})[0], s.formula)
	}
}
