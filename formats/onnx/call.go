package onnx

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// call is one use of an operator while its graph is built. Its methods record the first mistake, after which they
// return harmless values.
type call struct {
	*builder
	op   *operator
	node *node
	in   []value
	// stage is the first stage in which all inputs are known; see stages.
	stage  int
	after  int // the stage after the edges that the node adds, if it does
	bodies int // number of subgraphs built for the node
	err    error
}

func (c *call) fail(format string, args ...any) []value {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	return nil
}

// good reports whether Nodes have no mistakes, and therefore have axes. It records the first mistake.
func (c *call) good(xs ...graph.Node) bool {
	for _, x := range xs {
		if err := x.Err(); err != nil && c.err == nil {
			c.err = err
		}
	}
	return c.err == nil
}

// spend counts a node of the model as n nodes, because it is unrolled into n nodes.
func (c *call) spend(n int) {
	if !c.errs.room(n) && c.err == nil {
		c.err = certainError{fmt.Errorf("it becomes %d nodes: with all others these are more than %d", n, mostNodes)}
	}
}

// spendElements counts elements that are computed and kept at load as nodes.
func (c *call) spendElements(n int) { c.spend(n / elementsOfNode) }

// elementsOfNode is the number of elements that take about as much memory as a node.
const elementsOfNode = 1 << 10

// itemsOfNode is the number of elements of a sequence that take about as much time and memory as a node.
const itemsOfNode = 64

// has reports whether input i is there.
func (c *call) has(i int) bool { return i < len(c.in) && c.in[i].kind != missing }

// x returns input i.
func (c *call) x(i int) graph.Node {
	if !c.has(i) {
		c.fail("input %d is missing", i)
		return graph.Scalar(graph.Float32, 0)
	}
	return c.nodeOf(c.in[i])
}

// nodeOf returns a value, which must be a tensor.
func (c *call) nodeOf(v value) graph.Node {
	if !v.isTensor() {
		c.fail("a sequence, or an optional value that is not there, in place of a tensor")
		return graph.Scalar(graph.Float32, 0)
	}
	if v.kind == symbolic {
		if c.spend(len(v.array.elems)); c.err != nil {
			return graph.Scalar(graph.Int64, 0)
		}
	}
	return v.asNode()
}

// all returns all inputs.
func (c *call) all() []graph.Node {
	out := make([]graph.Node, len(c.in))
	for i := range out {
		out[i] = c.x(i)
	}
	return out
}

// wants reports whether output i is used.
func (c *call) wants(i int) bool { return i < len(c.node.outputs) && c.node.outputs[i] != "" }

// sizes returns the elements of input i, numbers or symbolic sizes.
func (c *call) sizes(i int) []graph.Extent {
	if !c.has(i) {
		c.fail("input %d is missing", i)
		return nil
	}
	sizes, _, ok := c.in[i].asSizes()
	if !ok {
		sizes, _, ok = c.known(i).asSizes()
	}
	if !ok {
		c.fail("input %d (%s) must be integers of one axis or none", i, c.node.inputs[i])
	}
	return sizes
}

// known returns input i with elements that are known at load, or asks for them.
func (c *call) known(i int) value { return c.know(c.in[i], fmt.Sprint("input ", i)) }

// ints returns the elements of input i as numbers.
func (c *call) ints(i int) []int {
	if c.has(i) && c.in[i].kind == symbolic {
		c.in[i] = c.known(i)
	}
	sizes := c.sizes(i)
	out := make([]int, len(sizes))
	for k, d := range sizes {
		n, _ := d.Int()
		out[k] = clampInt(n)
	}
	return out
}

// clampInt converts what models write for "to the end", the ends of int32, to those of int64.
func clampInt(n int) int {
	switch {
	case n >= math.MaxInt32:
		return math.MaxInt
	case n <= -math.MaxInt32:
		return math.MinInt
	}
	return n
}

// int1 returns the only element of input i as a number.
func (c *call) int1(i int) int {
	v := c.ints(i)
	if len(v) != 1 {
		c.fail("input %d (%s) has %d elements: it must have one", i, c.node.inputs[i], len(v))
		return 0
	}
	return v[0]
}

// attr returns an attribute or its default. ok is false if there is neither.
func attr[T any](c *call, name string) (v T, ok bool) {
	given, ok := c.node.attrs[name]
	if !ok {
		given, ok = c.op.attrs[name]
		if !ok {
			panic(fmt.Sprintf("BUG: onnx: %s has no attribute %q", c.op.name, name))
		}
	}
	v, ok = given.(T) // not ok for an unset default
	return v, ok
}

// need returns a required attribute.
func need[T any](c *call, name string) T {
	v, ok := attr[T](c, name)
	if !ok {
		c.fail("attribute %q is missing", name)
	}
	return v
}

func (c *call) int(name string) int       { return need[int](c, name) }
func (c *call) float(name string) float64 { return need[float64](c, name) }
func (c *call) text(name string) string   { return need[string](c, name) }
func (c *call) flag(name string) bool     { return need[int](c, name) != 0 }

// axis returns the attribute "axis", counted from the front, of a value of the given rank.
func (c *call) axis(rank int) int { return c.wrapAxis(c.int("axis"), rank) }

// wrapAxis counts a negative axis from the end.
func (c *call) wrapAxis(axis, rank int) int {
	if axis < -rank || axis >= rank {
		c.fail("axis %d of %d axes", axis, rank)
		return 0
	}
	if axis < 0 {
		axis += rank
	}
	return axis
}

// from returns the axes from axis to the last.
func from(axis, rank int) []int {
	out := make([]int, 0, max(rank, 0))
	for ; axis < rank; axis++ {
		out = append(out, axis)
	}
	return out
}

// one returns the values of an operator with one output.
func one(x graph.Node) []value { return []value{compute(x)} }

// unaryOp returns the build function of an operator that is a method of one Node.
func unaryOp(f func(graph.Node) graph.Node) func(c *call) []value {
	return func(c *call) []value { return one(f(c.x(0))) }
}

// binaryOp returns the build function of an operator that is a method of two Nodes.
func binaryOp(f func(x graph.Node, y any) graph.Node) func(c *call) []value {
	return func(c *call) []value { return one(f(c.x(0), c.x(1))) }
}
