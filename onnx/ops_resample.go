package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Sampling of one axis at other places: each element of the result is the nearest element of the
// operand, or a sum of those around its place by their distance.

// resampling is what becomes of an axis.
type resampling struct {
	from, to   int     // extents
	scale      float64 // to by from, before that is rounded down
	begin, end float64 // the part of the axis that is sampled, 0 and 1 for all
}

// width returns the extent of the result before it is rounded down.
func (a resampling) width() float64 { return a.scale * float64(a.from) }

// places are the functions from an index of the result to the place in the operand.
var places = map[string]func(i float64, a resampling) float64{
	"half_pixel": halfPixel,
	"asymmetric": func(i float64, a resampling) float64 { return i / a.scale },
	"align_corners": func(i float64, a resampling) float64 {
		if a.to == 1 {
			return 0
		}
		return i * float64(a.from-1) / float64(a.to-1)
	},
	"pytorch_half_pixel": func(i float64, a resampling) float64 {
		if a.to == 1 {
			return 0
		}
		return halfPixel(i, a)
	},
	"half_pixel_symmetric": func(i float64, a resampling) float64 {
		return float64(a.from)/2*(1-float64(a.to)/a.width()) + halfPixel(i, a)
	},
	"tf_crop_and_resize": func(i float64, a resampling) float64 {
		last := float64(a.from - 1)
		if a.to == 1 {
			return (a.begin + a.end) * last / 2
		}
		return a.begin*last + i*(a.end-a.begin)*last/float64(a.to-1)
	},
}

func halfPixel(i float64, a resampling) float64 { return (i+0.5)/a.scale - 0.5 }

// rounds are the functions from a place to an index.
var rounds = map[string]func(float64) float64{
	"round_prefer_floor": func(x float64) float64 { return math.Ceil(x - 0.5) },
	"round_prefer_ceil":  func(x float64) float64 { return math.Floor(x + 0.5) },
	"floor":              math.Floor,
	"ceil":               math.Ceil,
}

// triangle is the weight of an element by its distance for mode linear.
func triangle(d float64) float64 { return max(0, 1-math.Abs(d)) }

// cubic returns the weights of cubic convolution: R. Keys, "Cubic convolution interpolation for
// digital image processing", 1981. The slope at distance 1 is a.
func cubic(a float64) func(d float64) float64 {
	return func(d float64) float64 {
		switch d = math.Abs(d); {
		case d <= 1:
			return ((a+2)*d-(a+3))*d*d + 1
		case d < 2:
			return ((a*d-5*a)*d+8*a)*d - 4*a
		}
		return 0
	}
}

// sampling says how axes are sampled.
type sampling struct {
	place   func(i float64, a resampling) float64
	round   func(float64) float64   // for the nearest element
	shrink  func(float64) float64   // in place of round where an axis gets shorter, nil for round
	weight  func(d float64) float64 // by the distance, nil for the nearest element alone
	reach   float64                 // the distance from which on weights are 0
	stretch bool                    // weights reach farther where an axis gets shorter
	inside  bool                    // elements outside of the operand weigh nothing; else the last one counts
	crop    bool                    // places outside of the operand give the element outside
	outside float64
	roi     []float64
}

// mostTaps limits of how many elements one of the result is the sum, and mostWeights the elements
// of all results along an axis.
const (
	mostTaps    = 256
	mostWeights = 1 << 24
)

// shrinking returns the factor by which distances are taken smaller, 1 if weights are not
// stretched.
func (s sampling) shrinking(a resampling) float64 {
	if s.stretch {
		return min(1, a.scale)
	}
	return 1
}

// taps returns of how many elements one of the result is the sum.
func (s sampling) taps(a resampling) int {
	if s.weight == nil {
		return 1
	}
	return int(min(2*math.Ceil(s.reach/s.shrinking(a)), mostTaps+1))
}

// wide returns x in the type in which it is sampled: floats of 32 bits or more if there are
// weights.
func (s sampling) wide(x graph.Node) graph.Node {
	switch dt := x.DType(); {
	case s.weight == nil || dt == graph.Float32:
		return x
	case ir.Floats.Has(dt) && dt.Size() < 4 || ir.Ints.Has(dt) && dt.Size() < 4:
		return x.Cast(graph.Float32)
	}
	return x.Cast(graph.Float64)
}

// narrowed returns a result in the operand's type: rounded, and within its range.
func narrowed(y graph.Node, dt graph.DType) graph.Node {
	if ir.Floats.Has(y.DType()) && ir.Ints.Has(dt) {
		y = y.Round()
	}
	return y.Cast(dt)
}

// axis samples one axis.
func (s sampling) axis(x graph.Node, axis int, a resampling) graph.Node {
	at := make([]float64, a.to)
	for i := range at {
		at[i] = s.place(float64(i), a)
	}
	var y graph.Node
	if s.weight == nil {
		y = s.nearest(x, axis, a, at)
	} else {
		y = s.weighted(x, axis, a, at)
	}
	if !s.crop {
		return y
	}
	out := make([]bool, a.to)
	for i, p := range at {
		out[i] = p < 0 || p > float64(a.from-1)
	}
	return graph.Where(alignAt(graph.Const(graph.Of(out)), axis, x.Rank()), s.outside, y)
}

// clamp returns the nearest index of an axis.
func (a resampling) clamp(i float64) int64 {
	if !(i > 0) { // or not a number
		return 0
	}
	return int64(min(i, float64(a.from-1)))
}

// nearest takes one element for each place.
func (s sampling) nearest(x graph.Node, axis int, a resampling, at []float64) graph.Node {
	round := s.round
	if s.shrink != nil && a.scale < 1 {
		round = s.shrink
	}
	index := make([]int64, a.to)
	repeats := a.to%a.from == 0
	for i, p := range at {
		index[i] = a.clamp(round(p))
		repeats = repeats && index[i] == int64(i/(a.to/a.from))
	}
	if repeats { // without an index for each element
		return x.Repeat(axis, a.to/a.from)
	}
	return x.Take(axis, graph.Of(index))
}

// weighted adds the elements around each place times their weights.
func (s sampling) weighted(x graph.Node, axis int, a resampling, at []float64) graph.Node {
	n, f := s.taps(a), s.shrinking(a)
	index, weights := make([][]int64, n), make([][]float64, n)
	for k := range n {
		index[k], weights[k] = make([]int64, a.to), make([]float64, a.to)
	}
	for i, p := range at {
		first, sum := math.Floor(p)-float64(n/2-1), 0.
		for k := range n {
			j := first + float64(k)
			w := s.weight((j - p) * f)
			if s.inside && (j < 0 || j > float64(a.from-1)) {
				w = 0
			}
			index[k][i], weights[k][i] = a.clamp(j), w
			sum += w
		}
		for k := range n {
			if (s.inside || s.stretch) && sum != 0 {
				weights[k][i] /= sum
			}
		}
	}
	var y graph.Node
	for k := range n {
		w := alignAt(graph.Const(graph.Of(weights[k])).Cast(x.DType()), axis, x.Rank())
		term := x.Take(axis, graph.Of(index[k])).Mul(w)
		if k == 0 {
			y = term
		} else {
			y = y.Add(term)
		}
	}
	return y
}
