package graph_test

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// grid is an array of integers that the definitions read by index.
type grid struct {
	shape []int
	data  []int32
}

func drawGrid(t *rapid.T, name string, shape ...int) grid {
	n, err := layout.NumElems(shape)
	require.NoError(t, err)
	return grid{shape, rapid.SliceOfN(rapid.Int32Range(-9, 9), n, n).Draw(t, name)}
}

func (g grid) tensor() *graph.Tensor { return graph.Of(g.data, g.shape...) }

// at returns an element, or outside for an index outside the array.
func (g grid) at(outside int32, index ...int) int32 {
	k, err := layout.Ravel(g.shape, index...)
	if err != nil {
		return outside
	}
	return g.data[k]
}

// every calls f with each index of a shape in row-major order.
func every(shape []int, f func(at []int)) {
	n, _ := layout.NumElems(shape)
	for k := range n {
		at, _ := layout.Unravel(shape, k)
		f(at)
	}
}

// drawConv draws the options of a convolution or pooling for given spatial extents and window sizes.
func drawConv(t *rapid.T, extents, size []int) (o graph.ConvOptions) {
	for i := range extents {
		o.Before, o.After = append(o.Before, rapid.IntRange(0, 2).Draw(t, "before")), append(o.After, rapid.IntRange(0, 2).Draw(t, "after"))
		o.Strides = append(o.Strides, rapid.IntRange(1, 3).Draw(t, "stride"))
		most := 3
		if size[i] > 1 {
			most = min(3, (extents[i]+o.Before[i]+o.After[i]-1)/(size[i]-1))
		}
		o.Dilations = append(o.Dilations, rapid.IntRange(1, most).Draw(t, "dilation"))
	}
	return o
}

// windowsOf returns how many windows there are along each axis.
func windowsOf(extents, size []int, o graph.ConvOptions) (out []int) {
	for i, n := range extents {
		out = append(out, (n+o.Before[i]+o.After[i]-1-(size[i]-1)*o.Dilations[i])/o.Strides[i]+1)
	}
	return out
}

// TestConv compares convolutions of one to three axes with their definition, in both channel orders, with groups,
// single channels, strides, dilations and padding.
func TestConv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var extents, size []int
		for range rapid.IntRange(1, 3).Draw(t, "axes") {
			extents = append(extents, rapid.IntRange(3, 6).Draw(t, "extent"))
			size = append(size, rapid.IntRange(1, 3).Draw(t, "size"))
		}
		n, groups := rapid.IntRange(1, 2).Draw(t, "n"), rapid.IntRange(1, 2).Draw(t, "groups")
		c, m := rapid.IntRange(1, 3).Draw(t, "c"), rapid.IntRange(1, 3).Draw(t, "m")
		x := drawGrid(t, "x", append([]int{n, groups * c}, extents...)...)
		w := drawGrid(t, "w", append([]int{groups * m, c}, size...)...)
		o := drawConv(t, extents, size)
		o.Groups = groups
		var want []int32
		shape := append([]int{n, groups * m}, windowsOf(extents, size, o)...)
		every(shape, func(to []int) {
			sum := int32(0)
			every(w.shape[1:], func(at []int) {
				from := []int{to[0], to[1]/m*c + at[0]}
				for i, j := range at[1:] {
					from = append(from, to[2+i]*o.Strides[i]+j*o.Dilations[i]-o.Before[i])
				}
				sum += x.at(0, from...) * w.at(0, append([]int{to[1]}, at...)...)
			})
			want = append(want, sum)
		})
		y := graph.Const(x.tensor()).Conv(w.tensor(), o)
		require.NoError(t, y.Err())
		out := run(t, y)
		require.Equal(t, shape, out.Shape())
		require.Equal(t, want, ints(t, out))

		zero, zeros := rapid.IntRange(-100, 100).Draw(t, "zero"), drawGrid(t, "zeros", append([]int{groups * m}, slices.Repeat([]int{1}, len(size)+1)...)...)
		bytes, weights := graph.Const(x.tensor()).Add(zero).Cast(graph.Int8), graph.Const(w.tensor()).Add(zeros.tensor()).Cast(graph.Int8)
		of := func(bytes graph.Node) graph.Node {
			return bytes.ConvInteger(weights, zero, graph.Const(zeros.tensor()).Cast(graph.Int8), o)
		}
		require.Equal(t, want, ints(t, run(t, of(bytes))))
		o.ChannelsLast = true
		require.Equal(t, want, ints(t, run(t, of(bytes.MoveAxis(1, -1)).MoveAxis(-1, 1))))
		last := run(t, graph.Const(x.tensor()).MoveAxis(1, -1).Conv(w.tensor(), o).MoveAxis(-1, 1))
		require.Equal(t, want, ints(t, last))
	})
}

