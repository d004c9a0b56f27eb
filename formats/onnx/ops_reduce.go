package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Reductions and scans along axes.

// reduction describes an operator whose name begins with Reduce.
type reduction struct {
	name   string
	input  int // first version in which the axes are an input
	types  ir.DTypes
	before func(x graph.Node) graph.Node // applied to each element, or nil
	reduce func(x graph.Node, axes ...any) graph.Node
	after  func(x graph.Node) graph.Node // applied to each result, or nil
	floats bool                          // integers are computed in float64
	ofNone float64                       // the result for no elements, if reduce has none
}

var reductions = slices.Concat(
	reductionRows(
		reduction{name: "ReduceL1", input: 18, types: ir.Numeric, before: graph.Node.Abs, reduce: graph.Node.Sum},
		reduction{name: "ReduceL2", input: 18, types: ir.Numeric, before: graph.Node.Square, reduce: graph.Node.Sum, after: graph.Node.Sqrt, floats: true},
		reduction{name: "ReduceLogSum", input: 18, types: ir.Numeric, reduce: graph.Node.Sum, after: graph.Node.Log, floats: true},
		reduction{name: "ReduceLogSumExp", input: 18, types: ir.Numeric, reduce: graph.Node.LogSumExp, floats: true, ofNone: math.Inf(-1)},
		reduction{name: "ReduceMax", input: 18, types: ir.AllTypes, reduce: greatest, ofNone: math.Inf(-1)},
		reduction{name: "ReduceMean", input: 18, types: ir.Numeric, reduce: graph.Node.Mean, floats: true},
		reduction{name: "ReduceMin", input: 18, types: ir.AllTypes, reduce: least, ofNone: math.Inf(1)},
		reduction{name: "ReduceProd", input: 18, types: ir.Numeric, reduce: graph.Node.Prod},
		reduction{name: "ReduceSum", input: 13, types: ir.Numeric, reduce: graph.Node.Sum},
		reduction{name: "ReduceSumSquare", input: 18, types: ir.Numeric, before: graph.Node.Square, reduce: graph.Node.Sum},
	),
	[]operator{
		{"ArgMax", 1, 11, 1, 1, ir.Numeric, attrs{"axis": 0, "keepdims": 1}, arg(graph.Node.ArgMax)},
		{"ArgMax", 12, latest, 1, 1, ir.Numeric, attrs{"axis": 0, "keepdims": 1, "select_last_index": 0}, arg(graph.Node.ArgMax)},
		{"ArgMin", 1, 11, 1, 1, ir.Numeric, attrs{"axis": 0, "keepdims": 1}, arg(graph.Node.ArgMin)},
		{"ArgMin", 12, latest, 1, 1, ir.Numeric, attrs{"axis": 0, "keepdims": 1, "select_last_index": 0}, arg(graph.Node.ArgMin)},
		{"CumProd", 26, latest, 2, 2, ir.Numeric, attrs{"exclusive": 0, "reverse": 0}, scan(graph.Node.CumProd)},
		{"CumSum", 11, latest, 2, 2, ir.Numeric, attrs{"exclusive": 0, "reverse": 0}, scan(graph.Node.CumSum)},
		{"Hardmax", 1, 12, 1, 1, ir.Floats, attrs{"axis": 1}, hardmax},
		{"Hardmax", 13, latest, 1, 1, ir.Floats, attrs{"axis": -1}, hardmax},
		{"LogSoftmax", 1, 12, 1, 1, ir.Floats, attrs{"axis": 1}, softmax(graph.Node.LogSoftmax)},
		{"LogSoftmax", 13, latest, 1, 1, ir.Floats, attrs{"axis": -1}, softmax(graph.Node.LogSoftmax)},
		{"Softmax", 1, 12, 1, 1, ir.Floats, attrs{"axis": 1}, softmax(graph.Node.Softmax)},
		{"Softmax", 13, latest, 1, 1, ir.Floats, attrs{"axis": -1}, softmax(graph.Node.Softmax)},
	},
)

// reductionRows returns the rows of reductions: with axes as an attribute and with axes as an input.
func reductionRows(all ...reduction) (rows []operator) {
	for _, r := range all {
		rows = append(rows,
			operator{r.name, 1, r.input - 1, 1, 1, r.types, attrs{"axes": unset{[]int{}}, "keepdims": 1}, r.build},
			operator{r.name, r.input, latest, 1, 2, r.types, attrs{"noop_with_empty_axes": 0, "keepdims": 1}, r.build})
	}
	return rows
}

