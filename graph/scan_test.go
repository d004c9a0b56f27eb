package graph_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
)

var scans = []ir.Op{ir.OpCumSum, ir.OpCumProd, ir.OpCumMin, ir.OpCumMax}

// TestScans compares scans of all ops and types along every axis, with operands of any layout, alone and between other
// operations, with the definition.
func TestScans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &scanGraph{T: t, f: &ir.Func{Name: "scan"}}
		x, input := g.operand()
		checkPrograms(t, g.program(x), []eval.Array{input}, nil)
	})
}

type scanGraph struct {
	*rapid.T
	f *ir.Func
}

func (g *scanGraph) oneOf(name string, list ...int) int {
	return rapid.SampledFrom(list).Draw(g.T, name)
}

func (g *scanGraph) add(op ir.Op, a ir.Attr, args ...*ir.Value) *ir.Value {
	v, err := g.f.Add(op, a, ir.Pos{}, args...)
	if err != nil {
		g.Fatalf("%v\n%s", err, g.f)
	}
	return v
}

// operand declares a param of any layout.
func (g *scanGraph) operand() (*ir.Value, eval.Array) {
	d := rapid.SampledFrom(ir.Numeric.List()).Draw(g.T, "dtype")
	shape := make([]int, g.oneOf("rank", 1, 2, 2, 3, 4))
	left := 12_000
	for _, k := range rapid.Permutation(indices(len(shape))).Draw(g.T, "order") {
		fit := slices.DeleteFunc([]int{1, 2, 7, 8, 9, 16, 17, 31, 33, 100, 1023, 1024, 1025, 2049, 3000, 9000, 0}, func(n int) bool { return n > left })
		shape[k] = g.oneOf("extent", fit...)
		left /= max(1, shape[k])
	}
	order := rapid.Permutation(indices(len(shape))).Draw(g.T, "layout")
	l := layout.Layout{Shape: shape, Strides: make([]int, len(shape))}
	step := g.oneOf("step", 1, 1, 2)
	for _, k := range order {
		l.Strides[k] = step
		switch g.oneOf("stride", 0, 1, 1, 1, -1) {
		case 0:
			l.Strides[k] = 0
		case -1:
			l.Strides[k] = -step
			l.Offset += step * max(0, shape[k]-1)
			fallthrough
		case 1:
			step *= max(1, shape[k])
		}
	}
	a := eval.Array{DType: d, Shape: shape}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(g.T, "seed"), 1))
	special := g.oneOf("special", 0, 0, 1, 50)
	at := map[int]uint64{}
	for k := range l.All() {
		if _, ok := at[k]; !ok {
			at[k] = scanElement(rng, d, special)
		}
		a.Data = append(a.Data, at[k])
	}
	return g.f.Param("x", ir.Type{DType: d, Shape: ir.ShapeOf(shape...)}, &l), a
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// scanElement returns an element; floats are mostly near 1, so that a long product stays in range.
func scanElement(rng *rand.Rand, d ir.DType, special int) uint64 {
	v := math.Copysign(math.Exp2(rng.Float64()-0.5), rng.Float64()-0.4)
	if rng.IntN(1000) < special {
		v = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1e30, 3e38, -3e38, -1.7e308}[rng.IntN(9)]
	}
	if ir.Floats.Has(d) {
		return ir.FromFloat(d, v)
	}
	return ir.Wrap(d, int64(rng.Uint64()))
}

// program makes results from scans of x, scans of values computed from x, and values that other loops compute from
// scans.
func (g *scanGraph) program(x *ir.Value) *ir.Func {
	axis := func() int { return g.oneOf("axis", indices(len(x.Type.Shape))...) }
	scan := func(x *ir.Value) *ir.Value {
		a := ir.Attr{Axis: axis(), Exclusive: rapid.Bool().Draw(g.T, "exclusive")}
		op := rapid.SampledFrom(scans).Draw(g.T, "scan")
		if !rapid.Bool().Draw(g.T, "reverse") {
			return g.add(op, a, x)
		}
		flip := ir.Attr{Axes: []int{a.Axis}}
		return g.add(ir.OpFlip, flip, g.add(op, a, g.add(ir.OpFlip, flip, x)))
	}
	y := x
	for range g.oneOf("steps", 1, 2, 3) {
		if rapid.Bool().Draw(g.T, "before") {
			y = g.add(ir.OpAdd, ir.Attr{}, y, x)
		}
		y = scan(y)
		if rapid.Bool().Draw(g.T, "after") {
			y = g.add(ir.OpMax, ir.Attr{}, y, x)
		}
		if g.oneOf("kept", 0, 0, 1) == 1 && !slices.Contains(g.f.Results, y) {
			g.f.Results = append(g.f.Results, y)
		}
	}
	if !slices.Contains(g.f.Results, y) {
		g.f.Results = append(g.f.Results, y)
	}
	return g.f
}

