package graph_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestScanNumbers is a table of scans of few numbers.
func TestScanNumbers(t *testing.T) {
	inf, nan, minus := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	x, u, i, e := f32("x", 4), graph.Input("u", graph.Uint8, 4), graph.Input("i", graph.Int32, 4), f32("e", 2, 0)
	fs := func(x ...float32) *graph.Tensor { return graph.Of(x) }
	four, both := fs(1, 2, 3, 4), []graph.ReduceOption{graph.Exclusive, graph.Reverse}
	for k, c := range []struct {
		y        graph.Node
		in, want *graph.Tensor
	}{
		{x.CumSum(0), four, fs(1, 3, 6, 10)},
		{x.CumSum(-1, graph.Reverse), four, fs(10, 9, 7, 4)},
		{x.CumSum(0, graph.Exclusive), four, fs(0, 1, 3, 6)},
		{x.CumSum(0, both...), four, fs(9, 7, 4, 0)},
		{x.CumProd(0, graph.Exclusive), four, fs(1, 1, 2, 6)},
		{x.CumProd(0, graph.Reverse), four, fs(24, 24, 12, 4)},
		{x.CumMin(0, graph.Exclusive), four, fs(inf, 1, 1, 1)},
		{x.CumMax(0, both...), four, fs(4, 4, 4, -inf)},
		{x.CumMax(0), fs(1, nan, 3, 4), fs(1, nan, nan, nan)},
		{x.CumMin(0, graph.Reverse), fs(1, nan, 3, 4), fs(nan, nan, 3, 4)},
		{x.CumMin(0), fs(0, minus, 0, 1), fs(0, minus, minus, minus)},
		{x.CumMax(0), fs(minus, minus, 0, minus), fs(minus, minus, 0, 0)},
		{x.CumSum(0), fs(minus, minus, 0, minus), fs(minus, minus, 0, 0)},
		{x.CumSum(0), fs(inf, 1, -inf, 1), fs(inf, inf, nan, nan)},
		{u.CumSum(0), graph.Of([]uint8{200, 100, 1, 255}), graph.Of([]uint64{200, 300, 301, 556})},
		{u.CumSum(0, graph.InType(graph.Uint8)), graph.Of([]uint8{200, 100, 1, 255}), graph.Of([]uint8{200, 44, 45, 44})},
		{u.CumMin(0, graph.Exclusive), graph.Of([]uint8{200, 100, 1, 255}), graph.Of([]uint8{255, 200, 100, 1})},
		{i.CumSum(0), graph.Of([]int32{math.MaxInt32, 1, -1, 5}), graph.Of([]int32{math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32 + 4})},
		{e.CumSum(1, both...), graph.New(graph.Float32, 2, 0), graph.New(graph.Float32, 2, 0)},
		{e.CumMax(0), graph.New(graph.Float32, 2, 0), graph.New(graph.Float32, 2, 0)},
	} {
		require.Equal(t, [][]uint64{elements(t, c.want)}, everyWay(t, graph.Nodes{c.y}, c.in), "case %d: %s", k, c.y)
	}
}

func TestScanErrors(t *testing.T) {
	x := f32("x", 2, 3)
	for _, c := range []struct {
		y    graph.Node
		want string
	}{
		{x.CumSum(2), "cumsum: axis 2 is outside rank 2"},
		{f32("s").CumMax(0), "cummax: axis 0 of a scalar: it has none"},
		{x.CumSum(0, nil), "cumsum: an option is nil"},
		{x.CumProd(0, graph.KeepDims), "cumprod: does not take the option KeepDims"},
		{x.CumMin([]int{0}), "cummin: an axis is an int or a name, not []int"},
		{x.Gt(0).CumSum(0, graph.InType(graph.Bool)), "cumsum: does not take bool: Cast to one of"},
	} {
		require.ErrorContains(t, c.y.Err(), c.want)
	}
}

// TestScansOfViews compares scans of integers with plain loops, for all layouts and ways of running.
func TestScansOfViews(t *testing.T) {
	x := f32("x", 3, 4, 5)
	steps := []int{20, 5, 1}
	for _, in := range lying(true) {
		data := floats(elements(t, in))
		for axis, n := range []int{3, 4, 5} {
			got := everyWay(t, graph.Nodes{x.CumSum(axis), x.CumMax(axis), x.CumSum(axis, graph.Reverse, graph.Exclusive), x.Mul(2).CumMin(axis).Add(x)}, in)
			for i := range data {
				at := i / steps[axis] % n
				sum, after, most, least := 0.0, 0.0, math.Inf(-1), math.Inf(1)
				for k := range n {
					switch v := data[i+(k-at)*steps[axis]]; {
					case k > at:
						after += v
					default:
						sum, most, least = sum+v, max(most, v), min(least, v)
					}
				}
				for k, want := range []float64{sum, most, after, 2*least + data[i]} {
					require.Equal(t, want, floats(got[k][i : i+1])[0], "output %d axis %d %s", k, axis, in.Layout())
				}
			}
		}
	}
}

// TestCumSumError: the error of a running sum does not grow with its length; it is at most that of 1024 additions.
func TestCumSumError(t *testing.T) {
	const n = 1 << 20
	rng := rand.New(rand.NewPCG(7, 8))
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(rng.Int64N(1<<25) - 1<<24)
	}
	p, err := graph.Compile(f32("x", n).CumSum(0), f32("y", n, 1).CumSum(0))
	require.NoError(t, err)
	outs, err := p.RunAll(context.Background(), graph.Of(data), graph.Of(data, n, 1))
	require.NoError(t, err)
	along, err := graph.Data[float32](outs[0])
	require.NoError(t, err)
	down, err := graph.Data[float32](outs[1])
	require.NoError(t, err)
	require.Equal(t, along, down)
	sum, size := 0.0, 0.0 // exact
	for i, v := range data {
		sum, size = sum+float64(v), size+math.Abs(float64(v))
		if off := math.Abs(float64(along[i]) - sum); off > 1024*0x1p-24*size {
			t.Fatalf("element %d is off by %g of %g", i, off, size)
		}
	}
}
