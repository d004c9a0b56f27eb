package graph_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// narrowReals are types that are computed in wider types.
var narrowReals = []graph.DType{graph.Float16, graph.BFloat16, graph.Fixed16x16}

// numElems returns the number of elements of a shape.
func numElems(shape []int) int {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return n
}

// TestConvolutionsReadTheirOperand asserts that convolutions and poolings copy nothing, and that no temporary holds the
// windows.
func TestConvolutionsReadTheirOperand(t *testing.T) {
	x := f32("x", 2, 8, 12, 12)
	for _, y := range []graph.Node{
		x.Conv(f32("w", 8, 1, 3, 3), graph.ConvOptions{Groups: 8}),
		x.Conv(f32("w", 16, 1, 3, 3), graph.ConvOptions{Groups: 8, Strides: []int{2, 2}}),
		x.Conv(f32("w", 16, 8, 3, 3), graph.ConvOptions{}),
		x.Conv(f32("w", 16, 2, 3, 2), graph.ConvOptions{Groups: 4, Strides: []int{2, 1}, Dilations: []int{1, 2}}),
		x.MaxPool(graph.PoolOptions{Size: []int{3, 3}, Strides: []int{2, 2}}),
		x.AvgPool(graph.PoolOptions{Size: []int{2, 2}}),
		x.MaxPoolIndices(graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}}),
	} {
		requireNoCopies(t, y)
	}
	for _, d := range narrowReals {
		x := graph.Input("x", d, 2, 8, 12, 12)
		for _, c := range []struct {
			weights []int
			o       graph.ConvOptions
		}{
			{[]int{16, 8, 3, 3}, graph.ConvOptions{}},
			{[]int{16, 8, 3, 3}, graph.ConvOptions{ChannelsLast: true}},
			{[]int{16, 2, 3, 2}, graph.ConvOptions{Groups: 4, Strides: []int{2, 1}, Dilations: []int{1, 2}}},
		} {
			x := x
			if c.o.ChannelsLast {
				x = x.Permute(0, 2, 3, 1)
			}
			y := x.Conv(graph.Input("w", d, c.weights), c.o)
			p := requireNoCopies(t, y)
			image, weights := 2*8*12*12, numElems(c.weights)
			require.Equal(t, (image+weights)*d.Compute().Size(), p.Temporaries(), "%s: %s", d, explaining{p})
		}
		for _, y := range []graph.Node{
			x.MaxPool(graph.PoolOptions{Size: []int{3, 3}, Strides: []int{2, 2}}),
			x.AvgPool(graph.PoolOptions{Size: []int{2, 2}}),
			x.MaxPoolIndices(graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}}),
			x.Conv(graph.Const(graph.Ones(d, 8, 1, 3, 3)), graph.ConvOptions{Groups: 8}),
			x.Conv(graph.Const(graph.Ones(d, 8, 1, 3, 3)), graph.ConvOptions{Groups: 8, Strides: []int{2, 2}}),
		} {
			p := requireNoCopies(t, y)
			require.LessOrEqual(t, p.Temporaries(), 2*8*12*12*d.Compute().Size(), "%s: %s", d, explaining{p})
		}
	}
	p, err := graph.Compile(f32("a", 1, 8, 12, 12).Conv(f32("w", 16, 8, 1, 1), graph.ConvOptions{}))
	require.NoError(t, err)
	require.Zero(t, p.Copies())
}

// TestConvolutionsStoreOnce asserts that bias, addition and activation are computed on blocks of a convolution in local
// memory, and stored directly inside padding.
func TestConvolutionsStoreOnce(t *testing.T) {
	x := f32("x", 2, 16, 30, 30)
	y := x.Conv(f32("w", 16, 16, 3, 3), graph.ConvOptions{}).Add(f32("bias", 16, 1, 1)).Add(f32("more", 2, 16, 28, 28)).Maximum(0)
	p, err := graph.Compile(y)
	require.NoError(t, err)
	run := func(p *graph.Program, more ...*graph.Tensor) {
		_, err := p.Run(context.Background(), append([]*graph.Tensor{
			graph.Ones(graph.Float32, 2, 16, 30, 30), graph.Ones(graph.Float32, 16, 16, 3, 3), graph.Ones(graph.Float32, 16, 1, 1), graph.Ones(graph.Float32, 2, 16, 28, 28),
		}, more...)...)
		require.NoError(t, err)
	}
	run(p)
	require.Contains(t, p.Explain(), "through steps 0 to 1")
	require.NotContains(t, p.Explain(), "temporaries")
	p, err = graph.Compile(y.Conv(f32("v", 16, 16, 3, 3), graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}))
	require.NoError(t, err)
	run(p, graph.Ones(graph.Float32, 16, 16, 3, 3))
	require.Contains(t, p.Explain(), "through steps 0 to 1")
}

