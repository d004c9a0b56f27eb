package graph_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestGradOfNodes covers what may be an x: inputs, captured tensors, computed values, named axes, y itself, and Nodes
// that y does not depend on.
func TestGradOfNodes(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Axis("row", 2), graph.Axis("col", graph.Dim("n")))
	c, v := graph.Const(graph.Of([]float32{1, 2}, 2, 1)), graph.Variable(graph.Of([]float32{3}))
	h := x.Mul(c).Mul(v)
	y := h.Square()
	grads := graph.Grad(y, x, c, v, h, y, x.WithAxes("a", "b"), graph.Input("z", graph.Float64, 4), x)
	for i, want := range []string{"[row=2,col=n]", "[2,1]", "[1]", "[row=2,col=n]", "[row=2,col=n]", "[a=2,b=n]", "[4]", "[row=2,col=n]"} {
		require.NoError(t, grads[i].Err())
		require.Contains(t, grads[i].String(), want)
	}
	p, err := graph.Compile(grads, graph.WithInputs(x))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), graph.Of([]float32{1, 2, 3, 4}, 2, 2))
	require.NoError(t, err)
	for i, want := range []string{
		"[[ 18. 36.] [216. 288.]]", "[[ 90.] [900.]]", "[630.]", "[[ 6. 12.] [36. 48.]]", "[[1. 1.] [1. 1.]]", "[[ 18. 36.] [216. 288.]]", "[0. 0. 0. 0.]", "[[ 18. 36.] [216. 288.]]",
	} {
		require.Contains(t, shown(outs[i]), want, "gradient %d", i)
	}
	require.Empty(t, graph.Grad(y))
}

// TestGradKeepsTypes: a gradient has the type of its x, whatever the types on the way.
func TestGradKeepsTypes(t *testing.T) {
	for _, dt := range ir.Fractions.List() {
		x := graph.Input("x", dt, 5)
		y := x.Cast(graph.Float64).Sin().Cast(graph.Float32)
		want := dt
		if ir.Minifloats.Has(dt) {
			want = graph.Float32
		}
		g := graph.Grad(y.Add(x.Cast(graph.Float32)), x)[0]
		require.NoError(t, g.Err(), dt.String())
		require.Equal(t, want, g.DType(), dt.String())
		_, err := graph.Compile(g)
		require.NoError(t, err, dt.String())
	}
}

// TestProductsWithDerivatives compares JVP, VJP and HVP with sums of gradients.
func TestProductsWithDerivatives(t *testing.T) {
	x, w := graph.Input("x", graph.Float64, 3, 2), graph.Input("w", graph.Float64, 2, 3)
	a, b := graph.Input("a", graph.Float64, 3, 2), graph.Input("b", graph.Float64, 2, 3)
	u := graph.Input("u", graph.Float64, 3, 3)
	y := x.MatMul(w).Tanh()
	forward := graph.JVP(y, []graph.Node{x, w}, []graph.Node{a, b})
	back := graph.VJP(y, u, x, w)
	hv := graph.HVP(y, []graph.Node{x, w}, []graph.Node{a, b})
	g := graph.Grad(y, x, w)
	along := g[0].Mul(a).Sum().Add(g[1].Mul(b).Sum())
	second := graph.Grad(along, x, w)
	p, err := graph.Compile(
		forward.Mul(u).Sum().Sub(back[0].Mul(a).Sum().Add(back[1].Mul(b).Sum())).Abs(), // u'(J a) is (u'J) a
		hv[0].Sub(second[0]).Abs().Max(), hv[1].Sub(second[1]).Abs().Max(), forward.Norm2(),
	)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 3))
	var ins []*graph.Tensor
	for _, in := range p.Inputs() {
		s, _ := in.Shape.Ints()
		data := make([]float64, s[0]*s[1])
		for i := range data {
			data[i] = rng.NormFloat64()
		}
		ins = append(ins, graph.Of(data, s...))
	}
	outs, err := p.RunAll(t.Context(), ins...)
	require.NoError(t, err)
	for i, out := range outs {
		v, err := graph.At[float64](out)
		require.NoError(t, err)
		if i == 3 {
			require.Greater(t, v, 0.1)
		} else {
			require.Less(t, v, 1e-12)
		}
	}
}

// TestGradOfLookupHasOneOrder: the cotangents of rows that are looked up several times are added in one order, on any
// number of workers.
func TestGradOfLookupHasOneOrder(t *testing.T) {
	table, at := graph.Input("table", graph.Float32, 50, 16), graph.Input("at", graph.Int64, graph.Dim("n"))
	weights := graph.Input("weights", graph.Float32, graph.Dim("n"), 16)
	g := graph.Grad(table.Take(0, at).Mul(weights).Sin(), table)[0]
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 20000
	rows, w, data := make([]int64, n), make([]float32, n*16), make([]float32, 50*16)
	for i := range rows {
		rows[i] = rng.Int64N(50)
	}
	for i := range w {
		w[i] = float32(rng.NormFloat64())
	}
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	var first *graph.Tensor
	for _, workers := range []int{1, 2, 3, 8} {
		p, err := graph.Compile(g, graph.WithWorkers(workers))
		require.NoError(t, err)
		out, err := p.Run(t.Context(), graph.Of(data, 50, 16), graph.Of(rows), graph.Of(w, n, 16))
		require.NoError(t, err)
		if first == nil {
			first = out
		}
		require.True(t, graph.Equal(first, out), "%d workers", workers)
	}
}

// TestGradInParallel: goroutines may differentiate the same Nodes at the same time.
func TestGradInParallel(t *testing.T) {
	x := graph.Input("x", graph.Float32, 8, 8)
	y := x.Softmax(-1).LayerNorm(1, 0, 1e-5).MatMul(x).ReLU().Max(0)
	var wg sync.WaitGroup
	texts := make([]string, 4)
	for i := range texts {
		wg.Go(func() {
			p, err := graph.Compile(graph.Grad(y, x))
			if err == nil {
				f, _ := p.Func()
				texts[i] = f.String()
			}
		})
	}
	wg.Wait()
	for _, text := range texts {
		require.NotEmpty(t, text)
		require.Equal(t, texts[0], text)
	}
}

// TestRelocatedRules: Nodes with rules of their own keep them when a front end moves their positions.
func TestRelocatedRules(t *testing.T) {
	x := graph.Input("x", graph.Float64, 3)
	h := func() graph.Node { h := x.Mul(1); return graph.StopGradient(h).Mul(h.ReLU()) }() // all on one line
	p, err := graph.Compile(h)
	require.NoError(t, err)
	f, _ := p.Func()
	moved := graph.Relocate(h, f.Results[0].Pos, ir.Pos{File: "formula", Line: 7})
	p, err = graph.Compile(graph.Grad(moved, x))
	require.NoError(t, err)
	require.Contains(t, p.String(), "formula:7")
	out, err := p.Run(t.Context(), graph.Of([]float64{-1, 0, 2}))
	require.NoError(t, err)
	require.Equal(t, "float64[3] [0. 0. 2.]", shown(out))
}