// TestConvTranspose compares with the definition: each element is added to a window.
func TestConvTranspose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var extents, size []int
		for range rapid.IntRange(1, 2).Draw(t, "axes") {
			extents = append(extents, rapid.IntRange(1, 5).Draw(t, "extent"))
			size = append(size, rapid.IntRange(1, 5).Draw(t, "size"))
		}
		groups, c, m := rapid.IntRange(1, 2).Draw(t, "groups"), rapid.IntRange(1, 3).Draw(t, "c"), rapid.IntRange(1, 2).Draw(t, "m")
		x := drawGrid(t, "x", append([]int{2, groups * c}, extents...)...)
		w := drawGrid(t, "w", append([]int{groups * c, m}, size...)...)
		o := graph.ConvOptions{Groups: groups}
		shape := []int{2, groups * m}
		for i := range extents {
			stride, dilation := rapid.IntRange(1, 5).Draw(t, "stride"), rapid.IntRange(1, 3).Draw(t, "dilation")
			before, after := rapid.IntRange(-1, 2).Draw(t, "before"), rapid.IntRange(0, 2).Draw(t, "after")
			extra := rapid.IntRange(0, 1).Draw(t, "extra")
			o.Strides, o.Dilations, o.Extra = append(o.Strides, stride), append(o.Dilations, dilation), append(o.Extra, extra)
			o.Before, o.After = append(o.Before, before), append(o.After, after)
			shape = append(shape, (extents[i]-1)*stride+(size[i]-1)*dilation+1-before-after+extra)
		}
		if slices.Min(shape) < 1 {
			return
		}
		want := make([]int32, graph.Zeros(graph.Int32, shape...).Size())
		every(x.shape, func(from []int) {
			every(w.shape[1:], func(at []int) {
				group := from[1] / c
				to := []int{from[0], group*m + at[0]}
				for i, j := range at[1:] {
					to = append(to, from[2+i]*o.Strides[i]+j*o.Dilations[i]-o.Before[i])
				}
				if k, err := layout.Ravel(shape, to...); err == nil {
					want[k] += x.at(0, from...) * w.at(0, append([]int{from[1]}, at...)...)
				}
			})
		})
		y := graph.Const(x.tensor()).ConvTranspose(w.tensor(), o)
		require.NoError(t, y.Err())
		out := run(t, y)
		require.Equal(t, shape, out.Shape())
		require.Equal(t, want, ints(t, out))
		o.ChannelsLast = true
		out = run(t, graph.Const(x.tensor()).MoveAxis(1, -1).ConvTranspose(w.tensor(), o).MoveAxis(-1, 1))
		require.Equal(t, want, ints(t, out))

		if rapid.IntRange(0, 9).Draw(t, "symbolic") > 0 {
			return
		}
		o.ChannelsLast = false
		in := graph.Input("x", graph.Int32, x.shape[0], x.shape[1], graph.Dim("h"), x.shape[3:])
		p, err := graph.Compile(in.ConvTranspose(w.tensor(), o))
		require.NoError(t, err)
		out, err = p.Run(context.Background(), x.tensor())
		require.NoError(t, err)
		require.Equal(t, want, ints(t, out))
	})
}

