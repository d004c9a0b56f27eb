// Package sparse has ragged arrays and sparse matrices on graphs. A Ragged, a COO or a CSR is a few nodes of package
// graph. Each method is a few gathers, scatters and elementwise operations, which programs fuse and run like all
// others.
//
//	offsets := graph.Input("offsets", graph.Int64, graph.Dim("m+1"))
//	cols := graph.Input("cols", graph.Int64, graph.Dim("k"))
//	values := graph.Input("values", graph.Float32, graph.Dim("k"))
//	a := sparse.NewCSR(offsets, cols, values, 1000) // m by 1000, k elements stored
//	y := a.MatMul(graph.Input("x", graph.Float32, 1000))
//
// The number of stored elements is an extent of the program's inputs. FromDense finds the nonzero elements of a tensor;
// it is a function of tensors, for use before a program.
//
// The product of a CSR matrix and a dense array is one step that stores no products, if the indices are int64, the
// element type is computed in itself, and the array has contiguous rows; otherwise it takes three steps. docs/speed.md
// has times. Indices of int32 are converted by a separate step. A product of a COO matrix stores the gathered products
// before it adds them, so CSR is faster.
//
// Indices outside the matrix, and offsets that do not cover the values, are errors of the run that name the index. Sums
// are those of graph.Node.RaggedSum: in the order of the elements, with the same bits for any number of workers. A
// constructor that fails returns a value whose nodes carry the error to graph.Compile.
package sparse
