package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// here returns the line of its caller, as errors name it.
func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// f32 returns a float32 input.
func f32(name string, dims ...any) graph.Node { return graph.Input(name, graph.Float32, dims...) }

func TestNodeErrors(t *testing.T) {
	n := graph.Dim("n")
	x, y := f32("x", n, 3), f32("y", 2, 3)
	i, b := graph.Input("i", graph.Int32, 3), graph.Input("b", graph.Bool, 3)
	u := graph.Input("u", graph.Uint8, 3)
	named := f32("named", graph.Axis("row", n), graph.Axis("col", 3))
	huge := math.MaxInt
	tooLarge := fmt.Sprintf("shape [%d 2]: the product of its extents passes %d, the greatest int", huge, huge)
	cases := []struct {
		node graph.Node
		want string
	}{
		// Shapes.
		{x.Sub(f32("a", 4)), here() + ": sub: shapes [n,3] and [4] do not broadcast: axis 1 is 3 and 4"},
		{x.Add(y), here() + ": add: shapes [n,3] and [2,3] do not broadcast: axis 0 is n and 2"},
		{x.Add(f32("a", graph.Dim("m"), 3)), here() + ": add: shapes [n,3] and [m,3] do not broadcast: axis 0 is n and m"},
		{x.FMA(1, f32("a", 2)), here() + ": fma: shapes [n,3] and [2] do not broadcast: axis 1 is 3 and 2"},
		{y.BroadcastTo(2, 4), here() + ": broadcastto: shapes [2,3] and [2,4] do not broadcast: axis 1 is 3 and 4"},
		{y.BroadcastTo(3), here() + ": broadcastto: shape [2,3] does not expand to [3]: only axes of extent 1 repeat"},
		{y.BroadcastTo(-1, 3), here() + ": broadcastto: shape [-1,3] has an extent of -1: give the extent"},
		{graph.Input("a", graph.Float32, huge, 2), here() + ": input a: " + tooLarge},
		{f32("a", huge, 1).Mul(f32("b", 1, 2)), here() + ": mul: " + tooLarge},

		// Element types.
		{x.Add(i), here() + ": add: dtypes float32 and int32 differ: Cast one of them"},
		{i.Sqrt(), here() + ": sqrt: does not take int32: Cast to one of float16, bfloat16, float32, float64, fixed16x16"},
		{x.And(y), here() + ": and: does not take float32: Cast to one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64"},
		{graph.Where(x, x, 1), here() + ": where: the condition is float32: it must be bool"},
		{graph.Where(b, 1, 2), here() + ": where: both values are Go numbers, which have no type: make one a Scalar"},
		{i.Bitcast(graph.Float64), here() + ": bitcast: int32[3] to float64: the last axis has 3 elements of 4 bytes, which is not a multiple of 8"},
		{i.Sum().Bitcast(graph.Uint8), here() + ": bitcast: a scalar of int32 has no axis to rescale from 4 to 1 bytes: call Unsqueeze(0) first"},
		{i.Bitcast(graph.Bool), here() + ": bitcast: not all bits of int32 are a bool: take Ne(0) instead"},
		{i.Bitcast(200), here() + ": bitcast: dtype 200 does not exist"},
		{i.Cast(200), here() + ": cast: dtype 200 does not exist"},
		{graph.Input("a", 200, 3), here() + ": input a: dtype 200 does not exist"},
		{graph.Input("a", graph.Float8E4M3FN, 3).Add(1), here() + ": add: does not take float8e4m3fn: Cast to one of int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, fixed16x16"},

		// Go numbers.
		{i.Add(1.5), here() + ": add: 1.5 is not an integer, for int32: round it, or Cast to a float type"},
		{i.Add(math.NaN()), here() + ": add: NaN is no number of int32: Cast to a float type"},
		{i.Add(int64(1 << 31)), here() + ": add: 2147483648 is outside int32, [-2147483648, 2147483647]"},
		{u.Add(-1), here() + ": add: -1 is outside uint8, [0, 255]"},
		{u.Add(256.0), here() + ": add: 256 is outside uint8, [0, 255]"},
		{x.Mul(1e300), here() + ": mul: 1e+300 is past the greatest float32, 3.4028234663852886e+38"},
		{x.Add(true), here() + ": add: true is not a number, for float32"},
		{b.And(1), here() + ": and: 1 is not a bool: use true or false, or Cast the bools"},
		{x.Add("1"), here() + ": add: an operand is a Node, a *Tensor, a number, a bool or a Dim, not string"},
		{x.Add([]float32{1}), here() + ": add: an operand is a Node, a *Tensor, a number, a bool or a Dim, not []float32: Of makes a tensor of a slice"},
		{x.Add([][]float32{{1}}), here() + ": add: an operand is a Node, a *Tensor, a number, a bool or a Dim, not [][]float32: OfRows makes a tensor of rows"},
		{x.Add(nil), here() + ": add: an operand is a Node, a *Tensor, a number, a bool or a Dim, not <nil>"},
		{x.Add(graph.Node{}), here() + ": add: the Node is zero: make one with Input, Const or Scalar"},
		{graph.Node{}.Neg(), here() + ": the Node is zero: make one with Input, Const or Scalar"},
		{x.Add((*graph.Tensor)(nil)), here() + ": add: the tensor is nil or zero: make one with Of or New"},
		{x.Add(&graph.Tensor{}), here() + ": add: the tensor is nil or zero: make one with Of or New"},
		{x.Add(graph.Of([]float32{1, 2}, 3)), here() + ": of: shape [3] has 3 elements, data has 2"},
		{graph.Scalar(graph.Int32, 1.5), here() + ": scalar: 1.5 is not an integer, for int32: round it, or Cast to a float type"},
		{graph.Fill(graph.Uint8, 300, 2), here() + ": fill: 300 is outside uint8, [0, 255]"},

		// Views.
		{x.Permute(0), here() + ": permute: 1 axes given for float32[n,3]: name each axis once"},
		{x.Permute(0, -2), here() + ": permute: axis 0 is named twice"},
		{x.Flip(2), here() + ": flip: axis 2 is outside rank 2: allowed are -2 to 1"},
		{x.Flip(1.0), here() + ": flip: an axis is an int or a name, not float64"},
		{x.Sum(0, true), here() + ": sum: an axis is an int or a name, not bool: give the option KeepDims"},
		{x.Flip("row"), here() + `: flip: no axis of float32[n,3] is named "row"`},
		{named.Flip("rows"), here() + `: flip: no axis of float32[row=n,col=3] is named "rows"`},
		{graph.Scalar(graph.Float32, 1).Index(0, 0), here() + ": index: axis 0 of a scalar: it has none"},
		{x.Index(1, 3), here() + ": index: index 3 is outside axis 1 of float32[n,3]: allowed are -3 to 2"},
		{x.SwapAxes(0, 2), here() + ": swapaxes: axis 2 is outside rank 2: allowed are -2 to 1"},
		{x.MoveAxis(0, 2), here() + ": moveaxis: axis 2 is outside rank 2: allowed are -2 to 1"},
		{x.Squeeze(1), here() + ": squeeze: axis 1 of shape [n,3] has extent 3: only axes of extent 1 can go"},
		{x.Squeeze(0), here() + ": squeeze: axis 0 of shape [n,3] has extent n: only axes of extent 1 can go"},
		{x.Unsqueeze(4), here() + ": unsqueeze: axis 4 is outside rank 3: allowed are -3 to 2"},
		{x.Unsqueeze(0, 0), here() + ": unsqueeze: axis 0 is named twice"},
		{x.Diagonal(1, 0, 1), here() + ": diagonal: the diagonal of symbolic axes n and 3: only k = 0 of equal axes"},
		{y.Diagonal(0, 1, -1), here() + ": diagonal: axis 1 is named twice"},
		{x.Slice("1:2:3:4"), here() + `: slice: index "1:2:3:4": "1:2:3:4" at column 1: a range has at most three parts, begin:end:step`},
		{x.Slice("0, 1, 2"), here() + `: slice: "0, 1, 2" of float32[n,3]: items for 3 axes, and there are 2`},
		{x.Slice(":, 5"), here() + `: slice: ":, 5": index 5 is outside axis 1 of float32[n,3]: allowed are -3 to 2`},
		{x.SliceAxis(0, 0, 1, 0), here() + ": sliceaxis: a step of 0 never ends"},

		// Reshapes.
		{y.Reshape(4, -1), here() + ": reshape: shape [2,3] has 6 elements, and 4 does not divide them: no extent in place of -1 fits [4,-1]"},
		{y.Reshape(-1, -1), here() + ": reshape: shape [-1,-1] has two extents of -1: one is inferred"},
		{y.Reshape(7), here() + ": reshape: shape [2,3] has 6 elements and [7] has 7"},
		{y.Reshape(-2, 3), here() + ": reshape: extent -2 of axis 0 is negative"},
		{y.Reshape("6"), here() + ": reshape: an extent is an int or a Dim: write Dim(\"6\")"},
		{x.Reshape(graph.Dim("m"), -1), here() + ": reshape: shape [n,3] has 3*n elements, and m does not divide them: give the extent in place of -1"},
		{f32("a", 0).Reshape(0, -1), here() + ": reshape: shape [0] has 0 elements, and 0 does not divide them: give the extent in place of -1"},

		// Inputs and names.
		{graph.Input("1x", graph.Float32), here() + `: input: "1x" is not a name: use letters, digits, _ and dots`},
		{graph.Input("a", graph.Float32, -1), here() + `: input a: an extent is -1: give an extent that differs from run to run as Dim("n")`},
		{graph.Input("a", graph.Float32, n, -3), here() + ": input a: extent -3 of axis 1 is negative"},
		{graph.Input("a", graph.Float32, 1.5), here() + ": input a: an extent is an int or a Dim, not float64"},
		{graph.Input("a", graph.Float32, graph.Dim("n+")), here() + `: input a: extent "n+": want a number or a name at ""`},
		{graph.Input("a", graph.Float32, graph.Axis("row", 2), graph.Axis("row", 2)), here() + `: input a: axes 0 and 1 are both named "row": rename one of them`},
		{x.WithAxes("row"), here() + ": withaxes: 1 names [row] for the 2 axes of float32[n,3]"},
		{x.WithAxes("row", "a b"), here() + `: withaxes: "a b" is not an axis name: use letters, digits and _`},
		{named.Add(x.WithAxes("line", "col")), here() + `: add: axis 0 is "row" in one operand and "line" in another: Permute or rename one of them`},
		{named.Add(f32("a", 3).WithAxes("row")), here() + `: add: axis 1 is "col" in one operand and "row" in another: Permute or rename one of them`},
	}
	for _, c := range cases {
		err := c.node.Err()
		require.Error(t, err, c.want)
		require.Equal(t, c.want, err.Error())
		require.Equal(t, c.want, c.node.String())
		var e *graph.Error
		require.ErrorAs(t, err, &e)
		require.NotZero(t, e.Pos.Line)
		_, err = graph.Compile(c.node)
		require.ErrorContains(t, err, c.want)
	}
}

