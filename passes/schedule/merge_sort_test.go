package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// TestMergeSort compares what schedules compute with the definition of lines: those of a matrix
// along either axis, read backwards and at a distance, of elements few of which differ, all of
// them or the first ones in order, with chunks of one element and more. The parts of a task, and
// their iterations, go in a random order.
func TestMergeSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom(kernel.Sort.Ops()).Draw(t, "op")
		d := rapid.SampledFrom([]ir.DType{ir.Float32, ir.Int64, ir.Uint8, ir.Float64, ir.Int16, ir.Bool}).Draw(t, "type")
		if !d.Native() {
			t.Skip()
		}
		m := tuning.Default(rapid.IntRange(2, 12).Draw(t, "workers"))
		m.SortChunk = rapid.SampledFrom([]int{1, 2, 7, 16}).Draw(t, "chunk")
		m.MergeElems = rapid.IntRange(1, 20).Draw(t, "block")
		n := m.SortChunk + rapid.IntRange(1, 70).Draw(t, "elements")
		first := rapid.OneOf(rapid.Just(n), rapid.IntRange(1, n)).Draw(t, "first")
		s, buffers := lineCase(t, op, d, n, first)
		to := &target{Machine: m, lib: library(anyKernel), buffers: buffers}
		draft, why := draftBy("merge-sort", to, s)
		require.NotNil(t, draft, why)
		sorts := &plan.Plan{Name: "sort", Buffers: buffers, Steps: []plan.Step{*s}}
		p := programOf(sorts, []*Draft{draft})
		again, err := nest.Parse(p.String())
		require.NoError(t, err)
		require.Equal(t, p.String(), again.String())
		x := eval.Array{DType: d, Shape: buffers[0].Shape, Data: make([]uint64, buffers[0].Size())}
		seed := rapid.Uint64().Draw(t, "seed")
		for i := range x.Data {
			x.Data[i] = ir.RefCast(ir.Float64, d, [3]uint64{fewElements[ir.Mix(seed, uint64(i))%uint64(len(fewElements))]})
		}
		require.NoError(t, eval.CheckTranslation(sorts, p, []eval.Array{x}), p)
	})
}

// fewElements are bits of float64.
var fewElements = func() (all []uint64) {
	for _, x := range []float64{0, 1, 2, 3, 4, 5, 6, 7} {
		all = append(all, ir.FromFloat(ir.Float64, x), ir.FromFloat(ir.Float64, -x))
	}
	nan := uint64(0x7ff8) << 48
	return append(all, nan, nan|1<<63)
}()

// lineCase returns a step that orders the first elements of lines of n, and its buffers.
func lineCase(t *rapid.T, op ir.Op, d ir.DType, n, first int) (*plan.Step, []plan.Buffer) {
	k, err := kernel.ParseKernel("kernel (u0:" + d.Text() + ") { store u0 }")
	require.NoError(t, err)
	lines, line := rapid.IntRange(1, 5).Draw(t, "lines"), rapid.IntRange(0, 1).Draw(t, "axis")
	apart, back := rapid.IntRange(1, 3).Draw(t, "apart"), rapid.Bool().Draw(t, "back")
	in, out := plan.Access{Buffer: 0, Strides: []int{1, 1}}, plan.Access{Buffer: 1, Strides: []int{1, 1}}
	if first < n {
		in.Line = n
	}
	in.Strides[line], in.Strides[1-line] = apart, apart*n
	out.Strides[0] = map[int]int{0: lines, 1: first}[line]
	if line == 0 {
		in.Strides[line], in.Strides[1-line] = apart*lines, apart
	}
	if back {
		in.Offset, in.Strides[line] = (n-1)*in.Strides[line], -in.Strides[line]
	}
	s := &plan.Step{Body: k, Axes: []plan.Axis{{Extent: lines}, {Extent: lines}}, In: []plan.Access{in}, Out: []plan.Output{{Access: out, Combine: op}}}
	s.Axes[line] = plan.Axis{Extent: first, Role: plan.Line}
	return s, []plan.Buffer{
		{Kind: plan.ParamBuffer, DType: d, Shape: []int{lines * n * apart}, Name: "x"},
		{Kind: plan.ResultBuffer, DType: ir.LineType(op, d), Shape: []int{s.Axes[0].Extent, s.Axes[1].Extent}, Name: "y"},
	}
}
