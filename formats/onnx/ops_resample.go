package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Resampling of one axis. Each element of the result is the nearest element of the operand, or a sum of neighbours
// weighted by distance.

// resampling describes the resampling of an axis.
type resampling struct {
	from, to   int     // extents of the operand and of the result
	scale      float64 // to divided by from, before to is rounded down
	begin, end float64 // the sampled part of the axis; 0 and 1 for all
}

// width returns the unrounded extent of the result.
func (a resampling) width() float64 { return a.scale * float64(a.from) }

// places maps mode names to functions from a result index to a position in the operand.
var places = map[string]func(i float64, a resampling) float64{
	"half_pixel": halfPixel,
	"asymmetric": func(i float64, a resampling) float64 { return a.round(i / a.scale) },
	"align_corners": func(i float64, a resampling) float64 {
		if a.to == 1 {
			return 0
		}
		return a.round(a.round(i*float64(a.from-1)) / float64(a.to-1))
	},
	"pytorch_half_pixel": func(i float64, a resampling) float64 {
		if a.to == 1 {
			return 0
		}
		return halfPixel(i, a)
	},
	"half_pixel_symmetric": func(i float64, a resampling) float64 {
		return a.round(float64(float64(a.from)/2*(1-a.round(float64(a.to)/a.round(a.width())))) + halfPixel(i, a))
	},
	"tf_crop_and_resize": func(i float64, a resampling) float64 {
		last := float64(a.from - 1)
		if a.to == 1 {
			return (a.begin + a.end) * last / 2
		}
		return a.round(float64(a.begin*last) + a.round(i*(a.end-a.begin)*last)/float64(a.to-1))
	},
}

// round rounds a position to float32, in which onnxruntime computes positions: near the middle of two elements they
// decide which is the nearest one. For whole scales the exact positions are periodic.
func (a resampling) round(x float64) float64 {
	if a.scale == math.Trunc(a.scale) {
		return x
	}
	return float64(float32(x))
}

// regular are the modes that are periodic for an integer scale n: the position of index i+n is 1 more than that of
// index i.
var regular = map[string]bool{"half_pixel": true, "asymmetric": true, "pytorch_half_pixel": true, "half_pixel_symmetric": true}

func halfPixel(i float64, a resampling) float64 { return a.round(a.round((i+0.5)/a.scale) - 0.5) }

// rounds maps names to functions from a position to an index.
var rounds = map[string]func(float64) float64{
	"round_prefer_floor": func(x float64) float64 { return math.Ceil(x - 0.5) },
	"round_prefer_ceil":  func(x float64) float64 { return math.Floor(x + 0.5) },
	"floor":              math.Floor,
	"ceil":               math.Ceil,
}

// triangle is the weight function of mode linear, by distance.
func triangle(d float64) float64 { return max(0, 1-math.Abs(d)) }

// cubic returns the weight function of cubic convolution with slope a at distance 1: R. Keys, "Cubic convolution
// interpolation for digital image processing", 1981.
func cubic(a float64) func(d float64) float64 {
	return func(d float64) float64 {
		switch d = math.Abs(d); {
		case d <= 1:
			return float64((float64((a+2)*d)-(a+3))*d*d) + 1
		case d < 2:
			return float64((float64((float64(a*d)-float64(5*a))*d)+float64(8*a))*d) - float64(4*a)
		}
		return 0
	}
}

// sampling says how axes are resampled.
type sampling struct {
	place     func(i float64, a resampling) float64
	round     func(float64) float64   // rounds a position to the nearest element
	shrink    func(float64) float64   // replaces round if the axis shrinks; nil for round
	weight    func(d float64) float64 // weight by distance; nil takes only the nearest element
	reach     float64                 // distance at which weights become 0
	stretch   bool                    // weights reach farther if the axis shrinks
	inside    bool                    // elements outside the operand have weight 0; otherwise the last element is repeated
	irregular bool                    // each position must be computed
	crop      bool                    // positions outside the operand give the value outside
	outside   float64
	roi       []float64
}

// mostTaps limits the elements in one weighted sum, and mostWeights the elements in all weighted sums along an axis.
const (
	mostTaps    = 256
	mostWeights = 1 << 24
)

