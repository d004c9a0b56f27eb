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
// The product of a CSR and a dense array is one step, which stores no products of elements, if indices are int64, elements
// are of a type that is computed in itself, and the array has contiguous rows; others take three steps. On one thread of a Zen 4 a
// matrix with a million elements in 10,000 or 100,000 rows times a vector takes 1.05 to 1.2 times as long as a loop in Go that
// adds up each row in a variable, and 10,000 rows times 64 columns 5.7 ms, for which SciPy takes 12; two threads share the rows.
// Indices of int32 are converted by a step of their own: 0.2 to 0.3 ms for a million. A product of a COO stores what it gathers before it adds it up.
//
// Indices that are outside the matrix, and offsets that do not cover the values, are errors of the
// run, with the index. Sums are those of graph.Node.RaggedSum: in the order of the elements, the
// same bits for any number of workers. What a constructor cannot make has a node with an
// error, which graph.Compile returns.
package sparse
