package gonum_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/optimize/functions"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/gonum"
)

// A logistic curve through points, by its formula alone: the graph has the gradient.
func ExampleNewObjective() {
	w := graph.Input("w", graph.Float64, 2)
	x, y := graph.Input("x", graph.Float64, graph.Dim("n")), graph.Input("y", graph.Float64, graph.Dim("n"))
	loss := x.Mul(w.Index(0, 1)).Add(w.Index(0, 0)).Sigmoid().Sub(y).Square().Sum()
	objective, err := gonum.NewObjective(loss, w, x, y)
	if err != nil {
		panic(err)
	}
	objective.Data = []*graph.Tensor{graph.Of([]float64{-2, -1, 0, 1, 2}), graph.Of([]float64{0.1, 0.2, 0.5, 0.8, 0.9})}
	problem, err := objective.Problem(context.Background())
	if err != nil {
		panic(err)
	}
	result, err := optimize.Minimize(problem, []float64{0, 0}, nil, &optimize.LBFGS{})
	fmt.Printf("%.3f %v\n", result.X, err)
	// Output:
	// [0.000 1.262] <nil>
}

// TestNewObjective compares the value and the gradient of Rosenbrock's function with gonum's.
func TestNewObjective(t *testing.T) {
	x := graph.Input("x", graph.Float64, graph.Dim("n"))
	head, tail := x.Slice(":-1"), x.Slice("1:")
	objective, err := gonum.NewObjective(head.Sub(1).Square().Add(tail.Sub(head.Square()).Square().Mul(100)).Sum(), x)
	require.NoError(t, err)
	problem, err := objective.Problem(context.Background())
	require.NoError(t, err)
	at := []float64{-1.2, 1, 0.5, 3}
	want := functions.ExtendedRosenbrock{}
	require.InDelta(t, want.Func(at), problem.Func(at), 1e-10)
	grad, wantGrad := make([]float64, 4), make([]float64, 4)
	problem.Grad(grad, at)
	want.Grad(wantGrad, at)
	require.InDeltaSlice(t, wantGrad, grad, 1e-10)

	_, err = gonum.NewObjective(x, graph.Node{})
	require.Error(t, err)
}
