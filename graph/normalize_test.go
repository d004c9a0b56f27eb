package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// cost is the cost of a program for one input, besides reading it and writing the results, relative to the input's
// size.
type cost struct {
	groups      int
	temps       float64 // bytes of the largest temporary
	read, write float64
}

func costOf(t *testing.T, ys ...graph.Item) cost {
	t.Helper()
	p, err := graph.Compile(append(ys, graph.WithDebug(graph.Verify))...)
	require.NoError(t, err)
	pl := p.Plan()
	c := cost{groups: len(pl.Rows)}
	size := 0.0
	for _, b := range pl.Buffers {
		switch n := float64(b.Size() * b.DType.Size()); b.Kind {
		case plan.ParamBuffer:
			size = max(size, n)
		case plan.TempBuffer:
			c.temps = max(c.temps, n)
		}
	}
	for i := range pl.Steps {
		read, written := pl.Traffic(i)
		c.read, c.write = c.read+float64(read)/size, c.write+float64(written)/size
	}
	c.temps /= size
	return c
}

// normals are the functions that keep the shape, over axes.
func normals(x graph.Node, axes ...any) map[string]graph.Node {
	return map[string]graph.Node{
		"softmax": x.Softmax(axes), "logsoftmax": x.LogSoftmax(axes), "standardize": x.Standardize(1e-5, axes), "l2": x.L2Normalize(1e-5, axes),
	}
}

// TestNormalsAreRowGroups: along the last axes normalizations are one row group without temporaries.
func TestNormalsAreRowGroups(t *testing.T) {
	for _, c := range []struct{ shape, axes []any }{
		{[]any{300, 500}, []any{1}}, {[]any{20, 4, 64}, []any{-1}}, {[]any{8, 100, 1500}, []any{-1}},
		{[]any{4, 8, 100, 150}, []any{2, 3}}, {[]any{4, 8, 10, 15}, []any{1, 2, 3}}, {[]any{4, 50_000}, []any{1}}, {[]any{2, 3, 4, 1025}, []any{3}},
	} {
		x := f32("x", c.shape...)
		ys := normals(x, c.axes...)
		last := c.shape[len(c.shape)-1].(int)
		if len(c.axes) == 1 {
			ys["layernorm"] = x.LayerNorm(f32("w", last), f32("b", last), 1e-5)
			ys["rmsnorm"] = x.RMSNorm(f32("w", last), 1e-5)
		}
		if len(c.shape) == 4 && len(c.axes) == 2 {
			ys["instancenorm"] = x.InstanceNorm(f32("w", c.shape[1]), f32("b", c.shape[1]), 1e-5)
			ys["groupnorm"] = x.GroupNorm(4, f32("w", c.shape[1]), f32("b", c.shape[1]), 1e-5)
		}
		for name, y := range ys {
			got := costOf(t, y)
			require.Equal(t, 1, got.groups, "%s %v %v", name, c.shape, c.axes)
			require.Zero(t, got.temps, "%s %v %v", name, c.shape, c.axes)
			require.InDelta(t, 1, got.write, 1e-9, "%s %v %v: its result alone is written", name, c.shape, c.axes)
		}
	}
}

// TestNormalsElsewhere: along other axes, all axes, and lines too long for a group, only partial results and Softmax's
// exponentials are stored.
func TestNormalsElsewhere(t *testing.T) {
	for _, c := range []struct{ shape, axes []any }{
		{[]any{300, 500}, []any{0}}, {[]any{300, 500}, nil}, {[]any{40, 100, 150}, []any{0}}, {[]any{8, 100, 150}, []any{1}},
		{[]any{40, 30, 100, 15}, []any{0, 1}}, {[]any{600_000}, nil}, {[]any{4, 300_000}, []any{1}},
	} {
		for name, y := range normals(f32("x", c.shape...), c.axes...) {
			got, most := costOf(t, y), 0.03
			if name == "softmax" {
				most = 1
			}
			require.LessOrEqual(t, got.temps, most, "%s %v %v", name, c.shape, c.axes)
		}
	}
}

