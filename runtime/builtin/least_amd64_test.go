//go:build amd64 && !purego

package builtin_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Programs of one operation with the kernels of a build that has assembly and cannot run it: the Go loops of this package,
// and the definitions of the other kernels. Package runtime/builtin/portable is not linked here.

// leastShapes are the operands of one operation, and the axis along which it works: lines of few elements, of one chunk, of
// several, and of enough for several workers, along the last axis and along another.
var leastShapes = []struct {
	shape []int
	axis  int
}{
	{[]int{1}, 0}, {[]int{7}, 0}, {[]int{1000}, 0}, {[]int{2048}, 0}, {[]int{5000}, 0}, {[]int{20000}, 0},
	{[]int{3, 1}, 1}, {[]int{40, 5}, 1}, {[]int{2, 100}, 1}, {[]int{40, 100}, 1}, {[]int{3, 2049}, 1}, {[]int{40, 2049}, 1},
	{[]int{1, 3}, 0}, {[]int{5, 40}, 0}, {[]int{100, 2}, 0}, {[]int{100, 40}, 0}, {[]int{2049, 3}, 0}, {[]int{2, 5000, 2}, 1},
}

// leastRun is how many elements are computed at most: definitions take long. Lines may have more.
const (
	leastRun      = 16
	leastRunLines = 6200
)

// TestLeastEngine compiles each operation of the table on each type for those kernels, runs it, and requires the bits of the
// best engine.
func TestLeastEngine(t *testing.T) {
	count, made := 0, map[string]*graph.Tensor{}
	for _, op := range ir.Ops() {
		if info := op.Info(); info.Kind == ir.Source || info.Internal {
			continue
		}
		built := 0
		for _, d := range op.Info().Domain.List() {
			for _, s := range leastShapes {
				if op.IsElementwise() && len(s.shape) > 1 {
					continue // it is a loop along one axis, whatever the shape
				}
				for _, f := range single(op, d, s.shape, s.axis) {
					least, err := graph.CompileFunc(f, graph.WithDebug(graph.Portable), graph.WithWorkers(4))
					require.NoError(t, err, "%s", f)
					built++
					if n := graph.Zeros(d, s.shape...).Size(); n <= leastRun || n <= leastRunLines && !op.IsElementwise() && op.Info().Kind != ir.View {
						requireSame(t, f, least, made)
					}
				}
			}
		}
		require.Positive(t, built, op)
		count += built
	}
	t.Logf("%d programs", count)
}

