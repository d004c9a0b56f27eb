package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestTorus: random formulas of rolled, padded, sliced and concatenated arrays have the same bits in all ways of
// running them; without fusion no loop is split.
func TestTorus(t *testing.T) {
	shapes := [][]int{{1000}, {3, 500}, {40, 300}, {2, 8, 120}, {5, 1, 700}, {33, 65}, {0, 9}}
	dtypes := []graph.DType{graph.Float32, graph.Float32, graph.Float64, graph.Int32, graph.Uint8, graph.Bool}
	split := 0
	checkUntil(t, func() bool { return split > 0 }, func(rt *rapid.T) {
		shape, dtype := rapid.SampledFrom(shapes).Draw(rt, "shape"), rapid.SampledFrom(dtypes).Draw(rt, "dtype")
		x, row := graph.Input("x", graph.Float32, shape), graph.Input("row", graph.Float32, shape[len(shape)-1])
		values := graph.Nodes{x.Cast(dtype)}
		for range rapid.IntRange(1, 8).Draw(rt, "ops") {
			values = append(values, nextOnTorus(rt, values, row.Cast(dtype), shape))
		}
		last := values[len(values)-1]
		ys := graph.Nodes{row, last}
		switch rapid.IntRange(0, 3).Draw(rt, "results") {
		case 1:
			ys = append(ys, rapid.SampledFrom(values).Draw(rt, "result"))
		case 2:
			ys = append(ys, last.Cast(graph.Int32).Sum(0))
		case 3:
			ys = append(ys, last.Transpose(), last.Roll(0, 1))
		}
		everyWay(t, ys, fractions(shape...), fractions(shape[len(shape)-1]))
		p, err := graph.Compile(ys)
		require.NoError(t, err)
		if stage(t, p, "unroll") != stage(t, p, "pieces") {
			split++
		}
	})
	require.Positive(t, split)
}

// TestTorusCopiesNothing asserts that a step that reads rolled arrays stores none of them.
func TestTorusCopiesNothing(t *testing.T) {
	x := f32("x", 64, 200)
	for range 2 {
		x = x.Roll(0, 1).Add(x.Roll(0, -1)).Add(x.Roll(1, 1)).Add(x.Roll(1, -1)).Mul(0.25)
	}
	p, err := graph.Compile(x)
	require.NoError(t, err)
	require.Zero(t, p.Copies())
	require.Equal(t, 64*200*4, p.Temporaries(), "the first step's result")
}

// TestCastBeforePad asserts that a filter moves as much memory whether its picture is cast before or after padding.
// With many taps a block of the padded picture is read in the cache; with two the cast is part of each read.
func TestCastBeforePad(t *testing.T) {
	const h, w = 540, 960
	one := []int{1, 1}
	x := graph.Input("x", graph.Uint8, h, w)
	taps := func(x graph.Node, at ...int) graph.Node {
		var sum graph.Node
		for k, i := range at {
			tap := x.SliceAxis(0, i/3, i/3+h, 1).SliceAxis(1, i%3, i%3+w, 1)
			if sum = tap.Sub(sum); k == 0 {
				sum = tap
			}
		}
		return sum
	}
	bytes := make([]uint8, h*w)
	for i := range bytes {
		bytes[i] = uint8(i * i >> 3)
	}
	for _, mode := range []graph.PadMode{graph.PadConstant, graph.PadEdge, graph.PadReflect, graph.PadSymmetric, graph.PadWrap} {
		for _, at := range [][]int{{0, 1, 2, 3, 5, 6, 7, 8}, {3, 5}} {
			var first *graph.Tensor
			for _, y := range []graph.Node{x.Cast(graph.Float32).Pad(one, one, mode), x.Pad(one, one, mode).Cast(graph.Float32)} {
				p, err := graph.Compile(taps(y, at...), graph.WithWorkers(1))
				require.NoError(t, err)
				moved, least := p.Traffic()
				if len(at) == 2 {
					least += h * w // read twice
				}
				require.Less(t, float64(moved), 1.02*float64(least), "%v of %v\n%s", mode, at, explaining{p})
				require.Less(t, p.Temporaries(), 16*(h+w), explaining{p})
				got, err := p.Run(t.Context(), graph.Of(bytes, h, w))
				require.NoError(t, err)
				require.True(t, first == nil || graph.Equal(first, got))
				first = got
			}
		}
	}
}

