package graph_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// TestScansTogether compares scans of one to seven lines by one to eight goroutines, in small blocks, with the
// definition: lengths around those of chunks and blocks, strided and reversed elements, infinities, NaNs, and sums that
// overflow.
func TestScansTogether(t *testing.T) {
	shared := 0
	checkUntil(t, func() bool { return shared > 0 }, func(t *rapid.T) {
		d := rapid.SampledFrom(append((ir.Numeric&ir.Native).List(), ir.Float32, ir.Float64)).Draw(t, "dtype")
		op := rapid.SampledFrom(append(scans, ir.OpCumSum, ir.OpCumSum)).Draw(t, "op")
		n := 1024*rapid.IntRange(1, 9).Draw(t, "chunks") + rapid.SampledFrom([]int{-1, 0, 1, 2, 500}).Draw(t, "rest")
		lines := rapid.IntRange(1, min(7, 20_000/n)).Draw(t, "lines")
		step := rapid.SampledFrom([]int{1, 1, 2, -1, -3}).Draw(t, "step")
		special, huge := rapid.SampledFrom([]int{0, 0, 1, 50}).Draw(t, "special"), rapid.Bool().Draw(t, "huge")
		size := max(step, -step)
		at := layout.Layout{Shape: []int{lines, n}, Strides: []int{n * size, step}, Offset: max(0, (n-1)*-step)}
		x := eval.Array{DType: d, Shape: at.Shape}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range lines * n {
			e := scanElement(rng, d, special)
			if huge && ir.Floats.Has(d) && rng.IntN(300) == 0 {
				e = ir.FromFloat(d, math.Copysign(map[ir.DType]float64{ir.Float32: 3e38, ir.Float64: 1.7e308}[d], rng.Float64()-0.5))
			}
			x.Data = append(x.Data, e)
		}
		f := &ir.Func{Name: "scan"}
		y, err := f.Add(op, ir.Attr{Axis: 1, Exclusive: rapid.Bool().Draw(t, "exclusive")}, ir.Pos{}, f.Param("x", ir.Type{DType: d, Shape: ir.ShapeOf(lines, n)}, &at))
		noError(t, err, f)
		f.Results = []*ir.Value{y}
		want, err := eval.Eval(f, []eval.Array{x})
		noError(t, err, f)
		workers := rapid.IntRange(1, 8).Draw(t, "workers")
		node := replay(f, func(int) graph.Node { return graph.Input("x", d, lines, n) })
		p, err := graph.Compile(node, graph.WithWorkers(workers), graph.ChunkElems(1000), graph.WithDebug(graph.Verify))
		noError(t, err, f)
		got, err := p.Run(context.Background(), toTensor(t, x, &at))
		noError(t, err, f)
		if diff := irtest.Diff(want, []eval.Array{toArray(t, got)}); diff != "" {
			t.Fatalf("%s\n%s", diff, p.Explain())
		}
		if together(p) {
			shared++
		}
	})
	require.NotZero(t, shared)
}

// together reports whether goroutines share the lines of a scan.
func together(p *graph.Program) bool { return strings.Contains(p.Explain(), ": row-scan/parallel,") }

// TestLongScans compares scans of long lines by several goroutines with scans by one, with the default block size. Some
// sums overflow at the end of a chunk or block.
func TestLongScans(t *testing.T) {
	float32s := func(i int) float32 {
		if i%131_072 >= 131_070 || i%262_144 < 2 {
			return math.Float32frombits(0x7f7fffff ^ uint32(i/65_536)<<31)
		}
		return float32(int32(ir.Mix(1, uint64(i)))) * 0x1p-20
	}
	for _, n := range []int{262_144, 1_048_576 + 1023} {
		a, b, c := make([]float32, n), make([]float64, n), make([]int64, n)
		for i := range n {
			a[i], b[i], c[i] = float32s(i), float64(float32s(i)), int64(ir.Mix(2, uint64(i)))
		}
		nan := append([]float32(nil), a...)
		nan[n/3] = float32(math.NaN())
		for name, in := range map[string]*graph.Tensor{
			"float32": graph.Of(a), "NaN": graph.Of(nan), "float64": graph.Of(b), "int64": graph.Of(c), "two lines": graph.Of(c[:n/2*2], 2, n/2),
		} {
			x := graph.Input("x", in.DType(), in.Shape())
			ys := graph.Nodes{x.CumSum(-1), x.CumMax(-1, graph.Reverse), x.CumSum(-1, graph.Exclusive), x.Neg().CumMin(-1)}
			var want []*graph.Tensor
			for _, workers := range []int{1, 2, 8} {
				p, err := graph.Compile(ys, graph.WithWorkers(workers))
				require.NoError(t, err)
				require.Equal(t, workers > len(in.Shape()), together(p), explaining{p})
				outs, err := p.RunAll(context.Background(), in)
				require.NoError(t, err)
				if want == nil {
					want = outs
				}
				for i := range outs {
					require.True(t, graph.Equal(want[i], outs[i]), fmt.Sprint(name, " ", n, " ", workers, " output ", i))
				}
			}
		}
	}
}

// TestLongScanInPlace computes a long scan of integers in place, which is not done block by block.
func TestLongScanInPlace(t *testing.T) {
	const n = 1 << 19
	data, want := make([]int32, n), make([]int32, n)
	sum := int32(0)
	for i := range data {
		data[i] = int32(ir.Mix(3, uint64(i)))
		sum += data[i]
		want[i] = sum
	}
	p, err := graph.Compile(graph.Input("x", graph.Int32, n).CumSum(0), graph.WithWorkers(2))
	require.NoError(t, err)
	require.True(t, together(p))
	require.Contains(t, p.Explain(), "out0 can be computed in place of x")
	x := graph.Of(data)
	require.NoError(t, p.RunInto(context.Background(), []*graph.Tensor{x}, x))
	require.True(t, graph.Equal(graph.Of(want), x))
}