// single returns the functions of one operation on a type, or none where the shape has no such operation: of scans also the
// exclusive ones, of functions also the fast ones.
func single(op ir.Op, d ir.DType, shape []int, axis int) (out []*ir.Func) {
	for _, to := range results(op) {
		for _, other := range []bool{false, true}[:1+boolInt(op.Info().Kind == ir.Scan || op.Info().Fast.Has(d))] {
			f := &ir.Func{Name: "single", Fast: other && op.IsElementwise()}
			var args []*ir.Value
			for i := range max(op.Info().Arity, 1+boolInt(op.Info().More)) {
				args = append(args, f.Param(fmt.Sprintf("x%d", i), operandType(op, i, d, shape, axis), nil))
			}
			v, err := f.Add(op, attrOf(op, args[0], axis, to, other), ir.Pos{}, args...)
			if err != nil {
				continue
			}
			f.Results = []*ir.Value{v}
			out = append(out, f)
		}
	}
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// results returns the types that an op can give, Invalid if the operands determine it.
func results(op ir.Op) []ir.DType {
	if op.Info().Result == ir.GivenType {
		return ir.AllTypes.List()
	}
	return []ir.DType{ir.Invalid}
}

// operandType returns the type of operand i of an op on d.
func operandType(op ir.Op, i int, d ir.DType, shape []int, axis int) ir.Type {
	info := op.Info()
	s := slices.Clone(shape)
	switch {
	case op == ir.OpConv: // 2 arrays of 3 channels, and 4 filters of 2 elements along each axis
		if s = slices.Insert(s, 0, 2, 3); i == 1 {
			s = append([]int{4, 3}, slices.Repeat([]int{2}, len(shape))...)
		}
	case i == 0 && info.Mask:
		d = ir.Bool
	case i == 1 && (info.Indexed || info.Ragged):
		d = ir.Int64
	case i == 1 && info.Kind == ir.Contract && len(s) > 1:
		s[len(s)-2], s[len(s)-1] = s[len(s)-1], 5
	}
	return ir.Type{DType: d, Shape: ir.ShapeOf(s...)}
}

// attrOf returns attributes for an op on x.
func attrOf(op ir.Op, x *ir.Value, axis int, to ir.DType, exclusive bool) ir.Attr {
	a := ir.Attr{Axis: axis, DType: to, Exclusive: exclusive, Axes: []int{axis}, Len: x.Type.Shape[axis], Step: 1, Begin: ir.Fixed(0), Size: 1, Dilation: 1}
	last := len(x.Type.Shape) - 1
	switch op {
	case ir.OpConv:
		n := last - 1
		ones, none := slices.Repeat([]int{1}, n), make([]int, n)
		a = ir.Attr{Conv: &ir.Conv{Groups: 1, Strides: ones, Dilations: ones, Before: none, After: none}}
	case ir.OpReshape:
		a.Shape = ir.Shape{x.Type.Shape.NumElems()}
	case ir.OpExpand:
		a.Shape = append(ir.Shape{ir.Fixed(2)}, x.Type.Shape...)
	case ir.OpPermute:
		a.Axes = []int{last}
		for k := range last {
			a.Axes = append(a.Axes, k)
		}
	case ir.OpDiagonal:
		a.Axes = []int{0, last}
	case ir.OpSlice:
		a.Begin, a.Step = x.Type.Shape[axis].Sub(ir.Fixed(1)), -1
	}
	return a
}

// requireSame runs a function on the least engine and on the best one.
func requireSame(t *testing.T, f *ir.Func, least *graph.Program, made map[string]*graph.Tensor) {
	best, err := graph.CompileFunc(f)
	require.NoError(t, err, "%s", f)
	op, axis := f.Results[0].Op.Info(), f.Results[0].Attr.Axis
	var ins []*graph.Tensor
	for i, p := range f.Params {
		key := fmt.Sprint(p.Type, i)
		if i > 0 && (op.Indexed || op.Ragged || op.Name == ir.OpLeaves.String()) {
			key += fmt.Sprint(" axis ", axis, op.Name)
		}
		if made[key] == nil {
			made[key] = elementsOf(t, p.Type, func(k, at, n int) int64 {
				switch {
				case op.Name == ir.OpLeaves.String() && i == 1: // nodes: a feature, a threshold, and itself as child, which makes it a leaf
					return []int64{0, 1 << 30, int64(at / ir.NodeWords)}[at%ir.NodeWords]
				case op.Name == ir.OpLeaves.String() && i == 2:
					return int64(at % max(1, n/ir.NodeWords))
				case i == 1 && op.Ragged:
					return int64(at + boolInt(at == n-1)) // the last row has two elements
				case i == 1 && op.Indexed:
					return int64(at * 7 % n)
				}
				return int64((k*7+i)%11 - 3)
			}, axis)
		}
		ins = append(ins, made[key])
	}
	want, err := best.Run(t.Context(), ins...)
	require.NoError(t, err, "%s", f)
	got, err := least.Run(t.Context(), ins...)
	require.NoError(t, err, "%s", f)
	if !graph.Equal(want, got) {
		t.Fatalf("%s\n%s", f, least.Explain())
	}
}

// elementsOf returns an array of integers, each made of its number, its index along an axis, and how long that is.
func elementsOf(t *testing.T, typ ir.Type, element func(k, at, n int) int64, axis int) *graph.Tensor {
	shape, _ := typ.Shape.Ints()
	total, inner := 1, 1
	for k, n := range shape {
		if total *= n; k > axis {
			inner *= n
		}
	}
	numbers := make([]int64, total)
	for k := range numbers {
		numbers[k] = element(k, k/inner%shape[axis], shape[axis])
	}
	y := graph.Const(graph.Of(numbers, shape...))
	if ir.Stored.Has(typ.DType) {
		y = y.Cast(graph.Float32)
	}
	p, err := graph.Compile(y.Cast(typ.DType))
	require.NoError(t, err)
	x, err := p.Run(t.Context())
	require.NoError(t, err)
	return x
}
