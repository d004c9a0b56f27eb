package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// chain is a program with the programs that compute values from constants. Those run once, and their results are inputs
// of later programs. The inputs of the chain are all inputs that no program computes.
type chain struct {
	once    []program
	results [][]string               // for each program, the inputs that its results become
	run     program                  // the program of each run
	made    map[string]*graph.Tensor // results of once, nil before the first run
}

// Inputs returns the inputs of the chain, those of the last program first.
func (c *chain) Inputs() []graph.Port {
	var ports []graph.Port
	for _, p := range append([]program{c.run}, c.once...) {
		for _, in := range p.Inputs() {
			given := slices.ContainsFunc(ports, func(q graph.Port) bool { return q.Name == in.Name })
			computed := slices.ContainsFunc(c.results, func(names []string) bool { return slices.Contains(names, in.Name) })
			if !given && !computed {
				ports = append(ports, in)
			}
		}
	}
	return ports
}

// RunAll runs the last program. The first call first runs the others, with the constants of that call.
func (c *chain) RunAll(ctx context.Context, ins ...*graph.Tensor) ([]*graph.Tensor, error) {
	have := map[string]*graph.Tensor{}
	for i, p := range c.Inputs() {
		have[p.Name] = ins[i]
	}
	if c.made == nil {
		if err := c.compute(ctx, have); err != nil {
			return nil, err
		}
	}
	return runNamed(ctx, c.run, have, c.made)
}

// compute runs the programs that run once, on inputs given by name.
func (c *chain) compute(ctx context.Context, have map[string]*graph.Tensor) error {
	made := map[string]*graph.Tensor{}
	for i, p := range c.once {
		outs, err := runNamed(ctx, p, have, made)
		if err != nil {
			return err
		}
		if len(outs) != len(c.results[i]) {
			return fmt.Errorf("%d results are computed once, and the text names %d", len(outs), len(c.results[i]))
		}
		for k, name := range c.results[i] {
			made[name] = outs[k]
		}
	}
	c.made = made
	return nil
}

// runNamed runs a program on inputs given by name; names in made come first.
func runNamed(ctx context.Context, p program, have, made map[string]*graph.Tensor) ([]*graph.Tensor, error) {
	var ins []*graph.Tensor
	for _, in := range p.Inputs() {
		x := made[in.Name]
		if x == nil {
			x = have[in.Name]
		}
		if x == nil {
			return nil, fmt.Errorf("the input %s is missing: add -in %s=file.npy", in, in.Name)
		}
		if err := fits(in, x); err != nil {
			return nil, err
		}
		ins = append(ins, x)
	}
	return p.RunAll(ctx, ins...)
}
