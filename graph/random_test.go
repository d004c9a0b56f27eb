package graph_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// TestRandomGraphs builds random graphs through the public methods and compares the results of programs, under every
// option, with the definition.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs := irtest.Func(t, irtest.Config{Reductions: true, Products: 12, Layouts: true})
		checkPrograms(t, f, inputs, nil)
	})
}

// TestRandomSymbolicGraphs is TestRandomGraphs with symbolic sizes.
func TestRandomSymbolicGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs, sizes := irtest.SymbolicFunc(t, irtest.Config{Reductions: true, Products: 12})
		checkPrograms(t, f, inputs, sizes)
	})
}

// TestRandomBatches is TestRandomSymbolicGraphs for plans that are resized.
func TestRandomBatches(t *testing.T) {
	few := ir.SetOf(ir.Float32, ir.Int32, ir.Uint8, ir.Bool)
	rapid.Check(t, func(t *rapid.T) {
		f, inputs, sizes := irtest.SymbolicFunc(t, irtest.Config{Reductions: true, Products: 6, Batch: true, DTypes: few, MaxNodes: 15, MaxElems: 1500})
		checkPrograms(t, f, inputs, sizes)
	})
}

// checkPrograms runs a graph under every option and compares with its definition.
func checkPrograms(t *rapid.T, f *ir.Func, inputs []eval.Array, sizes map[string]int) {
	bound, err := f.Bind(sizes)
	noError(t, err, f)
	want, err := eval.Eval(asMethods(t, bound), inputs)
	noError(t, err, f)
	var tensors []*graph.Tensor
	for i, p := range f.Params {
		tensors = append(tensors, toTensor(t, inputs[i], p.Attr.At))
	}
	capture := rapid.IntRange(-1, len(inputs)-1).Draw(t, "capture")
	outputs := replay(f, func(i int) graph.Node {
		if i == capture && sizes == nil {
			return graph.Const(tensors[i])
		}
		p := f.Params[i]
		return graph.Input(p.Name(), p.Type.DType, p.Type.Shape)
	})
	chunk := graph.ChunkElems(rapid.IntRange(1, 40).Draw(t, "chunk"))
	for _, options := range [][]graph.Item{
		{graph.WithDebug(graph.Verify)}, {graph.WithDebug(graph.NoFusion)}, {graph.WithDebug(graph.Portable)}, {graph.WithDebug(graph.AVX2)}, {graph.WithDebug(graph.TilingOnly)},
		{graph.WithAssembledKernels()}, {graph.WithAssembledKernels(), graph.WithDebug(graph.AVX2)},
		{graph.WithWorkers(1), chunk}, {graph.WithWorkers(2), chunk}, {graph.WithWorkers(3), chunk, graph.WithDebug(graph.TilingOnly)},
	} {
		p, err := graph.Compile(append(options, outputs)...)
		noError(t, err, f)
		var ins []*graph.Tensor
		for _, in := range p.Inputs() {
			k := slices.IndexFunc(f.Params, func(v *ir.Value) bool { return v.Name() == in.Name })
			ins = append(ins, tensors[k])
		}
		outs, err := p.RunAll(context.Background(), ins...)
		noError(t, err, f)
		var got []eval.Array
		for _, out := range outs {
			got = append(got, toArray(t, out))
		}
		if diff := irtest.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%s\n%s", diff, f, p.Explain())
		}
		checkInPlace(t, p, ins, outs)
		poison(outs) // the next options' results begin with these bytes
	}
}