// build reduces along the given axes, or along all if none are given. With noop_with_empty_axes it then reduces each
// element by itself.
func (r reduction) build(c *call) []value {
	x := c.x(0)
	axes, _ := c.axes()
	if len(axes) == 0 && r.noop(c) {
		x, axes = x.Unsqueeze(-1), []int{-1}
		return one(r.of(x, axes, false))
	}
	if len(axes) == 0 {
		axes = from(0, x.Rank())
	}
	return one(r.of(x, axes, c.flag("keepdims")))
}

func (r reduction) noop(c *call) bool { return c.op.since == r.input && c.flag("noop_with_empty_axes") }

// widened returns x in a wider type for operators of several steps, so that intermediate results are not rounded to 16
// bits and sums do not overflow.
func widened(x graph.Node) graph.Node {
	if ir.Floats.Has(x.DType()) && x.DType().Size() < 4 {
		return x.Cast(graph.Float32)
	}
	return x
}

func (r reduction) of(x graph.Node, axes []int, keep bool) graph.Node {
	dt := x.DType()
	if r.floats && !ir.Floats.Has(dt) {
		x = x.Cast(graph.Float64)
	}
	x = widened(x)
	if r.before != nil {
		x = r.before(x)
	}
	args := []any{axes}
	if keep {
		args = append(args, graph.KeepDims)
	}
	y := r.reduceOf(x, args)
	if r.after != nil {
		y = r.after(y)
	}
	return y.Cast(dt)
}

// reduceOf is reduce with a result for no elements.
func (r reduction) reduceOf(x graph.Node, args []any) graph.Node {
	axes := args[0].([]int)
	if len(axes) == 0 { // x is a scalar
		return r.reduce(x.Unsqueeze(0), 0)
	}
	if r.ofNone == 0 || x.DType() == graph.Bool || x.Err() != nil || !product(x.Shape()).Is(0) {
		return r.reduce(x, args...)
	}
	shape := x.Cast(graph.Float32).Sum(args...).Shape()
	if product(shape).Is(0) {
		return graph.Fill(x.DType(), 0, shape)
	}
	return graph.Fill(graph.Float64, r.ofNone, shape).Cast(x.DType())
}

// greatest is Max, and Any for bools.
func greatest(x graph.Node, axes ...any) graph.Node {
	if x.DType() == graph.Bool {
		return x.Any(axes...)
	}
	return x.Max(axes...)
}

func least(x graph.Node, axes ...any) graph.Node {
	if x.DType() == graph.Bool {
		return x.All(axes...)
	}
	return x.Min(axes...)
}

func arg(f func(x graph.Node, args ...any) graph.Node) func(c *call) []value {
	return func(c *call) []value {
		args := []any{c.int("axis")}
		if c.flag("keepdims") {
			args = append(args, graph.KeepDims)
		}
		if c.op.since >= 12 && c.flag("select_last_index") {
			args = append(args, graph.LastIndex)
		}
		return one(f(c.x(0), args...))
	}
}

func scan(f func(x graph.Node, axis any, opts ...graph.ReduceOption) graph.Node) func(c *call) []value {
	return func(c *call) []value {
		var opts []graph.ReduceOption
		if c.flag("exclusive") {
			opts = append(opts, graph.Exclusive)
		}
		if c.flag("reverse") {
			opts = append(opts, graph.Reverse)
		}
		return one(f(c.x(0), c.int1(1), opts...))
	}
}

// softmax works along one axis, or before version 13 along all axes from that axis on.
func softmax(f func(x graph.Node, axis any, more ...any) graph.Node) func(c *call) []value {
	return func(c *call) []value {
		x := c.x(0)
		return one(f(x, c.lines(x.Rank())))
	}
}

// lines returns the axes along which softmax and similar operators work.
func (c *call) lines(rank int) []int {
	axis := c.axis(rank)
	if c.op.since < 13 {
		return from(axis, rank)
	}
	return []int{axis}
}

// hardmax returns 1 at the first greatest element and 0 elsewhere.
func hardmax(c *call) []value {
	x := c.x(0)
	axes := c.lines(x.Rank())
	if c.err != nil {
		return nil
	}
	shape := x.Shape()
	if len(axes) > 1 {
		x = x.Reshape(product(shape[:axes[0]]), product(shape[axes[0]:]))
		axes = []int{1}
	}
	places := alignAt(graph.Iota(graph.Int64, x.Shape()[axes[0]]), axes[0], x.Rank())
	return one(places.Eq(x.ArgMax(axes[0], graph.KeepDims)).Cast(x.DType()).Reshape(shape))
}
