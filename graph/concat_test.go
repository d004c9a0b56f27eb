package graph_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/plan"
)

func TestConcat(t *testing.T) {
	a, b := graph.Const(numbered(2, 3)), graph.Const(numbered(2, 1)).Add(7)
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{graph.Concat(1, a, b), "int32[2,4] [[0 1 2 7] [3 4 5 8]]"},
		{graph.Concat(0, a.Mul(2), a), "int32[4,3] [[ 0 2 4] [ 6 8 10] [ 0 1 2] [ 3 4 5]]"},
		{graph.Concat(-1, b, b.Neg(), b), "int32[2,3] [[ 7 -7 7] [ 8 -8 8]]"},
		{graph.Concat(0, a.Sum(1), a.Sum(0), b.Flatten()), "int32[7] [ 3 12 3 5 7 7 8]"},
		{graph.Concat(1, graph.Concat(0, a, a), graph.Concat(0, b, b)).Slice("1:3"), "int32[2,4] [[3 4 5 8] [0 1 2 7]]"},
		{graph.Concat(0, a.MatMul(a.T()), a.MatMul(a.T()).Neg()), "int32[4,2] [[ 5 14] [ 14 50] [ -5 -14] [-14 -50]]"},
		{graph.Stack(0, a, a.Add(10)), "int32[2,2,3] [[[ 0 1 2] [ 3 4 5]] [[10 11 12] [13 14 15]]]"},
		{graph.Stack(-1, b, b.Neg()), "int32[2,1,2] [[[ 7 -7]] [[ 8 -8]]]"},
		{a.Roll(1, 1), "int32[2,3] [[2 0 1] [5 3 4]]"},
		{a.Roll(-1, -4), "int32[2,3] [[1 2 0] [4 5 3]]"},
		{a.Pad([]int{0, 1}, []int{1, 2}, graph.PadConstant), "int32[3,6] [[0 0 1 2 0 0] [0 3 4 5 0 0] [0 0 0 0 0 0]]"},
		{a.PadWith([]int{-1, 1}, []int{1, -1}, 9), "int32[2,3] [[9 3 4] [9 9 9]]"},
		{a.Cast(graph.Bool).Pad([]int{0, 1}, []int{0, 0}, graph.PadConstant), "bool[2,4] [[false false true true] [false true true true]]"},
	} {
		require.NoError(t, c.node.Err())
		require.Equal(t, c.want, shown(run(t, c.node)))
	}
}

// TestPad compares each mode with the endless sequence that it makes from a line.
func TestPad(t *testing.T) {
	at := map[graph.PadMode]func(i, n int) int{
		graph.PadEdge:      func(i, n int) int { return min(max(i, 0), n-1) },
		graph.PadWrap:      func(i, n int) int { return ((i % n) + n) % n },
		graph.PadSymmetric: func(i, n int) int { i = ((i % (2 * n)) + 2*n) % (2 * n); return min(i, 2*n-1-i) },
		graph.PadReflect: func(i, n int) int {
			p := max(2*n-2, 1)
			i = ((i % p) + p) % p
			return min(i, p-i) % n
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		before, after := rapid.IntRange(0, 12).Draw(t, "before"), rapid.IntRange(0, 12).Draw(t, "after")
		for mode, source := range at {
			got := ints(t, run(t, graph.Const(numbered(2, n)).Pad([]int{0, before}, []int{0, after}, mode)))
			for row := range 2 {
				for i := range before + n + after {
					require.Equal(t, int32(row*n+source(i-before, n)), got[0], "mode %d", mode)
					got = got[1:]
				}
			}
		}
	})
}

// TestConcatCopiesNothing asserts that computed operands are stored directly into the result.
func TestConcatCopiesNothing(t *testing.T) {
	x, y, w := f32("x", 64, 100), f32("y", 64, 30), f32("w", 100, 40)
	for _, z := range []graph.Node{
		graph.Concat(1, x.Exp(), y.Mul(2), y.Tanh()),
		graph.Concat(0, x.Exp(), x.Neg()),
		graph.Concat(1, graph.Concat(1, x.Exp(), y.Sqrt()), y.Tanh()),
		graph.Concat(1, x.MatMul(w), y.Neg()),
		graph.Concat(0, x.CumSum(1), x.Neg()),
		graph.Stack(2, x.Exp(), x.Neg()),
	} {
		requireNoCopies(t, z)
	}
}

