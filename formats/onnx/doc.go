// Package onnx reads models in the ONNX format and compiles them with package graph.
//
//	p, err := onnx.Load("model.onnx")
//	out, err := p.Run(ctx, graph.Feeds{"input": x})
//	fmt.Print(p.Graph().Explain())
//
// The file is read without generated code for protocol buffers. Each operator becomes calls of graph's methods, so a
// model is fused and runs like any other program.
//
// # What is supported
//
// docs/onnx.md lists the operators, with versions and element types. Load rejects a model with any other operator, and
// its error names all of them. No operator is approximated by a similar one. One option changes rounding:
// WithScaledWeights merges normalizations into the products before them.
//
// A model is loaded as exporters write it. Its sizes may be symbolic: each axis without a number has a size that a run
// may change, and axes of one name share it. Nodes that compute with shapes (Shape, Gather, Concat, Mul, Where, casts,
// ...) are evaluated at load, on symbolic sizes too, and one program serves all sizes. What only a run knows decides the
// run: for the condition of an If or an operand of Reshape that is computed from data, and for shapes that are no sums
// and products of sizes, the rest of the model is compiled by the first run with these values or shapes, and kept for
// later ones. WithSize and Fix give them at load instead.
//
// NonZero, Unique, Compress and NonMaxSuppression have results whose size depends on the data. Such an operator divides
// the model: one program computes its inputs, a function of tensors computes the operator, and another program with a
// symbolic size computes the rest. No program is compiled again for another number of elements. Program.Graphs returns
// all of them. If the inputs are constants, these operators are computed at load.
//
// Elements of 4 and 2 bits are packed only in files: a tensor has one element in each byte.
//
// The taken branch of If and the iterations of Loop and Scan become part of the graph. The steps of RNN, GRU and LSTM are
// runs of one program, unless they are few and their number is known at load. Functions of the model are inlined. Dropout
// drops nothing, as in inference.
//
// A sequence is a list of values while the graph is built, as when a tensor is split and its parts are concatenated
// again. Inputs and outputs of the model are tensors; an optional one must be present.
//
// Tensors may be in other files, in the model's folder or below it. Random numbers, sparse tensors and complex numbers
// are not supported.
//
// Strings are labels and categories, which a model compares and selects. They are indices of the strings of the model:
// Program.Encode makes inputs and Program.Decode reads outputs. A map for each row, which ZipMap makes, is an array of its
// numbers; Program.Classes has its keys.
//
// # Errors
//
// A file may be damaged or hostile: every mistake in it is an error. Mistakes of nodes are collected, each with the
// operator and the node's name. A mistake that depends on sizes is an error of the runs with such sizes. Sizes are named
// as in the file, or x_axis_1 for axis 1 of input x; WithSize takes every such name.
//
// Explain, dumps, pages and the errors of runs name nodes of the model as positions: "conv1:12" is node 12 of its
// graph, with the name conv1, or the operator if the node has no name. Slashes of a name are written as dots.
package onnx
