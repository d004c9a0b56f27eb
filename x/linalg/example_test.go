package linalg_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/linalg"
)

// Two systems of equations at once, and one that has no solution.
func ExampleSolve() {
	a := graph.Of([]float64{2, 0, 0, 4, 1, 1, 1, -1}, 2, 2, 2)
	b := graph.Of([]float64{2, 8, 3, 1}, 2, 2, 1)
	x, err := linalg.Solve(context.Background(), a, b)
	fmt.Println(x, err)
	_, err = linalg.Solve(context.Background(), graph.Ones(graph.Float64, 2, 2), graph.Ones(graph.Float64, 2))
	fmt.Println(err)
	// Output:
	// float64[2,2,1]
	// [[[1.]
	//   [2.]]
	//
	//  [[2.]
	//   [1.]]] <nil>
	// example_test.go:17: solve: a is singular: pivot 1 is 0
}

// Random numbers of a given covariance: uncorrelated ones times the Cholesky factor.
func ExampleCholesky() {
	ctx := context.Background()
	l, err := linalg.Cholesky(ctx, graph.Of([]float64{4, 2, 2, 5}, 2, 2))
	if err != nil {
		panic(err)
	}
	fmt.Println(l)
	z := graph.Input("z", graph.Float64, graph.Dim("n"), 2)
	p, err := graph.Compile(z.MatMul(graph.Const(l).T()))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Run(ctx, graph.Of([]float64{1, 0, 0, 1, 1, 1}, 3, 2)))
	// Output:
	// float64[2,2]
	// [[2. 0.]
	//  [1. 2.]]
	// float64[3,2]
	// [[2. 1.]
	//  [0. 2.]
	//  [2. 3.]] <nil>
}

// The principal axes of a covariance.
func ExampleEigh() {
	w, v, err := linalg.Eigh(context.Background(), graph.Of([]float64{2, 0, 0, 1}, 2, 2))
	fmt.Println(w, v, err)
	// Output:
	// float64[2]
	// [1. 2.] float64[2,2]
	// [[0. 1.]
	//  [1. 0.]] <nil>
}
