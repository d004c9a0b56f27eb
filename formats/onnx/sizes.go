package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Models compute operands of Reshape, Expand, Range and others from shapes, by nodes. This file evaluates such nodes at
// load, on arrays whose elements may depend on the sizes of inputs. An operator without an exact result is computed by
// the graph, as any other.

// arithmetic has the operators that compute elements. Operands of the table broadcast.
var arithmetic = map[string]func(c *call, x []quantity) (quantity, bool){
	"Abs": func(_ *call, x []quantity) (quantity, bool) { return greaterOf(x[0], x[0].neg()) },
	"Add": two(add),
	"And": two(func(a, b quantity) (quantity, bool) { return lesserOf(a, b) }),
	"Cast": func(c *call, x []quantity) (quantity, bool) {
		code, _ := attr[int](c, "to")
		return c.castTo(typeCodes[code], x[0])
	},
	"CastLike": func(c *call, x []quantity) (quantity, bool) { return c.castTo(c.in[1].dtype(), x[0]) },
	"Ceil":     func(_ *call, x []quantity) (quantity, bool) { return ceil(x[0]) },
	"Clip":     clipQuantity,
	"Div": func(c *call, x []quantity) (quantity, bool) {
		if ir.Floats.Has(c.in[0].dtype()) {
			return over(x[0], x[1])
		}
		y, ok := quotient(x[0], x[1])
		return y, ok && c.assume(x[0].num)
	},
	"Equal":          compares(func(c comparison) bool { return c.equal }),
	"Floor":          func(_ *call, x []quantity) (quantity, bool) { return floor(x[0]) },
	"Greater":        compares(func(c comparison) bool { return c.greater }),
	"GreaterOrEqual": compares(func(c comparison) bool { return !c.less }),
	"Less":           compares(func(c comparison) bool { return c.less }),
	"LessOrEqual":    compares(func(c comparison) bool { return !c.greater }),
	"Max":            each(greaterOf),
	"Min":            each(lesserOf),
	"Mod": func(c *call, x []quantity) (quantity, bool) {
		if c.flag("fmod") {
			return x[0], false
		}
		return modulo(x[0], x[1])
	},
	"Mul": two(mul),
	"Neg": func(_ *call, x []quantity) (quantity, bool) { return x[0].neg(), true },
	"Not": func(_ *call, x []quantity) (quantity, bool) { return sub(integer(1), x[0]) },
	"Or":  two(greaterOf),
	"Sub": two(sub),
	"Sum": each(add),
	"Where": func(_ *call, x []quantity) (quantity, bool) {
		on, fixed := x[0].fixed()
		if on != 0 {
			return x[1], fixed
		}
		return x[2], fixed || x[1] == x[2]
	},
}

func two(f func(a, b quantity) (quantity, bool)) func(*call, []quantity) (quantity, bool) {
	return func(_ *call, x []quantity) (quantity, bool) { return f(x[0], x[1]) }
}

// each combines any number of operands.
func each(f func(a, b quantity) (quantity, bool)) func(*call, []quantity) (quantity, bool) {
	return func(_ *call, x []quantity) (y quantity, ok bool) {
		y = x[0]
		for _, z := range x[1:] {
			if y, ok = f(y, z); !ok {
				return y, false
			}
		}
		return y, true
	}
}

func compares(f func(comparison) bool) func(*call, []quantity) (quantity, bool) {
	return func(_ *call, x []quantity) (quantity, bool) {
		c := compare(x[0], x[1])
		return truthOf(f(c)), c.known
	}
}

// assume makes the build hold only for sizes with which an extent is not negative, so that rounding towards 0 is rounding
// down.
func (c *call) assume(d graph.Extent) bool {
	if low, ok := lowerBound(d); ok && low >= 0 {
		return true
	}
	if _, fixed := d.Int(); fixed {
		return true
	}
	if c.stage > 0 { // sizes that only a later part knows
		return false
	}
	if c.questions.assumed == nil {
		c.questions.assumed = map[graph.Extent]bool{}
	}
	c.questions.assumed[d] = true
	return true
}

// castTo converts an element of one type to another.
func (c *call) castTo(to graph.DType, x quantity) (quantity, bool) {
	switch from := c.in[0].dtype(); {
	case to == graph.Bool:
		c := compare(x, integer(0))
		return truthOf(!c.equal), c.known
	case ir.Floats.Has(from) && ir.Ints.Has(to):
		y, ok := truncated(x)
		return y, ok && (x.den == 1 || c.assume(x.num))
	}
	return x, true
}

func clipQuantity(c *call, x []quantity) (y quantity, ok bool) {
	if c.op.since < 11 || len(x) != len(c.in) {
		return x[0], false
	}
	y, ok = x[0], true
	if c.has(1) {
		y, ok = greaterOf(y, x[1])
	}
	if c.has(2) && ok {
		y, ok = lesserOf(y, x[2])
	}
	return y, ok
}

// resultType returns the element type of an operator of arithmetic.
func (c *call) resultType() graph.DType {
	switch c.op.name {
	case "Cast":
		code, _ := attr[int](c, "to")
		return typeCodes[code]
	case "CastLike":
		return c.in[1].dtype()
	case "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Not", "And", "Or":
		return graph.Bool
	case "Where":
		return c.in[1].dtype()
	}
	return c.in[0].dtype()
}

// foldsAll has the reductions of all elements.
var foldsAll = map[string]func(a, b quantity) (quantity, bool){
	"ReduceMax": greaterOf, "ReduceMin": lesserOf, "ReduceProd": mul, "ReduceSum": add,
}

