package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// gradients returns losses with their gradients: value and gradients are one program.
func gradients() (ws []workload) {
	for _, g := range formula.Gradients() {
		ws = append(ws, workload{g.Name, g.Size, func(threads int) ([]call, error) {
			var calls []call
			for _, way := range []struct {
				note   string
				option graph.Option
				grads  graph.Nodes
			}{
				{"assembled kernels", graph.WithAssembledKernels(), graph.Grad(g.Loss, g.Params...)},
				{"tiling", graph.WithoutAssembledKernels(), graph.Grad(g.Loss, g.Params...)},
				{"value", graph.WithAssembledKernels(), nil},
			} {
				p, err := graph.Compile(g.Loss, way.grads, graph.WithInputs(slices.Concat(g.Data, g.Params)...), graph.WithWorkers(threads), way.option)
				if err != nil {
					return nil, err
				}
				c, err := derivative{g, p}.call(way.note)
				if err != nil {
					return nil, err
				}
				calls = append(calls, c)
			}
			return calls, nil
		}})
	}
	return ws
}

// derivative is a program of a loss and perhaps its gradients.
type derivative struct {
	formula.Gradient
	program *graph.Program
}

// call returns the measurement of a program.
func (d derivative) call(note string) (call, error) {
	ins := d.inputs()
	outs, err := d.program.RunAll(context.Background(), ins...)
	c := call{note: note, run: func() error { return d.program.RunInto(context.Background(), outs, ins...) }}
	if len(d.program.Outputs()) > 1 {
		c.check = func() error { return d.check(ins, outs) }
	}
	return c, err
}

// inputs returns random data and parameters.
func (d derivative) inputs() (ins []*graph.Tensor) {
	for i, port := range d.program.Inputs() {
		shape, _ := port.Shape.Ints()
		if port.DType == graph.Int64 {
			labels := make([]int64, shape[0])
			for k := range labels {
				labels[k] = int64(7*k) % d.Classes
			}
			ins = append(ins, graph.Of(labels))
			continue
		}
		ins = append(ins, graph.Uniform(port.DType, uint64(i+1), d.Low, d.High, shape...))
	}
	return ins
}

// check compares the square of the gradients' norm with the difference of the loss between points on both sides, along
// the gradients.
func (d derivative) check(ins, outs []*graph.Tensor) error {
	norm, sides := graph.Scalar(graph.Float64, 0), [2]graph.Nodes{}
	for _, g := range outs[1:] {
		norm = norm.Add(graph.Const(g).Cast(graph.Float64).SumSquares())
	}
	loss := graph.Const(outs[0]).Cast(graph.Float64)
	h := loss.Abs().Mul(1e-3).Div(norm)
	for i, p := range d.Params {
		x, step := graph.Const(ins[len(d.Data)+i]), graph.Const(outs[1+i]).Mul(h.Cast(p.DType()))
		sides[0], sides[1] = append(sides[0], x.Sub(step)), append(sides[1], x.Add(step))
	}
	losses := [2]graph.Node{}
	for i, x := range sides {
		moved, err := values(x)
		if err != nil {
			return err
		}
		outs, err := d.program.RunAll(context.Background(), slices.Concat(ins[:len(d.Data)], moved)...)
		if err != nil {
			return err
		}
		losses[i] = graph.Const(outs[0]).Cast(graph.Float64)
	}
	found, err := values(graph.Nodes{losses[1].Sub(losses[0]).Div(h.Mul(2)), norm})
	if err != nil {
		return err
	}
	want, _ := graph.At[float64](found[0])
	if got, err := graph.At[float64](found[1]); err != nil || !(math.Abs(got-want) <= 0.02*want) {
		return fmt.Errorf("wrong: the square of the gradients is %v, and should be about %v", got, want)
	}
	return nil
}

// values computes Nodes without inputs.
func values(xs graph.Nodes) ([]*graph.Tensor, error) {
	p, err := graph.Compile(xs)
	if err != nil {
		return nil, err
	}
	return p.RunAll(context.Background())
}
