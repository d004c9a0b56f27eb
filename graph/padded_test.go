package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestPaddedWindows compares what windows of padded arrays are made into with its definition:
// blocks of images and of lines, the first and last of which have borders.
func TestPaddedWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, c := rapid.IntRange(1, 3).Draw(t, "images"), rapid.IntRange(1, 3).Draw(t, "channels")
		h, w := rapid.IntRange(3, 30).Draw(t, "lines"), rapid.IntRange(3, 12).Draw(t, "columns")
		d := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float64, graph.Uint8, graph.Float16}).Draw(t, "type")
		in := irtest.Array(t, d, n, c, h, w)
		x := inputLike("x", toTensor(t, in, nil))
		around := func(name string) []int {
			return []int{0, rapid.IntRange(0, 1).Draw(t, name), rapid.IntRange(0, 2).Draw(t, name), rapid.IntRange(0, 2).Draw(t, name)}
		}
		mode := rapid.SampledFrom([]graph.PadMode{graph.PadConstant, graph.PadEdge, graph.PadReflect, graph.PadSymmetric, graph.PadWrap}).Draw(t, "mode")
		before, after := around("before"), around("after")
		if c == 1 && mode == graph.PadReflect {
			before[1], after[1] = 0, 0
		}
		y := x.Pad(before, after, mode)
		size, step, dilation := rapid.IntRange(1, 3).Draw(t, "size"), rapid.IntRange(1, 3).Draw(t, "step"), rapid.IntRange(1, 2).Draw(t, "dilation")
		if (size-1)*dilation >= 3 {
			dilation = 1
		}
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			y = y.Window(2, size, step, dilation).Max(-1)
		case 1:
			y = y.Window(3, size, step, dilation).Window(2, size, 1, 1).Max(-1, -2).Neg()
		case 2:
			l := y.Window(2, size, step, dilation)
			y = l.Index(-1, 0).Maximum(l.Index(-1, -1)).Add(1)
		case 3:
			y = x.MaxPool(graph.PoolOptions{Size: []int{size, 3}, Strides: []int{step, 2}, Before: before[2:], After: after[2:]})
		}
		f, _, err := graph.Define(y)
		require.NoError(t, err)
		checkPrograms(t, f, []eval.Array{in}, nil)
	})
}