// checkInPlace gives the tensors of inputs for outputs of the same type, and requires the same results as with separate
// outputs.
func checkInPlace(t *rapid.T, p *graph.Program, ins, want []*graph.Tensor) {
	again, outs, given := slices.Clone(ins), make([]*graph.Tensor, len(want)), 0
	for i, x := range ins {
		if again[i] = graph.New(x.DType(), x.Shape()...); x.IsRowMajor() {
			noError(t, graph.Copy(again[i], x), nil)
			continue
		}
		again[i] = x
	}
	free := rapid.Permutation(slices.Clone(again)).Draw(t, "in place")
	for o, w := range want {
		outs[o] = graph.New(w.DType(), w.Shape()...)
		at := slices.IndexFunc(free, func(x *graph.Tensor) bool {
			return x.DType() == w.DType() && slices.Equal(x.Shape(), w.Shape()) && x.IsRowMajor() && !slices.Contains(ins, x)
		})
		if at >= 0 {
			outs[o] = free[at]
			free = slices.Delete(free, at, at+1)
			given++
		}
	}
	if given == 0 {
		return
	}
	noError(t, p.RunInto(context.Background(), outs, again...), nil)
	for o := range want {
		if diff := irtest.Diff([]eval.Array{toArray(t, want[o])}, []eval.Array{toArray(t, outs[o])}); diff != "" {
			t.Fatalf("in place: %s\n%s", diff, p.Explain())
		}
	}
}

// asMethods returns the graph that replay makes from a graph, in which Prod multiplies real numbers in float64.
func asMethods(t *rapid.T, f *ir.Func) *ir.Func {
	out := &ir.Func{Name: f.Name, Params: f.Params}
	at := map[*ir.Value]*ir.Value{}
	for _, p := range f.Params {
		at[p] = p
	}
	add := func(op ir.Op, a ir.Attr, args ...*ir.Value) *ir.Value {
		v, err := out.Add(op, a, ir.Pos{}, args...)
		noError(t, err, f)
		return v
	}
	for _, v := range f.Body {
		c := *v
		c.Args = nil
		for _, a := range v.Args {
			c.Args = append(c.Args, at[a])
		}
		if dt := v.Type.DType; v.Op == ir.OpProd && ir.Reals.Has(dt) && dt != ir.Float64 {
			x := add(ir.OpCast, ir.Attr{DType: ir.Float64}, c.Args[0])
			at[v] = add(ir.OpCast, ir.Attr{DType: dt}, add(ir.OpProd, *v.Attr, x))
			continue
		}
		at[v] = out.Append(c)
	}
	for _, r := range f.Results {
		out.Results = append(out.Results, at[r])
	}
	return out
}

func noError(t *rapid.T, err error, f *ir.Func) {
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
}

// replay builds a Func again by the methods of Node.
func replay(f *ir.Func, param func(i int) graph.Node) graph.Nodes {
	nodes := map[*ir.Value]graph.Node{}
	for i, p := range f.Params {
		nodes[p] = param(i)
	}
	for _, v := range f.Body {
		var args []graph.Node
		for _, a := range v.Args {
			args = append(args, nodes[a])
		}
		nodes[v] = replayOp(v, args)
	}
	var outs graph.Nodes
	for _, r := range f.Results {
		outs = append(outs, nodes[r])
	}
	return outs
}

