package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// TestDiagonalOfSizes checks that the extent of a diagonal follows from its
// axes, whatever Attr.Len or text says.
func TestDiagonalOfSizes(t *testing.T) {
	n := ir.Sym("n")
	square := ir.Type{DType: F32, Shape: ir.Shape{n, ir.Fixed(2), n}}
	for k, want := range map[int]string{0: "f32[2,n]", 3: "f32[2,n-3]", -3: "f32[2,n-3]"} {
		for _, length := range []ir.Dim{{}, n, ir.Fixed(7)} {
			got, err := ir.Infer(ir.OpDiagonal, ir.Attr{Axes: []int{0, 2}, Step: k, Len: length}, []ir.Type{square})
			require.NoError(t, err)
			require.Equal(t, want, got.String())
		}
	}
	_, err := ir.Infer(ir.OpDiagonal, ir.Attr{Axes: []int{0, 1}, Len: n}, []ir.Type{square})
	require.EqualError(t, err, "the diagonal of symbolic axes n and 2: only k = 0 of equal axes")
	_, err = ir.Parse("func f(%x: f32[n,n]) {\n  %0 = diagonal %x axes=[0,1] k=0 : f32[m]\n  return %0\n}\n")
	require.ErrorContains(t, err, "the type is f32[m], want f32[n], which follows from the operands")

	f := parseFunc(t, "func f(%x: f32[n,n]) {\n  %0 = diagonal %x axes=[0,1] k=3 : f32[n-3]\n  return %0\n}\n")
	for size, want := range map[int]string{5: "f32[2]", 2: "f32[0]"} {
		g, err := f.Bind(map[string]int{"n": size})
		require.NoError(t, err)
		require.Equal(t, want, g.Results[0].Type.String())
	}
}

// TestSqueezeOfNothing: without axes the op drops none, the method on layouts
// all that it can.
func TestSqueezeOfNothing(t *testing.T) {
	f := &ir.Func{}
	x := f.Param("x", ir.Type{DType: F32, Shape: ir.ShapeOf(1, 3)}, nil)
	v, err := f.Add(ir.OpSqueeze, ir.Attr{}, ir.Pos{}, x)
	require.NoError(t, err)
	require.Equal(t, "f32[1,3]", v.Type.String())
	l, err := v.Layout(layout.RowMajor(1, 3))
	require.NoError(t, err)
	require.Equal(t, []int{1, 3}, l.Shape)
	l, err = layout.RowMajor(1, 3).Squeeze()
	require.NoError(t, err)
	require.Equal(t, []int{3}, l.Shape)

	_, err = x.Layout(l)
	require.EqualError(t, err, "param is not a view")
}
