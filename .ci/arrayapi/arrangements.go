package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// arrangements are the functions that move elements, and the products.
var arrangements = map[string]func(c *call) []value{
	"astype": func(c *call) []value {
		x := c.x("x")
		dt, isComplex := c.dtype("dtype", "")
		if x.complex && !isComplex {
			panic("a complex array as a real one")
		}
		return []value{x.cast(dt, isComplex)}
	},
	"broadcast_arrays": func(c *call) []value {
		c.many = true
		list := c.list("arrays")
		y := graph.Scalar(graph.Bool, true)
		for _, v := range list {
			y = y.And(graph.Fill(graph.Bool, true, dims(v.shape())...))
		}
		out := make([]value, len(list))
		for i, v := range list {
			out[i] = v.view(func(x graph.Node) graph.Node { return x.BroadcastTo(y.Shape()) })
		}
		return out
	},
	"broadcast_to": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return x.BroadcastTo(dims(c.ints("shape"))...) })
	},
	"concat": func(c *call) []value {
		list, axis := common(c.list("arrays")...), 0
		if c.given("axis") {
			axis = c.int("axis")
		} else {
			for i, v := range list {
				list[i] = v.view(graph.Node.Flatten)
			}
		}
		return []value{joined(list, func(x ...graph.Node) graph.Node { return graph.Concat(axis, x...) })}
	},
	"stack": func(c *call) []value {
		return []value{joined(common(c.list("arrays")...), func(x ...graph.Node) graph.Node { return graph.Stack(c.int("axis"), x...) })}
	},
	"expand_dims": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return x.ExpandDims(anys(c.ints("axis"))...) })
	},
	"flip": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return x.Flip(c.axes(x.Rank())[0].([]int)) })
	},
	"moveaxis": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node {
			return x.Permute(anys(moved(x.Rank(), c.ints("source"), c.ints("destination")))...)
		})
	},
	"permute_dims": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return x.Permute(anys(c.ints("axes"))...) })
	},
	"matrix_transpose": func(c *call) []value { return view(c, func(x graph.Node) graph.Node { return x.SwapAxes(-2, -1) }) },
	"reshape": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return x.Reshape(dims(c.ints("shape"))...) })
	},
	"roll": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node {
			if !c.given("axis") {
				return x.Flatten().Roll(0, c.int("shift")).Reshape(x.Shape())
			}
			shifts := c.ints("shift")
			for i, axis := range c.ints("axis") {
				x = x.Roll(axis, shifts[min(i, len(shifts)-1)])
			}
			return x
		})
	},
	"squeeze": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return x.Squeeze(anys(c.ints("axis"))...) })
	},
	"tile": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return x.Tile(c.ints("repetitions")...) })
	},
	"tril": func(c *call) []value { return view(c, func(x graph.Node) graph.Node { return x.Tril(c.int("k")) }) },
	"triu": func(c *call) []value { return view(c, func(x graph.Node) graph.Node { return x.Triu(c.int("k")) }) },
	"diagonal": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return x.Diagonal(c.int("offset"), -2, -1) })
	},
	"repeat": func(c *call) []value {
		return view(c, func(x graph.Node) graph.Node { return c.repeated(x, c.int("repeats")) })
	},
	"unstack": func(c *call) []value {
		c.many = true
		x, axis := c.x("x"), c.int("axis")
		out := make([]value, x.shape()[(axis+len(x.shape()))%len(x.shape())])
		for i := range out {
			out[i] = x.view(func(x graph.Node) graph.Node { return x.Unstack(axis)[i] })
		}
		return out
	},
	"take": func(c *call) []value {
		i := c.x("indices").re
		return view(c, func(x graph.Node) graph.Node {
			axis := 0
			if c.given("axis") {
				axis = c.int("axis")
			}
			return x.Take(axis, i.FromEnd(x.Shape()[(axis+x.Rank())%x.Rank()]))
		})
	},
	"take_along_axis": func(c *call) []value {
		i, axis := c.x("indices").re, c.int("axis")
		return view(c, func(x graph.Node) graph.Node {
			k := (axis + x.Rank()) % x.Rank()
			to := func(y, of graph.Node) graph.Node { // the other axes of both broadcast
				shape := y.Shape()
				for j := range shape {
					if j != k && shape[j].Is(1) {
						shape[j] = of.Shape()[j]
					}
				}
				return y.BroadcastTo(shape)
			}
			return to(x, i).TakeAlong(axis, to(i, x).FromEnd(x.Shape()[k]))
		})
	},
	"getitem": func(c *call) []value { return view(c, func(x graph.Node) graph.Node { return c.item(x) }) },
	"setitem": func(c *call) []value {
		x, v := c.x("x"), c.x("value")
		if !x.complex {
			return []value{realOf(c.set(x.re, v.re))}
		}
		return []value{complexOf(cmplx.Make(c.set(x.z.Real(), v.z.Real()), c.set(x.z.Imag(), v.z.Imag())))}
	},

	"matmul": func(c *call) []value {
		x, y := c.pair("x1", "x2")
		if x.complex {
			return []value{complexOf(x.z.MatMul(y.z))}
		}
		return []value{realOf(x.re.MatMul(y.re))}
	},
	"tensordot": func(c *call) []value {
		x, y := c.pair("x1", "x2")
		axes := c.ints2("axes")
		return []value{product(x, y, func(a, b graph.Node) graph.Node { return a.Tensordot(b, axes...) })}
	},
	"outer": func(c *call) []value {
		x, y := c.pair("x1", "x2")
		return []value{product(x, y, func(a, b graph.Node) graph.Node { return a.Outer(b) })}
	},
	"vecdot": func(c *call) []value {
		x, y := c.pair("x1", "x2")
		axis := c.int("axis")
		if x.complex {
			return []value{complexOf(x.z.Conj().Mul(y.z).Sum(axis))}
		}
		return []value{realOf(x.re.Mul(y.re).Sum(axis, graph.InType(x.dtype())))}
	},
	"cross": func(c *call) []value {
		x, y := c.pair("x1", "x2")
		return []value{product(x, y, func(a, b graph.Node) graph.Node { return a.Cross(b, c.int("axis")) })}
	},
}

