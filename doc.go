// Package stridefuse is the root of a lazy n-d array compiler for Go. It has no code: programs import package graph,
// whose documentation has the tour. README.md is the front page, docs/architecture.md follows two programs through the
// compiler.
//
// The packages, in the order in which a program passes through them:
//
//	graph            nodes, Compile and Program: what users call
//	ir               element types, sizes, the op table, graphs
//	passes           graph to steps: views to strides, fusion, buffers
//	ir/plan          steps: loop nests whose axes have roles
//	passes/schedule  steps to nests: strategies
//	ir/nest          schedules: loops, calls of kernels, local memory
//	ir/kernel        loop bodies, and the table of micro-kernels
//	runtime          links schedules and runs them
//	runtime/builtin  the kernels that every program can use
//	runtime/lines    the kernels of gathers, scatters and sorts
//	runtime/tensor   arrays
//
// Beside them are ir/layout (strides and views), ir/scalar (arithmetic on one element), ir/elementary (exp, sin and the
// like as lane operations), ir/tuning (costs and the constants of the machine) and ir/eval (the definitions that tests
// compare with).
//
// Other packages for users: formats/npy, formats/safetensors and formats/zarr read and write files of arrays;
// formats/csv reads columns of numbers; formats/imaging converts between images and tensors; formats/onnx reads models;
// stream runs programs over arrays larger than memory; graph/formula, graph/cmplx and graph/sparse make graphs of
// formulas, of complex numbers and of sparse matrices.
//
// cmd/genkernels generates kernels, with codegen, codegen/vector, codegen/amd64, codegen/avo and codegen/arm64, which user programs do not link.
// Generated code imports runtime/abi and ir/scalar, and its test runtime/kerneltest.
package stridefuse
