package graph_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

// A loop that makes many results releases each when it is done with it.
func ExampleProgram_Run_release() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"))
	p, err := graph.Compile(x.Mul(x).Sum())
	if err != nil {
		panic(err)
	}
	for _, data := range [][]float32{{1, 2}, {3, 4, 5}} {
		out, err := p.Run(context.Background(), graph.Of(data))
		if err != nil {
			panic(err)
		}
		fmt.Println(out)
		if err := out.Release(); err != nil {
			panic(err)
		}
		fmt.Println(out.Err())
	}
	// Output:
	// float32[] 5.0
	// the result was released: Clone it first, or release it later
	// float32[] 50.0
	// the result was released: Clone it first, or release it later
}