// TestPool compares the poolings with their definitions.
func TestPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var extents, size []int
		for range rapid.IntRange(1, 2).Draw(t, "axes") {
			extents = append(extents, rapid.IntRange(3, 7).Draw(t, "extent"))
			size = append(size, rapid.IntRange(1, 3).Draw(t, "size"))
		}
		c := drawConv(t, extents, size)
		o := graph.PoolOptions{Size: size, Strides: c.Strides, Dilations: c.Dilations, Before: c.Before, After: c.After, CountPadding: rapid.Bool().Draw(t, "count")}
		shape := append([]int{1, 2}, windowsOf(extents, size, c)...)
		if o.Ceil = rapid.Bool().Draw(t, "ceil"); o.Ceil {
			for i, n := range extents {
				room := n + c.Before[i] + c.After[i] - 1 - (size[i]-1)*c.Dilations[i]
				if room%c.Strides[i] != 0 && (room/c.Strides[i]+1)*c.Strides[i] < n+c.Before[i] {
					shape[2+i]++
				}
			}
		}
		x := drawGrid(t, "x", append([]int{1, 2}, extents...)...)
		var greatest, places []int32
		var means []float64
		every(shape, func(to []int) {
			best, place, sum, count := int32(math.MinInt32), int32(0), 0.0, 0.0
			every(size, func(at []int) {
				from, counts := []int{to[0], to[1]}, true
				for i, j := range at {
					k := to[2+i]*o.Strides[i] + j*o.Dilations[i] - o.Before[i]
					from = append(from, k)
					counts = counts && -o.Before[i] <= k && k < extents[i]+o.After[i]
				}
				k, err := layout.Ravel(x.shape, from...)
				if err == nil {
					sum += float64(x.data[k])
					if x.data[k] > best {
						best, place = x.data[k], int32(k)
					}
				}
				if err == nil || counts && o.CountPadding {
					count++
				}
			})
			greatest, places, means = append(greatest, best), append(places, place), append(means, sum/count)
		})
		in := graph.Const(x.tensor())
		out := run(t, in.MaxPool(o))
		require.Equal(t, shape, out.Shape())
		require.Equal(t, greatest, ints(t, out))
		require.Equal(t, places, ints(t, run(t, in.MaxPoolIndices(o).Cast(graph.Int32))))
		got, err := graph.Data[float64](run(t, in.Cast(graph.Float64).AvgPool(o)))
		require.NoError(t, err)
		require.InDeltaSlice(t, means, got, 1e-12)
	})
	x := graph.Const(graph.Of([]float32{3, 4, 0, 5}, 1, 1, 4))
	require.Equal(t, "float32[1,1,2] [[[5. 5.]]]", shown(run(t, x.LpPool(2, graph.PoolOptions{Size: []int{2}, Strides: []int{2}}))))
	require.Equal(t, "float32[1,1,1] [[[3.]]]", shown(run(t, x.GlobalAvgPool())))
	require.Equal(t, "float32[1,1,1] [[[5.]]]", shown(run(t, x.GlobalMaxPool())))
}