// TestSlicesAreStoredOnce asserts that slices of a computed value that go into a concatenation are computed directly
// there: no array of the whole value is stored, and nothing is copied.
func TestSlicesAreStoredOnce(t *testing.T) {
	x, v, cube := f32("x", 500, 64), f32("v", 10, 64), f32("cube", 20, 18, 16)
	again := map[string]bool{"edge": true, "reflect": true, "symmetric": true, "wrap": true, "three axes": true}
	for name, y := range map[string]graph.Node{
		"set":        x.Exp().Set("10:20", v.Neg()),
		"set chain":  x.Exp().Sub(1).Tanh().Set("-10:", v.Exp().Mul(2)),
		"set column": x.Tanh().Set(":, 3", x.Slice(":, 4").Neg()),
		"set block":  x.Sigmoid().Set("10:20, 5:7", v.Slice(":, :2").Neg()),
		"set itself": x.Exp().Set("10:20", x.Exp().Slice("10:20").Mul(2)),
		"set twice":  x.Exp().Set("10:20", v.Neg()).Set("15:30", x.Slice(":15").Sqrt()),
		"set edges":  x.Exp().Set("0", v.Slice("0").Neg()).Set("-1", v.Slice("1").Neg()).Set(":, 0", x.Slice(":, 5").Neg()).Set(":, -1", x.Slice(":, 4").Neg()),
		"set blocks": x.Exp().Set("10:20, 3:9", v.Slice(":, :6").Neg()).Set("15:30, 6:20", x.Slice(":15, :14").Neg()),
		"roll":       x.Exp().Roll(0, 7),
		"edge":       x.Exp().Pad([]int{1, 1}, []int{1, 1}, graph.PadEdge),
		"reflect":    x.Exp().Pad([]int{1, 2}, []int{2, 1}, graph.PadReflect),
		"symmetric":  x.Exp().Pad([]int{1, 2}, []int{2, 1}, graph.PadSymmetric),
		"wrap":       x.Exp().Pad([]int{1, 2}, []int{2, 1}, graph.PadWrap),
		"three axes": cube.Mul(2).Pad([]int{1, 1, 1}, []int{1, 1, 1}, graph.PadReflect),
	} {
		t.Run(name, func(t *testing.T) {
			p := requireNoCopies(t, y)
			require.Zero(t, p.Copies(), explaining{p})
			require.LessOrEqual(t, p.Temporaries(), 64*4, explaining{p}) // bytes of a row
			for _, d := range p.Ledger() {
				require.False(t, d.Kind == plan.Recomputed && !again[name], explaining{p})
			}
			var list []*graph.Tensor
			for _, in := range p.Inputs() {
				shape := map[string][]int{"x": {500, 64}, "v": {10, 64}, "cube": {20, 18, 16}}[in.Name]
				list = append(list, graph.Normal(graph.Float32, 1, 0, 1, shape...))
			}
			everyWay(t, graph.Nodes{y}, list...)
		})
	}
}

// TestSlicesOfStored asserts that slices read a value from memory if it is stored anyway: a result, or a value with
// many slices.
func TestSlicesOfStored(t *testing.T) {
	x := f32("x", 64, 64)
	e := x.Exp()
	var rows []graph.Node
	for i := range 64 {
		rows = append(rows, e.SliceAxis(0, 63-i, 64-i, 1))
	}
	for _, ys := range []graph.Nodes{{e, e.Set("10:20", 0)}, {graph.Concat(0, rows...)}} {
		p, err := graph.Compile(ys)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(strings.Join(p.Kernels(), "\n"), "exp "), explaining{p})
	}
}

// TestPadUnknown pads axes whose extents are known when the program runs.
func TestPadUnknown(t *testing.T) {
	for mode := graph.PadConstant; mode <= graph.PadWrap; mode++ {
		pad := func(x graph.Node) graph.Node { return x.Pad([]int{2, 0}, []int{3, 1}, mode) }
		p, err := graph.Compile(pad(f32("x", graph.Dim("n"), graph.Dim("m"))))
		require.NoError(t, err)
		for _, n := range []int{4, 9} {
			in := graph.Uniform(graph.Float32, 5, 0, 1, n, 2)
			got, err := p.Run(t.Context(), in)
			require.NoError(t, err)
			require.True(t, graph.Equal(run(t, pad(graph.Const(in))), got), "mode %d: %v", mode, got)
		}
		_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 2, 2))
		require.Equal(t, mode > graph.PadEdge, err != nil, "mode %d: %v", mode, err)
		_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 0, 2))
		require.Equal(t, mode > graph.PadConstant, err != nil, "mode %d: %v", mode, err)
	}
}