// product is a bilinear function of complex numbers too.
func product(x, y value, f func(a, b graph.Node) graph.Node) value {
	if !x.complex {
		return realOf(f(x.re, y.re))
	}
	a, b, p, q := x.z.Real(), x.z.Imag(), y.z.Real(), y.z.Imag()
	return complexOf(cmplx.Make(f(a, p).Sub(f(b, q)), f(a, q).Add(f(b, p))))
}

// moved returns the order of axes after some are moved.
func moved(rank int, from, to []int) []int {
	order := slices.Repeat([]int{-1}, rank)
	taken := make([]bool, rank)
	for i := range from {
		source := (from[i] + rank) % rank
		order[(to[i]+rank)%rank], taken[source] = source, true
	}
	next := 0
	for i := range order {
		if order[i] >= 0 {
			continue
		}
		for taken[next] {
			next++
		}
		order[i] = next
		next++
	}
	return order
}

func (c *call) repeated(x graph.Node, times any) graph.Node {
	if c.given("axis") {
		return x.Repeat(c.int("axis"), times)
	}
	return x.Flatten().Repeat(0, times)
}

// ints2 returns the axes of a tensordot.
func (c *call) ints2(name string) []any {
	list, ok := c.Args[name].([]any)
	if !ok {
		n := c.int(name)
		first, last := []int{}, []int{}
		for i := range n {
			first, last = append(first, i-n), append(last, i)
		}
		return []any{first, last}
	}
	out := []any{}
	for _, side := range list {
		axes := []int{}
		for _, v := range side.([]any) {
			axes = append(axes, integer(v))
		}
		out = append(out, axes)
	}
	return out
}

func view(c *call, f func(x graph.Node) graph.Node) []value { return []value{c.x("x").view(f)} }

func joined(list []value, f func(x ...graph.Node) graph.Node) value {
	var re, im []graph.Node
	for _, v := range list {
		if v.complex {
			re, im = append(re, v.z.Real()), append(im, v.z.Imag())
		} else {
			re = append(re, v.re)
		}
	}
	if im != nil {
		return complexOf(cmplx.Make(f(re...), f(im...)))
	}
	return realOf(f(re...))
}

func anys(list []int) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

func dims(shape []int) []any { return anys(shape) }

// key returns the text of a subscript without arrays, and the arrays of one that has some.
func (c *call) key() (spec string, arrays []graph.Node, mask bool) {
	var items []string
	for _, k := range c.Args["key"].([]any) {
		switch k := k.(type) {
		case nil:
			items = append(items, "None")
		case string:
			items = append(items, k)
		case json.Number:
			items = append(items, fmt.Sprint(integer(k)))
			arrays = append(arrays, graph.Scalar(graph.Int64, integer(k)))
		case map[string]any:
			if s, ok := k["slice"].([]any); ok {
				items = append(items, bounds(s))
				continue
			}
			x := c.of(k).re
			arrays, mask = append(arrays, x), mask || x.DType() == graph.Bool
			items = append(items, "array")
		default:
			panic(fmt.Sprintf("a subscript %v", k))
		}
	}
	if slices.Contains(items, "array") {
		if len(arrays) != len(items) {
			panic("arrays beside slices in a subscript")
		}
		return "", arrays, mask
	}
	return strings.Join(items, ", "), nil, false
}

func bounds(s []any) string {
	text := make([]string, 3)
	for i, v := range s {
		if v != nil {
			text[i] = fmt.Sprint(integer(v))
		}
	}
	if text[2] == "" {
		return text[0] + ":" + text[1]
	}
	return strings.Join(text, ":")
}

// places returns the row-major places of the elements that arrays of indices choose.
func places(x graph.Node, arrays []graph.Node) graph.Node {
	if len(arrays) != x.Rank() {
		panic(fmt.Sprintf("%d arrays of indices for %d axes", len(arrays), x.Rank()))
	}
	place := graph.Scalar(graph.Int64, 0)
	for k, i := range arrays {
		n := x.Shape()[k]
		place = place.Mul(n).Add(i.Cast(graph.Int64).FromEnd(n))
	}
	return place
}

func (c *call) item(x graph.Node) graph.Node {
	spec, arrays, mask := c.key()
	switch {
	case mask:
		panic("a mask: the shape depends on its elements")
	case arrays != nil:
		return x.Flatten().Take(0, places(x, arrays))
	case spec == "":
		return x
	}
	return x.Slice(spec)
}

func (c *call) set(x, v graph.Node) graph.Node {
	spec, arrays, mask := c.key()
	switch {
	case mask:
		m := arrays[0]
		for m.Rank() < x.Rank() {
			m = m.Unsqueeze(-1)
		}
		return graph.Where(m, v.BroadcastTo(x.Shape()), x)
	case arrays != nil:
		i := places(x, arrays)
		return x.Flatten().Scatter(0, i.Flatten(), v.BroadcastTo(i.Shape()).Flatten(), graph.ScatterSet).Reshape(x.Shape())
	case spec == "":
		return v.BroadcastTo(x.Shape())
	}
	return x.Set(spec, v)
}