func TestConvErrors(t *testing.T) {
	greatest := strconv.FormatUint(math.MaxInt+1, 10)
	x, w := f32("x", 1, 4, 8, 8), f32("w", 6, 4, 3, 3)
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{x.Conv(f32("v", 6, 4, 3), graph.ConvOptions{}), "conv: float32[1,4,8,8] and weights float32[6,4,3]: both need two axes for channels and the same number of spatial axes"},
		{x.Conv(w, graph.ConvOptions{Groups: 2}), "conv: float32[1,4,8,8] has 4 channels, but the weights float32[6,4,3,3] are for 4 in each of 2 groups"},
		{x.Conv(f32("v", 5, 2, 3, 3), graph.ConvOptions{Groups: 2}), "conv: 5 channels of the result can't be divided into 2 equal groups"},
		{x.Conv(w, graph.ConvOptions{Strides: []int{1}}), "conv: 1 strides for 2 spatial axes"},
		{x.Conv(w, graph.ConvOptions{Strides: []int{0, 1}}), "conv: strides [0 1]: give 1 to 268435456"},
		{x.Conv(w, graph.ConvOptions{Dilations: []int{4, 1}}), "conv: axis 2 of shape [1,4,8,8]: a window of 3 elements 4 apart does not fit into 8 elements"},
		{x.Conv(w.Cast(graph.Float64), graph.ConvOptions{}), "conv: dtypes float32 and float64 differ: Cast one of them"},
		{x.ConvTranspose(w, graph.ConvOptions{}), "convtranspose: float32[1,4,8,8] has 4 channels, but the weights float32[6,4,3,3] are for 6"},
		{x.ConvTranspose(f32("v", 4, 2, 3, 3), graph.ConvOptions{Strides: []int{1, 0}}), "convtranspose: strides [1 0]: give 1 to 268435456"},
		{x.MaxPool(graph.PoolOptions{}), "maxpool: windows of size []: give one size for each spatial axis after the first two: float32[1,4,8,8]"},
		{x.MaxPool(graph.PoolOptions{Size: []int{2, 9}}), "maxpool: axis 3 of shape [1,4,7,8]: a window of 9 elements 1 apart does not fit into 8 elements"},
		{x.AvgPool(graph.PoolOptions{Size: []int{2, 0}}), "avgpool: windows of 0 elements 1 apart"},
		{x.Cast(graph.Int32).AvgPool(graph.PoolOptions{Size: []int{2, 2}}), "avgpool: does not take int32: Cast to a float type"},
		{x.Cast(graph.Int8).LpPool(1, graph.PoolOptions{Size: []int{2, 2}}), "lppool: does not take int8: Cast to a float type"},
		{x.Conv(w, graph.ConvOptions{Before: []int{math.MinInt, 0}}), "conv: numbers before [-" + greatest + " 0]: give -268435456 to 268435456"},
		{x.Conv(w, graph.ConvOptions{Before: []int{-9, 0}}), "conv: 9 and 0 elements are removed from axis 2 of shape [1,4,8,8], which has fewer"},
		{x.ConvTranspose(w, graph.ConvOptions{Before: []int{0, math.MinInt}}), "convtranspose: numbers before [0 -" + greatest + "]"},
		{x.ConvTranspose(f32("v", 4, 2, 3, 3), graph.ConvOptions{Groups: 3}), "convtranspose: 4 channels of the operand can't be divided into 3 equal groups"},
		{x.MaxPool(graph.PoolOptions{Size: []int{2, 2}, Before: []int{-1, 0}}), "maxpool: [-1 0] before and [0 0] after: padding must not be negative"},
		{x.MaxPoolIndices(graph.PoolOptions{Size: []int{1 << 30, 1}}), "maxpoolindices: windows of 1073741824 elements 1 apart: give 1 element or more, and a reach of at most 268435456"},
		{x.MaxPoolIndices(graph.PoolOptions{Size: []int{1 << 20, 1}}), "maxpoolindices: axis 2 of shape [1,4,8,8]: a window of 1048576 elements 1 apart does not fit into 8 elements"},
		{f32("v", 1, 1, 1<<14).MaxPoolIndices(graph.PoolOptions{Size: []int{1 << 13}}), "maxpoolindices: windows of size [8192]: they have up to 4096 elements"},
		{f32("v", 1, 1, 1<<29).AvgPool(graph.PoolOptions{Size: []int{2}, Before: []int{1}}), "avgpool: 536870912 windows along axis 2 with different numbers of elements"},
	} {
		require.ErrorContains(t, c.node.Err(), "conv_test.go:")
		require.ErrorContains(t, c.node.Err(), ": "+c.want)
	}
}

// TestConvInPieces: a line of windows that takes longer than a call may is computed in pieces. All numbers are small
// integers, so sums are exact in any order.
func TestConvInPieces(t *testing.T) {
	const channels, outs, taps, n = 16, 8, 16, 4096
	xs, ws := make([]float32, channels*n), make([]float32, outs*channels*taps)
	for i := range xs {
		xs[i] = float32(i*i%17 - 8)
	}
	for i := range ws {
		ws[i] = float32(i*i%13 - 6)
	}
	x, w := graph.Of(xs, 1, channels, n), graph.Of(ws, outs, channels, taps)
	want := make([]float32, outs*(n-taps+1))
	for o := range outs {
		for i := range n - taps + 1 {
			for k := range channels * taps {
				want[o*(n-taps+1)+i] += ws[o*channels*taps+k] * xs[k/taps*n+i+k%taps]
			}
		}
	}
	for _, debug := range []graph.Debug{0, graph.AVX2, graph.Portable} {
		p, err := graph.Compile(graph.Input("x", graph.Float32, 1, channels, n).Conv(graph.Input("w", graph.Float32, outs, channels, taps), graph.ConvOptions{}), graph.WithDebug(debug))
		require.NoError(t, err)
		got, err := p.Run(context.Background(), x, w)
		require.NoError(t, err)
		require.Equal(t, want, values[float32](t, got), explaining{p})
	}
}
