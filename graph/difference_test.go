package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestDifferencesOfShortAxes: differences of an axis that is too short are empty, of a fixed extent and of a symbolic one. NumPy's diff and
// trapezoid have these results.
func TestDifferencesOfShortAxes(t *testing.T) {
	for _, c := range []struct {
		f    func(x graph.Node) graph.Node
		want [4]string // for 0 to 3 elements of 1, 2, 4
	}{
		{func(x graph.Node) graph.Node { return x.Diff(0, 1) }, [4]string{"float64[0] []", "float64[0] []", "float64[1] [1.]", "float64[2] [1. 2.]"}},
		{func(x graph.Node) graph.Node { return x.Diff(0, 2) }, [4]string{"float64[0] []", "float64[0] []", "float64[0] []", "float64[1] [1.]"}},
		{func(x graph.Node) graph.Node { return x.Diff(0, 5) }, [4]string{"float64[0] []", "float64[0] []", "float64[0] []", "float64[0] []"}},
		{func(x graph.Node) graph.Node { return x.Diff(0, 2).Sum() }, [4]string{"float64[] 0.0", "float64[] 0.0", "float64[] 0.0", "float64[] 1.0"}},
		{func(x graph.Node) graph.Node { return x.Trapezoid(0, 1) }, [4]string{"float64[] 0.0", "float64[] 0.0", "float64[] 1.5", "float64[] 4.5"}},
		{func(x graph.Node) graph.Node { return x.Trapezoid(0, x) }, [4]string{"float64[] 0.0", "float64[] 0.0", "float64[] 1.5", "float64[] 7.5"}},
	} {
		symbolic, err := graph.Compile(c.f(graph.Input("x", graph.Float64, graph.Dim("n"))))
		require.NoError(t, err)
		for n, want := range c.want {
			x := graph.Of([]float64{1, 2, 4}[:n])
			got, err := symbolic.Run(t.Context(), x)
			require.NoError(t, err, "n=%d", n)
			require.Equal(t, want, shown(got), "n=%d", n)
			fixed, err := graph.Compile(c.f(graph.Input("x", graph.Float64, n)))
			require.NoError(t, err, "n=%d", n)
			got, err = fixed.Run(t.Context(), x)
			require.NoError(t, err, "n=%d", n)
			require.Equal(t, want, shown(got), "n=%d", n)
		}
	}
}

// TestShortAxes: a symbolic axis that turns out too short is an error that names the call, the axis and its extent.
func TestShortAxes(t *testing.T) {
	x := graph.Input("x", graph.Float64, graph.Dim("n"))
	for _, c := range []struct {
		y    graph.Node
		n    int
		want []string
	}{
		{x.Gradient(0, 1), 1, []string{"gradient: ", "axis 0 must have 2 elements or more", "where n=1"}},
		{x.Gradient(0, x), 0, []string{"gradient: ", "axis 0 must have 2 elements or more", "where n=0"}},
		{x.Rolling(0, 5).Mean(), 4, []string{"rolling: ", "axis 0 of shape [4]: a window of 5 elements", "does not fit into 4"}},
		{x.Rolling(0, 100).Sum(), 99, []string{"rolling: ", "axis 0 of shape [99]: a window of 100 elements", "does not fit into 99"}},
		{x.Rolling(0, 100).Max(), 5, []string{"rolling: ", "axis 0 of shape [5]: a window of 100 elements", "does not fit into 5"}},
		{x.Rolling(0, 100).Std(1), 0, []string{"rolling: ", "axis 0 of shape [0]: a window of 100 elements", "does not fit into 0"}},
		{x.Rolling(0, 100).Median(), 99, []string{"rolling: ", "axis 0 of shape [99]: a window of 100 elements", "does not fit into 99"}},
		{x.Rolling(0, 9).Median(), 1, []string{"rolling: ", "axis 0 of shape [1]: a window of 9 elements", "does not fit into 1"}},
		{x.Window(0, 3, 1, 1), 2, []string{"window: ", "axis 0 of shape [2]: a window of 3 elements", "does not fit into 2"}},
		{x.Median(), 0, []string{"median: ", "axis 0 of shape [0] has no elements to select: leave out empty arrays, or lengthen the axis by PadWith", "where n=0"}},
		{x.Quantile(0.3, 0), 0, []string{"quantile: ", "axis 0 of shape [0] has no elements to select", "where n=0"}},
		{x.NanQuantile(0.3, 0), 0, []string{"nanquantile: ", "axis 0 of shape [0] has no elements for index -1: leave out empty arrays, or lengthen the axis by PadWith", "where n=0"}},
		{x.Reshape(-1, 4), 10, []string{"reshape: ", "shape [10] has 10 elements and [2,4] has 8: the quotient of [n/4,4] has a remainder", "where n=10"}},
	} {
		p, err := graph.Compile(c.y)
		require.NoError(t, err)
		_, err = p.Run(t.Context(), graph.New(graph.Float64, c.n))
		for _, want := range c.want {
			require.ErrorContains(t, err, want)
		}
	}
	for _, y := range []graph.Node{graph.Input("x", graph.Float64, 0).Median(), graph.Input("x", graph.Float64, 0).NanMedian(0)} {
		require.ErrorContains(t, y.Err(), "median: axis 0 of float64[0] has no elements")
	}
}

// TestRollingOfSymbolicAxis: the padding of a symbolic axis is not in the results.
func TestRollingOfSymbolicAxis(t *testing.T) {
	data := graph.Uniform(graph.Float64, 1, -1, 1, 3, 250)
	symbolic, fixed := graph.Input("x", graph.Float64, 3, graph.Dim("n")), graph.Input("x", graph.Float64, 3, 250)
	statistics := func(x graph.Node) graph.Nodes {
		r := x.Rolling(1, 100)
		return graph.Nodes{r.Sum(), r.Max(), r.Std(1), r.Median(), graph.Grad(r.Std(1).Sum(), x)[0], graph.Grad(r.Sum().Square().Sum(), x)[0]}
	}
	p, err := graph.Compile(statistics(symbolic))
	require.NoError(t, err)
	q, err := graph.Compile(statistics(fixed))
	require.NoError(t, err)
	got, err := p.RunAll(t.Context(), data)
	require.NoError(t, err)
	want, err := q.RunAll(t.Context(), data)
	require.NoError(t, err)
	for i := range want {
		w, err := graph.Data[float64](want[i])
		require.NoError(t, err)
		g, err := graph.Data[float64](got[i])
		require.NoError(t, err)
		require.InDeltaSlice(t, w, g, 1e-9, "%d", i)
	}
}
