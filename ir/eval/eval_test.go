package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// count returns an int32 array of 0, 1, 2, ...
func count(shape ...int) eval.Array {
	n, _ := layout.NumElems(shape)
	a := eval.Array{DType: ir.Int32, Shape: shape, Data: make([]uint64, n)}
	for i := range a.Data {
		a.Data[i] = uint64(i)
	}
	return a
}

// TestEvalViews checks views of 0, 1, 2, ... against values written by hand.
func TestEvalViews(t *testing.T) {
	cases := []struct {
		in    string
		shape []int
		line  string
		out   string
		want  []uint64
	}{
		{"2,3", []int{2, 3}, "reshape %x", "3,2", []uint64{0, 1, 2, 3, 4, 5}},
		{"2,3", []int{2, 3}, "permute %x axes=[1,0]", "3,2", []uint64{0, 3, 1, 4, 2, 5}},
		{"2,3", []int{2, 3}, "flip %x axes=[1]", "2,3", []uint64{2, 1, 0, 5, 4, 3}},
		{"2,3", []int{2, 3}, "flip %x axes=[]", "2,3", []uint64{0, 1, 2, 3, 4, 5}},
		{"7", []int{7}, "slice %x axis=0 begin=1 step=2", "3", []uint64{1, 3, 5}},
		{"7", []int{7}, "slice %x axis=0 begin=6 step=-3", "3", []uint64{6, 3, 0}},
		{"7", []int{7}, "slice %x axis=0 begin=-1 step=-1", "0", nil},
		{"2,3", []int{2, 3}, "slice %x axis=1 begin=2 step=-2", "2,2", []uint64{2, 0, 5, 3}},
		{"2,3", []int{2, 3}, "index %x axis=1 at=2", "2", []uint64{2, 5}},
		{"2,1", []int{2, 1}, "expand %x", "2,2,3", []uint64{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}},
		{"", []int{}, "expand %x", "2", []uint64{0, 0}},
		{"3,3", []int{3, 3}, "diagonal %x axes=[0,1] k=0", "3", []uint64{0, 4, 8}},
		{"3,3", []int{3, 3}, "diagonal %x axes=[0,1] k=1", "2", []uint64{1, 5}},
		{"3,3", []int{3, 3}, "diagonal %x axes=[0,1] k=-2", "1", []uint64{6}},
		{"3,3", []int{3, 3}, "diagonal %x axes=[1,0] k=1", "2", []uint64{3, 7}},
		{"3,3", []int{3, 3}, "diagonal %x axes=[0,1] k=5", "0", nil},
		{"2,2,2", []int{2, 2, 2}, "diagonal %x axes=[0,2] k=0", "2,2", []uint64{0, 5, 2, 7}},
		{"1,3,1", []int{1, 3, 1}, "squeeze %x axes=[0]", "3,1", []uint64{0, 1, 2}},
		{"1,3,1", []int{1, 3, 1}, "squeeze %x axes=[]", "1,3,1", []uint64{0, 1, 2}},
		{"3", []int{3}, "unsqueeze %x axes=[2,0]", "1,3,1", []uint64{0, 1, 2}},
		{"2,3", []int{2, 3}, "access %x {3,2}:{-1,3}+2", "6", []uint64{2, 5, 1, 4, 0, 3}},
		{"2,3", []int{2, 3}, "access %x {2}:{0}+4", "2", []uint64{4, 4}},
		{"0,3", []int{0, 3}, "permute %x axes=[1,0]", "3,0", nil},
	}
	for _, c := range cases {
		text := "func f(%x: i32[" + c.in + "]) {\n%0 = " + c.line + " : i32[" + c.out + "]\nreturn %0\n}"
		f, err := ir.Parse(text)
		require.NoError(t, err, text)
		got, err := eval.Eval(f, []eval.Array{count(c.shape...)})
		require.NoError(t, err, text)
		require.Equal(t, c.want, got[0].Data, text)
		shape, _ := f.Body[0].Type.Shape.Ints()
		require.Equal(t, shape, got[0].Shape)
	}
}

// TestEvalGraph checks broadcasting, a shared value, a stack of views and an
// access of a param that has a layout of its own.
func TestEvalGraph(t *testing.T) {
	f, err := ir.Parse(`func f(%x: i32[2,3], %y: i32[3] {3}:{-2}+4, %c: bool[2,1]) {
  %0 = add %x, %y               : i32[2,3]
  %1 = mul %0, %0               : i32[2,3]
  %2 = permute %1 axes=[1,0]    : i32[3,2]
  %3 = flip %2 axes=[0]         : i32[3,2]
  %4 = reshape %3               : i32[6]
  %5 = select %c, %x, %y        : i32[2,3]
  %6 = access %y {3}:{2}+0      : i32[3]
  %7 = const -2                 : i32[]
  %8 = shr %7, %6               : i32[3]
  return %4, %5, %6, %8
}`)
	require.NoError(t, err)
	y := eval.Array{DType: ir.Int32, Shape: []int{3}, Data: []uint64{10, 20, 30}}
	c := eval.Array{DType: ir.Bool, Shape: []int{2, 1}, Data: []uint64{1, 0}}
	out, err := eval.Eval(f, []eval.Array{count(2, 3), y, c})
	require.NoError(t, err)
	// x+y is 10 21 32 / 13 24 35.
	require.Equal(t, []uint64{32 * 32, 35 * 35, 21 * 21, 24 * 24, 100, 169}, out[0].Data)
	require.Equal(t, []uint64{0, 1, 2, 10, 20, 30}, out[1].Data)
	require.Equal(t, []uint64{30, 20, 10}, out[2].Data)
	minus1 := ^uint64(0)
	require.Equal(t, []uint64{minus1, minus1, minus1}, out[3].Data)
}

func TestEvalErrors(t *testing.T) {
	f, err := ir.Parse("func f(%x: i32[n]) {\n%0 = neg %x : i32[n]\nreturn %0\n}")
	require.NoError(t, err)
	_, err = eval.Eval(f, nil)
	require.ErrorContains(t, err, "0 inputs for 1 params")
	_, err = eval.Eval(f, []eval.Array{count(3)})
	require.ErrorContains(t, err, "input x is i32[3], not i32[n]")
	bound, err := f.Bind(map[string]int{"n": 3})
	require.NoError(t, err)
	out, err := eval.Eval(bound, []eval.Array{count(3)})
	require.NoError(t, err)
	require.Equal(t, []uint64{0, ^uint64(0), ^uint64(1)}, out[0].Data)
	_, err = f.Bind(map[string]int{"n": -1})
	require.ErrorContains(t, err, "input x: ")
}