func replayOp(v *ir.Value, args []graph.Node) graph.Node {
	a := v.Attr
	switch v.Op {
	case ir.OpConst:
		return graph.Scalar(a.DType, goValue(a.DType, a.Bits))
	case ir.OpIota:
		return graph.Iota(a.DType, a.Shape[0])
	case ir.OpCopy:
		return args[0]
	case ir.OpReshape:
		return args[0].Reshape(a.Shape)
	case ir.OpExpand:
		return args[0].BroadcastTo(a.Shape)
	case ir.OpPermute:
		return args[0].Permute(a.Axes)
	case ir.OpSlice:
		return replaySlice(*a, args[0])
	case ir.OpIndex:
		at, _ := a.Begin.Int()
		return args[0].Index(a.Axis, at)
	case ir.OpFlip:
		if len(a.Axes) == 0 {
			return args[0]
		}
		return args[0].Flip(a.Axes)
	case ir.OpDiagonal:
		return args[0].Diagonal(a.Step, a.Axes[0], a.Axes[1])
	case ir.OpWindow:
		return args[0].Window(a.Axis, a.Size, a.Step, a.Dilation)
	case ir.OpConcat:
		return graph.Concat(a.Axis, args...)
	case ir.OpGather:
		return args[0].TakeAlong(a.Axis, args[1])
	case ir.OpGatherAdd:
		return args[0].TakeAlong(a.Axis, args[1]).Sum(a.Axis, graph.KeepDims, graph.InType(v.Type.DType))
	case ir.OpGatherMulAdd:
		return args[0].TakeAlong(a.Axis, args[1]).Mul(args[2]).Sum(a.Axis, graph.KeepDims, graph.InType(v.Type.DType))
	case ir.OpGatherMin:
		return args[0].TakeAlong(a.Axis, args[1]).Min(a.Axis, graph.KeepDims)
	case ir.OpGatherMax:
		return args[0].TakeAlong(a.Axis, args[1]).Max(a.Axis, graph.KeepDims)
	case ir.OpRaggedAdd, ir.OpRaggedMin, ir.OpRaggedMax:
		return replayRagged(v, args[0], args[1])
	case ir.OpRaggedMulAdd:
		return replayRagged(v, args[0].TakeAlong(a.Axis, args[2]).Mul(args[3]), args[1])
	case ir.OpScatter, ir.OpScatterAdd, ir.OpScatterMul, ir.OpScatterMin, ir.OpScatterMax:
		return args[0].Scatter(a.Axis, args[1], args[2], graph.ScatterOp(v.Op-ir.OpScatter))
	case ir.OpSort, ir.OpSortDown, ir.OpArgSort, ir.OpArgSortDown:
		return replaySort(v, args[0])
	case ir.OpSearchSorted, ir.OpSearchSortedRight:
		x, y := args[0].MoveAxis(a.Axis, -1), args[1].MoveAxis(a.Axis, -1)
		return x.SearchSorted(y, v.Op == ir.OpSearchSortedRight).MoveAxis(-1, a.Axis)
	case ir.OpWindowQuantile:
		return graph.WindowQuantile(a.Axis, args[0], args[1])
	case ir.OpNth:
		return graph.Nth(a.Axis, args[0], args[1])
	case ir.OpRecurrence:
		return args[0].Recurrence(a.Axis, args[1])
	case ir.OpSqueeze:
		if len(a.Axes) == 0 {
			return args[0]
		}
		return args[0].Squeeze(a.Axes)
	case ir.OpUnsqueeze:
		return args[0].Unsqueeze(a.Axes)
	case ir.OpCast:
		return args[0].Cast(a.DType)
	case ir.OpBitcast:
		return args[0].Bitcast(a.DType)
	case ir.OpSum, ir.OpProd:
		return methodOf(reflect.ValueOf(args[0]), v.Op).Interface().(func(...any) graph.Node)(a.Axes, graph.InType(v.Type.DType))
	case ir.OpAMin, ir.OpAMax, ir.OpAll, ir.OpAny, ir.OpAllBits, ir.OpAnyBits, ir.OpXorBits:
		return methodOf(reflect.ValueOf(args[0]), v.Op).Interface().(func(...any) graph.Node)(a.Axes)
	case ir.OpArgMin, ir.OpArgMax:
		return methodOf(reflect.ValueOf(args[0]), v.Op).Interface().(func(...any) graph.Node)(a.Axes).Cast(graph.Int32)
	case ir.OpCumSum, ir.OpCumProd, ir.OpCumMin, ir.OpCumMax:
		var opts []graph.ReduceOption
		if a.Exclusive {
			opts = append(opts, graph.Exclusive)
		}
		if v.Op == ir.OpCumSum || v.Op == ir.OpCumProd {
			opts = append(opts, graph.InType(v.Type.DType))
		}
		return methodOf(reflect.ValueOf(args[0]), v.Op).Interface().(func(any, ...graph.ReduceOption) graph.Node)(a.Axis, opts...)
	case ir.OpSelect, ir.OpUnlikely:
		return graph.Where(args[0], args[1], args[2])
	case ir.OpDot:
		return args[0].MatMul(args[1])
	case ir.OpConv:
		return args[0].Conv(args[1], graph.ConvOptions{Strides: a.Conv.Strides, Dilations: a.Conv.Dilations, Before: a.Conv.Before, After: a.Conv.After, Groups: a.Conv.Groups})
	case ir.OpMulHalves, ir.OpDotHalves, ir.OpDotBytes, ir.OpConvHalves, ir.OpHalves:
		return graph.Halves(v.Op, a, args...)
	}
	in := make([]reflect.Value, len(args)-1)
	for i, x := range args[1:] {
		in[i] = reflect.ValueOf(x)
	}
	out := methodOf(reflect.ValueOf(args[0]), v.Op).Call(in)
	return out[0].Interface().(graph.Node)
}

