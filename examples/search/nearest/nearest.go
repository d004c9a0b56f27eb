// Package nearest has the program of the example search.
package nearest

import "github.com/stridefuse/stridefuse/graph"

// Program finds for each query the most similar embeddings of a corpus: those with the greatest cosine of the angle
// between them. Outputs are their indices in the corpus and their cosines, a column for each query.
func Program(dimensions, queries, best int) (*graph.Program, error) {
	x := graph.Input("corpus", graph.Float32, graph.Dim("n"), dimensions)
	q := graph.Input("queries", graph.Float32, queries, dimensions).L2Normalize(1e-12, 1)
	cosine := x.MatMul(q.T()).Div(x.Norm2(1, graph.KeepDims))
	values, places := cosine.TopK(0, best)
	return graph.Compile(graph.Output("places", places), graph.Output("cosines", values))
}
