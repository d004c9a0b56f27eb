package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// WithScaledWeights: the weights of a product are multiplied by the scale of the BatchNormalization after it, and one
// vector is added to the product.

// scalable is a product with constant weights and a constant bias for each channel, the product's second axis.
type scalable struct {
	product graph.Node // including the bias
	weights *graph.Tensor
	axis    int       // the axis of the weights that counts channels
	bias    []float64 // one for each channel
	build   func(weights graph.Node) graph.Node
}

// scalable records the product y, which is build(input 1) plus beta times input 2, if given. The channels are an axis
// of input 1.
func (c *call) scalable(y graph.Node, axis int, beta float64, build func(weights graph.Node) graph.Node) []value {
	w := c.in[1]
	if !c.scales || w.kind != constant || axis >= w.tensor.Rank() || y.Err() != nil || y.Rank() < 2 || len(c.node.outputs) == 0 {
		return one(y)
	}
	channels := w.tensor.Shape()[axis]
	bias := make([]float64, channels)
	if c.has(2) {
		if bias = perChannel(c.in[2], channels); bias == nil {
			return one(y)
		}
		for i := range bias {
			bias[i] *= beta
		}
	}
	c.scalables[c.node.outputs[0]] = scalable{y, w.tensor, axis, bias, build}
	return one(y)
}

// perChannel returns the n elements of a float constant along its last axis, or nil for any other value.
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

func floats[T float32 | float64](t *graph.Tensor) []float64 {
	all, err := graph.All[T](t)
	if err != nil {
		return nil
	}
	out := make([]float64, 0, t.Size())
	for x := range all {
		out = append(out, float64(x))
	}
	return out
}

// normalized returns input 0, a product, normalized by scaling its weights. This graph must make the product, and only
// this node may read it. Inputs 1 to 4 are the scale, the offset, the mean and the variance of each channel.
func (c *call) normalized(eps float64) (y graph.Node, ok bool) {
	name := c.node.inputs[0]
	s, ok := c.scalables[name]
	if !ok || c.in[0].node != s.product || c.reads[name] != 1 {
		return y, false
	}
	n := len(s.bias)
	var of [5][]float64
	for i := 1; i < 5; i++ {
		if of[i] = perChannel(c.in[i], n); of[i] == nil || c.in[i].dtype() != s.weights.DType() || c.in[i].tensor.Rank() != 1 {
			return y, false
		}
	}
	scale, offset := make([]float64, n), make([]float64, n)
	for k := range n {
		if scale[k], offset[k], ok = affine(s.bias[k], of[1][k], of[2][k], of[3][k], math.Sqrt(of[4][k]+eps)); !ok {
			return y, false
		}
	}
	if s.weights.DType() == graph.Float64 {
		return scaledBy[float64](s, scale, offset, 0x1p-1022, math.MaxFloat64)
	}
	return scaledBy[float32](s, scale, offset, 0x1p-126, math.MaxFloat32)
}

const (
	// mostScale bounds the scale and its reciprocal, so that scaling makes sums overflow or underflow only for operands
	// near the ends of the range.
	mostScale = 1 << 30
	// mostShift bounds what is subtracted from a product, in standard deviations. Normalized values are about one
	// deviation, so at most 6 bits are lost against the rounding of the product.
	mostShift = 1 << 6
)

// affine returns the scale and the offset that normalize a channel of a product without its bias. ok is false beyond
// the bounds or if a number is not finite; scaledBy checks the offset.
func affine(bias, gamma, beta, mean, deviation float64) (scale, offset float64, ok bool) {
	shift := mean - bias
	scale = gamma / deviation
	offset = beta - float64(shift*scale)
	size := math.Abs(scale)
	ok = size >= 1./mostScale && size <= mostScale && math.Abs(shift) <= mostShift*deviation
	return scale, offset, ok
}

// scaledBy returns a product with scaled weights, plus an offset. ok is false if a finite weight or an offset leaves
// the range of normal numbers of T, from least to most.
func scaledBy[T float32 | float64](s scalable, scale, offset []float64, least, most float64) (y graph.Node, ok bool) {
	all, err := graph.All[T](s.weights)
	if err != nil {
		return y, false
	}
	shape := s.weights.Shape()
	inner := 1 // number of consecutive elements of a channel
	for _, d := range shape[s.axis+1:] {
		inner *= d
	}
	weights := slices.AppendSeq(make([]T, 0, s.weights.Size()), all)
	for i, w := range weights {
		x := float64(T(float64(w) * scale[i/inner%len(scale)]))
		finite := !math.IsNaN(float64(w)) && !math.IsInf(float64(w), 0)
		if size := math.Abs(x); finite && w != 0 && !(size >= least && size <= most) {
			return y, false
		}
		weights[i] = T(x)
	}
	add := make([]T, len(offset))
	for k, x := range offset {
		if !(math.Abs(x) <= most) {
			return y, false
		}
		add[k] = T(x)
	}
	y = s.build(graph.Const(graph.Of(weights, shape...)))
	return y.Add(alignAt(graph.Const(graph.Of(add, len(add))), 1, y.Rank())), true
}

// reads counts how often each name is read in a subgraph and those inside it. Outputs count as read.
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