// methodOf returns the method of Node for an op.
func methodOf(x reflect.Value, op ir.Op) reflect.Value {
	for i := range x.NumMethod() {
		if strings.EqualFold(x.Type().Method(i).Name, op.Method()) {
			return x.Method(i)
		}
	}
	return reflect.Value{}
}

// replaySort calls Sort, or TopK for the first elements of lines.
func replaySort(v *ir.Value, x graph.Node) graph.Node {
	a := v.Attr
	if a.Len == v.Args[0].Type.Shape[a.Axis] {
		return methodOf(reflect.ValueOf(x), v.Op).Interface().(func(any) graph.Node)(a.Axis)
	}
	k, _ := a.Len.Int()
	values, places := x.BottomK(a.Axis, k)
	if v.Op == ir.OpSortDown || v.Op == ir.OpArgSortDown {
		values, places = x.TopK(a.Axis, k)
	}
	if v.Op == ir.OpSort || v.Op == ir.OpSortDown {
		return values
	}
	return places
}

// replaySlice calls Slice with the bounds of a slice op.
func replaySlice(a ir.Attr, x graph.Node) graph.Node {
	n, fixed := a.Len.Int()
	begin, fixed2 := a.Begin.Int()
	switch {
	case !fixed2: // reversed, from n-1 on
		return x.SliceAxis(a.Axis, math.MaxInt, math.MinInt, a.Step)
	case !fixed: // without its first elements
		return x.SliceAxis(a.Axis, begin, math.MaxInt, a.Step)
	case n == 0:
		return x.SliceAxis(a.Axis, 0, 0, a.Step)
	}
	end := begin + n*a.Step
	if end < 0 {
		end = math.MinInt
	}
	return x.SliceAxis(a.Axis, begin, end, a.Step)
}

// goValue returns an element as a Go number or bool.
func goValue(dt ir.DType, bits uint64) any {
	switch {
	case ir.Minifloats.Has(dt):
		return float32(ir.ToFloat(dt, bits))
	case ir.Subbytes.Has(dt):
		return int8(bits)
	}
	switch dt {
	case ir.Bool:
		return bits != 0
	case ir.Uint8:
		return uint8(bits)
	case ir.Uint16:
		return uint16(bits)
	case ir.Int8:
		return int8(bits)
	case ir.Int16:
		return int16(bits)
	case ir.Uint64:
		return bits
	case ir.Float16:
		return graph.Half(bits)
	case ir.BFloat16:
		return graph.BFloat(bits)
	case ir.Fixed16x16:
		return graph.Fixed(bits)
	case ir.Int32:
		return int32(bits)
	case ir.Uint32:
		return uint32(bits)
	case ir.Int64:
		return int64(bits)
	case ir.Float32:
		return math.Float32frombits(uint32(bits))
	case ir.Float64:
		return math.Float64frombits(bits)
	}
	panic(dt)
}

