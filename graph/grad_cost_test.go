package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/optim"
)

// TestGradCostsWhatHandWrittenCosts compares programs of Grad with programs of the derivatives that a user would write:
// Grad's have as few loops, temporaries and bytes moved, and the same results.
func TestGradCostsWhatHandWrittenCosts(t *testing.T) {
	in := func(name string, shape ...int) graph.Node { return graph.Input(name, graph.Float32, shape) }
	x, g := in("x", 96, 256), in("g", 96, 256)
	w, b, gw := in("w", 256, 64), in("b", 64), in("gw", 96, 64)
	scale, offset := in("scale", 256), in("offset", 256)
	labels := graph.Input("labels", graph.Int64, 96)
	q, k, v, gv := in("q", 4, 32, 64), in("k", 4, 32, 64), in("v", 4, 32, 64), in("gv", 4, 32, 64)
	image, gi := in("image", 8, 16, 14, 14), in("gi", 8, 16, 7, 7)
	half := graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}}
	transposed := func(x graph.Node) graph.Node { return x.SwapAxes(-1, -2) }
	mean := func(x graph.Node) graph.Node { return x.Mean(-1, graph.KeepDims) }
	density := func(x graph.Node) graph.Node { return x.Square().Mul(-0.5).Exp().Mul(1 / math.Sqrt(2*math.Pi)) }
	below := func(x graph.Node) graph.Node { return x.Mul(math.Sqrt2 / 2).Erf().Add(1).Mul(0.5) }
	slope := func(x graph.Node) graph.Node { return x.Mul(density(x)).Add(below(x)) } // of gelu

	for name, c := range map[string]struct {
		by, hand graph.Nodes
	}{
		"softmax": {graph.VJP(x.Softmax(-1), g, x), func() graph.Nodes {
			y := x.Softmax(-1)
			return graph.Nodes{g.Sub(g.Mul(y).Sum(-1, graph.KeepDims)).Mul(y)}
		}()},
		"layernorm": {graph.VJP(x.LayerNorm(scale, offset, 1e-5), g, x, scale, offset), func() graph.Nodes {
			d := x.Sub(mean(x))
			r := mean(d.Square()).Add(1e-5).Rsqrt()
			y, gs := d.Mul(r), g.Mul(scale)
			return graph.Nodes{gs.Sub(mean(gs)).Sub(mean(gs.Mul(y)).Mul(y)).Mul(r), g.Mul(y).Sum(0), g.Sum(0)}
		}()},
		// Both check the labels by a gather. The sum of each row of the cotangent is a loop, because the compiler does not know that it is 1.
		"cross entropy": {graph.Grad(optim.CrossEntropy(x, labels).Mean(), x), func() graph.Nodes {
			checked := labels.Add(graph.Fill(graph.Int64, 0, 256).Take(0, labels))
			right := checked.Unsqueeze(-1).Eq(graph.Iota(graph.Int64, 256)).Cast(graph.Float32)
			return graph.Nodes{x.LogSoftmax(-1).Exp().Mul(right.Sum(-1, graph.KeepDims)).Sub(right).Mul(1. / 96)}
		}()},
		"gelu": {graph.VJP(x.GELU(), g, x), graph.Nodes{slope(x).Mul(g)}},
		"layer": {graph.VJP(x.MatMul(w).Add(b).GELU(), gw, x, w, b), func() graph.Nodes {
			d := slope(x.MatMul(w).Add(b)).Mul(gw)
			return graph.Nodes{d.MatMul(w.T()), x.T().MatMul(d), d.Sum(0)}
		}()},
		"attention": {graph.VJP(q.MatMul(transposed(k)).Mul(0.125).Softmax(-1).MatMul(v), gv, q, k, v), func() graph.Nodes {
			p := q.MatMul(transposed(k)).Mul(0.125).Softmax(-1)
			dp := gv.MatMul(transposed(v))
			ds := dp.Sub(dp.Mul(p).Sum(-1, graph.KeepDims)).Mul(p).Mul(0.125)
			return graph.Nodes{ds.MatMul(k), transposed(ds).MatMul(q), transposed(p).MatMul(gv)}
		}()},
		"pool": {func() graph.Nodes {
			y := image.MaxPool(half)
			return graph.Nodes{y, graph.VJP(y, gi, image)[0]}
		}(), func() graph.Nodes {
			parts := image.Reshape(8, 16, 7, 2, 7, 2)
			y := parts.Max(3, 5)
			tie := parts.Eq(y.Unsqueeze(3, 5))
			each := gi.Div(tie.Cast(graph.Float32).Sum(3, 5))
			return graph.Nodes{y, graph.Where(tie, each.Unsqueeze(3, 5), 0).Reshape(8, 16, 14, 14)}
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			by, byOuts := effortOf(t, c.by)
			hand, handOuts := effortOf(t, c.hand)
			t.Logf("%+v; by hand %+v", by, hand)
			require.LessOrEqual(t, by.count, hand.count)
			require.LessOrEqual(t, by.temporaries, hand.temporaries)
			require.LessOrEqual(t, by.moved, hand.moved+64, "but for a few numbers")
			for i := range byOuts {
				got, err := graph.Data[float32](byOuts[i])
				require.NoError(t, err)
				want, err := graph.Data[float32](handOuts[i])
				require.NoError(t, err)
				require.InDeltaSlice(t, want, got, 1e-4)
			}
		})
	}
}

// TestGradOfConvolutionIsTwoProducts: the graph does not grow with the taps of the weights.
func TestGradOfConvolutionIsTwoProducts(t *testing.T) {
	x := graph.Input("x", graph.Float32, 4, 8, 12, 12)
	sizes := map[int]int{}
	for _, size := range []int{3, 5} {
		w := graph.Input("w", graph.Float32, 16, 8, size, size)
		y := x.Conv(w, graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}})
		p, err := graph.Compile(graph.VJP(y, graph.Input("g", graph.Float32, y.Shape()), x, w))
		require.NoError(t, err)
		f, _ := p.Func()
		products := 0
		for _, v := range f.Body {
			if v.Op == ir.OpConv || v.Op.IsProduct() {
				products++
			}
		}
		require.Equal(t, 2, products)
		sizes[len(f.Body)]++
	}
	require.Len(t, sizes, 1)
}

// effort is what a program costs: loops, and bytes.
type effort struct{ count, temporaries, moved int }

// effortOf runs a program of Nodes on random inputs.
func effortOf(t *testing.T, outputs graph.Nodes) (c effort, outs []*graph.Tensor) {
	p, err := graph.Compile(outputs)
	require.NoError(t, err)
	var ins []*graph.Tensor
	for _, in := range p.Inputs() {
		shape, _ := in.Shape.Ints()
		seed := uint64(len(in.Name) + int(in.Name[0]))
		if in.DType == graph.Int64 {
			ins = append(ins, graph.Zeros(graph.Int64, shape...))
		} else {
			ins = append(ins, graph.Uniform(in.DType, seed, -1, 1, shape...))
		}
	}
	outs, err = p.RunAll(t.Context(), ins...)
	require.NoError(t, err)
	moved, _ := p.Traffic()
	return effort{len(p.Plan().Steps), p.Temporaries(), moved}, outs
}
