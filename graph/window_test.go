package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// requireNoCopies compiles a node and fails if the ledger has a copy.
func requireNoCopies(t *testing.T, x graph.Node) *graph.Program {
	t.Helper()
	p, err := graph.Compile(x, graph.WithDebug(graph.Verify))
	require.NoError(t, err)
	for _, d := range p.Ledger() {
		require.NotEqual(t, plan.Copied, d.Kind, "%s: %s", d.Op, d.Reason)
	}
	return p
}

func TestWindow(t *testing.T) {
	x := graph.Input("x", graph.Int32, 2, 5)
	in := numbered(2, 5)
	for _, c := range []struct {
		node  graph.Node
		shape []int
		want  []int32
	}{
		{x.Window(1, 3, 1, 1), []int{2, 3, 3}, []int32{0, 1, 2, 1, 2, 3, 2, 3, 4, 5, 6, 7, 6, 7, 8, 7, 8, 9}},
		{x.Window(-1, 2, 2, 1), []int{2, 2, 2}, []int32{0, 1, 2, 3, 5, 6, 7, 8}},
		{x.Window(1, 2, 1, 3), []int{2, 2, 2}, []int32{0, 3, 1, 4, 5, 8, 6, 9}},
		{x.Window(0, 2, 1, 1), []int{1, 5, 2}, []int32{0, 5, 1, 6, 2, 7, 3, 8, 4, 9}},
		{x.Window(1, 3, 1, 1).Sum(-1), []int{2, 3}, []int32{3, 6, 9, 18, 21, 24}},
		{x.Window(1, 3, 2, 1).Max(-1), []int{2, 2}, []int32{2, 4, 7, 9}},
		{x.Mul(x).Window(1, 2, 1, 1).Sum(-1), []int{2, 4}, []int32{1, 5, 13, 25, 61, 85, 113, 145}},
		{x.Flip(1).Window(1, 3, 1, 1).Min(-1), []int{2, 3}, []int32{2, 1, 0, 7, 6, 5}},
	} {
		out := run(t, c.node, in)
		require.Equal(t, c.shape, out.Shape())
		require.Equal(t, c.want, ints(t, out), c.node.String())
	}
	n := graph.Dim("n")
	require.Equal(t, "window: float32[(n+1)/2-1,3]", f32("x", n).Window(0, 3, 2, 1).String())
}

// TestWindowsAreRead asserts that reductions and products of windows read the operand itself.
func TestWindowsAreRead(t *testing.T) {
	x := f32("x", 64, 1000)
	for _, y := range []graph.Node{
		x.Window(1, 50, 1, 1).Max(-1),
		x.Window(0, 8, 4, 2).Mul(2).Sum(-1),
		x.Add(1).Window(1, 3, 3, 1).Sum(-1),
		x.Window(1, 16, 1, 1).Mul(f32("w", 16)).Sum(-1),
		x.Index(0, 3).Window(0, 16, 1, 1).MatMul(f32("w", 16, 8)),
	} {
		p := requireNoCopies(t, y)
		require.Less(t, len(p.Kernels()), 4)
	}
}

func TestWindowErrors(t *testing.T) {
	x := f32("x", 4, graph.Dim("n"))
	require.EqualError(t, x.Window(0, 5, 1, 1).Err(), here()+": window: axis 0 of shape [4,n]: a window of 5 elements 1 apart does not fit into 4 elements")
	require.EqualError(t, x.Window(2, 1, 1, 1).Err(), here()+": window: axis 2 is outside rank 2: allowed are -2 to 1")
	require.EqualError(t, x.Window(1, 0, 1, 1).Err(), here()+": window: the size of a window is 0: it must be 1 or more")
	y, at := x.Window(1, 3, 1, 1).Sum(-1), here()
	p, err := graph.Compile(y)
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 4, 2))
	require.ErrorContains(t, err, at+": window: axis 1 of shape [4,2]: a window of 3 elements 1 apart does not fit into 2 elements")
}

// TestLongWindows compares extremes of windows with their definition. They are computed from those of shorter windows
// where that takes fewer comparisons: windows of up to 30 elements, any stride, given or computed arrays, NaNs and
// zeros of both signs.
func TestLongWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, step, dilation := rapid.IntRange(7, 30).Draw(t, "size"), rapid.IntRange(1, 3).Draw(t, "step"), rapid.IntRange(1, 3).Draw(t, "dilation")
		n := (size-1)*dilation + rapid.IntRange(1, 40).Draw(t, "room")
		axis := rapid.IntRange(0, 1).Draw(t, "axis")
		shape := []int{3, 3}
		shape[axis] = n
		d := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Int32, graph.Uint8, graph.Float64}).Draw(t, "type")
		x := irtest.Array(t, d, shape...)
		y := inputLike("x", toTensor(t, x, nil))
		if rapid.Bool().Draw(t, "computed") {
			y = y.Maximum(1)
		}
		w := y.Window(axis, size, step, dilation)
		f, _, err := graph.Define(w.Max(-1), w.Min(-1))
		require.NoError(t, err)
		checkPrograms(t, f, []eval.Array{x}, nil)
	})
}

// TestWindowsAlongTwoAxes asserts that reductions of windows along two axes copy no windows.
func TestWindowsAlongTwoAxes(t *testing.T) {
	x := graph.Input("x", graph.Float32, 3, 40, 41)
	windows := func(x graph.Node, n int) graph.Node { return x.Window(2, n, 1, 1).Window(1, n, 1, 1) }
	for name, y := range map[string]graph.Node{
		"sum":    windows(x, 3).Sum(3, 4),
		"mean":   windows(x, 5).Mean(3, 4),
		"padded": windows(x.Pad([]int{0, 1, 1}, []int{0, 1, 1}, graph.PadEdge), 3).Max(3, 4),
		"blocks": x.Slice(":, :35, :35").Reshape(3, 7, 5, 7, 5).Sum(2, 4),
	} {
		p, err := graph.Compile(y)
		require.NoError(t, err)
		require.Zero(t, p.Copies(), "%s:\n%s", name, explaining{p})
		if name != "padded" { // padding copies the array inside it
			require.NotContains(t, p.Explain(), "{ t0 = copy u0; store t0 }", name)
		}
		everyWay(t, graph.Nodes{y}, graph.Arange(graph.Float32, 0, 3*40*41, 1).Reshape(3, 40, 41))
	}
}
