package graph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/stridefuse/stridefuse/graph"
)

// A layer for any number of samples: the ops after the product run on its blocks while these are in the cache.
func ExampleNode_MatMul() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	w := graph.Of([]float32{1, 0, 0, 1, -1, 2}, 3, 2)
	p, err := graph.Compile(x.MatMul(w).Add(0.5).ReLU())
	if err != nil {
		log.Fatal(err)
	}
	out, err := p.Run(context.Background(), graph.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	fmt.Println(x.MatMul(w.T()).Err())
	// Output:
	// float32[2,2]
	// [[ 0.   8.5]
	//  [ 0.  17.5]]
	// example_products_test.go:24: matmul: shapes [n,3] and [2,3]: axis 1 of the first is 3 and axis 0 of the second is 2: they must be equal
}

// Labels say what is multiplied and what is summed: letters, or words.
func ExampleEinsum() {
	x := graph.Const(graph.Arange(graph.Int32, 0, 6, 1)).Reshape(2, 3)
	y := graph.Const(graph.Of([]int32{1, 10, 100}))
	p, err := graph.Compile(
		graph.Einsum("row col, col -> row", x, y),
		graph.Einsum("ij,kj->ik", x, x),         // x times its transpose
		graph.Einsum("ij,j,ik->k", x, y, x),     // three at once
		graph.Einsum("ii->i", x.Slice(":, 1:")), // a diagonal
	)
	if err != nil {
		log.Fatal(err)
	}
	outs, err := p.RunAll(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, out := range outs {
		fmt.Println(out)
	}
	fmt.Println(graph.Einsum("row col, col row", x, x).Err())
	// Output:
	// int32[2]
	// [210 543]
	// int32[2,2]
	// [[ 5 14]
	//  [14 50]]
	// int32[3]
	// [1629 2382 3135]
	// int32[2]
	// [1 5]
	// example_products_test.go:52: einsum: "row col, col row" of shapes [2,3] and [2,3]: label col is 3 as axis 1 of the first and 2 as axis 0 of the second: they must be equal
}
