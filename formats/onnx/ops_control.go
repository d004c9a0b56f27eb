package onnx

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Control flow that is decided while the graph is built: subgraphs become part of the graph around them. If a condition is
// a value of the run, the run decides, and builds the rest of the model.

var control = []operator{
	{"If", 1, latest, 1, 1, ir.Bools, attrs{"then_branch": unset{(*subgraph)(nil)}, "else_branch": unset{(*subgraph)(nil)}}, branch},
	{"Loop", 1, latest, 0, many, ir.Ints | anySequence | anyOptional, attrs{"body": unset{(*subgraph)(nil)}}, loop},
}

func branch(c *call) []value {
	on := c.truth(c.in[0], "condition")
	if c.err != nil {
		return nil
	}
	name := "else_branch"
	if on {
		name = "then_branch"
	}
	g := need[*subgraph](c, name)
	if c.err != nil {
		return nil
	}
	return c.body(g, nil)
}

// mostTrips limits the iterations of a body.
const mostTrips = 1024

// loop repeats its body a number of times, while a condition holds, or both. The body returns the values for the next
// iteration and then one value per iteration, which are stacked.
func loop(c *call) []value {
	g := need[*subgraph](c, "body")
	count := mostTrips + 1
	if c.has(0) {
		count = c.int1(0)
	}
	if c.err != nil {
		return nil
	}
	condition := constantOf(graph.ScalarOf(true))
	if c.has(1) {
		condition = c.in[1]
	}
	carried := c.in[min(2, len(c.in)):]
	stacks := make([][]value, max(0, len(g.outputs)-1-len(carried)))
	for i := range count {
		on := c.truth(condition, fmt.Sprint("condition ", i))
		if on && i == mostTrips {
			c.fail("more than %d iterations", mostTrips)
		}
		if c.err != nil {
			return nil
		}
		if !on {
			break
		}
		out := c.body(g, append([]value{constantOf(graph.ScalarOf(int64(i))), condition}, carried...))
		if c.err != nil {
			return nil
		}
		if len(out) < 1+len(carried) {
			return c.fail("a body with %d outputs for %d inputs", len(out), len(g.inputs))
		}
		condition, carried = out[0], out[1:1+len(carried)]
		for k, v := range out[1+len(carried):] {
			stacks[k] = append(stacks[k], v)
		}
	}
	return c.stacked(carried, stacks, nil, nil)
}

// stacked returns the outputs of a loop: the last carried values, and the stacks of the other values along their axes,
// some in reverse order.
func (c *call) stacked(carried []value, stacks [][]value, axes, directions []int) []value {
	out := append([]value(nil), carried...)
	for k, all := range stacks {
		if len(all) == 0 {
			c.fail("output %d stacks the results of no iteration", len(carried)+k)
			continue
		}
		if at(directions, k) != 0 {
			slices.Reverse(all)
		}
		stage, text := c.stage, false
		for _, v := range all {
			stage, text = max(stage, v.stage), text || v.text
		}
		parts := mapped(all, func(v value) graph.Node { return c.nodeOf(c.stages.carry(v, stage)) })
		out = append(out, value{kind: computed, node: graph.Stack(at(axes, k), parts...), stage: stage, text: text})
	}
	return out
}

// at returns an element of a list, or 0 if the list is missing.
func at(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 0
}

func (c *call) list(name string) []int { return need[[]int](c, name) }

// body builds a subgraph with the given values as inputs, and returns its outputs.
func (c *call) body(g *subgraph, in []value) []value {
	if c.spend((len(g.inputs) + len(g.outputs) + len(g.constants)) / namesOfNode); c.err != nil {
		return nil
	}
	b := c.inner()
	b.path = fmt.Sprintf("%s/%s.%d", c.path, c.node.label(), c.bodies)
	c.bodies++
	if len(g.inputs) != len(in) {
		return c.fail("a body with %d inputs: it must have %d", len(g.inputs), len(in))
	}
	for i, p := range g.inputs {
		b.values[p.name] = in[i]
	}
	b.run(g)
	out := b.results(g)
	for i, v := range out {
		switch {
		case v.kind != missing:
		case b.waits(g.outputs[i]) && c.err == nil:
			c.err = errLater
		default:
			c.fail("a node of its body can't be built, on which output %q depends", g.outputs[i])
		}
	}
	return out
}

// truth returns one bool, or asks for it.
func (c *call) truth(v value, what string) bool {
	v = c.know(v, what)
	if c.err == nil && (v.kind != constant || v.tensor.Size() != 1 || v.tensor.DType() != graph.Bool) {
		c.fail("the %s must be one bool", what)
	}
	if c.err != nil {
		return false
	}
	on, err := graph.At[bool](v.tensor.Reshape())
	if err != nil {
		c.fail("%w", err)
	}
	return on
}
