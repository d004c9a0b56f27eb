// Package lloyd has the program of the example kmeans.
package lloyd

import "github.com/stridefuse/stridefuse/graph"

// Round computes a round of Lloyd's algorithm (Least squares quantization in PCM, 1982) on points of integers: it
// assigns each point to the nearest center, and moves each center to the mean of its points. Outputs are the centers,
// the number of points of each, and the mean squared distance before the centers move.
//
// A product of matrices adds the points of each cluster. For integers it is exact in any order, so ranges of points may
// be computed on several machines. A product of floats along the points has a fixed order and can't be divided.
func Round(dt graph.DType, dimensions, clusters int) (*graph.Program, error) {
	pixels := graph.Input("points", dt, graph.Dim("n"), dimensions)
	x := pixels.Cast(graph.Float32)
	c := graph.Input("centers", graph.Float32, clusters, dimensions)
	// |x-c|^2 = |x|^2 - 2 x.c + |c|^2; the first term is the same for all centers.
	near := c.Square().Sum(1).Sub(x.MatMul(c.T()).Mul(2))
	nearest := near.ArgMin(1)
	distance := near.Min(1).Add(x.Square().Sum(1)).Mean()
	member := nearest.OneHot(graph.Int64, clusters, 1)
	sizes := nearest.BinCount(clusters)
	sums := member.T().MatMul(pixels.Cast(graph.Int64)).Cast(graph.Float32)
	moved := sums.Div(sizes.Cast(graph.Float32).Unsqueeze(1))
	moved = graph.Where(sizes.Gt(0).Unsqueeze(1), moved, c) // a center without points stays
	return graph.Compile(graph.Output("centers", moved), graph.Output("sizes", sizes), graph.Output("distance", distance))
}
