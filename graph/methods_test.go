package graph_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// One call of each method and function that computes, for tests over all of them.

// A call calls a method on x, a float32 array of [4,4,4,4] or an array of another type.
type call struct {
	name string
	of   func(x graph.Node) graph.Node
}

// rows are indices of rows, and offsets those of two ragged rows of four.
var (
	rows    = graph.Const(graph.Of([]int64{3, 0, 1, 3}))
	offsets = graph.Of([]int64{0, 1, 4})
)

// spread returns indices along the first axis in the shape of x.
func spread(x graph.Node) graph.Node { return rows.Reshape(4, 1, 1, 1).BroadcastTo(x.Shape()) }

// vector returns four elements of x.
func vector(x graph.Node) graph.Node { return x.Index(0, 0).Index(0, 0).Index(0, 0) }

// table returns x as a matrix of 64 rows.
func table(x graph.Node) graph.Node { return x.Reshape(64, 4) }

// others are calls whose arguments callsOf can't make up.
var others = map[string]func(x graph.Node) graph.Node{
	"At":      func(x graph.Node) graph.Node { return x.At(0, 1, 2, 3) },
	"Bitcast": func(x graph.Node) graph.Node { return x.Bitcast(sameSize(x.DType())) },
	"BatchNorm": func(x graph.Node) graph.Node {
		v := vector(x)
		return x.BatchNorm(1, v, v.Abs(), v, v, 0.5)
	},
	"BinCount":      func(x graph.Node) graph.Node { return x.Abs().BinCount(128) },
	"BroadcastTo":   func(x graph.Node) graph.Node { return x.BroadcastTo(2, 4, 4, 4, 4) },
	"Cast":          func(x graph.Node) graph.Node { return x.Cast(graph.Float64) },
	"CheckIndex":    func(x graph.Node) graph.Node { return x.ClampIndex(4).CheckIndex(4, "") },
	"Chunk":         func(x graph.Node) graph.Node { return x.Chunk(0, 2)[0] },
	"Conv":          func(x graph.Node) graph.Node { return x.Conv(x, graph.ConvOptions{}) },
	"ConvInteger":   func(x graph.Node) graph.Node { return x.ConvInteger(x, nil, nil, graph.ConvOptions{}) },
	"ConvTranspose": func(x graph.Node) graph.Node { return x.ConvTranspose(x, graph.ConvOptions{}) },
	"Convolve":      func(x graph.Node) graph.Node { return vector(x).Convolve(vector(x), graph.OverlapFull) },
	"CopySign":      func(x graph.Node) graph.Node { return x.CopySign(x.Flip(0)) },
	"Cross":         func(x graph.Node) graph.Node { return x.SliceAxis(0, 0, 3, 1).Cross(x.SliceAxis(0, 1, 4, 1), 0) },
	"Corr":          func(x graph.Node) graph.Node { return table(x).Corr(nil) },
	"Cov":           func(x graph.Node) graph.Node { return table(x).Cov(x.Abs().Reshape(-1).Slice(":64")) },
	"Dequantize":    func(x graph.Node) graph.Node { return x.Dequantize(quantized(x.DType())) },
	"Diagonal":      func(x graph.Node) graph.Node { return x.Diagonal(1, 0, 1) },
	"Expand":        func(x graph.Node) graph.Node { return x.Expand(2, 4, 4, 4, 4) },
	"EyeLike":       func(x graph.Node) graph.Node { return x.EyeLike(x.DType(), 0) },
	"GatherND":      func(x graph.Node) graph.Node { return x.GatherND(rows.Reshape(2, 2), 0) },
	"Gradient":      func(x graph.Node) graph.Node { return x.Gradient(0, vector(x)) },
	"GroupNorm":     func(x graph.Node) graph.Node { return x.GroupNorm(2, vector(x), vector(x), 0.5) },
	"Histogram":     func(x graph.Node) graph.Node { return x.Histogram(vector(x)) },
	"InstanceNorm":  func(x graph.Node) graph.Node { return x.InstanceNorm(vector(x), vector(x), 0.5) },
	"Interp":        func(x graph.Node) graph.Node { return x.Interp(vector(x), vector(x)) },
	"IsIn":          func(x graph.Node) graph.Node { return x.IsIn(vector(x)) },
	"Kron":          func(x graph.Node) graph.Node { return x.Kron(vector(x)) },
	"L2Normalize":   func(x graph.Node) graph.Node { return x.L2Normalize(0.5, 1) },
	"LayerNorm":     func(x graph.Node) graph.Node { return x.LayerNorm(vector(x), vector(x), 0.5) },
	"LogAddExp":     func(x graph.Node) graph.Node { return x.LogAddExp(x.Flip(0)) },
	"LpPool":        func(x graph.Node) graph.Node { return x.LpPool(2, graph.PoolOptions{Size: []int{2, 2}}) },
	"MatMulInteger": func(x graph.Node) graph.Node {
		return x.MatMulInteger(x, nil, nil)
	},
	"NanQuantile": func(x graph.Node) graph.Node { return x.NanQuantile(0.4, 1) },
	"NanToNum":    func(x graph.Node) graph.Node { return x.NanToNum(1, 2, nil) },
	"NextAfter":   func(x graph.Node) graph.Node { return x.NextAfter(x.Flip(0)) },
	"OneHot":      func(x graph.Node) graph.Node { return x.OneHot(graph.Bool, 3, 0) },
	"Leaves": func(x graph.Node) graph.Node {
		return x.Leaves(graph.Scalar(x.DType(), 0).BroadcastTo(2, 3), graph.Scalar(x.DType(), 0).BroadcastTo(5))
	},
	"Pad": func(x graph.Node) graph.Node { return x.Pad([]int{1, 0, 0, 0}, []int{0, 0, 0, 1}, graph.PadConstant) },
	"PadWith": func(x graph.Node) graph.Node {
		return x.PadWith([]int{1, 0, 0, 0}, []int{0, 0, 0, 1}, x.At(0, 0, 0, 0))
	},
	"Permute":   func(x graph.Node) graph.Node { return x.Permute(3, 1, 0, 2) },
	"PolyFit":   func(x graph.Node) graph.Node { return vector(x).PolyFit(vector(x.Flip(0)), 2) },
	"PolyVal":   func(x graph.Node) graph.Node { return x.PolyVal(vector(x)) },
	"Rolling":   func(x graph.Node) graph.Node { return x.Rolling(0, 3).Median() },
	"Quantile":  func(x graph.Node) graph.Node { return x.Quantile(0.4, 1) },
	"Quantiles": func(x graph.Node) graph.Node { return x.Quantiles([]float64{0.3, 0.9}, 1) },
	"Quantize":  func(x graph.Node) graph.Node { return x.Quantize(graph.Linear(graph.Int8, 0.25, 1)) },
	"Requantize": func(x graph.Node) graph.Node {
		return x.Requantize(quantized(x.DType()), graph.Linear(graph.Int8, 0.5, 1))
	},
	"Reshape":   func(x graph.Node) graph.Node { return x.Reshape(16, 16) },
	"RMSNorm":   func(x graph.Node) graph.Node { return x.RMSNorm(vector(x), 0.5) },
	"RaggedMax": func(x graph.Node) graph.Node { return x.RaggedMax(offsets) },
	"RaggedMin": func(x graph.Node) graph.Node { return x.RaggedMin(offsets) },
	"RaggedSum": func(x graph.Node) graph.Node { return x.RaggedSum(offsets) },
	"Scatter":   func(x graph.Node) graph.Node { return x.Scatter(0, spread(x), x, graph.ScatterSet) },
	"ScatterND": func(x graph.Node) graph.Node { return x.ScatterND(rows.Reshape(4, 1), x, graph.ScatterSet) },
	"SearchSorted": func(x graph.Node) graph.Node {
		return vector(x).SearchSorted(x, false)
	},
	"SegmentMax":  func(x graph.Node) graph.Node { return x.SegmentMax(rows, 4) },
	"SegmentMin":  func(x graph.Node) graph.Node { return x.SegmentMin(rows, 4) },
	"SegmentSum":  func(x graph.Node) graph.Node { return x.SegmentSum(rows, 4) },
	"Set":         func(x graph.Node) graph.Node { return x.Set("0", x.Index(0, 1)) },
	"Slice":       func(x graph.Node) graph.Node { return x.Slice("::-2,1") },
	"SliceAxis":   func(x graph.Node) graph.Node { return x.SliceAxis(0, 1, 3, 1) },
	"Split":       func(x graph.Node) graph.Node { return x.Split(0, 1, 3)[1] },
	"Squeeze":     func(x graph.Node) graph.Node { return x.SliceAxis(0, 0, 1, 1).Squeeze(0) },
	"Standardize": func(x graph.Node) graph.Node { return x.Standardize(0.5, 1) },
	"Take":        func(x graph.Node) graph.Node { return x.Take(0, rows) },
	"TakeAlong":   func(x graph.Node) graph.Node { return x.TakeAlong(0, spread(x)) },
	"Tensordot":   func(x graph.Node) graph.Node { return x.Tensordot(x, 1) },
	"Tile":        func(x graph.Node) graph.Node { return x.Tile(2) },
	"Trapezoid":   func(x graph.Node) graph.Node { return x.Trapezoid(0, vector(x)) },
	"Window":      func(x graph.Node) graph.Node { return x.Window(0, 2, 1, 1) },
	"WithAxes":    func(x graph.Node) graph.Node { return x.WithAxes("n", "c", "h", "w") },

	"Concat":     func(x graph.Node) graph.Node { return graph.Concat(0, x, x) },
	"ExpAverage": func(x graph.Node) graph.Node { return x.ExpAverage(1, 0.25) },
	"Recurrence": func(x graph.Node) graph.Node { return x.Recurrence(1, x.Flip(0)) },
	"Einsum":     func(x graph.Node) graph.Node { return graph.Einsum("abcd,abed,f->ef", x, x, vector(x)) },
	"Iota":       func(x graph.Node) graph.Node { return graph.Iota(x.DType(), 2) },
	"Lerp":       func(x graph.Node) graph.Node { return graph.Lerp(x, x.Flip(0), x.Flip(1)) },
	"Meshgrid": func(x graph.Node) graph.Node {
		return graph.Meshgrid(vector(x), vector(x))[0]
	},
	"Range":                 func(x graph.Node) graph.Node { return graph.Range(x.DType(), 0, 2, 1) },
	"Scatter by ScatterAdd": func(x graph.Node) graph.Node { return x.Scatter(0, spread(x), x, graph.ScatterAdd) },
	"Scatter by ScatterMax": func(x graph.Node) graph.Node { return x.Scatter(0, spread(x), x, graph.ScatterMax) },
	"Scatter by ScatterMin": func(x graph.Node) graph.Node { return x.Scatter(0, spread(x), x, graph.ScatterMin) },
	"Scatter by ScatterMul": func(x graph.Node) graph.Node { return x.Scatter(0, spread(x), x, graph.ScatterMul) },
	"Stack":                 func(x graph.Node) graph.Node { return graph.Stack(0, x, x) },
	"Where": func(x graph.Node) graph.Node {
		return graph.Where(graph.Const(graph.Of([]bool{true, false, true, true})), x, x.Flip(0))
	},
}

