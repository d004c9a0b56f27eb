package graph_test

import (
	"math"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestOrder is a table of sorts of few elements.
func TestOrder(t *testing.T) {
	nan, inf, minus := float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))
	x := graph.Const(graph.Of([]float32{3, nan, -1, 2, 5, 2, 4, 0}, 2, 4))
	zeros := graph.Const(graph.Of([]float32{0, minus, -inf, minus, nan, 0}))
	bools := graph.Const(graph.Of([]bool{true, false, true, false}))
	values, places := x.TopK(1, 2)
	least, first := x.BottomK(0, 1)
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{x.Sort(1), "float32[2,4] [[-1. 2. 3. nan] [ 0. 2. 4. 5.]]"},
		{x.SortDescending(1), "float32[2,4] [[ 3. 2. -1. nan] [ 5. 4. 2. 0.]]"},
		{x.ArgSort(1), "int64[2,4] [[2 3 0 1] [3 1 2 0]]"},
		{x.ArgSort(0), "int64[2,4] [[0 1 0 1] [1 0 1 0]]"},
		{zeros.Sort(0), "float32[6] [-inf 0. -0. -0. 0. nan]"},
		{zeros.ArgSortDescending(0), "int64[6] [0 1 3 5 2 4]"},
		{bools.Sort(-1), "bool[4] [false false true true]"},
		{bools.ArgSortDescending(0), "int64[4] [0 2 1 3]"},
		{x.Slice(":, :0").Sort(1), "float32[2,0] []"},
		{x.Slice(":, :1").ArgSort(1), "int64[2,1] [[0] [0]]"},
		{values, "float32[2,2] [[3. 2.] [5. 4.]]"},
		{places, "int64[2,2] [[0 3] [0 2]]"},
		{least, "float32[1,4] [[ 3. 2. -1. 0.]]"},
		{first, "int64[1,4] [[0 1 0 1]]"},
	} {
		require.NoError(t, c.node.Err())
		require.Equal(t, c.want, shown(run(t, c.node)))
	}
}

// TestSearchSorted compares with sort.Search, for short vectors and for longer ones that take a binary search.
func TestSearchSorted(t *testing.T) {
	less := func(a, b float32) bool { return a < b || a == a && b != b } // NaN last
	for _, n := range []int{0, 1, 2, 32, 33, 64, 65, 127, 128, 129, 1000} {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(i / 3)
		}
		if n > 5 {
			x[n-2], x[n-1] = float32(math.NaN()), float32(math.NaN())
		}
		values := []float32{-1, 0, 0.5, 1, 20, float32(n / 3), 1e9, float32(math.Inf(1)), float32(math.NaN())}
		for _, right := range []bool{false, true} {
			var want []int64
			for _, v := range values {
				want = append(want, int64(sort.Search(n, func(i int) bool {
					if right {
						return less(v, x[i])
					}
					return !less(x[i], v)
				})))
			}
			got := run(t, graph.Const(graph.Of(x, n)).SearchSorted(graph.Const(graph.Of(values)), right))
			require.True(t, graph.Equal(graph.Of(want), got), "%d %v: %v, want %v", n, right, got, want)
		}
	}
}

// TestSearchSortedOfAnySize searches a vector of symbolic length, for one value and for lines of values, and separate
// vectors for each line.
func TestSearchSortedOfAnySize(t *testing.T) {
	x := f32("x", graph.Dim("n"))
	for _, c := range []struct {
		node graph.Node
		x    []float32
		want string
	}{
		{x.SearchSorted(2, true), []float32{1, 2, 3}, "int64[] 2"},
		{x.SearchSorted(2, true), nil, "int64[] 0"},
		{x.SearchSorted(graph.Const(graph.Of([]float32{4, 1, 3, 2}, 2, 2)), false), []float32{1, 2, 3}, "int64[2,2] [[3 0] [2 1]]"},
		{x.SearchSorted(graph.Const(graph.Of([]float32{4, 1}, 2, 1)), false), []float32{}, "int64[2,1] [[0] [0]]"},
		{x.Reshape(2, -1).SearchSorted(graph.Const(graph.Of([]float32{4, 1, 3, 2}, 2, 2)), false), []float32{1, 2, 3, 1, 1, 2}, "int64[2,2] [[3 0] [3 2]]"},
	} {
		require.NoError(t, c.node.Err())
		require.Equal(t, c.want, shown(run(t, c.node, graph.Of(c.x, len(c.x)))))
	}
}

