package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators of ai.onnx.ml that prepare features. Results are float32 unless they have the type of the input.

var featureOps = []operator{
	{mlDomain + "ArrayFeatureExtractor", 1, latest, 2, 2, mlTypes, nil, func(c *call) []value {
		x, y := c.x(0), c.x(1).Flatten()
		if c.good(x, y) && x.Rank() < 2 {
			x = x.Reshape(1, -1)
		}
		return one(x.Take(-1, y))
	}},
	{mlDomain + "Binarizer", 1, latest, 1, 1, mlTypes, attrs{"threshold": 0.}, func(c *call) []value {
		x := c.x(0)
		wide := x.Cast(graph.Float64)
		return one(wide.Gt(c.float("threshold")).Cast(x.DType()))
	}},
	{mlDomain + "FeatureVectorizer", 1, latest, 1, many, mlTypes, attrs{"inputdimensions": intList}, featureVectorizer},
	{mlDomain + "Imputer", 1, latest, 1, 1, mlTypes, attrs{"imputed_value_floats": floatList, "imputed_value_int64s": intList, "replaced_value_float": 0., "replaced_value_int64": 0}, imputer},
	{mlDomain + "Normalizer", 1, latest, 1, 1, mlTypes, attrs{"norm": "MAX"}, normalizer},
	{mlDomain + "Scaler", 1, latest, 1, 1, mlTypes, attrs{"offset": floatList, "scale": floatList}, func(c *call) []value {
		x := c.x(0)
		if x.DType() != graph.Float64 {
			x = x.Cast(graph.Float32)
		}
		x = x.Sub(c.perFeature(x, list[float64](c, "offset")))
		return one(x.Mul(c.perFeature(x, list[float64](c, "scale"))).Cast(graph.Float32))
	}},
}

// perFeature returns numbers as an operand of x: one for all features, or one for each.
func (c *call) perFeature(x graph.Node, list []float64) graph.Node {
	switch {
	case len(list) == 0:
		c.fail("there are no numbers for the features")
		return x
	case len(list) == 1:
		return graph.Const(graph.ScalarOf(list[0])).Cast(x.DType())
	}
	return graph.Const(graph.Of(list)).Cast(x.DType())
}

// imputer replaces an element, which may be NaN.
func imputer(c *call) []value {
	x := c.x(0)
	by, missing := list[float64](c, "imputed_value_floats"), c.float("replaced_value_float")
	whole := list[int](c, "imputed_value_int64s")
	if c.err != nil {
		return nil
	}
	if ir.Ints.Has(x.DType()) {
		if len(whole) == 0 {
			return c.fail("imputed_value_int64s is missing")
		}
		numbers := graph.Const(graph.Of(converted[int64](whole))).Cast(x.DType())
		return one(graph.Where(x.Eq(graph.Const(graph.ScalarOf(int64(c.int("replaced_value_int64")))).Cast(x.DType())), numbers, x))
	}
	is := x.IsNaN()
	if !math.IsNaN(missing) {
		is = x.Eq(missing)
	}
	return one(graph.Where(is, c.perFeature(x, by), x))
}

// normalizer divides rows by their norm; rows whose norm is zero stay.
func normalizer(c *call) []value {
	x := c.x(0).Cast(graph.Float64)
	if c.good(x) && x.Rank() == 0 {
		return c.fail("a scalar has no rows")
	}
	var norm graph.Node
	switch kind := c.text("norm"); kind {
	case "MAX":
		norm = x.Max(-1, graph.KeepDims)
	case "L1":
		norm = x.Abs().Sum(-1, graph.KeepDims)
	case "L2":
		norm = x.Square().Sum(-1, graph.KeepDims).Sqrt()
	default:
		return c.fail("norm %q", kind)
	}
	return one(x.Div(graph.Where(norm.Eq(0), 1, norm)).Cast(graph.Float32))
}

// featureVectorizer concatenates features, each input cut or padded to its number of them.
func featureVectorizer(c *call) []value {
	widths := list[int](c, "inputdimensions")
	if len(widths) != len(c.in) {
		return c.fail("%d inputs, %d inputdimensions: there must be as many", len(c.in), len(widths))
	}
	var parts []graph.Node
	for i, x := range c.all() {
		x = x.Cast(graph.Float32)
		if c.good(x) && x.Rank() < 2 {
			x = x.Reshape(1, -1)
		}
		if !c.good(x) {
			return nil
		}
		n, fixed := x.Shape()[1].Int()
		switch w := widths[i]; {
		case w < 0 || w > mostExtent:
			return c.fail("inputdimensions has %d", w)
		case !fixed:
			c.needShapes()
			return nil
		case n > w:
			x = x.SliceAxis(1, 0, w, 1)
		case n < w:
			x = x.Pad([]int{0, 0}, []int{0, w - n}, graph.PadConstant)
		}
		parts = append(parts, x)
	}
	return one(graph.Concat(1, parts...))
}