// TestStackOfEverything stacks results of operations of every kind along a new last axis, where their lines are
// strided.
func TestStackOfEverything(t *testing.T) {
	x, i := f32("x", 3, 4), graph.Const(graph.Of([]int64{2, 0, 1, 1}))
	for k, y := range []graph.Node{
		x.Exp(), x.T().T(), x.CumSum(0), x.CumSum(1, graph.Exclusive), x.CumMax(0, graph.Reverse), x.Sort(0), x.Sort(1), x.ArgSort(1).Cast(graph.Float32),
		x.Take(1, i), x.Sum(0), x.Max(1), x.MatMul(x.T()), x.Softmax(1), x.Unsqueeze(0).BroadcastTo(2, 3, 4), x.Pad([]int{0, 1}, []int{1, 0}, graph.PadEdge),
		x.Scatter(1, i.Slice(":3").Unsqueeze(1), x.Slice(":, :1"), graph.ScatterAdd),
	} {
		outs := everyWay(t, graph.Nodes{y, y.Mul(1), graph.Stack(-1, y, y.Neg()), graph.Stack(-1, y)}, graph.Uniform(graph.Float32, 7, -1, 1, 3, 4))
		for n, bits := range outs[0] {
			require.Equal(t, bits, outs[2][2*n], "case %d: %s", k, y)
			require.Equal(t, bits^1<<31, outs[2][2*n+1], "case %d: %s", k, y)
			require.Equal(t, bits, outs[3][n], "case %d: %s", k, y)
		}
	}
}

// TestRollAnySize rolls along an axis of symbolic extent.
func TestRollAnySize(t *testing.T) {
	shifts := []int{math.MinInt, math.MinInt + 1, math.MaxInt}
	for shift := -7; shift <= 7; shift++ {
		shifts = append(shifts, shift)
	}
	for _, shift := range shifts {
		p, err := graph.Compile(graph.Input("x", graph.Int32, 2, graph.Dim("n")).Roll(-1, shift))
		require.NoError(t, err)
		for n := range 5 {
			x := numbered(2, n)
			got, err := p.Run(t.Context(), x)
			require.NoError(t, err)
			require.Equal(t, shown(run(t, graph.Const(x).Roll(1, shift))), shown(got))
		}
	}
}

func TestConcatErrors(t *testing.T) {
	x, n := f32("x", 2, 3), graph.Dim("n")
	greatest, half := strconv.FormatUint(math.MaxInt+1, 10), strconv.Itoa(math.MaxInt/2+1)
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{graph.Concat(0), "concat: no arrays: give one or more"},
		{graph.Concat(2, x, x), "concat: axis 2 is outside rank 2: allowed are -2 to 1"},
		{graph.Concat(0, x, f32("y", 2, 4)), "concat: operand 1 has shape [2,4] and the first [2,3]: they may differ along axis 0 alone"},
		{graph.Concat(0, x, f32("y", 3)), "concat: operand 1 has shape [3] and the first [2,3]: they may differ along axis 0 alone"},
		{graph.Concat(0, x, x.Cast(graph.Int32)), "concat: dtypes float32 and int32 differ: Cast one of them"},
		{x.Pad([]int{0, 1 << 20}, []int{0, 0}, graph.PadWrap), "pad: padding of 1048576 and 0 repeats the 3 elements of axis 1 more than 4096 times"},
		{graph.Stack(3, x, x), "stack: axis 3 is outside rank 3: allowed are -3 to 2"},
		{x.Roll(2, 1), "roll: axis 2 is outside rank 2: allowed are -2 to 1"},
		{x.Pad([]int{1}, []int{1, 1}, graph.PadEdge), "pad: 1 and 2 numbers for the 2 axes of float32[2,3]"},
		{x.Pad([]int{0, -2}, []int{0, -2}, graph.PadEdge), "pad: 2 and 2 elements are removed from axis 1 of float32[2,3], which has fewer"},
		{x.Pad([]int{0, math.MinInt}, []int{0, 0}, graph.PadConstant), "pad: " + greatest + " and 0 elements are removed from axis 1 of float32[2,3], which has fewer"},
		{x.PadWith([]int{1, 0}, []int{math.MinInt, 0}, 7), "padwith: 0 and " + greatest + " elements are removed from axis 0 of float32[2,3], which has fewer"},
		{f32("v", graph.Dim("n")).Pad([]int{math.MinInt}, []int{0}, graph.PadEdge), "pad: " + greatest + " and 0 elements are removed from axis 0 of float32[n], which has fewer"},
		{x.Pad([]int{0, math.MaxInt/2 + 1}, []int{0, math.MaxInt/2 + 1}, graph.PadEdge), "pad: padding of " + half + " and " + half + " along axis 1 of float32[2,3]: the extent overflows int"},
		{f32("v", 0).Pad([]int{1}, []int{0}, graph.PadWrap), "pad: axis 0 of float32[0] has no elements to repeat"},
		{x.Pad([]int{1, 1}, []int{1, 1}, graph.PadWrap+1), "pad: there is no PadMode"},
		{x.PadWith([]int{0, 0}, []int{0, 1}, x), "padwith: the element is float32[2,3]: it must be one float32"},
	} {
		require.ErrorContains(t, c.node.Err(), "concat_test.go:")
		require.ErrorContains(t, c.node.Err(), ": "+c.want)
	}
	require.Equal(t, "concat: float32[n+4]", graph.Concat(0, f32("v", n), f32("u", 4)).String())
}

