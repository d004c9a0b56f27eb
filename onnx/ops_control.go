package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Control flow that is decided at load: the graphs inside become part of the graph around.

var control = []operator{
	{"If", 1, latest, 1, 1, ir.Bools, attrs{"then_branch": unset{(*subgraph)(nil)}, "else_branch": unset{(*subgraph)(nil)}}, branch},
}

func branch(c *call) []value {
	on, ok := truth(c.in[0])
	if !ok {
		return c.fail("the condition (%s) must be known at load: give it with Fix", c.node.inputs[0])
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

// body builds a subgraph with values for its inputs, and returns its outputs.
func (c *call) body(g *subgraph, in []value) []value {
	b := c.inner()
	if len(g.inputs) != len(in) {
		return c.fail("a body with %d inputs: it must have %d", len(g.inputs), len(in))
	}
	for i, p := range g.inputs {
		b.values[p.name] = in[i]
	}
	b.run(g)
	out := b.results(g)
	for i, v := range out {
		if v.kind == missing {
			c.fail("a node of its body can't be built, on which output %q depends", g.outputs[i])
		}
	}
	return out
}

// truth returns a bool that is known at load.
func truth(v value) (on, ok bool) {
	if v.kind != constant || v.tensor.Size() != 1 || v.tensor.DType() != graph.Bool {
		return false, false
	}
	on, err := graph.At[bool](v.tensor.Reshape())
	return on, err == nil
}