func TestPoisonSticks(t *testing.T) {
	bad := f32("x", 2).Add(f32("y", 3))
	want := bad.Err()
	for _, n := range []graph.Node{
		bad.Add(1), bad.Reshape(9, 9), bad.Slice("::::"), bad.Scalar("?"), bad.WithAxes("a", "b"), bad.Flip(7),
		graph.Where(bad, 1, 2), f32("z").Add(bad), bad.Add(bad.Index(3, 3)), bad.FMA(2, bad), graph.Lerp(bad, 1, 2),
	} {
		require.Same(t, want, n.Err())
		require.Zero(t, n.Rank())
	}
}

func TestAllErrorsTogether(t *testing.T) {
	x, atX := graph.Input("x", graph.Float32, 2), here()
	a, atA := x.Add(f32("y", 3)).Neg().Exp(), here()
	b, atB := x.Sqrt().Reshape(5), here()
	c, atC := graph.Input("x", graph.Float32, 7), here()
	_, err := graph.Compile(a.Mul(a), b.Add(a), c, b)
	require.EqualError(t, err, atA+": add: shapes [2] and [3] do not broadcast: axis 0 is 2 and 3\n"+
		atB+": reshape: shape [2] has 2 elements and [5] has 5\n"+
		atC+": input x: the input at "+atX+" has this name too: rename one, or use one Node for both")
	_, err = graph.Compile(x, c)
	require.EqualError(t, err, atC+": input x: the input at "+atX+" has this name too: rename one, or use one Node for both")

	var e *graph.Error
	require.ErrorAs(t, errors.Join(err), &e)
}

