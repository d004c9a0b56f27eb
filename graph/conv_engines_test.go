package graph_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestConvEngines compares convolutions of floats, whose sums are rounded, with their definition: the bits depend
// neither on the engine nor on the number of workers.
func TestConvEngines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var extents, size []int
		axes := rapid.IntRange(1, 3).Draw(t, "axes")
		for range axes {
			extents = append(extents, rapid.IntRange(3, 24/axes).Draw(t, "extent"))
			size = append(size, rapid.IntRange(1, 3).Draw(t, "size"))
		}
		o := drawConv(t, extents, size)
		o.Groups = rapid.IntRange(1, 2).Draw(t, "groups")
		n, c, m := rapid.IntRange(1, 2).Draw(t, "n"), rapid.SampledFrom([]int{1, 2, 5, 33}).Draw(t, "c"), rapid.SampledFrom([]int{1, 2, 3, 5, 8, 33}).Draw(t, "m")
		shape := slices.Concat([]int{n, o.Groups * c}, extents)
		if o.ChannelsLast = rapid.Bool().Draw(t, "channels last"); o.ChannelsLast {
			shape = slices.Concat([]int{n}, extents, []int{o.Groups * c})
		}
		d := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float64, graph.Float16, graph.BFloat16, graph.Fixed16x16}).Draw(t, "type")
		x, w := irtest.Array(t, d, shape...), irtest.Array(t, d, slices.Concat([]int{o.Groups * m, c}, size)...)
		y := inputLike("x", toTensor(t, x, nil)).Conv(inputLike("w", toTensor(t, w, nil)), o)
		ins := []eval.Array{x, w}
		if rapid.Bool().Draw(t, "biased") {
			out, _ := y.Shape().Ints()
			bias, more := irtest.Array(t, d, slices.Concat([]int{o.Groups * m}, slices.Repeat([]int{1}, axes))...), irtest.Array(t, d, out...)
			if o.ChannelsLast {
				bias = irtest.Array(t, d, o.Groups*m)
			}
			ins = append(ins, bias)
			y = y.Add(inputLike("bias", toTensor(t, bias, nil)))
			if rapid.Bool().Draw(t, "more") {
				ins = append(ins, more)
				y = y.Add(inputLike("more", toTensor(t, more, nil)))
			}
			y = y.Maximum(0)
			if rapid.Bool().Draw(t, "pooled") {
				y = pooled(t, y, o.ChannelsLast)
			}
			if rapid.Bool().Draw(t, "padded") {
				around := slices.Concat([]int{0, 0}, slices.Repeat([]int{1}, axes))
				y = y.Pad(around, around, graph.PadConstant)
			}
		}
		f, _, err := graph.Define(y)
		require.NoError(t, err)
		checkPrograms(t, f, ins, nil)
	})
}

// pooled returns poolings of a convolution's result, with its channels first.
func pooled(t *rapid.T, y graph.Node, channelsLast bool) graph.Node {
	axes := y.Rank() - 2
	if channelsLast {
		order := []int{0, axes + 1}
		for k := range axes {
			order = append(order, 1+k)
		}
		y = y.Permute(order)
	}
	extents, _ := y.Shape().Ints()
	var o graph.PoolOptions
	for _, n := range extents[2:] {
		o.Size = append(o.Size, rapid.IntRange(1, min(n, 5)).Draw(t, "pool"))
		o.Strides = append(o.Strides, rapid.IntRange(1, 3).Draw(t, "pool stride"))
		o.Before = append(o.Before, rapid.IntRange(0, o.Size[len(o.Size)-1]-1).Draw(t, "pool before"))
		o.After = append(o.After, rapid.IntRange(0, o.Size[len(o.Size)-1]-1).Draw(t, "pool after"))
	}
	if rapid.Bool().Draw(t, "greatest") {
		return y.MaxPool(o)
	}
	o.CountPadding = true // counting padding needs no tensor of counts
	return y.AvgPool(o)
}

// TestWindowsOfLines multiplies windows of padded lines. The lines of two axes are one axis of the product's step and
// two axes of the padding, and the weights are in panels.
func TestWindowsOfLines(t *testing.T) {
	x := graph.Input("x", graph.Float64, 33, 3, 3, 3)
	padded := graph.Concat(3, x, graph.Fill(graph.Float64, 0).BroadcastTo(33, 3, 3, 1))
	windows := padded.Window(1, 2, 1, 1).Window(3, 2, 1, 1).Permute(1, 2, 3, 0, 4, 5).Reshape(18, 132)
	weights := graph.Const(graph.Arange(graph.Float64, 0, 132*33, 1).Reshape(132, 33))
	sameBits(t, windows.MatMul(weights), graph.Arange(graph.Float64, 0, 33*27, 1).Reshape(33, 3, 3, 3))
}

