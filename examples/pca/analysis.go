package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// compiled are the programs.
type compiled struct{ covariance, power, projection *graph.Program }

func compile() (*compiled, error) {
	c, err1 := covariance()
	p, err2 := power()
	r, err3 := projection()
	return &compiled{c, p, r}, errors.Join(err1, err2, err3)
}

// analysis holds the principal components of a table [n,d].
type analysis struct {
	mean            []float64   // [d]
	components      [][]float64 // [d,d], in order of decreasing variance
	steps           []int       // number of steps for each
	scores          *graph.Tensor
	variance, share []float64 // [d]
	skew, off       float64   // see projection
}

func (c *compiled) analyse(x *graph.Tensor) (*analysis, error) {
	ctx := context.Background()
	out, err := c.covariance.RunAll(ctx, x)
	if err != nil {
		return nil, err
	}
	mean, cov := out[0], out[1]
	found, steps, err := c.components(ctx, cov)
	if err != nil {
		return nil, err
	}
	if out, err = c.projection.RunAll(ctx, x, mean, cov, found); err != nil {
		return nil, err
	}
	return &analysis{
		mean:       numbers(mean),
		components: slices.Collect(slices.Chunk(numbers(out[0]), len(steps))),
		steps:      steps,
		scores:     out[1],
		variance:   numbers(out[2]),
		share:      numbers(out[3]),
		skew:       numbers(out[4])[0],
		off:        numbers(out[5])[0],
	}, nil
}

// components returns the eigenvectors of cov as rows, and the number of steps for each. All steps are runs of one
// program into existing memory.
func (c *compiled) components(ctx context.Context, cov *graph.Tensor) (*graph.Tensor, []int, error) {
	const near, most = 1e-14, 10_000
	d := cov.Shape()[0]
	found, steps := graph.Zeros(graph.Float64, d, d), make([]int, d)
	v, next, moved := graph.New(graph.Float64, d), graph.New(graph.Float64, d), graph.New(graph.Float64)
	for i := range steps {
		copy(numbers(v), numbers(graph.Uniform(graph.Float64, uint64(i), -1, 1, d)))
		for change := math.Inf(1); change > near; steps[i]++ {
			if steps[i] == most {
				return nil, nil, fmt.Errorf("component %d still moves by %g after %d steps", i+1, change, most)
			}
			if err := c.power.RunInto(ctx, []*graph.Tensor{next, moved}, cov, found, v); err != nil {
				return nil, nil, err
			}
			v, next = next, v
			if change = numbers(moved)[0]; math.IsNaN(change) {
				return nil, nil, fmt.Errorf("component %d has no direction: nothing varies there, or is no finite number", i+1)
			}
		}
		copy(numbers(found.Index(0, i)), numbers(v))
	}
	return found, steps, nil
}

// numbers returns the elements of a row-major tensor without a copy.
func numbers(t *graph.Tensor) []float64 {
	v, err := graph.Data[float64](t)
	if err != nil {
		panic(err)
	}
	return v
}
