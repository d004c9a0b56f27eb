package formula

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/optim"
)

// Gradient is a loss and the Nodes with respect to which it is differentiated.
type Gradient struct {
	Name, Size string
	Loss       graph.Node
	Params     graph.Nodes // inputs
	Data       graph.Nodes // inputs that are not differentiated
	Classes    int64       // integers among the data are below it
	Low, High  float64     // the range of all other inputs
}

// Gradients returns losses as programs for fitting, training and sensitivities have them.
func Gradients() []Gradient {
	return []Gradient{logistic(), perceptron(), attention(), convolutions(), vega(), heat(), rosenbrock()}
}

func float32s(name string, shape ...int) graph.Node { return graph.Input(name, graph.Float32, shape) }

func logistic() Gradient {
	x, y := float32s("x", 10000, 100), float32s("y", 10000)
	w, b := float32s("w", 100), float32s("b")
	loss := optim.BinaryCrossEntropy(x.MatMul(w).Add(b), y).Mean()
	return Gradient{"G1-logistic", "10000x100", loss, graph.Nodes{w, b}, graph.Nodes{x, y}, 0, -1, 1}
}

func perceptron() Gradient {
	x, labels := float32s("x", 64, 784), graph.Input("labels", graph.Int64, 64)
	g := Gradient{Name: "G2-mlp", Size: "64x784-256-128-10", Data: graph.Nodes{x, labels}, Classes: 10, Low: -0.1, High: 0.1}
	h := x
	for i, size := range [][2]int{{784, 256}, {256, 128}, {128, 10}} {
		layer := string(rune('0' + i))
		w, b := float32s("w"+layer, size[0], size[1]), float32s("b"+layer, size[1])
		if i > 0 {
			h = h.ReLU()
		}
		h = h.MatMul(w).Add(b)
		g.Params = append(g.Params, w, b)
	}
	g.Loss = optim.CrossEntropy(h, labels).Mean()
	return g
}

// attention is the first half of an encoder's block: x + attention(layernorm(x)) with 6 heads of 64.
func attention() Gradient {
	const batch, length, size, heads = 8, 128, 384, 6
	x := float32s("x", batch, length, size)
	scale, offset := float32s("scale", size), float32s("offset", size)
	in, inBias, out, outBias := float32s("in", size, 3*size), float32s("inbias", 3*size), float32s("out", size, size), float32s("outbias", size)
	qkv := x.LayerNorm(scale, offset, 1e-5).MatMul(in).Add(inBias).Reshape(batch, length, 3, heads, size/heads).Permute(2, 0, 3, 1, 4).Unstack(0)
	a := qkv[0].MatMul(qkv[1].SwapAxes(-1, -2)).Mul(0.125).Softmax(-1).MatMul(qkv[2])
	y := x.Add(a.Permute(0, 2, 1, 3).Reshape(batch, length, size).MatMul(out).Add(outBias))
	return Gradient{"G3-attention", "8x128x384", y.Square().Mean(), graph.Nodes{x, scale, offset, in, inBias, out, outBias}, nil, 0, -0.1, 0.1}
}

// convolutions is a network for images of 8x8.
func convolutions() Gradient {
	x, labels := float32s("x", 64, 1, 8, 8), graph.Input("labels", graph.Int64, 64)
	w1, b1, w2, b2 := float32s("w1", 16, 1, 3, 3), float32s("b1", 16, 1, 1), float32s("w2", 32, 16, 3, 3), float32s("b2", 32, 1, 1)
	w3, b3 := float32s("w3", 512, 10), float32s("b3", 10)
	same := graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}
	h := x.Conv(w1, same).Add(b1).ReLU().Conv(w2, same).Add(b2).ReLU()
	h = h.MaxPool(graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}})
	loss := optim.CrossEntropy(h.Reshape(64, 512).MatMul(w3).Add(b3), labels).Mean()
	return Gradient{"G4-convnet", "64x8x8", loss, graph.Nodes{w1, b1, w2, b2, w3, b3}, graph.Nodes{x, labels}, 10, -0.3, 0.3}
}

// vega is the sum of the prices of calls, for the derivative by the volatility of each.
func vega() Gradient {
	spot, strike, years, sigma := float32s("spot", 1<<16), float32s("strike", 1<<16), float32s("years", 1<<16), float32s("sigma", 1<<16)
	width := years.Sqrt().Mul(sigma)
	d1 := spot.Div(strike).Log().Add(years.Mul(sigma.Square().Mul(0.5).Add(rate))).Div(width)
	price := spot.Mul(normal(d1)).Sub(strike.Mul(years.Mul(-rate).Exp()).Mul(normal(d1.Sub(width))))
	return Gradient{"G5-vega", "64K", price.Sum(), graph.Nodes{sigma}, graph.Nodes{spot, strike, years}, 0, 0.5, 1.5}
}

// heat compares the temperature after 20 steps with a measured one; the source is unknown.
func heat() Gradient {
	const side = 128
	source, measured := float32s("source", side, side), float32s("measured", side, side)
	u := graph.Fill(graph.Float32, 0, side, side)
	for range 20 {
		p := u.Pad([]int{1, 1}, []int{1, 1}, graph.PadConstant)
		sum := p.Slice("2:, 1:-1").Add(p.Slice(":-2, 1:-1")).Add(p.Slice("1:-1, 2:")).Add(p.Slice("1:-1, :-2"))
		u = u.Add(sum.Sub(u.Mul(4)).Mul(0.2)).Add(source.Mul(0.1))
	}
	return Gradient{"G6-heat", "128x128x20", u.Sub(measured).Square().Mean(), graph.Nodes{source}, graph.Nodes{measured}, 0, -1, 1}
}

func rosenbrock() Gradient {
	x := graph.Input("x", graph.Float64, 1000)
	a, b := x.Slice(":-1"), x.Slice("1:")
	loss := b.Sub(a.Square()).Square().Mul(100).Add(a.Scalar(1).Sub(a).Square()).Sum()
	return Gradient{"G7-rosenbrock", "1000", loss, graph.Nodes{x}, nil, 0, -1, 1}
}