// moves has the operators that only move elements, with the inputs whose elements they move.
var moves = map[string][]int{
	"Concat": nil, // all
	"Expand": {0}, "Flatten": {0}, "Gather": {0}, "GatherElements": {0}, "GatherND": {0}, "Identity": {0}, "Pad": {0, 2},
	"Reshape": {0}, "ScatterElements": {0, 2}, "ScatterND": {0, 2}, "Slice": {0}, "Split": {0}, "Squeeze": {0}, "Tile": {0},
	"Transpose": {0}, "Trilu": {0}, "Unsqueeze": {0},
}

// onSizes evaluates a node whose inputs are known up to sizes, if it can. Constants alone are computed like any others,
// except integers and bools, as in the arithmetic of shapes.
func (c *call) onSizes() ([]value, bool) {
	some, plain := false, len(c.in) > 0
	for _, v := range c.in {
		switch {
		case v.kind == symbolic:
			some = true
		case v.kind == missing:
		case v.kind != constant:
			return nil, false
		case ir.Floats.Has(v.dtype()):
			plain = false
		}
	}
	if !some && !plain {
		return nil, false
	}
	var out value
	ok := false
	if f := arithmetic[c.op.name]; f != nil {
		out, ok = c.elements(f)
	} else if f := foldsAll[c.op.name]; f != nil && some {
		out, ok = c.folded(f)
	} else if _, moved := moves[c.op.name]; moved && some {
		return c.moved()
	}
	return []value{out}, ok
}

// arrays returns the inputs, or some of them, as arrays.
func (c *call) arrays(inputs []int) (out []array, ok bool) {
	for _, i := range inputs {
		if !c.has(i) {
			continue
		}
		a, ok := c.in[i].asArray()
		if !ok {
			return nil, false
		}
		out = append(out, a)
	}
	return out, true
}

// elements evaluates an operator of arithmetic.
func (c *call) elements(f func(c *call, x []quantity) (quantity, bool)) (value, bool) {
	in, ok := c.arrays(from(0, len(c.in)))
	if !ok || c.op.until < 7 && c.op.attrs["broadcast"] != nil {
		return value{}, false
	}
	if c.op.name == "CastLike" {
		in = in[:1]
	}
	shape, elems, ok := broadcast(in)
	dt := c.resultType()
	if !ok || !arrayTypes.Has(dt) {
		return value{}, false
	}
	out := array{dtype: dt, shape: shape, elems: make([]quantity, len(elems[0]))}
	x := make([]quantity, len(in))
	for i := range out.elems {
		for k := range x {
			x[k] = elems[k][i]
		}
		if out.elems[i], ok = f(c, x); !ok || out.elems[i].num.Err() != nil {
			return value{}, false
		}
	}
	return out.value()
}

// folded reduces all elements of an array of one axis or none.
func (c *call) folded(f func(a, b quantity) (quantity, bool)) (value, bool) {
	a, ok := c.in[0].asArray()
	axes, given := c.axes()
	if !ok || len(a.elems) == 0 || len(a.shape) > 1 || given && len(axes) == 0 || c.err != nil {
		return value{}, false
	}
	sum := a.elems[0]
	for _, x := range a.elems[1:] {
		if sum, ok = f(sum, x); !ok {
			return value{}, false
		}
	}
	out := array{dtype: a.dtype, elems: []quantity{sum}}
	if c.flag("keepdims") {
		out.shape = slices.Repeat([]int{1}, len(a.shape))
	}
	return out.value()
}

// moved evaluates an operator that moves elements on the numbers of the elements. Number 0 is padding.
func (c *call) moved() ([]value, bool) {
	inputs := moves[c.op.name]
	if inputs == nil {
		inputs = from(0, len(c.in))
	}
	d := *c
	d.in = slices.Clone(c.in)
	elems := []quantity{integer(0)}
	for _, i := range inputs {
		if !c.has(i) {
			continue
		}
		a, ok := c.in[i].asArray()
		if !ok {
			return nil, false
		}
		numbers := make([]int64, len(a.elems))
		for k := range numbers {
			numbers[k] = int64(len(elems) + k)
		}
		elems = append(elems, a.elems...)
		d.in[i] = constantOf(graph.Of(numbers).Reshape(a.shape...))
	}
	for _, v := range d.in {
		if v.kind == symbolic || c.op.attrs["reduction"] != nil && optional[string](c, "reduction") != "none" {
			return nil, false
		}
	}
	outs := d.op.build(&d)
	if d.err != nil || slices.ContainsFunc(outs, func(v value) bool { return !v.isSmall() }) || fold(outs) != nil {
		return nil, false
	}
	for i, v := range outs {
		places, err := graph.All[int64](v.tensor)
		if err != nil {
			return nil, false
		}
		a := array{dtype: c.in[inputs[0]].dtype(), shape: v.tensor.Shape()}
		for k := range places {
			a.elems = append(a.elems, elems[k])
		}
		var ok bool
		if outs[i], ok = a.value(); !ok {
			return nil, false
		}
	}
	return outs, true
}

// isSmall reports whether the value is a Node without a mistake, or a constant, of few elements.
func (v value) isSmall() bool {
	if v.kind != constant && (v.kind != computed || v.node.Err() != nil) {
		return false
	}
	n, fixed := product(v.shape()).Int()
	return fixed && n <= mostElems
}

// sizesOfShape returns the extents of axes as a value.
func sizesOfShape(shape graph.Shape) value { return sizesOf(slices.Clone(shape), false) }

// product returns the number of elements of a shape.
func product(shape graph.Shape) graph.Extent {
	n := ir.Fixed(1)
	for _, d := range shape {
		n = n.Mul(d)
	}
	return n
}
