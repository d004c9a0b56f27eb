package optim

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Schedule is a learning rate as a function of the number of the step, from 1 on. Both are Float64 scalars.
type Schedule func(step graph.Node) graph.Node

// at returns the rate of a step.
func (s Schedule) at(step graph.Node) graph.Node {
	if s == nil {
		return failed("Rate is not set: give it a Schedule, such as Constant(1e-3)")
	}
	return s(step)
}

// Constant is the same rate at each step.
func Constant(rate float64) Schedule {
	return func(step graph.Node) graph.Node { return step.Scalar(rate) }
}

// Exponential begins at rate and is multiplied by factor every period steps, gradually.
func Exponential(rate, factor, period float64) Schedule {
	return func(step graph.Node) graph.Node {
		return step.Scalar(factor).Pow(step.Sub(1).Div(period)).Mul(rate)
	}
}

// Cosine rises linearly during the first warmup steps, by rate/(warmup+1) each. The step after them has rate itself, and
// from there on the rate falls along half a cosine to 0, which step number steps+1 would have (Loshchilov and Hutter,
// SGDR: stochastic gradient descent with warm restarts, 2017). It is an error of New unless 0 <= warmup < steps.
func Cosine(rate, warmup, steps float64) Schedule {
	return func(step graph.Node) graph.Node {
		if !(0 <= warmup && warmup < steps) {
			return failed("Cosine with %v warmup steps of %v steps in all: they must be from 0 to less than all", warmup, steps)
		}
		up := step.Div(warmup + 1)
		along := step.Sub(1+warmup).Div(math.Max(steps-warmup, 1)).Clip(0, 1)
		return graph.Where(step.Le(warmup), up, along.Mul(math.Pi).Cos().Add(1).Mul(0.5)).Mul(rate)
	}
}
