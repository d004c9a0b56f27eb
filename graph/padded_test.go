package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestPaddedWindows compares values computed from windows of padded arrays with their definition: in blocks of images
// and of lines, the first and last of which have borders.
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
		switch rapid.IntRange(0, 3).Draw(t, "computed") {
		case 0:
			x = x.Add(1)
		case 1:
			x = x.Pad([]int{0, 0, 2, 1}, []int{0, 0, 0, 1}, graph.PadConstant).Mul(2)
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
		if turned := y.Permute(0, 1, 3, 2); rapid.Bool().Draw(t, "turned") {
			y = turned
		}
		f, _, err := graph.Define(y)
		require.NoError(t, err)
		checkPrograms(t, f, []eval.Array{in}, nil)
	})
}

// TestPaddedStoredTwice wraps a computed image around its sides: one step computes the columns of both sides.
func TestPaddedStoredTwice(t *testing.T) {
	x := graph.Input("x", graph.Float32, 1, 1, 1500, 300)
	inner := x.Conv(graph.Ones(graph.Float32, 1, 1, 1, 1), graph.ConvOptions{Before: []int{2, 1}, After: []int{0, 0}})
	y := inner.Pad([]int{0, 0, 2, 2}, []int{0, 0, 0, 2}, graph.PadWrap).Window(3, 2, 2, 1).Max(-1).Permute(0, 1, 3, 2)
	in := graph.Uniform(graph.Float32, 5, 0, 100, 1, 1, 1500, 300)
	apart, err := graph.Compile(y, graph.WithDebug(graph.NoFusion))
	require.NoError(t, err)
	want, err := apart.Run(t.Context(), in)
	require.NoError(t, err)
	for _, options := range [][]graph.Item{nil, {graph.WithDebug(graph.Verify)}, {graph.ChunkElems(100)}} {
		p, err := graph.Compile(append(options, y)...)
		require.NoError(t, err)
		got, err := p.Run(t.Context(), in)
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got), explaining{p})
	}
}

// TestPaddedFarApart sums values read from a padded vector at two distant offsets, about a cache size apart, where
// blocks would copy most of it again. A stored difference copies nothing.
func TestPaddedFarApart(t *testing.T) {
	const n, apart = 1 << 19, 131_000
	z := graph.Input("x", graph.Float32, n).Pad([]int{1}, []int{1}, graph.PadConstant)
	y := z.SliceAxis(0, apart, n+2, 1).Sub(z.SliceAxis(0, 0, n+2-apart, 1))
	p, err := graph.Compile(y, graph.WithWorkers(1))
	require.NoError(t, err)
	require.Zero(t, p.Copies(), explaining{p})
	require.Zero(t, p.Temporaries(), explaining{p})
	p, err = graph.Compile(y.Cast(graph.Float64).Sum(), graph.WithWorkers(1)) // storing it takes more bytes than copying the vector
	require.NoError(t, err)
	require.Equal(t, 3, p.Copies(), explaining{p}) // a border on either side, and the vector
	require.Greater(t, p.Temporaries(), n*4, explaining{p})
}

// TestPaddedBytesCast: a filter of a padded picture of bytes that is cast after padding reads blocks in the cache; the
// constant of the padding is cast at compile time.
func TestPaddedBytesCast(t *testing.T) {
	const h, w = 540, 960
	x := graph.Input("x", graph.Uint8, h, w)
	blur := func(x graph.Node) graph.Node {
		var sum graph.Node
		for i := range 9 {
			tap := x.SliceAxis(0, i/3, i/3+h, 1).SliceAxis(1, i%3, i%3+w, 1)
			if i == 0 {
				sum = tap
				continue
			}
			sum = sum.Add(tap)
		}
		return sum
	}
	one := []int{1, 1}
	p, err := graph.Compile(blur(x.PadWith(one, one, 7).Cast(graph.Float32)))
	require.NoError(t, err)
	require.Zero(t, p.Temporaries(), explaining{p})
	q, err := graph.Compile(blur(x.Cast(graph.Float32).PadWith(one, one, 7)), graph.WithDebug(graph.NoFusion))
	require.NoError(t, err)
	bytes := make([]uint8, h*w)
	for i := range bytes {
		bytes[i] = uint8(i * i >> 3)
	}
	in := graph.Of(bytes, h, w)
	got, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	want, err := q.Run(t.Context(), in)
	require.NoError(t, err)
	require.True(t, graph.Equal(want, got))
}
