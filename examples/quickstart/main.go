// Quickstart is the program that the README shows.
package main

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

//go:generate go run github.com/stridefuse/stridefuse/cmd/genkernels -from kernels.lock

func main() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3) // n rows, any n
	w := graph.Of([]float32{2, 0.5, 1})
	z := x.Slice("::-1").Mul(w).Add(1).Tanh() // nothing runs yet
	p, err := graph.Compile(z)                // every mistake above comes out here, with its line
	if err != nil {
		panic(err)
	}
	out, err := p.Run(context.Background(), graph.Of([]float32{0, 1, 2, 3, 4, 5}, 2, 3))
	fmt.Println(out, err)
	fmt.Print(p.Explain())
}
