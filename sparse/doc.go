// Package sparse has ragged arrays and sparse matrices on graphs. They are thin layers: a Ragged,
// a COO or a CSR is a few nodes of package graph, and each method is some gathers, scatters and
// elementwise operations, which programs fuse and run like all others.
//
//	offsets := graph.Input("offsets", graph.Int64, graph.Dim("m+1"))
//	cols := graph.Input("cols", graph.Int64, graph.Dim("k"))
//	values := graph.Input("values", graph.Float32, graph.Dim("k"))
//	a := sparse.NewCSR(offsets, cols, values, 1000) // m by 1000, k elements stored
//	y := a.MatMul(graph.Input("x", graph.Float32, 1000))
//
// How many elements are stored is an extent of the program's inputs. FromDense, whose result has
// as many as a tensor has elements that are not 0, is a function of tensors, for use before a
// program.
//
// A product stores what it gathers before it adds it up. Of a matrix with a million elements it takes
// about twice the time of a loop in Go, for one vector and for 16 columns (go test -bench
// MatMul): the package is for programs that go on with other operations.
//
// Indices that are outside the matrix, and offsets that do not cover the values, are errors of the
// run, with the index. Sums are those of graph.Node.SegmentSum: in the order of the elements, the
// same bits for any number of workers. What a constructor cannot make has a node with an
// error, which graph.Compile returns.
package sparse