func TestCompileErrors(t *testing.T) {
	x, n := f32("x", 2), graph.Dim("n")
	cases := []struct {
		items []graph.Item
		want  string
	}{
		{nil, "compile: there is nothing to compute: give it a Node"},
		{[]graph.Item{graph.WithoutBroadcast(), graph.Nodes{}}, "compile: there is nothing to compute: give it a Node"},
		{[]graph.Item{nil}, "compile: an item is nil: it must be a Node or an Option"},
		{[]graph.Item{graph.Node{}}, "the Node is zero: make one with Input, Const or Scalar"},
		{[]graph.Item{x, graph.Option(nil)}, "compile: an item is nil: it must be a Node or an Option"},
		{[]graph.Item{x, graph.WithWorkers(0)}, "compile: 0 workers: there must be 1 or more"},
		{[]graph.Item{x, graph.WithWorkers(-1)}, "compile: -1 workers: there must be 1 or more"},
	}
	for _, c := range cases {
		_, err := graph.Compile(c.items...)
		require.EqualError(t, err, here2(-1)+": "+c.want)
	}

	_, err := graph.Compile(graph.Input("y", graph.Float32, n.Mul(n), 2))
	require.EqualError(t, err, here2(-1)+`: input y: no input tells the size "n" of shape [n*n,2]: one must have an axis Dim("n"); WithInputs declares one that nothing reads`)
	_, err = graph.Compile(x, graph.Fill(graph.Float32, 1, n, 2))
	require.EqualError(t, err, here2(-1)+`: fill: no input tells the size "n" of shape [n,2]: one must have an axis Dim("n"); WithInputs declares one that nothing reads`)
	_, err = graph.Compile(graph.Input("y", graph.Float32, n, 2).Sum(2).Add(graph.Fill(graph.Float32, 1, n)), graph.Fill(graph.Float32, 1, n, 2))
	require.EqualError(t, err, here2(-1)+": sum: axis 2 is outside rank 2: allowed are -2 to 1") // only: the input is behind the mistake
}

