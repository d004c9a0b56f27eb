package onnx

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

func TestMaxUnpool(t *testing.T) {
	x, at := graph.Of([]float32{1, 2, 3, 4}, 1, 1, 2, 2), graph.Of([]int64{5, 7, 13, 15}, 1, 1, 2, 2)
	twos := attrs{"kernel_shape": []int{2, 2}, "strides": []int{2, 2}}
	unpool := func(opset int, a attrs, in []*graph.Tensor, fixed []*graph.Tensor, shape []int, want ...float32) opCase {
		return opCase{op: "MaxUnpool", opset: opset, attrs: a, in: in, fixed: fixed, batch: true, want: graph.Of(want, shape...)}
	}
	checkOps(t,
		unpool(9, twos, tensors(x, at), nil, []int{1, 1, 4, 4}, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4),
		// The indices are those of the given shape.
		unpool(11, twos, tensors(x, at), tensors(int64s(1, 1, 5, 5)), []int{1, 1, 5, 5}, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		unpool(22, attrs{"kernel_shape": []int{3}, "strides": []int{2}, "pads": []int{1, 0}},
			tensors(graph.Of([]float32{8, 9}, 2, 1, 1), graph.Of([]int64{1, 2}, 2, 1, 1)), nil, []int{2, 1, 2}, 0, 8, 9, 0),
	)
	empty := unpool(22, twos, tensors(graph.New(graph.Float32, 0, 1, 2, 2), graph.New(graph.Int64, 0, 1, 2, 2)), nil, nil)
	empty.want = graph.New(graph.Float32, 0, 1, 4, 4)
	checkOps(t, empty)
	one := unpool(22, twos, tensors(x, graph.Of([]int64{5, 7, 13, 16}, 1, 1, 2, 2)), nil, []int{1})
	short := unpool(22, twos, tensors(x, graph.Of([]int64{5, 7}, 1, 1, 1, 2)), nil, []int{1})
	checkOpMistakes(t,
		opMistake{one, "16"},
		opMistake{short, "indices of shape [1,1,1,2] for an operand of shape [1,1,2,2]"},
		opMistake{unpool(22, attrs{"kernel_shape": []int{2}}, tensors(x, at), nil, []int{1}), `windows of size [2] for an operand of 4 axes`},
		opMistake{unpool(22, attrs{"kernel_shape": []int{2, 2}, "strides": []int{0, 1}}, tensors(x, at), nil, []int{1}), "\"strides\" is [0 1]: it must be 1 to"},
		opMistake{unpool(22, attrs{"kernel_shape": []int{2, 2}, "pads": []int{1, 0, 2, 0}}, tensors(x, at), nil, []int{1}), "axis 2 has the extent 2: it is unpooled to 0"},
		opMistake{unpool(22, twos, tensors(counted(2), int64s(0, 1)), nil, []int{1}), "input 0 has the shape [n]"},
		opMistake{unpool(22, twos, tensors(x, at), tensors(int64s(1, 1, -2, -2)), []int{1}), "negative"},
		opMistake{unpool(22, attrs{}, tensors(x, at), nil, []int{1}), `attribute "kernel_shape" is missing`},
		opMistake{unpool(22, twos, tensors(x, at), tensors(int64s(4, 4)), []int{1}), "output_shape has 2 numbers: it must have 4"},
	)
}

// TestUnpoolOfPool checks that pooling what was unpooled gives back what was pooled.
func TestUnpoolOfPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, w := rapid.IntRange(2, 9).Draw(t, "h"), rapid.IntRange(2, 9).Draw(t, "w")
		x := graph.Uniform(graph.Float32, rapid.Uint64().Draw(t, "seed"), 1, 2, 2, 3, h, w)
		windows := attrs{"kernel_shape": []int{2, 2}, "strides": []int{2, rapid.IntRange(1, 2).Draw(t, "stride")}}
		nodes := []*node{
			made("MaxPool", windows, []string{"x"}, "y", "at"),
			made("MaxUnpool", windows, []string{"y", "at", "shape"}, "z"),
			made("MaxPool", windows, []string{"z"}, "again"),
		}
		body := &subgraph{nodes: nodes, outputs: []string{"y", "again"}, constants: map[string]*graph.Tensor{"shape": int64s(2, 3, int64(h), int64(w))},
			inputs: []port{{name: "x", dtype: graph.Float32, dims: []any{2, 3, h, w}}}}
		p, err := compile(&model{words: newVocabulary(), opset: 22, body: body}, newSettings(nil))
		require.NoError(t, err)
		out, err := p.Run(context.Background(), graph.Feeds{"x": x})
		require.NoError(t, err)
		require.True(t, graph.Equal(out["y"], out["again"]))
	})
}