// TestConvStacked stores a value computed from a convolution with strides.
func TestConvStacked(t *testing.T) {
	x := graph.Input("x", graph.Float32, 1, 16, 40, 40)
	weights := graph.Const(graph.Arange(graph.Float32, -1000, 33*16*9-1000, 1).Reshape(33, 16, 3, 3))
	y := x.Conv(weights, graph.ConvOptions{}).Add(1).Maximum(0)
	sameBits(t, graph.Stack(-1, y, y.Neg()), graph.Arange(graph.Float32, 0, 16*1600, 1).Reshape(1, 16, 40, 40))
}

// TestDepthwise has depthwise convolutions whose kernels compute several rows of windows at a time, followed by ops
// that are common in networks.
func TestDepthwise(t *testing.T) {
	x := graph.Arange(graph.Float32, -2000, 2*4*17*23-2000, 1).Reshape(2, 4, 17, 23)
	for size := 3; size <= 7; size += 2 {
		for _, stride := range []int{1, 2} {
			w := graph.Const(graph.Arange(graph.Float32, -float64(2*size*size), float64(2*size*size), 1).Reshape(4, 1, size, size)).Mul(1e-3)
			pad := []int{size / 2, size / 2}
			y := graph.Input("x", graph.Float32, 2, 4, 17, 23).Conv(w, graph.ConvOptions{Groups: 4, Before: pad, After: pad, Strides: []int{stride, stride}})
			biased := y.Add(graph.Const(graph.Arange(graph.Float32, 0, 4, 1).Reshape(4, 1, 1)))
			for _, z := range []graph.Node{y, biased, biased.Maximum(0), biased.Maximum(0).Minimum(6), biased.Mul(biased.Add(3).Clip(0, 6).Mul(1.0 / 6))} {
				sameBits(t, z, x)
			}
		}
	}
}

// TestDepthwiseOfNarrowTypes asserts that depthwise convolutions of storage types equal those in the compute type,
// rounded once, with and without padding.
func TestDepthwiseOfNarrowTypes(t *testing.T) {
	for _, d := range narrowReals {
		x := graph.Arange(graph.Float32, -2000, 2*4*17*23-2000, 1).Reshape(2, 4, 17, 23)
		w := graph.Const(graph.Arange(graph.Float32, -18, 18, 1).Reshape(4, 1, 3, 3)).Mul(1e-3).Cast(d)
		for _, o := range []graph.ConvOptions{
			{Groups: 4}, {Groups: 4, Strides: []int{2, 2}}, {Groups: 4, Before: []int{1, 1}, After: []int{1, 1}}, {Groups: 4, Dilations: []int{3, 2}},
		} {
			narrow := graph.Input("x", graph.Float32, 2, 4, 17, 23).Mul(1e-3).Cast(d)
			wide := narrow.Cast(d.Compute()).Conv(w.Cast(d.Compute()), o).Cast(d)
			y := narrow.Conv(w, o)
			sameBits(t, y, x)
			sameBits(t, y.Eq(wide).All(), x)
			p, err := graph.Compile(y.Eq(wide).All())
			require.NoError(t, err)
			same, err := p.Run(t.Context(), x)
			require.NoError(t, err)
			at, err := same.At()
			require.NoError(t, err)
			require.Equal(t, true, at, d)
		}
	}
}

// TestResidual has two blocks of a residual network: a convolution reads a value with padding, and a sum or a strided
// convolution reads it without.
func TestResidual(t *testing.T) {
	weights := func(shape ...int) graph.Node {
		n := 1
		for _, e := range shape {
			n *= e
		}
		return graph.Const(graph.Arange(graph.Float32, float64(-n)/2, float64(n)/2, 1).Reshape(shape...)).Mul(1e-4)
	}
	pad := graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}
	halve := graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}, Strides: []int{2, 2}}
	x := graph.Input("x", graph.Float32, 3, 16, 20, 20)
	a := x.Conv(weights(32, 16, 3, 3), pad).Maximum(0)
	b := a.Conv(weights(32, 32, 3, 3), pad).Add(a).Maximum(0)
	c := b.Conv(weights(48, 32, 3, 3), halve).Add(b.Conv(weights(48, 32, 1, 1), graph.ConvOptions{Strides: []int{2, 2}}))
	sameBits(t, c, graph.Arange(graph.Float32, 0, 3*16*400, 1).Reshape(3, 16, 20, 20))
}

// sameBits runs a graph of one input with and without fusion, and on other engines.
func sameBits(t *testing.T, y graph.Node, in *graph.Tensor) {
	var want *graph.Tensor
	for _, way := range []graph.Debug{graph.NoFusion, graph.Verify, graph.Portable, graph.TilingOnly} {
		p, err := graph.Compile(y, graph.WithDebug(way))
		require.NoError(t, err)
		got, err := p.Run(t.Context(), in)
		require.NoError(t, err)
		if want == nil {
			want = got
		}
		require.True(t, graph.Equal(want, got))
	}
}
