package graph_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// Random programs of images and matrices by the methods that users call. They combine borders, views, joins, channels
// and neighbours, as random graphs of single operations rarely do.

// sceneElems is the most elements of a value in a scene.
const sceneElems = 3000

// randomProgram returns the outputs and the inputs of a program: of a random graph, or of a scene.
func randomProgram(seed int) (outs graph.Nodes, ins map[string]*graph.Tensor) {
	rapid.Custom(func(t *rapid.T) bool {
		if seed%2 > 0 {
			outs, ins = scene(t)
			return true
		}
		f, arrays := irtest.Func(t, irtest.Config{Reductions: true, Products: 12, Layouts: true})
		ins = map[string]*graph.Tensor{}
		for i, p := range f.Params {
			ins[p.Name()] = toTensor(t, arrays[i], p.Attr.At)
		}
		outs = replay(f, func(i int) graph.Node {
			return graph.Input(f.Params[i].Name(), f.Params[i].Type.DType, f.Params[i].Type.Shape)
		})
		return true
	}).Example(seed)
	return outs, ins
}

// scene draws one or two images, values computed from them, and one to three of these as outputs.
func scene(t *rapid.T) (outs graph.Nodes, ins map[string]*graph.Tensor) {
	ins = map[string]*graph.Tensor{}
	var live []graph.Node
	for _, name := range []string{"x", "y"}[:rapid.IntRange(1, 2).Draw(t, "inputs")] {
		var shape []int
		n := 1
		for range rapid.IntRange(1, 4).Draw(t, "rank") {
			shape = append(shape, rapid.SampledFrom([]int{1, 2, 3, 4, 5, 7, 8, 10, 16, 33}).Draw(t, "extent"))
			if last := len(shape) - 1; n*shape[last] > sceneElems {
				shape[last] = 1
			}
			n *= shape[len(shape)-1]
		}
		d := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float32, graph.Uint8, graph.Float64, graph.Int32, graph.Int64, graph.Float16}).Draw(t, "dtype")
		data := make([]float32, n)
		for i := range data {
			data[i] = float32((i*37+len(name))%101)/8 - 3
		}
		p, err := graph.Compile(graph.Const(graph.Of(data, shape...)).Cast(d))
		noError(t, err, nil)
		in, err := p.Run(t.Context())
		noError(t, err, nil)
		ins[name], live = in, append(live, graph.Input(name, d, in.Shape()))
	}
	for range rapid.IntRange(2, 9).Draw(t, "steps") {
		x := live[len(live)-1]
		if rapid.IntRange(0, 3).Draw(t, "earlier") == 0 {
			x = rapid.SampledFrom(live).Draw(t, "operand")
		}
		step := rapid.SampledFrom(sceneSteps).Draw(t, "step")
		if y := step(t, x, rapid.SampledFrom(live).Draw(t, "other")); y.Err() == nil && elemsOf(y) <= sceneElems && y.Rank() < 6 {
			live = append(live, y)
		}
	}
	outs = append(outs, live[len(live)-1])
	for range rapid.IntRange(0, 2).Draw(t, "more outputs") {
		outs = append(outs, rapid.SampledFrom(live).Draw(t, "output"))
	}
	for i := range outs {
		outs[i] = outs[i].Add(0) // an output may be an input
	}
	return outs, ins
}

func elemsOf(x graph.Node) int {
	n := 1
	for _, e := range x.Shape() {
		extent, _ := e.Int()
		n *= extent
	}
	return n
}

