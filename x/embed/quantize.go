package embed

import (
	"context"
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// This file quantizes matrices. Input: a matrix of the file. Output: its 8-bit weights with their scales, and the graph
// that converts them back.

// groupSize is the number of elements of a row that share a scale.
const groupSize = 64

// quantized returns a matrix [out,in] of the file, transposed, as 8-bit weights times their scales. Both are Variables: a
// program converts constants once and keeps the result, but converts Variables in each run.
func (w *weights) quantized(name string, out, in int) graph.Node {
	group := groupSize
	for in%group != 0 {
		group /= 2 // a short group at the end would have another shape
	}
	rows := w.matrix(name, out, in).Cast(graph.Float32).T().Reshape(in/group, group, out)
	scale := rows.Abs().Max(1, graph.KeepDims).Div(math.MaxInt8)
	weights := graph.Where(scale.Eq(0), 0, rows.Div(scale)).Round().Cast(graph.Int8)
	p, err := graph.Compile(weights, scale, graph.WithName("quantize"))
	if err == nil {
		var results []*graph.Tensor
		if results, err = p.RunAll(context.Background()); err == nil {
			return graph.Variable(results[0]).Cast(graph.Float32).Mul(graph.Variable(results[1])).Reshape(in, out)
		}
	}
	if w.err == nil {
		w.err = err
	}
	return graph.Fill(graph.Float32, 0, in, out)
}
