package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// TestLongSorts compares sorts of lines that several goroutines divide, and one does not, with the definition, by bits: lines that rise, that
// rise and fall, of one value, of few with zeros and NaNs of both signs and infinities, and of random ones.
func TestLongSorts(t *testing.T) {
	few := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1)}
	n := 2*tuning.Default(1).SortChunk + 7
	for name, at := range map[string]func(i int) float64{
		"random": func(i int) float64 { return float64(int64(ir.Mix(1, uint64(i)))) },
		"few":    func(i int) float64 { return few[ir.Mix(1, uint64(i))%uint64(len(few))] },
		"rises":  func(i int) float64 { return float64(i) },
		"pipes":  func(i int) float64 { return float64(min(i, n-i)) },
		"equal":  func(int) float64 { return -3 },
	} {
		line := make([]float64, n)
		for i := range line {
			line[i] = at(i)
		}
		x := graph.Of(line)
		values, places := make([]uint64, n), make([]int64, n)
		for i, v := range line {
			values[i] = math.Float64bits(v)
		}
		for i, place := range ir.Places(ir.Float64, values, false) {
			places[i] = int64(place)
		}
		for _, workers := range []int{1, 2, 3} {
			in := graph.Input("x", graph.Float64, n)
			p, err := graph.Compile(in.Sort(0), in.ArgSort(0), graph.WithWorkers(workers))
			require.NoError(t, err)
			outs, err := p.RunAll(context.Background(), x)
			require.NoError(t, err)
			sorted, err := graph.Data[float64](outs[0])
			require.NoError(t, err)
			order, err := graph.Data[int64](outs[1])
			require.NoError(t, err)
			for i, place := range places {
				if got := math.Float64bits(sorted[i]); got != values[place] || order[i] != place {
					t.Fatalf("%s, %d workers, element %d: %#x from %d, want %#x from %d", name, workers, i, got, order[i], values[place], place)
				}
			}
		}
	}
}

// TestLongSortsAreCancelled cancels a sort of one long line on one worker. The run asks its context a few times more, and fails.
func TestLongSortsAreCancelled(t *testing.T) {
	n := 8 * tuning.Default(1).SortChunk
	for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
		x := graph.Input("x", dt, n)
		for _, y := range []graph.Node{x.Sort(0), x.ArgSort(0)} {
			p, err := graph.Compile(y, graph.WithWorkers(1))
			require.NoError(t, err)
			cut := &impatient{context.Background(), 0, 2}
			_, err = p.Run(cut, graph.Normal(dt, 1, 0, 1, n))
			require.ErrorIs(t, err, context.Canceled, dt)
			require.Less(t, cut.asked, 100, dt)
		}
	}
}
