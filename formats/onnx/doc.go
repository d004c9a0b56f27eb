// Package onnx reads models in the ONNX format and compiles them with package graph.
//
//	p, err := onnx.Load("model.onnx")
//	out, err := p.Run(ctx, graph.Feeds{"input": x})
//	fmt.Print(p.Graph().Explain())
//
// The file is read without generated code for protocol buffers. Each operator becomes
// calls of graph's methods, so that a model is fused and runs as any other program does.
//
// # What is supported
//
// docs/onnx.md lists the operators, with versions and element types. Load refuses a model
// with any other operator, and names all of them at once. An answer is never approximated
// by a similar operator. One option changes rounding: WithScaledWeights makes normalizations part of the
// products before them.
//
// Shapes are known at load, up to symbolic sizes: a dimension with a name in the file is a
// size that each run may change. Nodes that compute with shapes (Shape, Gather, Concat,
// Mul, ...) are evaluated at load, also where sizes are symbolic. What decides about
// shapes and comes from an input must be given at load, with Fix.
//
// The results of NonZero, Unique, Compress and NonMaxSuppression have as many elements as the
// data says. Such an operator divides the model: one program computes its inputs, a function of
// tensors computes the operator, and what follows is another program, with a symbolic size.
// Neither is compiled again for another number of elements. Program.Graphs returns all of
// them. Of constants, these operators are computed at load.
//
// Elements of 4 and 2 bits are packed in files alone: a tensor has one in each byte.
//
// The condition of If, and how often Loop and Scan repeat, must be known at load; their
// bodies become part of the graph, as do the steps of RNN, GRU and LSTM. Functions of the model
// are put in place of the nodes that use them. Dropout is that of inference.
//
// How many elements a sequence has must be known at load, as when a tensor is split and its parts
// are joined again. Inputs and outputs of the model are tensors; an optional one is there.
//
// Tensors may be in other files, in the model's folder or below it. Strings, random numbers,
// maps, sparse tensors and complex numbers are not supported.
//
// # Errors
//
// A file may be damaged or hostile: whatever is wrong with it is an error. Mistakes of
// nodes are collected, each with the operator and the node's name.
//
// Explain, dumps, pages and the errors of runs name the node that a value comes from as they name
// a line of a program: "conv1:12" is the twelfth node of its graph, whose name is conv1, or whose operator is,
// if it has no name. Slashes of a name are written as dots.
package onnx
