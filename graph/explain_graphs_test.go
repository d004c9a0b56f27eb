package graph_test

import "github.com/stridefuse/stridefuse/graph"

// The graphs of TestExplainAnswers, whose golden files have the lines of this file. Add at the end.

// explainedGraphs are five programs that a user may ask about.
var explainedGraphs = []struct {
	name    string
	outputs func() []graph.Item
}{
	{"chain", func() []graph.Item {
		x, y := graph.Input("x", graph.Float32, 1000, 300), graph.Input("y", graph.Float32, 300, 1000)
		scaled := x.T().Mul(y).Add(1).Tanh()
		return []graph.Item{graph.Output("chain", scaled.Sub(y.Abs().Sqrt()))}
	}},
	{"picture", func() []graph.Item {
		img := graph.Input("img", graph.Uint8, 480, 640, 3)
		scaled := img.Cast(graph.Float32).Div(255)
		wide := scaled.Pad([]int{8, 8, 0}, []int{8, 8, 0}, graph.PadReflect)
		planes := wide.Permute(2, 0, 1).Materialize()
		return []graph.Item{graph.Output("picture", planes.Exp().CumSum(1))}
	}},
	{"average", func() []graph.Item {
		prices := graph.Input("prices", graph.Float32, 1000, 300)
		smooth := prices.ExpAverage(1, 0.1)
		return []graph.Item{graph.Output("worst", smooth.Sub(prices).Abs().Max(0))}
	}},
	{"layer", func() []graph.Item {
		x, w := graph.Input("x", graph.Float32, 200, 300), graph.Input("w", graph.Float32, 300, 400)
		v := graph.Const(graph.Uniform(graph.Float32, 1, -1, 1, 400, 256))
		hidden := x.MatMul(w).ReLU()
		return []graph.Item{graph.Output("y", hidden.MatMul(v).Softmax(1))}
	}},
	{"encoder", func() []graph.Item {
		x := graph.Input("x", graph.Float32, 128, 256)
		for i := range 12 {
			x = encoderLayer(x, uint64(16*i))
		}
		return []graph.Item{graph.Output("x", x)}
	}},
}

// encoderLayer is a layer of a transformer: attention of 8 heads, and two products with GELU between them.
func encoderLayer(x graph.Node, seed uint64) graph.Node {
	const rows, width, heads = 128, 256, 8
	weights := func(shape ...int) graph.Node {
		seed++
		return graph.Const(graph.Uniform(graph.Float32, seed, -.1, .1, shape...))
	}
	dense := func(x graph.Node, in, out int) graph.Node { return x.MatMul(weights(in, out)).Add(weights(out)) }
	norm := func(x graph.Node) graph.Node {
		centred := x.Sub(x.Mean(-1, graph.KeepDims))
		return centred.Div(centred.Square().Mean(-1, graph.KeepDims).Add(1e-5).Sqrt()).Mul(weights(width)).Add(weights(width))
	}
	split := func(x graph.Node) graph.Node { return x.Reshape(rows, heads, width/heads).Permute(1, 0, 2) }
	q, k, v := split(dense(x, width, width)), split(dense(x, width, width)), split(dense(x, width, width))
	scores := q.MatMul(k.SwapAxes(1, 2)).Div(5.656854).Softmax(-1)
	joined := scores.MatMul(v).Permute(1, 0, 2).Reshape(rows, width)
	x = norm(x.Add(dense(joined, width, width)))
	return norm(x.Add(dense(dense(x, width, 4*width).GELU(), 4*width, width)))
}
