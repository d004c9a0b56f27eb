package gonum_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/gonum"
)

// Standard scores of the columns of a part of a matrix, into another matrix: one pass for the sums, one for the results.
func ExampleFunc() {
	x := graph.Input("x", graph.Float64, graph.Dim("n"), graph.Dim("m"))
	program, err := graph.Compile(x.Sub(x.Mean(0)).Div(x.Std(0)))
	if err != nil {
		panic(err)
	}
	scores := gonum.Func(program)

	data := mat.NewDense(3, 3, []float64{1, 10, -1, 2, 20, -1, 3, 60, -1})
	var dst mat.Dense
	if err := scores(context.Background(), &dst, data.Slice(0, 3, 0, 2)); err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(&dst))
	// Output:
	// ⎡-1.225  -0.926⎤
	// ⎢ 0.000  -0.463⎥
	// ⎣ 1.225   1.389⎦
}

// A matrix and a tensor share memory.
func ExampleOf() {
	m := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	t := gonum.Of(m.T())
	fmt.Println(t)
	m.Set(0, 2, 30)
	fmt.Println(t.Index(0, 2))

	back, err := gonum.Dense(t.Permute(1, 0))
	fmt.Println(back.At(0, 2), err)
	// Output:
	// float64[3,2]
	// [[1. 4.]
	//  [2. 5.]
	//  [3. 6.]]
	// float64[2]
	// [30.  6.]
	// 30 <nil>
}

// A line through points: gonum's BFGS with the value and the gradient as programs.
func ExampleObjective() {
	line := graph.Input("line", graph.Float64, 2) // offset and slope
	x, y := graph.Input("x", graph.Float64, graph.Dim("n")), graph.Input("y", graph.Float64, graph.Dim("n"))
	off := x.Mul(line.Index(0, 1)).Add(line.Index(0, 0)).Sub(y)
	value, err := graph.Compile(off.Square().Sum(), graph.WithInputs(line, x, y))
	if err != nil {
		panic(err)
	}
	gradient, err := graph.Compile(graph.Stack(0, off.Sum(), off.Mul(x).Sum()).Mul(2), graph.WithInputs(line, x, y))
	if err != nil {
		panic(err)
	}
	problem, err := gonum.Objective{Value: value, Gradient: gradient, Data: []*graph.Tensor{
		graph.Of([]float64{0, 1, 2, 3}), graph.Of([]float64{1, 3, 5, 7}),
	}}.Problem(context.Background())
	if err != nil {
		panic(err)
	}
	result, err := optimize.Minimize(problem, []float64{0, 0}, nil, &optimize.BFGS{})
	fmt.Printf("%.4f %v\n", result.X, err)
	// Output:
	// [1.0000 2.0000] <nil>
}
