package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// fitter is a fit in progress.
type fitter struct {
	ctx     context.Context
	program *graph.Program
	t, y    *graph.Tensor
	p       []float64 // the parameters

	cost           float64   // r'r
	square, change []float64 // J'J, [7,7], and J'r, [7]
}

// at computes cost, square and change for parameters.
func (f *fitter) at(p []float64) (cost float64, square, change []float64, err error) {
	outs, err := f.program.RunAll(f.ctx, f.t, f.y, graph.Of(p))
	if err != nil {
		return 0, nil, nil, err
	}
	if cost, err = graph.At[float64](outs[0]); err != nil {
		return 0, nil, nil, err
	}
	if square, err = graph.Data[float64](outs[1]); err != nil {
		return 0, nil, nil, err
	}
	change, err = graph.Data[float64](outs[2])
	return cost, square, change, err
}

// fit decreases the cost until a step changes it by less than a part in 10^12. A step solves (J'J + damping*diag(J'J)) d
// = -J'r; the damping falls after a step that decreases the cost and rises after one that does not (Marquardt 1963).
func (f *fitter) fit(w io.Writer) (err error) {
	if f.cost, f.square, f.change, err = f.at(f.p); err != nil {
		return err
	}
	damping := 1e-3
	for step := 1; step <= 100; step++ {
		damped := append([]float64(nil), f.square...)
		for i := range f.p {
			damped[i*len(f.p)+i] *= 1 + damping
		}
		d, err := solve(damped, f.change)
		if err != nil {
			return err
		}
		next := make([]float64, len(d))
		for i := range d {
			next[i] = f.p[i] - d[i]
		}
		cost, square, change, err := f.at(next)
		if err != nil {
			return err
		}
		if !(cost < f.cost) {
			damping *= 10
			continue
		}
		done := f.cost-cost < 1e-12*cost
		f.p, f.cost, f.square, f.change = next, cost, square, change
		damping /= 10
		fmt.Fprintf(w, "step %2d: %.4f ppm\n", step, f.deviation())
		if done {
			return nil
		}
	}
	return errors.New("no minimum after 100 steps")
}

// deviation returns the standard deviation of the residuals.
func (f *fitter) deviation() float64 {
	return math.Sqrt(f.cost / float64(f.y.Size()-len(f.p)))
}

// print prints the parameters with their standard errors: the roots of the diagonal of the covariance matrix, the
// inverse of J'J times the variance of the residuals.
func (f *fitter) print(w io.Writer) error {
	for i, name := range names {
		unit := make([]float64, len(f.p))
		unit[i] = 1
		column, err := solve(f.square, unit)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-6s %10.5f ± %.5f\n", name, f.p[i], f.deviation()*math.Sqrt(column[i]))
	}
	return nil
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
