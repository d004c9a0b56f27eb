// Package formula has the graphs that the benchmark program measures, apart
// from it so that kernels can be generated for them.
package formula

import "github.com/stridefuse/stridefuse/graph"

//go:generate go run github.com/stridefuse/stridefuse/cmd/genkernels

// Add is c = a + b.
func Add() graph.Node {
	in := vectors("a", "b")
	return in[0].Add(in[1])
}

// Chain5 is y = (a*b + c)*a - b/(abs(c) + 1).
func Chain5() graph.Node {
	in := vectors("a", "b", "c")
	a, b, c := in[0], in[1], in[2]
	return a.Mul(b).Add(c).Mul(a).Sub(b.Div(c.Abs().Add(1)))
}

// vectors returns inputs of one size n.
func vectors(names ...string) []graph.Node {
	in := make([]graph.Node, len(names))
	for i, name := range names {
		in[i] = graph.Input(name, graph.Float32, graph.Dim("n"))
	}
	return in
}

// Graphs returns the programs to generate kernels for.
func Graphs() ([]*graph.Program, error) {
	var programs []*graph.Program
	for _, f := range []func() graph.Node{Add, Chain5} {
		p, err := graph.Compile(f())
		if err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
}
