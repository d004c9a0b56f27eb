package graph_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// run computes a node without inputs.
func run(t require.TestingT, x graph.Node, ins ...*graph.Tensor) *graph.Tensor {
	p, err := graph.Compile(x, graph.WithDebug(graph.Verify))
	require.NoError(t, err)
	out, err := p.Run(context.Background(), ins...)
	require.NoError(t, err)
	return out
}

// ints returns the elements of an int32 tensor.
func ints(t require.TestingT, x *graph.Tensor) []int32 {
	data, err := graph.Data[int32](x)
	require.NoError(t, err)
	return data
}

// numbered returns an int32 tensor of 0, 1, 2, ...
func numbered(shape ...int) *graph.Tensor {
	n := 1
	for _, e := range shape {
		n *= e
	}
	data := make([]int32, n)
	for i := range data {
		data[i] = int32(i)
	}
	return graph.Of(data, shape...)
}

func TestViewShapes(t *testing.T) {
	n, m := graph.Dim("n"), graph.Dim("m")
	x := f32("x", n, 3, m)
	y := f32("y", 2, 3, 4)
	s := f32("s", n, n)
	cases := []struct {
		node graph.Node
		want string
	}{
		{x.T(), "[m,3,n]"},
		{x.Permute(1, 2, 0), "[3,m,n]"},
		{x.Permute([]int{-1, 0, 1}), "[m,n,3]"},
		{x.SwapAxes(0, -1), "[m,3,n]"},
		{x.MoveAxis(0, -1), "[3,m,n]"},
		{x.MoveAxis(2, 0), "[m,n,3]"},
		{x.Flip(), "[n,3,m]"},
		{x.Index(-1, -1), "[n,3]"},
		{x.Unsqueeze(0, -1), "[1,n,3,m,1]"},
		{x.ExpandDims(1), "[n,1,3,m]"},
		{x.Unsqueeze(0, -1).Squeeze(), "[n,3,m]"},
		{x.Unsqueeze(0, -1).Squeeze(-1), "[1,n,3,m]"},
		{x.BroadcastTo(5, n, 3, m), "[5,n,3,m]"},
		{x.Index(0, 0).Expand(n, 3, m), "[n,3,m]"},
		{s.Diagonal(0, 0, 1), "[n]"},
		{s.Diagonal(-2, 0, 1), "[n-2]"},
		{y.Diagonal(1, 2, 0), "[3,1]"},
		{y.Diagonal(9, 0, 2), "[3,0]"},

		{x.Reshape(-1), "[3*m*n]"},
		{x.Flatten().Reshape(n, -1), "[n,3*m]"},
		{x.Ravel().Reshape(-1, n.Mul(m)), "[3,m*n]"},
		{x.Reshape(n.Mul(graph.Dim("3")), -1), "[3*n,m]"},
		{f32("a", n.Add(n), 2).Reshape(n, -1), "[n,4]"},
		{f32("a", graph.Dim("2*n+4")).Reshape(2, -1), "[2,n+2]"},
		{f32("a", graph.Dim("n+1"), 6).Reshape(2, -1, graph.Dim("n+1")), "[2,3,n+1]"},
		{y.Reshape(y.Shape()), "[2,3,4]"},
		{y.Reshape(4, -1), "[4,6]"},
		{f32("a", 1, 1).Reshape(), "[]"},

		{x.Slice("1:-1"), "[n-2,3,m]"},
		{x.Slice("::-1, 1"), "[n,m]"},
		{x.Slice("1::2"), "[n/2,3,m]"},
		{x.Slice("::2, ..., ::2"), "[(n+1)/2,3,(m+1)/2]"},
		{x.Slice(":3"), "[3,3,m]"},
		{x.Slice("-3:"), "[3,3,m]"},
		{x.Slice("5:2"), "[0,3,m]"},
		{x.Slice("-1:-4:-2"), "[2,3,m]"},
		{x.Slice(":0:-1"), "[n-1,3,m]"},
		{x.Slice("..., None, -1"), "[n,3,1]"},
		{x.Slice("None, :, 9:"), "[1,n,0,m]"},
		{y.Slice("-100:100:2, ::-2"), "[1,2,4]"},
		{x.SliceAxis(0, 1, math.MaxInt, 1), "[n-1,3,m]"},
		{x.SliceAxis(-1, math.MaxInt, math.MinInt, -1), "[n,3,m]"},
		{x.SliceAxis(1, math.MaxInt, math.MinInt, -2), "[n,2,m]"},
		{x.SliceAxis(0, math.MaxInt, math.MinInt, math.MinInt), fmt.Sprintf("[(n+%d)/%d,3,m]", math.MaxInt-1, math.MaxInt)},
	}
	for _, c := range cases {
		require.NoError(t, c.node.Err(), c.want)
		got := c.node.Shape().String()
		require.Equal(t, c.want, got)
	}
}

func TestViewsThatChangeNothing(t *testing.T) {
	x := f32("x", graph.Dim("n"), 3)
	for _, y := range []graph.Node{
		x.Permute(0, 1), x.SwapAxes(1, 1), x.MoveAxis(0, 0), x.Slice(":"), x.Slice("..., ::1"), x.Slice("0:, :3"),
		x.Reshape(graph.Dim("n"), -1), x.BroadcastTo(x.Shape()), x.Squeeze(), x.Unsqueeze(),
	} {
		require.Equal(t, x, y)
	}
}

