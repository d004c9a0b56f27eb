package gonum

import "github.com/stridefuse/stridefuse/graph"

// NewObjective compiles a scalar and its gradient, which is graph.Grad's. value, the variables and the data are Nodes of one
// graph: variables is the input that is varied, and each of data an input that Data then has a tensor for.
//
//	objective, err := gonum.NewObjective(loss, w, x, y)
//	objective.Data = []*graph.Tensor{points, targets}
//	problem, err := objective.Problem(ctx)
func NewObjective(value, variables graph.Node, data ...graph.Node) (Objective, error) {
	inputs := graph.WithInputs(append([]graph.Node{variables}, data...)...)
	v, err := graph.Compile(value, inputs)
	if err != nil {
		return Objective{}, err
	}
	g, err := graph.Compile(graph.Grad(value, variables)[0], inputs)
	return Objective{Value: v, Gradient: g}, err
}