// here2 is here for a line before or after.
func here2(offset int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+offset)
}

func TestWithoutBroadcast(t *testing.T) {
	x, y := f32("x", 2, 3), f32("y", 3)
	sum, at := x.Mul(2).Add(x.Scalar(1)).Add(y), here()
	_, err := graph.Compile(sum.Neg(), graph.WithoutBroadcast())
	require.EqualError(t, err, at+": add: an operand of shape [3] would broadcast to [2,3], and WithoutBroadcast is set: BroadcastTo that shape")
	_, err = graph.Compile(x.Mul(2).Add(y.BroadcastTo(2, 3)).Clip(0, 1), graph.WithoutBroadcast())
	require.NoError(t, err)
	_, err = graph.Compile(sum)
	require.NoError(t, err)
	_, err = graph.Compile(x.Add(graph.Ones(graph.Float32, 1, 3)), graph.WithoutBroadcast())
	require.ErrorContains(t, err, "add: an operand of shape [1,3] would broadcast to [2,3]")
	z := f32("z", graph.Dim("n"), 4)
	_, err = graph.Compile(z.Softmax(-1), z.Standardize(1e-5, 0), z.LogSumExp(1), z.Std(0), z.L2Normalize(1e-9, 1), graph.WithoutBroadcast())
	require.NoError(t, err) // axes that a reduction kept may repeat
	one := f32("one", 2, 1)
	for range 200 {
		one = one.Add(one)
	}
	_, err = graph.Compile(one.Mul(x), graph.WithoutBroadcast())
	require.ErrorContains(t, err, "mul: an operand of shape [2,1]")
}

