package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators about indices.

var indexing = []operator{
	{"EyeLike", 9, latest, 1, 1, ir.AllTypes, attrs{"dtype": unset{0}, "k": 0}, eyeLike},
	{"Gather", 1, latest, 2, 2, ir.AllTypes, attrs{"axis": 0}, gather},
	{"OneHot", 9, latest, 3, 3, ir.Numeric, attrs{"axis": -1}, oneHot},
	{"Range", 11, 26, 3, 3, ir.Numeric, nil, ranged},
	{"Range", 27, latest, 3, 3, ir.Numeric, attrs{"stash_type": 1}, ranged},
}

// gather takes the slices of an axis at an index that is known at load.
func gather(c *call) []value {
	sizes, scalar, ok := c.in[1].asSizes()
	if !ok || !scalar {
		return c.fail("only one index that is known at load is supported")
	}
	i, fixed := sizes[0].Int()
	if !fixed {
		return c.fail("the index depends on the size %s", sizes[0])
	}
	return one(c.x(0).Index(c.int("axis"), i))
}

func eyeLike(c *call) []value {
	dt := c.in[0].dtype()
	if _, ok := attr[int](c, "dtype"); ok {
		dt = c.typeNamed("dtype")
	}
	return one(c.x(0).EyeLike(dt, c.int("k")))
}

// oneHot has the second of two values at the indices, the first elsewhere.
func oneHot(c *call) []value {
	if c.in[1].kind == constant {
		c.in[1] = rounded(c.in[1])
	}
	x, depth, values := c.x(0), c.int1(1), c.x(2)
	at := x.Cast(graph.Int64).OneHot(graph.Bool, depth, c.int("axis"))
	return one(graph.Where(at, values.Index(0, 1), values.Index(0, 0)))
}

// rounded returns a constant as int64.
func rounded(v value) value {
	out := []value{compute(v.asNode().Cast(graph.Int64))}
	if v.tensor.Size() > mostSizes || fold(out) != nil {
		return v
	}
	return out[0]
}

// ranged counts from one number to another, which must be known at load but for a symbolic
// number of steps by 1 from 0.
func ranged(c *call) []value {
	var v [3]float64
	for i := range v {
		t := c.in[i]
		sizes, _, ok := t.asSizes()
		if ok && i == 1 && len(sizes) == 1 && t.kind == symbolic && v[0] == 0 {
			return one(graph.Iota(t.dtype(), sizes[0]))
		}
		if t.kind != constant || t.tensor.Size() != 1 {
			return c.fail("input %d must be one number that is known at load", i)
		}
		wide := []value{compute(t.asNode().Cast(graph.Float64).Reshape(1))}
		if err := fold(wide); err != nil {
			return c.fail("%w", err)
		}
		v[i], _ = graph.At[float64](wide[0].tensor, 0)
	}
	return one(graph.Range(c.in[0].dtype(), v[0], v[1], v[2]))
}
