package nest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestEvalStructs checks the evaluator on a program that no text was read for.
func TestEvalStructs(t *testing.T) {
	k, err := kernel.ParseCode("kernel (u0:i32, s1:i32) { t0 = add u0 s1; store t0 }")
	require.NoError(t, err)
	p := &nest.Program{
		Name: "add",
		Buffers: []plan.Buffer{
			{Kind: plan.ParamBuffer, DType: ir.Int32, Shape: []int{3, 4}, Name: "x"},
			{Kind: plan.ResultBuffer, DType: ir.Int32, Shape: []int{3, 4}, Name: "y"},
		},
		Tasks: []nest.Task{{
			Slots: []nest.Slot{nest.Buffer(0, ir.Int32), nest.Buffer(1, ir.Int32), {Kind: nest.Table, DType: ir.Int32, Elems: 4, Bits: 10}},
			Parts: []nest.Nest{{
				Loops: []nest.Loop{{Extent: nest.Fixed(3), Tile: 2}},
				Items: []nest.Item{{Call: &nest.Call{Kernel: k, Rows: nest.Of(0), Cols: nest.Fixed(4), Args: []nest.Arg{
					{Slot: 0, Strides: []int{8}, Step: 4},
					{Slot: 2, Strides: []int{0}},
					{Slot: 1, Strides: []int{8}, Step: 4},
				}}}},
			}},
		}},
	}
	in := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	want := []uint64{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}
	for _, options := range [][]nest.Option{nil, {nest.Shuffled(1)}, {nest.Shuffled(2)}} {
		got, err := nest.Eval(p, [][]uint64{in}, options...)
		require.NoError(t, err)
		require.Equal(t, [][]uint64{want}, got)
	}
	p.Tasks[0].Parts[0].Items[0].Call.Args[2].Offset = 1
	_, err = nest.Eval(p, [][]uint64{in})
	require.EqualError(t, err, "task 0: part 0, item 0, call of kernel (u0:i32, s1:i32) { t0 = add u0 s1; store t0 }, iteration [1]: argument 2: bytes 36 to 52 are outside slot 1, which has 48")
}