// shrinking returns the factor by which distances are reduced, or 1 if weights are not stretched.
func (s sampling) shrinking(a resampling) float64 {
	if s.stretch {
		return min(1, a.scale)
	}
	return 1
}

// taps returns the number of elements in a weighted sum.
func (s sampling) taps(a resampling) int {
	if s.weight == nil {
		return 1
	}
	return int(min(2*math.Ceil(s.reach/s.shrinking(a)), mostTaps+1))
}

// wide returns x in the type for sampling: floats of at least 32 bits if there are weights.
func (s sampling) wide(x graph.Node) graph.Node {
	switch dt := x.DType(); {
	case s.weight == nil || dt == graph.Float32:
		return x
	case ir.Floats.Has(dt) && dt.Size() < 4 || ir.Ints.Has(dt) && dt.Size() < 4:
		return x.Cast(graph.Float32)
	}
	return x.Cast(graph.Float64)
}

// narrowed converts a result to the operand's type, rounded and clipped to its range.
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
	if !(i > 0) { // also for NaN
		return 0
	}
	return int64(min(i, float64(a.from-1)))
}

// nearest takes one element for each position.
func (s sampling) nearest(x graph.Node, axis int, a resampling, at []float64) graph.Node {
	round := s.round
	if s.shrink != nil && a.scale < 1 {
		round = s.shrink
	}
	index := make([]int64, a.to)
	for i, p := range at {
		index[i] = a.clamp(round(p))
	}
	return x.Take(axis, graph.Of(index))
}

// multiplied resamples an axis, whose extent may be symbolic, to a multiple of its extent. Result elements whose
// indices have the same remainder are the same weighted sum of neighbours, or the same neighbour.
func (s sampling) multiplied(x graph.Node, axis, times int) graph.Node {
	const far = 1 << 16 // an extent large enough to have inner elements
	a := resampling{from: far, to: far * times, scale: float64(times), end: 1}
	n, d := s.taps(a), x.Shape()[axis]
	around := make([]int, x.Rank())
	around[axis] = n
	padded := x.Pad(around, around, graph.PadEdge)
	shifted := func(by int) graph.Node { return padded.SliceAxis(axis, n+by, d.Add(ir.Fixed(n+by)), 1) }
	parts := make([]graph.Node, times)
	repeats := s.weight == nil
	for r := range parts {
		p := s.place(float64(r), a)
		if s.weight == nil {
			by := int(s.round(p))
			parts[r] = shifted(by)
			repeats = repeats && by == 0
			continue
		}
		first, weights := s.around(p, a, n)
		for k, w := range weights {
			if term := shifted(first + k).Mul(w); k == 0 {
				parts[r] = term
			} else {
				parts[r] = parts[r].Add(term)
			}
		}
	}
	if repeats {
		return x.Repeat(axis, times)
	}
	shape := slices.Clone(x.Shape())
	shape[axis] = d.Mul(ir.Fixed(times))
	return graph.Stack(axis+1, parts...).Reshape(shape)
}

// around returns the first index of n elements around a position, and the weight of each.
func (s sampling) around(place float64, a resampling, n int) (first int, weights []float64) {
	first, sum := int(math.Floor(place))-(n/2-1), 0.
	for k := range n {
		j := float64(first + k)
		w := s.weight((j - place) * s.shrinking(a))
		if s.inside && (j < 0 || j > float64(a.from-1)) {
			w = 0
		}
		weights = append(weights, w)
		sum += w
	}
	for k := range weights {
		if (s.inside || s.stretch) && sum != 0 {
			weights[k] /= sum
		}
	}
	return first, weights
}

// weighted returns the weighted sums of the elements around each position.
func (s sampling) weighted(x graph.Node, axis int, a resampling, at []float64) graph.Node {
	n := s.taps(a)
	index, weights := make([][]int64, n), make([][]float64, n)
	for k := range n {
		index[k], weights[k] = make([]int64, a.to), make([]float64, a.to)
	}
	for i, p := range at {
		first, w := s.around(p, a, n)
		for k := range n {
			index[k][i], weights[k][i] = a.clamp(float64(first+k)), w[k]
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