func TestCol2Im(t *testing.T) {
	columns := func(a attrs, x *graph.Tensor, image, block []int64, want *graph.Tensor) opCase {
		return opCase{op: "Col2Im", opset: 18, attrs: a, in: tensors(x), fixed: tensors(graph.Of(image), graph.Of(block)), batch: true, want: want}
	}
	checkOps(t,
		columns(nil, counted(1, 8, 2), []int64{2, 2, 3}, []int64{2, 2, 2}, graph.Of([]float32{1, 5, 4, 5, 13, 8, 9, 21, 12, 13, 29, 16}, 1, 1, 2, 2, 3)),
		columns(nil, graph.New(graph.Int8, 0, 4, 1), []int64{2, 2}, []int64{2, 2}, graph.New(graph.Int8, 0, 1, 2, 2)),
		columns(attrs{"strides": []int{1, 5}}, counted(2, 2, 4), []int64{1, 17}, []int64{1, 2}, graph.Of([]float32{
			1, 5, 0, 0, 0, 2, 6, 0, 0, 0, 3, 7, 0, 0, 0, 4, 8, 9, 13, 0, 0, 0, 10, 14, 0, 0, 0, 11, 15, 0, 0, 0, 12, 16}, 2, 1, 1, 17)),
		columns(attrs{"pads": []int{1, 0, 0, 1}, "dilations": []int{1, 2}}, counted(1, 12, 8), []int64{4, 5}, []int64{2, 3}, graph.Of([]float32{
			28, 30, 44, 46, 60, 32, 34, 48, 50, 64, 36, 38, 52, 54, 68, 31, 32, 39, 40, 47, 124, 126, 140, 142, 156, 128, 130, 144, 146, 160, 132, 134, 148, 150, 164, 79, 80, 87, 88, 95}, 1, 2, 4, 5)),
	)
	x := counted(1, 8, 2)
	checkOpMistakes(t,
		opMistake{columns(nil, x, []int64{2, 3}, []int64{2, 2, 2}, nil), "windows of [2 2 2] for an image of [2 3]"},
		opMistake{columns(nil, x, []int64{2, 2, 4}, []int64{2, 2, 2}, nil), "axis 2 has the extent 2: an image of [2 2 4] has [1,1,3] windows"},
		opMistake{columns(nil, x, []int64{2, 2, 3}, []int64{3, 2, 2}, nil), "axis 1 has the extent 8: it must be a multiple of the [3 2 2] elements of a window"},
		opMistake{columns(attrs{"strides": []int{1, 0, 1}}, x, []int64{2, 2, 3}, []int64{2, 2, 2}, nil), "\"strides\" is [1 0 1]: it must be 1 to"},
		opMistake{columns(attrs{"pads": []int{0, 0, -1, 0, 0, 0}}, x, []int64{2, 2, 3}, []int64{2, 2, 2}, nil), "pads -1 and 0"},
		opMistake{columns(attrs{"dilations": []int{1 << 30, 1, 1}}, x, []int64{2, 2, 3}, []int64{2, 2, 2}, nil), "is [1073741824 1 1]: it must be 1 to"},
		opMistake{columns(nil, counted(8, 2), []int64{2, 2, 3}, []int64{2, 2, 2}, nil), "input 0 has the shape [n,2]"},
	)
}

// TestCol2ImIsAdjoint checks that the sum of the products of any columns with the windows of an
// image is that of the image of these columns with the image.
func TestCol2ImIsAdjoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		tensor := func(name string, shape ...int) *graph.Tensor {
			n := 1
			for _, d := range shape {
				n *= d
			}
			return graph.Of(rapid.SliceOfN(rapid.Int64Range(-9, 9), n, n).Draw(t, name), shape...)
		}
		n := number("axes", 1, 3)
		strides, dilations, pads := make([]int, n), make([]int, n), make([]int, 2*n)
		image, block := make([]int64, n), make([]int64, n)
		axes := make([]imageAxis, n)
		shape, elements, windows := []int{2, 3}, 3, 1
		for k := range axes {
			a := imageAxis{number("extent", 1, 7), number("size", 1, 3), number("stride", 1, 4), number("dilation", 1, 3), number("before", 0, 2), number("after", 0, 2)}
			if a.windows() == 0 {
				a.size = 1
			}
			image[k], block[k], strides[k], dilations[k] = int64(a.extent), int64(a.size), a.stride, a.dilation
			pads[k], pads[n+k] = a.before, a.after
			axes[k], shape, elements, windows = a, append(shape, a.extent), elements*a.size, windows*a.windows()
		}
		columns, picture := tensor("columns", 2, elements, windows), tensor("image", shape...)
		back, err := opCase{
			op: "Col2Im", opset: 18, attrs: attrs{"strides": strides, "dilations": dilations, "pads": pads},
			in: tensors(columns), fixed: tensors(graph.Of(image), graph.Of(block)),
		}.run()
		require.NoError(t, err)
		y := graph.Const(picture).Pad(append([]int{0, 0}, pads[:n]...), append([]int{0, 0}, pads[n:]...), graph.PadConstant)
		for k, a := range axes {
			y = y.Window(2+k, a.size, a.stride, a.dilation)
		}
		order := append(append([]int{0, 1}, from(2+n, 2+2*n)...), from(2, 2+n)...)
		y = y.Permute(order).Reshape(2, elements, windows)
		p, err := graph.Compile(y.Mul(columns).Sum().Eq(graph.Const(back).Mul(picture).Sum()))
		require.NoError(t, err)
		same, err := p.Run(context.Background())
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.ScalarOf(true), same))
	})
}
