package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// defined returns the elements of y by definition, where the tensors are given
// for the inputs in order.
func defined(t require.TestingT, y graph.Node, ins ...*graph.Tensor) ir.Array {
	f, captured, err := graph.Define(y)
	require.NoError(t, err)
	sizes := map[string]int{}
	arrays := make([]ir.Array, len(f.Params))
	for i, x := range slices.Concat(ins, captured) {
		arrays[i] = toArray(t, x)
		for k, d := range f.Params[i].Type.Shape {
			sizes[d.String()] = x.Extent(k)
		}
	}
	f, err = f.Bind(sizes)
	require.NoError(t, err)
	outs, err := ir.Eval(f, arrays)
	require.NoError(t, err)
	return outs[0]
}

// loops returns the elements of an explicit einsum without ellipses as whole
// numbers, by a loop over each label.
func loops(formula string, arrays ...ir.Array) (shape []int, data []int64) {
	left, out, _ := strings.Cut(formula, "->")
	terms := strings.Split(left, ",")
	labels, sizes := out, map[rune]int{}
	for i, term := range terms {
		for k, l := range term {
			sizes[l] = max(sizes[l], arrays[i].Shape[k])
			if !strings.ContainsRune(labels, l) {
				labels += string(l)
			}
		}
	}
	all, kept := 1, 1
	for _, l := range labels {
		all *= sizes[l]
	}
	shape = []int{}
	for _, l := range out {
		shape, kept = append(shape, sizes[l]), kept*sizes[l]
	}
	data = make([]int64, kept)
	for at := range all {
		index, rest := map[rune]int{}, at
		for _, l := range slices.Backward([]rune(labels)) {
			index[l], rest = rest%sizes[l], rest/sizes[l]
		}
		product := int64(1)
		for i, term := range terms {
			flat := 0
			for k, l := range term {
				flat = flat*arrays[i].Shape[k] + min(index[l], arrays[i].Shape[k]-1) // 1 repeats
			}
			product *= whole(arrays[i], flat)
		}
		data[at/max(1, all/max(1, kept))] += product
	}
	return shape, data
}

// whole returns an element of an array of whole numbers.
func whole(a ir.Array, i int) int64 {
	switch v := goValue(a.DType, a.Data[i]).(type) {
	case float32:
		return int64(v)
	case float64:
		return int64(v)
	case int32:
		return int64(v)
	default:
		return v.(int64)
	}
}

// wholes returns all of them.
func wholes(a ir.Array) []int64 {
	out := make([]int64, len(a.Data))
	for i := range out {
		out[i] = whole(a, i)
	}
	return out
}

// count returns the numbers from first on as a tensor.
func count(first float64, shape ...int) *graph.Tensor {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return graph.Arange(graph.Int32, first, first+float64(n), 1).Reshape(shape...)
}

// TestEinsumOfNumPy has the examples that numpy.einsum's page shows, with the
// results there.
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
	}
}
