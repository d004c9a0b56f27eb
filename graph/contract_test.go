package graph_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/eval"
)

// defined returns the elements of y by its definition, with the tensors as inputs in order.
func defined(t require.TestingT, y graph.Node, ins ...*graph.Tensor) eval.Array {
	f, captured, err := graph.Define(y)
	require.NoError(t, err)
	sizes := map[string]int{}
	arrays := make([]eval.Array, len(f.Params))
	for i, x := range slices.Concat(ins, captured) {
		arrays[i] = toArray(t, x)
		for k, d := range f.Params[i].Type.Shape {
			sizes[d.String()] = x.Extent(k)
		}
	}
	f, err = f.Bind(sizes)
	require.NoError(t, err)
	outs, err := eval.Eval(f, arrays)
	require.NoError(t, err)
	return outs[0]
}

// loops returns the elements of an explicit einsum without ellipses, as integers, by a loop over each label.
func loops(formula string, arrays ...eval.Array) (shape []int, data []int64) {
	left, out, _ := strings.Cut(formula, "->")
	terms := strings.Split(left, ",")
	labels, sizes := out, map[rune]int{}
	for i, term := range terms {
		for k, l := range term {
			if n, met := sizes[l]; !met || n == 1 {
				sizes[l] = arrays[i].Shape[k]
			}
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
				flat = flat*arrays[i].Shape[k] + min(index[l], arrays[i].Shape[k]-1) // an extent of 1 repeats
			}
			product *= whole(arrays[i], flat)
		}
		data[at/max(1, all/max(1, kept))] += product
	}
	return shape, data
}

// whole returns an element of an array of whole numbers.
func whole(a eval.Array, i int) int64 {
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
func wholes(a eval.Array) []int64 {
	out := make([]int64, len(a.Data))
	for i := range out {
		out[i] = whole(a, i)
	}
	return out
}

// TestRandomEinsums compares einsums of integers with plain loops: one to four operands of any layouts, diagonals,
// broadcast axes, and known or symbolic sizes.
func TestRandomEinsums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := randomEinsum(t)
		y := graph.Einsum(e.formula, e.nodes...)
		require.NoError(t, y.Err(), e.formula)
		arrays := make([]eval.Array, len(e.ins))
		for i, in := range e.ins {
			arrays[i] = toArray(t, in)
		}
		shape, want := loops(e.plain, arrays...)
		got := defined(t, y, e.ins...)
		require.Equal(t, shape, got.Shape, e.formula)
		require.Equal(t, want, wholes(got), e.formula)
		p, err := graph.Compile(y, graph.WithDebug(graph.Verify))
		require.NoError(t, err, e.formula)
		out, err := p.Run(context.Background(), e.ins...)
		require.NoError(t, err, e.formula)
		require.Equal(t, want, wholes(toArray(t, out)), "%s\n%s", e.formula, explaining{p})
	})
}

// einsum is a formula, the same formula without ellipses, and operands.
type einsum struct {
	formula, plain string
	nodes          []any
	ins            []*graph.Tensor
}

// randomEinsum draws labels c, d, e and the axes a, b of an ellipsis.
func randomEinsum(t *rapid.T) (e einsum) {
	dt := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float64, graph.Int32, graph.Int64}).Draw(t, "type")
	symbolic := rapid.Bool().Draw(t, "symbolic")
	sizes := map[rune]int{}
	for _, l := range "abcde" {
		sizes[l] = rapid.SampledFrom([]int{0, 1, 2, 2, 3, 3, 4, 5}).Draw(t, string(l))
	}
	var kept, seen string
	batch := "ab"[rapid.IntRange(0, 2).Draw(t, "batch"):]
	longest := ""
	for i := range rapid.IntRange(1, 4).Draw(t, "operands") {
		own := rapid.StringOfN(rapid.SampledFrom([]rune("cde")), 0, 3, -1).Draw(t, "labels")
		shared := batch[rapid.IntRange(0, len(batch)).Draw(t, "axes"):]
		var shape []int
		var dims []any
		for _, l := range shared + own {
			n := sizes[l]
			if l < 'c' && rapid.Bool().Draw(t, "broadcasts") {
				n = 1
			}
			shape, dims = append(shape, n), append(dims, n)
			if symbolic && n != 1 {
				dims[len(dims)-1] = graph.Dim(string(l))
			}
		}
		e.formula, e.plain = e.formula+",..."+own, e.plain+","+shared+own
		e.nodes = append(e.nodes, graph.Input(string(rune('A'+i)), dt, dims...))
		e.ins = append(e.ins, laid(t, dt, shape))
		if seen += own; len(shared) > len(longest) {
			longest = shared
		}
	}
	for _, l := range rapid.Permutation([]rune("cde")).Draw(t, "order") {
		if strings.ContainsRune(seen, l) && rapid.Bool().Draw(t, "kept") {
			kept += string(l)
		}
	}
	e.formula, e.plain = e.formula[1:]+"->..."+kept, e.plain[1:]+"->"+longest+kept
	return e
}

// laid returns small integers in a random layout.
func laid(t *rapid.T, dt graph.DType, shape []int) *graph.Tensor {
	axes := make([]int, len(shape))
	for k := range axes {
		axes[k] = k
	}
	order := axes
	if len(axes) > 1 {
		order = rapid.Permutation(axes).Draw(t, "layout")
	}
	stored, items, back, n := make([]int, len(shape)), make([]string, len(shape)), make([]int, len(shape)), 1
	for i, k := range order {
		stored[i], items[i], back[k] = shape[k], ":", i
		switch rapid.SampledFrom([]string{"", "", "other", "flip", "one"}).Draw(t, "axis") {
		case "other":
			stored[i], items[i] = 2*shape[k]+1, "1::2"
		case "flip":
			items[i] = "::-1"
		case "one":
			stored[i] = 1
		}
		n *= stored[i]
	}
	a := eval.Array{DType: dt, Shape: stored, Data: make([]uint64, n)}
	for i := range a.Data {
		a.Data[i] = ir.ElementOf(dt, (i*i+3*i)%7-3)
	}
	x := toTensor(t, a, nil)
	if len(shape) > 0 {
		x = x.Slice(strings.Join(items, ",")).Permute(back...).Expand(shape...)
	}
	require.NoError(t, x.Err())
	return x
}
