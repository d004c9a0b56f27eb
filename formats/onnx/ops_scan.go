package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Scan repeats its body for each slice of some inputs. The body becomes part of the graph, as that of Loop does.

var scans = []operator{
	{"Scan", 8, 8, 0, many, ir.AllTypes, attrs{"body": unset{(*subgraph)(nil)}, "num_scan_inputs": unset{0}, "directions": []int{}}, scanBatch},
	{"Scan", 9, latest, 1, many, ir.AllTypes, attrs{
		"body": unset{(*subgraph)(nil)}, "num_scan_inputs": unset{0},
		"scan_input_axes": []int{}, "scan_input_directions": []int{}, "scan_output_axes": []int{}, "scan_output_directions": []int{},
	}, scanBody},
}

// scanBody repeats its body for each slice of the last inputs.
func scanBody(c *call) []value {
	carried, scanned := c.scanInputs(c.in)
	var parts [][]value
	for k, v := range scanned {
		parts = append(parts, c.slices(c.nodeOf(v), at(c.list("scan_input_axes"), k), at(c.list("scan_input_directions"), k) != 0))
	}
	last, stacks := c.scanned(carried, parts)
	if c.err != nil {
		return nil
	}
	return c.stacked(last, stacks, c.list("scan_output_axes"), c.list("scan_output_directions"))
}

// scanBatch is the first version of Scan: all inputs have a batch as first axis, and each sample is scanned separately
// along the second axis.
func scanBatch(c *call) []value {
	if c.has(0) {
		return c.fail("sequence_lens is not supported")
	}
	if len(c.in) == 0 {
		return c.fail("no inputs: the first is sequence_lens, which may be left out")
	}
	carried, scanned := c.scanInputs(c.in[1:])
	batch, fixed := c.samples(carried, scanned)
	if c.err != nil || !fixed || batch < 1 || batch > mostTrips {
		return c.fail("the batch must be known at load, and 1 to %d", mostTrips)
	}
	var outs [][]value
	for b := range batch {
		sample := func(v value) value { return value{kind: computed, node: c.nodeOf(v).Index(0, b), stage: c.stage} }
		var parts [][]value
		for k, v := range scanned {
			parts = append(parts, c.slices(sample(v).node, 0, at(c.list("directions"), k) != 0))
		}
		last, stacks := c.scanned(mapped(carried, sample), parts)
		if c.err != nil {
			return nil
		}
		for k, v := range c.stacked(last, stacks, nil, nil) {
			if k == len(outs) {
				outs = append(outs, nil)
			}
			outs[k] = append(outs[k], v)
		}
	}
	return c.stacked(nil, outs, nil, nil)
}

// samples returns the extent of the batch.
func (c *call) samples(carried, scanned []value) (n int, fixed bool) {
	for _, v := range slices.Concat(carried, scanned) {
		if !v.isTensor() || len(v.shape()) == 0 {
			c.fail("an input without a batch")
			return 0, false
		}
		if k, ok := v.shape()[0].Int(); !ok || fixed && k != n {
			return 0, false
		} else {
			n, fixed = k, true
		}
	}
	return n, fixed
}

// scanInputs returns the values carried from one iteration to the next, and the values that are sliced.
func (c *call) scanInputs(in []value) (carried, scanned []value) {
	n := c.int("num_scan_inputs")
	if n < 1 || n > len(in) {
		c.fail("num_scan_inputs is %d, with %d inputs", n, len(in))
		return nil, nil
	}
	return slices.Clone(in[:len(in)-n]), in[len(in)-n:]
}

// scanned repeats the body for each slice. It returns the carried values after the last iteration, and the other values
// of each iteration.
func (c *call) scanned(carried []value, parts [][]value) (last []value, stacks [][]value) {
	g := need[*subgraph](c, "body")
	for _, p := range parts {
		if len(p) != len(parts[0]) {
			c.fail("inputs have %d and %d slices", len(parts[0]), len(p))
		}
	}
	if c.err != nil || len(parts) == 0 {
		return nil, nil
	}
	stacks = make([][]value, max(0, len(g.outputs)-len(carried)))
	for i := range parts[0] {
		in := slices.Clone(carried)
		for k := range parts {
			in = append(in, parts[k][i])
		}
		out := c.body(g, in)
		if c.err == nil && len(out) < len(carried) {
			c.fail("a body with %d outputs for %d inputs", len(out), len(g.inputs))
		}
		if c.err != nil {
			return nil, nil
		}
		carried = out[:len(carried)]
		for k, v := range out[len(carried):] {
			stacks[k] = append(stacks[k], v)
		}
	}
	return carried, stacks
}

// slices returns the slices of x along an axis, in order or reversed.
func (c *call) slices(x graph.Node, axis int, reversed bool) []value {
	axis = c.wrapAxis(axis, x.Rank())
	if c.err != nil {
		return nil
	}
	n, fixed := x.Shape()[axis].Int()
	if !fixed || n > mostTrips {
		c.fail("axis %d of a scanned input has the extent %s: it must be a number up to %d", axis, x.Shape()[axis], mostTrips)
		return nil
	}
	if c.spend(n); c.err != nil {
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
