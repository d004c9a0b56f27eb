package graph_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestSumError compares sums of integers below 2^24, scaled by powers of 2, with exact sums: the error is within the
// bound that Sum states. With -long there are four times as many.
func TestSumError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := map[string]func() int64{
		"positive": func() int64 { return rng.Int64N(1 << 24) },
		"mixed":    func() int64 { return (rng.Int64N(1<<25) - 1<<24) << rng.IntN(12) },
		"same":     func() int64 { return 13421773 }, // 0.1 is 13421773 * 2^-27
	}
	most, side := 1<<22, 1<<11
	if *long {
		most, side = 1<<24, 1<<12
	}
	data := make([]float32, most)
	n := graph.Dim("n")
	p, err := graph.Compile(graph.Input("x", graph.Float32, n).Sum())
	require.NoError(t, err)
	down, err := graph.Compile(graph.Input("x", graph.Float32, n, n).Sum(0))
	require.NoError(t, err)
	for name, value := range values {
		for _, n := range []int{1, 1000, 1024, 1025, 1_000_003, most} {
			sum, size := int64(0), 0.0
			for i := range n {
				v := value()
				data[i], sum, size = float32(v), sum+v, size+math.Abs(float64(v))
			}
			y, err := p.Run(context.Background(), graph.Of(data[:n]))
			require.NoError(t, err)
			got := floats(elements(t, y))[0]
			require.LessOrEqual(t, math.Abs(got-float64(sum)), 38*0x1p-24*size, "%s %d", name, n)
		}
		y, err := down.Run(context.Background(), graph.Of(data, side, side))
		require.NoError(t, err)
		for c, got := range floats(elements(t, y)) {
			sum, size := 0.0, 0.0
			for r := range side {
				v := float64(data[r*side+c])
				sum, size = sum+v, size+math.Abs(v) // exact
			}
			require.LessOrEqual(t, math.Abs(got-sum), 38*0x1p-24*size, "%s column %d", name, c)
		}
	}
}

// TestVarOfLargeMean: with two passes nothing cancels.
func TestVarOfLargeMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	data := make([]float32, 100_000)
	mean, want := 0.0, 0.0
	for i := range data {
		data[i] = 1e6 + float32(10*rng.NormFloat64())
		mean += float64(data[i]) / 1e5
	}
	for _, v := range data {
		want += (float64(v) - mean) * (float64(v) - mean)
	}
	x := f32("x", len(data))
	got := everyWay(t, graph.Nodes{x.Var(), x.Var(graph.DDOF(1)), x.Std()}, graph.Of(data))
	require.InEpsilon(t, want/1e5, floats(got[0])[0], 1e-3)
	require.InEpsilon(t, want/99999, floats(got[1])[0], 1e-3)
	require.InEpsilon(t, math.Sqrt(want/1e5), floats(got[2])[0], 1e-3)
}

var allAxes = [][]int{{}, {0}, {1}, {-1, 0}, {1, 2}, {2, 1, 0}}

// TestReductionsOfViews compares reductions of integers with plain loops, for all layouts and ways of running.
func TestReductionsOfViews(t *testing.T) {
	x := f32("x", 3, 4, 5)
	for _, in := range lying(true) {
		for _, axes := range allAxes {
			ys := graph.Nodes{x.Sum(axes), x.Min(axes), x.Max(axes), x.SumSquares(axes), x.Norm1(axes), x.Cast(graph.Int32).Sum(axes), x.Gt(0).All(axes), x.Gt(4).Any(axes), x.Sum(axes, graph.KeepDims)}
			want := make([]map[int]float64, len(ys))
			for i := range want {
				want[i] = map[int]float64{}
			}
			for i, bits := range elements(t, in) {
				v, line := floats([]uint64{bits})[0], lineOf(i, axes)
				for k, f := range map[int]func(a, v float64) float64{
					0: func(a, v float64) float64 { return a + v }, 1: math.Min, 2: math.Max,
					3: func(a, v float64) float64 { return a + v*v }, 4: func(a, v float64) float64 { return a + math.Abs(v) },
				} {
					if a, ok := want[k][line]; ok {
						want[k][line] = f(a, v)
					} else {
						want[k][line] = f(map[bool]float64{true: v}[k == 1 || k == 2], v)
					}
				}
				if _, ok := want[6][line]; !ok {
					want[6][line] = 1
				}
				want[5][line], want[8][line] = want[5][line]+v, want[8][line]+v
				if v <= 0 {
					want[6][line] = 0
				}
				if want[7][line] += 0; v > 4 {
					want[7][line] = 1
				}
			}
			for k, got := range everyWay(t, ys, in) {
				require.Len(t, got, len(want[k]))
				for line, b := range got {
					v := floats([]uint64{b})[0]
					switch k {
					case 5:
						v = float64(int32(b))
					case 6, 7:
						v = float64(b)
					}
					require.Equal(t, want[k][line], v, "output %d axes %v %s", k, axes, in.Layout())
				}
			}
		}
	}
}

// lineOf returns the line along axes to which element i of [3,4,5] belongs.
func lineOf(i int, axes []int) int {
	index, line := []int{i / 20, i / 5 % 4, i % 5}, 0
	for k, n := range []int{3, 4, 5} {
		reduced := false
		for _, a := range axes {
			reduced = reduced || (a+3)%3 == k
		}
		if !reduced {
			line = line*n + index[k]
		}
	}
	return line
}

// TestLayoutsGiveTheSameBits: with rounding, a view gives the same bits as its copy.
func TestLayoutsGiveTheSameBits(t *testing.T) {
	x := f32("x", 3, 4, 5)
	for _, in := range lying(false)[1:] {
		for _, axes := range [][]int{{0}, {-1}, {1, 0}, {0, 1, 2}} {
			ys := graph.Nodes{x.Sum(axes), x.Mean(axes), x.Var(axes), x.LogSumExp(axes), x.Softmax(axes), x.LogSoftmax(axes), x.Standardize(1e-3, axes), x.L2Normalize(1e-3, axes)}
			p, err := graph.Compile(ys)
			require.NoError(t, err)
			outs, err := p.RunAll(context.Background(), in.Contiguous())
			require.NoError(t, err)
			for i, bits := range everyWay(t, ys, in) {
				require.Equal(t, elements(t, outs[i]), bits, "output %d %v %s", i, axes, in.Layout())
			}
		}
	}
}

// TestManySiblings: more reductions of one array than fit one loop.
func TestManySiblings(t *testing.T) {
	x := f32("x", 40, 70)
	for axis := range 2 {
		var ys graph.Nodes
		for i := range 11 {
			ys = append(ys, x.Add(i).Sum(axis), x.Mul(i).Max(axis))
		}
		everyWay(t, ys, graph.Normal(graph.Float32, 1, 0, 1, 40, 70))
	}
}

// TestLogSumExpOfColumns: a value computed from each column's greatest element is stored, and not recomputed for each
// element.
func TestLogSumExpOfColumns(t *testing.T) {
	for _, axis := range []int{0, 1} {
		p, err := graph.Compile(f32("x", 300, 200).LogSumExp(axis))
		require.NoError(t, err)
		require.Contains(t, p.Explain(), "reduce [add, add] kernel (u0:f32, s1:f32, s2:f32) {", axis)
	}
}