// TestStreamedScansDown has columns of two chunks, and several pieces of rows for the executor that stores past the
// caches. The race detector, which checks pointers, shows that few rows stay within their memory.
func TestStreamedScansDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i, x := range []struct {
		d          ir.DType
		rows, cols int
	}{{ir.Float32, 1029, 600}, {ir.Float64, 1029, 300}, {ir.Float32, 1029, 1030}, {ir.Int64, 1029, 257}, {ir.Float32, 2, 357}} {
		a := eval.Array{DType: x.d, Shape: []int{x.rows, x.cols}}
		for range x.rows * x.cols {
			a.Data = append(a.Data, scanElement(rng, x.d, 0))
		}
		f := &ir.Func{Name: "scan"}
		p := f.Param("x", ir.Type{DType: x.d, Shape: ir.ShapeOf(x.rows, x.cols)}, nil)
		y, err := f.Add(scans[i%len(scans)], ir.Attr{Axis: 0, Exclusive: i%2 == 0}, ir.Pos{}, p)
		require.NoError(t, err)
		f.Results = []*ir.Value{y}
		want, err := eval.Eval(f, []eval.Array{a})
		require.NoError(t, err)
		node := replay(f, func(int) graph.Node { return graph.Input("x", x.d, x.rows, x.cols) })
		program, err := graph.Compile(graph.WithWorkers(2), graph.ChunkElems(4000), node)
		require.NoError(t, err)
		got, err := program.Run(context.Background(), toTensor(t, a, nil))
		require.NoError(t, err)
		require.Empty(t, irtest.Diff(want, []eval.Array{toArray(t, got)}), "%s of %s, %d columns", scans[i%len(scans)], x.d, x.cols)
	}
}

// A scan after a softmax reads its rows from the cache.
func TestScanInRowGroup(t *testing.T) {
	x := graph.Input("x", graph.Float32, 300, 500)
	for _, y := range []graph.Node{x.Softmax(1).CumSum(-1), x.Exp().CumSum(1), x.CumMax(1).Sub(x)} {
		p, err := graph.Compile(graph.WithDebug(graph.Verify), y)
		require.NoError(t, err)
		var plan strings.Builder
		require.NoError(t, p.Dump(&plan, "plan"))
		require.Contains(t, plan.String(), "rows first=0")
		require.Contains(t, plan.String(), "= scratch")
	}
}

// impatient is a context that is cancelled after it has been asked a few times.
type impatient struct {
	context.Context
	asked, patience int
}

func (c *impatient) Err() error {
	if c.asked++; c.asked > c.patience {
		return context.Canceled
	}
	return nil
}

// A scan of one block of long lines checks its context as often as other work does.
func TestScanIsCancelled(t *testing.T) {
	for _, c := range []struct{ rows, cols, axis int }{{1, 1 << 20, 1}, {8, 1 << 17, 1}, {1 << 17, 8, 0}, {1 << 20, 1, 0}} {
		p, err := graph.Compile(graph.Input("x", graph.Float32, c.rows, c.cols).CumSum(c.axis), graph.WithWorkers(1))
		require.NoError(t, err)
		x := graph.Ones(graph.Float32, c.rows, c.cols)
		run := func(ctx *impatient) error {
			return p.RunInto(ctx, []*graph.Tensor{graph.Ones(graph.Float32, c.rows, c.cols)}, x)
		}
		whole := &impatient{context.Background(), 0, 1 << 30}
		require.NoError(t, run(whole))
		require.GreaterOrEqual(t, whole.asked, 8, "%v", c)
		for patience := range whole.asked {
			if patience < 10 || patience == whole.asked-1 {
				cut := &impatient{context.Background(), 0, patience}
				require.ErrorIs(t, run(cut), context.Canceled)
				require.LessOrEqual(t, cut.asked, patience+3, "it stops at once")
			}
		}
	}
}

// TestScanOfColumnInJoin stores scans and products of one column between others: their results are strided in memory.
func TestScanOfColumnInJoin(t *testing.T) {
	for _, d := range []graph.DType{graph.Float32, graph.Int64} {
		x, y := graph.Input("x", d, 5, 1), graph.Input("y", d, 3, 1, 4, 1)
		in, wide := fives(t, d, 5, 1), fives(t, d, 3, 1, 4, 1)
		everyWay(t, graph.Nodes{x.CumSum(0).Pad([]int{0, 1}, []int{2, 0}, graph.PadConstant)}, in)
		everyWay(t, graph.Nodes{graph.Concat(1, x, x.MatMul(x.T()).MatMul(x), x)}, in)
		for axis := range 4 {
			everyWay(t, graph.Nodes{graph.Concat(3, y, y.CumSum(axis))}, wide)
			everyWay(t, graph.Nodes{graph.Concat(1, y, y.CumSum(axis))}, wide)
		}
	}
}

// fives returns 5, 10, 15, ...
func fives(t *testing.T, d graph.DType, shape ...int) *graph.Tensor {
	n := 1
	for _, e := range shape {
		n *= e
	}
	p, err := graph.Compile(graph.Iota(d, n).Add(1).Mul(5).Reshape(graph.New(d, shape...).Shape()))
	require.NoError(t, err)
	out, err := p.Run(t.Context())
	require.NoError(t, err)
	return out
}
