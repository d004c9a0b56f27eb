package graph_test

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// longLines are the elements for sorts that take more than one call.
var longLines = map[string]func(i int) float32{
	"random":     func(i int) float32 { return float32(int32(ir.Mix(1, uint64(i)))) },
	"equal":      func(int) float32 { return 7 },
	"descending": func(i int) float32 { return float32(-i) },
	"few": func(i int) float32 { // zeros of both signs, infinities, and NaNs of several payloads
		return math.Float32frombits([]uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc12345, 0x7f800001}[ir.Mix(2, uint64(i))%9])
	},
}

// places returns the indices that sort a line, by a sort of the standard library.
func places(line []float32, down bool) []int64 {
	at := make([]int64, len(line))
	for i := range at {
		at[i] = int64(i)
	}
	slices.SortStableFunc(at, func(i, j int64) int {
		a, b := line[i], line[j]
		switch {
		case a != a || b != b:
			return map[bool]int{true: 1}[a != a] - map[bool]int{true: 1}[b != b]
		case a == b:
			return 0
		case a < b != down:
			return -1
		}
		return 1
	})
	return at
}

// TestLongSort sorts lines of more than one call, also reversed and strided: all elements, nearly all and a few, along
// either axis, by one goroutine and by several, on either engine. Bits and indices are those of a stable sort.
func TestLongSort(t *testing.T) {
	const n, lines = 140_001, 2
	x := graph.Input("x", graph.Float32, lines, 2*n)
	view := x.Slice(":, ::-2")
	most, mostAt := view.TopK(1, n-3)
	least, leastAt := view.T().BottomK(0, 5)
	nodes := []graph.Item{view.Sort(1), view.ArgSort(1), view.SortDescending(1), most, mostAt, least.T(), leastAt.T()}
	options := [][]graph.Item{{graph.WithWorkers(1), graph.WithDebug(graph.Verify)}, {graph.WithWorkers(3)}, {graph.WithWorkers(2), graph.WithDebug(graph.Portable)}}
	for name, element := range longLines {
		data := make([]float32, lines*2*n)
		for i := range data {
			data[i] = element(i)
		}
		var up, down [lines][]int64
		line := func(r, i int) float32 { return data[r*2*n+2*n-1-2*i] }
		for r := range lines {
			elements := make([]float32, n)
			for i := range elements {
				elements[i] = line(r, i)
			}
			up[r], down[r] = places(elements, false), places(elements, true)
		}
		for _, option := range options {
			p, err := graph.Compile(append(slices.Clip(nodes), option...)...)
			require.NoError(t, err)
			outs, err := p.RunAll(context.Background(), graph.Of(data, lines, 2*n))
			require.NoError(t, err)
			for k, want := range [][lines][]int64{up, up, down, down, down, up, up} {
				first := outs[k].Shape()[1]
				for r := range lines {
					if at, err := graph.Data[int64](outs[k]); err == nil {
						require.True(t, slices.Equal(want[r][:first], at[r*first:][:first]), "%s: output %d", name, k)
						continue
					}
					got, err := graph.Data[float32](outs[k])
					require.NoError(t, err)
					same := slices.EqualFunc(want[r][:first], got[r*first:][:first], func(place int64, e float32) bool {
						return math.Float32bits(line(r, int(place))) == math.Float32bits(e)
					})
					require.True(t, same, "%s: output %d", name, k)
				}
			}
		}
	}
}

// TestLongSortOfManyLines sorts several long lines, divided among goroutines, along columns.
func TestLongSortOfManyLines(t *testing.T) {
	const n, lines = 132_000, 17
	data := make([]int64, n*lines)
	for i := range data {
		data[i] = int64(ir.Mix(3, uint64(i)) % 1000)
	}
	x := graph.Const(graph.Of(data, n, lines))
	at, err := graph.Data[int64](run(t, x.ArgSort(0)))
	require.NoError(t, err)
	for c := range lines {
		for i := range n - 1 {
			this, next := at[i*lines+c], at[(i+1)*lines+c]
			a, b := data[int(this)*lines+c], data[int(next)*lines+c]
			if a > b || a == b && this >= next {
				t.Fatalf("column %d, element %d", c, i)
			}
		}
	}
	require.True(t, graph.Equal(run(t, x.TakeAlong(0, x.ArgSort(0))), run(t, x.Sort(0))))
}

// TestLongSortIsCancelled repeatedly cancels a sort of one line, and runs several concurrently: a run checks its
// context often, and a cancelled run does not affect others.
func TestLongSortIsCancelled(t *testing.T) {
	const n = 1 << 20
	p, err := graph.Compile(graph.Input("x", graph.Float32, n).Sort(0), graph.WithWorkers(1))
	require.NoError(t, err)
	x := graph.Normal(graph.Float32, 1, 0, 1, n)
	want, err := p.Run(context.Background(), x)
	require.NoError(t, err)
	out := graph.Ones(graph.Float32, n)
	run := func(ctx context.Context) error { return p.RunInto(ctx, []*graph.Tensor{out}, x) }
	whole := &impatient{context.Background(), 0, 1 << 30}
	require.NoError(t, run(whole))
	require.GreaterOrEqual(t, whole.asked, 8+8, "chunks, and blocks")
	for patience := 0; patience < whole.asked; patience += 7 {
		cut := &impatient{context.Background(), 0, patience}
		require.ErrorIs(t, run(cut), context.Canceled)
		require.LessOrEqual(t, cut.asked, patience+3, "it stops at once")
	}
	var several sync.WaitGroup
	for range 3 {
		several.Go(func() {
			got, err := p.Run(context.Background(), x)
			if err != nil || !graph.Equal(want, got) {
				t.Errorf("a run beside others: %v", err)
			}
		})
	}
	several.Wait()
}

// TestLongRecurrence computes a line of more than one call, and cancels it.
func TestLongRecurrence(t *testing.T) {
	const n = 100_000
	x := graph.Normal(graph.Float32, 1, 0, 1, n)
	p, err := graph.Compile(graph.Input("x", graph.Float32, n).Recurrence(0, 0.75), graph.WithWorkers(1))
	require.NoError(t, err)
	out := graph.Ones(graph.Float32, n)
	whole := &impatient{context.Background(), 0, 1 << 30}
	require.NoError(t, p.RunInto(whole, []*graph.Tensor{out}, x))
	require.GreaterOrEqual(t, whole.asked, 4)
	in, err := graph.Data[float32](x)
	require.NoError(t, err)
	want := slices.Clone(in)
	for i := 1; i < n; i++ {
		want[i] = float32(0.75*want[i-1]) + in[i]
	}
	require.True(t, graph.Equal(graph.Of(want), out))
	cut := &impatient{context.Background(), 0, whole.asked - 2}
	require.ErrorIs(t, p.RunInto(cut, []*graph.Tensor{out}, x), context.Canceled)
}