// TestSumsOnTorus asserts that a sum over a value computed from rolled arrays stores that value but no rolled array;
// with one rolled array it stores neither.
func TestSumsOnTorus(t *testing.T) {
	x := f32("x", 1024, 256)
	for _, c := range []struct {
		y      graph.Node
		stored int
	}{
		{x.Roll(0, 1).Add(x.Roll(0, -1)).Sub(x.Mul(2)).Square().Sum(), 1024 * 256 * 4},
		{x.Sub(x.Roll(0, 1)).Abs().Sum(), 0},
	} {
		p, err := graph.Compile(c.y)
		require.NoError(t, err)
		require.Zero(t, p.Copies())
		require.Less(t, p.Temporaries()-c.stored, 8<<10, "partial sums")
		require.GreaterOrEqual(t, p.Temporaries(), c.stored)
		everyWay(t, graph.Nodes{c.y}, fractions(1024, 256))
	}
}

// TestPartsOfSlices: a reader of a concatenation is split even if it reads strided slices.
func TestPartsOfSlices(t *testing.T) {
	a, b, x := f32("a", 150), f32("b", 250), f32("x", 800)
	y := graph.Concat(0, a, b).Add(x.Slice("::2")).Mul(x.Slice("::-2")).Sub(x.Slice("300:700"))
	everyWay(t, graph.Nodes{a, b, y}, fractions(150), fractions(250), fractions(800))
}

// nextOnTorus returns an array of the same shape computed from some of the values.
func nextOnTorus(rt *rapid.T, values graph.Nodes, row graph.Node, shape []int) graph.Node {
	x, y := rapid.SampledFrom(values).Draw(rt, "x"), rapid.SampledFrom(values).Draw(rt, "y")
	axis := rapid.IntRange(0, len(shape)-1).Draw(rt, "axis")
	n := shape[axis]
	switch by := rapid.IntRange(-3, 3).Draw(rt, "by"); rapid.IntRange(0, 8).Draw(rt, "op") {
	case 0, 1, 2:
		return x.Roll(axis, by)
	case 3:
		if n < 3 {
			return x
		}
		margins := make([]int, len(shape))
		margins[axis] = 1
		mode := rapid.SampledFrom([]graph.PadMode{graph.PadConstant, graph.PadEdge, graph.PadReflect, graph.PadWrap}).Draw(rt, "mode")
		begin := rapid.IntRange(0, 2).Draw(rt, "begin")
		return x.Pad(margins, margins, mode).SliceAxis(axis, begin, begin+n, 1)
	case 4:
		return graph.Concat(axis, x, y).SliceAxis(axis, n/2, n/2+n, 1)
	case 5:
		return graph.Concat(axis, x, y).SliceAxis(axis, n%2, 2*n-n%2, 2).SliceAxis(axis, 0, n-n%2, 1).Pad(make([]int, len(shape)), after(axis, len(shape), n%2), graph.PadConstant)
	case 6:
		return graph.Where(x.Ne(row), y, row)
	case 7:
		return graph.Concat(axis, x, y, x).Flip(axis).SliceAxis(axis, n/2, n/2+2*n, 2)
	}
	if x.DType() == graph.Bool {
		return x.Xor(y)
	}
	return x.Sub(y)
}

// after returns n for one axis and 0 for the others, for Pad.
func after(axis, rank, n int) []int {
	list := make([]int, rank)
	list[axis] = n
	return list
}