// TestBytesMoved: the bytes that reductions read from memory and write, relative to the size of their input.
func TestBytesMoved(t *testing.T) {
	x, y := f32("x", 300, 500), f32("y", 300, 500)
	for k, c := range []struct {
		ys   []graph.Item
		read float64
	}{
		{[]graph.Item{x.Sub(y).Square().Sum()}, 2},
		{[]graph.Item{x.Sub(y).Square().Sum(0)}, 2},
		{[]graph.Item{x.Min(), x.Max(), x.Sum()}, 1},
		{[]graph.Item{x.Min(0), x.Max(0), x.Sum(0), x.SumSquares(0)}, 1},
		{[]graph.Item{x.Min(1), x.Max(1), x.Mean(1), x.Norm2(1)}, 1},
		{[]graph.Item{x.Mean(1), x.Var(1)}, 1}, // the mean, then the squares of a row that is in the cache
		{[]graph.Item{x.Std()}, 2},
		{[]graph.Item{x.Sum().Sqrt().Div(7)}, 1},
		{[]graph.Item{x.Sum(0).Sqrt().Div(7), x.T().Sum(1).Neg()}, 1},
		{[]graph.Item{x.Exp().Mul(y).Add(1).Max(1)}, 2},
		{[]graph.Item{x.T().Flip(0).Sum(0)}, 1},
		{[]graph.Item{x.Slice("::2").Sum(1)}, 0.5},
	} {
		got := costOf(t, c.ys...)
		require.InDelta(t, c.read, got.read, 0.03, "case %d", k)
		require.Less(t, got.write, 0.03, "case %d", k)
		require.Less(t, got.temps, 0.03, "case %d", k)
	}
}

// TestNormalsOfExtremes: infinities and huge numbers.
func TestNormalsOfExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := f32("x", 3)
	for _, c := range []struct{ in, softmax, log []float64 }{
		{[]float64{-inf, -inf, -inf}, []float64{nan, nan, nan}, []float64{nan, nan, nan}},
		{[]float64{1, inf, 2}, []float64{nan, nan, nan}, []float64{nan, nan, nan}},
		{[]float64{1, nan, 2}, []float64{nan, nan, nan}, []float64{nan, nan, nan}},
		{[]float64{-inf, 3, -inf}, []float64{0, 1, 0}, []float64{-inf, 0, -inf}},
		{[]float64{1e38, -3e38, 1e38}, []float64{0.5, 0, 0.5}, []float64{-math.Ln2, -inf, -math.Ln2}},
		{[]float64{-3e38, -3e38, -inf}, []float64{0.5, 0.5, 0}, []float64{-math.Ln2, -math.Ln2, -inf}},
		{[]float64{1e-45, 0, -1e-45}, []float64{1. / 3, 1. / 3, 1. / 3}, []float64{-math.Log(3), -math.Log(3), -math.Log(3)}},
	} {
		data := make([]float32, 3)
		for i, v := range c.in {
			data[i] = float32(v)
		}
		got := everyWay(t, graph.Nodes{x.Softmax(0), x.LogSoftmax(0)}, graph.Of(data))
		for k, want := range [][]float64{c.softmax, c.log} {
			for i, v := range floats(got[k]) {
				if w := float64(float32(want[i])); math.IsNaN(w) {
					require.True(t, math.IsNaN(v), "%v", c.in)
				} else if v != w {
					require.InEpsilon(t, w, v, 1e-6, "%v", c.in)
				}
			}
		}
	}
}

// TestNormalsOfNumbers compares with plain loops in float64, for all shapes of outer and inner axes.
func TestNormalsOfNumbers(t *testing.T) {
	for _, shape := range [][3]int{{3, 5, 1}, {1, 40, 1}, {4, 1, 3}, {2, 1030, 1}, {2, 33, 17}, {40, 8, 9}} {
		in := graph.Normal(graph.Float32, 1, 3, 2, shape[:]...)
		x := f32("x", shape[0], shape[1], shape[2])
		ys := graph.Nodes{x.Softmax(1), x.LogSoftmax(1), x.Standardize(1e-5, 1), x.L2Normalize(1e-5, 1), x.Permute(0, 2, 1).LayerNorm(2, 1, 1e-5).Permute(0, 2, 1), x.Permute(0, 2, 1).RMSNorm(3, 1e-5).Permute(0, 2, 1), x.LogSumExp(1, graph.KeepDims).BroadcastTo(shape[0], shape[1], shape[2])}
		got, data := everyWay(t, ys, in), floats(elements(t, in))
		for a := range shape[0] {
			for b := range shape[2] {
				at := func(i int) int { return (a*shape[1]+i)*shape[2] + b }
				n := float64(shape[1])
				mean, exps, squares, spread := 0.0, 0.0, 0.0, 0.0
				for i := range shape[1] {
					v := data[at(i)]
					mean, exps, squares = mean+v/n, exps+math.Exp(v), squares+v*v
				}
				for i := range shape[1] {
					d := data[at(i)] - mean
					spread += d * d / n
				}
				for i := range shape[1] {
					v := data[at(i)]
					std := (v - mean) / math.Sqrt(spread+1e-5)
					for k, want := range []float64{math.Exp(v) / exps, v - math.Log(exps), std, v / math.Sqrt(squares), 2*std + 1, 3 * v / math.Sqrt(squares/n+1e-5), math.Log(exps)} {
						require.InDelta(t, want, floats(got[k][at(i) : at(i)+1])[0], 2e-5, "%v output %d", shape, k)
					}
				}
			}
		}
	}
}

