package onnx

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

// The steps of a recurrent layer as a loop: one program computes a step, and is run for each. The number of steps is one of
// the run, and no program grows with it. The numbers are those of steps in the graph.

// looped adds the loop of a direction as an edge. It returns the first state after each step, and all states after the
// last one.
func (c *call) looped(of cell, f []func(graph.Node) graph.Node, x graph.Node, d, size int, back bool, first []graph.Node) (y graph.Node, last []graph.Node) {
	inputs := c.layer(of, x, d, size).inputs
	if !c.good(inputs) || !c.good(first...) {
		return y, nil
	}
	operands := append([]graph.Node{inputs}, first...)

	// The program of a step. It takes the products with the input, the states, the step and the lengths, if they are given,
	// and the parameters that are no constants.
	inner := *c
	dt, batch := inputs.DType(), graph.Dim("batch")
	in := graph.Nodes{graph.Input("x", dt, batch, of.gates*size)}
	var states []graph.Node
	for k := range first {
		states = append(states, graph.Input([]string{"h", "c"}[k], dt, batch, size))
	}
	in = append(in, states...)
	var lengths *graph.Node
	var at graph.Node
	if all := c.lengths(); all != nil {
		n := graph.Input("lengths", all.DType(), batch, 1)
		at = graph.Input("step", all.DType())
		lengths, in, operands = &n, append(in, at, n), append(operands, *all)
	}
	inner.in = append([]value(nil), c.in...)
	for i := range c.in {
		parameter := i >= 2 && (i < 4 || i > 6) // the others are the input, its weights, the lengths and the first states
		if parameter && c.has(i) && c.in[i].kind != constant {
			x := graph.Input(fmt.Sprint("input_", i), c.in[i].dtype(), c.in[i].shape())
			inner.in[i] = compute(x)
			in, operands = append(in, x), append(operands, c.x(i))
		}
	}
	l := inner.layer(of, graph.Fill(dt, 0, 1, 1, c.x(0).Shape()[2]), d, size)
	l.f = f
	out, next := l.at(in[0], states, lengths, at)
	items := append([]graph.Item{graph.WithInputs(in...), graph.Output("y", out)}, c.stages.options...)
	for k, s := range next {
		if k > 0 || lengths != nil {
			items = append(items, graph.Output([]string{"next_h", "next_c"}[k], s))
		}
	}
	p, err := graph.Compile(items...)
	if err != nil {
		c.fail("%w", err)
		return y, nil
	}
	s := steps{program: p, size: size, states: len(first), back: back, masked: lengths != nil}
	shape := inputs.Shape()
	results := []result{{dt, graph.Shape{shape[0], shape[1], graph.Extent{}}}}
	results[0].shape[2] = integer(size).num
	for range first {
		results = append(results, result{dt, results[0].shape[1:]})
	}
	outs := c.edgeOn(operands, s.run, results...)
	if c.err != nil {
		return y, nil
	}
	return outs[0].node, mapped(outs[1:], func(v value) graph.Node { return v.node })
}

// steps runs a program for each step.
type steps struct {
	program      *graph.Program
	size, states int
	back, masked bool // masked: the program takes the step and the lengths
}

// run computes the results of all steps, and the states after the last one, from the products with the input, the states
// before, and the other operands of the program.
func (s steps) run(ctx context.Context, in []*graph.Tensor) ([]*graph.Tensor, error) {
	inputs, states, rest := in[0], append([]*graph.Tensor(nil), in[1:1+s.states]...), in[1+s.states:]
	n, batch, dt := inputs.Extent(0), inputs.Extent(1), inputs.DType()
	y := graph.New(dt, n, batch, s.size)
	var spare [2][]*graph.Tensor // states after odd and even steps
	for k := range spare {
		for range s.states {
			spare[k] = append(spare[k], graph.New(dt, batch, s.size))
		}
	}
	var at []*graph.Tensor
	if s.masked {
		at = []*graph.Tensor{graph.New(rest[0].DType())}
	}
	for i := range n {
		t := i
		if s.back {
			t = n - 1 - i
		}
		if s.masked {
			if err := at[0].Set(t); err != nil {
				return nil, err
			}
		}
		ins := append([]*graph.Tensor{inputs.Index(0, t)}, states...)
		ins = append(append(ins, at...), rest...)
		next := append([]*graph.Tensor(nil), spare[i%2]...)
		outs := append([]*graph.Tensor{y.Index(0, t)}, next...)
		if !s.masked { // the result is the first state
			next[0] = outs[0]
			outs = append(outs[:1], outs[2:]...)
		}
		if err := s.program.RunInto(ctx, outs, ins...); err != nil {
			return nil, err
		}
		states = next
	}
	if n == 0 { // the states are operands
		for k := range states {
			states[k] = states[k].Clone()
		}
	} else if !s.masked {
		states[0] = states[0].Clone() // a part of y
	}
	return append([]*graph.Tensor{y}, states...), nil
}