// TestPaddedWindowsCopyNothing asserts that a value read only by windows is padded block by block: no copy and no
// temporary holds it, for small and for large images.
func TestPaddedWindowsCopyNothing(t *testing.T) {
	one := []int{1, 1}
	same := graph.ConvOptions{Before: one, After: one}
	grouped, last, strided, dilated := same, same, same, same
	grouped.Groups, last.ChannelsLast, strided.Strides, dilated.Dilations = 16, true, []int{2, 2}, one
	dilated.Dilations = []int{2, 2}
	pool := graph.PoolOptions{Size: []int{3, 3}, Strides: []int{2, 2}, Before: one, After: one}
	long := graph.PoolOptions{Size: []int{5, 5}, Before: []int{2, 2}, After: []int{2, 2}}
	rolling := func(x graph.Node, mode graph.PadMode) graph.Node {
		return x.Pad([]int{0, 4}, []int{0, 4}, mode).Window(1, 9, 1, 1).Sum(-1)
	}
	blur := func(x graph.Node, size int) (sum graph.Node) {
		x = x.Pad(append(one, 0), append(one, 0), graph.PadReflect)
		for i := range 9 {
			part := x.Slice(fmt.Sprintf("%d:%d, %d:%d", i/3, i/3+size, i%3, i%3+size))
			if i == 0 {
				sum = part
				continue
			}
			sum = sum.Add(part)
		}
		return sum.Div(9)
	}
	for _, d := range narrowReals {
		for _, size := range []int{9, 200} {
			x := graph.Input("x", d, 3, 16, size, size)
			w := graph.Const(graph.Ones(d, 16, 1, 3, 3))
			for name, z := range map[string]graph.Node{
				"conv":      x.Conv(graph.Const(graph.Ones(d, 8, 16, 3, 3)), same),
				"strided":   x.Conv(graph.Const(graph.Ones(d, 8, 16, 3, 3)), strided),
				"dilated":   x.Conv(graph.Const(graph.Ones(d, 8, 16, 3, 3)), dilated),
				"depthwise": x.Conv(w, grouped),
				"max pool":  x.MaxPool(pool),
				"mean pool": x.AvgPool(pool),
			} {
				for _, workers := range []int{1, 2} {
					p, err := graph.Compile(z, graph.WithWorkers(workers))
					require.NoError(t, err)
					require.Zero(t, p.Copies(), "%s of %s, images of %d: %s", name, d, size, explaining{p})
					require.Zero(t, p.Temporaries(), "%s of %s, images of %d: %s", name, d, size, explaining{p})
				}
			}
		}
	}
	for _, n := range []int{1, 3} {
		for _, size := range []int{9, 200} {
			x, y := f32("x", n, 16, size, size), f32("y", n, size, size, 16)
			for name, z := range map[string]graph.Node{
				"conv":        x.Conv(f32("w", 8, 16, 3, 3), same),
				"bias":        x.Conv(f32("w", 8, 16, 3, 3), same).Add(f32("bias", 8, 1, 1)).Maximum(0),
				"depthwise":   x.Conv(f32("w", 16, 1, 3, 3), grouped),
				"strided":     x.Conv(f32("w", 8, 16, 3, 3), strided),
				"dilated":     x.Conv(f32("w", 8, 16, 3, 3), dilated),
				"last":        y.Conv(f32("w", 8, 16, 3, 3), last),
				"max pool":    x.MaxPool(pool),
				"mean pool":   x.AvgPool(pool),
				"long pool":   x.MaxPool(long),
				"rolling":     rolling(f32("r", 16*n, 50*size), graph.PadConstant),
				"blur":        blur(f32("p", size*n, size*n, 3), size*n),
				"rolling one": rolling(f32("r", n, 2000*size), graph.PadEdge),
			} {
				for _, workers := range []int{1, 2} {
					p, err := graph.Compile(z, graph.WithWorkers(workers))
					require.NoError(t, err)
					copies, bytes := 0, 0
					if name == "last" { // the weights have their channels first
						copies, bytes = 1, 8*16*9*4
					}
					require.Equal(t, copies, p.Copies(), "%s of %d images of %d: %s", name, n, size, explaining{p})
					if name == "depthwise" && size == 200 { // corners share products of a weight with zero
						bytes = n * 16 * 4
					}
					require.Equal(t, bytes, p.Temporaries(), "%s of %d images of %d: %s", name, n, size, explaining{p})
				}
			}
		}
	}
}

