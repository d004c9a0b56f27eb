package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestReduceNumbers is a table of reductions of few numbers.
func TestReduceNumbers(t *testing.T) {
	inf, nan, minus := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	v, u, i, b := f32("v", 4), graph.Input("u", graph.Uint8, 4), graph.Input("i", graph.Int32, 4), graph.Input("b", graph.Bool, 4)
	fs := func(x ...float32) *graph.Tensor { return graph.Of(x) }
	for k, c := range []struct {
		y    graph.Node
		in   *graph.Tensor
		want any
	}{
		{v.Min(), fs(0, minus, 0, 1), minus},
		{v.Max(), fs(minus, minus, 0, -1), float32(0)},
		{v.Max(), fs(minus, -inf, minus, -1), minus},
		{v.Sum(), fs(minus, minus, minus, minus), minus},
		{v.Sum(), fs(inf, -inf, 1, 1), nan},
		{v.Var(graph.DDOF(4)), fs(1, 2, 3, 4), inf},
		{v.Var(graph.DDOF(9)), fs(1, 1, 1, 1), nan},
		{v.Var(graph.DDOF(1)), fs(1, 2, 3, 6), float32(14) / 3},
		{v.LogSumExp(), fs(-inf, -inf, -inf, -inf), -inf},
		{v.LogSumExp(), fs(1, -inf, inf, 2), inf},
		{v.LogSumExp(), fs(1, nan, inf, 2), nan},
		{v.LogSumExp(), fs(3e38, -3e38, 0, 1), float32(3e38)},
		{v.Norm2(), fs(3e19, 0, 0, 0), inf},
		{v.Norm2(), fs(3, -4, 0, 0), float32(5)},
		{v.All(), fs(1, nan, -1, inf), true},
		{v.Any(), fs(0, minus, 0, 0), false},
		{u.Sum(), graph.Of([]uint8{255, 255, 3, 1}), uint64(514)},
		{u.Sum(0, graph.InType(graph.Uint8)), graph.Of([]uint8{255, 255, 3, 1}), uint8(2)},
		{u.Sum(graph.InType(graph.Float32)), graph.Of([]uint8{255, 255, 3, 1}), float32(514)},
		{v.Sum(graph.InType(graph.Float64)), fs(1<<24, 1, 0, 0), float64(1<<24 + 1)},
		{u.Prod(), graph.Of([]uint8{16, 16, 3, 1}), uint64(768)},
		{u.Prod(graph.InType(graph.Uint8)), graph.Of([]uint8{16, 16, 3, 1}), uint8(0)},
		{b.Sum(), graph.Of([]bool{true, true, false, true}), int64(3)},
		{u.Max(), graph.Of([]uint8{127, 128, 255, 0}), uint8(255)},
		{u.ArgMin(), graph.Of([]uint8{127, 255, 128, 129}), int64(0)},
		{i.Sum(), graph.Of([]int32{math.MaxInt32, 1, 0, 0}), int32(math.MinInt32)},
		{i.Norm1(), graph.Of([]int32{math.MinInt32, 1, 0, 0}), int32(math.MinInt32 + 1)},
		{b.All(), graph.Of([]bool{true, true, false, true}), false},
		{b.Any(), graph.Of([]bool{false, true, false, false}), true},
	} {
		want := elements(t, scalarOf(c.want))
		require.Equal(t, [][]uint64{want}, everyWay(t, graph.Nodes{c.y}, c.in), "case %d: %s", k, c.y)
	}
}

func scalarOf(v any) *graph.Tensor {
	switch v := v.(type) {
	case bool:
		return graph.Of([]bool{v})
	case uint8:
		return graph.Of([]uint8{v})
	case int32:
		return graph.Of([]int32{v})
	case int64:
		return graph.Of([]int64{v})
	case uint64:
		return graph.Of([]uint64{v})
	case float64:
		return graph.Of([]float64{v})
	}
	return graph.Of([]float32{v.(float32)})
}

// TestReduceShapes: empty lists, negative axes, rank 0, no elements.
func TestReduceShapes(t *testing.T) {
	nan := float32(math.NaN())
	x, s, e := f32("x", 2, 3), f32("s"), f32("e", 2, 0)
	ones, none, five := graph.Ones(graph.Float32, 2, 3), graph.New(graph.Float32, 2, 0), graph.Full(graph.Float32, 5)
	for k, c := range []struct {
		y     graph.Node
		in    *graph.Tensor
		shape []int
		first any // the first element, nil for none
	}{
		{x.Sum([]int{}), ones, []int{2, 3}, float32(1)},
		{x.Sum([]int(nil)), ones, []int{2, 3}, float32(1)},
		{x.Sum([]any{}...), ones, []int{}, float32(6)},
		{x.Sum(-2), ones, []int{3}, float32(2)},
		{x.Sum(-1, graph.KeepDims, -2), ones, []int{1, 1}, float32(6)},
		{x.LogSumExp([]int{}), ones, []int{2, 3}, float32(1)},
		{x.Softmax([]int{}), ones, []int{2, 3}, float32(1)},
		{x.ArgMax(0, 1, graph.LastIndex), ones, []int{}, int64(5)},
		{x.ArgMax(graph.KeepDims), ones, []int{1, 1}, int64(0)},
		{x.ArgMax(-1, graph.KeepDims), ones, []int{2, 1}, int64(0)},
		{s.Sum(), five, []int{}, float32(5)},
		{s.Var(), five, []int{}, float32(0)},
		{s.Var(graph.DDOF(1)), five, []int{}, nan},
		{s.LogSumExp(), five, []int{}, float32(5)},
		{s.Softmax([]int{}), five, []int{}, float32(1)},
		{s.ArgMax(graph.KeepDims), five, []int{}, int64(0)},
		{e.Sum(1), none, []int{2}, float32(0)},
		{e.Prod(), none, []int{}, float32(1)},
		{e.Mean(-1), none, []int{2}, nan},
		{e.Var(1), none, []int{2}, nan},
		{e.Norm2(), none, []int{}, float32(0)},
		{e.All(), none, []int{}, true},
		{e.Any(1), none, []int{2}, false},
		{e.Max(0), none, []int{0}, nil},
		{e.ArgMax(0), none, []int{0}, nil},
		{e.Softmax(0), none, []int{2, 0}, nil},
		{e.Standardize(1, 1), none, []int{2, 0}, nil},
	} {
		y := run(t, c.y, c.in)
		require.Equal(t, c.shape, y.Shape(), "case %d", k)
		if c.first != nil {
			require.Equal(t, elements(t, scalarOf(c.first))[0], elements(t, y)[0], "case %d", k)
		}
		everyWay(t, graph.Nodes{c.y}, c.in)
	}
}