// sceneSteps compute a value from x, and maybe y. A step that does not fit gives a Node with an error, which is
// dropped.
var sceneSteps = []func(t *rapid.T, x, y graph.Node) graph.Node{
	func(t *rapid.T, x, _ graph.Node) graph.Node { return border(t, x) },
	func(t *rapid.T, x, _ graph.Node) graph.Node { return border(t, x) },
	func(t *rapid.T, x, _ graph.Node) graph.Node {
		axes := make([]int, x.Rank())
		for i := range axes {
			axes[i] = i
		}
		return x.Permute(rapid.Permutation(axes).Draw(t, "axes"))
	},
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.Flip(axisOf(t, x)) },
	func(t *rapid.T, x, _ graph.Node) graph.Node {
		return x.SliceAxis(axisOf(t, x), rapid.IntRange(0, 3).Draw(t, "begin"), 1000, rapid.IntRange(1, 3).Draw(t, "by"))
	},
	func(t *rapid.T, x, _ graph.Node) graph.Node { // a value and its neighbours
		k := axisOf(t, x)
		before, after := make([]int, x.Rank()), make([]int, x.Rank())
		before[k], after[k] = 1, 1
		wide := x.Pad(before, after, padMode(t))
		return wide.SliceAxis(k, 0, -2, 1).Add(wide.SliceAxis(k, 2, 1000, 1)).Sub(x)
	},
	func(_ *rapid.T, x, _ graph.Node) graph.Node { return x.Mul(3).Add(1) },
	func(_ *rapid.T, x, _ graph.Node) graph.Node { return x.Tanh().Mul(x) },
	func(_ *rapid.T, x, _ graph.Node) graph.Node { return x.Abs().Sqrt() },
	func(_ *rapid.T, x, _ graph.Node) graph.Node { return x.Exp() },
	func(_ *rapid.T, x, y graph.Node) graph.Node { return x.Mul(y) },
	func(_ *rapid.T, x, y graph.Node) graph.Node { return graph.Where(x.Lt(y), x, y.Neg()) },
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.Sub(x.Max(axisOf(t, x), graph.KeepDims)) },
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.Sum(axisOf(t, x), graph.KeepDims) },
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.Mean(axisOf(t, x)) },
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.ArgMax(axisOf(t, x)) },
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.Softmax(axisOf(t, x)) },
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.CumSum(axisOf(t, x)) },
	func(t *rapid.T, x, y graph.Node) graph.Node { return graph.Concat(axisOf(t, x), x, y, x.Neg()) },
	func(t *rapid.T, x, _ graph.Node) graph.Node { return graph.Stack(axisOf(t, x), x, x.Mul(x)) },
	func(_ *rapid.T, x, y graph.Node) graph.Node { return graph.Stack(-1, x, y, x.Add(y)) }, // channels
	func(_ *rapid.T, x, _ graph.Node) graph.Node { return x.Index(-1, 0).Add(x.Index(-1, -1)) },
	func(t *rapid.T, x, _ graph.Node) graph.Node {
		return x.Roll(axisOf(t, x), rapid.IntRange(-3, 3).Draw(t, "shift"))
	},
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.Repeat(axisOf(t, x), 2) },
	func(_ *rapid.T, x, _ graph.Node) graph.Node { return x.Reshape(-1) },
	func(t *rapid.T, x, _ graph.Node) graph.Node {
		return x.Cast(rapid.SampledFrom([]graph.DType{graph.Float32, graph.Uint8, graph.Int32, graph.Int64, graph.Float16}).Draw(t, "to"))
	},
	func(_ *rapid.T, x, _ graph.Node) graph.Node { return x.MatMul(x.SwapAxes(-1, -2)) },
	func(_ *rapid.T, x, y graph.Node) graph.Node { return x.MatMul(y) },
	func(_ *rapid.T, x, _ graph.Node) graph.Node { return x.Set("1:3", 2) },
	func(t *rapid.T, x, _ graph.Node) graph.Node {
		k := axisOf(t, x)
		n, _ := x.Shape()[k].Int()
		return x.Take(k, graph.Iota(graph.Int64, n+2).Rem(max(1, n)))
	},
	func(t *rapid.T, x, _ graph.Node) graph.Node { return x.Window(axisOf(t, x), 2, 1, 1).Sum(-1) },
	func(t *rapid.T, x, _ graph.Node) graph.Node {
		o := graph.ConvOptions{ChannelsLast: rapid.Bool().Draw(t, "channels last"), Before: []int{1, 1}, After: []int{0, 1}}
		axis := 1
		if o.ChannelsLast {
			axis = 3
		}
		if x.Rank() != 4 {
			return x.Neg()
		}
		channels, _ := x.Shape()[axis].Int()
		return x.Conv(graph.Ones(graph.Float32, 3, channels, 2, 2), o)
	},
}

func axisOf(t *rapid.T, x graph.Node) int {
	return rapid.IntRange(0, max(0, x.Rank()-1)).Draw(t, "axis")
}

func padMode(t *rapid.T) graph.PadMode {
	return rapid.SampledFrom([]graph.PadMode{graph.PadConstant, graph.PadConstant, graph.PadEdge, graph.PadReflect, graph.PadWrap}).Draw(t, "mode")
}

// border adds up to two elements around an array, along any axes.
func border(t *rapid.T, x graph.Node) graph.Node {
	widths := rapid.SliceOfN(rapid.IntRange(0, 2), 2*x.Rank(), 2*x.Rank()).Draw(t, "widths")
	return x.Pad(slices.Clone(widths[:x.Rank()]), slices.Clone(widths[x.Rank():]), padMode(t))
}
