package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Control flow that is decided at load: the graphs inside become part of the graph around.

var control = []operator{
	{"If", 1, latest, 1, 1, ir.Bools, attrs{"then_branch": unset{(*subgraph)(nil)}, "else_branch": unset{(*subgraph)(nil)}}, branch},
	{"Loop", 1, latest, 0, many, ir.Ints, attrs{"body": unset{(*subgraph)(nil)}}, loop},
	{"Scan", 9, latest, 1, many, ir.AllTypes, attrs{
		"body": unset{(*subgraph)(nil)}, "num_scan_inputs": unset{0},
		"scan_input_axes": []int{}, "scan_input_directions": []int{}, "scan_output_axes": []int{}, "scan_output_directions": []int{},
	}, scanBody},
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

// mostTrips limits how often a body is repeated.
const mostTrips = 1024

// loop repeats its body: a number of times, while a condition holds, or both: either may be
// left out, the condition then is true. The values
// that the body returns are those of the next iteration, and then one for each iteration,
// which are stacked.
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
		on, ok := truth(condition)
		switch {
		case !ok:
			return c.fail("the condition of iteration %d must be known at load", i)
		case on && i == mostTrips:
			return c.fail("more than %d iterations", mostTrips)
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

// stacked returns the outputs of a loop: the last values that were carried, and the
// stacks of the others, along an axis each, some from the last iteration to the first.
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
		stage := c.stage
		for _, v := range all {
			stage = max(stage, v.stage)
		}
		parts := mapped(all, func(v value) graph.Node { return c.stages.carry(v, stage).asNode() })
		out = append(out, value{kind: computed, node: graph.Stack(at(axes, k), parts...), stage: stage})
	}
	return out
}

// at returns an element of a list that may be missing, which stands for zeros.
func at(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// scanBody repeats its body for each slice of the last inputs.
func scanBody(c *call) []value {
	g, n := need[*subgraph](c, "body"), c.int("num_scan_inputs")
	if n < 1 || n > len(c.in) {
		return c.fail("num_scan_inputs is %d, with %d inputs", n, len(c.in))
	}
	carried := append([]value(nil), c.in[:len(c.in)-n]...)
	var parts [][]value
	for k := range n {
		parts = append(parts, c.slices(len(carried)+k, at(c.list("scan_input_axes"), k), at(c.list("scan_input_directions"), k) != 0))
		if c.err == nil && len(parts[k]) != len(parts[0]) {
			c.fail("inputs have %d and %d slices", len(parts[0]), len(parts[k]))
		}
	}
	if c.err != nil {
		return nil
	}
	stacks := make([][]value, max(0, len(g.outputs)-len(carried)))
	for i := range parts[0] {
		in := append([]value(nil), carried...)
		for k := range parts {
			in = append(in, parts[k][i])
		}
		out := c.body(g, in)
		if c.err != nil {
			return nil
		}
		if len(out) < len(carried) {
			return c.fail("a body with %d outputs for %d inputs", len(out), len(g.inputs))
		}
		carried = out[:len(carried)]
		for k, v := range out[len(carried):] {
			stacks[k] = append(stacks[k], v)
		}
	}
	return c.stacked(carried, stacks, c.list("scan_output_axes"), c.list("scan_output_directions"))
}

func (c *call) list(name string) []int { return need[[]int](c, name) }

// slices returns the slices of input i along an axis, maybe the last one first.
func (c *call) slices(i, axis int, reversed bool) []value {
	x := c.x(i)
	axis = c.wrapAxis(axis, x.Rank())
	if c.err != nil {
		return nil
	}
	n, fixed := x.Shape()[axis].Int()
	if !fixed || n > mostTrips {
		c.fail("axis %d of input %d has the extent %s: it must be a number up to %d", axis, i, x.Shape()[axis], mostTrips)
		return nil
	}
	var out []value
	for _, slice := range x.Unstack(axis) {
		out = append(out, value{kind: computed, node: slice, stage: c.stage})
	}
	if reversed {
		slices.Reverse(out)
	}
	return out
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