// TestNormsByChannel: the ops of each normalization along channels.
func TestNormsByChannel(t *testing.T) {
	x := f32("x", 2, 6, 3, 5)
	w, b, m, v := f32("w", 6), f32("b", 6), f32("m", 6), f32("v", 6)
	per := func(p graph.Node) graph.Node { return p.Reshape(6, 1, 1) }
	in := []*graph.Tensor{graph.Normal(graph.Float32, 1, 3, 2, 2, 6, 3, 5)}
	for k := range 4 {
		in = append(in, graph.Uniform(graph.Float32, uint64(k), 1, 2, 6))
	}
	group := x.Reshape(2, 3, 2, 3, 5).Standardize(1e-3, 2, 3, 4).Reshape(2, 6, 3, 5)
	got := everyWay(t, graph.Nodes{
		x.BatchNorm(-3, m, v, w, b, 1e-3), x.Sub(per(m)).Div(per(v).Add(1e-3).Sqrt()).Mul(per(w)).Add(per(b)),
		x.InstanceNorm(w, b, 1e-3), x.Standardize(1e-3, 2, 3).Mul(per(w)).Add(per(b)),
		x.GroupNorm(3, w, b, 1e-3), group.Mul(per(w)).Add(per(b)),
		x.GroupNorm(6, w, b, 1e-3), x.Standardize(1e-3, 2, 3).Mul(per(w)).Add(per(b)),
	}, in...)
	for k := 0; k < len(got); k += 2 {
		require.Equal(t, got[k+1], got[k], "norm %d", k/2)
	}
}

func TestNormErrors(t *testing.T) {
	x, w := f32("x", 2, 1, 4), f32("w", 5)
	n := f32("n", graph.Dim("n"), graph.Dim("m"))
	per := f32("p", graph.Dim("m"))
	for _, c := range []struct {
		y    graph.Node
		want string
	}{
		{x.Softmax(3), "axis 3 is outside rank 3"},
		{x.Softmax(1, graph.Reverse), "does not take the option Reverse"},
		{x.InstanceNorm(w, w, 1), "instancenorm: a parameter has shape [5]: it needs one element for each index of axis 1 of [2,1,4]"},
		{x.BatchNorm(1, w, w, w, w, 1), "batchnorm: a parameter has shape [5]"},
		{x.BatchNorm(3, w, w, w, w, 1), "batchnorm: axis 3 is outside rank 3"},
		{x.GroupNorm(1, w, w, 1), "groupnorm: a parameter has shape [5]"},
		{x.GroupNorm(2, w, w, 1), "groupnorm: 1 channels are not a multiple of 2 groups"},
		{x.GroupNorm(0, w, w, 1), "groupnorm: 0 groups"},
		{n.InstanceNorm(per, per, 1), "instancenorm: rank 2"},
		{x.Slice("..., :1").LayerNorm(w, 0, 1), "layernorm: with its scale or offset shape [2,1,1] becomes [2,1,5]"},
		{x.Slice("..., :1").RMSNorm(w, 1), "rmsnorm: with its scale or offset"},
		{f32("s").LayerNorm(1, 0, 1), "axis -1 of a scalar"},
	} {
		require.ErrorContains(t, c.y.Err(), c.want)
	}
	p, err := graph.Compile(n.GroupNorm(2, per, per, 1))
	require.NoError(t, err)
	for _, m := range []int{0, 3, 4} {
		_, err := p.Run(context.Background(), graph.Ones(graph.Float32, 2, m), graph.Ones(graph.Float32, m))
		require.Equal(t, m == 3, err != nil, "%d channels: %v", m, err)
	}
}