// sameSize returns another type of the size of d.
func sameSize(d graph.DType) graph.DType {
	return map[int]graph.DType{1: graph.Uint8, 2: graph.Int16, 4: graph.Uint32, 8: graph.Int64}[d.Size()]
}

// quantized is a quantization of elements of type d.
func quantized(d graph.DType) graph.Quantization {
	return graph.Quantization{DType: d, Scale: graph.Scalar(graph.Float32, 0.75), Zero: graph.Scalar(d, 1)}
}

// calls returns one call of each method of Node that returns Nodes, and of the functions in others, by name. It leaves
// out methods that describe a node or make constants.
func calls(t *testing.T) []call {
	var list []call
	for name, f := range others {
		list = append(list, call{name, f})
	}
	typ := reflect.TypeFor[graph.Node]()
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		first := m.Type.NumOut() > 0 && (m.Type.Out(0) == typ || m.Type.Out(0) == reflect.TypeFor[graph.Nodes]())
		if others[m.Name] != nil || !first || m.Name == "Scalar" {
			continue
		}
		list = append(list, call{m.Name, func(x graph.Node) graph.Node {
			y := m.Func.Call(madeUp(t, m, x))[0].Interface()
			if all, several := y.(graph.Nodes); several {
				return all[0]
			}
			return y.(graph.Node)
		}})
	}
	slices.SortFunc(list, func(a, b call) int { return strings.Compare(a.name, b.name) })
	return list
}

