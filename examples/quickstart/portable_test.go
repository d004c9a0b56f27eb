package main

import (
	"testing"

	"github.com/stridefuse/stridefuse/graph"
)

// TestPortableEngine checks that the portable engine lacks no kernel that the program's assembly
// has: a program on amd64 has none of the library's Go loops.
func TestPortableEngine(t *testing.T) {
	n := graph.Dim("n")
	x, y, z := graph.Input("x", graph.Float32, n), graph.Input("y", graph.Float32, n), graph.Input("z", graph.Float32, n)
	_, err := graph.Compile(x.Mul(y).Add(z), graph.WithGeneratedKernels(), graph.WithDebug(graph.Portable))
	if err != nil {
		t.Fatal(err)
	}
}