// TestPadsOfTheRun: if the sizes of a run are too small for a pad or a convolution, the error shows the user's
// arguments.
func TestPadsOfTheRun(t *testing.T) {
	n := graph.Dim("n")
	x, image := f32("x", n, 4), f32("image", 1, 1, n, n)
	for _, c := range []struct {
		node graph.Node
		in   *graph.Tensor
		want string
	}{
		{x.Pad([]int{3, 0}, []int{1, 0}, graph.PadReflect), graph.Zeros(graph.Float32, 2, 4), `pad: "PadReflect of 3 and 1 elements along axis 0": it begins at index 3 of axis 0, which has 2 elements, where n=2`},
		{x.Pad([]int{-3, 0}, []int{0, 0}, graph.PadConstant), graph.Zeros(graph.Float32, 2, 4), `pad: "-3 and 0 elements along axis 0": it begins at index 3 of axis 0, which has 2 elements, where n=2`},
		{image.Conv(graph.Zeros(graph.Float32, 1, 1, 3, 3), graph.ConvOptions{Dilations: []int{2, 2}}), graph.Zeros(graph.Float32, 1, 1, 3, 3), `conv: axis 2 of shape [1,1,3,3]: a window of 3 elements 2 apart does not fit into 3 elements, where n=3`},
		{x.Add(graph.Fill(graph.Float32, 1, graph.Dim("n-5"), 1).Sum()), graph.Zeros(graph.Float32, 2, 4), `fill: shape [n-5,1]: extent n-5 of axis 0 is -3, which is negative, where n=2`},
	} {
		p, err := graph.Compile(c.node)
		require.NoError(t, err)
		_, err = p.Run(t.Context(), c.in)
		require.ErrorContains(t, err, "concat_test.go:")
		require.ErrorContains(t, err, c.want)
	}
	require.Equal(t, "PadWrap", graph.PadWrap.String())
}

// TestLinesWithAGap compiles a stack of lines, one of which comes from elsewhere. So the lines that the others scatter
// have a gap, and the schedule verifies.
func TestLinesWithAGap(t *testing.T) {
	const k, other = 4, 1
	x, y, z := graph.Input("x", graph.Int16, 4, 8, k), graph.Input("y", graph.Int16, 4, 8, k), graph.Input("z", graph.Int16, 4, 8, 1)
	u := x.Flip(0)
	var lines []graph.Node
	for i := range k {
		line := u.Index(-1, i).Mul(y.Index(-1, (i+1)%k)).Sub(u.Index(-1, (i+1)%k).Mul(y.Index(-1, i)))
		if i == other {
			line = z.Index(-1, 0)
		}
		lines = append(lines, line)
	}
	_, err := graph.Compile(graph.Stack(-1, lines...), graph.WithDebug(graph.Verify))
	require.NoError(t, err)
}