// takeOperands are the methods, besides the elementwise ones, whose first arguments of type any are operands rather
// than axes.
var takeOperands = []string{"Dot", "HardSigmoid", "LeakyReLU", "MatMul", "Outer", "Rem", "WeightedMean"}

// madeUp returns arguments for a method: views of x for operands, 2 for other numbers and axes, axis 1 for a list of
// axes.
func madeUp(t *testing.T, m reflect.Method, x graph.Node) []reflect.Value {
	op, named := opOf(m.Name)
	operands := named && op.IsElementwise() || slices.Contains(takeOperands, m.Name)
	in := []reflect.Value{reflect.ValueOf(x)}
	for i := 1; i < m.Type.NumIn(); i++ {
		switch p := m.Type.In(i); {
		case p == reflect.TypeFor[[]any]() && i == 1:
			in = append(in, reflect.ValueOf(1))
		case m.Type.IsVariadic() && i == m.Type.NumIn()-1:
		case p == reflect.TypeFor[any]() && operands:
			in = append(in, reflect.ValueOf(x.Flip(i-1)))
		case p == reflect.TypeFor[any](), p == reflect.TypeFor[int]():
			in = append(in, reflect.ValueOf(2))
		case p == reflect.TypeFor[graph.DType]():
			in = append(in, reflect.ValueOf(graph.Int8))
		case p == reflect.TypeFor[graph.PoolOptions]():
			in = append(in, reflect.ValueOf(graph.PoolOptions{Size: []int{2, 2}}))
		case p == reflect.TypeFor[graph.ConvOptions]():
			in = append(in, reflect.ValueOf(graph.ConvOptions{}))
		default:
			require.Fail(t, "no argument", "argument %d of %s: give a call in others", i, m.Name)
		}
	}
	return in
}

// opOf returns the op of the table that a method is named after.
func opOf(method string) (ir.Op, bool) {
	for _, op := range ir.Ops() {
		if strings.EqualFold(op.Method(), method) && !op.Info().Internal {
			return op, true
		}
	}
	return ir.OpInvalid, false
}
