package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// A BatchNormalization of a product with constant weights is part of the product: its scale goes into
// the weights, and what it adds into the bias. That rounds otherwise than the operators one after the
// other, so it is done where the graph is built and not by a pass, which changes no bits.

// linear is how a value was computed: products with constant weights, and a constant for each
// channel, which is the value's second axis.
type linear struct {
	weights *graph.Tensor
	axis    int       // of the weights: the channels
	bias    []float64 // by channel; nil for none
	build   func(weights graph.Node) graph.Node
}

// linear returns y, which is build of input 1 with input 2 added, if that is given. The other numbers
// are the axis of channels of input 1, and what input 2 is multiplied by.
func (c *call) linear(y graph.Node, axis int, beta float64, build func(weights graph.Node) graph.Node) []value {
	out := one(y)
	w := c.in[1]
	if w.kind != constant || axis >= w.tensor.Rank() || y.Err() != nil || y.Rank() < 2 {
		return out
	}
	l := &linear{weights: w.tensor, axis: axis, build: build}
	if c.has(2) {
		if l.bias = perChannel(c.in[2], w.tensor.Shape()[axis]); l.bias == nil {
			return out
		}
		for i := range l.bias {
			l.bias[i] *= beta
		}
	}
	out[0].linear = l
	return out
}

// perChannel returns the elements of a constant with so many, along its last axis, or nil if it is none.
func perChannel(v value, n int) []float64 {
	if v.kind != constant || v.tensor.Size() != n || v.tensor.Rank() > 0 && v.tensor.Shape()[v.tensor.Rank()-1] != n {
		return nil
	}
	switch v.dtype() {
	case graph.Float32:
		return floats[float32](v.tensor)
	case graph.Float64:
		return floats[float64](v.tensor)
	}
	return nil
}

func floats[T float32 | float64](t *graph.Tensor) (out []float64) {
	all, err := graph.All[T](t)
	if err != nil {
		return nil
	}
	for x := range all {
		out = append(out, float64(x))
	}
	return out
}

// mostScale is up to which factor weights are scaled, so that none leaves the range or its precision that
// does not without.
const mostScale = 1 << 40

// normalized returns input 0 normalized as part of the product that computes it, if that is one with
// constant weights and nothing else reads it. Inputs 1 to 4 are the scale, what is added, the mean
// and the variance of each channel.
func (c *call) normalized(eps float64) (y graph.Node, ok bool) {
	l := c.in[0].linear
	if l == nil || c.reads[c.node.inputs[0]] != 1 {
		return y, false
	}
	n, dt := l.weights.Shape()[l.axis], l.weights.DType()
	var of [5][]float64
	for i := 1; i < 5; i++ {
		if of[i] = perChannel(c.in[i], n); of[i] == nil || c.in[i].dtype() != dt || len(c.in[i].tensor.Shape()) != 1 {
			return y, false
		}
	}
	scale, offset := make([]float64, n), make([]float64, n)
	for k := range n {
		scale[k] = of[1][k] / math.Sqrt(of[4][k]+eps)
		offset[k] = of[2][k] - of[3][k]*scale[k]
		if l.bias != nil {
			offset[k] += l.bias[k] * scale[k]
		}
		if size := math.Abs(scale[k]); scale[k] != 0 && !(size >= 1./mostScale && size <= mostScale) || !(math.Abs(offset[k]) <= math.MaxFloat32) {
			return y, false
		}
	}
	w := []value{compute(graph.Const(l.weights).Mul(alignAt(vector(dt, scale), l.axis, l.weights.Rank())))}
	if c.err = fold(w); c.err != nil {
		return y, false
	}
	y = l.build(w[0].asNode())
	return y.Add(alignAt(vector(dt, offset), 1, y.Rank())), true
}

// vector returns a constant of float32 or float64.
func vector(dt graph.DType, numbers []float64) graph.Node {
	if dt == graph.Float64 {
		return graph.Const(graph.Of(numbers, len(numbers)))
	}
	narrow := make([]float32, len(numbers))
	for i, x := range numbers {
		narrow[i] = float32(x)
	}
	return graph.Const(graph.Of(narrow, len(narrow)))
}

// reads returns how often each name is read in a subgraph and those inside it.
func (g *subgraph) reads() map[string]int {
	of := map[string]int{}
	var count func(g *subgraph)
	count = func(g *subgraph) {
		for _, n := range g.nodes {
			for _, name := range n.inputs {
				of[name]++
			}
			for _, a := range n.attrs {
				if inner, ok := a.(*subgraph); ok {
					count(inner)
				}
			}
		}
		for _, name := range g.outputs {
			of[name]++
		}
	}
	count(g)
	return of
}
