package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestNarrowAxes: random formulas of arrays with a narrow axis have the same bits in all ways of running them; without
// fusion nothing is unrolled. They combine values with reductions along that axis, with one of its channels and with
// rows of factors; some are also read through another view.
func TestNarrowAxes(t *testing.T) {
	shapes := [][]int{{33, 3}, {5, 7, 2}, {4, 6, 9}, {2, 3, 40}, {4, 257}, {1, 19, 4}, {16, 3, 1}, {70, 5}}
	dtypes := []graph.DType{graph.Float32, graph.Float32, graph.Float64, graph.Int32, graph.Uint8, graph.Float16}
	unrolled := 0
	checkUntil(t, func() bool { return unrolled > 0 }, func(rt *rapid.T) {
		shape, dtype := rapid.SampledFrom(shapes).Draw(rt, "shape"), rapid.SampledFrom(dtypes).Draw(rt, "dtype")
		narrow := slices.IndexFunc(shape, func(n int) bool { return n > 1 && n < 7 })
		if rapid.Bool().Draw(rt, "last") {
			narrow = len(shape) - 1
		}
		row := slices.Repeat([]int{1}, len(shape))
		row[narrow] = shape[narrow]
		x, w := graph.Input("x", graph.Float32, shape), graph.Input("w", graph.Float32, row)
		values := graph.Nodes{x.Cast(dtype)}
		for range rapid.IntRange(1, 6).Draw(rt, "ops") {
			values = append(values, nextNarrow(rt, values, w.Cast(dtype), narrow))
		}
		last := values[len(values)-1]
		ys := graph.Nodes{w, last}
		switch rapid.IntRange(0, 3).Draw(rt, "results") {
		case 1:
			ys = append(ys, rapid.SampledFrom(values).Draw(rt, "result"))
		case 2:
			ys = append(ys, last.Sum(narrow))
		case 3:
			ys = append(ys, last.T().Add(last.T()), graph.Concat(0, last, x.Cast(dtype)))
		}
		everyWay(t, ys, fractions(shape...), fractions(row...))
		p, err := graph.Compile(ys)
		require.NoError(t, err)
		if stage(t, p, "orders") != stage(t, p, "unroll") {
			unrolled++
		}
	})
	require.Positive(t, unrolled)
}

// stage returns the text of a program after a pass.
func stage(t *testing.T, p *graph.Program, name string) string {
	var text strings.Builder
	require.NoError(t, p.Dump(&text, name))
	return strings.Replace(text.String(), name, "", 1)
}

// nextNarrow returns a value computed from others, of their shape or reduced along an axis.
func nextNarrow(t *rapid.T, values graph.Nodes, row graph.Node, axis int) graph.Node {
	x, y := rapid.SampledFrom(values).Draw(t, "x"), rapid.SampledFrom(values).Draw(t, "y")
	switch rapid.IntRange(0, 5).Draw(t, "operand") {
	case 0:
		y = row
	case 1:
		y = y.SliceAxis(axis, 0, 1, 1)
	case 2:
		y = y.Max(axis, graph.KeepDims)
	case 3:
		y = y.Sum(axis, graph.KeepDims).Cast(y.DType()).Mul(y.Min(axis, graph.KeepDims))
	case 4:
		y = y.ArgMax(axis, graph.KeepDims).Cast(y.DType())
	}
	switch rapid.IntRange(0, 3).Draw(t, "op") {
	case 0:
		return x.Add(y)
	case 1:
		return x.Mul(y)
	case 2:
		return graph.Where(x.Lt(y), x, y)
	}
	return y.Sub(x).Cast(graph.Float32).Abs().Sqrt().Cast(x.DType())
}

// fractions returns an unsorted tensor of positive and negative numbers.
func fractions(shape ...int) *graph.Tensor {
	x := graph.New(graph.Float32, shape...)
	data, _ := graph.Data[float32](x)
	for i := range data {
		data[i] = float32(i*7919%1009-400) / 97
	}
	return x
}
