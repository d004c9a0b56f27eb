package graph_test

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestThreefry compares with the known answers of Random123's kat_vectors.
func TestThreefry(t *testing.T) {
	for _, c := range [][6]uint32{ // key, place, bits
		{0, 0, 0, 0, 0x6b200159, 0x99ba4efe},
		{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7},
		{0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3, 0xc4923a9c, 0x483df7a0},
	} {
		var w [4]graph.Node
		for i := range w {
			w[i] = graph.Scalar(graph.Uint32, c[i])
		}
		high, low := graph.Threefry([2]graph.Node{w[0], w[1]}, [2]graph.Node{w[2], w[3]})
		for i, word := range []graph.Node{high, low} {
			v, err := graph.At[uint32](run(t, word))
			require.NoError(t, err)
			require.Equal(t, c[4+i], v)
		}
	}
}

// draw runs a node of a program whose input is a seed.
func draw[T graph.Element](t *testing.T, seed uint64, f func(r graph.Random) graph.Node, options ...graph.Option) []T {
	t.Helper()
	items := []graph.Item{f(graph.NewRandom(graph.Input("seed", graph.Uint64)))}
	for _, o := range options {
		items = append(items, o)
	}
	p, err := graph.Compile(items...)
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.ScalarOf(seed))
	require.NoError(t, err)
	data, err := graph.Data[T](out)
	require.NoError(t, err)
	return data
}

// TestRandomBits counts bits by their places, pairs of equal bits in neighbours, and bits that differ between seeds, places
// and streams: each is a half, within 5 deviations.
func TestRandomBits(t *testing.T) {
	const n = 1 << 16
	one := draw[uint64](t, 1, func(r graph.Random) graph.Node { return r.Bits(n) })
	for name, other := range map[string][]uint64{
		"zeros":      make([]uint64, n),
		"neighbours": append(slices.Clone(one[1:]), one[0]),
		"seeds":      draw[uint64](t, 2, func(r graph.Random) graph.Node { return r.Bits(n) }),
		"high seeds": draw[uint64](t, 1<<63+1, func(r graph.Random) graph.Node { return r.Bits(n) }),
		"streams":    draw[uint64](t, 1, func(r graph.Random) graph.Node { return r.Stream(0).Bits(n) }),
	} {
		var counts [64]int
		for i := range one {
			for d := one[i] ^ other[i]; d != 0; d &= d - 1 {
				counts[bits.TrailingZeros64(d)]++
			}
		}
		for bit, count := range counts {
			require.InDelta(t, n/2, count, 5*math.Sqrt(n)/2, "%s: bit %d", name, bit)
		}
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(one))), n, "64 bits are not there twice")
}

// TestRandomDistributions compares each distribution with its function by the test of Kolmogorov and Smirnov.
func TestRandomDistributions(t *testing.T) {
	const n = 100_000
	normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	uniform := func(x float64) float64 { return x }
	exponential := func(x float64) float64 { return -math.Expm1(-x) }
	for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
		for name, c := range map[string]struct {
			f    func(r graph.Random) graph.Node
			want func(x float64) float64
		}{
			"uniform":     {func(r graph.Random) graph.Node { return r.Uniform(dt, n) }, uniform},
			"normal":      {func(r graph.Random) graph.Node { return r.Normal(dt, n) }, normal},
			"exponential": {func(r graph.Random) graph.Node { return r.Exponential(dt, n) }, exponential},
			"integers": {func(r graph.Random) graph.Node {
				return r.Integers(-1<<31, 1<<31, n).Cast(graph.Float64).Mul(0x1p-32).Add(0.5)
			}, uniform},
			"permutation": {func(r graph.Random) graph.Node { return r.Permutation(n).Cast(graph.Float64).Add(0.5).Div(n) }, uniform},
		} {
			got := draw[float64](t, 7, func(r graph.Random) graph.Node { return c.f(r).Cast(graph.Float64) })
			slices.Sort(got)
			distance := 0.
			for i, x := range got {
				distance = max(distance, math.Abs(c.want(x)-(float64(i)+0.5)/n))
			}
			require.Less(t, distance, 2/math.Sqrt(n), "%s of %s", name, dt) // exceeded once in 1,500 draws
		}
	}
	ones := 0
	for _, b := range draw[bool](t, 3, func(r graph.Random) graph.Node { return r.Bernoulli(0.3, n) }) {
		if b {
			ones++
		}
	}
	require.InDelta(t, 0.3*n, ones, 5*math.Sqrt(0.21*n))
}

// TestRandomBounds checks the least and the greatest numbers that bits can give, and shapes.
func TestRandomBounds(t *testing.T) {
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16, graph.Float32, graph.Float64} {
		for _, f := range []func(r graph.Random) graph.Node{
			func(r graph.Random) graph.Node { return r.Uniform(dt, 300, 300).Lt(1).All() },
			func(r graph.Random) graph.Node { return r.Normal(dt, 300, 300).IsFinite().All() },
			func(r graph.Random) graph.Node { return r.Exponential(dt, 300, 300).IsFinite().All() },
		} {
			require.True(t, draw[bool](t, 5, f)[0], dt)
		}
	}
	counts := make([]int, 3)
	for _, v := range draw[int64](t, 1, func(r graph.Random) graph.Node { return r.Integers(-1, 2, 3000) }) {
		counts[v+1]++
	}
	for _, c := range counts {
		require.InDelta(t, 1000, c, 150)
	}
	require.Len(t, draw[float32](t, 1, func(r graph.Random) graph.Node { return r.Normal(graph.Float32) }), 1)
	require.Empty(t, draw[float32](t, 1, func(r graph.Random) graph.Node { return r.Normal(graph.Float32, 3, 0) }))
	sorted := slices.Sorted(slices.Values(draw[int64](t, 1, func(r graph.Random) graph.Node { return r.Permutation(1000) })))
	for i, v := range sorted {
		require.EqualValues(t, i, v)
	}
}

// TestRandomIsTheSame draws in programs of fixed and symbolic sizes, with one thread and several, fused and stored: the bits
// are equal.
func TestRandomIsTheSame(t *testing.T) {
	const n = 70_001
	f := func(n any) func(r graph.Random) graph.Node {
		return func(r graph.Random) graph.Node { return r.Stream(3).Normal(graph.Float32, n) }
	}
	want := draw[float32](t, 9, f(n))
	require.Equal(t, want, draw[float32](t, 9, f(n), graph.WithWorkers(3)))
	require.Equal(t, want, draw[float32](t, 9, func(r graph.Random) graph.Node { return f(n)(r).Materialize().Mul(1) }))
	x := graph.Input("x", graph.Bool, graph.Dim("n"))
	p, err := graph.Compile(f(graph.Dim("n"))(graph.NewRandom(9)), graph.WithInputs(x))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.New(graph.Bool, n))
	require.NoError(t, err)
	data, err := graph.Data[float32](out)
	require.NoError(t, err)
	require.Equal(t, want, data)
}

// TestRandomMistakes lists messages.
func TestRandomMistakes(t *testing.T) {
	r := graph.NewRandom(1)
	for want, y := range map[string]graph.Node{
		"newrandom: a seed of float32[3]: give an integer, or a uint64 scalar":                   graph.NewRandom(graph.Input("s", graph.Float32, 3)).Bits(2),
		"random: does not draw int32: draw one of float16, bfloat16, float32, float64, and Cast": r.Normal(graph.Int32, 2),
		"random: integers from 3 to below 3: give at least one, and at most 2^32":                r.Integers(3, 3, 2),
		"random: ": r.Bits("n"),
	} {
		require.ErrorContains(t, y.Err(), want)
	}
}
