package main

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

func init() { portable.Register() } // a program with assembly does not link these loops

// engine runs one function in one tier, for one goroutine.
type engine[T float] struct {
	program *graph.Program
	arity   int
	out     []T
}

func newEngine[T float](f *function, fast bool, on abi.Engine) (*engine[T], error) {
	options := []graph.Item{graph.WithWorkers(1)}
	if fast {
		options = append(options, graph.WithFast())
	}
	switch on {
	case abi.Portable:
		options = append(options, graph.WithDebug(graph.Portable))
	case abi.AVX2:
		options = append(options, graph.WithDebug(graph.AVX2))
	}
	p, err := f.compile(dtypeOf[T](), dtypeOf[T](), options...)
	if err != nil {
		return nil, err
	}
	return &engine[T]{program: p, arity: f.exact.Arity, out: make([]T, chunkLen)}, nil
}

// compile makes a program of f on inputs of one type, with the result converted to another.
func (f *function) compile(from, to ir.DType, options ...graph.Item) (*graph.Program, error) {
	n := graph.Dim("n")
	x := graph.Input("x", from, n)
	y := x
	if f.exact.Arity == 2 {
		y = graph.Input("y", from, n)
	}
	if from != to {
		x, y = x.Cast(to), y.Cast(to)
	}
	p, err := graph.Compile(append(options, f.node(x, y))...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name(), err)
	}
	return p, nil
}

// run computes the function; the result is overwritten by the next call.
func (e *engine[T]) run(ctx context.Context, xs, ys []T) ([]T, error) {
	out := e.out[:len(xs)]
	ins := []*graph.Tensor{graph.Of(xs), graph.Of(ys)}
	return out, e.program.RunInto(ctx, []*graph.Tensor{graph.Of(out)}, ins[:e.arity]...)
}

// tierName returns the name of a tier in tables.
func tierName(fast bool) string {
	if fast {
		return "fast"
	}
	return "default"
}

var dtypes = []ir.DType{ir.Float32, ir.Float64}
