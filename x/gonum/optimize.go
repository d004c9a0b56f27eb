package gonum

// Programs as problems of gonum's package optimize.

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/stridefuse/stridefuse/graph"
)

// Objective has the programs of a function to minimize. Each has the variables as its first input, a float64 vector [n], or an array of any
// fixed shape, whose elements are then the variables in row-major order. The other inputs are Data.
type Objective struct {
	Value    *graph.Program  // its output is a float64 scalar: the function
	Gradient *graph.Program  // its output has the shape of the variables; nil for methods that need none
	Hessian  *graph.Program  // its output is [n,n], symmetric; nil for methods that need none
	Data     []*graph.Tensor // the same at each evaluation, and read in place
}

// Problem returns the objective as a problem for optimize.Minimize. Evaluations stop with an error if ctx is done or a run fails: the function
// is NaN from then on, and Status returns optimize.Failure and the first error. The problem is safe for concurrent evaluations.
func (o Objective) Problem(ctx context.Context) (optimize.Problem, error) {
	const op = "problem"
	for name, p := range map[string]*graph.Program{"value": o.Value, "gradient": o.Gradient, "hessian": o.Hessian} {
		if p == nil && name != "value" {
			continue
		}
		ins, outs := p.Inputs(), p.Outputs()
		switch {
		case len(outs) != 1 || len(ins) != 1+len(o.Data):
			return optimize.Problem{}, fail(op, "the program of the %s has the inputs %v and outputs %v: it takes the variables and %d tensors of data, and returns the %s", name, ins, outs, len(o.Data), name)
		case ins[0].DType != graph.Float64 || outs[0].DType != graph.Float64:
			return optimize.Problem{}, fail(op, "the program of the %s takes %v and returns %v: both must be float64", name, ins[0], outs[0])
		case name == "value" && len(outs[0].Shape) != 0:
			return optimize.Problem{}, fail(op, "the value %v is not a scalar", outs[0])
		case name == "gradient" && !outs[0].Shape.Equal(ins[0].Shape):
			return optimize.Problem{}, fail(op, "the gradient %v has not the shape of the variables, %v", outs[0], ins[0])
		case name == "hessian" && len(outs[0].Shape) != 2:
			return optimize.Problem{}, fail(op, "the Hessian %v is not a matrix", outs[0])
		}
	}
	r := &runs{ctx: ctx, data: o.Data}
	problem := optimize.Problem{Status: r.status, Func: func(x []float64) float64 {
		value := [1]float64{math.NaN()}
		r.run(o.Value, graph.Of(value[:]).Reshape(), x)
		return value[0]
	}}
	if o.Gradient != nil {
		problem.Grad = func(grad, x []float64) { r.run(o.Gradient, variables(o.Gradient, grad), x) }
	}
	if o.Hessian != nil {
		problem.Hess = func(hess *mat.SymDense, x []float64) {
			full := mat.NewDense(len(x), len(x), nil)
			r.run(o.Hessian, Of(full), x)
			for i := range x {
				for j := range i + 1 {
					hess.SetSym(i, j, full.At(i, j))
				}
			}
		}
	}
	return problem, nil
}

// runs are the evaluations of a problem.
type runs struct {
	ctx  context.Context
	data []*graph.Tensor

	mu  sync.Mutex
	err error // the first one
}

func (r *runs) status() (optimize.Status, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return optimize.Failure, r.err
	}
	return optimize.NotTerminated, nil
}

// run computes a program at x into out. If that fails, the elements of out are NaN.
func (r *runs) run(p *graph.Program, out *graph.Tensor, x []float64) {
	ins := append([]*graph.Tensor{variables(p, x)}, r.data...)
	if err := p.RunInto(r.ctx, []*graph.Tensor{out}, ins...); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err == nil {
			r.err = err
		}
		_ = graph.Copy(out, graph.ScalarOf(math.NaN()).Expand(out.Shape()...)) // fails only as the run did
	}
}

// variables returns x in the shape of the first input of a program.
func variables(p *graph.Program, x []float64) *graph.Tensor {
	if shape, fixed := p.Inputs()[0].Shape.Ints(); fixed {
		return graph.Of(x, shape...)
	}
	return graph.Of(x)
}
