package gonum_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
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

// TestNewObjectiveOfVectors: a value that is no scalar is an error of the call.
func TestNewObjectiveOfVectors(t *testing.T) {
	x, half := graph.Input("x", graph.Float64, 3), graph.Input("h", graph.Float32, 3)
	_, err := gonum.NewObjective(x.Square(), x)
	require.ErrorContains(t, err, "objective: the value is square: float64[3]: it must be a float64 scalar")
	_, err = gonum.NewObjective(half.Sum(), half)
	require.ErrorContains(t, err, "it must be a float64 scalar")
	_, err = gonum.NewHessian(x.Square(), x)
	require.ErrorContains(t, err, "it must be a float64 scalar")
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

	v := graph.Input("v", graph.Float64, 4)
	head, tail = v.Slice(":-1"), v.Slice("1:")
	hessian, err := gonum.NewHessian(head.Sub(1).Square().Add(tail.Sub(head.Square()).Square().Mul(100)).Sum(), v)
	require.NoError(t, err)
	objective.Hessian = hessian
	problem, err = objective.Problem(t.Context())
	require.NoError(t, err)
	got, wantHess := mat.NewSymDense(4, nil), mat.NewSymDense(4, nil)
	problem.Hess(got, at)
	for i := range 3 {
		wantHess.SetSym(i, i, wantHess.At(i, i)+2+1200*at[i]*at[i]-400*at[i+1])
		wantHess.SetSym(i+1, i+1, 200)
		wantHess.SetSym(i, i+1, -400*at[i])
	}
	require.True(t, mat.EqualApprox(wantHess, got, 1e-9))
	found, err := optimize.Minimize(problem, []float64{2, 2, 2, 2}, nil, &optimize.Newton{})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1, 1, 1, 1}, found.X, 1e-6)
	_, err = gonum.NewHessian(x.Sum(), x)
	require.ErrorContains(t, err, "of a shape of numbers")

	_, err = gonum.NewObjective(x, graph.Node{})
	require.Error(t, err)
}
