package main

import (
	"encoding/json"
	"strconv"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// creations are the functions that make arrays of numbers.
var creations = map[string]func(c *call) []value{
	"empty":      func(c *call) []value { return c.full(0, "float64") },
	"zeros":      func(c *call) []value { return c.full(0, "float64") },
	"ones":       func(c *call) []value { return c.full(1, "float64") },
	"empty_like": like(0), "zeros_like": like(0), "ones_like": like(1),
	"full": func(c *call) []value {
		v := c.x("fill_value")
		if dt, isComplex := c.dtype("dtype", c.array("fill_value").DType); true {
			v = v.cast(dt, isComplex)
		}
		return []value{v.view(func(x graph.Node) graph.Node { return x.BroadcastTo(dims(c.ints("shape"))...) })}
	},
	"full_like": func(c *call) []value {
		x := c.x("x")
		dt, isComplex := c.dtype("dtype", c.array("x").DType)
		return []value{c.x("fill_value").cast(dt, isComplex).view(func(v graph.Node) graph.Node { return v.BroadcastTo(dims(x.shape())...) })}
	},
	"eye": func(c *call) []value {
		rows := c.int("n_rows")
		cols := rows
		if c.given("n_cols") {
			cols = c.int("n_cols")
		}
		dt, isComplex := c.dtype("dtype", "float64")
		x := graph.Fill(dt, 0, rows, cols).EyeLike(dt, c.int("k"))
		return []value{realOf(x).cast(dt, isComplex)}
	},
	"meshgrid": func(c *call) []value {
		c.many = true
		list := c.list("arrays")
		swapped := c.text("indexing") == "xy" && len(list) > 1
		var re, im []graph.Node
		for _, v := range list {
			if v.complex {
				re, im = append(re, v.z.Real()), append(im, v.z.Imag())
			} else {
				re = append(re, v.re)
			}
		}
		grid := func(x []graph.Node) graph.Nodes {
			if !swapped {
				return graph.Meshgrid(x...)
			}
			x[0], x[1] = x[1], x[0]
			out := graph.Meshgrid(x...)
			out[0], out[1] = out[1], out[0]
			return out
		}
		a := grid(re)
		out := make([]value, len(a))
		for i := range a {
			out[i] = realOf(a[i])
		}
		if im != nil {
			for i, b := range grid(im) {
				out[i] = complexOf(cmplx.Make(a[i], b))
			}
		}
		return out
	},
}

// full returns an array of one number.
func (c *call) full(v any, dtype string) []value {
	dt, isComplex := c.dtype("dtype", dtype)
	if dt == graph.Bool {
		v = v != 0
	}
	return []value{realOf(graph.Fill(dt, v, dims(c.ints("shape"))...)).cast(dt, isComplex)}
}

func like(v any) func(c *call) []value {
	return func(c *call) []value {
		a := c.array("x")
		c.Args["shape"] = []any{}
		for _, n := range a.Shape {
			c.Args["shape"] = append(c.Args["shape"].([]any), json.Number(strconv.Itoa(n)))
		}
		return c.full(v, a.DType)
	}
}