// TestSliceModel compares Slice on known and on symbolic extents with Python's rule, written out.
func TestSliceModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		bound := rapid.OneOf(rapid.Just(""), rapid.Map(rapid.IntRange(-12, 12), func(i int) string { return fmt.Sprint(i) }))
		begin, end := bound.Draw(t, "begin"), bound.Draw(t, "end")
		step := rapid.SampledFrom([]int{1, 2, 3, -1, -2, -3, 20, -20}).Draw(t, "step")
		spec := fmt.Sprintf("%s:%s:%d", begin, end, step)

		want, clipped := pythonSlice(n, begin, end, step)
		fixed := run(t, graph.Input("x", graph.Int32, n).Slice(spec), numbered(n))
		require.Equal(t, want, ints(t, fixed), spec)

		x := graph.Input("x", graph.Int32, graph.Dim("n"))
		p, err := graph.Compile(x.Slice(spec))
		if err != nil { // no size fits, or only one
			require.True(t, clipped, "%s of %d: %v", spec, n, err)
			return
		}
		out, err := p.Run(context.Background(), numbered(n))
		if err == nil {
			require.Equal(t, want, ints(t, out), spec)
		} else {
			require.True(t, clipped, "%s of %d: %v", spec, n, err)
			require.Contains(t, err.Error(), "slice: ")
		}
	})
}

// pythonSlice returns the indices begin:end:step of n, and whether a bound is outside or the bounds are in the wrong
// order.
func pythonSlice(n int, begin, end string, step int) (out []int32, clipped bool) {
	parse := func(text string, missing int) int {
		if text == "" {
			return missing
		}
		var i int
		fmt.Sscan(text, &i)
		if i < 0 {
			i += n
		}
		return i
	}
	out = []int32{}
	first, last := 0, n
	if step < 0 {
		first, last = n-1, -1
	}
	b, e := parse(begin, first), parse(end, last)
	for i := b; step > 0 && i < e || step < 0 && i > e; i += step {
		if 0 <= i && i < n {
			out = append(out, int32(i))
		} else {
			clipped = true
		}
	}
	if step > 0 {
		return clip(n, max(b, 0), min(e, n), step), clipped || b > e || b < 0 || e > n
	}
	return clip(n, min(b, n-1), max(e, -1), step), clipped || b < e || b > n-1 || e < -1
}

func clip(n, b, e, step int) []int32 {
	out := []int32{}
	for i := b; step > 0 && i < e || step < 0 && i > e; i += step {
		out = append(out, int32(i))
	}
	return out
}

// TestViewsModel compares views with their elements, one by one.
func TestViewsModel(t *testing.T) {
	x := graph.Input("x", graph.Int32, 2, 3, 4)
	in := numbered(2, 3, 4)
	at := func(i, j, k int) int32 { return int32(12*i + 4*j + k) }
	cases := map[string]struct {
		node graph.Node
		want func(i, j, k int) int32
	}{
		"transpose": {x.T(), func(i, j, k int) int32 { return at(k, j, i) }},
		"permute":   {x.Permute(1, 2, 0), func(i, j, k int) int32 { return at(k, i, j) }},
		"swap":      {x.SwapAxes(0, 1), func(i, j, k int) int32 { return at(j, i, k) }},
		"move":      {x.MoveAxis(-1, 0), func(i, j, k int) int32 { return at(j, k, i) }},
		"flip":      {x.Flip(), func(i, j, k int) int32 { return at(1-i, 2-j, 3-k) }},
		"flip one":  {x.Flip(-2), func(i, j, k int) int32 { return at(i, 2-j, k) }},
		"slice":     {x.Slice("1:, ::2, 3:0:-2"), func(i, j, k int) int32 { return at(1+i, 2*j, 3-2*k) }},
		"index":     {x.Index(1, -1).Unsqueeze(0), func(_, j, k int) int32 { return at(j, 2, k) }},
		"expand":    {x.Slice("1:2").BroadcastTo(5, 3, 4), func(_, j, k int) int32 { return at(1, j, k) }},
		"diagonal":  {x.Diagonal(1, 1, 2).Unsqueeze(0), func(_, j, k int) int32 { return at(j, k, k+1) }},
		"reshape":   {x.Reshape(4, 2, -1), func(i, j, k int) int32 { return int32(6*i + 3*j + k) }},
		"flatten":   {x.T().Flatten().Reshape(2, 3, 4), func(i, j, k int) int32 { f := 12*i + 4*j + k; return at(f%2, f/2%3, f/6) }},
	}
	for name, c := range cases {
		out := run(t, c.node, in)
		shape := out.Shape()
		require.Len(t, shape, 3, name)
		got := ints(t, out)
		for i := range shape[0] {
			for j := range shape[1] {
				for k := range shape[2] {
					require.Equal(t, c.want(i, j, k), got[0], name)
					got = got[1:]
				}
			}
		}
	}
}