func TestRunErrors(t *testing.T) {
	n := graph.Dim("n")
	x, atX := graph.Input("x", graph.Float32, n, 3), here()
	y, atY := graph.Input("y", graph.Float32, n, n.Mul(graph.Dim("2"))), here()
	sum, atSum := x.Slice("4:").Index(0, 0), here()
	p, err := graph.Compile(sum, y)
	require.NoError(t, err)
	one, err := graph.Compile(sum)
	require.NoError(t, err)

	tensor := func(shape ...int) *graph.Tensor { return graph.New(graph.Float32, shape...) }
	run := here2(18) + ": run: "
	cases := []struct {
		ins  []*graph.Tensor
		want string
	}{
		{nil, here2(13) + ": run: 0 inputs given, the program takes 2: x float32[n,3], y float32[n,2*n]"},
		{[]*graph.Tensor{tensor(6, 3), nil}, run + "input y of " + atY + ": the tensor is nil or zero: make one with Of or New"},
		{[]*graph.Tensor{tensor(6, 3), graph.Of([]float32{1}, 2)}, here() + ": of: shape [2] has 2 elements, data has 1; it is given for input y"},
		{[]*graph.Tensor{{}, tensor(6, 12)}, run + "input x of " + atX + ": the tensor is nil or zero: make one with Of or New"},
		{[]*graph.Tensor{tensor(6, 4), tensor(6, 12)}, run + "input x of " + atX + ": want float32[n,3], got float32[6,4]: axis 1 must be 3"},
		{[]*graph.Tensor{tensor(6), tensor(6, 12)}, run + "input x of " + atX + ": want float32[n,3], got float32[6]: it must have 2 axes"},
		{[]*graph.Tensor{graph.New(graph.Int32, 6, 3), tensor(6, 12)}, run + "input x of " + atX + ": want float32[n,3], got int32[6,3]: give a tensor of float32, or Cast in the graph"},
		{[]*graph.Tensor{tensor(6, 3), tensor(7, 14)}, run + "input y of " + atY + ": the size n is 7 in axis 0 of this input and 6 in axis 0 of x: they must be equal"},
		{[]*graph.Tensor{tensor(6, 3), tensor(6, 13)}, run + "input y of " + atY + ": axis 1 is 13 and must be 2*n = 12, where n=6"},
		{[]*graph.Tensor{tensor(3, 3), tensor(3, 6)}, atSum + `: slice: "4:": it begins at index 4 of axis 0, which has 3 elements, where n=3`},
		{[]*graph.Tensor{tensor(4, 3), tensor(4, 8)}, atSum + ": index: axis 0 of shape [0,3] has no elements for index 0: leave out empty arrays, or lengthen the axis by PadWith, where n=4"},
	}
	for _, c := range cases {
		_, err := p.RunAll(context.Background(), c.ins...)
		require.EqualError(t, err, c.want)
		var e *graph.Error
		require.ErrorAs(t, err, &e)
		require.Error(t, p.RunInto(context.Background(), nil, c.ins...))
	}

	_, err = p.Run(context.Background(), tensor(6, 3), tensor(6, 12))
	require.EqualError(t, err, here2(-1)+": run: the program has 2 outputs: call RunAll")

	ins := []*graph.Tensor{tensor(6, 3)}
	outs := []struct {
		outs []*graph.Tensor
		want string
	}{
		{nil, "run: 0 outputs given, the program has 1: out0 float32[3]"},
		{[]*graph.Tensor{nil}, "run: out0: the tensor is nil or zero: make one with Of or New"},
		{[]*graph.Tensor{tensor(4)}, "run: out0: want float32[3], got float32[4]: RunAll makes tensors that fit"},
		{[]*graph.Tensor{graph.New(graph.Float64, 3)}, "run: out0: want float32[3], got float64[3]: RunAll makes tensors that fit"},
	}
	for range 2 { // before and after the first run
		for _, c := range outs {
			err := one.RunInto(context.Background(), c.outs, ins...)
			require.EqualError(t, err, here2(-1)+": "+c.want)
		}
		require.NoError(t, one.RunInto(context.Background(), []*graph.Tensor{tensor(3)}, ins...))
	}
	flipped := tensor(3).Flip()
	require.NoError(t, flipped.Err())
	err = one.RunInto(context.Background(), []*graph.Tensor{flipped}, ins...)
	require.EqualError(t, err, here2(-1)+": run: out0: the tensor given for it has strides [-1]: it must be row-major")

	failed, atFailed := graph.Of([]float32{1}, 2), here()
	err = one.RunInto(context.Background(), []*graph.Tensor{failed}, ins...)
	require.EqualError(t, err, atFailed+": of: shape [2] has 2 elements, data has 1; it is given for out0")
}

func TestSlicesThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		spec string
		size int
		want string
	}{
		{"4:", 3, "it begins at index 4 of axis 0, which has 3 elements"},
		{"-4:", 3, "it begins at index -1 of axis 0, which has 3 elements"},
		{":5", 3, "its 5 elements from index 0 by steps of 1 go beyond axis 0, which has 3"},
		{"1:9:3", 6, "its 3 elements from index 1 by steps of 3 go beyond axis 0, which has 6"},
		{"1:-1", 1, "it ends before index 1, where it begins: axis 0 has 1 elements"},
		{"3:-4:-1", 9, "it ends after index 3, where it begins: axis 0 has 9 elements"},
		{"5::-1", 5, "it begins at index 5 of axis 0, which has 5 elements"},
	} {
		x := f32("x", graph.Dim("n")).Slice(c.spec)
		p, err := graph.Compile(x)
		require.NoError(t, err)
		_, err = p.Run(context.Background(), graph.New(graph.Float32, c.size))
		require.EqualError(t, err, fmt.Sprintf("%s: slice: %q: %s, where n=%d", here2(-4), c.spec, c.want, c.size), c.spec)
	}
}

func TestRunOutOfMemory(t *testing.T) {
	n := graph.Dim("n")
	x := f32("x", n)
	p, err := graph.Compile(x.Reshape(n, 1).Add(x))
	require.NoError(t, err)
	// A million zeros with stride 0: n*n elements would be 4 TB.
	wide := graph.New(graph.Float32, 1).Expand(1_000_000)
	require.NoError(t, wide.Err())
	want := "run: 4000000000000 bytes for outputs and 0 for temporaries, which Explain names: 4000000000000 bytes (3.6 TiB) asked"
	if math.MaxInt == math.MaxInt32 {
		want = "shape [1000000 1000000]: the product of its extents passes 2147483647"
	}
	_, err = p.Run(context.Background(), wide)
	require.ErrorContains(t, err, want)
	var e *graph.Error
	require.ErrorAs(t, err, &e)
	require.Contains(t, e.Pos.String(), "errors_test.go:")
	wide = graph.New(graph.Float32, 1).Expand(math.MaxInt / 8)
	require.NoError(t, wide.Err())
	_, err = p.Run(context.Background(), wide)
	require.ErrorContains(t, err, fmt.Sprintf("passes %d, the greatest int, where n=%d", math.MaxInt, math.MaxInt/8))
}

