// Package statistics has the program of the example gridstats.
package statistics

import "github.com/stridefuse/stridefuse/graph"

// Program computes the mean, the standard deviation and a histogram of a grid of float32 or integers; an element times
// scale is a height. The histogram has bins from low to high; heights outside count in the first or last bin. The
// deviation needs the mean first, so the grid is read twice.
func Program(dt graph.DType, columns int, scale, low, high float64, bins int) (*graph.Program, error) {
	h := graph.Input("heights", dt, graph.Dim("rows"), columns).Cast(graph.Float32).Mul(scale)
	bin := h.Sub(low).Div((high-low)/float64(bins)).Cast(graph.Int64).Clip(0, bins-1)
	return graph.Compile(graph.Output("mean", h.Mean()), graph.Output("std", h.Std()), graph.Output("histogram", bin.BinCount(bins)))
}
