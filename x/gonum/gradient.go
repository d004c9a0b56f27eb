package gonum

import "github.com/stridefuse/stridefuse/graph"

// This file compiles derivatives of formulas by package graph.

// NewObjective compiles a scalar and its gradient, which is graph.Grad's. value, the variables and the data are Nodes of one
// graph: variables is the input that is varied, and each of data an input that Data then has a tensor for.
//
//	objective, err := gonum.NewObjective(loss, w, x, y)
//	objective.Data = []*graph.Tensor{points, targets}
//	problem, err := objective.Problem(ctx)
func NewObjective(value, variables graph.Node, data ...graph.Node) (Objective, error) {
	inputs := graph.WithInputs(append([]graph.Node{variables}, data...)...)
	if err := isObjective(value); err != nil {
		return Objective{}, err
	}
	v, err := graph.Compile(value, inputs)
	if err != nil {
		return Objective{}, err
	}
	g, err := graph.Compile(graph.Grad(value, variables)[0], inputs)
	return Objective{Value: v, Gradient: g}, err
}

// NewHessian compiles the matrix [k,k] of the second derivatives of a scalar, for the Hessian of an Objective, by graph.HVP for each of the k
// variables. The arguments are those of NewObjective; the shape of the variables must be of numbers.
func NewHessian(value, variables graph.Node, data ...graph.Node) (*graph.Program, error) {
	if err := isObjective(value); err != nil {
		return nil, err
	}
	k, err := count(variables)
	if err != nil {
		return nil, err
	}
	rows := make(graph.Nodes, k)
	for i := range rows {
		rows[i] = graph.HVP(value, []graph.Node{variables}, []graph.Node{unit(variables, i, k)})[0].Reshape(-1)
	}
	return graph.Compile(graph.Stack(0, rows...), graph.WithInputs(append([]graph.Node{variables}, data...)...))
}

// isObjective returns an error for a value that is no float64 scalar. The errors of graph itself are those of Compile.
func isObjective(value graph.Node) error {
	if value.Err() == nil && (value.Rank() != 0 || value.DType() != graph.Float64) {
		return fail("objective", "the value is %v: it must be a float64 scalar, such as a Sum; NewLeastSquares takes a vector of residuals", value)
	}
	return nil
}

// count returns the number of variables, which is 1 at least.
func count(variables graph.Node) (int, error) {
	shape, fixed := variables.Shape().Ints()
	if err := variables.Err(); err != nil {
		return 0, err
	}
	if !fixed || variables.DType() != graph.Float64 {
		return 0, fail("derivatives", "the variables are %v: they must be float64, of a shape of numbers", variables)
	}
	k := 1
	for _, n := range shape {
		k *= n
	}
	if k == 0 {
		return 0, fail("derivatives", "the variables are %v: there must be one at least", variables)
	}
	return k, nil
}

// unit returns the unit vector of variable i of k, in their shape.
func unit(variables graph.Node, i, k int) graph.Node {
	shape, _ := variables.Shape().Ints()
	one := make([]float64, k)
	one[i] = 1
	return graph.Const(graph.Of(one, shape...))
}
