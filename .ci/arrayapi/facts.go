package main

import (
	"strconv"

	"github.com/stridefuse/stridefuse/graph"
)

// facts are the functions whose results are no arrays.
var facts = map[string]func(c *call) any{
	"can_cast": func(c *call) any {
		from, z := parts(c.text("from"))
		to, w := parts(c.text("to"))
		return graph.CanCast(from, to) && (w || !z) && (!w || graph.Floats.Has(to))
	},
	"isdtype": func(c *call) any {
		dt, isComplex := parts(c.text("dtype"))
		floats := graph.Floats.Has(dt)
		switch kind := c.text("kind"); kind {
		case "bool":
			return graph.Bools.Has(dt)
		case "signed integer":
			return graph.SignedIntegers.Has(dt)
		case "unsigned integer":
			return graph.UnsignedIntegers.Has(dt)
		case "integral":
			return graph.Integers.Has(dt)
		case "real floating":
			return floats && !isComplex
		case "complex floating":
			return isComplex
		case "numeric":
			return graph.Numeric.Has(dt)
		default:
			panic("there is no kind " + kind)
		}
	},
	"result_type": func(c *call) any {
		list := c.Args["dtypes"].([]any)
		dt, isComplex := parts(list[0].(string))
		for _, name := range list[1:] {
			d, z := parts(name.(string))
			var err error
			dt, err = graph.ResultType(dt, d)
			check(err)
			isComplex = isComplex || z
		}
		if isComplex {
			return map[graph.DType]string{graph.Float32: "complex64", graph.Float64: "complex128"}[dt]
		}
		return dt.String()
	},
	"finfo": func(c *call) any {
		dt, _ := parts(c.text("dtype"))
		l, ok := dt.FloatLimits()
		if !ok {
			panic("no float type")
		}
		return []any{l.Bits, l.Greatest, l.Epsilon, l.SmallestNormal}
	},
	"iinfo": func(c *call) any {
		dt, _ := parts(c.text("dtype"))
		l, ok := dt.IntLimits()
		if !ok {
			panic("no integer type")
		}
		return []any{l.Bits, l.Least, strconv.FormatUint(l.Greatest, 10)} // a string, which a float would round
	},
	"broadcast_shapes": func(c *call) any {
		x := graph.Scalar(graph.Bool, true)
		for _, s := range c.Args["shapes"].([]any) {
			shape := []any{}
			for _, n := range s.([]any) {
				shape = append(shape, integer(n))
			}
			x = x.And(graph.Fill(graph.Bool, true, shape...))
		}
		check(x.Err())
		out, _ := x.Shape().Ints()
		if out == nil {
			out = []int{}
		}
		return out
	},
}
