package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Conversions between element types. They differ from graph's for types of 8 bits and fewer: floats saturate unless the
// attributes say otherwise, and a conversion to an integer of 4 or 2 bits rounds to even and wraps.

var casts = []operator{
	{"BitCast", 26, latest, 1, 1, ir.AllTypes, attrs{"to": unset{0}}, bitCast},
	{"Cast", 1, 5, 1, 1, ir.AllTypes, attrs{"to": unset{""}}, castNamed},
	{"Cast", 6, latest, 1, 1, ir.AllTypes, attrs{"to": unset{0}, "saturate": 1, "round_mode": "up"}, cast},
	{"CastLike", 15, latest, 2, 2, ir.AllTypes, attrs{"saturate": 1, "round_mode": "up"}, castLike},
}

// saturating has the greatest number of each type that conversions saturate to.
var saturating = map[graph.DType]float64{
	graph.Float8E4M3FN: 448, graph.Float8E4M3FNUZ: 240, graph.Float8E5M2: 57344, graph.Float8E5M2FNUZ: 57344,
}

// castNamed is Cast of the versions in which the type is given by name, such as FLOAT.
func castNamed(c *call) []value {
	name := c.text("to")
	for _, dt := range typeCodes {
		if nameOf(dt) == name {
			return one(c.x(0).Cast(dt))
		}
	}
	return c.fail("element type %s is not supported", name)
}

func cast(c *call) []value {
	switch text := c.int("to") == stringCode; {
	case text && c.in[0].text:
		return c.in
	case text || c.in[0].text:
		return c.fail("a conversion between numbers and strings, which are only compared and selected")
	}
	return one(c.converted(c.x(0), c.typeNamed("to")))
}

func castLike(c *call) []value { return one(c.converted(c.x(0), c.in[1].dtype())) }
func bitCast(c *call) []value  { return one(c.x(0).Bitcast(c.typeNamed("to"))) }

// converted returns x as another type, according to the attributes saturate and round_mode.
func (c *call) converted(x graph.Node, dt graph.DType) graph.Node {
	switch last := saturating[dt]; {
	case dt == graph.Float8E8M0:
		return c.powerOfTwo(x)
	case last != 0 && c.flag("saturate"):
		return within(x, last).Cast(dt)
	case ir.Subbytes.Has(dt) && ir.Fractions.Has(x.DType()):
		if ir.Stored.Has(x.DType()) {
			x = x.Cast(graph.Float32)
		}
		return x.Round().Cast(graph.Int32).Cast(dt)
	}
	return x.Cast(dt)
}

// within clips x to a symmetric range, in a type that contains all its numbers.
func within(x graph.Node, last float64) graph.Node {
	switch dt := x.DType(); {
	case ir.Stored.Has(dt):
		x = x.Cast(graph.Float32)
	case !ir.Floats.Has(dt):
		x = x.Cast(graph.Float64)
	}
	return x.Clip(-last, last)
}

// powerOfTwo rounds the magnitude of x to a float8e8m0, whose bits are the exponent of a float32.
func (c *call) powerOfTwo(x graph.Node) graph.Node {
	const fraction, nan = 23, 255
	f := x.Cast(graph.Float32).Abs()
	bits := f.Bitcast(graph.Uint32)
	switch c.text("round_mode") {
	case "up":
		bits = bits.Add(1<<fraction - 1).Shr(fraction)
	case "down":
		bits = bits.Shr(fraction)
	case "nearest":
		bits = f.Cast(graph.Float8E8M0).Bitcast(graph.Uint8).Cast(graph.Uint32)
	default:
		c.fail("round_mode %q: it must be up, down or nearest", c.text("round_mode"))
	}
	last := nan
	if c.flag("saturate") {
		last--
	}
	return graph.Where(f.IsFinite(), bits.Minimum(last), nan).Cast(graph.Uint8).Bitcast(graph.Float8E8M0)
}