// bitsOf is the inverse of goValue.
func bitsOf(v any) uint64 {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case int8:
		return uint64(v)
	case int16:
		return uint64(v)
	case int32:
		return uint64(v)
	case int64:
		return uint64(v)
	case uint8:
		return uint64(v)
	case uint16:
		return uint64(v)
	case uint32:
		return uint64(v)
	case uint64:
		return uint64(v)
	case graph.Half:
		return uint64(v)
	case graph.BFloat:
		return uint64(v)
	case graph.Fixed:
		return uint64(uint32(v))
	case float32:
		return uint64(math.Float32bits(v))
	}
	return math.Float64bits(v.(float64))
}

// toTensor returns the elements as a tensor of a layout, nil for row-major.
func toTensor(t require.TestingT, a eval.Array, at *layout.Layout) *graph.Tensor {
	if dt := a.DType; ir.Stored.Has(dt) {
		a.DType = ir.Uint8
		return place[uint8](t, a, at).Bitcast(dt)
	}
	switch a.DType {
	case ir.Bool:
		return place[bool](t, a, at)
	case ir.Uint8:
		return place[uint8](t, a, at)
	case ir.Uint16:
		return place[uint16](t, a, at)
	case ir.Int8:
		return place[int8](t, a, at)
	case ir.Int16:
		return place[int16](t, a, at)
	case ir.Uint64:
		return place[uint64](t, a, at)
	case ir.Float16:
		return place[graph.Half](t, a, at)
	case ir.BFloat16:
		return place[graph.BFloat](t, a, at)
	case ir.Fixed16x16:
		return place[graph.Fixed](t, a, at)
	case ir.Int32:
		return place[int32](t, a, at)
	case ir.Uint32:
		return place[uint32](t, a, at)
	case ir.Int64:
		return place[int64](t, a, at)
	case ir.Float32:
		return place[float32](t, a, at)
	case ir.Float64:
		return place[float64](t, a, at)
	}
	panic(a.DType)
}

func place[T graph.Element](t require.TestingT, a eval.Array, at *layout.Layout) *graph.Tensor {
	l := layout.RowMajor(a.Shape...)
	if at != nil {
		l = *at
	}
	_, hi := l.Bounds()
	data := make([]T, hi+1)
	i := 0
	for k := range l.All() {
		data[k] = goValue(a.DType, a.Data[i]).(T)
		i++
	}
	return tensor.OfLayout(data, l)
}

// toArray returns a tensor's elements.
func toArray(t require.TestingT, x *graph.Tensor) eval.Array {
	if dt := x.DType(); ir.Stored.Has(dt) {
		a := toArray(t, x.Bitcast(graph.Uint8))
		for i, bits := range a.Data {
			a.Data[i] = ir.Wrap(dt, int64(bits))
		}
		a.DType = dt
		return a
	}
	return eval.Array{DType: x.DType(), Shape: x.Shape(), Data: rawBits(t, x)}
}

// replayRagged combines ragged rows along an axis, with the same offsets along all other axes.
func replayRagged(v *ir.Value, x, offsets graph.Node) graph.Node {
	k := v.Attr.Axis
	for j := x.Rank() - 1; j >= 0; j-- {
		if j != k {
			offsets = offsets.Index(j, 0)
		}
	}
	order := []int{k} // the axis first
	for j := range x.Rank() {
		if j != k {
			order = append(order, j)
		}
	}
	back := make([]int, len(order))
	for i, j := range order {
		back[j] = i
	}
	x = x.Permute(order)
	switch v.Op {
	case ir.OpRaggedMin:
		return x.RaggedMin(offsets).Permute(back)
	case ir.OpRaggedMax:
		return x.RaggedMax(offsets).Permute(back)
	}
	return x.RaggedSum(offsets).Permute(back)
}