// TestQuantiles compares with results of NumPy 2.
func TestQuantiles(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := graph.Const(graph.Of([]float64{3, nan, -1, 2, 5, 2, 4, 0}, 2, 4))
	ten := graph.Const(graph.Of([]float64{7, 1, 9, 3, 5, 8, 2, 10, 6, 4}))
	of := func(method string) graph.Node {
		return ten.Quantiles([]float64{0, 0.05, 0.25, 0.33, 0.5, 0.75, 1}, 0, graph.QuantileMethod(method))
	}
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{x.Median(1), "float64[2] [nan 3.]"},
		{x.Median(), "float64[] nan"},
		{x.NanMedian(), "float64[] 2.0"},
		{graph.Const(graph.Of([]int8{1, 4, 3, 2})).Median(0), "float64[] 2.5"},
		{graph.Const(graph.Of([]bool{true, false, true})).NanMedian(), "float64[] 1.0"},
		{x.NanMedian(1), "float64[2] [2. 3.]"},
		{x.NanMedian(0, graph.KeepDims), "float64[1,4] [[4. 2. 1.5 1. ]]"},
		{x.Slice(":1, 1:2").NanMedian(1), "float64[1] [nan]"},
		{x.Slice("1").Quantile(0.25), "float64[] 1.5"},
		{x.Slice("1").Quantile(0.25, 0, graph.KeepDims), "float64[1] [1.5]"},
		{graph.Const(graph.Of([]float64{inf, -inf, inf})).Quantile(0.75, 0), "float64[] inf"},
		{graph.Const(graph.Of([]float64{-inf, 3})).Quantiles([]float64{0, 0.25, 0.5, 0.75, 1}), "float64[5] [-inf -inf -inf -inf 3.]"},
		{graph.Const(graph.Of([]float64{3, inf})).Quantiles([]float64{0, 0.25, 1}), "float64[3] [ 3. inf inf]"},
		{graph.Const(graph.Of([]float64{-inf, inf})).Median(), "float64[] nan"},
		{graph.Const(graph.Of([]float64{-inf, 3, nan})).NanMedian(), "float64[] -inf"},
		{graph.Const(graph.Of([]float32{-float32(inf), 3, float32(nan)})).NanQuantile(0.5), "float32[] -inf"},
		{of("linear"), "float64[7] [ 1. 1.45 3.25 3.97 5.5 7.75 10. ]"},
		{of("lower"), "float64[7] [ 1. 1. 3. 3. 5. 7. 10.]"},
		{of("higher"), "float64[7] [ 1. 2. 4. 4. 6. 8. 10.]"},
		{of("midpoint"), "float64[7] [ 1. 1.5 3.5 3.5 5.5 7.5 10. ]"},
		{of("nearest"), "float64[7] [ 1. 1. 3. 4. 5. 8. 10.]"},
		{of("inverted_cdf"), "float64[7] [ 1. 1. 3. 4. 5. 8. 10.]"},
		{of("averaged_inverted_cdf"), "float64[7] [ 1. 1. 3. 4. 5.5 8. 10. ]"},
		{of("closest_observation"), "float64[7] [ 1. 1. 2. 3. 5. 8. 10.]"},
		{of("interpolated_inverted_cdf"), "float64[7] [ 1. 1. 2.5 3.3 5. 7.5 10. ]"},
		{of("hazen"), "float64[7] [ 1. 1. 3. 3.8 5.5 8. 10. ]"},
		{of("weibull"), "float64[7] [ 1. 1. 2.75 3.63 5.5 8.25 10. ]"},
		{of("median_unbiased").Slice("2:4"), "float64[2] [2.91666667 3.74333333]"},
		{of("normal_unbiased"), "float64[7] [ 1. 1. 2.9375 3.7575 5.5 8.0625 10. ]"},
	} {
		require.NoError(t, c.node.Err())
		require.Equal(t, c.want, shown(run(t, c.node)))
	}
}

func TestOrderErrors(t *testing.T) {
	x := f32("x", 4, 3)
	_, places := x.TopK(1, 4)
	values, _ := x.BottomK("row", 1)
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{x.Sort(2), "sort: axis 2 is outside rank 2: allowed are -2 to 1"},
		{places, "topk: k is 4, and axis 1 of float32[4,3] has 3 elements: give that many or fewer"},
		{values, "bottomk: "},
		{x.Quantile(2, 0), "quantile: a part of 2: give one from 0 to 1"},
		{x.Quantile(math.NaN(), 0), "quantile: a part of NaN: give one from 0 to 1"},
		{x.Quantiles(nil, 0), "quantiles: no parts: give one or more"},
		{x.Quantile(0.5, 0, graph.QuantileMethod("cubic")), "quantile: no method is named \"cubic\": use one of averaged_inverted_cdf, closest_observation,"},
		{x.Median(0, graph.QuantileMethod("lower")), "median: does not take the option QuantileMethod"},
		{f32("v", 2, 0).Median(1), "median: axis 1 of float32[2,0] has no elements"},
		{f32("v", 2, 3, 4).Median(0, 1), "median: 2 axes: it takes one, or none for all elements"},
	} {
		require.ErrorContains(t, c.node.Err(), "order_test.go:")
		require.ErrorContains(t, c.node.Err(), ": "+c.want)
	}
	p, err := graph.Compile(graph.Node(func() graph.Node { v, _ := f32("v", graph.Dim("n")).TopK(0, 3); return v }()))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]float32{1, 2}))
	require.ErrorContains(t, err, "the first 3 elements of axis 0 of shape [2]: there are 2")
}
