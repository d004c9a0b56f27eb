package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// call is a request with its arguments by name. A wrong argument is a panic, which becomes the error of the reply.
type call struct {
	*request
	many   bool
	inputs map[int]value
}

// of returns the array that an argument is, as an input.
func (c *call) of(arg any) value {
	i := index(arg)
	if v, ok := c.inputs[i]; ok {
		return v
	}
	a, name := c.Arrays[i], fmt.Sprint("x", i)
	dt, isComplex := parts(a.DType)
	shape := make([]any, len(a.Shape))
	for k, n := range a.Shape {
		shape[k] = n
	}
	var v value
	if isComplex {
		v = complexOf(cmplx.Input(name, dt, shape...))
	} else {
		v = realOf(graph.Input(name, dt, shape...))
	}
	if c.inputs == nil {
		c.inputs = map[int]value{}
	}
	c.inputs[i] = v
	return v
}

// index returns the place of an array among those of the request.
func index(arg any) int { return integer(arg.(map[string]any)["array"]) }

func (c *call) x(name string) value { return c.of(c.Args[name]) }

// list returns the arrays of an argument.
func (c *call) list(name string) []value {
	var out []value
	for _, e := range c.Args[name].([]any) {
		out = append(out, c.of(e))
	}
	return out
}

// array returns the array of an argument, for functions of tensors.
func (c *call) array(name string) array {
	return c.Arrays[index(c.Args[name])]
}

// pair returns two arrays in their common type.
func (c *call) pair(a, b string) (x, y value) {
	v := common(c.x(a), c.x(b))
	return v[0], v[1]
}

// common converts values to their common type, which graph asks for.
func common(vs ...value) []value {
	dt, isComplex := vs[0].dtype(), vs[0].complex
	for _, v := range vs[1:] {
		var err error
		dt, err = graph.ResultType(dt, v.dtype())
		check(err)
		isComplex = isComplex || v.complex
	}
	out := make([]value, len(vs))
	for i, v := range vs {
		out[i] = v.cast(dt, isComplex)
	}
	return out
}

// given reports whether an argument is not None.
func (c *call) given(name string) bool { return c.Args[name] != nil }

func (c *call) int(name string) int { return integer(c.Args[name]) }

func integer(v any) int {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.Atoi(string(v)); err == nil {
			return n
		} else if f, err := v.Float64(); err == nil && f == math.Trunc(f) { // beyond int, such as the number of a diagonal
			return int(max(-1<<62, min(f, 1<<62)))
		}
	case map[string]any:
		panic("an array in place of an integer: a Node has no elements")
	case bool:
		panic("a bool in place of an integer")
	}
	panic(fmt.Sprintf("%v in place of an integer", v))
}

// ints returns an argument that is an integer or a tuple of them.
func (c *call) ints(name string) []int {
	list, ok := c.Args[name].([]any)
	if !ok {
		return []int{c.int(name)}
	}
	out := []int{}
	for _, v := range list {
		out = append(out, integer(v))
	}
	return out
}

func (c *call) float(name string) float64 {
	switch v := c.Args[name].(type) {
	case json.Number:
		f, err := v.Float64()
		check(err)
		return f
	case string:
		f, err := strconv.ParseFloat(v, 64)
		check(err)
		return f
	}
	panic(fmt.Sprintf("%v in place of a number", c.Args[name]))
}

func (c *call) flag(name string) bool { b, _ := c.Args[name].(bool); return b }

// text returns an argument that is a string, or "".
func (c *call) text(name string) string { s, _ := c.Args[name].(string); return s }

// dtype returns the type of an argument, or another one if it is None.
func (c *call) dtype(name, otherwise string) (graph.DType, bool) {
	if c.given(name) {
		otherwise = c.text(name)
	}
	return parts(otherwise)
}

// axes returns the axes of a reduction, with the options it has: all of rank if the argument is None.
func (c *call) axes(rank int, options ...any) []any {
	axes := make([]int, rank)
	for k := range axes {
		axes[k] = k
	}
	if c.given("axis") {
		axes = c.ints("axis")
	}
	if c.flag("keepdims") {
		options = append(options, graph.KeepDims)
	}
	return append([]any{axes}, options...)
}
