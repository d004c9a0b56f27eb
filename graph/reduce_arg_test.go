package graph_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestArg compares with a plain loop: ties, NaN, zeros of both signs.
func TestArg(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	some := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	for _, n := range []int{1, 2, 7, 33, 64, 95, 129, 1024, 1025, 3000} {
		for _, kinds := range []int{2, 5, 7, 8} {
			data := make([]float32, 2*n)
			for i := range data {
				data[i] = some[rng.IntN(kinds)]
				if n > 1000 && rng.IntN(300) > 0 {
					data[i] = 0
				}
			}
			x := f32("x", 2, n)
			got := everyWay(t, graph.Nodes{x.ArgMin(1), x.ArgMax(1), x.ArgMin(1, graph.LastIndex), x.ArgMax(1, graph.LastIndex, graph.KeepDims), x.ArgMax(), x.Reshape(n, 2).ArgMin(0)}, graph.Of(data, 2, n))
			for row := range 2 {
				line := data[row*n : (row+1)*n]
				for k, want := range []int{arg(line, -1, false), arg(line, 1, false), arg(line, -1, true), arg(line, 1, true)} {
					require.Equal(t, uint64(want), got[k][row], "output %d of %v", k, line)
				}
				var column []float32
				for i := row; i < 2*n; i += 2 {
					column = append(column, data[i])
				}
				require.Equal(t, uint64(arg(column, -1, false)), got[5][row])
			}
			require.Equal(t, uint64(arg(data, 1, false)), got[4][0])
		}
	}
}

func arg(x []float32, sign float32, last bool) int {
	best := 0
	for i, v := range x[1:] {
		b := x[best]
		better := v != v && b == b || sign*v > sign*b
		if same := v == b || v != v && b != b; better || last && same {
			best = i + 1
		}
	}
	return best
}

// TestArgAtEveryPlace puts the extreme element, followed by an equal one or a NaN, at each index of lines of all
// lengths up to some blocks of a kernel.
func TestArgAtEveryPlace(t *testing.T) {
	everyPlace(t, float32(1))
	everyPlace(t, float64(1))
}

func everyPlace[T float32 | float64](t *testing.T, one T) {
	dtype := graph.Of([]T{0}).DType()
	x := graph.Input("x", dtype, graph.Dim("n"), graph.Dim("n"))
	for sign, y := range map[T]graph.Node{one: x.ArgMax(1), -one: x.ArgMin(1)} {
		p, err := graph.Compile(y)
		require.NoError(t, err)
		require.Regexp(t, `reduce \[arg(min|max)\] kernel \(u0:f(32|64)\) { store u0 }`, p.Kernels())
		for n := 1; n < 140; n++ {
			for _, best := range []T{sign, sign * T(math.Inf(1)), T(math.NaN())} {
				data, want := make([]T, n*n), make([]uint64, n)
				for i := range n {
					want[i] = uint64(i)
					data[i*n+i], data[i*n+min(i+1+i*7%60, n-1)] = best, best
				}
				out, err := p.Run(context.Background(), graph.Of(data, n, n))
				require.NoError(t, err)
				require.Equal(t, want, elements(t, out), "%s, %d columns, %v", dtype, n, best)
			}
		}
	}
}

// TestNaNAnywhere: a single NaN anywhere in a line is the sum, least and greatest.
func TestNaNAnywhere(t *testing.T) {
	const n = 1100
	x := f32("x", n)
	p, err := graph.Compile(x.Sum(), x.Prod(), x.Min(), x.Max(), x.ArgMin(), x.ArgMax(), x.CumMax(0).Ne(x.CumMax(0)).Cast(graph.Int32).Sum())
	require.NoError(t, err)
	data := make([]float32, n)
	for _, at := range []int{0, 1, 8, 31, 32, 500, 1023, 1024, 1099} {
		data[at] = float32(math.NaN())
		outs, err := p.RunAll(context.Background(), graph.Of(data))
		require.NoError(t, err)
		for k := range 4 {
			require.True(t, math.IsNaN(floats(elements(t, outs[k]))[0]), "output %d, NaN at %d", k, at)
		}
		require.Equal(t, []uint64{uint64(at)}, elements(t, outs[4]))
		require.Equal(t, []uint64{uint64(at)}, elements(t, outs[5]))
		require.Equal(t, []uint64{uint64(n - at)}, elements(t, outs[6]))
		data[at] = 0
	}
}
