package main

import (
	"testing"

	"github.com/stridefuse/stridefuse/graph"
)

// TestPortableEngine checks that the portable engine has every kernel that the program's assembly has, since a program
// on amd64 links none of the library's Go loops.
func TestPortableEngine(t *testing.T) {
	n := graph.Dim("n")
	x, y, z := graph.Input("x", graph.Float32, n), graph.Input("y", graph.Float32, n), graph.Input("z", graph.Float32, n)
	_, err := graph.Compile(x.Mul(y).Add(z), graph.WithGeneratedKernels(), graph.WithDebug(graph.Portable))
	if err != nil {
		t.Fatal(err)
	}
}
