// Package least fits parameters by least squares for the examples: by the method of Levenberg and Marquardt, with a
// Jacobian from the graph of the residuals. Module x/gonum has a solver for users.
package least

import (
	"context"
	"errors"
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Problem is a program of the residuals r of parameters p: it computes r'r, and J'J and J'r of their Jacobian J.
type Problem struct {
	program *graph.Program
	count   int // parameters
}

// New compiles the problem of residuals [n] that depend on parameters, an input of float64 [k] for a number k, and on
// data. JVP makes the Jacobian, a column a parameter.
func New(residuals, parameters graph.Node, data ...graph.Node) (Problem, error) {
	k, _ := parameters.Shape()[0].Int()
	columns := make([]graph.Node, k)
	for i := range columns {
		along := make([]float64, k)
		along[i] = 1
		columns[i] = graph.JVP(residuals, []graph.Node{parameters}, []graph.Node{graph.Const(graph.Of(along))})
	}
	j := graph.Stack(1, columns...)
	p, err := graph.Compile(residuals.SumSquares(), j.T().MatMul(j), j.T().MatMul(residuals), graph.WithInputs(append([]graph.Node{parameters}, data...)...))
	return Problem{p, k}, err
}

// Fit is a point of a problem.
type Fit struct {
	Parameters []float64
	Cost       float64 // r'r

	square, change []float64 // J'J, [k,k], and J'r, [k]
}

// at computes a point.
func (p Problem) at(ctx context.Context, parameters []float64, data []*graph.Tensor) (f Fit, err error) {
	f.Parameters = parameters
	outs, err := p.program.RunAll(ctx, append([]*graph.Tensor{graph.Of(parameters)}, data...)...)
	if err != nil {
		return f, err
	}
	if f.Cost, err = graph.At[float64](outs[0]); err != nil {
		return f, err
	}
	if f.square, err = graph.Data[float64](outs[1]); err != nil {
		return f, err
	}
	f.change, err = graph.Data[float64](outs[2])
	return f, err
}

// Solve decreases the cost from a start until a step changes it by less than a part in 10^12, and returns the points on
// the way, the start first. A step solves (J'J + damping*diag(J'J)) d = -J'r; the damping falls after a step that
// decreases the cost and rises after one that does not (Marquardt, An algorithm for least-squares estimation of nonlinear
// parameters, 1963). A cost that is NaN counts as a greater one.
func (p Problem) Solve(ctx context.Context, start []float64, data ...*graph.Tensor) ([]Fit, error) {
	now, err := p.at(ctx, start, data)
	way := []Fit{now}
	damping := 1e-3
	for step := 1; step <= 100 && err == nil; step++ {
		damped := append([]float64(nil), now.square...)
		for i := range p.count {
			damped[i*p.count+i] *= 1 + damping
		}
		d, err := solve(damped, now.change)
		if err != nil {
			return way, err
		}
		moved := make([]float64, p.count)
		for i := range d {
			moved[i] = now.Parameters[i] - d[i]
		}
		next, err := p.at(ctx, moved, data)
		if err != nil {
			return way, err
		}
		if !(next.Cost < now.Cost) {
			if damping > 1e10 {
				return way, nil // not even a step along the gradient decreases it
			}
			damping *= 10
			continue
		}
		done := now.Cost-next.Cost < 1e-12*next.Cost
		now, way, damping = next, append(way, next), damping/10
		if done {
			return way, nil
		}
	}
	if err == nil {
		err = errors.New("no minimum after 100 steps")
	}
	return way, err
}

// Errors returns the standard errors of the parameters for n residuals: the roots of the diagonal of the covariance
// matrix, the inverse of J'J times the variance of the residuals.
func (f Fit) Errors(n int) ([]float64, error) {
	k := len(f.Parameters)
	out := make([]float64, k)
	for i := range out {
		unit := make([]float64, k)
		unit[i] = 1
		column, err := solve(f.square, unit)
		if err != nil {
			return nil, err
		}
		out[i] = math.Sqrt(f.Cost / float64(n-k) * column[i])
	}
	return out, nil
}

// solve returns x with a x = b for a symmetric positive definite a, by Cholesky's decomposition.
func solve(a, b []float64) ([]float64, error) {
	n := len(b)
	l, x := append([]float64(nil), a...), append([]float64(nil), b...)
	for i := range n {
		for j := range i + 1 {
			sum := l[i*n+j]
			for k := range j {
				sum -= l[i*n+k] * l[j*n+k]
			}
			switch {
			case j < i:
				l[i*n+j] = sum / l[j*n+j]
			case !(sum > 0):
				return nil, errors.New("the normal matrix is singular")
			default:
				l[i*n+i] = math.Sqrt(sum)
			}
		}
	}
	for i := range n {
		for k := range i {
			x[i] -= l[i*n+k] * x[k]
		}
		x[i] /= l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= l[k*n+i] * x[k]
		}
		x[i] /= l[i*n+i]
	}
	return x, nil
}