// TestWindowsAreTheLeftOperand asserts that constant weights are packed once, and that windows of many channels are
// read in place.
func TestWindowsAreTheLeftOperand(t *testing.T) {
	same := graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}
	x, w := graph.Ones(graph.Float32, 2, 128, 7, 7), graph.Ones(graph.Float32, 64, 128, 3, 3)
	for _, c := range []struct {
		name  string
		left  bool
		y     graph.Node
		input []*graph.Tensor
	}{
		{"constant", true, f32("x", 2, 128, 7, 7).Maximum(0).Conv(graph.Const(w), same).Maximum(0), []*graph.Tensor{x}},
		{"float16", true, graph.Input("x", graph.Float16, 2, 128, 7, 7).Conv(graph.Const(graph.Ones(graph.Float16, 64, 128, 3, 3)), same).Cast(graph.Float32), []*graph.Tensor{graph.Ones(graph.Float16, 2, 128, 7, 7)}},
		{"input", false, f32("x", 2, 128, 7, 7).Maximum(0).Conv(f32("w", 64, 128, 3, 3), same).Maximum(0), []*graph.Tensor{x, w}},
	} {
		p, err := graph.Compile(c.y, graph.WithWorkers(1))
		require.NoError(t, err)
		out, err := p.Run(context.Background(), c.input...)
		require.NoError(t, err)
		for _, e := range []struct {
			at   []int
			want float32
		}{{[]int{0, 0, 0, 0}, 128 * 4}, {[]int{1, 63, 3, 3}, 128 * 9}} {
			got, err := out.At(e.at...)
			require.NoError(t, err)
			require.Equal(t, e.want, got, c.name)
		}
		require.Equal(t, c.left, strings.Contains(p.Explain(), "weights that never change and windows"), "%s: %s", c.name, explaining{p})
		require.NotContains(t, p.Explain(), "is no view", c.name)
	}
}

// TestPooledConvolutionsAreNotTransposed asserts that a convolution reads another one's pooled result with channels as
// the last axis in memory, if the channels are few.
func TestPooledConvolutionsAreNotTransposed(t *testing.T) {
	for _, c := range []struct {
		channels  int
		transpose bool
	}{{32, false}, {128, false}, {256, true}} {
		w := graph.Const(graph.Ones(graph.Float32, c.channels, 16, 3, 3))
		v := graph.Const(graph.Ones(graph.Float32, 64, c.channels, 3, 3))
		y := f32("x", 2, 16, 18, 18).Conv(w, graph.ConvOptions{}).Add(f32("bias", c.channels, 1, 1)).Maximum(0)
		y = y.MaxPool(graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}}).Conv(v, graph.ConvOptions{})
		p, err := graph.Compile(y.Permute(0, 2, 3, 1).Neg())
		require.NoError(t, err)
		_, err = p.Run(context.Background(), graph.Ones(graph.Float32, 2, 16, 18, 18), graph.Ones(graph.Float32, c.channels, 1, 1))
		require.NoError(t, err)
		require.Equal(t, c.transpose, strings.Contains(p.Explain(), "operand packed"), "%d channels: %s", c.channels, explaining{p})
	}
}

// TestJoinedConvolutionsAreNotTransposed asserts that short windows are also the left operand if their product is added
// to that of long windows: both products, and the sum, have channels as the last axis in memory.
func TestJoinedConvolutionsAreNotTransposed(t *testing.T) {
	w := func(shape ...int) graph.Node { return graph.Const(graph.Ones(graph.Float32, shape...)) }
	same := graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}
	half := graph.ConvOptions{Strides: []int{2, 2}}
	x := f32("x", 2, 32, 34, 34)
	long := x.Conv(w(64, 32, 3, 3), half).Maximum(0).Conv(w(64, 64, 3, 3), same)
	short := x.Slice(":, :, 1:33, 1:33").Conv(w(64, 32, 1, 1), half)
	y := long.Add(f32("bias", 64, 1, 1)).Add(short).Maximum(0).Conv(w(32, 64, 3, 3), same)
	p, err := graph.Compile(y.Permute(0, 2, 3, 1).Neg(), graph.WithWorkers(1))
	require.NoError(t, err)
	out, err := p.Run(context.Background(), graph.Ones(graph.Float32, 2, 32, 34, 34), graph.Zeros(graph.Float32, 64, 1, 1))
	require.NoError(t, err)
	at, err := out.At(1, 8, 8, 31)
	require.NoError(t, err)
	require.Equal(t, float32(-9*64*(9*64*9*32+32)), at)
	require.Regexp(t, "rewritten conv x4: .*weights that never change and windows", p.Explain())
}

// TestVerifiedConvolutions verifies plans whose steps read different groups of panels, and whose iterations store a
// convolution and a value computed from it into parts of one result.
func TestVerifiedConvolutions(t *testing.T) {
	w := func(shape ...int) graph.Node { return graph.Const(graph.Normal(graph.Float32, 1, 0, 1, shape...)) }
	grouped := f32("x", 1, 48, 14, 1).Conv(w(144, 16, 3, 7),
		graph.ConvOptions{Strides: []int{2, 1}, Dilations: []int{2, 1}, Before: []int{0, 3}, After: []int{0, 3}, Groups: 3})
	x := f32("x", 3, 48, 23, 40).Maximum(0)
	y := x.Conv(w(144, 16, 3, 3), graph.ConvOptions{Dilations: []int{2, 1}, Groups: 3}).Add(w(144, 1, 1))
	joined := graph.Concat(1, y, y.Neg(), x.Sum([]int{1, 2, 3}, graph.KeepDims).Add(y.Mul(0.5)))
	for _, z := range []graph.Node{grouped, joined} {
		_, err := graph.Compile(z, graph.WithDebug(graph.Verify))
		require.NoError(t, err)
	}
}
