package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func TestAxisNames(t *testing.T) {
	h, w := graph.Dim("h"), graph.Dim("w")
	img := graph.Input("img", graph.Float32, graph.Axis("row", h), graph.Axis("col", w), graph.Axis("chan", 3))
	mean := graph.Input("mean", graph.Float32, graph.Axis("chan", 3))
	plain := f32("plain", h, w, 3)
	cases := []struct {
		node graph.Node
		want string
	}{
		{img, "img: float32[row=h,col=w,chan=3]"},
		{img.Sub(mean), "sub: float32[row=h,col=w,chan=3]"},
		{mean.Add(img), "add: float32[row=h,col=w,chan=3]"},
		{plain.Add(img).Neg(), "neg: float32[row=h,col=w,chan=3]"},
		{plain.Add(mean), "add: float32[h,w,chan=3]"},
		{graph.Where(img.Gt(0), img, 0), "where: float32[row=h,col=w,chan=3]"},
		{img.T(), "permute: float32[chan=3,col=w,row=h]"},
		{img.Permute("chan", "row", "col"), "permute: float32[chan=3,row=h,col=w]"},
		{img.Permute([]string{"chan", "row", "col"}), "permute: float32[chan=3,row=h,col=w]"},
		{img.SwapAxes("row", "col"), "permute: float32[col=w,row=h,chan=3]"},
		{img.MoveAxis("chan", 0), "permute: float32[chan=3,row=h,col=w]"},
		{img.Flip("col"), "flip: float32[row=h,col=w,chan=3]"},
		{img.Slice("1:, 0"), "index: float32[row=h-1,chan=3]"},
		{img.SliceAxis("chan", 0, 2, 1), "slice: float32[row=h,col=w,chan=2]"},
		{img.Index("chan", 1), "index: float32[row=h,col=w]"},
		{mean.BroadcastTo(h, w, 3), "expand: float32[h,w,chan=3]"},
		{img.Unsqueeze(0, -1), "unsqueeze: float32[1,row=h,col=w,chan=3,1]"},
		{img.Unsqueeze(0, -1).Squeeze(0), "squeeze: float32[row=h,col=w,chan=3,1]"},
		{img.Slice("..., None"), "unsqueeze: float32[row=h,col=w,chan=3,1]"},
		{img.Reshape(h, -1), "reshape: float32[h,3*w]"},
		{img.Reshape(img.Shape()), "img: float32[row=h,col=w,chan=3]"},
		{f32("k", 4, 4, 3).WithAxes("a", "b", "c").Diagonal(0, "a", "b"), "diagonal: float32[c=3,4]"},
		{img.WithAxes("", "", ""), "img: float32[h,w,3]"},
		{img.WithAxes("y", "", ""), "img: float32[y=h,w,3]"},
	}
	for _, c := range cases {
		require.Equal(t, c.want, c.node.String())
	}
	require.Equal(t, []string{"row", "col", "chan"}, img.AxisNames())
	require.Equal(t, []string{"", "", ""}, plain.AxisNames())
	k, err := img.AxisIndex("chan")
	require.NoError(t, err)
	require.Equal(t, 2, k)
	_, err = img.AxisIndex("depth")
	require.EqualError(t, err, `no axis of float32[row=h,col=w,chan=3] is named "depth"`)

	// Naming makes no new value: an input stays one input.
	p, err := graph.Compile(img.Add(img.WithAxes("", "", "")), img.WithAxes("y", "x", "c"))
	require.NoError(t, err)
	require.Len(t, p.Inputs(), 1)
	require.Equal(t, "img float32[row=h,col=w,chan=3]", p.Inputs()[0].String())
	require.Equal(t, "out1 float32[y=h,x=w,c=3]", p.Outputs()[1].String())
}