func TestCancelled(t *testing.T) {
	p, err := graph.Compile(f32("x", 2).Neg(), graph.WithName("net"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	x := graph.New(graph.Float32, 2)
	call, err := p.Bind([]*graph.Tensor{graph.New(graph.Float32, 2)}, x)
	require.NoError(t, err)
	cancel()
	late, cancel := context.WithTimeout(context.Background(), -1)
	defer cancel()
	for _, run := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := p.Run(ctx, x); return err },
		func(ctx context.Context) error {
			return p.RunInto(ctx, []*graph.Tensor{graph.New(graph.Float32, 2)}, x)
		},
		call.Run,
		func(ctx context.Context) error { return p.Prepare(ctx, nil) },
	} {
		for _, ctx := range []context.Context{ctx, late} {
			err := run(ctx)
			require.ErrorIs(t, err, ctx.Err())
			require.Regexp(t, `^errors_test\.go:\d+: run net: `+ctx.Err().Error()+"$", err.Error())
		}
	}
}

func TestBadRepresentatives(t *testing.T) {
	// Only large sizes fit, and only with m < n.
	n, m := graph.Dim("n"), graph.Dim("m")
	x, y := f32("x", n), f32("y", m)
	p, err := graph.Compile(x.Slice("20000:"), y, f32("z", graph.Dim("n-m")))
	require.NoError(t, err)
	require.Contains(t, p.Explain(), "for example: n=100019, m=100003")
	_, err = graph.Compile(x, f32("w", graph.Dim("0*n-1")))
	require.Error(t, err)
	// Only 40 to 100 fit, and at both ends some array is empty.
	p, err = graph.Compile(x.Slice("40:"), f32("rest", graph.Dim("100-n")))
	require.NoError(t, err)
	require.Contains(t, p.Explain(), "for example: n=99")
}

// TestNoExampleSizes compiles a program that no example sizes fit, and runs it for sizes that fit and sizes that don't.
func TestNoExampleSizes(t *testing.T) {
	const none = "no example sizes were found that the graph fits: run the program, then this tells of the run"
	n := graph.Dim("n")
	x, rest := f32("x", n), f32("rest", graph.Dim("500-n"))
	y, at := x.Slice("400:").Neg(), here()
	t.Setenv(graph.DumpEnv, t.TempDir())
	p, err := graph.Compile(y, rest)
	require.NoError(t, err)
	require.Contains(t, p.Explain(), none)
	require.Contains(t, p.Explain(), "in      x float32[n]")
	require.Empty(t, p.Kernels())
	require.Empty(t, p.Ledger())
	require.Zero(t, p.Copies())
	for _, stage := range append(graph.Stages(), "") {
		var text strings.Builder
		require.NoError(t, p.Dump(&text, stage))
		require.Equal(t, stage != "graph", strings.Contains(text.String(), "// "+none+"\n"), stage)
		require.Equal(t, stage == "graph" || stage == "", strings.Contains(text.String(), "func program("), stage)
	}

	tensor := func(n int) *graph.Tensor { return graph.New(graph.Float32, n) }
	_, err = p.RunAll(context.Background(), tensor(399), tensor(101))
	require.ErrorContains(t, err, at+": slice: ")
	require.ErrorContains(t, err, ", where n=399")
	require.Contains(t, p.Explain(), none)

	_, err = p.RunAll(context.Background(), tensor(450), tensor(50))
	require.NoError(t, err)
	require.Contains(t, p.Explain(), "of the last run: n=450")
	require.Len(t, p.Kernels(), 2)
	var text strings.Builder
	require.NoError(t, p.Dump(&text, "plan"))
	require.NotContains(t, text.String(), none)
}