func TestReduceErrors(t *testing.T) {
	x, s, e := f32("x", 2, 3), f32("s"), f32("e", 2, 0)
	u := graph.Input("u", graph.Uint8, 4)
	var nothing graph.ReduceOption
	for _, c := range []struct {
		y    graph.Node
		want string
	}{
		{x.Sum(0, -2), "sum: axis 0 is named twice"},
		{x.Var(2), "var: axis 2 is outside rank 2"},
		{x.Sum(1.0), "sum: an axis is an int or a name, not float64"},
		{x.Sum(nothing), "sum: an axis is an int or a name, not <nil>"},
		{x.Sum("row"), "no axis"},
		{s.ArgMax(0), "argmax: axis 0 of a scalar: it has none"},
		{x.ArgMin([]int{}), "argmin: 0 axes: it takes one, or all"},
		{x.Unsqueeze(0).ArgMax(0, 1), "argmax: 2 axes"},
		{e.Min(), "has no elements, and no value is the least or greatest of none: leave out empty arrays, or lengthen the axis by PadWith"},
		{e.ArgMax(1), "has no elements"},
		{e.LogSumExp(1), "has no elements"},
		{e.Softmax(1), "has no elements"},
		{u.Mean(), "mean: does not take uint8: Cast to float32 or float64"},
		{u.Var(), "var: does not take uint8"},
		{u.Softmax(0), "does not take uint8"},
		{u.Gt(1).Sum(graph.InType(graph.Bool)), "sum: does not take bool: Cast to one of"},
		{x.Max(graph.InType(graph.Float64)), "max: does not take the option InType"},
		{x.Sum(0, graph.Exclusive), "sum: does not take the option Exclusive"},
		{x.Mean(graph.InType(graph.Int32)), "mean: does not take int32"},
		{x.MoveAxis(0, "column"), "moveaxis: no axis of"},
		{graph.Stack("new", x, x), "stack: an axis of the result is an int, not string"},
		{u.OneHot(graph.Float32, 3, 1.0), "onehot: an axis of the result is an int, not float64"},
		{x.Mean(0, graph.DDOF(1)), "mean: does not take the option DDOF"},
		{x.Var(graph.LastIndex), "var: does not take the option LastIndex"},
		{x.ArgMax(0, graph.Reverse), "argmax: does not take the option Reverse"},
		{x.LogSumExp(0, graph.DDOF(1)), "logsumexp: does not take the option DDOF"},
	} {
		require.ErrorContains(t, c.y.Err(), c.want)
	}
	p, err := graph.Compile(f32("x", graph.Dim("n"), graph.Dim("m")).ArgMax(1))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.New(graph.Float32, 0, 3))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.New(graph.Float32, 3, 0))
	require.ErrorContains(t, err, "argmax: axis 1 of shape [3,0] has no elements")
}

// TestMeansInType computes statistics in a chosen type: they are those of the cast elements.
func TestMeansInType(t *testing.T) {
	in := graph.InType(graph.Float64)
	for _, x := range []*graph.Tensor{
		graph.Of([]int32{1 << 30, 1<<30 + 1, -7, 3, 5, 6}, 2, 3), graph.Of([]uint8{255, 254, 0, 1, 2, 3}, 2, 3),
		graph.Of([]float32{1e8, 1, -1e8, 3, 0.1, 7}, 2, 3), graph.Of([]bool{true, false, true, true, false, false}, 2, 3),
	} {
		c := graph.Const(x)
		wide := c.Cast(graph.Float64)
		pairs := [][2]graph.Node{
			{c.Mean(in), wide.Mean()}, {c.Mean(1, graph.KeepDims, in), wide.Mean(1, graph.KeepDims)}, {c.Var(0, in, graph.DDOF(1)), wide.Var(0, graph.DDOF(1))},
			{c.Std(in), wide.Std()},
		}
		if x.DType() == graph.Float32 {
			pairs = append(pairs, [2]graph.Node{c.NanMean(in), wide.NanMean()}, [2]graph.Node{c.NanVar(0, in), wide.NanVar(0)}, [2]graph.Node{c.NanStd(in), wide.NanStd()})
		}
		for _, p := range pairs {
			out, err := graph.Compile(p[0], p[1])
			require.NoError(t, err)
			got, err := out.RunAll(context.Background())
			require.NoError(t, err)
			require.Equal(t, graph.Float64, got[0].DType())
			require.True(t, graph.Equal(got[0], got[1]), "%v %v", got[0], got[1])
		}
	}
}
